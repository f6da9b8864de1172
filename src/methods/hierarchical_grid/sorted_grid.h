// The sorted grid: all boxes copied into columns in the order of their cells, and swept row by row.
//
//     cells of a level, folded into a block of powers of two; x runs fastest, so a row of cells is one range:
//
//         z ^   y                       columns (structure of arrays), all levels one after the other
//           |  /   +---+---+---+---+        +-------------------------------------+----------+
//           | /    | 0 | 1 | 2 | 3 |  --->  | row 0      | row 1    | row 2 | ... | scanned  |
//           |/     +---+---+---+---+        +-------------------------------------+----------+
//           +------------> x                  ^ table[cell] .. table[cell + 1]
//
// A box lives in the cell of its min corner. It is swept against the rest of its own row, as far as it reaches, and
// against the four rows on the upper side that it crosses into; boxes of finer levels sweep the rows of coarser ones, or
// those of a coarser level that has few boxes sweep the rows of the finer ones. Boxes that fit no level (infinite ones, and
// a few giants) are scanned: tested against all, but for stretches of boxes whose bounds they do not touch.
#ifndef BP_SORTED_GRID_H
#define BP_SORTED_GRID_H

#include "kernels/range_tester.h"
#include "methods/hierarchical_grid/levels.h"

typedef struct bp_sorted_grid {
    const bp_config *config;
    const bp_kernels *kernels;
    bp_levels levels;
    size_t planned_count; // boxes when the levels were planned
    size_t plan_age;      // builds since then
    size_t cell_count;
    size_t grid_count;  // boxes in levels
    size_t total_count; // and with those that are scanned
    size_t occupied;    // cells
    size_t fullest;     // boxes in the fullest cell
    bp_columns columns;

    bp_buffer columns_buffer, records_buffer, table_buffer, counters_buffer, blocks_buffer;
    bp_sweep_pool pool;
} bp_sorted_grid;

void bp_sorted_grid_init(bp_sorted_grid *grid, const bp_config *config);
void bp_sorted_grid_free(bp_sorted_grid *grid);

// Sorts boxes[0 .. count) into the grid; holes are left out. Below config.brute_force_below everything is scanned.
bp_status bp_sorted_grid_build(bp_sorted_grid *grid, const bp_box *boxes, size_t count);

// All pairs inside the grid.
bp_status bp_sorted_grid_find(bp_sorted_grid *grid, bp_sink *sink);

// All pairs of a box of `first` and a box of `second`, as (id in first, id in second).
bp_status bp_sorted_grid_find_between(bp_sorted_grid *first, bp_sorted_grid *second, bp_sink *sink);

// The same as (id in first, position in second).
bp_status bp_sorted_grid_find_positions(bp_sorted_grid *first, const bp_sorted_grid *second, bp_sink *sink);

void bp_sorted_grid_stats(const bp_sorted_grid *grid, bp_stats *stats);
bp_status bp_sorted_grid_validate(const bp_sorted_grid *grid, const bp_box *boxes, size_t count);

// Whether the cells of the levels follow one another, and are all there are.
bool bp_sorted_grid_levels_are_sound(const bp_sorted_grid *grid);

// Where the boxes of a cell begin; the table has one entry more than there are cells.
static inline const uint32_t *bp_sorted_grid_table(const bp_sorted_grid *grid) {
    return grid->table_buffer.data;
}

#endif
