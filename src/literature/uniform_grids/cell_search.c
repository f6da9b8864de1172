#include "literature/uniform_grids/cell_search.h"

enum { BATCH = 64 }; // cells of a unit of work

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
        const size_t count = bp_uniform_grid_ranges(grid, first, last, t->cell[1], t->cell[2], ranges);
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
        const size_t count = bp_uniform_grid_ranges(grid, first, last, y, z, ranges);
        for (size_t i = 0; i < count; ++i) {
            add_range(tester, t, &ranges[i], y, z);
        }
    }
}

static void test_rows(const bp_uniform_grid *grid, bp_range_tester *tester, const stretch *t) {
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

// ---- by a table -----------------------------------------------------------------------------------------------------

static inline void add_table_row(bp_range_tester *tester, size_t p, const uint32_t *row, const span *box,
                                 uint32_t wanted) {
    const uint32_t begin = row[box->x_low], end = row[box->x_high + 1];
    bp_range_tester_add(tester, p, begin, begin + (end - begin) * wanted);
}

// Without a branch: rows that a box does not need are its own, and become empty ranges.
static void test_by_table(const bp_uniform_grid *grid, bp_range_tester *tester, const stretch *t) {
    const uint32_t y = t->cell[1], z = t->cell[2], *row = grid->find_row(grid, y, z);
    const size_t length = grid->cells.count[0], layer = length * grid->cells.count[1];
    for (size_t p = t->begin; p < t->end; ++p) {
        const span *box = &t->spans[p - t->begin];
        const uint32_t up = box->y_high > y, down = box->y_low<y, out = box->z_high> z;
        const uint32_t *above = row + out * layer;
        bp_range_tester_reserve(tester, 5);
        bp_range_tester_add(tester, p, (uint32_t)p + 1, row[box->x_high + 1]);
        add_table_row(tester, p, row + up * length, box, up);
        add_table_row(tester, p, above, box, out);
        add_table_row(tester, p, above + up * length, box, out & up);
        add_table_row(tester, p, above - (out & down) * length, box, out & down);
    }
}

// ---- one cell -------------------------------------------------------------------------------------------------------

// Whether no box of the stretch reaches further than the neighbouring cells.
static bool reaches_neighbours_only(const stretch *t) {
    return t->all.x_low + 1 >= t->cell[0] && t->all.x_high <= t->cell[0] + 1 && t->all.y_low + 1 >= t->cell[1] &&
           t->all.y_high <= t->cell[1] + 1 && t->all.z_high <= t->cell[2] + 1;
}

static void test_stretch(const bp_uniform_grid *grid, bp_range_tester *tester, const stretch *t) {
    if (grid->find_row != NULL && reaches_neighbours_only(t)) {
        test_by_table(grid, tester, t);
    } else {
        test_rows(grid, tester, t);
    }
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

// ---- boxes of any size ----------------------------------------------------------------------------------------------

// A box of any size, at position p of tester->objects, against all boxes in the cells that it covers, and against those from
// `first` to `last`. One that covers more cells than are occupied is tested against the boxes of all cells.
static void test_against_cells(const bp_uniform_grid *grid, bp_range_tester *tester, size_t p, size_t first,
                               size_t last) {
    const bp_columns *boxes = tester->objects;
    uint32_t low[3] = {0}, high[3] = {0};
    double cells = 1.0;
    for (uint32_t axis = 0; axis < grid->setup->dimensions; ++axis) {
        low[axis] = bp_cells_of(&grid->cells, (int)axis, boxes->min[axis][p] - grid->cells.reach[axis]);
        high[axis] = bp_cells_of(&grid->cells, (int)axis, boxes->max[axis][p]);
        cells *= (double)(high[axis] - low[axis] + 1);
    }
    const bool all = cells > (double)grid->occupied;
    bp_range_tester_add_long(tester, p, (uint32_t)first, (uint32_t)last);
    bp_range_tester_add_long(tester, p, 0, all ? (uint32_t)grid->grid_count : 0);
    for (uint32_t z = low[2]; z <= high[2] && !all; ++z) {
        for (uint32_t y = low[1]; y <= high[1]; ++y) {
            bp_cell_range ranges[BP_ROW_CELLS];
            for (uint32_t x = low[0]; x <= high[0]; x += BP_ROW_CELLS) {
                const size_t count =
                    bp_uniform_grid_ranges(grid, x, least(x + BP_ROW_CELLS - 1, high[0]), y, z, ranges);
                for (size_t i = 0; i < count; ++i) {
                    bp_range_tester_add_long(tester, p, ranges[i].begin, ranges[i].end);
                }
            }
        }
    }
}

// ---- finding --------------------------------------------------------------------------------------------------------

// Some cells; behind all of these, the scanned boxes one by one, each also against those before it.
static void test_grid_unit(const void *context, bp_range_tester *tester, size_t index) {
    const bp_uniform_grid *grid = context;
    const size_t cell_units = (grid->occupied + BATCH - 1) / BATCH;
    const uint32_t *starts = bp_uniform_grid_starts(grid);
    for (size_t cell = index * BATCH; cell < grid->occupied && cell < (index + 1) * BATCH; ++cell) {
        test_grid_cell(grid, tester, starts[cell], starts[cell + 1]);
    }
    if (index >= cell_units) {
        const size_t p = grid->grid_count + index - cell_units;
        test_against_cells(grid, tester, p, grid->grid_count, p);
    }
}

bp_status bp_cell_search_find(void *state, bp_sink *sink) {
    bp_uniform_grid *grid = state;
    const bp_range_search range_search = {.runtime = &grid->setup->runtime,
                                          .kernels = grid->setup->kernels,
                                          .objects = &grid->columns,
                                          .candidates = &grid->columns,
                                          .names = BP_NAMES_ORDERED,
                                          .unit_count = (grid->occupied + BATCH - 1) / BATCH + grid->total_count -
                                                        grid->grid_count,
                                          .unit = test_grid_unit,
                                          .context = grid};
    return bp_range_search_run(&range_search, &grid->sinks, sink);
}

static void test_others_in_grid(const void *context, bp_range_tester *tester, size_t begin, size_t end) {
    const bp_uniform_grid *grid = context;
    for (size_t p = begin; p < end; ++p) {
        test_against_cells(grid, tester, p, grid->grid_count, grid->total_count);
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
