// An update: from what changed to pairs.
#include "clock.h"
#include "config.h"
#include "sort.h"
#include "world.h"

// Drops the pairs of changed objects.
static void drop_changed(bp_world *world) {
    const uint8_t *marks = bp_world_marks(world);
    size_t kept = 0;
    for (size_t i = 0; i < world->pairs.count; ++i) {
        const bp_pair pair = world->pairs.data[i];
        world->pairs.data[kept] = pair;
        kept += (marks[pair.a] | marks[pair.b]) == 0;
    }
    world->pairs.count = kept;
}

static bp_status synchronise(bp_world *world, bool *only_changed) {
    *only_changed = false;
    if (world->tracks && world->built) {
        const bp_id *changed = world->all_changed ? NULL : world->changed.data;
        return world->ops->update(world->state, bp_world_boxes(world), world->id_count, changed, world->changed_count,
                                  only_changed);
    }
    return world->ops->build(world->state, bp_world_boxes(world), world->id_count);
}

// The pairs of this update: all afresh, or only those of what changed.
static bp_status find(bp_world *world, bool only_changed, uint64_t *tests) {
    if (only_changed) {
        drop_changed(world);
    }
    const size_t kept = only_changed ? world->pairs.count : 0;
    bp_sink sink = bp_sink_open(&world->pairs, &world->config);
    const bp_sieve sieve = {.objects = bp_world_objects(world), .filter = world->config.filter};
    sink.sieve = sieve.objects != NULL || sieve.filter.pass != NULL ? &sieve : NULL;
    sink.count = kept;
    bp_sink_expect(&sink, world->pairs.count - kept);
    const bp_status status = only_changed ? world->ops->find_changed(world->state, world->changed.data,
                                                                     world->changed_count, bp_world_marks(world), &sink)
                                          : world->ops->find(world->state, &sink);
    (void)bp_sink_close(&sink, &world->pairs);
    *tests = sink.tests;
    return status;
}

static bp_status refresh(bp_world *world) {
    bp_stats stats = {.method = world->method};
    bool only_changed = false;
    const double start = bp_clock_seconds();
    bp_status status = synchronise(world, &only_changed);
    const double built = bp_clock_seconds();
    world->built = false; // until all has succeeded
    if (status == BP_OK) {
        status = find(world, only_changed, &stats.tests);
    }
    if (status == BP_OK && world->config.pair_order == BP_ORDER_SORTED &&
        !bp_sort_pairs(world->pairs.data, world->pairs.count, world->id_count, &world->sort_scratch,
                       &world->config.allocator)) {
        status = BP_ERROR_MEMORY;
    }
    if (status != BP_OK) {
        return status;
    }
    world->ops->stats(world->state, &stats);
    stats.build_seconds = built - start;
    stats.find_seconds = bp_clock_seconds() - built;
    world->stats = stats;
    bp_world_forget_changes(world);
    world->all_changed = false;
    world->dirty = false;
    world->built = true;
    return BP_OK;
}

static void describe(bp_world *world) {
    world->stats.objects = bp_world_count(world);
    world->stats.pairs = world->pairs.count;
    world->stats.bytes += world->free.bytes + world->objects.bytes + world->changed.bytes + world->marks.bytes +
                          world->sort_scratch.bytes;
}

bp_status bp_update(bp_world *world, bp_result *result) {
    if (world == NULL) {
        return BP_ERROR_ARGUMENT;
    }
    if (world->dirty) {
        const bp_status status = refresh(world);
        if (status != BP_OK) {
            return status;
        }
        describe(world);
    } else { // the same pairs as last time
        world->stats.tests = 0;
        world->stats.build_seconds = 0.0;
        world->stats.find_seconds = 0.0;
    }
    if (result != NULL) {
        *result = (bp_result){.pairs = world->pairs.data, .pair_count = world->pairs.count, .stats = world->stats};
    }
    return BP_OK;
}
