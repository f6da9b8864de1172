/// broadphase: more about worlds. Handles, a walk through all objects, the pairs of one object, memory, checks; queries that visit
/// their hits one by one, and what queries cost.
#include <broadphase/broadphase.h> // which includes this one: so it stands before the guard

#ifndef BROADPHASE_WORLD_H
#define BROADPHASE_WORLD_H

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

/// The objects that an object is paired with, ascending by id: of the pairs of the last update, whatever has changed since.
/// Buffer, `capacity` and `found` are as in queries. The first few calls after an update go through all pairs; then the
/// world sorts them by object, in the thread that asks, and a call costs no more than what it lists. BP_EVENTS is not
/// needed. Several threads may ask at once. Fails with BP_ERROR_ID, and with BP_ERROR_ARGUMENT if the last update failed.
BP_API bp_status bp_pairs_of(const bp_world *world, bp_id id, bp_id *others, size_t capacity, size_t *found);

// ---------------------------------------------------------------------------------------------------------------------
// 3. Memory and checks

/// Makes room for `count` more objects, and for as many pairs as they usually have, so that adding them allocates
/// nothing. (For 64-bit boxes only if the world already holds such boxes.)
BP_API bp_status bp_world_reserve(bp_world *world, size_t count);

/// Removes all objects. Their pairs end with the next update, and their handles are not used again. The memory stays with
/// the world. O(n).
BP_API bp_status bp_world_clear(bp_world *world);

/// Gives back all memory that the world can do without, at once; the next update builds everything again. It is
/// seldom needed: the world itself gives memory of pairs back when there have been far fewer of them for some updates.
BP_API bp_status bp_world_trim(bp_world *world);

/// Statistics of the last update.
BP_API bp_status bp_world_stats(const bp_world *world, bp_stats *stats);

/// A deep check of everything the world holds, for tests: BP_ERROR_INTERNAL if something is wrong, and the log says what.
/// Costs about as much as an update.
BP_API bp_status bp_world_validate(const bp_world *world);

// ---------------------------------------------------------------------------------------------------------------------
// 4. Queries: visits, costs, periods
//
// A query searches a tree, and looks one by one at objects that have changed since the tree was made. If the method is tree (as
// it is by default in most worlds), this is the tree of the updates. Otherwise the first queries look at all objects; then
// the world makes a tree for queries, in the thread that asks, and later updates fit it, which makes updates between many queries
// up to a seventh longer. So queries allocate nothing, except after many changes without an update and in a world with a period.
// Batches need memory of their own, and where nothing changes those with many queries make a tree in which these take half as
// long; visits only where there are more than 256 at a time. If memory is refused, a query takes longer, and nothing else happens.
//
// Several threads may make batch queries at once: one of them has the world's threads, and the others work alone.
//
// With a period, a query sees the nearest image of each object. A ray longer than 1000 periods is refused, and so is a cast whose
// path plus box length exceeds 1000 periods.

/// Called for each object that a query finds. Returns 0 to end the query, which then returns BP_OK; anything else to go
/// on. `t` is as in bp_ray_hit. If the callback lowers *max_t, say to where it has hit the object itself, objects that are
/// entered later are not visited. (For box queries both are unused, 0.) It may make further queries, but not change the world
/// (such calls return BP_ERROR_ARGUMENT).
typedef int (*bp_visit)(void *context, bp_id id, double t, double *max_t);

/// Visits the objects that bp_query_box, _ray or _cast would list, in the same order: so the first object of a ray that you
/// accept is the nearest. A ray is not followed beyond the place where its visits end.
BP_API bp_status bp_query_box_each(const bp_world *world, const bp_box *box, const bp_object *object, bp_visit visit,
                                   void *context);
BP_API bp_status bp_query_ray_each(const bp_world *world, const bp_ray *ray, const bp_object *object, bp_visit visit,
                                   void *context);
BP_API bp_status bp_query_cast_each(const bp_world *world, const bp_cast *cast, const bp_object *object, bp_visit visit,
                                    void *context);

#ifdef __cplusplus
}
#endif

#endif
