// For tests: what the devices that are none were asked for, and what they shall answer. (../../../bindings/python/tests has
// this struct in Python.)
#ifndef BP_CUDA_ON_HOST_H
#define BP_CUDA_ON_HOST_H

#include <broadphase/broadphase.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bp_cuda_on_host_state {
    uint64_t memory;      // bytes of all devices together
    uint64_t used;        // of these
    uint64_t allocations; // alive, on devices
    uint64_t bytes;       // of the last of them
    uint64_t pinned;      // pieces of pinned memory, alive; a context has two
    uint64_t stream;      // of the last launch
    uint64_t fail;        // this launch from now on fails: 1 is the next; 0: none
    uint64_t open;        // device memory may be touched by the host
    int64_t other;        // the device of memory that is not CUDA's own; -1: none's
} bp_cuda_on_host_state;

BP_API extern bp_cuda_on_host_state bp_cuda_on_host;

// How often a kernel was launched, by its name in the source.
BP_API uint64_t bp_cuda_on_host_launches(const char *kernel);

#ifdef __cplusplus
}
#endif

#endif
