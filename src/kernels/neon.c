// Four boxes at a time with NEON.
#include "kernels/plain.h"

#if defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>

enum { WIDTH = 4 };

typedef float32x4_t wide;
typedef uint32x4_t wide_ids;
typedef uint32x4_t wide_mask;

static inline wide wide_set(float value) {
    return vdupq_n_f32(value);
}

static inline wide wide_load(const float *from) {
    return vld1q_f32(from);
}

static inline wide wide_subtract(wide a, wide b) {
    return vsubq_f32(a, b);
}

static inline wide wide_multiply(wide a, wide b) {
    return vmulq_f32(a, b);
}

static inline wide wide_smaller(wide a, wide b) {
    return vminq_f32(a, b);
}

static inline wide wide_larger(wide a, wide b) {
    return vmaxq_f32(a, b);
}

static inline wide_mask wide_at_most(wide a, wide b) {
    return vcleq_f32(a, b);
}

static inline wide_ids wide_ids_set(uint32_t id) {
    return vdupq_n_u32(id);
}

static inline wide_ids wide_ids_load(const uint32_t *from) {
    return vld1q_u32(from);
}

static inline wide_ids wide_count_from(uint32_t first) {
    static const uint32_t lane[WIDTH] = {0, 1, 2, 3};
    return vaddq_u32(vdupq_n_u32(first), vld1q_u32(lane));
}

static inline wide_ids wide_ids_min(wide_ids a, wide_ids b) {
    return vminq_u32(a, b);
}

static inline wide_ids wide_ids_max(wide_ids a, wide_ids b) {
    return vmaxq_u32(a, b);
}

static inline wide_mask wide_first(wide_mask mask, size_t count) {
    static const uint32_t lane[WIDTH] = {0, 1, 2, 3};
    return vandq_u32(mask, vcltq_u32(vld1q_u32(lane), vdupq_n_u32(count < WIDTH ? (uint32_t)count : WIDTH)));
}

// Each lane is written; the end advances only past those that are hits.
static inline bp_pair *wide_emit(bp_pair *out, wide_mask mask, wide_ids a, wide_ids b) {
    *out = (bp_pair){.a = vgetq_lane_u32(a, 0), .b = vgetq_lane_u32(b, 0)};
    out += vgetq_lane_u32(mask, 0) & 1;
    *out = (bp_pair){.a = vgetq_lane_u32(a, 1), .b = vgetq_lane_u32(b, 1)};
    out += vgetq_lane_u32(mask, 1) & 1;
    *out = (bp_pair){.a = vgetq_lane_u32(a, 2), .b = vgetq_lane_u32(b, 2)};
    out += vgetq_lane_u32(mask, 2) & 1;
    *out = (bp_pair){.a = vgetq_lane_u32(a, 3), .b = vgetq_lane_u32(b, 3)};
    return out + (vgetq_lane_u32(mask, 3) & 1);
}

static inline uint32x4_t overlap_on(wide box_min, wide box_max, const float *min, const float *max) {
    return vandq_u32(vcleq_f32(box_min, vld1q_f32(max)), vcleq_f32(vld1q_f32(min), box_max));
}

#define AXIS_OVERLAP(box, candidates, axis, at)                                                                        \
    overlap_on((box)->min[axis], (box)->max[axis], (candidates)->min[axis] + (at), (candidates)->max[axis] + (at))
#define wide_overlap(box, candidates, at)                                                                              \
    vandq_u32(vandq_u32(AXIS_OVERLAP(box, candidates, 0, at), AXIS_OVERLAP(box, candidates, 1, at)),                   \
              AXIS_OVERLAP(box, candidates, 2, at))

#include "kernels/overlap_loop.h"

#include "kernels/probe_loop.h"

const bp_kernels bp_kernels_neon = {
    .keys = plain_keys,
    .arrange = plain_arrange,
    .measure = plain_measure,
    .sweep = wide_sweep,
    .sweep_rows = wide_sweep_rows,
    .widen = wide_widen,
    .probe_box = wide_probe_box,
    .probe_line = wide_probe_line,
};
#endif
