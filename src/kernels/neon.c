// Four boxes at a time with NEON.
#include "kernels/plain.h"

#if defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>

typedef float32x4_t vec;
typedef uint32x4_t vec_ids;

// a < b ? a : b, and a > b ? a : b, as elsewhere: of NaNs the second one.
static inline vec vec_smaller(vec a, vec b) {
    return vbslq_f32(vcltq_f32(a, b), a, b);
}

static inline vec vec_larger(vec a, vec b) {
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}

static inline vec_ids vec_ids_min(vec_ids a, vec_ids b) {
    return vminq_u32(a, b);
}

static inline vec_ids vec_ids_max(vec_ids a, vec_ids b) {
    return vmaxq_u32(a, b);
}

static inline unsigned lane_bits(vec_ids lanes) {
    return vaddvq_u32(lanes & (vec_ids){1, 2, 4, 8});
}

static inline size_t lane_count(unsigned bits) {
    static const uint8_t counts[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    return counts[bits];
}

static inline vec_ids pick_bytes(vec_ids ids, const uint8_t *bytes) {
    return vreinterpretq_u32_u8(vqtbl1q_u8(vreinterpretq_u8_u32(ids), vld1q_u8(bytes)));
}

static inline vec_ids zip_low(vec_ids a, vec_ids b) {
    return vzip1q_u32(a, b);
}

static inline vec_ids zip_high(vec_ids a, vec_ids b) {
    return vzip2q_u32(a, b);
}

#include "kernels/four_lanes.h"

#define KERNELS bp_kernels_neon
#include "kernels/table.h"
#endif
