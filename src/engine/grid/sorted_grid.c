// hierarchical-grid: levels of grids, each for objects of a certain size. All boxes are sorted by cell into columns, again in every
// step (sorted_grid.h). The form of the work, whose cells are linked lists, is in literature/hierarchical_grid.
//
// Idea: an object is never larger than the cells of its level, so it can only overlap objects of its own cell or of a
// neighbouring one; between objects of different sizes, the smaller one searches the coarser level. Cells are folded by
// modulo into a block whose size follows the number of objects: space is unbounded, memory is not.
//
// Cost: O(n) to build, to update and to find, if cells hold a bounded number of objects. Loses where they do not: objects much
// thinner than long in all directions at once, sizes or places over many scales; and where few objects move.
//
// Source: F. Schornbaum, "Hierarchical Hash Grids for Coarse Collision Detection", 2009.
//
// Building the sorted grid: sorting the boxes by cell (base/bucket_sort.h).
//
//   1. keys    each box: its level and cell; each level: how many boxes it has, and how far they reach
//   2. sort    the ids by cell, bucket by bucket
//   3. fill    each bucket, as soon as its ids are in order: the boxes into the columns
//
// The boxes themselves are read where they are, once, in an order that is random if ids are random in space; they are
// prefetched. Carrying them along through the partition took longer at 10^5 boxes, as long at 10^6, and 24 bytes more
// per box. Blocks of boxes (1, 2) and buckets (2, 3) are the units of parallel work. The sort is stable, so the columns
// do not depend on how many blocks there were. Cost: O(n + cells). It loses when everything lies in one cell.
#include "engine/grid/sorted_grid.h"

#include "base/boxes.h"
#include "base/log.h"
#include "base/parallel.h"
#include "engine/method.h"

#include <string.h>

enum {
    BLOCK_MIN = 2048, // boxes that are worth a task
    PLAN_AGE = 8,     // builds for which the levels are kept
    USUAL_LEVELS = 16
};

// A box that the kernels find to fit no level keeps that key: it is scanned, and comes behind all cells.
_Static_assert(BP_KEY_ELSEWHERE == BP_SORT_KEY_LAST, "the same value");

// What a block of boxes contributes to a level.
typedef struct level_sums {
    float reach[3];
    size_t count;
} level_sums;

typedef struct build {
    bp_sorted_grid *grid;
    const bp_box *boxes;
    size_t count;
    level_sums *sums; // per block and level
} build;

static void free_grid(bp_sorted_grid *grid) {
    const bp_allocator *allocator = &grid->setup->runtime.allocator;
    bp_block_sinks_free(&grid->block_sinks, allocator);
    bp_bucket_sort_free(&grid->sort, allocator);
    bp_buffer *buffers[] = {&grid->levels.buffer, &grid->columns_buffer, &grid->table_buffer, &grid->sums_buffer};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i) {
        bp_buffer_free(buffers[i], allocator);
    }
}

// ---- 1. keys --------------------------------------------------------------------------------------------------------

// The keys of boxes that do not fit the finest level: on the first level that they fit, or none.
static void find_coarser_keys(const build *b, level_sums *sums, size_t begin, size_t count) {
    const bp_levels *levels = &b->grid->levels;
    const bp_method_setup *setup = b->grid->setup;
    uint32_t *keys = b->grid->sort.keys;
    for (size_t i = begin; i < begin + count; ++i) {
        if (keys[i] != BP_KEY_ELSEWHERE) {
            continue;
        }
        if (bp_box_is_hole(&b->boxes[i])) {
            keys[i] = BP_SORT_KEY_NONE;
        }
        for (size_t level = 1; level < levels->count && keys[i] == BP_KEY_ELSEWHERE; ++level) {
            sums[level].count += setup->kernels->cell_keys(bp_level_at(levels, level), setup->dimensions, &b->boxes[i],
                                                           1, &keys[i], sums[level].reach);
        }
    }
}

static void task_find_keys(void *context, size_t block) {
    const build *b = context;
    const bp_method_setup *setup = b->grid->setup;
    const bp_bucket_sort *sort = &b->grid->sort;
    level_sums *sums = b->sums + block * b->grid->levels.count;
    bp_bucket_sort_clear(sort, block);
    memset(sums, 0, b->grid->levels.count * sizeof *sums);
    const size_t end = bp_block_begin(sort->blocks, block + 1);
    for (size_t begin = bp_block_begin(sort->blocks, block); begin < end; begin += BP_CHUNK) {
        const size_t count = end - begin < BP_CHUNK ? end - begin : BP_CHUNK;
        uint32_t *keys = sort->keys + begin;
        size_t fitting = 0;
        if (b->grid->levels.count > 0) {
            fitting = setup->kernels->cell_keys(bp_level_at(&b->grid->levels, 0), setup->dimensions, b->boxes + begin,
                                                count, keys, sums[0].reach);
            sums[0].count += fitting;
        } else {
            memset(keys, 0xff, count * sizeof *keys); // BP_KEY_ELSEWHERE
        }
        if (fitting < count) {
            find_coarser_keys(b, sums, begin, count);
        }
        bp_bucket_sort_count(sort, block, begin, begin + count);
    }
}

static void join_level_sums(const build *b) {
    const size_t level_count = b->grid->levels.count;
    for (size_t i = 0; i < level_count; ++i) {
        bp_level *level = bp_level_at(&b->grid->levels, i);
        level->count = 0;
        memset(level->reach, 0, sizeof level->reach);
        for (size_t block = 0; block < b->grid->sort.blocks.count; ++block) {
            const level_sums *own = &b->sums[block * level_count + i];
            level->count += own->count;
            for (int axis = 0; axis < 3; ++axis) {
                level->reach[axis] = fmaxf(level->reach[axis], own->reach[axis]);
            }
        }
        for (int axis = 0; axis < 3; ++axis) {
            level->reach[axis] = nextafterf(level->reach[axis], INFINITY); // max - min may have been rounded down
        }
    }
}

// ---- 3. fill --------------------------------------------------------------------------------------------------------

static void fill_bucket(void *context, size_t bucket, size_t begin, size_t end) {
    const build *b = context;
    const bp_method_setup *setup = b->grid->setup;
    (void)bucket;
    bp_columns_fill(&b->grid->columns, setup->kernels, setup->dimensions, begin, end, b->boxes);
}

// ---- the whole build ------------------------------------------------------------------------------------------------

// Cells and levels vary from plan to plan. Memory is reserved for as many as there usually can be, so that a world with
// a steady number of objects allocates once.
static bool reserve_build(build *b) {
    bp_sorted_grid *grid = b->grid;
    const bp_allocator *allocator = &grid->setup->runtime.allocator;
    const bp_blocks blocks = bp_blocks_cut(&grid->setup->runtime.executor, b->count, BLOCK_MIN, SIZE_MAX);
    const size_t usual_cells = BP_CELLS_PER_OBJECT * b->count + (size_t)USUAL_LEVELS * 256;
    const size_t cells = grid->cell_count > usual_cells ? grid->cell_count : usual_cells;
    const size_t levels = grid->levels.count > USUAL_LEVELS ? grid->levels.count : USUAL_LEVELS;
    const size_t sums = blocks.count * levels;
    if (!bp_columns_reserve(&grid->columns, &grid->columns_buffer, allocator, b->count) ||
        !bp_buffer_reserve_slack(&grid->table_buffer, allocator, 0, bp_size_add(cells, 2), sizeof(uint32_t)) ||
        !bp_buffer_reserve_slack(&grid->sums_buffer, allocator, 0, sums, sizeof(level_sums)) ||
        !bp_bucket_sort_begin(&grid->sort, allocator, blocks, grid->cell_count)) {
        return false;
    }
    grid->sort.keys = grid->columns.id; // they lie where the ids will be
    grid->sort.ids = grid->columns.id;
    grid->sort.table = grid->table_buffer.data;
    b->sums = grid->sums_buffer.data;
    return true;
}

// Levels are kept for a few builds: a scene does not change its nature from one step to the next, and planning costs a
// tenth of a step at 10^4 boxes.
static bp_status plan_levels(bp_sorted_grid *grid, const bp_box *boxes, size_t count) {
    if (count < grid->setup->settings.brute_force_below) {
        grid->levels.count = 0; // all boxes are scanned
        grid->levels.cost = 0.0;
        grid->planned_count = 0;
        return BP_OK;
    }
    const size_t change = count > grid->planned_count ? count - grid->planned_count : grid->planned_count - count;
    if (grid->plan_age < PLAN_AGE && change <= grid->planned_count / 8) {
        ++grid->plan_age;
        return BP_OK;
    }
    const bp_status status = bp_levels_plan(&grid->levels, grid->setup, boxes, count);
    grid->planned_count = status == BP_OK ? count : 0;
    grid->plan_age = 0;
    return status;
}

// Plans the levels for boxes[0 .. count), unless the last plan is still good, and sorts these boxes into the grid, without holes.
// Below settings.brute_force_below all boxes are scanned.
static bp_status build_grid(bp_sorted_grid *grid, const bp_box *boxes, size_t count) {
    const bp_runtime *runtime = &grid->setup->runtime;
    const bp_status status = plan_levels(grid, boxes, count);
    build b = {.grid = grid, .boxes = boxes, .count = count};
    uint64_t cells = 0;
    if (status != BP_OK) {
        return status;
    }
    grid->grid_count = 0;
    grid->total_count = 0;
    for (size_t i = 0; i < grid->levels.count && cells <= BP_SORT_KEY_NONE; ++i) {
        bp_level *level = bp_level_at(&grid->levels, i);
        level->first_cell = (size_t)cells;
        cells += bp_level_cells(level);
    }
    grid->cell_count = (size_t)cells;
    if (cells > BP_SORT_KEY_NONE) {
        bp_log_write(&runtime->log, "hierarchical-grid: more than 2^32 cells; use a larger settings.grid_load");
        return BP_ERROR_MEMORY;
    }
    if (!reserve_build(&b)) {
        return BP_ERROR_MEMORY;
    }
    bp_parallel_for(&runtime->executor, grid->sort.blocks.count, task_find_keys, &b);
    join_level_sums(&b);
    bp_bucket_sort_run(&grid->sort, &runtime->executor, fill_bucket, &b);
    grid->grid_count = grid->sort.cell_items;
    grid->total_count = grid->sort.total_items;
    return BP_OK;
}

// ---- figures and checks ---------------------------------------------------------------------------------------------

static void describe_grid(const bp_sorted_grid *grid, bp_stats *stats) {
    stats->update = BP_UPDATE_REBUILD;
    stats->levels = 0;
    for (size_t i = 0; i < grid->levels.count; ++i) {
        stats->levels += bp_level_at(&grid->levels, i)->count > 0;
    }
    stats->cells = grid->cell_count;
    stats->occupied = grid->sort.occupied;
    stats->objects_per_cell_max = grid->sort.fullest;
    stats->objects_per_cell = grid->sort.occupied > 0 ? (double)grid->grid_count / (double)grid->sort.occupied : 0.0;
    stats->bytes = grid->levels.buffer.bytes + grid->columns_buffer.bytes + grid->table_buffer.bytes +
                   grid->sums_buffer.bytes + bp_bucket_sort_bytes(&grid->sort) +
                   bp_block_sinks_bytes(&grid->block_sinks);
}

// Whether the columns hold the box of the id at a position.
static bool holds_its_box(const bp_sorted_grid *grid, size_t position, const bp_box *boxes, size_t count) {
    const uint32_t id = grid->columns.id[position];
    return id < count && bp_columns_hold(&grid->columns, position, &boxes[id], grid->setup->dimensions);
}

// Whether the cells of levels follow each other, and the boxes of each belong there and are not longer than the level says.
static bool levels_are_sound(const bp_sorted_grid *grid, const bp_box *boxes, size_t count) {
    const uint32_t most = 32, *table = bp_sorted_grid_table(grid); // bits of a cell
    size_t cells = 0;
    bool sound = true;
    for (size_t i = 0; sound && i < grid->levels.count; ++i) {
        const bp_level *level = bp_level_at(&grid->levels, i);
        sound = level->first_cell == cells && level->bits[0] < most && level->bits[1] < most - level->bits[0] &&
                level->bits[2] < most - level->bits[0] - level->bits[1];
        cells += sound ? bp_level_cells(level) : 0;
        for (size_t cell = level->first_cell; sound && cell < cells; ++cell) {
            sound = table[cell] <= table[cell + 1] && table[cell + 1] <= grid->grid_count;
            for (size_t p = table[cell]; sound && p < table[cell + 1]; ++p) {
                uint32_t key = BP_KEY_ELSEWHERE;
                float reach[3] = {0.0f};
                if (holds_its_box(grid, p, boxes, count)) {
                    (void)grid->setup->kernels->cell_keys(level, grid->setup->dimensions, &boxes[grid->columns.id[p]],
                                                          1, &key, reach);
                }
                sound = key == cell && reach[0] <= level->reach[0] && reach[1] <= level->reach[1] &&
                        reach[2] <= level->reach[2];
            }
        }
    }
    return sound && cells == grid->cell_count;
}

static bp_status validate_grid(const bp_sorted_grid *grid, const bp_box *boxes, size_t count) {
    const uint32_t *table = bp_sorted_grid_table(grid);
    size_t alive = 0;
    for (size_t i = 0; i < count; ++i) {
        alive += !bp_box_is_hole(&boxes[i]);
    }
    bool sound = alive == grid->total_count && table[0] == 0 && table[grid->cell_count] == grid->grid_count &&
                 levels_are_sound(grid, boxes, count);
    for (size_t position = grid->grid_count; sound && position < grid->total_count; ++position) { // scanned boxes
        sound = holds_its_box(grid, position, boxes, count);
    }
    if (!sound) {
        bp_log_write(&grid->setup->runtime.log, "hierarchical-grid: the sorted form does not match the boxes");
        return BP_ERROR_INTERNAL;
    }
    return BP_OK;
}

// ---- the method -----------------------------------------------------------------------------------------------------

typedef struct hierarchical_grid {
    const bp_box *boxes;
    size_t count;
    bp_sorted_grid sorted, other; // the other set of find_between
} hierarchical_grid;

static void hierarchical_grid_init(void *state, const bp_method_setup *setup) {
    *(hierarchical_grid *)state = (hierarchical_grid){.sorted = {.setup = setup}, .other = {.setup = setup}};
}

static void hierarchical_grid_free(void *state) {
    hierarchical_grid *g = state;
    free_grid(&g->sorted);
    free_grid(&g->other);
}

static bp_status hierarchical_grid_build(void *state, const bp_box *boxes, size_t count) {
    hierarchical_grid *g = state;
    g->boxes = boxes;
    g->count = count;
    return build_grid(&g->sorted, boxes, count);
}

// Levels that were planned for earlier boxes may fit these no more: then the search takes too many tests, and they are planned anew.
static bp_status hierarchical_grid_find(void *state, bp_sink *sink) {
    hierarchical_grid *g = state;
    if (g->sorted.plan_age == 0 || sink->rules.budget != NULL) {
        return bp_sorted_grid_find(&g->sorted, sink);
    }
    bp_test_budget budget;
    bp_sink_begin_budget(sink, &budget, g->count);
    bp_status status = bp_sorted_grid_find(&g->sorted, sink);
    if (!bp_sink_end_budget(sink, &budget)) {
        g->sorted.plan_age = PLAN_AGE;
        status = build_grid(&g->sorted, g->boxes, g->count);
        status = status == BP_OK ? bp_sorted_grid_find(&g->sorted, sink) : status;
    }
    return status;
}

static bp_status hierarchical_grid_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    hierarchical_grid *g = state;
    const bp_status status = build_grid(&g->other, boxes, count);
    return status == BP_OK ? bp_sorted_grid_find_between(&g->other, &g->sorted, sink) : status;
}

static void hierarchical_grid_stats(const void *state, bp_stats *stats) {
    const hierarchical_grid *g = state;
    bp_stats other = {0};
    describe_grid(&g->sorted, stats);
    describe_grid(&g->other, &other);
    stats->update = BP_UPDATE_REBUILD;
    stats->bytes += sizeof *g + other.bytes;
}

static bp_status hierarchical_grid_validate(const void *state) {
    const hierarchical_grid *g = state;
    return validate_grid(&g->sorted, g->boxes, g->count);
}

const bp_method_ops bp_hierarchical_grid_ops = {
    .name = "hierarchical-grid",
    .summary = "levels of hashed grids by object size: O(n), any sizes, unbounded space",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_INCREMENTAL | BP_SUPPORTS_THREADS,
    .state_bytes = sizeof(hierarchical_grid),
    .init = hierarchical_grid_init,
    .free = hierarchical_grid_free,
    .build = hierarchical_grid_build,
    .find = hierarchical_grid_find,
    .find_between = hierarchical_grid_find_between,
    .stats = hierarchical_grid_stats,
    .validate = hierarchical_grid_validate,
};
