// For tests in C: an array on the device.
#include <cuda_runtime.h>

#include <cstddef>

extern "C" void *bp_cuda_test_copy(const void *from, size_t bytes) {
    void *there = nullptr;
    const bool copied = cudaMalloc(&there, bytes) == cudaSuccess &&
                        cudaMemcpy(there, from, bytes, cudaMemcpyHostToDevice) == cudaSuccess;
    return copied ? there : nullptr;
}

extern "C" void bp_cuda_test_back(void *to, const void *there, size_t bytes) {
    cudaMemcpy(to, there, bytes, cudaMemcpyDeviceToHost);
}

extern "C" void bp_cuda_test_free(void *there) {
    cudaFree(there);
}
