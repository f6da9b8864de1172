// octree: a cube divided into eight, and again, where the objects are; leaves are linked to their neighbours.
//
//     +-------+---+---+     An object is in the leaf that contains its min corner. A leaf with more than max_objects is
//     |       |   | o |     split, down to a depth at which leaves are still as large as the largest object. So two
//     |   o   +---+-+-+     objects that overlap are in the same leaf or in leaves that touch.
//     |       | o |o|o|
//     +---+---+---+-+-+     Every node has 27 slots (9 in two dimensions): the node of its own depth in each direction,
//     | oo|   |       |     or the larger leaf that is there, or none. Slots are kept through splits and merges. A leaf
//     +---+---+   o   |     is tested against the leaves in its slots: always against larger ones, in one half of the
//     |   | o |       |     directions against equal ones, and not against smaller ones, which have it in their slots.
//     +---+---+-------+     So each two leaves that touch are tested once, and a leaf has at most 26 of them.
//
//     boxes   | of leaf 0 | of leaf 1 | of leaf 2 | ...                              | scanned |
//             depth first                                                              node_search.h finds the pairs
//
// The tree is kept from step to step: leaves that have become too full are split, and eight leaves that together hold less
// than half of max_objects are merged. Objects beyond the cube belong to the leaves at its border, so the cube need not
// fit: the tree starts afresh only where another cube, or another depth, would be much better. Infinite objects and those that
// are larger than the smallest leaves are scanned: tested against all leaves.
//
// Cost: O(n log n) for n objects of similar size. Loses when sizes differ: the largest object limits the depth for all.
//
// Source: C. Koch, "Implementation and Evaluation of Acceleration Structures for Inhomogeneous and Polydisperse
// Particle Dynamics", 2020, sections 2.4 and 3.1. Differences: slots instead of lists, so that they have a fixed size
// and each two leaves are tested once; merges, which Koch only mentions; a box is tested against the bounds of the boxes of
// a leaf before these; giants are scanned, so that one of them does not make the tree useless; in two dimensions a quadtree.
#include "literature/octrees/octree_tree.h"

#include "base/cells.h"
#include "base/log.h"
#include "base/parallel.h"
#include "engine/method.h"

#include <string.h>

enum {
    UNIT = 128,           // leaves per unit of work
    KEYS_LEAST = 8192,    // boxes that are worth a task
    OCTAVES = 64,         // of sizes below the edge of the cube that are distinguished
    SCANNED_SLACK = 8,    // objects that may outgrow the leaves before a new tree is started,
    BEYOND_SHARE = 16,    // or one object in this many may leave the cube
    DENSE_NEIGHBOURS = 14 // leaves that a leaf is tested against where all have the same size: itself and 13 others
};

static const uint32_t SCANNED = UINT32_MAX, HOLE = UINT32_MAX - 1; // instead of a leaf

typedef struct octree {
    const bp_method_setup *setup;
    const bp_box *boxes;
    size_t count;
    octree_tree tree;
    bool planned;          // tree.space has been chosen
    float fit;             // larger objects are scanned
    size_t planned_beyond; // objects that were beyond the cube when it was chosen
    size_t object_count;   // in leaves; the scanned ones follow
    size_t total_count;
    bp_node_boxes sorted;
    bp_buffer home; // of uint32_t, by id: the leaf of an object, while they are sorted
} octree;

static void octree_init(void *state, const bp_method_setup *setup) {
    octree *t = state;
    *t = (octree){.setup = setup, .sorted = {.setup = setup}};
    bp_octree_tree_init(&t->tree, setup);
}

static void octree_free(void *state) {
    octree *t = state;
    bp_octree_tree_free(&t->tree);
    bp_node_boxes_free(&t->sorted);
    bp_buffer_free(&t->home, &t->setup->runtime.allocator);
}

// ---- choosing the cube and its depth --------------------------------------------------------------------------------

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

static bool is_beyond(const bp_tree_space *space, const bp_box *box) {
    bool beyond = false;
    for (uint32_t axis = 0; axis < space->dimensions; ++axis) {
        const double at = (double)box->min[axis] - space->origin[axis];
        beyond |= at < 0.0 || at > space->edge;
    }
    return beyond;
}

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

// What a pass over the boxes finds.
typedef struct survey {
    size_t finite;
    size_t beyond, too_large;   // of these, for the cube and the fit that there are,
    size_t fitting[OCTAVES];    // and by the greatest depth of a cube that they still fit
    size_t beyond_new, scanned; // the same two for the cube that would be chosen now
} survey;

// The cube around most boxes; and the depth of least work, of several the greatest: scanned objects are tested against all, the
// others against those in the leaves around.
static bp_tree_space choose_space(const octree *t, survey *s) {
    const uint32_t dimensions = t->setup->dimensions;
    double width[3] = {0.0};
    bp_tree_space space = bp_tree_space_choose(&t->setup->settings.domain, t->boxes, t->count, dimensions, width);
    *s = (survey){.finite = 0};
    for (size_t i = 0; i < t->count; ++i) {
        const float size = largest_extent(&t->boxes[i], dimensions);
        if (size < INFINITY) {
            ++s->finite;
            s->beyond += is_beyond(&t->tree.space, &t->boxes[i]);
            s->beyond_new += is_beyond(&space, &t->boxes[i]);
            s->too_large += size > t->fit;
            ++s->fitting[halvings(space.edge, size)];
        }
    }
    double least = INFINITY;
    uint32_t best = 0;
    size_t scanned = 0;
    for (uint32_t depth = 0; depth <= bp_tree_depth_limit(t->setup->settings.octree_max_depth); ++depth) {
        double cells = 1.0;
        for (uint32_t axis = 0; axis < dimensions; ++axis) {
            cells *= floor(fmin(width[axis], space.edge) / ldexp(space.edge, -(int)depth)) + 1.0;
        }
        const double filled = fmax((double)s->finite / cells, (double)t->tree.max_objects / 2);
        const double work = (double)scanned + DENSE_NEIGHBOURS * filled;
        if (work <= least) {
            least = work;
            best = depth;
            s->scanned = scanned;
        }
        scanned += s->fitting[depth];
    }
    bp_tree_space_divide(&space, best);
    return space;
}

// Whether the tree is kept though another cube or depth may be a little better now.
static bool suits(const octree *t, const bp_tree_space *space, const survey *s) {
    const bool placed =
        bp_domain_is_set(&t->setup->settings.domain) ||
        (s->beyond <= 2 * t->planned_beyond + s->finite / BEYOND_SHARE && space->edge >= t->tree.space.edge / 2);
    return t->planned && placed && finest_edge(space) >= finest_edge(&t->tree.space) / 2 &&
           s->too_large <= 2 * s->scanned + SCANNED_SLACK;
}

// ---- building -------------------------------------------------------------------------------------------------------

static uint64_t key_of_box(const octree *t, const bp_box *box) {
    return bp_tree_key(&t->tree.space, (double)box->min[0], (double)box->min[1], (double)box->min[2]);
}

typedef struct locating {
    octree *t;
    bp_blocks blocks;
} locating;

static void task_locate(void *context, size_t block) {
    const locating *k = context;
    const octree *t = k->t;
    uint32_t *home = t->home.data;
    for (size_t i = bp_block_begin(k->blocks, block); i < bp_block_begin(k->blocks, block + 1); ++i) {
        const bp_box *box = &t->boxes[i];
        if (largest_extent(box, t->setup->dimensions) <= t->fit) { // false for holes and infinite boxes
            t->tree.scratch[i] = (octree_entry){.key = key_of_box(t, box), .id = (uint32_t)i};
            home[i] = octree_tree_locate(&t->tree, t->tree.scratch[i].key);
        } else {
            home[i] = bp_box_is_hole(box) ? HOLE : SCANNED;
        }
    }
}

// Sorts the boxes by leaf and, inside a leaf, by id. The scanned ones come last.
static void sort_into_leaves(octree *t) {
    const bp_executor *executor = &t->setup->runtime.executor;
    const uint32_t *home = t->home.data;
    locating k = {.t = t, .blocks = bp_blocks_cut(executor, t->count, KEYS_LEAST, SIZE_MAX)};
    bp_parallel_for(executor, k.blocks.count, task_locate, &k);
    t->object_count = bp_octree_tree_open(&t->tree, home, t->count);
    t->total_count = t->object_count;
    for (size_t i = 0; i < t->count; ++i) {
        if (home[i] < HOLE) {
            octree_tree_put(&t->tree, home[i], t->tree.scratch[i]);
        } else if (home[i] == SCANNED) {
            t->sorted.columns.id[t->total_count++] = (uint32_t)i;
        }
    }
}

// Copies the boxes in their new order, and computes the bounds of all nodes, from the leaves up.
static void fill_nodes(octree *t) {
    for (size_t i = 0; i < t->object_count; ++i) {
        t->sorted.columns.id[i] = t->tree.placed[i].id;
    }
    t->sorted.count = t->total_count;
    bp_columns_fill(&t->sorted.columns, t->setup->kernels, t->setup->dimensions, 0, t->total_count, t->boxes);
    for (size_t i = 0; i < t->tree.leaf_count; ++i) {
        bp_node *leaf = octree_node(&t->tree, octree_leaf(&t->tree, i));
        leaf->own = leaf->below = bp_node_bounds(&t->sorted, leaf->begin, leaf->end);
    }
    for (size_t i = t->tree.inner_count; i-- > 0;) {
        bp_node *inner = octree_node(&t->tree, octree_inner(&t->tree, i));
        inner->begin = inner->end = 0;
        inner->own = inner->below = bp_bounds_empty();
        for (uint32_t k = 0; k < t->tree.children; ++k) {
            bp_bounds_join(&inner->below, &octree_node(&t->tree, inner->first_child + k)->below);
        }
    }
    bp_node *scanned = octree_node(&t->tree, OCTREE_SCANNED);
    scanned->begin = (uint32_t)t->object_count;
    scanned->end = (uint32_t)t->total_count;
    scanned->own = bp_node_bounds(&t->sorted, scanned->begin, scanned->end);
}

static bool take_boxes(octree *t) {
    survey s;
    const bp_tree_space space = choose_space(t, &s);
    if (!bp_node_boxes_reserve(&t->sorted, t->count) || !bp_octree_tree_reserve_entries(&t->tree, t->count) ||
        !bp_buffer_reserve_slack(&t->home, &t->setup->runtime.allocator, 0, t->count + 1, sizeof(uint32_t))) {
        return false;
    }
    if (!suits(t, &space, &s)) {
        t->fit = fit_of(&space);
        t->planned_beyond = s.beyond_new;
        t->planned = true;
        if (!bp_octree_tree_plant(&t->tree, &space)) {
            return false;
        }
    }
    sort_into_leaves(t);
    if (!bp_octree_tree_adapt(&t->tree)) {
        return false;
    }
    fill_nodes(t);
    return true;
}

static bp_status octree_build(void *state, const bp_box *boxes, size_t count) {
    octree *t = state;
    t->boxes = boxes;
    t->count = count;
    if (take_boxes(t)) {
        return BP_OK;
    }
    t->planned = false; // a new tree next time
    t->tree.leaf_count = 0;
    t->tree.inner_count = 0;
    t->object_count = 0;
    t->total_count = 0;
    return BP_ERROR_MEMORY;
}

// ---- finding --------------------------------------------------------------------------------------------------------

// Tests some leaves against their neighbours, and against the scanned boxes.
static void unit_leaves(const void *context, bp_range_tester *tester, size_t unit) {
    const octree *t = context;
    const bp_node *nodes = t->tree.nodes.data;
    const size_t begin = unit * UNIT, left = t->tree.leaf_count - begin, count = left < UNIT ? left : UNIT;
    for (size_t i = begin; i < begin + count; ++i) {
        const uint32_t at = octree_leaf(&t->tree, i);
        uint32_t others[OCTREE_SLOTS + 1];
        if (nodes[at].begin == nodes[at].end) {
            continue;
        }
        size_t all = bp_octree_tree_neighbours(&t->tree, at, others), touching = 0;
        others[all++] = OCTREE_SCANNED;
        for (size_t k = 0; k < all; ++k) {
            others[touching] = others[k];
            touching += bp_boxes_overlap_branchless(&nodes[at].own, &nodes[others[k]].own, 3);
        }
        bp_node_test(&t->sorted, tester, nodes, &nodes[at], others, touching);
    }
    if (unit == 0) {
        bp_node_test(&t->sorted, tester, nodes, &nodes[OCTREE_SCANNED], NULL, 0);
    }
}

static bp_status octree_find(void *state, bp_sink *sink) {
    octree *t = state;
    return bp_node_boxes_find(&t->sorted, (t->tree.leaf_count + UNIT - 1) / UNIT, unit_leaves, t, sink);
}

static bp_status octree_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    octree *t = state;
    const bp_node_search search = {.boxes = &t->sorted,
                                   .nodes = t->tree.nodes.data,
                                   .outside_begin = (uint32_t)t->object_count,
                                   .probes = boxes,
                                   .probe_count = count};
    return bp_node_search_run(&search, &t->sorted.sinks, sink);
}

// ---- stats and checks -----------------------------------------------------------------------------------------------

static void octree_stats(const void *state, bp_stats *stats) {
    const octree *t = state;
    stats->update = BP_UPDATE_REBUILD;
    stats->bytes = bp_octree_tree_bytes(&t->tree) + bp_node_boxes_bytes(&t->sorted) + t->home.bytes + sizeof *t;
    stats->cells = t->tree.leaf_count;
    for (size_t i = 0; i < t->tree.leaf_count; ++i) {
        const bp_node *node = octree_node(&t->tree, octree_leaf(&t->tree, i));
        stats->levels = node->depth + 1 > stats->levels ? node->depth + 1 : stats->levels;
        bp_node_count_objects(node, stats);
    }
    stats->objects_per_cell = stats->occupied > 0 ? (double)t->object_count / (double)stats->occupied : 0.0;
}

static bool box_is_in_place(const octree *t, size_t position, uint32_t leaf, uint8_t *visited) {
    const uint32_t id = t->sorted.columns.id[position];
    if (id >= t->count || visited[id] != 0 ||
        !bp_columns_hold(&t->sorted.columns, position, &t->boxes[id], t->setup->dimensions)) {
        return false;
    }
    visited[id] = 1;
    const bool fits = largest_extent(&t->boxes[id], t->setup->dimensions) <= t->fit;
    return leaf == SCANNED ? !fits : fits && octree_tree_locate(&t->tree, key_of_box(t, &t->boxes[id])) == leaf;
}

static bool octree_is_sound(const octree *t, uint8_t *visited) {
    size_t alive = 0;
    uint32_t position = 0;
    bool sound = bp_octree_tree_is_sound(&t->tree);
    for (size_t i = 0; i < t->count; ++i) {
        alive += !bp_box_is_hole(&t->boxes[i]);
    }
    for (size_t i = 0; sound && i < t->tree.leaf_count; ++i) {
        const uint32_t leaf = octree_leaf(&t->tree, i);
        const bp_node *node = octree_node(&t->tree, leaf);
        sound = node->begin == position && node->end >= position && node->end <= t->object_count;
        const bp_box bounds = sound ? bp_node_bounds(&t->sorted, node->begin, node->end) : bp_bounds_empty();
        sound = sound && bp_box_is_same(&node->own, &bounds) && bp_box_is_same(&node->below, &bounds);
        for (; sound && position < node->end; ++position) {
            sound = box_is_in_place(t, position, leaf, visited);
        }
    }
    sound = sound && position == t->object_count && alive == t->total_count;
    for (; sound && position < t->total_count; ++position) {
        sound = box_is_in_place(t, position, SCANNED, visited);
    }
    return sound;
}

static bp_status octree_validate(const void *state) {
    const octree *t = state;
    bp_buffer visited = {0};
    if (!bp_buffer_reserve(&visited, &t->setup->runtime.allocator, 0, t->count + 1, 1)) {
        return BP_ERROR_MEMORY;
    }
    memset(visited.data, 0, t->count + 1);
    const bool sound = octree_is_sound(t, visited.data);
    bp_buffer_free(&visited, &t->setup->runtime.allocator);
    if (!sound) {
        bp_log_write(&t->setup->runtime.log, "octree: the tree does not hold the boxes it was given");
        return BP_ERROR_INTERNAL;
    }
    return BP_OK;
}

const bp_method_ops bp_octree_ops = {
    .name = "octree",
    .summary = "a tree of cubes, fine where the objects are; for objects of similar size, however they are spread",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_THREADS,
    .state_bytes = sizeof(octree),
    .init = octree_init,
    .free = octree_free,
    .build = octree_build,
    .find = octree_find,
    .find_between = octree_find_between,
    .stats = octree_stats,
    .validate = octree_validate,
};
