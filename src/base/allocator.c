// The default allocator.
#if defined(__linux__)
#define _DEFAULT_SOURCE // madvise. NOLINT(bugprone-reserved-identifier)
#include <sys/mman.h>
#endif

#include <broadphase/broadphase.h>
#include <stdlib.h>

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
