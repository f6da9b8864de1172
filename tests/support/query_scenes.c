#include "support/query_scenes.h"

#include <math.h>

static bp_box draw_cubes(rng *random, const bp_box *others, size_t count) {
    (void)others, (void)count;
    return random_cube(random, 14.0, 1.0);
}

// Small whole numbers, so that faces, edges and corners meet; some boxes are flat or points.
static bp_box draw_lattice(rng *random, const bp_box *others, size_t count) {
    bp_box box;
    (void)others, (void)count;
    for (int axis = 0; axis < 3; ++axis) {
        box.min[axis] = (float)rng_below(random, 13) - 6.0f;
        box.max[axis] = box.min[axis] + (float)rng_below(random, 3);
    }
    return box;
}

static bp_box draw_sizes(rng *random, const bp_box *others, size_t count) {
    (void)others, (void)count;
    return random_cube(random, 20.0, (double)random_magnitude(random, 1e-3, 8.0));
}

// A few clumps, so far apart that all grids are folded.
static bp_box draw_clumps(rng *random, const bp_box *others, size_t count) {
    bp_box box = random_cube(random, 6.0, (double)random_magnitude(random, 0.2, 0.5));
    (void)others, (void)count;
    for (int axis = 0; axis < 3; ++axis) {
        const float centre = (float)rng_below(random, 3) * 777.0f;
        box.min[axis] += centre;
        box.max[axis] += centre;
    }
    return box;
}

static bp_box draw_long(rng *random, const bp_box *others, size_t count) {
    bp_box box = random_cube(random, 16.0, 0.1);
    (void)others, (void)count;
    box.max[rng_below(random, 3)] += random_magnitude(random, 0.1, 20.0);
    return box;
}

// Where floats are coarse.
static bp_box draw_far(rng *random, const bp_box *others, size_t count) {
    bp_box box = random_cube(random, 12.0, 1.5);
    (void)others, (void)count;
    for (int axis = 0; axis < 3; ++axis) {
        box.min[axis] += 4e6f;
        box.max[axis] += 4e6f;
    }
    return box;
}

// Along each axis: an interval, half of it, all of it, or nothing but one of its infinite ends.
static bp_box draw_infinite(rng *random, const bp_box *others, size_t count) {
    bp_box box = draw_lattice(random, others, count);
    for (int axis = 0; axis < 3; ++axis) {
        const uint32_t kind = rng_below(random, 10);
        const bool from_low = kind == 0 || kind == 1 || kind == 2, to_high = kind == 0 || kind == 3 || kind == 4;
        box.min[axis] = from_low ? -INFINITY : kind == 4 ? INFINITY : box.min[axis];
        box.max[axis] = to_high ? INFINITY : kind == 1 ? -INFINITY : box.max[axis];
    }
    return box;
}

const query_scene query_scenes[QUERY_SCENES] = {
    {"wild", random_wild_box}, {"cubes", draw_cubes}, {"lattice", draw_lattice}, {"sizes", draw_sizes},
    {"clumps", draw_clumps},   {"long", draw_long},   {"far", draw_far},         {"infinite", draw_infinite},
};
