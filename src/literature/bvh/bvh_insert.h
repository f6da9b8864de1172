// Changing the tree of the bvh method box by box.
#ifndef BP_BVH_INSERT_H
#define BP_BVH_INSERT_H

#include "literature/bvh/bvh_tree.h"

// Updates the place of one id to its box: inserts, removes or moves it.
bp_status bp_bvh_tree_relocate(bvh_tree *tree, uint32_t id);

#endif
