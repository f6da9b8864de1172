// What a caller gives: boxes in 32 or 64 bits; and what it means that two of them overlap.
//
//     given ---> grown by the margin ---> boxes, or the spheres inside them ---> overlap, here or a period further on
//
// This is the definition, for one pair, computed in 64 bits; view.h finds the candidates for it.
#ifndef BP_GIVEN_H
#define BP_GIVEN_H

#include <broadphase/broadphase.h>
#include <math.h>
#include <stdbool.h>

// One of the two arrays is NULL, or both if there are no boxes.
typedef struct bp_given {
    const bp_box *floats;
    const bp_box_double *doubles;
    size_t count;
} bp_given;

static inline bp_given bp_given_floats(const bp_box *boxes, size_t count) {
    return (bp_given){.floats = boxes, .count = count};
}

static inline bp_given bp_given_doubles(const bp_box_double *boxes, size_t count) {
    return (bp_given){.doubles = boxes, .count = count};
}

// Checks what a caller gave: not NULL unless empty, not too many, every box valid and no longer than the period. Logs
// what is wrong. `wide` says which array was meant, for the case that it is NULL.
bp_status bp_given_check(bp_given given, bool wide, const bp_config *config);

// The smallest box that holds a box grown by a margin on all sides; as bp_box_grown in boxes.h.
bp_box_double bp_box_double_grown(const bp_box_double *box, float margin);

static inline bp_box_double bp_box_widen(const bp_box *box) {
    return (bp_box_double){.min = {(double)box->min[0], (double)box->min[1], (double)box->min[2]},
                           .max = {(double)box->max[0], (double)box->max[1], (double)box->max[2]}};
}

// Box `index` as it is compared: grown by the config's margin, if there is one.
bp_box_double bp_given_box(const bp_given *given, const bp_config *config, size_t index);

// Whether two boxes, already grown, overlap as the config says: its dimensions, period and shape.
bool bp_boxes_meet(const bp_box_double *a, const bp_box_double *b, const bp_config *config);

// Whether the sphere in a box lies within the one in another, with room for all that rounding can do to either. A box
// that is infinite stays a box, and holds whatever lies in it.
bool bp_sphere_holds(const bp_box_double *outer, const bp_box_double *inner, uint32_t dimensions);

// Whether an interval holds a multiple of the period; exact for any finite low <= high.
bool bp_holds_multiple(double low, double high, double period);

// Whether a coordinate that counts is infinite.
static inline bool bp_box_double_is_infinite(const bp_box_double *box, uint32_t dimensions) {
    bool infinite = false;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        infinite |= isinf(box->min[axis]) || isinf(box->max[axis]);
    }
    return infinite;
}

// The length after which an axis repeats; 0 if it does not.
static inline double bp_period_of(const bp_config *config, uint32_t axis) {
    return axis < config->dimensions ? (double)config->period[axis] : 0.0;
}

#endif
