#include "world/query/query_tree.h"

#include "base/workers.h"
#include "world/query/query.h"

#include <stdatomic.h>

enum {
    PATIENCE = 16,          // times that all objects are examined before a tree is built,
    FITTED = 0,             // and before one that is there is fitted
    WITHOUT_TREE_MAX = 64,  // objects: up to here testing all is faster than any tree
    PARTIAL_FIT_SHARE = 64, // with more than one changed object in 64, fitting the whole tree is as fast
    ASKED_SHARE = 32, // more queries between two updates than one for so many objects are worth a tree of our own,
    SPLITS_SHARE = 8  // and for so many, if some come in a batch, one by splits: they take as long as building it
};

typedef struct query_tree {
    bp_tree tree;
    uint64_t pair_version; // of the update after which it was fitted; 0: never
} query_tree;

struct bp_query_trees {
    bp_method_setup setup; // the world's, but with one thread
    query_tree kept, fresh;
    bp_buffer proxies;             // periodic: the boxes of the fresh tree
    bp_box_double bounds;          // of these, where they are finite
    atomic_uint_fast64_t fitted;   // the version of the world that the fresh tree is of
    atomic_uint_fast64_t examined; // objects one by one, since a tree was last built or fitted by queries
    atomic_uint patience;
    atomic_bool is_building;
    atomic_size_t asked; // queries since the last update; not all of them, when they are enough
    atomic_bool is_lent; // the world's executor and this memory have a user
    bp_batch_memory memory;
};

bp_query_trees *bp_query_trees_create(const bp_method_setup *setup) {
    const bp_allocator *allocator = &setup->runtime.allocator;
    bp_query_trees *trees = allocator->allocate(allocator->context, sizeof *trees);
    if (trees != NULL) {
        *trees = (bp_query_trees){.setup = *setup};
        trees->setup.runtime.executor = (bp_executor){.workers = 1};
        trees->kept.tree.setup = trees->fresh.tree.setup = &trees->setup;
        bp_query_trees_trim(trees);
    }
    return trees;
}

void bp_query_trees_trim(bp_query_trees *trees) {
    bp_tree_free(&trees->kept.tree);
    bp_tree_free(&trees->fresh.tree);
    bp_buffer_free(&trees->proxies, &trees->setup.runtime.allocator);
    bp_batch_memory_free(&trees->memory, &trees->setup.runtime.allocator);
    *trees = (bp_query_trees){.setup = trees->setup};
    bp_tree_init(&trees->kept.tree, &trees->setup);
    bp_tree_init(&trees->fresh.tree, &trees->setup);
    atomic_init(&trees->fitted, 0);
    atomic_init(&trees->examined, 0);
    atomic_init(&trees->patience, PATIENCE);
    atomic_init(&trees->is_building, false);
    atomic_init(&trees->asked, 0);
    atomic_init(&trees->is_lent, false);
}

void bp_query_trees_destroy(bp_query_trees *trees) {
    if (trees != NULL) {
        const bp_allocator allocator = trees->setup.runtime.allocator;
        bp_query_trees_trim(trees);
        allocator.release(allocator.context, trees, sizeof *trees);
    }
}

size_t bp_query_trees_bytes(const bp_query_trees *trees) {
    return sizeof *trees + bp_tree_bytes(&trees->kept.tree) + bp_tree_bytes(&trees->fresh.tree) + trees->proxies.bytes +
           bp_batch_memory_bytes(&trees->memory);
}

// ---- the method's trees ---------------------------------------------------------------------------------------------

// The method's trees, if they hold all objects as they were at the last update.
static size_t trees_of_method(const bp_world *world, const bp_tree *trees[2]) {
    const bp_world_method *method = &world->method;
    const bool may_have = method->ops->trees != NULL && world->is_built && !bp_world_is_viewed(world);
    return may_have ? method->ops->trees(method->state, trees) : 0;
}

// ---- fitting --------------------------------------------------------------------------------------------------------

// The tree's box of an object in a periodic world: a box of floats that contains its box, shifted so that it begins in
// 0 .. period. It has some room for the rounding of input coordinates, because boxes are compared by these.
static bp_box proxy_of(const bp_world *world, bp_id id, bp_box_double *bounds) {
    if (!bp_world_is_alive(world, id)) {
        return bp_box_hole();
    }
    const bp_box_double input = bp_query_input_box(world, id), box = bp_query_wrapped_box(world, id);
    bp_box proxy;
    for (int axis = 0; axis < 3; ++axis) {
        const double period = bp_period_of(&world->setup.overlap, (uint32_t)axis);
        const double farthest = fabs(input.min[axis]) + fabs(input.max[axis]) + period;
        const double rounding = period > 0.0 && isfinite(box.min[axis]) ? 0x1p-50 * farthest : 0.0;
        const bool is_anywhere = period > 0.0 && rounding > period;
        proxy.min[axis] = is_anywhere ? -INFINITY : bp_round_down(box.min[axis] - rounding);
        proxy.max[axis] = is_anywhere ? INFINITY : bp_round_up(box.max[axis] + rounding);
        if (isfinite(proxy.min[axis])) {
            bounds->min[axis] = fmin(bounds->min[axis], (double)proxy.min[axis]);
        }
        if (isfinite(proxy.max[axis])) {
            bounds->max[axis] = fmax(bounds->max[axis], (double)proxy.max[axis]);
        }
    }
    return proxy;
}

// NULL if memory is short.
static const bp_box *make_proxies(bp_query_trees *trees, const bp_world *world) {
    const size_t count = world->ids.count;
    if (!bp_buffer_reserve_slack(&trees->proxies, bp_world_allocator(world), 0, count, sizeof(bp_box))) {
        return NULL;
    }
    bp_box *proxies = trees->proxies.data;
    trees->bounds = (bp_box_double){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t id = 0; id < count; ++id) {
        proxies[id] = proxy_of(world, (bp_id)id, &trees->bounds);
    }
    return proxies;
}

static bool fit(query_tree *t, const bp_world *world, const bp_box *boxes, const bp_changes *changes) {
    const bool is_fitted = boxes != NULL && bp_tree_update(&t->tree, boxes, world->ids.count, changes) == BP_OK;
    t->pair_version = is_fitted ? world->pair_version : 0;
    return is_fitted;
}

// A tree for a world at rest, without room for changes.
static bool build(query_tree *t, const bp_world *world, const bp_box *boxes) {
    t->tree.is_kept = false;
    const bool is_built = boxes != NULL && bp_tree_build(&t->tree, boxes, world->ids.count, BP_TREE_SPLITS) == BP_OK;
    t->pair_version = is_built ? world->pair_version : 0;
    return is_built;
}

// For a few queries the method's trees are good enough; if it has none, a query fits the fresh tree, unless an update can do it in
// less time, because little has changed.
void bp_query_trees_fit(const bp_world *world) {
    bp_query_trees *trees = world->queries;
    const bp_tree *method_trees[2];
    const size_t method_count = trees_of_method(world, method_trees);
    const bool are_few = !bp_change_list_is_longer_than(&world->changes, world->ids.count / PARTIAL_FIT_SHARE);
    const size_t enough = method_count == 0 && are_few ? 1 : world->ids.count / ASKED_SHARE + 1;
    const bool is_asked = atomic_exchange(&trees->asked, 0) >= enough;
    query_tree *kept = &trees->kept, *fresh = &trees->fresh;
    if (!is_asked || method_count == 1 || bp_is_periodic(&world->setup.overlap)) {
        return;
    }
    if (kept->tree.level_count == 0) {
        const query_tree swapped = *kept;
        *kept = *fresh;
        *fresh = swapped;
        atomic_store(&trees->fitted, 0);
        atomic_store(&trees->patience, PATIENCE);
    }
    if (kept->tree.level_count > 0 || method_count == 2) {
        const bool is_next = kept->pair_version + 1 == world->pair_version;
        const bp_changes changes = bp_change_list_changes(&world->changes);
        (void)fit(kept, world, bp_world_boxes_floats(&world->boxes), is_next && are_few ? &changes : NULL);
    }
}

// Builds or fits the fresh tree, which nobody reads. Only one thread at a time.
static void try_to_fit(bp_query_trees *trees, const bp_world *world, bool by_splits) {
    const uint64_t version = world->changes.version;
    if (atomic_exchange(&trees->is_building, true)) {
        return;
    }
    if (atomic_load(&trees->fitted) != version) { // no other thread has done it meanwhile
        const bool is_periodic = bp_is_periodic(&world->setup.overlap);
        const bp_box *boxes = is_periodic ? make_proxies(trees, world) : bp_world_boxes_floats(&world->boxes);
        query_tree *fresh = &trees->fresh;
        const bool is_new = by_splits || fresh->tree.level_count == 0;
        const bool is_fitted = is_new ? build(fresh, world, boxes) : fit(fresh, world, boxes, NULL);
        atomic_store(&trees->examined, 0); // if memory was refused: again, but not at once
        atomic_store(&trees->patience, is_fitted ? FITTED : PATIENCE);
        atomic_store(&trees->fitted, is_fitted ? version : 0);
    }
    atomic_store(&trees->is_building, false);
}

// ---- taking ---------------------------------------------------------------------------------------------------------

static void use(bp_query *query, const bp_tree *const *trees, size_t count) {
    const bp_world_boxes *boxes = &query->world->boxes;
    const bool is_second_larger = count == 2 && trees[1]->placed > trees[0]->placed;
    query->tree_count = count;
    for (size_t i = 0; i < count;
         ++i) { // the larger one first: what is found there shortens the walk through the other
        query->trees[i] = trees[is_second_larger ? 1 - i : i];
    }
    query->is_exact = !boxes->is_double && !bp_world_boxes_have_margin(boxes) && !query->is_periodic;
}

static bool has_long_period(const bp_overlap_rule *rule) {
    return bp_period_of(rule, 0) > 0x1p90 || bp_period_of(rule, 1) > 0x1p90 || bp_period_of(rule, 2) > 0x1p90;
}

// Periodic: what an idle move does to a wrapped box is not listed, so only a fresh tree will do.
void bp_query_trees_take(bp_query *query, size_t count) {
    const bp_world *world = query->world;
    bp_query_trees *trees = world->queries;
    const bp_change_list *list = &world->changes;
    const bp_tree *method_trees[2];
    const size_t method_count = trees_of_method(world, method_trees);
    const bool is_kept = world->is_built && trees->kept.pair_version == world->pair_version && !query->is_periodic;
    const bool has_base = !list->all && (method_count > 0 || is_kept);
    const size_t others = has_base ? list->count : world->ids.count;
    const size_t asked = atomic_load_explicit(&trees->asked, memory_order_relaxed), all = bp_size_add(asked, count);
    const size_t many = world->ids.count / SPLITS_SHARE + WITHOUT_TREE_MAX;
    if (asked < many) { // then threads that ask at once no longer fight for it
        atomic_store_explicit(&trees->asked, all, memory_order_relaxed);
    }
    const bool is_stale = atomic_load(&trees->fitted) != list->version && world->ids.count > WITHOUT_TREE_MAX;
    if (is_stale && others == 0 && count > 1 && all >= many && !query->is_periodic) {
        try_to_fit(trees, world, true);
    }
    if (is_stale && others > 0 && !has_long_period(&world->setup.overlap)) {
        // Where several threads count at once, some counts may be lost.
        const uint64_t before = atomic_load_explicit(&trees->examined, memory_order_relaxed);
        const uint64_t patience =
            (uint64_t)atomic_load_explicit(&trees->patience, memory_order_relaxed) * world->ids.count;
        if (before >= patience || count > patience / others) {
            try_to_fit(trees, world, false);
        } else {
            atomic_store_explicit(&trees->examined, before + count * others, memory_order_relaxed);
        }
    }
    if (atomic_load(&trees->fitted) == list->version && (others > 0 || trees->fresh.tree.order == BP_TREE_SPLITS)) {
        use(query, (const bp_tree *[]){&trees->fresh.tree}, 1);
        query->bounds = trees->bounds;
    } else if (has_base) {
        const bp_tree *const own = &trees->kept.tree;
        const bool has_own = is_kept && method_count != 1;
        use(query, has_own ? &own : method_trees, has_own ? 1 : method_count);
        const bp_changes changes = bp_change_list_changes(list);
        query->changed = changes.ids;
        query->changed_count = changes.count;
        query->stale = changes.count > 0 ? changes.marks : NULL;
    }
}

// ---- lending --------------------------------------------------------------------------------------------------------

bp_batch_loan bp_query_borrow(const bp_world *world, bp_batch_memory *own) {
    bp_query_trees *trees = world->queries;
    if (atomic_exchange_explicit(&trees->is_lent, true, memory_order_acquire)) {
        return (bp_batch_loan){.executor = &trees->setup.runtime.executor, .memory = own, .is_own = true};
    }
    bp_workers_expect(bp_world_executor(world));
    return (bp_batch_loan){.executor = bp_world_executor(world), .memory = &trees->memory};
}

void bp_query_return(const bp_world *world, bp_batch_loan *loan) {
    if (loan->is_own) {
        bp_batch_memory_free(loan->memory, bp_world_allocator(world));
    } else {
        bp_workers_rest(bp_world_executor(world));
        atomic_store_explicit(&world->queries->is_lent, false, memory_order_release);
    }
}
