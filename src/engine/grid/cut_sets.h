// Two sets, cut to where their bounds meet.
//
//     +-----------+              Only boxes that overlap the bounds of the other set can be in a pair.
//     | a      +==|--------+     If most of a set is elsewhere, the rest of it is listed, and nothing else
//     +--------|==+      b |     is looked at again.
//              +-----------+
//
// Cost: less than 1 ns a box for bounds, and about as much for a cut. Loses where a single box spans everything: then
// nothing can be cut.
#ifndef BP_CUT_SETS_H
#define BP_CUT_SETS_H

#include "engine/grid/cell_maps.h"

// All zero is empty, but for the setup.
typedef struct bp_cut_sets {
    const bp_method_setup *setup;
    bp_buffer tasks;
    bp_id_list lists[2];
} bp_cut_sets;

// The bounds of all boxes of a set; holes are left out. False: memory is short.
bool bp_cut_sets_bounds(bp_cut_sets *cut, const bp_box *boxes, size_t count, bp_box *bounds);

// Lists the boxes of a set that overlap the limits. False: memory is short.
bool bp_cut_sets_list(bp_cut_sets *cut, int side, const bp_box *boxes, size_t count, const bp_box *limits);

void bp_cut_sets_free(bp_cut_sets *cut);
size_t bp_cut_sets_bytes(const bp_cut_sets *cut);

#endif
