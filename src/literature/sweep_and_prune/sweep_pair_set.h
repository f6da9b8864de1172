// A growing set of pairs of ids: a hash table with linear probing, at most half full. A removed pair leaves no
// tombstone: the pairs behind it move up. Unlike the pair index of a world it holds the pairs themselves, because it
// has no list of them: a step of the sift costs one memory access, and pairs are reported in the order of the table.
#ifndef BP_SWEEP_PAIR_SET_H
#define BP_SWEEP_PAIR_SET_H

#include "base/pair_sink.h"

// All zero holds no memory; call bp_sweep_pair_set_reset first.
typedef struct sweep_pair_set {
    bp_buffer buffer; // of uint64_t: a << 32 | b with a < b, or SWEEP_NO_PAIR
    uint32_t bits;    // 1 << bits places
    size_t count;
} sweep_pair_set;

#define SWEEP_NO_PAIR UINT64_MAX

// Empties the set and makes room for `count` pairs and half as many more.
bool bp_sweep_pair_set_reset(sweep_pair_set *set, const bp_allocator *allocator, size_t count);
// False if memory is short. A pair that is in the set already is left alone.
bool bp_sweep_pair_set_add(sweep_pair_set *set, const bp_allocator *allocator, uint32_t a, uint32_t b);
void bp_sweep_pair_set_remove(sweep_pair_set *set, uint32_t a, uint32_t b);
// Makes the table smaller if there are very few pairs in it, since reporting them goes through all of it.
void bp_sweep_pair_set_shrink(sweep_pair_set *set, const bp_allocator *allocator);
bool bp_sweep_pair_set_has(const sweep_pair_set *set, uint32_t a, uint32_t b);
// Removes every pair of which one box is a hole, or not among boxes[0 .. count).
void bp_sweep_pair_set_remove_holes(sweep_pair_set *set, const bp_box *boxes, size_t count);
// All pairs, in the order of the table.
bp_status bp_sweep_pair_set_report(const sweep_pair_set *set, bp_sink *sink);

#endif
