// An update: from what changed to pairs.
//
//     all          the method finds all pairs                                   a new list
//     changed      it finds the pairs of what changed                           the list, less their old ones, and those
//     difference   it finds which pairs have begun and ended                    the list, with so much changed
//
// Until nothing can fail any more, the last list stays as it was: it is what events are counted from.
#include "api/config.h"
#include "base/clock.h"
#include "base/radix_sort.h"
#include "choose/explain.h"
#include "world/events.h"
#include "world/world.h"

#include <string.h>

enum {
    MUCH_SHARE = 16, // more than one object in so many is much
    PREFETCHED = 8   // pairs that are asked for ahead of time
};

static bool has_events(const bp_world *world) {
    return (world->config.flags & BP_EVENTS) != 0;
}

static bool is_sorted(const bp_world *world) {
    return world->config.pair_order == BP_ORDER_SORTED;
}

// Not every pair that a method finds is wanted.
static bool has_sieve(const bp_world *world) {
    return bp_world_objects(world) != NULL || world->config.filter.pass != NULL || bp_world_is_viewed(world);
}

static bp_sieve sieve_of(const bp_world *world) {
    const bool looked_at = bp_world_is_viewed(world) && !world->view.exact;
    return (bp_sieve){.first = looked_at ? &world->view : NULL,
                      .second = looked_at ? &world->view : NULL,
                      .objects = bp_world_objects(world),
                      .filter = world->config.filter};
}

static bool sort(bp_world *world, bp_pairs *pairs) {
    return bp_sort_pairs(pairs->data, pairs->count, world->id_count, &world->sort_scratch, &world->config.allocator);
}

static void swap(bp_pairs *a, bp_pairs *b) {
    const bp_pairs swapped = *a;
    *a = *b;
    *b = swapped;
}

// ---- bringing the structure up to date --------------------------------------------------------------------------------

static bp_changes changes_of(const bp_world *world) {
    return (bp_changes){.ids = world->changed.data,
                        .count = world->changed_count,
                        .old_boxes = world->old_boxes.data,
                        .marks = world->marks.data};
}

static bool has_much_changed(const bp_world *world) {
    return world->all_changed || world->changed_count > world->id_count / MUCH_SHARE;
}

// Where many have left their margins, all get new ones: then none will leave for a while.
static void refit(bp_world *world) {
    if (world->config.margin > 0.0f && has_much_changed(world)) {
        bp_world_refit(world);
        world->all_changed = true;
        world->changed_count = 0;
    }
}

// Where much has changed, what is static is not looked at.
static bp_status part_statics(bp_world *world) {
    world->statics.apart = false;
    return has_much_changed(world) && world->config.update != BP_UPDATE_INDIVIDUAL
               ? bp_statics_part(&world->statics, world->ops, world->state, &world->config, bp_world_boxes(world),
                                 bp_world_objects(world), world->id_count)
               : BP_OK;
}

static bp_status synchronise(bp_world *world, bp_answer *answer) {
    const bool was_apart = world->statics.apart;
    *answer = BP_ANSWER_ALL;
    refit(world);
    if (bp_world_is_viewed(world)) {
        world->statics.apart = false; // as it may have been before the first 64-bit box
        const bp_status status = bp_view_make(&world->view, bp_world_seen(world));
        const bool done = status != BP_OK || bp_world_reconsider(world, world->view.boxes, world->view.count);
        return done ? status : world->ops->build(world->state, world->view.boxes, world->view.count);
    }
    if (bp_world_reconsider(world, bp_world_boxes(world), world->id_count)) {
        return BP_OK;
    }
    const bp_status parted = part_statics(world);
    if (parted != BP_OK || world->statics.apart) {
        return parted;
    }
    if (!world->tracks || !world->built || was_apart) {
        return world->ops->build(world->state, bp_world_boxes(world), world->id_count);
    }
    const bp_changes changes = changes_of(world);
    const bool known = !world->all_changed && world->pairs.count < BP_PAIR_INDEX_MOST;
    return world->ops->update(world->state, bp_world_boxes(world), world->id_count, known ? &changes : NULL, answer);
}

// ---- all pairs --------------------------------------------------------------------------------------------------------

// One search into a list.
static bp_status search(bp_world *world, bp_answer answer, bp_pairs *list, size_t expected, uint64_t *tests) {
    const bp_changes changes = changes_of(world);
    const bp_sieve sieve = sieve_of(world);
    bp_sink sink = bp_sink_open(list, &world->config);
    sink.sieve = has_sieve(world) ? &sieve : NULL;
    bp_sink_expect(&sink, expected);
    bp_status status = answer == BP_ANSWER_ALL ? world->ops->find(world->state, &sink)
                                               : world->ops->find_changed(world->state, &changes, &sink);
    if (status == BP_OK && answer == BP_ANSWER_ALL && world->statics.apart) {
        status = bp_statics_find(&world->statics, world->ops, world->state, &sink);
    }
    (void)bp_sink_close(&sink, list);
    *tests = sink.tests;
    return status;
}

// A sorted copy of a list.
static bool order(bp_world *world, const bp_pairs *list, bp_pairs *ordered) {
    ordered->count = 0;
    if (!bp_pairs_reserve(ordered, &world->config.allocator, list->count)) {
        return false;
    }
    if (list->count > 0) {
        memcpy(ordered->data, list->data, list->count * sizeof *list->data);
    }
    ordered->count = list->count;
    return sort(world, ordered);
}

// The events from the last list to a new one. Lists that are not sorted are compared by sorted copies; that of the new
// one serves next time.
static bool tell_events(bp_world *world, const bp_pairs *next) {
    const bp_allocator *allocator = &world->config.allocator;
    const uint8_t *marks = bp_world_marks(world);
    if (is_sorted(world)) {
        return bp_events_between(&world->pairs, next, marks, allocator, &world->begun, &world->ended);
    }
    bp_pairs *before = &world->ordered, *after = &world->ordered_next;
    if ((!world->has_ordered && !order(world, &world->pairs, before)) || !order(world, next, after) ||
        !bp_events_between(before, after, marks, allocator, &world->begun, &world->ended)) {
        return false;
    }
    swap(before, after);
    world->has_ordered = true;
    return true;
}

static bp_status find_all(bp_world *world, uint64_t *tests) {
    bp_pairs *list = has_events(world) ? &world->spare : &world->pairs;
    bp_status status = search(world, BP_ANSWER_ALL, list, world->pairs.count, tests);
    if (status == BP_OK &&
        ((is_sorted(world) && !sort(world, list)) || (has_events(world) && !tell_events(world, list)))) {
        status = BP_ERROR_MEMORY;
    }
    if (status != BP_OK) {
        list->count = 0; // half a list is none
        return status;
    }
    if (has_events(world)) {
        swap(&world->pairs, &world->spare);
    }
    world->indexed = false;
    return BP_OK;
}

// ---- the pairs of what changed ------------------------------------------------------------------------------------------

static bool is_marked(const bp_world *world, bp_pair pair) {
    const uint8_t *marks = bp_world_marks(world);
    return (marks[pair.a] | marks[pair.b]) != 0;
}

// The pairs of changed objects in the list.
static bool copy_changed(bp_world *world, bp_pairs *copy) {
    copy->count = 0;
    for (size_t i = 0; i < world->pairs.count; ++i) {
        if (is_marked(world, world->pairs.data[i])) {
            if (!bp_pairs_reserve(copy, &world->config.allocator, copy->count + 1)) {
                return false;
            }
            copy->data[copy->count++] = world->pairs.data[i];
        }
    }
    return true;
}

static void replace_changed(bp_world *world, const bp_pairs *found) {
    size_t kept = 0;
    for (size_t i = 0; i < world->pairs.count; ++i) {
        const bp_pair pair = world->pairs.data[i];
        world->pairs.data[kept] = pair;
        kept += !is_marked(world, pair);
    }
    for (size_t i = 0; i < found->count; ++i) {
        world->pairs.data[kept++] = found->data[i];
    }
    world->pairs.count = kept;
}

static bp_status find_changed(bp_world *world, uint64_t *tests) {
    const bp_allocator *allocator = &world->config.allocator;
    const bp_status status = search(world, BP_ANSWER_CHANGED, &world->begun, world->begun.count, tests);
    if (status != BP_OK) {
        return status;
    }
    const size_t most = world->pairs.count + world->begun.count;
    if ((has_events(world) &&
         (!copy_changed(world, &world->ended) || !sort(world, &world->ended) || !sort(world, &world->begun))) ||
        !bp_pairs_reserve(&world->pairs, allocator, most) ||
        !bp_buffer_reserve_slack(&world->sort_scratch, allocator, 0, is_sorted(world) ? most : 0, sizeof(bp_pair))) {
        return BP_ERROR_MEMORY;
    }
    replace_changed(world, &world->begun);
    if (is_sorted(world)) {
        (void)sort(world, &world->pairs); // it has its memory
    }
    if (has_events(world)) {
        (void)bp_events_cancel(&world->begun, &world->ended, bp_world_marks(world));
    }
    world->indexed = false;
    world->has_ordered = false;
    return BP_OK;
}

// ---- the difference -------------------------------------------------------------------------------------------------------

static bp_status search_difference(bp_world *world, uint64_t *tests) {
    const bp_changes changes = changes_of(world);
    const bp_sieve sieve = sieve_of(world);
    bp_sink begun = bp_sink_open(&world->begun, &world->config), ended = bp_sink_open(&world->ended, &world->config);
    begun.sieve = has_sieve(world) ? &sieve : NULL;
    const bp_status status = world->ops->find_difference(world->state, &changes, &begun, &ended);
    (void)bp_sink_close(&begun, &world->begun);
    (void)bp_sink_close(&ended, &world->ended);
    *tests = begun.tests;
    return status;
}

static bool index_pairs(bp_world *world) {
    const size_t most = world->pairs.count + world->begun.count;
    if (!bp_pairs_reserve(&world->pairs, &world->config.allocator, most)) {
        return false;
    }
    if (!world->indexed || !bp_pair_index_fits(&world->index, most)) {
        world->indexed = false;
        world->indexed = bp_pair_index_build(&world->index, &world->config.allocator, &world->pairs, most);
    }
    return world->indexed;
}

// Asks for what the pairs will need that follow pair i.
static void prefetch(const bp_world *world, const bp_pairs *pairs, size_t i) {
    const size_t soon = i + PREFETCHED, later = soon + PREFETCHED;
    if (later < pairs->count) {
        bp_pair_index_prefetch(&world->index, pairs->data[later]);
        bp_pair_index_prefetch_pair(&world->index, &world->pairs, pairs->data[soon]);
    }
}

// What ended was there only if its objects had passed the sieve.
static void keep_indexed(const bp_world *world, bp_pairs *ended) {
    size_t kept = 0;
    for (size_t i = 0; i < ended->count; ++i) {
        prefetch(world, ended, i);
        const bp_pair pair = ended->data[i];
        ended->data[kept] = pair;
        kept += bp_pair_index_has(&world->index, &world->pairs, pair);
    }
    ended->count = kept;
}

// What begins takes the places of what has ended, as far as they go. Not where a pair does both: then it has to leave
// before it can join.
static void apply_indexed(bp_world *world, bool in_both) {
    const bp_pairs *begun = &world->begun, *ended = &world->ended;
    size_t i = 0, k = 0;
    for (; !in_both && i < begun->count && k < ended->count; ++i, ++k) {
        prefetch(world, begun, i);
        prefetch(world, ended, k);
        bp_pair_index_replace(&world->index, &world->pairs, ended->data[k], begun->data[i]);
    }
    for (; k < ended->count; ++k) {
        bp_pair_index_remove(&world->index, &world->pairs, ended->data[k]);
    }
    for (; i < begun->count; ++i) {
        bp_pair_index_add(&world->index, &world->pairs, begun->data[i]);
    }
}

static bool change_unsorted(bp_world *world) {
    if (!index_pairs(world)) {
        return false;
    }
    if (has_sieve(world)) {
        keep_indexed(world, &world->ended);
    }
    apply_indexed(world, bp_events_cancel(&world->begun, &world->ended, bp_world_marks(world)) > 0);
    world->has_ordered = false;
    return true;
}

static bool change_sorted(bp_world *world) {
    bp_events_keep_known(&world->ended, &world->pairs);
    (void)bp_events_cancel(&world->begun, &world->ended, bp_world_marks(world));
    if (!bp_events_apply(&world->pairs, &world->begun, &world->ended, &world->config.allocator, &world->spare)) {
        return false;
    }
    swap(&world->pairs, &world->spare);
    return true;
}

static bp_status find_difference(bp_world *world, uint64_t *tests) {
    const bp_status status = search_difference(world, tests);
    if (status != BP_OK) {
        return status;
    }
    if (!sort(world, &world->begun) || !sort(world, &world->ended)) {
        return BP_ERROR_MEMORY;
    }
    return (is_sorted(world) ? change_sorted(world) : change_unsorted(world)) ? BP_OK : BP_ERROR_MEMORY;
}

// ---- all together ---------------------------------------------------------------------------------------------------------

static bp_status find(bp_world *world, bp_answer answer, uint64_t *tests) {
    switch (answer) {
    case BP_ANSWER_CHANGED: return find_changed(world, tests);
    case BP_ANSWER_DIFFERENCE: return find_difference(world, tests);
    case BP_ANSWER_ALL:
    default: return find_all(world, tests);
    }
}

static bp_status refresh(bp_world *world) {
    bp_stats stats = {0};
    bp_answer answer = BP_ANSWER_ALL;
    ++world->version;
    const double start = bp_clock_seconds();
    bp_status status = synchronise(world, &answer);
    const double built = bp_clock_seconds();
    world->built = false; // until all has succeeded
    if (status == BP_OK) {
        status = find(world, answer, &stats.tests);
    }
    if (status != BP_OK) {
        return status;
    }
    stats.method = world->method;
    stats.choice = world->chooser.choice;
    world->ops->stats(world->state, &stats);
    if (world->statics.apart) {
        bp_stats fixed = {0};
        world->ops->stats(world->statics.state, &fixed);
        stats.bytes += fixed.bytes;
    }
    stats.build_seconds = built - start;
    stats.find_seconds = bp_clock_seconds() - built;
    world->stats = stats;
    bp_world_forget_changes(world);
    world->all_changed = false;
    world->dirty = false;
    world->built = true;
    return BP_OK;
}

static size_t list_bytes(const bp_pairs *pairs) {
    return pairs->capacity * sizeof(bp_pair);
}

static void describe(bp_world *world) {
    world->stats.objects = bp_world_count(world);
    world->stats.pairs = world->pairs.count;
    world->stats.bytes += bp_view_bytes(&world->view) + world->statics.moving.bytes + world->statics.fixed.bytes +
                          world->wide_boxes.bytes + world->given.bytes + world->free.bytes + world->objects.bytes +
                          world->changed.bytes + world->old_boxes.bytes + world->marks.bytes +
                          world->sort_scratch.bytes + world->index.slots.bytes + list_bytes(&world->begun) +
                          list_bytes(&world->ended) + list_bytes(&world->spare) + list_bytes(&world->ordered) +
                          list_bytes(&world->ordered_next);
}

// Nothing has changed: the same pairs as last time.
static void rest(bp_world *world) {
    world->stats.tests = 0;
    world->stats.build_seconds = 0.0;
    world->stats.find_seconds = 0.0;
    world->begun.count = 0;
    world->ended.count = 0;
}

static bp_result result_of(const bp_world *world) {
    bp_result result = {.pairs = world->pairs.data, .pair_count = world->pairs.count, .stats = world->stats};
    if (has_events(world)) {
        result.begun = world->begun.data;
        result.begun_count = world->begun.count;
        result.ended = world->ended.data;
        result.ended_count = world->ended.count;
    }
    return result;
}

bp_status bp_update(bp_world *world, bp_result *result) {
    if (world == NULL || bp_world_is_busy(world)) {
        return BP_ERROR_ARGUMENT;
    }
    if (!bp_world_record_step(world)) {
        return bp_world_refuse(world, BP_ERROR_ARGUMENT, "recording: the write function failed; recording has ended");
    }
    if (world->dirty) {
        world->busy = true;
        const bp_status status = refresh(world);
        world->busy = false;
        if (status != BP_OK) {
            return status;
        }
        describe(world);
        bp_warn(&world->config, &world->stats, &world->warned);
    } else {
        rest(world);
    }
    if (result != NULL) {
        *result = result_of(world);
    }
    return BP_OK;
}
