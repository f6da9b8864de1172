// Vectors of four lanes, which NEON and WebAssembly share: the operators of the compiler, over what each names in its own way.
// The including file defines
//   vec, vec_ids                          vectors of four floats, and of four ids
//   vec_smaller, vec_larger, vec_ids_min, vec_ids_max
//   lane_bits(lanes)                      a bit for each lane, all of whose bits are set or none
//   lane_count(bits)                      how many bits are set
//   pick_bytes(ids, bytes)                the bytes with these numbers
//   zip_low(a, b), zip_high(a, b)         the lower and the upper lanes of both in turns

enum { WIDTH = 4 };

typedef unsigned vec_mask; // a bit for each lane

#include "kernels/operators.h"

static inline vec vec_set(float value) {
    return (vec){value, value, value, value};
}

static inline vec_mask vec_at_most(vec a, vec b) {
    return lane_bits((vec_ids)(a <= b));
}

static inline vec vec_keep_at_most(vec a, vec b) {
    return (vec)((vec_ids)a & (vec_ids)(a <= b));
}

// The smallest a, of those that are at most b; infinity if there is none.
static inline float vec_least_at_most(vec a, vec b) {
    const vec_ids counts = (vec_ids)(a <= b);
    const vec those = (vec)(((vec_ids)a & counts) | ((vec_ids)vec_set(INFINITY) & ~counts));
    return bp_smaller(bp_smaller(those[0], those[1]), bp_smaller(those[2], those[3]));
}

static inline vec_ids vec_ids_set(uint32_t id) {
    return (vec_ids){id, id, id, id};
}

static inline vec_ids vec_ids_add(vec_ids a, vec_ids b) {
    return a + b;
}

static inline vec_mask vec_ids_other(vec_ids ids, vec_ids id) {
    return lane_bits((vec_ids)(ids != id));
}

static inline vec_mask vec_ids_above(vec_ids ids, vec_ids id) {
    return lane_bits((vec_ids)(ids > id));
}

static inline vec_ids vec_count_from(uint32_t first) {
    return vec_ids_set(first) + (vec_ids){0, 1, 2, 3};
}

static inline bool vec_is_full(vec_mask mask) {
    return mask == (1u << WIDTH) - 1;
}

// The lanes below `count`, out of a table: which lanes count is data, so that no branch depends on it.
static inline vec_mask vec_first(vec_mask mask, size_t count) {
    static const uint8_t lanes[WIDTH + 1] = {0, 1, 3, 7, 15};
    return mask & lanes[count < WIDTH ? count : WIDTH];
}

static inline size_t vec_lanes(vec_mask mask) {
    return lane_count(mask);
}

// For each set of lanes: the bytes of its members, in ascending order. What follows them is not used.
#define LANE(k) 4 * (k), 4 * (k) + 1, 4 * (k) + 2, 4 * (k) + 3
static const uint8_t lane_bytes[1 << WIDTH][16] = {
    {0},
    {LANE(0)},
    {LANE(1)},
    {LANE(0), LANE(1)},
    {LANE(2)},
    {LANE(0), LANE(2)},
    {LANE(1), LANE(2)},
    {LANE(0), LANE(1), LANE(2)},
    {LANE(3)},
    {LANE(0), LANE(3)},
    {LANE(1), LANE(3)},
    {LANE(0), LANE(1), LANE(3)},
    {LANE(2), LANE(3)},
    {LANE(0), LANE(2), LANE(3)},
    {LANE(1), LANE(2), LANE(3)},
    {LANE(0), LANE(1), LANE(2), LANE(3)},
};

static inline uint32_t *vec_emit_ids(uint32_t *out, vec_mask mask, vec_ids ids) {
    vec_ids_store(out, pick_bytes(ids, lane_bytes[mask]));
    return out + lane_count(mask);
}

static inline bp_pair *vec_emit(bp_pair *out, vec_mask mask, vec_ids a, vec_ids b) {
    const vec_ids first = pick_bytes(a, lane_bytes[mask]), second = pick_bytes(b, lane_bytes[mask]);
    const vec_ids front = zip_low(first, second), back = zip_high(first, second);
    memcpy(out, &front, sizeof front);
    memcpy(out + 2, &back, sizeof back);
    return out + lane_count(mask);
}

typedef struct rec {
    vec half[2];
} rec;

static inline rec rec_load(const bp_record *from) {
    rec record;
    memcpy(&record, from, sizeof record);
    return record;
}

static inline void rec_store(bp_record *to, rec record) {
    memcpy(to, &record, sizeof record);
}

static inline rec rec_smaller(rec a, rec b) {
    return (rec){{vec_smaller(a.half[0], b.half[0]), vec_smaller(a.half[1], b.half[1])}};
}

static inline rec rec_larger(rec a, rec b) {
    return (rec){{vec_larger(a.half[0], b.half[0]), vec_larger(a.half[1], b.half[1])}};
}

static inline size_t rec_at_most(rec a, rec b) {
    return (lane_bits((vec_ids)((a.half[0] <= b.half[0]) & (a.half[1] <= b.half[1]))) & 7) == 7;
}

static inline vec_ids overlap_on(vec box_min, vec box_max, const float *min, const float *max) {
    return (vec_ids)((box_min <= vec_load(max)) & (vec_load(min) <= box_max));
}

#define AXIS_OVERLAP(box, candidates, axis, at)                                                                        \
    overlap_on((box)->min[axis], (box)->max[axis], (candidates)->min[axis] + (at), (candidates)->max[axis] + (at))
#define OVERLAP_ACROSS(box, candidates, at)                                                                            \
    (AXIS_OVERLAP(box, candidates, 1, at) & AXIS_OVERLAP(box, candidates, 2, at))
#define OVERLAP(box, candidates, at) (AXIS_OVERLAP(box, candidates, 0, at) & OVERLAP_ACROSS(box, candidates, at))
#define vec_overlap(box, candidates, at) lane_bits(OVERLAP(box, candidates, at))
#define vec_overlap_across(box, candidates, at) lane_bits(OVERLAP_ACROSS(box, candidates, at))
#define vec_overlap_apart(box, candidates, at, flags, ids)                                                             \
    lane_bits(OVERLAP(box, candidates, at) & (vec_ids)(((flags) & (ids)) == 0))
