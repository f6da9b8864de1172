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

const char *call_settings_name(size_t index) {
    const char *name = index < settings_count() ? settings_at(index)->name : NULL;
    return name != NULL && strcmp(name, "flags") == 0 ? "" : name;
}

static bool is_known(const char *name) {
    for (size_t i = 0; *name != '\0' && call_settings_name(i) != NULL; i++) {
        if (strcmp(call_settings_name(i), name) == 0) return true;
    }
    return false;
}

static PyObject *choices_of(size_t index) {
    PyObject *choices = PyList_New(0);
    for (size_t i = 0; choices != NULL && setting_word(settings_at(index), i) != NULL; i++) {
        PyObject *choice = PyUnicode_FromString(setting_word(settings_at(index), i));
        if (choice == NULL || PyList_Append(choices, choice) != 0) Py_CLEAR(choices);
        Py_XDECREF(choice);
    }
    return choices;
}

PyObject *call_settings_table(void) {
    PyObject *table = PyDict_New();
    for (size_t i = 0; table != NULL && call_settings_name(i) != NULL; i++) {
        if (*call_settings_name(i) == '\0') continue;
        PyObject *choices = choices_of(i);
        if (choices == NULL || PyDict_SetItemString(table, call_settings_name(i), choices) != 0) Py_CLEAR(table);
        Py_XDECREF(choices);
    }
    return table;
}

// A period is one length for all axes, or one for each; in two dimensions two are enough.
static const char *completed(const char *name, const char *text, char *longer, size_t size) {
    if (strcmp(name, "period") != 0) return text;
    const char *comma = strchr(text, ',');
    if (comma != NULL && strchr(comma + 1, ',') != NULL) return text;
    if (comma != NULL) {
        snprintf(longer, size, "%s,0", text);
    } else {
        snprintf(longer, size, "%.80s,%.80s,%.80s", text, text, text);
    }
    return longer;
}

static bool set_text(call_settings *self, const char *name, const char *text) {
    failure why;
    char longer[256];
    if (!is_known(name)) return false;
    if (settings_set(&self->config, &self->methods, name, completed(name, text, longer, sizeof longer), &why)) {
        return true;
    }
    // The tool's words for it: "expected 3 values separated by commas".
    const char *commas = strstr(why.text, " separated by commas");
    if (commas == NULL) {
        PyErr_SetString(core.argument_error, why.text);
    } else {
        why.text[commas - why.text] = '\0';
        PyErr_Format(core.argument_error, "%s, found %s", why.text, text);
    }
    return false;
}

bool call_settings_set(call_settings *self, const char *name, PyObject *value) {
    if (value == Py_None) return is_known(name); // the default
    PyObject *object = text_of(value);
    const char *text = object == NULL ? NULL : PyUnicode_AsUTF8AndSize(object, NULL);
    const bool good = text != NULL && set_text(self, name, text);
    if (text == NULL && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        PyObject *found = is_known(name) ? PyType_GetName(Py_TYPE(value)) : NULL;
        if (found != NULL)
            PyErr_Format(PyExc_TypeError, "%s: expected text, a number, or several numbers, found %U", name, found);
        Py_XDECREF(found);
    }
    Py_XDECREF(object);
    return good;
}

bool call_settings_allow_dimensions(const call_settings *self, uint32_t dimensions) {
    if (self->config.dimensions != 3 || dimensions == 3) return true; // 2: z of what has three is ignored
    PyErr_SetString(core.argument_error, "dimensions: the setting is 3, but the coordinates have two dimensions");
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
