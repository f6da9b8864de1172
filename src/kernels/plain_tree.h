// The kernels of the tree that are plain C everywhere, or have a faster form on some processors.
#ifndef BP_PLAIN_TREE_H
#define BP_PLAIN_TREE_H

#include "kernels/tree.h"

// ---- places on a Hilbert curve --------------------------------------------------------------------------------------

// Several points at once, where the compiler has vectors.
#if defined(__GNUC__)
typedef uint32_t tree_cells __attribute__((vector_size(32)));
#else
typedef uint32_t tree_cells;
#endif
enum { TREE_POINTS = sizeof(tree_cells) / sizeof(uint32_t) };

// Cells become the bits of their places on the curve, axis by axis (J. Skilling, "Programming the Hilbert curve", 2004).
static inline void tree_turn(tree_cells cells[3], int axes, uint32_t bits) {
    tree_cells turned = {0};
    for (uint32_t shift = bits - 1; shift > 0; --shift) {
        const uint32_t below = (1u << shift) - 1;
        for (int axis = 0; axis < axes; ++axis) {
            const tree_cells is_set = 0u - (cells[axis] >> shift & 1u);
            const tree_cells swapped = (cells[0] ^ cells[axis]) & ~is_set & below;
            cells[0] ^= (is_set & below) | swapped;
            cells[axis] ^= swapped;
        }
    }
    for (int axis = 1; axis < axes; ++axis) {
        cells[axis] ^= cells[axis - 1];
    }
    for (uint32_t shift = bits - 1; shift > 0; --shift) {
        turned ^= (0u - (cells[axes - 1] >> shift & 1u)) & ((1u << shift) - 1);
    }
    for (int axis = 0; axis < axes; ++axis) {
        cells[axis] ^= turned;
    }
}

// Puts two places between neighbouring bits of ten, or one between those of fifteen.
static inline void tree_spread(tree_cells *bits, int axes) {
    if (axes == 3) {
        *bits = (*bits | *bits << 16) & 0x030000ffu;
        *bits = (*bits | *bits << 8) & 0x0300f00fu;
        *bits = (*bits | *bits << 4) & 0x030c30c3u;
        *bits = (*bits | *bits << 2) & 0x09249249u;
    } else {
        *bits = (*bits | *bits << 8) & 0x00ff00ffu;
        *bits = (*bits | *bits << 4) & 0x0f0f0f0fu;
        *bits = (*bits | *bits << 2) & 0x33333333u;
        *bits = (*bits | *bits << 1) & 0x55555555u;
    }
}

// Place << 32 | id for boxes[begin .. end); bit 31 of the place of a hole is set.
static inline void tree_keys(const bp_tree_frame *frame, const bp_box *boxes, size_t begin, size_t end, int axes,
                             uint64_t *keys) {
    const uint32_t bits = frame->bits;
    const float last = (float)((1u << bits) - 1);
    for (size_t i = begin; i < end; i += TREE_POINTS) {
        const size_t count = end - i < TREE_POINTS ? end - i : TREE_POINTS;
        uint32_t values[3][TREE_POINTS] = {{0}};
        tree_cells cells[3], place;
        for (size_t k = 0; k < count; ++k) {
            for (int axis = 0; axis < axes; ++axis) {
                const float centre = boxes[i + k].min[axis] + boxes[i + k].max[axis];
                float cell = (centre - frame->low[axis]) * frame->scale;
                cell = cell > 0.0f ? cell : 0.0f; // also if it is a NaN
                values[axis][k] = (uint32_t)(int32_t)(cell < last ? cell : last);
            }
        }
        memcpy(cells, values, sizeof cells);
        tree_turn(cells, axes, bits);
        place = (tree_cells){0};
        for (int axis = 0; axis < axes; ++axis) {
            tree_spread(&cells[axis], axes);
            place = place << 1 | cells[axis];
        }
        memcpy(values[0], &place, sizeof place);
        for (size_t k = 0; k < count; ++k) {
            const uint64_t hole = (uint64_t)bp_box_is_hole(&boxes[i + k]) << 63;
            keys[i + k] = (uint64_t)values[0][k] << 32 | (uint32_t)(i + k) | hole;
        }
    }
}

static inline void plain_tree_keys(const bp_tree_frame *frame, const bp_box *boxes, size_t begin, size_t end,
                                   uint64_t *keys) {
    if (frame->dimensions == 2) {
        tree_keys(frame, boxes, begin, end, 2, keys);
    } else {
        tree_keys(frame, boxes, begin, end, 3, keys);
    }
}

// ---- filling --------------------------------------------------------------------------------------------------------

// The bounds of a node, into a lane of the one above it.
static inline void tree_put_bounds(const bp_box *bounds, bp_tree_node *above, size_t lane) {
    for (int axis = 0; axis < 3; ++axis) {
        const bool is_empty = !(bounds->min[axis] <= bounds->max[axis]);
        above->min[axis][lane] = is_empty ? NAN : bounds->min[axis];
        above->max[axis][lane] = is_empty ? NAN : bounds->max[axis];
    }
}

static inline void plain_tree_lift(const bp_tree_node *nodes, size_t begin, size_t end, bp_tree_node *above) {
    for (size_t i = begin; i < end; ++i) {
        bp_box bounds;
        for (int axis = 0; axis < 3; ++axis) {
            float min = INFINITY, max = -INFINITY;
            for (int lane = 0; lane < BP_TREE_WIDTH; ++lane) { // in this order NaNs are left out
                min = bp_smaller(nodes[i].min[axis][lane], min);
                max = bp_larger(nodes[i].max[axis][lane], max);
            }
            bounds.min[axis] = min;
            bounds.max[axis] = max;
        }
        tree_put_bounds(&bounds, &above[i / BP_TREE_WIDTH], i % BP_TREE_WIDTH);
    }
}

static inline void tree_fill_leaf(const bp_box *boxes, const uint32_t *ids, uint32_t dimensions, bp_tree_node *leaf) {
    for (size_t lane = 0; lane < BP_TREE_WIDTH; ++lane) {
        bp_box box = ids[lane] != BP_TREE_NONE ? boxes[ids[lane]] : bp_box_hole();
        if (!bp_box_is_hole(&box)) {
            box = bp_box_flatten(box, dimensions);
        }
        for (int axis = 0; axis < 3; ++axis) {
            leaf->min[axis][lane] = box.min[axis];
            leaf->max[axis][lane] = box.max[axis];
        }
    }
}

// Leaves begin .. end-1 from the boxes of their slots, and their bounds.
static inline void plain_tree_fill(const bp_box *boxes, const uint32_t *ids, size_t begin, size_t end,
                                   uint32_t dimensions, bp_tree_node *leaves, bp_tree_node *above) {
    for (size_t i = begin; i < end; ++i) {
        tree_fill_leaf(boxes, ids + i * BP_TREE_WIDTH, dimensions, &leaves[i]);
    }
    if (above != NULL) {
        plain_tree_lift(leaves, begin, end, above);
    }
}

// ---- choosing a place -----------------------------------------------------------------------------------------------

// Of the children with room, the one that grows least when it gets a box. Of two that grow by the same, the smaller one is better.
static inline uint32_t plain_tree_choose(const bp_tree_node *node, uint32_t full, const bp_box *box, float span) {
    float before[3][BP_TREE_WIDTH], after[3][BP_TREE_WIDTH], small[BP_TREE_WIDTH], large[BP_TREE_WIDTH];
    for (int axis = 0; axis < 3; ++axis) {
        const float low = box->min[axis], high = box->max[axis];
        for (int lane = 0; lane < BP_TREE_WIDTH; ++lane) {
            const float min = node->min[axis][lane], max = node->max[axis][lane];
            before[axis][lane] = max - min;
            after[axis][lane] = bp_larger(max, high) - bp_smaller(min, low); // in this order NaNs are left out
        }
    }
    bp_tree_surfaces(before, span, small);
    bp_tree_surfaces(after, span, large);
    uint32_t best = 0;
    float least = INFINITY;
    while ((full >> best & 1) != 0) {
        ++best;
    }
    for (uint32_t lane = 0; lane < BP_TREE_WIDTH; ++lane) {
        const float cost = large[lane] - small[lane] + 0x1p-6f * large[lane];
        const bool is_better = ((full >> lane & 1) == 0) & (cost < least);
        best = is_better ? lane : best;
        least = is_better ? cost : least;
    }
    return best;
}

#endif
