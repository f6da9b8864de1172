// Sorting objects by a key that most of them keep from step to step.
//
//     keys      | 7 | 2 | 7 | 5 |                by id
//     entries   | 2:1 | 5:3 | 7:0 | 7:2 |        (key, id), ascending
//
// Equal keys are ordered by id, so the result depends on the keys alone: not on the sort, the last order or the number
// of threads.
//
//   radix      least significant digit first, two to four passes over all entries; a pass counts and scatters blocks of
//              entries in parallel
//   adaptive   the last entries, in order, without those whose key has changed; these are sorted separately and merged
//              in. One pass that reads and writes in order, whatever the number of keys
//   automatic  adaptive if at most 15 % of the keys have changed, which is counted first
//              (tests/methods/test_compact_grid.c prints how both compare)
#ifndef BP_INCREMENTAL_SORT_H
#define BP_INCREMENTAL_SORT_H

#include "base/bucket_sort.h"

#include <broadphase/broadphase_methods.h>

// All zero is empty.
typedef struct bp_incremental_sort {
    bool varies;               // the number of keys does, from step to step: memory gets some slack
    bp_buffer keys, last_keys; // uint32_t, by id
    bp_buffer entries, spare;  // uint64_t: key << 32 | id
    bp_buffer changed;         // uint64_t: entries whose key has changed
    bp_buffer marks;           // uint64_t: a bit per id that has changed
    bp_partition digits;       // by the digit of a pass
    size_t key_count;          // keys to be sorted
    size_t count, last_count;  // entries in order, now and before; 0 if there are none
    bp_compact_sort ran;       // the sort that ran last
    double changed_share;      // fraction of the keys since the last order; 1 if there was none
    double seconds;            // that the last sort has taken
} bp_incremental_sort;

void bp_incremental_sort_free(bp_incremental_sort *sort, const bp_allocator *allocator);

// Room for `count` keys, which the caller fills; NULL if memory is short. The last ones are kept for comparison.
uint32_t *bp_incremental_sort_begin(bp_incremental_sort *sort, const bp_allocator *allocator, size_t count);

// Discards the last order: keys have another meaning from now on.
void bp_incremental_sort_forget(bp_incremental_sort *sort);

// Sorts the keys, which are below 2^key_bits. False if memory is short.
bool bp_incremental_sort_run(bp_incremental_sort *sort, bp_compact_sort wanted, uint32_t key_bits,
                             const bp_allocator *allocator, const bp_executor *executor);

size_t bp_incremental_sort_bytes(const bp_incremental_sort *sort);

static inline const uint64_t *bp_incremental_sort_entries(const bp_incremental_sort *sort) {
    return sort->entries.data;
}

#endif
