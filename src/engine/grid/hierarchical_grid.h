// Calls of the hierarchical grid beyond the method interface. `state` is a state of bp_hierarchical_grid_ops.
#ifndef BP_HIERARCHICAL_GRID_H
#define BP_HIERARCHICAL_GRID_H

#include "base/pair_sink.h"
#include "engine/changes.h"
#include "engine/grid/sorted_grid.h"

#include <broadphase/broadphase_tune.h>

// Builds a new state over boxes that are so few, or few and so much alike, or in so good an order, that no other method
// would be faster, and says which. `is_built` is false if they are not, or the setup does not allow it: then nothing is built,
// but it can be.
bp_status bp_hierarchical_grid_build_plainly(void *state, const bp_box *boxes, size_t count, bp_rule *why,
                                             bool *is_built);

// Whether two sets are in so good an order that no other method would find their pairs faster; not if the setup has
// parameters of the grid.
bool bp_hierarchical_grid_suits_two(const void *state, const bp_box *a, size_t a_count, const bp_box *b,
                                    size_t b_count);

// Finds the pairs that have begun and ended since the last search, as (smaller id, larger id). A restated pair that
// overlaps before and after is reported as ended and as begun. Only after an update that returned BP_SEARCH_DIFFERENCE,
// with the changes of that update, which it completes. After a failure the state has to be rebuilt; so it has if
// *gave_up is set, because the search took too many tests: then what the sinks hold means nothing.
bp_status bp_hierarchical_grid_find_difference(void *state, const bp_changes *changes, bp_sink *begun, bp_sink *ended,
                                               bool *gave_up);

// Finds every overlapping pair of a box in `state` and a box in `other`, as (id in state, id in other). Both have just
// been built (and not updated), and neither is linked.
bp_status bp_hierarchical_grid_find_across(void *state, void *other, bp_sink *sink);

// Queries were asked, and more are expected: the next builds take the sorted grid where that costs little more.
void bp_hierarchical_grid_expect_queries(void *state);

// Sorts boxes[0 .. count) for queries alone, beside what has just found their pairs. If memory is short, nothing is sorted.
void bp_hierarchical_grid_sort_for_queries(void *state, const bp_box *boxes, size_t count);

// What has been sorted for queries alone. NULL if nothing was since the last build, update or search between two sets.
const bp_sorted_grid *bp_hierarchical_grid_queried(const void *state);

// The sorted grid of the state, for queries, and the ids of the strays, which are not in it. NULL if there is currently
// no sorted grid.
const bp_sorted_grid *bp_hierarchical_grid_sorted(const void *state, const bp_id **strays, size_t *stray_count);

#endif
