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
//     boxes   | own of root | own of child 0 | own of its child 0 | ... | own of child 1 | ...     subtrees are ranges
//
// A node is only split when more than max_objects of its objects would move down. All pairs are found in one traversal
// from the root down, with a stack: each node on the path to the current one has a list of the nodes of its depth whose
// subtrees may touch its subtree, and of the nodes above whose own objects may. With looseness 1 the latter are the
// ancestors. A node is tested against the larger nodes in its list and against the equal ones that follow it, so that
// each two nodes are tested once. Lists use the bounds of the boxes themselves: the node of an object affects how fast
// it is found, never whether it is. So infinite boxes are in the root, like others that are too large.
//
// With update = individual, objects enter and leave nodes one by one instead: linked_octree.h.
//
// Cost: O(n log n) with looseness 2. With looseness 1, the objects that straddle the upper nodes are tested again and
// again: there are about n^(2/3) of them in a homogeneous scene. This is the straddling problem that Zych measured.
// Loses to a grid where all objects have the same size.
//
// Source: M. Zych, "Efficient algorithms for collision detection in three-dimensional space", 2016, sections 2.2.3 and
// 3.2, for looseness 1; T. Ulrich, "Loose Octrees", in Game Programming Gems, 2000, for looseness 2, which solves that
// problem.
#include "base/log.h"
#include "base/parallel.h"
#include "engine/method.h"
#include "literature/octrees/linked_octree.h"
#include "literature/octrees/node_search.h"

enum {
    UNIT = 4096,   // boxes per unit of work
    LISTED = 2048, // initial capacity of a list of nodes
    SPLIT_STACK = 8 * (BP_TREE_DEPTH_MAX + 1),
    SIBLINGS = 32,     // blocks of siblings that are tested together
    KEYS_LEAST = 8192, // boxes that are worth a task
    FEW = 4            // of this many objects at most one has changed: only the pairs of those are searched for
};

// An object that is being assigned to its node.
typedef struct entry {
    uint64_t key; // of its centre
    uint32_t id;
    uint32_t depth; // the greatest depth at which a node encloses it
} entry;

typedef struct loose_octree {
    const bp_method_setup *setup;
    const bp_box *boxes;
    size_t count;
    bp_tree_space space;
    uint32_t children; // of a node: 8 or 4
    size_t node_count;
    uint32_t depth;                       // of the deepest node
    bp_buffer nodes;                      // of bp_node: children after their parents
    bp_buffer subtree_ends;               // of uint32_t, by node: where the boxes of its subtree end
    bp_buffer own_bounds, subtree_bounds; // of bp_box, by node
    bp_buffer columns_buffer;
    bp_columns columns; // the bounds of subtrees, by node
    bp_buffer entries, scratch;
    bp_node_boxes sorted;
    bp_buffer lists; // of bp_buffer of uint32_t: one for each unit of work
    size_t list_count;
    bp_linked_octree linked; // instead of all the above, where objects are updated individually
} loose_octree;

static bp_node *node_at(const loose_octree *t, uint32_t node) {
    return (bp_node *)t->nodes.data + node;
}

static bp_box *own_bounds(const loose_octree *t, uint32_t node) {
    return (bp_box *)t->own_bounds.data + node;
}

static bp_box *subtree_bounds(const loose_octree *t, uint32_t node) {
    return (bp_box *)t->subtree_bounds.data + node;
}

static uint32_t *subtree_end(const loose_octree *t, uint32_t node) {
    return (uint32_t *)t->subtree_ends.data + node;
}

static void loose_octree_init(void *state, const bp_method_setup *setup) {
    loose_octree *t = state;
    *t = (loose_octree){.setup = setup, .children = 1u << setup->dimensions};
    bp_node_boxes_init(&t->sorted, setup);
    bp_linked_octree_init(&t->linked, setup);
}

static bool is_linked(const loose_octree *t) {
    return t->setup->update == BP_UPDATE_INDIVIDUAL;
}

static void loose_octree_free(void *state) {
    loose_octree *t = state;
    const bp_allocator *allocator = &t->setup->runtime.allocator;
    bp_buffer *lists = t->lists.data;
    for (size_t i = 0; i < t->list_count; ++i) {
        bp_buffer_free(&lists[i], allocator);
    }
    bp_buffer *buffers[] = {&t->nodes,          &t->subtree_ends, &t->own_bounds, &t->subtree_bounds,
                            &t->columns_buffer, &t->entries,      &t->scratch,    &t->lists};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i) {
        bp_buffer_free(buffers[i], allocator);
    }
    bp_node_boxes_free(&t->sorted);
    bp_linked_octree_free(&t->linked);
}

static entry entry_of(const loose_octree *t, size_t id) {
    const bp_loose_place place = bp_loose_place_of(&t->space, t->setup, &t->boxes[id]);
    return (entry){.key = place.key, .id = (uint32_t)id, .depth = place.depth};
}

typedef struct entry_maker {
    const loose_octree *t;
    bp_blocks blocks;
} entry_maker;

static void task_make_entries(void *context, size_t block) {
    const entry_maker *k = context;
    entry *entries = k->t->scratch.data;
    const size_t end = bp_block_begin(k->blocks, block + 1);
    for (size_t i = bp_block_begin(k->blocks, block); i < end; ++i) {
        entries[i] = entry_of(k->t, i);
    }
}

// ---- building -------------------------------------------------------------------------------------------------------

static bool reserve_nodes(loose_octree *t, size_t count) {
    const bp_allocator *allocator = &t->setup->runtime.allocator;
    const size_t used = t->node_count;
    return bp_buffer_reserve_slack(&t->nodes, allocator, used * sizeof(bp_node), count, sizeof(bp_node)) &&
           bp_buffer_reserve_slack(&t->subtree_ends, allocator, used * sizeof(uint32_t), count, sizeof(uint32_t)) &&
           bp_buffer_reserve_slack(&t->own_bounds, allocator, 0, count, sizeof(bp_box)) &&
           bp_buffer_reserve_slack(&t->subtree_bounds, allocator, 0, count, sizeof(bp_box));
}

static void write_node(loose_octree *t, uint32_t at, uint32_t parent, uint32_t begin, uint32_t end, uint32_t depth) {
    *node_at(t, at) =
        (bp_node){.first_child = BP_NODE_NONE, .parent = parent, .begin = begin, .end = end, .depth = depth};
    *subtree_end(t, at) = end;
}

// Sorts the entries of a node: its own, then those of each child. Writes where each of these parts ends to ends[].
static void sort_entries_by_owner(const loose_octree *t, const bp_node *node, uint32_t ends[9]) {
    entry *placed = t->entries.data, *scratch = t->scratch.data;
    uint32_t counts[9] = {0}, position = node->begin;
    for (uint32_t i = node->begin; i < node->end; ++i) {
        ++counts[placed[i].depth == node->depth ? 0 : 1 + bp_tree_octant(&t->space, placed[i].key, node->depth)];
    }
    for (uint32_t part = 0; part <= t->children; ++part) {
        ends[part] = position;
        position += counts[part];
    }
    for (uint32_t i = node->begin; i < node->end; ++i) {
        const bool own = placed[i].depth == node->depth;
        scratch[ends[own ? 0 : 1 + bp_tree_octant(&t->space, placed[i].key, node->depth)]++] = placed[i];
    }
    memcpy(placed + node->begin, scratch + node->begin, (node->end - node->begin) * sizeof *placed);
}

// Whether enough objects would move down, and not all to the same place.
static bool node_is_worth_splitting(const loose_octree *t, const bp_node *node) {
    const entry *placed = t->entries.data;
    size_t moving = 0;
    bool differ = false;
    const entry *first = NULL;
    for (uint32_t i = node->begin; i < node->end && !(differ && moving > t->setup->settings.octree_max_objects); ++i) {
        if (placed[i].depth > node->depth) {
            first = first == NULL ? &placed[i] : first;
            differ |= placed[i].key != first->key || placed[i].depth != first->depth;
            ++moving;
        }
    }
    return differ && moving > t->setup->settings.octree_max_objects;
}

static bool split_node(loose_octree *t, uint32_t at) {
    if (t->node_count >= BP_NODE_NONE - t->children || !reserve_nodes(t, t->node_count + t->children)) {
        return false;
    }
    bp_node *node = node_at(t, at);
    uint32_t ends[9];
    sort_entries_by_owner(t, node, ends);
    node->first_child = (uint32_t)t->node_count;
    node->end = ends[0];
    t->node_count += t->children;
    for (uint32_t i = 0; i < t->children; ++i) {
        write_node(t, node->first_child + i, at, ends[i], ends[i + 1], node->depth + 1);
    }
    t->depth = node->depth + 1 > t->depth ? node->depth + 1 : t->depth;
    return true;
}

static bool split_from_root(loose_octree *t) {
    uint32_t stack[SPLIT_STACK];
    size_t pending = 1;
    stack[0] = 0;
    while (pending > 0) {
        const uint32_t at = stack[--pending];
        if (!node_is_worth_splitting(t, node_at(t, at))) {
            continue;
        }
        if (!split_node(t, at)) {
            return false;
        }
        for (uint32_t i = 0; i < t->children; ++i) {
            stack[pending++] = node_at(t, at)->first_child + i;
        }
    }
    return true;
}

// The bounds of a subtree: those of its own objects, and of the subtrees of its children.
static bp_box bounds_with_children(const loose_octree *t, uint32_t at, bp_box bounds) {
    const bp_node *node = node_at(t, at);
    for (uint32_t i = 0; node->first_child != BP_NODE_NONE && i < t->children; ++i) {
        bp_bounds_join(&bounds, subtree_bounds(t, node->first_child + i));
    }
    return bounds;
}

// Computes bounds from the deepest nodes up; children come after their parents.
static void join_node_bounds(loose_octree *t) {
    for (uint32_t at = (uint32_t)t->node_count; at-- > 0;) {
        const bp_node *node = node_at(t, at);
        *own_bounds(t, at) = bp_node_bounds(&t->sorted, node->begin, node->end);
        const bp_box bounds = bounds_with_children(t, at, *own_bounds(t, at));
        *subtree_bounds(t, at) = bounds;
        bp_columns_put(&t->columns, at, &bounds, at);
    }
}

// The entries of all boxes except holes, in the order of their ids. Returns their number.
static uint32_t list_entries(loose_octree *t) {
    const entry *scratch = t->scratch.data;
    entry *entries = t->entries.data;
    uint32_t count = 0;
    for (size_t i = 0; i < t->count; ++i) {
        entries[count] = scratch[i];
        count += !bp_box_is_hole(&t->boxes[i]);
    }
    return count;
}

static bool loose_octree_reserve(loose_octree *t) {
    const bp_allocator *allocator = &t->setup->runtime.allocator;
    return reserve_nodes(t, t->children) &&
           bp_buffer_reserve_slack(&t->entries, allocator, 0, t->count + 1, sizeof(entry)) &&
           bp_buffer_reserve_slack(&t->scratch, allocator, 0, t->count + 1, sizeof(entry)) &&
           bp_node_boxes_reserve(&t->sorted, t->count);
}

// Makes the nodes, and sorts the entries by them.
static bool grow_nodes(loose_octree *t) {
    t->node_count = 1;
    t->depth = 0;
    write_node(t, 0, 0, 0, (uint32_t)t->sorted.count, 0);
    return split_from_root(t) &&
           bp_columns_reserve(&t->columns, &t->columns_buffer, &t->setup->runtime.allocator, t->node_count);
}

static bp_status loose_octree_build(void *state, const bp_box *boxes, size_t count) {
    loose_octree *t = state;
    const bp_executor *executor = &t->setup->runtime.executor;
    if (is_linked(t)) {
        return bp_linked_octree_build(&t->linked, boxes, count);
    }
    t->boxes = boxes;
    t->count = count;
    t->node_count = 0;
    t->sorted.count = 0;
    if (!loose_octree_reserve(t)) {
        return BP_ERROR_MEMORY;
    }
    t->space = bp_loose_space(t->setup, boxes, count);
    entry_maker k = {.t = t, .blocks = bp_blocks_cut(executor, t->count, KEYS_LEAST, SIZE_MAX)};
    bp_parallel_for(executor, k.blocks.count, task_make_entries, &k);
    t->sorted.count = list_entries(t);
    if (!grow_nodes(t)) {
        return BP_ERROR_MEMORY;
    }
    const entry *placed = t->entries.data;
    for (size_t i = 0; i < t->sorted.count; ++i) {
        t->sorted.columns.id[i] = placed[i].id;
    }
    bp_node_boxes_fill(&t->sorted, t->boxes);
    join_node_bounds(t);
    return BP_OK;
}

static bp_status loose_octree_update(void *state, const bp_box *boxes, size_t count, const bp_changes *changes,
                                     bp_search_kind *kind) {
    loose_octree *t = state;
    const bool few = changes != NULL && changes->count < count / FEW;
    *kind = is_linked(t) && few ? BP_SEARCH_CHANGED : BP_SEARCH_ALL;
    return is_linked(t) ? bp_linked_octree_update(&t->linked, boxes, count, changes)
                        : loose_octree_build(t, boxes, count);
}

// ---- finding --------------------------------------------------------------------------------------------------------

// A node on the path, and its part of the list: nodes of its depth, then nodes above.
typedef struct frame {
    uint32_t node, next_child;
    uint32_t same, above, end; // positions in the list
} frame;

typedef struct tree_walk {
    const loose_octree *t;
    bp_range_tester *tester;
    bp_node_batch batch;
    bp_buffer *list;     // of uint32_t
    uint32_t begin, end; // boxes of this unit
    uint32_t depth;
    frame frames[BP_TREE_DEPTH_MAX + 1];
} tree_walk;

static uint32_t *list_of(const tree_walk *w) {
    return w->list->data;
}

static bool has_own(const loose_octree *t, uint32_t node) {
    return node_at(t, node)->begin < node_at(t, node)->end;
}

// Makes room for `more` nodes behind a frame, and for as many ranges.
static bool reserve_list(tree_walk *w, size_t used, size_t more) {
    const bool enough = bp_buffer_reserve_slack(w->list, &w->t->setup->runtime.allocator, used * sizeof(uint32_t),
                                                used + 2 * more, sizeof(uint32_t));
    w->tester->failed |= !enough;
    return enough;
}

// Tests the own objects of a node against each other and against those of the nodes in its list. Equal nodes before it
// have been tested against it already.
static void add_node_to_batch(tree_walk *w, const frame *f) {
    const loose_octree *t = w->t;
    const bp_node *node = node_at(t, f->node);
    const uint32_t *list = list_of(w);
    bp_node_range *ranges = (bp_node_range *)(void *)(list_of(w) + f->end);
    size_t count = 0;
    for (uint32_t i = f->same; i < f->end; ++i) {
        const bp_node *other = node_at(t, list[i]);
        ranges[count] = (bp_node_range){.begin = other->begin, .end = other->end};
        count += (i >= f->above || list[i] > f->node) &&
                 bp_boxes_overlap_branchless(own_bounds(t, f->node), own_bounds(t, list[i]), 3);
    }
    bp_node_batch_add(&w->batch, own_bounds(t, f->node), (bp_node_range){.begin = node->begin, .end = node->end},
                      ranges, count);
}

// Appends the children of the nodes in a frame whose subtrees touch that of `child`.
static uint32_t list_same(tree_walk *w, const frame *f, uint32_t child, uint32_t end) {
    const loose_octree *t = w->t;
    uint32_t *list = list_of(w);
    for (uint32_t i = f->same; i < f->above;) {
        bp_range_test tests[SIBLINGS];
        bp_pair found[8 * SIBLINGS + BP_COLUMN_PADDING];
        bp_range_job job = {.objects = &t->columns,
                            .candidates = &t->columns,
                            .tests = tests,
                            .names = BP_NAMES_BY_ROLE,
                            .out = found,
                            .room = sizeof found / sizeof found[0]};
        for (; i < f->above && job.test_count < SIBLINGS; ++i) {
            const uint32_t block = node_at(t, list[i])->first_child;
            tests[job.test_count] = (bp_range_test){.object = child, .begin = block, .end = block + t->children};
            job.test_count += block != BP_NODE_NONE &&
                              bp_boxes_overlap_branchless(subtree_bounds(t, child), subtree_bounds(t, list[i]), 3);
        }
        size_t done = 0;
        const size_t count = w->tester->kernels->test_ranges(&job, &done);
        for (size_t k = 0; k < count; ++k) {
            list[end++] = found[k].b; // cppcheck-suppress uninitvar ; the kernel has written it
        }
    }
    return end;
}

// Appends the nodes of the list whose own objects touch the subtree of `child`: they are above it.
static uint32_t list_above(tree_walk *w, const frame *f, uint32_t child, uint32_t end) {
    const loose_octree *t = w->t;
    uint32_t *list = list_of(w);
    for (uint32_t i = f->same; i < f->end; ++i) {
        list[end] = list[i];
        end += bp_boxes_overlap_branchless(subtree_bounds(t, child), own_bounds(t, list[i]), 3);
    }
    return end;
}

static void enter_child(tree_walk *w, uint32_t child) {
    const frame *f = &w->frames[w->depth];
    const size_t same = f->above - f->same, all = f->end - f->same;
    if (!reserve_list(w, f->end, w->t->children * same + all)) {
        return;
    }
    frame *next = &w->frames[++w->depth];
    *next = (frame){.node = child, .same = f->end};
    next->above = list_same(w, f, child, next->same);
    next->end = list_above(w, f, child, next->above);
    const uint32_t begin = node_at(w->t, child)->begin;
    if (has_own(w->t, child) && begin >= w->begin && begin < w->end &&
        reserve_list(w, next->end, next->end - next->same)) {
        add_node_to_batch(w, next);
    }
}

// Whether some boxes of a subtree belong to this unit.
static bool subtree_is_of_unit(const tree_walk *w, uint32_t node) {
    const uint32_t begin = node_at(w->t, node)->begin, end = *subtree_end(w->t, node);
    return begin < end && begin < w->end && end > w->begin;
}

static void walk_tree(tree_walk *w) {
    const loose_octree *t = w->t;
    for (;;) {
        frame *f = &w->frames[w->depth];
        const uint32_t block = node_at(t, f->node)->first_child;
        if (w->tester->failed || block == BP_NODE_NONE || f->next_child == t->children) {
            if (w->depth-- == 0) {
                return;
            }
        } else {
            const uint32_t child = block + f->next_child++;
            if (subtree_is_of_unit(w, child)) {
                enter_child(w, child);
            }
        }
    }
}

static void unit_boxes(const void *context, bp_range_tester *tester, size_t unit) {
    const loose_octree *t = context;
    tree_walk w;
    w.t = t;
    w.tester = tester;
    w.list = (bp_buffer *)t->lists.data + unit;
    w.begin = (uint32_t)(unit * UNIT);
    w.end = t->sorted.count - unit * UNIT < UNIT ? (uint32_t)t->sorted.count : w.begin + UNIT;
    w.depth = 0;
    bp_node_batch_begin(&w.batch, &t->sorted, tester);
    if (!reserve_list(&w, 0, LISTED)) {
        return;
    }
    uint32_t *list = list_of(&w);
    list[0] = 0;
    w.frames[0] = (frame){.node = 0, .same = 0, .above = 1, .end = 1};
    if (unit == 0 && has_own(t, 0)) {
        add_node_to_batch(&w, &w.frames[0]);
    }
    walk_tree(&w);
    bp_node_batch_end(&w.batch);
}

static bool reserve_unit_lists(loose_octree *t, size_t count) {
    if (!bp_buffer_reserve(&t->lists, &t->setup->runtime.allocator, t->list_count * sizeof(bp_buffer), count,
                           sizeof(bp_buffer))) {
        return false;
    }
    for (; t->list_count < count; ++t->list_count) {
        ((bp_buffer *)t->lists.data)[t->list_count] = (bp_buffer){0};
    }
    return true;
}

static bp_status loose_octree_find(void *state, bp_sink *sink) {
    loose_octree *t = state;
    const size_t unit_count = (t->sorted.count + UNIT - 1) / UNIT;
    if (is_linked(t)) {
        return bp_linked_octree_find(&t->linked, sink);
    }
    return reserve_unit_lists(t, unit_count) ? bp_node_boxes_find(&t->sorted, unit_count, unit_boxes, t, sink)
                                             : BP_ERROR_MEMORY;
}

static bp_status loose_octree_find_changed(void *state, const bp_changes *changes, bp_sink *sink) {
    const loose_octree *t = state;
    return bp_linked_octree_find_changed(&t->linked, changes, sink);
}

static bp_status loose_octree_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    loose_octree *t = state;
    if (is_linked(t)) {
        return bp_linked_octree_find_between(&t->linked, boxes, count, sink);
    }
    const bp_node_search search = {.nodes = t->nodes.data,
                                   .bounds = &t->columns,
                                   .children = t->children,
                                   .outside_begin = (uint32_t)t->sorted.count,
                                   .probes = boxes,
                                   .probe_count = count};
    return bp_node_search_run(&t->sorted, &search, sink);
}

// ---- stats and checks -----------------------------------------------------------------------------------------------

static void loose_octree_stats(const void *state, bp_stats *stats) {
    const loose_octree *t = state;
    const bp_buffer *lists = t->lists.data;
    if (is_linked(t)) {
        bp_linked_octree_stats(&t->linked, stats);
        stats->bytes += sizeof *t;
        return;
    }
    stats->update = BP_UPDATE_REBUILD;
    stats->bytes = t->nodes.bytes + t->subtree_ends.bytes + t->own_bounds.bytes + t->subtree_bounds.bytes +
                   t->columns_buffer.bytes + t->entries.bytes + t->scratch.bytes + t->lists.bytes +
                   bp_node_boxes_bytes(&t->sorted) + sizeof *t;
    for (size_t i = 0; i < t->list_count; ++i) {
        stats->bytes += lists[i].bytes;
    }
    stats->levels = t->depth + 1;
    stats->cells = t->node_count;
    for (uint32_t at = 0; at < t->node_count; ++at) {
        bp_node_count_objects(node_at(t, at), stats);
    }
    stats->objects_per_cell = stats->occupied > 0 ? (double)t->sorted.count / (double)stats->occupied : 0.0;
}

static bool node_bounds_are_sound(const loose_octree *t, uint32_t at) {
    const bp_box own = bp_node_bounds(&t->sorted, node_at(t, at)->begin, node_at(t, at)->end);
    const bp_box all = bounds_with_children(t, at, own);
    return bp_box_is_same(&own, own_bounds(t, at)) && bp_box_is_same(&all, subtree_bounds(t, at)) &&
           bp_columns_hold(&t->columns, at, &all, 3);
}

// Subtrees are ranges, in the order of nodes, inside those of their parents.
static bool loose_node_is_sound(const loose_octree *t, uint32_t at) {
    const bp_node *node = node_at(t, at);
    const uint32_t first = node->first_child, children = first != BP_NODE_NONE ? t->children : 0;
    uint32_t position = node->end;
    bool sound = node->begin <= node->end && node->end <= t->sorted.count &&
                 (children == 0 || (first > at && first < t->node_count && children <= t->node_count - first));
    for (uint32_t child = first; sound && child - first < children; ++child) {
        sound = node_at(t, child)->parent == at && node_at(t, child)->begin == position;
        position = *subtree_end(t, child);
    }
    sound = sound && position == *subtree_end(t, at) && node_bounds_are_sound(t, at);
    for (uint32_t i = node->begin; sound && i < node->end; ++i) {
        const uint32_t id = t->sorted.columns.id[i];
        sound = id < t->count && bp_columns_hold(&t->sorted.columns, i, &t->boxes[id], t->setup->dimensions) &&
                node->depth <= entry_of(t, id).depth;
    }
    return sound;
}

static bp_status loose_octree_validate(const void *state) {
    const loose_octree *t = state;
    size_t alive = 0;
    if (is_linked(t)) {
        return bp_linked_octree_validate(&t->linked);
    }
    for (size_t i = 0; i < t->count; ++i) {
        alive += !bp_box_is_hole(&t->boxes[i]);
    }
    bool sound = t->node_count > 0 && *subtree_end(t, 0) == alive && alive == t->sorted.count;
    for (uint32_t at = 0; sound && at < t->node_count; ++at) {
        sound = loose_node_is_sound(t, at);
    }
    if (!sound) {
        bp_log_write(&t->setup->runtime.log, "loose-octree: the tree does not hold the boxes it was given");
        return BP_ERROR_INTERNAL;
    }
    return BP_OK;
}

const bp_method_ops bp_loose_octree_ops = {
    .name = "loose-octree",
    .summary = "a tree of cubes with objects of any size, in nodes that overlap; looseness 1: the plain one",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_INCREMENTAL | BP_SUPPORTS_THREADS,
    .state_bytes = sizeof(loose_octree),
    .init = loose_octree_init,
    .free = loose_octree_free,
    .build = loose_octree_build,
    .update = loose_octree_update,
    .find = loose_octree_find,
    .find_changed = loose_octree_find_changed,
    .find_between = loose_octree_find_between,
    .stats = loose_octree_stats,
    .validate = loose_octree_validate,
};
