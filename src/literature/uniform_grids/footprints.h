// Footprints: the other way to fill a uniform grid (settings.grid_entries; spatial-hash: always). An object is in every cell that it overlaps,
// not only in that of its min corner.
//
//     +---+---+---+        entries   one for each cell of an object's footprint; with cells of twice the size of the
//     | a | a |   |                  objects 3.4 of them on average, all of which are sorted
//     +---+---+---+        search    only inside cells: no neighbours. The objects of a cell are sorted into classes, so
//     | a |a b| b |                  that a pair that shares several cells is found in one (kernels/cell_classes.h)
//     +---+---+---+
//
// Cells are chosen and kept as without footprints (uniform_grid.h). An object with a larger footprint than
// settings.hash_cell_limit is scanned: tested against the cells that it covers, or, if fewer are occupied, against the min
// corner's entry of all others, where each of them is once.
#ifndef BP_FOOTPRINTS_H
#define BP_FOOTPRINTS_H

#include "kernels/cell_classes.h"
#include "literature/uniform_grids/uniform_grid.h"

// Cells low .. high per axis.
typedef struct bp_footprint {
    uint32_t low[3], high[3];
} bp_footprint;

// Entries of a block of boxes: how many, and then where the first one goes. The scanned boxes have one each.
typedef struct bp_entry_counts {
    uint64_t entries, scanned;
} bp_entry_counts;

// At most 2^93.
static inline double bp_footprint_cells(const bp_footprint *print) {
    double cells = 1.0;
    for (int axis = 0; axis < 3; ++axis) {
        cells *= (double)(print->high[axis] - print->low[axis]) + 1.0;
    }
    return cells;
}

// The place of an object with this footprint among the classes of one of its cells.
static inline uint32_t bp_footprint_place(const bp_footprint *print, uint32_t x, uint32_t y, uint32_t z) {
    return BP_CELL_CLASS_PLACE[bp_cell_class_bits(x == print->low[0], y == print->low[1], z == print->low[2])];
}

// The kind of place of a box and, if it is in cells, which ones.
bp_place bp_footprint_of(const bp_uniform_grid *grid, const bp_box *box, bp_footprint *print, bp_cells_part *part);

// Reserves room for the counts of the blocks.
bool bp_footprints_reserve(bp_uniform_grid *grid);

// Counts the footprints of all boxes, block by block.
void bp_footprints_count(bp_uniform_grid *grid);

static inline bp_entry_counts *bp_footprint_counts(const bp_uniform_grid *grid) {
    return grid->counts_buffer.data;
}

// Turns the counts of the blocks into where their entries and, behind all entries, their scanned boxes begin; sets the
// counts of the grid, and makes room in the columns. BP_ERROR_MEMORY, with the remedy in the log, if there are too many.
bp_status bp_footprints_place(bp_uniform_grid *grid, const char *method);

// The find and find_between of methods whose state begins with a bp_uniform_grid and may have footprints.
bp_status bp_footprint_search_find(void *state, bp_sink *sink);
bp_status bp_footprint_search_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink);

// As bp_uniform_grid_validate, with footprints or without.
bp_status bp_footprints_validate(const bp_uniform_grid *grid, const char *method, bool is_sound);

#endif
