// A world of moving objects with begin and end events: a ball rolls along a row of boxes.
#include <broadphase/broadphase.h>
#include <math.h>
#include <stdio.h>

enum { ROW = 4 };

static bp_box ball_at(float x) {
    return (bp_box){{x, 0.0f, 0.5f}, {x + 1.0f, 1.0f, 1.5f}};
}

// The floor: everything below z = 0.5. A coordinate may be infinite.
static const bp_box floor_box = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, 0.5f}};

// The floor gets id 0, the boxes 1 to ROW, the ball the next.
static bp_status build(bp_world *world, bp_id *ball) {
    const bp_object resting = {.flags = BP_STATIC}; // static objects never pair with each other
    bp_status status = bp_add(world, &floor_box, &resting, NULL);
    for (int i = 0; i < ROW && status == BP_OK; ++i) {
        const float x = 3.0f * (float)i + 2.0f;
        const bp_box box = {{x, 0.0f, 0.5f}, {x + 1.0f, 1.0f, 1.5f}};
        status = bp_add(world, &box, &resting, NULL);
    }
    const bp_box start = ball_at(0.0f);
    return status == BP_OK ? bp_add(world, &start, NULL, ball) : status;
}

static void print(int step, const char *what, const bp_pair *pairs, size_t count) {
    for (size_t i = 0; i < count; ++i) { // pairs are (smaller id, larger id), and the ball has the largest
        printf("step %2d: the ball %s %s %u\n", step, what, pairs[i].a == 0 ? "floor" : "box", (unsigned)pairs[i].a);
    }
}

static int roll_the_ball(bp_world *world) {
    bp_id ball;
    if (build(world, &ball) != BP_OK) return 1;
    size_t begun = 0, ended = 0;
    for (int step = 0; step <= 60; ++step) {
        const bp_box here = ball_at(0.25f * (float)step);
        bp_result result;
        if (bp_move(world, ball, &here) != BP_OK || bp_update(world, &result) != BP_OK) return 1;
        print(step, "meets", result.begun, result.begun_count);
        print(step, "leaves", result.ended, result.ended_count);
        begun += result.begun_count;
        ended += result.ended_count;
    }
    // Removing an object ends its pairs.
    bp_result result;
    if (bp_remove(world, ball) != BP_OK || bp_update(world, &result) != BP_OK) return 1;
    print(61, "leaves", result.ended, result.ended_count);
    ended += result.ended_count;
    return begun == ROW + 1 && ended == begun ? 0 : 1;
}

int main(void) {
    const bp_config config = {.flags = BP_EVENTS};
    bp_world *world = NULL;
    if (bp_world_create(&config, &world) != BP_OK) return 1;
    const int outcome = roll_the_ball(world);
    bp_world_destroy(world);
    return outcome;
}
