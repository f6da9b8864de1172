// The tree, as the kernels see it: blocks of eight children (engine/tree/tree.h).
#ifndef BP_KERNEL_TREE_H
#define BP_KERNEL_TREE_H

#include "base/boxes.h"

enum {
    BP_TREE_WIDTH = 8,    // children of a block
    BP_TREE_LEVELS = 12,  // 8^11 > 2^32
    BP_TREE_PADDING = 16, // entries behind the last one of a list that may be written
};

// A slot without a box.
#define BP_TREE_NONE UINT32_MAX

// The boxes of eight children in columns. A lane without a child, or with a hole, holds NaNs, which overlap nothing. (A box
// from +infinity to -infinity would overlap one that is infinite along all axes.)
typedef struct bp_tree_block {
    float min[3][BP_TREE_WIDTH], max[3][BP_TREE_WIDTH];
} bp_tree_block;

// Where boxes are, for their places on a Hilbert curve: centres are counted in cells from `low` on.
typedef struct bp_tree_frame {
    float low[3]; // of min + max
    float scale;  // cells per unit of min + max
    uint32_t dimensions;
} bp_tree_frame;

// The boxes that are searched for in a tree: box x is boxes[ids[x]], or boxes[x] if `ids` is NULL.
typedef struct bp_tree_wanted {
    const bp_box *boxes;
    const uint32_t *ids;
    uint32_t dimensions;
} bp_tree_wanted;

// A line that is followed through a tree, nearest blocks first. It stops at each leaf that it may hit.
enum { BP_TREE_LINE_STACK = BP_TREE_LEVELS * (BP_TREE_WIDTH - 1) + BP_TREE_WIDTH + BP_TREE_PADDING };

typedef struct bp_tree_stop {
    float at; // how far along the line its box is entered, at least
    uint32_t level, block;
} bp_tree_stop;

#endif
