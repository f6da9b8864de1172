#include "world/query/outline.h"

#include "base/boxes.h"

#include <float.h>
#include <math.h>

static const float LARGE_SHARE = 0.125f; // of the longest edge of all bounds: a box with a longer one is large

static const bp_box NOTHING = {.min = {INFINITY, INFINITY, INFINITY}, .max = {-INFINITY, -INFINITY, -INFINITY}};

// A hole changes nothing: no comparison with a NaN is true.
static inline void extend(bp_box *bounds, const bp_box *box) {
    for (int axis = 0; axis < 3; ++axis) {
        bounds->min[axis] = bp_smaller(box->min[axis], bounds->min[axis]);
        bounds->max[axis] = bp_larger(box->max[axis], bounds->max[axis]);
    }
}

static bp_box bounds_of_all(const bp_box *boxes, size_t count) {
    bp_box bounds = NOTHING;
    for (size_t i = 0; i < count; ++i) {
        extend(&bounds, &boxes[i]);
    }
    return bounds;
}

// The same without infinite boxes.
static bp_box bounds_of_finite(const bp_box *boxes, size_t count, uint32_t dimensions) {
    bp_box bounds = NOTHING;
    for (size_t i = 0; i < count; ++i) {
        if (bp_box_is_finite(&boxes[i], dimensions)) {
            extend(&bounds, &boxes[i]);
        }
    }
    return bounds;
}

static inline bool is_large(const bp_box *box, float limit) {
    bool large = false;
    for (int axis = 0; axis < 3; ++axis) {
        large |= box->max[axis] - box->min[axis] > limit;
    }
    return large;
}

static float limit_of(const bp_box *bounds, uint32_t dimensions) {
    float limit = 0.0f;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        limit = bp_larger(LARGE_SHARE * bounds->max[axis] - LARGE_SHARE * bounds->min[axis], limit);
    }
    return limit;
}

static bp_box_double without_unused_axis(const bp_box *box, uint32_t dimensions) {
    bp_box_double wide = bp_box_to_double(box);
    if (dimensions == 2) {
        wide.min[2] = -INFINITY;
        wide.max[2] = INFINITY;
    }
    return wide;
}

// Lists the boxes with an edge above the limit. Returns the bounds of the others; if there are too many to be listed, of
// all.
static bp_box list_large(bp_outline *outline, const bp_box *boxes, size_t count, float limit, uint32_t dimensions) {
    bp_box bounds = NOTHING;
    outline->large_count = 0;
    for (size_t i = 0; i < count; ++i) {
        if (!is_large(&boxes[i], limit)) {
            extend(&bounds, &boxes[i]);
            continue;
        }
        if (outline->large_count == BP_OUTLINE_LARGE) {
            outline->large_count = 0;
            return bounds_of_all(boxes, count);
        }
        outline->boxes[outline->large_count + 1] = without_unused_axis(&boxes[i], dimensions);
        outline->large_ids[outline->large_count++] = (bp_id)i;
    }
    return bounds;
}

void bp_outline_draw(bp_outline *outline, const bp_box *boxes, size_t count, uint32_t dimensions) {
    bp_box all = bounds_of_all(boxes, count);
    if (!bp_box_is_finite(&all, dimensions)) {
        all = bounds_of_finite(boxes, count, dimensions);
    }
    const bp_box bounds = list_large(outline, boxes, count, limit_of(&all, dimensions), dimensions);
    outline->boxes[0] = without_unused_axis(&bounds, dimensions);
}

// What a cast passes on its way, with room for the rounding of all that decides whether it hits: the sum and the product
// here, a difference and a quotient there, each by 2^-53, or below that by 2^-1074 in units of the direction.
static inline bp_box_double way_of(const bp_cast_double *cast) {
    bp_box_double way;
    for (int axis = 0; axis < 3; ++axis) {
        const double from = cast->box.min[axis], to = cast->box.max[axis], speed = cast->direction[axis];
        const double least = 0x1p-1000 * fabs(speed) + DBL_MIN, from_end = from + cast->max_t * speed,
                     to_end = to + cast->max_t * speed;
        const double low = from_end < from ? from_end : from, high = to_end > to ? to_end : to; // a NaN is 0 * infinity
        way.min[axis] = low - (0x1p-48 * (fabs(from) + fabs(low)) + least);
        way.max[axis] = high + (0x1p-48 * (fabs(to) + fabs(high)) + least);
    }
    return way;
}

// Without a branch, which would be unpredictable.
static inline bool is_apart(const bp_box_double *way, const bp_box_double *box) {
    bool apart = false;
    for (int axis = 0; axis < 3; ++axis) {
        apart |= (way->max[axis] < box->min[axis]) | (way->min[axis] > box->max[axis]);
    }
    return apart;
}

bool bp_outline_is_missed(const bp_outline *outline, const bp_cast_double *cast) {
    const bp_box_double way = way_of(cast);
    bool missed = true;
    for (size_t i = 0; i <= outline->large_count && missed; ++i) {
        missed = is_apart(&way, &outline->boxes[i]);
    }
    return missed;
}
