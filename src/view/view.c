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

#include <float.h>

static const double SLACK = 0x1p-47;
static const double SLACK_MIN = 0x1p-530;  // squares of less vanish
static const double RADIUS_MAX = 0x1p+500; // squares of much more are infinite

enum {
    AXES = 7,         // traits: a bit per axis along which a box has an image
    BLOCK_MIN = 4096, // boxes that are worth a task
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
    bp_buffer_free(&view->traits, allocator);
    view->boxes = NULL;
    view->count = 0;
}

size_t bp_view_bytes(const bp_view *view) {
    return view->proxies.bytes + view->intervals.bytes + view->lists.bytes + view->images.bytes + view->traits.bytes;
}

bool bp_view_is_needed(const bp_overlap_rule *rule, bool is_double) {
    return is_double || rule->margin > 0.0f || rule->shape != BP_SHAPE_BOXES || bp_is_periodic(rule);
}

// ---- intervals ------------------------------------------------------------------------------------------------------

// Where a box is searched for: an interval per axis, and the axes along which it has images.
typedef struct layout {
    bp_box_double base;
    double image_slack[3];
    uint8_t traits;
} layout;

static double slack_at(const bp_box_double *box, uint32_t axis, double period) {
    const double low = fabs(box->min[axis]), high = fabs(box->max[axis]);
    return SLACK * ((low > high ? low : high) + 2.0 * period) + SLACK_MIN;
}

// A box that covers the whole period, or all of space, overlaps everything along this axis. One that already lies in the
// period stays as it is. All others are moved into it, and grow by the slack.
static void lay_axis(layout *l, const bp_box_double *box, uint32_t axis, double period, bool sphere) {
    const double min = box->min[axis], max = box->max[axis], slack = slack_at(box, axis, period);
    const bool infinite = isinf(min) || isinf(max);
    double low = min, high = max;
    if (period == 0.0) {
        low -= sphere ? slack : 0.0;
        high += sphere ? slack : 0.0;
    } else if (!infinite && max - min <= period && !sphere && min >= 0.0 && min < period) {
        l->image_slack[axis] = slack;
        l->traits |= (uint8_t)((max + slack >= period) << axis);
    } else {
        const double length = max - min + 2.0 * slack;
        const bool covers = infinite || !(max - min <= period) || !(length < period);
        const double wrapped = covers ? -INFINITY : fmod(min - slack, period);
        low = wrapped < 0.0 ? wrapped + period : wrapped; // tiny negative values become the period itself
        high = covers ? INFINITY : low + length;
        l->traits |= infinite ? 0 : BP_VIEW_INEXACT;
        l->traits |= (uint8_t)((!covers && high >= period) << axis);
    }
    l->base.min[axis] = low;
    l->base.max[axis] = high;
}

static layout lay_out(const bp_view *view, size_t object) {
    const bp_overlap_rule *rule = view->rule;
    const uint32_t dimensions = rule->dimensions;
    layout l = {.traits = view->input.doubles != NULL || rule->shape != BP_SHAPE_BOXES ? BP_VIEW_INEXACT : 0};
    const bp_box_double box = bp_input_grown(&view->input, rule->margin, object);
    bool sphere = rule->shape == BP_SHAPE_SPHERES;
    if (sphere) { // as it is given: a finite box is a sphere, even if it becomes infinite when it is grown
        const bp_box_double given = bp_input_double(&view->input, object);
        sphere = !bp_box_double_is_infinite(&given, dimensions);
    }
    bool beyond = sphere; // so large that the formula overflows: compared with all objects
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        beyond &= box.max[axis] - box.min[axis] > RADIUS_MAX;
    }
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        if (beyond) {
            l.base.min[axis] = -INFINITY;
            l.base.max[axis] = INFINITY;
        } else {
            lay_axis(&l, &box, axis, bp_period_of(rule, axis), sphere);
        }
    }
    return l;
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

// ---- making ---------------------------------------------------------------------------------------------------------

// The boxes in blocks, and how many images each block has.
typedef struct proxy_maker {
    bp_view *view;
    bp_blocks blocks;
    bp_box inside; // a float box inside this one is its own proxy, and has no image
    bool any_inside;
    size_t images[BLOCKS_MAX]; // number of images of the block; later the index of its first one
} proxy_maker;

static size_t images_of(uint8_t traits) {
    static const uint8_t count[AXES + 1] = {0, 1, 1, 3, 1, 3, 3, 7}; // all sets of axes but the empty one
    return count[traits & AXES];
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
    const bp_input *input = &view->input;
    if (input->doubles != NULL ? !isnan(input->doubles[i].min[0]) : !bp_box_is_hole(&input->floats[i])) {
        l = lay_out(view, i);
    }
    put_proxy(view, i, &l.base);
    return l.traits;
}

static void task_base(void *context, size_t block) {
    proxy_maker *m = context;
    uint8_t *traits = m->view->traits.data;
    size_t images = 0;
    const size_t end = bp_block_begin(m->blocks, block + 1);
    for (size_t i = bp_block_begin(m->blocks, block); i < end; ++i) {
        const uint8_t trait = make_base(m, i);
        images += images_of(trait);
        if (traits != NULL) {
            traits[i] = trait;
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

// One image for each set of the axes along which a box reaches the end of the period.
static void task_images(void *context, size_t block) {
    const proxy_maker *m = context;
    const bp_view *view = m->view;
    const uint8_t *traits = view->traits.data;
    bp_image *images = view->images.data;
    size_t place = m->images[block];
    const size_t end = bp_block_begin(m->blocks, block + 1);
    for (size_t i = bp_block_begin(m->blocks, block); i < end; ++i) {
        const uint32_t axes = traits[i] & AXES;
        if (axes == 0) {
            continue;
        }
        const layout l = lay_out(view, i);
        for (uint32_t shifts = 1; shifts <= axes; ++shifts) {
            bp_box_double image = l.base;
            for (uint32_t axis = 0; axis < 3; ++axis) {
                if ((shifts >> axis & 1) != 0) {
                    const double period = (double)view->rule->period[axis];
                    image.min[axis] = l.base.min[axis] - period - l.image_slack[axis];
                    image.max[axis] = l.base.max[axis] - period + l.image_slack[axis];
                }
            }
            if ((shifts & ~axes) == 0) {
                put_proxy(view, view->input.count + place, &image);
                images[place++] = (bp_image){.owner = (uint32_t)i, .shifts = shifts};
            }
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

static bp_status make_proxies(bp_view *view) {
    proxy_maker m = {.view = view};
    const bp_runtime *runtime = view->runtime;
    const bp_overlap_rule *rule = view->rule;
    const size_t count = view->input.count;
    size_t sum = 0;
    m.blocks = bp_blocks_cut(&runtime->executor, count, BLOCK_MIN, BLOCKS_MAX);
    if (!reserve_proxies(view, 0, count) ||
        (bp_is_periodic(rule) &&
         !bp_buffer_reserve_slack(&view->traits, &runtime->allocator, 0, count, sizeof(uint8_t)))) {
        return BP_ERROR_MEMORY;
    }
    // The region in which most boxes lie, away from the ends of periods; the slack is less than the last place of a float.
    m.any_inside = view->input.floats != NULL && !view->ranked && rule->shape == BP_SHAPE_BOXES && rule->margin == 0.0f;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        const float period = (float)bp_period_of(rule, axis);
        m.inside.min[axis] = period > 0.0f ? 0.0f : -INFINITY;
        m.inside.max[axis] = period > 0.0f ? nextafterf(period, 0.0f) : INFINITY;
    }
    bp_parallel_for(&runtime->executor, m.blocks.count, view->rounded ? task_round : task_base, &m);
    for (size_t block = 0; block < m.blocks.count; ++block) {
        const size_t here = m.images[block];
        m.images[block] = sum;
        sum += here;
    }
    if (sum > BP_MAX_COUNT - count) {
        bp_log_write(&runtime->log, "boxes: %zu boxes and %zu periodic images exceed the limit of %zu", count, sum,
                     BP_MAX_COUNT);
        return BP_ERROR_ARGUMENT;
    }
    view->count = count + sum;
    if (sum > 0) {
        if (!reserve_proxies(view, count, view->count) ||
            !bp_buffer_reserve_slack(&view->images, &runtime->allocator, 0, sum, sizeof(bp_image))) {
            return BP_ERROR_MEMORY;
        }
        bp_parallel_for(&runtime->executor, m.blocks.count, task_images, &m);
    }
    view->boxes = view->proxies.data;
    return BP_OK;
}

static bp_status make_views(bp_view *const *views, const bp_input *inputs, size_t view_count) {
    const bp_overlap_rule *rule = views[0]->rule;
    bool is_double = false;
    for (size_t i = 0; i < view_count; ++i) {
        bp_view *view = views[i];
        is_double |= inputs[i].doubles != NULL;
        view->input = inputs[i];
        view->boxes = inputs[i].floats;
        view->count = inputs[i].count;
        view->ranked = view->wants_ranks;
        view->rounded = false;
        view->exact =
            !view->ranked && inputs[i].doubles == NULL && rule->shape == BP_SHAPE_BOXES && !bp_is_periodic(rule);
        memset(view->origin, 0, sizeof view->origin);
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
    return make_views(&view, &input, 1);
}

bp_status bp_view_make_two(bp_view *first, bp_input a, bp_view *second, bp_input b) {
    return make_views((bp_view *const[]){first, second}, (const bp_input[]){a, b}, 2);
}
