// The search for pairs in a uniform grid.
//
// With footprints only the boxes of a cell are tested against each other, by their classes. Else a box is tested against
// the boxes after it in its own cell, and against those following cells into which it reaches (y up, z out of the page):
//
//        z             z + 1               cells hold boxes up to half their size, so usually these are the cells
//     | # # # |     | # # # |  y + 1       marked #, and each box skips those of them that it does not cross into:
//     | . X # |     | # # # |  y           it needs 3.5 on average
//     | . . . |     | # # # |  y - 1
//
// The neighbours are looked up once for all boxes of a cell. Boxes that are too large for cells are tested against the
// cells that they cover, as those of another set are.
#include "literature/uniform_grids/cell_grid.h"

enum { CELLS_PER_UNIT = 64 };

// ---- the boxes of one cell ------------------------------------------------------------------------------------------

// The cells whose boxes a box may overlap; in z only those from its own on are needed.
typedef struct cell_span {
    uint32_t low[3], high[3];
} cell_span;

static cell_span span_at(const bp_cell_grid *grid, size_t p) {
    cell_span s;
    for (int axis = 0; axis < 3; ++axis) {
        const float reach = axis < 2 ? grid->cells.reach[axis] : 0.0f;
        s.low[axis] = bp_cells_of(&grid->cells, axis, grid->columns.min[axis][p] - reach); // may be infinite
        s.high[axis] = bp_cells_of(&grid->cells, axis, grid->columns.max[axis][p]);
    }
    return s;
}

// Lists the boxes of a neighbouring cell for those boxes begin .. end-1 that reach it; without a branch.
static void test_neighbour(const bp_cell_grid *grid, bp_range_tester *tester, size_t begin, size_t end,
                           const cell_span *spans, const uint32_t at[3]) {
    const uint32_t number = grid->map->find(grid, at);
    const uint32_t *starts = bp_cell_grid_starts(grid, number == BP_NO_CELL ? 0 : number);
    if (number == BP_NO_CELL || starts[0] == starts[1]) {
        return;
    }
    bp_range_tester_reserve(tester, end - begin);
    for (size_t p = begin; p < end; ++p) {
        const cell_span *s = &spans[p - begin];
        const bool wanted = (at[0] >= s->low[0]) & (at[0] <= s->high[0]) & (at[1] >= s->low[1]) &
                            (at[1] <= s->high[1]) & (at[2] <= s->high[2]);
        bp_range_tester_add(tester, p, starts[0], starts[wanted]);
    }
}

// Tests the boxes of a cell at begin .. end-1, at most BP_CHUNK, against all that follow.
static void test_cell_range(const bp_cell_grid *grid, bp_range_tester *tester, size_t begin, size_t end,
                            size_t cell_end) {
    cell_span spans[BP_CHUNK], all = span_at(grid, begin);
    uint32_t own[3], at[3];
    bp_range_tester_reserve(tester, end - begin);
    for (size_t p = begin; p < end; ++p) {
        const cell_span s = spans[p - begin] = span_at(grid, p);
        for (int axis = 0; axis < 3; ++axis) {
            all.low[axis] = s.low[axis] < all.low[axis] ? s.low[axis] : all.low[axis];
            all.high[axis] = s.high[axis] > all.high[axis] ? s.high[axis] : all.high[axis];
        }
        bp_range_tester_add(tester, p, (uint32_t)p + 1, (uint32_t)cell_end);
    }
    for (int axis = 0; axis < 3; ++axis) {
        own[axis] = bp_cells_of(&grid->cells, axis, grid->columns.min[axis][begin]);
    }
    for (at[2] = own[2]; at[2] <= all.high[2]; ++at[2]) {
        const bool is_own_layer = at[2] == own[2];
        for (at[1] = is_own_layer ? own[1] : all.low[1]; at[1] <= all.high[1]; ++at[1]) {
            const bool is_own_row = is_own_layer && at[1] == own[1];
            for (at[0] = is_own_row ? own[0] + 1 : all.low[0]; at[0] <= all.high[0]; ++at[0]) {
                test_neighbour(grid, tester, begin, end, spans, at);
            }
        }
    }
}

// ---- boxes of any size ----------------------------------------------------------------------------------------------

// A box of any size, at position p of tester->objects, against all boxes in the cells that it covers, each once, and
// against those from `first` to `last`. One that covers more cells than are occupied is tested against the boxes of all
// cells; with footprints there against those that begin in the cell along all axes.
static void test_against_cells(const bp_cell_grid *grid, bp_range_tester *tester, size_t p, size_t first, size_t last) {
    const bp_columns *boxes = tester->objects;
    const uint32_t *full = grid->full.data;
    uint32_t low[3] = {0}, high[3] = {0}, at[3];
    double cells = 1.0;
    for (uint32_t axis = 0; axis < grid->setup->dimensions; ++axis) {
        const float reach = grid->class_bits == 0 ? grid->cells.reach[axis] : 0.0f;
        low[axis] = bp_cells_of(&grid->cells, (int)axis, boxes->min[axis][p] - reach);
        high[axis] = bp_cells_of(&grid->cells, (int)axis, boxes->max[axis][p]);
        cells *= (double)(high[axis] - low[axis]) + 1.0;
    }
    bp_range_tester_add_long(tester, p, (uint32_t)first, (uint32_t)last);
    if (cells > (double)grid->occupied && grid->class_bits == 0) {
        bp_range_tester_add_long(tester, p, 0, (uint32_t)grid->grid_count);
        return;
    }
    if (cells > (double)grid->occupied) {
        for (size_t i = 0; i < grid->occupied; ++i) {
            const uint32_t *starts = bp_cell_grid_starts(grid, full[i]);
            bp_range_tester_add_long(tester, p, starts[0], starts[1]);
        }
        return;
    }
    for (at[2] = low[2]; at[2] <= high[2]; ++at[2]) {
        for (at[1] = low[1]; at[1] <= high[1]; ++at[1]) {
            for (at[0] = low[0]; at[0] <= high[0]; ++at[0]) {
                const uint32_t number = grid->map->find(grid, at);
                if (number == BP_NO_CELL) {
                    continue;
                }
                const uint32_t *starts = bp_cell_grid_starts(grid, number);
                if (grid->class_bits == 0) {
                    bp_range_tester_add_long(tester, p, starts[0], starts[1]);
                } else {
                    const uint32_t bits = bp_cell_class_bits(at[0] == low[0], at[1] == low[1], at[2] == low[2]);
                    bp_cell_classes_test_box(tester, p, bits, starts);
                }
            }
        }
    }
}

// ---- finding --------------------------------------------------------------------------------------------------------

static size_t cell_units(const bp_cell_grid *grid) {
    return (grid->occupied + CELLS_PER_UNIT - 1) / CELLS_PER_UNIT;
}

// Some cells; behind all of these, the scanned boxes one by one, each also against those before it.
static void test_unit(const void *context, bp_range_tester *tester, size_t index) {
    const bp_cell_grid *grid = context;
    const uint32_t *full = grid->full.data;
    for (size_t i = index * CELLS_PER_UNIT; i < grid->occupied && i < (index + 1) * CELLS_PER_UNIT; ++i) {
        const uint32_t *starts = bp_cell_grid_starts(grid, full[i]);
        if (grid->class_bits > 0) {
            bp_cell_classes_test(tester, starts);
            continue;
        }
        const size_t end = starts[1];
        for (size_t begin = starts[0]; begin < end; begin += BP_CHUNK) {
            test_cell_range(grid, tester, begin, end - begin < BP_CHUNK ? end : begin + BP_CHUNK, end);
        }
    }
    if (index >= cell_units(grid)) {
        const size_t p = grid->grid_count + index - cell_units(grid);
        test_against_cells(grid, tester, p, grid->grid_count, p);
    }
}

bp_status bp_cell_grid_find(void *state, bp_sink *sink) {
    bp_cell_grid *grid = state;
    const bp_range_search search = {.runtime = &grid->setup->runtime,
                                    .kernels = grid->setup->kernels,
                                    .objects = &grid->columns,
                                    .candidates = &grid->columns,
                                    .pair_ids = BP_IDS_ASCENDING,
                                    .unit_count = cell_units(grid) + grid->total_count - grid->grid_count,
                                    .unit = test_unit,
                                    .context = grid};
    return bp_range_search_run(&search, &grid->sinks, sink);
}

static void test_others(const void *context, bp_range_tester *tester, size_t begin, size_t end) {
    const bp_cell_grid *grid = context;
    for (size_t p = begin; p < end; ++p) {
        test_against_cells(grid, tester, p, grid->grid_count, grid->total_count);
    }
}

bp_status bp_cell_grid_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    bp_cell_grid *grid = state;
    const bp_between_search search = {.runtime = &grid->setup->runtime,
                                      .kernels = grid->setup->kernels,
                                      .dimensions = grid->setup->dimensions,
                                      .candidates = &grid->columns,
                                      .test_boxes = test_others,
                                      .context = grid};
    return bp_between_search_run(&search, &grid->other, boxes, count, &grid->sinks, sink);
}
