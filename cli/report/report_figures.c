// Figures: what a sentence of the report and the predicate of a claim say about the points of a chart.
//
// In a sentence a figure stands in braces, {exponent|octree}, and is written as text; a predicate compares its numbers.
// Each is a range of numbers, often of one only:
//
//     {exponent|S}       the slope of a series S on logarithmic axes, by least squares
//     {exponent|S|A|B}   the same where x is from A to B
//     {ratio|A|B}        A / B at every x that both have: "2.1 to 3.4"
//     {ratio|A|B|X}      the same at this x only
//     {last-ratio|A|B}   the same at the largest such x
//     {mean-ratio|A|B}   the geometric mean of all of them
//     {mean|S}           the geometric mean of the values of a series
//     {range|S}          the values of a series: "1.2 to 4.5"
//     {at|S|X}           its value at this x
//     {first|S} {last|S}   its value at the smallest and the largest x
//     {growth|S}         last / first
//     {times|S|F}        its value at F times x / its value at x, wherever it has both: what F times as many objects cost
//     {high|S} {low|S}   its largest and smallest value
//     {high-at|S} {low-at|S}   the category (or x) of these
//     {spread|S}         largest / smallest
//     {rises|S} {falls|S}   the share of its steps in which it rises or falls: 1 where all do
//     {place|S}          its place among all series at its largest x, the smallest being 1
//     {place|S|X}        the same at this x
//     {cross|A|B}        the smallest x from which on A is never below B again; missing where there is none
//     {margin|C}         within each series, the smallest value of other categories / that of category C
//     {margin|C|D|E}     the same without the categories D and E
//     {beside|C}         within each series, the value of category C / the smallest of all
//     {count}            the number of points
//
// S without a name means all series together, where one is not asked for; a '*' at its end stands for anything, and the
// first series that fits is taken. X is a number, or a category, which may end in '*' too. Where there are several
// selections of points, a number in front says which: {2:exponent|S}. What cannot be computed reads "(not measured)".
#include "report/report_figures.h"

#include "formats/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

static void widen(figure_range *range, double value) {
    if (range->count == 0 || value < range->low) range->low = value;
    if (range->count == 0 || value > range->high) range->high = value;
    range->count++;
}

static figure_range single(double value) {
    return (figure_range){value, value, 1};
}

static void write_range(const figure_range *range, char *text, size_t size) {
    char low[FIGURE_TEXT], high[FIGURE_TEXT];
    figure_text(low, range->low);
    figure_text(high, range->high);
    if (strcmp(low, high) == 0) {
        snprintf(text, size, "%s", low);
    } else {
        snprintf(text, size, "%s to %s", low, high);
    }
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

// Whether a point is at X: everywhere, where X is "".
static bool is_at(const chart_data *points, const chart_point *point, const char *x) {
    if (*x == '\0') return true;
    if (points->category_count > 0) return fits(points->categories[(size_t)point->x], x);
    return fabs(point->x - strtod(x, NULL)) <= 1e-9 * fabs(point->x);
}

// The values of a series, and where its ends are.
typedef struct series_range {
    figure_range values;
    double low_at, high_at;
} series_range;

static series_range range_of(const chart_data *points, const char *name, const char *x) {
    series_range range = {0};
    for (size_t i = 0; i < points->series_count; i++) {
        const chart_series *series = &points->series[i];
        for (size_t k = 0; belongs(points, i, name) && k < series->count; k++) {
            if (!is_at(points, &series->points[k], x)) continue;
            widen(&range.values, series->points[k].y);
            if (range.values.high == series->points[k].y) range.high_at = series->points[k].x;
            if (range.values.low == series->points[k].y) range.low_at = series->points[k].x;
        }
    }
    return range;
}

static figure_range mean_of(const chart_data *points, const char *name) {
    double log_sum = 0.0;
    size_t count = 0;
    for (size_t i = 0; i < points->series_count; i++) {
        const chart_series *series = &points->series[i];
        for (size_t k = 0; belongs(points, i, name) && k < series->count; k++, count++) {
            if (series->points[k].y <= 0.0) return (figure_range){0};
            log_sum += log(series->points[k].y);
        }
    }
    return count > 0 ? single(exp(log_sum / (double)count)) : (figure_range){0};
}

// The ratios of two series wherever both have a point.
typedef struct series_ratios {
    figure_range values;
    double last, log_sum;
} series_ratios;

static series_ratios ratios_of(const chart_data *points, const char *top, const char *bottom, const char *x) {
    series_ratios ratios = {0};
    const chart_series *a = find_series(points, top), *b = find_series(points, bottom);
    for (size_t i = 0; a != NULL && i < a->count; i++) {
        for (size_t k = 0; b != NULL && k < b->count; k++) {
            if (a->points[i].x != b->points[k].x || b->points[k].y <= 0.0) continue;
            if (!is_at(points, &a->points[i], x)) continue;
            ratios.last = a->points[i].y / b->points[k].y;
            ratios.log_sum += log(ratios.last);
            widen(&ratios.values, ratios.last);
        }
    }
    return ratios;
}

static figure_range exponent_of(const chart_series *series, double from, double to) {
    double sum_x = 0.0, sum_y = 0.0, sum_xx = 0.0, sum_xy = 0.0, count = 0.0;
    for (size_t i = 0; series != NULL && i < series->count; i++) {
        const chart_point *point = &series->points[i];
        if (point->x <= 0.0 || point->y <= 0.0 || point->x < from || point->x > to) continue;
        double x = log(point->x), y = log(point->y);
        sum_x += x;
        sum_y += y;
        sum_xx += x * x;
        sum_xy += x * y;
        count += 1.0;
    }
    double width = count * sum_xx - sum_x * sum_x;
    if (count < 2.0 || width <= 0.0) return (figure_range){0};
    return single((count * sum_xy - sum_x * sum_y) / width);
}

// Within each series: what others, but those of `without`, need beside category C, or what it needs beside the best of all.
static figure_range margins_of(const chart_data *points, const char *category, const char *const without[2],
                               bool beside_best) {
    figure_range range = {0};
    for (size_t i = 0; i < points->series_count; i++) {
        figure_range own = {0}, others = {0};
        for (size_t k = 0; k < points->series[i].count; k++) {
            const chart_point *point = &points->series[i].points[k];
            const char *label = points->categories[(size_t)point->x];
            if (fits(label, without[0]) || fits(label, without[1])) continue;
            widen(fits(label, category) ? &own : &others, point->y);
        }
        if (own.count == 0 || others.count == 0) continue;
        widen(&range, beside_best ? own.low / fmin(own.low, others.low) : others.low / own.low);
    }
    return range;
}

// The share of steps from one point to the next that go up (sign 1) or down (-1).
static figure_range steps_of(const chart_series *series, double sign) {
    if (series == NULL || series->count < 2) return (figure_range){0};
    size_t count = 0;
    for (size_t i = 1; i < series->count; i++) count += sign * (series->points[i].y - series->points[i - 1].y) > 0.0;
    return single((double)count / (double)(series->count - 1));
}

static figure_range times_of(const chart_series *series, double factor) {
    figure_range range = {0};
    for (size_t i = 0; series != NULL && i < series->count; i++) {
        for (size_t k = 0; k < series->count; k++) {
            const chart_point *low = &series->points[i], *high = &series->points[k];
            if (low->y > 0.0 && fabs(high->x - factor * low->x) <= 1e-9 * high->x) widen(&range, high->y / low->y);
        }
    }
    return range;
}

static figure_range place_of(const chart_data *points, const chart_series *series, const char *x) {
    const chart_point *own = NULL;
    for (size_t i = 0; series != NULL && i < series->count; i++) {
        if (is_at(points, &series->points[i], x)) own = &series->points[i];
    }
    if (own == NULL) return (figure_range){0};
    double place = 1.0;
    for (size_t i = 0; i < points->series_count; i++) {
        for (size_t k = 0; k < points->series[i].count; k++) {
            const chart_point *other = &points->series[i].points[k];
            place += other->x == own->x && other->y < own->y;
        }
    }
    return single(place);
}

static figure_range cross_of(const chart_series *a, const chart_series *b) {
    figure_range from = {0};
    for (size_t i = 0; a != NULL && i < a->count; i++) {
        for (size_t k = 0; b != NULL && k < b->count; k++) {
            if (a->points[i].x != b->points[k].x) continue;
            if (a->points[i].y < b->points[k].y) {
                from.count = 0;
            } else if (from.count == 0) {
                from = single(a->points[i].x);
            }
        }
    }
    return from;
}

// ---------------------------------------------------------------------------------------------------------------------
// Figures

typedef struct figure_call {
    const chart_data *points;
    const char *first, *second, *third; // "" where not given
} figure_call;

typedef figure_range (*figure_function)(const figure_call *call);

static figure_range figure_exponent(const figure_call *call) {
    const double from = *call->second == '\0' ? 0.0 : strtod(call->second, NULL);
    const double to = *call->third == '\0' ? HUGE_VAL : strtod(call->third, NULL);
    return exponent_of(find_series(call->points, call->first), from, to);
}

static figure_range figure_times(const figure_call *call) {
    return times_of(find_series(call->points, call->first), strtod(call->second, NULL));
}

static figure_range figure_ratio(const figure_call *call) {
    return ratios_of(call->points, call->first, call->second, call->third).values;
}

static figure_range figure_last_ratio(const figure_call *call) {
    const series_ratios ratios = ratios_of(call->points, call->first, call->second, "");
    return ratios.values.count > 0 ? single(ratios.last) : ratios.values;
}

static figure_range figure_mean_ratio(const figure_call *call) {
    const series_ratios ratios = ratios_of(call->points, call->first, call->second, call->third);
    return ratios.values.count > 0 ? single(exp(ratios.log_sum / (double)ratios.values.count)) : ratios.values;
}

static figure_range figure_mean(const figure_call *call) {
    return mean_of(call->points, call->first);
}

static figure_range figure_values(const figure_call *call) {
    return range_of(call->points, call->first, call->second).values;
}

static figure_range figure_high(const figure_call *call) {
    const figure_range range = figure_values(call);
    return range.count > 0 ? single(range.high) : range;
}

static figure_range figure_low(const figure_call *call) {
    const figure_range range = figure_values(call);
    return range.count > 0 ? single(range.low) : range;
}

static figure_range figure_high_at(const figure_call *call) {
    const series_range range = range_of(call->points, call->first, "");
    return range.values.count > 0 ? single(range.high_at) : range.values;
}

static figure_range figure_low_at(const figure_call *call) {
    const series_range range = range_of(call->points, call->first, "");
    return range.values.count > 0 ? single(range.low_at) : range.values;
}

static figure_range figure_spread(const figure_call *call) {
    const figure_range range = figure_values(call);
    return range.count > 0 && range.low > 0.0 ? single(range.high / range.low) : (figure_range){0};
}

static figure_range figure_first(const figure_call *call) {
    const chart_series *series = find_series(call->points, call->first);
    return series != NULL ? single(series->points[0].y) : (figure_range){0};
}

static figure_range figure_last(const figure_call *call) {
    const chart_series *series = find_series(call->points, call->first);
    return series != NULL ? single(series->points[series->count - 1].y) : (figure_range){0};
}

static figure_range figure_growth(const figure_call *call) {
    const chart_series *series = find_series(call->points, call->first);
    if (series == NULL || series->count < 2 || series->points[0].y <= 0.0) return (figure_range){0};
    return single(series->points[series->count - 1].y / series->points[0].y);
}

static figure_range figure_rises(const figure_call *call) {
    return steps_of(find_series(call->points, call->first), 1.0);
}

static figure_range figure_falls(const figure_call *call) {
    return steps_of(find_series(call->points, call->first), -1.0);
}

static figure_range figure_place(const figure_call *call) {
    return place_of(call->points, find_series(call->points, call->first), call->second);
}

static figure_range figure_cross(const figure_call *call) {
    return cross_of(find_series(call->points, call->first), find_series(call->points, call->second));
}

static figure_range figure_margin(const figure_call *call) {
    return margins_of(call->points, call->first, (const char *const[]){call->second, call->third}, false);
}

static figure_range figure_beside(const figure_call *call) {
    return margins_of(call->points, call->first, (const char *const[]){"", ""}, true);
}

static figure_range figure_count(const figure_call *call) {
    size_t count = 0;
    for (size_t i = 0; i < call->points->series_count; i++) count += call->points->series[i].count;
    return single((double)count);
}

static const struct {
    const char *name;
    figure_function measure;
} FIGURES[] = {
    {"exponent", figure_exponent},     {"ratio", figure_ratio},   {"last-ratio", figure_last_ratio},
    {"mean-ratio", figure_mean_ratio}, {"range", figure_values},  {"at", figure_values},
    {"first", figure_first},           {"last", figure_last},     {"growth", figure_growth},
    {"times", figure_times},           {"high", figure_high},     {"low", figure_low},
    {"high-at", figure_high_at},       {"low-at", figure_low_at}, {"spread", figure_spread},
    {"rises", figure_rises},           {"falls", figure_falls},   {"place", figure_place},
    {"cross", figure_cross},           {"margin", figure_margin}, {"beside", figure_beside},
    {"count", figure_count},           {"mean", figure_mean},
};

static figure_function find_figure(const char *name) {
    for (size_t i = 0; i < sizeof FIGURES / sizeof *FIGURES; i++) {
        if (strcmp(FIGURES[i].name, name) == 0) return FIGURES[i].measure;
    }
    return NULL;
}

// The words of a figure, "2:name|first|second|third", taken apart.
typedef struct figure_words {
    char copy[FIGURE_WORDS];
    size_t selection;
    const char *parts[4]; // "" where not given
} figure_words;

static void take_apart(const char *words, size_t length, figure_words *taken) {
    snprintf(taken->copy, sizeof taken->copy, "%.*s", (int)length, words);
    char *name = taken->copy;
    const bool numbered = *name >= '1' && *name <= '9' && name[1] == ':';
    taken->selection = numbered ? (size_t)(*name - '1') : 0;
    taken->parts[0] = numbered ? name + 2 : name;
    for (size_t i = 1; i < 4; i++) {
        char *end = taken->copy + (taken->parts[i - 1] - taken->copy);
        end += strcspn(end, "|");
        if (*end == '|') *end++ = '\0';
        taken->parts[i] = end;
    }
}

static bool measure(const figure_source *source, const figure_words *taken, figure_range *range) {
    const figure_function function = find_figure(taken->parts[0]);
    *range = (figure_range){0};
    if (function == NULL || taken->selection >= source->count) return false;
    const figure_call call = {source->points[taken->selection], taken->parts[1], taken->parts[2], taken->parts[3]};
    *range = function(&call);
    return true;
}

bool figure_measure(const figure_source *source, const char *words, size_t length, figure_range *range) {
    figure_words taken;
    take_apart(words, length, &taken);
    return measure(source, &taken, range);
}

static bool ends_with(const char *text, const char *end) {
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

// Returns whether there is anything to write.
static bool write_figure(const figure_source *source, const char *words, size_t length, char *text, size_t size) {
    figure_words taken;
    figure_range range;
    take_apart(words, length, &taken);
    if (!measure(source, &taken, &range) || range.count == 0) {
        snprintf(text, size, "%s", NOT_MEASURED);
        return false;
    }
    const chart_data *points = source->points[taken.selection];
    if (strcmp(taken.parts[0], "exponent") == 0) {
        snprintf(text, size, "%.2f", range.low);
    } else if (points->category_count > 0 && ends_with(taken.parts[0], "-at")) {
        snprintf(text, size, "%s", points->categories[(size_t)range.low]);
    } else {
        write_range(&range, text, size);
    }
    return true;
}

figure_tally figures_tell(const figure_source *source, const char *text, char *sentence, size_t size) {
    figure_tally told = {0};
    size_t used = 0;
    sentence[0] = '\0';
    while (*text != '\0' && used + 1 < size) {
        size_t plain = strcspn(text, "{");
        snprintf(sentence + used, size - used, "%.*s", (int)plain, text);
        used = strlen(sentence);
        text += plain;
        if (*text == '\0') break;
        size_t length = strcspn(text, "}");
        told.all++;
        told.missing += !write_figure(source, text + 1, length - 1, sentence + used, size - used);
        used = strlen(sentence);
        text += length + (text[length] == '}');
    }
    return told;
}

void figures_tell_known(const figure_source *source, const char *text, char *sentence, size_t size) {
    size_t used = 0;
    bool cut = false; // the last part, and with it the full stop
    sentence[0] = '\0';
    while (*text != '\0' && used + 4 < size) {
        char part[2 * FIGURE_WORDS + 512];
        const size_t length = strcspn(text, ";");
        snprintf(part, sizeof part, "%.*s", (int)length, text);
        const char *separator = used == 0 ? "" : ";";
        const size_t before = used;
        snprintf(sentence + used, size - used, "%s", separator);
        used += strlen(separator);
        cut = figures_tell(source, part, sentence + used, size - used).missing > 0;
        if (cut) sentence[before] = '\0';
        used = strlen(sentence);
        text += length + (text[length] == ';');
    }
    if (cut && used > 0) snprintf(sentence + used, size - used, ".");
}
