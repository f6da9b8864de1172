// spatial-hash: a uniform grid without bounds, stored in a hash table; an object is in every cell that it overlaps.
//
//     slots     | - | 2 | - | - | 0 | 1 | - | ...   chained: the last cell of a chain, load up to 1
//                     |           |   |             open:    a cell, or the next slot; load up to 1/2
//     cells     +-----v-----+-----v-----+---        (x, y, z), and where its boxes are
//               | cell 0    | cell 1    | cell 2
//     columns   | xyz | yz | x | ... | xyz | ...    the boxes of a cell, by the axes along which they begin in it
//
// Idea: only objects that share a cell can overlap. Objects that share several cells are reported once, by the cell that
// contains the maximum of the two min corners: inside a cell objects are sorted into eight classes by the axes along
// which they begin there, and only some classes are tested against each other (footprints.h). An object that overlaps
// more than settings.hash_cell_limit cells is stored separately, and tested against the occupied cells that its box covers
// and against all other large ones.
//
// Building: the cells of each object in turn are looked up, and inserted if they are new; then the objects of each class of
// each cell are counted, and placed. The table doubles when it is full, and is kept from step to step.
//
// Cost: O(n + entries) to build, with an entry for each cell of each object; O(n) to find if cells hold few objects;
// memory follows the objects, not space. Loses where sizes differ much (no cell fits all: many entries, or full cells)
// and against grids that hold each object once.
//
// Source: M. Zych, "Efficient algorithms for collision detection in three-dimensional space", 2016, section 2.2.1; M.
// Gissler, M. Ihmsen, M. Teschner, "Efficient Uniform Grids for Collision Handling in Medical Simulators", Freiburg,
// section 3.3.
#include "base/log.h"
#include "engine/method.h"
#include "literature/uniform_grids/footprints.h"

#include <string.h>

#define NO_CELL UINT32_MAX

enum { SLOTS_LEAST = 64, SPARSE = 16, CLASS_BITS = 3 };

// Measured: larger cells are better for cubes, smaller ones for sizes of 1:10.
static const double CELL_PER_OBJECT = 2.0;

// Large objects are told by the cells that they overlap.
static const double CONFIGURED_CELLS = 1e9;

typedef struct hash_cell {
    uint32_t at[3];
    uint32_t next;                   // in its chain
    uint32_t bounds[BP_CELL_BOUNDS]; // of the classes of its boxes, in the columns
} hash_cell;

typedef struct spatial_hash {
    bp_uniform_grid grid;
    size_t slot_count; // a power of two
    bp_buffer slots;   // of uint32_t
    bp_buffer cells;   // of hash_cell
    bp_buffer entries; // of uint64_t, object by object: cell << CLASS_BITS | class
} spatial_hash;

static hash_cell *cells_of(const spatial_hash *h) {
    return h->cells.data;
}

// The multiplicative hash of the literature, with its primes; in 64 bits, whose halves are folded. In 32 bits, cells
// that are a large power of two apart would all have the same lower bits.
static size_t slot_of_place(const spatial_hash *h, const uint32_t at[3]) {
    const uint64_t sum = (uint64_t)at[0] * 0x8da6b343u ^ (uint64_t)at[1] * 0xd8163841u ^ (uint64_t)at[2] * 0xcb1ab31fu;
    return (size_t)(sum ^ sum >> 32) & (h->slot_count - 1);
}

static bool is_at(const hash_cell *cell, const uint32_t at[3]) {
    return (cell->at[0] == at[0]) & (cell->at[1] == at[1]) & (cell->at[2] == at[2]);
}

// The cell at a place, or NO_CELL; *slot gets where it would go.
static uint32_t look_up(const spatial_hash *h, const uint32_t at[3], size_t *slot) {
    const hash_cell *cells = cells_of(h);
    const uint32_t *slots = h->slots.data;
    size_t i = slot_of_place(h, at);
    uint32_t cell = slots[i];
    if (h->grid.setup->settings.hash_table == BP_HASH_CHAINED) {
        while (cell != NO_CELL && !is_at(&cells[cell], at)) {
            cell = cells[cell].next;
        }
    } else {
        while (cell != NO_CELL && !is_at(&cells[cell], at)) { // there is always an empty one
            i = (i + 1) & (h->slot_count - 1);
            cell = slots[i];
        }
    }
    *slot = i;
    return cell;
}

static const uint32_t *spatial_hash_find_bounds(const void *state, uint32_t x, uint32_t y, uint32_t z) {
    const spatial_hash *h = state;
    size_t slot;
    const uint32_t cell = look_up(h, (const uint32_t[3]){x, y, z}, &slot);
    return cell != NO_CELL ? cells_of(h)[cell].bounds : NULL;
}

static const uint32_t *spatial_hash_bounds_at(const void *state, size_t occupied_index) {
    return cells_of(state)[occupied_index].bounds;
}

// ---- the table ------------------------------------------------------------------------------------------------------

// Empties the slots and enters all cells again.
static bool resize_table(spatial_hash *h, size_t slot_count) {
    if (!bp_buffer_reserve(&h->slots, &h->grid.setup->runtime.allocator, 0, slot_count, sizeof(uint32_t))) {
        return false;
    }
    h->slot_count = slot_count;
    memset(h->slots.data, 0xff, slot_count * sizeof(uint32_t)); // NO_CELL
    for (uint32_t i = 0; i < h->grid.occupied; ++i) {
        size_t slot;
        (void)look_up(h, cells_of(h)[i].at, &slot);
        cells_of(h)[i].next = ((uint32_t *)h->slots.data)[slot]; // in an open table the slot was empty
        ((uint32_t *)h->slots.data)[slot] = i;
    }
    return true;
}

// The cell at a place, which is inserted if it is new; NO_CELL if memory is short.
static uint32_t enter_cell(spatial_hash *h, const uint32_t at[3]) {
    const size_t most = h->grid.setup->settings.hash_table == BP_HASH_CHAINED ? h->slot_count : h->slot_count / 2;
    size_t slot;
    const uint32_t found = look_up(h, at, &slot);
    if (found != NO_CELL) {
        return found;
    }
    if ((h->grid.occupied == most && !resize_table(h, 2 * h->slot_count)) ||
        !bp_buffer_reserve_slack(&h->cells, &h->grid.setup->runtime.allocator, h->grid.occupied * sizeof(hash_cell),
                                 h->grid.occupied + 1, sizeof(hash_cell))) {
        return NO_CELL;
    }
    (void)look_up(h, at, &slot);
    const uint32_t cell = (uint32_t)h->grid.occupied++;
    uint32_t *slots = h->slots.data;
    cells_of(h)[cell] = (hash_cell){.at = {at[0], at[1], at[2]}, .next = slots[slot]};
    slots[slot] = cell;
    return cell;
}

// ---- building -------------------------------------------------------------------------------------------------------

static bp_status spatial_hash_place(void *state, bool *suits) {
    spatial_hash *h = state;
    bp_footprints_count(&h->grid);
    *suits = bp_uniform_grid_join(&h->grid);
    return BP_OK;
}

// Enters the cells of all objects, and counts the objects of each class. The scanned ones come last.
static bool enter_objects(spatial_hash *h) {
    const size_t last = h->grid.occupied;
    const bool sparse = h->slot_count > SLOTS_LEAST && h->slot_count / SPARSE > last;
    uint64_t *entry = h->entries.data;
    size_t scanned = h->grid.grid_count;
    h->grid.occupied = 0;
    if (!resize_table(h, h->slot_count == 0 ? SLOTS_LEAST : sparse ? h->slot_count / 2 : h->slot_count)) {
        return false;
    }
    for (size_t i = 0; i < h->grid.count; ++i) {
        bp_cells_part part = {0};
        bp_footprint print;
        const bp_place place = bp_footprint_of(&h->grid, &h->grid.boxes[i], &print, &part);
        if (place != BP_PLACE_CELL) {
            h->grid.columns.id[scanned] = (uint32_t)i;
            scanned += place == BP_PLACE_SCAN;
            continue;
        }
        uint32_t at[3];
        for (at[2] = print.low[2]; at[2] <= print.high[2]; ++at[2]) {
            for (at[1] = print.low[1]; at[1] <= print.high[1]; ++at[1]) {
                for (at[0] = print.low[0]; at[0] <= print.high[0]; ++at[0]) {
                    const uint32_t cell = enter_cell(h, at), class = bp_footprint_place(&print, at[0], at[1], at[2]);
                    if (cell == NO_CELL) {
                        return false;
                    }
                    ++cells_of(h)[cell].bounds[class + 1];
                    *entry++ = (uint64_t)cell << CLASS_BITS | class;
                }
            }
        }
    }
    return true;
}

// Turns the counts of the classes into positions, and places the objects there.
static void place_objects(spatial_hash *h) {
    uint32_t position = 0, *starts = bp_uniform_grid_starts(&h->grid);
    const uint64_t *entry = h->entries.data;
    for (size_t i = 0; i < h->grid.occupied; ++i) {
        uint32_t *bounds = cells_of(h)[i].bounds;
        starts[i] = bounds[0] = position;
        for (size_t class = 0; class < BP_CELL_CLASSES; ++class) {
            const uint32_t count = bounds[class + 1];
            bounds[class + 1] = position;
            position += count;
        }
    }
    starts[h->grid.occupied] = position;
    for (size_t i = 0; i < h->grid.count; ++i) {
        bp_cells_part part = {0};
        bp_footprint print;
        if (bp_footprint_of(&h->grid, &h->grid.boxes[i], &print, &part) == BP_PLACE_CELL) {
            for (size_t k = (size_t)bp_footprint_cells(&print); k-- > 0; ++entry) {
                uint32_t *bounds = cells_of(h)[*entry >> CLASS_BITS].bounds;
                h->grid.columns.id[bounds[(*entry & (BP_CELL_CLASSES - 1)) + 1]++] = (uint32_t)i;
            }
        }
    }
    bp_uniform_grid_fill(&h->grid, 0, h->grid.total_count);
}

static bp_status spatial_hash_fill(void *state) {
    spatial_hash *h = state;
    const bp_allocator *allocator = &h->grid.setup->runtime.allocator;
    bp_status status =
        bp_footprints_reserve(&h->grid) ? bp_uniform_grid_place(&h->grid, spatial_hash_place) : BP_ERROR_MEMORY;
    if (status == BP_OK) {
        status = bp_footprints_place(&h->grid, bp_spatial_hash_ops.name);
    }
    if (status != BP_OK) {
        return status;
    }
    if (!bp_buffer_reserve_slack(&h->entries, allocator, 0, h->grid.grid_count + 1, sizeof(uint64_t)) ||
        !enter_objects(h) ||
        !bp_buffer_reserve_slack(&h->grid.starts_buffer, allocator, 0, h->grid.occupied + 1, sizeof(uint32_t))) {
        return BP_ERROR_MEMORY;
    }
    place_objects(h);
    return BP_OK;
}

static bp_status spatial_hash_build(void *state, const bp_box *boxes, size_t count) {
    spatial_hash *h = state;
    const bp_cells_limits limits = {.cells = UINT64_MAX,
                                    .axis_cells = BP_CELLS_EVERYWHERE,
                                    .per_object = CELL_PER_OBJECT,
                                    .longest = CONFIGURED_CELLS};
    return bp_uniform_grid_build(&h->grid, boxes, count, limits, spatial_hash_fill);
}

// ---- the method -----------------------------------------------------------------------------------------------------

static void spatial_hash_init(void *state, const bp_method_setup *setup) {
    spatial_hash *h = state;
    *h = (spatial_hash){.grid = {.setup = setup,
                                 .has_footprints = true,
                                 .find_bounds = spatial_hash_find_bounds,
                                 .bounds_at = spatial_hash_bounds_at}};
}

static void spatial_hash_free(void *state) {
    spatial_hash *h = state;
    const bp_allocator *allocator = &h->grid.setup->runtime.allocator;
    bp_buffer_free(&h->slots, allocator);
    bp_buffer_free(&h->cells, allocator);
    bp_buffer_free(&h->entries, allocator);
    bp_uniform_grid_free(&h->grid);
}

static void spatial_hash_stats(const void *state, bp_stats *stats) {
    const spatial_hash *h = state;
    stats->cells = h->slot_count;
    stats->bytes = sizeof *h + h->slots.bytes + h->cells.bytes + h->entries.bytes;
    bp_uniform_grid_stats(&h->grid, stats);
}

// Slots refer to existing cells, a chain leads from a cell to an earlier one, and an open table has an empty slot: so
// every lookup ends.
static bp_status spatial_hash_validate(const void *state) {
    const spatial_hash *h = state;
    const uint32_t *slots = h->slots.data;
    const bool chained = h->grid.setup->settings.hash_table == BP_HASH_CHAINED;
    size_t empty = 0;
    bool sound = h->slot_count > 0 && (h->slot_count & (h->slot_count - 1)) == 0 &&
                 h->slot_count <= h->slots.bytes / sizeof(uint32_t) &&
                 h->grid.occupied <= h->cells.bytes / sizeof(hash_cell);
    for (size_t i = 0; sound && i < h->slot_count; ++i) {
        empty += slots[i] == NO_CELL;
        sound = slots[i] == NO_CELL || slots[i] < h->grid.occupied;
    }
    for (uint32_t i = 0; sound && chained && i < h->grid.occupied; ++i) {
        sound = cells_of(h)[i].next == NO_CELL || cells_of(h)[i].next < i;
    }
    return bp_footprints_validate(&h->grid, bp_spatial_hash_ops.name, sound && (chained || empty > 0));
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
    .find = bp_footprint_search_find,
    .find_between = bp_footprint_search_find_between,
    .stats = spatial_hash_stats,
    .validate = spatial_hash_validate,
};
