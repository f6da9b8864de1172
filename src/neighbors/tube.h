// A tube: a stretch of a row of cells with all rows around it, in one range of memory.
//
//     rows around row 5       1 |aa |b  |cc |d  |        a tube takes cell after cell, and from each the points of all
//     (here in 2-D)           5 |e  |f  |   |gg |        rows. So what lies around a point is one window of it:
//                             9 |   |h  |i  |j  |
//                                                        | aae | bfh | cci | dggj |
//                                                          ^------------------^   around the points of the third cell
//
// Copying a point into nine tubes is cheap: each is then tested by the points of several cells, and these have one loop
// over candidates instead of nine, whose lengths no processor could predict. Periods are shifts of what is copied.
#ifndef BP_TUBE_H
#define BP_TUBE_H

#include "kernels/kernels.h"
#include "neighbors/point_grid.h"

enum { BP_TUBE_CELLS = 64 }; // the longest stretch

// All zero is empty.
typedef struct bp_tube {
    bp_point_columns columns;
    bp_buffer buffer;
    uint32_t starts[BP_TUBE_CELLS + 2 * BP_POINT_REACH_MAX + 1]; // of its cells, and the end
} bp_tube;

// Fills a tube around cells first .. last-1 of a row. False if memory is short.
bool bp_tube_fill(bp_tube *tube, const bp_point_plan *plan, const bp_point_grid *grid, size_t row, size_t first,
                  size_t last, const bp_kernels *kernels, const bp_allocator *allocator);

#endif
