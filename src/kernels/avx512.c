// Eight boxes at a time: AVX2 with three-way logic. On Zen 4 sixteen boxes at a time were slower, because most ranges
// are shorter than that, and so were comparisons into mask registers, by a tenth.
#include "kernels/plain.h"

#if defined(__AVX512VL__) && defined(__AVX512DQ__) && defined(__x86_64__)
#include "kernels/row_sort_x86.h"
#include "kernels/x86.h"
#include "kernels/x86_boxes.h"
#include "kernels/x86_measure.h"
#include "kernels/x86_strips.h"
#include "kernels/x86_tree.h"

static inline __m256i compare(vec a, vec b) {
    return _mm256_castps_si256(_mm256_cmp_ps(a, b, _CMP_LE_OQ));
}

static inline __m256i all_of(__m256i a, __m256i b, __m256i c) {
    return _mm256_ternarylogic_epi32(a, b, c, 0x80);
}

#define BELOW(box, candidates, axis, at) compare((box)->min[axis], _mm256_loadu_ps((candidates)->max[axis] + (at)))
#define ABOVE(box, candidates, axis, at) compare(_mm256_loadu_ps((candidates)->min[axis] + (at)), (box)->max[axis])
#define ALL_BELOW(box, candidates, at)                                                                                 \
    all_of(BELOW(box, candidates, 0, at), BELOW(box, candidates, 1, at), BELOW(box, candidates, 2, at))
#define ALL_ABOVE(box, candidates, at)                                                                                 \
    all_of(ABOVE(box, candidates, 0, at), ABOVE(box, candidates, 1, at), ABOVE(box, candidates, 2, at))
#define vec_overlap(box, candidates, at)                                                                               \
    (vec_mask)(unsigned) _mm256_movemask_ps(                                                                           \
        _mm256_castsi256_ps(_mm256_and_si256(ALL_BELOW(box, candidates, at), ALL_ABOVE(box, candidates, at))))
#define vec_overlap_apart(box, candidates, at, flags, ids)                                                             \
    (vec_mask)(unsigned) _mm256_movemask_ps(_mm256_castsi256_ps(                                                       \
        all_of(without(flags, ids), ALL_BELOW(box, candidates, at), ALL_ABOVE(box, candidates, at))))

#define vec_overlap_across(box, candidates, at)                                                                        \
    (vec_mask)(unsigned) _mm256_movemask_ps(                                                                           \
        _mm256_castsi256_ps(all_of(BELOW(box, candidates, 1, at), BELOW(box, candidates, 2, at),                       \
                                   _mm256_and_si256(ABOVE(box, candidates, 1, at), ABOVE(box, candidates, 2, at)))))

// Compressed in a register: compressing into memory takes a hundred cycles on Zen 4.
static inline uint32_t *vec_emit_ids(uint32_t *out, vec_mask mask, vec_ids ids) {
    vec_ids_store(out, _mm256_maskz_compress_epi32((__mmask8)mask, ids));
    return out + _mm_popcnt_u64(mask);
}

// The lanes whose ids have none of the flags.
static inline __m256i without(vec_ids flags, vec_ids ids) {
    return _mm256_cmpeq_epi32(_mm256_and_si256(flags, ids), _mm256_setzero_si256());
}

// Windows of points are long enough for sixteen at a time, unlike ranges of boxes.
#define NEAR_STEPS
enum { NEAR_WIDTH = 16 };

typedef struct near_query {
    __m512 x, y, z, sure, possible;
    __m512i own;
} near_query;

typedef __m512 near_doubt; // the largest squares that are possible

static inline near_query near_query_of(const bp_near_job *job, size_t point) {
    return (near_query){.x = _mm512_set1_ps(job->points.at[0][point]),
                        .y = _mm512_set1_ps(job->points.at[1][point]),
                        .z = _mm512_set1_ps(job->points.at[2][point]),
                        .sure = _mm512_set1_ps(job->sure),
                        .possible = _mm512_set1_ps(job->possible),
                        .own = _mm512_set1_epi32((int)job->points.id[point])};
}

static inline near_doubt near_no_doubt(void) {
    return _mm512_setzero_ps();
}

static inline bool near_is_doubtful(const near_query *query, near_doubt doubt) {
    return _mm512_cmp_ps_mask(doubt, query->sure, _CMP_GT_OQ) != 0;
}

static inline uint32_t *near_step(const near_query *query, const bp_point_columns *tube, size_t at,
                                  bp_near_wanted wanted, uint32_t *out, near_doubt *doubt) {
    const __m512 x = _mm512_sub_ps(_mm512_loadu_ps(tube->at[0] + at), query->x);
    const __m512 y = _mm512_sub_ps(_mm512_loadu_ps(tube->at[1] + at), query->y);
    const __m512 z = _mm512_sub_ps(_mm512_loadu_ps(tube->at[2] + at), query->z);
    const __m512 squares = _mm512_fmadd_ps(z, z, _mm512_fmadd_ps(y, y, _mm512_mul_ps(x, x)));
    const __m512i ids = _mm512_loadu_si512(tube->id + at);
    __mmask16 hits = _mm512_cmp_ps_mask(squares, query->possible, _CMP_LE_OQ);
    *doubt = _mm512_mask_max_ps(*doubt, hits, *doubt, squares);
    hits = wanted == BP_NEAR_OTHERS   ? _mm512_mask_cmpneq_epi32_mask(hits, ids, query->own)
           : wanted == BP_NEAR_LARGER ? _mm512_mask_cmpgt_epu32_mask(hits, ids, query->own)
                                      : hits;
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(hits, ids));
    return out + _mm_popcnt_u32(hits);
}

#define KERNELS bp_kernels_avx512
#define BUILDING(name) x86_##name
#define WIDE(name) x86_##name
#include "kernels/table.h"
#endif
