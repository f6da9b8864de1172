#include "id_map.h"

#include <broadphase/broadphase_mpi.h>

enum { SMALLEST = 16 };

void bp_mpi_map_clear(bp_mpi_map *map) {
    for (size_t i = 0; map->slots != NULL && i <= map->mask; ++i) {
        map->slots[i].id = BP_MPI_NO_ID;
    }
    map->count = 0;
}

static size_t slots_for(size_t count) {
    size_t slots = SMALLEST;
    while (slots - slots / 3 < count + 1) {
        slots *= 2;
    }
    return slots;
}

bool bp_mpi_map_reserve(bp_mpi_map *map, const bp_allocator *allocator, size_t count) {
    if (count > SIZE_MAX / 64) {
        return false;
    }
    const size_t slots = slots_for(count);
    if (map->slots != NULL && slots <= map->mask + 1) {
        return true;
    }
    bp_mpi_map next = {.mask = slots - 1};
    if (!bp_buffer_reserve_slack(&next.memory, allocator, 0, slots, sizeof(bp_mpi_slot))) {
        return false;
    }
    next.slots = next.memory.data;
    bp_mpi_map_clear(&next);
    for (size_t i = 0; map->slots != NULL && i <= map->mask; ++i) {
        if (map->slots[i].id != BP_MPI_NO_ID) {
            bp_mpi_map_put(&next, map->slots[i].id, map->slots[i].value);
        }
    }
    bp_mpi_map_free(map, allocator);
    *map = next;
    return true;
}

void bp_mpi_map_free(bp_mpi_map *map, const bp_allocator *allocator) {
    bp_buffer_free(&map->memory, allocator);
    *map = (bp_mpi_map){0};
}

// Where an id is, or the free slot where it would go.
static size_t place_of(const bp_mpi_map *map, uint64_t id) {
    size_t place = bp_mpi_hash(id) & map->mask;
    while (map->slots[place].id != id && map->slots[place].id != BP_MPI_NO_ID) {
        place = (place + 1) & map->mask;
    }
    return place;
}

uint32_t *bp_mpi_map_find(const bp_mpi_map *map, uint64_t id) {
    if (map->slots == NULL || id == BP_MPI_NO_ID) {
        return NULL;
    }
    bp_mpi_slot *slot = &map->slots[place_of(map, id)];
    return slot->id == id ? &slot->value : NULL;
}

void bp_mpi_map_put(bp_mpi_map *map, uint64_t id, uint32_t value) {
    bp_mpi_slot *slot = &map->slots[place_of(map, id)];
    map->count += slot->id != id;
    *slot = (bp_mpi_slot){.id = id, .value = value};
}

// Moves the following entries back, so that no search ends at the gap.
void bp_mpi_map_erase(bp_mpi_map *map, uint64_t id) {
    if (bp_mpi_map_find(map, id) == NULL) {
        return;
    }
    size_t gap = place_of(map, id);
    for (size_t next = (gap + 1) & map->mask; map->slots[next].id != BP_MPI_NO_ID; next = (next + 1) & map->mask) {
        const size_t wanted = bp_mpi_hash(map->slots[next].id) & map->mask;
        if (((next - wanted) & map->mask) >= ((next - gap) & map->mask)) {
            map->slots[gap] = map->slots[next];
            gap = next;
        }
    }
    map->slots[gap].id = BP_MPI_NO_ID;
    --map->count;
}
