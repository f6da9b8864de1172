// The distributed world: internal types and functions.
//
//     objects.c   add, move, set, remove, on any rank       owned, directory
//     update.c    which ranks need which objects, the search, the commit     all of it
//     local.c     this rank's own bp_world of owned objects and ghosts            local
//     events.c    begin and end events across ranks
//     balance.c   when and how regions are computed                              regions
//     restart.c   files
//
// An update changes nothing that a caller can see before all ranks have agreed. If it fails, only `stale` is set: the
// local worlds may be half updated, so the next update builds them again from the owned objects, which are unchanged.
#ifndef BP_MPI_WORLD_H
#define BP_MPI_WORLD_H

#include "comm.h"
#include "id_map.h"
#include "partition.h"
#include "regions.h"

#include <broadphase/broadphase_methods.h>

// Flags of an owned object: changes since the last update, and its state then.
enum {
    BP_MPI_NEWBORN = 1u << 0, // added since the last update
    BP_MPI_MOVED = 1u << 1,
    BP_MPI_RESTATED = 1u << 2, // object or user bytes have changed
    BP_MPI_PLACED = 1u << 3,   // moved, and its box is in the local world already
    BP_MPI_NEWS = 15,          // any of these
    BP_MPI_ABROAD = 1u << 4    // it is shared
};

// The objects that this rank owns, in no order, without gaps.
typedef struct bp_mpi_owned_objects {
    size_t count;
    bp_buffer ids;       // uint64_t
    bp_buffer boxes;     // bp_box
    bp_buffer sent;      // bp_box as last sent; only for shared objects
    bp_buffer objects;   // bp_object
    bp_buffer user;      // user_bytes each
    bp_buffer core;      // bp_id in the local world; BP_NO_ID: not there
    bp_buffer flags;     // uint8_t
    bp_mpi_map index_of; // id -> index
    bool pending;        // some have changed
    bool elsewhere;      // the boxes of unchanged objects are in the local world, not here
} bp_mpi_owned_objects;

// An object removed since the last update that other ranks may know.
typedef struct bp_mpi_removed {
    uint64_t id;
    bp_box sent;
    bp_id core;
} bp_mpi_removed;

// Flags of an object of the local world.
enum {
    BP_MPI_SHARED = 1u << 0,        // concerns other ranks too: pairs of two such objects may be another rank's
    BP_MPI_SHARED_BEFORE = 1u << 1, // ... at the last update
    BP_MPI_ARRIVED = 1u << 2,       // was not here at the last update
    BP_MPI_BORN = 1u << 3,          // was nowhere at the last update
    BP_MPI_GONE = 1u << 4,          // the object with this number at the last update has left
    BP_MPI_PARKED = 1u << 5,        // a place holder: pairs with nothing
    BP_MPI_BROADCAST = 1u << 6      // known on all ranks
};

// This rank's own world. Its ids have no gaps (place holders fill them), so boxes can be moved as one array. On a
// single rank there are no place holders, and no boxes are kept here.
typedef struct bp_mpi_local {
    bp_world *world;
    size_t count;         // ids in use, place holders included
    bp_buffer ids;        // uint64_t, of each object; with BP_MPI_TAG if it is shared; BP_MPI_NO_ID: a place holder
    bp_buffer ids_before; // uint64_t, at the last update
    bp_buffer boxes;      // bp_box, of those that are shared and of place holders; of others as it was once
    bp_buffer objects;    // bp_object, of ghosts
    bp_buffer user;       // of ghosts
    bp_buffer flags;      // uint8_t
    bp_buffer parked;     // bp_id
    size_t parked_count;
    bp_mpi_map ghosts; // id -> bp_id
    bool in_order;     // object i of the owned has number i here (on a single rank)
    bool plain_ids;    // and all have their numbers as ids
} bp_mpi_local;

// A record about an object, sent from rank to rank; its user bytes follow.
typedef struct bp_mpi_record {
    uint64_t id;
    bp_box box;
    bp_object object;
    int32_t owner; // after this update
    int32_t sender;
    uint32_t flags; // BP_MPI_TELLS_
    uint32_t padding;
} bp_mpi_record;

enum {
    BP_MPI_TELLS_DROP = 1u << 0,     // forget it
    BP_MPI_TELLS_BORN = 1u << 1,     // it was nowhere at the last update
    BP_MPI_TELLS_RESTATED = 1u << 2, // not only its box has changed
    BP_MPI_TELLS_ALL = 1u << 3       // it is for all ranks
};

// An object that goes into the local world.
typedef struct bp_mpi_addition {
    uint64_t id;
    bp_box box;
    bp_object object;
    const void *user;
    uint32_t owned; // its index, or BP_MPI_NOT_OWNED
    bool arrives;   // to be owned by this rank
    uint8_t flags;  // of the local world
} bp_mpi_addition;

#define BP_MPI_NOT_OWNED UINT32_MAX

// An owned object that another rank will own.
typedef struct bp_mpi_leaver {
    uint32_t index;
    int32_t rank;
} bp_mpi_leaver;

// An object that this rank will own: where it is in the local world.
typedef struct bp_mpi_arrival {
    const bp_mpi_record *record;
    bp_id core;
} bp_mpi_arrival;

// An update that is under way. Its memory is kept for the next one.
typedef struct bp_mpi_update_state {
    bool full;               // everything is sent and searched again
    bp_mpi_regions *regions; // as they will be
    bp_mpi_outbox out, signs;
    bp_mpi_inbox in, signs_in;
    bp_mpi_list cast; // bp_mpi_record, to all ranks
    bp_buffer heard;  // bp_mpi_record, from all ranks
    size_t heard_count;
    bp_buffer ranks, ranks_before; // int, for each rank
    bp_mpi_list leavers;           // bp_mpi_leaver
    bp_mpi_list flagged;           // uint32_t: owned objects that have changed
    bp_mpi_list arrivals;          // bp_mpi_arrival
    // for the local world
    bp_mpi_list removes;  // bp_id
    bp_mpi_list adds;     // bp_mpi_addition
    bp_mpi_list moves;    // bp_id
    bp_mpi_list moved;    // bp_box, of these
    bp_mpi_list restated; // bp_id
} bp_mpi_update_state;

// The highest bit of an id in the local world marks shared objects, so that one load gives both.
#define BP_MPI_TAG (UINT64_C(1) << 63)
#define BP_MPI_PLACE_HOLDER (BP_MPI_NO_ID & ~BP_MPI_TAG)

static inline uint64_t bp_mpi_untagged(uint64_t id) {
    return id & ~BP_MPI_TAG;
}

static inline uint64_t bp_mpi_tagged(uint64_t id, unsigned flags) {
    return bp_mpi_untagged(id) | ((flags & BP_MPI_SHARED) != 0 ? BP_MPI_TAG : 0);
}

// The smaller id first; tags are left out.
static inline bp_mpi_pair bp_mpi_pair_of(uint64_t a, uint64_t b) {
    a = bp_mpi_untagged(a);
    b = bp_mpi_untagged(b);
    return (bp_mpi_pair){.a = a < b ? a : b, .b = a < b ? b : a};
}

// A list of pairs of ids.
typedef struct bp_mpi_pairs {
    bp_buffer memory;
    size_t count;
} bp_mpi_pairs;

static inline bp_mpi_pair *bp_mpi_pairs_data(const bp_mpi_pairs *pairs) {
    return pairs->memory.data;
}

struct bp_mpi_world {
    bp_mpi_config config;
    bp_method_settings settings; // a copy of config.local's: later local worlds need them when the caller's are gone
    bp_mpi_comm comm;
    struct Zoltan_Struct *zoltan;
    bp_mpi_regions regions;
    bool has_regions;
    bool stale;       // the next update builds the local worlds again
    uint64_t objects; // on all ranks
    uint64_t next_id;

    bp_mpi_owned_objects owned;
    bp_buffer removed; // bp_mpi_removed
    size_t removed_count;
    bp_mpi_map
        directory; // id -> owner, for ids whose home is here. Unused on a single rank, where owned.index_of serves
    bp_mpi_local local;

    bp_mpi_update_state update;
    bp_mpi_pairs pairs, begun, ended;
    bp_mpi_pairs next_pairs, next_begun, next_ended; // of an update that is under way
    bp_buffer scratch, order;

    // balance
    double settled; // the imbalance right after the last partition
    uint64_t last_partition;
    uint64_t parted_objects; // objects at the last partition
    bp_mpi_stats stats;
};

// ---- shared by several files ---------------------------------------------------------------------------------------

static inline int bp_mpi_home_of(const bp_mpi_world *world, uint64_t id) {
    return (int)(((bp_mpi_hash(id) >> 32) * (uint64_t)world->comm.size) >> 32);
}

static inline bool bp_mpi_has_events(const bp_mpi_world *world) {
    return (world->config.local.flags & BP_EVENTS) != 0;
}

static inline const bp_allocator *bp_mpi_allocator(const bp_mpi_world *world) {
    return &world->comm.allocator;
}

// Room for `count` owned objects in all arrays. On failure the arrays may be larger, but hold what they held.
bool bp_mpi_owned_reserve(bp_mpi_world *world, size_t count);
// The current box of an owned object.
bp_box bp_mpi_owned_box(const bp_mpi_world *world, size_t index);
// Copies boxes that are in the local world back here.
void bp_mpi_bring_boxes(bp_mpi_world *world);
// Room must be reserved. `user` may be NULL: zeros.
void bp_mpi_owned_append(bp_mpi_world *world, uint64_t id, const bp_box *box, const bp_object *object, const void *user,
                         uint8_t flags);
// The last object takes its place.
void bp_mpi_owned_erase(bp_mpi_world *world, size_t index);

// Sorts the owned objects into the order of the local world. Room must be reserved.
bool bp_mpi_owned_prepare_sort(bp_mpi_world *world, size_t count);
void bp_mpi_owned_sort(bp_mpi_world *world);

// Whether two lists of the caller's are consistent with the config; logs what is wrong.
bp_status bp_mpi_check_boxes(const bp_mpi_world *world, const bp_box *boxes, size_t count);

// The ranks that a box concerns, its owner among them.
size_t bp_mpi_concerned(bp_mpi_regions *regions, const bp_box *box, int *ranks, bool *is_broadcast, int *owner);

// Ascending by (a, b).
bool bp_mpi_sort_pairs(bp_mpi_pairs *pairs, bp_buffer *scratch, const bp_allocator *allocator);
bool bp_mpi_pairs_reserve(bp_mpi_pairs *pairs, const bp_allocator *allocator, size_t count);

// local.c: brings the local world up to date with the lists of the update, and searches it.
bp_status bp_mpi_local_update(bp_mpi_world *world, bp_result *result);
// local.c: fills next_pairs with the pairs that this rank reports, as ids.
bp_status bp_mpi_local_report(bp_mpi_world *world, const bp_result *result);
// local.c: makes the new state the last state.
void bp_mpi_local_settle(bp_mpi_world *world);

// events.c: next_begun and next_ended from the last pairs, the next ones, and what the search says. Collective.
bp_status bp_mpi_find_events(bp_mpi_world *world, bp_status status, const bp_result *result);

// balance.c: whether to compute new regions; the same on all ranks.
bool bp_mpi_needs_partition(const bp_mpi_world *world);
// balance.c: computes them into `regions`. Collective.
bp_status bp_mpi_make_regions(bp_mpi_world *world, bp_status status, bp_mpi_regions *regions);
// balance.c: counts the work after an update. Collective.
bp_status bp_mpi_measure(bp_mpi_world *world, bp_status status, double work, double *imbalance);

// Creates the parts that every world has, without any objects. `world` may be NULL on some ranks: an error, on all.
// Collective.
bp_status bp_mpi_world_open(MPI_Comm communicator, const bp_mpi_config *requested, bp_mpi_world **world);

#endif
