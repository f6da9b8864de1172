// Devices and their memory, for callers that have no CUDA of their own.
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

// Not by cudaFreeAsync: nobody says in which streams the memory was used last, and cudaFree waits for all of them.
void bp_cuda_release(void *data) {
    (void)status_of(cudaFree(data));
}
