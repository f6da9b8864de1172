// Neighbours of points: a uniform grid with cells of twice the radius, so that a point searches at most two by two rows
// of two cells, and 2.25 rows on average; cells of one radius would have as many candidates in nine rows.
//
//     keys, sort, table as for boxes (build.cu); points are copied as (x, y, z, index), 16 bytes, in the order of cells
//     count    each point counts its neighbours and keeps the first four of them
//     offsets  a scan over the counts, in the caller's order of the points
//     write    the four that were kept; only points with more search their candidates again
//
// Along a periodic axis, remainder(), which does not round, brings coordinates into the first period, and a whole
// number of cells fills it; a row may then cross the border, and is searched in two parts. The distance is that of the
// CPU, to the last bit.
//
// Between two sets, the grid is that of the second. The points of the first are sorted by its cells, too, so that threads of a
// warp search the same ones. With a radius per point, cells are for the largest.
//
// Cost: candidates in 27 radii cubed per point. It loses where many points are closer together than the radius; but
// then the result is just as large. It also loses where a few radii are far larger than the others.
#include "context.cuh"

#include <algorithm>
#include <cstring>

enum { THREADS = 256, KEPT = 4, SORTED_BY_ONE = 64, BLOCKS_MOST = 132 * 16 };

struct axis_of_cells {
    double inverse; // cells per unit of length
    double reach;   // the radius, rounded up
    double period;  // or 0
    int32_t first, last;
    uint32_t stride;
};

struct point_grid {
    axis_of_cells axes[3];
    double square; // of the radius; exactly what distances are compared with
    uint32_t key_count;
    uint32_t dimensions;
    bool half;           // each pair once
    bp_radius_rule rule; // of OWN_RADII
};

// What is searched. Kernels are compiled for each.
enum search_kind { ONE_SET, TWO_SETS, OWN_RADII };

struct point_job {
    point_grid grid;
    const float4 *points; // that are searched
    const float4 *askers; // whose neighbours are found: the same, or those of the first set
    const float *radii;   // of OWN_RADII: by position
    const uint32_t *table;
    uint32_t count;   // of the askers
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

// The largest distance from the origin along each axis, as the bits of a float. Infinities and NaN give larger numbers.
static __global__ void __launch_bounds__(THREADS)
    measure_points(const float *__restrict__ points, size_t count, bp_cuda_result *result) {
    uint32_t farthest[3] = {0, 0, 0};
    for (size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x; i < count; i += (size_t)gridDim.x * THREADS) {
#pragma unroll
        for (int axis = 0; axis < 3; ++axis) {
            farthest[axis] = max(farthest[axis], __float_as_uint(fabsf(__ldg(points + 3 * i + axis))));
        }
    }
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
        const uint32_t most = __reduce_max_sync(~0u, farthest[axis]);
        if ((threadIdx.x & 31) == 0) {
            atomicMax(&result->farthest[axis], most);
        }
    }
}

// The largest radius, as the bits of a float. Those that are none, also negative ones, give larger numbers than any.
static __global__ void __launch_bounds__(THREADS)
    measure_radii(const float *__restrict__ radii, size_t count, bp_cuda_result *result) {
    uint32_t largest = 0;
    for (size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x; i < count; i += (size_t)gridDim.x * THREADS) {
        const float radius = __ldg(radii + i);
        largest = max(largest, radius == 0.0f ? 0 : __float_as_uint(radius)); // -0 is 0
    }
    const uint32_t most = __reduce_max_sync(~0u, largest);
    if ((threadIdx.x & 31) == 0) {
        atomicMax(&result->largest_radius, most);
    }
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

static float float_of(uint32_t bits) {
    float number = 0.0f;
    std::memcpy(&number, &bits, sizeof number);
    return number;
}

// The radius, enlarged by the rounding errors of moving coordinates into the first period and of their differences.
static double reach_along(double radius, double period, uint32_t farthest) {
    const float far = float_of(farthest);
    return radius * (1.0 + 1e-12) + (period > 0.0 && isfinite(far) ? 0x1p-48 * ((double)far + period) : 0.0);
}

// Points outside the bounds of the samples belong to the outermost cells. Along a periodic axis, cells fill the period.
static void set_axis(axis_of_cells *axis, double low, double high, double cell) {
    if (axis->period > 0.0) {
        const double cells = floor(axis->period / fmax(cell, 2.0 * axis->reach)); // 0 or NaN: one cell for all
        axis->last = cells > 1.0 ? (int32_t)cells - 1 : 0;
        axis->inverse = (axis->last + 1) / axis->period;
    } else {
        axis->inverse = 1.0 / cell;
        axis->first = bp_cell_of_double(low, axis->inverse);
        axis->last = bp_cell_of_double(high, axis->inverse);
    }
}

static double cells_along(const axis_of_cells &axis) {
    return (double)axis.last - (double)axis.first + 1.0;
}

// The smallest edge of a cell for which cell numbers are exact.
static double least_cell(const bp_config &config, const bp_box &bounds) {
    double longest = 0.0;
    for (uint32_t axis = 0; axis < config.dimensions; ++axis) {
        const double low = (double)bounds.min[axis], high = (double)bounds.max[axis];
        const double far = fmax(high - low, fmax(fabs(high), fabs(low)) * 0x1p-8);
        longest = fmax(longest, config.period[axis] > 0.0f ? (double)config.period[axis] : far);
    }
    return longest * 0x1p-20;
}

static point_grid plan_points(const bp_config &config, const bp_box &bounds, size_t count, double radius,
                              const uint32_t farthest[3]) {
    point_grid grid = {};
    const double most = fmin((double)count * BP_CUDA_TABLE_LOAD + 1024.0, 4294967000.0);
    double cell = fmax(fmax(2.0 * radius, 1e-300), least_cell(config, bounds)), cells = 0.0;
    do {
        cells = 1.0;
        for (uint32_t i = 0; i < config.dimensions; ++i) {
            grid.axes[i].period = (double)config.period[i];
            grid.axes[i].reach = reach_along(radius, (double)config.period[i], farthest[i]);
            set_axis(&grid.axes[i], (double)bounds.min[i], (double)bounds.max[i], cell);
            cells *= cells_along(grid.axes[i]);
        }
        cell *= 2.0;
    } while (cells > most);
    grid.square = radius * radius;
    grid.dimensions = config.dimensions;
    grid.half = (config.flags & BP_NEIGHBORS_HALF) != 0;
    grid.rule = config.radius_rule;
    grid.key_count = 1;
    for (axis_of_cells &axis : grid.axes) {
        axis.stride = grid.key_count;
        grid.key_count *= (uint32_t)cells_along(axis);
    }
    return grid;
}

static __device__ __forceinline__ uint32_t clamped_cell(const axis_of_cells &axis, double coordinate) {
    return (uint32_t)(bp_cuda_clamp(bp_cell_of_double(coordinate, axis.inverse), axis.first, axis.last) - axis.first);
}

// A coordinate, relative to the beginning of the first period.
static __device__ __forceinline__ double inside_period(const axis_of_cells &axis, float coordinate) {
    return remainder((double)coordinate, axis.period) + 0.5 * axis.period;
}

template <bool WRAPS>
static __device__ __forceinline__ uint32_t cell_along(const axis_of_cells &axis, float coordinate) {
    return clamped_cell(axis, WRAPS && axis.period > 0.0 ? inside_period(axis, coordinate) : (double)coordinate);
}

template <bool WRAPS>
static __global__ void __launch_bounds__(THREADS)
    make_point_keys(const __grid_constant__ point_grid grid, const float *__restrict__ points, uint32_t count,
                    uint64_t first_index, uint32_t *keys, uint32_t *indices, bp_cuda_result *result) {
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) {
        return;
    }
    uint32_t key = 0;
    bool valid = true;
    for (uint32_t axis = 0; axis < grid.dimensions; ++axis) {
        const float coordinate = __ldg(points + 3 * (size_t)i + axis);
        key += cell_along<WRAPS>(grid.axes[axis], coordinate) * grid.axes[axis].stride;
        valid = valid && isfinite(coordinate);
    }
    if (!valid) {
        atomicMin(&result->invalid, (unsigned long long)(first_index + i));
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

static __global__ void __launch_bounds__(THREADS)
    arrange_radii(const uint32_t *__restrict__ indices, const float *__restrict__ radii, uint32_t count,
                  float *sorted) {
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    if (i < count) {
        sorted[i] = __ldg(radii + indices[i]);
    }
}

// ---- search ---------------------------------------------------------------------------------------------------------

template <bool WRAPS> static __device__ __forceinline__ double difference(const axis_of_cells &axis, float a, float b) {
    const double direct = (double)a - (double)b;
    return WRAPS && axis.period > 0.0 && fabs(direct) > 0.5 * axis.period ? remainder(direct, axis.period) : direct;
}

template <bool WRAPS>
static __device__ __forceinline__ double square_distance(const point_grid &grid, float4 a, float4 b) {
    const double dx = difference<WRAPS>(grid.axes[0], a.x, b.x), dy = difference<WRAPS>(grid.axes[1], a.y, b.y);
    const double dz = grid.dimensions == 3 ? difference<WRAPS>(grid.axes[2], a.z, b.z) : 0.0;
    // No fused operations, for the same result as on the host, to the last bit.
    return __dadd_rn(__dadd_rn(__dmul_rn(dx, dx), __dmul_rn(dy, dy)), __dmul_rn(dz, dz));
}

// The radius that counts between two points with the radii r and s, as on the CPU.
static __device__ __forceinline__ double radius_between(bp_radius_rule rule, double r, double s) {
    return rule == BP_RADIUS_SUM ? r + s : rule == BP_RADIUS_MAX ? fmax(r, s) : fmin(r, s);
}

// The square of the distance up to which the point at `position` is a neighbour of one with this radius.
template <search_kind KIND>
static __device__ __forceinline__ double square_limit(const point_job &j, float radius, uint32_t position) {
    if (KIND != OWN_RADII) {
        return j.grid.square;
    }
    const double limit = radius_between(j.grid.rule, (double)radius, (double)__ldg(j.radii + position));
    return __dmul_rn(limit, limit);
}

// Cells along an axis; along a periodic axis they may extend beyond its ends.
struct range_of_cells {
    int32_t low, high;
};

template <bool WRAPS>
static __device__ __forceinline__ range_of_cells cells_near(const axis_of_cells &axis, float coordinate) {
    if (WRAPS && axis.period > 0.0) {
        const double inside = inside_period(axis, coordinate);
        const int32_t low = bp_cell_of_double(inside - axis.reach, axis.inverse);
        const int32_t high = bp_cell_of_double(inside + axis.reach, axis.inverse);
        const range_of_cells range = {bp_cuda_clamp(low, -1, axis.last + 1), bp_cuda_clamp(high, -1, axis.last + 1)};
        const range_of_cells all = {0, axis.last};
        return range.high - range.low >= axis.last ? all : range;
    }
    return {(int32_t)clamped_cell(axis, (double)coordinate - axis.reach),
            (int32_t)clamped_cell(axis, (double)coordinate + axis.reach)};
}

template <bool WRAPS> static __device__ __forceinline__ uint32_t wrapped(const axis_of_cells &axis, int32_t cell) {
    if (WRAPS && axis.period > 0.0) {
        cell += cell < 0 ? axis.last + 1 : cell > axis.last ? -axis.last - 1 : 0;
    }
    return (uint32_t)cell;
}

// Calls found(index) for each neighbour in the cells low .. high of a row. Between two sets there is no point itself.
template <bool WRAPS, search_kind KIND, class Found>
static __device__ __forceinline__ void search_cells(const point_job &j, float4 point, float radius, uint32_t low,
                                                    uint32_t high, Found &found) {
    const uint32_t own = __float_as_uint(point.w), end = __ldg(j.table + high + 1);
    for (uint32_t i = __ldg(j.table + low); i < end; ++i) {
        const float4 other = __ldg(j.points + i);
        const uint32_t index = __float_as_uint(other.w);
        if (square_distance<WRAPS>(j.grid, point, other) <= square_limit<KIND>(j, radius, i) &&
            (KIND == TWO_SETS || (j.grid.half ? index > own : index != own))) {
            found(index);
        }
    }
}

template <bool WRAPS, search_kind KIND, class Found>
static __device__ __forceinline__ void search_row(const point_job &j, float4 point, float radius, uint32_t row,
                                                  range_of_cells x, Found &found) {
    const int32_t last = j.grid.axes[0].last - j.grid.axes[0].first;
    search_cells<WRAPS, KIND>(j, point, radius, row + (uint32_t)max(x.low, 0), row + (uint32_t)min(x.high, last),
                              found);
    if (WRAPS && x.low < 0) {
        search_cells<WRAPS, KIND>(j, point, radius, row + (uint32_t)(x.low + last + 1), row + (uint32_t)last, found);
    }
    if (WRAPS && x.high > last) {
        search_cells<WRAPS, KIND>(j, point, radius, row, row + (uint32_t)(x.high - last - 1), found);
    }
}

// Calls found(index) for each neighbour of the asker at `position`, in the order of cells.
template <bool WRAPS, search_kind KIND, class Found>
static __device__ __forceinline__ void search_near(const point_job &j, float4 point, uint32_t position, Found found) {
    const point_grid &grid = j.grid;
    const float radius = KIND == OWN_RADII ? __ldg(j.radii + position) : 0.0f;
    const range_of_cells none = {0, 0};
    const range_of_cells x = cells_near<WRAPS>(grid.axes[0], point.x), y = cells_near<WRAPS>(grid.axes[1], point.y);
    const range_of_cells z = grid.dimensions == 3 ? cells_near<WRAPS>(grid.axes[2], point.z) : none;
    for (int32_t k = z.low; k <= z.high; ++k) {
        const uint32_t layer = wrapped<WRAPS>(grid.axes[2], k) * grid.axes[2].stride;
        for (int32_t i = y.low; i <= y.high; ++i) {
            search_row<WRAPS, KIND>(j, point, radius, layer + wrapped<WRAPS>(grid.axes[1], i) * grid.axes[1].stride, x,
                                    found);
        }
    }
}

template <search_kind KIND> static __device__ __forceinline__ const float4 *askers_of(const point_job &j) {
    return KIND == TWO_SETS ? j.askers : j.points;
}

template <bool WRAPS, search_kind KIND>
static __global__ void __launch_bounds__(THREADS) count_neighbors(const __grid_constant__ point_job j) {
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    uint32_t count = 0;
    if (i < j.count) {
        const float4 point = __ldg(askers_of<KIND>(j) + i);
        uint4 kept = make_uint4(0, 0, 0, 0);
        search_near<WRAPS, KIND>(j, point, i, [&](uint32_t index) {
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

// Writes up to four in ascending order; missing ones become the largest number.
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

template <bool WRAPS, search_kind KIND>
static __global__ void __launch_bounds__(THREADS) write_neighbors(const __grid_constant__ point_job j) {
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= j.count) {
        return;
    }
    const uint32_t index = __float_as_uint(__ldg(&askers_of<KIND>(j)[i].w));
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
    search_near<WRAPS, KIND>(j, __ldg(askers_of<KIND>(j) + i), i,
                             [&](uint32_t neighbor) { row[written++] = neighbor; });
    if (count <= SORTED_BY_ONE) {
        sort_row(row, count);
    }
}

// ---- the host's side ------------------------------------------------------------------------------------------------

// The points whose neighbours are found, and those that are searched: the same, or a second set.
struct point_sets {
    const float *askers, *searched;
    size_t asker_count, searched_count;
    search_kind kind;
    float radius;
    const float *radii; // of OWN_RADII
};

static bp_status check_call(const bp_cuda_context *context, const point_sets &sets, const bp_cuda_rows &rows,
                            const uint64_t *found) {
    const bool no_radii = sets.kind == OWN_RADII && sets.radii == nullptr && sets.asker_count > 0;
    const bool no_points = (sets.askers == nullptr && sets.asker_count > 0) ||
                           (sets.searched == nullptr && sets.searched_count > 0) ||
                           std::max(sets.asker_count, sets.searched_count) > BP_MAX_COUNT;
    return bp_cuda_check_rows(context, rows, no_points || no_radii, (double)sets.radius, found);
}

static bp_status reserve_points(bp_cuda_context *context, bp_cuda_grid *grid, size_t count) {
    grid->wide = false;
    grid->count = (uint32_t)count;
    for (int i = 0; i < 2; ++i) {
        BP_CUDA_TRY(bp_cuda_reserve(context, &grid->halves[i], bp_cuda_half_bytes(count, sizeof(uint32_t), 0)));
    }
    return bp_cuda_reserve(context, &grid->points, count * sizeof(float4));
}

// The grid of those that are searched comes first; those that ask are in the same one, or the second.
static bp_status reserve_sets(bp_cuda_context *context, const point_sets &sets, uint32_t key_count) {
    bp_cuda_grid *grid = &context->grids[0];
    BP_CUDA_TRY(reserve_points(context, grid, sets.searched_count));
    if (sets.kind == TWO_SETS) {
        BP_CUDA_TRY(reserve_points(context, &context->grids[1], sets.asker_count));
    }
    const size_t entries = bp_cuda_table_entries(key_count, 0);
    BP_CUDA_TRY(bp_cuda_reserve(context, &grid->table, entries * sizeof(uint32_t)));
    BP_CUDA_TRY(bp_cuda_reserve(context, &grid->chunks, (entries / 4096 + 2) * sizeof(uint32_t)));
    BP_CUDA_TRY(bp_cuda_reserve(context, &context->found_scratch, sets.asker_count * sizeof(uint4)));
    return bp_cuda_reserve(context, &context->offsets_scratch, (sets.asker_count + 1) * sizeof(uint32_t));
}

static bool has_period(const bp_config &config) {
    return config.period[0] > 0.0f || config.period[1] > 0.0f || (config.dimensions == 3 && config.period[2] > 0.0f);
}

static unsigned int blocks_to_measure(size_t count) {
    return std::min(blocks_for(count), (unsigned int)BLOCKS_MOST);
}

// Measures, for the host, how far points are from the origin, and how long radii are.
static bp_status measure(bp_cuda_context *context, const point_sets &sets, cudaStream_t stream) {
    bp_cuda_result *result = bp_cuda_result_of(context);
    const unsigned int blocks = blocks_to_measure(sets.asker_count);
    if (has_period(context->config)) {
        measure_points<<<blocks, THREADS, 0, stream>>>(sets.askers, sets.asker_count, result);
        if (sets.kind == TWO_SETS) {
            measure_points<<<blocks_to_measure(sets.searched_count), THREADS, 0, stream>>>(sets.searched,
                                                                                           sets.searched_count, result);
        }
    }
    if (sets.kind == OWN_RADII) {
        measure_radii<<<blocks, THREADS, 0, stream>>>(sets.radii, sets.asker_count, result);
    }
    return bp_cuda_check(context,
                         cudaMemcpyAsync(context->host_result, context->result.data, sizeof(bp_cuda_result),
                                         cudaMemcpyDeviceToHost, stream),
                         "sampling");
}

// The longest distance of neighbours.
static bp_status longest_distance(const bp_cuda_context *context, const point_sets &sets, double *longest) {
    *longest = (double)sets.radius;
    if (sets.kind != OWN_RADII) {
        return BP_OK;
    }
    const float largest = float_of(context->host_result->largest_radius);
    if (!(largest >= 0.0f) || !isfinite(largest)) {
        bp_log_write(&context->config.log, "radii: one is negative, NaN or infinite");
        return BP_ERROR_ARGUMENT;
    }
    *longest = context->config.radius_rule == BP_RADIUS_SUM ? 2.0 * (double)largest : (double)largest;
    return BP_OK;
}

static bp_status plan_and_reserve(bp_cuda_context *context, const point_sets &sets, cudaStream_t stream,
                                  point_grid *grid) {
    const size_t count = sets.searched_count, stride = bp_cuda_sample_stride(count);
    const uint32_t sample_count = (uint32_t)((count + stride - 1) / stride);
    sample_points<<<blocks_for(sample_count), THREADS, 0, stream>>>(sets.searched, count, stride, sample_count,
                                                                    context->samples);
    if (has_period(context->config) || sets.kind == OWN_RADII) {
        BP_CUDA_TRY(measure(context, sets, stream));
    }
    BP_CUDA_TRY(bp_cuda_launched(context, "sampling"));
    BP_CUDA_TRY(bp_cuda_check(context, cudaStreamSynchronize(stream), "sampling"));
    double longest = 0.0;
    BP_CUDA_TRY(longest_distance(context, sets, &longest));
    *grid = plan_points(context->config, bounds_of(context->samples, sample_count), count, longest,
                        context->host_result->farthest);
    context->stats.levels = 1;
    context->stats.cells = grid->key_count;
    bp_cuda_mark(context, BP_CUDA_STAGE_PLAN, stream);
    return reserve_sets(context, sets, grid->key_count);
}

// Sorts points into the order of cells. `first_index` is what an invalid point is counted from.
static bp_status sort_points(bp_cuda_context *context, const point_grid &grid, bp_cuda_grid *set, const float *points,
                             uint64_t first_index, cudaStream_t stream) {
    const bp_cuda_columns columns = bp_cuda_columns_of(set, 0);
    const auto kernel = has_period(context->config) ? make_point_keys<true> : make_point_keys<false>;
    kernel<<<blocks_for(set->count), THREADS, 0, stream>>>(grid, points, set->count, first_index,
                                                           static_cast<uint32_t *>(columns.keys), columns.indices,
                                                           bp_cuda_result_of(context));
    BP_CUDA_TRY(bp_cuda_launched(context, "keys"));
    bp_cuda_mark(context, BP_CUDA_STAGE_KEYS, stream);
    uint32_t bits = 1;
    while (bits < 32 && grid.key_count >> bits != 0) {
        ++bits;
    }
    context->stats.key_bits = bits;
    BP_CUDA_TRY(bp_cuda_sort_keys(context, set, bits, stream));
    bp_cuda_mark(context, BP_CUDA_STAGE_SORT, stream);
    arrange_points<<<blocks_for(set->count), THREADS, 0, stream>>>(set->ordered.indices, points, set->count,
                                                                   static_cast<float4 *>(set->points.data));
    return bp_cuda_launched(context, "arranging");
}

static bp_status build_sets(bp_cuda_context *context, const point_grid &grid, const point_sets &sets,
                            cudaStream_t stream) {
    bp_cuda_grid *searched = &context->grids[0];
    BP_CUDA_TRY(
        sort_points(context, grid, searched, sets.searched, sets.kind == TWO_SETS ? sets.asker_count : 0, stream));
    BP_CUDA_TRY(bp_cuda_fill_table(context, searched, grid.key_count, 0, stream));
    if (sets.kind == TWO_SETS) {
        BP_CUDA_TRY(sort_points(context, grid, &context->grids[1], sets.askers, 0, stream));
    }
    if (sets.kind == OWN_RADII) { // where keys were, which nobody needs any more
        arrange_radii<<<blocks_for(searched->count), THREADS, 0, stream>>>(
            searched->ordered.indices, sets.radii, searched->count, static_cast<float *>(searched->ordered.keys));
        BP_CUDA_TRY(bp_cuda_launched(context, "arranging"));
    }
    bp_cuda_mark(context, BP_CUDA_STAGE_ARRANGE, stream);
    return BP_OK;
}

// Counts, scans, and, with a buffer, writes.
template <search_kind KIND>
static bp_status search_sets(bp_cuda_context *context, const point_job &j, uint64_t *offsets, cudaStream_t stream) {
    const bool wraps = has_period(context->config);
    const auto count = wraps ? count_neighbors<true, KIND> : count_neighbors<false, KIND>;
    const auto write = wraps ? write_neighbors<true, KIND> : write_neighbors<false, KIND>;
    BP_CUDA_TRY(bp_cuda_check(context, cudaMemsetAsync(j.counts + j.count, 0, sizeof *j.counts, stream), "counting"));
    count<<<blocks_for(j.count), THREADS, 0, stream>>>(j);
    BP_CUDA_TRY(bp_cuda_launched(context, "counting"));
    BP_CUDA_TRY(bp_cuda_scan_counts(context, j.counts, j.count, offsets, stream));
    if (j.indices != nullptr) {
        write<<<blocks_for(j.count), THREADS, 0, stream>>>(j);
        BP_CUDA_TRY(bp_cuda_launched(context, "writing"));
    }
    return BP_OK;
}

// Where one of two sets is empty, the points of the other are checked.
static bp_status check_alone(bp_cuda_context *context, const point_sets &sets, cudaStream_t stream) {
    const float *points = sets.asker_count > 0 ? sets.askers : sets.searched;
    const size_t count = sets.asker_count + sets.searched_count;
    const point_sets one = {points, points, count, count, ONE_SET, sets.radius, nullptr};
    point_grid grid = {};
    BP_CUDA_TRY(bp_cuda_begin(context, stream));
    BP_CUDA_TRY(plan_and_reserve(context, one, stream, &grid));
    BP_CUDA_TRY(sort_points(context, grid, &context->grids[0], points, 0, stream));
    BP_CUDA_TRY(bp_cuda_finish(context, stream));
    return bp_cuda_check_points(context);
}

static bp_status find_neighbors(bp_cuda_context *context, const point_sets &sets, cudaStream_t stream,
                                const bp_cuda_rows &rows, uint64_t *found) {
    if (context == nullptr) {
        return BP_ERROR_ARGUMENT;
    }
    BP_CUDA_TRY(check_call(context, sets, rows, found));
    *found = 0;
    if (sets.asker_count == 0 || sets.searched_count == 0) {
        if (sets.kind == TWO_SETS && sets.asker_count + sets.searched_count > 0) {
            BP_CUDA_TRY(check_alone(context, sets, stream));
        }
        return bp_cuda_clear_rows(context, rows, stream);
    }
    point_job j = {};
    BP_CUDA_TRY(bp_cuda_begin(context, stream));
    BP_CUDA_TRY(plan_and_reserve(context, sets, stream, &j.grid));
    BP_CUDA_TRY(build_sets(context, j.grid, sets, stream));
    j.points = static_cast<const float4 *>(context->grids[0].points.data);
    j.askers = static_cast<const float4 *>(context->grids[sets.kind == TWO_SETS ? 1 : 0].points.data);
    j.radii = static_cast<const float *>(context->grids[0].ordered.keys);
    j.table = static_cast<const uint32_t *>(context->grids[0].table.data);
    j.count = (uint32_t)sets.asker_count;
    j.counts = static_cast<uint32_t *>(context->offsets_scratch.data);
    j.kept = static_cast<uint4 *>(context->found_scratch.data);
    j.offsets = rows.offsets;
    j.indices = rows.indices;
    j.capacity = rows.capacity;
    j.result = bp_cuda_result_of(context);
    BP_CUDA_TRY(sets.kind == ONE_SET    ? search_sets<ONE_SET>(context, j, rows.offsets, stream)
                : sets.kind == TWO_SETS ? search_sets<TWO_SETS>(context, j, rows.offsets, stream)
                                        : search_sets<OWN_RADII>(context, j, rows.offsets, stream));
    bp_cuda_mark(context, BP_CUDA_STAGE_SWEEP, stream);
    bp_cuda_mark(context, BP_CUDA_STAGE_SCAN, stream);
    return bp_cuda_conclude_rows(context, rows, false, stream, found);
}

bp_status bp_cuda_find_neighbors(bp_cuda_context *context, const float *points_xyz, size_t count, float radius,
                                 bp_cuda_stream stream, uint64_t *offsets, uint32_t *indices, uint64_t capacity,
                                 uint64_t *found) {
    const point_sets sets = {points_xyz, points_xyz, count, count, ONE_SET, radius, nullptr};
    return find_neighbors(context, sets, stream, {offsets, indices, capacity, (uint32_t)count}, found);
}

bp_status bp_cuda_find_neighbors_variable(bp_cuda_context *context, const float *points_xyz, size_t count,
                                          const float *radii, bp_cuda_stream stream, uint64_t *offsets,
                                          uint32_t *indices, uint64_t capacity, uint64_t *found) {
    const point_sets sets = {points_xyz, points_xyz, count, count, OWN_RADII, 0.0f, radii};
    return find_neighbors(context, sets, stream, {offsets, indices, capacity, (uint32_t)count}, found);
}

bp_status bp_cuda_find_neighbors_between(bp_cuda_context *context, const float *a_xyz, size_t a_count,
                                         const float *b_xyz, size_t b_count, float radius, bp_cuda_stream stream,
                                         uint64_t *offsets, uint32_t *indices, uint64_t capacity, uint64_t *found) {
    const point_sets sets = {a_xyz, b_xyz, a_count, b_count, TWO_SETS, radius, nullptr};
    return find_neighbors(context, sets, stream, {offsets, indices, capacity, (uint32_t)a_count}, found);
}
