// What the x86 kernels share: vectors of eight, and the squeezing of hits into pairs.
#ifndef BP_SWEEP_X86_H
#define BP_SWEEP_X86_H

#include "sweep_lanes.h"

#include <immintrin.h>

enum { WIDTH = 8 };

typedef __m256 wide;
typedef __m256i wide_ids;
typedef unsigned wide_mask;

static inline wide wide_set(float value) {
    return _mm256_set1_ps(value);
}

static inline wide_ids wide_ids_set(uint32_t id) {
    return _mm256_set1_epi32((int)id);
}

static inline wide_ids wide_ids_load(const uint32_t *from) {
    return _mm256_loadu_si256((const __m256i *)from);
}

static inline wide_ids wide_ids_min(wide_ids a, wide_ids b) {
    return _mm256_min_epu32(a, b);
}

static inline wide_ids wide_ids_max(wide_ids a, wide_ids b) {
    return _mm256_max_epu32(a, b);
}

static inline wide_mask wide_first(wide_mask mask, size_t count) {
    return _bzhi_u32(mask, count < WIDTH ? (unsigned)count : WIDTH);
}

// Four pairs from the lanes named, twice each, by the low bytes of `lanes`.
static inline __m256i four_pairs(wide_ids a, wide_ids b, uint64_t lanes) {
    const __m256i pick = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)lanes));
    return _mm256_blend_epi32(_mm256_permutevar8x32_epi32(a, pick), _mm256_permutevar8x32_epi32(b, pick), 0xaa);
}

static inline bp_pair *wide_emit(bp_pair *out, wide_mask mask, wide_ids a, wide_ids b) {
    const unsigned count = (unsigned)_mm_popcnt_u32(mask);
    _mm256_storeu_si256((__m256i *)out, four_pairs(a, b, bp_sweep_lanes[mask][0]));
    if (count > 4) { // rare, and so predicted
        _mm256_storeu_si256((__m256i *)(out + 4), four_pairs(a, b, bp_sweep_lanes[mask][1]));
    }
    return out + count;
}

#endif
