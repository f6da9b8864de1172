// The kernels for strips on x86: vectors of eight floats.
#ifndef BP_X86_STRIPS_H
#define BP_X86_STRIPS_H

#include "kernels/plain_strips.h"
#include "kernels/x86.h"

// ---- survey: four boxes in three vectors ----------------------------------------------------------------------------

enum { SURVEY_VECTORS = BP_SURVEY_LANES / 8 };

static void x86_survey(const bp_box *boxes, size_t count, bp_survey_lanes *lanes) {
    const __m256 zero = _mm256_setzero_ps();
    __m256 low[SURVEY_VECTORS], high[SURVEY_VECTORS], sum[SURVEY_VECTORS], longest[SURVEY_VECTORS];
    __m256i number[SURVEY_VECTORS];
    for (size_t k = 0; k < SURVEY_VECTORS; ++k) {
        low[k] = _mm256_loadu_ps(lanes->low + 8 * k);
        high[k] = _mm256_loadu_ps(lanes->high + 8 * k);
        sum[k] = _mm256_loadu_ps(lanes->sum + 8 * k);
        longest[k] = _mm256_loadu_ps(lanes->longest + 8 * k);
        number[k] = _mm256_loadu_si256((const __m256i *)(lanes->number + 8 * k));
    }
    size_t i = 0;
    for (; i + BP_SURVEY_BOXES < count; i += BP_SURVEY_BOXES) {
        for (size_t k = 0; k < SURVEY_VECTORS; ++k) {
            const float *values = (const float *)(const void *)(boxes + i) + 8 * k;
            const __m256 value = _mm256_loadu_ps(values);
            const __m256 edge = _mm256_sub_ps(_mm256_loadu_ps(values + 3), value);
            const __m256 counts = _mm256_cmp_ps(edge, zero, _CMP_GE_OQ);
            low[k] = _mm256_min_ps(value, low[k]); // the second one if the first is a NaN
            high[k] = _mm256_max_ps(value, high[k]);
            longest[k] = _mm256_max_ps(edge, longest[k]);
            sum[k] = _mm256_add_ps(sum[k], _mm256_and_ps(edge, counts));
            number[k] = _mm256_sub_epi32(number[k], _mm256_castps_si256(counts));
        }
    }
    for (size_t k = 0; k < SURVEY_VECTORS; ++k) {
        _mm256_storeu_ps(lanes->low + 8 * k, low[k]);
        _mm256_storeu_ps(lanes->high + 8 * k, high[k]);
        _mm256_storeu_ps(lanes->sum + 8 * k, sum[k]);
        _mm256_storeu_ps(lanes->longest + 8 * k, longest[k]);
        _mm256_storeu_si256((__m256i *)(lanes->number + 8 * k), number[k]);
    }
    survey_last(boxes + i, count - i, lanes);
}

// ---- entries: the cells of eight boxes at a time, then the entries of one -------------------------------------------

// bp_strip_cell of eight coordinates.
static inline __m256i eight_strip_cells(const bp_strips *strips, int axis, __m256 coordinates) {
    const __m256 cells = _mm256_mul_ps(_mm256_sub_ps(coordinates, _mm256_set1_ps(strips->low[axis])),
                                       _mm256_set1_ps(strips->inverse[axis]));
    return _mm256_cvttps_epi32(_mm256_min_ps(cells, _mm256_set1_ps(strips->last[axis])));
}

typedef struct eight_places {
    int32_t key[8];      // of the first entry of each box
    int32_t far[8];      // how many cells farther it ends
    int32_t crossing[8]; // 1: crosses in y, 2: in z; 4: a hole
} eight_places;

static inline void find_eight_places(const bp_strips *strips, const bp_box *boxes, eight_places *places) {
    const float *rows[8];
    for (size_t k = 0; k < 8; ++k) {
        rows[k] = boxes[k].min;
    }
    __m256 low[4], high[4];
    transpose(rows, 0, low);  // min x, y, z, max x
    transpose(rows, 2, high); // min z, max x, y, z
    const __m256 keep_z = _mm256_castsi256_ps(_mm256_set1_epi32(strips->dimensions == 2 ? 0 : -1));
    const __m256i x = eight_strip_cells(strips, 0, low[0]), y = eight_strip_cells(strips, 1, low[1]);
    const __m256i z = eight_strip_cells(strips, 2, _mm256_and_ps(low[2], keep_z));
    const __m256i far = _mm256_sub_epi32(eight_strip_cells(strips, 0, low[3]), x);
    const __m256i crosses_y = _mm256_sub_epi32(eight_strip_cells(strips, 1, high[2]), y);
    const __m256i crosses_z = _mm256_sub_epi32(eight_strip_cells(strips, 2, _mm256_and_ps(high[3], keep_z)), z);
    const __m256i strip = _mm256_add_epi32(_mm256_mullo_epi32(z, _mm256_set1_epi32((int)strips->cells[1])), y);
    const __m256i key = _mm256_add_epi32(_mm256_mullo_epi32(strip, _mm256_set1_epi32((int)strips->cells[0])), x);
    const __m256i crosses = _mm256_add_epi32(crosses_y, _mm256_add_epi32(crosses_z, crosses_z));
    const __m256 is_hole = _mm256_cmp_ps(low[0], low[0], _CMP_UNORD_Q);
    const __m256i crossing = _mm256_blendv_epi8(crosses, _mm256_set1_epi32(4), _mm256_castps_si256(is_hole));
    _mm256_storeu_si256((__m256i *)places->key, key);
    _mm256_storeu_si256((__m256i *)places->far, far);
    _mm256_storeu_si256((__m256i *)places->crossing, crossing);
}

// For each crossing: which of the four entries (itself, y + 1, z + 1, both) it has, those to the front.
static const uint8_t crossing_entries[5][16] = {
    {0, 1, 2, 3},
    {0, 1, 2, 3, 4, 5, 6, 7},
    {0, 1, 2, 3, 8, 9, 10, 11},
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {0},
};
static const uint8_t crossing_count[5] = {1, 2, 2, 4, 0};

static size_t x86_strip_entries(const bp_strips *strips, const bp_box *boxes, size_t begin, size_t end, uint32_t set,
                                uint32_t *keys, uint64_t *entries) {
    const int row = (int)strips->cells[0], layer = (int)(strips->cells[0] * strips->cells[1]);
    const __m128i around = _mm_setr_epi32(0, row, layer, layer + row);
    const __m128i flags = _mm_setr_epi32(0, 1 << 30, (int)0x80000000u, (int)0xc0000000u);
    size_t i = begin, found = 0;
    for (; i + 8 <= end; i += 8) {
        eight_places places;
        find_eight_places(strips, boxes + i, &places);
        for (size_t k = 0; k < 8; ++k) {
            const __m128i wanted = _mm_loadu_si128((const __m128i *)crossing_entries[places.crossing[k]]);
            const __m128i key = _mm_shuffle_epi8(_mm_add_epi32(_mm_set1_epi32(places.key[k]), around), wanted);
            const __m128i last = _mm_add_epi32(key, _mm_set1_epi32(places.far[k]));
            const __m128i item =
                _mm_shuffle_epi8(_mm_or_si128(_mm_set1_epi32((int)((uint32_t)(i + k) | set)), flags), wanted);
            _mm_storeu_si128((__m128i *)(keys + found), key);
            _mm_storeu_si128((__m128i *)(entries + found), _mm_unpacklo_epi32(item, last));
            _mm_storeu_si128((__m128i *)(entries + found + 2), _mm_unpackhi_epi32(item, last));
            found += crossing_count[places.crossing[k]];
        }
    }
    return found + plain_strip_entries(strips, boxes, i, end, set, keys + found, entries + found);
}

// ---- gather ---------------------------------------------------------------------------------------------------------

static inline void gather_entries_of(const bp_columns *columns, size_t begin, size_t end, const uint64_t *entries,
                                     const bp_strip_sets sets, bool are_two) {
    size_t at = begin;
    for (; at + 8 <= end; at += 8) {
        const float *rows[8];
        for (size_t k = 0; k < 8; ++k) {
            const bp_box *alone = sets.boxes[0] + (entries[at + k] & BP_ENTRY_ID);
            rows[k] = are_two ? bp_entry_box(&sets, entries[at + k])->min : alone->min;
        }
        const __m256 halves = _mm256_shuffle_ps(_mm256_loadu_ps((const float *)(const void *)(entries + at)),
                                                _mm256_loadu_ps((const float *)(const void *)(entries + at + 4)), 0x88);
        const __m256i ids = _mm256_permute4x64_epi64(_mm256_castps_si256(halves), 0xd8);
        _mm256_storeu_si256((__m256i *)(columns->id + at), ids);
        gather_eight(columns, at, rows);
    }
    plain_gather_entries(columns, at, end, entries, &sets);
}

static void x86_gather_entries(const bp_columns *columns, size_t begin, size_t end, const uint64_t *entries,
                               const bp_strip_sets *sets) {
    if (sets->are_two) {
        gather_entries_of(columns, begin, end, entries, *sets, true);
    } else {
        gather_entries_of(columns, begin, end, entries, *sets, false);
    }
}

#endif
