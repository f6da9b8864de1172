// The page: promises, the fastest peers, a section for each suite, missing charts, and the machines.
#include "report/report_page.h"

#include "formats/number.h"
#include "formats/stream.h"
#include "report/report_promises.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char REPORT_CHART_STYLE[] = "svg tspan,svg text{font-family:inherit}\n"
                                  "svg .gridline{stroke:var(--line,#ddd)}\n"
                                  "svg text{fill:var(--ink,#333)}\n"
                                  "svg [stroke='rgb( 51,  51,  51)']{stroke:var(--ink,#333)}\n"
                                  "@media(prefers-color-scheme:dark){svg{--ink:#d5dae0;--line:#333a42}}\n";

static const char STYLE[] =
    ":root{--ink:#1f2933;--soft:#5f6b7a;--line:#dfe4ea;--paper:#fff;--back:#f5f7f9;--good:#166534;--bad:#9a3412}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#d5dae0;--soft:#93a0ae;--line:#333a42;--paper:#1b2026;--back:#"
    "12161a;"
    "--good:#6ee7a0;--bad:#fdba74}}\n"
    "body{margin:0;background:var(--back);color:var(--ink);"
    "font:16px/1.5 'Helvetica Neue',Helvetica,Arial,'Liberation Sans',sans-serif}\n"
    "main{max-width:1220px;margin:0 auto;padding:32px 24px 64px}\n"
    "h1{font-size:30px;line-height:1.2;margin:0 0 8px}\n"
    "h2{font-size:22px;margin:48px 0 4px;padding-top:16px;border-top:2px solid var(--ink)}\n"
    "h3{font-size:16px;line-height:1.3;margin:0 0 6px}\n"
    "sup{font-size:.72em;line-height:0}p{margin:6px 0;max-width:76ch}a{color:inherit}code{font-size:.92em}\n"
    ".soft{color:var(--soft)}\n"
    "nav{margin:16px 0;display:flex;flex-wrap:wrap;gap:4px 18px}\n"
    "table{border-collapse:collapse;margin:12px 0;font-size:14.5px}\n"
    "th,td{padding:4px 14px 4px 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}\n"
    "th{color:var(--soft);font-weight:600}td.number,th.number{text-align:right;font-variant-numeric:tabular-nums}\n"
    ".kept{color:var(--good);font-weight:600}.missed{color:var(--bad);font-weight:600}\n"
    ".wide{overflow-x:auto}\n"
    ".figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,560px),1fr));gap:22px;margin-top:"
    "18px}\n"
    "figure{margin:0;padding:16px 18px;background:var(--paper);border:1px solid var(--line);border-radius:6px}\n"
    "figure p{font-size:14.5px;line-height:1.45}figure "
    "svg{display:block;width:100%;max-width:560px;height:auto;margin:8px 0}\n"
    ".paper{color:var(--soft);border-left:3px solid var(--line);padding-left:10px}\n"
    "@media print{body{background:#fff;font-size:11pt}main{max-width:none;padding:0}figure{break-inside:avoid;border:0;"
    "padding:0}.figures{display:block}figure{margin-bottom:18pt}h2{break-after:avoid}nav{display:none}}\n";

// ---------------------------------------------------------------------------------------------------------------------
// Text

// A raised digit or minus at `text`: as a plain one, and its length in UTF-8. 0: there is none.
static size_t raised(const char *text, char *plain) {
    static const char *const RAISED[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹", "⁻"};
    for (size_t i = 0; i < sizeof RAISED / sizeof *RAISED; i++) {
        size_t length = strlen(RAISED[i]);
        if (strncmp(text, RAISED[i], length) != 0) continue;
        *plain = "0123456789-"[i];
        return length;
    }
    return 0;
}

// Raised digits become <sup>: those of fonts are small, and differ from each other.
static void write_text(output_file *output, const char *text) {
    while (*text != '\0') {
        char plain;
        size_t length = raised(text, &plain);
        if (length > 0) {
            output_text(output, "<sup>%c</sup>", plain);
        } else if (*text == '<' || *text == '&') {
            output_text(output, *text == '<' ? "&lt;" : "&amp;");
        } else {
            output_bytes(output, text, 1);
        }
        text += length > 0 ? length : 1;
    }
}

static void write_raw(output_file *output, const char *text) {
    output_bytes(output, text, strlen(text));
}

static void write_cell(output_file *output, const char *class, const char *text) {
    output_text(output, "<td class='%s'>", class);
    write_text(output, text);
    write_raw(output, "</td>");
}

// ---------------------------------------------------------------------------------------------------------------------
// Promises

static void write_asked(output_file *output, const report_promise *promise) {
    char figure[FIGURE_TEXT], text[128];
    static const char *const WORDS[] = {"at most", "at least", "at most", "at most"};
    snprintf(text, sizeof text, "%s %s%s%s", WORDS[promise->kind], figure_text(figure, promise->asked),
             promise->unit == NULL ? "" : " ", promise->unit == NULL ? "" : promise->unit);
    write_cell(output, "number", text);
}

static void write_measured(output_file *output, const report_promise *promise, const promise_result *result) {
    char low[FIGURE_TEXT], high[FIGURE_TEXT], text[128];
    figure_text(low, result->low);
    figure_text(high, result->high);
    snprintf(text, sizeof text, "%s%s%s%s%s", low, strcmp(low, high) == 0 ? "" : " – ",
             strcmp(low, high) == 0 ? "" : high, promise->unit == NULL ? "" : " ",
             promise->unit == NULL ? "" : promise->unit);
    write_cell(output, "number", text);
    write_raw(output, result->kept ? "<td class='kept'>kept</td>" : "<td class='missed'>missed</td>");
}

static void write_promises(output_file *output, const report_page *page) {
    write_raw(output,
              "<h2 id='promises'>Promises</h2>\n<p>What was asked for before it was built, and what these results "
              "say. A range is over all cases; the worst counts.</p>\n<div class='wide'><table><tr><th>what</th>"
              "<th class='number'>promised</th><th class='number'>measured</th><th></th><th>suite</th></tr>\n");
    for (size_t i = 0; i < REPORT_PROMISE_COUNT; i++) {
        const report_promise *promise = &REPORT_PROMISES[i];
        promise_result result = promise_measure(promise, page->data);
        write_raw(output, "<tr>");
        write_cell(output, "", promise->what);
        write_asked(output, promise);
        if (result.count > 0) {
            write_measured(output, promise, &result);
        } else {
            write_raw(output, "<td class='number soft'>not measured</td><td></td>");
        }
        write_cell(output, "soft", promise->suite);
        write_raw(output, "</tr>\n");
    }
    write_raw(output, "</table></div>\n");
}

// ---------------------------------------------------------------------------------------------------------------------
// The fastest peer of each case

enum { CASES_MAX = 32 };

// The different values of a column in the quick suite, as they come.
static size_t list_values(const report_data *data, const char *column, const char *values[CASES_MAX]) {
    size_t count = 0;
    for (size_t i = 0; i < data->row_count; i++) {
        const report_row *row = &data->rows[i];
        if (strcmp(row->suite, "quick") != 0 || strcmp(row->who, "broadphase") != 0) continue;
        const char *value = row_cell(row, column);
        size_t known = 0;
        while (known < count && strcmp(values[known], value) != 0) known++;
        if (known == count && count < CASES_MAX) values[count++] = value;
    }
    return count;
}

static void write_beside(output_file *output, const report_data *data, const char *scene, const char *n) {
    const report_row *ours = fastest_row(data, "quick", scene, n, "who=broadphase;method=hierarchical-grid;threads=1");
    const report_row *peer = fastest_row(data, "quick", scene, n, "who=peer");
    double own = 0.0, other = 0.0;
    if (ours == NULL || peer == NULL || !row_number(ours, "total_ms", &own) || !row_number(peer, "total_ms", &other)) {
        write_raw(output, "<td class='number soft'>–</td><td></td>");
        return;
    }
    char figure[FIGURE_TEXT], text[128];
    snprintf(text, sizeof text, "× %s", figure_text(figure, other / own));
    write_cell(output, "number", text);
    snprintf(text, sizeof text, "%s %s", peer->who, peer->method);
    write_cell(output, "soft", text);
}

static void write_peers(output_file *output, const report_page *page) {
    const char *scenes[CASES_MAX], *counts[CASES_MAX];
    const size_t scene_count = list_values(page->data, "scene", scenes);
    const size_t count_count = list_values(page->data, "n", counts);
    if (scene_count == 0) return;
    write_raw(output,
              "<h2 id='peers'>Beside the fastest packaged library</h2>\n<p>How many times our time it takes, the "
              "whole step on both sides, one thread, the same pairs.</p>\n<div class='wide'><table><tr><th>scene</th>");
    for (size_t k = 0; k < count_count; k++) {
        char figure[FIGURE_TEXT];
        write_raw(output, "<th class='number'>");
        write_text(output, figure_text(figure, strtod(counts[k], NULL)));
        write_raw(output, " boxes</th><th></th>");
    }
    write_raw(output, "</tr>\n");
    for (size_t i = 0; i < scene_count; i++) {
        write_raw(output, "<tr>");
        write_cell(output, "", scenes[i]);
        for (size_t k = 0; k < count_count; k++) write_beside(output, page->data, scenes[i], counts[k]);
        write_raw(output, "</tr>\n");
    }
    write_raw(output, "</table></div>\n");
}

// ---------------------------------------------------------------------------------------------------------------------
// Sections

static bool is_in(const report_section *section, const report_figure *figure) {
    for (size_t i = 0; i < section->chart_count; i++) {
        if (&section->charts[i] == figure->chart) return true;
    }
    return false;
}

static bool has_figures(const report_page *page, const report_section *section) {
    for (size_t i = 0; i < page->figure_count; i++) {
        if (is_in(section, &page->figures[i])) return true;
    }
    return false;
}

static void write_figure(output_file *output, const report_figure *figure) {
    const report_chart *chart = figure->chart;
    output_text(output, "<figure id='%s'>\n<h3>", figure->id);
    write_text(output, chart->title);
    write_raw(output, "</h3>\n<p>");
    write_text(output, figure->sentence);
    write_raw(output, "</p>\n");
    write_raw(output, figure->svg);
    if (chart->paper != NULL) {
        write_raw(output, "<p class='paper'>");
        write_text(output, chart->paper);
        write_raw(output, "</p>\n");
    }
    write_raw(output, "</figure>\n");
}

static void write_section(output_file *output, const report_page *page, const report_section *section) {
    output_text(output, "<h2 id='%s'>", section->id);
    write_text(output, section->title);
    write_raw(output, "</h2>\n<p>");
    write_text(output, section->text);
    write_raw(output, "</p>\n<div class='figures'>\n");
    for (size_t i = 0; i < page->figure_count; i++) {
        if (is_in(section, &page->figures[i])) write_figure(output, &page->figures[i]);
    }
    write_raw(output, "</div>\n");
}

static void write_contents(output_file *output, const report_page *page) {
    write_raw(output, "<nav><a href='#promises'>Promises</a><a href='#peers'>Fastest peers</a>");
    for (size_t i = 0; i < REPORT_SECTION_COUNT; i++) {
        if (!has_figures(page, REPORT_SECTIONS[i])) continue;
        output_text(output, "<a href='#%s'>", REPORT_SECTIONS[i]->id);
        write_text(output, REPORT_SECTIONS[i]->title);
        write_raw(output, "</a>");
    }
    write_raw(output, "<a href='#where'>Where it was measured</a><a href='#literature'>The literature</a></nav>\n");
}

// ---------------------------------------------------------------------------------------------------------------------
// What is missing, and where it was measured

static bool is_drawn(const report_page *page, const report_chart *chart) {
    for (size_t i = 0; i < page->figure_count; i++) {
        if (page->figures[i].chart == chart) return true;
    }
    return false;
}

// The next chart without a figure, by section and place in it; NULL: there is no other.
static const report_chart *next_missing(const report_page *page, size_t *section, size_t *place) {
    for (; *section < REPORT_SECTION_COUNT; (*section)++, *place = 0) {
        while (*place < REPORT_SECTIONS[*section]->chart_count) {
            const report_chart *chart = &REPORT_SECTIONS[*section]->charts[(*place)++];
            if (!is_drawn(page, chart)) return chart;
        }
    }
    return NULL;
}

size_t report_page_missing(const report_page *page) {
    size_t count = 0, section = 0, place = 0;
    while (next_missing(page, &section, &place) != NULL) count++;
    return count;
}

static void write_missing(output_file *output, const report_page *page) {
    if (report_page_missing(page) == 0) return;
    write_raw(output,
              "<h2 id='missing'>Charts without data</h2>\n<p>These have nothing to show yet: their suite was not "
              "run, or not to its end.</p>\n<ul>\n");
    size_t section = 0, place = 0;
    for (const report_chart *chart; (chart = next_missing(page, &section, &place)) != NULL;) {
        output_text(output, "<li id='missing-%s'>", chart->id);
        write_text(output, chart->title);
        output_text(output, " <span class='soft'>(suite %s%s%s)</span></li>\n", chart->suite,
                    chart->experiment == NULL ? "" : ", ", chart->experiment == NULL ? "" : chart->experiment);
    }
    write_raw(output, "</ul>\n");
}

// What a remark "key: value" says; "" where there is none.
static void find_remark(const report_file *file, const char *key, char *text, size_t size) {
    text[0] = '\0';
    for (const char *line = file->about; *line != '\0'; line += strcspn(line, "\n") + 1) {
        size_t length = strlen(key);
        if (strncmp(line, key, length) != 0 || strncmp(line + length, ": ", 2) != 0) continue;
        snprintf(text, size, "%.*s", (int)strcspn(line + length + 2, "\n"), line + length + 2);
        return;
    }
}

static void write_files(output_file *output, const report_page *page) {
    static const char *const KEYS[] = {"broadphase", "compiler", "flags", "cpu", "date"};
    write_raw(output,
              "<h2 id='where'>Where it was measured</h2>\n<p>Machines are shared and noisy: look at ratios within "
              "a file rather than at times. Medians throughout; every contestant's pairs were compared.</p>\n"
              "<div class='wide'><table><tr><th>file</th><th class='number'>rows</th><th>version</th>"
              "<th>compiler</th><th>flags</th><th>processor</th><th>date</th></tr>\n");
    for (size_t i = 0; i < page->data->file_count; i++) {
        const report_file *file = page->data->files[i];
        write_raw(output, "<tr>");
        write_cell(output, "", file->path);
        output_text(output, "<td class='number'>%zu</td>", file->row_count);
        for (size_t k = 0; k < sizeof KEYS / sizeof *KEYS; k++) {
            char text[256];
            find_remark(file, KEYS[k], text, sizeof text);
            write_cell(output, "soft", *text == '\0' ? "not told" : text);
        }
        write_raw(output, "</tr>\n");
    }
    write_raw(output, "</table></div>\n");
}

static void write_literature(output_file *output) {
    static const char *const WORKS[][2] = {
        {"Schornbaum 2009", "F. Schornbaum, Hierarchical Hash Grids for Coarse Collision Detection, Erlangen 2009"},
        {"Zych 2016", "M. Zych, Efficient algorithms for collision detection in three-dimensional space, Gdańsk"},
        {"Zhyhallo and Woźna-Szcześniak",
         "M. Zhyhallo, B. Woźna-Szcześniak, Better Spacial Hashing with Linear Memory Usage and Parallelism"},
        {"Koch 2020",
         "C. Koch, Implementation and Evaluation of Acceleration Structures for Inhomogeneous and Polydisperse "
         "Particle Dynamics, Erlangen 2020"},
        {"Gissler et al.",
         "M. Gissler, M. Ihmsen, M. Teschner, Efficient Uniform Grids for Collision Handling in Medical "
         "Simulators, Freiburg"},
    };
    write_raw(output, "<h2 id='literature'>The literature</h2>\n<table>\n");
    for (size_t i = 0; i < sizeof WORKS / sizeof *WORKS; i++) {
        write_raw(output, "<tr>");
        write_cell(output, "", WORKS[i][0]);
        write_cell(output, "", WORKS[i][1]);
        write_raw(output, "</tr>\n");
    }
    write_raw(output, "</table>\n");
}

bool report_page_write(const report_page *page, const char *path, failure *why) {
    output_file output;
    if (!output_open(&output, path, why)) return false;
    write_raw(&output, "<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
                       "<meta name='viewport' content='width=device-width,initial-scale=1'>\n"
                       "<title>broadphase: the evidence</title>\n<style>\n");
    write_raw(&output, STYLE);
    write_raw(&output, REPORT_CHART_STYLE);
    write_raw(&output, "</style>\n</head>\n<body>\n<main>\n<h1>broadphase: the evidence</h1>\n"
                       "<p>Of all these boxes, which pairs overlap? This library beside others, and beside what the "
                       "literature found, from the results in the files listed at the end.</p>\n");
    write_contents(&output, page);
    write_promises(&output, page);
    write_peers(&output, page);
    for (size_t i = 0; i < REPORT_SECTION_COUNT; i++) {
        if (has_figures(page, REPORT_SECTIONS[i])) write_section(&output, page, REPORT_SECTIONS[i]);
    }
    write_missing(&output, page);
    write_files(&output, page);
    write_literature(&output);
    write_raw(&output, "</main>\n</body>\n</html>\n");
    return output_close(&output, why);
}
