// Whether two lists of pairs agree: exactly, or up to a margin.
#ifndef BENCH_AGREEMENT_H
#define BENCH_AGREEMENT_H

#include "suites/crowd.h"

// All pairs of a crowd except those of two static objects, sorted. Found by a tree, which shares no code with our
// grids.
bp_status crowd_pairs(const crowd *c, bp_pairs *pairs);

// Where a ray enters the first box of a crowd that it hits, found by looking at all of them; infinite if it hits none.
double crowd_first_hit(const crowd *c, const bp_ray *ray);
// Whether a hit is that one, up to the rounding of floats.
bool hit_agrees(const crowd *c, const bp_ray *ray, const bp_ray_hit *hit, double exact);

// How a list with a margin differs from the exact one.
typedef struct margin_difference {
    size_t missing; // pairs that overlap and are not in the list
    size_t twice;   // pairs that are in it more than once
    size_t near;    // pairs in the list that do not overlap, but lie within `reach` along every axis
    size_t far;     // pairs in the list that lie further apart
} margin_difference;

// Sorts `list`. `exact` is sorted.
margin_difference pairs_compare(const bp_box *boxes, const bp_pairs *exact, bp_pairs *list, float reach);

#endif
