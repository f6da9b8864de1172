#include "methods/octrees/node_search.h"

#include "base/boxes.h"
#include "base/parallel.h"

#include <assert.h>

enum {
    ASKED = 64,  // boxes from outside that walk down together: a unit of work
    WALK = 32,   // steps that are taken together
    DEPTHS = 22, // of trees
    PENDING = WALK * 8 * DEPTHS + ASKED + BP_COLUMN_PADDING,
    HALF = BP_NODE_LOCAL / 2,
    FILL_LEAST = 4096
};

static bp_columns columns_of(bp_node_columns *local) {
    bp_columns columns = {.id = local->id};
    for (int axis = 0; axis < 3; ++axis) {
        columns.min[axis] = local->values[axis];
        columns.max[axis] = local->values[axis + 3];
    }
    return columns;
}

static void set_column(const bp_columns *columns, size_t at, const bp_box *box, uint32_t id) {
    for (int axis = 0; axis < 3; ++axis) {
        columns->min[axis][at] = box->min[axis];
        columns->max[axis][at] = box->max[axis];
    }
    columns->id[at] = id;
}

// ---- boxes ----------------------------------------------------------------------------------------------------------

void bp_node_boxes_init(bp_node_boxes *boxes, const bp_config *config) {
    *boxes = (bp_node_boxes){.config = config, .kernels = bp_kernels_get(config->simd)};
}

void bp_node_boxes_free(bp_node_boxes *boxes) {
    const bp_allocator *allocator = &boxes->config->allocator;
    bp_buffer_free(&boxes->columns_buffer, allocator);
    bp_buffer_free(&boxes->sorted_buffer, allocator);
    bp_buffer_free(&boxes->positions_buffer, allocator);
    bp_sweep_pool_free(&boxes->pool, allocator);
}

size_t bp_node_boxes_bytes(const bp_node_boxes *boxes) {
    return boxes->columns_buffer.bytes + boxes->sorted_buffer.bytes + boxes->positions_buffer.bytes +
           bp_sweep_pool_bytes(&boxes->pool);
}

bool bp_node_boxes_reserve(bp_node_boxes *boxes, size_t count) {
    const bp_allocator *allocator = &boxes->config->allocator;
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
    const bp_box *given;
    size_t block_count;
} fill;

static size_t part(size_t count, size_t index, size_t parts) {
    return (size_t)((unsigned long long)count * index / parts);
}

static void task_fill(void *context, size_t block) {
    const fill *f = context;
    bp_node_boxes *b = f->boxes;
    const size_t begin = part(b->count, block, f->block_count), end = part(b->count, block + 1, f->block_count);
    for (size_t i = begin; i < end; ++i) {
        b->sorted[i] = bp_box_flatten(f->given[b->columns.id[i]], b->config->dimensions);
    }
    bp_columns by_position = b->columns;
    by_position.id = b->positions;
    b->kernels->arrange(&by_position, begin, end, b->sorted);
}

void bp_node_boxes_fill(bp_node_boxes *boxes, const bp_box *given) {
    fill f = {.boxes = boxes, .given = given};
    f.block_count = bp_parallel_blocks(&boxes->config->executor, boxes->count, FILL_LEAST);
    bp_parallel_for(&boxes->config->executor, f.block_count, task_fill, &f);
}

bp_box bp_node_bounds(const bp_node_boxes *boxes, uint32_t begin, uint32_t end) {
    bp_box bounds = bp_bounds_empty();
    for (uint32_t i = begin; i < end; ++i) {
        bp_bounds_join(&bounds, &boxes->sorted[i]);
    }
    return bounds;
}

// ---- sweeping -------------------------------------------------------------------------------------------------------

void bp_node_batch_begin(bp_node_batch *batch, const bp_node_boxes *boxes, bp_sweeper *sweeper) {
    batch->boxes = boxes;
    batch->sweeper = sweeper;
    batch->node_count = 0;
    batch->item_count = 0;
    batch->local_bound = 0;
}

static void count_tests(bp_sweeper *s, const bp_sweep_item *items, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        s->sink->tests += items[i].end - items[i].begin;
    }
}

// Pairs of the items into the sink: (smaller id, larger id) where both sides are the same columns.
static void sweep_into_sink(bp_sweeper *s, const bp_columns *objects, const bp_columns *candidates,
                            const bp_sweep_item *items, size_t count) {
    count_tests(s, items, count);
    for (size_t done = 0, some = 0; done < count && !s->failed; done += some) {
        bp_sweep_job job = {.objects = objects,
                            .candidates = candidates,
                            .items = items + done,
                            .item_count = count - done,
                            .ordered = objects == candidates};
        job.out = bp_sink_room(s->sink, job.items[0].end - job.items[0].begin + BP_COLUMN_PADDING, &job.room);
        if (job.out == NULL) {
            s->failed = true;
            return;
        }
        bp_sink_commit(s->sink, job.out, s->kernels->sweep(&job, &some));
    }
}

// The boxes of the items' ranges that meet the bounds of their nodes, to batch->passed; there is room for all of them.
static size_t filter(bp_node_batch *s) {
    bp_node_columns *scratch = &s->local; // free until the filter is done
    const bp_columns node_bounds = columns_of(scratch);
    bp_columns candidates = s->boxes->columns;
    candidates.id = s->boxes->positions;
    for (size_t node = 0; node < s->node_count; ++node) {
        set_column(&node_bounds, node, &s->bounds[node], (uint32_t)node);
    }
    const bp_sweep_job job = {.objects = &node_bounds,
                              .candidates = &candidates,
                              .items = s->items,
                              .item_count = s->item_count,
                              .out = s->passed,
                              .room = BP_NODE_LOCAL + BP_COLUMN_PADDING};
    size_t done = 0;
    count_tests(s->sweeper, s->items, s->item_count);
    const size_t passed = s->boxes->kernels->sweep(&job, &done);
    assert(done == s->item_count);
    s->item_count = 0;
    return passed;
}

// Fills the local columns from the positions that are in their ids, and leaves the boxes' ids there.
static void copy_boxes(bp_node_batch *s, const bp_columns *local, size_t count) {
    s->boxes->kernels->arrange(local, 0, count, s->boxes->sorted);
    for (size_t i = 0; i < count; ++i) {
        local->id[i] = s->boxes->columns.id[local->id[i]];
    }
}

static size_t list_range(const bp_columns *local, size_t at, uint32_t begin, uint32_t end) {
    for (uint32_t position = begin; position < end; ++position) {
        local->id[at++] = position;
    }
    return at;
}

// All nodes that have been collected: filter, copy, sweep.
static void flush(bp_node_batch *s) {
    const bp_columns local = columns_of(&s->local);
    const size_t passed_count = filter(s);
    size_t at = 0, passed = 0, item_count = 0;
    for (size_t node = 0; node < s->node_count; ++node) {
        const size_t begin = at;
        at = list_range(&local, at, s->own[node].begin, s->own[node].end);
        const size_t own_end = at;
        for (; passed < passed_count && s->passed[passed].a == node; ++passed) {
            local.id[at++] = s->passed[passed].b;
        }
        for (size_t i = begin; i < own_end; ++i) {
            s->pair_items[item_count] =
                (bp_sweep_item){.object = (uint32_t)i, .begin = (uint32_t)i + 1, .end = (uint32_t)at};
            item_count += i + 1 < at;
        }
    }
    copy_boxes(s, &local, at);
    sweep_into_sink(s->sweeper, &local, &local, s->pair_items, item_count);
    s->node_count = 0;
    s->local_bound = 0;
}

static void collect_node(bp_node_batch *s, const bp_box *bounds, bp_node_range own) {
    s->bounds[s->node_count] = *bounds;
    s->own[s->node_count++] = own;
}

// ---- nodes that are too large to be collected -----------------------------------------------------------------------

static void sweep_inside(bp_node_batch *s, bp_node_range own) {
    for (uint32_t i = own.begin; i < own.end; ++i) {
        bp_sweeper_push_range(s->sweeper, i, i + 1, own.end);
    }
    bp_sweeper_flush(s->sweeper);
}

// The boxes of a node against those that have passed.
static void sweep_passed(bp_node_batch *s, bp_node_range own, size_t passed_count) {
    const bp_columns local = columns_of(&s->local);
    for (uint32_t begin = own.begin; passed_count > 0 && begin < own.end; begin += HALF) {
        const uint32_t end = own.end - begin < HALF ? own.end : begin + HALF;
        const size_t own_count = list_range(&local, 0, begin, end), count = own_count + passed_count;
        for (size_t i = 0; i < passed_count; ++i) {
            local.id[own_count + i] = s->passed[i].b;
        }
        for (size_t i = 0; i < own_count; ++i) {
            s->pair_items[i] =
                (bp_sweep_item){.object = (uint32_t)i, .begin = (uint32_t)own_count, .end = (uint32_t)count};
        }
        copy_boxes(s, &local, count);
        sweep_into_sink(s->sweeper, &local, &local, s->pair_items, own_count);
    }
}

static void sweep_large(bp_node_batch *s, const bp_box *bounds, bp_node_range own, const bp_node_range *others,
                        size_t other_count) {
    sweep_inside(s, own);
    collect_node(s, bounds, own);
    size_t bound = 0;
    for (size_t i = 0; i < other_count; ++i) {
        for (uint32_t begin = others[i].begin, end; begin < others[i].end; begin = end) {
            end = others[i].end - begin < HALF ? others[i].end : begin + HALF;
            if (bound + (end - begin) > HALF || s->item_count == BP_NODE_RANGES) {
                sweep_passed(s, own, filter(s));
                bound = 0;
            }
            s->items[s->item_count++] = (bp_sweep_item){.object = 0, .begin = begin, .end = end};
            bound += end - begin;
        }
    }
    sweep_passed(s, own, filter(s));
    s->node_count = 0;
}

void bp_node_batch_add(bp_node_batch *batch, const bp_box *bounds, bp_node_range own, const bp_node_range *others,
                       size_t other_count) {
    size_t bound = own.end - own.begin;
    for (size_t i = 0; i < other_count; ++i) {
        bound += others[i].end - others[i].begin;
    }
    const bool large = bound > BP_NODE_LOCAL || other_count > BP_NODE_RANGES;
    if (large || batch->local_bound + bound > BP_NODE_LOCAL || batch->item_count + other_count > BP_NODE_RANGES ||
        batch->node_count == BP_NODE_BATCH) {
        flush(batch);
    }
    if (large) {
        sweep_large(batch, bounds, own, others, other_count);
        return;
    }
    for (size_t i = 0; i < other_count; ++i) {
        batch->items[batch->item_count++] =
            (bp_sweep_item){.object = (uint32_t)batch->node_count, .begin = others[i].begin, .end = others[i].end};
    }
    collect_node(batch, bounds, own);
    batch->local_bound += bound;
}

void bp_node_batch_end(bp_node_batch *batch) {
    flush(batch);
}

// ---- boxes from outside ---------------------------------------------------------------------------------------------

// A few boxes that walk down together, in columns with two kinds of ids.
typedef struct walk {
    const bp_node_boxes *boxes;
    const bp_node_search *search;
    bp_sweeper *sweeper;
    bp_columns by_index; // among the few
    bp_columns by_id;
    float values[6][ASKED];
    uint32_t indices[ASKED], ids[ASKED];
    bp_pair pending[PENDING]; // steps: (box, node)
} walk;

// A step: the children of a node to be looked at, its own boxes to be tested.
static size_t take_step(const walk *w, bp_pair step, bp_sweep_item *child_item) {
    const bp_node *node = &w->search->nodes[step.b];
    bp_sweeper_push_range(w->sweeper, step.a, node->begin, node->end);
    *child_item =
        (bp_sweep_item){.object = step.a, .begin = node->first_child, .end = node->first_child + w->search->children};
    return node->first_child != BP_NODE_NONE;
}

// Takes the last of the pending steps and returns how many there are then.
static size_t take_steps(walk *w, size_t pending) {
    bp_sweep_item child_items[WALK];
    const size_t left = pending < WALK ? 0 : pending - WALK;
    size_t item_count = 0, done = 0;
    for (size_t i = left; i < pending; ++i) {
        item_count += take_step(w, w->pending[i], &child_items[item_count]);
    }
    const bp_sweep_job job = {.objects = &w->by_index,
                              .candidates = w->search->bounds,
                              .items = child_items,
                              .item_count = item_count,
                              .out = w->pending + left,
                              .room = PENDING - left};
    const size_t found = w->boxes->kernels->sweep(&job, &done);
    assert(done == item_count);
    return left + found;
}

// Lists a few boxes from `begin` on, all at the root.
static void list_walkers(walk *w, size_t begin, size_t count) {
    for (int axis = 0; axis < 3; ++axis) {
        w->by_index.min[axis] = w->values[axis];
        w->by_index.max[axis] = w->values[axis + 3];
    }
    w->by_id = w->by_index;
    w->by_index.id = w->indices;
    w->by_id.id = w->ids;
    for (size_t i = 0; i < count; ++i) {
        const bp_box box = bp_box_flatten(w->search->asked[begin + i], w->boxes->config->dimensions);
        set_column(&w->by_index, i, &box, (uint32_t)i);
        w->ids[i] = (uint32_t)(begin + i);
        w->pending[i] = (bp_pair){.a = (uint32_t)i, .b = 0};
    }
}

typedef struct search_context {
    const bp_node_boxes *boxes;
    const bp_node_search *search;
} search_context;

static void search_unit(const void *context, bp_sweeper *sweeper, size_t unit) {
    const search_context *c = context;
    const size_t begin = unit * ASKED, left = c->search->asked_count - begin;
    const size_t count = left < ASKED ? left : ASKED;
    walk w; // large: only what is needed is filled in
    w.boxes = c->boxes;
    w.search = c->search;
    w.sweeper = sweeper;
    list_walkers(&w, begin, count);
    sweeper->objects = &w.by_id;
    for (size_t pending = count; pending > 0 && !sweeper->failed;) {
        pending = take_steps(&w, pending);
    }
    for (uint32_t i = 0; i < count; ++i) {
        bp_sweeper_push_range(sweeper, i, c->search->loose_begin, (uint32_t)c->boxes->count);
    }
    bp_sweeper_flush(sweeper);
    sweeper->objects = NULL;
}

bp_status bp_node_search_run(bp_node_boxes *boxes, const bp_node_search *search, bp_sink *sink) {
    const search_context context = {.boxes = boxes, .search = search};
    const bp_sweep_plan plan = {.config = boxes->config,
                                .objects = NULL, // each unit has its own
                                .candidates = &boxes->columns,
                                .unit_count = (search->asked_count + ASKED - 1) / ASKED,
                                .unit = search_unit,
                                .context = &context};
    return bp_sweep_pool_run(&boxes->pool, &plan, sink);
}
