// The pairs of one object. The rows of all objects may be there after an update in which few have changed; else the first
// calls after an update go through all pairs, and the thread of a later one makes the rows, while others continue as before.
// Nobody waits, and if memory is refused, only time is lost.
#include "base/log.h"
#include "world/query/shortlist.h"
#include "world/world.h"

enum { PATIENCE = 8, COUNT_BITS = 8 }; // calls before the rows are made

// Counts a call; true if there have been enough. If several threads count at once, some counts may be lost.
static bool is_due(bp_pair_rows *rows, uint64_t version) {
    const uint64_t mask = ((uint64_t)1 << COUNT_BITS) - 1, last = atomic_load(&rows->asked);
    const uint64_t count = last >> COUNT_BITS == version ? last & mask : 0;
    if (count < PATIENCE) {
        atomic_store(&rows->asked, version << COUNT_BITS | (count + 1));
    }
    return count == PATIENCE;
}

static bool has_rows(bp_pair_rows *rows, const bp_world *world) {
    const uint64_t version = world->pair_version;
    const bp_pairs *pairs = &world->lists.pairs;
    if (atomic_load(&rows->version) != version && bp_pair_rows_fit(pairs->count) && is_due(rows, version) &&
        !atomic_exchange(&rows->is_making, true)) {
        if (atomic_load(&rows->version) != version) { // no other thread has made them meanwhile
            const bool is_made = bp_pair_rows_make(rows, pairs, world->ids.count, bp_world_allocator(world));
            atomic_store(&rows->version, is_made ? version : 0);
            atomic_store(&rows->asked, version << COUNT_BITS); // if not: try again, but not at once
        }
        atomic_store(&rows->is_making, false);
    }
    return atomic_load(&rows->version) == version;
}

bp_status bp_pairs_of(const bp_world *world, bp_id id, bp_id *others, size_t capacity, size_t *found) {
    if (world == NULL || bp_world_is_updating(world)) {
        return BP_ERROR_ARGUMENT;
    }
    if (others == NULL && capacity > 0) {
        return bp_world_refuse(world, BP_ERROR_ARGUMENT, "others: NULL, but the capacity is not 0");
    }
    if (!bp_world_is_alive(world, id)) {
        bp_log_write(bp_world_log(world), "id %lu is not alive in this world", (unsigned long)id);
        return BP_ERROR_ID;
    }
    if (world->has_failed) {
        return bp_world_refuse(world, BP_ERROR_ARGUMENT, "the last update failed: there are no pairs until the next");
    }
    bp_shortlist list = bp_shortlist_begin(others, sizeof *others, capacity);
    bp_pair_rows *rows = world->lists.rows;
    if (has_rows(rows, world)) {
        const bp_pair_entry *entries = NULL;
        const size_t count = bp_pair_rows_of(rows, id, &entries);
        for (size_t i = 0; i < count; ++i) {
            bp_shortlist_offer(&list, entries[i].other, 0.0);
        }
    } else {
        for (size_t i = 0; i < world->lists.pairs.count; ++i) {
            const bp_pair pair = world->lists.pairs.data[i];
            if (pair.a == id || pair.b == id) {
                bp_shortlist_offer(&list, pair.a == id ? pair.b : pair.a, 0.0);
            }
        }
    }
    return bp_shortlist_finish(&list, found);
}
