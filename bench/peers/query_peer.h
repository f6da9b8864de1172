// The interface of a peer for queries: which boxes overlap a box, which does a ray hit?
//
//     create(boxes) once; then queries; destroy.
//
// A result is a list of indices in any order. Box queries must be exact. Peers compute rays with floats, so a few
// grazing hits may differ.
#ifndef BENCH_QUERY_PEER_H
#define BENCH_QUERY_PEER_H

#include "peers/peer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_query_peer {
    const char *who; // the library; NULL ends a list
    const char *method;
    const char *note;
    void *(*create)(const bp_box *boxes, size_t count); // NULL: failed
    // Each returns how many there are and lists as many as fit. NULL: not asked.
    size_t (*box)(void *state, const bp_box *box, bp_id *ids, size_t capacity);
    size_t (*ray)(void *state, const bp_ray *ray, bp_id *ids, size_t capacity);
    size_t (*first)(void *state, const bp_ray *ray, bp_ray_hit *hit); // the first hit: one or none
    void (*destroy)(void *state);
} bench_query_peer;

enum { BENCH_QUERY_LIBRARIES = 2 };

// A list for each library, NULL if it is not built.
extern const bench_query_peer *const bench_query_peers[BENCH_QUERY_LIBRARIES];

#ifdef __cplusplus
}
#endif

#endif
