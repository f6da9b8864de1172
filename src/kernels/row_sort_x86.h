// Sorting eight rows of ids at once: each lane of a vector is a row, and a sorting network orders the vectors. No
// comparison is a branch, and no length has to be guessed. Sorting rows one by one, by counting for each id the smaller
// ones, took five times as long at 30 ids, and half of that were wrong guesses of how long a row is.
//
//     rows      | 7 3 9 4 . . . . |            tiles     a tile is eight vectors: it is transposed when it is loaded
//               | 5 1 8 . . . . . |   <--->    | 7 5 |    and again when it is stored. Missing ids are the largest
//               | ...             |            | 3 1 |    number, and missing tiles are left out.
//                                              | ... |
//
// The network is Batcher's bitonic one (K. E. Batcher, Sorting networks and their applications, 1968), over tiles that
// are sorted by the shortest network for eight.
#ifndef BP_ROW_SORT_X86_H
#define BP_ROW_SORT_X86_H

#include "kernels/kernels.h"

#include <immintrin.h>

enum { TILE = 8, BLOCKS = BP_SORTED_IDS / TILE };

static inline void order(__m256i *low, __m256i *high) {
    const __m256i smaller = _mm256_min_epu32(*low, *high);
    *high = _mm256_max_epu32(*low, *high);
    *low = smaller;
}

// The vectors of a tile, in registers.
typedef struct eight {
    __m256i a, b, c, d, e, f, g, h;
} eight;

static inline eight eight_of(const __m256i *v) {
    return (eight){v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]};
}

static inline void put_eight(const eight *s, __m256i *v) {
    v[0] = s->a, v[1] = s->b, v[2] = s->c, v[3] = s->d;
    v[4] = s->e, v[5] = s->f, v[6] = s->g, v[7] = s->h;
}

static inline void sort_tile(__m256i *v) {
    eight s = eight_of(v);
    order(&s.a, &s.c), order(&s.b, &s.d), order(&s.e, &s.g), order(&s.f, &s.h);
    order(&s.a, &s.e), order(&s.b, &s.f), order(&s.c, &s.g), order(&s.d, &s.h);
    order(&s.a, &s.b), order(&s.c, &s.d), order(&s.e, &s.f), order(&s.g, &s.h);
    order(&s.c, &s.e), order(&s.d, &s.f);
    order(&s.b, &s.e), order(&s.d, &s.g);
    order(&s.b, &s.c), order(&s.d, &s.e), order(&s.f, &s.g);
    put_eight(&s, v);
}

// Sorts a tile that first rises and then falls, or the other way round.
static inline void sort_bitonic_tile(__m256i *v) {
    eight s = eight_of(v);
    order(&s.a, &s.e), order(&s.b, &s.f), order(&s.c, &s.g), order(&s.d, &s.h);
    order(&s.a, &s.c), order(&s.b, &s.d), order(&s.e, &s.g), order(&s.f, &s.h);
    order(&s.a, &s.b), order(&s.c, &s.d), order(&s.e, &s.f), order(&s.g, &s.h);
    put_eight(&s, v);
}

static inline void order_tiles(__m256i *low, __m256i *high, bool reversed) {
#pragma GCC unroll 8
    for (size_t i = 0; i < TILE; ++i) {
        order(&low[i], &high[reversed ? TILE - 1 - i : i]);
    }
}

// Merges the sorted halves of a group of `width` tiles, of which only some may be there: at least its first half.
static void merge_group(__m256i *group, size_t tiles, size_t width) {
    for (size_t i = 0; i < width / 2; ++i) {
        if (width - 1 - i < tiles) {
            order_tiles(group + i * TILE, group + (width - 1 - i) * TILE, true);
        }
    }
    for (size_t apart = width / 4; apart > 0; apart /= 2) {
        for (size_t i = 0; i + apart < tiles && i < width; ++i) {
            if ((i & apart) == 0) {
                order_tiles(group + i * TILE, group + (i + apart) * TILE, false);
            }
        }
    }
    for (size_t i = 0; i < tiles && i < width; ++i) {
        sort_bitonic_tile(group + i * TILE);
    }
}

static void sort_tiles(__m256i *vectors, size_t tiles) {
    for (size_t i = 0; i < tiles; ++i) {
        sort_tile(vectors + i * TILE);
    }
    for (size_t width = 2; width / 2 < tiles; width *= 2) {
        for (size_t first = 0; first + width / 2 < tiles; first += width) {
            merge_group(vectors + first * TILE, tiles - first, width);
        }
    }
}

static inline __m256i lower_halves(__m256i a, __m256i b) {
    return _mm256_permute2x128_si256(a, b, 0x20);
}

static inline __m256i upper_halves(__m256i a, __m256i b) {
    return _mm256_permute2x128_si256(a, b, 0x31);
}

static inline eight transposed(const eight *s) {
    const __m256i ab = _mm256_unpacklo_epi32(s->a, s->b), ab_high = _mm256_unpackhi_epi32(s->a, s->b);
    const __m256i cd = _mm256_unpacklo_epi32(s->c, s->d), cd_high = _mm256_unpackhi_epi32(s->c, s->d);
    const __m256i ef = _mm256_unpacklo_epi32(s->e, s->f), ef_high = _mm256_unpackhi_epi32(s->e, s->f);
    const __m256i gh = _mm256_unpacklo_epi32(s->g, s->h), gh_high = _mm256_unpackhi_epi32(s->g, s->h);
    const __m256i a = _mm256_unpacklo_epi64(ab, cd), e = _mm256_unpacklo_epi64(ef, gh);
    const __m256i b = _mm256_unpackhi_epi64(ab, cd), f = _mm256_unpackhi_epi64(ef, gh);
    const __m256i c = _mm256_unpacklo_epi64(ab_high, cd_high), g = _mm256_unpacklo_epi64(ef_high, gh_high);
    const __m256i d = _mm256_unpackhi_epi64(ab_high, cd_high), h = _mm256_unpackhi_epi64(ef_high, gh_high);
    return (eight){lower_halves(a, e), lower_halves(b, f), lower_halves(c, g), lower_halves(d, h),
                   upper_halves(a, e), upper_halves(b, f), upper_halves(c, g), upper_halves(d, h)};
}

// All bits in the lanes of a tile that a row of this length has.
static inline __m256i lanes_of_row(uint32_t count, size_t tile) {
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count - (int)(tile * TILE)), lanes);
}

#if defined(__AVX512VL__)
static inline __mmask8 mask_of_row(uint32_t count, size_t tile) {
    const uint32_t behind = (uint32_t)(tile * TILE);
    return (__mmask8)_bzhi_u32(0xff, count > behind ? count - behind : 0);
}

static inline __m256i load_ids(const bp_row_sort *job, size_t row, size_t tile) {
    return _mm256_mask_loadu_epi32(_mm256_set1_epi32(-1), mask_of_row(job->counts[row], tile),
                                   job->from[row] + tile * TILE);
}

static inline void store_ids(const bp_row_sort *job, size_t row, size_t tile, __m256i ids) {
    _mm256_mask_storeu_epi32(job->to[row] + tile * TILE, mask_of_row(job->counts[row], tile), ids);
}
#else
static inline __m256i load_ids(const bp_row_sort *job, size_t row, size_t tile) {
    const __m256i held = lanes_of_row(job->counts[row], tile);
    const __m256i ids = _mm256_maskload_epi32((const int *)job->from[row] + tile * TILE, held);
    return _mm256_or_si256(ids, _mm256_xor_si256(held, _mm256_set1_epi32(-1)));
}

static inline void store_ids(const bp_row_sort *job, size_t row, size_t tile, __m256i ids) {
    _mm256_maskstore_epi32((int *)job->to[row] + tile * TILE, lanes_of_row(job->counts[row], tile), ids);
}
#endif

static inline void load_tile(const bp_row_sort *job, size_t tile, __m256i *vectors) {
    const eight rows = {load_ids(job, 0, tile), load_ids(job, 1, tile), load_ids(job, 2, tile), load_ids(job, 3, tile),
                        load_ids(job, 4, tile), load_ids(job, 5, tile), load_ids(job, 6, tile), load_ids(job, 7, tile)};
    const eight columns = transposed(&rows);
    put_eight(&columns, vectors);
}

static inline void store_tile(const bp_row_sort *job, size_t tile, const __m256i *vectors) {
    const eight columns = eight_of(vectors), rows = transposed(&columns);
    store_ids(job, 0, tile, rows.a), store_ids(job, 1, tile, rows.b);
    store_ids(job, 2, tile, rows.c), store_ids(job, 3, tile, rows.d);
    store_ids(job, 4, tile, rows.e), store_ids(job, 5, tile, rows.f);
    store_ids(job, 6, tile, rows.g), store_ids(job, 7, tile, rows.h);
}

static void x86_sort_rows(const bp_row_sort *job) {
    __m256i vectors[BP_SORTED_IDS];
    uint32_t longest = 0;
    for (size_t r = 0; r < BP_SORTED_ROWS; ++r) {
        longest = job->counts[r] > longest ? job->counts[r] : longest;
    }
    const size_t tiles = (longest + TILE - 1) / TILE;
    for (size_t tile = 0; tile < tiles; ++tile) {
        load_tile(job, tile, vectors + tile * TILE);
    }
    sort_tiles(vectors, tiles);
    for (size_t tile = 0; tile < tiles; ++tile) {
        store_tile(job, tile, vectors + tile * TILE);
    }
}

#endif
