// bvh: a binary tree of bounding boxes, traversed against itself.
//
// Idea: a node's box contains all boxes below it, so where two nodes do not overlap, nothing below them needs a test.
// Leaves hold eight boxes in columns: the last three levels of the traversal are one step of the vector kernel.
//
//                 root              build    top-down, bottom-up, insertion                              bvh_build.c
//               /      \            change   a box is removed or inserted, O(log n); or all bounds are
//             n          n                   recomputed and the tree keeps its shape (refit)             bvh_insert.c
//           /   \      /   \        find     nodes against nodes, leaves against leaves                  bvh_find.c
//         leaf leaf  leaf leaf      layout   pairs of nodes, slots of boxes                              bvh_tree.h
//
// Cost: O(n log n) to build, O(n) to refit, O(n + pairs) to find where boxes are spread evenly. Sizes and distances do
// not matter. Loses to a grid where sizes are similar: building and traversing the tree takes about three times as
// long. Also loses where boxes are long in all directions at once, since then nodes overlap everywhere.
//
// update = automatic: if few objects changed, each is moved in the tree and only their pairs are searched for.
// Otherwise the tree is refitted. Its leaves grow as objects drift apart, and searches become slower: the excess over the tree
// as built is summed up until it reaches the cost of a new tree. That misses objects that mix while they come closer; so
// if a sample of leaves overlaps many times more leaves than in the tree as built, it is rebuilt at once.
//
// Source: M. Zych, "Efficient algorithms for collision detection in three-dimensional space", 2016, section 2.1, after
// C. Ericson, "Real-Time Collision Detection", 2005, chapter 6.
#include "engine/method.h"
#include "literature/bvh/bvh_build.h"
#include "literature/bvh/bvh_find.h"
#include "literature/bvh/bvh_insert.h"

enum {
    FEW = 16,     // at most one object in this many is few
    WORN_OUT = 4, // changes per object after which a tree that was changed box by box is rebuilt
    CROWDED = 3   // times as many leaves overlap a leaf as did after the build: rebuilt
};

// The cost of a new tree, by build, as the sum of excess (see bvh.excess) that searches may reach before (measured).
static const double BUILD_COST[] = {[BP_BVH_TOP_DOWN] = 0.5, [BP_BVH_BOTTOM_UP] = 2.0, [BP_BVH_INSERTION] = 6.0};

typedef struct bvh {
    const bp_method_setup *setup;
    bvh_tree tree;
    bvh_tree other; // of the other set of find_between
    bvh_search search;
    double spread;       // of the leaves, right after the build
    double excess;       // sum over all searches since: the increase of the spread, relative to it
    double crowding;     // leaves that overlap a leaf, before the first refit; 0: not counted yet
    size_t change_count; // boxes that were moved one by one since the build
    bp_update_strategy update;
} bvh;

static void bvh_init(void *state, const bp_method_setup *setup) {
    bvh *b = state;
    *b = (bvh){.setup = setup, .update = BP_UPDATE_REBUILD};
    bp_bvh_tree_init(&b->tree, setup);
    bp_bvh_tree_init(&b->other, setup);
}

static void bvh_free(void *state) {
    bvh *b = state;
    bp_bvh_tree_free(&b->tree);
    bp_bvh_tree_free(&b->other);
    bp_bvh_search_free(&b->search, &b->setup->runtime.allocator);
}

static bp_status bvh_build(void *state, const bp_box *boxes, size_t count) {
    bvh *b = state;
    const bp_status status = bp_bvh_tree_build(&b->tree, boxes, count);
    if (status != BP_OK) {
        (void)bp_bvh_tree_clear(&b->tree, NULL, 0); // no memory needed: cannot fail
        return status;
    }
    b->spread = bp_bvh_tree_spread(&b->tree);
    b->excess = 0.0;
    b->crowding = 0.0;
    b->change_count = 0;
    b->update = b->setup->update == BP_UPDATE_INDIVIDUAL ? BP_UPDATE_INDIVIDUAL : BP_UPDATE_REBUILD;
    return BP_OK;
}

// ---- updating -------------------------------------------------------------------------------------------------------

// Moves the boxes of some ids (NULL: of all) in the tree, one by one.
static bp_status relocate_ids(bvh *b, const bp_id *ids, size_t count) {
    bp_status status = BP_OK;
    for (size_t i = 0; i < count && status == BP_OK; ++i) {
        status = bp_bvh_tree_relocate(&b->tree, ids != NULL ? ids[i] : (uint32_t)i);
    }
    b->change_count += count;
    b->update = BP_UPDATE_INDIVIDUAL;
    return status;
}

// Objects that a refit cannot update, or should not: they came, went, became infinite or finite; or they have jumped out of
// their leaf, across the edge of a periodic domain, for example.
static bool must_relocate(const bvh *b, uint32_t id) {
    const bvh_tree *tree = &b->tree;
    const bp_box box = bp_box_flatten(tree->boxes[id], b->setup->dimensions);
    const uint32_t place = bvh_places(tree)[id];
    if (bp_box_is_hole(&box) || place == BVH_NOWHERE) {
        return !(bp_box_is_hole(&box) && place == BVH_NOWHERE);
    }
    if (!bp_box_is_finite(&box, 3) || (place & BVH_SCANNED) != 0) {
        return bp_box_is_finite(&box, 3) == ((place & BVH_SCANNED) != 0);
    }
    const bvh_node *leaf = &bvh_nodes(tree)[bvh_slot_nodes(tree)[place / BVH_LEAF]];
    const bvh_node moved = {.min = {box.min[0], box.min[1], box.min[2]}, .max = {box.max[0], box.max[1], box.max[2]}};
    return !bvh_nodes_overlap(leaf, &moved);
}

static bp_status relocate_what_refit_cannot(bvh *b, bool *too_many) {
    size_t left = b->tree.id_count / FEW + 1;
    bp_status status = BP_OK;
    for (size_t id = 0; id < b->tree.id_count && status == BP_OK && left > 0; ++id) {
        if (must_relocate(b, (uint32_t)id)) {
            status = bp_bvh_tree_relocate(&b->tree, (uint32_t)id);
            --left;
        }
    }
    *too_many = left == 0;
    return status;
}

static bp_status is_crowded(bvh *b, bool *crowded) {
    const double most = CROWDED * (b->crowding + 1.0);
    double crowding = 0.0;
    const bp_status status = bp_bvh_search_crowding(&b->search, &b->tree, most, &crowding);
    *crowded = crowding > most;
    return status;
}

// Recomputes all bounds, unless a new tree is due.
static bp_status bvh_refit(bvh *b, bool *due) {
    bp_status status = b->crowding > 0.0 ? BP_OK : bp_bvh_search_crowding(&b->search, &b->tree, INFINITY, &b->crowding);
    if (status == BP_OK) {
        status = relocate_what_refit_cannot(b, due);
    }
    if (status == BP_OK && !*due) {
        status = bp_bvh_tree_refit(&b->tree);
    }
    if (status != BP_OK || *due) {
        return status;
    }
    const double spread = bp_bvh_tree_spread(&b->tree);
    b->excess += spread > b->spread ? spread / b->spread - 1.0 : 0.0;
    b->update = BP_UPDATE_INDIVIDUAL;
    *due = !(b->excess < BUILD_COST[b->setup->settings.bvh_build]);
    return *due ? BP_OK : is_crowded(b, due);
}

static bp_status bring_up_to_date(bvh *b, const bp_changes *changes, bp_search_kind *kind, bool *due) {
    const bool few = changes != NULL && changes->count < b->tree.id_count / FEW;
    if (b->setup->update == BP_UPDATE_INDIVIDUAL || few) {
        *kind = changes != NULL ? BP_SEARCH_CHANGED : BP_SEARCH_ALL;
        *due = b->setup->update == BP_UPDATE_AUTOMATIC && b->change_count > WORN_OUT * b->tree.id_count;
        return changes != NULL ? relocate_ids(b, changes->ids, changes->count)
                               : relocate_ids(b, NULL, b->tree.id_count);
    }
    return bvh_refit(b, due);
}

static bp_status bvh_update(void *state, const bp_box *boxes, size_t count, const bp_changes *changes,
                            bp_search_kind *kind) {
    bvh *b = state;
    bool due = false;
    *kind = BP_SEARCH_ALL;
    bp_status status = bp_bvh_tree_renew(&b->tree, boxes, count);
    if (status == BP_OK) {
        status = bring_up_to_date(b, changes, kind, &due);
    }
    return status == BP_OK && due ? bvh_build(b, boxes, count) : status;
}

// ---- finding --------------------------------------------------------------------------------------------------------

static bp_status bvh_find(void *state, bp_sink *sink) {
    bvh *b = state;
    return bp_bvh_search_trees(&b->search, &b->tree, &b->tree, sink);
}

static bp_status bvh_find_changed(void *state, const bp_changes *changes, bp_sink *sink) {
    bvh *b = state;
    return bp_bvh_search_changed(&b->search, &b->tree, changes, sink);
}

static bp_status bvh_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    bvh *b = state;
    const bp_status status = bp_bvh_tree_build(&b->other, boxes, count);
    return status == BP_OK ? bp_bvh_search_trees(&b->search, &b->other, &b->tree, sink) : status;
}

static void bvh_stats(const void *state, bp_stats *stats) {
    const bvh *b = state;
    const bvh_tree *tree = &b->tree;
    stats->update = b->update;
    stats->bytes = sizeof *b + bp_bvh_tree_bytes(tree) + bp_bvh_tree_bytes(&b->other) + bp_bvh_search_bytes(&b->search);
    stats->levels = tree->tree_count > 0 ? bvh_heights(tree)[BVH_ROOT] + 1 : 0;
    stats->cells = tree->slot_end;
    stats->occupied = tree->leaf_count;
    stats->objects_per_cell = tree->leaf_count > 0 ? (double)tree->tree_count / (double)tree->leaf_count : 0.0;
    stats->objects_per_cell_max = bp_bvh_tree_fullest(tree);
}

static bp_status bvh_validate(const void *state) {
    const bvh *b = state;
    return bp_bvh_tree_validate(&b->tree);
}

const bp_method_ops bp_bvh_ops = {
    .name = "bvh",
    .summary = "a tree of bounding boxes: O(n log n), any sizes, unbounded space; refitted while objects move little",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_INCREMENTAL | BP_SUPPORTS_THREADS,
    .state_bytes = sizeof(bvh),
    .init = bvh_init,
    .free = bvh_free,
    .build = bvh_build,
    .update = bvh_update,
    .find = bvh_find,
    .find_changed = bvh_find_changed,
    .find_between = bvh_find_between,
    .stats = bvh_stats,
    .validate = bvh_validate,
};
