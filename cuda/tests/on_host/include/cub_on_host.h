// What cuda/ uses of CUB, by the standard library: what it computes, not how. Without memory (NULL) a call says how much it
// needs, as CUB's do.
#ifndef BP_ON_HOST_CUB_H
#define BP_ON_HOST_CUB_H

#include <cuda_runtime.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace cub {

// Fills working memory, which must be there. True: there is work to do.
static inline bool takes_memory(void *memory, size_t &bytes, size_t needed, cudaError_t &error) {
    error = memory != nullptr && bytes < needed ? cudaErrorInvalidValue : cudaSuccess;
    if (memory == nullptr) {
        bytes = needed;
        return false;
    }
    if (error == cudaSuccess) {
        std::memset(memory, 0xcd, bytes);
    }
    return error == cudaSuccess;
}

template <class T> struct DoubleBuffer {
    T *d_buffers[2];
    int selector = 0;
    DoubleBuffer(T *current, T *other) : d_buffers{current, other} {
    }
    T *Current() const {
        return d_buffers[selector];
    }
    T *Alternate() const {
        return d_buffers[selector ^ 1];
    }
};

struct DeviceRadixSort {
    // Stable, by the bits first .. last alone. As in CUB, the number of passes decides which buffer has the result.
    template <class Key, class Value>
    static cudaError_t SortPairs(void *memory, size_t &bytes, DoubleBuffer<Key> &keys, DoubleBuffer<Value> &values,
                                 uint64_t count, int first, int last, cudaStream_t = nullptr) {
        cudaError_t error;
        const on_host::access access;
        if (!takes_memory(memory, bytes, 256, error)) {
            return error;
        }
        std::vector<uint64_t> order(count);
        std::iota(order.begin(), order.end(), 0);
        const uint64_t mask = last - first < 64 ? (1ull << (last - first)) - 1 : ~0ull;
        const Key *given = keys.Current();
        std::stable_sort(order.begin(), order.end(), [=](uint64_t a, uint64_t b) {
            return ((uint64_t)given[a] >> first & mask) < ((uint64_t)given[b] >> first & mask);
        });
        move(keys, order);
        move(values, order);
        if ((last - first + 7) / 8 % 2 == 0) {
            std::iota(order.begin(), order.end(), 0);
            move(keys, order);
            move(values, order);
        }
        return cudaSuccess;
    }

    template <class Key>
    static cudaError_t SortKeys(void *memory, size_t &bytes, DoubleBuffer<Key> &keys, uint64_t count, int first,
                                int last, cudaStream_t stream = nullptr) {
        std::vector<char> nothing(2 * count);
        DoubleBuffer<char> values(nothing.data(), nothing.data() + count);
        return SortPairs(memory, bytes, keys, values, count, first, last, stream);
    }

private:
    // Into the other buffer; this one is spoilt.
    template <class T> static void move(DoubleBuffer<T> &buffer, const std::vector<uint64_t> &order) {
        for (size_t i = 0; i < order.size(); ++i) {
            buffer.Alternate()[i] = buffer.Current()[order[i]];
        }
        std::memset(buffer.Current(), 0xcd, order.size() * sizeof(T));
        buffer.selector ^= 1;
    }
};

struct DeviceScan {
    template <class In, class Out, class Operation, class Value>
    static cudaError_t ExclusiveScan(void *memory, size_t &bytes, const In *in, Out *out, Operation operation,
                                     Value sum, uint64_t count, cudaStream_t = nullptr) {
        cudaError_t error;
        const on_host::access access;
        if (takes_memory(memory, bytes, 256, error)) {
            for (uint64_t i = 0; i < count; ++i) {
                const In value = in[i];
                out[i] = sum;
                sum = operation(sum, value);
            }
        }
        return error;
    }

    template <class T>
    static cudaError_t ExclusiveSum(void *memory, size_t &bytes, const T *in, T *out, uint64_t count,
                                    cudaStream_t stream = nullptr) {
        return ExclusiveScan(memory, bytes, in, out, std::plus<>{}, T{}, count, stream);
    }
};

struct DeviceSegmentedSort {
    template <class Key, class Offset>
    static cudaError_t SortKeys(void *memory, size_t &bytes, const Key *in, Key *out, int64_t, int64_t segments,
                                const Offset *begins, const Offset *ends, cudaStream_t = nullptr) {
        cudaError_t error;
        const on_host::access access;
        if (takes_memory(memory, bytes, 256, error)) {
            for (int64_t i = 0; i < segments; ++i) {
                std::copy(in + begins[i], in + ends[i], out + begins[i]);
                std::sort(out + begins[i], out + ends[i]);
            }
        }
        return error;
    }
};

// As CUB's, it may be used again only after another barrier.
template <class T, int THREADS> struct BlockScan {
    struct TempStorage {
        T values[THREADS];
    };
    TempStorage &space;
    explicit BlockScan(TempStorage &storage) : space(storage) {
    }

    void ExclusiveSum(T value, T &before, T &all) {
        space.values[threadIdx.x] = value;
        __syncthreads();
        before = std::accumulate(space.values, space.values + threadIdx.x, T{});
        all = std::accumulate(space.values + threadIdx.x, space.values + THREADS, before);
    }
    void ExclusiveSum(T value, T &before) {
        T all;
        ExclusiveSum(value, before, all);
    }
};

} // namespace cub

#endif
