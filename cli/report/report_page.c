// The page: how fast it is beside others, what the literature found, promises, and where it was measured.
#include "report/report_page.h"

#include "report/report_claims.h"
#include "report/report_html.h"
#include "report/report_promises.h"

#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------------------------
// Promises

static void write_asked(output_file *output, const report_promise *promise) {
    char figure[FIGURE_TEXT], text[128];
    static const char *const WORDS[] = {"at most", "at least", "at most", "at most"};
    snprintf(text, sizeof text, "%s %s%s%s", WORDS[promise->kind], figure_text(figure, promise->asked),
             promise->unit == NULL ? "" : " ", promise->unit == NULL ? "" : promise->unit);
    html_cell(output, "number", text);
}

static void write_measured(output_file *output, const report_promise *promise, const promise_result *result) {
    char low[FIGURE_TEXT], high[FIGURE_TEXT], text[128];
    figure_text(low, result->low);
    figure_text(high, result->high);
    snprintf(text, sizeof text, "%s%s%s%s%s", low, strcmp(low, high) == 0 ? "" : " – ",
             strcmp(low, high) == 0 ? "" : high, promise->unit == NULL ? "" : " ",
             promise->unit == NULL ? "" : promise->unit);
    html_cell(output, "number", text);
    html_raw(output, result->kept ? "<td class='kept'>kept</td>" : "<td class='missed'>missed</td>");
}

static void write_promises(output_file *output, const report_page *page) {
    html_heading(output, "promises", "Promises",
                 "What was asked for before it was built, and what these results say, each on one machine. A range is "
                 "over all cases; the worst counts.");
    html_raw(output, "<div class='wide'><table><tr><th>what</th>"
                     "<th class='number'>promised</th><th "
                     "class='number'>measured</th><th></th><th>suite</th><th>machine</th></tr>\n");
    for (size_t i = 0; i < REPORT_PROMISE_COUNT; i++) {
        const report_promise *promise = &REPORT_PROMISES[i];
        promise_result result = promise_measure(promise, page->data, page->folders, page->folder_count);
        html_raw(output, "<tr>");
        html_cell(output, "", promise->what);
        write_asked(output, promise);
        if (result.count > 0) {
            write_measured(output, promise, &result);
        } else {
            html_raw(output, "<td class='number soft'>not measured</td><td></td>");
        }
        html_cell(output, "soft", promise->suite);
        char machine[128] = "";
        if (result.count > 0) machine_text(page->data, result.folder, machine, sizeof machine);
        html_cell(output, "soft", machine);
        html_raw(output, "</tr>\n");
    }
    html_raw(output, "</table></div>\n");
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

static bool write_told_picture(output_file *output, const report_page *page, const report_figure *figure,
                               failure *why) {
    if (*figure->sentence != '\0') html_element(output, "p", "", figure->sentence);
    return write_picture(output, page, figure, why);
}

// The same chart from the results of other machines, on demand.
static bool write_again(output_file *output, const report_page *page, const report_figure *figure, failure *why) {
    for (size_t i = 0; i < page->figure_count; i++) {
        const report_figure *other = &page->figures[i];
        if (other->chart != figure->chart || !other->again) continue;
        char machine[128];
        machine_text(page->data, other->folder, machine, sizeof machine);
        html_raw(output, "<details><summary>The same on ");
        html_text(output, machine);
        output_text(output, "</summary>\n<figure id='%s'>\n", other->id);
        if (!write_told_picture(output, page, other, why)) return false;
        html_raw(output, "</figure>\n</details>\n");
    }
    return true;
}

static bool write_figure(output_file *output, const report_page *page, const report_figure *figure, failure *why) {
    const report_chart *chart = figure->chart;
    char machine[128];
    machine_text(page->data, figure->folder, machine, sizeof machine);
    output_text(output, "<figure id='%s'>\n<h3>", figure->id);
    html_text(output, chart->title);
    html_raw(output, " ");
    html_element(output, "small", "soft", machine);
    html_raw(output, "</h3>\n");
    if (!write_told_picture(output, page, figure, why)) return false;
    if (chart->paper != NULL) {
        html_element(output, "p", "paper", chart->paper);
        html_raw(output, "\n");
    }
    if (!write_chart_verdicts(output, page, chart->id, why) || !write_again(output, page, figure, why)) return false;
    html_raw(output, "</figure>\n");
    return true;
}

static bool write_section(output_file *output, const report_page *page, const report_section *section, failure *why) {
    html_heading(output, section->id, section->title, section->text);
    html_raw(output, "<div class='figures'>\n");
    for (size_t i = 0; i < page->figure_count; i++) {
        const report_figure *figure = &page->figures[i];
        if (figure->again || !is_in(section, figure)) continue;
        if (!write_figure(output, page, figure, why)) return false;
    }
    html_raw(output, "</div>\n");
    return true;
}

// The table of verdicts stands in front of the sections of the literature.
static bool write_sections(output_file *output, const report_page *page, failure *why) {
    for (size_t i = 0; i < REPORT_SECTION_COUNT; i++) {
        const report_section *section = REPORT_SECTIONS[i];
        if (i == REPORT_LITERATURE && !write_verdicts(output, page, why)) return false;
        if (has_figures(page, section) && !write_section(output, page, section, why)) return false;
    }
    return true;
}

static void write_contents(output_file *output, const report_page *page) {
    html_raw(output, "<nav><a href='#peers'>How fast</a><a href='#verdicts'>What the literature found</a>");
    for (size_t i = 0; i < REPORT_SECTION_COUNT; i++) {
        if (!has_figures(page, REPORT_SECTIONS[i])) continue;
        output_text(output, "<a href='#%s'>", REPORT_SECTIONS[i]->id);
        html_text(output, REPORT_SECTIONS[i]->title);
        html_raw(output, "</a>");
    }
    html_raw(output, "<a href='#promises'>Promises</a><a href='#where'>Where it was measured</a></nav>\n");
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
    html_heading(output, "missing", "Charts without data",
                 "These have nothing to show yet: their suite was not run, or not to its end.");
    html_raw(output, "<ul>\n");
    size_t section = 0, place = 0;
    for (const report_chart *chart; (chart = next_missing(page, &section, &place)) != NULL;) {
        output_text(output, "<li id='missing-%s'>", chart->id);
        html_text(output, chart->title);
        output_text(output, " <span class='soft'>(suite %s%s%s)</span></li>\n", chart->suite,
                    chart->experiment == NULL ? "" : ", ", chart->experiment == NULL ? "" : chart->experiment);
    }
    html_raw(output, "</ul>\n");
}

void find_remark(const report_file *file, const char *key, char *text, size_t size) {
    text[0] = '\0';
    for (const char *line = file->about; *line != '\0'; line += strcspn(line, "\n") + 1) {
        size_t length = strlen(key);
        if (strncmp(line, key, length) != 0 || strncmp(line + length, ": ", 2) != 0) continue;
        snprintf(text, size, "%.*s", (int)strcspn(line + length + 2, "\n"), line + length + 2);
        return;
    }
}

static void drop_all(char *text, const char *word) {
    const size_t length = strlen(word);
    for (char *found; (found = strstr(text, word)) != NULL;) memmove(found, found + length, strlen(found + length) + 1);
}

// The last part of a folder's path names the machine too, for want of better.
void machine_text(const report_data *data, const char *folder, char *text, size_t size) {
    const char *slash = strrchr(folder, '/');
    snprintf(text, size, "%s", slash == NULL || slash[1] == '\0' ? folder : slash + 1);
    for (size_t i = 0; i < data->file_count; i++) {
        char cpu[128];
        if (strcmp(data->files[i]->folder, folder) != 0) continue;
        find_remark(data->files[i], "cpu", cpu, sizeof cpu);
        if (*cpu == '\0') continue;
        drop_all(cpu, "(R)");
        drop_all(cpu, " Processor");
        snprintf(text, size, "%s", cpu);
        return;
    }
}

static void write_files(output_file *output, const report_page *page) {
    static const char *const KEYS[] = {"broadphase", "compiler", "flags", "cpu", "date"};
    html_heading(output, "where", "Where it was measured",
                 "Machines are shared and noisy: look at ratios within a file rather than at times. Medians "
                 "throughout; every contestant's pairs were compared.");
    html_raw(output, "<div class='wide'><table><tr><th>file</th><th class='number'>rows</th><th>version</th>"
                     "<th>compiler</th><th>flags</th><th>processor</th><th>date</th></tr>\n");
    for (size_t i = 0; i < page->data->file_count; i++) {
        const report_file *file = page->data->files[i];
        html_raw(output, "<tr>");
        html_cell(output, "", file->path);
        output_text(output, "<td class='number'>%zu</td>", file->row_count);
        for (size_t k = 0; k < sizeof KEYS / sizeof *KEYS; k++) {
            char text[256];
            find_remark(file, KEYS[k], text, sizeof text);
            html_cell(output, "soft", *text == '\0' ? "not told" : text);
        }
        html_raw(output, "</tr>\n");
    }
    html_raw(output, "</table></div>\n");
}

static void write_head(output_file *output) {
    html_raw(output, "<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
                     "<meta name='viewport' content='width=device-width,initial-scale=1'>\n"
                     "<title>broadphase: the evidence</title>\n<style>\n");
    html_raw(output, HTML_STYLE);
    html_raw(output, HTML_PART_STYLE);
    html_raw(output, HTML_CHART_STYLE);
    html_raw(output,
             "</style>\n</head>\n<body>\n<main>\n<h1>broadphase: the evidence</h1>\n"
             "<p>Of all these boxes, which pairs overlap? This page shows how fast the library answers, compared "
             "with other libraries and on which machines, and whether it confirms what the literature found.</p>\n");
}

static bool write_page(output_file *output, const report_page *page, failure *why) {
    write_head(output);
    write_contents(output, page);
    if (!write_facts(output, page, why)) return false;
    write_peers(output, page);
    if (!write_sections(output, page, why)) return false;
    write_promises(output, page);
    write_missing(output, page);
    write_files(output, page);
    html_raw(output, "</main>\n</body>\n</html>\n");
    return true;
}

bool report_page_write(const report_page *page, const char *path, failure *why) {
    output_file output;
    if (!output_open(&output, path, why)) return false;
    if (write_page(&output, page, why)) return output_close(&output, why);
    output_abandon(&output);
    return false;
}
