#include "world/id_pool.h"

#include "base/boxes.h"

void bp_id_pool_free(bp_id_pool *pool, const bp_allocator *allocator) {
    bp_buffer_free(&pool->free, allocator);
}

bool bp_id_pool_count_with(const bp_id_pool *pool, size_t added, size_t *id_count) {
    const size_t new_ids = added > pool->free_count ? added - pool->free_count : 0;
    *id_count = pool->count + new_ids;
    return new_ids <= BP_MAX_COUNT - pool->count;
}

bp_id bp_id_pool_take_free(bp_id_pool *pool) {
    bp_id *heap = pool->free.data;
    const bp_id smallest = heap[0], last = heap[--pool->free_count];
    size_t at = 0;
    for (size_t child = 1; child < pool->free_count; child = 2 * at + 1) {
        child += child + 1 < pool->free_count && heap[child + 1] < heap[child];
        if (heap[child] >= last) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return smallest;
}

bool bp_id_pool_reserve(bp_id_pool *pool, const bp_allocator *allocator) {
    return bp_buffer_reserve_slack(&pool->free, allocator, pool->free_count * sizeof(bp_id), pool->free_count + 1,
                                   sizeof(bp_id));
}

void bp_id_pool_give_back(bp_id_pool *pool, bp_id id) {
    bp_id *heap = pool->free.data;
    size_t at = pool->free_count++;
    for (; at > 0 && heap[(at - 1) / 2] > id; at = (at - 1) / 2) {
        heap[at] = heap[(at - 1) / 2];
    }
    heap[at] = id;
}

bool bp_id_pool_is_sound(const bp_id_pool *pool, const bp_box *boxes) {
    const bp_id *heap = pool->free.data;
    size_t holes = 0;
    for (size_t id = 0; id < pool->count; ++id) {
        holes += bp_box_is_hole(&boxes[id]);
    }
    bool sound = holes == pool->free_count;
    for (size_t i = 0; sound && i < pool->free_count; ++i) {
        sound = heap[i] < pool->count && bp_box_is_hole(&boxes[heap[i]]) && (i == 0 || heap[(i - 1) / 2] < heap[i]);
    }
    return sound;
}
