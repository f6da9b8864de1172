// brute-force: every box against every other. The oracle: plain, never clever.
//
//     for each a
//         for each b after a       n (n - 1) / 2 tests
//             overlap? report
//
// Cost: O(n^2) time, no memory. Loses as soon as there are more than a few hundred boxes; it is here because it is
// obviously right, and every other method is compared with it. (The small-n case of the other methods is the vector
// kernel of src/sweep/, not this.)
//
// Source: F. Schornbaum, "Hierarchical Hash Grids for Coarse Collision Detection", 2009, section 2.2.
#include "base/boxes.h"
#include "methods/method.h"

typedef struct brute_force {
    const bp_config *config;
    const bp_box *boxes;
    size_t count;
} brute_force;

static bp_status create(const bp_config *config, void **state) {
    brute_force *b = config->allocator.allocate(config->allocator.context, sizeof *b);
    *state = b;
    if (b == NULL) {
        return BP_ERROR_MEMORY;
    }
    *b = (brute_force){.config = config};
    return BP_OK;
}

static void destroy(void *state) {
    brute_force *b = state;
    const bp_allocator allocator = b->config->allocator;
    allocator.release(allocator.context, b, sizeof *b);
}

static bp_status build(void *state, const bp_box *boxes, size_t count) {
    brute_force *b = state;
    b->boxes = boxes;
    b->count = count;
    return BP_OK;
}

static bp_status find(void *state, bp_sink *sink) {
    const brute_force *b = state;
    for (size_t i = 0; i < b->count; ++i) {
        for (size_t j = i + 1; j < b->count; ++j) {
            if (bp_boxes_overlap(&b->boxes[i], &b->boxes[j], b->config->dimensions) &&
                !bp_sink_push(sink, (uint32_t)i, (uint32_t)j)) {
                return BP_ERROR_MEMORY;
            }
        }
        sink->tests += b->count - 1 - i;
    }
    return BP_OK;
}

static bp_status find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    const brute_force *b = state;
    for (size_t i = 0; i < count; ++i) {
        for (size_t j = 0; j < b->count; ++j) {
            if (bp_boxes_overlap(&boxes[i], &b->boxes[j], b->config->dimensions) &&
                !bp_sink_push(sink, (uint32_t)i, (uint32_t)j)) {
                return BP_ERROR_MEMORY;
            }
        }
    }
    sink->tests += (uint64_t)count * b->count;
    return BP_OK;
}

static void stats(const void *state, bp_stats *stats) {
    (void)state;
    stats->update = BP_UPDATE_REBUILD;
    stats->bytes = sizeof(brute_force);
}

static bp_status validate(const void *state) {
    (void)state; // it holds nothing that could be wrong
    return BP_OK;
}

const bp_method_ops bp_brute_force_ops = {
    .name = "brute-force",
    .summary = "tests all pairs: O(n^2), the oracle; for tests and a few hundred boxes",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN,
    .create = create,
    .destroy = destroy,
    .build = build,
    .find = find,
    .find_between = find_between,
    .stats = stats,
    .validate = validate,
};
