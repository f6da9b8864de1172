#include "suites/koch_rules.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { LEVELS_MAX = 64 };

// A grid of counts; with a period, cells beyond one side are those of the other.
typedef struct count_grid {
    uint32_t *counts;
    int64_t size; // along each axis
    double cell;
    bool is_periodic;
} count_grid;

static count_grid grid_of(int64_t size, double cell, bool is_periodic) {
    count_grid grid = {.size = size, .cell = cell, .is_periodic = is_periodic};
    grid.counts = calloc((size_t)(size * size * size), sizeof *grid.counts);
    if (!grid.counts) abort();
    return grid;
}

static int64_t fold(const count_grid *grid, int64_t at) {
    const int64_t left = at % grid->size;
    return left < 0 ? left + grid->size : left;
}

// NULL: beyond the domain.
static uint32_t *count_at(const count_grid *grid, int64_t x, int64_t y, int64_t z) {
    const int64_t at[3] = {fold(grid, x), fold(grid, y), fold(grid, z)};
    const bool is_inside = at[0] == x && at[1] == y && at[2] == z;
    if (!is_inside && !grid->is_periodic) return NULL;
    return &grid->counts[(at[2] * grid->size + at[1]) * grid->size + at[0]];
}

static void cell_of(const count_grid *grid, const bp_box *box, int64_t at[3]) {
    for (int axis = 0; axis < 3; axis++) {
        const double centre = 0.5 * ((double)box->min[axis] + (double)box->max[axis]);
        at[axis] = (int64_t)floor(centre / grid->cell);
        if (!grid->is_periodic && at[axis] >= grid->size) at[axis] = grid->size - 1;
        if (!grid->is_periodic && at[axis] < 0) at[axis] = 0;
    }
}

static void put(const count_grid *grid, const bp_box *box) {
    int64_t at[3];
    cell_of(grid, box, at);
    ++*count_at(grid, at[0], at[1], at[2]);
}

// Objects in the cells around a place, itself included: in all of them, or in the 13 that come after it.
static uint64_t count_around(const count_grid *grid, const int64_t at[3], bool half) {
    uint64_t sum = 0;
    for (int64_t i = half ? 14 : 0; i < 27; i++) {
        const uint32_t *count = count_at(grid, at[0] + i % 3 - 1, at[1] + i / 3 % 3 - 1, at[2] + i / 9 - 1);
        sum += count ? *count : 0;
    }
    return sum;
}

// Of the objects of one grid with each other, by cell.
static uint64_t count_within(const count_grid *grid) {
    const int64_t size = grid->size;
    uint64_t sum = 0;
    for (int64_t cell = 0; cell < size * size * size; cell++) {
        const uint64_t here = grid->counts[cell];
        const int64_t at[3] = {cell % size, cell / size % size, cell / size / size};
        if (here) sum += here * (here - 1) / 2 + here * count_around(grid, at, true);
    }
    return sum;
}

uint64_t koch_count_linked_cells(koch_scene scene, double extent, double cell) {
    const int64_t size = (int64_t)(extent / cell) > 0 ? (int64_t)(extent / cell) : 1;
    const count_grid grid = grid_of(size, extent / (double)size, false);
    for (size_t i = 0; i < scene.finite; i++) put(&grid, &scene.boxes[i]);
    const uint64_t sum = count_within(&grid) + (uint64_t)scene.walls * scene.finite;
    free(grid.counts);
    return sum;
}

// ---- the hierarchy -------------------------------------------------------------------------------------------------

static double size_of(const bp_box *box) {
    return (double)box->max[0] - (double)box->min[0];
}

typedef struct grid_hierarchy {
    count_grid grids[LEVELS_MAX]; // finest first; those that no object needs have no counts
    double first_cell;            // of the grid in the middle
} grid_hierarchy;

// A little is left for rounding: sizes come from boxes of floats.
static int level_of(const grid_hierarchy *hierarchy, const bp_box *box) {
    const int level = LEVELS_MAX / 2 + (int)ceil(log2(size_of(box) / hierarchy->first_cell * (1 + 1e-4)));
    if (level < 0 || level >= LEVELS_MAX) abort();
    return level;
}

static void insert(grid_hierarchy *hierarchy, const bp_box *box, uint32_t size) {
    const int level = level_of(hierarchy, box);
    count_grid *grid = &hierarchy->grids[level];
    if (!grid->counts) *grid = grid_of(size, ldexp(hierarchy->first_cell, level - LEVELS_MAX / 2), true);
    put(grid, box);
}

static uint64_t count_in_coarser(const grid_hierarchy *hierarchy, const bp_box *box) {
    uint64_t sum = 0;
    for (int level = level_of(hierarchy, box) + 1; level < LEVELS_MAX; level++) {
        const count_grid *grid = &hierarchy->grids[level];
        int64_t at[3];
        if (!grid->counts) continue;
        cell_of(grid, box, at);
        sum += count_around(grid, at, false);
    }
    return sum;
}

uint64_t koch_count_hash_grid(koch_scene scene, uint32_t size) {
    grid_hierarchy hierarchy = {.first_cell = size_of(&scene.boxes[0]) * sqrt(2.0)};
    uint64_t sum = (uint64_t)scene.walls * scene.finite;
    for (size_t i = 0; i < scene.finite; i++) insert(&hierarchy, &scene.boxes[i], size);
    for (size_t i = 0; i < scene.finite; i++) sum += count_in_coarser(&hierarchy, &scene.boxes[i]);
    for (int level = 0; level < LEVELS_MAX; level++) {
        if (hierarchy.grids[level].counts) sum += count_within(&hierarchy.grids[level]);
        free(hierarchy.grids[level].counts);
    }
    return sum;
}
