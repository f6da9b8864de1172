// Eight boxes at a time with AVX2.
#include "kernels/plain.h"

#if defined(__AVX2__) && defined(__x86_64__)
#include "kernels/row_sort_x86.h"
#include "kernels/x86.h"
#include "kernels/x86_bundles.h"
#include "kernels/x86_map.h"
#include "kernels/x86_measure.h"
#include "kernels/x86_strips.h"
#include "kernels/x86_tree.h"

static inline __m256 overlap_on(vec box_min, vec box_max, const float *min, const float *max) {
    const __m256 below = _mm256_cmp_ps(box_min, _mm256_loadu_ps(max), _CMP_LE_OQ);
    const __m256 above = _mm256_cmp_ps(_mm256_loadu_ps(min), box_max, _CMP_LE_OQ);
    return _mm256_and_ps(below, above);
}

#define AXIS_OVERLAP(box, candidates, axis, at)                                                                        \
    overlap_on((box)->min[axis], (box)->max[axis], (candidates)->min[axis] + (at), (candidates)->max[axis] + (at))
#define ALL_OVERLAP(box, candidates, at)                                                                               \
    _mm256_and_ps(_mm256_and_ps(AXIS_OVERLAP(box, candidates, 0, at), AXIS_OVERLAP(box, candidates, 1, at)),           \
                  AXIS_OVERLAP(box, candidates, 2, at))
#define vec_overlap(box, candidates, at) (vec_mask)(unsigned) _mm256_movemask_ps(ALL_OVERLAP(box, candidates, at))
#define vec_overlap_across(box, candidates, at)                                                                        \
    (vec_mask)(unsigned)                                                                                               \
        _mm256_movemask_ps(_mm256_and_ps(AXIS_OVERLAP(box, candidates, 1, at), AXIS_OVERLAP(box, candidates, 2, at)))
#define vec_overlap_apart(box, candidates, at, flags, ids)                                                             \
    (vec_mask)(unsigned) _mm256_movemask_ps(_mm256_and_ps(ALL_OVERLAP(box, candidates, at), without(flags, ids)))

// The lanes whose ids have none of the flags.
static inline __m256 without(vec_ids flags, vec_ids ids) {
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(flags, ids), _mm256_setzero_si256()));
}

// Of each two bytes of bp_lanes, one.
static inline uint32_t *vec_emit_ids(uint32_t *out, vec_mask mask, vec_ids ids) {
    const __m128i evens = _mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, -1, -1, -1, -1, -1, -1, -1, -1);
    const __m128i lanes = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)bp_lanes[mask]), evens);
    vec_ids_store(out, _mm256_permutevar8x32_epi32(ids, _mm256_cvtepu8_epi32(lanes)));
    return out + _mm_popcnt_u64(mask);
}

#include "kernels/overlap_loop.h"

#include "kernels/probe_loop.h"

#include "kernels/record_loop.h"

#include "kernels/tree_loop.h"

#include "kernels/sweep_loop.h"

#include "kernels/strip_loop.h"

#include "kernels/near_loop.h"

const bp_kernels bp_kernels_avx2 = {
    .cell_keys = x86_cell_keys,
    .gather = x86_gather,
    .measure = x86_measure,
    .test_ranges = vec_test_ranges,
    .test_rows = vec_test_rows,
    .test_sweep = vec_test_sweep,
    .extend_bounds = vec_extend_bounds,
    .probe_box = vec_probe_box,
    .probe_lines = vec_probe_lines,
    .part_records = vec_part_records,
    .select_records = vec_select_records,
    .count_sides = vec_count_sides,
    .survey = x86_survey,
    .strip_entries = x86_strip_entries,
    .gather_entries = x86_gather_entries,
    .test_strips = vec_test_strips,
    .cut_boxes = x86_cut_boxes,
    .map_cells = x86_map_cells,
    .list_entries = x86_list_entries,
    .join_cells = x86_join_cells,
    .bundle_bounds = x86_bundle_bounds,
    .fill_blocks = x86_fill_blocks,
    .open_bundles = x86_open_bundles,
    .open_blocks = x86_open_blocks,
    .meet_lanes = x86_meet_lanes,
    .join_block = x86_join_block,
    .tree_keys = plain_tree_keys,
    .tree_fill = x86_tree_fill,
    .tree_lift = plain_tree_lift,
    .tree_open = vec_tree_open,
    .tree_cross = vec_tree_cross,
    .tree_join = vec_tree_join,
    .tree_descend = vec_tree_descend,
    .tree_meet = vec_tree_meet,
    .fill_tube = vec_fill_tube,
    .find_near = vec_find_near,
    .sort_rows = x86_sort_rows,
    .measure_near = x86_measure_near,
};
#endif
