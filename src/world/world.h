// The world, as its own files see it.
//
//     world.c        ids and objects; what changed
//     world_boxes.c  boxes: as given, and as methods see them
//     update.c       from what changed to pairs
//     reconsider.c   which method, from time to time
//     events.c       which pairs have begun and ended
//     query.c        boxes, rays and nearest objects
//     record.c       a stream of what each update sees
//     save.c         to a stream
//     load.c         and back
//
//     boxes    | b0 | b1 | hole | b3 | b4 |       by id; a hole is a box of NaNs
//     free     heap of the holes, smallest first
//     changed  ids since the last update, each once, if the method can use that and they are not too many
//
// A change only writes here. The method sees it at the next update, so a change cannot fail half way; if an update
// fails, the next one builds the method's structure anew.
#ifndef BP_WORLD_H
#define BP_WORLD_H

#include "base/boxes.h"
#include "choose/choose.h"
#include "methods/method.h"
#include "view/view.h"
#include "world/pair_index.h"
#include "world/statics.h"

#include <stdatomic.h>

// Where updates are recorded: see record.c.
typedef struct bp_recorder {
    bp_write write; // NULL: nowhere
    void *context;
    bool begun;
    uint64_t steps;
} bp_recorder;

struct bp_world {
    bp_config config; // complete
    bp_method method;
    const bp_method_ops *ops;
    void *state;
    bool busy;          // in a call that may call the caller back
    atomic_uint saving; // calls of bp_world_save under way; they only read, so there may be several

    bp_buffer boxes;      // of bp_box, by id: grown by the margin; see world_boxes.h
    bool wide;            // boxes are kept in 64 bits
    bp_buffer wide_boxes; // of bp_box_double, by id: the same, in 64 bits
    bp_buffer given;      // of bp_box or bp_box_double, by id: as the caller gave them, where there is a margin
    bool fitted;          // no object has moved inside its margin since all were given one
    bp_view view;         // what methods see, where that is not `boxes`
    bp_config seen;       // the config for that: boxes have their margin already
    size_t id_count;      // ids 0 .. id_count-1 are alive or holes
    bp_buffer free;       // of bp_id, a heap
    size_t free_count;
    bp_buffer objects; // of bp_object, by id, if `has_objects`: once one has differed from the default
    bool has_objects;

    bool tracks;         // the method wants to know what changed
    bp_buffer changed;   // of bp_id
    bp_buffer old_boxes; // of bp_box: of these, at the last update
    bp_buffer marks;     // of uint8_t, by id: a set of BP_MARK_
    size_t changed_count;
    bool all_changed; // or so many that `changed` was given up
    bool dirty;       // something changed since the last update that succeeded
    bool built;       // the structure and the pairs are those of the last update

    bp_statics statics; // static objects in a structure of their own, at times

    bp_pairs pairs;      // of the last update
    bp_pair_index index; // of these, if `indexed`
    bool indexed;
    bp_pairs begun, ended; // in the last update
    bp_pairs spare;        // the next list, while the last one is still needed
    bp_pairs ordered;      // the last list, sorted, if `has_ordered`
    bp_pairs ordered_next;
    bool has_ordered;
    bp_buffer sort_scratch;
    bp_stats stats;
    bp_chooser chooser; // of the method, if the config leaves it open
    uint32_t warned;    // warnings that were given
    bp_recorder recorder;

    uint64_t version;               // counts everything that a query could see, from 1
    struct bp_query_cache *queries; // what queries keep: see query_cache.c
};

// Whether ids have marks.
static inline bool bp_world_has_marks(const bp_world *world) {
    return world->tracks || (world->config.flags & BP_EVENTS) != 0;
}

static inline bp_box *bp_world_boxes(const bp_world *world) {
    return world->boxes.data;
}

// NULL if all are defaults.
static inline bp_object *bp_world_objects(const bp_world *world) {
    return world->has_objects ? world->objects.data : NULL;
}

// By id: a set of BP_MARK_.
static inline uint8_t *bp_world_marks(const bp_world *world) {
    return world->marks.data;
}

static inline bool bp_world_is_alive(const bp_world *world, bp_id id) {
    return id < world->id_count && !bp_box_is_hole(&bp_world_boxes(world)[id]);
}

// Writes a line to the log and returns the status.
bp_status bp_world_refuse(const bp_world *world, bp_status status, const char *what);

// Whether an update is under way: then it is logged, and not even reading is safe.
bool bp_world_is_updating(const bp_world *world);

// Whether a callback of any kind is under way: then it is logged, and nothing may change.
bool bp_world_is_busy(const bp_world *world);

// Notes that an id changes, before its box does; `how` is a set of BP_MARK_.
void bp_world_mark_changed(bp_world *world, bp_id id, uint8_t how);

// Considers whether the boxes that the method is about to see should go to another method. True if it has been changed,
// and built over them. Where that fails, the old one goes on.
bool bp_world_reconsider(bp_world *world, const bp_box *boxes, size_t count);

// Writes what the update to come will see to the recorder, if there is one. False if that failed: then there is none any
// more.
bool bp_world_record_step(bp_world *world);

// Forgets which ids have changed.
void bp_world_forget_changes(bp_world *world);

// Gives every object its box as it was given, grown by the margin anew.
void bp_world_refit(bp_world *world);

// The box of an object as it was given.
bp_box_double bp_world_given_box(const bp_world *world, bp_id id);

// All boxes, grown by the margin; holes are boxes of NaNs.
bp_given bp_world_seen(const bp_world *world);

// Whether methods see the world through a view.
static inline bool bp_world_is_viewed(const bp_world *world) {
    return bp_view_is_needed(&world->seen, world->wide);
}

#endif
