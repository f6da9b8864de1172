// The exact test of Gissler et al., after the broad phase: which points are inside which tetrahedra, and which edges go
// through which triangles. What collides is written to a list, with where: that is part of a query there (section 5).
#ifndef BENCH_COLLISIONS_H
#define BENCH_COLLISIONS_H

#include "suites/tissue.h"

// Elements of which the boxes overlap, and their kinds. A pair (a, b) is an element of the first kind and one of the
// second. An element never collides with one that it shares a point with.
typedef struct collision_question {
    const tissue *tissue;
    tissue_part first, second; // tetrahedra and points, or edges and triangles, in any order
} collision_question;

typedef struct collision {
    uint32_t a, b;  // as in the pair
    float where[3]; // barycentric in the tetrahedron; or along the edge, and barycentric in the triangle
} collision;

// All zero is empty; free(data) in the end.
typedef struct collision_list {
    collision *data;
    size_t count, capacity;
    size_t *counts; // per block of pairs
    size_t block_capacity;
} collision_list;

// Tests all pairs and writes those that collide, in the order of the pairs. `workers` does it in parallel; run == NULL:
// this thread does it alone.
void collisions_find(const collision_question *question, const bp_pair *pairs, size_t count, const bp_executor *workers,
                     collision_list *list);
void collisions_free(collision_list *list);

#endif
