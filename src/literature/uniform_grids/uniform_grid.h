// One uniform grid: the common part of pivot-grid, compact-grid and cuckoo-grid.
//
//     boxes ---> cells (uniform_cells.h) ---> the method sorts them ---> columns, starts ---> pairs (cell_search.h)
//
//     starts    0     3   4           9           14             one per occupied cell, and where the last one ends
//               |     |   |           |           |
//     columns | a b c | d | e f g h i | j k l m n | S T |        boxes by cell, then those that are scanned
//
// How the boxes are sorted, and how a cell is found, differs by method. A method's state begins with a bp_uniform_grid,
// so that the functions here that take a `state` can be entries of its table.
#ifndef BP_UNIFORM_GRID_H
#define BP_UNIFORM_GRID_H

#include "base/parallel.h"
#include "kernels/between_search.h"
#include "literature/uniform_grids/uniform_cells.h"

// ---- finding cells --------------------------------------------------------------------------------------------------

enum { BP_ROW_CELLS = 8 };         // most cells of a row that one call asks for
enum { BP_CONFIGURED_CELLS = 16 }; // that an object in cells may be long

// The boxes of the cells first .. last of a row.
typedef struct bp_cell_range {
    uint32_t begin, end;
    uint32_t first, last;
} bp_cell_range;

// Writes the occupied ranges of the cells first .. last of row (y, z), in ascending order, and returns their number: at
// most last - first + 1, fewer where neighbouring cells are also contiguous in the columns.
typedef size_t (*bp_range_finder)(const void *state, uint32_t first, uint32_t last, uint32_t y, uint32_t z,
                                  bp_cell_range *ranges);

// Where there is one table of where the boxes of each cell begin, row by row: the row (y, z) of it. The entry after the last one of
// a row is its end.
typedef const uint32_t *(*bp_row_finder)(const void *state, uint32_t y, uint32_t z);

// With footprints (footprints.h): the bounds of the classes of a cell's boxes, or NULL if it has none; and those of an
// occupied cell.
typedef const uint32_t *(*bp_bounds_finder)(const void *state, uint32_t x, uint32_t y, uint32_t z);
typedef const uint32_t *(*bp_bounds_lister)(const void *state, size_t occupied_index);

// ---- the grid -------------------------------------------------------------------------------------------------------

typedef struct bp_uniform_grid {
    const bp_method_setup *setup;
    bp_range_finder find_ranges; // or:
    bp_row_finder find_row;
    bool has_footprints; // objects are in every cell that they overlap (footprints.h):
    bp_bounds_finder find_bounds;
    bp_bounds_lister bounds_at;

    const bp_box *boxes;
    size_t count;
    bp_blocks blocks; // of the boxes
    bp_cells cells;
    bp_cells_limits limits;
    bool has_new_plan; // the cells were planned in this build
    bool is_replanned; // the cells are new; a method that depends on them resets it

    size_t grid_count;  // boxes in cells; with footprints, once for each cell
    size_t total_count; // of these and the scanned ones
    size_t occupied;    // cells
    bp_columns columns;

    bp_buffer columns_buffer;
    bp_buffer starts_buffer; // of uint32_t: where each occupied cell begins, and where the last one ends
    bp_buffer parts_buffer;  // of bp_cells_part, per block
    bp_buffer plan_buffer;
    bp_buffer counts_buffer; // of bp_entry_counts, per block
    bp_block_sinks sinks;
    bp_other_set other;
} bp_uniform_grid;

enum { BP_GRID_BLOCKS_MAX = 256 };

static inline uint32_t *bp_uniform_grid_starts(const bp_uniform_grid *grid) {
    return grid->starts_buffer.data;
}

static inline bp_cells_part *bp_uniform_grid_parts(const bp_uniform_grid *grid) {
    return grid->parts_buffer.data;
}

// The cell of the box at a position.
static inline void bp_uniform_grid_cell(const bp_uniform_grid *grid, size_t position, uint32_t cell[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        cell[axis] = bp_cells_of(&grid->cells, axis, grid->columns.min[axis][position]);
    }
}

// The ranges of the cells first .. last of a row.
static inline size_t bp_uniform_grid_ranges(const bp_uniform_grid *grid, uint32_t first, uint32_t last, uint32_t y,
                                            uint32_t z, bp_cell_range *ranges) {
    if (grid->find_row == NULL) {
        return grid->find_ranges(grid, first, last, y, z, ranges);
    }
    const uint32_t *row = grid->find_row(grid, y, z);
    ranges[0] = (bp_cell_range){.begin = row[first], .end = row[last + 1], .first = first, .last = last};
    return ranges[0].begin < ranges[0].end;
}

// Copies the boxes whose ids are at positions begin .. end-1 into the columns.
static inline void bp_uniform_grid_fill(const bp_uniform_grid *grid, size_t begin, size_t end) {
    bp_columns_fill(&grid->columns, grid->setup->kernels, grid->setup->dimensions, begin, end, grid->boxes);
}

void bp_uniform_grid_free(bp_uniform_grid *grid);

// ---- building -------------------------------------------------------------------------------------------------------

// Puts all boxes into their cells: the method's part of a build, which begins with bp_uniform_grid_place.
typedef bp_status (*bp_fill_step)(void *state);

// Builds the grid over boxes[0 .. count). Cells are kept from build to build; where they turn out to be crowded, and
// others would be planned now, the step runs again with those. After a failure the grid is empty.
bp_status bp_uniform_grid_build(bp_uniform_grid *grid, const bp_box *boxes, size_t count, bp_cells_limits limits,
                                bp_fill_step fill);

// Finds the cells of all objects, for the planned cells. *suits: whether these suit the objects.
typedef bp_status (*bp_place_step)(void *state, bool *suits);

// Runs the step with the cells of the last build or, if they no longer suit the objects, with new ones.
bp_status bp_uniform_grid_place(bp_uniform_grid *grid, bp_place_step place);

// Joins the parts of the blocks. Returns whether the cells suit the objects.
bool bp_uniform_grid_join(bp_uniform_grid *grid);

// ---- figures and checks ---------------------------------------------------------------------------------------------

// Adds the bytes that this part holds to stats->bytes, and sets all other figures except stats->cells.
void bp_uniform_grid_stats(const bp_uniform_grid *grid, bp_stats *stats);

// Whether every box is in its place, once, and every occupied cell is found. `is_sound` is the result of the method's
// own checks. Logs under the method's name.
bp_status bp_uniform_grid_validate(const bp_uniform_grid *grid, const char *method, bool is_sound);

#endif
