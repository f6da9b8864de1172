#include "arguments.h"

#include <string.h>

static Py_ssize_t place_of(const call_signature *signature, const char *name) {
    Py_ssize_t place = 0;
    while (signature->names[place] != NULL && strcmp(signature->names[place], name) != 0) place++;
    return place;
}

static bool append_text(PyObject *list, const char *text) {
    PyObject *object = PyUnicode_FromString(text);
    const bool good = object != NULL && PyList_Append(list, object) == 0;
    Py_XDECREF(object);
    return good;
}

static PyObject *known_names(const call_signature *signature, bool has_settings) {
    PyObject *names = PyList_New(0);
    bool good = names != NULL;
    for (size_t i = 0; good && signature->names[i] != NULL; i++) good = append_text(names, signature->names[i]);
    for (size_t i = 0; good && has_settings && call_settings_name(i) != NULL; i++) {
        good = append_text(names, call_settings_name(i));
    }
    if (!good) Py_CLEAR(names);
    return names;
}

// The name that was probably meant, or an empty list; NULL: an exception is set.
static PyObject *similar_names(PyObject *names, const char *name) {
    PyObject *module = names == NULL ? NULL : PyImport_ImportModule("difflib");
    PyObject *similar = module == NULL ? NULL : PyObject_CallMethod(module, "get_close_matches", "sOi", name, names, 1);
    Py_XDECREF(module);
    return similar;
}

void arguments_refuse(const call_signature *signature, const char *name, bool has_settings) {
    PyObject *names = known_names(signature, has_settings);
    PyObject *similar = similar_names(names, name);
    if (similar != NULL && PyList_Size(similar) > 0) {
        PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%s'. Did you mean '%U'?",
                     signature->function, name, PyList_GetItem(similar, 0));
    } else if (similar != NULL) {
        PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%s'", signature->function, name);
    }
    Py_XDECREF(similar);
    Py_XDECREF(names);
}

static bool take_named(const call_signature *signature, const char *name, PyObject *value,
                       PyObject *arguments[ARGUMENTS_MAX], call_settings *settings) {
    const Py_ssize_t place = place_of(signature, name);
    if (signature->names[place] == NULL) {
        if (settings != NULL && call_settings_set(settings, name, value)) return true;
        if (!PyErr_Occurred()) arguments_refuse(signature, name, settings != NULL);
        return false;
    }
    if (arguments[place] != NULL) {
        PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%s'", signature->function, name);
        return false;
    }
    arguments[place] = value;
    return true;
}

bool arguments_take(const call_signature *signature, PyObject *const *values, Py_ssize_t count, PyObject *names,
                    PyObject *arguments[ARGUMENTS_MAX], call_settings *settings) {
    memset(arguments, 0, ARGUMENTS_MAX * sizeof *arguments);
    if (count > signature->by_place) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %zd positional arguments (%zd given)", signature->function,
                     signature->by_place, count);
        return false;
    }
    for (Py_ssize_t i = 0; i < count; i++) arguments[i] = values[i];
    const Py_ssize_t named = names == NULL ? 0 : PyTuple_Size(names);
    for (Py_ssize_t i = 0; i < named; i++) {
        const char *name = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(names, i), NULL);
        if (name == NULL || !take_named(signature, name, values[count + i], arguments, settings)) return false;
    }
    for (Py_ssize_t i = 0; signature->names[i] != NULL; i++) {
        if (arguments[i] == NULL && i < signature->required) {
            PyErr_Format(PyExc_TypeError, "%s() missing required argument: '%s'", signature->function,
                         signature->names[i]);
            return false;
        }
        if (arguments[i] == Py_None && i >= signature->required) arguments[i] = NULL;
    }
    return true;
}

int argument_truth(PyObject *argument, bool otherwise) {
    return argument == NULL ? otherwise : PyObject_IsTrue(argument);
}

bool argument_real(PyObject *argument, const char *name, double *value) {
    *value = PyFloat_AsDouble(argument);
    if (*value != -1.0 || !PyErr_Occurred()) return true;
    if (PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyObject *found = PyType_GetName(Py_TYPE(argument));
        if (found != NULL) PyErr_Format(PyExc_TypeError, "%s: expected a number, found %U", name, found);
        Py_XDECREF(found);
    }
    return false;
}

bool argument_pair(PyObject *argument, const char *what, int *first, int *second) {
    if (PyTuple_Check(argument) && PyTuple_Size(argument) == 2 && PyArg_ParseTuple(argument, "ii", first, second)) {
        return true;
    }
    PyErr_Format(PyExc_TypeError, "%s: expected two numbers, found %R", what, argument);
    return false;
}
