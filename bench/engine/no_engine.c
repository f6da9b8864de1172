// In place of engine.cpp and zych_world.cpp, where Bullet is not found.
#include "engine/engine.h"
#include "engine/zych_world.h"

const engine_contestant *const engine_contestants = 0;
const engine_scene *const engine_scenes = 0;

engine *engine_create(size_t scene, size_t objects, size_t contestant) {
    (void)scene, (void)objects, (void)contestant;
    return 0;
}
void engine_step(engine *engine, engine_times *times) {
    (void)engine, (void)times;
}
engine_sight engine_look(engine *engine) {
    (void)engine;
    return (engine_sight){0};
}
void engine_follow(engine *follower, const engine *leader) {
    (void)follower, (void)leader;
}
void engine_destroy(engine *engine) {
    (void)engine;
}

const engine_contestant *const zych_contestants = 0;

zych_world *zych_world_create(const zych_factors *factors, size_t contestant) {
    (void)factors, (void)contestant;
    return 0;
}
void zych_world_step(zych_world *world, zych_times *times) {
    (void)world, (void)times;
}
zych_sight zych_world_look(zych_world *world) {
    (void)world;
    return (zych_sight){0};
}
engine_sight zych_world_verify(zych_world *world) {
    (void)world;
    return (engine_sight){0};
}
void zych_world_boxes(const zych_world *world, bp_box *boxes) {
    (void)world, (void)boxes;
}
void zych_world_destroy(zych_world *world) {
    (void)world;
}
