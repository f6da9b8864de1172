// Which series a chart draws, and how they look.
#ifndef TOOL_REPORT_STYLES_H
#define TOOL_REPORT_STYLES_H

#include "report/report_chart.h"

typedef struct series_style {
    const char *colour;
    int point;        // gnuplot's number of a shape
    const char *dash; // gnuplot's "solid" or lengths
    bool main;        // ours, as it comes: a stronger line
} series_style;

// More cannot be told apart; the others are in the table below the chart.
enum { CHART_SHOWN_MAX = 7, CHART_WORST_MAX = 24 };

// Copies what the chart draws: all series where there are few; otherwise those of `shown`, or the smallest ones.
void chart_pick(const report_chart *chart, const chart_data *all, chart_data *picked);

// The same entrant has the same colour in all charts; settings of one differ by shape and dashes.
void chart_style(const chart_data *points, series_style styles[CHART_SERIES_MAX]);

#endif
