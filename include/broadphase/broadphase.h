/// broadphase: of all these boxes, which pairs overlap? Every overlapping pair, each exactly once.
///
///     bp_pairs pairs = {0};
///     bp_status status = bp_find_pairs(boxes, count, NULL, &pairs);
///     ... use pairs.data[0 .. pairs.count) ...
///     bp_pairs_free(&pairs, NULL);
///
/// Objects that stay and move belong in a world, which remembers them from step to step:
///
///     bp_world *world = NULL;
///     bp_config config = {.flags = BP_EVENTS}; // zero means default, everywhere
///     bp_world_create(&config, &world);
///     bp_add_many(world, count, boxes, NULL, ids);
///     for (;;) { // every step
///         bp_move_many(world, count, ids, boxes);
///         bp_update(world, &result); // result.pairs, result.begun, result.ended
///     }
///     bp_world_destroy(world);
///
/// This header is the manual. Read it from top to bottom, and stop when you have what you need:
///   1. values     boxes, pairs, statuses          5. config       threads, periods, margins, your own allocator ...
///   2. one call   bp_find_pairs                   6. neighbours   all points within a radius
///   3. world      objects that move, events       7. 64 bits      the same functions for double coordinates
///   4. queries    rays, boxes, casts, nearest     8. streams      saving, loading and recording a world
///                                                 9. methods      the names of the algorithms
/// broadphase_world.h, which this one includes, has more about worlds: handles that are never used again, and many objects
/// at once. Two more headers are for experts: broadphase_methods.h has the settings of single methods, broadphase_tune.h finds the
/// fastest config for a scene and explains why a method was chosen.
///
/// Rules that hold for every call:
///   - A call that can fail returns a bp_status. After a failure everything is as it was before the call.
///   - No pair is ever lost without an error, and no pair is reported twice.
///   - Results depend only on the input, never on the number of threads or on the processor.
///   - The library has no mutable globals. Different threads may use different worlds at the same time. Several threads
///     may share one world only for calls that take it as const.
#ifndef BROADPHASE_H
#define BROADPHASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a shared library exports. (A DLL exports by a list that is made of these marks: so on Windows programs are compiled
// in the same way for the static library and for the DLL.)
#if defined(__GNUC__) && !defined(_WIN32)
#define BP_API __attribute__((visibility("default")))
#else
#define BP_API
#endif

#define BP_VERSION_MAJOR 0
#define BP_VERSION_MINOR 2
#define BP_VERSION_PATCH 0

/// The version of the library that is linked, as "major.minor.patch".
BP_API const char *bp_version(void);

// ---------------------------------------------------------------------------------------------------------------------
// 1. Values

/// An axis-aligned box. Boxes are closed: touching counts as overlapping. A coordinate may be infinite, which is how you
/// give walls, planes and half-spaces. A box with a NaN or with min > max is invalid (BP_ERROR_BOX).
typedef struct bp_box {
    float min[3];
    float max[3];
} bp_box;

/// Two boxes that overlap, by index or id: a < b. Between two sets, a is from the first set and b from the second.
typedef struct bp_pair {
    uint32_t a;
    uint32_t b;
} bp_pair;

/// The result of a call.
typedef enum bp_status {
    BP_OK = 0,
    BP_ERROR_ARGUMENT,    ///< a null pointer, a count over BP_MAX_COUNT, or a config field out of its range
    BP_ERROR_BOX,         ///< a box with a NaN, with min > max, or longer than the period; the log names its index
    BP_ERROR_ID,          ///< an id that is not alive in this world
    BP_ERROR_MEMORY,      ///< the allocator returned NULL
    BP_ERROR_CAPACITY,    ///< your buffer is too small; the count tells how much is needed
    BP_ERROR_UNSUPPORTED, ///< the chosen method cannot do this; bp_method_supports() tells beforehand
    BP_ERROR_INTERNAL     ///< a bug in this library; please report it
} bp_status;

/// A short English sentence for a status. Never NULL, not even for a number that is not a status.
BP_API const char *bp_status_text(bp_status status);

/// The largest number of boxes in a call, or of objects in a world: 2^32 - 2.
#define BP_MAX_COUNT ((size_t)4294967294u)

/// The algorithms. All of them find the same pairs; they differ in speed and memory.
typedef enum bp_method {
    BP_METHOD_AUTO = 0,          ///< the library chooses, from the boxes
    BP_METHOD_BRUTE_FORCE,       ///< tests every box against every other; the reference of the tests
    BP_METHOD_LINKED_CELLS,      ///< a dense grid over a bounded domain
    BP_METHOD_HIERARCHICAL_GRID, ///< one hashed grid per range of object sizes; the usual choice
    BP_METHOD_SPATIAL_HASH,      ///< a uniform grid in a hash table; an object is in every cell it overlaps
    BP_METHOD_PIVOT_GRID,        ///< a uniform grid, built by a counting sort; memory follows the objects
    BP_METHOD_COMPACT_GRID,      ///< a uniform grid, as boxes sorted by cell
    BP_METHOD_CUCKOO_GRID,       ///< a uniform grid, with its occupied cells in a cuckoo hash
    BP_METHOD_OCTREE,            ///< a tree of cubes, for objects of similar size
    BP_METHOD_LOOSE_OCTREE,      ///< a tree of overlapping cubes, for any sizes
    BP_METHOD_BVH,               ///< a tree of bounding boxes, for any sizes and unbounded space
    BP_METHOD_SWEEP_AND_PRUNE,   ///< boxes sorted along the axes; for objects that move little
    BP_METHOD_SPLIT,             ///< recursive splits; for shapes and sizes that no grid or tree fits
    BP_METHOD_TREE,              ///< a kept tree of eight children a node; for worlds, meshes and queries
    BP_METHOD_STRIPS             ///< copies in strips of space; for one call on many boxes that are alike
} bp_method;

/// How a world brings its internal structure up to date.
typedef enum bp_update_strategy {
    BP_UPDATE_AUTOMATIC = 0, ///< decided at each update from the share of objects that changed
    BP_UPDATE_INDIVIDUAL,    ///< move each changed object by itself
    BP_UPDATE_REBUILD        ///< rebuild everything: best when most objects move
} bp_update_strategy;

/// What a call or a world is told, beyond the boxes: section 5. Zero means default in every field, so a config of {0}, or
/// NULL instead of one, is the normal case. The fields used most: `threads` (-1: all cores), `dimensions` (2: z is
/// ignored), `flags`, and `log`, which explains errors in words.
typedef struct bp_config bp_config;

/// Flags of a config.
enum {
    BP_PAIRS_FIXED = 1u << 0,    ///< one call: bp_pairs is your own buffer of `capacity` pairs, which is never grown
    BP_EVENTS = 1u << 1,         ///< worlds: bp_result lists the pairs that have begun and ended
    BP_NEIGHBORS_HALF = 1u << 2, ///< neighbours: list each pair once, in the row of the smaller index
    BP_NEIGHBORS_DISTANCES = 1u << 3, ///< bp_find_neighbor_images: also how far they are,
    BP_NEIGHBORS_VECTORS = 1u << 4,   ///< where they are, as seen from the point,
    BP_NEIGHBORS_SHIFTS = 1u << 5     ///< and which images they are
};

// ---------------------------------------------------------------------------------------------------------------------
// 2. One call, no state

/// A list of pairs. Begin with {0}. The library grows it as needed, keeps `data` between calls and overwrites what it
/// held; release it with bp_pairs_free. With BP_PAIRS_FIXED in the config's flags, `data` and `capacity` are your own
/// buffer: if it is too small, the call returns BP_ERROR_CAPACITY and `count` is the number needed (SIZE_MAX: that many
/// or more).
typedef struct bp_pairs {
    bp_pair *data;
    size_t count;
    size_t capacity;
} bp_pairs;

/// Releases a list that the library has grown, and zeroes it. `config` must name the allocator that grew it; NULL means
/// the default allocator. An empty list is fine. Not for BP_PAIRS_FIXED buffers.
BP_API void bp_pairs_free(bp_pairs *pairs, const bp_config *config);

/// Finds every pair of overlapping boxes among boxes[0 .. count). `config` may be NULL (all defaults).
/// Fails with BP_ERROR_ARGUMENT, _BOX, _MEMORY, _CAPACITY or _UNSUPPORTED. The pairs are then undefined, and the list is
/// still yours to free.
BP_API bp_status bp_find_pairs(const bp_box *boxes, size_t count, const bp_config *config, bp_pairs *pairs);

/// Finds every overlapping pair of a box of `a` and a box of `b`. It does not look for pairs inside one set. Both may be
/// the same array: then each box also overlaps itself. Otherwise as bp_find_pairs.
BP_API bp_status bp_find_pairs_between(const bp_box *a, size_t a_count, const bp_box *b, size_t b_count,
                                       const bp_config *config, bp_pairs *pairs);

// ---------------------------------------------------------------------------------------------------------------------
// 3. A world of objects that move

/// A set of objects, each with a box. Opaque; create it with bp_world_create.
typedef struct bp_world bp_world;

/// The id of an object. A new object gets the smallest free number; the id of a removed object is used again.
typedef uint32_t bp_id;

/// No object has this id.
#define BP_NO_ID ((bp_id)4294967295u)

/// Flags of an object.
enum {
    BP_STATIC = 1u << 0 ///< ground, walls, scenery: two static objects never pair
};

/// Which others an object pairs with. All zero, the default: with every other object. Two objects a and b pair when
/// a.group & b.mask and b.group & a.mask are not zero (a zero group or mask counts as all bits set), their islands are
/// equal, and at least one of them is not static.
typedef struct bp_object {
    uint32_t group;  ///< bits: what this object is
    uint32_t mask;   ///< bits: what it pairs with
    uint32_t flags;  ///< BP_STATIC, or 0
    uint32_t island; ///< objects of different islands never pair; all islands may be at one place
    uint64_t user;   ///< yours; the library only stores it
} bp_object;

/// Creates an empty world. `config` may be NULL (all defaults). On failure *world is NULL.
BP_API bp_status bp_world_create(const bp_config *config, bp_world **world);

/// Releases a world and everything in it. NULL is fine.
BP_API void bp_world_destroy(bp_world *world);

/// Adds one object and stores its id in *id. `object` may be NULL (all defaults). Amortised O(1).
BP_API bp_status bp_add(bp_world *world, const bp_box *box, const bp_object *object, bp_id *id);

/// Adds `count` objects, all or none. `objects` may be NULL (all defaults), `ids` may be NULL (not wanted).
BP_API bp_status bp_add_many(bp_world *world, size_t count, const bp_box *boxes, const bp_object *objects, bp_id *ids);

/// Gives an object a new box, of any size. O(1).
BP_API bp_status bp_move(bp_world *world, bp_id id, const bp_box *box);

/// Gives `count` objects new boxes, all or none. `ids` may be NULL: then they are 0 .. count-1. If an id occurs twice,
/// its last box counts.
BP_API bp_status bp_move_many(bp_world *world, size_t count, const bp_id *ids, const bp_box *boxes);

/// Removes an object. O(1).
BP_API bp_status bp_remove(bp_world *world, bp_id id);

/// Changes which others an object pairs with, from the next update on. `object` may be NULL (all defaults).
BP_API bp_status bp_set_object(bp_world *world, bp_id id, const bp_object *object);

/// Figures about one call or update.
typedef struct bp_stats {
    bp_method method;            ///< the method that ran (never BP_METHOD_AUTO)
    bp_update_strategy update;   ///< the strategy that ran (never BP_UPDATE_AUTOMATIC)
    size_t objects;              ///< boxes given, or objects alive in the world
    size_t pairs;                ///< pairs reported
    uint64_t tests;              ///< candidate pairs examined
    size_t bytes;                ///< memory of the structure and its scratch space, without boxes and pairs
    size_t levels;               ///< grids in the hierarchy
    size_t cells;                ///< cells in all grids
    size_t occupied;             ///< cells that hold at least one object
    size_t objects_per_cell_max; ///< in the fullest cell
    double objects_per_cell;     ///< mean over the occupied cells
    double build_seconds;        ///< time to bring the structure up to date
    double find_seconds;         ///< time to find the pairs
    double details[32];          ///< for bp_explain and bp_stats_details in broadphase_tune.h
} bp_stats;

/// The result of an update. The arrays belong to the world and stay valid until its next change.
typedef struct bp_result {
    const bp_pair *pairs; ///< all pairs that overlap now
    size_t pair_count;
    /// With BP_EVENTS: the pairs that overlap now and did not at the last update, and the other way round, ascending by
    /// (a, b). Removing an object ends its pairs. If its id is given to a new object before the next update, a pair may
    /// be listed as ended and as begun: these are different objects. Without BP_EVENTS: NULL and 0.
    const bp_pair *begun;
    size_t begun_count;
    const bp_pair *ended;
    size_t ended_count;
    bp_stats stats;
} bp_result;

/// Finds all pairs of the world as it is now. `result` may be NULL.
BP_API bp_status bp_update(bp_world *world, bp_result *result);

// ---------------------------------------------------------------------------------------------------------------------
// 4. Queries: what does this ray hit, what is in this box, what is nearest?
//
// A query sees the objects as they are now, whether or not there was an update since the last change; it is fastest right
// after one. It sees the boxes as you gave them: without the margin, and never as spheres. Several threads may ask at
// once, as long as none changes the world. A query costs the same with every method: where the update keeps a tree (`tree`, and
// `auto` in most worlds) it is searched, else the world keeps one, which makes updates between queries up to a seventh longer.
//
// Results go into your buffer. If it is too small, the call returns BP_ERROR_CAPACITY, the buffer holds the first
// `capacity` results, and *found is the number needed. If `found` is NULL, you want no more than `capacity` results: the
// search may stop early, and if there are fewer, the id after the last result is BP_NO_ID.

/// A ray: the points origin + t * direction for t in 0 .. max_t (which may be infinite).
typedef struct bp_ray {
    float origin[3];
    float direction[3]; ///< of any length but zero
    float max_t;
} bp_ray;

typedef struct bp_ray_hit {
    bp_id id;
    float t; ///< where the ray enters the box, in units of the direction; 0 if it begins inside
} bp_ray_hit;

/// The objects whose boxes a ray hits, ascending by (t, id). For the nearest hit alone, give a capacity of 1 and found =
/// NULL. The ray passes a face at t = (face - origin) / direction, computed in 64 bits and then rounded. Fails with
/// BP_ERROR_ARGUMENT for a NaN, an infinite origin or direction, a zero direction, or max_t < 0.
BP_API bp_status bp_query_ray(const bp_world *world, const bp_ray *ray, bp_ray_hit *hits, size_t capacity,
                              size_t *found);

/// The objects whose boxes overlap a box, ascending by id.
BP_API bp_status bp_query_box(const bp_world *world, const bp_box *box, bp_id *ids, size_t capacity, size_t *found);

typedef struct bp_near {
    bp_id id;
    float distance; ///< from the point to the box; 0 inside
} bp_near;

/// The `k` objects whose boxes are nearest to a point, ascending by (distance, id); fewer if there are fewer. `near` has
/// room for k. The distance is computed in 64 bits and then rounded. Fails
/// with BP_ERROR_ARGUMENT for k = 0 or a point that is not finite.
BP_API bp_status bp_query_nearest(const bp_world *world, const float point[3], size_t k, bp_near *near, size_t *found);

/// The same, but seeing only what an object such as `object` would pair with; NULL means everything.
BP_API bp_status bp_query_ray_as(const bp_world *world, const bp_ray *ray, const bp_object *object, bp_ray_hit *hits,
                                 size_t capacity, size_t *found);
BP_API bp_status bp_query_box_as(const bp_world *world, const bp_box *box, const bp_object *object, bp_id *ids,
                                 size_t capacity, size_t *found);
BP_API bp_status bp_query_nearest_as(const bp_world *world, const float point[3], size_t k, const bp_object *object,
                                     bp_near *near, size_t *found);

/// A box that moves along a ray: box + t * direction for t in 0 .. max_t (which may be infinite).
typedef struct bp_cast {
    bp_box box;         ///< where it begins; finite
    float direction[3]; ///< of any length but zero
    float max_t;
} bp_cast;

/// The objects whose boxes a moving box meets, ascending by (t, id): t is when it first touches them, 0 if it begins there.
/// All else is as for rays, with `object` as above (NULL: everything): a cast of a point is a ray. The moving box passes
/// a face at t = (face - its own opposite face) / direction, computed in 64 bits and then rounded. Fails with BP_ERROR_BOX
/// for a box with min > max, and with BP_ERROR_ARGUMENT for one that is not finite and where a ray would.
BP_API bp_status bp_query_cast(const bp_world *world, const bp_cast *cast, const bp_object *object, bp_ray_hit *hits,
                               size_t capacity, size_t *found);

// ---- many questions at once -----------------------------------------------------------------------------------------

/// The answers to many questions as compressed rows: those to question i are at offsets[i] .. offsets[i + 1] - 1, as the
/// single call lists them. Begin with {0}. The library grows the arrays as needed, keeps them between calls and overwrites
/// what they held; release them with bp_answers_free.
typedef struct bp_answers {
    size_t *offsets; ///< count + 1 of them
    bp_id *ids;      ///< offsets[count] of them
    float *values;   ///< as many: the t of rays and casts, the distances of nearest objects; for boxes of no meaning
    size_t count;    ///< number of questions
    size_t offset_capacity;
    size_t id_capacity;
    size_t value_capacity;
} bp_answers;

/// Releases the arrays and zeroes the struct. `config` must name the allocator that grew them, which is the world's; NULL:
/// the default.
BP_API void bp_answers_free(bp_answers *answers, const bp_config *config);

/// The same as a bp_query_box, _ray, _cast or _nearest for each of `count` questions, but several times as fast where there
/// are many: questions are taken in the order of their places, with the threads of the world. (Several threads may ask at
/// once, also in this way; then one of them has the world's threads, and the others work alone.) Of rays and casts only the
/// first `most` hits are listed, or all if that is 0. Points are x, y, z one after the other. `object` may be NULL
/// (everything). Fails where the single call would, and the log names the first question that is wrong; or with
/// BP_ERROR_MEMORY. After a failure `answers` is as before.
BP_API bp_status bp_query_boxes(const bp_world *world, size_t count, const bp_box *boxes, const bp_object *object,
                                bp_answers *answers);
BP_API bp_status bp_query_rays(const bp_world *world, size_t count, const bp_ray *rays, size_t most,
                               const bp_object *object, bp_answers *answers);
BP_API bp_status bp_query_casts(const bp_world *world, size_t count, const bp_cast *casts, size_t most,
                                const bp_object *object, bp_answers *answers);
BP_API bp_status bp_query_nearest_many(const bp_world *world, size_t count, const float *points_xyz, size_t k,
                                       const bp_object *object, bp_answers *answers);

// ---- one answer after the other -------------------------------------------------------------------------------------

/// Called for each object that a query finds. Returns 0 to end the query, which then returns BP_OK; anything else to go
/// on. `t` is as in bp_ray_hit. If the callback lowers *max_t, say to where it has hit the object itself, objects that are
/// entered later are not visited. (For boxes both are 0, and of no meaning.) It may ask further queries, but not change the
/// world (such calls return BP_ERROR_ARGUMENT).
typedef int (*bp_visit)(void *context, bp_id id, double t, double *max_t);

/// Visits the objects that bp_query_box, _ray or _cast would list, in the same order, so that the first one that you
/// accept is the first one that there is. A ray is not followed beyond where its visits end. `object` may be NULL
/// (everything).
BP_API bp_status bp_query_box_each(const bp_world *world, const bp_box *box, const bp_object *object, bp_visit visit,
                                   void *context);
BP_API bp_status bp_query_ray_each(const bp_world *world, const bp_ray *ray, const bp_object *object, bp_visit visit,
                                   void *context);
BP_API bp_status bp_query_cast_each(const bp_world *world, const bp_cast *cast, const bp_object *object, bp_visit visit,
                                    void *context);

// What a query costs: it searches a tree, and looks one by one at objects that have changed since that was made. If the method
// is tree, that is the method's; else the first queries look at all objects, then the world makes a tree for queries, in the
// thread that asks. Every update between queries brings that up to date, so that queries allocate nothing; but after many
// changes without an update, and in a world with a period, it is the queries that do so. Many questions at once need memory of
// their own, and visits only where there are more than 256 at a time. Memory that is refused costs time, and nothing else.
//
// With a period, a query sees the nearest image of each object, and a ray longer than 1000 periods is refused, or a cast
// if its way and its box are longer together.

// ---- more about worlds ----------------------------------------------------------------------------------------------

/// Reads an object back. `box` and `object` may be NULL.
BP_API bp_status bp_get_object(const bp_world *world, bp_id id, bp_box *box, bp_object *object);

/// The objects that an object is paired with, ascending by id: of the pairs of the last update, whatever has changed since.
/// Buffer, `capacity` and `found` are as in queries. The first few calls after an update go through all pairs; then the
/// world sorts them by object, in the thread that asks, and a call costs no more than what it lists. BP_EVENTS is not
/// needed. Several threads may ask at once. Fails with BP_ERROR_ID, and with BP_ERROR_ARGUMENT if the last update failed.
BP_API bp_status bp_pairs_of(const bp_world *world, bp_id id, bp_id *others, size_t capacity, size_t *found);

/// The number of objects alive.
BP_API size_t bp_world_count(const bp_world *world);

/// Makes room for `count` more objects, and for as many pairs as they usually have, so that adding them allocates
/// nothing. (For 64-bit boxes only if the world already holds such boxes.)
BP_API bp_status bp_world_reserve(bp_world *world, size_t count);

/// The figures of the last update.
BP_API bp_status bp_world_stats(const bp_world *world, bp_stats *stats);

/// A deep check of everything the world holds, for tests: BP_ERROR_INTERNAL if something is wrong, and the log says what.
/// Costs about as much as an update.
BP_API bp_status bp_world_validate(const bp_world *world);

// ---------------------------------------------------------------------------------------------------------------------
// 5. Config

/// The order of the pairs in a result. Both are the same on every run and for every number of threads.
typedef enum bp_pair_order {
    BP_ORDER_FOUND = 0, ///< as the method finds them: fastest
    BP_ORDER_SORTED     ///< ascending by (a, b)
} bp_pair_order;

/// What the given boxes stand for.
typedef enum bp_shape {
    BP_SHAPE_BOXES = 0, ///< themselves
    /// The sphere inside each box (a circle in two dimensions): its centre is (min + max) / 2, its radius half of the
    /// smallest extent. Two spheres overlap when (dx*dx + dy*dy) + dz*dz <= r*r in 64-bit arithmetic, with r the sum of
    /// the radii and, with a period, the shortest differences. A margin is added to each radius, and the centre stays. A
    /// box with an infinite coordinate stays a box: everything is compared with it as a box.
    BP_SHAPE_SPHERES
} bp_shape;

/// bp_find_neighbors_variable: when are two points with the radii r and s neighbours?
typedef enum bp_radius_rule {
    BP_RADIUS_MAX = 0, ///< distance <= max(r, s): at least one reaches the other
    BP_RADIUS_MIN,     ///< distance <= min(r, s): each reaches the other
    BP_RADIUS_SUM      ///< distance <= r + s: their spheres touch
} bp_radius_rule;

/// Hook: your memory. `allocate` returns `size` bytes aligned to 64, or NULL. `release` gets back a pointer from
/// `allocate`, with its size. Default: bp_allocator_default().
typedef struct bp_allocator {
    void *(*allocate)(void *context, size_t size);
    void (*release)(void *context, void *memory, size_t size);
    void *context;
} bp_allocator;

/// The default allocator: the C library's, with large pages for large blocks where the system has them.
BP_API bp_allocator bp_allocator_default(void);

/// One piece of parallel work: it is called once for each index.
typedef void (*bp_task)(void *task_context, size_t index);

/// Hook: your threads. `run` calls task(task_context, i) for every i in 0 .. count-1, in any order and on any threads,
/// and returns when all calls are done. `workers` is how many calls can run at the same time. It decides how finely work
/// is cut, never what the result is.
///
/// Default: the calling thread and up to config.threads - 1 workers of the library's own. A world keeps its workers until
/// bp_world_destroy joins them; any other call joins them before it returns (bp_workers_create makes some that calls can
/// share). So there are none left at exit, or when a plug-in is unloaded. They start and wake when there is enough work
/// for them, have 1 MiB of stack and all signals blocked, and sleep between calls; while other programs need the cores
/// they do not spin. If the system refuses a thread, those that there are do the work, and the log says so. After a
/// fork between two calls, the child may use and destroy the world: it gets workers of its own. (The child of
/// a fork inside a callback may only exec or exit.) A library built without threads always uses one.
typedef struct bp_executor {
    void (*run)(void *context, bp_task task, void *task_context, size_t count);
    void *context;
    uint32_t workers;
} bp_executor;

/// Makes workers that several calls and worlds share: give *workers to each as config.executor. Of the config, threads,
/// allocator and log count. If two threads need them at once, one has them and the other works alone; neither waits, and
/// the results are the same. So is a task that calls into the library: it may use the workers that run it.
BP_API bp_status bp_workers_create(const bp_config *config, bp_executor *workers);

/// Joins them, when nothing uses them any more, and sets *workers to zero. In a child process of fork they start anew.
BP_API void bp_workers_destroy(bp_executor *workers);

/// Hook: your filter, for what groups, masks and islands cannot say. `pass` is asked about each overlapping pair and
/// returns 0 to leave it out. Always a < b; between two sets, a is from the first set and b from the second. `pass` may be
/// called from several threads at once, must give the same answer for the same pair every time, and may not call into the
/// world that asks (such calls return BP_ERROR_ARGUMENT). A search may ask about a pair more than once, and a world asks
/// again about the pairs of an object when that object has changed. Default: every pair is wanted.
typedef struct bp_filter {
    int (*pass)(void *context, uint32_t a, uint32_t b);
    void *context;
} bp_filter;

/// Hook: your log. `write` gets one line at a time, without a newline, valid during the call. The lines say what a status
/// cannot: which box, which field, what to do about it; and they warn of scenes that are slow. Default: no messages.
typedef struct bp_log {
    void (*write)(void *context, const char *text);
    void *context;
} bp_log;

struct bp_method_settings; // broadphase_methods.h

/// What to do, and how. The library reads and checks a config when a call begins or a world is created, and does not keep
/// it: it may go out of scope afterwards.
struct bp_config {
    bp_method method;           ///< default: the library chooses
    uint32_t dimensions;        ///< 3 (default), or 2: z is ignored
    int32_t threads;            ///< default: 1 thread; -1: all cores; otherwise at most that many (see bp_executor)
    uint32_t flags;             ///< a set of BP_EVENTS, BP_PAIRS_FIXED, BP_NEIGHBORS_...
    bp_pair_order pair_order;   ///< default: as found
    bp_shape shape;             ///< default: boxes
    bp_update_strategy update;  ///< worlds; default: automatic
    bp_radius_rule radius_rule; ///< neighbours with a radius per point; default: the larger radius counts

    /// Grows every box by this much on all sides before it is compared (rounded outwards), and every sphere, so that pairs
    /// are found a little before they touch. A world gains speed from it: an object that moves less than the margin needs
    /// no work at all. Its pairs are then a superset: every pair that overlaps is reported, exactly as without a margin,
    /// and no pair that is more than four margins apart along an axis (rounded outwards). Default 0: exact.
    float margin;

    /// Space repeats along each axis after this length; 0: it does not. Boxes may lie anywhere. Two boxes overlap along
    /// such an axis when a multiple of the period lies in [b.min - a.max, b.max - a.min], in 64-bit arithmetic; a pair is
    /// reported once, even if it overlaps in two places. A finite box longer than the period is refused (BP_ERROR_BOX);
    /// an infinite one covers the whole axis.
    float period[3];

    bp_allocator allocator;
    bp_executor executor;
    bp_filter filter;
    bp_log log;
    bp_stats *stats; ///< one call: gets its figures; may be NULL. (A world's figures are in its bp_result.)

    /// Settings of single methods, for experts; see broadphase_methods.h. NULL: defaults.
    const struct bp_method_settings *settings;
};

// ---------------------------------------------------------------------------------------------------------------------
// 6. Neighbours: all points within a radius

/// Every point's neighbours as compressed rows: those of point i are indices[offsets[i] .. offsets[i + 1]), ascending.
/// Begin with {0}. The library grows the arrays as needed, keeps them between calls and overwrites what they held;
/// release them with bp_neighbors_free.
typedef struct bp_neighbors {
    size_t *offsets;   ///< count + 1 of them
    uint32_t *indices; ///< offsets[count] of them
    size_t count;      ///< number of points (between two sets: of the first)
    size_t offset_capacity;
    size_t index_capacity;
} bp_neighbors;

/// Releases the arrays and zeroes the struct. `config` must name the allocator that grew them; NULL: the default.
BP_API void bp_neighbors_free(bp_neighbors *neighbors, const bp_config *config);

/// Finds the neighbours of each of `count` points (x, y, z one after the other): all others with a distance <= radius,
/// that is, (dx*dx + dy*dy) + dz*dz <= radius*radius in 64-bit arithmetic. Along an axis with a period the shortest
/// distance counts. In two dimensions z is ignored. With BP_NEIGHBORS_HALF each pair is listed once, in the row of the
/// smaller index. The config's filter is asked about each pair of neighbours; its margin, shape and pair_order have no
/// effect here, and BP_PAIRS_FIXED is refused. Fails with BP_ERROR_BOX for a point that is not finite, and with
/// BP_ERROR_ARGUMENT for a radius that is negative or not finite. After a failure `neighbors` is as before.
/// Fastest where the config asks for no method: points are then sorted into cells of about the radius (in the figures:
/// linked-cells), unless they have hardly any neighbours or fit no grid. Other methods get a box for each point.
BP_API bp_status bp_find_neighbors(const float *points_xyz, size_t count, float radius, const bp_config *config,
                                   bp_neighbors *neighbors);

/// The same with a radius per point; config.radius_rule says how the radii of two points decide.
BP_API bp_status bp_find_neighbors_variable(const float *points_xyz, const float *radii, size_t count,
                                            const bp_config *config, bp_neighbors *neighbors);

/// For each point of `a`, all points of `b` within the radius. A point that is in both sets is its own neighbour.
/// BP_NEIGHBORS_HALF has no effect here.
BP_API bp_status bp_find_neighbors_between(const float *a_xyz, size_t a_count, const float *b_xyz, size_t b_count,
                                           float radius, const bp_config *config, bp_neighbors *neighbors);

/// Cells that repeat, of any shape, and kinds of points. All zero: open space, and one radius for all.
typedef struct bp_lattice {
    double cell[3][3];    ///< the edges of the cell, each as x, y, z; those that do not repeat have no meaning
    uint32_t periodic[3]; ///< 1: space repeats along this edge; 0: it does not
    /// The kind of each point, from 0 to kind_count - 1, and how far two kinds may be apart: cutoffs[a * kind_count + b],
    /// the same for (b, a), takes the place of the radius. NULL: one radius for all.
    const uint32_t *kinds;
    const double *cutoffs;
    size_t kind_count;
} bp_lattice;

/// Neighbours as compressed rows, with what the config's flags ask for beside the indices: as many entries as there are
/// indices, else NULL. Begin with {0}; the library grows the arrays as needed, and keeps them between calls that ask for
/// the same. Release them with bp_neighbor_images_free.
typedef struct bp_neighbor_images {
    bp_neighbors rows;
    double *distances; ///< BP_NEIGHBORS_DISTANCES: the square root of (x*x + y*y) + z*z
    double *vectors;   ///< BP_NEIGHBORS_VECTORS: x, y, z from the point to the image of its neighbour
    int32_t *shifts;   ///< BP_NEIGHBORS_SHIFTS: along the three edges, how many cells away that image is
    size_t distance_capacity, vector_capacity, shift_capacity;
} bp_neighbor_images;

/// Releases the arrays and zeroes the struct. `config` must name the allocator that grew them; NULL: the default.
BP_API void bp_neighbor_images_free(bp_neighbor_images *images, const bp_config *config);

/// All images of points within the radius, as codes for molecules and crystals want them: a neighbour is listed once for
/// each of its images that is near enough, with a shift for each, and a point may be its own neighbour, some cells away.
/// Rows ascend by (index, shift). A vector is (q - p) + shift, where `shift` is (s0*e0 + s1*e1) + s2*e2, and it counts if
/// (x*x + y*y) + z*z <= radius*radius, all in 64-bit arithmetic: so if q is listed for p, p is listed for q.
/// `lattice` may be NULL (open space). The cell may be smaller than the radius. In two dimensions z is ignored, and the
/// third edge cannot repeat. With BP_NEIGHBORS_HALF a pair is listed once, in the row of the smaller index, and a point
/// with itself for the shift that is greater than 0. The config's filter is asked about indices, a <= b; its period must
/// be 0. Otherwise as bp_find_neighbors; BP_ERROR_ARGUMENT also for edges that are not finite or lie in one plane,
/// cutoffs that are not symmetric, and points so many cells away that 64 bits cannot tell them apart. After a failure
/// `images` is as before. Costs what bp_find_neighbors with a period does where edges lie along the axes and are three radii
/// long, up to twice that in other cells, and the writing of what is asked beside indices: 8, 24 and 12 bytes each.
BP_API bp_status bp_find_neighbor_images(const float *points_xyz, size_t count, float radius, const bp_lattice *lattice,
                                         const bp_config *config, bp_neighbor_images *images);

// ---------------------------------------------------------------------------------------------------------------------
// 7. 64 bits: the same functions for double coordinates. They compare in 64 bits, exactly.

typedef struct bp_box_double {
    double min[3];
    double max[3];
} bp_box_double;

BP_API bp_status bp_find_pairs_double(const bp_box_double *boxes, size_t count, const bp_config *config,
                                      bp_pairs *pairs);
BP_API bp_status bp_find_pairs_between_double(const bp_box_double *a, size_t a_count, const bp_box_double *b,
                                              size_t b_count, const bp_config *config, bp_pairs *pairs);

/// After the first of these a world keeps all its boxes in 64 bits.
BP_API bp_status bp_add_double(bp_world *world, const bp_box_double *box, const bp_object *object, bp_id *id);
BP_API bp_status bp_add_many_double(bp_world *world, size_t count, const bp_box_double *boxes, const bp_object *objects,
                                    bp_id *ids);
BP_API bp_status bp_move_double(bp_world *world, bp_id id, const bp_box_double *box);
BP_API bp_status bp_move_many_double(bp_world *world, size_t count, const bp_id *ids, const bp_box_double *boxes);
BP_API bp_status bp_get_object_double(const bp_world *world, bp_id id, bp_box_double *box, bp_object *object);

/// Queries for double coordinates, in any world: they compare in 64 bits, exactly, and t is not rounded to 32. `object` may
/// be NULL (everything).
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

BP_API bp_status bp_query_box_double(const bp_world *world, const bp_box_double *box, const bp_object *object,
                                     bp_id *ids, size_t capacity, size_t *found);
BP_API bp_status bp_query_ray_double(const bp_world *world, const bp_ray_double *ray, const bp_object *object,
                                     bp_ray_hit_double *hits, size_t capacity, size_t *found);
BP_API bp_status bp_query_cast_double(const bp_world *world, const bp_cast_double *cast, const bp_object *object,
                                      bp_ray_hit_double *hits, size_t capacity, size_t *found);
BP_API bp_status bp_query_box_each_double(const bp_world *world, const bp_box_double *box, const bp_object *object,
                                          bp_visit visit, void *context);
BP_API bp_status bp_query_ray_each_double(const bp_world *world, const bp_ray_double *ray, const bp_object *object,
                                          bp_visit visit, void *context);
BP_API bp_status bp_query_cast_each_double(const bp_world *world, const bp_cast_double *cast, const bp_object *object,
                                           bp_visit visit, void *context);

BP_API bp_status bp_find_neighbors_double(const double *points_xyz, size_t count, double radius,
                                          const bp_config *config, bp_neighbors *neighbors);
BP_API bp_status bp_find_neighbors_variable_double(const double *points_xyz, const double *radii, size_t count,
                                                   const bp_config *config, bp_neighbors *neighbors);
BP_API bp_status bp_find_neighbors_between_double(const double *a_xyz, size_t a_count, const double *b_xyz,
                                                  size_t b_count, double radius, const bp_config *config,
                                                  bp_neighbors *neighbors);
BP_API bp_status bp_find_neighbor_images_double(const double *points_xyz, size_t count, double radius,
                                                const bp_lattice *lattice, const bp_config *config,
                                                bp_neighbor_images *images);

// ---------------------------------------------------------------------------------------------------------------------
// 8. Streams: saving, loading and recording a world

/// Takes `size` bytes, at most 16 KiB at a time. Returns 0 on failure, which ends the saving or recording. It may not
/// change the world (such calls return BP_ERROR_ARGUMENT).
typedef int (*bp_write)(void *context, const void *bytes, size_t size);
/// Fills `bytes` with the next `size` bytes, at most 16 KiB at a time. Returns 0 if there are not so many.
typedef int (*bp_read)(void *context, void *bytes, size_t size);

/// Writes all objects and the pairs of the last update as a stream with a version and checksums: the same bytes for the
/// same state, on every machine. Changes since the last update are saved as such. Fails with BP_ERROR_ARGUMENT if `write`
/// fails, and with BP_ERROR_MEMORY if there is none to sort the pairs.
BP_API bp_status bp_world_save(const bp_world *world, bp_write write, void *context);

/// Creates a world from a stream: the same ids, boxes, objects and pairs. The config must agree with the saved world in
/// dimensions, shape, margin and period; it may name another method. Events continue: the next update lists what has begun
/// and ended since the last update before the save. Nothing is read beyond the end of the world, so more data may follow
/// it. Fails with BP_ERROR_ARGUMENT for a stream that is truncated, altered or of another version; the log says which. On
/// failure *world is NULL.
BP_API bp_status bp_world_load(const bp_config *config, bp_read read, void *context, bp_world **world);

/// From now on each bp_update first appends what it is about to see to a stream: all objects at first, then which objects
/// have come, gone or moved since the last update. `broadphase trace` replays such a stream. Only boxes are recorded, as
/// given; 64-bit boxes are rounded outwards. If `write` fails, recording ends and that update returns BP_ERROR_ARGUMENT
/// without having begun; the next one works as usual. `write` = NULL ends a recording.
BP_API bp_status bp_world_record(bp_world *world, bp_write write, void *context);

// ---------------------------------------------------------------------------------------------------------------------
// 9. The table of methods

/// What a method can do beyond finding all pairs in three dimensions.
enum {
    BP_SUPPORTS_2D = 1u << 0,          ///< config.dimensions = 2
    BP_SUPPORTS_BETWEEN = 1u << 1,     ///< bp_find_pairs_between
    BP_SUPPORTS_INCREMENTAL = 1u << 2, ///< BP_UPDATE_INDIVIDUAL
    BP_SUPPORTS_THREADS = 1u << 3      ///< it is faster with more than one thread
};

/// The number of methods, "auto" included. Indices 0 .. count-1 are the values of bp_method.
BP_API size_t bp_method_count(void);

/// The name of method `index`: "auto", "brute-force", "hierarchical-grid", ...; NULL if there is none.
BP_API const char *bp_method_name(size_t index);

/// One line about method `index`; NULL if there is none.
BP_API const char *bp_method_summary(size_t index);

/// What method `index` supports: a set of BP_SUPPORTS_ flags; 0 if there is none.
BP_API uint32_t bp_method_supports(size_t index);

#ifdef __cplusplus
}
#endif

#include <broadphase/broadphase_world.h>

#endif
