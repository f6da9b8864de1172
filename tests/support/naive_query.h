// Queries by plain loops over all objects: the reference for the queries of a world.
//
// The numbers are computed as the manual says, in 64 bits, so that they can be compared bit by bit.
#ifndef BP_TESTS_NAIVE_QUERY_H
#define BP_TESTS_NAIVE_QUERY_H

#include "support/support.h"

// A world, as plain arrays by id.
typedef struct naive_world {
    uint32_t dimensions;
    double period[3];
    size_t count;
    bp_box_double *boxes; // NaNs for an id that is not alive
    bp_object *objects;
} naive_world;

void naive_world_create(naive_world *world, const bp_config *config, size_t capacity);
void naive_world_destroy(naive_world *world);
void naive_world_put(naive_world *world, bp_id id, const bp_box *box, const bp_object *object);
void naive_world_put_double(naive_world *world, bp_id id, const bp_box_double *box, const bp_object *object);
void naive_world_remove(naive_world *world, bp_id id);
bool naive_world_is_alive(const naive_world *world, bp_id id);

// Each fills a list with room for all objects, and returns how many there are. `object` may be NULL.
size_t naive_query_box(const naive_world *world, const bp_box *box, const bp_object *object, bp_id *ids);
size_t naive_query_ray(const naive_world *world, const bp_ray *ray, const bp_object *object, bp_ray_hit *hits);
size_t naive_query_cast(const naive_world *world, const bp_cast *cast, const bp_object *object, bp_ray_hit *hits);
size_t naive_query_nearest(const naive_world *world, const float point[3], const bp_object *object, bp_near *near);

// In 64 bits.
size_t naive_query_box_double(const naive_world *world, const bp_box_double *box, const bp_object *object, bp_id *ids);
size_t naive_query_cast_double(const naive_world *world, const bp_cast_double *cast, const bp_object *object,
                               bp_ray_hit_double *hits);
size_t naive_query_nearest_double(const naive_world *world, const double point[3], const bp_object *object,
                                  bp_near_double *near);

#endif
