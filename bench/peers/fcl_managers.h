// Managers of FCL: its dynamic tree, and the one of this library (integrations/fcl), in float and double. They get the same
// objects and the same callbacks, so what differs is the broad phase.
#ifndef BENCH_FCL_MANAGERS_H
#define BENCH_FCL_MANAGERS_H

#include <broadphase/broadphase.h>

#ifdef __cplusplus
extern "C" {
#endif

// What the callbacks were told: how many pairs, and a sum over them that depends on no order.
typedef struct bench_fcl_pairs {
    size_t count;
    uint64_t hash;
} bench_fcl_pairs;

typedef struct bench_fcl_manager {
    const char *who; // NULL ends the list
    const char *method;
    void *(*create)(const bp_box *boxes, size_t count); // NULL: failed
    void (*place)(void *state, const bp_box *boxes);    // FCL's objects alone: not what is measured
    void (*update)(void *state);
    bench_fcl_pairs (*collide)(const void *state);
    // With another manager of the same kind; at the first pair it ends if only that is wanted.
    bench_fcl_pairs (*collide_with)(const void *state, const void *other, int first_only);
    void (*destroy)(void *state);
} bench_fcl_manager;

// Ours is the first of each pair (ours, tree). NULL: FCL was not found.
extern const bench_fcl_manager *const bench_fcl_managers;

#ifdef __cplusplus
}
#endif

#endif
