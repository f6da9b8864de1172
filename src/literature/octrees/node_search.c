#include "literature/octrees/node_search.h"

#include "base/parallel.h"

#include <assert.h>

enum {
    PROBES = 64, // that descend together: a unit of work
    STEPS = 32,  // that are processed together
    DEPTHS = 22, // of trees
    PENDING = STEPS * 8 * DEPTHS + PROBES + BP_COLUMN_PADDING,
    HALF = BP_NODE_LOCAL / 2,
    FILL_LEAST = 4096 // boxes that are worth a task
};

// ---- boxes ----------------------------------------------------------------------------------------------------------

void bp_node_boxes_init(bp_node_boxes *boxes, const bp_method_setup *setup) {
    *boxes = (bp_node_boxes){.setup = setup};
}

void bp_node_boxes_free(bp_node_boxes *boxes) {
    const bp_allocator *allocator = &boxes->setup->runtime.allocator;
    bp_buffer_free(&boxes->columns_buffer, allocator);
    bp_buffer_free(&boxes->sorted_buffer, allocator);
    bp_buffer_free(&boxes->positions_buffer, allocator);
    bp_block_sinks_free(&boxes->sinks, allocator);
}

size_t bp_node_boxes_bytes(const bp_node_boxes *boxes) {
    return boxes->columns_buffer.bytes + boxes->sorted_buffer.bytes + boxes->positions_buffer.bytes +
           bp_block_sinks_bytes(&boxes->sinks);
}

bool bp_node_boxes_reserve(bp_node_boxes *boxes, size_t count) {
    const bp_allocator *allocator = &boxes->setup->runtime.allocator;
    const size_t padded = count + BP_COLUMN_PADDING, before = boxes->positions_buffer.bytes;
    if (!bp_columns_reserve(&boxes->columns, &boxes->columns_buffer, allocator, count) ||
        !bp_buffer_reserve_slack(&boxes->sorted_buffer, allocator, 0, padded, sizeof(bp_box)) ||
        !bp_buffer_reserve_slack(&boxes->positions_buffer, allocator, 0, padded, sizeof(uint32_t))) {
        return false;
    }
    boxes->count = count;
    boxes->sorted = boxes->sorted_buffer.data;
    boxes->positions = boxes->positions_buffer.data;
    if (boxes->positions_buffer.bytes > before) {
        for (size_t i = 0; i < boxes->positions_buffer.bytes / sizeof(uint32_t); ++i) {
            boxes->positions[i] = (uint32_t)i;
        }
    }
    return true;
}

typedef struct fill {
    bp_node_boxes *boxes;
    const bp_box *by_id;
    bp_blocks blocks;
} fill;

static void task_fill_boxes(void *context, size_t block) {
    const fill *f = context;
    bp_node_boxes *b = f->boxes;
    const size_t begin = bp_block_begin(f->blocks, block), end = bp_block_begin(f->blocks, block + 1);
    for (size_t i = begin; i < end; ++i) {
        b->sorted[i] = bp_box_flatten(f->by_id[b->columns.id[i]], b->setup->dimensions);
    }
    bp_columns by_position = b->columns;
    by_position.id = b->positions;
    b->setup->kernels->gather(&by_position, begin, end, b->sorted);
}

void bp_node_boxes_fill(bp_node_boxes *boxes, const bp_box *by_id) {
    const bp_executor *executor = &boxes->setup->runtime.executor;
    fill f = {.boxes = boxes, .by_id = by_id};
    f.blocks = bp_blocks_cut(executor, boxes->count, FILL_LEAST, SIZE_MAX);
    bp_parallel_for(executor, f.blocks.count, task_fill_boxes, &f);
}

bp_box bp_node_bounds(const bp_node_boxes *boxes, uint32_t begin, uint32_t end) {
    bp_box bounds = bp_bounds_empty();
    for (uint32_t i = begin; i < end; ++i) {
        bp_bounds_join(&bounds, &boxes->sorted[i]);
    }
    return bounds;
}

// ---- filter, copy, test ---------------------------------------------------------------------------------------------

void bp_node_batch_begin(bp_node_batch *batch, const bp_node_boxes *boxes, bp_range_tester *tester) {
    batch->boxes = boxes;
    batch->tester = tester;
    batch->node_count = 0;
    batch->filter_test_count = 0;
    batch->local_bound = 0;
}

static bp_columns local_columns(bp_node_batch *b) {
    bp_columns columns = {.id = b->local.id};
    for (int axis = 0; axis < 3; ++axis) {
        columns.min[axis] = b->local.values[axis];
        columns.max[axis] = b->local.values[axis + 3];
    }
    return columns;
}

static void count_node_tests(bp_sink *sink, const bp_range_test *tests, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        sink->tests += tests[i].end - tests[i].begin;
    }
}

// Step 1: writes the boxes of the ranges that overlap the bounds of their nodes to batch->passed; there is room for all
// of them.
static size_t filter_ranges(bp_node_batch *b) {
    const bp_columns node_bounds = local_columns(b); // unused until the filter is done
    bp_columns candidates = b->boxes->columns;
    candidates.id = b->boxes->positions;
    for (size_t node = 0; node < b->node_count; ++node) {
        bp_columns_put(&node_bounds, node, &b->bounds[node], (uint32_t)node);
    }
    const bp_range_job job = {.objects = &node_bounds,
                              .candidates = &candidates,
                              .tests = b->filter_tests,
                              .test_count = b->filter_test_count,
                              .names = BP_NAMES_BY_ROLE,
                              .out = b->passed,
                              .room = BP_NODE_LOCAL + BP_COLUMN_PADDING};
    size_t done = 0;
    count_node_tests(b->tester->sink, b->filter_tests, b->filter_test_count);
    const size_t passed = b->tester->kernels->test_ranges(&job, &done);
    assert(done == b->filter_test_count);
    b->filter_test_count = 0;
    return passed;
}

// Writes positions into the ids of the local columns, and returns the new end of the list.
static size_t list_range(const bp_columns *local, size_t at, uint32_t begin, uint32_t end) {
    for (uint32_t position = begin; position < end; ++position) {
        local->id[at++] = position;
    }
    return at;
}

// Step 2: fills the local columns from the positions in their ids, and replaces these by the boxes' ids.
static void copy_local_boxes(bp_node_batch *b, const bp_columns *local, size_t count) {
    b->tester->kernels->gather(local, 0, count, b->boxes->sorted);
    for (size_t i = 0; i < count; ++i) {
        local->id[i] = b->boxes->columns.id[local->id[i]];
    }
}

// Step 3: tests inside the local columns.
static void run_local_tests(bp_node_batch *b, const bp_columns *local, size_t count) {
    bp_range_tester *t = b->tester;
    count_node_tests(t->sink, b->local_tests, count);
    t->objects = local;
    t->candidates = local;
    bp_range_tester_run(t, b->local_tests, count);
    t->objects = &b->boxes->columns;
    t->candidates = &b->boxes->columns;
}

// Runs all collected nodes through the three steps.
static void flush_batch(bp_node_batch *b) {
    const bp_columns local = local_columns(b);
    const size_t passed_count = filter_ranges(b);
    size_t at = 0, passed = 0, test_count = 0;
    for (size_t node = 0; node < b->node_count; ++node) {
        const size_t begin = at;
        at = list_range(&local, at, b->own[node].begin, b->own[node].end);
        const size_t own_end = at;
        for (; passed < passed_count && b->passed[passed].a == node; ++passed) {
            local.id[at++] = b->passed[passed].b;
        }
        for (size_t i = begin; i < own_end; ++i) {
            b->local_tests[test_count] =
                (bp_range_test){.object = (uint32_t)i, .begin = (uint32_t)i + 1, .end = (uint32_t)at};
            test_count += i + 1 < at;
        }
    }
    copy_local_boxes(b, &local, at);
    run_local_tests(b, &local, test_count);
    b->node_count = 0;
    b->local_bound = 0;
}

static void collect_node(bp_node_batch *b, const bp_box *bounds, bp_node_range own) {
    b->bounds[b->node_count] = *bounds;
    b->own[b->node_count++] = own;
}

// ---- nodes that are too large to be collected -----------------------------------------------------------------------

static void test_inside(bp_node_batch *b, bp_node_range own) {
    for (uint32_t i = own.begin; i < own.end; ++i) {
        bp_range_tester_add_long(b->tester, i, i + 1, own.end);
    }
    bp_range_tester_flush(b->tester);
}

// Tests the boxes of a node against those that pass the filter.
static void test_passed(bp_node_batch *b, bp_node_range own) {
    const size_t passed_count = filter_ranges(b);
    const bp_columns local = local_columns(b);
    for (uint32_t begin = own.begin; passed_count > 0 && begin < own.end; begin += HALF) {
        const uint32_t end = own.end - begin < HALF ? own.end : begin + HALF;
        const size_t own_count = list_range(&local, 0, begin, end), count = own_count + passed_count;
        for (size_t i = 0; i < passed_count; ++i) {
            local.id[own_count + i] = b->passed[i].b;
        }
        for (size_t i = 0; i < own_count; ++i) {
            b->local_tests[i] =
                (bp_range_test){.object = (uint32_t)i, .begin = (uint32_t)own_count, .end = (uint32_t)count};
        }
        copy_local_boxes(b, &local, count);
        run_local_tests(b, &local, own_count);
    }
}

static void test_large(bp_node_batch *b, const bp_box *bounds, bp_node_range own, const bp_node_range *others,
                       size_t other_count) {
    test_inside(b, own);
    collect_node(b, bounds, own);
    size_t bound = 0;
    for (size_t i = 0; i < other_count; ++i) {
        for (uint32_t begin = others[i].begin, end; begin < others[i].end; begin = end) {
            end = others[i].end - begin < HALF ? others[i].end : begin + HALF;
            if (bound + (end - begin) > HALF || b->filter_test_count == BP_NODE_RANGES) {
                test_passed(b, own);
                bound = 0;
            }
            b->filter_tests[b->filter_test_count++] = (bp_range_test){.object = 0, .begin = begin, .end = end};
            bound += end - begin;
        }
    }
    test_passed(b, own);
    b->node_count = 0;
}

void bp_node_batch_add(bp_node_batch *batch, const bp_box *bounds, bp_node_range own, const bp_node_range *others,
                       size_t other_count) {
    size_t bound = own.end - own.begin;
    for (size_t i = 0; i < other_count; ++i) {
        bound += others[i].end - others[i].begin;
    }
    const bool large = bound > BP_NODE_LOCAL || other_count > BP_NODE_RANGES;
    if (large || batch->local_bound + bound > BP_NODE_LOCAL ||
        batch->filter_test_count + other_count > BP_NODE_RANGES || batch->node_count == BP_NODE_BATCH) {
        flush_batch(batch);
    }
    if (large) {
        test_large(batch, bounds, own, others, other_count);
        return;
    }
    for (size_t i = 0; i < other_count; ++i) {
        batch->filter_tests[batch->filter_test_count++] =
            (bp_range_test){.object = (uint32_t)batch->node_count, .begin = others[i].begin, .end = others[i].end};
    }
    collect_node(batch, bounds, own);
    batch->local_bound += bound;
}

void bp_node_batch_end(bp_node_batch *batch) {
    flush_batch(batch);
}

bp_status bp_node_boxes_find(bp_node_boxes *boxes, size_t unit_count,
                             void (*unit)(const void *context, bp_range_tester *tester, size_t index),
                             const void *context, bp_sink *sink) {
    const bp_range_search search = {.runtime = &boxes->setup->runtime,
                                    .kernels = boxes->setup->kernels,
                                    .objects = &boxes->columns,
                                    .candidates = &boxes->columns,
                                    .names = BP_NAMES_ORDERED,
                                    .unit_count = unit_count,
                                    .unit = unit,
                                    .context = context};
    return bp_range_search_run(&search, &boxes->sinks, sink);
}

// ---- pairs with another set -----------------------------------------------------------------------------------------

typedef struct search_context {
    const bp_node_boxes *boxes;
    const bp_node_search *search;
} search_context;

// A few probes that descend together, in columns with two kinds of ids.
typedef struct probe_walk {
    const bp_node_search *search;
    bp_range_tester *tester;
    bp_columns by_index; // ids are indices among the few
    bp_columns by_id;
    float values[6][PROBES];
    uint32_t indices[PROBES], ids[PROBES];
    bp_pair pending[PENDING]; // steps: (probe, node)
} probe_walk;

// One step: a probe against the own boxes of a node, and a test against its children, if it has any.
static size_t take_step(const probe_walk *w, bp_pair step, bp_range_test *child_test) {
    const bp_node *node = &w->search->nodes[step.b];
    bp_range_tester_add_long(w->tester, step.a, node->begin, node->end);
    *child_test =
        (bp_range_test){.object = step.a, .begin = node->first_child, .end = node->first_child + w->search->children};
    return node->first_child != BP_NODE_NONE;
}

// Processes the last of the pending steps and returns how many are pending then.
static size_t take_steps(probe_walk *w, size_t pending) {
    bp_range_test child_tests[STEPS];
    const size_t left = pending < STEPS ? 0 : pending - STEPS;
    size_t test_count = 0, done = 0;
    for (size_t i = left; i < pending; ++i) {
        test_count += take_step(w, w->pending[i], &child_tests[test_count]);
    }
    const bp_range_job job = {.objects = &w->by_index,
                              .candidates = w->search->bounds,
                              .tests = child_tests,
                              .test_count = test_count,
                              .names = BP_NAMES_BY_ROLE,
                              .out = w->pending + left,
                              .room = PENDING - left};
    const size_t found = w->tester->kernels->test_ranges(&job, &done);
    assert(done == test_count);
    return left + found;
}

// Lists a few probes from `begin` on, all at the root.
static void list_probes(probe_walk *w, uint32_t dimensions, size_t begin, size_t count) {
    for (int axis = 0; axis < 3; ++axis) {
        w->by_index.min[axis] = w->values[axis];
        w->by_index.max[axis] = w->values[axis + 3];
    }
    w->by_id = w->by_index;
    w->by_index.id = w->indices;
    w->by_id.id = w->ids;
    for (size_t i = 0; i < count; ++i) {
        const bp_box box = bp_box_flatten(w->search->probes[begin + i], dimensions);
        bp_columns_put(&w->by_index, i, &box, (uint32_t)i);
        w->ids[i] = (uint32_t)(begin + i);
        w->pending[i] = (bp_pair){.a = (uint32_t)i, .b = 0};
    }
}

static void unit_probes(const void *context, bp_range_tester *tester, size_t unit) {
    const search_context *c = context;
    const size_t begin = unit * PROBES, left = c->search->probe_count - begin;
    const size_t count = left < PROBES ? left : PROBES;
    probe_walk w; // large, so only the needed fields are set
    w.search = c->search;
    w.tester = tester;
    list_probes(&w, c->boxes->setup->dimensions, begin, count);
    tester->objects = &w.by_id;
    for (size_t pending = count; pending > 0 && !tester->failed;) {
        pending = take_steps(&w, pending);
    }
    for (uint32_t i = 0; i < count; ++i) {
        bp_range_tester_add_long(tester, i, c->search->outside_begin, (uint32_t)c->boxes->count);
    }
    bp_range_tester_flush(tester);
    tester->objects = NULL;
}

bp_status bp_node_search_run(bp_node_boxes *boxes, const bp_node_search *search, bp_sink *sink) {
    const search_context context = {.boxes = boxes, .search = search};
    const bp_range_search ranges = {.runtime = &boxes->setup->runtime,
                                    .kernels = boxes->setup->kernels,
                                    .objects = NULL, // each unit has its own
                                    .candidates = &boxes->columns,
                                    .names = BP_NAMES_BY_ROLE,
                                    .unit_count = (search->probe_count + PROBES - 1) / PROBES,
                                    .unit = unit_probes,
                                    .context = &context};
    return bp_range_search_run(&ranges, &boxes->sinks, sink);
}
