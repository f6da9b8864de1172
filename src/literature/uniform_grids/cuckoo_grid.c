// cuckoo-grid: the lists of a compact grid behind a cuckoo hash of the occupied cells.
//
//     cell ---> bucket of its cube of 4x4x4 cells
//                  |
//                  v           bucket 0                     bucket 1
//     slots   | T0 .... | T1 .... | T2 .... |  | T0 ...... | T1 ...... | T2 ...... |  ...   (cell, begin, end) or empty
//                   |         ^
//                   +---------+     a cell is in T0, T1 or T2 of its bucket, at the place that its hash gives for each:
//                                   at most three slots are read, whether it is found or not
//     objects | a b | c | d e f | ...        by bucket, in a bucket by cell, boxes in columns
//
// Building: the objects are partitioned by bucket (base/bucket_sort.h). Then each bucket is built independently, in
// parallel: its cells are numbered in a small set that counts their objects, the objects are placed cell by cell, and
// the cells go into the three tables, which are sized for the number of cells of the bucket. A cell whose place is
// occupied evicts the other cell, which moves to its place in the next table. If that takes too many evictions, all
// tables of the bucket are rebuilt with another hash. After 16 hashes the bucket gives up: its slots become one table
// with linear probing, which always succeeds, as there are more slots than cells.
//
// Differences from Gissler: buckets are cubes of neighbouring cells instead of random ones, so that a search finds most
// of its neighbours in the bucket that it has just used; and tables are sized so that a bucket's own cells fill 72 % of
// the slots, which is possible because the cells are counted first (Gissler leaves the size open).
//
// The pairs do not depend on the number of threads: the partition is stable and a bucket is built by one thread, so
// objects are in the order of (bucket, first object of the cell, id).
//
// With settings.grid_entries = footprint an object is in every cell that it overlaps, as in Gissler (footprints.h). Then
// the records of a bucket carry the class of the object in the cell, a slot holds the number of its cell, and an array
// has the bounds of the classes of each cell.
//
// Cost: O(n), memory follows the occupied cells: neither time nor memory depends on the domain. Loses to compact-grid
// in dense domains (a hash for every cell that is looked up, and rows of cells are not contiguous), and like all
// uniform grids where sizes are very different: objects too large for a cell are tested against all cells that they cover.
//
// Source: M. Gissler, M. Ihmsen, M. Teschner, "Efficient Uniform Grids for Collision Handling in Medical Simulators",
// section 3.3, after D. Alcantara et al., "Real-Time Parallel Hashing on the GPU", 2009.
#include "base/bucket_sort.h"
#include "engine/method.h"
#include "literature/uniform_grids/footprints.h"

#include <string.h>

enum {
    CUBE_SHIFT = 2,        // a bucket's cubes have 4 cells per axis
    BUCKET_OBJECTS = 1024, // on average
    BUCKETS_MAX = 1 << 16,
    TABLES = 3,
    HASHES_MAX = 16, // tried for a bucket before it gives up
    AXIS_BITS = 20,  // of a cell's coordinate
    NAME_BITS = 3 * AXIS_BITS
};

// Measured: fewer lookups are worth more tests.
static const double CELL_PER_OBJECT = 3.0;
static const double OCCUPANCY = 0.72; // of the slots
static const uint64_t EMPTY = UINT64_MAX;
static const uint64_t NAME_MASK = ((uint64_t)1 << NAME_BITS) - 1;

// An object on the way to its cell. For a scanned object the cell means nothing.
typedef struct record {
    uint64_t cell; // with footprints, above its name: the place of the object's class
    uint32_t id;
    uint32_t number; // of the cell in its bucket
} record;

typedef struct slot {
    uint64_t cell;
    uint32_t begin, end; // of its objects; with footprints `begin` is its number among the occupied cells
} slot;

typedef struct bucket {
    uint32_t first_slot;
    uint32_t table_size; // slots of each of the three
    uint32_t cell_count;
    uint32_t first_cell; // among the occupied cells of all buckets
    uint32_t hash;       // index of the hash, or HASHES_MAX: linear probing
} bucket;

typedef struct cuckoo_grid {
    bp_uniform_grid grid;
    size_t bucket_count, slot_count;
    bp_partition partition; // of the objects into buckets; the scanned ones are in an extra bucket, after all others
    bp_buffer records;      // by bucket
    bp_buffer numbering;    // uint32_t: the sets in which the cells of a bucket are numbered
    bp_buffer found;        // slot: the cells of a bucket in the order of their numbers, at the places of its objects
    bp_buffer buckets, slots;
    bp_buffer bounds; // uint32_t, with footprints: of the classes, per occupied cell; and the end of the last one
} cuckoo_grid;

// ---- hashes ---------------------------------------------------------------------------------------------------------

static uint64_t mix_cell_name(uint64_t value) {
    value ^= value >> 32;
    value *= 0xD6E8FEB86659FD93u;
    value ^= value >> 32;
    value *= 0xD6E8FEB86659FD93u;
    return value ^ value >> 32;
}

static uint64_t name_of_cell(uint32_t x, uint32_t y, uint32_t z) {
    return (uint64_t)z << (2 * AXIS_BITS) | (uint64_t)y << AXIS_BITS | x;
}

static size_t bucket_of_cell(const cuckoo_grid *g, uint32_t x, uint32_t y, uint32_t z) {
    const uint64_t cube = name_of_cell(x >> CUBE_SHIFT, y >> CUBE_SHIFT, z >> CUBE_SHIFT);
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

// ---- 1. partition by bucket -----------------------------------------------------------------------------------------

static bucket *buckets_of(const cuckoo_grid *g) {
    return g->buckets.data;
}

// The cells that an object is entered in: without footprints, that of its min corner.
static bp_place cells_of_object(const cuckoo_grid *g, size_t id, bp_footprint *print, bp_cells_part *part) {
    const bp_uniform_grid *grid = &g->grid;
    if (grid->has_footprints) {
        return bp_footprint_of(grid, &grid->boxes[id], print, part);
    }
    *print = (bp_footprint){0};
    const bp_place place = bp_cells_place(&grid->cells, grid->setup->dimensions, &grid->boxes[id], print->low, part);
    memcpy(print->high, print->low, sizeof print->high);
    return place;
}

static void count_footprint(const cuckoo_grid *g, const bp_footprint *print, uint32_t *counters) {
    for (uint32_t z = print->low[2]; z <= print->high[2]; ++z) {
        for (uint32_t y = print->low[1]; y <= print->high[1]; ++y) {
            for (uint32_t x = print->low[0]; x <= print->high[0]; ++x) {
                ++counters[bucket_of_cell(g, x, y, z)];
            }
        }
    }
}

// Cells are computed again when they are written: that is cheaper than keeping them. Scanned objects go to a bucket after all
// others; holes to none.
static void task_count_entries(void *context, size_t block) {
    cuckoo_grid *g = context;
    uint32_t *counters = bp_partition_clear(&g->partition, block);
    bp_cells_part part = {0};
    bp_entry_counts counts = {0};
    const size_t end = bp_block_begin(g->grid.blocks, block + 1);
    for (size_t i = bp_block_begin(g->grid.blocks, block); i < end; ++i) {
        bp_footprint print;
        const bp_place place = cells_of_object(g, i, &print, &part);
        if (place == BP_PLACE_CELL) {
            counts.entries += (uint64_t)bp_footprint_cells(&print);
            count_footprint(g, &print, counters);
        } else if (place == BP_PLACE_SCAN) {
            ++counts.scanned;
            ++counters[g->bucket_count];
        }
    }
    bp_footprint_counts(&g->grid)[block] = counts;
    bp_uniform_grid_parts(&g->grid)[block] = part;
}

static bp_status cuckoo_grid_place(void *state, bool *suits) {
    cuckoo_grid *g = state;
    bp_parallel_for(&g->grid.setup->runtime.executor, g->grid.blocks.count, task_count_entries, g);
    *suits = bp_uniform_grid_join(&g->grid);
    return BP_OK;
}

static void partition_footprint(const cuckoo_grid *g, const bp_footprint *print, uint32_t id, uint32_t *positions) {
    record *records = g->records.data;
    for (uint32_t z = print->low[2]; z <= print->high[2]; ++z) {
        for (uint32_t y = print->low[1]; y <= print->high[1]; ++y) {
            for (uint32_t x = print->low[0]; x <= print->high[0]; ++x) {
                const uint64_t place = bp_footprint_place(print, x, y, z);
                records[positions[bucket_of_cell(g, x, y, z)]++] =
                    (record){.cell = name_of_cell(x, y, z) | place << NAME_BITS, .id = id};
            }
        }
    }
}

static void task_partition_entries(void *context, size_t block) {
    cuckoo_grid *g = context;
    uint32_t *positions = bp_partition_counters(&g->partition, block);
    record *records = g->records.data;
    bp_cells_part part = {0};
    const size_t end = bp_block_begin(g->grid.blocks, block + 1);
    for (size_t i = bp_block_begin(g->grid.blocks, block); i < end; ++i) {
        bp_footprint print;
        const bp_place place = cells_of_object(g, i, &print, &part);
        if (place == BP_PLACE_CELL) {
            partition_footprint(g, &print, (uint32_t)i, positions);
        } else if (place == BP_PLACE_SCAN) {
            records[positions[g->bucket_count]++] = (record){.id = (uint32_t)i};
        }
    }
}

// ---- 2. the cells of each bucket, and its objects -------------------------------------------------------------------

// The cells of a bucket are numbered in the order in which they first occur. The set is a table of numbers, at most
// half full, at twice the places of the objects.
static uint32_t number_bucket_cells(record *records, size_t count, slot *found, uint32_t *set) {
    uint32_t cell_count = 0;
    const size_t size = 2 * count;
    memset(set, 0xff, size * sizeof *set);
    for (size_t i = 0; i < count; ++i) {
        const uint64_t cell = records[i].cell & NAME_MASK;
        size_t at = (size_t)((mix_cell_name(cell) & UINT32_MAX) * size >> 32);
        while (set[at] != UINT32_MAX && found[set[at]].cell != cell) {
            at = at + 1 == size ? 0 : at + 1;
        }
        if (set[at] == UINT32_MAX) {
            found[cell_count] = (slot){.cell = cell};
            set[at] = cell_count++;
        }
        records[i].number = set[at];
        ++found[set[at]].end;
    }
    return cell_count;
}

static void number_bucket(const cuckoo_grid *g, size_t index) {
    const size_t begin = g->partition.starts[index], count = g->partition.starts[index + 1] - begin;
    buckets_of(g)[index].cell_count =
        number_bucket_cells((record *)g->records.data + begin, count, (slot *)g->found.data + begin,
                            (uint32_t *)g->numbering.data + 2 * begin);
}

// Sorts the ids of a bucket by cell.
static void order_bucket(const cuckoo_grid *g, size_t index) {
    const uint32_t begin = g->partition.starts[index], end = g->partition.starts[index + 1];
    record *records = (record *)g->records.data + begin;
    slot *found = (slot *)g->found.data + begin;
    uint32_t *ids = g->grid.columns.id;
    number_bucket(g, index);
    const uint32_t cell_count = buckets_of(g)[index].cell_count;
    uint32_t position = begin;
    for (uint32_t cell = 0; cell < cell_count; ++cell) {
        const uint32_t count = found[cell].end;
        found[cell].begin = found[cell].end = position;
        position += count;
    }
    for (uint32_t i = 0; i < end - begin; ++i) {
        ids[found[records[i].number].end++] = records[i].id;
    }
}

static void task_order_cuckoo_bucket(void *context, size_t index) {
    const cuckoo_grid *g = context;
    const uint32_t begin = g->partition.starts[index], end = g->partition.starts[index + 1];
    if (index < g->bucket_count && g->grid.has_footprints) {
        number_bucket(g, index); // order_footprints does the rest
        return;
    }
    if (index < g->bucket_count) {
        order_bucket(g, index);
    } else { // scanned objects, in the order of their ids
        for (uint32_t i = begin; i < end; ++i) {
            g->grid.columns.id[i] = ((const record *)g->records.data)[i].id;
        }
    }
    bp_uniform_grid_fill(&g->grid, begin, end);
}

// ---- 3. the tables of each bucket -----------------------------------------------------------------------------------

static void place_slots(cuckoo_grid *g) {
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
    g->grid.occupied = cells;
}

// Inserts a cell into the tables; false if it takes too many evictions.
static bool insert_cuckoo(slot *slots, const bucket *b, slot cell) {
    uint32_t throws_left = 16 + b->cell_count;
    for (uint32_t table = 0;; table = table + 1 == TABLES ? 0 : table + 1) {
        slot *place = &slots[place_in_table(hash_of_cell(cell.cell, b->hash), table, b->table_size)];
        const slot thrown_out = *place;
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

static void insert_linearly(slot *slots, const bucket *b, slot cell) {
    const uint32_t size = TABLES * b->table_size;
    uint32_t at = (uint32_t)((hash_of_cell(cell.cell, b->hash) & UINT32_MAX) * size >> 32);
    while (slots[at].cell != EMPTY) {
        at = at + 1 == size ? 0 : at + 1;
    }
    slots[at] = cell;
}

static bool fill_tables(slot *slots, const bucket *b, const slot *found) {
    memset(slots, 0xff, (size_t)b->table_size * TABLES * sizeof *slots);
    bool good = true;
    for (uint32_t i = 0; i < b->cell_count && good; ++i) {
        if (b->hash < HASHES_MAX) {
            good = insert_cuckoo(slots, b, found[i]);
        } else {
            insert_linearly(slots, b, found[i]);
        }
    }
    return good;
}

static uint32_t *bounds_of_bucket(const cuckoo_grid *g, const bucket *b) {
    return (uint32_t *)g->bounds.data + (size_t)BP_CELL_CLASSES * b->first_cell;
}

// Where the objects of each class of each cell begin. They are counted first, and then moved on while objects are placed.
static void place_classes(const record *records, size_t count, uint32_t *bounds, size_t bound_count, uint32_t *ids) {
    uint32_t position = 0;
    memset(bounds, 0, bound_count * sizeof *bounds);
    for (size_t i = 0; i < count; ++i) {
        ++bounds[BP_CELL_CLASSES * (size_t)records[i].number + (records[i].cell >> NAME_BITS)];
    }
    for (size_t i = 0; i < bound_count; ++i) {
        const uint32_t here = bounds[i];
        bounds[i] = position;
        position += here;
    }
    for (size_t i = 0; i < count; ++i) {
        ids[bounds[BP_CELL_CLASSES * (size_t)records[i].number + (records[i].cell >> NAME_BITS)]++] = records[i].id;
    }
}

// Sorts the ids of a bucket by cell and class. The bound after the last one is the first of the next bucket.
static void order_footprints(const cuckoo_grid *g, size_t index) {
    const bucket *b = &buckets_of(g)[index];
    const uint32_t begin = g->partition.starts[index], end = g->partition.starts[index + 1];
    const size_t bound_count = (size_t)BP_CELL_CLASSES * b->cell_count;
    slot *found = (slot *)g->found.data + begin;
    uint32_t *bounds = bounds_of_bucket(g, b);
    if (bound_count == 0) {
        return;
    }
    place_classes((const record *)g->records.data + begin, end - begin, bounds, bound_count,
                  g->grid.columns.id + begin);
    for (size_t i = bound_count - 1; i > 0; --i) {
        bounds[i] = begin + bounds[i - 1];
    }
    bounds[0] = begin;
    for (uint32_t i = 0; i < b->cell_count; ++i) {
        found[i].begin = b->first_cell + i;
    }
    bp_uniform_grid_fill(&g->grid, begin, end);
}

static void task_fill_tables(void *context, size_t index) {
    cuckoo_grid *g = context;
    bucket *b = &buckets_of(g)[index];
    const bool prints = g->grid.has_footprints;
    if (prints) {
        order_footprints(g, index);
    }
    const slot *found = (const slot *)g->found.data + g->partition.starts[index];
    const uint32_t *bounds = prints ? bounds_of_bucket(g, b) : NULL;
    uint32_t *starts = bp_uniform_grid_starts(&g->grid) + b->first_cell;
    for (uint32_t i = 0; i < b->cell_count; ++i) {
        starts[i] = prints ? bounds[BP_CELL_CLASSES * (size_t)i] : found[i].begin;
    }
    b->hash = 0;
    while (!fill_tables((slot *)g->slots.data + b->first_slot, b, found)) {
        ++b->hash;
    }
}

// ---- looking up -----------------------------------------------------------------------------------------------------

static const slot *find_linearly(const slot *slots, const bucket *b, uint64_t cell) {
    const uint32_t size = TABLES * b->table_size;
    uint32_t at = (uint32_t)((hash_of_cell(cell, b->hash) & UINT32_MAX) * size >> 32);
    while (slots[at].cell != cell && slots[at].cell != EMPTY) {
        at = at + 1 == size ? 0 : at + 1;
    }
    return &slots[at];
}

// The slot of a cell, or one with another content.
static const slot *find_cell_slot(const cuckoo_grid *g, const bucket *b, uint64_t cell) {
    const slot *slots = (const slot *)g->slots.data + b->first_slot;
    const uint64_t hash = hash_of_cell(cell, b->hash);
    if (b->hash == HASHES_MAX) {
        return find_linearly(slots, b, cell);
    }
    const slot *place = &slots[place_in_table(hash, 0, b->table_size)];
    for (uint32_t table = 1; table < TABLES && place->cell != cell; ++table) {
        place = &slots[place_in_table(hash, table, b->table_size)];
    }
    return place;
}

static size_t cuckoo_grid_ranges(const void *state, uint32_t first, uint32_t last, uint32_t y, uint32_t z,
                                 bp_cell_range *ranges) {
    const cuckoo_grid *g = state;
    const bucket *b = NULL;
    size_t found = 0;
    for (uint32_t x = first; x <= last; ++x) {
        if (b == NULL || x % (1u << CUBE_SHIFT) == 0) {
            b = &buckets_of(g)[bucket_of_cell(g, x, y, z)];
        }
        const uint64_t cell = name_of_cell(x, y, z);
        const slot *place = find_cell_slot(g, b, cell);
        if (place->cell == cell) {
            ranges[found++] = (bp_cell_range){.begin = place->begin, .end = place->end, .first = x, .last = x};
        }
    }
    return found;
}

static const uint32_t *cuckoo_grid_bounds_at(const void *state, size_t occupied_index) {
    const cuckoo_grid *g = state;
    return (const uint32_t *)g->bounds.data + BP_CELL_CLASSES * occupied_index;
}

static const uint32_t *cuckoo_grid_find_bounds(const void *state, uint32_t x, uint32_t y, uint32_t z) {
    const cuckoo_grid *g = state;
    const uint64_t cell = name_of_cell(x, y, z);
    const slot *place = find_cell_slot(g, &buckets_of(g)[bucket_of_cell(g, x, y, z)], cell);
    return place->cell == cell ? cuckoo_grid_bounds_at(g, place->begin) : NULL;
}

// ---- the whole build ------------------------------------------------------------------------------------------------

static bool cuckoo_grid_reserve(cuckoo_grid *g) {
    const bp_allocator *allocator = &g->grid.setup->runtime.allocator;
    const size_t count = g->grid.count, wanted = count / BUCKET_OBJECTS + 1;
    g->bucket_count = wanted < BUCKETS_MAX ? wanted : BUCKETS_MAX;
    return bp_buffer_reserve(&g->buckets, allocator, 0, g->bucket_count, sizeof(bucket)) &&
           bp_partition_reserve(&g->partition, allocator, g->grid.blocks.count, g->bucket_count + 1) &&
           bp_footprints_reserve(&g->grid);
}

// Entries are counted before there is room for them, and with footprints their number varies from step to step.
static bp_status reserve_entries(cuckoo_grid *g) {
    const bp_allocator *allocator = &g->grid.setup->runtime.allocator;
    const bp_status status = bp_footprints_place(&g->grid, bp_cuckoo_grid_ops.name);
    const size_t room = g->grid.total_count + 1;
    if (status != BP_OK) {
        return status;
    }
    return bp_buffer_reserve_slack(&g->records, allocator, 0, room, sizeof(record)) &&
                   bp_buffer_reserve_slack(&g->numbering, allocator, 0, 2 * room, sizeof(uint32_t)) &&
                   bp_buffer_reserve_slack(&g->found, allocator, 0, room, sizeof(slot))
               ? BP_OK
               : BP_ERROR_MEMORY;
}

static void order_objects(cuckoo_grid *g) {
    const bp_executor *executor = &g->grid.setup->runtime.executor;
    bp_partition_place(&g->partition, executor);
    g->grid.grid_count = g->partition.starts[g->bucket_count];
    g->grid.total_count = g->partition.starts[g->bucket_count + 1];
    bp_parallel_for(executor, g->grid.blocks.count, task_partition_entries, g);
    bp_parallel_for(executor, g->bucket_count + 1, task_order_cuckoo_bucket, g);
}

static bool build_tables(cuckoo_grid *g) {
    const bp_allocator *allocator = &g->grid.setup->runtime.allocator;
    place_slots(g);
    if (!bp_buffer_reserve_slack(&g->slots, allocator, 0, g->slot_count, sizeof(slot)) ||
        !bp_buffer_reserve_slack(&g->grid.starts_buffer, allocator, 0, g->grid.occupied + 1, sizeof(uint32_t))) {
        return false;
    }
    if (g->grid.has_footprints) {
        const size_t last = BP_CELL_CLASSES * g->grid.occupied;
        if (!bp_buffer_reserve_slack(&g->bounds, allocator, 0, last + 1, sizeof(uint32_t))) {
            return false;
        }
        ((uint32_t *)g->bounds.data)[last] = (uint32_t)g->grid.grid_count;
    }
    bp_parallel_for(&g->grid.setup->runtime.executor, g->bucket_count, task_fill_tables, g);
    bp_uniform_grid_starts(&g->grid)[g->grid.occupied] = (uint32_t)g->grid.grid_count;
    return true;
}

static bp_status cuckoo_grid_fill(void *state) {
    cuckoo_grid *g = state;
    if (!cuckoo_grid_reserve(g)) {
        return BP_ERROR_MEMORY;
    }
    bp_status status = bp_uniform_grid_place(&g->grid, cuckoo_grid_place);
    if (status == BP_OK) {
        status = reserve_entries(g);
    }
    if (status != BP_OK) {
        return status;
    }
    order_objects(g);
    return build_tables(g) ? BP_OK : BP_ERROR_MEMORY;
}

// ---- the method -----------------------------------------------------------------------------------------------------

static void cuckoo_grid_init(void *state, const bp_method_setup *setup) {
    cuckoo_grid *g = state;
    *g = (cuckoo_grid){.grid = {.setup = setup,
                                .has_footprints = setup->settings.grid_entries == BP_ENTRIES_FOOTPRINT,
                                .find_ranges = cuckoo_grid_ranges,
                                .find_bounds = cuckoo_grid_find_bounds,
                                .bounds_at = cuckoo_grid_bounds_at}};
}

static void cuckoo_grid_free(void *state) {
    cuckoo_grid *g = state;
    const bp_allocator *allocator = &g->grid.setup->runtime.allocator;
    bp_buffer *buffers[] = {&g->records, &g->numbering, &g->found, &g->buckets, &g->slots, &g->bounds};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i) {
        bp_buffer_free(buffers[i], allocator);
    }
    bp_partition_free(&g->partition, allocator);
    bp_uniform_grid_free(&g->grid);
}

static bp_status cuckoo_grid_build(void *state, const bp_box *boxes, size_t count) {
    cuckoo_grid *g = state;
    const bp_cells_limits limits = {.cells = UINT64_MAX,
                                    .axis_cells = 1u << AXIS_BITS,
                                    .per_object = CELL_PER_OBJECT,
                                    .longest = BP_CONFIGURED_CELLS};
    return bp_uniform_grid_build(&g->grid, boxes, count, limits, cuckoo_grid_fill);
}

static void cuckoo_grid_stats(const void *state, bp_stats *stats) {
    const cuckoo_grid *g = state;
    stats->cells = g->slot_count;
    stats->bytes = sizeof *g + g->records.bytes + g->numbering.bytes + g->found.bytes + g->buckets.bytes +
                   g->slots.bytes + g->bounds.bytes + g->partition.buffer.bytes;
    bp_uniform_grid_stats(&g->grid, stats);
}

// The tables of a bucket follow those of the one before; they hold as many cells as it has, and are not full.
static bool buckets_are_sound(const cuckoo_grid *g) {
    const slot *slots = g->slots.data;
    const bool prints = g->grid.has_footprints;
    size_t first_slot = 0, first_cell = 0;
    bool sound = true;
    for (size_t i = 0; sound && i < g->bucket_count; ++i) {
        const bucket *b = &buckets_of(g)[i];
        const size_t size = (size_t)b->table_size * TABLES;
        size_t held = 0;
        sound = b->first_slot == first_slot && b->first_cell == first_cell && size <= g->slot_count - first_slot &&
                b->hash <= HASHES_MAX;
        for (size_t k = first_slot; sound && k < first_slot + size; ++k) {
            held += slots[k].cell != EMPTY;
            sound = slots[k].cell == EMPTY || !prints || slots[k].begin < g->grid.occupied;
        }
        sound = sound && held == b->cell_count && held < size;
        first_slot += size;
        first_cell += held;
    }
    return sound && first_cell == g->grid.occupied;
}

static bp_status cuckoo_grid_validate(const void *state) {
    const cuckoo_grid *g = state;
    return bp_footprints_validate(&g->grid, bp_cuckoo_grid_ops.name, buckets_are_sound(g));
}

const bp_method_ops bp_cuckoo_grid_ops = {
    .name = "cuckoo-grid",
    .summary = "one uniform grid, its occupied cells in a cuckoo hash: O(n) in any domain",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_THREADS,
    .state_bytes = sizeof(cuckoo_grid),
    .init = cuckoo_grid_init,
    .free = cuckoo_grid_free,
    .build = cuckoo_grid_build,
    .find = bp_footprint_search_find,
    .find_between = bp_footprint_search_find_between,
    .stats = cuckoo_grid_stats,
    .validate = cuckoo_grid_validate,
};
