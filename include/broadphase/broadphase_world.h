/// broadphase: more about worlds. Handles, many objects at once, and what is asked less often.
#ifndef BROADPHASE_WORLD_H
#define BROADPHASE_WORLD_H

#include <broadphase/broadphase.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------------------------
// 1. Handles, for those who keep references: the id of a removed object is used again, its handle never

/// The handle of the object that has this id now; 0 if there is none. (An id that was used 2^32 - 1 times has no more
/// handles: 0.) A handle is for one world: it is not saved, and a loaded world has new ones. O(1).
BP_API uint64_t bp_handle_of(const bp_world *world, bp_id id);

/// The id of a handle's object. BP_ERROR_ID if the object was removed, or there never was such a handle; this is not
/// logged, and *id stays as it is. O(1).
BP_API bp_status bp_id_of(const bp_world *world, uint64_t handle, bp_id *id);

// ---------------------------------------------------------------------------------------------------------------------
// 2. All objects

/// The smallest id greater than `id` that is alive; BP_NO_ID if there is none. This walks through a world:
///
///     for (bp_id id = bp_next_id(world, BP_NO_ID); id != BP_NO_ID; id = bp_next_id(world, id))
///
/// The object of the present id may be removed on the way.
BP_API bp_id bp_next_id(const bp_world *world, bp_id id);

/// Removes `count` objects, all or none. `ids` may be NULL: then they are 0 .. count-1. An id may occur twice.
BP_API bp_status bp_remove_many(bp_world *world, size_t count, const bp_id *ids);

/// Changes which others `count` objects pair with, all or none, from the next update on. `ids` may be NULL: then they are
/// 0 .. count-1. `objects` may be NULL (all defaults). If an id occurs twice, its last object counts.
BP_API bp_status bp_set_objects(bp_world *world, size_t count, const bp_id *ids, const bp_object *objects);

/// Removes all objects. Their pairs end with the next update, and their handles are not used again. The memory stays with
/// the world. O(n).
BP_API bp_status bp_world_clear(bp_world *world);

/// Gives back all memory that the world can do without, at once; the next update builds everything anew. It is seldom
/// needed: memory for pairs is given back by itself when there have been far fewer of them for some updates.
BP_API bp_status bp_world_trim(bp_world *world);

// ---------------------------------------------------------------------------------------------------------------------
// 3. Queries

typedef struct bp_near_double {
    bp_id id;
    double distance; ///< from the point to the box; 0 inside
} bp_near_double;

/// bp_query_nearest for a point of 64 bits, in any world: the distance is not rounded to 32. `object` may be NULL
/// (everything).
BP_API bp_status bp_query_nearest_double(const bp_world *world, const double point[3], size_t k,
                                         const bp_object *object, bp_near_double *near, size_t *found);

#ifdef __cplusplus
}
#endif

#endif
