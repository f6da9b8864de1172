#include "literature/uniform_grids/cell_search.h"

enum {
    BATCH = 64,     // cells of a unit of work
    SEGMENT = 65536 // candidates of a unit of work for a scanned box
};

// ---- the boxes of one cell ------------------------------------------------------------------------------------------

// The cells whose boxes a box may overlap; in z only those from its own on are needed.
typedef struct span {
    uint32_t x_low, x_high, y_low, y_high, z_high;
} span;

// A stretch of the boxes of one cell.
typedef struct stretch {
    uint32_t cell[3];
    uint32_t cell_end; // where the boxes of the cell end
    size_t begin, end; // positions
    span all;          // union of the spans of these boxes
    span spans[BP_CHUNK];
} stretch;

static inline span span_at(const bp_uniform_grid *grid, size_t p) {
    const bp_columns *c = &grid->columns;
    const bp_cells *cells = &grid->cells;
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

static void measure_stretch(const bp_uniform_grid *grid, stretch *t) {
    t->all = t->spans[0] = span_at(grid, t->begin);
    for (size_t p = t->begin + 1; p < t->end; ++p) {
        const span s = span_at(grid, p);
        t->spans[p - t->begin] = s;
        t->all = join_spans(t->all, s);
    }
}

// Lists a range for those boxes of the stretch that reach it; without a branch.
static void add_range(bp_range_tester *tester, const stretch *t, const bp_cell_range *range, uint32_t y, uint32_t z) {
    bp_range_tester_reserve(tester, t->end - t->begin);
    for (size_t i = 0; i < t->end - t->begin; ++i) {
        const span *box = &t->spans[i];
        const bool wanted = (y >= box->y_low) & (y <= box->y_high) & (z <= box->z_high) & (range->last >= box->x_low) &
                            (range->first <= box->x_high);
        bp_range_tester_add(tester, t->begin + i, range->begin, wanted ? range->end : range->begin);
    }
}

// Tests against the remainder of the own cell and the cells that follow it in its row. If these also follow in the
// columns, they are one range.
static void test_own_row(const bp_uniform_grid *grid, bp_range_tester *tester, const stretch *t) {
    bp_cell_range ranges[BP_ROW_CELLS];
    uint32_t own_end = t->cell_end;
    for (uint32_t first = t->cell[0] + 1; first <= t->all.x_high; first += BP_ROW_CELLS) {
        const uint32_t last = least(first + BP_ROW_CELLS - 1, t->all.x_high);
        const size_t count = grid->find_ranges(grid, first, last, t->cell[1], t->cell[2], ranges);
        for (size_t i = 0; i < count; ++i) {
            if (ranges[i].begin == own_end) {
                own_end = ranges[i].end;
            } else {
                add_range(tester, t, &ranges[i], t->cell[1], t->cell[2]);
            }
        }
    }
    bp_range_tester_reserve(tester, t->end - t->begin);
    for (size_t p = t->begin; p < t->end; ++p) {
        bp_range_tester_add(tester, p, (uint32_t)p + 1, own_end);
    }
}

static void test_row(const bp_uniform_grid *grid, bp_range_tester *tester, const stretch *t, uint32_t y, uint32_t z) {
    bp_cell_range ranges[BP_ROW_CELLS];
    for (uint32_t first = t->all.x_low; first <= t->all.x_high; first += BP_ROW_CELLS) {
        const uint32_t last = least(first + BP_ROW_CELLS - 1, t->all.x_high);
        const size_t count = grid->find_ranges(grid, first, last, y, z, ranges);
        for (size_t i = 0; i < count; ++i) {
            add_range(tester, t, &ranges[i], y, z);
        }
    }
}

// For boxes that reach further than the neighbouring cells.
static void test_far(const bp_uniform_grid *grid, bp_range_tester *tester, const stretch *t) {
    test_own_row(grid, tester, t);
    for (uint32_t y = t->cell[1] + 1; y <= t->all.y_high; ++y) {
        test_row(grid, tester, t, y, t->cell[2]);
    }
    for (uint32_t z = t->cell[2] + 1; z <= t->all.z_high; ++z) {
        for (uint32_t y = t->all.y_low; y <= t->all.y_high; ++y) {
            test_row(grid, tester, t, y, z);
        }
    }
}

// ---- by tables ------------------------------------------------------------------------------------------------------

static inline void add_table_row(bp_range_tester *tester, size_t p, const uint32_t *row, size_t low, size_t high,
                                 uint32_t wanted) {
    const uint32_t begin = row[low], end = row[high];
    bp_range_tester_add(tester, p, begin, begin + (end - begin) * wanted);
}

// Without a branch: rows that a box does not need become empty ranges.
static void test_by_tables(const bp_uniform_grid *grid, bp_range_tester *tester, const stretch *t,
                           const bp_row_tables *r) {
    const size_t stride = grid->table_stride;
    const uint32_t y = t->cell[1], z = t->cell[2];
    for (size_t p = t->begin; p < t->end; ++p) {
        const span *box = &t->spans[p - t->begin];
        const uint32_t up = box->y_high > y;
        const uint32_t down = box->y_low < y;
        const uint32_t out = box->z_high > z;
        const size_t low = (box->x_low - r->first) * stride, high = (box->x_high + 1 - r->first) * stride;
        bp_range_tester_reserve(tester, BP_ROW_COUNT);
        bp_range_tester_add(tester, p, (uint32_t)p + 1, r->rows[BP_ROW_OWN][high]);
        add_table_row(tester, p, r->rows[BP_ROW_UP], low, high, r->there[BP_ROW_UP] & up);
        add_table_row(tester, p, r->rows[BP_ROW_OUT], low, high, r->there[BP_ROW_OUT] & out);
        add_table_row(tester, p, r->rows[BP_ROW_OUT_UP], low, high, r->there[BP_ROW_OUT_UP] & out & up);
        add_table_row(tester, p, r->rows[BP_ROW_OUT_DOWN], low, high, r->there[BP_ROW_OUT_DOWN] & out & down);
    }
}

// ---- by neighbours --------------------------------------------------------------------------------------------------

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

static void collect_neighbours(const bp_uniform_grid *grid, const stretch *t, neighbours *n) {
    n->occupied = 0;
    for (uint32_t z = t->cell[2]; z <= t->all.z_high; ++z) {
        for (uint32_t y = z == t->cell[2] ? t->cell[1] : t->all.y_low; y <= t->all.y_high; ++y) {
            bp_cell_range found[3];
            const uint32_t first = z == t->cell[2] && y == t->cell[1] ? t->cell[0] + 1 : t->all.x_low;
            if (first > t->all.x_high) {
                continue;
            }
            const size_t count = grid->find_ranges(grid, first, t->all.x_high, y, z, found);
            for (size_t i = 0; i < count; ++i) {
                const uint32_t place =
                    found[i].first + 1 - t->cell[0] + 3 * (y + 1 - t->cell[1]) + 9 * (z - t->cell[2]);
                n->ranges[place] = found[i];
                n->occupied |= 1u << place;
            }
        }
    }
}

// The places of the neighbours that a box reaches into.
static uint32_t places_of(const span *box, const uint32_t cell[3]) {
    const uint32_t left = box->x_low < cell[0];
    const uint32_t right = box->x_high > cell[0];
    const uint32_t down = box->y_low < cell[1];
    const uint32_t up = box->y_high > cell[1];
    const uint32_t out = box->z_high > cell[2];
    const uint32_t in_x = (left | 2 | right << 2) * BITS_X;
    const uint32_t in_y = (down * 7 | 7 << 3 | (up * 7) << 6) * BITS_Y;
    return in_x & in_y & (BITS_PLANE | (out * BITS_PLANE) << 9);
}

static void test_neighbours(const bp_uniform_grid *grid, bp_range_tester *tester, const stretch *t) {
    neighbours n;
    collect_neighbours(grid, t, &n);
    for (size_t p = t->begin; p < t->end; ++p) {
        bp_range_tester_reserve(tester, NEIGHBOURS + 1);
        bp_range_tester_add(tester, p, (uint32_t)p + 1, t->cell_end);
        for (uint32_t bits = places_of(&t->spans[p - t->begin], t->cell) & n.occupied; bits != 0; bits &= bits - 1) {
            const bp_cell_range *range = &n.ranges[lowest_bit(bits)];
            bp_range_tester_add(tester, p, range->begin, range->end);
        }
    }
}

// ---- one cell -------------------------------------------------------------------------------------------------------

// Whether no box of the stretch reaches further than the neighbouring cells.
static bool reaches_neighbours_only(const stretch *t) {
    return t->all.x_low + 1 >= t->cell[0] && t->all.x_high <= t->cell[0] + 1 && t->all.y_low + 1 >= t->cell[1] &&
           t->all.y_high <= t->cell[1] + 1 && t->all.z_high <= t->cell[2] + 1;
}

static void test_stretch(const bp_uniform_grid *grid, bp_range_tester *tester, const stretch *t) {
    bp_row_tables tables;
    const bool near = reaches_neighbours_only(t);
    if (near && grid->find_tables == NULL) {
        test_neighbours(grid, tester, t);
        return;
    }
    if (near) {
        grid->find_tables(grid, t->cell, &tables);
        if (t->all.x_low >= tables.first && t->all.x_high <= tables.last) {
            test_by_tables(grid, tester, t, &tables);
            return;
        }
    }
    test_far(grid, tester, t);
}

static void test_grid_cell(const bp_uniform_grid *grid, bp_range_tester *tester, uint32_t begin, uint32_t end) {
    stretch t;
    bp_uniform_grid_cell(grid, begin, t.cell);
    t.cell_end = end;
    for (t.begin = begin; t.begin < end; t.begin = t.end) {
        t.end = end - t.begin < BP_CHUNK ? end : t.begin + BP_CHUNK;
        measure_stretch(grid, &t);
        test_stretch(grid, tester, &t);
    }
}

// ---- all pairs ------------------------------------------------------------------------------------------------------

typedef struct grid_search {
    const bp_uniform_grid *grid;
    size_t cell_units; // followed by the units of the scanned boxes
    size_t segments;   // per scanned box
} grid_search;

static void test_grid_cells(const bp_uniform_grid *grid, bp_range_tester *tester, size_t index) {
    const uint32_t *starts = bp_uniform_grid_starts(grid);
    const size_t stop = (index + 1) * BATCH < grid->occupied ? (index + 1) * BATCH : grid->occupied;
    for (size_t cell = index * BATCH; cell < stop; ++cell) {
        test_grid_cell(grid, tester, starts[cell], starts[cell + 1]);
    }
}

// A scanned box against a segment of all boxes before it.
static void test_scanned(const grid_search *s, bp_range_tester *tester, size_t index) {
    const size_t p = s->grid->grid_count + index / s->segments;
    const size_t begin = index % s->segments * SEGMENT;
    const size_t end = p < begin + SEGMENT ? p : begin + SEGMENT;
    if (begin < end) {
        bp_range_tester_add_long(tester, p, (uint32_t)begin, (uint32_t)end);
    }
}

static void test_grid_unit(const void *context, bp_range_tester *tester, size_t index) {
    const grid_search *s = context;
    if (index < s->cell_units) {
        test_grid_cells(s->grid, tester, index);
    } else {
        test_scanned(s, tester, index - s->cell_units);
    }
}

bp_status bp_cell_search_find(void *state, bp_sink *sink) {
    bp_uniform_grid *grid = state;
    const grid_search s = {
        .grid = grid, .cell_units = (grid->occupied + BATCH - 1) / BATCH, .segments = grid->total_count / SEGMENT + 1};
    const size_t scan_units = bp_size_multiply(grid->total_count - grid->grid_count, s.segments);
    const bp_range_search range_search = {.runtime = &grid->setup->runtime,
                                          .kernels = grid->setup->kernels,
                                          .objects = &grid->columns,
                                          .candidates = &grid->columns,
                                          .names = BP_NAMES_ORDERED,
                                          .unit_count = bp_size_add(s.cell_units, scan_units),
                                          .unit = test_grid_unit,
                                          .context = &s};
    return bp_range_search_run(&range_search, &grid->sinks, sink);
}

// ---- between two sets -----------------------------------------------------------------------------------------------

static void test_other_in_row(const bp_uniform_grid *grid, bp_range_tester *tester, size_t p, const uint32_t x[2],
                              uint32_t y, uint32_t z) {
    bp_cell_range ranges[BP_ROW_CELLS];
    for (uint32_t first = x[0]; first <= x[1]; first += BP_ROW_CELLS) {
        const uint32_t last = least(first + BP_ROW_CELLS - 1, x[1]);
        const size_t count = grid->find_ranges(grid, first, last, y, z, ranges);
        for (size_t i = 0; i < count; ++i) {
            bp_range_tester_add_long(tester, p, ranges[i].begin, ranges[i].end);
        }
    }
}

// A box that covers more cells than are occupied is tested against all boxes.
static void test_other_in_grid(const bp_uniform_grid *grid, bp_range_tester *tester, size_t p) {
    const bp_columns *others = tester->objects;
    uint32_t low[3] = {0}, high[3] = {0};
    double cells = 1.0;
    for (uint32_t axis = 0; axis < grid->setup->dimensions; ++axis) {
        low[axis] = bp_cells_of(&grid->cells, (int)axis, others->min[axis][p] - grid->cells.reach[axis]);
        high[axis] = bp_cells_of(&grid->cells, (int)axis, others->max[axis][p]);
        cells *= (double)(high[axis] - low[axis] + 1);
    }
    const bool all = cells > (double)grid->occupied;
    bp_range_tester_add_long(tester, p, all ? 0 : (uint32_t)grid->grid_count, (uint32_t)grid->total_count);
    for (uint32_t z = low[2]; z <= high[2] && !all; ++z) {
        for (uint32_t y = low[1]; y <= high[1]; ++y) {
            test_other_in_row(grid, tester, p, (uint32_t[2]){low[0], high[0]}, y, z);
        }
    }
}

static void test_others_in_grid(const void *context, bp_range_tester *tester, size_t begin, size_t end) {
    for (size_t p = begin; p < end; ++p) {
        test_other_in_grid(context, tester, p);
    }
}

bp_status bp_cell_search_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    bp_uniform_grid *grid = state;
    const bp_between_search search = {.runtime = &grid->setup->runtime,
                                      .kernels = grid->setup->kernels,
                                      .dimensions = grid->setup->dimensions,
                                      .candidates = &grid->columns,
                                      .test_boxes = test_others_in_grid,
                                      .context = grid};
    return bp_between_search_run(&search, &grid->other, boxes, count, &grid->sinks, sink);
}
