// An update: from changes to pairs.
//
//     changes ---> boxes or view ---> method: built or updated ---> search ---> filter ---> pair lists, events
//
// The method decides which search is the cheapest: for all pairs, for the pairs of changed objects, or for the
// difference. The last list of pairs stays as it was until nothing can fail any more.
#include "base/clock.h"
#include "base/workers.h"
#include "engine/grid/hierarchical_grid.h"
#include "plan/explain.h"
#include "view/pair_filter.h"
#include "world/method_switch.h"
#include "world/query/query.h"
#include "world/query/query_cache.h"
#include "world/world.h"

enum { MUCH_SHARE = 16 }; // more than one object in this many is much

// ---- bringing the structure up to date ------------------------------------------------------------------------------

static bool has_much_changed(const bp_world *world) {
    return bp_change_list_is_longer_than(&world->changes, world->ids.count / MUCH_SHARE);
}

// Where many objects have left their margins, all get new ones: then none will leave for a while.
static void refit_boxes(bp_world *world) {
    if (bp_world_boxes_have_margin(&world->boxes) && has_much_changed(world)) {
        bp_world_boxes_refit(&world->boxes, world->ids.count);
        bp_change_list_mark_all(&world->changes);
    }
}

// The method works on a view, which is made again in each update.
static bp_status build_viewed(bp_world *world) {
    bp_statics_join(&world->statics); // they may have been separated before the first 64-bit box
    bp_sides_join(&world->sides);
    const bp_status status = bp_view_make(&world->view, bp_world_boxes_all_grown(&world->boxes, world->ids.count));
    if (status != BP_OK) {
        return status;
    }
    const bp_box *boxes = world->view.boxes;
    const size_t count = world->view.count;
    return bp_world_switch_method_if_better(world, boxes, count)
               ? BP_OK
               : world->method.ops->build(world->method.state, boxes, count);
}

// Where much has changed, objects are separated, if that pays.
static bool may_separate(const bp_world *world) {
    return has_much_changed(world) && world->setup.methods.update != BP_UPDATE_INDIVIDUAL;
}

static bp_status separate_sides(bp_world *world) {
    bp_sides_join(&world->sides);
    return may_separate(world)
               ? bp_sides_separate(&world->sides, &world->method, &world->setup.methods, &world->objects,
                                   bp_world_boxes_floats(&world->boxes), world->ids.count)
               : BP_OK;
}

static bp_status separate_statics(bp_world *world) {
    bp_statics_join(&world->statics);
    return may_separate(world) ? bp_statics_separate(&world->statics, &world->method, &world->setup.methods,
                                                     bp_world_boxes_floats(&world->boxes),
                                                     bp_object_table_data(&world->objects), world->ids.count)
                               : BP_OK;
}

// `is_anew`: the method has to be built from scratch.
static bp_status build_or_update(bp_world *world, bool is_anew, bp_search_kind *kind) {
    const bp_method_ops *ops = world->method.ops;
    const bp_box *boxes = bp_world_boxes_floats(&world->boxes);
    const size_t count = world->ids.count;
    if (is_anew || ops->update == NULL) {
        return ops->build(world->method.state, boxes, count);
    }
    const bp_changes changes = bp_change_list_changes(&world->changes);
    const bool are_known = !world->changes.all && world->lists.pairs.count < BP_PAIR_INDEX_MOST;
    return ops->update(world->method.state, boxes, count, are_known ? &changes : NULL, kind);
}

// Where queries were asked, there should be a grid that answers them, and memory for what else they need. Returns whether
// that is so.
static bool expect_queries(bp_world *world) {
    bp_query_cache_expect_lines(world);
    const bool were_asked = bp_query_cache_was_asked(world->queries);
    if (were_asked && world->method.ops == &bp_hierarchical_grid_ops) {
        bp_hierarchical_grid_expect_queries(world->method.state);
    }
    return were_asked;
}

// Where the pairs were found without a sorted grid of all objects, queries get one: it takes as long as a dozen of them.
static void serve_queries(bp_world *world) {
    const bp_id *strays;
    size_t stray_count;
    if (world->method.ops == &bp_hierarchical_grid_ops && !bp_world_is_viewed(world) &&
        bp_query_grid_of_pairs(world, &strays, &stray_count) == NULL) {
        bp_hierarchical_grid_sort_for_queries(world->method.state, bp_world_boxes_floats(&world->boxes),
                                              world->ids.count);
    }
}

static bp_status update_structure(bp_world *world, bp_search_kind *kind) {
    const bool was_apart = world->statics.apart || world->sides.apart;
    *kind = BP_SEARCH_ALL;
    if (bp_world_is_viewed(world)) {
        return build_viewed(world);
    }
    if (bp_world_switch_method_if_better(world, bp_world_boxes_floats(&world->boxes), world->ids.count)) {
        bp_sides_join(&world->sides);
        return BP_OK;
    }
    bp_status status = separate_sides(world);
    if (status != BP_OK || world->sides.apart) {
        bp_statics_join(&world->statics);
        return status;
    }
    status = separate_statics(world);
    if (status != BP_OK || world->statics.apart) {
        return status;
    }
    return build_or_update(world, !world->changes.tracks || !world->is_built || was_apart, kind);
}

// ---- searching ------------------------------------------------------------------------------------------------------

// Pairs of separated objects come in any order: as (moving, static), for instance.
static bp_pair_filter filter_of(const bp_world *world) {
    const bool is_checked = bp_world_is_viewed(world) && !world->view.exact;
    const bp_sides *sides = &world->sides;
    return (bp_pair_filter){.first = is_checked ? &world->view : NULL,
                            .second = is_checked ? &world->view : NULL,
                            .orders = world->statics.apart || (sides->apart && !bp_sides_are_in_order(sides)),
                            .objects = sides->apart && sides->is_whole ? NULL : bp_object_table_data(&world->objects),
                            .filter = world->setup.filter};
}

static bp_sink open_sink(const bp_world *world, const bp_pairs *list, bp_batch_filter filter) {
    return bp_sink_open(list, bp_world_allocator(world), (bp_sink_rules){.filter = filter, .limit = BP_SINK_UNLIMITED});
}

static bp_status search_all(bp_world *world, bp_sink *sink) {
    if (world->sides.apart) {
        return bp_sides_find(&world->sides, &world->method, bp_world_boxes_floats(&world->boxes), sink);
    }
    const bp_status status = world->method.ops->find(world->method.state, sink);
    return status == BP_OK && world->statics.apart ? bp_statics_find(&world->statics, &world->method, sink) : status;
}

static bp_status search_changed(bp_world *world, bp_sink *sink) {
    const bp_changes changes = bp_change_list_changes(&world->changes);
    return world->method.ops->find_changed(world->method.state, &changes, sink);
}

// One search into a list, expecting about as many pairs as last time.
static bp_status search_into(bp_world *world, bp_pairs *list, size_t last_count,
                             bp_status (*search)(bp_world *world, bp_sink *sink), uint64_t *tests) {
    const bp_pair_filter filter = filter_of(world);
    bp_sink sink = open_sink(world, list, bp_pair_filter_batch(&filter));
    bp_sink_expect(&sink, last_count);
    const bp_status status = search(world, &sink);
    (void)bp_sink_close(&sink, list);
    *tests = sink.tests;
    return status;
}

// A pair that has ended need not pass the current filter: it counts if it was listed.
static bp_status search_difference(bp_world *world, uint64_t *tests, bool *gave_up) {
    const bp_changes changes = bp_change_list_changes(&world->changes);
    const bp_pair_filter filter = filter_of(world);
    bp_sink begun = open_sink(world, &world->lists.begun, bp_pair_filter_batch(&filter));
    bp_sink ended = open_sink(world, &world->lists.ended, (bp_batch_filter){0});
    const bp_status status =
        bp_hierarchical_grid_find_difference(world->method.state, &changes, &begun, &ended, gave_up);
    (void)bp_sink_close(&begun, &world->lists.begun);
    (void)bp_sink_close(&ended, &world->lists.ended);
    *tests = begun.tests;
    return status;
}

// ---- finding --------------------------------------------------------------------------------------------------------

static bp_status find_all(bp_world *world, uint64_t *tests) {
    bp_pair_lists *lists = &world->lists;
    bp_pairs *next = bp_pair_lists_next(lists);
    bp_status status = search_into(world, next, lists->pairs.count, search_all, tests);
    if (status == BP_OK) {
        status = bp_pair_lists_take_all(lists, bp_change_list_reborn(&world->changes), world->ids.count);
    }
    if (status != BP_OK) {
        next->count = 0; // a partial list is useless
    }
    return status;
}

static bp_status find_changed(bp_world *world, uint64_t *tests) {
    bp_pair_lists *lists = &world->lists;
    const bp_status status = search_into(world, &lists->begun, lists->begun.count, search_changed, tests);
    if (status != BP_OK) {
        return status;
    }
    return bp_pair_lists_take_changed(lists, bp_change_list_marks(&world->changes), world->ids.count);
}

// The changes would take longer than everything.
static bp_status rebuild_and_find_all(bp_world *world, uint64_t *tests) {
    const uint64_t wasted = *tests;
    bp_status status = build_or_update(world, true, &(bp_search_kind){BP_SEARCH_ALL});
    if (status == BP_OK) {
        status = find_all(world, tests);
    }
    *tests += wasted;
    return status;
}

static bp_status find_difference(bp_world *world, uint64_t *tests) {
    const bool is_filtered = bp_object_table_data(&world->objects) != NULL || world->setup.filter.pass != NULL;
    bool gave_up = false;
    const bp_status status = search_difference(world, tests, &gave_up);
    if (status == BP_OK && gave_up) {
        return rebuild_and_find_all(world, tests);
    }
    if (status != BP_OK) {
        return status;
    }
    return bp_pair_lists_take_difference(&world->lists, bp_change_list_marks(&world->changes), world->ids.count,
                                         is_filtered);
}

static bp_status search_by_kind(bp_world *world, bp_search_kind kind, uint64_t *tests) {
    switch (kind) {
    case BP_SEARCH_CHANGED: return find_changed(world, tests);
    case BP_SEARCH_DIFFERENCE: return find_difference(world, tests);
    case BP_SEARCH_ALL:
    default: return find_all(world, tests);
    }
}

// ---- all together ---------------------------------------------------------------------------------------------------

// Bytes held by the world, except the method's structure, its boxes and the pairs.
static size_t own_bytes(const bp_world *world) {
    return bp_view_bytes(&world->view) + bp_statics_bytes(&world->statics) + bp_sides_bytes(&world->sides) +
           bp_world_boxes_bytes(&world->boxes) + world->ids.free.bytes + world->objects.objects.bytes +
           bp_change_list_bytes(&world->changes) + bp_pair_lists_bytes(&world->lists);
}

static void describe_update(const bp_world *world, bp_stats *stats) {
    bp_world_method_describe(&world->method, stats);
    stats->objects = bp_world_count(world);
    stats->pairs = world->lists.pairs.count;
    stats->bytes += bp_statics_structure_bytes(&world->statics, world->method.ops) + own_bytes(world);
}

static bp_status update_pairs(bp_world *world) {
    bp_stats stats = {0};
    bp_search_kind kind = BP_SEARCH_ALL;
    bp_change_list_mark_for_queries(&world->changes);
    const double start = bp_clock_seconds();
    refit_boxes(world);
    const bool has_queries = expect_queries(world);
    bp_status status = update_structure(world, &kind);
    const double built = bp_clock_seconds();
    world->is_built = false; // until all has succeeded
    world->has_failed = true;
    ++world->pair_version;
    if (status == BP_OK) {
        status = search_by_kind(world, kind, &stats.tests);
    }
    if (status != BP_OK) {
        return status;
    }
    if (has_queries) {
        serve_queries(world);
    }
    describe_update(world, &stats);
    stats.build_seconds = built - start;
    stats.find_seconds = bp_clock_seconds() - built;
    world->stats = stats;
    bp_change_list_end_update(&world->changes, world->ids.count);
    world->is_built = true;
    world->has_failed = false;
    return BP_OK;
}

// Nothing has changed: the pairs are the same as last time.
static void repeat_pairs(bp_world *world) {
    world->stats.tests = 0;
    world->stats.build_seconds = 0.0;
    world->stats.find_seconds = 0.0;
    bp_pair_lists_clear_events(&world->lists);
}

static void fill_result(const bp_world *world, bp_result *result) {
    static const bp_pairs none = {0};
    const bp_pair_lists *lists = &world->lists;
    const bp_pairs *begun = lists->has_events ? &lists->begun : &none;
    const bp_pairs *ended = lists->has_events ? &lists->ended : &none;
    result->pairs = lists->pairs.data;
    result->pair_count = lists->pairs.count;
    result->begun = begun->data;
    result->begun_count = begun->count;
    result->ended = ended->data;
    result->ended_count = ended->count;
    result->stats = world->stats;
}

bp_status bp_update(bp_world *world, bp_result *result) {
    if (world == NULL || bp_world_is_busy(world)) {
        return BP_ERROR_ARGUMENT;
    }
    if (!bp_world_record_step(world)) {
        return bp_world_refuse(world, BP_ERROR_ARGUMENT, "recording: the write function failed; recording has ended");
    }
    if (world->changes.needs_update) {
        world->is_busy = true;
        bp_workers_expect(bp_world_executor(world));
        const bp_status status = update_pairs(world);
        bp_workers_rest(bp_world_executor(world));
        world->is_busy = false;
        if (status != BP_OK) {
            return status;
        }
        bp_warn(bp_world_log(world), &world->stats, &world->warned);
    } else {
        repeat_pairs(world);
    }
    if (result != NULL) {
        fill_result(world, result);
    }
    return BP_OK;
}
