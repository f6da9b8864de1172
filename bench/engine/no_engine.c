// In place of engine.cpp, where Bullet is not found.
#include "engine/engine.h"

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
void engine_destroy(engine *engine) {
    (void)engine;
}
