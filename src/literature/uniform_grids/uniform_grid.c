#include "literature/uniform_grids/uniform_grid.h"

#include "base/log.h"

#include <string.h>

enum {
    BLOCK_LEAST = 8192, // boxes that are worth a task
    CROWDED = 16        // mean number of boxes in the cell of a box, from which on cells may be planned anew
};

void bp_uniform_grid_free(bp_uniform_grid *grid) {
    const bp_allocator *allocator = &grid->setup->runtime.allocator;
    bp_buffer *buffers[] = {&grid->columns_buffer, &grid->starts_buffer, &grid->parts_buffer,
                            &grid->plan_buffer,    &grid->counts_buffer, &grid->other.buffer};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i) {
        bp_buffer_free(buffers[i], allocator);
    }
    bp_block_sinks_free(&grid->sinks, allocator);
}

// ---- building -------------------------------------------------------------------------------------------------------

static bp_status plan_and_place(bp_uniform_grid *grid, bool all, bp_place_step place, bool *suits) {
    grid->is_replanned = true;
    grid->has_new_plan = true;
    const bp_status status =
        bp_cells_plan(&grid->cells, grid->setup, grid->boxes, grid->count, &grid->limits, all, &grid->plan_buffer);
    return status == BP_OK ? place(grid, suits) : status;
}

bp_status bp_uniform_grid_place(bp_uniform_grid *grid, bp_place_step place) {
    bool suits = false;
    const bp_status status = grid->cells.planned ? place(grid, &suits) : plan_and_place(grid, false, place, &suits);
    return status == BP_OK && !suits ? plan_and_place(grid, true, place, &suits) : status;
}

bool bp_uniform_grid_join(bp_uniform_grid *grid) {
    return bp_cells_join(&grid->cells, &grid->setup->settings, bp_uniform_grid_parts(grid), grid->blocks.count,
                         grid->count);
}

static bool begin_grid(bp_uniform_grid *grid, const bp_box *boxes, size_t count, bp_cells_limits limits) {
    const bp_runtime *runtime = &grid->setup->runtime;
    grid->boxes = boxes;
    grid->count = count;
    grid->limits = limits;
    grid->has_new_plan = false;
    grid->blocks = bp_blocks_cut(&runtime->executor, count, BLOCK_LEAST, BP_GRID_BLOCKS_MAX);
    return bp_buffer_reserve(&grid->parts_buffer, &runtime->allocator, 0, grid->blocks.count, sizeof(bp_cells_part)) &&
           bp_columns_reserve(&grid->columns, &grid->columns_buffer, &runtime->allocator, count);
}

// Whether an object shares its cell with many others, on average, or many are scanned.
static bool is_crowded(const bp_uniform_grid *grid) {
    const uint32_t *starts = bp_uniform_grid_starts(grid);
    uint64_t mates = (uint64_t)(grid->total_count - grid->grid_count) * grid->total_count;
    for (size_t i = 0; i < grid->occupied; ++i) {
        const uint64_t here = starts[i + 1] - starts[i];
        mates += here * here;
    }
    return mates > (uint64_t)CROWDED * grid->total_count;
}

// A search of crowded cells takes so long that another plan costs little.
static bp_status plan_again_if_crowded(bp_uniform_grid *grid, bp_fill_step fill) {
    if (grid->has_new_plan || grid->setup->settings.cell_size > 0.0f || !is_crowded(grid)) {
        return BP_OK;
    }
    bp_cells cells;
    const bp_status status = bp_cells_plan(&cells, grid->setup, grid->boxes, grid->count, &grid->limits,
                                           grid->cells.of_all, &grid->plan_buffer);
    if (status != BP_OK || !bp_cells_differ(&cells, &grid->cells)) {
        return status;
    }
    grid->cells = cells;
    grid->is_replanned = true;
    return fill(grid);
}

static void empty_grid(bp_uniform_grid *grid) {
    grid->grid_count = 0;
    grid->total_count = 0;
    grid->occupied = 0;
    grid->cells.planned = false;
}

bp_status bp_uniform_grid_build(bp_uniform_grid *grid, const bp_box *boxes, size_t count, bp_cells_limits limits,
                                bp_fill_step fill) {
    bp_status status = begin_grid(grid, boxes, count, limits) ? fill(grid) : BP_ERROR_MEMORY;
    if (status == BP_OK) {
        status = plan_again_if_crowded(grid, fill);
    }
    if (status != BP_OK) {
        empty_grid(grid);
    }
    return status;
}

// ---- figures and checks ---------------------------------------------------------------------------------------------

void bp_uniform_grid_stats(const bp_uniform_grid *grid, bp_stats *stats) {
    const uint32_t *starts = bp_uniform_grid_starts(grid);
    stats->update = BP_UPDATE_REBUILD;
    stats->levels = grid->grid_count > 0;
    stats->occupied = grid->occupied;
    stats->objects_per_cell_max = 0;
    for (size_t i = 0; i < grid->occupied; ++i) {
        const size_t here = starts[i + 1] - starts[i];
        stats->objects_per_cell_max = here > stats->objects_per_cell_max ? here : stats->objects_per_cell_max;
    }
    stats->objects_per_cell = grid->occupied > 0 ? (double)grid->grid_count / (double)grid->occupied : 0.0;
    stats->bytes += grid->columns_buffer.bytes + grid->starts_buffer.bytes + grid->parts_buffer.bytes +
                    grid->plan_buffer.bytes + grid->counts_buffer.bytes + grid->other.buffer.bytes +
                    bp_block_sinks_bytes(&grid->sinks);
}

// Positions begin .. end-1 hold existing boxes, in the order of their ids.
static bool positions_are_sound(const bp_uniform_grid *grid, size_t begin, size_t end) {
    const uint32_t *ids = grid->columns.id;
    bool sound = true;
    for (size_t p = begin; sound && p < end; ++p) {
        sound = ids[p] < grid->count && (p == begin || ids[p - 1] < ids[p]) &&
                bp_columns_hold(&grid->columns, p, &grid->boxes[ids[p]], grid->setup->dimensions);
    }
    return sound;
}

// One occupied cell: its boxes belong to it, in the order of their ids, and the method finds exactly these.
static bool grid_cell_is_sound(const bp_uniform_grid *grid, uint32_t begin, uint32_t end) {
    uint32_t cell[3], other[3];
    bp_uniform_grid_cell(grid, begin, cell);
    bp_cell_range range = {0};
    bool sound = bp_uniform_grid_ranges(grid, cell[0], cell[0], cell[1], cell[2], &range) == 1 &&
                 range.begin == begin && range.end == end;
    for (size_t p = begin; sound && p < end; ++p) {
        bp_uniform_grid_cell(grid, p, other);
        sound = memcmp(cell, other, sizeof cell) == 0;
    }
    return sound && positions_are_sound(grid, begin, end);
}

static bool grid_cells_are_sound(const bp_uniform_grid *grid) {
    const uint32_t *starts = bp_uniform_grid_starts(grid);
    bool sound = bp_cells_total(&grid->cells) > 0 && starts[0] == 0 && starts[grid->occupied] == grid->grid_count;
    for (size_t i = 0; sound && i < grid->occupied; ++i) {
        sound = starts[i] < starts[i + 1] && starts[i + 1] <= grid->grid_count &&
                grid_cell_is_sound(grid, starts[i], starts[i + 1]);
    }
    return sound;
}

static bool holds_all_boxes(const bp_uniform_grid *grid) {
    size_t alive = 0;
    for (size_t i = 0; i < grid->count; ++i) {
        alive += !bp_box_is_hole(&grid->boxes[i]);
    }
    return alive == grid->total_count;
}

bp_status bp_uniform_grid_validate(const bp_uniform_grid *grid, const char *method, bool is_sound) {
    if (is_sound && holds_all_boxes(grid) && grid_cells_are_sound(grid) &&
        positions_are_sound(grid, grid->grid_count, grid->total_count)) {
        return BP_OK;
    }
    bp_log_write(&grid->setup->runtime.log, "%s: the grid does not hold the boxes that it was given", method);
    return BP_ERROR_INTERNAL;
}
