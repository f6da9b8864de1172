#include "engine/all_pairs.h"

enum { BOXES_PER_UNIT = 64 };

void bp_all_pairs_free(bp_all_pairs *all) {
    bp_buffer_free(&all->buffer, &all->setup->runtime.allocator);
    bp_block_sinks_free(&all->sinks, &all->setup->runtime.allocator);
}

bp_status bp_all_pairs_build(bp_all_pairs *all, const bp_box *boxes, size_t count) {
    const bp_method_setup *setup = all->setup;
    all->count = count;
    if (!bp_columns_reserve(&all->columns, &all->buffer, &setup->runtime.allocator, count)) {
        return BP_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        all->columns.id[i] = (uint32_t)i;
    }
    bp_columns_fill(&all->columns, setup->kernels, setup->dimensions, 0, count, boxes);
    return BP_OK;
}

static void test_unit(const void *context, bp_range_tester *tester, size_t unit) {
    const bp_all_pairs *all = context;
    const size_t end = (unit + 1) * BOXES_PER_UNIT < all->count ? (unit + 1) * BOXES_PER_UNIT : all->count;
    for (size_t i = unit * BOXES_PER_UNIT; i < end && !tester->failed; ++i) {
        bp_range_tester_add_long(tester, i, (uint32_t)i + 1, (uint32_t)all->count);
    }
}

bp_status bp_all_pairs_find(bp_all_pairs *all, bp_sink *sink) {
    const bp_range_search search = {.runtime = &all->setup->runtime,
                                    .kernels = all->setup->kernels,
                                    .objects = &all->columns,
                                    .candidates = &all->columns,
                                    .pair_ids = BP_IDS_ASCENDING,
                                    .unit_count = (all->count + BOXES_PER_UNIT - 1) / BOXES_PER_UNIT,
                                    .unit = test_unit,
                                    .context = all};
    return bp_range_search_run(&search, &all->sinks, sink);
}

// ---- two sets -------------------------------------------------------------------------------------------------------

// Few boxes, in columns, against those of the other set, which pass through columns a chunk at a time.
typedef struct few_search {
    const bp_method_setup *setup;
    size_t few_count;
    const bp_box *many;
    size_t many_count;
} few_search;

static void test_chunk(const void *context, bp_range_tester *t, size_t chunk) {
    const few_search *f = context;
    const size_t begin = chunk * BP_CHUNK, left = f->many_count - begin, count = left < BP_CHUNK ? left : BP_CHUNK;
    float memory[7 * (BP_CHUNK + BP_COLUMN_PADDING)];
    bp_columns columns;
    bp_columns_place(&columns, memory, BP_CHUNK + BP_COLUMN_PADDING);
    for (size_t i = 0; i < count; ++i) {
        columns.id[i] = (uint32_t)(begin + i);
    }
    bp_columns_fill(&columns, f->setup->kernels, f->setup->dimensions, 0, count, f->many);
    // cppcheck-suppress autoVariables; until the flush below
    t->candidates = &columns;
    for (size_t i = 0; i < f->few_count; ++i) {
        bp_range_tester_reserve(t, 1);
        bp_range_tester_add(t, i, 0, (uint32_t)count);
    }
    bp_range_tester_flush(t);
}

bp_status bp_all_pairs_find_between(bp_all_pairs *all, const bp_box *a, size_t a_count, const bp_box *b, size_t b_count,
                                    bp_sink *sink) {
    const bp_method_setup *setup = all->setup;
    const bool a_is_few = a_count <= b_count;
    const few_search f = {setup, a_is_few ? a_count : b_count, a_is_few ? b : a, a_is_few ? b_count : a_count};
    const bp_status status = bp_all_pairs_build(all, a_is_few ? a : b, f.few_count);
    if (status != BP_OK) {
        return status;
    }
    const bp_range_search search = {.runtime = &setup->runtime,
                                    .kernels = setup->kernels,
                                    .objects = &all->columns,
                                    .pair_ids = a_is_few ? BP_IDS_BY_ROLE : BP_IDS_BY_ROLE_SWAPPED,
                                    .unit_count = (f.many_count + BP_CHUNK - 1) / BP_CHUNK,
                                    .unit = test_chunk,
                                    .context = &f};
    return bp_range_search_run(&search, &all->sinks, sink);
}

void bp_all_pairs_stats(const bp_all_pairs *all, bp_stats *stats) {
    stats->update = BP_UPDATE_REBUILD;
    stats->bytes = all->buffer.bytes + bp_block_sinks_bytes(&all->sinks);
}
