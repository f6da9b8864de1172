// Changes to objects (add, move, set, remove), and which rank owns an object.
//
// The owner of an id is stored at its home, the rank that its hash selects. A call about objects of other ranks asks
// there first:
//
//     caller --- id ---> home --- owner ---> caller --- id, box ---> owner
//
// and only if some rank names such ids.
#include "base/log.h"
#include "world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- checking ------------------------------------------------------------------------------------------------------

static bool is_valid(const bp_box *box, uint32_t dimensions) {
    const bool xy = (box->min[0] <= box->max[0]) & (box->min[1] <= box->max[1]);
    return xy & ((dimensions == 2) | (box->min[2] <= box->max[2]));
}

static bool is_too_long(const bp_mpi_world *world, const bp_box *box) {
    bool is_long = false;
    for (uint32_t axis = 0; axis < world->config.local.dimensions; ++axis) {
        const double period = world->regions.period[axis];
        const double length = (double)box->max[axis] - (double)box->min[axis];
        is_long |= period > 0.0 && length > period && !isinf(length);
    }
    return is_long;
}

static bp_status check_box(const bp_mpi_world *world, const bp_box *boxes, size_t i) {
    if (!is_valid(&boxes[i], world->config.local.dimensions)) {
        bp_log_write(&world->comm.log, "boxes[%zu] on rank %d has a NaN, or a min above its max", i, world->comm.rank);
        return BP_ERROR_BOX;
    }
    if (is_too_long(world, &boxes[i])) {
        bp_log_write(&world->comm.log,
                     "boxes[%zu] on rank %d is longer than config.local.period; shorten it, or give an infinite one", i,
                     world->comm.rank);
        return BP_ERROR_BOX;
    }
    return BP_OK;
}

bp_status bp_mpi_check_boxes(const bp_mpi_world *world, const bp_box *boxes, size_t count) {
    if (boxes == NULL && count > 0) {
        bp_log_write(&world->comm.log, "boxes is NULL on rank %d, but count is %zu", world->comm.rank, count);
        return BP_ERROR_ARGUMENT;
    }
    const uint32_t dimensions = world->config.local.dimensions;
    bool good = true;
    for (size_t i = 0; i < count; ++i) good &= is_valid(&boxes[i], dimensions);
    const bool repeats =
        world->regions.period[0] > 0.0 || world->regions.period[1] > 0.0 || world->regions.period[2] > 0.0;
    bp_status status = BP_OK;
    for (size_t i = 0; status == BP_OK && i < count && (!good || repeats); ++i) status = check_box(world, boxes, i);
    return status;
}

static bp_status check_objects(const bp_mpi_world *world, const bp_object *objects, size_t count) {
    for (size_t i = 0; objects != NULL && i < count; ++i) {
        if ((objects[i].flags & ~(uint32_t)BP_STATIC) != 0 || objects[i].reserved != 0) {
            bp_log_write(&world->comm.log,
                         "objects[%zu] on rank %d: flags hold other bits than BP_STATIC, or reserved is not 0", i,
                         world->comm.rank);
            return BP_ERROR_ARGUMENT;
        }
    }
    return BP_OK;
}

// ---- adding --------------------------------------------------------------------------------------------------------

static bp_status check_add(const bp_mpi_world *world, size_t count, const uint64_t *ids, const bp_box *boxes,
                           const bp_object *objects) {
    if (count > BP_MAX_COUNT - world->owned.count) {
        bp_log_write(&world->comm.log,
                     "count on rank %d is %zu, but a rank holds at most 2^32 - 2 objects; spread them",
                     world->comm.rank, count);
        return BP_ERROR_ARGUMENT;
    }
    for (size_t i = 0; ids != NULL && i < count; ++i) {
        if (ids[i] >= BP_MPI_PLACE_HOLDER) {
            bp_log_write(&world->comm.log, "ids[%zu] on rank %d is %llu; an id must be below 2^63 - 1", i,
                         world->comm.rank, (unsigned long long)ids[i]);
            return BP_ERROR_ID;
        }
    }
    const bp_status status = bp_mpi_check_boxes(world, boxes, count);
    return status == BP_OK ? check_objects(world, objects, count) : status;
}

// Assigns consecutive ids, rank after rank, to objects added without ids.
static bp_status give_ids(bp_mpi_world *world, size_t count, uint64_t *ids) {
    int64_t mine = (int64_t)count, before = 0;
    if (world->comm.size > 1) {
        const bp_status status = bp_mpi_check(
            &world->comm, MPI_Exscan(&mine, &before, 1, MPI_INT64_T, MPI_SUM, world->comm.handle), "giving ids");
        if (status != BP_OK) {
            return status;
        }
    }
    before = world->comm.rank == 0 ? 0 : before;
    for (size_t i = 0; i < count; ++i) ids[i] = world->next_id + (uint64_t)before + i;
    return BP_OK;
}

static bp_status refuse_capacity(const bp_mpi_world *world) {
    bp_log_write(&world->comm.log, "no ids are left after %llu, below 2^63 - 1; give ids yourself",
                 (unsigned long long)world->next_id);
    return BP_ERROR_CAPACITY;
}

typedef struct entry {
    uint64_t id;
    int64_t owner;
} entry;

static bp_status refuse_duplicate(const bp_mpi_world *world, uint64_t id) {
    bp_log_write(&world->comm.log, "the id %llu was to be added, but is alive already or occurs twice",
                 (unsigned long long)id);
    return BP_ERROR_ID;
}

// Enters new ids into the directory. No change if one exists already.
static bp_status enter(bp_mpi_world *world, const entry *entries, size_t count) {
    bp_mpi_map *directory = &world->directory;
    for (size_t i = 0; i < count; ++i) {
        if (bp_mpi_map_find(directory, entries[i].id) != NULL) {
            for (size_t k = 0; k < i; ++k) bp_mpi_map_erase(directory, entries[k].id);
            return refuse_duplicate(world, entries[i].id);
        }
        bp_mpi_map_put(directory, entries[i].id, (uint32_t)entries[i].owner);
    }
    return BP_OK;
}

// Registers new ids at their homes; on failure none is registered.
static bp_status register_ids(bp_mpi_world *world, bp_status status, size_t count, const uint64_t *ids) {
    const bp_allocator *allocator = bp_mpi_allocator(world);
    bp_mpi_outbox out = {0};
    bp_mpi_inbox in = {0};
    bp_mpi_outbox_begin(&out, sizeof(entry));
    for (size_t i = 0; status == BP_OK && i < count; ++i) {
        entry *item = bp_mpi_outbox_add(&out, allocator, bp_mpi_home_of(world, ids[i]));
        if (item == NULL) break;
        *item = (entry){.id = ids[i], .owner = world->comm.rank};
    }
    status = bp_mpi_exchange(&world->comm, status, &out, &in);
    bool entered = false;
    const entry *items = in.items.data;
    if (status == BP_OK) {
        if (!bp_mpi_map_reserve(&world->directory, allocator, world->directory.count + in.count)) {
            status = BP_ERROR_MEMORY;
        } else {
            status = enter(world, items, in.count);
            entered = status == BP_OK;
        }
        status = bp_mpi_agree(&world->comm, status);
    }
    for (size_t i = 0; status != BP_OK && entered && i < in.count; ++i)
        bp_mpi_map_erase(&world->directory, items[i].id);
    bp_mpi_outbox_free(&out, allocator);
    bp_mpi_inbox_free(&in, allocator);
    return status;
}

// On a single rank the owned objects serve as the directory.
static bp_status check_new(const bp_mpi_world *world, size_t count, const uint64_t *ids, bp_mpi_map *seen) {
    if (!bp_mpi_map_reserve(seen, bp_mpi_allocator(world), count)) {
        return BP_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        if (bp_mpi_map_find(&world->owned.index_of, ids[i]) != NULL || bp_mpi_map_find(seen, ids[i]) != NULL) {
            return refuse_duplicate(world, ids[i]);
        }
        bp_mpi_map_put(seen, ids[i], 0);
    }
    return BP_OK;
}

static void append_all(bp_mpi_world *world, size_t count, const uint64_t *ids, const bp_box *boxes,
                       const bp_object *objects, const void *user) {
    const size_t bytes = world->config.user_bytes;
    for (size_t i = 0; i < count; ++i) {
        bp_mpi_owned_append(world, ids[i], &boxes[i], objects != NULL ? &objects[i] : NULL,
                            user != NULL ? (const char *)user + i * bytes : NULL, BP_MPI_NEWBORN);
    }
}

bp_status bp_mpi_add_many(bp_mpi_world *world, size_t count, const uint64_t *ids, const bp_box *boxes,
                          const bp_object *objects, const void *user, uint64_t *new_ids) {
    if (world == NULL) {
        return BP_ERROR_ARGUMENT;
    }
    const bp_allocator *allocator = bp_mpi_allocator(world);
    bp_buffer given = {0};
    bp_mpi_map seen = {0};
    bp_status status = check_add(world, count, ids, boxes, objects);
    if (status == BP_OK && (!bp_mpi_owned_reserve(world, world->owned.count + count) ||
                            !bp_buffer_reserve_slack(&given, allocator, 0, count, sizeof(uint64_t)))) {
        status = BP_ERROR_MEMORY;
    }
    // The largest id, whether some rank passes ids, and whether some rank passes none.
    int64_t facts[3] = {-1, ids != NULL && count > 0, ids == NULL && count > 0};
    for (size_t i = 0; status == BP_OK && ids != NULL && i < count; ++i) {
        facts[0] = (int64_t)(ids[i] >> 1) > facts[0] ? (int64_t)(ids[i] >> 1) : facts[0];
    }
    status = bp_mpi_agree_most(&world->comm, status, facts, 3);
    if (status == BP_OK && facts[1] && facts[2]) {
        bp_log_write(
            &world->comm.log,
            "some ranks give ids and others do not; ids must be NULL on all ranks, or on none that adds objects");
        status = BP_ERROR_ARGUMENT;
    }
    int64_t total = (int64_t)count;
    if (status == BP_OK) {
        status = bp_mpi_sum(&world->comm, &total, 1);
    }
    uint64_t next = world->next_id;
    if (status == BP_OK && facts[2]) {
        status = next < BP_MPI_PLACE_HOLDER && (uint64_t)total < BP_MPI_PLACE_HOLDER - next
                     ? give_ids(world, count, given.data)
                     : refuse_capacity(world);
        next += (uint64_t)total;
    } else if (status == BP_OK && count > 0) {
        memcpy(given.data, ids, count * sizeof *ids);
    }
    // Halved, to fit into a signed number: the next free id is even.
    const uint64_t above = facts[0] < 0 ? 0 : 2 * ((uint64_t)facts[0] + 1);
    next = above > next ? above : next;
    if (status == BP_OK) {
        status = world->comm.size == 1 ? check_new(world, count, given.data, &seen)
                                       : register_ids(world, status, count, given.data);
    }
    if (status == BP_OK) {
        append_all(world, count, given.data, boxes, objects, user);
        if (new_ids != NULL && count > 0) {
            memcpy(new_ids, given.data, count * sizeof *new_ids);
        }
        world->objects += (uint64_t)total;
        world->next_id = next;
    }
    bp_buffer_free(&given, allocator);
    bp_mpi_map_free(&seen, allocator);
    return status;
}

// ---- finding owners ------------------------------------------------------------------------------------------------

// For each id, the rank that owns it, or -1. Collective.
static bp_status look_up(bp_mpi_world *world, bp_status status, size_t count, const uint64_t *ids, bp_buffer *owners) {
    const bp_allocator *allocator = bp_mpi_allocator(world);
    bp_mpi_outbox out = {0};
    bp_mpi_inbox in = {0};
    bp_buffer replies = {0};
    bp_mpi_outbox_begin(&out, sizeof(uint64_t));
    for (size_t i = 0; status == BP_OK && i < count; ++i) {
        uint64_t *item = bp_mpi_outbox_add(&out, allocator, bp_mpi_home_of(world, ids[i]));
        if (item == NULL) break;
        *item = ids[i];
    }
    status = bp_mpi_exchange(&world->comm, status, &out, &in);
    if (status == BP_OK) {
        const bool good = bp_buffer_reserve_slack(&replies, allocator, 0, in.count + 1, sizeof(int));
        for (size_t i = 0; good && i < in.count; ++i) {
            const uint32_t *owner = bp_mpi_map_find(&world->directory, ((const uint64_t *)in.items.data)[i]);
            ((int *)replies.data)[i] = owner != NULL ? (int)*owner : -1;
        }
        status = bp_mpi_answer(&world->comm, good ? BP_OK : BP_ERROR_MEMORY, &in, replies.data, sizeof(int), owners);
    }
    bp_mpi_outbox_free(&out, allocator);
    bp_mpi_inbox_free(&in, allocator);
    bp_buffer_free(&replies, allocator);
    return status;
}

static bp_status check_ids(const bp_mpi_world *world, size_t count, const uint64_t *ids) {
    if (ids == NULL && count > 0) {
        bp_log_write(&world->comm.log, "ids is NULL on rank %d, but count is %zu", world->comm.rank, count);
        return BP_ERROR_ARGUMENT;
    }
    return BP_OK;
}

bp_status bp_mpi_find_owners(bp_mpi_world *world, size_t count, const uint64_t *ids, int *ranks) {
    if (world == NULL) {
        return BP_ERROR_ARGUMENT;
    }
    bp_status status = check_ids(world, count, ids);
    if (status == BP_OK && ranks == NULL && count > 0) {
        bp_log_write(&world->comm.log, "ranks is NULL on rank %d, but count is %zu", world->comm.rank, count);
        status = BP_ERROR_ARGUMENT;
    }
    if (world->comm.size == 1) {
        for (size_t i = 0; status == BP_OK && i < count; ++i) {
            ranks[i] = bp_mpi_map_find(&world->owned.index_of, ids[i]) != NULL ? 0 : -1;
        }
        return status;
    }
    bp_buffer owners = {0};
    status = look_up(world, status, count, ids, &owners);
    if (status == BP_OK && count > 0) {
        memcpy(ranks, owners.data, count * sizeof(int));
    }
    bp_buffer_free(&owners, bp_mpi_allocator(world));
    return status;
}

// ---- orders: something about objects of any rank -------------------------------------------------------------------

// An order for objects, as the caller passes it: arrays, each of which may be NULL.
typedef struct order {
    size_t count;
    const uint64_t *ids;
    const bp_box *boxes;
    const bp_object *objects;
    const void *user;
} order;

// The same for one object of another rank, as it is sent; user bytes follow.
typedef struct sent_order {
    uint64_t id;
    bp_box box;
    bp_object object;
    uint32_t has; // HAS_
    int32_t sender;
} sent_order;

enum { HAS_BOX = 1, HAS_OBJECT = 2, HAS_USER = 4 };

// Indices of this rank's own objects, and the ids that other ranks own.
typedef struct addresses {
    bp_buffer indices; // uint32_t for each id; ELSEWHERE
    bp_buffer foreign; // size_t: positions of the others
    bp_buffer foreign_ids;
    size_t foreign_count;
    bp_buffer owners; // int, of the foreign ones
    bp_mpi_outbox out;
    bp_mpi_inbox in;
    bp_buffer in_indices; // uint32_t for each that has arrived
} addresses;

static const uint32_t ELSEWHERE = UINT32_MAX;

static void addresses_free(addresses *self, const bp_allocator *allocator) {
    bp_buffer *arrays[] = {&self->indices, &self->foreign, &self->foreign_ids, &self->owners, &self->in_indices};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) bp_buffer_free(arrays[i], allocator);
    bp_mpi_outbox_free(&self->out, allocator);
    bp_mpi_inbox_free(&self->in, allocator);
}

// Callers mostly name objects in the order in which they were listed, so the next index is tried before the lookup.
static bp_status find_own(const bp_mpi_world *world, const order *said, addresses *self) {
    const bp_allocator *allocator = bp_mpi_allocator(world);
    const uint64_t *own = world->owned.ids.data;
    size_t guess = 0;
    if (!bp_buffer_reserve_slack(&self->indices, allocator, 0, said->count, sizeof(uint32_t))) {
        return BP_ERROR_MEMORY;
    }
    for (size_t i = 0; i < said->count; ++i) {
        uint32_t *index = &((uint32_t *)self->indices.data)[i];
        if (guess < world->owned.count && own[guess] == said->ids[i]) {
            *index = (uint32_t)guess++;
            continue;
        }
        const uint32_t *found = bp_mpi_map_find(&world->owned.index_of, said->ids[i]);
        *index = found != NULL ? *found : ELSEWHERE;
        guess = found != NULL ? (size_t)*found + 1 : guess;
        if (found == NULL) {
            const size_t count = self->foreign_count;
            if (!bp_buffer_reserve_slack(&self->foreign, allocator, count * sizeof(size_t), count + 1,
                                         sizeof(size_t)) ||
                !bp_buffer_reserve_slack(&self->foreign_ids, allocator, count * sizeof(uint64_t), count + 1,
                                         sizeof(uint64_t))) {
                return BP_ERROR_MEMORY;
            }
            ((size_t *)self->foreign.data)[count] = i;
            ((uint64_t *)self->foreign_ids.data)[count] = said->ids[i];
            ++self->foreign_count;
        }
    }
    return BP_OK;
}

static void pack(const bp_mpi_world *world, const order *said, size_t i, sent_order *to) {
    const size_t bytes = world->config.user_bytes;
    memset(to, 0, sizeof *to + bytes);
    to->id = said->ids[i];
    to->sender = world->comm.rank;
    if (said->boxes != NULL) to->box = said->boxes[i];
    if (said->objects != NULL) to->object = said->objects[i];
    if (said->user != NULL && bytes > 0) memcpy(to + 1, (const char *)said->user + i * bytes, bytes);
    to->has = (said->boxes != NULL ? HAS_BOX : 0u) | (said->objects != NULL ? HAS_OBJECT : 0u) |
              (said->user != NULL ? HAS_USER : 0u);
}

static size_t order_size(const bp_mpi_world *world) {
    return (sizeof(sent_order) + world->config.user_bytes + 7) / 8 * 8;
}

static bp_status refuse_unknown(const bp_mpi_world *world, uint64_t id) {
    bp_log_write(&world->comm.log, "there is no object with the id %llu", (unsigned long long)id);
    return BP_ERROR_ID;
}

// Sends the orders for objects of other ranks to their owners.
static bp_status send_foreign(bp_mpi_world *world, bp_status status, const order *said, addresses *self) {
    const bp_allocator *allocator = bp_mpi_allocator(world);
    const int *owners = self->owners.data;
    bp_mpi_outbox_begin(&self->out, order_size(world));
    for (size_t i = 0; status == BP_OK && i < self->foreign_count; ++i) {
        const size_t at = ((const size_t *)self->foreign.data)[i];
        if (owners[i] < 0) {
            status = refuse_unknown(world, said->ids[at]);
            break;
        }
        sent_order *item = bp_mpi_outbox_add(&self->out, allocator, owners[i]);
        if (item == NULL) break;
        pack(world, said, at, item);
    }
    return bp_mpi_exchange(&world->comm, status, &self->out, &self->in);
}

static bp_status find_arrived(const bp_mpi_world *world, addresses *self) {
    if (!bp_buffer_reserve_slack(&self->in_indices, bp_mpi_allocator(world), 0, self->in.count, sizeof(uint32_t))) {
        return BP_ERROR_MEMORY;
    }
    for (size_t i = 0; i < self->in.count; ++i) {
        const sent_order *item = (const sent_order *)((const char *)self->in.items.data + i * self->in.item_size);
        const uint32_t *found = bp_mpi_map_find(&world->owned.index_of, item->id);
        if (found == NULL) {
            return BP_ERROR_INTERNAL; // the directory named the wrong owner
        }
        ((uint32_t *)self->in_indices.data)[i] = *found;
    }
    return BP_OK;
}

// Finds all objects of an order, on this rank and on others. Collective; all ranks agree on the result.
static bp_status address(bp_mpi_world *world, bp_status status, const order *said, addresses *self) {
    status = status == BP_OK ? find_own(world, said, self) : status;
    if (world->comm.size == 1) {
        const size_t *foreign = self->foreign.data;
        return status == BP_OK && self->foreign_count > 0 ? refuse_unknown(world, said->ids[foreign[0]]) : status;
    }
    int64_t most = (int64_t)self->foreign_count;
    status = bp_mpi_agree_most(&world->comm, status, &most, 1);
    if (status != BP_OK || most == 0) {
        return status;
    }
    status = look_up(world, status, self->foreign_count, self->foreign_ids.data, &self->owners);
    status = status == BP_OK ? send_foreign(world, status, said, self) : status;
    return status == BP_OK ? bp_mpi_agree(&world->comm, find_arrived(world, self)) : status;
}

// ---- moving and setting --------------------------------------------------------------------------------------------

static void obey(bp_mpi_world *world, uint32_t index, const bp_box *box, const bp_object *object, const void *user) {
    bp_mpi_owned_objects *owned = &world->owned;
    uint8_t *flags = &((uint8_t *)owned->flags.data)[index];
    const size_t bytes = world->config.user_bytes;
    owned->pending = true;
    ((bp_box *)owned->boxes.data)[index] = box != NULL ? *box : bp_mpi_owned_box(world, index);
    if (box != NULL) {
        *flags = (uint8_t)((*flags | BP_MPI_MOVED) & ~BP_MPI_PLACED);
    }
    if (object != NULL) {
        ((bp_object *)owned->objects.data)[index] = *object;
        *flags |= BP_MPI_RESTATED;
    }
    if (user != NULL && bytes > 0) {
        memcpy((char *)owned->user.data + index * bytes, user, bytes);
        *flags |= BP_MPI_RESTATED;
    }
}

static void obey_arrived(bp_mpi_world *world, const addresses *self, int low, int high) {
    for (size_t i = 0; i < self->in.count; ++i) {
        const sent_order *item = (const sent_order *)((const char *)self->in.items.data + i * self->in.item_size);
        // Orders apply by rank of the sender, with this rank's own orders in their place among them.
        const int sender = item->sender;
        if (sender >= low && sender < high) {
            obey(world, ((const uint32_t *)self->in_indices.data)[i], (item->has & HAS_BOX) != 0 ? &item->box : NULL,
                 (item->has & HAS_OBJECT) != 0 ? &item->object : NULL, (item->has & HAS_USER) != 0 ? item + 1 : NULL);
        }
    }
}

static void obey_own(bp_mpi_world *world, const order *said, const addresses *self) {
    const size_t bytes = world->config.user_bytes;
    for (size_t i = 0; i < said->count; ++i) {
        const uint32_t index = ((const uint32_t *)self->indices.data)[i];
        if (index != ELSEWHERE) {
            obey(world, index, said->boxes != NULL ? &said->boxes[i] : NULL,
                 said->objects != NULL ? &said->objects[i] : NULL,
                 said->user != NULL ? (const char *)said->user + i * bytes : NULL);
        }
    }
}

static bp_status carry_out(bp_mpi_world *world, bp_status status, const order *said) {
    addresses self = {0};
    status = address(world, status, said, &self);
    if (status == BP_OK) {
        obey_arrived(world, &self, 0, world->comm.rank);
        obey_own(world, said, &self);
        obey_arrived(world, &self, world->comm.rank, world->comm.size);
    }
    addresses_free(&self, bp_mpi_allocator(world));
    return status;
}

// Without ids, every rank moves all objects that it owns, in order.
static bp_status check_all_owned(const bp_mpi_world *world, size_t count) {
    if (count != world->owned.count) {
        bp_log_write(&world->comm.log,
                     "without ids, count must be the number of objects that rank %d owns: %zu, not %zu",
                     world->comm.rank, world->owned.count, count);
        return BP_ERROR_ARGUMENT;
    }
    return BP_OK;
}

// Checks the boxes, and lists the objects that concern other ranks, now or at the last update, or have changed already.
static bp_status sort_out(bp_mpi_world *world, size_t count, const bp_box *boxes) {
    const uint8_t *flags = world->owned.flags.data;
    const bool alone = world->comm.size == 1 && !world->owned.pending; // then the local world checks them
    bp_mpi_list *flagged = &world->update.flagged;
    bp_status status = boxes != NULL ? BP_OK : bp_mpi_check_boxes(world, boxes, count);
    flagged->count = 0;
    for (size_t i = 0; status == BP_OK && i < count && !alone; ++i) {
        if (flags[i] == 0 && bp_mpi_is_inside(&world->regions, &boxes[i])) continue;
        uint32_t *place = bp_mpi_list_add(flagged, bp_mpi_allocator(world), sizeof *place);
        status = place == NULL ? BP_ERROR_MEMORY : check_box(world, boxes, i);
        if (status == BP_OK) *place = (uint32_t)i;
    }
    return status;
}

// How many objects precede the first new one, which is not yet in the local world.
static size_t count_known(const bp_id *core, size_t count) {
    size_t known = 0;
    while (known < count && core[known] != BP_NO_ID) ++known;
    return known;
}

// Moves the boxes in the local world directly; boxes that concern other ranks are also kept here, for the update.
static bp_status place_all(bp_mpi_world *world, size_t count, const bp_box *boxes) {
    bp_mpi_owned_objects *owned = &world->owned;
    const bp_mpi_list *flagged = &world->update.flagged;
    const bp_id *core = owned->core.data;
    const size_t known = owned->pending ? count_known(core, count) : count;
    const bool numbered = world->comm.size == 1 && world->local.in_order;
    bp_status status = bp_move_many(world->local.world, known, numbered ? NULL : core, boxes);
    for (size_t i = known; status == BP_OK && i < count; ++i) {
        if (core[i] != BP_NO_ID) status = bp_move(world->local.world, core[i], &boxes[i]);
    }
    for (size_t i = 0; status == BP_OK && i < flagged->count; ++i) {
        const uint32_t index = ((const uint32_t *)flagged->memory.data)[i];
        ((bp_box *)owned->boxes.data)[index] = boxes[index];
        ((uint8_t *)owned->flags.data)[index] |= BP_MPI_MOVED | BP_MPI_PLACED;
        owned->pending = true;
    }
    owned->elsewhere |= status == BP_OK;
    return status;
}

bp_status bp_mpi_move_many(bp_mpi_world *world, size_t count, const uint64_t *ids, const bp_box *boxes) {
    if (world == NULL) {
        return BP_ERROR_ARGUMENT;
    }
    bp_mpi_owned_objects *owned = &world->owned;
    const bool all = ids == NULL && count > 0;
    bp_status status = all ? check_all_owned(world, count) : BP_OK;
    if (status == BP_OK) {
        status = all && !world->stale ? sort_out(world, count, boxes) : bp_mpi_check_boxes(world, boxes, count);
    }
    int64_t named = !all && count > 0;
    status = bp_mpi_agree_most(&world->comm, status, &named, 1);
    if (status != BP_OK || named) {
        const order said = {.count = count, .ids = all ? owned->ids.data : ids, .boxes = boxes};
        return status == BP_OK ? carry_out(world, status, &said) : status;
    }
    if (count > 0 && !world->stale) {
        return place_all(world, count, boxes);
    }
    if (count > 0) {
        memcpy(owned->boxes.data, boxes, count * sizeof *boxes);
        owned->elsewhere = false;
    }
    return BP_OK;
}

bp_status bp_mpi_set_many(bp_mpi_world *world, size_t count, const uint64_t *ids, const bp_object *objects,
                          const void *user) {
    if (world == NULL) {
        return BP_ERROR_ARGUMENT;
    }
    const bool all = ids == NULL && count > 0;
    bp_status status = all ? check_all_owned(world, count) : BP_OK;
    status = status == BP_OK ? check_objects(world, objects, count) : status;
    const order said = {.count = count, .ids = all ? world->owned.ids.data : ids, .objects = objects, .user = user};
    return carry_out(world, status, &said);
}

// ---- removing ------------------------------------------------------------------------------------------------------

static int compare_indices(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// All indices to remove, ascending; an error if one occurs twice.
static bp_status collect(bp_mpi_world *world, const order *said, const addresses *self, size_t *count) {
    const size_t most = said->count + self->in.count;
    if (!bp_buffer_reserve_slack(&world->scratch, bp_mpi_allocator(world), 0, most, sizeof(uint32_t)) ||
        !bp_buffer_reserve_slack(&world->removed, bp_mpi_allocator(world),
                                 world->removed_count * sizeof(bp_mpi_removed), world->removed_count + most,
                                 sizeof(bp_mpi_removed))) {
        return BP_ERROR_MEMORY;
    }
    uint32_t *indices = world->scratch.data;
    *count = 0;
    for (size_t i = 0; i < said->count; ++i) {
        const uint32_t index = ((const uint32_t *)self->indices.data)[i];
        if (index != ELSEWHERE) indices[(*count)++] = index;
    }
    for (size_t i = 0; i < self->in.count; ++i) indices[(*count)++] = ((const uint32_t *)self->in_indices.data)[i];
    if (*count > 0) {
        qsort(indices, *count, sizeof *indices, compare_indices);
    }
    for (size_t i = 1; i < *count; ++i) {
        if (indices[i] == indices[i - 1]) {
            bp_log_write(&world->comm.log, "the object with the id %llu was to be removed twice",
                         (unsigned long long)((const uint64_t *)world->owned.ids.data)[indices[i]]);
            return BP_ERROR_ID;
        }
    }
    return BP_OK;
}

// Removes the ids at their homes. The last step that can fail.
static bp_status sign_off(bp_mpi_world *world, bp_status status, size_t count, bp_mpi_inbox *in) {
    bp_mpi_outbox out = {0};
    const uint32_t *indices = world->scratch.data;
    bp_mpi_outbox_begin(&out, sizeof(uint64_t));
    for (size_t i = 0; status == BP_OK && i < count; ++i) {
        const uint64_t id = ((const uint64_t *)world->owned.ids.data)[indices[i]];
        uint64_t *item = bp_mpi_outbox_add(&out, bp_mpi_allocator(world), bp_mpi_home_of(world, id));
        if (item == NULL) break;
        *item = id;
    }
    status = bp_mpi_exchange(&world->comm, status, &out, in);
    bp_mpi_outbox_free(&out, bp_mpi_allocator(world));
    return status;
}

static void remove_owned(bp_mpi_world *world, size_t count) {
    const bp_mpi_owned_objects *owned = &world->owned;
    const uint32_t *indices = world->scratch.data;
    bp_mpi_removed *removed = world->removed.data;
    for (size_t i = count; i-- > 0;) {
        const uint32_t index = indices[i];
        if ((((const uint8_t *)owned->flags.data)[index] & BP_MPI_NEWBORN) == 0) {
            removed[world->removed_count++] = (bp_mpi_removed){.id = ((const uint64_t *)owned->ids.data)[index],
                                                               .sent = ((const bp_box *)owned->sent.data)[index],
                                                               .core = ((const bp_id *)owned->core.data)[index]};
        }
        bp_mpi_owned_erase(world, index);
    }
}

bp_status bp_mpi_remove_many(bp_mpi_world *world, size_t count, const uint64_t *ids) {
    if (world == NULL) {
        return BP_ERROR_ARGUMENT;
    }
    const bool single = world->comm.size == 1;
    const order said = {.count = count, .ids = ids};
    addresses self = {0};
    bp_mpi_inbox in = {0};
    size_t mine = 0;
    bp_status status = address(world, check_ids(world, count, ids), &said, &self);
    if (status == BP_OK) {
        status = bp_mpi_agree(&world->comm, collect(world, &said, &self, &mine));
    }
    int64_t total = (int64_t)mine;
    status = status == BP_OK ? bp_mpi_sum(&world->comm, &total, 1) : status;
    if (!single) {
        status = status == BP_OK ? sign_off(world, status, mine, &in) : status;
    }
    if (status == BP_OK) {
        for (size_t i = 0; i < in.count; ++i) bp_mpi_map_erase(&world->directory, ((const uint64_t *)in.items.data)[i]);
        remove_owned(world, mine);
        world->objects -= (uint64_t)total;
    }
    bp_mpi_inbox_free(&in, bp_mpi_allocator(world));
    addresses_free(&self, bp_mpi_allocator(world));
    return status;
}
