// The sorted grid: all boxes copied into columns in the order of their cells, and searched row by row.
//
//     cells of a level, folded into a block of powers of two; x runs fastest, so a row of cells is one range:
//
//         z ^   y                       columns (structure of arrays), all levels one after the other
//           |  /   +---+---+---+---+        +-------------------------------------+----------+
//           | /    | 0 | 1 | 2 | 3 |  --->  | row 0      | row 1    | row 2 | ... | scanned  |
//           |/     +---+---+---+---+        +-------------------------------------+----------+
//           +------------> x                  ^ table[cell] .. table[cell + 1]
//
// A box lives in the cell of its min corner. It is tested against the boxes that follow it in its own row, as far as it
// reaches, and against the four rows on the upper side that it crosses into. Between levels, boxes of the finer level
// search the rows of the coarser one, or the other way round where the coarser level has few boxes. Boxes that fit no
// level (infinite ones, and a few giants) are scanned: tested against all boxes, except for ranges of boxes whose
// bounds they do not touch.
#ifndef BP_SORTED_GRID_H
#define BP_SORTED_GRID_H

#include "base/bucket_sort.h"
#include "engine/grid/levels.h"
#include "kernels/range_tester.h"

typedef struct bp_sorted_grid {
    const bp_method_setup *setup;
    bp_levels levels;
    size_t planned_count; // boxes when the levels were planned
    size_t plan_age;      // builds since then
    size_t cell_count;
    size_t grid_count;  // boxes in levels
    size_t total_count; // boxes in levels and scanned boxes
    bp_columns columns;

    bp_buffer columns_buffer, table_buffer, sums_buffer;
    bp_block_sinks block_sinks;
    bp_bucket_sort sort; // of the boxes by cell
} bp_sorted_grid;

// All pairs inside the grid, as (smaller id, larger id).
bp_status bp_sorted_grid_find(bp_sorted_grid *grid, bp_sink *sink);

// All pairs of a box of `first` and a box of `second`, as (id in first, id in second).
bp_status bp_sorted_grid_find_between(bp_sorted_grid *first, bp_sorted_grid *second, bp_sink *sink);

// Where the boxes of each cell begin. The table has one entry more than there are cells.
static inline const uint32_t *bp_sorted_grid_table(const bp_sorted_grid *grid) {
    return grid->table_buffer.data;
}

// The level that a cell belongs to.
static inline const bp_level *bp_sorted_grid_level_of_cell(const bp_sorted_grid *grid, size_t cell) {
    size_t i = 0;
    while (i + 1 < grid->levels.count && bp_level_at(&grid->levels, i + 1)->first_cell <= cell) {
        ++i;
    }
    return bp_level_at(&grid->levels, i);
}

#endif
