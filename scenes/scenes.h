// The scenes of the literature, and surfaces of triangles, by name and random seed: one table for tests, benchmarks and the tool.
//
// A scene is a set of moving boxes, or two sets for those who ask where it can be cut. The same name and options give the same bytes on every machine: scenes use only
// integer arithmetic and the five operations that IEEE 754 rounds exactly (+ - * / sqrt). (The compiler must not fuse
// a * b + c into one operation: -ffp-contract=off.)
#ifndef BP_SCENES_H
#define BP_SCENES_H

#include <broadphase/broadphase.h>

typedef struct scene scene;

// Zero means the scene's own default.
typedef struct scene_options {
    size_t count;            // finite objects; the walls of a scene come after them. 0: the literature's number
    uint64_t seed;           // any number
    double pairs_per_object; // determines the density, in scenes where it is free
    double motion;           // largest move per step, as a share of the object's longest edge; negative: nothing moves
    double density;          // zych: objects per unit volume
    double velocity;         // zych: mean speed, units per step
    double static_share;     // zych: share of objects that never move
    double alpha, beta;      // zych: the beta distribution of sizes; both >= 1 (a hump) or both <= 1 (a bathtub)
    double extent;           // uniform-2d, clustered-2d: edge of the scene in cells of the objects' size
} scene_options;

size_t scene_count(void);
const char *scene_name(size_t index);
const char *scene_summary(size_t index);

// `options` may be NULL: all defaults. Returns NULL if there is no scene of that name, the options are invalid, or
// memory is short; then *error points to a static message. `error` must not be NULL.
scene *scene_create(const char *name, const scene_options *options, const char **error);
void scene_destroy(scene *self);

// All boxes, finite ones first, walls last. The array keeps its address; each step changes its contents.
const bp_box *scene_boxes(const scene *self);
size_t scene_box_count(const scene *self);
size_t scene_finite_count(const scene *self);
// Where to cut the boxes into two sets that are searched against each other: so many belong to the first one. Scenes of
// two surfaces are cut between them, all others in the middle.
size_t scene_first_count(const scene *self);
// 2 or 3, the value for bp_config.dimensions.
uint32_t scene_dimensions(const scene *self);

// One step of motion: every object moves by its velocity. At the scene's border it bounces off the walls or, where
// there are none, its centre wraps around to the other side (the box itself is not cut). Walls do not move. Surfaces
// deform; their motion is a share of the mean of all triangles' longest edges.
void scene_step(scene *self);

#endif
