// Building the tree: from the top, from the bottom, or box by box.
//
//   top-down   Boxes are split in two at the object median, the object mean or the spatial median of their centres,
//              along the axis of largest extent or variance, until eight are left. Sides are rounded to whole leaves:
//              all leaves but one are full. O(n log n).
//
//   bottom-up  Zych merges the two clusters with the smallest common volume, again and again: O(n^3), or O(n^2 log n)
//              with a queue. Here every cluster chooses its best partner only among its neighbours on the Z-curve, and
//              all pairs that chose each other are merged at once (D. Meister and J. Bittner, "Parallel Locally-Ordered
//              Clustering for Bounding Volume Hierarchy Construction", 2018). That is the same clustering rule with a
//              bounded search. A round in which few chose each other (chains, equal costs) merges neighbours instead:
//              so there are O(log n) rounds, and O(n log n) work.
//
//   insertion  Each box in turn: bvh_insert.c.
#include "literature/bvh/bvh_build.h"

#include "base/morton.h"
#include "base/radix_sort.h"
#include "literature/bvh/bvh_insert.h"

#include <assert.h>
#include <string.h>

enum {
    STACK = 64, // parts that wait; the smaller side is always split first, so 32 are enough
    SAMPLE_MAX = 31,
    NEIGHBOURS = 8,   // clusters on each side that a cluster chooses from
    MERGED_LEAST = 16 // if fewer than one cluster in this many would be merged, neighbours are merged instead
};

typedef struct entry {
    float center[3];
    uint32_t id;
} entry;

// Lists the centres of the finite boxes in the entries, and the infinite boxes as scanned.
static bp_status collect_entries(bvh_tree *tree) {
    if (!bp_buffer_reserve_slack(&tree->entries_buffer, &tree->setup->runtime.allocator, 0, tree->id_count,
                                 sizeof(entry))) {
        return BP_ERROR_MEMORY;
    }
    entry *entries = tree->entries_buffer.data;
    for (size_t id = 0; id < tree->id_count; ++id) {
        const bp_box box = bp_box_flatten(tree->boxes[id], tree->setup->dimensions);
        if (bp_box_is_finite(&box, 3)) {
            entry *e = &entries[tree->tree_count++];
            for (int axis = 0; axis < 3; ++axis) {
                e->center[axis] = 0.5f * box.min[axis] + 0.5f * box.max[axis];
            }
            e->id = (uint32_t)id;
        } else if (!bp_box_is_hole(&box) && bp_bvh_add_scanned(tree, (uint32_t)id) != BP_OK) {
            return BP_ERROR_MEMORY;
        }
    }
    return BP_OK;
}

// ---- top-down: where to split ---------------------------------------------------------------------------------------

// The bounds of some centres.
typedef struct extent {
    float min[3], max[3];
} extent;

static extent extent_of_centers(const entry *entries, size_t count) {
    extent e = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            const float center = entries[i].center[axis];
            e.min[axis] = center < e.min[axis] ? center : e.min[axis];
            e.max[axis] = center > e.max[axis] ? center : e.max[axis];
        }
    }
    return e;
}

static int largest_of_three(const double values[3]) {
    const int xy = values[1] > values[0] ? 1 : 0;
    return values[2] > values[xy] ? 2 : xy;
}

static int axis_of_extent(const extent *e) {
    double sizes[3];
    for (int axis = 0; axis < 3; ++axis) {
        sizes[axis] = (double)e->max[axis] - (double)e->min[axis];
    }
    return largest_of_three(sizes);
}

static double mean_center(const entry *entries, size_t count, int axis) {
    double sum = 0.0;
    for (size_t i = 0; i < count; ++i) {
        sum += (double)entries[i].center[axis];
    }
    return sum / (double)count;
}

static int axis_of_variance(const entry *entries, size_t count) {
    double variances[3];
    for (int axis = 0; axis < 3; ++axis) {
        const double mean = mean_center(entries, count, axis);
        variances[axis] = 0.0;
        for (size_t i = 0; i < count; ++i) {
            const double distance = (double)entries[i].center[axis] - mean;
            variances[axis] += distance * distance;
        }
    }
    return largest_of_three(variances);
}

static size_t count_below(const entry *entries, size_t count, int axis, double limit) {
    size_t below = 0;
    for (size_t i = 0; i < count; ++i) {
        below += (double)entries[i].center[axis] < limit;
    }
    return below;
}

// The number of leaves on the first side: at least one, and not all.
static size_t leaves_of_first(const bp_method_setup *setup, const entry *entries, size_t count, int axis,
                              const extent *e) {
    const size_t leaves = (count + BVH_LEAF - 1) / BVH_LEAF;
    if (setup->settings.bvh_split == BP_BVH_OBJECT_MEDIAN) {
        return (leaves + 1) / 2;
    }
    const double limit = setup->settings.bvh_split == BP_BVH_OBJECT_MEAN
                             ? mean_center(entries, count, axis)
                             : 0.5 * ((double)e->min[axis] + (double)e->max[axis]);
    const size_t rounded = (count_below(entries, count, axis, limit) + BVH_LEAF / 2) / BVH_LEAF;
    return rounded < 1 ? 1 : rounded < leaves ? rounded : leaves - 1;
}

// ---- top-down: splitting --------------------------------------------------------------------------------------------

// Moves the entries below the pivot (with `or_equal`, also those at it) to the front, without a data-dependent branch.
static inline size_t partition_entries(entry *entries, size_t count, int axis, float pivot, bool or_equal) {
    size_t front = 0;
    for (size_t i = 0; i < count; ++i) {
        const entry e = entries[i];
        entries[i] = entries[front];
        entries[front] = e;
        front += or_equal ? e.center[axis] <= pivot : e.center[axis] < pivot;
    }
    return front;
}

// A value that about `rank` entries are smaller than, from a sample.
static float choose_pivot(const entry *entries, size_t count, size_t rank, int axis) {
    const size_t size = count >= 512 ? SAMPLE_MAX : count >= 64 ? 7 : 3;
    float sample[SAMPLE_MAX] = {0};
    for (size_t i = 0; i < size; ++i) {
        const float value = entries[(2 * i + 1) * (count / (2 * size))].center[axis];
        size_t at = i;
        for (; at > 0 && sample[at - 1] > value; --at) {
            sample[at] = sample[at - 1];
        }
        sample[at] = value;
    }
    return sample[(size_t)((unsigned long long)rank * size / count)];
}

// Reorders until none of the first `rank` entries is greater than any of the others.
static void select_rank(entry *entries, size_t count, size_t rank, int axis) {
    while (rank > 0 && rank < count) {
        const float pivot = choose_pivot(entries, count, rank, axis);
        size_t front = partition_entries(entries, count, axis, pivot, false);
        if (rank < front) {
            count = front;
            continue;
        }
        if (front == 0) { // the pivot is the smallest: all entries equal to it are in their place at once
            front = partition_entries(entries, count, axis, pivot, true);
            if (rank <= front) {
                return;
            }
        }
        entries += front;
        count -= front;
        rank -= front;
    }
}

// A part of the entries that will become the subtree of a node. `begin` is the beginning of a leaf.
typedef struct part {
    size_t begin, end;
    uint32_t node, children; // the nodes of the subtree are stored from `children` on
} part;

static void make_leaf_of_part(bvh_tree *tree, const part *p) {
    const uint32_t slot = (uint32_t)(p->begin / BVH_LEAF);
    bvh_nodes(tree)[p->node] = (bvh_node){.first = slot, .count = (uint32_t)(p->end - p->begin)};
    bvh_heights(tree)[p->node] = 0;
    bvh_slot_nodes(tree)[slot] = p->node;
}

static void bp_split_part(bvh_tree *tree, const part *p, part sides[2]) {
    entry *entries = (entry *)tree->entries_buffer.data + p->begin;
    const size_t count = p->end - p->begin;
    const extent e = extent_of_centers(entries, count);
    const int axis =
        tree->setup->settings.bvh_axis == BP_BVH_LARGEST_EXTENT ? axis_of_extent(&e) : axis_of_variance(entries, count);
    const size_t leaves = leaves_of_first(tree->setup, entries, count, axis, &e);
    select_rank(entries, count, leaves * BVH_LEAF, axis);
    const size_t middle = p->begin + leaves * BVH_LEAF;
    bvh_nodes(tree)[p->node] = (bvh_node){.first = p->children};
    bvh_parents(tree)[p->children / 2] = p->node;
    sides[0] = (part){.begin = p->begin, .end = middle, .node = p->children, .children = p->children + 2};
    sides[1] =
        (part){.begin = middle, .end = p->end, .node = p->children + 1, .children = p->children + 2 * (uint32_t)leaves};
}

static void split_to_leaves(bvh_tree *tree, part p) {
    part waiting[STACK];
    size_t count = 0;
    for (;;) {
        if (p.end - p.begin > BVH_LEAF) {
            part sides[2];
            bp_split_part(tree, &p, sides);
            const int smaller = sides[0].end - sides[0].begin < sides[1].end - sides[1].begin ? 0 : 1;
            assert(count < STACK);
            waiting[count++] = sides[1 - smaller];
            p = sides[smaller];
            continue;
        }
        make_leaf_of_part(tree, &p);
        if (count == 0) {
            return;
        }
        p = waiting[--count];
    }
}

static bp_status build_top_down(bvh_tree *tree) {
    const entry *entries = tree->entries_buffer.data;
    tree->leaf_count = (tree->tree_count + BVH_LEAF - 1) / BVH_LEAF;
    if (!bp_bvh_reserve_slots(tree, tree->leaf_count) || !bp_bvh_reserve_nodes(tree, 2 * tree->leaf_count)) {
        return BP_ERROR_MEMORY;
    }
    tree->slot_end = (uint32_t)tree->leaf_count;
    tree->node_end = 2 * (uint32_t)tree->leaf_count;
    split_to_leaves(tree, (part){.begin = 0, .end = tree->tree_count, .node = BVH_ROOT, .children = 2});
    for (size_t i = 0; i < tree->tree_count; ++i) {
        tree->columns.id[i] = entries[i].id;
        bvh_places(tree)[entries[i].id] = (uint32_t)i;
    }
    bp_columns_fill(&tree->columns, tree->setup->kernels, tree->setup->dimensions, 0, tree->tree_count, tree->boxes);
    for (size_t i = tree->tree_count; i < tree->leaf_count * BVH_LEAF; ++i) {
        bp_bvh_write_hole(tree, (uint32_t)i);
    }
    for (size_t slot = 0; slot < tree->leaf_count; ++slot) {
        bp_bvh_bound_leaf(tree, bvh_slot_nodes(tree)[slot]);
    }
    return bp_bvh_bound_all_inner(tree);
}

// ---- bottom-up ------------------------------------------------------------------------------------------------------

// Clusters are named by number: entry i is cluster i, merge k is cluster n + k.
typedef struct merge {
    uint32_t first, second, count;
} merge;

typedef struct cluster {
    float min[3];
    uint32_t number;
    float max[3];
    uint32_t count; // number of boxes
} cluster;

typedef struct clustering {
    size_t entry_count;
    uint64_t *keys, *spare_keys;
    cluster *clusters, *merged; // of this round, and of the next
    uint32_t *partners;
    float *costs;
    merge *merges;
    size_t cluster_count, merge_count;
} clustering;

static bool reserve_clustering(bvh_tree *tree, clustering *c) {
    const size_t n = tree->tree_count;
    const size_t each = 2 * sizeof(uint64_t) + 2 * sizeof(cluster) + sizeof(uint32_t) + sizeof(float) + sizeof(merge);
    if (!bp_buffer_reserve_slack(&tree->clusters_buffer, &tree->setup->runtime.allocator, 0, n, each)) {
        return false;
    }
    c->entry_count = n;
    c->keys = tree->clusters_buffer.data;
    c->spare_keys = c->keys + n;
    c->clusters = (cluster *)(c->spare_keys + n);
    c->merged = c->clusters + n;
    c->merges = (merge *)(c->merged + n);
    c->partners = (uint32_t *)(c->merges + n);
    c->costs = (float *)(void *)(c->partners + n);
    return true;
}

static uint64_t morton_code(const entry *e, const extent *all, const double scale[3]) {
    uint64_t code = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const double steps = ((double)e->center[axis] - (double)all->min[axis]) * scale[axis];
        code |= bp_spread_by_three((uint64_t)steps) << axis;
    }
    return code;
}

static uint32_t bits_for_number(size_t count) {
    uint32_t bits = 1;
    while (count >> bits != 0) {
        ++bits;
    }
    return bits;
}

// The clusters of one box each, along the Z-curve, as finely as a key of 64 bits that includes the entry's number
// allows.
static void begin_clustering(const bvh_tree *tree, clustering *c) {
    const entry *entries = tree->entries_buffer.data;
    const size_t n = c->entry_count;
    const extent all = extent_of_centers(entries, n);
    const uint32_t number_bits = bits_for_number(n), free_bits = (64 - number_bits) / 3;
    const uint32_t axis_bits = free_bits < 21 ? free_bits : 21;
    double scale[3];
    for (int axis = 0; axis < 3; ++axis) {
        const double size = (double)all.max[axis] - (double)all.min[axis];
        scale[axis] = size > 0.0 ? 0.999999 * (double)((uint64_t)1 << axis_bits) / size : 0.0;
    }
    for (size_t i = 0; i < n; ++i) {
        c->keys[i] = morton_code(&entries[i], &all, scale) << number_bits | i;
    }
    const uint64_t *sorted = bp_sort_keys(c->keys, c->spare_keys, n, number_bits, number_bits + 3 * axis_bits);
    for (size_t i = 0; i < n; ++i) {
        const uint32_t number = (uint32_t)(sorted[i] & (((uint64_t)1 << number_bits) - 1));
        const bp_box box = bp_box_flatten(tree->boxes[entries[number].id], tree->setup->dimensions);
        c->clusters[i] = (cluster){.number = number, .count = 1};
        memcpy(c->clusters[i].min, box.min, sizeof box.min);
        memcpy(c->clusters[i].max, box.max, sizeof box.max);
    }
    c->cluster_count = n;
    c->merge_count = 0;
}

static cluster join_clusters(const cluster *a, const cluster *b) {
    cluster both = {.count = a->count + b->count};
    for (int axis = 0; axis < 3; ++axis) {
        both.min[axis] = a->min[axis] < b->min[axis] ? a->min[axis] : b->min[axis];
        both.max[axis] = a->max[axis] > b->max[axis] ? a->max[axis] : b->max[axis];
    }
    return both;
}

// The clustering rule: the surface of the common box. (Volume, Zych's measure, is 0 for all flat boxes.)
static float merge_cost(const cluster *a, const cluster *b) {
    const cluster both = join_clusters(a, b);
    const float x = both.max[0] - both.min[0], y = both.max[1] - both.min[1], z = both.max[2] - both.min[2];
    return x * y + y * z + z * x;
}

static void choose_partners(const clustering *c) {
    const size_t count = c->cluster_count;
    for (size_t i = 0; i < count; ++i) {
        c->costs[i] = INFINITY;
        c->partners[i] = (uint32_t)i;
    }
    for (size_t i = 0; i < count; ++i) {
        for (size_t j = i + 1; j < count && j <= i + NEIGHBOURS; ++j) {
            const float cost = merge_cost(&c->clusters[i], &c->clusters[j]);
            if (cost < c->costs[i]) {
                c->costs[i] = cost;
                c->partners[i] = (uint32_t)j;
            }
            if (cost < c->costs[j]) {
                c->costs[j] = cost;
                c->partners[j] = (uint32_t)i;
            }
        }
    }
}

static void merge_partners(clustering *c) {
    size_t count = 0;
    for (size_t i = 0; i < c->cluster_count; ++i) {
        const size_t partner = c->partners[i];
        const cluster *a = &c->clusters[i], *b = &c->clusters[partner];
        if (c->partners[partner] != i || partner == i) {
            c->merged[count++] = *a;
        } else if (partner > i) {
            cluster both = join_clusters(a, b);
            c->merges[c->merge_count] = (merge){.first = a->number, .second = b->number, .count = both.count};
            both.number = (uint32_t)(c->entry_count + c->merge_count++);
            c->merged[count++] = both;
        }
    }
    cluster *swapped = c->clusters;
    c->clusters = c->merged;
    c->merged = swapped;
    c->cluster_count = count;
}

// If few clusters chose each other, each is merged with its neighbour instead.
static void merge_all_clusters(clustering *c) {
    while (c->cluster_count > 1) {
        const size_t count = c->cluster_count;
        size_t mutual = 0;
        choose_partners(c);
        for (size_t i = 0; i < count; ++i) {
            mutual += c->partners[i] > i && c->partners[c->partners[i]] == i;
        }
        for (size_t i = 0; i < count && mutual < count / MERGED_LEAST + 1; ++i) {
            c->partners[i] = (uint32_t)((i ^ 1) < count ? i ^ 1 : i);
        }
        merge_partners(c);
    }
}

// A cluster of at most BVH_LEAF boxes becomes a leaf.
static void make_leaf_of_cluster(bvh_tree *tree, const clustering *c, uint32_t number, uint32_t node) {
    const entry *entries = tree->entries_buffer.data;
    const uint32_t slot = tree->slot_end++;
    uint32_t waiting[BVH_LEAF] = {number}, position = slot * BVH_LEAF;
    size_t count = 1;
    while (count > 0) {
        const uint32_t next = waiting[--count];
        if (next < c->entry_count) {
            const uint32_t id = entries[next].id;
            const bp_box box = bp_box_flatten(tree->boxes[id], tree->setup->dimensions);
            bp_bvh_put_box(tree, position++, &box, id);
        } else {
            waiting[count++] = c->merges[next - c->entry_count].first;
            waiting[count++] = c->merges[next - c->entry_count].second;
        }
    }
    bvh_nodes(tree)[node] = (bvh_node){.first = slot, .count = position - slot * BVH_LEAF};
    for (; position < (slot + 1) * BVH_LEAF; ++position) {
        bp_bvh_write_hole(tree, position);
    }
    bvh_heights(tree)[node] = 0;
    bvh_slot_nodes(tree)[slot] = node;
    bp_bvh_bound_leaf(tree, node);
}

typedef struct branch {
    uint32_t number, node;
} branch;

static uint32_t cluster_size(const clustering *c, uint32_t number) {
    return number < c->entry_count ? 1 : c->merges[number - c->entry_count].count;
}

static void grow_from_clusters(bvh_tree *tree, const clustering *c) {
    branch waiting[STACK], b = {.number = c->clusters[0].number, .node = BVH_ROOT};
    size_t count = 0;
    tree->node_end = 2;
    for (;;) {
        if (cluster_size(c, b.number) <= BVH_LEAF) {
            make_leaf_of_cluster(tree, c, b.number, b.node);
            if (count == 0) {
                return;
            }
            b = waiting[--count];
            continue;
        }
        const merge *m = &c->merges[b.number - c->entry_count];
        const uint32_t pair = tree->node_end;
        const branch sides[2] = {{.number = m->first, .node = pair}, {.number = m->second, .node = pair + 1}};
        const int smaller = cluster_size(c, m->first) < cluster_size(c, m->second) ? 0 : 1;
        tree->node_end += 2;
        bvh_nodes(tree)[b.node] = (bvh_node){.first = pair};
        bvh_parents(tree)[pair / 2] = b.node;
        assert(count < STACK);
        waiting[count++] = sides[1 - smaller];
        b = sides[smaller];
    }
}

static bp_status build_bottom_up(bvh_tree *tree) {
    clustering c;
    if (!reserve_clustering(tree, &c)) {
        return BP_ERROR_MEMORY;
    }
    begin_clustering(tree, &c);
    merge_all_clusters(&c);
    tree->leaf_count = 1;
    for (size_t i = 0; i < c.merge_count; ++i) {
        tree->leaf_count += c.merges[i].count > BVH_LEAF;
    }
    if (!bp_bvh_reserve_slots(tree, tree->leaf_count) || !bp_bvh_reserve_nodes(tree, 2 * tree->leaf_count)) {
        return BP_ERROR_MEMORY;
    }
    grow_from_clusters(tree, &c);
    return bp_bvh_bound_all_inner(tree);
}

// ---- any build ------------------------------------------------------------------------------------------------------

static bp_status build_by_insertion(bvh_tree *tree) {
    bp_status status = BP_OK;
    for (size_t id = 0; id < tree->id_count && status == BP_OK; ++id) {
        status = bp_bvh_tree_relocate(tree, (uint32_t)id);
    }
    return status;
}

bp_status bp_bvh_tree_build(bvh_tree *tree, const bp_box *boxes, size_t count) {
    bp_status status = bp_bvh_tree_clear(tree, boxes, count);
    if (status == BP_OK && tree->setup->settings.bvh_build == BP_BVH_INSERTION) {
        return build_by_insertion(tree);
    }
    if (status == BP_OK) {
        status = collect_entries(tree);
    }
    if (status != BP_OK || tree->tree_count == 0) {
        return status;
    }
    return tree->setup->settings.bvh_build == BP_BVH_TOP_DOWN ? build_top_down(tree) : build_bottom_up(tree);
}
