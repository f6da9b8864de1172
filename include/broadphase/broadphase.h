/// broadphase: of all these boxes, which pairs overlap? Every overlapping pair, each exactly once.
///
/// Which objects of a simulation touch? Testing each against each would take 50 million tests for 10,000 objects. So programs
/// put an axis-aligned box (AABB) around each object, find the pairs of boxes that overlap, and examine only these closely.
/// In collision detection the first step is called the broad phase (and the second, yours, the narrow phase); for
/// rectangles of a map or a chip it is a spatial join; for particles it makes the neighbor list (cell list, Verlet list).
///
/// One call, for boxes that you have at hand:
///
///     bp_pairs pairs = {0};
///     bp_status status = bp_find_pairs(boxes, count, NULL, &pairs);
///     ... use pairs.data[0 .. pairs.count) ...
///     bp_pairs_free(&pairs, NULL);
///
/// A world, for objects that stay and move. Here is a level of a game, with static ground, moving objects, events, and a ray:
///
///     bp_config config = {.flags = BP_EVENTS}; // in a config, zero means default
///     bp_world *world = NULL;
///     bp_world_create(&config, &world);
///
///     const bp_object scenery = {.flags = BP_STATIC};
///     bp_id ground, ids[100];
///     bp_add(world, &ground_box, &scenery, &ground);
///     bp_add_many(world, 100, boxes, NULL, ids);
///
///     for (;;) { // every step
///         bp_move_many(world, 100, ids, boxes); // where they are now
///         bp_result result;
///         bp_update(world, &result);
///         ... result.pairs: what overlaps; result.begun, result.ended: what has changed ...
///
///         bp_ray look = {.origin = {0, 2, 0}, .direction = {1, 0, 0}, .max_t = 50};
///         bp_ray_hit hit; // the nearest object that it hits
///         if (bp_query_ray(world, &look, NULL, &hit, 1, NULL) == BP_OK && hit.id != BP_NO_ID) ... hit.id, hit.t ...
///     }
///     bp_world_destroy(world);
///
/// This header is the manual, ten minutes from top to bottom:
///   1. values      boxes, pairs, statuses
///   2. one call    bp_find_pairs
///   3. world       objects that move, events
///   4. queries     rays, boxes, moving boxes, nearest objects; single and in batches
///   5. config      threads, two dimensions, periods, margins; your own memory, threads, filter and log
/// It includes the headers for special purposes, so you need no other: broadphase_world.h (more about worlds and queries),
/// _neighbors.h (points within a radius), _double.h (64-bit coordinates), _stream.h (saving and loading), _methods.h (the
/// algorithms and their settings), _threads.h (sharing threads), _tune.h (why a method was chosen, and which is fastest).
///
/// Rules that hold for every call:
///   - A call that can fail returns a bp_status. After a failure a world is as it was; each call says what its results are then.
///   - No pair is ever lost without an error, and no pair is reported twice.
///   - Results depend only on the input, never on the number of threads or on the processor.
///   - There are no mutable globals. Threads may use different worlds at the same time, and share a world for calls that
///     take it as const.
///   - Structs can grow into their fields `reserved`. Begin with {0} (in C++ {}, not memset) and leave these alone: then your
///     program, as it was compiled, runs with later versions of the library.
#ifndef BROADPHASE_H
#define BROADPHASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a shared library exports. On Windows a .def file generated from BP_API exports it, so that programs compile alike for
// the static library and for the DLL.
#if defined(__GNUC__) && !defined(_WIN32)
#define BP_API __attribute__((visibility("default")))
#else
#define BP_API
#endif

// In C++ fields have a default of zero, so that no compiler warns about the fields that {0} does not name.
#if defined(__cplusplus) && __cplusplus >= 201402L
#define BP_ZERO = {}
#else
#define BP_ZERO
#endif

#define BP_VERSION_MAJOR 0
#define BP_VERSION_MINOR 2
#define BP_VERSION_PATCH 0

/// The version of the library, as "major.minor.patch".
BP_API const char *bp_version(void);

// ---------------------------------------------------------------------------------------------------------------------
// 1. Values

/// A box with edges along the axes (an AABB). Boxes are closed: touching counts as overlapping. A coordinate may be infinite,
/// which is how you give planes, walls and half-spaces. A box with a NaN or with min > max is invalid (BP_ERROR_BOX).
typedef struct bp_box {
    float min[3];
    float max[3];
} bp_box;

/// Two boxes that overlap, by index or id. Of one set a < b; between two sets a is from the first and b from the second.
typedef struct bp_pair {
    uint32_t a;
    uint32_t b;
} bp_pair;

/// The result of a call.
typedef enum bp_status {
    BP_OK = 0,
    BP_ERROR_ARGUMENT,    ///< a null pointer, a count over BP_MAX_COUNT, or a field out of its range
    BP_ERROR_BOX,         ///< a box with a NaN, with min > max, or longer than the period; the log names its index
    BP_ERROR_ID,          ///< an id that is not alive in this world
    BP_ERROR_MEMORY,      ///< the allocator returned NULL
    BP_ERROR_CAPACITY,    ///< your buffer is too small; the count tells how much is needed
    BP_ERROR_UNSUPPORTED, ///< the chosen method cannot do this; bp_method_supports() tells beforehand
    BP_ERROR_INTERNAL     ///< a bug in this library; please report it
} bp_status;

/// A short English sentence for a status. Never NULL.
BP_API const char *bp_status_text(bp_status status);

/// The largest number of boxes in a call, or of objects in a world: 2^32 - 2.
#define BP_MAX_COUNT ((size_t)4294967294u)

/// Options of a call or a world: section 5. NULL means all defaults. What most programs set: `threads` (-1: all cores),
/// `dimensions` (2: z is ignored), `flags`, and `log`, which explains errors in words.
typedef struct bp_config bp_config;

// ---------------------------------------------------------------------------------------------------------------------
// 2. One call, no state

/// A list of pairs. Begin with {0}. The library grows it as needed and overwrites the old pairs, so keep it between calls, and
/// release it with bp_pairs_free. With BP_PAIRS_FIXED in config.flags, `data` and `capacity` are your own buffer: if it
/// is too small, the call returns BP_ERROR_CAPACITY and `count` is the number needed (SIZE_MAX: too many to count).
typedef struct bp_pairs {
    bp_pair *data BP_ZERO;
    size_t count BP_ZERO;
    size_t capacity BP_ZERO;
} bp_pairs;

/// Releases a list that the library has grown, and zeroes it. Pass the config whose allocator filled it (NULL: the default
/// allocator). Not for BP_PAIRS_FIXED buffers.
BP_API void bp_pairs_free(bp_pairs *pairs, const bp_config *config);

/// Finds every pair of overlapping boxes among boxes[0 .. count). Fails with BP_ERROR_ARGUMENT, _BOX, _MEMORY, _CAPACITY or
/// _UNSUPPORTED. The pairs are then undefined, and the list is still yours to free.
BP_API bp_status bp_find_pairs(const bp_box *boxes, size_t count, const bp_config *config, bp_pairs *pairs);

/// Finds every overlapping pair of a box of `a` and a box of `b`. Both may be the same array: then each box also overlaps
/// itself. Otherwise as bp_find_pairs.
BP_API bp_status bp_find_pairs_between(const bp_box *a, size_t a_count, const bp_box *b, size_t b_count,
                                       const bp_config *config, bp_pairs *pairs);

// ---------------------------------------------------------------------------------------------------------------------
// 3. A world of objects that move

/// A set of objects, each with a box. Opaque; create it with bp_world_create.
typedef struct bp_world bp_world;

/// The id of an object: the smallest free number, so that it can index your arrays. A removed object's id goes to the next new
/// one, perhaps before the update that reports its ended pairs.
typedef uint32_t bp_id;

/// No object has this id.
#define BP_NO_ID ((bp_id)4294967295u)

/// Flags of an object.
enum {
    BP_STATIC = 1u << 0 ///< ground, walls, scenery: two static objects never pair
};

/// Which others an object pairs with. Two objects a and b pair when a.group & b.mask and b.group & a.mask are not zero, their
/// islands are equal, and at least one of them is not static. A zero group or mask counts as all bits set: so by default all
/// pair, and an object can only be masked out if you have given it a group.
typedef struct bp_object {
    uint64_t group BP_ZERO;    ///< bits: what this object is
    uint64_t mask BP_ZERO;     ///< bits: what it pairs with
    uint32_t flags BP_ZERO;    ///< BP_STATIC, or 0
    uint32_t island BP_ZERO;   ///< objects of different islands never pair; all islands may be at one place
    uint64_t user BP_ZERO;     ///< yours; the library only stores it
    uint64_t reserved BP_ZERO; ///< 0
} bp_object;

/// Creates an empty world. On failure *world is NULL.
BP_API bp_status bp_world_create(const bp_config *config, bp_world **world);

/// Releases a world and everything in it. NULL is fine.
BP_API void bp_world_destroy(bp_world *world);

/// Adds one object and stores its id in *id. `object` may be NULL (all defaults). Amortised O(1).
BP_API bp_status bp_add(bp_world *world, const bp_box *box, const bp_object *object, bp_id *id);

/// Gives an object a new box, of any size. O(1). One that is not moved keeps its box and its pairs at hardly any cost, so nothing
/// needs to be put to sleep.
BP_API bp_status bp_move(bp_world *world, bp_id id, const bp_box *box);

/// Replaces group, mask, flags, island and user; pairs follow at the next update. `object` may be NULL (all defaults).
BP_API bp_status bp_set_object(bp_world *world, bp_id id, const bp_object *object);

/// Removes an object. O(1).
BP_API bp_status bp_remove(bp_world *world, bp_id id);

/// The same for `count` objects, all or none. `objects` may be NULL (all defaults). `ids` may be NULL: bp_add_many then does not
/// store them, the others take 0 .. count-1. If an id occurs twice, its last box or object counts; it is removed once.
BP_API bp_status bp_add_many(bp_world *world, size_t count, const bp_box *boxes, const bp_object *objects, bp_id *ids);
BP_API bp_status bp_move_many(bp_world *world, size_t count, const bp_id *ids, const bp_box *boxes);
BP_API bp_status bp_set_objects(bp_world *world, size_t count, const bp_id *ids, const bp_object *objects);
BP_API bp_status bp_remove_many(bp_world *world, size_t count, const bp_id *ids);

/// Reads an object back. `box` and `object` may be NULL.
BP_API bp_status bp_get_object(const bp_world *world, bp_id id, bp_box *box, bp_object *object);

/// The number of objects alive.
BP_API size_t bp_world_count(const bp_world *world);

/// The algorithms. All of them find the same pairs; broadphase_methods.h tells how they differ.
typedef enum bp_method {
    BP_METHOD_AUTO = 0, ///< the library chooses, from the boxes
    BP_METHOD_BRUTE_FORCE,
    BP_METHOD_LINKED_CELLS,
    BP_METHOD_HIERARCHICAL_GRID,
    BP_METHOD_SPATIAL_HASH,
    BP_METHOD_PIVOT_GRID,
    BP_METHOD_COMPACT_GRID,
    BP_METHOD_CUCKOO_GRID,
    BP_METHOD_OCTREE,
    BP_METHOD_LOOSE_OCTREE,
    BP_METHOD_BVH,
    BP_METHOD_SWEEP_AND_PRUNE,
    BP_METHOD_SPLIT,
    BP_METHOD_TREE,
    BP_METHOD_STRIPS
} bp_method;

/// How a world brings its internal structure up to date.
typedef enum bp_update_strategy {
    BP_UPDATE_AUTOMATIC = 0, ///< decided at each update
    BP_UPDATE_INDIVIDUAL,    ///< one changed object after the other
    BP_UPDATE_REBUILD        ///< everything: best when most objects move
} bp_update_strategy;

/// Statistics of a call or an update.
typedef struct bp_stats {
    size_t objects;              ///< boxes given, or objects alive in the world
    size_t pairs;                ///< pairs reported
    uint64_t tests;              ///< candidate pairs examined
    bp_method method;            ///< the method that ran (never BP_METHOD_AUTO)
    bp_update_strategy update;   ///< the strategy that ran (never BP_UPDATE_AUTOMATIC)
    double build_seconds;        ///< time to bring the structure up to date
    double find_seconds;         ///< time to find the pairs
    size_t bytes;                ///< memory of the structure
    size_t levels;               ///< grids in the hierarchy
    size_t cells;                ///< cells in all grids
    size_t occupied;             ///< cells that hold at least one object
    size_t objects_per_cell_max; ///< in the fullest cell
    double objects_per_cell;     ///< mean over the occupied cells
    double details[40];          ///< for bp_explain in broadphase_tune.h
    uint64_t reserved[8];
} bp_stats;

/// The result of an update. The arrays belong to the world and stay valid until it changes.
typedef struct bp_result {
    const bp_pair *pairs; ///< all pairs that overlap now
    size_t pair_count;
    /// With BP_EVENTS: pairs that overlap now and did not at the last update, and the reverse, ascending by (a, b). Removing
    /// an object ends its pairs. If a new object has got its id by then, a pair may be listed both as ended and as begun.
    const bp_pair *begun;
    size_t begun_count;
    const bp_pair *ended;
    size_t ended_count;
    bp_stats stats;
    uint64_t reserved[4];
} bp_result;

/// Finds all pairs of the world as it is now; once a step. `result` may be NULL; these events are then gone.
BP_API bp_status bp_update(bp_world *world, bp_result *result);

// ---------------------------------------------------------------------------------------------------------------------
// 4. Queries: what does this ray hit, what is in this box, what is nearest?
//
// A query sees the objects as they are now, even if no update has followed the last change, and the boxes as you gave them:
// without the margin, and never as spheres. Several threads may query at once, as long as none changes the world.
// broadphase_world.h has costs and periods, broadphase_double.h exact formulas.
//
// `object` limits a query to what such an object would pair with: {.mask = ~TEAM} misses objects of group TEAM. NULL: everything.
//
// Results go into your buffer. If it is too small, the call returns BP_ERROR_CAPACITY, the buffer holds the first
// `capacity` results, and *found is the number needed. With `found` = NULL a full buffer is no error, and
// the search may stop early; if there are fewer results, the id after the last one is BP_NO_ID.

/// A ray: the points origin + t * direction with 0 <= t <= max_t (which may be infinite).
typedef struct bp_ray {
    float origin[3];
    float direction[3]; ///< of any length but zero
    float max_t;
} bp_ray;

typedef struct bp_ray_hit {
    bp_id id;
    float t; ///< where the ray enters the box, in units of the direction; 0 if it begins inside
} bp_ray_hit;

/// The objects whose boxes a ray hits, ascending by (t, id). For the nearest hit alone, give a capacity of 1 and found = NULL.
/// Fails with BP_ERROR_ARGUMENT for a NaN, an infinite origin or direction, a zero direction, or max_t < 0.
BP_API bp_status bp_query_ray(const bp_world *world, const bp_ray *ray, const bp_object *object, bp_ray_hit *hits,
                              size_t capacity, size_t *found);

/// A box that moves along a ray: box + t * direction with 0 <= t <= max_t (which may be infinite).
typedef struct bp_cast {
    bp_box box;         ///< where it begins; finite
    float direction[3]; ///< of any length but zero
    float max_t;
} bp_cast;

/// The objects whose boxes a moving box meets, ascending by (t, id): t is when they first touch, 0 if they do at the start.
/// Fails with BP_ERROR_BOX for a box with min > max, and with BP_ERROR_ARGUMENT for an infinite box or where a ray would.
BP_API bp_status bp_query_cast(const bp_world *world, const bp_cast *cast, const bp_object *object, bp_ray_hit *hits,
                               size_t capacity, size_t *found);

/// The objects whose boxes overlap a box, ascending by id.
BP_API bp_status bp_query_box(const bp_world *world, const bp_box *box, const bp_object *object, bp_id *ids,
                              size_t capacity, size_t *found);

typedef struct bp_near {
    bp_id id;
    float distance; ///< from the point to the box; 0 inside
} bp_near;

/// The `k` objects whose boxes are nearest to a point, ascending by (distance, id); fewer if there are fewer. `near` has
/// room for k. Fails with BP_ERROR_ARGUMENT for k = 0 or a point that is not finite.
BP_API bp_status bp_query_nearest(const bp_world *world, const float point[3], size_t k, const bp_object *object,
                                  bp_near *near, size_t *found);

// ---- batches: many queries at once ----------------------------------------------------------------------------------

/// The results of a batch as compressed rows: those of query i are at offsets[i] .. offsets[i + 1] - 1, in the order of the
/// single call. Begin with {0}. The library grows and keeps the arrays as those of bp_pairs.
typedef struct bp_answers {
    size_t *offsets BP_ZERO; ///< count + 1 of them
    bp_id *ids BP_ZERO;      ///< offsets[count] of them
    float *values BP_ZERO;   ///< as many: t of rays and casts, distances of nearest objects; unused for boxes
    size_t count BP_ZERO;    ///< number of queries
    size_t offset_capacity BP_ZERO;
    size_t id_capacity BP_ZERO;
    size_t value_capacity BP_ZERO;
    uint64_t reserved[4] BP_ZERO;
} bp_answers;

/// Releases the arrays and zeroes the struct. Pass the world's config, if that has an allocator.
BP_API void bp_answers_free(bp_answers *answers, const bp_config *config);

/// Batch queries: `count` times bp_query_box, _ray, _cast or _nearest, but several times as fast, because they are processed in
/// spatial order, with the threads of the world. `max_hits` limits the hits per ray or cast (0: all). Points are x, y, z one
/// after the other. Fails where the single call would; the log names the first query that is wrong.
BP_API bp_status bp_query_boxes(const bp_world *world, size_t count, const bp_box *boxes, const bp_object *object,
                                bp_answers *answers);
BP_API bp_status bp_query_rays(const bp_world *world, size_t count, const bp_ray *rays, size_t max_hits,
                               const bp_object *object, bp_answers *answers);
BP_API bp_status bp_query_casts(const bp_world *world, size_t count, const bp_cast *casts, size_t max_hits,
                                const bp_object *object, bp_answers *answers);
BP_API bp_status bp_query_nearest_many(const bp_world *world, size_t count, const float *points_xyz, size_t k,
                                       const bp_object *object, bp_answers *answers);

// ---------------------------------------------------------------------------------------------------------------------
// 5. Config

/// Flags of a config.
enum {
    BP_PAIRS_FIXED = 1u << 0, ///< one call: bp_pairs is your own buffer, which is never grown
    BP_EVENTS = 1u << 1       ///< worlds: which pairs have begun and ended
};

/// The order of the pairs in a result. Both are the same on every run.
typedef enum bp_pair_order {
    BP_ORDER_FOUND = 0, ///< as the method finds them: fastest
    BP_ORDER_SORTED     ///< ascending by (a, b)
} bp_pair_order;

/// What the given boxes stand for.
typedef enum bp_shape {
    BP_SHAPE_BOXES = 0, ///< themselves
    BP_SHAPE_SPHERES    ///< the sphere inside each box; in two dimensions the circle
} bp_shape;

/// bp_find_neighbors_variable: when are two points with the radii r and s neighbours?
typedef enum bp_radius_rule {
    BP_RADIUS_MAX = 0, ///< distance <= max(r, s): at least one reaches the other
    BP_RADIUS_MIN,     ///< distance <= min(r, s): each reaches the other
    BP_RADIUS_SUM      ///< distance <= r + s: their spheres touch
} bp_radius_rule;

/// Hook: your memory. `allocate` returns `size` bytes aligned to 64, or NULL; `release` gets them back. Default:
/// bp_allocator_default().
typedef struct bp_allocator {
    void *(*allocate)(void *context, size_t size);
    void (*release)(void *context, void *memory, size_t size);
    void *context;
} bp_allocator;

/// The C library's memory, with large pages for large blocks where the system has them.
BP_API bp_allocator bp_allocator_default(void);

/// One piece of parallel work: it is called once for each index.
typedef void (*bp_task)(void *task_context, size_t index);

/// Hook: your threads. `run` calls task(task_context, i) for every i in 0 .. count-1, in any order and on any threads,
/// and returns when all calls are done. `workers` is how many can run at the same time; it never changes the result.
///
/// Default: the calling thread and up to config.threads - 1 others of the library's own, which sleep between calls
/// (broadphase_threads.h).
typedef struct bp_executor {
    void (*run)(void *context, bp_task task, void *task_context, size_t count);
    void *context;
    uint32_t workers;
} bp_executor;

/// Hook: your filter, for what groups, masks and islands cannot say. `pass` gets each overlapping pair, as in bp_pair, and
/// returns 0 to leave it out. It must return the same for the same pair every time, until one of both objects changes. It may
/// be called more than once for a pair, and from several threads at once. It may not call into the world that asks.
typedef struct bp_filter {
    int (*pass)(void *context, uint32_t a, uint32_t b);
    void *context;
} bp_filter;

/// Hook: your log. `write` gets one line at a time, without a newline, valid during the call: which box, which field, what
/// to do about it; and warnings of scenes that are slow. Default: no messages.
typedef struct bp_log {
    void (*write)(void *context, const char *text);
    void *context;
} bp_log;

struct bp_method_settings; // broadphase_methods.h

/// A config is copied when a call begins or a world is created; what its hooks point to must stay as long as the world.
struct bp_config {
    int32_t threads BP_ZERO;            ///< default: 1 thread; -1: all cores; otherwise at most that many
    uint32_t dimensions BP_ZERO;        ///< 3 (default), or 2: z is ignored
    uint32_t flags BP_ZERO;             ///< BP_EVENTS, BP_PAIRS_FIXED; more in broadphase_neighbors.h
    bp_method method BP_ZERO;           ///< default: the library chooses
    bp_pair_order pair_order BP_ZERO;   ///< default: as found
    bp_shape shape BP_ZERO;             ///< default: boxes
    bp_update_strategy update BP_ZERO;  ///< worlds; default: automatic
    bp_radius_rule radius_rule BP_ZERO; ///< bp_find_neighbors_variable; default: the larger radius counts

    /// Grows every box and sphere by this much on all sides (rounded outwards), so that pairs are found a little before they
    /// touch. A world gains speed from it, because small moves need no work, and may then report more: pairs that are up to
    /// four margins apart along an axis. Default 0: exact.
    float margin BP_ZERO;

    /// Space repeats along each axis after this length; 0: it does not. Boxes may lie
    /// anywhere, and a pair is reported once. A finite box longer than the period is refused (BP_ERROR_BOX); an infinite one
    /// covers the axis.
    float period[3] BP_ZERO;

    bp_allocator allocator BP_ZERO;
    bp_executor executor BP_ZERO;
    bp_filter filter BP_ZERO;
    bp_log log BP_ZERO;
    bp_stats *stats BP_ZERO; ///< one call: gets its statistics (a world's are in bp_result)

    /// For experts: broadphase_methods.h. NULL: defaults.
    const struct bp_method_settings *settings BP_ZERO;

    uint64_t reserved[8] BP_ZERO; ///< 0; anything else is refused
};

#ifdef __cplusplus
}
#endif

#include <broadphase/broadphase_double.h>
#include <broadphase/broadphase_methods.h>
#include <broadphase/broadphase_neighbors.h>
#include <broadphase/broadphase_stream.h>
#include <broadphase/broadphase_threads.h>
#include <broadphase/broadphase_tune.h>
#include <broadphase/broadphase_world.h>

#endif
