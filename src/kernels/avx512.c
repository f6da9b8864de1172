// Eight boxes at a time: AVX2 with three-way logic. On Zen 4 sixteen boxes at a time were slower, because most ranges
// are shorter than that, and so were comparisons into mask registers, by a tenth.
#include "kernels/plain.h"

#if defined(__AVX512VL__) && defined(__AVX512DQ__) && defined(__x86_64__)
#include "kernels/x86.h"

static inline __m256i compare(vec a, vec b) {
    return _mm256_castps_si256(_mm256_cmp_ps(a, b, _CMP_LE_OQ));
}

static inline __m256i all_of(__m256i a, __m256i b, __m256i c) {
    return _mm256_ternarylogic_epi32(a, b, c, 0x80);
}

#define BELOW(box, candidates, axis, at) compare((box)->min[axis], _mm256_loadu_ps((candidates)->max[axis] + (at)))
#define ABOVE(box, candidates, axis, at) compare(_mm256_loadu_ps((candidates)->min[axis] + (at)), (box)->max[axis])
#define vec_overlap(box, candidates, at)                                                                               \
    (vec_mask)(unsigned) _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_and_si256(                                      \
        all_of(BELOW(box, candidates, 0, at), BELOW(box, candidates, 1, at), BELOW(box, candidates, 2, at)),           \
        all_of(ABOVE(box, candidates, 0, at), ABOVE(box, candidates, 1, at), ABOVE(box, candidates, 2, at)))))

#include "kernels/overlap_loop.h"

#include "kernels/probe_loop.h"

#include "kernels/record_loop.h"

const bp_kernels bp_kernels_avx512 = {
    .cell_keys = x86_cell_keys,
    .gather = x86_gather,
    .measure = x86_measure,
    .test_ranges = vec_test_ranges,
    .test_rows = vec_test_rows,
    .extend_bounds = vec_extend_bounds,
    .probe_box = vec_probe_box,
    .probe_line = vec_probe_line,
    .part_records = vec_part_records,
    .select_records = vec_select_records,
    .count_sides = vec_count_sides,
};
#endif
