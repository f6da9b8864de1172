// A hash table from ids to small numbers: open addressing, linear probing, at most two thirds full.
//
// Only reserving can fail: after bpm_map_reserve(n), n entries fit.
#ifndef BPM_ID_MAP_H
#define BPM_ID_MAP_H

#include "list.h"

typedef struct bpm_slot {
    uint64_t id; // BP_MPI_NO_ID: free
    uint32_t value;
} bpm_slot;

typedef struct bpm_map {
    bp_buffer memory;
    bpm_slot *slots;
    size_t mask; // slots - 1; a power of two less one
    size_t count;
} bpm_map;

static inline uint64_t bpm_hash(uint64_t id) {
    id = (id ^ (id >> 30)) * 0xbf58476d1ce4e5b9u;
    id = (id ^ (id >> 27)) * 0x94d049bb133111ebu;
    return id ^ (id >> 31);
}

bool bpm_map_reserve(bpm_map *map, const bp_allocator *allocator, size_t count);
void bpm_map_free(bpm_map *map, const bp_allocator *allocator);
void bpm_map_clear(bpm_map *map);

// Prefetches the slot of an id.
BP_PREFETCHER bpm_map_expect(const bpm_map *map, uint64_t id) {
    if (map->slots != NULL) bp_prefetch(&map->slots[bpm_hash(id) & map->mask]);
}

// NULL if it is not there.
uint32_t *bpm_map_find(const bpm_map *map, uint64_t id);
// Room must be reserved. An existing id gets the new value.
void bpm_map_put(bpm_map *map, uint64_t id, uint32_t value);
// Does nothing if the id is absent.
void bpm_map_erase(bpm_map *map, uint64_t id);

#endif
