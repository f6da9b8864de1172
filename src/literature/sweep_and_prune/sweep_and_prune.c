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
//                pairs, which are added and removed as ends pass each other       sweep_ends.h, sweep_pair_set.h
//
//         cost: O(n), and a step for each two ends that pass each other; their number is proportional to how far
//         objects move
//
// axes = 0 (and 3 where it must): steps are estimated beforehand from how far ends have moved, and where sorting and
// sweeping again is cheaper, that is done. So a world in which everything moves, or one to which thousands of objects
// are added at once, costs no more than axes = 1; a single added object is tested against all.
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
    // In units of one test of the sweep (measured):
    STEP_COST = 11,  // one end passes another
    KEEP_COST = 200, // of keeping ends and pairs, per box, beyond sorting it along one axis
    LOSE_COST = 500, // of sorting all ends and inserting all pairs again, per box

    RECOUNT = 16,     // steps per box after which the tests of a sweep are counted again
    SAMPLE = 1024,    // boxes whose moves are measured
    USUAL_PAIRS = 2,  // per box
    IDS_MAX_BITS = 31 // an end has no room for larger ids; more boxes are always sorted and swept again
};

typedef struct sweep_and_prune {
    const bp_method_setup *setup;
    const bp_box *boxes;
    size_t count;
    sweep_axis sweep; // up to date unless `kept`
    sweep_axis other; // the other set of find_between
    sweep_ends ends;  // up to date if `kept`
    bool kept;
    bp_pairs found;     // pairs that are passed from a sweep to the ends
    double sweep_tests; // of the last sweep, or of one along the same axis now, more or less RECOUNT per box
    double share;       // of the boxes that begin inside another along the axis: those that are in buckets that meet
    bp_update_strategy update;
} sweep_and_prune;

static void sweep_and_prune_init(void *state, const bp_method_setup *setup) {
    sweep_and_prune *s = state;
    *s = (sweep_and_prune){.setup = setup, .update = BP_UPDATE_REBUILD};
    bp_sweep_axis_init(&s->sweep, setup);
    bp_sweep_axis_init(&s->other, setup);
    bp_sweep_ends_init(&s->ends, &setup->runtime, setup->dimensions);
}

static void sweep_and_prune_free(void *state) {
    sweep_and_prune *s = state;
    bp_sweep_axis_free(&s->sweep);
    bp_sweep_axis_free(&s->other);
    bp_sweep_ends_free(&s->ends);
    bp_pairs_release(&s->found, &s->setup->runtime.allocator);
}

// ---- building -------------------------------------------------------------------------------------------------------

static bp_status sort_anew(sweep_and_prune *s) {
    s->kept = false;
    s->update = s->setup->update == BP_UPDATE_INDIVIDUAL ? BP_UPDATE_INDIVIDUAL : BP_UPDATE_REBUILD;
    const int axis = bp_sweep_axis_choose(s->boxes, s->count, s->setup->dimensions);
    return bp_sweep_axis_build(&s->sweep, s->boxes, s->count, axis, NULL);
}

static bp_status sweep_boxes(sweep_and_prune *s, bp_sink *sink) {
    const uint64_t before = sink->tests;
    const bp_status status = bp_sweep_axis_find(&s->sweep, sink);
    s->sweep_tests = (double)(sink->tests - before);
    return status;
}

// Finds the pairs of the boxes in their current order, and keeps them and the ends from here on.
static bp_status begin_to_keep(sweep_and_prune *s) {
    bp_sink sink = bp_sink_open(&s->found, &s->setup->runtime.allocator, (bp_sink_rules){.limit = BP_SINK_UNLIMITED});
    bp_sink_expect(&sink, USUAL_PAIRS * s->count);
    bp_status status = sweep_boxes(s, &sink);
    (void)bp_sink_close(&sink, &s->found); // cannot be short
    if (status == BP_OK) {
        status = bp_sweep_ends_build(&s->ends, s->boxes, s->count, &s->found);
        s->ends.tests = sink.tests;
    }
    if (status == BP_OK) {
        const double overlaps = bp_sweep_ends_overlaps(&s->ends, s->sweep.axis);
        s->share = overlaps > 0.0 ? s->sweep_tests / overlaps : 1.0;
    }
    s->kept = status == BP_OK;
    return status;
}

static bool may_keep(const sweep_and_prune *s) {
    return s->setup->settings.sweep_axes != 1 && s->count <= (size_t)1 << IDS_MAX_BITS;
}

static bp_status sweep_and_prune_build(void *state, const bp_box *boxes, size_t count) {
    sweep_and_prune *s = state;
    s->boxes = boxes;
    s->count = count;
    const bp_status status = sort_anew(s);
    return status == BP_OK && s->setup->settings.sweep_axes == 3 && may_keep(s) ? begin_to_keep(s) : status;
}

// ---- updating -------------------------------------------------------------------------------------------------------

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

// The number of steps from which on it is cheaper to sort and sweep again, and, with axes = 3, to keep ends and pairs
// again from there on.
static double step_budget(const sweep_and_prune *s) {
    const double each = s->setup->settings.sweep_axes == 3 ? LOSE_COST - KEEP_COST : -KEEP_COST;
    return (s->sweep_tests + each * (double)s->count) / STEP_COST;
}

// In a sweep a box is tested against the begins in its own extent, or a third of them, because of the buckets. When it
// moves by a fraction of that extent, its two ends pass twice that fraction of as many ends on each axis; about three in
// four of these are separate steps.
static bool is_calm(const sweep_and_prune *s) {
    const double begins = 3.0 * s->sweep_tests, steps = 3.0 * s->setup->dimensions * mean_motion(s) * begins;
    return steps < step_budget(s) / 2.0; // well below, so that keeping does not end again at once
}

static bp_status sweep_anew_or_keep(sweep_and_prune *s) {
    const bool calm =
        may_keep(s) && (s->setup->settings.sweep_axes == 3 || s->setup->update == BP_UPDATE_INDIVIDUAL || is_calm(s));
    const bp_status status = sort_anew(s);
    return status == BP_OK && calm ? begin_to_keep(s) : status;
}

// While ends are kept, boxes may shrink or move apart: then a sweep becomes cheaper than the last one was.
static void recount_sweep_tests(sweep_and_prune *s) {
    if (s->ends.passed > RECOUNT * (double)s->count) {
        s->sweep_tests = s->share * bp_sweep_ends_overlaps(&s->ends, s->sweep.axis);
    }
}

static bp_status sweep_and_prune_update(void *state, const bp_box *boxes, size_t count, const bp_changes *changes,
                                        bp_search_kind *kind) {
    sweep_and_prune *s = state;
    s->boxes = boxes;
    s->count = count;
    *kind = BP_SEARCH_ALL; // searching for all pairs costs no more than reading them from the set
    if (!s->kept || !may_keep(s)) {
        return sweep_anew_or_keep(s);
    }
    bool gave_up = false;
    s->update = BP_UPDATE_INDIVIDUAL;
    const bp_status status = bp_sweep_ends_update(&s->ends, boxes, count, changes, step_budget(s), &gave_up);
    if (status != BP_OK) {
        return status;
    }
    if (!gave_up) {
        recount_sweep_tests(s);
        return BP_OK;
    }
    s->kept = false;
    const bp_status sorted = sort_anew(s);
    return sorted == BP_OK && s->setup->settings.sweep_axes == 3 ? begin_to_keep(s) : sorted;
}

// ---- finding --------------------------------------------------------------------------------------------------------

static bp_status sweep_and_prune_find(void *state, bp_sink *sink) {
    sweep_and_prune *s = state;
    return s->kept ? bp_sweep_ends_report(&s->ends, sink) : sweep_boxes(s, sink);
}

static bp_status sweep_and_prune_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    sweep_and_prune *s = state;
    bp_status status = s->kept ? sort_anew(s) : BP_OK;
    if (status == BP_OK) {
        status = bp_sweep_axis_build(&s->other, boxes, count, s->sweep.axis, &s->sweep);
    }
    return status == BP_OK ? bp_sweep_axis_find_between(&s->other, &s->sweep, sink) : status;
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
    .summary = "boxes sorted along the axes: pairs kept from step to step while objects move little, else swept afresh",
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
