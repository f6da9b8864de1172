// Sorting the entries of many boxes in strips (strips.h), in parallel.
//
//     boxes      | block 0   | block 1   | ...          entries are made twice: that takes no longer than to keep them
//                  |     \    /    |
//     records    | bucket 0  | bucket 1  | ...          entries with their keys, to buckets of neighbouring keys
//                  |           |
//     sorted     | 3 3 4 7 7 | 8 9 9 ... |              each bucket by itself, in the cache; and the table of its keys
//
// Each step is stable: the order does not depend on blocks or buckets, and is that of one pass of counting.
//
// Cost: O(n + keys). Loses to one pass of counting where all entries fit the cache.
#ifndef BP_STRIPS_SORT_H
#define BP_STRIPS_SORT_H

#include "base/bucket_sort.h"
#include "engine/setup.h"
#include "kernels/strips.h"

enum { BP_STRIPS_FEW = 32768 }; // boxes that the cache holds, and whose entries one thread sorts in one pass

// All zero is empty. The caller sets the first part.
typedef struct bp_strip_sort {
    const bp_method_setup *setup;
    const bp_strips *strips;
    const bp_box *boxes;
    size_t key_count;

    uint64_t *records;        // room for all entries
    uint64_t *sorted;         // gets the entries in order
    uint32_t *table;          // gets where the entries of each key begin, and, one further, where they end
    size_t occupied, fullest; // gets how many keys have entries, and the most that one has

    bp_blocks blocks;      // of boxes
    uint32_t bucket_shift; // a bucket has 1 << bucket_shift keys
    bp_partition partition;
    bp_buffer figures; // per bucket
} bp_strip_sort;

// Counts the entries. False if memory is short.
bool bp_strip_sort_count(bp_strip_sort *sort, size_t box_count, size_t *entry_count);

// Sorts them. After counting: records, sorted and table are set then.
void bp_strip_sort_run(bp_strip_sort *sort);

void bp_strip_sort_free(bp_strip_sort *sort);
size_t bp_strip_sort_bytes(const bp_strip_sort *sort);

#endif
