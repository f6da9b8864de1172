// The other octree of the textbooks: an object in every leaf that it overlaps, as if it were cut into pieces. Zych 2016,
// section 4.3, wishes to see it measured; it is no method of ours, because it loses.
//
//     +-------+---+---+    a leaf with more than LEAF_MOST objects is split, unless its children together would have three
//     |     a | a |   |    times as many entries
//     |   +---+---+---+    a pair is reported by the leaf that holds the point max(min, min): both objects are there
//     |   | a | a | b |
//     +---+---+---+---+    rebuilt at each step: with several entries for an object, moving one is not cheap
#include "peers/peer.h"

#include <math.h>
#include <string.h>

enum { LEAF_MOST = 11, DEPTH_MOST = 10, PIECES_MOST = 3, PENDING = 8 * (DEPTH_MOST + 1) };

// Half open: low <= x < high.
typedef struct node {
    float low[3], high[3];
    size_t begin, end; // of its entries
    uint32_t depth;
} node;

typedef struct leaf_octree {
    size_t count;
    const bp_box *boxes;
    uint32_t *entries; // ids; those of split nodes stay
    size_t entry_count, entry_capacity;
    node *leaves;
    size_t leaf_count, leaf_capacity;
} leaf_octree;

static void *grown(void *data, size_t *capacity, size_t needed, size_t size) {
    if (needed <= *capacity) return data;
    *capacity = 2 * needed;
    data = realloc(data, *capacity * size);
    if (!data) abort();
    return data;
}

static void *create(size_t count, const bp_box *boxes) {
    (void)boxes;
    leaf_octree *tree = calloc(1, sizeof *tree);
    if (tree) tree->count = count;
    return tree;
}

static void destroy(void *state) {
    leaf_octree *tree = state;
    free(tree->entries);
    free(tree->leaves);
    free(tree);
}

static void add_entry(leaf_octree *tree, uint32_t id) {
    tree->entries = grown(tree->entries, &tree->entry_capacity, tree->entry_count + 1, sizeof *tree->entries);
    tree->entries[tree->entry_count++] = id;
}

static void add_leaf(leaf_octree *tree, const node *leaf) {
    tree->leaves = grown(tree->leaves, &tree->leaf_capacity, tree->leaf_count + 1, sizeof *tree->leaves);
    tree->leaves[tree->leaf_count++] = *leaf;
}

// A cube that no box touches the upper end of.
static node root_of(leaf_octree *tree) {
    node root = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0, tree->count, 0};
    for (uint32_t i = 0; i < tree->count; i++) {
        add_entry(tree, i);
        for (int axis = 0; axis < 3; axis++) {
            root.low[axis] = fminf(root.low[axis], tree->boxes[i].min[axis]);
            root.high[axis] = fmaxf(root.high[axis], nextafterf(tree->boxes[i].max[axis], INFINITY));
        }
    }
    return root;
}

static bool overlaps(const node *n, const bp_box *box) {
    bool overlap = true;
    for (int axis = 0; axis < 3; axis++) overlap &= (box->min[axis] < n->high[axis]) & (box->max[axis] >= n->low[axis]);
    return overlap;
}

static node child_of(leaf_octree *tree, const node *parent, uint32_t octant) {
    node child = *parent;
    child.depth++;
    for (int axis = 0; axis < 3; axis++) {
        const float middle = parent->low[axis] + 0.5f * (parent->high[axis] - parent->low[axis]);
        *(octant >> axis & 1 ? &child.low[axis] : &child.high[axis]) = middle;
    }
    child.begin = tree->entry_count;
    for (size_t i = parent->begin; i < parent->end; i++)
        if (overlaps(&child, &tree->boxes[tree->entries[i]])) add_entry(tree, tree->entries[i]);
    child.end = tree->entry_count;
    return child;
}

static void update(void *state, const bp_box *boxes) {
    leaf_octree *tree = state;
    node pending[PENDING];
    size_t pending_count = 1;
    tree->boxes = boxes;
    tree->entry_count = tree->leaf_count = 0;
    pending[0] = root_of(tree);
    while (pending_count > 0) {
        const node next = pending[--pending_count];
        node children[8];
        const size_t size = next.end - next.begin, first = tree->entry_count;
        const bool may_split = size > LEAF_MOST && next.depth < DEPTH_MOST;
        for (uint32_t i = 0; may_split && i < 8; i++) children[i] = child_of(tree, &next, i);
        if (may_split && tree->entry_count - first <= PIECES_MOST * size) {
            memcpy(pending + pending_count, children, sizeof children);
            pending_count += 8;
        } else {
            tree->entry_count = first;
            add_leaf(tree, &next);
        }
    }
}

static bool owns(const node *leaf, const bp_box *a, const bp_box *b) {
    bool inside = true;
    for (int axis = 0; axis < 3; axis++) {
        const float begin = fmaxf(a->min[axis], b->min[axis]);
        inside &= (begin >= leaf->low[axis]) & (begin < leaf->high[axis]);
    }
    return inside;
}

static void find_in_leaf(const leaf_octree *tree, const node *leaf, bp_pairs *pairs) {
    for (size_t i = leaf->begin; i < leaf->end; i++)
        for (size_t k = i + 1; k < leaf->end; k++) {
            const uint32_t a = tree->entries[i], b = tree->entries[k];
            if (bench_overlap(&tree->boxes[a], &tree->boxes[b]) && owns(leaf, &tree->boxes[a], &tree->boxes[b]))
                bench_push(pairs, a, b);
        }
}

static void find(void *state, bp_pairs *pairs) {
    const leaf_octree *tree = state;
    for (size_t i = 0; i < tree->leaf_count; i++) find_in_leaf(tree, &tree->leaves[i], pairs);
}

const bench_peer textbook_peers[] = {
    {.who = "textbook",
     .method = "leaf-octree",
     .note = "an object in every leaf that it overlaps; written for the suite zych",
     .kind = BENCH_TREE,
     .exact = true,
     .named_only = true,
     .create = create,
     .update = update,
     .find = find,
     .destroy = destroy},
    {0},
};
