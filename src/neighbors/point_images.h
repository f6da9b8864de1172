// Images: a cell that repeats, cut down to what is near it. Points are moved into the cell, and whatever lies within the
// radius of it is copied there too, so that the rest of the search is in open space.
//
//        +--------+--------+          .  the points, moved into the cell
//       /  o   o /   o    /           o  images of them, up to a radius around it
//      +--------+--------+
//     /  . .   /o     . /             A point is an image of itself, moved by whole cells: `shift`. The image of j that a
//    +--------+--------+              search finds for i lies shift(image) - shift(i) cells from j as it was given.
//
// By fractions of the edges (dual vectors, from the planes of the other two edges), the images of a point are a block of
// cells: those that put it less than the radius outside of the cell. Small cells have many images of each point.
//
// Exact: whether two are near is decided by their coordinates as given, (q - p) + shift, in 64 bits. This is the same,
// with another sign, seen from either. Where points and images are searched for only has to be right up to `rounding`,
// and blocks of cells are a little larger than they must be.
//
// Cost: 64 bytes for each point and image. Loses to moving the search itself (as tubes do with a period) where images are
// many: for 30 neighbours each, 10^4 points have 6,400 images, 10^6 points 120,000.
#ifndef BP_POINT_IMAGES_H
#define BP_POINT_IMAGES_H

#include "base/runtime.h"
#include "neighbors/nearness.h"

// What a row reads of a neighbour, together in memory.
typedef struct bp_point_image {
    double given[3]; // its point
    uint32_t of;
    int32_t shift[3];
} bp_point_image;

typedef struct bp_point_images {
    const double *given; // the points, x, y, z one after the other
    double edges[3][3];
    bp_points points;             // where they are: `count` points, then their images
    size_t count;                 // of points
    const bp_point_image *images; // NULL: nothing repeats, and all points are themselves
    double rounding;              // how far from there they may be
    bp_buffer given_buffer, point_buffer, image_buffer;
} bp_point_images;

// Makes the images of points within the radius of the cell. `lattice` is checked, and so are the points. Logs what is wrong.
bp_status bp_point_images_make(bp_point_images *images, const bp_lattice *lattice, uint32_t dimensions,
                               const bp_points *points, double radius, const bp_runtime *runtime);
void bp_point_images_free(bp_point_images *images, const bp_allocator *allocator);

static inline bp_point_image bp_point_image_at(const bp_point_images *images, size_t image) {
    const double *given = images->given + 3 * image;
    return images->images != NULL ? images->images[image]
                                  : (bp_point_image){.given = {given[0], given[1], given[2]}, .of = (uint32_t)image};
}

// How many cells an image is from its point as given, seen from a point as given.
static inline void bp_point_images_shift(const bp_point_image *from, const bp_point_image *to, int32_t shift[3]) {
    for (int edge = 0; edge < 3; ++edge) {
        shift[edge] = to->shift[edge] - from->shift[edge];
    }
}

// From a point to an image, by the definition; returns the square of its length.
static inline double bp_point_images_vector(const bp_point_images *images, const bp_point_image *from,
                                            const bp_point_image *to, const int32_t shift[3], double vector[3]) {
    const bool moves = (shift[0] | shift[1] | shift[2]) != 0;
    for (int axis = 0; axis < 3; ++axis) {
        vector[axis] = to->given[axis] - from->given[axis];
        if (moves) {
            const double x = (double)shift[0] * images->edges[0][axis], y = (double)shift[1] * images->edges[1][axis];
            vector[axis] += (x + y) + (double)shift[2] * images->edges[2][axis];
        }
    }
    return (vector[0] * vector[0] + vector[1] * vector[1]) + vector[2] * vector[2];
}

static inline double bp_point_images_square(const bp_point_images *images, uint32_t point, uint32_t image) {
    const bp_point_image from = bp_point_image_at(images, point), to = bp_point_image_at(images, image);
    int32_t shift[3];
    double vector[3];
    bp_point_images_shift(&from, &to, shift);
    return bp_point_images_vector(images, &from, &to, shift, vector);
}

#endif
