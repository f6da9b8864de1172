// DLPack 1.0, by which libraries of arrays hand memory to each other: the layout that its specification fixes, in our words.
#ifndef BROADPHASE_PYTHON_DLPACK_H
#define BROADPHASE_PYTHON_DLPACK_H

#include <stdint.h>

enum {
    DLPACK_CPU = 1,
    DLPACK_CUDA = 2,
    DLPACK_CUDA_HOST = 3, // memory of the host, pinned
    DLPACK_ROCM_HOST = 11,
    DLPACK_CUDA_MANAGED = 13,

    DLPACK_INT = 0,
    DLPACK_UINT = 1,
    DLPACK_FLOAT = 2,

    DLPACK_MAJOR = 1
};

#define DLPACK_NAME "dltensor"
#define DLPACK_NAME_USED "used_dltensor"
#define DLPACK_NAME_VERSIONED "dltensor_versioned"
#define DLPACK_NAME_VERSIONED_USED "used_dltensor_versioned"

typedef struct dlpack_tensor {
    void *data;
    int32_t device_type;
    int32_t device;
    int32_t dimensions;
    uint8_t type_code;
    uint8_t type_bits;
    uint16_t type_lanes;
    int64_t *shape;
    int64_t *strides; // in numbers, not bytes; NULL: rows lie one after the other
    uint64_t byte_offset;
} dlpack_tensor;

typedef struct dlpack_managed {
    dlpack_tensor tensor;
    void *context;
    void (*deleter)(struct dlpack_managed *self);
} dlpack_managed;

typedef struct dlpack_versioned {
    uint32_t major, minor;
    void *context;
    void (*deleter)(struct dlpack_versioned *self);
    uint64_t flags;
    dlpack_tensor tensor;
} dlpack_versioned;

#endif
