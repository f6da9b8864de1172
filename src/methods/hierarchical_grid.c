// hierarchical-grid: levels of grids, each for objects of a certain size, in two forms behind one method.
//
//     REBUILD     the sorted grid   all boxes sorted by cell into columns, every time    sorted_grid.h, sorted_sweep.c
//     INDIVIDUAL  the hash grid     linked cells, objects enter and leave in O(1)        hash_grid.h
//
// Idea: an object is never larger than the cells of its level, so it can only meet what lies in its own or a
// neighbouring cell there; against objects of other sizes it is the smaller one that searches the coarser level. Cells
// are folded by modulo into a block whose size follows the number of objects: space is unbounded, memory is not.
//
// Cost: O(n) to build, to update and to find, if cells hold a bounded number of objects. Loses where that is not so:
// objects much thinner than long in all directions at once, everything piled up in one place, a few hundred objects
// (there all pairs are tested instead).
//
// update = automatic: the sorted form, unless nearly everything stays in its cell. The share of objects that changed
// cell is known from the last update of the hash form, or estimated from the share that moved at all.
//
// Source: F. Schornbaum, "Hierarchical Hash Grids for Coarse Collision Detection", 2009.
#include "../hash_grid.h"
#include "../method.h"
#include "../sorted_grid.h"

typedef struct hierarchical_grid {
    const bp_config *config;
    const bp_box *boxes;
    size_t count;
    bp_sorted_grid sorted;
    bp_sorted_grid other; // the other set of find_between
    bp_hash_grid hash;
    bool hashed;         // which form is up to date
    bp_buffer everybody; // all ids, to fill the hash form
} hierarchical_grid;

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
    return BP_OK;
}

static void destroy(void *state) {
    hierarchical_grid *g = state;
    const bp_allocator allocator = g->config->allocator;
    bp_sorted_grid_free(&g->sorted);
    bp_sorted_grid_free(&g->other);
    bp_hash_grid_free(&g->hash);
    bp_buffer_free(&g->everybody, &allocator);
    allocator.release(allocator.context, g, sizeof *g);
}

static bp_status build_sorted(hierarchical_grid *g) {
    g->hashed = false;
    return bp_sorted_grid_build(&g->sorted, g->boxes, g->count);
}

static bp_status build_hashed(hierarchical_grid *g) {
    bp_hash_grid_clear(&g->hash);
    g->hashed = false;
    if (!bp_buffer_reserve_slack(&g->everybody, &g->config->allocator, 0, g->count, sizeof(bp_id))) {
        return BP_ERROR_MEMORY;
    }
    bp_id *ids = g->everybody.data;
    for (size_t i = 0; i < g->count; ++i) {
        ids[i] = (bp_id)i;
    }
    size_t moved = 0;
    const bp_status status = bp_hash_grid_update(&g->hash, g->boxes, g->count, ids, g->count, &moved);
    g->hashed = status == BP_OK;
    return status;
}

static bp_status build(void *state, const bp_box *boxes, size_t count) {
    hierarchical_grid *g = state;
    g->boxes = boxes;
    g->count = count;
    return g->config->update == BP_UPDATE_INDIVIDUAL ? build_hashed(g) : build_sorted(g);
}

static bp_status update(void *state, const bp_box *boxes, size_t count, const bp_id *changed, size_t changed_count) {
    hierarchical_grid *g = state;
    if (!g->hashed) {
        return build(state, boxes, count);
    }
    g->boxes = boxes;
    g->count = count;
    size_t moved = 0;
    const bp_status status = bp_hash_grid_update(&g->hash, boxes, count, changed, changed_count, &moved);
    g->hashed = status == BP_OK;
    return status;
}

static bp_status find(void *state, bp_sink *sink) {
    hierarchical_grid *g = state;
    return g->hashed ? bp_hash_grid_find(&g->hash, sink) : bp_sorted_grid_find(&g->sorted, sink);
}

static bp_status find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    hierarchical_grid *g = state;
    bp_status status = g->hashed ? build_sorted(g) : BP_OK;
    if (status == BP_OK) {
        status = bp_sorted_grid_build(&g->other, boxes, count);
    }
    return status == BP_OK ? bp_sorted_grid_find_between(&g->other, &g->sorted, sink) : status;
}

static void stats(const void *state, bp_stats *stats) {
    const hierarchical_grid *g = state;
    if (g->hashed) {
        bp_hash_grid_stats(&g->hash, stats);
    } else {
        bp_sorted_grid_stats(&g->sorted, stats);
    }
}

static bp_status validate(const void *state) {
    const hierarchical_grid *g = state;
    return g->hashed ? bp_hash_grid_validate(&g->hash) : bp_sorted_grid_validate(&g->sorted, g->boxes, g->count);
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
    .find_between = find_between,
    .stats = stats,
    .validate = validate,
};
