// Two sets, cut to where their bounds meet.
//
//     +-----------+              Only boxes that overlap the bounds of the other set can be in a pair.
//     | a      +==|--------+     If most of a set is elsewhere, the rest of it is listed and copied, and nothing else
//     +--------|==+      b |     is looked at again.
//              +-----------+
//
// Cost: less than 1 ns a box for bounds, and about as much for a cut. Loses where a single box spans everything: then
// nothing can be cut.
#ifndef BP_CUT_SETS_H
#define BP_CUT_SETS_H

#include "base/parallel.h"
#include "engine/setup.h"

// All zero is empty, but for the setup.
typedef struct bp_cut_sets {
    const bp_method_setup *setup;
    bp_buffer tasks;
    bp_buffer ids[2], boxes[2];
} bp_cut_sets;

// Cuts each set of which a sample says that it pays: it becomes a copy of the boxes that overlap the bounds of the other one,
// and ids[set] tells which these are. Sets whose bounds are apart become empty. False: memory is short.
bool bp_cut_sets_apply(bp_cut_sets *cut, bp_strip_sets *sets, const uint32_t *ids[2]);

void bp_cut_sets_free(bp_cut_sets *cut);
size_t bp_cut_sets_bytes(const bp_cut_sets *cut);

#endif
