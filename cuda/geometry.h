// The geometry of the grids on the device: level, cell, key, and an overlap test on two words. Compiled for host and
// device; cells come from base/cells.h, as on the CPU.
//
// Coordinates become integers: a cell has 64 quanta along each axis, and the quantum of a coordinate is
// floor(x * inverse), monotone as in cells.h: in double, or in float where that is precise enough (four times as fast,
// and also monotone). So, from quanta alone,
//
//     quantum(a.min) <  quantum(b.max)   implies  a.min < b.max,
//     quantum(a.min) >  quantum(b.max)   implies  a.min > b.max,   and only equal quanta need a comparison of floats.
//
// For boxes near each other the last 9 bits of their quanta suffice. Three such fields and three guard bits form a
// word, a box is two words, and two subtractions replace six comparisons:
//
//     low     0 zzzzzzzzz 0 yyyyyyyyy 0 xxxxxxxxx       d1 = a.high - b.low
//     high    1 zzzzzzzzz 1 yyyyyyyyy 1 xxxxxxxxx       d2 = b.high - a.low       apart if one of six signs is set
//               ^ sign of a difference
//
// The cells of a coarser level are larger by a power of two and have the same origin: its quanta are those of a finer
// level, shifted. Only where a level ends (boxes beyond it belong to its outermost cells) must they be computed again.
#ifndef BP_CUDA_GEOMETRY_H
#define BP_CUDA_GEOMETRY_H

#include "base/cells.h"

#include <stdbool.h>

enum {
    BP_CUDA_LEVELS = 24,
    BP_CUDA_CELL_BITS = 6, // quanta per cell, as bits
    BP_CUDA_CELL = 1 << BP_CUDA_CELL_BITS,
    BP_CUDA_NARROW = 1 << 22, // distance from the origin, in quanta, up to which floats suffice
    BP_CUDA_PERIOD_CELLS = 8, // at least, along a periodic axis: a field then wraps around where the period does
    BP_CUDA_PERIOD_FIT = 56   // the longest box there, in quanta; the other quanta of a cell absorb rounding
};

#define BP_CUDA_FIELD 511u
#define BP_CUDA_ONES 0x00100401u
#define BP_CUDA_SIGNS 0x10040100u
#define BP_CUDA_GUARDS 0x20080200u

// Division by a number that is known beforehand: Granlund and Montgomery 1994, figure 4.1.
typedef struct bp_cuda_divider {
    uint32_t multiplier, first_shift, second_shift;
} bp_cuda_divider;

typedef struct bp_cuda_level {
    float fit[3];      // a box whose extents are below these belongs here, or on a finer level
    uint32_t shift[3]; // a quantum is 2^shift of those of the finest level
    double inverse[3]; // quanta per unit of length
    float narrow_inverse[3];
    int32_t first[3], last[3]; // quanta where the level begins and ends
    int32_t cells[3];
    int32_t reach[3]; // the longest box of this level, in quanta
    bp_cuda_divider divide_x, divide_y;
    uint64_t first_key;
} bp_cuda_level;

// The kind of space. Passed by value and apart from the lattice, because kernels that know parts of it at compile time
// have a third of the instructions.
typedef struct bp_cuda_kind {
    uint32_t dimensions;
    uint32_t periodic; // a bit per axis
    uint32_t narrow;   // 1 if floats suffice on all levels
} bp_cuda_kind;

typedef struct bp_cuda_lattice {
    bp_cuda_kind kind;
    uint32_t level_count;
    float period[3];
    uint32_t table_shift; // an entry of the table is for 2^shift keys
    uint64_t key_count;   // of cells; also the key of boxes that fit no level
    bp_cuda_level levels[BP_CUDA_LEVELS];
} bp_cuda_lattice;

typedef struct bp_cuda_record {
    uint32_t low, high;
} bp_cuda_record;

// The place of a box in quanta of a level, relative to the beginning of the level. Along a periodic axis `low` is in
// the first period, and `high` is rounded up.
typedef struct bp_cuda_span {
    int32_t low[3], high[3];
} bp_cuda_span;

BP_HOST_DEVICE static inline bool bp_cuda_wraps(bp_cuda_kind kind, int axis) {
    return (kind.periodic >> axis & 1u) != 0;
}

// Loops have three axes, so that they can be unrolled; in two dimensions they skip the third.
BP_HOST_DEVICE static inline bool bp_cuda_has_axis(bp_cuda_kind kind, int axis) {
    return axis < 2 || kind.dimensions == 3;
}

// Far from the origin boxes count as larger than on the CPU, because quanta are smaller than cells.
BP_HOST_DEVICE static inline float bp_cuda_fit_extent(float min, float max) {
    const float far = fmaxf(fabsf(min), fabsf(max)) * 0x1p-24f;
    return fmaxf(bp_fit_extent(min, max), far);
}

// The finest level that a box fits, or level_count.
BP_HOST_DEVICE static inline uint32_t bp_cuda_level_of(bp_cuda_kind kind, const bp_cuda_lattice *lattice,
                                                       const bp_box *box) {
    const float x = bp_cuda_fit_extent(box->min[0], box->max[0]), y = bp_cuda_fit_extent(box->min[1], box->max[1]);
    const float z = kind.dimensions == 3 ? bp_cuda_fit_extent(box->min[2], box->max[2]) : 0.0f;
    uint32_t level = 0;
    while (level < lattice->level_count && !(x < lattice->levels[level].fit[0] && y < lattice->levels[level].fit[1] &&
                                             z < lattice->levels[level].fit[2])) {
        ++level;
    }
    return level;
}

BP_HOST_DEVICE static inline int32_t bp_cuda_clamp(int32_t value, int32_t low, int32_t high) {
    value = value > low ? value : low;
    return value < high ? value : high;
}

// Along a periodic axis. The rounding error here is far less than a quantum.
BP_HOST_DEVICE static inline void bp_cuda_span_wrapped(const bp_cuda_lattice *lattice, const bp_cuda_level *level,
                                                       int axis, float min, float max, bp_cuda_span *span) {
    const double period = (double)lattice->period[axis];
    const double inside = (double)min - period * floor((double)min / period);
    const double extent = (double)max - (double)min;
    span->low[axis] = bp_cuda_clamp(bp_cell_of_double(inside, level->inverse[axis]), 0, level->last[axis]);
    span->high[axis] = span->low[axis] + bp_cell_of_double(extent, level->inverse[axis]) + 2;
}

// The quantum of a coordinate, relative to the beginning of the level. Both ways are monotone, and each gives on a
// coarser level the shifted result of a finer one; a lattice uses the same way everywhere.
BP_HOST_DEVICE static inline int32_t bp_cuda_quantum(bp_cuda_kind kind, const bp_cuda_level *level, int axis,
                                                     float coordinate) {
    const int32_t first = level->first[axis], last = level->last[axis];
    if (kind.narrow != 0) {
        const float place = coordinate * level->narrow_inverse[axis];
        return (int32_t)floorf(fminf(fmaxf(place, (float)first), (float)last)) - first;
    }
    return bp_cuda_clamp(bp_cell_of(coordinate, level->inverse[axis]), first, last) - first;
}

// The span of a box that fits the level.
BP_HOST_DEVICE static inline bp_cuda_span bp_cuda_span_of(bp_cuda_kind kind, const bp_cuda_lattice *lattice,
                                                          const bp_cuda_level *level, const bp_box *box) {
    bp_cuda_span span = {{0, 0, 0}, {0, 0, 1}};
    for (int axis = 0; axis < 3; ++axis) {
        if (bp_cuda_wraps(kind, axis)) {
            bp_cuda_span_wrapped(lattice, level, axis, box->min[axis], box->max[axis], &span);
        } else if (bp_cuda_has_axis(kind, axis)) {
            span.low[axis] = bp_cuda_quantum(kind, level, axis, box->min[axis]);
            span.high[axis] = bp_cuda_quantum(kind, level, axis, box->max[axis]);
        }
    }
    return span;
}

BP_HOST_DEVICE static inline uint64_t bp_cuda_row_key(const bp_cuda_level *level, int32_t y, int32_t z) {
    return level->first_key +
           ((uint64_t)(uint32_t)z * (uint32_t)level->cells[1] + (uint32_t)y) * (uint32_t)level->cells[0];
}

BP_HOST_DEVICE static inline uint64_t bp_cuda_key_of(const bp_cuda_level *level, const bp_cuda_span *span) {
    return bp_cuda_row_key(level, span->low[1] >> BP_CUDA_CELL_BITS, span->low[2] >> BP_CUDA_CELL_BITS) +
           (uint32_t)(span->low[0] >> BP_CUDA_CELL_BITS);
}

// The last 9 bits of each number. Along a periodic axis the box is extended by one quantum at its lower end, because of
// rounding.
BP_HOST_DEVICE static inline bp_cuda_record bp_cuda_pack(bp_cuda_kind kind, const bp_cuda_span *span) {
    bp_cuda_record record = {0, BP_CUDA_GUARDS};
    for (int axis = 0; axis < 3; ++axis) {
        const int32_t widened = bp_cuda_wraps(kind, axis) ? 1 : 0;
        record.low |= ((uint32_t)(span->low[axis] - widened) & BP_CUDA_FIELD) << (10 * axis);
        record.high |= ((uint32_t)span->high[axis] & BP_CUDA_FIELD) << (10 * axis);
    }
    return record;
}

// The span of a record in a cell.
BP_HOST_DEVICE static inline bp_cuda_span bp_cuda_unpack(bp_cuda_kind kind, bp_cuda_record record,
                                                         const int32_t cell[3]) {
    bp_cuda_span span;
    for (int axis = 0; axis < 3; ++axis) {
        const uint32_t widened = bp_cuda_wraps(kind, axis) ? 1 : 0;
        const uint32_t low = (record.low >> (10 * axis)) + widened, high = record.high >> (10 * axis);
        span.low[axis] = (cell[axis] << BP_CUDA_CELL_BITS) + (int32_t)(low & (BP_CUDA_CELL - 1));
        span.high[axis] = span.low[axis] + (int32_t)((high - low) & BP_CUDA_FIELD);
    }
    return span;
}

// Converts a span to quanta of a coarser level. False if the box touches the end of its own level: then it is not
// exact.
BP_HOST_DEVICE static inline bool bp_cuda_coarsen(bp_cuda_kind kind, const bp_cuda_level *from, const bp_cuda_level *to,
                                                  bp_cuda_span *span) {
    bool inside = true;
    for (int axis = 0; axis < 3; ++axis) {
        const uint32_t difference = to->shift[axis] - from->shift[axis], shift = difference < 31 ? difference : 31;
        if (bp_cuda_wraps(kind, axis)) {
            span->low[axis] >>= shift;
            span->high[axis] = (span->high[axis] >> shift) + 1;
        } else if (bp_cuda_has_axis(kind, axis)) {
            const int32_t first = to->first[axis], last = to->last[axis] - first;
            inside = inside && span->low[axis] > 0 && span->high[axis] < from->last[axis] - from->first[axis];
            span->low[axis] = bp_cuda_clamp(((span->low[axis] + from->first[axis]) >> shift) - first, 0, last);
            span->high[axis] = bp_cuda_clamp(((span->high[axis] + from->first[axis]) >> shift) - first, 0, last);
        }
    }
    return inside;
}

// False only if the boxes are apart.
BP_HOST_DEVICE static inline bool bp_cuda_may_overlap(bp_cuda_record a, bp_cuda_record b) {
    return (((a.high - b.low) | (b.high - a.low)) & BP_CUDA_SIGNS) == 0;
}

// For two boxes that may overlap: whether some of their faces share a quantum, so that the floats must be compared.
BP_HOST_DEVICE static inline bool bp_cuda_is_doubtful(bp_cuda_record a, bp_cuda_record b) {
    const uint32_t first = ((a.high - b.low) | BP_CUDA_GUARDS) - BP_CUDA_ONES;
    const uint32_t second = ((b.high - a.low) | BP_CUDA_GUARDS) - BP_CUDA_ONES;
    return ((first | second) & BP_CUDA_SIGNS) != 0;
}

// The exact overlap test, for closed boxes; along a periodic axis a multiple of the period must lie between.
BP_HOST_DEVICE static inline bool bp_cuda_overlap_axis(bp_cuda_kind kind, const bp_cuda_lattice *lattice, int axis,
                                                       const bp_box *a, const bp_box *b) {
    if (!bp_cuda_wraps(kind, axis)) {
        return a->min[axis] <= b->max[axis] && b->min[axis] <= a->max[axis];
    }
    const double period = (double)lattice->period[axis];
    const double low = (double)b->min[axis] - (double)a->max[axis], high = (double)b->max[axis] - (double)a->min[axis];
    double multiple = floor(high / period) * period;
    multiple = multiple > high ? multiple - period : multiple; // if the division was rounded up
    return isinf(high) || isinf(low) || multiple >= low;
}

BP_HOST_DEVICE static inline bool bp_cuda_overlap(bp_cuda_kind kind, const bp_cuda_lattice *lattice, const bp_box *a,
                                                  const bp_box *b) {
    bool overlap = true;
    for (int axis = 0; axis < 3; ++axis) {
        overlap = overlap && (!bp_cuda_has_axis(kind, axis) || bp_cuda_overlap_axis(kind, lattice, axis, a, b));
    }
    return overlap;
}

BP_HOST_DEVICE static inline bool bp_cuda_is_valid(bp_cuda_kind kind, const bp_cuda_lattice *lattice,
                                                   const bp_box *box) {
    bool valid = true;
    for (int axis = 0; axis < 3; ++axis) {
        valid = valid && (!bp_cuda_has_axis(kind, axis) || box->min[axis] <= box->max[axis]);
        if (bp_cuda_wraps(kind, axis)) {
            const double extent = (double)box->max[axis] - (double)box->min[axis];
            valid = valid && (isinf(extent) || extent <= (double)lattice->period[axis]);
        }
    }
    return valid;
}

BP_HOST_DEVICE static inline bool bp_cuda_pass(const bp_object *a, const bp_object *b) {
    const uint64_t all = ~(uint64_t)0;
    const uint64_t a_group = a->group != 0 ? a->group : all, a_mask = a->mask != 0 ? a->mask : all;
    const uint64_t b_group = b->group != 0 ? b->group : all, b_mask = b->mask != 0 ? b->mask : all;
    return (a_group & b_mask) != 0 && (b_group & a_mask) != 0 && a->island == b->island &&
           (a->flags & b->flags & BP_STATIC) == 0;
}

BP_HOST_DEVICE static inline uint32_t bp_cuda_divide(uint32_t dividend, bp_cuda_divider divider) {
#if defined(__CUDA_ARCH__)
    const uint32_t product = __umulhi(dividend, divider.multiplier);
#else
    const uint32_t product = (uint32_t)((uint64_t)dividend * divider.multiplier >> 32);
#endif
    return (((dividend - product) >> divider.first_shift) + product) >> divider.second_shift;
}

static inline bp_cuda_divider bp_cuda_divider_for(uint32_t divisor) {
    uint32_t bits = 0;
    while (bits < 32 && (uint64_t)1 << bits < divisor) {
        ++bits;
    }
    const uint64_t multiplier = (((uint64_t)1 << 32) * (((uint64_t)1 << bits) - divisor)) / divisor + 1;
    const bp_cuda_divider divider = {(uint32_t)multiplier, bits < 1 ? bits : 1, bits > 1 ? bits - 1 : 0};
    return divider;
}

#endif
