// compact-grid: (cell, object) entries, sorted by cell; an array of cells holds where the objects of each begin.
//
//     cells C    | 0 | 2 | 2 | 3 | 7 | ...          one per cell of the domain; the next one is the end
//                  |    ____/  /
//     objects L  | a b | c | d e f g | ...          sorted by (cell, id), boxes in columns
//
//     row-major   0 1 2 3      Z-curve   0 1 4 5       the order of the cells: by rows, or by interleaving the bits of
//                 4 5 6 7                2 3 6 7       x, y and z, so that neighbours in space are near in memory
//
// Building: the entries are counted and listed (cell_grid.h), sorted by a sort that can continue from the last step's
// order (incremental_sort.h), and the array C is written where the keys change.
//
// An object is in the cell of its min corner only, and is tested against the neighbouring cells that it reaches into.
// Gissler enters it in every cell that it overlaps, which makes 3.4 entries per object with cells of twice its size, and
// all of them have to be sorted: settings.grid_entries = footprint does that. Then keys are those of the cells times
// eight, plus the class of the object in its cell, so that C has the bounds of all classes. The sort can continue from the
// last order only as long as the number of entries stays the same.
//
// The pairs do not depend on the number of threads, nor on the sort: equal keys are ordered by id in both sorts.
//
// Cost: O(n + cells); sorting is nearly linear in the number of changed keys. C covers the whole domain, so it loses
// where a large domain has dense spots: cells are then made larger to bound C (2 per object), and dense spots fill up.
// It also loses where sizes are very different: objects too large for a cell are tested against all cells that they cover.
//
// Source: M. Gissler, M. Ihmsen, M. Teschner, "Efficient Uniform Grids for Collision Handling in Medical Simulators",
// sections 3.2 and 4.
#include "base/details.h"
#include "engine/method.h"
#include "literature/uniform_grids/cell_grid.h"
#include "literature/uniform_grids/incremental_sort.h"

enum { CELLS_PER_OBJECT = 2, CELLS_MIN = 4096, AXIS_CELLS_MAX = 1 << 20 };

// Measured: rows are best between 1.5 and 2.5; cells that are looked up one by one should be fewer.
static const double CELL_PER_OBJECT = 2.0, CELL_PER_OBJECT_CURVE = 3.0;

typedef struct compact_grid {
    bp_cell_grid grid; // whose starts are C
    bp_incremental_sort sort;
    bp_buffer steps; // uint32_t: the term that each coordinate of a cell adds to its number: x, then y, then z
} compact_grid;

// ---- numbers of cells -----------------------------------------------------------------------------------------------

static uint32_t find_by_steps(const void *state, const uint32_t at[3]) {
    const compact_grid *g = state;
    const uint32_t *steps = g->steps.data, *count = g->grid.cells.count;
    return steps[at[0]] + steps[count[0] + at[1]] + steps[(size_t)count[0] + count[1] + at[2]];
}

static size_t step_count(const compact_grid *g) {
    return (size_t)g->grid.cells.count[0] + g->grid.cells.count[1] + g->grid.cells.count[2];
}

static uint32_t bits_to_count(size_t count) {
    uint32_t bits = 0;
    while ((uint64_t)1 << bits < count) {
        ++bits;
    }
    return bits;
}

// Takes bit b of x, y and z, in turn, as long as the axis has that many.
static void number_along_curve(compact_grid *g) {
    const uint32_t *count = g->grid.cells.count;
    uint32_t target = 0;
    memset(g->steps.data, 0, step_count(g) * sizeof(uint32_t));
    for (uint32_t bit = 0; bit < 32; ++bit) {
        uint32_t *steps = g->steps.data;
        for (int axis = 0; axis < 3; steps += count[axis], ++axis) {
            if (bit >= bits_to_count(count[axis])) {
                continue;
            }
            for (uint32_t i = 0; i < count[axis]; ++i) {
                steps[i] |= (i >> bit & 1) << target;
            }
            ++target;
        }
    }
    g->grid.number_count = (size_t)1 << target;
}

static void number_by_rows(compact_grid *g) {
    uint32_t step = 1, *steps = g->steps.data;
    for (int axis = 0; axis < 3; ++axis) {
        for (uint32_t i = 0; i < g->grid.cells.count[axis]; ++i) {
            *steps++ = i * step;
        }
        step *= g->grid.cells.count[axis];
    }
    g->grid.number_count = step;
}

static bp_status number_cells(void *state) {
    compact_grid *g = state;
    if (!g->grid.is_replanned) {
        return BP_OK;
    }
    g->sort.count = 0; // its keys are those of other cells
    if (!bp_buffer_reserve(&g->steps, &g->grid.setup->runtime.allocator, 0, step_count(g), sizeof(uint32_t))) {
        return BP_ERROR_MEMORY;
    }
    (g->grid.setup->settings.compact_keys == BP_KEYS_Z_CURVE ? number_along_curve : number_by_rows)(g);
    g->grid.is_replanned = false;
    return BP_OK;
}

// ---- C and L --------------------------------------------------------------------------------------------------------

static uint32_t key_at(const compact_grid *g, size_t i) {
    return (uint32_t)(bp_incremental_sort_sorted(&g->sort)[i] >> 32);
}

// Writes L, and C for the keys up to the last one of this block.
static void task_write_starts(void *context, size_t block) {
    const compact_grid *g = context;
    const uint64_t *sorted = bp_incremental_sort_sorted(&g->sort);
    const uint32_t *ids = g->grid.ids.data;
    uint32_t *starts = g->grid.starts.data;
    const size_t begin = bp_block_begin(g->grid.entries, block), end = bp_block_begin(g->grid.entries, block + 1);
    uint32_t next = begin == 0 ? 0 : key_at(g, begin - 1) + 1;
    for (size_t i = begin; i < end; ++i) {
        g->grid.columns.id[i] = ids[(uint32_t)sorted[i]];
        for (; next <= key_at(g, i); ++next) {
            starts[next] = (uint32_t)i;
        }
    }
}

static bp_status sort_entries(void *state) {
    compact_grid *g = state;
    const bp_runtime *runtime = &g->grid.setup->runtime;
    const size_t count = g->grid.grid_count, key_count = g->grid.number_count << g->grid.class_bits;
    if (!bp_cell_grid_reserve_starts(&g->grid, &g->grid.starts) || !bp_cell_grid_write_keys(&g->grid) ||
        !bp_incremental_sort_run(&g->sort, g->grid.keys.data, count, g->grid.setup->settings.compact_sort,
                                 bits_to_count(key_count), &runtime->allocator, &runtime->executor)) {
        return BP_ERROR_MEMORY;
    }
    bp_parallel_for(&runtime->executor, g->grid.entries.count, task_write_starts, g);
    for (size_t next = count > 0 ? (size_t)key_at(g, count - 1) + 1 : 0; next <= key_count; ++next) {
        ((uint32_t *)g->grid.starts.data)[next] = (uint32_t)count;
    }
    return BP_OK;
}

static bool steps_are_sound(const void *state) {
    const compact_grid *g = state;
    return step_count(g) <= g->steps.bytes / sizeof(uint32_t);
}

static const bp_cell_map COMPACT_MAP = {.name = "compact-grid",
                                        .make = number_cells,
                                        .find = find_by_steps,
                                        .sort = sort_entries,
                                        .is_sound = steps_are_sound};

// ---- the method -----------------------------------------------------------------------------------------------------

// How many cells C may have: on the Z-curve each axis is rounded up to a power of two: up to eight times as many; and
// with footprints each cell has eight starts.
static bp_status compact_grid_build(void *state, const bp_box *boxes, size_t count) {
    compact_grid *g = state;
    const bp_method_settings *settings = &g->grid.setup->settings;
    const bool is_curve = settings->compact_keys == BP_KEYS_Z_CURVE;
    const uint64_t most = UINT32_MAX / 16 >> g->grid.class_bits, wanted = (uint64_t)count * CELLS_PER_OBJECT;
    const uint64_t room = settings->memory_limit / sizeof(uint32_t) / (is_curve ? 8 : 1) >> g->grid.class_bits;
    uint64_t cells = settings->cell_size > 0.0f ? most : wanted > CELLS_MIN ? wanted : CELLS_MIN;
    cells = settings->memory_limit > 0 && room < cells ? room : cells;
    return bp_cell_grid_build(&g->grid, boxes, count,
                              (bp_cells_limits){.cells = cells < most ? cells : most,
                                                .axis_cells = AXIS_CELLS_MAX,
                                                .longest = BP_CONFIGURED_CELLS,
                                                .per_object = is_curve ? CELL_PER_OBJECT_CURVE : CELL_PER_OBJECT});
}

static void compact_grid_init(void *state, const bp_method_setup *setup) {
    *(compact_grid *)state =
        (compact_grid){.grid = {.setup = setup, .map = &COMPACT_MAP, .class_bits = bp_class_bits_of(setup)}};
}

static void compact_grid_free(void *state) {
    compact_grid *g = state;
    const bp_allocator *allocator = &g->grid.setup->runtime.allocator;
    bp_incremental_sort_free(&g->sort, allocator);
    bp_buffer_free(&g->steps, allocator);
    bp_cell_grid_free(&g->grid);
}

static void compact_grid_stats(const void *state, bp_stats *stats) {
    const compact_grid *g = state;
    bp_details details = bp_details_read(stats);
    details.sort = g->sort.ran;
    details.changed_share = g->sort.changed_share;
    details.sort_seconds = g->sort.seconds;
    bp_details_write(stats, &details);
    stats->cells = g->grid.number_count;
    stats->bytes = sizeof *g + bp_incremental_sort_bytes(&g->sort) + g->steps.bytes;
    bp_cell_grid_stats(&g->grid, stats);
}

const bp_method_ops bp_compact_grid_ops = {
    .name = "compact-grid",
    .summary = "one uniform grid, objects sorted by cell: O(n + cells), cheap updates when few change cell",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_THREADS,
    .state_bytes = sizeof(compact_grid),
    .init = compact_grid_init,
    .free = compact_grid_free,
    .build = compact_grid_build,
    .find = bp_cell_grid_find,
    .find_between = bp_cell_grid_find_between,
    .stats = compact_grid_stats,
    .validate = bp_cell_grid_validate,
};
