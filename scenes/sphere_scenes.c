// Particle scenes between six walls, after Koch 2020, section 4, with its numbers; docs/methods.md has the full title.
// Spheres become their bounding cubes. With another number of objects, the domain and its regions scale so that
// densities stay the same; radii do not scale.
#include "scene_parts.h"

#include <math.h>

#include "arithmetic.h"
#include "sphere_grid.h"

// Spheres of one size in one region. The groups of a plan are in descending order of radius.
typedef struct sphere_group {
    uint64_t count;
    double radius;
    double min[3];
    double max[3];
} sphere_group;

typedef struct sphere_plan {
    double domain; // edge of the cube
    size_t group_count;
    const sphere_group *groups;
    bool has_giant; // the first group is always one sphere, which scales with the domain
} sphere_plan;

#define CUBE(edge) .max = {edge, edge, edge}
#define PLAN(edge, list) .domain = (edge), .group_count = sizeof(list) / sizeof((list)[0]), .groups = (list)

// ---------------------------------------------------------------------------------------------------------------------
// Placing

// Regions at the domain's border must contain their spheres entirely; so all regions do.
static void place_in_region(rng *random, scene_body *sphere, const sphere_group *group, double scale) {
    for (size_t axis = 0; axis < 3; ++axis) {
        const double low = group->min[axis] * scale + (double)sphere->half[axis];
        const double high = group->max[axis] * scale - (double)sphere->half[axis];
        sphere->center[axis] = low < high ? rng_between(random, low, high) : (low + high) / 2;
    }
}

// After many attempts in a crowded region an overlap is accepted, so that building a scene always ends.
static void place_free(scene *self, sphere_grid *grid, size_t index, const sphere_group *group, double scale) {
    enum { ATTEMPTS = 100 };
    scene_body *sphere = &self->bodies[index];
    for (size_t attempt = 0; attempt < ATTEMPTS; ++attempt) {
        place_in_region(&self->random, sphere, group, scale);
        if (sphere_grid_is_free(grid, sphere)) {
            break;
        }
    }
    sphere_grid_insert(grid, index);
}

static uint64_t total_count(const sphere_plan *plan) {
    uint64_t total = 0;
    for (size_t i = 0; i < plan->group_count; ++i) {
        total += plan->groups[i].count;
    }
    return total;
}

static void place_groups(scene *self, sphere_grid *grid, const sphere_plan *plan, double scale) {
    const uint64_t total = total_count(plan);
    uint64_t groups_total = 0;
    size_t index = 0;
    for (size_t i = 0; i < plan->group_count; ++i) {
        const sphere_group *group = &plan->groups[i];
        const bool giant = plan->has_giant && i == 0;
        const double size = 2 * group->radius * (giant ? scale : 1);
        groups_total += group->count;
        const size_t end = giant ? 1 : (size_t)(groups_total * self->finite_count / total);
        for (; index < end; ++index) {
            set_size(&self->bodies[index], size, size, size);
            place_free(self, grid, index, group, scale);
        }
    }
}

// The six half-spaces outside the domain.
static void add_walls(scene *self, double edge) {
    for (size_t wall = 0; wall < SPHERE_WALL_COUNT; ++wall) {
        const size_t axis = wall / 2;
        bp_box box = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
        if (wall % 2 == 0) {
            box.max[axis] = 0;
        } else {
            box.min[axis] = (float)edge;
        }
        self->boxes[self->finite_count + wall] = box;
    }
}

static const char *build_spheres(scene *self, const scene_options *options, const sphere_plan *plan) {
    sphere_grid *grid = sphere_grid_create(self->bodies, self->finite_count);
    if (!grid) {
        return "out of memory";
    }
    const double scale = cube_root((double)self->finite_count / (double)total_count(plan));
    place_groups(self, grid, plan, scale);
    sphere_grid_destroy(grid);
    set_zone(self, NULL, plan->domain * scale, NULL);
    self->reflects = true;
    set_velocities(self, options->motion);
    add_walls(self, plan->domain * scale);
    return NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// The plans

const char *build_reference(scene *self, const scene_options *options) {
    static const sphere_group groups[] = {{.count = 100000, .radius = 0.5, CUBE(100)}};
    return build_spheres(self, options, &(sphere_plan){PLAN(100, groups)});
}

// Koch 2020 calls the first region 150x150x100 but gives its corners as (0,200,250) and (150,250,350): 50 in y. The
// extent must be right: with it a hash grid of 128^3 cells tests 7.97e5 candidates per step, as in Koch's table 2
// (1.59e8 in 200 steps); with the corners it tests 9.59e5.
const char *build_inhomogeneous(scene *self, const scene_options *options) {
    static const sphere_group groups[] = {
        {.count = 70000, .radius = 0.5, .min = {0, 200, 250}, .max = {150, 350, 350}},
        {.count = 25000, .radius = 0.5, .min = {325, 150, 100}, .max = {400, 225, 175}},
        {.count = 4000, .radius = 0.5, .min = {475, 475, 475}, .max = {500, 500, 500}},
        {.count = 1000, .radius = 0.5, CUBE(500)},
    };
    return build_spheres(self, options, &(sphere_plan){PLAN(500, groups)});
}

const char *build_very_inhomogeneous(scene *self, const scene_options *options) {
    static const sphere_group groups[] = {
        {.count = 8000, .radius = 0.5, CUBE(40)},
        {.count = 68000, .radius = 0.5, CUBE(100)},
        {.count = 4000, .radius = 0.5, CUBE(2000)},
    };
    return build_spheres(self, options, &(sphere_plan){PLAN(2000, groups)});
}

// A 4x4x4 board; objects fill the 32 squares of one colour.
const char *build_checkerboard(scene *self, const scene_options *options) {
    sphere_group groups[32];
    size_t group_count = 0;
    for (unsigned field = 0; field < 64; ++field) {
        const unsigned x = field % 4, y = field / 4 % 4, z = field / 16;
        if ((x + y + z) % 2 == 0) {
            groups[group_count++] = (sphere_group){.count = 31250,
                                                   .radius = 0.5,
                                                   .min = {100.0 * x, 100.0 * y, 100.0 * z},
                                                   .max = {100.0 * (x + 1), 100.0 * (y + 1), 100.0 * (z + 1)}};
        }
    }
    return build_spheres(self, options, &(sphere_plan){PLAN(400, groups)});
}

const char *build_polydisperse(scene *self, const scene_options *options) {
    static const sphere_group groups[] = {
        {.count = 12500, .radius = 2, CUBE(200)},
        {.count = 12500, .radius = 1, CUBE(200)},
        {.count = 12500, .radius = 0.5, CUBE(200)},
        {.count = 12500, .radius = 0.25, CUBE(200)},
    };
    return build_spheres(self, options, &(sphere_plan){PLAN(200, groups)});
}

const char *build_more_polydisperse(scene *self, const scene_options *options) {
    static const sphere_group groups[] = {
        {.count = 320, .radius = 20, CUBE(400)},
        {.count = 2880, .radius = 2.5, CUBE(400)},
        {.count = 12800, .radius = 1, CUBE(400)},
        {.count = 64000, .radius = 0.5, CUBE(400)},
    };
    return build_spheres(self, options, &(sphere_plan){PLAN(400, groups)});
}

const char *build_very_polydisperse(scene *self, const scene_options *options) {
    static const sphere_group groups[] = {
        {.count = 1, .radius = 180, CUBE(400)},
        {.count = 39999, .radius = 0.5, CUBE(400)},
    };
    return build_spheres(self, options, &(sphere_plan){PLAN(400, groups), .has_giant = true});
}

// No walls, overlap allowed, and a fixed domain: here the density grows with the number of objects.
const char *build_scaling(scene *self, const scene_options *options) {
    set_cubes(self, 1, 1);
    set_zone(self, NULL, 1024, NULL);
    place_uniformly(self);
    set_velocities(self, options->motion);
    return NULL;
}
