// Finding pairs in a sorted grid, a few hundred boxes of a row at a time.
//
//     +-----+-----+-----+      A box x (in the cell of its min corner) needs the boxes after it in its own row, as far
//     | -+  |  0+ | ++  |      as it reaches. Of the rows above (y up, z out of the page) it needs
//     +-----+-----+-----+        +0  only if it crosses its cell's upper y face,
//           |  x→ | +0  |        0+  only if it crosses the upper z face,
//           +-----+-----+        ++  only if it crosses both,
//                                -+  only if it crosses the upper z face.
//
// With cells of twice the size these are 2.75 ranges per box instead of 5. Deciding that by a branch per box would cost
// what it saves, so the boxes of a chunk are first listed by the faces they cross, without a branch. Chunks begin at
// fixed places of a row, and blocks of work are whole chunks: the order of the pairs is the same for any number of
// blocks.
#include "base/boxes.h"
#include "engine/grid/sorted_grid.h"

#include <string.h>

enum {
    BOXES_PER_UNIT = 1024, // about
    RANGE = 256,           // boxes in levels that are tested together against scanned boxes
    RANGES_PER_UNIT = 16,  // ranges that are one unit
    BOUNDED_MIN = 4,       // scanned boxes for which the bounds of a range pay
    SCAN_BATCH = 65536,    // other scanned boxes that a scanned box is tested against at once
    SCAN_TESTS = 8,        // such tests that are one unit
    SPARSE_LEVEL = 16,     // boxes; at this number both ways cost the same
    BETWEEN = 32,          // boxes of one set that are searched for in another together
    NEAR = 65536,          // boxes of a grid that fits into the cache
    ROWS_AHEAD = 8         // rows per axis that are prefetched, at most
};

// ---- cells and rows -------------------------------------------------------------------------------------------------

// The first table entry of a row of a level; y and z are folded.
static inline const uint32_t *row_at(const bp_sorted_grid *grid, const bp_level *level, int32_t y, int32_t z) {
    const uint32_t folded_y = (uint32_t)y & ((1u << level->bits[1]) - 1);
    const uint32_t folded_z = (uint32_t)z & ((1u << level->bits[2]) - 1);
    const size_t row = (size_t)(folded_z << level->bits[1] | folded_y);
    return bp_sorted_grid_table(grid) + level->first_cell + (row << level->bits[0]);
}

// The first and last cell along an axis whose boxes can touch min .. max. In 64 bits, because the slack may be less
// than the distance of two floats.
static inline int32_t lowest_cell(const bp_level *level, int axis, double min) {
    return bp_cell_of_double(min - (double)level->reach[axis], level->inverse[axis]);
}

static inline int32_t highest_cell(const bp_level *level, int axis, double max) {
    return bp_cell_of_double(max, level->inverse[axis]);
}

typedef struct cell_range {
    int32_t low, count;
} cell_range;

// The same as a first cell and a number of cells: at most as many as the folded grid has.
static inline cell_range cell_range_of(const bp_level *level, int axis, float min, float max) {
    const int32_t low = lowest_cell(level, axis, (double)min), high = highest_cell(level, axis, (double)max);
    const int32_t most = (int32_t)(1u << level->bits[axis]);
    return (cell_range){.low = low, .count = (int64_t)high - low < most ? high - low + 1 : most};
}

BP_PREFETCHER prefetch_boxes(const bp_columns *columns, size_t position) {
    for (int axis = 0; axis < 3; ++axis) {
        bp_prefetch(columns->min[axis] + position);
        bp_prefetch(columns->max[axis] + position);
    }
    bp_prefetch(columns->id + position);
}

// Lists a box against the cells low .. high of a row, folded: one range, or two if it crosses the edge.
static inline void add_folded_row(bp_range_tester *t, size_t object, const uint32_t *row, uint32_t bits, int32_t low,
                                  int32_t high) {
    const uint32_t cells = 1u << bits;
    const uint32_t first = (uint32_t)low & (cells - 1), last = (uint32_t)high & (cells - 1);
    const bool all = (uint32_t)high - (uint32_t)low >= cells - 1;
    if (!all && first <= last) {
        bp_range_tester_add(t, object, row[first], row[last + 1]);
    } else if (all) {
        bp_range_tester_add(t, object, row[0], row[cells]);
    } else {
        bp_range_tester_add(t, object, row[first], row[cells]);
        bp_range_tester_add(t, object, row[0], row[last + 1]);
    }
}

// ---- inside a level -------------------------------------------------------------------------------------------------

// Neighbouring boxes of one row, and their measures.
typedef struct chunk {
    const bp_level *level;
    size_t begin, end;             // positions
    const uint32_t *rows[BP_ROWS]; // its own and the neighbours, NULL where there are none or they are empty
    bp_measures measures;
    uint16_t boxes[BP_CROSSINGS][BP_CHUNK]; // counted from begin, by the faces they cross
    size_t counts[BP_CROSSINGS];
} chunk;

// The neighbours on the upper side, and which faces a box must cross to need them.
typedef struct neighbour {
    int32_t y, z;
    size_t faces;
} neighbour;

static const neighbour NEIGHBOURS[BP_ROWS] = {
    {0, 0, 0}, {1, 0, BP_CROSSES_Y}, {0, 1, BP_CROSSES_Z}, {1, 1, BP_CROSSES_Y | BP_CROSSES_Z}, {-1, 1, BP_CROSSES_Z}};

// The rows that boxes need if they cross these faces, their own row first.
static size_t rows_for(const chunk *k, size_t crossed, const uint32_t *rows[BP_ROWS]) {
    size_t count = 0;
    for (size_t i = 0; i < BP_ROWS; ++i) {
        rows[count] = k->rows[i];
        count += k->rows[i] != NULL && (NEIGHBOURS[i].faces & ~crossed) == 0;
    }
    return count;
}

// Tests boxes that cross the same faces against their rows, where no range crosses the edge.
static void test_rows_alike(bp_range_tester *t, const chunk *k, size_t crossed) {
    bp_range_test remaining[BP_ROWS * BP_CHUNK];
    bp_rows_job job = {.columns = t->objects->min[0],
                       .distance = (size_t)(t->objects->min[1] - t->objects->min[0]),
                       .measures = &k->measures,
                       .position = k->begin,
                       .boxes = k->boxes[crossed],
                       .box_count = k->counts[crossed],
                       .mask = (1u << k->level->bits[0]) - 1,
                       .remaining = remaining};
    job.row_count = rows_for(k, crossed, job.rows);
    size_t room = 0, remaining_count = 0;
    job.out = bp_sink_room(t->sink, BP_FIRST * job.row_count * job.box_count + BP_COLUMN_PADDING, &room);
    if (job.out == NULL) {
        t->failed = true;
        return;
    }
    const size_t found = t->kernels->test_rows(&job, &remaining_count, &t->sink->tests);
    t->found += found;
    bp_sink_commit(t->sink, job.out, found);
    bp_range_tester_run(t, remaining, remaining_count);
}

// The same where ranges may cross the edge. The last cell that a box reaches may then be before it in its own row.
static void test_rows_around(bp_range_tester *t, const chunk *k, size_t crossed) {
    const uint32_t *rows[BP_ROWS];
    const size_t row_count = rows_for(k, crossed, rows);
    const uint32_t bits = k->level->bits[0], mask = (1u << bits) - 1;
    for (size_t i = 0; i < k->counts[crossed]; ++i) {
        const size_t box = k->boxes[crossed][i], p = k->begin + box;
        const uint32_t end = rows[0][((uint32_t)k->measures.high[box] & mask) + 1];
        bp_range_tester_reserve(t, (size_t)2 * BP_ROWS);
        bp_range_tester_add(t, p, (uint32_t)p + 1, end > p ? end : rows[0][mask + 1]);
        bp_range_tester_add(t, p, rows[0][0], end > p ? rows[0][0] : end);
        for (size_t r = 1; r < row_count; ++r) {
            add_folded_row(t, p, rows[r], bits, k->measures.low[box], k->measures.high[box]);
        }
    }
}

// ---- across levels --------------------------------------------------------------------------------------------------

// The part of a level that a box reaches: rows, and the cells of each.
typedef struct level_reach {
    cell_range y, z;
    int32_t low, high;
} level_reach;

static inline level_reach level_reach_of(const bp_columns *c, size_t p, const bp_level *level) {
    return (level_reach){.y = cell_range_of(level, 1, c->min[1][p], c->max[1][p]),
                         .z = cell_range_of(level, 2, c->min[2][p], c->max[2][p]),
                         .low = lowest_cell(level, 0, (double)c->min[0][p]),
                         .high = highest_cell(level, 0, (double)c->max[0][p])};
}

// Tests a box against the part that it reaches; against the whole level if it reaches more rows than the level has
// boxes.
static inline void search_reach(bp_range_tester *t, size_t p, const level_reach *r, const bp_sorted_grid *grid,
                                const bp_level *level) {
    const size_t rows = (size_t)r->y.count * (size_t)r->z.count;
    if (rows > level->count) {
        const uint32_t *table = bp_sorted_grid_table(grid) + level->first_cell;
        bp_range_tester_add_long(t, p, table[0], table[bp_level_cells(level)]);
        return;
    }
    if (!bp_range_tester_visit(t, rows)) {
        return;
    }
    for (int32_t dz = 0; dz < r->z.count; ++dz) {
        for (int32_t dy = 0; dy < r->y.count; ++dy) {
            bp_range_tester_reserve(t, 2);
            add_folded_row(t, p, row_at(grid, level, r->y.low + dy, r->z.low + dz), level->bits[0], r->low, r->high);
        }
    }
}

// Tests boxes against a level that is not their own.
static void search_level(bp_range_tester *t, size_t begin, size_t end, const bp_sorted_grid *grid,
                         const bp_level *level) {
    for (size_t p = begin; p < end && !t->failed; ++p) {
        const level_reach r = level_reach_of(t->objects, p, level);
        search_reach(t, p, &r, grid, level);
    }
}

// Whether a level has so few boxes that testing each against all finer boxes is cheaper than searching the level for
// each of those.
static bool is_sparse(const bp_level *level) {
    return level->count <= SPARSE_LEVEL;
}

// About how many rows of another level a box of this one has to search.
static double rows_across(const bp_level *own, const bp_level *other) {
    double rows = 1.0;
    for (int axis = 1; axis < 3; ++axis) {
        const double cells = ((double)own->reach[axis] + (double)other->reach[axis]) * other->inverse[axis];
        rows *= fmin(cells + 1.0, (double)(1u << other->bits[axis]));
    }
    return rows;
}

// Whether the boxes of a coarser level search a finer one, and not the other way round. Each then has many rows to
// search, but where the coarser boxes are few that is less work. (The first comparison is for speed: there may be
// hundreds of levels.)
static bool coarse_searches_fine(const bp_level *coarse, const bp_level *fine) {
    return coarse->count < fine->count / 2 &&
           (double)coarse->count * rows_across(coarse, fine) < (double)fine->count * rows_across(fine, coarse);
}

static void search_other_levels(bp_range_tester *t, const chunk *k, const bp_sorted_grid *grid) {
    const uint32_t level_begin = bp_sorted_grid_table(grid)[k->level->first_cell];
    for (size_t p = k->begin; p < k->end && is_sparse(k->level); ++p) {
        bp_range_tester_add_long(t, p, 0, level_begin);
    }
    for (const bp_level *level = bp_level_at(&grid->levels, 0); level < k->level && !is_sparse(k->level); ++level) {
        if (coarse_searches_fine(k->level, level)) {
            search_level(t, k->begin, k->end, grid, level);
        }
    }
    for (const bp_level *level = k->level + 1; level < bp_level_at(&grid->levels, grid->levels.count); ++level) {
        if (!is_sparse(level) && !coarse_searches_fine(level, k->level)) {
            search_level(t, k->begin, k->end, grid, level);
        }
    }
}

// ---- units of work --------------------------------------------------------------------------------------------------

// Boxes begin .. end-1 of a row, chunk by chunk.
static void search_row(bp_range_tester *t, const bp_sorted_grid *grid, const bp_level *level, size_t row, size_t begin,
                       size_t end) {
    const int32_t y = (int32_t)(row & ((1u << level->bits[1]) - 1)), z = (int32_t)(row >> level->bits[1]);
    const size_t cells = (size_t)1 << level->bits[0];
    chunk k;
    k.level = level;
    for (size_t i = 0; i < BP_ROWS; ++i) {
        const neighbour n = NEIGHBOURS[i];
        // An axis of one cell has no neighbours: they would be the row itself.
        const bool distinct = (n.y == 0 || level->bits[1] > 0) && (n.z == 0 || level->bits[2] > 0);
        const uint32_t *at = row_at(grid, level, y + n.y, z + n.z);
        k.rows[i] = distinct && at[0] < at[cells] ? at : NULL;
    }
    // The one row that the next row of boxes will be the first to need is prefetched; not all of a long row, which is
    // searched by many units.
    const uint32_t *next = row_at(grid, level, y + 2, z + 1);
    for (size_t p = next[0], stop = next[cells] - p < BOXES_PER_UNIT ? next[cells] : p + BOXES_PER_UNIT; p < stop;
         p += 16) {
        prefetch_boxes(&grid->columns, p);
    }
    for (k.begin = begin; k.begin < end && !t->failed; k.begin = k.end) {
        k.end = end - k.begin < BP_CHUNK ? end : k.begin + BP_CHUNK;
        grid->setup->kernels->measure(&grid->columns, k.begin, k.end - k.begin, level, &k.measures);
        memset(k.counts, 0, sizeof k.counts);
        for (size_t i = 0; i < k.end - k.begin; ++i) {
            const int32_t crossed = k.measures.crossed[i];
            k.boxes[crossed][k.counts[crossed]++] = (uint16_t)i;
        }
        for (size_t crossed = 0; crossed < BP_CROSSINGS; ++crossed) {
            if (k.counts[crossed] > 0 && (crossed & BP_CROSSES_EDGE) == 0) {
                test_rows_alike(t, &k, crossed);
            } else if (k.counts[crossed] > 0) {
                test_rows_around(t, &k, crossed);
            }
        }
        search_other_levels(t, &k, grid);
        bp_range_tester_flush(t);
    }
}

// The last cell that begins at or before a position.
static size_t cell_at_position(const bp_sorted_grid *grid, size_t position) {
    const uint32_t *table = bp_sorted_grid_table(grid);
    size_t low = 0, high = grid->cell_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (table[middle] <= position) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// The last beginning of a chunk at or before a position.
static size_t chunk_begin(const bp_sorted_grid *grid, size_t position) {
    if (position >= grid->grid_count) {
        return grid->grid_count;
    }
    const size_t cell = cell_at_position(grid, position);
    const bp_level *level = bp_sorted_grid_level_of_cell(grid, cell);
    const size_t row = (cell - level->first_cell) >> level->bits[0];
    const size_t row_begin = bp_sorted_grid_table(grid)[level->first_cell + (row << level->bits[0])];
    return row_begin + (position - row_begin) / BP_CHUNK * BP_CHUNK;
}

// Finds the pairs of the boxes at begin .. end-1; both are beginnings of chunks.
static void search_positions(bp_range_tester *t, const bp_sorted_grid *grid, size_t begin, size_t end) {
    const uint32_t *table = bp_sorted_grid_table(grid);
    if (begin >= end) {
        return;
    }
    size_t cell = cell_at_position(grid, begin);
    for (const bp_level *level = bp_sorted_grid_level_of_cell(grid, cell); begin < end; ++level) {
        const size_t rows = bp_level_cells(level) >> level->bits[0];
        for (size_t row = (cell - level->first_cell) >> level->bits[0]; row < rows && begin < end; ++row) {
            const size_t row_end = table[level->first_cell + ((row + 1) << level->bits[0])];
            if (begin < row_end) {
                const size_t stop = row_end < end ? row_end : end;
                search_row(t, grid, level, row, begin, stop);
                begin = stop;
            }
        }
        cell = level->first_cell + bp_level_cells(level);
    }
}

// ---- scanned boxes --------------------------------------------------------------------------------------------------

static bp_box bounds_of_range(const bp_sorted_grid *grid, size_t begin, size_t end) {
    bp_box bounds;
    for (int axis = 0; axis < 3; ++axis) {
        float high = -INFINITY, low = INFINITY; // bounds of the other ends, which are not used
        bounds.min[axis] = INFINITY;
        bounds.max[axis] = -INFINITY;
        grid->setup->kernels->extend_bounds(grid->columns.min[axis] + begin, end - begin, &bounds.min[axis], &high);
        grid->setup->kernels->extend_bounds(grid->columns.max[axis] + begin, end - begin, &low, &bounds.max[axis]);
    }
    return bounds;
}

// Tests boxes in levels against all scanned boxes that touch their bounds. Walls around a scene touch hardly any: if
// the boxes are inside the walls, so are their bounds, however the cells are folded.
static void scan_range(bp_range_tester *t, const bp_sorted_grid *grid, size_t begin, size_t end) {
    const bool bounded = grid->total_count - grid->grid_count >= BOUNDED_MIN;
    const bp_box bounds = bounded ? bounds_of_range(grid, begin, end) : (bp_box){{0}, {0}};
    t->sink->tests += bounded ? grid->total_count - grid->grid_count : 0;
    for (size_t p = grid->grid_count; p < grid->total_count; ++p) {
        const bp_box scanned = bp_columns_box(&grid->columns, p);
        if (!bounded || bp_boxes_overlap(&bounds, &scanned, 3)) {
            bp_range_tester_reserve(t, 1);
            bp_range_tester_add(t, p, (uint32_t)begin, (uint32_t)end);
        }
    }
}

// A search for the pairs inside a grid. Its units are, one kind after the other:
typedef struct inner_search {
    const bp_sorted_grid *grid;
    size_t grid_units;   // boxes in levels against each other
    size_t range_units;  // boxes in levels against scanned boxes
    size_t scan_tests;   // scanned boxes against each other, SCAN_TESTS of these in a unit ...
    size_t scan_batches; // ... and this many for each box
} inner_search;

static void search_unit_inside(const void *context, bp_range_tester *t, size_t unit) {
    const inner_search *s = context;
    if (unit < s->grid_units) {
        search_positions(t, s->grid, chunk_begin(s->grid, unit * BOXES_PER_UNIT),
                         chunk_begin(s->grid, (unit + 1) * BOXES_PER_UNIT));
    } else if (unit < s->grid_units + s->range_units) {
        const size_t first = (unit - s->grid_units) * RANGES_PER_UNIT * RANGE, all = s->grid->grid_count;
        const size_t stop =
            all - first < (size_t)RANGES_PER_UNIT * RANGE ? all : first + (size_t)RANGES_PER_UNIT * RANGE;
        for (size_t begin = first; begin < stop; begin += RANGE) {
            scan_range(t, s->grid, begin, stop - begin < RANGE ? stop : begin + RANGE);
        }
    } else {
        // Scanned boxes against those before them, in n = scan_batches batches: test i is box i / n, batch i % n.
        const size_t first = s->grid->grid_count, begins = (unit - s->grid_units - s->range_units) * SCAN_TESTS;
        for (size_t test = begins; test < s->scan_tests && test < begins + SCAN_TESTS; ++test) {
            const size_t p = first + test / s->scan_batches, begin = first + test % s->scan_batches * SCAN_BATCH;
            const size_t end = p < begin + SCAN_BATCH ? p : begin + SCAN_BATCH;
            bp_range_tester_add(t, p, (uint32_t)begin, (uint32_t)(begin < end ? end : begin));
        }
    }
}

static size_t units_of(size_t count, size_t unit) {
    return (count + unit - 1) / unit;
}

bp_status bp_sorted_grid_find(bp_sorted_grid *grid, bp_sink *sink) {
    const size_t scanned = grid->total_count - grid->grid_count;
    const inner_search s = {.grid = grid,
                            .grid_units = units_of(grid->grid_count, BOXES_PER_UNIT),
                            .range_units =
                                scanned > 0 ? units_of(grid->grid_count, (size_t)RANGES_PER_UNIT * RANGE) : 0,
                            .scan_tests = bp_size_multiply(scanned, scanned / SCAN_BATCH + 1),
                            .scan_batches = scanned / SCAN_BATCH + 1};
    const bp_range_search search = {.runtime = &grid->setup->runtime,
                                    .kernels = grid->setup->kernels,
                                    .objects = &grid->columns,
                                    .candidates = &grid->columns,
                                    .pair_ids = BP_IDS_ASCENDING,
                                    .unit_count = s.scan_tests == SIZE_MAX ? SIZE_MAX
                                                                           : s.grid_units + s.range_units +
                                                                                 units_of(s.scan_tests, SCAN_TESTS),
                                    .unit = search_unit_inside,
                                    .context = &s};
    return bp_range_search_run(&search, &grid->block_sinks, sink);
}

// ---- between two grids ----------------------------------------------------------------------------------------------

typedef struct between_search {
    const bp_columns *objects;
    size_t object_count;
    const bp_sorted_grid *candidates;
} between_search;

// Tests at most BETWEEN boxes of one grid against a level of another. Of a large grid, the table entries at which rows begin
// are prefetched, and then the candidates of tests: many more are listed before these run.
static void search_level_between(bp_range_tester *t, size_t begin, size_t end, const bp_sorted_grid *grid,
                                 const bp_level *level) {
    level_reach reaches[BETWEEN];
    const bool far = grid->total_count > NEAR;
    for (size_t p = begin; p < end; ++p) {
        const level_reach r = reaches[p - begin] = level_reach_of(t->objects, p, level);
        const uint32_t low = (uint32_t)r.low & ((1u << level->bits[0]) - 1);
        for (int32_t dz = 0; far && dz < r.z.count && dz < ROWS_AHEAD; ++dz) {
            for (int32_t dy = 0; dy < r.y.count && dy < ROWS_AHEAD; ++dy) {
                bp_prefetch(row_at(grid, level, r.y.low + dy, r.z.low + dz) + low);
            }
        }
    }
    for (size_t p = begin; p < end; ++p) {
        const size_t listed = t->test_count;
        search_reach(t, p, &reaches[p - begin], grid, level);
        for (size_t i = listed; far && i < t->test_count; ++i) {
            for (size_t at = t->tests[i].begin & ~(size_t)15; at < t->tests[i].end; at += 16) {
                prefetch_boxes(t->candidates, at);
            }
        }
    }
}

// Tests boxes of one grid against all levels and all scanned boxes of another.
static void search_group_between(bp_range_tester *t, size_t begin, size_t end, const bp_sorted_grid *grid) {
    for (size_t i = 0; i < grid->levels.count; ++i) {
        if (bp_level_at(&grid->levels, i)->count > 0) {
            search_level_between(t, begin, end, grid, bp_level_at(&grid->levels, i));
        }
    }
    for (size_t p = begin; p < end; ++p) {
        bp_range_tester_add_long(t, p, (uint32_t)grid->grid_count, (uint32_t)grid->total_count);
    }
}

static void search_unit_between(const void *context, bp_range_tester *t, size_t unit) {
    const between_search *s = context;
    const size_t total = s->object_count;
    const size_t begin = unit * BP_CHUNK, end = begin + BP_CHUNK < total ? begin + BP_CHUNK : total;
    for (size_t p = begin; p < end && !t->failed; p += BETWEEN) {
        search_group_between(t, p, p + BETWEEN < end ? p + BETWEEN : end, s->candidates);
        bp_range_tester_flush(t);
    }
}

static bp_status search_between(bp_sorted_grid *objects, const bp_sorted_grid *candidates, bp_pair_ids pair_ids,
                                bp_sink *sink) {
    const between_search s = {
        .objects = &objects->columns, .object_count = objects->total_count, .candidates = candidates};
    const bp_range_search search = {.runtime = &objects->setup->runtime,
                                    .kernels = candidates->setup->kernels,
                                    .objects = s.objects,
                                    .candidates = &candidates->columns,
                                    .pair_ids = pair_ids,
                                    .unit_count = units_of(s.object_count, BP_CHUNK),
                                    .unit = search_unit_between,
                                    .context = &s};
    return bp_range_search_run(&search, &objects->block_sinks, sink);
}

// About how many rows all boxes of one grid have to search in another.
static double rows_between(const bp_sorted_grid *objects, const bp_sorted_grid *candidates) {
    double rows = 0.0;
    for (size_t i = 0; i < objects->levels.count; ++i) {
        const bp_level *own = bp_level_at(&objects->levels, i);
        for (size_t j = 0; own->count > 0 && j < candidates->levels.count; ++j) {
            const bp_level *other = bp_level_at(&candidates->levels, j);
            rows += other->count > 0 ? (double)own->count * rows_across(own, other) : 0.0;
        }
    }
    return rows;
}

// Cells follow the sizes of the boxes in them, so searching for small boxes among large ones is usually cheaper than
// the other way round: 200,000 tetrahedra in a shell against 40,000 points take 4.4e6 tests this way, 5.2e7 the other.
bp_status bp_sorted_grid_find_between(bp_sorted_grid *first, bp_sorted_grid *second, bp_sink *sink) {
    return rows_between(first, second) <= rows_between(second, first)
               ? search_between(first, second, BP_IDS_BY_ROLE, sink)
               : search_between(second, first, BP_IDS_BY_ROLE_SWAPPED, sink);
}
