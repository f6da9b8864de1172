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
//             depth first, so that subtrees are ranges                                 node_search.h finds the pairs
//
// The tree is kept from step to step. An object that is still in its leaf costs one comparison; leaves that have become
// too full are split, and eight leaves that together hold less than half of max_objects are merged. Objects beyond the
// cube belong to the leaves at its border, so the cube need not fit: a new one is chosen only when it fits badly, or
// when leaves turn out to be crowded and another cube would now be chosen. Then the same build starts again with that.
// Infinite objects and those that are larger than the smallest leaves are scanned: tested against all leaves.
//
// Cost: O(n log n) for n objects of similar size. Loses when sizes differ: the largest object limits the depth for all.
//
// Source: C. Koch, "Implementation and Evaluation of Acceleration Structures for Inhomogeneous and Polydisperse
// Particle Dynamics", 2020, sections 2.4 and 3.1. Differences: slots instead of lists, so that they have a fixed size
// and each two leaves are tested once; merges, which Koch only mentions; the bounds of a leaf's boxes filter the boxes
// of its neighbours before any two boxes are compared; giants are scanned, so that one of them does not make the tree
// useless; in two dimensions a quadtree. As Koch found, sampling the neighbours in each search, which is a setting,
// takes longer than storing them (docs/performance.md).
#include "literature/octrees/octree_tree.h"

#include "base/boxes.h"
#include "base/cells.h"
#include "base/log.h"
#include "base/parallel.h"
#include "engine/method.h"

#include <string.h>

enum {
    UNIT = 128,           // leaves per unit of work
    KEYS_LEAST = 8192,    // boxes that are worth a task
    OCTAVES = 64,         // of sizes below the edge of the cube that are distinguished
    SCANNED_SLACK = 8,    // objects that may outgrow the leaves before a new cube is chosen,
    BEYOND_SHARE = 16,    // or one object in this many may leave it,
    SHRUNK_SHARE = 4,     // or all may be smaller than the leaves by this factor,
    CROWDED_SHARE = 2,    // or an object may share its leaf with this many times max_objects, on average
    DENSE_NEIGHBOURS = 14 // leaves that a leaf is tested against where all have the same size: itself and 13 others
};

static const uint32_t SCANNED = UINT32_MAX, HOLE = UINT32_MAX - 1; // instead of a leaf

// The boxes of a leaf and their bounds. Those of an inner node are empty, and overlap nothing.
typedef struct bounded_range {
    bp_box bounds;
    bp_node_range boxes;
} bounded_range;

typedef struct octree {
    const bp_method_setup *setup;
    const bp_box *boxes;
    size_t count;
    octree_tree tree;
    bool planned;           // tree.space has been chosen
    float fit;              // larger objects are scanned
    size_t planned_scanned; // finite objects that were scanned when the cube was chosen,
    size_t planned_beyond;  // and those that were beyond it
    size_t object_count;    // in leaves; the scanned ones follow
    size_t total_count;
    bp_node_boxes sorted;
    bp_buffer ranges; // of bounded_range, by node
    bp_buffer home;   // of uint32_t, by id: the leaf of an object; before the first build, 0: the root
    size_t home_count;
    bp_buffer subtree_buffer; // of the columns below, for find_between
    bp_columns subtree_bounds;
    bp_box scanned_bounds;
} octree;

static bounded_range *range_of(const octree *t, uint32_t node) {
    return (bounded_range *)t->ranges.data + node;
}

static void octree_init(void *state, const bp_method_setup *setup) {
    octree *t = state;
    *t = (octree){.setup = setup};
    octree_tree_init(&t->tree, setup);
    bp_node_boxes_init(&t->sorted, setup);
}

static void octree_free(void *state) {
    octree *t = state;
    const bp_allocator *allocator = &t->setup->runtime.allocator;
    octree_tree_free(&t->tree);
    bp_node_boxes_free(&t->sorted);
    bp_buffer_free(&t->ranges, allocator);
    bp_buffer_free(&t->home, allocator);
    bp_buffer_free(&t->subtree_buffer, allocator);
}

// ---- choosing the cube and its depth --------------------------------------------------------------------------------

// The result of a pass over the boxes.
typedef struct survey {
    double min[3], max[3]; // of the min corners of finite boxes
    size_t finite;
    size_t beyond;     // finite, with their min corner beyond the current cube
    size_t too_large;  // finite, but larger than the fit
    float largest_fit; // the largest size that is not larger
} survey;

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

static survey survey_boxes(const octree *t) {
    survey s = {.min = {INFINITY, INFINITY, INFINITY}, .max = {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < t->count; ++i) {
        const float size = largest_extent(&t->boxes[i], t->setup->dimensions);
        if (size == INFINITY) {
            continue;
        }
        ++s.finite;
        s.beyond += is_beyond(&t->tree.space, &t->boxes[i]);
        s.too_large += size > t->fit;
        s.largest_fit = size > s.largest_fit && size <= t->fit ? size : s.largest_fit;
        for (uint32_t axis = 0; axis < t->setup->dimensions; ++axis) {
            const double at = (double)t->boxes[i].min[axis];
            s.min[axis] = at < s.min[axis] ? at : s.min[axis];
            s.max[axis] = at > s.max[axis] ? at : s.max[axis];
        }
    }
    return s;
}

// Whether the cube still fits: then the tree is kept.
static bool octree_plan_suits(const octree *t, const survey *s) {
    const bp_tree_space *space = &t->tree.space;
    double widest = 0.0;
    for (uint32_t axis = 0; axis < t->setup->dimensions; ++axis) {
        widest = fmax(widest, s->max[axis] - s->min[axis]);
    }
    const bool placed = bp_domain_is_set(&t->setup->settings.domain) ||
                        (s->beyond <= 2 * t->planned_beyond + s->finite / BEYOND_SHARE && widest >= space->edge / 2);
    const bool fine = space->depth == bp_tree_depth_limit(t->setup->settings.octree_max_depth) ||
                      s->largest_fit >= t->fit / SHRUNK_SHARE;
    return t->planned && placed && fine && s->too_large <= 2 * t->planned_scanned + SCANNED_SLACK;
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

// The work at a depth: scanned objects are tested against all, the others against the objects in the leaves around.
static double work_at(const octree *t, const survey *s, double edge, uint32_t depth, size_t scanned) {
    double cells = 1.0;
    for (uint32_t axis = 0; axis < t->setup->dimensions; ++axis) {
        cells *= floor(fmin(s->max[axis] - s->min[axis], edge) / ldexp(edge, -(int)depth)) + 1.0;
    }
    const double filled = (double)s->finite / cells, least = (double)t->tree.max_objects / 2;
    return (double)scanned + DENSE_NEIGHBOURS * (filled > least ? filled : least);
}

// The depth of least work; of several, the greatest. Writes how many finite objects are scanned then.
static uint32_t choose_depth(const octree *t, const survey *s, double edge, size_t *best_scanned) {
    size_t fitting[OCTAVES] = {0}; // by the greatest depth that a size still fits
    for (size_t i = 0; i < t->count; ++i) {
        const float size = largest_extent(&t->boxes[i], t->setup->dimensions);
        if (size < INFINITY) {
            ++fitting[halvings(edge, size)];
        }
    }
    uint32_t best = 0;
    double least = INFINITY;
    size_t scanned = 0;
    for (uint32_t depth = 0; depth <= bp_tree_depth_limit(t->setup->settings.octree_max_depth); ++depth) {
        const double work = work_at(t, s, edge, depth, scanned);
        if (work <= least) {
            least = work;
            best = depth;
            *best_scanned = scanned;
        }
        scanned += fitting[depth];
    }
    return best;
}

static size_t count_beyond(const octree *t, const bp_tree_space *space) {
    size_t beyond = 0;
    for (size_t i = 0; i < t->count; ++i) {
        beyond += largest_extent(&t->boxes[i], t->setup->dimensions) < INFINITY && is_beyond(space, &t->boxes[i]);
    }
    return beyond;
}

typedef struct octree_plan {
    bp_tree_space space;
    size_t scanned; // finite objects that do not fit
} octree_plan;

// Chooses a cube and its depth.
static octree_plan make_plan(const octree *t, survey s) {
    const bp_box *domain = &t->setup->settings.domain;
    const uint32_t dimensions = t->setup->dimensions;
    octree_plan plan = {.scanned = 0};
    bp_tree_trim(t->boxes, t->count, dimensions, s.min, s.max);
    plan.space = bp_domain_is_set(domain) ? bp_tree_space_of_domain(domain, dimensions)
                                          : bp_tree_space_around(s.min, s.max, dimensions);
    bp_tree_space_divide(&plan.space, choose_depth(t, &s, plan.space.edge, &plan.scanned));
    return plan;
}

static double finest_edge(const bp_tree_space *space) {
    return ldexp(space->edge, -(int)space->depth);
}

// Starts a new tree. False if memory is short.
static bool begin_tree(octree *t, const octree_plan *plan) {
    // At depth 0 all objects are neighbours, whatever their size.
    t->fit = plan->space.depth == 0 ? FLT_MAX : (float)(finest_edge(&plan->space) * BP_CELL_FILL);
    t->planned_scanned = plan->scanned;
    t->planned_beyond = count_beyond(t, &plan->space);
    t->planned = true;
    if (t->count > 0) {
        memset(t->home.data, 0, t->count * sizeof(uint32_t)); // all start at the root
    }
    return octree_tree_plant(&t->tree, &plan->space);
}

// ---- building -------------------------------------------------------------------------------------------------------

static uint64_t key_of_box(const octree *t, const bp_box *box) {
    return bp_tree_key(&t->tree.space, (double)box->min[0], (double)box->min[1], (double)box->min[2]);
}

typedef struct locating {
    octree *t;
    octree_entry *entries; // by id
    bp_blocks blocks;
} locating;

static void task_locate(void *context, size_t block) {
    const locating *k = context;
    const octree *t = k->t;
    uint32_t *home = t->home.data;
    const size_t end = bp_block_begin(k->blocks, block + 1);
    for (size_t i = bp_block_begin(k->blocks, block); i < end; ++i) {
        const bp_box *box = &t->boxes[i];
        const float size = largest_extent(box, t->setup->dimensions);
        if (size <= t->fit) { // false for holes and infinite boxes
            const uint64_t key = key_of_box(t, box);
            k->entries[i] = (octree_entry){.key = key, .id = (uint32_t)i};
            home[i] = octree_tree_locate(&t->tree, home[i], key);
        } else {
            home[i] = bp_box_is_hole(box) ? HOLE : SCANNED;
        }
    }
}

// Sorts the entries by leaf and, inside a leaf, by id. The scanned ones come last.
static void place_in_leaves(octree *t, const octree_entry *entries) {
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

static bool octree_reserve(octree *t) {
    const bp_allocator *allocator = &t->setup->runtime.allocator;
    if (!bp_node_boxes_reserve(&t->sorted, t->count) || !octree_tree_reserve_entries(&t->tree, t->count) ||
        !bp_buffer_reserve_slack(&t->home, allocator, t->home_count * sizeof(uint32_t), t->count, sizeof(uint32_t))) {
        return false;
    }
    if (t->home_count < t->count) { // there are new ids
        memset((uint32_t *)t->home.data + t->home_count, 0, (t->count - t->home_count) * sizeof(uint32_t));
    }
    t->home_count = t->count;
    return true;
}

// Copies the boxes in their new order, and computes the bounds of each leaf.
static bool fill_leaves(octree *t) {
    const octree_entry *entries = t->tree.placed;
    uint32_t *ids = t->sorted.columns.id;
    if (!bp_buffer_reserve_slack(&t->ranges, &t->setup->runtime.allocator, 0, t->tree.node_count,
                                 sizeof(bounded_range))) {
        return false;
    }
    for (size_t i = 0; i < t->tree.inner_count; ++i) {
        *range_of(t, octree_inner(&t->tree, i)) = (bounded_range){.bounds = bp_bounds_empty()};
    }
    for (size_t i = 0; i < t->object_count; ++i) {
        ids[i] = entries[i].id;
    }
    t->sorted.count = t->total_count;
    bp_node_boxes_fill(&t->sorted, t->boxes);
    for (size_t i = 0; i < t->tree.leaf_count; ++i) {
        const uint32_t leaf = octree_leaf(&t->tree, i);
        const bp_node *node = octree_node(&t->tree, leaf);
        *range_of(t, leaf) = (bounded_range){.bounds = bp_node_bounds(&t->sorted, node->begin, node->end),
                                             .boxes = {.begin = node->begin, .end = node->end}};
    }
    t->scanned_bounds = bp_node_bounds(&t->sorted, (uint32_t)t->object_count, (uint32_t)t->total_count);
    return true;
}

static bp_status sort_into_leaves(octree *t) {
    const bp_executor *executor = &t->setup->runtime.executor;
    locating k = {.t = t, .entries = t->tree.scratch};
    k.blocks = bp_blocks_cut(executor, t->count, KEYS_LEAST, SIZE_MAX);
    bp_parallel_for(executor, k.blocks.count, task_locate, &k);
    place_in_leaves(t, k.entries);
    return octree_tree_adapt(&t->tree, t->home.data) && fill_leaves(t) ? BP_OK : BP_ERROR_MEMORY;
}

static bp_status sort_into_new_tree(octree *t, const octree_plan *plan) {
    return begin_tree(t, plan) ? sort_into_leaves(t) : BP_ERROR_MEMORY;
}

// Whether an object shares its leaf with many others, on average, or many are scanned.
static bool is_crowded(const octree *t) {
    uint64_t mates = (uint64_t)(t->total_count - t->object_count) * t->total_count;
    for (size_t i = 0; i < t->tree.leaf_count; ++i) {
        const bp_node_range boxes = range_of(t, octree_leaf(&t->tree, i))->boxes;
        const uint64_t here = boxes.end - boxes.begin;
        mates += here * here;
    }
    return mates / CROWDED_SHARE / t->tree.max_objects > t->total_count;
}

// A search of crowded leaves takes so long that another plan costs little.
static bp_status plan_again_if_crowded(octree *t, const survey *s) {
    if (!is_crowded(t)) {
        return BP_OK;
    }
    const octree_plan plan = make_plan(t, *s);
    const double edge = finest_edge(&plan.space), kept = finest_edge(&t->tree.space);
    return edge < kept / 2 || edge > kept * 2 ? sort_into_new_tree(t, &plan) : BP_OK;
}

// Updates the tree to the boxes: keeps it, or starts another one.
static bp_status take_boxes(octree *t) {
    const survey s = survey_boxes(t);
    if (!octree_reserve(t)) {
        return BP_ERROR_MEMORY;
    }
    if (!octree_plan_suits(t, &s)) {
        const octree_plan plan = make_plan(t, s);
        return sort_into_new_tree(t, &plan);
    }
    const bp_status status = sort_into_leaves(t);
    return status == BP_OK ? plan_again_if_crowded(t, &s) : status;
}

static bp_status octree_build(void *state, const bp_box *boxes, size_t count) {
    octree *t = state;
    t->boxes = boxes;
    t->count = count;
    const bp_status status = take_boxes(t);
    if (status != BP_OK) { // start a new tree next time
        t->planned = false;
        t->tree.leaf_count = 0; // the lists may be lost
        t->tree.inner_count = 0;
        t->object_count = 0;
        t->total_count = 0;
    }
    return status;
}

// ---- finding --------------------------------------------------------------------------------------------------------

// The boxes of the neighbouring leaves that a leaf is tested against.
static size_t ranges_around(const octree *t, uint32_t leaf, bp_node_range *ranges) {
    const bp_box *bounds = &range_of(t, leaf)->bounds;
    uint32_t neighbours[OCTREE_SLOTS];
    const size_t neighbour_count = octree_tree_neighbours(&t->tree, leaf, neighbours);
    size_t count = 0;
    for (size_t i = 0; i < neighbour_count; ++i) {
        const bounded_range *other = range_of(t, neighbours[i]);
        ranges[count] = other->boxes;
        count += bp_boxes_overlap_branchless(bounds, &other->bounds, 3);
    }
    return count;
}

static void unit_leaves(const void *context, bp_range_tester *tester, size_t unit) {
    const octree *t = context;
    const bp_node_range scanned = {.begin = (uint32_t)t->object_count, .end = (uint32_t)t->total_count};
    const size_t begin = unit * UNIT, left = t->tree.leaf_count - begin,
                 end = left < UNIT ? begin + left : begin + UNIT;
    bp_node_batch batch;
    bp_node_batch_begin(&batch, &t->sorted, tester);
    for (size_t i = begin; i < end; ++i) {
        const uint32_t leaf = octree_leaf(&t->tree, i);
        const bounded_range *own = range_of(t, leaf);
        bp_node_range ranges[OCTREE_SLOTS + 1];
        if (own->boxes.begin == own->boxes.end) {
            continue;
        }
        size_t count = ranges_around(t, leaf, ranges);
        ranges[count] = scanned;
        count += bp_boxes_overlap_branchless(&own->bounds, &t->scanned_bounds, 3);
        bp_node_batch_add(&batch, &own->bounds, own->boxes, ranges, count);
    }
    if (unit == 0) {
        bp_node_batch_add(&batch, &t->scanned_bounds, scanned, NULL, 0);
    }
    bp_node_batch_end(&batch);
}

static bp_status octree_find(void *state, bp_sink *sink) {
    octree *t = state;
    return bp_node_boxes_find(&t->sorted, (t->tree.leaf_count + UNIT - 1) / UNIT, unit_leaves, t, sink);
}

// The bounds of all subtrees, from the leaves up.
static bool join_subtree_bounds(octree *t) {
    if (!bp_columns_reserve(&t->subtree_bounds, &t->subtree_buffer, &t->setup->runtime.allocator, t->tree.node_count)) {
        return false;
    }
    for (size_t i = 0; i < t->tree.leaf_count; ++i) {
        const uint32_t leaf = octree_leaf(&t->tree, i);
        bp_columns_put(&t->subtree_bounds, leaf, &range_of(t, leaf)->bounds, leaf);
    }
    for (size_t i = t->tree.inner_count; i-- > 0;) {
        const uint32_t inner = octree_inner(&t->tree, i), child = octree_node(&t->tree, inner)->first_child;
        bp_box bounds = bp_bounds_empty();
        for (uint32_t k = 0; k < t->tree.children; ++k) {
            const bp_box below = bp_columns_box(&t->subtree_bounds, child + k);
            bp_bounds_join(&bounds, &below);
        }
        bp_columns_put(&t->subtree_bounds, inner, &bounds, inner);
    }
    return true;
}

static bp_status octree_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    octree *t = state;
    if (!join_subtree_bounds(t)) {
        return BP_ERROR_MEMORY;
    }
    const bp_node_search search = {.nodes = t->tree.nodes.data,
                                   .bounds = &t->subtree_bounds,
                                   .children = t->tree.children,
                                   .outside_begin = (uint32_t)t->object_count,
                                   .probes = boxes,
                                   .probe_count = count};
    return bp_node_search_run(&t->sorted, &search, sink);
}

// ---- stats and checks -----------------------------------------------------------------------------------------------

static void octree_stats(const void *state, bp_stats *stats) {
    const octree *t = state;
    stats->update = BP_UPDATE_REBUILD;
    stats->bytes = octree_tree_bytes(&t->tree) + bp_node_boxes_bytes(&t->sorted) + t->ranges.bytes + t->home.bytes +
                   t->subtree_buffer.bytes + sizeof *t;
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
    if (id >= t->count || visited[id] != 0 || ((const uint32_t *)t->home.data)[id] != leaf ||
        !bp_columns_hold(&t->sorted.columns, position, &t->boxes[id], t->setup->dimensions)) {
        return false;
    }
    visited[id] = 1;
    return leaf == SCANNED || octree_tree_locate(&t->tree, 0, key_of_box(t, &t->boxes[id])) == leaf;
}

static bool range_is_sound(const octree *t, uint32_t leaf) {
    const bounded_range *range = range_of(t, leaf);
    const bp_node *node = octree_node(&t->tree, leaf);
    const bp_box bounds = bp_node_bounds(&t->sorted, node->begin, node->end);
    return range->boxes.begin == node->begin && range->boxes.end == node->end &&
           bp_box_is_same(&range->bounds, &bounds);
}

static bool octree_is_sound(const octree *t, uint8_t *visited) {
    size_t alive = 0;
    uint32_t position = 0;
    bool sound = octree_tree_is_sound(&t->tree);
    for (size_t i = 0; i < t->count; ++i) {
        alive += !bp_box_is_hole(&t->boxes[i]);
    }
    for (size_t i = 0; sound && i < t->tree.leaf_count; ++i) {
        const uint32_t leaf = octree_leaf(&t->tree, i);
        const bp_node *node = octree_node(&t->tree, leaf);
        sound =
            node->begin == position && node->end >= position && node->end <= t->object_count && range_is_sound(t, leaf);
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
