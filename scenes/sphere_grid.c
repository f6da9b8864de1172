// One level per radius, with cells of four radii. If a sphere touches one of radius R and is not larger itself, their
// centres are at most 2 R apart: so a search visits at most two cells per axis and level.
#include "sphere_grid.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_LEVELS = 4 };
#define NOBODY UINT32_MAX

struct sphere_grid {
    const scene_body *bodies;
    uint32_t *heads; // first sphere of each bucket
    uint32_t *next;  // the one after it in the same bucket
    uint64_t mask;   // buckets - 1
    float radii[MAX_LEVELS];
    size_t level_count;
};

sphere_grid *sphere_grid_create(const scene_body *bodies, size_t count) {
    uint64_t buckets = 1;
    while (buckets < 2 * (uint64_t)count) {
        buckets *= 2;
    }
    sphere_grid *grid = calloc(1, sizeof *grid);
    uint32_t *heads = calloc((size_t)buckets, sizeof *heads);
    uint32_t *next = calloc(count, sizeof *next);
    if (!grid || !heads || !next) {
        free(grid);
        free(heads);
        free(next);
        return NULL;
    }
    for (uint64_t i = 0; i < buckets; ++i) {
        heads[i] = NOBODY;
    }
    *grid = (sphere_grid){.bodies = bodies, .heads = heads, .next = next, .mask = buckets - 1};
    return grid;
}

void sphere_grid_destroy(sphere_grid *grid) {
    if (grid) {
        free(grid->heads);
        free(grid->next);
        free(grid);
    }
}

static int64_t cell_of(double coordinate, double radius) {
    return (int64_t)floor(coordinate / (4 * radius));
}

// Different cells may share a bucket: that costs tests, but never changes the result.
static uint64_t bucket_of(const sphere_grid *grid, size_t level, const int64_t cell[3]) {
    uint64_t hash = level;
    for (size_t axis = 0; axis < 3; ++axis) {
        hash = (hash ^ (uint64_t)cell[axis]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash & grid->mask;
}

static bool spheres_overlap(const scene_body *a, const scene_body *b) {
    double square = 0;
    for (size_t axis = 0; axis < 3; ++axis) {
        const double distance = a->center[axis] - b->center[axis];
        square += distance * distance;
    }
    const double reach = (double)a->half[0] + (double)b->half[0];
    return square < reach * reach;
}

static bool bucket_is_free(const sphere_grid *grid, uint64_t bucket, const scene_body *sphere) {
    for (uint32_t i = grid->heads[bucket]; i != NOBODY; i = grid->next[i]) {
        if (spheres_overlap(&grid->bodies[i], sphere)) {
            return false;
        }
    }
    return true;
}

static bool level_is_free(const sphere_grid *grid, size_t level, const scene_body *sphere) {
    const double radius = grid->radii[level];
    const double reach = radius + (double)sphere->half[0];
    int64_t first[3];
    int64_t last[3];
    for (size_t axis = 0; axis < 3; ++axis) {
        first[axis] = cell_of(sphere->center[axis] - reach, radius);
        last[axis] = cell_of(sphere->center[axis] + reach, radius);
    }
    int64_t cell[3];
    for (cell[2] = first[2]; cell[2] <= last[2]; ++cell[2]) {
        for (cell[1] = first[1]; cell[1] <= last[1]; ++cell[1]) {
            for (cell[0] = first[0]; cell[0] <= last[0]; ++cell[0]) {
                if (!bucket_is_free(grid, bucket_of(grid, level, cell), sphere)) {
                    return false;
                }
            }
        }
    }
    return true;
}

bool sphere_grid_is_free(const sphere_grid *grid, const scene_body *sphere) {
    for (size_t level = 0; level < grid->level_count; ++level) {
        if (!level_is_free(grid, level, sphere)) {
            return false;
        }
    }
    return true;
}

// Radii come in descending order, so a radius is either that of the last level or a new one. If there are more radii
// than levels, the last level takes all smaller ones: its cells are then larger than needed.
static size_t level_for(sphere_grid *grid, float radius) {
    const size_t count = grid->level_count;
    if (count == 0 || (radius < grid->radii[count - 1] && count < MAX_LEVELS)) {
        grid->radii[grid->level_count++] = radius;
    }
    return grid->level_count - 1;
}

void sphere_grid_insert(sphere_grid *grid, size_t index) {
    const scene_body *sphere = &grid->bodies[index];
    const size_t level = level_for(grid, sphere->half[0]);
    int64_t cell[3];
    for (size_t axis = 0; axis < 3; ++axis) {
        cell[axis] = cell_of(sphere->center[axis], grid->radii[level]);
    }
    const uint64_t bucket = bucket_of(grid, level, cell);
    grid->next[index] = grid->heads[bucket];
    grid->heads[bucket] = (uint32_t)index;
}
