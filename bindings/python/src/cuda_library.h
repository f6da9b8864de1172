// libbroadphase_cuda, loaded when the first array on a GPU comes, and its contexts.
//
// A context keeps device memory from call to call, and is for one thread at a time. So calls take an idle one that was made
// for the same device and settings, or make one, and give it back; a few idle ones are kept.
#ifndef BROADPHASE_PYTHON_CUDA_LIBRARY_H
#define BROADPHASE_PYTHON_CUDA_LIBRARY_H

#include "call_settings.h"

#include <broadphase/broadphase_cuda.h>

typedef struct cuda_library {
    const char *(*version)(void);
    bp_status (*create)(const bp_config *config, bp_cuda_context **context);
    void (*destroy)(bp_cuda_context *context);
    bp_status (*find_pairs)(bp_cuda_context *context, const bp_box *boxes, size_t count, bp_cuda_stream stream,
                            bp_pair *pairs, uint64_t capacity, uint64_t *found);
    bp_status (*find_pairs_between)(bp_cuda_context *context, const bp_box *a, size_t a_count, const bp_box *b,
                                    size_t b_count, bp_cuda_stream stream, bp_pair *pairs, uint64_t capacity,
                                    uint64_t *found);
    bp_status (*find_neighbors)(bp_cuda_context *context, const float *points_xyz, size_t count, float radius,
                                bp_cuda_stream stream, uint64_t *offsets, uint32_t *indices, uint64_t capacity,
                                uint64_t *found);
    bp_status (*find_neighbors_variable)(bp_cuda_context *context, const float *points_xyz, size_t count,
                                         const float *radii, bp_cuda_stream stream, uint64_t *offsets,
                                         uint32_t *indices, uint64_t capacity, uint64_t *found);
    bp_status (*find_neighbors_between)(bp_cuda_context *context, const float *a_xyz, size_t a_count,
                                        const float *b_xyz, size_t b_count, float radius, bp_cuda_stream stream,
                                        uint64_t *offsets, uint32_t *indices, uint64_t capacity, uint64_t *found);
    bp_status (*find_pairs_double)(bp_cuda_context *context, const bp_box_double *boxes, size_t count,
                                   bp_cuda_stream stream, bp_pair *pairs, uint64_t capacity, uint64_t *found);
    bp_status (*find_pairs_between_double)(bp_cuda_context *context, const bp_box_double *a, size_t a_count,
                                           const bp_box_double *b, size_t b_count, bp_cuda_stream stream,
                                           bp_pair *pairs, uint64_t capacity, uint64_t *found);
    bp_status (*find_neighbors_double)(bp_cuda_context *context, const double *points_xyz, size_t count, double radius,
                                       bp_cuda_stream stream, uint64_t *offsets, uint32_t *indices, uint64_t capacity,
                                       uint64_t *found);
    bp_status (*widen)(const float *flat, size_t corners, bp_cuda_stream stream, float *wide);
    bp_status (*widen_double)(const double *flat, size_t corners, bp_cuda_stream stream, double *wide);
    bp_status (*device_of)(const void *data, int *device);
    bp_status (*use_device)(int device, int *before);
    bp_status (*allocate)(size_t bytes, void **data);
    void (*release)(void *data);
} cuda_library;

typedef struct cuda_slot {
    struct cuda_slot *next;
    bp_cuda_context *context; // NULL: yet to be made
    int device;
    bp_config config;             // what it was made for
    double found_per_row[2];      // of the last call: of pairs, of neighbours; 0: none yet
    char sentence[SENTENCE_SIZE]; // the last line of its log
} cuda_slot;

// The library; NULL: an exception is set, which says where it was looked for.
const cuda_library *cuda_library_load(void);
// The library, which has been loaded.
const cuda_library *cuda_library_get(void);

// All with the interpreter's lock. An idle slot for these settings, or a new one; NULL: an exception is set.
cuda_slot *cuda_slot_take(int device, const bp_config *config);
// Keeps it for later calls.
void cuda_slot_give(cuda_slot *slot);
// Destroys it with its context.
void cuda_slot_drop(cuda_slot *slot);
// Without the lock, while its device is the current one: makes the context, if there is none.
bp_status cuda_slot_make(cuda_slot *slot);

#endif
