// Building, updating and searching the linked octree; linked_octree.h describes it.
#include "literature/octrees/linked_octree.h"

#include "base/boxes.h"
#include "base/log.h"
#include "literature/octrees/node_search.h"

#include <string.h>

static const uint32_t NONE = UINT32_MAX;

enum {
    VISITS = 8 * (BP_TREE_DEPTH_MAX + 1), // nodes that wait to be visited
    ROOT_SLACK = 64                       // objects that the root may have beyond twice those of the build
};

typedef struct tree_node {
    bp_reach reach;   // of the root: everywhere
    bp_box bounds;    // of its own objects, in a search for all pairs
    uint64_t key;     // of its cell, at its depth
    uint32_t cell[3]; // the same, not interleaved
    uint32_t depth;
    uint32_t parent, first_child;
    uint32_t head;    // its first object
    uint32_t count;   // of its own objects,
    uint32_t movable; // of those that could be deeper: none if it has children,
    uint32_t below;   // of the objects of its descendants
} tree_node;

// The place of an object.
typedef struct object_link {
    bp_loose_place place;
    uint32_t next, previous; // in its node
    uint32_t node;           // NONE: it is not in the tree
} object_link;

static tree_node *node_at(const bp_linked_octree *tree, uint32_t node) {
    return (tree_node *)tree->nodes.data + node;
}

static object_link *link_of(const bp_linked_octree *tree, uint32_t id) {
    return (object_link *)tree->links.data + id;
}

void bp_linked_octree_init(bp_linked_octree *tree, const bp_method_setup *setup) {
    *tree = (bp_linked_octree){.setup = setup, .children = 1u << setup->dimensions, .unused = NONE};
}

void bp_linked_octree_free(bp_linked_octree *tree) {
    bp_buffer_free(&tree->nodes, &tree->setup->runtime.allocator);
    bp_buffer_free(&tree->links, &tree->setup->runtime.allocator);
}

// ---- nodes ----------------------------------------------------------------------------------------------------------

static bool reserve_nodes(bp_linked_octree *tree, size_t count) {
    return count < NONE && bp_buffer_reserve_slack(&tree->nodes, &tree->setup->runtime.allocator,
                                                   tree->node_count * sizeof(tree_node), count, sizeof(tree_node));
}

static void write_root(bp_linked_octree *tree) {
    tree_node root = {.parent = NONE, .first_child = NONE, .head = NONE};
    for (int axis = 0; axis < 3; ++axis) {
        root.reach.min[axis] = -INFINITY;
        root.reach.max[axis] = INFINITY;
    }
    *node_at(tree, 0) = root;
    tree->node_count = 1;
    tree->unused = NONE;
}

static void write_child(const bp_linked_octree *tree, uint32_t parent, uint32_t octant) {
    const tree_node *above = node_at(tree, parent);
    tree_node child = {.key = above->key << tree->setup->dimensions | octant,
                       .depth = above->depth + 1,
                       .parent = parent,
                       .first_child = NONE,
                       .head = NONE};
    for (uint32_t axis = 0; axis < tree->setup->dimensions; ++axis) {
        child.cell[axis] = above->cell[axis] << 1 | (octant >> axis & 1);
    }
    child.reach = bp_loose_reach(&tree->space, tree->setup, child.depth, child.cell);
    *node_at(tree, above->first_child + octant) = child;
}

// Gives a node empty children. False if memory is short.
static bool add_children(bp_linked_octree *tree, uint32_t parent) {
    uint32_t first = tree->unused;
    if (first != NONE) {
        tree->unused = node_at(tree, first)->first_child;
    } else if (reserve_nodes(tree, tree->node_count + tree->children)) {
        first = (uint32_t)tree->node_count;
        tree->node_count += tree->children;
    } else {
        return false;
    }
    node_at(tree, parent)->first_child = first;
    for (uint32_t octant = 0; octant < tree->children; ++octant) {
        write_child(tree, parent, octant);
    }
    return true;
}

static void give_back_children(bp_linked_octree *tree, uint32_t parent) {
    const uint32_t first = node_at(tree, parent)->first_child;
    node_at(tree, parent)->first_child = NONE;
    node_at(tree, first)->first_child = tree->unused;
    tree->unused = first;
}

// ---- objects of a node ----------------------------------------------------------------------------------------------

static void link_object(bp_linked_octree *tree, uint32_t at, uint32_t id) {
    tree_node *node = node_at(tree, at);
    object_link *link = link_of(tree, id);
    if (node->head != NONE) {
        link_of(tree, node->head)->previous = id;
    }
    link->next = node->head;
    link->previous = NONE;
    link->node = at;
    node->head = id;
    ++node->count;
    node->movable += link->place.depth > node->depth;
}

static void unlink_object(bp_linked_octree *tree, uint32_t id) {
    object_link *link = link_of(tree, id);
    tree_node *node = node_at(tree, link->node);
    if (link->next != NONE) {
        link_of(tree, link->next)->previous = link->previous;
    }
    if (link->previous != NONE) {
        link_of(tree, link->previous)->next = link->next;
    } else {
        node->head = link->next;
    }
    --node->count;
    node->movable -= link->place.depth > node->depth;
    link->node = NONE;
}

// The key of the node at a depth that contains a place.
static uint64_t key_at(const bp_linked_octree *tree, const bp_loose_place *place, uint32_t depth) {
    return place->key >> (tree->setup->dimensions * (tree->space.depth - depth));
}

// The deepest node there is that encloses an object. One more object is counted below its ancestors.
static uint32_t descend(const bp_linked_octree *tree, const bp_loose_place *place) {
    uint32_t at = 0;
    while (node_at(tree, at)->depth < place->depth && node_at(tree, at)->first_child != NONE) {
        tree_node *node = node_at(tree, at);
        ++node->below;
        at = node->first_child + bp_tree_octant(&tree->space, place->key, node->depth);
    }
    return at;
}

// Whether a split moves enough objects, and not all of them to the same place.
static bool is_worth_splitting(const bp_linked_octree *tree, const tree_node *node) {
    const object_link *first = NULL;
    if (node->movable <= tree->setup->settings.octree_max_objects) {
        return false;
    }
    for (uint32_t id = node->head; id != NONE; id = link_of(tree, id)->next) {
        const object_link *link = link_of(tree, id);
        if (link->place.depth == node->depth) {
            continue;
        }
        first = first == NULL ? link : first;
        if (link->place.key != first->place.key || link->place.depth != first->place.depth) {
            return true;
        }
    }
    return false;
}

// Moves the objects of a node that could be deeper into new children. Returns the child with most of them.
static uint32_t split_node(bp_linked_octree *tree, uint32_t at) {
    const uint32_t first = node_at(tree, at)->first_child;
    uint32_t fullest = first;
    for (uint32_t id = node_at(tree, at)->head, next; id != NONE; id = next) {
        const object_link *link = link_of(tree, id);
        next = link->next;
        if (link->place.depth > node_at(tree, at)->depth) {
            const uint32_t child = first + bp_tree_octant(&tree->space, link->place.key, node_at(tree, at)->depth);
            unlink_object(tree, id);
            link_object(tree, child, id);
            ++node_at(tree, at)->below;
            fullest = node_at(tree, child)->count > node_at(tree, fullest)->count ? child : fullest;
        }
    }
    return fullest;
}

// Splits a node, and the fullest of its children, and so on, as long as it is worth it. False if memory is short.
static bool split_while_worth(bp_linked_octree *tree, uint32_t at) {
    while (is_worth_splitting(tree, node_at(tree, at))) {
        if (!add_children(tree, at)) {
            return false;
        }
        at = split_node(tree, at);
    }
    return true;
}

static bool insert_object(bp_linked_octree *tree, uint32_t id) {
    const uint32_t at = descend(tree, &link_of(tree, id)->place);
    link_object(tree, at, id);
    ++tree->object_count;
    return split_while_worth(tree, at);
}

static void remove_object(bp_linked_octree *tree, uint32_t id) {
    uint32_t at = node_at(tree, link_of(tree, id)->node)->parent;
    unlink_object(tree, id);
    --tree->object_count;
    for (; at != NONE; at = node_at(tree, at)->parent) {
        if (--node_at(tree, at)->below == 0) {
            give_back_children(tree, at);
        }
    }
}

// Whether an object whose place is now `place` would be put into its node again.
static bool stays_in_node(const bp_linked_octree *tree, const object_link *link, const bp_loose_place *place) {
    const tree_node *node = node_at(tree, link->node);
    return place->depth >= node->depth && key_at(tree, place, node->depth) == node->key &&
           (place->depth == node->depth || node->first_child == NONE);
}

// An object beyond the cube belongs to the root, and not to a node at the border that would get crowded: so the root tells
// when the cube no longer fits.
static bp_loose_place place_of(const bp_linked_octree *tree, const bp_box *box) {
    bp_loose_place place = bp_loose_place_of(&tree->space, tree->setup, box);
    for (uint32_t axis = 0; axis < tree->setup->dimensions; ++axis) {
        const double twice = (double)box->min[axis] + (double)box->max[axis] - 2 * tree->space.origin[axis];
        place.depth = twice >= 0.0 && twice <= 2 * tree->space.edge ? place.depth : 0;
    }
    return place;
}

static bool update_object(bp_linked_octree *tree, uint32_t id) {
    object_link *link = link_of(tree, id);
    if (bp_box_is_hole(&tree->boxes[id])) {
        if (link->node != NONE) {
            remove_object(tree, id);
        }
        return true;
    }
    const bp_loose_place place = place_of(tree, &tree->boxes[id]);
    if (link->node != NONE && stays_in_node(tree, link, &place)) {
        tree_node *node = node_at(tree, link->node);
        node->movable -= link->place.depth > node->depth;
        node->movable += place.depth > node->depth;
        link->place = place;
        return split_while_worth(tree, link->node); // it may have shrunk
    }
    if (link->node != NONE) {
        remove_object(tree, id);
    }
    link->place = place;
    return insert_object(tree, id);
}

// ---- building and updating ------------------------------------------------------------------------------------------

// Links for ids from `first` on are new.
static bool reserve_links(bp_linked_octree *tree, size_t count, size_t first) {
    if (!bp_buffer_reserve_slack(&tree->links, &tree->setup->runtime.allocator, first * sizeof(object_link), count,
                                 sizeof(object_link))) {
        return false;
    }
    for (size_t id = first; id < count; ++id) {
        link_of(tree, (uint32_t)id)->node = NONE;
    }
    tree->link_count = count > first ? count : first;
    return true;
}

static bp_status update_objects(bp_linked_octree *tree, const bp_id *ids, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (!update_object(tree, ids != NULL ? ids[i] : (uint32_t)i)) {
            return BP_ERROR_MEMORY;
        }
    }
    return BP_OK;
}

bp_status bp_linked_octree_build(bp_linked_octree *tree, const bp_box *boxes, size_t count) {
    tree->boxes = boxes;
    tree->node_count = 0;
    tree->object_count = 0;
    if (!reserve_links(tree, count, 0) || !reserve_nodes(tree, 1)) {
        return BP_ERROR_MEMORY;
    }
    tree->space = bp_loose_space(tree->setup, boxes, count);
    write_root(tree);
    const bp_status status = update_objects(tree, NULL, count);
    tree->root_count = node_at(tree, 0)->count;
    // So that a scene that stays as it is needs no more memory, though objects move from node to node.
    return status == BP_OK && !reserve_nodes(tree, tree->node_count + tree->node_count / 2) ? BP_ERROR_MEMORY : status;
}

static bool has_outgrown_cube(const bp_linked_octree *tree) {
    return node_at(tree, 0)->count / 2 > tree->root_count + ROOT_SLACK / 2;
}

bp_status bp_linked_octree_update(bp_linked_octree *tree, const bp_box *boxes, size_t count,
                                  const bp_changes *changes) {
    tree->boxes = boxes;
    if (count > tree->link_count && !reserve_links(tree, count, tree->link_count)) {
        return BP_ERROR_MEMORY;
    }
    const bp_status status =
        changes != NULL ? update_objects(tree, changes->ids, changes->count) : update_objects(tree, NULL, count);
    return status == BP_OK && has_outgrown_cube(tree) ? bp_linked_octree_build(tree, boxes, count) : status;
}

// ---- finding --------------------------------------------------------------------------------------------------------

typedef struct pair_search {
    const bp_linked_octree *tree;
    bp_sink *sink;
    bool failed; // memory ran short
} pair_search;

static void test_pair(pair_search *s, const bp_box *box, uint32_t id, bp_pair pair) {
    ++s->sink->tests;
    if (bp_boxes_overlap(box, &s->tree->boxes[id], s->tree->setup->dimensions) &&
        !bp_sink_push(s->sink, pair.a, pair.b)) {
        s->failed = true;
    }
}

static bp_pair in_order(uint32_t a, uint32_t b) {
    return a < b ? (bp_pair){.a = a, .b = b} : (bp_pair){.a = b, .b = a};
}

// Tests the objects of a node against a list; those that miss the bounds of all of them go first.
static void test_lists(pair_search *s, const tree_node *node, uint32_t list) {
    const bp_box *boxes = s->tree->boxes;
    for (uint32_t b = list; b != NONE; b = link_of(s->tree, b)->next) {
        if (!bp_boxes_overlap_branchless(&node->bounds, &boxes[b], s->tree->setup->dimensions)) {
            continue;
        }
        for (uint32_t a = node->head; a != NONE; a = link_of(s->tree, a)->next) {
            test_pair(s, &boxes[a], b, in_order(a, b));
        }
    }
}

static void test_list(pair_search *s, uint32_t list) {
    for (uint32_t a = list; a != NONE; a = link_of(s->tree, a)->next) {
        for (uint32_t b = link_of(s->tree, a)->next; b != NONE; b = link_of(s->tree, b)->next) {
            test_pair(s, &s->tree->boxes[a], b, in_order(a, b));
        }
    }
}

static bool reaches_overlap(const bp_reach *a, const bp_reach *b, uint32_t dimensions) {
    bool overlap = true;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        overlap &= (a->min[axis] < b->max[axis]) & (b->min[axis] < a->max[axis]);
    }
    return overlap;
}

// Whether a box can overlap objects of a node.
static bool reach_touches(const bp_reach *reach, const bp_box *box, uint32_t dimensions) {
    bool touches = true;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        touches &= (reach->min[axis] <= (double)box->max[axis]) & ((double)box->min[axis] < reach->max[axis]);
    }
    return touches | (reach->max[0] == (double)INFINITY);
}

// Nodes that wait to be visited, the root first.
typedef struct node_walk {
    uint32_t waiting[VISITS];
    size_t count;
} node_walk;

// Children that have objects, or descendants that do.
static void wait_for_children(node_walk *walk, const bp_linked_octree *tree, const tree_node *node) {
    for (uint32_t i = 0; node->first_child != NONE && i < tree->children; ++i) {
        const tree_node *child = node_at(tree, node->first_child + i);
        walk->waiting[walk->count] = node->first_child + i;
        walk->count += child->count + child->below > 0;
    }
}

// Tests the objects of a node against those of the nodes above, or as deep and before it, that its reach overlaps.
static void search_for_node(pair_search *s, uint32_t at) {
    const bp_linked_octree *tree = s->tree;
    const tree_node *node = node_at(tree, at);
    node_walk walk = {.waiting = {0}, .count = 1};
    test_list(s, node->head);
    while (walk.count > 0 && !s->failed) {
        const uint32_t other = walk.waiting[--walk.count];
        const tree_node *candidate = node_at(tree, other);
        if (!reaches_overlap(&node->reach, &candidate->reach, tree->setup->dimensions)) {
            continue;
        }
        if ((candidate->depth < node->depth || other < at) && candidate->count > 0 &&
            bp_boxes_overlap_branchless(&node->bounds, &candidate->bounds, tree->setup->dimensions)) {
            test_lists(s, node, candidate->head);
        }
        if (candidate->depth < node->depth) {
            wait_for_children(&walk, tree, candidate);
        }
    }
}

static void find_bounds(const bp_linked_octree *tree) {
    for (uint32_t at = 0; at < tree->node_count; ++at) {
        tree_node *node = node_at(tree, at);
        node->bounds = bp_bounds_empty();
        for (uint32_t id = node->head; node->count > 0 && id != NONE; id = link_of(tree, id)->next) {
            bp_bounds_join(&node->bounds, &tree->boxes[id]);
        }
    }
}

bp_status bp_linked_octree_find(const bp_linked_octree *tree, bp_sink *sink) {
    pair_search s = {.tree = tree, .sink = sink};
    find_bounds(tree);
    for (uint32_t at = 0; at < tree->node_count && !s.failed; ++at) {
        if (node_at(tree, at)->count > 0) {
            search_for_node(&s, at);
        }
    }
    return s.failed ? BP_ERROR_MEMORY : BP_OK;
}

// Visits the nodes whose objects a box can overlap. `test` is called with each list.
typedef void list_test(pair_search *s, const void *context, const bp_box *box, uint32_t list);

static void search_for_box(pair_search *s, const bp_box *box, list_test *test, const void *context) {
    node_walk walk = {.waiting = {0}, .count = 1};
    while (walk.count > 0 && !s->failed) {
        const tree_node *node = node_at(s->tree, walk.waiting[--walk.count]);
        if (reach_touches(&node->reach, box, s->tree->setup->dimensions)) {
            test(s, context, box, node->head);
            wait_for_children(&walk, s->tree, node);
        }
    }
}

typedef struct changed_object {
    uint32_t id;
    const uint8_t *marks; // of all, by id
} changed_object;

// Of two objects that have both changed, the one with the smaller id reports the pair.
static void test_changed(pair_search *s, const void *context, const bp_box *box, uint32_t list) {
    const changed_object *changed = context;
    for (uint32_t id = list; id != NONE; id = link_of(s->tree, id)->next) {
        if (id != changed->id && (changed->marks[id] == 0 || id > changed->id)) {
            test_pair(s, box, id, in_order(changed->id, id));
        }
    }
}

bp_status bp_linked_octree_find_changed(const bp_linked_octree *tree, const bp_changes *changes, bp_sink *sink) {
    pair_search s = {.tree = tree, .sink = sink};
    for (size_t i = 0; i < changes->count && !s.failed; ++i) {
        const changed_object changed = {.id = changes->ids[i], .marks = changes->marks};
        if (link_of(tree, changed.id)->node != NONE) {
            search_for_box(&s, &tree->boxes[changed.id], test_changed, &changed);
        }
    }
    return s.failed ? BP_ERROR_MEMORY : BP_OK;
}

static void test_probe(pair_search *s, const void *context, const bp_box *box, uint32_t list) {
    const uint32_t *probe = context;
    for (uint32_t id = list; id != NONE; id = link_of(s->tree, id)->next) {
        test_pair(s, box, id, (bp_pair){.a = *probe, .b = id});
    }
}

bp_status bp_linked_octree_find_between(const bp_linked_octree *tree, const bp_box *boxes, size_t count,
                                        bp_sink *sink) {
    pair_search s = {.tree = tree, .sink = sink};
    for (uint32_t i = 0; i < count && !s.failed; ++i) {
        if (!bp_box_is_hole(&boxes[i])) {
            search_for_box(&s, &boxes[i], test_probe, &i);
        }
    }
    return s.failed ? BP_ERROR_MEMORY : BP_OK;
}

// ---- figures and checks ---------------------------------------------------------------------------------------------

void bp_linked_octree_stats(const bp_linked_octree *tree, bp_stats *stats) {
    stats->update = BP_UPDATE_INDIVIDUAL;
    stats->bytes = tree->nodes.bytes + tree->links.bytes;
    stats->cells = tree->node_count;
    for (uint32_t at = 0; at < tree->node_count; ++at) {
        const tree_node *node = node_at(tree, at);
        stats->occupied += node->count > 0;
        stats->objects_per_cell_max =
            node->count > stats->objects_per_cell_max ? node->count : stats->objects_per_cell_max;
        stats->levels = node->count > 0 && node->depth >= stats->levels ? node->depth + 1 : stats->levels;
    }
    stats->objects_per_cell = stats->occupied > 0 ? (double)tree->object_count / (double)stats->occupied : 0.0;
}

// Each object of a node is linked to it, and belongs there.
static bool list_is_sound(const bp_linked_octree *tree, uint32_t at) {
    const tree_node *node = node_at(tree, at);
    uint32_t previous = NONE, count = 0, movable = 0;
    for (uint32_t id = node->head; id != NONE; id = link_of(tree, id)->next) {
        if (id >= tree->link_count || count++ >= node->count || bp_box_is_hole(&tree->boxes[id])) {
            return false;
        }
        const object_link *link = link_of(tree, id);
        const bp_loose_place place = place_of(tree, &tree->boxes[id]);
        if (link->previous != previous || link->node != at || !stays_in_node(tree, link, &place) ||
            link->place.key != place.key || link->place.depth != place.depth) {
            return false;
        }
        movable += place.depth > node->depth;
        previous = id;
    }
    return count == node->count && movable == node->movable;
}

static bool node_is_sound(const bp_linked_octree *tree, uint32_t at) {
    const tree_node *node = node_at(tree, at);
    uint32_t below = 0;
    if (node->depth > tree->space.depth ||
        (node->first_child != NONE && node->first_child + (size_t)tree->children > tree->node_count)) {
        return false;
    }
    for (uint32_t i = 0; node->first_child != NONE && i < tree->children; ++i) {
        const tree_node *child = node_at(tree, node->first_child + i);
        if (child->parent != at || child->depth != node->depth + 1) {
            return false;
        }
        below += child->count + child->below;
    }
    return below == node->below && (below > 0) == (node->first_child != NONE) && list_is_sound(tree, at);
}

// Nodes without objects in their subtrees may be in use or not; either is sound.
bp_status bp_linked_octree_validate(const bp_linked_octree *tree) {
    size_t alive = 0, linked = 0;
    bool sound = tree->node_count > 0 && tree->node_count <= tree->nodes.bytes / sizeof(tree_node) &&
                 tree->link_count <= tree->links.bytes / sizeof(object_link);
    for (uint32_t id = 0; id < tree->link_count; ++id) {
        alive += !bp_box_is_hole(&tree->boxes[id]);
    }
    for (uint32_t at = 0; sound && at < tree->node_count; ++at) {
        const tree_node *node = node_at(tree, at);
        linked += node->count;
        sound = node->count + node->below == 0 || node_is_sound(tree, at);
    }
    if (!sound || linked != alive || linked != tree->object_count) {
        bp_log_write(&tree->setup->runtime.log, "loose-octree: the linked nodes do not agree with the objects");
        return BP_ERROR_INTERNAL;
    }
    return BP_OK;
}
