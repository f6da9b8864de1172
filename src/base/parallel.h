// Parallel work: one loop over blocks. Blocks own their output, and results are joined in block order, so that nothing
// depends on how many threads ran or which of them was first.
#ifndef BP_PARALLEL_H
#define BP_PARALLEL_H

#include <broadphase/broadphase.h>

// Calls task(context, i) for every i in 0 .. count-1 and returns when all are done.
void bp_parallel_for(const bp_executor *executor, size_t count, bp_task task, void *context);

// How many threads `config.threads` means on this machine.
uint32_t bp_parallel_workers(int32_t threads);

// Into how many blocks to cut `count` items of at least `least` each: one for one worker, about four for each of many.
size_t bp_parallel_blocks(const bp_executor *executor, size_t count, size_t least);

#endif
