// Building the grid of linked-cells.
#ifndef BP_LINKED_CELLS_BUILD_H
#define BP_LINKED_CELLS_BUILD_H

#include "literature/linked_cells/linked_cells.h"

// Whether an object may be in a cell: it is not larger than a cell and, as computed, in at most two along y and z.
bool linked_cells_fits(const dense_grid *grid, const bp_box *box);

// The method's build: chooses the grid and sorts the boxes into it.
bp_status linked_cells_build(void *state, const bp_box *boxes, size_t count);

#endif
