// Places for boxes in a tree that is kept.
//
//     region    | 448 boxes, 64 free slots | ...       the boxes below a node of level 2: a piece of the Hilbert curve
//     full      | 0 1 0 0 0 0 0 1 | ...                for each node, a bit for each child below which no slot is free; of a
//                                                      leaf, each lane
//
// A box that is new, or has gone far, goes to its region, and there down to the child that grows least: nodes above regions
// overlap so much that their bounds say little. (From the root down by growth, a tree was twice as bad after each box had been
// replaced once in ten.) Where the region is full, or there are no regions, it does go down from the root.
//
// Some regions are sorted anew in each update, as many as pay for it. So a tree stays good for as long as boxes are spread as they
// were when it was built, and no update takes much longer than others.
#include "engine/tree/tree.h"

enum { TOGETHER = 16 }; // boxes that go down at the same time, so that one waits for memory while the others compute

// ---- slots ----------------------------------------------------------------------------------------------------------

static uint8_t *full_of(const bp_tree *tree, size_t level, size_t node) {
    return (uint8_t *)tree->full.data + tree->shape.begins[level] + node;
}

static bool is_full(const bp_tree *tree, size_t level, size_t node) {
    return *full_of(tree, level, node) == UINT8_MAX;
}

// Which children of a node are full, from what is below them.
static uint8_t find_full(const bp_tree *tree, size_t level, size_t node) {
    const uint32_t *ids = tree->ids.data;
    const size_t below = level > 0 ? tree->node_count[level - 1] : tree->node_count[0] * BP_TREE_WIDTH;
    uint32_t full = 0;
    for (size_t lane = 0; lane < BP_TREE_WIDTH; ++lane) {
        const size_t child = node * BP_TREE_WIDTH + lane;
        const bool has_none =
            child >= below || (level == 0 ? ids[child] != BP_TREE_NONE : is_full(tree, level - 1, child));
        full |= (uint32_t)has_none << lane;
    }
    return (uint8_t)full;
}

static void count_full(bp_tree *tree, size_t level, size_t begin, size_t end) {
    for (size_t node = begin; node < end; ++node) {
        *full_of(tree, level, node) = find_full(tree, level, node);
    }
}

bool bp_tree_knows_room(const bp_tree *tree) {
    bool is_sound = true;
    for (size_t level = 0; tree->is_kept && level < tree->level_count; ++level) {
        for (size_t node = 0; node < tree->node_count[level]; ++node) {
            is_sound &= *full_of(tree, level, node) == find_full(tree, level, node);
        }
    }
    return is_sound;
}

bool bp_tree_find_room(bp_tree *tree) {
    const size_t nodes = tree->shape.begins[tree->level_count];
    if (!bp_buffer_reserve_slack(&tree->full, &tree->setup->runtime.allocator, 0, nodes + BP_TREE_LEVELS, 1)) {
        return false;
    }
    for (size_t level = 0; level < tree->level_count; ++level) {
        count_full(tree, level, 0, tree->node_count[level]);
    }
    return true;
}

static void fill_slot(bp_tree *tree, size_t slot, uint32_t id) {
    ((uint32_t *)tree->ids.data)[slot] = id;
    ((uint32_t *)tree->slots.data)[id] = (uint32_t)slot;
    ++tree->placed;
    for (size_t level = 0; level < tree->level_count; ++level, slot /= BP_TREE_WIDTH) {
        uint8_t *full = full_of(tree, level, slot / BP_TREE_WIDTH);
        *full = (uint8_t)(*full | 1u << slot % BP_TREE_WIDTH);
        if (*full != UINT8_MAX) {
            return;
        }
    }
}

void bp_tree_free_slot(bp_tree *tree, size_t slot) {
    uint32_t *ids = tree->ids.data;
    bp_tree_node *leaf = &tree->levels[0][slot / BP_TREE_WIDTH];
    ((uint32_t *)tree->slots.data)[ids[slot]] = BP_TREE_NONE;
    ids[slot] = BP_TREE_NONE;
    --tree->placed;
    for (int axis = 0; axis < 3; ++axis) {
        leaf->min[axis][slot % BP_TREE_WIDTH] = leaf->max[axis][slot % BP_TREE_WIDTH] = NAN;
    }
    for (size_t level = 0; level < tree->level_count; ++level, slot /= BP_TREE_WIDTH) {
        uint8_t *full = full_of(tree, level, slot / BP_TREE_WIDTH);
        const bool was_full = *full == UINT8_MAX;
        *full = (uint8_t)(*full & ~(1u << slot % BP_TREE_WIDTH));
        if (!was_full) {
            return;
        }
    }
}

// ---- places ---------------------------------------------------------------------------------------------------------

// A box on its way down: it has come to a node of a level. Its leaf is of level 0.
typedef struct descent {
    bp_box box;
    size_t level;
    uint32_t node;
} descent;

static size_t region_level(const bp_tree *tree) {
    return tree->level_count < 3 ? tree->level_count - 1 : 2;
}

static size_t region_at(const bp_tree *tree, uint32_t place) {
    const uint32_t *begins = tree->regions.data;
    size_t region = 0;
    for (size_t count = tree->region_count, half; count > 1; count -= half) {
        half = count / 2;
        region += begins[region + half] <= place ? half : 0;
    }
    return region;
}

// To the region of a place on the curve, or the next one with room; else to the root.
static void begin_descent(const bp_tree *tree, descent *d, uint32_t place) {
    const size_t level = region_level(tree), region = tree->region_count > 0 ? region_at(tree, place) : 0;
    d->level = tree->level_count - 1;
    d->node = 0;
    for (size_t i = 0; i < 3; ++i) {
        const size_t near = i == 0 ? region : i == 1 ? region + 1 : region - 1;
        if (near < tree->region_count && !is_full(tree, level, near)) {
            d->level = level;
            d->node = (uint32_t)near;
            return;
        }
    }
}

static void step_down(const bp_tree *tree, descent *d) {
    const bp_tree_node *node = &tree->levels[d->level][d->node];
    const uint32_t lane =
        tree->setup->kernels->tree_choose(node, *full_of(tree, d->level, d->node), &d->box, tree->span);
    d->node = d->node * BP_TREE_WIDTH + lane;
    --d->level;
}

static void fetch_node(const bp_tree *tree, const descent *d) {
    const bp_tree_node *node = &tree->levels[d->level][d->node];
    bp_prefetch(full_of(tree, d->level, d->node));
    bp_prefetch(&node->min[0]);
    bp_prefetch(&node->min[2]);
    bp_prefetch(&node->max[1]);
}

// Into a leaf that has room. All nodes above it grow.
static void put_into_leaf(bp_tree *tree, size_t leaf, uint32_t id, const bp_box *box) {
    const uint32_t full = *full_of(tree, 0, leaf);
    size_t place = leaf * BP_TREE_WIDTH;
    while ((full >> place % BP_TREE_WIDTH & 1) != 0) {
        ++place;
    }
    fill_slot(tree, place, id);
    for (size_t level = 0; level < tree->level_count; ++level, place /= BP_TREE_WIDTH) {
        bp_tree_node *node = &tree->levels[level][place / BP_TREE_WIDTH];
        for (int axis = 0; axis < 3; ++axis) {
            float *min = &node->min[axis][place % BP_TREE_WIDTH], *max = &node->max[axis][place % BP_TREE_WIDTH];
            *min = *min <= box->min[axis] ? *min : box->min[axis]; // in this order also if the lane was empty
            *max = *max >= box->max[axis] ? *max : box->max[axis];
        }
    }
}

// Some boxes, a level at a time.
static bool place_some(bp_tree *tree, const uint32_t *ids, size_t count) {
    descent going[TOGETHER];
    bp_box boxes[TOGETHER];
    uint64_t keys[TOGETHER] = {0};
    size_t most = 0;
    for (size_t i = 0; i < count; ++i) {
        boxes[i] = tree->boxes[ids[i]];
    }
    if (tree->region_count > 0) {
        tree->setup->kernels->tree_keys(&tree->frame, boxes, 0, count, keys);
    }
    for (size_t i = 0; i < count; ++i) {
        going[i].box = bp_box_flatten(boxes[i], tree->setup->dimensions);
        begin_descent(tree, &going[i], (uint32_t)(keys[i] >> 32));
        fetch_node(tree, &going[i]);
        most = going[i].level > most ? going[i].level : most;
    }
    for (size_t level = most; level > 0; --level) {
        for (size_t i = 0; i < count; ++i) {
            if (going[i].level == level && !is_full(tree, level, going[i].node)) {
                step_down(tree, &going[i]);
                fetch_node(tree, &going[i]);
            }
        }
    }
    for (size_t i = 0; i < count; ++i) {
        if (is_full(tree, tree->level_count - 1, 0)) {
            return false;
        }
        if (is_full(tree, going[i].level, going[i].node)) { // the others have taken the last slots
            begin_descent(tree, &going[i], (uint32_t)(keys[i] >> 32));
        }
        while (going[i].level > 0) {
            step_down(tree, &going[i]);
        }
        put_into_leaf(tree, going[i].node, ids[i], &going[i].box);
    }
    return true;
}

bool bp_tree_place(bp_tree *tree, const uint32_t *ids, size_t count) {
    for (size_t begin = 0; begin < count; begin += TOGETHER) {
        const size_t some = count - begin < TOGETHER ? count - begin : TOGETHER;
        for (size_t i = begin + some; i < count && i < begin + some + TOGETHER; ++i) {
            bp_prefetch(&tree->boxes[ids[i]]);
        }
        if (!place_some(tree, ids + begin, some)) {
            return false;
        }
    }
    return true;
}

// ---- keeping order --------------------------------------------------------------------------------------------------

// Fits the nodes of a region to its boxes, and those above it.
static void fit_region(bp_tree *tree, size_t region) {
    const bp_kernels *kernels = tree->setup->kernels;
    const size_t leaf = region * BP_TREE_REGION / BP_TREE_WIDTH, most = tree->node_count[0],
                 end = leaf + BP_TREE_REGION / BP_TREE_WIDTH;
    kernels->tree_fill(tree->boxes, tree->ids.data, leaf, end < most ? end : most, tree->setup->dimensions,
                       tree->levels[0], tree->level_count > 1 ? tree->levels[1] : NULL);
    size_t begin = leaf;
    size_t last = (end < most ? end : most) - 1;
    for (size_t level = 0; level < tree->level_count; ++level, begin /= BP_TREE_WIDTH, last /= BP_TREE_WIDTH) {
        count_full(tree, level, begin, last + 1);
        if (level > 0 && level + 1 < tree->level_count) {
            kernels->tree_lift(tree->levels[level], begin, last + 1, tree->levels[level + 1]);
        }
    }
}

bool bp_tree_tidy(bp_tree *tree, size_t region) {
    uint32_t *all = tree->ids.data, *slots = tree->slots.data;
    const size_t begin = region * BP_TREE_REGION, left = tree->node_count[0] * BP_TREE_WIDTH - begin;
    const size_t room = left < BP_TREE_REGION ? left : BP_TREE_REGION;
    uint32_t ids[BP_TREE_REGION];
    size_t count = 0;
    for (size_t slot = begin; slot < begin + room; ++slot) {
        const uint32_t id = all[slot];
        if (id != BP_TREE_NONE) {
            ids[count] = id;
            count += !bp_box_is_hole(&tree->boxes[id]);
            slots[id] = BP_TREE_NONE;
            all[slot] = BP_TREE_NONE;
            --tree->placed;
        }
    }
    const size_t inside = region < tree->region_count ? bp_tree_sort_region(tree, region, ids, count) : count;
    float least;
    if (tree->is_improved && !bp_tree_sort_by_splits(tree, ids, inside, &least)) {
        return false;
    }
    const size_t leaves = (inside + BP_TREE_WIDTH - 1) / BP_TREE_WIDTH;
    const bool has_spare = leaves + (leaves + BP_TREE_WIDTH - 2) / (BP_TREE_WIDTH - 1) <= room / BP_TREE_WIDTH;
    for (size_t i = 0; i < inside; ++i) {
        const size_t slot =
            begin + i + (has_spare ? i / (BP_TREE_REGION / BP_TREE_WIDTH - BP_TREE_WIDTH) * BP_TREE_WIDTH : 0);
        all[slot] = ids[i];
        slots[ids[i]] = (uint32_t)slot;
    }
    tree->placed += inside;
    fit_region(tree, region);
    return bp_tree_place(tree, ids + inside, count - inside);
}
