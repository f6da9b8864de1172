// Strips: for up to some ten thousand boxes of similar sizes, and for more if they are long and would fill each other's cells in
// a grid.
//
//     y |     |     |     |        space is cut in y and z into strips, at least as wide as the longest box;
//       |   +-|-+   |     |        a box has an entry in each strip that it touches: one, two or four
//       |   | | |   | +-+ |
//       |   +-|-+   | +-+ |        a strip is cut along x into short cells: entries sorted by (strip, cell of min x)
//       +-----+-----+-----+-> z
//
//     columns   | strip 0: cell 0, cell 1, ... | strip 1: cell 0, ... |
//                      e ------>                 an entry is tested against those that follow it, as far as it reaches
//
// Two boxes that overlap share a strip. In one of the strips that they share, one of them begins in y, and one in z:
// there the pair counts. Entries have two flags for that. Two more say of which of two sets a box is: boxes of the same set
// do not meet, so both sets lie in the same strips.
//
// Nothing is planned: one pass over the boxes finds their bounds, mean and longest edges. A few that are far larger than
// the others are kept apart (giants.h). If the others are not alike, or most of them share a few cells, strips do not suit them. How many tests a search takes is known before it
// begins; it is bounded by a multiple of the number of boxes.
//
// Cells of entries are also bits of a map: of two sets, entries that are near none of the other set are left out before they are
// sorted, where the first chunks say that these are many.
//
// Cost: O(n): for uniform boxes 1.8 entries and 13 tests a box; 6 ns for a box of two sets that is near none. Loses to the
// sorted grid where copies of boxes no longer fit the cache, unless tests cost more than copies: so boxes of
// which there are very many must be long.
#ifndef BP_STRIPS_H
#define BP_STRIPS_H

#include "engine/grid/giants.h"
#include "kernels/range_tester.h"

enum { BP_STRIPS_FEW = 32768 }; // boxes that the cache holds

typedef struct bp_strip_grid {
    const bp_method_setup *setup;
    bp_strips strips;
    bp_giants giants[2];      // of each set, which have no entries
    double entries_expected;  // of a box
    uint64_t tests;           // that a search takes
    bool is_shared;           // by several threads
    size_t entry_count;       // in ...
    size_t occupied, fullest; // ... so many cells, of which one has so many
    bp_columns columns;
    uint64_t *sorted; // the entries, in the order of their keys
    uint32_t *keys;   // of the entries; later the ends of their candidates
    uint32_t *table;  // where the entries of each key begin
    bp_buffer buffer; // of all that
    bp_block_sinks block_sinks;
} bp_strip_grid;

void bp_strip_grid_init(bp_strip_grid *grid, const bp_method_setup *setup);
void bp_strip_grid_free(bp_strip_grid *grid);

// Whether strips are good for these boxes, as far as their bounds and edges tell; if so, they can be sorted. `crowding`: how much
// more often boxes are near each other than if they were spread evenly, as far as that is known.
bool bp_strip_grid_suits(bp_strip_grid *grid, const bp_strip_sets *sets, double crowding);

// Sorts the boxes that strips were found to suit. *gave_up: too many of them share cells to be searched like that.
bp_status bp_strip_grid_sort(bp_strip_grid *grid, const bp_strip_sets *sets, bool *gave_up);

// Finds every overlapping pair of the sorted boxes once: of one set as (smaller id, larger id), of two as (id in the first,
// id in the second).
bp_status bp_strip_grid_find(bp_strip_grid *grid, const bp_strip_sets *sets, bp_sink *sink);

void bp_strip_grid_stats(const bp_strip_grid *grid, bp_stats *stats);

// After the boxes of one set were sorted and searched.
bp_status bp_strip_grid_validate(const bp_strip_grid *grid, const bp_box *boxes, size_t count);

#endif
