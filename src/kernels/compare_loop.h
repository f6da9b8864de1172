// Comparing two lists of pairs that are in about the same order, as those of two searches of one tree are.
//
//     before   | p q r s t u v w |          what they have in common is found where one list goes on after up to seven pairs
//     after    | p r s x t u v w |          that the other one lacks: q has ended, x has begun
//
// Eight pairs at a time, and where they differ, without a branch: how cannot be predicted. What is not found so near counts as ended in
// one list and begun in the other; who asks for the difference removes what is in both.
#ifndef BP_COMPARE_LOOP_H
#define BP_COMPARE_LOOP_H

#include "kernels/kernels.h"

#include <stddef.h>
#include <string.h>

enum { COMPARED = 8 };

// Bits of lanes: which pairs of `before` are the first one of `after`; the other way round; and which are the same.
typedef struct compared_bits {
    uint32_t in_before, in_after, same;
} compared_bits;

typedef compared_bits (*compare_window)(const bp_pair *before, const bp_pair *after);
typedef uint32_t (*compare_same)(const bp_pair *before, const bp_pair *after);

static inline uint64_t pair_bits(const bp_pair *pair) {
    uint64_t bits;
    memcpy(&bits, pair, sizeof bits);
    return bits;
}

static inline compared_bits plain_compare_window(const bp_pair *before, const bp_pair *after) {
    compared_bits bits = {0, 0, 0};
    for (uint32_t lane = 0; lane < COMPARED; ++lane) {
        const uint64_t old_pair = pair_bits(&before[lane]), new_pair = pair_bits(&after[lane]);
        bits.in_before |= (uint32_t)(old_pair == pair_bits(after)) << lane;
        bits.in_after |= (uint32_t)(new_pair == pair_bits(before)) << lane;
        bits.same |= (uint32_t)(old_pair == new_pair) << lane;
    }
    return bits;
}

static inline uint32_t plain_compare_same(const bp_pair *before, const bp_pair *after) {
    return plain_compare_window(before, after).same;
}

static inline uint32_t first_lane(uint32_t bits) {
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctz(bits | 1u << COMPARED);
#else
    uint32_t lane = 0;
    while (((bits | 1u << COMPARED) >> lane & 1) == 0) {
        ++lane;
    }
    return lane;
#endif
}

static inline void compare_pairs(bp_pair_comparison *c, compare_window window, compare_same same_lanes) {
    const bp_pair *before = c->before, *after = c->after, *const before_end = before + c->before_count,
                  *const after_end = after + c->after_count;
    bp_pair *ended = c->ended, *begun = c->begun;
    const ptrdiff_t two_windows = 2 * (ptrdiff_t)COMPARED;
    while (before_end - before >= two_windows && after_end - after >= two_windows) {
        const uint32_t same = first_lane(~same_lanes(before, after) & ((1u << COMPARED) - 1));
        if (same == COMPARED) {
            before += COMPARED;
            after += COMPARED;
            continue;
        }
        before += same;
        after += same;
        const compared_bits bits = window(before, after);
        const uint32_t gone = first_lane(bits.in_before), come = first_lane(bits.in_after),
                       both = first_lane(bits.same);
        const uint32_t least = gone < come ? gone : come, other = both <= least ? both : 0;
        const uint32_t is_gone = both > least && gone<come, is_come = both> least && gone >= come;
        const uint32_t end = other + is_gone * gone, begin = other + is_come * come;
        memcpy(ended, before, COMPARED * sizeof *ended); // there is room
        memcpy(begun, after, COMPARED * sizeof *begun);
        ended += end;
        begun += begin;
        before += end;
        after += begin;
    }
    while (before < before_end && after < after_end && pair_bits(before) == pair_bits(after)) {
        ++before;
        ++after;
    }
    memcpy(ended, before, (size_t)(before_end - before) * sizeof *ended);
    memcpy(begun, after, (size_t)(after_end - after) * sizeof *begun);
    c->ended_count = (size_t)(ended - c->ended) + (size_t)(before_end - before);
    c->begun_count = (size_t)(begun - c->begun) + (size_t)(after_end - after);
}

#endif
