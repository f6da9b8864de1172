// The arguments of a function: some by place, some by name only, and all other names are settings.
#ifndef BROADPHASE_PYTHON_ARGUMENTS_H
#define BROADPHASE_PYTHON_ARGUMENTS_H

#include "call_settings.h"

enum { ARGUMENTS_MAX = 12 };

typedef struct call_signature {
    const char *function;
    const char *names[ARGUMENTS_MAX + 1]; // ends with NULL
    Py_ssize_t required;                  // how many of them must be given
    Py_ssize_t by_place;                  // how many of them may be given without a name
} call_signature;

// Borrowed references in `arguments`, one for each name; NULL: not given, or None. Other names go to `settings`; NULL:
// there may be none. False: an exception is set.
bool arguments_take(const call_signature *signature, PyObject *const *values, Py_ssize_t count, PyObject *names,
                    PyObject *arguments[ARGUMENTS_MAX], call_settings *settings);
// Raises TypeError for a name that is not known; `has_settings`: the function takes settings, too.
void arguments_refuse(const call_signature *signature, const char *name, bool has_settings);
// A truth value; NULL gives `otherwise`. Negative: an exception is set.
int argument_truth(PyObject *argument, bool otherwise);
// A number; `name` is for the sentence of the exception.
bool argument_real(PyObject *argument, const char *name, double *value);
// Two numbers in a tuple; `what` is for the sentence of the exception.
bool argument_pair(PyObject *argument, const char *what, int *first, int *second);

#endif
