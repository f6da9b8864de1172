// The report as one HTML page that needs nothing else: no network, no scripts.
#ifndef TOOL_REPORT_PAGE_H
#define TOOL_REPORT_PAGE_H

#include "report/report_chart.h"

enum { FIGURE_ID = 96, SENTENCE = 1024 };

// A chart as it was drawn from the results of one folder.
typedef struct report_figure {
    const report_chart *chart;
    const char *folder; // the last part of its path: the machine
    char id[FIGURE_ID];
    char *svg;
    char sentence[SENTENCE];
} report_figure;

typedef struct report_page {
    const report_data *data;
    const report_figure *figures;
    size_t figure_count;
} report_page;

// The style of the charts alone, for files of them.
extern const char REPORT_CHART_STYLE[];

bool report_page_write(const report_page *page, const char *path, failure *why);
// How many of the charts have no figure.
size_t report_page_missing(const report_page *page);

#endif
