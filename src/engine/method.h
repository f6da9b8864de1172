// The method interface: the functions of an algorithm.
//
// A method turns boxes into pairs in a sink, and does nothing else: checking, filtering, order, events and files belong
// to other rooms. Boxes are indexed by id. A hole (an id that is not alive) is a box of NaNs: it overlaps nothing, and
// a method skips it.
//
// A new method is a folder or file, a row in literature/method_table.c and a value of bp_method.
#ifndef BP_METHOD_H
#define BP_METHOD_H

#include "base/pair_sink.h"
#include "engine/changes.h"
#include "engine/parts.h"
#include "engine/setup.h"

// Which search is the cheapest after an update.
typedef enum bp_search_kind {
    BP_SEARCH_ALL,    // all pairs: find
    BP_SEARCH_CHANGED // the pairs of changed objects: find_changed
} bp_search_kind;

struct bp_tree;

typedef struct bp_method_ops {
    const char *name;
    const char *summary;
    uint32_t supports; // BP_SUPPORTS_ flags

    // A state is `state_bytes` of memory. `init` makes it an empty one, which cannot fail; the setup outlives it.
    // `free` releases everything that it holds.
    size_t state_bytes;
    void (*init)(void *state, const bp_method_setup *setup);
    void (*free)(void *state);

    // Makes it an empty one again, which still counts its changes of the search. NULL: it counts none.
    void (*empty)(void *state);

    // Tells which objects may meet, before a build or update; they stay valid until the next call. NULL: all are searched.
    void (*set_parts)(void *state, const bp_parts *parts);

    // Builds the structure over boxes[0 .. count), which stay valid and unchanged until the next build or update. After
    // a failure the state is empty; only free and build may follow.
    bp_status (*build)(void *state, const bp_box *boxes, size_t count);

    // Like build, if only the boxes named by `changes` have changed, appeared or become holes since the last build or
    // update; `changes` = NULL: perhaps all of them. Returns in *kind which search has to follow. NULL: the method has
    // no incremental form and is always rebuilt.
    bp_status (*update)(void *state, const bp_box *boxes, size_t count, const bp_changes *changes,
                        bp_search_kind *kind);

    // Finds every overlapping pair once, as (smaller id, larger id).
    bp_status (*find)(void *state, bp_sink *sink);

    // Finds every overlapping pair that has a changed id, once, as (smaller id, larger id).
    bp_status (*find_changed)(void *state, const bp_changes *changes, bp_sink *sink);

    // Finds every overlapping pair of one of boxes[0 .. count) and a box of the structure, as (id of the former, id of
    // the latter).
    bp_status (*find_between)(void *state, const bp_box *boxes, size_t count, bp_sink *sink);

    // The same for two sets of which no structure is needed afterwards, instead of a build; stats describes what was used
    // instead. NULL: the method always builds a structure over the second set.
    bp_status (*find_two)(void *state, const bp_box *a, size_t a_count, const bp_box *b, size_t b_count, bp_sink *sink);

    // The trees that together hold all boxes, for queries: how many, at most two; 0 if there are none at the moment. NULL: there
    // never are.
    size_t (*trees)(const void *state, const struct bp_tree *trees[2]);

    // Fills the fields that describe the structure: update, bytes, levels, cells, occupied, objects_per_cell(_max).
    void (*stats)(const void *state, bp_stats *stats);

    // BP_ERROR_INTERNAL, with a message in the log, unless the structure holds exactly the boxes that it was built
    // over.
    bp_status (*validate)(const void *state);
} bp_method_ops;

// The hierarchical grid has two forms; the setup names one of them.
const bp_method_ops *bp_method_get(bp_method method, const bp_method_setup *setup);

// A new state of a method; NULL if memory is short.
void *bp_method_create(const bp_method_ops *ops, const bp_method_setup *setup);
// Releases a state. NULL is allowed.
void bp_method_destroy(const bp_method_ops *ops, const bp_allocator *allocator, void *state);

extern const bp_method_ops bp_auto_ops; // plan/auto.c: runs the search that the plan names
extern const bp_method_ops bp_brute_force_ops;
extern const bp_method_ops bp_linked_cells_ops;
extern const bp_method_ops bp_hierarchical_grid_ops;
extern const bp_method_ops bp_linked_grid_ops;
extern const bp_method_ops bp_spatial_hash_ops;
extern const bp_method_ops bp_pivot_grid_ops;
extern const bp_method_ops bp_compact_grid_ops;
extern const bp_method_ops bp_cuckoo_grid_ops;
extern const bp_method_ops bp_octree_ops;
extern const bp_method_ops bp_loose_octree_ops;
extern const bp_method_ops bp_bvh_ops;
extern const bp_method_ops bp_sweep_and_prune_ops;
extern const bp_method_ops bp_split_ops;
extern const bp_method_ops bp_tree_ops;
extern const bp_method_ops bp_strips_ops;

#endif
