// The cache of queries: a grid of those objects that the method's grid does not have.
//
// Making it takes as long as looking at them one by one some dozen times, so that is done first: whoever asks only now and
// then never pays for it, and whoever asks often pays at most twice. It is made by the thread whose question it is that
// comes then, on this thread alone (it may be one of the caller's executor); others go on one by one meanwhile. Nobody
// waits, and if memory is refused, nothing is lost but time.
//
//     asked     version of the world, and questions since        a change begins a new version
//     made      version that the grid is good for
#include "world/query/query.h"

#include <stdatomic.h>

enum {
    PATIENCE = 16, // questions
    FEW = 64,      // objects that are never worth a grid
    ASKED_BITS = 8
};

struct bp_query_cache {
    bp_config config; // the world's, but on one thread
    bp_sorted_grid grid;
    bp_buffer boxes, ids; // of what is in it
    atomic_uint_fast64_t asked;
    atomic_uint_fast64_t made;
    atomic_bool making;
};

bp_query_cache *bp_query_cache_create(const bp_config *config) {
    bp_query_cache *cache = config->allocator.allocate(config->allocator.context, sizeof *cache);
    if (cache == NULL) {
        return NULL;
    }
    *cache = (bp_query_cache){.config = *config};
    cache->config.executor = (bp_executor){.workers = 1};
    atomic_init(&cache->asked, 0);
    atomic_init(&cache->made, 0);
    atomic_init(&cache->making, false);
    bp_sorted_grid_init(&cache->grid, &cache->config);
    return cache;
}

void bp_query_cache_destroy(bp_query_cache *cache) {
    const bp_allocator allocator = cache->config.allocator;
    bp_sorted_grid_free(&cache->grid);
    bp_buffer_free(&cache->boxes, &allocator);
    bp_buffer_free(&cache->ids, &allocator);
    allocator.release(allocator.context, cache, sizeof *cache);
}

// ---- boxes ----------------------------------------------------------------------------------------------------------

// What a grid holds of an object: a box of floats that holds it, where it begins in 0 .. period. With some room for the
// rounding of coordinates as they were given: boxes are compared by those.
static bp_box proxy_of(const bp_world *world, bp_id id) {
    const bp_query query = {.world = world};
    const bp_found found = {.id = id};
    const bp_box_double given = bp_query_given_box(&query, &found), box = bp_query_box_of(&query, &found);
    bp_box proxy;
    for (int axis = 0; axis < 3; ++axis) {
        const double period = bp_period_of(&world->config, (uint32_t)axis);
        const double farthest = fabs(given.min[axis]) + fabs(given.max[axis]) + period;
        const double rounding = period > 0.0 && isfinite(box.min[axis]) ? 0x1p-50 * farthest : 0.0;
        const bool anywhere = period > 0.0 && rounding > period;
        proxy.min[axis] = anywhere ? -INFINITY : bp_round_down(box.min[axis] - rounding);
        proxy.max[axis] = anywhere ? INFINITY : bp_round_up(box.max[axis] + rounding);
    }
    return proxy;
}

// ---- making ---------------------------------------------------------------------------------------------------------

static bool make(bp_query_cache *cache, const bp_world *world, const bp_query_rest *rest) {
    const size_t most = bp_query_rest_count(rest);
    if (!bp_buffer_reserve_slack(&cache->boxes, &cache->config.allocator, 0, most, sizeof(bp_box)) ||
        !bp_buffer_reserve_slack(&cache->ids, &cache->config.allocator, 0, most, sizeof(bp_id))) {
        return false;
    }
    bp_box *boxes = cache->boxes.data;
    bp_id *ids = cache->ids.data;
    size_t count = 0;
    for (size_t i = 0; i < most; ++i) {
        const bp_id id = bp_query_rest_at(world, rest, i);
        if (id != BP_NO_ID) {
            ids[count] = id;
            boxes[count++] = proxy_of(world, id);
        }
    }
    return bp_sorted_grid_build(&cache->grid, boxes, count) == BP_OK;
}

// Counts a question; true if there have been enough. If several threads count at once, some may get lost.
static bool is_due(bp_query_cache *cache, uint64_t version) {
    const uint64_t mask = ((uint64_t)1 << ASKED_BITS) - 1, seen = atomic_load(&cache->asked);
    const uint64_t count = seen >> ASKED_BITS == version ? seen & mask : 0;
    if (count < PATIENCE) {
        atomic_store(&cache->asked, version << ASKED_BITS | (count + 1));
    }
    return count == PATIENCE;
}

static void try_to_make(bp_query_cache *cache, const bp_world *world, const bp_query_rest *rest) {
    if (atomic_exchange(&cache->making, true)) {
        return;
    }
    if (atomic_load(&cache->made) != world->version) { // nobody has been faster
        if (make(cache, world, rest)) {
            atomic_store(&cache->made, world->version);
        } else {
            atomic_store(&cache->made, 0);
            atomic_store(&cache->asked, world->version << ASKED_BITS); // again, but not at once
        }
    }
    atomic_store(&cache->making, false);
}

bool bp_query_cache_take(const bp_world *world, const bp_query_rest *rest, bp_query_source *source) {
    bp_query_cache *cache = world->queries;
    if (bp_query_rest_count(rest) <= FEW) {
        return false;
    }
    if (atomic_load(&cache->made) != world->version && is_due(cache, world->version)) {
        try_to_make(cache, world, rest);
    }
    if (atomic_load(&cache->made) != world->version) {
        return false;
    }
    *source = (bp_query_source){
        .grid = &cache->grid, .ids = cache->ids.data, .exact = !world->wide && !bp_query_is_periodic(world)};
    return true;
}
