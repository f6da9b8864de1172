// Homogeneous scenes of cuboids after Schornbaum 2009, section 4; two-dimensional scenes after Zhyhallo and
// Wozna-Szczesniak, section 3; and the scene of Zych 2016, section 4.1. docs/methods.md has the full titles.
#include "scene_parts.h"

#include <math.h>

#include "arithmetic.h"

// ---------------------------------------------------------------------------------------------------------------------
// Three dimensions: the wanted number of pairs determines the size of the domain

static void fill_domain(scene *self, const scene_options *options, const double *aspect) {
    const double edge = solve_edge(self, self->finite_count, options->pairs_per_object, aspect);
    set_zone(self, NULL, edge, aspect);
    place_uniformly(self);
    set_velocities(self, options->motion);
}

const char *build_uniform(scene *self, const scene_options *options) {
    set_cubes(self, 1, 1);
    fill_domain(self, options, NULL);
    return NULL;
}

const char *build_mixed(scene *self, const scene_options *options) {
    set_cubes(self, 1, 12);
    fill_domain(self, options, NULL);
    return NULL;
}

// One randomly chosen axis differs from the other two.
static void set_cuboids(scene *self, double odd, double even) {
    for (size_t i = 0; i < self->finite_count; ++i) {
        double size[3] = {even, even, even};
        size[rng_below(&self->random, 3)] = odd;
        set_size(&self->bodies[i], size[0], size[1], size[2]);
    }
}

const char *build_long(scene *self, const scene_options *options) {
    set_cuboids(self, 10, 1);
    fill_domain(self, options, NULL);
    return NULL;
}

const char *build_flat(scene *self, const scene_options *options) {
    set_cuboids(self, 1, 10);
    fill_domain(self, options, NULL);
    return NULL;
}

const char *build_stretched(scene *self, const scene_options *options) {
    static const double aspect[3] = {1024, 1, 1};
    set_cubes(self, 1, 1);
    fill_domain(self, options, aspect);
    return NULL;
}

// As many objects per volume as `uniform`, but hardly any of them overlap.
const char *build_sparse(scene *self, const scene_options *options) {
    set_cubes(self, 1, 1);
    const double edge = solve_edge(self, self->finite_count, options->pairs_per_object, NULL);
    set_zone(self, NULL, edge, NULL);
    place_uniformly(self);
    scale_sizes(self, 1e-5);
    set_velocities(self, options->motion);
    return NULL;
}

// `uniform` around the origin: half of all coordinates are negative, and many boxes straddle a coordinate plane.
const char *build_negative(scene *self, const scene_options *options) {
    set_cubes(self, 1, 1);
    const double edge = solve_edge(self, self->finite_count, options->pairs_per_object, NULL);
    const double origin[3] = {-edge / 2, -edge / 2, -edge / 2};
    set_zone(self, origin, edge, NULL);
    place_uniformly(self);
    set_velocities(self, options->motion);
    return NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// Two dimensions: the options set the scene's edge, in cells of size 1; objects are unit squares at z = 0

static void set_squares(scene *self) {
    self->dimensions = 2;
    for (size_t i = 0; i < self->finite_count; ++i) {
        set_size(&self->bodies[i], 1, 1, 0);
    }
}

const char *build_uniform_2d(scene *self, const scene_options *options) {
    static const double aspect[3] = {1, 1, 0};
    set_squares(self);
    set_zone(self, NULL, options->extent, aspect);
    place_uniformly(self);
    set_velocities(self, options->motion);
    return NULL;
}

// A square part of the scene, 0.5 to 1.5 times `edge` wide.
static scene_zone cluster(rng *random, double edge, double extent) {
    scene_zone zone = {0};
    const double own_edge = edge * rng_between(random, 0.5, 1.5);
    for (size_t axis = 0; axis < 2; ++axis) {
        zone.min[axis] = rng_between(random, 0, extent - own_edge);
        zone.max[axis] = zone.min[axis] + own_edge;
    }
    return zone;
}

// 32 squares with equally many objects each, and one object in 33 anywhere. The wanted number of pairs determines the
// area of the squares, pairs = objects / area * 2^2 / 2, as long as they leave most of the scene empty. Objects stay in
// their square, so the scene is as clustered after a thousand steps as at the start.
const char *build_clustered_2d(scene *self, const scene_options *options) {
    enum { CLUSTERS = SCENE_MAX_ZONES - 1 };
    const double wanted_edge = sqrt((double)self->finite_count * 2 / options->pairs_per_object / CLUSTERS);
    const double largest_edge = options->extent / 12;
    for (size_t i = 0; i < CLUSTERS; ++i) {
        const double edge = wanted_edge < largest_edge ? wanted_edge : largest_edge;
        self->zones[i] = cluster(&self->random, edge, options->extent);
    }
    self->zones[CLUSTERS] = (scene_zone){.max = {options->extent, options->extent, 0}};
    self->zone_count = CLUSTERS + 1;
    set_squares(self);
    place_uniformly(self);
    set_velocities(self, options->motion);
    return NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// zych

// Static objects are spread evenly over the indices, and there are exactly floor(count * share) of them.
static bool is_static(size_t index, double share) {
    return floor(((double)index + 1) * share) > floor((double)index * share);
}

static void redraw_zych(scene *self) {
    for (size_t i = 0; i < self->finite_count; ++i) {
        const double speed = 2 * self->mean_speed * rng_unit(&self->random);
        set_velocity(self, &self->bodies[i], is_static(i, self->static_share) ? 0 : speed);
    }
}

// Zych 2016 names the distribution of sizes but not their unit. Here the mean size is 1 for all alpha and beta, so that
// the density alone determines how crowded the world is. The "40 units per one simulation step" cannot be meant: at the
// standard density the edge of a world of 1,000 objects is 27 units. Bullet's velocities are per second and a step
// lasts 16 ms, which makes 0.64 units per step, the default.
const char *build_zych(scene *self, const scene_options *options) {
    beta_distribution sizes;
    beta_prepare(&sizes, options->alpha, options->beta);
    const double unit = (options->alpha + options->beta) / options->alpha;
    for (size_t i = 0; i < self->finite_count; ++i) {
        const double size = unit * beta_draw(&sizes, &self->random);
        set_size(&self->bodies[i], size, size, size);
    }
    set_zone(self, NULL, cube_root((double)self->finite_count / options->density), NULL);
    place_uniformly(self);
    self->mean_speed = options->motion > 0 ? options->velocity : 0;
    self->static_share = options->static_share;
    self->redraw = redraw_zych;
    self->redraw_interval = 10;
    redraw_zych(self);
    return NULL;
}
