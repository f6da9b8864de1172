// The pivots of a pivot-grid: in one table, or in chunks that are made where objects are.
//
//     dense                      chunked: a directory (open hash of chunk coordinates) of chunks from a pool
//
//     +-----------------+        key   | - | 7,2 | - | - | 3,3 | - |          claimed by compare-and-swap
//     | one pivot per   |        chunk | - |  |  | - | - |  |  | - |          set by compare-and-swap
//     | cell of the     |                     v             v
//     | domain, row by  |        pool  [ 32 x 32 pivots ][ 32 x 32 pivots ] [ . ][ . ]    slabs of chunks, kept and
//     | row             |                                                                 reused from step to step
//     +-----------------+
#ifndef BP_PIVOT_CHUNKS_H
#define BP_PIVOT_CHUNKS_H

#include "base/memory.h"

#include <stdatomic.h>

// One per cell: the number of its objects, and where they begin. (While objects are placed: where the next one goes.)
typedef struct bp_pivot {
    union {
        atomic_uint count;
        uint32_t plain_count; // once no thread counts any more
    };
    union {
        atomic_uint index;
        uint32_t plain_index;
    };
} bp_pivot;

enum {
    BP_PIVOT_PADDING = 8 // pivots after the last one of a chunk: the first of them is the end; one cache line
};

// A stretch of pivots whose objects are contiguous: a chunk, or a part of the dense table. After it comes another page
// or a padding pivot, whose index is where the page's objects end.
typedef struct bp_pivot_page {
    bp_pivot *pivots;
    size_t pivot_count;
    uint32_t begin;      // where its first object goes
    uint32_t first_cell; // number of occupied cells before it
} bp_pivot_page;

typedef struct bp_pivot_chunks {
    bp_buffer keys, chunks;   // the directory: atomic uint64_t, atomic pointers to the first pivot
    size_t capacity;          // of the directory, a power of two
    size_t chunk_most;        // chunks that may be made
    size_t pivots_per_chunk;  // without BP_PIVOT_PADDING
    atomic_size_t claimed;    // places in the directory
    atomic_size_t taken;      // chunks from the pool
    bp_buffer slabs;          // atomic pointers
    size_t slab_count;        // entries in that table
    atomic_size_t slab_bytes; // allocated
    bp_buffer sort_buffer;
} bp_pivot_chunks;

// The state of a task that makes chunks: a spare chunk that it took from the pool before another thread was faster.
typedef struct bp_chunk_maker {
    bp_pivot *spare;
    bool full;   // more chunks than chunk_most
    bool failed; // memory ran short
} bp_chunk_maker;

// Clears all pivots that were in use. `pivots_per_chunk` is the same every time.
void bp_pivot_chunks_clear(bp_pivot_chunks *chunks, const bp_executor *executor, size_t pivots_per_chunk);

// Makes room for `chunk_most` chunks and the spares of `maker_count` makers, before any are made. False if memory is
// short.
bool bp_pivot_chunks_reserve(bp_pivot_chunks *chunks, const bp_allocator *allocator, size_t chunk_most,
                             size_t maker_count);

void bp_pivot_chunks_free(bp_pivot_chunks *chunks, const bp_allocator *allocator);
size_t bp_pivot_chunks_bytes(const bp_pivot_chunks *chunks);

// The chunk of a key, made if it does not exist; NULL if there is no more room. Any number of threads may call this at
// once.
bp_pivot *bp_pivot_chunk_make(bp_pivot_chunks *chunks, const bp_allocator *allocator, uint64_t key,
                              bp_chunk_maker *maker);

// The chunk of a key, or NULL.
const bp_pivot *bp_pivot_chunk_find(const bp_pivot_chunks *chunks, uint64_t key);

// Lists all chunks in ascending order of their keys: the order in which they were made depends on the threads.
bool bp_pivot_chunks_list(bp_pivot_chunks *chunks, const bp_allocator *allocator, bp_buffer *pages, size_t *page_count);

#endif
