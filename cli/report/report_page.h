// The report as one HTML page that needs nothing else: no network, no scripts.
#ifndef TOOL_REPORT_PAGE_H
#define TOOL_REPORT_PAGE_H

#include "formats/stream.h"
#include "report/report_chart.h"

enum { FIGURE_ID = 96, SENTENCE = 1024 };

// A chart as it was drawn from the results of one folder.
typedef struct report_figure {
    const report_chart *chart;
    const char *folder;
    bool again; // another folder has shown this chart before
    char id[FIGURE_ID];
    char *svg;
    char sentence[SENTENCE];
} report_figure;

typedef struct report_page {
    const report_data *data;
    char **folders;
    size_t folder_count;
    const report_figure *figures;
    size_t figure_count;
} report_page;

bool report_page_write(const report_page *page, const char *path, failure *why);
// How many of the charts have no figure.
size_t report_page_missing(const report_page *page);

// Its parts. report_facts.c: how fast, beside whom, on what.
bool write_facts(output_file *output, const report_page *page, failure *why);
void write_peers(output_file *output, const report_page *page);
// report_verdicts.c: all figures of the literature, and of one chart.
bool write_verdicts(output_file *output, const report_page *page, failure *why);
bool write_chart_verdicts(output_file *output, const report_page *page, const char *chart, failure *why);
// report_picture.c: a chart's picture, and what it shows as a table.
bool write_picture(output_file *output, const report_page *page, const report_figure *figure, failure *why);

// The processor of a folder's results, in words; the folder's name where no file says it.
void machine_text(const report_data *data, const char *folder, char *text, size_t size);
// What a remark "key: value" of a file says; "" where there is none.
void find_remark(const report_file *file, const char *key, char *text, size_t size);

#endif
