// What a caller gives as rows of numbers in the memory of a GPU: by DLPack, or else by __cuda_array_interface__. Nothing is
// copied or converted here: rows must be float32 or float64, and lie one after the other.
#ifndef BROADPHASE_PYTHON_GPU_ROWS_IN_H
#define BROADPHASE_PYTHON_GPU_ROWS_IN_H

#include "core.h"

// Where an object's numbers are. ELSEWHERE: on a device that is no CUDA GPU. UNKNOWN: an exception is set.
typedef enum array_place { PLACE_UNKNOWN = -1, PLACE_HOST, PLACE_GPU, PLACE_ELSEWHERE } array_place;

// For an object with the buffer protocol, as NumPy's arrays, it asks nothing more.
array_place array_place_of(PyObject *object);
// False, with an exception, unless the object is on the host.
bool array_must_be_on_host(PyObject *object, const char *name);

typedef struct gpu_rows_in {
    const void *data;
    size_t count;
    uint32_t dimensions; // 2 or 3
    bool is_double;      // float64, not float32
    int device;
    void *managed;     // DLPack's, given back by its deleter
    bool is_versioned; // which of its two forms
    PyObject *keeper;  // holds the array until the call is over
} gpu_rows_in;

// Whose arrays these are: the stream on which the caller's library works, and the way back to its arrays (gpu.py).
typedef struct gpu_caller {
    PyObject *library;
    uintptr_t stream; // 0: not known yet
    bool is_signed;   // it wants numbers with a sign
} gpu_caller;

// All give false where an exception is set; then nothing needs a release.
bool gpu_caller_of(gpu_caller *self, PyObject *array);
void gpu_caller_release(gpu_caller *self);
// The array of the caller's library, of which `most` is the largest number; takes over `array`. NULL: an exception is set.
PyObject *gpu_caller_convert(const gpu_caller *self, PyObject *array, size_t most);

// Rows of `columns`, 6 of boxes, 3 of points, 1 of radii; in two dimensions 4 or 2. The first array decides on the caller's stream, if it is not known.
bool gpu_rows_take(gpu_rows_in *self, PyObject *object, const char *name, int columns, gpu_caller *caller);
// An empty one is fine.
void gpu_rows_release(gpu_rows_in *self);

#endif
