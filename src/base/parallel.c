#include "base/parallel.h"

enum { BLOCKS_PER_WORKER = 4 };

void bp_parallel_for(const bp_executor *executor, size_t count, bp_task task, void *context) {
    if (count > 1 && executor->workers > 1 && executor->run != NULL) {
        executor->run(executor->context, task, context, count);
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        task(context, i);
    }
}

bp_blocks bp_blocks_cut(const bp_executor *executor, size_t item_count, size_t least, size_t most) {
    const uint64_t wanted = executor->workers > 1 ? (uint64_t)executor->workers * BLOCKS_PER_WORKER : 1;
    const size_t possible = item_count / least + 1;
    const size_t count = wanted < possible ? (size_t)wanted : possible;
    return (bp_blocks){.item_count = item_count, .count = count < most ? count : most};
}
