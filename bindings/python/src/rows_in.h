// What a caller gives as rows of numbers: boxes, points, radii, faces, ids.
//
// All of it is copied once, while the interpreter's lock is held. The library checks what it is given and then trusts it,
// without the lock: another thread, or another process that shares the memory, must not be able to write there.
#ifndef BROADPHASE_PYTHON_ROWS_IN_H
#define BROADPHASE_PYTHON_ROWS_IN_H

#include "core.h"

typedef struct rows_in {
    const void *data;
    size_t count;
    uint32_t dimensions; // of boxes and points: 2 or 3
    bool wide;           // double; else float
    bool is_one;         // it came alone, not as a row of many
    // What keeps the data: a copy, or an array of NumPy that was made by converting and that nobody else knows.
    Py_buffer view;
    bool is_viewed;
    bool is_shared; // the view is of the caller's array; only until it has been copied
    void *copy;
    size_t copied; // the bytes that it was allocated with
} rows_in;

// All give false where an exception is set. The struct is then empty, and needs no release.

// Boxes: (N, 6) or (N, 4), or as two ends (N, 2, 3) or (N, 2, 2), as bp_box or bp_box_double; one box may come alone, as
// (6,), (4,), (2, 3) or (2, 2).
bool rows_take_boxes(rows_in *self, PyObject *object, const char *name);
// Whether the last two numbers of a shape are those of ends.
bool rows_are_ends(const Py_buffer *view);
// Points: (N, 3) or (N, 2); one may come alone.
bool rows_take_points(rows_in *self, PyObject *object, const char *name);
// Numbers, as many as `count`, floats or doubles as `wide` says.
bool rows_take_reals(rows_in *self, PyObject *object, const char *name, size_t count, bool wide);
// A square table of doubles; `count` is how many rows it has.
bool rows_take_table(rows_in *self, PyObject *object, const char *name);
// Whole numbers from 0 to 2^32 - 1, one or many, as uint32_t.
bool rows_take_ids(rows_in *self, PyObject *object, const char *name);
// Whole numbers as int64_t, in rows of `columns`; with one column, of one number for all (count 1) or one each.
bool rows_take_wholes(rows_in *self, PyObject *object, const char *name, uint32_t columns);
// Whole numbers from 0 to 2^64 - 1, one or many, as uint64_t.
bool rows_take_words(rows_in *self, PyObject *object, const char *name);
// Floats become doubles; the columns of a row are 6 for boxes and 3 for points.
bool rows_widen(rows_in *self, size_t columns);
// Doubles become floats, rounded.
bool rows_narrow(rows_in *self, size_t columns);
// An empty one is fine.
void rows_release(rows_in *self);

#endif
