// Eight boxes at a time: AVX2 with three-way logic. On Zen 4 sixteen boxes at a time were slower, because most ranges
// are shorter than that, and so were comparisons into mask registers, by a tenth.
#include "kernels/plain.h"

#if defined(__AVX512VL__) && defined(__AVX512DQ__) && defined(__x86_64__)
#include "kernels/row_sort_x86.h"
#include "kernels/x86.h"
#include "kernels/x86_boxes.h"
#include "kernels/x86_compare.h"
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
#define vec_overlap(box, candidates, at)                                                                               \
    (vec_mask)(unsigned) _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_and_si256(                                      \
        all_of(BELOW(box, candidates, 0, at), BELOW(box, candidates, 1, at), BELOW(box, candidates, 2, at)),           \
        all_of(ABOVE(box, candidates, 0, at), ABOVE(box, candidates, 1, at), ABOVE(box, candidates, 2, at)))))

#define vec_overlap_across(box, candidates, at)                                                                        \
    (vec_mask)(unsigned) _mm256_movemask_ps(                                                                           \
        _mm256_castsi256_ps(all_of(BELOW(box, candidates, 1, at), BELOW(box, candidates, 2, at),                       \
                                   _mm256_and_si256(ABOVE(box, candidates, 1, at), ABOVE(box, candidates, 2, at)))))

// Compressed in a register: compressing into memory takes a hundred cycles on Zen 4.
static inline uint32_t *vec_emit_ids(uint32_t *out, vec_mask mask, vec_ids ids) {
    vec_ids_store(out, _mm256_maskz_compress_epi32((__mmask8)mask, ids));
    return out + _mm_popcnt_u64(mask);
}

// Four pairs of one id and the others at lanes of a vector.
static inline void put_four(bp_pair *out, __m256i id, __m256i others, __m256i lanes) {
    _mm256_storeu_si256((__m256i *)out, _mm256_mask_permutexvar_epi32(id, 0xaa, lanes, others));
}

// See strip_loop.h. Sixteen candidates at a time: most entries of strips have about ten, so that one step is enough.
static inline bp_pair *test_entry(const bp_columns own, const bp_columns candidates, size_t count, bp_pair *out) {
    const __m256i front = _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3), back = _mm256_setr_epi32(4, 4, 5, 5, 6, 6, 7, 7);
    __m512 min[3], max[3];
    for (int axis = 0; axis < 3; ++axis) {
        min[axis] = _mm512_set1_ps(own.min[axis][0]);
        max[axis] = _mm512_set1_ps(own.max[axis][0]);
    }
    const __m512i id = _mm512_set1_epi32((int)own.id[0]);
    const __m512i flags = _mm512_and_si512(id, _mm512_set1_epi32((int)~BP_ENTRY_ID));
    const __m256i first = _mm512_castsi512_si256(id);
    size_t at = 0;
    do {
        const size_t left = count - at;
        const __m512i other = _mm512_loadu_si512(candidates.id + at);
        __mmask16 mask = (__mmask16)_bzhi_u32(0xffffu, left < 16 ? (unsigned)left : 16u);
        mask = _mm512_mask_testn_epi32_mask(mask, other, flags);
        for (int axis = 0; axis < 3; ++axis) {
            mask = _mm512_mask_cmp_ps_mask(mask, min[axis], _mm512_loadu_ps(candidates.max[axis] + at), _CMP_LE_OQ);
            mask = _mm512_mask_cmp_ps_mask(mask, _mm512_loadu_ps(candidates.min[axis] + at), max[axis], _CMP_LE_OQ);
        }
        const __m512i hits = _mm512_maskz_compress_epi32(mask, other);
        const size_t hit_count = (size_t)_mm_popcnt_u32(mask);
        put_four(out, first, _mm512_castsi512_si256(hits), front);
        if (hit_count > 4) { // rare
            const __m256i upper = _mm512_extracti64x4_epi64(hits, 1);
            put_four(out + 4, first, _mm512_castsi512_si256(hits), back);
            put_four(out + 8, first, upper, front);
            put_four(out + 12, first, upper, back);
        }
        out += hit_count;
        at += 16;
    } while (at < count);
    return out;
}

#define HAS_TEST_ENTRY
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
