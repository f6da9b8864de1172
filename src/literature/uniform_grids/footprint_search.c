#include "literature/uniform_grids/footprints.h"

#include "base/log.h"
#include "literature/uniform_grids/cell_search.h"

enum {
    LIMIT = 256, // settings.hash_cell_limit by default
    BATCH = 64   // cells of a unit of work
};

// ---- footprints -----------------------------------------------------------------------------------------------------

static double footprint_limit(const bp_uniform_grid *grid) {
    const uint32_t limit = grid->setup->settings.hash_cell_limit;
    return limit > 0 ? (double)limit : (double)LIMIT;
}

bp_place bp_footprint_of(const bp_uniform_grid *grid, const bp_box *box, bp_footprint *print, bp_cells_part *part) {
    const uint32_t dimensions = grid->setup->dimensions;
    *print = (bp_footprint){0};
    const bp_place place = bp_cells_place(&grid->cells, dimensions, box, print->low, part);
    if (place != BP_PLACE_CELL) {
        return place;
    }
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        print->high[axis] = bp_cells_of(&grid->cells, (int)axis, box->max[axis]);
    }
    return bp_footprint_cells(print) <= footprint_limit(grid) ? BP_PLACE_CELL : BP_PLACE_SCAN;
}

bool bp_footprints_reserve(bp_uniform_grid *grid) {
    return bp_buffer_reserve(&grid->counts_buffer, &grid->setup->runtime.allocator, 0, grid->blocks.count,
                             sizeof(bp_entry_counts));
}

static void task_count_footprints(void *context, size_t block) {
    bp_uniform_grid *grid = context;
    bp_cells_part part = {0};
    bp_entry_counts counts = {0};
    const size_t end = bp_block_begin(grid->blocks, block + 1);
    for (size_t i = bp_block_begin(grid->blocks, block); i < end; ++i) {
        bp_footprint print;
        const bp_place place = bp_footprint_of(grid, &grid->boxes[i], &print, &part);
        counts.entries += place == BP_PLACE_CELL ? (uint64_t)bp_footprint_cells(&print) : 0;
        counts.scanned += place == BP_PLACE_SCAN;
    }
    bp_footprint_counts(grid)[block] = counts;
    bp_uniform_grid_parts(grid)[block] = part;
}

void bp_footprints_count(bp_uniform_grid *grid) {
    bp_parallel_for(&grid->setup->runtime.executor, grid->blocks.count, task_count_footprints, grid);
}

bp_status bp_footprints_place(bp_uniform_grid *grid, const char *method) {
    bp_entry_counts *counts = bp_footprint_counts(grid), sum = {0};
    for (size_t block = 0; block < grid->blocks.count; ++block) {
        const bp_entry_counts here = counts[block];
        counts[block] = sum;
        sum.entries += here.entries;
        sum.scanned += here.scanned;
    }
    if (sum.entries + sum.scanned >= UINT32_MAX) {
        bp_log_write(&grid->setup->runtime.log,
                     "%s: objects are in more than 2^32 cells of %g; use a larger settings.cell_size or a smaller "
                     "settings.hash_cell_limit",
                     method, grid->cells.size);
        return BP_ERROR_MEMORY;
    }
    for (size_t block = 0; block < grid->blocks.count; ++block) {
        counts[block].scanned += sum.entries;
    }
    grid->grid_count = (size_t)sum.entries;
    grid->total_count = (size_t)(sum.entries + sum.scanned);
    return bp_columns_reserve(&grid->columns, &grid->columns_buffer, &grid->setup->runtime.allocator, grid->total_count)
               ? BP_OK
               : BP_ERROR_MEMORY;
}

// ---- boxes of any size ----------------------------------------------------------------------------------------------

// A box, at position p of tester->objects, against all boxes in cells, each once; where it covers more cells than are occupied, at
// their min corners, that is, where they begin along all axes. And against the boxes from `first` to `last`.
static void test_in_cells(const bp_uniform_grid *grid, bp_range_tester *tester, size_t p, size_t first, size_t last) {
    const bp_columns *boxes = tester->objects;
    bp_footprint print = {0};
    for (uint32_t axis = 0; axis < grid->setup->dimensions; ++axis) {
        print.low[axis] = bp_cells_of(&grid->cells, (int)axis, boxes->min[axis][p]);
        print.high[axis] = bp_cells_of(&grid->cells, (int)axis, boxes->max[axis][p]);
    }
    const bool all = bp_footprint_cells(&print) > (double)grid->occupied;
    for (size_t cell = 0; all && cell < grid->occupied; ++cell) {
        const uint32_t *bounds = grid->bounds_at(grid, cell);
        bp_range_tester_add_long(tester, p, bounds[0], bounds[1]);
    }
    for (uint32_t z = print.low[2]; z <= print.high[2] && !all; ++z) {
        for (uint32_t y = print.low[1]; y <= print.high[1]; ++y) {
            for (uint32_t x = print.low[0]; x <= print.high[0]; ++x) {
                const uint32_t *bounds = grid->find_bounds(grid, x, y, z);
                if (bounds != NULL) {
                    const uint32_t bits = bp_cell_class_bits(x == print.low[0], y == print.low[1], z == print.low[2]);
                    bp_cell_classes_test_box(tester, p, bits, bounds);
                }
            }
        }
    }
    bp_range_tester_add_long(tester, p, (uint32_t)first, (uint32_t)last);
}

// ---- finding --------------------------------------------------------------------------------------------------------

// Some cells; behind all of these, the scanned boxes one by one, each also against those before it.
static void test_footprint_unit(const void *context, bp_range_tester *tester, size_t index) {
    const bp_uniform_grid *grid = context;
    const size_t cell_units = (grid->occupied + BATCH - 1) / BATCH;
    for (size_t cell = index * BATCH; cell < grid->occupied && cell < (index + 1) * BATCH; ++cell) {
        bp_cell_classes_test(tester, grid->bounds_at(grid, cell));
    }
    if (index >= cell_units) {
        const size_t p = grid->grid_count + index - cell_units;
        test_in_cells(grid, tester, p, grid->grid_count, p);
    }
}

static bp_status find_in_footprints(bp_uniform_grid *grid, bp_sink *sink) {
    const bp_range_search search = {.runtime = &grid->setup->runtime,
                                    .kernels = grid->setup->kernels,
                                    .objects = &grid->columns,
                                    .candidates = &grid->columns,
                                    .names = BP_NAMES_ORDERED,
                                    .unit_count =
                                        (grid->occupied + BATCH - 1) / BATCH + grid->total_count - grid->grid_count,
                                    .unit = test_footprint_unit,
                                    .context = grid};
    return bp_range_search_run(&search, &grid->sinks, sink);
}

static void test_others_in_footprints(const void *context, bp_range_tester *tester, size_t begin, size_t end) {
    const bp_uniform_grid *grid = context;
    for (size_t p = begin; p < end; ++p) {
        test_in_cells(grid, tester, p, grid->grid_count, grid->total_count);
    }
}

static bp_status find_between_in_footprints(bp_uniform_grid *grid, const bp_box *boxes, size_t count, bp_sink *sink) {
    const bp_between_search search = {.runtime = &grid->setup->runtime,
                                      .kernels = grid->setup->kernels,
                                      .dimensions = grid->setup->dimensions,
                                      .candidates = &grid->columns,
                                      .test_boxes = test_others_in_footprints,
                                      .context = grid};
    return bp_between_search_run(&search, &grid->other, boxes, count, &grid->sinks, sink);
}

// ---- either way -----------------------------------------------------------------------------------------------------

bp_status bp_footprint_search_find(void *state, bp_sink *sink) {
    return ((const bp_uniform_grid *)state)->has_footprints ? find_in_footprints(state, sink)
                                                            : bp_cell_search_find(state, sink);
}

bp_status bp_footprint_search_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    return ((const bp_uniform_grid *)state)->has_footprints ? find_between_in_footprints(state, boxes, count, sink)
                                                            : bp_cell_search_find_between(state, boxes, count, sink);
}

// ---- checks ---------------------------------------------------------------------------------------------------------

// Whether an object belongs to the cell with these bounds, and there to this class.
static bool is_in_its_cell(const bp_uniform_grid *grid, const bp_footprint *print, const uint32_t *bounds,
                           uint32_t place) {
    for (uint32_t z = print->low[2]; z <= print->high[2]; ++z) {
        for (uint32_t y = print->low[1]; y <= print->high[1]; ++y) {
            for (uint32_t x = print->low[0]; x <= print->high[0]; ++x) {
                if (grid->find_bounds(grid, x, y, z) == bounds) {
                    return bp_footprint_place(print, x, y, z) == place;
                }
            }
        }
    }
    return false;
}

// Positions begin .. end-1 hold existing boxes, in the order of their ids. `bounds` is NULL for scanned boxes.
static bool entries_are_sound(const bp_uniform_grid *grid, size_t begin, size_t end, const uint32_t *bounds,
                              uint32_t place) {
    const uint32_t *ids = grid->columns.id;
    bool sound = true;
    for (size_t p = begin; sound && p < end; ++p) {
        bp_cells_part part = {0};
        bp_footprint print;
        sound = ids[p] < grid->count && (p == begin || ids[p - 1] < ids[p]) &&
                bp_columns_hold(&grid->columns, p, &grid->boxes[ids[p]], grid->setup->dimensions);
        const bp_place kind = sound ? bp_footprint_of(grid, &grid->boxes[ids[p]], &print, &part) : BP_PLACE_HOLE;
        sound = kind == (bounds != NULL ? BP_PLACE_CELL : BP_PLACE_SCAN) &&
                (bounds == NULL || is_in_its_cell(grid, &print, bounds, place));
    }
    return sound;
}

static bool cells_are_sound(const bp_uniform_grid *grid) {
    const uint32_t *starts = bp_uniform_grid_starts(grid);
    bool sound = bp_cells_total(&grid->cells) > 0 && starts[0] == 0 && starts[grid->occupied] == grid->grid_count;
    for (size_t i = 0; sound && i < grid->occupied; ++i) {
        sound = starts[i] < starts[i + 1] && starts[i + 1] <= grid->grid_count;
        const uint32_t *bounds = sound ? grid->bounds_at(grid, i) : NULL;
        sound = bounds != NULL && bounds[0] == starts[i] && bounds[BP_CELL_CLASSES] == starts[i + 1];
        for (uint32_t place = 0; sound && place < BP_CELL_CLASSES; ++place) {
            sound = bounds[place] <= bounds[place + 1] && bounds[place + 1] <= starts[i + 1] &&
                    entries_are_sound(grid, bounds[place], bounds[place + 1], bounds, place);
        }
    }
    return sound;
}

// Whether there are as many entries as the objects have cells: as none is there twice, none is missing.
static bool holds_all_footprints(const bp_uniform_grid *grid) {
    uint64_t entries = 0, scanned = 0;
    for (size_t i = 0; i < grid->count; ++i) {
        bp_cells_part part = {0};
        bp_footprint print;
        const bp_place place = bp_footprint_of(grid, &grid->boxes[i], &print, &part);
        entries += place == BP_PLACE_CELL ? (uint64_t)bp_footprint_cells(&print) : 0;
        scanned += place == BP_PLACE_SCAN;
    }
    return entries == grid->grid_count && scanned == grid->total_count - grid->grid_count;
}

bp_status bp_footprints_validate(const bp_uniform_grid *grid, const char *method, bool is_sound) {
    if (!grid->has_footprints) {
        return bp_uniform_grid_validate(grid, method, is_sound);
    }
    if (is_sound && holds_all_footprints(grid) && cells_are_sound(grid) &&
        entries_are_sound(grid, grid->grid_count, grid->total_count, NULL, 0)) {
        return BP_OK;
    }
    bp_log_write(&grid->setup->runtime.log, "%s: the cells do not hold the boxes that they were given", method);
    return BP_ERROR_INTERNAL;
}
