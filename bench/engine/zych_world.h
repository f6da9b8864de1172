// The world of Zych 2016, section 4.1, inside Bullet: bodies of random shapes and sizes that fly about and push each
// other away. For the suite zych.
//
//     create; then zych_world_step for each step and, outside of all times, zych_world_look; destroy.
#ifndef BENCH_ZYCH_WORLD_H
#define BENCH_ZYCH_WORLD_H

#include "engine/engine.h"

#include <broadphase/broadphase.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum zych_shape {
    ZYCH_BOX,
    ZYCH_SPHERE,
    ZYCH_CYLINDER,
    ZYCH_CONE,
    ZYCH_CAPSULE,
    ZYCH_BASIC_SHAPES,
    ZYCH_COMPOUND = ZYCH_BASIC_SHAPES, // nine of the above
    ZYCH_ANY,                          // one of the above except compounds, at random
    ZYCH_SHAPES
} zych_shape;

typedef struct zych_factors {
    size_t objects;
    double alpha;        // and beta, of the distribution of sizes, drawn for each dimension by itself; their mean is 1
    double static_share; // of the objects
    double velocity;     // mean, in units a step; drawn anew in every tenth step
    double density;      // objects in a unit of volume
    zych_shape shape;
    bool penetrable; // collisions are found, contact points and all, but nobody is pushed away
    bool terrain;    // they lie on hills of triangles, and are pulled down
} zych_factors;

// The contestants; who = NULL ends the list. NULL: not built.
extern const engine_contestant *const zych_contestants;

// Processor seconds of the stages of a step's collision detection.
typedef struct zych_times {
    double update; // boxes of all objects, and the structure of the broad phase
    double find;   // pairs of boxes
    double narrow; // contact points
} zych_times;

typedef struct zych_sight {
    size_t possible; // pairs that the narrow phase was given
    size_t actual;   // of these, with contact points
    size_t contacts; // these points
} zych_sight;

typedef struct zych_world zych_world;

zych_world *zych_world_create(const zych_factors *factors, size_t contestant); // NULL: failed
void zych_world_step(zych_world *world, zych_times *times);
zych_sight zych_world_look(zych_world *world);
// Whether the pairs are right; slow.
engine_sight zych_world_verify(zych_world *world);
// The boxes of all objects, as many as there are.
void zych_world_boxes(const zych_world *world, bp_box *boxes);
void zych_world_destroy(zych_world *world);

#ifdef __cplusplus
}
#endif

#endif
