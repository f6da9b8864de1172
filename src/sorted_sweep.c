// Finding pairs in a sorted grid, a few hundred boxes of a row at a time.
//
//     +-----+-----+-----+      A box x (its cell by its min corner) needs of its own row what follows it, as far as it
//     | -+  |  0+ | ++  |      reaches. Of the rows above (y up, z out of the page) it needs
//     +-----+-----+-----+        +0  only if it crosses its cell's upper y face,
//           |  x→ | +0  |        0+  only if it crosses the upper z face,
//           +-----+-----+        ++  only if it crosses both,
//                                -+  only if it crosses the upper z face.
//
// With cells of twice the size these are 2.75 ranges a box instead of 5. Deciding that by a branch per box would cost
// what it saves, so the boxes of a chunk are first listed by the faces they cross, without a branch. Chunks begin at fixed places of a row, and blocks of work are whole chunks: the order of the pairs is the
// same for any number of blocks.
#include "parallel.h"
#include "sorted_grid.h"

#include <string.h>

enum {
    ITEMS = 1024,       // list entries that are swept together
    BLOCK_LEAST = 4096, // boxes that are worth a task
    SEGMENT = 65536,    // candidates that are worth a task for a scanned box
    BLOCKS_MAX = 1024,
    SPARSE_LEVEL = 16, // boxes; where both ways cost the same
    SCAN_CHUNK = 8     // items of scanned boxes that are swept together
};

typedef struct sweeper {
    const bp_sorted_grid *objects;    // whose boxes are swept ...
    const bp_sorted_grid *candidates; // ... against these; the same grid unless between two sets
    bp_sink *sink;
    bool ordered;
    bool failed; // memory ran short
    size_t item_count;
    bp_sweep_item items[ITEMS];
} sweeper;

static sweeper sweeper_for(const bp_sorted_grid *objects, const bp_sorted_grid *candidates, bp_sink *sink) {
    return (sweeper){.objects = objects, .candidates = candidates, .sink = sink, .ordered = objects == candidates};
}

// A place for what one sweep of `candidates` could find at most; false if memory is short.
static bool find_room(sweeper *s, size_t candidates, bp_pair **out, size_t *room) {
    *out = bp_sink_room(s->sink, candidates + BP_COLUMN_PADDING, room);
    s->failed |= *out == NULL;
    return !s->failed;
}

static void sweep_items(sweeper *s, const bp_sweep_item *items, size_t count) {
    for (size_t done = 0, some = 0; done < count; done += some) {
        bp_sweep_job job = {.objects = &s->objects->columns,
                            .candidates = &s->candidates->columns,
                            .items = items + done,
                            .item_count = count - done,
                            .ordered = s->ordered};
        if (!find_room(s, job.items[0].end - job.items[0].begin, &job.out, &job.room)) {
            return;
        }
        bp_sink_commit(s->sink, job.out, s->objects->kernels->sweep(&job, &some));
    }
}

static void flush(sweeper *s) {
    for (size_t i = 0; i < s->item_count; ++i) {
        s->sink->tests += s->items[i].end - s->items[i].begin;
    }
    sweep_items(s, s->items, s->item_count);
    s->item_count = 0;
}

// Appends an item, unless its range is empty; without a branch on that.
static inline void push(sweeper *s, size_t object, uint32_t begin, uint32_t end) {
    s->items[s->item_count] = (bp_sweep_item){.object = (uint32_t)object, .begin = begin, .end = end};
    s->item_count += begin < end;
}

// The lists are empty when a chunk begins: so the order of its pairs does not depend on what came before it.
static inline void make_room(sweeper *s, size_t items) {
    if (s->item_count + items > ITEMS) {
        flush(s);
    }
}

// The boxes of the cells low .. high of a row, folded: one range, or two where it goes over the edge.
static inline void push_row(sweeper *s, size_t object, const uint32_t *row, uint32_t bits, int32_t low, int32_t high) {
    const uint32_t cells = 1u << bits;
    const uint32_t first = (uint32_t)low & (cells - 1), last = (uint32_t)high & (cells - 1);
    const bool all = (uint32_t)high - (uint32_t)low >= cells - 1;
    if (!all && first <= last) {
        push(s, object, row[first], row[last + 1]);
    } else if (all) {
        push(s, object, row[0], row[cells]);
    } else {
        push(s, object, row[first], row[cells]);
        push(s, object, row[0], row[last + 1]);
    }
}

// ---- inside a level -------------------------------------------------------------------------------------------------

// A stretch of boxes of one row, and what is known of each.
typedef struct chunk {
    const bp_level *level;
    size_t row;                    // inside the level
    size_t begin, end;             // positions
    const uint32_t *rows[BP_ROWS]; // its own and the neighbours, NULL where there are none or they are empty
    bp_measures measures;
    uint16_t boxes[BP_CROSSINGS][BP_CHUNK]; // counted from begin, by what they cross
    size_t counts[BP_CROSSINGS];
} chunk;

static void measure(const bp_sorted_grid *grid, chunk *k) {
    const size_t count = k->end - k->begin;
    grid->kernels->measure(&grid->columns, k->begin, count, k->level, &k->measures);
    memset(k->counts, 0, sizeof k->counts);
    for (size_t i = 0; i < count; ++i) {
        const int32_t crossed = k->measures.crossed[i];
        k->boxes[crossed][k->counts[crossed]++] = (uint16_t)i;
    }
}

// The first table entry of a row of a level; y and z are folded into it.
static const uint32_t *row_of(const bp_sorted_grid *grid, const bp_level *level, int32_t y, int32_t z) {
    const uint32_t folded_y = (uint32_t)y & ((1u << level->bits[1]) - 1);
    const uint32_t folded_z = (uint32_t)z & ((1u << level->bits[2]) - 1);
    const size_t row = (size_t)(folded_z << level->bits[1] | folded_y);
    return bp_sorted_grid_table(grid) + level->first_cell + (row << level->bits[0]);
}

// The neighbours on the upper side, and which faces a box must cross to need them.
typedef struct neighbour {
    int32_t y, z;
    size_t faces;
} neighbour;

static const neighbour NEIGHBOURS[BP_ROWS] = {
    {0, 0, 0}, {1, 0, BP_CROSSES_Y}, {0, 1, BP_CROSSES_Z}, {1, 1, BP_CROSSES_Y | BP_CROSSES_Z}, {-1, 1, BP_CROSSES_Z}};

static void find_rows(const bp_sorted_grid *grid, chunk *k) {
    const bp_level *level = k->level;
    const int32_t y = (int32_t)(k->row & ((1u << level->bits[1]) - 1)), z = (int32_t)(k->row >> level->bits[1]);
    for (size_t i = 0; i < BP_ROWS; ++i) {
        const neighbour n = NEIGHBOURS[i];
        // An axis of one cell has no neighbours: they would be the row itself.
        const bool distinct = (n.y == 0 || level->bits[1] > 0) && (n.z == 0 || level->bits[2] > 0);
        const uint32_t *row = row_of(grid, level, y + n.y, z + n.z);
        k->rows[i] = distinct && row[0] < row[(size_t)1 << level->bits[0]] ? row : NULL;
    }
}

// The rows that boxes need which cross these faces, their own first.
static size_t rows_for(const chunk *k, size_t crossed, const uint32_t *rows[BP_ROWS]) {
    size_t count = 0;
    for (size_t i = 0; i < BP_ROWS; ++i) {
        rows[count] = k->rows[i];
        count += k->rows[i] != NULL && (NEIGHBOURS[i].faces & ~crossed) == 0;
    }
    return count;
}

// Boxes that cross the same faces against their rows, where no range goes over the edge.
static void sweep_alike(sweeper *s, const chunk *k, size_t crossed) {
    bp_sweep_item rest[BP_ROWS * BP_CHUNK];
    bp_rows_job job = {.columns = s->objects->columns.min[0],
                       .distance = (size_t)(s->objects->columns.min[1] - s->objects->columns.min[0]),
                       .measures = &k->measures,
                       .position = k->begin,
                       .boxes = k->boxes[crossed],
                       .box_count = k->counts[crossed],
                       .mask = (1u << k->level->bits[0]) - 1,
                       .rest = rest};
    job.row_count = rows_for(k, crossed, job.rows);
    size_t room = 0, rest_count = 0;
    if (find_room(s, BP_FIRST * job.row_count * job.box_count, &job.out, &room)) {
        bp_sink_commit(s->sink, job.out, s->objects->kernels->sweep_rows(&job, &rest_count, &s->sink->tests));
        sweep_items(s, rest, rest_count);
    }
}

// The same where ranges may go over the edge. In its own row a box then finds its last cell before it.
static void sweep_around(sweeper *s, const chunk *k, size_t crossed) {
    const uint32_t *rows[BP_ROWS];
    const size_t row_count = rows_for(k, crossed, rows);
    const uint32_t bits = k->level->bits[0], mask = (1u << bits) - 1;
    for (size_t i = 0; i < k->counts[crossed]; ++i) {
        const size_t box = k->boxes[crossed][i], p = k->begin + box;
        const uint32_t end = rows[0][((uint32_t)k->measures.high[box] & mask) + 1];
        make_room(s, (size_t)2 * BP_ROWS);
        push(s, p, (uint32_t)p + 1, end > p ? end : rows[0][mask + 1]);
        push(s, p, rows[0][0], end > p ? rows[0][0] : end);
        for (size_t r = 1; r < row_count; ++r) {
            push_row(s, p, rows[r], bits, k->measures.low[box], k->measures.high[box]);
        }
    }
}

static void sweep_level(sweeper *s, const chunk *k) {
    for (size_t crossed = 0; crossed < BP_CROSSINGS; ++crossed) {
        if (k->counts[crossed] == 0) {
            continue;
        }
        if ((crossed & BP_CROSSES_EDGE) == 0) {
            sweep_alike(s, k, crossed);
        } else {
            sweep_around(s, k, crossed);
        }
    }
}

// ---- across levels --------------------------------------------------------------------------------------------------

typedef struct span {
    int32_t low, count;
} span;

// The cells along an axis that hold everything of a level that a box could touch.
static inline span span_of(const bp_level *level, int axis, float min, float max) {
    const int32_t low = bp_cell_of(min - level->reach[axis], level->inverse[axis]);
    const int32_t high = bp_cell_of(max, level->inverse[axis]);
    const int32_t most = (int32_t)(1u << level->bits[axis]);
    return (span){.low = low, .count = high - low < most ? high - low + 1 : most};
}

static void sweep_across(sweeper *s, size_t begin, size_t end, const bp_level *level) {
    const bp_columns *c = &s->objects->columns;
    for (size_t p = begin; p < end; ++p) {
        const span y = span_of(level, 1, c->min[1][p], c->max[1][p]);
        const span z = span_of(level, 2, c->min[2][p], c->max[2][p]);
        const int32_t low = bp_cell_of(c->min[0][p] - level->reach[0], level->inverse[0]);
        const int32_t high = bp_cell_of(c->max[0][p], level->inverse[0]);
        for (int32_t dz = 0; dz < z.count; ++dz) {
            for (int32_t dy = 0; dy < y.count; ++dy) {
                make_room(s, 2);
                push_row(s, p, row_of(s->candidates, level, y.low + dy, z.low + dz), level->bits[0], low, high);
            }
        }
    }
}

// A level of very few boxes: it is cheaper to test each of them against all finer boxes than to look there for each of
// those.
static bool is_sparse(const bp_level *level) {
    return level->count <= SPARSE_LEVEL;
}

static void sweep_other_levels(sweeper *s, const chunk *k) {
    const bp_levels *levels = &s->objects->levels;
    const uint32_t level_begin = bp_sorted_grid_table(s->objects)[k->level->first_cell];
    for (size_t p = k->begin; p < k->end && is_sparse(k->level); ++p) {
        make_room(s, 1);
        push(s, p, 0, level_begin);
    }
    for (const bp_level *level = k->level + 1; level < bp_level_at(levels, levels->count); ++level) {
        if (!is_sparse(level)) {
            sweep_across(s, k->begin, k->end, level);
        }
    }
}

// ---- blocks of work -------------------------------------------------------------------------------------------------

static void sweep_row(sweeper *s, const bp_level *level, size_t row, size_t begin, size_t end) {
    chunk k;
    k.level = level;
    k.row = row;
    find_rows(s->objects, &k);
    for (k.begin = begin; k.begin < end; k.begin = k.end) {
        k.end = end - k.begin < BP_CHUNK ? end : k.begin + BP_CHUNK;
        measure(s->objects, &k);
        sweep_level(s, &k);
        sweep_other_levels(s, &k);
        flush(s);
    }
}

// The last cell that begins at or before a position.
static size_t cell_at(const bp_sorted_grid *grid, size_t position) {
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

static const bp_level *level_of_cell(const bp_sorted_grid *grid, size_t cell) {
    size_t i = 0;
    while (i + 1 < grid->levels.count && bp_level_at(&grid->levels, i + 1)->first_cell <= cell) {
        ++i;
    }
    return bp_level_at(&grid->levels, i);
}

// The nearest beginning of a chunk at or before a position.
static size_t chunk_begin(const bp_sorted_grid *grid, size_t position) {
    if (position >= grid->grid_count) {
        return grid->grid_count;
    }
    const size_t cell = cell_at(grid, position);
    const bp_level *level = level_of_cell(grid, cell);
    const size_t row = (cell - level->first_cell) >> level->bits[0];
    const size_t row_begin = bp_sorted_grid_table(grid)[level->first_cell + (row << level->bits[0])];
    return row_begin + (position - row_begin) / BP_CHUNK * BP_CHUNK;
}

// Sweeps the boxes at begin .. end-1, both beginnings of chunks.
static void sweep_positions(sweeper *s, size_t begin, size_t end) {
    const uint32_t *table = bp_sorted_grid_table(s->objects);
    if (begin >= end) {
        return;
    }
    size_t cell = cell_at(s->objects, begin);
    for (const bp_level *level = level_of_cell(s->objects, cell); begin < end; ++level) {
        const size_t rows = bp_level_cells(level) >> level->bits[0];
        for (size_t row = (cell - level->first_cell) >> level->bits[0]; row < rows && begin < end; ++row) {
            const size_t row_end = table[level->first_cell + ((row + 1) << level->bits[0])];
            if (begin < row_end) {
                const size_t stop = row_end < end ? row_end : end;
                sweep_row(s, level, row, begin, stop);
                begin = stop;
            }
        }
        cell = level->first_cell + bp_level_cells(level);
    }
}

// Scanned boxes against everything before them, in segments: unit u is box u / segments, segment u % segments.
static void sweep_scanned(sweeper *s, size_t first_unit, size_t last_unit, size_t segments) {
    for (size_t unit = first_unit; unit < last_unit; ++unit) {
        const size_t p = s->objects->grid_count + unit / segments;
        const size_t begin = unit % segments * SEGMENT;
        const size_t end = p < begin + SEGMENT ? p : begin + SEGMENT;
        push(s, p, (uint32_t)begin, (uint32_t)(begin < end ? end : begin));
        if ((unit + 1) % SCAN_CHUNK == 0) {
            flush(s);
        }
    }
}

// One call: blocks of work, each with a sink of its own, joined in their order.
typedef struct find {
    bp_sorted_grid *objects;
    const bp_sorted_grid *candidates;
    size_t grid_blocks, scan_blocks;
    size_t scan_units, segments;
    bp_sink *sinks; // one per block, or the caller's if there is one worker
    bool shared;    // all blocks write to sinks[0], in turn
    bool failed[BLOCKS_MAX];
} find;

// Where part `index` of `parts` begins, at a multiple of `unit`.
static size_t part(size_t count, size_t index, size_t parts, size_t unit) {
    return index == parts ? count : (size_t)((unsigned long long)count * index / parts) / unit * unit;
}

static void run_block(const find *f, sweeper *s, size_t block) {
    if (block < f->grid_blocks) {
        const size_t count = f->objects->grid_count;
        sweep_positions(s, chunk_begin(f->objects, part(count, block, f->grid_blocks, 1)),
                        chunk_begin(f->objects, part(count, block + 1, f->grid_blocks, 1)));
    } else {
        const size_t i = block - f->grid_blocks;
        sweep_scanned(s, part(f->scan_units, i, f->scan_blocks, SCAN_CHUNK),
                      part(f->scan_units, i + 1, f->scan_blocks, SCAN_CHUNK), f->segments);
    }
}

// Between two sets: every box of the one against all levels and all scanned boxes of the other.
static void run_block_between(const find *f, sweeper *s, size_t block) {
    const bp_sorted_grid *a = f->objects, *b = f->candidates;
    const size_t begin = part(a->total_count, block, f->grid_blocks, BP_CHUNK);
    const size_t end = part(a->total_count, block + 1, f->grid_blocks, BP_CHUNK);
    for (size_t p = begin; p < end; ++p) {
        const bool scanned = p >= a->grid_count;
        for (size_t i = 0; !scanned && i < b->levels.count; ++i) {
            if (bp_level_at(&b->levels, i)->count > 0) {
                sweep_across(s, p, p + 1, bp_level_at(&b->levels, i));
            }
        }
        make_room(s, 1);
        push(s, p, scanned ? 0 : (uint32_t)b->grid_count, (uint32_t)b->total_count);
        if ((p + 1) % BP_CHUNK == 0) {
            flush(s);
        }
    }
}

static void task_block(void *context, size_t block) {
    find *f = context;
    sweeper s = sweeper_for(f->objects, f->candidates, &f->sinks[f->shared ? 0 : block]);
    if (f->objects == f->candidates) {
        run_block(f, &s, block);
    } else {
        run_block_between(f, &s, block);
    }
    flush(&s);
    f->failed[block] = s.failed;
}

static bool reserve_sinks(bp_sorted_grid *grid, size_t count, size_t limit) {
    const bp_allocator *allocator = &grid->config->allocator;
    if (!bp_buffer_reserve(&grid->sinks_buffer, allocator, grid->sink_count * sizeof(bp_sink), count,
                           sizeof(bp_sink))) {
        return false;
    }
    bp_sink *sinks = grid->sinks_buffer.data;
    for (; grid->sink_count < count; ++grid->sink_count) {
        sinks[grid->sink_count] = (bp_sink){.allocator = allocator};
    }
    for (size_t i = 0; i < count; ++i) {
        sinks[i].count = 0;
        sinks[i].tests = 0;
        sinks[i].limit = limit;
    }
    return true;
}

typedef struct join {
    const bp_sink *sinks;
    bp_pair *place;
} join;

static void task_copy(void *context, size_t block) {
    const join *j = context;
    bp_pair *place = j->place;
    for (size_t i = 0; i < block; ++i) {
        place += j->sinks[i].count;
    }
    if (j->sinks[block].count > 0) {
        memcpy(place, j->sinks[block].data, j->sinks[block].count * sizeof *place);
    }
}

// The pairs of all blocks, in their order. Where the caller's buffer is short, what fits is copied and all are counted.
static bool join_blocks(const bp_executor *executor, const bp_sink *blocks, size_t block_count, bp_sink *sink) {
    size_t total = 0;
    for (size_t i = 0; i < block_count; ++i) {
        total += blocks[i].count;
        sink->tests += blocks[i].tests;
    }
    if (total > sink->limit - sink->count) {
        for (size_t i = 0; i < block_count; ++i) {
            const size_t kept = blocks[i].count < blocks[i].capacity ? blocks[i].count : blocks[i].capacity;
            bp_sink_count(sink, blocks[i].data, kept, blocks[i].count);
        }
        return true;
    }
    size_t room = 0;
    join j = {.sinks = blocks, .place = bp_sink_room(sink, total, &room)};
    if (j.place == NULL) {
        return total == 0;
    }
    bp_parallel_for(executor, block_count, task_copy, &j);
    bp_sink_commit(sink, j.place, total);
    return true;
}

static bp_status run(find *f, bp_sink *sink) {
    bp_sorted_grid *grid = f->objects;
    const bp_executor *executor = &grid->config->executor;
    const size_t block_count = f->grid_blocks + f->scan_blocks;
    f->shared = executor->workers <= 1;
    if (f->shared) {
        f->sinks = sink;
    } else if (reserve_sinks(grid, block_count, sink->limit)) {
        f->sinks = grid->sinks_buffer.data;
    } else {
        return BP_ERROR_MEMORY;
    }
    bp_parallel_for(executor, block_count, task_block, f);
    for (size_t i = 0; i < block_count; ++i) {
        if (f->failed[i]) {
            return BP_ERROR_MEMORY;
        }
    }
    return f->shared || join_blocks(executor, f->sinks, block_count, sink) ? BP_OK : BP_ERROR_MEMORY;
}

static size_t blocks_for(const bp_sorted_grid *grid, size_t count, size_t least) {
    const size_t blocks = bp_parallel_blocks(&grid->config->executor, count, least);
    return blocks < BLOCKS_MAX / 2 ? blocks : BLOCKS_MAX / 2;
}

bp_status bp_sorted_grid_find(bp_sorted_grid *grid, bp_sink *sink) {
    find f = {.objects = grid, .candidates = grid, .segments = grid->total_count / SEGMENT + 1};
    f.scan_units = (grid->total_count - grid->grid_count) * f.segments;
    f.grid_blocks = blocks_for(grid, grid->grid_count, BLOCK_LEAST);
    f.scan_blocks = blocks_for(grid, f.scan_units, 1);
    return run(&f, sink);
}

bp_status bp_sorted_grid_find_between(bp_sorted_grid *first, bp_sorted_grid *second, bp_sink *sink) {
    find f = {.objects = first, .candidates = second};
    f.grid_blocks = blocks_for(first, first->total_count, BLOCK_LEAST);
    return run(&f, sink);
}
