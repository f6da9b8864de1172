// Nodes, bounds, and changes box by box; see bvh_tree.h for the layout.
//
// A box descends to the child whose surface grows less, into a leaf with room, or into a full one that is split in two
// at its median. A leaf that has become empty is removed, and one whose boxes fit into its sibling is merged into it.
// On the way up bounds are corrected, and where one side of a node is more than one level taller than the other, a
// grandchild changes places with the shorter side:
//
//            n                     n
//          /   \                 /   \             O(log n) each. (Zych leaves such rotations out as too expensive;
//         s     t       ->      f     t            but without them, boxes inserted in sorted order turn the tree
//              / \                   / \           into a list.)
//             f   g                 s   g
#include "literature/bvh/bvh_tree.h"

#include "base/log.h"

#include <string.h>

enum {
    NODES_MAX = 1 << 29, // so that places have 32 bits
    MERGE_MAX =
        6 // boxes of two leaves that are merged: fewer than BVH_LEAF, so that the next one does not split it again
};

// ---- memory ---------------------------------------------------------------------------------------------------------

void bp_bvh_tree_free(bvh_tree *tree) {
    bp_buffer *buffers[] = {&tree->nodes_buffer, &tree->columns_buffer, &tree->places_buffer, &tree->entries_buffer,
                            &tree->clusters_buffer};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i) {
        bp_buffer_free(buffers[i], &tree->setup->runtime.allocator);
    }
}

size_t bp_bvh_tree_bytes(const bvh_tree *tree) {
    return tree->nodes_buffer.bytes + tree->columns_buffer.bytes + tree->places_buffer.bytes +
           tree->entries_buffer.bytes + tree->clusters_buffer.bytes;
}

// Makes room for so many places, and keeps what there is.
static bool reserve_columns(bvh_tree *tree, size_t count) {
    const bp_allocator *allocator = &tree->setup->runtime.allocator;
    bp_columns grown;
    bp_buffer grown_buffer = {0};
    if (count <= tree->columns_capacity) {
        return true;
    }
    const size_t capacity = bp_size_add(count, count / 4),
                 length = bp_size_add(capacity, BP_COLUMN_PADDING + 15) / 16 * 16;
    if (!bp_buffer_reserve(&grown_buffer, allocator, 0, bp_size_multiply(length, 7), sizeof(float))) {
        return false;
    }
    bp_columns_place(&grown, grown_buffer.data, length);
    const size_t kept = bvh_infinite_begin(tree);
    for (size_t i = 0; i < kept; ++i) {
        const bp_box box = bp_columns_box(&tree->columns, i);
        bp_columns_put(&grown, i, &box, tree->columns.id[i]);
    }
    bp_buffer_free(&tree->columns_buffer, allocator);
    tree->columns_buffer = grown_buffer;
    tree->columns = grown;
    tree->columns_capacity = capacity;
    return true;
}

bool bp_bvh_tree_renew(bvh_tree *tree, const bp_box *boxes, size_t count) {
    tree->boxes = boxes;
    tree->id_count = count;
    if (!bp_buffer_reserve_slack(&tree->places_buffer, &tree->setup->runtime.allocator,
                                 tree->place_count * sizeof(uint32_t), count, sizeof(uint32_t))) {
        return false;
    }
    for (; tree->place_count < count; ++tree->place_count) {
        bvh_places(tree)[tree->place_count] = BVH_NOWHERE;
    }
    return true;
}

// ---- nodes ----------------------------------------------------------------------------------------------------------

static void write_holes(bvh_tree *tree, uint32_t node, uint32_t from) {
    const bp_box hole = bp_box_hole();
    for (uint32_t i = from; i < BVH_LEAF; ++i) {
        bp_columns_put(&tree->columns, node * BVH_LEAF + i, &hole, 0);
    }
}

bool bp_bvh_tree_reserve(bvh_tree *tree, size_t count) {
    if (count > NODES_MAX) {
        bp_log_write(&tree->setup->runtime.log, "bvh: too many boxes for this method; use another one");
        return false;
    }
    return reserve_columns(tree, count * BVH_LEAF) &&
           bp_buffer_reserve_slack(&tree->nodes_buffer, &tree->setup->runtime.allocator,
                                   tree->node_end * sizeof(bvh_node), count, sizeof(bvh_node));
}

// Two empty leaves; BVH_NOWHERE if memory is short.
static uint32_t take_pair(bvh_tree *tree) {
    uint32_t pair = tree->unused;
    if (pair != BVH_NOWHERE) {
        tree->unused = bvh_nodes(tree)[pair].first;
    } else {
        if (!bp_bvh_tree_reserve(tree, (size_t)tree->node_end + 2)) {
            return BVH_NOWHERE;
        }
        pair = tree->node_end;
        tree->node_end += 2;
    }
    for (uint32_t node = pair; node < pair + 2; ++node) {
        bvh_nodes(tree)[node] =
            (bvh_node){.bounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}};
        write_holes(tree, node, 0);
    }
    return pair;
}

static void free_pair(bvh_tree *tree, uint32_t pair) {
    for (uint32_t node = pair; node < pair + 2; ++node) {
        bvh_nodes(tree)[node] = (bvh_node){.first = tree->unused};
        write_holes(tree, node, 0);
    }
    tree->unused = pair;
}

bool bp_bvh_tree_clear(bvh_tree *tree, const bp_box *boxes, size_t count) {
    tree->box_count = 0;
    tree->node_end = 0;
    tree->unused = BVH_NOWHERE;
    tree->infinite_end = 0;
    tree->place_count = 0;
    return bp_bvh_tree_renew(tree, boxes, count) && take_pair(tree) == BVH_ROOT;
}

uint32_t bp_bvh_tree_divide(bvh_tree *tree, uint32_t node) {
    const uint32_t pair = take_pair(tree);
    if (pair != BVH_NOWHERE) {
        bvh_node *nodes = bvh_nodes(tree);
        nodes[node].first = pair;
        nodes[node].count = 0;
        nodes[node].height = 1;
        nodes[pair].parent = nodes[pair + 1].parent = node;
        write_holes(tree, node, 0);
    }
    return pair;
}

// Updates the links from the boxes or the children of a node to the node, which has moved.
static void relink_below(bvh_tree *tree, uint32_t node) {
    const bvh_node *n = &bvh_nodes(tree)[node];
    for (uint32_t i = 0; i < n->count; ++i) {
        bvh_places(tree)[tree->columns.id[node * BVH_LEAF + i]] = node * BVH_LEAF + i;
    }
    if (!bvh_is_leaf(n)) {
        bvh_nodes(tree)[n->first].parent = bvh_nodes(tree)[n->first + 1].parent = node;
    }
}

// Two nodes change places.
static void swap_nodes(bvh_tree *tree, uint32_t a, uint32_t b) {
    bvh_node *nodes = bvh_nodes(tree);
    const bvh_node node = nodes[a];
    const uint32_t parents[2] = {nodes[a].parent, nodes[b].parent};
    nodes[a] = nodes[b];
    nodes[b] = node;
    nodes[a].parent = parents[0];
    nodes[b].parent = parents[1];
    for (uint32_t i = 0; i < BVH_LEAF; ++i) {
        const uint32_t at[2] = {a * BVH_LEAF + i, b * BVH_LEAF + i}, id = tree->columns.id[at[0]];
        const bp_box boxes[2] = {bp_columns_box(&tree->columns, at[0]), bp_columns_box(&tree->columns, at[1])};
        bp_columns_put(&tree->columns, at[0], &boxes[1], tree->columns.id[at[1]]);
        bp_columns_put(&tree->columns, at[1], &boxes[0], id);
    }
    relink_below(tree, a);
    relink_below(tree, b);
}

// ---- bounds ---------------------------------------------------------------------------------------------------------

static double surface_of(const bp_box *box) {
    const double x = (double)box->max[0] - (double)box->min[0], y = (double)box->max[1] - (double)box->min[1],
                 z = (double)box->max[2] - (double)box->min[2];
    return x * y + y * z + z * x;
}

static double joint_surface(const bp_box *a, const bp_box *b) {
    const bp_box both = bvh_join(a, b);
    return surface_of(&both);
}

static void bound_leaf(bvh_tree *tree, uint32_t node) {
    bvh_node *n = &bvh_nodes(tree)[node];
    n->bounds = (bp_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t i = 0; i < n->count; ++i) {
        const bp_box box = bp_columns_box(&tree->columns, node * BVH_LEAF + i);
        n->bounds = bvh_join(&box, &n->bounds);
    }
}

// Bounds and height of an inner node, from its children.
static void bound_inner(bvh_tree *tree, uint32_t node) {
    bvh_node *nodes = bvh_nodes(tree);
    const bvh_node *left = &nodes[nodes[node].first], *right = left + 1;
    nodes[node].bounds = bvh_join(&left->bounds, &right->bounds);
    nodes[node].height = 1 + (left->height > right->height ? left->height : right->height);
}

// Visits all nodes without a stack: down to a leaf by first children, then to its sibling, or up.
void bp_bvh_tree_refit(bvh_tree *tree) {
    const bvh_node *nodes = bvh_nodes(tree);
    for (uint32_t at = BVH_ROOT;;) {
        while (!bvh_is_leaf(&nodes[at])) {
            at = nodes[at].first;
        }
        for (;;) {
            if (bvh_is_leaf(&nodes[at])) {
                const size_t begin = (size_t)at * BVH_LEAF;
                bp_columns_fill(&tree->columns, tree->setup->kernels, tree->setup->dimensions, begin,
                                begin + nodes[at].count, tree->boxes);
                relink_below(tree, at);
                bound_leaf(tree, at);
            } else {
                bound_inner(tree, at);
            }
            if (at == BVH_ROOT) {
                return;
            }
            if (at % 2 == 0) {
                ++at;
                break;
            }
            at = nodes[at].parent;
        }
    }
}

// ---- on the way up --------------------------------------------------------------------------------------------------

// The child of `taller` that changes places with its uncle: the taller one, or the one that leaves the smaller node behind.
static uint32_t child_to_lift(const bvh_node *nodes, uint32_t taller, uint32_t uncle) {
    const uint32_t first = nodes[taller].first;
    const bvh_node *f = &nodes[first];
    const bp_box *u = &nodes[uncle].bounds;
    const bool is_first = f[0].height != f[1].height ? f[0].height > f[1].height
                                                     : joint_surface(u, &f[1].bounds) <= joint_surface(u, &f[0].bounds);
    return is_first ? first : first + 1;
}

// Corrects bounds and heights of the nodes above one, and rotates, until nothing changes.
static void correct_above(bvh_tree *tree, uint32_t node) {
    bvh_node *nodes = bvh_nodes(tree);
    bool has_changed = true;
    while (node != BVH_ROOT && has_changed) {
        node = nodes[node].parent;
        const bvh_node before = nodes[node];
        const uint32_t left = before.first, right = left + 1;
        const uint32_t taller = nodes[left].height > nodes[right].height ? left : right, shorter = taller ^ 1;
        if (nodes[taller].height > nodes[shorter].height + 1) {
            swap_nodes(tree, shorter, child_to_lift(nodes, taller, shorter));
            bound_inner(tree, taller);
        }
        bound_inner(tree, node);
        has_changed = !bp_box_is_same(&before.bounds, &nodes[node].bounds) || before.height != nodes[node].height;
    }
}

// ---- entering -------------------------------------------------------------------------------------------------------

static uint32_t choose_leaf(const bvh_tree *tree, const bp_box *box) {
    const bvh_node *nodes = bvh_nodes(tree);
    uint32_t node = BVH_ROOT;
    while (!bvh_is_leaf(&nodes[node])) {
        const bp_box *left = &nodes[nodes[node].first].bounds, *right = &nodes[nodes[node].first + 1].bounds;
        const double surfaces[2] = {surface_of(left), surface_of(right)};
        const double growths[2] = {joint_surface(left, box) - surfaces[0], joint_surface(right, box) - surfaces[1]};
        node = nodes[node].first +
               (growths[1] < growths[0] || (growths[1] == growths[0] && surfaces[1] < surfaces[0]) ? 1 : 0);
    }
    return node;
}

static void put_box(bvh_tree *tree, uint32_t node, const bp_box *box, uint32_t id) {
    const uint32_t place = node * BVH_LEAF + bvh_nodes(tree)[node].count++;
    bp_columns_put(&tree->columns, place, box, id);
    bvh_places(tree)[id] = place;
}

static double twice_centre(const bp_box *box, int axis) {
    return (double)box->min[axis] + (double)box->max[axis];
}

// A full leaf and one more box become two leaves, along the axis in which their centres lie widest apart.
static bool split_full_leaf(bvh_tree *tree, uint32_t node, const bp_box *box, uint32_t id) {
    bp_box boxes[BVH_LEAF + 1];
    uint32_t ids[BVH_LEAF + 1];
    for (uint32_t i = 0; i < BVH_LEAF; ++i) {
        boxes[i] = bp_columns_box(&tree->columns, node * BVH_LEAF + i);
        ids[i] = tree->columns.id[node * BVH_LEAF + i];
    }
    boxes[BVH_LEAF] = *box;
    ids[BVH_LEAF] = id;
    int widest = 0;
    double most = -1.0;
    for (int axis = 0; axis < 3; ++axis) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i <= BVH_LEAF; ++i) {
            low = fmin(low, twice_centre(&boxes[i], axis));
            high = fmax(high, twice_centre(&boxes[i], axis));
        }
        widest = high - low > most ? axis : widest;
        most = fmax(most, high - low);
    }
    for (int i = 1; i <= BVH_LEAF; ++i) { // an insertion sort
        const bp_box moved = boxes[i];
        const uint32_t moved_id = ids[i];
        int at = i;
        for (; at > 0 && twice_centre(&boxes[at - 1], widest) > twice_centre(&moved, widest); --at) {
            boxes[at] = boxes[at - 1];
            ids[at] = ids[at - 1];
        }
        boxes[at] = moved;
        ids[at] = moved_id;
    }
    const uint32_t pair = bp_bvh_tree_divide(tree, node);
    for (uint32_t i = 0; pair != BVH_NOWHERE && i <= BVH_LEAF; ++i) {
        put_box(tree, i < BVH_LEAF / 2 ? pair : pair + 1, &boxes[i], ids[i]);
    }
    if (pair != BVH_NOWHERE) {
        bound_leaf(tree, pair);
        bound_leaf(tree, pair + 1);
        bound_inner(tree, node);
    }
    return pair != BVH_NOWHERE;
}

static bool insert_box(bvh_tree *tree, uint32_t id, const bp_box *box) {
    const uint32_t leaf = choose_leaf(tree, box);
    if (bvh_nodes(tree)[leaf].count < BVH_LEAF) {
        put_box(tree, leaf, box, id);
        bound_leaf(tree, leaf);
    } else if (!split_full_leaf(tree, leaf, box, id)) {
        return false;
    }
    ++tree->box_count;
    correct_above(tree, leaf);
    return true;
}

// ---- leaving --------------------------------------------------------------------------------------------------------

// Boxes that move up are copied as they are in the columns: tree->boxes may already have newer ones, which their own
// relocation will read.
static void remove_box(bvh_tree *tree, uint32_t id) {
    bvh_node *nodes = bvh_nodes(tree);
    const uint32_t place = bvh_places(tree)[id];
    uint32_t leaf = place / BVH_LEAF;
    const uint32_t last = leaf * BVH_LEAF + --nodes[leaf].count;
    const bp_box box = bp_columns_box(&tree->columns, last);
    bp_columns_put(&tree->columns, place, &box, tree->columns.id[last]);
    bvh_places(tree)[tree->columns.id[last]] = place;
    bvh_places(tree)[id] = BVH_NOWHERE;
    write_holes(tree, leaf, nodes[leaf].count);
    --tree->box_count;
    // Few boxes go into the sibling, which takes the place of the parent.
    const uint32_t sibling = leaf ^ 1, count = nodes[leaf].count;
    if (leaf != BVH_ROOT &&
        (count == 0 || (bvh_is_leaf(&nodes[sibling]) && count + nodes[sibling].count <= MERGE_MAX))) {
        const uint32_t parent = nodes[leaf].parent;
        for (uint32_t i = 0; i < count; ++i) {
            const bp_box kept = bp_columns_box(&tree->columns, leaf * BVH_LEAF + i);
            put_box(tree, sibling, &kept, tree->columns.id[leaf * BVH_LEAF + i]);
        }
        swap_nodes(tree, parent, sibling);
        free_pair(tree, leaf & ~1u);
        leaf = parent;
    }
    if (bvh_is_leaf(&nodes[leaf])) {
        bound_leaf(tree, leaf);
    }
    correct_above(tree, leaf);
}

bool bp_bvh_is_finite(const bvh_tree *tree, uint32_t id) {
    return bp_box_is_finite(&tree->boxes[id], tree->setup->dimensions);
}

bool bp_bvh_tree_relocate(bvh_tree *tree, uint32_t id) {
    const bp_box box = bp_box_flatten(tree->boxes[id], tree->setup->dimensions);
    const uint32_t place = bvh_places(tree)[id];
    if (place != BVH_NOWHERE) {
        if (bp_box_contains(&bvh_nodes(tree)[place / BVH_LEAF].bounds, &box, 3)) {
            bp_columns_put(&tree->columns, place, &box, id);
            return true;
        }
        remove_box(tree, id);
    }
    return !bp_bvh_is_finite(tree, id) || insert_box(tree, id, &box);
}

bool bp_bvh_tree_list_infinite(bvh_tree *tree) {
    const size_t begin = bvh_infinite_begin(tree);
    size_t count = 0;
    for (uint32_t id = 0; id < tree->id_count; ++id) {
        count += !bp_bvh_is_finite(tree, id) && !bp_box_is_hole(&tree->boxes[id]);
    }
    if (!reserve_columns(tree, bp_size_add(begin, count))) {
        return false;
    }
    tree->infinite_end = begin;
    for (uint32_t id = 0; id < tree->id_count && count > 0; ++id) {
        const bp_box box = bp_box_flatten(tree->boxes[id], tree->setup->dimensions);
        if (!bp_bvh_is_finite(tree, id) && !bp_box_is_hole(&box)) {
            bp_columns_put(&tree->columns, tree->infinite_end++, &box, id);
        }
    }
    return true;
}

// ---- validation -----------------------------------------------------------------------------------------------------

static bool leaf_is_right(const bvh_tree *tree, uint32_t node) {
    const bvh_node *n = &bvh_nodes(tree)[node];
    bool right = n->count <= BVH_LEAF;
    for (uint32_t i = 0; right && i < BVH_LEAF; ++i) {
        const uint32_t place = node * BVH_LEAF + i, id = tree->columns.id[place];
        const bp_box box = bp_columns_box(&tree->columns, place);
        right = i >= n->count ? bp_box_is_hole(&box)
                              : bp_box_contains(&n->bounds, &box, 3) && id < tree->id_count &&
                                    bvh_places(tree)[id] == place && bp_bvh_is_finite(tree, id) &&
                                    bp_columns_hold(&tree->columns, place, &tree->boxes[id], tree->setup->dimensions);
    }
    return right;
}

static bool inner_is_right(const bvh_tree *tree, uint32_t node) {
    const bvh_node *nodes = bvh_nodes(tree), *n = &nodes[node];
    if (n->count != 0 || n->first % 2 != 0 || n->first >= tree->node_end) {
        return false;
    }
    const bvh_node *left = &nodes[n->first], *right = left + 1;
    return left->parent == node && right->parent == node &&
           n->height == 1 + (left->height > right->height ? left->height : right->height) &&
           bp_box_contains(&n->bounds, &left->bounds, 3) && bp_box_contains(&n->bounds, &right->bounds, 3);
}

// In the order of a refit; a damaged tree that goes round in circles has too many nodes.
static size_t count_right_boxes(const bvh_tree *tree) {
    const bvh_node *nodes = bvh_nodes(tree);
    size_t boxes = 0, steps = 0;
    uint32_t at = BVH_ROOT;
    for (bool down = true; steps <= 2 * (size_t)tree->node_end; ++steps) {
        if (down && !(bvh_is_leaf(&nodes[at]) ? leaf_is_right(tree, at) : inner_is_right(tree, at))) {
            return SIZE_MAX;
        }
        boxes += down ? nodes[at].count : 0;
        if (down && !bvh_is_leaf(&nodes[at])) {
            at = nodes[at].first;
        } else if (at == BVH_ROOT) {
            return boxes;
        } else {
            down = at % 2 == 0;
            at = down ? at + 1 : nodes[at].parent;
        }
    }
    return SIZE_MAX;
}

bp_status bp_bvh_tree_validate(const bvh_tree *tree) {
    size_t finite = 0, infinite = bvh_infinite_begin(tree);
    bool right = tree->infinite_end <= tree->columns_capacity;
    for (uint32_t id = 0; right && id < tree->id_count; ++id) {
        const bool is_finite = bp_bvh_is_finite(tree, id),
                   is_infinite = !is_finite && !bp_box_is_hole(&tree->boxes[id]);
        finite += is_finite;
        right =
            is_finite == (bvh_places(tree)[id] != BVH_NOWHERE) &&
            (!is_infinite || (infinite < tree->infinite_end && tree->columns.id[infinite] == id &&
                              bp_columns_hold(&tree->columns, infinite, &tree->boxes[id], tree->setup->dimensions)));
        infinite += is_infinite;
    }
    if (!right || infinite != tree->infinite_end || tree->box_count != finite || count_right_boxes(tree) != finite) {
        bp_log_write(&tree->setup->runtime.log, "bvh: the tree does not match the boxes");
        return BP_ERROR_INTERNAL;
    }
    return BP_OK;
}
