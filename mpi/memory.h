// Memory: arrays that grow through the caller's allocator, and one line for a person through the caller's log.
#ifndef BPM_MEMORY_H
#define BPM_MEMORY_H

#include <broadphase/broadphase.h>
#include <stdbool.h>

// A block that only grows. All zero is empty.
typedef struct bpm_array {
    void *data;
    size_t bytes;
} bpm_array;

// Makes room for `count` elements of `size` bytes, with a quarter of slack when it has to grow, and keeps the first `kept`
// bytes. On failure the array is as before.
bool bpm_reserve(bpm_array *array, const bp_allocator *allocator, size_t kept, size_t count, size_t size);
void bpm_release(bpm_array *array, const bp_allocator *allocator);
void bpm_swap(bpm_array *a, bpm_array *b);

// A list that grows at its end.
typedef struct bpm_list {
    bpm_array memory;
    size_t count;
} bpm_list;

// Room for one more element of `size` bytes, or NULL.
static inline void *bpm_list_add(bpm_list *list, const bp_allocator *allocator, size_t size) {
    const size_t used = list->count * size;
    if (list->memory.bytes - used < size && !bpm_reserve(&list->memory, allocator, used, list->count + 1, size)) {
        return NULL;
    }
    ++list->count;
    return (char *)list->memory.data + used;
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void bpm_log(const bp_log *log, const char *format, ...);

double bpm_seconds(void);

// Asks for memory ahead of time. A function that does nothing else must be a BPM_PREFETCHER: gcc takes it for one without
// effect, and drops calls of it.
#if defined(__GNUC__)
#define BPM_PREFETCH(address) __builtin_prefetch(address)
#define BPM_PREFETCHER static inline __attribute__((always_inline)) void
#else
#define BPM_PREFETCH(address) ((void)(address))
#define BPM_PREFETCHER static inline void
#endif

#endif
