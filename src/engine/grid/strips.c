// strips: copies of boxes in strips of space, swept along x. For up to some ten thousand boxes of similar sizes, and for more if
// they are long and would fill each other's cells in a grid.
//
//     y |     |     |     |        space is cut in y and z into strips, at least as wide as the longest box;
//       |   +-|-+   |     |        a box has an entry in each strip that it touches: one, two or four
//       |   | | |   | +-+ |
//       |   +-|-+   | +-+ |        a strip is cut along x into short cells: entries sorted by (strip, cell of min x)
//       +-----+-----+-----+-> z
//
//     columns   | strip 0: cell 0, cell 1, ... | strip 1: cell 0, ... |
//                      e ------>                 an entry is tested against those that follow it, as far as it reaches
//
// Two boxes that overlap share a strip. In one of the strips that they share, one of them begins in y, and one in z:
// there the pair counts. Entries have two flags for that. Two more say of which of two sets a box is: boxes of the same set
// do not meet, so both sets lie in the same strips.
//
// Nothing is planned: one pass over the boxes finds their bounds, mean and longest edges. A few that are far larger than
// the others are kept apart (giants.h). If the others are not alike, or most of them share a few cells, strips do not suit them:
// then all boxes are tested with all. How many tests a search takes is known before it begins; it is bounded by a
// multiple of the number of boxes.
//
// Cells of entries are also bits of a map: of two sets, entries that are near none of the other set are left out before they are
// sorted, where the first chunks say that these are many.
//
// Cost: O(n): for uniform boxes 1.8 entries and 13 tests a box; 6 ns for a box of two sets that is near none. Loses to the
// sorted grid where copies of boxes no longer fit the cache, unless tests cost more than copies: so boxes of
// which there are very many must be long.
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
#include "engine/all_pairs.h"
#include "engine/method.h"

#include <string.h>

enum {
    SURVEY_BLOCKS = 64,     // at most
    CELLS_MAX = 1024,       // along an axis: up to there cells of floats are exact to a thousandth
    KEYS_PER_BOX = 4,       // at most
    TESTS_PER_BOX = 1024,   // at most
    HOLES_SHARE = 8,        // one box in this many may be a hole
    SMALL_SET_RATIO = 6,    // boxes of the larger set per box of the smaller one, which counts as small from here on
    SIEVE_EVERY = 8,        // chunks: the first of each group shows whether a sieve pays for the others
    FOUR_SHARE_FROM = 8192, // boxes: from here on, 4 or more workers share the sort
    TWO_SHARE_FROM = 16384, // boxes: from here on, 2 or 3 workers do; one worker alone sorts in a single pass
    FILL_MIN = 1024,        // entries filled per task, at least
    ENDS_MIN = 8192,        // ends found per task, at least
    ENDS_BLOCKS = 64,       // tasks that find ends, at most
    AHEAD = 64,             // entries whose boxes are prefetched together
    ENTRIES_PER_UNIT = 256
};

// In mean edges. Wider strips mean fewer entries, but more tests for each. Of boxes that the cache holds, from 3 to 4 the time
// is about the same; of more, entries cost more.
static const double STRIP_WIDTH_CACHED = 3.5, STRIP_WIDTH_UNCACHED = 4.0;
static const double CELL_LENGTH_CACHED = 0.4, CELL_LENGTH_UNCACHED = 0.25;

static const double ENTRIES_PER_BOX = 3.0; // at most, on average; uniform boxes have 1.65
static const double ENTRIES_SLACK = 1.125; // room, in expected entries,
static const double SIEVE_PAYS = 0.75;     // where no more entries are left than this
static const double SIEVED_SHARE = 0.25;   // and if one set is much smaller than the other
static const double ROUNDING = 1.001;      // more than that of CELLS_MAX cells: so no box touches three strips
static const double ALIKE = 3.0;           // the longest edge along an axis, in mean ones
static const double STEPS_MAX = 100.0;     // for a box; the sorted grid plans for long ones
static const double STEPS_UNLIKE = 60.0;   // if boxes are not alike: then many lie in strips that are much too wide

void bp_strip_grid_init(bp_strip_grid *grid, const bp_method_setup *setup) {
    *grid = (bp_strip_grid){.setup = setup};
}

void bp_strip_grid_free(bp_strip_grid *grid) {
    const bp_allocator *allocator = &grid->setup->runtime.allocator;
    bp_buffer_free(&grid->buffer, allocator);
    bp_block_sinks_free(&grid->block_sinks, allocator);
}

// ---- 1. survey ------------------------------------------------------------------------------------------------------

typedef struct edge_survey {
    double number;              // of boxes, without holes
    double extent[3];           // of the space that they occupy
    double mean[3], longest[3]; // edges
    float low[3];
} edge_survey;

// Boxes are surveyed in fixed blocks, whatever the number of threads: sums of floats depend on their order.
typedef struct surveying {
    const bp_strip_grid *grid;
    const bp_strip_sets *sets;
    bp_blocks blocks[2]; // of each set
    bp_survey_lanes lanes[2 * SURVEY_BLOCKS];
} surveying;

static void task_survey(void *context, size_t block) {
    surveying *y = context;
    const size_t set = block < y->blocks[0].count ? 0 : 1, own = set == 0 ? block : block - y->blocks[0].count;
    const bp_giants *giants = &y->grid->giants[set];
    const size_t last = bp_block_begin(y->blocks[set], own + 1);
    size_t begin = bp_giants_skip(giants, bp_block_begin(y->blocks[set], own));
    bp_survey_lanes *lanes = &y->lanes[block];
    for (int k = 0; k < BP_SURVEY_LANES; ++k) {
        lanes->low[k] = INFINITY;
        lanes->high[k] = -INFINITY;
        lanes->sum[k] = 0.0f;
        lanes->longest[k] = 0.0f;
        lanes->number[k] = 0;
    }
    for (size_t end = 0; begin < last; begin = bp_giants_skip(giants, end)) {
        end = bp_giants_next(giants, begin, last);
        y->grid->setup->kernels->survey(y->sets->boxes[set] + begin, end - begin, lanes);
    }
}

// Of all boxes but the giants.
static edge_survey survey_boxes(const bp_strip_grid *grid, const bp_strip_sets *sets) {
    const bp_method_setup *setup = grid->setup;
    surveying y; // not zeroed: of few boxes there are few blocks
    y.grid = grid;
    y.sets = sets;
    for (int set = 0; set < 2; ++set) {
        const size_t count = sets->counts[set], wanted = (count + BP_STRIPS_FEW - 1) / BP_STRIPS_FEW;
        y.blocks[set] = (bp_blocks){.item_count = count, .count = wanted < SURVEY_BLOCKS ? wanted : SURVEY_BLOCKS};
    }
    const size_t block_count = y.blocks[0].count + y.blocks[1].count;
    edge_survey s = {0};
    bp_parallel_for(&setup->runtime.executor, block_count, task_survey, &y);
    for (size_t block = 0; block < block_count; ++block) {
        for (int k = 0; k < BP_SURVEY_LANES; k += 6) {
            s.number += (double)y.lanes[block].number[k];
        }
    }
    for (int axis = 0; axis < (int)setup->dimensions; ++axis) {
        float low = INFINITY, high = -INFINITY, longest = 0.0f;
        double sum = 0.0;
        for (size_t block = 0; block < block_count; ++block) {
            const bp_survey_lanes *lanes = &y.lanes[block];
            for (int k = axis; k < BP_SURVEY_LANES; k += 6) {
                low = bp_smaller(low, lanes->low[k]);
                high = bp_larger(high, lanes->high[k + 3]);
                longest = bp_larger(longest, lanes->longest[k]);
                sum += (double)lanes->sum[k];
            }
        }
        s.low[axis] = low;
        s.extent[axis] = (double)high - (double)low;
        s.longest[axis] = (double)longest;
        s.mean[axis] = s.number > 0.0 ? sum / s.number : 0.0;
    }
    return s;
}

static bool are_alike(const edge_survey *s) {
    bool alike = true;
    for (int axis = 0; axis < 3; ++axis) {
        alike &= s->longest[axis] <= ALIKE * s->mean[axis];
    }
    return alike;
}

// Cells of about this length, all equal, at most `most`.
static void cut_axis(bp_strips *strips, const edge_survey *s, int axis, double length, double most) {
    const double wanted = length > 0.0 ? s->extent[axis] / length + 0.5 : most, cells = wanted < most ? wanted : most;
    const bool is_cut = cells >= 2.0 && s->extent[axis] > 0x1p-100;
    strips->low[axis] = s->low[axis];
    strips->cells[axis] = is_cut ? (uint32_t)cells : 1;
    strips->inverse[axis] = is_cut ? (float)((double)strips->cells[axis] / s->extent[axis]) : 0.0f;
    strips->last[axis] = (float)(strips->cells[axis] - 1);
}

static size_t count_of(const bp_strip_sets *sets) {
    return sets->counts[0] + sets->counts[1];
}

// Whether one set has so many more boxes that most of them meet none.
static bool is_one_small(const bp_strip_sets *sets) {
    return sets->are_two && (sets->counts[0] / SMALL_SET_RATIO >= sets->counts[1] ||
                             sets->counts[1] / SMALL_SET_RATIO >= sets->counts[0]);
}

static bool suits(bp_strip_grid *grid, const bp_strip_sets *sets, const edge_survey *s, double crowding) {
    const size_t count = count_of(sets), solid = count - count / HOLES_SHARE;
    const bool alike = are_alike(s);
    // Finite, with few holes. Where boxes are not alike, strips that are as wide as the longest ones may do; but of one set,
    // levels are better.
    bool may_suit = s->number >= (double)solid && (alike || (sets->are_two && !is_one_small(sets)));
    for (int axis = 0; axis < 3; ++axis) {
        may_suit &= s->extent[axis] <= (double)FLT_MAX && s->mean[axis] <= (double)FLT_MAX;
    }
    if (!may_suit) {
        return false;
    }
    // No more strips than boxes, none of them shorter than a box, and no more than KEYS_PER_BOX cells for each.
    bp_strips *strips = &grid->strips;
    const double most = sqrt(s->number) < CELLS_MAX ? sqrt(s->number) : CELLS_MAX;
    const bool are_cached = s->number <= BP_STRIPS_FEW;
    const double width = are_cached ? STRIP_WIDTH_CACHED : STRIP_WIDTH_UNCACHED;
    const double length = are_cached ? CELL_LENGTH_CACHED : CELL_LENGTH_UNCACHED;
    strips->dimensions = grid->setup->dimensions;
    for (int axis = 1; axis < 3; ++axis) {
        const double fitting = s->longest[axis] > 0.0 ? s->extent[axis] / (ROUNDING * s->longest[axis]) : most;
        cut_axis(strips, s, axis, width * s->mean[axis], fitting < most ? fitting : most);
    }
    const double cells = KEYS_PER_BOX * s->number / ((double)strips->cells[1] * strips->cells[2]);
    cut_axis(strips, s, 0, length * s->mean[0], cells < CELLS_MAX ? cells : CELLS_MAX);
    // About how many entries a box has if boxes are spread evenly, and how many vectors are tested for it: its cells are a share of all.
    const double entries =
        (1.0 + s->mean[1] * (double)strips->inverse[1]) * (1.0 + s->mean[2] * (double)strips->inverse[2]);
    double share = 1.0 / ((double)strips->cells[1] * strips->cells[2]);
    if (strips->cells[0] > 1) {
        share *= (s->mean[0] + 1.0 / (double)strips->inverse[0]) / s->extent[0];
    }
    const double steps = entries * (1.0 + s->number * entries * (share < 1.0 ? share : 1.0) / 8.0);
    grid->entries_expected = entries;
    return steps * fmax(crowding, 1.0) < (alike ? STEPS_MAX : STEPS_UNLIKE);
}

bool bp_strip_grid_suits(bp_strip_grid *grid, const bp_strip_sets *sets, double crowding) {
    bp_giants *giants = grid->giants;
    grid->entry_count = 0;
    giants[0].count = giants[1].count = 0;
    if (sets->counts[0] > BP_ENTRY_ID || sets->counts[1] > BP_ENTRY_ID) {
        return false;
    }
    edge_survey s = survey_boxes(grid, sets);
    if (suits(grid, sets, &s, crowding)) {
        return true;
    }
    // Without a few giants, boxes may be alike.
    double most[3];
    bool may_be = !are_alike(&s) && count_of(sets) <= BP_STRIPS_FEW;
    for (int axis = 0; axis < 3; ++axis) {
        most[axis] = axis < (int)grid->setup->dimensions ? ALIKE * s.mean[axis] : INFINITY;
        may_be &= s.mean[axis] <= (double)FLT_MAX;
    }
    if (!may_be || !bp_giants_list(&giants[0], sets->boxes[0], sets->counts[0], most) ||
        !bp_giants_list(&giants[1], sets->boxes[1], sets->counts[1], most) || giants[0].count + giants[1].count == 0) {
        return false;
    }
    s = survey_boxes(grid, sets);
    return suits(grid, sets, &s, crowding);
}

// ---- 2. entries, 3. sort --------------------------------------------------------------------------------------------

static size_t key_count(const bp_strips *strips) {
    return (size_t)strips->cells[0] * strips->cells[1] * strips->cells[2];
}

// Sorts the entries by key. Then table[key + 1] is where the entries of a key end.
static void sort_entries(bp_strip_grid *grid) {
    const uint64_t *entries = grid->buffer.data;
    const size_t count = grid->entry_count, all_keys = key_count(&grid->strips);
    const uint32_t *keys = grid->keys;
    uint64_t *sorted = grid->sorted;
    uint32_t *table = grid->table;
    int32_t occupied = 0, fullest = 0;
    memset(table, 0, (all_keys + 2) * sizeof *table);
    for (size_t i = 0; i < count; ++i) {
        ++table[keys[i] + 2];
    }
    for (size_t i = 2; i < all_keys + 2;
         ++i) { // apart from the sum below, with signed numbers: the compiler uses vectors
        const int32_t number = (int32_t)table[i];
        occupied += number > 0;
        fullest = number > fullest ? number : fullest;
    }
    grid->occupied = (size_t)occupied;
    grid->fullest = (size_t)fullest;
    for (size_t i = 2; i < all_keys + 2; ++i) {
        table[i] += table[i - 1];
    }
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

// Room for so many entries of each box on average, and for those of a chunk.
static size_t room_for(size_t count, double entries) {
    return (size_t)(entries * (double)count) + (size_t)BP_STRIP_ENTRIES * BP_CHUNK;
}

// Room for so many boxes and entries. One block: a world with a steady number of objects allocates once; and of a call
// that allocates several, the C library returns the last ones to the system each time, and the pages of the next call
// are new ones.
static bool reserve_block(bp_strip_grid *grid, size_t count, size_t entries) {
    const size_t most = (entries + 15) / 16 * 16, usual = KEYS_PER_BOX * count, now = key_count(&grid->strips);
    const size_t keys = (usual > now ? usual : now) + 2; // of one or two boxes, each axis has a cell
    const size_t columns = 7 * (most + BP_COLUMN_PADDING) * sizeof(float);
    const size_t bytes = columns + most * (sizeof(uint64_t) + sizeof(uint32_t)) + keys * sizeof(uint32_t);
    if (!bp_buffer_reserve_slack(&grid->buffer, &grid->setup->runtime.allocator, 0, bytes, 1)) {
        return false;
    }
    bp_columns_place(&grid->columns, grid->buffer.data, most + BP_COLUMN_PADDING);
    grid->sorted = (uint64_t *)(void *)((char *)grid->buffer.data + columns);
    grid->keys = (uint32_t *)(grid->sorted + most);
    grid->table = grid->keys + most;
    return true;
}

// Marks the cells of entries.
static void map_cells(uint64_t *map, const uint32_t *keys, const uint64_t *entries, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        uint32_t key = keys[i], far = (uint32_t)(entries[i] >> 32) - key;
        for (; far > 63; key += 64, far -= 64) {
            map[key / 64] |= ~(uint64_t)0 << key % 64;
            map[key / 64 + 1] |= ~(uint64_t)0 >> 1 >> (63 - key % 64);
        }
        const uint64_t cells = ~(uint64_t)0 >> (63 - far);
        map[key / 64] |= cells << key % 64;
        map[key / 64 + 1] |= cells >> 1 >> (63 - key % 64);
    }
}

// Moves those entries to the front of which a cell is in the map, or that have more than 64; returns their number.
static size_t keep_mapped(const uint64_t *map, uint32_t *keys, uint64_t *entries, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint64_t entry = entries[i];
        const uint32_t key = keys[i], far = (uint32_t)(entry >> 32) - key, shift = key % 64;
        const uint64_t near = map[key / 64] >> shift | map[key / 64 + 1] << 1 << (63 - shift);
        keys[kept] = key;
        entries[kept] = entry;
        kept += (far > 63) | ((near & ~(uint64_t)0 >> (63 - (far & 63))) != 0);
    }
    return kept;
}

static uint64_t *clear_map(const bp_strip_grid *grid) {
    uint64_t *map = (uint64_t *)(void *)grid->table; // which is not used yet
    memset(map, 0, (key_count(&grid->strips) / 64 + 2) * sizeof *map);
    return map;
}

// Writes the entries of a set and their keys behind the first `found` ones, and returns how many there are then; 0 if they do not
// fit. With a map, those near its cells; every few chunks tell whether that leaves out enough to look at the next ones.
static size_t make_entries_of(bp_strip_grid *grid, const bp_strip_sets *sets, int set, const uint64_t *map,
                              size_t found, size_t most) {
    const bp_giants *giants = &grid->giants[set];
    const uint32_t flag = !sets->are_two ? 0 : set == 0 ? BP_ENTRY_FIRST : BP_ENTRY_SECOND;
    uint64_t *entries = grid->buffer.data; // until they are sorted, they lie where the columns will be
    bool is_sieved = false;
    size_t begin = bp_giants_skip(giants, 0);
    for (size_t end = 0, chunk = 0; begin < sets->counts[set]; begin = bp_giants_skip(giants, end), ++chunk) {
        const size_t left = sets->counts[set] - begin;
        if (found > most) {
            return 0;
        }
        end = bp_giants_next(giants, begin, begin + (left < BP_CHUNK ? left : BP_CHUNK));
        uint32_t *keys = grid->keys + found;
        const size_t made = grid->setup->kernels->strip_entries(&grid->strips, sets->boxes[set], begin, end, flag, keys,
                                                                entries + found);
        size_t kept = made;
        if (map != NULL && (is_sieved || chunk % SIEVE_EVERY == 0)) {
            kept = keep_mapped(map, keys, entries + found, made);
            is_sieved = (double)kept < SIEVE_PAYS * (double)made;
        }
        found += kept;
    }
    return found;
}

// Writes the entries of all boxes. Of two sets, those of the larger one that are near the smaller one; and if these are few, those
// of the smaller one that are near them. False if they do not fit.
static bool make_entries(bp_strip_grid *grid, const bp_strip_sets *sets, size_t room) {
    const size_t most = room - (size_t)BP_STRIP_ENTRIES * BP_CHUNK;
    const int small = sets->are_two && sets->counts[1] < sets->counts[0] ? 1 : 0;
    uint64_t *entries = grid->buffer.data;
    const size_t own = make_entries_of(grid, sets, small, NULL, 0, most);
    if (own == 0 || !sets->are_two) {
        grid->entry_count = own;
        return own > 0;
    }
    uint64_t *map = clear_map(grid);
    map_cells(map, grid->keys, entries, own);
    const size_t all = make_entries_of(grid, sets, 1 - small, map, own, most), others = all - own;
    if (all == 0) {
        return false;
    }
    size_t kept = own;
    if ((double)others < SIEVE_PAYS * grid->entries_expected * (double)sets->counts[1 - small]) {
        map = clear_map(grid);
        map_cells(map, grid->keys + own, entries + own, others);
        kept = keep_mapped(map, grid->keys, entries, own);
        memmove(grid->keys + kept, grid->keys + own, others * sizeof *grid->keys);
        memmove(entries + kept, entries + own, others * sizeof *entries);
    }
    grid->entry_count = kept + others;
    return true;
}

// There is room for somewhat more entries than are expected; and if that is not enough, for as many as may be. Room that is
// not used is not free: new memory comes in large pages. If there are more entries, most boxes touch several strips.
bp_status bp_strip_grid_sort(bp_strip_grid *grid, const bp_strip_sets *sets, bool *gave_up) {
    const uint32_t workers = grid->setup->runtime.executor.workers;
    const size_t count = count_of(sets);
    grid->entry_count = 0;
    grid->is_shared = workers > 1 && count >= (workers < 4 ? TWO_SHARE_FROM : FOUR_SHARE_FROM);
    const double share = is_one_small(sets) ? SIEVED_SHARE : ENTRIES_SLACK;
    const size_t likely = room_for(count, share * grid->entries_expected), most = room_for(count, ENTRIES_PER_BOX);
    *gave_up = true;
    for (size_t room = likely < most ? likely : most; *gave_up && room > 0; room = room < most ? most : 0) {
        if (!reserve_block(grid, count, room)) {
            return BP_ERROR_MEMORY;
        }
        *gave_up = !make_entries(grid, sets, room);
    }
    if (!*gave_up) {
        sort_entries(grid);
        const bp_executor *executor = &grid->setup->runtime.executor;
        const uint64_t entries = grid->entry_count;
        end_search e;
        e.grid = grid;
        e.blocks = bp_blocks_cut(executor, grid->entry_count, ENDS_MIN, ENDS_BLOCKS);
        bp_parallel_for(executor, e.blocks.count, task_find_ends, &e);
        grid->tests = 0 - entries * (entries + 1) / 2; // from the sum of all ends to the number of candidates
        for (size_t i = 0; i < e.blocks.count; ++i) {
            grid->tests += e.sums[i];
        }
        *gave_up = grid->tests > (uint64_t)TESTS_PER_BOX * count;
    }
    return BP_OK;
}

// ---- 4. fill --------------------------------------------------------------------------------------------------------

typedef struct filling {
    const bp_strip_grid *grid;
    const bp_strip_sets *sets;
    bp_blocks blocks;
} filling;

// Many boxes are not in the cache: those of the next entries are prefetched.
static void task_fill(void *context, size_t block) {
    const filling *f = context;
    const bp_strip_grid *grid = f->grid;
    const bp_columns *columns = &grid->columns;
    const size_t begin = bp_block_begin(f->blocks, block), end = bp_block_begin(f->blocks, block + 1);
    const bool are_far = grid->entry_count > (size_t)BP_STRIPS_FEW * (size_t)ENTRIES_PER_BOX;
    for (size_t at = begin, stop; at < end; at = stop) {
        stop = are_far && end - at > AHEAD ? at + AHEAD : end;
        for (size_t i = stop; i < end && i < stop + AHEAD; ++i) {
            const bp_box *box = bp_entry_box(f->sets, grid->sorted[i]);
            bp_prefetch(box->min);
            bp_prefetch(&box->max[2]);
        }
        grid->setup->kernels->gather_entries(columns, at, stop, grid->sorted, f->sets);
    }
    if (grid->setup->dimensions == 2) {
        memset(columns->min[2] + begin, 0, (end - begin) * sizeof(float));
        memset(columns->max[2] + begin, 0, (end - begin) * sizeof(float));
    }
}

// ---- 5. search ------------------------------------------------------------------------------------------------------

static void test_unit(const void *context, bp_range_tester *tester, size_t unit) {
    const bp_strip_grid *grid = context;
    const size_t last = (unit + 1) * ENTRIES_PER_UNIT;
    bp_strips_job job = {.columns = grid->columns.min[0],
                         .distance = (size_t)(grid->columns.min[1] - grid->columns.min[0]),
                         .ends = grid->keys,
                         .begin = unit * ENTRIES_PER_UNIT,
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

bp_status bp_strip_grid_find(bp_strip_grid *grid, const bp_strip_sets *sets, bp_sink *sink) {
    const bp_runtime *runtime = &grid->setup->runtime;
    filling f = {.grid = grid,
                 .sets = sets,
                 .blocks =
                     bp_blocks_cut(&runtime->executor, grid->entry_count, FILL_MIN, grid->is_shared ? SIZE_MAX : 1)};
    bp_parallel_for(&runtime->executor, f.blocks.count, task_fill, &f);
    const size_t units = (grid->entry_count + ENTRIES_PER_UNIT - 1) / ENTRIES_PER_UNIT;
    const bp_range_search search = {.runtime = runtime,
                                    .kernels = grid->setup->kernels,
                                    .objects = &grid->columns,
                                    .candidates = &grid->columns,
                                    .pair_ids = BP_IDS_ASCENDING,
                                    .unit_count = units,
                                    .units_least = grid->is_shared ? 1 : units + 1,
                                    .unit = test_unit,
                                    .context = grid};
    sink->tests += grid->tests;
    const bp_status status = bp_range_search_run(&search, &grid->block_sinks, sink);
    const bool has_giants = grid->giants[0].count + grid->giants[1].count > 0;
    return status == BP_OK && has_giants && !bp_giants_find(grid->giants, grid->setup, sets, sink) ? BP_ERROR_MEMORY
                                                                                                   : status;
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

bp_status bp_strip_grid_validate(const bp_strip_grid *grid, const bp_box *boxes, size_t count) {
    uint32_t keys[BP_STRIP_ENTRIES];
    uint64_t entries[BP_STRIP_ENTRIES];
    size_t expected = 0;
    bool right = true;
    for (size_t id = bp_giants_skip(grid->giants, 0); id < count; id = bp_giants_skip(grid->giants, id + 1)) {
        const size_t number = bp_strips_entries_of(&grid->strips, &boxes[id], (uint32_t)id, keys, entries);
        for (size_t k = 0; k < number; ++k) {
            size_t found = 0; // among those of its key, with its box
            for (size_t i = grid->table[keys[k]]; i < grid->table[keys[k] + 1]; ++i) {
                found += grid->sorted[i] == entries[k] && grid->columns.id[i] == (uint32_t)entries[k] &&
                         bp_columns_hold(&grid->columns, i, &boxes[id], grid->setup->dimensions);
            }
            right &= found == 1;
        }
        expected += number;
    }
    if (!right || expected != grid->entry_count) {
        bp_log_write(&grid->setup->runtime.log, "strips: the entries do not match the boxes");
        return BP_ERROR_INTERNAL;
    }
    return BP_OK;
}

// ---- the method: boxes that strips do not suit are tested all with all ----------------------------------------------

typedef struct strips {
    const bp_box *boxes;
    size_t count;
    bool do_suit;
    bp_strip_grid grid;
    bp_all_pairs all;
} strips;

static void strips_init(void *state, const bp_method_setup *setup) {
    strips *s = state;
    *s = (strips){.all = {.setup = setup}};
    bp_strip_grid_init(&s->grid, setup);
}

static void strips_free(void *state) {
    strips *s = state;
    bp_strip_grid_free(&s->grid);
    bp_all_pairs_free(&s->all);
}

// Sorts what strips suit; else all pairs will be tested.
static bp_status sort_if_suitable(strips *s, const bp_strip_sets *sets) {
    bool gave_up = true;
    const bp_status status =
        bp_strip_grid_suits(&s->grid, sets, 1.0) ? bp_strip_grid_sort(&s->grid, sets, &gave_up) : BP_OK;
    s->do_suit = !gave_up;
    return status;
}

static bp_status strips_build(void *state, const bp_box *boxes, size_t count) {
    strips *s = state;
    const bp_strip_sets set = bp_strip_one_set(boxes, count);
    s->boxes = boxes;
    s->count = count;
    const bp_status status = sort_if_suitable(s, &set);
    return status == BP_OK && !s->do_suit ? bp_all_pairs_build(&s->all, boxes, count) : status;
}

static bp_status strips_find(void *state, bp_sink *sink) {
    strips *s = state;
    const bp_strip_sets set = bp_strip_one_set(s->boxes, s->count);
    return s->do_suit ? bp_strip_grid_find(&s->grid, &set, sink) : bp_all_pairs_find(&s->all, sink);
}

static bp_status strips_find_two(void *state, const bp_box *a, size_t a_count, const bp_box *b, size_t b_count,
                                 bp_sink *sink) {
    strips *s = state;
    const bp_strip_sets both = bp_strip_two_sets(a, a_count, b, b_count);
    const bp_status status = sort_if_suitable(s, &both);
    if (status != BP_OK) {
        return status;
    }
    return s->do_suit ? bp_strip_grid_find(&s->grid, &both, sink)
                      : bp_all_pairs_find_between(&s->all, a, a_count, b, b_count, sink);
}

static bp_status strips_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    strips *s = state;
    return strips_find_two(state, boxes, count, s->boxes, s->count, sink);
}

static void strips_stats(const void *state, bp_stats *stats) {
    const strips *s = state;
    bp_stats all = {0};
    bp_all_pairs_stats(&s->all, &all);
    if (s->do_suit) {
        bp_strip_grid_stats(&s->grid, stats);
    } else {
        stats->update = BP_UPDATE_REBUILD;
    }
    stats->bytes += sizeof *s + all.bytes;
}

static bp_status strips_validate(const void *state) {
    const strips *s = state;
    return s->do_suit ? bp_strip_grid_validate(&s->grid, s->boxes, s->count) : BP_OK;
}

const bp_method_ops bp_strips_ops = {
    .name = "strips",
    .summary = "copies in strips of space, swept along x: for one call on many boxes of similar size, or long ones",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_THREADS,
    .state_bytes = sizeof(strips),
    .init = strips_init,
    .free = strips_free,
    .build = strips_build,
    .find = strips_find,
    .find_between = strips_find_between,
    .find_two = strips_find_two,
    .stats = strips_stats,
    .validate = strips_validate,
};
