// From coordinates to cells: the arithmetic that every grid shares, also compiled for GPUs (cuda/).
//
// Every step from a coordinate to a cell is monotone. So overlapping boxes always find each other, however coordinates
// are rounded.
#ifndef BP_CELLS_H
#define BP_CELLS_H

#include <broadphase/broadphase.h>
#include <float.h>
#include <math.h>
#include <string.h>

#if defined(__CUDACC__)
#define BP_HOST_DEVICE __host__ __device__
#else
#define BP_HOST_DEVICE
#endif

BP_HOST_DEVICE static inline double bp_floor(double value) {
#if defined(__SSE4_1__) || defined(__aarch64__) || defined(__wasm__) || defined(__CUDA_ARCH__)
    return floor(value); // one instruction
#else
    const double towards_zero = (double)(int32_t)value;
    return towards_zero - (double)(value < towards_zero);
#endif
}

// The cell of a coordinate, before it is folded into the grid. Every step is monotone, so cells have the order of their
// coordinates even where floats are coarser than cells; beyond 2^30 cells all coordinates share one.
BP_HOST_DEVICE static inline int32_t bp_cell_of_double(double coordinate, double inverse) {
    const double limit = 1073741824.0;
    double cell = coordinate * inverse;
    cell = cell > -limit ? cell : -limit; // NaN, too
    cell = cell < limit ? cell : limit;
    return (int32_t)bp_floor(cell);
}

BP_HOST_DEVICE static inline int32_t bp_cell_of(float coordinate, double inverse) {
    return bp_cell_of_double((double)coordinate, inverse);
}

// Cells are a little larger than the objects they hold, so that rounding never puts overlapping objects two cells
// apart.
#define BP_CELL_FILL 0.999999

// The extent of a box along one axis, for choosing its level. An object far from the origin counts as larger, so that
// it is never more than 2^25 cells from the origin: up to there cells are exact. Infinite or overflowing extents give
// infinity.
BP_HOST_DEVICE static inline float bp_fit_extent(float min, float max) {
    const float farthest = fabsf(min) > fabsf(max) ? fabsf(min) : fabsf(max);
    const float far = farthest * 0x1p-25f;
    const float extent = max - min;
    return extent > far ? extent : far;
}

// The size that decides on an object's level: the largest of its extents, never quite 0. Infinity if it fits no level.
static inline float bp_fit_size(const bp_box *box, uint32_t dimensions) {
    float size = FLT_MIN;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        const float extent = bp_fit_extent(box->min[axis], box->max[axis]);
        size = extent > size ? extent : size;
    }
    return size;
}

// The octave of a size that is not negative: sizes from 2^k up to 2^(k+1) share one, and larger sizes have larger ones.
static inline uint32_t bp_octave_of(float size) {
    uint32_t bits;
    memcpy(&bits, &size, sizeof bits);
    return bits >> 23;
}

// A grid for objects up to a certain size: one level of a hierarchy.
typedef struct bp_level {
    float fit[3];      // an object belongs to this level only if its extents are below these
    double inverse[3]; // cells per unit of length
    uint32_t bits[3];  // cells per axis: 1 << bits

    // Filled in by the build:
    float reach[3];    // the largest extents of the level's objects, rounded up
    size_t count;      // objects of this level
    size_t first_cell; // index of the level's first cell in the table of all cells
} bp_level;

// The cells of a block of 1 << bits along each axis, or SIZE_MAX if a size_t is too short for their number.
static inline size_t bp_cells_of_bits(const uint32_t bits[3]) {
    const uint32_t sum = bits[0] + bits[1] + bits[2];
    return sum < 8 * sizeof(size_t) ? (size_t)1 << sum : SIZE_MAX;
}

static inline size_t bp_level_cells(const bp_level *level) {
    return bp_cells_of_bits(level->bits);
}

// The index of a box's cell in the table of all cells of all levels.
static inline uint32_t bp_key_of_box(const bp_level *level, const float min[3]) {
    uint32_t folded[3];
    for (int axis = 0; axis < 3; ++axis) {
        folded[axis] = (uint32_t)bp_cell_of(min[axis], level->inverse[axis]) & ((1u << level->bits[axis]) - 1);
    }
    const uint32_t row = folded[2] << level->bits[1] | folded[1];
    return (uint32_t)level->first_cell + (row << level->bits[0] | folded[0]);
}

#endif
