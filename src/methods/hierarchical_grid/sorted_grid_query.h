// Questions to a sorted grid: which of its boxes overlap a box, which does a line meet?
//
// The answers go, a few at a time, to a function. They never come twice. Nothing is changed and nothing allocated, so any
// number of threads may ask. Boxes that are scanned are asked apart: they are in no place in particular.
#ifndef BP_SORTED_QUERY_H
#define BP_SORTED_QUERY_H

#include "methods/hierarchical_grid/sorted_grid.h"

// Takes boxes of a grid, as (position in the columns, id).
typedef struct bp_taker {
    void (*take)(void *context, const bp_columns *columns, const bp_pair *hits, size_t count);
    void *context;
} bp_taker;

// The points origin + t * direction for t in begin .. end. All is finite, but for the end.
typedef struct bp_line {
    double origin[3], direction[3];
    double rounding[3]; // how far off its points may be, beyond the rounding of such coordinates
    double begin, end;
} bp_line;

// Every box in the levels that overlaps a box (flat in two dimensions).
void bp_sorted_grid_ask_box(const bp_sorted_grid *grid, const bp_box *box, const bp_taker *taker);

// Every box in the levels that a line meets, and some that it just misses; they are to be looked at once more.
void bp_sorted_grid_ask_line(const bp_sorted_grid *grid, const bp_line *line, const bp_taker *taker);

// Every scanned box that overlaps a box; NULL: every one.
void bp_sorted_grid_ask_scanned(const bp_sorted_grid *grid, const bp_box *box, const bp_taker *taker);

// Shortens a line to where there are boxes in the levels. False if nothing is left.
bool bp_sorted_grid_clip(const bp_sorted_grid *grid, bp_line *line);

// The bounds of all boxes in the levels. False if there are none.
bool bp_sorted_grid_bounds(const bp_sorted_grid *grid, double low[3], double high[3]);

// About how far apart boxes are, where there are any: the edge of the cube that each has to itself on the level where
// most of them live. 0 if there are none in levels.
double bp_sorted_grid_spacing(const bp_sorted_grid *grid);

#endif
