#if defined(__linux__)
#define _DEFAULT_SOURCE // madvise. NOLINT(bugprone-reserved-identifier)
#include <sys/mman.h>
#elif defined(_WIN32)
#include <malloc.h>
#endif

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

size_t bp_size_multiply(size_t a, size_t b) {
    return (b != 0 && a > SIZE_MAX / b) ? SIZE_MAX : a * b;
}

size_t bp_size_add(size_t a, size_t b) {
    return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

static bool replace_buffer(bp_buffer *buffer, const bp_allocator *allocator, size_t kept, size_t bytes) {
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
    return bytes <= buffer->bytes || replace_buffer(buffer, allocator, kept, bytes);
}

bool bp_buffer_reserve_slack(bp_buffer *buffer, const bp_allocator *allocator, size_t kept, size_t count, size_t size) {
    const size_t bytes = bp_size_multiply(count, size);
    if (bytes <= buffer->bytes) {
        return true;
    }
    const size_t slack = bytes / 4 < SIZE_MAX - bytes ? bytes / 4 : 0;
    return replace_buffer(buffer, allocator, kept, bytes + slack) || replace_buffer(buffer, allocator, kept, bytes);
}

void bp_buffer_shrink(bp_buffer *buffer, const bp_allocator *allocator, size_t kept) {
    if (kept == 0) {
        bp_buffer_free(buffer, allocator);
    } else if (kept < buffer->bytes / 2) {
        (void)replace_buffer(buffer, allocator, kept, kept);
    }
}

void bp_buffer_free(bp_buffer *buffer, const bp_allocator *allocator) {
    if (buffer->data != NULL) {
        allocator->release(allocator->context, buffer->data, buffer->bytes);
    }
    *buffer = (bp_buffer){0};
}

void bp_buffer_swap(bp_buffer *a, bp_buffer *b) {
    const bp_buffer swapped = *a;
    *a = *b;
    *b = swapped;
}

// ---- the default allocator ------------------------------------------------------------------------------------------

enum { ALIGNMENT = 64, LARGE_PAGE = 2 << 20, LARGE_PAGES_FROM = 8 << 20 }; // bytes

// A call that allocates, fills and releases many megabytes spends a quarter of its time on first touches of small
// pages. Pieces below LARGE_PAGES_FROM are left alone: the C library often reuses them without returning their pages to the
// system, but not if they are aligned to LARGE_PAGE.
static void *allocate_aligned(void *context, size_t size) {
    const size_t page = size < LARGE_PAGES_FROM ? ALIGNMENT : LARGE_PAGE;
    (void)context;
    if (size > PTRDIFF_MAX - page) {
        return NULL;
    }
#if defined(_WIN32)
    return _aligned_malloc(size, page);
#else
    void *memory = aligned_alloc(page, (size + page - 1) / page * page);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (memory != NULL && page == LARGE_PAGE) {
        (void)madvise(memory, size, MADV_HUGEPAGE); // only advice: everything works without it
    }
#endif
    return memory;
#endif
}

static void release_aligned(void *context, void *memory, size_t size) {
    (void)context;
    (void)size;
#if defined(_WIN32)
    _aligned_free(memory);
#else
    free(memory);
#endif
}

bp_allocator bp_allocator_default(void) {
    return (bp_allocator){.allocate = allocate_aligned, .release = release_aligned, .context = NULL};
}
