#include "literature/uniform_grids/cell_grid.h"

#include "base/log.h"

enum {
    BLOCK_MIN = 8192, // boxes or entries that are worth a task
    BLOCKS_MAX = 256,
    CROWDED = 16,         // mean number of boxes in the cell of a box, from which on cells may be planned anew
    FOOTPRINT_LIMIT = 256 // settings.hash_cell_limit by default
};

void bp_cell_grid_free(void *state) {
    bp_cell_grid *grid = state;
    const bp_allocator *allocator = &grid->setup->runtime.allocator;
    bp_buffer *buffers[] = {&grid->columns_buffer, &grid->full, &grid->starts,      &grid->keys, &grid->ids,
                            &grid->parts,          &grid->plan, &grid->other.buffer};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i) {
        bp_buffer_free(buffers[i], allocator);
    }
    bp_bucket_sort_free(&grid->sort, allocator);
    bp_block_sinks_free(&grid->sinks, allocator);
}

// ---- entries --------------------------------------------------------------------------------------------------------

typedef enum place { IN_CELLS, SCANNED, HOLE } place;

static uint32_t cells_between(const uint32_t low[3], const uint32_t high[3]) {
    return (high[0] - low[0] + 1) * (high[1] - low[1] + 1) * (high[2] - low[2] + 1);
}

// The kind of place of a box and, if it is in cells, which ones.
static place place_box(const bp_cell_grid *grid, const bp_box *box, uint32_t low[3], uint32_t high[3],
                       bp_cells_part *part) {
    const bp_cells *cells = &grid->cells;
    const uint32_t dimensions = grid->setup->dimensions, limit = grid->setup->settings.hash_cell_limit;
    float extent[3] = {0.0f, 0.0f, 0.0f};
    double print = 1.0; // at most 2^93 cells
    bool fits = true, outside = false;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        extent[axis] = bp_fit_extent(box->min[axis], box->max[axis]);
        fits &= extent[axis] <= cells->fit;
    }
    if (!fits) {
        const bool hole = bp_box_is_hole(box);
        part->scanned += !hole;
        return hole ? HOLE : SCANNED;
    }
    low[2] = high[2] = 0;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        const int32_t cell = bp_cell_of(box->min[axis], cells->inverse) - cells->low[axis];
        const int32_t last = (int32_t)(cells->count[axis] - 1), clamped = cell < 0 ? 0 : cell > last ? last : cell;
        outside |= clamped != cell;
        low[axis] = high[axis] = (uint32_t)clamped;
        part->reach[axis] = extent[axis] > part->reach[axis] ? extent[axis] : part->reach[axis];
    }
    part->outside += outside;
    if (grid->class_bits == 0) {
        return IN_CELLS;
    }
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        high[axis] = bp_cells_of(cells, (int)axis, box->max[axis]);
        print *= (double)(high[axis] - low[axis]) + 1.0;
    }
    return print <= (double)(limit > 0 ? limit : FOOTPRINT_LIMIT) ? IN_CELLS : SCANNED;
}

static bp_cells_part *part_of(const bp_cell_grid *grid, size_t block) {
    return (bp_cells_part *)grid->parts.data + block;
}

static void task_count_entries(void *context, size_t block) {
    const bp_cell_grid *grid = context;
    const size_t end = bp_block_begin(grid->blocks, block + 1);
    bp_cells_part part = {0};
    uint32_t low[3], high[3];
    for (size_t i = bp_block_begin(grid->blocks, block); i < end; ++i) {
        const place kind = place_box(grid, &grid->boxes[i], low, high, &part);
        part.entries += kind == IN_CELLS ? cells_between(low, high) : 0;
        part.kept_apart += kind == SCANNED;
    }
    *part_of(grid, block) = part;
}

// Writes the boxes that are scanned behind all others.
static void task_list_scanned(void *context, size_t block) {
    const bp_cell_grid *grid = context;
    const size_t end = bp_block_begin(grid->blocks, block + 1);
    uint32_t *next = grid->columns.id + grid->grid_count + part_of(grid, block)->kept_apart;
    bp_cells_part unused = {0};
    uint32_t low[3], high[3];
    for (size_t i = bp_block_begin(grid->blocks, block); i < end; ++i) {
        if (place_box(grid, &grid->boxes[i], low, high, &unused) == SCANNED) {
            *next++ = (uint32_t)i;
        }
    }
}

bp_entry_walk bp_entry_walk_begin(const bp_cell_grid *grid, size_t first_block, size_t block_count) {
    return (bp_entry_walk){.grid = grid,
                           .next = bp_block_begin(grid->blocks, first_block),
                           .end = bp_block_begin(grid->blocks, first_block + block_count),
                           .entry = (uint32_t)part_of(grid, first_block)->entries - 1};
}

bool bp_entry_walk_next(bp_entry_walk *w) {
    int axis = 0;
    while (axis < 3 && w->at[axis] == w->high[axis]) {
        w->at[axis] = w->low[axis];
        ++axis;
    }
    if (axis < 3) {
        ++w->at[axis];
    } else {
        bp_cells_part unused = {0};
        do {
            if (w->next == w->end) {
                return false;
            }
        } while (place_box(w->grid, &w->grid->boxes[w->next++], w->low, w->high, &unused) != IN_CELLS);
        memcpy(w->at, w->low, sizeof w->at);
    }
    ++w->entry;
    w->class = w->grid->class_bits == 0 ? 0
                                        : BP_CELL_CLASS_PLACE[bp_cell_class_bits(
                                              w->at[0] == w->low[0], w->at[1] == w->low[1], w->at[2] == w->low[2])];
    return true;
}

static bp_status refuse_cells(const bp_cell_grid *grid) {
    bp_log_write(&grid->setup->runtime.log,
                 "%s: the objects overlap too many cells of size %g; use a larger settings.cell_size or a smaller "
                 "settings.hash_cell_limit",
                 grid->map->name, grid->cells.size);
    return BP_ERROR_MEMORY;
}

// ---- sorting --------------------------------------------------------------------------------------------------------

static void task_write_keys(void *context, size_t block) {
    const bp_cell_grid *grid = context;
    uint32_t *keys = grid->keys.data, *ids = grid->ids.data;
    bp_entry_walk walk = bp_entry_walk_begin(grid, block, 1);
    while (bp_entry_walk_next(&walk)) {
        keys[walk.entry] = grid->map->find(grid, walk.at) << grid->class_bits | walk.class;
        ids[walk.entry] = (uint32_t)(walk.next - 1);
    }
}

bool bp_cell_grid_write_keys(bp_cell_grid *grid) {
    const bp_runtime *runtime = &grid->setup->runtime;
    const size_t room = grid->grid_count + 1;
    if (!bp_buffer_reserve_slack(&grid->keys, &runtime->allocator, 0, room, sizeof(uint32_t)) ||
        !bp_buffer_reserve_slack(&grid->ids, &runtime->allocator, 0, room, sizeof(uint32_t))) {
        return false;
    }
    bp_parallel_for(&runtime->executor, grid->blocks.count, task_write_keys, grid);
    return true;
}

bool bp_cell_grid_reserve_starts(bp_cell_grid *grid, bp_buffer *buffer) {
    const bool is_steady = grid->number_count >= bp_cells_total(&grid->cells);
    return (is_steady ? bp_buffer_reserve : bp_buffer_reserve_slack)(
        buffer, &grid->setup->runtime.allocator, 0, (grid->number_count << grid->class_bits) + 1, sizeof(uint32_t));
}

static void task_count_keys(void *context, size_t block) {
    const bp_bucket_sort *sort = context;
    bp_bucket_sort_clear(sort, block);
    bp_bucket_sort_count(sort, block, bp_block_begin(sort->blocks, block), bp_block_begin(sort->blocks, block + 1));
}

static void replace_entries_by_boxes(void *context, size_t bucket, size_t begin, size_t end) {
    const bp_cell_grid *grid = context;
    (void)bucket;
    for (size_t i = begin; i < end; ++i) {
        grid->columns.id[i] = ((const uint32_t *)grid->ids.data)[grid->columns.id[i]];
    }
}

bp_status bp_cell_grid_sort(void *state) {
    bp_cell_grid *grid = state;
    const bp_runtime *runtime = &grid->setup->runtime;
    if (grid->number_count > BP_SORT_KEY_NONE >> grid->class_bits) {
        return refuse_cells(grid);
    }
    if (!bp_cell_grid_reserve_starts(grid, &grid->starts) || !bp_cell_grid_write_keys(grid) ||
        !bp_bucket_sort_begin(&grid->sort, &runtime->allocator, grid->entries,
                              grid->number_count << grid->class_bits)) {
        return BP_ERROR_MEMORY;
    }
    grid->sort.keys = grid->keys.data;
    grid->sort.ids = grid->columns.id;
    grid->sort.table = grid->starts.data;
    bp_parallel_for(&runtime->executor, grid->entries.count, task_count_keys, &grid->sort);
    bp_bucket_sort_run(&grid->sort, &runtime->executor, replace_entries_by_boxes, grid);
    return BP_OK;
}

// ---- building -------------------------------------------------------------------------------------------------------

static void task_fill_columns(void *context, size_t block) {
    const bp_cell_grid *grid = context;
    const bp_blocks all = {.item_count = grid->total_count, .count = grid->blocks.count};
    bp_columns_fill(&grid->columns, grid->setup->kernels, grid->setup->dimensions, bp_block_begin(all, block),
                    bp_block_begin(all, block + 1), grid->boxes);
}

// Lists the occupied cells.
static bool list_full_cells(bp_cell_grid *grid) {
    const size_t most = grid->grid_count < grid->number_count ? grid->grid_count : grid->number_count;
    if (!bp_buffer_reserve_slack(&grid->full, &grid->setup->runtime.allocator, 0, most + 1, sizeof(uint32_t))) {
        return false;
    }
    uint64_t mates = (uint64_t)(grid->total_count - grid->grid_count) * grid->total_count;
    grid->occupied = 0;
    grid->fullest = 0;
    for (size_t number = 0; number < grid->number_count; ++number) {
        const size_t here = bp_cell_grid_starts(grid, number + 1)[0] - bp_cell_grid_starts(grid, number)[0];
        ((uint32_t *)grid->full.data)[grid->occupied] = (uint32_t)number;
        grid->occupied += here > 0;
        grid->fullest = here > grid->fullest ? here : grid->fullest;
        mates += (uint64_t)here * here;
    }
    grid->is_crowded = mates > (uint64_t)CROWDED * grid->total_count;
    return true;
}

// Enters all boxes into the planned cells, whose entries are counted.
static bp_status enter_boxes(bp_cell_grid *grid) {
    const bp_runtime *runtime = &grid->setup->runtime;
    uint64_t entries = 0, kept_apart = 0;
    for (size_t block = 0; block < grid->blocks.count; ++block) { // where those of each block begin
        bp_cells_part *part = part_of(grid, block);
        const uint64_t entries_here = part->entries, kept_here = part->kept_apart;
        part->entries = entries;
        part->kept_apart = kept_apart;
        entries += entries_here;
        kept_apart += kept_here;
    }
    if (entries + kept_apart >= UINT32_MAX) {
        return refuse_cells(grid);
    }
    grid->grid_count = (size_t)entries;
    grid->total_count = (size_t)(entries + kept_apart);
    grid->entries = bp_blocks_cut(&runtime->executor, grid->grid_count, BLOCK_MIN, BLOCKS_MAX);
    if (!bp_columns_reserve(&grid->columns, &grid->columns_buffer, &runtime->allocator, grid->total_count)) {
        return BP_ERROR_MEMORY;
    }
    bp_parallel_for(&runtime->executor, kept_apart > 0 ? grid->blocks.count : 0, task_list_scanned, grid);
    bp_status status = grid->map->make(grid);
    status = status == BP_OK ? grid->map->sort(grid) : status;
    if (status != BP_OK || !list_full_cells(grid)) {
        return BP_ERROR_MEMORY;
    }
    bp_parallel_for(&runtime->executor, grid->blocks.count, task_fill_columns, grid);
    return BP_OK;
}

// Whether the cells suit the boxes.
static bool count_entries(bp_cell_grid *grid) {
    bp_parallel_for(&grid->setup->runtime.executor, grid->blocks.count, task_count_entries, grid);
    return bp_cells_join(&grid->cells, &grid->setup->settings, grid->parts.data, grid->blocks.count, grid->count);
}

bp_status bp_cell_grid_build(bp_cell_grid *grid, const bp_box *boxes, size_t count, bp_cells_limits limits) {
    const bp_runtime *runtime = &grid->setup->runtime;
    bool is_new = !grid->cells.planned, suits = false;
    grid->boxes = boxes;
    grid->count = count;
    grid->blocks = bp_blocks_cut(&runtime->executor, count, BLOCK_MIN, BLOCKS_MAX);
    bp_status status =
        bp_buffer_reserve(&grid->parts, &runtime->allocator, 0, grid->blocks.count, sizeof(bp_cells_part))
            ? BP_OK
            : BP_ERROR_MEMORY;
    // The cells of the last build, or of a plan from a sample; where these do not suit the boxes, of a plan from all.
    for (int attempt = 0; attempt < 2 && status == BP_OK && !suits; ++attempt) {
        is_new |= attempt > 0;
        grid->is_replanned |= is_new;
        if (is_new) {
            status = bp_cells_plan(&grid->cells, grid->setup, boxes, count, &limits, attempt > 0, &grid->plan);
        }
        suits = status == BP_OK && count_entries(grid);
    }
    status = status == BP_OK ? enter_boxes(grid) : status;
    // A search of crowded cells takes so long that another plan costs little.
    if (status == BP_OK && grid->is_crowded && !is_new && grid->setup->settings.cell_size == 0.0f) {
        bp_cells cells;
        status = bp_cells_plan(&cells, grid->setup, boxes, count, &limits, grid->cells.of_all, &grid->plan);
        if (status == BP_OK && bp_cells_differ(&cells, &grid->cells)) {
            grid->cells = cells;
            grid->is_replanned = true;
            (void)count_entries(grid);
            status = enter_boxes(grid);
        }
    }
    if (status != BP_OK) {
        grid->grid_count = grid->total_count = grid->number_count = grid->occupied = 0;
        grid->cells.planned = false;
    }
    return status;
}

// ---- figures and checks ---------------------------------------------------------------------------------------------

void bp_cell_grid_stats(const bp_cell_grid *grid, bp_stats *stats) {
    stats->update = BP_UPDATE_REBUILD;
    stats->levels = grid->grid_count > 0;
    stats->occupied = grid->occupied;
    stats->objects_per_cell_max = grid->fullest;
    stats->objects_per_cell = grid->occupied > 0 ? (double)grid->grid_count / (double)grid->occupied : 0.0;
    stats->bytes += grid->columns_buffer.bytes + grid->starts.bytes + grid->keys.bytes + grid->ids.bytes +
                    grid->parts.bytes + grid->plan.bytes + grid->full.bytes + grid->other.buffer.bytes +
                    bp_bucket_sort_bytes(&grid->sort) + bp_block_sinks_bytes(&grid->sinks);
}

// Whether an object belongs to the cell of this number, and there to this class; BP_NO_CELL: it is scanned.
static bool is_in_its_cell(const bp_cell_grid *grid, uint32_t id, uint32_t number, uint32_t class) {
    bp_cells_part unused = {0};
    bp_entry_walk walk = {.grid = grid, .next = id, .end = (size_t)id + 1};
    if (number == BP_NO_CELL) {
        return place_box(grid, &grid->boxes[id], walk.low, walk.high, &unused) == SCANNED;
    }
    while (bp_entry_walk_next(&walk)) {
        if (grid->map->find(grid, walk.at) == number) {
            return walk.class == class;
        }
    }
    return false;
}

// Positions begin .. end-1 hold existing boxes, in the order of their ids.
static bool positions_are_sound(const bp_cell_grid *grid, size_t begin, size_t end, uint32_t number, uint32_t class) {
    const uint32_t *ids = grid->columns.id;
    bool sound = begin <= end && end <= grid->total_count;
    for (size_t p = begin; sound && p < end; ++p) {
        sound = ids[p] < grid->count && (p == begin || ids[p - 1] < ids[p]) &&
                bp_columns_hold(&grid->columns, p, &grid->boxes[ids[p]], grid->setup->dimensions) &&
                is_in_its_cell(grid, ids[p], number, class);
    }
    return sound;
}

static bool cells_are_sound(const bp_cell_grid *grid) {
    const uint32_t *starts = grid->starts.data;
    const uint32_t *full = grid->full.data;
    const size_t count = grid->number_count << grid->class_bits;
    size_t occupied = 0;
    bool sound = bp_cells_total(&grid->cells) > 0 && grid->occupied <= grid->full.bytes / sizeof *full &&
                 count < grid->starts.bytes / sizeof *starts && starts[0] == 0 && starts[count] == grid->grid_count &&
                 grid->map->is_sound(grid);
    for (size_t i = 0; sound && i < count; ++i) {
        const uint32_t number = (uint32_t)(i >> grid->class_bits);
        sound =
            positions_are_sound(grid, starts[i], starts[i + 1], number, (uint32_t)i & ((1u << grid->class_bits) - 1));
        if ((number << grid->class_bits) == i && bp_cell_grid_starts(grid, number + 1)[0] > starts[i]) {
            sound = sound && occupied < grid->occupied && full[occupied] == number;
            ++occupied;
        }
    }
    return sound && occupied == grid->occupied;
}

// Whether there are as many entries as the objects have cells: as none is there twice, none is missing.
static bool holds_all_boxes(const bp_cell_grid *grid) {
    bp_cells_part unused = {0};
    uint32_t low[3], high[3];
    uint64_t entries = 0, kept_apart = 0;
    for (size_t i = 0; i < grid->count; ++i) {
        const place kind = place_box(grid, &grid->boxes[i], low, high, &unused);
        entries += kind == IN_CELLS ? cells_between(low, high) : 0;
        kept_apart += kind == SCANNED;
    }
    return entries == grid->grid_count && kept_apart == grid->total_count - grid->grid_count;
}

bp_status bp_cell_grid_validate(const void *state) {
    const bp_cell_grid *grid = state;
    if (holds_all_boxes(grid) && cells_are_sound(grid) &&
        positions_are_sound(grid, grid->grid_count, grid->total_count, BP_NO_CELL, 0)) {
        return BP_OK;
    }
    bp_log_write(&grid->setup->runtime.log, "%s: the grid does not match the boxes", grid->map->name);
    return BP_ERROR_INTERNAL;
}
