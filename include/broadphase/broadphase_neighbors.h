/// broadphase: neighbours. All points within a radius of each point: the neighbor list of particle codes (SPH, molecular dynamics,
/// crowds, point clouds).
///
///     bp_neighbors neighbors = {0};
///     bp_find_neighbors(points_xyz, count, radius, NULL, &neighbors);
///     for (size_t k = neighbors.offsets[i]; k < neighbors.offsets[i + 1]; k++) ... neighbors.indices[k] is near point i ...
///     bp_neighbors_free(&neighbors, NULL);
#include <broadphase/broadphase.h> // which includes this one: so it stands before the guard

#ifndef BROADPHASE_NEIGHBORS_H
#define BROADPHASE_NEIGHBORS_H

#ifdef __cplusplus
extern "C" {
#endif

/// Flags of a config, in addition to those of broadphase.h.
enum {
    BP_NEIGHBORS_HALF = 1u << 2,      ///< list each pair once, in the row of the smaller index
    BP_NEIGHBORS_DISTANCES = 1u << 3, ///< bp_find_neighbor_images: also how far they are,
    BP_NEIGHBORS_VECTORS = 1u << 4,   ///< where they are, as seen from the point,
    BP_NEIGHBORS_SHIFTS = 1u << 5     ///< and which images they are
};

// ---------------------------------------------------------------------------------------------------------------------
// 1. Points and a radius

/// Every point's neighbours as compressed rows: those of point i are indices[offsets[i] .. offsets[i + 1]), ascending.
/// Begin with {0}. The library grows the arrays as needed, keeps them between calls and overwrites what they held;
/// release them with bp_neighbors_free.
typedef struct bp_neighbors {
    size_t *offsets BP_ZERO;   ///< count + 1 of them
    uint32_t *indices BP_ZERO; ///< offsets[count] of them
    size_t count BP_ZERO;      ///< number of points (between two sets: of the first)
    size_t offset_capacity BP_ZERO;
    size_t index_capacity BP_ZERO;
} bp_neighbors;

/// Releases the arrays and zeroes the struct. Pass the config whose allocator filled them; NULL: the default allocator.
BP_API void bp_neighbors_free(bp_neighbors *neighbors, const bp_config *config);

/// Finds the neighbours of each of `count` points (x, y, z one after the other): all others with a distance <= radius,
/// that is, (dx*dx + dy*dy) + dz*dz <= radius*radius in 64-bit arithmetic. Along an axis with a period the shortest
/// distance counts. In two dimensions z is ignored. With BP_NEIGHBORS_HALF each pair is listed once, in the row of the
/// smaller index. The config's filter gets each pair of neighbours; its margin, shape and pair_order have no
/// effect here, and BP_PAIRS_FIXED is refused. Fails with BP_ERROR_BOX for a point that is not finite, and with
/// BP_ERROR_ARGUMENT for a radius that is negative or not finite. After a failure `neighbors` is as before.
/// Leave config.method alone: the points are then sorted into a cell list with cells of about the radius (in bp_stats.method:
/// linked-cells), unless they have hardly any neighbours or fit no grid. Any other method gets a box for each point, which takes
/// three to five times as long.
BP_API bp_status bp_find_neighbors(const float *points_xyz, size_t count, float radius, const bp_config *config,
                                   bp_neighbors *neighbors);

/// The same with a radius per point; config.radius_rule says how the radii of two points decide.
BP_API bp_status bp_find_neighbors_variable(const float *points_xyz, size_t count, const float *radii,
                                            const bp_config *config, bp_neighbors *neighbors);

/// For each point of `a`, all points of `b` within the radius. A point that is in both sets is its own neighbour.
/// BP_NEIGHBORS_HALF has no effect here.
BP_API bp_status bp_find_neighbors_between(const float *a_xyz, size_t a_count, const float *b_xyz, size_t b_count,
                                           float radius, const bp_config *config, bp_neighbors *neighbors);

// ---------------------------------------------------------------------------------------------------------------------
// 2. Unit cells of any shape, distances and vectors

/// A unit cell that repeats, of any shape, and kinds of points. All zero: open space, and one radius for all.
typedef struct bp_lattice {
    size_t kind_count BP_ZERO;    ///< 0: one radius for all
    double cell[3][3] BP_ZERO;    ///< the edges of the cell, each as x, y, z; unused where space does not repeat
    uint32_t periodic[3] BP_ZERO; ///< 1: space repeats along this edge; 0: it does not
    /// The kind of each point, from 0 to kind_count - 1, and how far two kinds may be apart: cutoffs[a * kind_count + b],
    /// the same for (b, a), takes the place of the radius. NULL: one radius for all.
    const uint32_t *kinds BP_ZERO;
    const double *cutoffs BP_ZERO;
    uint64_t reserved[4] BP_ZERO; ///< 0
} bp_lattice;

/// Neighbours as compressed rows, with the optional arrays that the config's flags ask for: as many entries as there are
/// indices, else NULL. Begin with {0}; the library grows the arrays as needed, and keeps them between calls that ask for
/// the same. Release them with bp_neighbor_images_free.
typedef struct bp_neighbor_images {
    double *distances BP_ZERO; ///< BP_NEIGHBORS_DISTANCES: the square root of (x*x + y*y) + z*z
    double *vectors BP_ZERO;   ///< BP_NEIGHBORS_VECTORS: x, y, z from the point to the image of its neighbour
    int32_t *shifts BP_ZERO;   ///< BP_NEIGHBORS_SHIFTS: along the three edges, how many cells away that image is
    bp_neighbors rows BP_ZERO;
    size_t distance_capacity BP_ZERO, vector_capacity BP_ZERO, shift_capacity BP_ZERO;
    uint64_t reserved[4] BP_ZERO;
} bp_neighbor_images;

/// Releases the arrays and zeroes the struct. Pass the config whose allocator filled them; NULL: the default allocator.
BP_API void bp_neighbor_images_free(bp_neighbor_images *images, const bp_config *config);

/// All images of points within the radius: the neighbor list of molecular dynamics. A neighbour is listed once for each of its
/// images that is near enough, with a shift for each, and a point may be its own neighbour, some cells away.
/// Rows ascend by (index, shift). A vector is (q - p) + shift, where `shift` is (s0*e0 + s1*e1) + s2*e2, and it counts if
/// (x*x + y*y) + z*z <= radius*radius, all in 64-bit arithmetic: so if q is listed for p, p is listed for q.
/// `lattice` may be NULL (open space). The cell may be smaller than the radius. In two dimensions z is ignored, and the
/// third edge cannot repeat. With BP_NEIGHBORS_HALF a pair is listed once, in the row of the smaller index, and a point
/// with itself for the shift that is greater than 0. The config's filter gets indices, a <= b; its period must
/// be 0. Otherwise as bp_find_neighbors; BP_ERROR_ARGUMENT also for edges that are not finite or lie in one plane,
/// cutoffs that are not symmetric, and points too many cells away for 64 bits to tell them apart. After a failure
/// `images` is as before. Takes as long as bp_find_neighbors with a period if the edges lie along the axes and are three radii
/// long, up to twice that in other cells, plus writing the optional arrays: 8, 24 and 12 bytes for each index.
BP_API bp_status bp_find_neighbor_images(const float *points_xyz, size_t count, float radius, const bp_lattice *lattice,
                                         const bp_config *config, bp_neighbor_images *images);

#ifdef __cplusplus
}
#endif

#endif
