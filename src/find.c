// The one-call functions: check, prepare, method, pairs.
#include "boxes.h"
#include "clock.h"
#include "config.h"
#include "method.h"
#include "sort.h"

enum { USUAL_PAIRS = 2 }; // per box

// Two sets, or one: then `b` is NULL.
typedef struct request {
    const bp_box *a, *b;
    size_t a_count, b_count;
    bool between;
} request;

static bp_status check(const request *r, const bp_config *config, const bp_pairs *pairs, const bp_method_ops *ops) {
    if (pairs == NULL || (pairs->data == NULL && pairs->capacity > 0)) {
        bp_log_write(config, "pairs: NULL, or a capacity without data; begin with {0}");
        return BP_ERROR_ARGUMENT;
    }
    if ((r->between && (ops->supports & BP_SUPPORTS_BETWEEN) == 0) ||
        (config->dimensions == 2 && (ops->supports & BP_SUPPORTS_2D) == 0)) {
        bp_log_write(config, "method %s does not support this; bp_method_supports() tells which do", ops->name);
        return BP_ERROR_UNSUPPORTED;
    }
    const bp_status status = bp_boxes_check(r->a, r->a_count, config);
    return status == BP_OK && r->between ? bp_boxes_check(r->b, r->b_count, config) : status;
}

// The structure is built over the second set of two, and the first is searched for in it.
static bp_status search(const request *r, const bp_method_ops *ops, void *state, bp_sink *sink, bp_stats *stats) {
    const double start = bp_clock_seconds();
    bp_status status = r->between ? ops->build(state, r->b, r->b_count) : ops->build(state, r->a, r->a_count);
    const double built = bp_clock_seconds();
    if (status == BP_OK) {
        status = r->between ? ops->find_between(state, r->a, r->a_count, sink) : ops->find(state, sink);
    }
    stats->build_seconds = built - start;
    stats->find_seconds = bp_clock_seconds() - built;
    if (status == BP_OK) {
        ops->stats(state, stats);
    }
    return status;
}

static bp_status order(const request *r, const bp_config *config, bp_pairs *pairs) {
    bp_buffer scratch = {0};
    const size_t id_count = r->a_count > r->b_count ? r->a_count : r->b_count;
    const bool sorted = bp_sort_pairs(pairs->data, pairs->count, id_count, &scratch, &config->allocator);
    bp_buffer_free(&scratch, &config->allocator);
    return sorted ? BP_OK : BP_ERROR_MEMORY;
}

static bp_status answer(const request *r, const bp_config *given, bp_pairs *pairs) {
    bp_config config;
    bp_status status = bp_config_complete(given, &config);
    if (status != BP_OK) {
        return status;
    }
    const bp_method method = bp_method_choose(&config);
    const bp_method_ops *ops = bp_method_get(method);
    status = check(r, &config, pairs, ops);
    if (status != BP_OK) {
        return status;
    }
    void *state = NULL;
    status = ops->create(&config, &state);
    if (status != BP_OK) {
        return status;
    }
    bp_stats stats = {.method = method, .update = BP_UPDATE_REBUILD, .objects = r->a_count + r->b_count};
    const bp_sieve sieve = {.filter = config.filter};
    bp_sink sink = bp_sink_open(pairs, &config);
    sink.sieve = config.filter.pass != NULL ? &sieve : NULL;
    bp_sink_expect(&sink, USUAL_PAIRS * (r->a_count + r->b_count)); // so that most calls allocate their list once
    status = search(r, ops, state, &sink, &stats);
    const bp_status kept = bp_sink_close(&sink, pairs);
    ops->destroy(state);
    status = status == BP_OK ? kept : status;
    if (status == BP_OK && config.pair_order == BP_ORDER_SORTED) {
        status = order(r, &config, pairs);
    }
    stats.pairs = pairs->count;
    stats.tests = sink.tests;
    if (config.stats != NULL && (status == BP_OK || status == BP_ERROR_CAPACITY)) {
        *config.stats = stats;
    }
    return status;
}

bp_status bp_find_pairs(const bp_box *boxes, size_t count, const bp_config *config, bp_pairs *pairs) {
    const request r = {.a = boxes, .a_count = count};
    return answer(&r, config, pairs);
}

bp_status bp_find_pairs_between(const bp_box *a, size_t a_count, const bp_box *b, size_t b_count,
                                const bp_config *config, bp_pairs *pairs) {
    const request r = {.a = a, .a_count = a_count, .b = b, .b_count = b_count, .between = true};
    return answer(&r, config, pairs);
}
