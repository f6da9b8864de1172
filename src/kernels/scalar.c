// Plain C: the reference for all other kernels, and the fallback for processors without vector kernels.
#include "kernels/plain.h"

enum { WIDTH = 1 };

typedef float vec;
typedef uint32_t vec_ids;
typedef unsigned vec_mask;

#include "kernels/operators.h"

static inline vec vec_set(float value) {
    return value;
}

static inline vec vec_smaller(vec a, vec b) {
    return a < b ? a : b;
}

static inline vec vec_larger(vec a, vec b) {
    return a > b ? a : b;
}

static inline vec_mask vec_at_most(vec a, vec b) {
    return a <= b;
}

static inline vec vec_keep_at_most(vec a, vec b) {
    return a <= b ? a : 0.0f;
}

static inline float vec_least_at_most(vec a, vec b) {
    return a <= b ? a : INFINITY;
}

static inline vec_ids vec_ids_set(uint32_t id) {
    return id;
}

static inline vec_ids vec_ids_add(vec_ids a, vec_ids b) {
    return a + b;
}

static inline vec_mask vec_ids_other(vec_ids ids, vec_ids id) {
    return ids != id;
}

static inline vec_mask vec_ids_above(vec_ids ids, vec_ids id) {
    return ids > id;
}

static inline vec_ids vec_count_from(uint32_t first) {
    return first;
}

static inline vec_ids vec_ids_min(vec_ids a, vec_ids b) {
    return a < b ? a : b;
}

static inline vec_ids vec_ids_max(vec_ids a, vec_ids b) {
    return a < b ? b : a;
}

static inline bool vec_is_full(vec_mask mask) {
    return mask != 0;
}

static inline vec_mask vec_first(vec_mask mask, size_t count) {
    return mask & (count > 0);
}

static inline bp_pair *vec_emit(bp_pair *out, vec_mask mask, vec_ids a, vec_ids b) {
    *out = (bp_pair){.a = a, .b = b};
    return out + mask;
}

static inline uint32_t *vec_emit_ids(uint32_t *out, vec_mask mask, vec_ids ids) {
    *out = ids;
    return out + mask;
}

static inline size_t vec_lanes(vec_mask mask) {
    return mask;
}

typedef bp_record rec;

static inline rec rec_load(const bp_record *from) {
    return *from;
}

static inline void rec_store(bp_record *to, rec record) {
    *to = record;
}

static inline rec rec_smaller(rec a, rec b) {
    for (int axis = 0; axis < 3; ++axis) {
        a.min[axis] = bp_smaller(a.min[axis], b.min[axis]);
        a.negated_max[axis] = bp_smaller(a.negated_max[axis], b.negated_max[axis]);
    }
    return a;
}

static inline rec rec_larger(rec a, rec b) {
    for (int axis = 0; axis < 3; ++axis) {
        a.min[axis] = bp_larger(a.min[axis], b.min[axis]);
        a.negated_max[axis] = bp_larger(a.negated_max[axis], b.negated_max[axis]);
    }
    return a;
}

static inline size_t rec_at_most(rec a, rec b) {
    return bp_record_at_most(&a, &b);
}

#define OVERLAP_ON(box, candidates, axis, at)                                                                          \
    ((unsigned)((box)->min[axis] <= (candidates)->max[axis][at]) &                                                     \
     (unsigned)((candidates)->min[axis][at] <= (box)->max[axis]))
#define vec_overlap(box, candidates, at)                                                                               \
    (OVERLAP_ON(box, candidates, 0, at) & OVERLAP_ON(box, candidates, 1, at) & OVERLAP_ON(box, candidates, 2, at))
#define vec_overlap_across(box, candidates, at)                                                                        \
    (OVERLAP_ON(box, candidates, 1, at) & OVERLAP_ON(box, candidates, 2, at))
#define vec_overlap_apart(box, candidates, at, flags, ids)                                                             \
    (vec_overlap(box, candidates, at) & (unsigned)(((flags) & (ids)) == 0))

#define KERNELS bp_kernels_scalar
#include "kernels/table.h"
