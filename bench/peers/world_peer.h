// The interface of a peer that keeps a world: it is told what changed, and nothing else, in each step.
//
//     create(boxes) once; then for each step replace, move(what moved), update, rays; destroy.
//
// The caller times these four. `pairs` is not timed: it reads the pairs of the last update unchanged, pairs of grown
// boxes included; core/agreement.h compares them.
#ifndef BENCH_WORLD_PEER_H
#define BENCH_WORLD_PEER_H

#include "peers/peer.h"

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_world_peer {
    const char *who; // the library; NULL ends a list
    const char *method;
    const char *note;
    float reach;        // boxes further apart than this along an axis are never reported
    size_t max_count;   // as in peer.h
    bool keeps_pairs;   // from step to step; otherwise update lists them all
    bool keeps_statics; // the first static_count objects cannot be replaced
    // The first static_count objects never move and do not pair with each other. NULL: failed.
    void *(*create)(const bp_box *boxes, size_t count, size_t static_count);
    void (*move)(void *state, const bp_id *ids, const bp_box *boxes, size_t count); // ids NULL: 0 .. count-1
    // Removes these objects and adds others of the same sizes under the same ids.
    void (*replace)(void *state, const bp_id *ids, const bp_box *boxes, size_t count);
    void (*update)(void *state);
    // The first hit of each ray; its id is BP_NO_ID if it hits nothing. NULL: it has no rays.
    void (*rays)(void *state, const bp_ray *rays, size_t count, bp_ray_hit *hits);
    // Two lists: pairs; and stale pairs, whose grown boxes no longer overlap but which it removes later.
    void (*pairs)(const void *state, bp_pairs *pairs, bp_pairs *stale);
    void (*destroy)(void *state);
} bench_world_peer;

// Where a ray enters a box: at `from` or later, and before `to`. False: it does not.
static inline bool bench_ray_enters(const float origin[3], const float direction[3], float from, float to,
                                    const bp_box *box, float *t) {
    for (int axis = 0; axis < 3; axis++) {
        const float a = (box->min[axis] - origin[axis]) / direction[axis];
        const float b = (box->max[axis] - origin[axis]) / direction[axis];
        from = fmaxf(from, fminf(a, b));
        to = fminf(to, fmaxf(a, b));
    }
    *t = from;
    return from <= to;
}

// Keeps the first hit.
static inline void bench_ray_meets(const bp_ray *ray, const bp_box *box, bp_id id, bp_ray_hit *hit) {
    float t;
    if (bench_ray_enters(ray->origin, ray->direction, 0, ray->max_t, box, &t) && t < hit->t) {
        hit->id = id;
        hit->t = t;
    }
}

enum { BENCH_WORLD_LIBRARIES = 5 };

// A list for each library, NULL if it is not built.
extern const bench_world_peer *const bench_world_peers[BENCH_WORLD_LIBRARIES];

#ifdef __cplusplus
}
#endif

#endif
