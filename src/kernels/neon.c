// Four boxes at a time with NEON.
#include "kernels/plain.h"
#include "kernels/plain_bundles.h"
#include "kernels/plain_map.h"

#if defined(__ARM_NEON) && defined(__aarch64__)
#include "kernels/plain_strips.h"
#include "kernels/plain_tree.h"

#include <arm_neon.h>

enum { WIDTH = 4 };

typedef float32x4_t vec;
typedef uint32x4_t vec_ids;
typedef uint32x4_t vec_mask;

static inline vec vec_set(float value) {
    return vdupq_n_f32(value);
}

static inline vec vec_load(const float *from) {
    return vld1q_f32(from);
}

static inline void vec_store(float *to, vec values) {
    vst1q_f32(to, values);
}

static inline vec vec_add(vec a, vec b) {
    return vaddq_f32(a, b);
}

static inline vec vec_subtract(vec a, vec b) {
    return vsubq_f32(a, b);
}

static inline vec vec_multiply(vec a, vec b) {
    return vmulq_f32(a, b);
}

static inline vec vec_smaller(vec a, vec b) {
    return vminq_f32(a, b);
}

static inline vec vec_larger(vec a, vec b) {
    return vmaxq_f32(a, b);
}

static inline vec_mask vec_at_most(vec a, vec b) {
    return vcleq_f32(a, b);
}

static inline vec vec_keep_at_most(vec a, vec b) {
    return vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(a), vcleq_f32(a, b)));
}

static inline vec_ids vec_ids_set(uint32_t id) {
    return vdupq_n_u32(id);
}

static inline vec_ids vec_ids_load(const uint32_t *from) {
    return vld1q_u32(from);
}

static inline void vec_ids_store(uint32_t *to, vec_ids ids) {
    vst1q_u32(to, ids);
}

static inline vec_ids vec_ids_add(vec_ids a, vec_ids b) {
    return vaddq_u32(a, b);
}

static inline vec_mask vec_ids_other(vec_ids ids, vec_ids id) {
    return vmvnq_u32(vceqq_u32(ids, id));
}

static inline vec_mask vec_ids_above(vec_ids ids, vec_ids id) {
    return vcgtq_u32(ids, id);
}

static inline vec_ids vec_count_from(uint32_t first) {
    static const uint32_t lane[WIDTH] = {0, 1, 2, 3};
    return vaddq_u32(vdupq_n_u32(first), vld1q_u32(lane));
}

static inline vec_ids vec_ids_min(vec_ids a, vec_ids b) {
    return vminq_u32(a, b);
}

static inline vec_ids vec_ids_max(vec_ids a, vec_ids b) {
    return vmaxq_u32(a, b);
}

static inline vec_mask vec_both(vec_mask a, vec_mask b) {
    return vandq_u32(a, b);
}

static inline bool vec_is_full(vec_mask mask) {
    return vminvq_u32(mask) != 0;
}

static inline vec_mask vec_first(vec_mask mask, size_t count) {
    static const uint32_t lane[WIDTH] = {0, 1, 2, 3};
    return vandq_u32(mask, vcltq_u32(vld1q_u32(lane), vdupq_n_u32(count < WIDTH ? (uint32_t)count : WIDTH)));
}

// Each lane is written; the end advances only past those that are hits.
static inline bp_pair *vec_emit(bp_pair *out, vec_mask mask, vec_ids a, vec_ids b) {
    *out = (bp_pair){.a = vgetq_lane_u32(a, 0), .b = vgetq_lane_u32(b, 0)};
    out += vgetq_lane_u32(mask, 0) & 1;
    *out = (bp_pair){.a = vgetq_lane_u32(a, 1), .b = vgetq_lane_u32(b, 1)};
    out += vgetq_lane_u32(mask, 1) & 1;
    *out = (bp_pair){.a = vgetq_lane_u32(a, 2), .b = vgetq_lane_u32(b, 2)};
    out += vgetq_lane_u32(mask, 2) & 1;
    *out = (bp_pair){.a = vgetq_lane_u32(a, 3), .b = vgetq_lane_u32(b, 3)};
    return out + (vgetq_lane_u32(mask, 3) & 1);
}

static inline uint32_t *vec_emit_ids(uint32_t *out, vec_mask mask, vec_ids ids) {
    *out = vgetq_lane_u32(ids, 0);
    out += vgetq_lane_u32(mask, 0) & 1;
    *out = vgetq_lane_u32(ids, 1);
    out += vgetq_lane_u32(mask, 1) & 1;
    *out = vgetq_lane_u32(ids, 2);
    out += vgetq_lane_u32(mask, 2) & 1;
    *out = vgetq_lane_u32(ids, 3);
    return out + (vgetq_lane_u32(mask, 3) & 1);
}

static inline size_t vec_lanes(vec_mask mask) {
    return vaddvq_u32(vshrq_n_u32(mask, 31));
}

typedef struct rec {
    float32x4_t half[2];
} rec;

static inline rec rec_load(const bp_record *from) {
    const float *values = (const float *)(const void *)from;
    return (rec){{vld1q_f32(values), vld1q_f32(values + 4)}};
}

static inline void rec_store(bp_record *to, rec record) {
    float *values = (float *)(void *)to;
    vst1q_f32(values, record.half[0]);
    vst1q_f32(values + 4, record.half[1]);
}

static inline rec rec_smaller(rec a, rec b) {
    return (rec){{vminq_f32(a.half[0], b.half[0]), vminq_f32(a.half[1], b.half[1])}};
}

static inline rec rec_larger(rec a, rec b) {
    return (rec){{vmaxq_f32(a.half[0], b.half[0]), vmaxq_f32(a.half[1], b.half[1])}};
}

static inline size_t rec_at_most(rec a, rec b) {
    const uint32x4_t both = vandq_u32(vcleq_f32(a.half[0], b.half[0]), vcleq_f32(a.half[1], b.half[1]));
    return vminvq_u32(vsetq_lane_u32(UINT32_MAX, both, 3)) != 0;
}

static inline uint32x4_t overlap_on(vec box_min, vec box_max, const float *min, const float *max) {
    return vandq_u32(vcleq_f32(box_min, vld1q_f32(max)), vcleq_f32(vld1q_f32(min), box_max));
}

#define AXIS_OVERLAP(box, candidates, axis, at)                                                                        \
    overlap_on((box)->min[axis], (box)->max[axis], (candidates)->min[axis] + (at), (candidates)->max[axis] + (at))
#define vec_overlap(box, candidates, at)                                                                               \
    vandq_u32(vandq_u32(AXIS_OVERLAP(box, candidates, 0, at), AXIS_OVERLAP(box, candidates, 1, at)),                   \
              AXIS_OVERLAP(box, candidates, 2, at))
#define vec_overlap_across(box, candidates, at)                                                                        \
    vandq_u32(AXIS_OVERLAP(box, candidates, 1, at), AXIS_OVERLAP(box, candidates, 2, at))
#define vec_overlap_apart(box, candidates, at, flags, ids)                                                             \
    vbicq_u32(vec_overlap(box, candidates, at), vtstq_u32(flags, ids))

#include "kernels/overlap_loop.h"

#include "kernels/probe_loop.h"

#include "kernels/record_loop.h"

#include "kernels/tree_loop.h"

#include "kernels/sweep_loop.h"

#include "kernels/strip_loop.h"

#include "kernels/near_loop.h"

const bp_kernels bp_kernels_neon = {
    .cell_keys = plain_cell_keys,
    .gather = plain_gather,
    .measure = plain_measure,
    .test_ranges = vec_test_ranges,
    .test_rows = vec_test_rows,
    .test_sweep = vec_test_sweep,
    .extend_bounds = vec_extend_bounds,
    .probe_box = vec_probe_box,
    .probe_lines = vec_probe_lines,
    .part_records = vec_part_records,
    .select_records = vec_select_records,
    .count_sides = vec_count_sides,
    .survey = plain_survey,
    .strip_entries = plain_strip_entries,
    .gather_entries = plain_gather_entries,
    .test_strips = vec_test_strips,
    .cut_boxes = plain_cut_boxes,
    .map_cells = plain_map_cells,
    .list_entries = plain_list_entries,
    .join_cells = plain_join_cells,
    .bundle_bounds = plain_bundle_bounds,
    .fill_blocks = plain_fill_blocks,
    .open_bundles = plain_open_bundles,
    .open_blocks = plain_open_blocks,
    .meet_lanes = plain_meet_lanes,
    .join_block = plain_join_block,
    .tree_keys = plain_tree_keys,
    .tree_fill = plain_tree_fill,
    .tree_lift = plain_tree_lift,
    .tree_open = vec_tree_open,
    .tree_cross = vec_tree_cross,
    .tree_join = vec_tree_join,
    .tree_descend = vec_tree_descend,
    .tree_meet = vec_tree_meet,
    .fill_tube = vec_fill_tube,
    .find_near = vec_find_near,
    .sort_rows = plain_sort_rows,
    .measure_near = plain_measure_near,
};
#endif
