// The one-call functions: check, prepare, method, pairs.
#include "api/config.h"
#include "base/clock.h"
#include "base/radix_sort.h"
#include "choose/choose.h"
#include "choose/explain.h"
#include "methods/method.h"
#include "view/view.h"

enum {
    USUAL_PAIRS = 2, // per box
    PATIENCE = 1024  // pairs that are confirmed together, so that their boxes can be fetched ahead
};

// Two sets, or one: then `b` is empty.
typedef struct request {
    bp_given a, b;
    bool between;
    bool wide; // 64-bit boxes
    const bp_config *given;
    // From here on: filled in while it is answered.
    bp_config config; // complete
    bp_view first, second;
} request;

static bp_status check(const request *r, const bp_pairs *pairs, const bp_method_ops *ops) {
    const bp_config *config = &r->config;
    if (pairs == NULL || (pairs->data == NULL && pairs->capacity > 0)) {
        bp_log_write(config, "pairs: NULL, or a capacity without data; begin with {0}");
        return BP_ERROR_ARGUMENT;
    }
    if ((r->between && (ops->supports & BP_SUPPORTS_BETWEEN) == 0) ||
        (config->dimensions == 2 && (ops->supports & BP_SUPPORTS_2D) == 0)) {
        bp_log_write(config, "method %s does not support this; bp_method_supports() tells which do", ops->name);
        return BP_ERROR_UNSUPPORTED;
    }
    const bp_status status = bp_given_check(r->a, r->wide, config);
    return status == BP_OK && r->between ? bp_given_check(r->b, r->wide, config) : status;
}

// The structure is built over the second set of two, and the first is searched for in it.
static bp_status search(const request *r, const bp_method_ops *ops, void *state, bp_sink *sink, bp_stats *stats) {
    const double start = bp_clock_seconds();
    const bp_view *built_over = r->between ? &r->second : &r->first;
    bp_status status = ops->build(state, built_over->boxes, built_over->count);
    const double built = bp_clock_seconds();
    if (status == BP_OK) {
        status = r->between ? ops->find_between(state, r->first.boxes, r->first.count, sink) : ops->find(state, sink);
    }
    stats->build_seconds += built - start;
    stats->find_seconds = bp_clock_seconds() - built;
    if (status == BP_OK) {
        ops->stats(state, stats);
        stats->bytes += bp_view_bytes(&r->first) + bp_view_bytes(&r->second);
    }
    return status;
}

static bp_status order(const request *r, bp_pairs *pairs) {
    bp_buffer scratch = {0};
    const size_t id_count = r->a.count > r->b.count ? r->a.count : r->b.count;
    const bool sorted = bp_sort_pairs(pairs->data, pairs->count, id_count, &scratch, &r->config.allocator);
    bp_buffer_free(&scratch, &r->config.allocator);
    return sorted ? BP_OK : BP_ERROR_MEMORY;
}

static bp_status collect(const request *r, const bp_method_ops *ops, void *state, bp_pairs *pairs, bp_stats *stats) {
    const bool exact = r->first.exact && (r->second.exact || !r->between);
    const bp_sieve sieve = {
        .first = exact ? NULL : &r->first, .second = r->between ? &r->second : &r->first, .filter = r->config.filter};
    bp_sink sink = bp_sink_open(pairs, &r->config);
    sink.sieve = !exact || sieve.filter.pass != NULL ? &sieve : NULL;
    sink.patience = exact ? 0 : PATIENCE;
    bp_sink_expect(&sink, USUAL_PAIRS * (r->a.count + r->b.count)); // so that most calls allocate their list once
    bp_status status = search(r, ops, state, &sink, stats);
    const bp_status kept = bp_sink_close(&sink, pairs);
    status = status == BP_OK ? kept : status;
    if (status == BP_OK && r->config.pair_order == BP_ORDER_SORTED) {
        status = order(r, pairs);
    }
    stats->pairs = pairs->count;
    stats->tests = sink.tests;
    return status;
}

static bp_status run_method(const request *r, bp_method method, bp_pairs *pairs, bp_stats *stats) {
    const bp_method_ops *ops = bp_method_get(method);
    const bp_config config = bp_view_method_config(&r->first);
    void *state = NULL;
    const bp_status status = ops->create(&config, &state);
    if (status != BP_OK) {
        return status;
    }
    const bp_status collected = collect(r, ops, state, pairs, stats);
    ops->destroy(state);
    return collected;
}

static bp_status look(request *r, bp_stats *stats) {
    const double start = bp_clock_seconds();
    bp_view_init(&r->first, &r->config);
    bp_view_init(&r->second, &r->config);
    const bp_status status =
        r->between ? bp_view_make_two(&r->first, r->a, &r->second, r->b) : bp_view_make(&r->first, r->a);
    bp_view_trim(&r->first);
    bp_view_trim(&r->second);
    stats->build_seconds = bp_clock_seconds() - start;
    return status;
}

// What is built over.
static bp_candidates candidates_of(const request *r) {
    const bp_view *view = r->between ? &r->second : &r->first;
    return (bp_candidates){.boxes = view->boxes, .count = view->count};
}

static bp_status answer(request *r, bp_pairs *pairs) {
    bp_status status = bp_config_complete(r->given, &r->config);
    if (status != BP_OK) {
        return status;
    }
    status = check(r, pairs, bp_method_get(bp_choose_first(&r->config)));
    if (status != BP_OK) {
        return status;
    }
    bp_stats stats = {.update = BP_UPDATE_REBUILD, .objects = r->a.count + r->b.count};
    status = look(r, &stats);
    if (status == BP_OK) {
        stats.method = bp_choose_once(&r->config, candidates_of(r), &stats.choice);
        status = run_method(r, stats.method, pairs, &stats);
    }
    bp_view_free(&r->first);
    bp_view_free(&r->second);
    if (r->config.stats != NULL && (status == BP_OK || status == BP_ERROR_CAPACITY)) {
        *r->config.stats = stats;
    }
    if (status == BP_OK) {
        uint32_t told = 0;
        bp_warn(&r->config, &stats, &told);
    }
    return status;
}

bp_status bp_find_pairs(const bp_box *boxes, size_t count, const bp_config *config, bp_pairs *pairs) {
    request r = {.a = bp_given_floats(boxes, count), .given = config};
    return answer(&r, pairs);
}

bp_status bp_find_pairs_between(const bp_box *a, size_t a_count, const bp_box *b, size_t b_count,
                                const bp_config *config, bp_pairs *pairs) {
    request r = {.a = bp_given_floats(a, a_count), .b = bp_given_floats(b, b_count), .between = true, .given = config};
    return answer(&r, pairs);
}

bp_status bp_find_pairs_double(const bp_box_double *boxes, size_t count, const bp_config *config, bp_pairs *pairs) {
    request r = {.a = bp_given_doubles(boxes, count), .wide = true, .given = config};
    return answer(&r, pairs);
}

bp_status bp_find_pairs_between_double(const bp_box_double *a, size_t a_count, const bp_box_double *b, size_t b_count,
                                       const bp_config *config, bp_pairs *pairs) {
    request r = {.a = bp_given_doubles(a, a_count),
                 .b = bp_given_doubles(b, b_count),
                 .between = true,
                 .wide = true,
                 .given = config};
    return answer(&r, pairs);
}
