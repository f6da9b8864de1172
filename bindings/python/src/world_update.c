// Update: what an update found. Its arrays are copied out of the world when they are first read, so that they stay as
// they are while the world goes on; a list that nobody reads costs nothing. What was not read before the world changed
// again is gone, and reading it raises an exception.
#include "rows_out.h"
#include "world.h"

const char world_update_doc[] =
    "update($self)\n--\n\n"
    "Finds all pairs of the world as it is now, and returns an Update with `pairs`, `begun` and `ended`.\n\n"
    ">>> import broadphase\n"
    ">>> world = broadphase.World(pair_order=\"sorted\")\n"
    ">>> ids = world.add([[0, 0, 2, 2], [1, 1, 3, 3]])\n"
    ">>> found = world.update()\n"
    ">>> found.pairs\n"
    "array([[0, 1]], dtype=uint32)\n";

const char world_explain_doc[] = "explain($self)\n--\n\nSays in words which method the last update ran, and why.";

static const char update_doc[] =
    "What an update of a world found: `pairs`, and with events `begun` and `ended`, as (P, 2) arrays of uint32.\n\n"
    "Read them before the world changes again: an array that was read stays as it is, and one that was not raises "
    "Error.";

enum { LISTS = 3 };

typedef struct update_object {
    PyObject_HEAD world_object *world;
    uint64_t changes; // those of the world, when this was found
    bp_result result;
    PyObject *arrays[LISTS]; // as far as they were read
} update_object;

PyObject *world_update(PyObject *object, PyObject *unused) {
    world_object *self = (world_object *)object;
    (void)unused;
    if (!world_begin_change(self)) return NULL;
    const uint64_t changes = self->changes; // now: a handler of signals, or the collector, may change the world below
    bp_result result;
    bp_status status;
    Py_BEGIN_ALLOW_THREADS status = bp_update(self->world, &result);
    Py_END_ALLOW_THREADS if (!world_end_change(self, status)) return NULL;
    update_object *update = PyObject_GC_New(update_object, (PyTypeObject *)core.update_type);
    if (update == NULL) return NULL;
    update->world = (world_object *)Py_NewRef(object);
    update->changes = changes;
    update->result = result;
    for (int i = 0; i < LISTS; i++) update->arrays[i] = NULL;
    PyObject_GC_Track(update);
    return (PyObject *)update;
}

// A filter may hold an update of its own world. The world breaks that cycle: there is nothing to clear here.
static int update_traverse(PyObject *object, visitproc visit, void *arg) {
    Py_VISIT((PyObject *)((update_object *)object)->world);
    Py_VISIT(Py_TYPE(object));
    return 0;
}

static void update_dealloc(PyObject *object) {
    update_object *self = (update_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    for (int i = 0; i < LISTS; i++) Py_XDECREF(self->arrays[i]);
    Py_DECREF((PyObject *)self->world);
    PyObject_GC_Del(object);
    Py_DECREF((PyObject *)type);
}

static bool is_current(const update_object *self) {
    if (self->changes == self->world->changes) return true;
    PyErr_SetString(core.error, "the world has changed since this update: read pairs, begun and ended before");
    return false;
}

static PyObject *read_list(PyObject *object, void *which) {
    update_object *self = (update_object *)object;
    const size_t list = (size_t)(uintptr_t)which;
    const bp_pair *const data[LISTS] = {self->result.pairs, self->result.begun, self->result.ended};
    const size_t counts[LISTS] = {self->result.pair_count, self->result.begun_count, self->result.ended_count};
    if (list > 0 && (self->world->settings.config.flags & BP_EVENTS) == 0) {
        PyErr_SetString(core.error, "this world keeps no events: it was made with events=False");
        return NULL;
    }
    if (self->arrays[list] == NULL && is_current(self)) {
        self->arrays[list] = rows_out_copy(data[list], counts[list], 2, sizeof(uint32_t), core.uint32);
    }
    Py_XINCREF(self->arrays[list]);
    return self->arrays[list];
}

static PyObject *update_stats(PyObject *object, void *unused) {
    (void)unused;
    return stats_dict(&((update_object *)object)->result.stats);
}

static PyObject *update_repr(PyObject *object) {
    const bp_result *result = &((update_object *)object)->result;
    return PyUnicode_FromFormat("<broadphase.Update: %zu pairs, %zu begun, %zu ended>", result->pair_count,
                                result->begun_count, result->ended_count);
}

bool world_update_begin(PyObject *module) {
    static PyGetSetDef properties[] = {
        {"pairs", read_list, NULL, "All pairs that overlap now.", (void *)(uintptr_t)0},
        {"begun", read_list, NULL, "Those that did not at the last update, sorted.", (void *)(uintptr_t)1},
        {"ended", read_list, NULL, "Those that did, and do not any more, sorted.", (void *)(uintptr_t)2},
        {"stats", update_stats, NULL, "The figures of this update, as a dict.", NULL},
        {NULL, NULL, NULL, NULL, NULL}};
    static PyType_Slot slots[] = {{Py_tp_doc, (void *)update_doc},   {Py_tp_dealloc, update_dealloc},
                                  {Py_tp_traverse, update_traverse}, {Py_tp_repr, update_repr},
                                  {Py_tp_getset, properties},        {0, NULL}};
    static PyType_Spec spec = {"broadphase.Update", sizeof(update_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_HAVE_GC, slots};
    core.update_type = PyType_FromSpec(&spec);
    return core.update_type != NULL && PyModule_AddObjectRef(module, "Update", core.update_type) == 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// The figures of the last update

static bool read_stats(world_object *self, bp_stats *stats) {
    return world_begin_ask(self) && world_end_ask(self, bp_world_stats(self->world, stats));
}

const char world_validate_doc[] = "validate($self)\n--\n\nA deep check of everything that the world holds, for tests; "
                                  "it costs about as much as an update.";

PyObject *world_validate(PyObject *object, PyObject *unused) {
    world_object *self = (world_object *)object;
    (void)unused;
    if (!world_begin_ask(self) || !world_end_ask(self, bp_world_validate(self->world))) return NULL;
    Py_RETURN_NONE;
}

PyObject *world_stats(PyObject *object, void *unused) {
    (void)unused;
    bp_stats stats;
    return read_stats((world_object *)object, &stats) ? stats_dict(&stats) : NULL;
}

PyObject *world_explain(PyObject *object, PyObject *unused) {
    (void)unused;
    bp_stats stats;
    return read_stats((world_object *)object, &stats) ? stats_text(&stats) : NULL;
}
