// pivot-grid: a counting sort of objects by cell. One pivot per cell counts its objects and says where they begin.
//
//     count   | 2 | 0 | 1 | 4 | ...      falls to 0 again while objects are placed
//     index   | 0 | 2 | 2 | 3 | ...      where the objects of the cell begin; the next one is where they end
//               |       |   |
//     data    | a b   | c | d e f g |    objects by cell: boxes in columns
//
//     chunked: a directory (open hash of chunk coordinates) of chunks of 8 x 8 x 8 pivots, numbered by their coordinates
//
//     key     | - | 7,2 | - | - | 3,3 | - |      claimed by compare-and-swap
//     number  | - |  1  | - | - |  0  | - |
//
//   1. chunks    each object claims the chunk of its cell                               parallel over blocks of objects
//   2. count     each object adds one to its cell's pivot                                         parallel over blocks
//   3. offsets   the counts are summed up
//   4. place     each object takes one from its pivot's count: index + count is its place         parallel over blocks
//   5. arrange   the ids of each cell are sorted                                                   parallel over cells
//
// Layouts: `chunked`, Zhyhallo's contribution and the default, keeps pivots in chunks of 8 x 8 x 8 cells (32 x 32 in two
// dimensions) that exist only where objects are. `dense` is one table over the domain. Counting and placing use relaxed
// atomic operations.
//
// The pairs do not depend on the number of threads. The order in which objects of a cell are placed does; therefore
// step 5 sorts the ids of each cell. The order in which chunks are claimed does; therefore they are numbered in the order
// of their coordinates. (Zhyhallo takes offsets from a shared counter, and loses the order of the cells.)
//
// Cost: O(n) chunked, O(n + cells) dense. Chunked loses in memory where every object has a chunk to itself: cells are
// then made larger, so that there is at most one chunk for four objects. Dense loses in large domains. Both lose where
// sizes are very different: objects too large for a cell are tested against all cells that they cover.
//
// Source: M. Zhyhallo, B. Wozna-Szczesniak, "Better Spacial Hashing with Linear Memory Usage and Parallelism",
// after C. Pozzer et al., "A hash table construction algorithm for spatial hashing based on linear memory", 2014.
#include "base/radix_sort.h"
#include "engine/method.h"
#include "literature/uniform_grids/cell_grid.h"

#include <stdatomic.h>

enum {
    CELLS_PER_OBJECT = 2,
    CELLS_MIN = 4096,
    CELLS_MAX = 1 << 28,   // 2 GiB
    OBJECTS_PER_CHUNK = 4, // at least, on average
    CHUNKS_MIN = 64,
    AXIS_BITS = 20
};

// Measured: between 1.5 and 3 it hardly matters.
static const double CELL_PER_OBJECT = 2.0;

static const uint64_t NO_KEY = UINT64_MAX;

typedef _Atomic(uint64_t) atomic_key;

typedef struct pivot_grid {
    bp_cell_grid grid; // whose starts are the indices of the pivots
    bool chunked;
    uint32_t chunk_bits; // of cells per axis of a chunk
    uint32_t depth_bits; // the same for z: 0 in two dimensions
    size_t capacity;     // of the directory, a power of two
    size_t chunk_most;   // that there may be
    atomic_size_t claimed;
    bp_buffer keys, numbers; // the directory: atomic_key and uint32_t
    bp_buffer sorted_keys;   // uint64_t, twice
    bp_buffer counts;        // atomic_uint, of the pivots
} pivot_grid;

// ---- chunks ---------------------------------------------------------------------------------------------------------

static size_t pivots_per_chunk(const pivot_grid *g) {
    return (size_t)1 << (2 * g->chunk_bits + g->depth_bits);
}

static uint64_t chunk_key(const pivot_grid *g, const uint32_t at[3]) {
    return ((uint64_t)(at[2] >> g->depth_bits) << AXIS_BITS | at[1] >> g->chunk_bits) << AXIS_BITS |
           at[0] >> g->chunk_bits;
}

// The place of a key in the directory, or the empty one where it would go.
static size_t place_of_key(const pivot_grid *g, uint64_t key) {
    const atomic_key *keys = g->keys.data;
    const uint64_t hash = key * 0x9E3779B97F4A7C15u;
    size_t at = (size_t)(hash ^ hash >> 32) & (g->capacity - 1);
    for (;; at = (at + 1) & (g->capacity - 1)) {
        const uint64_t there = atomic_load_explicit(&keys[at], memory_order_relaxed);
        if (there == key || there == NO_KEY) {
            return at;
        }
    }
}

// Claims the chunks of all objects of a block, unless there are too many.
static void task_claim_chunks(void *context, size_t block) {
    pivot_grid *g = context;
    uint64_t last = NO_KEY;
    bp_entry_walk walk = bp_entry_walk_begin(&g->grid, block, 1);
    while (bp_entry_walk_next(&walk)) {
        const uint64_t key = chunk_key(g, walk.at);
        uint64_t there = NO_KEY;
        if (key == last) {
            continue;
        }
        while (there != key) { // another thread may take the place for another chunk
            if (atomic_load_explicit(&g->claimed, memory_order_relaxed) > g->chunk_most) {
                return;
            }
            atomic_key *place = (atomic_key *)g->keys.data + place_of_key(g, key);
            there = atomic_load_explicit(place, memory_order_relaxed);
            if (there == NO_KEY && atomic_compare_exchange_strong(place, &there, key)) {
                atomic_fetch_add_explicit(&g->claimed, 1, memory_order_relaxed);
                there = key;
            }
        }
        last = key;
    }
}

// Numbers the chunks in the order of their coordinates.
static bool number_chunks(pivot_grid *g) {
    const bp_allocator *allocator = &g->grid.setup->runtime.allocator;
    const size_t count = atomic_load(&g->claimed);
    if (!bp_buffer_reserve_slack(&g->sorted_keys, allocator, 0, 2 * count + 1, sizeof(uint64_t))) {
        return false;
    }
    uint64_t *keys = g->sorted_keys.data;
    size_t found = 0;
    for (size_t at = 0; at < g->capacity; ++at) {
        const uint64_t key = atomic_load_explicit((atomic_key *)g->keys.data + at, memory_order_relaxed);
        if (key != NO_KEY) {
            keys[found++] = key;
        }
    }
    keys = bp_sort_keys(keys, keys + count, count, 0, 3 * AXIS_BITS);
    for (size_t i = 0; i < count; ++i) {
        ((uint32_t *)g->numbers.data)[place_of_key(g, keys[i])] = (uint32_t)i;
    }
    g->grid.number_count = count * pivots_per_chunk(g);
    return true;
}

// Repeats with larger cells if there would be too many chunks.
static bp_status make_pivots(void *state) {
    pivot_grid *g = state;
    const bp_runtime *runtime = &g->grid.setup->runtime;
    const size_t share = g->grid.count / OBJECTS_PER_CHUNK, most = BP_SORT_KEY_NONE / pivots_per_chunk(g);
    if (!g->chunked) {
        g->grid.number_count = (size_t)bp_cells_total(&g->grid.cells);
        return BP_OK;
    }
    g->chunk_most = g->grid.setup->settings.cell_size > 0.0f ? g->grid.count + 1
                    : share > CHUNKS_MIN                     ? share
                                                             : CHUNKS_MIN;
    g->chunk_most = g->chunk_most < most ? g->chunk_most : most;
    for (g->capacity = CHUNKS_MIN; g->capacity < 2 * g->chunk_most; g->capacity *= 2) {
    }
    if (!bp_buffer_reserve(&g->keys, &runtime->allocator, 0, g->capacity, sizeof(atomic_key)) ||
        !bp_buffer_reserve(&g->numbers, &runtime->allocator, 0, g->capacity, sizeof(uint32_t))) {
        return BP_ERROR_MEMORY;
    }
    for (bool is_first = true; is_first || atomic_load(&g->claimed) > g->chunk_most; is_first = false) {
        if (!is_first) {
            bp_cells_coarsen(&g->grid.cells);
        }
        for (size_t at = 0; at < g->capacity; ++at) {
            atomic_init((atomic_key *)g->keys.data + at, NO_KEY);
        }
        atomic_store(&g->claimed, 0);
        bp_parallel_for(&runtime->executor, g->grid.blocks.count, task_claim_chunks, g);
    }
    return number_chunks(g) ? BP_OK : BP_ERROR_MEMORY;
}

static uint32_t find_pivot(const void *state, const uint32_t at[3]) {
    const pivot_grid *g = state;
    if (!g->chunked) {
        return bp_cell_grid_row_major(&g->grid, at);
    }
    const uint32_t mask = (1u << g->chunk_bits) - 1, depth_mask = (1u << g->depth_bits) - 1;
    const size_t place = place_of_key(g, chunk_key(g, at));
    if (atomic_load_explicit((const atomic_key *)g->keys.data + place, memory_order_relaxed) == NO_KEY) {
        return BP_NO_CELL;
    }
    const uint32_t pivot = ((at[2] & depth_mask) << g->chunk_bits | (at[1] & mask)) << g->chunk_bits | (at[0] & mask);
    return ((const uint32_t *)g->numbers.data)[place] * (uint32_t)pivots_per_chunk(g) + pivot;
}

// ---- the counting sort ----------------------------------------------------------------------------------------------

static void task_count_objects(void *context, size_t block) {
    const pivot_grid *g = context;
    const uint32_t *keys = g->grid.keys.data;
    const size_t end = bp_block_begin(g->grid.entries, block + 1);
    for (size_t i = bp_block_begin(g->grid.entries, block); i < end; ++i) {
        atomic_fetch_add_explicit((atomic_uint *)g->counts.data + keys[i], 1, memory_order_relaxed);
    }
}

// The last object first, so that one thread leaves the ids of each cell in ascending order.
static void task_place_objects(void *context, size_t block) {
    const pivot_grid *g = context;
    const uint32_t *keys = g->grid.keys.data, *index = g->grid.starts.data, *ids = g->grid.ids.data;
    const size_t begin = bp_block_begin(g->grid.entries, block);
    for (size_t i = bp_block_begin(g->grid.entries, block + 1); i-- > begin;) {
        atomic_uint *count = (atomic_uint *)g->counts.data + keys[i];
        g->grid.columns.id[index[keys[i]] + atomic_fetch_sub_explicit(count, 1, memory_order_relaxed) - 1] = ids[i];
    }
}

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

static void task_arrange_cells(void *context, size_t block) {
    const pivot_grid *g = context;
    const uint32_t *index = g->grid.starts.data;
    const bp_blocks cells = {.item_count = g->grid.number_count, .count = g->grid.entries.count};
    const size_t end = bp_block_begin(cells, block + 1);
    for (size_t i = bp_block_begin(cells, block); i < end; ++i) {
        sort_ids(g->grid.columns.id + index[i], index[i + 1] - index[i]);
    }
}

static bp_status sort_by_pivots(void *state) {
    pivot_grid *g = state;
    const bp_runtime *runtime = &g->grid.setup->runtime;
    const size_t pivot_count = g->grid.number_count;
    if (!bp_cell_grid_reserve_starts(&g->grid, &g->grid.starts) || !bp_cell_grid_write_keys(&g->grid) ||
        !bp_cell_grid_reserve_starts(&g->grid, &g->counts)) {
        return BP_ERROR_MEMORY;
    }
    atomic_uint *counts = g->counts.data;
    uint32_t *index = g->grid.starts.data, position = 0;
    for (size_t i = 0; i < pivot_count; ++i) {
        atomic_init(&counts[i], 0);
    }
    bp_parallel_for(&runtime->executor, g->grid.entries.count, task_count_objects, g);
    for (size_t i = 0; i < pivot_count; ++i) {
        index[i] = position;
        position += atomic_load_explicit(&counts[i], memory_order_relaxed);
    }
    index[pivot_count] = position;
    bp_parallel_for(&runtime->executor, g->grid.entries.count, task_place_objects, g);
    bp_parallel_for(&runtime->executor, g->grid.entries.count, task_arrange_cells, g);
    return BP_OK;
}

// The directory holds as many keys as were claimed, and is not full: so every lookup ends.
static bool directory_is_sound(const void *state) {
    const pivot_grid *g = state;
    const size_t claimed = atomic_load(&g->claimed);
    size_t held = 0;
    if (!g->chunked) {
        return g->grid.number_count == bp_cells_total(&g->grid.cells);
    }
    bool sound = g->capacity <= g->keys.bytes / sizeof(atomic_key) && (g->capacity & (g->capacity - 1)) == 0 &&
                 claimed < g->capacity && g->grid.number_count == claimed * pivots_per_chunk(g);
    for (size_t i = 0; sound && i < g->capacity; ++i) {
        held += atomic_load_explicit((const atomic_key *)g->keys.data + i, memory_order_relaxed) != NO_KEY;
    }
    return sound && held == claimed;
}

static const bp_cell_map PIVOT_MAP = {.name = "pivot-grid",
                                      .make = make_pivots,
                                      .find = find_pivot,
                                      .sort = sort_by_pivots,
                                      .is_sound = directory_is_sound};

// ---- the method -----------------------------------------------------------------------------------------------------

static bp_status pivot_grid_build(void *state, const bp_box *boxes, size_t count) {
    pivot_grid *g = state;
    const bp_method_settings *settings = &g->grid.setup->settings;
    bp_cells_limits limits = {.cells = UINT64_MAX,
                              .axis_cells = 1u << AXIS_BITS,
                              .per_object = CELL_PER_OBJECT,
                              .longest = BP_CONFIGURED_CELLS};
    if (!g->chunked) {
        const uint64_t room = settings->memory_limit / (sizeof(atomic_uint) + sizeof(uint32_t));
        const uint64_t wanted = (uint64_t)count * CELLS_PER_OBJECT;
        limits.cells = settings->cell_size > 0.0f ? CELLS_MAX : wanted > CELLS_MIN ? wanted : CELLS_MIN;
        limits.cells = limits.cells < CELLS_MAX ? limits.cells : CELLS_MAX;
        limits.cells = settings->memory_limit > 0 && room < limits.cells ? room : limits.cells;
    }
    return bp_cell_grid_build(&g->grid, boxes, count, limits);
}

static void pivot_grid_init(void *state, const bp_method_setup *setup) {
    pivot_grid *g = state;
    memset(g, 0, sizeof *g);
    g->grid.setup = setup;
    g->grid.map = &PIVOT_MAP;
    g->chunked = setup->settings.pivot_layout == BP_PIVOTS_CHUNKED;
    while (1u << g->chunk_bits < setup->settings.chunk_size) {
        ++g->chunk_bits;
    }
    g->depth_bits = setup->dimensions == 3 ? g->chunk_bits : 0;
}

static void pivot_grid_free(void *state) {
    pivot_grid *g = state;
    bp_buffer *buffers[] = {&g->keys, &g->numbers, &g->sorted_keys, &g->counts};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i) {
        bp_buffer_free(buffers[i], &g->grid.setup->runtime.allocator);
    }
    bp_cell_grid_free(&g->grid);
}

static void pivot_grid_stats(const void *state, bp_stats *stats) {
    const pivot_grid *g = state;
    stats->cells = g->grid.number_count;
    stats->bytes = sizeof *g + g->keys.bytes + g->numbers.bytes + g->sorted_keys.bytes + g->counts.bytes;
    bp_cell_grid_stats(&g->grid, stats);
}

const bp_method_ops bp_pivot_grid_ops = {
    .name = "pivot-grid",
    .summary = "one uniform grid by a counting sort with pivots, in chunks: O(n), for objects of similar size",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_THREADS,
    .state_bytes = sizeof(pivot_grid),
    .init = pivot_grid_init,
    .free = pivot_grid_free,
    .build = pivot_grid_build,
    .find = bp_cell_grid_find,
    .find_between = bp_cell_grid_find_between,
    .stats = pivot_grid_stats,
    .validate = bp_cell_grid_validate,
};
