// Making proxies and images.
//
// Along a periodic axis a box is moved into the period, so that it begins in [0, P]. If it reaches the end of the
// period, it also has an image, moved down by P; with several such axes, one image for each set of them.
//
//              0                        P
//              |  [-b-]          [---c--|---]        c reaches the end, so it has an image c', which overlaps b
//     [---c'---|---]                    |
//
// Two boxes overlap somewhere if and only if along each axis their proxies do, or the proxy of one and the image of the
// other. view_confirm.c makes sure that exactly one of these places is reported.
//
// Cost: one pass over the boxes, and a second one over a byte for each. Of n objects in a cube about n^(2/3) have
// images.
//
// The slack. The definition (overlap.c) is computed in 64 bits, and rounds: a - b is off by 2^-53 (|a| + |b|) at most.
// If each interval is larger than its object by 2^-47 times its own largest coordinate (and the period), intervals
// overlap whenever the computed formula says that the objects do, the rounding in this file included: spheres and
// periods together take about twenty operations. A box that already lies in the period is compared only by its
// coordinates along an axis without a shift: it needs no slack there.
#include "view/view.h"

#include "base/boxes.h"
#include "base/log.h"
#include "base/parallel.h"
#include "view/view_ranks.h"

#include <float.h>

static const double SLACK = 0x1p-47;
static const double SLACK_LEAST = 0x1p-530; // squares of less vanish
static const double RADIUS_MOST = 0x1p+500; // squares of much more are infinite

enum {
    AXES = 7, // marks: a bit per axis along which a box has an image
    BLOCK_LEAST = 4096,
    BLOCKS_MAX = 256
};

void bp_view_init(bp_view *view, const bp_overlap_rule *rule, const bp_runtime *runtime) {
    *view = (bp_view){.rule = rule, .runtime = runtime};
}

void bp_view_trim(bp_view *view) {
    bp_buffer_free(&view->intervals, &view->runtime->allocator);
    bp_buffer_free(&view->lists, &view->runtime->allocator);
}

void bp_view_free(bp_view *view) {
    const bp_allocator *allocator = &view->runtime->allocator;
    bp_view_trim(view);
    bp_buffer_free(&view->proxies, allocator);
    bp_buffer_free(&view->images, allocator);
    bp_buffer_free(&view->marks, allocator);
    view->boxes = NULL;
    view->count = 0;
}

size_t bp_view_bytes(const bp_view *view) {
    return view->proxies.bytes + view->intervals.bytes + view->lists.bytes + view->images.bytes + view->marks.bytes;
}

bool bp_view_is_needed(const bp_overlap_rule *rule, bool is_double) {
    return is_double || rule->margin > 0.0f || rule->shape != BP_SHAPE_BOXES || bp_is_periodic(rule);
}

// ---- intervals ------------------------------------------------------------------------------------------------------

// Where a box is searched for: an interval per axis, and the axes along which it has images.
typedef struct layout {
    bp_box_double base;
    double image_slack[3];
    uint8_t marks;
} layout;

static double slack_at(const bp_box_double *box, uint32_t axis, double period) {
    const double low = fabs(box->min[axis]), high = fabs(box->max[axis]);
    return SLACK * ((low > high ? low : high) + 2.0 * period) + SLACK_LEAST;
}

static void set_axis(layout *l, uint32_t axis, double low, double high) {
    l->base.min[axis] = low;
    l->base.max[axis] = high;
}

// A box that covers the whole period: it overlaps everything along this axis.
static void cover_axis(layout *l, const bp_box_double *box, uint32_t axis) {
    const bool infinite = isinf(box->min[axis]) || isinf(box->max[axis]);
    l->marks |= infinite ? 0 : BP_VIEW_INEXACT;
    set_axis(l, axis, -INFINITY, INFINITY);
}

// A box that lies in the period as it is.
static void keep_axis(layout *l, const bp_box_double *box, uint32_t axis, double period) {
    const double slack = slack_at(box, axis, period);
    set_axis(l, axis, box->min[axis], box->max[axis]);
    l->image_slack[axis] = slack;
    l->marks |= (uint8_t)((box->max[axis] + slack >= period) << axis);
}

static void wrap_axis(layout *l, const bp_box_double *box, uint32_t axis, double period) {
    const double slack = slack_at(box, axis, period);
    const double length = box->max[axis] - box->min[axis] + 2.0 * slack;
    if (!(length < period)) {
        cover_axis(l, box, axis);
        return;
    }
    const double wrapped = fmod(box->min[axis] - slack, period);
    const double low =
        wrapped < 0.0 ? wrapped + period : wrapped; // tiny negative values become the period itself, which is
                                                    // fine
    set_axis(l, axis, low, low + length);
    l->image_slack[axis] = 0.0;
    l->marks |= (uint8_t)(BP_VIEW_INEXACT | (low + length >= period) << axis);
}

static void lay_axis(layout *l, const bp_box_double *box, uint32_t axis, double period, bool sphere) {
    const double min = box->min[axis], max = box->max[axis];
    if (period == 0.0) {
        const double slack = sphere ? slack_at(box, axis, 0.0) : 0.0;
        set_axis(l, axis, min - slack, max + slack);
    } else if (isinf(min) || isinf(max) || !(max - min <= period)) {
        cover_axis(l, box, axis);
    } else if (!sphere && min >= 0.0 && min < period) {
        keep_axis(l, box, axis, period);
    } else {
        wrap_axis(l, box, axis, period);
    }
}

// Spheres so large that the formula overflows are compared with all objects.
static bool is_beyond_spheres(const bp_box_double *box, uint32_t dimensions) {
    bool beyond = true;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        beyond &= box->max[axis] - box->min[axis] > RADIUS_MOST;
    }
    return beyond;
}

// A finite box is a sphere, even if it becomes infinite when it is grown.
static bool is_sphere(const bp_view *view, size_t object) {
    if (view->rule->shape != BP_SHAPE_SPHERES) {
        return false;
    }
    const bp_box_double box = bp_input_double(&view->input, object);
    return !bp_box_double_is_infinite(&box, view->rule->dimensions);
}

static layout lay_out(const bp_view *view, size_t object) {
    const bp_overlap_rule *rule = view->rule;
    layout l = {.marks = view->input.doubles != NULL || rule->shape != BP_SHAPE_BOXES ? BP_VIEW_INEXACT : 0};
    const bp_box_double box = bp_input_grown(&view->input, rule->margin, object);
    const bool sphere = is_sphere(view, object), beyond = sphere && is_beyond_spheres(&box, rule->dimensions);
    for (uint32_t axis = 0; axis < rule->dimensions; ++axis) {
        if (beyond) {
            set_axis(&l, axis, -INFINITY, INFINITY);
        } else {
            lay_axis(&l, &box, axis, bp_period_of(rule, axis), sphere);
        }
    }
    return l;
}

static bp_box_double image_of(const layout *l, const bp_overlap_rule *rule, uint32_t shifts) {
    bp_box_double image = l->base;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        if ((shifts >> axis & 1) != 0) {
            const double period = (double)rule->period[axis];
            image.min[axis] = l->base.min[axis] - period - l->image_slack[axis];
            image.max[axis] = l->base.max[axis] - period + l->image_slack[axis];
        }
    }
    return image;
}

// ---- floats ---------------------------------------------------------------------------------------------------------

// Monotone; only infinite values become infinite.
static float to_float(double value, double origin) {
    if (isinf(value)) {
        return value < 0.0 ? -INFINITY : INFINITY;
    }
    const double moved = value - origin;
    if (moved > (double)FLT_MAX || moved < -(double)FLT_MAX) {
        return moved < 0.0 ? -FLT_MAX : FLT_MAX;
    }
    return (float)moved;
}

static void put_proxy(const bp_view *view, size_t index, const bp_box_double *box) {
    if (view->ranked) {
        ((bp_box_double *)view->intervals.data)[index] = *box;
        return;
    }
    bp_box *proxy = (bp_box *)view->proxies.data + index;
    for (int axis = 0; axis < 3; ++axis) {
        proxy->min[axis] = to_float(box->min[axis], view->origin[axis]);
        proxy->max[axis] = to_float(box->max[axis], view->origin[axis]);
    }
}

static bool is_hole(const bp_input *input, size_t index) {
    return input->doubles != NULL ? isnan(input->doubles[index].min[0]) : bp_box_is_hole(&input->floats[index]);
}

// ---- making ---------------------------------------------------------------------------------------------------------

// The boxes in blocks, and how many images each block has.
typedef struct proxy_maker {
    bp_view *view;
    bp_blocks blocks;
    bp_box inside; // a float box inside this one is its own proxy, and has no image
    bool any_inside;
    size_t images[BLOCKS_MAX]; // number of images of the block; later the index of its first one
} proxy_maker;

static size_t images_of(uint8_t marks) {
    static const uint8_t count[AXES + 1] = {0, 1, 1, 3, 1, 3, 3, 7}; // all sets of axes but the empty one
    return count[marks & AXES];
}

// The region in which most boxes lie, away from the ends of periods; the slack is less than the last place of a float.
static void find_inside(proxy_maker *m) {
    const bp_overlap_rule *rule = m->view->rule;
    m->any_inside =
        m->view->input.floats != NULL && !m->view->ranked && rule->shape == BP_SHAPE_BOXES && rule->margin == 0.0f;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        const float period = (float)bp_period_of(rule, axis);
        m->inside.min[axis] = period > 0.0f ? 0.0f : -INFINITY;
        m->inside.max[axis] = period > 0.0f ? nextafterf(period, 0.0f) : INFINITY;
    }
}

static uint8_t make_base(const proxy_maker *m, size_t i) {
    const bp_view *view = m->view;
    const uint32_t dimensions = view->rule->dimensions;
    bp_box *proxy = (bp_box *)view->proxies.data + i;
    if (m->any_inside && bp_box_contains(&m->inside, &view->input.floats[i], dimensions)) {
        *proxy = bp_box_flatten(view->input.floats[i], dimensions);
        return 0;
    }
    if (view->exact) { // there is only a margin
        *proxy = bp_box_flatten(bp_box_grown(&view->input.floats[i], view->rule->margin), dimensions);
        return 0;
    }
    layout l = {.base = {.min = {NAN, NAN, NAN}, .max = {NAN, NAN, NAN}}};
    if (!is_hole(&view->input, i)) {
        l = lay_out(view, i);
    }
    put_proxy(view, i, &l.base);
    return l.marks;
}

static void task_base(void *context, size_t block) {
    proxy_maker *m = context;
    uint8_t *marks = m->view->marks.data;
    size_t images = 0;
    const size_t end = bp_block_begin(m->blocks, block + 1);
    for (size_t i = bp_block_begin(m->blocks, block); i < end; ++i) {
        const uint8_t mark = make_base(m, i);
        images += images_of(mark);
        if (marks != NULL) {
            marks[i] = mark;
        }
    }
    m->images[block] = images;
}

// The same for 64-bit boxes that only have to become floats.
static void task_round(void *context, size_t block) {
    proxy_maker *m = context;
    const bp_view *view = m->view;
    const bp_box_double *boxes = view->input.doubles;
    bp_box *proxies = view->proxies.data;
    const uint32_t dimensions = view->rule->dimensions;
    const size_t end = bp_block_begin(m->blocks, block + 1);
    for (size_t i = bp_block_begin(m->blocks, block); i < end; ++i) {
        bp_box proxy;
        for (int axis = 0; axis < 3; ++axis) {
            proxy.min[axis] = (float)(boxes[i].min[axis] - view->origin[axis]);
            proxy.max[axis] = (float)(boxes[i].max[axis] - view->origin[axis]);
        }
        proxies[i] = bp_box_flatten(proxy, dimensions);
    }
    m->images[block] = 0;
}

static void make_images(const bp_view *view, size_t object, uint32_t axes, size_t place) {
    const layout l = lay_out(view, object);
    bp_image *images = view->images.data;
    for (uint32_t shifts = 1; shifts <= axes; ++shifts) {
        if ((shifts & ~axes) == 0) {
            const bp_box_double image = image_of(&l, view->rule, shifts);
            put_proxy(view, view->input.count + place, &image);
            images[place++] = (bp_image){.owner = (uint32_t)object, .shifts = shifts};
        }
    }
}

static void task_images(void *context, size_t block) {
    const proxy_maker *m = context;
    const uint8_t *marks = m->view->marks.data;
    size_t place = m->images[block];
    const size_t end = bp_block_begin(m->blocks, block + 1);
    for (size_t i = bp_block_begin(m->blocks, block); i < end; ++i) {
        if ((marks[i] & AXES) != 0) {
            make_images(m->view, i, marks[i] & AXES, place);
            place += images_of(marks[i]);
        }
    }
}

static bool reserve_proxies(bp_view *view, size_t kept, size_t count) {
    const bp_allocator *allocator = &view->runtime->allocator;
    const size_t kept_floats = view->ranked ? 0 : kept * sizeof(bp_box), kept_doubles = kept * sizeof(bp_box_double);
    return bp_buffer_reserve_slack(&view->proxies, allocator, kept_floats, count, sizeof(bp_box)) &&
           (!view->ranked ||
            bp_buffer_reserve_slack(&view->intervals, allocator, kept_doubles, count, sizeof(bp_box_double)));
}

static bp_status add_images(proxy_maker *m) {
    bp_view *view = m->view;
    size_t sum = 0;
    for (size_t block = 0; block < m->blocks.count; ++block) {
        const size_t here = m->images[block];
        m->images[block] = sum;
        sum += here;
    }
    view->count = view->input.count + sum;
    if (sum == 0) {
        return BP_OK;
    }
    if (sum > BP_MAX_COUNT - view->input.count) {
        bp_log_write(&view->runtime->log, "boxes: %zu and %zu images across the period are more than the %zu that fit",
                     view->input.count, sum, BP_MAX_COUNT);
        return BP_ERROR_ARGUMENT;
    }
    if (!reserve_proxies(view, view->input.count, view->count) ||
        !bp_buffer_reserve_slack(&view->images, &view->runtime->allocator, 0, sum, sizeof(bp_image))) {
        return BP_ERROR_MEMORY;
    }
    bp_parallel_for(&view->runtime->executor, m->blocks.count, task_images, m);
    return BP_OK;
}

static bp_status make_proxies(bp_view *view) {
    proxy_maker m = {.view = view};
    const bp_executor *executor = &view->runtime->executor;
    m.blocks = bp_blocks_cut(executor, view->input.count, BLOCK_LEAST, BLOCKS_MAX);
    if (!reserve_proxies(view, 0, view->input.count) ||
        (bp_is_periodic(view->rule) &&
         !bp_buffer_reserve_slack(&view->marks, &view->runtime->allocator, 0, view->input.count, sizeof(uint8_t)))) {
        return BP_ERROR_MEMORY;
    }
    find_inside(&m);
    bp_parallel_for(executor, m.blocks.count, view->rounded ? task_round : task_base, &m);
    const bp_status status = add_images(&m);
    view->boxes = view->proxies.data;
    return status;
}

// Sets the fields that do not depend on single boxes.
static void view_begin(bp_view *view, bp_input input) {
    const bp_overlap_rule *rule = view->rule;
    view->input = input;
    view->boxes = input.floats;
    view->count = input.count;
    view->ranked = view->wants_ranks;
    view->rounded = false;
    view->exact = !view->ranked && input.doubles == NULL && rule->shape == BP_SHAPE_BOXES && !bp_is_periodic(rule);
    for (int axis = 0; axis < 3; ++axis) {
        view->origin[axis] = 0.0;
    }
}

static bp_status make_related_views(bp_view *const *views, size_t view_count) {
    const bp_overlap_rule *rule = views[0]->rule;
    bool is_double = false;
    for (size_t i = 0; i < view_count; ++i) {
        is_double |= views[i]->input.doubles != NULL;
    }
    if (is_double) {
        bp_view_choose_map(views, view_count);
    }
    bp_status status = BP_OK;
    for (size_t i = 0; i < view_count && status == BP_OK; ++i) {
        const bool is_needed = bp_view_is_needed(rule, is_double) || views[i]->ranked;
        status = is_needed && views[i]->input.count > 0 ? make_proxies(views[i]) : BP_OK;
    }
    return status == BP_OK && views[0]->ranked ? bp_view_rank(views, view_count) : status;
}

bp_status bp_view_make(bp_view *view, bp_input input) {
    view_begin(view, input);
    return make_related_views(&view, 1);
}

bp_status bp_view_make_two(bp_view *first, bp_input a, bp_view *second, bp_input b) {
    bp_view *const views[] = {first, second};
    view_begin(first, a);
    view_begin(second, b);
    return make_related_views(views, 2);
}
