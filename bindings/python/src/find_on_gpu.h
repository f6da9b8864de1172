// pairs and neighbors of arrays in the memory of a GPU, by libbroadphase_cuda.
#ifndef BROADPHASE_PYTHON_FIND_ON_GPU_H
#define BROADPHASE_PYTHON_FIND_ON_GPU_H

#include "call_settings.h"

// Whether one of two arrays is on a GPU; the second may be NULL. An exception of theirs is left for who takes them.
bool gpu_has_any(PyObject *a, PyObject *b);
// `other` may be NULL. NULL: an exception is set.
PyObject *gpu_pairs(PyObject *boxes, PyObject *other, call_settings *settings);
PyObject *gpu_neighbors(PyObject *points, PyObject *radius, PyObject *other, call_settings *settings);

#endif
