// One set of boxes that moves, or two that are searched against each other: a scene, cut and arranged.
#ifndef BENCH_MOVING_SETS_H
#define BENCH_MOVING_SETS_H

#include "core/bench.h"
#include "peers/sets_peer.h"

typedef struct sets_case {
    const char *name;
    const char *scene;   // of scenes.h
    bool is_alone;       // one set, with itself; otherwise the scene is cut into two
    bool is_surface;     // triangles of meshes
    double second_share; // of the boxes that are in the second set; 0: where the scene itself is cut
    // What is done to the second set, in this order:
    double growth; // each box, around its own centre, by this factor; 0: none
    double scale;  // all together, around the middle of the first set, by this factor; 0: none
    double shift;  // along x, in lengths of the first set
} sets_case;

typedef struct moving_sets {
    const sets_case *c;
    scene *scene;
    bp_box *boxes; // the first set, then the second
    size_t count, first_count;
    double middle[3], length; // of the first set, at first
} moving_sets;

// `count` boxes in all. NULL: fine, otherwise an error message.
const char *moving_sets_open(moving_sets *self, const sets_case *c, size_t count);
void moving_sets_step(moving_sets *self);
void moving_sets_close(moving_sets *self);
bench_sets moving_sets_now(const moving_sets *self);

#endif
