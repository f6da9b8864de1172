// The tree, eight boxes at a time: filling leaves, choosing a place.
#ifndef BP_X86_TREE_H
#define BP_X86_TREE_H

#include "kernels/compare_loop.h"
#include "kernels/plain_tree.h"
#include "kernels/x86.h"

enum { TREE_AHEAD = 4 * BP_TREE_WIDTH }; // slots whose boxes are fetched early

static void x86_tree_fill(const bp_box *boxes, const uint32_t *ids, size_t begin, size_t end, uint32_t dimensions,
                          bp_tree_node *leaves, bp_tree_node *above) {
    const __m256 signs = _mm256_setr_ps(-0.0f, -0.0f, -0.0f, 0.0f, -0.0f, 0.0f, 0.0f, 0.0f); // of mins
    const __m256 flat = _mm256_castsi256_ps(_mm256_set1_epi32(dimensions == 2 ? 0 : -1));
    static const bp_box hole = {{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    for (size_t i = begin; i < end; ++i) {
        const uint32_t *leaf_ids = ids + i * BP_TREE_WIDTH;
        bp_tree_node *leaf = &leaves[i];
        const float *rows[8];
        __m256 most = _mm256_set1_ps(-INFINITY);
        for (size_t lane = 0; lane < 8; ++lane) {
            const uint32_t id = leaf_ids[lane];
            rows[lane] = id != BP_TREE_NONE ? boxes[id].min : hole.min;
            // min x, y, z, max x; min z, max x, y, z
            const __m256 values =
                _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(rows[lane])), _mm_loadu_ps(rows[lane] + 2), 1);
            most = _mm256_max_ps(_mm256_xor_ps(values, signs), most); // in this order NaNs are left out
        }
        if ((i + 1) * BP_TREE_WIDTH + TREE_AHEAD <= end * BP_TREE_WIDTH) {
            for (size_t lane = 0; lane < 8; ++lane) {
                const uint32_t id = leaf_ids[TREE_AHEAD + lane];
                _mm_prefetch((const char *)(boxes + (id != BP_TREE_NONE ? id : 0)), _MM_HINT_T0);
            }
        }
        __m256 low[4], high[4];
        transpose(rows, 0, low);
        transpose(rows, 2, high);
        _mm256_store_ps(leaf->min[0], low[0]);
        _mm256_store_ps(leaf->min[1], low[1]);
        // A hole stays one: x is a NaN.
        const __m256 z_min = _mm256_and_ps(low[2], flat), z_max = _mm256_and_ps(high[3], flat);
        _mm256_store_ps(leaf->min[2], z_min);
        _mm256_store_ps(leaf->max[0], low[3]);
        _mm256_store_ps(leaf->max[1], high[2]);
        _mm256_store_ps(leaf->max[2], z_max);
        if (above != NULL) {
            float values[8];
            _mm256_storeu_ps(values, _mm256_xor_ps(most, signs));
            const float z = dimensions == 2 ? 0.0f : 1.0f;
            const bp_box bounds = {{values[0], values[1], z != 0.0f ? values[2] : 0.0f},
                                   {values[3], values[6], z != 0.0f ? values[7] : 0.0f}};
            tree_put_bounds(&bounds, &above[i / BP_TREE_WIDTH], i % BP_TREE_WIDTH);
        }
    }
}

// ---- choosing a place -----------------------------------------------------------------------------------------------

// As bp_tree_surfaces; in this order NaNs are left out.
static inline __m256 x86_surfaces(const __m256 edges[3], __m256 span) {
    __m256 cut[3];
    for (int axis = 0; axis < 3; ++axis) {
        cut[axis] = _mm256_min_ps(_mm256_max_ps(edges[axis], _mm256_setzero_ps()), span);
    }
    return _mm256_add_ps(_mm256_mul_ps(cut[0], cut[1]), _mm256_mul_ps(cut[2], _mm256_add_ps(cut[0], cut[1])));
}

static uint32_t x86_tree_choose(const bp_tree_node *node, uint32_t full, const bp_box *box, float span) {
    const __m256 infinity = _mm256_set1_ps(INFINITY);
    const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    __m256 before[3], after[3];
    for (int axis = 0; axis < 3; ++axis) {
        const __m256 min = _mm256_loadu_ps(node->min[axis]), max = _mm256_loadu_ps(node->max[axis]);
        before[axis] = _mm256_sub_ps(max, min);
        after[axis] = _mm256_sub_ps(_mm256_max_ps(max, _mm256_set1_ps(box->max[axis])),
                                    _mm256_min_ps(min, _mm256_set1_ps(box->min[axis])));
    }
    const __m256 large = x86_surfaces(after, _mm256_set1_ps(span));
    const __m256 growth = _mm256_sub_ps(large, x86_surfaces(before, _mm256_set1_ps(span)));
    const __m256 cost = _mm256_add_ps(growth, _mm256_mul_ps(_mm256_set1_ps(0x1p-6f), large));
    const __m256i is_free =
        _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)full), bits), _mm256_setzero_si256());
    const __m256 costs = _mm256_blendv_ps(infinity, _mm256_min_ps(cost, infinity), _mm256_castsi256_ps(is_free));
    __m256 least = _mm256_min_ps(costs, _mm256_permute2f128_ps(costs, costs, 1));
    least = _mm256_min_ps(least, _mm256_permute_ps(least, 0x4e));
    least = _mm256_min_ps(least, _mm256_permute_ps(least, 0xb1));
    const __m256 is_least = _mm256_and_ps(_mm256_cmp_ps(costs, least, _CMP_EQ_OQ), _mm256_castsi256_ps(is_free));
    return first_lane((uint32_t)_mm256_movemask_ps(is_least));
}

#endif
