// Compressed rows: the neighbours of each point, one row after the other.
//
//     pairs     (2, 7) (0, 2) (2, 5)
//     offsets   | 0 | 1 | 1 | 4 | ...       row 2 is indices[1 .. 4)
//     indices   | 2 | 0   5   7 | ...       ascending in each row
#ifndef BP_NEIGHBOR_ROWS_H
#define BP_NEIGHBOR_ROWS_H

#include "base/memory.h"
#include "base/runtime.h"
#include "kernels/kernels.h"

// Adds b to row a and, if `both_ways`, a to row b, for each of the pairs, which are all different. The memory of the
// pairs is used for sorting: their contents are lost. If memory is short, `rows` and the pairs are as before.
bp_status bp_neighbor_rows_make(bp_neighbors *rows, size_t row_count, bp_pair *pairs, size_t pair_count, bool both_ways,
                                const bp_kernels *kernels, const bp_runtime *runtime);

// Allocates room for `needed` elements if the memory held is not enough, with some slack if that is granted. The memory
// held is not touched.
bool bp_rows_obtain(bp_buffer *fresh, size_t held, size_t needed, size_t size, const bp_allocator *allocator);

// Makes room for rows. If memory is short, they are as before; else what they held may be lost.
bool bp_neighbor_rows_reserve(bp_neighbors *rows, size_t row_count, size_t index_count, const bp_allocator *allocator);

void bp_neighbor_rows_release(bp_neighbors *rows, const bp_allocator *allocator);

// Rows to be sorted to their places: short ones are sorted together, as many as the kernel takes. All zero is empty.
typedef struct bp_row_queue {
    bp_row_sort waiting;
    size_t count;
} bp_row_queue;

// Sorts different ids, from another place or the same, at once or later. The contents of `from` are lost; until
// bp_row_queue_end, nothing may be written there. `spare` is for a long row: of the same length, and other memory.
void bp_row_queue_add(bp_row_queue *queue, uint32_t *from, uint32_t *spare, size_t count, uint32_t *to,
                      const bp_kernels *kernels);
void bp_row_queue_end(bp_row_queue *queue, const bp_kernels *kernels);

#endif
