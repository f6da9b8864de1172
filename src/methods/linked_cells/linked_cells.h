// What the two halves of linked-cells share: the grid, and the boxes sorted into it.
#ifndef BP_LINKED_CELLS_H
#define BP_LINKED_CELLS_H

#include "kernels/range_tester.h"

// A dense grid over a bounded domain: x fastest, then y, then z.
typedef struct cell_grid {
    double origin[3];
    double inverse[3]; // cells per unit of length
    double last[3];    // the last cell of each axis
    uint32_t cells[3]; // per axis
    float fit;         // objects with a larger extent are large
    float reach[3];    // the largest extents in the cells, rounded up
    size_t cell_count;
} cell_grid;

// The cell of a coordinate along an axis; what lies outside the domain belongs to the border. Every step is monotone,
// so rounding never puts two coordinates into cells of the opposite order.
static inline uint32_t cell_at(const cell_grid *grid, int axis, double coordinate) {
    double cell = (coordinate - grid->origin[axis]) * grid->inverse[axis];
    cell = cell > 0.0 ? cell : 0.0; // also where it is NaN
    cell = cell < grid->last[axis] ? cell : grid->last[axis];
    return (uint32_t)(int64_t)cell;
}

typedef struct linked_cells {
    const bp_config *config;
    const bp_box *boxes;
    size_t count;
    cell_grid grid;
    bp_columns columns; // the boxes in cells, in the order of the cells, then the large ones, in the order of their ids
    size_t grid_count;  // boxes in cells
    size_t total_count; // and with the large ones
    size_t occupied;    // cells
    size_t fullest;     // boxes in the fullest cell
    bp_columns other;   // the other set of find_between

    bp_buffer columns_buffer, other_buffer, records_buffer, table_buffer, counters_buffer, blocks_buffer;
    bp_sweep_pool pool;
} linked_cells;

// table[cell] is where a cell begins; there is one entry more than there are cells.
static inline const uint32_t *cell_table(const linked_cells *l) {
    return l->table_buffer.data;
}

static inline size_t cell_key(const cell_grid *grid, uint32_t x, uint32_t y, uint32_t z) {
    return ((size_t)z * grid->cells[1] + y) * grid->cells[0] + x;
}

// Whether an object may live in the cells: not larger than a cell, and, as computed, in no more than two along y and z.
bool linked_cells_fits(const cell_grid *grid, const bp_box *box);

// Chooses the grid and sorts the boxes into it.
bp_status linked_cells_build(linked_cells *l, const bp_box *boxes, size_t count);

#endif
