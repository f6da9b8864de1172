// What the library found, as NumPy arrays that own its memory: nothing is copied, and the last array releases it.
#ifndef BROADPHASE_PYTHON_ROWS_OUT_H
#define BROADPHASE_PYTHON_ROWS_OUT_H

#include "core.h"

// An array of `count` numbers, or with `columns` > 1 of rows of them, of `size` bytes each. It takes over `data`, a block
// of the default allocator of `capacity` numbers, even if it fails. NULL data: an empty array.
PyObject *rows_out_take(void *data, size_t capacity, size_t count, size_t columns, size_t size, PyObject *dtype);
// The same with a copy of `data`.
PyObject *rows_out_copy(const void *data, size_t count, size_t columns, size_t size, PyObject *dtype);
// A block of the default allocator, and its end; NULL: an exception is set.
void *rows_out_allocate(size_t count, size_t size);
void rows_out_release(void *data, size_t count, size_t size);

// Makes core.memory_type.
bool rows_out_begin(void);

#endif
