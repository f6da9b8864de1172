// linked-cells: a bounded domain, divided into a dense grid of cells that are not smaller than the objects.
//
//         z ^   y                      columns (structure of arrays)
//           |  /   +---+---+---+---+       +--------------------------------------+-------+
//           | /    | 0 | 1 | 2 | 3 |  -->  | row 0      | row 1    | row 2 | ...  | large |
//           |/     +---+---+---+---+       +--------------------------------------+-------+
//           +------------> x                 ^ table[cell] .. table[cell + 1]
//
// Idea: an object belongs to the cell of its min corner, so it can only overlap objects of its own and of adjacent
// cells. Half of the neighbours are enough, because the objects of the other half test against it. The lists of the
// literature are ranges here: boxes are copied in the order of their cells, and the cells of a row that an object
// reaches are one range. Of the rows above, an object needs only those into which it crosses (cell_search.h): hence
// fewer candidate tests than with the own cell and 13 neighbours. An object that is larger than the cells, or infinite, is
// stored separately. It is tested against the cells that its box covers and against all other large objects: a wall
// costs as much as there are objects at it. Objects outside a configured domain belong to the cells at its border.
//
// Cost: O(n + cells) time and memory. Loses where the cells are many and empty (a large domain with dense spots; Koch
// 2020 measured 12 times the time of a hash grid there) and where sizes differ much: cells are as large as most objects
// need.
//
// Source: C. Koch, "Implementation and Evaluation of Acceleration Structures for Inhomogeneous and Polydisperse
// Particle Dynamics", 2020, section 2.2.
#include "base/bucket_sort.h"
#include "base/log.h"
#include "engine/method.h"
#include "literature/uniform_grids/cell_search.h"

enum { CELLS_PER_OBJECT = 8, CELLS_LEAST = 64, CONFIGURED_LEAST = 65536, CONFIGURED_PER_OBJECT = 1024 };

static const double CELLS_MAX = 4294967293.0;

// Objects as large as the configured cells fit into them, even if rounded coordinates make them a little larger.
static const double CONFIGURED_FIT = 1.001;

typedef struct linked_cells {
    bp_uniform_grid grid;
    bp_bucket_sort sort;
    bp_buffer table; // of uint32_t: where each cell begins; the entry after the last one is where it ends
} linked_cells;

static const uint32_t *linked_cells_row(const void *state, uint32_t y, uint32_t z) {
    const linked_cells *l = state;
    const uint32_t *count = l->grid.cells.count;
    return (const uint32_t *)l->table.data + ((size_t)z * count[1] + y) * count[0];
}

// ---- building -------------------------------------------------------------------------------------------------------

static void task_linked_keys(void *context, size_t block) {
    linked_cells *l = context;
    const bp_cells cells = l->grid.cells;
    const size_t begin = bp_block_begin(l->grid.blocks, block), end = bp_block_begin(l->grid.blocks, block + 1);
    bp_cells_part part = {0};
    bp_bucket_sort_clear(&l->sort, block);
    for (size_t i = begin; i < end; ++i) {
        uint32_t cell[3] = {0};
        const bp_place place = bp_cells_place(&cells, l->grid.setup->dimensions, &l->grid.boxes[i], cell, &part);
        const size_t key = ((size_t)cell[2] * cells.count[1] + cell[1]) * cells.count[0] + cell[0];
        l->sort.keys[i] = place == BP_PLACE_CELL   ? (uint32_t)key
                          : place == BP_PLACE_SCAN ? BP_SORT_KEY_LAST
                                                   : BP_SORT_KEY_NONE;
    }
    bp_bucket_sort_count(&l->sort, block, begin, end);
    bp_uniform_grid_parts(&l->grid)[block] = part;
}

// Finds the cells of all boxes, for the planned cells.
static bp_status linked_cells_place(void *state, bool *suits) {
    linked_cells *l = state;
    const bp_allocator *allocator = &l->grid.setup->runtime.allocator;
    const size_t cell_count = (size_t)bp_cells_total(&l->grid.cells);
    if (!bp_buffer_reserve_slack(&l->table, allocator, 0, cell_count + 2, sizeof(uint32_t)) ||
        !bp_bucket_sort_begin(&l->sort, allocator, l->grid.blocks, cell_count)) {
        return BP_ERROR_MEMORY;
    }
    l->sort.keys = l->grid.columns.id;
    l->sort.ids = l->grid.columns.id;
    l->sort.table = l->table.data;
    bp_parallel_for(&l->grid.setup->runtime.executor, l->grid.blocks.count, task_linked_keys, l);
    *suits = bp_uniform_grid_join(&l->grid);
    return BP_OK;
}

static void fill_linked_bucket(void *context, size_t bucket, size_t begin, size_t end) {
    (void)bucket;
    bp_uniform_grid_fill(context, begin, end);
}

static bp_status linked_cells_fill(void *state) {
    linked_cells *l = state;
    const bp_runtime *runtime = &l->grid.setup->runtime;
    const bp_status status = bp_uniform_grid_place(&l->grid, linked_cells_place);
    if (status != BP_OK) {
        return status;
    }
    bp_bucket_sort_run(&l->sort, &runtime->executor, fill_linked_bucket, &l->grid);
    if (!bp_buffer_reserve_slack(&l->grid.starts_buffer, &runtime->allocator, 0, l->sort.occupied + 1,
                                 sizeof(uint32_t))) {
        return BP_ERROR_MEMORY;
    }
    uint32_t *starts = bp_uniform_grid_starts(&l->grid);
    const uint32_t *table = l->table.data;
    for (size_t cell = 0; cell < l->sort.cell_count; ++cell) {
        *starts = table[cell];
        starts += table[cell] < table[cell + 1];
    }
    *starts = (uint32_t)l->sort.cell_items;
    l->grid.grid_count = l->sort.cell_items;
    l->grid.total_count = l->sort.total_items;
    l->grid.occupied = l->sort.occupied;
    return BP_OK;
}

static bp_status linked_cells_build(void *state, const bp_box *boxes, size_t count) {
    linked_cells *l = state;
    const bp_method_settings *settings = &l->grid.setup->settings;
    const bool configured = settings->cell_size > 0.0f, bounded = settings->memory_limit > 0;
    const double bytes = (double)count * (sizeof(bp_box) + sizeof(uint32_t) + BP_SORT_BYTES_PER_ITEM);
    const double room = bounded ? ((double)settings->memory_limit - bytes) / sizeof(uint32_t) : CELLS_MAX;
    const double sensible = configured && (bounded || bp_domain_is_set(&settings->domain)) ? CELLS_MAX
                            : configured ? CONFIGURED_LEAST + (double)CONFIGURED_PER_OBJECT * (double)count
                                         : CELLS_LEAST + (double)CELLS_PER_OBJECT * (double)count;
    if (room < 1.0) {
        bp_log_write(&l->grid.setup->runtime.log,
                     "linked-cells: %zu boxes do not fit into settings.memory_limit; use a larger one", count);
        return BP_ERROR_MEMORY;
    }
    const bp_cells_limits limits = {.cells = (uint64_t)fmin(fmin(room, sensible), CELLS_MAX),
                                    .axis_cells = 1u << 30,
                                    .per_object = 1.0,
                                    .longest = CONFIGURED_FIT};
    return bp_uniform_grid_build(&l->grid, boxes, count, limits, linked_cells_fill);
}

// ---- the method -----------------------------------------------------------------------------------------------------

static void linked_cells_init(void *state, const bp_method_setup *setup) {
    linked_cells *l = state;
    *l = (linked_cells){.grid = {.setup = setup, .find_row = linked_cells_row}};
}

static void linked_cells_free(void *state) {
    linked_cells *l = state;
    const bp_allocator *allocator = &l->grid.setup->runtime.allocator;
    bp_bucket_sort_free(&l->sort, allocator);
    bp_buffer_free(&l->table, allocator);
    bp_uniform_grid_free(&l->grid);
}

static void linked_cells_stats(const void *state, bp_stats *stats) {
    const linked_cells *l = state;
    stats->cells = l->sort.cell_count;
    stats->bytes = sizeof *l + l->table.bytes + bp_bucket_sort_bytes(&l->sort);
    bp_uniform_grid_stats(&l->grid, stats);
}

// Cells ascend; that each holds its boxes is checked with the grid.
static bp_status linked_cells_validate(const void *state) {
    const linked_cells *l = state;
    const uint32_t *table = l->table.data;
    bool sound = l->sort.cell_count == bp_cells_total(&l->grid.cells) && table[0] == 0 &&
                 table[l->sort.cell_count] == l->grid.grid_count;
    for (size_t cell = 0; sound && cell < l->sort.cell_count; ++cell) {
        sound = table[cell] <= table[cell + 1];
    }
    return bp_uniform_grid_validate(&l->grid, bp_linked_cells_ops.name, sound);
}

const bp_method_ops bp_linked_cells_ops = {
    .name = "linked-cells",
    .summary = "a dense grid over a bounded domain: O(n + cells), for objects of similar size",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_THREADS,
    .state_bytes = sizeof(linked_cells),
    .init = linked_cells_init,
    .free = linked_cells_free,
    .build = linked_cells_build,
    .find = bp_cell_search_find,
    .find_between = bp_cell_search_find_between,
    .stats = linked_cells_stats,
    .validate = linked_cells_validate,
};
