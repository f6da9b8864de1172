/// broadphase: 64 bits. The functions of the other headers for double coordinates, and the exact formulas for all of them.
///
/// One formula decides each question, in 64-bit arithmetic, whatever the type of the coordinates:
///   - Boxes overlap if a.min <= b.max and b.min <= a.max along each axis. Along an axis with a period: if a multiple of the
///     period lies in [b.min - a.max, b.max - a.min]. They are one pair even if they overlap in two places.
///   - Spheres (BP_SHAPE_SPHERES) have their centre at (min + max) / 2, and half of the smallest extent as radius. Two overlap if
///     (dx*dx + dy*dy) + dz*dz <= r*r, with r the sum of the radii and, with a period, the shortest differences. A margin is
///     added to each radius. A box with an infinite coordinate stays a box: all others are compared with it as boxes.
///   - Points are neighbours if (dx*dx + dy*dy) + dz*dz <= radius*radius; with a period the shortest distance counts.
///   - A ray passes a face at t = (face - origin) / direction, a cast at t = (face - its own opposite face) / direction. t and
///     distances are then rounded to the type of the result.
#include <broadphase/broadphase.h> // which includes this one: so it stands before the guard

#ifndef BROADPHASE_DOUBLE_H
#define BROADPHASE_DOUBLE_H

#include <broadphase/broadphase_neighbors.h>
#include <broadphase/broadphase_world.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------------------------
// 1. Pairs

typedef struct bp_box_double {
    double min[3];
    double max[3];
} bp_box_double;

BP_API bp_status bp_find_pairs_double(const bp_box_double *boxes, size_t count, const bp_config *config,
                                      bp_pairs *pairs);
BP_API bp_status bp_find_pairs_between_double(const bp_box_double *a, size_t a_count, const bp_box_double *b,
                                              size_t b_count, const bp_config *config, bp_pairs *pairs);

// ---------------------------------------------------------------------------------------------------------------------
// 2. Worlds

/// After the first of these a world keeps all its boxes in 64 bits.
BP_API bp_status bp_add_double(bp_world *world, const bp_box_double *box, const bp_object *object, bp_id *id);
BP_API bp_status bp_add_many_double(bp_world *world, size_t count, const bp_box_double *boxes, const bp_object *objects,
                                    bp_id *ids);
BP_API bp_status bp_move_double(bp_world *world, bp_id id, const bp_box_double *box);
BP_API bp_status bp_move_many_double(bp_world *world, size_t count, const bp_id *ids, const bp_box_double *boxes);
BP_API bp_status bp_get_object_double(const bp_world *world, bp_id id, bp_box_double *box, bp_object *object);

// ---------------------------------------------------------------------------------------------------------------------
// 3. Queries: in any world; `object` limits them as in broadphase.h

typedef struct bp_ray_double {
    double origin[3];
    double direction[3];
    double max_t;
} bp_ray_double;

typedef struct bp_cast_double {
    bp_box_double box;
    double direction[3];
    double max_t;
} bp_cast_double;

typedef struct bp_ray_hit_double {
    bp_id id;
    double t;
} bp_ray_hit_double;

typedef struct bp_near_double {
    bp_id id;
    double distance; ///< from the point to the box; 0 inside
} bp_near_double;

BP_API bp_status bp_query_ray_double(const bp_world *world, const bp_ray_double *ray, const bp_object *object,
                                     bp_ray_hit_double *hits, size_t capacity, size_t *found);
BP_API bp_status bp_query_cast_double(const bp_world *world, const bp_cast_double *cast, const bp_object *object,
                                      bp_ray_hit_double *hits, size_t capacity, size_t *found);
BP_API bp_status bp_query_box_double(const bp_world *world, const bp_box_double *box, const bp_object *object,
                                     bp_id *ids, size_t capacity, size_t *found);
BP_API bp_status bp_query_nearest_double(const bp_world *world, const double point[3], size_t k,
                                         const bp_object *object, bp_near_double *near, size_t *found);

BP_API bp_status bp_query_box_each_double(const bp_world *world, const bp_box_double *box, const bp_object *object,
                                          bp_visit visit, void *context);
BP_API bp_status bp_query_ray_each_double(const bp_world *world, const bp_ray_double *ray, const bp_object *object,
                                          bp_visit visit, void *context);
BP_API bp_status bp_query_cast_each_double(const bp_world *world, const bp_cast_double *cast, const bp_object *object,
                                           bp_visit visit, void *context);

// ---------------------------------------------------------------------------------------------------------------------
// 4. Neighbours

BP_API bp_status bp_find_neighbors_double(const double *points_xyz, size_t count, double radius,
                                          const bp_config *config, bp_neighbors *neighbors);
BP_API bp_status bp_find_neighbors_variable_double(const double *points_xyz, size_t count, const double *radii,
                                                   const bp_config *config, bp_neighbors *neighbors);
BP_API bp_status bp_find_neighbors_between_double(const double *a_xyz, size_t a_count, const double *b_xyz,
                                                  size_t b_count, double radius, const bp_config *config,
                                                  bp_neighbors *neighbors);
BP_API bp_status bp_find_neighbor_images_double(const double *points_xyz, size_t count, double radius,
                                                const bp_lattice *lattice, const bp_config *config,
                                                bp_neighbor_images *images);

#ifdef __cplusplus
}
#endif

#endif
