// Neighbours of points: a uniform grid with cells of twice the radius, so that a point looks into two by two rows of two
// cells at most, and into 2.25 rows on average; cells of one radius would hold as many candidates in nine rows.
//
//     keys, sort, table as for boxes (build.cu); points go along as (x, y, z, index), 16 bytes, in the order of cells
//     count    each point counts its neighbours and keeps the first four of them
//     offsets  a scan over the counts, in the order of the points as given
//     write    from the four that were kept; only points with more go through their candidates again
//
// Cost: candidates in 27 radii cubed for each point. It loses where many points lie closer together than the radius; but
// then the result is as large.
#include "context.cuh"

#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_sort.cuh>

enum { THREADS = 256, KEPT = 4, SORTED_BY_ONE = 64 };

struct point_grid {
    double inverse, radius, square; // radius rounded up; the square is exactly what is compared with
    int32_t first[3], last[3];      // cells
    uint32_t strides[3];
    uint32_t key_count;
    uint32_t dimensions;
    bool half; // each pair once
};

struct point_job {
    point_grid grid;
    const float4 *points;
    const uint32_t *table;
    uint32_t count;
    uint32_t *counts; // by index of the point; then `offsets`
    uint4 *kept;      // by position
    const uint64_t *offsets;
    uint32_t *indices;
    uint64_t capacity;
    bp_cuda_result *result;
};

static unsigned int blocks_for(size_t count) {
    return (unsigned int)((count + THREADS - 1) / THREADS);
}

// ---- grid -----------------------------------------------------------------------------------------------------------

static __global__ void sample_points(const float *points, size_t count, size_t stride, uint32_t sample_count,
                                     bp_box *samples) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < sample_count) {
        const float *point = points + 3 * bp_cuda_sample_index(i, stride, count);
        samples[i] = {{point[0], point[1], point[2]}, {point[0], point[1], point[2]}};
    }
}

static double cells_for(const bp_box &bounds, double cell, uint32_t dimensions) {
    double cells = 1.0;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        cells *= floor(((double)bounds.max[axis] - (double)bounds.min[axis]) / cell) + 2.0;
    }
    return cells;
}

static bp_box bounds_of(const bp_box *samples, uint32_t count) {
    bp_box bounds = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    bool any = false;
    for (uint32_t i = 0; i < count; ++i) {
        if (isfinite(samples[i].min[0]) && isfinite(samples[i].min[1]) && isfinite(samples[i].min[2])) {
            for (int axis = 0; axis < 3; ++axis) {
                bounds.min[axis] = any ? fminf(bounds.min[axis], samples[i].min[axis]) : samples[i].min[axis];
                bounds.max[axis] = any ? fmaxf(bounds.max[axis], samples[i].min[axis]) : samples[i].min[axis];
            }
            any = true;
        }
    }
    return bounds;
}

// Points outside of where the samples are count as being in the outermost cells.
static point_grid plan_points(const bp_config &config, const bp_box &bounds, size_t count, float radius) {
    point_grid grid = {};
    double cell = fmax(2.0 * (double)radius, 1e-300), longest = 0.0;
    for (uint32_t axis = 0; axis < config.dimensions; ++axis) {
        longest = fmax(longest, (double)bounds.max[axis] - (double)bounds.min[axis]);
        longest = fmax(longest, fmax(fabs((double)bounds.max[axis]), fabs((double)bounds.min[axis])) * 0x1p-8);
    }
    cell = fmax(cell, longest * 0x1p-20);
    const double most = fmin((double)count * BP_CUDA_TABLE_LOAD + 1024.0, 4294967000.0);
    while (cells_for(bounds, cell, config.dimensions) > most) {
        cell *= 2.0;
    }
    grid.inverse = 1.0 / cell;
    grid.radius = (double)radius * (1.0 + 1e-12);
    grid.square = (double)radius * (double)radius;
    grid.dimensions = config.dimensions;
    grid.half = (config.flags & BP_NEIGHBORS_HALF) != 0;
    grid.key_count = 1;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        if (axis < config.dimensions) {
            grid.first[axis] = bp_cell_of(bounds.min[axis], grid.inverse);
            grid.last[axis] = bp_cell_of(bounds.max[axis], grid.inverse);
        }
        grid.strides[axis] = grid.key_count;
        grid.key_count *= (uint32_t)(grid.last[axis] - grid.first[axis]) + 1;
    }
    return grid;
}

static __device__ uint32_t cell_along(const point_grid &grid, int axis, double coordinate) {
    return (uint32_t)(bp_cuda_clamp(bp_cell_of_double(coordinate, grid.inverse), grid.first[axis], grid.last[axis]) -
                      grid.first[axis]);
}

static __global__ void __launch_bounds__(THREADS)
    make_point_keys(const __grid_constant__ point_grid grid, const float *__restrict__ points, uint32_t count,
                    uint32_t *keys, uint32_t *indices, bp_cuda_result *result) {
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) {
        return;
    }
    uint32_t key = 0;
    bool valid = true;
    for (uint32_t axis = 0; axis < grid.dimensions; ++axis) {
        const float coordinate = __ldg(points + 3 * (size_t)i + axis);
        key += cell_along(grid, (int)axis, (double)coordinate) * grid.strides[axis];
        valid = valid && isfinite(coordinate);
    }
    if (!valid) {
        atomicMin(&result->invalid, (unsigned long long)i);
    }
    keys[i] = key;
    indices[i] = i;
}

static __global__ void __launch_bounds__(THREADS)
    arrange_points(const uint32_t *__restrict__ indices, const float *__restrict__ points, uint32_t count,
                   float4 *sorted) {
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    if (i < count) {
        const uint32_t index = indices[i];
        const float *point = points + 3 * (size_t)index;
        sorted[i] = make_float4(__ldg(point), __ldg(point + 1), __ldg(point + 2), __uint_as_float(index));
    }
}

// ---- search ---------------------------------------------------------------------------------------------------------

static __device__ bool is_near(const point_grid &grid, float4 a, float4 b) {
    const double dx = (double)a.x - (double)b.x, dy = (double)a.y - (double)b.y;
    const double dz = grid.dimensions == 3 ? (double)a.z - (double)b.z : 0.0;
    // No fused operations: the host's result is the same to the last bit.
    return __dadd_rn(__dadd_rn(__dmul_rn(dx, dx), __dmul_rn(dy, dy)), __dmul_rn(dz, dz)) <= grid.square;
}

// Calls found(index) for each neighbour, in the order of cells.
template <class Found> static __device__ void search_near(const point_job &j, float4 point, Found found) {
    const point_grid &grid = j.grid;
    const uint32_t own = __float_as_uint(point.w);
    const uint32_t x_low = cell_along(grid, 0, (double)point.x - grid.radius);
    const uint32_t x_high = cell_along(grid, 0, (double)point.x + grid.radius);
    const uint32_t y_low = cell_along(grid, 1, (double)point.y - grid.radius);
    const uint32_t y_high = cell_along(grid, 1, (double)point.y + grid.radius);
    const uint32_t z_low = grid.dimensions == 3 ? cell_along(grid, 2, (double)point.z - grid.radius) : 0;
    const uint32_t z_high = grid.dimensions == 3 ? cell_along(grid, 2, (double)point.z + grid.radius) : 0;
    for (uint32_t z = z_low; z <= z_high; ++z) {
        for (uint32_t y = y_low; y <= y_high; ++y) {
            const uint32_t row = z * grid.strides[2] + y * grid.strides[1];
            const uint32_t end = __ldg(j.table + row + x_high + 1);
            for (uint32_t i = __ldg(j.table + row + x_low); i < end; ++i) {
                const float4 other = __ldg(j.points + i);
                const uint32_t index = __float_as_uint(other.w);
                if (is_near(grid, point, other) && (grid.half ? index > own : index != own)) {
                    found(index);
                }
            }
        }
    }
}

static __global__ void __launch_bounds__(THREADS) count_neighbors(const __grid_constant__ point_job j) {
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    uint32_t count = 0;
    if (i < j.count) {
        const float4 point = __ldg(j.points + i);
        uint4 kept = make_uint4(0, 0, 0, 0);
        search_near(j, point, [&](uint32_t index) {
            kept.x = count == 0 ? index : kept.x;
            kept.y = count == 1 ? index : kept.y;
            kept.z = count == 2 ? index : kept.z;
            kept.w = count == 3 ? index : kept.w;
            ++count;
        });
        j.counts[__float_as_uint(point.w)] = count;
        if (count > 0) {
            j.kept[i] = kept;
        }
    }
    const uint32_t longest = __reduce_max_sync(~0u, count);
    if ((threadIdx.x & 31) == 0 && longest > SORTED_BY_ONE) {
        atomicMax(&j.result->longest, longest);
    }
}

static __device__ void sort_row(uint32_t *row, uint32_t count) {
    for (uint32_t i = 1; i < count; ++i) {
        const uint32_t value = row[i];
        uint32_t place = i;
        for (; place > 0 && row[place - 1] > value; --place) {
            row[place] = row[place - 1];
        }
        row[place] = value;
    }
}

static __device__ void swap_if(uint32_t &a, uint32_t &b) {
    const uint32_t low = min(a, b);
    b = max(a, b);
    a = low;
}

// Four in ascending order; those that are not there are the largest number.
static __device__ void write_kept(uint4 kept, uint32_t count, uint32_t *row) {
    kept.y = count > 1 ? kept.y : ~0u;
    kept.z = count > 2 ? kept.z : ~0u;
    kept.w = count > 3 ? kept.w : ~0u;
    swap_if(kept.x, kept.y);
    swap_if(kept.z, kept.w);
    swap_if(kept.x, kept.z);
    swap_if(kept.y, kept.w);
    swap_if(kept.y, kept.z);
    row[0] = kept.x;
    if (count > 1) row[1] = kept.y;
    if (count > 2) row[2] = kept.z;
    if (count > 3) row[3] = kept.w;
}

static __global__ void __launch_bounds__(THREADS) write_neighbors(const __grid_constant__ point_job j) {
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= j.count) {
        return;
    }
    const uint32_t index = __float_as_uint(__ldg(&j.points[i].w));
    const uint64_t begin = j.offsets[index], end = j.offsets[index + (size_t)1];
    if (begin == end || end > j.capacity) {
        return;
    }
    uint32_t *row = j.indices + begin;
    const uint32_t count = (uint32_t)(end - begin);
    if (count <= KEPT) {
        write_kept(j.kept[i], count, row);
        return;
    }
    uint32_t written = 0;
    search_near(j, __ldg(j.points + i), [&](uint32_t neighbor) { row[written++] = neighbor; });
    if (count <= SORTED_BY_ONE) {
        sort_row(row, count);
    }
}

// ---- the host's side ------------------------------------------------------------------------------------------------

static bp_status check_points(const bp_cuda_context *context, const float *points, size_t count, float radius,
                              const uint64_t *offsets, const uint32_t *indices, uint64_t capacity,
                              const uint64_t *found) {
    if (context->config.period[0] > 0.0f || context->config.period[1] > 0.0f || context->config.period[2] > 0.0f) {
        bp_log_write(&context->config, "config.period: not for neighbours on a CUDA device");
        return BP_ERROR_UNSUPPORTED;
    }
    if ((points == nullptr && count > 0) || count > BP_MAX_COUNT || offsets == nullptr || found == nullptr ||
        (indices == nullptr && capacity > 0) || !(radius >= 0.0f) || !isfinite(radius)) {
        bp_log_write(&context->config, "neighbours: a NULL pointer, too many points, or a radius that is none");
        return BP_ERROR_ARGUMENT;
    }
    return BP_OK;
}

static bp_status reserve_points(bp_cuda_context *context, bp_cuda_grid *grid, size_t count, uint32_t key_count) {
    grid->wide = false;
    for (int i = 0; i < 2; ++i) {
        BP_CUDA_TRY(bp_cuda_reserve(context, &grid->keys[i], count * sizeof(uint32_t)));
        BP_CUDA_TRY(bp_cuda_reserve(context, &grid->indices[i], count * sizeof(uint32_t)));
    }
    const size_t entries = bp_cuda_table_entries(key_count, 0);
    BP_CUDA_TRY(bp_cuda_reserve(context, &grid->sorted, count * sizeof(float4)));
    BP_CUDA_TRY(bp_cuda_reserve(context, &context->found_scratch, count * sizeof(uint4)));
    BP_CUDA_TRY(bp_cuda_reserve(context, &grid->table, entries * sizeof(uint32_t)));
    BP_CUDA_TRY(bp_cuda_reserve(context, &grid->chunks, (entries / 4096 + 2) * sizeof(uint32_t)));
    return bp_cuda_reserve(context, &context->offsets_scratch, (count + 1) * sizeof(uint32_t));
}

static bp_status plan_and_reserve(bp_cuda_context *context, const float *points, size_t count, float radius,
                                  cudaStream_t stream, point_grid *grid) {
    const size_t stride = bp_cuda_sample_stride(count);
    const uint32_t sample_count = (uint32_t)((count + stride - 1) / stride);
    sample_points<<<blocks_for(sample_count), THREADS, 0, stream>>>(points, count, stride, sample_count,
                                                                    context->samples);
    BP_CUDA_TRY(bp_cuda_launched(context, "sampling"));
    BP_CUDA_TRY(bp_cuda_check(context, cudaStreamSynchronize(stream), "sampling"));
    *grid = plan_points(context->config, bounds_of(context->samples, sample_count), count, radius);
    context->stats.levels = 1;
    context->stats.cells = grid->key_count;
    bp_cuda_mark(context, BP_CUDA_STAGE_PLAN, stream);
    return reserve_points(context, &context->grids[0], count, grid->key_count);
}

static bp_status build_points(bp_cuda_context *context, const point_grid &grid, const float *points, size_t count,
                              cudaStream_t stream) {
    bp_cuda_grid *set = &context->grids[0];
    set->count = (uint32_t)count;
    make_point_keys<<<blocks_for(count), THREADS, 0, stream>>>(
        grid, points, set->count, static_cast<uint32_t *>(set->keys[0].data),
        static_cast<uint32_t *>(set->indices[0].data), bp_cuda_result_of(context));
    BP_CUDA_TRY(bp_cuda_launched(context, "keys"));
    bp_cuda_mark(context, BP_CUDA_STAGE_KEYS, stream);
    uint32_t bits = 1;
    while (bits < 32 && grid.key_count >> bits != 0) {
        ++bits;
    }
    context->stats.key_bits = bits;
    BP_CUDA_TRY(bp_cuda_sort_keys(context, set, bits, stream));
    bp_cuda_mark(context, BP_CUDA_STAGE_SORT, stream);
    arrange_points<<<blocks_for(count), THREADS, 0, stream>>>(
        static_cast<const uint32_t *>(set->indices[set->current].data), points, set->count,
        static_cast<float4 *>(set->sorted.data));
    BP_CUDA_TRY(bp_cuda_launched(context, "arranging"));
    BP_CUDA_TRY(bp_cuda_fill_table(context, set, grid.key_count, 0, stream));
    bp_cuda_mark(context, BP_CUDA_STAGE_ARRANGE, stream);
    return BP_OK;
}

// Counts in the order of the points become offsets.
static bp_status scan_counts(bp_cuda_context *context, const uint32_t *counts, size_t count, uint64_t *offsets,
                             cudaStream_t stream) {
    size_t bytes = 0;
    BP_CUDA_TRY(bp_cuda_check(context,
                              cub::DeviceScan::ExclusiveScan(nullptr, bytes, counts, offsets, ::cuda::std::plus<>{},
                                                             (uint64_t)0, count + 1, stream),
                              "scanning counts"));
    BP_CUDA_TRY(bp_cuda_reserve(context, &context->sort_space, bytes));
    return bp_cuda_check(context,
                         cub::DeviceScan::ExclusiveScan(context->sort_space.data, bytes, counts, offsets,
                                                        ::cuda::std::plus<>{}, (uint64_t)0, count + 1, stream),
                         "scanning counts");
}

// Rows too long for one thread to sort.
static bp_status sort_rows(bp_cuda_context *context, const point_job &j, uint64_t total, cudaStream_t stream) {
    BP_CUDA_TRY(bp_cuda_reserve(context, &context->ordered, total * sizeof(uint32_t)));
    uint32_t *sorted = static_cast<uint32_t *>(context->ordered.data);
    size_t bytes = 0;
    BP_CUDA_TRY(bp_cuda_check(context,
                              cub::DeviceSegmentedSort::SortKeys(nullptr, bytes, j.indices, sorted, (int64_t)total,
                                                                 (int64_t)j.count, j.offsets, j.offsets + 1, stream),
                              "sorting rows"));
    BP_CUDA_TRY(bp_cuda_reserve(context, &context->sort_space, bytes));
    BP_CUDA_TRY(bp_cuda_check(context,
                              cub::DeviceSegmentedSort::SortKeys(context->sort_space.data, bytes, j.indices, sorted,
                                                                 (int64_t)total, (int64_t)j.count, j.offsets,
                                                                 j.offsets + 1, stream),
                              "sorting rows"));
    BP_CUDA_TRY(bp_cuda_check(
        context, cudaMemcpyAsync(j.indices, sorted, total * sizeof(uint32_t), cudaMemcpyDeviceToDevice, stream),
        "sorting rows"));
    return bp_cuda_check(context, cudaStreamSynchronize(stream), "sorting rows");
}

static bp_status conclude(bp_cuda_context *context, const point_job &j, cudaStream_t stream, uint64_t *found) {
    BP_CUDA_TRY(bp_cuda_check(context,
                              cudaMemcpyAsync(&bp_cuda_result_of(context)->total, j.offsets + j.count, sizeof(uint64_t),
                                              cudaMemcpyDeviceToDevice, stream),
                              "finishing"));
    BP_CUDA_TRY(bp_cuda_finish(context, stream));
    if (context->host_result->invalid != ~0ull) {
        bp_log_write(&context->config, "point %llu is invalid (NaN or infinite)", context->host_result->invalid);
        return BP_ERROR_BOX;
    }
    *found = context->host_result->total;
    if (j.indices == nullptr) {
        return BP_OK;
    }
    if (*found > j.capacity) {
        bp_log_write(&context->config, "neighbours: room for %llu, but there are %llu", (unsigned long long)j.capacity,
                     (unsigned long long)*found);
        return BP_ERROR_CAPACITY;
    }
    return context->host_result->longest > SORTED_BY_ONE ? sort_rows(context, j, *found, stream) : BP_OK;
}

bp_status bp_cuda_find_neighbors(bp_cuda_context *context, const float *points_xyz, size_t count, float radius,
                                 bp_cuda_stream stream, uint64_t *offsets, uint32_t *indices, uint64_t capacity,
                                 uint64_t *found) {
    if (context == nullptr) {
        return BP_ERROR_ARGUMENT;
    }
    BP_CUDA_TRY(check_points(context, points_xyz, count, radius, offsets, indices, capacity, found));
    *found = 0;
    if (count == 0) {
        return bp_cuda_check(context, cudaMemsetAsync(offsets, 0, sizeof *offsets, stream), "finishing");
    }
    point_job j = {};
    BP_CUDA_TRY(bp_cuda_begin(context, stream));
    BP_CUDA_TRY(plan_and_reserve(context, points_xyz, count, radius, stream, &j.grid));
    BP_CUDA_TRY(build_points(context, j.grid, points_xyz, count, stream));
    j.points = static_cast<const float4 *>(context->grids[0].sorted.data);
    j.table = static_cast<const uint32_t *>(context->grids[0].table.data);
    j.count = (uint32_t)count;
    j.counts = static_cast<uint32_t *>(context->offsets_scratch.data);
    j.kept = static_cast<uint4 *>(context->found_scratch.data);
    j.offsets = offsets;
    j.indices = indices;
    j.capacity = capacity;
    j.result = bp_cuda_result_of(context);
    BP_CUDA_TRY(bp_cuda_check(context, cudaMemsetAsync(j.counts + count, 0, sizeof *j.counts, stream), "counting"));
    count_neighbors<<<blocks_for(count), THREADS, 0, stream>>>(j);
    BP_CUDA_TRY(bp_cuda_launched(context, "counting"));
    BP_CUDA_TRY(scan_counts(context, j.counts, count, offsets, stream));
    if (indices != nullptr) {
        write_neighbors<<<blocks_for(count), THREADS, 0, stream>>>(j);
        BP_CUDA_TRY(bp_cuda_launched(context, "writing"));
    }
    bp_cuda_mark(context, BP_CUDA_STAGE_SWEEP, stream);
    bp_cuda_mark(context, BP_CUDA_STAGE_SCAN, stream);
    return conclude(context, j, stream, found);
}
