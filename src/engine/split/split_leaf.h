// The leaves of a split: small jobs, whose boxes are tested in columns.
#ifndef BP_SPLIT_LEAF_H
#define BP_SPLIT_LEAF_H

#include "engine/split/split_job.h"
#include "kernels/range_tester.h"

// The columns of a leaf: a and x from position 0 on, b and y from SPLIT_SWEEP_MOST on.
enum { SPLIT_LEAF_COLUMNS = 2 * SPLIT_SWEEP_MOST };

// Tests everything with everything: the boxes of a set with each other, or those of two sets. The tester's objects and
// candidates are the columns of the leaf.
void bp_split_test_within(bp_range_tester *tester, const bp_record_set *set);
void bp_split_test_between(bp_range_tester *tester, const bp_record_set *a, const bp_record_set *b);

// Sorts the sets of a job along an axis and tests only boxes that overlap along it. `share` is the expected share of
// pairs that do.
void bp_split_sweep(bp_range_tester *tester, const split_job *job, int axis, double share);

#endif
