// A physics engine (Bullet) stepped with one of several broad phases: the interface for the suite engine.
//
//     create; then for each step engine_step, which is timed, engine_look and engine_follow, which are not; destroy.
#ifndef BENCH_ENGINE_H
#define BENCH_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct engine_contestant {
    const char *who; // NULL ends the list
    const char *method;
    const char *note;
    size_t max_objects; // 0: any number
} engine_contestant;

typedef struct engine_scene {
    const char *name; // NULL ends the list
    size_t objects;   // that move
    size_t steps;     // that are run, unless more or fewer are asked for
    bool has_rays;
} engine_scene;

// NULL: not built.
extern const engine_contestant *const engine_contestants;
extern const engine_scene *const engine_scenes;

// Processor seconds.
typedef struct engine_times {
    double set;  // setAabb of all objects; in the first step createProxy, too
    double find; // calculateOverlappingPairs
    double rays; // all rays through the broad phase alone
    double step; // the whole step, rays and all
} engine_times;

typedef struct engine_sight {
    size_t pairs;  // of boxes that overlap, found one by one
    size_t given;  // pairs in the cache, which the narrow phase has to look at
    size_t wrong;  // pairs that are in one of these lists only, those in the cache whose boxes do not overlap left out
    uint64_t hash; // of the pairs of boxes
} engine_sight;

typedef struct engine engine;

engine *engine_create(size_t scene, size_t objects, size_t contestant); // NULL: failed
void engine_step(engine *engine, engine_times *times);
engine_sight engine_look(engine *engine);
// Moves all bodies to where they are in the leader's world, as fast, and awake or not: pairs in another order give other
// impulses, and worlds that drift apart have different work to do.
void engine_follow(engine *follower, const engine *leader);
void engine_destroy(engine *engine);

#ifdef __cplusplus
}
#endif

#endif
