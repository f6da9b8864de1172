// The tree of both octrees: a cube, divided into eight (in two dimensions four) cubes, and again, where the objects are.
//
//     nodes     | root | children of the root | children of a child | ...      siblings side by side; unused ones are linked
//                         |
//                         +---> 17 <-> 4 <-> 96      the list of a node's own objects
//
// A rule says to which cube an object belongs: it is in the deepest node on the way there. An object that changes is taken out
// of its node and put into another one. A node is split when more than max_objects of its objects would move down, and the
// objects of its subtree return to it when they are no more than half as many.
//
// For a search, the objects are listed:
//
//     boxes     | own of root | own of child 0 | own of its child 0 | ... | own of child 1 | ...     depth first
//
// Each box of a node is tested against those of its node that follow it. Of other nodes, the boxes that overlap the bounds
// of the node's own boxes are tested against all of these. The node of an object affects how fast it is found, never whether it
// is, as long as the rules look into enough nodes: bounds are those of the boxes.
#ifndef BP_CUBE_TREE_H
#define BP_CUBE_TREE_H

#include "base/boxes.h"
#include "base/morton.h"
#include "engine/setup.h"
#include "kernels/between_search.h"

// ---- the cube -------------------------------------------------------------------------------------------------------
//
// The steps from a coordinate to its cell are monotone, and a coordinate beyond the cube belongs to a cell at its
// border. So two coordinates that are less than a cell apart are in the same or in neighbouring cells, wherever they
// are and whatever the cube.

enum { BP_TREE_DEPTH_MAX = 21 }; // so that three axes of this many bits fit into a key

typedef struct bp_tree_space {
    double origin[3];
    double edge;
    double inverse; // cells of the finest depth per unit of length
    uint32_t depth; // of the finest cells
    uint32_t dimensions;
} bp_tree_space;

// The depth that a setting allows; 0 means as deep as keys allow.
static inline uint32_t bp_tree_depth_limit(uint32_t max_depth) {
    return max_depth == 0 || max_depth > BP_TREE_DEPTH_MAX ? BP_TREE_DEPTH_MAX : max_depth;
}

// Coordinates that rounding cannot make overflow.
static inline double bp_tree_centre(const bp_box *box, uint32_t axis) {
    return ((double)box->min[axis] + (double)box->max[axis]) / 2;
}

// Divides the cube into the cells of a depth.
static inline void bp_tree_space_divide(bp_tree_space *space, uint32_t depth) {
    space->depth = depth;
    space->inverse = ldexp(1.0, (int)depth) / space->edge;
}

// The cell of a coordinate, which must not be NaN.
static inline uint32_t bp_tree_cell(const bp_tree_space *space, int axis, double coordinate) {
    const double last = (double)((1u << space->depth) - 1);
    double cell = (coordinate - space->origin[axis]) * space->inverse;
    cell = cell > 0.0 ? cell : 0.0;
    cell = cell < last ? cell : last;
    return (uint32_t)(int32_t)cell;
}

// A cell with its axes interleaved: the highest bits are the child of the root, and so on downwards.
static inline uint64_t bp_tree_interleave(const bp_tree_space *space, const uint32_t cell[3]) {
    return space->dimensions == 2
               ? bp_spread_by_two(cell[0]) | bp_spread_by_two(cell[1]) << 1
               : bp_spread_by_three(cell[0]) | bp_spread_by_three(cell[1]) << 1 | bp_spread_by_three(cell[2]) << 2;
}

// The child of a node at `depth` that a key belongs to.
static inline uint32_t bp_tree_octant(const bp_tree_space *space, uint64_t key, uint32_t depth) {
    return (uint32_t)(key >> (space->dimensions * (space->depth - 1 - depth))) & ((1u << space->dimensions) - 1);
}

// ---- the tree -------------------------------------------------------------------------------------------------------

#define BP_NODE_NONE UINT32_MAX
#define BP_NODE_UNUSED UINT32_MAX // the depth of a node that is not in the tree

// The most nodes that wait on the way down a tree, where each step puts the children of one there.
enum { BP_NODE_STACK = 8 * (BP_TREE_DEPTH_MAX + 1) };

// Where an object belongs: the cube of this depth that contains this finest cell.
typedef struct bp_place {
    uint64_t key;
    uint32_t depth;
} bp_place;

typedef struct bp_node {
    uint32_t first_child, parent; // or BP_NODE_NONE
    uint32_t depth;               // or BP_NODE_UNUSED
    uint32_t cell[3];             // its cube among those of this depth
    uint32_t head;                // its first object, or BP_NODE_NONE
    uint32_t count;               // of its own objects,
    uint32_t movable;             // of those that could be deeper: none if it has children,
    uint32_t below;               // of the objects of its descendants
    bp_place first;               // of the movable ones, that of the first,
    bool is_mixed;                // and whether there was another place since
    // Once the objects are listed:
    uint32_t begin, end; // its own boxes,
    bp_box own, subtree; // their bounds, and those of all in its subtree
} bp_node;

typedef struct bp_object_link {
    bp_place place;
    uint32_t next, previous;
    uint32_t node; // BP_NODE_NONE: it is not in the tree
} bp_object_link;

typedef struct bp_cube_tree bp_cube_tree;

// The rules of a method.
typedef struct bp_cube_rules {
    bp_place (*place_of)(const bp_cube_tree *tree, const bp_box *box);
    // Tests the own objects of a node against those of other nodes: of each two nodes from one side.
    void (*test_others)(const bp_cube_tree *tree, bp_range_tester *tester, uint32_t node);
} bp_cube_rules;

struct bp_cube_tree {
    const bp_method_setup *setup;
    const bp_cube_rules *rules;
    const bp_box *boxes;
    bp_tree_space space;
    uint32_t children;      // of a node: 8 or 4
    bp_buffer nodes;        // of bp_node
    size_t node_count;      // with unused ones; 0: not built
    uint32_t unused;        // the first of unused siblings
    bool has_changed_nodes; // since this was last set to false
    bp_buffer links;        // of bp_object_link, by id
    size_t id_count, object_count;
    bool is_listed;    // what follows is up to date
    bp_buffer order;   // of uint32_t: the nodes, depth first
    size_t used_count; // of these
    bp_columns columns;
    bp_buffer columns_buffer;
    bp_other_set other;
    bp_block_sinks sinks;
};

void bp_cube_tree_init(bp_cube_tree *tree, const bp_method_setup *setup, const bp_cube_rules *rules);

// The cube, not yet divided, of the domain if there is one; else that around the centres of all finite boxes, or of most of them if
// a few are so far away that it would be nearly empty. `width` gets how wide these lie along each axis; negative: nowhere.
bp_tree_space bp_cube_tree_choose(const bp_cube_tree *tree, const bp_box *boxes, size_t count, double width[3]);

// Starts a new tree. False if memory is short.
bool bp_cube_tree_build(bp_cube_tree *tree, const bp_tree_space *space, const bp_box *boxes, size_t count);

// Updates the objects of these ids, or of all (NULL). False if memory is short: then only bp_cube_tree_build may follow.
bool bp_cube_tree_update(bp_cube_tree *tree, const bp_box *boxes, size_t id_count, const bp_id *ids, size_t count);

// Tests the own objects of a node against those of another one.
void bp_cube_tree_test(const bp_cube_tree *tree, bp_range_tester *tester, uint32_t at, uint32_t other_at);

// Operations of a method whose state begins with its tree.
void bp_cube_tree_free(void *state);
bp_status bp_cube_tree_find(void *state, bp_sink *sink);
bp_status bp_cube_tree_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink);
void bp_cube_tree_stats(const void *state, bp_stats *stats);
bp_status bp_cube_tree_validate(const void *state);

static inline bp_node *bp_node_at(const bp_cube_tree *tree, uint32_t node) {
    return (bp_node *)tree->nodes.data + node;
}

// A walk through the nodes whose subtrees overlap a box.
typedef struct bp_node_walk {
    bp_box box;
    size_t pending;
    uint32_t stack[BP_NODE_STACK];
} bp_node_walk;

static inline void bp_node_walk_begin(bp_node_walk *walk, const bp_box *box) {
    walk->box = *box;
    walk->pending = 1;
    walk->stack[0] = 0;
}

// The next node, BP_NODE_NONE at the end. Children of nodes of depth `deepest` are left out.
static inline uint32_t bp_node_walk_next(bp_node_walk *walk, const bp_cube_tree *tree, uint32_t deepest) {
    while (walk->pending > 0) {
        const uint32_t at = walk->stack[--walk->pending];
        const bp_node *node = bp_node_at(tree, at);
        if (bp_boxes_overlap_branchless(&walk->box, &node->subtree, 3)) { // in two dimensions they lie flat
            for (uint32_t k = 0; node->first_child != BP_NODE_NONE && node->depth < deepest && k < tree->children;
                 ++k) {
                walk->stack[walk->pending++] = node->first_child + k;
            }
            return at;
        }
    }
    return BP_NODE_NONE;
}

#endif
