// Pairs between two sets of boxes, for one search: nothing is built that could be kept. Sets in a good order, as meshes
// are, go into bundles (bundles.h). Others:
//
//     a ---> first cells, grown ---> what of b is near ---+---> what of a is near that ---> shared cells or split
//                                                         |
//     large boxes of a ---> against all of b              |     and so on, with larger cells
//     large boxes of b ---> against the others of a  <----+
//
// Idea: most of two large sets cannot meet. So, before anything is sorted, both are cut to where their bounds meet
// (cut_sets.h) if that leaves out most of one; then a sieve: a map of the cells in which boxes of
// one set begin, grown by one cell, answers for each box of the other set with one bit; and what is left of that
// set is the sieve for the first. Cells are a little longer than nine of ten boxes; longer boxes mark and look up
// all their cells; those over more than LARGE_CELLS are left to a coarser round.
//
// Cost: 2 to 4 ns a box for the sieve, whatever happens; then that of what is left.
#ifndef BP_TWO_SETS_H
#define BP_TWO_SETS_H

#include "engine/grid/bundles.h"
#include "engine/grid/cut_sets.h"
#include "engine/grid/shared_cells.h"

enum { BP_TWO_SETS_ROUNDS = 3 };

// The lists of a round.
typedef struct bp_two_sets_round {
    bp_id_list kept[2], large[2], rest;
} bp_two_sets_round;

// All zero is empty, but for the setup.
typedef struct bp_two_sets {
    const bp_method_setup *setup;
    bp_bundles bundles;
    bp_cut_sets cut;
    bp_shared_cells shared;
    bp_two_sets_round rounds[BP_TWO_SETS_ROUNDS];
    bp_buffer boxes[2]; // copies, in the order of a list
    void *split;        // of bp_split_ops; NULL until it is needed

    // Of the last search:
    bool is_split;   // it has been handed over
    bool is_bundled; // both sets are in a good order
    size_t round_count;
} bp_two_sets;

void bp_two_sets_init(bp_two_sets *sets, const bp_method_setup *setup);
void bp_two_sets_free(bp_two_sets *sets);
size_t bp_two_sets_bytes(const bp_two_sets *sets);

// Whether both sets are in a good order, by a sample.
bool bp_two_sets_suit_bundles(const bp_two_sets *sets, const bp_box *a, size_t a_count, const bp_box *b,
                              size_t b_count);

// Finds every overlapping pair of a box of a and a box of b.
bp_status bp_two_sets_find(bp_two_sets *sets, const bp_box *a, size_t a_count, const bp_box *b, size_t b_count,
                           bp_sink *sink);

// The fields that describe the last search: levels are rounds. Not if it has been handed over.
void bp_two_sets_stats(const bp_two_sets *sets, bp_stats *stats);

#endif
