// Sorting entries by a key that most of them keep from step to step.
//
//     keys      | 7 | 2 | 7 | 5 |                by entry
//     sorted    | 2:1 | 5:3 | 7:0 | 7:2 |        (key, entry), ascending
//
// Equal keys are ordered by entry, so the result depends on the keys alone: not on the sort, the last order or the number
// of threads.
//
//   radix      least significant digit first, two to four passes over all entries; a pass counts and scatters blocks of
//              entries in parallel
//   adaptive   the last order without the entries whose key has changed; these are sorted separately and merged in. One
//              pass that reads and writes in order, whatever the number of keys
//   automatic  adaptive if at most 15 % of the keys have changed, which is counted first
//              (tests/methods/test_compact_grid.c prints how both compare)
#ifndef BP_INCREMENTAL_SORT_H
#define BP_INCREMENTAL_SORT_H

#include "base/bucket_sort.h"

#include <broadphase/broadphase_methods.h>

// All zero is empty.
typedef struct bp_incremental_sort {
    bp_buffer last_keys;     // uint32_t, by entry
    bp_buffer sorted, spare; // uint64_t: key << 32 | entry
    bp_buffer changed;       // uint64_t: those whose key has changed
    bp_partition digits;     // by the digit of a pass
    size_t count;            // entries in order; 0: there is no last order
    bp_compact_sort ran;     // the sort that ran last
    double changed_share;    // fraction of the keys since the last order; 1 if there was none
    double seconds;          // that the last sort has taken
} bp_incremental_sort;

void bp_incremental_sort_free(bp_incremental_sort *sort, const bp_allocator *allocator);

// Sorts entries 0 .. count-1 by keys below 2^key_bits. False if memory is short. If keys have got another meaning, set
// sort->count to 0 before.
bool bp_incremental_sort_run(bp_incremental_sort *sort, const uint32_t *keys, size_t count, bp_compact_sort wanted,
                             uint32_t key_bits, const bp_allocator *allocator, const bp_executor *executor);

size_t bp_incremental_sort_bytes(const bp_incremental_sort *sort);

static inline const uint64_t *bp_incremental_sort_sorted(const bp_incremental_sort *sort) {
    return sort->sorted.data;
}

#endif
