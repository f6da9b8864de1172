// Building the sorted grid: a counting sort in two steps, each of which stays in the cache.
//
//   1. keys       each box: level, cell, and how many boxes fall into each bucket of neighbouring cells
//   2. partition  (key, id) of each box to the end of its bucket     (a few hundred streams instead of random writes)
//   3. order      each bucket by itself: count its cells, place its ids, then fetch the boxes into the columns
//
// The boxes themselves are read where they are, once, in an order that is random if ids are random in space; they are
// prefetched. Carrying them along through the partition took longer at 10^5 boxes, as long at 10^6, and 24 bytes more
// per box. Blocks of boxes (1, 2) and buckets (3) are the units of parallel work. Both sorts are stable, so the columns
// do not depend on how many blocks there were. Cost: O(n + cells). It loses when everything lies in one cell.
#include "methods/hierarchical_grid/sorted_grid.h"

#include "base/boxes.h"
#include "base/log.h"
#include "base/parallel.h"

#include <string.h>

enum {
    BUCKET_OBJECTS = 1024, // aimed at: a bucket's records then fit the first-level cache
    BUCKETS_MAX = 4096,
    BLOCK_LEAST = 8192, // boxes that are worth a task
    PLAN_AGE = 8,       // builds for which the levels are kept
    USUAL_LEVELS = 16
};

// Keys of boxes that are in no cell: holes, and boxes that fit no level.
static const uint32_t KEY_HOLE = UINT32_MAX - 1, KEY_SCANNED = BP_KEY_ELSEWHERE;

// A box on its way to its cell.
typedef struct record {
    uint32_t key, id;
} record;

// The sort of ids by key: first into buckets of neighbouring keys, then each bucket by itself.
typedef struct bucket_sort {
    bp_blocks blocks;    // of boxes
    size_t bucket_count; // without one more at the end, for scanned boxes
    uint32_t shift;      // keys of a bucket differ only in so many bits
    uint32_t *keys;      // per box; they lie where the ids of the columns will be
    uint32_t *counters;  // per block and bucket: first counts, then positions
    uint32_t *starts;    // of the buckets
    record *records;
} bucket_sort;

// What a block of boxes contributes to a level.
typedef struct level_part {
    float reach[3];
    size_t count;
} level_part;

// The bounds of the min corners of some boxes.
typedef struct corner_bounds {
    float low[3], high[3];
} corner_bounds;

typedef struct bucket_stats {
    size_t occupied, fullest; // cells that hold boxes, boxes in the fullest cell
} bucket_stats;

// All three lie in one buffer.
_Static_assert(sizeof(bucket_stats) <= sizeof(level_part) && sizeof(corner_bounds) <= sizeof(level_part), "as large");

typedef struct build {
    bp_sorted_grid *grid;
    const bp_box *boxes;
    size_t count;
    bucket_sort sort;
    level_part *parts;      // per block and level
    bucket_stats *stats;    // per bucket
    corner_bounds *corners; // per bucket and level of which it has cells, at the sum of their indices: that is unique
} build;

void bp_sorted_grid_init(bp_sorted_grid *grid, const bp_method_setup *setup) {
    *grid = (bp_sorted_grid){.setup = setup};
}

void bp_sorted_grid_free(bp_sorted_grid *grid) {
    const bp_allocator *allocator = &grid->setup->runtime.allocator;
    bp_block_sinks_free(&grid->block_sinks, allocator);
    bp_buffer *buffers[] = {&grid->levels.buffer, &grid->columns_buffer,  &grid->records_buffer,
                            &grid->table_buffer,  &grid->counters_buffer, &grid->blocks_buffer};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i) {
        bp_buffer_free(buffers[i], allocator);
    }
}

// ---- 1. keys --------------------------------------------------------------------------------------------------------

// The keys of boxes that do not fit the finest level: on the first level that they fit, or none.
static void find_coarser_keys(const build *b, level_part *parts, size_t begin, size_t count) {
    const bp_levels *levels = &b->grid->levels;
    const bp_method_setup *setup = b->grid->setup;
    uint32_t *keys = b->sort.keys;
    for (size_t i = begin; i < begin + count; ++i) {
        if (keys[i] != BP_KEY_ELSEWHERE) {
            continue;
        }
        if (bp_box_is_hole(&b->boxes[i])) {
            keys[i] = KEY_HOLE;
        }
        for (size_t level = 1; level < levels->count && keys[i] == BP_KEY_ELSEWHERE; ++level) {
            parts[level].count += setup->kernels->cell_keys(bp_level_at(levels, level), setup->dimensions, &b->boxes[i],
                                                            1, &keys[i], parts[level].reach);
        }
    }
}

static void find_keys(const build *b, level_part *parts, size_t begin, size_t count) {
    const bp_method_setup *setup = b->grid->setup;
    uint32_t *keys = b->sort.keys + begin;
    size_t fitting = 0;
    if (b->grid->levels.count > 0) {
        fitting = setup->kernels->cell_keys(bp_level_at(&b->grid->levels, 0), setup->dimensions, b->boxes + begin,
                                            count, keys, parts[0].reach);
        parts[0].count += fitting;
    } else {
        memset(keys, 0xff, count * sizeof *keys); // BP_KEY_ELSEWHERE
    }
    if (fitting < count) {
        find_coarser_keys(b, parts, begin, count);
    }
}

static size_t bucket_of_key(const bucket_sort *s, uint32_t key) {
    return key == KEY_SCANNED ? s->bucket_count : (size_t)key >> s->shift;
}

static void count_keys(const bucket_sort *s, size_t begin, size_t end, uint32_t *counters) {
    for (size_t i = begin; i < end; ++i) {
        if (s->keys[i] != KEY_HOLE) {
            ++counters[bucket_of_key(s, s->keys[i])];
        }
    }
}

static void task_find_keys(void *context, size_t block) {
    const build *b = context;
    const bucket_sort *s = &b->sort;
    uint32_t *counters = s->counters + block * (s->bucket_count + 1);
    level_part *parts = b->parts + block * b->grid->levels.count;
    memset(counters, 0, (s->bucket_count + 1) * sizeof *counters);
    memset(parts, 0, b->grid->levels.count * sizeof *parts);
    const size_t end = bp_block_begin(s->blocks, block + 1);
    for (size_t begin = bp_block_begin(s->blocks, block); begin < end; begin += BP_CHUNK) {
        const size_t count = end - begin < BP_CHUNK ? end - begin : BP_CHUNK;
        find_keys(b, parts, begin, count);
        count_keys(s, begin, begin + count, counters);
    }
}

static void join_level_parts(const build *b) {
    const size_t level_count = b->grid->levels.count;
    for (size_t i = 0; i < level_count; ++i) {
        bp_level *level = bp_level_at(&b->grid->levels, i);
        level->count = 0;
        memset(level->reach, 0, sizeof level->reach);
        memset(level->slack, 0, sizeof level->slack);
        for (size_t block = 0; block < b->sort.blocks.count; ++block) {
            const level_part *part = &b->parts[block * level_count + i];
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

// ---- 2. partition ---------------------------------------------------------------------------------------------------

// Turns counts into positions: bucket by bucket, and inside a bucket block by block.
static void place_buckets_of_blocks(const bucket_sort *s) {
    const size_t stride = s->bucket_count + 1;
    uint32_t position = 0;
    for (size_t bucket = 0; bucket < stride; ++bucket) {
        s->starts[bucket] = position;
        for (size_t block = 0; block < s->blocks.count; ++block) {
            uint32_t *counter = &s->counters[block * stride + bucket];
            const uint32_t count = *counter;
            *counter = position;
            position += count;
        }
    }
    s->starts[stride] = position;
}

static void task_fill_buckets(void *context, size_t block) {
    const bucket_sort *s = context;
    uint32_t *positions = s->counters + block * (s->bucket_count + 1);
    record *records = s->records;
    const size_t end = bp_block_begin(s->blocks, block + 1);
    for (size_t i = bp_block_begin(s->blocks, block); i < end; ++i) {
        if (s->keys[i] != KEY_HOLE) {
            records[positions[bucket_of_key(s, s->keys[i])]++] = (record){.key = s->keys[i], .id = (uint32_t)i};
        }
    }
}

// ---- 3. order -------------------------------------------------------------------------------------------------------

// Counts the boxes of each cell of a bucket and leaves in ends[] where each cell begins.
static bucket_stats count_bucket_cells(const bucket_sort *s, size_t bucket, uint32_t *ends, size_t cells) {
    const uint32_t first_key = (uint32_t)(bucket << s->shift);
    memset(ends, 0, cells * sizeof *ends);
    for (uint32_t i = s->starts[bucket]; i < s->starts[bucket + 1]; ++i) {
        ++ends[s->records[i].key - first_key];
    }
    uint32_t position = s->starts[bucket];
    bucket_stats stats = {0};
    for (size_t cell = 0; cell < cells; ++cell) {
        const uint32_t count = ends[cell];
        stats.occupied += count > 0;
        stats.fullest = count > stats.fullest ? count : stats.fullest;
        ends[cell] = position;
        position += count;
    }
    return stats;
}

// Puts the ids of a bucket into the order of their cells.
static void order_bucket_ids(const build *b, size_t bucket) {
    const bucket_sort *s = &b->sort;
    const size_t first_cell = bucket << s->shift, width = (size_t)1 << s->shift;
    const size_t cells = b->grid->cell_count - first_cell < width ? b->grid->cell_count - first_cell : width;
    // One entry after the cell's own, so that in the end table[cell] is where it begins and table[cell + 1] where it
    // ends.
    uint32_t *ends = (uint32_t *)b->grid->table_buffer.data + first_cell + 1;
    b->stats[bucket] = count_bucket_cells(s, bucket, ends, cells);
    uint32_t *ids = b->grid->columns.id;
    for (uint32_t i = s->starts[bucket]; i < s->starts[bucket + 1]; ++i) {
        ids[ends[s->records[i].key - (uint32_t)first_cell]++] = s->records[i].id;
    }
}

// Scanned boxes stay in the order of their ids.
static void copy_scanned_ids(const build *b, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
        b->grid->columns.id[i] = b->sort.records[i].id;
    }
}

// The buckets that hold cells of a level: first .. last.
static size_t first_bucket_of(const build *b, const bp_level *level) {
    return level->first_cell >> b->sort.shift;
}

static size_t last_bucket_of(const build *b, const bp_level *level) {
    return (level->first_cell + bp_level_cells(level) - 1) >> b->sort.shift;
}

// The bounds of the corners at begin .. end-1.
static corner_bounds bound_corners(const bp_sorted_grid *grid, size_t begin, size_t end) {
    corner_bounds bounds;
    for (int axis = 0; axis < 3; ++axis) {
        bounds.low[axis] = INFINITY;
        bounds.high[axis] = -INFINITY;
        grid->setup->kernels->extend_bounds(grid->columns.min[axis] + begin, end - begin, &bounds.low[axis],
                                            &bounds.high[axis]);
    }
    return bounds;
}

// The bounds of the corners in a bucket, for each level that has cells there.
static void bound_bucket_corners(const build *b, size_t bucket) {
    const uint32_t *table = bp_sorted_grid_table(b->grid), *starts = b->sort.starts;
    for (size_t i = 0; i < b->grid->levels.count; ++i) {
        const bp_level *level = bp_level_at(&b->grid->levels, i);
        const size_t first = first_bucket_of(b, level), last = last_bucket_of(b, level);
        if (bucket >= first && bucket <= last) {
            // The table's entry for the first cell of a bucket belongs to the bucket before, which may not be ready.
            const bool begins_inside = level->first_cell > bucket << b->sort.shift;
            const size_t begin = begins_inside ? table[level->first_cell] : starts[bucket];
            const size_t end = bucket < last ? starts[bucket + 1] : table[level->first_cell + bp_level_cells(level)];
            b->corners[bucket + i] = bound_corners(b->grid, begin, end);
        }
    }
}

static void bound_level_corners(const build *b) {
    for (size_t i = 0; i < b->grid->levels.count; ++i) {
        bp_level *level = bp_level_at(&b->grid->levels, i);
        const size_t first = first_bucket_of(b, level), last = last_bucket_of(b, level);
        for (int axis = 0; axis < 3; ++axis) {
            level->low[axis] = INFINITY;
            level->high[axis] = -INFINITY;
            for (size_t bucket = first; bucket <= last; ++bucket) {
                const corner_bounds *bounds = &b->corners[bucket + i];
                level->low[axis] = fminf(level->low[axis], bounds->low[axis]);
                level->high[axis] = fmaxf(level->high[axis], bounds->high[axis]);
            }
        }
    }
}

static void task_order_bucket(void *context, size_t bucket) {
    const build *b = context;
    const bp_method_setup *setup = b->grid->setup;
    const bool scanned = bucket == b->sort.bucket_count;
    const size_t begin = b->sort.starts[bucket], end = b->sort.starts[bucket + 1];
    if (scanned) {
        copy_scanned_ids(b, begin, end);
    } else {
        order_bucket_ids(b, bucket);
    }
    bp_columns_fill(&b->grid->columns, setup->kernels, setup->dimensions, begin, end, b->boxes);
    if (!scanned) {
        bound_bucket_corners(b, bucket);
    }
}

// ---- the whole build ------------------------------------------------------------------------------------------------

// Gives each level its cells. False if there are too many.
static bool number_level_cells(bp_sorted_grid *grid) {
    grid->cell_count = 0;
    for (size_t i = 0; i < grid->levels.count; ++i) {
        bp_level *level = bp_level_at(&grid->levels, i);
        level->first_cell = grid->cell_count;
        grid->cell_count += bp_level_cells(level);
    }
    return grid->cell_count < KEY_SCANNED;
}

static size_t most_buckets(size_t count) {
    return count / BUCKET_OBJECTS + 1 < BUCKETS_MAX ? count / BUCKET_OBJECTS + 1 : BUCKETS_MAX;
}

static void cut_into_buckets(build *b) {
    bucket_sort *s = &b->sort;
    const size_t cell_count = b->grid->cell_count;
    s->shift = 0;
    while ((cell_count >> s->shift) >= most_buckets(b->count)) {
        ++s->shift;
    }
    s->bucket_count = cell_count == 0 ? 0 : ((cell_count - 1) >> s->shift) + 1;
    s->blocks = bp_blocks_cut(&b->grid->setup->runtime.executor, b->count, BLOCK_LEAST, SIZE_MAX);
}

// Cells, buckets and levels vary from plan to plan. Memory is reserved for as many as there usually can be, so that a
// world with a steady number of objects allocates once.
static bool reserve_build(build *b) {
    bp_sorted_grid *grid = b->grid;
    bucket_sort *s = &b->sort;
    const bp_allocator *allocator = &grid->setup->runtime.allocator;
    const size_t usual_cells = BP_CELLS_PER_OBJECT * b->count + (size_t)USUAL_LEVELS * 256;
    const size_t cells = grid->cell_count > usual_cells ? grid->cell_count : usual_cells;
    const size_t levels = grid->levels.count > USUAL_LEVELS ? grid->levels.count : USUAL_LEVELS;
    const size_t buckets = most_buckets(b->count) + 3, parts = s->blocks.count * levels, corners = buckets + levels;
    if (!bp_columns_reserve(&grid->columns, &grid->columns_buffer, allocator, b->count) ||
        !bp_buffer_reserve_slack(&grid->records_buffer, allocator, 0, b->count + 1, sizeof(record)) ||
        !bp_buffer_reserve_slack(&grid->table_buffer, allocator, 0, cells + 2, sizeof(uint32_t)) ||
        !bp_buffer_reserve_slack(&grid->counters_buffer, allocator, 0, bp_size_multiply(s->blocks.count + 1, buckets),
                                 sizeof(uint32_t)) ||
        !bp_buffer_reserve_slack(&grid->blocks_buffer, allocator, 0, parts + buckets + corners, sizeof(level_part))) {
        return false;
    }
    s->keys = grid->columns.id;
    s->starts = grid->counters_buffer.data;
    s->counters = s->starts + buckets;
    s->records = grid->records_buffer.data;
    b->parts = grid->blocks_buffer.data;
    b->stats = (bucket_stats *)(void *)(b->parts + parts);
    b->corners = (corner_bounds *)(void *)(b->parts + parts + buckets);
    return true;
}

// Levels are kept for a few builds: a scene does not change its nature from one step to the next, and planning costs a
// tenth of a step at 10^4 boxes.
static bool plan_is_good(const bp_sorted_grid *grid, size_t count) {
    const size_t change = count > grid->planned_count ? count - grid->planned_count : grid->planned_count - count;
    return grid->plan_age < PLAN_AGE && change <= grid->planned_count / 8;
}

static bp_status plan_levels(bp_sorted_grid *grid, const bp_box *boxes, size_t count) {
    if (count < grid->setup->settings.brute_force_below) {
        grid->levels.count = 0; // all boxes are scanned
        grid->planned_count = 0;
        return BP_OK;
    }
    if (plan_is_good(grid, count)) {
        ++grid->plan_age;
        return BP_OK;
    }
    const bp_status status = bp_levels_plan(&grid->levels, grid->setup, boxes, count);
    grid->planned_count = status == BP_OK ? count : 0;
    grid->plan_age = 0;
    return status;
}

static void sort_boxes(build *b) {
    bp_sorted_grid *grid = b->grid;
    const bp_executor *executor = &grid->setup->runtime.executor;
    bp_parallel_for(executor, b->sort.blocks.count, task_find_keys, b);
    join_level_parts(b);
    place_buckets_of_blocks(&b->sort);
    grid->grid_count = b->sort.starts[b->sort.bucket_count];
    grid->total_count = b->sort.starts[b->sort.bucket_count + 1];
    bp_parallel_for(executor, b->sort.blocks.count, task_fill_buckets, &b->sort);
    ((uint32_t *)grid->table_buffer.data)[0] = 0;
    bp_parallel_for(executor, b->sort.bucket_count + 1, task_order_bucket, b);
    bound_level_corners(b);
}

static void join_bucket_stats(const build *b) {
    bp_sorted_grid *grid = b->grid;
    grid->occupied = 0;
    grid->fullest = 0;
    for (size_t bucket = 0; bucket < b->sort.bucket_count; ++bucket) {
        const bucket_stats *stats = &b->stats[bucket];
        grid->occupied += stats->occupied;
        grid->fullest = stats->fullest > grid->fullest ? stats->fullest : grid->fullest;
    }
}

bp_status bp_sorted_grid_build(bp_sorted_grid *grid, const bp_box *boxes, size_t count) {
    grid->grid_count = 0;
    grid->total_count = 0;
    const bp_status status = plan_levels(grid, boxes, count);
    if (status != BP_OK) {
        return status;
    }
    if (!number_level_cells(grid)) {
        bp_log_write(&grid->setup->runtime.log,
                     "hierarchical-grid: more than 2^32 cells; use a larger settings.grid_load");
        return BP_ERROR_MEMORY;
    }
    build b = {.grid = grid, .boxes = boxes, .count = count};
    cut_into_buckets(&b);
    if (!reserve_build(&b)) {
        return BP_ERROR_MEMORY;
    }
    sort_boxes(&b);
    join_bucket_stats(&b);
    return BP_OK;
}

// ---- figures and checks ---------------------------------------------------------------------------------------------

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
                   bp_block_sinks_bytes(&grid->block_sinks);
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

// Whether the columns hold the box of the id at a position.
static bool holds_its_box(const bp_sorted_grid *grid, size_t position, const bp_box *boxes, size_t count) {
    const uint32_t id = grid->columns.id[position];
    return id < count && bp_columns_hold(&grid->columns, position, &boxes[id], grid->setup->dimensions);
}

// Whether the boxes of a cell belong there and are not longer than the level says.
static bool sorted_cell_is_sound(const bp_sorted_grid *grid, const bp_level *level, size_t cell, const bp_box *boxes,
                                 size_t count) {
    const uint32_t *table = bp_sorted_grid_table(grid);
    bool sound = table[cell] <= table[cell + 1] && table[cell + 1] <= grid->grid_count;
    for (size_t p = table[cell]; sound && p < table[cell + 1]; ++p) {
        uint32_t key = BP_KEY_ELSEWHERE;
        float reach[3] = {0.0f};
        if (holds_its_box(grid, p, boxes, count)) {
            (void)grid->setup->kernels->cell_keys(level, grid->setup->dimensions, &boxes[grid->columns.id[p]], 1, &key,
                                                  reach);
        }
        sound =
            key == cell && reach[0] <= level->reach[0] && reach[1] <= level->reach[1] && reach[2] <= level->reach[2];
    }
    return sound;
}

static bool sorted_cells_are_sound(const bp_sorted_grid *grid, const bp_box *boxes, size_t count) {
    bool sound = true;
    for (size_t i = 0; i < grid->levels.count; ++i) {
        const bp_level *level = bp_level_at(&grid->levels, i);
        for (size_t cell = 0; sound && cell < bp_level_cells(level); ++cell) {
            sound = sorted_cell_is_sound(grid, level, level->first_cell + cell, boxes, count);
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
                 bp_sorted_grid_levels_are_sound(grid) && sorted_cells_are_sound(grid, boxes, count);
    for (size_t position = grid->grid_count; sound && position < grid->total_count; ++position) { // scanned boxes
        sound = holds_its_box(grid, position, boxes, count);
    }
    if (!sound) {
        bp_log_write(&grid->setup->runtime.log,
                     "hierarchical-grid: the sorted form does not hold the boxes it was given");
        return BP_ERROR_INTERNAL;
    }
    return BP_OK;
}
