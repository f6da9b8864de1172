// Nodes of octrees, which own ranges of boxes, and finding pairs among them.
//
//     boxes, in the order of the nodes   | own boxes of A | of B | of C | ...
//
// Each box of a node is tested against those of its node that follow it. Of other nodes, the boxes that overlap the bounds of the
// node's own boxes are tested against all of these. Which node owns a box only affects the speed, never the result: bounds
// are those of the boxes themselves.
#ifndef BP_NODE_SEARCH_H
#define BP_NODE_SEARCH_H

#include "base/boxes.h"
#include "engine/setup.h"
#include "kernels/range_tester.h"
#include "literature/octrees/tree_space.h"

#define BP_NODE_NONE UINT32_MAX

// The most nodes that wait on the way down a tree, where each step puts the children of one there.
enum { BP_NODE_STACK = 8 * (BP_TREE_DEPTH_MAX + 1) };

// A node of a tree with 8 adjacent children (4 in two dimensions), or none.
typedef struct bp_node {
    uint32_t first_child, parent;
    uint32_t begin, end; // its own boxes
    uint32_t depth;
    bp_box own;   // the bounds of these,
    bp_box below; // and of all in its subtree
} bp_node;

// Counts the objects of a node in bp_stats: occupied, objects_per_cell_max.
static inline void bp_node_count_objects(const bp_node *node, bp_stats *stats) {
    const size_t objects = node->end - node->begin;
    stats->occupied += objects > 0;
    stats->objects_per_cell_max = objects > stats->objects_per_cell_max ? objects : stats->objects_per_cell_max;
}

// Bounds that overlap nothing.
static inline bp_box bp_bounds_empty(void) {
    return (bp_box){.min = {INFINITY, INFINITY, INFINITY}, .max = {-INFINITY, -INFINITY, -INFINITY}};
}

static inline void bp_bounds_join(bp_box *to, const bp_box *from) {
    for (int axis = 0; axis < 3; ++axis) {
        to->min[axis] = bp_smaller(from->min[axis], to->min[axis]);
        to->max[axis] = bp_larger(from->max[axis], to->max[axis]);
    }
}

// Boxes in the order of the nodes.
typedef struct bp_node_boxes {
    const bp_method_setup *setup;
    size_t count;
    bp_columns columns;
    bp_buffer buffer;
    bp_block_sinks sinks;
} bp_node_boxes;

void bp_node_boxes_free(bp_node_boxes *boxes);
size_t bp_node_boxes_bytes(const bp_node_boxes *boxes);

// Makes room for `count` boxes. Their ids, in the order of the nodes, go to columns.id; then bp_columns_fill copies them.
bool bp_node_boxes_reserve(bp_node_boxes *boxes, size_t count);

// The bounds of the boxes begin .. end-1; empty bounds if there are none.
bp_box bp_node_bounds(const bp_node_boxes *boxes, uint32_t begin, uint32_t end);

// Lists the tests of the own boxes of a node among each other, and against those of other nodes.
void bp_node_test(const bp_node_boxes *boxes, bp_range_tester *tester, const bp_node *nodes, const bp_node *node,
                  const uint32_t *others, size_t other_count);

// Runs units of work, which list such tests.
bp_status bp_node_boxes_find(bp_node_boxes *boxes, size_t unit_count,
                             void (*unit)(const void *context, bp_range_tester *tester, size_t index),
                             const void *context, bp_sink *sink);

// Finds every pair of a probe, a box of the other set, and a box in the tree. The boxes from `outside_begin` on are in no node,
// and every probe is tested against them.
typedef struct bp_node_search {
    const bp_node_boxes *boxes;
    const bp_node *nodes; // the root first
    uint32_t outside_begin;
    const bp_box *probes;
    size_t probe_count;
} bp_node_search;

bp_status bp_node_search_run(const bp_node_search *search, bp_block_sinks *sinks, bp_sink *sink);

#endif
