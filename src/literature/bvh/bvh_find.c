// Finding pairs: two trees, or one and itself, are traversed together; pairs of leaves go to the vector kernel.
//
//     (root, root)                      a node with itself gives its children with themselves and with each other;
//       (l, l) (l, r) (r, r)            two nodes that overlap are replaced by children, by the descent rule:
//              |                          one-before-other   a down to its leaves, then b
//       (ll, rl) (ll, rr) ...             larger-volume      the one with the larger box
//              |                          simultaneous       both at once: four pairs
//       (leaf, leaf)
//         1. the boxes of the one against the bounds of the other: one vector, and two in three are eliminated
//         2. each box that is left against the boxes of the other: one vector each
//
// The heights of the trees bound the size of the stack, so it never overflows. The traversal is divided into tasks at
// pairs near the root; the division depends only on the trees.
#include "literature/bvh/bvh_find.h"

#include <assert.h>
#include <string.h>

enum {
    LEAF_PAIRS = 256,                        // that are collected before they are tested
    TOUCHED = LEAF_PAIRS * BVH_LEAF,         // boxes that touch the bounds of a leaf
    TESTS = TOUCHED + BVH_LEAF * LEAF_PAIRS, // of these, and of the boxes of leaves with themselves
    TASKS_MAX = 512,
    TASK_LEAST = 1024, // boxes that are worth a task
    SEGMENT = 65536,   // positions that are worth a unit of work for a scanned box
    CHANGED = 64,      // changed boxes in a unit of work
    SAMPLE_SHARE = 64, // one leaf in this many is sampled,
    SAMPLE_MOST = 64   // but at most about this many
};

typedef struct node_pair {
    uint32_t a, b;
} node_pair;

void bvh_search_free(bvh_search *search, const bp_allocator *allocator) {
    bp_block_sinks_free(&search->sinks, allocator);
    bp_buffer_free(&search->tasks_buffer, allocator);
    bp_buffer_free(&search->spare_buffer, allocator);
    bp_buffer_free(&search->stacks_buffer, allocator);
}

size_t bvh_search_bytes(const bvh_search *search) {
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

typedef struct walker {
    const trees *trees;
    bp_range_tester *tester; // of the boxes of both trees
    size_t leaf_pair_count, test_count;
    bp_range_test leaf_pairs[LEAF_PAIRS]; // a slot of b as the object, the boxes of a leaf of a as its candidates
    bp_range_test tests[TESTS];
    bp_pair touched[TOUCHED + BP_COLUMN_PADDING];
} walker;

static void count_leaf_tests(bp_sink *sink, const bp_range_test *tests, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        sink->tests += tests[i].end - tests[i].begin;
    }
}

// The boxes of a that touch the bounds of a leaf of b, each to be tested against that leaf. The id columns hold slots
// and positions here, instead of ids.
static void list_touched(walker *w) {
    const trees *t = w->trees;
    bp_columns by_position = t->a->columns;
    by_position.id = t->a->positions_buffer.data;
    for (size_t done = 0, some = 0; done < w->leaf_pair_count; done += some) {
        const bp_range_job job = {.objects = &t->b->leaves,
                                  .candidates = &by_position,
                                  .tests = w->leaf_pairs + done,
                                  .test_count = w->leaf_pair_count - done,
                                  .names = BP_NAMES_BY_ROLE,
                                  .out = w->touched,
                                  .room = sizeof w->touched / sizeof *w->touched};
        const size_t count = w->tester->kernels->test_ranges(&job, &some);
        for (size_t i = 0; i < count; ++i) {
            const uint32_t begin = w->touched[i].a * BVH_LEAF;
            w->tests[w->test_count++] =
                (bp_range_test){.object = w->touched[i].b, .begin = begin, .end = begin + BVH_LEAF};
        }
    }
}

static void test_leaves(walker *w) {
    list_touched(w);
    count_leaf_tests(w->tester->sink, w->tests, w->test_count);
    bp_range_tester_run(w->tester, w->tests, w->test_count);
    w->leaf_pair_count = 0;
    w->test_count = 0;
}

// At most LEAF_PAIRS tests of leaves with themselves fit in addition to as many pairs.
static void list_leaf_with_itself(walker *w, const bvh_node *leaf) {
    const uint32_t begin = leaf->first * BVH_LEAF, end = begin + leaf->count;
    for (uint32_t position = begin; position + 1 < end; ++position) {
        w->tests[w->test_count++] = (bp_range_test){.object = position, .begin = position + 1, .end = end};
    }
}

static void list_leaves(walker *w, node_pair pair) {
    const bvh_node *a = &w->trees->a_nodes[pair.a], *b = &w->trees->b_nodes[pair.b];
    if (w->trees->a == w->trees->b && pair.a == pair.b) {
        list_leaf_with_itself(w, a);
    } else {
        const uint32_t begin = a->first * BVH_LEAF;
        w->leaf_pairs[w->leaf_pair_count++] =
            (bp_range_test){.object = b->first, .begin = begin, .end = begin + a->count};
    }
    if (w->leaf_pair_count == LEAF_PAIRS || w->test_count > TESTS - TOUCHED - BVH_LEAF) {
        test_leaves(w);
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
    walker w;
    w.trees = &s->trees;
    w.tester = tester;
    w.leaf_pair_count = 0;
    w.test_count = 0;
    size_t count = 1;
    stack[0] = s->tasks[index];
    while (count > 0 && !tester->failed) {
        const node_pair pair = stack[--count];
        if (are_leaves(&s->trees, pair)) {
            list_leaves(&w, pair);
        } else {
            assert(count + 4 <= s->stack_size);
            count += expand_pair(&s->trees, pair, stack + count);
        }
    }
    test_leaves(&w);
}

// ---- tasks ----------------------------------------------------------------------------------------------------------

// Replaces every pair by the pairs below it.
static size_t expand_pairs(const trees *t, const node_pair *from, size_t count, node_pair *to) {
    size_t expanded = 0;
    for (size_t i = 0; i < count; ++i) {
        if (are_leaves(t, from[i])) {
            to[expanded++] = from[i];
        } else {
            expanded += expand_pair(t, from[i], to + expanded);
        }
    }
    return expanded;
}

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
        *count = expand_pairs(&s->trees, tasks, before, spare);
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

// Every object against segments of candidates: unit u is object u / segments, segment u % segments.
typedef struct scan {
    size_t segments, candidate_count;
    bool with_itself; // each object against those after it
} scan;

static void unit_scan(const void *context, bp_range_tester *tester, size_t unit) {
    const scan *s = context;
    const size_t object = unit / s->segments, from = unit % s->segments * SEGMENT;
    const size_t begin = s->with_itself && from <= object ? object + 1 : from;
    const size_t end = from + SEGMENT < s->candidate_count ? from + SEGMENT : s->candidate_count;
    if (begin < end) {
        bp_range_tester_add_long(tester, object, (uint32_t)begin, (uint32_t)end);
    }
}

static bp_status scan_boxes(bvh_search *search, const bp_method_setup *setup, box_list objects, box_list candidates,
                            bp_pair_names names, bp_sink *sink) {
    if (objects.count == 0 || candidates.count == 0) {
        return BP_OK;
    }
    const scan s = {.segments = candidates.count / SEGMENT + 1,
                    .candidate_count = candidates.count,
                    .with_itself = objects.columns == candidates.columns};
    const bp_range_search scans = {.runtime = &setup->runtime,
                                   .kernels = setup->kernels,
                                   .objects = objects.columns,
                                   .candidates = candidates.columns,
                                   .names = names,
                                   .unit_count = bp_size_multiply(objects.count, s.segments),
                                   .unit = unit_scan,
                                   .context = &s};
    return bp_range_search_run(&scans, &search->sinks, sink);
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

bp_status bvh_search_trees(bvh_search *search, const bvh_tree *a, const bvh_tree *b, bp_sink *sink) {
    const bp_status status = search_leaves(search, a, b, sink);
    if (status != BP_OK) {
        return status;
    }
    return a == b ? search_scanned(search, a, sink) : search_scanned_between(search, a, b, sink);
}

// ---- changed boxes --------------------------------------------------------------------------------------------------

typedef struct changed_search {
    const bvh_tree *tree;
    const bp_changes *changes;
    uint32_t *stacks; // one for each unit
    size_t stack_size;
} changed_search;

static bool node_overlaps(const bvh_node *node, const bp_box *box) {
    return (node->min[0] <= box->max[0]) & (box->min[0] <= node->max[0]) & (node->min[1] <= box->max[1]) &
           (box->min[1] <= node->max[1]) & (node->min[2] <= box->max[2]) & (box->min[2] <= node->max[2]);
}

// The pairs of one changed box with its candidates, except those with itself and those that the other box's search
// reports.
static void test_changed(const changed_search *c, bp_range_tester *tester, const bp_range_test *tests, size_t count) {
    bp_sink *sink = tester->sink;
    for (size_t done = 0, some = 0; done < count && !tester->failed; done += some) {
        bp_range_job job = {.objects = tester->objects,
                            .candidates = tester->candidates,
                            .tests = tests + done,
                            .test_count = count - done,
                            .names = BP_NAMES_BY_ROLE};
        job.out = bp_sink_room(sink, job.tests[0].end - job.tests[0].begin + BP_COLUMN_PADDING, &job.room);
        if (job.out == NULL) {
            tester->failed = true;
            return;
        }
        const size_t found = tester->kernels->test_ranges(&job, &some);
        size_t kept = 0;
        for (size_t i = 0; i < found; ++i) {
            const uint32_t id = job.out[i].a, other = job.out[i].b;
            job.out[kept] = (bp_pair){.a = id < other ? id : other, .b = id < other ? other : id};
            kept += id < other || (id > other && !c->changes->marks[other]);
        }
        bp_sink_commit(sink, job.out, kept);
    }
    count_leaf_tests(sink, tests, count);
}

static void test_changed_against_leaves(const changed_search *c, bp_range_tester *tester, uint32_t *stack,
                                        uint32_t position) {
    const bvh_node *nodes = bvh_nodes(c->tree);
    const bp_box box = bp_columns_box(&c->tree->columns, position);
    bp_range_test tests[LEAF_PAIRS];
    size_t test_count = 0, count = 1;
    tester->candidates = &c->tree->columns;
    stack[0] = BVH_ROOT;
    while (count > 0) {
        const bvh_node *node = &nodes[stack[--count]];
        if (!bvh_is_leaf(node)) {
            stack[count] = node->first;
            count += node_overlaps(&nodes[node->first], &box);
            stack[count] = node->first + 1;
            count += node_overlaps(&nodes[node->first + 1], &box);
            continue;
        }
        const uint32_t begin = node->first * BVH_LEAF;
        tests[test_count++] = (bp_range_test){.object = position, .begin = begin, .end = begin + node->count};
        if (test_count == LEAF_PAIRS) {
            test_changed(c, tester, tests, test_count);
            test_count = 0;
        }
    }
    test_changed(c, tester, tests, test_count);
}

static void test_changed_against_all(const changed_search *c, bp_range_tester *tester, uint32_t object,
                                     box_list candidates) {
    tester->candidates = candidates.columns;
    for (size_t begin = 0; begin < candidates.count; begin += SEGMENT) {
        const size_t end = begin + SEGMENT < candidates.count ? begin + SEGMENT : candidates.count;
        const bp_range_test test = {.object = object, .begin = (uint32_t)begin, .end = (uint32_t)end};
        test_changed(c, tester, &test, 1);
    }
}

// The tester's list stays empty: each test runs at once, on the columns that are set then.
static void unit_changed(const void *context, bp_range_tester *tester, size_t unit) {
    const changed_search *c = context;
    const bvh_tree *tree = c->tree;
    const size_t begin = unit * CHANGED;
    const size_t end = begin + CHANGED < c->changes->count ? begin + CHANGED : c->changes->count;
    for (size_t i = begin; i < end && !tester->failed; ++i) {
        const uint32_t place = bvh_places(tree)[c->changes->ids[i]];
        if (place == BVH_NOWHERE) {
            continue;
        }
        const bool scanned = (place & BVH_SCANNED) != 0;
        tester->objects = scanned ? &tree->scanned.columns : &tree->columns;
        if (scanned) {
            test_changed_against_all(c, tester, place & ~BVH_SCANNED, leaf_boxes(tree));
        } else {
            test_changed_against_leaves(c, tester, c->stacks + unit * c->stack_size, place);
        }
        test_changed_against_all(c, tester, place & ~BVH_SCANNED, scanned_boxes(tree));
    }
}

bp_status bvh_search_changed(bvh_search *search, const bvh_tree *tree, const bp_changes *changes, bp_sink *sink) {
    changed_search c = {.tree = tree, .changes = changes};
    const size_t units = (changes->count + CHANGED - 1) / CHANGED;
    c.stack_size = (tree->tree_count > 0 ? bvh_heights(tree)[BVH_ROOT] : 0) + 2;
    if (!bp_buffer_reserve_slack(&search->stacks_buffer, &tree->setup->runtime.allocator, 0,
                                 bp_size_multiply(units, c.stack_size), sizeof(uint32_t))) {
        return BP_ERROR_MEMORY;
    }
    c.stacks = search->stacks_buffer.data;
    const bp_range_search ranges = {.runtime = &tree->setup->runtime,
                                    .kernels = tree->setup->kernels,
                                    .objects = NULL, // set for each box
                                    .candidates = NULL,
                                    .names = BP_NAMES_BY_ROLE,
                                    .unit_count = units,
                                    .unit = unit_changed,
                                    .context = &c};
    return bp_range_search_run(&ranges, &search->sinks, sink);
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

// Counts up to `limit` leaves that overlap every `stride`-th leaf.
static size_t count_sampled(const bvh_tree *tree, size_t stride, uint32_t *stack, size_t limit) {
    const uint32_t *slot_nodes = tree->slot_nodes_buffer.data;
    size_t found = 0;
    for (size_t slot = 0; slot < tree->slot_end && found < limit; slot += stride) {
        if (!isnan(tree->leaves.min[0][slot])) { // not a free one
            found += count_overlapping(tree, &bvh_nodes(tree)[slot_nodes[slot]], stack, limit - found);
        }
    }
    return found;
}

bp_status bvh_search_crowding(bvh_search *search, const bvh_tree *tree, double most, double *crowding) {
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
    *crowding = (double)count_sampled(tree, stride, search->stacks_buffer.data, (size_t)limit) / (double)samples;
    return BP_OK;
}
