#include "commands/demo_picture.h"

#include "commands/library.h"
#include "formats/number.h"
#include "formats/stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// All lengths in pixels, but for the slice: its window is measured in mean box sizes.
enum {
    WIDTH = 1280,
    MARGIN = 40,
    SLICE_TOP = 104,
    SLICE_COLUMNS = 50,
    SLICE_ROWS = 12,
    SLICE_UNIT = 24,
    SLICE_WIDTH = SLICE_COLUMNS * SLICE_UNIT,
    SLICE_HEIGHT = SLICE_ROWS * SLICE_UNIT,
    LEGEND_TOP = SLICE_TOP + SLICE_HEIGHT + 16,
    CHART_TOP = LEGEND_TOP + 62,
    PANEL_TOP = CHART_TOP + 40,
    PANEL_GAP = 40,
    BARS_TOP = PANEL_TOP + 58,
    BAR_HEIGHT = 16,
    BAR_STEP = 24,
    NAME_WIDTH = 226,
    TIME_WIDTH = 76,
    SPEED_UP_WIDTH = 60,
    NOTES_TOP = 34,
    NOTE_STEP = 22,
    FOOTER_HEIGHT = 12
};

// A longer range of times would make most bars of a linear scale too short to be seen.
static const double LINEAR_RANGE_MAX = 30.0;

// Colours for a light page, and for a dark one where the viewer says that it is dark. The picture has its own
// background, so that it is readable on any page.
static const char STYLE[] =
    "<style>\n"
    "text{font-family:'Helvetica Neue',Helvetica,Arial,'DejaVu Sans',sans-serif;font-size:14px;fill:#1f2933}\n"
    ".title{font-size:28px;font-weight:700}\n"
    ".head{font-size:17px;font-weight:700}\n"
    ".strong{font-weight:700}\n"
    ".soft{fill:#5f6b7a}\n"
    ".right{text-anchor:end}\n"
    ".middle{text-anchor:middle}\n"
    ".page{fill:#fafbfc}\n"
    ".window{fill:#fff}\n"
    ".frame{fill:none;stroke:#cbd2d9}\n"
    ".grid{stroke:#d9dfe5}\n"
    ".alone{fill:#f4f6f8;stroke:#b9c3cd}\n"
    ".meets{fill:#2563eb;fill-opacity:.13;stroke:#1e40af;stroke-width:1.5}\n"
    ".shared{fill:#f97316;stroke:#9a3412}\n"
    ".bar{stroke:#64748b}\n"
    ".find{fill:#94a3b8}\n"
    ".update{fill:url(#stripes)}\n"
    ".stripe{fill:#94a3b8}\n"
    ".between{fill:#eef2f6}\n"
    ".default .bar{stroke:#1e40af}\n"
    ".default .find{fill:#2563eb}\n"
    ".default .update{fill:url(#blue-stripes)}\n"
    ".blue .stripe{fill:#5b8af0}\n"
    ".blue .between{fill:#dbe7ff}\n"
    "@media(prefers-color-scheme:dark){\n"
    "text{fill:#e6edf3}.soft{fill:#9aa7b5}.page{fill:#0d1117}.window{fill:#11161d}.frame{stroke:#30363d}.grid{stroke:#"
    "2b323a}\n"
    ".alone{fill:#1a2027;stroke:#3d4752}.meets{fill:#3b82f6;fill-opacity:.18;stroke:#60a5fa}.shared{stroke:#fdba74}\n"
    ".bar{stroke:#7c8a9a}.find{fill:#64748b}.stripe{fill:#64748b}.between{fill:#1f2730}\n"
    ".default .bar{stroke:#93c5fd}.default .find{fill:#3b82f6}.blue .stripe{fill:#3b82f6}.blue .between{fill:#14284b}\n"
    "}\n"
    "</style>\n";

static void draw_stripes(output_file *output, const char *id, const char *class) {
    output_text(output,
                "<pattern id='%s' class='%s' width='6' height='6' patternUnits='userSpaceOnUse' "
                "patternTransform='rotate(45)'><rect class='between' width='6' height='6'/>"
                "<rect class='stripe' width='2.5' height='6'/></pattern>\n",
                id, class);
}

// ---------------------------------------------------------------------------------------------------------------------
// Texts

const char *demo_time_text(char text[DEMO_TEXT_MAX], double ms) {
    if (ms < 999.5) { // else it would read 1000.0 ms
        snprintf(text, DEMO_TEXT_MAX, "%.*f ms", ms < 10.0 ? 2 : 1, ms);
    } else if (ms < 120e3) {
        snprintf(text, DEMO_TEXT_MAX, "%.*f s", ms < 10e3 ? 1 : 0, ms / 1e3);
    } else {
        snprintf(text, DEMO_TEXT_MAX, "%.0f minutes", ms / 60e3);
    }
    return text;
}

// Two digits: times vary from run to run, and a third would change each time.
const char *demo_speed_up_text(char text[DEMO_TEXT_MAX], const demo_row *row) {
    double unit = row->speed_up < 10.0 ? 0.1 : pow(10.0, floor(log10(row->speed_up)) - 1.0);
    double rounded = round(row->speed_up / unit) * unit;
    if (row->speed_up <= 0.0) {
        snprintf(text, DEMO_TEXT_MAX, "-");
    } else if (row->method == BP_METHOD_BRUTE_FORCE || rounded >= 10.0) {
        number_grouped(text, (uint64_t)(rounded + 0.5));
    } else {
        snprintf(text, DEMO_TEXT_MAX, "%.1f", rounded);
    }
    return text;
}

const char *demo_left_out_text(char text[DEMO_TEXT_MAX], const demo_row *row) {
    char time[DEMO_TEXT_MAX];
    bool estimated = row->method == BP_METHOD_BRUTE_FORCE;
    demo_time_text(time, row->left_out_ms);
    snprintf(text, DEMO_TEXT_MAX, estimated ? "left out: about %.20s a step" : "left out: its first step took %.20s",
             time);
    return text;
}

// ---------------------------------------------------------------------------------------------------------------------
// The slice

// The boxes that the picture shows: those that cut the plane z inside the window.
typedef struct slice_view {
    float min[2], max[2], z, unit;
    bp_box *boxes;
    size_t count;
    bp_pairs pairs;
} slice_view;

static bool is_finite(const bp_box *box) {
    for (size_t axis = 0; axis < 3; axis++) {
        if (!isfinite(box->min[axis]) || !isfinite(box->max[axis])) return false;
    }
    return true;
}

static void place_window(slice_view *slice, const bp_box *boxes, size_t count) {
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double size = 0.0;
    size_t finite = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_finite(&boxes[i])) continue;
        finite++;
        size += (double)(boxes[i].max[0] - boxes[i].min[0]);
        for (size_t axis = 0; axis < 3; axis++) {
            low[axis] = fminf(low[axis], boxes[i].min[axis]);
            high[axis] = fmaxf(high[axis], boxes[i].max[axis]);
        }
    }
    const float half[2] = {0.5f * SLICE_COLUMNS, 0.5f * SLICE_ROWS};
    slice->unit = finite == 0 || size <= 0.0 ? 1.0f : (float)(size / (double)finite);
    slice->z = finite == 0 ? 0.0f : 0.5f * (low[2] + high[2]);
    for (size_t axis = 0; axis < 2; axis++) {
        float middle = finite == 0 ? 0.0f : 0.5f * (low[axis] + high[axis]);
        slice->min[axis] = middle - half[axis] * slice->unit;
        slice->max[axis] = middle + half[axis] * slice->unit;
    }
}

static bool in_slice(const slice_view *slice, const bp_box *box) {
    return box->min[2] <= slice->z && box->max[2] >= slice->z && box->min[0] <= slice->max[0] &&
           box->max[0] >= slice->min[0] && box->min[1] <= slice->max[1] && box->max[1] >= slice->min[1];
}

static bool collect(slice_view *slice, const bp_box *boxes, size_t count, failure *why) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) found += in_slice(slice, &boxes[i]);
    slice->boxes = calloc(found + 1, sizeof *slice->boxes);
    if (slice->boxes == NULL) return failure_memory(why);
    for (size_t i = 0; i < count; i++) {
        if (in_slice(slice, &boxes[i])) slice->boxes[slice->count++] = boxes[i];
    }
    library_log log = {0};
    bp_config config = {.log = library_log_hook(&log)};
    bp_pairs pairs = {0};
    bp_status status = bp_find_pairs(slice->boxes, slice->count, &config, &pairs);
    slice->pairs = pairs;
    return library_done(status, &log, why);
}

static void draw_box(output_file *output, const slice_view *slice, const char *class, const float min[2],
                     const float max[2]) {
    const double scale = SLICE_UNIT / (double)slice->unit;
    double left = (double)(min[0] - slice->min[0]) * scale;
    double top = (double)(slice->max[1] - max[1]) * scale; // y points up
    output_text(output, "<rect class='%s' x='%.1f' y='%.1f' width='%.1f' height='%.1f'/>\n", class, MARGIN + left,
                SLICE_TOP + top, (double)(max[0] - min[0]) * scale, (double)(max[1] - min[1]) * scale);
}

static void draw_shared(output_file *output, const slice_view *slice, const bp_box *a, const bp_box *b) {
    float min[2], max[2];
    for (size_t axis = 0; axis < 2; axis++) {
        min[axis] = fmaxf(a->min[axis], b->min[axis]);
        max[axis] = fminf(a->max[axis], b->max[axis]);
    }
    draw_box(output, slice, "shared", min, max);
}

// From back to front: boxes without overlap, boxes with overlap, the overlaps themselves.
static bool draw_slice(output_file *output, const slice_view *slice, failure *why) {
    char *meets = calloc(slice->count + 1, 1);
    if (meets == NULL) return failure_memory(why);
    for (size_t i = 0; i < slice->pairs.count; i++) {
        meets[slice->pairs.data[i].a] = meets[slice->pairs.data[i].b] = 1;
    }
    output_text(output,
                "<rect class='window' x='%d' y='%d' width='%d' height='%d' rx='6'/>\n<g clip-path='url(#window)'>\n",
                MARGIN, SLICE_TOP, SLICE_WIDTH, SLICE_HEIGHT);
    for (char layer = 0; layer <= 1; layer++) {
        for (size_t i = 0; i < slice->count; i++) {
            if (meets[i] != layer) continue;
            draw_box(output, slice, layer == 0 ? "alone" : "meets", slice->boxes[i].min, slice->boxes[i].max);
        }
    }
    for (size_t i = 0; i < slice->pairs.count; i++) {
        const bp_pair pair = slice->pairs.data[i];
        draw_shared(output, slice, &slice->boxes[pair.a], &slice->boxes[pair.b]);
    }
    output_text(output, "</g>\n<rect class='frame' x='%d' y='%d' width='%d' height='%d' rx='6'/>\n", MARGIN, SLICE_TOP,
                SLICE_WIDTH, SLICE_HEIGHT);
    free(meets);
    return true;
}

static void draw_key(output_file *output, int left, int top, const char *class, const char *text) {
    output_text(output, "<rect class='%s' x='%d' y='%d' width='18' height='14'/>\n<text x='%d' y='%d'>%s</text>\n",
                class, left, top, left + 26, top + 12, text);
}

static void draw_slice_legend(output_file *output, const slice_view *slice) {
    draw_key(output, MARGIN, LEGEND_TOP, "shared", "what two boxes share");
    draw_key(output, MARGIN + 200, LEGEND_TOP, "meets", "box that overlaps another in this slice");
    draw_key(output, MARGIN + 510, LEGEND_TOP, "alone", "box that overlaps none in it");
    output_text(output, "<text class='soft right' x='%d' y='%d'>%zu boxes, %zu pairs in view</text>\n", WIDTH - MARGIN,
                LEGEND_TOP + 12, slice->count, slice->pairs.count);
}

// ---------------------------------------------------------------------------------------------------------------------
// The chart

// The rows of one number of boxes, beside the rows of the other one.
typedef struct chart_panel {
    const demo_row *rows;
    size_t count, measured; // those left out come last
    int left, width;
    bool logarithmic;
    double low, high; // ends of the scale, in milliseconds
} chart_panel;

static int bars_left(const chart_panel *panel) {
    return panel->left + NAME_WIDTH;
}

static int bars_length(const chart_panel *panel) {
    return panel->width - NAME_WIDTH - TIME_WIDTH - SPEED_UP_WIDTH;
}

static void set_scale(chart_panel *panel) {
    double fastest = INFINITY, slowest = 0.0;
    for (size_t i = 0; i < panel->count; i++) {
        if (panel->rows[i].left_out_ms > 0.0) continue;
        panel->measured++;
        fastest = fmin(fastest, demo_total_ms(&panel->rows[i]));
        slowest = fmax(slowest, demo_total_ms(&panel->rows[i]));
    }
    panel->logarithmic = fastest > 0.0 && slowest > LINEAR_RANGE_MAX * fastest;
    // Half of the fastest, so that even its bar has a length.
    panel->low = panel->logarithmic ? pow(10.0, floor(log10(0.5 * fastest))) : 0.0;
    panel->high = slowest;
    if (panel->high <= panel->low) panel->high = panel->low + 1.0; // nothing was measured
}

static double position(const chart_panel *panel, double ms) {
    double share = panel->logarithmic ? log(ms / panel->low) / log(panel->high / panel->low) : ms / panel->high;
    return bars_left(panel) + bars_length(panel) * fmax(share, 0.0);
}

static void draw_tick(output_file *output, const chart_panel *panel, double ms) {
    double x = position(panel, ms);
    output_text(output,
                "<line class='grid' x1='%.1f' y1='%d' x2='%.1f' y2='%d'/><text class='soft middle' x='%.1f' y='%d'>"
                "%g</text>\n",
                x, BARS_TOP - 6, x, BARS_TOP + BAR_STEP * (int)panel->measured, x, BARS_TOP - 12, ms);
}

// 1, 2 or 5 times a power of ten, for three to seven ticks.
static double tick_step(double high) {
    double unit = pow(10.0, floor(log10(high)));
    double leading = high / unit;
    return leading < 1.5 ? 0.2 * unit : leading < 3.0 ? 0.5 * unit : leading < 7.0 ? unit : 2.0 * unit;
}

static void draw_ticks(output_file *output, const chart_panel *panel) {
    double step = panel->logarithmic ? 0.0 : tick_step(panel->high);
    int count = (int)floor((panel->logarithmic ? log10(panel->high / panel->low) : panel->high / step) + 1e-6);
    for (int i = 0; i <= count; i++) {
        draw_tick(output, panel, panel->logarithmic ? panel->low * pow(10.0, i) : step * i);
    }
}

static bool is_estimated(const chart_panel *panel) {
    for (size_t i = panel->measured; i < panel->count; i++) {
        if (panel->rows[i].method == BP_METHOD_BRUTE_FORCE) return true;
    }
    return false;
}

static void draw_panel_head(output_file *output, const chart_panel *panel) {
    char objects[NUMBER_LENGTH_MAX], pairs[NUMBER_LENGTH_MAX];
    int right = panel->left + panel->width;
    output_text(output, "<text class='strong' x='%d' y='%d'>%s boxes<tspan class='soft' font-weight='400'>",
                panel->left, PANEL_TOP, number_grouped(objects, panel->rows[0].objects));
    if (panel->rows[0].left_out_ms <= 0.0) {
        output_text(output, ", %s pairs overlap", number_grouped(pairs, panel->rows[0].pairs));
    }
    output_text(output, "</tspan></text>\n<text class='soft' x='%d' y='%d'>ms a step%s</text>\n", panel->left,
                PANEL_TOP + 22, panel->logarithmic ? " (update + find), logarithmic scale" : "");
    if (panel->rows[0].speed_up > 0.0) {
        output_text(output, "<text class='soft right' x='%d' y='%d'>times as fast as brute force%s</text>\n", right,
                    PANEL_TOP + 22, is_estimated(panel) ? " (estimated)" : "");
    }
}

static void draw_rectangle(output_file *output, const char *class, double left, double right, int top) {
    output_text(output, "<rect class='bar %s' x='%.1f' y='%d' width='%.1f' height='%d'/>\n", class, left, top,
                right - left, BAR_HEIGHT);
}

// Lengths on a logarithmic scale do not add up, so there a bar is one piece.
static void draw_bar(output_file *output, const chart_panel *panel, const demo_row *row, int top) {
    double begin = bars_left(panel), end = position(panel, demo_total_ms(row));
    double middle = panel->logarithmic ? begin : position(panel, row->update_ms);
    char time[DEMO_TEXT_MAX];
    if (!panel->logarithmic) draw_rectangle(output, "update", begin, middle, top);
    draw_rectangle(output, "find", middle, end, top);
    output_text(output, "<text x='%.1f' y='%d'>%s</text>\n", end + 8, top + BAR_HEIGHT - 3,
                demo_time_text(time, demo_total_ms(row)));
}

static void draw_row(output_file *output, const chart_panel *panel, const demo_row *row, int top) {
    int base = top + BAR_HEIGHT - 3;
    char text[DEMO_TEXT_MAX];
    output_text(output, "<g class='%s'><text class='right%s' x='%d' y='%d'>%s, %u thread%s</text>\n",
                row->is_default ? "default" : "other", row->is_default ? " strong" : "", bars_left(panel) - 10, base,
                bp_method_name(row->method), row->threads, row->threads == 1 ? "" : "s");
    if (row->left_out_ms > 0.0) {
        output_text(output, "<text class='soft' x='%d' y='%d'>%s</text>\n", bars_left(panel) + 8, base,
                    demo_left_out_text(text, row));
    } else {
        draw_bar(output, panel, row, top);
    }
    if (row->speed_up > 0.0) {
        output_text(output, "<text class='right%s' x='%d' y='%d'>%s</text>\n", row->is_default ? " strong" : "",
                    panel->left + panel->width, base, demo_speed_up_text(text, row));
    }
    output_text(output, "</g>\n");
}

static void draw_panel(output_file *output, const chart_panel *panel) {
    draw_panel_head(output, panel);
    if (panel->measured > 0) draw_ticks(output, panel);
    for (size_t i = 0; i < panel->count; i++) {
        draw_row(output, panel, &panel->rows[i], BARS_TOP + BAR_STEP * (int)i);
    }
}

static size_t first_group(const demo_results *results) {
    size_t count = 0;
    while (count < results->row_count && results->rows[count].objects == results->rows[0].objects) count++;
    return count;
}

static void draw_chart_head(output_file *output) {
    const int top = CHART_TOP - 13;
    output_text(output, "<text class='head' x='%d' y='%d'>Time of a step: all boxes move, all pairs are found</text>\n",
                MARGIN, CHART_TOP);
    draw_key(output, MARGIN + 590, top, "bar update", "update");
    draw_key(output, MARGIN + 690, top, "bar find", "find pairs");
    output_text(output, "<g class='default'>");
    draw_key(output, MARGIN + 810, top, "bar find", "the method that the library chooses by itself");
    output_text(output, "</g>\n");
}

static void draw_chart(output_file *output, const demo_results *results) {
    size_t first = first_group(results), second = results->row_count - first;
    int width = second == 0 ? SLICE_WIDTH : (SLICE_WIDTH - PANEL_GAP) / 2;
    chart_panel panels[] = {
        {.rows = results->rows, .count = first, .left = MARGIN, .width = width},
        {.rows = results->rows + first, .count = second, .left = MARGIN + width + PANEL_GAP, .width = width}};
    draw_chart_head(output);
    for (size_t i = 0; i < 2; i++) {
        if (panels[i].count == 0) continue;
        set_scale(&panels[i]);
        draw_panel(output, &panels[i]);
    }
}

static int notes_top(const demo_results *results) {
    size_t first = first_group(results), second = results->row_count - first;
    return BARS_TOP + BAR_STEP * (int)(first > second ? first : second) + NOTES_TOP;
}

static void draw_notes(output_file *output, const demo_results *results) {
    for (size_t i = 0; i < results->note_count; i++) {
        output_text(output, "<text class='soft' x='%d' y='%d'>%s</text>\n", MARGIN,
                    notes_top(results) + NOTE_STEP * (int)i, results->notes[i]);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// The page

static void draw_page(output_file *output, const demo_results *results, size_t boxes) {
    char objects[NUMBER_LENGTH_MAX];
    int height = notes_top(results) + NOTE_STEP * (int)results->note_count + FOOTER_HEIGHT;
    output_text(output, "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d'>\n", WIDTH,
                height, WIDTH, height);
    output_text(output, "<title>broadphase: which of these boxes overlap?</title>\n");
    output_bytes(output, STYLE, sizeof STYLE - 1);
    output_text(output, "<defs>\n");
    draw_stripes(output, "stripes", "grey");
    draw_stripes(output, "blue-stripes", "blue");
    output_text(output,
                "<clipPath id='window'><rect x='%d' y='%d' width='%d' height='%d' rx='6'/></clipPath>\n</defs>\n",
                MARGIN, SLICE_TOP, SLICE_WIDTH, SLICE_HEIGHT);
    output_text(output, "<rect class='page' width='100%%' height='100%%' rx='8'/>\n");
    output_text(output, "<text class='title' x='%d' y='54'>Which of these boxes overlap?</text>\n", MARGIN);
    output_text(output,
                "<text class='soft' x='%d' y='84'>A slice of %d x %d box sizes through the middle of %s moving boxes "
                "(scene \xE2\x80\x98uniform\xE2\x80\x99)</text>\n",
                MARGIN, SLICE_COLUMNS, SLICE_ROWS, number_grouped(objects, boxes));
}

bool demo_picture_write(const char *path, const demo_results *results, const bp_box *boxes, size_t count,
                        failure *why) {
    slice_view slice = {0};
    output_file output;
    place_window(&slice, boxes, count);
    bool good = collect(&slice, boxes, count, why) && output_open(&output, path, why);
    if (good) {
        draw_page(&output, results, count);
        bool drawn = draw_slice(&output, &slice, why);
        draw_slice_legend(&output, &slice);
        draw_chart(&output, results);
        draw_notes(&output, results);
        output_text(&output, "</svg>\n");
        good = output_close(&output, why) && drawn;
    }
    bp_pairs_free(&slice.pairs, NULL);
    free(slice.boxes);
    return good;
}
