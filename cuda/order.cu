// Sorts pairs by (a, b), as 64-bit numbers with a in the upper half, with CUB's radix sort.
#include "context.cuh"

#include <cub/device/device_radix_sort.cuh>

enum { THREADS = 256, BLOCKS_MOST = 132 * 16 };

// (a, b) lies in memory with b in the upper half.
static __global__ void swap_halves(unsigned long long *pairs, uint64_t count) {
    for (uint64_t i = blockIdx.x * (uint64_t)THREADS + threadIdx.x; i < count; i += (uint64_t)gridDim.x * THREADS) {
        pairs[i] = pairs[i] << 32 | pairs[i] >> 32;
    }
}

bp_status bp_cuda_order_pairs(bp_cuda_context *context, bp_pair *pairs, uint64_t count, cudaStream_t stream) {
    if (count == 0) {
        return BP_OK;
    }
    BP_CUDA_TRY(bp_cuda_reserve(context, &context->ordered, count * sizeof(bp_pair)));
    unsigned long long *given = reinterpret_cast<unsigned long long *>(pairs);
    cub::DoubleBuffer<unsigned long long> keys(given, static_cast<unsigned long long *>(context->ordered.data));
    size_t bytes = 0;
    BP_CUDA_TRY(bp_cuda_check(context, cub::DeviceRadixSort::SortKeys(nullptr, bytes, keys, count, 0, 64, stream),
                              "ordering pairs"));
    BP_CUDA_TRY(bp_cuda_reserve(context, &context->sort_space, bytes));
    const uint64_t wanted = (count + THREADS - 1) / THREADS;
    const unsigned int blocks = (unsigned int)(wanted < BLOCKS_MOST ? wanted : BLOCKS_MOST);
    swap_halves<<<blocks, THREADS, 0, stream>>>(given, count);
    BP_CUDA_TRY(bp_cuda_check(
        context, cub::DeviceRadixSort::SortKeys(context->sort_space.data, bytes, keys, count, 0, 64, stream),
        "ordering pairs"));
    swap_halves<<<blocks, THREADS, 0, stream>>>(keys.Current(), count);
    BP_CUDA_TRY(bp_cuda_launched(context, "ordering pairs"));
    if (keys.Current() != given) {
        BP_CUDA_TRY(bp_cuda_check(
            context, cudaMemcpyAsync(given, keys.Current(), count * sizeof(bp_pair), cudaMemcpyDeviceToDevice, stream),
            "ordering pairs"));
    }
    return bp_cuda_check(context, cudaStreamSynchronize(stream), "ordering pairs");
}
