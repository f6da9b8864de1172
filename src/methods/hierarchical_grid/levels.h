// Levels: grids of different cells for objects of different sizes, one above the other.
//
//     sizes   | .. . .  .        |            | o   O  |        histogram of a sample, in octaves
//     levels  |---- level 0 -----|            |-- 1 ---|        intervals of it, chosen by a cost model
//
// Planning only decides how fast the search is. It never decides what is found: an object that fits no level is tested
// against all.
#ifndef BP_LEVELS_H
#define BP_LEVELS_H

#include "base/memory.h"

#include <float.h>
#include <math.h>

// The geometry below is also compiled for GPUs (cuda/).
#if defined(__CUDACC__)
#define BP_HOST_DEVICE __host__ __device__
#else
#define BP_HOST_DEVICE
#endif

typedef struct bp_level {
    float fit[3];      // an object whose extents are below these, per axis, can live here
    double inverse[3]; // cells per unit of length
    uint32_t bits[3];  // cells per axis: 1 << bits

    // Filled in by the build:
    float reach[3];    // the largest extents that live here, rounded up
    float low[3];      // where the min corners of those that live here are, give or take the slack; for queries:
    float high[3];     // low <= min <= high
    double slack[3];   // how far boxes may have left the cell that they are in; 0 unless they were patched
    size_t count;      // objects that live here
    size_t first_cell; // of this level in the table of all cells
} bp_level;

typedef struct bp_levels {
    bp_buffer buffer; // of bp_level, finest first
    size_t count;
} bp_levels;

static inline bp_level *bp_level_at(const bp_levels *levels, size_t index) {
    return (bp_level *)levels->buffer.data + index;
}

static inline size_t bp_level_cells(const bp_level *level) {
    return (size_t)1 << (level->bits[0] + level->bits[1] + level->bits[2]);
}

BP_HOST_DEVICE static inline double bp_floor(double value) {
#if defined(__SSE4_1__) || defined(__aarch64__) || defined(__CUDA_ARCH__)
    return floor(value); // one instruction
#else
    const double towards_zero = (double)(int32_t)value;
    return towards_zero - (double)(value < towards_zero);
#endif
}

// The cell of a coordinate, before it is folded into the grid. Every step is monotone, so the order of coordinates is
// the order of cells even where a float has no digits left; beyond 2^30 cells all share one.
BP_HOST_DEVICE static inline int32_t bp_cell_of_double(double coordinate, double inverse) {
    const double limit = 1073741824.0;
    double cell = coordinate * inverse;
    cell = cell > -limit ? cell : -limit; // also where it is NaN
    cell = cell < limit ? cell : limit;
    return (int32_t)bp_floor(cell);
}

BP_HOST_DEVICE static inline int32_t bp_cell_of(float coordinate, double inverse) {
    return bp_cell_of_double((double)coordinate, inverse);
}

// The extent of a box along one axis, for fitting it into a level. An object far from the origin counts as larger, so
// that it is never more than 2^25 cells away from it, where cells are still exact. Infinite or overflowing: infinity.
BP_HOST_DEVICE static inline float bp_fit_extent(float min, float max) {
    const float farthest = fabsf(min) > fabsf(max) ? fabsf(min) : fabsf(max);
    const float far = farthest * 0x1p-25f;
    const float extent = max - min;
    return extent > far ? extent : far;
}

// The size by which an object finds its level: the largest of its extents, never quite 0. Infinity if it fits none.
static inline float bp_fit_size(const bp_box *box, uint32_t dimensions) {
    float size = FLT_MIN;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        const float extent = bp_fit_extent(box->min[axis], box->max[axis]);
        size = extent > size ? extent : size;
    }
    return size;
}

// The rule of the seeds: level k has cells of c0 * factor^k and holds the sizes in [cell / factor, cell).
typedef struct bp_level_rule {
    double first_cell; // c0
    double factor;
} bp_level_rule;

// `first` is the size of the first object, for a config that does not give the first cell.
bp_level_rule bp_level_rule_for(const bp_config *config, float first);
int bp_level_rule_index(const bp_level_rule *rule, float size);
double bp_level_rule_cell(const bp_level_rule *rule, int index);

// More cells would cost more memory and clearing than they save; beyond this the grid is folded.
enum { BP_CELLS_PER_OBJECT = 2 };

// Cells are kept a little larger than what they hold, so that rounding never puts overlapping objects two cells apart.
#define BP_CELL_FILL 0.999999

// Cells per axis of a new grid, as bits.
void bp_grid_bits(const bp_config *config, uint32_t bits[3]);

// Adds a level at the end. False if memory is short.
bool bp_levels_append(bp_levels *levels, const bp_config *config, const bp_level *level);

// The levels that boxes[0 .. count) need by the rule.
bp_status bp_levels_plan_by_rule(bp_levels *levels, const bp_config *config, const bp_box *boxes, size_t count);

// Chooses levels for boxes[0 .. count): from their sizes, or by the rule c0 * factor^k if the config has a factor.
bp_status bp_levels_plan(bp_levels *levels, const bp_config *config, const bp_box *boxes, size_t count);

#endif
