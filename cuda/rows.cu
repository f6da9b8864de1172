// Rows of neighbours: offsets from counts, the ends of calls, and rows that are too long for one thread to sort.
#include "context.cuh"

#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_sort.cuh>

bp_status bp_cuda_check_rows(const bp_cuda_context *context, const bp_cuda_rows &rows, bool no_points, double radius,
                             const uint64_t *found) {
    if (no_points || rows.offsets == nullptr || found == nullptr || (rows.indices == nullptr && rows.capacity > 0) ||
        !(radius >= 0.0) || !isfinite(radius)) {
        bp_log_write(&context->config.log, "neighbours: a NULL pointer, too many points, or a radius that is none");
        return BP_ERROR_ARGUMENT;
    }
    return BP_OK;
}

bp_status bp_cuda_clear_rows(const bp_cuda_context *context, const bp_cuda_rows &rows, cudaStream_t stream) {
    const size_t bytes = (rows.count + (size_t)1) * sizeof *rows.offsets;
    BP_CUDA_TRY(bp_cuda_check(context, cudaMemsetAsync(rows.offsets, 0, bytes, stream), "finishing"));
    return bp_cuda_check(context, cudaStreamSynchronize(stream), "finishing");
}

bp_status bp_cuda_scan_counts(bp_cuda_context *context, const uint32_t *counts, size_t count, uint64_t *offsets,
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

static bp_status sort_rows(bp_cuda_context *context, const bp_cuda_rows &rows, uint64_t total, cudaStream_t stream) {
    BP_CUDA_TRY(bp_cuda_reserve(context, &context->ordered, total * sizeof(uint32_t)));
    uint32_t *sorted = static_cast<uint32_t *>(context->ordered.data);
    size_t bytes = 0;
    BP_CUDA_TRY(
        bp_cuda_check(context,
                      cub::DeviceSegmentedSort::SortKeys(nullptr, bytes, rows.indices, sorted, (int64_t)total,
                                                         (int64_t)rows.count, rows.offsets, rows.offsets + 1, stream),
                      "sorting rows"));
    BP_CUDA_TRY(bp_cuda_reserve(context, &context->sort_space, bytes));
    BP_CUDA_TRY(bp_cuda_check(context,
                              cub::DeviceSegmentedSort::SortKeys(context->sort_space.data, bytes, rows.indices, sorted,
                                                                 (int64_t)total, (int64_t)rows.count, rows.offsets,
                                                                 rows.offsets + 1, stream),
                              "sorting rows"));
    BP_CUDA_TRY(bp_cuda_check(
        context, cudaMemcpyAsync(rows.indices, sorted, total * sizeof(uint32_t), cudaMemcpyDeviceToDevice, stream),
        "sorting rows"));
    return bp_cuda_check(context, cudaStreamSynchronize(stream), "sorting rows");
}

bp_status bp_cuda_check_points(const bp_cuda_context *context) {
    if (context->host_result->invalid != ~0ull) {
        bp_log_write(&context->config.log, "point %llu is invalid (NaN or infinite)", context->host_result->invalid);
        return BP_ERROR_BOX;
    }
    return BP_OK;
}

bp_status bp_cuda_conclude_rows(bp_cuda_context *context, const bp_cuda_rows &rows, bool unsorted, cudaStream_t stream,
                                uint64_t *found) {
    BP_CUDA_TRY(bp_cuda_finish_with(context, rows.offsets + rows.count, stream));
    BP_CUDA_TRY(bp_cuda_check_points(context));
    *found = context->host_result->total;
    if (rows.indices == nullptr) {
        return BP_OK;
    }
    if (*found > rows.capacity) {
        bp_log_write(&context->config.log, "neighbours: room for %llu, but there are %llu",
                     (unsigned long long)rows.capacity, (unsigned long long)*found);
        return BP_ERROR_CAPACITY;
    }
    const bool sorts = *found > 0 && (unsorted || context->host_result->longest > 0);
    return sorts ? sort_rows(context, rows, *found, stream) : BP_OK;
}
