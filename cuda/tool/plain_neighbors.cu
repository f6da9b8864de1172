// The baseline for bp_cuda_find_neighbors: neighbours as they are usually found on a GPU (after NVIDIA Warp's hash
// grid). Cells of one radius, (cell, index) sorted, the begin and end of each cell, and a thread per point, in the
// caller's order, that searches 27 cells and loads each candidate through its index; once to count, once to write.
#include "tool.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

enum { THREADS = 256 };

struct plain_grid {
    float inverse;
    int size[3];
    float radius;
};

static __device__ int cell_along(const plain_grid &g, int axis, float coordinate) {
    return min(max((int)floorf(coordinate * g.inverse), 0), g.size[axis] - 1);
}

static __global__ void plain_keys(plain_grid g, const float *points, uint32_t count, uint32_t *keys,
                                  uint32_t *indices) {
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    if (i < count) {
        const int x = cell_along(g, 0, points[3 * (size_t)i]), y = cell_along(g, 1, points[3 * (size_t)i + 1]);
        keys[i] = (uint32_t)((cell_along(g, 2, points[3 * (size_t)i + 2]) * g.size[1] + y) * g.size[0] + x);
        indices[i] = i;
    }
}

static __global__ void plain_cells(const uint32_t *keys, uint32_t count, uint2 *cells) {
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    if (i < count) {
        if (i == 0 || keys[i] != keys[i - 1]) {
            cells[keys[i]].x = i;
        }
        if (i + 1 == count || keys[i] != keys[i + 1]) {
            cells[keys[i]].y = i + 1;
        }
    }
}

template <bool WRITE>
static __global__ void plain_search(plain_grid g, const float *points, uint32_t count, const uint32_t *indices,
                                    const uint2 *cells, uint32_t *counts, const uint64_t *offsets, uint32_t *found) {
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) {
        return;
    }
    const float x = points[3 * (size_t)i], y = points[3 * (size_t)i + 1], z = points[3 * (size_t)i + 2];
    const int cx = cell_along(g, 0, x), cy = cell_along(g, 1, y), cz = cell_along(g, 2, z);
    uint32_t number = 0;
    for (int k = max(cz - 1, 0); k <= min(cz + 1, g.size[2] - 1); ++k) {
        for (int j = max(cy - 1, 0); j <= min(cy + 1, g.size[1] - 1); ++j) {
            for (int h = max(cx - 1, 0); h <= min(cx + 1, g.size[0] - 1); ++h) {
                const uint2 cell = cells[(size_t)(k * g.size[1] + j) * g.size[0] + h];
                for (uint32_t p = cell.x; p < cell.y; ++p) {
                    const uint32_t other = indices[p];
                    const float dx = points[3 * (size_t)other] - x, dy = points[3 * (size_t)other + 1] - y;
                    const float dz = points[3 * (size_t)other + 2] - z;
                    if (other != i && dx * dx + dy * dy + dz * dz <= g.radius * g.radius) {
                        if (WRITE) {
                            found[offsets[i] + number] = other;
                        }
                        ++number;
                    }
                }
            }
        }
    }
    if (!WRITE) {
        counts[i] = number;
    }
}

float tool_plain_neighbors(const float *points, size_t count, float radius, uint64_t *offsets, uint32_t *indices,
                           uint64_t capacity, uint64_t *found) {
    const int edge = (int)(cbrt((double)count / 0.1) / (double)radius) + 1;
    const plain_grid g = {1.0f / radius, {edge, edge, edge}, radius};
    const size_t cell_count = (size_t)edge * edge * edge;
    uint32_t *keys[2], *order[2], *counts;
    uint2 *cells;
    void *space = nullptr;
    size_t bytes = 0, scan_bytes = 0;
    for (int i = 0; i < 2; ++i) {
        cudaMalloc(&keys[i], count * sizeof(uint32_t));
        cudaMalloc(&order[i], count * sizeof(uint32_t));
    }
    cudaMalloc(&counts, (count + 1) * sizeof(uint32_t));
    cudaMalloc(&cells, cell_count * sizeof(uint2));
    cub::DoubleBuffer<uint32_t> key_buffer(keys[0], keys[1]), order_buffer(order[0], order[1]);
    int bits = 1;
    while (cell_count >> bits != 0) {
        ++bits;
    }
    cub::DeviceRadixSort::SortPairs(nullptr, bytes, key_buffer, order_buffer, (uint32_t)count, 0, bits);
    cub::DeviceScan::ExclusiveScan(nullptr, scan_bytes, counts, offsets, ::cuda::std::plus<>{}, (uint64_t)0, count + 1);
    bytes = bytes > scan_bytes ? bytes : scan_bytes;
    cudaMalloc(&space, bytes);
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    const unsigned blocks = (unsigned)((count + THREADS - 1) / THREADS);
    float best = 1e30f;
    for (int repeat = 0; repeat < 5; ++repeat) {
        key_buffer.selector = order_buffer.selector = 0;
        cudaEventRecord(begin);
        plain_keys<<<blocks, THREADS>>>(g, points, (uint32_t)count, keys[0], order[0]);
        cub::DeviceRadixSort::SortPairs(space, bytes, key_buffer, order_buffer, (uint32_t)count, 0, bits);
        cudaMemsetAsync(cells, 0, cell_count * sizeof(uint2));
        plain_cells<<<blocks, THREADS>>>(key_buffer.Current(), (uint32_t)count, cells);
        cudaMemsetAsync(counts + count, 0, sizeof(uint32_t));
        plain_search<false>
            <<<blocks, THREADS>>>(g, points, (uint32_t)count, order_buffer.Current(), cells, counts, nullptr, nullptr);
        cub::DeviceScan::ExclusiveScan(space, bytes, counts, offsets, ::cuda::std::plus<>{}, (uint64_t)0, count + 1);
        plain_search<true>
            <<<blocks, THREADS>>>(g, points, (uint32_t)count, order_buffer.Current(), cells, counts, offsets, indices);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        float milliseconds = 0.0f;
        cudaEventElapsedTime(&milliseconds, begin, end);
        best = milliseconds < best ? milliseconds : best;
    }
    cudaMemcpy(found, offsets + count, sizeof *found, cudaMemcpyDeviceToHost);
    const bool good = cudaGetLastError() == cudaSuccess && *found <= capacity;
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    for (void *memory :
         {(void *)keys[0], (void *)keys[1], (void *)order[0], (void *)order[1], (void *)counts, (void *)cells, space}) {
        cudaFree(memory);
    }
    return good ? best : -1.0f;
}
