// What the library runs on: the caller's memory, threads and log, with the defaults filled in.
#ifndef BP_RUNTIME_H
#define BP_RUNTIME_H

#include <broadphase/broadphase.h>

typedef struct bp_runtime {
    bp_allocator allocator;
    bp_executor executor;
    bp_log log;
} bp_runtime;

#endif
