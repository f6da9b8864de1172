// The one-call functions: check, search, sort.
#include "api/one_call.h"
#include "base/log.h"
#include "base/pair_sort.h"
#include "base/workers.h"
#include "plan/explain.h"
#include "view/pair_filter.h"

enum {
    USUAL_PAIRS = 2, // per box
    BATCH = 1024     // pairs that are confirmed together, so that their boxes can be fetched ahead
};

// Two sets, or one: then `b` is empty.
typedef struct pair_request {
    bp_input a, b;
    bool between;
    bool is_double;
} pair_request;

void bp_pairs_free(bp_pairs *pairs, const bp_config *config) {
    if (pairs != NULL) {
        const bp_allocator allocator = bp_config_allocator(config);
        bp_pairs_release(pairs, &allocator);
    }
}

static bp_status check_pair_request(const pair_request *r, const bp_setup *setup, const bp_pairs *pairs) {
    const bp_runtime *runtime = &setup->methods.runtime;
    if (pairs == NULL || (pairs->data == NULL && pairs->capacity > 0)) {
        bp_log_write(&runtime->log, "pairs: NULL, or a capacity without data; begin with {0}");
        return BP_ERROR_ARGUMENT;
    }
    bp_status status = bp_one_call_check(setup, r->between);
    if (status == BP_OK) {
        status = bp_input_check(r->a, r->is_double, &setup->overlap, runtime);
    }
    return status == BP_OK && r->between ? bp_input_check(r->b, r->is_double, &setup->overlap, runtime) : status;
}

static bp_status sort_pairs(const pair_request *r, const bp_runtime *runtime, bp_pairs *pairs) {
    bp_buffer scratch = {0};
    const size_t id_count = r->a.count > r->b.count ? r->a.count : r->b.count;
    const bool sorted = bp_sort_pairs(pairs->data, pairs->data, pairs->count, id_count, &scratch, runtime);
    bp_buffer_free(&scratch, &runtime->allocator);
    return sorted ? BP_OK : BP_ERROR_MEMORY;
}

// The checks that a pair has to pass: the exact overlap test, if the views are not exact, and the caller's filter.
static bp_sink_rules rules_for_pairs(const bp_one_call *call, void *context) {
    bp_pair_filter *filter = context;
    const bp_setup *setup = call->setup;
    *filter = (bp_pair_filter){
        .first = call->exact ? NULL : &call->first, .second = call->built_over, .filter = setup->filter};
    return (bp_sink_rules){.filter = bp_pair_filter_batch(filter),
                           .batch = call->exact ? 0 : BATCH,
                           .limit = (setup->flags & BP_PAIRS_FIXED) != 0 ? call->pairs->capacity : BP_SINK_UNLIMITED};
}

static void report_pair_stats(const bp_setup *setup, const bp_stats *stats, bp_status status) {
    if (setup->stats != NULL && (status == BP_OK || status == BP_ERROR_CAPACITY)) {
        *setup->stats = *stats;
    }
    if (status == BP_OK) {
        uint32_t logged = 0;
        bp_warn(&setup->methods.runtime.log, stats, &logged);
    }
}

static bp_status run_request(const pair_request *r, const bp_setup *setup, bp_pairs *pairs) {
    bp_status status = check_pair_request(r, setup, pairs);
    if (status != BP_OK) {
        return status;
    }
    bp_pair_filter filter;
    bp_one_call call = {.setup = setup,
                        .rule = &setup->overlap,
                        .a = r->a,
                        .b = r->between ? &r->b : NULL,
                        .expected = USUAL_PAIRS * (r->a.count + r->b.count), // so that most calls allocate once
                        .pairs = pairs,
                        .rules = rules_for_pairs,
                        .context = &filter};
    status = bp_one_call_run(&call);
    if (status == BP_OK && setup->pair_order == BP_ORDER_SORTED) {
        status = sort_pairs(r, &setup->methods.runtime, pairs);
        status = status == BP_ERROR_MEMORY ? bp_one_call_refuse_memory(&call) : status;
    }
    report_pair_stats(setup, &call.stats, status);
    return status;
}

static bp_status find_requested_pairs(const pair_request *r, const bp_config *config, bp_pairs *pairs) {
    bp_setup setup;
    bp_status status = bp_setup_complete(config, &setup);
    if (status != BP_OK) {
        return status;
    }
    if (!bp_workers_open(&setup.methods.runtime)) {
        return BP_ERROR_MEMORY;
    }
    bp_workers_expect(&setup.methods.runtime.executor);
    status = run_request(r, &setup, pairs);
    bp_workers_rest(&setup.methods.runtime.executor);
    bp_workers_close(&setup.methods.runtime);
    return status;
}

bp_status bp_find_pairs(const bp_box *boxes, size_t count, const bp_config *config, bp_pairs *pairs) {
    const pair_request r = {.a = bp_input_floats(boxes, count)};
    return find_requested_pairs(&r, config, pairs);
}

bp_status bp_find_pairs_between(const bp_box *a, size_t a_count, const bp_box *b, size_t b_count,
                                const bp_config *config, bp_pairs *pairs) {
    const pair_request r = {.a = bp_input_floats(a, a_count), .b = bp_input_floats(b, b_count), .between = true};
    return find_requested_pairs(&r, config, pairs);
}

bp_status bp_find_pairs_double(const bp_box_double *boxes, size_t count, const bp_config *config, bp_pairs *pairs) {
    const pair_request r = {.a = bp_input_doubles(boxes, count), .is_double = true};
    return find_requested_pairs(&r, config, pairs);
}

bp_status bp_find_pairs_between_double(const bp_box_double *a, size_t a_count, const bp_box_double *b, size_t b_count,
                                       const bp_config *config, bp_pairs *pairs) {
    const pair_request r = {
        .a = bp_input_doubles(a, a_count), .b = bp_input_doubles(b, b_count), .between = true, .is_double = true};
    return find_requested_pairs(&r, config, pairs);
}
