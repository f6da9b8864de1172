// Rows -> the points of a chart.
#include "report/report_chart.h"

#include "formats/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct selection {
    const report_chart *chart;
    const report_data *data;
    const char *folder;
    double largest;
    char without[128]; // settings that are an axis, and thus in no label
    chart_data *points;
} selection;

static bool is_empty(const char *text) {
    return text == NULL || *text == '\0';
}

static const char *text_or_none(const char *text) {
    return text == NULL ? "" : text;
}

// ---------------------------------------------------------------------------------------------------------------------
// Which rows

static bool is_asked_for(const selection *selected, const report_row *row) {
    const report_chart *chart = selected->chart;
    if (strcmp(row->suite, chart->suite) != 0 || strcmp(row->file->folder, selected->folder) != 0) return false;
    if (chart->experiment != NULL && strcmp(row->experiment, chart->experiment) != 0) return false;
    return is_empty(chart->where) || row_fulfils(row, chart->where);
}

static void find_largest(selection *selected) {
    selected->largest = 0.0;
    if (selected->chart->largest == NULL) return;
    for (size_t i = 0; i < selected->data->row_count; i++) {
        const report_row *row = &selected->data->rows[i];
        double value;
        if (!is_asked_for(selected, row) || !row_number(row, selected->chart->largest, &value)) continue;
        if (value > selected->largest) selected->largest = value;
    }
}

static bool is_wanted(const selection *selected, const report_row *row) {
    if (!is_asked_for(selected, row)) return false;
    if (selected->chart->largest == NULL) return true;
    double value;
    return row_number(row, selected->chart->largest, &value) && value == selected->largest;
}

static bool is_same_case(const report_row *a, const report_row *b) {
    const char *n = row_cell(a, "n"), *other = row_cell(b, "n");
    return strcmp(a->suite, b->suite) == 0 && strcmp(a->file->folder, b->file->folder) == 0 &&
           strcmp(a->experiment, b->experiment) == 0 && strcmp(a->scene, b->scene) == 0 &&
           strcmp(a->who, b->who) == 0 && n != NULL && other != NULL && strcmp(n, other) == 0;
}

// Divides by the smallest of the rows beside.
static bool divide(const selection *selected, const report_row *row, const char *expression, double *value) {
    double least = 0.0;
    for (size_t i = 0; i < selected->data->row_count; i++) {
        const report_row *other = &selected->data->rows[i];
        double found;
        if (!is_same_case(row, other) || !row_fulfils(other, selected->chart->beside)) continue;
        if (row_value(other, expression, &found) && found > 0.0 && (least == 0.0 || found < least)) least = found;
    }
    *value = least > 0.0 ? *value / least : 0.0;
    return least > 0.0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Labels

static void drop_text(char *label, const char *drop) {
    char *found = is_empty(drop) ? NULL : strstr(label, drop);
    if (found == NULL) return;
    memmove(found, found + strlen(drop), strlen(found + strlen(drop)) + 1);
}

static bool is_plain(const char *name) {
    static const char *const PLAIN[] = {"scene", "method",     "who",  "name",  "head",
                                        "tail",  "experiment", "kind", "whose", "library"};
    for (size_t i = 0; i < sizeof PLAIN / sizeof *PLAIN; i++) {
        if (strcmp(name, PLAIN[i]) == 0) return true;
    }
    return false;
}

// The values of some properties, side by side: "octree", "uniform n = 10,000".
static void make_label(const selection *selected, const report_row *row, const char *names, char label[REPORT_TEXT]) {
    label[0] = '\0';
    for (const char *word = names; *word != '\0'; word += strspn(word, " ")) {
        char name[32], text[REPORT_TEXT], figure[FIGURE_TEXT];
        size_t length = strcspn(word, " "), used = strlen(label);
        snprintf(name, sizeof name, "%.*s", (int)length, word);
        word += length;
        row_text(row, name, selected->without, text);
        const char *space = used == 0 ? "" : " ";
        double number;
        if (is_plain(name) || *text == '\0') {
            snprintf(label + used, REPORT_TEXT - used, "%s%s", *text == '\0' ? "" : space, text);
        } else if (row_number(row, name, &number)) {
            snprintf(label + used, REPORT_TEXT - used, "%s%.*s = %s", space, (int)strcspn(name, "="), name,
                     figure_text(figure, number));
        } else {
            snprintf(label + used, REPORT_TEXT - used, "%s%s", space, text);
        }
    }
    drop_text(label, selected->chart->drop);
}

// ---------------------------------------------------------------------------------------------------------------------
// Points

static bool fail_full(const selection *selected, const char *what, size_t maximum, failure *why) {
    return failure_set(why, STATUS_FAILED, "%s: chart %s: more than %zu %s; give fewer files", selected->folder,
                       text_or_none(selected->chart->id), maximum, what);
}

static bool find_series(selection *selected, const char *label, chart_series **series, failure *why) {
    chart_data *points = selected->points;
    for (size_t i = 0; i < points->series_count; i++) {
        *series = &points->series[i];
        if (strcmp((*series)->label, label) == 0) return true;
    }
    if (points->series_count == CHART_SERIES_MAX) return fail_full(selected, "series", CHART_SERIES_MAX, why);
    *series = &points->series[points->series_count++];
    (*series)->count = 0;
    snprintf((*series)->label, REPORT_TEXT, "%s", label);
    return true;
}

static bool find_category(selection *selected, const char *label, double *index, failure *why) {
    chart_data *points = selected->points;
    size_t i = 0;
    while (i < points->category_count && strcmp(points->categories[i], label) != 0) i++;
    *index = (double)i;
    if (i < points->category_count) return true;
    if (i == CHART_CATEGORY_MAX) return fail_full(selected, "categories", CHART_CATEGORY_MAX, why);
    snprintf(points->categories[points->category_count++], REPORT_TEXT, "%s", label);
    return true;
}

// The place of a row along x: false where the row has none.
static bool place(selection *selected, const report_row *row, double *x, bool *good, failure *why) {
    const report_chart *chart = selected->chart;
    *good = true;
    if (chart->kind == CHART_LINES) {
        return row_number(row, chart->x, x) && (*x > 0.0 || (chart->flags & CHART_LOG_X) == 0);
    }
    char label[REPORT_TEXT];
    make_label(selected, row, chart->x, label);
    if (*label == '\0') return false;
    *good = find_category(selected, label, x, why);
    return *good;
}

static bool add_point(selection *selected, const char *label, double x, double y, failure *why) {
    chart_series *series;
    if (!find_series(selected, label, &series, why)) return false;
    if (series->count == CHART_POINT_MAX) return fail_full(selected, "points", CHART_POINT_MAX, why);
    series->points[series->count++] = (chart_point){x, y};
    return true;
}

// One of the values of y: "total_ms", "label:total_ms" or "=label:total_ms".
static bool add_value(selection *selected, const report_row *row, const char *part, size_t length, failure *why) {
    char text[128], label[REPORT_TEXT + sizeof text];
    snprintf(text, sizeof text, "%.*s", (int)length, part);
    char *colon = strchr(text, ':');
    const char *expression = colon == NULL ? text : colon + 1;
    double x, y;
    bool good;
    if (!row_value(row, expression, &y)) return true;
    if (selected->chart->beside != NULL && !divide(selected, row, expression, &y)) return true;
    unsigned log = selected->chart->kind == CHART_LINES ? CHART_LOG_Y : CHART_LOG_X;
    if ((selected->chart->flags & log) != 0 && y <= 0.0) return true;
    if (!place(selected, row, &x, &good, why)) return good;
    make_label(selected, row, text_or_none(selected->chart->series), label);
    if (colon != NULL) {
        const bool alone = text[0] == '=';
        size_t used = alone ? 0 : strlen(label);
        *colon = '\0';
        snprintf(label + used, sizeof label - used, "%s%s", used == 0 ? "" : " ", text + alone);
    }
    return add_point(selected, label, x, y, why);
}

static bool add_row(selection *selected, const report_row *row, failure *why) {
    for (const char *part = selected->chart->y; *part != '\0';) {
        size_t length = strcspn(part, ",");
        if (!add_value(selected, row, part, length, why)) return false;
        part += length + (part[length] == ',');
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Printed numbers

// "x=y", where a category may have a '=' of its own.
static bool add_printed_point(selection *selected, const char *label, char *part, failure *why) {
    char *equals = strrchr(part, '=');
    double x, y;
    if (equals == NULL || !number_parse_double(equals + 1, &y)) {
        return failure_set(why, STATUS_FAILED, "chart %s: expected a printed number x=y, found '%s'",
                           text_or_none(selected->chart->id), part);
    }
    *equals = '\0';
    if (selected->chart->kind != CHART_LINES) {
        if (!find_category(selected, part, &x, why)) return false;
    } else if (!number_parse_double(part, &x)) {
        return failure_set(why, STATUS_FAILED, "chart %s: expected a number, found '%s'",
                           text_or_none(selected->chart->id), part);
    }
    return add_point(selected, label, x, y, why);
}

// "LABEL|x=y|x=y", `length` characters.
static bool add_printed_series(selection *selected, const char *text, size_t length, failure *why) {
    char copy[512];
    snprintf(copy, sizeof copy, "%.*s", (int)length, text);
    char *next = strchr(copy, '|');
    while (next != NULL) {
        *next = '\0';
        char *part = next + 1;
        next = strchr(part, '|');
        if (next != NULL) *next = '\0';
        if (!add_printed_point(selected, copy, part, why)) return false;
    }
    return true;
}

static bool add_printed(selection *selected, failure *why) {
    for (const char *text = text_or_none(selected->chart->printed); *text != '\0';) {
        const size_t length = strcspn(text, ";");
        if (!add_printed_series(selected, text, length, why)) return false;
        text += length + (text[length] == ';');
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Order

static int by_x(const void *left, const void *right) {
    const chart_point *a = left, *b = right;
    return (a->x > b->x) - (a->x < b->x);
}

typedef struct ranked_category {
    double rank;
    size_t index;
} ranked_category;

static int by_rank(const void *left, const void *right) {
    const ranked_category *a = left, *b = right;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

// By the smallest value, or, with sign -1, by the largest one, which then comes first.
static void rank_categories(const chart_data *points, double sign, ranked_category *ranks) {
    for (size_t i = 0; i < points->category_count; i++) ranks[i] = (ranked_category){1e300, i};
    for (size_t i = 0; i < points->series_count; i++) {
        const chart_series *series = &points->series[i];
        for (size_t k = 0; k < series->count; k++) {
            ranked_category *rank = &ranks[(size_t)series->points[k].x];
            if (sign * series->points[k].y < rank->rank) rank->rank = sign * series->points[k].y;
        }
    }
    qsort(ranks, points->category_count, sizeof *ranks, by_rank);
}

static bool sort_categories(chart_data *points, double sign, failure *why) {
    ranked_category ranks[CHART_CATEGORY_MAX];
    size_t new_index[CHART_CATEGORY_MAX];
    char(*names)[REPORT_TEXT] = malloc(sizeof points->categories);
    if (names == NULL) return failure_memory(why);
    memcpy(names, points->categories, sizeof points->categories);
    rank_categories(points, sign, ranks);
    for (size_t i = 0; i < points->category_count; i++) {
        new_index[ranks[i].index] = i;
        memcpy(points->categories[i], names[ranks[i].index], REPORT_TEXT);
    }
    free(names);
    for (size_t i = 0; i < points->series_count; i++) {
        chart_series *series = &points->series[i];
        for (size_t k = 0; k < series->count; k++) series->points[k].x = (double)new_index[(size_t)series->points[k].x];
    }
    return true;
}

bool chart_select(const report_chart *chart, const report_data *data, const char *folder, chart_data *points,
                  failure *why) {
    selection selected = {.chart = chart, .data = data, .folder = folder, .points = points};
    snprintf(selected.without, sizeof selected.without, "%s %s %s", chart->x, text_or_none(chart->series),
             text_or_none(chart->strip));
    points->series_count = points->category_count = 0;
    find_largest(&selected);
    for (size_t i = 0; i < data->row_count; i++) {
        if (is_wanted(&selected, &data->rows[i]) && !add_row(&selected, &data->rows[i], why)) return false;
    }
    if (points->series_count > 0 && !add_printed(&selected, why)) return false;
    const bool worst_first = (chart->flags & CHART_WORST) != 0;
    if ((worst_first || (chart->flags & CHART_SORT) != 0) && !sort_categories(points, worst_first ? -1.0 : 1.0, why)) {
        return false;
    }
    for (size_t i = 0; i < points->series_count; i++) {
        qsort(points->series[i].points, points->series[i].count, sizeof *points->series[i].points, by_x);
    }
    return true;
}
