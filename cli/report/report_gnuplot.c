// The picture of a chart: a script for gnuplot, and its SVG prepared for the page.
//
// All positions are computed here, in pixels, so that labels stand beside their lines and never overlap.
#include "report/report_chart.h"

#include "formats/stream.h"
#include "report/report_styles.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

enum { WIDTH = 560, LINE_HEIGHT = 16, ROW_HEIGHT = 21, FONT_SIZE = 12, SCRIPT_PATH = 4096 };
static const double LETTER_WIDTH = 6.9;
static const double MOST_LABELS = 0.38; // of the width, beside the lines

// Readable on paper; the page inverts it in dark mode.
static const char INK[] = "#333333";
static const char GRID[] = "#dddddd";

// Parts of the picture, in pixels from the left and from the top.
typedef struct layout {
    double left, right, top, bottom, height;
    double low[2], high[2]; // the axes
    bool log[2];
    bool whole; // numbers along x
    bool labels_above;
    series_style style[CHART_SERIES_MAX];
    size_t order[CHART_SERIES_MAX]; // of the labels, from the top
    double label_x[CHART_SERIES_MAX], label_y[CHART_SERIES_MAX];
} layout;

static const chart_series *series_at(const chart_data *points, size_t index) {
    return &points->series[index];
}

// ---------------------------------------------------------------------------------------------------------------------
// Layout

static double text_width(const char *text) {
    size_t letters = 0;
    for (; *text != '\0'; text++) letters += ((unsigned char)*text & 0xc0) != 0x80; // not the rest of a UTF-8 letter
    return LETTER_WIDTH * (double)letters;
}

static double stack_height(const chart_data *points, size_t category, size_t series_count) {
    double sum = 0.0;
    for (size_t i = 0; i < series_count; i++) {
        for (size_t k = 0; k < series_at(points, i)->count; k++) {
            if (series_at(points, i)->points[k].x == (double)category) sum += series_at(points, i)->points[k].y;
        }
    }
    return sum;
}

static void measure(const report_chart *chart, const chart_data *points, layout *plan) {
    plan->low[0] = plan->low[1] = INFINITY;
    plan->high[0] = plan->high[1] = -INFINITY;
    for (size_t i = 0; i < points->series_count; i++) {
        for (size_t k = 0; k < series_at(points, i)->count; k++) {
            const double values[2] = {series_at(points, i)->points[k].x, series_at(points, i)->points[k].y};
            for (size_t axis = 0; axis < 2; axis++) {
                plan->low[axis] = fmin(plan->low[axis], values[axis]);
                plan->high[axis] = fmax(plan->high[axis], values[axis]);
            }
        }
    }
    for (size_t i = 0; chart->kind == CHART_STACKS && i < points->category_count; i++) {
        plan->high[1] = fmax(plan->high[1], stack_height(points, i, points->series_count));
    }
    if (chart->mark > 0.0) {
        plan->low[1] = fmin(plan->low[1], chart->mark);
        plan->high[1] = fmax(plan->high[1], chart->mark);
    }
}

// Room around the data. A linear axis of values begins at 0, where that does not press them together.
static void pad_axis(layout *plan, size_t axis) {
    double low = plan->low[axis], high = plan->high[axis];
    if (plan->log[axis]) {
        double room = fmax(0.04 * log10(high / low), 0.04);
        plan->low[axis] = low * pow(10.0, -room);
        plan->high[axis] = high * pow(10.0, room);
    } else {
        bool from_zero = low >= 0.0 && (axis == 1 || low < 0.3 * high);
        double room = from_zero ? 0.06 * high : 0.06 * (high - low);
        if (room <= 0.0) room = fmax(0.5 * fabs(high), 0.5);
        plan->low[axis] = from_zero ? (axis == 1 ? 0.0 : low - 0.04 * high) : low - room;
        plan->high[axis] = high + room;
    }
}

static void set_axes(const report_chart *chart, const chart_data *points, layout *plan) {
    measure(chart, points, plan);
    plan->whole = (chart->flags & CHART_WHOLE_X) != 0;
    plan->log[0] = chart->kind == CHART_LINES && (chart->flags & CHART_LOG_X) != 0;
    plan->log[1] = (chart->flags & (chart->kind == CHART_LINES ? CHART_LOG_Y : CHART_LOG_X)) != 0;
    if (chart->kind == CHART_LINES) {
        pad_axis(plan, 0);
    } else {
        plan->low[0] = -0.6;
        plan->high[0] = (double)points->category_count - 0.4;
    }
    pad_axis(plan, 1);
}

static double widest_label(const chart_data *points) {
    double widest = 0.0;
    for (size_t i = 0; i < points->series_count; i++) widest = fmax(widest, text_width(series_at(points, i)->label));
    return points->series_count > 1 ? widest : 0.0;
}

static double widest_category(const chart_data *points) {
    double widest = 0.0;
    for (size_t i = 0; i < points->category_count; i++) widest = fmax(widest, text_width(points->categories[i]));
    return widest;
}

// With categories, whose names take much room on the left, and where labels are so long that they would press the lines
// together, labels stand side by side above the chart.
static void place_labels_above(const chart_data *points, layout *plan) {
    double x = 12.0, y = 12.0;
    for (size_t i = 0; i < points->series_count && points->series_count > 1; i++) {
        const double width = text_width(series_at(points, i)->label) + 32.0;
        if (x + width > WIDTH && x > 12.0) {
            x = 12.0;
            y += LINE_HEIGHT;
        }
        plan->order[i] = i;
        plan->label_x[i] = x;
        plan->label_y[i] = y;
        x += width;
    }
    plan->top = points->series_count > 1 ? y + 14.0 : 10.0;
}

static void set_size(const report_chart *chart, const chart_data *points, layout *plan) {
    const bool dots = chart->kind == CHART_DOTS;
    const double widest = widest_label(points);
    plan->labels_above = dots || (chart->kind == CHART_LINES && widest > MOST_LABELS * WIDTH);
    const double labels = plan->labels_above ? 0.0 : widest;
    const double legend = labels > 0.0 ? LINE_HEIGHT * (double)points->series_count : 0.0;
    const double rows = dots ? ROW_HEIGHT * (double)points->category_count : 0.0;
    plan->left = dots ? widest_category(points) + 22.0 : 66.0;
    plan->right = WIDTH - (labels > 0.0 ? labels + 36.0 : 18.0);
    plan->top = 10.0;
    if (plan->labels_above) place_labels_above(points, plan);
    plan->bottom = plan->top + fmax(fmax(rows, legend + 8.0), dots ? 40.0 : 250.0);
    plan->height = plan->bottom + 56.0;
}

// Where in the picture, from the top, a value of y is.
static double place_of(const layout *plan, double y) {
    double low = plan->low[1], high = plan->high[1];
    double share = plan->log[1] ? log(y / low) / log(high / low) : (y - low) / (high - low);
    return plan->bottom - share * (plan->bottom - plan->top);
}

// The preferred height of a series' label: that of its last point, or of its part of the last column.
static double wish(const report_chart *chart, const chart_data *points, const layout *plan, size_t index) {
    const chart_series *series = series_at(points, index);
    if (series->count == 0) return plan->top + LINE_HEIGHT * ((double)index + 0.6);
    if (chart->kind == CHART_LINES) return place_of(plan, series->points[series->count - 1].y);
    size_t last = points->category_count - 1;
    double below = stack_height(points, last, index), above = stack_height(points, last, index + 1);
    return place_of(plan, 0.5 * (below + above));
}

// Sorts labels by preferred height and pushes them apart: first downwards, then back up from the lower end.
static void place_labels(const report_chart *chart, const chart_data *points, layout *plan) {
    const size_t count = points->series_count;
    if (plan->labels_above) return; // they have their places
    for (size_t i = 0; i < count; i++) {
        plan->label_x[i] = plan->right + 14.0;
        double y = wish(chart, points, plan, i);
        size_t at = i;
        for (; at > 0 && plan->label_y[at - 1] > y; at--) {
            plan->label_y[at] = plan->label_y[at - 1];
            plan->order[at] = plan->order[at - 1];
        }
        plan->label_y[at] = y;
        plan->order[at] = i;
    }
    for (size_t i = 1; i < count; i++) {
        plan->label_y[i] = fmax(plan->label_y[i], plan->label_y[i - 1] + LINE_HEIGHT);
    }
    double limit = plan->bottom - 4.0;
    for (size_t i = count; i-- > 0; limit -= LINE_HEIGHT) plan->label_y[i] = fmin(plan->label_y[i], limit);
}

// ---------------------------------------------------------------------------------------------------------------------
// The script

// Text between single quotes. gnuplot wants those of `twice` twice to keep them.
static void write_between_quotes(output_file *script, const char *text, const char *twice) {
    output_text(script, "'");
    for (; *text != '\0'; text++) {
        if (strchr(twice, *text) != NULL) output_bytes(script, text, 1);
        output_bytes(script, text, 1);
    }
    output_text(script, "'");
}

static void write_quoted(output_file *script, const char *text) {
    write_between_quotes(script, text, "'");
}

static double screen_y(const layout *plan, double pixels) {
    return 1.0 - pixels / plan->height;
}

// One format for a whole axis: plain numbers, or powers of ten where one of them would be long.
static bool wants_powers(double low, double high, bool log) {
    return high >= (log ? 99999.0 : 999999.0) || (log && low < 0.0009);
}

static void write_tick(output_file *script, bool first, double value, bool powers) {
    char text[FIGURE_TEXT];
    output_text(script, "%s", first ? "" : ", ");
    if (!powers || value == 0.0) {
        output_text(script, "'%s' %.9g", figure_text(text, value), value);
        return;
    }
    const double exponent = floor(log10(fabs(value)) + 1e-9), leading = value / pow(10.0, exponent);
    if (fabs(leading - 1.0) < 1e-9) {
        output_text(script, "'10^{%.0f}' %.9g", exponent, value);
    } else {
        output_text(script, "'%.3g·10^{%.0f}' %.9g", leading, exponent, value);
    }
}

// Ticks without a number, at the other digits: gnuplot's level 1 is a shorter one, and has no line across.
static void write_small_ticks(output_file *script, double low, double high, double room) {
    if (room / log10(high / low) < 0.9) return;
    for (int power = (int)floor(log10(low)); power <= (int)ceil(log10(high)); power++) {
        for (int digit = 1; digit < 10; digit++) {
            const double value = digit * pow(10.0, power);
            if (value >= low && value <= high) output_text(script, ", '' %.9g 1", value);
        }
    }
}

// As fine as there is room for: `room` is how many ticks could stand side by side.
static void write_log_ticks(output_file *script, double low, double high, double room) {
    static const double STEPS[] = {1, 2, 5, 1.5, 3, 7};
    const double decades = log10(high / low), in_a_decade = room / decades;
    const size_t steps = in_a_decade > 8.0 ? 6 : in_a_decade > 3.4 ? 3 : 1; // the smallest gaps: 1 to 1.5, 1 to 2
    const int stride = (int)ceil(1.0 / fmin(in_a_decade, 1.0));
    const bool powers = wants_powers(low, high, true);
    bool first = true;
    for (int power = (int)floor(log10(low)); power <= (int)ceil(log10(high)); power++) {
        for (size_t i = 0; i < steps && power % stride == 0; i++) {
            double value = STEPS[i] * pow(10.0, power);
            if (value < low || value > high) continue;
            write_tick(script, first, value, powers);
            first = false;
        }
    }
    if (!first) write_small_ticks(script, low, high, room);
}

static void write_even_ticks(output_file *script, double low, double high, double least) {
    static const double STEPS[] = {1, 2, 2.5, 5, 10};
    const double rough = fmax((high - low) / 5.0, least), power = pow(10.0, floor(log10(rough)));
    const bool powers = wants_powers(low, high, false);
    double step = 10.0 * power;
    for (size_t i = 0; i < 5; i++) {
        if (STEPS[i] * power >= rough) {
            step = STEPS[i] * power;
            break;
        }
    }
    bool first = true;
    for (double at = ceil(low / step - 1e-9); at * step <= high; at += 1.0) {
        write_tick(script, first, at * step + 0.0, powers); // never -0
        first = false;
    }
}

// Of the numbers along an axis, about.
static double widest_number(const layout *plan, size_t index) {
    char low[FIGURE_TEXT], high[FIGURE_TEXT];
    if (wants_powers(plan->low[index], plan->high[index], plan->log[index])) return 5.0 * LETTER_WIDTH;
    figure_text(low, pow(10.0, floor(log10(fmax(plan->low[index], 1e-9)))));
    figure_text(high, pow(10.0, floor(log10(fmax(plan->high[index], 1e-9)))));
    return fmax(text_width(low), text_width(high));
}

static void write_number_axis(output_file *script, const char *axis, const layout *plan, size_t index) {
    const double room = *axis == 'x' ? (plan->right - plan->left) / (widest_number(plan, index) + 8.0)
                                     : (plan->bottom - plan->top) / 20.0;
    output_text(script, "set %srange [%.9g:%.9g]\n", axis, plan->low[index], plan->high[index]);
    if (plan->log[index]) output_text(script, "set logscale %s\n", axis);
    output_text(script, "set %stics (", axis);
    if (plan->log[index] && plan->high[index] > 4.0 * plan->low[index]) {
        write_log_ticks(script, plan->low[index], plan->high[index], room);
    } else {
        write_even_ticks(script, plan->low[index], plan->high[index], index == 0 && plan->whole ? 1.0 : 0.0);
    }
    output_text(script, ")\n");
}

static void write_category_axis(output_file *script, const char *axis, const chart_data *points, const layout *plan,
                                bool from_top) {
    const double ends[2] = {plan->low[0], plan->high[0]};
    output_text(script, "set %srange [%.9g:%.9g]\n", axis, ends[from_top], ends[!from_top]);
    output_text(script, "set %stics noenhanced (", axis);
    for (size_t i = 0; i < points->category_count; i++) {
        output_text(script, "%s", i == 0 ? "" : ", ");
        write_between_quotes(script, points->categories[i], "'%"); // ticks are formats
        output_text(script, " %zu", i);
    }
    output_text(script, ")\n");
}

static void write_mark(output_file *script, const report_chart *chart) {
    if (chart->mark <= 0.0) return;
    if (chart->kind == CHART_DOTS) {
        output_text(script, "set arrow from first %.9g, graph 0 to first %.9g, graph 1", chart->mark, chart->mark);
    } else {
        output_text(script, "set arrow from graph 0, first %.9g to graph 1, first %.9g", chart->mark, chart->mark);
    }
    output_text(script, " nohead lw 1.2 dt (6,4) lc rgb '%s'\n", INK);
}

static void write_axes(output_file *script, const report_chart *chart, const chart_data *points, const layout *plan) {
    const bool dots = chart->kind == CHART_DOTS;
    if (chart->kind == CHART_LINES) {
        write_number_axis(script, "x", plan, 0);
    } else {
        write_category_axis(script, dots ? "y" : "x", points, plan, dots);
    }
    write_number_axis(script, dots ? "x" : "y", plan, 1);
    output_text(script, "set xlabel ");
    write_quoted(script, dots ? chart->y_label : chart->x_label);
    output_text(script, " noenhanced offset 0,0.2\nset ylabel ");
    write_quoted(script, dots ? "" : chart->y_label);
    output_text(script, " noenhanced offset 1,0\n");
    write_mark(script, chart);
}

static void write_frame(output_file *script, const char *picture, const layout *plan) {
    output_text(script, "set terminal svg size %d,%.0f enhanced font 'Helvetica,%d' name 'chart'\nset output ", WIDTH,
                plan->height, FONT_SIZE);
    write_quoted(script, picture);
    output_text(script, "\nset encoding utf8\nunset key\nset border 3 lw 0.8 lc rgb '%s'\n", INK);
    output_text(script, "set tics nomirror out scale 0.5 textcolor rgb '%s'\n", INK);
    output_text(script, "set grid lt 1 lw 0.6 lc rgb '%s'\n", GRID);
    output_text(script, "set lmargin at screen %.5f\nset rmargin at screen %.5f\n", plan->left / WIDTH,
                plan->right / WIDTH);
    output_text(script, "set tmargin at screen %.5f\nset bmargin at screen %.5f\n", screen_y(plan, plan->top),
                screen_y(plan, plan->bottom));
}

// A shade of blue for part i of a stack: dark below, light above.
static const char *stack_colour(size_t index, size_t count, char colour[8]) {
    const double share = count < 2 ? 0.0 : (double)index / (double)(count - 1);
    const int red = (int)(11.0 + share * 190.0), green = (int)(60.0 + share * 165.0),
              blue = (int)(111.0 + share * 131.0);
    snprintf(colour, 8, "#%02x%02x%02x", (unsigned)red, (unsigned)green, (unsigned)blue);
    return colour;
}

static void write_labels(output_file *script, const report_chart *chart, const chart_data *points, const layout *plan) {
    char colour[8];
    for (size_t i = 0; points->series_count > 1 && i < points->series_count; i++) {
        const size_t index = plan->order[i];
        const series_style *style = &plan->style[index];
        const bool stack = chart->kind == CHART_STACKS;
        output_text(script, "set label ");
        write_quoted(script, series_at(points, index)->label);
        output_text(script, " noenhanced at screen %.5f, screen %.5f left offset 1.2,-0.35 ", plan->label_x[i] / WIDTH,
                    screen_y(plan, plan->label_y[i]));
        output_text(script, "textcolor rgb '%s' point pt %d ps %s lw 1.5 lc rgb '%s'\n", INK, stack ? 5 : style->point,
                    stack ? "1.1" : "0.8", stack ? stack_colour(index, points->series_count, colour) : style->colour);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// The plots

static void write_points(output_file *script, const chart_data *points, size_t index, bool swap) {
    output_text(script, "$series%zu << END\n", index);
    for (size_t i = 0; i < series_at(points, index)->count; i++) {
        const chart_point *point = &series_at(points, index)->points[i];
        output_text(script, "%.9g %.9g\n", swap ? point->y : point->x, swap ? point->x : point->y);
    }
    output_text(script, "END\n");
}

// The parts of a stack up to this one.
static void write_stack(output_file *script, const chart_data *points, size_t index) {
    output_text(script, "$series%zu << END\n", index);
    for (size_t i = 0; i < points->category_count; i++) {
        output_text(script, "%zu %.9g\n", i, stack_height(points, i, index + 1));
    }
    output_text(script, "END\n");
}

static void write_plot(output_file *script, const report_chart *chart, const chart_data *points, const layout *plan,
                       size_t index) {
    const series_style *style = &plan->style[index];
    char colour[8];
    output_text(script, "$series%zu using 1:2 title ", index);
    write_quoted(script, series_at(points, index)->label);
    if (chart->kind == CHART_STACKS) {
        output_text(script, " noenhanced with boxes lc rgb '%s' fs solid noborder",
                    stack_colour(index, points->series_count, colour));
    } else if (chart->kind == CHART_LINES) {
        output_text(script, " noenhanced with linespoints lw %s dt %s pt %d ps %s lc rgb '%s'",
                    style->main ? "2.4" : "1.4", style->dash, style->point, style->main ? "0.75" : "0.65",
                    style->colour);
    } else {
        output_text(script, " noenhanced with points lw 1.4 pt %d ps 0.85 lc rgb '%s'", style->point, style->colour);
    }
}

static void write_script(output_file *script, const report_chart *chart, const chart_data *points,
                         const char *picture) {
    layout plan = {0};
    chart_style(points, plan.style);
    set_axes(chart, points, &plan);
    set_size(chart, points, &plan);
    place_labels(chart, points, &plan);
    write_frame(script, picture, &plan);
    write_axes(script, chart, points, &plan);
    write_labels(script, chart, points, &plan);
    const bool stack = chart->kind == CHART_STACKS;
    for (size_t i = 0; i < points->series_count; i++) {
        if (stack) {
            write_stack(script, points, i);
        } else {
            write_points(script, points, i, chart->kind == CHART_DOTS);
        }
    }
    output_text(script, "set boxwidth 0.6\nplot ");
    for (size_t i = 0; i < points->series_count; i++) { // the tallest columns first, the others on top of them
        write_plot(script, chart, points, &plan, stack ? points->series_count - 1 - i : i);
        output_text(script, i + 1 < points->series_count ? ", \\\n     " : "\n");
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// The program

// The reason is what gnuplot says behind the number of the line.
static bool fail_gnuplot(const char *messages, const char *id, failure *why) {
    char *text = NULL;
    size_t size;
    failure ignored;
    const char *reason = "no reason given";
    if (input_read_all(messages, &text, &size, &ignored)) {
        const char *line = strstr(text, "line ");
        reason = line == NULL ? text : line;
    }
    failure_set(why, STATUS_FAILED, "chart %s: gnuplot failed: %.*s", id, (int)strcspn(reason, "\n"), reason);
    free(text);
    return false;
}

static bool run_gnuplot(const char *script, const char *messages, const char *id, failure *why) {
    char program[] = "gnuplot", path[SCRIPT_PATH];
    snprintf(path, sizeof path, "%s", script);
    char *words[] = {program, path, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 2, messages, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t process;
    int error = posix_spawnp(&process, program, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        return failure_set(
            why, STATUS_FAILED,
            "gnuplot, which draws the charts, cannot be started: %s; install it (Debian: apt-get install "
            "gnuplot-nox)",
            strerror(error));
    }
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
    return (WIFEXITED(status) && WEXITSTATUS(status) == 0) || fail_gnuplot(messages, id, why);
}

// ---------------------------------------------------------------------------------------------------------------------
// Its SVG

// The length of a useless element at this place: an empty group or gnuplot's name for it. 0: none.
static size_t needless(const char *text) {
    static const char *const LINES[] = {"<title>chart</title>\n", "<desc>"};
    for (size_t i = 0; i < 2; i++) {
        if (strncmp(text, LINES[i], strlen(LINES[i])) == 0) return strcspn(text, "\n") + 1;
    }
    if (strncmp(text, "<g ", 3) != 0) return 0;
    size_t length = strcspn(text, ">") + 1;
    return strncmp(text + length, "\n</g>\n", 6) == 0 ? length + 6 : 0;
}

static void append_text(char **to, const char *text) {
    size_t length = strlen(text);
    memcpy(*to, text, length);
    *to += length;
}

// Copies the picture without its prologue and without empty groups; names in it get the chart's name in front, because
// those of all charts stand in one page.
static void clean_svg(const char *from, const char *id, char *to) {
    static const char *const NAMES[] = {"id='", "id=\"", "href='#", "url(#"};
    for (from = strstr(from, "<svg"); *from != '\0';) {
        size_t skip = needless(from), found = 0;
        for (size_t i = 0; skip == 0 && i < sizeof NAMES / sizeof *NAMES; i++) {
            if (strncmp(from, NAMES[i], strlen(NAMES[i])) != 0) continue;
            append_text(&to, NAMES[i]);
            append_text(&to, id);
            append_text(&to, "-");
            found = strlen(NAMES[i]);
        }
        from += skip + found;
        if (skip + found == 0) *to++ = *from++;
    }
    *to = '\0';
}

static bool take_svg(const char *picture, const char *id, char **svg, failure *why) {
    char *text;
    size_t size;
    if (!input_read_all(picture, &text, &size, why)) return false;
    if (strstr(text, "<svg") == NULL) {
        free(text);
        return failure_set(why, STATUS_FAILED, "chart %s: gnuplot wrote no SVG; is its terminal 'svg' there?", id);
    }
    *svg = malloc(size + size / 4 * (strlen(id) + 2) + 1); // a name takes at least four letters
    if (*svg != NULL) clean_svg(text, id, *svg);
    free(text);
    return *svg != NULL || failure_memory(why);
}

static bool draw_picked(const report_chart *chart, const chart_data *points, const char *id, const char *work,
                        char **svg, failure *why) {
    char script[SCRIPT_PATH], picture[SCRIPT_PATH], messages[SCRIPT_PATH];
    snprintf(script, sizeof script, "%s/chart.gnuplot", work);
    snprintf(picture, sizeof picture, "%s/chart.svg", work);
    snprintf(messages, sizeof messages, "%s/messages", work);
    output_file output;
    if (!output_open(&output, script, why)) return false;
    write_script(&output, chart, points, picture);
    return output_close(&output, why) && run_gnuplot(script, messages, id, why) && take_svg(picture, id, svg, why);
}

bool chart_draw(const report_chart *chart, const chart_data *points, const char *id, const char *work, char **svg,
                failure *why) {
    chart_data *picked = malloc(sizeof *picked);
    if (picked == NULL) return failure_memory(why);
    chart_pick(chart, points, picked);
    const bool good = draw_picked(chart, picked, id, work, svg, why);
    free(picked);
    return good;
}
