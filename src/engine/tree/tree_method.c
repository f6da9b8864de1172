// tree: one kept tree, refitted while boxes move (tree.h); of two parts that never meet within themselves (engine/parts.h), two.
#include "base/log.h"
#include "engine/method.h"
#include "engine/tree/tree.h"

enum {
    SINGLY_SHARE = 16, // boxes of the tree per box that is searched for: from here on, one by one;
    SINGLY_MAX = 64,   // boxes that are searched for: fewer never get a tree of their own,
    SINGLY_RATIO = 64  // nor does a set with this many times the boxes of the tree
};

typedef struct tree_method {
    bp_tree trees[2]; // of the two parts; the second is of the other set, in a search between two
    bp_parts parts;
    bp_buffer ids; // of changed objects, by part
} tree_method;

static void tree_init(void *state, const bp_method_setup *setup) {
    tree_method *m = state;
    *m = (tree_method){.parts = BP_PARTS_NONE};
    bp_tree_init(&m->trees[0], setup);
    bp_tree_init(&m->trees[1], setup);
}

static void tree_free(void *state) {
    tree_method *m = state;
    bp_buffer_free(&m->ids, &m->trees[0].setup->runtime.allocator);
    bp_tree_free(&m->trees[0]);
    bp_tree_free(&m->trees[1]);
}

static size_t tree_count(const tree_method *m) {
    return m->parts.of != NULL ? 2 : 1;
}

static void tree_set_parts(void *state, const bp_parts *parts) {
    tree_method *m = state;
    if (parts->version != m->parts.version) {
        m->trees[0].level_count = m->trees[1].level_count = 0;
    }
    m->parts = *parts;
    for (uint8_t part = 0; part < 2; ++part) {
        m->trees[part].parts = parts->of;
        m->trees[part].part = part;
    }
}

void bp_tree_method_want(void *state, bp_tree_order order) {
    tree_method *m = state;
    m->trees[0].wanted = m->trees[1].wanted = order;
}

bp_status bp_tree_method_build(void *state, const bp_box *boxes, size_t count, bp_tree_order order) {
    tree_method *m = state;
    bp_status status = BP_OK;
    m->trees[1].level_count = 0;
    for (size_t i = 0; i < tree_count(m) && status == BP_OK; ++i) {
        status = bp_tree_build(&m->trees[i], boxes, count, order);
    }
    return status;
}

static bp_status tree_build(void *state, const bp_box *boxes, size_t count) {
    return bp_tree_method_build(state, boxes, count, BP_TREE_HILBERT);
}

static size_t tree_trees(const void *state, const bp_tree *trees[2]) {
    const tree_method *m = state;
    const size_t count = m->parts.are_all ? tree_count(m) : 0;
    for (size_t i = 0; i < count; ++i) {
        trees[i] = &m->trees[i];
        if (trees[i]->level_count == 0) {
            return 0;
        }
    }
    return count;
}

static bp_status tree_update(void *state, const bp_box *boxes, size_t count, const bp_changes *changes,
                             bp_search_kind *kind) {
    tree_method *m = state;
    bp_status status = BP_OK;
    *kind = BP_SEARCH_ALL;
    if (m->trees[0].setup->update == BP_UPDATE_REBUILD) {
        return tree_build(m, boxes, count);
    }
    for (size_t i = 0; i < tree_count(m) && status == BP_OK; ++i) {
        const bool is_listed = changes == NULL && i == 1 && m->parts.is_part_1_listed;
        status = bp_tree_update(&m->trees[i], boxes, count, is_listed ? &m->parts.part_1 : changes);
    }
    *kind = bp_parts_has_few(&m->parts, count, changes) ? BP_SEARCH_CHANGED : BP_SEARCH_ALL;
    return status;
}

// The pairs of the two parts. Where one is much smaller, its leaves are so long that its boxes are searched for one by one.
static bp_status find_apart(tree_method *m, bp_sink *sink) {
    bp_tree *small = &m->trees[m->trees[0].placed > m->trees[1].placed], *large = &m->trees[small == m->trees];
    if (small->placed > large->placed / SINGLY_SHARE) {
        return bp_tree_find_across(&m->trees[0], &m->trees[1], true, sink);
    }
    const size_t slots = small->node_count[0] * BP_TREE_WIDTH;
    if (!bp_buffer_reserve_slack(&m->ids, &small->setup->runtime.allocator, 0, slots, sizeof(uint32_t))) {
        return BP_ERROR_MEMORY;
    }
    uint32_t *ids = m->ids.data;
    size_t count = 0;
    for (size_t slot = 0; slot < slots; ++slot) {
        ids[count] = ((const uint32_t *)small->ids.data)[slot];
        count += ids[count] != BP_TREE_NONE;
    }
    return bp_tree_find_boxes(large, large->boxes, ids, count, true, sink);
}

static bp_status tree_find(void *state, bp_sink *sink) {
    tree_method *m = state;
    bp_tree *trees = m->trees;
    bp_status status = BP_OK;
    if (m->parts.of == NULL) {
        return bp_tree_find(&trees[0], sink);
    }
    for (size_t i = 0; i < 2 && status == BP_OK; ++i) {
        status = m->parts.meets_itself[i] ? bp_tree_find(&trees[i], sink) : BP_OK;
    }
    return status == BP_OK ? find_apart(m, sink) : status;
}

static bp_status tree_find_changed(void *state, const bp_changes *changes, bp_sink *sink) {
    tree_method *m = state;
    bp_tree *trees = m->trees;
    if (m->parts.of == NULL) {
        return bp_tree_find_changed(&trees[0], changes->ids, changes->count, changes->marks, sink);
    }
    if (!bp_buffer_reserve_slack(&m->ids, &trees[0].setup->runtime.allocator, 0, changes->count, sizeof(uint32_t))) {
        return BP_ERROR_MEMORY;
    }
    bp_status status = BP_OK;
    for (size_t part = 0; part < 2; ++part) {
        uint32_t *ids = m->ids.data;
        size_t count = 0;
        for (size_t i = 0; i < changes->count; ++i) {
            ids[count] = changes->ids[i];
            count += m->parts.of[ids[count]] == part;
        }
        for (size_t other = 0; other < 2 && status == BP_OK && count > 0; ++other) {
            status = other != part || m->parts.meets_itself[part]
                         ? bp_tree_find_changed(&trees[other], ids, count, changes->marks, sink)
                         : BP_OK;
        }
    }
    return status;
}

// Many boxes get a tree of their own.
static bp_status tree_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    tree_method *m = state;
    bp_tree *tree = &m->trees[0], *first = &m->trees[1];
    if (count <= tree->placed / SINGLY_SHARE || count < SINGLY_MAX || count >= SINGLY_RATIO * tree->placed) {
        return bp_tree_find_boxes(tree, boxes, NULL, count, false, sink);
    }
    const bp_status status = bp_tree_build(first, boxes, count, tree->order);
    return status == BP_OK ? bp_tree_find_across(first, tree, false, sink) : status;
}

static void tree_stats(const void *state, bp_stats *stats) {
    const tree_method *m = state;
    const bp_update_strategy update = m->trees[0].setup->update;
    stats->update = update != BP_UPDATE_AUTOMATIC ? update
                    : m->trees[0].is_kept         ? BP_UPDATE_INDIVIDUAL
                                                  : BP_UPDATE_REBUILD;
    stats->bytes = sizeof *m + bp_tree_bytes(&m->trees[0]) + bp_tree_bytes(&m->trees[1]) + m->ids.bytes;
    stats->levels = (uint32_t)m->trees[0].level_count;
    stats->cells = 0;
    for (size_t i = 0; i < 2; ++i) {
        stats->cells += m->trees[i].level_count > 0 ? m->trees[i].node_count[0] : 0;
    }
    stats->occupied = stats->cells;
}

static bp_status tree_validate(const void *state) {
    const tree_method *m = state;
    bool is_sound = true;
    for (size_t i = 0; i < tree_count(m); ++i) { // another set need not be there any more
        is_sound = is_sound && (m->trees[i].level_count == 0 || bp_tree_is_sound(&m->trees[i]));
    }
    if (!is_sound) {
        bp_log_write(&m->trees[0].setup->runtime.log,
                     "tree: the leaves do not match the boxes, or bounds do not enclose the level below");
    }
    return is_sound ? BP_OK : BP_ERROR_INTERNAL;
}

const bp_method_ops bp_tree_ops = {
    .name = "tree",
    .summary = "a tree with eight children per node, kept and refitted while boxes move: for worlds, meshes, queries",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_INCREMENTAL | BP_SUPPORTS_THREADS,
    .state_bytes = sizeof(tree_method),
    .init = tree_init,
    .free = tree_free,
    .set_parts = tree_set_parts,
    .build = tree_build,
    .update = tree_update,
    .find = tree_find,
    .find_changed = tree_find_changed,
    .find_between = tree_find_between,
    .trees = tree_trees,
    .stats = tree_stats,
    .validate = tree_validate,
};
