// Pairs of boxes that come in a good order, as the triangles of a mesh do: boxes that follow one another in the array are
// near each other. For one set, or between two.
//
//     boxes      ........ ........ ........ ........ .... .... ........ ...      as they are given
//     bundles       |        |        |        |       |    |     |              of up to 8 boxes that follow one another
//
//     sorted        |   |   |   |   |   |   |   |       |   |   |   | ...        along a Z-curve
//     blocks        +---+---+---+---+---+---+---+       +---+---+---+-- ...      of 8 bundles, then of 8 blocks, and so on
//
// Idea: eight boxes that follow one another have bounds hardly larger than their own, so an eighth of all has to be sorted
// to get a tree of both sets. Where the bounds of a bundle are longer than the edges of its boxes together, it is loose:
// there is a gap in it, as where a row of triangles ends, and it is cut there. Each eight bundles of the second set
// walk down the tree of the first together; then each of them walks on alone, and its eight boxes are tested at once
// against the boxes of the first set that are in its bounds. One set is searched as if it were both, but a bundle takes
// only what comes before it in the array.
//
// Cost: 5 ns a box for the tree, and 3 to 5 ns for each bundle or block that is opened: one or two for a box on a surface
// that meets another everywhere. Boxes stay where they are, and all else takes 10 bytes a box: with copies of boxes, half of
// a single call was memory that was new to it. Loses where boxes are in no order: most bundles are loose, which a
// sample tells; and where bundles meet very many others, which a budget ends.
//
// Source: sorting along a Z-curve to get a tree is Lauterbach et al. 2009, opening eight boxes at a time Wald et al. 2008.
#ifndef BP_BUNDLES_H
#define BP_BUNDLES_H

#include "engine/setup.h"
#include "kernels/range_tester.h"

enum { BP_BUNDLES_LEVELS = 12, BP_BUNDLES_LEAST = 128 };

// The bundles of a set.
typedef struct bp_bundle_set {
    const bp_box *boxes;
    size_t box_count;
    bp_buffer ranges; // a bp_bundle_range of each,
    bp_buffer bounds; // and a bp_box
    size_t count;
} bp_bundle_set;

// Sorted along the curve. Boxes that move little stay in good order: it is kept from search to search, as long as there are
// as many bundles, and groups of eight hardly larger than when it was new.
typedef struct bp_sorted_bundles {
    bp_bundle_set set;
    bp_buffer groups;    // a bp_box around each eight of them
    bp_buffer order;     // of uint32_t: their places before they were sorted
    size_t order_count;  // 0: there is none
    double group_length; // when it was new: the edges of all groups
} bp_sorted_bundles;

// All zero is empty, but for the setup.
typedef struct bp_bundles {
    const bp_method_setup *setup;
    bp_bundle_set listed; // in the order of the boxes
    bp_sorted_bundles a, b;
    bool is_one_set;                        // and that is a
    bp_buffer blocks;                       // the tree of a: of bundles, level 1; of those blocks, level 2; ... one
    size_t level_begins[BP_BUNDLES_LEVELS]; // in these
    size_t level_count;
    bp_buffer measured, loose; // scratch
    bp_block_sinks sinks;
} bp_bundles;

// Whether most bundles of a set hold together, and are not all in one place, by a sample. Those in use may be a little worse,
// so that a world does not change its form back and forth.
bool bp_bundles_suit(const bp_bundles *bundles, const bp_box *boxes, size_t count, bool are_in_use);

// Finds every overlapping pair of boxes. There are BP_BUNDLES_LEAST to BP_CELL_ENTRY_ID.
bp_status bp_bundles_find(bp_bundles *bundles, const bp_box *boxes, size_t count, bp_sink *sink);

// Finds every overlapping pair of a box of a and a box of b. There are as many of each.
bp_status bp_bundles_find_between(bp_bundles *bundles, const bp_box *a, size_t a_count, const bp_box *b, size_t b_count,
                                  bp_sink *sink);

// Of the last search: levels of the tree, and bundles as cells.
void bp_bundles_stats(const bp_bundles *bundles, bp_stats *stats);

void bp_bundles_free(bp_bundles *bundles);
size_t bp_bundles_bytes(const bp_bundles *bundles);

#endif
