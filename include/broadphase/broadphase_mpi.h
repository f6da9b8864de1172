/// broadphase over MPI: a world of objects that is spread over the ranks of a communicator.
///
///     bp_mpi_config config = {.local = {.threads = 4}};
///     bp_mpi_world *world;
///     bp_mpi_world_create(MPI_COMM_WORLD, &config, &world);
///     bp_mpi_add_many(world, count, NULL, boxes, NULL, NULL, ids); // each rank some, anywhere
///     for (;;) {
///         bp_mpi_result result;
///         bp_mpi_update(world, &result);          // objects go to where they belong; each pair is found on one rank
///         bp_mpi_objects mine;
///         bp_mpi_owned(world, &mine);             // what lives here now
///         ... forces for result.pairs, new boxes for mine.ids ...
///         bp_mpi_move_many(world, mine.count, NULL, boxes);
///     }
///
/// Space is cut into one region for each rank. An object is owned by the rank in whose region its centre lies, and known
/// (a ghost) on every other rank whose region its box overlaps: there is no cut-off radius. A pair is reported by the one
/// rank in whose region the point max(a.min, b.min) lies. The regions follow the work.
///
/// Rules that hold for every call:
///   - A call is collective, unless its comment says "local": all ranks of the communicator make it, in the same order,
///     each with its own share of objects (which may be none).
///   - All ranks return the same status. If one of them was given something wrong or has no memory left, all of them
///     return that error, and the world is as it was before the call. (Where there are several, the one with the largest
///     number.) A NULL world is the exception: it has no communicator over which to tell the others.
///   - The union of all ranks' pairs is, pair for pair, what one bp_world with all objects would report.
///   - What MPI refuses is returned as BP_ERROR_MPI, on the ranks where it happened; after that the world can only be
///     destroyed.
#ifndef BROADPHASE_MPI_H
#define BROADPHASE_MPI_H

#include <broadphase/broadphase.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A status beside those of bp_status: MPI has failed. The log says how.
#define BP_ERROR_MPI ((bp_status)64)

/// No object has this id.
#define BP_MPI_NO_ID ((uint64_t)18446744073709551615u)

/// Two objects that overlap, by their ids: a < b.
typedef struct bp_mpi_pair {
    uint64_t a;
    uint64_t b;
} bp_mpi_pair;

/// Which pairs are wanted, beyond groups, masks and islands; as bp_filter, with the ids of this world. It must give the
/// same answer for the same pair on every rank.
typedef struct bp_mpi_filter {
    int (*pass)(void *context, uint64_t a, uint64_t b);
    void *context;
} bp_mpi_filter;

/// How space is cut into regions.
typedef enum bp_mpi_partition {
    BP_MPI_RCB = 0, ///< recursive coordinate bisection: each region is a box
    BP_MPI_HSFC     ///< pieces of a Hilbert curve, rounded to the cells of a grid: for objects that are spread evenly
} bp_mpi_partition;

/// What to do, and how. Zero means default, everywhere. All ranks must give the same values, hooks excepted.
typedef struct bp_mpi_config {
    /// Each rank's own search: method and its parameters, dimensions, threads, shape, period, pair_order, update, the flag
    /// BP_EVENTS and the hooks are used. A margin and a filter are refused (BP_ERROR_UNSUPPORTED): grow the boxes
    /// yourself, and use the filter below.
    bp_config local;
    bp_mpi_filter filter;
    bp_mpi_partition partition;
    /// Regions are made anew when the largest work of a rank is more than this times the mean. Default 1.1.
    /// Infinity: never, but for the first time.
    float imbalance;
    /// ... and after at least this many updates (unless it is twice the mean). Default 8.
    uint32_t balance_interval;
    /// Boxes that overlap more regions than this, and infinite ones, are broadcast. Default 32.
    uint32_t broadcast_above;
    /// Bytes of the caller's that travel with each object, to its owner and its ghosts. At most 65,536. Default 0.
    uint32_t user_bytes;
    /// Messages and file accesses are split into pieces of this many bytes. Default and maximum: 2^30.
    uint32_t message_limit;
} bp_mpi_config;

/// What the last update did. Figures of this rank, unless they say otherwise.
typedef struct bp_mpi_stats {
    uint64_t objects; ///< in the whole world
    size_t owned;
    size_t ghosts;           ///< objects of other ranks that are known here
    size_t pairs;            ///< reported here
    size_t migrated;         ///< objects that have left for another rank
    uint64_t bytes_sent;     ///< to other ranks
    uint64_t messages;       ///< sent to other ranks
    uint64_t updates;        ///< so far
    uint64_t partitions;     ///< times that the regions were made, so far
    double work;             ///< boxes searched + pairs found
    double imbalance;        ///< largest work of a rank / mean over the ranks
    double balance_seconds;  ///< regions made anew
    double exchange_seconds; ///< ghosts and migrants: decided, sent, received
    double find_seconds;     ///< each rank's own search
    double report_seconds;   ///< pairs given their ids, events, directory
    bp_stats local;          ///< of the search
} bp_mpi_stats;

/// The result of an update: a view, owned by the world, valid until its next update.
typedef struct bp_mpi_result {
    const bp_mpi_pair *pairs; ///< of this rank. With BP_ORDER_SORTED ascending by (a, b)
    size_t pair_count;
    /// With BP_EVENTS: the pairs that are in the world now and were not at the last update, and the other way round, each
    /// on one rank, ascending by (a, b). That an object or a pair goes to another rank is no event. An id that was removed
    /// and given again is another object.
    const bp_mpi_pair *begun;
    size_t begun_count;
    const bp_mpi_pair *ended;
    size_t ended_count;
    bp_mpi_stats stats;
} bp_mpi_result;

/// The objects that this rank owns: a view, owned by the world, valid until its next change.
typedef struct bp_mpi_objects {
    const uint64_t *ids;
    const bp_object *objects;
    const void *user; ///< user_bytes for each
    size_t count;
} bp_mpi_objects;

/// A world. Opaque.
typedef struct bp_mpi_world bp_mpi_world;

/// A short English sentence for a status, BP_ERROR_MPI included. Local.
BP_API const char *bp_mpi_status_text(bp_status status);

/// Creates an empty world on a communicator, which is duplicated. `config` may be NULL. On failure *world is NULL.
BP_API bp_status bp_mpi_world_create(MPI_Comm communicator, const bp_mpi_config *config, bp_mpi_world **world);

/// Releases a world. NULL is fine, if it is so on all ranks. Before MPI_Finalize.
BP_API void bp_mpi_world_destroy(bp_mpi_world *world);

/// Adds `count` objects from each rank, all or none. They may lie anywhere; the next update brings them to their owners,
/// until then this rank owns them. `ids` may be NULL on all ranks (the library gives consecutive ones, by rank) or on
/// those with a count of 0; else they are below 2^63 - 1 and new to the world: an id that is alive, or comes
/// twice, is refused with BP_ERROR_ID. `objects` may be NULL (all defaults), `user` may be NULL (zeros), `new_ids` may be NULL (not wanted).
BP_API bp_status bp_mpi_add_many(bp_mpi_world *world, size_t count, const uint64_t *ids, const bp_box *boxes,
                                 const bp_object *objects, const void *user, uint64_t *new_ids);

/// Gives objects new boxes, all or none. `ids` may be of any rank's objects; those that are not this rank's cost a message.
/// If an id comes twice, the last box counts: that of the highest rank. `ids` may be NULL: then they are all objects that
/// this rank owns, in the order of bp_mpi_owned, and `count` is their number; this is the fast way.
BP_API bp_status bp_mpi_move_many(bp_mpi_world *world, size_t count, const uint64_t *ids, const bp_box *boxes);

/// Changes what objects are, all or none. Either of `objects` and `user` may be NULL (as it was). Otherwise as
/// bp_mpi_move_many.
BP_API bp_status bp_mpi_set_many(bp_mpi_world *world, size_t count, const uint64_t *ids, const bp_object *objects,
                                 const void *user);

/// Removes objects, all or none, whoever owns them. BP_ERROR_ID for an id that is not alive or comes twice.
BP_API bp_status bp_mpi_remove_many(bp_mpi_world *world, size_t count, const uint64_t *ids);

/// Finds all pairs of the world as it is now. `result` may be NULL.
BP_API bp_status bp_mpi_update(bp_mpi_world *world, bp_mpi_result *result);

/// Who owns these objects now: ranks[i] is a rank, or -1 if there is no such object.
BP_API bp_status bp_mpi_find_owners(bp_mpi_world *world, size_t count, const uint64_t *ids, int *ranks);

/// What this rank owns. Local.
BP_API bp_status bp_mpi_owned(const bp_mpi_world *world, bp_mpi_objects *objects);

/// Their boxes, in the same order; a view, valid until the next change. A call of its own because it is not free: after
/// bp_mpi_move_many the boxes are where they are searched, and are collected from there. Local.
BP_API bp_status bp_mpi_owned_boxes(bp_mpi_world *world, const bp_box **boxes);

/// Reads an object that this rank owns, or knew as a ghost at the last update. Any of `box`, `object` and `user` may be
/// NULL. BP_ERROR_ID if it is neither. Local.
BP_API bp_status bp_mpi_get(const bp_mpi_world *world, uint64_t id, bp_box *box, bp_object *object, void *user);

/// The number of objects alive on all ranks. Local.
BP_API uint64_t bp_mpi_world_count(const bp_mpi_world *world);

/// The figures of the last update. Local.
BP_API bp_status bp_mpi_world_stats(const bp_mpi_world *world, bp_mpi_stats *stats);

/// A deep check, for tests: every object has one owner, the directory agrees, and ghosts are where they must be.
/// BP_ERROR_INTERNAL if something is wrong.
BP_API bp_status bp_mpi_world_validate(bp_mpi_world *world);

/// Writes all objects, and the pairs of the last update, to one file through MPI-IO. `path` is the same on all ranks.
BP_API bp_status bp_mpi_world_save(bp_mpi_world *world, const char *path);

/// Creates a world from a file, on any number of ranks. `config` must agree with the saved world in dimensions, shape,
/// period and user_bytes. Events go on where they were. BP_ERROR_ARGUMENT for a file that is cut, altered or of another
/// version; the log says which. On failure *world is NULL.
BP_API bp_status bp_mpi_world_load(MPI_Comm communicator, const bp_mpi_config *config, const char *path,
                                   bp_mpi_world **world);

#ifdef __cplusplus
}
#endif

#endif
