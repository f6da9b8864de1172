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

enum { BP_TREE_STACK = BP_TREE_LEVELS * BP_TREE_WIDTH + BP_TREE_PADDING };

// A line or a point, as a question to a tree. "How far" is in units of the question: along a line, or the square of the distance
// from a point. All numbers are rounded so that boxes seem nearer and lines longer than they are: what is not a hit is certainly
// none.
//
// A line enters a box at (face - near_origin) * near_inverse, and leaves it at (face - far_origin) * far_inverse, on each
// axis; the faces are in columns of a node. The far inverse is infinite where the line does not move: then 0 * infinity is a
// NaN, which says nothing, as a box that is touched has no end there. Around a point, the origins are the point, rounded up
// and down.
typedef struct bp_tree_aim {
    bool is_line;
    float near_origin[3], far_origin[3], near_inverse[3], far_inverse[3];
    uint32_t near_column[3], far_column[3]; // the first of the eight values, counted from the beginning of a node
    float limit;                            // what is farther away is not wanted
} bp_tree_aim;

// A walk through a tree, nearest nodes first, which stops at each leaf that has hits.
typedef struct bp_tree_walk {
    bp_tree_aim aim;
    const bp_tree_levels *levels;
    double speed; // of a line: the largest component of its direction
    bool is_done;
    uint32_t level, node; // the next one
    size_t depth, hit_count;
    bp_pair hits[BP_TREE_WIDTH + BP_TREE_PADDING]; // (slot, bits of how far), in the leaf where the walk has stopped
    bp_pair stack[BP_TREE_STACK];                  // (node, bits of how far)
} bp_tree_walk;

#endif
