#include "world/id_pool.h"

#include "base/boxes.h"

#include <string.h>

enum { BITS = 64 }; // of a word

void bp_id_pool_free(bp_id_pool *pool, const bp_allocator *allocator) {
    for (size_t level = 0; level < BP_ID_LEVELS; ++level) {
        bp_buffer_free(&pool->free[level], allocator);
    }
    bp_buffer_free(&pool->generations, allocator);
}

size_t bp_id_pool_bytes(const bp_id_pool *pool) {
    size_t bytes = pool->generations.bytes;
    for (size_t level = 0; level < BP_ID_LEVELS; ++level) {
        bytes += pool->free[level].bytes;
    }
    return bytes;
}

bool bp_id_pool_count_with(const bp_id_pool *pool, size_t added, size_t *id_count) {
    const size_t new_ids = added > pool->free_count ? added - pool->free_count : 0;
    *id_count = pool->count + new_ids;
    return new_ids <= BP_MAX_COUNT - pool->count;
}

static bool reserve_zeros(bp_buffer *buffer, const bp_allocator *allocator, size_t count, size_t size) {
    const size_t before = buffer->bytes;
    const bool granted = bp_buffer_reserve(buffer, allocator, before, count, size);
    if (buffer->bytes > before) {
        memset((unsigned char *)buffer->data + before, 0, buffer->bytes - before);
    }
    return granted;
}

static bool grow(bp_id_pool *pool, const bp_allocator *allocator, size_t capacity) {
    bool granted = reserve_zeros(&pool->generations, allocator, capacity, sizeof(uint32_t));
    for (size_t level = 0, words = capacity; level < BP_ID_LEVELS && granted; ++level) {
        words = words / BITS + 1;
        granted = reserve_zeros(&pool->free[level], allocator, words, sizeof(uint64_t));
    }
    pool->capacity = granted ? capacity : pool->capacity;
    return granted;
}

bool bp_id_pool_reserve(bp_id_pool *pool, const bp_allocator *allocator, size_t id_count) {
    return id_count <= pool->capacity || grow(pool, allocator, id_count + id_count / 4) ||
           grow(pool, allocator, id_count);
}

// An id is not free any more.
static void clear_bit(bp_id_pool *pool, size_t id) {
    for (size_t level = 0, word = id; level < BP_ID_LEVELS;
         ++level, word /= BITS) { // until a word still has other bits
        uint64_t *bits = &((uint64_t *)pool->free[level].data)[word / BITS];
        *bits &= ~((uint64_t)1 << word % BITS);
        if (*bits != 0) {
            break;
        }
    }
    --pool->free_count;
}

bp_id bp_id_pool_take_free(bp_id_pool *pool) {
    size_t word = 0;
    for (size_t level = BP_ID_LEVELS; level-- > 0;) {
        word = word * BITS + (size_t)__builtin_ctzll(((const uint64_t *)pool->free[level].data)[word]);
    }
    clear_bit(pool, word);
    return (bp_id)word;
}

void bp_id_pool_trim(bp_id_pool *pool) {
    while (pool->count > 0 &&
           (((const uint64_t *)pool->free[0].data)[(pool->count - 1) / BITS] >> (pool->count - 1) % BITS & 1) != 0) {
        clear_bit(pool, --pool->count);
    }
}

void bp_id_pool_give_back(bp_id_pool *pool, bp_id id) {
    uint32_t *generation = &((uint32_t *)pool->generations.data)[id];
    *generation += *generation < UINT32_MAX;
    for (size_t level = 0, word = id; level < BP_ID_LEVELS; ++level, word /= BITS) { // until a word had other bits
        uint64_t *bits = &((uint64_t *)pool->free[level].data)[word / BITS], before = *bits;
        *bits |= (uint64_t)1 << word % BITS;
        if (before != 0) {
            break;
        }
    }
    ++pool->free_count;
}

bool bp_id_pool_is_sound(const bp_id_pool *pool, const bp_box *boxes) {
    size_t holes = 0;
    bool sound = true;
    for (size_t id = 0; id < pool->count; ++id) {
        const uint64_t word = ((const uint64_t *)pool->free[0].data)[id / BITS];
        holes += bp_box_is_hole(&boxes[id]);
        sound &= bp_box_is_hole(&boxes[id]) == (word >> id % BITS & 1);
    }
    for (size_t level = 1, words = pool->count; level < BP_ID_LEVELS && pool->count > 0; ++level) {
        words = words / BITS + 1;
        for (size_t i = 0; i < words; ++i) {
            const uint64_t above = ((const uint64_t *)pool->free[level].data)[i / BITS];
            sound &= (((const uint64_t *)pool->free[level - 1].data)[i] != 0) == (above >> i % BITS & 1);
        }
    }
    return sound && holes == pool->free_count;
}
