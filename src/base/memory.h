// Memory: everything the library holds lies in buffers that grow through the caller's allocator.
#ifndef BP_MEMORY_H
#define BP_MEMORY_H

#include <broadphase/broadphase.h>
#include <stdbool.h>

// For functions whose only effect is to prefetch memory. They have to be inline: gcc 12 considers a call of one that is
// not inline to be without effect, and drops it.
#if defined(__GNUC__)
#define BP_PREFETCHER static inline __attribute__((always_inline)) void
#else
#define BP_PREFETCHER static inline void
#endif

// Asks for memory that will be needed soon.
BP_PREFETCHER bp_prefetch(const void *memory) {
#if defined(__GNUC__)
    __builtin_prefetch(memory, 0, 2);
#else
    (void)memory;
#endif
}

// The same for memory that will be written.
BP_PREFETCHER bp_prefetch_write(const void *memory) {
#if defined(__GNUC__)
    __builtin_prefetch(memory, 1, 2);
#else
    (void)memory;
#endif
}

// A piece of memory. All zero is empty.
typedef struct bp_buffer {
    void *data;
    size_t bytes;
} bp_buffer;

// Makes room for `count` elements of `size` bytes and keeps the first `kept` bytes. On failure the buffer is as before.
bool bp_buffer_reserve(bp_buffer *buffer, const bp_allocator *allocator, size_t kept, size_t count, size_t size);

// The same with a quarter of slack when it has to grow, for contents whose number varies from step to step.
bool bp_buffer_reserve_slack(bp_buffer *buffer, const bp_allocator *allocator, size_t kept, size_t count, size_t size);

// Gives back what is behind the first `kept` bytes, unless that is little. If memory is short, nothing happens.
void bp_buffer_shrink(bp_buffer *buffer, const bp_allocator *allocator, size_t kept);

void bp_buffer_free(bp_buffer *buffer, const bp_allocator *allocator);
void bp_buffer_swap(bp_buffer *a, bp_buffer *b);

// a * b and a + b, or SIZE_MAX (which no allocator grants) where that overflows.
size_t bp_size_multiply(size_t a, size_t b);
size_t bp_size_add(size_t a, size_t b);

#endif
