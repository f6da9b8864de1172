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
//   insertion  Each box in turn, as it is done when boxes change: bvh_tree.c.
#include "literature/bvh/bvh_tree.h"

#include "base/morton.h"
#include "base/radix_sort.h"

#include <assert.h>
#include <string.h>

enum {
    STACK = 64,     // parts that wait; the smaller side is always split first, so 32 are enough
    NEIGHBOURS = 8, // clusters on each side that a cluster chooses from
    MERGED_MIN = 16 // if fewer than one cluster in this many would be merged, neighbours are merged instead
};

typedef struct entry {
    float center[3];
    uint32_t id;
} entry;

// Where the centres of some entries are.
typedef struct spread {
    double low[3], high[3], mean[3], variance[3];
} spread;

static spread spread_of(const entry *entries, size_t count) {
    spread s = {.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            const double center = (double)entries[i].center[axis];
            s.low[axis] = center < s.low[axis] ? center : s.low[axis];
            s.high[axis] = center > s.high[axis] ? center : s.high[axis];
            s.mean[axis] += center;
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        s.mean[axis] /= (double)count;
    }
    for (size_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            const double distance = (double)entries[i].center[axis] - s.mean[axis];
            s.variance[axis] += distance * distance;
        }
    }
    return s;
}

// ---- top-down -------------------------------------------------------------------------------------------------------

// Reorders until none of the first `rank` entries is greater than any of the others (C. A. R. Hoare, 1961).
static void select_rank(entry *entries, size_t count, size_t rank, int axis) {
    uint32_t random = 1;
    while (count > 1) {
        random = random * 1664525u + 1013904223u;
        const float pivot = entries[((uint64_t)random * count) >> 32].center[axis];
        size_t low = 0, high = count - 1;
        for (;; ++low, --high) {
            while (entries[low].center[axis] < pivot) {
                ++low;
            }
            while (entries[high].center[axis] > pivot) {
                --high;
            }
            if (low >= high) {
                break;
            }
            const entry moved = entries[low];
            entries[low] = entries[high];
            entries[high] = moved;
        }
        // Those before `low` are at most the pivot, those behind `high` at least; one between them is in its place.
        if (rank < low) {
            count = low;
        } else if (rank > high) {
            entries += high + 1;
            count -= high + 1;
            rank -= high + 1;
        } else {
            return;
        }
    }
}

// Splits entries in two, and returns how many the first side has: whole leaves, at least one, and not all.
static size_t split_entries(const bp_method_settings *settings, entry *entries, size_t count) {
    const spread s = spread_of(entries, count);
    const size_t leaves = (count + BVH_LEAF - 1) / BVH_LEAF;
    double widths[3];
    for (int k = 0; k < 3; ++k) {
        widths[k] = settings->bvh_axis == BP_BVH_LARGEST_EXTENT ? s.high[k] - s.low[k] : s.variance[k];
    }
    const int xy = widths[1] > widths[0] ? 1 : 0, axis = widths[2] > widths[xy] ? 2 : xy;
    size_t first = (leaves + 1) / 2;
    if (settings->bvh_split != BP_BVH_OBJECT_MEDIAN) {
        const double plane =
            settings->bvh_split == BP_BVH_OBJECT_MEAN ? s.mean[axis] : 0.5 * (s.low[axis] + s.high[axis]);
        size_t before = 0;
        for (size_t i = 0; i < count; ++i) {
            before += (double)entries[i].center[axis] < plane;
        }
        const size_t rounded = (before + BVH_LEAF / 2) / BVH_LEAF;
        first = rounded < 1 ? 1 : rounded < leaves ? rounded : leaves - 1;
    }
    select_rank(entries, count, first * BVH_LEAF, axis);
    return first * BVH_LEAF;
}

// ---- bottom-up ------------------------------------------------------------------------------------------------------

// Clusters are named by number: entry i is cluster i, merge k is cluster n + k.
typedef struct cluster {
    bp_box box;
    uint32_t first, second; // what was merged
    uint32_t count, begin;  // its entries, when they are in the order of the tree
} cluster;

// The clustering rule: the surface of the common box. (Volume, Zych's measure, is 0 for all flat boxes.)
static float merge_cost(const cluster *a, const cluster *b) {
    const bp_box both = bvh_join(&a->box, &b->box);
    const float x = both.max[0] - both.min[0], y = both.max[1] - both.min[1], z = both.max[2] - both.min[2];
    return x * y + y * z + z * x;
}

// Sorts the entries along the Z-curve, as finely as a key of 64 bits that includes the entry's number allows.
static void order_along_curve(const entry *entries, size_t count, uint64_t *keys, uint32_t *numbers) {
    const spread s = spread_of(entries, count);
    uint32_t number_bits = 1;
    while (count >> number_bits != 0) {
        ++number_bits;
    }
    const uint32_t axis_bits = (64 - number_bits) / 3 < 21 ? (64 - number_bits) / 3 : 21;
    for (size_t i = 0; i < count; ++i) {
        uint64_t code = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const double size = s.high[axis] - s.low[axis], steps = 0.999999 * (double)((uint64_t)1 << axis_bits);
            const double part = size > 0.0 ? ((double)entries[i].center[axis] - s.low[axis]) / size : 0.0;
            code |= bp_spread_by_three((uint64_t)(part * steps)) << axis;
        }
        keys[i] = code << number_bits | i;
    }
    const uint64_t *sorted = bp_sort_keys(keys, keys + count, count, number_bits, number_bits + 3 * axis_bits);
    for (size_t i = 0; i < count; ++i) {
        numbers[i] = (uint32_t)(sorted[i] & (((uint64_t)1 << number_bits) - 1));
    }
}

// Each of the active clusters chooses a partner: a place among them, or its own if there is no other. If few have chosen each
// other, neighbours are partners.
static void choose_partners(const cluster *clusters, const uint32_t *active, size_t count, uint32_t *partners,
                            float *costs) {
    for (size_t i = 0; i < count; ++i) {
        costs[i] = INFINITY;
        partners[i] = (uint32_t)i;
    }
    for (size_t i = 0; i < count; ++i) {
        for (size_t k = i + 1; k < count && k <= i + NEIGHBOURS; ++k) {
            const float cost = merge_cost(&clusters[active[i]], &clusters[active[k]]);
            partners[i] = cost < costs[i] ? (uint32_t)k : partners[i];
            costs[i] = cost < costs[i] ? cost : costs[i];
            partners[k] = cost < costs[k] ? (uint32_t)i : partners[k];
            costs[k] = cost < costs[k] ? cost : costs[k];
        }
    }
    size_t mutual = 0;
    for (size_t i = 0; i < count; ++i) {
        mutual += partners[i] > i && partners[partners[i]] == i;
    }
    for (size_t i = 0; i < count && mutual < count / MERGED_MIN + 1; ++i) {
        partners[i] = (uint32_t)((i ^ 1) < count ? i ^ 1 : i);
    }
}

// Merges clusters until one is left, and puts the entries in the order of the tree. Returns the clusters, NULL if memory is
// short.
static const cluster *merge_clusters(bvh_tree *tree) {
    const size_t n = tree->box_count;
    entry *entries = tree->entries_buffer.data;
    if (!bp_buffer_reserve_slack(&tree->clusters_buffer, &tree->setup->runtime.allocator, 0, n,
                                 2 * sizeof(cluster) + 2 * sizeof(uint64_t) + 2 * sizeof(uint32_t) + sizeof(float))) {
        return NULL;
    }
    uint64_t *keys = tree->clusters_buffer.data;
    cluster *clusters = (cluster *)(keys + 2 * n);
    uint32_t *active = (uint32_t *)(clusters + 2 * n), *partners = active + n;
    float *costs = (float *)(void *)(partners + n);
    order_along_curve(entries, n, keys, active);
    for (size_t i = 0; i < n; ++i) {
        clusters[i] = (cluster){.box = bp_box_flatten(tree->boxes[entries[i].id], tree->setup->dimensions), .count = 1};
    }
    size_t made = n;
    for (size_t count = n, left = 0; count > 1; count = left, left = 0) {
        choose_partners(clusters, active, count, partners, costs);
        for (size_t i = 0; i < count; ++i) {
            const size_t partner = partners[i];
            if (partners[partner] != i || partner == i) {
                active[left++] = active[i];
            } else if (partner > i) { // they have chosen each other
                const cluster *a = &clusters[active[i]], *b = &clusters[active[partner]];
                clusters[made] = (cluster){.box = bvh_join(&a->box, &b->box),
                                           .first = active[i],
                                           .second = active[partner],
                                           .count = a->count + b->count};
                active[left++] = (uint32_t)made++;
            }
        }
    }
    for (size_t k = made; k-- > n;) { // from the last merge, which has all
        clusters[clusters[k].first].begin = clusters[k].begin;
        clusters[clusters[k].second].begin = clusters[k].begin + clusters[clusters[k].first].count;
    }
    entry *ordered = (entry *)(void *)keys;
    for (size_t i = 0; i < n; ++i) {
        ordered[clusters[i].begin] = entries[i];
    }
    memcpy(entries, ordered, n * sizeof *entries);
    return clusters;
}

// ---- any build ------------------------------------------------------------------------------------------------------

// Some entries that become the subtree of a node; bottom-up they are a cluster.
typedef struct part {
    size_t begin, end;
    uint32_t node, number;
} part;

// Divides the entries down to leaves. `clusters` is NULL for a build from the top. False if memory is short.
static bool divide_entries(bvh_tree *tree, const cluster *clusters) {
    const size_t n = tree->box_count;
    entry *entries = tree->entries_buffer.data;
    size_t leaves = clusters == NULL ? (n + BVH_LEAF - 1) / BVH_LEAF : 1;
    for (size_t i = n; clusters != NULL && i < 2 * n - 1; ++i) {
        leaves += clusters[i].count > BVH_LEAF;
    }
    if (!bp_bvh_tree_reserve(tree, 2 * leaves)) {
        return false;
    }
    part waiting[STACK] = {{.begin = 0, .end = n, .node = BVH_ROOT, .number = (uint32_t)(n > 1 ? 2 * n - 2 : 0)}};
    for (size_t count = 1; count > 0;) {
        const part p = waiting[--count];
        if (p.end - p.begin <= BVH_LEAF) {
            bvh_nodes(tree)[p.node].count = (uint32_t)(p.end - p.begin);
            for (size_t i = p.begin; i < p.end; ++i) {
                tree->columns.id[(size_t)p.node * BVH_LEAF + (i - p.begin)] = entries[i].id;
            }
            continue;
        }
        const uint32_t pair = bp_bvh_tree_divide(tree, p.node);
        if (pair == BVH_NOWHERE) {
            return false;
        }
        part sides[2] = {p, p};
        const size_t first = clusters != NULL
                                 ? clusters[clusters[p.number].first].count
                                 : split_entries(&tree->setup->settings, entries + p.begin, p.end - p.begin);
        for (uint32_t k = 0; k < 2; ++k) {
            sides[k].node = pair + k;
            sides[k].number = clusters == NULL ? 0 : k == 0 ? clusters[p.number].first : clusters[p.number].second;
        }
        sides[0].end = sides[1].begin = p.begin + first;
        const int smaller = sides[0].end - sides[0].begin < sides[1].end - sides[1].begin ? 0 : 1;
        assert(count + 2 <= STACK);
        waiting[count++] = sides[1 - smaller];
        waiting[count++] = sides[smaller];
    }
    bp_bvh_tree_refit(tree);
    return true;
}

bool bp_bvh_tree_build(bvh_tree *tree, const bp_box *boxes, size_t count) {
    const bp_bvh_build build = tree->setup->settings.bvh_build;
    if (!bp_bvh_tree_clear(tree, boxes, count)) {
        return false;
    }
    bool granted = true;
    if (build == BP_BVH_INSERTION) {
        for (uint32_t id = 0; id < count && granted; ++id) {
            granted = bp_bvh_tree_relocate(tree, id);
        }
        return granted && bp_bvh_tree_list_infinite(tree);
    }
    if (!bp_buffer_reserve_slack(&tree->entries_buffer, &tree->setup->runtime.allocator, 0, count, sizeof(entry))) {
        return false;
    }
    entry *entries = tree->entries_buffer.data;
    for (uint32_t id = 0; id < count; ++id) {
        if (bp_bvh_is_finite(tree, id)) {
            const bp_box box = bp_box_flatten(boxes[id], tree->setup->dimensions);
            entry *e = &entries[tree->box_count++];
            e->id = id;
            for (int axis = 0; axis < 3; ++axis) {
                e->center[axis] = 0.5f * box.min[axis] + 0.5f * box.max[axis];
            }
        }
    }
    if (tree->box_count > 0) {
        const cluster *clusters = build == BP_BVH_BOTTOM_UP ? merge_clusters(tree) : NULL;
        granted = (build == BP_BVH_TOP_DOWN || clusters != NULL) && divide_entries(tree, clusters);
    }
    return granted && bp_bvh_tree_list_infinite(tree);
}
