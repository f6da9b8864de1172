// The one internal interface: what a method is.
//
// A method turns boxes into pairs in a sink, and does nothing else: validation, filtering, order, events and files are
// other rooms. Boxes are indexed by id. A hole (an id that is not alive) is a box of NaNs: it overlaps nothing, and a
// method skips it.
#ifndef BP_METHOD_H
#define BP_METHOD_H

#include "pairs.h"

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

    // As build, when since the last build or update only the boxes of the ids changed[0 .. changed_count), each named
    // once, have changed, appeared or become holes; `changed` is NULL if it may be all of them. Tells whether
    // find_changed can follow instead of find. NULL: the method has no incremental form and is built anew.
    bp_status (*update)(void *state, const bp_box *boxes, size_t count, const bp_id *changed, size_t changed_count,
                        bool *only_changed);

    // Every overlapping pair once, as (smaller id, larger id), into the sink.
    bp_status (*find)(void *state, bp_sink *sink);

    // Every overlapping pair that has an id of changed[0 .. changed_count), once; is_changed[id] is 1 for those, else 0.
    bp_status (*find_changed)(void *state, const bp_id *changed, size_t changed_count, const uint8_t *is_changed,
                              bp_sink *sink);

    // Every overlapping pair of a box that was built and one of boxes[0 .. count), as (id of the latter, id of the
    // former), into the sink.
    bp_status (*find_between)(void *state, const bp_box *boxes, size_t count, bp_sink *sink);

    // Fills the fields that describe the structure: update, bytes, levels, cells, occupied, objects_per_cell(_max).
    void (*stats)(const void *state, bp_stats *stats);

    // BP_ERROR_INTERNAL, with the finding in the log, unless the structure holds exactly the boxes it was given.
    bp_status (*validate)(const void *state);
} bp_method_ops;

// The method for a complete config: BP_METHOD_AUTO is decided here.
bp_method bp_method_choose(const bp_config *config);
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
