// Eight boxes at a time with AVX2.
#include "kernels/plain.h"

#if defined(__AVX2__) && defined(__x86_64__)
#include "kernels/row_sort_x86.h"
#include "kernels/x86.h"
#include "kernels/x86_boxes.h"
#include "kernels/x86_compare.h"
#include "kernels/x86_measure.h"
#include "kernels/x86_strips.h"
#include "kernels/x86_tree.h"

static inline __m256 overlap_on(vec box_min, vec box_max, const float *min, const float *max) {
    const __m256 below = _mm256_cmp_ps(box_min, _mm256_loadu_ps(max), _CMP_LE_OQ);
    const __m256 above = _mm256_cmp_ps(_mm256_loadu_ps(min), box_max, _CMP_LE_OQ);
    return _mm256_and_ps(below, above);
}

#define AXIS_OVERLAP(box, candidates, axis, at)                                                                        \
    overlap_on((box)->min[axis], (box)->max[axis], (candidates)->min[axis] + (at), (candidates)->max[axis] + (at))
#define ALL_OVERLAP(box, candidates, at)                                                                               \
    _mm256_and_ps(_mm256_and_ps(AXIS_OVERLAP(box, candidates, 0, at), AXIS_OVERLAP(box, candidates, 1, at)),           \
                  AXIS_OVERLAP(box, candidates, 2, at))
#define vec_overlap(box, candidates, at) (vec_mask)(unsigned) _mm256_movemask_ps(ALL_OVERLAP(box, candidates, at))
#define vec_overlap_across(box, candidates, at)                                                                        \
    (vec_mask)(unsigned)                                                                                               \
        _mm256_movemask_ps(_mm256_and_ps(AXIS_OVERLAP(box, candidates, 1, at), AXIS_OVERLAP(box, candidates, 2, at)))
#define vec_overlap_apart(box, candidates, at, flags, ids)                                                             \
    (vec_mask)(unsigned) _mm256_movemask_ps(_mm256_and_ps(ALL_OVERLAP(box, candidates, at), without(flags, ids)))

// The lanes whose ids have none of the flags.
static inline __m256 without(vec_ids flags, vec_ids ids) {
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(flags, ids), _mm256_setzero_si256()));
}

// Of each two bytes of bp_lanes, one.
static inline uint32_t *vec_emit_ids(uint32_t *out, vec_mask mask, vec_ids ids) {
    const __m128i evens = _mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, -1, -1, -1, -1, -1, -1, -1, -1);
    const __m128i lanes = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)bp_lanes[mask]), evens);
    vec_ids_store(out, _mm256_permutevar8x32_epi32(ids, _mm256_cvtepu8_epi32(lanes)));
    return out + _mm_popcnt_u64(mask);
}

#define KERNELS bp_kernels_avx2
#define BUILDING(name) x86_##name
#define WIDE(name) x86_##name
#include "kernels/table.h"
#endif
