// Many questions of one type at once.
//
//     questions   | 0 | 1 | 2 | 3 | 4 | 5 | ...      as the caller gives them
//     blocks      |   0 1 2   |   3 4 5   | ...      each has a list of its own, row after row as they are done
//     answers     | row 0 | row 1 | ...              the first block's, with those of the others copied behind them
//
// Boxes go down the tree dozens at a time; lines and points walk sixteen at a time, in turn. A row depends on its question alone,
// so the answers are the same for any number of workers.
#ifndef BP_QUERY_BATCH_H
#define BP_QUERY_BATCH_H

#include "base/memory.h"

// Memory of batches, kept from one to the next. All zero is empty.
typedef struct bp_batch_memory {
    bp_buffer offsets, blocks;
    size_t block_count;
} bp_batch_memory;

size_t bp_batch_memory_bytes(const bp_batch_memory *memory);
void bp_batch_memory_free(bp_batch_memory *memory, const bp_allocator *allocator);

#endif
