// Finding pairs in the trees of the bvh method.
#ifndef BP_BVH_FIND_H
#define BP_BVH_FIND_H

#include "engine/changes.h"
#include "kernels/range_tester.h"
#include "literature/bvh/bvh_tree.h"

// The memory of searches, kept from search to search. All zero is empty.
typedef struct bvh_search {
    bp_block_sinks sinks;
    bp_buffer tasks_buffer, spare_buffer, stacks_buffer;
} bvh_search;

void bp_bvh_search_free(bvh_search *search, const bp_allocator *allocator);
size_t bp_bvh_search_bytes(const bvh_search *search);

// All pairs of a box of `a` and a box of `b`, or inside one tree if they are the same.
bp_status bp_bvh_search_trees(bvh_search *search, const bvh_tree *a, const bvh_tree *b, bp_sink *sink);

// All pairs inside the tree that have a changed id.
bp_status bp_bvh_search_changed(bvh_search *search, const bvh_tree *tree, const bp_changes *changes, bp_sink *sink);

// How many leaves overlap a leaf, on the average over a sample; counted until it is clear that there are more than
// `most`. The cost of a search grows with it, whatever the scale of the scene.
bp_status bp_bvh_search_crowding(bvh_search *search, const bvh_tree *tree, double most, double *crowding);

#endif
