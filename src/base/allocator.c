// The default allocator.
#if defined(__linux__)
#define _DEFAULT_SOURCE // madvise. NOLINT(bugprone-reserved-identifier)
#include <sys/mman.h>
#elif defined(_WIN32)
#include <malloc.h>
#endif

#include <broadphase/broadphase.h>
#include <stdlib.h>

enum { ALIGNMENT = 64, LARGE_PAGE = 2 << 20, LARGE = 8 << 20 };

static void *allocate_pages(size_t size, size_t page) {
    if (size > PTRDIFF_MAX - page) {
        return NULL;
    }
#if defined(_WIN32)
    return _aligned_malloc(size, page);
#else
    return aligned_alloc(page, (size + page - 1) / page * page);
#endif
}

// A call that allocates, fills and releases many megabytes spends a quarter of its time on first touches of small
// pages. Blocks below LARGE are left alone: the C library often reuses them without returning their pages to the
// system, but not if they are aligned to LARGE_PAGE.
static void *allocate_large(size_t size) {
    void *memory = allocate_pages(size, LARGE_PAGE);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (memory != NULL) {
        (void)madvise(memory, size, MADV_HUGEPAGE); // only advice: everything works without it
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
#if defined(_WIN32)
    _aligned_free(memory);
#else
    free(memory);
#endif
}

bp_allocator bp_allocator_default(void) {
    return (bp_allocator){.allocate = allocate_aligned, .release = release_aligned, .context = NULL};
}
