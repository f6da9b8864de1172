// What was found on a GPU: memory of the library on the device, as an object that other libraries of arrays take over without
// a copy, by DLPack or __cuda_array_interface__. The last of them to let go gives the memory back.
#ifndef BROADPHASE_PYTHON_GPU_ARRAY_H
#define BROADPHASE_PYTHON_GPU_ARRAY_H

#include "core.h"

// Memory on a device, which several may hold.
typedef struct gpu_memory gpu_memory;

// Without the interpreter's lock, while the device is the current one. On failure *memory is NULL.
bp_status gpu_memory_allocate(int device, size_t bytes, gpu_memory **memory);
void *gpu_memory_data(const gpu_memory *memory);
// From any thread, with or without the lock; NULL is fine.
void gpu_memory_release(gpu_memory *memory);

// An array of `rows` numbers, or of rows of `columns` > 1 of them, each of `bits`. It takes the memory over, even if it fails.
PyObject *gpu_array_take(gpu_memory *memory, size_t rows, size_t columns, int bits, bool is_signed);

// Makes core.gpu_array_type.
bool gpu_array_begin(PyObject *module);

#endif
