// A hash table from ids to small numbers: open addressing, linear probing, at most two thirds full.
//
// Only reserving can fail: after bp_mpi_map_reserve(n), n entries fit.
#ifndef BP_MPI_ID_MAP_H
#define BP_MPI_ID_MAP_H

#include "list.h"

typedef struct bp_mpi_slot {
    uint64_t id; // BP_MPI_NO_ID: free
    uint32_t value;
} bp_mpi_slot;

typedef struct bp_mpi_map {
    bp_buffer memory;
    bp_mpi_slot *slots;
    size_t mask; // slots - 1; a power of two less one
    size_t count;
} bp_mpi_map;

static inline uint64_t bp_mpi_hash(uint64_t id) {
    id = (id ^ (id >> 30)) * 0xbf58476d1ce4e5b9u;
    id = (id ^ (id >> 27)) * 0x94d049bb133111ebu;
    return id ^ (id >> 31);
}

bool bp_mpi_map_reserve(bp_mpi_map *map, const bp_allocator *allocator, size_t count);
void bp_mpi_map_free(bp_mpi_map *map, const bp_allocator *allocator);
void bp_mpi_map_clear(bp_mpi_map *map);

// Prefetches the slot of an id.
BP_PREFETCHER bp_mpi_map_expect(const bp_mpi_map *map, uint64_t id) {
    if (map->slots != NULL) bp_prefetch(&map->slots[bp_mpi_hash(id) & map->mask]);
}

// NULL if it is not there.
uint32_t *bp_mpi_map_find(const bp_mpi_map *map, uint64_t id);
// Room must be reserved. An existing id gets the new value.
void bp_mpi_map_put(bp_mpi_map *map, uint64_t id, uint32_t value);
// Does nothing if the id is absent.
void bp_mpi_map_erase(bp_mpi_map *map, uint64_t id);

#endif
