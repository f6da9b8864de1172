// Splits, merges and slots.
//
// A split turns a leaf into a node with eight leaves, a merge does the opposite. Both only change the slots of deeper
// nodes: a slot of a node at depth d names the adjacent node of depth d, or the larger leaf that covers its place, and
// this depends only on the nodes above depth d. So after a step the slots are corrected from the top down: those of the
// children of nodes that were split, and those of deeper nodes that touch a changed one. When much has changed, all
// slots are rewritten, by the same function and in the same order.
#include "literature/octrees/octree_tree.h"

#include <string.h>

enum {
    MERGE_SHARE = 2, // leaves are merged when they together hold at most max_objects divided by this
    CORRECTED = 64,  // nodes whose slots are corrected for one changed node, roughly
    STACK = 8 * (BP_TREE_DEPTH_MAX + 1)
};

static const uint32_t FREE = UINT32_MAX; // the depth of a node that is not in the tree

static uint32_t *node_slots(const octree_tree *tree, uint32_t node) {
    return (uint32_t *)tree->slots.data + (size_t)node * tree->slot_count;
}

static uint64_t *code_of(const octree_tree *tree, uint32_t node) {
    return (uint64_t *)tree->codes.data + node;
}

static bool node_is_leaf(const bp_node *node) {
    return node->first_child == BP_NODE_NONE;
}

static uint32_t node_object_count(const bp_node *node) {
    return node->end - node->begin;
}

// Slots are numbered by their direction, in base three: -1, 0, +1 along x, then y, then z. Along one axis, a neighbour
// of child 0 or 1 in direction -1 .. +1 is at place -1 .. 2 of the parent's row: -1 is the last child of the parent's
// lower neighbour, 0 and 1 are siblings, 2 is the first child of the upper one.
static octree_link link_of(uint32_t child, uint32_t slot, uint32_t dimensions) {
    octree_link link = {0};
    for (uint32_t axis = 0, weight = 1; axis < dimensions; ++axis, weight *= 3, slot /= 3) {
        const uint32_t place = (child >> axis & 1) + slot % 3; // counted from 0 instead of -1
        const uint32_t parent_direction = place == 0 ? 0 : place == 3 ? 2 : 1;
        link.slot = (uint8_t)(link.slot + weight * parent_direction);
        link.octant = (uint8_t)(link.octant | ((place + 1) & 1) << axis);
    }
    return link;
}

void octree_tree_init(octree_tree *tree, const bp_method_setup *setup) {
    const uint32_t dimensions = setup->dimensions;
    *tree = (octree_tree){.allocator = &setup->runtime.allocator,
                          .max_objects = setup->settings.octree_max_objects,
                          .children = 1u << dimensions,
                          .slot_count = dimensions == 2 ? 9 : OCTREE_SLOTS,
                          .free_block = BP_NODE_NONE};
    for (uint32_t child = 0; child < tree->children; ++child) {
        for (uint32_t slot = 0; slot < tree->slot_count; ++slot) {
            tree->links[child][slot] = link_of(child, slot, dimensions);
        }
    }
}

void octree_tree_free(octree_tree *tree) {
    bp_buffer *buffers[] = {&tree->nodes,  &tree->codes,   &tree->cursors,        &tree->slots,         &tree->leaves,
                            &tree->inners, &tree->changed, &tree->entries_buffer, &tree->scratch_buffer};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i) {
        bp_buffer_free(buffers[i], tree->allocator);
    }
}

size_t octree_tree_bytes(const octree_tree *tree) {
    return tree->nodes.bytes + tree->codes.bytes + tree->cursors.bytes + tree->slots.bytes + tree->leaves.bytes +
           tree->inners.bytes + tree->changed.bytes + tree->entries_buffer.bytes + tree->scratch_buffer.bytes;
}

bool octree_tree_reserve_entries(octree_tree *tree, size_t count) {
    const bp_allocator *allocator = tree->allocator;
    if (!bp_buffer_reserve_slack(&tree->entries_buffer, allocator, 0, count, sizeof(octree_entry)) ||
        !bp_buffer_reserve_slack(&tree->scratch_buffer, allocator, 0, count, sizeof(octree_entry))) {
        return false;
    }
    tree->placed = tree->entries_buffer.data;
    tree->scratch = tree->scratch_buffer.data;
    return true;
}

// ---- the pool -------------------------------------------------------------------------------------------------------

// Doubles the pool when it is full.
static bool reserve_node_block(octree_tree *tree) {
    const bp_allocator *allocator = tree->allocator;
    const size_t used = tree->node_count, wanted = used + tree->children;
    return wanted * sizeof(uint64_t) <= tree->codes.bytes || // this one grows last
           (bp_buffer_reserve(&tree->nodes, allocator, used * sizeof(bp_node), 2 * wanted, sizeof(bp_node)) &&
            bp_buffer_reserve(&tree->codes, allocator, used * sizeof(uint64_t), 2 * wanted, sizeof(uint64_t)));
}

// Makes room for the slots of all nodes, of which the first `used` are kept, and for the lists of nodes.
static bool reserve_node_lists(octree_tree *tree, size_t used) {
    const bp_allocator *allocator = tree->allocator;
    const size_t slot_bytes = tree->slot_count * sizeof(uint32_t), count = tree->node_count;
    return bp_buffer_reserve_slack(&tree->slots, allocator, used * slot_bytes, count, slot_bytes) &&
           bp_buffer_reserve_slack(&tree->cursors, allocator, 0, count, sizeof(uint32_t)) &&
           bp_buffer_reserve_slack(&tree->leaves, allocator, 0, count, sizeof(uint32_t)) &&
           bp_buffer_reserve_slack(&tree->inners, allocator, 0, count / tree->children + 1, sizeof(uint32_t));
}

// A block of children, or BP_NODE_NONE if memory is short.
static uint32_t take_node_block(octree_tree *tree) {
    uint32_t block = tree->free_block;
    if (block != BP_NODE_NONE) {
        tree->free_block = octree_node(tree, block)->parent;
    } else if (tree->node_count < OCTREE_LARGER - tree->children && reserve_node_block(tree)) {
        block = (uint32_t)tree->node_count;
        tree->node_count += tree->children;
    }
    return block;
}

static void free_node_block(octree_tree *tree, uint32_t block) {
    for (uint32_t i = 0; i < tree->children; ++i) {
        octree_node(tree, block + i)->depth = FREE;
    }
    octree_node(tree, block)->parent = tree->free_block;
    tree->free_block = block;
}

static void list_nodes(octree_tree *tree) {
    uint32_t stack[STACK];
    uint32_t *leaves = tree->leaves.data, *inners = tree->inners.data;
    size_t pending = 1;
    stack[0] = 0;
    tree->leaf_count = 0;
    tree->inner_count = 0;
    while (pending > 0) {
        const uint32_t at = stack[--pending];
        const uint32_t child = octree_node(tree, at)->first_child;
        if (child == BP_NODE_NONE) {
            leaves[tree->leaf_count++] = at;
            continue;
        }
        inners[tree->inner_count++] = at;
        for (uint32_t i = tree->children; i-- > 0;) {
            stack[pending++] = child + i;
        }
    }
}

bool octree_tree_plant(octree_tree *tree, const bp_tree_space *space) {
    tree->space = *space;
    tree->node_count = 0;
    tree->leaf_count = 0;
    tree->inner_count = 0;
    tree->changed_count = 0;
    tree->free_block = BP_NODE_NONE;
    const uint32_t root = take_node_block(tree); // its siblings stay unused
    if (root == BP_NODE_NONE || !reserve_node_lists(tree, 0)) {
        return false;
    }
    for (uint32_t i = 0; i < tree->children; ++i) {
        *octree_node(tree, root + i) = (bp_node){.first_child = BP_NODE_NONE, .depth = i == 0 ? 0 : FREE};
    }
    *code_of(tree, root) = 1;
    memset(node_slots(tree, root), 0xff, tree->slot_count * sizeof(uint32_t)); // BP_NODE_NONE
    node_slots(tree, root)[tree->slot_count / 2] = root;
    list_nodes(tree);
    return true;
}

// ---- slots ----------------------------------------------------------------------------------------------------------

// Computes the slots of a node from those of its parent. (BP_NODE_NONE has the mark of larger leaves, and keeps it.)
static void write_slots(octree_tree *tree, uint32_t at) {
    const uint32_t parent = octree_node(tree, at)->parent;
    const octree_link *links = tree->links[at - octree_node(tree, parent)->first_child];
    const uint32_t *above = node_slots(tree, parent);
    uint32_t *slots = node_slots(tree, at);
    for (uint32_t slot = 0; slot < tree->slot_count; ++slot) {
        const uint32_t near = above[links[slot].slot];
        const uint32_t child = (near & OCTREE_LARGER) != 0 ? BP_NODE_NONE : octree_node(tree, near)->first_child;
        slots[slot] = child == BP_NODE_NONE ? near | OCTREE_LARGER : child + links[slot].octant;
    }
}

static void write_all_slots(octree_tree *tree) {
    for (size_t i = 0; i < tree->inner_count; ++i) {
        const uint32_t child = octree_node(tree, octree_inner(tree, i))->first_child;
        for (uint32_t k = 0; k < tree->children; ++k) {
            write_slots(tree, child + k);
        }
    }
}

// Whether a child of the neighbour in direction `slot` is on the side that faces the node in the middle.
static bool faces_middle(const octree_tree *tree, uint32_t octant, uint32_t slot) {
    for (uint32_t axis = 0; axis < tree->space.dimensions; ++axis, slot /= 3, octant >>= 1) {
        if ((slot % 3 == 0 && (octant & 1) == 0) || (slot % 3 == 2 && (octant & 1) == 1)) {
            return false;
        }
    }
    return true;
}

// Rewrites the slots of all nodes below `top` that touch its neighbour in the direction opposite to `slot`.
static void correct_facing_slots(octree_tree *tree, uint32_t top, uint32_t slot) {
    uint32_t stack[STACK];
    size_t pending = 1;
    stack[0] = top;
    while (pending > 0) {
        const uint32_t child = octree_node(tree, stack[--pending])->first_child;
        for (uint32_t i = 0; child != BP_NODE_NONE && i < tree->children; ++i) {
            if (faces_middle(tree, i, slot)) {
                write_slots(tree, child + i);
                stack[pending++] = child + i;
            }
        }
    }
}

static void correct_slots_around(octree_tree *tree, uint32_t at) {
    const bp_node *node = octree_node(tree, at);
    for (uint32_t i = 0; !node_is_leaf(node) && i < tree->children; ++i) {
        write_slots(tree, node->first_child + i);
    }
    for (uint32_t slot = 0; slot < tree->slot_count; ++slot) {
        const uint32_t near = node_slots(tree, at)[slot];
        if ((near & OCTREE_LARGER) == 0 && near != at) {
            correct_facing_slots(tree, near, slot); // does nothing for a leaf
        }
    }
}

static void correct_slots(octree_tree *tree) {
    const uint32_t *changed = tree->changed.data;
    if (tree->changed_count > tree->changed_room) {
        write_all_slots(tree);
        return;
    }
    for (uint32_t depth = 0; depth < tree->space.depth; ++depth) {
        for (size_t i = 0; i < tree->changed_count; ++i) {
            if (octree_node(tree, changed[i])->depth == depth) {
                correct_slots_around(tree, changed[i]);
            }
        }
    }
}

// The node of depth `depth` with that code, or the leaf above it.
static uint32_t node_with_code(const octree_tree *tree, uint64_t code, uint32_t depth) {
    uint32_t at = 0;
    for (uint32_t d = 0; d < depth && !node_is_leaf(octree_node(tree, at)); ++d) {
        const uint64_t octant = code >> (tree->space.dimensions * (depth - 1 - d)) & (tree->children - 1);
        at = octree_node(tree, at)->first_child + (uint32_t)octant;
    }
    return at;
}

// The coordinate of a code along an axis.
static uint32_t coordinate_of(const octree_tree *tree, uint64_t code, uint32_t depth, uint32_t axis) {
    uint32_t coordinate = 0;
    for (uint32_t bit = 0; bit < depth; ++bit) {
        coordinate |= (uint32_t)(code >> (tree->space.dimensions * bit + axis) & 1) << bit;
    }
    return coordinate;
}

// What belongs into a slot, from the root down: the node at a point in that direction.
static uint32_t sample_slot(const octree_tree *tree, uint32_t of, uint32_t slot) {
    const bp_node *node = octree_node(tree, of);
    uint64_t code = 0;
    for (uint32_t axis = 0; axis < tree->space.dimensions; ++axis, slot /= 3) {
        const uint32_t place =
            coordinate_of(tree, octree_code(tree, of), node->depth, axis) + slot % 3; // counted from 1
        if (place == 0 || place > 1u << node->depth) {
            return BP_NODE_NONE;
        }
        const uint64_t bits = place - 1;
        code |= (tree->space.dimensions == 2 ? bp_spread_by_two(bits) : bp_spread_by_three(bits)) << axis;
    }
    const uint32_t at = node_with_code(tree, code, node->depth);
    return octree_node(tree, at)->depth < node->depth ? at | OCTREE_LARGER : at;
}

size_t octree_tree_neighbours(const octree_tree *tree, uint32_t leaf, uint32_t *neighbours) {
    const uint32_t *slots = node_slots(tree, leaf), middle = tree->slot_count / 2;
    uint32_t larger[OCTREE_SLOTS];
    size_t count = 0, larger_count = 0;
    for (uint32_t slot = 0; slot < tree->slot_count; ++slot) {
        neighbours[count] = slots[slot];
        larger[larger_count] = slots[slot] & ~OCTREE_LARGER;
        count += slot > middle && (slots[slot] & OCTREE_LARGER) == 0;
        larger_count += (slots[slot] & OCTREE_LARGER) != 0 && slots[slot] != BP_NODE_NONE;
    }
    for (size_t i = 0; i < larger_count; ++i) { // a larger leaf may be in several slots
        size_t k = 0;
        while (larger[k] != larger[i]) {
            ++k;
        }
        neighbours[count] = larger[i];
        count += k == i;
    }
    return count;
}

// ---- splits and merges ----------------------------------------------------------------------------------------------

static void list_changed(octree_tree *tree, uint32_t at) {
    if (tree->changed_count < tree->changed_room) {
        ((uint32_t *)tree->changed.data)[tree->changed_count] = at;
    }
    ++tree->changed_count;
}

// Objects with the same key cannot be separated by splits.
static bool leaf_is_worth_splitting(const octree_tree *tree, const bp_node *node) {
    if (node_object_count(node) <= tree->max_objects || node->depth >= tree->space.depth) {
        return false;
    }
    uint32_t i = node->begin + 1;
    while (i < node->end && tree->placed[i].key == tree->placed[node->begin].key) {
        ++i;
    }
    return i < node->end;
}

// Sorts the entries of a node by child, and writes where those of each child end to ends[].
static void sort_entries_by_child(octree_tree *tree, const bp_node *node, uint32_t ends[8]) {
    uint32_t counts[8] = {0};
    for (uint32_t i = node->begin; i < node->end; ++i) {
        ++counts[bp_tree_octant(&tree->space, tree->placed[i].key, node->depth)];
    }
    uint32_t position = node->begin;
    for (uint32_t child = 0; child < tree->children; ++child) {
        ends[child] = position;
        position += counts[child];
    }
    for (uint32_t i = node->begin; i < node->end; ++i) {
        tree->scratch[ends[bp_tree_octant(&tree->space, tree->placed[i].key, node->depth)]++] = tree->placed[i];
    }
    memcpy(tree->placed + node->begin, tree->scratch + node->begin, node_object_count(node) * sizeof *tree->placed);
}

static bool split_leaf(octree_tree *tree, uint32_t at) {
    const uint32_t block = take_node_block(tree);
    if (block == BP_NODE_NONE) {
        return false;
    }
    bp_node *node = octree_node(tree, at);
    uint32_t ends[8], begin = node->begin;
    sort_entries_by_child(tree, node, ends);
    for (uint32_t i = 0; i < tree->children; ++i) {
        *octree_node(tree, block + i) = (bp_node){
            .first_child = BP_NODE_NONE, .parent = at, .begin = begin, .end = ends[i], .depth = node->depth + 1};
        *code_of(tree, block + i) = *code_of(tree, at) << tree->space.dimensions | i;
        begin = ends[i];
    }
    node->first_child = block;
    node->end = node->begin; // it has no objects of its own
    list_changed(tree, at);
    return true;
}

// Updates the homes of the objects of a new leaf.
static void write_homes(const octree_tree *tree, uint32_t leaf, uint32_t *home) {
    for (uint32_t i = octree_node(tree, leaf)->begin; i < octree_node(tree, leaf)->end; ++i) {
        home[tree->placed[i].id] = leaf;
    }
}

static bool split_down(octree_tree *tree, uint32_t top, uint32_t *home) {
    uint32_t stack[STACK];
    size_t pending = 1;
    stack[0] = top;
    while (pending > 0) {
        const uint32_t at = stack[--pending];
        if (!leaf_is_worth_splitting(tree, octree_node(tree, at))) {
            if (at != top) {
                write_homes(tree, at, home);
            }
            continue;
        }
        if (!split_leaf(tree, at)) {
            return false;
        }
        for (uint32_t i = 0; i < tree->children; ++i) {
            stack[pending++] = octree_node(tree, at)->first_child + i;
        }
    }
    return true;
}

// Turns a node back into a leaf if its children are leaves with few objects, which are contiguous already.
static void merge_children(octree_tree *tree, uint32_t at, uint32_t *home) {
    bp_node *node = octree_node(tree, at);
    const uint32_t block = node->first_child;
    for (uint32_t i = 0; i < tree->children; ++i) {
        if (!node_is_leaf(octree_node(tree, block + i))) {
            return;
        }
    }
    const uint32_t begin = octree_node(tree, block)->begin, end = octree_node(tree, block + tree->children - 1)->end;
    if (end - begin > tree->max_objects / MERGE_SHARE) {
        return;
    }
    node->first_child = BP_NODE_NONE;
    node->begin = begin;
    node->end = end;
    free_node_block(tree, block);
    write_homes(tree, at, home);
    list_changed(tree, at);
}

size_t octree_tree_open(octree_tree *tree, const uint32_t *home, size_t count) {
    uint32_t *cursors = tree->cursors.data;
    memset(cursors, 0, tree->node_count * sizeof *cursors);
    for (size_t i = 0; i < count; ++i) {
        if (home[i] < tree->node_count) {
            ++cursors[home[i]];
        }
    }
    uint32_t position = 0;
    for (size_t i = 0; i < tree->leaf_count; ++i) {
        const uint32_t leaf = octree_leaf(tree, i), objects = cursors[leaf];
        octree_node(tree, leaf)->begin = position;
        cursors[leaf] = position;
        position += objects;
        octree_node(tree, leaf)->end = position;
    }
    return position;
}

bool octree_tree_adapt(octree_tree *tree, uint32_t *home) {
    const size_t node_count = tree->node_count;
    tree->changed_count = 0;
    tree->changed_room = (tree->leaf_count + tree->inner_count) / CORRECTED;
    if (!bp_buffer_reserve_slack(&tree->changed, tree->allocator, 0, tree->changed_room + 1, sizeof(uint32_t))) {
        return false;
    }
    for (size_t i = 0; i < tree->leaf_count; ++i) {
        if (!split_down(tree, octree_leaf(tree, i), home)) {
            return false;
        }
    }
    for (size_t i = tree->inner_count; i-- > 0;) { // children before their parents
        merge_children(tree, octree_inner(tree, i), home);
    }
    if (tree->changed_count > 0) {
        if (!reserve_node_lists(tree, node_count)) {
            return false;
        }
        list_nodes(tree);
        correct_slots(tree);
    }
    return true;
}

// ---- checks ---------------------------------------------------------------------------------------------------------

// Whether the nodes that a node links to exist. octree_node_is_sound relies on that.
static bool octree_links_are_sound(const octree_tree *tree, uint32_t at) {
    const bp_node *node = octree_node(tree, at);
    const uint32_t child = node->first_child;
    bool sound = node_is_leaf(node) || (child < tree->node_count && tree->children <= tree->node_count - child);
    for (uint32_t i = 0; sound && !node_is_leaf(node) && i < tree->children; ++i) {
        sound = octree_node(tree, child + i)->parent == at && octree_node(tree, child + i)->depth == node->depth + 1;
    }
    return sound && node->depth <= tree->space.depth &&
           octree_code(tree, at) >> (tree->space.dimensions * node->depth) == 1;
}

static bool octree_node_is_sound(const octree_tree *tree, uint32_t at) {
    const bp_node *node = octree_node(tree, at);
    bool sound = node_with_code(tree, octree_code(tree, at), node->depth) == at;
    for (uint32_t slot = 0; sound && slot < tree->slot_count; ++slot) {
        sound = node_slots(tree, at)[slot] == sample_slot(tree, at, slot);
    }
    return sound;
}

bool octree_tree_is_sound(const octree_tree *tree) {
    bool sound = tree->leaf_count == (size_t)(tree->children - 1) * tree->inner_count + 1;
    for (size_t i = 0; sound && i < tree->leaf_count; ++i) {
        sound = octree_leaf(tree, i) < tree->node_count && octree_links_are_sound(tree, octree_leaf(tree, i));
    }
    for (size_t i = 0; sound && i < tree->inner_count; ++i) {
        sound = octree_inner(tree, i) < tree->node_count && octree_links_are_sound(tree, octree_inner(tree, i));
    }
    for (size_t i = 0; sound && i < tree->leaf_count; ++i) {
        sound =
            node_is_leaf(octree_node(tree, octree_leaf(tree, i))) && octree_node_is_sound(tree, octree_leaf(tree, i));
    }
    for (size_t i = 0; sound && i < tree->inner_count; ++i) {
        sound = !node_is_leaf(octree_node(tree, octree_inner(tree, i))) &&
                octree_node_is_sound(tree, octree_inner(tree, i));
    }
    return sound;
}
