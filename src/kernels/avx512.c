// Eight boxes at a time: AVX2 with three-way logic. Measured on Zen 4: sixteen boxes at a time were slower, because most
// ranges are shorter than that, and so were compares into mask registers, by a tenth.
#include "kernels/plain.h"

#if defined(__AVX512VL__) && defined(__AVX512DQ__)
#include "kernels/x86.h"

static inline __m256i compare(wide a, wide b) {
    return _mm256_castps_si256(_mm256_cmp_ps(a, b, _CMP_LE_OQ));
}

static inline __m256i all_of(__m256i a, __m256i b, __m256i c) {
    return _mm256_ternarylogic_epi32(a, b, c, 0x80);
}

#define BELOW(box, candidates, axis, at) compare((box)->min[axis], _mm256_loadu_ps((candidates)->max[axis] + (at)))
#define ABOVE(box, candidates, axis, at) compare(_mm256_loadu_ps((candidates)->min[axis] + (at)), (box)->max[axis])
#define wide_overlap(box, candidates, at)                                                                              \
    (wide_mask)(unsigned) _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_and_si256(                                     \
        all_of(BELOW(box, candidates, 0, at), BELOW(box, candidates, 1, at), BELOW(box, candidates, 2, at)),           \
        all_of(ABOVE(box, candidates, 0, at), ABOVE(box, candidates, 1, at), ABOVE(box, candidates, 2, at)))))

#include "kernels/overlap_loop.h"

#include "kernels/probe_loop.h"

const bp_kernels bp_kernels_avx512 = {
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
