// compact-grid: (cell, object) pairs, sorted by cell; an array of cells holds where the objects of each begin.
//
//     cells C    | 0 | 2 | 2 | 3 | 7 | ...          one entry per cell of the domain; the next one is the end
//                  |    ____/  /
//     objects L  | a b | c | d e f g | ...          sorted by (cell, id), boxes in columns
//
//     row-major   0 1 2 3      Z-curve   0 1 4 5       the order of the cells: by rows, or by interleaving the bits of
//                 4 5 6 7                2 3 6 7       x, y and z, so that neighbours in space are near in memory
//
// Building: the key of each object's cell (parallel), a sort of (key, id) that can continue from the last step's order
// (incremental_sort.h), the array C by runs of equal keys (parallel: each block counts its runs, the counts are summed
// up, each block writes), the boxes into columns. Objects that fit no cell get the key after all cells, holes the one
// after that.
//
// An object is in the cell of its min corner only, and is tested against the neighbouring cells that it reaches into.
// Gissler enters it in every cell that it overlaps, which makes 3.4 entries per object with cells of twice its size, and
// all of them have to be sorted: settings.grid_entries = footprint does that (footprints.h). Then keys are those of the
// cells times eight, plus the class of the object in its cell, so that C has the bounds of all classes; and the sort can
// continue from the last order only as long as the number of entries stays the same.
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
#include "literature/uniform_grids/footprints.h"
#include "literature/uniform_grids/incremental_sort.h"

enum { CELLS_PER_OBJECT = 2, CELLS_LEAST = 4096, AXIS_CELLS_MAX = 1 << 20, CLASS_BITS = 3, BLOCK_LEAST = 8192 };

// Measured: rows are best between 1.5 and 2.5; cells that are looked up one by one should be fewer.
static const double CELL_PER_OBJECT = 2.0, CELL_PER_OBJECT_CURVE = 3.0;

typedef struct compact_grid {
    bp_uniform_grid grid;
    bool contiguous;     // a row of cells is one range of C
    uint32_t class_bits; // of a key, below the cell: 0, or CLASS_BITS with footprints
    size_t cell_count;   // a power of two on the Z-curve
    size_t key_count;    // of these cells
    bp_incremental_sort sort;
    bp_blocks entry_blocks; // of what is sorted
    bp_buffer entry_ids;    // uint32_t, with footprints: the object of each entry
    bp_buffer offsets;      // C: key_count + 3 entries, including those of the scanned objects and the holes
    bp_buffer steps_buffer; // of uint32_t: the term that each coordinate of a cell adds to its key
    const uint32_t *steps[3];
    size_t run_starts[BP_GRID_BLOCKS_MAX + 1]; // of the blocks, among all runs of equal keys
} compact_grid;

// ---- looking up cells -----------------------------------------------------------------------------------------------

static uint32_t key_of_cell(const compact_grid *g, uint32_t x, uint32_t y, uint32_t z) {
    return g->steps[0][x] + g->steps[1][y] + g->steps[2][z];
}

static size_t compact_grid_ranges(const void *state, uint32_t first, uint32_t last, uint32_t y, uint32_t z,
                                  bp_cell_range *ranges) {
    const compact_grid *g = state;
    const uint32_t *offsets = g->offsets.data;
    size_t found = 0;
    for (uint32_t x = first; x <= last; ++x) {
        const uint32_t *cell = offsets + key_of_cell(g, x, y, z);
        ranges[found] = (bp_cell_range){.begin = cell[0], .end = cell[1], .first = x, .last = x};
        found += cell[0] < cell[1];
    }
    return found;
}

// C itself is the table.
static const uint32_t *compact_grid_row(const void *state, uint32_t y, uint32_t z) {
    const compact_grid *g = state;
    return (const uint32_t *)g->offsets.data + g->steps[1][y] + g->steps[2][z];
}

static const uint32_t *compact_grid_find_bounds(const void *state, uint32_t x, uint32_t y, uint32_t z) {
    const compact_grid *g = state;
    const uint32_t *bounds = (const uint32_t *)g->offsets.data + ((size_t)key_of_cell(g, x, y, z) << CLASS_BITS);
    return bounds[0] < bounds[BP_CELL_CLASSES] ? bounds : NULL;
}

static uint32_t key_of_entry(const uint64_t *entries, size_t i) {
    return (uint32_t)(entries[i] >> 32);
}

static const uint32_t *compact_grid_bounds_at(const void *state, size_t occupied_index) {
    const compact_grid *g = state;
    const uint32_t start = bp_uniform_grid_starts(&g->grid)[occupied_index];
    const uint32_t key = key_of_entry(bp_incremental_sort_entries(&g->sort), start);
    return (const uint32_t *)g->offsets.data + (key >> CLASS_BITS << CLASS_BITS);
}

// ---- cells and keys -------------------------------------------------------------------------------------------------

static uint32_t bits_to_count(uint32_t count) {
    uint32_t bits = 0;
    while ((uint64_t)1 << bits < count) {
        ++bits;
    }
    return bits;
}

// Takes bit b of x, y and z, in turn, as long as the axis has that many.
static void number_along_curve(const bp_cells *cells, uint32_t *const steps[3]) {
    uint32_t target = 0;
    for (int axis = 0; axis < 3; ++axis) {
        for (uint32_t i = 0; i < cells->count[axis]; ++i) {
            steps[axis][i] = 0;
        }
    }
    for (uint32_t bit = 0; bit < 32; ++bit) {
        for (int axis = 0; axis < 3; ++axis) {
            if (bit >= bits_to_count(cells->count[axis])) {
                continue;
            }
            for (uint32_t i = 0; i < cells->count[axis]; ++i) {
                steps[axis][i] |= (i >> bit & 1) << target;
            }
            ++target;
        }
    }
}

static void number_by_rows(const bp_cells *cells, uint32_t *const steps[3]) {
    uint32_t step = 1;
    for (int axis = 0; axis < 3; ++axis) {
        for (uint32_t i = 0; i < cells->count[axis]; ++i) {
            steps[axis][i] = i * step;
        }
        step *= cells->count[axis];
    }
}

static bool compute_steps(compact_grid *g) {
    const bp_cells *cells = &g->grid.cells;
    const size_t entries = (size_t)cells->count[0] + cells->count[1] + cells->count[2];
    if (!bp_buffer_reserve(&g->steps_buffer, &g->grid.setup->runtime.allocator, 0, entries, sizeof(uint32_t))) {
        return false;
    }
    uint32_t *steps[3] = {g->steps_buffer.data};
    steps[1] = steps[0] + cells->count[0];
    steps[2] = steps[1] + cells->count[1];
    if (g->contiguous) {
        number_by_rows(cells, steps);
        g->cell_count = (size_t)bp_cells_total(cells);
    } else {
        number_along_curve(cells, steps);
        g->cell_count = (size_t)1 << (bits_to_count(cells->count[0]) + bits_to_count(cells->count[1]) +
                                      bits_to_count(cells->count[2]));
    }
    g->key_count = g->cell_count << g->class_bits;
    for (int axis = 0; axis < 3; ++axis) {
        g->steps[axis] = steps[axis];
    }
    return true;
}

// How many cells C may have. On the Z-curve each axis is rounded up to a power of two: up to eight times as many; and
// with footprints each cell has eight entries.
static bp_cells_limits compact_limits(const bp_method_setup *setup, size_t count) {
    const uint32_t classes = setup->settings.grid_entries == BP_ENTRIES_FOOTPRINT ? BP_CELL_CLASSES : 1;
    const uint32_t rounding = (setup->settings.compact_keys == BP_KEYS_Z_CURVE ? 8 : 1) * classes;
    const uint64_t most = UINT32_MAX / 16 / classes;
    uint64_t cells = most;
    if (setup->settings.cell_size == 0.0f) {
        cells = (uint64_t)count * CELLS_PER_OBJECT > CELLS_LEAST ? (uint64_t)count * CELLS_PER_OBJECT : CELLS_LEAST;
    }
    if (setup->settings.memory_limit > 0 && setup->settings.memory_limit / sizeof(uint32_t) / rounding < cells) {
        cells = setup->settings.memory_limit / sizeof(uint32_t) / rounding;
    }
    return (bp_cells_limits){.cells = cells < most ? cells : most,
                             .axis_cells = AXIS_CELLS_MAX,
                             .longest = BP_CONFIGURED_CELLS,
                             .per_object = setup->settings.compact_keys == BP_KEYS_Z_CURVE ? CELL_PER_OBJECT_CURVE
                                                                                           : CELL_PER_OBJECT};
}

static void task_compact_keys(void *context, size_t block) {
    compact_grid *g = context;
    const bp_cells cells = g->grid.cells;
    const uint32_t scan_key = (uint32_t)g->key_count, dimensions = g->grid.setup->dimensions;
    uint32_t *keys = g->sort.keys.data;
    bp_cells_part part = {0};
    const size_t end = bp_block_begin(g->grid.blocks, block + 1);
    for (size_t i = bp_block_begin(g->grid.blocks, block); i < end; ++i) {
        uint32_t cell[3] = {0};
        const bp_place place = bp_cells_place(&cells, dimensions, &g->grid.boxes[i], cell, &part);
        if (place == BP_PLACE_CELL) {
            keys[i] = key_of_cell(g, cell[0], cell[1], cell[2]);
        } else {
            keys[i] = place == BP_PLACE_SCAN ? scan_key : scan_key + 1;
        }
    }
    bp_uniform_grid_parts(&g->grid)[block] = part;
}

// Writes the keys of all objects, or counts their footprints. After a new plan, the last keys are not comparable.
static bp_status compact_grid_place(void *state, bool *suits) {
    compact_grid *g = state;
    if (g->grid.is_replanned) {
        bp_incremental_sort_forget(&g->sort);
        if (!compute_steps(g)) {
            return BP_ERROR_MEMORY;
        }
        g->grid.is_replanned = false;
    }
    if (g->grid.has_footprints) {
        bp_footprints_count(&g->grid);
    } else {
        bp_parallel_for(&g->grid.setup->runtime.executor, g->grid.blocks.count, task_compact_keys, g);
    }
    *suits = bp_uniform_grid_join(&g->grid);
    return BP_OK;
}

// ---- footprints -----------------------------------------------------------------------------------------------------

// Writes the keys of an object's cells from `entry` on, and returns where the next ones go.
static size_t write_footprint(compact_grid *g, const bp_footprint *print, uint32_t id, size_t entry) {
    uint32_t *keys = g->sort.keys.data, *ids = g->entry_ids.data;
    for (uint32_t z = print->low[2]; z <= print->high[2]; ++z) {
        for (uint32_t y = print->low[1]; y <= print->high[1]; ++y) {
            for (uint32_t x = print->low[0]; x <= print->high[0]; ++x) {
                keys[entry] = key_of_cell(g, x, y, z) << CLASS_BITS | bp_footprint_place(print, x, y, z);
                ids[entry++] = id;
            }
        }
    }
    return entry;
}

static void task_write_footprints(void *context, size_t block) {
    compact_grid *g = context;
    const bp_entry_counts first = bp_footprint_counts(&g->grid)[block];
    uint32_t *keys = g->sort.keys.data, *ids = g->entry_ids.data;
    size_t entry = (size_t)first.entries, scanned = (size_t)first.scanned;
    bp_cells_part part = {0};
    const size_t end = bp_block_begin(g->grid.blocks, block + 1);
    for (size_t i = bp_block_begin(g->grid.blocks, block); i < end; ++i) {
        bp_footprint print;
        const bp_place place = bp_footprint_of(&g->grid, &g->grid.boxes[i], &print, &part);
        if (place == BP_PLACE_CELL) {
            entry = write_footprint(g, &print, (uint32_t)i, entry);
        } else if (place == BP_PLACE_SCAN) {
            keys[scanned] = (uint32_t)g->key_count;
            ids[scanned++] = (uint32_t)i;
        }
    }
}

// Makes room for the entries, which have been counted, and writes them.
static bp_status enter_footprints(compact_grid *g) {
    const bp_runtime *runtime = &g->grid.setup->runtime;
    const bp_status status = bp_footprints_place(&g->grid, bp_compact_grid_ops.name);
    if (status != BP_OK) {
        return status;
    }
    const size_t count = g->grid.total_count;
    if (bp_incremental_sort_begin(&g->sort, &runtime->allocator, count) == NULL ||
        !bp_buffer_reserve_slack(&g->entry_ids, &runtime->allocator, 0, count + 1, sizeof(uint32_t))) {
        return BP_ERROR_MEMORY;
    }
    g->entry_blocks = bp_blocks_cut(&runtime->executor, count, BLOCK_LEAST, BP_GRID_BLOCKS_MAX);
    bp_parallel_for(&runtime->executor, g->grid.blocks.count, task_write_footprints, g);
    return BP_OK;
}

// ---- C and L --------------------------------------------------------------------------------------------------------

// Whether the cell of an entry is another one than that of the entry before.
static bool begins_cell(const compact_grid *g, const uint64_t *entries, size_t i) {
    return i == 0 || key_of_entry(entries, i - 1) >> g->class_bits != key_of_entry(entries, i) >> g->class_bits;
}

// The number of cells whose entries begin in this block.
static void task_count_runs(void *context, size_t block) {
    compact_grid *g = context;
    const uint64_t *entries = bp_incremental_sort_entries(&g->sort);
    const size_t end = bp_block_begin(g->entry_blocks, block + 1);
    size_t runs = 0;
    for (size_t i = bp_block_begin(g->entry_blocks, block); i < end; ++i) {
        const uint32_t key = key_of_entry(entries, i);
        runs += key < g->key_count && begins_cell(g, entries, i);
    }
    g->run_starts[block + 1] = runs;
}

// Writes C and the starts of the occupied cells for the runs of equal keys that begin in this block, and its boxes into
// the columns.
static void task_write_runs(void *context, size_t block) {
    const compact_grid *g = context;
    const uint64_t *entries = bp_incremental_sort_entries(&g->sort);
    const uint32_t *ids = g->grid.has_footprints ? g->entry_ids.data : NULL;
    uint32_t *offsets = g->offsets.data, *starts = bp_uniform_grid_starts(&g->grid) + g->run_starts[block];
    const size_t begin = bp_block_begin(g->entry_blocks, block), end = bp_block_begin(g->entry_blocks, block + 1);
    uint32_t next =
        begin == 0 ? 0 : key_of_entry(entries, begin - 1) + 1; // the first key whose beginning is not written
    for (size_t i = begin; i < end; ++i) {
        const uint32_t key = key_of_entry(entries, i);
        g->grid.columns.id[i] = ids != NULL ? ids[(uint32_t)entries[i]] : (uint32_t)entries[i];
        if (next <= key) {
            if (key < g->key_count && begins_cell(g, entries, i)) {
                *starts++ = (uint32_t)i;
            }
            for (; next <= key; ++next) {
                offsets[next] = (uint32_t)i;
            }
        }
    }
    bp_uniform_grid_fill(&g->grid, begin, end);
}

static bool reserve_offsets(compact_grid *g) {
    const bp_allocator *allocator = &g->grid.setup->runtime.allocator;
    const size_t entries = g->entry_blocks.item_count, most = entries < g->cell_count ? entries : g->cell_count;
    return bp_buffer_reserve_slack(&g->offsets, allocator, 0, g->key_count + 3, sizeof(uint32_t)) &&
           (g->sort.varies ? bp_buffer_reserve_slack : bp_buffer_reserve)(&g->grid.starts_buffer, allocator, 0,
                                                                          most + 1, sizeof(uint32_t));
}

static void write_offsets(compact_grid *g) {
    const bp_executor *executor = &g->grid.setup->runtime.executor;
    const size_t block_count = g->entry_blocks.count, count = g->entry_blocks.item_count;
    bp_parallel_for(executor, block_count, task_count_runs, g);
    g->run_starts[0] = 0;
    for (size_t block = 0; block < block_count; ++block) {
        g->run_starts[block + 1] += g->run_starts[block];
    }
    bp_parallel_for(executor, block_count, task_write_runs, g);
    uint32_t *offsets = g->offsets.data;
    const size_t next_key = count > 0 ? (size_t)key_of_entry(bp_incremental_sort_entries(&g->sort), count - 1) + 1 : 0;
    for (size_t key = next_key; key < g->key_count + 3; ++key) {
        offsets[key] = (uint32_t)count;
    }
    g->grid.grid_count = offsets[g->key_count];
    g->grid.total_count = offsets[g->key_count + 1];
    g->grid.occupied = g->run_starts[block_count];
    bp_uniform_grid_starts(&g->grid)[g->grid.occupied] = (uint32_t)g->grid.grid_count;
}

static bp_status compact_grid_fill(void *state) {
    compact_grid *g = state;
    const bp_method_setup *setup = g->grid.setup;
    const bp_runtime *runtime = &setup->runtime;
    const bool prints = g->grid.has_footprints;
    g->entry_blocks = g->grid.blocks;
    if (prints ? !bp_footprints_reserve(&g->grid)
               : bp_incremental_sort_begin(&g->sort, &runtime->allocator, g->grid.count) == NULL) {
        return BP_ERROR_MEMORY;
    }
    bp_status status = bp_uniform_grid_place(&g->grid, compact_grid_place);
    if (status == BP_OK && prints) {
        status = enter_footprints(g);
    }
    if (status != BP_OK) {
        return status;
    }
    if (!reserve_offsets(g) ||
        !bp_incremental_sort_run(&g->sort, setup->settings.compact_sort, bits_to_count((uint32_t)g->key_count + 2),
                                 &runtime->allocator, &runtime->executor)) {
        return BP_ERROR_MEMORY;
    }
    write_offsets(g);
    return BP_OK;
}

// ---- the method -----------------------------------------------------------------------------------------------------

static void compact_grid_init(void *state, const bp_method_setup *setup) {
    compact_grid *g = state;
    const bool contiguous = setup->settings.compact_keys == BP_KEYS_ROW_MAJOR;
    const bool prints = setup->settings.grid_entries == BP_ENTRIES_FOOTPRINT;
    *g = (compact_grid){.grid = {.setup = setup,
                                 .has_footprints = prints,
                                 .find_ranges = compact_grid_ranges,
                                 .find_row = contiguous ? compact_grid_row : NULL,
                                 .find_bounds = compact_grid_find_bounds,
                                 .bounds_at = compact_grid_bounds_at},
                        .contiguous = contiguous,
                        .class_bits = prints ? CLASS_BITS : 0,
                        .sort = {.varies = prints}};
}

static void compact_grid_free(void *state) {
    compact_grid *g = state;
    const bp_allocator *allocator = &g->grid.setup->runtime.allocator;
    bp_incremental_sort_free(&g->sort, allocator);
    bp_buffer_free(&g->offsets, allocator);
    bp_buffer_free(&g->entry_ids, allocator);
    bp_buffer_free(&g->steps_buffer, allocator);
    bp_uniform_grid_free(&g->grid);
}

static bp_status compact_grid_build(void *state, const bp_box *boxes, size_t count) {
    compact_grid *g = state;
    return bp_uniform_grid_build(&g->grid, boxes, count, compact_limits(g->grid.setup, count), compact_grid_fill);
}

static void compact_grid_stats(const void *state, bp_stats *stats) {
    const compact_grid *g = state;
    bp_details details = bp_details_read(stats);
    details.sort = g->sort.ran;
    details.changed_share = g->sort.changed_share;
    details.sort_seconds = g->sort.seconds;
    bp_details_write(stats, &details);
    stats->cells = g->cell_count;
    stats->bytes =
        sizeof *g + bp_incremental_sort_bytes(&g->sort) + g->entry_ids.bytes + g->offsets.bytes + g->steps_buffer.bytes;
    bp_uniform_grid_stats(&g->grid, stats);
}

// The steps ascend along each axis, to the key of the last cell.
static bool steps_are_sound(const compact_grid *g) {
    size_t last_key = 0;
    bool sound = bp_cells_total(&g->grid.cells) > 0;
    for (int axis = 0; sound && axis < 3; ++axis) {
        const uint32_t last = g->grid.cells.count[axis] - 1;
        sound &= g->steps[axis][0] == 0;
        for (uint32_t i = 0; i < last; ++i) {
            sound &= g->steps[axis][i] < g->steps[axis][i + 1];
        }
        last_key += g->steps[axis][last];
    }
    return sound && last_key < g->cell_count;
}

// The entries of C are found through the keys, with footprints.
static bool entries_are_sound(const compact_grid *g) {
    const uint64_t *entries = bp_incremental_sort_entries(&g->sort);
    bool sound = g->grid.grid_count <= g->entry_blocks.item_count;
    for (size_t i = 0; sound && i < g->grid.grid_count; ++i) {
        sound = key_of_entry(entries, i) < g->key_count;
    }
    return sound;
}

static bp_status compact_grid_validate(const void *state) {
    const compact_grid *g = state;
    const uint32_t *offsets = g->offsets.data;
    bool sound = offsets[0] == 0 && steps_are_sound(g) && entries_are_sound(g);
    for (size_t key = 0; sound && key < g->key_count; ++key) {
        sound = offsets[key] <= offsets[key + 1];
    }
    return bp_footprints_validate(&g->grid, bp_compact_grid_ops.name, sound);
}

const bp_method_ops bp_compact_grid_ops = {
    .name = "compact-grid",
    .summary = "one uniform grid, objects sorted by cell: O(n + cells), cheap updates when few change cell",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_THREADS,
    .state_bytes = sizeof(compact_grid),
    .init = compact_grid_init,
    .free = compact_grid_free,
    .build = compact_grid_build,
    .find = bp_footprint_search_find,
    .find_between = bp_footprint_search_find_between,
    .stats = compact_grid_stats,
    .validate = compact_grid_validate,
};
