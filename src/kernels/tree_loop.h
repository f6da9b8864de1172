// The loops of the tree, over the vector type of overlap_loop.h. A list says "child or box a against node b"; each loop makes
// the next list from it, without a branch that depends on the boxes. (Nested loops over the hits of each node took twice as
// long: their branches are unpredictable.)
#include "base/memory.h"
#include "kernels/tree.h"

// vec_emit where more than half of the lanes may well be hits.
#if !defined(HAS_EMIT_MANY)
#define vec_emit_many vec_emit
#endif

// One box in all lanes.
static inline vec_box tree_lane(const bp_tree_node *node, size_t lane) {
    vec_box box;
    for (int axis = 0; axis < 3; ++axis) {
        box.min[axis] = vec_set(node->min[axis][lane]);
        box.max[axis] = vec_set(node->max[axis][lane]);
    }
    return box;
}

static inline vec_box tree_wanted_box(const bp_tree_wanted *wanted, uint32_t index) {
    const bp_box *box = &wanted->boxes[wanted->ids != NULL ? wanted->ids[index] : index];
    vec_box lanes;
    for (int axis = 0; axis < 3; ++axis) {
        const bool counts = (uint32_t)axis < wanted->dimensions;
        lanes.min[axis] = vec_set(counts ? box->min[axis] : 0.0f);
        lanes.max[axis] = vec_set(counts ? box->max[axis] : 0.0f);
    }
    return lanes;
}

enum { LIST_AHEAD = 6 }; // entries of a list whose nodes are fetched before they are needed

// Into the first-level cache: it is needed very soon.
static inline void tree_fetch(const bp_tree_node *node) {
#if defined(__GNUC__)
    const char *bytes = (const char *)node;
    __builtin_prefetch(bytes, 0, 3);
    __builtin_prefetch(bytes + 64, 0, 3);
    __builtin_prefetch(bytes + 128, 0, 3);
#else
    (void)node;
#endif
}

// (node a, node b) -> (child of a, node b), where the child overlaps the bounds of b.
static size_t vec_tree_open(const bp_tree_node *nodes, const bp_tree_node *above, const bp_pair *list, size_t count,
                            bp_pair *out) {
    bp_pair *const first = out;
    for (size_t i = 0; i < count; ++i) {
        const bp_pair entry = list[i];
        const vec_box bounds = tree_lane(&above[entry.b / BP_TREE_WIDTH], entry.b % BP_TREE_WIDTH);
        const bp_tree_node *node = &nodes[entry.a];
        for (uint32_t at = 0; at < BP_TREE_WIDTH; at += WIDTH) {
            out = vec_emit_many(out, vec_overlap(&bounds, node, at), vec_count_from(entry.a * BP_TREE_WIDTH + at),
                                vec_ids_set(entry.b));
        }
    }
    return (size_t)(out - first);
}

// (child a, node b) -> (child a, child of b), where they overlap. In one tree, children before a are left out.
static inline size_t tree_cross(const bp_tree_node *a, const bp_tree_node *b, const bp_pair *list, size_t count,
                                bool is_one, bp_pair *out) {
    bp_pair *const first = out;
    for (size_t i = 0; i < count; ++i) {
        const bp_pair entry = list[i];
        const vec_box box = tree_lane(&a[entry.a / BP_TREE_WIDTH], entry.a % BP_TREE_WIDTH);
        const bp_tree_node *node = &b[entry.b];
        for (uint32_t at = 0; at < BP_TREE_WIDTH; at += WIDTH) {
            const vec_ids child = vec_count_from(entry.b * BP_TREE_WIDTH + at);
            vec_mask mask = vec_overlap(&box, node, at);
            if (is_one) {
                mask = vec_both(mask, vec_ids_above(vec_ids_add(child, vec_ids_set(1)), vec_ids_set(entry.a)));
            }
            out = vec_emit_many(out, mask, vec_ids_set(entry.a), child);
        }
    }
    return (size_t)(out - first);
}

static size_t vec_tree_cross(const bp_tree_node *a, const bp_tree_node *b, const bp_pair *list, size_t count,
                             bool is_one, bp_pair *out) {
    return is_one ? tree_cross(a, b, list, count, true, out) : tree_cross(a, b, list, count, false, out);
}

// (slot a, leaf b) -> pairs of ids. In one tree, as (smaller id, larger id), and slots up to a are left out.
static inline size_t tree_join(const bp_tree_node *a, const bp_tree_node *b, const uint32_t *a_ids,
                               const uint32_t *b_ids, const bp_pair *list, size_t count, bool is_one, bp_pair *out) {
    bp_pair *const first = out;
    for (size_t i = 0; i < count; ++i) {
        const bp_pair entry = list[i];
        const vec_box box = tree_lane(&a[entry.a / BP_TREE_WIDTH], entry.a % BP_TREE_WIDTH);
        const bp_tree_node *node = &b[entry.b];
        const vec_ids id = vec_ids_set(a_ids[entry.a]);
        for (uint32_t at = 0; at < BP_TREE_WIDTH; at += WIDTH) {
            const uint32_t slot = entry.b * BP_TREE_WIDTH + at;
            const vec_ids others = vec_ids_load(b_ids + slot);
            vec_mask mask = vec_overlap(&box, node, at);
            if (is_one) {
                mask = vec_both(mask, vec_ids_above(vec_count_from(slot), vec_ids_set(entry.a)));
                out = vec_emit(out, mask, vec_ids_min(id, others), vec_ids_max(id, others));
            } else {
                out = vec_emit(out, mask, id, others);
            }
        }
    }
    return (size_t)(out - first);
}

static size_t vec_tree_join(const bp_tree_node *a, const bp_tree_node *b, const uint32_t *a_ids, const uint32_t *b_ids,
                            const bp_pair *list, size_t count, bool is_one, bp_pair *out) {
    return is_one ? tree_join(a, b, a_ids, b_ids, list, count, true, out)
                  : tree_join(a, b, a_ids, b_ids, list, count, false, out);
}

// (box a, node b) -> (box a, child of b), where they overlap.
static size_t vec_tree_descend(const bp_tree_node *nodes, const bp_tree_wanted *wanted, const bp_pair *list,
                               size_t count, bp_pair *out) {
    bp_pair *const first = out;
    for (size_t i = 0; i < count; ++i) {
        const bp_pair entry = list[i];
        const vec_box box = tree_wanted_box(wanted, entry.a);
        tree_fetch(&nodes[list[i + LIST_AHEAD < count ? i + LIST_AHEAD : i].b]);
        for (uint32_t at = 0; at < BP_TREE_WIDTH; at += WIDTH) {
            out = vec_emit_many(out, vec_overlap(&box, &nodes[entry.b], at), vec_ids_set(entry.a),
                                vec_count_from(entry.b * BP_TREE_WIDTH + at));
        }
    }
    return (size_t)(out - first);
}

// (box a, leaf b) -> (id of the box, id in the leaf).
static size_t vec_tree_meet(const bp_tree_node *leaves, const uint32_t *ids, const bp_tree_wanted *wanted,
                            const bp_pair *list, size_t count, bp_pair *out) {
    bp_pair *const first = out;
    for (size_t i = 0; i < count; ++i) {
        const bp_pair entry = list[i];
        const vec_box box = tree_wanted_box(wanted, entry.a);
        const vec_ids id = vec_ids_set(wanted->ids != NULL ? wanted->ids[entry.a] : entry.a);
        const uint32_t ahead = list[i + LIST_AHEAD < count ? i + LIST_AHEAD : i].b;
        tree_fetch(&leaves[ahead]);
        bp_prefetch(&ids[(size_t)ahead * BP_TREE_WIDTH]);
        for (uint32_t at = 0; at < BP_TREE_WIDTH; at += WIDTH) {
            out = vec_emit(out, vec_overlap(&box, &leaves[entry.b], at), id,
                           vec_ids_load(ids + (size_t)entry.b * BP_TREE_WIDTH + at));
        }
    }
    return (size_t)(out - first);
}

// ---- walks ----------------------------------------------------------------------------------------------------------

// The lanes of a node that a line may hit, and how far along it they are entered.
static inline vec_mask tree_pass(const bp_tree_aim *aim, const bp_tree_node *node, size_t at, vec *far) {
    const float *columns = &node->min[0][0] + at;
    vec enters = vec_set(0.0f), leaves = vec_set(aim->limit);
    for (int axis = 0; axis < 3; ++axis) {
        const vec near_face = vec_load(columns + aim->near_column[axis]);
        const vec far_face = vec_load(columns + aim->far_column[axis]);
        const vec first = vec_subtract(near_face, vec_set(aim->near_origin[axis]));
        const vec second = vec_subtract(far_face, vec_set(aim->far_origin[axis]));
        // In this order NaNs are left out.
        enters = vec_larger(vec_multiply(first, vec_set(aim->near_inverse[axis])), enters);
        leaves = vec_smaller(vec_multiply(second, vec_set(aim->far_inverse[axis])), leaves);
    }
    *far = vec_smaller(enters, vec_set(FLT_MAX)); // farther than that may be a number that was too large
    return vec_at_most(*far, leaves);
}

// The lanes of a node that may be near a point, and the squares of their distances.
static inline vec_mask tree_near(const bp_tree_aim *aim, const bp_tree_node *node, size_t at, vec *far) {
    vec sum = vec_set(0.0f);
    for (int axis = 0; axis < 3; ++axis) {
        const vec below = vec_subtract(vec_load(node->min[axis] + at), vec_set(aim->near_origin[axis]));
        const vec above = vec_subtract(vec_set(aim->far_origin[axis]), vec_load(node->max[axis] + at));
        const vec outside = vec_larger(below, vec_larger(above, vec_set(0.0f)));
        sum = vec_add(sum, vec_multiply(outside, outside));
    }
    *far = sum;
    return vec_at_most(sum, vec_set(aim->limit));
}

static inline vec_mask tree_reach(const bp_tree_aim *aim, const bp_tree_node *node, size_t at, bool is_line, vec *far) {
    const vec_mask near = is_line ? tree_pass(aim, node, at, far) : tree_near(aim, node, at, far);
    return vec_both(near, vec_at_most(vec_load(node->min[0] + at), vec_load(node->max[0] + at))); // boxes only
}

// (line a, node b) -> (line a, child of b), for those that it may hit.
static size_t vec_tree_trace(const bp_tree_node *nodes, bp_tree_walk *const *walks, const bp_pair *list, size_t count,
                             bp_pair *out) {
    bp_pair *const first = out;
    for (size_t i = 0; i < count; ++i) {
        const bp_pair entry = list[i];
        for (uint32_t at = 0; at < BP_TREE_WIDTH; at += WIDTH) {
            vec far;
            const vec_mask mask = tree_reach(&walks[entry.a]->aim, &nodes[entry.b], at, true, &far);
            out = vec_emit_many(out, mask, vec_ids_set(entry.a), vec_count_from(entry.b * BP_TREE_WIDTH + at));
        }
    }
    return (size_t)(out - first);
}

// Goes on with the nearest of the children of a node that may be hit, the first of which is `first`, and puts the others onto the
// stack. (To sort them costs more than it saves.) False if there are none.
static inline bool tree_open_nearest(bp_tree_walk *walk, const bp_tree_node *node, uint32_t first, bool is_line) {
    bp_pair *const entries = walk->stack + walk->depth;
#if defined(HAS_SMALLEST_LANE)
    vec far;
    const vec_mask mask = tree_reach(&walk->aim, node, 0, is_line, &far);
    const uint32_t nearest = vec_smallest_lane(mask, vec_bits(far));
    const vec_mask others = mask & ~((vec_mask)1 << nearest);
    walk->depth += (size_t)(vec_emit_many(entries, others, vec_count_from(first), vec_bits(far)) - entries);
    walk->node = first + nearest;
    return mask != 0;
#else
    bp_pair *out = entries;
    for (uint32_t at = 0; at < BP_TREE_WIDTH; at += WIDTH) {
        vec far;
        const vec_mask mask = tree_reach(&walk->aim, node, at, is_line, &far);
        out = vec_emit(out, mask, vec_count_from(first + at), vec_bits(far));
    }
    if (out == entries) {
        return false;
    }
    size_t nearest = 0;
    const size_t last = (size_t)(out - entries) - 1;
    for (size_t i = 1; i <= last; ++i) {
        nearest = entries[i].b < entries[nearest].b ? i : nearest;
    }
    walk->node = entries[nearest].a;
    entries[nearest] = entries[last];
    walk->depth += last;
    return true;
#endif
}

// One node. True if the walk has come to a leaf with hits, or to its end.
static inline bool tree_step(bp_tree_walk *walk, bool is_line) {
    const bp_tree_levels *levels = walk->levels;
    const uint32_t level = walk->level;
    const bp_tree_node *node = &levels->nodes[walk->node];
    const uint32_t first = (walk->node - levels->begins[level]) * BP_TREE_WIDTH;
    walk->hit_count = 0;
    if (level > 0) {
        walk->level = level - 1;
        if (tree_open_nearest(walk, node, levels->begins[level - 1] + first, is_line)) {
            tree_fetch(&levels->nodes[walk->node]);
            return false;
        }
    } else {
        bp_pair *out = walk->hits;
        for (uint32_t at = 0; at < BP_TREE_WIDTH; at += WIDTH) {
            vec far;
            const vec_mask mask = tree_reach(&walk->aim, node, at, is_line, &far);
            out = vec_emit_many(out, mask, vec_count_from(first + at), vec_bits(far));
        }
        walk->hit_count = (size_t)(out - walk->hits);
    }
    while (walk->depth > 0) {
        const bp_pair entry = walk->stack[--walk->depth];
        float far;
        memcpy(&far, &entry.b, sizeof far);
        if (far <= walk->aim.limit) {
            walk->node = entry.a;
            tree_fetch(&levels->nodes[entry.a]);
            while (entry.a >= levels->begins[walk->level + 1]) {
                ++walk->level;
            }
            return walk->hit_count > 0;
        }
    }
    walk->is_done = true;
    return true;
}

// Walks take turns, a node each, so that one waits for memory while the others compute. Returns the index of the first one that
// has come to a leaf with hits, or to its end.
static size_t vec_tree_walk(bp_tree_walk *const *walks, size_t count, size_t turn) {
    if (walks[turn]->aim.is_line) {
        while (!tree_step(walks[turn], true)) {
            turn = turn + 1 < count ? turn + 1 : 0;
        }
    } else {
        while (!tree_step(walks[turn], false)) {
            turn = turn + 1 < count ? turn + 1 : 0;
        }
    }
    return turn;
}
