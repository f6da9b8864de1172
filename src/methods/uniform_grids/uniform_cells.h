// Cells of one size over a bounded domain: what the methods with a single uniform grid agree on.
//
//     low                       low + count
//      |   |   |   |   |   |   |   |              cell = floor(x / size), clamped to the domain: objects outside it
//      [ a     b |   | c     d ]   e              (e) count as being in its outermost cells
//
// Every step from a coordinate to a cell is monotone, the clamping too: objects that overlap are found in each other's
// cells wherever they are. Planning (cell size, domain, which objects are too large) only decides how fast that is.
#ifndef BP_UNIFORM_CELLS_H
#define BP_UNIFORM_CELLS_H

#include "base/boxes.h"
#include "methods/hierarchical_grid/levels.h"

typedef struct bp_cells {
    double size;       // of a cell
    double inverse;    // cells per unit of length
    float fit;         // objects whose extents are beyond this are scanned: tested against all
    float reach[3];    // the largest extents among those that are not, rounded up
    int32_t low[3];    // the first cell of the domain
    uint32_t count[3]; // cells per axis of the domain, at least 1

    // How things were when this was planned, to notice when they have changed.
    bool planned;
    bool sampled; // not all objects were looked at
    size_t objects, scanned, outside;
    double per_cell;
} bp_cells;

// What a structure can bear, and what it does best with.
typedef struct bp_cells_limits {
    uint64_t cells;      // in all
    uint32_t axis_cells; // per axis
    double per_object;   // how much longer than the largest object in it a cell should be
} bp_cells_limits;

// Where an object belongs.
typedef enum bp_place { BP_PLACE_CELL, BP_PLACE_SCAN, BP_PLACE_HOLE } bp_place;

// What a block of objects finds out while it is placed.
typedef struct bp_cells_part {
    float reach[3];
    size_t scanned, outside, holes;
} bp_cells_part;

// The cell of a coordinate, counted from the domain's first.
static inline uint32_t bp_cells_of(const bp_cells *cells, int axis, float coordinate) {
    const int32_t cell = bp_cell_of(coordinate, cells->inverse) - cells->low[axis];
    const int32_t last = (int32_t)(cells->count[axis] - 1);
    return (uint32_t)(cell < 0 ? 0 : cell > last ? last : cell);
}

// The same for coordinates of objects that fit: they are less than 2^30 cells away (bp_fit_extent).
static inline uint32_t bp_cells_of_fitting(const bp_cells *cells, int axis, float coordinate) {
    const int32_t cell = (int32_t)bp_floor((double)coordinate * cells->inverse) - cells->low[axis];
    const int32_t last = (int32_t)(cells->count[axis] - 1);
    return (uint32_t)(cell < 0 ? 0 : cell > last ? last : cell);
}

// Where a box belongs and, if in a cell, which: that of its min corner.
static inline bp_place bp_cells_place(const bp_cells *cells, uint32_t dimensions, const bp_box *box, uint32_t cell[3],
                                      bp_cells_part *part) {
    float extent[3] = {0.0f, 0.0f, 0.0f};
    bool fits = true;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        extent[axis] = bp_fit_extent(box->min[axis], box->max[axis]);
        fits &= extent[axis] <= cells->fit;
    }
    if (!fits) {
        const bool hole = bp_box_is_hole(box);
        part->holes += hole;
        part->scanned += !hole;
        return hole ? BP_PLACE_HOLE : BP_PLACE_SCAN;
    }
    bool outside = false;
    cell[2] = 0;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        const int32_t from_low = bp_cell_of(box->min[axis], cells->inverse) - cells->low[axis];
        const int32_t last = (int32_t)(cells->count[axis] - 1);
        const int32_t clamped = from_low < 0 ? 0 : from_low > last ? last : from_low;
        outside |= clamped != from_low;
        cell[axis] = (uint32_t)clamped;
        part->reach[axis] = extent[axis] > part->reach[axis] ? extent[axis] : part->reach[axis];
    }
    part->outside += outside;
    return BP_PLACE_CELL;
}

// Plans cells for boxes[0 .. count): a sample of them, or all. `scratch` is memory that is kept for the next time.
// BP_ERROR_MEMORY, with the remedy in the log, if a cell size or a domain that the config insists on needs more cells
// than the limits allow.
bp_status bp_cells_plan(bp_cells *cells, const bp_config *config, const bp_box *boxes, size_t count,
                        const bp_cells_limits *limits, bool all, bp_buffer *scratch);

// Takes in what the blocks have found: the reach. False if the plan does not suit the objects any more and a new one
// would.
bool bp_cells_join(bp_cells *cells, const bp_config *config, const bp_cells_part *parts, size_t part_count,
                   size_t count);

// Cells of twice the size over the same domain.
void bp_cells_coarsen(bp_cells *cells);

static inline size_t bp_cells_total(const bp_cells *cells) {
    return (size_t)cells->count[0] * cells->count[1] * cells->count[2];
}

#endif
