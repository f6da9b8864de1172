// Finding pairs: two trees, or one with itself, are walked down together; pairs of leaves go to the vector kernel.
//
//     (root, root)                      a node with itself gives its children with themselves and with each other;
//       (l, l) (l, r) (r, r)            two nodes that overlap are taken down by the descent rule:
//              |                          one-before-other   a to its leaves, then b
//       (ll, rl) (ll, rr) ...             larger-volume      the one with the larger box
//              |                          simultaneous       both at once: four pairs
//       (leaf, leaf)
//         1. the boxes of the one against the bounds of the other: one vector, and two in three drop out
//         2. each that is left against the boxes of the other: one vector each
//
// The stack is as large as the heights of the trees say that it can become, so it never overflows. The walk is cut into
// tasks at pairs near the root; how it is cut depends only on the trees.
#include "methods/bvh/bvh_tree.h"

#include <assert.h>
#include <string.h>

enum {
    LEAF_PAIRS = 256,                        // that are collected before they are tested
    TOUCHED = LEAF_PAIRS * BVH_LEAF,         // boxes that touch the bounds of a leaf
    ITEMS = TOUCHED + BVH_LEAF * LEAF_PAIRS, // and the boxes of leaves with themselves
    TASKS_MAX = 512,
    TASK_LEAST = 1024, // boxes that are worth a task
    SEGMENT = 65536,   // positions that are worth a unit of work for a scanned box
    QUERIES = 64       // changed boxes in a unit of work
};

typedef struct node_pair {
    uint32_t a, b;
} node_pair;

void bvh_search_free(bvh_search *search, const bp_allocator *allocator) {
    bp_sweep_pool_free(&search->pool, allocator);
    bp_buffer_free(&search->tasks_buffer, allocator);
    bp_buffer_free(&search->spare_buffer, allocator);
    bp_buffer_free(&search->stacks_buffer, allocator);
}

size_t bvh_search_bytes(const bvh_search *search) {
    return bp_sweep_pool_bytes(&search->pool) + search->tasks_buffer.bytes + search->spare_buffer.bytes +
           search->stacks_buffer.bytes;
}

// ---- descent ------------------------------------------------------------------------------------------------------------

typedef struct trees {
    const bvh_tree *a, *b; // the same for pairs inside one
    const bvh_node *a_nodes, *b_nodes;
    bp_bvh_descent descent;
} trees;

static trees trees_of(const bvh_tree *a, const bvh_tree *b) {
    return (trees){.a = a, .b = b, .a_nodes = bvh_nodes(a), .b_nodes = bvh_nodes(b), .descent = a->config->bvh_descent};
}

// The sum of the extents: it orders boxes of like shape as volume does, and is neither 0 for flat ones nor infinite.
static float size_of(const bvh_node *node) {
    return (node->max[0] - node->min[0]) + (node->max[1] - node->min[1]) + (node->max[2] - node->min[2]);
}

static inline bool descends_a(bp_bvh_descent descent, const bvh_node *a, const bvh_node *b) {
    if (bvh_is_leaf(a) || bvh_is_leaf(b)) {
        return bvh_is_leaf(b);
    }
    return descent == BP_BVH_ONE_BEFORE_OTHER || size_of(a) >= size_of(b);
}

// Appends a pair if its nodes overlap; without a branch on that.
static inline size_t append(const trees *t, node_pair *out, size_t count, uint32_t a, uint32_t b) {
    out[count] = (node_pair){.a = a, .b = b};
    return count + bvh_nodes_overlap(&t->a_nodes[a], &t->b_nodes[b]);
}

// The next pairs below a pair that is not of two leaves; at most four.
static inline size_t expand(const trees *t, node_pair pair, node_pair out[4]) {
    const bvh_node *a = &t->a_nodes[pair.a], *b = &t->b_nodes[pair.b];
    const uint32_t below_a = a->first, below_b = b->first;
    if (t->a == t->b && pair.a == pair.b) {
        out[0] = (node_pair){.a = below_a, .b = below_a};
        out[1] = (node_pair){.a = below_a + 1, .b = below_a + 1};
        return append(t, out, 2, below_a, below_a + 1);
    }
    if (t->descent == BP_BVH_SIMULTANEOUS && !bvh_is_leaf(a) && !bvh_is_leaf(b)) {
        size_t count = append(t, out, 0, below_a, below_b);
        count = append(t, out, count, below_a, below_b + 1);
        count = append(t, out, count, below_a + 1, below_b);
        return append(t, out, count, below_a + 1, below_b + 1);
    }
    if (descends_a(t->descent, a, b)) {
        return append(t, out, append(t, out, 0, below_a, pair.b), below_a + 1, pair.b);
    }
    return append(t, out, append(t, out, 0, pair.a, below_b), pair.a, below_b + 1);
}

static inline bool are_leaves(const trees *t, node_pair pair) {
    return bvh_is_leaf(&t->a_nodes[pair.a]) && bvh_is_leaf(&t->b_nodes[pair.b]);
}

// ---- leaves -------------------------------------------------------------------------------------------------------------

typedef struct walker {
    const trees *trees;
    bp_sweeper *sweeper; // for its sink, and to tell that memory ran short
    size_t leaf_pair_count, item_count;
    bp_sweep_item leaf_pairs[LEAF_PAIRS]; // a slot of b as the object, the boxes of a leaf of a as its candidates
    bp_sweep_item items[ITEMS];
    bp_pair touched[TOUCHED + BP_COLUMN_PADDING];
} walker;

static void sweep_items(walker *w) {
    const trees *t = w->trees;
    bp_sink *sink = w->sweeper->sink;
    for (size_t done = 0, some = 0; done < w->item_count && !w->sweeper->failed; done += some) {
        bp_sweep_job job = {.objects = &t->a->columns,
                            .candidates = &t->b->columns,
                            .items = w->items + done,
                            .item_count = w->item_count - done,
                            .ordered = t->a == t->b};
        job.out = bp_sink_room(sink, BVH_LEAF + BP_COLUMN_PADDING, &job.room);
        if (job.out == NULL) {
            w->sweeper->failed = true;
            return;
        }
        bp_sink_commit(sink, job.out, t->a->kernels->sweep(&job, &some));
    }
}

// The boxes of a that touch the bounds of a leaf of b, each as an item against that leaf. The id columns of this sweep
// name positions and slots instead of ids.
static void list_touched(walker *w) {
    const trees *t = w->trees;
    bp_columns by_position = t->a->columns;
    by_position.id = t->a->positions_buffer.data;
    for (size_t done = 0, some = 0; done < w->leaf_pair_count; done += some) {
        const bp_sweep_job job = {.objects = &t->b->leaves,
                                  .candidates = &by_position,
                                  .items = w->leaf_pairs + done,
                                  .item_count = w->leaf_pair_count - done,
                                  .out = w->touched,
                                  .room = sizeof w->touched / sizeof *w->touched};
        const size_t count = t->a->kernels->sweep(&job, &some);
        for (size_t i = 0; i < count; ++i) {
            const uint32_t begin = w->touched[i].a * BVH_LEAF;
            w->items[w->item_count++] =
                (bp_sweep_item){.object = w->touched[i].b, .begin = begin, .end = begin + BVH_LEAF};
        }
    }
}

static void test_leaves(walker *w) {
    list_touched(w);
    for (size_t i = 0; i < w->item_count; ++i) {
        w->sweeper->sink->tests += w->items[i].end - w->items[i].begin;
    }
    sweep_items(w);
    w->leaf_pair_count = 0;
    w->item_count = 0;
}

// At most LEAF_PAIRS leaves with themselves fit beside as many pairs.
static void list_leaf_with_itself(walker *w, const bvh_node *leaf) {
    const uint32_t begin = leaf->first * BVH_LEAF, end = begin + leaf->count;
    for (uint32_t position = begin; position + 1 < end; ++position) {
        w->items[w->item_count++] = (bp_sweep_item){.object = position, .begin = position + 1, .end = end};
    }
}

static void list_leaves(walker *w, node_pair pair) {
    const bvh_node *a = &w->trees->a_nodes[pair.a], *b = &w->trees->b_nodes[pair.b];
    if (w->trees->a == w->trees->b && pair.a == pair.b) {
        list_leaf_with_itself(w, a);
    } else {
        const uint32_t begin = a->first * BVH_LEAF;
        w->leaf_pairs[w->leaf_pair_count++] =
            (bp_sweep_item){.object = b->first, .begin = begin, .end = begin + a->count};
    }
    if (w->leaf_pair_count == LEAF_PAIRS || w->item_count > ITEMS - TOUCHED - BVH_LEAF) {
        test_leaves(w);
    }
}

// ---- one task -------------------------------------------------------------------------------------------------------------

typedef struct find {
    trees trees;
    const node_pair *tasks;
    node_pair *stacks; // one for each task
    size_t stack_size;
} find;

// Each step takes one pair off and puts at most four on, one level further down in at least one tree.
static size_t stack_size_for(const bvh_tree *a, const bvh_tree *b) {
    return 3 * ((size_t)bvh_heights(a)[BVH_ROOT] + bvh_heights(b)[BVH_ROOT]) + 4;
}

static void unit_walk(const void *context, bp_sweeper *sweeper, size_t index) {
    const find *f = context;
    node_pair *stack = f->stacks + index * f->stack_size;
    walker w;
    w.trees = &f->trees;
    w.sweeper = sweeper;
    w.leaf_pair_count = 0;
    w.item_count = 0;
    size_t count = 1;
    stack[0] = f->tasks[index];
    while (count > 0 && !sweeper->failed) {
        const node_pair pair = stack[--count];
        if (are_leaves(&f->trees, pair)) {
            list_leaves(&w, pair);
        } else {
            assert(count + 4 <= f->stack_size);
            count += expand(&f->trees, pair, stack + count);
        }
    }
    test_leaves(&w);
}

// ---- tasks ----------------------------------------------------------------------------------------------------------------

// Replaces every pair by those below it.
static size_t expand_all(const trees *t, const node_pair *from, size_t count, node_pair *to) {
    size_t expanded = 0;
    for (size_t i = 0; i < count; ++i) {
        if (are_leaves(t, from[i])) {
            to[expanded++] = from[i];
        } else {
            expanded += expand(t, from[i], to + expanded);
        }
    }
    return expanded;
}

static bool make_tasks(bvh_search *search, find *f, size_t *count) {
    const bp_allocator *allocator = &f->trees.a->config->allocator;
    if (!bp_buffer_reserve(&search->tasks_buffer, allocator, 0, (size_t)4 * TASKS_MAX, sizeof(node_pair)) ||
        !bp_buffer_reserve(&search->spare_buffer, allocator, 0, (size_t)4 * TASKS_MAX, sizeof(node_pair))) {
        return false;
    }
    node_pair *tasks = search->tasks_buffer.data, *spare = search->spare_buffer.data;
    const size_t wanted = (f->trees.a->tree_count + f->trees.b->tree_count) / TASK_LEAST;
    tasks[0] = (node_pair){.a = BVH_ROOT, .b = BVH_ROOT};
    *count = bvh_nodes_overlap(f->trees.a_nodes, f->trees.b_nodes) ? 1 : 0;
    for (size_t before = 0; *count > 0 && *count != before && *count < wanted && *count < TASKS_MAX;) {
        before = *count;
        *count = expand_all(&f->trees, tasks, before, spare);
        node_pair *swapped = tasks;
        tasks = spare;
        spare = swapped;
    }
    f->tasks = tasks;
    f->stack_size = stack_size_for(f->trees.a, f->trees.b);
    const bool granted = bp_buffer_reserve_slack(&search->stacks_buffer, allocator, 0,
                                                 bp_size_multiply(*count, f->stack_size), sizeof(node_pair));
    f->stacks = search->stacks_buffer.data;
    return granted;
}

static bp_status find_in_trees(bvh_search *search, const bvh_tree *a, const bvh_tree *b, bp_sink *sink) {
    if (a->tree_count == 0 || b->tree_count == 0) {
        return BP_OK;
    }
    find f = {.trees = trees_of(a, b)};
    size_t task_count = 0;
    if (!make_tasks(search, &f, &task_count)) {
        return BP_ERROR_MEMORY;
    }
    const bp_sweep_plan plan = {.config = a->config,
                                .objects = &a->columns,
                                .candidates = &b->columns,
                                .unit_count = task_count,
                                .unit = unit_walk,
                                .context = &f};
    return bp_sweep_pool_run(&search->pool, &plan, sink);
}

// ---- scanned boxes ----------------------------------------------------------------------------------------------------------

// Boxes object_begin .. of one side against candidates of the other: unit u is box u / segments, segment u % segments.
typedef struct scan {
    size_t segments, candidate_count;
    bool with_itself; // each against those after it
} scan;

static void unit_scan(const void *context, bp_sweeper *sweeper, size_t unit) {
    const scan *s = context;
    const size_t object = unit / s->segments, from = unit % s->segments * SEGMENT;
    const size_t begin = s->with_itself && from <= object ? object + 1 : from;
    const size_t end = from + SEGMENT < s->candidate_count ? from + SEGMENT : s->candidate_count;
    if (begin < end) {
        bp_sweeper_push_range(sweeper, object, (uint32_t)begin, (uint32_t)end);
    }
}

static bp_status sweep_all(bvh_search *search, const bp_config *config, const bp_columns *objects, size_t object_count,
                           const bp_columns *candidates, size_t candidate_count, bp_sink *sink) {
    if (object_count == 0 || candidate_count == 0) {
        return BP_OK;
    }
    const scan s = {.segments = candidate_count / SEGMENT + 1,
                    .candidate_count = candidate_count,
                    .with_itself = objects == candidates};
    const bp_sweep_plan plan = {.config = config,
                                .objects = objects,
                                .candidates = candidates,
                                .unit_count = object_count * s.segments,
                                .unit = unit_scan,
                                .context = &s};
    return bp_sweep_pool_run(&search->pool, &plan, sink);
}

// Of the pairs from `first` on, those that are kept: (smaller id, larger id).
static void order_pairs(bp_sink *sink, size_t first) {
    const size_t end = sink->count < sink->capacity ? sink->count : sink->capacity;
    for (size_t i = first; i < end; ++i) {
        const bp_pair pair = sink->data[i];
        sink->data[i] = (bp_pair){.a = pair.a < pair.b ? pair.a : pair.b, .b = pair.a < pair.b ? pair.b : pair.a};
    }
}

static bp_status find_scanned(bvh_search *search, const bvh_tree *tree, bp_sink *sink) {
    const size_t first = sink->count, positions = (size_t)tree->slot_end * BVH_LEAF;
    bp_status status =
        sweep_all(search, tree->config, &tree->scanned, tree->scanned_count, &tree->columns, positions, sink);
    if (status == BP_OK) {
        order_pairs(sink, first);
        status = sweep_all(search, tree->config, &tree->scanned, tree->scanned_count, &tree->scanned,
                           tree->scanned_count, sink);
    }
    return status;
}

static bp_status find_scanned_between(bvh_search *search, const bvh_tree *a, const bvh_tree *b, bp_sink *sink) {
    const bp_config *config = a->config;
    const size_t a_positions = (size_t)a->slot_end * BVH_LEAF, b_positions = (size_t)b->slot_end * BVH_LEAF;
    bp_status status = sweep_all(search, config, &a->scanned, a->scanned_count, &b->columns, b_positions, sink);
    if (status == BP_OK) {
        status = sweep_all(search, config, &a->scanned, a->scanned_count, &b->scanned, b->scanned_count, sink);
    }
    if (status == BP_OK && b->scanned_count > 0) {
        status = sweep_all(search, config, &a->columns, a_positions, &b->scanned, b->scanned_count, sink);
    }
    return status;
}

bp_status bvh_find(bvh_search *search, const bvh_tree *a, const bvh_tree *b, bp_sink *sink) {
    const bp_status status = find_in_trees(search, a, b, sink);
    if (status != BP_OK) {
        return status;
    }
    return a == b ? find_scanned(search, a, sink) : find_scanned_between(search, a, b, sink);
}

// ---- changed boxes ----------------------------------------------------------------------------------------------------------

typedef struct queries {
    const bvh_tree *tree;
    const bp_id *changed;
    size_t changed_count;
    const uint8_t *is_changed;
    uint32_t *stacks; // one for each unit
    size_t stack_size;
} queries;

static bool overlaps(const bvh_node *node, const bp_box *box) {
    return (node->min[0] <= box->max[0]) & (box->min[0] <= node->max[0]) & (node->min[1] <= box->max[1]) &
           (box->min[1] <= node->max[1]) & (node->min[2] <= box->max[2]) & (box->min[2] <= node->max[2]);
}

// The pairs of one box with `count` candidates, less those with itself and those that the other one's search reports.
static void sweep_query(const queries *q, bp_sweeper *sweeper, const bp_sweep_item *items, size_t count,
                        const bp_columns *objects, const bp_columns *candidates) {
    bp_sink *sink = sweeper->sink;
    for (size_t done = 0, some = 0; done < count && !sweeper->failed; done += some) {
        bp_sweep_job job = {
            .objects = objects, .candidates = candidates, .items = items + done, .item_count = count - done};
        job.out = bp_sink_room(sink, job.items[0].end - job.items[0].begin + BP_COLUMN_PADDING, &job.room);
        if (job.out == NULL) {
            sweeper->failed = true;
            return;
        }
        const size_t found = q->tree->kernels->sweep(&job, &some);
        size_t kept = 0;
        for (size_t i = 0; i < found; ++i) {
            const uint32_t id = job.out[i].a, other = job.out[i].b;
            job.out[kept] = (bp_pair){.a = id < other ? id : other, .b = id < other ? other : id};
            kept += id < other || (id > other && !q->is_changed[other]);
        }
        bp_sink_commit(sink, job.out, kept);
    }
    for (size_t i = 0; i < count; ++i) {
        sink->tests += items[i].end - items[i].begin;
    }
}

static void query_tree(const queries *q, bp_sweeper *sweeper, uint32_t *stack, uint32_t position) {
    const bvh_node *nodes = bvh_nodes(q->tree);
    const bp_box box = bvh_read_box(q->tree, position);
    bp_sweep_item items[LEAF_PAIRS];
    size_t item_count = 0, count = 1;
    stack[0] = BVH_ROOT;
    while (count > 0) {
        const bvh_node *node = &nodes[stack[--count]];
        if (!bvh_is_leaf(node)) {
            stack[count] = node->first;
            count += overlaps(&nodes[node->first], &box);
            stack[count] = node->first + 1;
            count += overlaps(&nodes[node->first + 1], &box);
            continue;
        }
        const uint32_t begin = node->first * BVH_LEAF;
        items[item_count++] = (bp_sweep_item){.object = position, .begin = begin, .end = begin + node->count};
        if (item_count == LEAF_PAIRS) {
            sweep_query(q, sweeper, items, item_count, &q->tree->columns, &q->tree->columns);
            item_count = 0;
        }
    }
    sweep_query(q, sweeper, items, item_count, &q->tree->columns, &q->tree->columns);
}

static void query_range(const queries *q, bp_sweeper *sweeper, const bp_columns *objects, uint32_t object,
                        const bp_columns *candidates, size_t count) {
    for (size_t begin = 0; begin < count; begin += SEGMENT) {
        const size_t end = begin + SEGMENT < count ? begin + SEGMENT : count;
        const bp_sweep_item item = {.object = object, .begin = (uint32_t)begin, .end = (uint32_t)end};
        sweep_query(q, sweeper, &item, 1, objects, candidates);
    }
}

static void unit_queries(const void *context, bp_sweeper *sweeper, size_t unit) {
    const queries *q = context;
    const bvh_tree *tree = q->tree;
    const size_t begin = unit * QUERIES;
    const size_t end = begin + QUERIES < q->changed_count ? begin + QUERIES : q->changed_count;
    for (size_t i = begin; i < end && !sweeper->failed; ++i) {
        const uint32_t place = bvh_places(tree)[q->changed[i]];
        if (place == BVH_NOWHERE) {
            continue;
        }
        const bool scanned = (place & BVH_SCANNED) != 0;
        const bp_columns *objects = scanned ? &tree->scanned : &tree->columns;
        if (scanned) {
            query_range(q, sweeper, objects, place & ~BVH_SCANNED, &tree->columns, (size_t)tree->slot_end * BVH_LEAF);
        } else {
            query_tree(q, sweeper, q->stacks + unit * q->stack_size, place);
        }
        query_range(q, sweeper, objects, place & ~BVH_SCANNED, &tree->scanned, tree->scanned_count);
    }
}

bp_status bvh_find_changed(bvh_search *search, const bvh_tree *tree, const bp_id *changed, size_t changed_count,
                           const uint8_t *is_changed, bp_sink *sink) {
    queries q = {.tree = tree, .changed = changed, .changed_count = changed_count, .is_changed = is_changed};
    const size_t units = (changed_count + QUERIES - 1) / QUERIES;
    q.stack_size = (tree->tree_count > 0 ? bvh_heights(tree)[BVH_ROOT] : 0) + 2;
    if (!bp_buffer_reserve_slack(&search->stacks_buffer, &tree->config->allocator, 0,
                                 bp_size_multiply(units, q.stack_size), sizeof(uint32_t))) {
        return BP_ERROR_MEMORY;
    }
    q.stacks = search->stacks_buffer.data;
    const bp_sweep_plan plan = {.config = tree->config,
                                .objects = &tree->columns,
                                .candidates = &tree->columns,
                                .unit_count = units,
                                .unit = unit_queries,
                                .context = &q};
    return bp_sweep_pool_run(&search->pool, &plan, sink);
}
