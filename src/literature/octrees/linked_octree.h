// The linked octree: a loose octree that objects enter and leave one by one.
//
//     nodes, children side by side               objects of a node, a doubly linked list
//     +------+---+---+---+---+---
//     | root | 0 | 1 | 2 | 3 | ...  --- head --->   17 <-> 4 <-> 96
//     +--+---+---+-+-+---+---+---
//        +---->----+                 an object is in the deepest node there is that encloses it (loose_space.h)
//
// A node without children is split when more than max_objects of its objects would move down; children without any
// object in their subtrees are given back. An object that changes is taken out and put in again, unless its node stays
// the same: nothing else is touched. The cube is chosen when the tree is built. When the root has twice as many objects
// as then, because they have left the cube, the tree is built again around them.
//
// Pairs: a node is tested against itself and against the nodes above, or as deep and before it, whose reach overlaps its
// own. With looseness 1 these are its ancestors. Objects there that miss the bounds of all of its own are skipped.
//
// Cost: O(depth) for an object that changes. The search is that of any octree, but objects lie scattered in memory: it
// loses to the sorted form, which is rebuilt, unless few objects change.
//
// Source: M. Zych, "Efficient algorithms for collision detection in three-dimensional space", 2016, listings 2.12 to 2.14
// and section 3.2, with looseness 1. Differences: nodes are split by need, so that tiny objects do not make long chains;
// empty ones go; touching counts.
#ifndef BP_LINKED_OCTREE_H
#define BP_LINKED_OCTREE_H

#include "base/pair_sink.h"
#include "engine/changes.h"
#include "literature/octrees/loose_space.h"

typedef struct bp_linked_octree {
    const bp_method_setup *setup;
    const bp_box *boxes; // of the caller, by id
    bp_tree_space space;
    uint32_t children; // of a node: 8 or 4
    bp_buffer nodes;   // of tree_node
    size_t node_count; // with those that are not in use; 0: not built
    uint32_t unused;   // the first of the children that have been given back
    bp_buffer links;   // of object_link, by id
    size_t link_count;
    size_t object_count;
    uint32_t root_count; // objects of the root when the tree was built
} bp_linked_octree;

void bp_linked_octree_init(bp_linked_octree *tree, const bp_method_setup *setup);
void bp_linked_octree_free(bp_linked_octree *tree);

bp_status bp_linked_octree_build(bp_linked_octree *tree, const bp_box *boxes, size_t count);

// Updates the changed objects (NULL: all) to boxes[0 .. count): new ones are inserted, holes are removed, others move.
bp_status bp_linked_octree_update(bp_linked_octree *tree, const bp_box *boxes, size_t count, const bp_changes *changes);

// All pairs, as (smaller id, larger id).
bp_status bp_linked_octree_find(const bp_linked_octree *tree, bp_sink *sink);

// Only the pairs that have a changed id.
bp_status bp_linked_octree_find_changed(const bp_linked_octree *tree, const bp_changes *changes, bp_sink *sink);

// The pairs of one of boxes[0 .. count) and an object, as (id of the former, id of the latter).
bp_status bp_linked_octree_find_between(const bp_linked_octree *tree, const bp_box *boxes, size_t count, bp_sink *sink);

void bp_linked_octree_stats(const bp_linked_octree *tree, bp_stats *stats);
bp_status bp_linked_octree_validate(const bp_linked_octree *tree);

#endif
