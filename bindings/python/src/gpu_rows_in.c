#include "gpu_rows_in.h"

#include "arguments.h"
#include "cuda_library.h"
#include "dlpack.h"

#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------------------------
// Where an array is

// An attribute, or NULL without an exception where there is none.
static PyObject *attribute_or_none(PyObject *object, const char *name) {
    PyObject *value = PyObject_GetAttrString(object, name);
    if (value == NULL && PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
    return value;
}

// DLPack's type and number of a device. False: the object does not say, or an exception is set.
static bool dlpack_device_of(PyObject *object, int *type, int *number) {
    PyObject *method = attribute_or_none(object, "__dlpack_device__");
    PyObject *pair = method == NULL ? NULL : PyObject_CallNoArgs(method);
    Py_XDECREF(method);
    if (pair == NULL) return false;
    const bool good = argument_pair(pair, "__dlpack_device__", type, number);
    Py_DECREF(pair);
    return good;
}

static array_place place_of_type(int type) {
    switch (type) {
    case DLPACK_CPU:
    case DLPACK_CUDA_HOST:
    case DLPACK_ROCM_HOST: return PLACE_HOST;
    case DLPACK_CUDA:
    case DLPACK_CUDA_MANAGED: return PLACE_GPU;
    default: return PLACE_ELSEWHERE;
    }
}

array_place array_place_of(PyObject *object) {
    if (PyList_Check(object) || PyTuple_Check(object)) return PLACE_HOST;
    int type = DLPACK_CPU, number = 0; // before buffers: arrays of CuPy and JAX say that they are one, on a GPU, too
    if (dlpack_device_of(object, &type, &number)) return place_of_type(type);
    if (PyErr_Occurred()) return PLACE_UNKNOWN;
    if (PyObject_CheckBuffer(object)) return PLACE_HOST;
    PyObject *interface = attribute_or_none(object, "__cuda_array_interface__");
    if (interface == NULL) return PyErr_Occurred() ? PLACE_UNKNOWN : PLACE_HOST;
    Py_DECREF(interface);
    return PLACE_GPU;
}

static bool refuse_elsewhere(const char *name) {
    PyErr_Format(PyExc_TypeError, "%s: this array is on a device that is not a CUDA GPU; copy it to the host first",
                 name);
    return false;
}

bool array_must_be_on_host(PyObject *object, const char *name) {
    const array_place place = array_place_of(object);
    if (place == PLACE_GPU) {
        PyErr_Format(
            PyExc_TypeError,
            "%s: this array is in the memory of a GPU, and only pairs and neighbors take those; copy it to the "
            "host first, as with .cpu() or .get()",
            name);
    }
    return place == PLACE_ELSEWHERE ? refuse_elsewhere(name) : place == PLACE_HOST;
}

// ---------------------------------------------------------------------------------------------------------------------
// The caller's library

bool gpu_caller_of(gpu_caller *self, PyObject *array) {
    *self = (gpu_caller){0};
    PyObject *module = PyImport_ImportModule("broadphase.gpu");
    self->library = module == NULL ? NULL : PyObject_CallMethod(module, "library_of", "O", array);
    Py_XDECREF(module);
    PyObject *is_signed = self->library == NULL ? NULL : PyObject_GetAttrString(self->library, "signed");
    if (is_signed == NULL) {
        gpu_caller_release(self);
        return false;
    }
    self->is_signed = is_signed == Py_True;
    Py_DECREF(is_signed);
    return true;
}

void gpu_caller_release(gpu_caller *self) {
    Py_CLEAR(self->library);
}

PyObject *gpu_caller_convert(const gpu_caller *self, PyObject *array, size_t most) {
    if (array == NULL) return NULL;
    return PyObject_CallMethod(self->library, "convert", "NK", array, (unsigned long long)most);
}

// CUDA's numbers for streams: 1 is the default stream, 2 that of the thread, others are addresses.
static bool stream_of(PyObject *number, uintptr_t *stream) {
    const unsigned long long value = PyLong_AsUnsignedLongLong(number);
    *stream = (uintptr_t)value;
    return !(value == (unsigned long long)-1 && PyErr_Occurred());
}

// The current stream of the caller's library on this device; where it has none, the default stream.
static bool take_stream(gpu_caller *caller, int device) {
    if (caller->stream != 0) return true;
    PyObject *number = PyObject_CallMethod(caller->library, "stream", "i", device);
    const bool good = number != NULL && stream_of(number, &caller->stream);
    Py_XDECREF(number);
    return good;
}

// ---------------------------------------------------------------------------------------------------------------------
// An array, however it came

// As DLPack has it, with room for what __cuda_array_interface__ says.
enum { DIMENSIONS_MOST = 8 };

typedef struct array_facts {
    dlpack_tensor tensor;
    int64_t shape[DIMENSIONS_MOST], strides[DIMENSIONS_MOST];
} array_facts;

static bool is_float(const dlpack_tensor *tensor) {
    return tensor->type_code == DLPACK_FLOAT && (tensor->type_bits == 32 || tensor->type_bits == 64) &&
           tensor->type_lanes == 1;
}

static bool is_flat(const dlpack_tensor *tensor, int columns) {
    return columns > 1 && tensor->dimensions == 2 && 3 * tensor->shape[1] == 2 * (int64_t)columns;
}

// Rows of one number are an array of one dimension.
static bool has_shape(const dlpack_tensor *tensor, int columns) {
    if (columns == 1) return tensor->dimensions == 1;
    return is_flat(tensor, columns) || (tensor->dimensions == 2 && tensor->shape[1] == columns);
}

// The distance of numbers that are never followed does not matter.
static bool is_dense(const dlpack_tensor *tensor) {
    if (tensor->strides == NULL || tensor->shape[0] == 0) return true;
    if (tensor->dimensions == 1) return tensor->shape[0] == 1 || tensor->strides[0] == 1;
    return tensor->strides[1] == 1 && (tensor->shape[0] == 1 || tensor->strides[0] == tensor->shape[1]);
}

static bool fail_type(const dlpack_tensor *tensor, const char *name) {
    const char *kind = tensor->type_code == DLPACK_FLOAT  ? "float"
                       : tensor->type_code == DLPACK_INT  ? "int"
                       : tensor->type_code == DLPACK_UINT ? "uint"
                                                          : "another kind of number, of bits: ";
    PyErr_Format(core.unsupported_error, "%s: on a GPU numbers must be float32 or float64; these are %s%d", name, kind,
                 tensor->type_bits);
    return false;
}

static bool fail_shape(const dlpack_tensor *tensor, const char *name, int columns) {
    PyObject *shape = PyTuple_New(tensor->dimensions);
    for (int i = 0; shape != NULL && i < tensor->dimensions; i++) {
        PyTuple_SetItem(shape, i, PyLong_FromLongLong(tensor->shape[i]));
    }
    if (shape != NULL && columns == 1) {
        PyErr_Format(core.argument_error, "%s: expected a number, or one for each point, (N,), found shape %R", name,
                     shape);
    } else if (shape != NULL) {
        PyErr_Format(core.argument_error,
                     "%s: expected rows of %d numbers, (N, %d), or (N, %d) in two dimensions, found shape %R", name,
                     columns, columns, columns / 3 * 2, shape);
    }
    Py_XDECREF(shape);
    return false;
}

static bool take_facts(gpu_rows_in *self, const dlpack_tensor *tensor, const char *name, int columns) {
    if (!is_float(tensor)) return fail_type(tensor, name);
    if (!has_shape(tensor, columns)) return fail_shape(tensor, name, columns);
    if (!is_dense(tensor)) {
        PyErr_Format(
            core.argument_error,
            "%s: the rows of this array do not lie one after the other, and nothing is copied on a GPU; make a "
            "copy that is, as with .contiguous() or cupy.ascontiguousarray",
            name);
        return false;
    }
    self->dimensions = is_flat(tensor, columns) ? 2 : 3;
    self->is_double = tensor->type_bits == 64;
    self->count = (size_t)tensor->shape[0];
    self->data = self->count == 0 ? NULL : (const char *)tensor->data + tensor->byte_offset;
    const uintptr_t alignment = self->is_double || (columns == 6 && self->dimensions == 3) ? 8 : 4;
    if ((uintptr_t)self->data % alignment == 0) return true;
    PyErr_Format(core.argument_error, "%s: this array does not begin at a multiple of %d bytes; make a copy of it",
                 name, (int)alignment);
    return false;
}

// ---------------------------------------------------------------------------------------------------------------------
// DLPack

// The newest form that we know, or whatever an older library has: its method knows no version.
static PyObject *call_dlpack(PyObject *object, uintptr_t stream) {
    PyObject *method = PyObject_GetAttrString(object, "__dlpack__");
    PyObject *none = PyTuple_New(0);
    PyObject *names = Py_BuildValue("{sKs(ii)}", "stream", (unsigned long long)stream, "max_version", DLPACK_MAJOR, 0);
    PyObject *capsule = NULL;
    if (method != NULL && none != NULL && names != NULL) {
        capsule = PyObject_Call(method, none, names);
        if (capsule == NULL && PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Clear();
            if (PyDict_DelItemString(names, "max_version") == 0) capsule = PyObject_Call(method, none, names);
        }
    }
    Py_XDECREF(method);
    Py_XDECREF(none);
    Py_XDECREF(names);
    return capsule;
}

// Takes what is in the capsule, which is then ours to delete.
static const dlpack_tensor *open_capsule(gpu_rows_in *self, PyObject *capsule, const char *name) {
    self->is_versioned = PyCapsule_IsValid(capsule, DLPACK_NAME_VERSIONED);
    const char *label = self->is_versioned ? DLPACK_NAME_VERSIONED : DLPACK_NAME;
    void *managed = PyCapsule_GetPointer(capsule, label);
    if (managed == NULL) {
        PyErr_Format(PyExc_TypeError, "%s: __dlpack__ returned %R, which is not an unused DLPack capsule", name,
                     capsule);
        return NULL;
    }
    if (PyCapsule_SetName(capsule, self->is_versioned ? DLPACK_NAME_VERSIONED_USED : DLPACK_NAME_USED) != 0)
        return NULL;
    self->managed = managed;
    const dlpack_versioned *versioned = managed;
    if (!self->is_versioned) return &((const dlpack_managed *)managed)->tensor;
    if (versioned->major == DLPACK_MAJOR) return &versioned->tensor;
    PyErr_Format(PyExc_BufferError, "%s: DLPack of version %u is not known here; version %d is", name, versioned->major,
                 DLPACK_MAJOR);
    return NULL;
}

// Managed memory may be of another device than its array says.
static bool device_of_data(const void *data, const char *name, int *device) {
    if (data == NULL) return true;
    const bp_status status = cuda_library_get()->device_of(data, device);
    if (status == BP_OK) return true;
    if (status == BP_ERROR_UNSUPPORTED) {
        PyErr_SetString(core.unsupported_error, "no CUDA device");
    } else {
        PyErr_Format(core.argument_error, "%s: its address is not in the memory of a GPU", name);
    }
    return false;
}

static bool take_dlpack(gpu_rows_in *self, PyObject *object, const char *name, int columns, int type,
                        gpu_caller *caller) {
    if (!take_stream(caller, self->device)) return false;
    if (caller->stream == 0) caller->stream = 1;
    PyObject *capsule = call_dlpack(object, caller->stream);
    const dlpack_tensor *tensor = capsule == NULL ? NULL : open_capsule(self, capsule, name);
    Py_XDECREF(capsule);
    if (tensor == NULL || !take_facts(self, tensor, name, columns)) return false;
    return type != DLPACK_CUDA_MANAGED || device_of_data(self->data, name, &self->device);
}

// ---------------------------------------------------------------------------------------------------------------------
// __cuda_array_interface__

// An item of the dict, borrowed; NULL where there is none, or None.
static PyObject *item_of(PyObject *dict, const char *name) {
    PyObject *item = PyDict_GetItemString(dict, name);
    return item == Py_None ? NULL : item;
}

static bool take_numbers(PyObject *tuple, int64_t divisor, int64_t numbers[DIMENSIONS_MOST], int32_t *count) {
    const Py_ssize_t size = PyTuple_Size(tuple);
    *count = size > DIMENSIONS_MOST ? DIMENSIONS_MOST : (int32_t)size;
    for (int32_t i = 0; i < *count; i++) {
        const int64_t number = PyLong_AsLongLong(PyTuple_GetItem(tuple, i));
        numbers[i] = number % divisor == 0 ? number / divisor : -1;
    }
    return !PyErr_Occurred();
}

static bool read_interface(PyObject *dict, array_facts *facts) {
    PyObject *shape = item_of(dict, "shape"), *strides = item_of(dict, "strides"), *data = item_of(dict, "data");
    PyObject *type = item_of(dict, "typestr");
    unsigned long long address = 0;
    int is_read_only = 0; // that is fine: we only read
    int32_t count = 0;
    const char *letters = type == NULL ? NULL : PyUnicode_AsUTF8AndSize(type, NULL);
    const long size = letters == NULL || strlen(letters) < 3 ? 0 : strtol(letters + 2, NULL, 10);
    if (size <= 0 || data == NULL || !PyTuple_Check(data) || !PyArg_ParseTuple(data, "Kp", &address, &is_read_only) ||
        shape == NULL || !take_numbers(shape, 1, facts->shape, &facts->tensor.dimensions) ||
        (strides != NULL && !take_numbers(strides, size, facts->strides, &count))) {
        return false;
    }
    const char *kind = strchr("iuf", letters[1]);
    const bool is_ours = kind != NULL && (letters[0] == '<' || letters[0] == '=' || letters[0] == '|');
    facts->tensor.data = (void *)(uintptr_t)address;
    facts->tensor.type_code = is_ours ? (uint8_t)(kind - "iuf") : UINT8_MAX;
    facts->tensor.type_bits = (uint8_t)(8 * size);
    facts->tensor.type_lanes = 1;
    facts->tensor.shape = facts->shape;
    facts->tensor.strides = strides == NULL ? NULL : facts->strides;
    return true;
}

// The array may still be filled on its own stream. We work there, or, where the caller's stream is another, not at all: only
// DLPack can make one stream wait for another.
static bool join_stream(PyObject *dict, const char *name, gpu_caller *caller, int device) {
    PyObject *number = item_of(dict, "stream");
    uintptr_t stream = 0;
    if (number != NULL && !stream_of(number, &stream)) return false;
    if (number != NULL && caller->stream == 0) caller->stream = stream;
    if (!take_stream(caller, device)) return false;
    if (caller->stream == 0) caller->stream = 1;
    if (number == NULL || stream == caller->stream) return true;
    PyErr_Format(core.argument_error, "%s: this array belongs to another stream than the first one", name);
    return false;
}

static bool take_interface(gpu_rows_in *self, PyObject *object, const char *name, int columns, gpu_caller *caller) {
    PyObject *dict = PyObject_GetAttrString(object, "__cuda_array_interface__");
    array_facts facts = {0};
    bool good = dict != NULL;
    if (good && (!PyDict_Check(dict) || !read_interface(dict, &facts))) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s: its __cuda_array_interface__ is incomplete: %R", name, dict);
        good = false;
    } else if (good && item_of(dict, "mask") != NULL) {
        PyErr_Format(core.unsupported_error, "%s: masked arrays are not supported", name);
        good = false;
    }
    good = good && take_facts(self, &facts.tensor, name, columns) && device_of_data(self->data, name, &self->device) &&
           join_stream(dict, name, caller, self->device);
    Py_XDECREF(dict);
    return good;
}

// ---------------------------------------------------------------------------------------------------------------------
// Rows

bool gpu_rows_take(gpu_rows_in *self, PyObject *object, const char *name, int columns, gpu_caller *caller) {
    *self = (gpu_rows_in){0};
    int type = 0;
    const array_place place = array_place_of(object);
    if (place == PLACE_UNKNOWN) return false;
    if (place == PLACE_ELSEWHERE) return refuse_elsewhere(name);
    if (place == PLACE_HOST) {
        PyErr_Format(core.argument_error,
                     "%s: this array is on the host, and the other one on a GPU; bring both to the same side", name);
        return false;
    }
    Py_INCREF(object);
    self->keeper = object;
    const bool has_dlpack = dlpack_device_of(object, &type, &self->device);
    const bool good = has_dlpack ? take_dlpack(self, object, name, columns, type, caller)
                                 : !PyErr_Occurred() && take_interface(self, object, name, columns, caller);
    if (!good) gpu_rows_release(self);
    return good;
}

static void delete_managed(const gpu_rows_in *self) {
    if (self->is_versioned) {
        dlpack_versioned *managed = self->managed;
        if (managed->deleter != NULL) managed->deleter(managed);
    } else {
        dlpack_managed *managed = self->managed;
        if (managed->deleter != NULL) managed->deleter(managed);
    }
}

void gpu_rows_release(gpu_rows_in *self) {
    PyObject *raised[3]; // a deleter may run Python, and must not see what has been raised before
    PyErr_Fetch(&raised[0], &raised[1], &raised[2]);
    if (self->managed != NULL) delete_managed(self);
    Py_XDECREF(self->keeper);
    *self = (gpu_rows_in){0};
    PyErr_Restore(raised[0], raised[1], raised[2]);
}
