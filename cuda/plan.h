// Chooses levels and cells on the host, from a sample of the boxes.
#ifndef BP_CUDA_PLAN_H
#define BP_CUDA_PLAN_H

#include "geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

// From how many boxes on they count as many, and the candidates of a box as very many. Tests on the host say less.
#if !defined(BP_CUDA_MANY)
#define BP_CUDA_MANY (1 << 19)
#define BP_CUDA_LONG (1 << 18)
#endif

enum {
    BP_CUDA_SAMPLE = 1024,                 // boxes in a sample
    BP_CUDA_TABLE_LOAD = 8,                // entries of the table per box, at most ...
    BP_CUDA_TABLE_MORE = 1 << 16,          // ... and so many more
    BP_CUDA_PARTITION_LEAST = BP_CUDA_MANY // boxes that are distributed rather than sorted
};

// Every stride-th box is a sample.
static inline size_t bp_cuda_sample_stride(size_t count) {
    return count <= BP_CUDA_SAMPLE ? 1 : (count + BP_CUDA_SAMPLE - 1) / BP_CUDA_SAMPLE;
}

// The index of a sample: one of each stride, at a varying place, because the kind of boxes may repeat with their index.
BP_HOST_DEVICE static inline size_t bp_cuda_sample_index(size_t sample, size_t stride, size_t count) {
    const uint64_t mixed = (uint64_t)sample * UINT64_C(0x9e3779b97f4a7c15);
    const size_t index = sample * stride + (size_t)((mixed ^ (mixed >> 29)) % stride);
    return index < count ? index : count - 1;
}

// Plans for `count` boxes. No sample can cause a lost pair: a box that fits no level is tested against all others.
void bp_cuda_plan(const bp_config *config, const bp_box *samples, size_t sample_count, size_t count,
                  bp_cuda_lattice *lattice);

// The number of bits of a key.
uint32_t bp_cuda_key_bits(const bp_cuda_lattice *lattice);

#ifdef __cplusplus
}
#endif

#endif
