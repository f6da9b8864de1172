// Sorting eight rows of ids at once: each lane of a vector is a row, and a sorting network orders the vectors. No
// comparison is a branch, and no length has to be guessed. Sorting rows one by one, by counting for each id the smaller
// ones, took five times as long at 30 ids, and half of that were wrong guesses of how long a row is.
//
//     rows      | 7 3 9 4 . . . . |            blocks     a block is eight vectors: it is transposed when it is loaded
//               | 5 1 8 . . . . . |   <--->    | 7 5 |    and again when it is stored. Missing ids are the largest
//               | ...             |            | 3 1 |    number, and missing blocks are left out.
//                                              | ... |
//
// The network is Batcher's bitonic one (K. E. Batcher, Sorting networks and their applications, 1968), over blocks that
// are sorted by the shortest network for eight.
#ifndef BP_ROW_SORT_X86_H
#define BP_ROW_SORT_X86_H

#include "kernels/kernels.h"

#include <immintrin.h>

enum { BLOCK = 8, BLOCKS = BP_SORTED_IDS / BLOCK };

static inline void order(__m256i *low, __m256i *high) {
    const __m256i smaller = _mm256_min_epu32(*low, *high);
    *high = _mm256_max_epu32(*low, *high);
    *low = smaller;
}

// The vectors of a block, in registers.
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

static inline void sort_block(__m256i *v) {
    eight s = eight_of(v);
    order(&s.a, &s.c), order(&s.b, &s.d), order(&s.e, &s.g), order(&s.f, &s.h);
    order(&s.a, &s.e), order(&s.b, &s.f), order(&s.c, &s.g), order(&s.d, &s.h);
    order(&s.a, &s.b), order(&s.c, &s.d), order(&s.e, &s.f), order(&s.g, &s.h);
    order(&s.c, &s.e), order(&s.d, &s.f);
    order(&s.b, &s.e), order(&s.d, &s.g);
    order(&s.b, &s.c), order(&s.d, &s.e), order(&s.f, &s.g);
    put_eight(&s, v);
}

// Sorts a block that first rises and then falls, or the other way round.
static inline void sort_bitonic_block(__m256i *v) {
    eight s = eight_of(v);
    order(&s.a, &s.e), order(&s.b, &s.f), order(&s.c, &s.g), order(&s.d, &s.h);
    order(&s.a, &s.c), order(&s.b, &s.d), order(&s.e, &s.g), order(&s.f, &s.h);
    order(&s.a, &s.b), order(&s.c, &s.d), order(&s.e, &s.f), order(&s.g, &s.h);
    put_eight(&s, v);
}

static inline void order_blocks(__m256i *low, __m256i *high, bool reversed) {
#pragma GCC unroll 8
    for (size_t i = 0; i < BLOCK; ++i) {
        order(&low[i], &high[reversed ? BLOCK - 1 - i : i]);
    }
}

// Merges the sorted halves of a group of `width` blocks, of which only some may be there: at least its first half.
static void merge_group(__m256i *group, size_t blocks, size_t width) {
    for (size_t i = 0; i < width / 2; ++i) {
        if (width - 1 - i < blocks) {
            order_blocks(group + i * BLOCK, group + (width - 1 - i) * BLOCK, true);
        }
    }
    for (size_t apart = width / 4; apart > 0; apart /= 2) {
        for (size_t i = 0; i + apart < blocks && i < width; ++i) {
            if ((i & apart) == 0) {
                order_blocks(group + i * BLOCK, group + (i + apart) * BLOCK, false);
            }
        }
    }
    for (size_t i = 0; i < blocks && i < width; ++i) {
        sort_bitonic_block(group + i * BLOCK);
    }
}

static void sort_blocks(__m256i *vectors, size_t blocks) {
    for (size_t i = 0; i < blocks; ++i) {
        sort_block(vectors + i * BLOCK);
    }
    for (size_t width = 2; width / 2 < blocks; width *= 2) {
        for (size_t first = 0; first + width / 2 < blocks; first += width) {
            merge_group(vectors + first * BLOCK, blocks - first, width);
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

// All bits in the lanes of a block that a row of this length has.
static inline __m256i lanes_of_row(uint32_t count, size_t block) {
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count - (int)(block * BLOCK)), lanes);
}

#if defined(__AVX512VL__)
static inline __mmask8 mask_of_row(uint32_t count, size_t block) {
    const uint32_t behind = (uint32_t)(block * BLOCK);
    return (__mmask8)_bzhi_u32(0xff, count > behind ? count - behind : 0);
}

static inline __m256i load_ids(const bp_row_sort *job, size_t row, size_t block) {
    return _mm256_mask_loadu_epi32(_mm256_set1_epi32(-1), mask_of_row(job->counts[row], block),
                                   job->from[row] + block * BLOCK);
}

static inline void store_ids(const bp_row_sort *job, size_t row, size_t block, __m256i ids) {
    _mm256_mask_storeu_epi32(job->to[row] + block * BLOCK, mask_of_row(job->counts[row], block), ids);
}
#else
static inline __m256i load_ids(const bp_row_sort *job, size_t row, size_t block) {
    const __m256i held = lanes_of_row(job->counts[row], block);
    const __m256i ids = _mm256_maskload_epi32((const int *)job->from[row] + block * BLOCK, held);
    return _mm256_or_si256(ids, _mm256_xor_si256(held, _mm256_set1_epi32(-1)));
}

static inline void store_ids(const bp_row_sort *job, size_t row, size_t block, __m256i ids) {
    _mm256_maskstore_epi32((int *)job->to[row] + block * BLOCK, lanes_of_row(job->counts[row], block), ids);
}
#endif

static inline void load_block(const bp_row_sort *job, size_t block, __m256i *vectors) {
    const eight rows = {load_ids(job, 0, block), load_ids(job, 1, block), load_ids(job, 2, block),
                        load_ids(job, 3, block), load_ids(job, 4, block), load_ids(job, 5, block),
                        load_ids(job, 6, block), load_ids(job, 7, block)};
    const eight columns = transposed(&rows);
    put_eight(&columns, vectors);
}

static inline void store_block(const bp_row_sort *job, size_t block, const __m256i *vectors) {
    const eight columns = eight_of(vectors), rows = transposed(&columns);
    store_ids(job, 0, block, rows.a), store_ids(job, 1, block, rows.b);
    store_ids(job, 2, block, rows.c), store_ids(job, 3, block, rows.d);
    store_ids(job, 4, block, rows.e), store_ids(job, 5, block, rows.f);
    store_ids(job, 6, block, rows.g), store_ids(job, 7, block, rows.h);
}

static void x86_sort_rows(const bp_row_sort *job) {
    __m256i vectors[BP_SORTED_IDS];
    uint32_t longest = 0;
    for (size_t r = 0; r < BP_SORTED_ROWS; ++r) {
        longest = job->counts[r] > longest ? job->counts[r] : longest;
    }
    const size_t blocks = (longest + BLOCK - 1) / BLOCK;
    for (size_t block = 0; block < blocks; ++block) {
        load_block(job, block, vectors + block * BLOCK);
    }
    sort_blocks(vectors, blocks);
    for (size_t block = 0; block < blocks; ++block) {
        store_block(job, block, vectors + block * BLOCK);
    }
}

#endif
