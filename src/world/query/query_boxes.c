// Many boxes at once: the pairs of two sets, as rows.
//
//     questions, by place ---> columns ---> the grids of the world ---> (question, object) ---> rows, sorted
//
// A search for many boxes lists ranges of candidates for dozens of them and tests all of these in one loop, where a query
// does so for each box by itself; and rows are sorted eight at a time. Objects outside the grids are few here, and are
// tested against all questions.
//
// It does not suit periodic worlds, where a box is searched in several places, and worlds in which no grid has been built:
// there each question is a query of its own.
#include "world/query/query_boxes.h"

#include "base/parallel.h"
#include "kernels/neighbor_rows.h"
#include "world/query/query_cache.h"

enum { FILL_LEAST = 2048 }; // questions that are worth a task

typedef struct boxes_search {
    const bp_batch *batch;
    const bp_runtime *runtime; // with the executor of this call
    bp_batch_memory *memory;
    bp_columns columns;
    bp_pairs *pairs; // (question, object)
} boxes_search;

static const bp_box *question_of(const bp_batch *batch, size_t index) {
    return (const bp_box *)batch->questions + index;
}

typedef struct filling {
    const bp_batch *batch;
    const uint64_t *order;
    const bp_columns *columns;
    bp_blocks blocks;
} filling;

static void task_fill(void *context, size_t block) {
    const filling *f = context;
    const uint32_t dimensions = f->batch->query->world->setup.overlap.dimensions;
    const size_t end = bp_block_begin(f->blocks, block + 1);
    for (size_t i = bp_block_begin(f->blocks, block); i < end; ++i) {
        const size_t index = bp_batch_question(f->order, i);
        const bp_box box = bp_box_flatten(*question_of(f->batch, index), dimensions);
        bp_columns_put(f->columns, i, &box, (uint32_t)index);
    }
}

static bool order_columns(boxes_search *s) {
    const bp_batch *batch = s->batch;
    const uint64_t *order = bp_batch_order(batch, &s->memory->order, &s->runtime->executor);
    if (order == NULL || !bp_columns_reserve(&s->columns, &s->memory->columns, &s->runtime->allocator, batch->count)) {
        return false;
    }
    filling f = {.batch = batch, .order = order, .columns = &s->columns};
    f.blocks = bp_blocks_cut(&s->runtime->executor, batch->count, FILL_LEAST, SIZE_MAX);
    bp_parallel_for(&s->runtime->executor, f.blocks.count, task_fill, &f);
    return true;
}

// ---- objects in grids -----------------------------------------------------------------------------------------------

typedef struct source_filter {
    const bp_batch *batch;
    const bp_query_source *source;
} source_filter;

static bool is_answer(const bp_batch *batch, size_t question, bp_id id) {
    const bp_box_double asked = bp_box_to_double(question_of(batch, question));
    const bp_box_double box = bp_query_input_box(batch->query, &(bp_found){.id = id});
    return bp_boxes_overlap_by_rule(&asked, &box, &batch->query->world->setup.overlap);
}

// Keeps the pairs whose objects count, by their ids.
static size_t keep_answers(const void *context, bp_pair *pairs, size_t count) {
    const source_filter *f = context;
    const bp_query_source *source = f->source;
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        const bp_pair pair = {.a = pairs[i].a, .b = source->ids != NULL ? source->ids[pairs[i].b] : pairs[i].b};
        const bool stale = source->stale != NULL && source->stale[pair.b] != 0;
        pairs[kept] = pair;
        kept +=
            !stale && bp_query_sees(f->batch->query, pair.b) && (source->exact || is_answer(f->batch, pair.a, pair.b));
    }
    return kept;
}

static bp_status search_source(boxes_search *s, const bp_query_source *source) {
    const source_filter filter = {.batch = s->batch, .source = source};
    bp_sink_rules rules = {.limit = BP_SINK_UNLIMITED, .filter = {.keep = keep_answers, .context = &filter}};
    if (source->exact && source->ids == NULL && source->stale == NULL && s->batch->query->object == NULL) {
        rules.filter = (bp_batch_filter){0};
    }
    const size_t before = s->pairs->count;
    bp_pairs found = {0};
    bp_sink sink = bp_sink_open(before == 0 ? s->pairs : &found, &s->runtime->allocator, rules);
    const bp_status status =
        bp_sorted_grid_find_columns(source->grid, &s->columns, s->batch->count, s->runtime, &s->memory->sinks, &sink);
    (void)bp_sink_close(&sink, before == 0 ? s->pairs : &found);
    bool granted = status == BP_OK && bp_pairs_reserve(s->pairs, &s->runtime->allocator, before + found.count);
    for (size_t i = 0; i < found.count && granted; ++i) {
        s->pairs->data[s->pairs->count++] = found.data[i];
    }
    bp_pairs_release(&found, &s->runtime->allocator);
    return status == BP_OK && !granted ? BP_ERROR_MEMORY : status;
}

// ---- objects outside ------------------------------------------------------------------------------------------------

static bp_status search_unindexed(boxes_search *s) {
    const bp_query *query = s->batch->query;
    bool granted = true;
    for (size_t i = 0; i < bp_unindexed_count(&query->unindexed); ++i) {
        const bp_id id = bp_unindexed_at(&query->unindexed, query->world, i);
        const bool seen = id != BP_NO_ID && bp_query_sees(query, id);
        for (size_t question = 0; seen && granted && question < s->batch->count; ++question) {
            granted = !is_answer(s->batch, question, id) ||
                      bp_pairs_push(s->pairs, &s->runtime->allocator, (bp_pair){.a = (uint32_t)question, .b = id});
        }
    }
    return granted ? BP_OK : BP_ERROR_MEMORY;
}

// ---- all together ---------------------------------------------------------------------------------------------------

static bp_status make_rows(boxes_search *s, bp_answers *answers) {
    bp_neighbors rows = {.offsets = answers->offsets,
                         .indices = answers->ids,
                         .offset_capacity = answers->offset_capacity,
                         .index_capacity = answers->id_capacity};
    const bp_kernels *kernels = s->batch->query->world->setup.methods.kernels;
    const bp_status status =
        bp_neighbor_rows_make(&rows, s->batch->count, s->pairs->data, s->pairs->count, false, kernels, s->runtime);
    if (status == BP_OK) {
        answers->offsets = rows.offsets;
        answers->ids = rows.indices;
        answers->offset_capacity = rows.offset_capacity;
        answers->id_capacity = rows.index_capacity;
        answers->count = s->batch->count;
    }
    return status;
}

static bp_status find_answers(boxes_search *s) {
    const bp_query *query = s->batch->query;
    bp_status status = order_columns(s) ? BP_OK : BP_ERROR_MEMORY;
    for (size_t i = 0; i < query->source_count && status == BP_OK; ++i) {
        status = search_source(s, &query->sources[i]);
    }
    return status == BP_OK ? search_unindexed(s) : status;
}

bp_status bp_query_boxes_together(const bp_batch *batch, bp_answers *answers) {
    const bp_world *world = batch->query->world;
    bp_batch_memory own = {.pairs = {0}};
    bp_batch_loan loan = bp_query_cache_borrow(world, &own);
    boxes_search s = {.batch = batch, .memory = loan.memory, .pairs = &loan.memory->pairs};
    loan.memory->runtime = world->setup.methods.runtime;
    loan.memory->runtime.executor = *loan.executor;
    s.runtime = &loan.memory->runtime;
    s.pairs->count = 0;
    bp_status status = find_answers(&s);
    if (status == BP_OK) {
        status = make_rows(&s, answers);
    }
    bp_query_cache_return(world, &loan);
    return status;
}
