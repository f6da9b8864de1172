// split: recursive splits at the planes that eliminate the most pairs.
//
//           plane                  Idea: a sample picks, over all axes, the plane that separates the most pairs of
//       [--]  |                    boxes. Those before it never meet those behind it. Those across it form a job of
//          [--|-----]              their own, and travel down with both sides as passengers. No grid and no classes of
//             |   [--]             sizes or shapes: so no input is bad.
//
// Layout: boxes are records of 32 bytes (base/records.h), which are parted in place; passengers are copied.
//
//     boxes ---> slabs ---> jobs: decide, part, carry ---> leaves: sorted into columns and swept ---> pairs
//                split_slabs  split_job, split_plane         split_leaf, split_bins
//
// Cost: about n log n and twice the time of the grid for uniform boxes; a small multiple of that for any others
// (measured, not proven: `broadphase bench --suite worst`). It keeps nothing from step to step, so it loses where grids
// do well, and where little moves.
//
// Source: our own; after A. Zomorodian and H. Edelsbrunner, "Fast software for box intersections", 2002, who part two
// sets at the medians of one axis after the other.
#include "engine/method.h"
#include "engine/split/split_search.h"

typedef struct split {
    const bp_box *boxes;
    size_t count;
    split_search search;
} split;

static void split_init(void *state, const bp_method_setup *setup) {
    *(split *)state = (split){.search = {.setup = setup}};
}

static void split_free(void *state) {
    bp_split_search_free(&((split *)state)->search);
}

static bp_status split_build(void *state, const bp_box *boxes, size_t count) {
    split *s = state;
    s->boxes = boxes;
    s->count = count;
    return BP_OK;
}

static bp_status split_find(void *state, bp_sink *sink) {
    split *s = state;
    return bp_split_search_within(&s->search, s->boxes, s->count, sink);
}

static bp_status split_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    split *s = state;
    return bp_split_search_between(&s->search, boxes, count, s->boxes, s->count, sink);
}

static void split_stats(const void *state, bp_stats *stats) {
    const split *s = state;
    stats->update = BP_UPDATE_REBUILD;
    stats->bytes = sizeof *s + bp_split_search_bytes(&s->search);
}

static bp_status split_validate(const void *state) {
    (void)state; // it holds nothing between searches
    return BP_OK;
}

const bp_method_ops bp_split_ops = {
    .name = "split",
    .summary = "recursive splits at the planes that eliminate most pairs: any shapes and sizes, no bad input",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_THREADS,
    .state_bytes = sizeof(split),
    .init = split_init,
    .free = split_free,
    .build = split_build,
    .find = split_find,
    .find_between = split_find_between,
    .stats = split_stats,
    .validate = split_validate,
};
