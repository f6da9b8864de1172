// The cache of queries: a grid of the objects that are not in the method's grid.
//
// Building it takes as long as checking these objects one by one some dozen times, so the first queries do that: a
// caller that queries only now and then never pays for the grid, and one that queries often pays at most twice. The
// thread of the next query builds it, alone (it may be one of the caller's executor); other threads continue one by one
// meanwhile. Nobody waits, and if memory is refused, only time is lost.
//
//     counted   version of the world, and queries since then     a change begins a new version
//     built     version that the grid is valid for
//
// Lines have an outline of the world (outline.h), which tells most of those that hit nothing; and in worlds of a few thousand
// objects a pack of all of them instead of grids (box_pack.h). Both by the same rules; but where there were many lines, many
// more are expected after the next change: then an update draws the outline, and gets the memory for the pack.
#include "world/query/query_cache.h"
#include "base/workers.h"

#include <stdatomic.h>

enum {
    PATIENCE = 16, // queries before the grid is built
    FEW = 64,      // objects that are never worth a grid
    COUNT_BITS = 8,

    LINE_PATIENCE = 16, // lines before the outline or the pack is made, and one more for this many objects:
    OUTLINE_PATIENCE_SHARE = 256,
    PACK_PATIENCE_SHARE = 64,
    LINE_COUNT_BITS = 15
};

struct bp_query_cache {
    bp_method_setup setup; // the world's, but with one thread
    bp_sorted_grid grid;
    bp_buffer boxes, ids; // of the objects in it
    bp_outline outline;
    bp_box_pack pack;
    atomic_uint_fast64_t counted;
    atomic_uint_fast64_t built;
    atomic_uint_fast64_t lines;       // the same for lines: version, whether many are expected, how many there were
    atomic_uint_fast64_t outlined;    // version that the outline is valid for
    atomic_uint_fast64_t inner_lines; // lines that meet the bounds of the outline, or for which there was none
    atomic_uint_fast64_t packed;      // version that the pack is valid for
    atomic_size_t pack_room;          // objects that it has memory for
    atomic_bool building;
    atomic_bool asked;   // there was a query since the last update
    atomic_bool is_lent; // the world's executor and this memory have a user
    bp_batch_memory memory;
};

bp_query_cache *bp_query_cache_create(const bp_method_setup *setup) {
    const bp_allocator *allocator = &setup->runtime.allocator;
    bp_query_cache *cache = allocator->allocate(allocator->context, sizeof *cache);
    if (cache == NULL) {
        return NULL;
    }
    *cache = (bp_query_cache){.setup = *setup};
    cache->setup.runtime.executor = (bp_executor){.workers = 1};
    atomic_init(&cache->counted, 0);
    atomic_init(&cache->built, 0);
    atomic_init(&cache->lines, 0);
    atomic_init(&cache->outlined, 0);
    atomic_init(&cache->inner_lines, 0);
    atomic_init(&cache->packed, 0);
    atomic_init(&cache->pack_room, 0);
    atomic_init(&cache->building, false);
    atomic_init(&cache->asked, false);
    atomic_init(&cache->is_lent, false);
    bp_sorted_grid_init(&cache->grid, &cache->setup);
    return cache;
}

void bp_query_cache_destroy(bp_query_cache *cache) {
    if (cache == NULL) {
        return;
    }
    const bp_allocator allocator = cache->setup.runtime.allocator;
    bp_sorted_grid_free(&cache->grid);
    bp_box_pack_free(&cache->pack, &allocator);
    bp_batch_memory_free(&cache->memory, &allocator);
    bp_buffer_free(&cache->boxes, &allocator);
    bp_buffer_free(&cache->ids, &allocator);
    allocator.release(allocator.context, cache, sizeof *cache);
}

// Written once only, so that threads that ask at once do not fight for the memory.
void bp_query_cache_note(bp_query_cache *cache) {
    if (!atomic_load_explicit(&cache->asked, memory_order_relaxed)) {
        atomic_store_explicit(&cache->asked, true, memory_order_relaxed);
    }
}

bool bp_query_cache_was_asked(bp_query_cache *cache) {
    return atomic_exchange_explicit(&cache->asked, false, memory_order_relaxed);
}

// ---- building -------------------------------------------------------------------------------------------------------

// The grid's box of an object: a box of floats that contains its box, shifted so that it begins in 0 .. period. It has
// some room for the rounding of input coordinates, because boxes are compared by these.
static bp_box proxy_of(const bp_world *world, bp_id id) {
    const bp_query query = {.world = world};
    const bp_found found = {.id = id};
    const bp_box_double input = bp_query_input_box(&query, &found), box = bp_query_wrapped_box(&query, &found);
    bp_box proxy;
    for (int axis = 0; axis < 3; ++axis) {
        const double period = bp_period_of(&world->setup.overlap, (uint32_t)axis);
        const double farthest = fabs(input.min[axis]) + fabs(input.max[axis]) + period;
        const double rounding = period > 0.0 && isfinite(box.min[axis]) ? 0x1p-50 * farthest : 0.0;
        const bool anywhere = period > 0.0 && rounding > period;
        proxy.min[axis] = anywhere ? -INFINITY : bp_round_down(box.min[axis] - rounding);
        proxy.max[axis] = anywhere ? INFINITY : bp_round_up(box.max[axis] + rounding);
    }
    return proxy;
}

static bool build_grid(bp_query_cache *cache, const bp_world *world, const bp_unindexed *unindexed) {
    const bp_allocator *allocator = &cache->setup.runtime.allocator;
    const size_t most = bp_unindexed_count(unindexed);
    if (!bp_buffer_reserve_slack(&cache->boxes, allocator, 0, most, sizeof(bp_box)) ||
        !bp_buffer_reserve_slack(&cache->ids, allocator, 0, most, sizeof(bp_id))) {
        return false;
    }
    bp_box *boxes = cache->boxes.data;
    bp_id *ids = cache->ids.data;
    size_t count = 0;
    for (size_t i = 0; i < most; ++i) {
        const bp_id id = bp_unindexed_at(unindexed, world, i);
        if (id != BP_NO_ID) {
            ids[count] = id;
            boxes[count++] = proxy_of(world, id);
        }
    }
    return bp_sorted_grid_build(&cache->grid, boxes, count) == BP_OK;
}

// Counts queries; true if there have been enough. If several threads count at once, some counts may be lost.
static bool is_due(bp_query_cache *cache, uint64_t version, size_t count) {
    const uint64_t mask = ((uint64_t)1 << COUNT_BITS) - 1, last = atomic_load(&cache->counted);
    const uint64_t before = last >> COUNT_BITS == version ? last & mask : 0;
    const uint64_t counted = count < PATIENCE - before ? before + count : PATIENCE;
    if (before < PATIENCE) {
        atomic_store(&cache->counted, version << COUNT_BITS | counted);
    }
    return before == PATIENCE || count > PATIENCE;
}

static void try_to_build(bp_query_cache *cache, const bp_world *world, const bp_unindexed *unindexed) {
    const uint64_t version = world->changes.version;
    if (atomic_exchange(&cache->building, true)) {
        return;
    }
    if (atomic_load(&cache->built) != version) { // no other thread has built it meanwhile
        if (build_grid(cache, world, unindexed)) {
            atomic_store(&cache->built, version);
        } else {
            atomic_store(&cache->built, 0);
            atomic_store(&cache->counted, version << COUNT_BITS); // try again, but not at once
        }
    }
    atomic_store(&cache->building, false);
}

bool bp_query_cache_take(const bp_world *world, const bp_unindexed *unindexed, size_t count, bp_query_source *source) {
    bp_query_cache *cache = world->queries;
    const uint64_t version = world->changes.version;
    if (bp_unindexed_count(unindexed) <= FEW) {
        return false;
    }
    if (atomic_load(&cache->built) != version && is_due(cache, version, count)) {
        try_to_build(cache, world, unindexed);
    }
    if (atomic_load(&cache->built) != version) {
        return false;
    }
    *source = (bp_query_source){.grid = &cache->grid,
                                .ids = cache->ids.data,
                                .exact = !world->boxes.is_double && !bp_is_periodic(&world->setup.overlap)};
    return true;
}

// ---- lines ----------------------------------------------------------------------------------------------------------

// What is made for the lines of a world whose last version had many is made for the first line of the next.
typedef struct line_count {
    uint64_t version, lines;
    bool expects_many;
} line_count;

static line_count unpack_count(uint64_t bits) {
    return (line_count){.version = bits >> (LINE_COUNT_BITS + 1),
                        .lines = bits & (((uint64_t)1 << LINE_COUNT_BITS) - 1),
                        .expects_many = (bits >> LINE_COUNT_BITS & 1) != 0};
}

static uint64_t count_bits(line_count count) {
    return count.version << (LINE_COUNT_BITS + 1) | (uint64_t)count.expects_many << LINE_COUNT_BITS | count.lines;
}

// Counts a line; true if there have been enough, now or in the last version. Threads that count at once may lose counts.
static inline bool has_many_lines(atomic_uint_fast64_t *lines, uint64_t version, uint64_t many) {
    line_count count = unpack_count(atomic_load_explicit(lines, memory_order_relaxed));
    if (count.version != version) {
        count = (line_count){.version = version, .expects_many = count.lines >= many};
    }
    const bool is_due = count.expects_many || count.lines >= many;
    if (count.lines < many) {
        ++count.lines;
        atomic_store_explicit(lines, count_bits(count), memory_order_relaxed);
    }
    return is_due;
}

static bool had_many_lines(const atomic_uint_fast64_t *lines, uint64_t many) {
    return unpack_count(atomic_load(lines)).lines >= many;
}

// So many that they count in the next version, too.
static uint64_t many_lines(const bp_world *world, uint64_t share) {
    const uint64_t most = ((uint64_t)1 << LINE_COUNT_BITS) - 1, many = LINE_PATIENCE + world->ids.count / share;
    return many < most ? many : most;
}

// ---- the outline ----------------------------------------------------------------------------------------------------

static void draw_outline(bp_query_cache *cache, const bp_world *world) {
    bp_outline_draw(&cache->outline, bp_world_boxes_floats(&world->boxes), world->ids.count,
                    world->setup.overlap.dimensions);
    atomic_store(&cache->outlined, world->changes.version);
}

static void try_to_outline(bp_query_cache *cache, const bp_world *world) {
    if (bp_is_periodic(&world->setup.overlap) || atomic_exchange(&cache->building, true)) {
        return;
    }
    if (atomic_load(&cache->outlined) != world->changes.version) { // no other thread has drawn it meanwhile
        draw_outline(cache, world);
    }
    atomic_store(&cache->building, false);
}

const bp_outline *bp_query_cache_outline(const bp_world *world) {
    bp_query_cache *cache = world->queries;
    const uint64_t version = world->changes.version;
    const bool is_due = has_many_lines(&cache->lines, version, many_lines(world, OUTLINE_PATIENCE_SHARE));
    if (is_due && atomic_load(&cache->outlined) != version) {
        try_to_outline(cache, world);
    }
    return atomic_load(&cache->outlined) == version ? &cache->outline : NULL;
}

// ---- the pack -------------------------------------------------------------------------------------------------------

static bool may_have_pack(const bp_world *world) {
    return world->ids.count <= BP_BOX_PACK_MOST && !bp_is_periodic(&world->setup.overlap);
}

static bool reserve_pack(bp_query_cache *cache, size_t count) {
    const bool done = bp_box_pack_reserve(&cache->pack, &cache->setup.runtime.allocator, count);
    atomic_store(&cache->pack_room, cache->pack.room);
    return done;
}

static void try_to_pack(bp_query_cache *cache, const bp_world *world) {
    const uint64_t version = world->changes.version;
    if (atomic_exchange(&cache->building, true)) {
        return;
    }
    if (atomic_load(&cache->packed) != version) {
        const bp_box *boxes = bp_world_boxes_floats(&world->boxes);
        const bool done = reserve_pack(cache, world->ids.count) &&
                          bp_box_pack_build(&cache->pack, &cache->setup, boxes, world->ids.count);
        atomic_store(&cache->packed, done ? version : 0);
        if (!done) {
            atomic_store(&cache->inner_lines, count_bits((line_count){.version = version})); // try again, later
        }
    }
    atomic_store(&cache->building, false);
}

// A query gets no memory for it where it would get none for a grid, either.
static bool has_room_for_pack(bp_query_cache *cache, const bp_world *world) {
    return world->ids.count <= atomic_load(&cache->pack_room) || atomic_load(&cache->built) == world->changes.version;
}

const bp_box_pack *bp_query_cache_pack(const bp_world *world) {
    bp_query_cache *cache = world->queries;
    const uint64_t version = world->changes.version;
    if (!may_have_pack(world)) {
        return NULL;
    }
    const bool is_due = has_many_lines(&cache->inner_lines, version, many_lines(world, PACK_PATIENCE_SHARE));
    if (is_due && atomic_load(&cache->packed) != version && has_room_for_pack(cache, world)) {
        try_to_pack(cache, world);
    }
    return atomic_load(&cache->packed) == version ? &cache->pack : NULL;
}

void bp_query_cache_expect_lines(const bp_world *world) {
    bp_query_cache *cache = world->queries;
    if (had_many_lines(&cache->lines, many_lines(world, OUTLINE_PATIENCE_SHARE))) {
        try_to_outline(cache, world);
    }
    if (may_have_pack(world) && had_many_lines(&cache->inner_lines, many_lines(world, PACK_PATIENCE_SHARE))) {
        atomic_store(&cache->packed, 0);
        (void)reserve_pack(cache, world->ids.count);
    }
}

// ---- lending --------------------------------------------------------------------------------------------------------

bp_batch_loan bp_query_cache_borrow(const bp_world *world, bp_batch_memory *own) {
    bp_query_cache *cache = world->queries;
    if (atomic_exchange(&cache->is_lent, true)) {
        return (bp_batch_loan){.executor = &cache->setup.runtime.executor, .memory = own, .is_own = true};
    }
    bp_workers_expect(bp_world_executor(world));
    return (bp_batch_loan){.executor = bp_world_executor(world), .memory = &cache->memory};
}

void bp_query_cache_return(const bp_world *world, bp_batch_loan *loan) {
    bp_query_cache *cache = world->queries;
    if (loan->is_own) {
        bp_batch_memory_free(loan->memory, bp_world_allocator(world));
    } else {
        bp_workers_rest(bp_world_executor(world));
        atomic_store(&cache->is_lent, false);
    }
}
