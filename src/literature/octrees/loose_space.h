// Where an object of a loose octree belongs: in the smallest node that encloses it and contains its centre.
//
//     node of depth d        [low, high) along each axis, low = origin + edge * cell, edge = that of the cube / 2^d
//     its reach              [low - margin, high + margin), margin = edge * (looseness - 1) / 2
//
// Reaches are half open: a box that touches the upper end of one is not enclosed. So two boxes overlap only if the
// reaches of their nodes do, with looseness 1 only those of a node and its ancestors. The reach of a node contains those
// of its children, exactly: each bound is rounded once, from numbers in that order.
#ifndef BP_LOOSE_SPACE_H
#define BP_LOOSE_SPACE_H

#include "engine/setup.h"
#include "literature/octrees/tree_space.h"

typedef struct bp_loose_place {
    uint64_t key;   // of the finest cell of its centre
    uint32_t depth; // the greatest at which a node encloses the object
} bp_loose_place;

typedef struct bp_reach {
    double min[3], max[3];
} bp_reach;

// The cube around the centres, without a few that are far away from the others; or that of settings.domain. Centres
// beyond it belong to the nodes at its border.
bp_tree_space bp_loose_space(const bp_method_setup *setup, const bp_box *boxes, size_t count);

// Infinite boxes, like others that no node encloses, belong to the root.
bp_loose_place bp_loose_place_of(const bp_tree_space *space, const bp_method_setup *setup, const bp_box *box);

// Of the node at a depth whose cell has these coordinates there.
bp_reach bp_loose_reach(const bp_tree_space *space, const bp_method_setup *setup, uint32_t depth,
                        const uint32_t cell[3]);

#endif
