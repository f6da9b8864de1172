// The table of all figures and tables of the literature with their verdicts.
#include "report/report_page.h"

#include "report/report_claims.h"
#include "report/report_html.h"

#include <stdio.h>
#include <string.h>

static const char *verdict_class(claim_verdict verdict) {
    static const char *const CLASSES[] = {"agrees", "direction", "differs", "open"};
    return CLASSES[verdict];
}

static bool judge(const report_page *page, const report_work *work, const report_claim *claim, claim_result *result,
                  failure *why) {
    *result = (claim_result){.verdict = VERDICT_NOT_MEASURED};
    return claim == NULL || claim_judge(work, claim, page->data, page->folders, page->folder_count, result, why);
}

// The row of a claim, or of the figures that nobody has made a claim about.
static void write_row_id(output_file *output, const report_work *work, const report_claim *claim) {
    output_text(output, "verdict-%s-%zu", work->id, claim == NULL ? 0 : (size_t)(claim - work->claims) + 1);
}

// ---------------------------------------------------------------------------------------------------------------------
// All at a glance

typedef struct verdict_tally {
    size_t counts[VERDICT_COUNT], all;
} verdict_tally;

static bool write_chips(output_file *output, const report_page *page, const report_work *work, verdict_tally *tally,
                        failure *why) {
    html_element(output, "b", "", work->name);
    html_raw(output, "<div>");
    char figure[REPORT_TEXT];
    for (const char *place = work->figures; claim_next_figure(&place, figure);) {
        const report_claim *claim = claim_about(work, figure);
        claim_result result;
        if (!judge(page, work, claim, &result, why)) return false;
        tally->counts[result.verdict]++;
        tally->all++;
        output_text(output, "<a class='chip %s' title='%s' href='#", verdict_class(result.verdict),
                    verdict_text(result.verdict));
        write_row_id(output, work, claim);
        html_raw(output, "'>");
        html_text(output, figure);
        html_raw(output, "</a>");
    }
    html_raw(output, "</div>\n");
    return true;
}

static void write_tally(output_file *output, const verdict_tally *tally) {
    output_text(output, "<p>Of %zu figures and tables", tally->all);
    for (size_t i = 0; i < VERDICT_COUNT; i++) {
        static const char *const WORDS[] = {"we agree with", "agree in direction with", "differ from",
                                            "have not measured"};
        if (tally->counts[i] == 0) continue;
        output_text(output, "%s <span class='%s'>%s %zu</span>", i == 0 ? "" : ",", verdict_class((claim_verdict)i),
                    WORDS[i], tally->counts[i]);
    }
    html_raw(output, ".</p>\n");
}

// ---------------------------------------------------------------------------------------------------------------------
// One by one

static bool is_drawn(const report_page *page, const char *chart) {
    for (size_t i = 0; i < page->figure_count; i++) {
        if (strcmp(page->figures[i].id, chart) == 0) return true;
    }
    return false;
}

static void write_figures(output_file *output, const report_page *page, const report_claim *claim) {
    const bool linked = claim->chart != NULL && is_drawn(page, claim->chart);
    html_raw(output, "<td>");
    if (linked) output_text(output, "<a href='#%s'>", claim->chart);
    char figure[REPORT_TEXT];
    bool first = true;
    for (const char *place = claim->figures; claim_next_figure(&place, figure); first = false) {
        if (!first) html_raw(output, "<br>");
        html_text(output, figure);
    }
    html_raw(output, linked ? "</a></td>" : "</td>");
}

static bool write_claim(output_file *output, const report_page *page, const report_work *work,
                        const report_claim *claim, failure *why) {
    claim_result result;
    if (!judge(page, work, claim, &result, why)) return false;
    html_raw(output, "<tr id='");
    write_row_id(output, work, claim);
    html_raw(output, "'>");
    write_figures(output, page, claim);
    html_raw(output, "<td>");
    html_element(output, "p", "", claim->found);
    if (claim->printed != NULL) {
        html_raw(output, "<p class='soft'>In print: ");
        html_text(output, claim->printed);
        html_raw(output, "</p>");
    }
    html_raw(output, "</td><td>");
    html_element(output, "p", "", result.ours);
    if (*result.reason != '\0') html_element(output, "p", "soft", result.reason);
    html_raw(output, "</td>");
    html_cell(output, verdict_class(result.verdict), verdict_text(result.verdict));
    html_raw(output, "</tr>\n");
    return true;
}

// The figures that nobody has made a claim about, in one row.
static void write_unclaimed(output_file *output, const report_work *work) {
    char figure[REPORT_TEXT];
    size_t count = 0;
    for (const char *place = work->figures; claim_next_figure(&place, figure);) {
        if (claim_about(work, figure) != NULL) continue;
        if (count++ == 0) {
            html_raw(output, "<tr id='");
            write_row_id(output, work, NULL);
            html_raw(output, "'><td colspan='3'>");
        } else {
            html_raw(output, ", ");
        }
        html_text(output, figure);
    }
    if (count == 0) return;
    html_raw(output, "</td>");
    html_cell(output, verdict_class(VERDICT_NOT_MEASURED), verdict_text(VERDICT_NOT_MEASURED));
    html_raw(output, "</tr>\n");
}

static bool write_work(output_file *output, const report_page *page, const report_work *work, failure *why) {
    output_text(output, "<tr id='%s'><th colspan='4'>", work->id);
    html_text(output, work->name);
    html_raw(output, " ");
    html_element(output, "span", "soft", work->title);
    html_raw(output, "</th></tr>\n");
    for (size_t i = 0; i < work->claim_count; i++) {
        if (!write_claim(output, page, work, &work->claims[i], why)) return false;
    }
    write_unclaimed(output, work);
    return true;
}

bool write_verdicts(output_file *output, const report_page *page, failure *why) {
    verdict_tally tally = {0};
    html_heading(output, "verdicts", "What the literature found, and what we find",
                 "Every figure and table of five works that measures something. A verdict is computed from the rows "
                 "of our results; the works' times come from other machines, so what is compared are counts, ratios, "
                 "order, and how things grow.");
    html_raw(output, "<div class='chips'>\n");
    for (size_t i = 0; i < REPORT_WORK_COUNT; i++) {
        if (!write_chips(output, page, REPORT_WORKS[i], &tally, why)) return false;
    }
    html_raw(output, "</div>\n");
    write_tally(output, &tally);
    html_raw(output, "<table class='verdicts'><tr class='head'><th>figure</th><th>what the work found</th>"
                     "<th>what we find</th><th>verdict</th></tr>\n");
    for (size_t i = 0; i < REPORT_WORK_COUNT; i++) {
        if (!write_work(output, page, REPORT_WORKS[i], why)) return false;
    }
    html_raw(output, "</table>\n");
    return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Below a chart

static bool write_chart_verdict(output_file *output, const report_page *page, const report_work *work,
                                const report_claim *claim, failure *why) {
    claim_result result;
    if (!judge(page, work, claim, &result, why)) return false;
    html_raw(output, "<span><a href='#");
    write_row_id(output, work, claim);
    html_raw(output, "'>");
    html_text(output, claim->figures);
    html_raw(output, "</a> ");
    html_element(output, "span", verdict_class(result.verdict), verdict_text(result.verdict));
    html_raw(output, "</span>");
    return true;
}

bool write_chart_verdicts(output_file *output, const report_page *page, const char *chart, failure *why) {
    for (size_t i = 0; i < REPORT_WORK_COUNT; i++) {
        const report_work *work = REPORT_WORKS[i];
        bool first = true;
        for (size_t k = 0; k < work->claim_count; k++) {
            const report_claim *claim = &work->claims[k];
            if (claim->chart == NULL || strcmp(claim->chart, chart) != 0) continue;
            if (first) output_text(output, "<p class='judged'>%s: ", work->name);
            first = false;
            if (!write_chart_verdict(output, page, work, claim, why)) return false;
        }
        if (!first) html_raw(output, "</p>\n");
    }
    return true;
}
