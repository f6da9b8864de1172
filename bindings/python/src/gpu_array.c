#include "gpu_array.h"

#include "arguments.h"
#include "cuda_library.h"
#include "dlpack.h"

#include <stdatomic.h>
#include <stdlib.h>

// ---------------------------------------------------------------------------------------------------------------------
// Memory

// Counted apart from Python's objects, because consumers may let go in any thread, and after the interpreter's end.
struct gpu_memory {
    atomic_size_t holders;
    void *data;
    int device;
};

bp_status gpu_memory_allocate(int device, size_t bytes, gpu_memory **memory) {
    *memory = NULL;
    gpu_memory *made = malloc(sizeof *made);
    if (made == NULL) return BP_ERROR_MEMORY;
    atomic_init(&made->holders, 1);
    made->device = device;
    const bp_status status = cuda_library_get()->allocate(bytes, &made->data);
    if (status == BP_OK) {
        *memory = made;
    } else {
        free(made);
    }
    return status;
}

void *gpu_memory_data(const gpu_memory *memory) {
    return memory == NULL ? NULL : memory->data;
}

static gpu_memory *hold(gpu_memory *memory) {
    atomic_fetch_add(&memory->holders, 1);
    return memory;
}

void gpu_memory_release(gpu_memory *memory) {
    if (memory == NULL || atomic_fetch_sub(&memory->holders, 1) != 1) return;
    cuda_library_get()->release(memory->data);
    free(memory);
}

// ---------------------------------------------------------------------------------------------------------------------
// The array

enum { DIMENSIONS_MOST = 2 };

typedef struct gpu_array {
    PyObject_HEAD gpu_memory *memory;
    int64_t shape[DIMENSIONS_MOST];
    int dimensions;
    int bits;
    bool is_signed;
} gpu_array;

PyObject *gpu_array_take(gpu_memory *memory, size_t rows, size_t columns, int bits, bool is_signed) {
    gpu_array *self = PyObject_New(gpu_array, (PyTypeObject *)core.gpu_array_type);
    if (self == NULL) {
        gpu_memory_release(memory);
        return NULL;
    }
    self->memory = memory;
    self->shape[0] = (int64_t)rows;
    self->shape[1] = (int64_t)columns;
    self->dimensions = columns > 1 ? 2 : 1;
    self->bits = bits;
    self->is_signed = is_signed;
    return (PyObject *)self;
}

static void array_dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    gpu_memory_release(((gpu_array *)object)->memory);
    PyObject_Free(object);
    Py_DECREF((PyObject *)type);
}

static Py_ssize_t array_length(PyObject *object) {
    return (Py_ssize_t)((gpu_array *)object)->shape[0];
}

static PyObject *array_shape(PyObject *object, void *unused) {
    const gpu_array *self = (gpu_array *)object;
    (void)unused;
    return self->dimensions == 2 ? Py_BuildValue("(LL)", (long long)self->shape[0], (long long)self->shape[1])
                                 : Py_BuildValue("(L)", (long long)self->shape[0]);
}

static PyObject *array_dtype(PyObject *object, void *unused) {
    const gpu_array *self = (gpu_array *)object;
    (void)unused;
    return PyUnicode_FromFormat("%sint%d", self->is_signed ? "" : "u", self->bits);
}

static PyObject *array_device(PyObject *object, void *unused) {
    (void)unused;
    return PyLong_FromLong(((gpu_array *)object)->memory->device);
}

static PyObject *array_repr(PyObject *object) {
    PyObject *shape = array_shape(object, NULL), *dtype = array_dtype(object, NULL);
    PyObject *text = shape == NULL || dtype == NULL
                         ? NULL
                         : PyUnicode_FromFormat("<broadphase.GpuArray of %U, shape %R, on GPU %d>", dtype, shape,
                                                ((gpu_array *)object)->memory->device);
    Py_XDECREF(shape);
    Py_XDECREF(dtype);
    return text;
}

// ---------------------------------------------------------------------------------------------------------------------
// __cuda_array_interface__, version 3

// Its results are complete, so there is no stream to wait for. Where there are no numbers, there is no address.
static PyObject *array_interface(PyObject *object, void *unused) {
    const gpu_array *self = (gpu_array *)object;
    (void)unused;
    PyObject *shape = array_shape(object, NULL);
    if (shape == NULL) return NULL;
    PyObject *type = PyUnicode_FromFormat("<%c%d", self->is_signed ? 'i' : 'u', self->bits / 8);
    if (type == NULL) {
        Py_DECREF(shape);
        return NULL;
    }
    const uintptr_t address = self->shape[0] == 0 ? 0 : (uintptr_t)self->memory->data;
    return Py_BuildValue("{sNsNs(KO)sOsisO}", "shape", shape, "typestr", type, "data", (unsigned long long)address,
                         Py_False, "strides", Py_None, "version", 3, "stream", Py_None);
}

// ---------------------------------------------------------------------------------------------------------------------
// DLPack

// What a capsule holds: one of the two, with the numbers that it points to.
typedef struct export_block {
    union {
        dlpack_managed managed;
        dlpack_versioned versioned;
    } as;
    int64_t shape[DIMENSIONS_MOST];
    int64_t strides[DIMENSIONS_MOST];
} export_block;

static void delete_managed(dlpack_managed *self) {
    gpu_memory_release(self->context);
    free(self);
}

static void delete_versioned(dlpack_versioned *self) {
    gpu_memory_release(self->context);
    free(self);
}

// A capsule that nobody took.
static void delete_capsule(PyObject *capsule) {
    if (PyCapsule_IsValid(capsule, DLPACK_NAME)) {
        delete_managed(PyCapsule_GetPointer(capsule, DLPACK_NAME));
    } else if (PyCapsule_IsValid(capsule, DLPACK_NAME_VERSIONED)) {
        delete_versioned(PyCapsule_GetPointer(capsule, DLPACK_NAME_VERSIONED));
    }
}

static dlpack_tensor tensor_of(const gpu_array *self, export_block *block) {
    block->shape[0] = self->shape[0];
    block->shape[1] = self->shape[1];
    block->strides[0] = self->dimensions == 2 ? self->shape[1] : 1;
    block->strides[1] = 1;
    return (dlpack_tensor){.data = self->memory->data,
                           .device_type = DLPACK_CUDA,
                           .device = self->memory->device,
                           .dimensions = self->dimensions,
                           .type_code = self->is_signed ? DLPACK_INT : DLPACK_UINT,
                           .type_bits = (uint8_t)self->bits,
                           .type_lanes = 1,
                           .shape = block->shape,
                           .strides = block->strides};
}

static PyObject *make_capsule(const gpu_array *self, bool is_versioned) {
    export_block *block = calloc(1, sizeof *block);
    if (block == NULL) return PyErr_NoMemory();
    if (is_versioned) {
        block->as.versioned = (dlpack_versioned){.major = DLPACK_MAJOR,
                                                 .context = hold(self->memory),
                                                 .deleter = delete_versioned,
                                                 .tensor = tensor_of(self, block)};
    } else {
        block->as.managed = (dlpack_managed){
            .tensor = tensor_of(self, block), .context = hold(self->memory), .deleter = delete_managed};
    }
    PyObject *capsule = PyCapsule_New(block, is_versioned ? DLPACK_NAME_VERSIONED : DLPACK_NAME, delete_capsule);
    if (capsule == NULL) {
        gpu_memory_release(self->memory);
        free(block);
    }
    return capsule;
}

// The consumer's stream: any will do, because results are complete; so will 0, which the protocol leaves open. What is no
// stream is a mistake of the consumer's.
static bool check_stream(PyObject *stream) {
    if (stream == NULL) return true;
    const long long number = PyLong_AsLongLong(stream);
    if (number == -1 && PyErr_Occurred()) return false;
    if (number >= -1) return true;
    PyErr_Format(core.argument_error, "stream: %lld is not a stream; 1 is the default stream", number);
    return false;
}

static bool check_device(const gpu_array *self, PyObject *device) {
    if (device == NULL) return true;
    int type = 0, number = 0;
    if (!argument_pair(device, "dl_device", &type, &number)) return false;
    if (type == DLPACK_CUDA && number == self->memory->device) return true;
    PyErr_Format(PyExc_BufferError, "dl_device: this array is on GPU %d and cannot be copied to another device",
                 self->memory->device);
    return false;
}

static const char dlpack_doc[] =
    "__dlpack__($self, stream=None, *, max_version=None, dl_device=None, copy=None)\n--\n\n"
    "A capsule by which another library takes this array over, without a copy. The numbers are complete: no stream "
    "has to\n"
    "wait.";

static PyObject *array_dlpack(PyObject *object, PyObject *const *values, Py_ssize_t count, PyObject *names) {
    static const call_signature signature = {"__dlpack__", {"stream", "max_version", "dl_device", "copy"}, 0, 1};
    const gpu_array *self = (gpu_array *)object;
    PyObject *arguments[ARGUMENTS_MAX];
    int major = 0, minor = 0;
    if (!arguments_take(&signature, values, count, names, arguments, NULL) || !check_stream(arguments[0]) ||
        (arguments[1] != NULL && !argument_pair(arguments[1], "max_version", &major, &minor)) ||
        !check_device(self, arguments[2])) {
        return NULL;
    }
    const int copy = argument_truth(arguments[3], false);
    if (copy != 0) {
        if (copy > 0) PyErr_SetString(PyExc_BufferError, "copy: this array can only be shared, not copied");
        return NULL;
    }
    return make_capsule(self, major >= DLPACK_MAJOR);
}

static PyObject *array_dlpack_device(PyObject *object, PyObject *unused) {
    (void)unused;
    return Py_BuildValue("(ii)", DLPACK_CUDA, ((gpu_array *)object)->memory->device);
}

// ---------------------------------------------------------------------------------------------------------------------
// The type

static const char gpu_array_doc[] =
    "Numbers in the memory of a GPU, as `pairs` and `neighbors` find them for arrays of libraries that they do not "
    "know.\n"
    "\n"
    "Every library that takes `__dlpack__` or `__cuda_array_interface__` makes an array of it without a copy:\n"
    "numba.cuda.as_cuda_array(found), cupy.from_dlpack(found). The memory is given back when the last array is gone.";

bool gpu_array_begin(PyObject *module) {
    static PyMethodDef methods[] = {{"__dlpack__", CORE_NAMED(array_dlpack), dlpack_doc},
                                    {"__dlpack_device__", array_dlpack_device, METH_NOARGS,
                                     "__dlpack_device__($self)\n--\n\nDLPack's number for CUDA, and that of the GPU."},
                                    {NULL, NULL, 0, NULL}};
    static PyGetSetDef fields[] = {
        {"shape", array_shape, NULL, "(P, 2) for pairs, (N,) for all else.", NULL},
        {"dtype", array_dtype, NULL, "The name of its numbers: \"uint32\", \"int32\" or \"int64\".", NULL},
        {"device", array_device, NULL, "The number of the GPU.", NULL},
        {"__cuda_array_interface__", array_interface, NULL, "Version 3; no stream has to wait.", NULL},
        {NULL, NULL, NULL, NULL, NULL}};
    static PyType_Slot slots[] = {{Py_tp_doc, (void *)gpu_array_doc},
                                  {Py_tp_dealloc, array_dealloc},
                                  {Py_tp_repr, array_repr},
                                  {Py_sq_length, array_length},
                                  {Py_tp_methods, methods},
                                  {Py_tp_getset, fields},
                                  {0, NULL}};
    static PyType_Spec spec = {"broadphase.GpuArray", sizeof(gpu_array), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    core.gpu_array_type = PyType_FromSpec(&spec);
    return core.gpu_array_type != NULL && PyModule_AddObjectRef(module, "GpuArray", core.gpu_array_type) == 0;
}
