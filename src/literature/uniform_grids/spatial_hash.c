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
// which they begin there, and only some classes are tested against each other (cell_grid.h). An object that overlaps
// more than settings.hash_cell_limit cells is stored separately, and tested against the occupied cells that its box covers
// and against all other large ones.
//
// Building: the cells of each object in turn are looked up, and inserted if they are new: a cell's number says which it was.
// Then the objects are sorted by number and class. The table doubles when it is full, and is kept from step to step.
//
// Cost: O(n + entries) to build, with an entry for each cell of each object; O(n) to find if cells hold few objects;
// memory follows the objects, not space. Loses where sizes differ much (no cell fits all: many entries, or full cells)
// and against grids that hold each object once.
//
// Source: M. Zych, "Efficient algorithms for collision detection in three-dimensional space", 2016, section 2.2.1; M.
// Gissler, M. Ihmsen, M. Teschner, "Efficient Uniform Grids for Collision Handling in Medical Simulators", Freiburg,
// section 3.3.
#include "engine/method.h"
#include "literature/uniform_grids/cell_grid.h"

enum { SLOTS_MIN = 64, SPARSE = 16, CLASS_BITS = 3 };

// Measured: larger cells are better for cubes, smaller ones for sizes of 1:10.
static const double CELL_PER_OBJECT = 2.0;

// Large objects are told by the cells that they overlap.
static const double CONFIGURED_CELLS = 1e9;

typedef struct hash_cell {
    uint32_t at[3];
    uint32_t next; // in its chain
} hash_cell;

typedef struct spatial_hash {
    bp_cell_grid grid;
    size_t slot_count; // a power of two
    bp_buffer slots;   // of uint32_t
    bp_buffer cells;   // of hash_cell, by number
} spatial_hash;

// ---- the table ------------------------------------------------------------------------------------------------------

// The multiplicative hash of the literature, with its primes; in 64 bits, whose halves are folded. In 32 bits, cells
// that are a large power of two apart would all have the same lower bits.
static size_t slot_of_place(const spatial_hash *h, const uint32_t at[3]) {
    const uint64_t sum = (uint64_t)at[0] * 0x8da6b343u ^ (uint64_t)at[1] * 0xd8163841u ^ (uint64_t)at[2] * 0xcb1ab31fu;
    return (size_t)(sum ^ sum >> 32) & (h->slot_count - 1);
}

// The cell at a place, or BP_NO_CELL; *slot gets where it would go.
static uint32_t look_up(const spatial_hash *h, const uint32_t at[3], size_t *slot) {
    const hash_cell *cells = h->cells.data;
    const uint32_t *slots = h->slots.data;
    const bool chained = h->grid.setup->settings.hash_table == BP_HASH_CHAINED;
    size_t i = slot_of_place(h, at);
    uint32_t cell = slots[i];
    while (cell != BP_NO_CELL && memcmp(cells[cell].at, at, sizeof cells[cell].at) != 0) {
        i = chained ? i : (i + 1) & (h->slot_count - 1); // an open table always has an empty slot
        cell = chained ? cells[cell].next : slots[i];
    }
    *slot = i;
    return cell;
}

static uint32_t find_hashed(const void *state, const uint32_t at[3]) {
    size_t slot;
    return look_up(state, at, &slot);
}

// Empties the slots and enters all cells again.
static bool resize_table(spatial_hash *h, size_t slot_count) {
    if (!bp_buffer_reserve(&h->slots, &h->grid.setup->runtime.allocator, 0, slot_count, sizeof(uint32_t))) {
        return false;
    }
    hash_cell *cells = h->cells.data;
    uint32_t *slots = h->slots.data;
    h->slot_count = slot_count;
    memset(slots, 0xff, slot_count * sizeof *slots); // BP_NO_CELL
    for (uint32_t i = 0; i < h->grid.number_count; ++i) {
        size_t slot;
        (void)look_up(h, cells[i].at, &slot);
        cells[i].next = slots[slot]; // in an open table the slot was empty
        slots[slot] = i;
    }
    return true;
}

// Inserts a cell if it is new. False if memory is short.
static bool enter_cell(spatial_hash *h, const uint32_t at[3]) {
    const bool chained = h->grid.setup->settings.hash_table == BP_HASH_CHAINED;
    const size_t count = h->grid.number_count;
    size_t slot;
    if (look_up(h, at, &slot) != BP_NO_CELL) {
        return true;
    }
    if ((count == (chained ? h->slot_count : h->slot_count / 2) && !resize_table(h, 2 * h->slot_count)) ||
        !bp_buffer_reserve_slack(&h->cells, &h->grid.setup->runtime.allocator, count * sizeof(hash_cell), count + 1,
                                 sizeof(hash_cell))) {
        return false;
    }
    (void)look_up(h, at, &slot);
    uint32_t *slots = h->slots.data;
    ((hash_cell *)h->cells.data)[count] = (hash_cell){.at = {at[0], at[1], at[2]}, .next = slots[slot]};
    slots[slot] = (uint32_t)h->grid.number_count++;
    return true;
}

static bp_status enter_all_cells(void *state) {
    spatial_hash *h = state;
    const bool sparse = h->slot_count > SLOTS_MIN && h->slot_count / SPARSE > h->grid.number_count;
    h->grid.number_count = 0;
    bool entered = resize_table(h, h->slot_count == 0 ? SLOTS_MIN : sparse ? h->slot_count / 2 : h->slot_count);
    bp_entry_walk walk = bp_entry_walk_begin(&h->grid, 0, h->grid.blocks.count);
    while (entered && bp_entry_walk_next(&walk)) {
        entered = enter_cell(h, walk.at);
    }
    return entered ? BP_OK : BP_ERROR_MEMORY;
}

// Slots refer to existing cells, a chain leads from a cell to an earlier one, and an open table has an empty slot: so
// every lookup ends.
static bool table_is_sound(const void *state) {
    const spatial_hash *h = state;
    const hash_cell *cells = h->cells.data;
    const uint32_t *slots = h->slots.data;
    const bool chained = h->grid.setup->settings.hash_table == BP_HASH_CHAINED;
    size_t empty = 0;
    bool sound = h->slot_count > 0 && (h->slot_count & (h->slot_count - 1)) == 0 &&
                 h->slot_count <= h->slots.bytes / sizeof(uint32_t) &&
                 h->grid.number_count <= h->cells.bytes / sizeof(hash_cell);
    for (size_t i = 0; sound && i < h->slot_count; ++i) {
        empty += slots[i] == BP_NO_CELL;
        sound = slots[i] == BP_NO_CELL || slots[i] < h->grid.number_count;
    }
    for (uint32_t i = 0; sound && chained && i < h->grid.number_count; ++i) {
        sound = cells[i].next == BP_NO_CELL || cells[i].next < i;
    }
    return sound && (chained || empty > 0);
}

static const bp_cell_map SPATIAL_HASH_MAP = {.name = "spatial-hash",
                                             .make = enter_all_cells,
                                             .find = find_hashed,
                                             .sort = bp_cell_grid_sort,
                                             .is_sound = table_is_sound};

// ---- the method -----------------------------------------------------------------------------------------------------

static bp_status spatial_hash_build(void *state, const bp_box *boxes, size_t count) {
    return bp_cell_grid_build(state, boxes, count,
                              (bp_cells_limits){.cells = UINT64_MAX,
                                                .axis_cells = BP_CELLS_EVERYWHERE,
                                                .per_object = CELL_PER_OBJECT,
                                                .longest = CONFIGURED_CELLS});
}

static void spatial_hash_init(void *state, const bp_method_setup *setup) {
    *(spatial_hash *)state =
        (spatial_hash){.grid = {.setup = setup, .map = &SPATIAL_HASH_MAP, .class_bits = CLASS_BITS}};
}

static void spatial_hash_free(void *state) {
    spatial_hash *h = state;
    const bp_allocator *allocator = &h->grid.setup->runtime.allocator;
    bp_buffer_free(&h->slots, allocator);
    bp_buffer_free(&h->cells, allocator);
    bp_cell_grid_free(&h->grid);
}

static void spatial_hash_stats(const void *state, bp_stats *stats) {
    const spatial_hash *h = state;
    stats->cells = h->slot_count;
    stats->bytes = sizeof *h + h->slots.bytes + h->cells.bytes;
    bp_cell_grid_stats(&h->grid, stats);
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
    .find = bp_cell_grid_find,
    .find_between = bp_cell_grid_find_between,
    .stats = spatial_hash_stats,
    .validate = bp_cell_grid_validate,
};
