// The tree of the octree: nodes, splits and merges, and links between touching leaves. It knows keys, not boxes.
#ifndef BP_OCTREE_TREE_H
#define BP_OCTREE_TREE_H

#include "literature/octrees/node_search.h"

enum { OCTREE_SLOTS = 27 };

// The root has no siblings, but room for them; one of them has the objects that are in no leaf.
enum { OCTREE_ROOT = 0, OCTREE_SCANNED = 1 };

// Marks a slot whose node is a leaf of less depth, and therefore larger.
#define OCTREE_LARGER 0x80000000u

// An object that is being assigned to its leaf.
typedef struct octree_entry {
    uint64_t key;
    uint32_t id;
} octree_entry;

// How to find the neighbour of a child: a slot of its parent, and a child of the node there.
typedef struct octree_link {
    uint8_t slot, octant;
} octree_link;

typedef struct octree_tree {
    const bp_allocator *allocator;
    bp_tree_space space;
    uint32_t max_objects;
    uint32_t children;   // of a node: 8 or 4
    uint32_t slot_count; // of a node: 27 or 9; the one in the middle is itself
    octree_link links[8][OCTREE_SLOTS];

    bp_buffer nodes;     // of bp_node; the root is 0, and siblings are adjacent
    bp_buffer cursors;   // of uint32_t, by node: the number of objects of a leaf; then the position of its next object
    bp_buffer slots;     // of uint32_t, slot_count per node: a node, perhaps marked, or BP_NODE_NONE
    size_t node_count;   // in the pool, free ones included
    uint32_t free_block; // the first free block of children, linked through `parent`; or BP_NODE_NONE
    bool has_changed;    // nodes were split or merged
    bp_buffer leaves;    // of uint32_t, depth first
    bp_buffer inners;    // of uint32_t, parents first
    size_t leaf_count, inner_count;

    bp_buffer entries_buffer, scratch_buffer;
    octree_entry *placed;  // in the order of leaves
    octree_entry *scratch; // by id, until all are placed
} octree_tree;

void bp_octree_tree_init(octree_tree *tree, const bp_method_setup *setup);
void bp_octree_tree_free(octree_tree *tree);
size_t bp_octree_tree_bytes(const octree_tree *tree);
bool bp_octree_tree_reserve_entries(octree_tree *tree, size_t count);

// Starts a new tree of one leaf. False if memory is short.
bool bp_octree_tree_plant(octree_tree *tree, const bp_tree_space *space);

// One step has three parts. bp_octree_tree_open counts the objects of all leaves (home[id], where that is a leaf), assigns
// a range to each leaf and returns the number of objects. octree_tree_put puts each object into its leaf. Then
// bp_octree_tree_adapt splits and merges leaves; false if memory is short.
size_t bp_octree_tree_open(octree_tree *tree, const uint32_t *home, size_t count);
bool bp_octree_tree_adapt(octree_tree *tree);

// The nodes that `leaf` is tested against, if they are leaves; there is room for slot_count of them.
size_t bp_octree_tree_neighbours(const octree_tree *tree, uint32_t leaf, uint32_t *neighbours);

// Checks links, slots and lists.
bool bp_octree_tree_is_sound(const octree_tree *tree);

static inline bp_node *octree_node(const octree_tree *tree, uint32_t node) {
    return (bp_node *)tree->nodes.data + node;
}

static inline uint32_t octree_leaf(const octree_tree *tree, size_t index) {
    return ((const uint32_t *)tree->leaves.data)[index];
}

static inline uint32_t octree_inner(const octree_tree *tree, size_t index) {
    return ((const uint32_t *)tree->inners.data)[index];
}

// The leaf of a key.
static inline uint32_t octree_tree_locate(const octree_tree *tree, uint64_t key) {
    uint32_t at = 0;
    for (const bp_node *node = octree_node(tree, at); node->first_child != BP_NODE_NONE; node = octree_node(tree, at)) {
        at = node->first_child + bp_tree_octant(&tree->space, key, node->depth);
    }
    return at;
}

// Appends an entry to those already in the leaf.
static inline void octree_tree_put(octree_tree *tree, uint32_t leaf, octree_entry entry) {
    tree->placed[((uint32_t *)tree->cursors.data)[leaf]++] = entry;
}

#endif
