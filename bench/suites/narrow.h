// A narrow phase: of the pairs whose boxes overlap, finds those whose shapes do. Uses libccd (GJK) with a support
// function.
//
// The only shortcut: shapes, or parts of compounds, whose bounding spheres are apart are not tested.
#ifndef BENCH_NARROW_H
#define BENCH_NARROW_H

#include "peers/peer.h"
#include "suites/shapes.h"

// False where libccd was not found: then nothing else here may be called.
bool narrow_is_built(void);

// Whether two shapes have a point in common. Within about 1e-6 of touching the result may be either.
bool convex_meet(const convex *a, const convex *b);

typedef struct narrow narrow;

// A shape for each box, the same on every machine, of sizes drawn with these parameters of a beta distribution.
narrow *narrow_create(shape_kind kind, double alpha, double beta, const bp_box *boxes, size_t count);
void narrow_destroy(narrow *self);

// Moves the shapes with their boxes, whose sizes must not change.
void narrow_move(narrow *self, const bp_box *boxes);

// The parts of an object at their current place.
const convex *narrow_parts(const narrow *self, uint32_t object, size_t *count);

// Replaces `met` by the pairs whose shapes meet, in the same order.
void narrow_find(const narrow *self, const bp_pairs *pairs, bp_pairs *met);

#endif
