// Pairs between two sets of boxes, for one search: nothing is built that could be kept.
//
//     most of a set is where the other one is not  is left out first (cut_sets.h)
//     few boxes of one set                         all pairs
//     both in a good order, as meshes are          trees in the order of the boxes, on a budget; if that is over, what follows
//     boxes that are alike, or not too different   strips, in which the sets are flags of the entries (strips.h)
//     else                                         trees, on a budget
//     needles; few boxes; the budget is over       split
#ifndef BP_TWO_SETS_H
#define BP_TWO_SETS_H

#include "engine/all_pairs.h"
#include "engine/grid/cut_sets.h"
#include "engine/grid/strips.h"
#include "engine/tree/tree.h"

// What a search took.
typedef enum bp_two_sets_form {
    BP_TWO_ALL_PAIRS,
    BP_TWO_RUNS,
    BP_TWO_STRIPS,
    BP_TWO_TREES,
    BP_TWO_SPLIT
} bp_two_sets_form;

// All zero is empty, but for the setup.
typedef struct bp_two_sets {
    const bp_method_setup *setup;
    bp_all_pairs all;
    bp_tree runs[2]; // of both sets
    bp_cut_sets cut;
    bp_strip_grid strips;
    void *tree, *split;    // of their ops; NULL until they are needed
    bp_two_sets_form form; // of the last search
} bp_two_sets;

void bp_two_sets_init(bp_two_sets *sets, const bp_method_setup *setup);
void bp_two_sets_free(bp_two_sets *sets);
size_t bp_two_sets_bytes(const bp_two_sets *sets);

// Finds every overlapping pair of a box of a and a box of b.
bp_status bp_two_sets_find(bp_two_sets *sets, const bp_box *a, size_t a_count, const bp_box *b, size_t b_count,
                           bp_sink *sink);

// The fields that describe the last search.
void bp_two_sets_stats(const bp_two_sets *sets, bp_stats *stats);

#endif
