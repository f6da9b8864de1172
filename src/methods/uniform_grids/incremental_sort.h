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
//   adaptive   the last entries, in order, less those whose key has changed; these are sorted by themselves and merged
//              in. One pass that reads and writes in order, whatever the number of keys
//   automatic  adaptive if at most 15 % of the keys have changed, which is counted first; see the table in
//              tests/test_compact_grid.c
#ifndef BP_KEY_SORT_H
#define BP_KEY_SORT_H

#include "base/memory.h"

// All zero is empty.
typedef struct bp_key_sort {
    bp_buffer keys, last_keys; // uint32_t, by id
    bp_buffer entries, spare;  // uint64_t: key << 32 | id
    bp_buffer changed;         // uint64_t: entries whose key has changed
    bp_buffer marks;           // uint64_t: a bit per id that has changed
    bp_buffer counters;        // per block
    size_t key_count;          // keys to be sorted
    size_t count, last_count;  // entries in order, now and before; 0 if there are none
    bp_compact_sort ran;
    double changed_share;
} bp_key_sort;

void bp_key_sort_free(bp_key_sort *sort, const bp_allocator *allocator);

// Room for `count` keys, which the caller fills; NULL if memory is short. The last ones are kept for comparison.
uint32_t *bp_key_sort_begin(bp_key_sort *sort, const bp_allocator *allocator, size_t count);

// Forgets the last order: keys mean something else from now on.
void bp_key_sort_forget(bp_key_sort *sort);

// Sorts; keys are below 2^key_bits.
bool bp_key_sort_run(bp_key_sort *sort, const bp_config *config, uint32_t key_bits);

size_t bp_key_sort_bytes(const bp_key_sort *sort);

// Sorts a few ids, in place; any number in O(n log n).
void bp_sort_ids(uint32_t *ids, size_t count);

static inline const uint64_t *bp_key_sort_entries(const bp_key_sort *sort) {
    return sort->entries.data;
}

#endif
