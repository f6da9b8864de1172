// Splits, merges and slots.
//
// A split turns a leaf into a node with eight leaves, a merge does the opposite. A slot of a node at depth d names the adjacent
// node of depth d, or the larger leaf that covers its place: it follows from the slots of the parent, from the root down.
#include "literature/octrees/octree_tree.h"

#include <string.h>

enum { MERGE_SHARE = 2 }; // leaves are merged when they together hold at most max_objects divided by this

static const uint32_t FREE = UINT32_MAX; // the depth of a node that is not in the tree

static uint32_t *node_slots(const octree_tree *tree, uint32_t node) {
    return (uint32_t *)tree->slots.data + (size_t)node * tree->slot_count;
}

static bool node_is_leaf(const bp_node *node) {
    return node->first_child == BP_NODE_NONE;
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

void bp_octree_tree_init(octree_tree *tree, const bp_method_setup *setup) {
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

void bp_octree_tree_free(octree_tree *tree) {
    bp_buffer *buffers[] = {&tree->nodes,  &tree->cursors,        &tree->slots,         &tree->leaves,
                            &tree->inners, &tree->entries_buffer, &tree->scratch_buffer};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i) {
        bp_buffer_free(buffers[i], tree->allocator);
    }
}

size_t bp_octree_tree_bytes(const octree_tree *tree) {
    return tree->nodes.bytes + tree->cursors.bytes + tree->slots.bytes + tree->leaves.bytes + tree->inners.bytes +
           tree->entries_buffer.bytes + tree->scratch_buffer.bytes;
}

bool bp_octree_tree_reserve_entries(octree_tree *tree, size_t count) {
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

// A block of children, or BP_NODE_NONE if memory is short.
static uint32_t take_node_block(octree_tree *tree) {
    uint32_t block = tree->free_block;
    if (block != BP_NODE_NONE) {
        tree->free_block = octree_node(tree, block)->parent;
        return block;
    }
    const size_t used = tree->node_count, wanted = used + tree->children;
    if (wanted >= OCTREE_LARGER ||
        (wanted * sizeof(bp_node) > tree->nodes.bytes &&
         !bp_buffer_reserve(&tree->nodes, tree->allocator, used * sizeof(bp_node), 2 * wanted, sizeof(bp_node)))) {
        return BP_NODE_NONE;
    }
    tree->node_count = wanted;
    return (uint32_t)used;
}

static void free_node_block(octree_tree *tree, uint32_t block) {
    for (uint32_t i = 0; i < tree->children; ++i) {
        octree_node(tree, block + i)->depth = FREE;
    }
    octree_node(tree, block)->parent = tree->free_block;
    tree->free_block = block;
}

// Lists leaves and inner nodes, and writes the slots of all nodes. False if memory is short.
static bool link_nodes(octree_tree *tree) {
    const bp_allocator *allocator = tree->allocator;
    const size_t slot_bytes = tree->slot_count * sizeof(uint32_t), count = tree->node_count;
    if (!bp_buffer_reserve_slack(&tree->slots, allocator, 0, count, slot_bytes) ||
        !bp_buffer_reserve_slack(&tree->cursors, allocator, 0, count, sizeof(uint32_t)) ||
        !bp_buffer_reserve_slack(&tree->leaves, allocator, 0, count, sizeof(uint32_t)) ||
        !bp_buffer_reserve_slack(&tree->inners, allocator, 0, count / tree->children + 1, sizeof(uint32_t))) {
        return false;
    }
    uint32_t stack[BP_NODE_STACK] = {0};
    size_t pending = 1;
    tree->leaf_count = 0;
    tree->inner_count = 0;
    memset(node_slots(tree, 0), 0xff, slot_bytes); // BP_NODE_NONE
    node_slots(tree, 0)[tree->slot_count / 2] = 0;
    while (pending > 0) {
        const uint32_t at = stack[--pending], child = octree_node(tree, at)->first_child;
        if (child == BP_NODE_NONE) {
            ((uint32_t *)tree->leaves.data)[tree->leaf_count++] = at;
            continue;
        }
        ((uint32_t *)tree->inners.data)[tree->inner_count++] = at;
        for (uint32_t i = tree->children; i-- > 0;) {
            stack[pending++] = child + i;
        }
    }
    return true;
}

bool bp_octree_tree_plant(octree_tree *tree, const bp_tree_space *space) {
    tree->space = *space;
    tree->node_count = 0;
    tree->free_block = BP_NODE_NONE;
    const uint32_t root = take_node_block(tree); // its siblings stay unused
    if (root == BP_NODE_NONE) {
        return false;
    }
    for (uint32_t i = 0; i < tree->children; ++i) {
        *octree_node(tree, root + i) = (bp_node){.first_child = BP_NODE_NONE, .depth = i == 0 ? 0 : FREE};
    }
    return link_nodes(tree);
}

// ---- slots ----------------------------------------------------------------------------------------------------------

// Computes the slots of all nodes from those of their parents. (BP_NODE_NONE has the mark of larger leaves, and keeps it.)
static void write_slots(octree_tree *tree) {
    for (size_t i = 0; i < tree->inner_count; ++i) {
        const uint32_t inner = octree_inner(tree, i), first = octree_node(tree, inner)->first_child;
        const uint32_t *above = node_slots(tree, inner);
        for (uint32_t k = 0; k < tree->children; ++k) {
            uint32_t *slots = node_slots(tree, first + k);
            for (uint32_t slot = 0; slot < tree->slot_count; ++slot) {
                const octree_link link = tree->links[k][slot];
                const uint32_t near = above[link.slot];
                const uint32_t child =
                    (near & OCTREE_LARGER) != 0 ? BP_NODE_NONE : octree_node(tree, near)->first_child;
                slots[slot] = child == BP_NODE_NONE ? near | OCTREE_LARGER : child + link.octant;
            }
        }
    }
}

size_t bp_octree_tree_neighbours(const octree_tree *tree, uint32_t leaf, uint32_t *neighbours) {
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

// Objects with the same key cannot be separated by splits.
static bool leaf_is_worth_splitting(const octree_tree *tree, const bp_node *node) {
    if (node->end - node->begin <= tree->max_objects || node->depth >= tree->space.depth) {
        return false;
    }
    uint32_t i = node->begin + 1;
    while (i < node->end && tree->placed[i].key == tree->placed[node->begin].key) {
        ++i;
    }
    return i < node->end;
}

// Gives a leaf children, and sorts its entries by them.
static bool split_leaf(octree_tree *tree, uint32_t at) {
    const uint32_t block = take_node_block(tree);
    if (block == BP_NODE_NONE) {
        return false;
    }
    bp_node *node = octree_node(tree, at);
    uint32_t ends[8] = {0}, position = node->begin, begin = position;
    for (uint32_t i = node->begin; i < node->end; ++i) {
        ++ends[bp_tree_octant(&tree->space, tree->placed[i].key, node->depth)];
    }
    for (uint32_t child = 0; child < tree->children; ++child) {
        const uint32_t count = ends[child];
        ends[child] = position;
        position += count;
    }
    for (uint32_t i = node->begin; i < node->end; ++i) {
        tree->scratch[ends[bp_tree_octant(&tree->space, tree->placed[i].key, node->depth)]++] = tree->placed[i];
    }
    memcpy(tree->placed + begin, tree->scratch + begin, (node->end - begin) * sizeof *tree->placed);
    for (uint32_t i = 0; i < tree->children; ++i) {
        *octree_node(tree, block + i) = (bp_node){
            .first_child = BP_NODE_NONE, .parent = at, .begin = begin, .end = ends[i], .depth = node->depth + 1};
        begin = ends[i];
    }
    node->first_child = block;
    node->end = node->begin; // it has no objects of its own
    tree->has_changed = true;
    return true;
}

static bool split_down(octree_tree *tree, uint32_t top) {
    uint32_t stack[BP_NODE_STACK];
    size_t pending = 1;
    stack[0] = top;
    while (pending > 0) {
        const uint32_t at = stack[--pending];
        if (!leaf_is_worth_splitting(tree, octree_node(tree, at))) {
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
static void merge_children(octree_tree *tree, uint32_t at) {
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
    tree->has_changed = true;
}

size_t bp_octree_tree_open(octree_tree *tree, const uint32_t *home, size_t count) {
    uint32_t *cursors = tree->cursors.data, position = 0;
    memset(cursors, 0, tree->node_count * sizeof *cursors);
    for (size_t i = 0; i < count; ++i) {
        if (home[i] < tree->node_count) {
            ++cursors[home[i]];
        }
    }
    for (size_t i = 0; i < tree->leaf_count; ++i) {
        const uint32_t leaf = octree_leaf(tree, i), objects = cursors[leaf];
        octree_node(tree, leaf)->begin = position;
        cursors[leaf] = position;
        position += objects;
        octree_node(tree, leaf)->end = position;
    }
    return position;
}

bool bp_octree_tree_adapt(octree_tree *tree) {
    tree->has_changed = false;
    for (size_t i = 0; i < tree->leaf_count; ++i) {
        if (!split_down(tree, octree_leaf(tree, i))) {
            return false;
        }
    }
    for (size_t i = tree->inner_count; i-- > 0;) { // children before their parents
        merge_children(tree, octree_inner(tree, i));
    }
    if (tree->has_changed) {
        if (!link_nodes(tree)) {
            return false;
        }
        write_slots(tree);
    }
    return true;
}

// ---- checks ---------------------------------------------------------------------------------------------------------

// Whether the nodes that a node links to exist. Everything below relies on that.
static bool links_are_sound(const octree_tree *tree, uint32_t at) {
    const bp_node *node = octree_node(tree, at);
    const uint32_t child = node->first_child;
    bool sound = node_is_leaf(node) || (child < tree->node_count && tree->children <= tree->node_count - child);
    for (uint32_t i = 0; sound && !node_is_leaf(node) && i < tree->children; ++i) {
        sound = octree_node(tree, child + i)->parent == at && octree_node(tree, child + i)->depth == node->depth + 1;
    }
    return sound && node->depth <= tree->space.depth;
}

// The place of a node among those of its depth, from the nodes above it; false if these are not linked to it.
static bool place_of(const octree_tree *tree, uint32_t at, uint32_t place[3]) {
    for (uint32_t bit = 0, depth = octree_node(tree, at)->depth; bit < depth; ++bit) {
        const bp_node *node = octree_node(tree, at);
        const uint32_t parent = node->parent;
        if (parent >= tree->node_count || at - octree_node(tree, parent)->first_child >= tree->children ||
            octree_node(tree, parent)->depth + 1 != node->depth) {
            return false;
        }
        for (uint32_t axis = 0; axis < tree->space.dimensions; ++axis) {
            place[axis] |= ((at - octree_node(tree, parent)->first_child) >> axis & 1) << bit;
        }
        at = parent;
    }
    return at == 0;
}

// What belongs into a slot of the node at a place, from the root down.
static uint32_t expected_slot(const octree_tree *tree, const uint32_t place[3], uint32_t depth, uint32_t slot) {
    uint32_t near[3] = {0}, at = 0;
    for (uint32_t axis = 0; axis < tree->space.dimensions; ++axis, slot /= 3) {
        near[axis] = place[axis] + slot % 3 - 1; // beyond the lower border: very large
        if (near[axis] >= 1u << depth) {
            return BP_NODE_NONE;
        }
    }
    for (uint32_t bit = depth; bit-- > 0 && !node_is_leaf(octree_node(tree, at));) {
        const uint32_t octant = (near[0] >> bit & 1) | (near[1] >> bit & 1) << 1 | (near[2] >> bit & 1) << 2;
        at = octree_node(tree, at)->first_child + octant;
    }
    return octree_node(tree, at)->depth < depth ? at | OCTREE_LARGER : at;
}

static bool node_is_sound(const octree_tree *tree, uint32_t at) {
    uint32_t place[3] = {0};
    bool sound = place_of(tree, at, place);
    for (uint32_t slot = 0; sound && slot < tree->slot_count; ++slot) {
        sound = node_slots(tree, at)[slot] == expected_slot(tree, place, octree_node(tree, at)->depth, slot);
    }
    return sound;
}

bool bp_octree_tree_is_sound(const octree_tree *tree) {
    const size_t count = tree->leaf_count + tree->inner_count;
    bool sound = tree->leaf_count == (size_t)(tree->children - 1) * tree->inner_count + 1;
    for (int pass = 0; pass < 2; ++pass) { // all links first
        for (size_t i = 0; sound && i < count; ++i) {
            const bool is_leaf = i < tree->leaf_count;
            const uint32_t at = is_leaf ? octree_leaf(tree, i) : octree_inner(tree, i - tree->leaf_count);
            sound = pass == 0 ? at < tree->node_count && node_is_leaf(octree_node(tree, at)) == is_leaf &&
                                    links_are_sound(tree, at)
                              : node_is_sound(tree, at);
        }
    }
    return sound;
}
