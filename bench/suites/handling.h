// Collision handling as Gissler et al. time it: the structure, the query, and the exact test with its list of collisions,
// for points in tetrahedra and for edges through triangles.
#ifndef BENCH_HANDLING_H
#define BENCH_HANDLING_H

#include "core/bench.h"
#include "suites/collisions.h"

typedef enum handling_test {
    HANDLE_POINTS, // tetrahedra searched for in a structure over the points
    HANDLE_EDGES,  // triangles searched for in a structure over the edges: their footprints are what it holds
    HANDLE_TESTS
} handling_test;

extern const char *const handling_tests[HANDLE_TESTS]; // their names

typedef struct handling_times {
    double update_ms; // the structure
    double find_ms;   // the query, with the exact test
    double exact_ms;  // that test alone
} handling_times;

// One contestant.
typedef struct handler {
    char method[NAME_SIZE];
    bp_method_settings settings;
    bp_config config;
    int threads;
    bool kept; // in worlds that hold both kinds of a test from frame to frame; else one call in each

    // While it lives.
    bp_executor workers;
    bp_world *worlds[HANDLE_TESTS];
    bp_box *both; // of a world's boxes: those searched for, then those entered
    size_t both_capacity;
    bp_pairs pairs;
    collision_list found;
    size_t pair_count; // of the last test, like the hash
    uint64_t hash;
} handler;

// Ready for its first frame. The config points into the handler, which must stay where it is.
bp_status handler_open(handler *self);
void handler_close(handler *self);

// One test in one frame of the scene. Times of one thread are those of the processor.
bp_status handler_frame(handler *self, const tissue *t, handling_test test, handling_times *times);

#endif
