// Building the tree of the bvh method.
#ifndef BP_BVH_BUILD_H
#define BP_BVH_BUILD_H

#include "literature/bvh/bvh_tree.h"

// Builds a tree of all boxes, by the build that the setup names.
bp_status bp_bvh_tree_build(bvh_tree *tree, const bp_box *boxes, size_t count);

#endif
