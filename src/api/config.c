#include "api/config.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "kernels/kernels.h"
#include "methods/method.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum {
    GRID_SIZE_MIN = 4,
    GRID_SIZE_MAX = 1 << 20,
    THREADS_MAX = 1024,
    OCTREE_MAX_OBJECTS = 11, // the seed's
    OCTREE_DEPTH_MAX = 21,
    LOOSENESS_MAX = 8,
    CHUNK_SIZE_MAX = 64, // 2^18 pivots in a chunk
    CHUNK_SIZE_MAX_2D = 1024,
    BRUTE_FORCE_BELOW = 320 // where both ways take the same time: docs/performance.md
};

void bp_log_write(const bp_config *config, const char *format, ...) {
    if (config->log.write == NULL) {
        return;
    }
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    config->log.write(config->log.context, text);
}

static bp_status refuse(const bp_config *config, const char *field, const char *remedy) {
    bp_log_write(config, "config.%s: %s", field, remedy);
    return BP_ERROR_ARGUMENT;
}

static int is_zero_or_positive(float value) {
    return value >= 0.0f && isfinite(value);
}

static int is_grid_size(uint32_t size) {
    return size == 0 || (size >= GRID_SIZE_MIN && size <= GRID_SIZE_MAX && (size & (size - 1)) == 0);
}

static bp_status check_choices(const bp_config *c) {
    if ((size_t)c->method >= bp_method_count()) {
        return refuse(c, "method", "there is no such method; bp_method_count() tells how many there are");
    }
    if (c->dimensions != 0 && c->dimensions != 2 && c->dimensions != 3) {
        return refuse(c, "dimensions", "must be 2 or 3 (0 means 3)");
    }
    if (c->threads < -1 || c->threads > THREADS_MAX) {
        return refuse(c, "threads", "must be -1 (all cores) to 1024");
    }
    if ((unsigned)c->update > BP_UPDATE_REBUILD) {
        return refuse(c, "update", "must be a bp_update_strategy");
    }
    if ((unsigned)c->pair_order > BP_ORDER_SORTED) {
        return refuse(c, "pair_order", "must be a bp_pair_order");
    }
    if ((unsigned)c->simd > BP_SIMD_NEON) {
        return refuse(c, "simd", "must be a bp_simd");
    }
    if ((c->flags & ~(uint32_t)(BP_PAIRS_FIXED | BP_EVENTS | BP_NEIGHBORS_HALF)) != 0) {
        return refuse(c, "flags", "holds a bit that is no flag");
    }
    return BP_OK;
}

static bp_status check_geometry(const bp_config *c) {
    if ((unsigned)c->shape > BP_SHAPE_SPHERES) {
        return refuse(c, "shape", "must be a bp_shape");
    }
    if ((unsigned)c->radius_rule > BP_RADIUS_SUM) {
        return refuse(c, "radius_rule", "must be a bp_radius_rule");
    }
    if (!is_zero_or_positive(c->margin)) {
        return refuse(c, "margin", "must be positive and finite, or 0");
    }
    for (int axis = 0; axis < 3; ++axis) {
        if (!is_zero_or_positive(c->period[axis])) {
            return refuse(c, "period", "must be positive and finite along each axis, or 0 where space does not repeat");
        }
    }
    return BP_OK;
}

static bp_status check_grid(const bp_config *c) {
    if (c->hierarchy_factor != 0.0f && !(c->hierarchy_factor > 1.0f && isfinite(c->hierarchy_factor))) {
        return refuse(c, "hierarchy_factor", "must be greater than 1, or 0 to let the library choose the levels");
    }
    if (!is_zero_or_positive(c->cell_size)) {
        return refuse(c, "cell_size", "must be positive and finite, or 0 to take it from the objects");
    }
    for (int axis = 0; axis < 3; ++axis) {
        if (!is_grid_size(c->grid_size[axis])) {
            return refuse(c, "grid_size", "must be powers of two from 4 to 1048576, or 0");
        }
    }
    if (!is_zero_or_positive(c->grid_load)) {
        return refuse(c, "grid_load", "must be positive and finite, or 0");
    }
    return BP_OK;
}

static bp_status check_cells(const bp_config *c) {
    for (uint32_t axis = 0; axis < 3; ++axis) {
        const float min = c->domain.min[axis], max = c->domain.max[axis];
        if (!(min <= max && isfinite(min) && isfinite(max))) {
            return refuse(c, "domain", "must be finite with min <= max, or all zero to take it from the boxes");
        }
    }
    if ((unsigned)c->hash_table > BP_HASH_OPEN) {
        return refuse(c, "hash_table", "must be a bp_hash_table");
    }
    return BP_OK;
}

static bp_status check_uniform_grids(const bp_config *c) {
    const uint32_t chunk_most = c->dimensions == 2 ? CHUNK_SIZE_MAX_2D : CHUNK_SIZE_MAX;
    if ((unsigned)c->pivot_layout > BP_PIVOTS_DENSE) {
        return refuse(c, "pivot_layout", "must be a bp_pivot_layout");
    }
    if (c->chunk_size > chunk_most || (c->chunk_size & (c->chunk_size - 1)) != 0) {
        return refuse(c, "chunk_size", "must be a power of two up to 64 (1024 in two dimensions), or 0");
    }
    if ((unsigned)c->compact_keys > BP_KEYS_Z_CURVE) {
        return refuse(c, "compact_keys", "must be a bp_compact_keys");
    }
    if ((unsigned)c->compact_sort > BP_SORT_ADAPTIVE) {
        return refuse(c, "compact_sort", "must be a bp_compact_sort");
    }
    return BP_OK;
}

static bp_status check_bvh_and_sweep(const bp_config *c) {
    if ((unsigned)c->bvh_build > BP_BVH_INSERTION) {
        return refuse(c, "bvh_build", "must be a bp_bvh_build");
    }
    if ((unsigned)c->bvh_split > BP_BVH_SPATIAL_MEDIAN) {
        return refuse(c, "bvh_split", "must be a bp_bvh_split");
    }
    if ((unsigned)c->bvh_axis > BP_BVH_LARGEST_VARIANCE) {
        return refuse(c, "bvh_axis", "must be a bp_bvh_axis");
    }
    if ((unsigned)c->bvh_descent > BP_BVH_ONE_BEFORE_OTHER) {
        return refuse(c, "bvh_descent", "must be a bp_bvh_descent");
    }
    if (c->sweep_axes != 0 && c->sweep_axes != 1 && c->sweep_axes != 3) {
        return refuse(c, "sweep_axes", "must be 1 or 3, or 0 to let the motion decide");
    }
    return BP_OK;
}

static bp_status check_trees(const bp_config *c) {
    if (c->octree_max_depth > OCTREE_DEPTH_MAX) {
        return refuse(c, "octree_max_depth", "must be at most 21, or 0 for that");
    }
    if (c->looseness != 0.0f && !(c->looseness >= 1.0f && c->looseness <= LOOSENESS_MAX)) {
        return refuse(c, "looseness", "must be 1 to 8, or 0 for 2");
    }
    return BP_OK;
}

static bp_status check_hooks(const bp_config *c) {
    if ((c->allocator.allocate == NULL) != (c->allocator.release == NULL)) {
        return refuse(c, "allocator", "needs both allocate and release, or neither");
    }
    if (c->executor.run != NULL && c->executor.workers == 0) {
        return refuse(c, "executor", "needs at least one worker");
    }
    return BP_OK;
}

static void fill_defaults(bp_config *c) {
    if (c->dimensions == 0) {
        c->dimensions = 3;
    }
    if (c->allocator.allocate == NULL) {
        c->allocator = bp_allocator_default();
    }
    if (c->executor.run == NULL) {
        c->executor.workers = bp_parallel_workers(c->threads);
    }
    if (c->cell_size > 0.0f && c->hierarchy_factor == 0.0f) {
        c->hierarchy_factor = 2.0f;
    }
    if (c->brute_force_below == 0) {
        c->brute_force_below = BRUTE_FORCE_BELOW;
    }
    if (c->chunk_size == 0) {
        c->chunk_size = c->dimensions == 2 ? 32 : 8;
    }
    if (c->looseness == 0.0f) {
        c->looseness = 2.0f;
    }
    if (c->octree_max_objects == 0) {
        c->octree_max_objects = OCTREE_MAX_OBJECTS;
    }
    if (c->grid_load == 0.0f) {
        c->grid_load = c->hierarchy_factor > 0.0f ? 0.125f : 1.0f;
    }
}

bp_status bp_config_complete(const bp_config *given, bp_config *complete) {
    *complete = given != NULL ? *given : (bp_config){0};
    bp_status status = check_choices(complete);
    if (status == BP_OK) {
        status = check_geometry(complete);
    }
    if (status == BP_OK) {
        status = check_grid(complete);
    }
    if (status == BP_OK) {
        status = check_cells(complete);
    }
    if (status == BP_OK) {
        status = check_uniform_grids(complete);
    }
    if (status == BP_OK) {
        status = check_bvh_and_sweep(complete);
    }
    if (status == BP_OK) {
        status = check_trees(complete);
    }
    if (status == BP_OK) {
        status = check_hooks(complete);
    }
    if (status != BP_OK) {
        return status;
    }
    fill_defaults(complete);
    return bp_kernels_choose(complete);
}
