// spatial-hash: a uniform grid without bounds, stored in a hash table; an object is in every cell that it overlaps.
//
//     slots     | - | 2 | - | - | 0 | 1 | - | ...   chained: the first cell of a chain, load up to 1
//                     |           |   |             open:    a cell, or the next slot; load up to 1/2
//     cells     +-----v-----+-----v-----+---        (x, y, z), and where its boxes are
//               | cell 0    | cell 1    | cell 2
//     columns   | xyz | yz | x | ... | xyz | ...    the boxes of a cell, by the axes along which they begin in it
//
// Idea: only objects that share a cell can overlap. Objects that share several cells are reported once, by the cell that
// contains the maximum of the two min corners: inside a cell objects are sorted into eight classes by the axes along
// which they begin there, and only some classes are tested against each other (kernels/cell_classes.h). With cells of
// twice the size of the objects an object is in 3.4 cells, and a third of the pairs of a cell is left to other cells,
// untested.
//
// An object that overlaps more than settings.hash_cell_limit cells is large: it is stored separately, and tested
// against the occupied cells that its box covers and against all other large ones.
//
// Cost: O(n + entries) to build, with an entry for each cell of each object; O(n) to find if cells hold few objects;
// memory follows the objects, not space. Loses where sizes differ much (no cell fits all: many entries, or full cells)
// and against grids that hold each object once.
//
// Source: M. Zych, "Efficient algorithms for collision detection in three-dimensional space", 2016, section 2.2.1; M.
// Gissler, M. Ihmsen, M. Teschner, "Efficient Uniform Grids for Collision Handling in Medical Simulators", Freiburg,
// section 3.3.
#include "literature/spatial_hash/spatial_hash_build.h"

#include "base/log.h"
#include "engine/method.h"

static void spatial_hash_init(void *state, const bp_method_setup *setup) {
    spatial_hash *h = state;
    *h = (spatial_hash){.setup = setup};
}

static void spatial_hash_free(void *state) {
    spatial_hash *h = state;
    const bp_allocator *allocator = &h->setup->runtime.allocator;
    bp_buffer *buffers[] = {&h->columns_buffer, &h->records_buffer, &h->slots_buffer,
                            &h->cells_buffer,   &h->buckets_buffer, &h->totals_buffer,
                            &h->ranges_buffer,  &h->large_buffer,   &h->other.buffer};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i) {
        bp_buffer_free(buffers[i], allocator);
    }
    bp_partition_free(&h->partition, allocator);
    bp_block_sinks_free(&h->sinks, allocator);
}

// ---- objects of any size --------------------------------------------------------------------------------------------

// Lists a box, which covers these cells, against those objects of one cell whose pairs with it this cell must report.
static void test_box_in_cell(bp_range_tester *tester, size_t p, const cell_range *range, const hash_cell *cell) {
    bp_cell_classes_test_box(tester, p, homes_in(range, cell->at), cell->bounds);
}

static bool range_covers(const cell_range *range, const int32_t at[3]) {
    bool inside = true;
    for (int axis = 0; axis < 3; ++axis) {
        inside &= (range->low[axis] <= at[axis]) & (at[axis] <= range->high[axis]);
    }
    return inside;
}

static void test_box_in_bucket(const spatial_hash *h, bp_range_tester *tester, size_t p, const cell_range *range,
                               size_t bucket) {
    const hash_cell *cells = cells_of_bucket(h, bucket);
    for (size_t i = 0; i < hash_bucket_at(h, bucket)->cell_count; ++i) {
        if (range_covers(range, cells[i].at)) {
            test_box_in_cell(tester, p, range, &cells[i]);
        }
    }
}

// Looks up every cell of a range.
static void test_box_in_range(const spatial_hash *h, bp_range_tester *tester, size_t p, const cell_range *range) {
    int32_t at[3];
    for (at[2] = range->low[2]; at[2] <= range->high[2]; ++at[2]) {
        for (at[1] = range->low[1]; at[1] <= range->high[1]; ++at[1]) {
            for (at[0] = range->low[0]; at[0] <= range->high[0]; ++at[0]) {
                const size_t bucket = bucket_of_hash(h, hash_of_place(at));
                size_t slot = 0;
                const uint32_t cell = spatial_hash_lookup(h, bucket, at, &slot);
                if (cell != SPATIAL_HASH_NO_CELL) {
                    test_box_in_cell(tester, p, range, cells_of_bucket(h, bucket) + cell);
                }
            }
        }
    }
}

// ---- finding --------------------------------------------------------------------------------------------------------

// First the buckets, with the large boxes against the cells of each; then the large boxes against each other.
static void test_hash_unit(const void *context, bp_range_tester *tester, size_t unit) {
    const spatial_hash *h = context;
    if (unit >= hash_bucket_count(h)) {
        const size_t large = h->entry_count + unit - hash_bucket_count(h);
        bp_range_tester_add_long(tester, large, (uint32_t)h->entry_count, (uint32_t)large);
        return;
    }
    const hash_cell *cells = cells_of_bucket(h, unit);
    for (size_t i = 0; i < hash_bucket_at(h, unit)->cell_count; ++i) {
        bp_cell_classes_test(tester, cells[i].bounds);
    }
    for (size_t p = h->entry_count; p < h->total_count; ++p) {
        test_box_in_bucket(h, tester, p, &h->large[p - h->entry_count], unit);
    }
}

static bp_status spatial_hash_find(void *state, bp_sink *sink) {
    spatial_hash *h = state;
    const bp_range_search search = {.runtime = &h->setup->runtime,
                                    .kernels = h->setup->kernels,
                                    .objects = &h->columns,
                                    .candidates = &h->columns,
                                    .names = BP_NAMES_ORDERED,
                                    .unit_count = hash_bucket_count(h) + h->total_count - h->entry_count,
                                    .unit = test_hash_unit,
                                    .context = h};
    return bp_range_search_run(&search, &h->sinks, sink);
}

static void test_other_in_hash(const spatial_hash *h, bp_range_tester *tester, size_t p) {
    const bp_box box = bp_columns_box(tester->objects, p);
    const cell_range range = hash_range_of(h, &box);
    if (range_cells(&range) < (double)h->occupied) {
        test_box_in_range(h, tester, p, &range);
    } else { // there are fewer cells than would be looked up
        for (size_t bucket = 0; bucket < hash_bucket_count(h); ++bucket) {
            test_box_in_bucket(h, tester, p, &range, bucket);
        }
    }
    bp_range_tester_add_long(tester, p, (uint32_t)h->entry_count, (uint32_t)h->total_count);
}

static void test_others_in_hash(const void *context, bp_range_tester *tester, size_t begin, size_t end) {
    for (size_t p = begin; p < end; ++p) {
        test_other_in_hash(context, tester, p);
    }
}

static bp_status spatial_hash_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    spatial_hash *h = state;
    const bp_between_search search = {.runtime = &h->setup->runtime,
                                      .kernels = h->setup->kernels,
                                      .dimensions = h->setup->dimensions,
                                      .candidates = &h->columns,
                                      .test_boxes = test_others_in_hash,
                                      .context = h};
    return bp_between_search_run(&search, &h->other, boxes, count, &h->sinks, sink);
}

// ---- figures and checks ---------------------------------------------------------------------------------------------

static void spatial_hash_stats(const void *state, bp_stats *stats) {
    const spatial_hash *h = state;
    stats->update = BP_UPDATE_REBUILD;
    stats->levels = h->entry_count > 0 ? 1 : 0;
    stats->cells = hash_bucket_count(h) << h->segment_bits;
    stats->occupied = h->occupied;
    stats->objects_per_cell_max = h->fullest;
    stats->objects_per_cell = h->occupied > 0 ? (double)h->entry_count / (double)h->occupied : 0.0;
    stats->bytes = sizeof *h + h->columns_buffer.bytes + h->records_buffer.bytes + h->slots_buffer.bytes +
                   h->cells_buffer.bytes + h->buckets_buffer.bytes + h->totals_buffer.bytes + h->ranges_buffer.bytes +
                   h->large_buffer.bytes + h->partition.buffer.bytes + h->other.buffer.bytes +
                   bp_block_sinks_bytes(&h->sinks);
}

// Whether a box belongs at a position; writes the cells that it overlaps.
static bool is_hash_entry_sound(const spatial_hash *h, size_t position, cell_range *range) {
    const uint32_t id = h->columns.id[position];
    if (id >= h->count || !bp_columns_hold(&h->columns, position, &h->boxes[id], h->setup->dimensions)) {
        return false;
    }
    const bp_box box = bp_box_flatten(h->boxes[id], h->setup->dimensions);
    *range = hash_range_of(h, &box);
    return true;
}

// The boxes of a class: each overlaps the cell and is of that class, and none is there twice.
static bool is_class_sound(const spatial_hash *h, const hash_cell *cell, size_t place) {
    const uint32_t begin = cell->bounds[place], end = cell->bounds[place + 1];
    bool sound = begin <= end && end <= h->entry_count;
    for (size_t p = begin; sound && p < end; ++p) {
        cell_range range;
        sound = is_hash_entry_sound(h, p, &range) && range_covers(&range, cell->at) &&
                BP_CELL_CLASS_PLACE[homes_in(&range, cell->at)] == place &&
                range_cells(&range) <= spatial_hash_limit(h) && (p == begin || h->columns.id[p - 1] < h->columns.id[p]);
    }
    return sound;
}

// Slots refer to existing cells, a chain leads from a cell to an earlier one, and an open table has an empty slot: so
// every lookup ends.
static bool is_table_sound(const spatial_hash *h, size_t bucket) {
    const hash_cell *cells = cells_of_bucket(h, bucket);
    const uint32_t *slots = slots_of_bucket(h, bucket), cell_count = hash_bucket_at(h, bucket)->cell_count;
    size_t empty = 0;
    bool sound = cell_count <= h->capacity;
    for (size_t i = 0; sound && i < (size_t)1 << h->segment_bits; ++i) {
        sound = slots[i] < cell_count || slots[i] == SPATIAL_HASH_NO_CELL;
        empty += slots[i] == SPATIAL_HASH_NO_CELL;
    }
    for (uint32_t i = 0; sound && i < cell_count; ++i) {
        sound = cells[i].next < i || cells[i].next == SPATIAL_HASH_NO_CELL;
    }
    return sound && (empty > 0 || h->setup->settings.hash_table == BP_HASH_CHAINED);
}

// Every cell is found by its lookup, which also means that none is there twice.
static bool is_bucket_sound(const spatial_hash *h, size_t bucket) {
    const hash_cell *cells = cells_of_bucket(h, bucket);
    bool sound = is_table_sound(h, bucket);
    uint32_t position = h->partition.starts[bucket];
    for (uint32_t i = 0; sound && i < hash_bucket_at(h, bucket)->cell_count; ++i) {
        size_t slot = 0;
        sound = bucket_of_hash(h, hash_of_place(cells[i].at)) == bucket &&
                spatial_hash_lookup(h, bucket, cells[i].at, &slot) == i && cells[i].bounds[0] == position;
        for (size_t place = 0; sound && place < BP_CELL_CLASSES; ++place) {
            sound = is_class_sound(h, &cells[i], place);
        }
        position = cells[i].bounds[BP_CELL_CLASSES];
    }
    return sound && position == h->partition.starts[bucket + 1];
}

// Whether the numbers of entries and large boxes are right.
static bool is_count_sound(const spatial_hash *h) {
    double entries = 0.0;
    size_t large = 0;
    for (size_t i = 0; i < h->count; ++i) {
        const bp_box box = bp_box_flatten(h->boxes[i], h->setup->dimensions);
        const cell_range range = hash_range_of(h, &box);
        const double cells = range_cells(&range);
        const bool is_large = cells > spatial_hash_limit(h), is_hole = bp_box_is_hole(&h->boxes[i]);
        large += is_large && !is_hole;
        entries += is_large || is_hole ? 0.0 : cells;
    }
    return entries == (double)h->entry_count && large == h->total_count - h->entry_count;
}

static bp_status spatial_hash_validate(const void *state) {
    const spatial_hash *h = state;
    bool sound = is_count_sound(h);
    for (size_t bucket = 0; sound && h->total_count > 0 && bucket < hash_bucket_count(h); ++bucket) {
        sound = is_bucket_sound(h, bucket);
    }
    for (size_t p = h->entry_count; sound && p < h->total_count; ++p) {
        cell_range range;
        sound = is_hash_entry_sound(h, p, &range) && (p == h->entry_count || h->columns.id[p - 1] < h->columns.id[p]);
    }
    if (!sound) {
        bp_log_write(&h->setup->runtime.log, "spatial-hash: the cells do not hold the boxes they were given");
        return BP_ERROR_INTERNAL;
    }
    return BP_OK;
}

const bp_method_ops bp_spatial_hash_ops = {
    .name = "spatial-hash",
    .summary =
        "a uniform grid in a hash table, objects in every cell they overlap: O(n), similar sizes, unbounded space",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_THREADS,
    .state_bytes = sizeof(spatial_hash),
    .init = spatial_hash_init,
    .free = spatial_hash_free,
    .build = spatial_hash_build,
    .find = spatial_hash_find,
    .find_between = spatial_hash_find_between,
    .stats = spatial_hash_stats,
    .validate = spatial_hash_validate,
};
