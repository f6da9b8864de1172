#include "world/pair_rows.h"

#include "base/log.h"
#include "world/query/shortlist.h"

#include <stdatomic.h>
#include <string.h>

enum { PATIENCE = 8 }; // calls before the rows are made

struct bp_pair_rows {
    bp_buffer offsets; // of size_t, one more than there are ids
    bp_buffer others;  // of bp_id
    size_t id_count;
    atomic_uint_fast64_t counted; // version of the pairs, and calls since then
    atomic_uint_fast64_t made;    // version that the rows are valid for
    atomic_bool making;
};

enum { COUNT_BITS = 8 };

bp_pair_rows *bp_pair_rows_create(const bp_allocator *allocator) {
    bp_pair_rows *rows = allocator->allocate(allocator->context, sizeof *rows);
    if (rows != NULL) {
        *rows = (bp_pair_rows){.id_count = 0};
        atomic_init(&rows->counted, 0);
        atomic_init(&rows->made, 0);
        atomic_init(&rows->making, false);
    }
    return rows;
}

void bp_pair_rows_destroy(bp_pair_rows *rows, const bp_allocator *allocator) {
    if (rows != NULL) {
        bp_buffer_free(&rows->offsets, allocator);
        bp_buffer_free(&rows->others, allocator);
        allocator->release(allocator->context, rows, sizeof *rows);
    }
}

// ---- making ---------------------------------------------------------------------------------------------------------

static size_t count_ids(const bp_pairs *pairs) {
    size_t count = 0;
    for (size_t i = 0; i < pairs->count; ++i) {
        count = pairs->data[i].b >= count ? (size_t)pairs->data[i].b + 1 : count;
    }
    return count;
}

// Each offset is first a count, then where a row begins, and after placing where it ends: which is where the next begins.
static void place_others(const bp_pairs *pairs, size_t id_count, size_t *offsets, bp_id *others) {
    memset(offsets, 0, (id_count + 1) * sizeof *offsets);
    for (size_t i = 0; i < pairs->count; ++i) {
        ++offsets[pairs->data[i].a + 1];
        ++offsets[pairs->data[i].b + 1];
    }
    size_t sum = 0;
    for (size_t id = 0; id < id_count; ++id) {
        const size_t here = offsets[id + 1];
        offsets[id + 1] = sum;
        sum += here;
    }
    for (size_t i = 0; i < pairs->count; ++i) {
        const bp_pair pair = pairs->data[i];
        others[offsets[pair.a + 1]++] = pair.b;
        others[offsets[pair.b + 1]++] = pair.a;
    }
}

static bool make_pair_rows(bp_pair_rows *rows, const bp_pairs *pairs, const bp_allocator *allocator) {
    rows->id_count = count_ids(pairs);
    if (!bp_buffer_reserve_slack(&rows->offsets, allocator, 0, rows->id_count + 1, sizeof(size_t)) ||
        !bp_buffer_reserve_slack(&rows->others, allocator, 0, bp_size_multiply(pairs->count, 2), sizeof(bp_id))) {
        return false;
    }
    place_others(pairs, rows->id_count, rows->offsets.data, rows->others.data);
    return true;
}

// Counts a call; true if there have been enough. If several threads count at once, some counts may be lost.
static bool is_due(bp_pair_rows *rows, uint64_t version) {
    const uint64_t mask = ((uint64_t)1 << COUNT_BITS) - 1, last = atomic_load(&rows->counted);
    const uint64_t count = last >> COUNT_BITS == version ? last & mask : 0;
    if (count < PATIENCE) {
        atomic_store(&rows->counted, version << COUNT_BITS | (count + 1));
    }
    return count == PATIENCE;
}

static void try_to_make(bp_pair_rows *rows, const bp_world *world) {
    const uint64_t version = world->pair_version;
    if (atomic_exchange(&rows->making, true)) {
        return;
    }
    if (atomic_load(&rows->made) != version) { // no other thread has made them meanwhile
        if (make_pair_rows(rows, &world->lists.pairs, bp_world_allocator(world))) {
            atomic_store(&rows->made, version);
        } else {
            atomic_store(&rows->made, 0);
            atomic_store(&rows->counted, version << COUNT_BITS); // try again, but not at once
        }
    }
    atomic_store(&rows->making, false);
}

static bool has_rows(const bp_world *world) {
    bp_pair_rows *rows = world->pair_rows;
    const uint64_t version = world->pair_version;
    if (atomic_load(&rows->made) != version && is_due(rows, version)) {
        try_to_make(rows, world);
    }
    return atomic_load(&rows->made) == version;
}

// ---- asking ---------------------------------------------------------------------------------------------------------

static void list_from_row(const bp_pair_rows *rows, bp_id id, bp_shortlist *list) {
    const size_t *offsets = rows->offsets.data;
    const bp_id *others = rows->others.data;
    for (size_t i = id < rows->id_count ? offsets[id] : 0; id < rows->id_count && i < offsets[id + 1]; ++i) {
        bp_shortlist_offer(list, others[i], 0.0);
    }
}

static void list_from_pairs(const bp_pairs *pairs, bp_id id, bp_shortlist *list) {
    for (size_t i = 0; i < pairs->count; ++i) {
        const bp_pair pair = pairs->data[i];
        if (pair.a == id || pair.b == id) {
            bp_shortlist_offer(list, pair.a == id ? pair.b : pair.a, 0.0);
        }
    }
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
    bp_shortlist list = bp_shortlist_of_ids(others, capacity);
    if (has_rows(world)) {
        list_from_row(world->pair_rows, id, &list);
    } else {
        list_from_pairs(&world->lists.pairs, id, &list);
    }
    return bp_shortlist_finish(&list, found);
}
