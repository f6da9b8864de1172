// Boxes: validity, holes, and the overlap test that defines what the library is about.
#ifndef BP_BOXES_H
#define BP_BOXES_H

#include <broadphase/broadphase.h>
#include <math.h>
#include <stdbool.h>

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

// A hole overlaps nothing, because no comparison with NaN holds.
static inline bp_box bp_box_hole(void) {
    return (bp_box){.min = {NAN, NAN, NAN}, .max = {NAN, NAN, NAN}};
}

static inline bool bp_box_is_hole(const bp_box *box) {
    return isnan(box->min[0]);
}

// Copies boxes with as many threads as pay.
void bp_boxes_copy(bp_box *to, const bp_box *from, size_t count, const bp_executor *executor);

// Checks an array that a caller gave: count in range, not NULL unless empty, every box valid. Logs what is wrong.
bp_status bp_boxes_check(const bp_box *boxes, size_t count, const bp_config *config);

#endif
