// The kernels in plain C. Each instruction set's file includes this and replaces the kernels that it has faster ones
// for.
#ifndef BP_PLAIN_H
#define BP_PLAIN_H

#include "base/boxes.h"
#include "kernels/compare_loop.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

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

// The place of an id is the number of smaller ones: n^2 comparisons, but compilers make vectors of them. `width` is at
// least the count, and a compile-time constant.
static inline void sort_by_rank(const uint32_t *from, size_t count, uint32_t *to, size_t width) {
    static const uint32_t SIGN = 0x80000000u; // vectors compare signed numbers
    int32_t ids[BP_SORTED_IDS], smaller[BP_SORTED_IDS];
    for (size_t i = 0; i < width; ++i) {
        ids[i] = INT32_MAX;
        smaller[i] = 0;
    }
    for (size_t i = 0; i < count; ++i) {
        ids[i] = (int32_t)(from[i] ^ SIGN);
    }
    for (size_t k = 0; k < count; ++k) {
        const int32_t id = ids[k];
        for (size_t i = 0; i < width; ++i) {
            smaller[i] += id < ids[i];
        }
    }
    for (size_t i = 0; i < count; ++i) {
        to[smaller[i]] = (uint32_t)ids[i] ^ SIGN;
    }
}

static inline void plain_sort_rows(const bp_row_sort *job) {
    for (size_t r = 0; r < BP_SORTED_ROWS; ++r) {
        const size_t count = job->counts[r];
        if (count <= BP_SORTED_IDS / 4) {
            sort_by_rank(job->from[r], count, job->to[r], BP_SORTED_IDS / 4);
        } else if (count <= BP_SORTED_IDS / 2) {
            sort_by_rank(job->from[r], count, job->to[r], BP_SORTED_IDS / 2);
        } else {
            sort_by_rank(job->from[r], count, job->to[r], BP_SORTED_IDS);
        }
    }
}

static inline void plain_measure_one(const bp_measure_job *job, size_t i) {
    const double *point = job->points + 3 * (size_t)job->of[i], *move = job->moves[job->codes[i]];
    const double x = (point[0] - job->from[0]) + move[0], y = (point[1] - job->from[1]) + move[1];
    const double z = (point[2] - job->from[2]) + move[2];
    if (job->distances != NULL) {
        job->distances[i] = sqrt((x * x + y * y) + z * z);
    }
    if (job->vectors != NULL) {
        job->vectors[3 * i] = x;
        job->vectors[3 * i + 1] = y;
        job->vectors[3 * i + 2] = z;
    }
}

static inline void plain_put_shift(const bp_measure_job *job, size_t i) {
    memcpy(job->shifts + 3 * i, job->steps[job->codes[i]], 3 * sizeof *job->shifts);
}

static inline void plain_measure_near(const bp_measure_job *job) {
    const bool measures = job->distances != NULL || job->vectors != NULL;
    for (size_t i = 0; i < job->count && measures; ++i) {
        plain_measure_one(job, i);
    }
    for (size_t i = 0; i < job->count && job->shifts != NULL; ++i) {
        plain_put_shift(job, i);
    }
}

static inline void plain_compare_pairs(bp_pair_comparison *c) {
    compare_pairs(c, plain_compare_window, plain_compare_same);
}

#endif
