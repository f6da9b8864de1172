// The calls for arrays in host memory. They are copied to the device and back in blocks, through two pieces of pinned
// memory: the processor fills or empties one while the other is being transferred.
#include "context.cuh"

#include <algorithm>
#include <cstring>

static const size_t BLOCK = (size_t)16 << 20;

static bp_status prepare_staging(bp_cuda_context *context) {
    for (int i = 0; i < BP_CUDA_STAGING; ++i) {
        if (context->staging[i] == nullptr) {
            BP_CUDA_TRY(bp_cuda_check(context, cudaHostAlloc(&context->staging[i], BLOCK, 0), "pinned memory"));
        }
        if (context->staged[i] == nullptr) {
            BP_CUDA_TRY(bp_cuda_check(context, cudaEventCreateWithFlags(&context->staged[i], cudaEventDisableTiming),
                                      "events"));
        }
    }
    if (context->copies == nullptr) {
        BP_CUDA_TRY(
            bp_cuda_check(context, cudaStreamCreateWithFlags(&context->copies, cudaStreamNonBlocking), "copying"));
    }
    return BP_OK;
}

static bp_status wait_for(const bp_cuda_context *context, int piece) {
    return bp_cuda_check(context, cudaEventSynchronize(context->staged[piece]), "copying");
}

static bp_status copy_in(bp_cuda_context *context, void *to, const void *from, size_t bytes) {
    BP_CUDA_TRY(prepare_staging(context));
    for (size_t begin = 0, block = 0; begin < bytes; begin += BLOCK, ++block) {
        const size_t size = std::min(BLOCK, bytes - begin);
        const int piece = (int)(block % BP_CUDA_STAGING);
        BP_CUDA_TRY(wait_for(context, piece));
        std::memcpy(context->staging[piece], static_cast<const char *>(from) + begin, size);
        BP_CUDA_TRY(bp_cuda_check(context,
                                  cudaMemcpyAsync(static_cast<char *>(to) + begin, context->staging[piece], size,
                                                  cudaMemcpyHostToDevice, context->copies),
                                  "copying"));
        BP_CUDA_TRY(bp_cuda_check(context, cudaEventRecord(context->staged[piece], context->copies), "copying"));
    }
    return bp_cuda_check(context, cudaStreamSynchronize(context->copies), "copying");
}

static bp_status start_block(bp_cuda_context *context, const void *from, size_t begin, size_t bytes, int piece) {
    const size_t size = std::min(BLOCK, bytes - begin);
    BP_CUDA_TRY(bp_cuda_check(context,
                              cudaMemcpyAsync(context->staging[piece], static_cast<const char *>(from) + begin, size,
                                              cudaMemcpyDeviceToHost, context->copies),
                              "copying"));
    return bp_cuda_check(context, cudaEventRecord(context->staged[piece], context->copies), "copying");
}

static bp_status copy_out(bp_cuda_context *context, void *to, const void *from, size_t bytes) {
    BP_CUDA_TRY(prepare_staging(context));
    if (bytes > 0) {
        BP_CUDA_TRY(start_block(context, from, 0, bytes, 0));
    }
    for (size_t begin = 0, block = 0; begin < bytes; begin += BLOCK, ++block) {
        const int piece = (int)(block % BP_CUDA_STAGING);
        if (begin + BLOCK < bytes) {
            BP_CUDA_TRY(start_block(context, from, begin + BLOCK, bytes, (piece + 1) % BP_CUDA_STAGING));
        }
        BP_CUDA_TRY(wait_for(context, piece));
        std::memcpy(static_cast<char *>(to) + begin, context->staging[piece], std::min(BLOCK, bytes - begin));
    }
    return BP_OK;
}

static bp_status bring(bp_cuda_context *context, bp_cuda_buffer *buffer, const void *from, size_t bytes,
                       const void **there) {
    BP_CUDA_TRY(bp_cuda_reserve(context, buffer, bytes));
    *there = buffer->data;
    return copy_in(context, buffer->data, from, bytes);
}

static bp_status reserve_pairs(bp_cuda_context *context, const bp_pair *pairs, uint64_t capacity, bp_pair **there) {
    *there = nullptr;
    if (pairs != nullptr) {
        BP_CUDA_TRY(bp_cuda_reserve(context, &context->host_pairs, capacity * sizeof(bp_pair)));
        *there = static_cast<bp_pair *>(context->host_pairs.data);
    }
    return BP_OK;
}

static bool is_wrong(const void *data, size_t count) {
    return (data == nullptr && count > 0) || count > BP_MAX_COUNT;
}

bp_status bp_cuda_find_pairs_host(bp_cuda_context *context, const bp_box *boxes, size_t count, bp_pair *pairs,
                                  uint64_t capacity, uint64_t *found) {
    if (context == nullptr || is_wrong(boxes, count) || (pairs == nullptr && capacity > 0) || found == nullptr) {
        return BP_ERROR_ARGUMENT;
    }
    const void *there = nullptr;
    bp_pair *pairs_there = nullptr;
    BP_CUDA_TRY(bring(context, &context->host_boxes[0], boxes, count * sizeof *boxes, &there));
    BP_CUDA_TRY(reserve_pairs(context, pairs, capacity, &pairs_there));
    BP_CUDA_TRY(
        bp_cuda_find_pairs(context, static_cast<const bp_box *>(there), count, nullptr, pairs_there, capacity, found));
    return pairs != nullptr ? copy_out(context, pairs, pairs_there, *found * sizeof *pairs) : BP_OK;
}

bp_status bp_cuda_find_pairs_between_host(bp_cuda_context *context, const bp_box *a, size_t a_count, const bp_box *b,
                                          size_t b_count, bp_pair *pairs, uint64_t capacity, uint64_t *found) {
    if (context == nullptr || is_wrong(a, a_count) || is_wrong(b, b_count) || (pairs == nullptr && capacity > 0) ||
        found == nullptr) {
        return BP_ERROR_ARGUMENT;
    }
    const void *a_there = nullptr, *b_there = nullptr;
    bp_pair *pairs_there = nullptr;
    BP_CUDA_TRY(bring(context, &context->host_boxes[0], a, a_count * sizeof *a, &a_there));
    BP_CUDA_TRY(bring(context, &context->host_boxes[1], b, b_count * sizeof *b, &b_there));
    BP_CUDA_TRY(reserve_pairs(context, pairs, capacity, &pairs_there));
    BP_CUDA_TRY(bp_cuda_find_pairs_between(context, static_cast<const bp_box *>(a_there), a_count,
                                           static_cast<const bp_box *>(b_there), b_count, nullptr, pairs_there,
                                           capacity, found));
    return pairs != nullptr ? copy_out(context, pairs, pairs_there, *found * sizeof *pairs) : BP_OK;
}

// Memory for rows of neighbours; `indices` is NULL where they are only counted.
static bp_status reserve_rows(bp_cuda_context *context, size_t count, const uint32_t *indices, uint64_t capacity,
                              uint64_t **offsets_there, uint32_t **indices_there) {
    BP_CUDA_TRY(bp_cuda_reserve(context, &context->host_offsets, (count + 1) * sizeof **offsets_there));
    BP_CUDA_TRY(bp_cuda_reserve(context, &context->host_pairs, capacity * sizeof *indices));
    *offsets_there = static_cast<uint64_t *>(context->host_offsets.data);
    *indices_there = indices != nullptr ? static_cast<uint32_t *>(context->host_pairs.data) : nullptr;
    return BP_OK;
}

static bp_status copy_rows_out(bp_cuda_context *context, uint64_t *offsets, size_t count, uint32_t *indices,
                               uint64_t found) {
    BP_CUDA_TRY(copy_out(context, offsets, context->host_offsets.data, (count + 1) * sizeof *offsets));
    return indices != nullptr ? copy_out(context, indices, context->host_pairs.data, found * sizeof *indices) : BP_OK;
}

bp_status bp_cuda_find_neighbors_host(bp_cuda_context *context, const float *points_xyz, size_t count, float radius,
                                      uint64_t *offsets, uint32_t *indices, uint64_t capacity, uint64_t *found) {
    if (context == nullptr || is_wrong(points_xyz, count) || offsets == nullptr ||
        (indices == nullptr && capacity > 0) || found == nullptr) {
        return BP_ERROR_ARGUMENT;
    }
    const void *points_there = nullptr;
    uint64_t *offsets_there = nullptr;
    uint32_t *indices_there = nullptr;
    BP_CUDA_TRY(bring(context, &context->host_boxes[0], points_xyz, 3 * count * sizeof *points_xyz, &points_there));
    BP_CUDA_TRY(reserve_rows(context, count, indices, capacity, &offsets_there, &indices_there));
    BP_CUDA_TRY(bp_cuda_find_neighbors(context, static_cast<const float *>(points_there), count, radius, nullptr,
                                       offsets_there, indices_there, capacity, found));
    return copy_rows_out(context, offsets, count, indices, *found);
}

bp_status bp_cuda_find_neighbors_variable_host(bp_cuda_context *context, const float *points_xyz, size_t count,
                                               const float *radii, uint64_t *offsets, uint32_t *indices,
                                               uint64_t capacity, uint64_t *found) {
    if (context == nullptr || is_wrong(points_xyz, count) || is_wrong(radii, count) || offsets == nullptr ||
        (indices == nullptr && capacity > 0) || found == nullptr) {
        return BP_ERROR_ARGUMENT;
    }
    const void *points_there = nullptr, *radii_there = nullptr;
    uint64_t *offsets_there = nullptr;
    uint32_t *indices_there = nullptr;
    BP_CUDA_TRY(bring(context, &context->host_boxes[0], points_xyz, 3 * count * sizeof *points_xyz, &points_there));
    BP_CUDA_TRY(bring(context, &context->host_boxes[1], radii, count * sizeof *radii, &radii_there));
    BP_CUDA_TRY(reserve_rows(context, count, indices, capacity, &offsets_there, &indices_there));
    BP_CUDA_TRY(bp_cuda_find_neighbors_variable(context, static_cast<const float *>(points_there), count,
                                                static_cast<const float *>(radii_there), nullptr, offsets_there,
                                                indices_there, capacity, found));
    return copy_rows_out(context, offsets, count, indices, *found);
}

bp_status bp_cuda_find_neighbors_between_host(bp_cuda_context *context, const float *a_xyz, size_t a_count,
                                              const float *b_xyz, size_t b_count, float radius, uint64_t *offsets,
                                              uint32_t *indices, uint64_t capacity, uint64_t *found) {
    if (context == nullptr || is_wrong(a_xyz, a_count) || is_wrong(b_xyz, b_count) || offsets == nullptr ||
        (indices == nullptr && capacity > 0) || found == nullptr) {
        return BP_ERROR_ARGUMENT;
    }
    const void *a_there = nullptr, *b_there = nullptr;
    uint64_t *offsets_there = nullptr;
    uint32_t *indices_there = nullptr;
    BP_CUDA_TRY(bring(context, &context->host_boxes[0], a_xyz, 3 * a_count * sizeof *a_xyz, &a_there));
    BP_CUDA_TRY(bring(context, &context->host_boxes[1], b_xyz, 3 * b_count * sizeof *b_xyz, &b_there));
    BP_CUDA_TRY(reserve_rows(context, a_count, indices, capacity, &offsets_there, &indices_there));
    BP_CUDA_TRY(bp_cuda_find_neighbors_between(context, static_cast<const float *>(a_there), a_count,
                                               static_cast<const float *>(b_there), b_count, radius, nullptr,
                                               offsets_there, indices_there, capacity, found));
    return copy_rows_out(context, offsets, a_count, indices, *found);
}
