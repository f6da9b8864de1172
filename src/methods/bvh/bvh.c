// bvh: a binary tree of bounding boxes, walked down against itself.
//
// Idea: a node's box holds all boxes below it, so two nodes that do not overlap spare the tests of everything below them.
// Leaves hold eight boxes in columns: the last three levels of the walk are one step of the vector kernel.
//
//                 root              build    top-down, bottom-up, insertion                              bvh_build.c
//               /      \            change   a box leaves and enters, O(log n); or all bounds are mended
//             n          n                   and the tree keeps its shape (refit)                        bvh_insert.c
//           /   \      /   \        find     nodes against nodes, leaves against leaves                  bvh_find.c
//         leaf leaf  leaf leaf      layout   pairs of nodes, slots of boxes                              bvh_tree.h
//
// Cost: O(n log n) to build, O(n) to refit, O(n + pairs) to find where boxes are spread evenly. Sizes and distances do
// not matter. Loses to a grid by the time that it takes to build and to walk, about three times, where sizes are alike;
// and where boxes are long in all directions at once, since then nodes overlap everywhere.
//
// update = automatic: if few objects changed, each is moved in the tree and only those are searched for. Else the tree
// is refitted. Its leaves grow as objects drift apart, and with them the work of finding; the excess over the tree as it
// was built is added up, and when the sum has reached what a new tree costs, it is built anew.
//
// Source: M. Zych, "Efficient algorithms for collision detection in three-dimensional space" (seed 001), section 2.1,
// after C. Ericson, "Real-Time Collision Detection", chapter 6.
#include "methods/bvh/bvh_tree.h"

#include "methods/method.h"

enum {
    FEW = 16,    // one object in so many is few
    WORN_OUT = 4 // changes per object after which a tree that was changed box by box is built anew
};

// What a new tree costs, by build, as the excess of squared extents that searches may add up instead (measured).
static const double BUILD_COST[] = {[BP_BVH_TOP_DOWN] = 0.5, [BP_BVH_BOTTOM_UP] = 2.0, [BP_BVH_INSERTION] = 6.0};

typedef struct bvh {
    const bp_config *config;
    bvh_tree tree;
    bvh_tree other; // of the other set of find_between
    bvh_search search;
    double spread;       // of the leaves as they were built
    double excess;       // of the leaves of all searches since over that, in shares of it
    size_t change_count; // boxes that were moved one by one since the build
    bp_update_strategy update;
} bvh;

static bp_status create(const bp_config *config, void **state) {
    bvh *b = config->allocator.allocate(config->allocator.context, sizeof *b);
    *state = b;
    if (b == NULL) {
        return BP_ERROR_MEMORY;
    }
    *b = (bvh){.config = config, .update = BP_UPDATE_REBUILD};
    bvh_tree_init(&b->tree, config);
    bvh_tree_init(&b->other, config);
    return BP_OK;
}

static void destroy(void *state) {
    bvh *b = state;
    const bp_allocator allocator = b->config->allocator;
    bvh_tree_free(&b->tree);
    bvh_tree_free(&b->other);
    bvh_search_free(&b->search, &allocator);
    allocator.release(allocator.context, b, sizeof *b);
}

static bp_status build(void *state, const bp_box *boxes, size_t count) {
    bvh *b = state;
    const bp_status status = bvh_build(&b->tree, boxes, count);
    if (status != BP_OK) {
        (void)bvh_tree_clear(&b->tree, NULL, 0); // no memory needed: cannot fail
        return status;
    }
    b->spread = bvh_spread(&b->tree);
    b->excess = 0.0;
    b->change_count = 0;
    b->update = b->config->update == BP_UPDATE_INDIVIDUAL ? BP_UPDATE_INDIVIDUAL : BP_UPDATE_REBUILD;
    return BP_OK;
}

// ---- updating -------------------------------------------------------------------------------------------------------

static bp_status relocate(bvh *b, const bp_id *ids, size_t count) {
    bp_status status = BP_OK;
    for (size_t i = 0; i < count && status == BP_OK; ++i) {
        status = bvh_relocate(&b->tree, ids != NULL ? ids[i] : (uint32_t)i);
    }
    b->change_count += count;
    b->update = BP_UPDATE_INDIVIDUAL;
    return status;
}

// Objects that a refit cannot bring up to date: they came, went, or became infinite or finite.
static bool has_to_move(const bvh *b, uint32_t id) {
    const bp_box *box = &b->tree.boxes[id];
    const uint32_t place = bvh_places(&b->tree)[id];
    if (bp_box_is_hole(box) || place == BVH_NOWHERE) {
        return !(bp_box_is_hole(box) && place == BVH_NOWHERE);
    }
    return bvh_is_finite(box, b->config->dimensions) == ((place & BVH_SCANNED) != 0);
}

static bp_status move_those_that_have_to(bvh *b, bool *too_many) {
    size_t left = b->tree.id_count / FEW + 1;
    bp_status status = BP_OK;
    for (size_t id = 0; id < b->tree.id_count && status == BP_OK && left > 0; ++id) {
        if (has_to_move(b, (uint32_t)id)) {
            status = bvh_relocate(&b->tree, (uint32_t)id);
            --left;
        }
    }
    *too_many = left == 0;
    return status;
}

// Mends the bounds, unless a new tree is due.
static bp_status refit(bvh *b, bool *due) {
    bp_status status = move_those_that_have_to(b, due);
    if (status != BP_OK || *due) {
        return status;
    }
    status = bvh_refit(&b->tree);
    const double spread = bvh_spread(&b->tree);
    b->excess += spread > b->spread ? spread / b->spread - 1.0 : 0.0;
    b->update = BP_UPDATE_INDIVIDUAL;
    *due = !(b->excess < BUILD_COST[b->config->bvh_build]);
    return status;
}

static bp_status bring_up_to_date(bvh *b, const bp_changes *changes, bp_answer *answer, bool *due) {
    const bool few = changes != NULL && changes->count < b->tree.id_count / FEW;
    if (b->config->update == BP_UPDATE_INDIVIDUAL || few) {
        *answer = changes != NULL ? BP_ANSWER_CHANGED : BP_ANSWER_ALL;
        *due = b->config->update == BP_UPDATE_AUTOMATIC && b->change_count > WORN_OUT * b->tree.id_count;
        return changes != NULL ? relocate(b, changes->ids, changes->count) : relocate(b, NULL, b->tree.id_count);
    }
    return refit(b, due);
}

static bp_status update(void *state, const bp_box *boxes, size_t count, const bp_changes *changes, bp_answer *answer) {
    bvh *b = state;
    bool due = false;
    *answer = BP_ANSWER_ALL;
    bp_status status = bvh_tree_renew(&b->tree, boxes, count);
    if (status == BP_OK) {
        status = bring_up_to_date(b, changes, answer, &due);
    }
    return status == BP_OK && due ? build(b, boxes, count) : status;
}

// ---- finding --------------------------------------------------------------------------------------------------------

static bp_status find(void *state, bp_sink *sink) {
    bvh *b = state;
    return bvh_find(&b->search, &b->tree, &b->tree, sink);
}

static bp_status find_changed(void *state, const bp_changes *changes, bp_sink *sink) {
    bvh *b = state;
    return bvh_find_changed(&b->search, &b->tree, changes->ids, changes->count, changes->marks, sink);
}

static bp_status find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    bvh *b = state;
    const bp_status status = bvh_build(&b->other, boxes, count);
    return status == BP_OK ? bvh_find(&b->search, &b->other, &b->tree, sink) : status;
}

static void stats(const void *state, bp_stats *stats) {
    const bvh *b = state;
    const bvh_tree *tree = &b->tree;
    stats->update = b->update;
    stats->bytes = sizeof *b + bvh_tree_bytes(tree) + bvh_tree_bytes(&b->other) + bvh_search_bytes(&b->search);
    stats->levels = tree->tree_count > 0 ? bvh_heights(tree)[BVH_ROOT] + 1 : 0;
    stats->cells = tree->slot_end;
    stats->occupied = tree->leaf_count;
    stats->objects_per_cell = tree->leaf_count > 0 ? (double)tree->tree_count / (double)tree->leaf_count : 0.0;
    stats->objects_per_cell_max = bvh_fullest(tree);
}

static bp_status validate(const void *state) {
    const bvh *b = state;
    return bvh_tree_validate(&b->tree);
}

const bp_method_ops bp_bvh_ops = {
    .name = "bvh",
    .summary = "a tree of bounding boxes: O(n log n), any sizes, unbounded space; refitted while objects move little",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_INCREMENTAL | BP_SUPPORTS_THREADS,
    .create = create,
    .destroy = destroy,
    .build = build,
    .update = update,
    .find = find,
    .find_changed = find_changed,
    .find_between = find_between,
    .stats = stats,
    .validate = validate,
};
