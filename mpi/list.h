// A list that grows at its end, in memory from the caller's allocator.
#ifndef BPM_LIST_H
#define BPM_LIST_H

#include "base/memory.h"

typedef struct bpm_list {
    bp_buffer memory;
    size_t count;
} bpm_list;

// Room for one more element of `size` bytes, or NULL.
static inline void *bpm_list_add(bpm_list *list, const bp_allocator *allocator, size_t size) {
    const size_t used = list->count * size;
    if (list->memory.bytes - used < size &&
        !bp_buffer_reserve_slack(&list->memory, allocator, used, list->count + 16, size)) {
        return NULL;
    }
    ++list->count;
    return (char *)list->memory.data + used;
}

#endif
