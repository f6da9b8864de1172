// The module broadphase._core: its functions, types and exceptions.
#include "call_settings.h"
#include "core.h"
#include "gpu_array.h"
#include "rows_out.h"
#include "world.h"

#include <stdio.h>
#include <string.h>

core_objects core;

// ---------------------------------------------------------------------------------------------------------------------
// Errors

// A caller in Python need not know in which struct of C a setting is.
static void in_words_of_python(const char *sentence, char words[SENTENCE_SIZE]) {
    static const char *const changed[][2] = {{"config.", ""},
                                             {"settings.", ""},
                                             {"lattice.", ""},
                                             {"see bp_method_supports()", "another method may"},
                                             {"bp_find_pairs_between", "pairs(boxes, other)"}};
    size_t length = 0;
    while (*sentence != '\0' && length + 1 < SENTENCE_SIZE) {
        size_t i = 0;
        while (i < sizeof changed / sizeof *changed && strncmp(sentence, changed[i][0], strlen(changed[i][0])) != 0)
            i++;
        if (i == sizeof changed / sizeof *changed) {
            words[length++] = *sentence++;
            continue;
        }
        sentence += strlen(changed[i][0]);
        length += (size_t)snprintf(words + length, SENTENCE_SIZE - length, "%s", changed[i][1]);
        if (length >= SENTENCE_SIZE) length = SENTENCE_SIZE - 1;
    }
    words[length] = '\0';
}

void raise_status(bp_status status, const char *sentence) {
    PyObject *const types[] = {[BP_ERROR_ARGUMENT] = core.argument_error,
                               [BP_ERROR_BOX] = core.box_error,
                               [BP_ERROR_ID] = core.id_error,
                               [BP_ERROR_MEMORY] = PyExc_MemoryError,
                               [BP_ERROR_CAPACITY] = core.internal_error,
                               [BP_ERROR_UNSUPPORTED] = core.unsupported_error,
                               [BP_ERROR_INTERNAL] = core.internal_error};
    char words[SENTENCE_SIZE];
    in_words_of_python(*sentence != '\0' ? sentence : bp_status_text(status), words);
    PyErr_SetString(types[status], words);
}

// A subclass of broadphase.Error and, where `also` is not NULL, of one of Python's own; added to the module.
static PyObject *make_error(PyObject *module, const char *name, PyObject *also, const char *about) {
    PyObject *bases = core.error == NULL ? NULL : PyTuple_Pack(2, core.error, also);
    if (core.error == NULL) bases = PyTuple_Pack(1, PyExc_Exception);
    PyObject *error = bases == NULL ? NULL : PyErr_NewExceptionWithDoc(name, about, bases, NULL);
    Py_XDECREF(bases);
    if (error != NULL && PyModule_AddObjectRef(module, name + sizeof "broadphase." - 1, error) != 0) Py_CLEAR(error);
    return error;
}

static bool make_errors(PyObject *module) {
    core.error = NULL;
    core.error = make_error(module, "broadphase.Error", NULL, "The base class of all errors of the library.");
    if (core.error == NULL) return false;
    core.argument_error =
        make_error(module, "broadphase.ArgumentError", PyExc_ValueError, "An invalid argument or setting.");
    core.box_error = make_error(module, "broadphase.BoxError", PyExc_ValueError,
                                "An invalid box or point: NaN, min > max, or longer than the period.");
    core.id_error = make_error(module, "broadphase.IdError", PyExc_LookupError, "An id that is not in the world.");
    core.unsupported_error = make_error(module, "broadphase.UnsupportedError", PyExc_NotImplementedError,
                                        "The chosen method does not support this.");
    core.internal_error =
        make_error(module, "broadphase.InternalError", PyExc_RuntimeError, "A bug in the library; please report it.");
    return core.argument_error != NULL && core.box_error != NULL && core.id_error != NULL &&
           core.unsupported_error != NULL && core.internal_error != NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// NumPy

static PyObject *make_dtype(PyObject *numpy, const char *name) {
    return PyObject_CallMethod(numpy, "dtype", "s", name);
}

static bool find_numpy(void) {
    PyObject *numpy = PyImport_ImportModule("numpy");
    if (numpy == NULL) return false;
    core.ndarray = PyObject_GetAttrString(numpy, "ndarray");
    core.asarray = PyObject_GetAttrString(numpy, "asarray");
    core.from_dlpack = PyObject_GetAttrString(numpy, "from_dlpack");
    core.uint32 = make_dtype(numpy, "uint32");
    core.int32 = make_dtype(numpy, "int32");
    core.int64 = make_dtype(numpy, "int64");
    core.uint64 = make_dtype(numpy, "uint64");
    core.truth = make_dtype(numpy, "bool");
    core.float32 = make_dtype(numpy, "float32");
    core.float64 = make_dtype(numpy, "float64");
    Py_DECREF(numpy);
    return core.ndarray != NULL && core.asarray != NULL && core.from_dlpack != NULL && core.uint32 != NULL &&
           core.int32 != NULL && core.int64 != NULL && core.uint64 != NULL && core.truth != NULL &&
           core.float32 != NULL && core.float64 != NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// The module

static PyMethodDef functions[] = {{"pairs", CORE_NAMED(core_pairs), pairs_doc},
                                  {"mesh_pairs", CORE_NAMED(core_mesh_pairs), mesh_pairs_doc},
                                  {"neighbors", CORE_NAMED(core_neighbors), neighbors_doc},
                                  {"neighbor_images", CORE_NAMED(core_neighbor_images), neighbor_images_doc},
                                  {"explain", CORE_NAMED(core_explain), explain_doc},
                                  {"tune", CORE_NAMED(core_tune), tune_doc},
                                  {"free_gpu_memory", core_free_gpu_memory, METH_NOARGS, free_gpu_memory_doc},
                                  {"methods", core_methods, METH_NOARGS, methods_doc},
                                  {NULL, NULL, 0, NULL}};

static bool add_settings(PyObject *module) {
    PyObject *table = call_settings_table();
    const bool good = table != NULL && PyModule_AddObjectRef(module, "_settings", table) == 0;
    Py_XDECREF(table);
    return good;
}

static bool fill(PyObject *module) {
    return find_numpy() && make_errors(module) && rows_out_begin() && world_begin(module) && gpu_array_begin(module) &&
           add_settings(module) && PyModule_AddStringConstant(module, "__version__", bp_version()) == 0;
}

PyMODINIT_FUNC PyInit__core(void) {
    static PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "broadphase._core",
                                     .m_doc = "The C library; import broadphase instead.", .m_size = -1,
                                     .m_methods = functions};
    PyObject *module = PyModule_Create(&definition);
    if (module != NULL && !fill(module)) Py_CLEAR(module);
    return module;
}
