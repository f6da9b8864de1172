// A level of a game, written from what broadphase.h says: static ground, crates that fall on it, events, and a ray.
#include <broadphase/broadphase.h>
#include <stdio.h>

enum { SIDE = 10, CRATES = SIDE * SIDE, STEPS = 100 };
enum { GROUND = 1, CRATE = 2, PLAYER = 4 }; // groups are bits

static float heights[CRATES]; // y is up
static int has_landed[CRATES];
static bp_id tiles[CRATES], crates[CRATES];

// A tile has an edge of 2; a crate stands in the middle of it and has an edge of 1.
static bp_box box_at(int i, float bottom, float size) {
    const float inset = (2.0f - size) / 2.0f;
    const float x = 2.0f * (float)(i % SIDE) + inset, z = 2.0f * (float)(i / SIDE) + inset;
    return (bp_box){{x, bottom, z}, {x + size, bottom + 1.0f, z + size}};
}

static bp_status build(bp_world *world) {
    const bp_object ground = {.group = GROUND, .flags = BP_STATIC}, crate = {.group = CRATE};
    bp_box boxes[CRATES];
    for (int i = 0; i < CRATES; ++i) boxes[i] = box_at(i, -1.0f, 2.0f); // tiles touch, but static objects never pair
    bp_status status = bp_add_many(world, CRATES, boxes, NULL, tiles);
    for (int i = 0; i < CRATES && status == BP_OK; ++i) {
        heights[i] = 1.0f + 0.125f * (float)(i % 40);
        const bp_box box = box_at(i, heights[i], 1.0f);
        status = bp_set_object(world, tiles[i], &ground);
        if (status == BP_OK) status = bp_add(world, &box, &crate, &crates[i]);
    }
    return status;
}

static void fall(bp_box *boxes) {
    for (int i = 0; i < CRATES; ++i) {
        if (!has_landed[i]) heights[i] -= 0.125f;
        boxes[i] = box_at(i, heights[i], 1.0f);
    }
}

// Tiles were added first, so a pair of a crate and its tile is (tile, crate).
static int land(const bp_result *result) {
    for (size_t k = 0; k < result->begun_count; ++k) {
        const int i = (int)(result->begun[k].b - crates[0]);
        if (result->begun[k].a != tiles[i]) return 0;
        has_landed[i] = 1;
    }
    return 1;
}

// The nearest crate that the player sees, looking along a row of crates; BP_NO_ID: none.
static bp_id seen_in_row(const bp_world *world, int row) {
    const bp_object player = {.group = PLAYER, .mask = CRATE}; // looks through the ground
    const bp_ray ray = {.origin = {-5.0f, 0.5f, 2.0f * (float)row + 1.0f}, .direction = {1, 0, 0}, .max_t = 100.0f};
    bp_ray_hit hit;
    if (bp_query_ray(world, &ray, &player, &hit, 1, NULL) != BP_OK) return BP_NO_ID;
    if (hit.id != BP_NO_ID) printf("row %d: crate %u at a distance of %g\n", row, (unsigned)hit.id, (double)hit.t);
    return hit.id;
}

static int play(bp_world *world) {
    bp_box boxes[CRATES];
    bp_result result;
    size_t landed = 0;
    if (build(world) != BP_OK || seen_in_row(world, 5) != BP_NO_ID) return 1; // all crates are still in the air
    for (int step = 0; step < STEPS; ++step) {
        fall(boxes);
        if (bp_move_many(world, CRATES, crates, boxes) != BP_OK || bp_update(world, &result) != BP_OK) return 1;
        if (result.begun_count > 0) printf("step %d: %zu crates land\n", step, result.begun_count);
        if (!land(&result) || result.ended_count > 0) return 1;
        landed += result.begun_count;
    }
    if (landed != CRATES || seen_in_row(world, 5) != crates[5 * SIDE]) return 1;
    // A crate that is taken away leaves its tile, and the next one comes into view.
    if (bp_remove(world, crates[5 * SIDE]) != BP_OK || bp_update(world, &result) != BP_OK) return 1;
    return result.ended_count == 1 && seen_in_row(world, 5) == crates[5 * SIDE + 1] ? 0 : 1;
}

int main(void) {
    const bp_config config = {.flags = BP_EVENTS};
    bp_world *world = NULL;
    if (bp_world_create(&config, &world) != BP_OK) return 1;
    const int outcome = play(world);
    bp_world_destroy(world);
    return outcome;
}
