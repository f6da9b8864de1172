// The ids of a world: the smallest free one is used first.
//
//     count        ids 0 .. count-1 are alive or free
//     free         0 0 1 0 0 1 1 0 ...   a bit for each id that is free; above that, a bit for each word of 64 bits that is not 0,
//                                        and so on: a word or two of each level are read or written, and there are six levels
//     generations  | 0 | 2 | 1 | ...     by id: how often it was given back
#ifndef BP_ID_POOL_H
#define BP_ID_POOL_H

#include "base/memory.h"

enum { BP_ID_LEVELS = 6 }; // 64^6 > 2^32

// All zero is empty.
typedef struct bp_id_pool {
    size_t count, free_count, capacity;
    bp_buffer free[BP_ID_LEVELS]; // of uint64_t
    bp_buffer generations;        // of uint32_t
} bp_id_pool;

void bp_id_pool_free(bp_id_pool *pool, const bp_allocator *allocator);
size_t bp_id_pool_bytes(const bp_id_pool *pool);

static inline size_t bp_id_pool_living(const bp_id_pool *pool) {
    return pool->count - pool->free_count;
}

// The number of ids with `added` more objects. False if these are too many.
bool bp_id_pool_count_with(const bp_id_pool *pool, size_t added, size_t *id_count);

// Makes room for `id_count` ids. False if memory is short.
bool bp_id_pool_reserve(bp_id_pool *pool, const bp_allocator *allocator, size_t id_count);

// The smallest free id, if there is one.
bp_id bp_id_pool_take_free(bp_id_pool *pool);

// The smallest free id; a new one, `count`, if none is free.
static inline bp_id bp_id_pool_take(bp_id_pool *pool) {
    return pool->free_count > 0 ? bp_id_pool_take_free(pool) : (bp_id)pool->count++;
}

void bp_id_pool_give_back(bp_id_pool *pool, bp_id id);

// Drops the free ids behind the last one that is alive. They keep their generations.
void bp_id_pool_trim(bp_id_pool *pool);

// A number for the present object of an id that no other object ever gets: 0 where the id was used 2^32 - 1 times.
static inline uint64_t bp_id_pool_handle(const bp_id_pool *pool, bp_id id) {
    const uint32_t generation = ((const uint32_t *)pool->generations.data)[id];
    return generation == UINT32_MAX ? 0 : ((uint64_t)generation + 1) << 32 | id;
}

// Whether the free ids are exactly the holes among the boxes, which are indexed by id, and all levels agree.
bool bp_id_pool_is_sound(const bp_id_pool *pool, const bp_box *boxes);

#endif
