#include "world/world_method.h"

#include "base/details.h"

bp_world_method bp_world_method_begin(bp_method wanted, const bp_method_setup *setup) {
    const bp_method first = bp_choose_first(wanted);
    return (bp_world_method){.method = first, .ops = bp_method_get(first), .chooser = bp_chooser_begin(wanted, setup)};
}

bool bp_world_method_create_state(bp_world_method *method, const bp_method_setup *setup) {
    method->state = bp_method_create(method->ops, setup);
    return method->state != NULL;
}

void bp_world_method_free(bp_world_method *method, const bp_allocator *allocator) {
    bp_method_destroy(method->ops, allocator, method->state);
    method->state = NULL;
}

// The old state is released only after the new one has been built over all boxes.
bp_status bp_world_method_replace(bp_world_method *method, bp_method other, const bp_method_setup *setup,
                                  const bp_box *boxes, size_t count) {
    const bp_allocator *allocator = &setup->runtime.allocator;
    const bp_method_ops *ops = bp_method_get(other);
    void *state = bp_method_create(ops, setup);
    const bp_status status = state != NULL ? ops->build(state, boxes, count) : BP_ERROR_MEMORY;
    if (status != BP_OK) {
        bp_method_destroy(ops, allocator, state);
        return status;
    }
    bp_world_method_free(method, allocator);
    method->method = other;
    method->ops = ops;
    method->state = state;
    return BP_OK;
}

void bp_world_method_describe(const bp_world_method *method, bp_stats *stats) {
    stats->method = method->method;
    method->ops->stats(method->state, stats);
    bp_details details = bp_details_read(stats); // the method may have written its own
    details.choice = method->chooser.choice;
    bp_details_write(stats, &details);
}
