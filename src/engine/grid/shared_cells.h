// Pairs of two sets of boxes, found in the cells that boxes of both sets are in.
//
//     cells of a    . a a a . .      1. a map of all cells of the one set; each marked cell has a rank
//     cells of b    . . . b b b      2. entries (cell, box) of the other set, in marked cells only
//     shared        . . . # . .      3. entries of the one set, in cells where the other has any
//                                    4. both sorted by cell, and tested cell by cell
//
// A box has an entry for each of its cells, so a pair may meet in several. It is reported where, along each axis, one
// of the two begins: there is one such cell.
//
// Cost: O(boxes + cells + tests). Nothing is ever looked up where only one set is: that is what it gains over grids
// that are searched row by row, where boxes lie on surfaces. Loses where cells are crowded (the search has a budget), and
// by a third where boxes fill all space, because of the copies.
#ifndef BP_SHARED_CELLS_H
#define BP_SHARED_CELLS_H

#include "base/bucket_sort.h"
#include "engine/grid/cell_maps.h"
#include "kernels/range_tester.h"

// The entries of one set.
typedef struct bp_cell_entries {
    bp_partition partition; // where those of each cell are,
    bp_buffer items;        // in this order
} bp_cell_entries;

// All zero is empty, but for the setup.
typedef struct bp_shared_cells {
    const bp_method_setup *setup;
    bp_cell_maps maps;
    bp_buffer ranks, wanted;
    bp_buffer blocks; // lists of entries as they are found, each by a block of boxes: of one set, then of the other
    size_t block_count;
    bp_cell_entries entries[2];
    bp_block_sinks sinks;
    size_t cell_count; // of the map: those that boxes of one set are in,
    size_t shared;     // and of both
} bp_shared_cells;

// Finds every overlapping pair of boxes of two lists, whose ids are at most BP_CELL_ENTRY_ID, in cells of this map.
bp_status bp_shared_cells_find(bp_shared_cells *shared, const bp_cell_map *map, const bp_box_list *a,
                               const bp_box_list *b, bp_sink *sink);

void bp_shared_cells_init(bp_shared_cells *shared, const bp_method_setup *setup);
void bp_shared_cells_free(bp_shared_cells *shared);
size_t bp_shared_cells_bytes(const bp_shared_cells *shared);

#endif
