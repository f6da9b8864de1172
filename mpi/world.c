// Creating and destroying a world, and queries that need no other rank.
#include "world.h"

#include "base/log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { USER_BYTES_MOST = 65536, BROADCAST_ABOVE = 32, BALANCE_INTERVAL = 8 };
static const uint32_t MESSAGE_LIMIT = 1u << 30;
static const float IMBALANCE = 1.1f;

const char *bp_mpi_status_text(bp_status status) {
    return (int)status == (int)BP_ERROR_MPI ? "MPI has failed" : bp_status_text(status);
}

// ---- the config ----------------------------------------------------------------------------------------------------

static bp_status refuse(const bp_mpi_config *config, bp_status status, const char *text) {
    bp_log_write(&config->local.log, "%s", text);
    return status;
}

static bp_status check_config(const bp_mpi_config *config) {
    const bp_config *local = &config->local;
    for (size_t i = 0; i < sizeof config->reserved / sizeof *config->reserved; ++i) {
        if (config->reserved[i] != 0) {
            return refuse(config, BP_ERROR_ARGUMENT, "config.reserved must be 0; begin the struct with {0}");
        }
    }
    if (config->partition != BP_MPI_RCB && config->partition != BP_MPI_HSFC) {
        return refuse(config, BP_ERROR_ARGUMENT, "config.partition must be BP_MPI_RCB (0) or BP_MPI_HSFC (1)");
    }
    if (isnan(config->imbalance) || (config->imbalance != 0.0f && config->imbalance < 1.0f)) {
        return refuse(config, BP_ERROR_ARGUMENT, "config.imbalance must be 0 (1.1) or at least 1");
    }
    if (config->user_bytes > USER_BYTES_MOST) {
        return refuse(config, BP_ERROR_ARGUMENT, "config.user_bytes must be at most 65536: keep an index instead");
    }
    if (config->message_limit > MESSAGE_LIMIT) {
        return refuse(config, BP_ERROR_ARGUMENT, "config.message_limit must be at most 2^30 bytes");
    }
    if (local->margin != 0.0f) {
        return refuse(config, BP_ERROR_UNSUPPORTED, "config.local.margin: worlds over MPI have none; grow the boxes");
    }
    if (local->filter.pass != NULL) {
        return refuse(config, BP_ERROR_UNSUPPORTED, "config.local.filter knows no 64-bit ids; use config.filter");
    }
    if ((local->flags & ~(uint32_t)BP_EVENTS) != 0) {
        return refuse(config, BP_ERROR_UNSUPPORTED, "config.local.flags: only BP_EVENTS has a meaning here");
    }
    if ((local->allocator.allocate == NULL) != (local->allocator.release == NULL)) {
        return refuse(config, BP_ERROR_ARGUMENT, "config.local.allocator needs both functions or none");
    }
    return BP_OK;
}

static bp_mpi_config complete(const bp_mpi_config *requested) {
    bp_mpi_config config = requested != NULL ? *requested : (bp_mpi_config){0};
    config.local.dimensions = config.local.dimensions == 0 ? 3 : config.local.dimensions;
    config.imbalance = config.imbalance == 0.0f ? IMBALANCE : config.imbalance;
    config.balance_interval = config.balance_interval == 0 ? BALANCE_INTERVAL : config.balance_interval;
    config.broadcast_above = config.broadcast_above == 0 ? BROADCAST_ABOVE : config.broadcast_above;
    config.message_limit = config.message_limit == 0 ? MESSAGE_LIMIT : config.message_limit;
    config.local.stats = NULL;
    return config;
}

static int64_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int64_t)bits;
}

// What ranks that differ in it would wait for each other over, or find other pairs with.
static bp_status compare_configs(bp_mpi_comm *comm, const bp_mpi_config *config, bp_status status) {
    enum { FIELDS = 12 };
    static const char *const NAMES[FIELDS] = {
        "local.dimensions", "local.shape", "local.flags", "local.period[0]", "local.period[1]", "local.period[2]",
        "partition",        "imbalance",   "user_bytes",  "message_limit",   "broadcast_above", "balance_interval"};
    const bp_config *local = &config->local;
    const int64_t mine[FIELDS] = {(int64_t)local->dimensions,
                                  (int64_t)local->shape,
                                  (int64_t)local->flags,
                                  bits_of(local->period[0]),
                                  bits_of(local->period[1]),
                                  bits_of(local->period[2]),
                                  (int64_t)config->partition,
                                  bits_of(config->imbalance),
                                  (int64_t)config->user_bytes,
                                  (int64_t)config->message_limit,
                                  (int64_t)config->broadcast_above,
                                  (int64_t)config->balance_interval};
    int64_t most[FIELDS];
    memcpy(most, mine, sizeof most);
    status = bp_mpi_agree_most(comm, status, most, FIELDS);
    for (int i = 0; status == BP_OK && i < FIELDS; ++i) {
        if (mine[i] == most[i]) continue;
        bp_log_write(&comm->log, "config.%s on rank %d is not that of another rank; it must be the same on all",
                     NAMES[i], comm->rank);
        status = BP_ERROR_ARGUMENT;
    }
    return bp_mpi_agree(comm, status);
}

// ---- opening -------------------------------------------------------------------------------------------------------

static bp_mpi_regions empty_regions(const bp_mpi_config *config, int size) {
    bp_mpi_regions regions = {.dimensions = config->local.dimensions,
                              .spheres = config->local.shape == BP_SHAPE_SPHERES,
                              .size = size,
                              .broadcast_above = config->broadcast_above};
    for (uint32_t axis = 0; axis < config->local.dimensions && axis < 3; ++axis) {
        regions.period[axis] = (double)config->local.period[axis];
        regions.low[axis] = -INFINITY;
        regions.high[axis] = INFINITY;
    }
    return regions;
}

// The library itself checks the local config.
static bp_status try_local(const bp_mpi_config *config) {
    bp_world *world = NULL;
    const bp_status status = bp_world_create(&config->local, &world);
    bp_world_destroy(world);
    return status;
}

static bp_status open_comm(MPI_Comm communicator, bp_mpi_comm *comm) {
    int started = 0, ended = 0;
    (void)MPI_Initialized(&started);
    (void)MPI_Finalized(&ended);
    if (!started || ended || communicator == MPI_COMM_NULL) {
        bp_log_write(&comm->log, "a world needs a communicator, between MPI_Init and MPI_Finalize");
        return BP_ERROR_ARGUMENT;
    }
    bp_status status = bp_mpi_check(comm, MPI_Comm_dup(communicator, &comm->handle), "duplicating the communicator");
    if (status == BP_OK) {
        status =
            bp_mpi_check(comm, MPI_Comm_set_errhandler(comm->handle, MPI_ERRORS_RETURN), "setting the error handler");
        (void)MPI_Comm_rank(comm->handle, &comm->rank);
        (void)MPI_Comm_size(comm->handle, &comm->size);
    }
    return status;
}

bp_status bp_mpi_world_open(MPI_Comm communicator, const bp_mpi_config *requested, bp_mpi_world **world) {
    bp_mpi_config config = complete(requested);
    bp_mpi_comm comm = {.handle = MPI_COMM_NULL, .size = 1, .limit = config.message_limit, .log = config.local.log};
    bp_status checked = check_config(&config);
    if (world != NULL) {
        *world = NULL;
    } else if (checked == BP_OK) {
        checked = refuse(&config, BP_ERROR_ARGUMENT, "world is NULL: there is no place for the new world");
    }
    comm.allocator =
        checked == BP_OK && config.local.allocator.allocate != NULL ? config.local.allocator : bp_allocator_default();
    bp_status status = open_comm(communicator, &comm);
    if (status != BP_OK) {
        return status; // there is no communicator to agree over
    }
    checked = checked == BP_OK ? try_local(&config) : checked;
    bp_mpi_world *self = NULL;
    if (checked == BP_OK) {
        self = comm.allocator.allocate(comm.allocator.context, sizeof *self);
        checked = self != NULL ? BP_OK : BP_ERROR_MEMORY;
    }
    status = compare_configs(&comm, &config, checked);
    if (status != BP_OK) {
        if (self != NULL) comm.allocator.release(comm.allocator.context, self, sizeof *self);
        (void)MPI_Comm_free(&comm.handle);
        return status;
    }
    *self = (bp_mpi_world){.config = config, .comm = comm, .stale = true, .settled = 1.0};
    if (config.local.settings != NULL) {
        self->settings = *config.local.settings;
        self->config.local.settings = &self->settings;
    }
    self->regions = empty_regions(&config, comm.size);
    status = bp_mpi_agree(&self->comm, bp_mpi_partition_create(&self->comm, &self->zoltan));
    if (status != BP_OK) {
        bp_mpi_world_destroy(self);
        return status;
    }
    *world = self;
    return BP_OK;
}

bp_status bp_mpi_world_create(MPI_Comm communicator, const bp_mpi_config *config, bp_mpi_world **world) {
    return bp_mpi_world_open(communicator, config, world);
}

void bp_mpi_world_destroy(bp_mpi_world *world) {
    if (world == NULL) {
        return;
    }
    const bp_allocator allocator = world->comm.allocator;
    bp_mpi_owned_objects *owned = &world->owned;
    bp_mpi_local *local = &world->local;
    bp_buffer *arrays[] = {&owned->ids,
                           &owned->boxes,
                           &owned->sent,
                           &owned->objects,
                           &owned->user,
                           &owned->core,
                           &owned->flags,
                           &world->removed,
                           &local->ids,
                           &local->ids_before,
                           &local->boxes,
                           &local->objects,
                           &local->user,
                           &local->flags,
                           &local->parked,
                           &world->scratch,
                           &world->order,
                           &world->pairs.memory,
                           &world->begun.memory,
                           &world->ended.memory,
                           &world->next_pairs.memory,
                           &world->next_begun.memory,
                           &world->next_ended.memory};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) bp_buffer_free(arrays[i], &allocator);
    bp_mpi_update_state *update = &world->update;
    bp_buffer *more[] = {&update->cast.memory,  &update->heard,           &update->ranks,
                         &update->ranks_before, &update->leavers.memory,  &update->flagged.memory,
                         &update->adds.memory,  &update->arrivals.memory, &update->removes.memory,
                         &update->moves.memory, &update->moved.memory,    &update->restated.memory};
    for (size_t i = 0; i < sizeof more / sizeof *more; ++i) bp_buffer_free(more[i], &allocator);
    bp_mpi_outbox_free(&update->out, &allocator);
    bp_mpi_outbox_free(&update->signs, &allocator);
    bp_mpi_inbox_free(&update->in, &allocator);
    bp_mpi_inbox_free(&update->signs_in, &allocator);
    bp_mpi_map_free(&owned->index_of, &allocator);
    bp_mpi_map_free(&world->directory, &allocator);
    bp_mpi_map_free(&local->ghosts, &allocator);
    bp_world_destroy(local->world);
    bp_mpi_regions_free(&world->regions, &allocator);
    if (world->zoltan != NULL) {
        Zoltan_Destroy(&world->zoltan);
    }
    (void)MPI_Comm_free(&world->comm.handle);
    allocator.release(allocator.context, world, sizeof *world);
}

// ---- owned objects -------------------------------------------------------------------------------------------------

bool bp_mpi_owned_reserve(bp_mpi_world *world, size_t count) {
    bp_mpi_owned_objects *owned = &world->owned;
    const bp_allocator *allocator = bp_mpi_allocator(world);
    const size_t kept = owned->count, user = world->config.user_bytes;
    return count < BP_MAX_COUNT &&
           bp_buffer_reserve_slack(&owned->ids, allocator, kept * sizeof(uint64_t), count, sizeof(uint64_t)) &&
           bp_buffer_reserve_slack(&owned->boxes, allocator, kept * sizeof(bp_box), count, sizeof(bp_box)) &&
           bp_buffer_reserve_slack(&owned->sent, allocator, kept * sizeof(bp_box), count, sizeof(bp_box)) &&
           bp_buffer_reserve_slack(&owned->objects, allocator, kept * sizeof(bp_object), count, sizeof(bp_object)) &&
           bp_buffer_reserve_slack(&owned->core, allocator, kept * sizeof(bp_id), count, sizeof(bp_id)) &&
           bp_buffer_reserve_slack(&owned->flags, allocator, kept, count, 1) &&
           (user == 0 || bp_buffer_reserve_slack(&owned->user, allocator, kept * user, count, user)) &&
           bp_mpi_map_reserve(&owned->index_of, allocator, count);
}

void bp_mpi_owned_append(bp_mpi_world *world, uint64_t id, const bp_box *box, const bp_object *object, const void *user,
                         uint8_t flags) {
    bp_mpi_owned_objects *owned = &world->owned;
    const size_t i = owned->count++, bytes = world->config.user_bytes;
    ((uint64_t *)owned->ids.data)[i] = id;
    ((bp_box *)owned->boxes.data)[i] = *box;
    ((bp_box *)owned->sent.data)[i] = *box;
    ((bp_object *)owned->objects.data)[i] = object != NULL ? *object : (bp_object){0};
    ((bp_id *)owned->core.data)[i] = BP_NO_ID;
    ((uint8_t *)owned->flags.data)[i] = flags;
    owned->pending |= (flags & BP_MPI_NEWS) != 0;
    if (bytes > 0 && user != NULL) {
        memcpy((char *)owned->user.data + i * bytes, user, bytes);
    } else if (bytes > 0) {
        memset((char *)owned->user.data + i * bytes, 0, bytes);
    }
    bp_mpi_map_put(&owned->index_of, id, (uint32_t)i);
}

bp_box bp_mpi_owned_box(const bp_mpi_world *world, size_t index) {
    const bp_mpi_owned_objects *owned = &world->owned;
    const bp_id core = ((const bp_id *)owned->core.data)[index];
    bp_box box = ((const bp_box *)owned->boxes.data)[index];
    if (owned->elsewhere && core != BP_NO_ID && (((const uint8_t *)owned->flags.data)[index] & BP_MPI_NEWS) == 0) {
        (void)bp_get_object(world->local.world, core, &box, NULL);
    }
    return box;
}

void bp_mpi_bring_boxes(bp_mpi_world *world) {
    bp_mpi_owned_objects *owned = &world->owned;
    bp_box *boxes = owned->boxes.data;
    for (size_t i = 0; owned->elsewhere && i < owned->count; ++i) boxes[i] = bp_mpi_owned_box(world, i);
    owned->elsewhere = false;
}

void bp_mpi_owned_erase(bp_mpi_world *world, size_t index) {
    bp_mpi_owned_objects *owned = &world->owned;
    const size_t last = --owned->count, bytes = world->config.user_bytes;
    uint64_t *ids = owned->ids.data;
    bp_mpi_map_erase(&owned->index_of, ids[index]);
    if (index == last) {
        return;
    }
    ids[index] = ids[last];
    ((bp_box *)owned->boxes.data)[index] = ((bp_box *)owned->boxes.data)[last];
    ((bp_box *)owned->sent.data)[index] = ((bp_box *)owned->sent.data)[last];
    ((bp_object *)owned->objects.data)[index] = ((bp_object *)owned->objects.data)[last];
    ((bp_id *)owned->core.data)[index] = ((bp_id *)owned->core.data)[last];
    ((uint8_t *)owned->flags.data)[index] = ((uint8_t *)owned->flags.data)[last];
    if (bytes > 0) {
        memcpy((char *)owned->user.data + index * bytes, (char *)owned->user.data + last * bytes, bytes);
    }
    bp_mpi_map_put(&owned->index_of, ids[index], (uint32_t)index);
    world->local.in_order = false;
}

static int compare_words(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

bool bp_mpi_owned_prepare_sort(bp_mpi_world *world, size_t count) {
    const size_t user = world->config.user_bytes, largest = user > sizeof(bp_object) ? user : sizeof(bp_object);
    return bp_buffer_reserve_slack(&world->scratch, bp_mpi_allocator(world), 0, count + 1, largest) &&
           bp_buffer_reserve_slack(&world->order, bp_mpi_allocator(world), 0, count + 1, sizeof(uint64_t));
}

static void permute(bp_mpi_world *world, bp_buffer *array, size_t size) {
    const uint64_t *order = world->order.data;
    char *to = world->scratch.data;
    for (size_t i = 0; size > 0 && i < world->owned.count; ++i) {
        memcpy(to + i * size, (const char *)array->data + (order[i] & UINT32_MAX) * size, size);
    }
    if (size > 0 && world->owned.count > 0) {
        memcpy(array->data, to, world->owned.count * size);
    }
}

void bp_mpi_owned_sort(bp_mpi_world *world) {
    bp_mpi_owned_objects *owned = &world->owned;
    uint64_t *order = world->order.data;
    for (size_t i = 0; i < owned->count; ++i) order[i] = (uint64_t)((const bp_id *)owned->core.data)[i] << 32 | i;
    if (owned->count > 1) {
        qsort(order, owned->count, sizeof *order, compare_words);
    }
    _Static_assert(sizeof(bp_object) >= sizeof(bp_box), "the largest field decides how much scratch is needed");
    permute(world, &owned->ids, sizeof(uint64_t));
    permute(world, &owned->boxes, sizeof(bp_box));
    permute(world, &owned->sent, sizeof(bp_box));
    permute(world, &owned->objects, sizeof(bp_object));
    permute(world, &owned->flags, 1);
    permute(world, &owned->user, world->config.user_bytes);
    permute(world, &owned->core, sizeof(bp_id));
    for (size_t i = 0; i < owned->count; ++i) {
        bp_mpi_map_put(&owned->index_of, ((const uint64_t *)owned->ids.data)[i], (uint32_t)i);
    }
}

// ---- questions -----------------------------------------------------------------------------------------------------

static bp_status refuse_null(const bp_mpi_world *world, const char *name) {
    if (world != NULL) bp_log_write(&world->comm.log, "%s is NULL: there is no place for the answer", name);
    return BP_ERROR_ARGUMENT;
}

bp_status bp_mpi_owned(const bp_mpi_world *world, bp_mpi_objects *objects) {
    if (world == NULL || objects == NULL) {
        return refuse_null(world, "objects");
    }
    const bp_mpi_owned_objects *owned = &world->owned;
    *objects = (bp_mpi_objects){
        .ids = owned->ids.data, .objects = owned->objects.data, .user = owned->user.data, .count = owned->count};
    return BP_OK;
}

bp_status bp_mpi_owned_boxes(bp_mpi_world *world, const bp_box **boxes) {
    if (world == NULL || boxes == NULL) {
        return refuse_null(world, "boxes");
    }
    bp_mpi_bring_boxes(world);
    *boxes = world->owned.boxes.data;
    return BP_OK;
}

static void copy_user(const bp_mpi_world *world, const bp_buffer *from, size_t index, void *to) {
    const size_t bytes = world->config.user_bytes;
    if (to != NULL && bytes > 0) {
        memcpy(to, (const char *)from->data + index * bytes, bytes);
    }
}

bp_status bp_mpi_get(const bp_mpi_world *world, uint64_t id, bp_box *box, bp_object *object, void *user) {
    if (world == NULL) {
        return BP_ERROR_ARGUMENT;
    }
    const uint32_t *owned = bp_mpi_map_find(&world->owned.index_of, id);
    const uint32_t *ghost = owned == NULL && !world->stale ? bp_mpi_map_find(&world->local.ghosts, id) : NULL;
    if (owned == NULL && ghost == NULL) {
        bp_log_write(&world->comm.log, "rank %d neither owns the object with the id %llu nor knows it as a ghost",
                     world->comm.rank, (unsigned long long)id);
        return BP_ERROR_ID;
    }
    const bp_buffer *objects = owned != NULL ? &world->owned.objects : &world->local.objects;
    const uint32_t index = owned != NULL ? *owned : *ghost;
    if (box != NULL) {
        *box = owned != NULL ? bp_mpi_owned_box(world, index) : ((const bp_box *)world->local.boxes.data)[index];
    }
    if (object != NULL) *object = ((const bp_object *)objects->data)[index];
    copy_user(world, owned != NULL ? &world->owned.user : &world->local.user, index, user);
    return BP_OK;
}

uint64_t bp_mpi_world_count(const bp_mpi_world *world) {
    return world != NULL ? world->objects : 0;
}

bp_status bp_mpi_world_stats(const bp_mpi_world *world, bp_mpi_stats *stats) {
    if (world == NULL || stats == NULL) {
        return refuse_null(world, "stats");
    }
    *stats = world->stats;
    return BP_OK;
}
