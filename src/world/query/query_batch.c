#include "world/query/query_batch.h"

#include "base/morton.h"
#include "base/parallel.h"
#include "base/radix_sort.h"
#include "world/query/query_cache.h"
#include "world/query/shortlist.h"

enum {
    BLOCK_LEAST = 64,    // questions to be answered,
    KEYS_LEAST = 2048,   // and to be put in order, that are worth a task
    UNINDEXED_MOST = 64, // objects that are in no grid
    CELL_BITS_MOST = 10, // per axis
    INSERTION_MOVES = 8, // per item
    INDEX_BITS = 32
};

typedef struct batch_run {
    const bp_batch *batch;
    const bp_allocator *allocator;
    const bp_executor *executor;
    bp_blocks blocks;
    bp_item_list *lists;   // of the blocks
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

static void reverse_items(bp_ray_hit *items, size_t count) {
    for (size_t i = 0; i < count / 2; ++i) {
        const bp_ray_hit swapped = items[i];
        items[i] = items[count - 1 - i];
        items[count - 1 - i] = swapped;
    }
}

// Sorts items that are nearly in order by insertion. False if that takes too long; then they are still all there.
static bool insert_items(bp_ray_hit *items, size_t count) {
    size_t moves = 0;
    for (size_t i = 1; i < count && moves < count * INSERTION_MOVES; ++i) {
        const bp_ray_hit item = items[i];
        const uint64_t key = bp_ranked_key(item.id, item.t);
        size_t at = i;
        for (; at > 0 && bp_ranked_key(items[at - 1].id, items[at - 1].t) > key; --at) {
            items[at] = items[at - 1];
        }
        items[at] = item;
        moves += i - at;
    }
    return moves < count * INSERTION_MOVES;
}

// Hits come nearly in the order of a line, or against it.
void bp_item_list_sort(const bp_item_list *list, size_t begin) {
    const size_t count = list->count - begin;
    if (count < 2) {
        return;
    }
    bp_ray_hit *items = (bp_ray_hit *)list->buffer.data + begin;
    if (items[0].t > items[count - 1].t) {
        reverse_items(items, count);
    }
    if (!insert_items(items, count)) {
        bp_shortlist rest = bp_shortlist_of_hits(items, count);
        rest.kept = count;
        bp_shortlist_sort(&rest);
    }
}

bool bp_query_suits_many(const bp_query *query) {
    return !bp_is_periodic(&query->world->setup.overlap) && bp_unindexed_count(&query->unindexed) <= UNINDEXED_MOST;
}

// ---- order ----------------------------------------------------------------------------------------------------------

// Cells of the space that the grids of the world cover, about as many as there are questions.
typedef struct place_cells {
    uint32_t bits; // per axis
    double low[3], inverse[3];
} place_cells;

static place_cells cover_levels(const bp_batch *batch) {
    place_cells cells = {.bits = 1};
    double low[3], high[3];
    while (cells.bits < CELL_BITS_MOST && batch->count >> (3 * cells.bits) > 0) {
        ++cells.bits;
    }
    const bp_query *query = batch->query;
    if (query->source_count > 0 && bp_sorted_grid_bounds(query->sources[0].grid, low, high)) {
        for (int axis = 0; axis < 3; ++axis) {
            const double extent = high[axis] - low[axis];
            cells.low[axis] = low[axis];
            cells.inverse[axis] = extent > 0.0 ? (double)(1u << cells.bits) / extent : 0.0;
        }
    }
    return cells;
}

static uint64_t key_of_place(const place_cells *cells, const double centre[3]) {
    const double last = (double)((1u << cells->bits) - 1);
    uint64_t key = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const double cell = (centre[axis] - cells->low[axis]) * cells->inverse[axis];
        const double within = cell > 0.0 ? cell : 0.0; // also where it is NaN
        key |= bp_spread_by_three((uint64_t)(within < last ? within : last)) << axis;
    }
    return key;
}

typedef struct ordering {
    const bp_batch *batch;
    place_cells cells;
    bp_blocks blocks; // of questions
    uint64_t *keys;
} ordering;

static void task_write_keys(void *context, size_t block) {
    const ordering *o = context;
    const size_t end = bp_block_begin(o->blocks, block + 1);
    for (size_t i = bp_block_begin(o->blocks, block); i < end; ++i) {
        double centre[3];
        o->batch->place(o->batch->questions, i, centre);
        o->keys[i] = key_of_place(&o->cells, centre) << INDEX_BITS | i;
    }
}

const uint64_t *bp_batch_order(const bp_batch *batch, bp_buffer *buffer, const bp_executor *executor) {
    const bp_allocator *allocator = bp_world_allocator(batch->query->world);
    const size_t room = bp_size_add(bp_size_multiply(batch->count, 2), 1); // not NULL without any questions
    if (!bp_buffer_reserve(buffer, allocator, 0, room, sizeof(uint64_t))) {
        return NULL;
    }
    ordering o = {.batch = batch,
                  .cells = cover_levels(batch),
                  .blocks = bp_blocks_cut(executor, batch->count, KEYS_LEAST, SIZE_MAX),
                  .keys = buffer->data};
    bp_parallel_for(executor, o.blocks.count, task_write_keys, &o);
    return bp_sort_keys(o.keys, o.keys + batch->count, batch->count, INDEX_BITS, INDEX_BITS + 3 * o.cells.bits);
}

static size_t question_at(const batch_run *run, size_t position) {
    return bp_batch_question(run->order, position);
}

// ---- rows -----------------------------------------------------------------------------------------------------------

static void answer_one(const batch_run *run, size_t position, bp_item_list *items) {
    const size_t index = question_at(run, position), before = items->count;
    run->batch->answer(run->batch, index, items);
    run->counts[index] = items->count - before;
}

static void answer_group(const batch_run *run, size_t begin, size_t end, bp_item_list *items) {
    size_t counts[BP_BATCH_GROUP] = {0};
    run->batch->answer_group(run->batch, run->order + begin, end - begin, items, counts);
    for (size_t i = begin; i < end; ++i) {
        run->counts[question_at(run, i)] = counts[i - begin];
    }
}

static void task_answer(void *context, size_t block) {
    const batch_run *run = context;
    bp_item_list *items = &run->lists[block];
    const size_t end = bp_block_begin(run->blocks, block + 1);
    const size_t step = run->batch->answer_group != NULL ? BP_BATCH_GROUP : 1;
    for (size_t i = bp_block_begin(run->blocks, block); i < end && !items->failed; i += step) {
        if (run->batch->answer_group == NULL) {
            answer_one(run, i, items);
        } else {
            answer_group(run, i, end - i < step ? end : i + step, items);
        }
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

static bp_status answer_in_order(batch_run *run, bp_batch_memory *memory) {
    run->order = bp_batch_order(run->batch, &memory->order, run->executor);
    if (run->order == NULL ||
        !bp_buffer_reserve(&memory->counts, run->allocator, 0, run->batch->count, sizeof(size_t))) {
        return BP_ERROR_MEMORY;
    }
    run->counts = memory->counts.data;
    run->lists = memory->lists;
    run->blocks = bp_blocks_cut(run->executor, run->batch->count, BLOCK_LEAST, BP_BATCH_BLOCKS);
    for (size_t block = 0; block < run->blocks.count; ++block) {
        run->lists[block].count = 0;
        run->lists[block].failed = false;
    }
    bp_parallel_for(run->executor, run->blocks.count, task_answer, run);
    return make_rows(run);
}

bp_status bp_batch_run(const bp_batch *batch, bp_answers *answers) {
    bp_batch_memory own = {.pairs = {0}};
    bp_batch_loan loan = bp_query_cache_borrow(batch->query->world, &own);
    batch_run run = {.batch = batch, .allocator = bp_world_allocator(batch->query->world), .answers = answers};
    run.executor = loan.executor;
    const bp_status status = answer_in_order(&run, loan.memory);
    bp_query_cache_return(batch->query->world, &loan);
    return status;
}

void bp_batch_memory_free(bp_batch_memory *memory, const bp_allocator *allocator) {
    bp_buffer_free(&memory->order, allocator);
    bp_buffer_free(&memory->counts, allocator);
    bp_buffer_free(&memory->columns, allocator);
    bp_block_sinks_free(&memory->sinks, allocator);
    bp_pairs_release(&memory->pairs, allocator);
    for (size_t block = 0; block < BP_BATCH_BLOCKS; ++block) {
        bp_buffer_free(&memory->lists[block].buffer, allocator);
        bp_buffer_free(&memory->lists[block].scratch, allocator);
    }
}
