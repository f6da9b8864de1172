// The kernels in plain C. Each instruction set's file includes this and replaces the kernels that it has faster ones
// for.
#ifndef BP_PLAIN_H
#define BP_PLAIN_H

#include "base/boxes.h"
#include "kernels/kernels.h"

static inline size_t plain_cell_keys(const bp_level *level, uint32_t dimensions, const bp_box *boxes, size_t count,
                                     uint32_t *keys, float reach[3]) {
    size_t fitting = 0;
    for (size_t i = 0; i < count; ++i) {
        const bp_box box = bp_box_flatten(boxes[i], dimensions);
        float extent[3];
        bool fits = true;
        for (int axis = 0; axis < 3; ++axis) {
            extent[axis] = bp_fit_extent(box.min[axis], box.max[axis]);
            fits &= extent[axis] < level->fit[axis];
        }
        for (int axis = 0; axis < 3; ++axis) {
            reach[axis] = fits && extent[axis] > reach[axis] ? extent[axis] : reach[axis];
        }
        keys[i] = fits ? bp_key_of_box(level, box.min) : BP_KEY_ELSEWHERE;
        fitting += fits;
    }
    return fitting;
}

static inline void plain_gather(const bp_columns *columns, size_t begin, size_t end, const bp_box *boxes) {
    for (size_t i = begin; i < end; ++i) {
        bp_columns_put_box(columns, i, &boxes[columns->id[i]]);
    }
}

// Boxes on their own level are never beyond 2^26 cells: no clamping.
static inline int32_t cell_on_level(float coordinate, double inverse) {
    return (int32_t)bp_floor((double)coordinate * inverse);
}

static inline void plain_measure(const bp_columns *columns, size_t position, size_t count, const bp_level *level,
                                 bp_measures *measures) {
    const int32_t cells = (int32_t)(1u << level->bits[0]);
    for (size_t i = 0; i < count; ++i) {
        const size_t p = position + i;
        const int32_t low = bp_cell_of(columns->min[0][p] - level->reach[0], level->inverse[0]); // may be infinite
        const int32_t high = cell_on_level(columns->max[0][p], level->inverse[0]);
        int32_t crossed = ((low ^ high) & -cells) != 0 ? BP_CROSSES_EDGE : 0;
        for (int axis = 1; axis < 3; ++axis) { // never more than one face
            const int32_t first = cell_on_level(columns->min[axis][p], level->inverse[axis]);
            const int32_t last = cell_on_level(columns->max[axis][p], level->inverse[axis]);
            crossed |= (last - first) * axis; // BP_CROSSES_Y, BP_CROSSES_Z
        }
        measures->low[i] = low;
        measures->high[i] = high;
        measures->crossed[i] = crossed;
    }
}

#endif
