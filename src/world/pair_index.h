// An index of a list of pairs, to remove and add pairs without searching the list.
//
//     pairs   | (3,9) | (0,4) | (7,8) |            the list is the caller's and has no gaps: the last pair replaces one
//     slots   | 2 | . | 0 | . | . | 1 | . |        that is removed
//
// A hash table with linear probing, at most half full, of positions in the list. A removed entry leaves no tombstone:
// the entries behind it move up. All calls are O(1) on average, except build and is_sound.
#ifndef BP_PAIR_INDEX_H
#define BP_PAIR_INDEX_H

#include "base/memory.h"

// All zero is empty.
typedef struct bp_pair_index {
    bp_buffer slots; // of uint32_t
    uint32_t bits;   // 1 << bits slots; 0: none
} bp_pair_index;

// The most pairs that an index can hold.
#define BP_PAIR_INDEX_MOST ((size_t)1 << 30)

void bp_pair_index_free(bp_pair_index *index, const bp_allocator *allocator);

// Indexes all pairs of a list, with room for `count` of them. False if memory is short.
bool bp_pair_index_build(bp_pair_index *index, const bp_allocator *allocator, const bp_pairs *pairs, size_t count);

// Whether there is room for `count` pairs.
bool bp_pair_index_fits(const bp_pair_index *index, size_t count);

bool bp_pair_index_has(const bp_pair_index *index, const bp_pairs *pairs, bp_pair pair);

// Whether it contains every pair of the list, and nothing else.
bool bp_pair_index_is_sound(const bp_pair_index *index, const bp_pairs *pairs);

// Removes a pair that is in the list; adds one that is not, to a list that has room.
void bp_pair_index_remove(bp_pair_index *index, bp_pairs *pairs, bp_pair pair);
void bp_pair_index_add(bp_pair_index *index, bp_pairs *pairs, bp_pair pair);

// Replaces a pair of the list by one that is not in it.
void bp_pair_index_replace(bp_pair_index *index, bp_pairs *pairs, bp_pair old_pair, bp_pair new_pair);

// Prefetches the slot of a pair; and, some time later, the pair that the slot refers to.
void bp_pair_index_prefetch(const bp_pair_index *index, bp_pair pair);
void bp_pair_index_prefetch_pair(const bp_pair_index *index, const bp_pairs *pairs, bp_pair pair);

#endif
