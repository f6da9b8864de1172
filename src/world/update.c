// An update: from changes to pairs.
//
//     changes ---> boxes or view ---> method: built or updated ---> search ---> filter ---> pair lists, events
//
// The method decides which search is cheaper: for all pairs, or for the pairs of changed objects. The last list of pairs stays as
// it was until nothing can fail any more.
#include "base/clock.h"
#include "base/workers.h"
#include "plan/explain.h"
#include "view/pair_filter.h"
#include "world/query/query_tree.h"
#include "world/world.h"

enum {
    MUCH_SHARE = 16,         // more than one object in this many is much
    LATELY = 16,             // updates,
    MUCH_LESS = 8,           // in which there were so many times fewer pairs than before: then memory is given back,
    GIVEN_BACK_MIN = 1 << 16 // unless there were hardly more pairs than this
};

// ---- bringing the structure up to date ------------------------------------------------------------------------------

// Where many objects have left their margins, all get new ones: then none will leave for a while.
static void refit_boxes(bp_world *world) {
    if (bp_world_boxes_have_margin(&world->boxes) &&
        bp_change_list_is_longer_than(&world->changes, world->ids.count / MUCH_SHARE)) {
        bp_world_boxes_refit(&world->boxes, world->ids.count);
        bp_change_list_mark_all(&world->changes);
    }
}

// What follows from the objects, after some have come, gone or changed: which islands there are, and which objects may meet.
static bool renew_objects(bp_world *world) {
    bp_object_table *table = &world->objects;
    const bp_box *boxes = bp_world_boxes_floats(&world->boxes);
    if (!table->are_others) {
        return true;
    }
    const bp_changes listed = bp_change_list_changes(&world->changes);
    const bool is_complete = world->is_built && bp_change_list_is_complete(&world->changes);
    if ((table->has_islands &&
         !bp_islands_number(&world->islands, &world->view, bp_object_table_data(table), boxes, world->ids.count)) ||
        !bp_world_parts_find(&world->parts, bp_world_allocator(world), bp_object_table_data(table),
                             world->islands.are_apart, boxes, world->ids.count, is_complete ? &listed : NULL)) {
        return false;
    }
    table->are_others = false;
    return true;
}

// The boxes of the method: the world's own, or those of a view, in which all may be others after each update. They are by id, but
// for images across a period.
static bp_status update_structure(bp_world *world, bp_search_kind *kind) {
    const bp_method_ops *ops = world->method.ops;
    const bp_input input = bp_world_boxes_all_grown(&world->boxes, world->ids.count);
    const bp_changes listed = bp_change_list_changes(&world->changes);
    const bp_changes *changes = world->changes.all || !world->is_built ? NULL : &listed;
    bp_islands *islands = &world->islands;
    *kind = BP_SEARCH_ALL;
    if (!renew_objects(world)) {
        return BP_ERROR_MEMORY;
    }
    const bool is_viewed = bp_world_is_viewed(world), has_images = is_viewed && bp_is_periodic(&world->view_rule);
    changes = is_viewed == world->was_viewed ? changes : NULL;
    world->was_viewed = is_viewed;
    const bp_status status = is_viewed ? bp_islands_make(islands, &world->view, input, &changes) : BP_OK;
    if (status != BP_OK) {
        return status;
    }
    const bp_box *boxes = is_viewed ? islands->boxes : input.floats;
    const size_t count = is_viewed ? world->view.count : input.count;
    world->parts.parts.is_part_1_listed = world->changes.lists_part_1 && world->is_built && !is_viewed;
    world->parts.parts.part_1 = listed;
    if (ops->set_parts != NULL) {
        ops->set_parts(world->method.state, has_images ? &BP_PARTS_NONE : &world->parts.parts);
    }
    return ops->update == NULL || has_images || !world->is_built || world->setup.methods.update == BP_UPDATE_REBUILD
               ? ops->build(world->method.state, boxes, count)
               : ops->update(world->method.state, boxes, count, changes, kind);
}

// ---- searching ------------------------------------------------------------------------------------------------------

static bp_pair_filter filter_of(const bp_world *world) {
    const bool is_viewed = bp_world_is_viewed(world), is_checked = is_viewed && !world->view.exact;
    const bool are_parts_exact = world->parts.are_exact && world->method.ops->set_parts != NULL &&
                                 !(is_viewed && bp_is_periodic(&world->view_rule));
    return (bp_pair_filter){.proxies = world->islands.are_apart ? world->view.boxes : NULL,
                            .dimensions = world->view_rule.dimensions,
                            .first = is_checked ? &world->view : NULL,
                            .second = is_checked ? &world->view : NULL,
                            .objects = are_parts_exact ? NULL : bp_object_table_data(&world->objects),
                            .filter = world->setup.filter};
}

// One search into a list, for the pairs of changed objects or for all, expecting about as many pairs as last time.
static bp_status search_into(bp_world *world, bp_pairs *list, size_t last_count, bp_search_kind kind, uint64_t *tests) {
    const bp_method_ops *ops = world->method.ops;
    const bp_pair_filter filter = filter_of(world);
    const bp_changes changes = bp_change_list_changes(&world->changes);
    bp_sink sink = bp_sink_open(list, bp_world_allocator(world),
                                (bp_sink_rules){.filter = bp_pair_filter_batch(&filter), .limit = BP_SINK_UNLIMITED});
    bp_sink_expect(&sink, last_count);
    const bp_status status = kind == BP_SEARCH_CHANGED ? ops->find_changed(world->method.state, &changes, &sink)
                                                       : ops->find(world->method.state, &sink);
    (void)bp_sink_close(&sink, list);
    *tests = sink.tests;
    return status;
}

// ---- finding --------------------------------------------------------------------------------------------------------

static bp_status find_all(bp_world *world, uint64_t *tests) {
    bp_pair_lists *lists = &world->lists;
    bp_pairs *next = bp_pair_lists_next(lists);
    bp_status status = search_into(world, next, lists->pairs.count, BP_SEARCH_ALL, tests);
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
    const bp_status status = search_into(world, &lists->begun, lists->begun.count, BP_SEARCH_CHANGED, tests);
    if (status != BP_OK) {
        return status;
    }
    const bp_changes changes = bp_change_list_changes(&world->changes);
    return bp_pair_lists_take_changed(lists, &changes, world->ids.count);
}

// ---- all together ---------------------------------------------------------------------------------------------------

static void describe_update(const bp_world *world, bp_stats *stats) {
    stats->method = world->method.method;
    world->method.ops->stats(world->method.state, stats); // the method may say which other one has searched
    stats->objects = bp_world_count(world);
    stats->pairs = world->lists.pairs.count;
    stats->bytes += sizeof *world + bp_query_trees_bytes(world->queries) + bp_view_bytes(&world->view) +
                    bp_islands_bytes(&world->islands) + world->parts.buffer.bytes +
                    bp_world_boxes_bytes(&world->boxes) + bp_id_pool_bytes(&world->ids) + world->objects.objects.bytes +
                    bp_change_list_bytes(&world->changes) +
                    bp_pair_lists_bytes(&world->lists); // all but boxes and pairs
}

// Before an update, so that its figures are right. It depends on the pairs alone: not on how much memory is held, which others may
// have refused.
static void follow_need(bp_world *world) {
    bp_world_need *need = &world->need;
    if (need->updates < LATELY) {
        return;
    }
    if (need->most > GIVEN_BACK_MIN && need->lately < need->most / MUCH_LESS) {
        bp_world_give_back(world);
        need->most = need->lately;
    }
    need->updates = need->lately = 0;
}

static void count_need(bp_world_need *need, size_t pair_count) {
    need->most = pair_count > need->most ? pair_count : need->most;
    need->lately = pair_count > need->lately ? pair_count : need->lately;
    ++need->updates;
}

static bp_status update_pairs(bp_world *world) {
    bp_stats stats = {0};
    bp_search_kind kind = BP_SEARCH_ALL;
    bp_change_list_mark_for_queries(&world->changes);
    const double start = bp_clock_seconds();
    follow_need(world);
    refit_boxes(world);
    bp_status status = update_structure(world, &kind);
    const double built = bp_clock_seconds();
    world->is_built = false; // until all has succeeded
    world->has_failed = true;
    ++world->pair_version;
    if (status == BP_OK) {
        status = kind == BP_SEARCH_CHANGED ? find_changed(world, &stats.tests) : find_all(world, &stats.tests);
    }
    if (status != BP_OK) {
        return status;
    }
    world->is_built = true;
    world->has_failed = false;
    count_need(&world->need, world->lists.pairs.count);
    bp_query_trees_fit(world);
    describe_update(world, &stats);
    stats.build_seconds = built - start;
    stats.find_seconds = bp_clock_seconds() - built;
    world->stats = stats;
    bp_change_list_end_update(&world->changes, world->ids.count);
    if (world->lists.has_rows) {
        atomic_store(&world->lists.rows->version, world->pair_version);
    }
    return BP_OK;
}

// Nothing has changed: the pairs are the same as last time.
static void repeat_pairs(bp_world *world) {
    world->stats.tests = 0;
    world->stats.build_seconds = 0.0;
    world->stats.find_seconds = 0.0;
    world->lists.begun.count = world->lists.ended.count = 0;
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
