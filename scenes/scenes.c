#include "scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "surface.h"

// ---------------------------------------------------------------------------------------------------------------------
// The table. To add a scene, write a builder and add a row

typedef struct scene_kind {
    const char *name;
    size_t count;  // default of options.count
    double motion; // default of options.motion; 0: nothing moves. zych uses options.velocity unless this is 0
    size_t wall_count;
    scene_builder *build;
    const char *summary;
} scene_kind;

static const scene_kind KINDS[] = {
    {"uniform", 10000, 0.2, 0, build_uniform, "unit cubes, homogeneous"},
    {"low-motion", 10000, 0.01, 0, build_uniform, "unit cubes that hardly move"},
    {"mixed", 10000, 0.2, 0, build_mixed, "cubes, sizes uniform from 1 to 12"},
    {"long", 10000, 0.2, 0, build_long, "cuboids 10x1x1 along any axis"},
    {"flat", 10000, 0.2, 0, build_flat, "cuboids 10x10x1 across any axis"},
    {"stretched", 10000, 0.2, 0, build_stretched, "unit cubes in a domain 1024 times as long as wide"},
    {"sparse", 10000, 0.2, 0, build_sparse, "as uniform, sizes divided by 100,000: hardly any pairs"},
    {"reference", 100000, 0.01, SPHERE_WALL_COUNT, build_reference, "equal spheres, homogeneous, six walls"},
    {"inhomogeneous", 100000, 0.01, SPHERE_WALL_COUNT, build_inhomogeneous, "spheres in three regions, six walls"},
    {"very-inhomogeneous", 80000, 0.01, SPHERE_WALL_COUNT, build_very_inhomogeneous,
     "spheres in one corner of a large domain, six walls"},
    {"checkerboard", 1000000, 0.01, SPHERE_WALL_COUNT, build_checkerboard,
     "spheres in half of 4x4x4 fields, six walls"},
    {"polydisperse", 50000, 0.01, SPHERE_WALL_COUNT, build_polydisperse, "spheres of four sizes up to 8:1, six walls"},
    {"more-polydisperse", 80000, 0.01, SPHERE_WALL_COUNT, build_more_polydisperse,
     "spheres of four sizes up to 40:1, six walls"},
    {"very-polydisperse", 40000, 0.01, SPHERE_WALL_COUNT, build_very_polydisperse,
     "one giant sphere among small ones, six walls"},
    {"scaling", 10000, 0.01, 0, build_scaling, "unit cubes in a domain of 1024^3, whatever their number"},
    {"uniform-2d", 10000, 0.2, 0, build_uniform_2d, "unit squares, homogeneous, in two dimensions"},
    {"clustered-2d", 10000, 0.2, 0, build_clustered_2d, "unit squares in 32 clusters, in two dimensions"},
    {"zych", 1000, 1, 0, build_zych, "cubes with beta-distributed sizes and changing velocities"},
    {"identical", 1000, 0.2, 0, build_identical, "all boxes the same: every pair overlaps"},
    {"one-cell", 10000, 0.2, 0, build_one_cell, "tiny boxes inside one large one"},
    {"points", 10000, 0.2, 0, build_points, "boxes of size 0, some coincide"},
    {"touching", 10000, 0, 0, build_touching, "a lattice of unit cubes that share faces"},
    {"far", 10000, 0.2, 0, build_far, "around 1e7 and 1e30 with all signs, at the floats' resolution"},
    {"tiny-and-huge", 10000, 0.2, 0, build_tiny_and_huge, "sizes and positions from 1e-30 to 1e30"},
    {"negative", 10000, 0.2, 0, build_negative, "unit cubes around the origin"},
    {"planes", 10000, 0.2, PLANES_WALL_COUNT, build_planes, "thin sheets among infinite planes, slabs and half-spaces"},
    {"scan", 100000, 0.2, 0, build_scan, "triangles of a closed surface with bumps, finer on one side"},
    {"scan-pair", 100000, 0.2, 0, build_scan_pair, "such a surface against a copy beside it"},
    {"cloth", 100000, 0.2, 0, build_cloth, "triangles of a cloth in folds that touch"},
    {"cloth-on-body", 100000, 0.2, 0, build_cloth_on_body, "triangles of a cloth against those of a body under it"},
    {"terrain", 100000, 0.2, 0, build_terrain, "triangles of a terrain against those of things that lie on it"},
};

size_t scene_count(void) {
    return sizeof KINDS / sizeof KINDS[0];
}

const char *scene_name(size_t index) {
    return index < scene_count() ? KINDS[index].name : NULL;
}

const char *scene_summary(size_t index) {
    return index < scene_count() ? KINDS[index].summary : NULL;
}

static const scene_kind *find_kind(const char *name) {
    for (size_t i = 0; name && i < scene_count(); ++i) {
        if (strcmp(KINDS[i].name, name) == 0) {
            return &KINDS[i];
        }
    }
    return NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// Options

// The ranges are large, but exclude values for which a scene would compute infinities. A NaN is in no range.
static bool is_within(double value, double low, double high) {
    return value >= low && value <= high;
}

static const char *check_options(const scene_options *o, size_t wall_count) {
    if (o->count > BP_MAX_COUNT - wall_count) {
        return "there may be at most 4294967294 objects, walls included";
    }
    if (!is_within(o->pairs_per_object, 1e-6, 1e9)) {
        return "pairs per object must be between 1e-6 and 1e9";
    }
    if (!is_within(o->motion, 0, 1000)) {
        return "motion must be at most 1000 (negative: none)";
    }
    if (!is_within(o->density, 1e-9, 1e9)) {
        return "density must be between 1e-9 and 1e9";
    }
    if (!is_within(o->velocity, 0, 1e6)) {
        return "velocity must be between 0 and 1e6";
    }
    if (!is_within(o->static_share, 0, 1)) {
        return "the static share must be between 0 and 1";
    }
    if (!is_within(o->extent, 1, 1e6)) {
        return "extent must be between 1 and 1e6";
    }
    const bool hump = is_within(o->alpha, 1, 1e6) && is_within(o->beta, 1, 1e6);
    const bool bathtub = is_within(o->alpha, 0.01, 1) && is_within(o->beta, 0.01, 1);
    return hump || bathtub ? NULL : "alpha and beta must be both within 0.01 .. 1 or both within 1 .. 1e6";
}

static double default_to(double value, double fallback) {
    return value == 0 ? fallback : value;
}

static scene_options with_defaults(const scene_options *given, const scene_kind *kind) {
    scene_options o = given ? *given : (scene_options){0};
    o.count = o.count == 0 ? kind->count : o.count;
    o.pairs_per_object = default_to(o.pairs_per_object, 2);
    o.motion = o.motion < 0 ? 0 : default_to(o.motion, kind->motion);
    o.density = default_to(o.density, 0.05);
    o.velocity = default_to(o.velocity, 0.64);
    o.alpha = default_to(o.alpha, 100);
    o.beta = default_to(o.beta, 100);
    o.extent = default_to(o.extent, 2048);
    return o;
}

// ---------------------------------------------------------------------------------------------------------------------
// Creating and destroying

static void refresh_boxes(scene *self) {
    if (self->surface) {
        surface_boxes(self->surface, self->boxes);
        return;
    }
    for (size_t i = 0; i < self->finite_count; ++i) {
        self->boxes[i] = box_of_body(&self->bodies[i]);
    }
}

static scene *allocate_scene(const scene_kind *kind, const scene_options *options) {
    scene *made = calloc(1, sizeof *made);
    if (!made) {
        return NULL;
    }
    made->finite_count = options->count;
    made->wall_count = kind->wall_count;
    made->first_count = scene_box_count(made) / 2;
    made->dimensions = 3;
    made->random = rng_seeded(options->seed);
    made->bodies = calloc(made->finite_count, sizeof *made->bodies);
    made->boxes = calloc(scene_box_count(made), sizeof *made->boxes);
    if (!made->bodies || !made->boxes) {
        scene_destroy(made);
        return NULL;
    }
    return made;
}

scene *scene_create(const char *name, const scene_options *options, const char **error) {
    const scene_kind *kind = find_kind(name);
    if (!kind) {
        *error = "there is no scene of that name";
        return NULL;
    }
    const scene_options complete = with_defaults(options, kind);
    *error = check_options(&complete, kind->wall_count);
    if (*error) {
        return NULL;
    }
    scene *made = allocate_scene(kind, &complete);
    *error = made ? kind->build(made, &complete) : "out of memory";
    if (*error) {
        scene_destroy(made);
        return NULL;
    }
    refresh_boxes(made);
    return made;
}

void scene_destroy(scene *self) {
    if (self) {
        surface_free(self->surface);
        free(self->bodies);
        free(self->boxes);
        free(self);
    }
}

const bp_box *scene_boxes(const scene *self) {
    return self->boxes;
}

size_t scene_box_count(const scene *self) {
    return self->finite_count + self->wall_count;
}

size_t scene_finite_count(const scene *self) {
    return self->finite_count;
}

size_t scene_first_count(const scene *self) {
    return self->first_count;
}

uint32_t scene_dimensions(const scene *self) {
    return self->dimensions;
}

// ---------------------------------------------------------------------------------------------------------------------
// Motion

static double wrap(double x, double low, double high) {
    if (x >= low && x < high) {
        return x;
    }
    const double length = high - low;
    const double wrapped = length > 0 ? x - length * floor((x - low) / length) : low;
    return wrapped >= low && wrapped < high ? wrapped : low;
}

// Reverses the velocity at the border. A body larger than its zone stays where it is.
static double reflect(double x, double low, double high, float *velocity) {
    if (x >= low && x <= high) {
        return x;
    }
    const double before = x - (double)*velocity;
    const double back = x < low ? 2 * low - x : 2 * high - x;
    *velocity = -*velocity;
    return back >= low && back <= high ? back : before;
}

static void move_body(scene_body *body, const scene_zone *zone, bool reflects) {
    for (size_t axis = 0; axis < 3; ++axis) {
        const double moved = body->center[axis] + (double)body->velocity[axis];
        const double half = body->half[axis];
        body->center[axis] = reflects
                                 ? reflect(moved, zone->min[axis] + half, zone->max[axis] - half, &body->velocity[axis])
                                 : wrap(moved, zone->min[axis], zone->max[axis]);
    }
}

static void move_bodies(scene *self) {
    if (self->redraw && self->step_count > 0 && self->step_count % self->redraw_interval == 0) {
        self->redraw(self);
    }
    for (size_t i = 0; i < self->finite_count; ++i) {
        move_body(&self->bodies[i], zone_of(self, i), self->reflects);
    }
}

void scene_step(scene *self) {
    if (self->surface) {
        surface_step(self->surface);
    } else {
        move_bodies(self);
    }
    ++self->step_count;
    refresh_boxes(self);
}
