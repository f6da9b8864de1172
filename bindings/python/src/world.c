#include "world.h"

#include "arguments.h"
#include "rows_in.h"
#include "rows_out.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <structmember.h>

static const char world_doc[] =
    "World(*, events=True, filter=None, **settings)\n--\n\n"
    "Objects that stay and move: it remembers them from step to step, and tells which pairs have begun and ended.\n\n"
    "Settings are the words of the tool's --set. `filter(a, b)` is asked about each pair and returns false to leave it "
    "out:\n"
    "slow; groups and masks of `add` are fast. `events=False` saves the time that `begun` and `ended` take. Different "
    "threads\n"
    "may use different worlds, or ask one; a world that another thread is changing raises Error. If the filter raises, "
    "the\n"
    "update does, and what the filter was not asked about counts as left out. A world may be pickled and copied, with "
    "the\n"
    "attributes of a subclass, and used in a with statement, which closes it.\n\n"
    ">>> import broadphase\n"
    ">>> world = broadphase.World()\n"
    ">>> world.add([[0, 0, 0, 1, 1, 1], [2, 0, 0, 3, 1, 1]])\n"
    "array([0, 1], dtype=uint32)\n"
    ">>> world.update().pairs.tolist()\n"
    "[]\n"
    ">>> world.move([1], [[1, 0, 0, 2, 1, 1]])\n"
    ">>> world.update().begun.tolist()\n"
    "[[0, 1]]\n"
    ">>> world.remove(0)\n"
    ">>> world.update().ended.tolist()\n"
    "[[0, 1]]\n";

// ---------------------------------------------------------------------------------------------------------------------
// Who is using it

static bool fail_in_use(void) {
    PyErr_SetString(core.error, "this world is in use: another thread is in one of its calls, or this is a call out of "
                                "its filter or file; let threads take turns");
    return false;
}

static bool is_open(const world_object *self) {
    if (self->world == NULL) {
        PyErr_SetString(core.error, self->words == NULL
                                        ? "this world has not begun: a subclass calls super().__init__()"
                                        : "this world is closed");
    }
    return self->world != NULL;
}

bool world_begin_change(world_object *self) {
    if (!is_open(self)) return false;
    if (self->is_changing || self->askers > 0) return fail_in_use();
    self->is_changing = true;
    self->changes++;
    return true;
}

bool world_end_change(world_object *self, bp_status status) {
    self->is_changing = false;
    return call_settings_check(&self->settings, status);
}

bool world_begin_ask(world_object *self) {
    if (!is_open(self)) return false;
    if (self->is_changing) return fail_in_use();
    self->askers++;
    return true;
}

bool world_end_ask(world_object *self, bp_status status) {
    self->askers--;
    return call_settings_check(&self->settings, status);
}

// ---------------------------------------------------------------------------------------------------------------------
// Life

static bool take_word(world_object *self, PyObject *key, PyObject *value) {
    const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
    if (name == NULL) return false;
    if (strcmp(name, "filter") == 0) return call_settings_set_filter(&self->settings, value == Py_None ? NULL : value);
    if (strcmp(name, "events") != 0) return call_settings_set(&self->settings, name, value);
    const int events = PyObject_IsTrue(value);
    if (events == 0) self->settings.config.flags &= ~(uint32_t)BP_EVENTS;
    return events >= 0;
}

static bool take_words(world_object *self) {
    PyObject *key, *value;
    Py_ssize_t place = 0;
    while (PyDict_Next(self->words, &place, &key, &value)) {
        if (!take_word(self, key, value)) return false;
    }
    return true;
}

bool world_init_words(world_object *self, PyObject *words) {
    if (self->words != NULL) {
        PyErr_SetString(core.error, "this world has begun already");
        return false;
    }
    call_settings_begin(&self->settings);
    self->settings.config.flags = BP_EVENTS;
    self->words = words == NULL ? PyDict_New() : PyDict_Copy(words);
    if (self->words != NULL && take_words(self) &&
        call_settings_check(&self->settings, bp_world_create(&self->settings.config, &self->world))) {
        return true;
    }
    Py_CLEAR(self->words);
    return false;
}

static int world_init(PyObject *object, PyObject *arguments, PyObject *words) {
    if (PyTuple_Size(arguments) > 0) {
        PyErr_SetString(PyExc_TypeError, "World() takes settings by name only");
        return -1;
    }
    return world_init_words((world_object *)object, words) ? 0 : -1;
}

// Empty: subclasses have an __init__ of their own, and pickle calls none.
static PyObject *world_new(PyTypeObject *type, PyObject *arguments, PyObject *words) {
    (void)arguments;
    (void)words;
    const allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    return allocate(type, 0);
}

static int world_traverse(PyObject *object, visitproc visit, void *arg) {
    world_object *self = (world_object *)object;
    Py_VISIT(self->words); // the filter is one of them
    Py_VISIT(Py_TYPE(object));
    return 0;
}

static int world_clear(PyObject *object) {
    world_object *self = (world_object *)object;
    bp_world_destroy(self->world); // it may ask the filter no more
    self->world = NULL;
    Py_CLEAR(self->words);
    return 0;
}

static void world_dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    PyObject_ClearWeakRefs(object);
    world_clear(object);
    const freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF((PyObject *)type);
}

static const char world_close_doc[] = "close($self)\n--\n\nReleases everything now. Later calls raise Error.";

static PyObject *world_close(PyObject *object, PyObject *unused) {
    world_object *self = (world_object *)object;
    (void)unused;
    if (self->is_changing || self->askers > 0) return fail_in_use(), NULL;
    bp_world_destroy(self->world);
    self->world = NULL;
    self->changes++;
    Py_RETURN_NONE;
}

static PyObject *world_enter(PyObject *self, PyObject *unused) {
    (void)unused;
    return Py_NewRef(self);
}

// The first boxes decide on the dimensions, where no setting did: in two, another world is needed. `before` is what the world
// was; NULL: it stays the same.
static bool adopt_dimensions(world_object *self, uint32_t dimensions, bp_world **before) {
    const bool is_first = self->settings.config.dimensions == 0;
    *before = NULL;
    if (!call_settings_set_dimensions(&self->settings, dimensions)) return false;
    if (!is_first || dimensions == 3) return true;
    bp_world *flat = NULL;
    if (!call_settings_check(&self->settings, bp_world_create(&self->settings.config, &flat))) {
        self->settings.config.dimensions = 0;
        return false;
    }
    *before = self->world;
    self->world = flat;
    return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Objects

enum { COLUMNS = 5 };
static const char *const column_names[COLUMNS] = {"group", "mask", "static", "island", "user"};

static void put_column(bp_object *object, int column, int64_t value) {
    switch (column) {
    case 0: object->group = (uint32_t)value; break;
    case 1: object->mask = (uint32_t)value; break;
    case 2: object->flags = value != 0 ? BP_STATIC : 0; break;
    case 3: object->island = (uint32_t)value; break;
    default: object->user = (uint64_t)value; break;
    }
}

// One column of all objects, from one number or as many as there are objects.
static bool fill_column(bp_object *objects, size_t count, int column, PyObject *argument) {
    rows_in numbers;
    if (!rows_take_wholes(&numbers, argument, column_names[column], 1)) return false;
    const int64_t *values = numbers.data;
    bool good = numbers.count == count || numbers.count == 1;
    if (!good) {
        PyErr_Format(core.argument_error, "%s: expected one number, or one for each of the %zu objects", //
                     column_names[column], count);
    }
    for (size_t i = 0; i < count && good; i++) {
        const int64_t value = values[numbers.count == 1 ? 0 : i];
        good = value >= 0 && (column == 4 || value <= UINT32_MAX);
        if (good) {
            put_column(&objects[i], column, value);
        } else {
            PyErr_Format(core.argument_error, "%s: %lld is not possible", column_names[column], (long long)value);
        }
    }
    rows_release(&numbers);
    return good;
}

// NULL with no exception where no column is given.
static bp_object *make_objects(PyObject *const *columns, size_t count) {
    bp_object *objects = NULL;
    for (int column = 0; column < COLUMNS; column++) {
        if (columns[column] == NULL) continue;
        if (objects == NULL) objects = calloc(count + 1, sizeof *objects);
        if (objects == NULL) return PyErr_NoMemory(), NULL;
        if (fill_column(objects, count, column, columns[column])) continue;
        free(objects);
        return NULL;
    }
    return objects;
}

static const char world_add_doc[] =
    "add($self, boxes, *, group=None, mask=None, static=None, island=None, user=None)\n--\n\n"
    "Adds objects, all or none, and returns their ids (uint32): the smallest that are free.\n\n"
    "Each of the others is one number for all, or one for each object. Two objects pair when each one's group has a "
    "bit of\n"
    "the other's mask (0, the default: all bits), their islands are equal, and not both are static.\n\n"
    ">>> import broadphase\n"
    ">>> world = broadphase.World()\n"
    ">>> world.add([[0, 0, 4, 4], [1, 1, 2, 2], [1, 1, 3, 3]], static=[1, 0, 0], group=[1, 2, 2], mask=[0, 1, 1])\n"
    "array([0, 1, 2], dtype=uint32)\n"
    ">>> sorted(world.update().pairs.tolist())\n"
    "[[0, 1], [0, 2]]\n";

static PyObject *add_boxes(world_object *self, const rows_in *boxes, const bp_object *objects) {
    uint32_t *ids = rows_out_allocate(boxes->count, sizeof *ids);
    if (ids == NULL) return NULL;
    bp_status status;
    Py_BEGIN_ALLOW_THREADS status = boxes->wide
                                        ? bp_add_many_double(self->world, boxes->count, boxes->data, objects, ids)
                                        : bp_add_many(self->world, boxes->count, boxes->data, objects, ids);
    Py_END_ALLOW_THREADS if (call_settings_check(&self->settings, status)) {
        return rows_out_take(ids, boxes->count + 1, boxes->count, 1, sizeof *ids, core.uint32);
    }
    rows_out_release(ids, boxes->count + 1, sizeof *ids);
    return NULL;
}

// What fails decides nothing: the next boxes may be of other dimensions.
static PyObject *add_of_dimensions(world_object *self, const rows_in *boxes, const bp_object *objects) {
    const uint32_t decided = self->settings.config.dimensions;
    bp_world *before;
    if (!adopt_dimensions(self, boxes->dimensions, &before)) return NULL;
    PyObject *ids = add_boxes(self, boxes, objects);
    if (ids == NULL) {
        self->settings.config.dimensions = decided;
        if (before != NULL) {
            bp_world *flat = self->world;
            self->world = before;
            before = flat;
        }
    }
    bp_world_destroy(before);
    return ids;
}

static PyObject *world_add(PyObject *object, PyObject *const *values, Py_ssize_t count, PyObject *names) {
    static const call_signature signature = {"add", {"boxes", "group", "mask", "static", "island", "user"}, 1, 1};
    world_object *self = (world_object *)object;
    PyObject *arguments[ARGUMENTS_MAX];
    rows_in boxes;
    if (!arguments_take(&signature, values, count, names, arguments, NULL)) return NULL;
    if (!rows_take_boxes(&boxes, arguments[0], "boxes")) return NULL;
    bp_object *objects = make_objects(arguments + 1, boxes.count);
    PyObject *ids = NULL;
    if (!PyErr_Occurred() && world_begin_change(self)) {
        ids = boxes.count == 0 ? add_boxes(self, &boxes, objects) : add_of_dimensions(self, &boxes, objects);
        self->is_changing = false;
    }
    free(objects);
    rows_release(&boxes);
    return ids;
}

static const char world_move_doc[] =
    "move(boxes)\nmove(ids, boxes)\n\n"
    "Gives objects new boxes, all or none. Without ids they are those of the objects 0, 1, 2 ...\n\n"
    ">>> import broadphase\n"
    ">>> world = broadphase.World()\n"
    ">>> ids = world.add([[0, 0, 1, 1], [5, 5, 6, 6]])\n"
    ">>> world.move([[0, 0, 1, 1], [1, 1, 2, 2]])\n"
    ">>> world.move(ids[1:], [[9, 9, 10, 10]])\n";

static bool move_boxes(world_object *self, const rows_in *ids, const rows_in *boxes) {
    if (boxes->count > 0 && !call_settings_allow_dimensions(&self->settings, boxes->dimensions)) return false;
    bp_status status;
    Py_BEGIN_ALLOW_THREADS status = boxes->wide ? bp_move_many_double(self->world, boxes->count, ids->data, boxes->data)
                                                : bp_move_many(self->world, boxes->count, ids->data, boxes->data);
    Py_END_ALLOW_THREADS return call_settings_check(&self->settings, status);
}

static PyObject *world_move(PyObject *object, PyObject *const *values, Py_ssize_t count) {
    world_object *self = (world_object *)object;
    rows_in ids = {0}, boxes = {0};
    if (count < 1 || count > 2) {
        PyErr_SetString(PyExc_TypeError, "move() takes boxes, or ids and boxes");
        return NULL;
    }
    bool good =
        rows_take_boxes(&boxes, values[count - 1], "boxes") && (count == 1 || rows_take_ids(&ids, values[0], "ids"));
    if (good && count == 2 && ids.count != boxes.count) {
        PyErr_Format(core.argument_error, "%zu ids, but %zu boxes", ids.count, boxes.count);
        good = false;
    }
    if (good && world_begin_change(self)) {
        good = move_boxes(self, &ids, &boxes);
        self->is_changing = false;
    } else {
        good = false;
    }
    rows_release(&ids);
    rows_release(&boxes);
    return good ? Py_NewRef(Py_None) : NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// One by one in the library, all or none here

static int compare_ids(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// Are all ids alive, and, if asked, each there once?
static bp_status check_ids(world_object *self, const rows_in *ids, bool once) {
    bp_status status = BP_OK;
    const uint32_t *data = ids->data;
    for (size_t i = 0; i < ids->count && status == BP_OK; i++)
        status = bp_get_object_double(self->world, data[i], NULL, NULL);
    if (status != BP_OK || !once || ids->count < 2) return status;
    uint32_t *sorted = malloc(ids->count * sizeof *sorted);
    if (sorted == NULL) return BP_ERROR_MEMORY;
    memcpy(sorted, data, ids->count * sizeof *sorted);
    qsort(sorted, ids->count, sizeof *sorted, compare_ids);
    for (size_t i = 1; i < ids->count; i++) {
        if (sorted[i] != sorted[i - 1]) continue;
        snprintf(self->settings.sentence, SENTENCE_SIZE, "ids: %u is there twice", (unsigned)sorted[i]);
        status = BP_ERROR_ID;
    }
    free(sorted);
    return status;
}

static const char world_remove_doc[] =
    "remove($self, ids, /)\n--\n\n"
    "Removes one object or several, all or none. Their ids will be given to new ones.\n\n"
    ">>> import broadphase\n"
    ">>> world = broadphase.World()\n"
    ">>> world.remove(world.add([[0, 0, 1, 1], [5, 5, 6, 6]]))\n"
    ">>> len(world)\n"
    "0\n";

static PyObject *world_remove(PyObject *object, PyObject *argument) {
    world_object *self = (world_object *)object;
    rows_in ids;
    if (!rows_take_ids(&ids, argument, "ids")) return NULL;
    bool good = world_begin_change(self);
    if (good) {
        const uint32_t *data = ids.data;
        bp_status status = check_ids(self, &ids, true);
        for (size_t i = 0; i < ids.count && status == BP_OK; i++) status = bp_remove(self->world, data[i]);
        good = world_end_change(self, status);
    }
    rows_release(&ids);
    return good ? Py_NewRef(Py_None) : NULL;
}

static const char world_set_object_doc[] =
    "set_object($self, ids, *, group=None, mask=None, static=None, island=None, user=None)\n--\n\n"
    "Changes which others these objects pair with, from the next update on. What is not given gets its default: 0.\n\n"
    ">>> import broadphase\n"
    ">>> world = broadphase.World()\n"
    ">>> world.set_object(world.add([[0, 0, 1, 1], [1, 1, 2, 2]]), static=True)\n"
    ">>> len(world.update().pairs)\n"
    "0\n";

static PyObject *world_set_object(PyObject *object, PyObject *const *values, Py_ssize_t count, PyObject *names) {
    static const call_signature signature = {"set_object", {"ids", "group", "mask", "static", "island", "user"}, 1, 1};
    world_object *self = (world_object *)object;
    PyObject *arguments[ARGUMENTS_MAX];
    rows_in ids;
    if (!arguments_take(&signature, values, count, names, arguments, NULL)) return NULL;
    if (!rows_take_ids(&ids, arguments[0], "ids")) return NULL;
    bp_object *objects = make_objects(arguments + 1, ids.count);
    bool good = !PyErr_Occurred() && world_begin_change(self);
    if (good) {
        const uint32_t *data = ids.data;
        bp_status status = check_ids(self, &ids, false);
        for (size_t i = 0; i < ids.count && status == BP_OK; i++) {
            status = bp_set_object(self->world, data[i], objects == NULL ? NULL : &objects[i]);
        }
        good = world_end_change(self, status);
    }
    free(objects);
    rows_release(&ids);
    return good ? Py_NewRef(Py_None) : NULL;
}

static const char world_boxes_doc[] = "boxes($self, ids, /)\n--\n\n"
                                      "The boxes of objects, as they were given: (N, 6), float64.\n\n"
                                      ">>> import broadphase\n"
                                      ">>> world = broadphase.World()\n"
                                      ">>> world.boxes(world.add([[0, 0, 0, 1, 1, 1]]))\n"
                                      "array([[0., 0., 0., 1., 1., 1.]])\n";

static PyObject *world_boxes(PyObject *object, PyObject *argument) {
    world_object *self = (world_object *)object;
    rows_in ids;
    if (!rows_take_ids(&ids, argument, "ids")) return NULL;
    PyObject *array = NULL;
    bp_box_double *boxes = rows_out_allocate(ids.count, sizeof *boxes);
    if (boxes != NULL && world_begin_ask(self)) {
        const uint32_t *data = ids.data;
        bp_status status = BP_OK;
        for (size_t i = 0; i < ids.count && status == BP_OK; i++) {
            status = bp_get_object_double(self->world, data[i], &boxes[i], NULL);
        }
        if (world_end_ask(self, status)) {
            array = rows_out_take(boxes, 6 * (ids.count + 1), ids.count, 6, sizeof(double), core.float64);
            boxes = NULL;
        }
    }
    rows_out_release(boxes, ids.count + 1, sizeof *boxes);
    rows_release(&ids);
    return array;
}

// ---------------------------------------------------------------------------------------------------------------------
// What Python asks of every object

static Py_ssize_t world_length(PyObject *object) {
    world_object *self = (world_object *)object;
    if (!world_begin_ask(self)) return -1;
    const size_t count = bp_world_count(self->world);
    return world_end_ask(self, BP_OK) ? (Py_ssize_t)count : -1;
}

static PyObject *world_repr(PyObject *object) {
    const world_object *self = (world_object *)object;
    if (self->world == NULL) return PyUnicode_FromString("<broadphase.World, closed>");
    if (self->is_changing) return PyUnicode_FromString("<broadphase.World, in use>");
    bp_stats stats = {0};
    (void)bp_world_stats(self->world, &stats);
    return PyUnicode_FromFormat("<broadphase.World of %zu objects in %d dimensions; last update: %zu pairs, method %s>",
                                bp_world_count(self->world), self->settings.config.dimensions == 2 ? 2 : 3, stats.pairs,
                                stats.method == BP_METHOD_AUTO ? "none yet" : bp_method_name(stats.method));
}

static PyMethodDef world_methods[] = {{"add", CORE_NAMED(world_add), world_add_doc},
                                      {"move", CORE_FUNCTION(world_move, METH_FASTCALL), world_move_doc},
                                      {"remove", world_remove, METH_O, world_remove_doc},
                                      {"set_object", CORE_NAMED(world_set_object), world_set_object_doc},
                                      {"boxes", world_boxes, METH_O, world_boxes_doc},
                                      {"update", world_update, METH_NOARGS, world_update_doc},
                                      {"explain", world_explain, METH_NOARGS, world_explain_doc},
                                      {"query_box", CORE_NAMED(world_query_box), world_query_box_doc},
                                      {"query_ray", CORE_NAMED(world_query_ray), world_query_ray_doc},
                                      {"query_nearest", CORE_NAMED(world_query_nearest), world_query_nearest_doc},
                                      {"save", world_save, METH_O, world_save_doc},
                                      {"_load", world_load, METH_O, NULL},
                                      {"close", world_close, METH_NOARGS, world_close_doc},
                                      {"__enter__", world_enter, METH_NOARGS, NULL},
                                      {"__exit__", world_close, METH_VARARGS, NULL},
                                      {"__getstate__", world_get_state, METH_NOARGS, NULL},
                                      {"__setstate__", world_set_state, METH_O, NULL},
                                      {NULL, NULL, 0, NULL}};

static const char world_stats_doc[] = "The figures of the last update, as a dict.";

static PyGetSetDef world_properties[] = {{"stats", world_stats, NULL, world_stats_doc, NULL},
                                         {NULL, NULL, NULL, NULL, NULL}};

static PyMemberDef world_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(world_object, references), READONLY, NULL}, {NULL, 0, 0, 0, NULL}};

bool world_begin(PyObject *module) {
    static PyType_Slot slots[] = {
        {Py_tp_doc, (void *)world_doc},   {Py_tp_new, world_new},           {Py_tp_init, world_init},
        {Py_tp_dealloc, world_dealloc},   {Py_tp_traverse, world_traverse}, {Py_tp_clear, world_clear},
        {Py_tp_repr, world_repr},         {Py_sq_length, world_length},     {Py_tp_methods, world_methods},
        {Py_tp_getset, world_properties}, {Py_tp_members, world_members},   {0, NULL}};
    static PyType_Spec spec = {"broadphase.World", sizeof(world_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
    core.world_type = PyType_FromSpec(&spec);
    return core.world_type != NULL && PyModule_AddObjectRef(module, "World", core.world_type) == 0 &&
           world_update_begin(module);
}
