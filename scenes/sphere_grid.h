// A hash grid of spheres that have been placed, to ask whether one more would overlap any of them.
#ifndef BP_SCENES_SPHERE_GRID_H
#define BP_SCENES_SPHERE_GRID_H

#include "scene_parts.h"

typedef struct sphere_grid sphere_grid;

// A grid for spheres that are elements of `bodies`, an array of `count` that outlives it. NULL if memory is short.
sphere_grid *sphere_grid_create(const scene_body *bodies, size_t count);
void sphere_grid_destroy(sphere_grid *grid);

// Both take spheres in the order of falling radius: a sphere is never larger than one that is in the grid.
bool sphere_grid_is_free(const sphere_grid *grid, const scene_body *sphere);
void sphere_grid_insert(sphere_grid *grid, size_t index);

#endif
