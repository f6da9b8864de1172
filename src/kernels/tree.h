// The tree, as the kernels see it: nodes of eight children (engine/tree/tree.h).
#ifndef BP_KERNEL_TREE_H
#define BP_KERNEL_TREE_H

#include "base/boxes.h"

enum {
    BP_TREE_WIDTH = 8,    // children of a node
    BP_TREE_LEVELS = 12,  // 8^11 > 2^32
    BP_TREE_PADDING = 16, // entries behind the last one of a list that may be written
};

// A slot without a box.
#define BP_TREE_NONE UINT32_MAX

// The boxes of eight children in columns. A lane without a child, or with a hole, holds NaNs, which overlap nothing. (A box
// from +infinity to -infinity would overlap one that is infinite along all axes.)
typedef struct bp_tree_node {
    float min[3][BP_TREE_WIDTH], max[3][BP_TREE_WIDTH];
} bp_tree_node;

// Half the surface of eight boxes. Edges are cut to a span, which makes infinite ones comparable; what is empty has none.
static inline void bp_tree_surfaces(float edges[3][BP_TREE_WIDTH], float span, float *surfaces) {
    float cut[3][BP_TREE_WIDTH];
    for (int axis = 0; axis < 3; ++axis) {
        for (int lane = 0; lane < BP_TREE_WIDTH; ++lane) {
            const float edge = bp_larger(edges[axis][lane], 0.0f); // in this order NaNs are left out
            cut[axis][lane] = bp_smaller(edge, span);
        }
    }
    for (int lane = 0; lane < BP_TREE_WIDTH; ++lane) {
        surfaces[lane] = cut[0][lane] * cut[1][lane] + cut[2][lane] * (cut[0][lane] + cut[1][lane]);
    }
}

// Where boxes are, for their places on a Hilbert curve: centres are counted in cells from `low` on.
typedef struct bp_tree_frame {
    float low[3];              // of min + max
    float scale;               // cells per unit of min + max
    uint32_t dimensions, bits; // cells along an axis: 2 to this power
} bp_tree_frame;

// The boxes that are searched for in a tree: box x is boxes[ids[x]], or boxes[x] if `ids` is NULL.
typedef struct bp_tree_wanted {
    const bp_box *boxes;
    const uint32_t *ids;
    uint32_t dimensions;
} bp_tree_wanted;

// The nodes of all levels, one level after the other, and where each begins; behind the last one, where they end.
typedef struct bp_tree_levels {
    const bp_tree_node *nodes;
    uint32_t begins[BP_TREE_LEVELS + 1];
    size_t count;
} bp_tree_levels;

enum {
    BP_TREE_STACK = BP_TREE_LEVELS * BP_TREE_WIDTH + BP_TREE_PADDING,
    BP_TREE_HITS = 16,   // that a walk may collect before it stops
    BP_TREE_IN_TURN = 16 // walks
};

// A line or a point, as a question to a tree. "How far" is in units of the question: along a line, or the square of the distance
// from a point. All numbers are rounded so that boxes seem nearer and lines longer than they are: what is not a hit is certainly
// none.
//
// A line enters a box at (face - near_origin) * near_inverse, and leaves it at (face - far_origin) * far_inverse, on each
// axis; the faces are in columns of a node. The axis of the fastest motion comes first: there inverses are finite, so only a
// lane without a box gives a NaN, and is no hit. Where the line does not move inverses are infinite: then 0 * infinity is a
// NaN, which says nothing, as a box that is touched has no end there. Around a point, the origins are the point, rounded up and
// down.
//
// What seems this far away is certainly hit before far * sure + slack, if that is before its end * BP_TREE_SURELY. `sure` is
// infinite where that is unknown.
#define BP_TREE_SURELY (1.0f - 0x1p-18f)
typedef struct bp_tree_aim {
    bool is_line;
    float near_origin[3], far_origin[3], near_inverse[3], far_inverse[3];
    uint32_t near_column[3], far_column[3]; // the first of the eight values, counted from the beginning of a node
    float limit;                            // what is farther away is not wanted
    float sure, slack;
} bp_tree_aim;

// A walk through a tree, nearest nodes first. It stops at leaves with hits, and at its end.
typedef struct bp_tree_walk {
    bp_tree_aim aim;
    const bp_tree_levels *levels;
    double speed; // of a line: the largest component of its direction
    bool is_done;
    size_t room;  // it goes on while there are no more hits than this
    bp_pair next; // the next node; the bits of how far that is, with its level in the lowest four
    size_t depth, hit_count;
    bp_pair hits[BP_TREE_HITS + BP_TREE_WIDTH + BP_TREE_PADDING]; // (slot, how far)
    bp_pair stack[BP_TREE_STACK];                                 // other nodes; the lowest entry is none
} bp_tree_walk;

static const uint32_t bp_tree_level_bits = 15;

// How far an entry is, at least.
static inline float bp_tree_far(bp_pair entry) {
    const uint32_t bits = entry.b & ~bp_tree_level_bits;
    float far;
    memcpy(&far, &bits, sizeof far);
    return far;
}

// Drops all nodes that are no longer wanted, because the limit is lower.
static inline void bp_tree_cull(bp_tree_walk *walk) {
    size_t kept = 1;
    walk->stack[walk->depth++] = walk->next;
    for (size_t i = 1; i < walk->depth; ++i) {
        walk->stack[kept] = walk->stack[i];
        kept += bp_tree_far(walk->stack[i]) <= walk->aim.limit;
    }
    walk->depth = kept - 1;
    walk->next = walk->stack[walk->depth];
    walk->is_done = walk->depth == 0;
}

#endif
