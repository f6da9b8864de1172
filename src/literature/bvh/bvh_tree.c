// Memory, places and bounds of the tree; see bvh_tree.h for the layout.
#include "literature/bvh/bvh_tree.h"

#include "base/log.h"
#include "base/parallel.h"

#include <assert.h>
#include <string.h>

enum {
    SLOTS_MAX = 1 << 28,    // positions are below BVH_SCANNED
    REFIT_SLOTS_LEAST = 512 // that are worth a task
};

// ---- memory ---------------------------------------------------------------------------------------------------------

void bp_bvh_tree_init(bvh_tree *tree, const bp_method_setup *setup) {
    *tree = (bvh_tree){.setup = setup, .free_pair = BVH_NOWHERE, .free_slot = BVH_NOWHERE};
}

enum { BUFFER_COUNT = 10 };

static void list_buffers(bvh_tree *tree, bp_buffer *buffers[BUFFER_COUNT]) {
    bp_buffer *all[BUFFER_COUNT] = {&tree->nodes_buffer,      &tree->parents_buffer, &tree->heights_buffer,
                                    &tree->columns_buffer,    &tree->scanned.buffer, &tree->places_buffer,
                                    &tree->slot_nodes_buffer, &tree->order.buffer,   &tree->entries_buffer,
                                    &tree->clusters_buffer};
    memcpy(buffers, all, sizeof all);
}

void bp_bvh_tree_free(bvh_tree *tree) {
    bp_buffer *buffers[BUFFER_COUNT];
    list_buffers(tree, buffers);
    for (size_t i = 0; i < BUFFER_COUNT; ++i) {
        bp_buffer_free(buffers[i], &tree->setup->runtime.allocator);
    }
}

size_t bp_bvh_tree_bytes(const bvh_tree *tree) {
    bvh_tree copy = *tree;
    bp_buffer *buffers[BUFFER_COUNT];
    list_buffers(&copy, buffers);
    size_t bytes = 0;
    for (size_t i = 0; i < BUFFER_COUNT; ++i) {
        bytes += buffers[i]->bytes;
    }
    return bytes;
}

// Columns for `capacity` boxes that keep the first `used`; the others are holes.
static bool grow_columns(bp_columns *columns, bp_buffer *buffer, const bp_allocator *allocator, size_t used,
                         size_t capacity) {
    const size_t length = (capacity + BP_COLUMN_PADDING + 15) / 16 * 16;
    bp_buffer grown_buffer = {0};
    if (!bp_buffer_reserve(&grown_buffer, allocator, 0, bp_size_multiply(length, 7), sizeof(float))) {
        return false;
    }
    float *values = grown_buffer.data;
    for (size_t i = 0; i < 6 * length; ++i) {
        values[i] = NAN;
    }
    const bp_columns grown = {.min = {values, values + length, values + 2 * length},
                              .max = {values + 3 * length, values + 4 * length, values + 5 * length},
                              .id = memset(values + 6 * length, 0, length * sizeof(uint32_t))};
    for (int axis = 0; axis < 3 && used > 0; ++axis) {
        memcpy(grown.min[axis], columns->min[axis], used * sizeof(float));
        memcpy(grown.max[axis], columns->max[axis], used * sizeof(float));
    }
    if (used > 0) {
        memcpy(grown.id, columns->id, used * sizeof(uint32_t));
    }
    bp_buffer_free(buffer, allocator);
    *buffer = grown_buffer;
    *columns = grown;
    return true;
}

bool bp_bvh_reserve_nodes(bvh_tree *tree, size_t count) {
    const bp_allocator *allocator = &tree->setup->runtime.allocator;
    const size_t used = tree->node_end;
    return bp_buffer_reserve_slack(&tree->nodes_buffer, allocator, used * sizeof(bvh_node), count, sizeof(bvh_node)) &&
           bp_buffer_reserve_slack(&tree->parents_buffer, allocator, used / 2 * sizeof(uint32_t), count / 2 + 1,
                                   sizeof(uint32_t)) &&
           bp_buffer_reserve_slack(&tree->heights_buffer, allocator, used * sizeof(uint32_t), count, sizeof(uint32_t));
}

bool bp_bvh_reserve_slots(bvh_tree *tree, size_t count) {
    const bp_allocator *allocator = &tree->setup->runtime.allocator;
    const size_t used = tree->slot_end;
    if (count <= tree->slot_capacity) {
        return true;
    }
    const size_t wanted = count + count / 4 + 1; // later inserts will split leaves
    const size_t capacity = wanted < SLOTS_MAX ? wanted : SLOTS_MAX;
    if (count > SLOTS_MAX) {
        bp_log_write(&tree->setup->runtime.log,
                     "bvh: more leaves than the 2^28 that fit; use another method for so many boxes");
        return false;
    }
    if (!bp_buffer_reserve(&tree->slot_nodes_buffer, allocator, used * sizeof(uint32_t), capacity, sizeof(uint32_t)) ||
        !grow_columns(&tree->columns, &tree->columns_buffer, allocator, used * BVH_LEAF, capacity * BVH_LEAF)) {
        return false;
    }
    tree->slot_capacity = capacity;
    return true;
}

static bool reserve_places(bvh_tree *tree, size_t count) {
    if (!bp_buffer_reserve_slack(&tree->places_buffer, &tree->setup->runtime.allocator,
                                 tree->place_count * sizeof(uint32_t), count, sizeof(uint32_t))) {
        return false;
    }
    for (; tree->place_count < count; ++tree->place_count) {
        bvh_places(tree)[tree->place_count] = BVH_NOWHERE;
    }
    return true;
}

bp_status bp_bvh_tree_renew(bvh_tree *tree, const bp_box *boxes, size_t count) {
    tree->boxes = boxes;
    tree->id_count = count;
    return reserve_places(tree, count) ? BP_OK : BP_ERROR_MEMORY;
}

bp_status bp_bvh_tree_clear(bvh_tree *tree, const bp_box *boxes, size_t count) {
    tree->tree_count = 0;
    tree->leaf_count = 0;
    tree->node_end = 0;
    tree->free_pair = BVH_NOWHERE;
    tree->slot_end = 0;
    tree->free_slot = BVH_NOWHERE;
    tree->scanned.count = 0;
    tree->place_count = 0;
    tree->order.is_valid = false;
    return bp_bvh_tree_renew(tree, boxes, count);
}

// ---- boxes ----------------------------------------------------------------------------------------------------------

void bp_bvh_put_box(bvh_tree *tree, uint32_t position, const bp_box *box, uint32_t id) {
    bp_columns_put(&tree->columns, position, box, id);
    bvh_places(tree)[id] = position;
}

void bp_bvh_write_hole(bvh_tree *tree, uint32_t position) {
    const bp_box hole = bp_box_hole();
    bp_columns_put(&tree->columns, position, &hole, 0);
}

bp_status bp_bvh_add_scanned(bvh_tree *tree, uint32_t id) {
    if (tree->scanned.count == tree->scanned.capacity) {
        const size_t capacity = 2 * tree->scanned.capacity + 64;
        if (!grow_columns(&tree->scanned.columns, &tree->scanned.buffer, &tree->setup->runtime.allocator,
                          tree->scanned.count, capacity)) {
            return BP_ERROR_MEMORY;
        }
        tree->scanned.capacity = capacity;
    }
    const bp_box box = bp_box_flatten(tree->boxes[id], tree->setup->dimensions);
    bvh_places(tree)[id] = BVH_SCANNED | (uint32_t)tree->scanned.count;
    bp_columns_put(&tree->scanned.columns, tree->scanned.count++, &box, id);
    return BP_OK;
}

// The last scanned box takes its place.
void bp_bvh_remove_scanned(bvh_tree *tree, uint32_t id) {
    const size_t hole = bvh_places(tree)[id] & ~BVH_SCANNED, last = --tree->scanned.count;
    const bp_box box = bp_columns_box(&tree->scanned.columns, last);
    const uint32_t moved = tree->scanned.columns.id[last];
    bp_columns_put(&tree->scanned.columns, hole, &box, moved);
    bvh_places(tree)[moved] = BVH_SCANNED | (uint32_t)hole;
    bvh_places(tree)[id] = BVH_NOWHERE;
}

// ---- bounds ---------------------------------------------------------------------------------------------------------

// Holes are NaN, and no comparison with them is true.
void bp_bvh_bound_leaf(bvh_tree *tree, uint32_t index) {
    bvh_node *node = &bvh_nodes(tree)[index];
    const size_t begin = (size_t)node->first * BVH_LEAF;
    for (int axis = 0; axis < 3; ++axis) {
        const float *mins = tree->columns.min[axis] + begin, *maxs = tree->columns.max[axis] + begin;
        float low = INFINITY, high = -INFINITY;
        for (int i = 0; i < BVH_LEAF; ++i) {
            low = mins[i] < low ? mins[i] : low;
            high = maxs[i] > high ? maxs[i] : high;
        }
        node->min[axis] = low;
        node->max[axis] = high;
    }
}

void bp_bvh_bound_inner(bvh_tree *tree, uint32_t index) {
    bvh_node *node = &bvh_nodes(tree)[index];
    const bvh_node *left = &bvh_nodes(tree)[node->first], *right = left + 1;
    const uint32_t *heights = &bvh_heights(tree)[node->first];
    for (int axis = 0; axis < 3; ++axis) {
        node->min[axis] = left->min[axis] < right->min[axis] ? left->min[axis] : right->min[axis];
        node->max[axis] = left->max[axis] > right->max[axis] ? left->max[axis] : right->max[axis];
    }
    bvh_heights(tree)[index] = 1 + (heights[0] > heights[1] ? heights[0] : heights[1]);
}

// Lists the inner nodes, parents first. The list is also the queue of the breadth-first traversal.
static bp_status order_inner_nodes(bvh_tree *tree) {
    if (tree->order.is_valid) {
        return BP_OK;
    }
    tree->order.count = 0;
    if (tree->leaf_count < 2) {
        return BP_OK;
    }
    if (!bp_buffer_reserve_slack(&tree->order.buffer, &tree->setup->runtime.allocator, 0, tree->leaf_count,
                                 sizeof(uint32_t))) {
        return BP_ERROR_MEMORY;
    }
    const bvh_node *nodes = bvh_nodes(tree);
    uint32_t *order = tree->order.buffer.data;
    order[tree->order.count++] = BVH_ROOT;
    for (size_t i = 0; i < tree->order.count; ++i) {
        for (uint32_t child = nodes[order[i]].first; child <= nodes[order[i]].first + 1; ++child) {
            order[tree->order.count] = child;
            tree->order.count += !bvh_is_leaf(&nodes[child]);
        }
    }
    assert(tree->order.count == tree->leaf_count - 1);
    tree->order.is_valid = true;
    return BP_OK;
}

bp_status bp_bvh_bound_all_inner(bvh_tree *tree) {
    const bp_status status = order_inner_nodes(tree);
    if (status != BP_OK) {
        return status;
    }
    const uint32_t *order = tree->order.buffer.data;
    for (size_t i = tree->order.count; i > 0; --i) {
        bp_bvh_bound_inner(tree, order[i - 1]);
    }
    return BP_OK;
}

typedef struct refit {
    bvh_tree *tree;
    bp_blocks blocks; // of slots
} refit;

static void task_refit(void *context, size_t block) {
    const refit *r = context;
    bvh_tree *tree = r->tree;
    for (size_t slot = bp_block_begin(r->blocks, block); slot < bp_block_begin(r->blocks, block + 1); ++slot) {
        const bvh_node *leaf = bvh_leaf_of_slot(tree, slot);
        if (leaf != NULL) {
            bp_columns_fill(&tree->columns, tree->setup->kernels, tree->setup->dimensions, slot * BVH_LEAF,
                            slot * BVH_LEAF + leaf->count, tree->boxes);
            bp_bvh_bound_leaf(tree, bvh_slot_nodes(tree)[slot]);
        }
    }
}

bp_status bp_bvh_tree_refit(bvh_tree *tree) {
    const bp_executor *executor = &tree->setup->runtime.executor;
    refit r = {.tree = tree, .blocks = bp_blocks_cut(executor, tree->slot_end, REFIT_SLOTS_LEAST, SIZE_MAX)};
    bp_parallel_for(executor, r.blocks.count, task_refit, &r);
    if (tree->scanned.count > 0) { // else there may be no columns
        bp_columns_fill(&tree->scanned.columns, tree->setup->kernels, tree->setup->dimensions, 0, tree->scanned.count,
                        tree->boxes);
    }
    return bp_bvh_bound_all_inner(tree);
}

double bp_bvh_tree_spread(const bvh_tree *tree) {
    double sum = 0.0;
    for (size_t slot = 0; slot < tree->slot_end; ++slot) {
        const bvh_node *leaf = bvh_leaf_of_slot(tree, slot);
        double size = 0.0;
        for (int axis = 0; axis < 3 && leaf != NULL; ++axis) {
            size += (double)leaf->max[axis] - (double)leaf->min[axis];
        }
        sum += size * size;
    }
    return sum;
}

size_t bp_bvh_tree_fullest(const bvh_tree *tree) {
    size_t most = 0;
    for (size_t slot = 0; slot < tree->slot_end && most < BVH_LEAF; ++slot) {
        const bvh_node *leaf = bvh_leaf_of_slot(tree, slot);
        most = leaf != NULL && leaf->count > most ? leaf->count : most;
    }
    return most;
}

// ---- validation -----------------------------------------------------------------------------------------------------

static bp_status report_wrong_tree(const bvh_tree *tree, const char *what, size_t which) {
    bp_log_write(&tree->setup->runtime.log, "bvh: %s %zu", what, which);
    return BP_ERROR_INTERNAL;
}

static bool node_holds(const bvh_node *outer, const float min[3], const float max[3]) {
    bool inside = true;
    for (int axis = 0; axis < 3; ++axis) {
        inside &= outer->min[axis] <= min[axis] && max[axis] <= outer->max[axis];
    }
    return inside;
}

static bool place_is_right(const bvh_tree *tree, uint32_t id) {
    const uint32_t place = bvh_places(tree)[id];
    const bool hole = bp_box_is_hole(&tree->boxes[id]);
    if (hole || place == BVH_NOWHERE) {
        return hole && place == BVH_NOWHERE;
    }
    const bool scanned = (place & BVH_SCANNED) != 0;
    const bp_columns *c = scanned ? &tree->scanned.columns : &tree->columns;
    const size_t position = place & ~BVH_SCANNED;
    return position < (scanned ? tree->scanned.count : (size_t)tree->slot_end * BVH_LEAF) && c->id[position] == id &&
           bp_columns_hold(c, position, &tree->boxes[id], tree->setup->dimensions) &&
           scanned == !bp_box_is_finite(&tree->boxes[id], tree->setup->dimensions);
}

// The boxes of a leaf come first in its slot, lie inside its bounds, and are followed by holes.
static bool leaf_is_right(const bvh_tree *tree, uint32_t index) {
    const bvh_node *node = &bvh_nodes(tree)[index];
    const bp_columns *c = &tree->columns;
    bool right = node->count <= BVH_LEAF && node->first < tree->slot_end && bvh_slot_nodes(tree)[node->first] == index;
    for (size_t i = 0; right && i < BVH_LEAF; ++i) {
        const size_t position = (size_t)node->first * BVH_LEAF + i;
        const bp_box box = bp_columns_box(&tree->columns, (uint32_t)position);
        right = i < node->count ? node_holds(node, box.min, box.max) && c->id[position] < tree->id_count &&
                                      bvh_places(tree)[c->id[position]] == position
                                : bp_box_is_hole(&box);
    }
    return right;
}

static bool inner_is_right(const bvh_tree *tree, uint32_t index) {
    const bvh_node *node = &bvh_nodes(tree)[index];
    if (node->first % 2 != 0 || node->first >= tree->node_end || bvh_parents(tree)[node->first / 2] != index) {
        return false;
    }
    const bvh_node *left = &bvh_nodes(tree)[node->first], *right = left + 1;
    const uint32_t *heights = bvh_heights(tree);
    const uint32_t l = heights[node->first], r = heights[node->first + 1];
    return heights[index] == 1 + (l > r ? l : r) && node_holds(node, left->min, left->max) &&
           node_holds(node, right->min, right->max);
}

// Visits all nodes without extra memory: down to the first child, from there to the second, from there up.
static bp_status validate_nodes(const bvh_tree *tree) {
    size_t boxes = 0, leaves = 0, steps = 0;
    uint32_t index = BVH_ROOT;
    for (bool down = true; steps <= 4 * tree->leaf_count; ++steps) {
        const bvh_node *node = &bvh_nodes(tree)[index];
        if (down && !(bvh_is_leaf(node) ? leaf_is_right(tree, index) : inner_is_right(tree, index))) {
            return report_wrong_tree(tree, "something is wrong with node", index);
        }
        boxes += down ? node->count : 0;
        leaves += down && bvh_is_leaf(node);
        if (down && !bvh_is_leaf(node)) {
            index = node->first;
        } else if (index == BVH_ROOT) {
            break;
        } else {
            down = index % 2 == 0;
            index = down ? index + 1 : bvh_parents(tree)[index / 2];
        }
    }
    const bool complete = boxes == tree->tree_count && leaves == tree->leaf_count;
    return complete ? BP_OK : report_wrong_tree(tree, "the nodes do not hold all boxes, but", boxes);
}

bp_status bp_bvh_tree_validate(const bvh_tree *tree) {
    size_t nowhere = 0;
    for (size_t id = 0; id < tree->id_count; ++id) {
        if (!place_is_right(tree, (uint32_t)id)) {
            return report_wrong_tree(tree, "the tree does not hold the box of id", id);
        }
        nowhere += bvh_places(tree)[id] == BVH_NOWHERE;
    }
    if (tree->tree_count + tree->scanned.count + nowhere != tree->id_count) {
        return report_wrong_tree(tree, "a wrong number of boxes is in the tree:", tree->tree_count);
    }
    return tree->tree_count > 0 ? validate_nodes(tree) : BP_OK;
}
