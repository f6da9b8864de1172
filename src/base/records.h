// Boxes as records: a whole box in 32 bytes, for methods that move boxes about.
//
//     | min x | min y | min z | id | -max x | -max y | -max z | 0 |
//
// With the maxima negated, two boxes overlap if one record is at most the mirror of the other, lane by lane; and the
// smallest value of each lane, over many records, is the record of the box around them all.
#ifndef BP_RECORDS_H
#define BP_RECORDS_H

#include <broadphase/broadphase.h>
#include <math.h>
#include <stdbool.h>

typedef struct bp_record {
    float min[3];
    uint32_t id;
    float negated_max[3];
    uint32_t unused;
} bp_record;

// Records one after the other, and the smallest and the largest value of each lane among them (an empty set has
// infinities there).
typedef struct bp_record_set {
    bp_record *data;
    size_t count;
    bp_record low, high;
} bp_record_set;

static inline bp_record_set bp_record_set_empty(bp_record *data) {
    bp_record_set set = {.data = data};
    for (int axis = 0; axis < 3; ++axis) {
        set.low.min[axis] = set.low.negated_max[axis] = INFINITY;
        set.high.min[axis] = set.high.negated_max[axis] = -INFINITY;
    }
    return set;
}

// What the records of all boxes that overlap the box of this record are at most.
static inline bp_record bp_record_mirror(const bp_record *record) {
    bp_record mirror = {.id = 0};
    for (int axis = 0; axis < 3; ++axis) {
        mirror.min[axis] = -record->negated_max[axis];
        mirror.negated_max[axis] = -record->min[axis];
    }
    return mirror;
}

static inline bool bp_record_at_most(const bp_record *record, const bp_record *limit) {
    bool at_most = true;
    for (int axis = 0; axis < 3; ++axis) {
        at_most &= record->min[axis] <= limit->min[axis];
        at_most &= record->negated_max[axis] <= limit->negated_max[axis];
    }
    return at_most;
}

#endif
