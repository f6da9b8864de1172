// octree: a cube divided into eight, and again, where the objects are; leaves know their neighbours.
//
//     +-------+---+---+     An object is in the leaf that holds its min corner. A leaf with more than max_objects is
//     |       |   | o |     split, down to a depth at which leaves are still as large as the largest object. So two
//     |   o   +---+-+-+     objects that overlap are in the same leaf or in leaves that touch.
//     |       | o |o|o|
//     +---+---+---+-+-+     Every node has 27 slots (9 in two dimensions): the node of its own depth in each direction,
//     | oo|   |       |     or the larger leaf that is there, or none. Slots are kept through splits and merges. A leaf
//     +---+---+   o   |     looks at the leaves in its slots: at larger ones always, at equal ones in one half of the
//     |   | o |       |     directions, and not at smaller ones, for those look here. So each two leaves that touch are
//     +---+---+-------+     looked at once, and there are never more than 26 of them.
//
//     boxes   | of leaf 0 | of leaf 1 | of leaf 2 | ...                              | scanned |
//             in the order of a walk through the tree, so that subtrees are ranges     node_sweep.h finds the pairs
//
// The tree outlives the step. An object that is still in its leaf costs one look; leaves that have become too full are
// split, and eight leaves that hold less than half of max_objects together are merged. Objects outside the cube belong
// to the leaves at its rim, so the cube need not fit: it is only chosen anew when it has become a bad one. Infinite
// objects and those that are larger than the smallest leaves are scanned: tested against all leaves.
//
// Cost: O(n log n) for n objects of similar size. Loses when sizes differ: the largest object limits the depth for all.
//
// Source: C. Koch, "Implementation and Evaluation of Acceleration Structures for Inhomogeneous and Polydisperse
// Particle Dynamics", 2020, sections 2.4 and 3.1. Differences: slots instead of lists, so that they have a fixed size
// and each two leaves meet once; merges, which the source only mentions; the bounds of a leaf's boxes filter the
// boxes of its neighbours before any two boxes are compared; giants are scanned, so that one of them does not make
// the tree useless; in two dimensions a quadtree.
#include "methods/octrees/octree_tree.h"

#include "api/config.h"
#include "base/boxes.h"
#include "base/parallel.h"
#include "methods/method.h"

#include <string.h>

enum {
    UNIT = 128,         // leaves of a unit of work
    KEYS_LEAST = 8192,  // boxes that are worth a task
    OCTAVES = 64,       // of sizes below the edge of the cube that are told apart
    SCANNED_SLACK = 8,  // objects that may outgrow the leaves before the cube is chosen anew
    OUTSIDE_SHARE = 16, // or one object in so many may leave it
    SHRUNK_SHARE = 4,   // or all may be smaller than the leaves by this factor
    DENSE_NEIGHBOURS = 14
};

static const uint32_t SCANNED = UINT32_MAX, HOLE = UINT32_MAX - 1; // instead of a leaf

// What other leaves have to know of a leaf. That of an inner node is empty, and meets nothing.
typedef struct extent {
    bp_box bounds;
    bp_node_range boxes;
} extent;

typedef struct octree {
    const bp_config *config;
    const bp_box *boxes;
    size_t count;
    octree_tree tree;
    bool planned;                            // tree.space is chosen
    float fit;                               // larger objects are scanned
    size_t planned_scanned, planned_outside; // finite objects that were, when the cube was chosen
    size_t object_count;                     // in leaves; the scanned follow
    size_t total_count;
    bp_node_boxes sorted;
    bp_buffer extents; // of extent, by node
    bp_buffer home;    // of uint32_t, by id: the leaf of an object; before the first build, 0: the root
    size_t home_count;
    bp_buffer subtree_buffer; // of the columns below, for find_between
    bp_columns subtree_bounds;
    bp_box scanned_bounds;
} octree;

static extent *extent_of(const octree *t, uint32_t node) {
    return (extent *)t->extents.data + node;
}

static bp_status create(const bp_config *config, void **state) {
    octree *t = config->allocator.allocate(config->allocator.context, sizeof *t);
    *state = t;
    if (t == NULL) {
        return BP_ERROR_MEMORY;
    }
    *t = (octree){.config = config};
    octree_tree_init(&t->tree, config);
    bp_node_boxes_init(&t->sorted, config);
    return BP_OK;
}

static void destroy(void *state) {
    octree *t = state;
    const bp_allocator allocator = t->config->allocator;
    octree_tree_free(&t->tree);
    bp_node_boxes_free(&t->sorted);
    bp_buffer_free(&t->extents, &allocator);
    bp_buffer_free(&t->home, &allocator);
    bp_buffer_free(&t->subtree_buffer, &allocator);
    allocator.release(allocator.context, t, sizeof *t);
}

// ---- choosing the cube and its depth --------------------------------------------------------------------------------

// What a pass over the boxes finds out.
typedef struct survey {
    double min[3], max[3]; // of the min corners of finite boxes
    size_t finite;
    size_t outside;    // with their min corner, of the cube that is in use
    size_t too_large;  // finite, but over the fit
    float largest_fit; // the largest size that is not
} survey;

// The largest extent; infinity for holes and for boxes that are infinite or as good as that.
static float size_of(const bp_box *box, uint32_t dimensions) {
    float size = 0.0f;
    bool finite = true;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        const float length = box->max[axis] - box->min[axis];
        size = length > size ? length : size;
        finite &= length < INFINITY;
    }
    return finite ? size : INFINITY;
}

static bool is_outside(const bp_tree_space *space, const bp_box *box) {
    bool outside = false;
    for (uint32_t axis = 0; axis < space->dimensions; ++axis) {
        const double at = (double)box->min[axis] - space->origin[axis];
        outside |= at < 0.0 || at > space->edge;
    }
    return outside;
}

static survey survey_boxes(const octree *t) {
    survey s = {.min = {INFINITY, INFINITY, INFINITY}, .max = {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < t->count; ++i) {
        const float size = size_of(&t->boxes[i], t->config->dimensions);
        if (size == INFINITY) {
            continue;
        }
        ++s.finite;
        s.outside += is_outside(&t->tree.space, &t->boxes[i]);
        s.too_large += size > t->fit;
        s.largest_fit = size > s.largest_fit && size <= t->fit ? size : s.largest_fit;
        for (uint32_t axis = 0; axis < t->config->dimensions; ++axis) {
            const double at = (double)t->boxes[i].min[axis];
            s.min[axis] = at < s.min[axis] ? at : s.min[axis];
            s.max[axis] = at > s.max[axis] ? at : s.max[axis];
        }
    }
    return s;
}

static uint32_t deepest(const bp_config *config) {
    const uint32_t given = config->octree_max_depth;
    return given == 0 || given > BP_TREE_DEPTH_MAX ? BP_TREE_DEPTH_MAX : given;
}

// Whether the cube still suits: then the tree is kept.
static bool plan_suits(const octree *t, const survey *s) {
    const bp_tree_space *space = &t->tree.space;
    double widest = 0.0;
    for (uint32_t axis = 0; axis < t->config->dimensions; ++axis) {
        widest = fmax(widest, s->max[axis] - s->min[axis]);
    }
    const bool placed = bp_domain_is_given(&t->config->domain) ||
                        (s->outside <= 2 * t->planned_outside + s->finite / OUTSIDE_SHARE && widest >= space->edge / 2);
    const bool fine = space->depth == deepest(t->config) || s->largest_fit >= t->fit / SHRUNK_SHARE;
    return t->planned && placed && fine && s->too_large <= 2 * t->planned_scanned + SCANNED_SLACK;
}

// How many halvings of the edge a size fits, with a little to spare for rounding.
static uint32_t halvings(double edge, float size) {
    if (!(size > 0.0f)) {
        return OCTAVES - 1;
    }
    int exponent = 0;
    (void)frexp(edge * BP_CELL_FILL / (double)size, &exponent);
    return exponent < 1 ? 0 : exponent > OCTAVES - 1 ? OCTAVES - 1 : (uint32_t)exponent - 1;
}

// The work at a depth: the scanned are tested against all, the others against what is in the leaves around.
static double work_at(const octree *t, const survey *s, double edge, uint32_t depth, size_t scanned) {
    double cells = 1.0;
    for (uint32_t axis = 0; axis < t->config->dimensions; ++axis) {
        cells *= floor(fmin(s->max[axis] - s->min[axis], edge) / ldexp(edge, -(int)depth)) + 1.0;
    }
    const double filled = (double)s->finite / cells, least = (double)t->tree.max_objects / 2;
    return (double)scanned + DENSE_NEIGHBOURS * (filled > least ? filled : least);
}

// The depth of least work; of several, the deepest.
static uint32_t choose_depth(octree *t, const survey *s, double edge) {
    size_t fitting[OCTAVES] = {0}; // by the depth that a size still fits
    for (size_t i = 0; i < t->count; ++i) {
        const float size = size_of(&t->boxes[i], t->config->dimensions);
        if (size < INFINITY) {
            ++fitting[halvings(edge, size)];
        }
    }
    uint32_t best = 0;
    double least = INFINITY;
    size_t scanned = 0;
    for (uint32_t depth = 0; depth <= deepest(t->config); ++depth) {
        const double work = work_at(t, s, edge, depth, scanned);
        if (work <= least) {
            least = work;
            best = depth;
            t->planned_scanned = scanned;
        }
        scanned += fitting[depth];
    }
    return best;
}

static size_t count_outside(const octree *t, const bp_tree_space *space) {
    size_t outside = 0;
    for (size_t i = 0; i < t->count; ++i) {
        outside += size_of(&t->boxes[i], t->config->dimensions) < INFINITY && is_outside(space, &t->boxes[i]);
    }
    return outside;
}

static void plan(octree *t, survey *s) {
    const bp_box *domain = &t->config->domain;
    bp_tree_space space = {.edge = (double)FLT_MIN, .dimensions = t->config->dimensions};
    bp_tree_trim(t->boxes, t->count, t->config->dimensions, s->min, s->max);
    for (uint32_t axis = 0; axis < t->config->dimensions; ++axis) {
        const bool given = bp_domain_is_given(domain);
        space.origin[axis] = given ? (double)domain->min[axis] : s->finite > 0 ? s->min[axis] : 0.0;
        space.edge =
            fmax(space.edge, given ? (double)domain->max[axis] - space.origin[axis] : s->max[axis] - s->min[axis]);
    }
    space.depth = choose_depth(t, s, space.edge);
    space.inverse = ldexp(1.0, (int)space.depth) / space.edge;
    // At depth 0 all are neighbours, whatever their size.
    t->fit = space.depth == 0 ? FLT_MAX : (float)(ldexp(space.edge, -(int)space.depth) * BP_CELL_FILL);
    t->planned_outside = count_outside(t, &space);
    t->planned = true;
    if (t->count > 0) {
        memset(t->home.data, 0, t->count * sizeof(uint32_t)); // all begin at the root
    }
    octree_tree_plant(&t->tree, &space);
}

// ---- building -------------------------------------------------------------------------------------------------------

typedef struct keying {
    octree *t;
    octree_entry *entries; // by id
    size_t block_count;
} keying;

static void task_keys(void *context, size_t block) {
    const keying *k = context;
    const octree *t = k->t;
    uint32_t *home = t->home.data;
    const size_t end = (size_t)((unsigned long long)t->count * (block + 1) / k->block_count);
    for (size_t i = (size_t)((unsigned long long)t->count * block / k->block_count); i < end; ++i) {
        const bp_box *box = &t->boxes[i];
        const float size = size_of(box, t->config->dimensions);
        if (size <= t->fit) { // false for holes and infinite boxes
            const uint64_t key =
                bp_tree_key(&t->tree.space, (double)box->min[0], (double)box->min[1], (double)box->min[2]);
            k->entries[i] = (octree_entry){.key = key, .id = (uint32_t)i};
            home[i] = octree_tree_locate(&t->tree, home[i], key);
        } else {
            home[i] = bp_box_is_hole(box) ? HOLE : SCANNED;
        }
    }
}

// Puts the entries into the order of their leaves; inside a leaf, of their ids. The scanned come last.
static void place(octree *t, const octree_entry *entries) {
    const uint32_t *home = t->home.data;
    uint32_t scanned = (uint32_t)octree_tree_open(&t->tree, home, t->count);
    uint32_t *ids = t->sorted.columns.id;
    t->object_count = scanned;
    for (size_t i = 0; i < t->count; ++i) {
        if (home[i] < HOLE) {
            octree_tree_put(&t->tree, home[i], entries[i]);
        } else if (home[i] == SCANNED) {
            ids[scanned++] = (uint32_t)i;
        }
    }
    t->total_count = scanned;
}

static bool reserve(octree *t) {
    const bp_allocator *allocator = &t->config->allocator;
    if (!bp_node_boxes_reserve(&t->sorted, t->count) || !octree_tree_reserve_entries(&t->tree, t->count) ||
        !bp_buffer_reserve_slack(&t->home, allocator, t->home_count * sizeof(uint32_t), t->count, sizeof(uint32_t))) {
        return false;
    }
    if (t->home_count < t->count) { // ids that are new
        memset((uint32_t *)t->home.data + t->home_count, 0, (t->count - t->home_count) * sizeof(uint32_t));
    }
    t->home_count = t->count;
    return true;
}

// The boxes in their new order, and each leaf's bounds.
static bool finish(octree *t) {
    const octree_entry *entries = t->tree.placed;
    uint32_t *ids = t->sorted.columns.id;
    if (!bp_buffer_reserve_slack(&t->extents, &t->config->allocator, 0, t->tree.node_count, sizeof(extent))) {
        return false;
    }
    for (size_t i = 0; i < t->tree.inner_count; ++i) {
        *extent_of(t, octree_inner(&t->tree, i)) = (extent){.bounds = bp_bounds_empty()};
    }
    for (size_t i = 0; i < t->object_count; ++i) {
        ids[i] = entries[i].id;
    }
    t->sorted.count = t->total_count;
    bp_node_boxes_fill(&t->sorted, t->boxes);
    for (size_t i = 0; i < t->tree.leaf_count; ++i) {
        const uint32_t leaf = octree_leaf(&t->tree, i);
        const bp_node *node = octree_node(&t->tree, leaf);
        *extent_of(t, leaf) = (extent){.bounds = bp_node_bounds(&t->sorted, node->begin, node->end),
                                       .boxes = {.begin = node->begin, .end = node->end}};
    }
    t->scanned_bounds = bp_node_bounds(&t->sorted, (uint32_t)t->object_count, (uint32_t)t->total_count);
    return true;
}

static bp_status grow(octree *t) {
    survey s = survey_boxes(t);
    if (!reserve(t)) {
        return BP_ERROR_MEMORY;
    }
    if (!plan_suits(t, &s)) {
        plan(t, &s);
        if (!octree_tree_is_planted(&t->tree)) {
            return BP_ERROR_MEMORY;
        }
    }
    keying k = {.t = t, .entries = t->tree.scratch};
    k.block_count = bp_parallel_blocks(&t->config->executor, t->count, KEYS_LEAST);
    bp_parallel_for(&t->config->executor, k.block_count, task_keys, &k);
    place(t, k.entries);
    return octree_tree_adapt(&t->tree, t->home.data) && finish(t) ? BP_OK : BP_ERROR_MEMORY;
}

static bp_status build(void *state, const bp_box *boxes, size_t count) {
    octree *t = state;
    t->boxes = boxes;
    t->count = count;
    const bp_status status = grow(t);
    if (status != BP_OK) { // begin anew next time
        t->planned = false;
        t->tree.leaf_count = 0; // the lists may be lost
        t->tree.inner_count = 0;
        t->object_count = 0;
        t->total_count = 0;
    }
    return status;
}

// ---- finding --------------------------------------------------------------------------------------------------------

// The boxes of the leaves around a leaf that it has to look at.
static size_t ranges_around(const octree *t, uint32_t leaf, bp_node_range *ranges) {
    const bp_box *bounds = &extent_of(t, leaf)->bounds;
    uint32_t near[OCTREE_SLOTS];
    const size_t near_count = octree_tree_neighbours(&t->tree, leaf, near);
    size_t count = 0;
    for (size_t i = 0; i < near_count; ++i) {
        const extent *other = extent_of(t, near[i]);
        ranges[count] = other->boxes;
        count += bp_bounds_overlap(bounds, &other->bounds);
    }
    return count;
}

static void find_unit(const void *context, bp_sweeper *sweeper, size_t unit) {
    const octree *t = context;
    const bp_node_range scanned = {.begin = (uint32_t)t->object_count, .end = (uint32_t)t->total_count};
    const size_t begin = unit * UNIT, left = t->tree.leaf_count - begin,
                 end = left < UNIT ? begin + left : begin + UNIT;
    bp_node_batch batch;
    bp_node_batch_begin(&batch, &t->sorted, sweeper);
    for (size_t i = begin; i < end; ++i) {
        const uint32_t leaf = octree_leaf(&t->tree, i);
        const extent *own = extent_of(t, leaf);
        bp_node_range ranges[OCTREE_SLOTS + 1];
        if (own->boxes.begin == own->boxes.end) {
            continue;
        }
        size_t count = ranges_around(t, leaf, ranges);
        ranges[count] = scanned;
        count += bp_bounds_overlap(&own->bounds, &t->scanned_bounds);
        bp_node_batch_add(&batch, &own->bounds, own->boxes, ranges, count);
    }
    if (unit == 0) {
        bp_node_batch_add(&batch, &t->scanned_bounds, scanned, NULL, 0);
    }
    bp_node_batch_end(&batch);
}

static bp_status find(void *state, bp_sink *sink) {
    octree *t = state;
    const bp_sweep_plan plan = {.config = t->config,
                                .objects = &t->sorted.columns,
                                .candidates = &t->sorted.columns,
                                .unit_count = (t->tree.leaf_count + UNIT - 1) / UNIT,
                                .unit = find_unit,
                                .context = t};
    return bp_sweep_pool_run(&t->sorted.pool, &plan, sink);
}

static void set_subtree(octree *t, uint32_t node, const bp_box *bounds) {
    t->subtree_bounds.id[node] = node;
    for (int axis = 0; axis < 3; ++axis) {
        t->subtree_bounds.min[axis][node] = bounds->min[axis];
        t->subtree_bounds.max[axis][node] = bounds->max[axis];
    }
}

static bp_box subtree_of(const octree *t, uint32_t node) {
    bp_box bounds;
    for (int axis = 0; axis < 3; ++axis) {
        bounds.min[axis] = t->subtree_bounds.min[axis][node];
        bounds.max[axis] = t->subtree_bounds.max[axis][node];
    }
    return bounds;
}

// The bounds of all subtrees, from the leaves up.
static bool join_bounds(octree *t) {
    if (!bp_columns_reserve(&t->subtree_bounds, &t->subtree_buffer, &t->config->allocator, t->tree.node_count)) {
        return false;
    }
    for (size_t i = 0; i < t->tree.leaf_count; ++i) {
        set_subtree(t, octree_leaf(&t->tree, i), &extent_of(t, octree_leaf(&t->tree, i))->bounds);
    }
    for (size_t i = t->tree.inner_count; i-- > 0;) {
        const uint32_t inner = octree_inner(&t->tree, i), child = octree_node(&t->tree, inner)->first_child;
        bp_box bounds = bp_bounds_empty();
        for (uint32_t k = 0; k < t->tree.children; ++k) {
            const bp_box below = subtree_of(t, child + k);
            bp_bounds_join(&bounds, &below);
        }
        set_subtree(t, inner, &bounds);
    }
    return true;
}

static bp_status find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    octree *t = state;
    if (!join_bounds(t)) {
        return BP_ERROR_MEMORY;
    }
    const bp_node_search search = {.nodes = t->tree.nodes.data,
                                   .bounds = &t->subtree_bounds,
                                   .children = t->tree.children,
                                   .loose_begin = (uint32_t)t->object_count,
                                   .asked = boxes,
                                   .asked_count = count};
    return bp_node_search_run(&t->sorted, &search, sink);
}

// ---- looking --------------------------------------------------------------------------------------------------------

static void stats(const void *state, bp_stats *stats) {
    const octree *t = state;
    stats->update = BP_UPDATE_REBUILD;
    stats->bytes = octree_tree_bytes(&t->tree) + bp_node_boxes_bytes(&t->sorted) + t->extents.bytes + t->home.bytes +
                   t->subtree_buffer.bytes + sizeof *t;
    stats->cells = t->tree.leaf_count;
    for (size_t i = 0; i < t->tree.leaf_count; ++i) {
        const bp_node *node = octree_node(&t->tree, octree_leaf(&t->tree, i));
        const size_t objects = node->end - node->begin;
        stats->levels = node->depth + 1 > stats->levels ? node->depth + 1 : stats->levels;
        stats->occupied += objects > 0;
        stats->objects_per_cell_max = objects > stats->objects_per_cell_max ? objects : stats->objects_per_cell_max;
    }
    stats->objects_per_cell = stats->occupied > 0 ? (double)t->object_count / (double)stats->occupied : 0.0;
}

static bool box_is_in_place(const octree *t, size_t position, uint32_t leaf, uint8_t *seen) {
    const uint32_t id = t->sorted.columns.id[position];
    if (id >= t->count || seen[id] != 0 || ((const uint32_t *)t->home.data)[id] != leaf ||
        !bp_columns_hold(&t->sorted.columns, position, &t->boxes[id], t->config->dimensions)) {
        return false;
    }
    seen[id] = 1;
    const float *min = t->boxes[id].min;
    return leaf == SCANNED ||
           octree_tree_locate(&t->tree, 0,
                              bp_tree_key(&t->tree.space, (double)min[0], (double)min[1], (double)min[2])) == leaf;
}

static bool extent_is_sound(const octree *t, uint32_t leaf) {
    const extent *e = extent_of(t, leaf);
    const bp_node *node = octree_node(&t->tree, leaf);
    const bp_box bounds = bp_node_bounds(&t->sorted, node->begin, node->end);
    return e->boxes.begin == node->begin && e->boxes.end == node->end && bp_box_is_same(&e->bounds, &bounds);
}

static bool is_sound(const octree *t, uint8_t *seen) {
    size_t alive = 0;
    uint32_t position = 0;
    bool sound = octree_tree_is_sound(&t->tree);
    for (size_t i = 0; i < t->count; ++i) {
        alive += !bp_box_is_hole(&t->boxes[i]);
    }
    for (size_t i = 0; sound && i < t->tree.leaf_count; ++i) {
        const uint32_t leaf = octree_leaf(&t->tree, i);
        const bp_node *node = octree_node(&t->tree, leaf);
        sound = node->begin == position && node->end >= position && node->end <= t->object_count &&
                extent_is_sound(t, leaf);
        for (; sound && position < node->end; ++position) {
            sound = box_is_in_place(t, position, leaf, seen);
        }
    }
    sound = sound && position == t->object_count && alive == t->total_count;
    for (; sound && position < t->total_count; ++position) {
        sound = box_is_in_place(t, position, SCANNED, seen);
    }
    return sound;
}

static bp_status validate(const void *state) {
    const octree *t = state;
    bp_buffer seen = {0};
    if (!bp_buffer_reserve(&seen, &t->config->allocator, 0, t->count + 1, 1)) {
        return BP_ERROR_MEMORY;
    }
    memset(seen.data, 0, t->count + 1);
    const bool sound = is_sound(t, seen.data);
    bp_buffer_free(&seen, &t->config->allocator);
    if (!sound) {
        bp_log_write(t->config, "octree: the tree does not hold the boxes it was given");
        return BP_ERROR_INTERNAL;
    }
    return BP_OK;
}

const bp_method_ops bp_octree_ops = {
    .name = "octree",
    .summary = "a tree of cubes, fine where the objects are; for objects of similar size, however they are spread",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_THREADS,
    .create = create,
    .destroy = destroy,
    .build = build,
    .find = find,
    .find_between = find_between,
    .stats = stats,
    .validate = validate,
};
