// Building the sorted grid: a counting sort in two steps, each of which stays in the cache.
//
//   1. keys       each box: level, cell, and how many boxes fall into each bucket of neighbouring cells
//   2. partition  (key, id) of each box to the end of its bucket     (a few hundred streams instead of random writes)
//   3. order      each bucket by itself: count its cells, place its ids, then fetch the boxes into the columns
//
// The boxes themselves are read where they are, once, in an order that is random if ids are random in space; they are
// asked for ahead of time. Carrying them along through the partition took longer at 10^5 boxes, as long at 10^6, and 24
// bytes more per box. Blocks of boxes (1, 2) and buckets (3) are the units of parallel work. Both sorts are stable, so the columns
// do not depend on how many blocks there were. Cost: O(n + cells). It loses when everything lies in one cell.
#include "methods/hierarchical_grid/sorted_grid.h"

#include "api/config.h"
#include "base/boxes.h"
#include "base/parallel.h"

#include <assert.h>
#include <string.h>

enum {
    BUCKET_OBJECTS = 1024, // aimed at: a bucket's records then fit the first-level cache
    BUCKETS_MAX = 4096,
    BLOCK_LEAST = 8192, // boxes that are worth a task
    PLAN_AGE = 8,       // builds for which the levels are kept
    USUAL_LEVELS = 16
};

static const uint32_t KEY_HOLE = UINT32_MAX - 1, KEY_SCAN = UINT32_MAX;

// A box on its way to its cell.
typedef struct record {
    uint32_t key, id;
} record;

// What a block of boxes finds out about its part of a level.
typedef struct level_part {
    float reach[3];
    size_t count;
} level_part;

// The bounds of the min corners of some boxes.
typedef struct corner_part {
    float low[3], high[3];
} corner_part;

typedef struct build {
    bp_sorted_grid *grid;
    const bp_box *boxes;
    size_t count;
    size_t block_count, bucket_count;
    uint32_t bucket_shift;
    uint32_t *keys;       // per box; lies where the ids of the columns will be
    uint32_t *counters;   // per block and bucket (the last is for the scanned); first counts, then positions
    level_part *parts;    // per block and level
    uint32_t *starts;     // of the buckets
    size_t *bucket_stats; // per bucket: occupied cells, fullest cell
    corner_part *corners; // per bucket and level that share a box: at the sum of their numbers, which is no other's
} build;

void bp_sorted_grid_init(bp_sorted_grid *grid, const bp_config *config) {
    *grid = (bp_sorted_grid){.config = config, .kernels = bp_kernels_get(config->simd)};
}

void bp_sorted_grid_free(bp_sorted_grid *grid) {
    const bp_allocator *allocator = &grid->config->allocator;
    bp_sweep_pool_free(&grid->pool, allocator);
    bp_buffer *buffers[] = {&grid->levels.buffer, &grid->columns_buffer,  &grid->records_buffer,
                            &grid->table_buffer,  &grid->counters_buffer, &grid->blocks_buffer};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i) {
        bp_buffer_free(buffers[i], allocator);
    }
}

// ---- 1. keys --------------------------------------------------------------------------------------------------------

static size_t block_begin(const build *b, size_t block) {
    return (size_t)((unsigned long long)b->count * block / b->block_count);
}

// Boxes that do not fit the finest level: the first that they fit, or none.
static void keys_elsewhere(const build *b, level_part *parts, size_t begin, size_t count) {
    const bp_levels *levels = &b->grid->levels;
    for (size_t i = begin; i < begin + count; ++i) {
        if (b->keys[i] != BP_KEY_ELSEWHERE) {
            continue;
        }
        if (bp_box_is_hole(&b->boxes[i])) {
            b->keys[i] = KEY_HOLE;
        }
        for (size_t level = 1; level < levels->count && b->keys[i] == BP_KEY_ELSEWHERE; ++level) {
            parts[level].count += b->grid->kernels->keys(bp_level_at(levels, level), b->grid->config->dimensions,
                                                         &b->boxes[i], 1, &b->keys[i], parts[level].reach);
        }
    }
}

static void keys_of_boxes(const build *b, level_part *parts, size_t begin, size_t count) {
    size_t fitting = 0;
    if (b->grid->levels.count > 0) {
        fitting = b->grid->kernels->keys(bp_level_at(&b->grid->levels, 0), b->grid->config->dimensions,
                                         b->boxes + begin, count, b->keys + begin, parts[0].reach);
        parts[0].count += fitting;
    } else {
        memset(b->keys + begin, 0xff, count * sizeof *b->keys); // BP_KEY_ELSEWHERE
    }
    if (fitting < count) {
        keys_elsewhere(b, parts, begin, count);
    }
}

static size_t bucket_of(const build *b, uint32_t key) {
    return key == KEY_SCAN ? b->bucket_count : (size_t)key >> b->bucket_shift;
}

static void task_keys(void *context, size_t block) {
    const build *b = context;
    uint32_t *counters = b->counters + block * (b->bucket_count + 1);
    level_part *parts = b->parts + block * b->grid->levels.count;
    memset(counters, 0, (b->bucket_count + 1) * sizeof *counters);
    memset(parts, 0, b->grid->levels.count * sizeof *parts);
    const size_t end = block_begin(b, block + 1);
    for (size_t begin = block_begin(b, block); begin < end; begin += BP_CHUNK) {
        const size_t count = end - begin < BP_CHUNK ? end - begin : BP_CHUNK;
        keys_of_boxes(b, parts, begin, count);
        for (size_t i = begin; i < begin + count; ++i) {
            if (b->keys[i] != KEY_HOLE) {
                ++counters[bucket_of(b, b->keys[i])];
            }
        }
    }
}

// ---- 2. partition ---------------------------------------------------------------------------------------------------

// Turns counts into positions: bucket by bucket, and inside a bucket block by block.
static void place_buckets(build *b) {
    const size_t stride = b->bucket_count + 1;
    uint32_t position = 0;
    for (size_t bucket = 0; bucket < stride; ++bucket) {
        b->starts[bucket] = position;
        for (size_t block = 0; block < b->block_count; ++block) {
            uint32_t *counter = &b->counters[block * stride + bucket];
            const uint32_t count = *counter;
            *counter = position;
            position += count;
        }
    }
    b->starts[stride] = position;
    b->grid->grid_count = b->starts[b->bucket_count];
    b->grid->total_count = position;
}

static void join_level_parts(build *b) {
    for (size_t i = 0; i < b->grid->levels.count; ++i) {
        bp_level *level = bp_level_at(&b->grid->levels, i);
        level->count = 0;
        memset(level->reach, 0, sizeof level->reach);
        memset(level->slack, 0, sizeof level->slack);
        for (size_t block = 0; block < b->block_count; ++block) {
            const level_part *part = &b->parts[block * b->grid->levels.count + i];
            level->count += part->count;
            for (int axis = 0; axis < 3; ++axis) {
                level->reach[axis] = fmaxf(level->reach[axis], part->reach[axis]);
            }
        }
        for (int axis = 0; axis < 3; ++axis) {
            level->reach[axis] = nextafterf(level->reach[axis], INFINITY); // max - min may have been rounded down
        }
    }
}

static void task_partition(void *context, size_t block) {
    const build *b = context;
    uint32_t *positions = b->counters + block * (b->bucket_count + 1);
    record *records = b->grid->records_buffer.data;
    for (size_t i = block_begin(b, block); i < block_begin(b, block + 1); ++i) {
        if (b->keys[i] != KEY_HOLE) {
            records[positions[bucket_of(b, b->keys[i])]++] = (record){.key = b->keys[i], .id = (uint32_t)i};
        }
    }
}

// ---- 3. order -------------------------------------------------------------------------------------------------------

// Counts the boxes of each cell of a bucket and leaves in ends[] where each cell begins.
static void count_cells(const build *b, size_t bucket, uint32_t *ends, size_t cells) {
    const record *records = b->grid->records_buffer.data;
    const uint32_t first_key = (uint32_t)(bucket << b->bucket_shift);
    memset(ends, 0, cells * sizeof *ends);
    for (uint32_t i = b->starts[bucket]; i < b->starts[bucket + 1]; ++i) {
        ++ends[records[i].key - first_key];
    }
    uint32_t position = b->starts[bucket];
    size_t occupied = 0, fullest = 0;
    for (size_t cell = 0; cell < cells; ++cell) {
        const uint32_t count = ends[cell];
        occupied += count > 0;
        fullest = count > fullest ? count : fullest;
        ends[cell] = position;
        position += count;
    }
    b->bucket_stats[2 * bucket] = occupied;
    b->bucket_stats[2 * bucket + 1] = fullest;
}

// Puts the ids of a bucket into the order of their cells.
static void order_ids(const build *b, size_t bucket) {
    const record *records = b->grid->records_buffer.data;
    const size_t first_cell = bucket << b->bucket_shift, width = (size_t)1 << b->bucket_shift;
    const size_t cells = b->grid->cell_count - first_cell < width ? b->grid->cell_count - first_cell : width;
    // One further than the cell, so that after the placing table[cell] is where it begins and table[cell + 1] where it
    // ends.
    uint32_t *ends = (uint32_t *)b->grid->table_buffer.data + first_cell + 1;
    count_cells(b, bucket, ends, cells);
    for (uint32_t i = b->starts[bucket]; i < b->starts[bucket + 1]; ++i) {
        b->grid->columns.id[ends[records[i].key - (uint32_t)first_cell]++] = records[i].id;
    }
}

// The buffer of the parts is for all of them.
_Static_assert(2 * sizeof(size_t) <= sizeof(level_part) && sizeof(corner_part) <= sizeof(level_part), "as large");

// The buckets that hold cells of a level: first .. last.
static size_t first_bucket(const build *b, const bp_level *level) {
    return level->first_cell >> b->bucket_shift;
}

static size_t last_bucket(const build *b, const bp_level *level) {
    return (level->first_cell + bp_level_cells(level) - 1) >> b->bucket_shift;
}

// The bounds of the corners in a bucket, for each level that has cells there.
static void note_corners(const build *b, size_t bucket) {
    const uint32_t *table = bp_sorted_grid_table(b->grid);
    for (size_t i = 0; i < b->grid->levels.count; ++i) {
        const bp_level *level = bp_level_at(&b->grid->levels, i);
        if (bucket < first_bucket(b, level) || bucket > last_bucket(b, level)) {
            continue;
        }
        // The table's entry for the first cell of a bucket belongs to the bucket before, which may not be ready.
        const size_t begin =
            level->first_cell > bucket << b->bucket_shift ? table[level->first_cell] : b->starts[bucket];
        const size_t end =
            bucket < last_bucket(b, level) ? b->starts[bucket + 1] : table[level->first_cell + bp_level_cells(level)];
        corner_part *part = &b->corners[bucket + i];
        for (int axis = 0; axis < 3; ++axis) {
            part->low[axis] = INFINITY;
            part->high[axis] = -INFINITY;
            b->grid->kernels->widen(b->grid->columns.min[axis] + begin, end - begin, &part->low[axis],
                                    &part->high[axis]);
        }
    }
}

static void join_corners(const build *b) {
    for (size_t i = 0; i < b->grid->levels.count; ++i) {
        bp_level *level = bp_level_at(&b->grid->levels, i);
        for (int axis = 0; axis < 3; ++axis) {
            level->low[axis] = INFINITY;
            level->high[axis] = -INFINITY;
            for (size_t bucket = first_bucket(b, level); bucket <= last_bucket(b, level); ++bucket) {
                const corner_part *part = &b->corners[bucket + i];
                level->low[axis] = fminf(level->low[axis], part->low[axis]);
                level->high[axis] = fmaxf(level->high[axis], part->high[axis]);
            }
        }
    }
}

static void task_order(void *context, size_t bucket) {
    const build *b = context;
    const bp_columns *columns = &b->grid->columns;
    const record *records = b->grid->records_buffer.data;
    const size_t begin = b->starts[bucket], end = b->starts[bucket + 1];
    if (bucket < b->bucket_count) {
        order_ids(b, bucket);
    } else { // the scanned, in the order of their ids
        for (size_t i = begin; i < end; ++i) {
            columns->id[i] = records[i].id;
        }
    }
    bp_columns_fill(columns, b->grid->config, begin, end, b->boxes);
    if (bucket < b->bucket_count) {
        note_corners(b, bucket);
    }
}

// ---- the whole build ------------------------------------------------------------------------------------------------

static bool number_cells(bp_sorted_grid *grid) {
    grid->cell_count = 0;
    for (size_t i = 0; i < grid->levels.count; ++i) {
        bp_level *level = bp_level_at(&grid->levels, i);
        level->first_cell = grid->cell_count;
        grid->cell_count += bp_level_cells(level);
    }
    return grid->cell_count < KEY_SCAN;
}

static size_t most_buckets(size_t count) {
    return count / BUCKET_OBJECTS + 1 < BUCKETS_MAX ? count / BUCKET_OBJECTS + 1 : BUCKETS_MAX;
}

static void choose_buckets(build *b) {
    b->bucket_shift = 0;
    while ((b->grid->cell_count >> b->bucket_shift) >= most_buckets(b->count)) {
        ++b->bucket_shift;
    }
    b->bucket_count = b->grid->cell_count == 0 ? 0 : ((b->grid->cell_count - 1) >> b->bucket_shift) + 1;
    b->block_count = bp_parallel_blocks(&b->grid->config->executor, b->count, BLOCK_LEAST);
}

// Cells, buckets and levels vary from plan to plan: memory is for as many as there usually can be, so that a world with
// a steady number of objects allocates once.
static bool reserve_scratch(build *b) {
    bp_sorted_grid *grid = b->grid;
    const bp_allocator *allocator = &grid->config->allocator;
    const size_t usual_cells = BP_CELLS_PER_OBJECT * b->count + (size_t)USUAL_LEVELS * 256;
    const size_t cells = grid->cell_count > usual_cells ? grid->cell_count : usual_cells;
    const size_t levels = grid->levels.count > USUAL_LEVELS ? grid->levels.count : USUAL_LEVELS;
    const size_t buckets = most_buckets(b->count) + 3, parts = b->block_count * levels, corners = buckets + levels;
    if (!bp_columns_reserve(&grid->columns, &grid->columns_buffer, allocator, b->count) ||
        !bp_buffer_reserve_slack(&grid->records_buffer, allocator, 0, b->count + 1, sizeof(record)) ||
        !bp_buffer_reserve_slack(&grid->table_buffer, allocator, 0, cells + 2, sizeof(uint32_t)) ||
        !bp_buffer_reserve_slack(&grid->counters_buffer, allocator, 0, bp_size_multiply(b->block_count + 1, buckets),
                                 sizeof(uint32_t)) ||
        !bp_buffer_reserve_slack(&grid->blocks_buffer, allocator, 0, parts + buckets + corners, sizeof(level_part))) {
        return false;
    }
    b->keys = grid->columns.id;
    b->starts = grid->counters_buffer.data;
    b->counters = b->starts + buckets;
    b->parts = grid->blocks_buffer.data;
    b->bucket_stats = (size_t *)(void *)(b->parts + parts);
    b->corners = (corner_part *)(void *)(b->parts + parts + buckets);
    return true;
}

// Levels are kept for a few builds: a scene does not change its nature from one step to the next, and planning costs a
// tenth of a step at 10^4 boxes.
static bool plan_is_good(const bp_sorted_grid *grid, size_t count) {
    const size_t change = count > grid->planned_count ? count - grid->planned_count : grid->planned_count - count;
    return grid->plan_age < PLAN_AGE && change <= grid->planned_count / 8;
}

static bp_status plan(bp_sorted_grid *grid, const bp_box *boxes, size_t count) {
    if (count < grid->config->brute_force_below) {
        grid->levels.count = 0; // all are scanned
        grid->planned_count = 0;
        return BP_OK;
    }
    if (plan_is_good(grid, count)) {
        ++grid->plan_age;
        return BP_OK;
    }
    const bp_status status = bp_levels_plan(&grid->levels, grid->config, boxes, count);
    grid->planned_count = status == BP_OK ? count : 0;
    grid->plan_age = 0;
    return status;
}

bp_status bp_sorted_grid_build(bp_sorted_grid *grid, const bp_box *boxes, size_t count) {
    grid->grid_count = 0;
    grid->total_count = 0;
    const bp_status status = plan(grid, boxes, count);
    if (status != BP_OK) {
        return status;
    }
    build b = {.grid = grid, .boxes = boxes, .count = count};
    if (!number_cells(grid)) {
        bp_log_write(grid->config, "hierarchical-grid: more than 2^32 cells; use a larger config.grid_load");
        return BP_ERROR_MEMORY;
    }
    choose_buckets(&b);
    if (!reserve_scratch(&b)) {
        return BP_ERROR_MEMORY;
    }
    const bp_executor *executor = &grid->config->executor;
    bp_parallel_for(executor, b.block_count, task_keys, &b);
    place_buckets(&b);
    join_level_parts(&b);
    bp_parallel_for(executor, b.block_count, task_partition, &b);
    ((uint32_t *)grid->table_buffer.data)[0] = 0;
    bp_parallel_for(executor, b.bucket_count + 1, task_order, &b);
    join_corners(&b);
    grid->occupied = 0;
    grid->fullest = 0;
    for (size_t bucket = 0; bucket < b.bucket_count; ++bucket) {
        grid->occupied += b.bucket_stats[2 * bucket];
        grid->fullest = b.bucket_stats[2 * bucket + 1] > grid->fullest ? b.bucket_stats[2 * bucket + 1] : grid->fullest;
    }
    return BP_OK;
}

void bp_sorted_grid_stats(const bp_sorted_grid *grid, bp_stats *stats) {
    stats->update = BP_UPDATE_REBUILD;
    stats->levels = 0;
    for (size_t i = 0; i < grid->levels.count; ++i) {
        stats->levels += bp_level_at(&grid->levels, i)->count > 0;
    }
    stats->cells = grid->cell_count;
    stats->occupied = grid->occupied;
    stats->objects_per_cell_max = grid->fullest;
    stats->objects_per_cell = grid->occupied > 0 ? (double)grid->grid_count / (double)grid->occupied : 0.0;
    stats->bytes = grid->levels.buffer.bytes + grid->columns_buffer.bytes + grid->records_buffer.bytes +
                   grid->table_buffer.bytes + grid->counters_buffer.bytes + grid->blocks_buffer.bytes +
                   bp_sweep_pool_bytes(&grid->pool);
}

bool bp_sorted_grid_levels_are_sound(const bp_sorted_grid *grid) {
    const uint32_t most = 32; // bits of a cell
    size_t cells = 0;
    bool sound = true;
    for (size_t i = 0; sound && i < grid->levels.count; ++i) {
        const bp_level *level = bp_level_at(&grid->levels, i);
        sound = level->first_cell == cells && level->bits[0] < most && level->bits[1] < most - level->bits[0] &&
                level->bits[2] < most - level->bits[0] - level->bits[1];
        cells += sound ? bp_level_cells(level) : 0;
    }
    return sound && cells == grid->cell_count;
}

static bool holds(const bp_sorted_grid *grid, size_t position, const bp_box *boxes, size_t count) {
    const uint32_t id = grid->columns.id[position];
    return id < count && bp_columns_hold(&grid->columns, position, &boxes[id], grid->config->dimensions);
}

// The boxes of a cell belong there, and are no longer than the level says.
static bool cell_is_sound(const bp_sorted_grid *grid, const bp_level *level, size_t cell, const bp_box *boxes,
                          size_t count) {
    const uint32_t *table = bp_sorted_grid_table(grid);
    bool sound = table[cell] <= table[cell + 1] && table[cell + 1] <= grid->grid_count;
    for (size_t p = table[cell]; sound && p < table[cell + 1]; ++p) {
        uint32_t key = BP_KEY_ELSEWHERE;
        float reach[3] = {0.0f};
        if (holds(grid, p, boxes, count)) {
            (void)grid->kernels->keys(level, grid->config->dimensions, &boxes[grid->columns.id[p]], 1, &key, reach);
        }
        sound =
            key == cell && reach[0] <= level->reach[0] && reach[1] <= level->reach[1] && reach[2] <= level->reach[2];
    }
    return sound;
}

static bool cells_are_sound(const bp_sorted_grid *grid, const bp_box *boxes, size_t count) {
    bool sound = true;
    for (size_t i = 0; i < grid->levels.count; ++i) {
        const bp_level *level = bp_level_at(&grid->levels, i);
        for (size_t cell = 0; sound && cell < bp_level_cells(level); ++cell) {
            sound = cell_is_sound(grid, level, level->first_cell + cell, boxes, count);
        }
    }
    return sound;
}

bp_status bp_sorted_grid_validate(const bp_sorted_grid *grid, const bp_box *boxes, size_t count) {
    const uint32_t *table = bp_sorted_grid_table(grid);
    size_t alive = 0;
    for (size_t i = 0; i < count; ++i) {
        alive += !bp_box_is_hole(&boxes[i]);
    }
    bool sound = alive == grid->total_count && table[0] == 0 && table[grid->cell_count] == grid->grid_count &&
                 bp_sorted_grid_levels_are_sound(grid) && cells_are_sound(grid, boxes, count);
    for (size_t position = grid->grid_count; sound && position < grid->total_count; ++position) { // the scanned
        sound = holds(grid, position, boxes, count);
    }
    if (!sound) {
        bp_log_write(grid->config, "hierarchical-grid: the sorted form does not hold the boxes it was given");
        return BP_ERROR_INTERNAL;
    }
    return BP_OK;
}
