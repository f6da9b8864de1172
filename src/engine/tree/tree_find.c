// Searches of the tree, level by level, with lists of (child, node).
//
//     list       (node a, node b), ...                       which overlap
//     opened     (child of a, node b), ...                   where the child overlaps the bounds of b
//     crossed    (child of a, child of b), ...               where they overlap: the list of the level below; or pairs
//
// Some entries of a list go all the way down before the next ones, so that lists stay in the first-level cache.
#include "engine/tree/tree.h"

#include "base/radix_sort.h"

enum {
    GROUP = 64,         // entries of a list that go down together
    UNITS_FROM = 4096,  // slots from which a search is cut into units of work,
    UNITS_WANTED = 256, // units, about
    ENTRIES_PER_UNIT = 16,
    BOXES_PER_UNIT = 256
};

typedef struct level_lists {
    bp_pair opened[GROUP * BP_TREE_WIDTH + BP_TREE_PADDING];
    bp_pair crossed[GROUP * BP_TREE_WIDTH * BP_TREE_WIDTH + BP_TREE_PADDING];
} level_lists;

typedef struct tree_search {
    const bp_kernels *kernels;
    const bp_tree *a, *b;
    bool is_one;     // a is b
    bool is_ordered; // pairs of two trees are (smaller id, larger id)
    bp_tree_wanted wanted;
    size_t wanted_count;
    const uint8_t *marks; // of changed ids, whose pairs are reported once; NULL: not one tree
    const bp_pair *list;  // of all units
    size_t list_count, level;
    level_lists *lists; // a set for each block of units
} tree_search;

static bp_status run_units(tree_search *s, bp_tree *owner, bp_buffer *lists, size_t unit_count,
                           void (*unit)(const void *context, bp_range_tester *tester, size_t index), bp_sink *sink) {
    const bp_runtime *runtime = &owner->setup->runtime;
    const size_t sets = bp_range_search_blocks(runtime, unit_count) * owner->level_count;
    if (!bp_buffer_reserve_slack(lists, &runtime->allocator, 0, sets, sizeof(level_lists))) {
        return BP_ERROR_MEMORY;
    }
    s->lists = lists->data;
    const bp_range_search search = {
        .runtime = runtime, .kernels = s->kernels, .unit_count = unit_count, .unit = unit, .context = s};
    const uint64_t before = sink->tests;
    const bp_status status = bp_range_search_run(&search, &owner->sinks, sink);
    owner->tests += (double)(sink->tests - before);
    return status;
}

// ---- two trees, or one with itself ----------------------------------------------------------------------------------

static void order_pairs(const tree_search *s, bp_pair *pairs, size_t count) {
    for (size_t i = 0; s->is_ordered && i < count; ++i) {
        pairs[i] = pairs[i].a < pairs[i].b ? pairs[i] : (bp_pair){.a = pairs[i].b, .b = pairs[i].a};
    }
}

// The pairs of opened leaves.
static void join_leaves(const tree_search *s, const bp_pair *opened, size_t count, bp_range_tester *t) {
    size_t room = 0;
    bp_pair *out = bp_sink_room(t->sink, count * BP_TREE_WIDTH + BP_TREE_PADDING, &room);
    if (out == NULL) {
        t->failed = true;
        return;
    }
    const size_t found = s->kernels->tree_join(s->a->levels[0], s->b->levels[0], s->a->ids.data, s->b->ids.data, opened,
                                               count, s->is_one, out);
    order_pairs(s, out, found);
    bp_range_tester_take(t, out, found, (uint64_t)count * BP_TREE_WIDTH);
}

static void go_down(const tree_search *s, size_t level, const bp_pair *list, size_t count, bp_range_tester *t);

// NOLINTNEXTLINE(misc-no-recursion): as deep as the tree has levels
static void go_across(const tree_search *s, size_t level, const bp_pair *opened, size_t count, bp_range_tester *t) {
    if (level == 0) {
        join_leaves(s, opened, count, t);
        return;
    }
    bp_pair *crossed = s->lists[t->block * s->a->level_count + level].crossed;
    const size_t found =
        s->kernels->tree_cross(s->a->levels[level], s->b->levels[level], opened, count, s->is_one, crossed);
    go_down(s, level - 1, crossed, found, t);
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the tree has levels
static void go_down(const tree_search *s, size_t level, const bp_pair *list, size_t count, bp_range_tester *t) {
    bp_pair *opened = s->lists[t->block * s->a->level_count + level].opened;
    for (size_t begin = 0; begin < count && !t->failed; begin += GROUP) {
        const size_t some = count - begin < GROUP ? count - begin : GROUP;
        const size_t found =
            s->kernels->tree_open(s->a->levels[level], s->b->levels[level + 1], list + begin, some, opened);
        go_across(s, level, opened, found, t);
    }
}

// All children of the root, which has no bounds above it.
static size_t open_root(bp_pair *opened) {
    for (uint32_t lane = 0; lane < BP_TREE_WIDTH; ++lane) {
        opened[lane] = (bp_pair){.a = lane, .b = 0};
    }
    return BP_TREE_WIDTH;
}

static void unit_of_trees(const void *context, bp_range_tester *t, size_t index) {
    const tree_search *s = context;
    if (s->list == NULL) { // one unit
        bp_pair opened[BP_TREE_WIDTH];
        go_across(s, s->a->level_count - 1, opened, open_root(opened), t);
        return;
    }
    const size_t begin = index * ENTRIES_PER_UNIT, left = s->list_count - begin;
    go_down(s, s->level, s->list + begin, left < ENTRIES_PER_UNIT ? left : ENTRIES_PER_UNIT, t);
}

// Goes down with all entries until there are enough for units of work.
static bool list_units(tree_search *s, bp_tree *owner) {
    const bp_allocator *allocator = &owner->setup->runtime.allocator;
    size_t level = s->a->level_count - 1, room = UNITS_WANTED * BP_TREE_WIDTH + BP_TREE_PADDING;
    if (!bp_buffer_reserve(&owner->keys, allocator, 0, room * (BP_TREE_WIDTH + 1), sizeof(bp_pair))) {
        return false;
    }
    bp_pair *opened = owner->keys.data, *list = opened + room;
    size_t count = open_root(opened);
    for (;;) {
        count = s->kernels->tree_cross(s->a->levels[level], s->b->levels[level], opened, count, s->is_one, list);
        --level;
        if (count >= UNITS_WANTED || level == 0) {
            break;
        }
        count = s->kernels->tree_open(s->a->levels[level], s->b->levels[level + 1], list, count, opened);
    }
    s->list = list;
    s->list_count = count;
    s->level = level;
    return true;
}

static bp_status find_in_trees(tree_search *s, bp_tree *owner, bp_sink *sink) {
    size_t units = 1;
    if (s->a->placed + s->b->placed >= 2 * (size_t)UNITS_FROM && s->a->level_count > 1) {
        if (!list_units(s, owner)) {
            return BP_ERROR_MEMORY;
        }
        units = (s->list_count + ENTRIES_PER_UNIT - 1) / ENTRIES_PER_UNIT;
    }
    return run_units(s, owner, &owner->lists, units, unit_of_trees, sink);
}

bp_status bp_tree_find(bp_tree *tree, bp_sink *sink) {
    tree_search s = {.kernels = tree->setup->kernels, .a = tree, .b = tree, .is_one = true};
    return find_in_trees(&s, tree, sink);
}

bp_status bp_tree_find_across(bp_tree *a, bp_tree *b, bool is_ordered, bp_sink *sink) {
    tree_search s = {.kernels = a->setup->kernels, .a = a, .b = b, .is_ordered = is_ordered};
    if (a->placed == 0 || b->placed == 0) {
        return BP_OK;
    }
    bp_tree_raise(a, b->level_count);
    bp_tree_raise(b, a->level_count);
    return find_in_trees(&s, b, sink);
}

// ---- boxes in a tree ------------------------------------------------------------------------------------------------

// Moves the pairs to keep to the front: a changed box is not its own partner, and of two changed boxes the one with the smaller
// id reports their pair.
static size_t keep_changed(const uint8_t *marks, bp_pair *pairs, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t own = pairs[i].a, other = pairs[i].b;
        pairs[kept] = own < other ? pairs[i] : (bp_pair){.a = other, .b = own};
        kept += (own < other) | ((own != other) & (marks[other] == 0));
    }
    return kept;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the tree has levels
static void descend(const tree_search *s, size_t level, const bp_pair *list, size_t count, bp_range_tester *t) {
    const bp_tree *tree = s->b;
    bp_pair *next = s->lists[t->block * tree->level_count + level].crossed;
    for (size_t begin = 0; begin < count && !t->failed; begin += GROUP) {
        const size_t some = count - begin < GROUP ? count - begin : GROUP;
        if (level > 0) {
            // cppcheck-suppress arrayIndexOutOfBoundsCond; levels are fewer than BP_TREE_LEVELS
            const size_t found = s->kernels->tree_descend(tree->levels[level], &s->wanted, list + begin, some, next);
            descend(s, level - 1, next, found, t);
            continue;
        }
        size_t room = 0;
        bp_pair *out = bp_sink_room(t->sink, some * BP_TREE_WIDTH + BP_TREE_PADDING, &room);
        if (out == NULL) {
            t->failed = true;
            return;
        }
        size_t found = s->kernels->tree_meet(tree->levels[0], tree->ids.data, &s->wanted, list + begin, some, out);
        found = s->marks != NULL ? keep_changed(s->marks, out, found) : found;
        order_pairs(s, out, found);
        bp_range_tester_take(t, out, found, (uint64_t)some * BP_TREE_WIDTH);
    }
}

static void unit_of_boxes(const void *context, bp_range_tester *t, size_t index) {
    const tree_search *s = context;
    const size_t end = (index + 1) * BOXES_PER_UNIT < s->wanted_count ? (index + 1) * BOXES_PER_UNIT : s->wanted_count;
    for (size_t i = index * BOXES_PER_UNIT; i < end && !t->failed;) {
        bp_pair list[GROUP];
        size_t count = 0;
        for (; i < end && count < GROUP; ++i) {
            list[count++] = (bp_pair){.a = (uint32_t)i, .b = 0};
        }
        descend(s, s->b->level_count - 1, list, count, t);
    }
}

static bp_status find_boxes(bp_tree *tree, bp_tree_wanted wanted, size_t count, const uint8_t *marks, bool is_ordered,
                            bp_sink *sink) {
    tree_search s = {.kernels = tree->setup->kernels,
                     .b = tree,
                     .is_ordered = is_ordered,
                     .wanted = wanted,
                     .wanted_count = count,
                     .marks = marks};
    return run_units(&s, tree, &tree->lists, (count + BOXES_PER_UNIT - 1) / BOXES_PER_UNIT, unit_of_boxes, sink);
}

bp_status bp_tree_find_boxes(bp_tree *tree, const bp_box *boxes, const uint32_t *ids, size_t count, bool is_ordered,
                             bp_sink *sink) {
    return find_boxes(tree, (bp_tree_wanted){boxes, ids, tree->setup->dimensions}, count, NULL, is_ordered, sink);
}

// In the order of their slots, so that boxes that are near each other go down together.
bp_status bp_tree_find_changed(bp_tree *tree, const uint32_t *ids, size_t count, const uint8_t *marks, bp_sink *sink) {
    const bp_allocator *allocator = &tree->setup->runtime.allocator;
    if (!bp_buffer_reserve_slack(&tree->keys, allocator, 0, bp_size_multiply(count, 2), sizeof(uint64_t)) ||
        !bp_buffer_reserve_slack(&tree->records, allocator, 0, count, sizeof(uint32_t))) {
        return BP_ERROR_MEMORY;
    }
    uint64_t *keys = tree->keys.data;
    uint32_t *sorted = tree->records.data;
    for (size_t i = 0; i < count; ++i) {
        keys[i] = (uint64_t)((const uint32_t *)tree->slots.data)[ids[i]] << 32 | ids[i];
    }
    uint32_t bits = 1;
    for (; tree->node_count[0] * BP_TREE_WIDTH >> bits != 0; ++bits) {
    }
    keys = bp_sort_keys(keys, keys + count, count, 32, 32 + bits);
    for (size_t i = 0; i < count; ++i) {
        sorted[i] = (uint32_t)keys[i];
    }
    return find_boxes(tree, (bp_tree_wanted){tree->boxes, sorted, tree->setup->dimensions}, count, marks, false, sink);
}
