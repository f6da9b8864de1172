/// broadphase: methods. The table of algorithms, and for experts the settings of single ones.
///
///     bp_method_settings settings = {.cell_size = 2.0f};
///     bp_config config = {.method = BP_METHOD_LINKED_CELLS, .settings = &settings};
///
/// Every field's zero is its default, as in bp_config. A method ignores the settings of others. The library reads them
/// when a call begins or a world is created, and does not keep the pointer. `broadphase tune` finds good values for a
/// scene, and `--set FIELD=VALUE` of the tool knows every field by its name here.
#include <broadphase/broadphase.h> // which includes this one: so it stands before the guard

#ifndef BROADPHASE_METHODS_H
#define BROADPHASE_METHODS_H

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------------------------
// 1. The table of methods
//
//     brute-force         tests every box against every other; the reference of the tests
//     linked-cells        a cell list: a dense grid over a bounded domain
//     hierarchical-grid   one hashed grid per range of object sizes
//     spatial-hash        a uniform grid in a hash table; an object is in every cell it overlaps
//     pivot-grid          a uniform grid, built by a counting sort; memory follows the objects
//     compact-grid        a uniform grid, as boxes sorted by cell
//     cuckoo-grid         a uniform grid, with its occupied cells in a cuckoo hash
//     octree              a tree of cubes, for objects of similar size
//     loose-octree        a tree of overlapping cubes, for any sizes
//     bvh                 a tree of bounding boxes, for any sizes and unbounded space
//     sweep-and-prune     boxes sorted along the axes (sort and sweep); for objects that move little
//     split               recursive splits; for shapes and sizes that no grid or tree fits
//     tree                a kept tree of eight children a node; for worlds, meshes and queries
//     strips              copies in strips of space; for one call on many boxes of similar sizes
//
// auto chooses among brute-force, hierarchical-grid, split, tree and strips; the others are described in the literature.

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

// ---------------------------------------------------------------------------------------------------------------------
// 2. Settings

/// The instruction set of the inner loops. All of them find the same pairs in the same order.
typedef enum bp_simd {
    BP_SIMD_AUTO = 0, ///< the best that the processor has, or what the environment variable BP_SIMD names
    BP_SIMD_SCALAR,   ///< plain C
    BP_SIMD_AVX2,     ///< x86-64 with AVX2
    BP_SIMD_AVX512,   ///< x86-64 with AVX-512 (F, VL, BW, DQ)
    BP_SIMD_NEON,     ///< 64-bit ARM
    BP_SIMD_WASM      ///< WebAssembly with SIMD
} bp_simd;

/// hierarchical-grid: how objects lie in its cells.
typedef enum bp_grid_form {
    BP_GRID_AUTOMATIC = 0, ///< linked with BP_UPDATE_INDIVIDUAL, else sorted by cell: fastest
    BP_GRID_LINKED         ///< lists, which objects enter and leave one by one: the structure of Schornbaum 2009
} bp_grid_form;

/// pivot-grid: where the pivots are stored, one for each cell.
typedef enum bp_pivot_layout {
    BP_PIVOTS_CHUNKED = 0, ///< in chunks of cells, allocated where objects are: memory follows the objects
    BP_PIVOTS_DENSE        ///< in one table over the whole domain: memory follows the domain
} bp_pivot_layout;

/// compact-grid, cuckoo-grid: the cells that an object is entered in.
typedef enum bp_grid_entries {
    BP_ENTRIES_CORNER = 0, ///< that of its min corner; the search looks into neighbouring cells
    BP_ENTRIES_FOOTPRINT   ///< every cell that it overlaps; the search stays inside cells
} bp_grid_entries;

/// compact-grid: the order of the cells.
typedef enum bp_compact_keys {
    BP_KEYS_ROW_MAJOR = 0, ///< x fastest, then y, then z
    BP_KEYS_Z_CURVE        ///< the bits of x, y and z interleaved
} bp_compact_keys;

/// compact-grid: how objects are sorted by cell.
typedef enum bp_compact_sort {
    BP_SORT_AUTOMATIC = 0, ///< adaptive if few objects have changed cell since the last update, else radix
    BP_SORT_RADIX,         ///< from scratch, least significant digit first: always the same time
    BP_SORT_ADAPTIVE       ///< keeps the last order; only objects that changed cell are taken out, sorted and merged
} bp_compact_sort;

/// spatial-hash: how cells with the same hash share the table.
typedef enum bp_hash_table {
    BP_HASH_CHAINED = 0, ///< in a list; at most one cell per slot on average
    BP_HASH_OPEN         ///< in the next free slot (linear probing); at most half of the slots are in use
} bp_hash_table;

/// bvh: how the tree is built.
typedef enum bp_bvh_build {
    BP_BVH_TOP_DOWN = 0, ///< split all boxes in two, recursively: fastest
    BP_BVH_BOTTOM_UP,    ///< merge neighbouring boxes, recursively: the best tree
    BP_BVH_INSERTION     ///< insert box by box: slowest
} bp_bvh_build;

/// bvh: where the top-down build splits the centres of the boxes.
typedef enum bp_bvh_split {
    BP_BVH_OBJECT_MEDIAN = 0, ///< the same number on both sides: always balanced
    BP_BVH_OBJECT_MEAN,       ///< at their mean
    BP_BVH_SPATIAL_MEDIAN     ///< in the middle of the space they occupy
} bp_bvh_split;

/// bvh: the axis along which the top-down build splits.
typedef enum bp_bvh_axis {
    BP_BVH_LARGEST_EXTENT = 0, ///< of the centres
    BP_BVH_LARGEST_VARIANCE    ///< of the centres
} bp_bvh_axis;

/// bvh: which of two overlapping nodes the search replaces by its children.
typedef enum bp_bvh_descent {
    BP_BVH_SIMULTANEOUS = 0, ///< both: fastest
    BP_BVH_LARGER_VOLUME,    ///< the larger one
    BP_BVH_ONE_BEFORE_OTHER  ///< the first, down to its leaves, and then the second
} bp_bvh_descent;

/// The settings of single methods, and a few for all of them.
typedef struct bp_method_settings {
    /// hierarchical-grid, and the automatic choice. 0: the library chooses levels and cells from the sizes of the objects.
    /// > 1: level k has cells of c0 * factor^k, and an object belongs to the level with size in [cell / factor, cell).
    float hierarchy_factor BP_ZERO;
    /// hierarchical-grid: the edge c0 of the cells of level 0. 0: sqrt(factor) times the size of the first object. Given
    /// without a factor, it implies a factor of 2.
    /// linked-cells: the edge of the cells. Larger objects are found too, but each costs more. 0: from the object sizes.
    /// spatial-hash: the edge of the cells. 0: from object sizes and density.
    /// pivot-grid, compact-grid, cuckoo-grid: the edge of the cells; objects longer than 16 cells are tested against the
    /// cells that they cover. 0: from the object sizes.
    float cell_size BP_ZERO;
    /// hierarchical-grid: cells per axis of a new grid: powers of two, from 4 to 2^20. 0: 16, or chosen from the objects
    /// where the library chooses the levels.
    uint32_t grid_size[3] BP_ZERO;
    /// hierarchical-grid; default: automatic. Linked with BP_UPDATE_REBUILD: in each step all objects are removed and
    /// inserted again; else those that have changed cell leave one and enter another.
    bp_grid_form grid_form BP_ZERO;
    /// hierarchical-grid: a grid doubles when it holds more than this many objects per cell. 0: 1/8 with a
    /// hierarchy_factor, else 1.
    float grid_load BP_ZERO;
    /// auto, and hierarchical-grid when linked: with fewer objects than this (of two sets together), all pairs are tested,
    /// whatever their shapes. 0: where measured costs say so, at most some hundred objects; 1: never.
    uint32_t brute_force_below BP_ZERO;

    /// linked-cells, pivot-grid, compact-grid, cuckoo-grid, octree, loose-octree: the part of space that is cut into
    /// cells, finite. All zero: where the boxes are, or most of them. Objects outside are found too, in the cells at its
    /// border; many of them are slow.
    bp_box domain BP_ZERO;
    /// linked-cells, pivot-grid, compact-grid: the most bytes that boxes and cells may take. 0: no limit. With a cell_size
    /// that needs more, the call fails with BP_ERROR_MEMORY; without one, larger cells are chosen.
    size_t memory_limit BP_ZERO;

    bp_hash_table hash_table BP_ZERO; ///< spatial-hash; default: chained
    /// spatial-hash: objects that overlap more cells than this are kept apart and tested against all cells they cover.
    /// compact-grid, cuckoo-grid with footprints: the same, and they are tested against all objects. 0: 256.
    uint32_t hash_cell_limit BP_ZERO;

    bp_pivot_layout pivot_layout BP_ZERO; ///< pivot-grid; default: chunked
    /// pivot-grid: cells per axis of a chunk: a power of two, at most 64 (1024 in two dimensions). 0: 8 (32 in 2-D).
    uint32_t chunk_size BP_ZERO;

    bp_grid_entries grid_entries BP_ZERO; ///< compact-grid, cuckoo-grid; default: corner
    bp_compact_keys compact_keys BP_ZERO; ///< compact-grid; default: row-major
    bp_compact_sort compact_sort BP_ZERO; ///< compact-grid; default: automatic

    /// octree, loose-octree: a node is split when it holds more objects than this. 0: 11.
    uint32_t octree_max_objects BP_ZERO;
    /// octree, loose-octree: how often the cube around the objects (or the domain) is halved, at most 21. 0: 21. Objects larger than the
    /// smallest cubes limit the depth, or, if they are few, are tested against all others.
    uint32_t octree_max_depth BP_ZERO;
    /// loose-octree: how far a node reaches, as a multiple of its cube: 1 (objects that straddle a boundary stay in larger
    /// nodes) to 8. 0: 2.
    float looseness BP_ZERO;

    bp_bvh_build bvh_build BP_ZERO;     ///< bvh; default: top-down
    bp_bvh_split bvh_split BP_ZERO;     ///< bvh, top-down build; default: object median
    bp_bvh_axis bvh_axis BP_ZERO;       ///< bvh, top-down build; default: largest extent
    bp_bvh_descent bvh_descent BP_ZERO; ///< bvh; default: simultaneous

    /// sweep-and-prune. 1: sorts the boxes from scratch along the axis of largest variance, in five buckets across it, and
    /// sweeps: Terdiman's box pruning. 3: keeps the ends of the boxes sorted along all axes; pairs begin and end where ends
    /// pass each other. 0: 3 while objects move little, else 1.
    uint32_t sweep_axes BP_ZERO;

    bp_simd simd BP_ZERO; ///< all methods; default: the best instruction set there is

    uint64_t reserved[8] BP_ZERO; ///< 0
} bp_method_settings;

#ifdef __cplusplus
}
#endif

#endif
