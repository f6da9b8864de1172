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
//     nodes   | root | child 0 | child 1 | ...       each has a list of its objects:  head ---> 17 <-> 4 <-> 96
//
// The tree is kept: an object that changes is taken out of its node and put into another one, unless its node stays the same. An
// object goes into the deepest node there is that encloses it; a node is split when more than max_objects of its objects
// would move down, and children without any object in their subtrees are given back. When the root has twice as many
// objects as at first, because they have left the cube, or with update = rebuild, all are inserted again.
//
// All pairs are found in one traversal from the root down, with a stack: each node on the path to the current one has a list of
// the nodes of its depth whose subtrees may touch its subtree, and of the nodes above whose own objects may. With
// looseness 1 the latter are the ancestors. Each two nodes are tested once. For this the objects are listed:
//
//     boxes   | own of root | own of child 0 | own of its child 0 | ... | own of child 1 | ...     subtrees are ranges
//
// Bounds are those of the boxes: the node of an object affects how fast it is found, never whether it is.
//
// Cost: O(depth) for an object that changes; the search is O(n log n) with looseness 2. With looseness 1, the objects that
// straddle the upper nodes are tested again and again: there are about n^(2/3) of them in a homogeneous scene, the
// straddling problem that Zych measured. Loses to a grid where all objects have the same size.
//
// Source: M. Zych, "Efficient algorithms for collision detection in three-dimensional space", 2016, section 2.2.3, listings
// 2.12 to 2.14 and section 3.2, for looseness 1; T. Ulrich, "Loose Octrees", in Game Programming Gems, 2000, for looseness 2,
// which solves that problem. Differences: nodes are split by need, so that tiny objects do not make long chains; empty
// ones go; touching counts.
#include "base/log.h"
#include "engine/method.h"
#include "literature/octrees/node_search.h"

enum {
    UNIT = 4096,    // boxes per unit of work
    LISTED = 2048,  // initial capacity of a list of nodes
    FEW = 4,        // of this many objects at most one has changed: only the pairs of those are searched for
    ROOT_SLACK = 64 // objects that the root may have beyond twice those of the build
};

// The list of a node.
typedef struct node_list {
    uint64_t key;         // of its cell, at its depth
    uint32_t head;        // its first object, or BP_NODE_NONE
    uint32_t count;       // of its own objects,
    uint32_t movable;     // of those that could be deeper: none if it has children,
    uint32_t below;       // of the objects of its descendants
    uint32_t subtree_end; // where the boxes of its subtree end, once they are listed
} node_list;

// Where an object belongs: in the smallest node that encloses it and contains its centre; and where it is.
typedef struct object_link {
    uint64_t key;   // of the finest cell of its centre
    uint32_t depth; // the greatest at which a node encloses it
    uint32_t next, previous;
    uint32_t node; // BP_NODE_NONE: it is not in the tree
} object_link;

typedef struct loose_octree {
    const bp_method_setup *setup;
    const bp_box *boxes;
    bp_tree_space space;
    uint32_t children; // of a node: 8 or 4
    bp_buffer nodes;   // of bp_node,
    bp_buffer lists;   // of node_list
    size_t node_count; // with those that are not in use; 0: not built
    uint32_t unused;   // the first of the children that have been given back
    bp_buffer links;   // of object_link, by id
    size_t link_count, object_count;
    uint32_t root_count; // objects of the root when the tree was built
    bool is_listed;      // what follows is up to date
    bp_buffer order;     // of uint32_t: the nodes, depth first
    size_t used_count;   // of these
    bp_node_boxes sorted;
    bp_buffer paths; // of bp_buffer of uint32_t: the lists of nodes, for each block of units
    size_t path_count;
} loose_octree;

static bp_node *node_at(const loose_octree *t, uint32_t node) {
    return (bp_node *)t->nodes.data + node;
}

static node_list *list_at(const loose_octree *t, uint32_t node) {
    return (node_list *)t->lists.data + node;
}

static object_link *link_of(const loose_octree *t, uint32_t id) {
    return (object_link *)t->links.data + id;
}

static void loose_octree_init(void *state, const bp_method_setup *setup) {
    loose_octree *t = state;
    *t = (loose_octree){.setup = setup, .children = 1u << setup->dimensions, .sorted = {.setup = setup}};
}

static void loose_octree_free(void *state) {
    loose_octree *t = state;
    const bp_allocator *allocator = &t->setup->runtime.allocator;
    for (size_t i = 0; i < t->path_count; ++i) {
        bp_buffer_free((bp_buffer *)t->paths.data + i, allocator);
    }
    bp_buffer *buffers[] = {&t->nodes, &t->lists, &t->links, &t->order, &t->paths};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i) {
        bp_buffer_free(buffers[i], allocator);
    }
    bp_node_boxes_free(&t->sorted);
}

// ---- where an object belongs ----------------------------------------------------------------------------------------
//
//     node of depth d        [low, high) along each axis, low = origin + edge * cell, edge = that of the cube / 2^d
//     its reach              [low - margin, high + margin), margin = edge * (looseness - 1) / 2
//
// Reaches are half open: a box that touches the upper end of one is not enclosed. So two boxes overlap only if the
// reaches of their nodes do, with looseness 1 only those of a node and its ancestors.

// Whether the node of a depth that contains the finest cell encloses a box.
static bool node_encloses(const loose_octree *t, const bp_box *box, const uint32_t finest[3], uint32_t depth) {
    const double edge = ldexp(t->space.edge, -(int)depth);
    const double margin = edge * ((double)t->setup->settings.looseness - 1.0) / 2;
    bool enclosed = true;
    for (uint32_t axis = 0; axis < t->setup->dimensions; ++axis) {
        const double cell = (double)(finest[axis] >> (t->space.depth - depth)), origin = t->space.origin[axis];
        enclosed &= (double)box->min[axis] >= origin + edge * cell - margin &&
                    (double)box->max[axis] < origin + edge * (cell + 1.0) + margin;
    }
    return enclosed;
}

// Infinite boxes belong to the root, like others that no node encloses. So do those beyond the cube, and not to a node at the
// border that would get crowded: the root tells when the cube no longer fits.
static object_link place_of(const loose_octree *t, const bp_box *box) {
    uint32_t finest[3] = {0};
    double size = (double)FLT_MIN;
    int exponent = 0;
    if (!bp_box_is_finite(box, t->setup->dimensions)) {
        return (object_link){.depth = 0};
    }
    for (uint32_t axis = 0; axis < t->setup->dimensions; ++axis) {
        const double at = bp_tree_centre(box, axis) - t->space.origin[axis];
        if (!(at >= 0.0 && at <= t->space.edge)) {
            return (object_link){.depth = 0};
        }
        finest[axis] = bp_tree_cell(&t->space, (int)axis, bp_tree_centre(box, axis));
        size = fmax(size, (double)box->max[axis] - (double)box->min[axis]);
    }
    // The nodes of depths below the exponent are large enough.
    (void)frexp((double)t->setup->settings.looseness * t->space.edge / size, &exponent);
    uint32_t depth = exponent < 1 ? 0 : (uint32_t)exponent - 1;
    depth = depth < t->space.depth ? depth : t->space.depth;
    while (depth > 0 && !node_encloses(t, box, finest, depth)) {
        --depth;
    }
    return (object_link){
        .key = bp_tree_key(&t->space, bp_tree_centre(box, 0), bp_tree_centre(box, 1), bp_tree_centre(box, 2)),
        .depth = depth};
}

// ---- nodes and their objects ----------------------------------------------------------------------------------------

static bool reserve_nodes(loose_octree *t, size_t count) {
    const bp_allocator *allocator = &t->setup->runtime.allocator;
    return count < BP_NODE_NONE &&
           bp_buffer_reserve_slack(&t->nodes, allocator, t->node_count * sizeof(bp_node), count, sizeof(bp_node)) &&
           bp_buffer_reserve_slack(&t->lists, allocator, t->node_count * sizeof(node_list), count, sizeof(node_list));
}

static void write_node(loose_octree *t, uint32_t at, uint32_t parent, uint32_t depth, uint64_t key) {
    *node_at(t, at) = (bp_node){.first_child = BP_NODE_NONE, .parent = parent, .depth = depth};
    *list_at(t, at) = (node_list){.key = key, .head = BP_NODE_NONE};
}

// Gives a node empty children. False if memory is short.
static bool add_children(loose_octree *t, uint32_t parent) {
    uint32_t first = t->unused;
    if (first != BP_NODE_NONE) {
        t->unused = node_at(t, first)->first_child;
    } else if (reserve_nodes(t, t->node_count + t->children)) {
        first = (uint32_t)t->node_count;
        t->node_count += t->children;
    } else {
        return false;
    }
    node_at(t, parent)->first_child = first;
    for (uint32_t octant = 0; octant < t->children; ++octant) {
        write_node(t, first + octant, parent, node_at(t, parent)->depth + 1,
                   list_at(t, parent)->key << t->setup->dimensions | octant);
    }
    return true;
}

static void link_object(loose_octree *t, uint32_t at, uint32_t id) {
    node_list *list = list_at(t, at);
    object_link *link = link_of(t, id);
    if (list->head != BP_NODE_NONE) {
        link_of(t, list->head)->previous = id;
    }
    link->next = list->head;
    link->previous = BP_NODE_NONE;
    link->node = at;
    list->head = id;
    ++list->count;
    list->movable += link->depth > node_at(t, at)->depth;
}

static void unlink_object(loose_octree *t, uint32_t id) {
    object_link *link = link_of(t, id);
    node_list *list = list_at(t, link->node);
    if (link->next != BP_NODE_NONE) {
        link_of(t, link->next)->previous = link->previous;
    }
    if (link->previous != BP_NODE_NONE) {
        link_of(t, link->previous)->next = link->next;
    } else {
        list->head = link->next;
    }
    --list->count;
    list->movable -= link->depth > node_at(t, link->node)->depth;
    link->node = BP_NODE_NONE;
}

// Whether a split moves enough objects, and not all of them to the same place.
static bool is_worth_splitting(const loose_octree *t, uint32_t at) {
    const node_list *list = list_at(t, at);
    const object_link *first = NULL;
    bool differ = false;
    for (uint32_t id = list->movable > t->setup->settings.octree_max_objects ? list->head : BP_NODE_NONE;
         id != BP_NODE_NONE && !differ; id = link_of(t, id)->next) {
        const object_link *link = link_of(t, id);
        first = first == NULL && link->depth > node_at(t, at)->depth ? link : first;
        differ = first != NULL && link->depth > node_at(t, at)->depth &&
                 (link->key != first->key || link->depth != first->depth);
    }
    return differ;
}

// Moves objects of a node that could be deeper into new children; then the same with the fullest of these, and so on, as long as
// it is worth it. False if memory is short.
static bool split_while_worth(loose_octree *t, uint32_t at) {
    while (is_worth_splitting(t, at)) {
        if (!add_children(t, at)) {
            return false;
        }
        const uint32_t first = node_at(t, at)->first_child, depth = node_at(t, at)->depth;
        uint32_t fullest = first;
        for (uint32_t id = list_at(t, at)->head, next; id != BP_NODE_NONE; id = next) {
            const object_link *link = link_of(t, id);
            next = link->next;
            if (link->depth > depth) {
                const uint32_t child = first + bp_tree_octant(&t->space, link->key, depth);
                unlink_object(t, id);
                link_object(t, child, id);
                ++list_at(t, at)->below;
                fullest = list_at(t, child)->count > list_at(t, fullest)->count ? child : fullest;
            }
        }
        at = fullest;
    }
    return true;
}

static bool insert_object(loose_octree *t, uint32_t id) {
    const object_link *link = link_of(t, id);
    uint32_t at = 0;
    while (node_at(t, at)->depth < link->depth && node_at(t, at)->first_child != BP_NODE_NONE) {
        ++list_at(t, at)->below;
        at = node_at(t, at)->first_child + bp_tree_octant(&t->space, link->key, node_at(t, at)->depth);
    }
    link_object(t, at, id);
    ++t->object_count;
    return split_while_worth(t, at);
}

static void remove_object(loose_octree *t, uint32_t id) {
    uint32_t at = node_at(t, link_of(t, id)->node)->parent;
    unlink_object(t, id);
    --t->object_count;
    for (; at != BP_NODE_NONE; at = node_at(t, at)->parent) {
        if (--list_at(t, at)->below == 0) { // its children are given back
            const uint32_t first = node_at(t, at)->first_child;
            node_at(t, at)->first_child = BP_NODE_NONE;
            node_at(t, first)->first_child = t->unused;
            t->unused = first;
        }
    }
}

// Whether an object with this place would be put into a node again.
static bool stays_in_node(const loose_octree *t, uint32_t at, const object_link *place) {
    const bp_node *node = node_at(t, at);
    return place->depth >= node->depth &&
           place->key >> (t->setup->dimensions * (t->space.depth - node->depth)) == list_at(t, at)->key &&
           (place->depth == node->depth || node->first_child == BP_NODE_NONE);
}

static bool update_object(loose_octree *t, uint32_t id) {
    object_link *link = link_of(t, id);
    const uint32_t at = link->node;
    if (bp_box_is_hole(&t->boxes[id])) {
        if (at != BP_NODE_NONE) {
            remove_object(t, id);
        }
        return true;
    }
    const object_link place = place_of(t, &t->boxes[id]);
    const bool stays = at != BP_NODE_NONE && stays_in_node(t, at, &place);
    if (stays) {
        list_at(t, at)->movable += place.depth > node_at(t, at)->depth;
        list_at(t, at)->movable -= link->depth > node_at(t, at)->depth;
    } else if (at != BP_NODE_NONE) {
        remove_object(t, id);
    }
    link->key = place.key;
    link->depth = place.depth;
    return stays ? split_while_worth(t, at) : insert_object(t, id); // it may have shrunk
}

// ---- building and updating ------------------------------------------------------------------------------------------

// Updates the objects of these ids, or all of them; new ids are in no node yet. False if memory is short.
static bool update_objects(loose_octree *t, size_t id_count, const bp_id *ids, size_t count) {
    t->is_listed = false;
    if (id_count > t->link_count &&
        !bp_buffer_reserve_slack(&t->links, &t->setup->runtime.allocator, t->link_count * sizeof(object_link), id_count,
                                 sizeof(object_link))) {
        return false;
    }
    for (; t->link_count < id_count; ++t->link_count) {
        link_of(t, (uint32_t)t->link_count)->node = BP_NODE_NONE;
    }
    for (size_t i = 0; i < count; ++i) {
        if (!update_object(t, ids != NULL ? ids[i] : (uint32_t)i)) {
            return false;
        }
    }
    return true;
}

static bp_status loose_octree_build(void *state, const bp_box *boxes, size_t count) {
    loose_octree *t = state;
    t->boxes = boxes;
    t->node_count = 0;
    t->link_count = 0;
    t->object_count = 0;
    t->unused = BP_NODE_NONE;
    if (!reserve_nodes(t, 1)) {
        return BP_ERROR_MEMORY;
    }
    const bp_method_settings *settings = &t->setup->settings;
    double width[3];
    t->space = bp_tree_space_choose(&settings->domain, boxes, count, t->setup->dimensions, width);
    bp_tree_space_divide(&t->space, bp_tree_depth_limit(settings->octree_max_depth));
    write_node(t, 0, BP_NODE_NONE, 0, 0);
    t->node_count = 1;
    const bool granted = update_objects(t, count, NULL, count);
    t->root_count = list_at(t, 0)->count;
    // So that a scene that stays as it is needs no more memory, though objects move from node to node.
    return granted && reserve_nodes(t, t->node_count + t->node_count / 2) ? BP_OK : BP_ERROR_MEMORY;
}

static bp_status loose_octree_update(void *state, const bp_box *boxes, size_t count, const bp_changes *changes,
                                     bp_search_kind *kind) {
    loose_octree *t = state;
    *kind = changes != NULL && changes->count < count / FEW ? BP_SEARCH_CHANGED : BP_SEARCH_ALL;
    t->boxes = boxes;
    if (!update_objects(t, count, changes != NULL ? changes->ids : NULL, changes != NULL ? changes->count : count)) {
        return BP_ERROR_MEMORY;
    }
    const bool has_outgrown_cube = list_at(t, 0)->count / 2 > t->root_count + ROOT_SLACK / 2;
    return has_outgrown_cube ? loose_octree_build(t, boxes, count) : BP_OK;
}

// ---- finding --------------------------------------------------------------------------------------------------------

// Lists the objects, depth first, and finds the bounds of all nodes. False if memory is short.
static bool list_objects(loose_octree *t) {
    uint32_t stack[BP_NODE_STACK] = {0}, position = 0;
    size_t pending = 1;
    if (t->is_listed) {
        return true;
    }
    const size_t node_room = t->nodes.bytes / sizeof(bp_node);
    if (!bp_buffer_reserve(&t->order, &t->setup->runtime.allocator, 0, node_room, sizeof(uint32_t)) ||
        !bp_node_boxes_reserve(&t->sorted, t->object_count)) {
        return false;
    }
    uint32_t *order = t->order.data;
    t->used_count = 0;
    while (pending > 0) {
        const uint32_t at = stack[--pending];
        bp_node *node = node_at(t, at);
        order[t->used_count++] = at;
        node->begin = position;
        for (uint32_t id = list_at(t, at)->head; id != BP_NODE_NONE; id = link_of(t, id)->next) {
            t->sorted.columns.id[position++] = id;
        }
        node->end = position;
        for (uint32_t i = t->children; node->first_child != BP_NODE_NONE && i-- > 0;) {
            stack[pending++] = node->first_child + i;
        }
    }
    bp_columns_fill(&t->sorted.columns, t->setup->kernels, t->setup->dimensions, 0, position, t->boxes);
    for (size_t i = t->used_count; i-- > 0;) { // children come after their parents
        bp_node *node = node_at(t, order[i]);
        node->own = node->below = bp_node_bounds(&t->sorted, node->begin, node->end);
        list_at(t, order[i])->subtree_end = node->end;
        for (uint32_t k = 0; node->first_child != BP_NODE_NONE && k < t->children; ++k) {
            bp_bounds_join(&node->below, &node_at(t, node->first_child + k)->below);
            list_at(t, order[i])->subtree_end = list_at(t, node->first_child + k)->subtree_end;
        }
    }
    t->is_listed = true;
    return true;
}

// A node on the path, and its part of the list: nodes of its depth, then nodes above.
typedef struct frame {
    uint32_t node, next_child;
    size_t same, above, end; // positions in the list
} frame;

typedef struct tree_walk {
    const loose_octree *t;
    bp_range_tester *tester;
    bp_buffer *path;     // of uint32_t
    uint32_t begin, end; // boxes of this unit
    uint32_t depth;
    frame frames[BP_TREE_DEPTH_MAX + 1];
} tree_walk;

// Makes room for `more` nodes behind `used` ones.
static bool reserve_path(tree_walk *w, size_t used, size_t more) {
    const bool enough = bp_buffer_reserve_slack(w->path, &w->t->setup->runtime.allocator, used * sizeof(uint32_t),
                                                used + more, sizeof(uint32_t));
    w->tester->failed |= !enough;
    return enough;
}

// Tests the own objects of a node against each other and against those of the nodes in its list. Equal nodes before it
// have been tested against it already.
static void test_node(tree_walk *w, const frame *f) {
    const loose_octree *t = w->t;
    const bp_node *node = node_at(t, f->node);
    if (node->begin >= node->end || node->begin < w->begin || node->begin >= w->end ||
        !reserve_path(w, f->end, f->end - f->same)) {
        return;
    }
    uint32_t *list = w->path->data, *others = list + f->end;
    size_t count = 0;
    for (size_t i = f->same; i < f->end; ++i) {
        const bp_node *other = node_at(t, list[i]);
        others[count] = list[i];
        count +=
            (i >= f->above || other->begin > node->begin) && bp_boxes_overlap_branchless(&node->own, &other->own, 3);
    }
    bp_node_test(&t->sorted, w->tester, t->nodes.data, node, others, count);
}

// Makes the list of a child, behind that of its parent: the children of the parent's equals whose subtrees touch that of the child;
// and the nodes of the whole list whose own objects do, which are above it.
static void enter_child(tree_walk *w, uint32_t child) {
    const loose_octree *t = w->t;
    const frame *f = &w->frames[w->depth];
    if (!reserve_path(w, f->end, t->children * (f->above - f->same) + (f->end - f->same))) {
        return;
    }
    const bp_box below = node_at(t, child)->below;
    uint32_t *list = w->path->data;
    frame next = {.node = child, .same = f->end, .above = f->end};
    for (size_t i = f->same; i < f->above; ++i) {
        const bp_node *equal = node_at(t, list[i]);
        const bool touches =
            equal->first_child != BP_NODE_NONE && bp_boxes_overlap_branchless(&below, &equal->below, 3);
        for (uint32_t k = 0; touches && k < t->children; ++k) {
            list[next.above] = equal->first_child + k;
            next.above += bp_boxes_overlap_branchless(&below, &node_at(t, equal->first_child + k)->below, 3);
        }
    }
    next.end = next.above;
    for (size_t i = f->same; i < f->end; ++i) {
        list[next.end] = list[i];
        next.end += bp_boxes_overlap_branchless(&below, &node_at(t, list[i])->own, 3);
    }
    w->frames[++w->depth] = next;
    test_node(w, &next);
}

// Walks through the subtrees some of whose boxes belong to this unit.
static void unit_boxes(const void *context, bp_range_tester *tester, size_t unit) {
    const loose_octree *t = context;
    tree_walk w;
    w.t = t;
    w.tester = tester;
    w.path = (bp_buffer *)t->paths.data + tester->block;
    w.begin = (uint32_t)(unit * UNIT);
    w.end = t->sorted.count - unit * UNIT < UNIT ? (uint32_t)t->sorted.count : w.begin + UNIT;
    w.depth = 0;
    if (!reserve_path(&w, 0, LISTED)) {
        return;
    }
    *(uint32_t *)w.path->data = 0;
    w.frames[0] = (frame){.node = 0, .same = 0, .above = 1, .end = 1};
    test_node(&w, &w.frames[0]);
    while (!tester->failed) {
        frame *f = &w.frames[w.depth];
        const uint32_t first = node_at(t, f->node)->first_child;
        if (first == BP_NODE_NONE || f->next_child == t->children) {
            if (w.depth-- == 0) {
                return;
            }
            continue;
        }
        const uint32_t child = first + f->next_child++, begin = node_at(t, child)->begin;
        const uint32_t end = list_at(t, child)->subtree_end;
        if (begin < end && begin < w.end && end > w.begin) {
            enter_child(&w, child);
        }
    }
}

static bp_status loose_octree_find(void *state, bp_sink *sink) {
    loose_octree *t = state;
    const bp_runtime *runtime = &t->setup->runtime;
    const size_t unit_count = (t->object_count + UNIT - 1) / UNIT;
    const size_t blocks = bp_range_search_blocks(runtime, unit_count);
    if (!list_objects(t) || !bp_buffer_reserve(&t->paths, &runtime->allocator, t->path_count * sizeof(bp_buffer),
                                               blocks, sizeof(bp_buffer))) {
        return BP_ERROR_MEMORY;
    }
    for (; t->path_count < blocks; ++t->path_count) {
        ((bp_buffer *)t->paths.data)[t->path_count] = (bp_buffer){0};
    }
    return bp_node_boxes_find(&t->sorted, unit_count, unit_boxes, t, sink);
}

// Each changed object goes down from the root. Of two that have both changed, the one with the smaller id reports the pair.
static bp_status loose_octree_find_changed(void *state, const bp_changes *changes, bp_sink *sink) {
    loose_octree *t = state;
    const uint32_t dimensions = t->setup->dimensions;
    if (!list_objects(t)) {
        return BP_ERROR_MEMORY;
    }
    for (size_t i = 0; i < changes->count; ++i) {
        const uint32_t id = changes->ids[i];
        const bp_box box = bp_box_flatten(t->boxes[id], dimensions);
        uint32_t stack[BP_NODE_STACK] = {0};
        for (size_t pending = 1; pending > 0;) {
            const bp_node *node = node_at(t, stack[--pending]);
            if (!bp_boxes_overlap_branchless(&box, &node->below, 3)) {
                continue;
            }
            for (uint32_t at = node->begin; at < node->end; ++at) {
                const uint32_t other = t->sorted.columns.id[at];
                const bool counts = other != id && (changes->marks[other] == 0 || other > id);
                sink->tests += counts;
                if (counts && bp_boxes_overlap(&box, &t->boxes[other], dimensions) &&
                    !bp_sink_push(sink, id < other ? id : other, id < other ? other : id)) {
                    return BP_ERROR_MEMORY;
                }
            }
            for (uint32_t k = 0; node->first_child != BP_NODE_NONE && k < t->children; ++k) {
                stack[pending++] = node->first_child + k;
            }
        }
    }
    return BP_OK;
}

static bp_status loose_octree_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    loose_octree *t = state;
    if (!list_objects(t)) {
        return BP_ERROR_MEMORY;
    }
    const bp_node_search search = {.boxes = &t->sorted,
                                   .nodes = t->nodes.data,
                                   .outside_begin = (uint32_t)t->sorted.count,
                                   .probes = boxes,
                                   .probe_count = count};
    return bp_node_search_run(&search, &t->sorted.sinks, sink);
}

// ---- stats and checks -----------------------------------------------------------------------------------------------

static void loose_octree_stats(const void *state, bp_stats *stats) {
    const loose_octree *t = state;
    stats->update = t->setup->update == BP_UPDATE_REBUILD ? BP_UPDATE_REBUILD : BP_UPDATE_INDIVIDUAL;
    stats->bytes = t->nodes.bytes + t->lists.bytes + t->links.bytes + t->order.bytes + t->paths.bytes +
                   bp_node_boxes_bytes(&t->sorted) + sizeof *t;
    for (size_t i = 0; i < t->path_count; ++i) {
        stats->bytes += ((const bp_buffer *)t->paths.data)[i].bytes;
    }
    stats->cells = t->node_count;
    for (uint32_t at = 0; at < t->node_count; ++at) {
        const uint32_t count = list_at(t, at)->count, levels = node_at(t, at)->depth + 1;
        stats->occupied += count > 0;
        stats->objects_per_cell_max = count > stats->objects_per_cell_max ? count : stats->objects_per_cell_max;
        stats->levels = count > 0 && levels > stats->levels ? levels : stats->levels;
    }
    stats->objects_per_cell = stats->occupied > 0 ? (double)t->object_count / (double)stats->occupied : 0.0;
}

// Each object of a node is linked to it, and belongs there.
static bool list_is_sound(const loose_octree *t, uint32_t at) {
    const node_list *list = list_at(t, at);
    uint32_t previous = BP_NODE_NONE, count = 0, movable = 0;
    for (uint32_t id = list->head; id != BP_NODE_NONE; id = link_of(t, id)->next) {
        if (id >= t->link_count || count++ >= list->count || bp_box_is_hole(&t->boxes[id])) {
            return false;
        }
        const object_link *link = link_of(t, id), place = place_of(t, &t->boxes[id]);
        if (link->previous != previous || link->node != at || !stays_in_node(t, at, &place) || link->key != place.key ||
            link->depth != place.depth) {
            return false;
        }
        movable += place.depth > node_at(t, at)->depth;
        previous = id;
    }
    return count == list->count && movable == list->movable;
}

static bool node_is_sound(const loose_octree *t, uint32_t at) {
    const bp_node *node = node_at(t, at);
    const bool is_leaf = node->first_child == BP_NODE_NONE;
    uint32_t below = 0;
    if (node->depth > t->space.depth || (!is_leaf && node->first_child + (size_t)t->children > t->node_count)) {
        return false;
    }
    for (uint32_t i = 0; !is_leaf && i < t->children; ++i) {
        const uint32_t child = node->first_child + i;
        if (node_at(t, child)->parent != at || node_at(t, child)->depth != node->depth + 1) {
            return false;
        }
        below += list_at(t, child)->count + list_at(t, child)->below;
    }
    return below == list_at(t, at)->below && (below == 0) == is_leaf && list_is_sound(t, at);
}

// What is listed is what the nodes have.
static bool listing_is_sound(const loose_octree *t) {
    uint32_t position = 0;
    bool sound = t->sorted.count == t->object_count && t->used_count <= t->node_count;
    for (size_t i = 0; sound && i < t->used_count; ++i) {
        const uint32_t at = ((const uint32_t *)t->order.data)[i];
        const bp_node *node = at < t->node_count ? node_at(t, at) : NULL;
        sound = node != NULL && node->begin == position && node->end == position + list_at(t, at)->count &&
                node->end <= t->object_count;
        for (; sound && position < node->end; ++position) {
            const uint32_t id = t->sorted.columns.id[position];
            sound = id < t->link_count && link_of(t, id)->node == at &&
                    bp_columns_hold(&t->sorted.columns, position, &t->boxes[id], t->setup->dimensions);
        }
        const bp_box own = sound ? bp_node_bounds(&t->sorted, node->begin, node->end) : bp_bounds_empty();
        sound = sound && bp_box_is_same(&own, &node->own);
    }
    return sound && position == t->object_count;
}

// Nodes without objects in their subtrees may be in use or not; either is sound.
static bp_status loose_octree_validate(const void *state) {
    const loose_octree *t = state;
    size_t alive = 0, linked = 0;
    bool sound = t->node_count > 0 && t->node_count <= t->nodes.bytes / sizeof(bp_node) &&
                 t->link_count <= t->links.bytes / sizeof(object_link);
    for (uint32_t id = 0; id < t->link_count; ++id) {
        alive += !bp_box_is_hole(&t->boxes[id]);
    }
    for (uint32_t at = 0; sound && at < t->node_count; ++at) {
        const node_list *list = list_at(t, at);
        linked += list->count;
        sound = list->count + list->below == 0 || node_is_sound(t, at);
    }
    sound = sound && linked == alive && linked == t->object_count && (!t->is_listed || listing_is_sound(t));
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
