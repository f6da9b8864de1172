// Boxes: validity, holes, and the overlap test.
#ifndef BP_BOXES_H
#define BP_BOXES_H

#include <broadphase/broadphase.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#if FLT_EVAL_METHOD != 0
#error "a float must be computed as a float: -msse2 -mfpmath=sse for 32-bit x86, or -fexcess-precision=fast"
#endif

// False for a NaN and for min > max. In two dimensions z may be anything.
static inline bool bp_box_is_valid(const bp_box *box, uint32_t dimensions) {
    const bool xy = (box->min[0] <= box->max[0]) & (box->min[1] <= box->max[1]);
    return xy & ((dimensions == 2) | (box->min[2] <= box->max[2]));
}

// The box as methods see it: in two dimensions it lies flat at z = 0.
static inline bp_box bp_box_flatten(bp_box box, uint32_t dimensions) {
    if (dimensions == 2) {
        box.min[2] = 0.0f;
        box.max[2] = 0.0f;
    }
    return box;
}

// Closed boxes: touching counts. False if a coordinate is NaN.
static inline bool bp_boxes_overlap(const bp_box *a, const bp_box *b, uint32_t dimensions) {
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        if (!(a->min[axis] <= b->max[axis] && b->min[axis] <= a->max[axis])) {
            return false;
        }
    }
    return true;
}

// The same without a branch, for boxes that miss each other along an unpredictable axis: one wrong prediction costs
// more than all six comparisons together.
static inline bool bp_boxes_overlap_branchless(const bp_box *a, const bp_box *b, uint32_t dimensions) {
    const bool z = (a->min[2] <= b->max[2]) & (b->min[2] <= a->max[2]);
    return (a->min[0] <= b->max[0]) & (b->min[0] <= a->max[0]) & (a->min[1] <= b->max[1]) & (b->min[1] <= a->max[1]) &
           ((dimensions == 2) | z);
}

// A hole overlaps nothing, because no comparison with NaN holds.
static inline bp_box bp_box_hole(void) {
    return (bp_box){.min = {NAN, NAN, NAN}, .max = {NAN, NAN, NAN}};
}

static inline bool bp_box_is_hole(const bp_box *box) {
    return isnan(box->min[0]);
}

// Equal coordinates; -0 equals 0. A hole is not the same as any box, not even as a hole.
static inline bool bp_box_is_same(const bp_box *a, const bp_box *b) {
    bool same = true;
    for (int axis = 0; axis < 3; ++axis) {
        same &= (a->min[axis] == b->min[axis]) & (a->max[axis] == b->max[axis]);
    }
    return same;
}

static inline bool bp_box_contains(const bp_box *outer, const bp_box *inner, uint32_t dimensions) {
    bool inside = true;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        inside &= (outer->min[axis] <= inner->min[axis]) & (inner->max[axis] <= outer->max[axis]);
    }
    return inside;
}

// Rounds towards minus infinity. Without a branch, which would be unpredictable: the bits of a float without its sign
// grow with its magnitude, and a value that rounds to zero keeps its sign.
static inline float bp_round_down(double value) {
    float near = (float)value;
    uint32_t bits;
    memcpy(&bits, &near, sizeof bits);
    const uint32_t step = (double)near > value;
    bits += bits >> 31 != 0 ? step : 0 - step;
    memcpy(&near, &bits, sizeof bits);
    return near;
}

static inline float bp_round_up(double value) {
    return -bp_round_down(-value);
}

// Copies boxes, with several threads if there are enough of them.
void bp_boxes_copy(bp_box *to, const bp_box *from, size_t count, const bp_executor *executor);

// Neither a hole nor infinite.
static inline bool bp_box_is_finite(const bp_box *box, uint32_t dimensions) {
    bool finite = true;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        finite &= (box->min[axis] >= -FLT_MAX) & (box->max[axis] <= FLT_MAX);
    }
    return finite;
}

// Not fminf and fmaxf: those are calls, because of their rules for NaNs.
static inline float bp_smaller(float a, float b) {
    return a < b ? a : b;
}

static inline float bp_larger(float a, float b) {
    return a > b ? a : b;
}

#endif
