// Queries to a sorted grid: the boxes that overlap a box, and the boxes that a line may hit.
//
// The hits are passed to a receiver, a few at a time, and none of them twice. A query changes nothing and allocates
// nothing, so any number of threads may query a grid. Scanned boxes have a query of their own, because they are in no
// cell.
#ifndef BP_SORTED_GRID_QUERY_H
#define BP_SORTED_GRID_QUERY_H

#include "engine/grid/line_part.h"
#include "engine/grid/sorted_grid.h"

// Receives the boxes that a query finds, as (position in the columns, id).
typedef struct bp_hit_receiver {
    void (*receive)(void *context, const bp_columns *columns, const bp_pair *hits, size_t count);
    void *context;
} bp_hit_receiver;

// Every box in the levels that overlaps a box (flat in two dimensions).
void bp_sorted_grid_query_box(const bp_sorted_grid *grid, const bp_box *box, const bp_hit_receiver *receiver);

// Every box in the levels that a line hits, and some that it just misses: the receiver has to test them exactly.
void bp_sorted_grid_query_line(const bp_sorted_grid *grid, const bp_line *line, const bp_hit_receiver *receiver);

// Receives the boxes that many lines may hit, as (index of the line, position in the columns); those that a patched grid
// has blanked are among them. Those of a line need not come together.
typedef struct bp_lines_receiver {
    void (*receive)(void *context, const bp_columns *columns, const bp_pair *hits, size_t count);
    void *context;
} bp_lines_receiver;

// The same for many lines, near ones after each other.
void bp_sorted_grid_query_lines(const bp_sorted_grid *grid, const bp_line *lines, size_t count,
                                const bp_lines_receiver *receiver);

// Every scanned box that overlaps a box; NULL: every scanned box.
void bp_sorted_grid_query_scanned(const bp_sorted_grid *grid, const bp_box *box, const bp_hit_receiver *receiver);

// Every scanned box that a line hits, and some that it just misses; all of them if it is endless.
void bp_sorted_grid_query_scanned_line(const bp_sorted_grid *grid, const bp_line *line,
                                       const bp_hit_receiver *receiver);

// Shortens a line to the bounds of the boxes in the levels. False if nothing is left.
bool bp_sorted_grid_clip(const bp_sorted_grid *grid, bp_line *line);

// The bounds of all boxes in the levels. False if there are none.
bool bp_sorted_grid_bounds(const bp_sorted_grid *grid, double low[3], double high[3]);

// About how far apart boxes are in occupied regions: the edge of the cube per box, on the level with the most boxes. 0
// if there are no boxes in levels.
double bp_sorted_grid_spacing(const bp_sorted_grid *grid);

#endif
