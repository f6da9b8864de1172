#include "kernels/between_search.h"

typedef struct chunked_search {
    const bp_between_search *search;
    size_t count;
} chunked_search;

static void test_chunk(const void *context, bp_range_tester *tester, size_t chunk) {
    const chunked_search *c = context;
    const size_t begin = chunk * BP_CHUNK, end = c->count - begin < BP_CHUNK ? c->count : begin + BP_CHUNK;
    c->search->test_boxes(c->search->context, tester, begin, end);
}

bp_status bp_between_search_run(const bp_between_search *search, bp_other_set *other, const bp_box *boxes, size_t count,
                                bp_block_sinks *sinks, bp_sink *sink) {
    if (!bp_columns_reserve(&other->columns, &other->buffer, &search->runtime->allocator, count)) {
        return BP_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        other->columns.id[i] = (uint32_t)i;
    }
    bp_columns_fill(&other->columns, search->kernels, search->dimensions, 0, count, boxes);
    const chunked_search chunked = {.search = search, .count = count};
    const bp_range_search range_search = {.runtime = search->runtime,
                                          .kernels = search->kernels,
                                          .objects = &other->columns,
                                          .candidates = search->candidates,
                                          .pair_ids = BP_IDS_BY_ROLE,
                                          .unit_count = (count + BP_CHUNK - 1) / BP_CHUNK,
                                          .unit = test_chunk,
                                          .context = &chunked};
    return bp_range_search_run(&range_search, sinks, sink);
}
