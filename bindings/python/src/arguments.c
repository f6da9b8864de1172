#include "arguments.h"

#include <string.h>

static Py_ssize_t place_of(const call_signature *signature, const char *name) {
    Py_ssize_t place = 0;
    while (signature->names[place] != NULL && strcmp(signature->names[place], name) != 0) place++;
    return place;
}

static bool take_named(const call_signature *signature, const char *name, PyObject *value,
                       PyObject *arguments[ARGUMENTS_MAX], call_settings *settings) {
    const Py_ssize_t place = place_of(signature, name);
    if (signature->names[place] == NULL) {
        if (settings != NULL) return call_settings_set(settings, name, value);
        PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%s'", signature->function, name);
        return false;
    }
    if (arguments[place] != NULL) {
        PyErr_Format(PyExc_TypeError, "%s() got '%s' twice", signature->function, name);
        return false;
    }
    arguments[place] = value;
    return true;
}

bool arguments_take(const call_signature *signature, PyObject *const *values, Py_ssize_t count, PyObject *names,
                    PyObject *arguments[ARGUMENTS_MAX], call_settings *settings) {
    memset(arguments, 0, ARGUMENTS_MAX * sizeof *arguments);
    if (count > signature->by_place) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %zd arguments without a name (%zd given)",
                     signature->function, signature->by_place, count);
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
            PyErr_Format(PyExc_TypeError, "%s() misses its argument '%s'", signature->function, signature->names[i]);
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
