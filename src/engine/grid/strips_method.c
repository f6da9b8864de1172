// strips: copies of boxes in strips of space, swept along x (strips.h). Boxes that do not suit them are tested all with all.
#include "engine/all_pairs.h"
#include "engine/grid/strips.h"
#include "engine/method.h"

typedef struct strips {
    const bp_box *boxes;
    size_t count;
    bool do_suit;
    bp_strip_grid grid;
    bp_all_pairs all;
} strips;

static void strips_init(void *state, const bp_method_setup *setup) {
    strips *s = state;
    *s = (strips){.all = {.setup = setup}};
    bp_strip_grid_init(&s->grid, setup);
}

static void strips_free(void *state) {
    strips *s = state;
    bp_strip_grid_free(&s->grid);
    bp_all_pairs_free(&s->all);
}

static bp_status strips_build(void *state, const bp_box *boxes, size_t count) {
    strips *s = state;
    bool gave_up = true;
    s->boxes = boxes;
    s->count = count;
    const bp_strip_sets set = bp_strip_one_set(boxes, count);
    const bp_status status =
        bp_strip_grid_suits(&s->grid, &set, 1.0) ? bp_strip_grid_sort(&s->grid, &set, &gave_up) : BP_OK;
    s->do_suit = !gave_up;
    return status == BP_OK && gave_up ? bp_all_pairs_build(&s->all, boxes, count) : status;
}

static bp_status strips_find(void *state, bp_sink *sink) {
    strips *s = state;
    const bp_strip_sets set = bp_strip_one_set(s->boxes, s->count);
    return s->do_suit ? bp_strip_grid_find(&s->grid, &set, sink) : bp_all_pairs_find(&s->all, sink);
}

static bp_status strips_find_two(void *state, const bp_box *a, size_t a_count, const bp_box *b, size_t b_count,
                                 bp_sink *sink) {
    strips *s = state;
    bool gave_up = true;
    const bp_strip_sets both = bp_strip_two_sets(a, a_count, b, b_count);
    const bp_status status =
        bp_strip_grid_suits(&s->grid, &both, 1.0) ? bp_strip_grid_sort(&s->grid, &both, &gave_up) : BP_OK;
    s->do_suit = !gave_up;
    if (status != BP_OK) {
        return status;
    }
    return gave_up ? bp_all_pairs_find_between(&s->all, a, a_count, b, b_count, sink)
                   : bp_strip_grid_find(&s->grid, &both, sink);
}

static bp_status strips_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    strips *s = state;
    return strips_find_two(state, boxes, count, s->boxes, s->count, sink);
}

static void strips_stats(const void *state, bp_stats *stats) {
    const strips *s = state;
    bp_stats all = {0};
    bp_all_pairs_stats(&s->all, &all);
    if (s->do_suit) {
        bp_strip_grid_stats(&s->grid, stats);
    } else {
        stats->update = BP_UPDATE_REBUILD;
    }
    stats->bytes += sizeof *s + all.bytes;
}

static bp_status strips_validate(const void *state) {
    const strips *s = state;
    return s->do_suit ? bp_strip_grid_validate(&s->grid, s->boxes, s->count) : BP_OK;
}

const bp_method_ops bp_strips_ops = {
    .name = "strips",
    .summary = "copies in strips of space, swept along x: one call on many boxes that are alike, or long",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_THREADS,
    .state_bytes = sizeof(strips),
    .init = strips_init,
    .free = strips_free,
    .build = strips_build,
    .find = strips_find,
    .find_between = strips_find_between,
    .find_two = strips_find_two,
    .stats = strips_stats,
    .validate = strips_validate,
};
