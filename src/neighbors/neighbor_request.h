// The search for neighbours that all calls end in: a grid of points where it serves, else boxes.
#ifndef BP_NEIGHBOR_REQUEST_H
#define BP_NEIGHBOR_REQUEST_H

#include "api/config.h"
#include "neighbors/image_rows.h"

// Two sets, or one: then `b` is not used.
typedef struct bp_neighbor_request {
    bp_points a, b;
    bp_radii radii;
    bool between, per_point; // a radius per point
    // What pairs must pass, by the way they are found: of images, the grid leaves out a point and itself, and what a half
    // does not list; boxes do not.
    bp_filter grid_filter, box_filter;
    // Of images, NULL else: these are `b`, and `a` has the points, moved into the cell. The rows are those of beside->result.
    const bp_point_images *images;
    bp_image_rows *beside;
} bp_neighbor_request;

// Whether the calls of this file can be made with this setup; logs why not.
bp_status bp_neighbors_check(const bp_setup *setup, const bp_neighbors *rows);

// All neighbours, as rows. The setup's runtime must have its workers.
bp_status bp_neighbors_search(const bp_neighbor_request *request, const bp_setup *setup, bp_neighbors *rows);

// The same with a grid alone: *served is false if there is none for these points, and nothing was done. And with boxes.
bp_status bp_neighbors_search_grid(const bp_neighbor_request *request, const bp_setup *setup, bp_neighbors *rows,
                                   bool *served);
bp_status bp_neighbors_search_boxes(const bp_neighbor_request *request, const bp_setup *setup, bp_neighbors *rows);

#endif
