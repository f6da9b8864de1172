// hierarchical-grid: levels of grids, each for objects of a certain size, in three forms behind one method.
//
//     REBUILD     the sorted grid    all boxes sorted by cell into columns, every time    sorted_grid.h, sorted_sweep.c
//     INDIVIDUAL  the hash grid      linked cells, objects enter and leave in O(1)        hash_grid.h
//     AUTOMATIC   the patched grid   the sorted grid, kept and mended while few change    grid_patch.h
//
// Idea: an object is never larger than the cells of its level, so it can only meet what lies in its own or a
// neighbouring cell there; against objects of other sizes it is the smaller one that searches the coarser level. Cells
// are folded by modulo into a block whose size follows the number of objects: space is unbounded, memory is not.
//
// Cost: O(n) to build, to update and to find, if cells hold a bounded number of objects. Loses where that is not so:
// objects much thinner than long in all directions at once, everything piled up in one place, a few hundred objects
// (there all pairs are tested instead).
//
// update = automatic: the sorted form rebuilds and searches everything in the time in which the patched form mends and
// searches one object in FEW; so it is the sorted form, unless for a while fewer have changed. (The seeds decide by the
// share of objects that change cell. Measured here, that share hardly matters: what costs is searching an object again
// once it has moved at all. And the hash form, whose objects lie scattered in memory, takes seven times as long for that
// as the patched one: it is there for update = individual.)
//
// Source: F. Schornbaum, "Hierarchical Hash Grids for Coarse Collision Detection", 2009.
#include "methods/hierarchical_grid/linked_grid.h"
#include "methods/hierarchical_grid/patched_grid.h"
#include "methods/hierarchical_grid/sorted_grid.h"
#include "methods/method.h"

#include <assert.h>

typedef struct hierarchical_grid {
    const bp_config *config;
    const bp_box *boxes;
    size_t count;
    bp_sorted_grid sorted;
    bp_sorted_grid other; // the other set of find_between
    bp_grid_patch patch;  // of `sorted`
    bp_hash_grid hash;
    bool hashed;       // the hash form is up to date, not the sorted one
    size_t calm_count; // updates in a row in which few objects changed
} hierarchical_grid;

enum {
    FEW = 16, // one object in so many is few
    CALM = 2  // updates: beginning to patch costs about as much as so many rebuilds
};

static bp_status create(const bp_config *config, void **state) {
    hierarchical_grid *g = config->allocator.allocate(config->allocator.context, sizeof *g);
    *state = g;
    if (g == NULL) {
        return BP_ERROR_MEMORY;
    }
    *g = (hierarchical_grid){.config = config};
    bp_sorted_grid_init(&g->sorted, config);
    bp_sorted_grid_init(&g->other, config);
    bp_hash_grid_init(&g->hash, config);
    bp_grid_patch_init(&g->patch, config, &g->sorted);
    return BP_OK;
}

static void destroy(void *state) {
    hierarchical_grid *g = state;
    const bp_allocator allocator = g->config->allocator;
    bp_sorted_grid_free(&g->sorted);
    bp_sorted_grid_free(&g->other);
    bp_hash_grid_free(&g->hash);
    bp_grid_patch_free(&g->patch);
    allocator.release(allocator.context, g, sizeof *g);
}

static bp_status build_sorted(hierarchical_grid *g) {
    g->hashed = false;
    bp_grid_patch_end(&g->patch);
    return bp_sorted_grid_build(&g->sorted, g->boxes, g->count);
}

static bp_status update_hashed(hierarchical_grid *g, const bp_changes *changes) {
    const bp_status status = bp_hash_grid_update(&g->hash, g->boxes, g->count, changes != NULL ? changes->ids : NULL,
                                                 changes != NULL ? changes->count : 0);
    g->hashed = status == BP_OK;
    return status;
}

static bp_status build_hashed(hierarchical_grid *g) {
    bp_hash_grid_clear(&g->hash);
    return update_hashed(g, NULL);
}

// The hash form is asked for, and there are more objects than are tested against each other anyway.
static bool is_individual(const hierarchical_grid *g) {
    return g->config->update == BP_UPDATE_INDIVIDUAL && g->count >= g->config->brute_force_below;
}

static bp_status build(void *state, const bp_box *boxes, size_t count) {
    hierarchical_grid *g = state;
    g->boxes = boxes;
    g->count = count;
    return is_individual(g) ? build_hashed(g) : build_sorted(g);
}

// Decides whether this update patches what the last one left.
static bool wants_patch(hierarchical_grid *g, const bp_changes *changes) {
    const bool few = changes != NULL && changes->count < g->count / FEW && g->count >= g->config->brute_force_below;
    g->calm_count = few ? g->calm_count + 1 : 0;
    return few && !g->hashed && g->calm_count > CALM;
}

static bp_status update(void *state, const bp_box *boxes, size_t count, const bp_changes *changes, bp_answer *answer) {
    hierarchical_grid *g = state;
    g->boxes = boxes;
    g->count = count;
    *answer = BP_ANSWER_ALL;
    if (is_individual(g) && g->hashed) {
        *answer = changes != NULL ? BP_ANSWER_CHANGED : BP_ANSWER_ALL;
        return update_hashed(g, changes);
    }
    if (is_individual(g)) {
        return build_hashed(g);
    }
    if (wants_patch(g, changes)) {
        *answer = BP_ANSWER_DIFFERENCE;
        return BP_OK; // all of it happens while the difference is found
    }
    return build_sorted(g);
}

static bp_status find(void *state, bp_sink *sink) {
    hierarchical_grid *g = state;
    return g->hashed ? bp_hash_grid_find(&g->hash, sink) : bp_sorted_grid_find(&g->sorted, sink);
}

static bp_status find_changed(void *state, const bp_changes *changes, bp_sink *sink) {
    hierarchical_grid *g = state;
    return bp_hash_grid_find_changed(&g->hash, changes->ids, changes->count, changes->marks, sink);
}

static bp_status find_difference(void *state, const bp_changes *changes, bp_sink *begun, bp_sink *ended) {
    hierarchical_grid *g = state;
    return bp_grid_patch_find(&g->patch, g->boxes, g->count, changes, begun, ended);
}

static bp_status find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    hierarchical_grid *g = state;
    assert(!g->patch.active); // it comes from a build
    bp_status status = g->hashed ? build_sorted(g) : BP_OK;
    if (status == BP_OK) {
        status = bp_sorted_grid_build(&g->other, boxes, count);
    }
    return status == BP_OK ? bp_sorted_grid_find_between(&g->other, &g->sorted, sink) : status;
}

static const bp_sorted_grid *grid(const void *state, const bp_id **loose, size_t *loose_count) {
    const hierarchical_grid *g = state;
    *loose = g->patch.loose.data;
    *loose_count = g->patch.loose_count;
    return g->hashed ? NULL : &g->sorted;
}

static bp_status find_across(void *state, void *other, bp_sink *sink) {
    hierarchical_grid *g = state, *h = other;
    assert(!g->hashed && !g->patch.active && !h->hashed && !h->patch.active); // both come from a build
    return bp_sorted_grid_find_between(&g->sorted, &h->sorted, sink);
}

static void stats(const void *state, bp_stats *stats) {
    const hierarchical_grid *g = state;
    if (g->hashed) {
        bp_hash_grid_stats(&g->hash, stats);
    } else {
        bp_sorted_grid_stats(&g->sorted, stats);
        stats->update = g->patch.active ? BP_UPDATE_INDIVIDUAL : BP_UPDATE_REBUILD;
        stats->bytes += bp_grid_patch_bytes(&g->patch);
    }
}

static bp_status validate(const void *state) {
    const hierarchical_grid *g = state;
    if (g->hashed) {
        return bp_hash_grid_validate(&g->hash);
    }
    return g->patch.active ? bp_grid_patch_validate(&g->patch, g->boxes, g->count)
                           : bp_sorted_grid_validate(&g->sorted, g->boxes, g->count);
}

const bp_method_ops bp_hierarchical_grid_ops = {
    .name = "hierarchical-grid",
    .summary = "levels of hashed grids by object size: O(n), any sizes, unbounded space",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_INCREMENTAL | BP_SUPPORTS_THREADS,
    .create = create,
    .destroy = destroy,
    .build = build,
    .update = update,
    .find = find,
    .find_changed = find_changed,
    .find_difference = find_difference,
    .find_between = find_between,
    .find_across = find_across,
    .grid = grid,
    .stats = stats,
    .validate = validate,
};
