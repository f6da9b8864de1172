// Four boxes at a time with the 128-bit vectors of WebAssembly.
#include "kernels/plain.h"
#include "kernels/plain_bundles.h"
#include "kernels/plain_map.h"

#if defined(__wasm_simd128__)
#include "kernels/plain_strips.h"

#include <wasm_simd128.h>

enum { WIDTH = 4 };

typedef v128_t vec;
typedef v128_t vec_ids;
typedef v128_t vec_mask;

static inline vec vec_set(float value) {
    return wasm_f32x4_splat(value);
}

static inline vec vec_load(const float *from) {
    return wasm_v128_load(from);
}

static inline void vec_store(float *to, vec values) {
    wasm_v128_store(to, values);
}

static inline vec vec_add(vec a, vec b) {
    return wasm_f32x4_add(a, b);
}

static inline vec vec_subtract(vec a, vec b) {
    return wasm_f32x4_sub(a, b);
}

static inline vec vec_multiply(vec a, vec b) {
    return wasm_f32x4_mul(a, b);
}

// a < b ? a : b, and a > b ? a : b: one instruction on x86, where min and max, which have rules for NaNs, are many.
static inline vec vec_smaller(vec a, vec b) {
    return wasm_f32x4_pmin(b, a);
}

static inline vec vec_larger(vec a, vec b) {
    return wasm_f32x4_pmax(b, a);
}

static inline vec_mask vec_at_most(vec a, vec b) {
    return wasm_f32x4_le(a, b);
}

static inline vec vec_keep_at_most(vec a, vec b) {
    return wasm_v128_and(a, wasm_f32x4_le(a, b));
}

static inline vec_ids vec_ids_set(uint32_t id) {
    return wasm_i32x4_splat((int32_t)id);
}

static inline vec_ids vec_ids_load(const uint32_t *from) {
    return wasm_v128_load(from);
}

static inline void vec_ids_store(uint32_t *to, vec_ids ids) {
    wasm_v128_store(to, ids);
}

static inline vec_mask vec_ids_other(vec_ids ids, vec_ids id) {
    return wasm_i32x4_ne(ids, id);
}

static inline vec_mask vec_ids_above(vec_ids ids, vec_ids id) {
    return wasm_u32x4_gt(ids, id);
}

static inline vec_ids vec_count_from(uint32_t first) {
    return wasm_i32x4_add(vec_ids_set(first), wasm_i32x4_const(0, 1, 2, 3));
}

static inline vec_ids vec_ids_min(vec_ids a, vec_ids b) {
    return wasm_u32x4_min(a, b);
}

static inline vec_ids vec_ids_max(vec_ids a, vec_ids b) {
    return wasm_u32x4_max(a, b);
}

static inline vec_mask vec_both(vec_mask a, vec_mask b) {
    return wasm_v128_and(a, b);
}

static inline bool vec_is_full(vec_mask mask) {
    return wasm_i32x4_all_true(mask);
}

// The lanes below `count`, out of a table: which lanes count is data, so that no branch depends on it.
static inline vec_mask vec_first(vec_mask mask, size_t count) {
    static const uint32_t lanes[2 * WIDTH] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    return wasm_v128_and(mask, wasm_v128_load(lanes + (WIDTH - (count < WIDTH ? count : WIDTH))));
}

static inline size_t vec_lanes(vec_mask mask) {
    return (size_t)__builtin_popcount((unsigned)wasm_i32x4_bitmask(mask));
}

// Each pair is written where it belongs if it is a hit; if not, the next one is written there too.
static inline bp_pair *vec_emit(bp_pair *out, vec_mask mask, vec_ids a, vec_ids b) {
    const v128_t low = wasm_i32x4_shuffle(a, b, 0, 4, 1, 5), high = wasm_i32x4_shuffle(a, b, 2, 6, 3, 7);
    const unsigned hits = (unsigned)wasm_i32x4_bitmask(mask);
    wasm_v128_store64_lane(out, low, 0);
    wasm_v128_store64_lane(out + (hits & 1), low, 1);
    out += __builtin_popcount(hits & 3);
    wasm_v128_store64_lane(out, high, 0);
    wasm_v128_store64_lane(out + (hits >> 2 & 1), high, 1);
    return out + __builtin_popcount(hits >> 2);
}

static inline uint32_t *vec_emit_ids(uint32_t *out, vec_mask mask, vec_ids ids) {
    const unsigned hits = (unsigned)wasm_i32x4_bitmask(mask);
    wasm_v128_store32_lane(out, ids, 0);
    wasm_v128_store32_lane(out + (hits & 1), ids, 1);
    out += __builtin_popcount(hits & 3);
    wasm_v128_store32_lane(out, ids, 2);
    wasm_v128_store32_lane(out + (hits >> 2 & 1), ids, 3);
    return out + __builtin_popcount(hits >> 2);
}

typedef struct rec {
    v128_t half[2];
} rec;

static inline rec rec_load(const bp_record *from) {
    const float *values = (const float *)(const void *)from;
    return (rec){{wasm_v128_load(values), wasm_v128_load(values + 4)}};
}

static inline void rec_store(bp_record *to, rec record) {
    float *values = (float *)(void *)to;
    wasm_v128_store(values, record.half[0]);
    wasm_v128_store(values + 4, record.half[1]);
}

static inline rec rec_smaller(rec a, rec b) {
    return (rec){{vec_smaller(a.half[0], b.half[0]), vec_smaller(a.half[1], b.half[1])}};
}

static inline rec rec_larger(rec a, rec b) {
    return (rec){{vec_larger(a.half[0], b.half[0]), vec_larger(a.half[1], b.half[1])}};
}

static inline size_t rec_at_most(rec a, rec b) {
    const v128_t both = wasm_v128_and(wasm_f32x4_le(a.half[0], b.half[0]), wasm_f32x4_le(a.half[1], b.half[1]));
    return (wasm_i32x4_bitmask(both) & 7) == 7;
}

static inline vec_mask overlap_on(vec box_min, vec box_max, const float *min, const float *max) {
    return wasm_v128_and(wasm_f32x4_le(box_min, wasm_v128_load(max)), wasm_f32x4_le(wasm_v128_load(min), box_max));
}

#define AXIS_OVERLAP(box, candidates, axis, at)                                                                        \
    overlap_on((box)->min[axis], (box)->max[axis], (candidates)->min[axis] + (at), (candidates)->max[axis] + (at))
#define vec_overlap(box, candidates, at)                                                                               \
    wasm_v128_and(wasm_v128_and(AXIS_OVERLAP(box, candidates, 0, at), AXIS_OVERLAP(box, candidates, 1, at)),           \
                  AXIS_OVERLAP(box, candidates, 2, at))
#define vec_overlap_across(box, candidates, at)                                                                        \
    wasm_v128_and(AXIS_OVERLAP(box, candidates, 1, at), AXIS_OVERLAP(box, candidates, 2, at))
#define vec_overlap_apart(box, candidates, at, flags, ids)                                                             \
    wasm_v128_and(vec_overlap(box, candidates, at),                                                                    \
                  wasm_i32x4_eq(wasm_v128_and(flags, ids), wasm_i32x4_const(0, 0, 0, 0)))

#include "kernels/overlap_loop.h"

#include "kernels/probe_loop.h"

#include "kernels/record_loop.h"

#include "kernels/sweep_loop.h"

#include "kernels/strip_loop.h"

#include "kernels/near_loop.h"

const bp_kernels bp_kernels_wasm = {
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
    .join_block = plain_join_block,
    .fill_tube = vec_fill_tube,
    .find_near = vec_find_near,
    .sort_rows = plain_sort_rows,
};
#endif
