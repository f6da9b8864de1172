// Sort and sweep: boxes in columns, sorted in every step by where they begin along one axis, in five buckets.
//
//     across the axis                  columns    | bucket 0 |NaN| bucket 1 |NaN| ... | bucket 4 |NaN|
//        +-------+-------+
//        |   2   |   3   |             a bucket   | a | b | c | d | e | ...      ascending by min along the axis
//        |    +--+--+    |                          \---------> a is tested against those that begin before it ends,
//        +----|  4  |----+                                      eight at a time, up to the NaNs behind the last one
//        |    +--+--+    |
//        |   0   |   1   |             Boxes of different quarters cannot meet. Those that touch a plane between
//        +-------+-------+             quarters are in the fifth bucket, which is also swept against the four others.
//
// Source: P. Terdiman's articles on box pruning: a radix sort, a sentinel behind the last box, buckets across the axis,
// vectors in the inner loop, and hits written without a branch.
#ifndef BP_SWEEP_AXIS_H
#define BP_SWEEP_AXIS_H

#include "base/boxes.h"
#include "engine/setup.h"
#include "kernels/range_tester.h"

enum {
    SWEEP_BUCKETS = 5,
    SWEEP_QUARTERS = 4 // the buckets before the last one
};

typedef struct sweep_axis {
    const bp_method_setup *setup;
    bp_columns columns;
    size_t count; // boxes, without holes
    int axis;
    float planes[2]; // between quarters, along the other axes
    size_t begin[SWEEP_BUCKETS], end[SWEEP_BUCKETS];
    bp_buffer columns_buffer, keys_buffer;
    bp_block_sinks sinks;
} sweep_axis;

void bp_sweep_axis_free(sweep_axis *sweep);
size_t bp_sweep_axis_bytes(const sweep_axis *sweep);

// The axis along which the centres of the boxes have the largest variance, as far as a sample tells.
int bp_sweep_axis_choose(const bp_box *boxes, size_t count, uint32_t dimensions);

// Sorts boxes along an axis; into the quarters of `like`, or into those of their own if it is NULL.
bp_status bp_sweep_axis_build(sweep_axis *sweep, const bp_box *boxes, size_t count, int axis, const sweep_axis *like);

// The pairs of a set; or, if `other` is not NULL, which is sorted along the same axis into the same quarters, those of the
// two sets, as (id in the first, id in the other).
bp_status bp_sweep_axis_find(sweep_axis *sweep, const sweep_axis *other, bp_sink *sink);
bp_status bp_sweep_axis_validate(const sweep_axis *sweep, const bp_box *boxes, size_t count);

// A float as an unsigned number of the same order; -0 and 0 are the same.
static inline uint32_t sweep_order_of(float value) {
    const union {
        float value;
        uint32_t bits;
    } u = {.value = value + 0.0f};
    return (u.bits & 0x80000000u) != 0 ? ~u.bits : u.bits | 0x80000000u;
}

#endif
