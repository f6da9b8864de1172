// The tree of the bvh method: nodes in pairs, leaves of eight boxes in columns.
//
//     nodes   | root | - | l | r | l | r | ...    siblings are adjacent, in one cache line; an inner node has the index
//                  \_____^                        of its first child, a leaf that of its slot
//
//     slots   | 8 boxes | 8 boxes | 5 boxes, 3 holes | ...     columns; a hole is a box of NaNs and overlaps nothing,
//                                                              so a slot is always tested whole, in one vector
//     scanned boxes with an infinite coordinate: they would only enlarge every node above them, and are tested against
//             all others
//
// Every build gives this form, and every tree can be changed box by box afterwards.
#ifndef BP_BVH_TREE_H
#define BP_BVH_TREE_H

#include "base/boxes.h"
#include "engine/setup.h"

enum {
    BVH_LEAF = 8, // boxes in a slot
    BVH_ROOT = 0  // the root's index; its neighbour is not used
};

#define BVH_NOWHERE UINT32_MAX  // no node, no slot, no position
#define BVH_SCANNED 0x80000000u // set in the position of a scanned box

typedef struct bvh_node {
    float min[3];
    uint32_t first; // the first of two children, or the slot of a leaf
    float max[3];
    uint32_t count; // boxes of a leaf, 0 for an inner node
} bvh_node;

// The boxes that are tested against all others.
typedef struct bvh_scanned {
    bp_columns columns;
    bp_buffer buffer; // of the columns
    size_t count, capacity;
} bvh_scanned;

// The inner nodes, parents first.
typedef struct bvh_order {
    bp_buffer buffer; // of uint32_t
    size_t count;
    bool is_valid; // no node has been added or removed since
} bvh_order;

typedef struct bvh_tree {
    const bp_method_setup *setup;
    const bp_box *boxes; // by id
    size_t id_count;
    size_t tree_count; // boxes in leaves; without any there is no root
    size_t leaf_count;

    bp_buffer nodes_buffer;   // of bvh_node
    bp_buffer parents_buffer; // of uint32_t, by node / 2: the parent of both
    bp_buffer heights_buffer; // of uint32_t, by node: 0 for a leaf
    uint32_t node_end;        // nodes used so far, free ones included
    uint32_t free_pair;       // the first node of a linked list of free pairs

    bp_columns columns; // by position: slot * BVH_LEAF + 0 .. 7
    bp_buffer columns_buffer;
    bp_buffer slot_nodes_buffer; // of uint32_t, by slot: its leaf, or the next free slot
    size_t slot_capacity;
    uint32_t slot_end, free_slot;

    bvh_scanned scanned;

    bp_buffer places_buffer; // of uint32_t, by id: position, BVH_SCANNED | index, or BVH_NOWHERE
    size_t place_count;

    bvh_order order;

    bp_buffer entries_buffer, clusters_buffer; // scratch of the builds
} bvh_tree;

static inline bvh_node *bvh_nodes(const bvh_tree *tree) {
    return tree->nodes_buffer.data;
}

static inline uint32_t *bvh_parents(const bvh_tree *tree) {
    return tree->parents_buffer.data;
}

static inline uint32_t *bvh_heights(const bvh_tree *tree) {
    return tree->heights_buffer.data;
}

static inline uint32_t *bvh_places(const bvh_tree *tree) {
    return tree->places_buffer.data;
}

static inline uint32_t *bvh_slot_nodes(const bvh_tree *tree) {
    return tree->slot_nodes_buffer.data;
}

// The leaf of a slot; NULL for a free one: its first box is a hole, and no box of a leaf is.
static inline const bvh_node *bvh_leaf_of_slot(const bvh_tree *tree, size_t slot) {
    return isnan(tree->columns.min[0][slot * BVH_LEAF]) ? NULL : &bvh_nodes(tree)[bvh_slot_nodes(tree)[slot]];
}

static inline bool bvh_is_leaf(const bvh_node *node) {
    return node->count > 0;
}

static inline bool bvh_nodes_overlap(const bvh_node *a, const bvh_node *b) {
    return (a->min[0] <= b->max[0]) & (b->min[0] <= a->max[0]) & (a->min[1] <= b->max[1]) & (b->min[1] <= a->max[1]) &
           (a->min[2] <= b->max[2]) & (b->min[2] <= a->max[2]);
}

// ---- memory, places, bounds -----------------------------------------------------------------------------------------

void bp_bvh_tree_init(bvh_tree *tree, const bp_method_setup *setup);
void bp_bvh_tree_free(bvh_tree *tree);
size_t bp_bvh_tree_bytes(const bvh_tree *tree);

// Empties the tree and adds the ids of `boxes`, none of which has a place yet.
bp_status bp_bvh_tree_clear(bvh_tree *tree, const bp_box *boxes, size_t count);

// Replaces the array of boxes, some of which may have changed. Ids beyond the former ones have no place yet.
bp_status bp_bvh_tree_renew(bvh_tree *tree, const bp_box *boxes, size_t count);

bool bp_bvh_reserve_nodes(bvh_tree *tree, size_t count);
bool bp_bvh_reserve_slots(bvh_tree *tree, size_t count);

// Writes a box, or a hole, into the columns. Boxes are flat there in two dimensions.
void bp_bvh_put_box(bvh_tree *tree, uint32_t position, const bp_box *box, uint32_t id);
void bp_bvh_write_hole(bvh_tree *tree, uint32_t position);
// Adds a box to the list of scanned ones, or removes it.
bp_status bp_bvh_add_scanned(bvh_tree *tree, uint32_t id);
void bp_bvh_remove_scanned(bvh_tree *tree, uint32_t id);

// Recomputes the bounds of a leaf from its boxes.
void bp_bvh_bound_leaf(bvh_tree *tree, uint32_t index);
// Computes the bounds and the height of an inner node from its children.
void bp_bvh_bound_inner(bvh_tree *tree, uint32_t index);
// The same for all inner nodes, children before parents.
bp_status bp_bvh_bound_all_inner(bvh_tree *tree);

// Reads all boxes again and recomputes all bounds. The tree keeps its shape. Every id must still be in the tree, and finite
// or infinite as it was.
bp_status bp_bvh_tree_refit(bvh_tree *tree);

// The sum over all leaves of the squared sum of their extents: about proportional to their surfaces, but not 0 for
// leaves that are flat or in a row. The cost of a search grows with it.
double bp_bvh_tree_spread(const bvh_tree *tree);
// Boxes in the fullest leaf.
size_t bp_bvh_tree_fullest(const bvh_tree *tree);

bp_status bp_bvh_tree_validate(const bvh_tree *tree);

#endif
