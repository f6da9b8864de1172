// octree: a cube divided into eight, and again, where the objects are; leaves know their neighbours.
//
//     +-------+---+---+     An object is in the leaf that contains its min corner. A leaf with more than max_objects is
//     |       |   | o |     split, down to a depth at which leaves are still as large as the largest object. So two
//     |   o   +---+-+-+     objects that overlap are in the same leaf or in leaves that touch.
//     |       | o |o|o|
//     +---+---+---+-+-+     A leaf knows the leaves that it is tested against: the larger ones that touch it, and in one
//     | oo|   |       |     half of the directions those of its size. Smaller ones know it. So each two leaves that touch
//     +---+---+   o   |     are tested once, and a leaf has at most 26 neighbours.
//     |   | o |       |
//     +---+---+-------+
//
// The tree (cube_tree.h) is kept from step to step, and cleaned up where objects have left. Objects beyond the cube belong to
// the leaves at its border, so the cube need not fit: the tree starts afresh only where another cube, or another depth, would
// be much better. Infinite objects and those that are larger than the smallest leaves stay in the root: they are tested against
// all leaves.
//
// Cost: O(n log n) for n objects of similar size. Loses when sizes differ: the largest object limits the depth for all.
//
// Source: C. Koch, "Implementation and Evaluation of Acceleration Structures for Inhomogeneous and Polydisperse
// Particle Dynamics", 2020, sections 2.4 and 3.1. Differences: each two leaves are tested once, not twice; neighbours are
// looked up again when the tree has changed, not passed on; merges, which Koch only mentions; a box is tested against the bounds
// of the boxes of a leaf before these; giants stay in the root, so that one of them does not make the tree useless; in two
// dimensions a quadtree.
#include "base/cells.h"
#include "base/log.h"
#include "engine/method.h"
#include "literature/octrees/cube_tree.h"

enum {
    OCTAVES = 64,         // of sizes below the edge of the cube that are distinguished
    DENSE_NEIGHBOURS = 14 // leaves that a leaf is tested against where all have the same size: itself and 13 others
};

// A cube that is better by less than this, in edges, is none that a new tree is made for.
static const double DRIFT = 1.0 / 16.0;

// The leaves that a leaf is tested against.
typedef struct neighbourhood {
    uint32_t count, leaves[26];
} neighbourhood;

typedef struct octree {
    bp_cube_tree tree;    // first, so that the rules find the rest
    bool planned;         // the cube and its depth have been chosen
    float fit;            // larger objects stay in the root
    bp_buffer neighbours; // of neighbourhood, by node
} octree;

// ---- leaves and their neighbours ------------------------------------------------------------------------------------

// The largest extent; infinity for holes and for boxes that are infinite or whose extent overflows.
static float largest_extent(const bp_box *box, uint32_t dimensions) {
    float size = 0.0f;
    bool finite = true;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        const float length = box->max[axis] - box->min[axis];
        size = length > size ? length : size;
        finite &= length < INFINITY;
    }
    return finite ? size : INFINITY;
}

static bp_place leaf_of_min_corner(const bp_cube_tree *t, const bp_box *box) {
    uint32_t cell[3] = {0};
    if (!(largest_extent(box, t->setup->dimensions) <= ((const octree *)t)->fit)) {
        return (bp_place){.depth = 0};
    }
    for (uint32_t axis = 0; axis < t->setup->dimensions; ++axis) {
        cell[axis] = bp_tree_cell(&t->space, (int)axis, (double)box->min[axis]);
    }
    return (bp_place){.key = bp_tree_interleave(&t->space, cell), .depth = t->space.depth};
}

// The node of the same depth in a direction, which counts in base three: -1, 0, +1 along x, then y, then z; or the larger leaf
// that is there, or BP_NODE_NONE.
static uint32_t node_beside(const bp_cube_tree *t, const bp_node *node, uint32_t direction) {
    uint32_t cell[3] = {0}, at = 0;
    for (uint32_t axis = 0; axis < t->setup->dimensions; ++axis, direction /= 3) {
        cell[axis] = node->cell[axis] + direction % 3 - 1; // beyond the lower border: very large
        if (cell[axis] >= 1u << node->depth) {
            return BP_NODE_NONE;
        }
    }
    for (uint32_t bit = node->depth; bit-- > 0 && bp_node_at(t, at)->first_child != BP_NODE_NONE;) {
        at = bp_node_at(t, at)->first_child +
             ((cell[0] >> bit & 1) | (cell[1] >> bit & 1) << 1 | (cell[2] >> bit & 1) << 2);
    }
    return at;
}

static neighbourhood neighbours_of(const bp_cube_tree *t, const bp_node *node) {
    const uint32_t directions = t->setup->dimensions == 2 ? 9 : 27;
    neighbourhood n = {.count = 0};
    for (uint32_t direction = 0; direction < directions; ++direction) {
        const uint32_t at = direction != directions / 2 ? node_beside(t, node, direction) : BP_NODE_NONE;
        if (at != BP_NODE_NONE && bp_node_at(t, at)->first_child == BP_NODE_NONE) {
            const bool is_larger = bp_node_at(t, at)->depth < node->depth;
            uint32_t k = 0;
            while (k < n.count && n.leaves[k] != at) { // a larger leaf may be in several directions
                ++k;
            }
            n.leaves[k] = at;
            n.count += k == n.count && (is_larger || direction > directions / 2);
        }
    }
    return n;
}

static bool is_leaf(const bp_node *node) {
    return node->first_child == BP_NODE_NONE && node->depth != BP_NODE_UNUSED;
}

// False if memory is short.
static bool find_neighbours(octree *o) {
    bp_cube_tree *t = &o->tree;
    if (!bp_buffer_reserve(&o->neighbours, &t->setup->runtime.allocator, 0, t->nodes.bytes / sizeof(bp_node),
                           sizeof(neighbourhood))) {
        return false;
    }
    for (uint32_t at = 0; at < t->node_count; ++at) {
        if (is_leaf(bp_node_at(t, at))) {
            ((neighbourhood *)o->neighbours.data)[at] = neighbours_of(t, bp_node_at(t, at));
        }
    }
    t->has_changed_nodes = false;
    return true;
}

static void test_neighbours(const bp_cube_tree *t, bp_range_tester *tester, uint32_t at) {
    const neighbourhood *n = (const neighbourhood *)((const octree *)t)->neighbours.data + at;
    for (uint32_t k = 0; at != 0 && k < n->count; ++k) {
        bp_cube_tree_test(t, tester, at, n->leaves[k]);
    }
    if (at != 0) {
        bp_cube_tree_test(t, tester, at, 0);
    }
}

static const bp_cube_rules RULES = {.place_of = leaf_of_min_corner, .test_others = test_neighbours};

static void octree_init(void *state, const bp_method_setup *setup) {
    octree *o = state;
    *o = (octree){.planned = false};
    bp_cube_tree_init(&o->tree, setup, &RULES);
}

static void octree_free(void *state) {
    octree *o = state;
    bp_buffer_free(&o->neighbours, &o->tree.setup->runtime.allocator);
    bp_cube_tree_free(&o->tree);
}

// ---- choosing the cube and its depth --------------------------------------------------------------------------------

// How often the edge can be halved before a size no longer fits, with a little to spare for rounding.
static uint32_t halvings(double edge, float size) {
    if (!(size > 0.0f)) {
        return OCTAVES - 1;
    }
    int exponent = 0;
    (void)frexp(edge * BP_CELL_FILL / (double)size, &exponent);
    return exponent < 1 ? 0 : exponent > OCTAVES - 1 ? OCTAVES - 1 : (uint32_t)exponent - 1;
}

static double finest_edge(const bp_tree_space *space) {
    return ldexp(space->edge, -(int)space->depth);
}

// At depth 0 all objects are neighbours, whatever their size.
static float fit_of(const bp_tree_space *space) {
    return space->depth == 0 ? FLT_MAX : (float)(finest_edge(space) * BP_CELL_FILL);
}

// The cube around most boxes; and the depth of least work, of several the greatest: objects too large for its leaves are tested
// against all, the others against those in the leaves around.
static bp_tree_space choose_space(const octree *o, const bp_box *boxes, size_t count) {
    const bp_cube_tree *t = &o->tree;
    const uint32_t dimensions = t->setup->dimensions;
    double width[3] = {0.0};
    bp_tree_space space = bp_cube_tree_choose(t, boxes, count, width);
    size_t finite = 0, fitting[OCTAVES] = {0}; // by the greatest depth at which they still fit
    for (size_t i = 0; i < count; ++i) {
        const float size = largest_extent(&boxes[i], dimensions);
        if (size < INFINITY) {
            ++finite;
            ++fitting[halvings(space.edge, size)];
        }
    }
    double least = INFINITY;
    uint32_t best = 0;
    size_t too_large = 0;
    for (uint32_t depth = 0; depth <= bp_tree_depth_limit(t->setup->settings.octree_max_depth); ++depth) {
        double cells = 1.0;
        for (uint32_t axis = 0; axis < dimensions; ++axis) {
            cells *= floor(fmin(width[axis], space.edge) / ldexp(space.edge, -(int)depth)) + 1.0;
        }
        const double filled = fmax((double)finite / cells, (double)t->setup->settings.octree_max_objects / 2);
        const double work = (double)too_large + DENSE_NEIGHBOURS * filled;
        best = work <= least ? depth : best;
        least = fmin(work, least);
        too_large += fitting[depth];
    }
    bp_tree_space_divide(&space, best);
    return space;
}

// Whether the tree is kept though another cube or depth may be a little better now.
static bool suits(const octree *o, const bp_tree_space *space) {
    const bp_tree_space *kept = &o->tree.space;
    const double ratio = finest_edge(space) / finest_edge(kept);
    bool is_near = space->edge >= kept->edge / 2 && space->edge <= kept->edge * (1.0 + DRIFT);
    for (uint32_t axis = 0; axis < space->dimensions; ++axis) {
        is_near &= fabs(space->origin[axis] - kept->origin[axis]) <= DRIFT * kept->edge;
    }
    return o->planned && is_near && ratio >= 0.5 && ratio <= 1.5;
}

static bp_status octree_build(void *state, const bp_box *boxes, size_t count) {
    octree *o = state;
    bp_cube_tree *t = &o->tree;
    const bp_tree_space space = choose_space(o, boxes, count);
    bool granted;
    if (suits(o, &space)) {
        granted = bp_cube_tree_update(t, boxes, count, NULL, count);
    } else {
        o->fit = fit_of(&space);
        granted = bp_cube_tree_build(t, &space, boxes, count);
    }
    granted = granted && (!t->has_changed_nodes || find_neighbours(o));
    o->planned = granted; // else a new tree next time
    return granted ? BP_OK : BP_ERROR_MEMORY;
}

static void octree_stats(const void *state, bp_stats *stats) {
    const octree *o = state;
    bp_cube_tree_stats(&o->tree, stats);
    stats->bytes += o->neighbours.bytes + sizeof *o;
}

static bp_status octree_validate(const void *state) {
    const octree *o = state;
    const bp_cube_tree *t = &o->tree;
    bool sound = true;
    if (bp_cube_tree_validate(t) != BP_OK) {
        return BP_ERROR_INTERNAL;
    }
    for (uint32_t at = 0; sound && at < t->node_count; ++at) {
        if (is_leaf(bp_node_at(t, at))) {
            const neighbourhood is = ((const neighbourhood *)o->neighbours.data)[at],
                                should = neighbours_of(t, bp_node_at(t, at));
            sound = is.count == should.count && memcmp(is.leaves, should.leaves, is.count * sizeof *is.leaves) == 0;
        }
    }
    if (!sound) {
        bp_log_write(&t->setup->runtime.log, "octree: the list of neighbours of a leaf is wrong");
        return BP_ERROR_INTERNAL;
    }
    return BP_OK;
}

const bp_method_ops bp_octree_ops = {
    .name = "octree",
    .summary =
        "a tree of cubes, finer where objects are dense: for objects of similar size, however they are distributed",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_THREADS,
    .state_bytes = sizeof(octree),
    .init = octree_init,
    .free = octree_free,
    .build = octree_build,
    .find = bp_cube_tree_find,
    .find_between = bp_cube_tree_find_between,
    .stats = octree_stats,
    .validate = octree_validate,
};
