// The search for neighbours that all calls end in: a grid of points where it serves, else boxes.
#ifndef BP_NEIGHBOR_REQUEST_H
#define BP_NEIGHBOR_REQUEST_H

#include "api/config.h"
#include "neighbors/nearness.h"

// Two sets, or one: then `b` is not used.
typedef struct bp_neighbor_request {
    bp_points a, b;
    bp_radii radii;
    bool between, per_point; // a radius per point
    // What pairs must pass, by the way they are found: of images, the grid leaves out a point and itself, and boxes do not.
    bp_filter grid_filter, box_filter;
    const struct bp_point_images *images; // if not NULL: `b` has them, the points of `a` first
    uint32_t *order; // of images: gets `a` in an order in which neighbours follow each other, if there is one
} bp_neighbor_request;

// Whether the calls of this file can be made with this setup; logs why not.
bp_status bp_neighbors_check(const bp_setup *setup, const bp_neighbors *rows);

// All neighbours, as rows. The setup's runtime must have its workers.
bp_status bp_neighbors_search(const bp_neighbor_request *request, const bp_setup *setup, bp_neighbors *rows);

#endif
