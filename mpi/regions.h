// Regions: which rank a point belongs to, and which ranks a box concerns.
//
//     tree   the cuts of the bisection: x <= cut goes left, x > cut goes right; a leaf is a rank
//     grid   cells of equal size, each of which belongs to a rank
//
// Both are exact in this sense: a point that lies in a box always belongs to one of the ranks that the box concerns,
// because both are found by the same comparisons of the same numbers. All ranks hold the same regions.
//
// Whether two objects overlap is decided by the library, on the original boxes. With spheres or a period it computes
// with rounded numbers, and may accept two whose boxes miss each other. So there an extent is larger than its box, by a
// little more than the rounding of the object's own coordinates; those of any accepted pair overlap, and what decides
// who reports it is a point of both extents, not of both boxes.
//
// Along an axis with a period all is done on the circle 0 .. period. There an extent is an arc with three images, for
// which the tests below always use the same numbers. Which of two arcs' starts decides about a pair depends on ids and
// images alone.
#ifndef BP_MPI_REGIONS_H
#define BP_MPI_REGIONS_H

#include "list.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef struct bp_mpi_cut {
    double at;
    int32_t axis;
    int32_t sides[2]; // an index of a cut, or ~rank
} bp_mpi_cut;

typedef struct bp_mpi_regions {
    uint32_t dimensions;
    bool spheres;
    double period[3]; // 0: none
    int size;         // ranks
    uint32_t broadcast_above;

    bool is_grid;
    bp_buffer cuts;                    // tree: bp_mpi_cut, size - 1 of them; the root comes first
    double low[3], high[3];            // tree: this rank's region: low < x <= high
    bool plain;                        // tree: no period, no spheres: the box itself is the extent
    float inner_low[4], inner_high[4]; // the same, rounded inwards; the last is not used
    double origin[3], per_unit[3];     // grid: cell = (x - origin) * per_unit
    int32_t cells[3];
    bp_buffer owners; // grid: int32_t for each cell

    bp_buffer marks; // scratch: uint32_t for each rank
    uint32_t mark;
} bp_mpi_regions;

// A box as an extent on the regions' axes.
typedef struct bp_mpi_extent {
    double low[3], high[3]; // with a period: the arc, or -inf .. inf if it is the whole circle
    double start[3];        // where it begins; with a period: 0 .. period, also if it is the whole circle
    bool infinite;          // in a coordinate that counts
} bp_mpi_extent;

bp_mpi_extent bp_mpi_extent_of(const bp_mpi_regions *regions, const bp_box *box);
// The rank that owns an object at this place. Infinite coordinates count as the largest number.
void bp_mpi_centre_of(const bp_mpi_regions *regions, const bp_box *box, double centre[3]);

int bp_mpi_rank_of_point(const bp_mpi_regions *regions, const double point[3]);

// Where the owner of a point's cell is among the owners, x fastest. Only of a grid.
size_t bp_mpi_cell_of_point(const bp_mpi_regions *regions, const double point[3]);

// A fast test whether a box is valid and concerns this rank alone; false if that takes more work to decide.
bool bp_mpi_is_inside_with_care(const bp_mpi_regions *regions, const bp_box *box);

static inline bool bp_mpi_is_inside(const bp_mpi_regions *regions, const bp_box *box) {
    if (!regions->plain) {
        return bp_mpi_is_inside_with_care(regions, box);
    }
    const unsigned axes = regions->dimensions == 2 ? 3 : 7;
#if defined(__SSE2__)
    const __m128 end = _mm_loadu_ps(box->min + 2); // min z, max x, y, z
    const __m128 min = _mm_loadu_ps(box->min), max = _mm_shuffle_ps(end, end, _MM_SHUFFLE(3, 3, 2, 1));
    const __m128 low = _mm_cmpgt_ps(min, _mm_loadu_ps(regions->inner_low));
    const __m128 high = _mm_cmple_ps(max, _mm_loadu_ps(regions->inner_high));
    const __m128 inside = _mm_and_ps(_mm_and_ps(low, high), _mm_cmple_ps(min, max));
    return ((unsigned)_mm_movemask_ps(inside) & axes) == axes;
#else
    unsigned inside = 0;
    for (unsigned axis = 0; axis < 3; ++axis) {
        const float min = box->min[axis], max = box->max[axis];
        inside |= (unsigned)((min > regions->inner_low[axis]) & (max <= regions->inner_high[axis]) & (min <= max))
                  << axis;
    }
    return (inside & axes) == axes;
#endif
}

// The ranks that a box concerns, each once; returns how many. `ranks` has room for all. If they are many, or the box is
// infinite, the box is for all ranks: *is_broadcast.
size_t bp_mpi_ranks_of_box(bp_mpi_regions *regions, const bp_box *box, int *ranks, bool *is_broadcast);

// The rank that reports a pair; `a` has the smaller id.
int bp_mpi_reporter(const bp_mpi_regions *regions, const bp_box *a, const bp_box *b);

// Makes the tree from the regions' own boxes: low and high of each rank, 2 * 3 numbers. Where they do not fit together,
// an arbitrary cut is made: every tree is correct, a good one is balanced.
bool bp_mpi_tree_from_boxes(bp_mpi_regions *regions, const bp_allocator *allocator, const double *boxes, int rank);
void bp_mpi_regions_free(bp_mpi_regions *regions, const bp_allocator *allocator);

#endif
