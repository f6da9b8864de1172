// compact-grid: (cell, object) pairs, sorted by cell; an array of cells says where each one's objects begin.
//
//     cells C    | 0 | 2 | 2 | 3 | 7 | ...          one entry per cell of the domain; the next one is the end
//                  |    ____/  /
//     objects L  | a b | c | d e f g | ...          sorted by (cell, id), boxes in columns
//
//     row-major   0 1 2 3       Z-curve   0 1 4 5        the order of the cells: by rows, or by interleaving the bits of
//                 4 5 6 7                 2 3 6 7        x, y and z, so that neighbours in space are near in memory
//
// Building: the key of each object's cell (parallel), a sort of (key, id) that may go on from the last step's order
// (key_sort.h), the array C by runs of equal keys (parallel: each block counts its runs, the counts are added up, each
// block writes), the boxes into columns. Objects that fit no cell get the key behind all cells, holes the one after it.
//
// An object is entered in the cell of its min corner only, and searches the neighbouring cells that it reaches into. The
// seed enters it in every cell that it overlaps, which makes 3.4 entries of each with cells of twice its size; all of
// them have to be sorted, and pairs that share several cells are found several times. Measured for 10^6 uniform cubes:
// to sort 3.4 million entries takes 36 ms, one million 4.5 ms, and all of the search 41 ms.
//
// The pairs do not depend on the number of threads, nor on the sort: equal keys are ordered by id in both sorts.
//
// Cost: O(n + cells); sorting is near linear in what has changed. C covers the whole domain, so it loses where a large
// domain has dense spots: cells are then made larger to bound C (2 per object), and dense spots fill up. It also loses
// where sizes are very different: objects too large for a cell are tested against all.
//
// Source: M. Gissler, M. Ihmsen, M. Teschner, "Efficient Uniform Grids for Collision Handling in Medical Simulators",
// 2011, sections 3.2 and 4.
#include "api/config.h"
#include "base/parallel.h"
#include "methods/method.h"
#include "methods/uniform_grids/cell_search.h"
#include "methods/uniform_grids/incremental_sort.h"

enum {
    BLOCK_LEAST = 8192, // boxes that are worth a task
    BLOCKS_MAX = 256,
    CELLS_PER_OBJECT = 2,
    CELLS_LEAST = 4096,
    AXIS_CELLS_MAX = 1 << 20
};

// Measured: rows are best between 1.5 and 2.5; cells that are looked up one by one are better fewer.
static const double CELL_PER_OBJECT = 2.0, CELL_PER_OBJECT_CURVE = 3.0;

typedef struct compact_grid {
    bp_cell_sweep sweep;
    const bp_box *boxes;
    size_t count;
    bool contiguous;   // a row of cells is one range of C
    size_t cell_count; // of C; a power of two on the Z-curve
    bp_key_sort sort;
    bp_buffer offsets;      // C: cell_count + 3 entries, with those of the scanned objects and the holes
    bp_buffer steps_buffer; // uint32_t: what each coordinate of a cell adds to its key
    const uint32_t *steps[3];
    bp_buffer parts; // bp_cells_part per block
    size_t run_starts[BLOCKS_MAX + 1];
} compact_grid;

static bp_status create(const bp_config *config, void **state) {
    compact_grid *g = config->allocator.allocate(config->allocator.context, sizeof *g);
    *state = g;
    if (g == NULL) {
        return BP_ERROR_MEMORY;
    }
    *g = (compact_grid){.sweep = {.config = config}};
    return BP_OK;
}

static void destroy(void *state) {
    compact_grid *g = state;
    const bp_allocator allocator = g->sweep.config->allocator;
    bp_key_sort_free(&g->sort, &allocator);
    bp_buffer_free(&g->offsets, &allocator);
    bp_buffer_free(&g->steps_buffer, &allocator);
    bp_buffer_free(&g->parts, &allocator);
    bp_cell_sweep_free(&g->sweep);
    allocator.release(allocator.context, g, sizeof *g);
}

// ---- cells and keys -------------------------------------------------------------------------------------------------

static uint32_t bits_for(uint32_t count) {
    uint32_t bits = 0;
    while ((uint64_t)1 << bits < count) {
        ++bits;
    }
    return bits;
}

// Bit b of x, y and z, in turn, as long as the axis has that many.
static void number_along_curve(const bp_cells *cells, uint32_t *const steps[3]) {
    uint32_t target = 0;
    for (int axis = 0; axis < 3; ++axis) {
        for (uint32_t i = 0; i < cells->count[axis]; ++i) {
            steps[axis][i] = 0;
        }
    }
    for (uint32_t bit = 0; bit < 32; ++bit) {
        for (int axis = 0; axis < 3; ++axis) {
            if (bit >= bits_for(cells->count[axis])) {
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

static bool number_cells(compact_grid *g) {
    const bp_cells *cells = &g->sweep.cells;
    const size_t entries = (size_t)cells->count[0] + cells->count[1] + cells->count[2];
    if (!bp_buffer_reserve(&g->steps_buffer, &g->sweep.config->allocator, 0, entries, sizeof(uint32_t))) {
        return false;
    }
    uint32_t *steps[3] = {g->steps_buffer.data};
    steps[1] = steps[0] + cells->count[0];
    steps[2] = steps[1] + cells->count[1];
    g->contiguous = g->sweep.config->compact_keys == BP_KEYS_ROW_MAJOR;
    if (g->contiguous) {
        number_by_rows(cells, steps);
        g->cell_count = bp_cells_total(cells);
    } else {
        number_along_curve(cells, steps);
        g->cell_count =
            (size_t)1 << (bits_for(cells->count[0]) + bits_for(cells->count[1]) + bits_for(cells->count[2]));
    }
    for (int axis = 0; axis < 3; ++axis) {
        g->steps[axis] = steps[axis];
    }
    return true;
}

static uint32_t key_of_cell(const compact_grid *g, uint32_t x, uint32_t y, uint32_t z) {
    return g->steps[0][x] + g->steps[1][y] + g->steps[2][z];
}

// How many cells C may have. On the Z-curve each axis is rounded up to a power of two: up to eight times as many.
static bp_cells_limits limits_for(const bp_config *config, size_t count) {
    const uint64_t most = UINT32_MAX / 16;
    const uint32_t rounding = config->compact_keys == BP_KEYS_Z_CURVE ? 8 : 1;
    uint64_t cells = most;
    if (config->cell_size == 0.0f) {
        cells = (uint64_t)count * CELLS_PER_OBJECT > CELLS_LEAST ? (uint64_t)count * CELLS_PER_OBJECT : CELLS_LEAST;
    }
    if (config->memory_limit > 0 && config->memory_limit / sizeof(uint32_t) / rounding < cells) {
        cells = config->memory_limit / sizeof(uint32_t) / rounding;
    }
    return (bp_cells_limits){.cells = cells < most ? cells : most,
                             .axis_cells = AXIS_CELLS_MAX,
                             .per_object =
                                 config->compact_keys == BP_KEYS_Z_CURVE ? CELL_PER_OBJECT_CURVE : CELL_PER_OBJECT};
}

static bp_status plan(compact_grid *g, bool all) {
    const bp_config *config = g->sweep.config;
    const bp_cells_limits limits = limits_for(config, g->count);
    const bp_status status =
        bp_cells_plan(&g->sweep.cells, config, g->boxes, g->count, &limits, all, &g->sweep.plan_scratch);
    bp_key_sort_forget(&g->sort);
    return status != BP_OK ? status : number_cells(g) ? BP_OK : BP_ERROR_MEMORY;
}

typedef struct pass {
    compact_grid *g;
    uint32_t *keys;
    bp_cells_part *parts;
    size_t count, block_count;
} pass;

static size_t block_begin(const pass *p, size_t block) {
    return (size_t)((unsigned long long)p->count * block / p->block_count);
}

static void task_keys(void *context, size_t block) {
    const pass *p = context;
    const compact_grid *g = p->g;
    const bp_cells cells = g->sweep.cells;
    const uint32_t scan_key = (uint32_t)g->cell_count, dimensions = g->sweep.config->dimensions;
    bp_cells_part part = {0};
    const size_t end = block_begin(p, block + 1);
    for (size_t i = block_begin(p, block); i < end; ++i) {
        uint32_t cell[3] = {0};
        const bp_place place = bp_cells_place(&cells, dimensions, &g->boxes[i], cell, &part);
        if (place == BP_PLACE_CELL) {
            p->keys[i] = key_of_cell(g, cell[0], cell[1], cell[2]);
        } else {
            p->keys[i] = place == BP_PLACE_SCAN ? scan_key : scan_key + 1;
        }
    }
    p->parts[block] = part;
}

static pass pass_over(compact_grid *g, size_t count) {
    pass p = {.g = g, .parts = g->parts.data, .count = count};
    p.block_count = bp_parallel_blocks(&g->sweep.config->executor, count, BLOCK_LEAST);
    p.block_count = p.block_count < BLOCKS_MAX ? p.block_count : BLOCKS_MAX;
    return p;
}

// Keys by the plan there is or, if it does not suit the objects any more, by a new one.
static bp_status make_keys(compact_grid *g) {
    const bp_config *config = g->sweep.config;
    bp_cells *cells = &g->sweep.cells;
    pass p = pass_over(g, g->count);
    p.keys = bp_key_sort_begin(&g->sort, &config->allocator, g->count);
    bp_status status = p.keys == NULL ? BP_ERROR_MEMORY : cells->planned ? BP_OK : plan(g, false);
    if (status != BP_OK) {
        return status;
    }
    bp_parallel_for(&config->executor, p.block_count, task_keys, &p);
    if (bp_cells_join(cells, config, p.parts, p.block_count, g->count)) {
        return BP_OK;
    }
    status = plan(g, true);
    if (status == BP_OK) {
        bp_parallel_for(&config->executor, p.block_count, task_keys, &p);
        (void)bp_cells_join(cells, config, p.parts, p.block_count, g->count);
    }
    return status;
}

// ---- C and L --------------------------------------------------------------------------------------------------------

static uint32_t key_at(const uint64_t *entries, size_t i) {
    return (uint32_t)(entries[i] >> 32);
}

// Where runs of equal keys begin: how many of them in this block of entries. Only cells count.
static void task_count_runs(void *context, size_t block) {
    const pass *p = context;
    const uint64_t *entries = bp_key_sort_entries(&p->g->sort);
    const size_t end = block_begin(p, block + 1);
    size_t runs = 0;
    for (size_t i = block_begin(p, block); i < end; ++i) {
        const uint32_t key = key_at(entries, i);
        runs += key < p->g->cell_count && (i == 0 || key_at(entries, i - 1) != key);
    }
    p->g->run_starts[block + 1] = runs;
}

// Writes C and the starts of the occupied cells for the runs that begin in this block, and its boxes into the columns.
static void task_write_runs(void *context, size_t block) {
    const pass *p = context;
    const compact_grid *g = p->g;
    const uint64_t *entries = bp_key_sort_entries(&g->sort);
    uint32_t *offsets = g->offsets.data, *starts = bp_cell_starts(&g->sweep) + g->run_starts[block];
    const size_t begin = block_begin(p, block), end = block_begin(p, block + 1);
    uint32_t next = begin == 0 ? 0 : key_at(entries, begin - 1) + 1; // the first key whose beginning is not written
    for (size_t i = begin; i < end; ++i) {
        const uint32_t key = key_at(entries, i);
        g->sweep.columns.id[i] = (uint32_t)entries[i];
        if (next <= key) {
            if (key < g->cell_count) {
                *starts++ = (uint32_t)i;
            }
            for (; next <= key; ++next) {
                offsets[next] = (uint32_t)i;
            }
        }
    }
    bp_columns_fill(&g->sweep.columns, g->sweep.config, begin, end, g->boxes);
}

static bool reserve_offsets(compact_grid *g) {
    const bp_allocator *allocator = &g->sweep.config->allocator;
    const size_t most = g->count < g->cell_count ? g->count : g->cell_count;
    return bp_buffer_reserve_slack(&g->offsets, allocator, 0, g->cell_count + 3, sizeof(uint32_t)) &&
           bp_buffer_reserve(&g->sweep.starts, allocator, 0, most + 1, sizeof(uint32_t)) &&
           bp_columns_reserve(&g->sweep.columns, &g->sweep.columns_buffer, allocator, g->count);
}

static void write_offsets(compact_grid *g) {
    const bp_executor *executor = &g->sweep.config->executor;
    pass p = pass_over(g, g->count);
    bp_parallel_for(executor, p.block_count, task_count_runs, &p);
    g->run_starts[0] = 0;
    for (size_t block = 0; block < p.block_count; ++block) {
        g->run_starts[block + 1] += g->run_starts[block];
    }
    bp_parallel_for(executor, p.block_count, task_write_runs, &p);
    uint32_t *offsets = g->offsets.data;
    const size_t last_key = g->count > 0 ? (size_t)key_at(bp_key_sort_entries(&g->sort), g->count - 1) + 1 : 0;
    for (size_t key = last_key; key < g->cell_count + 3; ++key) {
        offsets[key] = (uint32_t)g->count;
    }
    g->sweep.grid_count = offsets[g->cell_count];
    g->sweep.total_count = offsets[g->cell_count + 1];
    g->sweep.occupied = g->run_starts[p.block_count];
    bp_cell_starts(&g->sweep)[g->sweep.occupied] = (uint32_t)g->sweep.grid_count;
}

static size_t lookup(const void *index, uint32_t first, uint32_t last, uint32_t y, uint32_t z, bp_cell_range *ranges) {
    const compact_grid *g = index;
    const uint32_t *offsets = g->offsets.data;
    if (g->contiguous) {
        const uint32_t *row = offsets + g->steps[1][y] + g->steps[2][z];
        ranges[0] = (bp_cell_range){.begin = row[first], .end = row[last + 1], .first = first, .last = last};
        return ranges[0].begin < ranges[0].end;
    }
    size_t found = 0;
    for (uint32_t x = first; x <= last; ++x) {
        const uint32_t *cell = offsets + key_of_cell(g, x, y, z);
        ranges[found] = (bp_cell_range){.begin = cell[0], .end = cell[1], .first = x, .last = x};
        found += cell[0] < cell[1];
    }
    return found;
}

// A row's table is C itself. A row that is not there stands for itself, and is not used.
static void row_tables(const void *index, const uint32_t cell[3], bp_row_tables *tables) {
    const compact_grid *g = index;
    const uint32_t *count = g->sweep.cells.count, *row = (const uint32_t *)g->offsets.data;
    const uint32_t has_up = cell[1] + 1 < count[1], has_out = cell[2] + 1 < count[2], has_down = cell[1] > 0;
    const size_t up = (size_t)has_up * count[0], out = (size_t)has_out * count[0] * count[1];
    row += g->steps[1][cell[1]] + g->steps[2][cell[2]];
    *tables =
        (bp_row_tables){.rows = {row, row + up, row + out, row + out + up, row + out - (size_t)has_down * count[0]},
                        .there = {1, has_up, has_out, has_out & has_up, has_out & has_down},
                        .last = count[0] - 1};
}

static bp_status fill(compact_grid *g) {
    const bp_config *config = g->sweep.config;
    if (!bp_buffer_reserve(&g->parts, &config->allocator, 0, BLOCKS_MAX, sizeof(bp_cells_part))) {
        return BP_ERROR_MEMORY;
    }
    const bp_status status = make_keys(g);
    if (status != BP_OK) {
        return status;
    }
    if (!reserve_offsets(g) || !bp_key_sort_run(&g->sort, config, bits_for((uint32_t)g->cell_count + 2))) {
        return BP_ERROR_MEMORY;
    }
    write_offsets(g);
    bp_cell_sweep_settle(&g->sweep);
    return BP_OK;
}

static bp_status build(void *state, const bp_box *boxes, size_t count) {
    compact_grid *g = state;
    g->boxes = boxes;
    g->count = count;
    g->sweep.lookup = lookup;
    g->sweep.tables = g->sweep.config->compact_keys == BP_KEYS_ROW_MAJOR ? row_tables : NULL;
    g->sweep.table_stride = 1;
    g->sweep.index = g;
    const bp_status status = fill(g);
    if (status != BP_OK) {
        bp_cell_sweep_empty(&g->sweep);
    }
    return status;
}

// ---- the method -----------------------------------------------------------------------------------------------------

static bp_status find(void *state, bp_sink *sink) {
    compact_grid *g = state;
    return bp_cell_sweep_find(&g->sweep, sink);
}

static bp_status find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    compact_grid *g = state;
    return bp_cell_sweep_find_between(&g->sweep, boxes, count, sink);
}

static void stats(const void *state, bp_stats *stats) {
    const compact_grid *g = state;
    stats->cells = g->cell_count;
    stats->sort = g->sort.ran;
    stats->changed_share = g->sort.changed_share;
    stats->bytes = sizeof *g + bp_key_sort_bytes(&g->sort) + g->offsets.bytes + g->steps_buffer.bytes + g->parts.bytes;
    bp_cell_sweep_stats(&g->sweep, stats);
}

// The steps ascend along each axis, to the key of the last cell.
static bool steps_are_sound(const compact_grid *g) {
    size_t last_key = 0;
    bool sound = bp_cells_total(&g->sweep.cells) > 0;
    for (int axis = 0; sound && axis < 3; ++axis) {
        const uint32_t last = g->sweep.cells.count[axis] - 1;
        sound &= g->steps[axis][0] == 0;
        for (uint32_t i = 0; i < last; ++i) {
            sound &= g->steps[axis][i] < g->steps[axis][i + 1];
        }
        last_key += g->steps[axis][last];
    }
    return sound && last_key < g->cell_count;
}

static bp_status validate(const void *state) {
    const compact_grid *g = state;
    const uint32_t *offsets = g->offsets.data;
    bool sound = offsets[0] == 0 && steps_are_sound(g);
    for (size_t cell = 0; sound && cell < g->cell_count; ++cell) {
        sound = offsets[cell] <= offsets[cell + 1];
    }
    if (!sound || !bp_cell_sweep_is_sound(&g->sweep, g->boxes, g->count)) {
        bp_log_write(g->sweep.config, "compact-grid: it does not hold the boxes that it was given");
        return BP_ERROR_INTERNAL;
    }
    return BP_OK;
}

const bp_method_ops bp_compact_grid_ops = {
    .name = "compact-grid",
    .summary = "one uniform grid, objects sorted by cell: O(n + cells), cheap updates when few change cell",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_THREADS,
    .create = create,
    .destroy = destroy,
    .build = build,
    .find = find,
    .find_between = find_between,
    .stats = stats,
    .validate = validate,
};
