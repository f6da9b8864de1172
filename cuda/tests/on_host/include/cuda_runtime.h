// CUDA's language and runtime on the host, as far as cuda/ uses them. ../README.md says what this is for.
#ifndef BP_ON_HOST_CUDA_RUNTIME_H
#define BP_ON_HOST_CUDA_RUNTIME_H

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>

// ---- the language ---------------------------------------------------------------------------------------------------

#define __global__
#define __device__
#define __host__
#define __shared__ static // blocks run one after the other
#define __grid_constant__
#define __forceinline__ inline
#define __launch_bounds__(...)

struct alignas(8) uint2 {
    uint32_t x, y;
};
struct alignas(16) uint4 {
    uint32_t x, y, z, w;
};
struct alignas(8) float2 {
    float x, y;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
struct dim3 {
    uint32_t x, y, z;
};

static inline uint2 make_uint2(uint32_t x, uint32_t y) {
    return {x, y};
}
static inline uint4 make_uint4(uint32_t x, uint32_t y, uint32_t z, uint32_t w) {
    return {x, y, z, w};
}
static inline float4 make_float4(float x, float y, float z, float w) {
    return {x, y, z, w};
}

extern dim3 threadIdx, blockIdx, blockDim, gridDim;

typedef struct CUstream_st *cudaStream_t;

// rewrite.cmake makes of kernel<<<grid, block, shared, stream>>>(arguments)
//
//     on_host::launch("kernel", [&](const auto &...given) { (kernel)(given...); }, grid, block, shared, stream)(arguments)
namespace on_host {

enum { WARP = 32 };

// What the threads of a warp brought to a meeting.
struct warp_values {
    const uint64_t *of; // by lane
    uint32_t set;       // lanes whose value is not 0
};

// A thread waits until all of its warp, or block, have come to the same line.
warp_values meet_warp(uint32_t mask, uint64_t value, int line);
void meet_block(int line);
void *shared_memory();
void run(const char *name, uint32_t grid, uint32_t block, size_t shared, cudaStream_t stream,
         const std::function<void()> &thread);

template <class Kernel>
auto launch(const char *name, Kernel kernel, uint32_t grid, uint32_t block, size_t shared = 0,
            cudaStream_t stream = nullptr) {
    return [=](const auto &...given) { run(name, grid, block, shared, stream, [&] { kernel(given...); }); };
}

template <class T> uint64_t bits_of(T value) {
    static_assert(sizeof value <= sizeof(uint64_t) && std::is_trivially_copyable<T>::value, "fits a register or two");
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
}

template <class T> T value_of(uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

template <class T> T from_lane(uint32_t mask, T value, uint32_t lane, int line) {
    return value_of<T>(meet_warp(mask, bits_of(value), line).of[lane]);
}

static inline uint32_t own_lane() {
    return threadIdx.x % WARP;
}

} // namespace on_host

static inline void __syncthreads(int line = __builtin_LINE()) {
    on_host::meet_block(line);
}
static inline void __syncwarp(uint32_t mask = ~0u, int line = __builtin_LINE()) {
    on_host::meet_warp(mask, 0, line);
}
static inline uint32_t __ballot_sync(uint32_t mask, int value, int line = __builtin_LINE()) {
    return on_host::meet_warp(mask, value != 0, line).set;
}
static inline int __any_sync(uint32_t mask, int value, int line = __builtin_LINE()) {
    return on_host::meet_warp(mask, value != 0, line).set != 0;
}
template <class T> T __shfl_sync(uint32_t mask, T value, int lane, int line = __builtin_LINE()) {
    return on_host::from_lane(mask, value, (uint32_t)lane % on_host::WARP, line);
}
template <class T> T __shfl_xor_sync(uint32_t mask, T value, int bits, int line = __builtin_LINE()) {
    return on_host::from_lane(mask, value, on_host::own_lane() ^ (uint32_t)bits, line);
}
// Beyond the warp: the thread's own value.
template <class T> T __shfl_up_sync(uint32_t mask, T value, uint32_t by, int line = __builtin_LINE()) {
    const uint32_t lane = on_host::own_lane();
    return on_host::from_lane(mask, value, lane < by ? lane : lane - by, line);
}
template <class T> T __shfl_down_sync(uint32_t mask, T value, uint32_t by, int line = __builtin_LINE()) {
    const uint32_t lane = on_host::own_lane();
    return on_host::from_lane(mask, value, lane + by >= on_host::WARP ? lane : lane + by, line);
}
static inline uint32_t __reduce_add_sync(uint32_t mask, uint32_t value, int line = __builtin_LINE()) {
    const uint64_t *of = on_host::meet_warp(mask, value, line).of;
    uint32_t sum = 0;
    for (int i = 0; i < on_host::WARP; ++i) {
        sum += (uint32_t)of[i];
    }
    return sum;
}
static inline uint32_t __reduce_max_sync(uint32_t mask, uint32_t value, int line = __builtin_LINE()) {
    const uint64_t *of = on_host::meet_warp(mask, value, line).of;
    uint32_t most = 0;
    for (int i = 0; i < on_host::WARP; ++i) {
        most = (uint32_t)of[i] > most ? (uint32_t)of[i] : most;
    }
    return most;
}
template <class T> uint32_t __match_all_sync(uint32_t mask, T value, int *same, int line = __builtin_LINE()) {
    const uint64_t *of = on_host::meet_warp(mask, on_host::bits_of(value), line).of;
    *same = 1;
    for (int i = 1; i < on_host::WARP; ++i) {
        *same = *same != 0 && of[i] == of[0];
    }
    return *same != 0 ? mask : 0;
}

// One thread runs at a time, until it meets others: plain operations are atomic.
template <class T> T atomicAdd(T *place, std::common_type_t<T> value) {
    const T before = *place;
    *place = before + value;
    return before;
}
template <class T> T atomicMin(T *place, std::common_type_t<T> value) {
    const T before = *place;
    *place = value < before ? value : before;
    return before;
}
template <class T> T atomicMax(T *place, std::common_type_t<T> value) {
    const T before = *place;
    *place = value > before ? value : before;
    return before;
}
template <class T> T atomicOr(T *place, std::common_type_t<T> value) {
    const T before = *place;
    *place = before | value;
    return before;
}

template <class T> T __ldg(const T *place) {
    return *place;
}
template <class T> T __ldcs(const T *place) {
    return *place;
}
template <class T> T min(T a, T b) {
    return b < a ? b : a;
}
template <class T> T max(T a, T b) {
    return a < b ? b : a;
}
static inline int __popc(uint32_t bits) {
    return __builtin_popcount(bits);
}
static inline int __ffs(int bits) {
    return __builtin_ffs(bits);
}
// The place of the n-th bit from `base` on, for n > 0.
static inline uint32_t __fns(uint32_t bits, uint32_t base, int n) {
    for (uint32_t i = base; i < 32; ++i) {
        if ((bits >> i & 1u) != 0 && --n == 0) {
            return i;
        }
    }
    return ~0u;
}
static inline uint32_t __float_as_uint(float value) {
    return on_host::value_of<uint32_t>(on_host::bits_of(value));
}
static inline float __uint_as_float(uint32_t bits) {
    return on_host::value_of<float>(bits);
}
static inline float __double2float_rd(double value) {
    const float near = (float)value;
    return (double)near > value ? nextafterf(near, -INFINITY) : near;
}
static inline float __double2float_ru(double value) {
    return -__double2float_rd(-value);
}
static inline double __dadd_rn(double a, double b) {
    return a + b;
}
static inline double __dmul_rn(double a, double b) {
    return a * b;
}

namespace cuda {
namespace std {
using ::std::plus;
}
} // namespace cuda

// ---- the runtime ----------------------------------------------------------------------------------------------------

enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInsufficientDriver = 35,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorLaunchFailure = 719
};
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged };
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum { cudaHostAllocMapped = 2, cudaEventDisableTiming = 2, cudaStreamNonBlocking = 1 };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };

struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
};
typedef struct CUevent_st *cudaEvent_t;

namespace on_host {
cudaError_t allocate(void **data, size_t bytes);
cudaError_t allocate_pinned(void **data, size_t bytes);

// Device memory may be touched while one of these lives, and by one thread at a time.
struct access {
    access();
    ~access();
};
} // namespace on_host

cudaError_t cudaGetLastError();
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *data);
cudaError_t cudaMemGetInfo(size_t *available, size_t *all);
template <class T> cudaError_t cudaMalloc(T **data, size_t bytes) {
    return on_host::allocate(reinterpret_cast<void **>(data), bytes);
}
cudaError_t cudaFree(void *data);
template <class T> cudaError_t cudaHostAlloc(T **data, size_t bytes, unsigned int) {
    return on_host::allocate_pinned(reinterpret_cast<void **>(data), bytes);
}
cudaError_t cudaFreeHost(void *data);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t = nullptr);
cudaError_t cudaMemset(void *to, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t = nullptr);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to);
template <class Kernel> cudaError_t cudaFuncSetAttribute(Kernel, cudaFuncAttribute, int) {
    return cudaSuccess;
}

#endif
