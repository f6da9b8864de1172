// The one internal interface: what a method is.
//
// A method turns boxes into pairs in a sink, and does nothing else: validation, filtering, order, events and files are
// other rooms. Boxes are indexed by id. A hole (an id that is not alive) is a box of NaNs: it overlaps nothing, and a
// method skips it.
#ifndef BP_METHOD_H
#define BP_METHOD_H

#include "base/pair_sink.h"

// Marks of an id, since the last update.
enum {
    BP_MARK_CHANGED = 1,  // its box or its object
    BP_MARK_RESTATED = 2, // and its pairs must be told anew, even if they overlap as before
    BP_MARK_REBORN = 4,   // because it has become another object with the same id
    BP_MARK_REMOVED = 8,  // it was there at the last update, and was removed
    BP_MARK_BORN = 16     // it was not there at the last update
};

// What has changed since the last build or update.
typedef struct bp_changes {
    const bp_id *ids; // each once
    size_t count;
    const bp_box *old_boxes; // of these, at the last update; holes for those that were not there
    const uint8_t *marks;    // by id; 0 for all others
} bp_changes;

// What a method can tell cheaply after an update.
typedef enum bp_answer {
    BP_ANSWER_ALL,       // all pairs: find
    BP_ANSWER_CHANGED,   // the pairs of what has changed: find_changed
    BP_ANSWER_DIFFERENCE // which pairs have begun and ended: find_difference
} bp_answer;

struct bp_sorted_grid;

typedef struct bp_method_ops {
    const char *name;
    const char *summary;
    uint32_t supports; // BP_SUPPORTS_ flags

    // `config` is complete and outlives the state. *state is NULL on failure.
    bp_status (*create)(const bp_config *config, void **state);
    void (*destroy)(void *state);

    // Takes in boxes[0 .. count), which stay valid and unchanged until the next build or update.
    // After a failure the state is empty; only destroy and build may follow.
    bp_status (*build)(void *state, const bp_box *boxes, size_t count);

    // As build, when since the last build or update only those boxes have changed, appeared or become holes; `changes`
    // is NULL if it may be all of them. Tells which search is to follow. NULL: the method has no incremental form and is
    // built anew.
    bp_status (*update)(void *state, const bp_box *boxes, size_t count, const bp_changes *changes, bp_answer *answer);

    // Every overlapping pair once, as (smaller id, larger id), into the sink.
    bp_status (*find)(void *state, bp_sink *sink);

    // Every overlapping pair that has a changed id, once.
    bp_status (*find_changed)(void *state, const bp_changes *changes, bp_sink *sink);

    // Every pair that overlaps now and did not before, and the other way round; if a mark says that it is to be restated,
    // also a pair that does both goes to both. The same pair may go to both where a box has moved far.
    bp_status (*find_difference)(void *state, const bp_changes *changes, bp_sink *begun, bp_sink *ended);

    // Every overlapping pair of a box that was built and one of boxes[0 .. count), as (id of the latter, id of the
    // former), into the sink.
    bp_status (*find_between)(void *state, const bp_box *boxes, size_t count, bp_sink *sink);

    // The grid that holds all boxes of the last build or update but those of some `loose` ids; NULL if there is none at the
    // moment. For queries. NULL: the method never has one.
    const struct bp_sorted_grid *(*grid)(const void *state, const bp_id **loose, size_t *loose_count);

    // The same for the boxes of two states, as (id in state, id in other). NULL: find_between does.
    bp_status (*find_across)(void *state, void *other, bp_sink *sink);

    // Fills the fields that describe the structure: update, bytes, levels, cells, occupied, objects_per_cell(_max).
    void (*stats)(const void *state, bp_stats *stats);

    // BP_ERROR_INTERNAL, with the finding in the log, unless the structure holds exactly the boxes it was given.
    bp_status (*validate)(const void *state);
} bp_method_ops;

// Not for BP_METHOD_AUTO: see choose.h.
const bp_method_ops *bp_method_get(bp_method method);

extern const bp_method_ops bp_brute_force_ops;
extern const bp_method_ops bp_linked_cells_ops;
extern const bp_method_ops bp_hierarchical_grid_ops;
extern const bp_method_ops bp_spatial_hash_ops;
extern const bp_method_ops bp_pivot_grid_ops;
extern const bp_method_ops bp_compact_grid_ops;
extern const bp_method_ops bp_cuckoo_grid_ops;
extern const bp_method_ops bp_octree_ops;
extern const bp_method_ops bp_loose_octree_ops;
extern const bp_method_ops bp_bvh_ops;
extern const bp_method_ops bp_sweep_and_prune_ops;

#endif
