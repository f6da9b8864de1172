#include "commands/demo_picture.h"

#include "commands/library.h"
#include "formats/number.h"
#include "formats/stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// All lengths in pixels, but for the slice: its window is measured in mean box sizes.
enum {
    WIDTH = 1040,
    MARGIN = 40,
    SLICE_TOP = 112,
    SLICE_COLUMNS = 40,
    SLICE_ROWS = 24,
    SLICE_UNIT = 24,
    SLICE_WIDTH = SLICE_COLUMNS * SLICE_UNIT,
    SLICE_HEIGHT = SLICE_ROWS * SLICE_UNIT,
    LEGEND_TOP = SLICE_TOP + SLICE_HEIGHT + 18,
    CHART_TOP = LEGEND_TOP + 74,
    GROUP_HEIGHT = 46,
    BAR_HEIGHT = 20,
    BAR_STEP = 32,
    BAR_LEFT = MARGIN + 230,
    BAR_LENGTH = 520,
    FOOTER_HEIGHT = 34
};

static const char STYLE[] =
    "<style>\n"
    "text{font-family:'Helvetica Neue',Helvetica,Arial,'DejaVu Sans',sans-serif;font-size:14px;fill:#1f2933}\n"
    ".title{font-size:28px;font-weight:700}\n"
    ".head{font-size:17px;font-weight:700}\n"
    ".soft{fill:#5f6b7a}\n"
    ".right{text-anchor:end}\n"
    ".alone{fill:#f4f6f8;stroke:#b9c3cd;stroke-width:1}\n"
    ".meets{fill:#2563eb;fill-opacity:.13;stroke:#1e40af;stroke-width:1.5}\n"
    ".shared{fill:#f97316;stroke:#9a3412;stroke-width:1}\n"
    ".update{fill:url(#stripes);stroke:#1e40af;stroke-width:1}\n"
    ".find{fill:#2563eb;stroke:#1e40af;stroke-width:1}\n"
    "</style>\n"
    "<defs>\n"
    "<pattern id='stripes' width='6' height='6' patternUnits='userSpaceOnUse' patternTransform='rotate(45)'>"
    "<rect width='6' height='6' fill='#dbe7ff'/><rect width='2.5' height='6' fill='#6b95ee'/></pattern>\n";

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

// From the back to the front: boxes that meet none, boxes that meet another, what they share.
static bool draw_slice(output_file *output, const slice_view *slice, failure *why) {
    char *meets = calloc(slice->count + 1, 1);
    if (meets == NULL) return failure_memory(why);
    for (size_t i = 0; i < slice->pairs.count; i++) {
        meets[slice->pairs.data[i].a] = meets[slice->pairs.data[i].b] = 1;
    }
    output_text(output,
                "<rect x='%d' y='%d' width='%d' height='%d' rx='6' fill='#ffffff'/>\n<g clip-path='url(#window)'>\n",
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
    output_text(output, "</g>\n<rect x='%d' y='%d' width='%d' height='%d' rx='6' fill='none' stroke='#cbd2d9'/>\n",
                MARGIN, SLICE_TOP, SLICE_WIDTH, SLICE_HEIGHT);
    free(meets);
    return true;
}

static void draw_key(output_file *output, int left, const char *class, const char *text) {
    output_text(output, "<rect class='%s' x='%d' y='%d' width='18' height='14'/>\n<text x='%d' y='%d'>%s</text>\n",
                class, left, LEGEND_TOP, left + 26, LEGEND_TOP + 12, text);
}

static void draw_slice_legend(output_file *output, const slice_view *slice) {
    char text[96];
    draw_key(output, MARGIN, "shared", "what two boxes share");
    draw_key(output, MARGIN + 200, "meets", "box that overlaps another in this slice");
    draw_key(output, MARGIN + 510, "alone", "box that overlaps none in it");
    snprintf(text, sizeof text, "%zu boxes, %zu pairs in view", slice->count, slice->pairs.count);
    output_text(output, "<text class='soft right' x='%d' y='%d'>%s</text>\n", WIDTH - MARGIN, LEGEND_TOP + 12, text);
}

// ---------------------------------------------------------------------------------------------------------------------
// The chart

static bool begins_group(const demo_row *rows, size_t index) {
    return index == 0 || rows[index].objects != rows[index - 1].objects;
}

static double slowest_like(const demo_row *rows, size_t count, size_t objects) {
    double slowest = 1e-9;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].objects == objects) slowest = fmax(slowest, demo_total_ms(&rows[i]));
    }
    return slowest;
}

static void draw_bar(output_file *output, const demo_row *row, double slowest, int top) {
    double update = BAR_LENGTH * row->update_ms / slowest;
    double find = BAR_LENGTH * row->find_ms / slowest;
    double total = demo_total_ms(row);
    int base = top + BAR_HEIGHT - 5;
    output_text(output, "<text class='right' x='%d' y='%d'>%s, %u thread%s</text>\n", BAR_LEFT - 12, base,
                bp_method_name(row->method), row->threads, row->threads == 1 ? "" : "s");
    output_text(output, "<rect class='update' x='%d' y='%d' width='%.1f' height='%d'/>\n", BAR_LEFT, top, update,
                BAR_HEIGHT);
    output_text(output, "<rect class='find' x='%.1f' y='%d' width='%.1f' height='%d'/>\n", BAR_LEFT + update, top, find,
                BAR_HEIGHT);
    output_text(output, "<text x='%.1f' y='%d'>%.*f ms", BAR_LEFT + update + find + 10, base,
                total < 10     ? 2
                : total < 1000 ? 1
                               : 0,
                total);
    if (slowest / total >= 1.05) {
        output_text(output, "<tspan class='soft' dx='8'>%.*f times as fast</tspan>", slowest / total < 10 ? 1 : 0,
                    slowest / total);
    }
    output_text(output, "</text>\n");
}

static void draw_chart(output_file *output, const demo_row *rows, size_t count) {
    int top = CHART_TOP;
    output_text(output, "<text class='head' x='%d' y='%d'>Time per step</text>\n", MARGIN, top);
    output_text(output,
                "<rect class='update' x='%d' y='%d' width='18' height='14'/><text x='%d' y='%d'>update</text>\n"
                "<rect class='find' x='%d' y='%d' width='18' height='14'/><text x='%d' y='%d'>find pairs</text>\n"
                "<text class='soft right' x='%d' y='%d'>each group has its own scale</text>\n",
                BAR_LEFT, top - 13, BAR_LEFT + 26, top - 1, BAR_LEFT + 100, top - 13, BAR_LEFT + 126, top - 1,
                WIDTH - MARGIN, top - 1);
    for (size_t i = 0; i < count; i++) {
        if (begins_group(rows, i)) {
            char objects[NUMBER_LENGTH_MAX];
            top += GROUP_HEIGHT;
            output_text(output, "<text class='soft' x='%d' y='%d'>%s boxes, %.1f pairs a box</text>\n", MARGIN,
                        top - 12, number_grouped(objects, rows[i].objects),
                        (double)rows[i].pairs / (double)rows[i].objects);
        }
        draw_bar(output, &rows[i], slowest_like(rows, count, rows[i].objects), top);
        top += BAR_STEP;
    }
}

static int picture_height(const demo_row *rows, size_t count) {
    int height = CHART_TOP + FOOTER_HEIGHT;
    for (size_t i = 0; i < count; i++) height += BAR_STEP + (begins_group(rows, i) ? GROUP_HEIGHT : 0);
    return height;
}

// ---------------------------------------------------------------------------------------------------------------------
// The page

static void draw_page(output_file *output, const demo_row *rows, size_t row_count, size_t boxes) {
    char objects[NUMBER_LENGTH_MAX];
    int height = picture_height(rows, row_count);
    output_text(output, "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d'>\n", WIDTH,
                height, WIDTH, height);
    output_text(output, "<title>broadphase: which of these boxes overlap?</title>\n%s", STYLE);
    output_text(output,
                "<clipPath id='window'><rect x='%d' y='%d' width='%d' height='%d' rx='6'/></clipPath>\n</defs>\n",
                MARGIN, SLICE_TOP, SLICE_WIDTH, SLICE_HEIGHT);
    output_text(output, "<rect width='100%%' height='100%%' fill='#fafbfc'/>\n");
    output_text(output, "<text class='title' x='%d' y='60'>Which of these boxes overlap?</text>\n", MARGIN);
    output_text(output,
                "<text class='soft' x='%d' y='90'>A slice of %d x %d box sizes through the middle of the scene "
                "\xE2\x80\x98uniform\xE2\x80\x99 with %s moving boxes</text>\n",
                MARGIN, SLICE_COLUMNS, SLICE_ROWS, number_grouped(objects, boxes));
}

bool demo_picture_write(const char *path, const demo_row *rows, size_t row_count, const bp_box *boxes, size_t count,
                        failure *why) {
    slice_view slice = {0};
    output_file output;
    place_window(&slice, boxes, count);
    bool good = collect(&slice, boxes, count, why) && output_open(&output, path, why);
    if (good) {
        draw_page(&output, rows, row_count, count);
        bool drawn = draw_slice(&output, &slice, why);
        draw_slice_legend(&output, &slice);
        draw_chart(&output, rows, row_count);
        output_text(&output, "</svg>\n");
        good = output_close(&output, why) && drawn;
    }
    bp_pairs_free(&slice.pairs, NULL);
    free(slice.boxes);
    return good;
}
