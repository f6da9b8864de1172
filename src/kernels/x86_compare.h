// Comparing lists of pairs, eight at a time.
#ifndef BP_X86_COMPARE_H
#define BP_X86_COMPARE_H

#include "kernels/compare_loop.h"
#include "kernels/x86.h"

static inline uint32_t x86_same_pairs(const bp_pair *pairs, __m256i low, __m256i high) {
    const __m256i first = _mm256_cmpeq_epi64(_mm256_loadu_si256((const __m256i *)(const void *)pairs), low);
    const __m256i second = _mm256_cmpeq_epi64(_mm256_loadu_si256((const __m256i *)(const void *)(pairs + 4)), high);
    return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(first)) |
           (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(second)) << 4;
}

static inline uint32_t x86_compare_same(const bp_pair *before, const bp_pair *after) {
    const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)after);
    const __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(after + 4));
    return x86_same_pairs(before, low, high);
}

static inline compared_bits x86_compare_window(const bp_pair *before, const bp_pair *after) {
    const __m256i old_pair = _mm256_set1_epi64x((long long)pair_bits(before));
    const __m256i new_pair = _mm256_set1_epi64x((long long)pair_bits(after));
    return (compared_bits){.in_before = x86_same_pairs(before, new_pair, new_pair),
                           .in_after = x86_same_pairs(after, old_pair, old_pair),
                           .same = x86_compare_same(before, after)};
}

static void x86_compare_pairs(bp_pair_comparison *c) {
    compare_pairs(c, x86_compare_window, x86_compare_same);
}

#endif
