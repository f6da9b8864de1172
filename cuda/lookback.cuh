// Where the output of a tile begins: at the sum of the counts of all tiles before it.
//
//     state of a tile   0 | nothing yet        1 | its own count        2 | the count of all tiles up to it
//
// A warp goes back over groups of 32 tiles until it finds a sum. Tickets number tiles in the order in which they begin,
// so a tile only waits for tiles that are already running. Merrill and Garland, "Single-pass Parallel Prefix Scan with
// Decoupled Look-back" (2016). The sums do not depend on timing, so the output is the same on every run.
#ifndef BP_CUDA_LOOKBACK_CUH
#define BP_CUDA_LOOKBACK_CUH

#include <cstdint>

enum { BP_CUDA_STATE_SHIFT = 62 };

__device__ inline void bp_cuda_publish(unsigned long long *states, uint32_t tile, unsigned long long kind,
                                       unsigned long long count) {
    *(volatile unsigned long long *)&states[tile] = kind << BP_CUDA_STATE_SHIFT | count;
}

// The states of the 32 tiles before `tile`, the nearest in lane 0; before the first tile the sum is 0. (Reading 128 at
// once was slower.)
__device__ inline unsigned long long bp_cuda_state_before(const unsigned long long *states, uint32_t tile,
                                                          uint32_t lane) {
    unsigned long long state = 2ull << BP_CUDA_STATE_SHIFT;
    if (tile > lane) {
        do {
            state = *(const volatile unsigned long long *)&states[tile - 1 - lane];
        } while (state >> BP_CUDA_STATE_SHIFT == 0);
    }
    return state;
}

// The sum of the counts of all tiles before this one. The whole warp must call it.
__device__ inline unsigned long long bp_cuda_sum_before(const unsigned long long *states, uint32_t tile) {
    const uint32_t lane = threadIdx.x & 31;
    const unsigned long long mask = (1ull << BP_CUDA_STATE_SHIFT) - 1;
    unsigned long long sum = 0;
    for (bool more = true; more;) {
        const unsigned long long state = bp_cuda_state_before(states, tile, lane);
        const uint32_t sums = __ballot_sync(~0u, state >> BP_CUDA_STATE_SHIFT == 2);
        const uint32_t last = sums != 0 ? (uint32_t)__ffs((int)sums) - 1 : 31;
        unsigned long long part = lane <= last ? state & mask : 0;
        for (int offset = 16; offset > 0; offset /= 2) {
            part += __shfl_xor_sync(~0u, part, offset);
        }
        sum += part;
        more = sums == 0;
        tile -= 32;
    }
    return sum;
}

// Publishes the count of a tile and returns where its output begins; that of the first tile begins at `base`. The whole
// warp must call it.
__device__ inline unsigned long long bp_cuda_tile_begin(unsigned long long *states, uint32_t tile,
                                                        unsigned long long base, unsigned long long count) {
    const uint32_t lane = threadIdx.x & 31;
    if (tile > 0 && lane == 0) {
        bp_cuda_publish(states, tile, 1, count);
    }
    const unsigned long long begin = tile > 0 ? bp_cuda_sum_before(states, tile) : base;
    if (lane == 0) {
        bp_cuda_publish(states, tile, 2, begin + count);
    }
    return begin;
}

#endif
