#include "api/one_call.h"

#include "base/clock.h"
#include "base/log.h"
#include "engine/method.h"

bp_status bp_one_call_check(const bp_setup *setup, bool between) {
    const uint32_t needed =
        (between ? BP_SUPPORTS_BETWEEN : 0u) | (setup->overlap.dimensions == 2 ? BP_SUPPORTS_2D : 0u);
    if ((needed & ~bp_method_supports((size_t)setup->method)) == 0) {
        return BP_OK;
    }
    bp_log_write(&setup->methods.runtime.log, "method %s does not support this; bp_method_supports() tells which do",
                 bp_method_name((size_t)setup->method));
    return BP_ERROR_UNSUPPORTED;
}

static void init_view(const bp_one_call *call, bp_view *view) {
    bp_view_init(view, call->rule, &call->setup->methods.runtime);
    view->keeps_origin = bp_domain_is_set(&call->setup->methods.settings.domain);
}

static bp_status make_call_views(bp_one_call *call) {
    init_view(call, &call->first);
    init_view(call, &call->second);
    const bp_status status = call->b != NULL ? bp_view_make_two(&call->first, call->a, &call->second, *call->b)
                                             : bp_view_make(&call->first, call->a);
    bp_view_trim(&call->first);
    bp_view_trim(&call->second);
    call->built_over = call->b != NULL ? &call->second : &call->first;
    call->exact = call->first.exact && (call->second.exact || call->b == NULL);
    return status;
}

static bp_status build_and_find(bp_one_call *call, const bp_method_ops *ops, void *state, bp_sink *sink) {
    const bp_view *first = &call->first, *built_over = call->built_over;
    const bool is_two = call->b != NULL && ops->find_two != NULL;
    const double start = bp_clock_seconds();
    bp_status status = is_two ? BP_OK : ops->build(state, built_over->boxes, built_over->count);
    const double built = bp_clock_seconds();
    if (is_two) {
        status = ops->find_two(state, first->boxes, first->count, built_over->boxes, built_over->count, sink);
    } else if (status == BP_OK) {
        status = call->b != NULL ? ops->find_between(state, first->boxes, first->count, sink) : ops->find(state, sink);
    }
    call->stats.build_seconds += built - start;
    call->stats.find_seconds = bp_clock_seconds() - built;
    if (status == BP_OK) {
        ops->stats(state, &call->stats);
        call->stats.bytes += bp_view_bytes(first) + bp_view_bytes(&call->second);
    }
    return status;
}

// The setup of the method. Where coordinates are ranks, the caller's lengths mean nothing.
static bp_method_setup method_setup_of(const bp_one_call *call) {
    bp_method_setup setup = call->setup->methods;
    if (call->first.ranked) {
        setup.settings.cell_size = 0.0f;
        setup.settings.domain = (bp_box){.min = {0}};
    }
    return setup;
}

static bp_status search_views(bp_one_call *call) {
    const bp_allocator *allocator = &call->setup->methods.runtime.allocator;
    const bp_method_setup setup = method_setup_of(call);
    const bp_method_ops *ops = bp_method_get(call->setup->method, &call->setup->methods);
    void *state = bp_method_create(ops, &setup);
    if (state == NULL) {
        return BP_ERROR_MEMORY;
    }
    bp_sink sink = bp_sink_open(call->pairs, allocator, call->rules(call, call->context));
    bp_sink_expect(&sink, call->expected);
    const bp_status status = build_and_find(call, ops, state, &sink);
    const bp_status kept = bp_sink_close(&sink, call->pairs);
    bp_method_destroy(ops, allocator, state);
    call->stats.pairs = call->pairs->count;
    call->stats.tests = sink.tests;
    return status == BP_OK ? kept : status;
}

bp_status bp_one_call_run(bp_one_call *call) {
    const double start = bp_clock_seconds();
    bp_status status = make_call_views(call);
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
                     "%zu boxes and their pairs, 8 bytes each, do not fit; search in parts (bp_find_pairs_between), or "
                     "try another config.method",
                     call->stats.objects);
    }
    return BP_ERROR_MEMORY;
}
