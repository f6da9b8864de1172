// Charts: their definitions (charts/, in the sections of report_charts.c), points, pictures, and sentences.
//
//     rows --report_select--> points --report_gnuplot--> SVG
//                                  \--report_figures--> "grows as n^1.04"
#ifndef TOOL_REPORT_CHART_H
#define TOOL_REPORT_CHART_H

#include "report/report_data.h"

typedef enum chart_kind {
    CHART_LINES, // y over a number x, a line for each series
    CHART_DOTS,  // a row for each category, from the top, and in it a dot for each series at its y
    CHART_STACKS // a column for each category, the series on top of each other
} chart_kind;

enum {
    CHART_LOG_X = 1, // of the axis with numbers, where there is only one
    CHART_LOG_Y = 2,
    CHART_SORT = 4,    // categories by their smallest value, instead of as they come
    CHART_WHOLE_X = 8, // x has whole numbers only
    CHART_WORST = 16,  // categories by their largest value, the largest first; only the first of many are drawn
};
#define CHART_LOG (CHART_LOG_X | CHART_LOG_Y)

// A chart. Conditions, values and properties as in report_data.h; a row is in the chart if all of x, y and series are
// there.
typedef struct report_chart {
    const char *id; // of the file, and of the place in the page
    const char *suite;
    const char *experiment; // NULL: any
    chart_kind kind;
    unsigned flags;
    const char *where;   // NULL: all rows
    const char *largest; // of the rows that are left, only those where this quantity is largest; NULL: all
    const char *x;       // a quantity; with categories, properties separated by spaces
    const char *y; // a value, or several: "update:update_ms,=limit:1", each a series of its own; '=': whichever row
    const char *beside; // y is divided by the smallest y of these rows of the same scene, n and who; NULL: it is not
    const char *series; // properties, separated by spaces; "" or NULL: one series
    const char *strip;  // settings that are taken out of the labels, beside those of x and series; NULL: none
    const char *drop;   // text that is; NULL: nothing
    // Numbers that a work prints, as series of their own beside the rows: "LABEL|x=y|x=y;LABEL|x=y", in the chart's
    // units, x a number or a category; NULL: none.
    const char *printed;
    const char *shown;   // of more than seven series, those that are drawn, as "a|b*"; NULL: the smallest
    const char *machine; // the folder of bench/results that is shown first; NULL: the one with the most points
    double mark;         // a line at this y; 0: none
    const char *x_label, *y_label;
    const char *title;
    const char *shows; // a sentence with figures, see report_figures.c
    const char *paper; // what a paper found, and where; NULL: nothing
} report_chart;

// A part of the page.
typedef struct report_section {
    const char *id; // of the place in the page
    const char *title, *text;
    const report_chart *charts;
    size_t chart_count;
} report_section;

extern const report_section *const REPORT_SECTIONS[];
extern const size_t REPORT_SECTION_COUNT;
extern const size_t REPORT_LITERATURE; // from this section on they repeat the experiments of works

enum { CHART_SERIES_MAX = 32, CHART_CATEGORY_MAX = 96, CHART_POINT_MAX = 512 };

typedef struct chart_point {
    double x; // or the index of the category
    double y;
} chart_point;

typedef struct chart_series {
    char label[REPORT_TEXT];
    chart_point points[CHART_POINT_MAX]; // ascending x
    size_t count;
} chart_series;

typedef struct chart_data {
    chart_series series[CHART_SERIES_MAX];
    size_t series_count;
    char categories[CHART_CATEGORY_MAX][REPORT_TEXT];
    size_t category_count;
} chart_data;

// Collects a chart's points from the rows of one folder. No points at all is no failure.
bool chart_select(const report_chart *chart, const report_data *data, const char *folder, chart_data *points,
                  failure *why);

// Runs gnuplot; `work` is a folder for its files. *svg is an <svg> element, to be freed.
bool chart_draw(const report_chart *chart, const chart_data *points, const char *id, const char *work, char **svg,
                failure *why);

// A number with three digits, as 12,300 or 1.14·10⁹. Returns `text`.
enum { FIGURE_TEXT = 48 };
const char *figure_text(char text[FIGURE_TEXT], double value);

#endif
