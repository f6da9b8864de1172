// The definition of overlap, for one pair of objects, computed in 64 bits.
//
//     boxes ---> grown by the margin ---> boxes, or the spheres inside them ---> overlap, here or a period apart
//
// view.h finds the candidates for it.
#ifndef BP_OVERLAP_H
#define BP_OVERLAP_H

#include <broadphase/broadphase.h>
#include <math.h>
#include <stdbool.h>

// The parts of a config that define overlap.
typedef struct bp_overlap_rule {
    uint32_t dimensions; // 2 or 3
    bp_shape shape;
    float margin;
    float period[3];
} bp_overlap_rule;

// The length after which an axis repeats; 0 if it does not.
static inline double bp_period_of(const bp_overlap_rule *rule, uint32_t axis) {
    return axis < rule->dimensions ? (double)rule->period[axis] : 0.0;
}

static inline bool bp_is_periodic(const bp_overlap_rule *rule) {
    return bp_period_of(rule, 0) > 0.0 || bp_period_of(rule, 1) > 0.0 || bp_period_of(rule, 2) > 0.0;
}

static inline bp_box_double bp_box_to_double(const bp_box *box) {
    return (bp_box_double){.min = {(double)box->min[0], (double)box->min[1], (double)box->min[2]},
                           .max = {(double)box->max[0], (double)box->max[1], (double)box->max[2]}};
}

// Whether a box is infinite along an axis that counts.
static inline bool bp_box_double_is_infinite(const bp_box_double *box, uint32_t dimensions) {
    bool infinite = false;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        infinite |= isinf(box->min[axis]) || isinf(box->max[axis]);
    }
    return infinite;
}

// The smallest box of the same precision that holds a box grown by a margin on all sides.
bp_box bp_box_grown(const bp_box *box, float margin);
bp_box_double bp_box_double_grown(const bp_box_double *box, float margin);

// Whether two boxes, already grown, overlap by the rule's dimensions and period.
bool bp_boxes_overlap_by_rule(const bp_box_double *a, const bp_box_double *b, const bp_overlap_rule *rule);

// The same for what they stand for: themselves or spheres, by the rule's shape.
bool bp_overlap_by_rule(const bp_box_double *a, const bp_box_double *b, const bp_overlap_rule *rule);

// Whether the sphere in one box lies within the sphere in another, with room for all rounding errors. An infinite box
// remains a box, and contains whatever lies in it.
bool bp_sphere_holds(const bp_box_double *outer, const bp_box_double *inner, uint32_t dimensions);

#endif
