// The top of the page: how fast it is, beside other libraries, and on which machine.
#include "report/report_page.h"

#include "report/report_claims.h"
#include "report/report_html.h"
#include "report/report_promises.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------------------------
// A few figures

#define OURS "who=broadphase;method=hierarchical-grid;threads=1;scene=uniform"

// A fact is a claim that asks for nothing: `ours` is its figure, `found` what it means.
static const report_claim FACTS[] = {
    {.rows = {{.suite = "quick", .where = OURS, .x = "n", .y = "total_ms"}},
     .agrees = "",
     .ours = "{at||1000000} ms",
     .found = "for a step of a million moving boxes on one thread: new boxes in, all pairs out"},
    {.rows = {{.suite = "quick",
               .kind = CHART_DOTS,
               .where = "who!=limit;threads=1;scene=uniform;n=1000000;method!=hierarchical-grid/scalar",
               .x = "library",
               .y = "total_ms"}},
     .agrees = "",
     .ours = "{margin|broadphase|broadphase one call|broadphase sweep-and-prune*} ×",
     .found = "as fast as the fastest other library on these boxes, with the same pairs"},
    {.rows = {{.suite = "quick", .flags = CHART_LOG, .where = OURS, .x = "n", .y = "total_ms"}},
     .agrees = "",
     .ours = "{exponent|}",
     .found = "is the power of n with which time grows, from ten thousand boxes to a million"},
    {.rows = {{.suite = "quick", .where = OURS, .x = "n", .y = "bytes_per_object"}},
     .agrees = "",
     .ours = "{at||1000000} bytes",
     .found = "of memory per box, in addition to the box itself"},
    {.rows = {{.suite = "cuda", .where = "scene=uniform", .x = "n", .y = "kernels_ms"}},
     .agrees = "",
     .ours = "{at||100000000} ms",
     .found = "for all pairs of a hundred million boxes on one GPU"},
};

static bool write_fact(output_file *output, const report_page *page, const report_claim *fact, failure *why) {
    static const report_work NO_WORK = {.name = "the page"};
    claim_result result;
    if (!claim_judge(&NO_WORK, fact, page->data, page->folders, page->folder_count, &result, why)) return false;
    if (result.verdict == VERDICT_NOT_MEASURED) return true;
    char machine[128], text[256];
    machine_text(page->data, result.folder, machine, sizeof machine);
    snprintf(text, sizeof text, "(%s)", machine);
    html_raw(output, "<div class='fact'>");
    html_element(output, "b", "", result.ours);
    html_raw(output, "<span>");
    html_text(output, fact->found);
    html_raw(output, " ");
    html_element(output, "span", "soft", text);
    html_raw(output, "</span></div>\n");
    return true;
}

bool write_facts(output_file *output, const report_page *page, failure *why) {
    html_raw(output, "<div class='facts'>\n");
    for (size_t i = 0; i < sizeof FACTS / sizeof *FACTS; i++) {
        if (!write_fact(output, page, &FACTS[i], why)) return false;
    }
    html_raw(output, "</div>\n");
    return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// The fastest peer of each case

enum { CASES_MAX = 32 };

static const struct {
    const char *name, *what;
} SCENES[] = {
    {"uniform", "equal cubes, two pairs each"},
    {"mixed", "sizes of 1:12"},
    {"low-motion", "all move by 1 % of their size"},
    {"long", "boxes of 10 × 1 × 1"},
    {"reference", "spheres, loose (Koch 2020)"},
    {"very-inhomogeneous", "most of space is empty (Koch 2020)"},
    {"very-polydisperse", "one sphere 360 times as large (Koch 2020)"},
};

static const char *scene_text(const char *name) {
    for (size_t i = 0; i < sizeof SCENES / sizeof *SCENES; i++) {
        if (strcmp(SCENES[i].name, name) == 0) return SCENES[i].what;
    }
    return "";
}

static bool is_quick(const report_row *row, const char *folder) {
    return strcmp(row->file->folder, folder) == 0 && strcmp(row->suite, "quick") == 0;
}

// The different values of a column in the quick suite of a machine, as they come.
static size_t list_values(const report_data *data, const char *folder, const char *column,
                          const char *values[CASES_MAX]) {
    size_t count = 0;
    for (size_t i = 0; i < data->row_count; i++) {
        const report_row *row = &data->rows[i];
        if (!is_quick(row, folder) || strcmp(row->who, "broadphase") != 0) continue;
        const char *value = row_cell(row, column);
        size_t known = 0;
        while (known < count && strcmp(values[known], value) != 0) known++;
        if (known == count && count < CASES_MAX) values[count++] = value;
    }
    return count;
}

static void write_beside(output_file *output, const report_data *data, const char *folder, const char *scene,
                         const char *n) {
    const report_row *ours =
        fastest_row(data, folder, "quick", scene, n, "who=broadphase;method=hierarchical-grid;threads=1");
    const report_row *peer = fastest_row(data, folder, "quick", scene, n, "who=peer");
    double own = 0.0, other = 0.0;
    if (ours == NULL || peer == NULL || !row_number(ours, "total_ms", &own) || !row_number(peer, "total_ms", &other)) {
        html_raw(output, "<td class='number soft'>–</td><td class='aside'></td><td class='aside'></td>");
        return;
    }
    char figure[FIGURE_TEXT], text[128];
    snprintf(text, sizeof text, "× %s", figure_text(figure, other / own));
    html_cell(output, "number", text);
    snprintf(text, sizeof text, "%s %s", peer->who, peer->method);
    html_cell(output, "aside soft", text);
    snprintf(text, sizeof text, "%s ms", figure_text(figure, own));
    html_cell(output, "aside number", text);
}

// The first machine that the quick suite was run on; NULL: none.
static const char *quick_folder(const report_page *page) {
    for (size_t i = 0; i < page->folder_count; i++) {
        for (size_t k = 0; k < page->data->row_count; k++) {
            if (is_quick(&page->data->rows[k], page->folders[i])) return page->folders[i];
        }
    }
    return NULL;
}

void write_peers(output_file *output, const report_page *page) {
    const char *scenes[CASES_MAX], *counts[CASES_MAX], *folder = quick_folder(page);
    if (folder == NULL) return;
    const size_t scene_count = list_values(page->data, folder, "scene", scenes);
    const size_t count_count = list_values(page->data, folder, "n", counts);
    char machine[128], text[512];
    machine_text(page->data, folder, machine, sizeof machine);
    snprintf(text, sizeof text,
             "How many times as fast as the fastest other library broadphase is, in a whole step with the same pairs, "
             "on one "
             "thread (%s).",
             machine);
    html_heading(output, "peers", "How fast is it?", text);
    html_raw(output, "<div class='wide'><table class='peers'><tr><th>scene</th>");
    for (size_t k = 0; k < count_count; k++) {
        char figure[FIGURE_TEXT];
        html_raw(output, "<th class='number'>");
        html_text(output, figure_text(figure, strtod(counts[k], NULL)));
        html_raw(output, " boxes</th><th class='aside'>fastest other</th><th class='aside number'>our time</th>");
    }
    html_raw(output, "</tr>\n");
    for (size_t i = 0; i < scene_count; i++) {
        html_raw(output, "<tr>");
        html_raw(output, "<td>");
        html_text(output, scenes[i]);
        html_raw(output, "<br>");
        html_element(output, "small", "soft", scene_text(scenes[i]));
        html_raw(output, "</td>");
        for (size_t k = 0; k < count_count; k++) write_beside(output, page->data, folder, scenes[i], counts[k]);
        html_raw(output, "</tr>\n");
    }
    html_raw(output, "</table></div>\n");
}
