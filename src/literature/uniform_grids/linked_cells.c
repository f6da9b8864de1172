// linked-cells: a bounded domain, divided into a dense grid of cells that are not smaller than the objects.
//
//         z ^   y                      columns (structure of arrays)
//           |  /   +---+---+---+---+       +--------------------------------------+-------+
//           | /    | 0 | 1 | 2 | 3 |  -->  | row 0      | row 1    | row 2 | ...  | large |
//           |/     +---+---+---+---+       +--------------------------------------+-------+
//           +------------> x                 ^ starts[cell] .. starts[cell + 1]
//
// Idea: an object belongs to the cell of its min corner, so it can only overlap objects of its own and of adjacent
// cells. Half of the neighbours are enough, because the objects of the other half test against it. The lists of the
// literature are ranges here: boxes are copied in the order of their cells. Of the neighbours, an object needs only those into
// which it crosses (cell_grid_search.c): hence fewer candidate tests than with the own cell and 13 neighbours. An object
// that is larger than the cells, or infinite, is stored separately. It is tested against the cells that its box covers
// and against all other large objects: a wall costs as much as there are objects at it. Objects outside a configured
// domain belong to the cells at its border.
//
// Cost: O(n + cells) time and memory. Loses where the cells are many and empty (a large domain with dense spots; Koch
// 2020 measured 12 times the time of a hash grid there) and where sizes differ much: cells are as large as most objects
// need.
//
// Source: C. Koch, "Implementation and Evaluation of Acceleration Structures for Inhomogeneous and Polydisperse
// Particle Dynamics", 2020, section 2.2.
#include "base/log.h"
#include "engine/method.h"
#include "literature/uniform_grids/cell_grid.h"

enum { CELLS_PER_OBJECT = 8, CELLS_MIN = 64, CONFIGURED_MIN = 65536, CONFIGURED_PER_OBJECT = 1024 };

static const double CELLS_MAX = 4294967293.0;

// Objects as large as the configured cells fit into them, even if rounded coordinates make them a little larger.
static const double CONFIGURED_FIT = 1.001;

static bp_status number_all_cells(void *state) {
    bp_cell_grid *grid = state;
    grid->number_count = (size_t)bp_cells_total(&grid->cells);
    return BP_OK;
}

static uint32_t find_row_major(const void *state, const uint32_t at[3]) {
    return bp_cell_grid_row_major(state, at);
}

static bool has_all_cells(const void *state) {
    const bp_cell_grid *grid = state;
    return grid->number_count == bp_cells_total(&grid->cells);
}

static const bp_cell_map LINKED_CELLS_MAP = {.name = "linked-cells",
                                             .make = number_all_cells,
                                             .find = find_row_major,
                                             .sort = bp_cell_grid_sort,
                                             .is_sound = has_all_cells};

static bp_status linked_cells_build(void *state, const bp_box *boxes, size_t count) {
    bp_cell_grid *grid = state;
    const bp_method_settings *settings = &grid->setup->settings;
    const bool configured = settings->cell_size > 0.0f, bounded = settings->memory_limit > 0;
    const double bytes = (double)count * (sizeof(bp_box) + 3 * sizeof(uint32_t) + BP_SORT_BYTES_PER_ITEM);
    const double room = bounded ? ((double)settings->memory_limit - bytes) / sizeof(uint32_t) : CELLS_MAX;
    const double sensible = configured && (bounded || bp_domain_is_set(&settings->domain)) ? CELLS_MAX
                            : configured ? CONFIGURED_MIN + (double)CONFIGURED_PER_OBJECT * (double)count
                                         : CELLS_MIN + (double)CELLS_PER_OBJECT * (double)count;
    if (room < 1.0) {
        bp_log_write(&grid->setup->runtime.log,
                     "linked-cells: %zu boxes do not fit into settings.memory_limit; increase it", count);
        return BP_ERROR_MEMORY;
    }
    return bp_cell_grid_build(grid, boxes, count,
                              (bp_cells_limits){.cells = (uint64_t)fmin(fmin(room, sensible), CELLS_MAX),
                                                .axis_cells = 1u << 30,
                                                .per_object = 1.0,
                                                .longest = CONFIGURED_FIT});
}

static void linked_cells_init(void *state, const bp_method_setup *setup) {
    *(bp_cell_grid *)state = (bp_cell_grid){.setup = setup, .map = &LINKED_CELLS_MAP};
}

static void linked_cells_stats(const void *state, bp_stats *stats) {
    const bp_cell_grid *grid = state;
    stats->cells = grid->number_count;
    stats->bytes = sizeof *grid;
    bp_cell_grid_stats(grid, stats);
}

const bp_method_ops bp_linked_cells_ops = {
    .name = "linked-cells",
    .summary = "a dense grid over a bounded domain: O(n + cells), for objects of similar size",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_THREADS,
    .state_bytes = sizeof(bp_cell_grid),
    .init = linked_cells_init,
    .free = bp_cell_grid_free,
    .build = linked_cells_build,
    .find = bp_cell_grid_find,
    .find_between = bp_cell_grid_find_between,
    .stats = linked_cells_stats,
    .validate = bp_cell_grid_validate,
};
