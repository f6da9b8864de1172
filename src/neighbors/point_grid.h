// Points in a grid, for one radius: sorted by cell, in columns, in multiples of the radius.
//
//     y  |       |       |       |         cells are one radius wide in y and z, and a fraction of it in x, so that
//        +-+-+-+-+-+-+-+-+-+-+-+-+         a few points share one. A row of cells is one range of memory.
//        |.| |.| |:|.| | |.| | |.|
//        +-+-+-+-+-+-+-+-+-+-+-+-+ x       cell (x, y, z) is number (z * cells y + y) * cells x + x
//
// Coordinates are rounded to floats: (coordinate - origin) / radius. What that does to a square distance is bounded, and
// pairs inside the bound are measured again in 64 bits. In a periodic space cells divide the period, and points are
// moved into it.
//
// Along an axis, points within the radius are in the same cell or in neighbouring ones (in x: at most `reach` apart).
// Hence the tests of a point are in proportion to its neighbours, wherever points are: what shares a cell with many
// others is near many of them. Memory is in proportion to the points: where cells would be too many, because points are
// few or far apart, they are larger; and where such cells are crowded, the grid is refused.
#ifndef BP_POINT_GRID_H
#define BP_POINT_GRID_H

#include "base/bucket_sort.h"
#include "base/columns.h"
#include "neighbors/nearness.h"

enum { BP_POINT_REACH_MAX = 8 }; // cells along x in a radius, at most

// How points become cells.
typedef struct bp_point_plan {
    uint32_t dimensions;
    double origin[3]; // 0 along periodic axes
    double scale;     // 1 / radius
    double period[3]; // 0: none; the next two are for points that are moved into it
    double periods_per_length[3], radii_per_period[3];
    double cells_per_radius[3];
    uint32_t cells[3];
    uint32_t reach; // in cells along x
    float wrap[3];  // radii_per_period, rounded
    float sure,
        possible;   // square distances, in square radii: up to the first pairs are near, beyond the second they are not
    bool has_codes; // ids are image ids by code (point_images.h):
    const uint32_t *image_ids; // these; NULL: each point is in the cell
    bool coarse;               // cells are longer than the radius: they may be crowded without need
} bp_point_plan;

// Plans for all points of a search. False if the grid does not serve them: points that are not finite, a radius of 0,
// coordinates that are too large for it, a period of less than three radii, hardly any neighbours.
bool bp_point_plan_make(bp_point_plan *plan, const bp_nearness *nearness, const bp_executor *executor);

static inline size_t bp_point_plan_cells(const bp_point_plan *plan) {
    return (size_t)plan->cells[0] * plan->cells[1] * plan->cells[2];
}

// All zero is empty.
typedef struct bp_point_grid {
    bp_point_columns columns; // by cell; BP_COLUMN_PADDING more can be read
    uint32_t *table;          // where each cell begins, and where the last one ends
    bp_bucket_sort sort;
    bp_buffer column_buffer, table_buffer;
} bp_point_grid;

// Sorts points into the cells of a plan. False if memory is short.
bool bp_point_grid_build(bp_point_grid *grid, const bp_point_plan *plan, const bp_points *points,
                         const bp_runtime *runtime);
void bp_point_grid_free(bp_point_grid *grid, const bp_allocator *allocator);
size_t bp_point_grid_bytes(const bp_point_grid *grid);

// Whether the points of one grid cost too many tests in the cells of another, or the same.
bool bp_point_grids_are_crowded(const bp_point_plan *plan, const bp_point_grid *of, const bp_point_grid *in);

#endif
