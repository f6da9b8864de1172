#if defined(__linux__)
#define _DEFAULT_SOURCE // madvise. NOLINT(bugprone-reserved-identifier)
#include <sys/mman.h>
#endif

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, LARGE_PAGE = 2 << 20, LARGE = 8 << 20 };

static void *allocate_pages(size_t size, size_t page) {
    return size > SIZE_MAX - page ? NULL : aligned_alloc(page, (size + page - 1) / page * page);
}

// A call that allocates, fills and releases many megabytes spends a quarter of its time on pages that are touched for the
// first time, if these are small. Smaller blocks than LARGE are often given out again by the C library, untouched pages
// and all, unless they are aligned like that.
static void *allocate_large(size_t size) {
    void *memory = allocate_pages(size, LARGE_PAGE);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (memory != NULL) {
        (void)madvise(memory, size, MADV_HUGEPAGE); // advice: without it everything works, too
    }
#endif
    return memory;
}

static void *allocate_aligned(void *context, size_t size) {
    (void)context;
    return size < LARGE ? allocate_pages(size, ALIGNMENT) : allocate_large(size);
}

static void release_aligned(void *context, void *memory, size_t size) {
    (void)context;
    (void)size;
    free(memory);
}

bp_allocator bp_allocator_default(void) {
    return (bp_allocator){.allocate = allocate_aligned, .release = release_aligned, .context = NULL};
}

size_t bp_size_multiply(size_t a, size_t b) {
    return (b != 0 && a > SIZE_MAX / b) ? SIZE_MAX : a * b;
}

static bool grow(bp_buffer *buffer, const bp_allocator *allocator, size_t kept, size_t bytes) {
    void *data = bytes == SIZE_MAX ? NULL : allocator->allocate(allocator->context, bytes);
    if (data == NULL) {
        return false;
    }
    if (kept > 0) {
        memcpy(data, buffer->data, kept);
    }
    bp_buffer_free(buffer, allocator);
    *buffer = (bp_buffer){.data = data, .bytes = bytes};
    return true;
}

bool bp_buffer_reserve(bp_buffer *buffer, const bp_allocator *allocator, size_t kept, size_t count, size_t size) {
    const size_t bytes = bp_size_multiply(count, size);
    return bytes <= buffer->bytes || grow(buffer, allocator, kept, bytes);
}

bool bp_buffer_reserve_slack(bp_buffer *buffer, const bp_allocator *allocator, size_t kept, size_t count, size_t size) {
    const size_t bytes = bp_size_multiply(count, size);
    if (bytes <= buffer->bytes) {
        return true;
    }
    const size_t slack = bytes / 4 < SIZE_MAX - bytes ? bytes / 4 : 0;
    return grow(buffer, allocator, kept, bytes + slack) || grow(buffer, allocator, kept, bytes);
}

void bp_buffer_free(bp_buffer *buffer, const bp_allocator *allocator) {
    if (buffer->data != NULL) {
        allocator->release(allocator->context, buffer->data, buffer->bytes);
    }
    *buffer = (bp_buffer){0};
}
