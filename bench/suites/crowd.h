// Boxes of which some or all move, for the suite `living`.
//
//     | static, never move | the others: some or all of them move in a step |      ids in this order
//
// Every object has a velocity of its own, as in the scenes, and goes on by it in the steps in which it moves. At the
// edge of the crowd its centre wraps around to the other side.
#ifndef BENCH_CROWD_H
#define BENCH_CROWD_H

#include <broadphase/broadphase.h>

#include <stdbool.h>

typedef struct crowd crowd;

// Which objects move in a step.
typedef struct crowd_motion {
    double speed;   // the largest move per step, as a share of the object's longest edge
    double share;   // of the objects that are not static
    bool same_ones; // the same objects in every step; else new ones are drawn
} crowd_motion;

// Arguments for bp_move_many. `ids` is NULL where all objects move.
typedef struct crowd_moves {
    const bp_id *ids;
    const bp_box *boxes;
    size_t count;
} crowd_moves;

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

// Moves the objects of this step. The result is valid until the next step.
crowd_moves crowd_step(crowd *self);

#endif
