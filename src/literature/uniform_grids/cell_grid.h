// One uniform grid: what linked-cells, spatial-hash, pivot-grid, compact-grid and cuckoo-grid have in common. They differ
// in the map that leads from a cell to its number, and so to its boxes, and in how boxes are sorted by it.
//
//     boxes ---> entries: (cell, box) ---> the map numbers the cells ---> sorted by number ---> pairs
//
//     starts    0     3   4           9           14             one per number, and where the last cell ends
//               |     |   |           |           |
//     columns   | a b c | d | e f g h i | j k l m n | S T |      boxes by cell, then those that are scanned
//
// Entries: a box is in the cell of its min corner. Or, as in the works of Zych and of Gissler et al., in every cell that it overlaps
// (its footprint): then the boxes of a cell are sorted into classes, each with a start of its own, so that a pair that
// shares several cells is found in one of them (kernels/cell_classes.h).
//
// A method's state begins with a bp_cell_grid, so that the functions here can be entries of its table and of its map.
#ifndef BP_CELL_GRID_H
#define BP_CELL_GRID_H

#include "base/bucket_sort.h"
#include "kernels/between_search.h"
#include "kernels/cell_classes.h"
#include "literature/uniform_grids/uniform_cells.h"

#define BP_NO_CELL UINT32_MAX

enum { BP_CONFIGURED_CELLS = 16 }; // that an object in cells may be long

// What a method adds.
typedef struct bp_cell_map {
    const char *name; // of the method
    // Makes the map of the cells that have entries, and sets the grid's number_count.
    bp_status (*make)(void *state);
    // The number of a cell, or BP_NO_CELL; a number may belong to a cell without entries.
    uint32_t (*find)(const void *state, const uint32_t at[3]);
    // Sorts the boxes of all entries by number and class, equal ones by id, into columns.id, and fills in the starts.
    bp_status (*sort)(void *state);
    // Whether find may be called, whatever has happened to the memory.
    bool (*is_sound)(const void *state);
} bp_cell_map;

typedef struct bp_cell_grid {
    const bp_method_setup *setup;
    const bp_cell_map *map;
    uint32_t class_bits; // of a key, below the number: 3 with footprints, else 0

    const bp_box *boxes;
    size_t count;
    bp_blocks blocks;  // of the boxes
    bp_blocks entries; // of the entries
    bp_cells cells;
    bool is_replanned; // the cells are new; a method that depends on them resets it

    size_t grid_count;   // entries
    size_t total_count;  // and scanned boxes
    size_t number_count; // of cells
    size_t occupied;     // cells with entries
    size_t fullest;      // entries of one cell
    bool is_crowded;     // a box shares its cell with many others, on average, or many are scanned
    bp_columns columns;

    bp_bucket_sort sort;
    bp_buffer columns_buffer;
    bp_buffer starts; // uint32_t: number_count << class_bits, and the end
    bp_buffer keys;   // uint32_t, by entry: number << class_bits | class
    bp_buffer ids;    // uint32_t, by entry: its box
    bp_buffer full;   // uint32_t: the numbers of the occupied cells
    bp_buffer parts;  // bp_cells_part, per block
    bp_buffer plan;   // scratch memory
    bp_block_sinks sinks;
    bp_other_set other;
} bp_cell_grid;

void bp_cell_grid_free(void *state);

// Builds the grid over boxes[0 .. count). Cells are kept from build to build, unless they do not suit the boxes. After a
// failure the grid is empty.
bp_status bp_cell_grid_build(bp_cell_grid *grid, const bp_box *boxes, size_t count, bp_cells_limits limits);

// ---- for maps -------------------------------------------------------------------------------------------------------

// The entries of some blocks of boxes, one after the other.
typedef struct bp_entry_walk {
    const bp_cell_grid *grid;
    size_t next, end;         // boxes that follow
    uint32_t low[3], high[3]; // the cells of the present one
    uint32_t entry, at[3], class;
} bp_entry_walk;

bp_entry_walk bp_entry_walk_begin(const bp_cell_grid *grid, size_t first_block, size_t block_count);
bool bp_entry_walk_next(bp_entry_walk *walk);

// Writes the key and the box of each entry. False if memory is short.
bool bp_cell_grid_write_keys(bp_cell_grid *grid);

// A map's sort: a stable counting sort (base/bucket_sort.h).
bp_status bp_cell_grid_sort(void *state);

// Room for the starts, or for as many other numbers; without slack where each cell of the domain has a number.
bool bp_cell_grid_reserve_starts(bp_cell_grid *grid, bp_buffer *buffer);

// The number of a cell in a dense grid, row by row.
static inline uint32_t bp_cell_grid_row_major(const bp_cell_grid *grid, const uint32_t at[3]) {
    return (at[2] * grid->cells.count[1] + at[1]) * grid->cells.count[0] + at[0];
}

// Where the classes of a cell begin; the next cell's are the end.
static inline const uint32_t *bp_cell_grid_starts(const bp_cell_grid *grid, size_t number) {
    return (const uint32_t *)grid->starts.data + (number << grid->class_bits);
}

// ---- for methods ----------------------------------------------------------------------------------------------------

static inline uint32_t bp_class_bits_of(const bp_method_setup *setup) {
    return setup->settings.grid_entries == BP_ENTRIES_FOOTPRINT ? 3 : 0;
}

bp_status bp_cell_grid_find(void *state, bp_sink *sink);
bp_status bp_cell_grid_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink);

// Adds the bytes that the grid holds to stats->bytes, and sets all other figures except stats->cells.
void bp_cell_grid_stats(const bp_cell_grid *grid, bp_stats *stats);

// Whether every box is in its cells, once, and every occupied cell is found.
bp_status bp_cell_grid_validate(const void *state);

#endif
