// The ids of a world: the smallest free one is used first.
//
//     count  ids 0 .. count-1 are alive or free
//     free   | 2 | 5 | 3 |        a heap of the free ones, the smallest on top
#ifndef BP_ID_POOL_H
#define BP_ID_POOL_H

#include "base/memory.h"

// All zero is empty.
typedef struct bp_id_pool {
    size_t count;
    bp_buffer free; // of bp_id
    size_t free_count;
} bp_id_pool;

void bp_id_pool_free(bp_id_pool *pool, const bp_allocator *allocator);

static inline size_t bp_id_pool_living(const bp_id_pool *pool) {
    return pool->count - pool->free_count;
}

// The number of ids with `added` more objects. False if these are too many.
bool bp_id_pool_count_with(const bp_id_pool *pool, size_t added, size_t *id_count);

// The smallest free id, if there is one.
bp_id bp_id_pool_take_free(bp_id_pool *pool);

// The smallest free id; a new one, `count`, if none is free.
static inline bp_id bp_id_pool_take(bp_id_pool *pool) {
    return pool->free_count > 0 ? bp_id_pool_take_free(pool) : (bp_id)pool->count++;
}

// Makes room to give one more id back. False if memory is short.
bool bp_id_pool_reserve(bp_id_pool *pool, const bp_allocator *allocator);

// Gives an id back. There is room for it.
void bp_id_pool_give_back(bp_id_pool *pool, bp_id id);

// Whether the free ids form a heap and are exactly the holes among the boxes, which are indexed by id.
bool bp_id_pool_is_sound(const bp_id_pool *pool, const bp_box *boxes);

#endif
