// Searching strips; see strips.h.
//
//   1. survey   bounds, mean and longest edges -> widths of strips, lengths of cells
//   2. entries  each box: one, two or four keys (strip, cell)
//   3. sort     the entries by key, in one pass of counting
//   4. fill     the boxes of the entries into columns
//   5. search   each entry against those that follow it
#include "engine/grid/strips.h"

#include "base/boxes.h"
#include "base/log.h"
#include "base/parallel.h"

#include <assert.h>
#include <string.h>

enum {
    LONG_BOXES_MOST = 1 << 22, // beyond BP_STRIPS_FEW boxes must be long
    SAMPLE = 4096,             // boxes that tell whether they are
    SURVEY_PARTS = 64,         // at most
    CELLS_MOST = 1024,         // along an axis: up to there cells of floats are exact to a thousandth
    KEYS_PER_BOX = 4,          // at most
    ENTRIES_PER_BOX = 3,       // at most, on average; uniform boxes have 1.65
    TESTS_PER_BOX = 128,       // at most
    HOLES_SHARE = 8,           // one box in this many may be a hole
    MANY_WORKERS = 4,          // so many
    SHARED_LEAST = 8192,       // sort so many boxes together;
    SHARED_BY_FEW = 16384,     // fewer workers must have more, because one alone sorts in one pass
    FILL_LEAST = 1024,         // entries that are worth a task,
    ENDS_LEAST = 8192,         // ends to find,
    ENDS_BLOCKS = 64,
    AHEAD = 64, // entries whose boxes are prefetched together
    UNIT = 256  // entries in a unit of work
};

// In mean edges. Wider strips mean fewer entries, but more tests for each. Of few boxes, which are in the cache, from 3 to
// 4 the time is about the same; of many, entries cost more.
static const double STRIP_WIDTH_FEW = 3.5, STRIP_WIDTH_MANY = 4.0;
static const double CELL_LENGTH_FEW = 0.4, CELL_LENGTH_MANY = 0.25;

static const double ROUNDING = 1.001; // more than that of CELLS_MOST cells: so no box touches three strips
static const double ALIKE = 3.0;      // the longest edge along an axis, in mean ones
static const double LONG = 4.0;       // the product of the mean edges, in mean volumes; 10x1x1 in three directions: 6.4
static const double STEPS_MOST = 20.0; // for a box; the sorted grid plans for long ones

void bp_strip_grid_init(bp_strip_grid *grid, const bp_method_setup *setup) {
    *grid = (bp_strip_grid){.setup = setup, .sort.setup = setup};
}

void bp_strip_grid_free(bp_strip_grid *grid) {
    const bp_allocator *allocator = &grid->setup->runtime.allocator;
    bp_buffer_free(&grid->buffer, allocator);
    bp_giants_free(&grid->giants, allocator);
    bp_strip_sort_free(&grid->sort);
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

// Boxes are surveyed in parts, whatever the number of threads: sums of floats depend on their order.
typedef struct surveying {
    const bp_method_setup *setup;
    const bp_box *boxes;
    bp_blocks parts;
    bp_survey_lanes lanes[SURVEY_PARTS];
} surveying;

static void task_survey(void *context, size_t part) {
    surveying *y = context;
    const size_t begin = bp_block_begin(y->parts, part), end = bp_block_begin(y->parts, part + 1);
    clear_lanes(&y->lanes[part]);
    y->setup->kernels->survey(y->boxes + begin, end - begin, &y->lanes[part]);
}

static void survey_axis(survey *s, const surveying *y, int axis) {
    float low = INFINITY, high = -INFINITY, longest = 0.0f;
    double sum = 0.0;
    for (size_t part = 0; part < y->parts.count; ++part) {
        const bp_survey_lanes *lanes = &y->lanes[part];
        for (int k = axis; k < BP_SURVEY_LANES; k += 6) {
            low = bp_smaller(low, lanes->low[k]);
            high = bp_larger(high, lanes->high[k + 3]);
            longest = bp_larger(longest, lanes->longest[k]);
            sum += (double)lanes->sum[k];
        }
    }
    s->low[axis] = low;
    s->extent[axis] = (double)high - (double)low;
    s->longest[axis] = (double)longest;
    s->mean[axis] = s->number > 0.0 ? sum / s->number : 0.0;
}

static survey survey_boxes(const bp_method_setup *setup, const bp_box *boxes, size_t count) {
    const size_t wanted = count / BP_STRIPS_FEW + 1, parts = wanted < SURVEY_PARTS ? wanted : SURVEY_PARTS;
    surveying y; // not zeroed: of few boxes there is one part
    y.setup = setup;
    y.boxes = boxes;
    y.parts = (bp_blocks){.item_count = count, .count = parts};
    survey s = {0};
    bp_parallel_for(&setup->runtime.executor, parts, task_survey, &y);
    for (size_t part = 0; part < parts; ++part) {
        for (int k = 0; k < BP_SURVEY_LANES; k += 6) {
            s.number += (double)y.lanes[part].number[k];
        }
    }
    for (int axis = 0; axis < (int)setup->dimensions; ++axis) {
        survey_axis(&s, &y, axis);
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
    const bool are_few = s->number <= BP_STRIPS_FEW;
    const double width = are_few ? STRIP_WIDTH_FEW : STRIP_WIDTH_MANY;
    const double length = are_few ? CELL_LENGTH_FEW : CELL_LENGTH_MANY;
    for (int axis = 1; axis < 3; ++axis) {
        const double fitting = s->longest[axis] > 0.0 ? s->extent[axis] / (ROUNDING * s->longest[axis]) : most;
        cut_axis(strips, s, axis, width * s->mean[axis], fitting < most ? fitting : most);
    }
    const double cells = KEYS_PER_BOX * s->number / ((double)strips->cells[1] * strips->cells[2]);
    cut_axis(strips, s, 0, length * s->mean[0], cells < CELLS_MOST ? cells : CELLS_MOST);
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

static double edge_of(const bp_box *box, int axis) {
    return (double)box->max[axis] - (double)box->min[axis];
}

// Whether boxes are long, in different directions: then their volumes are less than their mean edges tell. In the sorted
// grid, whose cells are as long as the longest of them in each direction, they are in each other's cells.
static bool are_long(const survey *s, const bp_box *boxes, size_t count) {
    double volumes = 0.0;
    for (size_t i = 0; i < count; ++i) {
        if (!bp_box_is_hole(&boxes[i])) {
            volumes += edge_of(&boxes[i], 0) * edge_of(&boxes[i], 1) * edge_of(&boxes[i], 2);
        }
    }
    return s->mean[0] * s->mean[1] * s->mean[2] * s->number > LONG * volumes;
}

// Many boxes must be long. The first ones tell, before all are looked at.
static bool may_be_so_many(const bp_strip_grid *grid, const bp_box *boxes, size_t count) {
    if (count <= BP_STRIPS_FEW) {
        return true;
    }
    const survey first = survey_boxes(grid->setup, boxes, SAMPLE);
    return count <= LONG_BOXES_MOST && is_ordinary(&first, SAMPLE) && are_long(&first, boxes, SAMPLE);
}

// Whether boxes that are not alike are so without a few giants; then *s is of the others.
static bool are_alike_but_giants(bp_strip_grid *grid, const bp_box *boxes, size_t count, survey *s) {
    double most[3];
    bool finite = true;
    for (int axis = 0; axis < 3; ++axis) {
        most[axis] = axis < (int)grid->setup->dimensions ? ALIKE * s->mean[axis] : INFINITY;
        finite &= s->mean[axis] <= (double)FLT_MAX;
    }
    if (count > BP_STRIPS_FEW || !finite ||
        !bp_giants_part(&grid->giants, &grid->setup->runtime.allocator, boxes, count, most)) {
        return false;
    }
    *s = survey_boxes(grid->setup, grid->giants.others.data, count);
    return is_ordinary(s, count);
}

bool bp_strip_grid_suits(bp_strip_grid *grid, const bp_box *boxes, size_t count) {
    grid->entry_count = 0;
    grid->giants.count = 0;
    if (!may_be_so_many(grid, boxes, count)) {
        return false;
    }
    survey s = survey_boxes(grid->setup, boxes, count);
    if (!is_ordinary(&s, count) && !are_alike_but_giants(grid, boxes, count, &s)) {
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

// Finding the ends of some entries.
typedef struct end_search {
    const bp_strip_grid *grid;
    bp_blocks blocks;
    uint64_t sums[ENDS_BLOCKS];
} end_search;

// Finds the position behind the last candidate of each entry, in place of its key. Not in the search, where the length
// of a loop would wait for it.
static void task_find_ends(void *context, size_t block) {
    end_search *e = context;
    const uint32_t *cell_ends = e->grid->table + 1;
    const uint64_t *sorted = e->grid->sorted;
    uint32_t *ends = e->grid->keys;
    uint64_t sum = 0;
    const size_t stop = bp_block_begin(e->blocks, block + 1);
    for (size_t i = bp_block_begin(e->blocks, block); i < stop; ++i) {
        ends[i] = cell_ends[sorted[i] >> 32];
        sum += ends[i];
    }
    e->sums[block] = sum;
}

// Returns the number of candidates of all entries.
static uint64_t find_ends(const bp_strip_grid *grid) {
    const bp_executor *executor = &grid->setup->runtime.executor;
    const uint64_t count = grid->entry_count;
    end_search e;
    uint64_t sum = 0;
    e.grid = grid;
    e.blocks = bp_blocks_cut(executor, grid->entry_count, ENDS_LEAST, ENDS_BLOCKS);
    bp_parallel_for(executor, e.blocks.count, task_find_ends, &e);
    for (size_t i = 0; i < e.blocks.count; ++i) {
        sum += e.sums[i];
    }
    return sum - count * (count + 1) / 2;
}

// The most entries that few boxes may have.
static size_t entries_most(size_t count) {
    return ENTRIES_PER_BOX * count + (size_t)BP_STRIP_ENTRIES * BP_CHUNK;
}

// Room for so many boxes and entries. One block: a world with a steady number of objects allocates once; and of a call
// that allocates several, the C library returns the last ones to the system each time, and the pages of the next call
// are new ones.
static bool reserve_block(bp_strip_grid *grid, size_t count, size_t entries) {
    const size_t most = (entries + 15) / 16 * 16, keys = KEYS_PER_BOX * count + 2;
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
    for (size_t begin = 0; begin < count && found + (size_t)BP_STRIP_ENTRIES * BP_CHUNK <= most; begin += BP_CHUNK) {
        const size_t end = begin + BP_CHUNK < count ? begin + BP_CHUNK : count;
        found +=
            grid->setup->kernels->strip_entries(&grid->strips, boxes, begin, end, grid->keys + found, entries + found);
        grid->entry_count = end == count ? found : 0;
    }
    return grid->entry_count > 0;
}

// Sorts the entries of few boxes. Until they are sorted, they lie where the columns will be.
static bp_status sort_few(bp_strip_grid *grid, const bp_box *boxes, size_t count) {
    if (!reserve_block(grid, count, entries_most(count))) {
        return BP_ERROR_MEMORY;
    }
    if (make_entries(grid, boxes, count, grid->buffer.data)) {
        sort_entries(grid, grid->buffer.data);
    }
    return BP_OK;
}

static bp_status sort_many(bp_strip_grid *grid, const bp_box *boxes, size_t count) {
    bp_strip_sort *sort = &grid->sort;
    size_t entries = 0;
    sort->strips = &grid->strips;
    sort->boxes = boxes;
    sort->key_count = key_count(&grid->strips);
    if (!bp_strip_sort_count(sort, count, &entries)) {
        return BP_ERROR_MEMORY;
    }
    if (entries > ENTRIES_PER_BOX * count) {
        return BP_OK;
    }
    if (!reserve_block(grid, count, entries)) {
        return BP_ERROR_MEMORY;
    }
    grid->entry_count = entries;
    sort->records = grid->buffer.data;
    sort->sorted = grid->sorted;
    sort->table = grid->table;
    bp_strip_sort_run(sort);
    grid->occupied = sort->occupied;
    grid->fullest = sort->fullest;
    return BP_OK;
}

// No entries are sorted if there are too many.
bp_status bp_strip_grid_sort(bp_strip_grid *grid, const bp_box *boxes, size_t count, bool *gave_up) {
    const bp_box *others = bp_giants_others(&grid->giants, boxes);
    grid->entry_count = 0;
    const uint32_t workers = grid->setup->runtime.executor.workers;
    grid->is_shared = workers > 1 && count >= (workers < MANY_WORKERS ? SHARED_BY_FEW : SHARED_LEAST);
    const bp_status status =
        count <= BP_STRIPS_FEW && !grid->is_shared ? sort_few(grid, others, count) : sort_many(grid, others, count);
    grid->tests = grid->entry_count > 0 ? find_ends(grid) : 0;
    *gave_up = status == BP_OK && (grid->entry_count == 0 || grid->tests > (uint64_t)TESTS_PER_BOX * count);
    return status;
}

// ---- 4. fill --------------------------------------------------------------------------------------------------------

typedef struct filling {
    const bp_strip_grid *grid;
    const bp_box *boxes;
    bp_blocks blocks;
} filling;

BP_PREFETCHER prefetch_boxes(const uint64_t *entries, size_t count, const bp_box *boxes) {
    for (size_t i = 0; i < count; ++i) {
        const bp_box *box = &boxes[entries[i] & BP_ENTRY_ID];
        bp_prefetch(box->min);
        bp_prefetch(&box->max[2]);
    }
}

// Many boxes are not in the cache: those of the next entries are prefetched. Entries begin .. end-1.
static void gather_far(const bp_strip_grid *grid, size_t begin, size_t end, const bp_box *boxes) {
    for (size_t at = begin; at < end; at += AHEAD) {
        const size_t stop = end - at < AHEAD ? end : at + AHEAD;
        prefetch_boxes(grid->sorted + stop, end - stop < AHEAD ? end - stop : AHEAD, boxes);
        grid->setup->kernels->gather_entries(&grid->columns, at, stop, grid->sorted, boxes);
    }
}

static void task_fill(void *context, size_t block) {
    const filling *f = context;
    const bp_strip_grid *grid = f->grid;
    const bp_columns *columns = &grid->columns;
    const size_t begin = bp_block_begin(f->blocks, block), end = bp_block_begin(f->blocks, block + 1);
    if (grid->entry_count > (size_t)BP_STRIPS_FEW * ENTRIES_PER_BOX) {
        gather_far(grid, begin, end, f->boxes);
    } else {
        grid->setup->kernels->gather_entries(columns, begin, end, grid->sorted, f->boxes);
    }
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
                 .blocks =
                     bp_blocks_cut(&runtime->executor, grid->entry_count, FILL_LEAST, grid->is_shared ? SIZE_MAX : 1)};
    bp_parallel_for(&runtime->executor, f.blocks.count, task_fill, &f);
    const size_t units = (grid->entry_count + UNIT - 1) / UNIT;
    const bp_range_search search = {.runtime = runtime,
                                    .kernels = grid->setup->kernels,
                                    .objects = &grid->columns,
                                    .candidates = &grid->columns,
                                    .names = BP_NAMES_ORDERED,
                                    .unit_count = units,
                                    .units_least = grid->is_shared ? 1 : units + 1,
                                    .unit = test_unit,
                                    .context = grid};
    return bp_range_search_run(&search, &grid->block_sinks, sink);
}

bp_status bp_strip_grid_find(bp_strip_grid *grid, const bp_box *boxes, size_t count, bp_sink *sink) {
    sink->tests += grid->tests;
    const bp_status status = search_entries(grid, bp_giants_others(&grid->giants, boxes), sink);
    return status == BP_OK ? bp_giants_find(&grid->giants, boxes, count, grid->setup->dimensions, sink) : status;
}

// ---- figures and checks ---------------------------------------------------------------------------------------------

void bp_strip_grid_stats(const bp_strip_grid *grid, bp_stats *stats) {
    stats->update = BP_UPDATE_REBUILD;
    stats->levels = 1;
    stats->cells = key_count(&grid->strips);
    stats->occupied = grid->occupied;
    stats->objects_per_cell_max = grid->fullest;
    stats->objects_per_cell = grid->occupied > 0 ? (double)grid->entry_count / (double)grid->occupied : 0.0;
    stats->bytes = grid->buffer.bytes + grid->giants.others.bytes + bp_strip_sort_bytes(&grid->sort) +
                   bp_block_sinks_bytes(&grid->block_sinks);
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
    const bp_box *others = bp_giants_others(&grid->giants, boxes);
    size_t expected = 0;
    bool right = true;
    for (size_t id = 0; id < count; ++id) {
        const size_t number = bp_strips_entries_of(&grid->strips, &others[id], (uint32_t)id, keys, entries);
        for (size_t k = 0; k < number; ++k) {
            right = right && is_in_place(grid, keys[k], entries[k], &others[id]);
        }
        expected += number;
    }
    if (!right || expected != grid->entry_count) {
        bp_log_write(&grid->setup->runtime.log, "hierarchical-grid: the strips do not hold the boxes");
        return BP_ERROR_INTERNAL;
    }
    return BP_OK;
}
