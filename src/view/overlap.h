// The definition of overlap, for one pair of objects, computed in 64 bits.
//
//     boxes ---> grown by the margin ----------------------------> overlap, here or a period apart
//     boxes ---> the spheres inside them, with larger radii --/
//
// A sphere is not the one inside the grown box: the faces of that are rounded, each by another amount, and far from the
// origin its centre would be somewhere else. view.h finds the candidates.
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
    bool tolerant; // spheres overlap also if only rounding keeps them apart
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

// Whether the spheres in two boxes overlap, their radii grown by the rule's margin. If one of the boxes is infinite,
// *as_boxes becomes true: then they are to be compared as boxes.
bool bp_spheres_overlap_by_rule(const bp_box_double *a, const bp_box_double *b, const bp_overlap_rule *rule,
                                bool *as_boxes);

// Whether the sphere in one box lies within the sphere in another, so that whatever overlaps the inner one overlaps the
// outer one by a tolerant rule. Infinite boxes remain boxes: only another of them holds one.
bool bp_sphere_holds(const bp_box_double *outer, const bp_box_double *inner, uint32_t dimensions);

#endif
