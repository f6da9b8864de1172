// The search for pairs in a uniform grid.
//
// A box belongs to the cell of its min corner. It is tested against the boxes after it in its own cell, against the
// cells that follow in its row as far as it reaches, and against the rows above that it reaches into (y up, z out of
// the page):
//
//        z             z + 1               cells hold boxes up to half their size, so usually these are the cells
//     | # # # |     | # # # |  y + 1       marked #, and each box skips those of them that it does not cross into:
//     | . X # |     | # # # |  y           it needs 3.5 on average
//     | . . . |     | # # # |  y - 1
//
// The neighbours are looked up once for all boxes of a cell, in one of two ways, chosen cell by cell:
//
//   by a table  rows of cells are contiguous, and a table holds where each cell begins: five ranges per box, each of
//               them as short as the box allows
//   by rows     all rows that the boxes reach, cell by cell: where there is no table; and for boxes that reach further
//               than the neighbouring cells (configured cells smaller than they are)
//
// Boxes that are too large for cells are tested against the cells that they cover, as those of another set are.
#ifndef BP_CELL_SEARCH_H
#define BP_CELL_SEARCH_H

#include "literature/uniform_grids/uniform_grid.h"

// The find and find_between of methods whose state begins with a bp_uniform_grid.
bp_status bp_cell_search_find(void *state, bp_sink *sink);
bp_status bp_cell_search_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink);

#endif
