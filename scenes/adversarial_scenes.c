// Scenes that break broad phases: each is valid input, and each has made some library lose pairs or become very slow.
#include "scene_parts.h"

#include <math.h>

#include "arithmetic.h"

// All boxes are identical, and move together so that they stay so. Every pair overlaps: choose the count with care.
const char *build_identical(scene *self, const scene_options *options) {
    set_cubes(self, 1, 1);
    set_zone(self, NULL, 16, NULL);
    place_uniformly(self);
    set_velocities(self, options->motion);
    for (size_t i = 1; i < self->finite_count; ++i) {
        self->bodies[i] = self->bodies[0];
    }
    return NULL;
}

// One box of size 1 that contains all others, which are so small that they have the wanted number of pairs among
// themselves. A grid whose cells are as large as its largest object has a single cell here.
const char *build_one_cell(scene *self, const scene_options *options) {
    set_cubes(self, 1, 2);
    scale_sizes(self, 1 / solve_edge(self, self->finite_count, options->pairs_per_object, NULL));
    set_zone(self, NULL, 1, NULL);
    self->reflects = true;
    place_uniformly(self);
    set_velocities(self, options->motion);
    self->bodies[0] = (scene_body){.center = {0.5, 0.5, 0.5}, .half = {0.5, 0.5, 0.5}};
    return NULL;
}

// Boxes of size 0. In the first half, points coincide in groups of three, and move together so that they keep doing so.
// Motion is a share of the mean spacing, because a point has no size.
const char *build_points(scene *self, const scene_options *options) {
    set_zone(self, NULL, cube_root((double)self->finite_count), NULL);
    place_uniformly(self);
    for (size_t i = 0; i < self->finite_count; ++i) {
        set_velocity(self, &self->bodies[i], rng_unit(&self->random) * options->motion);
    }
    for (size_t i = 0; i < self->finite_count / 2; ++i) {
        self->bodies[i] = self->bodies[i - i % 3];
    }
    return NULL;
}

static size_t lattice_edge(size_t count) {
    size_t edge = 1;
    while (edge * edge * edge < count) {
        ++edge;
    }
    return edge;
}

// Unit cubes at integer positions: neighbours share a face, an edge or a corner exactly. By default they do not move.
const char *build_touching(scene *self, const scene_options *options) {
    const size_t edge = lattice_edge(self->finite_count);
    set_cubes(self, 1, 1);
    set_zone(self, NULL, (double)edge, NULL);
    for (size_t i = 0; i < self->finite_count; ++i) {
        const size_t cell[3] = {i % edge, i / edge % edge, i / edge / edge};
        for (size_t axis = 0; axis < 3; ++axis) {
            self->bodies[i].center[axis] = (double)cell[axis] + 0.5;
        }
    }
    set_velocities(self, options->motion);
    return NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// far: sixteen small scenes, around (+-1e7, +-1e7, +-1e7) and (+-1e30, +-1e30, +-1e30)

// The edge of an object is 16 steps of float resolution: 16 * 1 at 1e7, 16 * 2^76 at 1e30. So coordinates are as coarse
// as they can be while boxes still have a size.
static scene_zone far_zone(size_t index, double local_edge) {
    const bool very_far = index & 8;
    const double offset = very_far ? 1e30 : 1e7;
    const double edge = local_edge * (very_far ? 0x1p80 : 16);
    scene_zone zone;
    for (size_t axis = 0; axis < 3; ++axis) {
        zone.min[axis] = index >> axis & 1 ? -offset : offset;
        zone.max[axis] = zone.min[axis] + edge;
    }
    return zone;
}

const char *build_far(scene *self, const scene_options *options) {
    enum { ZONES = 16 };
    set_cubes(self, 1, 1);
    const double edge = solve_edge(self, self->finite_count / ZONES, options->pairs_per_object, NULL);
    for (size_t i = 0; i < ZONES; ++i) {
        self->zones[i] = far_zone(i, edge);
    }
    self->zone_count = ZONES;
    for (size_t i = 0; i < self->finite_count; ++i) {
        const double size = i & 8 ? 0x1p80 : 16;
        set_size(&self->bodies[i], size, size, size);
    }
    place_uniformly(self);
    set_velocities(self, options->motion);
    return NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// tiny-and-huge: sizes from 1e-30 to 1e30. Shells surround the origin, each twice as large as the one inside it:
//
//     in shell R, the centre's coordinates are +-R .. +-2R, sizes are R/edge * 2^-0 .. 2^-7
//
// so that the scene is the same at every scale, and each shell has the wanted number of pairs. One object in eight is a
// speck, smaller by a random factor: far from the origin it is smaller than the float resolution there, and becomes a
// point. The first object covers everything.

enum { SHELLS = 192, SMALLEST_SHELL = -92, OCTANTS = 8, SIZES = 8, SPECK_SIZES = 90 };

// Sizes relative to their shell.
static void set_shell_sizes(scene *self) {
    for (size_t i = 0; i < self->finite_count; ++i) {
        const double size = ldexp(1, -(int)rng_below(&self->random, SIZES));
        set_size(&self->bodies[i], size, size, size);
    }
}

static void place_in_shell(rng *random, scene_body *body, double edge) {
    const double shell = ldexp(1, SMALLEST_SHELL + (int)rng_below(random, SHELLS));
    double size = body_size(body) * shell / edge;
    if (rng_below(random, 8) == 0) {
        size = ldexp(size, -(int)rng_below(random, SPECK_SIZES));
    }
    size = size < 0x1p-100 ? 0x1p-100 : size;
    set_size(body, size, size, size);
    for (size_t axis = 0; axis < 3; ++axis) {
        body->center[axis] = rng_sign(random) * rng_between(random, shell, 2 * shell);
    }
}

const char *build_tiny_and_huge(scene *self, const scene_options *options) {
    static const double origin[3] = {-0x1p102, -0x1p102, -0x1p102};
    set_shell_sizes(self);
    const size_t per_octant = self->finite_count / SHELLS / OCTANTS;
    const double edge = solve_edge(self, per_octant, options->pairs_per_object, NULL);
    for (size_t i = 0; i < self->finite_count; ++i) {
        place_in_shell(&self->random, &self->bodies[i], edge);
    }
    set_zone(self, origin, 0x1p103, NULL);
    set_velocities(self, options->motion);
    self->bodies[0] = (scene_body){.half = {0x1p101f, 0x1p101f, 0x1p101f}};
    return NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// planes: thin sheets, every second one of thickness 0, and 24 boxes that are infinite along some axes

static const bp_box EVERYTHING = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};

static void set_interval(bp_box *box, size_t axis, double low, double high) {
    box->min[axis] = (float)low;
    box->max[axis] = (float)high;
}

static bp_box infinite_box(rng *random, unsigned kind, size_t axis, double edge) {
    const size_t second = (axis + 1) % 3, third = (axis + 2) % 3;
    const double place = rng_between(random, 0, edge);
    const double other_place = rng_between(random, 0, edge);
    bp_box box = EVERYTHING;
    switch (kind) {
    case 0: // plane
        set_interval(&box, axis, place, place);
        break;
    case 1: // slab
        set_interval(&box, axis, place, place + 1);
        break;
    case 2: // half-space in the lowest tenth of the domain, so that it does not contain half of all objects
        set_interval(&box, axis, -INFINITY, place / 10);
        break;
    case 3: // half-space in the highest tenth
        set_interval(&box, axis, edge - place / 10, INFINITY);
        break;
    case 4: // column, infinite along one axis only
        set_interval(&box, second, place, place + 1);
        set_interval(&box, third, other_place, other_place + 1);
        break;
    default: // half a plane
        set_interval(&box, axis, place, place);
        set_interval(&box, second, other_place, INFINITY);
        break;
    }
    return box;
}

static void add_infinite_boxes(scene *self, double edge) {
    enum { KINDS = 6 };
    bp_box *boxes = &self->boxes[self->finite_count];
    for (unsigned i = 0; i + 1 < PLANES_WALL_COUNT; ++i) {
        boxes[i] = infinite_box(&self->random, i % KINDS, i / KINDS % 3, edge);
    }
    boxes[PLANES_WALL_COUNT - 1] = EVERYTHING;
}

static void set_sheets(scene *self) {
    for (size_t i = 0; i < self->finite_count; ++i) {
        double size[3] = {10, 10, 10};
        size[rng_below(&self->random, 3)] = i % 2 == 0 ? 0.01 : 0;
        set_size(&self->bodies[i], size[0], size[1], size[2]);
    }
}

const char *build_planes(scene *self, const scene_options *options) {
    set_sheets(self);
    const double edge = solve_edge(self, self->finite_count, options->pairs_per_object, NULL);
    set_zone(self, NULL, edge, NULL);
    place_uniformly(self);
    set_velocities(self, options->motion);
    add_infinite_boxes(self, edge);
    return NULL;
}
