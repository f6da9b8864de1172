// A job of the split method, and how it is divided into smaller ones.
//
//     within:   a with itself, and a with b              between:   a with b, a with y, and x with b
//
// In both, what comes second (b within; x and y between) are passengers: boxes that lay across a plane further up, and
// travel down with both sides. A job owns the memory of all of its sets: it may reorder and overwrite them.
//
//     1. decide     leaf, or which plane                  from a sample
//     2. partition  each set into before, across, behind  in place
//     3. carry      the passengers of both sides          copied; those that miss the side's bounds stay behind
#ifndef BP_SPLIT_JOB_H
#define BP_SPLIT_JOB_H

#include "engine/setup.h"
#include "engine/split/split_plane.h"
#include "kernels/range_tester.h"

typedef struct split_job {
    bool within;
    uint32_t path;  // from the root, as a hash: seeds the samples
    uint32_t depth; // from the root
    bp_record_set a, b, x, y;
} split_job;

typedef enum split_way {
    SPLIT_NOTHING,    // no pairs are possible
    SPLIT_TEST,       // within: test all of a with itself, and go on with a and b; between: test all of a with all of b
    SPLIT_SWEEP,      // sort both sets along an axis and sweep over them
    SPLIT_SEPARATE,   // passengers go a way of their own
    SPLIT_BOTH_SIDES, // a plane cuts both sets in three
    SPLIT_ONE_SIDE    // a plane cuts both sets in two: along this axis only one end still matters
} split_way;

typedef struct split_decision {
    split_way way;
    split_plane plane;
    bool b_reaches_a; // SPLIT_ONE_SIDE: a pair is decided by a.min <= b.max, and not by b.min <= a.max
} split_decision;

// The sets of a job after they were partitioned: before, across, behind.
typedef struct split_subsets {
    bp_record_set a[3], b[3];
} split_subsets;

enum {
    SPLIT_CHILDREN = 3,
    SPLIT_SWEEP_MAX = 1024 // boxes of each set
};

size_t bp_split_job_size(const split_job *job);

// Decides what to do; may drop boxes that are in no pair.
split_decision bp_split_decide(split_job *job, const bp_method_setup *setup);

// Parts the sets; `scratch` has room for the larger one.
void bp_split_partition(const split_job *job, const split_decision *decision, const bp_kernels *kernels,
                        bp_record *scratch, split_subsets *subsets);

// The most records that bp_split_carry needs for copies.
size_t bp_split_room(const split_job *job, const split_decision *decision, const split_subsets *subsets);

// Makes the children, with copies in `memory` where two of them need the same boxes. The copies of each child follow those of the
// one before; `end` gets where they end.
void bp_split_carry(const split_job *job, const split_decision *decision, const bp_kernels *kernels,
                    const split_subsets *subsets, bp_record *memory, split_job children[SPLIT_CHILDREN],
                    bp_record *end[SPLIT_CHILDREN]);

// ---- the leaves: small jobs, whose boxes are tested in columns (split_leaf.c) ---------------------------------------

// The columns of a leaf: a and x from position 0 on, b and y from SPLIT_SWEEP_MAX on.
enum { SPLIT_LEAF_COLUMNS = 2 * SPLIT_SWEEP_MAX };

// Tests everything with everything: the boxes of a set with each other, or those of two sets. The tester's objects and
// candidates are the columns of the leaf.
void bp_split_test_within(bp_range_tester *tester, const bp_record_set *set);
void bp_split_test_between(bp_range_tester *tester, const bp_record_set *a, const bp_record_set *b);

// Sorts the sets of a job along an axis and tests only boxes that overlap along it. `share` is the expected share of
// pairs that do.
void bp_split_sweep(bp_range_tester *tester, const split_job *job, int axis, double share);

#endif
