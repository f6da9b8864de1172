// save, load, and pickle: a world as bytes, through any object with write or read.
#include "world.h"

#include <stdlib.h>
#include <string.h>

const char world_save_doc[] = "save($self, file, /)\n--\n\n"
                              "Writes all objects, and the pairs of the last update, to a file that is open for "
                              "writing bytes: the same bytes for the\n"
                              "same state, on every machine. `World.load` reads them.\n\n"
                              ">>> import broadphase, io\n"
                              ">>> world = broadphase.World()\n"
                              ">>> ids = world.add([[0, 0, 0, 1, 1, 1]])\n"
                              ">>> file = io.BytesIO()\n"
                              ">>> world.save(file)\n"
                              ">>> file.seek(0)\n"
                              "0\n"
                              ">>> len(broadphase.World.load(file))\n"
                              "1\n";

// Both are called with the interpreter's lock, which a file may release.

static int write_to_file(void *context, const void *bytes, size_t size) {
    PyObject *written = PyObject_CallMethod(context, "write", "y#", bytes, (Py_ssize_t)size);
    Py_XDECREF(written);
    return written != NULL;
}

// A file may give fewer bytes at a time than it was asked for.
static int read_from_file(void *context, void *bytes, size_t size) {
    char *to = bytes;
    while (size > 0) {
        char *from = NULL;
        Py_ssize_t got = 0;
        PyObject *part = PyObject_CallMethod(context, "read", "n", (Py_ssize_t)size);
        if (part == NULL || PyBytes_AsStringAndSize(part, &from, &got) != 0 || got == 0 || (size_t)got > size) {
            Py_XDECREF(part);
            return 0;
        }
        memcpy(to, from, (size_t)got);
        Py_DECREF(part);
        to += got;
        size -= (size_t)got;
    }
    return 1;
}

// What the file raised is the error; else it is the status.
static bool check_stream(call_settings *settings, bp_status status) {
    return !PyErr_Occurred() && call_settings_check(settings, status);
}

PyObject *world_save(PyObject *object, PyObject *file) {
    world_object *self = (world_object *)object;
    if (!world_begin_ask(self)) return NULL;
    const bp_status status = bp_world_save(self->world, write_to_file, file);
    self->askers--;
    return check_stream(&self->settings, status) ? Py_NewRef(Py_None) : NULL;
}

// This world becomes the one in the stream; on failure it stays as it was.
static bool load(world_object *self, bp_read read, void *context) {
    if (!world_begin_change(self)) return false;
    bp_config *config = &self->settings.config;
    bp_world *loaded = NULL;
    const bool good = check_stream(&self->settings, bp_world_load(config, read, context, &loaded));
    if (good) {
        bp_world *before = self->world;
        self->world = loaded;
        loaded = before;
        if (config->dimensions == 0 && bp_world_count(self->world) > 0) config->dimensions = 3; // its objects have
    }
    bp_world_destroy(loaded);
    self->is_changing = false;
    return good;
}

PyObject *world_load(PyObject *object, PyObject *file) {
    return load((world_object *)object, read_from_file, file) ? Py_NewRef(object) : NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// Pickle

typedef struct byte_list {
    char *data;
    size_t count, capacity, done;
} byte_list;

static int append_bytes(void *context, const void *bytes, size_t size) {
    byte_list *list = context;
    if (size > list->capacity - list->count) {
        const size_t capacity = 2 * list->capacity + size;
        char *grown = realloc(list->data, capacity);
        if (grown == NULL) return 0;
        list->data = grown;
        list->capacity = capacity;
    }
    memcpy(list->data + list->count, bytes, size);
    list->count += size;
    return 1;
}

static int take_bytes(void *context, void *bytes, size_t size) {
    byte_list *list = context;
    if (size > list->count - list->done) return 0;
    memcpy(bytes, list->data + list->done, size);
    list->done += size;
    return 1;
}

// The settings as they were given, and with what the boxes have decided.
static PyObject *words_now(const world_object *self) {
    PyObject *words = PyDict_Copy(self->words);
    PyObject *dimensions = PyLong_FromUnsignedLong(self->settings.config.dimensions); // 0: the default
    if (words == NULL || dimensions == NULL || PyDict_SetItemString(words, "dimensions", dimensions) != 0) {
        Py_CLEAR(words);
    }
    Py_XDECREF(dimensions);
    return words;
}

// Settings, objects, and the attributes that a subclass has given it.
PyObject *world_get_state(PyObject *object, PyObject *unused) {
    world_object *self = (world_object *)object;
    byte_list list = {0};
    (void)unused;
    if (!world_begin_ask(self)) return NULL;
    const bp_status status = bp_world_save(self->world, append_bytes, &list);
    PyObject *words = world_end_ask(self, status) ? words_now(self) : NULL;
    PyObject *attributes =
        words == NULL ? NULL : PyObject_CallMethod((PyObject *)&PyBaseObject_Type, "__getstate__", "O", object);
    PyObject *state =
        attributes == NULL ? NULL : Py_BuildValue("(Oy#O)", words, list.data, (Py_ssize_t)list.count, attributes);
    Py_XDECREF(words);
    Py_XDECREF(attributes);
    free(list.data);
    return state;
}

static bool set_attributes(PyObject *object, PyObject *attributes) {
    PyObject *name, *value;
    Py_ssize_t place = 0;
    while (PyDict_Check(attributes) && PyDict_Next(attributes, &place, &name, &value)) {
        if (PyObject_SetAttr(object, name, value) != 0) return false;
    }
    return true;
}

// As object.__getstate__ gives them: None, a dict, or with slots a pair of both.
static bool set_all_attributes(PyObject *object, PyObject *attributes) {
    if (!PyTuple_Check(attributes)) return set_attributes(object, attributes);
    for (Py_ssize_t i = 0; i < PyTuple_Size(attributes); i++) {
        if (!set_attributes(object, PyTuple_GetItem(attributes, i))) return false;
    }
    return true;
}

PyObject *world_set_state(PyObject *object, PyObject *state) {
    PyObject *words, *attributes;
    byte_list list = {0};
    Py_ssize_t count = 0;
    if (!PyTuple_Check(state)) {
        PyErr_SetString(PyExc_TypeError, "this is no state of a world");
        return NULL;
    }
    if (!PyArg_ParseTuple(state, "O!y#O", &PyDict_Type, &words, &list.data, &count, &attributes)) return NULL;
    list.count = (size_t)count;
    const bool good = world_init_words((world_object *)object, words) &&
                      load((world_object *)object, take_bytes, &list) && set_all_attributes(object, attributes);
    return good ? Py_NewRef(Py_None) : NULL;
}
