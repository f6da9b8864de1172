#include "world/query/query_batch.h"

#include "base/morton.h"
#include "base/parallel.h"
#include "base/radix_sort.h"
#include "world/query/query_cache.h"

enum {
    BLOCK_LEAST = 64, // questions
    BLOCKS_MOST = 256,
    CELL_BITS = 10, // of a place, per axis
    KEY_BITS = 3 * CELL_BITS,
    INDEX_BITS = 32
};

typedef struct batch_run {
    const bp_batch *batch;
    const bp_allocator *allocator;
    const bp_executor *executor;
    bp_blocks blocks;
    bp_item_list lists[BLOCKS_MOST];
    bp_buffer key_buffer, count_buffer;
    const uint64_t *order; // the index of a question in the low bits
    size_t *counts;        // of items, by question
    bp_answers *answers;
} batch_run;

bp_ray_hit *bp_item_list_reserve(bp_item_list *items, const bp_allocator *allocator, size_t more) {
    const size_t kept = items->count * sizeof(bp_ray_hit);
    const size_t wanted = bp_size_add(items->count, more);
    if (!bp_buffer_reserve_slack(&items->buffer, allocator, kept, wanted, sizeof(bp_ray_hit))) {
        items->failed = true;
        return NULL;
    }
    return (bp_ray_hit *)items->buffer.data + items->count;
}

// ---- order ----------------------------------------------------------------------------------------------------------

typedef struct place_bounds {
    double low[3], scale[3];
} place_bounds;

static double within_floats(double coordinate) {
    return fmin(fmax(coordinate, -1e30), 1e30);
}

static place_bounds find_bounds(const bp_batch *batch) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    place_bounds bounds;
    for (size_t i = 0; i < batch->count; ++i) {
        double centre[3];
        batch->place(batch->questions, i, centre);
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = fmin(low[axis], within_floats(centre[axis]));
            high[axis] = fmax(high[axis], within_floats(centre[axis]));
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        const double extent = high[axis] - low[axis];
        bounds.low[axis] = low[axis];
        bounds.scale[axis] = extent > 0.0 ? ((1 << CELL_BITS) - 1) / extent : 0.0;
    }
    return bounds;
}

static uint64_t key_of_place(const place_bounds *bounds, const double centre[3]) {
    uint64_t key = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const double cell = (within_floats(centre[axis]) - bounds->low[axis]) * bounds->scale[axis];
        key |= bp_spread_by_three((uint64_t)fmin(fmax(cell, 0.0), (1 << CELL_BITS) - 1)) << axis;
    }
    return key;
}

static bool order_questions(batch_run *run) {
    const bp_batch *batch = run->batch;
    if (!bp_buffer_reserve(&run->key_buffer, run->allocator, 0, bp_size_multiply(batch->count, 2), sizeof(uint64_t))) {
        return false;
    }
    uint64_t *keys = run->key_buffer.data;
    const place_bounds bounds = find_bounds(batch);
    for (size_t i = 0; i < batch->count; ++i) {
        double centre[3];
        batch->place(batch->questions, i, centre);
        keys[i] = key_of_place(&bounds, centre) << INDEX_BITS | i;
    }
    run->order = bp_sort_keys(keys, keys + batch->count, batch->count, INDEX_BITS, INDEX_BITS + KEY_BITS);
    return true;
}

static size_t question_at(const batch_run *run, size_t position) {
    return (size_t)(run->order[position] & UINT32_MAX);
}

// ---- rows -----------------------------------------------------------------------------------------------------------

static void task_answer(void *context, size_t block) {
    batch_run *run = context;
    bp_item_list *items = &run->lists[block];
    const size_t end = bp_block_begin(run->blocks, block + 1);
    for (size_t i = bp_block_begin(run->blocks, block); i < end && !items->failed; ++i) {
        const size_t index = question_at(run, i), before = items->count;
        run->batch->answer(run->batch, index, items);
        run->counts[index] = items->count - before;
    }
}

static void task_copy(void *context, size_t block) {
    const batch_run *run = context;
    const bp_ray_hit *from = run->lists[block].buffer.data;
    const size_t end = bp_block_begin(run->blocks, block + 1);
    for (size_t i = bp_block_begin(run->blocks, block); i < end; ++i) {
        const size_t index = question_at(run, i), row = run->answers->offsets[index];
        for (size_t k = 0; k < run->counts[index]; ++k) {
            run->answers->ids[row + k] = from->id;
            if (run->batch->has_values) {
                run->answers->values[row + k] = from->t;
            }
            ++from;
        }
    }
}

// ---- answers --------------------------------------------------------------------------------------------------------

static void free_arrays(bp_answers *answers, const bp_allocator *allocator) {
    bp_buffer offsets = {.data = answers->offsets, .bytes = answers->offset_capacity * sizeof *answers->offsets};
    bp_buffer ids = {.data = answers->ids, .bytes = answers->id_capacity * sizeof *answers->ids};
    bp_buffer values = {.data = answers->values, .bytes = answers->value_capacity * sizeof *answers->values};
    bp_buffer_free(&offsets, allocator);
    bp_buffer_free(&ids, allocator);
    bp_buffer_free(&values, allocator);
}

void bp_answers_free(bp_answers *answers, const bp_config *config) {
    if (answers != NULL) {
        const bp_allocator allocator = bp_config_allocator(config);
        free_arrays(answers, &allocator);
        *answers = (bp_answers){0};
    }
}

// An array that is too small gets another one, into *data and *capacity; else it stays what it is.
static bool obtain_array(const bp_allocator *allocator, size_t needed, size_t size, void **data, size_t *capacity) {
    bp_buffer buffer = {0};
    const size_t slack = bp_size_add(needed, needed / 4);
    if (needed <= *capacity) {
        return true;
    }
    if (!bp_buffer_reserve(&buffer, allocator, 0, slack, size)) {
        return false;
    }
    *data = buffer.data;
    *capacity = slack;
    return true;
}

// Makes room for rows. If memory is short, the answers are as before.
static bool reserve_answers(batch_run *run, size_t item_count) {
    const bp_allocator *allocator = run->allocator;
    const bp_answers old = *run->answers;
    bp_answers grown = old, released = {0};
    void *offsets = old.offsets, *ids = old.ids, *values = old.values;
    const bool granted =
        obtain_array(allocator, run->batch->count + 1, sizeof *grown.offsets, &offsets, &grown.offset_capacity) &&
        obtain_array(allocator, item_count, sizeof *grown.ids, &ids, &grown.id_capacity) &&
        obtain_array(allocator, run->batch->has_values ? item_count : 0, sizeof *grown.values, &values,
                     &grown.value_capacity);
    grown.offsets = offsets;
    grown.ids = ids;
    grown.values = values;
    const bp_answers *lost = granted ? &old : &grown, *kept = granted ? &grown : &old;
    if (lost->offsets != kept->offsets) {
        released.offsets = lost->offsets;
        released.offset_capacity = lost->offset_capacity;
    }
    if (lost->ids != kept->ids) {
        released.ids = lost->ids;
        released.id_capacity = lost->id_capacity;
    }
    if (lost->values != kept->values) {
        released.values = lost->values;
        released.value_capacity = lost->value_capacity;
    }
    free_arrays(&released, allocator);
    *run->answers = *kept;
    return granted;
}

static bp_status make_rows(batch_run *run) {
    size_t item_count = 0;
    for (size_t block = 0; block < run->blocks.count; ++block) {
        if (run->lists[block].failed) {
            return BP_ERROR_MEMORY;
        }
        item_count += run->lists[block].count;
    }
    if (!reserve_answers(run, item_count)) {
        return BP_ERROR_MEMORY;
    }
    size_t sum = 0;
    for (size_t i = 0; i < run->batch->count; ++i) {
        run->answers->offsets[i] = sum;
        sum += run->counts[i];
    }
    run->answers->offsets[run->batch->count] = sum;
    run->answers->count = run->batch->count;
    bp_parallel_for(run->executor, run->blocks.count, task_copy, run);
    return BP_OK;
}

static bp_status answer_in_order(batch_run *run) {
    if (!order_questions(run) ||
        !bp_buffer_reserve(&run->count_buffer, run->allocator, 0, run->batch->count, sizeof(size_t))) {
        return BP_ERROR_MEMORY;
    }
    run->counts = run->count_buffer.data;
    run->blocks = bp_blocks_cut(run->executor, run->batch->count, BLOCK_LEAST, BLOCKS_MOST);
    bp_parallel_for(run->executor, run->blocks.count, task_answer, run);
    return make_rows(run);
}

bp_status bp_batch_run(const bp_batch *batch, bp_answers *answers) {
    const bp_world *world = batch->query->world;
    batch_run run = {.batch = batch, .allocator = bp_world_allocator(world), .answers = answers};
    run.executor = bp_query_cache_borrow_executor(world);
    const bp_status status = answer_in_order(&run);
    bp_query_cache_return_executor(world, run.executor);
    for (size_t block = 0; block < BLOCKS_MOST; ++block) {
        bp_buffer_free(&run.lists[block].buffer, run.allocator);
    }
    bp_buffer_free(&run.key_buffer, run.allocator);
    bp_buffer_free(&run.count_buffer, run.allocator);
    return status;
}
