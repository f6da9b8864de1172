// What all files of the extension share: Python in its stable form, NumPy's names, and the errors.
//
//     Python objects --> arguments --> rows_in (one copy) --> the C library --> rows_out (its memory) --> NumPy
//                        call_settings: the words of --set
//     arrays on a GPU --> gpu_rows_in --> find_on_gpu: libbroadphase_cuda, by cuda_library --> gpu_array --> the caller's library
//
// NumPy is not needed to compile: arrays come in by the buffer protocol, and go out by calling numpy.ndarray.
#ifndef BROADPHASE_PYTHON_CORE_H
#define BROADPHASE_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>

#include <broadphase/broadphase.h>
#include <broadphase/broadphase_methods.h>

// Made when the module is imported, and kept as long as the process.
typedef struct core_objects {
    PyObject *ndarray; // numpy.ndarray, numpy.asarray and numpy.from_dlpack
    PyObject *asarray;
    PyObject *from_dlpack;
    PyObject *uint32; // dtypes
    PyObject *int32;
    PyObject *int64;
    PyObject *uint64;
    PyObject *truth; // bool
    PyObject *float32;
    PyObject *float64;
    PyObject *error; // exceptions: broadphase.Error, and those below it
    PyObject *argument_error;
    PyObject *box_error;
    PyObject *id_error;
    PyObject *unsupported_error;
    PyObject *internal_error;
    PyObject *memory_type;    // rows_out.c
    PyObject *world_type;     // world.c
    PyObject *update_type;    // world_update.c
    PyObject *gpu_array_type; // gpu_array.c
} core_objects;

extern core_objects core;

// Sets the exception that a status stands for, with a sentence: the library's own if `sentence` is not empty.
void raise_status(bp_status status, const char *sentence);
// The figures of a call as a dict, and in words.
PyObject *stats_dict(const bp_stats *stats);
PyObject *stats_text(const bp_stats *stats);

// An entry of a table of functions. CPython keeps every function as a PyCFunction and calls it as its flags say: it cannot be
// done without this cast.
#define CORE_FUNCTION(function, flags) (PyCFunction)(void (*)(void))(function), flags
#define CORE_NAMED(function) CORE_FUNCTION(function, METH_FASTCALL | METH_KEYWORDS)

// The functions of the module, by file.
PyObject *core_pairs(PyObject *module, PyObject *const *values, Py_ssize_t count, PyObject *names);
PyObject *core_explain(PyObject *module, PyObject *const *values, Py_ssize_t count, PyObject *names);
PyObject *core_neighbors(PyObject *module, PyObject *const *values, Py_ssize_t count, PyObject *names);
PyObject *core_neighbor_images(PyObject *module, PyObject *const *values, Py_ssize_t count, PyObject *names);
PyObject *core_mesh_pairs(PyObject *module, PyObject *const *values, Py_ssize_t count, PyObject *names);
PyObject *core_tune(PyObject *module, PyObject *const *values, Py_ssize_t count, PyObject *names);
PyObject *core_methods(PyObject *module, PyObject *unused);
PyObject *core_free_gpu_memory(PyObject *module, PyObject *unused);
extern const char pairs_doc[], explain_doc[], neighbors_doc[], neighbor_images_doc[], mesh_pairs_doc[], tune_doc[],
    methods_doc[], free_gpu_memory_doc[];

#endif
