// Devices, their memory, and rows in it, for callers that have no CUDA of their own.
#include <broadphase/broadphase_cuda.h>

#include <cuda_runtime.h>

// An error is cleared, so that it does not show in a later call.
static bp_status status_of(cudaError_t error) {
    if (error == cudaSuccess) {
        return BP_OK;
    }
    (void)cudaGetLastError();
    switch (error) {
    case cudaErrorMemoryAllocation: return BP_ERROR_MEMORY;
    case cudaErrorInvalidDevice:
    case cudaErrorInvalidValue: return BP_ERROR_ARGUMENT;
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver: return BP_ERROR_UNSUPPORTED;
    default: return BP_ERROR_INTERNAL;
    }
}

bp_status bp_cuda_device_of(const void *data, int *device) {
    if (device == nullptr) {
        return BP_ERROR_ARGUMENT;
    }
    cudaPointerAttributes attributes = {};
    const bp_status status = status_of(cudaPointerGetAttributes(&attributes, data));
    if (status != BP_OK) {
        return status;
    }
    if (attributes.type != cudaMemoryTypeDevice && attributes.type != cudaMemoryTypeManaged) {
        return BP_ERROR_ARGUMENT;
    }
    *device = attributes.device;
    return BP_OK;
}

bp_status bp_cuda_use_device(int device, int *before) {
    int current = 0;
    const bp_status status = status_of(cudaGetDevice(&current));
    if (status != BP_OK) {
        return status;
    }
    if (before != nullptr) {
        *before = current;
    }
    return current == device ? BP_OK : status_of(cudaSetDevice(device));
}

bp_status bp_cuda_allocate(size_t bytes, void **data) {
    if (data == nullptr) {
        return BP_ERROR_ARGUMENT;
    }
    *data = nullptr;
    return status_of(cudaMalloc(data, bytes > 0 ? bytes : 1));
}

enum { THREADS = 256, BLOCKS_MOST = 132 * 16 };

template <class Number>
static __global__ void __launch_bounds__(THREADS)
    widen_rows(const Number *__restrict__ flat, size_t corners, Number *__restrict__ wide) {
    for (size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x; i < corners; i += (size_t)gridDim.x * THREADS) {
        wide[3 * i] = flat[2 * i];
        wide[3 * i + 1] = flat[2 * i + 1];
        wide[3 * i + 2] = 0;
    }
}

template <class Number>
static bp_status widen(const Number *flat, size_t corners, bp_cuda_stream stream, Number *wide) {
    if (corners > 0 && (flat == nullptr || wide == nullptr)) {
        return BP_ERROR_ARGUMENT;
    }
    if (corners == 0) {
        return BP_OK;
    }
    const size_t wanted = (corners + THREADS - 1) / THREADS;
    const unsigned int blocks = (unsigned int)(wanted < BLOCKS_MOST ? wanted : BLOCKS_MOST);
    widen_rows<Number><<<blocks, THREADS, 0, stream>>>(flat, corners, wide);
    const bp_status status = status_of(cudaGetLastError());
    return status != BP_OK ? status : status_of(cudaStreamSynchronize(stream));
}

bp_status bp_cuda_widen(const float *flat, size_t corners, bp_cuda_stream stream, float *wide) {
    return widen(flat, corners, stream, wide);
}

bp_status bp_cuda_widen_double(const double *flat, size_t corners, bp_cuda_stream stream, double *wide) {
    return widen(flat, corners, stream, wide);
}

// Not by cudaFreeAsync: nobody says in which streams the memory was used last, and cudaFree waits for all of them.
void bp_cuda_release(void *data) {
    (void)status_of(cudaFree(data));
}
