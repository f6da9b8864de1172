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

static bp_status refuse_field(const bp_log *log, const char *field, const char *remedy) {
    bp_log_write(log, "%s: %s", field, remedy);
    return BP_ERROR_ARGUMENT;
}

static bool is_zero_or_positive(float value) {
    return value >= 0.0f && isfinite(value);
}

static bool is_grid_size(uint32_t size) {
    return size == 0 || (size >= GRID_SIZE_MIN && size <= GRID_SIZE_MAX && (size & (size - 1)) == 0);
}

static bp_status check_choices(const bp_config *c, const bp_log *log) {
    if ((unsigned)c->method > BP_METHOD_TREE) {
        return refuse_field(log, "config.method",
                            "there is no such method; bp_method_count() tells how many there are");
    }
    if (c->dimensions != 0 && c->dimensions != 2 && c->dimensions != 3) {
        return refuse_field(log, "config.dimensions", "must be 2 or 3 (0 means 3)");
    }
    if (c->threads < -1 || c->threads > THREADS_MAX) {
        return refuse_field(log, "config.threads", "must be -1 (all cores) to 1024");
    }
    if ((unsigned)c->update > BP_UPDATE_REBUILD) {
        return refuse_field(log, "config.update", "must be 0 to 2, a bp_update_strategy");
    }
    if ((unsigned)c->pair_order > BP_ORDER_SORTED) {
        return refuse_field(log, "config.pair_order", "must be 0 or 1, a bp_pair_order");
    }
    const uint32_t known = BP_PAIRS_FIXED | BP_EVENTS | BP_NEIGHBORS_HALF | BP_NEIGHBORS_DISTANCES |
                           BP_NEIGHBORS_VECTORS | BP_NEIGHBORS_SHIFTS;
    if ((c->flags & ~known) != 0) {
        return refuse_field(log, "config.flags",
                            "must be a sum of BP_PAIRS_FIXED (1), BP_EVENTS (2), BP_NEIGHBORS_HALF (4), "
                            "BP_NEIGHBORS_DISTANCES (8), _VECTORS (16) and _SHIFTS (32)");
    }
    return BP_OK;
}

static bp_status check_geometry(const bp_config *c, const bp_log *log) {
    if ((unsigned)c->shape > BP_SHAPE_SPHERES) {
        return refuse_field(log, "config.shape", "must be 0 or 1, a bp_shape");
    }
    if ((unsigned)c->radius_rule > BP_RADIUS_SUM) {
        return refuse_field(log, "config.radius_rule", "must be 0 to 2, a bp_radius_rule");
    }
    if (!is_zero_or_positive(c->margin)) {
        return refuse_field(log, "config.margin", "must be 0 to 3.40282347e38");
    }
    for (int axis = 0; axis < 3; ++axis) {
        if (!is_zero_or_positive(c->period[axis])) {
            return refuse_field(
                log, "config.period",
                "must be positive and at most 3.40282347e38 along each axis, or 0 where space does not repeat");
        }
    }
    return BP_OK;
}

static bp_status check_grid(const bp_method_settings *c, const bp_log *log) {
    if ((unsigned)c->simd > BP_SIMD_WASM) {
        return refuse_field(log, "settings.simd", "must be 0 to 5, a bp_simd");
    }
    if (c->hierarchy_factor != 0.0f && !(c->hierarchy_factor > 1.0f && isfinite(c->hierarchy_factor))) {
        return refuse_field(
            log, "settings.hierarchy_factor",
            "must be greater than 1 and at most 3.40282347e38, or 0 to let the library choose the levels");
    }
    if (!is_zero_or_positive(c->cell_size)) {
        return refuse_field(log, "settings.cell_size",
                            "must be positive and at most 3.40282347e38, or 0 to take it from the objects");
    }
    for (int axis = 0; axis < 3; ++axis) {
        if (!is_grid_size(c->grid_size[axis])) {
            return refuse_field(log, "settings.grid_size", "must be powers of two from 4 to 1048576, or 0");
        }
    }
    if ((unsigned)c->grid_form > BP_GRID_LINKED) {
        return refuse_field(log, "settings.grid_form", "must be 0 or 1, a bp_grid_form");
    }
    if (!is_zero_or_positive(c->grid_load)) {
        return refuse_field(log, "settings.grid_load",
                            "must be positive and at most 3.40282347e38, or 0 for the default");
    }
    return BP_OK;
}

static bp_status check_cells(const bp_method_settings *c, const bp_log *log) {
    for (uint32_t axis = 0; axis < 3; ++axis) {
        const float min = c->domain.min[axis], max = c->domain.max[axis];
        if (!(min <= max && isfinite(min) && isfinite(max))) {
            return refuse_field(log, "settings.domain",
                                "must be finite with min <= max, or all zero to take it from the boxes");
        }
    }
    if ((unsigned)c->hash_table > BP_HASH_OPEN) {
        return refuse_field(log, "settings.hash_table", "must be 0 or 1, a bp_hash_table");
    }
    return BP_OK;
}

static bp_status check_uniform_grids(const bp_method_settings *c, uint32_t dimensions, const bp_log *log) {
    const uint32_t chunk_most = dimensions == 2 ? CHUNK_SIZE_MAX_2D : CHUNK_SIZE_MAX;
    if ((unsigned)c->pivot_layout > BP_PIVOTS_DENSE) {
        return refuse_field(log, "settings.pivot_layout", "must be 0 or 1, a bp_pivot_layout");
    }
    if (c->chunk_size > chunk_most || (c->chunk_size & (c->chunk_size - 1)) != 0) {
        return refuse_field(log, "settings.chunk_size",
                            "must be a power of two up to 64 (1024 in two dimensions), or 0");
    }
    if ((unsigned)c->grid_entries > BP_ENTRIES_FOOTPRINT) {
        return refuse_field(log, "settings.grid_entries", "must be 0 or 1, a bp_grid_entries");
    }
    if ((unsigned)c->compact_keys > BP_KEYS_Z_CURVE) {
        return refuse_field(log, "settings.compact_keys", "must be 0 or 1, a bp_compact_keys");
    }
    if ((unsigned)c->compact_sort > BP_SORT_ADAPTIVE) {
        return refuse_field(log, "settings.compact_sort", "must be 0 to 2, a bp_compact_sort");
    }
    return BP_OK;
}

static bp_status check_bvh_and_sweep(const bp_method_settings *c, const bp_log *log) {
    if ((unsigned)c->bvh_build > BP_BVH_INSERTION) {
        return refuse_field(log, "settings.bvh_build", "must be 0 to 2, a bp_bvh_build");
    }
    if ((unsigned)c->bvh_split > BP_BVH_SPATIAL_MEDIAN) {
        return refuse_field(log, "settings.bvh_split", "must be 0 to 2, a bp_bvh_split");
    }
    if ((unsigned)c->bvh_axis > BP_BVH_LARGEST_VARIANCE) {
        return refuse_field(log, "settings.bvh_axis", "must be 0 or 1, a bp_bvh_axis");
    }
    if ((unsigned)c->bvh_descent > BP_BVH_ONE_BEFORE_OTHER) {
        return refuse_field(log, "settings.bvh_descent", "must be 0 to 2, a bp_bvh_descent");
    }
    if (c->sweep_axes != 0 && c->sweep_axes != 1 && c->sweep_axes != 3) {
        return refuse_field(log, "settings.sweep_axes", "must be 1 or 3, or 0 to let the motion decide");
    }
    return BP_OK;
}

static bp_status check_trees(const bp_method_settings *c, const bp_log *log) {
    if (c->octree_max_depth > OCTREE_DEPTH_MAX) {
        return refuse_field(log, "settings.octree_max_depth", "must be at most 21, or 0 for that");
    }
    if (c->looseness != 0.0f && !(c->looseness >= 1.0f && c->looseness <= LOOSENESS_MAX)) {
        return refuse_field(log, "settings.looseness", "must be 1 to 8, or 0 for 2");
    }
    return BP_OK;
}

static bp_status check_hooks(const bp_config *c, const bp_log *log) {
    if ((c->allocator.allocate == NULL) != (c->allocator.release == NULL)) {
        return refuse_field(log, "config.allocator", "needs both allocate and release, or neither");
    }
    if (c->executor.run != NULL && c->executor.workers == 0) {
        return refuse_field(log, "config.executor", "needs at least one worker");
    }
    return BP_OK;
}

static bp_status check_settings(const bp_method_settings *settings, uint32_t dimensions, const bp_log *log) {
    bp_status status = check_grid(settings, log);
    if (status == BP_OK) {
        status = check_cells(settings, log);
    }
    if (status == BP_OK) {
        status = check_uniform_grids(settings, dimensions, log);
    }
    if (status == BP_OK) {
        status = check_bvh_and_sweep(settings, log);
    }
    return status == BP_OK ? check_trees(settings, log) : status;
}

static bp_status check_config(const bp_config *config, const bp_method_settings *settings) {
    bp_status status = check_choices(config, &config->log);
    if (status == BP_OK) {
        status = check_geometry(config, &config->log);
    }
    if (status == BP_OK) {
        status = check_settings(settings, config->dimensions, &config->log);
    }
    return status == BP_OK ? check_hooks(config, &config->log) : status;
}

// ---- defaults -------------------------------------------------------------------------------------------------------

static void fill_settings(bp_method_settings *s, uint32_t dimensions) {
    if (s->cell_size > 0.0f && s->hierarchy_factor == 0.0f) {
        s->hierarchy_factor = 2.0f;
    }
    if (s->brute_force_below == 0) {
        s->brute_force_below = BP_BRUTE_FORCE_BELOW;
    }
    if (s->chunk_size == 0) {
        s->chunk_size = dimensions == 2 ? 32 : 8;
    }
    if (s->looseness == 0.0f) {
        s->looseness = 2.0f;
    }
    if (s->octree_max_objects == 0) {
        s->octree_max_objects = OCTREE_MAX_OBJECTS;
    }
    if (s->grid_load == 0.0f) {
        s->grid_load = s->hierarchy_factor > 0.0f ? 0.125f : 1.0f;
    }
}

bp_allocator bp_config_allocator(const bp_config *config) {
    return config != NULL && config->allocator.release != NULL ? config->allocator : bp_allocator_default();
}

static bp_runtime runtime_of(const bp_config *config) {
    bp_runtime runtime = {.allocator = bp_config_allocator(config), .executor = config->executor, .log = config->log};
    if (runtime.executor.run == NULL) {
        runtime.executor.workers = bp_workers_wanted(config->threads);
    }
    return runtime;
}

static bp_overlap_rule overlap_rule_of(const bp_config *config, uint32_t dimensions) {
    return (bp_overlap_rule){.dimensions = dimensions,
                             .shape = config->shape,
                             .margin = config->margin,
                             .period = {config->period[0], config->period[1], config->period[2]}};
}

bp_status bp_setup_complete(const bp_config *config, bp_setup *setup) {
    const bp_config c = config != NULL ? *config : (bp_config){0};
    bp_method_settings settings = c.settings != NULL ? *c.settings : (bp_method_settings){0};
    const bp_status status = check_config(&c, &settings);
    if (status != BP_OK) {
        return status;
    }
    const uint32_t dimensions = c.dimensions == 0 ? 3 : c.dimensions;
    fill_settings(&settings, dimensions);
    *setup = (bp_setup){
        .method = c.method,
        .flags = c.flags,
        .pair_order = c.pair_order,
        .radius_rule = c.radius_rule,
        .filter = c.filter,
        .stats = c.stats,
        .overlap = overlap_rule_of(&c, dimensions),
        .methods = {.runtime = runtime_of(&c), .dimensions = dimensions, .update = c.update, .settings = settings}};
    return bp_kernels_choose(settings.simd, &c.log, &setup->methods.kernels);
}
