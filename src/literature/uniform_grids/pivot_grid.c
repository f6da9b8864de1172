// pivot-grid: a counting sort of objects by cell. One pivot per cell counts its objects and then holds where they are.
//
//     pivots  | 2,0 | 0,2 | 1,2 | 4,3 | ...       (count, index); index + count is where the next cell begins
//                |          |     |
//     data    | a b | c | d e f g | ...           objects by cell: boxes in columns
//
//   0. clear     the pivots that were in use
//   1. count     each object adds one to its cell's pivot                              parallel over blocks of objects
//   2. offsets   pages of pivots (chunks, or parts of the dense table) sum up their counts, the pages are summed up
//                in order, then each pivot gets the end of its objects as its index            parallel over pages
//   3. place     each object decrements its pivot's index: that is its place                   parallel over blocks
//   4. arrange   the ids of each cell are sorted, the boxes are copied                         parallel over pages
//
// Counting and placing use relaxed atomic operations; with one worker plain ones, because an atomic operation waits for
// its cache line even if no other thread uses it.
//
// Layouts (pivot_chunks.h): `chunked`, Zhyhallo's contribution and the default, keeps pivots in chunks of 8 x 8 x 8
// cells (32 x 32 in two dimensions) that exist only where objects are. `dense` is one table over the domain.
//
// The pairs do not depend on the number of threads. The order in which objects of a cell are placed does; therefore
// step 4 sorts the ids of each cell. The order in which chunks are made does; therefore chunks are listed by their
// coordinates in step 2. (Zhyhallo takes offsets from a shared counter, and loses the order of the cells.)
//
// Cost: O(n) chunked, O(n + cells) dense. Chunked loses in memory where every object has a chunk to itself: cells are
// then made larger, so that there is at most one chunk for four objects. Dense loses in large domains. Both lose where
// sizes are very different: objects too large for a cell are tested against all cells that they cover.
//
// Source: M. Zhyhallo, B. Wozna-Szczesniak, "Better Spacial Hashing with Linear Memory Usage and Parallelism",
// after C. Pozzer et al., "A hash table construction algorithm for spatial hashing based on linear memory", 2014.
#include "engine/method.h"
#include "literature/uniform_grids/cell_search.h"
#include "literature/uniform_grids/pivot_chunks.h"

#include <string.h>

enum {
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

typedef struct pivot_grid {
    bp_uniform_grid grid;
    bool chunked;
    bool shared;         // more than one thread counts
    bool is_full;        // there would be too many chunks
    uint32_t chunk_bits; // of cells per axis of a chunk
    uint32_t depth_bits; // the same for z: 0 in two dimensions
    bp_pivot scan;       // of the scanned objects
    bp_pivot_chunks chunks;
    bp_buffer table;   // the dense pivots
    bp_buffer handles; // bp_pivot *: the pivot of each object, NULL for a hole
    bp_buffer makers;  // bp_chunk_maker, per block
    bp_buffer pages;
    size_t page_count;
} pivot_grid;

// ---- cells ----------------------------------------------------------------------------------------------------------

static size_t dense_index(const pivot_grid *g, uint32_t x, uint32_t y, uint32_t z) {
    const uint32_t *count = g->grid.cells.count;
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
    if (g->grid.setup->settings.cell_size > 0.0f) {
        return g->grid.count + 1;
    }
    return g->grid.count / OBJECTS_PER_CHUNK > CHUNKS_LEAST ? g->grid.count / OBJECTS_PER_CHUNK : CHUNKS_LEAST;
}

static uint32_t load_relaxed(const atomic_uint *value) {
    return atomic_load_explicit(value, memory_order_relaxed);
}

static void store_relaxed(atomic_uint *value, uint32_t to) {
    atomic_store_explicit(value, to, memory_order_relaxed);
}

// Adds one to a count.
static void increment(const pivot_grid *g, atomic_uint *value) {
    if (g->shared) {
        atomic_fetch_add_explicit(value, 1, memory_order_relaxed);
    } else {
        store_relaxed(value, load_relaxed(value) + 1);
    }
}

// Decrements an index and returns the new value.
static uint32_t decrement(const pivot_grid *g, atomic_uint *value) {
    if (g->shared) {
        return atomic_fetch_sub_explicit(value, 1, memory_order_relaxed) - 1;
    }
    store_relaxed(value, load_relaxed(value) - 1);
    return load_relaxed(value);
}

// ---- 0. clear -------------------------------------------------------------------------------------------------------

// The cells of a dense table: at most CELLS_MAX.
static size_t dense_cells(const pivot_grid *g) {
    return (size_t)bp_cells_total(&g->grid.cells);
}

static bool clear_pivots(pivot_grid *g) {
    const bp_runtime *runtime = &g->grid.setup->runtime;
    const size_t total = g->chunked ? 0 : dense_cells(g);
    store_relaxed(&g->scan.count, 0);
    if (g->chunked) {
        bp_pivot_chunks_clear(&g->chunks, &runtime->executor, pivots_per_chunk(g));
        return bp_pivot_chunks_reserve(&g->chunks, &runtime->allocator, chunk_most(g), g->grid.blocks.count);
    }
    g->page_count = (total + PAGE - 1) / PAGE;
    if (!bp_buffer_reserve(&g->table, &runtime->allocator, 0, total + BP_PIVOT_PADDING, sizeof(bp_pivot)) ||
        !bp_buffer_reserve(&g->pages, &runtime->allocator, 0, g->page_count, sizeof(bp_pivot_page))) {
        return false;
    }
    memset(g->table.data, 0, total * sizeof(bp_pivot));
    return true;
}

// ---- 1. count -------------------------------------------------------------------------------------------------------

// The pivot of a cell; NULL if there is no more room for chunks.
static bp_pivot *pivot_for(pivot_grid *g, const uint32_t cell[3], bp_chunk_maker *maker) {
    if (!g->chunked) {
        return (bp_pivot *)g->table.data + dense_index(g, cell[0], cell[1], cell[2]);
    }
    bp_pivot *chunk = bp_pivot_chunk_make(&g->chunks, &g->grid.setup->runtime.allocator,
                                          chunk_key(g, cell[0], cell[1], cell[2]), maker);
    return chunk == NULL ? NULL : chunk + index_in_chunk(g, cell[0], cell[1], cell[2]);
}

static void task_count_objects(void *context, size_t block) {
    pivot_grid *g = context;
    const bp_cells cells = g->grid.cells;
    const uint32_t dimensions = g->grid.setup->dimensions;
    bp_pivot **handles = g->handles.data;
    bp_chunk_maker maker = {.spare = NULL};
    bp_cells_part part = {0};
    const size_t end = bp_block_begin(g->grid.blocks, block + 1);
    for (size_t i = bp_block_begin(g->grid.blocks, block); i < end; ++i) {
        uint32_t cell[3] = {0};
        const bp_place place = bp_cells_place(&cells, dimensions, &g->grid.boxes[i], cell, &part);
        handles[i] = place == BP_PLACE_CELL ? pivot_for(g, cell, &maker) : place == BP_PLACE_SCAN ? &g->scan : NULL;
        if (maker.full || maker.failed) {
            break;
        }
        if (handles[i] != NULL) {
            increment(g, &handles[i]->count);
        }
    }
    bp_uniform_grid_parts(&g->grid)[block] = part;
    ((bp_chunk_maker *)g->makers.data)[block] = maker;
}

static bp_status join_makers(pivot_grid *g) {
    const bp_chunk_maker *makers = g->makers.data;
    bool failed = false;
    g->is_full = g->chunked && atomic_load(&g->chunks.claimed) > g->chunks.chunk_most;
    for (size_t i = 0; i < g->grid.blocks.count; ++i) {
        g->is_full |= makers[i].full;
        failed |= makers[i].failed;
    }
    return failed ? BP_ERROR_MEMORY : BP_OK;
}

// Counts the objects of each cell. If there are too many chunks, not all objects are counted, and the parts are
// meaningless.
static bp_status pivot_grid_place(void *state, bool *suits) {
    pivot_grid *g = state;
    if (!clear_pivots(g)) {
        return BP_ERROR_MEMORY;
    }
    bp_parallel_for(&g->grid.setup->runtime.executor, g->grid.blocks.count, task_count_objects, g);
    const bp_status status = join_makers(g);
    *suits = status != BP_OK || g->is_full || bp_uniform_grid_join(&g->grid);
    return status;
}

static bp_cells_limits pivot_limits(const pivot_grid *g, size_t count) {
    const bp_method_settings *settings = &g->grid.setup->settings;
    bp_cells_limits limits = {.cells = UINT64_MAX,
                              .axis_cells = 1u << AXIS_BITS,
                              .per_object = CELL_PER_OBJECT,
                              .longest = BP_CONFIGURED_CELLS};
    if (g->chunked) {
        return limits;
    }
    limits.cells = CELLS_MAX;
    if (settings->cell_size == 0.0f) {
        limits.cells = count > CELLS_LEAST / CELLS_PER_OBJECT ? (uint64_t)count * CELLS_PER_OBJECT : CELLS_LEAST;
    }
    if (settings->memory_limit > 0 && settings->memory_limit / sizeof(bp_pivot) < limits.cells) {
        limits.cells = settings->memory_limit / sizeof(bp_pivot);
    }
    return limits;
}

// Repeats with larger cells if there would be too many chunks.
static bp_status count_objects(pivot_grid *g) {
    bp_status status = bp_uniform_grid_place(&g->grid, pivot_grid_place);
    while (status == BP_OK && g->is_full) {
        bool suits = false;
        bp_cells_coarsen(&g->grid.cells);
        status = pivot_grid_place(g, &suits);
    }
    return status;
}

// ---- 2. offsets -----------------------------------------------------------------------------------------------------

static bp_pivot_page *page_at(const pivot_grid *g, size_t index) {
    return (bp_pivot_page *)g->pages.data + index;
}

static bool list_pages(pivot_grid *g) {
    if (g->chunked) {
        return bp_pivot_chunks_list(&g->chunks, &g->grid.setup->runtime.allocator, &g->pages, &g->page_count);
    }
    const size_t total = dense_cells(g);
    for (size_t i = 0; i < g->page_count; ++i) {
        const size_t left = total - i * PAGE;
        *page_at(g, i) =
            (bp_pivot_page){.pivots = (bp_pivot *)g->table.data + i * PAGE, .pivot_count = left < PAGE ? left : PAGE};
    }
    return true;
}

// The numbers of objects and occupied cells of a page.
static void task_add_up_page(void *context, size_t index) {
    bp_pivot_page *page = page_at(context, index);
    for (size_t i = 0; i < page->pivot_count; ++i) {
        const uint32_t count = load_relaxed(&page->pivots[i].count);
        page->begin += count;
        page->first_cell += count > 0;
    }
}

// Turns the sums per page into positions.
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
    g->grid.grid_count = position;
    g->grid.occupied = cell;
    g->grid.total_count = position + load_relaxed(&g->scan.count);
    store_relaxed(&g->scan.index, (uint32_t)g->grid.total_count);
}

static void task_set_offsets(void *context, size_t index) {
    bp_pivot_page *page = page_at(context, index);
    uint32_t position = page->begin;
    for (size_t i = 0; i < page->pivot_count; ++i) {
        position += load_relaxed(&page->pivots[i].count);
        store_relaxed(&page->pivots[i].index, position);
    }
    const pivot_grid *g = context;
    if (g->chunked || index + 1 == g->page_count) {
        store_relaxed(&page->pivots[page->pivot_count].index, position);
    }
}

// ---- 3. place -------------------------------------------------------------------------------------------------------

// The last object first, so that one thread leaves the ids of each cell in ascending order.
static void task_place_objects(void *context, size_t block) {
    pivot_grid *g = context;
    bp_pivot *const *handles = g->handles.data;
    const size_t begin = bp_block_begin(g->grid.blocks, block);
    for (size_t i = bp_block_begin(g->grid.blocks, block + 1); i-- > begin;) {
        if (handles[i] != NULL) {
            g->grid.columns.id[decrement(g, &handles[i]->index)] = (uint32_t)i;
        }
    }
}

// ---- 4. arrange -----------------------------------------------------------------------------------------------------

// Shell's sort: most cells have a few ids.
static void sort_ids(uint32_t *ids, size_t count) {
    size_t gap = 1;
    while (gap < count / 3) {
        gap = 3 * gap + 1;
    }
    for (; gap > 0; gap /= 3) {
        for (size_t i = gap; i < count; ++i) {
            const uint32_t id = ids[i];
            size_t at = i;
            for (; at >= gap && ids[at - gap] > id; at -= gap) {
                ids[at] = ids[at - gap];
            }
            ids[at] = id;
        }
    }
}

static void task_arrange_page(void *context, size_t index) {
    const pivot_grid *g = context;
    const bp_pivot_page *page = page_at(g, index);
    uint32_t *ids = g->grid.columns.id, *start = bp_uniform_grid_starts(&g->grid) + page->first_cell;
    uint32_t end = page->begin;
    for (size_t i = 0; i < page->pivot_count; ++i) {
        const uint32_t count = load_relaxed(&page->pivots[i].count);
        if (count == 0) {
            continue;
        }
        if (g->shared) {
            sort_ids(ids + end, count);
        }
        *start++ = end;
        end += count;
    }
    bp_uniform_grid_fill(&g->grid, page->begin, end);
}

static void arrange_scanned(pivot_grid *g) {
    const size_t begin = g->grid.grid_count, end = g->grid.total_count;
    if (g->shared) {
        sort_ids(g->grid.columns.id + begin, end - begin);
    }
    bp_uniform_grid_fill(&g->grid, begin, end);
}

// ---- looking up -----------------------------------------------------------------------------------------------------

static bp_cell_range pivot_range(const bp_pivot *pivots, uint32_t first, uint32_t last) {
    const uint32_t end = pivots[last - first + 1].plain_index;
    return (bp_cell_range){.begin = pivots->plain_index, .end = end, .first = first, .last = last};
}

static size_t dense_ranges(const void *state, uint32_t first, uint32_t last, uint32_t y, uint32_t z,
                           bp_cell_range *ranges) {
    const pivot_grid *g = state;
    ranges[0] = pivot_range((const bp_pivot *)g->table.data + dense_index(g, first, y, z), first, last);
    return ranges[0].begin < ranges[0].end;
}

static size_t chunked_ranges(const void *state, uint32_t first, uint32_t last, uint32_t y, uint32_t z,
                             bp_cell_range *ranges) {
    const pivot_grid *g = state;
    const uint32_t mask = (1u << g->chunk_bits) - 1;
    size_t found = 0;
    for (uint32_t x = first; x <= last; x = (x | mask) + 1) {
        const bp_pivot *chunk = bp_pivot_chunk_find(&g->chunks, chunk_key(g, x, y, z));
        if (chunk != NULL) {
            const uint32_t stop = (x | mask) < last ? (x | mask) : last;
            ranges[found] = pivot_range(chunk + index_in_chunk(g, x, y, z), x, stop);
            found += ranges[found].begin < ranges[found].end;
        }
    }
    return found;
}

// ---- the whole build ------------------------------------------------------------------------------------------------

static bool pivot_grid_reserve(pivot_grid *g) {
    const bp_allocator *allocator = &g->grid.setup->runtime.allocator;
    return bp_buffer_reserve(&g->handles, allocator, 0, g->grid.count + 1, sizeof(bp_pivot *)) &&
           bp_buffer_reserve(&g->makers, allocator, 0, g->grid.blocks.count, sizeof(bp_chunk_maker));
}

// Steps 2 to 4.
static bp_status sort_objects(pivot_grid *g) {
    const bp_runtime *runtime = &g->grid.setup->runtime;
    if (!list_pages(g)) {
        return BP_ERROR_MEMORY;
    }
    bp_parallel_for(&runtime->executor, g->page_count, task_add_up_page, g);
    place_pages(g);
    if (!bp_buffer_reserve_slack(&g->grid.starts_buffer, &runtime->allocator, 0, g->grid.occupied + 1,
                                 sizeof(uint32_t))) {
        return BP_ERROR_MEMORY;
    }
    bp_uniform_grid_starts(&g->grid)[g->grid.occupied] = (uint32_t)g->grid.grid_count;
    bp_parallel_for(&runtime->executor, g->page_count, task_set_offsets, g);
    bp_parallel_for(&runtime->executor, g->grid.blocks.count, task_place_objects, g);
    bp_parallel_for(&runtime->executor, g->page_count, task_arrange_page, g);
    arrange_scanned(g);
    return BP_OK;
}

static bp_status pivot_grid_fill(void *state) {
    pivot_grid *g = state;
    const bp_status status = pivot_grid_reserve(g) ? count_objects(g) : BP_ERROR_MEMORY;
    return status == BP_OK ? sort_objects(g) : status;
}

// ---- the method -----------------------------------------------------------------------------------------------------

static void pivot_grid_init(void *state, const bp_method_setup *setup) {
    pivot_grid *g = state;
    memset(g, 0, sizeof *g);
    g->chunked = setup->settings.pivot_layout == BP_PIVOTS_CHUNKED;
    g->shared = setup->runtime.executor.workers > 1;
    while (1u << g->chunk_bits < setup->settings.chunk_size) {
        ++g->chunk_bits;
    }
    g->depth_bits = setup->dimensions == 3 ? g->chunk_bits : 0;
    g->grid.setup = setup;
    g->grid.find_ranges = g->chunked ? chunked_ranges : dense_ranges;
}

static void pivot_grid_free(void *state) {
    pivot_grid *g = state;
    const bp_allocator *allocator = &g->grid.setup->runtime.allocator;
    bp_pivot_chunks_free(&g->chunks, allocator);
    bp_buffer_free(&g->table, allocator);
    bp_buffer_free(&g->handles, allocator);
    bp_buffer_free(&g->makers, allocator);
    bp_buffer_free(&g->pages, allocator);
    bp_uniform_grid_free(&g->grid);
}

static bp_status pivot_grid_build(void *state, const bp_box *boxes, size_t count) {
    pivot_grid *g = state;
    return bp_uniform_grid_build(&g->grid, boxes, count, pivot_limits(g, count), pivot_grid_fill);
}

static void pivot_grid_stats(const void *state, bp_stats *stats) {
    const pivot_grid *g = state;
    stats->cells = g->chunked ? g->page_count * pivots_per_chunk(g) : dense_cells(g);
    stats->bytes = sizeof *g + bp_pivot_chunks_bytes(&g->chunks) + g->table.bytes + g->handles.bytes + g->makers.bytes +
                   g->pages.bytes;
    bp_uniform_grid_stats(&g->grid, stats);
}

// Each page's objects follow those of the page before, pivot by pivot.
static bool pages_are_sound(const pivot_grid *g) {
    uint32_t position = 0;
    bool sound = true;
    for (size_t i = 0; i < g->page_count; ++i) {
        const bp_pivot_page *page = page_at(g, i);
        sound &= page->begin == position;
        for (size_t k = 0; k < page->pivot_count; ++k) {
            sound &= load_relaxed(&page->pivots[k].index) == position;
            position += load_relaxed(&page->pivots[k].count);
        }
    }
    return sound && position == g->grid.grid_count;
}

static bp_status pivot_grid_validate(const void *state) {
    const pivot_grid *g = state;
    return bp_uniform_grid_validate(&g->grid, bp_pivot_grid_ops.name, pages_are_sound(g));
}

const bp_method_ops bp_pivot_grid_ops = {
    .name = "pivot-grid",
    .summary = "one uniform grid by a counting sort with pivots, in chunks: O(n), for objects of similar size",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_THREADS,
    .state_bytes = sizeof(pivot_grid),
    .init = pivot_grid_init,
    .free = pivot_grid_free,
    .build = pivot_grid_build,
    .find = bp_cell_search_find,
    .find_between = bp_cell_search_find_between,
    .stats = pivot_grid_stats,
    .validate = pivot_grid_validate,
};
