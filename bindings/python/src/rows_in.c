#include "rows_in.h"

#include "gpu_rows_in.h"
#include "rows_out.h"

#include <stdio.h>
#include <string.h>

void rows_release(rows_in *self) {
    if (self->is_viewed) PyBuffer_Release(&self->view);
    rows_out_release(self->copy, 1, self->copied);
    *self = (rows_in){0};
}

static bool refuse(rows_in *self) {
    rows_release(self);
    return false;
}

// ---------------------------------------------------------------------------------------------------------------------
// The memory of an object

// The one letter of a buffer's format, or 0 for what is not one number of this machine.
static char letter_of(const Py_buffer *view) {
    const char *format = view->format == NULL ? "B" : view->format;
    if (*format == '@') format++;
    return format[0] != '\0' && format[1] == '\0' ? format[0] : '\0';
}

// The numbers are what the library takes, one after the other.
static bool is_plain(const Py_buffer *view, char wanted, size_t size) {
    char letter = letter_of(view);
    if (wanted == 'q' && letter == 'l' && sizeof(long) == 8) letter = 'q';
    if (wanted == 'Q' && letter == 'L' && sizeof(long) == 8) letter = 'Q';
    if (wanted == 'I' && letter == 'L' && sizeof(long) == 4) letter = 'I';
    return letter == wanted && (size_t)view->itemsize == size && (uintptr_t)view->buf % size == 0 &&
           PyBuffer_IsContiguous(view, 'C');
}

// The numbers behind a mask of numpy.ma are not meant; NumPy gives them all the same.
static bool is_unmasked(PyObject *object, const char *name) {
    if (Py_TYPE(object) == (PyTypeObject *)core.ndarray || PyObject_IsInstance(object, core.ndarray) != 1) return true;
    PyObject *module = PyImport_ImportModule("numpy.ma");
    PyObject *answer = module == NULL ? NULL : PyObject_CallMethod(module, "is_masked", "O", object);
    const int is_masked = answer == NULL ? -1 : PyObject_IsTrue(answer);
    if (is_masked > 0) {
        PyErr_Format(core.argument_error, "%s: some numbers are masked; remove their rows (numpy.ma.compress_rows)",
                     name);
    }
    Py_XDECREF(answer);
    Py_XDECREF(module);
    return is_masked == 0;
}

// In place of NumPy's sentence, which does not say which argument it is about.
static void name_what_is_no_number(PyObject *array, const char *name, PyObject *dtype) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return;
    PyErr_Clear();
    PyObject *found = PyObject_GetAttrString(array, "dtype");
    if (found != NULL) PyErr_Format(PyExc_TypeError, "%s: expected numbers as %S, found %S", name, dtype, found);
    Py_XDECREF(found);
}

// An array of NumPy over the object, or with its numbers.
static PyObject *as_array(PyObject *object, const char *name) {
    if (!array_must_be_on_host(object, name)) return NULL;
    const bool is_dlpack = PyObject_HasAttrString(object, "__dlpack__") && !PyObject_HasAttrString(object, "__array__");
    return PyObject_CallFunctionObjArgs(is_dlpack ? core.from_dlpack : core.asarray, object, NULL);
}

// A new array with the numbers of the object, in a dtype that holds them.
static PyObject *converted(PyObject *object, const char *name, PyObject *dtype) {
    PyObject *array = as_array(object, name);
    if (array == NULL) return NULL;
    PyObject *size = PyObject_GetAttrString(array, "size"); // an empty list has no numbers, and so no kind of them
    const bool is_empty = size != NULL && PyLong_AsLong(size) == 0;
    Py_XDECREF(size);
    PyObject *copy = PyObject_CallMethod(array, "astype", "Oss", dtype, "C", is_empty ? "unsafe" : "same_kind");
    if (copy == NULL) name_what_is_no_number(array, name, dtype);
    Py_DECREF(array);
    return copy;
}

static bool view_converted(rows_in *self, PyObject *object, const char *name, PyObject *dtype) {
    PyObject *array = converted(object, name, dtype);
    if (array == NULL) return false;
    self->is_viewed = PyObject_GetBuffer(array, &self->view, PyBUF_RECORDS_RO) == 0;
    Py_DECREF(array); // the view holds it
    return self->is_viewed;
}

// False without an exception: it must be converted.
static bool view_object(rows_in *self, PyObject *object, const char *name) {
    if (!is_unmasked(object, name) || !PyObject_CheckBuffer(object)) return false;
    self->is_viewed = self->is_shared = PyObject_GetBuffer(object, &self->view, PyBUF_RECORDS_RO) == 0;
    if (!self->is_viewed) PyErr_Clear(); // NumPy says more when it converts it
    return self->is_viewed;
}

static void drop_view(rows_in *self) {
    if (self->is_viewed) PyBuffer_Release(&self->view);
    self->is_viewed = self->is_shared = false;
}

// Other numbers take the place of those that were given.
static void replace(rows_in *self, void *copy, size_t bytes) {
    drop_view(self);
    rows_out_release(self->copy, 1, self->copied);
    self->copy = copy;
    self->copied = bytes;
    self->data = copy;
}

// Copies what others can write to: from here on nothing changes that has been checked. The interpreter's lock is held, so
// nobody can release the memory meanwhile.
static bool keep(rows_in *self) {
    if (!self->is_shared) return true;
    const size_t bytes = (size_t)self->view.len;
    void *copy = rows_out_allocate(bytes, 1);
    if (copy == NULL) return false;
    memcpy(copy, self->view.buf, bytes);
    replace(self, copy, bytes + 1);
    return true;
}

// What the library would refuse is not copied first.
static bool are_not_too_many(const Py_buffer *view, const char *name) {
    const long long limit = UINT32_MAX - 1;
    if (view->ndim < 2 || view->shape[0] <= limit) return true;
    PyErr_Format(core.argument_error, "%s: %zd exceed the limit of %lld; split the set", name, view->shape[0], limit);
    return false;
}

// The numbers as float or double, whichever they are.
static bool view_reals(rows_in *self, PyObject *object, const char *name) {
    bool is_float = false;
    if (view_object(self, object, name)) {
        if (!are_not_too_many(&self->view, name)) return false;
        is_float = letter_of(&self->view) == 'f';
        self->wide = !is_float;
        if (is_plain(&self->view, is_float ? 'f' : 'd', is_float ? sizeof(float) : sizeof(double))) return true;
        drop_view(self);
    }
    self->wide = !is_float;
    return !PyErr_Occurred() && view_converted(self, object, name, is_float ? core.float32 : core.float64);
}

// ---------------------------------------------------------------------------------------------------------------------
// Shapes

static bool fail_shape(const rows_in *self, const char *name, const char *expected) {
    PyObject *shape = PyTuple_New(self->view.ndim);
    for (int i = 0; shape != NULL && i < self->view.ndim; i++) {
        PyTuple_SetItem(shape, i, PyLong_FromSsize_t(self->view.shape[i]));
    }
    if (shape != NULL) PyErr_Format(core.argument_error, "%s: expected %s, found shape %R", name, expected, shape);
    Py_XDECREF(shape);
    return false;
}

// Rows of `solid` or `flat` columns: 6 and 4, or 3 and 2.
static bool take_shape(rows_in *self, const char *name, uint32_t solid, uint32_t flat, const char *expected) {
    const Py_buffer *view = &self->view;
    const Py_ssize_t columns = view->ndim == 0 ? 0 : view->shape[view->ndim - 1];
    self->dimensions = columns == (Py_ssize_t)flat ? 2 : 3;
    self->data = view->buf;
    if (view->ndim == 1 && columns == 0) return true;
    if (view->ndim < 1 || view->ndim > 2 || (columns != (Py_ssize_t)solid && columns != (Py_ssize_t)flat)) {
        return fail_shape(self, name, expected);
    }
    self->is_one = view->ndim == 1;
    self->count = self->is_one ? 1 : (size_t)view->shape[0];
    return true;
}

// Boxes and points in memory of our own; of two dimensions with z = 0. `ends` is 2 for boxes, 1 for points.
static bool keep_solid(rows_in *self, size_t ends) {
    if (self->dimensions == 3) return keep(self);
    const size_t size = self->wide ? sizeof(double) : sizeof(float);
    const size_t parts = self->count * ends; // each two numbers
    char *copy = rows_out_allocate(parts, 3 * size);
    if (copy == NULL) return false;
    const char *from = self->data;
    for (size_t i = 0; i < parts; i++) {
        memcpy(copy + i * 3 * size, from + i * 2 * size, 2 * size);
        memset(copy + (i * 3 + 2) * size, 0, size);
    }
    replace(self, copy, (parts + 1) * 3 * size);
    return true;
}

bool rows_are_ends(const Py_buffer *view) {
    if (view->ndim < 2 || view->shape[view->ndim - 2] != 2) return false;
    return view->shape[view->ndim - 1] == 3 || view->shape[view->ndim - 1] == 2;
}

// Boxes may come as their two ends: (N, 2, 3). These lie in memory as rows of six do.
static bool take_shape_of_boxes(rows_in *self, const char *name) {
    const Py_buffer *view = &self->view;
    if (view->ndim > 3 || !rows_are_ends(view)) {
        return take_shape(self, name, 6, 4,
                          "rows of min x, y, z, max x, y, z: (N, 6) or (N, 2, 3), or (N, 4) in two dimensions");
    }
    self->dimensions = (uint32_t)view->shape[view->ndim - 1];
    self->data = view->buf;
    self->is_one = view->ndim == 2;
    self->count = self->is_one ? 1 : (size_t)view->shape[0];
    return true;
}

bool rows_take_boxes(rows_in *self, PyObject *object, const char *name) {
    *self = (rows_in){0};
    const bool good = view_reals(self, object, name) && take_shape_of_boxes(self, name) && keep_solid(self, 2);
    return good || refuse(self);
}

bool rows_take_points(rows_in *self, PyObject *object, const char *name) {
    *self = (rows_in){0};
    const bool good = view_reals(self, object, name) &&
                      take_shape(self, name, 3, 2, "rows of x, y, z: (N, 3), or (N, 2) in two dimensions") &&
                      keep_solid(self, 1);
    return good || refuse(self);
}

// The numbers as float or double, whichever is asked for.
static bool view_precisely(rows_in *self, PyObject *object, const char *name, bool wide) {
    *self = (rows_in){.wide = wide};
    if (view_object(self, object, name) &&
        is_plain(&self->view, wide ? 'd' : 'f', wide ? sizeof(double) : sizeof(float))) {
        return true;
    }
    drop_view(self);
    return !PyErr_Occurred() && view_converted(self, object, name, wide ? core.float64 : core.float32);
}

bool rows_take_table(rows_in *self, PyObject *object, const char *name) {
    if (!view_precisely(self, object, name, true)) return refuse(self);
    if (self->view.ndim != 2 || self->view.shape[0] != self->view.shape[1]) {
        fail_shape(self, name, "a square table: (K, K)");
        return refuse(self);
    }
    self->data = self->view.buf;
    self->count = (size_t)self->view.shape[0];
    return keep(self) || refuse(self);
}

bool rows_take_reals(rows_in *self, PyObject *object, const char *name, size_t count, bool wide) {
    if (!view_precisely(self, object, name, wide)) return refuse(self);
    if (self->view.ndim != 1 || (size_t)self->view.shape[0] != count) {
        char expected[96];
        snprintf(expected, sizeof expected, "one number, or one for each of the %zu points", count);
        fail_shape(self, name, expected);
        return refuse(self);
    }
    self->data = self->view.buf;
    self->count = count;
    return keep(self) || refuse(self);
}

// ---------------------------------------------------------------------------------------------------------------------
// Whole numbers

static bool view_wholes(rows_in *self, PyObject *object, const char *name) {
    if (view_object(self, object, name) && is_plain(&self->view, 'q', sizeof(int64_t))) return true;
    drop_view(self);
    return !PyErr_Occurred() && view_converted(self, object, name, core.int64);
}

// Still where they are.
static bool view_whole_rows(rows_in *self, PyObject *object, const char *name, uint32_t columns) {
    *self = (rows_in){0};
    if (!view_wholes(self, object, name)) return refuse(self);
    const Py_buffer *view = &self->view;
    self->data = view->buf;
    self->is_one = view->ndim == 0;
    if (columns == 1 && view->ndim <= 1) {
        self->count = view->ndim == 0 ? 1 : (size_t)view->shape[0];
        return true;
    }
    if (view->ndim == 1 && view->shape[0] == 0) return true;
    if (view->ndim == 2 && view->shape[1] == (Py_ssize_t)columns) {
        self->count = (size_t)view->shape[0];
        return true;
    }
    fail_shape(self, name, columns == 1 ? "one number, or a row of them" : "rows of three numbers: (N, 3)");
    return refuse(self);
}

bool rows_take_wholes(rows_in *self, PyObject *object, const char *name, uint32_t columns) {
    return view_whole_rows(self, object, name, columns) && (keep(self) || refuse(self));
}

// ---------------------------------------------------------------------------------------------------------------------
// Whole numbers from 0 to 2^64 - 1

static bool refuse_word(PyObject *found, const char *name) {
    if (found != NULL) PyErr_Format(core.argument_error, "%s: %S is out of range", name, found);
    Py_XDECREF(found);
    return false;
}

static bool are_not_negative(const rows_in *self, const char *name) {
    const int64_t *wholes = self->data;
    for (size_t i = 0; i < self->count; i++) {
        if (wholes[i] < 0) return refuse_word(PyLong_FromLongLong(wholes[i]), name);
    }
    return true;
}

static bool put_word(uint64_t *word, PyObject *item, const char *name) {
    PyObject *whole = PyNumber_Index(item);
    if (whole == NULL) return false;
    *word = PyLong_AsUnsignedLongLong(whole);
    const bool good = *word != UINT64_MAX || !PyErr_Occurred();
    if (!good) {
        PyErr_Clear();
        refuse_word(Py_NewRef(whole), name);
    }
    Py_DECREF(whole);
    return good;
}

// NumPy has no type for a list of small numbers and of such above 2^63: one after the other, then.
static bool take_word_by_word(rows_in *self, PyObject *list, const char *name) {
    const Py_ssize_t count = PyList_Check(list) ? PyList_Size(list) : 1;
    uint64_t *words = rows_out_allocate((size_t)count, sizeof *words);
    if (words == NULL) return false;
    replace(self, words, ((size_t)count + 1) * sizeof *words);
    self->count = (size_t)count;
    self->is_one = !PyList_Check(list);
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!put_word(&words[i], PyList_Check(list) ? PyList_GetItem(list, i) : list, name)) return refuse(self);
    }
    return true;
}

static char kind_of(PyObject *array, long *size) {
    char kind = '\0';
    PyObject *dtype = PyObject_GetAttrString(array, "dtype");
    PyObject *letter = dtype == NULL ? NULL : PyObject_GetAttrString(dtype, "kind");
    PyObject *bytes = dtype == NULL ? NULL : PyObject_GetAttrString(dtype, "itemsize");
    if (letter != NULL && bytes != NULL) {
        kind = (char)PyUnicode_ReadChar(letter, 0);
        *size = PyLong_AsLong(bytes);
    }
    Py_XDECREF(bytes);
    Py_XDECREF(letter);
    Py_XDECREF(dtype);
    return kind;
}

static bool take_wide_words(rows_in *self, PyObject *array, const char *name) {
    if (view_object(self, array, name) && is_plain(&self->view, 'Q', sizeof(uint64_t)) && self->view.ndim <= 1) {
        self->data = self->view.buf;
        self->is_one = self->view.ndim == 0;
        self->count = self->is_one ? 1 : (size_t)self->view.shape[0];
        return keep(self) || refuse(self);
    }
    drop_view(self);
    PyObject *list = PyErr_Occurred() ? NULL : PyObject_CallMethod(array, "tolist", NULL);
    const bool good = list != NULL && take_word_by_word(self, list, name);
    Py_XDECREF(list);
    return good;
}

bool rows_take_words(rows_in *self, PyObject *object, const char *name) {
    *self = (rows_in){0};
    PyObject *array = is_unmasked(object, name) ? as_array(object, name) : NULL;
    if (array == NULL) return false;
    long size = 0;
    const char kind = kind_of(array, &size);
    bool good = kind != '\0';
    if (good && kind == 'f' && (PyList_Check(object) || PyTuple_Check(object))) {
        PyObject *list = PySequence_List(object);
        good = list != NULL && take_word_by_word(self, list, name);
        Py_XDECREF(list);
    } else if (good && ((kind == 'u' && size == sizeof(uint64_t)) || kind == 'O')) {
        good = take_wide_words(self, array, name);
    } else if (good) {
        good = rows_take_wholes(self, array, name, 1) && (are_not_negative(self, name) || refuse(self));
    }
    Py_DECREF(array);
    return good;
}

// ---------------------------------------------------------------------------------------------------------------------
// Ids

// Numbers of 64 bits as ids; those that are none fail here, not by becoming another.
static bool narrow_ids(rows_in *self, const char *name) {
    uint32_t *ids = rows_out_allocate(self->count, sizeof *ids);
    if (ids == NULL) return false;
    self->copy = ids;
    self->copied = (self->count + 1) * sizeof *ids;
    for (size_t i = 0; i < self->count; i++) {
        const int64_t whole = ((const int64_t *)self->data)[i];
        if (whole < 0 || whole > UINT32_MAX) {
            PyErr_Format(core.id_error, "%s: %lld is not an id", name, (long long)whole);
            return false;
        }
        ids[i] = (uint32_t)whole;
    }
    drop_view(self);
    self->data = ids;
    return true;
}

// A mask names other objects than the ids 0 and 1.
static bool are_no_truths(PyObject *array, const char *name) {
    long size = 0;
    const char kind = kind_of(array, &size);
    if (kind == 'b') {
        PyErr_Format(PyExc_TypeError, "%s: expected numbers, found a mask; numpy.flatnonzero(mask) gives its numbers",
                     name);
    }
    return kind != '\0' && kind != 'b';
}

bool rows_take_ids(rows_in *self, PyObject *object, const char *name) {
    *self = (rows_in){0};
    if (view_object(self, object, name) && self->view.ndim == 1 && is_plain(&self->view, 'I', sizeof(uint32_t))) {
        self->data = self->view.buf;
        self->count = (size_t)self->view.shape[0];
        return keep(self) || refuse(self);
    }
    drop_view(self);
    PyObject *array = PyErr_Occurred() ? NULL : as_array(object, name);
    const bool good = array != NULL && are_no_truths(array, name) && view_whole_rows(self, array, name, 1) &&
                      (narrow_ids(self, name) || refuse(self));
    Py_XDECREF(array);
    return good;
}

bool rows_widen(rows_in *self, size_t columns) {
    if (self->wide) return true;
    const float *from = self->data;
    double *copy = rows_out_allocate(self->count * columns, sizeof *copy);
    if (copy == NULL) return false;
    for (size_t i = 0; i < self->count * columns; i++) copy[i] = (double)from[i];
    replace(self, copy, (self->count * columns + 1) * sizeof *copy);
    self->wide = true;
    return true;
}

bool rows_narrow(rows_in *self, size_t columns) {
    if (!self->wide) return true;
    const double *from = self->data;
    float *copy = rows_out_allocate(self->count * columns, sizeof *copy);
    if (copy == NULL) return false;
    for (size_t i = 0; i < self->count * columns; i++) copy[i] = (float)from[i];
    replace(self, copy, (self->count * columns + 1) * sizeof *copy);
    self->wide = false;
    return true;
}
