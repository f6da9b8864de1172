// Compressed rows: the neighbours of each point, one row after the other.
//
//     pairs     (2, 7) (0, 2) (2, 5)
//     offsets   | 0 | 1 | 1 | 4 | ...       row 2 is indices[1 .. 4)
//     indices   | 2 | 0   5   7 | ...       ascending in each row
#ifndef BP_NEIGHBOR_ROWS_H
#define BP_NEIGHBOR_ROWS_H

#include "base/memory.h"
#include "base/runtime.h"

// Adds b to row a and, if `both_ways`, a to row b, for each of the pairs, which are all different. The memory of the
// pairs is used for sorting: their contents are lost. If memory is short, `rows` and the pairs are as before.
bp_status bp_neighbor_rows_make(bp_neighbors *rows, size_t row_count, bp_pair *pairs, size_t pair_count, bool both_ways,
                                const bp_runtime *runtime);

#endif
