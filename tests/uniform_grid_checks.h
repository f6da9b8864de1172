// What the methods with one uniform grid must all do, for each of their variants; each method's test calls these.
#ifndef BP_TESTS_UNIFORM_GRID_CHECKS_H
#define BP_TESTS_UNIFORM_GRID_CHECKS_H

#include "support.h"

typedef struct variant_list {
    const bp_config *configs; // with their method
    size_t count;
} variant_list;

// Every scene in both dimensions, and wild boxes, against the naive answer.
void check_scenes(variant_list variants);
// Objects that come, move, grow, gather and go, against the naive answer at every step; the structure is validated.
void check_world(variant_list variants);
// One set against another, of other sizes, against the naive answer.
void check_between(variant_list variants);
// The same bytes for every number of threads, in a call and in a world.
void check_threads(variant_list variants);
// A step in which all objects move allocates nothing.
void check_steady_step(variant_list variants);
// Whichever allocation fails: an error, nothing lost, nothing leaked, and the next try works.
void check_failing_memory(variant_list variants);

#endif
