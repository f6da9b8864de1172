// The interface of a peer that keeps a world: it is told what moved, and nothing else, in each step.
//
//     create(boxes) once; then for each step move(what moved), update; destroy.
//
// The caller times move and update. `pairs` is not timed: it reads the pairs of the last update unchanged, pairs of
// grown boxes included; core/agreement.h compares them.
#ifndef BENCH_WORLD_PEER_H
#define BENCH_WORLD_PEER_H

#include "peers/peer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_world_peer {
    const char *who; // the library; NULL ends a list
    const char *method;
    const char *note;
    float reach;      // boxes further apart than this along an axis are never reported
    size_t max_count; // as in peer.h
    // The first static_count objects never move and do not pair with each other. NULL: failed.
    void *(*create)(const bp_box *boxes, size_t count, size_t static_count);
    void (*move)(void *state, const bp_id *ids, const bp_box *boxes, size_t count); // ids NULL: 0 .. count-1
    void (*update)(void *state);
    // Two lists: pairs; and stale pairs, whose grown boxes no longer overlap but which it removes later.
    void (*pairs)(const void *state, bp_pairs *pairs, bp_pairs *stale);
    void (*destroy)(void *state);
} bench_world_peer;

// Those that are built.
extern const bench_world_peer *const bench_world_peers;

#ifdef __cplusplus
}
#endif

#endif
