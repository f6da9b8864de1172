// Where to search in a sorted grid: the cells and rows of a level whose boxes can touch a box or a line.
#ifndef BP_SORTED_GRID_ROWS_H
#define BP_SORTED_GRID_ROWS_H

#include "engine/grid/sorted_grid.h"

// The first table entry of a row of a level; y and z are folded.
static inline const uint32_t *bp_sorted_grid_row(const bp_sorted_grid *grid, const bp_level *level, int32_t y,
                                                 int32_t z) {
    const uint32_t folded_y = (uint32_t)y & ((1u << level->bits[1]) - 1);
    const uint32_t folded_z = (uint32_t)z & ((1u << level->bits[2]) - 1);
    const size_t row = (size_t)(folded_z << level->bits[1] | folded_y);
    return bp_sorted_grid_table(grid) + level->first_cell + (row << level->bits[0]);
}

// The first and last cell along an axis whose boxes can touch min .. max. In 64 bits, because the slack may be less
// than the distance of two floats.
static inline int32_t bp_lowest_cell(const bp_level *level, int axis, double min) {
    return bp_cell_of_double(min - (double)level->reach[axis], level->inverse[axis]);
}

static inline int32_t bp_highest_cell(const bp_level *level, int axis, double max) {
    return bp_cell_of_double(max, level->inverse[axis]);
}

typedef struct bp_span {
    int32_t low, count;
} bp_span;

// The same as a first cell and a number of cells: at most as many as the folded grid has.
static inline bp_span bp_span_of(const bp_level *level, int axis, float min, float max) {
    const int32_t low = bp_lowest_cell(level, axis, (double)min), high = bp_highest_cell(level, axis, (double)max);
    const int32_t most = (int32_t)(1u << level->bits[axis]);
    return (bp_span){.low = low, .count = (int64_t)high - low < most ? high - low + 1 : most};
}

#endif
