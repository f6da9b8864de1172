// Changing the tree box by box.
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
#include "literature/bvh/bvh_insert.h"

#include <string.h>

enum {
    MERGE_MAX = 6
}; // boxes of two leaves that are merged; below BVH_LEAF, so that the next box does not split it
    // again

static uint32_t parent_of(const bvh_tree *tree, uint32_t node) {
    return bvh_parents(tree)[node / 2];
}

// ---- nodes and slots ------------------------------------------------------------------------------------------------

static uint32_t take_pair(bvh_tree *tree) {
    uint32_t pair = tree->free_pair;
    if (pair != BVH_NOWHERE) {
        tree->free_pair = bvh_nodes(tree)[pair].first;
        return pair;
    }
    if (!bp_bvh_reserve_nodes(tree, (size_t)tree->node_end + 2)) {
        return BVH_NOWHERE;
    }
    pair = tree->node_end;
    tree->node_end += 2;
    return pair;
}

static void free_pair(bvh_tree *tree, uint32_t pair) {
    bvh_nodes(tree)[pair].first = tree->free_pair;
    tree->free_pair = pair;
}

static uint32_t take_slot(bvh_tree *tree) {
    uint32_t slot = tree->free_slot;
    if (slot != BVH_NOWHERE) {
        tree->free_slot = bvh_slot_nodes(tree)[slot];
    } else if (bp_bvh_reserve_slots(tree, (size_t)tree->slot_end + 1)) {
        slot = tree->slot_end++;
        for (uint32_t i = 0; i < BVH_LEAF; ++i) {
            bp_bvh_write_hole(tree, slot * BVH_LEAF + i);
        }
    }
    tree->leaf_count += slot != BVH_NOWHERE;
    return slot;
}

static void free_slot(bvh_tree *tree, uint32_t slot) {
    for (uint32_t i = 0; i < BVH_LEAF; ++i) {
        bp_bvh_write_hole(tree, slot * BVH_LEAF + i);
    }
    bvh_slot_nodes(tree)[slot] = tree->free_slot;
    tree->free_slot = slot;
    --tree->leaf_count;
}

// Updates the links from the slot or the children of a node to the node, which has moved.
static void relink_below(bvh_tree *tree, uint32_t node) {
    const bvh_node *n = &bvh_nodes(tree)[node];
    if (bvh_is_leaf(n)) {
        bvh_slot_nodes(tree)[n->first] = node;
    } else {
        bvh_parents(tree)[n->first / 2] = node;
    }
}

static void move_node(bvh_tree *tree, uint32_t to, uint32_t from) {
    bvh_nodes(tree)[to] = bvh_nodes(tree)[from];
    bvh_heights(tree)[to] = bvh_heights(tree)[from];
    relink_below(tree, to);
}

static void swap_nodes(bvh_tree *tree, uint32_t a, uint32_t b) {
    const bvh_node node = bvh_nodes(tree)[a];
    const uint32_t height = bvh_heights(tree)[a];
    move_node(tree, a, b);
    bvh_nodes(tree)[b] = node;
    bvh_heights(tree)[b] = height;
    relink_below(tree, b);
}

// ---- on the way up --------------------------------------------------------------------------------------------------

static double surface_of(const float min[3], const float max[3]) {
    const double x = (double)max[0] - (double)min[0], y = (double)max[1] - (double)min[1];
    const double z = (double)max[2] - (double)min[2];
    return x * y + y * z + z * x;
}

static double joint_surface(const bvh_node *node, const float min[3], const float max[3]) {
    float low[3], high[3];
    for (int axis = 0; axis < 3; ++axis) {
        low[axis] = node->min[axis] < min[axis] ? node->min[axis] : min[axis];
        high[axis] = node->max[axis] > max[axis] ? node->max[axis] : max[axis];
    }
    return surface_of(low, high);
}

// The child of `taller` that changes places with its uncle: the taller one, or the one that leaves the smaller node
// behind.
static uint32_t child_to_lift(const bvh_tree *tree, uint32_t taller, uint32_t uncle) {
    const uint32_t first = bvh_nodes(tree)[taller].first, *heights = &bvh_heights(tree)[first];
    if (heights[0] != heights[1]) {
        return heights[0] > heights[1] ? first : first + 1;
    }
    const bvh_node *u = &bvh_nodes(tree)[uncle], *f = &bvh_nodes(tree)[first];
    return joint_surface(u, f[1].min, f[1].max) <= joint_surface(u, f[0].min, f[0].max) ? first : first + 1;
}

static void balance_node(bvh_tree *tree, uint32_t node) {
    const uint32_t left = bvh_nodes(tree)[node].first, right = left + 1;
    const uint32_t *heights = bvh_heights(tree);
    if (heights[left] <= heights[right] + 1 && heights[right] <= heights[left] + 1) {
        return;
    }
    const uint32_t taller = heights[left] > heights[right] ? left : right;
    const uint32_t shorter = taller ^ 1;
    swap_nodes(tree, shorter, child_to_lift(tree, taller, shorter));
    bp_bvh_bound_inner(tree, taller);
    tree->order.is_valid = false;
}

static bool bounds_are_same(const bvh_node *a, const bvh_node *b) {
    bool same = true;
    for (int axis = 0; axis < 3; ++axis) {
        same &= a->min[axis] == b->min[axis] && a->max[axis] == b->max[axis];
    }
    return same;
}

// Corrects bounds and heights from an inner node upwards, until nothing changes.
static void correct_upwards(bvh_tree *tree, uint32_t node) {
    for (;;) {
        const bvh_node before = bvh_nodes(tree)[node];
        const uint32_t height = bvh_heights(tree)[node];
        balance_node(tree, node);
        bp_bvh_bound_inner(tree, node);
        if (node == BVH_ROOT ||
            (bounds_are_same(&before, &bvh_nodes(tree)[node]) && height == bvh_heights(tree)[node])) {
            return;
        }
        node = parent_of(tree, node);
    }
}

static void correct_above(bvh_tree *tree, uint32_t node) {
    if (node != BVH_ROOT) {
        correct_upwards(tree, parent_of(tree, node));
    }
}

// ---- entering -------------------------------------------------------------------------------------------------------

static uint32_t choose_leaf(const bvh_tree *tree, const bp_box *box) {
    const bvh_node *nodes = bvh_nodes(tree);
    uint32_t node = BVH_ROOT;
    while (!bvh_is_leaf(&nodes[node])) {
        const bvh_node *left = &nodes[nodes[node].first], *right = left + 1;
        const double left_surface = surface_of(left->min, left->max),
                     right_surface = surface_of(right->min, right->max);
        const double left_growth = joint_surface(left, box->min, box->max) - left_surface;
        const double right_growth = joint_surface(right, box->min, box->max) - right_surface;
        const bool goes_right =
            right_growth < left_growth || (right_growth == left_growth && right_surface < left_surface);
        node = nodes[node].first + goes_right;
    }
    return node;
}

typedef struct candidate {
    bp_box box;
    uint32_t id;
    double center[3];
} candidate;

static int widest_axis(const candidate *all, size_t count) {
    int widest = 0;
    double most = -1.0;
    for (int axis = 0; axis < 3; ++axis) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < count; ++i) {
            low = all[i].center[axis] < low ? all[i].center[axis] : low;
            high = all[i].center[axis] > high ? all[i].center[axis] : high;
        }
        widest = high - low > most ? axis : widest;
        most = high - low > most ? high - low : most;
    }
    return widest;
}

static candidate candidate_for(bp_box box, uint32_t id) {
    candidate c = {.box = box, .id = id};
    for (int axis = 0; axis < 3; ++axis) {
        c.center[axis] = 0.5 * ((double)box.min[axis] + (double)box.max[axis]);
    }
    return c;
}

static void sort_candidates(candidate *all, size_t count, int axis) {
    for (size_t i = 1; i < count; ++i) {
        const candidate c = all[i];
        size_t at = i;
        for (; at > 0 && all[at - 1].center[axis] > c.center[axis]; --at) {
            all[at] = all[at - 1];
        }
        all[at] = c;
    }
}

static void fill_leaf(bvh_tree *tree, uint32_t node, uint32_t slot, const candidate *all, uint32_t count) {
    bvh_nodes(tree)[node] = (bvh_node){.first = slot, .count = count};
    bvh_heights(tree)[node] = 0;
    for (uint32_t i = 0; i < BVH_LEAF; ++i) {
        if (i < count) {
            bp_bvh_put_box(tree, slot * BVH_LEAF + i, &all[i].box, all[i].id);
        } else {
            bp_bvh_write_hole(tree, slot * BVH_LEAF + i);
        }
    }
    relink_below(tree, node);
    bp_bvh_bound_leaf(tree, node);
}

// A full leaf and one more box become two leaves.
static bp_status split_full_leaf(bvh_tree *tree, uint32_t node, const bp_box *box, uint32_t id) {
    const uint32_t pair = take_pair(tree), slot = take_slot(tree);
    if (pair == BVH_NOWHERE || slot == BVH_NOWHERE) {
        return BP_ERROR_MEMORY;
    }
    const uint32_t old_slot = bvh_nodes(tree)[node].first;
    candidate all[BVH_LEAF + 1];
    for (uint32_t i = 0; i < BVH_LEAF; ++i) {
        const uint32_t position = old_slot * BVH_LEAF + i;
        all[i] = candidate_for(bp_columns_box(&tree->columns, position), tree->columns.id[position]);
    }
    all[BVH_LEAF] = candidate_for(*box, id);
    sort_candidates(all, BVH_LEAF + 1, widest_axis(all, BVH_LEAF + 1));
    fill_leaf(tree, pair, old_slot, all, BVH_LEAF / 2);
    fill_leaf(tree, pair + 1, slot, all + BVH_LEAF / 2, BVH_LEAF / 2 + 1);
    bvh_nodes(tree)[node] = (bvh_node){.first = pair};
    relink_below(tree, node);
    tree->order.is_valid = false;
    bp_bvh_bound_inner(tree, node);
    return BP_OK;
}

static bp_status make_root(bvh_tree *tree) {
    const uint32_t slot = take_slot(tree);
    if (slot == BVH_NOWHERE || !bp_bvh_reserve_nodes(tree, 2)) {
        return BP_ERROR_MEMORY;
    }
    tree->node_end = tree->node_end < 2 ? 2 : tree->node_end;
    bvh_nodes(tree)[BVH_ROOT] = (bvh_node){.first = slot};
    bvh_heights(tree)[BVH_ROOT] = 0;
    bvh_slot_nodes(tree)[slot] = BVH_ROOT;
    tree->order.is_valid = false;
    return BP_OK;
}

static bp_status insert_box(bvh_tree *tree, uint32_t id) {
    const bp_box box = bp_box_flatten(tree->boxes[id], tree->setup->dimensions);
    if (tree->tree_count == 0 && make_root(tree) != BP_OK) {
        return BP_ERROR_MEMORY;
    }
    const uint32_t leaf = tree->tree_count == 0 ? BVH_ROOT : choose_leaf(tree, &box);
    bvh_node *node = &bvh_nodes(tree)[leaf];
    ++tree->tree_count;
    if (node->count < BVH_LEAF) {
        bp_bvh_put_box(tree, node->first * BVH_LEAF + node->count++, &box, id);
        bp_bvh_bound_leaf(tree, leaf);
    } else if (split_full_leaf(tree, leaf, &box, id) != BP_OK) {
        return BP_ERROR_MEMORY;
    }
    correct_above(tree, leaf);
    return BP_OK;
}

// ---- leaving --------------------------------------------------------------------------------------------------------

// Moves a box as it is in the columns: tree->boxes may already have a newer one, which its own relocation will read.
static void move_box(bvh_tree *tree, uint32_t to, uint32_t from) {
    const bp_box box = bp_columns_box(&tree->columns, from);
    bp_bvh_put_box(tree, to, &box, tree->columns.id[from]);
}

// The sibling replaces the parent, unless the leaf is the last of the tree.
static void remove_leaf(bvh_tree *tree, uint32_t leaf) {
    free_slot(tree, bvh_nodes(tree)[leaf].first);
    tree->order.is_valid = false;
    if (leaf == BVH_ROOT) {
        return;
    }
    const uint32_t parent = parent_of(tree, leaf);
    move_node(tree, parent, leaf ^ 1);
    free_pair(tree, leaf & ~1u);
    correct_above(tree, parent);
}

// The boxes of both leaves go into one slot, and the parent becomes the leaf.
static void merge_leaves(bvh_tree *tree, uint32_t kept, uint32_t emptied) {
    const uint32_t parent = parent_of(tree, kept);
    bvh_node *to = &bvh_nodes(tree)[kept];
    const bvh_node *from = &bvh_nodes(tree)[emptied];
    for (uint32_t i = 0; i < from->count; ++i) {
        move_box(tree, to->first * BVH_LEAF + to->count++, from->first * BVH_LEAF + i);
    }
    free_slot(tree, from->first);
    move_node(tree, parent, kept);
    free_pair(tree, kept & ~1u);
    tree->order.is_valid = false;
    bp_bvh_bound_leaf(tree, parent);
    correct_above(tree, parent);
}

static void remove_box(bvh_tree *tree, uint32_t id) {
    const uint32_t position = bvh_places(tree)[id];
    const uint32_t leaf = bvh_slot_nodes(tree)[position / BVH_LEAF];
    bvh_node *node = &bvh_nodes(tree)[leaf];
    const uint32_t last = node->first * BVH_LEAF + --node->count;
    if (position != last) {
        move_box(tree, position, last);
    }
    bp_bvh_write_hole(tree, last);
    bvh_places(tree)[id] = BVH_NOWHERE;
    --tree->tree_count;
    const bvh_node *sibling = &bvh_nodes(tree)[leaf ^ 1];
    if (node->count == 0) {
        remove_leaf(tree, leaf);
    } else if (leaf != BVH_ROOT && bvh_is_leaf(sibling) && node->count + sibling->count <= MERGE_MAX) {
        merge_leaves(tree, leaf ^ 1, leaf);
    } else {
        bp_bvh_bound_leaf(tree, leaf);
        correct_above(tree, leaf);
    }
}

// ---- moving ---------------------------------------------------------------------------------------------------------

static bool fits_leaf(const bvh_tree *tree, uint32_t position, const bp_box *box) {
    const bvh_node *leaf = &bvh_nodes(tree)[bvh_slot_nodes(tree)[position / BVH_LEAF]];
    bool fits = true;
    for (int axis = 0; axis < 3; ++axis) {
        fits &= leaf->min[axis] <= box->min[axis] && box->max[axis] <= leaf->max[axis];
    }
    return fits;
}

bp_status bp_bvh_tree_relocate(bvh_tree *tree, uint32_t id) {
    const bp_box box = bp_box_flatten(tree->boxes[id], tree->setup->dimensions);
    const uint32_t place = bvh_places(tree)[id];
    if (place != BVH_NOWHERE && (place & BVH_SCANNED) != 0) {
        bp_bvh_remove_scanned(tree, id);
    } else if (place != BVH_NOWHERE) {
        if (fits_leaf(tree, place, &box)) {
            bp_bvh_put_box(tree, place, &box, id);
            return BP_OK;
        }
        remove_box(tree, id);
    }
    if (bp_box_is_hole(&box)) {
        return BP_OK;
    }
    return bp_box_is_finite(&box, 3) ? insert_box(tree, id) : bp_bvh_add_scanned(tree, id);
}
