// Asking a world: a shot that flies on through glass, a crate that is pushed, and a thousand rays at once.
#include <broadphase/broadphase.h>
#include <stdio.h>

enum { GLASS = 1, STONE = 2, WALLS = 20, RAYS = 1000 };

// Takes the walls one after the other, the nearest first; 0 ends the query.
static int shoot(void *context, bp_id id, double t, double *max_t) {
    const bp_world *world = context;
    bp_object object = {0};
    (void)max_t; // lower it where the shot has hit a shape before the end of its box
    if (bp_get_object(world, id, NULL, &object) != BP_OK) return 0;
    printf("wall %u at %g: %s\n", id, t, object.group == GLASS ? "glass" : "stone, which stops it");
    return object.group == GLASS;
}

int main(void) {
    bp_world *world = NULL;
    if (bp_world_create(NULL, &world) != BP_OK) return 1;
    for (int i = 0; i < WALLS; ++i) { // every fifth wall is of stone
        const bp_box wall = {{10.0f * (float)(i + 1), -5, -5}, {10.0f * (float)(i + 1) + 1, 5, 5}};
        const bp_object object = {.group = i % 5 == 4 ? STONE : GLASS};
        if (bp_add(world, &wall, &object, NULL) != BP_OK) return 1;
    }
    if (bp_update(world, NULL) != BP_OK) return 1;

    const bp_ray shot = {.origin = {0, 0, 0}, .direction = {1, 0, 0}, .max_t = 1000};
    if (bp_query_ray_each(world, &shot, NULL, shoot, world) != BP_OK) return 1;

    const bp_cast crate = {.box = {{0, 4, 0}, {2, 6, 2}}, .direction = {1, 0, 0}, .max_t = 1000};
    bp_ray_hit first;
    if (bp_query_cast(world, &crate, NULL, &first, 1, NULL) != BP_OK) return 1;
    printf("the crate can be pushed by %g, to wall %u\n", (double)first.t, first.id);

    bp_ray rays[RAYS];
    bp_answers answers = {0};
    for (int i = 0; i < RAYS; ++i)
        rays[i] = (bp_ray){.origin = {0, 0, 0}, .direction = {1, 0.002f * (float)i, 0}, .max_t = 300};
    if (bp_query_rays(world, RAYS, rays, 0, NULL, &answers) != BP_OK) return 1;
    printf("%d rays hit %zu walls, the last of them %zu\n", RAYS, answers.offsets[RAYS],
           answers.offsets[RAYS] - answers.offsets[RAYS - 1]);

    bp_answers_free(&answers, NULL);
    bp_world_destroy(world);
    return 0;
}
