// The one-call functions: check, search, sort. One search without a state is also what neighbours are found by (one_call.h).
#include "api/one_call.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/pair_sort.h"
#include "base/workers.h"
#include "engine/method.h"
#include "plan/explain.h"
#include "view/pair_filter.h"

enum {
    USUAL_PAIRS = 2,       // per box
    PAIRS_PER_BATCH = 1024 // pairs that are confirmed together, so that their boxes can be fetched ahead
};

// ---- one search -----------------------------------------------------------------------------------------------------

bp_status bp_one_call_check(const bp_setup *setup, bool between) {
    const uint32_t needed =
        (between ? BP_SUPPORTS_BETWEEN : 0u) | (setup->overlap.dimensions == 2 ? BP_SUPPORTS_2D : 0u);
    if ((needed & ~bp_method_supports((size_t)setup->method)) == 0) {
        return BP_OK;
    }
    bp_log_write(&setup->methods.runtime.log, "method %s does not support this call; see bp_method_supports()",
                 bp_method_name((size_t)setup->method));
    return BP_ERROR_UNSUPPORTED;
}

static bp_status search_views(bp_one_call *call) {
    const bp_view *first = &call->first, *built_over = call->built_over;
    const bp_allocator *allocator = &call->setup->methods.runtime.allocator;
    bp_method_setup setup = call->setup->methods;
    if (first->ranked) { // then the caller's lengths mean nothing
        setup.settings.cell_size = 0.0f;
        setup.settings.domain = (bp_box){.min = {0}};
    }
    const bp_method_ops *ops = bp_method_get(call->setup->method, &call->setup->methods);
    void *state = bp_method_create(ops, &setup);
    if (state == NULL) {
        return BP_ERROR_MEMORY;
    }
    bp_sink sink = bp_sink_open(call->pairs, allocator, call->rules(call, call->context));
    bp_sink_expect(&sink, call->expected);
    const bool is_two = call->b != NULL && ops->find_two != NULL;
    const double start = bp_clock_seconds();
    bp_status status = is_two ? BP_OK : ops->build(state, built_over->boxes, built_over->count);
    const double built = bp_clock_seconds();
    if (is_two) {
        status = ops->find_two(state, first->boxes, first->count, built_over->boxes, built_over->count, &sink);
    } else if (status == BP_OK) {
        status =
            call->b != NULL ? ops->find_between(state, first->boxes, first->count, &sink) : ops->find(state, &sink);
    }
    call->stats.build_seconds += built - start;
    call->stats.find_seconds = bp_clock_seconds() - built;
    if (status == BP_OK) {
        ops->stats(state, &call->stats);
        call->stats.bytes += bp_view_bytes(first) + bp_view_bytes(&call->second);
    }
    const bp_status kept = bp_sink_close(&sink, call->pairs);
    bp_method_destroy(ops, allocator, state);
    call->stats.pairs = call->pairs->count;
    call->stats.tests = sink.tests;
    return status == BP_OK ? kept : status;
}

bp_status bp_one_call_run(bp_one_call *call) {
    const double start = bp_clock_seconds();
    bp_view *const views[] = {&call->first, &call->second};
    for (int i = 0; i < 2; ++i) {
        bp_view_init(views[i], call->rule, &call->setup->methods.runtime);
        views[i]->keeps_origin = bp_domain_is_set(&call->setup->methods.settings.domain);
    }
    bp_status status =
        call->b != NULL ? bp_view_make_two(views[0], call->a, views[1], *call->b) : bp_view_make(views[0], call->a);
    bp_view_trim(views[0]);
    bp_view_trim(views[1]);
    call->built_over = call->b != NULL ? views[1] : views[0];
    call->exact = call->first.exact && (call->second.exact || call->b == NULL);
    call->stats = (bp_stats){.method = call->setup->method,
                             .update = BP_UPDATE_REBUILD,
                             .objects = call->a.count + (call->b != NULL ? call->b->count : 0),
                             .build_seconds = bp_clock_seconds() - start};
    if (status == BP_OK) {
        status = search_views(call);
    }
    bp_view_free(&call->first);
    bp_view_free(&call->second);
    return status == BP_ERROR_MEMORY ? bp_one_call_refuse_memory(call) : status;
}

// Where the caller has set limits, the method has said which of them was too small.
bp_status bp_one_call_refuse_memory(const bp_one_call *call) {
    const bp_method_settings *settings = &call->setup->methods.settings;
    if (settings->memory_limit == 0 && settings->hash_cell_limit == 0 && !bp_domain_is_set(&settings->domain)) {
        bp_log_write(&call->setup->methods.runtime.log,
                     "not enough memory for %zu boxes and their pairs (8 bytes each); search in parts "
                     "(bp_find_pairs_between), or "
                     "try another config.method",
                     call->stats.objects);
    }
    return BP_ERROR_MEMORY;
}

// ---- pairs ----------------------------------------------------------------------------------------------------------

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

// The checks that a pair has to pass: the exact overlap test, if the views are not exact, and the caller's filter.
static bp_sink_rules rules_for_pairs(const bp_one_call *call, void *context) {
    bp_pair_filter *filter = context;
    const bp_setup *setup = call->setup;
    *filter = (bp_pair_filter){
        .first = call->exact ? NULL : &call->first, .second = call->built_over, .filter = setup->filter};
    return (bp_sink_rules){.filter = bp_pair_filter_batch(filter),
                           .batch = call->exact ? 0 : PAIRS_PER_BATCH,
                           .limit = (setup->flags & BP_PAIRS_FIXED) != 0 ? call->pairs->capacity : BP_SINK_UNLIMITED};
}

static bp_status run_request(const pair_request *r, const bp_setup *setup, bp_pairs *pairs) {
    const bp_runtime *runtime = &setup->methods.runtime;
    if (pairs == NULL || (pairs->data == NULL && pairs->capacity > 0)) {
        bp_log_write(&runtime->log, "pairs: NULL, or a capacity without data; initialise it with {0}");
        return BP_ERROR_ARGUMENT;
    }
    bp_status status = bp_one_call_check(setup, r->between);
    status = status == BP_OK ? bp_input_check(r->a, r->is_double, &setup->overlap, runtime) : status;
    status = status == BP_OK && r->between ? bp_input_check(r->b, r->is_double, &setup->overlap, runtime) : status;
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
        bp_buffer scratch = {0};
        const size_t id_count = r->a.count > r->b.count ? r->a.count : r->b.count;
        const bool sorted = bp_sort_pairs(pairs->data, pairs->data, pairs->count, id_count, &scratch, runtime);
        bp_buffer_free(&scratch, &runtime->allocator);
        status = sorted ? BP_OK : bp_one_call_refuse_memory(&call);
    }
    if (setup->stats != NULL && (status == BP_OK || status == BP_ERROR_CAPACITY)) {
        *setup->stats = call.stats;
    }
    if (status == BP_OK && runtime->log.write != NULL) {
        uint32_t logged = 0;
        bp_warn(&runtime->log, &call.stats, &logged);
    }
    return status;
}

static bp_status find_requested_pairs(const pair_request *r, const bp_config *config, bp_pairs *pairs) {
    bp_setup setup;
    bp_status status = bp_setup_complete(config, &setup);
    if (status == BP_OK) {
        bp_runtime *runtime = &setup.methods.runtime;
        if (!bp_workers_open(runtime)) {
            return BP_ERROR_MEMORY;
        }
        bp_workers_expect(&runtime->executor);
        status = run_request(r, &setup, pairs);
        bp_workers_rest(&runtime->executor);
        bp_workers_close(runtime);
    }
    return status;
}

bp_status bp_find_pairs(const bp_box *boxes, size_t count, const bp_config *config, bp_pairs *pairs) {
    const pair_request r = {.a = {.floats = boxes, .count = count}};
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
