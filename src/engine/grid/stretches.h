// Few boxes against many, in stretches: each of the few is tested against the bounds of a stretch of the many, and
// against its boxes only if it overlaps them.
//
//     many   | . . . . | . . . . | . . . . |       in the order in which they are given, as neighbors often are
//     few    =======                               meets the first stretch, and perhaps the second
//
// Cost: O(many + few * stretches), and few * many where stretches lie everywhere.
#ifndef BP_STRETCHES_H
#define BP_STRETCHES_H

#include "engine/setup.h"
#include "kernels/range_tester.h"

enum { BP_STRETCHES_FEW = 1024 }; // boxes, at most

// About how many of the few boxes a stretch of the many has to be tested against.
double bp_stretches_estimate(const bp_method_setup *setup, const bp_box_list *few, const bp_box_list *many);

// Finds every overlapping pair of boxes of two lists, of which one is short and the ids are at most BP_CELL_ENTRY_ID.
bp_status bp_stretches_find(const bp_method_setup *setup, const bp_box_list *a, const bp_box_list *b,
                            bp_block_sinks *sinks, bp_sink *sink);

#endif
