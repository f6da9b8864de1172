// The sentences of the report: figures in braces are computed from the points of the chart.
//
//     {exponent|S}    the slope of a series S on logarithmic axes, by least squares
//     {ratio|A|B}     A / B at every x that both have: "2.1 to 3.4"
//     {last-ratio|A|B}  the same at the largest such x
//     {range|S}       the values of a series: "1.2 to 4.5"
//     {first|S} {last|S}  its value at the smallest and the largest x
//     {growth|S}      last / first
//     {high|S} {low|S}    its largest and smallest value
//     {high-at|S}     the category (or x) of the largest value
//     {margin|C}      within each series, the smallest value of other categories / that of category C
//     {beside|C}      within each series, the value of category C / the smallest of all
//     {count}         the number of points
//
// S without a name means all series together; a '*' at its end stands for anything, and the first series that fits is
// taken. What cannot be computed reads "(not measured)".
#include "report/report_chart.h"

#include "formats/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char NOT_MEASURED[] = "(not measured)";

// ---------------------------------------------------------------------------------------------------------------------
// Numbers as text

static const char *superscript(char text[FIGURE_TEXT], int exponent) {
    static const char *const DIGITS[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char plain[16];
    snprintf(plain, sizeof plain, "%d", exponent);
    text[0] = '\0';
    for (const char *digit = plain; *digit != '\0'; digit++) {
        size_t used = strlen(text);
        snprintf(text + used, FIGURE_TEXT - used, "%s", *digit == '-' ? "⁻" : DIGITS[*digit - '0']);
    }
    return text;
}

const char *figure_text(char text[FIGURE_TEXT], double value) {
    double size = fabs(value);
    if (size != 0.0 && (size < 0.001 || size >= 1e6)) {
        int exponent = (int)floor(log10(size) + 1e-9);
        char power[FIGURE_TEXT];
        double leading = value / pow(10.0, exponent);
        superscript(power, exponent);
        if (fabs(leading - 1.0) < 0.005) {
            snprintf(text, FIGURE_TEXT, "10%s", power);
        } else {
            snprintf(text, FIGURE_TEXT, "%.3g·10%s", leading, power);
        }
    } else if (size >= 1000.0) {
        char grouped[NUMBER_LENGTH_MAX];
        snprintf(text, FIGURE_TEXT, "%s%s", value < 0.0 ? "-" : "", number_grouped(grouped, (uint64_t)llround(size)));
    } else {
        snprintf(text, FIGURE_TEXT, "%.*f",
                 size >= 100.0  ? 0
                 : size >= 10.0 ? 1
                 : size >= 1.0  ? 2
                 : size >= 0.01 ? 3
                                : 4,
                 value);
        if (strchr(text, '.') != NULL) { // no zeros at the end: 2, not 2.00
            size_t length = strlen(text);
            while (text[length - 1] == '0') text[--length] = '\0';
            if (text[length - 1] == '.') text[--length] = '\0';
        }
    }
    return text;
}

typedef struct value_range {
    double low, high;
    size_t count;
} value_range;

static void widen(value_range *range, double value) {
    if (range->count == 0 || value < range->low) range->low = value;
    if (range->count == 0 || value > range->high) range->high = value;
    range->count++;
}

static void write_range(const value_range *range, char *text, size_t size) {
    char low[FIGURE_TEXT], high[FIGURE_TEXT];
    if (range->count == 0) {
        snprintf(text, size, "%s", NOT_MEASURED);
        return;
    }
    figure_text(low, range->low);
    figure_text(high, range->high);
    if (strcmp(low, high) == 0) {
        snprintf(text, size, "%s", low);
    } else {
        snprintf(text, size, "%s to %s", low, high);
    }
}

static void write_value(double value, char *text, size_t size) {
    const value_range alone = {value, value, 1};
    write_range(&alone, text, size);
}

// ---------------------------------------------------------------------------------------------------------------------
// Series

static bool fits(const char *label, const char *name) {
    size_t length = strlen(name);
    if (length > 0 && name[length - 1] == '*') return strncmp(label, name, length - 1) == 0;
    return strcmp(label, name) == 0;
}

static const chart_series *find_series(const chart_data *points, const char *name) {
    for (size_t i = 0; i < points->series_count; i++) {
        if (fits(points->series[i].label, name) && points->series[i].count > 0) return &points->series[i];
    }
    return NULL;
}

static bool belongs(const chart_data *points, size_t index, const char *name) {
    return *name == '\0' || &points->series[index] == find_series(points, name);
}

static value_range range_of(const chart_data *points, const char *name, chart_point *highest) {
    value_range range = {0};
    *highest = (chart_point){0};
    for (size_t i = 0; i < points->series_count; i++) {
        const chart_series *series = &points->series[i];
        for (size_t k = 0; belongs(points, i, name) && k < series->count; k++) {
            widen(&range, series->points[k].y);
            if (range.high == series->points[k].y) *highest = series->points[k];
        }
    }
    return range;
}

static value_range ratios_of(const chart_data *points, const char *top, const char *bottom, double *last) {
    value_range range = {0};
    const chart_series *a = find_series(points, top), *b = find_series(points, bottom);
    for (size_t i = 0; a != NULL && i < a->count; i++) {
        for (size_t k = 0; b != NULL && k < b->count; k++) {
            if (a->points[i].x != b->points[k].x || b->points[k].y <= 0.0) continue;
            *last = a->points[i].y / b->points[k].y;
            widen(&range, *last);
        }
    }
    return range;
}

static bool exponent_of(const chart_series *series, double *slope) {
    double sum_x = 0.0, sum_y = 0.0, sum_xx = 0.0, sum_xy = 0.0, count = 0.0;
    for (size_t i = 0; series != NULL && i < series->count; i++) {
        if (series->points[i].x <= 0.0 || series->points[i].y <= 0.0) continue;
        double x = log(series->points[i].x), y = log(series->points[i].y);
        sum_x += x;
        sum_y += y;
        sum_xx += x * x;
        sum_xy += x * y;
        count += 1.0;
    }
    double width = count * sum_xx - sum_x * sum_x;
    if (count < 2.0 || width <= 0.0) return false;
    *slope = (count * sum_xy - sum_x * sum_y) / width;
    return true;
}

// Within each series: what others need beside category C, or what it needs beside the best of all.
static value_range margins_of(const chart_data *points, const char *category, bool beside_best) {
    value_range range = {0};
    for (size_t i = 0; i < points->series_count; i++) {
        value_range own = {0}, others = {0};
        for (size_t k = 0; k < points->series[i].count; k++) {
            const chart_point *point = &points->series[i].points[k];
            widen(fits(points->categories[(size_t)point->x], category) ? &own : &others, point->y);
        }
        if (own.count == 0 || others.count == 0) continue;
        widen(&range, beside_best ? own.low / fmin(own.low, others.low) : others.low / own.low);
    }
    return range;
}

// ---------------------------------------------------------------------------------------------------------------------
// Figures

typedef struct figure_call {
    const chart_data *points;
    const char *first, *second; // "" where not given
    char *text;
    size_t size;
} figure_call;

static void figure_exponent(const figure_call *call) {
    double slope;
    if (exponent_of(find_series(call->points, call->first), &slope)) {
        snprintf(call->text, call->size, "%.2f", slope);
    }
}

static void figure_ratio(const figure_call *call) {
    double last = 0.0;
    value_range range = ratios_of(call->points, call->first, call->second, &last);
    write_range(&range, call->text, call->size);
}

static void figure_last_ratio(const figure_call *call) {
    double last = 0.0;
    if (ratios_of(call->points, call->first, call->second, &last).count > 0) write_value(last, call->text, call->size);
}

static void figure_range(const figure_call *call) {
    chart_point highest;
    value_range range = range_of(call->points, call->first, &highest);
    write_range(&range, call->text, call->size);
}

static void figure_high(const figure_call *call) {
    chart_point highest;
    value_range range = range_of(call->points, call->first, &highest);
    if (range.count > 0) write_value(range.high, call->text, call->size);
}

static void figure_low(const figure_call *call) {
    chart_point highest;
    value_range range = range_of(call->points, call->first, &highest);
    if (range.count > 0) write_value(range.low, call->text, call->size);
}

static void figure_high_at(const figure_call *call) {
    chart_point highest;
    if (range_of(call->points, call->first, &highest).count == 0) return;
    if (call->points->category_count > 0) {
        snprintf(call->text, call->size, "%s", call->points->categories[(size_t)highest.x]);
    } else {
        write_value(highest.x, call->text, call->size);
    }
}

static void figure_first(const figure_call *call) {
    const chart_series *series = find_series(call->points, call->first);
    if (series != NULL) write_value(series->points[0].y, call->text, call->size);
}

static void figure_last(const figure_call *call) {
    const chart_series *series = find_series(call->points, call->first);
    if (series != NULL) write_value(series->points[series->count - 1].y, call->text, call->size);
}

static void figure_growth(const figure_call *call) {
    const chart_series *series = find_series(call->points, call->first);
    if (series == NULL || series->count < 2 || series->points[0].y <= 0.0) return;
    write_value(series->points[series->count - 1].y / series->points[0].y, call->text, call->size);
}

static void figure_margin(const figure_call *call) {
    value_range range = margins_of(call->points, call->first, false);
    write_range(&range, call->text, call->size);
}

static void figure_beside(const figure_call *call) {
    value_range range = margins_of(call->points, call->first, true);
    write_range(&range, call->text, call->size);
}

static void figure_count(const figure_call *call) {
    size_t count = 0;
    for (size_t i = 0; i < call->points->series_count; i++) count += call->points->series[i].count;
    snprintf(call->text, call->size, "%zu", count);
}

static const struct {
    const char *name;
    void (*write)(const figure_call *call);
} FIGURES[] = {
    {"exponent", figure_exponent}, {"ratio", figure_ratio},   {"last-ratio", figure_last_ratio},
    {"range", figure_range},       {"first", figure_first},   {"last", figure_last},
    {"growth", figure_growth},     {"high", figure_high},     {"low", figure_low},
    {"high-at", figure_high_at},   {"margin", figure_margin}, {"beside", figure_beside},
    {"count", figure_count},
};

// "name|first|second", `length` characters.
static void write_figure(const chart_data *points, const char *words, size_t length, char *text, size_t size) {
    char copy[192];
    snprintf(copy, sizeof copy, "%.*s", (int)length, words);
    char *parts[3] = {copy, NULL, NULL};
    for (size_t i = 1; i < 3; i++) {
        parts[i] = parts[i - 1] + strcspn(parts[i - 1], "|");
        if (*parts[i] == '|') *parts[i]++ = '\0';
    }
    snprintf(text, size, "%s", NOT_MEASURED);
    const figure_call call = {points, parts[1], parts[2], text, size};
    for (size_t i = 0; i < sizeof FIGURES / sizeof *FIGURES; i++) {
        if (strcmp(FIGURES[i].name, copy) == 0) FIGURES[i].write(&call);
    }
}

void chart_tell(const chart_data *points, const char *text, char *sentence, size_t size) {
    size_t used = 0;
    sentence[0] = '\0';
    while (*text != '\0' && used + 1 < size) {
        size_t plain = strcspn(text, "{");
        snprintf(sentence + used, size - used, "%.*s", (int)plain, text);
        used = strlen(sentence);
        text += plain;
        if (*text == '\0') break;
        size_t length = strcspn(text, "}");
        write_figure(points, text + 1, length - 1, sentence + used, size - used);
        used = strlen(sentence);
        text += length + (text[length] == '}');
    }
}
