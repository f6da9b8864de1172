// An update: which ranks need which objects, the search, and the commit.
//
//     regions -> list changes -> exchange, broadcast -> local world -> pairs, events, directory -> agree -> commit
//
// The ranks that know an object are not stored: they follow from the box that was last sent and the regions. Nearly all
// objects concern this rank alone before and after, which takes a few comparisons to see.
#include "base/clock.h"
#include "world.h"

#include <stdlib.h>
#include <string.h>

enum { EXPECTED = 8 }; // objects that are prefetched

// ---- changes to send -----------------------------------------------------------------------------------------------

static size_t record_size(const bp_mpi_world *world) {
    return (sizeof(bp_mpi_record) + world->config.user_bytes + 7) / 8 * 8;
}

size_t bp_mpi_concerned(bp_mpi_regions *regions, const bp_box *box, int *ranks, bool *is_broadcast, int *owner) {
    double centre[3];
    bp_mpi_centre_of(regions, box, centre);
    *owner = bp_mpi_rank_of_point(regions, centre);
    size_t count = bp_mpi_ranks_of_box(regions, box, ranks, is_broadcast);
    uint32_t *marks = regions->marks.data;
    if (regions->size > 1 && marks[*owner] != regions->mark) {
        marks[*owner] = regions->mark;
        ranks[count++] = *owner;
    }
    return count;
}

static void fill_record(const bp_mpi_world *world, size_t index, int owner, uint32_t tells, bp_mpi_record *record) {
    const bp_mpi_owned_objects *owned = &world->owned;
    const size_t bytes = world->config.user_bytes;
    *record = (bp_mpi_record){.id = ((const uint64_t *)owned->ids.data)[index],
                              .box = ((const bp_box *)owned->boxes.data)[index],
                              .object = ((const bp_object *)owned->objects.data)[index],
                              .owner = owner,
                              .sender = world->comm.rank,
                              .flags = tells};
    if (bytes > 0) {
        memcpy(record + 1, (const char *)owned->user.data + index * bytes, bytes);
    }
}

static bool tell_rank(bp_mpi_world *world, int rank, size_t index, int owner, uint32_t tells) {
    bp_mpi_record *record = bp_mpi_outbox_add(&world->update.out, bp_mpi_allocator(world), rank);
    if (record != NULL) {
        fill_record(world, index, owner, tells, record);
    }
    return record != NULL;
}

static bool tell_all(bp_mpi_world *world, size_t index, int owner, uint32_t tells) {
    bp_mpi_record *record = bp_mpi_list_add(&world->update.cast, bp_mpi_allocator(world), record_size(world));
    if (record != NULL) {
        fill_record(world, index, owner, tells, record);
    }
    return record != NULL;
}

// Which ranks an owned object concerns, before and after.
typedef struct spread {
    size_t index;
    bool known;  // it was there at the last update
    bool shared; // it concerns other ranks
    bool cast;   // all of them
    bool here;   // it concerns this rank
    int owner;
    uint32_t tells;
} spread;

static bool add_id(bp_mpi_world *world, bp_mpi_list *list, bp_id id) {
    bp_id *place = bp_mpi_list_add(list, bp_mpi_allocator(world), sizeof *place);
    if (place != NULL) {
        *place = id;
    }
    return place != NULL;
}

static bool add_move(bp_mpi_world *world, bp_id id, const bp_box *box) {
    bp_box *place = bp_mpi_list_add(&world->update.moved, bp_mpi_allocator(world), sizeof *place);
    if (place != NULL) {
        *place = *box;
    }
    return place != NULL && add_id(world, &world->update.moves, id);
}

static bool enter_local(bp_mpi_world *world, const spread *self) {
    const bp_mpi_owned_objects *owned = &world->owned;
    bp_mpi_addition *added = bp_mpi_list_add(&world->update.adds, bp_mpi_allocator(world), sizeof *added);
    if (added == NULL) {
        return false;
    }
    const size_t bytes = world->config.user_bytes;
    const uint8_t flags = ((const uint8_t *)owned->flags.data)[self->index];
    *added =
        (bp_mpi_addition){.id = ((const uint64_t *)owned->ids.data)[self->index],
                          .box = ((const bp_box *)owned->boxes.data)[self->index],
                          .object = ((const bp_object *)owned->objects.data)[self->index],
                          .user = bytes > 0 ? (const char *)owned->user.data + self->index * bytes : NULL,
                          .owned = (uint32_t)self->index,
                          .flags = (uint8_t)((self->shared ? BP_MPI_SHARED : 0) | (self->cast ? BP_MPI_BROADCAST : 0) |
                                             ((flags & BP_MPI_NEWBORN) != 0 ? BP_MPI_BORN : 0))};
    return true;
}

// Lists its change in this rank's local world.
static bool act_locally(bp_mpi_world *world, const spread *self) {
    bp_id *core = &((bp_id *)world->owned.core.data)[self->index];
    const bool was_here = self->known && *core != BP_NO_ID;
    if (!was_here) {
        *core = BP_NO_ID;
        return !self->here || enter_local(world, self);
    }
    const bp_id id = *core;
    if (!self->here) {
        *core = BP_NO_ID;
        return add_id(world, &world->update.removes, id);
    }
    uint8_t *flags = &((uint8_t *)world->local.flags.data)[id];
    *flags = (uint8_t)((*flags & BP_MPI_SHARED_BEFORE) | (self->shared ? BP_MPI_SHARED : 0) |
                       (self->cast ? BP_MPI_BROADCAST : 0));
    const bp_box *box = &((const bp_box *)world->owned.boxes.data)[self->index];
    ((bp_box *)world->local.boxes.data)[id] = *box;
    uint64_t *tagged = &((uint64_t *)world->local.ids.data)[id];
    *tagged = bp_mpi_tagged(*tagged, *flags);
    const bool placed = (((const uint8_t *)world->owned.flags.data)[self->index] & BP_MPI_PLACED) != 0;
    const bool restated = (self->tells & BP_MPI_TELLS_RESTATED) != 0;
    return (placed || add_move(world, id, box)) && (!restated || add_id(world, &world->update.restated, id));
}

static bool leave(bp_mpi_world *world, const spread *self) {
    if (self->owner == world->comm.rank) {
        return true;
    }
    bp_mpi_leaver *leaver = bp_mpi_list_add(&world->update.leavers, bp_mpi_allocator(world), sizeof *leaver);
    if (leaver != NULL) {
        *leaver = (bp_mpi_leaver){.index = (uint32_t)self->index, .rank = self->owner};
    }
    return leaver != NULL;
}

// Sends records to the ranks that the object concerns now, and to those that it concerned.
static bool tell_others(bp_mpi_world *world, spread *self, bool was_shared) {
    bp_mpi_update_state *update = &world->update;
    bp_mpi_regions *regions = update->regions;
    const bp_box *box = &((const bp_box *)world->owned.boxes.data)[self->index];
    const bp_box *sent = &((const bp_box *)world->owned.sent.data)[self->index];
    int *before = update->ranks_before.data, *now = update->ranks.data, old_owner;
    bool was_cast = false;
    const size_t before_count = was_shared ? bp_mpi_concerned(regions, sent, before, &was_cast, &old_owner) : 0;
    const size_t count = bp_mpi_concerned(regions, box, now, &self->cast, &self->owner);
    const uint32_t *marks = regions->marks.data, mark = regions->mark;
    const int me = world->comm.rank;
    self->here = self->cast || marks[me] == mark;
    self->shared = self->cast || count > 1 || !self->here;
    if (self->cast || was_cast) {
        return tell_all(world, self->index, self->owner, self->tells | (self->cast ? BP_MPI_TELLS_ALL : 0u));
    }
    bool good = true;
    for (size_t i = 0; good && i < count; ++i) {
        good = now[i] == me || tell_rank(world, now[i], self->index, self->owner, self->tells);
    }
    for (size_t i = 0; good && i < before_count; ++i) {
        good = before[i] == me || marks[before[i]] == mark ||
               tell_rank(world, before[i], self->index, self->owner, BP_MPI_TELLS_DROP);
    }
    return good;
}

// Keeps the box that others know from now on. (After a failed update everything is sent again, so it does not matter.)
static void note_spread(bp_mpi_world *world, const spread *self) {
    uint8_t *flags = &((uint8_t *)world->owned.flags.data)[self->index];
    *flags = (uint8_t)((*flags & BP_MPI_NEWS) | (self->shared ? BP_MPI_ABROAD : 0u));
    ((bp_box *)world->owned.sent.data)[self->index] = ((const bp_box *)world->owned.boxes.data)[self->index];
}

static bool plan_one(bp_mpi_world *world, size_t index) {
    const uint8_t flags = ((const uint8_t *)world->owned.flags.data)[index];
    const bp_id core = ((const bp_id *)world->owned.core.data)[index];
    const bp_box *box = &((const bp_box *)world->owned.boxes.data)[index];
    spread self = {.index = index,
                   .known = !world->update.full && (flags & BP_MPI_NEWBORN) == 0,
                   .here = true,
                   .owner = world->comm.rank,
                   .tells = ((flags & BP_MPI_NEWBORN) != 0 ? BP_MPI_TELLS_BORN : 0u) |
                            ((flags & BP_MPI_RESTATED) != 0 ? BP_MPI_TELLS_RESTATED : 0u)};
    const bool was_shared = self.known && (core == BP_NO_ID || (flags & BP_MPI_ABROAD) != 0);
    const bool plain = !was_shared && bp_mpi_is_inside(world->update.regions, box);
    const bool good = (plain || tell_others(world, &self, was_shared)) && act_locally(world, &self);
    note_spread(world, &self);
    return good && leave(world, &self);
}

// A removed object: the ranks that know it are told to drop it.
static bool plan_removal(bp_mpi_world *world, const bp_mpi_removed *removed) {
    bp_mpi_update_state *update = &world->update;
    const uint8_t *flags = world->local.flags.data;
    const bp_allocator *allocator = bp_mpi_allocator(world);
    if (update->full) {
        return true; // everything is sent again
    }
    bool good = removed->core == BP_NO_ID || add_id(world, &update->removes, removed->core);
    if (!good || world->comm.size == 1 || (removed->core != BP_NO_ID && (flags[removed->core] & BP_MPI_SHARED) == 0)) {
        return good;
    }
    const bp_mpi_record drop = {
        .id = removed->id, .box = removed->sent, .sender = world->comm.rank, .flags = BP_MPI_TELLS_DROP};
    int *ranks = update->ranks.data, owner;
    bool cast;
    const size_t count = bp_mpi_concerned(update->regions, &removed->sent, ranks, &cast, &owner);
    for (size_t i = 0; good && i < (cast ? 1 : count); ++i) {
        bp_mpi_record *record = cast ? bp_mpi_list_add(&update->cast, allocator, record_size(world))
                                : ranks[i] != world->comm.rank ? bp_mpi_outbox_add(&update->out, allocator, ranks[i])
                                                               : NULL;
        good = record != NULL || (!cast && ranks[i] == world->comm.rank);
        if (record != NULL) {
            memset(record, 0, record_size(world));
            *record = drop;
        }
    }
    return good;
}

static void begin_update(bp_mpi_world *world, bool full, bp_mpi_regions *regions) {
    bp_mpi_update_state *update = &world->update;
    bp_mpi_list *lists[] = {&update->cast, &update->leavers, &update->flagged, &update->arrivals, &update->removes,
                            &update->adds, &update->moves,   &update->moved,   &update->restated};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) lists[i]->count = 0;
    bp_mpi_outbox_begin(&update->out, record_size(world));
    bp_mpi_outbox_begin(&update->signs, sizeof(bp_mpi_record));
    update->full = full;
    update->regions = regions;
    update->heard_count = 0;
    if (full) {
        bp_mpi_map_clear(&world->local.ghosts);
    }
}

// On a single rank nothing is sent: new objects are added to the local world, changed ones are changed there.
static bool plan_alone(bp_mpi_world *world, size_t index) {
    const uint8_t flags = ((const uint8_t *)world->owned.flags.data)[index];
    const bp_id core = ((const bp_id *)world->owned.core.data)[index];
    if (world->update.full || (flags & BP_MPI_NEWBORN) != 0) {
        const spread self = {.index = index, .here = true};
        return enter_local(world, &self);
    }
    const bool moved = (flags & (BP_MPI_MOVED | BP_MPI_PLACED)) == BP_MPI_MOVED;
    return (!moved || add_move(world, core, &((const bp_box *)world->owned.boxes.data)[index])) &&
           ((flags & BP_MPI_RESTATED) == 0 || add_id(world, &world->update.restated, core));
}

// The first changed object from `index` on, or `count`. Few have changed, so eight flags are tested at once.
static size_t next_news(const uint8_t *flags, size_t index, size_t count) {
    static const uint64_t NEWS_OF_EIGHT = BP_MPI_NEWS * UINT64_C(0x0101010101010101);
    uint64_t eight = 0;
    while (index + sizeof eight <= count &&
           (memcpy(&eight, flags + index, sizeof eight), (eight & NEWS_OF_EIGHT) == 0)) {
        index += sizeof eight;
    }
    while (index < count && (flags[index] & BP_MPI_NEWS) == 0) ++index;
    return index;
}

// Lists the owned objects that have changed; in a full update, all.
static bool list_flagged(bp_mpi_world *world) {
    const uint8_t *flags = world->owned.flags.data;
    const bool full = world->update.full;
    const size_t count = world->owned.pending || full ? world->owned.count : 0;
    for (size_t i = full ? 0 : next_news(flags, 0, count); i < count;
         i = full ? i + 1 : next_news(flags, i + 1, count)) {
        uint32_t *place = bp_mpi_list_add(&world->update.flagged, bp_mpi_allocator(world), sizeof *place);
        if (place == NULL) return false;
        *place = (uint32_t)i;
    }
    return true;
}

// Changed objects are scattered in memory, so their data is prefetched.
BP_PREFETCHER expect(const bp_mpi_world *world, const uint32_t *flagged, size_t i, size_t count) {
    const bp_mpi_owned_objects *owned = &world->owned;
    const bp_id *core = owned->core.data;
    const size_t soon = i + EXPECTED, later = soon + EXPECTED;
    if (later < count) {
        bp_prefetch(&core[flagged[later]]);
        bp_prefetch(&((const uint64_t *)owned->ids.data)[flagged[later]]);
        bp_prefetch(&((const bp_box *)owned->boxes.data)[flagged[later]]);
        bp_prefetch(&((const bp_box *)owned->sent.data)[flagged[later]]);
        bp_prefetch(&((const bp_object *)owned->objects.data)[flagged[later]]);
        bp_prefetch(&((const bp_object *)owned->objects.data)[flagged[later]].user);
        bp_prefetch(&((const bp_box *)owned->boxes.data)[flagged[later]].max[2]);
        bp_prefetch(&((const bp_box *)owned->sent.data)[flagged[later]].max[2]);
    }
    if (soon < count && core[flagged[soon]] != BP_NO_ID && !world->update.full) {
        bp_prefetch(&((const uint8_t *)world->local.flags.data)[core[flagged[soon]]]);
        bp_prefetch(&((const uint64_t *)world->local.ids.data)[core[flagged[soon]]]);
        bp_prefetch(&((const bp_box *)world->local.boxes.data)[core[flagged[soon]]]);
    }
}

static bp_status list_changes(bp_mpi_world *world) {
    bp_mpi_update_state *update = &world->update;
    const size_t ranks = (size_t)world->comm.size + 1;
    bool good = bp_buffer_reserve_slack(&update->ranks, bp_mpi_allocator(world), 0, ranks, sizeof(int)) &&
                bp_buffer_reserve_slack(&update->ranks_before, bp_mpi_allocator(world), 0, ranks, sizeof(int)) &&
                list_flagged(world);
    for (size_t i = 0; good && i < world->removed_count; ++i) {
        good = plan_removal(world, &((const bp_mpi_removed *)world->removed.data)[i]);
    }
    const uint32_t *flagged = update->flagged.memory.data;
    for (size_t i = 0; good && i < update->flagged.count; ++i) {
        expect(world, flagged, i, update->flagged.count);
        good = world->comm.size > 1 ? plan_one(world, flagged[i]) : plan_alone(world, flagged[i]);
    }
    return good ? BP_OK : update->out.status != BP_OK ? update->out.status : BP_ERROR_MEMORY;
}

// ---- records from other ranks --------------------------------------------------------------------------------------

// Removes a ghost, if there is one.
static bool hear_drop(bp_mpi_world *world, const bp_mpi_record *record) {
    const uint32_t *ghost = bp_mpi_map_find(&world->local.ghosts, record->id);
    if (ghost == NULL) {
        return true;
    }
    const bool good = add_id(world, &world->update.removes, *ghost);
    bp_mpi_map_erase(&world->local.ghosts, record->id);
    return good;
}

static uint8_t flags_of(const bp_mpi_record *record, uint32_t tells) {
    const bool cast = (tells & BP_MPI_TELLS_ALL) != 0;
    return (uint8_t)(BP_MPI_SHARED | (cast ? BP_MPI_BROADCAST : 0) |
                     ((record->flags & BP_MPI_TELLS_BORN) != 0 ? BP_MPI_BORN : 0));
}

// `shared`: the flags for the ranks that the object concerns after this update.
static bool hear_change(bp_mpi_world *world, const bp_mpi_record *record, bp_id id, uint8_t shared) {
    bp_mpi_local *local = &world->local;
    const size_t bytes = world->config.user_bytes;
    uint8_t *flags = &((uint8_t *)local->flags.data)[id];
    *flags = (uint8_t)((*flags & BP_MPI_SHARED_BEFORE) | shared);
    ((bp_box *)local->boxes.data)[id] = record->box;
    ((uint64_t *)local->ids.data)[id] = bp_mpi_tagged(record->id, shared);
    if ((record->flags & BP_MPI_TELLS_RESTATED) != 0) {
        ((bp_object *)local->objects.data)[id] = record->object;
        if (bytes > 0) memcpy((char *)local->user.data + id * bytes, record + 1, bytes);
    }
    if (record->owner == world->comm.rank) {
        bp_mpi_arrival *arrival = bp_mpi_list_add(&world->update.arrivals, bp_mpi_allocator(world), sizeof *arrival);
        if (arrival == NULL) {
            return false;
        }
        *arrival = (bp_mpi_arrival){.record = record, .core = id};
    }
    return add_move(world, id, &record->box) &&
           ((record->flags & BP_MPI_TELLS_RESTATED) == 0 || add_id(world, &world->update.restated, id));
}

static bool hear_put(bp_mpi_world *world, const bp_mpi_record *record) {
    int *ranks = world->update.ranks.data, owner;
    bool cast;
    // An arrival may concern this rank alone; for a ghost the sender has determined its ranks.
    uint8_t shared = flags_of(record, record->flags);
    if (record->owner == world->comm.rank && !(record->flags & BP_MPI_TELLS_ALL) &&
        bp_mpi_concerned(world->update.regions, &record->box, ranks, &cast, &owner) == 1) {
        shared &= (uint8_t)~BP_MPI_SHARED;
    }
    const uint32_t *ghost = bp_mpi_map_find(&world->local.ghosts, record->id);
    if (ghost != NULL) {
        return hear_change(world, record, *ghost, shared);
    }
    bp_mpi_addition *added = bp_mpi_list_add(&world->update.adds, bp_mpi_allocator(world), sizeof *added);
    if (added != NULL) {
        *added = (bp_mpi_addition){.id = record->id,
                                   .box = record->box,
                                   .object = record->object,
                                   .user = record + 1,
                                   .owned = BP_MPI_NOT_OWNED,
                                   .arrives = record->owner == world->comm.rank,
                                   .flags = shared};
    }
    return added != NULL;
}

// A broadcast object that is no longer for all ranks: this rank keeps it only if it concerns this rank.
static bool is_for_me(bp_mpi_world *world, const bp_mpi_record *record) {
    if ((record->flags & BP_MPI_TELLS_ALL) != 0) {
        return true;
    }
    int owner;
    bool cast;
    (void)bp_mpi_concerned(world->update.regions, &record->box, world->update.ranks.data, &cast, &owner);
    return ((const uint32_t *)world->update.regions->marks.data)[world->comm.rank] == world->update.regions->mark;
}

// Prefetches ghosts: first their slots, then their data.
BP_PREFETCHER expect_ghost(const bp_mpi_world *world, const void *items, size_t i, size_t count) {
    const size_t size = record_size(world), soon = i + EXPECTED, later = soon + EXPECTED;
    if (later < count) {
        bp_mpi_map_expect(&world->local.ghosts, ((const bp_mpi_record *)((const char *)items + later * size))->id);
    }
    if (soon < count) {
        const bp_mpi_record *record = (const bp_mpi_record *)((const char *)items + soon * size);
        const uint32_t *ghost = bp_mpi_map_find(&world->local.ghosts, record->id);
        if (ghost != NULL) {
            bp_prefetch(&((const uint8_t *)world->local.flags.data)[*ghost]);
            bp_prefetch(&((const uint64_t *)world->local.ids.data)[*ghost]);
            bp_prefetch(&((const bp_box *)world->local.boxes.data)[*ghost]);
        }
    }
}

// Drops come first, because an id may be reused in the same update.
static bool hear(bp_mpi_world *world, const void *items, size_t count, bool drops, bool cast) {
    const size_t size = record_size(world);
    bool good = true;
    for (size_t i = 0; good && i < count; ++i) {
        const bp_mpi_record *record = (const bp_mpi_record *)((const char *)items + i * size);
        expect_ghost(world, items, i, count);
        if (cast && record->sender == world->comm.rank) continue;
        const bool forgotten = (record->flags & BP_MPI_TELLS_DROP) != 0;
        const bool drop = forgotten || (cast && !is_for_me(world, record));
        if (drop == drops) {
            good = drop ? hear_drop(world, record) : hear_put(world, record);
        }
    }
    return good;
}

static bp_status listen(bp_mpi_world *world) {
    const bp_mpi_update_state *update = &world->update;
    bool good = true;
    for (int puts = 0; puts < 2 && good; ++puts) {
        good = hear(world, update->heard.data, update->heard_count, !puts, true) &&
               hear(world, update->in.items.data, update->in.count, !puts, false);
    }
    return good ? BP_OK : BP_ERROR_MEMORY;
}

static bp_status exchange(bp_mpi_world *world, bp_status status) {
    bp_mpi_update_state *update = &world->update;
    if (world->comm.size == 1) {
        return status;
    }
    status = bp_mpi_exchange(&world->comm, status, &update->out, &update->in);
    if (status == BP_OK) {
        status = bp_mpi_gather(&world->comm, status, update->cast.memory.data, update->cast.count, record_size(world),
                               &update->heard, &update->heard_count);
    }
    return status == BP_OK ? listen(world) : status;
}

// ---- the directory -------------------------------------------------------------------------------------------------

typedef struct sign {
    uint64_t id;
    int64_t owner;
} sign;

// Sends the new owner of each leaving object to its home, which applies it at the commit.
static bp_status send_signs(bp_mpi_world *world, bp_status status) {
    bp_mpi_update_state *update = &world->update;
    bp_mpi_outbox_begin(&update->signs, sizeof(sign));
    for (size_t i = 0; status == BP_OK && i < update->leavers.count; ++i) {
        const bp_mpi_leaver *leaver = &((const bp_mpi_leaver *)update->leavers.memory.data)[i];
        const uint64_t id = ((const uint64_t *)world->owned.ids.data)[leaver->index];
        sign *item = bp_mpi_outbox_add(&update->signs, bp_mpi_allocator(world), bp_mpi_home_of(world, id));
        if (item == NULL) break;
        *item = (sign){.id = id, .owner = leaver->rank};
    }
    return bp_mpi_exchange(&world->comm, status, &update->signs, &update->signs_in);
}

// ---- the commit ----------------------------------------------------------------------------------------------------

static bp_status prepare_commit(bp_mpi_world *world) {
    const bp_mpi_update_state *update = &world->update;
    const bool good =
        bp_mpi_owned_reserve(world, world->owned.count + update->arrivals.count) &&
        (!update->full || bp_mpi_owned_prepare_sort(world, world->owned.count + update->arrivals.count)) &&
        bp_mpi_map_reserve(&world->local.ghosts, bp_mpi_allocator(world),
                           world->local.ghosts.count + update->leavers.count);
    return good ? BP_OK : BP_ERROR_MEMORY;
}

static void forget_news(bp_mpi_world *world) {
    const bp_mpi_list *flagged = &world->update.flagged;
    uint8_t *flags = world->owned.flags.data;
    for (size_t i = 0; i < flagged->count; ++i) flags[((const uint32_t *)flagged->memory.data)[i]] &= BP_MPI_ABROAD;
    world->owned.pending = false;
}

// Leavers are listed in ascending order; removed from the last one on, indices stay valid.
static void send_off(bp_mpi_world *world) {
    const bp_mpi_list *leavers = &world->update.leavers;
    const size_t bytes = world->config.user_bytes;
    for (size_t i = leavers->count; i-- > 0;) {
        const uint32_t index = ((const bp_mpi_leaver *)leavers->memory.data)[i].index;
        const bp_id core = ((const bp_id *)world->owned.core.data)[index];
        if (core != BP_NO_ID) { // it stays here as a ghost
            bp_mpi_map_put(&world->local.ghosts, ((const uint64_t *)world->owned.ids.data)[index], core);
            ((bp_object *)world->local.objects.data)[core] = ((const bp_object *)world->owned.objects.data)[index];
            if (bytes > 0) {
                memcpy((char *)world->local.user.data + core * bytes,
                       (const char *)world->owned.user.data + index * bytes, bytes);
            }
        }
        bp_mpi_owned_erase(world, index);
    }
}

static void welcome(bp_mpi_world *world) {
    const bp_mpi_list *arrivals = &world->update.arrivals;
    for (size_t i = 0; i < arrivals->count; ++i) {
        const bp_mpi_arrival *arrival = &((const bp_mpi_arrival *)arrivals->memory.data)[i];
        const bp_mpi_record *record = arrival->record;
        bp_mpi_map_erase(&world->local.ghosts, record->id);
        const bool shared = (((const uint8_t *)world->local.flags.data)[arrival->core] & BP_MPI_SHARED) != 0;
        bp_mpi_owned_append(world, record->id, &record->box, &record->object, record + 1, shared ? BP_MPI_ABROAD : 0);
        ((bp_id *)world->owned.core.data)[world->owned.count - 1] = arrival->core;
    }
}

static void swap_pairs(bp_mpi_pairs *a, bp_mpi_pairs *b) {
    const bp_mpi_pairs swapped = *a;
    *a = *b;
    *b = swapped;
}

static void commit(bp_mpi_world *world, bp_mpi_regions *regions) {
    forget_news(world);
    world->removed_count = 0;
    send_off(world);
    welcome(world);
    if (world->update.full && world->comm.size > 1) {
        bp_mpi_owned_sort(world);
    }
    const sign *signs = world->update.signs_in.items.data;
    for (size_t i = 0; world->comm.size > 1 && i < world->update.signs_in.count; ++i) {
        bp_mpi_map_put(&world->directory, signs[i].id, (uint32_t)signs[i].owner);
    }
    bp_mpi_local_settle(world);
    swap_pairs(&world->pairs, &world->next_pairs);
    swap_pairs(&world->begun, &world->next_begun);
    swap_pairs(&world->ended, &world->next_ended);
    if (regions != &world->regions) {
        bp_mpi_regions_free(&world->regions, bp_mpi_allocator(world));
        world->regions = *regions;
        world->has_regions = true;
    }
    world->update.regions = &world->regions;
    world->stale = false;
}

// ---- all of it -----------------------------------------------------------------------------------------------------

typedef struct clock {
    double last;
} clock_state;

static double lap(clock_state *clock) {
    const double now = bp_clock_seconds(), taken = now - clock->last;
    clock->last = now;
    return taken;
}

static void take_stock(bp_mpi_world *world, const bp_result *result, bp_mpi_stats *stats) {
    stats->objects = world->objects;
    stats->owned = world->owned.count;
    stats->ghosts = world->local.ghosts.count;
    stats->pairs = world->pairs.count;
    stats->migrated = world->update.leavers.count;
    stats->bytes_sent = world->comm.bytes_sent;
    stats->messages = world->comm.messages;
    stats->updates = world->stats.updates + 1;
    stats->local = result->stats;
}

// From the exchange to the events each rank works alone; the ranks agree on the status there.
static bp_status search(bp_mpi_world *world, bp_status status, bool full, bp_mpi_regions *regions,
                        bp_mpi_stats *stats) {
    clock_state clock = {bp_clock_seconds()};
    bp_result result = {0};
    if (status != BP_OK) {
        return status;
    }
    begin_update(world, full, regions);
    status = exchange(world, list_changes(world));
    stats->exchange_seconds = lap(&clock);
    status = status == BP_OK ? bp_mpi_local_update(world, &result) : status;
    stats->find_seconds = lap(&clock);
    status = status == BP_OK ? bp_mpi_local_report(world, &result) : status;
    status = bp_mpi_has_events(world) ? bp_mpi_find_events(world, status, &result) : status;
    status = world->comm.size > 1 ? send_signs(world, status) : status;
    status = status == BP_OK ? prepare_commit(world) : status;
    stats->work = (double)(world->local.count - world->local.parked_count) + (double)world->next_pairs.count;
    status = bp_mpi_measure(world, status, stats->work, &stats->imbalance);
    if (status == BP_OK) {
        commit(world, regions);
        take_stock(world, &result, stats);
    }
    stats->report_seconds = lap(&clock);
    return status;
}

static void fill_result(const bp_mpi_world *world, bp_mpi_result *result) {
    const bool events = bp_mpi_has_events(world);
    *result = (bp_mpi_result){.pairs = bp_mpi_pairs_data(&world->pairs),
                              .pair_count = world->pairs.count,
                              .begun = events ? bp_mpi_pairs_data(&world->begun) : NULL,
                              .begun_count = events ? world->begun.count : 0,
                              .ended = events ? bp_mpi_pairs_data(&world->ended) : NULL,
                              .ended_count = events ? world->ended.count : 0,
                              .stats = world->stats};
}

bp_status bp_mpi_update(bp_mpi_world *world, bp_mpi_result *result) {
    if (world == NULL) {
        return BP_ERROR_ARGUMENT;
    }
    bp_mpi_stats stats = {.partitions = world->stats.partitions};
    bp_mpi_regions regions = {0}, *used = &world->regions;
    bp_status status = world->comm.broken ? BP_ERROR_MPI : BP_OK;
    const bool parts = status == BP_OK && bp_mpi_needs_partition(world);
    world->comm.bytes_sent = world->comm.messages = 0;
    if (parts || world->stale) {
        bp_mpi_bring_boxes(world);
    }
    if (parts) {
        const double start = bp_clock_seconds();
        status = bp_mpi_make_regions(world, status, &regions);
        stats.balance_seconds = bp_clock_seconds() - start;
        ++stats.partitions;
        used = &regions;
    }
    status = search(world, status, world->stale || parts, used, &stats);
    if (status != BP_OK) {
        if (parts) bp_mpi_regions_free(&regions, bp_mpi_allocator(world));
        world->stale = true;
        return status;
    }
    if (parts) {
        // The first partition knows no pairs yet, so its imbalance does not count as settled.
        world->settled = stats.partitions > 1 ? stats.imbalance : 1.0;
        world->last_partition = stats.updates;
        world->parted_objects = world->objects;
    }
    world->stats = stats;
    if (result != NULL) {
        fill_result(world, result);
    }
    return BP_OK;
}
