// hierarchical-grid: levels of grids, each for objects of a certain size. All boxes are sorted by cell into columns, again in every
// step (sorted_grid.h). The form of the work, whose cells are linked lists, is in literature/hierarchical_grid.
//
// Idea: an object is never larger than the cells of its level, so it can only overlap objects of its own cell or of a
// neighbouring one; between objects of different sizes, the smaller one searches the coarser level. Cells are folded by
// modulo into a block whose size follows the number of objects: space is unbounded, memory is not.
//
// Cost: O(n) to build, to update and to find, if cells hold a bounded number of objects. Loses where they do not: objects much
// thinner than long in all directions at once, sizes or places over many scales; and where few objects move.
//
// Source: F. Schornbaum, "Hierarchical Hash Grids for Coarse Collision Detection", 2009.
#include "engine/grid/sorted_grid.h"
#include "engine/method.h"

typedef struct hierarchical_grid {
    const bp_method_setup *setup;
    const bp_box *boxes;
    size_t count;
    bp_sorted_grid sorted, other; // the other set of find_between
} hierarchical_grid;

static void hierarchical_grid_init(void *state, const bp_method_setup *setup) {
    hierarchical_grid *g = state;
    *g = (hierarchical_grid){.setup = setup};
    bp_sorted_grid_init(&g->sorted, setup);
    bp_sorted_grid_init(&g->other, setup);
}

static void hierarchical_grid_free(void *state) {
    hierarchical_grid *g = state;
    bp_sorted_grid_free(&g->sorted);
    bp_sorted_grid_free(&g->other);
}

static bp_status hierarchical_grid_build(void *state, const bp_box *boxes, size_t count) {
    hierarchical_grid *g = state;
    g->boxes = boxes;
    g->count = count;
    return bp_sorted_grid_build(&g->sorted, boxes, count);
}

// Levels that were planned for earlier boxes may fit these no more: then the search takes too many tests, and they are planned anew.
static bp_status hierarchical_grid_find(void *state, bp_sink *sink) {
    hierarchical_grid *g = state;
    if (g->sorted.plan_age == 0 || sink->rules.budget != NULL) {
        return bp_sorted_grid_find(&g->sorted, sink);
    }
    bp_test_budget budget;
    bp_sink_begin_budget(sink, &budget, g->count);
    bp_status status = bp_sorted_grid_find(&g->sorted, sink);
    if (!bp_sink_end_budget(sink, &budget)) {
        bp_sorted_grid_forget_levels(&g->sorted);
        status = bp_sorted_grid_build(&g->sorted, g->boxes, g->count);
        status = status == BP_OK ? bp_sorted_grid_find(&g->sorted, sink) : status;
    }
    return status;
}

static bp_status hierarchical_grid_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    hierarchical_grid *g = state;
    const bp_status status = bp_sorted_grid_build(&g->other, boxes, count);
    return status == BP_OK ? bp_sorted_grid_find_between(&g->other, &g->sorted, sink) : status;
}

static void hierarchical_grid_stats(const void *state, bp_stats *stats) {
    const hierarchical_grid *g = state;
    bp_stats other = {0};
    bp_sorted_grid_stats(&g->sorted, stats);
    bp_sorted_grid_stats(&g->other, &other);
    stats->update = BP_UPDATE_REBUILD;
    stats->bytes += sizeof *g + other.bytes;
}

static bp_status hierarchical_grid_validate(const void *state) {
    const hierarchical_grid *g = state;
    return bp_sorted_grid_validate(&g->sorted, g->boxes, g->count);
}

const bp_method_ops bp_hierarchical_grid_ops = {
    .name = "hierarchical-grid",
    .summary = "levels of hashed grids by object size: O(n), any sizes, unbounded space",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_INCREMENTAL | BP_SUPPORTS_THREADS,
    .state_bytes = sizeof(hierarchical_grid),
    .init = hierarchical_grid_init,
    .free = hierarchical_grid_free,
    .build = hierarchical_grid_build,
    .find = hierarchical_grid_find,
    .find_between = hierarchical_grid_find_between,
    .stats = hierarchical_grid_stats,
    .validate = hierarchical_grid_validate,
};
