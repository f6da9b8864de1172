// The tree of the bvh method: nodes in pairs, leaves of up to eight boxes in columns.
//
//     nodes     | root | - | l | r | l | r | ...     siblings are adjacent
//
//     columns   | 8 places of node 0 | of node 1 | of node 2 | ... | infinite boxes |
//
// The boxes of a leaf are at the first of its places; all other places of nodes are holes, which overlap nothing, so the places
// of a leaf are tested all together. Boxes with an infinite coordinate would only enlarge every node above them: they stand
// behind the nodes, are listed afresh after every change, and are tested against all others.
//
// Every build gives this form, and every tree can be refitted, or changed box by box, afterwards.
#ifndef BP_BVH_TREE_H
#define BP_BVH_TREE_H

#include "base/boxes.h"
#include "base/columns.h"
#include "engine/setup.h"

enum {
    BVH_LEAF = 8, // boxes in a leaf
    BVH_ROOT = 0  // its neighbour is not used
};

#define BVH_NOWHERE UINT32_MAX // no node, no place

typedef struct bvh_node {
    bp_box bounds;
    uint32_t parent;
    uint32_t first;  // the first of two children; unused ones: the next unused pair
    uint32_t count;  // boxes of a leaf
    uint32_t height; // 0: a leaf
} bvh_node;

typedef struct bvh_tree {
    const bp_method_setup *setup;
    const bp_box *boxes;        // by id
    size_t id_count, box_count; // in leaves
    bp_buffer nodes_buffer;     // of bvh_node
    uint32_t node_end;          // nodes used so far, unused ones included
    uint32_t unused;            // the first of the unused pairs
    bp_columns columns;
    bp_buffer columns_buffer;
    size_t columns_capacity; // places
    size_t infinite_end;     // of the infinite boxes, which begin at node_end * BVH_LEAF
    bp_buffer places_buffer; // of uint32_t, by id: in the columns; BVH_NOWHERE for holes and infinite boxes
    size_t place_count;
    bp_buffer entries_buffer, clusters_buffer; // scratch of the builds
} bvh_tree;

static inline bvh_node *bvh_nodes(const bvh_tree *tree) {
    return tree->nodes_buffer.data;
}

static inline uint32_t *bvh_places(const bvh_tree *tree) {
    return tree->places_buffer.data;
}

static inline bool bvh_is_leaf(const bvh_node *node) {
    return node->height == 0;
}

static inline size_t bvh_infinite_begin(const bvh_tree *tree) {
    return (size_t)tree->node_end * BVH_LEAF;
}

// The box around two boxes.
static inline bp_box bvh_join(const bp_box *a, const bp_box *b) {
    bp_box both;
    for (int axis = 0; axis < 3; ++axis) {
        both.min[axis] = bp_smaller(a->min[axis], b->min[axis]);
        both.max[axis] = bp_larger(a->max[axis], b->max[axis]);
    }
    return both;
}

void bp_bvh_tree_free(bvh_tree *tree);
size_t bp_bvh_tree_bytes(const bvh_tree *tree);

// Builds the tree in the way that the settings name. False if memory is short.
bool bp_bvh_tree_build(bvh_tree *tree, const bp_box *boxes, size_t count); // bvh_build.c

// Empties the tree. False if memory is short.
bool bp_bvh_tree_clear(bvh_tree *tree, const bp_box *boxes, size_t count);

// Makes room for so many nodes. False if memory is short.
bool bp_bvh_tree_reserve(bvh_tree *tree, size_t count);

// Replaces the array of boxes, some of which may have changed; new ids are not in the tree yet. False if memory is short.
bool bp_bvh_tree_renew(bvh_tree *tree, const bp_box *boxes, size_t count);

// Gives a leaf two empty leaves as children and returns the first, BVH_NOWHERE if memory is short. Its boxes are lost.
uint32_t bp_bvh_tree_divide(bvh_tree *tree, uint32_t node);

// Whether a box belongs into a leaf: it is neither a hole nor infinite.
bool bp_bvh_is_finite(const bvh_tree *tree, uint32_t id);

// Reads the boxes again of which the columns have the ids, and computes all bounds. The tree keeps its shape.
void bp_bvh_tree_refit(bvh_tree *tree);

// Puts a changed box into another leaf, unless it lies inside the bounds of its own; takes one out that is not finite any more.
// False if memory is short.
bool bp_bvh_tree_relocate(bvh_tree *tree, uint32_t id);

// Lists the infinite boxes, at the end of a build or update. False if memory is short.
bool bp_bvh_tree_list_infinite(bvh_tree *tree);

bp_status bp_bvh_tree_validate(const bvh_tree *tree);

#endif
