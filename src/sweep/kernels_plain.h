// The kernels in plain C. Each instruction set's file includes this and replaces what it does better by hand; `measure`
// is left to the compiler everywhere.
#ifndef BP_KERNELS_PLAIN_H
#define BP_KERNELS_PLAIN_H

#include "../boxes.h"
#include "kernels.h"

static inline size_t plain_keys(const bp_level *level, uint32_t dimensions, const bp_box *boxes, size_t count,
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

static inline void plain_arrange(const bp_columns *columns, size_t begin, size_t end, const bp_box *boxes) {
    for (size_t i = begin; i < end; ++i) {
        const bp_box *box = &boxes[columns->id[i]];
        for (int axis = 0; axis < 3; ++axis) {
            columns->min[axis][i] = box->min[axis];
            columns->max[axis][i] = box->max[axis];
        }
    }
}

// Boxes on their own level are never beyond 2^26 cells: no clamping.
static inline void cells_of(const float *coordinates, size_t count, float offset, double inverse, int32_t *cells) {
    for (size_t i = 0; i < count; ++i) {
        cells[i] = (int32_t)bp_floor((double)(coordinates[i] - offset) * inverse);
    }
}

static inline void crossings(const float *min, const float *max, size_t count, double inverse, int32_t *crosses) {
    for (size_t i = 0; i < count; ++i) {
        const int32_t first = (int32_t)bp_floor((double)min[i] * inverse);
        const int32_t last = (int32_t)bp_floor((double)max[i] * inverse);
        crosses[i] = last - first; // never more than one cell
    }
}

static void plain_measure(const bp_columns *columns, size_t position, size_t count, const bp_level *level,
                          bp_measures *measures) {
    cells_of(columns->min[0] + position, count, level->reach[0], level->inverse[0], measures->low);
    cells_of(columns->max[0] + position, count, 0.0f, level->inverse[0], measures->high);
    crossings(columns->min[1] + position, columns->max[1] + position, count, level->inverse[1], measures->crosses_y);
    crossings(columns->min[2] + position, columns->max[2] + position, count, level->inverse[2], measures->crosses_z);
}

#endif
