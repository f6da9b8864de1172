// Sorting items into cells, for all methods that do so: a stable, parallel counting sort in two steps, each of which
// stays in the cache.
//
//     keys      | 7 | 2 | - | 7 | 5 | 0 | L |       the cell of each item; "-" is left out, "L" comes last
//                 |   |       |   |   |   |
//     count     | b0: 2 | b1: 3 | L: 1 |            per block of items: how many go to each bucket (4 cells here)
//                 |       |       |
//     place     | 0     | 2     | 5    | 6          where each bucket begins, and in it each block
//                 v       v       v
//     records   | 2:1 0:5 | 7:0 7:3 5:4 | L:6 |     partition: (key, item) of each item to its bucket
//                   |           |          |
//     ids       | 5 | 1   | 4 | 0 | 3   | 6 |       order: each bucket by itself, cell by cell
//     table     | 0 | 1 1 | 2 2 2 | 3 3 | 5         where each cell begins; the next entry is where it ends
//
//   step         parallel over   whose
//   keys         blocks          the caller's: writes keys[begin .. end) and has them counted (bp_bucket_sort_count)
//   place        -               bp_bucket_sort_run
//   partition    blocks          bp_bucket_sort_run
//   order        buckets         bp_bucket_sort_run
//   finish       buckets         the caller's: called for each bucket when its ids are in order and still in the cache
//
// The partition writes a few hundred streams instead of all over the memory, and the records of a bucket fit the
// first-level cache. Both steps are stable, so the result depends neither on the blocks nor on the buckets.
//
// Cost: O(items + cells), 8 bytes per item for the records, 4 bytes per block and bucket. It loses when all items have
// one key: then there is one bucket, and nothing to do in parallel.
//
// Those whose items need other records (64-bit cells, or one item in several cells) use the partition alone: it counts
// and places, and its user writes and orders the records.
#ifndef BP_BUCKET_SORT_H
#define BP_BUCKET_SORT_H

#include "base/memory.h"
#include "base/parallel.h"

// ---- the partition --------------------------------------------------------------------------------------------------

// Where each block puts its items of each bucket. All zero is empty.
typedef struct bp_partition {
    size_t block_count, bucket_count;
    uint32_t *starts;   // bucket_count + 1: where each bucket begins; the last one ends where the next would begin
    uint32_t *counters; // per block and bucket: first how many items, then where the next one goes
    bp_buffer buffer;
} bp_partition;

// Makes room for so many blocks and buckets. bucket_count may be lowered afterwards, before the counting.
bool bp_partition_reserve(bp_partition *partition, const bp_allocator *allocator, size_t block_count,
                          size_t bucket_count);
void bp_partition_free(bp_partition *partition, const bp_allocator *allocator);

// The counters of a block, by bucket.
static inline uint32_t *bp_partition_counters(const bp_partition *partition, size_t block) {
    return partition->counters + block * partition->bucket_count;
}

// The same, set to 0.
uint32_t *bp_partition_clear(const bp_partition *partition, size_t block);

// Turns counts into positions: bucket by bucket, and inside a bucket block by block, which keeps the items in order.
void bp_partition_place(const bp_partition *partition, const bp_executor *executor);

// ---- the sort -------------------------------------------------------------------------------------------------------

// Keys are cells, or one of these. An item is left out, or comes behind all cells, in the order of the items.
#define BP_SORT_KEY_NONE (UINT32_MAX - 1)
#define BP_SORT_KEY_LAST UINT32_MAX

enum { BP_SORT_BYTES_PER_ITEM = 8 }; // of memory, beside the caller's arrays

// All zero is empty.
typedef struct bp_bucket_sort {
    // The caller's arrays, which it sets after bp_bucket_sort_begin.
    uint32_t *keys;  // by item
    uint32_t *ids;   // gets the items in order; may be the same memory as the keys
    uint32_t *table; // gets where each cell begins: cell_count + 1 entries

    bp_blocks blocks; // of items
    size_t cell_count;
    size_t bucket_count;    // of cells; one more bucket is for BP_SORT_KEY_LAST
    uint32_t bucket_shift;  // a bucket has 1 << bucket_shift cells
    bp_partition partition; // into bucket_count + 1 buckets

    // The result of bp_bucket_sort_run:
    size_t cell_items;  // items in cells
    size_t total_items; // and with those that come last
    size_t occupied;    // cells
    size_t fullest;     // items in the fullest cell

    bp_buffer records; // of (key, item); behind them, per bucket: occupied cells, fullest cell
} bp_bucket_sort;

// Called for bucket 0 .. bucket_count, whose ids are at positions begin .. end-1.
typedef void (*bp_bucket_task)(void *context, size_t bucket, size_t begin, size_t end);

// Chooses the buckets for keys below cell_count (at most 2^32 - 2), and makes room. False if memory is short.
bool bp_bucket_sort_begin(bp_bucket_sort *sort, const bp_allocator *allocator, bp_blocks blocks, size_t cell_count);

// Step `keys`: a block begins with bp_bucket_sort_clear, and has the keys counted that it has written, piece by piece.
static inline void bp_bucket_sort_clear(const bp_bucket_sort *sort, size_t block) {
    (void)bp_partition_clear(&sort->partition, block);
}
void bp_bucket_sort_count(const bp_bucket_sort *sort, size_t block, size_t begin, size_t end);

// All other steps, when the keys of all blocks are counted.
void bp_bucket_sort_run(bp_bucket_sort *sort, const bp_executor *executor, bp_bucket_task finish, void *context);

void bp_bucket_sort_free(bp_bucket_sort *sort, const bp_allocator *allocator);
size_t bp_bucket_sort_bytes(const bp_bucket_sort *sort);

// Where a bucket begins. It ends where the next one begins.
static inline uint32_t bp_bucket_sort_start(const bp_bucket_sort *sort, size_t bucket) {
    return sort->partition.starts[bucket];
}

#endif
