// Plain C: the reference of all other kernels, and the one for processors whose vectors we do not know.
#include "kernels/plain.h"

enum { WIDTH = 1 };

typedef float wide;
typedef uint32_t wide_ids;
typedef unsigned wide_mask;

static inline wide wide_set(float value) {
    return value;
}

static inline wide wide_load(const float *from) {
    return *from;
}

static inline wide wide_subtract(wide a, wide b) {
    return a - b;
}

static inline wide wide_multiply(wide a, wide b) {
    return a * b;
}

static inline wide wide_smaller(wide a, wide b) {
    return a < b ? a : b;
}

static inline wide wide_larger(wide a, wide b) {
    return a > b ? a : b;
}

static inline wide_mask wide_at_most(wide a, wide b) {
    return a <= b;
}

static inline wide_ids wide_ids_set(uint32_t id) {
    return id;
}

static inline wide_ids wide_ids_load(const uint32_t *from) {
    return *from;
}

static inline wide_ids wide_count_from(uint32_t first) {
    return first;
}

static inline wide_ids wide_ids_min(wide_ids a, wide_ids b) {
    return a < b ? a : b;
}

static inline wide_ids wide_ids_max(wide_ids a, wide_ids b) {
    return a < b ? b : a;
}

static inline wide_mask wide_first(wide_mask mask, size_t count) {
    return mask & (count > 0);
}

static inline bp_pair *wide_emit(bp_pair *out, wide_mask mask, wide_ids a, wide_ids b) {
    *out = (bp_pair){.a = a, .b = b};
    return out + mask;
}

#define OVERLAP_ON(box, candidates, axis, at)                                                                          \
    ((unsigned)((box)->min[axis] <= (candidates)->max[axis][at]) &                                                     \
     (unsigned)((candidates)->min[axis][at] <= (box)->max[axis]))
#define wide_overlap(box, candidates, at)                                                                              \
    (OVERLAP_ON(box, candidates, 0, at) & OVERLAP_ON(box, candidates, 1, at) & OVERLAP_ON(box, candidates, 2, at))

#include "kernels/overlap_loop.h"

#include "kernels/probe_loop.h"

const bp_kernels bp_kernels_scalar = {
    .keys = plain_keys,
    .arrange = plain_arrange,
    .measure = plain_measure,
    .sweep = wide_sweep,
    .sweep_rows = wide_sweep_rows,
    .widen = wide_widen,
    .probe_box = wide_probe_box,
    .probe_line = wide_probe_line,
};
