#include "base/parallel.h"

#ifdef _OPENMP
#include <omp.h>
#endif

enum { BLOCKS_PER_WORKER = 4 };

uint32_t bp_parallel_workers(int32_t threads) {
#ifdef _OPENMP
    if (threads < 0) {
        return (uint32_t)omp_get_num_procs();
    }
#endif
    return threads > 0 ? (uint32_t)threads : 1;
}

static void run_openmp(uint32_t workers, size_t count, bp_task task, void *context) {
#ifdef _OPENMP
#pragma omp parallel for num_threads((int)workers) schedule(dynamic, 1)
    for (size_t i = 0; i < count; ++i) {
        task(context, i);
    }
#else
    (void)workers;
    for (size_t i = 0; i < count; ++i) {
        task(context, i);
    }
#endif
}

void bp_parallel_for(const bp_executor *executor, size_t count, bp_task task, void *context) {
    if (count <= 1 || executor->workers <= 1) {
        for (size_t i = 0; i < count; ++i) {
            task(context, i);
        }
    } else if (executor->run != NULL) {
        executor->run(executor->context, task, context, count);
    } else {
        run_openmp(executor->workers, count, task, context);
    }
}

bp_blocks bp_blocks_cut(const bp_executor *executor, size_t item_count, size_t least, size_t most) {
    const size_t wanted = executor->workers > 1 ? (size_t)executor->workers * BLOCKS_PER_WORKER : 1;
    const size_t possible = item_count / least + 1;
    const size_t count = wanted < possible ? wanted : possible;
    return (bp_blocks){.item_count = item_count, .count = count < most ? count : most};
}
