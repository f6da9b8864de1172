// Code that the x86 instruction sets share: vectors of eight floats, and compressing hits into pairs.
#ifndef BP_X86_H
#define BP_X86_H

#include "kernels/kernels.h"
#include "kernels/lanes.h"

#include <immintrin.h>

// ---- keys: one box at a time, its axes in the lanes of a vector -----------------------------------------------------

typedef struct level_lanes {
    __m128 keep; // all bits of the axes that count
    __m128 fit;
    __m256d inverse;
    __m128i mask, shift;
    uint32_t first_cell;
} level_lanes;

static inline level_lanes lanes_of_level(const bp_level *level, uint32_t dimensions) {
    const uint32_t *bits = level->bits;
    return (level_lanes){
        .keep = _mm_castsi128_ps(_mm_setr_epi32(-1, -1, dimensions == 2 ? 0 : -1, 0)),
        .fit = _mm_setr_ps(level->fit[0], level->fit[1], level->fit[2], INFINITY),
        .inverse = _mm256_setr_pd(level->inverse[0], level->inverse[1], level->inverse[2], 0.0),
        .mask = _mm_setr_epi32((1 << bits[0]) - 1, (1 << bits[1]) - 1, (1 << bits[2]) - 1, 0),
        .shift = _mm_setr_epi32(0, (int)bits[0], (int)(bits[0] + bits[1]), 0),
        .first_cell = (uint32_t)level->first_cell,
    };
}

// bp_fit_extent of all axes.
static inline __m128 extents(__m128 min, __m128 max) {
    const __m128 magnitude = _mm_castsi128_ps(_mm_set1_epi32(0x7fffffff));
    const __m128 farthest = _mm_max_ps(_mm_and_ps(min, magnitude), _mm_and_ps(max, magnitude));
    return _mm_max_ps(_mm_sub_ps(max, min), _mm_mul_ps(farthest, _mm_set1_ps(0x1p-25f)));
}

// bp_key_of_box. Boxes that fit are never beyond 2^25 cells, so no clamping is needed; keys of the others are not used.
static inline uint32_t key_of_lanes(const level_lanes *level, __m128 min) {
    const __m256d cells = _mm256_floor_pd(_mm256_mul_pd(_mm256_cvtps_pd(min), level->inverse));
    const __m128i folded = _mm_and_si128(_mm256_cvttpd_epi32(cells), level->mask);
    const __m128i parts = _mm_sllv_epi32(folded, level->shift);
    const __m128i halves = _mm_or_si128(parts, _mm_unpackhi_epi64(parts, parts));
    return (uint32_t)_mm_cvtsi128_si32(halves) | (uint32_t)_mm_extract_epi32(halves, 1);
}

static size_t x86_cell_keys(const bp_level *level, uint32_t dimensions, const bp_box *boxes, size_t count,
                            uint32_t *keys, float reach[3]) {
    const level_lanes lanes = lanes_of_level(level, dimensions);
    __m128 farthest = _mm_setr_ps(reach[0], reach[1], reach[2], 0.0f);
    size_t fitting = 0;
    for (size_t i = 0; i < count; ++i) {
        const float *values = (const float *)&boxes[i];
        const __m128 low = _mm_loadu_ps(values);      // min x, y, z and max x
        const __m128 high = _mm_loadu_ps(values + 2); // min z and max x, y, z
        const __m128 min = _mm_and_ps(low, lanes.keep);
        const __m128 max = _mm_and_ps(_mm_shuffle_ps(high, high, 0xf9), lanes.keep);
        const __m128 extent = extents(min, max);
        const bool fits = _mm_movemask_ps(_mm_cmplt_ps(extent, lanes.fit)) == 15;
        farthest = _mm_max_ps(farthest, _mm_and_ps(extent, _mm_castsi128_ps(_mm_set1_epi32(-(int)fits))));
        keys[i] = fits ? lanes.first_cell + key_of_lanes(&lanes, min) : BP_KEY_ELSEWHERE;
        fitting += fits;
    }
    float result[4];
    _mm_storeu_ps(result, farthest);
    for (int axis = 0; axis < 3; ++axis) {
        reach[axis] = result[axis];
    }
    return fitting;
}

// ---- gather: eight boxes at a time, transposed from rows into columns -----------------------------------------------

// Four values of each of eight boxes, from value `skip` on: columns[k] gets value skip + k of each.
static inline void transpose(const float *const boxes[8], int skip, __m256 columns[4]) {
    __m256 rows[4]; // boxes k and k + 4
    for (int k = 0; k < 4; ++k) {
        rows[k] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(boxes[k] + skip)),
                                       _mm_loadu_ps(boxes[k + 4] + skip), 1);
    }
    const __m256 a = _mm256_unpacklo_ps(rows[0], rows[1]), b = _mm256_unpackhi_ps(rows[0], rows[1]);
    const __m256 c = _mm256_unpacklo_ps(rows[2], rows[3]), d = _mm256_unpackhi_ps(rows[2], rows[3]);
    columns[0] = _mm256_shuffle_ps(a, c, 0x44);
    columns[1] = _mm256_shuffle_ps(a, c, 0xee);
    columns[2] = _mm256_shuffle_ps(b, d, 0x44);
    columns[3] = _mm256_shuffle_ps(b, d, 0xee);
}

// Fills eight positions of the columns.
static inline void gather_eight(const bp_columns *columns, size_t at, const float *const rows[8]) {
    __m256 low[4], high[4];
    transpose(rows, 0, low);  // min x, y, z, max x
    transpose(rows, 2, high); // min z, max x, y, z
    _mm256_storeu_ps(columns->min[0] + at, low[0]);
    _mm256_storeu_ps(columns->min[1] + at, low[1]);
    _mm256_storeu_ps(columns->min[2] + at, low[2]);
    _mm256_storeu_ps(columns->max[0] + at, low[3]);
    _mm256_storeu_ps(columns->max[1] + at, high[2]);
    _mm256_storeu_ps(columns->max[2] + at, high[3]);
}

// Boxes are anywhere in memory: they are prefetched this many positions ahead.
enum { PREFETCH = 96 };

static void x86_gather(const bp_columns *columns, size_t begin, size_t end, const bp_box *boxes) {
    size_t at = begin;
    for (; at + 8 <= end; at += 8) {
        const float *rows[8];
        for (size_t k = 0; k < 8; ++k) {
            const size_t ahead = at + k + PREFETCH < end ? at + k + PREFETCH : end - 1;
            _mm_prefetch((const char *)boxes[columns->id[ahead]].min, _MM_HINT_T1);
            _mm_prefetch((const char *)(boxes[columns->id[ahead]].max + 2), _MM_HINT_T1);
            rows[k] = (const float *)&boxes[columns->id[at + k]];
        }
        gather_eight(columns, at, rows);
    }
    plain_gather(columns, at, end, boxes);
}

// ---- measure: eight boxes at a time ---------------------------------------------------------------------------------

// cell_on_level of eight coordinates, less an offset.
static inline __m256i eight_cells(const float *coordinates, float offset, double inverse) {
    const __m256 values = _mm256_sub_ps(_mm256_loadu_ps(coordinates), _mm256_set1_ps(offset));
    const __m256d scale = _mm256_set1_pd(inverse);
    const __m256d low = _mm256_mul_pd(_mm256_cvtps_pd(_mm256_castps256_ps128(values)), scale);
    const __m256d high = _mm256_mul_pd(_mm256_cvtps_pd(_mm256_extractf128_ps(values, 1)), scale);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm256_cvttpd_epi32(_mm256_floor_pd(low))),
                                   _mm256_cvttpd_epi32(_mm256_floor_pd(high)), 1);
}

static inline __m256i eight_crossings(const bp_columns *columns, size_t position, int axis, double inverse) {
    return _mm256_sub_epi32(eight_cells(columns->max[axis] + position, 0.0f, inverse),
                            eight_cells(columns->min[axis] + position, 0.0f, inverse));
}

// The last step reads beyond the count, into the columns that follow or the padding; that is not used.
static void x86_measure(const bp_columns *columns, size_t position, size_t count, const bp_level *level,
                        bp_measures *measures) {
    const __m256i outside = _mm256_set1_epi32(-(1 << level->bits[0])), edge = _mm256_set1_epi32(BP_CROSSES_EDGE);
    for (size_t i = 0; i < count; i += 8) {
        const size_t p = position + i;
        const __m256i low = eight_cells(columns->min[0] + p, level->reach[0], level->inverse[0]);
        const __m256i high = eight_cells(columns->max[0] + p, 0.0f, level->inverse[0]);
        const __m256i y = eight_crossings(columns, p, 1, level->inverse[1]);
        const __m256i z = eight_crossings(columns, p, 2, level->inverse[2]);
        const __m256i different = _mm256_and_si256(_mm256_xor_si256(low, high), outside);
        const __m256i inside = _mm256_cmpeq_epi32(different, _mm256_setzero_si256());
        const __m256i faces = _mm256_or_si256(y, _mm256_slli_epi32(z, 1));
        _mm256_storeu_si256((__m256i *)(measures->low + i), low);
        _mm256_storeu_si256((__m256i *)(measures->high + i), high);
        _mm256_storeu_si256((__m256i *)(measures->crossed + i),
                            _mm256_or_si256(faces, _mm256_andnot_si256(inside, edge)));
    }
}

// ---- overlap --------------------------------------------------------------------------------------------------------

enum { WIDTH = 8 };

typedef __m256 vec;
typedef __m256i vec_ids;
typedef uint64_t vec_mask;

#include "kernels/operators.h"

static inline vec vec_set(float value) {
    return _mm256_set1_ps(value);
}

static inline vec vec_smaller(vec a, vec b) {
    return _mm256_min_ps(a, b);
}

static inline vec vec_larger(vec a, vec b) {
    return _mm256_max_ps(a, b);
}

static inline vec_mask vec_at_most(vec a, vec b) {
    return (vec_mask)(unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LE_OQ));
}

static inline vec vec_keep_at_most(vec a, vec b) {
    return _mm256_and_ps(a, _mm256_cmp_ps(a, b, _CMP_LE_OQ));
}

static inline vec_ids vec_ids_set(uint32_t id) {
    return _mm256_set1_epi32((int)id);
}

static inline vec_ids vec_ids_add(vec_ids a, vec_ids b) {
    return _mm256_add_epi32(a, b);
}

static inline vec_mask vec_ids_lanes(__m256i lanes) {
    return (vec_mask)(unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(lanes));
}

static inline vec_mask vec_ids_other(vec_ids ids, vec_ids id) {
    return vec_ids_lanes(_mm256_cmpeq_epi32(ids, id)) ^ 0xff;
}

static inline vec_mask vec_ids_above(vec_ids ids, vec_ids id) {
    return vec_ids_lanes(_mm256_cmpeq_epi32(_mm256_max_epu32(ids, id), id)) ^ 0xff;
}

static inline vec_ids vec_count_from(uint32_t first) {
    return _mm256_add_epi32(_mm256_set1_epi32((int)first), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

static inline vec_ids vec_ids_min(vec_ids a, vec_ids b) {
    return _mm256_min_epu32(a, b);
}

static inline vec_ids vec_ids_max(vec_ids a, vec_ids b) {
    return _mm256_max_epu32(a, b);
}

static inline bool vec_is_full(vec_mask mask) {
    return mask == (1u << WIDTH) - 1;
}

static inline vec_mask vec_first(vec_mask mask, size_t count) {
    return _bzhi_u64(mask, count < WIDTH ? count : WIDTH);
}

// Four pairs from the lanes that the bytes of `lanes` name, twice each.
static inline __m256i four_pairs(vec_ids a, vec_ids b, uint64_t lanes) {
    const __m256i pick = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)lanes));
    return _mm256_blend_epi32(_mm256_permutevar8x32_epi32(a, pick), _mm256_permutevar8x32_epi32(b, pick), 0xaa);
}

static inline bp_pair *vec_emit(bp_pair *out, vec_mask mask, vec_ids a, vec_ids b) {
    const size_t count = (size_t)_mm_popcnt_u64(mask);
    _mm256_storeu_si256((__m256i *)out, four_pairs(a, b, bp_lanes[mask][0]));
    if (count > 4) { // rare, so it is predicted well
        _mm256_storeu_si256((__m256i *)(out + 4), four_pairs(a, b, bp_lanes[mask][1]));
    }
    return out + count;
}

// The same where more than half of the lanes may well be hits.
#define HAS_EMIT_MANY
static inline bp_pair *vec_emit_many(bp_pair *out, vec_mask mask, vec_ids a, vec_ids b) {
#if defined(__AVX512VL__)
    const __m512i low = _mm512_cvtepu32_epi64(a), high = _mm512_slli_epi64(_mm512_cvtepu32_epi64(b), 32);
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi64((__mmask8)mask, _mm512_or_si512(low, high)));
#else
    _mm256_storeu_si256((__m256i *)out, four_pairs(a, b, bp_lanes[mask][0]));
    _mm256_storeu_si256((__m256i *)(out + 4), four_pairs(a, b, bp_lanes[mask][1]));
#endif
    return out + _mm_popcnt_u64(mask);
}

static inline __m128i least_of_eight(__m256i numbers) {
    __m128i least = _mm_min_epu32(_mm256_castsi256_si128(numbers), _mm256_extracti128_si256(numbers, 1));
    least = _mm_min_epu32(least, _mm_shuffle_epi32(least, 0x4e));
    return _mm_min_epu32(least, _mm_shuffle_epi32(least, 0xb1));
}

// The lane in the mask with the smallest number, without its lowest three bits; any lane if the mask is empty.
#define HAS_SMALLEST_LANE
static inline uint32_t vec_smallest_lane(vec_mask mask, vec_ids numbers) {
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i marked = _mm256_or_si256(_mm256_andnot_si256(_mm256_set1_epi32(7), numbers), lanes);
#if defined(__AVX512VL__)
    const __m256i all = _mm256_mask_blend_epi32((__mmask8)mask, _mm256_set1_epi32(-1), marked);
#else
    const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i outside =
        _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)mask), bits), _mm256_setzero_si256());
    const __m256i all = _mm256_or_si256(marked, outside);
#endif
    return (uint32_t)_mm_cvtsi128_si32(least_of_eight(all)) & 7;
}

// The smallest a, of those that are at most b and not negative; infinity if there is none.
static inline float vec_least_at_most(vec a, vec b) {
    const vec those = _mm256_blendv_ps(_mm256_set1_ps(INFINITY), a, _mm256_cmp_ps(a, b, _CMP_LE_OQ));
    return _mm_cvtss_f32(_mm_castsi128_ps(least_of_eight(_mm256_castps_si256(those))));
}

static inline size_t vec_lanes(vec_mask mask) {
    return (size_t)_mm_popcnt_u64(mask);
}

// ---- records --------------------------------------------------------------------------------------------------------

typedef __m256 rec;

static inline rec rec_load(const bp_record *from) {
    return _mm256_loadu_ps((const float *)(const void *)from);
}

static inline void rec_store(bp_record *to, rec record) {
    _mm256_storeu_ps((float *)(void *)to, record);
}

static inline rec rec_smaller(rec a, rec b) {
    return _mm256_min_ps(a, b);
}

static inline rec rec_larger(rec a, rec b) {
    return _mm256_max_ps(a, b);
}

static inline size_t rec_at_most(rec a, rec b) {
    return (~_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LE_OQ)) & 0x77) == 0;
}

#endif
