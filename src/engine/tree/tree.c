// tree: one kept tree, refitted while boxes move. The idea, drawing and costs are in tree.h.
#include "engine/tree/tree.h"

#include "base/boxes.h"
#include "base/log.h"
#include "base/parallel.h"
#include "engine/method.h"

#include <string.h>

enum {
    LEAVES_PER_TASK = 1024,
    PARTIAL_FIT_SHARE = 8, // with one changed box in 8 or more, the whole tree is fitted; with fewer, their paths
    SPARE_SHARE = 8        // a kept tree has one spare slot for 8 boxes
};

// A tree is built anew when the searches since it was built have lost as much time as building takes; by splits, when searches
// have taken as long as that, and the tree has hardly become worse.
static const double EXCESS_MAX = 0.7;  // searches; building along the curve takes as long as 0.7
static const double JUDGED_FROM = 0.1; // searches since then: looking at all leaves takes longer than fitting a few
static const double EXCESS_CALM = 0.05;
static const double SPLITS_FROM = 200.0; // tests a box
static const double SPLITS_LAST =
    1000.0; // tests a box that a tree of splits should live for: else it is tried later next time

void bp_tree_init(bp_tree *tree, const bp_method_setup *setup) {
    *tree = (bp_tree){.setup = setup, .splits_from = SPLITS_FROM};
}

void bp_tree_free(bp_tree *tree) {
    const bp_allocator *allocator = &tree->setup->runtime.allocator;
    bp_buffer *const buffers[] = {&tree->nodes,   &tree->ids,   &tree->slots, &tree->keys,
                                  &tree->records, &tree->marks, &tree->lists};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i) {
        bp_buffer_free(buffers[i], allocator);
    }
    bp_block_sinks_free(&tree->sinks, allocator);
}

size_t bp_tree_bytes(const bp_tree *tree) {
    return tree->nodes.bytes + tree->ids.bytes + tree->slots.bytes + tree->keys.bytes + tree->records.bytes +
           tree->marks.bytes + tree->lists.bytes + bp_block_sinks_bytes(&tree->sinks);
}

// ---- fitting nodes to boxes -----------------------------------------------------------------------------------------

static void lift_levels(bp_tree *tree) {
    for (size_t k = 1; k + 1 < tree->level_count; ++k) {
        tree->setup->kernels->tree_lift(tree->levels[k], 0, tree->node_count[k], tree->levels[k + 1]);
    }
}

static void fill_leaves(bp_tree *tree, size_t begin, size_t end) {
    tree->setup->kernels->tree_fill(tree->boxes, tree->ids.data, begin, end, tree->setup->dimensions, tree->levels[0],
                                    tree->level_count > 1 ? tree->levels[1] : NULL);
}

static void fill_leaf(bp_tree *tree, size_t leaf) {
    fill_leaves(tree, leaf, leaf + 1);
}

static void task_fill_leaves(void *context, size_t index) {
    bp_tree *tree = context;
    const size_t begin = index * LEAVES_PER_TASK, left = tree->node_count[0] - begin;
    fill_leaves(tree, begin, begin + (left < LEAVES_PER_TASK ? left : LEAVES_PER_TASK));
}

static void refit_all(bp_tree *tree) {
    bp_parallel_for(&tree->setup->runtime.executor, (tree->node_count[0] + LEAVES_PER_TASK - 1) / LEAVES_PER_TASK,
                    task_fill_leaves, tree);
    lift_levels(tree);
}

static void put_box(bp_tree *tree, uint32_t id, uint32_t slot) {
    const bp_box box = bp_box_flatten(tree->boxes[id], tree->setup->dimensions);
    bp_tree_node *leaf = &tree->levels[0][slot / BP_TREE_WIDTH];
    for (int axis = 0; axis < 3; ++axis) {
        leaf->min[axis][slot % BP_TREE_WIDTH] = box.min[axis];
        leaf->max[axis][slot % BP_TREE_WIDTH] = box.max[axis];
    }
}

// Some boxes, and the nodes above them.
static bool refit_some(bp_tree *tree, const uint32_t *ids, size_t count) {
    const bp_allocator *allocator = &tree->setup->runtime.allocator;
    if (!bp_buffer_reserve(&tree->marks, allocator, 0, tree->node_count[0], 1) ||
        !bp_buffer_reserve(&tree->lists, allocator, 0, count, sizeof(uint32_t))) {
        return false;
    }
    uint8_t *marks = tree->marks.data;
    uint32_t *nodes = tree->lists.data;
    const uint32_t *slots = tree->slots.data;
    memset(marks, 0, tree->node_count[0]);
    size_t node_count = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t slot = slots[ids[i]], node = slot / BP_TREE_WIDTH;
        if (slot != BP_TREE_NONE) {
            put_box(tree, ids[i], slot);
            nodes[node_count] = node;
            node_count += marks[node] == 0;
            marks[node] = 1;
        }
    }
    for (size_t k = 0; k + 1 < tree->level_count; ++k) {
        size_t above = 0;
        for (size_t i = 0; i < node_count; ++i) {
            tree->setup->kernels->tree_lift(tree->levels[k], nodes[i], nodes[i] + 1, tree->levels[k + 1]);
            marks[nodes[i]] = 0;
        }
        for (size_t i = 0; i < node_count; ++i) {
            const uint32_t node = nodes[i] / BP_TREE_WIDTH;
            nodes[above] = node;
            above += marks[node] == 0;
            marks[node] = 1;
        }
        node_count = above;
    }
    return true;
}

// ---- quality --------------------------------------------------------------------------------------------------------

// Half the surface of all leaves: how many boxes meet them, about.
static double leaf_surface(const bp_tree *tree) {
    double sum = 0.0;
    if (tree->level_count < 2) {
        return sum;
    }
    const float span = tree->span;
    for (size_t i = 0; i < tree->node_count[1]; ++i) {
        const bp_tree_node *node = &tree->levels[1][i];
        float surfaces[BP_TREE_WIDTH];
        for (int lane = 0; lane < BP_TREE_WIDTH; ++lane) {
            float edges[3];
            for (int axis = 0; axis < 3; ++axis) {
                const float edge = node->max[axis][lane] - node->min[axis][lane];
                edges[axis] = edge > 0.0f ? (edge < span ? edge : span) : 0.0f; // a NaN is none
            }
            surfaces[lane] = edges[0] * edges[1] + edges[2] * (edges[0] + edges[1]);
        }
        float all = 0.0f;
        for (int lane = 0; lane < BP_TREE_WIDTH; ++lane) {
            all += surfaces[lane];
        }
        sum += (double)all;
    }
    return sum;
}

// ---- building -------------------------------------------------------------------------------------------------------

// Makes room for `slots` slots, and for one more node on each level that bp_tree_raise may add. Lanes without a child are NaNs.
static bool make_shape(bp_tree *tree, size_t slots) {
    const bp_allocator *allocator = &tree->setup->runtime.allocator;
    size_t count = (slots + BP_TREE_WIDTH - 1) / BP_TREE_WIDTH, all = 0;
    count = count > 0 ? count : 1;
    tree->level_count = 0;
    for (;;) {
        tree->node_count[tree->level_count++] = count;
        all += count;
        if (count == 1) {
            break;
        }
        count = (count + BP_TREE_WIDTH - 1) / BP_TREE_WIDTH;
    }
    if (!bp_buffer_reserve_slack(&tree->nodes, allocator, 0, all + BP_TREE_LEVELS, sizeof(bp_tree_node))) {
        return false;
    }
    bp_tree_node *nodes = tree->nodes.data;
    for (size_t k = 0; k < tree->level_count; ++k) {
        tree->levels[k] = nodes;
        nodes += tree->node_count[k];
        memset(&tree->levels[k][tree->node_count[k] - 1], 0xff, sizeof(bp_tree_node)); // NaNs
        tree->shape.begins[k + 1] = (uint32_t)(nodes - tree->levels[0]);
    }
    tree->shape.nodes = tree->levels[0];
    tree->shape.count = tree->level_count;
    return true;
}

void bp_tree_raise(bp_tree *tree, size_t levels) {
    while (tree->level_count < levels) {
        const size_t top = tree->level_count++;
        tree->node_count[top] = 1;
        tree->levels[top] = tree->levels[top - 1] + 1;
        memset(tree->levels[top], 0xff, sizeof(bp_tree_node));
        tree->setup->kernels->tree_lift(tree->levels[top - 1], 0, 1, tree->levels[top]);
        tree->shape.begins[top + 1] = tree->shape.begins[top] + 1;
        tree->shape.count = tree->level_count;
    }
}

// Where each id is. All of ids 0 .. count-1 that have no slot yet are known to have none.
static bool list_slots(bp_tree *tree, size_t count) {
    if (!bp_buffer_reserve_slack(&tree->slots, &tree->setup->runtime.allocator, 0, count, sizeof(uint32_t))) {
        return false;
    }
    uint32_t *slots = tree->slots.data;
    const uint32_t *ids = tree->ids.data;
    for (size_t i = 0; i < count; ++i) {
        slots[i] = BP_TREE_NONE;
    }
    for (size_t i = 0; i < tree->slot_count; ++i) {
        if (ids[i] != BP_TREE_NONE) {
            slots[ids[i]] = (uint32_t)i;
        }
    }
    return true;
}

// Counts ids that are of the other part, and stay there until all parts are given anew.
static void count_others(bp_tree *tree, size_t begin, size_t end) {
    for (size_t id = begin; tree->parts != NULL && id < end; ++id) {
        tree->others += tree->parts[id] == 1 - tree->part;
    }
}

bp_status bp_tree_build(bp_tree *tree, const bp_box *boxes, size_t count, bp_tree_order order) {
    const size_t spare = tree->is_kept ? count / SPARE_SHARE + BP_TREE_WIDTH : 0;
    const size_t capacity = bp_size_add(count, spare + BP_TREE_WIDTH);
    tree->boxes = boxes;
    tree->box_count = count;
    if (!bp_buffer_reserve_slack(&tree->ids, &tree->setup->runtime.allocator, 0, capacity, sizeof(uint32_t)) ||
        !bp_tree_sort(tree, boxes, count, order) || !make_shape(tree, tree->slot_count + spare)) {
        tree->level_count = 0;
        return BP_ERROR_MEMORY;
    }
    uint32_t *ids = tree->ids.data;
    for (size_t i = tree->slot_count; i < tree->node_count[0] * BP_TREE_WIDTH; ++i) {
        ids[i] = BP_TREE_NONE;
    }
    if (tree->is_kept && !list_slots(tree, count)) {
        tree->level_count = 0;
        return BP_ERROR_MEMORY;
    }
    refit_all(tree);
    tree->id_count = tree->slot_count;
    tree->others = 0;
    count_others(tree, 0, count);
    tree->order = order;
    tree->quality = leaf_surface(tree);
    tree->excess = tree->unjudged = 0.0;
    tree->tests = 0.0;
    return BP_OK;
}

// ---- updating -------------------------------------------------------------------------------------------------------

// Whether a box has left its leaf: its centre is farther away than the leaf is long.
static bool has_strayed(const bp_tree *tree, uint32_t slot, const bp_box *box) {
    const uint32_t leaf = slot / BP_TREE_WIDTH;
    if (tree->level_count < 2) {
        return false;
    }
    const bp_tree_node *above = &tree->levels[1][leaf / BP_TREE_WIDTH];
    bool is_far = false;
    for (uint32_t axis = 0; axis < tree->setup->dimensions; ++axis) {
        const float low = above->min[axis][leaf % BP_TREE_WIDTH], high = above->max[axis][leaf % BP_TREE_WIDTH];
        const float edge = high - low, centre = 0.5f * box->min[axis] + 0.5f * box->max[axis];
        is_far |= (centre < low - edge) | (centre > high + edge); // not if something is infinite
    }
    return is_far;
}

// Slots behind all others for boxes that are new, or far from where they were. False if there are too few.
static bool append_slots(bp_tree *tree, uint32_t *placed, size_t count) {
    uint32_t *slots = tree->slots.data, *ids = tree->ids.data;
    if (tree->slot_count + count > tree->node_count[0] * BP_TREE_WIDTH || !bp_tree_sort_few(tree, placed, count)) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        const uint32_t slot = slots[placed[i]];
        if (slot != BP_TREE_NONE) {
            ids[slot] = BP_TREE_NONE;
            fill_leaf(tree, slot / BP_TREE_WIDTH);
        } else {
            ++tree->id_count;
        }
        ids[tree->slot_count] = placed[i];
        slots[placed[i]] = (uint32_t)tree->slot_count++;
    }
    return true;
}

// Fits the tree to a few changes. False if it has to be built anew.
static bool update_few(bp_tree *tree, const bp_changes *changes) {
    if (!bp_buffer_reserve_slack(&tree->lists, &tree->setup->runtime.allocator, 0, changes->count, sizeof(uint32_t))) {
        return false;
    }
    uint32_t *placed = tree->lists.data;
    size_t count = 0;
    for (size_t i = 0; i < changes->count; ++i) {
        const uint32_t id = changes->ids[i], slot = ((const uint32_t *)tree->slots.data)[id];
        const bp_box *box = &tree->boxes[id];
        placed[count] = id;
        count += !bp_tree_lacks(tree, tree->boxes, id) && (slot == BP_TREE_NONE || has_strayed(tree, slot, box));
    }
    return (count == 0 || append_slots(tree, placed, count)) && refit_some(tree, changes->ids, changes->count);
}

// Any box may have changed, appeared or become a hole. False if the tree has to be built anew.
static bool update_all(bp_tree *tree, size_t count) {
    if (count > tree->id_count + tree->others) { // holes, or boxes that are new
        const size_t room = tree->node_count[0] * BP_TREE_WIDTH - tree->slot_count;
        if (!bp_buffer_reserve_slack(&tree->lists, &tree->setup->runtime.allocator, 0, room, sizeof(uint32_t))) {
            return false;
        }
        uint32_t *placed = tree->lists.data;
        size_t placed_count = 0;
        for (uint32_t id = 0; id < count; ++id) {
            if (((const uint32_t *)tree->slots.data)[id] == BP_TREE_NONE && !bp_tree_lacks(tree, tree->boxes, id)) {
                if (placed_count == room) {
                    return false;
                }
                placed[placed_count++] = id;
            }
        }
        if (placed_count > 0 && !append_slots(tree, placed, placed_count)) {
            return false;
        }
    }
    refit_all(tree);
    return true;
}

bp_status bp_tree_update(bp_tree *tree, const bp_box *boxes, size_t count, const bp_changes *changes) {
    const size_t before = tree->box_count;
    const bool are_few = changes != NULL && changes->count < count / PARTIAL_FIT_SHARE;
    if (tree->level_count == 0 || !tree->is_kept || count < before) {
        tree->is_kept = true;
        return bp_tree_build(tree, boxes, count, BP_TREE_HILBERT);
    }
    if (count > before) {
        if (!bp_buffer_reserve_slack(&tree->slots, &tree->setup->runtime.allocator, before * sizeof(uint32_t), count,
                                     sizeof(uint32_t))) {
            tree->level_count = 0;
            return BP_ERROR_MEMORY;
        }
        memset((uint32_t *)tree->slots.data + before, 0xff, (count - before) * sizeof(uint32_t)); // BP_TREE_NONE
        count_others(tree, before, count);
    }
    tree->boxes = boxes;
    tree->box_count = count;
    if (!(are_few ? update_few(tree, changes) : update_all(tree, count))) {
        return bp_tree_build(tree, boxes, count, BP_TREE_HILBERT);
    }
    const double share = are_few ? (double)changes->count / (double)count : 1.0; // of all boxes: searched for anew
    tree->unjudged += share;
    if (tree->unjudged > JUDGED_FROM) {
        const double worse = leaf_surface(tree) / tree->quality - 1.0;
        tree->excess += worse > 0.0 ? tree->unjudged * worse : 0.0;
        tree->unjudged = 0.0;
    }
    if (tree->excess > EXCESS_MAX) {
        const bool was_early = tree->order == BP_TREE_SPLITS && tree->tests < SPLITS_LAST * (double)count;
        tree->splits_from = was_early ? 2.0 * tree->splits_from : tree->splits_from;
        return bp_tree_build(tree, boxes, count, BP_TREE_HILBERT);
    }
    if (tree->order == BP_TREE_HILBERT && tree->tests > tree->splits_from * (double)count &&
        tree->excess < EXCESS_CALM) {
        return bp_tree_build(tree, boxes, count, BP_TREE_SPLITS);
    }
    return BP_OK;
}

// ---- checking -------------------------------------------------------------------------------------------------------

static bool has_bounds(const bp_tree *tree, size_t level, size_t node) {
    for (size_t lane = 0; lane < BP_TREE_WIDTH && level + 1 < tree->level_count; ++lane) {
        const bp_tree_node *inner = &tree->levels[level][node];
        const bp_tree_node *outer = &tree->levels[level + 1][node / BP_TREE_WIDTH];
        for (int axis = 0; axis < 3; ++axis) {
            const bool is_empty = isnan(inner->min[0][lane]);
            if (!is_empty && !(outer->min[axis][node % BP_TREE_WIDTH] <= inner->min[axis][lane] &&
                               inner->max[axis][lane] <= outer->max[axis][node % BP_TREE_WIDTH])) {
                return false;
            }
        }
    }
    return true;
}

static bool has_box(const bp_tree *tree, size_t slot) {
    const uint32_t id = ((const uint32_t *)tree->ids.data)[slot];
    const bp_tree_node *leaf = &tree->levels[0][slot / BP_TREE_WIDTH];
    const bp_box box = id != BP_TREE_NONE ? bp_box_flatten(tree->boxes[id], tree->setup->dimensions) : bp_box_hole();
    if (bp_box_is_hole(&box)) {
        return isnan(leaf->min[0][slot % BP_TREE_WIDTH]);
    }
    bool is_same = true;
    for (int axis = 0; axis < 3; ++axis) {
        is_same &= leaf->min[axis][slot % BP_TREE_WIDTH] == box.min[axis];
        is_same &= leaf->max[axis][slot % BP_TREE_WIDTH] == box.max[axis];
    }
    return is_same;
}

bool bp_tree_is_sound(const bp_tree *tree) {
    const uint32_t *ids = tree->ids.data;
    size_t alive = 0, listed = 0;
    for (size_t id = 0; id < tree->box_count; ++id) {
        alive += !bp_tree_lacks(tree, tree->boxes, id);
    }
    for (size_t slot = 0; slot < tree->node_count[0] * BP_TREE_WIDTH; ++slot) {
        const bool is_free = ids[slot] == BP_TREE_NONE;
        if ((!is_free && ids[slot] >= tree->box_count) || !has_box(tree, slot) ||
            (slot >= tree->slot_count && !is_free) ||
            (!is_free && tree->is_kept && ((const uint32_t *)tree->slots.data)[ids[slot]] != slot)) {
            return false;
        }
        listed += !is_free && !bp_box_is_hole(&tree->boxes[ids[slot]]);
    }
    for (size_t level = 0; level + 1 < tree->level_count; ++level) {
        for (size_t node = 0; node < tree->node_count[level]; ++node) {
            if (!has_bounds(tree, level, node)) {
                return false;
            }
        }
    }
    return listed == alive;
}
