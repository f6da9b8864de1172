// The data of a scene, and helpers for its builder. Internal to scenes/.
//
//     scenes.c              the table; create, step, destroy
//     cuboid_scenes.c       homogeneous cuboids of many shapes, two dimensions, zych
//     sphere_scenes.c       spheres between walls; sphere_grid.c keeps them from overlapping
//     adversarial_scenes.c  scenes that break broad phases
//     surface.h             surfaces of triangles: scans, cloth, a terrain
//     scene_parts.c         domains, positions, velocities
//     density.c             the size of a domain for a wanted number of pairs
//     random.c arithmetic.c the same numbers on every machine
//
// The hostile scenes (hostile.h) stand apart: they do not move, and may be two sets.
#ifndef BP_SCENE_PARTS_H
#define BP_SCENE_PARTS_H

#include <stdbool.h>

#include "random.h"
#include "scenes.h"

// Positions are doubles so that a slow object far from the origin still moves, and so that rounding at each step does
// not change its size, which is in floats.
typedef struct scene_body {
    double center[3];
    float velocity[3];
    float half[3];
} scene_body;

// A part of space that bodies do not leave.
typedef struct scene_zone {
    double min[3];
    double max[3];
} scene_zone;

enum { SCENE_MAX_ZONES = 33 };

struct surface;

struct scene {
    bp_box *boxes; // of the bodies, then of the walls
    scene_body *bodies;
    size_t finite_count;
    size_t wall_count;
    size_t first_count;      // boxes of the first of two sets
    struct surface *surface; // whose triangles' boxes the scene has, instead of bodies; or NULL
    uint32_t dimensions;
    rng random;
    scene_zone zones[SCENE_MAX_ZONES]; // body i lives in zone i % zone_count
    size_t zone_count;
    bool reflects;            // bodies bounce off the border of their zone; otherwise centres wrap around
    void (*redraw)(scene *);  // chooses new velocities; may be NULL
    uint64_t redraw_interval; // steps from one redraw to the next
    uint64_t step_count;
    double mean_speed;   // zych
    double static_share; // zych
};

// Builders fill in the bodies, zones and walls of a scene whose counts and random numbers are set. In the options every
// default is filled in, and motion is >= 0. They return NULL, or a static error message.
typedef const char *scene_builder(scene *self, const scene_options *options);

scene_builder build_uniform, build_mixed, build_long, build_flat, build_stretched, build_sparse;
scene_builder build_uniform_2d, build_clustered_2d, build_zych;
scene_builder build_reference, build_inhomogeneous, build_very_inhomogeneous, build_checkerboard;
scene_builder build_polydisperse, build_more_polydisperse, build_very_polydisperse, build_scaling;
scene_builder build_identical, build_one_cell, build_points, build_touching;
scene_builder build_scan, build_scan_pair, build_cloth, build_cloth_on_body, build_terrain;
scene_builder build_far, build_tiny_and_huge, build_negative, build_planes;

enum { SPHERE_WALL_COUNT = 6, PLANES_WALL_COUNT = 24 };

// ---------------------------------------------------------------------------------------------------------------------
// Parts

const scene_zone *zone_of(const scene *self, size_t index);
// All bodies are in one box that starts at `origin` (NULL: 0, 0, 0) and has the edges edge * aspect (NULL: a cube).
void set_zone(scene *self, const double *origin, double edge, const double *aspect);
void set_size(scene_body *body, double x, double y, double z);
// Cubes with sizes uniform in [smallest, largest].
void set_cubes(scene *self, double smallest, double largest);
void scale_sizes(scene *self, double factor);
// The longest edge. Motion is a share of it.
double body_size(const scene_body *body);
// Places each body uniformly in its zone: the whole body if the scene reflects, otherwise its centre.
void place_uniformly(scene *self);
// In a random direction.
void set_velocity(scene *self, scene_body *body, double speed);
// In random directions, with speeds uniform in [0, motion * size].
void set_velocities(scene *self, double motion);
bp_box box_of_body(const scene_body *body);

// The edge of the smallest domain, edge * aspect (NULL: a cube), in which `count` bodies with sizes like the scene's
// and uniformly distributed centres have at most `pairs` pairs per body.
double solve_edge(const scene *self, size_t count, double pairs, const double *aspect);

#endif
