// Rows of images: from image ids, sorted, to indices and what is asked for beside them.
//
//     image ids   | 7.13  9.4 |      as they were found: which point, and which image of it (point_images.h)
//     indices     | 7     9   |      in the same memory
//     distances, vectors, shifts     computed from the points as they were given, in 64 bits
//
// A few rows at a time, right when they are in order and still in the cache.
#ifndef BP_IMAGE_ROWS_H
#define BP_IMAGE_ROWS_H

#include "kernels/kernels.h"
#include "neighbors/point_images.h"

#define BP_IMAGE_ROWS_FLAGS ((uint32_t)(BP_NEIGHBORS_DISTANCES | BP_NEIGHBORS_VECTORS | BP_NEIGHBORS_SHIFTS))

typedef struct bp_image_rows {
    const bp_point_images *images;
    bp_neighbor_images *result;
    uint32_t flags; // some of BP_IMAGE_ROWS_FLAGS
    const bp_kernels *kernels;
} bp_image_rows;

// Makes room for rows and what is beside them. If memory is short, the result is as before; else what it held may be
// lost.
bool bp_image_rows_reserve(const bp_image_rows *rows, size_t row_count, size_t index_count,
                           const bp_allocator *allocator);

// Finishes the rows of some points, which hold sorted image ids.
void bp_image_rows_finish(const bp_image_rows *rows, const uint32_t *points, size_t count);

// The same for all points.
void bp_image_rows_finish_all(const bp_image_rows *rows, const bp_executor *executor);

// Releases the arrays of an earlier call that are not asked for now.
void bp_image_rows_end(const bp_image_rows *rows, const bp_allocator *allocator);

void bp_neighbor_images_release(bp_neighbor_images *images, const bp_allocator *allocator);

#endif
