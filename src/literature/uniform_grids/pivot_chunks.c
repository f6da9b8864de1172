#include "literature/uniform_grids/pivot_chunks.h"

#include "base/parallel.h"
#include "base/radix_sort.h"

#include <assert.h>
#include <string.h>

enum { SLAB_CHUNKS = 4, CAPACITY_LEAST = 64 };

typedef _Atomic(uint64_t) atomic_key;
typedef _Atomic(bp_pivot *) atomic_chunk;

static const uint64_t NO_KEY = UINT64_MAX;

static atomic_key *keys_of(const bp_pivot_chunks *c) {
    return c->keys.data;
}

static atomic_chunk *chunks_of(const bp_pivot_chunks *c) {
    return c->chunks.data;
}

static atomic_chunk *slabs_of(const bp_pivot_chunks *c) {
    return c->slabs.data;
}

static size_t chunk_distance(const bp_pivot_chunks *c) {
    return c->pivots_per_chunk + BP_PIVOT_PADDING;
}

static size_t slab_size(const bp_pivot_chunks *c) {
    return SLAB_CHUNKS * chunk_distance(c) * sizeof(bp_pivot);
}

// ---- the pool -------------------------------------------------------------------------------------------------------

// The slab of a chunk, allocated by the first thread that needs it.
static bp_pivot *slab_for(bp_pivot_chunks *c, const bp_allocator *allocator, size_t index) {
    atomic_chunk *place = &slabs_of(c)[index];
    bp_pivot *slab = atomic_load_explicit(place, memory_order_acquire);
    if (slab != NULL) {
        return slab;
    }
    bp_pivot *made = allocator->allocate(allocator->context, slab_size(c));
    if (made == NULL) {
        return NULL;
    }
    memset(made, 0, slab_size(c));
    if (!atomic_compare_exchange_strong(place, &slab, made)) {
        allocator->release(allocator->context, made, slab_size(c));
        return slab;
    }
    atomic_fetch_add_explicit(&c->slab_bytes, slab_size(c), memory_order_relaxed);
    return made;
}

// A chunk whose pivots are all zero.
static bp_pivot *take_chunk(bp_pivot_chunks *c, const bp_allocator *allocator, bp_chunk_maker *maker) {
    if (maker->spare != NULL) {
        bp_pivot *spare = maker->spare;
        maker->spare = NULL;
        return spare;
    }
    const size_t number = atomic_fetch_add_explicit(&c->taken, 1, memory_order_relaxed);
    if (number / SLAB_CHUNKS >= c->slab_count) {
        maker->full = true;
        return NULL;
    }
    bp_pivot *slab = slab_for(c, allocator, number / SLAB_CHUNKS);
    maker->failed |= slab == NULL;
    return slab == NULL ? NULL : slab + number % SLAB_CHUNKS * chunk_distance(c);
}

static void task_zero_slab(void *context, size_t index) {
    const bp_pivot_chunks *c = context;
    bp_pivot *slab = atomic_load_explicit(&slabs_of(c)[index], memory_order_relaxed);
    if (slab != NULL) {
        memset(slab, 0, slab_size(c));
    }
}

void bp_pivot_chunks_clear(bp_pivot_chunks *c, const bp_executor *executor, size_t pivots_per_chunk) {
    assert(c->pivots_per_chunk == 0 || c->pivots_per_chunk == pivots_per_chunk);
    const size_t used = (atomic_load(&c->taken) + SLAB_CHUNKS - 1) / SLAB_CHUNKS;
    c->pivots_per_chunk = pivots_per_chunk;
    bp_parallel_for(executor, used < c->slab_count ? used : c->slab_count, task_zero_slab, c);
    atomic_store(&c->taken, 0);
}

static void free_slabs(bp_pivot_chunks *c, const bp_allocator *allocator) {
    for (size_t i = 0; i < c->slab_count; ++i) {
        bp_pivot *slab = atomic_load(&slabs_of(c)[i]);
        if (slab != NULL) {
            allocator->release(allocator->context, slab, slab_size(c));
        }
        atomic_store(&slabs_of(c)[i], NULL);
    }
    atomic_store(&c->slab_bytes, 0);
    atomic_store(&c->taken, 0);
}

static bool reserve_slabs(bp_pivot_chunks *c, const bp_allocator *allocator, size_t chunk_count) {
    const size_t needed = chunk_count / SLAB_CHUNKS + 1;
    if (needed <= c->slab_count) {
        return true;
    }
    if (!bp_buffer_reserve(&c->slabs, allocator, c->slab_count * sizeof(atomic_chunk), needed, sizeof(atomic_chunk))) {
        return false;
    }
    for (; c->slab_count < needed; ++c->slab_count) {
        atomic_init(&slabs_of(c)[c->slab_count], NULL);
    }
    return true;
}

// ---- the directory --------------------------------------------------------------------------------------------------

static bool reserve_directory(bp_pivot_chunks *c, const bp_allocator *allocator, size_t chunk_most) {
    size_t capacity = CAPACITY_LEAST;
    while (capacity < 2 * chunk_most) {
        capacity *= 2;
    }
    c->capacity = capacity;
    c->chunk_most = chunk_most;
    return bp_buffer_reserve(&c->keys, allocator, 0, capacity, sizeof(atomic_key)) &&
           bp_buffer_reserve(&c->chunks, allocator, 0, capacity, sizeof(atomic_chunk));
}

bool bp_pivot_chunks_reserve(bp_pivot_chunks *c, const bp_allocator *allocator, size_t chunk_most, size_t maker_count) {
    if (!reserve_slabs(c, allocator, chunk_most + 2 * maker_count) || !reserve_directory(c, allocator, chunk_most)) {
        return false;
    }
    for (size_t i = 0; i < c->capacity; ++i) {
        atomic_init(&keys_of(c)[i], NO_KEY);
        atomic_init(&chunks_of(c)[i], NULL);
    }
    atomic_store(&c->claimed, 0);
    return true;
}

void bp_pivot_chunks_free(bp_pivot_chunks *c, const bp_allocator *allocator) {
    free_slabs(c, allocator);
    bp_buffer_free(&c->keys, allocator);
    bp_buffer_free(&c->chunks, allocator);
    bp_buffer_free(&c->slabs, allocator);
    bp_buffer_free(&c->sort_buffer, allocator);
}

size_t bp_pivot_chunks_bytes(const bp_pivot_chunks *c) {
    return c->keys.bytes + c->chunks.bytes + c->slabs.bytes + c->sort_buffer.bytes + atomic_load(&c->slab_bytes);
}

static size_t first_place(const bp_pivot_chunks *c, uint64_t key) {
    const uint64_t hash = key * 0x9E3779B97F4A7C15u;
    return (size_t)(hash ^ hash >> 32) & (c->capacity - 1);
}

// The place of a key, claimed for it if it has none; SIZE_MAX if too many are claimed. A key is written before it is
// counted: a thread that reads the full count also reads all keys that are included in it, and only a key that is one
// too many is refused.
static size_t claim_place(bp_pivot_chunks *c, uint64_t key) {
    for (size_t at = first_place(c, key);; at = (at + 1) & (c->capacity - 1)) {
        uint64_t there = atomic_load_explicit(&keys_of(c)[at], memory_order_relaxed);
        if (there == NO_KEY) {
            const bool all_claimed = atomic_load_explicit(&c->claimed, memory_order_acquire) >= c->chunk_most;
            if (all_claimed && atomic_load_explicit(&keys_of(c)[at], memory_order_relaxed) == NO_KEY) {
                return SIZE_MAX;
            }
            if (atomic_compare_exchange_strong(&keys_of(c)[at], &there, key)) {
                atomic_fetch_add_explicit(&c->claimed, 1, memory_order_acq_rel);
                return at;
            }
        }
        if (there == key) {
            return at;
        }
    }
}

bp_pivot *bp_pivot_chunk_make(bp_pivot_chunks *c, const bp_allocator *allocator, uint64_t key, bp_chunk_maker *maker) {
    const size_t at = claim_place(c, key);
    if (at == SIZE_MAX) {
        maker->full = true;
        return NULL;
    }
    bp_pivot *chunk = atomic_load_explicit(&chunks_of(c)[at], memory_order_acquire);
    if (chunk != NULL) {
        return chunk;
    }
    bp_pivot *made = take_chunk(c, allocator, maker);
    if (made == NULL || atomic_compare_exchange_strong(&chunks_of(c)[at], &chunk, made)) {
        return made;
    }
    maker->spare = made; // another thread was faster
    return chunk;
}

const bp_pivot *bp_pivot_chunk_find(const bp_pivot_chunks *c, uint64_t key) {
    for (size_t at = first_place(c, key);; at = (at + 1) & (c->capacity - 1)) {
        const uint64_t there = atomic_load_explicit(&keys_of(c)[at], memory_order_relaxed);
        if (there == key || there == NO_KEY) {
            return there == key ? atomic_load_explicit(&chunks_of(c)[at], memory_order_relaxed) : NULL;
        }
    }
}

// ---- the list -------------------------------------------------------------------------------------------------------

// The places of all chunks, by key: sorted by the lower half of the keys, and then, stably, by the upper one.
static const uint64_t *sort_places(bp_pivot_chunks *c, size_t count) {
    uint64_t *entries = c->sort_buffer.data, *spare = entries + count;
    size_t found = 0;
    for (size_t at = 0; at < c->capacity; ++at) {
        const uint64_t key = atomic_load_explicit(&keys_of(c)[at], memory_order_relaxed);
        if (key != NO_KEY) {
            entries[found++] = key << 32 | at;
        }
    }
    uint64_t *sorted = bp_sort_keys(entries, spare, count, 32, 64);
    for (size_t i = 0; i < count; ++i) {
        const uint32_t at = (uint32_t)sorted[i];
        sorted[i] = (atomic_load_explicit(&keys_of(c)[at], memory_order_relaxed) >> 32) << 32 | at;
    }
    return bp_sort_keys(sorted, sorted == entries ? spare : entries, count, 32, 64);
}

bool bp_pivot_chunks_list(bp_pivot_chunks *c, const bp_allocator *allocator, bp_buffer *pages, size_t *page_count) {
    const size_t count = atomic_load(&c->claimed);
    if (!bp_buffer_reserve_slack(&c->sort_buffer, allocator, 0, 2 * count + 1, sizeof(uint64_t)) ||
        !bp_buffer_reserve_slack(pages, allocator, 0, count + 1, sizeof(bp_pivot_page))) {
        return false;
    }
    const uint64_t *places = sort_places(c, count);
    for (size_t i = 0; i < count; ++i) {
        bp_pivot *pivots = atomic_load_explicit(&chunks_of(c)[(uint32_t)places[i]], memory_order_relaxed);
        ((bp_pivot_page *)pages->data)[i] = (bp_pivot_page){.pivots = pivots, .pivot_count = c->pivots_per_chunk};
    }
    *page_count = count;
    return true;
}
