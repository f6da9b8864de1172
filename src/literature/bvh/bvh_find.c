// Finding pairs: two trees, or one and itself, are traversed together; pairs of leaves go to the vector kernel.
//
//     (root, root)                      a node with itself gives its children with themselves and with each other;
//       (l, l) (l, r) (r, r)            two nodes that overlap are replaced by children, by the descent rule:
//              |                          one-before-other   a down to its leaves, then b
//       (ll, rl) (ll, rr) ...             larger-volume      the one with the larger box
//              |                          simultaneous       both at once: four pairs
//       (leaf, leaf)
//         the boxes of the one against the bounds of the other, and each that is left against the boxes of the other
//
// The heights of the trees bound the size of the stack, so it never overflows. The traversal is divided into tasks at
// pairs near the root; the division depends only on the trees.
#include "literature/bvh/bvh_find.h"

#include <assert.h>

enum {
    TASKS_MAX = 512,
    TASK_LEAST = 1024, // boxes that are worth a task
    SAMPLE_SHARE = 64, // one leaf in this many is sampled,
    SAMPLE_MOST = 64   // but at most about this many
};

typedef struct node_pair {
    uint32_t a, b;
} node_pair;

void bp_bvh_search_free(bvh_search *search, const bp_allocator *allocator) {
    bp_block_sinks_free(&search->sinks, allocator);
    bp_buffer_free(&search->tasks_buffer, allocator);
    bp_buffer_free(&search->spare_buffer, allocator);
    bp_buffer_free(&search->stacks_buffer, allocator);
}

size_t bp_bvh_search_bytes(const bvh_search *search) {
    return bp_block_sinks_bytes(&search->sinks) + search->tasks_buffer.bytes + search->spare_buffer.bytes +
           search->stacks_buffer.bytes;
}

// ---- descent --------------------------------------------------------------------------------------------------------

typedef struct trees {
    const bvh_tree *a, *b; // the same tree for pairs inside one
    const bvh_node *a_nodes, *b_nodes;
    bp_bvh_descent descent;
} trees;

static trees trees_of(const bvh_tree *a, const bvh_tree *b) {
    return (trees){
        .a = a, .b = b, .a_nodes = bvh_nodes(a), .b_nodes = bvh_nodes(b), .descent = a->setup->settings.bvh_descent};
}

// The sum of the extents: for boxes of similar shape it orders like the volume, but it is neither 0 for flat ones nor
// infinite.
static float node_size(const bvh_node *node) {
    return (node->max[0] - node->min[0]) + (node->max[1] - node->min[1]) + (node->max[2] - node->min[2]);
}

static inline bool descends_a(bp_bvh_descent descent, const bvh_node *a, const bvh_node *b) {
    if (bvh_is_leaf(a) || bvh_is_leaf(b)) {
        return bvh_is_leaf(b);
    }
    return descent == BP_BVH_ONE_BEFORE_OTHER || node_size(a) >= node_size(b);
}

// Appends a pair if its nodes overlap; without a branch.
static inline size_t append_if_overlapping(const trees *t, node_pair *out, size_t count, uint32_t a, uint32_t b) {
    out[count] = (node_pair){.a = a, .b = b};
    return count + bvh_nodes_overlap(&t->a_nodes[a], &t->b_nodes[b]);
}

// The next pairs below a pair that is not of two leaves; at most four.
static inline size_t expand_pair(const trees *t, node_pair pair, node_pair out[4]) {
    const bvh_node *a = &t->a_nodes[pair.a], *b = &t->b_nodes[pair.b];
    const uint32_t below_a = a->first, below_b = b->first;
    if (t->a == t->b && pair.a == pair.b) {
        out[0] = (node_pair){.a = below_a, .b = below_a};
        out[1] = (node_pair){.a = below_a + 1, .b = below_a + 1};
        return append_if_overlapping(t, out, 2, below_a, below_a + 1);
    }
    if (t->descent == BP_BVH_SIMULTANEOUS && !bvh_is_leaf(a) && !bvh_is_leaf(b)) {
        size_t count = append_if_overlapping(t, out, 0, below_a, below_b);
        count = append_if_overlapping(t, out, count, below_a, below_b + 1);
        count = append_if_overlapping(t, out, count, below_a + 1, below_b);
        return append_if_overlapping(t, out, count, below_a + 1, below_b + 1);
    }
    if (descends_a(t->descent, a, b)) {
        return append_if_overlapping(t, out, append_if_overlapping(t, out, 0, below_a, pair.b), below_a + 1, pair.b);
    }
    return append_if_overlapping(t, out, append_if_overlapping(t, out, 0, pair.a, below_b), pair.a, below_b + 1);
}

static inline bool are_leaves(const trees *t, node_pair pair) {
    return bvh_is_leaf(&t->a_nodes[pair.a]) && bvh_is_leaf(&t->b_nodes[pair.b]);
}

// ---- leaves ---------------------------------------------------------------------------------------------------------

// Lists the boxes of a leaf against each other; or those of one that touch the bounds of the other against the boxes of that.
static void test_leaves(const trees *t, bp_range_tester *tester, node_pair pair) {
    const bvh_node *a = &t->a_nodes[pair.a], *b = &t->b_nodes[pair.b];
    const uint32_t begin = a->first * BVH_LEAF, end = begin + a->count, other = b->first * BVH_LEAF;
    bp_range_tester_reserve(tester, BVH_LEAF);
    if (t->a == t->b && pair.a == pair.b) {
        for (uint32_t i = begin; i < end; ++i) {
            bp_range_tester_add(tester, i, i + 1, end);
        }
        return;
    }
    const bp_box bounds = {.min = {b->min[0], b->min[1], b->min[2]}, .max = {b->max[0], b->max[1], b->max[2]}};
    for (uint32_t i = begin; i < end; ++i) {
        const bp_box box = bp_columns_box(&t->a->columns, i);
        if (bp_boxes_overlap(&box, &bounds, t->a->setup->dimensions)) {
            bp_range_tester_add(tester, i, other, other + BVH_LEAF);
        }
    }
}

// ---- one task -------------------------------------------------------------------------------------------------------

typedef struct tree_search {
    trees trees;
    const node_pair *tasks;
    node_pair *stacks; // one for each task
    size_t stack_size;
} tree_search;

// Each step removes one pair and adds at most four, one level deeper in at least one tree.
static size_t stack_size_for(const bvh_tree *a, const bvh_tree *b) {
    return 3 * ((size_t)bvh_heights(a)[BVH_ROOT] + bvh_heights(b)[BVH_ROOT]) + 4;
}

static void unit_walk(const void *context, bp_range_tester *tester, size_t index) {
    const tree_search *s = context;
    node_pair *stack = s->stacks + index * s->stack_size;
    size_t count = 1;
    stack[0] = s->tasks[index];
    while (count > 0 && !tester->failed) {
        const node_pair pair = stack[--count];
        if (are_leaves(&s->trees, pair)) {
            test_leaves(&s->trees, tester, pair);
        } else {
            assert(count + 4 <= s->stack_size);
            count += expand_pair(&s->trees, pair, stack + count);
        }
    }
}

// ---- tasks ----------------------------------------------------------------------------------------------------------

// Divides the traversal into pairs of nodes near the roots, one for each task.
static bool make_walk_tasks(bvh_search *search, tree_search *s, size_t *count) {
    const bp_allocator *allocator = &s->trees.a->setup->runtime.allocator;
    if (!bp_buffer_reserve(&search->tasks_buffer, allocator, 0, (size_t)4 * TASKS_MAX, sizeof(node_pair)) ||
        !bp_buffer_reserve(&search->spare_buffer, allocator, 0, (size_t)4 * TASKS_MAX, sizeof(node_pair))) {
        return false;
    }
    node_pair *tasks = search->tasks_buffer.data, *spare = search->spare_buffer.data;
    const size_t wanted = (s->trees.a->tree_count + s->trees.b->tree_count) / TASK_LEAST;
    tasks[0] = (node_pair){.a = BVH_ROOT, .b = BVH_ROOT};
    *count = bvh_nodes_overlap(s->trees.a_nodes, s->trees.b_nodes) ? 1 : 0;
    for (size_t before = 0; *count > 0 && *count != before && *count < wanted && *count < TASKS_MAX;) {
        before = *count;
        *count = 0;
        for (size_t i = 0; i < before; ++i) { // each pair is replaced by the pairs below it
            spare[*count] = tasks[i];
            *count += are_leaves(&s->trees, tasks[i]) ? 1 : expand_pair(&s->trees, tasks[i], spare + *count);
        }
        node_pair *swapped = tasks;
        tasks = spare;
        spare = swapped;
    }
    s->tasks = tasks;
    s->stack_size = stack_size_for(s->trees.a, s->trees.b);
    const bool granted = bp_buffer_reserve_slack(&search->stacks_buffer, allocator, 0,
                                                 bp_size_multiply(*count, s->stack_size), sizeof(node_pair));
    s->stacks = search->stacks_buffer.data;
    return granted;
}

static bp_status search_leaves(bvh_search *search, const bvh_tree *a, const bvh_tree *b, bp_sink *sink) {
    if (a->tree_count == 0 || b->tree_count == 0) {
        return BP_OK;
    }
    tree_search s = {.trees = trees_of(a, b)};
    size_t task_count = 0;
    if (!make_walk_tasks(search, &s, &task_count)) {
        return BP_ERROR_MEMORY;
    }
    const bp_range_search walks = {.runtime = &a->setup->runtime,
                                   .kernels = a->setup->kernels,
                                   .objects = &a->columns,
                                   .candidates = &b->columns,
                                   .names = a == b ? BP_NAMES_ORDERED : BP_NAMES_BY_ROLE,
                                   .unit_count = task_count,
                                   .unit = unit_walk,
                                   .context = &s};
    return bp_range_search_run(&walks, &search->sinks, sink);
}

// ---- scanned boxes --------------------------------------------------------------------------------------------------

typedef struct box_list {
    const bp_columns *columns;
    size_t count;
} box_list;

// All positions of the slots, holes included.
static box_list leaf_boxes(const bvh_tree *tree) {
    return (box_list){.columns = &tree->columns, .count = (size_t)tree->slot_end * BVH_LEAF};
}

static box_list scanned_boxes(const bvh_tree *tree) {
    return (box_list){.columns = &tree->scanned.columns, .count = tree->scanned.count};
}

// Every object against all candidates, or those after it.
typedef struct scan {
    size_t candidate_count;
    bool with_itself;
} scan;

static void unit_scan(const void *context, bp_range_tester *tester, size_t object) {
    const scan *s = context;
    bp_range_tester_add_long(tester, object, s->with_itself ? (uint32_t)object + 1 : 0, (uint32_t)s->candidate_count);
}

static bp_status scan_boxes(bvh_search *search, const bp_method_setup *setup, box_list objects, box_list candidates,
                            bp_pair_names names, bp_sink *sink) {
    const scan s = {.candidate_count = candidates.count, .with_itself = objects.columns == candidates.columns};
    const bp_range_search scans = {.runtime = &setup->runtime,
                                   .kernels = setup->kernels,
                                   .objects = objects.columns,
                                   .candidates = candidates.columns,
                                   .names = names,
                                   .unit_count = candidates.count > 0 ? objects.count : 0,
                                   .unit = unit_scan,
                                   .context = &s};
    return scans.unit_count > 0 ? bp_range_search_run(&scans, &search->sinks, sink) : BP_OK;
}

static bp_status search_scanned(bvh_search *search, const bvh_tree *tree, bp_sink *sink) {
    const box_list scanned = scanned_boxes(tree), leaves = leaf_boxes(tree);
    const bp_status status = scan_boxes(search, tree->setup, scanned, leaves, BP_NAMES_BY_ROLE_ORDERED, sink);
    return status == BP_OK ? scan_boxes(search, tree->setup, scanned, scanned, BP_NAMES_ORDERED, sink) : status;
}

static bp_status search_scanned_between(bvh_search *search, const bvh_tree *a, const bvh_tree *b, bp_sink *sink) {
    const bp_pair_names names = BP_NAMES_BY_ROLE;
    bp_status status = scan_boxes(search, a->setup, scanned_boxes(a), leaf_boxes(b), names, sink);
    if (status == BP_OK) {
        status = scan_boxes(search, a->setup, scanned_boxes(a), scanned_boxes(b), names, sink);
    }
    return status == BP_OK ? scan_boxes(search, a->setup, leaf_boxes(a), scanned_boxes(b), names, sink) : status;
}

bp_status bp_bvh_search_trees(bvh_search *search, const bvh_tree *a, const bvh_tree *b, bp_sink *sink) {
    const bp_status status = search_leaves(search, a, b, sink);
    if (status != BP_OK) {
        return status;
    }
    return a == b ? search_scanned(search, a, sink) : search_scanned_between(search, a, b, sink);
}

// ---- changed boxes --------------------------------------------------------------------------------------------------

// The pairs of a changed box with those at some positions, except with itself and those that the other box's search reports.
// False if memory is short.
static bool test_changed(const bvh_tree *tree, const bp_changes *changes, uint32_t id, const bp_box *box,
                         box_list candidates, size_t begin, size_t end, bp_sink *sink) {
    bool granted = true;
    for (size_t at = begin; at < end && granted; ++at) {
        const uint32_t other = candidates.columns->id[at];
        const bp_box candidate = bp_columns_box(candidates.columns, at);
        const bool is_wanted = other > id || (other < id && !changes->marks[other]);
        if (is_wanted && bp_boxes_overlap(&candidate, box, tree->setup->dimensions)) {
            granted = bp_sink_push(sink, id < other ? id : other, id < other ? other : id);
        }
    }
    sink->tests += end - begin;
    return granted;
}

bp_status bp_bvh_search_changed(bvh_search *search, const bvh_tree *tree, const bp_changes *changes, bp_sink *sink) {
    const bvh_node *nodes = bvh_nodes(tree);
    const size_t height = tree->tree_count > 0 ? bvh_heights(tree)[BVH_ROOT] : 0;
    const box_list leaves = leaf_boxes(tree), scanned = scanned_boxes(tree);
    if (!bp_buffer_reserve_slack(&search->stacks_buffer, &tree->setup->runtime.allocator, 0, height + 2,
                                 sizeof(uint32_t))) {
        return BP_ERROR_MEMORY;
    }
    uint32_t *stack = search->stacks_buffer.data;
    bool granted = true;
    for (size_t i = 0; i < changes->count && granted; ++i) {
        const uint32_t id = changes->ids[i], place = bvh_places(tree)[id];
        const bp_box box = bp_box_flatten(tree->boxes[id], tree->setup->dimensions);
        const bvh_node bounds = {.min = {box.min[0], box.min[1], box.min[2]},
                                 .max = {box.max[0], box.max[1], box.max[2]}};
        if (place == BVH_NOWHERE) {
            continue;
        }
        const bool scans = (place & BVH_SCANNED) != 0;
        granted = test_changed(tree, changes, id, &box, scanned, 0, scanned.count, sink) &&
                  (!scans || test_changed(tree, changes, id, &box, leaves, 0, leaves.count, sink));
        stack[0] = BVH_ROOT;
        for (size_t count = scans ? 0 : 1; count > 0 && granted;) {
            const bvh_node *node = &nodes[stack[--count]];
            const size_t begin = (size_t)node->first * BVH_LEAF;
            if (bvh_is_leaf(node)) {
                granted = test_changed(tree, changes, id, &box, leaves, begin, begin + node->count, sink);
                continue;
            }
            for (uint32_t child = node->first; child < node->first + 2; ++child) {
                stack[count] = child;
                count += bvh_nodes_overlap(&nodes[child], &bounds);
            }
        }
    }
    return granted ? BP_OK : BP_ERROR_MEMORY;
}

// ---- crowding -------------------------------------------------------------------------------------------------------

// The leaves that overlap a leaf, itself included; counted only up to `most`.
static size_t count_overlapping(const bvh_tree *tree, const bvh_node *leaf, uint32_t *stack, size_t most) {
    const bvh_node *nodes = bvh_nodes(tree);
    size_t found = 0, count = 1;
    stack[0] = BVH_ROOT;
    while (count > 0 && found < most) {
        const bvh_node *node = &nodes[stack[--count]];
        if (bvh_is_leaf(node)) {
            ++found;
            continue;
        }
        stack[count] = node->first;
        count += bvh_nodes_overlap(&nodes[node->first], leaf);
        stack[count] = node->first + 1;
        count += bvh_nodes_overlap(&nodes[node->first + 1], leaf);
    }
    return found;
}

bp_status bp_bvh_search_crowding(bvh_search *search, const bvh_tree *tree, double most, double *crowding) {
    *crowding = 0.0;
    if (tree->tree_count == 0) {
        return BP_OK;
    }
    if (!bp_buffer_reserve_slack(&search->stacks_buffer, &tree->setup->runtime.allocator, 0,
                                 (size_t)bvh_heights(tree)[BVH_ROOT] + 2, sizeof(uint32_t))) {
        return BP_ERROR_MEMORY;
    }
    const size_t wanted = tree->slot_end / SAMPLE_SHARE + 1;
    const size_t stride = tree->slot_end / (wanted < SAMPLE_MOST ? wanted : SAMPLE_MOST);
    const size_t samples = (tree->slot_end + stride - 1) / stride;
    const double limit = fmin(most * (double)samples + 2.0, 1e9); // 2: so that rounding does not matter
    size_t found = 0;
    for (size_t slot = 0; slot < tree->slot_end && (double)found < limit; slot += stride) {
        const bvh_node *leaf = bvh_leaf_of_slot(tree, slot);
        found += leaf != NULL ? count_overlapping(tree, leaf, search->stacks_buffer.data, (size_t)limit - found) : 0;
    }
    *crowding = (double)found / (double)samples;
    return BP_OK;
}
