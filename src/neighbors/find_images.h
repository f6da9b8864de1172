// A search for images, for one call (find_images.c) or for a world of points (neighbor_world.c).
#ifndef BP_FIND_IMAGES_H
#define BP_FIND_IMAGES_H

#include "neighbors/neighbor_request.h"

// All zero, but for the first four: who searches sets them.
typedef struct bp_image_search {
    const bp_lattice *lattice; // NULL: open space
    bp_setup setup;            // its runtime must have its workers
    bp_radii radii;            // one for all: the largest cutoff once it is checked
    bp_image_rows rows;
    bp_point_images images;
    uint32_t *order; // gets the points in an order in which neighbours follow each other, if there is one; may be NULL
    bp_buffer moved; // points
} bp_image_search;

// Checks setup, lattice, radius and points; logs what is wrong.
bp_status bp_image_search_check(bp_image_search *search, const bp_points *points);

// Finds the rows, into search->rows.
bp_status bp_image_search_run(bp_image_search *search, const bp_points *points);

void bp_image_search_free(bp_image_search *search);

// Whether there is anything but the distance to be asked about: kinds, the caller's filter; and whether a pair passes it.
bool bp_image_search_asks(const bp_image_search *search);
bool bp_image_search_passes(const bp_image_search *search, uint32_t point, uint32_t name);

#endif
