// Devices, their memory, copies and events. Everything is done when a call returns.
//
// A piece of device memory ends where a page begins that nobody may touch. And it is open only while a kernel runs or a copy is
// made: as on a device, the host cannot follow a pointer to it.
#include "on_host.h"

#include <cuda_runtime.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>

#include <sys/mman.h>

enum { PAGE = 4096, DEVICES = 2 };

bp_cuda_on_host_state bp_cuda_on_host = {(uint64_t)4 << 30, 0, 0, 0, 0, 0, 0, 0, -1};

struct piece {
    char *pages;
    size_t page_bytes, bytes;
    int device;
};

static std::mutex lock;
static std::map<const void *, piece> pieces;
static thread_local cudaError_t last_error;
static thread_local int current_device;

// ---- errors and devices ---------------------------------------------------------------------------------------------

namespace on_host {
cudaError_t refuse(cudaError_t error) {
    last_error = error;
    return error;
}
} // namespace on_host

using on_host::refuse;

cudaError_t cudaGetLastError() {
    const cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

const char *cudaGetErrorString(cudaError_t error) {
    switch (error) {
    case cudaSuccess: return "no error";
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInvalidConfiguration: return "invalid configuration argument";
    case cudaErrorInsufficientDriver: return "CUDA driver version is insufficient for CUDA runtime version";
    case cudaErrorNoDevice: return "no CUDA-capable device is detected";
    case cudaErrorInvalidDevice: return "invalid device ordinal";
    case cudaErrorLaunchFailure: return "unspecified launch failure";
    }
    return "unknown error";
}

static cudaError_t check_devices() {
    const char *visible = std::getenv("CUDA_VISIBLE_DEVICES");
    return visible != nullptr && visible[0] == '\0' ? refuse(cudaErrorNoDevice) : cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count) {
    const cudaError_t error = check_devices();
    *count = error == cudaSuccess ? DEVICES : 0;
    return error;
}

cudaError_t cudaGetDevice(int *device) {
    *device = current_device;
    return check_devices();
}

cudaError_t cudaSetDevice(int device) {
    if (device < 0 || device >= DEVICES) {
        return refuse(cudaErrorInvalidDevice);
    }
    current_device = device;
    return check_devices();
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static void protect(int how) {
    for (const auto &[data, piece] : pieces) {
        (void)data;
        (void)mprotect(piece.pages, piece.page_bytes, how);
    }
}

on_host::access::access() {
    lock.lock();
    if (bp_cuda_on_host.open == 0) {
        protect(PROT_READ | PROT_WRITE);
    }
}

on_host::access::~access() {
    if (bp_cuda_on_host.open == 0) {
        protect(PROT_NONE);
    }
    lock.unlock();
}

cudaError_t on_host::allocate(void **data, size_t bytes) {
    const std::lock_guard<std::mutex> hold(lock);
    *data = nullptr;
    if (check_devices() != cudaSuccess) {
        return cudaErrorNoDevice;
    }
    if (bytes > bp_cuda_on_host.memory - bp_cuda_on_host.used) {
        return refuse(cudaErrorMemoryAllocation);
    }
    const size_t aligned = (bytes + 15) / 16 * 16, page_bytes = (aligned + PAGE - 1) / PAGE * PAGE;
    void *pages = mmap(nullptr, page_bytes + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) {
        return refuse(cudaErrorMemoryAllocation);
    }
    (void)mprotect(pages, page_bytes, PROT_READ | PROT_WRITE);
    std::memset(pages, 0xcd, page_bytes);
    if (bp_cuda_on_host.open == 0) {
        (void)mprotect(pages, page_bytes, PROT_NONE);
    }
    *data = static_cast<char *>(pages) + (page_bytes - aligned);
    pieces[*data] = {static_cast<char *>(pages), page_bytes, bytes, current_device};
    bp_cuda_on_host.used += bytes;
    bp_cuda_on_host.allocations++;
    bp_cuda_on_host.bytes = bytes;
    return cudaSuccess;
}

cudaError_t cudaFree(void *data) {
    const std::lock_guard<std::mutex> hold(lock);
    if (data == nullptr) {
        return cudaSuccess;
    }
    const auto found = pieces.find(data);
    if (found == pieces.end()) {
        return refuse(cudaErrorInvalidValue);
    }
    bp_cuda_on_host.used -= found->second.bytes;
    bp_cuda_on_host.allocations--;
    (void)munmap(found->second.pages, found->second.page_bytes + PAGE);
    pieces.erase(found);
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *all) {
    const std::lock_guard<std::mutex> hold(lock);
    *all = bp_cuda_on_host.memory;
    *available = bp_cuda_on_host.memory - bp_cuda_on_host.used;
    return check_devices();
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *data) {
    const std::lock_guard<std::mutex> hold(lock);
    if (check_devices() != cudaSuccess) {
        return cudaErrorNoDevice;
    }
    auto found = pieces.upper_bound(data);
    const piece *last = found == pieces.begin() ? nullptr : &(--found)->second;
    if (last != nullptr && (const char *)data < last->pages + last->page_bytes) {
        *attributes = {cudaMemoryTypeDevice, last->device};
    } else if (bp_cuda_on_host.other >= 0 && (uintptr_t)data >= PAGE) {
        *attributes = {cudaMemoryTypeDevice, (int)bp_cuda_on_host.other};
    } else {
        *attributes = {cudaMemoryTypeUnregistered, -1};
    }
    return cudaSuccess;
}

cudaError_t on_host::allocate_pinned(void **data, size_t bytes) {
    *data = check_devices() == cudaSuccess ? std::malloc(bytes) : nullptr;
    const std::lock_guard<std::mutex> hold(lock);
    bp_cuda_on_host.pinned += *data != nullptr;
    return *data != nullptr ? cudaSuccess : refuse(cudaErrorMemoryAllocation);
}

cudaError_t cudaFreeHost(void *data) {
    std::free(data);
    const std::lock_guard<std::mutex> hold(lock);
    bp_cuda_on_host.pinned -= data != nullptr;
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind) {
    const on_host::access access;
    std::memcpy(to, from, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
    return cudaMemcpy(to, from, bytes, kind);
}

cudaError_t cudaMemset(void *to, int value, size_t bytes) {
    const on_host::access access;
    std::memset(to, value, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t) {
    return cudaMemset(to, value, bytes);
}

// ---- streams and events ---------------------------------------------------------------------------------------------

struct CUevent_st {
    std::chrono::steady_clock::time_point time;
};

cudaError_t cudaDeviceSynchronize() {
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t) {
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int) {
    *stream = reinterpret_cast<cudaStream_t>(new char);
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    delete reinterpret_cast<char *>(stream);
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    *event = new CUevent_st();
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int) {
    return cudaEventCreate(event);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    delete event;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
    event->time = std::chrono::steady_clock::now();
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t) {
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to) {
    *milliseconds = std::chrono::duration<float, std::milli>(to->time - from->time).count();
    return cudaSuccess;
}
