// The loops of the tree, over the vector type of overlap_loop.h. A list says "node or box a against block b"; each loop makes
// the next list from it, without a branch that depends on the boxes. (Nested loops over the hits of each block took twice as
// long: their branches are unpredictable.)
#include "kernels/tree.h"

// vec_emit where more than half of the lanes may well be hits.
#if !defined(HAS_EMIT_MANY)
#define vec_emit_many vec_emit
#endif

// One box in all lanes.
static inline vec_box tree_lane(const bp_tree_block *block, size_t lane) {
    vec_box box;
    for (int axis = 0; axis < 3; ++axis) {
        box.min[axis] = vec_set(block->min[axis][lane]);
        box.max[axis] = vec_set(block->max[axis][lane]);
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

// (block a, block b) -> (child of a, block b), where the child overlaps the bounds of b.
static size_t vec_tree_open(const bp_tree_block *blocks, const bp_tree_block *above, const bp_pair *list, size_t count,
                            bp_pair *out) {
    bp_pair *const first = out;
    for (size_t i = 0; i < count; ++i) {
        const bp_pair entry = list[i];
        const vec_box bounds = tree_lane(&above[entry.b / BP_TREE_WIDTH], entry.b % BP_TREE_WIDTH);
        const bp_tree_block *block = &blocks[entry.a];
        for (uint32_t at = 0; at < BP_TREE_WIDTH; at += WIDTH) {
            out = vec_emit_many(out, vec_overlap(&bounds, block, at), vec_count_from(entry.a * BP_TREE_WIDTH + at),
                                vec_ids_set(entry.b));
        }
    }
    return (size_t)(out - first);
}

// (node a, block b) -> (node a, child of b), where they overlap. In one tree, children before a are left out.
static inline size_t tree_cross(const bp_tree_block *a, const bp_tree_block *b, const bp_pair *list, size_t count,
                                bool is_one, bp_pair *out) {
    bp_pair *const first = out;
    for (size_t i = 0; i < count; ++i) {
        const bp_pair entry = list[i];
        const vec_box box = tree_lane(&a[entry.a / BP_TREE_WIDTH], entry.a % BP_TREE_WIDTH);
        const bp_tree_block *block = &b[entry.b];
        for (uint32_t at = 0; at < BP_TREE_WIDTH; at += WIDTH) {
            const vec_ids child = vec_count_from(entry.b * BP_TREE_WIDTH + at);
            vec_mask mask = vec_overlap(&box, block, at);
            if (is_one) {
                mask = vec_both(mask, vec_ids_above(vec_ids_add(child, vec_ids_set(1)), vec_ids_set(entry.a)));
            }
            out = vec_emit_many(out, mask, vec_ids_set(entry.a), child);
        }
    }
    return (size_t)(out - first);
}

static size_t vec_tree_cross(const bp_tree_block *a, const bp_tree_block *b, const bp_pair *list, size_t count,
                             bool is_one, bp_pair *out) {
    return is_one ? tree_cross(a, b, list, count, true, out) : tree_cross(a, b, list, count, false, out);
}

// (slot a, leaf b) -> pairs of ids. In one tree, as (smaller id, larger id), and slots up to a are left out.
static inline size_t tree_join(const bp_tree_block *a, const bp_tree_block *b, const uint32_t *a_ids,
                               const uint32_t *b_ids, const bp_pair *list, size_t count, bool is_one, bp_pair *out) {
    bp_pair *const first = out;
    for (size_t i = 0; i < count; ++i) {
        const bp_pair entry = list[i];
        const vec_box box = tree_lane(&a[entry.a / BP_TREE_WIDTH], entry.a % BP_TREE_WIDTH);
        const bp_tree_block *block = &b[entry.b];
        const vec_ids id = vec_ids_set(a_ids[entry.a]);
        for (uint32_t at = 0; at < BP_TREE_WIDTH; at += WIDTH) {
            const uint32_t slot = entry.b * BP_TREE_WIDTH + at;
            const vec_ids others = vec_ids_load(b_ids + slot);
            vec_mask mask = vec_overlap(&box, block, at);
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

static size_t vec_tree_join(const bp_tree_block *a, const bp_tree_block *b, const uint32_t *a_ids,
                            const uint32_t *b_ids, const bp_pair *list, size_t count, bool is_one, bp_pair *out) {
    return is_one ? tree_join(a, b, a_ids, b_ids, list, count, true, out)
                  : tree_join(a, b, a_ids, b_ids, list, count, false, out);
}

// (box a, block b) -> (box a, child of b), where they overlap.
static size_t vec_tree_descend(const bp_tree_block *blocks, const bp_tree_wanted *wanted, const bp_pair *list,
                               size_t count, bp_pair *out) {
    bp_pair *const first = out;
    for (size_t i = 0; i < count; ++i) {
        const bp_pair entry = list[i];
        const vec_box box = tree_wanted_box(wanted, entry.a);
        for (uint32_t at = 0; at < BP_TREE_WIDTH; at += WIDTH) {
            out = vec_emit_many(out, vec_overlap(&box, &blocks[entry.b], at), vec_ids_set(entry.a),
                                vec_count_from(entry.b * BP_TREE_WIDTH + at));
        }
    }
    return (size_t)(out - first);
}

// (box a, leaf b) -> (id of the box, id in the leaf).
static size_t vec_tree_meet(const bp_tree_block *leaves, const uint32_t *ids, const bp_tree_wanted *wanted,
                            const bp_pair *list, size_t count, bp_pair *out) {
    bp_pair *const first = out;
    for (size_t i = 0; i < count; ++i) {
        const bp_pair entry = list[i];
        const vec_box box = tree_wanted_box(wanted, entry.a);
        const vec_ids id = vec_ids_set(wanted->ids != NULL ? wanted->ids[entry.a] : entry.a);
        for (uint32_t at = 0; at < BP_TREE_WIDTH; at += WIDTH) {
            out = vec_emit(out, vec_overlap(&box, &leaves[entry.b], at), id,
                           vec_ids_load(ids + entry.b * BP_TREE_WIDTH + at));
        }
    }
    return (size_t)(out - first);
}
