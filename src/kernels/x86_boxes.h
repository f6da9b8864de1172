// Eight boxes at a time, and cutting a set to limits.
#ifndef BP_X86_BOXES_H
#define BP_X86_BOXES_H

#include "kernels/plain_strips.h"
#include "kernels/x86.h"

// Eight boxes, one coordinate in each vector.
typedef struct eight_boxes {
    __m256 min[3], max[3];
} eight_boxes;

static inline eight_boxes load_eight(const float *const rows[8]) {
    __m256 low[4], high[4];
    transpose(rows, 0, low);  // min x, y, z, max x
    transpose(rows, 2, high); // min z, max x, y, z
    return (eight_boxes){.min = {low[0], low[1], low[2]}, .max = {low[3], high[2], high[3]}};
}

// All bits of those of eight boxes that overlap the limits.
static inline __m256 overlap_limits(const bp_box *limits, const eight_boxes *boxes, uint32_t dimensions) {
    __m256 overlap = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        const __m256 below = _mm256_cmp_ps(boxes->min[axis], _mm256_set1_ps(limits->max[axis]), _CMP_LE_OQ);
        const __m256 above = _mm256_cmp_ps(_mm256_set1_ps(limits->min[axis]), boxes->max[axis], _CMP_LE_OQ);
        overlap = _mm256_and_ps(overlap, _mm256_and_ps(below, above));
    }
    return overlap;
}

// Which lane goes where, so that those of the mask come to the front.
static inline __m256i compressing(uint32_t mask) {
    const __m128i twice = _mm_loadu_si128((const __m128i *)bp_lanes[mask]);
    const __m128i once = _mm_shuffle_epi8(twice, _mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 0, 2, 4, 6, 8, 10, 12, 14));
    return _mm256_cvtepu8_epi32(once);
}

static size_t x86_cut_boxes(const bp_box *boxes, size_t begin, size_t end, const bp_box *limits, uint32_t dimensions,
                            uint32_t *ids) {
    const bp_box own = *limits; // what is written cannot have changed it
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    size_t count = 0;
    for (size_t i = begin; i < end; i += 8) {
        const float *rows[8];
        for (size_t k = 0; k < 8; ++k) {
            rows[k] = boxes[i + k < end ? i + k : end - 1].min;
        }
        const eight_boxes group = load_eight(rows);
        const __m256 overlap = overlap_limits(&own, &group, dimensions);
        const vec_mask mask = vec_first((vec_mask)(unsigned)_mm256_movemask_ps(overlap), end - i);
        const __m256i all = _mm256_add_epi32(_mm256_set1_epi32((int)(uint32_t)i), lanes);
        _mm256_storeu_si256((__m256i *)(ids + count), _mm256_permutevar8x32_epi32(all, compressing((uint32_t)mask)));
        count += (size_t)_mm_popcnt_u32((uint32_t)mask);
    }
    return count;
}

#endif
