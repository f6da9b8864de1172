// All pairs: every box against all that follow it, eight at a time. Nothing is sorted, and no boxes are bad; for a few dozen.
#ifndef BP_ALL_PAIRS_H
#define BP_ALL_PAIRS_H

#include "engine/setup.h"
#include "kernels/range_tester.h"

typedef struct bp_all_pairs {
    const bp_method_setup *setup;
    size_t count;
    bp_columns columns;
    bp_buffer buffer;
    bp_block_sinks sinks;
} bp_all_pairs;

void bp_all_pairs_free(bp_all_pairs *all);

// Copies the boxes into columns.
bp_status bp_all_pairs_build(bp_all_pairs *all, const bp_box *boxes, size_t count);

// Finds every pair, as (smaller id, larger id).
bp_status bp_all_pairs_find(bp_all_pairs *all, bp_sink *sink);

// Finds every pair of a box of a and a box of b, as (id in a, id in b); nothing has to be built before.
bp_status bp_all_pairs_find_between(bp_all_pairs *all, const bp_box *a, size_t a_count, const bp_box *b, size_t b_count,
                                    bp_sink *sink);

void bp_all_pairs_stats(const bp_all_pairs *all, bp_stats *stats);

#endif
