// A world that follows the steps of a trace: objects come, move and go.
#ifndef TOOL_FOLLOWER_H
#define TOOL_FOLLOWER_H

#include <broadphase/broadphase.h>
#include <stdbool.h>

// Object i of the trace is object ids[i] of the world.
typedef struct follower {
    bp_id *ids;          // by object; BP_NO_ID: absent
    uint32_t *objects;   // by id
    bp_box *last;        // by object
    bp_id *moved_ids;    // of the step
    bp_box *moved_boxes; //
    size_t count, capacity;
} follower;

// Updates the world to these boxes: adds, moves and removes objects. A box of NaNs means that the object is absent.
bp_status follower_step(follower *self, bp_world *world, const bp_box *boxes, size_t count);
// Starts again with another world.
void follower_restart(follower *self);
void follower_free(follower *self);

#endif
