// A narrow phase: of the pairs whose boxes overlap, those whose shapes do. By libccd (GJK), from a support function alone.
//
// Two shapes, or parts of compounds, whose bounding spheres are apart are not asked about; nothing else is a shortcut.
#ifndef BENCH_NARROW_H
#define BENCH_NARROW_H

#include "peers/peer.h"
#include "suites/shapes.h"

// False where libccd was not found: then nothing else here may be asked.
bool narrow_is_built(void);

// Whether two shapes have a point in common. Within about 1e-6 of touching it may be either.
bool convex_meet(const convex *a, const convex *b);

typedef struct narrow narrow;

// A shape for each box, the same on every machine, of sizes drawn with these parameters of a beta distribution.
narrow *narrow_create(shape_kind kind, double alpha, double beta, const bp_box *boxes, size_t count);
void narrow_destroy(narrow *self);

// Shapes go with their boxes, which must have the sizes that they had.
void narrow_move(narrow *self, const bp_box *boxes);

// The parts of an object where they are now.
const convex *narrow_parts(const narrow *self, uint32_t object, size_t *count);

// Those of the pairs that meet, in their order, instead of what `met` holds.
void narrow_find(const narrow *self, const bp_pairs *pairs, bp_pairs *met);

#endif
