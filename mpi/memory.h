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
void *bpm_list_add(bpm_list *list, const bp_allocator *allocator, size_t size);

// The C library's aligned allocation.
bp_allocator bpm_allocator_default(void);

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void bpm_log(const bp_log *log, const char *format, ...);

double bpm_seconds(void);

#endif
