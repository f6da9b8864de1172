// Images: a cell that repeats, cut down to what is near it. Points are moved into the cell, and whatever lies within the
// radius of it is there too, so that a search finds it.
//
//        +--------+--------+          .  the points, moved into the cell
//       /  o   o /   o    /           o  images of them, up to a radius around it
//      +--------+--------+
//     /  . .   /o     . /             A point is an image of itself, moved by whole cells: `shift`. The image of j that a
//    +--------+--------+              search finds for i lies shift(image) - shift(i) cells from j as it was given.
//
// A search knows an image by its id, a number of 32 bits. Image ids ascend as (index, shift) do, so that rows that are
// sorted by them are in order.
//
//   by point    open space: the index
//   by code     in the lower bits is which of the 27 cells around the cell the image is in: 9 (x + 1) + 3 (y + 1) + (z + 1)
//   by place    cells shorter than the radius, and boxes in place of the grid: a place in a list of images
//
// Where edges lie along the axes and are three radii long, the search itself repeats (near_search.c), and there is nothing to be
// made. Elsewhere images are copied, and searched for like points. By fractions of the edges (dual vectors, from the planes
// of the other two edges), the images of a point are a cuboid of cells: those that put it less than the radius outside of the
// cell. Small cells have many images of each point; for 30 neighbours each, 10^4 points have 6,400, 10^6 points 120,000.
//
// Exact: whether two are near is decided by their coordinates as given, (q - p) + shift, in 64 bits. This is the same,
// with another sign, seen from either. Where points and images are searched for only has to be right up to `rounding`,
// and blocks of cells are a little larger than they must be.
#ifndef BP_POINT_IMAGES_H
#define BP_POINT_IMAGES_H

#include "base/runtime.h"
#include "neighbors/nearness.h"

#include <string.h>

enum {
    BP_IMAGE_CODE_BITS = 5,
    BP_IMAGE_CODE_X = 9, // what a cell along each edge adds to a code
    BP_IMAGE_CODE_Y = 3,
    BP_IMAGE_CODE_Z = 1,
    BP_IMAGE_CODE_HOME = 13,
    BP_IMAGE_CODES = 27
};

typedef enum bp_image_id_form { BP_IMAGE_BY_POINT, BP_IMAGE_BY_CODE, BP_IMAGE_BY_PLACE } bp_image_id_form;

typedef struct bp_point_image {
    uint32_t of; // the point
    int32_t shift[3];
} bp_point_image;

typedef struct bp_point_images {
    const double *given; // the points, x, y, z one after the other
    size_t count;        // of points
    double edges[3][3];  // 0: does not repeat
    bool periodic[3];
    double rounding;                       // how far from where they are searched for images may be
    double duals[3][3];                    // of edges that repeat: the fraction of a point is its product with them
    double reach[3];                       // how far images lie outside of the cell, in cells
    double farthest;                       // coordinate
    int32_t code_steps[BP_IMAGE_CODES][4]; // what codes stand for: in cells,
    double code_moves[BP_IMAGE_CODES][4];  // and as vectors; the last is 0

    bp_image_id_form id_form;
    bp_points points;             // what is searched: the points, or the copies
    bool copied;                  // only one copy of each point has a row: the one in the cell
    double period[3];             // of a search that repeats; 0: does not
    const int32_t *homes;         // by code: the shift of each point into the cell; NULL: all are 0, or not by code
    const uint32_t *image_ids;    // copied, by code
    const bp_point_image *images; // by place
    const uint32_t *places;       // by place: the image of each point that is in the cell
    bp_buffer given_buffer, home_buffer, point_buffer, image_buffer, id_buffer;
} bp_point_images;

// Takes points and a cell, for open space first. `lattice` is checked, and so are the points. Logs what is wrong.
bp_status bp_point_images_begin(bp_point_images *images, const bp_lattice *lattice, uint32_t dimensions,
                                const bp_points *points, double radius, const bp_runtime *runtime);
static inline bool bp_point_images_repeat(const bp_point_images *images) {
    return images->periodic[0] || images->periodic[1] || images->periodic[2];
}
// For a search that repeats, if the cell is one for that: false in *served if it is not.
bp_status bp_point_images_wrap(bp_point_images *images, double radius, const bp_runtime *runtime, bool *served);
// Copies images: by code, which must be enough for them, or by place.
bool bp_point_images_have_codes(const bp_point_images *images);
bp_status bp_point_images_copy(bp_point_images *images, bp_image_id_form id_form, const bp_runtime *runtime);
void bp_point_images_free(bp_point_images *images, const bp_allocator *allocator);

// The point that an image is of.
static inline uint32_t bp_image_point(const bp_point_images *images, uint32_t image_id) {
    return images->id_form == BP_IMAGE_BY_CODE    ? image_id >> BP_IMAGE_CODE_BITS
           : images->id_form == BP_IMAGE_BY_PLACE ? images->images[image_id].of
                                                  : image_id;
}

// The id of a point as its own image, in the cell.
static inline uint32_t bp_image_id(const bp_point_images *images, uint32_t point) {
    return images->id_form == BP_IMAGE_BY_CODE    ? point << BP_IMAGE_CODE_BITS | BP_IMAGE_CODE_HOME
           : images->id_form == BP_IMAGE_BY_PLACE ? images->places[point]
                                                  : point;
}

// How many cells a point is moved to be in the cell.
static inline void bp_image_home(const bp_point_images *images, uint32_t point, int32_t shift[3]) {
    const int32_t *home = images->id_form == BP_IMAGE_BY_PLACE ? images->images[images->places[point]].shift
                          : images->homes != NULL              ? images->homes + 3 * (size_t)point
                                                               : NULL;
    for (int edge = 0; edge < 3; ++edge) {
        shift[edge] = home != NULL ? home[edge] : 0;
    }
}

// So many cells, as a vector.
static inline void bp_image_move(const bp_point_images *images, const int32_t shift[3], double move[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        const double x = (double)shift[0] * images->edges[0][axis], y = (double)shift[1] * images->edges[1][axis];
        move[axis] = (x + y) + (double)shift[2] * images->edges[2][axis];
    }
}

// An image as it is seen from a point with this home: which point it is of, and how many cells it lies from that one as
// given.
static inline uint32_t bp_image_seen(const bp_point_images *images, const int32_t home[3], uint32_t image_id,
                                     int32_t shift[3]) {
    const bool by_code = images->id_form == BP_IMAGE_BY_CODE, by_place = images->id_form == BP_IMAGE_BY_PLACE;
    const uint32_t of = bp_image_point(images, image_id), code = image_id & ((1u << BP_IMAGE_CODE_BITS) - 1);
    for (size_t edge = 0; edge < 3; ++edge) {
        const int32_t cells = by_code    ? images->code_steps[code][edge]
                              : by_place ? images->images[image_id].shift[edge]
                                         : 0;
        shift[edge] = cells + (images->homes != NULL ? images->homes[3 * (size_t)of + edge] : 0) - home[edge];
    }
    return of;
}

// From a point, by its index, to an image: the square of the distance, by the definition.
static inline double bp_image_square(const bp_point_images *images, uint32_t point, uint32_t image_id) {
    int32_t home[3], shift[3];
    double move[3], vector[3];
    bp_image_home(images, point, home);
    const uint32_t of = bp_image_seen(images, home, image_id, shift);
    bp_image_move(images, shift, move);
    for (size_t axis = 0; axis < 3; ++axis) {
        vector[axis] = (images->given[3 * (size_t)of + axis] - images->given[3 * (size_t)point + axis]) + move[axis];
    }
    return (vector[0] * vector[0] + vector[1] * vector[1]) + vector[2] * vector[2];
}

#endif
