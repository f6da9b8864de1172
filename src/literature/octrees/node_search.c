#include "literature/octrees/node_search.h"

enum { PROBES = 64 }; // boxes that are looked at together

void bp_node_boxes_free(bp_node_boxes *boxes) {
    bp_buffer_free(&boxes->buffer, &boxes->setup->runtime.allocator);
    bp_block_sinks_free(&boxes->sinks, &boxes->setup->runtime.allocator);
}

size_t bp_node_boxes_bytes(const bp_node_boxes *boxes) {
    return boxes->buffer.bytes + bp_block_sinks_bytes(&boxes->sinks);
}

bool bp_node_boxes_reserve(bp_node_boxes *boxes, size_t count) {
    boxes->count = count;
    return bp_columns_reserve(&boxes->columns, &boxes->buffer, &boxes->setup->runtime.allocator, count);
}

bp_box bp_node_bounds(const bp_node_boxes *boxes, uint32_t begin, uint32_t end) {
    bp_box bounds = bp_bounds_empty();
    for (uint32_t i = begin; i < end; ++i) {
        const bp_box box = bp_columns_box(&boxes->columns, i);
        bp_bounds_join(&bounds, &box);
    }
    return bounds;
}

void bp_node_test(const bp_node_boxes *boxes, bp_range_tester *tester, const bp_node *nodes, const bp_node *node,
                  const uint32_t *others, size_t other_count) {
    for (uint32_t i = node->begin; i < node->end; ++i) {
        bp_range_tester_add_long(tester, i, i + 1, node->end);
    }
    for (size_t k = 0; k < other_count; ++k) {
        const bp_node *other = &nodes[others[k]];
        tester->sink->tests += other->end - other->begin;
        for (uint32_t at = other->begin; at < other->end; ++at) {
            const bp_box box = bp_columns_box(&boxes->columns, at);
            if (bp_boxes_overlap_branchless(&box, &node->own, 3)) { // in two dimensions they lie flat
                bp_range_tester_add_long(tester, at, node->begin, node->end);
            }
        }
    }
}

bp_status bp_node_boxes_find(bp_node_boxes *boxes, size_t unit_count,
                             void (*unit)(const void *context, bp_range_tester *tester, size_t index),
                             const void *context, bp_sink *sink) {
    const bp_range_search search = {.runtime = &boxes->setup->runtime,
                                    .kernels = boxes->setup->kernels,
                                    .objects = &boxes->columns,
                                    .candidates = &boxes->columns,
                                    .names = BP_NAMES_ORDERED,
                                    .unit_count = unit_count,
                                    .unit = unit,
                                    .context = context};
    return bp_range_search_run(&search, &boxes->sinks, sink);
}

// Each probe goes down from the root, into the subtrees whose bounds it overlaps.
static void unit_probes(const void *context, bp_range_tester *tester, size_t unit) {
    const bp_node_search *s = context;
    const uint32_t dimensions = s->boxes->setup->dimensions;
    const size_t begin = unit * PROBES, left = s->probe_count - begin, count = left < PROBES ? left : PROBES;
    float values[6][PROBES];
    uint32_t ids[PROBES];
    const bp_columns probes = {{values[0], values[1], values[2]}, {values[3], values[4], values[5]}, ids};
    tester->objects = &probes;
    for (uint32_t i = 0; i < count; ++i) {
        const bp_box box = bp_box_flatten(s->probes[begin + i], dimensions);
        uint32_t stack[BP_NODE_STACK];
        size_t pending = 1;
        stack[0] = 0;
        bp_columns_put(&probes, i, &box, (uint32_t)(begin + i));
        while (pending > 0 && !tester->failed) {
            const bp_node *node = &s->nodes[stack[--pending]];
            if (!bp_boxes_overlap_branchless(&box, &node->below, 3)) {
                continue;
            }
            bp_range_tester_add_long(tester, i, node->begin, node->end);
            for (uint32_t k = 0; node->first_child != BP_NODE_NONE && k < 1u << dimensions; ++k) {
                stack[pending++] = node->first_child + k;
            }
        }
        bp_range_tester_add_long(tester, i, s->outside_begin, (uint32_t)s->boxes->count);
    }
    bp_range_tester_flush(tester);
    tester->objects = NULL;
}

bp_status bp_node_search_run(const bp_node_search *search, bp_block_sinks *sinks, bp_sink *sink) {
    const bp_range_search ranges = {.runtime = &search->boxes->setup->runtime,
                                    .kernels = search->boxes->setup->kernels,
                                    .objects = NULL, // each unit has its own
                                    .candidates = &search->boxes->columns,
                                    .names = BP_NAMES_BY_ROLE,
                                    .unit_count = (search->probe_count + PROBES - 1) / PROBES,
                                    .unit = unit_probes,
                                    .context = search};
    return bp_range_search_run(&ranges, sinks, sink);
}
