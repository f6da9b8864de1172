/// broadphase: of all these boxes, which pairs overlap?
///
/// Boxes in, pairs out: every overlapping pair, each exactly once.
///
///     bp_config config = {0};                      // zero means default, everywhere
///     bp_pairs pairs = {0};
///     bp_status status = bp_find_pairs(boxes, count, &config, &pairs);
///     ... pairs.data[0 .. pairs.count) ...
///     bp_pairs_free(&pairs, &config);
///
/// This header is the manual; read it from top to bottom:
///   1. values      boxes, pairs, statuses
///   2. hooks       your allocator, your threads, your filter, your log
///   3. config      what to do, and how
///   4. one call    bp_find_pairs, bp_find_pairs_between
///   5. neighbours  all points within a radius
///   6. world       objects that live and move; events, queries, saving, recording
///   7. tuning      which config is the fastest for a scene
///   8. methods     the table of algorithms
///
/// Rules that hold for every call:
///   - A call that can fail returns a bp_status. After a failure everything is as it was before the call.
///   - No pair is ever lost without an error, and no pair is reported twice.
///   - Results depend only on the input: not on the number of threads, nor on the processor.
///   - The library has no mutable globals. Different worlds may be used from different threads at once;
///     one world must not be, unless the call takes a const world.
#ifndef BROADPHASE_H
#define BROADPHASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define BP_API
#elif defined(__GNUC__)
#define BP_API __attribute__((visibility("default")))
#else
#define BP_API
#endif

#define BP_VERSION_MAJOR 0
#define BP_VERSION_MINOR 1
#define BP_VERSION_PATCH 0

/// The version of the library that is linked, as "major.minor.patch".
BP_API const char *bp_version(void);

// ---------------------------------------------------------------------------------------------------------------------
// 1. Values

/// An axis-aligned box. Boxes are closed: touching counts as overlapping. A coordinate may be infinite: that is how
/// walls, planes and half-spaces are given. A box with a NaN or with min > max is invalid (BP_ERROR_BOX).
typedef struct bp_box {
    float min[3];
    float max[3];
} bp_box;

/// The same with 64-bit coordinates, for the calls whose names end in _double: their answers are exactly those of the
/// 64-bit boxes.
typedef struct bp_box_double {
    double min[3];
    double max[3];
} bp_box_double;

/// Two boxes that overlap, by index (or id): a < b. Between two sets: a from the first, b from the second.
typedef struct bp_pair {
    uint32_t a;
    uint32_t b;
} bp_pair;

/// What a call came to.
typedef enum bp_status {
    BP_OK = 0,
    BP_ERROR_ARGUMENT,    ///< a null pointer, a count over BP_MAX_COUNT, or a config field out of its range
    BP_ERROR_BOX,         ///< a box with NaN or min > max, or longer than the period; the log names its index
    BP_ERROR_ID,          ///< an id that is not alive in this world
    BP_ERROR_MEMORY,      ///< the allocator refused
    BP_ERROR_CAPACITY,    ///< the caller's fixed buffer is short; the count says how much is needed
    BP_ERROR_UNSUPPORTED, ///< the chosen method cannot do that; bp_method_supports() tells beforehand
    BP_ERROR_INTERNAL     ///< a defect in this library; please report it
} bp_status;

/// A short English sentence for a status. Never NULL, not even for a number that is no status.
BP_API const char *bp_status_text(bp_status status);

/// The largest number of objects in a call or world: 2^32 - 2.
#define BP_MAX_COUNT ((size_t)4294967294u)

// ---------------------------------------------------------------------------------------------------------------------
// 2. Hooks. Each belongs to the config of a world or call; a zero hook means the default.

/// Memory. `allocate` returns `size` bytes aligned to 64, or NULL; `release` takes back a pointer that `allocate` gave,
/// with its size. Default: bp_allocator_default.
typedef struct bp_allocator {
    void *(*allocate)(void *context, size_t size);
    void (*release)(void *context, void *memory, size_t size);
    void *context;
} bp_allocator;

/// The allocator of those who give none: the C library's, with large pages for large blocks where the system has them.
BP_API bp_allocator bp_allocator_default(void);

/// One piece of parallel work: called once for each index.
typedef void (*bp_task)(void *task_context, size_t index);

/// Threads. `run` calls `task(task_context, i)` for every i in 0 .. count-1, in any order, on any threads, and returns
/// when all are done. `workers` is how many calls can be under way at once (it sets how finely work is cut, never what
/// the result is). Default: OpenMP with `config.threads` threads, or serial where the library was built without it.
typedef struct bp_executor {
    void (*run)(void *context, bp_task task, void *task_context, size_t count);
    void *context;
    uint32_t workers;
} bp_executor;

/// Which pairs are wanted, beyond what groups, masks and islands can say: `pass` is asked about each pair that overlaps
/// and returns 0 to leave it out. It may be called from several threads at once, must give the same answer for the same
/// pair every time, and may not call into the world that asks (such calls return BP_ERROR_ARGUMENT). A world asks
/// again about the pairs of an object when that has changed. Default: all are wanted.
typedef struct bp_filter {
    int (*pass)(void *context, uint32_t a, uint32_t b);
    void *context;
} bp_filter;

/// Messages for a person: one line, without a newline, valid during the call. They say what a status cannot: which box,
/// which field, what to do about it. Default: no messages.
typedef struct bp_log {
    void (*write)(void *context, const char *text);
    void *context;
} bp_log;

// ---------------------------------------------------------------------------------------------------------------------
// 3. Config

/// The algorithms. Each one gives the same pairs; they differ in speed, memory and what they support.
typedef enum bp_method {
    BP_METHOD_AUTO = 0,          ///< the library chooses
    BP_METHOD_BRUTE_FORCE,       ///< tests all pairs; the oracle of the tests
    BP_METHOD_LINKED_CELLS,      ///< a dense grid over a bounded domain; O(n + cells)
    BP_METHOD_HIERARCHICAL_GRID, ///< levels of hashed grids, by object size; O(n)
    BP_METHOD_SPATIAL_HASH,      ///< a uniform grid in a hash table; objects in every cell they overlap
    BP_METHOD_PIVOT_GRID,        ///< one uniform grid; a counting sort with pivots, in chunks where objects are
    BP_METHOD_COMPACT_GRID,      ///< one uniform grid; boxes sorted by cell, with a sort that profits from order
    BP_METHOD_CUCKOO_GRID,       ///< one uniform grid; its occupied cells in a cuckoo hash
    BP_METHOD_OCTREE,            ///< a tree of cubes, fine where objects are many; for similar sizes
    BP_METHOD_LOOSE_OCTREE,      ///< a tree of overlapping cubes; for any sizes
    BP_METHOD_BVH,               ///< a tree of bounding boxes; O(n log n), any sizes, unbounded space
    BP_METHOD_SWEEP_AND_PRUNE,   ///< boxes sorted along the axes, pairs kept from step to step; for low motion
} bp_method;

/// How a world brings its structure up to date when objects have changed.
typedef enum bp_update_strategy {
    BP_UPDATE_AUTOMATIC = 0, ///< decided at each update from the share of objects that changed
    BP_UPDATE_INDIVIDUAL,    ///< each changed object leaves its cell for another, in O(1)
    BP_UPDATE_REBUILD        ///< all objects are sorted into cells anew: best when many move
} bp_update_strategy;

/// The order of the pairs in a result. Both orders are the same on every run and for every number of threads.
typedef enum bp_pair_order {
    BP_ORDER_FOUND = 0, ///< as the method finds them: fastest
    BP_ORDER_SORTED     ///< ascending by (a, b): comparable across methods
} bp_pair_order;

/// The instruction set of the inner loops. All of them find the same pairs in the same order.
typedef enum bp_simd {
    BP_SIMD_AUTO = 0, ///< the best that the processor has, or what the environment variable BP_SIMD names
    BP_SIMD_SCALAR,   ///< plain C
    BP_SIMD_AVX2,     ///< x86-64 with AVX2
    BP_SIMD_AVX512,   ///< x86-64 with AVX-512 (F, VL, BW, DQ)
    BP_SIMD_NEON      ///< 64-bit ARM
} bp_simd;

/// pivot-grid: where the pivots are, one for each cell.
typedef enum bp_pivot_layout {
    BP_PIVOTS_CHUNKED = 0, ///< in chunks of cells, made where objects are: memory follows the objects
    BP_PIVOTS_DENSE        ///< in one table over the whole domain: memory follows the domain
} bp_pivot_layout;

/// compact-grid: the order of the cells.
typedef enum bp_compact_keys {
    BP_KEYS_ROW_MAJOR = 0, ///< x fastest, then y, then z
    BP_KEYS_Z_CURVE        ///< the bits of x, y and z interleaved
} bp_compact_keys;

/// compact-grid: how objects are sorted by cell.
typedef enum bp_compact_sort {
    BP_SORT_AUTOMATIC = 0, ///< adaptive if few objects have changed cell since the last update, else radix
    BP_SORT_RADIX,         ///< anew, least significant digit first: always the same time
    BP_SORT_ADAPTIVE       ///< the last order, with those that have changed cell taken out, sorted and merged in
} bp_compact_sort;

/// spatial-hash: how cells with the same hash share the table.
typedef enum bp_hash_table {
    BP_HASH_CHAINED = 0, ///< in a list; at most one cell per slot on average
    BP_HASH_OPEN         ///< in the next free slot (linear probing); at most half of the slots are in use
} bp_hash_table;

/// bvh: how the tree is built.
typedef enum bp_bvh_build {
    BP_BVH_TOP_DOWN = 0, ///< all boxes are split in two, and so on: fastest
    BP_BVH_BOTTOM_UP,    ///< neighbouring boxes are merged, and so on: the best tree
    BP_BVH_INSERTION     ///< box by box: slowest
} bp_bvh_build;

/// bvh: where the top-down build splits the centres of the boxes.
typedef enum bp_bvh_split {
    BP_BVH_OBJECT_MEDIAN = 0, ///< the same number on both sides: always balanced
    BP_BVH_OBJECT_MEAN,       ///< at their mean
    BP_BVH_SPATIAL_MEDIAN     ///< in the middle of where they are
} bp_bvh_split;

/// bvh: along which axis the top-down build splits.
typedef enum bp_bvh_axis {
    BP_BVH_LARGEST_EXTENT = 0, ///< of the centres
    BP_BVH_LARGEST_VARIANCE    ///< of the centres
} bp_bvh_axis;

/// bvh: of two nodes that overlap, which is replaced by its children.
typedef enum bp_bvh_descent {
    BP_BVH_SIMULTANEOUS = 0, ///< both: fastest
    BP_BVH_LARGER_VOLUME,    ///< the larger one
    BP_BVH_ONE_BEFORE_OTHER  ///< the first, down to its leaves, and then the second
} bp_bvh_descent;

/// What the given boxes stand for.
typedef enum bp_shape {
    BP_SHAPE_BOXES = 0, ///< themselves
    /// The sphere inside each box (a circle in two dimensions): around its centre, (min + max) / 2, with half of its
    /// smallest extent as the radius. Two of them overlap when (dx*dx + dy*dy) + dz*dz <= r*r, with the differences of
    /// the centres (with a period: the shortest) and the sum of the radii, all computed in 64 bits. A box with an
    /// infinite coordinate stays a box, and all are compared with it by their boxes.
    BP_SHAPE_SPHERES
} bp_shape;

/// bp_find_neighbors_variable: when points with the radii r and s are neighbours.
typedef enum bp_radius_rule {
    BP_RADIUS_MAX = 0, ///< distance <= max(r, s): one sees the other
    BP_RADIUS_MIN,     ///< distance <= min(r, s): both see each other
    BP_RADIUS_SUM      ///< distance <= r + s: their spheres touch
} bp_radius_rule;

/// Flags of a config.
enum {
    BP_PAIRS_FIXED = 1u << 0,   ///< bp_pairs is a buffer of the caller's, of `capacity` pairs, and is never grown
    BP_EVENTS = 1u << 1,        ///< worlds: bp_result tells which pairs have begun and ended
    BP_NEIGHBORS_HALF = 1u << 2 ///< neighbours: each pair once, in the row of the smaller index
};

/// Why a method ran: see bp_explain.
typedef enum bp_rule {
    BP_RULE_ASKED = 0, ///< config.method names it
    BP_RULE_GIVEN,     ///< the config gives parameters of hierarchical-grid: hierarchy_factor, cell_size or grid_size
    BP_RULE_SCALES,    ///< sizes over very many octaves: bvh
    BP_RULE_NESTED,    ///< small objects huddle together among large ones that are far apart: bvh
    BP_RULE_THIN,      ///< few objects in much empty space: bvh
    BP_RULE_FEW,       ///< so few objects that all pairs are tested: hierarchical-grid, which does that with vectors
    BP_RULE_GRID       ///< none of these: hierarchical-grid
} bp_rule;

/// The numbers that BP_METHOD_AUTO looked at, from a sample of the boxes, and the rule that fired. All zero but for the
/// rule where nothing had to be chosen. Times are not among them, nor is the number of threads: the choice depends on the
/// input alone.
typedef struct bp_choice {
    bp_rule rule;
    uint32_t sampled;         ///< boxes that were looked at
    uint32_t octaves;         ///< factors of two that the sizes (longest edges) of nearly all of them are in
    uint32_t axis_octaves[3]; ///< factors of two between the edges of all of them, along each axis
    double size;              ///< the size of the middle one, as a power of two
    double extent[3];         ///< of the part of space where they are
    double nesting;           ///< extent of the smaller half of them, as a part of that of all
    double clumping;          ///< how much more often two share a cell of the extent than if they were spread evenly
    double filling;           ///< the part of the extent that all boxes would fill, side by side
    double giants;            ///< share of those that are 16 times as large and an eighth of the extent, or infinite
    double farthest;          ///< largest coordinate
    double moving;            ///< worlds: share of the objects that had changed in the update that looked
    double fixed;             ///< worlds: share that is static
    double motion;            ///< worlds: how far those moved, typically, in units of their size
    uint32_t changes;         ///< worlds: how often the method was changed
} bp_choice;

/// What one update or call did. Byte and cell figures describe the structure as it was left.
typedef struct bp_stats {
    bp_method method;            ///< the method that ran (never BP_METHOD_AUTO)
    bp_update_strategy update;   ///< the strategy that ran (never BP_UPDATE_AUTOMATIC)
    size_t objects;              ///< boxes given, or alive in the world
    size_t pairs;                ///< pairs reported
    uint64_t tests;              ///< candidate pairs examined
    size_t bytes;                ///< held by the structure, scratch memory included, boxes and pairs not
    size_t levels;               ///< grids in the hierarchy
    size_t cells;                ///< cells in all grids
    size_t occupied;             ///< cells that hold at least one object
    size_t objects_per_cell_max; ///< in the fullest cell
    double objects_per_cell;     ///< mean over the occupied cells
    double build_seconds;        ///< time to bring the structure up to date
    double find_seconds;         ///< time to find the pairs
    bp_compact_sort sort;        ///< compact-grid: the sort that ran (never BP_SORT_AUTOMATIC); else 0
    double changed_share;        ///< compact-grid: objects that have changed cell since the last update, 0 to 1
    bp_choice choice;            ///< why this method
} bp_stats;

/// Explains the figures of an update or call in English, a line each: the method, the rule that chose it, the numbers that
/// the rule looked at; and warnings for scenes that hurt, each with the remedy. Writes at most `capacity` bytes, a final
/// zero included, and returns the length of the whole text without it, as snprintf does.
BP_API size_t bp_explain(const bp_stats *stats, char *text, size_t capacity);

/// What to do, and how. Every field's zero is its default, so `bp_config config = {0};` is the normal case. It is read
/// and checked when a call begins or a world is created, and not kept: it may go out of scope afterwards.
typedef struct bp_config {
    bp_method method;           ///< default: the library chooses
    uint32_t dimensions;        ///< 3 (default) or 2: z is ignored
    int32_t threads;            ///< default: 1 thread; -1: all cores; else that many
    bp_update_strategy update;  ///< worlds only
    bp_pair_order pair_order;   ///< default: as found
    bp_simd simd;               ///< default: the best there is
    uint32_t flags;             ///< a set of BP_PAIRS_FIXED, BP_EVENTS, BP_NEIGHBORS_HALF
    bp_shape shape;             ///< default: boxes
    bp_radius_rule radius_rule; ///< default: the larger radius counts

    /// Boxes are grown by this on all sides before they are compared (to the smallest box of the same precision that
    /// holds the grown one): pairs closer than twice the margin are found too.
    /// In a world the grown box stays where it is while its object moves inside it (a Verlet skin), so small moves cost
    /// next to nothing: all pairs that overlap are then reported, and none that is more than four margins apart along an
    /// axis. Default 0: exact.
    float margin;
    /// The domain repeats along each axis after this length; 0: it does not. Boxes may lie anywhere. Two of them overlap
    /// along such an axis when a multiple of the period lies in [b.min - a.max, b.max - a.min], computed in 64 bits; a
    /// pair is reported once, even if it overlaps in two places. A finite box longer than the period is refused
    /// (BP_ERROR_BOX), unless the margin made it so; an infinite one covers it all. In two dimensions z is ignored.
    float period[3];

    /// hierarchical-grid: 0: the library chooses levels and cells from the sizes of the objects. > 1: level k has cells
    /// of c0 * factor^k, and an object lives on the level with size in [cell / factor, cell).
    float hierarchy_factor;
    /// hierarchical-grid: the edge c0 of the cells of level 0. 0: sqrt(factor) times the first object's size.
    /// Given without a factor, it implies a factor of 2.
    /// linked-cells: the edge of the cells. Objects that are larger are found, but at a higher price each. 0: chosen from
    /// the sizes of the objects.
    /// spatial-hash: the edge of the cells. 0: chosen from sizes and density.
    /// pivot-grid, compact-grid, cuckoo-grid: the edge of the cells; objects longer than 16 cells are tested against all.
    /// 0: chosen from the sizes of the objects.
    float cell_size;
    /// hierarchical-grid: cells per axis of a new grid: powers of two, at least 4, at most 2^20 each. 0: 16, or chosen
    /// from the objects where the library chooses the levels.
    uint32_t grid_size[3];
    /// hierarchical-grid: a grid is doubled when it holds more than this many objects per cell. 0: 1/8 with a
    /// hierarchy_factor, else 1.
    float grid_load;
    /// hierarchical-grid: below this many objects all pairs are tested. 0: a measured threshold; 1: never.
    uint32_t brute_force_below;

    // methods with a bounded domain: linked-cells, pivot-grid, compact-grid, cuckoo-grid, octree, loose-octree
    /// The part of space that is cut into cells, finite. All zero: where the boxes are, or most of them. Objects outside
    /// it are found too, in the cells of its border; many of them are slow.
    bp_box domain;
    /// linked-cells, pivot-grid, compact-grid: bytes that boxes and cells may take. 0: no limit but the memory there is.
    /// With a cell_size that needs more, BP_ERROR_MEMORY; else larger cells are chosen.
    size_t memory_limit;

    // spatial-hash
    bp_hash_table hash_table; ///< default: chained
    /// Objects that overlap more cells than this are kept apart and tested against all cells they cover. 0: 256.
    uint32_t hash_cell_limit;

    // pivot-grid
    bp_pivot_layout pivot_layout; ///< default: chunked
    /// Cells per axis of a chunk: a power of two, at most 64 (1024 in two dimensions). 0: 8 (32 in two dimensions).
    uint32_t chunk_size;

    // compact-grid
    bp_compact_keys compact_keys; ///< default: row-major
    bp_compact_sort compact_sort; ///< default: automatic

    // octree, loose-octree
    /// A node is split when it holds more objects than this. 0: 11.
    uint32_t octree_max_objects;
    /// octree: how often the cube around the objects (or the domain) is halved at most, up to 21; objects that are larger
    /// than the smallest cubes limit that, or are tested against all where they are few. 0: 21.
    uint32_t octree_max_depth;
    /// loose-octree: how far a node reaches, as a multiple of its cube: 1 (objects that straddle stay in larger nodes) to
    /// 8. 0: 2.
    float looseness;

    // bvh
    bp_bvh_build bvh_build;     ///< default: top-down
    bp_bvh_split bvh_split;     ///< top-down build; default: object median
    bp_bvh_axis bvh_axis;       ///< top-down build; default: largest extent
    bp_bvh_descent bvh_descent; ///< default: simultaneous

    // sweep-and-prune
    /// 1: boxes are sorted afresh along the axis of largest variance, and swept. 3: the ends of the boxes are kept sorted
    /// along all axes, and pairs come and go as ends pass each other. 0: 3 while objects move little, else 1.
    uint32_t sweep_axes;

    bp_allocator allocator;
    bp_executor executor;
    bp_filter filter;
    bp_log log;
    /// One-call functions leave their figures here. May be NULL. (A world's are in its bp_result.)
    bp_stats *stats;
} bp_config;

// ---------------------------------------------------------------------------------------------------------------------
// 4. One call, no state

/// A list of pairs. Begin with {0}: the library grows it as needed, keeps `data` between calls, and overwrites what it
/// held; release it with bp_pairs_free. With BP_PAIRS_FIXED in the config's flags, `data` and `capacity` are the
/// caller's buffer: when it is short, the call returns BP_ERROR_CAPACITY and `count` is the number needed.
typedef struct bp_pairs {
    bp_pair *data;
    size_t count;
    size_t capacity;
} bp_pairs;

/// Releases a list that the library has grown, and zeroes it. `config` must name the allocator that grew it; NULL means
/// the default one. An empty list is fine. Not for BP_PAIRS_FIXED buffers.
BP_API void bp_pairs_free(bp_pairs *pairs, const bp_config *config);

/// Finds every pair of overlapping boxes among `boxes[0 .. count)`. `config` may be NULL (all defaults).
/// Fails with BP_ERROR_ARGUMENT, _BOX, _MEMORY, _CAPACITY or _UNSUPPORTED; the list's pairs are then undefined, its
/// buffer is still the caller's to free.
BP_API bp_status bp_find_pairs(const bp_box *boxes, size_t count, const bp_config *config, bp_pairs *pairs);

/// Finds every pair of a box of `a` and a box of `b` that overlap; pairs inside one set are not looked for. The two may
/// be the same array: then each box also overlaps itself. Otherwise as bp_find_pairs.
BP_API bp_status bp_find_pairs_between(const bp_box *a, size_t a_count, const bp_box *b, size_t b_count,
                                       const bp_config *config, bp_pairs *pairs);

/// The same for 64-bit boxes.
BP_API bp_status bp_find_pairs_double(const bp_box_double *boxes, size_t count, const bp_config *config,
                                      bp_pairs *pairs);
BP_API bp_status bp_find_pairs_between_double(const bp_box_double *a, size_t a_count, const bp_box_double *b,
                                              size_t b_count, const bp_config *config, bp_pairs *pairs);

// ---------------------------------------------------------------------------------------------------------------------
// 5. Neighbours: all points within a radius

/// Every point's neighbours, as compressed rows: those of point i are indices[offsets[i] .. offsets[i + 1]), ascending.
/// Begin with {0}: the library grows it as needed, keeps its memory between calls, and overwrites what it held; release
/// it with bp_neighbors_free.
typedef struct bp_neighbors {
    size_t *offsets;   ///< count + 1 of them
    uint32_t *indices; ///< offsets[count] of them
    size_t count;      ///< of points (between two sets: of the first)
    size_t offset_capacity;
    size_t index_capacity;
} bp_neighbors;

/// Releases what the library has grown, and zeroes it. `config` must name the allocator that grew it; NULL: the default.
BP_API void bp_neighbors_free(bp_neighbors *neighbors, const bp_config *config);

/// Finds the neighbours of each of `count` points (x, y, z one after the other): all others with a distance <= radius,
/// that is, (dx*dx + dy*dy) + dz*dz <= radius*radius with everything computed in 64 bits. With BP_NEIGHBORS_HALF in the
/// config's flags each pair is listed once, in the row of the smaller index. Along an axis with a period the shortest
/// distance counts, remainder(d, period), however large the radius. In two dimensions z is not looked at.
/// Of the config, method and its parameters, dimensions, threads, period, stats, filter (asked about pairs of neighbours,
/// the smaller index first) and the hooks matter; margin, shape and pair_order do not, and BP_PAIRS_FIXED is refused. A
/// point with a NaN or an infinite coordinate is refused with BP_ERROR_BOX, a negative, NaN or infinite radius with
/// BP_ERROR_ARGUMENT. After a failure `neighbors` is as before.
BP_API bp_status bp_find_neighbors(const float *points_xyz, size_t count, float radius, const bp_config *config,
                                   bp_neighbors *neighbors);

/// The same with a radius per point; config.radius_rule says how two radii decide. (Their sum is computed in 64 bits.)
BP_API bp_status bp_find_neighbors_variable(const float *points_xyz, const float *radii, size_t count,
                                            const bp_config *config, bp_neighbors *neighbors);

/// For each point of `a`, all points of `b` within the radius. A point is its own neighbour where both have it.
/// BP_NEIGHBORS_HALF has no meaning here.
BP_API bp_status bp_find_neighbors_between(const float *a_xyz, size_t a_count, const float *b_xyz, size_t b_count,
                                           float radius, const bp_config *config, bp_neighbors *neighbors);

/// The same for 64-bit coordinates.
BP_API bp_status bp_find_neighbors_double(const double *points_xyz, size_t count, double radius,
                                          const bp_config *config, bp_neighbors *neighbors);
BP_API bp_status bp_find_neighbors_variable_double(const double *points_xyz, const double *radii, size_t count,
                                                   const bp_config *config, bp_neighbors *neighbors);
BP_API bp_status bp_find_neighbors_between_double(const double *a_xyz, size_t a_count, const double *b_xyz,
                                                  size_t b_count, double radius, const bp_config *config,
                                                  bp_neighbors *neighbors);

// ---------------------------------------------------------------------------------------------------------------------
// 6. A world of objects that live and move

/// A set of objects with boxes. Opaque; create with bp_world_create.
typedef struct bp_world bp_world;

/// An object of a world: a small number, the smallest free one, reused after removal.
typedef uint32_t bp_id;

/// No object has this id.
#define BP_NO_ID ((bp_id)4294967295u)

/// Flags of an object.
enum {
    BP_STATIC = 1u << 0 ///< two static objects never pair
};

/// What an object is, beside its box. All zero is the default: pairs with everything. A pair (a, b) passes when
/// a.group & b.mask and b.group & a.mask are not zero (a zero group or mask counts as all bits set), the islands are
/// equal, and not both are static.
typedef struct bp_object {
    uint32_t group;
    uint32_t mask;
    uint32_t flags;  ///< BP_STATIC, or 0
    uint32_t island; ///< objects of different islands never pair
    uint64_t user;   ///< the caller's; the library only keeps it
} bp_object;

/// The result of an update: a view, owned by the world, valid until the world's next change.
typedef struct bp_result {
    const bp_pair *pairs;
    size_t pair_count;
    /// With BP_EVENTS: the pairs that this update has and the last one had not, and the other way round; ascending by
    /// (a, b). Removing an object ends its pairs; if its id is given out again before the update, the same pair can end
    /// and begin in it, because these are two objects. Without BP_EVENTS: NULL and 0.
    const bp_pair *begun;
    size_t begun_count;
    const bp_pair *ended;
    size_t ended_count;
    bp_stats stats;
} bp_result;

/// Creates an empty world. `config` may be NULL. On failure *world is NULL.
BP_API bp_status bp_world_create(const bp_config *config, bp_world **world);

/// Releases a world and all it holds. NULL is fine.
BP_API void bp_world_destroy(bp_world *world);

/// Adds one object and tells its id. `object` may be NULL (all defaults). Amortised O(1).
BP_API bp_status bp_add(bp_world *world, const bp_box *box, const bp_object *object, bp_id *id);

/// Adds `count` objects, all or none. `objects` may be NULL (all defaults), `ids` may be NULL (not wanted).
BP_API bp_status bp_add_many(bp_world *world, size_t count, const bp_box *boxes, const bp_object *objects, bp_id *ids);

/// Gives an object a new box, of any size. O(1).
BP_API bp_status bp_move(bp_world *world, bp_id id, const bp_box *box);

/// Gives `count` objects new boxes, all or none. `ids` may be NULL: then they are 0 .. count-1. If an id comes twice,
/// its last box counts.
BP_API bp_status bp_move_many(bp_world *world, size_t count, const bp_id *ids, const bp_box *boxes);

/// Removes an object. Its id may be given out again. O(log n).
BP_API bp_status bp_remove(bp_world *world, bp_id id);

/// Changes what an object is; takes effect with the next update. `object` may be NULL (all defaults).
BP_API bp_status bp_set_object(bp_world *world, bp_id id, const bp_object *object);

/// Reads an object back. Either of `box` and `object` may be NULL.
BP_API bp_status bp_get_object(const bp_world *world, bp_id id, bp_box *box, bp_object *object);

/// The same for 64-bit boxes. A world that has been given one keeps all its boxes in 64 bits from then on.
BP_API bp_status bp_add_double(bp_world *world, const bp_box_double *box, const bp_object *object, bp_id *id);
BP_API bp_status bp_add_many_double(bp_world *world, size_t count, const bp_box_double *boxes, const bp_object *objects,
                                    bp_id *ids);
BP_API bp_status bp_move_double(bp_world *world, bp_id id, const bp_box_double *box);
BP_API bp_status bp_move_many_double(bp_world *world, size_t count, const bp_id *ids, const bp_box_double *boxes);
BP_API bp_status bp_get_object_double(const bp_world *world, bp_id id, bp_box_double *box, bp_object *object);

/// Makes room for `count` more objects, and for as many pairs as they usually have, so that adding them allocates
/// nothing. (64-bit boxes: if the world keeps such boxes already.)
BP_API bp_status bp_world_reserve(bp_world *world, size_t count);

/// Finds all pairs of the world as it is now. `result` may be NULL (only the work is wanted).
BP_API bp_status bp_update(bp_world *world, bp_result *result);

/// The number of objects alive.
BP_API size_t bp_world_count(const bp_world *world);

/// The figures of the last update.
BP_API bp_status bp_world_stats(const bp_world *world, bp_stats *stats);

/// A deep check of everything the world holds; for tests. BP_ERROR_INTERNAL, with the finding in the log, if something
/// is wrong. Costs about as much as an update.
BP_API bp_status bp_world_validate(const bp_world *world);

// ---- queries --------------------------------------------------------------------------------------------------------
//
// They see the objects as they are now, whether or not there was an update since; they are fastest right after one. An
// object is its box as it was given: without the margin, and not a sphere. Several threads may ask at once, as long as none
// changes the world. An `_as` query sees only what an object such as `object` (group, mask, flags, island) would pair with;
// NULL means all. Results go into a buffer of the caller's: when it is short, the call returns BP_ERROR_CAPACITY, the
// buffer holds the first `capacity` of them, and *found is the number needed. `found` may be NULL: then no more than
// `capacity` are wanted, the search may end early, and if there are fewer, the id after the last one is BP_NO_ID.
//
// A query allocates nothing if the method is hierarchical-grid, few objects have changed since the last update, and there
// is neither a period nor a 64-bit box. Otherwise it looks at all objects, or at those that have changed, one by one; after
// a few such queries the world makes a grid of them, in the thread that asks (if memory is refused, it goes on without).

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

typedef struct bp_near {
    bp_id id;
    float distance; ///< from the point to the box; 0 inside
} bp_near;

/// The objects whose boxes overlap a box, ascending by id; with a period, if any image does.
BP_API bp_status bp_query_box(const bp_world *world, const bp_box *box, bp_id *ids, size_t capacity, size_t *found);
BP_API bp_status bp_query_box_as(const bp_world *world, const bp_box *box, const bp_object *object, bp_id *ids,
                                 size_t capacity, size_t *found);

/// The objects whose boxes a ray meets, ascending by (t, id). It passes a face at t = (face - origin) / direction, computed
/// in 64 bits and then rounded. A capacity of 1 and found = NULL ask for the nearest hit alone. BP_ERROR_ARGUMENT for a
/// NaN, an infinite origin or direction, a zero direction, or max_t < 0.
/// With a period, an object is met where the ray enters the first of its images (origin and boxes are moved into the
/// period before), and a ray that is infinite or longer than 1000 periods is refused.
BP_API bp_status bp_query_ray(const bp_world *world, const bp_ray *ray, bp_ray_hit *hits, size_t capacity,
                              size_t *found);
BP_API bp_status bp_query_ray_as(const bp_world *world, const bp_ray *ray, const bp_object *object, bp_ray_hit *hits,
                                 size_t capacity, size_t *found);

/// The `k` objects whose boxes are nearest to a point, ascending by (distance, id); fewer if there are fewer. `near` has
/// room for k. The distance is computed in 64 bits and then rounded; with a period, it is the shortest to any image.
/// BP_ERROR_ARGUMENT for k = 0 or a point that is not finite.
BP_API bp_status bp_query_nearest(const bp_world *world, const float point[3], size_t k, bp_near *near, size_t *found);
BP_API bp_status bp_query_nearest_as(const bp_world *world, const float point[3], size_t k, const bp_object *object,
                                     bp_near *near, size_t *found);

// ---- saving ---------------------------------------------------------------------------------------------------------

/// Takes `size` bytes; returns 0 if that failed, and the saving ends there.
typedef int (*bp_write)(void *context, const void *bytes, size_t size);
/// Fills `bytes` with the next `size` bytes; returns 0 if there are not so many.
typedef int (*bp_read)(void *context, void *bytes, size_t size);

/// Writes all objects, and the pairs of the last update, as a stream with a version and checksums: the same bytes for
/// the same state, on every machine. `write` is called with blocks of up to 16 KiB; it may not change the world (such
/// calls return BP_ERROR_ARGUMENT). Changes that no update has seen yet are saved as such. BP_ERROR_ARGUMENT if `write`
/// fails, BP_ERROR_MEMORY if there is none to sort the pairs.
BP_API bp_status bp_world_save(const bp_world *world, bp_write write, void *context);

/// Creates a world from a stream: the same ids, boxes, objects and pairs, with the given config, which must agree in
/// dimensions, shape, margin and period; it may name another method. Events go on where they were: the next update tells
/// what has begun and ended since the last one before saving, and finds all pairs afresh. Nothing is read beyond the end
/// of the world, so more may follow in the same file. BP_ERROR_ARGUMENT for a stream that is cut, altered or of another
/// version; the log says which. On failure *world is NULL.
BP_API bp_status bp_world_load(const bp_config *config, bp_read read, void *context, bp_world **world);

// ---- recording ------------------------------------------------------------------------------------------------------

/// From now on each bp_update first appends what it is about to see to a stream: which objects have come, gone or got
/// another box since the last one, after a beginning that lists them all. `broadphase trace` replays such a stream, and
/// turns it into a .npy file of steps x objects x 6. Boxes only, as they were given, and 64-bit ones rounded outwards.
/// `write` is called with blocks of up to 16 KiB; it may not call into the world. If it fails, recording ends, and the
/// update returns BP_ERROR_ARGUMENT without having begun; the next one goes on as if there had been no recording.
/// `write` = NULL ends a recording.
BP_API bp_status bp_world_record(bp_world *world, bp_write write, void *context);

// ---------------------------------------------------------------------------------------------------------------------
// 7. Tuning: which config is the fastest for a scene?

/// A scene: what happens to a world in each of `steps` steps. Step 0 finds an empty world and fills it; later ones move,
/// add or remove objects. The same steps are asked for many times, each time from 0 on with a new world, and must do the
/// same each time. Not BP_OK: tuning ends and returns that.
typedef struct bp_scenario {
    bp_status (*step)(void *context, bp_world *world, size_t step);
    void *context;
    size_t steps;
} bp_scenario;

/// A config, and how it did.
typedef struct bp_tuned {
    bp_config config; ///< the one that was given, with another method and a few parameters of it
    double seconds; ///< for a step, bp_update included: the median of `runs`; step 0 counts only if it is the only one
    double spread;  ///< (slowest - fastest run) / median
    uint32_t runs;  ///< 0: not tried, because it would have taken too long
    uint32_t steps; ///< in each of these
} bp_tuned;

/// Times all methods, some with a few parameters, on a scene: all of them on its first steps, the better half on twice as
/// many, and so on, until one is left or `budget` seconds have passed (a run that has begun is finished). Those that are
/// far behind are dropped at once. `ranked` gets the first `capacity` of them, the fastest first; *found (may be NULL) is
/// how many there are. All of them must find the same number of pairs in the same step, else BP_ERROR_INTERNAL.
/// `config` (NULL: defaults) says what is asked for: dimensions, threads, margin, flags, hooks; its method is not looked
/// at. Times are of the processor where there is one thread, else by the clock.
BP_API bp_status bp_tune(const bp_config *config, const bp_scenario *scenario, double budget, bp_tuned *ranked,
                         size_t capacity, size_t *found);

// ---------------------------------------------------------------------------------------------------------------------
// 8. The table of methods

/// What a method can do, beside finding all pairs in 3-D.
enum {
    BP_SUPPORTS_2D = 1u << 0,          ///< config.dimensions = 2
    BP_SUPPORTS_BETWEEN = 1u << 1,     ///< bp_find_pairs_between
    BP_SUPPORTS_INCREMENTAL = 1u << 2, ///< BP_UPDATE_INDIVIDUAL
    BP_SUPPORTS_THREADS = 1u << 3      ///< more than one thread makes it faster
};

/// How many methods there are, "auto" included: indices 0 .. count-1 are the values of bp_method.
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

#endif
