// loose-octree: a tree of cubes in which an object of any size is in one node, the smallest that encloses it.
//
//     looseness = 1                              looseness = 2: objects may stick out of a node by half of its edge
//     +---------------+                             +- - - - - - - - - - -+
//     |       |    a  |  a: in a small node           +-------+-------+
//     |      [b]      |  b: straddles the middle,   | |      [b]      |   |     b: in a small node, because its centre
//     |-------+-------|     so it stays at the        |-------+-------|            is, and it is small
//     |       |       |     top, small as it is     | |       |       |   |
//     +---------------+                               +---------------+
//                                                   +- - - - - - - - - - -+
//
// The tree (cube_tree.h) is kept, and objects leave a node and enter another one by themselves. When the root has twice as
// many objects as at first, because they have left the cube, or with update = rebuild, all are inserted again.
//
// The objects of a node are tested against those of the nodes of its depth and of the nodes above whose objects touch them,
// which are found from the root down. With looseness 1 these are its ancestors.
//
// Cost: O(depth) for an object that changes; the search is O(n log n) with looseness 2. With looseness 1, the objects that
// straddle the upper nodes are tested again and again: there are about n^(2/3) of them in a homogeneous scene, the
// straddling problem that Zych measured. Loses to a grid where all objects have the same size.
//
// Source: M. Zych, "Efficient algorithms for collision detection in three-dimensional space", 2016, section 2.2.3, listings
// 2.12 to 2.14 and section 3.2, for looseness 1; T. Ulrich, "Loose Octrees", in Game Programming Gems, 2000, for looseness 2,
// which solves that problem. Differences: nodes are split by need, so that tiny objects do not make long chains; empty
// ones go; touching counts.
#include "engine/method.h"
#include "literature/octrees/cube_tree.h"

enum { ROOT_SLACK = 64 }; // objects that the root may have beyond twice those of the build

typedef struct loose_octree {
    bp_cube_tree tree;   // first
    uint32_t root_count; // objects of the root when the tree was built
} loose_octree;

//     node of depth d        [low, high) along each axis, low = origin + edge * cell, edge = that of the cube / 2^d
//     its reach              [low - margin, high + margin), margin = edge * (looseness - 1) / 2
//
// Reaches are half open: a box that touches the upper end of one is not enclosed. So two boxes overlap only if the
// reaches of their nodes do, with looseness 1 only those of a node and its ancestors.
//
// Infinite boxes belong to the root, like others that no node encloses. So do those beyond the cube, and not to a node at the
// border that would get crowded: the root tells when the cube no longer fits.
static bp_place smallest_enclosing(const bp_cube_tree *t, const bp_box *box) {
    const uint32_t dimensions = t->setup->dimensions;
    const double looseness = (double)t->setup->settings.looseness;
    uint32_t finest[3] = {0};
    double size = (double)FLT_MIN;
    if (!bp_box_is_finite(box, dimensions)) {
        return (bp_place){.depth = 0};
    }
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        const double centre = bp_tree_centre(box, axis), at = centre - t->space.origin[axis];
        if (!(at >= 0.0 && at <= t->space.edge)) {
            return (bp_place){.depth = 0};
        }
        finest[axis] = bp_tree_cell(&t->space, (int)axis, centre);
        size = fmax(size, (double)box->max[axis] - (double)box->min[axis]);
    }
    int exponent = 0; // the nodes of depths below it are large enough
    (void)frexp(looseness * t->space.edge / size, &exponent);
    uint32_t depth = exponent < 1 ? 0 : (uint32_t)exponent - 1;
    depth = depth < t->space.depth ? depth : t->space.depth;
    for (bool encloses = false; depth > 0 && !encloses; depth -= !encloses) {
        const double edge = ldexp(t->space.edge, -(int)depth), margin = edge * (looseness - 1.0) / 2;
        encloses = true;
        for (uint32_t axis = 0; axis < dimensions; ++axis) {
            const double cell = (double)(finest[axis] >> (t->space.depth - depth)), origin = t->space.origin[axis];
            encloses &= (double)box->min[axis] >= origin + edge * cell - margin &&
                        (double)box->max[axis] < origin + edge * (cell + 1.0) + margin;
        }
    }
    return (bp_place){.key = bp_tree_interleave(&t->space, finest), .depth = depth};
}

static void test_equals_and_above(const bp_cube_tree *t, bp_range_tester *tester, uint32_t at) {
    const bp_node *node = bp_node_at(t, at);
    bp_node_walk walk;
    bp_node_walk_begin(&walk, &node->own);
    for (uint32_t other; (other = bp_node_walk_next(&walk, t, node->depth)) != BP_NODE_NONE;) {
        if (bp_node_at(t, other)->depth < node->depth || bp_node_at(t, other)->begin > node->begin) {
            bp_cube_tree_test(t, tester, at, other);
        }
    }
}

static const bp_cube_rules RULES = {.place_of = smallest_enclosing, .test_others = test_equals_and_above};

static void loose_octree_init(void *state, const bp_method_setup *setup) {
    bp_cube_tree_init(&((loose_octree *)state)->tree, setup, &RULES);
}

static bp_status loose_octree_build(void *state, const bp_box *boxes, size_t count) {
    loose_octree *l = state;
    bp_cube_tree *t = &l->tree;
    double width[3];
    bp_tree_space space = bp_cube_tree_choose(t, boxes, count, width);
    bp_tree_space_divide(&space, bp_tree_depth_limit(t->setup->settings.octree_max_depth));
    if (!bp_cube_tree_build(t, &space, boxes, count)) {
        return BP_ERROR_MEMORY;
    }
    l->root_count = bp_node_at(t, 0)->count;
    return BP_OK;
}

static bp_status loose_octree_update(void *state, const bp_box *boxes, size_t count, const bp_changes *changes,
                                     bp_search_kind *kind) {
    loose_octree *l = state;
    bp_cube_tree *t = &l->tree;
    *kind = BP_SEARCH_ALL;
    if (!bp_cube_tree_update(t, boxes, count, changes != NULL ? changes->ids : NULL,
                             changes != NULL ? changes->count : count)) {
        return BP_ERROR_MEMORY;
    }
    const bool has_outgrown_cube = bp_node_at(t, 0)->count / 2 > l->root_count + ROOT_SLACK / 2;
    return has_outgrown_cube ? loose_octree_build(l, boxes, count) : BP_OK;
}

static void loose_octree_stats(const void *state, bp_stats *stats) {
    bp_cube_tree_stats(state, stats);
    stats->bytes += sizeof(loose_octree);
    if (((const bp_cube_tree *)state)->setup->update != BP_UPDATE_REBUILD) {
        stats->update = BP_UPDATE_INDIVIDUAL;
    }
}

const bp_method_ops bp_loose_octree_ops = {
    .name = "loose-octree",
    .summary = "a tree of overlapping cubes: for objects of any size; with looseness 1 a plain octree",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_INCREMENTAL | BP_SUPPORTS_THREADS,
    .state_bytes = sizeof(loose_octree),
    .init = loose_octree_init,
    .free = bp_cube_tree_free,
    .build = loose_octree_build,
    .update = loose_octree_update,
    .find = bp_cube_tree_find,
    .find_between = bp_cube_tree_find_between,
    .stats = loose_octree_stats,
    .validate = bp_cube_tree_validate,
};
