// cuckoo-grid: the lists of a compact grid behind a cuckoo hash of the occupied cells.
//
//     cell ---> bucket of its cube of 4x4x4 cells
//                  |
//                  v           bucket 0                     bucket 1
//     slots   | T0 .... | T1 .... | T2 .... |  | T0 ...... | T1 ...... | T2 ...... |  ...   (cell, number) or empty
//                   |         ^
//                   +---------+     a cell is in T0, T1 or T2 of its bucket, at the place that its hash gives for each:
//                                   at most three slots are read, whether it is found or not
//     objects | a b | c | d e f | ...        by bucket, in a bucket by cell, boxes in columns
//
// Building: the cells of all entries are partitioned by bucket (base/bucket_sort.h). Then each bucket is built
// independently, in parallel: its cells are sorted, each is numbered once, and goes into the three tables, which are sized for the
// number of cells of the bucket. A cell whose place is occupied evicts the other cell, which moves to its place in the
// next table. If that takes too many evictions, all tables of the bucket are rebuilt with another hash. After 16 hashes
// the bucket gives up: its slots become one table with linear probing, which always succeeds, as there are more slots
// than cells. Then the objects are sorted by the numbers of their cells.
//
// Differences from Gissler: buckets are cubes of neighbouring cells instead of random ones, so that a search finds most
// of its neighbours in the bucket that it has just used; and tables are sized so that a bucket's own cells fill 72 % of
// the slots, which is possible because the cells are counted first (Gissler leaves the size open). An object is in every cell that it
// overlaps, as in Gissler, only with settings.grid_entries = footprint.
//
// The pairs do not depend on the number of threads: a bucket is built by one thread, from cells in their order.
//
// Cost: O(n), memory follows the occupied cells: neither time nor memory depends on the domain. Loses to compact-grid
// in dense domains (a hash for every cell that is looked up), and like all uniform grids where sizes are very different:
// objects too large for a cell are tested against all cells that they cover.
//
// Source: M. Gissler, M. Ihmsen, M. Teschner, "Efficient Uniform Grids for Collision Handling in Medical Simulators",
// section 3.3, after D. Alcantara et al., "Real-Time Parallel Hashing on the GPU", 2009.
#include "base/radix_sort.h"
#include "engine/method.h"
#include "literature/uniform_grids/cell_grid.h"

enum {
    CUBE_SHIFT = 2,        // a bucket's cubes have 4 cells per axis
    BUCKET_OBJECTS = 1024, // on average
    BUCKETS_MAX = 1 << 16,
    TABLES = 3,
    HASHES_MAX = 16, // tried for a bucket before it gives up
    AXIS_BITS = 20   // of a cell's coordinate
};

// Measured: fewer lookups are worth more tests.
static const double CELL_PER_OBJECT = 3.0;
static const double OCCUPANCY = 0.72; // of the slots
static const uint64_t EMPTY = UINT64_MAX;
static const uint64_t CUBE_MASK =
    (((uint64_t)1 << (AXIS_BITS - CUBE_SHIFT)) - 1) * (1 | (uint64_t)1 << AXIS_BITS | (uint64_t)1 << (2 * AXIS_BITS));

typedef struct cuckoo_slot {
    uint64_t cell; // its name
    uint32_t number;
} cuckoo_slot;

typedef struct bucket {
    uint32_t first_slot;
    uint32_t table_size; // slots of each of the three
    uint32_t cell_count;
    uint32_t first_cell; // among the occupied cells of all buckets
    uint32_t hash;       // index of the hash, or HASHES_MAX: linear probing
} bucket;

typedef struct cuckoo_grid {
    bp_cell_grid grid;
    size_t bucket_count, slot_count;
    bp_partition partition; // of the entries into buckets
    bp_buffer spare;        // uint64_t: the names of the cells of all entries; then scratch memory
    bp_buffer names;        // the same by bucket; then those of the bucket, each once
    bp_buffer buckets, slots;
} cuckoo_grid;

// ---- hashes ---------------------------------------------------------------------------------------------------------

static uint64_t mix_cell_name(uint64_t value) {
    value ^= value >> 32;
    value *= 0xD6E8FEB86659FD93u;
    value ^= value >> 32;
    value *= 0xD6E8FEB86659FD93u;
    return value ^ value >> 32;
}

static uint64_t name_of_cell(const uint32_t at[3]) {
    return (uint64_t)at[2] << (2 * AXIS_BITS) | (uint64_t)at[1] << AXIS_BITS | at[0];
}

static size_t bucket_of_name(const cuckoo_grid *g, uint64_t name) {
    const uint64_t cube = name >> CUBE_SHIFT & CUBE_MASK;
    return (size_t)((mix_cell_name(cube) >> 32) * g->bucket_count >> 32);
}

// The places of a cell in the three tables of its bucket, from 21 bits of one hash each.
static uint32_t place_in_table(uint64_t hash, uint32_t table, uint32_t table_size) {
    const uint64_t bits = hash >> (21 * table) & ((1u << 21) - 1);
    return table * table_size + (uint32_t)(bits * table_size >> 21);
}

static uint64_t hash_of_cell(uint64_t cell, uint32_t hash) {
    return mix_cell_name(cell + 0x9E3779B97F4A7C15u * (hash + 1u));
}

// ---- the cells of each bucket ---------------------------------------------------------------------------------------

static bucket *buckets_of(const cuckoo_grid *g) {
    return g->buckets.data;
}

static void task_name_cells(void *context, size_t block) {
    const cuckoo_grid *g = context;
    bp_entry_walk walk = bp_entry_walk_begin(&g->grid, block, 1);
    while (bp_entry_walk_next(&walk)) {
        ((uint64_t *)g->spare.data)[walk.entry] = name_of_cell(walk.at);
    }
}

static void task_count_names(void *context, size_t block) {
    const cuckoo_grid *g = context;
    const uint64_t *names = g->spare.data;
    uint32_t *counters = bp_partition_clear(&g->partition, block);
    const size_t end = bp_block_begin(g->grid.entries, block + 1);
    for (size_t i = bp_block_begin(g->grid.entries, block); i < end; ++i) {
        ++counters[bucket_of_name(g, names[i])];
    }
}

static void task_partition_names(void *context, size_t block) {
    const cuckoo_grid *g = context;
    const uint64_t *names = g->spare.data;
    uint32_t *positions = bp_partition_counters(&g->partition, block);
    const size_t end = bp_block_begin(g->grid.entries, block + 1);
    for (size_t i = bp_block_begin(g->grid.entries, block); i < end; ++i) {
        ((uint64_t *)g->names.data)[positions[bucket_of_name(g, names[i])]++] = names[i];
    }
}

// Keeps each cell of a bucket once, in the order of their names.
static void task_list_cells(void *context, size_t index) {
    const cuckoo_grid *g = context;
    const size_t begin = g->partition.starts[index], count = g->partition.starts[index + 1] - begin;
    uint64_t *names = (uint64_t *)g->names.data + begin;
    const uint64_t *sorted = bp_sort_keys(names, (uint64_t *)g->spare.data + begin, count, 0, 3 * AXIS_BITS);
    uint32_t cell_count = 0;
    for (size_t i = 0; i < count; ++i) {
        if (cell_count == 0 || names[cell_count - 1] != sorted[i]) {
            names[cell_count++] = sorted[i];
        }
    }
    buckets_of(g)[index].cell_count = cell_count;
}

// ---- the tables of each bucket --------------------------------------------------------------------------------------

// Inserts a cell into the tables; false if it takes too many evictions.
static bool insert_cuckoo(cuckoo_slot *slots, const bucket *b, cuckoo_slot cell) {
    uint32_t throws_left = 16 + b->cell_count;
    for (uint32_t table = 0;; table = table + 1 == TABLES ? 0 : table + 1) {
        cuckoo_slot *place = &slots[place_in_table(hash_of_cell(cell.cell, b->hash), table, b->table_size)];
        const cuckoo_slot thrown_out = *place;
        *place = cell;
        if (thrown_out.cell == EMPTY) {
            return true;
        }
        if (throws_left-- == 0) {
            return false;
        }
        cell = thrown_out;
    }
}

static void insert_linearly(cuckoo_slot *slots, const bucket *b, cuckoo_slot cell) {
    const uint32_t size = TABLES * b->table_size;
    uint32_t at = (uint32_t)((hash_of_cell(cell.cell, b->hash) & UINT32_MAX) * size >> 32);
    while (slots[at].cell != EMPTY) {
        at = at + 1 == size ? 0 : at + 1;
    }
    slots[at] = cell;
}

static bool fill_tables(cuckoo_slot *slots, const bucket *b, const uint64_t *cells) {
    memset(slots, 0xff, (size_t)b->table_size * TABLES * sizeof *slots);
    bool good = true;
    for (uint32_t i = 0; i < b->cell_count && good; ++i) {
        const cuckoo_slot cell = {.cell = cells[i], .number = b->first_cell + i};
        if (b->hash < HASHES_MAX) {
            good = insert_cuckoo(slots, b, cell);
        } else {
            insert_linearly(slots, b, cell);
        }
    }
    return good;
}

static void task_fill_tables(void *context, size_t index) {
    const cuckoo_grid *g = context;
    bucket *b = &buckets_of(g)[index];
    const uint64_t *cells = (const uint64_t *)g->names.data + g->partition.starts[index];
    b->hash = 0;
    while (!fill_tables((cuckoo_slot *)g->slots.data + b->first_slot, b, cells)) {
        ++b->hash;
    }
}

static bp_status make_tables(void *state) {
    cuckoo_grid *g = state;
    const bp_runtime *runtime = &g->grid.setup->runtime;
    const size_t wanted = g->grid.count / BUCKET_OBJECTS + 1, room = g->grid.grid_count + 1;
    g->bucket_count = wanted < BUCKETS_MAX ? wanted : BUCKETS_MAX;
    if (!bp_buffer_reserve(&g->buckets, &runtime->allocator, 0, g->bucket_count, sizeof(bucket)) ||
        !bp_partition_reserve(&g->partition, &runtime->allocator, g->grid.entries.count, g->bucket_count) ||
        !bp_buffer_reserve_slack(&g->names, &runtime->allocator, 0, room, sizeof(uint64_t)) ||
        !bp_buffer_reserve_slack(&g->spare, &runtime->allocator, 0, room, sizeof(uint64_t))) {
        return BP_ERROR_MEMORY;
    }
    bp_parallel_for(&runtime->executor, g->grid.blocks.count, task_name_cells, g);
    bp_parallel_for(&runtime->executor, g->grid.entries.count, task_count_names, g);
    bp_partition_place(&g->partition, &runtime->executor);
    bp_parallel_for(&runtime->executor, g->grid.entries.count, task_partition_names, g);
    bp_parallel_for(&runtime->executor, g->bucket_count, task_list_cells, g);
    size_t slots = 0, cells = 0;
    for (size_t i = 0; i < g->bucket_count; ++i) {
        bucket *b = &buckets_of(g)[i];
        b->first_slot = (uint32_t)slots;
        b->first_cell = (uint32_t)cells;
        b->table_size = (uint32_t)((double)b->cell_count / OCCUPANCY / TABLES) + 1;
        slots += (size_t)b->table_size * TABLES;
        cells += b->cell_count;
    }
    g->slot_count = slots;
    g->grid.number_count = cells;
    if (!bp_buffer_reserve_slack(&g->slots, &runtime->allocator, 0, slots, sizeof(cuckoo_slot))) {
        return BP_ERROR_MEMORY;
    }
    bp_parallel_for(&runtime->executor, g->bucket_count, task_fill_tables, g);
    return BP_OK;
}

// ---- looking up -----------------------------------------------------------------------------------------------------

static const cuckoo_slot *find_linearly(const cuckoo_slot *slots, const bucket *b, uint64_t cell) {
    const uint32_t size = TABLES * b->table_size;
    uint32_t at = (uint32_t)((hash_of_cell(cell, b->hash) & UINT32_MAX) * size >> 32);
    while (slots[at].cell != cell && slots[at].cell != EMPTY) {
        at = at + 1 == size ? 0 : at + 1;
    }
    return &slots[at];
}

// The slot of a cell, or one with another content.
static const cuckoo_slot *find_cell_slot(const cuckoo_grid *g, const bucket *b, uint64_t cell) {
    const cuckoo_slot *slots = (const cuckoo_slot *)g->slots.data + b->first_slot;
    const uint64_t hash = hash_of_cell(cell, b->hash);
    if (b->hash == HASHES_MAX) {
        return find_linearly(slots, b, cell);
    }
    const cuckoo_slot *place = &slots[place_in_table(hash, 0, b->table_size)];
    for (uint32_t table = 1; table < TABLES && place->cell != cell; ++table) {
        place = &slots[place_in_table(hash, table, b->table_size)];
    }
    return place;
}

static uint32_t find_in_tables(const void *state, const uint32_t at[3]) {
    const cuckoo_grid *g = state;
    const uint64_t cell = name_of_cell(at);
    const cuckoo_slot *place = find_cell_slot(g, &buckets_of(g)[bucket_of_name(g, cell)], cell);
    return place->cell == cell ? place->number : BP_NO_CELL;
}

// The tables of a bucket follow those of the one before; they hold as many cells as it has, and are not full.
static bool tables_are_sound(const void *state) {
    const cuckoo_grid *g = state;
    const cuckoo_slot *slots = g->slots.data;
    size_t first_slot = 0, first_cell = 0;
    bool sound =
        g->bucket_count <= g->buckets.bytes / sizeof(bucket) && g->slot_count <= g->slots.bytes / sizeof(cuckoo_slot);
    for (size_t i = 0; sound && i < g->bucket_count; ++i) {
        const bucket *b = &buckets_of(g)[i];
        const size_t size = (size_t)b->table_size * TABLES;
        size_t held = 0;
        sound = b->first_slot == first_slot && b->first_cell == first_cell && size <= g->slot_count - first_slot &&
                b->hash <= HASHES_MAX;
        for (size_t k = first_slot; sound && k < first_slot + size; ++k) {
            held += slots[k].cell != EMPTY;
        }
        sound = sound && held == b->cell_count && held < size;
        first_slot += size;
        first_cell += held;
    }
    return sound && first_cell == g->grid.number_count;
}

static const bp_cell_map CUCKOO_MAP = {.name = "cuckoo-grid",
                                       .make = make_tables,
                                       .find = find_in_tables,
                                       .sort = bp_cell_grid_sort,
                                       .is_sound = tables_are_sound};

// ---- the method -----------------------------------------------------------------------------------------------------

static bp_status cuckoo_grid_build(void *state, const bp_box *boxes, size_t count) {
    return bp_cell_grid_build(state, boxes, count,
                              (bp_cells_limits){.cells = UINT64_MAX,
                                                .axis_cells = 1u << AXIS_BITS,
                                                .per_object = CELL_PER_OBJECT,
                                                .longest = BP_CONFIGURED_CELLS});
}

static void cuckoo_grid_init(void *state, const bp_method_setup *setup) {
    *(cuckoo_grid *)state =
        (cuckoo_grid){.grid = {.setup = setup, .map = &CUCKOO_MAP, .class_bits = bp_class_bits_of(setup)}};
}

static void cuckoo_grid_free(void *state) {
    cuckoo_grid *g = state;
    const bp_allocator *allocator = &g->grid.setup->runtime.allocator;
    bp_buffer *buffers[] = {&g->names, &g->spare, &g->buckets, &g->slots};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i) {
        bp_buffer_free(buffers[i], allocator);
    }
    bp_partition_free(&g->partition, allocator);
    bp_cell_grid_free(&g->grid);
}

static void cuckoo_grid_stats(const void *state, bp_stats *stats) {
    const cuckoo_grid *g = state;
    stats->cells = g->slot_count;
    stats->bytes =
        sizeof *g + g->names.bytes + g->spare.bytes + g->buckets.bytes + g->slots.bytes + g->partition.buffer.bytes;
    bp_cell_grid_stats(&g->grid, stats);
}

const bp_method_ops bp_cuckoo_grid_ops = {
    .name = "cuckoo-grid",
    .summary = "one uniform grid, its occupied cells in a cuckoo hash: O(n) in any domain",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_THREADS,
    .state_bytes = sizeof(cuckoo_grid),
    .init = cuckoo_grid_init,
    .free = cuckoo_grid_free,
    .build = cuckoo_grid_build,
    .find = bp_cell_grid_find,
    .find_between = bp_cell_grid_find_between,
    .stats = cuckoo_grid_stats,
    .validate = bp_cell_grid_validate,
};
