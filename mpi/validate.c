// A deep check, for tests.
#include "base/log.h"
#include "world.h"

#include <string.h>

static bp_status find_fault(const bp_mpi_world *world, const char *text, uint64_t id) {
    bp_log_write(&world->comm.log, "rank %d: %s (id %llu)", world->comm.rank, text, (unsigned long long)id);
    return BP_ERROR_INTERNAL;
}

// The owned objects and their table; after an update also their places in the local world.
static bp_status check_owned(const bp_mpi_world *world) {
    const uint64_t *ids = world->owned.ids.data, *local = world->local.ids.data;
    const bp_id *core = world->owned.core.data;
    const uint8_t *flags = world->owned.flags.data;
    if (world->owned.index_of.count != world->owned.count) {
        return find_fault(world, "the table of owned objects has another number of them", 0);
    }
    for (size_t i = 0; i < world->owned.count; ++i) {
        const uint32_t *index = bp_mpi_map_find(&world->owned.index_of, ids[i]);
        if (index == NULL || *index != i) {
            return find_fault(world, "an owned object is not where its table says", ids[i]);
        }
        const bool settled = !world->stale && (flags[i] & BP_MPI_NEWBORN) == 0;
        if (settled && core[i] != BP_NO_ID &&
            (core[i] >= world->local.count || bp_mpi_untagged(local[core[i]]) != ids[i])) {
            return find_fault(world, "an owned object is another one in the local world", ids[i]);
        }
        if (bp_mpi_map_find(&world->local.ghosts, ids[i]) != NULL && !world->stale) {
            return find_fault(world, "an owned object is a ghost too", ids[i]);
        }
    }
    return BP_OK;
}

static bp_status check_ghosts(const bp_mpi_world *world) {
    const bp_mpi_map *ghosts = &world->local.ghosts;
    const uint64_t *local = world->local.ids.data;
    for (size_t i = 0; !world->stale && ghosts->slots != NULL && i <= ghosts->mask; ++i) {
        const bp_mpi_slot slot = ghosts->slots[i];
        if (slot.id != BP_MPI_NO_ID &&
            (slot.value >= world->local.count || bp_mpi_untagged(local[slot.value]) != slot.id)) {
            return find_fault(world, "a ghost is another object in the local world", slot.id);
        }
    }
    return BP_OK;
}

// Every id has one owner: the directory names this rank for all that it owns, and has as many entries as there are
// objects.
static bp_status check_directory(bp_mpi_world *world, bp_status status) {
    const size_t count = world->owned.count;
    bp_buffer owners = {0};
    if (status == BP_OK && !bp_buffer_reserve_slack(&owners, bp_mpi_allocator(world), 0, count + 1, sizeof(int))) {
        status = BP_ERROR_MEMORY;
    }
    status = bp_mpi_agree(&world->comm, status);
    status = status == BP_OK ? bp_mpi_find_owners(world, count, world->owned.ids.data, owners.data) : status;
    for (size_t i = 0; status == BP_OK && i < count; ++i) {
        if (((const int *)owners.data)[i] != world->comm.rank) {
            status =
                find_fault(world, "the directory names another owner", ((const uint64_t *)world->owned.ids.data)[i]);
        }
    }
    int64_t numbers[2] = {(int64_t)count, (int64_t)world->directory.count};
    bp_buffer_free(&owners, bp_mpi_allocator(world));
    status = bp_mpi_agree(&world->comm, status);
    status = status == BP_OK ? bp_mpi_sum(&world->comm, numbers, 2) : status;
    if (status == BP_OK &&
        ((uint64_t)numbers[0] != world->objects || (world->comm.size > 1 && (uint64_t)numbers[1] != world->objects))) {
        status = find_fault(world, "the numbers of objects differ", world->objects);
    }
    return status;
}

bp_status bp_mpi_world_validate(bp_mpi_world *world) {
    if (world == NULL) {
        return BP_ERROR_ARGUMENT;
    }
    bp_status status = check_owned(world);
    status = status == BP_OK ? check_ghosts(world) : status;
    if (status == BP_OK && world->local.world != NULL && !world->stale) {
        status = bp_world_validate(world->local.world);
    }
    return check_directory(world, status);
}
