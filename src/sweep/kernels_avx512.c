// Eight boxes at a time with the masks of AVX-512. Sixteen were slower: most ranges are shorter than that.
#include "kernels_plain.h"

#if defined(__AVX512VL__) && defined(__AVX512DQ__)
#include "kernels_x86.h"

static inline __mmask8 overlap_on(__mmask8 so_far, wide box_min, wide box_max, const float *min, const float *max) {
    const __mmask8 below = _mm256_mask_cmp_ps_mask(so_far, box_min, _mm256_loadu_ps(max), _CMP_LE_OQ);
    return _mm256_mask_cmp_ps_mask(below, _mm256_loadu_ps(min), box_max, _CMP_LE_OQ);
}

#define AXIS_OVERLAP(so_far, box, candidates, axis, at)                                                                \
    overlap_on(so_far, (box)->min[axis], (box)->max[axis], (candidates)->min[axis] + (at),                             \
               (candidates)->max[axis] + (at))
#define wide_overlap(box, candidates, at)                                                                              \
    (wide_mask)(AXIS_OVERLAP(0xff, box, candidates, 0, at) & AXIS_OVERLAP(0xff, box, candidates, 1, at) &              \
                AXIS_OVERLAP(0xff, box, candidates, 2, at))

#include "sweep_loop.h"

const bp_kernels bp_kernels_avx512 = {
    .keys = x86_keys,
    .arrange = x86_arrange,
    .measure = plain_measure,
    .sweep = wide_sweep,
    .sweep_rows = wide_sweep_rows,
};
#endif
