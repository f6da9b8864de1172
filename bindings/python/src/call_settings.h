// Settings as Python gives them, and the hooks of a call: a bp_config with all that it points to.
//
// The names are those of `--set`: the one table of them is the tool's (cli/formats/settings.c), which takes text. So a
// value of Python is written as text first; where there are no settings, that costs nothing.
//
// The log's last line is kept: it is the sentence of the exception when the call fails. A filter in Python is called with
// the interpreter's lock, from whatever thread the library asks in; if it raises, it is asked no more, and the exception
// is raised when the call has come back.
#ifndef BROADPHASE_PYTHON_CALL_SETTINGS_H
#define BROADPHASE_PYTHON_CALL_SETTINGS_H

#include "core.h"

enum { SENTENCE_SIZE = 512 };

typedef struct call_settings {
    bp_config config;
    bp_method_settings methods;
    char sentence[SENTENCE_SIZE];
    PyObject *filter;    // borrowed
    PyObject *raised[3]; // what the filter raised: type, value, traceback
} call_settings;

// The struct must stay where it is: its hooks point to it.
void call_settings_begin(call_settings *self);
// The names of all settings, NULL behind the last one. "" stands for `flags`: in Python these are arguments, and one says
// whose the memory of pairs is.
const char *call_settings_name(size_t index);
// A dict of them, with the words that each may be: none where it is a number.
PyObject *call_settings_table(void);
// One setting. False: an exception is set, or none, where there is no such setting.
bool call_settings_set(call_settings *self, const char *name, PyObject *value);
// A callable, or NULL for none.
bool call_settings_set_filter(call_settings *self, PyObject *filter);
// Boxes or points of two dimensions were given, or of three: agrees with `dimensions`, or sets it.
bool call_settings_allow_dimensions(const call_settings *self, uint32_t dimensions); // where it has been decided
bool call_settings_set_dimensions(call_settings *self, uint32_t dimensions);
// After the call, with the interpreter's lock: true if it went well; else an exception is set. Ctrl-C during the call
// is an exception too.
bool call_settings_check(call_settings *self, bp_status status);

#endif
