// A hash grid of placed spheres, to test whether another one would overlap any of them.
#ifndef BP_SCENES_SPHERE_GRID_H
#define BP_SCENES_SPHERE_GRID_H

#include "scene_parts.h"

typedef struct sphere_grid sphere_grid;

// A grid for spheres in `bodies`, an array of `count` that must outlive the grid. NULL if memory is short.
sphere_grid *sphere_grid_create(const scene_body *bodies, size_t count);
void sphere_grid_destroy(sphere_grid *grid);

// Call both in descending order of radius: a sphere must not be larger than any sphere in the grid.
bool sphere_grid_is_free(const sphere_grid *grid, const scene_body *sphere);
void sphere_grid_insert(sphere_grid *grid, size_t index);

#endif
