// sweep-and-prune: two boxes overlap if they overlap along every axis, and along an axis that is a matter of order.
//
//     axes = 1   the boxes, sorted in every step along the axis of largest variance, in five buckets across it
//                                                                                            sweep_axis.h
//
//         y |   +---+                     each is tested against those that begin before it ends
//           | +-+-+ |  +--+
//           | | +-+-+  |  | +---+         cost: O(n log n) to sort; to sweep, n times the boxes in a slice as thick as
//           | +---+    +--+ |   |         one box and a quarter as wide, eight at a time: n^(5/3) / 32 in a cube
//           +-[-[-]-]--[--]-[---]--> x
//
//     axes = 3   the ends of the boxes along all axes, kept sorted by an insertion sort on the last order, and the
//                pairs, which are added and removed as ends pass each other       sweep_ends.h
//
//         cost: O(n), and a step for each two ends that pass each other; their number is proportional to how far
//         objects move. Where they are very many, the ends are sorted from scratch.
//
//     axes = 0   the second while objects move so little that it costs less, else the first
//
// Loses where objects move more than a percent of their size per step (then to any grid), and where many are spread
// over two axes and not the third, like objects at rest on a floor (there too many ends share few places).
//
// Source: M. Zych, "Efficient algorithms for collision detection in three-dimensional space", 2016, section 2.3.1; F.
// Schornbaum, "Hierarchical Hash Grids for Coarse Collision Detection", 2009, section 4.5; for one axis P. Terdiman's
// articles on box pruning.
#include "engine/method.h"
#include "literature/sweep_and_prune/sweep_axis.h"
#include "literature/sweep_and_prune/sweep_ends.h"

enum {
    // In units of one test of the sweep along one axis (measured):
    STEP_COST = 11,  // one end passes another
    KEEP_COST = 200, // of keeping ends and pairs, per box, beyond sorting it along one axis
    BUCKETING = 3,   // boxes that begin inside another, for each one in a bucket that meets its own

    SORT_STEPS = 8,   // of sorting all ends from scratch, per box, in steps
    USUAL_PAIRS = 2,  // per box
    SAMPLE = 1024,    // boxes whose moves are measured
    IDS_MAX_BITS = 31 // an end has no room for larger ids; more boxes are always sorted and swept again
};

typedef struct sweep_and_prune {
    const bp_method_setup *setup;
    const bp_box *boxes;
    size_t count;
    sweep_axis sweep; // up to date unless `kept`
    sweep_axis other; // the other set of find_between
    sweep_ends ends;  // up to date if `kept`
    bp_pairs found;   // pairs that are passed from a sweep to the ends
    bool kept;
    double begins; // of boxes inside others along the axis of the sweep, when last counted: as many as it would test
    bp_update_strategy update;
} sweep_and_prune;

static void sweep_and_prune_init(void *state, const bp_method_setup *setup) {
    sweep_and_prune *s = state;
    *s = (sweep_and_prune){.setup = setup, .sweep = {.setup = setup}, .other = {.setup = setup}};
    bp_sweep_ends_init(&s->ends, &setup->runtime, setup->dimensions);
}

static void sweep_and_prune_free(void *state) {
    sweep_and_prune *s = state;
    bp_sweep_axis_free(&s->sweep);
    bp_sweep_axis_free(&s->other);
    bp_sweep_ends_free(&s->ends);
    bp_pairs_release(&s->found, &s->setup->runtime.allocator);
}

// ---- building and updating ------------------------------------------------------------------------------------------

static bp_status sort_axis(sweep_and_prune *s) {
    const int axis = bp_sweep_axis_choose(s->boxes, s->count, s->setup->dimensions);
    return bp_sweep_axis_build(&s->sweep, s->boxes, s->count, axis, NULL);
}

// Sweeps along one axis, and counts what that takes.
static bp_status sweep_boxes(sweep_and_prune *s, bp_sink *sink) {
    const uint64_t before = sink->tests;
    const bp_status status = bp_sweep_axis_find(&s->sweep, NULL, sink);
    s->begins = BUCKETING * (double)(sink->tests - before);
    return status;
}

// Sorts the boxes along one axis, and, to keep ends and pairs from here on, sweeps for these.
static bp_status build_form(sweep_and_prune *s, bool kept) {
    s->update = s->setup->update == BP_UPDATE_INDIVIDUAL ? BP_UPDATE_INDIVIDUAL : BP_UPDATE_REBUILD;
    s->kept = kept;
    bp_status status = sort_axis(s);
    if (status == BP_OK && kept) {
        bp_sink sink =
            bp_sink_open(&s->found, &s->setup->runtime.allocator, (bp_sink_rules){.limit = BP_SINK_UNLIMITED});
        bp_sink_expect(&sink, USUAL_PAIRS * s->count);
        status = sweep_boxes(s, &sink);
        s->ends.tests = sink.tests;
        (void)bp_sink_close(&sink, &s->found); // cannot be short
        status = status == BP_OK ? bp_sweep_ends_build(&s->ends, s->boxes, s->count, &s->found) : status;
    }
    return status;
}

// Whether ends and pairs are kept whatever it costs.
static bool always_keeps(const sweep_and_prune *s) {
    const uint32_t axes = s->setup->settings.sweep_axes;
    return axes == 3 || (axes == 0 && s->setup->update == BP_UPDATE_INDIVIDUAL);
}

static bp_status sweep_and_prune_build(void *state, const bp_box *boxes, size_t count) {
    sweep_and_prune *s = state;
    s->boxes = boxes;
    s->count = count;
    return build_form(s, always_keeps(s) && count <= (size_t)1 << IDS_MAX_BITS);
}

// How far objects have moved since they were sorted, on average per axis, in units of their size along the axis of the
// sweep. Measured on a sample.
static double mean_motion(const sweep_and_prune *s) {
    const sweep_axis *sweep = &s->sweep;
    const size_t stride = sweep->count / SAMPLE + 1;
    const bp_columns *c = &sweep->columns;
    double distance = 0.0, size = 0.0;
    for (int bucket = 0; bucket < SWEEP_BUCKETS; ++bucket) {
        for (size_t i = sweep->begin[bucket]; i < sweep->end[bucket]; i += stride) {
            const bp_box *box = &s->boxes[c->id[i]];
            const double extent = (double)c->max[sweep->axis][i] - (double)c->min[sweep->axis][i];
            double move = 0.0;
            for (uint32_t axis = 0; axis < s->setup->dimensions; ++axis) {
                move += fabs((double)box->min[axis] - (double)c->min[axis][i]) / (double)s->setup->dimensions;
            }
            if (isfinite(extent) && isfinite(move)) {
                distance += move;
                size += extent;
            }
        }
    }
    return distance > 0.0 ? distance / size : 0.0;
}

// How many steps of an update are too many: sorting the ends from scratch is cheaper then, or, with a choice, a sweep along
// one axis is by far.
static double step_budget(const sweep_and_prune *s) {
    const double boxes = (double)s->count;
    return always_keeps(s) ? SORT_STEPS * boxes + s->begins / STEP_COST
                           : 2.0 * (s->begins / BUCKETING - KEEP_COST * boxes) / STEP_COST;
}

// When a box moves by a fraction of its extent, its two ends pass twice that fraction of the ends in it on each axis;
// about three in four of these are separate steps.
static bool is_calm(const sweep_and_prune *s) {
    const double steps = 3.0 * s->setup->dimensions * mean_motion(s) * s->begins;
    return steps < step_budget(s) / 4.0; // well below, so that keeping does not end again at once
}

static bp_status sweep_and_prune_update(void *state, const bp_box *boxes, size_t count, const bp_changes *changes,
                                        bp_search_kind *kind) {
    (void)changes;
    sweep_and_prune *s = state;
    s->boxes = boxes;
    s->count = count;
    *kind = BP_SEARCH_ALL; // searching for all pairs costs no more than reading them from the set
    if (s->setup->settings.sweep_axes == 1 || count > (size_t)1 << IDS_MAX_BITS) {
        return build_form(s, false);
    }
    if (!s->kept) {
        return build_form(s, always_keeps(s) || is_calm(s));
    }
    bool gave_up = false;
    const bp_status status = bp_sweep_ends_update(&s->ends, boxes, count, step_budget(s), &gave_up);
    if (gave_up || status != BP_OK) {
        return gave_up ? build_form(s, always_keeps(s)) : status;
    }
    s->update = BP_UPDATE_INDIVIDUAL;
    s->begins = bp_sweep_ends_overlaps(&s->ends, s->sweep.axis);
    return BP_OK;
}

// ---- finding --------------------------------------------------------------------------------------------------------

static bp_status sweep_and_prune_find(void *state, bp_sink *sink) {
    sweep_and_prune *s = state;
    return s->kept ? bp_sweep_ends_report(&s->ends, sink) : sweep_boxes(s, sink);
}

static bp_status sweep_and_prune_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    sweep_and_prune *s = state;
    bp_status status = s->kept ? sort_axis(s) : BP_OK;
    if (status == BP_OK) {
        status = bp_sweep_axis_build(&s->other, boxes, count, s->sweep.axis, &s->sweep);
    }
    return status == BP_OK ? bp_sweep_axis_find(&s->other, &s->sweep, sink) : status;
}

static void sweep_and_prune_stats(const void *state, bp_stats *stats) {
    const sweep_and_prune *s = state;
    stats->update = s->update;
    stats->levels = s->kept ? s->setup->dimensions : 1;
    stats->bytes = sizeof *s + bp_sweep_axis_bytes(&s->sweep) + bp_sweep_axis_bytes(&s->other) +
                   bp_sweep_ends_bytes(&s->ends) + s->found.capacity * sizeof(bp_pair);
}

static bp_status sweep_and_prune_validate(const void *state) {
    const sweep_and_prune *s = state;
    return s->kept ? bp_sweep_ends_validate(&s->ends) : bp_sweep_axis_validate(&s->sweep, s->boxes, s->count);
}

const bp_method_ops bp_sweep_and_prune_ops = {
    .name = "sweep-and-prune",
    .summary = "boxes sorted along the axes: pairs are kept from step to step while objects move little, else one axis "
               "is swept",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_INCREMENTAL | BP_SUPPORTS_THREADS,
    .state_bytes = sizeof(sweep_and_prune),
    .init = sweep_and_prune_init,
    .free = sweep_and_prune_free,
    .build = sweep_and_prune_build,
    .update = sweep_and_prune_update,
    .find = sweep_and_prune_find,
    .find_between = sweep_and_prune_find_between,
    .stats = sweep_and_prune_stats,
    .validate = sweep_and_prune_validate,
};
