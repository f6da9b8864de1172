// The context: creation, memory, errors, and the calls that find pairs of boxes on the device.
#include "context.cuh"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <limits>

// ---- errors and memory ----------------------------------------------------------------------------------------------

bp_status bp_cuda_check(const bp_cuda_context *context, cudaError_t error, const char *what) {
    if (error == cudaSuccess) {
        return BP_OK;
    }
    (void)cudaGetLastError();
    bp_log_write(&context->config.log, "CUDA, %s: %s", what, cudaGetErrorString(error));
    return error == cudaErrorMemoryAllocation ? BP_ERROR_MEMORY : BP_ERROR_INTERNAL;
}

// The old contents are not needed, so the old memory is freed first.
bp_status bp_cuda_reserve(bp_cuda_context *context, bp_cuda_buffer *buffer, size_t bytes) {
    bytes = std::max<size_t>(bytes, 256);
    if (bytes <= buffer->bytes) {
        return BP_OK;
    }
    (void)cudaFree(buffer->data);
    context->stats.bytes -= buffer->bytes;
    *buffer = {nullptr, 0};
    const cudaError_t error = cudaMalloc(&buffer->data, bytes);
    if (error == cudaErrorMemoryAllocation) {
        size_t available = 0, all = 0;
        (void)cudaGetLastError();
        (void)cudaMemGetInfo(&available, &all);
        bp_log_write(&context->config.log, "the device's memory is short: %zu bytes are needed, %zu of %zu are free",
                     bytes, available, all);
        buffer->data = nullptr;
        return BP_ERROR_MEMORY;
    }
    BP_CUDA_TRY(bp_cuda_check(context, error, "allocating"));
    buffer->bytes = bytes;
    context->stats.bytes += bytes;
    return BP_OK;
}

void bp_cuda_mark(bp_cuda_context *context, int stage, cudaStream_t stream) {
    if (context->measured) {
        (void)cudaEventRecord(context->marks[stage + 1], stream);
    }
}

uint64_t bp_cuda_memory_needed(size_t count) {
    // Boxes, sorted: keys of 64 bits, indices and records, twice: 40 bytes. Boxes, distributed: items of 16 bytes,
    // twice, with spare room: 48. Points: keys and indices, twice, the points, the first neighbours, a count: 52.
    const uint64_t objects = 52;
    const uint64_t table = (uint64_t)BP_CUDA_TABLE_LOAD * sizeof(uint32_t);
    const uint64_t others = (uint64_t)16 << 20; // for sorting, tiles, and all that does not grow
    return count * (objects + table) + count / 16 + others;
}

// ---- life -----------------------------------------------------------------------------------------------------------

static bp_status check_config(const bp_config *config) {
    const bool shaped = config->shape != 0, margin = config->margin != 0.0f, filter = config->filter.pass != nullptr;
    if (shaped || margin || filter) {
        bp_log_write(&config->log, "config.%s: not on a CUDA device", shaped ? "shape" : margin ? "margin" : "filter");
        return BP_ERROR_UNSUPPORTED;
    }
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess || devices == 0) {
        (void)cudaGetLastError();
        bp_log_write(&config->log, "no CUDA device: %s",
                     cudaGetErrorString(error != cudaSuccess ? error : cudaErrorNoDevice));
        return BP_ERROR_UNSUPPORTED;
    }
    return BP_OK;
}

static bp_status make_resources(bp_cuda_context *context) {
    BP_CUDA_TRY(bp_cuda_check(
        context, cudaHostAlloc(&context->samples, 2 * BP_CUDA_SAMPLE * sizeof(bp_box), cudaHostAllocMapped),
        "pinned memory"));
    BP_CUDA_TRY(
        bp_cuda_check(context, cudaHostAlloc(&context->host_result, sizeof(bp_cuda_result), 0), "pinned memory"));
    BP_CUDA_TRY(bp_cuda_reserve(context, &context->result, sizeof(bp_cuda_result)));
    for (int i = 0; i <= BP_CUDA_STAGES; ++i) {
        BP_CUDA_TRY(bp_cuda_check(context, cudaEventCreate(&context->marks[i]), "events"));
    }
    return BP_OK;
}

bp_status bp_cuda_create(const bp_config *config, bp_cuda_context **context) {
    if (context == nullptr) {
        return BP_ERROR_ARGUMENT;
    }
    *context = nullptr;
    bp_config complete;
    BP_CUDA_TRY(bp_cuda_complete_config(config, &complete));
    BP_CUDA_TRY(check_config(&complete));
    void *memory = complete.allocator.allocate(complete.allocator.context, sizeof(bp_cuda_context));
    if (memory == nullptr) {
        return BP_ERROR_MEMORY;
    }
    std::memset(memory, 0, sizeof(bp_cuda_context));
    bp_cuda_context *made = static_cast<bp_cuda_context *>(memory);
    made->config = complete;
    const bp_status status = make_resources(made);
    if (status != BP_OK) {
        bp_cuda_destroy(made);
        return status;
    }
    *context = made;
    return BP_OK;
}

static void free_grid(bp_cuda_grid *grid) {
    for (bp_cuda_buffer *buffer : {&grid->halves[0], &grid->halves[1], &grid->points, &grid->table, &grid->chunks}) {
        (void)cudaFree(buffer->data);
    }
}

void bp_cuda_destroy(bp_cuda_context *context) {
    if (context == nullptr) {
        return;
    }
    free_grid(&context->grids[0]);
    free_grid(&context->grids[1]);
    for (bp_cuda_buffer *buffer :
         {&context->sort_space, &context->states, &context->result, &context->ordered, &context->partition,
          &context->offsets_scratch, &context->found_scratch, &context->rounded[0], &context->rounded[1],
          &context->candidates, &context->host_boxes[0], &context->host_boxes[1], &context->host_pairs,
          &context->host_offsets}) {
        (void)cudaFree(buffer->data);
    }
    (void)cudaFreeHost(context->samples);
    (void)cudaFreeHost(context->host_result);
    for (int i = 0; i < BP_CUDA_STAGING; ++i) {
        (void)cudaFreeHost(context->staging[i]);
        (void)(context->staged[i] != nullptr ? cudaEventDestroy(context->staged[i]) : cudaSuccess);
    }
    for (cudaEvent_t event : context->marks) {
        (void)(event != nullptr ? cudaEventDestroy(event) : cudaSuccess);
    }
    (void)(context->copies != nullptr ? cudaStreamDestroy(context->copies) : cudaSuccess);
    const bp_allocator allocator = context->config.allocator;
    allocator.release(allocator.context, context, sizeof *context);
}

bp_status bp_cuda_set_objects(bp_cuda_context *context, const bp_object *first, const bp_object *second) {
    if (context == nullptr) {
        return BP_ERROR_ARGUMENT;
    }
    context->objects[0] = first;
    context->objects[1] = second;
    return BP_OK;
}

bp_status bp_cuda_measure(bp_cuda_context *context, int on) {
    if (context == nullptr) {
        return BP_ERROR_ARGUMENT;
    }
    context->measured = on != 0;
    return BP_OK;
}

bp_status bp_cuda_get_stats(const bp_cuda_context *context, bp_cuda_stats *stats) {
    if (context == nullptr || stats == nullptr) {
        return BP_ERROR_ARGUMENT;
    }
    *stats = context->stats;
    return BP_OK;
}

// ---- a call ---------------------------------------------------------------------------------------------------------

bp_status bp_cuda_begin(bp_cuda_context *context, cudaStream_t stream) {
    const size_t bytes = context->stats.bytes;
    context->stats = {};
    context->stats.bytes = bytes;
    if (context->measured) {
        for (cudaEvent_t mark : context->marks) { // stages that a call skips take no time
            (void)cudaEventRecord(mark, stream);
        }
    }
    BP_CUDA_TRY(
        bp_cuda_check(context, cudaMemsetAsync(context->result.data, 0, sizeof(bp_cuda_result), stream), "starting"));
    return bp_cuda_check(
        context, cudaMemsetAsync(&bp_cuda_result_of(context)->invalid, 0xff, sizeof(unsigned long long), stream),
        "starting");
}

static float between(cudaEvent_t from, cudaEvent_t to) {
    float milliseconds = 0.0f;
    (void)cudaEventElapsedTime(&milliseconds, from, to);
    return milliseconds;
}

bp_status bp_cuda_finish(bp_cuda_context *context, cudaStream_t stream) {
    BP_CUDA_TRY(bp_cuda_check(context,
                              cudaMemcpyAsync(context->host_result, context->result.data, sizeof(bp_cuda_result),
                                              cudaMemcpyDeviceToHost, stream),
                              "finishing"));
    BP_CUDA_TRY(bp_cuda_check(context, cudaStreamSynchronize(stream), "finding"));
    if (context->measured) {
        float *times[BP_CUDA_STAGES] = {&context->stats.plan_ms,    &context->stats.keys_ms,  &context->stats.sort_ms,
                                        &context->stats.arrange_ms, &context->stats.sweep_ms, &context->stats.scan_ms};
        for (int i = 0; i < BP_CUDA_STAGES; ++i) {
            *times[i] = between(context->marks[i], context->marks[i + 1]);
        }
        context->stats.total_ms = between(context->marks[0], context->marks[BP_CUDA_STAGES]);
    }
    return BP_OK;
}

bp_status bp_cuda_finish_with(bp_cuda_context *context, const uint64_t *total, cudaStream_t stream) {
    BP_CUDA_TRY(bp_cuda_check(
        context,
        cudaMemcpyAsync(&bp_cuda_result_of(context)->total, total, sizeof *total, cudaMemcpyDeviceToDevice, stream),
        "finishing"));
    return bp_cuda_finish(context, stream);
}

static bp_status check_boxes(const bp_cuda_context *context, const bp_box *boxes, size_t count) {
    if ((boxes == nullptr && count > 0) || count > BP_MAX_COUNT ||
        reinterpret_cast<uintptr_t>(boxes) % alignof(float2) != 0) {
        bp_log_write(&context->config.log, "boxes: NULL, or more than fit, or not aligned to 8 bytes");
        return BP_ERROR_ARGUMENT;
    }
    return BP_OK;
}

bp_status bp_cuda_check_output(const bp_cuda_context *context, bp_cuda_output output, const uint64_t *found) {
    if (found == nullptr || (output.pairs == nullptr && output.capacity > 0) ||
        reinterpret_cast<uintptr_t>(output.pairs) % alignof(uint2) != 0) {
        bp_log_write(&context->config.log,
                     "pairs: a capacity without a buffer, or one not aligned to 8 bytes, or no `found`");
        return BP_ERROR_ARGUMENT;
    }
    return BP_OK;
}

bp_status bp_cuda_check_room(const bp_cuda_context *context, bp_cuda_output output, uint64_t found) {
    if (output.pairs != nullptr && found > output.capacity) {
        bp_log_write(&context->config.log, "pairs: room for %llu, but there are %llu",
                     (unsigned long long)output.capacity, (unsigned long long)found);
        return BP_ERROR_CAPACITY;
    }
    return BP_OK;
}

// After the kernels: checks that all boxes were valid and the pairs fit.
static bp_status conclude(bp_cuda_context *context, bp_cuda_output output, cudaStream_t stream, uint64_t *found) {
    BP_CUDA_TRY(bp_cuda_finish(context, stream));
    if (context->host_result->invalid != std::numeric_limits<unsigned long long>::max()) {
        bp_log_write(&context->config.log, "box %llu is invalid (NaN, or min > max, or longer than the period)",
                     context->host_result->invalid);
        return BP_ERROR_BOX;
    }
    *found = context->host_result->total;
    BP_CUDA_TRY(bp_cuda_check_room(context, output, *found));
    const bool orders = output.pairs != nullptr && context->config.pair_order == BP_ORDER_SORTED;
    return orders ? bp_cuda_order_pairs(context, output.pairs, *found, stream) : BP_OK;
}

static bp_status prepare(bp_cuda_context *context, const bp_box *const boxes[2], const size_t counts[2],
                         cudaStream_t stream) {
    BP_CUDA_TRY(bp_cuda_begin(context, stream));
    BP_CUDA_TRY(bp_cuda_plan_boxes(context, boxes, counts, stream));
    bp_cuda_mark(context, BP_CUDA_STAGE_PLAN, stream);
    const size_t most = std::max(counts[0], counts[1]);
    const size_t tiles =
        std::max({bp_cuda_sweep_tiles(counts[0]), bp_cuda_sweep_tiles(counts[1]), bp_cuda_scan_tiles(most)});
    BP_CUDA_TRY(bp_cuda_reserve(context, &context->states, tiles * sizeof(unsigned long long)));
    BP_CUDA_TRY(bp_cuda_reserve_grid(context, &context->grids[0], counts[0]));
    return counts[1] > 0 ? bp_cuda_reserve_grid(context, &context->grids[1], counts[1]) : BP_OK;
}

bp_status bp_cuda_find_pairs(bp_cuda_context *context, const bp_box *boxes, size_t count, bp_cuda_stream stream,
                             bp_pair *pairs, uint64_t capacity, uint64_t *found) {
    if (context == nullptr) {
        return BP_ERROR_ARGUMENT;
    }
    const bp_cuda_output output = {pairs, capacity};
    BP_CUDA_TRY(check_boxes(context, boxes, count));
    BP_CUDA_TRY(bp_cuda_check_output(context, output, found));
    *found = 0;
    if (count == 0) {
        return BP_OK;
    }
    const bp_box *const sets[2] = {boxes, nullptr};
    const size_t counts[2] = {count, 0};
    bp_cuda_grid *grid = &context->grids[0];
    BP_CUDA_TRY(prepare(context, sets, counts, stream));
    BP_CUDA_TRY(bp_cuda_build(context, grid, boxes, count, context->objects[0], 0, stream));
    BP_CUDA_TRY(bp_cuda_sweep(context, grid, grid, BP_CUDA_WITHIN, 0, output, stream));
    bp_cuda_mark(context, BP_CUDA_STAGE_SWEEP, stream);
    BP_CUDA_TRY(bp_cuda_scan(context, grid, grid, BP_CUDA_SCAN_WITHIN, 2, output, stream));
    bp_cuda_mark(context, BP_CUDA_STAGE_SCAN, stream);
    return conclude(context, output, stream, found);
}

// Where one of two sets is empty, the boxes of the other are checked.
static bp_status check_alone(bp_cuda_context *context, const bp_box *boxes, size_t count, cudaStream_t stream,
                             uint64_t *found) {
    const bp_box *const sets[2] = {boxes, nullptr};
    const size_t counts[2] = {count, 0};
    if (count == 0) {
        return BP_OK;
    }
    BP_CUDA_TRY(prepare(context, sets, counts, stream));
    BP_CUDA_TRY(bp_cuda_build(context, &context->grids[0], boxes, count, nullptr, 0, stream));
    return conclude(context, {nullptr, 0}, stream, found);
}

bp_status bp_cuda_find_pairs_between(bp_cuda_context *context, const bp_box *a, size_t a_count, const bp_box *b,
                                     size_t b_count, bp_cuda_stream stream, bp_pair *pairs, uint64_t capacity,
                                     uint64_t *found) {
    if (context == nullptr) {
        return BP_ERROR_ARGUMENT;
    }
    const bp_cuda_output output = {pairs, capacity};
    BP_CUDA_TRY(check_boxes(context, a, a_count));
    BP_CUDA_TRY(check_boxes(context, b, b_count));
    BP_CUDA_TRY(bp_cuda_check_output(context, output, found));
    *found = 0;
    if (a_count == 0 || b_count == 0) {
        return check_alone(context, a_count > 0 ? a : b, a_count + b_count, stream, found);
    }
    const bp_box *const sets[2] = {a, b};
    const size_t counts[2] = {a_count, b_count};
    bp_cuda_grid *first = &context->grids[0], *second = &context->grids[1];
    BP_CUDA_TRY(prepare(context, sets, counts, stream));
    BP_CUDA_TRY(bp_cuda_build(context, first, a, a_count, context->objects[0], 0, stream));
    BP_CUDA_TRY(bp_cuda_build(context, second, b, b_count, context->objects[1], a_count, stream));
    BP_CUDA_TRY(bp_cuda_sweep(context, first, second, BP_CUDA_TO_COARSER, 0, output, stream));
    BP_CUDA_TRY(bp_cuda_sweep(context, second, first, BP_CUDA_FROM_STRICTLY, 1, output, stream));
    bp_cuda_mark(context, BP_CUDA_STAGE_SWEEP, stream);
    BP_CUDA_TRY(bp_cuda_scan(context, second, first, BP_CUDA_SCAN_ALL, 2, output, stream));
    BP_CUDA_TRY(bp_cuda_scan(context, first, second, BP_CUDA_SCAN_FITTING, 3, output, stream));
    bp_cuda_mark(context, BP_CUDA_STAGE_SCAN, stream);
    return conclude(context, output, stream, found);
}
