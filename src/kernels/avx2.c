// Eight boxes at a time with AVX2.
#include "kernels/plain.h"

#if defined(__AVX2__)
#include "kernels/x86.h"

static inline __m256 overlap_on(wide box_min, wide box_max, const float *min, const float *max) {
    const __m256 below = _mm256_cmp_ps(box_min, _mm256_loadu_ps(max), _CMP_LE_OQ);
    const __m256 above = _mm256_cmp_ps(_mm256_loadu_ps(min), box_max, _CMP_LE_OQ);
    return _mm256_and_ps(below, above);
}

#define AXIS_OVERLAP(box, candidates, axis, at)                                                                        \
    overlap_on((box)->min[axis], (box)->max[axis], (candidates)->min[axis] + (at), (candidates)->max[axis] + (at))
#define wide_overlap(box, candidates, at)                                                                              \
    (wide_mask)(unsigned) _mm256_movemask_ps(                                                                          \
        _mm256_and_ps(_mm256_and_ps(AXIS_OVERLAP(box, candidates, 0, at), AXIS_OVERLAP(box, candidates, 1, at)),       \
                      AXIS_OVERLAP(box, candidates, 2, at)))

#include "kernels/overlap_loop.h"

#include "kernels/probe_loop.h"

const bp_kernels bp_kernels_avx2 = {
    .keys = x86_keys,
    .arrange = x86_arrange,
    .measure = x86_measure,
    .sweep = wide_sweep,
    .sweep_rows = wide_sweep_rows,
    .widen = wide_widen,
    .probe_box = wide_probe_box,
    .probe_line = wide_probe_line,
};
#endif
