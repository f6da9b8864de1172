// Whether split would find the pairs of boxes faster than a grid of which the cost is foreseen.
#ifndef BP_GRID_OR_SPLIT_H
#define BP_GRID_OR_SPLIT_H

#include <broadphase/broadphase.h>
#include <stdbool.h>

// `cost` is that of a search of the grid, per object, in units of one vector test (bp_levels).
bool bp_split_is_better(double cost, const bp_box *boxes, size_t count, uint32_t dimensions);

#endif
