// pivot-grid: a counting sort of objects by cell. One pivot per cell counts its objects and then says where they are.
//
//     pivots  | 2,0 | 0,2 | 1,2 | 4,3 | ...       (count, index); index + count is where the next cell begins
//                |          |     |
//     data    | a b | c | d e f g | ...           objects by cell: boxes in columns
//
//   0. clear     the pivots that were in use
//   1. count     each object adds one to its cell's pivot                              parallel over slices of objects
//   2. offsets   pages of pivots (chunks, or parts of the dense table) add up their counts, then the pages are added up
//                in order, then each pivot gets the end of its objects as its index            parallel over pages
//   3. place     each object takes one off its pivot's index: that is its place                parallel over slices
//   4. arrange   the ids of each cell are sorted, the boxes are copied                         parallel over pages
//
// Counting and placing use relaxed atomic operations; with one worker plain ones, as an atomic operation has to wait for
// its cache line and there is nobody to wait for.
//
// Layouts (pivot_chunks.h): `chunked`, the seed's contribution and the default, keeps pivots in chunks of 8 x 8 x 8 cells
// (32 x 32 in two dimensions) that exist only where objects are. `dense` is one table over the domain.
//
// The pairs do not depend on the number of threads. Which object of a cell is placed first does; therefore step 4 sorts
// the ids of each cell. Which chunk is made first does; therefore chunks are listed by their coordinates in step 2. The
// seed instead takes offsets from a shared counter; that saves the adding up, and costs the order of the cells, by which
// a row of cells is one range here.
//
// Cost: O(n) chunked, O(n + cells) dense. Chunked loses in memory where every object has a chunk to itself: cells are then
// made larger, so that there is at most one chunk for four objects. Dense loses in large domains. Both lose where sizes
// are very different: objects too large for a cell are tested against all.
//
// Source: M. Zhyhallo, B. Wozna-Szczesniak, "Better Spacial Hashing with Linear Memory Usage and Parallelism", 2024, after
// C. Pozzer et al., "A hash table construction algorithm for spatial hashing based on linear memory", 2014.
#include "api/config.h"
#include "base/parallel.h"
#include "methods/method.h"
#include "methods/uniform_grids/cell_search.h"
#include "methods/uniform_grids/incremental_sort.h"
#include "methods/uniform_grids/pivot_chunks.h"

#include <string.h>

enum {
    BLOCK_LEAST = 8192, // boxes that are worth a task
    BLOCKS_MAX = 256,
    PAGE = 4096, // pivots of the dense table that are worth a task
    CELLS_PER_OBJECT = 2,
    CELLS_LEAST = 4096,
    CELLS_MAX = 1 << 28,   // 2 GiB
    OBJECTS_PER_CHUNK = 4, // at least, on average
    CHUNKS_LEAST = 64,
    AXIS_BITS = 20
};

// Measured: between 1.5 and 3 it hardly matters.
static const double CELL_PER_OBJECT = 2.0;

// What a slice of objects finds out while it is counted.
typedef struct slice {
    bp_cells_part part;
    bp_chunk_maker maker;
} slice;

typedef struct pivot_grid {
    bp_cell_sweep sweep;
    const bp_box *boxes;
    size_t count;
    bool chunked;
    bool shared;         // more than one thread counts
    uint32_t chunk_bits; // of cells per axis of a chunk
    uint32_t depth_bits; // the same for z: 0 in two dimensions
    bp_pivot scan;       // of the objects that are tested against all
    bp_pivot_chunks chunks;
    bp_buffer table;   // the dense pivots
    bp_buffer handles; // bp_pivot *: the pivot of each object, NULL for a hole
    bp_buffer pages;
    size_t page_count;
    bp_buffer slices;
    size_t slice_count;
} pivot_grid;

static bp_status create(const bp_config *config, void **state) {
    pivot_grid *g = config->allocator.allocate(config->allocator.context, sizeof *g);
    *state = g;
    if (g == NULL) {
        return BP_ERROR_MEMORY;
    }
    memset(g, 0, sizeof *g);
    g->sweep.config = config;
    g->chunked = config->pivot_layout == BP_PIVOTS_CHUNKED;
    g->shared = config->executor.workers > 1;
    while (1u << g->chunk_bits < config->chunk_size) {
        ++g->chunk_bits;
    }
    g->depth_bits = config->dimensions == 3 ? g->chunk_bits : 0;
    return BP_OK;
}

static void destroy(void *state) {
    pivot_grid *g = state;
    const bp_allocator allocator = g->sweep.config->allocator;
    bp_pivot_chunks_free(&g->chunks, &allocator);
    bp_buffer_free(&g->table, &allocator);
    bp_buffer_free(&g->handles, &allocator);
    bp_buffer_free(&g->pages, &allocator);
    bp_buffer_free(&g->slices, &allocator);
    bp_cell_sweep_free(&g->sweep);
    allocator.release(allocator.context, g, sizeof *g);
}

// ---- cells ----------------------------------------------------------------------------------------------------------

static size_t dense_index(const pivot_grid *g, uint32_t x, uint32_t y, uint32_t z) {
    const uint32_t *count = g->sweep.cells.count;
    return ((size_t)z * count[1] + y) * count[0] + x;
}

static uint64_t chunk_key(const pivot_grid *g, uint32_t x, uint32_t y, uint32_t z) {
    return ((uint64_t)(z >> g->depth_bits) << AXIS_BITS | y >> g->chunk_bits) << AXIS_BITS | x >> g->chunk_bits;
}

static size_t index_in_chunk(const pivot_grid *g, uint32_t x, uint32_t y, uint32_t z) {
    const uint32_t mask = (1u << g->chunk_bits) - 1, depth_mask = (1u << g->depth_bits) - 1;
    return ((size_t)(z & depth_mask) << g->chunk_bits | (y & mask)) << g->chunk_bits | (x & mask);
}

static size_t pivots_per_chunk(const pivot_grid *g) {
    return (size_t)1 << (2 * g->chunk_bits + g->depth_bits);
}

static size_t chunk_most(const pivot_grid *g) {
    if (g->sweep.config->cell_size > 0.0f) {
        return g->count + 1;
    }
    return g->count / OBJECTS_PER_CHUNK > CHUNKS_LEAST ? g->count / OBJECTS_PER_CHUNK : CHUNKS_LEAST;
}

static uint32_t load(const atomic_uint *value) {
    return atomic_load_explicit(value, memory_order_relaxed);
}

static void store(atomic_uint *value, uint32_t to) {
    atomic_store_explicit(value, to, memory_order_relaxed);
}

// Adds one to a count.
static void increment(const pivot_grid *g, atomic_uint *value) {
    if (g->shared) {
        atomic_fetch_add_explicit(value, 1, memory_order_relaxed);
    } else {
        store(value, load(value) + 1);
    }
}

// Takes one off an index and returns what is left.
static uint32_t decrement(const pivot_grid *g, atomic_uint *value) {
    if (g->shared) {
        return atomic_fetch_sub_explicit(value, 1, memory_order_relaxed) - 1;
    }
    store(value, load(value) - 1);
    return load(value);
}

// ---- 0. clear -------------------------------------------------------------------------------------------------------

static void task_clear(void *context, size_t page) {
    pivot_grid *g = context;
    const size_t total = bp_cells_total(&g->sweep.cells), begin = page * PAGE;
    const size_t count = total - begin < PAGE ? total - begin : PAGE;
    memset((bp_pivot *)g->table.data + begin, 0, count * sizeof(bp_pivot));
}

static bool clear_dense(pivot_grid *g) {
    const size_t total = bp_cells_total(&g->sweep.cells);
    g->page_count = (total + PAGE - 1) / PAGE;
    if (!bp_buffer_reserve(&g->table, &g->sweep.config->allocator, 0, total + BP_PIVOT_PADDING, sizeof(bp_pivot)) ||
        !bp_buffer_reserve(&g->pages, &g->sweep.config->allocator, 0, g->page_count, sizeof(bp_pivot_page))) {
        return false;
    }
    bp_parallel_for(&g->sweep.config->executor, g->page_count, task_clear, g);
    return true;
}

static bool clear(pivot_grid *g) {
    store(&g->scan.count, 0);
    return g->chunked
               ? bp_pivot_chunks_clear(&g->chunks, g->sweep.config, chunk_most(g), g->slice_count, pivots_per_chunk(g))
               : clear_dense(g);
}

// ---- 1. count -------------------------------------------------------------------------------------------------------

static size_t slice_begin(const pivot_grid *g, size_t index) {
    return (size_t)((unsigned long long)g->count * index / g->slice_count);
}

// The pivot of a cell; NULL if there is no more room for chunks.
static bp_pivot *pivot_for(pivot_grid *g, const uint32_t cell[3], bp_chunk_maker *maker) {
    if (!g->chunked) {
        return (bp_pivot *)g->table.data + dense_index(g, cell[0], cell[1], cell[2]);
    }
    bp_pivot *chunk =
        bp_pivot_chunk_make(&g->chunks, &g->sweep.config->allocator, chunk_key(g, cell[0], cell[1], cell[2]), maker);
    return chunk == NULL ? NULL : chunk + index_in_chunk(g, cell[0], cell[1], cell[2]);
}

static void task_count(void *context, size_t index) {
    pivot_grid *g = context;
    const bp_cells cells = g->sweep.cells;
    const uint32_t dimensions = g->sweep.config->dimensions;
    bp_pivot **handles = g->handles.data;
    slice s = {.maker = {.spare = NULL}};
    const size_t end = slice_begin(g, index + 1);
    for (size_t i = slice_begin(g, index); i < end; ++i) {
        uint32_t cell[3] = {0};
        const bp_place place = bp_cells_place(&cells, dimensions, &g->boxes[i], cell, &s.part);
        handles[i] = place == BP_PLACE_CELL ? pivot_for(g, cell, &s.maker) : place == BP_PLACE_SCAN ? &g->scan : NULL;
        if (s.maker.full || s.maker.failed) {
            break;
        }
        if (handles[i] != NULL) {
            increment(g, &handles[i]->count);
        }
    }
    ((slice *)g->slices.data)[index] = s;
}

// What the slices came to.
typedef struct outcome {
    bool full, failed, suits;
} outcome;

static outcome join_slices(pivot_grid *g) {
    const slice *slices = g->slices.data;
    bp_cells_part parts[BLOCKS_MAX];
    outcome o = {.full = g->chunked && atomic_load(&g->chunks.claimed) > g->chunks.chunk_most};
    for (size_t i = 0; i < g->slice_count; ++i) {
        parts[i] = slices[i].part;
        o.full |= slices[i].maker.full;
        o.failed |= slices[i].maker.failed;
    }
    o.suits = o.full || o.failed || bp_cells_join(&g->sweep.cells, g->sweep.config, parts, g->slice_count, g->count);
    return o;
}

static bp_cells_limits limits_for(const pivot_grid *g) {
    const bp_config *config = g->sweep.config;
    if (g->chunked) {
        return (bp_cells_limits){.cells = UINT64_MAX, .axis_cells = 1u << AXIS_BITS, .per_object = CELL_PER_OBJECT};
    }
    uint64_t cells = CELLS_MAX;
    if (config->cell_size == 0.0f) {
        cells = g->count > CELLS_LEAST / CELLS_PER_OBJECT ? (uint64_t)g->count * CELLS_PER_OBJECT : CELLS_LEAST;
    }
    if (config->memory_limit > 0 && config->memory_limit / sizeof(bp_pivot) < cells) {
        cells = config->memory_limit / sizeof(bp_pivot);
    }
    return (bp_cells_limits){.cells = cells, .axis_cells = 1u << AXIS_BITS, .per_object = CELL_PER_OBJECT};
}

static bp_status plan(pivot_grid *g, bool all) {
    const bp_cells_limits limits = limits_for(g);
    return bp_cells_plan(&g->sweep.cells, g->sweep.config, g->boxes, g->count, &limits, all, &g->sweep.plan_scratch);
}

static bp_status count_objects(pivot_grid *g, outcome *o) {
    if (!clear(g)) {
        return BP_ERROR_MEMORY;
    }
    bp_parallel_for(&g->sweep.config->executor, g->slice_count, task_count, g);
    *o = join_slices(g);
    return o->failed ? BP_ERROR_MEMORY : BP_OK;
}

// By the plan there is or, if it does not suit the objects any more, by a new one; with larger cells if there would be
// too many chunks.
static bp_status count_by_plan(pivot_grid *g) {
    outcome o = {0};
    bp_status status = g->sweep.cells.planned ? BP_OK : plan(g, false);
    status = status == BP_OK ? count_objects(g, &o) : status;
    if (status == BP_OK && !o.full && !o.suits) {
        status = plan(g, true);
        status = status == BP_OK ? count_objects(g, &o) : status;
    }
    while (status == BP_OK && o.full) {
        bp_cells_coarsen(&g->sweep.cells);
        status = count_objects(g, &o);
    }
    return status;
}

// ---- 2. offsets -----------------------------------------------------------------------------------------------------

static bp_pivot_page *page_at(const pivot_grid *g, size_t index) {
    return (bp_pivot_page *)g->pages.data + index;
}

static bool list_pages(pivot_grid *g) {
    if (g->chunked) {
        return bp_pivot_chunks_list(&g->chunks, &g->sweep.config->allocator, &g->pages, &g->page_count);
    }
    const size_t total = bp_cells_total(&g->sweep.cells);
    for (size_t i = 0; i < g->page_count; ++i) {
        const size_t left = total - i * PAGE;
        *page_at(g, i) =
            (bp_pivot_page){.pivots = (bp_pivot *)g->table.data + i * PAGE, .pivot_count = left < PAGE ? left : PAGE};
    }
    return true;
}

// How many objects and occupied cells a page has.
static void task_add_up(void *context, size_t index) {
    bp_pivot_page *page = page_at(context, index);
    for (size_t i = 0; i < page->pivot_count; ++i) {
        const uint32_t count = load(&page->pivots[i].count);
        page->begin += count;
        page->first_cell += count > 0;
    }
}

// Sums per page become positions.
static void place_pages(pivot_grid *g) {
    uint32_t position = 0, cell = 0;
    for (size_t i = 0; i < g->page_count; ++i) {
        bp_pivot_page *page = page_at(g, i);
        const uint32_t objects = page->begin, cells = page->first_cell;
        page->begin = position;
        page->first_cell = cell;
        position += objects;
        cell += cells;
    }
    g->sweep.grid_count = position;
    g->sweep.occupied = cell;
    g->sweep.total_count = position + load(&g->scan.count);
    store(&g->scan.index, (uint32_t)g->sweep.total_count);
}

static void task_offsets(void *context, size_t index) {
    bp_pivot_page *page = page_at(context, index);
    uint32_t position = page->begin;
    for (size_t i = 0; i < page->pivot_count; ++i) {
        position += load(&page->pivots[i].count);
        store(&page->pivots[i].index, position);
    }
    const pivot_grid *g = context;
    if (g->chunked || index + 1 == g->page_count) {
        store(&page->pivots[page->pivot_count].index, position);
    }
}

// ---- 3. place -------------------------------------------------------------------------------------------------------

// The last object first: so that one thread leaves the ids of each cell in ascending order.
static void task_place(void *context, size_t index) {
    pivot_grid *g = context;
    bp_pivot *const *handles = g->handles.data;
    const size_t begin = slice_begin(g, index);
    for (size_t i = slice_begin(g, index + 1); i-- > begin;) {
        if (handles[i] != NULL) {
            g->sweep.columns.id[decrement(g, &handles[i]->index)] = (uint32_t)i;
        }
    }
}

// ---- 4. arrange -----------------------------------------------------------------------------------------------------

static void task_arrange(void *context, size_t index) {
    const pivot_grid *g = context;
    const bp_pivot_page *page = page_at(g, index);
    uint32_t *ids = g->sweep.columns.id, *start = bp_cell_starts(&g->sweep) + page->first_cell;
    uint32_t end = page->begin;
    for (size_t i = 0; i < page->pivot_count; ++i) {
        const uint32_t count = load(&page->pivots[i].count);
        if (count == 0) {
            continue;
        }
        if (g->shared) {
            bp_sort_ids(ids + end, count);
        }
        *start++ = end;
        end += count;
    }
    bp_columns_fill(&g->sweep.columns, g->sweep.config, page->begin, end, g->boxes);
}

static void arrange_scanned(pivot_grid *g) {
    const size_t begin = g->sweep.grid_count, end = g->sweep.total_count;
    if (g->shared) {
        bp_sort_ids(g->sweep.columns.id + begin, end - begin);
    }
    bp_columns_fill(&g->sweep.columns, g->sweep.config, begin, end, g->boxes);
}

// ---- looking up -----------------------------------------------------------------------------------------------------

static bp_cell_range range_of(const bp_pivot *pivots, uint32_t first, uint32_t last) {
    const uint32_t end = pivots[last - first + 1].plain_index;
    return (bp_cell_range){.begin = pivots->plain_index, .end = end, .first = first, .last = last};
}

static size_t lookup_dense(const void *index, uint32_t first, uint32_t last, uint32_t y, uint32_t z,
                           bp_cell_range *ranges) {
    const pivot_grid *g = index;
    ranges[0] = range_of((const bp_pivot *)g->table.data + dense_index(g, first, y, z), first, last);
    return ranges[0].begin < ranges[0].end;
}

static size_t lookup_chunked(const void *index, uint32_t first, uint32_t last, uint32_t y, uint32_t z,
                             bp_cell_range *ranges) {
    const pivot_grid *g = index;
    const uint32_t mask = (1u << g->chunk_bits) - 1;
    size_t found = 0;
    for (uint32_t x = first; x <= last; x = (x | mask) + 1) {
        const bp_pivot *chunk = bp_pivot_chunk_find(&g->chunks, chunk_key(g, x, y, z));
        if (chunk != NULL) {
            const uint32_t stop = (x | mask) < last ? (x | mask) : last;
            ranges[found] = range_of(chunk + index_in_chunk(g, x, y, z), x, stop);
            found += ranges[found].begin < ranges[found].end;
        }
    }
    return found;
}

// A row that is not there stands for the own one, and is not used.
static void tables_dense(const void *index, const uint32_t cell[3], bp_row_tables *tables) {
    const pivot_grid *g = index;
    const uint32_t *count = g->sweep.cells.count;
    const uint32_t has_up = cell[1] + 1 < count[1], has_out = cell[2] + 1 < count[2], has_down = cell[1] > 0;
    const size_t up = (size_t)has_up * count[0], out = (size_t)has_out * count[0] * count[1];
    const size_t out_and_down = out - (size_t)(has_out & has_down) * count[0];
    const bp_pivot *row = (const bp_pivot *)g->table.data + dense_index(g, 0, cell[1], cell[2]);
    *tables = (bp_row_tables){.rows = {&row->plain_index, &row[up].plain_index, &row[out].plain_index,
                                       &row[out + up].plain_index, &row[out_and_down].plain_index},
                              .there = {1, has_up, has_out, has_out & has_up, has_out & has_down},
                              .last = count[0] - 1};
}

// The chunk that the cell itself is in; most of the rows are there too.
typedef struct home {
    uint64_t key;
    const bp_pivot *chunk;
} home;

static void set_row(const pivot_grid *g, const home *own, bp_row_tables *tables, int row, uint32_t y, uint32_t z) {
    const uint64_t key = chunk_key(g, tables->first, y, z);
    const bool inside = y < g->sweep.cells.count[1] && z < g->sweep.cells.count[2];
    const bp_pivot *chunk = key == own->key ? own->chunk : inside ? bp_pivot_chunk_find(&g->chunks, key) : NULL;
    tables->there[row] = chunk != NULL;
    chunk = chunk != NULL ? chunk : own->chunk;
    tables->rows[row] = &chunk[index_in_chunk(g, tables->first, y, z)].plain_index;
}

static void tables_chunked(const void *index, const uint32_t cell[3], bp_row_tables *tables) {
    const pivot_grid *g = index;
    const uint32_t mask = (1u << g->chunk_bits) - 1, y = cell[1], z = cell[2];
    const uint64_t key = chunk_key(g, cell[0], y, z);
    const home own = {.key = key, .chunk = bp_pivot_chunk_find(&g->chunks, key)};
    tables->first = cell[0] & ~mask;
    tables->last = cell[0] | mask;
    set_row(g, &own, tables, BP_ROW_OWN, y, z);
    set_row(g, &own, tables, BP_ROW_UP, y + 1, z);
    set_row(g, &own, tables, BP_ROW_OUT, y, z + 1);
    set_row(g, &own, tables, BP_ROW_OUT_UP, y + 1, z + 1);
    set_row(g, &own, tables, BP_ROW_OUT_DOWN, y > 0 ? y - 1 : y, z + 1);
}

// ---- the method -----------------------------------------------------------------------------------------------------

static bool reserve_for_objects(pivot_grid *g) {
    const bp_allocator *allocator = &g->sweep.config->allocator;
    g->slice_count = bp_parallel_blocks(&g->sweep.config->executor, g->count, BLOCK_LEAST);
    g->slice_count = g->slice_count < BLOCKS_MAX ? g->slice_count : BLOCKS_MAX;
    return bp_buffer_reserve(&g->handles, allocator, 0, g->count + 1, sizeof(bp_pivot *)) &&
           bp_buffer_reserve(&g->slices, allocator, 0, g->slice_count, sizeof(slice)) &&
           bp_columns_reserve(&g->sweep.columns, &g->sweep.columns_buffer, allocator, g->count);
}

static bp_status fill(pivot_grid *g) {
    const bp_config *config = g->sweep.config;
    const bp_status status = reserve_for_objects(g) ? count_by_plan(g) : BP_ERROR_MEMORY;
    if (status != BP_OK || !list_pages(g)) {
        return status != BP_OK ? status : BP_ERROR_MEMORY;
    }
    bp_parallel_for(&config->executor, g->page_count, task_add_up, g);
    place_pages(g);
    if (!bp_buffer_reserve_slack(&g->sweep.starts, &config->allocator, 0, g->sweep.occupied + 1, sizeof(uint32_t))) {
        return BP_ERROR_MEMORY;
    }
    bp_cell_starts(&g->sweep)[g->sweep.occupied] = (uint32_t)g->sweep.grid_count;
    bp_parallel_for(&config->executor, g->page_count, task_offsets, g);
    bp_parallel_for(&config->executor, g->slice_count, task_place, g);
    bp_parallel_for(&config->executor, g->page_count, task_arrange, g);
    arrange_scanned(g);
    bp_cell_sweep_settle(&g->sweep);
    return BP_OK;
}

static bp_status build(void *state, const bp_box *boxes, size_t count) {
    pivot_grid *g = state;
    g->boxes = boxes;
    g->count = count;
    g->sweep.lookup = g->chunked ? lookup_chunked : lookup_dense;
    g->sweep.tables = g->chunked ? tables_chunked : tables_dense;
    g->sweep.table_stride = BP_PIVOT_VALUES;
    g->sweep.index = g;
    const bp_status status = fill(g);
    if (status != BP_OK) {
        bp_cell_sweep_empty(&g->sweep);
    }
    return status;
}

static bp_status find(void *state, bp_sink *sink) {
    pivot_grid *g = state;
    return bp_cell_sweep_find(&g->sweep, sink);
}

static bp_status find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    pivot_grid *g = state;
    return bp_cell_sweep_find_between(&g->sweep, boxes, count, sink);
}

static void stats(const void *state, bp_stats *stats) {
    const pivot_grid *g = state;
    stats->cells = g->chunked ? g->page_count * pivots_per_chunk(g) : bp_cells_total(&g->sweep.cells);
    stats->bytes = sizeof *g + bp_pivot_chunks_bytes(&g->chunks) + g->table.bytes + g->handles.bytes + g->pages.bytes +
                   g->slices.bytes;
    bp_cell_sweep_stats(&g->sweep, stats);
}

// Each page's objects follow those of the page before, pivot by pivot.
static bool pages_are_sound(const pivot_grid *g) {
    uint32_t position = 0;
    bool sound = true;
    for (size_t i = 0; i < g->page_count; ++i) {
        const bp_pivot_page *page = page_at(g, i);
        sound &= page->begin == position;
        for (size_t k = 0; k < page->pivot_count; ++k) {
            sound &= load(&page->pivots[k].index) == position;
            position += load(&page->pivots[k].count);
        }
    }
    return sound && position == g->sweep.grid_count;
}

static bp_status validate(const void *state) {
    const pivot_grid *g = state;
    if (!pages_are_sound(g) || !bp_cell_sweep_is_sound(&g->sweep, g->boxes, g->count)) {
        bp_log_write(g->sweep.config, "pivot-grid: it does not hold the boxes that it was given");
        return BP_ERROR_INTERNAL;
    }
    return BP_OK;
}

const bp_method_ops bp_pivot_grid_ops = {
    .name = "pivot-grid",
    .summary = "one uniform grid by a counting sort with pivots, in chunks: O(n), for objects of similar size",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_THREADS,
    .create = create,
    .destroy = destroy,
    .build = build,
    .find = find,
    .find_between = find_between,
    .stats = stats,
    .validate = validate,
};
