// The pairs of the last update, sorted by object: for bp_pairs_of.
//
//     offsets   | 0 | 2 | 2 | 3 | ...       the others of object 0 are others[0 .. 2), ascending
//     others    | 4   9 | 0 | ...           each pair is there twice
//
// Making this takes as long as going through all pairs some dozen times, so the first calls after an update do that. The
// thread of a later one makes the rows; others continue to go through all pairs meanwhile. Nobody waits, and if memory is
// refused, only time is lost.
#ifndef BP_PAIR_ROWS_H
#define BP_PAIR_ROWS_H

#include "world/world.h"

typedef struct bp_pair_rows bp_pair_rows;

// NULL if memory is short.
bp_pair_rows *bp_pair_rows_create(const bp_allocator *allocator);

// NULL is allowed.
void bp_pair_rows_destroy(bp_pair_rows *rows, const bp_allocator *allocator);

#endif
