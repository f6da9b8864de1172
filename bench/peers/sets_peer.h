// The interface of a peer that finds the pairs of two sets: a box of the first and one of the second.
//
//     create(sets) once; then for each step update(sets), find(pairs); destroy.
//
// What peer.h says of times, of boxes and of exact pairs holds here too. A pair is an index into the first set and one
// into the second.
#ifndef BENCH_SETS_PEER_H
#define BENCH_SETS_PEER_H

#include "peers/peer.h"

#ifdef __cplusplus
extern "C" {
#endif

// Numbers of boxes do not change from step to step.
typedef struct bench_sets {
    const bp_box *a, *b;
    size_t a_count, b_count;
} bench_sets;

typedef struct bench_sets_peer {
    const char *who;                         // the library; NULL ends a list
    const char *method;                      // the structure of the library
    const char *note;                        // how it is used
    bool keeps;                              // keeps its structure between steps
    void *(*create)(const bench_sets *sets); // NULL: failed
    void (*update)(void *state, const bench_sets *sets);
    void (*find)(void *state, bp_pairs *pairs);
    void (*destroy)(void *state);
} bench_sets_peer;

#ifdef __cplusplus
}
#endif

#endif
