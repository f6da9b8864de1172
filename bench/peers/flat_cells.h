// Unit cells in the plane, for the baselines of the suite `zhyhallo`: objects are in the cell of their min corner, and at
// most about as large as a cell.
#ifndef BENCH_FLAT_CELLS_H
#define BENCH_FLAT_CELLS_H

#include "peers/peer.h"

#include <math.h>

static inline int32_t flat_cell(float coordinate) {
    return (int32_t)floorf(coordinate);
}

// How far left of and below a box another may begin that overlaps it: the largest extent, rounded up.
static inline float flat_reach(const bp_box *boxes, size_t count) {
    float reach = 0;
    for (size_t i = 0; i < count; i++)
        for (int axis = 0; axis < 2; axis++) reach = fmaxf(reach, boxes[i].max[axis] - boxes[i].min[axis]);
    return nextafterf(reach, INFINITY);
}

#endif
