// This rank's own world: an ordinary bp_world of owned objects and ghosts.
//
//     removes ---> adds ---> place holders where there are fewer adds ---> moves ---> bp_update ---> pairs ---> ids
//
// Its ids have no gaps, so that all boxes can be passed as one array. Pairs of a place holder are never reported.
#include "world.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AHEAD = 128 }; // pairs whose ids are prefetched

// ---- which pairs are this rank's -----------------------------------------------------------------------------------

// Pairs of an object that concerns this rank alone belong to it; for other pairs bp_mpi_reporter decides.
static bool is_mine(const bp_mpi_world *world, bp_id a, bp_id b) {
    const uint8_t *flags = world->local.flags.data;
    if (((flags[a] | flags[b]) & BP_MPI_PARKED) != 0) {
        return false;
    }
    if ((flags[a] & flags[b] & BP_MPI_SHARED) == 0) {
        return true;
    }
    const uint64_t *ids = world->local.ids.data;
    const bp_box *boxes = world->local.boxes.data;
    const bool ordered = bp_mpi_untagged(ids[a]) < bp_mpi_untagged(ids[b]);
    const bp_id first = ordered ? a : b, second = ordered ? b : a;
    return bp_mpi_reporter(world->update.regions, &boxes[first], &boxes[second]) == world->comm.rank;
}

static bool is_wanted(const bp_mpi_world *world, bp_id a, bp_id b) {
    const bp_mpi_filter *filter = &world->config.filter;
    if (filter->pass == NULL) {
        return true;
    }
    const uint64_t *ids = world->local.ids.data;
    const bp_mpi_pair pair = bp_mpi_pair_of(ids[a], ids[b]);
    return filter->pass(filter->context, pair.a, pair.b) != 0;
}

// With events the local world filters out the pairs of other ranks, so that its events are this rank's.
static int pass(void *context, uint32_t a, uint32_t b) {
    const bp_mpi_world *world = context;
    return (world->comm.size == 1 || is_mine(world, a, b)) && is_wanted(world, a, b);
}

// ---- bringing it up to date ----------------------------------------------------------------------------------------

static bp_status create(bp_mpi_world *world) {
    bp_mpi_local *local = &world->local;
    bp_config config = world->config.local;
    config.pair_order = BP_ORDER_FOUND;
    if (bp_mpi_has_events(world) && (world->comm.size > 1 || world->config.filter.pass != NULL)) {
        config.filter = (bp_filter){.pass = pass, .context = world};
    }
    bp_world_destroy(local->world);
    local->world = NULL;
    local->count = 0;
    local->parked_count = 0;
    local->in_order = true;
    return bp_world_create(&config, &local->world);
}

static bool reserve(bp_mpi_world *world, size_t count) {
    bp_mpi_local *local = &world->local;
    const bp_allocator *allocator = bp_mpi_allocator(world);
    const size_t kept = local->count, user = world->config.user_bytes;
    const bool single = world->comm.size == 1;
    return bp_buffer_reserve_slack(&local->ids, allocator, kept * sizeof(uint64_t), count, sizeof(uint64_t)) &&
           bp_buffer_reserve_slack(&local->ids_before, allocator, kept * sizeof(uint64_t), count, sizeof(uint64_t)) &&
           bp_buffer_reserve_slack(&local->flags, allocator, kept, count, 1) &&
           bp_buffer_reserve_slack(&local->parked, allocator, local->parked_count * sizeof(bp_id), count,
                                   sizeof(bp_id)) &&
           (single ||
            bp_buffer_reserve_slack(&local->boxes, allocator, kept * sizeof(bp_box), count, sizeof(bp_box))) &&
           (single ||
            bp_buffer_reserve_slack(&local->objects, allocator, kept * sizeof(bp_object), count, sizeof(bp_object))) &&
           (single || user == 0 || bp_buffer_reserve_slack(&local->user, allocator, kept * user, count, user));
}

static bp_status remove_listed(bp_mpi_world *world) {
    const bp_mpi_list *removes = &world->update.removes;
    uint8_t *flags = world->local.flags.data;
    bp_status status = BP_OK;
    for (size_t i = 0; status == BP_OK && i < removes->count; ++i) {
        const bp_id id = ((const bp_id *)removes->memory.data)[i];
        flags[id] = (uint8_t)((flags[id] & BP_MPI_BROADCAST) | BP_MPI_GONE);
        status = bp_remove(world->local.world, id);
    }
    return status;
}

// Removes place holders where objects are added.
static bp_status unpark(bp_mpi_world *world, size_t count) {
    bp_mpi_local *local = &world->local;
    bp_status status = BP_OK;
    for (; status == BP_OK && count > 0 && local->parked_count > 0; --count) {
        const bp_id id = ((const bp_id *)local->parked.data)[--local->parked_count];
        ((uint8_t *)local->flags.data)[id] = BP_MPI_GONE;
        status = bp_remove(local->world, id);
    }
    return status;
}

static float bounded(float x) {
    return x < -FLT_MAX ? -FLT_MAX : x > FLT_MAX ? FLT_MAX : x;
}

// A place holder keeps the last known box of its object, or a point of it if all ranks knew the object.
static bp_status park(bp_mpi_world *world, size_t count) {
    bp_mpi_local *local = &world->local;
    bp_status status = BP_OK;
    const bp_mpi_list *removes = &world->update.removes;
    bp_box *boxes = local->boxes.data;
    uint8_t *flags = local->flags.data;
    for (size_t i = 0; status == BP_OK && i < count; ++i) {
        const bp_id from = ((const bp_id *)removes->memory.data)[i % removes->count];
        bp_box box = boxes[from];
        for (int axis = 0; axis < 3 && (flags[from] & BP_MPI_BROADCAST) != 0; ++axis) {
            box.min[axis] = box.max[axis] = bounded(box.min[axis]);
        }
        bp_id id;
        status = bp_add(local->world, &box, NULL, &id);
        if (status == BP_OK) {
            boxes[id] = box;
            flags[id] = BP_MPI_PARKED | BP_MPI_GONE | BP_MPI_ARRIVED;
            ((uint64_t *)local->ids.data)[id] = BP_MPI_NO_ID;
            ((bp_id *)local->parked.data)[local->parked_count++] = id;
        }
    }
    return status;
}

// The object as the local world gets it: without `user`, so that an object with defaults costs nothing.
static bp_object stripped(const bp_object *object) {
    bp_object bare = *object;
    bare.user = 0;
    return bare;
}

static void set_local(bp_mpi_world *world, bp_id id, const bp_mpi_addition *added) {
    bp_mpi_local *local = &world->local;
    const size_t bytes = world->config.user_bytes;
    uint8_t *flags = local->flags.data;
    ((uint64_t *)local->ids.data)[id] = bp_mpi_tagged(added->id, added->flags);
    flags[id] = (uint8_t)((id < local->count ? flags[id] & BP_MPI_GONE : 0) | added->flags | BP_MPI_ARRIVED);
    if (world->comm.size == 1) {
        return;
    }
    ((bp_box *)local->boxes.data)[id] = added->box;
    ((bp_object *)local->objects.data)[id] = added->object;
    if (bytes > 0 && added->user != NULL) {
        memcpy((char *)local->user.data + id * bytes, added->user, bytes);
    }
}

// Records the local id of an added object, among the owned objects or the ghosts.
static bool note_place(bp_mpi_world *world, bp_id id, const bp_mpi_addition *added) {
    const bp_allocator *allocator = bp_mpi_allocator(world);
    if (added->owned != BP_MPI_NOT_OWNED) {
        ((bp_id *)world->owned.core.data)[added->owned] = id;
        world->local.in_order &= id == added->owned;
        return true;
    }
    if (added->arrives) {
        bp_mpi_arrival *arrival = bp_mpi_list_add(&world->update.arrivals, allocator, sizeof *arrival);
        if (arrival == NULL) {
            return false;
        }
        *arrival = (bp_mpi_arrival){.record = (const bp_mpi_record *)added->user - 1, .core = id};
        return true;
    }
    bp_mpi_map_put(&world->local.ghosts, added->id, id);
    return true;
}

// ---- neighbours next to each other ---------------------------------------------------------------------------------

// A new local world gets its objects in the order of a Z-curve, so that neighbours in space are neighbours in memory.

static uint64_t spread_bits(uint64_t x) { // 20 bits, two free places between any two
    x = (x | x << 32) & 0x1f00000000ffffu;
    x = (x | x << 16) & 0x1f0000ff0000ffu;
    x = (x | x << 8) & 0x100f00f00f00f00fu;
    x = (x | x << 4) & 0x10c30c30c30c30c3u;
    return (x | x << 2) & 0x1249249249249249u;
}

typedef struct place {
    uint64_t key;
    uint64_t index;
} place;

static int compare_places(const void *a, const void *b) {
    const place *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? -1 : 1) : (x->index > y->index) - (x->index < y->index);
}

static uint64_t key_of(const double centre[3], const double low[3], const double per_unit[3]) {
    uint64_t key = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const double cell = (centre[axis] - low[axis]) * per_unit[axis];
        const uint64_t bounded_cell = cell > 0.0 ? (cell < 1048575.0 ? (uint64_t)cell : 1048575u) : 0;
        key |= spread_bits(bounded_cell) << axis;
    }
    return key;
}

// The additions in this order, in world->scratch, as indices that `place` holds.
static bool order_additions(bp_mpi_world *world) {
    const bp_mpi_list *adds = &world->update.adds;
    const bp_mpi_addition *added = adds->memory.data;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, per_unit[3], centre[3];
    if (!bp_buffer_reserve_slack(&world->scratch, bp_mpi_allocator(world), 0, adds->count + 1, sizeof(place))) {
        return false;
    }
    for (size_t i = 0; i < adds->count; ++i) {
        bp_mpi_centre_of(world->update.regions, &added[i].box, centre);
        for (int axis = 0; axis < 3 && (added[i].flags & BP_MPI_BROADCAST) == 0; ++axis) {
            low[axis] = fmin(low[axis], centre[axis]);
            high[axis] = fmax(high[axis], centre[axis]);
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        const double scale = 1048576.0 / (high[axis] - low[axis]);
        per_unit[axis] = isfinite(scale) && scale > 0.0 ? scale : 0.0;
        low[axis] = isfinite(low[axis]) ? low[axis] : 0.0;
    }
    place *places = world->scratch.data;
    for (size_t i = 0; i < adds->count; ++i) {
        bp_mpi_centre_of(world->update.regions, &added[i].box, centre);
        places[i] = (place){.key = key_of(centre, low, per_unit), .index = i};
    }
    if (adds->count > 1) {
        qsort(places, adds->count, sizeof *places, compare_places);
    }
    return true;
}

// bp_add_many wants arrays: boxes, objects (only if there is one that is not all default), ids.
// `places` may be NULL: in the order of the list.
static bp_status add_blocks(bp_mpi_world *world, const bp_mpi_addition *adds, size_t count, const place *places) {
    enum { BLOCK = 1024 };
    bp_box boxes[BLOCK];
    bp_object objects[BLOCK];
    bp_id ids[BLOCK];
    const bp_mpi_addition *block_adds[BLOCK];
    for (size_t first = 0; first < count; first += BLOCK) {
        const size_t block = count - first < BLOCK ? count - first : BLOCK;
        static const bp_object NOTHING = {0};
        bool plain = true;
        for (size_t i = 0; i < block; ++i) {
            block_adds[i] = &adds[places != NULL ? places[first + i].index : first + i];
            boxes[i] = block_adds[i]->box;
            objects[i] = stripped(&block_adds[i]->object);
            plain &= memcmp(&objects[i], &NOTHING, sizeof NOTHING) == 0;
        }
        const bp_status status = bp_add_many(world->local.world, block, boxes, plain ? NULL : objects, ids);
        if (status != BP_OK) {
            return status;
        }
        for (size_t i = 0; i < block; ++i) {
            set_local(world, ids[i], block_adds[i]);
            if (!note_place(world, ids[i], block_adds[i])) {
                return BP_ERROR_MEMORY;
            }
            world->local.count = ids[i] >= world->local.count ? (size_t)ids[i] + 1 : world->local.count;
        }
    }
    return BP_OK;
}

static bp_status add_listed(bp_mpi_world *world) {
    const bp_mpi_list *adds = &world->update.adds;
    bp_mpi_local *local = &world->local;
    const size_t removed = world->update.removes.count;
    if (!reserve(world, local->count + adds->count + 1) ||
        !bp_mpi_map_reserve(&local->ghosts, bp_mpi_allocator(world), local->ghosts.count + adds->count)) {
        return BP_ERROR_MEMORY;
    }
    bp_status status = adds->count > removed ? unpark(world, adds->count - removed) : BP_OK;
    status = status == BP_OK ? bp_world_reserve(local->world, adds->count) : status;
    const bool ordered = world->update.full && world->comm.size > 1;
    if (status == BP_OK && ordered && !order_additions(world)) {
        status = BP_ERROR_MEMORY;
    }
    const place *places = ordered ? world->scratch.data : NULL;
    status = status == BP_OK ? add_blocks(world, adds->memory.data, adds->count, places) : status;
    if (status == BP_OK && world->comm.size > 1 && removed > adds->count) {
        status = park(world, removed - adds->count);
    }
    return status;
}

static bp_status move_listed(bp_mpi_world *world) {
    const bp_mpi_update_state *update = &world->update;
    return bp_move_many(world->local.world, update->moves.count, update->moves.memory.data, update->moved.memory.data);
}

static bp_status restate_listed(bp_mpi_world *world) {
    const bp_mpi_list *restated = &world->update.restated;
    bp_status status = BP_OK;
    for (size_t i = 0; status == BP_OK && i < restated->count; ++i) {
        const bp_id id = ((const bp_id *)restated->memory.data)[i];
        const uint32_t *owned =
            bp_mpi_map_find(&world->owned.index_of, bp_mpi_untagged(((const uint64_t *)world->local.ids.data)[id]));
        const bp_object *object = owned != NULL ? &((const bp_object *)world->owned.objects.data)[*owned]
                                                : &((const bp_object *)world->local.objects.data)[id];
        const bp_object bare = stripped(object);
        status = bp_set_object(world->local.world, id, &bare);
    }
    return status;
}

bp_status bp_mpi_local_update(bp_mpi_world *world, bp_result *result) {
    bp_status status = world->update.full ? create(world) : BP_OK;
    status = status == BP_OK ? remove_listed(world) : status;
    status = status == BP_OK ? add_listed(world) : status;
    status = status == BP_OK ? move_listed(world) : status;
    status = status == BP_OK ? restate_listed(world) : status;
    return status == BP_OK ? bp_update(world->local.world, result) : status;
}

// ---- reporting -----------------------------------------------------------------------------------------------------

// All pairs are this rank's: only translates ids.
static void report_plainly(const uint64_t *ids, const bp_pair *from, size_t count, bp_mpi_pair *to) {
    for (size_t i = 0; i < count; ++i) to[i] = bp_mpi_pair_of(ids[from[i].a], ids[from[i].b]);
}

// All pairs are this rank's, and local ids equal the ids: only converts to 64 bits.
static void report_numbers(const bp_pair *from, size_t count, bp_mpi_pair *to) {
    for (size_t i = 0; i < count; ++i) to[i] = (bp_mpi_pair){.a = from[i].a, .b = from[i].b};
}

// State while pairs get their ids.
typedef struct naming {
    const uint64_t *ids;
    uint64_t doubted;  // BP_MPI_TAG: all pairs are doubtful
    bp_pair *doubtful; // the next one goes here
    bp_mpi_pair *to;   // and the next of the others there
} naming;

// An id has the tag if its object is shared or a place holder. In most pairs neither has it. If both have it, another
// rank may report the pair, and with a filter all pairs are doubtful: such pairs are set aside. Only one id of a later
// pair is prefetched; the other one mostly repeats.
static inline void name_pairs(naming *self, const bp_pair *from, const bp_pair *end, size_t ahead) {
    const uint64_t *ids = self->ids, doubted = self->doubted;
    bp_mpi_pair *to = self->to;
    for (; from < end; ++from) {
        bp_prefetch(&ids[from[ahead].b]);
        const uint64_t a = ids[from->a], b = ids[from->b];
        if (((a | b | doubted) & BP_MPI_TAG) == 0) {
            *to++ = (bp_mpi_pair){.a = a < b ? a : b, .b = a < b ? b : a};
        } else if (((a & b) | doubted) >= BP_MPI_TAG || a == BP_MPI_NO_ID || b == BP_MPI_NO_ID) {
            *self->doubtful++ = *from;
        } else {
            *to++ = bp_mpi_pair_of(a, b);
        }
    }
    self->to = to;
}

// Reports the pairs that need no check, then those doubtful ones that are this rank's. `doubtful` has room for all.
static size_t report_carefully(const bp_mpi_world *world, const bp_result *result, bp_pair *doubtful, bp_mpi_pair *to) {
    const bp_box *boxes = world->local.boxes.data;
    const bp_pair *pairs = result->pairs, *end = pairs + result->pair_count;
    const bp_pair *middle = result->pair_count > AHEAD ? end - AHEAD : pairs;
    naming self = {.ids = world->local.ids.data,
                   .doubted = world->config.filter.pass != NULL ? BP_MPI_TAG : 0,
                   .doubtful = doubtful,
                   .to = to};
    name_pairs(&self, pairs, middle, AHEAD);
    name_pairs(&self, middle, end, 0);
    const size_t doubts = (size_t)(self.doubtful - doubtful);
    size_t kept = (size_t)(self.to - to);
    for (size_t i = 0; i < doubts; ++i) {
        const bp_pair *pair = &doubtful[i], *later = &doubtful[i + AHEAD / 8 < doubts ? i + AHEAD / 8 : i];
        bp_prefetch(&boxes[later->a]);
        bp_prefetch(&boxes[later->b]);
        if (is_mine(world, pair->a, pair->b) && is_wanted(world, pair->a, pair->b)) {
            to[kept++] = bp_mpi_pair_of(self.ids[pair->a], self.ids[pair->b]);
        }
    }
    return kept;
}

static bool has_plain_ids(bp_mpi_world *world) {
    bp_mpi_local *local = &world->local;
    if (world->update.full || world->update.adds.count > 0) { // else no id has changed
        const uint64_t *ids = local->ids.data;
        local->plain_ids = true;
        for (size_t i = 0; i < local->count; ++i) local->plain_ids &= ids[i] == i;
    }
    return local->plain_ids;
}

bp_status bp_mpi_local_report(bp_mpi_world *world, const bp_result *result) {
    bp_mpi_pairs *next = &world->next_pairs;
    const bp_allocator *allocator = bp_mpi_allocator(world);
    if (!bp_mpi_pairs_reserve(next, allocator, result->pair_count + 1)) {
        return BP_ERROR_MEMORY;
    }
    const bool sifted = bp_mpi_has_events(world); // the local world has filtered already
    if (sifted || (world->comm.size == 1 && world->config.filter.pass == NULL)) {
        if (world->comm.size == 1 && has_plain_ids(world)) {
            report_numbers(result->pairs, result->pair_count, bp_mpi_pairs_data(next));
        } else {
            report_plainly(world->local.ids.data, result->pairs, result->pair_count, bp_mpi_pairs_data(next));
        }
        next->count = result->pair_count;
    } else {
        if (!bp_buffer_reserve_slack(&world->scratch, allocator, 0, result->pair_count + 1, sizeof(bp_pair))) {
            return BP_ERROR_MEMORY;
        }
        next->count = report_carefully(world, result, world->scratch.data, bp_mpi_pairs_data(next));
    }
    const bool sorts = world->config.local.pair_order == BP_ORDER_SORTED;
    return !sorts || bp_mpi_sort_pairs(next, &world->scratch, allocator) ? BP_OK : BP_ERROR_MEMORY;
}

void bp_mpi_local_settle(bp_mpi_world *world) {
    bp_mpi_local *local = &world->local;
    uint8_t *flags = local->flags.data;
    const bool renumbered = world->update.full || world->update.adds.count > 0 || world->update.removes.count > 0;
    const size_t count = renumbered || world->comm.size > 1 ? local->count : 0;
    for (size_t i = 0; i < count; ++i) {
        const unsigned kept = flags[i] & (BP_MPI_PARKED | BP_MPI_BROADCAST | BP_MPI_SHARED);
        flags[i] = (uint8_t)(kept | (kept & BP_MPI_SHARED) * BP_MPI_SHARED_BEFORE);
    }
    if (renumbered && bp_mpi_has_events(world) && local->count > 0) {
        memcpy(local->ids_before.data, local->ids.data, local->count * sizeof(uint64_t));
    }
}
