// Stands in for libbroadphase_cuda where there is no GPU: "device memory" is the host's, and what a GPU would find is found by
// the library. It counts what is alive, and tells tests what it was asked for.
#include <broadphase/broadphase_cuda.h>

#include <stdlib.h>
#include <string.h>

enum { DEVICES = 2 };

struct bp_cuda_context {
    bp_config config;
    int device;
};

typedef struct stand_in_state {
    uint64_t stream;      // of the last search
    uint64_t searches;    // in all
    uint64_t contexts;    // alive
    uint64_t allocations; // alive
    uint64_t bytes;       // of the last allocation
    int64_t device;       // the current one
    uint64_t fail;        // the status of the next search; 0: none
    uint64_t short_of;    // allocations of more bytes than this fail; 0: none
    uint64_t second;      // arrays from here on are on the second device; 0: none
} stand_in_state;

BP_API stand_in_state stand_in = {0};

// ---------------------------------------------------------------------------------------------------------------------
// Devices and memory

bp_status bp_cuda_device_of(const void *data, int *device) {
    if (data == (const void *)8) return BP_ERROR_ARGUMENT; // an address of no device's
    *device = stand_in.second != 0 && (uintptr_t)data >= stand_in.second;
    return BP_OK;
}

bp_status bp_cuda_use_device(int device, int *before) {
    if (before != NULL) *before = (int)stand_in.device;
    if (device < 0 || device >= DEVICES) return BP_ERROR_ARGUMENT;
    stand_in.device = device;
    return BP_OK;
}

bp_status bp_cuda_allocate(size_t bytes, void **data) {
    *data = stand_in.short_of != 0 && bytes > stand_in.short_of ? NULL : malloc(bytes);
    if (*data == NULL) return BP_ERROR_MEMORY;
    stand_in.allocations++;
    stand_in.bytes = bytes;
    return BP_OK;
}

void bp_cuda_release(void *data) {
    if (data == NULL) return;
    stand_in.allocations--;
    free(data);
}

// ---------------------------------------------------------------------------------------------------------------------
// Contexts and searches

bp_status bp_cuda_create(const bp_config *config, bp_cuda_context **context) {
    const bp_config defaults = {0};
    if (config == NULL) config = &defaults;
    *context = NULL;
    if (config->shape != 0 || config->margin != 0.0f || config->filter.pass != NULL) {
        config->log.write(config->log.context, "config.filter, margin or shape: not on a CUDA device");
        return BP_ERROR_UNSUPPORTED;
    }
    *context = calloc(1, sizeof **context);
    if (*context == NULL) return BP_ERROR_MEMORY;
    (*context)->config = *config;
    (*context)->config.settings = NULL;
    (*context)->device = (int)stand_in.device;
    stand_in.contexts++;
    return BP_OK;
}

void bp_cuda_destroy(bp_cuda_context *context) {
    if (context == NULL) return;
    stand_in.contexts--;
    free(context);
}

// Notes the search; BP_OK if it may go on.
static bp_status begin(const bp_cuda_context *context, bp_cuda_stream stream) {
    const bp_status status = (bp_status)stand_in.fail;
    stand_in.searches++;
    stand_in.stream = (uint64_t)(uintptr_t)stream;
    stand_in.fail = 0;
    if (status != BP_OK) context->config.log.write(context->config.log.context, "as the test asked");
    return context->device != stand_in.device ? BP_ERROR_INTERNAL : status;
}

// Copies `count` items into the caller's buffer, if they fit.
static bp_status hand_over(const void *from, uint64_t count, size_t size, void *to, uint64_t capacity,
                           uint64_t *found) {
    *found = count;
    if (to == NULL) return BP_OK;
    if (count > capacity) return BP_ERROR_CAPACITY;
    if (count > 0) memcpy(to, from, (size_t)count * size);
    return BP_OK;
}

bp_status bp_cuda_find_pairs(bp_cuda_context *context, const bp_box *boxes, size_t count, bp_cuda_stream stream,
                             bp_pair *pairs, uint64_t capacity, uint64_t *found) {
    bp_pairs list = {0};
    bp_status status = begin(context, stream);
    if (status == BP_OK) status = bp_find_pairs(boxes, count, &context->config, &list);
    if (status == BP_OK) status = hand_over(list.data, list.count, sizeof *pairs, pairs, capacity, found);
    bp_pairs_free(&list, NULL);
    return status;
}

bp_status bp_cuda_find_pairs_between(bp_cuda_context *context, const bp_box *a, size_t a_count, const bp_box *b,
                                     size_t b_count, bp_cuda_stream stream, bp_pair *pairs, uint64_t capacity,
                                     uint64_t *found) {
    bp_pairs list = {0};
    bp_status status = begin(context, stream);
    if (status == BP_OK) status = bp_find_pairs_between(a, a_count, b, b_count, &context->config, &list);
    if (status == BP_OK) status = hand_over(list.data, list.count, sizeof *pairs, pairs, capacity, found);
    bp_pairs_free(&list, NULL);
    return status;
}

bp_status bp_cuda_find_neighbors(bp_cuda_context *context, const float *points_xyz, size_t count, float radius,
                                 bp_cuda_stream stream, uint64_t *offsets, uint32_t *indices, uint64_t capacity,
                                 uint64_t *found) {
    bp_neighbors rows = {0};
    bp_status status = begin(context, stream);
    if (status == BP_OK) status = bp_find_neighbors(points_xyz, count, radius, &context->config, &rows);
    if (status == BP_OK) {
        for (size_t i = 0; i <= count; i++) offsets[i] = rows.offsets[i];
        status = hand_over(rows.indices, rows.offsets[count], sizeof *indices, indices, capacity, found);
    }
    bp_neighbors_free(&rows, NULL);
    return status;
}
