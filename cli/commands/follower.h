// A world that follows the steps of a trace: objects come, move and go.
#ifndef TOOL_FOLLOWER_H
#define TOOL_FOLLOWER_H

#include <broadphase/broadphase.h>
#include <stdbool.h>

// Object i of the trace is object ids[i] of the world.
typedef struct follower {
    bp_id *ids;          // by object; BP_NO_ID: it is not there
    uint32_t *objects;   // by id
    bp_box *last;        // by object
    bp_id *moved_ids;    // of the step
    bp_box *moved_boxes; //
    size_t count, capacity;
} follower;

// Makes the objects of the world those boxes: a box of NaNs is an object that is not there.
bp_status follower_step(follower *self, bp_world *world, const bp_box *boxes, size_t count);
// Forgets the world, for another one.
void follower_restart(follower *self);
void follower_free(follower *self);

#endif
