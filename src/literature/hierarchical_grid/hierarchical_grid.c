// hierarchical-grid as Schornbaum builds it: `grid_form = linked`, or `update = individual`. Cells are linked lists, which objects enter
// and leave in O(1); all pairs are tested below a threshold. With update = individual, objects are moved one by one; with
// update = rebuild all are removed and inserted again: the two strategies of the work.
//
// It takes seven times as long as the sorted form of the engine (engine/grid), because its objects are scattered in memory.
//
// Source: F. Schornbaum, "Hierarchical Hash Grids for Coarse Collision Detection", 2009.
#include "engine/all_pairs.h"
#include "engine/grid/sorted_grid.h"
#include "engine/method.h"
#include "literature/hierarchical_grid/linked_grid.h"

typedef struct hierarchical_grid {
    const bp_method_setup *setup;
    const bp_box *boxes;
    size_t count;
    bool is_linked; // else there are so few objects that all pairs are tested
    bp_linked_grid linked;
    bp_all_pairs all;
} hierarchical_grid;

static void linked_init(void *state, const bp_method_setup *setup) {
    hierarchical_grid *g = state;
    *g = (hierarchical_grid){.setup = setup, .all = {.setup = setup}};
    bp_linked_grid_init(&g->linked, setup);
}

static void linked_free(void *state) {
    hierarchical_grid *g = state;
    bp_linked_grid_free(&g->linked);
    bp_all_pairs_free(&g->all);
}

static bp_status linked_update(void *state, const bp_box *boxes, size_t count, const bp_changes *changes,
                               bp_search_kind *kind) {
    hierarchical_grid *g = state;
    const bool is_kept = g->is_linked && g->setup->update != BP_UPDATE_REBUILD;
    g->boxes = boxes;
    g->count = count;
    g->is_linked = count >= g->setup->settings.brute_force_below;
    *kind = g->is_linked && is_kept && changes != NULL ? BP_SEARCH_CHANGED : BP_SEARCH_ALL;
    if (!g->is_linked) {
        return bp_all_pairs_build(&g->all, boxes, count);
    }
    if (!is_kept) {
        bp_linked_grid_clear(&g->linked);
    }
    const bp_status status = bp_linked_grid_update(&g->linked, boxes, count, is_kept ? changes : NULL);
    g->is_linked = status == BP_OK;
    return status;
}

static bp_status linked_build(void *state, const bp_box *boxes, size_t count) {
    ((hierarchical_grid *)state)->is_linked = false;
    return linked_update(state, boxes, count, NULL, &(bp_search_kind){BP_SEARCH_ALL});
}

static bp_status linked_find(void *state, bp_sink *sink) {
    hierarchical_grid *g = state;
    return g->is_linked ? bp_linked_grid_find(&g->linked, sink) : bp_all_pairs_find(&g->all, sink);
}

static bp_status linked_find_changed(void *state, const bp_changes *changes, bp_sink *sink) {
    return bp_linked_grid_find_changed(&((hierarchical_grid *)state)->linked, changes, sink);
}

// Linked lists cannot be searched across: both sets are sorted.
static bp_status linked_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    hierarchical_grid *g = state;
    bp_sorted_grid own, other;
    bp_sorted_grid_init(&own, g->setup);
    bp_sorted_grid_init(&other, g->setup);
    bp_status status = bp_sorted_grid_build(&own, g->boxes, g->count);
    status = status == BP_OK ? bp_sorted_grid_build(&other, boxes, count) : status;
    status = status == BP_OK ? bp_sorted_grid_find_between(&other, &own, sink) : status;
    bp_sorted_grid_free(&own);
    bp_sorted_grid_free(&other);
    return status;
}

static void linked_stats(const void *state, bp_stats *stats) {
    const hierarchical_grid *g = state;
    bp_stats all = {0};
    bp_all_pairs_stats(&g->all, &all);
    if (g->is_linked) {
        bp_linked_grid_stats(&g->linked, stats);
    }
    stats->update = !g->is_linked || g->setup->update == BP_UPDATE_REBUILD ? BP_UPDATE_REBUILD : BP_UPDATE_INDIVIDUAL;
    stats->bytes = sizeof *g + all.bytes + bp_linked_grid_bytes(&g->linked);
}

static bp_status linked_validate(const void *state) {
    const hierarchical_grid *g = state;
    return g->is_linked ? bp_linked_grid_validate(&g->linked) : BP_OK;
}

const bp_method_ops bp_linked_grid_ops = {
    .name = "hierarchical-grid",
    .summary = "levels of hashed grids by object size, whose cells are linked lists",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_INCREMENTAL | BP_SUPPORTS_THREADS,
    .state_bytes = sizeof(hierarchical_grid),
    .init = linked_init,
    .free = linked_free,
    .build = linked_build,
    .update = linked_update,
    .find = linked_find,
    .find_changed = linked_find_changed,
    .find_between = linked_find_between,
    .stats = linked_stats,
    .validate = linked_validate,
};
