// Boxes of which some or all move, for the suites `living` and `everyday`.
//
//     | static, never move | the others: some or all of them move in a step |      ids in this order
//
// Every object has a velocity of its own, as in the scenes, and goes on by it in the steps in which it moves. At the
// edge of the crowd its centre wraps around to the other side.
#ifndef BENCH_CROWD_H
#define BENCH_CROWD_H

#include <broadphase/broadphase.h>
#include <random.h>

#include <stdbool.h>
#include <stddef.h>

typedef struct body {
    double center[3]; // 64 bits, so that rounding does not change the size step by step
    float half[3];
    float velocity[3];
    size_t replaced_in; // the step in which another object has last taken its place
} body;

// Which objects move in a step.
typedef struct crowd_motion {
    double speed;   // the largest move per step, as a share of the object's longest edge
    double share;   // of the objects that are not static
    bool same_ones; // the same objects in every step; else new ones are drawn
} crowd_motion;

// What a step changes, in this order, and what is asked after it. Valid until the next step.
typedef struct crowd_changes {
    // Objects that are removed, ascending, and others that are added and get the same ids.
    const bp_id *replaced;
    const bp_box *replaced_boxes;
    const bp_object *replaced_objects;
    size_t replaced_count;
    // Arguments for bp_move_many. `ids` is NULL where all objects move.
    const bp_id *ids;
    const bp_box *boxes;
    size_t count;
    // Of these the first hit is asked.
    const bp_ray *rays;
    size_t ray_count;
} crowd_changes;

typedef struct crowd crowd;
struct crowd {
    size_t count, static_count;
    body *bodies;
    bp_box *boxes;
    double low[3], high[3]; // where centres are
    rng random;
    crowd_motion motion;
    size_t mover_count;
    bp_id *order;        // the objects that may move; the first mover_count of them are those of the step
    bp_box *moved_boxes; // of these, where not all move
    size_t step;
    const struct place *place; // of places.c; NULL: all go straight on
    bp_id *moved, *replaced;
    bp_box *replaced_boxes;
    bp_object *replaced_objects;
    bp_ray *rays;
};

// The finite boxes of a scene, all of which may move. NULL: no such scene, or no memory; the reason is on stderr.
crowd *crowd_of_scene(const char *scene, size_t count, crowd_motion motion);
// The same, but a share of them, from the first on, never move.
crowd *crowd_with_static(const char *scene, size_t count, double static_share, crowd_motion motion);

// A game level: two thirds of the objects are floors, walls and blocks, of 0.5 to 50 units, that never move; among them
// things of 0.2 to 5 units move.
crowd *crowd_of_level(size_t count, crowd_motion motion);

void crowd_destroy(crowd *self);

size_t crowd_count(const crowd *self);
size_t crowd_static_count(const crowd *self);
const bp_box *crowd_boxes(const crowd *self);

// The next step.
crowd_changes crowd_step(crowd *self);

// ---- for those who make crowds -------------------------------------------------------------------------------------

// With bodies of size 0 at the origin.
crowd *crowd_allocate(size_t count, size_t static_count);
bp_box crowd_box_of(const body *b);
// Edges along x, y and z.
void crowd_set_edges(body *b, double x, double y, double z);
// Draws anew which objects move.
void crowd_draw_movers(crowd *self);

#endif
