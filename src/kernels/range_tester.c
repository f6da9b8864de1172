#include "kernels/range_tester.h"

#include "base/boxes.h"
#include "base/parallel.h"

#include <string.h>

enum {
    PIECE = 8192, // candidates of one item, at most
    BLOCKS_MAX = 512
};

// ---- items ----------------------------------------------------------------------------------------------------------

void bp_sweeper_sweep(bp_sweeper *s, const bp_sweep_item *items, size_t count) {
    for (size_t done = 0, some = 0; done < count && !s->failed; done += some) {
        bp_sweep_job job = {.objects = s->objects,
                            .candidates = s->candidates,
                            .items = items + done,
                            .item_count = count - done,
                            .ordered = s->objects == s->candidates};
        const size_t least = (size_t)(job.items[0].end - job.items[0].begin) + BP_COLUMN_PADDING;
        job.out = bp_sink_room(s->sink, least, &job.room);
        if (job.out == NULL) {
            s->failed = true;
            return;
        }
        bp_sink_commit(s->sink, job.out, s->kernels->sweep(&job, &some));
    }
}

void bp_sweeper_flush(bp_sweeper *s) {
    for (size_t i = 0; i < s->item_count; ++i) {
        s->sink->tests += s->items[i].end - s->items[i].begin;
    }
    bp_sweeper_sweep(s, s->items, s->item_count);
    s->item_count = 0;
}

void bp_sweeper_push_range(bp_sweeper *s, size_t object, uint32_t begin, uint32_t end) {
    while (begin < end) {
        const uint32_t stop = end - begin < PIECE ? end : begin + PIECE;
        bp_sweeper_make_room(s, 1);
        bp_sweeper_push(s, object, begin, stop);
        begin = stop;
    }
}

// ---- blocks of units ------------------------------------------------------------------------------------------------

typedef struct run {
    const bp_sweep_plan *plan;
    size_t block_count;
    bp_sink *sinks; // one per block, or the caller's if there is one block
    bool failed[BLOCKS_MAX];
    bp_pair *place; // where the pairs of all blocks go in the end
} run;

static size_t first_unit(const run *r, size_t block) {
    return (size_t)((unsigned long long)r->plan->unit_count * block / r->block_count);
}

static void task_block(void *context, size_t block) {
    run *r = context;
    const bp_sweep_plan *plan = r->plan;
    bp_sweeper s;
    s.kernels = bp_kernels_get(plan->config->simd);
    s.objects = plan->objects;
    s.candidates = plan->candidates;
    s.sink = &r->sinks[block];
    s.failed = false;
    s.item_count = 0;
    const size_t end = first_unit(r, block + 1);
    for (size_t unit = first_unit(r, block); unit < end && !s.failed; ++unit) {
        plan->unit(plan->context, &s, unit);
        bp_sweeper_flush(&s);
    }
    bp_sink_settle(s.sink);
    r->failed[block] = s.failed;
}

static void task_copy(void *context, size_t block) {
    const run *r = context;
    bp_pair *place = r->place;
    for (size_t i = 0; i < block; ++i) {
        place += r->sinks[i].count;
    }
    if (r->sinks[block].count > 0) {
        memcpy(place, r->sinks[block].data, r->sinks[block].count * sizeof *place);
    }
}

// One sink per block, each like the one that all pairs go to in the end.
static bool reserve_sinks(bp_sweep_pool *pool, const bp_allocator *allocator, size_t count, const bp_sink *like) {
    if (!bp_buffer_reserve(&pool->buffer, allocator, pool->count * sizeof(bp_sink), count, sizeof(bp_sink))) {
        return false;
    }
    bp_sink *sinks = pool->buffer.data;
    for (; pool->count < count; ++pool->count) {
        sinks[pool->count] = (bp_sink){0};
    }
    for (size_t i = 0; i < count; ++i) {
        const size_t last_count = sinks[i].count;
        sinks[i].allocator = allocator;
        sinks[i].count = 0;
        sinks[i].tests = 0;
        sinks[i].limit = like->limit;
        sinks[i].sieve = like->sieve;
        sinks[i].turned = like->turned;
        sinks[i].ordered = like->ordered;
        sinks[i].patience = like->patience;
        sinks[i].waiting = 0;
        bp_sink_expect(&sinks[i], last_count);
    }
    return true;
}

// The pairs of all blocks, in their order. Where the caller's buffer is short, what fits is copied and all are counted.
static bool join_blocks(run *r, bp_sink *sink) {
    size_t total = 0, room = 0;
    for (size_t i = 0; i < r->block_count; ++i) {
        total += r->sinks[i].count;
        sink->tests += r->sinks[i].tests;
    }
    const bool fits = sink->count <= sink->limit && total <= sink->limit - sink->count;
    for (size_t i = 0; i < r->block_count && !fits; ++i) {
        const bp_sink *block = &r->sinks[i];
        bp_sink_count(sink, block->data, block->count < block->capacity ? block->count : block->capacity, block->count);
    }
    if (!fits || total == 0) {
        return true;
    }
    r->place = bp_sink_room(sink, total, &room);
    if (r->place == NULL) {
        return false;
    }
    bp_parallel_for(&r->plan->config->executor, r->block_count, task_copy, r);
    bp_sink_commit_passed(sink, r->place, total);
    return true;
}

bp_status bp_sweep_pool_run(bp_sweep_pool *pool, const bp_sweep_plan *plan, bp_sink *sink) {
    const bp_executor *executor = &plan->config->executor;
    run r = {.plan = plan, .block_count = bp_parallel_blocks(executor, plan->unit_count, 1)};
    r.block_count = r.block_count < BLOCKS_MAX ? r.block_count : BLOCKS_MAX;
    if (r.block_count == 1) {
        r.sinks = sink;
    } else if (reserve_sinks(pool, &plan->config->allocator, r.block_count, sink)) {
        r.sinks = pool->buffer.data;
    } else {
        return BP_ERROR_MEMORY;
    }
    bp_parallel_for(executor, r.block_count, task_block, &r);
    for (size_t i = 0; i < r.block_count; ++i) {
        if (r.failed[i]) {
            return BP_ERROR_MEMORY;
        }
    }
    return r.block_count == 1 || join_blocks(&r, sink) ? BP_OK : BP_ERROR_MEMORY;
}

size_t bp_sweep_pool_bytes(const bp_sweep_pool *pool) {
    const bp_sink *sinks = pool->buffer.data;
    size_t bytes = pool->buffer.bytes;
    for (size_t i = 0; i < pool->count; ++i) {
        bytes += sinks[i].capacity * sizeof(bp_pair) + sinks[i].scratch.bytes;
    }
    return bytes;
}

void bp_sweep_pool_free(bp_sweep_pool *pool, const bp_allocator *allocator) {
    bp_sink *sinks = pool->buffer.data;
    for (size_t i = 0; i < pool->count; ++i) {
        bp_sink_free(&sinks[i]);
    }
    bp_buffer_free(&pool->buffer, allocator);
    pool->count = 0;
}

// ---- columns --------------------------------------------------------------------------------------------------------

bool bp_columns_reserve(bp_columns *columns, bp_buffer *buffer, const bp_allocator *allocator, size_t count) {
    const size_t needed = (count + BP_COLUMN_PADDING + 15) / 16 * 16;
    if (!bp_buffer_reserve_slack(buffer, allocator, 0, bp_size_multiply(needed, 7), sizeof(float))) {
        return false;
    }
    float *floats = buffer->data;
    for (size_t axis = 0; axis < 3; ++axis) {
        columns->min[axis] = floats + needed * axis;
        columns->max[axis] = floats + needed * (axis + 3);
    }
    columns->id = (uint32_t *)buffer->data + needed * 6;
    return true;
}

void bp_columns_fill(const bp_columns *columns, const bp_config *config, size_t begin, size_t end,
                     const bp_box *boxes) {
    bp_kernels_get(config->simd)->arrange(columns, begin, end, boxes);
    if (config->dimensions == 2) {
        memset(columns->min[2] + begin, 0, (end - begin) * sizeof(float));
        memset(columns->max[2] + begin, 0, (end - begin) * sizeof(float));
    }
}

bool bp_columns_hold(const bp_columns *columns, size_t position, const bp_box *given, uint32_t dimensions) {
    const bp_box box = bp_box_flatten(*given, dimensions);
    bool same = true;
    for (int axis = 0; axis < 3; ++axis) {
        same &= columns->min[axis][position] == box.min[axis];
        same &= columns->max[axis][position] == box.max[axis];
    }
    return same;
}
