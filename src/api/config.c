#include "api/config.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/workers.h"

#include <math.h>

enum {
    GRID_SIZE_MIN = 4,
    GRID_SIZE_MAX = 1 << 20,
    THREADS_MAX = 1024,
    OCTREE_MAX_OBJECTS = 11, // Koch 2020
    OCTREE_DEPTH_MAX = 21,
    LOOSENESS_MAX = 8,
    CHUNK_SIZE_MAX = 64, // 2^18 pivots in a chunk
    CHUNK_SIZE_MAX_2D = 1024
};

bool bp_reserved_is_zero(const bp_log *log, const char *field, const uint64_t *reserved, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; ++i) {
        sum |= reserved[i];
    }
    if (sum != 0) {
        bp_log_write(log, "%s: must be 0; begin the struct with {0}. A later version may know what is in it", field);
    }
    return sum == 0;
}

static bool is_zero_or_positive(float value) {
    return value >= 0.0f && isfinite(value);
}

static bool is_grid_size(uint32_t size) {
    return size == 0 || (size >= GRID_SIZE_MIN && size <= GRID_SIZE_MAX && (size & (size - 1)) == 0);
}

// What must hold, a row for each field that may be wrong. The first one that does not is refused.
static bp_status check_config(const bp_config *c, const bp_method_settings *s) {
    const uint32_t flags = BP_PAIRS_FIXED | BP_EVENTS | BP_NEIGHBORS_HALF | BP_NEIGHBORS_DISTANCES |
                           BP_NEIGHBORS_VECTORS | BP_NEIGHBORS_SHIFTS;
    const uint32_t chunk_most = c->dimensions == 2 ? CHUNK_SIZE_MAX_2D : CHUNK_SIZE_MAX;
    bool is_domain = true;
    for (int axis = 0; axis < 3; ++axis) {
        const float min = s->domain.min[axis], max = s->domain.max[axis];
        is_domain &= min <= max && isfinite(min) && isfinite(max);
    }
    const struct {
        bool good;
        const char *field, *remedy;
    } checks[] = {
        {(unsigned)c->method <= BP_METHOD_STRIPS, "config.method",
         "no such method; values are below bp_method_count()"},
        {c->dimensions == 0 || c->dimensions == 2 || c->dimensions == 3, "config.dimensions",
         "must be 2 or 3 (0 means 3)"},
        {c->threads >= -1 && c->threads <= THREADS_MAX, "config.threads", "must be from -1 (all cores) to 1024"},
        {(unsigned)c->update <= BP_UPDATE_REBUILD, "config.update", "must be 0 to 2, a bp_update_strategy"},
        {(unsigned)c->pair_order <= BP_ORDER_SORTED, "config.pair_order", "must be 0 or 1, a bp_pair_order"},
        {(c->flags & ~flags) == 0, "config.flags",
         "must be a combination of BP_PAIRS_FIXED (1), BP_EVENTS (2), BP_NEIGHBORS_HALF (4), "
         "BP_NEIGHBORS_DISTANCES (8), _VECTORS (16) and _SHIFTS (32)"},
        {(unsigned)c->shape <= BP_SHAPE_SPHERES, "config.shape", "must be 0 or 1, a bp_shape"},
        {(unsigned)c->radius_rule <= BP_RADIUS_SUM, "config.radius_rule", "must be 0 to 2, a bp_radius_rule"},
        {is_zero_or_positive(c->margin), "config.margin", "must be 0 to 3.40282347e38"},
        {is_zero_or_positive(c->period[0]) && is_zero_or_positive(c->period[1]) && is_zero_or_positive(c->period[2]),
         "config.period",
         "must be positive and at most 3.40282347e38 along each axis, or 0 where space does not repeat"},
        {(unsigned)s->simd <= BP_SIMD_WASM, "settings.simd", "must be 0 to 5, a bp_simd"},
        {s->hierarchy_factor == 0.0f || (s->hierarchy_factor > 1.0f && isfinite(s->hierarchy_factor)),
         "settings.hierarchy_factor",
         "must be greater than 1 and at most 3.40282347e38, or 0 to let the library choose the levels"},
        {is_zero_or_positive(s->cell_size), "settings.cell_size",
         "must be positive and at most 3.40282347e38, or 0 to take it from the objects"},
        {is_grid_size(s->grid_size[0]) && is_grid_size(s->grid_size[1]) && is_grid_size(s->grid_size[2]),
         "settings.grid_size", "must be powers of two from 4 to 1048576, or 0"},
        {(unsigned)s->grid_form <= BP_GRID_LINKED, "settings.grid_form", "must be 0 or 1, a bp_grid_form"},
        {is_zero_or_positive(s->grid_load), "settings.grid_load",
         "must be positive and at most 3.40282347e38, or 0 for the default"},
        {is_domain, "settings.domain", "must be finite with min <= max, or all zero to take it from the boxes"},
        {(unsigned)s->hash_table <= BP_HASH_OPEN, "settings.hash_table", "must be 0 or 1, a bp_hash_table"},
        {(unsigned)s->pivot_layout <= BP_PIVOTS_DENSE, "settings.pivot_layout", "must be 0 or 1, a bp_pivot_layout"},
        {s->chunk_size <= chunk_most && (s->chunk_size & (s->chunk_size - 1)) == 0, "settings.chunk_size",
         "must be a power of two up to 64 (1024 in two dimensions), or 0"},
        {(unsigned)s->grid_entries <= BP_ENTRIES_FOOTPRINT, "settings.grid_entries",
         "must be 0 or 1, a bp_grid_entries"},
        {(unsigned)s->compact_keys <= BP_KEYS_Z_CURVE, "settings.compact_keys", "must be 0 or 1, a bp_compact_keys"},
        {(unsigned)s->compact_sort <= BP_SORT_ADAPTIVE, "settings.compact_sort", "must be 0 to 2, a bp_compact_sort"},
        {(unsigned)s->bvh_build <= BP_BVH_INSERTION, "settings.bvh_build", "must be 0 to 2, a bp_bvh_build"},
        {(unsigned)s->bvh_split <= BP_BVH_SPATIAL_MEDIAN, "settings.bvh_split", "must be 0 to 2, a bp_bvh_split"},
        {(unsigned)s->bvh_axis <= BP_BVH_LARGEST_VARIANCE, "settings.bvh_axis", "must be 0 or 1, a bp_bvh_axis"},
        {(unsigned)s->bvh_descent <= BP_BVH_ONE_BEFORE_OTHER, "settings.bvh_descent",
         "must be 0 to 2, a bp_bvh_descent"},
        {s->sweep_axes == 0 || s->sweep_axes == 1 || s->sweep_axes == 3, "settings.sweep_axes",
         "must be 1 or 3, or 0 to choose by how much moves"},
        {s->octree_max_depth <= OCTREE_DEPTH_MAX, "settings.octree_max_depth",
         "must be at most 21, or 0 for the default, 21"},
        {s->looseness == 0.0f || (s->looseness >= 1.0f && s->looseness <= LOOSENESS_MAX), "settings.looseness",
         "must be from 1 to 8, or 0 for the default, 2"},
        {(c->allocator.allocate == NULL) == (c->allocator.release == NULL), "config.allocator",
         "needs both allocate and release, or neither"},
        {c->executor.run == NULL || c->executor.workers > 0, "config.executor", "needs at least one worker"},
    };
    for (size_t i = 0; i < sizeof checks / sizeof *checks; ++i) {
        if (!checks[i].good) {
            bp_log_write(&c->log, "%s: %s", checks[i].field, checks[i].remedy);
            return BP_ERROR_ARGUMENT;
        }
    }
    const bool untouched =
        bp_reserved_is_zero(&c->log, "config.reserved", c->reserved, sizeof c->reserved / sizeof *c->reserved) &&
        bp_reserved_is_zero(&c->log, "settings.reserved", s->reserved, sizeof s->reserved / sizeof *s->reserved);
    return untouched ? BP_OK : BP_ERROR_ARGUMENT;
}

bp_allocator bp_config_allocator(const bp_config *config) {
    return config != NULL && config->allocator.release != NULL ? config->allocator : bp_allocator_default();
}

bp_status bp_setup_complete(const bp_config *config, bp_setup *setup) {
    const bp_config c = config != NULL ? *config : (bp_config){0};
    bp_method_settings settings = c.settings != NULL ? *c.settings : (bp_method_settings){0};
    const bp_status status = check_config(&c, &settings);
    if (status != BP_OK) {
        return status;
    }
    const uint32_t dimensions = c.dimensions == 0 ? 3 : c.dimensions;
    if (settings.cell_size > 0.0f && settings.hierarchy_factor == 0.0f) {
        settings.hierarchy_factor = 2.0f;
    }
    if (settings.brute_force_below == 0) {
        settings.brute_force_below = BP_BRUTE_FORCE_BELOW;
    }
    if (settings.chunk_size == 0) {
        settings.chunk_size = dimensions == 2 ? 32 : 8;
    }
    if (settings.looseness == 0.0f) {
        settings.looseness = 2.0f;
    }
    if (settings.octree_max_objects == 0) {
        settings.octree_max_objects = OCTREE_MAX_OBJECTS;
    }
    if (settings.grid_load == 0.0f) {
        settings.grid_load = settings.hierarchy_factor > 0.0f ? 0.125f : 1.0f;
    }
    bp_runtime runtime = {.allocator = bp_config_allocator(config), .executor = c.executor, .log = c.log};
    if (runtime.executor.run == NULL) {
        runtime.executor.workers = bp_workers_wanted(c.threads);
    }
    *setup = (bp_setup){.method = c.method,
                        .flags = c.flags,
                        .pair_order = c.pair_order,
                        .radius_rule = c.radius_rule,
                        .filter = c.filter,
                        .stats = c.stats,
                        .overlap = {.dimensions = dimensions,
                                    .shape = c.shape,
                                    .margin = c.margin,
                                    .period = {c.period[0], c.period[1], c.period[2]}},
                        .methods = {.runtime = runtime,
                                    .dimensions = dimensions,
                                    .is_explained = c.stats != NULL || c.log.write != NULL,
                                    .update = c.update,
                                    .settings = settings}};
    return bp_kernels_choose(settings.simd, &c.log, &setup->methods.kernels);
}

// ---- workers that the caller makes, for several calls and worlds -----------------------------------------------------

bp_status bp_workers_create(const bp_config *config, bp_executor *workers) {
    if (workers == NULL) {
        return BP_ERROR_ARGUMENT;
    }
    *workers = (bp_executor){0};
    bp_setup setup;
    const bp_status status = bp_setup_complete(config, &setup);
    if (status != BP_OK) {
        return status;
    }
    bp_runtime *runtime = &setup.methods.runtime;
    if (config != NULL && config->executor.run != NULL) {
        bp_log_write(&runtime->log, "config.executor: bp_workers_create makes its own threads; leave this field zero");
        return BP_ERROR_ARGUMENT;
    }
    if (!bp_workers_open(runtime)) {
        return BP_ERROR_MEMORY;
    }
    *workers = runtime->owns_workers ? runtime->executor : bp_executor_alone();
    return BP_OK;
}

void bp_workers_destroy(bp_executor *workers) {
    if (workers != NULL) {
        bp_workers_end(workers);
    }
}

// ---- versions and errors --------------------------------------------------------------------------------------------

#define TEXT_OF(x) #x
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *bp_version(void) {
    return VERSION_TEXT(BP_VERSION_MAJOR, BP_VERSION_MINOR, BP_VERSION_PATCH);
}

const char *bp_status_text(bp_status status) {
    switch (status) {
    case BP_OK: return "success";
    case BP_ERROR_ARGUMENT: return "an argument or a config field is out of its range";
    case BP_ERROR_BOX: return "a box is invalid (NaN, or min > max)";
    case BP_ERROR_ID: return "an id is not alive in this world";
    case BP_ERROR_MEMORY: return "out of memory: the allocator returned none";
    case BP_ERROR_CAPACITY: return "the buffer is too small; the count tells how much is needed";
    case BP_ERROR_UNSUPPORTED: return "the chosen method or processor does not support this";
    case BP_ERROR_INTERNAL: return "a bug in the library; please report it";
    }
    return "not a status of this library";
}
