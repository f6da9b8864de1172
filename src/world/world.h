// The internals of a world. Each part belongs to the file of its name; the others use its functions.
//
//     world.c          adding, moving, removing objects; reading and checking them
//     id_pool.c        which ids are alive                       object_table.c  properties of the objects
//     world_boxes.c    boxes: as added or moved, and grown       change_list.c   changes since the last update
//     update.c         from changes to pairs:
//         world_parts.c      objects that never pair
//         pair_lists.c       the pairs                           events.c        which have begun and ended
//         pair_rows.c        the pairs by object                 pairs_of.c      asked for one object
//     record.c         a stream of the input of each update
//     query/           boxes, rays and nearest objects
//     save/            to a stream, and back
//
// A change only writes into ids, boxes, objects and the change list. The method gets it at the next update, so a change
// cannot fail half way; if an update fails, the next one rebuilds the method's structure.
#ifndef BP_WORLD_H
#define BP_WORLD_H

#include "api/config.h"
#include "engine/method.h"
#include "view/islands.h"
#include "world/change_list.h"
#include "world/id_pool.h"
#include "world/object_table.h"
#include "world/pair_lists.h"
#include "world/record.h"
#include "world/world_boxes.h"
#include "world/world_parts.h"

#include <stdatomic.h>

// The method, and its structure.
typedef struct bp_world_method {
    bp_method method;
    const bp_method_ops *ops;
    void *state;
} bp_world_method;

// What updates needed: while crowds come and go memory stays, and is given back when they have gone for good.
typedef struct bp_world_need {
    size_t most;    // pairs after an update, since memory was last given back,
    size_t lately;  // and in the last few of these
    size_t updates; // that were counted as the last few
} bp_world_need;

struct bp_world {
    bp_setup setup;      // the config, checked and complete
    bool is_busy;        // in a call that may call back into the caller's code
    atomic_uint reading; // calls under way that call back and only read, so there may be several

    bp_id_pool ids;
    bp_world_boxes boxes;
    bp_object_table objects;
    bp_change_list changes; // since the last update

    bp_overlap_rule view_rule; // setup.overlap without its margin, which is already in the boxes
    bp_view view;              // by this rule: the method's boxes, if they are not world->boxes
    bp_islands islands;        // moved apart: the method's boxes, if there are several islands
    bool was_viewed;           // at the last update
    bp_world_method method;
    bp_world_parts parts;
    bool is_built;   // the method's structure and the pairs are those of the last update
    bool has_failed; // the last update did, so the pairs may be incomplete
    bp_pair_lists lists;
    bp_world_need need;
    uint64_t pair_version; // incremented with every update that may change the pairs, from 1

    bp_stats stats;  // of the last update
    uint32_t warned; // warnings that were logged
    bp_recorder recorder;
    struct bp_query_trees *queries; // trees and memory of the queries
};

static inline const bp_allocator *bp_world_allocator(const bp_world *world) {
    return &world->setup.methods.runtime.allocator;
}

static inline const bp_executor *bp_world_executor(const bp_world *world) {
    return &world->setup.methods.runtime.executor;
}

static inline const bp_log *bp_world_log(const bp_world *world) {
    return &world->setup.methods.runtime.log;
}

static inline bool bp_world_has_events(const bp_world *world) {
    return (world->setup.flags & BP_EVENTS) != 0;
}

static inline bool bp_world_is_alive(const bp_world *world, bp_id id) {
    return id < world->ids.count && !bp_box_is_hole(&bp_world_boxes_floats(&world->boxes)[id]);
}

// Whether the method does not work on the world's own boxes.
static inline bool bp_world_is_viewed(const bp_world *world) {
    return world->islands.are_apart || bp_view_is_needed(&world->view_rule, world->boxes.is_double);
}

// Writes a line to the log and returns the status.
bp_status bp_world_refuse(const bp_world *world, bp_status status, const char *text);

// Whether the world is being updated or recorded: then this is logged, and not even reading is safe.
bool bp_world_is_updating(const bp_world *world);

// Whether a callback is running. If so, this is logged, and the world must not change.
bool bp_world_is_busy(const bp_world *world);

// Releases all memory that can be rebuilt. The next update rebuilds it.
void bp_world_give_back(bp_world *world);

// From now on boxes are kept in 64 bits. False if memory is short: then nothing has changed.
bool bp_world_make_double(bp_world *world);

// Records that an object changes, before its box does. `marks` is a set of BP_MARK_.
void bp_world_mark(bp_world *world, bp_id id, uint8_t marks);

#endif
