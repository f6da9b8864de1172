// What the library runs on: the caller's memory, threads and log, with the defaults filled in.
#ifndef BP_RUNTIME_H
#define BP_RUNTIME_H

#include <broadphase/broadphase.h>
#include <stdbool.h>

typedef struct bp_runtime {
    bp_allocator allocator;
    bp_executor executor;
    bool owns_workers; // the executor's: bp_workers_open made them
    bp_log log;
} bp_runtime;

#endif
