#include "pour.h"

#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PICTURES = 6 };

static const double least_radius = 0.8, most_radius = 1.2;

static double random_unit(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state / 4294967296.0;
}

// A column of layers, as high as wide, each grain a little off its place; a color for each eighth of the height.
static void pile_up(granular_system *s, unsigned char *colors) {
    const size_t side = (size_t)ceil(cbrt((double)s->grain_count)), layers = s->grain_count / (side * side) + 1;
    const double spacing = 2.05 * most_radius;
    uint32_t random = 7;
    for (size_t i = 0; i < s->grain_count; ++i) {
        const size_t cell[3] = {i % side, i / side % side, i / (side * side)};
        granular_grain *g = &s->grains[i];
        *g = (granular_grain){.radius = least_radius + (most_radius - least_radius) * random_unit(&random)};
        g->mass = granular_mass_of(g->radius);
        for (int axis = 0; axis < 3; ++axis) {
            const double off = (spacing - 2.0 * g->radius) * (random_unit(&random) - 0.5);
            g->place[axis] = spacing * ((double)cell[axis] + 0.5) + off;
        }
        colors[i] = (unsigned char)(8 * cell[2] / layers);
    }
}

static granular_material material_of(double height) {
    // So stiff that what lies at the bottom of the column gives way by a twentieth of a radius.
    const double stiffness = 20.0 * granular_mass_of(1.0) * 0.5 * height;
    const double damping = granular_damping(stiffness, granular_mass_of(1.0), 0.2);
    return (granular_material){.stiffness = stiffness,
                               .tangential_stiffness = 2.0 / 7.0 * stiffness,
                               .damping = damping,
                               .tangential_damping = 0.5 * damping,
                               .friction = 0.7};
}

static void put_walls(granular_pour *p) {
    const granular_wall walls[5] = {{2, 0, 1}, {0, 0, 1}, {0, p->size[0], -1}, {1, 0, 1}, {1, p->size[1], -1}};
    memcpy(p->walls, walls, sizeof walls);
    p->system.walls = p->walls;
    p->system.wall_count = sizeof walls / sizeof *walls;
}

int granular_pour_begin(granular_pour *p, size_t grain_count) {
    const double height = 2.05 * most_radius * ceil(cbrt((double)grain_count));
    *p = (granular_pour){.size = {3.0 * height, height, height}, .margin = 0.15};
    p->system = (granular_system){.grain_count = grain_count, .material = material_of(height), .gravity = {0, 0, -1}};
    p->colors = calloc(grain_count, 1);
    p->system.grains = calloc(grain_count, sizeof *p->system.grains);
    if (p->colors == NULL || p->system.grains == NULL) {
        granular_pour_end(p);
        return 0;
    }
    put_walls(p);
    pile_up(&p->system, p->colors);
    p->system.time_step = granular_time_step(&p->system);
    return 1;
}

void granular_pour_end(granular_pour *p) {
    free(p->system.grains);
    free(p->colors);
    memset(p, 0, sizeof *p);
}

int granular_pour_is_due(size_t step, size_t steps) {
    return step * (PICTURES - 1) % steps < PICTURES - 1;
}

int granular_pour_draw(const granular_pour *p, size_t step, size_t steps, const char *name) {
    char path[512];
    const double origin[3] = {0, 0, 0};
    (void)snprintf(path, sizeof path, "%s-%zu.svg", name, step * (PICTURES - 1) / steps);
    return granular_draw(&p->system, p->colors, origin, p->size, path);
}
