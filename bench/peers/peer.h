// The one interface of a peer: another library that finds the pairs of the same boxes.
//
//     create(count, boxes) once; then for each step update(boxes), find(pairs); destroy.
//
// A peer that finds neighbours takes points instead of boxes, and its pairs are those within BENCH_RADIUS.
//
// The caller times update and find apart, so each must do its own work inside: nothing is put off into create or
// destroy. `boxes` are finite (walls are clipped, see boxes.h) and stay valid from update to the end of find. find
// appends each overlapping pair once, in any order. A peer that works with margins, with doubles or with quantised
// coordinates tests the true boxes itself before it appends, so that all contestants report the same pairs.
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <broadphase/broadphase.h>

#include <stdbool.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

// The radius within which points are neighbours.
#define BENCH_RADIUS 1.0f

// How a peer works: peers of one kind are compared with our method of that kind.
typedef enum bench_kind { BENCH_TREE, BENCH_SWEEP, BENCH_HASH, BENCH_ALL_PAIRS } bench_kind;

typedef struct bench_peer {
    const char *who;    // the library; NULL ends a list
    const char *method; // the structure of the library
    const char *note;   // how it is used, and the margin that it documents
    bench_kind kind;
    bool exact;       // reports exactly the pairs of closed boxes; otherwise a disagreement is shown, not a failure
    bool keeps;       // keeps its structure between steps, so that it needs steps to reach its steady state
    bool named_only;  // made for one kind of scene: takes part where it is named only
    size_t max_count; // the most objects it can handle (time or memory grow with n^2); 0: no limit
    void *(*create)(size_t count, const bp_box *boxes); // NULL: failed
    void (*update)(void *state, const bp_box *boxes);
    void (*update_points)(void *state, const float *points_xyz); // instead of update, for neighbours
    void (*find)(void *state, bp_pairs *pairs);
    void (*destroy)(void *state);
    size_t (*bytes)(const void *state); // that the structure holds; NULL: unknown
} bench_peer;

struct bench_sets_peer;

// A library's peers, or its absence (peers == NULL).
typedef struct bench_library {
    const char *name;
    const char *package; // the Debian package that brings it
    const bench_peer *peers;
    const struct bench_sets_peer *sets; // for two sets (sets_peer.h); NULL: none
} bench_library;

// All libraries that a shim exists for, built or not.
extern const bench_library bench_libraries[];
extern const size_t bench_library_count;

static inline bool bench_overlap(const bp_box *a, const bp_box *b) {
    return a->min[0] <= b->max[0] && b->min[0] <= a->max[0] && a->min[1] <= b->max[1] && b->min[1] <= a->max[1] &&
           a->min[2] <= b->max[2] && b->min[2] <= a->max[2];
}

// The definition of overlap in this library.
static inline bool bench_near(const float *a, const float *b) {
    const double x = (double)a[0] - (double)b[0], y = (double)a[1] - (double)b[1], z = (double)a[2] - (double)b[2];
    return (x * x + y * y) + z * z <= (double)BENCH_RADIUS * (double)BENCH_RADIUS;
}

// Appends the pair of a box of the first set and one of the second. Grown lists keep their memory from step to step.
static inline void bench_push_between(bp_pairs *pairs, uint32_t i, uint32_t j) {
    if (pairs->count == pairs->capacity) {
        pairs->capacity = pairs->capacity ? 2 * pairs->capacity : 1024;
        pairs->data = (bp_pair *)realloc(pairs->data, pairs->capacity * sizeof(bp_pair));
        if (!pairs->data) abort();
    }
    bp_pair *pair = &pairs->data[pairs->count++];
    pair->a = i;
    pair->b = j;
}

// Appends the pair of i and j, in ascending order.
static inline void bench_push(bp_pairs *pairs, uint32_t i, uint32_t j) {
    bench_push_between(pairs, i < j ? i : j, i < j ? j : i);
}

// Appends the pair if the true boxes overlap.
static inline void bench_push_exact(bp_pairs *pairs, const bp_box *boxes, uint32_t i, uint32_t j) {
    if (bench_overlap(&boxes[i], &boxes[j])) bench_push(pairs, i, j);
}

#ifdef __cplusplus
}
#endif

#endif
