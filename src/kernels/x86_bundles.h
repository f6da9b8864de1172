// The kernels of bundles, eight boxes at a time.
#ifndef BP_X86_BUNDLES_H
#define BP_X86_BUNDLES_H

#include "kernels/plain_bundles.h"
#include "kernels/x86_map.h"

// ---- bounds ---------------------------------------------------------------------------------------------------------

// min x, y, z, max x; min z, max x, y, z: what lies in memory, nothing beyond the box.
static inline __m256 load_box(const bp_box *box) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(box->min)), _mm_loadu_ps(box->min + 2), 1);
}

// max - min along the axes, of vectors with negated mins.
static inline __m128 lengths_of(__m256 values) {
    const __m128 high = _mm256_extractf128_ps(values, 1);
    return _mm_add_ps(_mm256_castps256_ps128(values), _mm_shuffle_ps(high, high, 0xf9));
}

// bounds_of_bundle: one box at a time, so that nothing has to be turned.
static inline uint8_t bound_boxes(const bp_box *boxes, size_t count, uint32_t dimensions, bp_box *bounds) {
    const __m256 signs = _mm256_setr_ps(-0.0f, -0.0f, -0.0f, 0.0f, -0.0f, 0.0f, 0.0f, 0.0f); // of mins
    __m256 most = _mm256_set1_ps(-INFINITY), sums = _mm256_setzero_ps();
    for (size_t i = 0; i < count; ++i) {
        const __m256 box = _mm256_xor_ps(load_box(&boxes[i]), signs);
        most = _mm256_max_ps(box, most);
        sums = _mm256_add_ps(sums, box);
    }
    const __m256 result = _mm256_xor_ps(most, signs);
    _mm_storeu_ps(bounds->min, _mm256_castps256_ps128(result));
    _mm_storeu_ps(bounds->min + 2, _mm256_extractf128_ps(result, 1));
    *bounds = bp_box_flatten(*bounds, dimensions);
    const int longer = _mm_movemask_ps(_mm_cmpnle_ps(lengths_of(most), lengths_of(sums)));
    return (longer & (dimensions == 2 ? 3 : 7)) != 0;
}

static void x86_bundle_bounds(const bp_box *boxes, size_t count, uint32_t dimensions, bp_box *bounds, uint8_t *loose) {
    const size_t whole = count / BP_BUNDLE;
    for (size_t k = 0; k < whole; ++k) {
        loose[k] = bound_boxes(boxes + BP_BUNDLE * k, BP_BUNDLE, dimensions, &bounds[k]);
    }
    if (whole * BP_BUNDLE < count) {
        loose[whole] = bound_boxes(boxes + BP_BUNDLE * whole, count - BP_BUNDLE * whole, dimensions, &bounds[whole]);
    }
}

// ---- blocks ---------------------------------------------------------------------------------------------------------

static inline eight_boxes boxes_of_block(const bp_bundle_block *block) {
    eight_boxes boxes;
    for (int axis = 0; axis < 3; ++axis) {
        boxes.min[axis] = _mm256_loadu_ps(block->min[axis]);
        boxes.max[axis] = _mm256_loadu_ps(block->max[axis]);
    }
    return boxes;
}

static inline eight_boxes eight_from(const bp_box *boxes, uint32_t dimensions) {
    const float *rows[8];
    for (size_t k = 0; k < 8; ++k) {
        rows[k] = boxes[k].min;
    }
    eight_boxes result = load_eight(rows);
    if (dimensions == 2) {
        result.min[2] = result.max[2] = _mm256_setzero_ps();
    }
    return result;
}

// Of eight boxes in memory, the first ones.
static inline void fill_eight(const bp_box *boxes, size_t count, uint32_t dimensions, bp_bundle_block *block) {
    const eight_boxes filled = eight_from(boxes, dimensions);
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256 none = _mm256_castsi256_ps(_mm256_cmpgt_epi32(lanes, _mm256_set1_epi32((int)count - 1))); // are NaNs
    for (int axis = 0; axis < 3; ++axis) {
        _mm256_storeu_ps(block->min[axis], _mm256_or_ps(filled.min[axis], none));
        _mm256_storeu_ps(block->max[axis], _mm256_or_ps(filled.max[axis], none));
    }
}

static void x86_fill_blocks(const bp_box *boxes, size_t box_count, const bp_bundle_range *ranges, size_t count,
                            uint32_t dimensions, bp_bundle_block *blocks) {
    for (size_t i = 0; i < count; ++i) {
        const size_t begin = bp_bundle_begin(ranges[i]);
        if (begin + BP_BUNDLE <= box_count) {
            fill_eight(boxes + begin, bp_bundle_count(ranges[i]), dimensions, &blocks[i]);
        } else {
            fill_block(boxes + begin, bp_bundle_count(ranges[i]), dimensions, &blocks[i]);
        }
    }
}

// The lanes of eight boxes that overlap others.
static inline uint32_t lanes_within(const eight_boxes *limits, const eight_boxes *others) {
    const eight_boxes boxes = *others;
#if defined(__AVX512VL__)
    __mmask8 hits = _mm256_cmp_ps_mask(boxes.min[0], limits->max[0], _CMP_LE_OQ);
    hits &= _mm256_mask_cmp_ps_mask(_mm256_cmp_ps_mask(limits->min[0], boxes.max[0], _CMP_LE_OQ), boxes.min[1],
                                    limits->max[1], _CMP_LE_OQ);
    hits &= _mm256_mask_cmp_ps_mask(_mm256_cmp_ps_mask(limits->min[1], boxes.max[1], _CMP_LE_OQ), boxes.min[2],
                                    limits->max[2], _CMP_LE_OQ);
    return hits & _mm256_cmp_ps_mask(limits->min[2], boxes.max[2], _CMP_LE_OQ);
#else
    __m256 hits = either_overlap(boxes.min[0], boxes.max[0], limits->min[0], limits->max[0]);
    hits = _mm256_and_ps(hits, either_overlap(boxes.min[1], boxes.max[1], limits->min[1], limits->max[1]));
    hits = _mm256_and_ps(hits, either_overlap(boxes.min[2], boxes.max[2], limits->min[2], limits->max[2]));
    return (uint32_t)_mm256_movemask_ps(hits);
#endif
}

// The lanes of the mask come to the front. (Compressed in a register: into memory, that takes a hundred cycles on Zen 4.)
static inline __m256i front_lanes(uint32_t mask, __m256i values) {
#if defined(__AVX512VL__)
    return _mm256_maskz_compress_epi32((__mmask8)mask, values);
#else
    return _mm256_permutevar8x32_epi32(values, compressing(mask));
#endif
}

static size_t x86_open_bundles(const bp_bundle_list *bundles, const bp_box *limits, uint32_t dimensions,
                               uint32_t *found) {
    const bp_bundle_list own = *bundles; // what is written cannot have changed it
    const bp_box flat = bp_box_flatten(*limits, dimensions);
    const eight_boxes spread = spread_hull(&flat);
    size_t end = 0;
    for (size_t i = 0; i < own.count; ++i) {
        const bp_bundle_range range = own.ranges[own.ids[i]];
        const uint32_t begin = bp_bundle_begin(range);
        if (begin + BP_BUNDLE > own.box_count) {
            end += open_range(own.boxes, range, limits, dimensions, found + end);
            continue;
        }
        const eight_boxes boxes = eight_from(own.boxes + begin, dimensions);
        const uint32_t mask = _bzhi_u32(lanes_within(&spread, &boxes), bp_bundle_count(range));
        _mm256_storeu_si256((__m256i *)(found + end), front_lanes(mask, vec_count_from(begin)));
        end += (size_t)_mm_popcnt_u32(mask);
    }
    return end;
}

static size_t x86_open_blocks(const bp_bundle_block *blocks, const uint32_t *opened, size_t count, const bp_box *limits,
                              uint32_t *found) {
    const eight_boxes own = spread_hull(limits);
    size_t end = 0;
    for (size_t i = 0; i < count; ++i) {
        const eight_boxes boxes = boxes_of_block(&blocks[opened[i]]);
        const uint32_t mask = lanes_within(&own, &boxes);
        _mm256_storeu_si256((__m256i *)(found + end), front_lanes(mask, vec_count_from(opened[i] * BP_BUNDLE)));
        end += (size_t)_mm_popcnt_u32(mask);
    }
    return end;
}

static void x86_meet_lanes(const bp_bundle_block *block, const bp_box *boxes, const uint32_t *ids, size_t count,
                           uint8_t *lanes) {
    const eight_boxes own = boxes_of_block(block);
    for (size_t i = 0; i < count; ++i) {
        const eight_boxes box = spread_hull(&boxes[ids[i]]);
        lanes[i] = (uint8_t)lanes_within(&box, &own);
    }
}

// ---- joins ----------------------------------------------------------------------------------------------------------

// Pairs of one id and eight others. All are written, whether there are so many or not: a surface has 0 to 8.
static inline void put_pairs(bp_pair *out, __m256i id, __m256i others) {
    const __m256i low = _mm256_unpacklo_epi32(id, others), high = _mm256_unpackhi_epi32(id, others);
    _mm256_storeu_si256((__m256i *)out, _mm256_permute2x128_si256(low, high, 0x20));
    _mm256_storeu_si256((__m256i *)(out + 4), _mm256_permute2x128_si256(low, high, 0x31));
}

// The lanes whose ids are larger. (No box has an id of 2^31.)
static inline uint32_t larger_lanes(__m256i ids, __m256i id) {
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(ids, id)));
}

static inline size_t join_boxes(const bp_block_join *join, uint32_t dimensions, bool is_one_set, bp_pair *out) {
    const bp_block_join own = *join; // what is written cannot have changed it
    const eight_boxes b_boxes = boxes_of_block(own.b_block);
    const __m256i ids = vec_count_from(own.b_begin);
    bp_pair *const first = out;
    for (size_t i = 0; i < own.a_count; ++i) {
        const bp_box *a_box = &own.a_boxes[own.a_ids[i]];
        eight_boxes box = {.min = {_mm256_setzero_ps()}};
        for (uint32_t axis = 0; axis < dimensions; ++axis) {
            box.min[axis] = _mm256_broadcast_ss(&a_box->min[axis]);
            box.max[axis] = _mm256_broadcast_ss(&a_box->max[axis]);
        }
        const __m256i id = _mm256_set1_epi32((int)own.a_ids[i]);
        const uint32_t mask = lanes_within(&box, &b_boxes) & (is_one_set ? larger_lanes(ids, id) : UINT32_MAX);
        put_pairs(out, id, front_lanes(mask, ids));
        out += _mm_popcnt_u32(mask);
    }
    return (size_t)(out - first);
}

static size_t x86_join_block(const bp_block_join *join, bp_pair *out) {
    if (join->is_one_set) {
        return join->dimensions == 2 ? join_boxes(join, 2, true, out) : join_boxes(join, 3, true, out);
    }
    return join->dimensions == 2 ? join_boxes(join, 2, false, out) : join_boxes(join, 3, false, out);
}

#endif
