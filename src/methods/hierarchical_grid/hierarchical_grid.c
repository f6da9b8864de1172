// hierarchical-grid: levels of grids, each for objects of a certain size, in three forms behind one method.
//
//     sorted grid    all boxes are sorted by cell into columns, again in every step         sorted_grid.h
//     patched grid   a sorted grid that is kept and corrected while few objects change      patched_grid.h
//     linked grid    cells are linked lists, which objects enter and leave in O(1)          linked_grid.h
//
// Idea: an object is never larger than the cells of its level, so it can only overlap objects of its own cell or of a
// neighbouring one; between objects of different sizes, the smaller one searches the coarser level. Cells are folded by
// modulo into a block whose size follows the number of objects: space is unbounded, memory is not.
//
// Cost: O(n) to build, to update and to find, if cells hold a bounded number of objects. Loses where they do not:
// objects much thinner than long in all directions at once, everything piled up in one place, a few hundred objects
// (there all pairs are tested instead).
//
// update = rebuild means the sorted grid, update = individual the linked grid. update = automatic also means the sorted
// grid, but patched while few objects change: rebuilding and searching it takes as long as patching it and searching
// for one object in FEW. (Schornbaum 2009 decides by the share of objects that change their cell. Measured here, that
// share hardly matters: the cost is in searching for an object again once it has moved at all. And for that the linked
// grid, whose objects are scattered in memory, takes seven times as long as the patched one.)
//
// Source: F. Schornbaum, "Hierarchical Hash Grids for Coarse Collision Detection", 2009.
#include "methods/hierarchical_grid/hierarchical_grid.h"

#include "methods/hierarchical_grid/linked_grid.h"
#include "methods/hierarchical_grid/patched_grid.h"
#include "methods/method.h"

#include <assert.h>

typedef struct hierarchical_grid {
    const bp_method_setup *setup;
    const bp_box *boxes;
    size_t count;
    bp_sorted_grid sorted;
    bp_sorted_grid other; // the other set of find_between

    // All zero until they are first used: most grids are built once, or rebuilt in every step.
    bp_patched_grid patch; // of `sorted`
    bp_linked_grid linked;

    bool is_linked;    // the linked grid is up to date, not the sorted one
    size_t calm_count; // updates in a row in which few objects changed
} hierarchical_grid;

enum {
    FEW = 16, // at most one object in this many is few
    CALM = 2  // updates: starting to patch costs about as much as this many rebuilds
};

static void hierarchical_grid_init(void *state, const bp_method_setup *setup) {
    hierarchical_grid *g = state;
    *g = (hierarchical_grid){.setup = setup};
    bp_sorted_grid_init(&g->sorted, setup);
    bp_sorted_grid_init(&g->other, setup);
}

static bool uses_patch(const hierarchical_grid *g) {
    return g->patch.setup != NULL;
}

static bool uses_linked(const hierarchical_grid *g) {
    return g->linked.setup != NULL;
}

static void hierarchical_grid_free(void *state) {
    hierarchical_grid *g = state;
    bp_sorted_grid_free(&g->sorted);
    bp_sorted_grid_free(&g->other);
    if (uses_linked(g)) {
        bp_linked_grid_free(&g->linked);
    }
    if (uses_patch(g)) {
        bp_patched_grid_free(&g->patch);
    }
}

static bp_status build_sorted(hierarchical_grid *g) {
    g->is_linked = false;
    if (uses_patch(g)) {
        bp_patched_grid_end(&g->patch);
    }
    return bp_sorted_grid_build(&g->sorted, g->boxes, g->count);
}

static bp_status update_linked(hierarchical_grid *g, const bp_changes *changes) {
    const bp_status status = bp_linked_grid_update(&g->linked, g->boxes, g->count, changes);
    g->is_linked = status == BP_OK;
    return status;
}

static bp_status build_linked(hierarchical_grid *g) {
    if (!uses_linked(g)) {
        bp_linked_grid_init(&g->linked, g->setup);
    }
    bp_linked_grid_clear(&g->linked);
    return update_linked(g, NULL);
}

// Whether to use the linked grid: the setup says so, and there are too many objects to test all pairs.
static bool wants_linked(const hierarchical_grid *g) {
    return g->setup->update == BP_UPDATE_INDIVIDUAL && g->count >= g->setup->settings.brute_force_below;
}

static bp_status hierarchical_grid_build(void *state, const bp_box *boxes, size_t count) {
    hierarchical_grid *g = state;
    g->boxes = boxes;
    g->count = count;
    return wants_linked(g) ? build_linked(g) : build_sorted(g);
}

// Whether to patch the sorted grid of the last update.
static bool wants_patch(hierarchical_grid *g, const bp_changes *changes) {
    const bool few =
        changes != NULL && changes->count < g->count / FEW && g->count >= g->setup->settings.brute_force_below;
    g->calm_count = few ? g->calm_count + 1 : 0;
    return few && !g->is_linked && g->calm_count > CALM;
}

static bp_status hierarchical_grid_update(void *state, const bp_box *boxes, size_t count, const bp_changes *changes,
                                          bp_search_kind *kind) {
    hierarchical_grid *g = state;
    g->boxes = boxes;
    g->count = count;
    *kind = BP_SEARCH_ALL;
    if (wants_linked(g) && g->is_linked) {
        *kind = changes != NULL ? BP_SEARCH_CHANGED : BP_SEARCH_ALL;
        return update_linked(g, changes);
    }
    if (wants_linked(g)) {
        return build_linked(g);
    }
    if (wants_patch(g, changes)) {
        *kind = BP_SEARCH_DIFFERENCE;
        return BP_OK; // bp_hierarchical_grid_find_difference does the work
    }
    return build_sorted(g);
}

static bp_status hierarchical_grid_find(void *state, bp_sink *sink) {
    hierarchical_grid *g = state;
    return g->is_linked ? bp_linked_grid_find(&g->linked, sink) : bp_sorted_grid_find(&g->sorted, sink);
}

static bp_status hierarchical_grid_find_changed(void *state, const bp_changes *changes, bp_sink *sink) {
    hierarchical_grid *g = state;
    return bp_linked_grid_find_changed(&g->linked, changes, sink);
}

static bp_status hierarchical_grid_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    hierarchical_grid *g = state;
    assert(!g->patch.active); // it has just been built
    bp_status status = g->is_linked ? build_sorted(g) : BP_OK;
    if (status == BP_OK) {
        status = bp_sorted_grid_build(&g->other, boxes, count);
    }
    return status == BP_OK ? bp_sorted_grid_find_between(&g->other, &g->sorted, sink) : status;
}

static void hierarchical_grid_stats(const void *state, bp_stats *stats) {
    const hierarchical_grid *g = state;
    if (g->is_linked) {
        bp_linked_grid_stats(&g->linked, stats);
    } else {
        bp_sorted_grid_stats(&g->sorted, stats);
        stats->update = g->patch.active ? BP_UPDATE_INDIVIDUAL : BP_UPDATE_REBUILD;
        stats->bytes += uses_patch(g) ? bp_patched_grid_bytes(&g->patch) : 0;
    }
}

static bp_status hierarchical_grid_validate(const void *state) {
    const hierarchical_grid *g = state;
    if (g->is_linked) {
        return bp_linked_grid_validate(&g->linked);
    }
    return g->patch.active ? bp_patched_grid_validate(&g->patch, g->boxes, g->count)
                           : bp_sorted_grid_validate(&g->sorted, g->boxes, g->count);
}

// ---- beyond the method interface ------------------------------------------------------------------------------------

bp_status bp_hierarchical_grid_find_difference(void *state, const bp_changes *changes, bp_sink *begun, bp_sink *ended) {
    hierarchical_grid *g = state;
    if (!uses_patch(g)) {
        bp_patched_grid_init(&g->patch, g->setup, &g->sorted);
    }
    return bp_patched_grid_find(&g->patch, g->boxes, g->count, changes, begun, ended);
}

bp_status bp_hierarchical_grid_find_across(void *state, void *other, bp_sink *sink) {
    hierarchical_grid *g = state, *h = other;
    assert(!g->is_linked && !g->patch.active && !h->is_linked && !h->patch.active); // both have just been built
    return bp_sorted_grid_find_between(&g->sorted, &h->sorted, sink);
}

const bp_sorted_grid *bp_hierarchical_grid_sorted(const void *state, const bp_id **strays, size_t *stray_count) {
    const hierarchical_grid *g = state;
    *strays = g->patch.strays.data;
    *stray_count = g->patch.stray_count;
    return g->is_linked ? NULL : &g->sorted;
}

// ---- the method -----------------------------------------------------------------------------------------------------

const bp_method_ops bp_hierarchical_grid_ops = {
    .name = "hierarchical-grid",
    .summary = "levels of hashed grids by object size: O(n), any sizes, unbounded space",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_INCREMENTAL | BP_SUPPORTS_THREADS,
    .state_bytes = sizeof(hierarchical_grid),
    .init = hierarchical_grid_init,
    .free = hierarchical_grid_free,
    .build = hierarchical_grid_build,
    .update = hierarchical_grid_update,
    .find = hierarchical_grid_find,
    .find_changed = hierarchical_grid_find_changed,
    .find_between = hierarchical_grid_find_between,
    .stats = hierarchical_grid_stats,
    .validate = hierarchical_grid_validate,
};
