// bvh: a binary tree of bounding boxes, traversed against itself.
//
// Idea: a node's box contains all boxes below it, so where two nodes do not overlap, nothing below them needs a test.
// Leaves hold eight boxes in columns: the last three levels of the traversal are one step of the vector kernel.
//
//                 root              build    top-down, bottom-up, insertion                              bvh_build.c
//               /      \            change   a box is removed or inserted, O(log n); or all bounds are
//             n          n                   recomputed and the tree keeps its shape (refit)             bvh_tree.c
//           /   \      /   \        find     nodes against nodes, leaves against leaves                  here
//         leaf leaf  leaf leaf      layout   pairs of nodes, places of boxes                             bvh_tree.h
//
//     (root, root)                      a node with itself gives its children with themselves and with each other;
//       (l, l) (l, r) (r, r)            two nodes that overlap are replaced by children, by the descent rule:
//              |                          one-before-other   a down to its leaves, then b
//       (ll, rl) (ll, rr) ...             larger-volume      the one with the larger box
//              |                          simultaneous       both at once: four pairs
//       (leaf, leaf)
//         the boxes of the one against the bounds of the other, and each that is left against the boxes of the other
//
// Cost: O(n log n) to build, O(n) to refit, O(n + pairs) to find where boxes are spread evenly. Sizes and distances do
// not matter. Loses to a grid where sizes are similar: building and traversing the tree takes about three times as
// long. Also loses where boxes are long in all directions at once, since then nodes overlap everywhere.
//
// update = automatic: the tree is refitted; objects that have jumped out of their leaf are moved in it. When many have, or when
// a sample of leaves overlaps twice as many leaves as in the tree as built, it is built again. update = individual: each object
// that changes is moved in the tree.
//
// Source: M. Zych, "Efficient algorithms for collision detection in three-dimensional space", 2016, section 2.1, after
// C. Ericson, "Real-Time Collision Detection", 2005, chapter 6.
#include "engine/method.h"
#include "kernels/range_tester.h"
#include "literature/bvh/bvh_tree.h"

#include <assert.h>

enum {
    JUMPS_SHARE = 16, // with more than one object in 16 that jumps, the tree is built again
    SAMPLE_MAX = 128, // leaves that are sampled
    TASKS_MAX = 512,
    TASK_MIN = 1024,      // boxes that are worth a task
    PLACES_PER_UNIT = 512 // that are tested against the infinite boxes
};

// So many times as many leaves overlap a leaf as did after the build: the tree is built again.
static const double CROWDED = 2.0;

typedef struct node_pair {
    uint32_t a, b;
} node_pair;

typedef struct bvh {
    const bp_method_setup *setup;
    bvh_tree tree;
    bvh_tree other;  // of the other set of find_between
    double crowding; // leaves that overlap a leaf, as built; 0: not counted yet
    bp_update_strategy update;
    bp_buffer tasks_buffer, stacks_buffer; // of node_pair
    bp_block_sinks sinks;
} bvh;

static void bvh_init(void *state, const bp_method_setup *setup) {
    *(bvh *)state = (bvh){.setup = setup, .tree = {.setup = setup}, .other = {.setup = setup}};
}

static void bvh_free(void *state) {
    bvh *b = state;
    bp_bvh_tree_free(&b->tree);
    bp_bvh_tree_free(&b->other);
    bp_buffer_free(&b->tasks_buffer, &b->setup->runtime.allocator);
    bp_buffer_free(&b->stacks_buffer, &b->setup->runtime.allocator);
    bp_block_sinks_free(&b->sinks, &b->setup->runtime.allocator);
}

// ---- building and updating ------------------------------------------------------------------------------------------

static bp_status bvh_build(void *state, const bp_box *boxes, size_t count) {
    bvh *b = state;
    b->crowding = 0.0;
    b->update = b->setup->update == BP_UPDATE_INDIVIDUAL ? BP_UPDATE_INDIVIDUAL : BP_UPDATE_REBUILD;
    return bp_bvh_tree_build(&b->tree, boxes, count) ? BP_OK : BP_ERROR_MEMORY;
}

// How many leaves overlap a leaf, on the average over a sample. The cost of a search grows with it, whatever the scale of the
// scene. Negative if memory is short.
static double crowding_of(bvh *b) {
    const bvh_node *nodes = bvh_nodes(&b->tree);
    const size_t height = nodes[BVH_ROOT].height, stride = b->tree.node_end / SAMPLE_MAX + 1;
    size_t found = 0, sampled = 0;
    if (!bp_buffer_reserve_slack(&b->stacks_buffer, &b->setup->runtime.allocator, 0, height + 2, sizeof(uint32_t))) {
        return -1.0;
    }
    uint32_t *stack = b->stacks_buffer.data;
    for (size_t i = 0; i < b->tree.node_end; i += stride) {
        stack[0] = BVH_ROOT;
        sampled += nodes[i].count > 0;
        for (size_t count = nodes[i].count > 0 ? 1 : 0; count > 0;) {
            const bvh_node *node = &nodes[stack[--count]];
            found += bvh_is_leaf(node);
            for (uint32_t child = node->first; !bvh_is_leaf(node) && child < node->first + 2; ++child) {
                stack[count] = child;
                count += bp_boxes_overlap_branchless(&nodes[child].bounds, &nodes[i].bounds, 3);
            }
        }
    }
    return sampled > 0 ? (double)found / (double)sampled : 0.0;
}

// Whether an object came or went, or has jumped out of its leaf: across the edge of a periodic domain, for example.
static bool has_jumped(const bvh_tree *tree, uint32_t id) {
    const uint32_t place = bvh_places(tree)[id];
    if (place == BVH_NOWHERE || !bp_bvh_is_finite(tree, id)) {
        return (place != BVH_NOWHERE) != bp_bvh_is_finite(tree, id);
    }
    return !bp_boxes_overlap(&bvh_nodes(tree)[place / BVH_LEAF].bounds, &tree->boxes[id], tree->setup->dimensions);
}

static bp_status bvh_update(void *state, const bp_box *boxes, size_t count, const bp_changes *changes,
                            bp_search_kind *kind) {
    bvh *b = state;
    bvh_tree *tree = &b->tree;
    const bool is_automatic = b->setup->update == BP_UPDATE_AUTOMATIC;
    size_t jumps = 0;
    *kind = BP_SEARCH_ALL;
    if (is_automatic && b->crowding == 0.0) {
        b->crowding = crowding_of(b);
    }
    if (b->crowding < 0.0 || !bp_bvh_tree_renew(tree, boxes, count)) {
        return BP_ERROR_MEMORY;
    }
    for (size_t i = 0; i < (changes != NULL ? changes->count : count); ++i) {
        const uint32_t id = changes != NULL ? changes->ids[i] : (uint32_t)i;
        if (!is_automatic || has_jumped(tree, id)) {
            if (is_automatic && ++jumps > count / JUMPS_SHARE) {
                return bvh_build(b, boxes, count);
            }
            if (!bp_bvh_tree_relocate(tree, id)) {
                return BP_ERROR_MEMORY;
            }
        }
    }
    b->update = BP_UPDATE_INDIVIDUAL;
    if (is_automatic) {
        bp_bvh_tree_refit(tree);
        const double crowding = crowding_of(b);
        if (crowding < 0.0 || crowding > CROWDED * (b->crowding + 1.0)) {
            return crowding < 0.0 ? BP_ERROR_MEMORY : bvh_build(b, boxes, count);
        }
    }
    return bp_bvh_tree_list_infinite(tree) ? BP_OK : BP_ERROR_MEMORY;
}

// ---- descent --------------------------------------------------------------------------------------------------------

typedef struct bvh_search {
    const bvh_tree *a, *b; // the same tree for pairs inside one
    const bvh_node *a_nodes, *b_nodes;
    bp_bvh_descent descent;
    const node_pair *tasks;
    size_t task_count;
    node_pair *stacks; // one for each task
    size_t stack_size;
} bvh_search;

// The sum of the extents: for boxes of similar shape it orders like the volume, but it is neither 0 for flat ones nor
// infinite.
static double size_of(const bp_box *box) {
    double size = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        size += (double)box->max[axis] - (double)box->min[axis];
    }
    return size;
}

// The pairs of overlapping nodes below a pair that is not of two leaves; at most four.
static size_t expand_pair(const bvh_search *s, node_pair pair, node_pair out[4]) {
    const bvh_node *a = &s->a_nodes[pair.a], *b = &s->b_nodes[pair.b];
    if (s->a == s->b && pair.a == pair.b) {
        out[0] = (node_pair){.a = a->first, .b = a->first};
        out[1] = (node_pair){.a = a->first + 1, .b = a->first + 1};
        out[2] = (node_pair){.a = a->first, .b = a->first + 1};
        return 2 +
               (size_t)bp_boxes_overlap_branchless(&s->a_nodes[a->first].bounds, &s->a_nodes[a->first + 1].bounds, 3);
    }
    bool below_a = bvh_is_leaf(b), below_b = bvh_is_leaf(a);
    if (!below_a && !below_b) {
        const bool both = s->descent == BP_BVH_SIMULTANEOUS, first = s->descent == BP_BVH_ONE_BEFORE_OTHER;
        below_a = both || first || size_of(&a->bounds) >= size_of(&b->bounds);
        below_b = both || !below_a;
    }
    size_t count = 0;
    for (uint32_t i = 0; i <= (uint32_t)below_a; ++i) {
        for (uint32_t k = 0; k <= (uint32_t)below_b; ++k) {
            const node_pair below = {.a = below_a ? a->first + i : pair.a, .b = below_b ? b->first + k : pair.b};
            out[count] = below;
            count += bp_boxes_overlap_branchless(&s->a_nodes[below.a].bounds, &s->b_nodes[below.b].bounds, 3);
        }
    }
    return count;
}

static bool are_leaves(const bvh_search *s, node_pair pair) {
    return bvh_is_leaf(&s->a_nodes[pair.a]) && bvh_is_leaf(&s->b_nodes[pair.b]);
}

// Lists the boxes of a leaf against each other; or those of one that touch the bounds of the other against the boxes of that.
static void test_leaves(const bvh_search *s, bp_range_tester *tester, node_pair pair) {
    const uint32_t begin = pair.a * BVH_LEAF, end = begin + s->a_nodes[pair.a].count, other = pair.b * BVH_LEAF;
    const bool is_same = s->a == s->b && pair.a == pair.b;
    bp_range_tester_reserve(tester, BVH_LEAF);
    for (uint32_t i = begin; i < end; ++i) {
        const bp_box box = bp_columns_box(&s->a->columns, i);
        if (is_same) {
            bp_range_tester_add(tester, i, i + 1, end);
        } else if (bp_boxes_overlap(&box, &s->b_nodes[pair.b].bounds, 3)) {
            bp_range_tester_add(tester, i, other, other + BVH_LEAF);
        }
    }
}

// The first units are walks from a pair of nodes down, each with a stack that has room for three more pairs per level. In the
// others, boxes are tested against the infinite boxes of b, and infinite ones against all.
static void unit_of_search(const void *context, bp_range_tester *tester, size_t unit) {
    const bvh_search *s = context;
    if (unit < s->task_count) {
        node_pair *stack = s->stacks + unit * s->stack_size;
        stack[0] = s->tasks[unit];
        for (size_t count = 1; count > 0 && !tester->failed;) {
            const node_pair pair = stack[--count];
            if (are_leaves(s, pair)) {
                test_leaves(s, tester, pair);
            } else {
                assert(count + 4 <= s->stack_size);
                count += expand_pair(s, pair, stack + count);
            }
        }
        return;
    }
    const size_t begin = (unit - s->task_count) * PLACES_PER_UNIT, infinite = bvh_infinite_begin(s->a);
    const uint32_t others = (uint32_t)bvh_infinite_begin(s->b), end = (uint32_t)s->b->infinite_end;
    for (size_t i = begin; i < begin + PLACES_PER_UNIT && i < s->a->infinite_end; ++i) {
        if (i >= infinite) {
            bp_range_tester_add_long(tester, i, s->a == s->b ? (uint32_t)i + 1 : 0, end);
        } else if (i % BVH_LEAF < s->a_nodes[i / BVH_LEAF].count) {
            bp_range_tester_add_long(tester, i, others, end);
        }
    }
}

// The traversal is divided at pairs near the roots, and the heights of the trees bound the stacks: both depend on nothing else.
static bp_status search_trees(bvh *b, const bvh_tree *first, const bvh_tree *second, bp_sink *sink) {
    const bp_allocator *allocator = &b->setup->runtime.allocator;
    bvh_search s = {.a = first,
                    .b = second,
                    .a_nodes = bvh_nodes(first),
                    .b_nodes = bvh_nodes(second),
                    .descent = b->setup->settings.bvh_descent};
    s.stack_size = 3 * ((size_t)s.a_nodes[BVH_ROOT].height + s.b_nodes[BVH_ROOT].height) + 4;
    if (!bp_buffer_reserve(&b->tasks_buffer, allocator, 0, (size_t)8 * TASKS_MAX, sizeof(node_pair))) {
        return BP_ERROR_MEMORY;
    }
    node_pair *tasks = b->tasks_buffer.data, *below = tasks + (size_t)4 * TASKS_MAX;
    const size_t wanted = (first->box_count + second->box_count) / TASK_MIN;
    tasks[0] = (node_pair){.a = BVH_ROOT, .b = BVH_ROOT};
    s.task_count = bp_boxes_overlap(&s.a_nodes[BVH_ROOT].bounds, &s.b_nodes[BVH_ROOT].bounds, 3) ? 1 : 0;
    for (size_t before = 0; s.task_count != before && s.task_count < wanted && s.task_count < TASKS_MAX;) {
        before = s.task_count;
        s.task_count = 0;
        for (size_t i = 0; i < before; ++i) { // each pair is replaced by the pairs below it
            below[s.task_count] = tasks[i];
            s.task_count += are_leaves(&s, tasks[i]) ? 1 : expand_pair(&s, tasks[i], below + s.task_count);
        }
        node_pair *swapped = tasks;
        tasks = below;
        below = swapped;
    }
    if (!bp_buffer_reserve_slack(&b->stacks_buffer, allocator, 0, bp_size_multiply(s.task_count, s.stack_size),
                                 sizeof(node_pair))) {
        return BP_ERROR_MEMORY;
    }
    s.tasks = tasks;
    s.stacks = b->stacks_buffer.data;
    const bool has_infinite =
        first->infinite_end > bvh_infinite_begin(first) || second->infinite_end > bvh_infinite_begin(second);
    const bp_range_search search = {
        .runtime = &b->setup->runtime,
        .kernels = b->setup->kernels,
        .objects = &first->columns,
        .candidates = &second->columns,
        .pair_ids = first == second ? BP_IDS_ASCENDING : BP_IDS_BY_ROLE,
        .unit_count = s.task_count + (has_infinite ? (first->infinite_end + PLACES_PER_UNIT - 1) / PLACES_PER_UNIT : 0),
        .unit = unit_of_search,
        .context = &s};
    return bp_range_search_run(&search, &b->sinks, sink);
}

// ---- finding --------------------------------------------------------------------------------------------------------

static bp_status bvh_find(void *state, bp_sink *sink) {
    bvh *b = state;
    return search_trees(b, &b->tree, &b->tree, sink);
}

static bp_status bvh_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    bvh *b = state;
    return bp_bvh_tree_build(&b->other, boxes, count) ? search_trees(b, &b->other, &b->tree, sink) : BP_ERROR_MEMORY;
}

static void bvh_stats(const void *state, bp_stats *stats) {
    const bvh *b = state;
    const bvh_node *nodes = bvh_nodes(&b->tree);
    stats->update = b->update;
    stats->bytes = sizeof *b + bp_bvh_tree_bytes(&b->tree) + bp_bvh_tree_bytes(&b->other) + b->tasks_buffer.bytes +
                   b->stacks_buffer.bytes + bp_block_sinks_bytes(&b->sinks);
    stats->levels = b->tree.box_count > 0 ? nodes[BVH_ROOT].height + 1 : 0;
    for (uint32_t i = 0; i < b->tree.node_end; ++i) {
        const size_t count = nodes[i].count;
        stats->occupied += count > 0;
        stats->objects_per_cell_max = count > stats->objects_per_cell_max ? count : stats->objects_per_cell_max;
    }
    stats->cells = stats->occupied;
    stats->objects_per_cell = stats->occupied > 0 ? (double)b->tree.box_count / (double)stats->occupied : 0.0;
}

static bp_status bvh_validate(const void *state) {
    return bp_bvh_tree_validate(&((const bvh *)state)->tree);
}

const bp_method_ops bp_bvh_ops = {
    .name = "bvh",
    .summary = "a tree of bounding boxes: O(n log n), any sizes, unbounded space; refitted while objects move little",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_INCREMENTAL | BP_SUPPORTS_THREADS,
    .state_bytes = sizeof(bvh),
    .init = bvh_init,
    .free = bvh_free,
    .build = bvh_build,
    .update = bvh_update,
    .find = bvh_find,
    .find_between = bvh_find_between,
    .stats = bvh_stats,
    .validate = bvh_validate,
};
