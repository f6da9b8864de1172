// tree: one kept tree, refitted while boxes move. The idea, drawing and costs are in tree.h.
#include "engine/tree/tree.h"

#include "base/boxes.h"
#include "base/log.h"
#include "base/parallel.h"
#include "engine/method.h"

#include <string.h>

enum {
    LEAVES_PER_TASK = 1024,
    PARTIAL_FIT_SHARE = 8, // with one changed box in 8 or more, the whole tree is fitted; with fewer, their paths
    SPLIT_AT_ONCE = 16384, // boxes: a larger tree gets its better order region by region,
    TIDY_SHARE = 32,       // of which no more than one in so many, and one, is sorted in an update
    END_SHARE = 64,        // leaves of a kept tree for which one more is left empty at its end
    GROWTH_SHARE = 8,      // with one new box for 8 others or more, it is built anew
    AHEAD = 16             // changes whose memory is fetched before it is needed
};

// Searches lose time when leaves are larger than they were when the tree was built. Where few boxes move, as many regions are sorted
// anew as take that time; where all do, the tree is built anew when so much is lost, which takes half as long.
static const double TIDY_COST = 1.0;     // sorting all regions, in searches,
static const double IMPROVE_COST = 3.0;  // and by splits
static const double BUILD_COST = 0.7;    // building it
static const double JUDGED_FROM = 0.1;   // searches: looking at all leaves takes longer than fitting a few
static const double MUCH_WORSE = 3.0;    // leaves are so much larger
static const double SPLITS_FROM = 600.0; // tests a box after which a better order pays, by splits,
static const double CALM = 0.05;         // unless so much is lost since then, in searches

void bp_tree_init(bp_tree *tree, const bp_method_setup *setup) {
    *tree = (bp_tree){.setup = setup, .is_kept = setup->is_kept};
}

void bp_tree_free(bp_tree *tree) {
    const bp_allocator *allocator = &tree->setup->runtime.allocator;
    bp_buffer *const buffers[] = {&tree->nodes, &tree->ids,     &tree->slots, &tree->full, &tree->regions,
                                  &tree->keys,  &tree->records, &tree->marks, &tree->lists};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i) {
        bp_buffer_free(buffers[i], allocator);
    }
    bp_block_sinks_free(&tree->sinks, allocator);
}

size_t bp_tree_bytes(const bp_tree *tree) {
    return tree->nodes.bytes + tree->ids.bytes + tree->slots.bytes + tree->full.bytes + tree->regions.bytes +
           tree->keys.bytes + tree->records.bytes + tree->marks.bytes + tree->lists.bytes +
           bp_block_sinks_bytes(&tree->sinks);
}

// ---- fitting nodes to boxes -----------------------------------------------------------------------------------------

static void lift_levels(bp_tree *tree) {
    for (size_t k = 1; k + 1 < tree->level_count; ++k) {
        tree->setup->kernels->tree_lift(tree->levels[k], 0, tree->node_count[k], tree->levels[k + 1]);
    }
}

static void fill_leaves(bp_tree *tree, size_t begin, size_t end) {
    tree->setup->kernels->tree_fill(tree->boxes, tree->ids.data, begin, end, tree->setup->dimensions, tree->levels[0],
                                    tree->level_count > 1 ? tree->levels[1] : NULL);
}

static void task_fill_leaves(void *context, size_t index) {
    bp_tree *tree = context;
    const size_t begin = index * LEAVES_PER_TASK, left = tree->node_count[0] - begin;
    fill_leaves(tree, begin, begin + (left < LEAVES_PER_TASK ? left : LEAVES_PER_TASK));
}

static void refit_all(bp_tree *tree) {
    bp_parallel_for(&tree->setup->runtime.executor, (tree->node_count[0] + LEAVES_PER_TASK - 1) / LEAVES_PER_TASK,
                    task_fill_leaves, tree);
    lift_levels(tree);
}

static void put_box(bp_tree *tree, uint32_t id, uint32_t slot) {
    const bp_box box = bp_box_flatten(tree->boxes[id], tree->setup->dimensions);
    bp_tree_node *leaf = &tree->levels[0][slot / BP_TREE_WIDTH];
    for (int axis = 0; axis < 3; ++axis) {
        leaf->min[axis][slot % BP_TREE_WIDTH] = box.min[axis];
        leaf->max[axis][slot % BP_TREE_WIDTH] = box.max[axis];
    }
}

// Nodes of level 0, perhaps some of them twice, and those above them. `nodes` is overwritten.
static bool lift_some(bp_tree *tree, uint32_t *nodes, size_t count) {
    if (!bp_buffer_reserve(&tree->marks, &tree->setup->runtime.allocator, 0, tree->node_count[0], 1)) {
        return false;
    }
    uint8_t *marks = tree->marks.data;
    memset(marks, 0, tree->node_count[0]);
    for (size_t k = 0; k + 1 < tree->level_count; ++k) {
        size_t above = 0;
        for (size_t i = 0; i < count; ++i) {
            bp_prefetch(&tree->levels[k][nodes[i + AHEAD < count ? i + AHEAD : i]]);
            tree->setup->kernels->tree_lift(tree->levels[k], nodes[i], nodes[i] + 1, tree->levels[k + 1]);
            marks[nodes[i]] = 0;
        }
        for (size_t i = 0; i < count; ++i) {
            const uint32_t node = nodes[i] / BP_TREE_WIDTH;
            nodes[above] = node;
            above += marks[node] == 0;
            marks[node] = 1;
        }
        count = above;
    }
    return true;
}

// ---- quality --------------------------------------------------------------------------------------------------------

// Half the surface of all leaves: how many boxes meet them, about.
static double leaf_surface(const bp_tree *tree) {
    double sum = 0.0;
    if (tree->level_count < 2) {
        return sum;
    }
    for (size_t i = 0; i < tree->node_count[1]; ++i) {
        const bp_tree_node *node = &tree->levels[1][i];
        float edges[3][BP_TREE_WIDTH], surfaces[BP_TREE_WIDTH];
        for (int axis = 0; axis < 3; ++axis) {
            for (int lane = 0; lane < BP_TREE_WIDTH; ++lane) {
                edges[axis][lane] = node->max[axis][lane] - node->min[axis][lane];
            }
        }
        bp_tree_surfaces(edges, tree->span, surfaces);
        float all = 0.0f;
        for (int lane = 0; lane < BP_TREE_WIDTH; ++lane) {
            all += surfaces[lane];
        }
        sum += (double)all;
    }
    return sum;
}

// ---- building -------------------------------------------------------------------------------------------------------

// Leaves for so many boxes; of a kept tree, one in eight is empty, and some at the end.
static size_t leaves_for(const bp_tree *tree, size_t count) {
    const size_t full = count > 0 ? (count + BP_TREE_WIDTH - 1) / BP_TREE_WIDTH : 1;
    return tree->is_kept ? full + (full + BP_TREE_WIDTH - 2) / (BP_TREE_WIDTH - 1) + full / END_SHARE : full;
}

// Makes room for so many leaves, and for one more node on each level that bp_tree_raise may add. Lanes without a child are NaNs.
static bool make_shape(bp_tree *tree, size_t leaves) {
    const bp_allocator *allocator = &tree->setup->runtime.allocator;
    size_t count = leaves, all = 0;
    tree->level_count = 0;
    for (;;) {
        tree->node_count[tree->level_count++] = count;
        all += count;
        if (count == 1) {
            break;
        }
        count = (count + BP_TREE_WIDTH - 1) / BP_TREE_WIDTH;
    }
    if (!bp_buffer_reserve_slack(&tree->nodes, allocator, 0, all + BP_TREE_LEVELS, sizeof(bp_tree_node))) {
        return false;
    }
    bp_tree_node *nodes = tree->nodes.data;
    for (size_t k = 0; k < tree->level_count; ++k) {
        tree->levels[k] = nodes;
        nodes += tree->node_count[k];
        memset(&tree->levels[k][tree->node_count[k] - 1], 0xff, sizeof(bp_tree_node)); // NaNs
        tree->shape.begins[k + 1] = (uint32_t)(nodes - tree->levels[0]);
    }
    tree->shape.nodes = tree->levels[0];
    tree->shape.count = tree->level_count;
    return true;
}

void bp_tree_raise(bp_tree *tree, size_t levels) {
    while (tree->level_count < levels) {
        const size_t top = tree->level_count++;
        tree->node_count[top] = 1;
        tree->levels[top] = tree->levels[top - 1] + 1;
        memset(tree->levels[top], 0xff, sizeof(bp_tree_node));
        tree->setup->kernels->tree_lift(tree->levels[top - 1], 0, 1, tree->levels[top]);
        tree->shape.begins[top + 1] = tree->shape.begins[top] + 1;
        tree->shape.count = tree->level_count;
        if (tree->is_kept) {
            uint8_t *full = (uint8_t *)tree->full.data + tree->shape.begins[top];
            *full = full[-1] == UINT8_MAX ? UINT8_MAX : UINT8_MAX - 1; // there is one child
        }
    }
}

// From the order of the boxes to their slots: in a kept tree each eighth leaf stays empty.
static void spread_leaves(bp_tree *tree) {
    uint32_t *ids = tree->ids.data;
    const size_t full = (tree->placed + BP_TREE_WIDTH - 1) / BP_TREE_WIDTH;
    for (size_t i = tree->placed; i < full * BP_TREE_WIDTH; ++i) {
        ids[i] = BP_TREE_NONE;
    }
    for (size_t leaf = tree->node_count[0]; leaf-- > 0;) {
        const size_t from = tree->is_kept ? leaf - leaf / BP_TREE_WIDTH : leaf;
        const bool is_empty = from >= full || (tree->is_kept && leaf % BP_TREE_WIDTH == BP_TREE_WIDTH - 1);
        for (size_t lane = BP_TREE_WIDTH; lane-- > 0;) {
            ids[leaf * BP_TREE_WIDTH + lane] = is_empty ? BP_TREE_NONE : ids[from * BP_TREE_WIDTH + lane];
        }
    }
}

// Where each id is: first nowhere. `was_kept`: those that had a slot are in the tree's ids.
static bool forget_slots(bp_tree *tree, size_t count, bool was_kept) {
    const size_t known = was_kept ? tree->slot_count : 0, slots = was_kept ? tree->node_count[0] * BP_TREE_WIDTH : 0;
    if (!bp_buffer_reserve_slack(&tree->slots, &tree->setup->runtime.allocator, known * sizeof(uint32_t), count,
                                 sizeof(uint32_t))) {
        return false;
    }
    for (size_t i = 0; i < slots; ++i) {
        const uint32_t id = ((const uint32_t *)tree->ids.data)[i];
        if (id != BP_TREE_NONE) {
            ((uint32_t *)tree->slots.data)[id] = BP_TREE_NONE;
        }
    }
    for (size_t id = known; id < count; ++id) {
        ((uint32_t *)tree->slots.data)[id] = BP_TREE_NONE;
    }
    tree->slot_count = known > count ? known : count;
    return true;
}

static void list_slots(bp_tree *tree) {
    const uint32_t *ids = tree->ids.data;
    for (size_t i = 0; i < tree->node_count[0] * BP_TREE_WIDTH; ++i) {
        if (ids[i] != BP_TREE_NONE) {
            ((uint32_t *)tree->slots.data)[ids[i]] = (uint32_t)i;
        }
    }
}

// How many ids are of each part. If there are no parts: all of one.
static void count_parts(const bp_tree *tree, size_t begin, size_t end, size_t counts[2]) {
    counts[0] = counts[1] = 0;
    if (tree->parts == NULL) {
        counts[tree->part] = end - begin;
        return;
    }
    for (size_t i = begin; i < end; i += 8) {
        const uint8_t part = bp_parts_of_eight(tree->parts, i, end);
        if (part < BP_PART_NEITHER) {
            counts[part] += end - i < 8 ? end - i : 8;
            continue;
        }
        for (size_t id = i; id < i + 8 && id < end; ++id) {
            counts[0] += tree->parts[id] == 0;
            counts[1] += tree->parts[id] == 1;
        }
    }
}

bp_status bp_tree_build(bp_tree *tree, const bp_box *boxes, size_t count, bp_tree_order order) {
    const bool was_kept = tree->is_kept && tree->level_count > 0;
    size_t counts[2];
    count_parts(tree, 0, count, counts);
    const size_t own = counts[tree->part];
    tree->boxes = boxes;
    tree->box_count = count;
    if ((tree->is_kept && !forget_slots(tree, count, was_kept)) ||
        !bp_buffer_reserve_slack(&tree->ids, &tree->setup->runtime.allocator, 0,
                                 (leaves_for(tree, own) + 1) * BP_TREE_WIDTH, sizeof(uint32_t)) ||
        !bp_tree_sort(tree, boxes, count, own, order) || !make_shape(tree, leaves_for(tree, tree->placed))) {
        tree->level_count = 0;
        return BP_ERROR_MEMORY;
    }
    spread_leaves(tree);
    if (tree->is_kept) {
        list_slots(tree);
        if (!bp_tree_find_room(tree)) {
            tree->level_count = 0;
            return BP_ERROR_MEMORY;
        }
    }
    refit_all(tree);
    tree->others = counts[1 - tree->part];
    tree->order = order;
    tree->quality = leaf_surface(tree);
    tree->unjudged = tree->lost = tree->due = tree->tests = 0.0;
    tree->is_improved = order == BP_TREE_SPLITS;
    tree->next = 0;
    return BP_OK;
}

// ---- updating -------------------------------------------------------------------------------------------------------

// Whether a box has left its leaf: its centre is farther away than the leaf is long.
static bool has_strayed(const bp_tree *tree, uint32_t slot, const bp_box *box) {
    const uint32_t leaf = slot / BP_TREE_WIDTH;
    if (tree->level_count < 2) {
        return false;
    }
    const bp_tree_node *above = &tree->levels[1][leaf / BP_TREE_WIDTH];
    bool is_far = false;
    for (uint32_t axis = 0; axis < tree->setup->dimensions; ++axis) {
        const float low = above->min[axis][leaf % BP_TREE_WIDTH], high = above->max[axis][leaf % BP_TREE_WIDTH];
        const float edge = high - low, centre = 0.5f * box->min[axis] + 0.5f * box->max[axis];
        is_far |= (centre < low - edge) | (centre > high + edge); // not if something is infinite
    }
    return is_far;
}

// Fits the tree to a few changes. False if it has to be built anew.
static bool update_few(bp_tree *tree, const bp_changes *changes) {
    const bp_allocator *allocator = &tree->setup->runtime.allocator;
    const uint32_t *slots = tree->slots.data, *ids = changes->ids;
    const size_t last = changes->count - 1;
    const size_t most = changes->count + tree->placed / PARTIAL_FIT_SHARE; // so many may change later
    if (!bp_buffer_reserve(&tree->lists, allocator, 0, bp_size_multiply(most, 3), sizeof(uint32_t))) {
        return false;
    }
    uint32_t *placed = tree->lists.data, *leaves = placed + changes->count;
    size_t placed_count = 0, leaf_count = 0;
    for (size_t i = 0; i <= last; ++i) {
        const uint32_t next = slots[ids[i + AHEAD < last ? i + AHEAD : last]];
        bp_prefetch(&slots[ids[i + (size_t)2 * AHEAD < last ? i + (size_t)2 * AHEAD : last]]);
        bp_prefetch(&tree->boxes[ids[i + AHEAD < last ? i + AHEAD : last]]);
        if (next != BP_TREE_NONE) {
            const bp_tree_node *leaf = &tree->levels[0][next / BP_TREE_WIDTH];
            bp_prefetch_write(&leaf->min[0]);
            bp_prefetch_write(&leaf->min[2]);
            bp_prefetch_write(&leaf->max[1]);
        }
        const uint32_t id = ids[i], slot = slots[id];
        const bool is_in = !bp_tree_lacks(tree, tree->boxes, id);
        leaves[leaf_count] = slot / BP_TREE_WIDTH;
        leaf_count += slot != BP_TREE_NONE;
        placed[placed_count] = id;
        if (is_in && slot != BP_TREE_NONE && !has_strayed(tree, slot, &tree->boxes[id])) {
            put_box(tree, id, slot);
            continue;
        }
        placed_count += is_in;
        if (slot != BP_TREE_NONE) {
            bp_tree_free_slot(tree, slot);
        }
    }
    if (placed_count > 0 && !bp_tree_place(tree, placed, placed_count)) {
        return false;
    }
    for (size_t i = 0; i < placed_count; ++i) {
        leaves[leaf_count++] = slots[placed[i]] / BP_TREE_WIDTH;
    }
    return lift_some(tree, leaves, leaf_count);
}

// Any box may have changed, appeared or become a hole. False if the tree has to be built anew.
static bool update_all(bp_tree *tree, size_t count) {
    if (count > tree->placed + tree->others) { // holes, or boxes that are new
        if (!bp_buffer_reserve_slack(&tree->lists, &tree->setup->runtime.allocator, 0, count, sizeof(uint32_t))) {
            return false;
        }
        uint32_t *placed = tree->lists.data;
        size_t placed_count = 0;
        for (uint32_t id = 0; id < count; ++id) {
            placed[placed_count] = id;
            placed_count +=
                ((const uint32_t *)tree->slots.data)[id] == BP_TREE_NONE && !bp_tree_lacks(tree, tree->boxes, id);
        }
        if (placed_count > tree->placed / GROWTH_SHARE ||
            (placed_count > 0 && !bp_tree_place(tree, placed, placed_count))) {
            return false;
        }
    }
    refit_all(tree);
    return true;
}

// Of the changes, those of boxes that are or were in this tree.
static size_t count_own(const bp_tree *tree, const bp_changes *changes) {
    size_t count = 0;
    for (size_t i = 0; tree->parts != NULL && i < changes->count; ++i) {
        count += tree->parts[changes->ids[i]] == tree->part;
    }
    return tree->parts != NULL ? count : changes->count;
}

// Looks at what searches lose. False if the tree has to be built anew.
static bool judge(bp_tree *tree, bool are_few, double regions) {
    const double worse = tree->quality > 0.0 ? leaf_surface(tree) / tree->quality - 1.0 : 0.0; // one leaf has none
    const double lost = worse > 0.0 ? worse * tree->unjudged : 0.0;
    tree->due += are_few ? regions * lost / (tree->is_improved ? IMPROVE_COST : TIDY_COST) : 0.0;
    tree->lost += lost;
    tree->unjudged = 0.0;
    return worse <= MUCH_WORSE && (are_few || tree->lost <= BUILD_COST);
}

// Keeps the tree good. False if it has to be built anew, perhaps in a better order than was wanted.
static bool keep_order(bp_tree *tree, bool are_few, bp_tree_order *order) {
    const size_t slots = tree->node_count[0] * BP_TREE_WIDTH, regions = (slots + BP_TREE_REGION - 1) / BP_TREE_REGION;
    if (tree->unjudged > JUDGED_FROM && !judge(tree, are_few, (double)regions)) {
        return false;
    }
    const bool pays = tree->tests > SPLITS_FROM * (double)tree->placed && tree->lost < CALM;
    if (are_few && !tree->is_improved && (pays || tree->is_coarse)) {
        tree->is_improved = true;
        if (tree->placed < SPLIT_AT_ONCE || tree->is_coarse) {
            *order = BP_TREE_SPLITS;
            return false;
        }
        tree->due = (double)regions;
    }
    for (size_t most = regions / TIDY_SHARE + 1; tree->due >= 1.0 && most > 0; --most) {
        tree->due -= 1.0;
        tree->next = tree->next + 1 < regions ? tree->next + 1 : 0;
        if (!bp_tree_tidy(tree, tree->next)) {
            return false;
        }
    }
    return true;
}

bp_status bp_tree_update(bp_tree *tree, const bp_box *boxes, size_t count, const bp_changes *changes) {
    const size_t before = tree->box_count, own = changes != NULL ? count_own(tree, changes) : count;
    const bool are_few = own < tree->placed / PARTIAL_FIT_SHARE;
    if (tree->level_count == 0 || !tree->is_kept || count < before) {
        tree->is_kept = true;
        return bp_tree_build(tree, boxes, count, tree->wanted);
    }
    if (count > before) {
        if (!bp_buffer_reserve_slack(&tree->slots, &tree->setup->runtime.allocator, before * sizeof(uint32_t), count,
                                     sizeof(uint32_t))) {
            tree->level_count = 0;
            return BP_ERROR_MEMORY;
        }
        memset((uint32_t *)tree->slots.data + before, 0xff, (count - before) * sizeof(uint32_t)); // BP_TREE_NONE
        tree->slot_count = count;
        size_t counts[2];
        count_parts(tree, before, count, counts);
        tree->others += counts[1 - tree->part];
    }
    tree->boxes = boxes;
    tree->box_count = count;
    tree->unjudged += are_few ? (double)own / (double)(tree->placed + 1) : 1.0;
    const bool is_fitted = own == 0 || (are_few ? update_few(tree, changes) : update_all(tree, count));
    bp_tree_order order = tree->wanted;
    return is_fitted && keep_order(tree, are_few, &order) ? BP_OK : bp_tree_build(tree, boxes, count, order);
}

// ---- checking -------------------------------------------------------------------------------------------------------

static bool has_bounds(const bp_tree *tree, size_t level, size_t node) {
    for (size_t lane = 0; lane < BP_TREE_WIDTH && level + 1 < tree->level_count; ++lane) {
        const bp_tree_node *inner = &tree->levels[level][node];
        const bp_tree_node *outer = &tree->levels[level + 1][node / BP_TREE_WIDTH];
        for (int axis = 0; axis < 3; ++axis) {
            const bool is_empty = isnan(inner->min[0][lane]);
            if (!is_empty && !(outer->min[axis][node % BP_TREE_WIDTH] <= inner->min[axis][lane] &&
                               inner->max[axis][lane] <= outer->max[axis][node % BP_TREE_WIDTH])) {
                return false;
            }
        }
    }
    return true;
}

static bool has_box(const bp_tree *tree, size_t slot) {
    const uint32_t id = ((const uint32_t *)tree->ids.data)[slot];
    const bp_tree_node *leaf = &tree->levels[0][slot / BP_TREE_WIDTH];
    const bp_box box = id != BP_TREE_NONE ? bp_box_flatten(tree->boxes[id], tree->setup->dimensions) : bp_box_hole();
    if (bp_box_is_hole(&box)) {
        return isnan(leaf->min[0][slot % BP_TREE_WIDTH]);
    }
    bool is_same = true;
    for (int axis = 0; axis < 3; ++axis) {
        is_same &= leaf->min[axis][slot % BP_TREE_WIDTH] == box.min[axis];
        is_same &= leaf->max[axis][slot % BP_TREE_WIDTH] == box.max[axis];
    }
    return is_same;
}

bool bp_tree_is_sound(const bp_tree *tree) {
    const uint32_t *ids = tree->ids.data;
    size_t alive = 0, listed = 0;
    for (size_t id = 0; id < tree->box_count; ++id) {
        alive += !bp_tree_lacks(tree, tree->boxes, id);
    }
    for (size_t slot = 0; slot < tree->node_count[0] * BP_TREE_WIDTH; ++slot) {
        const bool is_free = ids[slot] == BP_TREE_NONE;
        if ((!is_free && ids[slot] >= tree->box_count) || !has_box(tree, slot) ||
            (!is_free && tree->is_kept && ((const uint32_t *)tree->slots.data)[ids[slot]] != slot)) {
            return false;
        }
        listed += !is_free && !bp_box_is_hole(&tree->boxes[ids[slot]]);
    }
    for (size_t level = 0; level + 1 < tree->level_count; ++level) {
        for (size_t node = 0; node < tree->node_count[level]; ++node) {
            if (!has_bounds(tree, level, node)) {
                return false;
            }
        }
    }
    return listed == alive && bp_tree_knows_room(tree);
}
