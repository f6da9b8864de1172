// Searching strips; see strips.h.
//
//   1. survey   bounds, mean and longest edges -> widths of strips, lengths of cells
//   2. entries  each box: one, two or four keys (strip, cell)
//   3. sort     the entries by key, in one pass of counting
//   4. fill     the boxes of the entries into columns
//   5. search   each entry against those that follow it
#include "methods/hierarchical_grid/strips.h"

#include "base/boxes.h"
#include "base/log.h"
#include "base/parallel.h"

#include <assert.h>
#include <string.h>

enum {
    CELLS_MOST = 1024,   // along an axis: up to there cells of floats are exact to a thousandth
    KEYS_PER_BOX = 4,    // at most
    ENTRIES_PER_BOX = 3, // at most, on average; uniform boxes have 1.65
    CHUNK = 256,         // boxes whose entries are made together
    TESTS_PER_BOX = 128, // at most
    HOLES_SHARE = 8,     // one box in this many may be a hole
    FILL_LEAST = 4096,   // entries that are worth a task
    UNIT = 1024          // entries in a unit of work
};

// In mean edges. Wider strips mean fewer entries, but more tests for each; from 3 to 4 the time is about the same.
static const double STRIP_WIDTH = 3.5, CELL_LENGTH = 0.4;

static const double ROUNDING = 1.001;  // more than that of CELLS_MOST cells: so no box touches three strips
static const double ALIKE = 3.0;       // the longest edge along an axis, in mean ones
static const double STEPS_MOST = 20.0; // for a box; the sorted grid plans for long ones

void bp_strip_grid_init(bp_strip_grid *grid, const bp_method_setup *setup) {
    *grid = (bp_strip_grid){.setup = setup};
}

void bp_strip_grid_free(bp_strip_grid *grid) {
    const bp_allocator *allocator = &grid->setup->runtime.allocator;
    bp_buffer_free(&grid->buffer, allocator);
    bp_block_sinks_free(&grid->block_sinks, allocator);
}

// ---- 1. survey ------------------------------------------------------------------------------------------------------

typedef struct survey {
    double number;              // of boxes, without holes
    double extent[3];           // of the space that they occupy
    double mean[3], longest[3]; // edges
    float low[3];
} survey;

static void clear_lanes(bp_survey_lanes *lanes) {
    for (int k = 0; k < BP_SURVEY_LANES; ++k) {
        lanes->low[k] = INFINITY;
        lanes->high[k] = -INFINITY;
        lanes->sum[k] = 0.0f;
        lanes->longest[k] = 0.0f;
        lanes->number[k] = 0;
    }
}

static void survey_axis(survey *s, const bp_survey_lanes *lanes, int axis) {
    float low = INFINITY, high = -INFINITY, longest = 0.0f;
    double sum = 0.0;
    for (int k = axis; k < BP_SURVEY_LANES; k += 6) {
        low = bp_smaller(low, lanes->low[k]);
        high = bp_larger(high, lanes->high[k + 3]);
        longest = bp_larger(longest, lanes->longest[k]);
        sum += (double)lanes->sum[k];
    }
    s->low[axis] = low;
    s->extent[axis] = (double)high - (double)low;
    s->longest[axis] = (double)longest;
    s->mean[axis] = s->number > 0.0 ? sum / s->number : 0.0;
}

static survey survey_boxes(const bp_method_setup *setup, const bp_box *boxes, size_t count) {
    bp_survey_lanes lanes;
    survey s = {0};
    clear_lanes(&lanes);
    setup->kernels->survey(boxes, count, &lanes);
    for (int k = 0; k < BP_SURVEY_LANES; k += 6) {
        s.number += (double)lanes.number[k];
    }
    for (int axis = 0; axis < (int)setup->dimensions; ++axis) {
        survey_axis(&s, &lanes, axis);
    }
    return s;
}

static bool is_ordinary(const survey *s, size_t count) {
    const size_t holes_most = count / HOLES_SHARE;
    bool ordinary = s->number >= (double)(count - holes_most);
    for (int axis = 0; axis < 3; ++axis) {
        ordinary &= s->extent[axis] <= (double)FLT_MAX && s->longest[axis] <= ALIKE * s->mean[axis]; // and finite
    }
    return ordinary;
}

// Cells of about this length, all equal, at most `most`.
static void cut_axis(bp_strips *strips, const survey *s, int axis, double length, double most) {
    const double wanted = length > 0.0 ? s->extent[axis] / length + 0.5 : most, cells = wanted < most ? wanted : most;
    const bool is_cut = cells >= 2.0 && s->extent[axis] > 0x1p-100;
    strips->low[axis] = s->low[axis];
    strips->cells[axis] = is_cut ? (uint32_t)cells : 1;
    strips->inverse[axis] = is_cut ? (float)((double)strips->cells[axis] / s->extent[axis]) : 0.0f;
    strips->last[axis] = (float)(strips->cells[axis] - 1);
}

// No more strips than boxes, none of them shorter than a box, and no more than KEYS_PER_BOX cells for each.
static void cut_space(bp_strips *strips, const survey *s) {
    const double most = sqrt(s->number) < CELLS_MOST ? sqrt(s->number) : CELLS_MOST;
    for (int axis = 1; axis < 3; ++axis) {
        const double fitting = s->longest[axis] > 0.0 ? s->extent[axis] / (ROUNDING * s->longest[axis]) : most;
        cut_axis(strips, s, axis, STRIP_WIDTH * s->mean[axis], fitting < most ? fitting : most);
    }
    const double cells = KEYS_PER_BOX * s->number / ((double)strips->cells[1] * strips->cells[2]);
    cut_axis(strips, s, 0, CELL_LENGTH * s->mean[0], cells < CELLS_MOST ? cells : CELLS_MOST);
}

// About how many vectors are tested for a box, if boxes are spread evenly.
static double expected_steps(const bp_strips *strips, const survey *s) {
    double entries = 1.0, reach = 1.0;
    for (int axis = 1; axis < 3; ++axis) {
        entries *= 1.0 + s->mean[axis] * (double)strips->inverse[axis];
        reach /= strips->cells[axis];
    }
    if (strips->cells[0] > 1) {
        reach *= (s->mean[0] + 1.0 / (double)strips->inverse[0]) / s->extent[0];
    }
    return entries * (1.0 + s->number * entries * (reach < 1.0 ? reach : 1.0) / 8.0);
}

bool bp_strip_grid_suits(bp_strip_grid *grid, const bp_box *boxes, size_t count) {
    const survey s = survey_boxes(grid->setup, boxes, count);
    grid->entry_count = 0;
    if (!is_ordinary(&s, count)) {
        return false;
    }
    grid->strips.dimensions = grid->setup->dimensions;
    cut_space(&grid->strips, &s);
    return expected_steps(&grid->strips, &s) < STEPS_MOST;
}

// ---- 2. entries, 3. sort --------------------------------------------------------------------------------------------

static size_t key_count(const bp_strips *strips) {
    return (size_t)strips->cells[0] * strips->cells[1] * strips->cells[2];
}

// Numbers of entries, for the figures: apart from the sum below, so that the compiler may use vectors.
static void measure_keys(bp_strip_grid *grid, const uint32_t *numbers, size_t keys) {
    int32_t occupied = 0, fullest = 0; // vectors of signed numbers are faster
    for (size_t i = 0; i < keys; ++i) {
        const int32_t number = (int32_t)numbers[i];
        occupied += number > 0;
        fullest = number > fullest ? number : fullest;
    }
    grid->occupied = (size_t)occupied;
    grid->fullest = (size_t)fullest;
}

// Turns the numbers of entries of each key, at table[key + 2], into where its entries begin, at table[key + 1].
static void sum_up(uint32_t *table, size_t keys) {
    for (size_t i = 2; i < keys + 2; ++i) {
        table[i] += table[i - 1];
    }
}

// Sorts the entries by key. Then table[key + 1] is where the entries of a key end.
static void sort_entries(bp_strip_grid *grid, const uint64_t *entries) {
    const size_t count = grid->entry_count, all_keys = key_count(&grid->strips);
    const uint32_t *keys = grid->keys;
    uint64_t *sorted = grid->sorted;
    uint32_t *table = grid->table;
    memset(table, 0, (all_keys + 2) * sizeof *table);
    for (size_t i = 0; i < count; ++i) {
        ++table[keys[i] + 2];
    }
    measure_keys(grid, table + 2, all_keys);
    sum_up(table, all_keys);
    for (size_t i = 0; i < count; ++i) {
        sorted[table[keys[i] + 1]++] = entries[i];
    }
}

// Finds the position behind the last candidate of each entry, in place of its key. Not in the search, where the length
// of a loop would wait for it. Returns the number of candidates.
static uint64_t find_ends(const bp_strip_grid *grid) {
    const uint32_t *cell_ends = grid->table + 1;
    const uint64_t *sorted = grid->sorted;
    uint32_t *ends = grid->keys;
    uint64_t sum = 0;
    for (size_t i = 0; i < grid->entry_count; ++i) {
        ends[i] = cell_ends[sorted[i] >> 32];
        sum += ends[i];
    }
    return sum - (uint64_t)grid->entry_count * (grid->entry_count + 1) / 2;
}

// The most entries that there is room for.
static size_t entries_most(size_t count) {
    return (ENTRIES_PER_BOX * count + (size_t)BP_STRIP_ENTRIES * CHUNK + 15) / 16 * 16;
}

// One block: a world with a steady number of objects allocates once; and of a call that allocates several, the C library
// returns the last ones to the system each time, and the pages of the next call are new ones.
static bool reserve_block(bp_strip_grid *grid, size_t count) {
    const size_t most = entries_most(count), keys = KEYS_PER_BOX * count + 2;
    const size_t columns = 7 * (most + BP_COLUMN_PADDING) * sizeof(float);
    const size_t bytes = columns + most * (sizeof(uint64_t) + sizeof(uint32_t)) + keys * sizeof(uint32_t);
    assert(key_count(&grid->strips) + 2 <= keys);
    if (!bp_buffer_reserve_slack(&grid->buffer, &grid->setup->runtime.allocator, 0, bytes, 1)) {
        return false;
    }
    bp_columns_place(&grid->columns, grid->buffer.data, most + BP_COLUMN_PADDING);
    grid->sorted = (uint64_t *)(void *)((char *)grid->buffer.data + columns);
    grid->keys = (uint32_t *)(grid->sorted + most);
    grid->table = grid->keys + most;
    return true;
}

// Writes the entries and their keys. False if there are too many: then most boxes touch several strips.
static bool make_entries(bp_strip_grid *grid, const bp_box *boxes, size_t count, uint64_t *entries) {
    const size_t most = entries_most(count);
    size_t found = 0;
    for (size_t begin = 0; begin < count && found + (size_t)BP_STRIP_ENTRIES * CHUNK <= most; begin += CHUNK) {
        const size_t end = begin + CHUNK < count ? begin + CHUNK : count;
        found +=
            grid->setup->kernels->strip_entries(&grid->strips, boxes, begin, end, grid->keys + found, entries + found);
        grid->entry_count = end == count ? found : 0;
    }
    return grid->entry_count > 0;
}

bp_status bp_strip_grid_sort(bp_strip_grid *grid, const bp_box *boxes, size_t count, bool *gave_up) {
    *gave_up = false;
    grid->entry_count = 0;
    if (!reserve_block(grid, count)) {
        return BP_ERROR_MEMORY;
    }
    uint64_t *entries = grid->buffer.data; // until they are sorted, they lie where the columns will be
    *gave_up = !make_entries(grid, boxes, count, entries);
    if (!*gave_up) {
        sort_entries(grid, entries);
        grid->tests = find_ends(grid);
        *gave_up = grid->tests > (uint64_t)TESTS_PER_BOX * count;
    }
    return BP_OK;
}

// ---- 4. fill --------------------------------------------------------------------------------------------------------

typedef struct filling {
    const bp_strip_grid *grid;
    const bp_box *boxes;
    bp_blocks blocks;
} filling;

static void task_fill(void *context, size_t block) {
    const filling *f = context;
    const bp_strip_grid *grid = f->grid;
    const bp_columns *columns = &grid->columns;
    const size_t begin = bp_block_begin(f->blocks, block), end = bp_block_begin(f->blocks, block + 1);
    grid->setup->kernels->gather_entries(columns, begin, end, grid->sorted, f->boxes);
    if (grid->setup->dimensions == 2) {
        memset(columns->min[2] + begin, 0, (end - begin) * sizeof(float));
        memset(columns->max[2] + begin, 0, (end - begin) * sizeof(float));
    }
}

// ---- 5. search ------------------------------------------------------------------------------------------------------

static void test_unit(const void *context, bp_range_tester *tester, size_t unit) {
    const bp_strip_grid *grid = context;
    const size_t last = (unit + 1) * UNIT;
    bp_strips_job job = {.columns = grid->columns.min[0],
                         .distance = (size_t)(grid->columns.min[1] - grid->columns.min[0]),
                         .ends = grid->keys,
                         .begin = unit * UNIT,
                         .end = last < grid->entry_count ? last : grid->entry_count};
    while (job.begin < job.end) {
        size_t done = 0;
        job.out = bp_sink_room(tester->sink, job.ends[job.begin] - job.begin + BP_COLUMN_PADDING, &job.room);
        if (job.out == NULL) {
            tester->failed = true;
            return;
        }
        bp_sink_commit(tester->sink, job.out, tester->kernels->test_strips(&job, &done));
        job.begin += done;
    }
}

static bp_status search_entries(bp_strip_grid *grid, const bp_box *boxes, bp_sink *sink) {
    const bp_runtime *runtime = &grid->setup->runtime;
    filling f = {.grid = grid,
                 .boxes = boxes,
                 .blocks = bp_blocks_cut(&runtime->executor, grid->entry_count, FILL_LEAST, SIZE_MAX)};
    bp_parallel_for(&runtime->executor, f.blocks.count, task_fill, &f);
    const bp_range_search search = {.runtime = runtime,
                                    .kernels = grid->setup->kernels,
                                    .objects = &grid->columns,
                                    .candidates = &grid->columns,
                                    .names = BP_NAMES_ORDERED,
                                    .unit_count = (grid->entry_count + UNIT - 1) / UNIT,
                                    .unit = test_unit,
                                    .context = grid};
    return bp_range_search_run(&search, &grid->block_sinks, sink);
}

bp_status bp_strip_grid_find(bp_strip_grid *grid, const bp_box *boxes, bp_sink *sink) {
    sink->tests += grid->tests;
    return search_entries(grid, boxes, sink);
}

// ---- figures and checks ---------------------------------------------------------------------------------------------

void bp_strip_grid_stats(const bp_strip_grid *grid, bp_stats *stats) {
    stats->update = BP_UPDATE_REBUILD;
    stats->levels = 1;
    stats->cells = key_count(&grid->strips);
    stats->occupied = grid->occupied;
    stats->objects_per_cell_max = grid->fullest;
    stats->objects_per_cell = grid->occupied > 0 ? (double)grid->entry_count / (double)grid->occupied : 0.0;
    stats->bytes = grid->buffer.bytes + bp_block_sinks_bytes(&grid->block_sinks);
}

// Whether an entry stands among those of its key, once, with its box.
static bool is_in_place(const bp_strip_grid *grid, uint32_t key, uint64_t entry, const bp_box *box) {
    size_t found = 0;
    for (size_t i = grid->table[key]; i < grid->table[key + 1]; ++i) {
        found += grid->sorted[i] == entry && grid->columns.id[i] == (uint32_t)entry &&
                 bp_columns_hold(&grid->columns, i, box, grid->setup->dimensions);
    }
    return found == 1;
}

bp_status bp_strip_grid_validate(const bp_strip_grid *grid, const bp_box *boxes, size_t count) {
    uint32_t keys[BP_STRIP_ENTRIES];
    uint64_t entries[BP_STRIP_ENTRIES];
    size_t expected = 0;
    bool right = true;
    for (size_t id = 0; id < count; ++id) {
        const size_t number = bp_strips_entries_of(&grid->strips, &boxes[id], (uint32_t)id, keys, entries);
        for (size_t k = 0; k < number; ++k) {
            right = right && is_in_place(grid, keys[k], entries[k], &boxes[id]);
        }
        expected += number;
    }
    if (!right || expected != grid->entry_count) {
        bp_log_write(&grid->setup->runtime.log, "hierarchical-grid: the strips do not hold the boxes");
        return BP_ERROR_INTERNAL;
    }
    return BP_OK;
}
