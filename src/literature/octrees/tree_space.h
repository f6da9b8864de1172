// The cube that an octree divides, and the cells of its finest depth.
//
// The steps from a coordinate to its cell are monotone, and a coordinate beyond the cube belongs to a cell at its
// border. So two coordinates that are less than a cell apart are in the same or in neighbouring cells, wherever they
// are and whatever the cube.
#ifndef BP_TREE_SPACE_H
#define BP_TREE_SPACE_H

#include "base/morton.h"

#include <broadphase/broadphase.h>

enum { BP_TREE_DEPTH_MAX = 21 }; // so that three axes of this many bits fit into a key

typedef struct bp_tree_space {
    double origin[3];
    double edge;
    double inverse; // cells of the finest depth per unit of length
    uint32_t depth; // of the finest cells
    uint32_t dimensions;
} bp_tree_space;

// The depth that a setting allows; 0 means as deep as keys allow.
static inline uint32_t bp_tree_depth_limit(uint32_t max_depth) {
    return max_depth == 0 || max_depth > BP_TREE_DEPTH_MAX ? BP_TREE_DEPTH_MAX : max_depth;
}

// Coordinates that rounding cannot make overflow.
static inline double bp_tree_centre(const bp_box *box, uint32_t axis) {
    return ((double)box->min[axis] + (double)box->max[axis]) / 2;
}

// The cube, not yet divided, of a domain if there is one; else that around the centres of all finite boxes, or of most of them if a
// few are so far away that it would be nearly empty. `width` gets how wide these lie along each axis; negative: nowhere.
bp_tree_space bp_tree_space_choose(const bp_box *domain, const bp_box *boxes, size_t count, uint32_t dimensions,
                                   double width[3]);

// Divides the cube into the cells of a depth.
void bp_tree_space_divide(bp_tree_space *space, uint32_t depth);

// The cell of a coordinate, which must not be NaN.
static inline uint32_t bp_tree_cell(const bp_tree_space *space, int axis, double coordinate) {
    const double last = (double)((1u << space->depth) - 1);
    double cell = (coordinate - space->origin[axis]) * space->inverse;
    cell = cell > 0.0 ? cell : 0.0;
    cell = cell < last ? cell : last;
    return (uint32_t)(int32_t)cell;
}

// A cell with its axes interleaved: the highest bits are the child of the root, and so on downwards.
static inline uint64_t bp_tree_interleave(const bp_tree_space *space, const uint32_t cell[3]) {
    return space->dimensions == 2
               ? bp_spread_by_two(cell[0]) | bp_spread_by_two(cell[1]) << 1
               : bp_spread_by_three(cell[0]) | bp_spread_by_three(cell[1]) << 1 | bp_spread_by_three(cell[2]) << 2;
}

// The child of a node at `depth` that a key belongs to.
static inline uint32_t bp_tree_octant(const bp_tree_space *space, uint64_t key, uint32_t depth) {
    return (uint32_t)(key >> (space->dimensions * (space->depth - 1 - depth))) & ((1u << space->dimensions) - 1);
}

#endif
