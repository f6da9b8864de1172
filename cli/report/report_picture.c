// A picture with its legend and its points as a table: for those who want the numbers, and for the series that are not
// drawn.
#include "report/report_page.h"

#include "report/report_html.h"
#include "report/report_styles.h"

#include <stdio.h>
#include <stdlib.h>

// ---------------------------------------------------------------------------------------------------------------------
// The numbers

static int by_value(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

// All different x, ascending; the numbers of categories are their x.
static size_t list_x(const chart_data *points, double *values) {
    size_t count = 0, different = 0;
    for (size_t i = 0; i < points->series_count; i++) {
        for (size_t k = 0; k < points->series[i].count; k++) values[count++] = points->series[i].points[k].x;
    }
    qsort(values, count, sizeof *values, by_value);
    for (size_t i = 0; i < count; i++) {
        if (different == 0 || values[different - 1] != values[i]) values[different++] = values[i];
    }
    return different;
}

static void write_value(output_file *output, const chart_series *series, double x) {
    char figure[FIGURE_TEXT];
    for (size_t i = 0; i < series->count; i++) {
        if (series->points[i].x != x) continue;
        html_cell(output, "number", figure_text(figure, series->points[i].y));
        return;
    }
    html_raw(output, "<td></td>");
}

static void write_x(output_file *output, const chart_data *points, double x) {
    char figure[FIGURE_TEXT];
    html_element(output, "th", "", points->category_count > 0 ? points->categories[(size_t)x] : figure_text(figure, x));
}

static void write_table(output_file *output, const report_chart *chart, const chart_data *points, const double *x,
                        size_t x_count) {
    html_raw(output, "<div class='wide'><table><tr>");
    html_element(output, "th", "", chart->kind == CHART_LINES ? chart->x_label : "");
    for (size_t i = 0; i < points->series_count; i++) {
        html_element(output, "th", "number", points->series_count > 1 ? points->series[i].label : chart->y_label);
    }
    html_raw(output, "</tr>\n");
    for (size_t k = 0; k < x_count; k++) {
        html_raw(output, "<tr>");
        write_x(output, points, x[k]);
        for (size_t i = 0; i < points->series_count; i++) write_value(output, &points->series[i], x[k]);
        html_raw(output, "</tr>\n");
    }
    html_raw(output, "</table></div>\n");
}

static bool write_numbers(output_file *output, const report_chart *chart, const chart_data *points, failure *why) {
    double *x = malloc(sizeof(double) * CHART_SERIES_MAX * CHART_POINT_MAX);
    if (x == NULL) return failure_memory(why);
    output_text(output, "<details><summary>The numbers%s</summary>\n",
                points->series_count > CHART_SHOWN_MAX && chart->kind != CHART_STACKS ? ", of all that were measured"
                                                                                      : "");
    html_element(output, "p", "soft", chart->y_label);
    write_table(output, chart, points, x, list_x(points, x));
    html_raw(output, "</details>\n");
    free(x);
    return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// The picture

// The shapes of gnuplot as letters.
static const char *shape_text(int point) {
    static const char *const SHAPES[] = {"+", "+", "×", "∗", "□", "■", "○", "●",
                                         "△", "▲", "▽", "▼", "◇", "◆", "⬠", "⬟"};
    return SHAPES[point];
}

// Below the picture on narrow screens, where the names beside the lines are out of sight.
static bool write_legend(output_file *output, const report_chart *chart, const chart_data *points, failure *why) {
    chart_data *picked = malloc(sizeof *picked);
    if (picked == NULL) return failure_memory(why);
    chart_pick(chart, points, picked);
    series_style styles[CHART_SERIES_MAX];
    chart_style(picked, styles);
    if (picked->series_count > 1 && chart->kind != CHART_STACKS) {
        html_raw(output, "<p class='legend'>");
        for (size_t i = 0; i < picked->series_count; i++) {
            output_text(output, "<span><i style='color:%s'>%s</i> ", styles[i].colour, shape_text(styles[i].point));
            html_text(output, picked->series[i].label);
            html_raw(output, "</span>");
        }
        html_raw(output, "</p>\n");
    }
    free(picked);
    return true;
}

static bool write_points(output_file *output, const report_figure *figure, const chart_data *points, failure *why) {
    html_raw(output, "<div class='chart'>\n");
    html_raw(output, figure->svg);
    html_raw(output, "</div>\n");
    return write_legend(output, figure->chart, points, why) && write_numbers(output, figure->chart, points, why);
}

bool write_picture(output_file *output, const report_page *page, const report_figure *figure, failure *why) {
    chart_data *points = malloc(sizeof *points);
    if (points == NULL) return failure_memory(why);
    const bool good = chart_select(figure->chart, page->data, figure->folder, points, why) &&
                      write_points(output, figure, points, why);
    free(points);
    return good;
}
