// Parallel work: one loop over blocks. Blocks own their output, and results are joined in block order, so nothing
// depends on the number of threads or on which of them is first.
#ifndef BP_PARALLEL_H
#define BP_PARALLEL_H

#include <broadphase/broadphase.h>

// Calls task(context, i) for every i in 0 .. count-1 and returns when all calls are done.
void bp_parallel_for(const bp_executor *executor, size_t count, bp_task task, void *context);

// A number of items, cut into blocks of nearly the same size.
typedef struct bp_blocks {
    size_t item_count;
    size_t count; // of blocks, at least 1
} bp_blocks;

// Cuts items into blocks of at least `least` items: one block for one worker, about four for each of many workers, and
// never more than `most` blocks.
bp_blocks bp_blocks_cut(const bp_executor *executor, size_t item_count, size_t least, size_t most);

// Where a block begins. It ends where the next one begins.
static inline size_t bp_block_begin(bp_blocks blocks, size_t block) {
    return (size_t)((unsigned long long)blocks.item_count * block / blocks.count);
}

#endif
