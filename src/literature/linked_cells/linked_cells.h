// The state of linked-cells: the grid, and the boxes sorted into it.
#ifndef BP_LINKED_CELLS_H
#define BP_LINKED_CELLS_H

#include "base/bucket_sort.h"
#include "engine/setup.h"
#include "kernels/between_search.h"

// A dense grid over a bounded domain: x fastest, then y, then z.
typedef struct dense_grid {
    double origin[3];
    double inverse[3]; // cells per unit of length
    double last[3];    // the last cell of each axis
    uint32_t cells[3]; // per axis
    float fit;         // objects with a larger extent are large
    float reach[3];    // the largest extents in the cells, rounded up
    size_t cell_count;
} dense_grid;

// The cell of a coordinate along an axis; coordinates outside the domain belong to the border cells. Every step is
// monotone, so rounding never reverses the order of two cells.
static inline uint32_t dense_cell_of(const dense_grid *grid, int axis, double coordinate) {
    double cell = (coordinate - grid->origin[axis]) * grid->inverse[axis];
    cell = cell > 0.0 ? cell : 0.0; // NaN, too
    cell = cell < grid->last[axis] ? cell : grid->last[axis];
    return (uint32_t)(int64_t)cell;
}

// The index of a cell.
static inline size_t dense_cell_key(const dense_grid *grid, uint32_t x, uint32_t y, uint32_t z) {
    return ((size_t)z * grid->cells[1] + y) * grid->cells[0] + x;
}

// The index of the cell of a box: that of its min corner.
static inline size_t dense_key_of_box(const dense_grid *grid, const bp_box *box) {
    return dense_cell_key(grid, dense_cell_of(grid, 0, (double)box->min[0]),
                          dense_cell_of(grid, 1, (double)box->min[1]), dense_cell_of(grid, 2, (double)box->min[2]));
}

typedef struct linked_cells {
    const bp_method_setup *setup;
    const bp_box *boxes;
    size_t count;
    dense_grid grid;
    bp_columns columns; // the boxes in cells, in the order of the cells; then the large ones, in the order of their ids
    size_t grid_count;  // boxes in cells
    size_t total_count; // of these and the large ones

    bp_bucket_sort sort;
    bp_buffer columns_buffer, table_buffer, blocks_buffer;
    bp_block_sinks sinks;
    bp_other_set other;
} linked_cells;

// table[cell] is the position where a cell begins; there is one more entry than cells.
static inline const uint32_t *linked_cells_table(const linked_cells *l) {
    return l->table_buffer.data;
}

#endif
