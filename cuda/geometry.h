// The geometry of the grids on the device: level, cell, key, and an overlap test on two words. Compiled for host and
// device alike; cells come from src/levels.h, as on the CPU.
//
// Coordinates become whole numbers: a cell has 64 quanta along each axis, and the quantum of a coordinate is
// floor(x * inverse), monotone as in levels.h: in double, or in float where that has digits enough (it is four times as
// fast, and as monotone). So from quanta alone
//
//     quantum(a.min) <  quantum(b.max)   says  a.min < b.max,
//     quantum(a.min) >  quantum(b.max)   says  a.min > b.max,   and only where they are equal the floats must be asked.
//
// Boxes that are near each other are told apart by the last 9 bits of their quanta. Three such fields and three guard
// bits are a word, a box is two words, and six comparisons are two subtractions:
//
//     low     0 zzzzzzzzz 0 yyyyyyyyy 0 xxxxxxxxx       d1 = a.high - b.low
//     high    1 zzzzzzzzz 1 yyyyyyyyy 1 xxxxxxxxx       d2 = b.high - a.low       apart if one of six signs is set
//               ^ sign of a difference
//
// Cells of a coarser level are a power of two larger, with the same origin: its quanta are those of a finer level, shifted.
// Only where a level ends (boxes beyond it count as being in its outermost cells) they must be computed anew.
#ifndef BP_CUDA_GEOMETRY_H
#define BP_CUDA_GEOMETRY_H

#include "methods/hierarchical_grid/levels.h"

enum {
    BP_CUDA_LEVELS = 24,
    BP_CUDA_CELL_BITS = 6, // quanta per cell, as bits
    BP_CUDA_CELL = 1 << BP_CUDA_CELL_BITS,
    BP_CUDA_NARROW = 1 << 22, // quanta from the origin up to which floats do
    BP_CUDA_PERIOD_CELLS = 8, // at least, along an axis with a period: a field then turns over where the period does
    BP_CUDA_PERIOD_FIT = 56   // quanta that a box may be long there: the others are for rounding
};

#define BP_CUDA_FIELD 511u
#define BP_CUDA_ONES 0x00100401u
#define BP_CUDA_SIGNS 0x10040100u
#define BP_CUDA_GUARDS 0x20080200u

// A division by a number that is known beforehand: Granlund and Montgomery 1994, figure 4.1.
typedef struct bp_cuda_divider {
    uint32_t multiplier, first_shift, second_shift;
} bp_cuda_divider;

typedef struct bp_cuda_level {
    float fit[3];      // a box whose extents are below these lives here, or on a finer level
    uint32_t shift[3]; // a quantum is 2^shift of those of the finest level
    double inverse[3]; // quanta per unit of length
    float narrow_inverse[3];
    int32_t first[3], last[3]; // quanta where the level begins and ends
    int32_t cells[3];
    int32_t reach[3]; // quanta that a box of this level is long, at most
    bp_cuda_divider divide_x, divide_y;
    uint64_t first_key;
} bp_cuda_level;

// What kind of space it is. Passed by value and apart from the lattice, because kernels that know some of it when they
// are compiled have a third of the instructions.
typedef struct bp_cuda_kind {
    uint32_t dimensions;
    uint32_t periodic; // a bit per axis
    uint32_t narrow;   // 1 if floats do on all levels
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

// Where a box lies, in quanta of a level, counted from where the level begins. Along a period `low` lies in the first
// one, and `high` is rounded up.
typedef struct bp_cuda_span {
    int32_t low[3], high[3];
} bp_cuda_span;

BP_HOST_DEVICE static inline bool bp_cuda_wraps(bp_cuda_kind kind, int axis) {
    return (kind.periodic >> axis & 1u) != 0;
}

// Loops go over three axes, so that they can be unrolled; in two dimensions the third is left out.
BP_HOST_DEVICE static inline bool bp_cuda_has_axis(bp_cuda_kind kind, int axis) {
    return axis < 2 || kind.dimensions == 3;
}

// Farther out than on the CPU boxes count as larger, because quanta are smaller than cells.
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

// Along an axis with a period. What is rounded away here is far less than a quantum.
BP_HOST_DEVICE static inline void bp_cuda_span_wrapped(const bp_cuda_lattice *lattice, const bp_cuda_level *level,
                                                       int axis, float min, float max, bp_cuda_span *span) {
    const double period = (double)lattice->period[axis];
    const double inside = (double)min - period * floor((double)min / period);
    const double extent = (double)max - (double)min;
    span->low[axis] = bp_cuda_clamp(bp_cell_of_double(inside, level->inverse[axis]), 0, level->last[axis]);
    span->high[axis] = span->low[axis] + bp_cell_of_double(extent, level->inverse[axis]) + 2;
}

// The quantum of a coordinate, counted from where the level begins. Both ways are monotone, and each gives on a coarser
// level what it gives on a finer one, shifted; a lattice uses the same one everywhere.
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

// The last 9 bits of everything. Along a period the box is made one quantum longer below, because of rounding.
BP_HOST_DEVICE static inline bp_cuda_record bp_cuda_pack(bp_cuda_kind kind, const bp_cuda_span *span) {
    bp_cuda_record record = {0, BP_CUDA_GUARDS};
    for (int axis = 0; axis < 3; ++axis) {
        const int32_t widened = bp_cuda_wraps(kind, axis) ? 1 : 0;
        record.low |= ((uint32_t)(span->low[axis] - widened) & BP_CUDA_FIELD) << (10 * axis);
        record.high |= ((uint32_t)span->high[axis] & BP_CUDA_FIELD) << (10 * axis);
    }
    return record;
}

// The span that a record in a cell stands for.
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

// The same box in quanta of a coarser level. True unless it touches the end of its own level.
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

// False only if they are apart.
BP_HOST_DEVICE static inline bool bp_cuda_may_overlap(bp_cuda_record a, bp_cuda_record b) {
    return (((a.high - b.low) | (b.high - a.low)) & BP_CUDA_SIGNS) == 0;
}

// Of two that may overlap: whether some of their faces lie in the same quantum, so that the floats must be asked.
BP_HOST_DEVICE static inline bool bp_cuda_is_doubtful(bp_cuda_record a, bp_cuda_record b) {
    const uint32_t first = ((a.high - b.low) | BP_CUDA_GUARDS) - BP_CUDA_ONES;
    const uint32_t second = ((b.high - a.low) | BP_CUDA_GUARDS) - BP_CUDA_ONES;
    return ((first | second) & BP_CUDA_SIGNS) != 0;
}

// The overlap that defines what the library is about: closed boxes; along a period a multiple of it must lie between.
BP_HOST_DEVICE static inline bool bp_cuda_overlap_axis(bp_cuda_kind kind, const bp_cuda_lattice *lattice, int axis,
                                                       const bp_box *a, const bp_box *b) {
    if (!bp_cuda_wraps(kind, axis)) {
        return a->min[axis] <= b->max[axis] && b->min[axis] <= a->max[axis];
    }
    const double period = (double)lattice->period[axis];
    const double low = (double)b->min[axis] - (double)a->max[axis], high = (double)b->max[axis] - (double)a->min[axis];
    double multiple = floor(high / period) * period;
    multiple = multiple > high ? multiple - period : multiple; // where the division was rounded up
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
    const uint32_t a_group = a->group != 0 ? a->group : ~0u, a_mask = a->mask != 0 ? a->mask : ~0u;
    const uint32_t b_group = b->group != 0 ? b->group : ~0u, b_mask = b->mask != 0 ? b->mask : ~0u;
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
