// Finding pairs in a tree whose nodes own ranges of boxes: a node against itself and against ranges of other nodes.
//
//     boxes, in the order of the nodes   | own boxes of A | of B | of C | ...
//
//     1. filter   the bounds of A against the boxes of B, C, ...: eight boxes at a time
//     2. copy     the boxes of A, then those that passed, contiguously      | a a a | b c c |
//     3. test     each box of A against all boxes after it                    ^---->------->
//
// A node has a few boxes and many neighbours, so testing each box against each neighbour would be many very short
// ranges. After the filter there is one range for each box, and most often one vector for each range. Many nodes go
// through the three steps together. Which node owns a box only affects the speed, never the result: bounds are those of
// the boxes themselves.
//
// The search for the boxes of another set (bp_node_search) descends from the root, for many boxes at once: eight
// children are adjacent and their bounds are in columns, so that one step of the same kernel tests them all.
#ifndef BP_NODE_SEARCH_H
#define BP_NODE_SEARCH_H

#include "base/boxes.h"
#include "engine/setup.h"
#include "kernels/range_tester.h"

#define BP_NODE_NONE UINT32_MAX

// A node of a tree with 8 adjacent children (4 in two dimensions), or none.
typedef struct bp_node {
    uint32_t first_child, parent;
    uint32_t begin, end; // its own boxes
    uint32_t depth;
} bp_node;

// Counts the objects of a node in bp_stats: occupied, objects_per_cell_max.
static inline void bp_node_count_objects(const bp_node *node, bp_stats *stats) {
    const size_t objects = node->end - node->begin;
    stats->occupied += objects > 0;
    stats->objects_per_cell_max = objects > stats->objects_per_cell_max ? objects : stats->objects_per_cell_max;
}

// ---- bounds ---------------------------------------------------------------------------------------------------------

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

// ---- boxes in the order of nodes ------------------------------------------------------------------------------------

typedef struct bp_node_boxes {
    const bp_method_setup *setup;
    size_t count;
    bp_columns columns;
    bp_box *sorted;      // the same boxes as an array
    uint32_t *positions; // 0, 1, 2, ...: replaces the id column where positions are wanted
    bp_buffer columns_buffer, sorted_buffer, positions_buffer;
    bp_block_sinks sinks;
} bp_node_boxes;

void bp_node_boxes_init(bp_node_boxes *boxes, const bp_method_setup *setup);
void bp_node_boxes_free(bp_node_boxes *boxes);
size_t bp_node_boxes_bytes(const bp_node_boxes *boxes);

// Makes room for `count` boxes. Their ids, in the order of nodes, go to columns.id; then bp_node_boxes_fill copies the
// boxes of these ids.
bool bp_node_boxes_reserve(bp_node_boxes *boxes, size_t count);
void bp_node_boxes_fill(bp_node_boxes *boxes, const bp_box *by_id);

// The bounds of the boxes begin .. end-1; empty bounds if there are none.
bp_box bp_node_bounds(const bp_node_boxes *boxes, uint32_t begin, uint32_t end);

// ---- pairs inside the tree ------------------------------------------------------------------------------------------

typedef struct bp_node_range {
    uint32_t begin, end; // positions
} bp_node_range;

enum {
    BP_NODE_LOCAL = 1024, // boxes that are copied contiguously at once
    BP_NODE_BATCH = 128,  // nodes that are tested together
    BP_NODE_RANGES = 1024 // ranges that are filtered together
};

// Columns of fixed length.
typedef struct bp_node_columns {
    float values[6][BP_NODE_LOCAL + BP_COLUMN_PADDING];
    uint32_t id[BP_NODE_LOCAL + BP_COLUMN_PADDING];
} bp_node_columns;

// Nodes that are going through the three steps. Meant for the stack of a unit of work.
typedef struct bp_node_batch {
    const bp_node_boxes *boxes;
    bp_range_tester *tester; // of boxes->columns
    size_t node_count, filter_test_count;
    size_t local_bound; // upper bound of the boxes that all collected nodes need
    bp_node_range own[BP_NODE_BATCH];
    bp_box bounds[BP_NODE_BATCH];
    bp_range_test filter_tests[BP_NODE_RANGES];        // for step 1: (node, range)
    bp_range_test local_tests[BP_NODE_LOCAL];          // for step 3
    bp_pair passed[BP_NODE_LOCAL + BP_COLUMN_PADDING]; // the filter: (node, position)
    bp_node_columns local;
} bp_node_batch;

void bp_node_batch_begin(bp_node_batch *batch, const bp_node_boxes *boxes, bp_range_tester *tester);

// Finds all pairs inside a range and between it and the others. `bounds` are those of the range. The order of the pairs
// is the order of these calls, however nodes are collected.
void bp_node_batch_add(bp_node_batch *batch, const bp_box *bounds, bp_node_range own, const bp_node_range *others,
                       size_t other_count);
void bp_node_batch_end(bp_node_batch *batch);

// Runs units of work, each with a batch of its own.
bp_status bp_node_boxes_find(bp_node_boxes *boxes, size_t unit_count,
                             void (*unit)(const void *context, bp_range_tester *tester, size_t index),
                             const void *context, bp_sink *sink);

// ---- pairs with another set -----------------------------------------------------------------------------------------

// Finds every pair of a probe, a box of the other set, and a box in the tree. `bounds` are those of whole subtrees, in
// columns. The boxes from `outside_begin` on are in no node, and every probe is tested against them.
typedef struct bp_node_search {
    const bp_node *nodes; // the root first
    const bp_columns *bounds;
    uint32_t children; // of a node: 8 or 4
    uint32_t outside_begin;
    const bp_box *probes;
    size_t probe_count;
} bp_node_search;

bp_status bp_node_search_run(bp_node_boxes *boxes, const bp_node_search *search, bp_sink *sink);

#endif
