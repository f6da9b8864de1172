// tune and methods, and the figures of calls as Python wants them.
#include "arguments.h"
#include "rows_in.h"

#include "formats/settings.h"

#include <broadphase/broadphase_tune.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char tune_doc[] =
    "tune(steps, *, budget=1.0, " SETTING_NAMES ")\n--\n\n"
    "Times all methods, some with a few settings, and returns a list of dicts, the fastest first: `settings` (a dict, "
    "to be\n"
    "given as **settings to World or pairs), `seconds` for a step, `spread` and `runs` (0: not tried, too slow).\n\n"
    "`steps` are boxes, or a list of them, one entry for each step of the same objects as they move; an (S, N, 6) "
    "array is\n"
    "such a list. `budget` is the time limit in seconds. Settings describe the task: dimensions, threads, "
    "margin ...\n\n"
    ">>> import broadphase, numpy as np\n"
    ">>> corners = np.random.default_rng(1).random((500, 3), dtype=np.float32)\n"
    ">>> ranked = broadphase.tune(np.hstack([corners, corners + 0.1]), budget=0.05)\n"
    ">>> pairs = broadphase.pairs(np.hstack([corners, corners + 0.1]), **ranked[0][\"settings\"])\n";

const char methods_doc[] = "methods()\n--\n\n"
                           "The names of all methods, each with a one-line summary.\n\n"
                           ">>> import broadphase\n"
                           ">>> \"bvh\" in broadphase.methods()\n"
                           "True\n";

// ---------------------------------------------------------------------------------------------------------------------
// Figures

PyObject *stats_dict(const bp_stats *stats) {
    const char *updates[] = {"automatic", "individual", "rebuild"};
    return Py_BuildValue(
        "{s:s,s:s,s:n,s:n,s:K,s:n,s:n,s:n,s:n,s:n,s:d,s:d,s:d}", "method", bp_method_name((size_t)stats->method),
        "update", updates[stats->update], "objects", (Py_ssize_t)stats->objects, "pairs", (Py_ssize_t)stats->pairs,
        "tests", (unsigned long long)stats->tests, "bytes", (Py_ssize_t)stats->bytes, "levels",
        (Py_ssize_t)stats->levels, "cells", (Py_ssize_t)stats->cells, "occupied", (Py_ssize_t)stats->occupied,
        "objects_per_cell_max", (Py_ssize_t)stats->objects_per_cell_max, "objects_per_cell", stats->objects_per_cell,
        "build_seconds", stats->build_seconds, "find_seconds", stats->find_seconds);
}

PyObject *stats_text(const bp_stats *stats) {
    const size_t length = bp_explain(stats, NULL, 0);
    char *text = malloc(length + 1);
    if (text == NULL) return PyErr_NoMemory();
    bp_explain(stats, text, length + 1);
    PyObject *object = PyUnicode_FromString(text);
    free(text);
    return object;
}

PyObject *core_methods(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    PyObject *methods = PyDict_New();
    for (size_t i = 0; methods != NULL && i < bp_method_count(); i++) {
        PyObject *summary = PyUnicode_FromString(bp_method_summary(i));
        if (summary == NULL || PyDict_SetItemString(methods, bp_method_name(i), summary) != 0) Py_CLEAR(methods);
        Py_XDECREF(summary);
    }
    return methods;
}

// ---------------------------------------------------------------------------------------------------------------------
// The steps of a scene

typedef struct scene_steps {
    rows_in *steps;
    size_t count;
} scene_steps;

static void release_scene(scene_steps *scene) {
    for (size_t i = 0; i < scene->count; i++) rows_release(&scene->steps[i]);
    free(scene->steps);
}

static bp_status make_step(void *context, bp_world *world, size_t step) {
    const rows_in *boxes = &((const scene_steps *)context)->steps[step];
    if (step == 0) {
        return boxes->wide ? bp_add_many_double(world, boxes->count, boxes->data, NULL, NULL)
                           : bp_add_many(world, boxes->count, boxes->data, NULL, NULL);
    }
    return boxes->wide ? bp_move_many_double(world, boxes->count, NULL, boxes->data)
                       : bp_move_many(world, boxes->count, NULL, boxes->data);
}

static bool take_step(scene_steps *scene, PyObject *boxes, call_settings *settings) {
    rows_in *step = &scene->steps[scene->count];
    if (!rows_take_boxes(step, boxes, "steps")) return false;
    scene->count++;
    if (step->count != scene->steps[0].count) {
        PyErr_SetString(core.argument_error, "steps: every step must have as many boxes as the first");
        return false;
    }
    return call_settings_set_dimensions(settings, step->dimensions);
}

static bool is_list_of_steps(PyObject *steps) {
    Py_buffer view;
    if (!PyObject_CheckBuffer(steps) || PyObject_GetBuffer(steps, &view, PyBUF_ND) != 0) {
        PyErr_Clear();
        return PySequence_Check(steps) && PySequence_Size(steps) > 0 && !PyObject_CheckBuffer(steps);
    }
    const bool is_list = view.ndim == (rows_are_ends(&view) ? 4 : 3);
    PyBuffer_Release(&view);
    return is_list;
}

// A list of arrays is one of steps; a list of lists may be either, and is one of boxes.
static PyObject *list_of_steps(PyObject *steps) {
    PyObject *array = NULL, *list = NULL;
    if (PyList_Check(steps) && PyList_Size(steps) > 0 && !PyObject_CheckBuffer(PyList_GetItem(steps, 0))) {
        array = PyObject_CallFunctionObjArgs(core.asarray, steps, NULL);
        if (array == NULL) return NULL;
        steps = array;
    }
    if (is_list_of_steps(steps)) {
        list = PySequence_List(steps);
    } else {
        list = PyList_New(1);
        if (list != NULL) {
            Py_INCREF(steps);
            PyList_SetItem(list, 0, steps);
        }
    }
    Py_XDECREF(array);
    return list;
}

static bool take_scene(scene_steps *scene, PyObject *steps, call_settings *settings) {
    PyObject *list = list_of_steps(steps);
    if (list == NULL) return false;
    const Py_ssize_t count = PyList_Size(list);
    scene->steps = calloc((size_t)count + 1, sizeof *scene->steps);
    bool good = scene->steps != NULL;
    if (!good) PyErr_NoMemory();
    for (Py_ssize_t i = 0; good && i < count; i++) good = take_step(scene, PyList_GetItem(list, i), settings);
    Py_DECREF(list);
    return good;
}

// ---------------------------------------------------------------------------------------------------------------------
// Results

static PyObject *number_or_text(const char *text) {
    PyObject *string = PyUnicode_FromString(text);
    PyObject *number = string == NULL ? NULL : PyLong_FromString(text, NULL, 10);
    if (number == NULL && string != NULL) {
        PyErr_Clear();
        number = PyFloat_FromString(string);
    }
    if (number == NULL && string != NULL) {
        PyErr_Clear();
        return string;
    }
    Py_XDECREF(string);
    return number;
}

// Several numbers, with commas between them, are a tuple.
static PyObject *value_of(const char *text) {
    if (strchr(text, ',') == NULL) return number_or_text(text);
    PyObject *list = PyList_New(0);
    while (list != NULL && *text != '\0') {
        char part[64];
        const size_t length = strcspn(text, ",");
        snprintf(part, sizeof part, "%.*s", (int)length, text);
        text += length + (text[length] == ',');
        PyObject *value = number_or_text(part);
        if (value == NULL || PyList_Append(list, value) != 0) Py_CLEAR(list);
        Py_XDECREF(value);
    }
    PyObject *tuple = list == NULL ? NULL : PyList_AsTuple(list);
    Py_XDECREF(list);
    return tuple;
}

// The words of --set that make a config, as a dict.
static PyObject *words_of(const bp_tuned *tuned) {
    output_file output = {.name = "settings", .file = -1, .block = malloc(STREAM_BLOCK)}; // shorter than a block
    if (output.block == NULL) return PyErr_NoMemory();
    settings_write(&output, &tuned->config, &tuned->settings, SETTINGS_WORDS);
    *output_room(&output, 1) = '\0';
    PyObject *words = PyDict_New();
    for (char *word = strtok(output.block, " "); words != NULL && word != NULL; word = strtok(NULL, " ")) {
        char *equals = strchr(word, '=');
        if (equals == NULL) continue; // there is one in each word
        *equals = '\0';
        PyObject *value = value_of(equals + 1);
        if (value == NULL || PyDict_SetItemString(words, word, value) != 0) Py_CLEAR(words);
        Py_XDECREF(value);
    }
    free(output.block);
    return words;
}

static PyObject *ranked_list(const bp_tuned *ranked, size_t count) {
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < count; i++) {
        PyObject *words = words_of(&ranked[i]);
        PyObject *entry = words == NULL ? NULL
                                        : Py_BuildValue("{s:N,s:d,s:d,s:I,s:I}", "settings", words, "seconds",
                                                        ranked[i].seconds, "spread", ranked[i].spread, "runs",
                                                        (unsigned)ranked[i].runs, "steps", (unsigned)ranked[i].steps);
        if (entry == NULL || PyList_Append(list, entry) != 0) Py_CLEAR(list);
        Py_XDECREF(entry);
    }
    return list;
}

static PyObject *tune_scene(scene_steps *scene, double budget, call_settings *settings) {
    enum { CAPACITY = 256 };
    bp_tuned *ranked = calloc(CAPACITY, sizeof *ranked);
    if (ranked == NULL) return PyErr_NoMemory();
    const bp_scenario scenario = {.step = make_step, .context = scene, .steps = scene->count};
    size_t found = 0;
    bp_status status;
    Py_BEGIN_ALLOW_THREADS status = bp_tune(&settings->config, &scenario, budget, ranked, CAPACITY, &found);
    Py_END_ALLOW_THREADS PyObject *list =
        call_settings_check(settings, status) ? ranked_list(ranked, found < CAPACITY ? found : CAPACITY) : NULL;
    free(ranked);
    return list;
}

static bool take_budget(PyObject *argument, double *budget) {
    if (!argument_real(argument, "budget", budget)) return false;
    if (*budget >= 0.0) return true;
    PyErr_SetString(core.argument_error, "budget: expected 0 or more seconds");
    return false;
}

PyObject *core_tune(PyObject *module, PyObject *const *values, Py_ssize_t count, PyObject *names) {
    static const call_signature signature = {"tune", {"steps", "budget"}, 1, 1};
    (void)module;
    PyObject *arguments[ARGUMENTS_MAX];
    call_settings settings;
    scene_steps scene = {0};
    call_settings_begin(&settings);
    if (!arguments_take(&signature, values, count, names, arguments, &settings)) return NULL;
    double budget = 1.0;
    PyObject *list = NULL;
    if ((arguments[1] == NULL || take_budget(arguments[1], &budget)) && take_scene(&scene, arguments[0], &settings)) {
        list = tune_scene(&scene, budget, &settings);
    }
    release_scene(&scene);
    return list;
}
