#include "methods/uniform_grids/cell_search.h"

#include "base/parallel.h"

#include <string.h>

enum {
    BATCH = 64,      // cells of a unit of work
    SEGMENT = 65536, // candidates of a unit of work for a scanned box
};

void bp_cell_sweep_free(bp_cell_sweep *sweep) {
    const bp_allocator *allocator = &sweep->config->allocator;
    bp_buffer_free(&sweep->columns_buffer, allocator);
    bp_buffer_free(&sweep->starts, allocator);
    bp_buffer_free(&sweep->queries_buffer, allocator);
    bp_buffer_free(&sweep->plan_scratch, allocator);
    bp_sweep_pool_free(&sweep->pool, allocator);
}

void bp_cell_sweep_empty(bp_cell_sweep *sweep) {
    sweep->grid_count = 0;
    sweep->total_count = 0;
    sweep->occupied = 0;
    sweep->cells.planned = false;
}

void bp_cell_sweep_settle(bp_cell_sweep *sweep) {
    bp_cells *cells = &sweep->cells;
    const double per_cell = sweep->occupied > 0 ? (double)sweep->grid_count / (double)sweep->occupied : 0.0;
    if (cells->per_cell == 0.0) {
        cells->per_cell = per_cell;
    } else if (per_cell > 4.0 * cells->per_cell + 4.0 && sweep->config->cell_size == 0.0f) {
        cells->planned = false;
    }
}

// ---- the boxes of one cell ------------------------------------------------------------------------------------------

// The cells that hold everything a box may meet; in z only those from its own on are needed.
typedef struct span {
    uint32_t x_low, x_high, y_low, y_high, z_high;
} span;

// A stretch of the boxes of one cell.
typedef struct stretch {
    size_t begin, end; // positions
    span all;          // of all of them together
    span spans[BP_CHUNK];
} stretch;

static inline span span_at(const bp_cell_sweep *sweep, size_t p) {
    const bp_columns *c = &sweep->columns;
    const bp_cells *cells = &sweep->cells;
    return (span){.x_low = bp_cells_of(cells, 0, c->min[0][p] - cells->reach[0]), // may be infinite
                  .x_high = bp_cells_of_fitting(cells, 0, c->max[0][p]),
                  .y_low = bp_cells_of(cells, 1, c->min[1][p] - cells->reach[1]),
                  .y_high = bp_cells_of_fitting(cells, 1, c->max[1][p]),
                  .z_high = bp_cells_of_fitting(cells, 2, c->max[2][p])};
}

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static uint32_t most(uint32_t a, uint32_t b) {
    return a < b ? b : a;
}

static span join_spans(span a, span b) {
    return (span){.x_low = least(a.x_low, b.x_low),
                  .x_high = most(a.x_high, b.x_high),
                  .y_low = least(a.y_low, b.y_low),
                  .y_high = most(a.y_high, b.y_high),
                  .z_high = most(a.z_high, b.z_high)};
}

static void measure(const bp_cell_sweep *sweep, stretch *t) {
    t->all = t->spans[0] = span_at(sweep, t->begin);
    for (size_t p = t->begin + 1; p < t->end; ++p) {
        const span s = span_at(sweep, p);
        t->spans[p - t->begin] = s;
        t->all = join_spans(t->all, s);
    }
}

// Lists a range for those boxes of the stretch that reach it; without a branch on that.
static void push_range(bp_sweeper *s, const stretch *t, const bp_cell_range *range, uint32_t y, uint32_t z) {
    bp_sweeper_make_room(s, t->end - t->begin);
    for (size_t i = 0; i < t->end - t->begin; ++i) {
        const span *box = &t->spans[i];
        const bool wanted = (y >= box->y_low) & (y <= box->y_high) & (z <= box->z_high) & (range->last >= box->x_low) &
                            (range->first <= box->x_high);
        bp_sweeper_push(s, t->begin + i, range->begin, wanted ? range->end : range->begin);
    }
}

// The rest of the own cell and the cells that follow it in its row. Where these follow in the columns too, all that is
// one range.
static void sweep_own_row(const bp_cell_sweep *sweep, bp_sweeper *s, const stretch *t, uint32_t cell_end,
                          const uint32_t cell[3]) {
    bp_cell_range ranges[BP_ROW_CELLS];
    uint32_t own_end = cell_end;
    for (uint32_t first = cell[0] + 1; first <= t->all.x_high; first += BP_ROW_CELLS) {
        const uint32_t last = least(first + BP_ROW_CELLS - 1, t->all.x_high);
        const size_t count = sweep->lookup(sweep->index, first, last, cell[1], cell[2], ranges);
        for (size_t i = 0; i < count; ++i) {
            if (ranges[i].begin == own_end) {
                own_end = ranges[i].end;
            } else {
                push_range(s, t, &ranges[i], cell[1], cell[2]);
            }
        }
    }
    bp_sweeper_make_room(s, t->end - t->begin);
    for (size_t p = t->begin; p < t->end; ++p) {
        bp_sweeper_push(s, p, (uint32_t)p + 1, own_end);
    }
}

static void sweep_row(const bp_cell_sweep *sweep, bp_sweeper *s, const stretch *t, uint32_t y, uint32_t z) {
    bp_cell_range ranges[BP_ROW_CELLS];
    for (uint32_t first = t->all.x_low; first <= t->all.x_high; first += BP_ROW_CELLS) {
        const uint32_t last = least(first + BP_ROW_CELLS - 1, t->all.x_high);
        const size_t count = sweep->lookup(sweep->index, first, last, y, z, ranges);
        for (size_t i = 0; i < count; ++i) {
            push_range(s, t, &ranges[i], y, z);
        }
    }
}

static void cell_at(const bp_cell_sweep *sweep, size_t p, uint32_t cell[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        cell[axis] = bp_cells_of(&sweep->cells, axis, sweep->columns.min[axis][p]);
    }
}

// Boxes that reach further than the neighbouring cells.
static void sweep_any(const bp_cell_sweep *sweep, bp_sweeper *s, const stretch *t, uint32_t cell_end,
                      const uint32_t cell[3]) {
    sweep_own_row(sweep, s, t, cell_end, cell);
    for (uint32_t y = cell[1] + 1; y <= t->all.y_high; ++y) {
        sweep_row(sweep, s, t, y, cell[2]);
    }
    for (uint32_t z = cell[2] + 1; z <= t->all.z_high; ++z) {
        for (uint32_t y = t->all.y_low; y <= t->all.y_high; ++y) {
            sweep_row(sweep, s, t, y, z);
        }
    }
}

// ---- by rows --------------------------------------------------------------------------------------------------------

static inline void push_row(bp_sweeper *s, size_t p, const uint32_t *row, size_t low, size_t high, uint32_t wanted) {
    const uint32_t begin = row[low], end = row[high];
    bp_sweeper_push(s, p, begin, begin + (end - begin) * wanted);
}

// Without a branch: rows that a box does not need become empty ranges.
static void sweep_tables(const bp_cell_sweep *sweep, bp_sweeper *s, const stretch *t, const uint32_t cell[3],
                         const bp_row_tables *r) {
    const size_t stride = sweep->table_stride;
    for (size_t p = t->begin; p < t->end; ++p) {
        const span *box = &t->spans[p - t->begin];
        const uint32_t up = box->y_high > cell[1], down = box->y_low<cell[1], out = box->z_high> cell[2];
        const size_t low = (box->x_low - r->first) * stride, high = (box->x_high + 1 - r->first) * stride;
        bp_sweeper_make_room(s, BP_ROW_COUNT);
        bp_sweeper_push(s, p, (uint32_t)p + 1, r->rows[BP_ROW_OWN][high]);
        push_row(s, p, r->rows[BP_ROW_UP], low, high, r->there[BP_ROW_UP] & up);
        push_row(s, p, r->rows[BP_ROW_OUT], low, high, r->there[BP_ROW_OUT] & out);
        push_row(s, p, r->rows[BP_ROW_OUT_UP], low, high, r->there[BP_ROW_OUT_UP] & out & up);
        push_row(s, p, r->rows[BP_ROW_OUT_DOWN], low, high, r->there[BP_ROW_OUT_DOWN] & out & down);
    }
}

// ---- by cells -------------------------------------------------------------------------------------------------------

// The neighbours by their place, dx + 1 + 3 (dy + 1) + 9 dz, and a bit for each that is occupied.
enum { NEIGHBOURS = 18, BITS_X = 0x9249, BITS_Y = 0x201, BITS_PLANE = 0x1ff };

typedef struct neighbours {
    uint32_t occupied;
    bp_cell_range ranges[NEIGHBOURS];
} neighbours;

static uint32_t lowest_bit(uint32_t bits) {
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctz(bits);
#else
    uint32_t index = 0;
    for (; (bits & 1) == 0; bits >>= 1) {
        ++index;
    }
    return index;
#endif
}

static void look_around(const bp_cell_sweep *sweep, const stretch *t, const uint32_t cell[3], neighbours *n) {
    n->occupied = 0;
    for (uint32_t z = cell[2]; z <= t->all.z_high; ++z) {
        for (uint32_t y = z == cell[2] ? cell[1] : t->all.y_low; y <= t->all.y_high; ++y) {
            bp_cell_range found[3];
            const uint32_t first = z == cell[2] && y == cell[1] ? cell[0] + 1 : t->all.x_low;
            if (first > t->all.x_high) {
                continue;
            }
            const size_t count = sweep->lookup(sweep->index, first, t->all.x_high, y, z, found);
            for (size_t i = 0; i < count; ++i) {
                const uint32_t place = found[i].first + 1 - cell[0] + 3 * (y + 1 - cell[1]) + 9 * (z - cell[2]);
                n->ranges[place] = found[i];
                n->occupied |= 1u << place;
            }
        }
    }
}

// The places that a box reaches into.
static uint32_t places_of(const span *box, const uint32_t cell[3]) {
    const uint32_t left = box->x_low<cell[0], right = box->x_high> cell[0];
    const uint32_t down = box->y_low<cell[1], up = box->y_high> cell[1], out = box->z_high > cell[2];
    const uint32_t in_x = (left | 2 | right << 2) * BITS_X;
    const uint32_t in_y = (down * 7 | 7 << 3 | (up * 7) << 6) * BITS_Y;
    return in_x & in_y & (BITS_PLANE | (out * BITS_PLANE) << 9);
}

static void sweep_neighbours(const bp_cell_sweep *sweep, bp_sweeper *s, const stretch *t, uint32_t cell_end,
                             const uint32_t cell[3]) {
    neighbours n;
    look_around(sweep, t, cell, &n);
    for (size_t p = t->begin; p < t->end; ++p) {
        bp_sweeper_make_room(s, NEIGHBOURS + 1);
        bp_sweeper_push(s, p, (uint32_t)p + 1, cell_end);
        for (uint32_t bits = places_of(&t->spans[p - t->begin], cell) & n.occupied; bits != 0; bits &= bits - 1) {
            const bp_cell_range *range = &n.ranges[lowest_bit(bits)];
            bp_sweeper_push(s, p, range->begin, range->end);
        }
    }
}

// ---- one cell -------------------------------------------------------------------------------------------------------

// True if no box of the stretch reaches further than the neighbouring cells.
static bool is_near(const stretch *t, const uint32_t cell[3]) {
    return t->all.x_low + 1 >= cell[0] && t->all.x_high <= cell[0] + 1 && t->all.y_low + 1 >= cell[1] &&
           t->all.y_high <= cell[1] + 1 && t->all.z_high <= cell[2] + 1;
}

static void sweep_stretch(const bp_cell_sweep *sweep, bp_sweeper *s, const stretch *t, uint32_t cell_end,
                          const uint32_t cell[3]) {
    bp_row_tables tables;
    const bool near = is_near(t, cell);
    if (near && sweep->tables == NULL) {
        sweep_neighbours(sweep, s, t, cell_end, cell);
        return;
    }
    if (near) {
        sweep->tables(sweep->index, cell, &tables);
        if (t->all.x_low >= tables.first && t->all.x_high <= tables.last) {
            sweep_tables(sweep, s, t, cell, &tables);
            return;
        }
    }
    sweep_any(sweep, s, t, cell_end, cell);
}

static void sweep_cell(const bp_cell_sweep *sweep, bp_sweeper *s, uint32_t begin, uint32_t end) {
    uint32_t cell[3];
    stretch t;
    cell_at(sweep, begin, cell);
    for (t.begin = begin; t.begin < end; t.begin = t.end) {
        t.end = end - t.begin < BP_CHUNK ? end : t.begin + BP_CHUNK;
        measure(sweep, &t);
        sweep_stretch(sweep, s, &t, end, cell);
    }
}

// ---- all pairs ------------------------------------------------------------------------------------------------------

typedef struct search {
    const bp_cell_sweep *sweep;
    size_t cell_units; // then come those of the scanned boxes
    size_t segments;   // per scanned box
    size_t query_count;
} search;

static void unit_of_cells(const bp_cell_sweep *sweep, bp_sweeper *s, size_t index) {
    const uint32_t *starts = bp_cell_starts(sweep);
    const size_t stop = (index + 1) * BATCH < sweep->occupied ? (index + 1) * BATCH : sweep->occupied;
    for (size_t cell = index * BATCH; cell < stop; ++cell) {
        sweep_cell(sweep, s, starts[cell], starts[cell + 1]);
    }
}

// A scanned box against a segment of everything before it.
static void unit_of_scan(const search *f, bp_sweeper *s, size_t index) {
    const size_t p = f->sweep->grid_count + index / f->segments;
    const size_t begin = index % f->segments * SEGMENT;
    const size_t end = p < begin + SEGMENT ? p : begin + SEGMENT;
    if (begin < end) {
        bp_sweeper_push_range(s, p, (uint32_t)begin, (uint32_t)end);
    }
}

static void find_unit(const void *context, bp_sweeper *s, size_t index) {
    const search *f = context;
    if (index < f->cell_units) {
        unit_of_cells(f->sweep, s, index);
    } else {
        unit_of_scan(f, s, index - f->cell_units);
    }
}

bp_status bp_cell_sweep_find(bp_cell_sweep *sweep, bp_sink *sink) {
    search f = {.sweep = sweep, .cell_units = (sweep->occupied + BATCH - 1) / BATCH};
    f.segments = sweep->total_count / SEGMENT + 1;
    const bp_sweep_plan plan = {.config = sweep->config,
                                .objects = &sweep->columns,
                                .candidates = &sweep->columns,
                                .unit_count = f.cell_units + (sweep->total_count - sweep->grid_count) * f.segments,
                                .unit = find_unit,
                                .context = &f};
    return bp_sweep_pool_run(&sweep->pool, &plan, sink);
}

// ---- between two sets -----------------------------------------------------------------------------------------------

static void sweep_query_row(const bp_cell_sweep *sweep, bp_sweeper *s, size_t p, const uint32_t x[2], uint32_t y,
                            uint32_t z) {
    bp_cell_range ranges[BP_ROW_CELLS];
    for (uint32_t first = x[0]; first <= x[1]; first += BP_ROW_CELLS) {
        const uint32_t last = least(first + BP_ROW_CELLS - 1, x[1]);
        const size_t count = sweep->lookup(sweep->index, first, last, y, z, ranges);
        for (size_t i = 0; i < count; ++i) {
            bp_sweeper_push_range(s, p, ranges[i].begin, ranges[i].end);
        }
    }
}

// A box that covers more cells than are occupied is tested against all.
static void sweep_query(const bp_cell_sweep *sweep, bp_sweeper *s, size_t p) {
    uint32_t low[3] = {0}, high[3] = {0};
    double cells = 1.0;
    for (uint32_t axis = 0; axis < sweep->config->dimensions; ++axis) {
        low[axis] = bp_cells_of(&sweep->cells, (int)axis, sweep->queries.min[axis][p] - sweep->cells.reach[axis]);
        high[axis] = bp_cells_of(&sweep->cells, (int)axis, sweep->queries.max[axis][p]);
        cells *= (double)(high[axis] - low[axis] + 1);
    }
    const bool all = cells > (double)sweep->occupied;
    bp_sweeper_push_range(s, p, all ? 0 : (uint32_t)sweep->grid_count, (uint32_t)sweep->total_count);
    for (uint32_t z = low[2]; z <= high[2] && !all; ++z) {
        for (uint32_t y = low[1]; y <= high[1]; ++y) {
            sweep_query_row(sweep, s, p, (uint32_t[2]){low[0], high[0]}, y, z);
        }
    }
}

static void between_unit(const void *context, bp_sweeper *s, size_t index) {
    const search *f = context;
    const size_t stop = (index + 1) * BP_CHUNK < f->query_count ? (index + 1) * BP_CHUNK : f->query_count;
    for (size_t p = index * BP_CHUNK; p < stop; ++p) {
        sweep_query(f->sweep, s, p);
    }
}

bp_status bp_cell_sweep_find_between(bp_cell_sweep *sweep, const bp_box *boxes, size_t count, bp_sink *sink) {
    if (!bp_columns_reserve(&sweep->queries, &sweep->queries_buffer, &sweep->config->allocator, count)) {
        return BP_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        sweep->queries.id[i] = (uint32_t)i;
    }
    bp_columns_fill(&sweep->queries, sweep->config, 0, count, boxes);
    const search f = {.sweep = sweep, .query_count = count};
    const bp_sweep_plan plan = {.config = sweep->config,
                                .objects = &sweep->queries,
                                .candidates = &sweep->columns,
                                .unit_count = (count + BP_CHUNK - 1) / BP_CHUNK,
                                .unit = between_unit,
                                .context = &f};
    return bp_sweep_pool_run(&sweep->pool, &plan, sink);
}

// ---- looking --------------------------------------------------------------------------------------------------------

void bp_cell_sweep_stats(const bp_cell_sweep *sweep, bp_stats *stats) {
    const uint32_t *starts = bp_cell_starts(sweep);
    stats->update = BP_UPDATE_REBUILD;
    stats->levels = sweep->grid_count > 0;
    stats->occupied = sweep->occupied;
    stats->objects_per_cell_max = 0;
    for (size_t i = 0; i < sweep->occupied; ++i) {
        const size_t here = starts[i + 1] - starts[i];
        stats->objects_per_cell_max = here > stats->objects_per_cell_max ? here : stats->objects_per_cell_max;
    }
    stats->objects_per_cell = sweep->occupied > 0 ? (double)sweep->grid_count / (double)sweep->occupied : 0.0;
    stats->bytes += sweep->columns_buffer.bytes + sweep->starts.bytes + sweep->queries_buffer.bytes +
                    sweep->plan_scratch.bytes + bp_sweep_pool_bytes(&sweep->pool);
}

// One occupied cell: its boxes belong there, in the order of their ids, and the lookup finds exactly them.
static bool cell_is_sound(const bp_cell_sweep *sweep, uint32_t begin, uint32_t end, const bp_box *boxes, size_t count) {
    const uint32_t *ids = sweep->columns.id;
    uint32_t cell[3], other[3];
    cell_at(sweep, begin, cell);
    bp_cell_range range = {0};
    bool sound = sweep->lookup(sweep->index, cell[0], cell[0], cell[1], cell[2], &range) == 1;
    sound &= range.begin == begin && range.end == end;
    for (size_t p = begin; sound && p < end; ++p) {
        cell_at(sweep, p, other);
        sound = memcmp(cell, other, sizeof cell) == 0 && (p == begin || ids[p - 1] < ids[p]) && ids[p] < count &&
                bp_columns_hold(&sweep->columns, p, &boxes[ids[p]], sweep->config->dimensions);
    }
    return sound;
}

bool bp_cell_sweep_is_sound(const bp_cell_sweep *sweep, const bp_box *boxes, size_t count) {
    const uint32_t *starts = bp_cell_starts(sweep), *ids = sweep->columns.id;
    size_t alive = 0;
    for (size_t i = 0; i < count; ++i) {
        alive += !bp_box_is_hole(&boxes[i]);
    }
    bool sound = bp_cells_total(&sweep->cells) > 0 && alive == sweep->total_count && starts[0] == 0 &&
                 starts[sweep->occupied] == sweep->grid_count;
    for (size_t i = 0; sound && i < sweep->occupied; ++i) {
        sound = starts[i] < starts[i + 1] && starts[i + 1] <= sweep->grid_count &&
                cell_is_sound(sweep, starts[i], starts[i + 1], boxes, count);
    }
    for (size_t p = sweep->grid_count; sound && p < sweep->total_count; ++p) {
        sound = ids[p] < count && (p == sweep->grid_count || ids[p - 1] < ids[p]) &&
                bp_columns_hold(&sweep->columns, p, &boxes[ids[p]], sweep->config->dimensions);
    }
    return sound;
}
