// The owner of a block is an object with the buffer protocol and nothing else. NumPy makes an array over it and keeps it.
#include "rows_out.h"

#include <string.h>

typedef struct memory_object {
    PyObject_HEAD void *data;
    size_t bytes; // in use
    size_t held;  // as allocated
} memory_object;

static void memory_dealloc(PyObject *object) {
    memory_object *self = (memory_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    rows_out_release(self->data, self->held, 1);
    PyObject_Free(object);
    Py_DECREF((PyObject *)type);
}

static int memory_get_buffer(PyObject *object, Py_buffer *view, int flags) {
    const memory_object *self = (memory_object *)object;
    return PyBuffer_FillInfo(view, object, self->data, (Py_ssize_t)self->bytes, 0, flags);
}

bool rows_out_begin(void) {
    static PyType_Slot slots[] = {{Py_tp_dealloc, memory_dealloc}, {Py_bf_getbuffer, memory_get_buffer}, {0, NULL}};
    static PyType_Spec spec = {"broadphase.Memory", sizeof(memory_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    core.memory_type = PyType_FromSpec(&spec);
    return core.memory_type != NULL;
}

void *rows_out_allocate(size_t count, size_t size) {
    const bp_allocator allocator = bp_allocator_default();
    void *data = count > SIZE_MAX / size - 1 ? NULL : allocator.allocate(allocator.context, (count + 1) * size);
    if (data == NULL) PyErr_NoMemory();
    return data;
}

void rows_out_release(void *data, size_t count, size_t size) {
    const bp_allocator allocator = bp_allocator_default();
    if (data != NULL) allocator.release(allocator.context, data, count * size);
}

static PyObject *shape_of(size_t count, size_t columns) {
    return columns > 1 ? Py_BuildValue("(nn)", (Py_ssize_t)count, (Py_ssize_t)columns)
                       : Py_BuildValue("(n)", (Py_ssize_t)count);
}

// An array over an object's memory, or with memory of its own if that is NULL.
static PyObject *array_over(PyObject *memory, size_t count, size_t columns, PyObject *dtype) {
    PyObject *shape = shape_of(count, columns);
    if (shape == NULL) return NULL;
    PyObject *array = PyObject_CallFunctionObjArgs(core.ndarray, shape, dtype, memory, NULL);
    Py_DECREF(shape);
    return array;
}

PyObject *rows_out_take(void *data, size_t capacity, size_t count, size_t columns, size_t size, PyObject *dtype) {
    memory_object *memory = count == 0 ? NULL : PyObject_New(memory_object, (PyTypeObject *)core.memory_type);
    if (memory == NULL) {
        rows_out_release(data, capacity, size);
        return count == 0 ? array_over(NULL, 0, columns, dtype) : NULL;
    }
    memory->data = data;
    memory->bytes = count * columns * size;
    memory->held = capacity * size;
    PyObject *array = array_over((PyObject *)memory, count, columns, dtype);
    Py_DECREF((PyObject *)memory);
    return array;
}

PyObject *rows_out_copy(const void *data, size_t count, size_t columns, size_t size, PyObject *dtype) {
    void *copy = count == 0 ? NULL : rows_out_allocate(count * columns, size);
    if (copy == NULL && count > 0) return NULL;
    if (count > 0) memcpy(copy, data, count * columns * size);
    return rows_out_take(copy, count * columns + 1, count, columns, size, dtype);
}
