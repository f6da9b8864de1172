// What runs kernels on the host: barriers, shuffles and look-back do as CUDA's, and what is wrong in a kernel shows.
#include <cuda_runtime.h>

#include "lookback.cuh"
#include "on_host.h"

#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

enum { BLOCKS = 6, THREADS = 96 };

static int failures;

static void check(bool good, const char *what, const std::string &said = "") {
    failures += !good;
    if (!good) {
        printf("%s: %s\n", what, said.c_str());
    }
}

// An array on the device, for the kernels here.
template <class T> struct device_array {
    T *data = nullptr;
    size_t count;
    explicit device_array(const std::vector<T> &from) : count(from.size()) {
        (void)cudaMalloc(&data, count * sizeof(T));
        (void)cudaMemcpy(data, from.data(), count * sizeof(T), cudaMemcpyHostToDevice);
    }
    ~device_array() {
        (void)cudaFree(data);
    }
    std::vector<T> get() const {
        std::vector<T> values(count);
        (void)cudaMemcpy(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost);
        return values;
    }
};

// What a process writes that does this, and whether it ends badly.
template <class Work> static std::string end_of(Work work, bool &badly) {
    int ends[2], status = 0;
    std::string said;
    char letter;
    (void)!pipe(ends);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 2);
        work();
        _exit(0);
    }
    close(ends[1]);
    while (read(ends[0], &letter, 1) == 1) {
        said += letter;
    }
    close(ends[0]);
    waitpid(child, &status, 0);
    badly = status != 0;
    return said;
}

template <class Work> static void check_end(Work work, const char *words, const char *what) {
    bool badly = false;
    const std::string said = end_of(work, badly);
    check(badly && said.find(words) != std::string::npos, what, said);
}

// ---- kernels that are right -----------------------------------------------------------------------------------------

static __global__ void sum_up(uint32_t *sums) {
    __shared__ uint32_t warps[THREADS / 32];
    const uint32_t lane = threadIdx.x % 32;
    uint32_t sum = threadIdx.x;
    for (int by = 1; by < 32; by *= 2) {
        const uint32_t lower = __shfl_up_sync(~0u, sum, by);
        sum += lane >= (uint32_t)by ? lower : 0;
    }
    if (lane == 31) {
        warps[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    for (uint32_t i = 0; i < threadIdx.x / 32; ++i) {
        sum += warps[i];
    }
    sums[blockIdx.x * THREADS + threadIdx.x] = sum;
    __syncthreads();
}

static void check_sums() {
    const device_array<uint32_t> sums(std::vector<uint32_t>(BLOCKS * THREADS));
    sum_up<<<BLOCKS, THREADS>>>(sums.data);
    const std::vector<uint32_t> found = sums.get();
    bool good = true;
    for (uint32_t i = 0; i < found.size(); ++i) {
        good = good && found[i] == i % THREADS * (i % THREADS + 1) / 2;
    }
    check(good, "prefix sums");
    check(bp_cuda_on_host_launches("sum_up") == 1 && bp_cuda_on_host_launches("sum_down") == 0, "launches");
}

static __global__ void sum_states(const unsigned long long *states, uint32_t tile, unsigned long long *sum) {
    const unsigned long long before = bp_cuda_sum_before(states, tile);
    if (threadIdx.x == 0) {
        *sum = before;
    }
}

// Tile i has i + 1. Those up to `last` know the sum of all up to them, later ones their own count alone, as when tiles run at
// the same time.
static void check_lookback() {
    for (const uint32_t tile : {1u, 2u, 31u, 32u, 33u, 64u, 65u, 200u}) {
        for (uint32_t last = 0; last < tile; last += last < 3 || last + 3 > tile ? 1 : 7) {
            std::vector<unsigned long long> states(tile);
            for (unsigned long long i = 0; i < tile; ++i) {
                states[i] = i <= last ? 2ull << BP_CUDA_STATE_SHIFT | (i + 1) * (i + 2) / 2
                                      : 1ull << BP_CUDA_STATE_SHIFT | (i + 1);
            }
            const device_array<unsigned long long> given(states), sum({0});
            sum_states<<<1, 32>>>(given.data, tile, sum.data);
            check(sum.get()[0] == tile * (tile + 1ull) / 2, "look-back",
                  std::to_string(tile) + " tiles, the last sum at " + std::to_string(last));
        }
    }
}

// ---- kernels that are wrong -----------------------------------------------------------------------------------------

template <bool UP> static __global__ void read_too_early(uint32_t *seen) {
    __shared__ uint32_t values[THREADS];
    const uint32_t next = (threadIdx.x + (UP ? 1 : THREADS - 1)) % THREADS;
    values[threadIdx.x] = 0;
    __syncthreads();
    values[threadIdx.x] = 1;
    seen[blockIdx.x * THREADS + threadIdx.x] = values[next];
}

// In one of the orders of threads, most see nothing.
static void check_races() {
    const device_array<uint32_t> up(std::vector<uint32_t>(BLOCKS * THREADS)), down(std::vector<uint32_t>(up.count));
    read_too_early<true><<<BLOCKS, THREADS>>>(up.data);
    read_too_early<false><<<BLOCKS, THREADS>>>(down.data);
    for (const device_array<uint32_t> *array : {&up, &down}) {
        uint32_t wrong = 0;
        for (const uint32_t value : array->get()) {
            wrong += value == 0;
        }
        check(wrong > THREADS, "a missing barrier does not show");
    }
}

static __global__ void some_leave(uint32_t most) {
    if (threadIdx.x < most) {
        __syncthreads();
    }
}

static __global__ void a_lane_leaves() {
    if (threadIdx.x != 7) {
        (void)__ballot_sync(~0u, 1);
    }
}

static __global__ void two_ways() {
    if (threadIdx.x < 5) {
        __syncwarp();
    } else {
        (void)__ballot_sync(~0u, 1);
    }
}

static __global__ void write_at(uint32_t *array, size_t place) {
    array[place] = 1;
}

static void check_wrong_kernels() {
    check_end([] { some_leave<<<1, THREADS>>>(50); }, "kernel some_leave, block 0", "threads that end");
    check_end([] { a_lane_leaves<<<2, THREADS>>>(); }, "kernel a_lane_leaves, block 0", "a lane that ends");
    check_end([] { two_ways<<<1, THREADS>>>(); }, "at another barrier", "two barriers");
    const device_array<uint32_t> array(std::vector<uint32_t>(1000));
    write_at<<<1, 1>>>(array.data, 999);
    check_end([&] { write_at<<<1, 1>>>(array.data, 1000); }, "", "a write behind an array");
    check_end([&] { array.data[0] = 1; }, "", "a write of the host's");
    some_leave<<<0, 32>>>(32);
    check(cudaGetLastError() == cudaErrorInvalidConfiguration, "no blocks");
    some_leave<<<1, 2048>>>(32);
    check(cudaGetLastError() == cudaErrorInvalidConfiguration, "too many threads");
    check(cudaGetLastError() == cudaSuccess, "an error stays");
}

int main() {
    check_sums();
    check_lookback();
    check_races();
    check_wrong_kernels();
    check(bp_cuda_on_host.allocations == 0, "memory is left");
    return failures > 0;
}
