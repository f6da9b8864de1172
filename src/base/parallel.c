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

size_t bp_parallel_blocks(const bp_executor *executor, size_t count, size_t least) {
    if (executor->workers <= 1) {
        return 1;
    }
    const size_t wanted = (size_t)executor->workers * BLOCKS_PER_WORKER;
    const size_t possible = count / least + 1;
    return wanted < possible ? wanted : possible;
}
