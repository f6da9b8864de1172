#include "call_settings.h"

#include "formats/settings.h"

#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------------------------
// Hooks

static void keep_sentence(void *context, const char *text) {
    call_settings *self = context;
    snprintf(self->sentence, sizeof self->sentence, "%s", text);
}

static int pass_or_raise(call_settings *self, uint32_t a, uint32_t b) {
    PyObject *answer = PyObject_CallFunction(self->filter, "II", (unsigned)a, (unsigned)b);
    const int passes = answer == NULL ? -1 : PyObject_IsTrue(answer);
    Py_XDECREF(answer);
    if (passes < 0) PyErr_Fetch(&self->raised[0], &self->raised[1], &self->raised[2]);
    return passes > 0;
}

static int ask_filter(void *context, uint32_t a, uint32_t b) {
    call_settings *self = context;
    const PyGILState_STATE state = PyGILState_Ensure();
    const int passes = self->raised[0] == NULL && pass_or_raise(self, a, b);
    PyGILState_Release(state);
    return passes;
}

void call_settings_begin(call_settings *self) {
    memset(self, 0, sizeof *self);
    self->config.settings = &self->methods;
    self->config.log = (bp_log){.write = keep_sentence, .context = self};
}

bool call_settings_set_filter(call_settings *self, PyObject *filter) {
    if (filter == NULL) return true;
    if (!PyCallable_Check(filter)) {
        PyErr_SetString(PyExc_TypeError, "filter: expected a function of two numbers");
        return false;
    }
    self->filter = filter;
    self->config.filter = (bp_filter){.pass = ask_filter, .context = self};
    return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Values as text

// All give a new reference to a str, or NULL.

static PyObject *text_of_real(PyObject *value) {
    const double real = PyFloat_AsDouble(value);
    if (real == -1.0 && PyErr_Occurred()) return NULL;
    char *digits = PyOS_double_to_string(real, 'r', 0, 0, NULL);
    if (digits == NULL) return PyErr_NoMemory();
    PyObject *text = PyUnicode_FromString(digits);
    PyMem_Free(digits);
    return text;
}

static PyObject *text_of_whole(PyObject *value) {
    PyObject *whole = PyNumber_Index(value);
    PyObject *text = whole == NULL ? NULL : PyNumber_ToBase(whole, 10);
    Py_XDECREF(whole);
    return text;
}

static PyObject *text_of_number(PyObject *value) {
    return PyIndex_Check(value) ? text_of_whole(value) : text_of_real(value);
}

static PyObject *text_of_sequence(PyObject *values) {
    PyObject *items = PySequence_List(values);
    const Py_ssize_t count = items == NULL ? 0 : PyList_Size(items);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *text = text_of_number(PyList_GetItem(items, i));
        if (text == NULL || PyList_SetItem(items, i, text) != 0) {
            Py_DECREF(items);
            return NULL;
        }
    }
    PyObject *comma = items == NULL ? NULL : PyUnicode_FromString(",");
    PyObject *joined = comma == NULL ? NULL : PyUnicode_Join(comma, items);
    Py_XDECREF(comma);
    Py_XDECREF(items);
    return joined;
}

static PyObject *text_of(PyObject *value) {
    if (PyUnicode_Check(value)) return PyUnicode_FromObject(value);
    return PySequence_Check(value) ? text_of_sequence(value) : text_of_number(value);
}

// A period in two dimensions may have two values.
static const char *completed(const char *name, const char *text, char *longer, size_t size) {
    const char *comma = strchr(text, ',');
    if (strcmp(name, "period") != 0 || comma == NULL || strchr(comma + 1, ',') != NULL) return text;
    snprintf(longer, size, "%s,0", text);
    return longer;
}

bool call_settings_set(call_settings *self, const char *name, PyObject *value) {
    if (value == Py_None) return true; // the default
    if (strcmp(name, "flags") == 0) {  // one of them says whose the memory of pairs is
        PyErr_SetString(core.argument_error,
                        "flags: in Python they are arguments: events, half, distances, vectors, shifts");
        return false;
    }
    PyObject *object = text_of(value);
    const char *text = object == NULL ? NULL : PyUnicode_AsUTF8AndSize(object, NULL);
    bool good = text != NULL;
    if (good) {
        failure why;
        char longer[256];
        good = settings_set(&self->config, &self->methods, name, completed(name, text, longer, sizeof longer), &why);
        if (!good) PyErr_SetString(core.argument_error, why.text);
    } else if (PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Format(PyExc_TypeError, "%s: expected text, a number, or several numbers", name);
    }
    Py_XDECREF(object);
    return good;
}

bool call_settings_allow_dimensions(const call_settings *self, uint32_t dimensions) {
    if (self->config.dimensions != 3 || dimensions == 3) return true; // 2: z of what has three is ignored
    PyErr_SetString(core.argument_error, "dimensions: three are asked for, but the coordinates have two");
    return false;
}

bool call_settings_set_dimensions(call_settings *self, uint32_t dimensions) {
    if (self->config.dimensions == 0) self->config.dimensions = dimensions;
    return call_settings_allow_dimensions(self, dimensions);
}

bool call_settings_check(call_settings *self, bp_status status) {
    if (self->raised[0] != NULL) {
        PyErr_Restore(self->raised[0], self->raised[1], self->raised[2]);
        self->raised[0] = self->raised[1] = self->raised[2] = NULL;
        return false;
    }
    if (status != BP_OK) {
        raise_status(status, self->sentence);
        return false;
    }
    self->sentence[0] = '\0'; // it was a warning
    return PyErr_CheckSignals() == 0;
}
