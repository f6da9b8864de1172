// Boxes in columns, cell after cell, and the search for pairs among them: common to the methods with one uniform grid.
// How the boxes came into that order and how a cell is looked up is the method's own.
//
//     starts    0     3  4        9          14 |             one per occupied cell
//               |     |  |        |           |
//     columns | a b c | d | e f g h i | j k l m n | S T |     boxes by cell, then those that are scanned
//
// A box lives in the cell of its min corner and is tested against the rest of its cell, the cells that follow in its
// row as far as it reaches, and the rows above that it reaches into (y up, z out of the page):
//
//        z              z + 1                 cells hold boxes up to half their size, so usually these are the cells
//     | # # # |      | # # # |  y + 1         marked #, and each box leaves out those of them that it does not cross into:
//     | . X # |      | # # # |  y             it needs 3.5 on average
//     | . . . |      | # # # |  y - 1
//
// What is needed to find the neighbours is looked up once for all boxes of a cell. Three ways, chosen cell by cell:
//
//   rows    rows of cells are contiguous, in a table: five ranges a box, each of them as short as the box allows
//   cells   cells are found one by one: those a box needs, by a mask of bits
//   any     boxes that reach further than their neighbours (configured cells smaller than they are), or over the edge of
//           a table
#ifndef BP_CELL_SWEEP_H
#define BP_CELL_SWEEP_H

#include "kernels/range_tester.h"
#include "methods/uniform_grids/uniform_cells.h"

enum { BP_ROW_CELLS = 8 }; // cells of a row that are looked up in one call, at most

// The boxes of the cells first .. last of a row.
typedef struct bp_cell_range {
    uint32_t begin, end;
    uint32_t first, last;
} bp_cell_range;

// Writes the occupied ranges of the cells first .. last of row (y, z), in ascending order, and returns how many there
// are: at most last - first + 1, fewer where neighbouring cells are neighbours in the columns too.
typedef size_t (*bp_row_lookup)(const void *index, uint32_t first, uint32_t last, uint32_t y, uint32_t z,
                                bp_cell_range *ranges);

// Tables that say where the boxes of each cell begin, for the rows that a cell's boxes may reach into.
enum { BP_ROW_OWN, BP_ROW_UP, BP_ROW_OUT, BP_ROW_OUT_UP, BP_ROW_OUT_DOWN, BP_ROW_COUNT };
typedef struct bp_row_tables {
    const uint32_t *rows[BP_ROW_COUNT]; // at cell `first`; never NULL, but only used if it is there
    uint32_t there[BP_ROW_COUNT];       // 1, or 0 if that row has no boxes
    uint32_t first, last;               // cells that the tables cover; the entry after the last is where it ends
} bp_row_tables;

typedef void (*bp_row_finder)(const void *index, const uint32_t cell[3], bp_row_tables *tables);

typedef struct bp_cell_sweep {
    const bp_config *config;
    bp_cells cells;
    bp_row_lookup lookup;
    bp_row_finder tables;  // NULL if rows are not contiguous
    uint32_t table_stride; // values from one entry of a table to the next
    const void *index;     // the lookup's and the tables'

    size_t grid_count;  // boxes in cells
    size_t total_count; // and with those that are scanned
    size_t occupied;    // cells
    bp_columns columns;
    bp_buffer columns_buffer;
    bp_buffer starts; // uint32_t: where each occupied cell begins, and where the last one ends

    bp_columns queries; // the other set of find_between
    bp_buffer queries_buffer, plan_scratch;
    bp_sweep_pool pool;
} bp_cell_sweep;

void bp_cell_sweep_free(bp_cell_sweep *sweep);

// Holds nothing from now on: after a build that has failed.
void bp_cell_sweep_empty(bp_cell_sweep *sweep);

// After a build: notices when cells have become much fuller than planned, so that the next build plans anew.
void bp_cell_sweep_settle(bp_cell_sweep *sweep);

bp_status bp_cell_sweep_find(bp_cell_sweep *sweep, bp_sink *sink);
bp_status bp_cell_sweep_find_between(bp_cell_sweep *sweep, const bp_box *boxes, size_t count, bp_sink *sink);

// Adds the figures of what this holds.
void bp_cell_sweep_stats(const bp_cell_sweep *sweep, bp_stats *stats);

// Whether every box is where it belongs, once, and every occupied cell is found by the lookup.
bool bp_cell_sweep_is_sound(const bp_cell_sweep *sweep, const bp_box *boxes, size_t count);

static inline uint32_t *bp_cell_starts(const bp_cell_sweep *sweep) {
    return sweep->starts.data;
}

#endif
