// Cells of one size over a bounded domain, for the methods with a single uniform grid.
//
//     low                       low + count
//      |   |   |   |   |   |   |   |              cell = floor(x / size), clamped to the domain: objects outside it
//      [ a     b |   | c     d ]   e              (e) belong to its outermost cells
//
// Every step from a coordinate to a cell is monotone, the clamping too: overlapping objects find each other wherever
// they are. The plan (cell size, domain, which objects are too large) only affects the speed.
#ifndef BP_UNIFORM_CELLS_H
#define BP_UNIFORM_CELLS_H

#include "base/boxes.h"
#include "base/cells.h"
#include "base/memory.h"
#include "engine/setup.h"

typedef struct bp_cells {
    double size;       // of a cell
    double inverse;    // cells per unit of length
    float fit;         // objects with larger extents are scanned: tested against all
    float reach[3];    // the largest extents of the others, rounded up
    int32_t low[3];    // the first cell of the domain
    uint32_t count[3]; // cells per axis of the domain, at least 1

    // The data of the plan, to detect that the objects have changed.
    bool planned;
    bool of_all;         // made from all objects, not from a sample
    double planned_size; // of a cell: smaller than `size` if the cells had to be coarsened
    size_t objects, scanned, outside;
} bp_cells;

// Instead of a number of cells per axis: there is no domain, but as many as numbers of 31 bits can tell apart.
#define BP_CELLS_EVERYWHERE UINT32_MAX

// The number of cells that a method can have, and the size with which it is fastest.
typedef struct bp_cells_limits {
    uint64_t cells;      // in all
    uint32_t axis_cells; // per axis
    double per_object;   // the edge of a cell, as a multiple of the largest object in cells
    double longest;      // the most configured cells that an object in cells is long
} bp_cells_limits;

// Facts about a block of objects, collected while they are placed.
typedef struct bp_cells_part {
    float reach[3];
    size_t scanned, outside;
    uint64_t entries, kept_apart; // the grid's: in cells, and those that are scanned; then where they begin
} bp_cells_part;

// The cell of a coordinate, relative to the domain's first.
static inline uint32_t bp_cells_of(const bp_cells *cells, int axis, float coordinate) {
    const int32_t cell = bp_cell_of(coordinate, cells->inverse) - cells->low[axis];
    const int32_t last = (int32_t)(cells->count[axis] - 1);
    return (uint32_t)(cell < 0 ? 0 : cell > last ? last : cell);
}

// Plans cells for boxes[0 .. count) from a sample, or from all of them. `scratch` is memory that is kept for the next
// time. BP_ERROR_MEMORY, with the remedy in the log, if a configured cell size or domain needs more cells than the
// limits allow.
bp_status bp_cells_plan(bp_cells *cells, const bp_method_setup *setup, const bp_box *boxes, size_t count,
                        const bp_cells_limits *limits, bool all, bp_buffer *scratch);

// Sets the reach from the facts that the blocks have collected about `count` objects. False if the plan no longer suits
// the objects and a new one would.
bool bp_cells_join(bp_cells *cells, const bp_method_settings *settings, const bp_cells_part *parts, size_t part_count,
                   size_t count);

// Whether a plan is another one, and not the same with a little noise.
bool bp_cells_differ(const bp_cells *cells, const bp_cells *other);

// Cells of twice the size over the same domain.
void bp_cells_coarsen(bp_cells *cells);

static inline uint64_t bp_cells_total(const bp_cells *cells) {
    return (uint64_t)cells->count[0] * cells->count[1] * cells->count[2];
}

#endif
