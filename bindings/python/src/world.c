#include "world.h"

#include "arguments.h"

#include <string.h>
#include <structmember.h>

static const char world_doc[] =
    "World(*, events=True, filter=None, " SETTING_NAMES ")\n--\n\n"
    "A set of objects that persist and move. It remembers them from step to step, and reports which pairs have begun "
    "and ended.\n\n"
    "All but the first two are settings: see `Settings`. `filter(a, b)` is asked about each pair and returns false to "
    "leave it "
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
    PyErr_SetString(core.error, "this world is in use by another thread, or by the call whose filter or file made this "
                                "call; let threads take turns");
    return false;
}

static bool is_open(const world_object *self) {
    if (self->world == NULL) {
        PyErr_SetString(core.error, self->words == NULL
                                        ? "this world is not initialised: a subclass must call super().__init__()"
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
    if (strcmp(name, "events") != 0) {
        static const call_signature signature = {"World", {"events", "filter"}, 0, 0};
        const bool good = call_settings_set(&self->settings, name, value);
        if (!good && !PyErr_Occurred()) arguments_refuse(&signature, name, true);
        return good;
    }
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
        PyErr_SetString(core.error, "this world is already initialised");
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
        PyErr_SetString(PyExc_TypeError, "World() takes keyword arguments only");
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

static int world_drop(PyObject *object) {
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
    world_drop(object);
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
                                      {"clear", world_clear, METH_NOARGS, world_clear_doc},
                                      {"reserve", world_reserve, METH_O, world_reserve_doc},
                                      {"trim", world_trim, METH_NOARGS, world_trim_doc},
                                      {"validate", world_validate, METH_NOARGS, world_validate_doc},
                                      {"handle_of", world_handle_of, METH_O, world_handle_of_doc},
                                      {"id_of", world_id_of, METH_O, world_id_of_doc},
                                      {"set_object", CORE_NAMED(world_set_object), world_set_object_doc},
                                      {"get_object", world_get_object, METH_O, world_get_object_doc},
                                      {"boxes", world_boxes, METH_O, world_boxes_doc},
                                      {"update", world_update, METH_NOARGS, world_update_doc},
                                      {"explain", world_explain, METH_NOARGS, world_explain_doc},
                                      {"query_box", CORE_NAMED(world_query_box), world_query_box_doc},
                                      {"query_ray", CORE_NAMED(world_query_ray), world_query_ray_doc},
                                      {"query_cast", CORE_NAMED(world_query_cast), world_query_cast_doc},
                                      {"pairs_of", world_pairs_of, METH_O, world_pairs_of_doc},
                                      {"query_nearest", CORE_NAMED(world_query_nearest), world_query_nearest_doc},
                                      {"save", world_save, METH_O, world_save_doc},
                                      {"_load", world_load, METH_O, NULL},
                                      {"close", world_close, METH_NOARGS, world_close_doc},
                                      {"__enter__", world_enter, METH_NOARGS, NULL},
                                      {"__exit__", world_close, METH_VARARGS, NULL},
                                      {"__getstate__", world_get_state, METH_NOARGS, NULL},
                                      {"__setstate__", world_set_state, METH_O, NULL},
                                      {NULL, NULL, 0, NULL}};

static const char world_stats_doc[] = "The statistics of the last update, as a dict.";

static const char world_ids_doc[] = "The ids of all objects, ascending.";

static PyGetSetDef world_properties[] = {{"ids", world_ids, NULL, world_ids_doc, NULL},
                                         {"stats", world_stats, NULL, world_stats_doc, NULL},
                                         {NULL, NULL, NULL, NULL, NULL}};

static PyMemberDef world_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(world_object, references), READONLY, NULL}, {NULL, 0, 0, 0, NULL}};

bool world_begin(PyObject *module) {
    static PyType_Slot slots[] = {
        {Py_tp_doc, (void *)world_doc},   {Py_tp_new, world_new},           {Py_tp_init, world_init},
        {Py_tp_dealloc, world_dealloc},   {Py_tp_traverse, world_traverse}, {Py_tp_clear, world_drop},
        {Py_tp_repr, world_repr},         {Py_sq_length, world_length},     {Py_tp_methods, world_methods},
        {Py_tp_getset, world_properties}, {Py_tp_members, world_members},   {0, NULL}};
    static PyType_Spec spec = {"broadphase.World", sizeof(world_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
    core.world_type = PyType_FromSpec(&spec);
    return core.world_type != NULL && PyModule_AddObjectRef(module, "World", core.world_type) == 0 &&
           world_update_begin(module);
}
