/// broadphase over MPI: a world of objects, spread over the ranks of a communicator.
///
///     bp_mpi_config config = {.local = {.threads = 4}};
///     bp_mpi_world *world;
///     bp_mpi_world_create(MPI_COMM_WORLD, &config, &world);
///     bp_mpi_add_many(world, count, NULL, boxes, NULL, NULL, ids); // each rank adds some, anywhere
///     for (;;) {
///         bp_mpi_result result;
///         bp_mpi_update(world, &result);          // objects go to their owners; one rank finds each pair
///         bp_mpi_objects mine;
///         bp_mpi_owned(world, &mine);             // the objects this rank owns
///         ... forces for result.pairs, new boxes for mine.ids ...
///         bp_mpi_move_many(world, mine.count, NULL, boxes);
///     }
///
/// Space is cut into one region per rank. The rank in whose region an object's centre lies owns the object; every other
/// rank whose region its box overlaps knows it as a ghost. There is no cut-off radius. The rank in whose region the
/// point max(a.min, b.min) lies reports the pair. Regions are balanced by work.
///
/// Rules that hold for every call:
///   - Calls are collective unless their comment says "local": all ranks of the communicator make them in the same
///     order, each with its own share of objects, which may be empty.
///   - All ranks return the same status. If one rank gets a bad argument or runs out of memory, all ranks return that
///     error, and the world is as it was before the call. (Of several errors, all return the one with the largest
///     number.) The exceptions are a NULL world and MPI_COMM_NULL: there is nothing to notify the others over. The log
///     of the rank that gets the bad argument says what is wrong with it.
///   - The union of all ranks' pairs is exactly what one bp_world with all objects would report.
///   - Errors of MPI are returned as BP_ERROR_MPI on the ranks where they happen. After that, only destroy the world.
#ifndef BROADPHASE_MPI_H
#define BROADPHASE_MPI_H

#include <broadphase/broadphase.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A status in addition to those of bp_status: MPI failed. The log has the reason.
#define BP_ERROR_MPI ((bp_status)64)

/// No object has this id.
#define BP_MPI_NO_ID ((uint64_t)18446744073709551615u)

/// Two objects that overlap, by their ids: a < b.
typedef struct bp_mpi_pair {
    uint64_t a;
    uint64_t b;
} bp_mpi_pair;

/// Filters pairs, in addition to groups, masks and islands; like bp_filter, but with the ids of this world. It must
/// return the same value for the same pair on every rank.
typedef struct bp_mpi_filter {
    int (*pass)(void *context, uint64_t a, uint64_t b);
    void *context;
} bp_mpi_filter;

/// How space is cut into regions.
typedef enum bp_mpi_partition {
    BP_MPI_RCB = 0, ///< recursive coordinate bisection: each region is a box
    BP_MPI_HSFC     ///< pieces of a Hilbert curve, rounded to the cells of a grid: for objects that are spread evenly
} bp_mpi_partition;

/// The configuration of a world. Zero means default, for every field. All ranks must pass the same values, except
/// hooks: if they do not, BP_ERROR_ARGUMENT (method, settings, threads, pair_order and update are not compared).
typedef struct bp_mpi_config {
    /// Bytes of user data that travel with each object, to its owner and its ghosts. At most 65,536. Default 0.
    uint32_t user_bytes BP_ZERO;
    /// The search of each rank. Used: method, settings, dimensions, threads, shape, period, pair_order, update, the
    /// flag BP_EVENTS and the hooks. A margin or filter gives BP_ERROR_UNSUPPORTED: grow the boxes yourself, and use
    /// the filter below.
    bp_config local BP_ZERO;
    bp_mpi_filter filter BP_ZERO;
    bp_mpi_partition partition BP_ZERO;
    /// Space is partitioned again when the largest work of a rank exceeds this many times the mean. Default 1.1.
    /// Infinity: only once, at the start.
    float imbalance BP_ZERO;
    /// ... and at least this many updates after the last time, unless the work is twice the mean. Default 8.
    uint32_t balance_interval BP_ZERO;
    /// Boxes that overlap more regions than this, and infinite ones, are broadcast. Default 32.
    uint32_t broadcast_above BP_ZERO;
    /// Messages and file accesses are split into pieces of this many bytes. Default and maximum: 2^30.
    uint32_t message_limit BP_ZERO;
    uint64_t reserved[4] BP_ZERO; ///< 0
} bp_mpi_config;

/// Statistics of the last update, for this rank unless noted otherwise.
typedef struct bp_mpi_stats {
    uint64_t objects; ///< in the whole world
    size_t owned;
    size_t ghosts;           ///< objects of other ranks that this rank knows
    size_t pairs;            ///< reported here
    size_t migrated;         ///< objects that moved to another rank
    uint64_t bytes_sent;     ///< to other ranks
    uint64_t messages;       ///< sent to other ranks
    uint64_t updates;        ///< so far
    uint64_t partitions;     ///< number of times space was partitioned, so far
    double work;             ///< boxes searched + pairs found
    double imbalance;        ///< largest work of a rank / mean over the ranks
    double balance_seconds;  ///< partitioning space
    double exchange_seconds; ///< deciding on, sending and receiving ghosts and migrants
    double find_seconds;     ///< each rank's own search
    double report_seconds;   ///< ids of pairs, events, directory
    bp_stats local;          ///< of the search
    uint64_t reserved[4];
} bp_mpi_stats;

/// The result of an update: a view, owned by the world, valid until its next update.
typedef struct bp_mpi_result {
    const bp_mpi_pair *pairs; ///< of this rank. With BP_ORDER_SORTED ascending by (a, b)
    size_t pair_count;
    /// With BP_EVENTS: the pairs that exist now and did not at the last update (begun), and the reverse (ended), each
    /// on one rank, ascending by (a, b). Moving to another rank is not an event. A removed and reused id is another
    /// object.
    const bp_mpi_pair *begun;
    size_t begun_count;
    const bp_mpi_pair *ended;
    size_t ended_count;
    bp_mpi_stats stats;
    uint64_t reserved[4];
} bp_mpi_result;

/// The objects that this rank owns: a view, owned by the world, valid until its next change.
typedef struct bp_mpi_objects {
    const uint64_t *ids;
    const bp_object *objects;
    const void *user; ///< user_bytes for each
    size_t count;
    uint64_t reserved[4];
} bp_mpi_objects;

/// A world. Opaque.
typedef struct bp_mpi_world bp_mpi_world;

/// A short English sentence for a status, BP_ERROR_MPI included. Local.
BP_API const char *bp_mpi_status_text(bp_status status);

/// Creates an empty world on a duplicate of the communicator. `config` may be NULL. On failure *world is NULL.
BP_API bp_status bp_mpi_world_create(MPI_Comm communicator, const bp_mpi_config *config, bp_mpi_world **world);

/// Destroys a world. Call it before MPI_Finalize. NULL is fine, if it is NULL on all ranks.
BP_API void bp_mpi_world_destroy(bp_mpi_world *world);

/// Adds `count` objects from each rank, all or none. They may lie anywhere: this rank owns them until the next update
/// sends them to their owners. `ids` may be NULL on all ranks (the library assigns consecutive ids, rank by rank), or
/// on ranks with a count of 0. Otherwise ids must be below 2^63 - 1 and new: an id that is alive or occurs twice gives
/// BP_ERROR_ID. `objects` (NULL: all defaults), `user` (NULL: zeros) and `new_ids` (receives the ids) may be NULL.
BP_API bp_status bp_mpi_add_many(bp_mpi_world *world, size_t count, const uint64_t *ids, const bp_box *boxes,
                                 const bp_object *objects, const void *user, uint64_t *new_ids);

/// Gives objects new boxes, all or none. `ids` may name objects of any rank; those of other ranks cost a message. If an
/// id occurs twice, the last box counts: that of the highest rank. With `ids` NULL, `boxes` are for all objects that
/// this rank owns, in the order of bp_mpi_owned, and `count` is their number: this is the fast way.
BP_API bp_status bp_mpi_move_many(bp_mpi_world *world, size_t count, const uint64_t *ids, const bp_box *boxes);

/// Replaces the properties or user data of objects, all or none. `objects` or `user` may be NULL: unchanged. Otherwise
/// like bp_mpi_move_many.
BP_API bp_status bp_mpi_set_many(bp_mpi_world *world, size_t count, const uint64_t *ids, const bp_object *objects,
                                 const void *user);

/// Removes objects of any rank, all or none. BP_ERROR_ID for an id that is not alive or occurs twice.
BP_API bp_status bp_mpi_remove_many(bp_mpi_world *world, size_t count, const uint64_t *ids);

/// Finds all pairs of the world in its current state. `result` may be NULL.
BP_API bp_status bp_mpi_update(bp_mpi_world *world, bp_mpi_result *result);

/// Finds the current owners of objects: ranks[i] is a rank, or -1 if there is no such object.
BP_API bp_status bp_mpi_find_owners(bp_mpi_world *world, size_t count, const uint64_t *ids, int *ranks);

/// The objects that this rank owns. Local.
BP_API bp_status bp_mpi_owned(const bp_mpi_world *world, bp_mpi_objects *objects);

/// Their boxes, in the same order; a view, valid until the next change. This is a separate call because it has a cost:
/// after bp_mpi_move_many the boxes must be collected from the search structure. Local.
BP_API bp_status bp_mpi_owned_boxes(bp_mpi_world *world, const bp_box **boxes);

/// Reads an object that this rank owns, or knew as a ghost at the last update; BP_ERROR_ID for any other. `box`,
/// `object` and `user` may be NULL. Local.
BP_API bp_status bp_mpi_get(const bp_mpi_world *world, uint64_t id, bp_box *box, bp_object *object, void *user);

/// The number of objects alive on all ranks. Local.
BP_API uint64_t bp_mpi_world_count(const bp_mpi_world *world);

/// The statistics of the last update. Local.
BP_API bp_status bp_mpi_world_stats(const bp_mpi_world *world, bp_mpi_stats *stats);

/// A deep check, for tests: every object has one owner, the directory agrees, and every ghost is where it must be.
/// BP_ERROR_INTERNAL if not.
BP_API bp_status bp_mpi_world_validate(bp_mpi_world *world);

/// Writes all objects, and the pairs of the last update, to one file through MPI-IO. `path` must be the same on all
/// ranks, here and in bp_mpi_world_load: if not, BP_ERROR_ARGUMENT.
BP_API bp_status bp_mpi_world_save(bp_mpi_world *world, const char *path);

/// Creates a world from a file, on any number of ranks. `config` must agree with the saved world in dimensions, shape,
/// period and user_bytes. Events continue from the saved pairs. BP_ERROR_ARGUMENT for a file that is truncated, altered
/// or of another version; the log says which. On failure *world is NULL.
BP_API bp_status bp_mpi_world_load(MPI_Comm communicator, const bp_mpi_config *config, const char *path,
                                   bp_mpi_world **world);

#ifdef __cplusplus
}
#endif

#endif
