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

// The lanes of a node that a line may hit: how far along it they are entered, and left. Of NaNs the second operand counts.
static inline vec_mask tree_pass(const bp_tree_aim *aim, const bp_tree_node *node, size_t at, vec *far, vec *end) {
    const float *columns = &node->min[0][0] + at;
    vec enters = vec_set(0.0f), leaves = vec_set(aim->limit);
    for (int axis = 0; axis < 3; ++axis) {
        const vec near_face = vec_load(columns + aim->near_column[axis]);
        const vec far_face = vec_load(columns + aim->far_column[axis]);
        const vec first = vec_subtract(near_face, vec_set(aim->near_origin[axis]));
        const vec second = vec_subtract(far_face, vec_set(aim->far_origin[axis]));
        const vec enter = vec_multiply(first, vec_set(aim->near_inverse[axis]));
        enters = axis == 0 ? vec_larger(enters, enter) : vec_larger(enter, enters);
        leaves = vec_smaller(vec_multiply(second, vec_set(aim->far_inverse[axis])), leaves);
    }
    *far = enters;
    *end = leaves;
    return vec_at_most(enters, leaves);
}

// The lanes of a node that may be near a point, and the squares of their distances.
static inline vec_mask tree_near(const bp_tree_aim *aim, const bp_tree_node *node, size_t at, vec *far, vec *end) {
    vec sum = vec_set(0.0f);
    for (int axis = 0; axis < 3; ++axis) {
        const vec below = vec_subtract(vec_load(node->min[axis] + at), vec_set(aim->near_origin[axis]));
        const vec above = vec_subtract(vec_set(aim->far_origin[axis]), vec_load(node->max[axis] + at));
        const vec outside = vec_larger(vec_larger(vec_set(0.0f), above), below); // a NaN without a box
        sum = vec_add(sum, vec_multiply(outside, outside));
    }
    *far = sum;
    *end = vec_set(aim->limit);
    return vec_at_most(sum, *end);
}

static inline vec_mask tree_reach(const bp_tree_aim *aim, const bp_tree_node *node, size_t at, bool is_line, vec *far,
                                  vec *end) {
    return is_line ? tree_pass(aim, node, at, far, end) : tree_near(aim, node, at, far, end);
}

// (line a, node b) -> (line a, child of b), for those that it may hit.
static size_t vec_tree_trace(const bp_tree_node *nodes, bp_tree_walk *const *walks, const bp_pair *list, size_t count,
                             bp_pair *out) {
    bp_pair *const first = out;
    for (size_t i = 0; i < count; ++i) {
        const bp_pair entry = list[i];
        for (uint32_t at = 0; at < BP_TREE_WIDTH; at += WIDTH) {
            vec far, end;
            const vec_mask mask = tree_reach(&walks[entry.a]->aim, &nodes[entry.b], at, true, &far, &end);
            out = vec_emit_many(out, mask, vec_ids_set(entry.a), vec_count_from(entry.b * BP_TREE_WIDTH + at));
        }
    }
    return (size_t)(out - first);
}

// The bits of how far, without a sign (of -0), and a level.
static inline vec_ids tree_far_bits(vec far, uint32_t level) {
    return (vec_bits(far) & vec_ids_set(~bp_tree_level_bits >> 1 & ~bp_tree_level_bits)) | vec_ids_set(level);
}

// The first child of a node; of a leaf, the first slot.
static inline uint32_t tree_first_child(const bp_tree_levels *levels, uint32_t node, uint32_t level) {
    return levels->begins[level - (level > 0)] + (node - levels->begins[level]) * BP_TREE_WIDTH;
}

// Appends the hits of a leaf. One that is sure may lower the limit.
static inline void tree_take_leaf(bp_tree_walk *walk, uint32_t leaf, bool is_line) {
    bp_pair *out = walk->hits + walk->hit_count;
    float limit = walk->aim.limit;
    for (uint32_t at = 0; at < BP_TREE_WIDTH; at += WIDTH) {
        vec far, end;
        const vec_mask mask = tree_reach(&walk->aim, &walk->levels->nodes[leaf], at, is_line, &far, &end);
        if (mask == 0) {
            continue;
        }
        const vec last = vec_add(vec_multiply(far, vec_set(walk->aim.sure)), vec_set(walk->aim.slack));
        out = vec_emit_many(out, mask, vec_count_from(leaf * BP_TREE_WIDTH + at), tree_far_bits(far, 0));
        limit = bp_smaller(vec_least_at_most(last, vec_multiply(end, vec_set(BP_TREE_SURELY))), limit);
    }
    walk->hit_count = (size_t)(out - walk->hits);
    if (limit < walk->aim.limit) {
        walk->aim.limit = limit;
        bp_tree_cull(walk);
    }
}

// Goes on with the nearest of the children of a node that may be hit, and puts the others onto the stack. (To sort them costs
// more than it saves.) False if there are none.
static inline bool tree_open_nearest(bp_tree_walk *walk, const bp_tree_node *node, uint32_t first, uint32_t level,
                                     bool is_line) {
    bp_pair *const entries = walk->stack + walk->depth;
    vec far, end;
#if defined(HAS_SMALLEST_LANE)
    const vec_mask mask = tree_reach(&walk->aim, node, 0, is_line, &far, &end);
    const vec_ids bits = tree_far_bits(far, level);
    const uint32_t nearest = vec_smallest_lane(mask, bits);
    const vec_mask others = mask & ~((vec_mask)1 << nearest);
    walk->depth += (size_t)(vec_emit_many(entries, others, vec_count_from(first), bits) - entries);
    walk->next = (bp_pair){.a = first + nearest, .b = level};
    return mask != 0;
#else
    bp_pair *out = entries;
    for (uint32_t at = 0; at < BP_TREE_WIDTH; at += WIDTH) {
        const vec_mask mask = tree_reach(&walk->aim, node, at, is_line, &far, &end);
        out = vec_emit(out, mask, vec_count_from(first + at), tree_far_bits(far, level));
    }
    if (out == entries) {
        return false;
    }
    size_t nearest = 0;
    const size_t last = (size_t)(out - entries) - 1;
    for (size_t i = 1; i <= last; ++i) {
        nearest = entries[i].b < entries[nearest].b ? i : nearest;
    }
    walk->next = entries[nearest];
    entries[nearest] = entries[last];
    walk->depth += last;
    return true;
#endif
}

// One node. True if the walk stops.
static inline bool tree_step(bp_tree_walk *walk, bool is_line) {
    const bp_tree_levels *levels = walk->levels;
    const bp_pair at = walk->next;
    const uint32_t level = at.b & bp_tree_level_bits;
    const uint32_t first = tree_first_child(levels, at.a, level);
    if (level == 0 || !tree_open_nearest(walk, &levels->nodes[at.a], first, level - 1, is_line)) {
        walk->next = walk->stack[--walk->depth];
        walk->is_done = walk->depth == 0;
        if (level == 0) {
            tree_take_leaf(walk, at.a, is_line);
        }
    }
    return walk->is_done || walk->hit_count > walk->room;
}

// A walk alone waits for memory. The two nodes that come after the next one are fetched meanwhile.
static inline void tree_walk_alone(bp_tree_walk *walk, bool is_line) {
    while (!tree_step(walk, is_line)) {
        const bp_pair *last = &walk->stack[walk->depth - 1];
        tree_fetch(&walk->levels->nodes[last->a]);
        tree_fetch(&walk->levels->nodes[last[-(walk->depth > 1)].a]);
    }
}

// Walks in turn, a node each: one waits for memory while the others compute. Lists those that stop.
static inline size_t tree_walk_in_turn(bp_tree_walk *const *walks, size_t count, bool is_line, uint32_t *stopped) {
    size_t stopped_count = 0;
    while (stopped_count == 0) {
        for (size_t i = 0; i < count; ++i) {
            stopped[stopped_count] = (uint32_t)i;
            stopped_count += tree_step(walks[i], is_line);
            tree_fetch(&walks[i]->levels->nodes[walks[i]->next.a]);
        }
    }
    return stopped_count;
}

static size_t vec_tree_walk(bp_tree_walk *const *walks, size_t count, uint32_t *stopped) {
    if (count > 1) {
        return walks[0]->aim.is_line ? tree_walk_in_turn(walks, count, true, stopped)
                                     : tree_walk_in_turn(walks, count, false, stopped);
    }
    if (walks[0]->aim.is_line) {
        tree_walk_alone(walks[0], true);
    } else {
        tree_walk_alone(walks[0], false);
    }
    stopped[0] = 0;
    return 1;
}
