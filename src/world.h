// The world, as its own files see it.
//
//     world.c        ids, boxes and objects; what changed
//     update.c       from what changed to pairs and events
//     query.c        boxes, rays and nearest objects
//     save.c         to a stream and back
//
//     boxes    | b0 | b1 | hole | b3 | b4 |       by id; a hole is a box of NaNs
//     free     heap of the holes, smallest first
//     changed  ids since the last update, each once, if the method can use that and they are not too many
//
// A change only writes here. The method sees it at the next update, so a change cannot fail half way; if an update
// fails, the next one builds the method's structure anew.
#ifndef BP_WORLD_H
#define BP_WORLD_H

#include "boxes.h"
#include "method.h"

struct bp_world {
    bp_config config; // complete
    bp_method method;
    const bp_method_ops *ops;
    void *state;

    bp_buffer boxes; // of bp_box, by id
    size_t id_count; // ids 0 .. id_count-1 are alive or holes
    bp_buffer free;  // of bp_id, a heap
    size_t free_count;
    bp_buffer objects; // of bp_object, by id; empty until one differs from the default

    bool tracks;       // the method wants to know what changed
    bp_buffer changed; // of bp_id
    bp_buffer marks;   // of uint8_t, by id: 1 if it is in `changed`
    size_t changed_count;
    bool all_changed; // or so many that `changed` was given up
    bool dirty;       // something changed since the last update that succeeded
    bool built;       // the structure and the pairs are those of the last update

    bp_pairs pairs;
    bp_buffer sort_scratch;
    bp_stats stats;
};

static inline bp_box *bp_world_boxes(const bp_world *world) {
    return world->boxes.data;
}

// NULL if all are defaults.
static inline bp_object *bp_world_objects(const bp_world *world) {
    return world->objects.data;
}

// By id: 1 if it is in `changed`.
static inline uint8_t *bp_world_marks(const bp_world *world) {
    return world->marks.data;
}

static inline bool bp_world_is_alive(const bp_world *world, bp_id id) {
    return id < world->id_count && !bp_box_is_hole(&bp_world_boxes(world)[id]);
}

// Writes a line to the log and returns the status.
bp_status bp_world_refuse(const bp_world *world, bp_status status, const char *what);

// Forgets which ids have changed.
void bp_world_forget_changes(bp_world *world);

#endif
