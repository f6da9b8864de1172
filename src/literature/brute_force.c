// brute-force: every box against every other. The oracle: plain, never clever.
//
//     for each a
//         for each b after a       n (n - 1) / 2 tests
//             overlap? report
//
// It is obviously correct, and the tests compare every other method with it.
// Cost: O(n^2) time, no memory. Loses as soon as there are more than a few hundred boxes.
//
// Source: F. Schornbaum, "Hierarchical Hash Grids for Coarse Collision Detection", 2009, section 2.2.
#include "base/boxes.h"
#include "engine/method.h"

typedef struct brute_force {
    uint32_t dimensions;
    const bp_box *boxes;
    size_t count;
} brute_force;

static void brute_force_init(void *state, const bp_method_setup *setup) {
    *(brute_force *)state = (brute_force){.dimensions = setup->dimensions};
}

static void brute_force_free(void *state) {
    (void)state;
}

static bp_status brute_force_build(void *state, const bp_box *boxes, size_t count) {
    brute_force *b = state;
    b->boxes = boxes;
    b->count = count;
    return BP_OK;
}

// Tests each of the other boxes against those of the structure; if these are the same, against those that follow it.
static bp_status test_all(const brute_force *b, const bp_box *others, size_t count, bool are_same, bp_sink *sink) {
    for (size_t i = 0; i < count; ++i) {
        const size_t first = are_same ? i + 1 : 0;
        for (size_t j = first; j < b->count; ++j) {
            if (bp_boxes_overlap(&others[i], &b->boxes[j], b->dimensions) &&
                !bp_sink_push(sink, (uint32_t)i, (uint32_t)j)) {
                return BP_ERROR_MEMORY;
            }
        }
        sink->tests += b->count - first;
    }
    return BP_OK;
}

static bp_status brute_force_find(void *state, bp_sink *sink) {
    const brute_force *b = state;
    return test_all(b, b->boxes, b->count, true, sink);
}

static bp_status brute_force_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    return test_all(state, boxes, count, false, sink);
}

static void brute_force_stats(const void *state, bp_stats *stats) {
    (void)state;
    stats->update = BP_UPDATE_REBUILD;
    stats->bytes = sizeof(brute_force);
}

static bp_status brute_force_validate(const void *state) {
    (void)state;
    return BP_OK;
}

const bp_method_ops bp_brute_force_ops = {
    .name = "brute-force",
    .summary = "tests all pairs: O(n^2), the reference; for tests and a few hundred boxes",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN,
    .state_bytes = sizeof(brute_force),
    .init = brute_force_init,
    .free = brute_force_free,
    .build = brute_force_build,
    .find = brute_force_find,
    .find_between = brute_force_find_between,
    .stats = brute_force_stats,
    .validate = brute_force_validate,
};
