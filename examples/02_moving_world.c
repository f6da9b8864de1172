// A world of objects that live and move: a ball rolls along a row of boxes on a static floor.
#include <broadphase/broadphase.h>
#include <math.h>
#include <stdio.h>

static bp_box ball_at(float x) {
    return (bp_box){{x, 0.0f, 0.5f}, {x + 1.0f, 1.0f, 1.5f}};
}

// The floor: everything below z = 0.5. A coordinate may be infinite.
static const bp_box floor_box = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, 0.5f}};

static int run(bp_world *world) {
    const bp_object resting = {.flags = BP_STATIC}; // static objects never pair with each other
    bp_id floor_id, ball;
    if (bp_add(world, &floor_box, &resting, &floor_id) != BP_OK) return 1;
    for (int i = 0; i < 10; ++i) {
        const float x = 3.0f * (float)i + 2.0f;
        const bp_box box = {{x, 0.0f, 0.5f}, {x + 1.0f, 1.0f, 1.5f}};
        if (bp_add(world, &box, &resting, NULL) != BP_OK) return 1;
    }
    const bp_box start = ball_at(0.0f);
    if (bp_add(world, &start, NULL, &ball) != BP_OK) return 1;

    size_t touches = 0;
    for (int step = 0; step <= 100; ++step) {
        const bp_box here = ball_at(0.25f * (float)step);
        bp_result result;
        if (bp_move(world, ball, &here) != BP_OK || bp_update(world, &result) != BP_OK) return 1;
        for (size_t i = 0; i < result.pair_count; ++i) {
            touches += result.pairs[i].a != floor_id; // pairs are (smaller id, larger id)
        }
    }
    printf("the ball touched a box in %zu of 101 steps\n", touches);
    return touches == 73 ? 0 : 1;
}

int main(void) {
    const bp_config config = {.pair_order = BP_ORDER_SORTED};
    bp_world *world = NULL;
    if (bp_world_create(&config, &world) != BP_OK) return 1;
    const int outcome = run(world);
    bp_world_destroy(world);
    return outcome;
}
