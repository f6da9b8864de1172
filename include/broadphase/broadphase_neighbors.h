/// broadphase, for points that move: neighbours with a skin.
///
///     bp_neighbor_world *world;
///     bp_neighbor_world_create(radius, 0.2 * radius, &lattice, &config, &world);
///     for (;;) { // every step
///         const bp_neighbor_images *found;
///         bp_neighbor_world_update_double(world, points, count, &found);
///         ... found->rows, found->vectors ...
///     }
///     bp_neighbor_world_destroy(world);
///
/// A world of points keeps all neighbours within radius + skin. As long as no point has moved by half of the skin, the
/// neighbours within the radius are among them, and an update only measures those again.
#ifndef BROADPHASE_NEIGHBORS_H
#define BROADPHASE_NEIGHBORS_H

#include <broadphase/broadphase.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Points that move, and their neighbours. Opaque. One thread at a time may use a world.
typedef struct bp_neighbor_world bp_neighbor_world;

/// Makes a world for points with neighbours up to `radius`, as of bp_find_neighbor_images: `lattice` (NULL: open space) is
/// copied, but its kinds and cutoffs must stay where they are, and unchanged; there must be a kind for each point. With
/// kinds the cutoffs take the place of the radius. `skin` is 0 (every update searches anew) or positive: a tenth to a
/// third of the radius is usual, less for points that are slow. The flags of the config say what is wanted beside the
/// indices; its stats are not written. Fails like bp_find_neighbor_images; *world is NULL then.
BP_API bp_status bp_neighbor_world_create(double radius, double skin, const bp_lattice *lattice,
                                          const bp_config *config, bp_neighbor_world **world);

/// NULL is allowed.
BP_API void bp_neighbor_world_destroy(bp_neighbor_world *world);

/// The neighbours of points as they are now: *found is exactly what bp_find_neighbor_images_double gives for them, always.
/// It belongs to the world, and is valid until the next call. Points of 32 bits are widened. The number of points may
/// change, and so may their order: then, and when one has moved by half of the skin (a jump to the other side of a cell
/// counts as a move: better let coordinates run on), the world searches anew. Fails like bp_find_neighbor_images; after a
/// failure the rows of the last update are as they were.
/// Cost: that of bp_find_neighbor_images with radius + skin when it searches, else 64-bit distances of the (1 + skin/radius)^3
/// times as many pairs that it keeps, and the writing of rows. Measured with 30 neighbours a point, a step takes about as long
/// as a fresh call with distances, vectors and shifts, and 1.2 to 2.3 times as long where only indices are wanted.
BP_API bp_status bp_neighbor_world_update(bp_neighbor_world *world, const float *points_xyz, size_t count,
                                          const bp_neighbor_images **found);
BP_API bp_status bp_neighbor_world_update_double(bp_neighbor_world *world, const double *points_xyz, size_t count,
                                                 const bp_neighbor_images **found);

/// Another cell, for the updates that follow: the next one searches anew. Which edges repeat stays as it was.
BP_API bp_status bp_neighbor_world_set_cell(bp_neighbor_world *world, const double cell[3][3]);

/// How many updates have searched anew, the first one counted.
BP_API uint64_t bp_neighbor_world_searches(const bp_neighbor_world *world);

#ifdef __cplusplus
}
#endif

#endif
