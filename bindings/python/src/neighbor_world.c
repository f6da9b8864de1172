// NeighborWorld: points that move, and their neighbours, kept with a skin. broadphase.NeighborList is made of it.
#include <broadphase/broadphase_neighbors.h>

#include "arguments.h"
#include "lattice_in.h"

typedef struct neighbor_object {
    PyObject_HEAD bp_neighbor_world *world;
    call_settings settings;
    lattice_rows rows; // what the world reads of kinds and cutoffs
    bool in_use;       // a thread is in a call: the interpreter's lock is released meanwhile
} neighbor_object;

enum { RADIUS, SKIN, CELL, PERIODIC, KINDS, DISTANCES };

static bool take_arguments(neighbor_object *self, PyObject *const *arguments, double *skin) {
    lattice_rows *rows = &self->rows;
    return argument_real(arguments[SKIN], "skin", skin) &&
           lattice_take_flags(&arguments[DISTANCES], &self->settings.config.flags) &&
           lattice_take_cell(rows, arguments[CELL]) &&
           lattice_take_periodic(rows, arguments[PERIODIC], arguments[CELL] != NULL) &&
           lattice_take_kinds(rows, arguments[KINDS], arguments[RADIUS]);
}

PyObject *core_neighbor_world(PyObject *module, PyObject *const *values, Py_ssize_t count, PyObject *names) {
    static const call_signature signature = {
        "NeighborList",
        {"radius", "skin", "cell", "periodic", "kinds", "distances", "vectors", "shifts", "half"},
        2,
        2};
    (void)module;
    PyObject *arguments[ARGUMENTS_MAX];
    double skin;
    neighbor_object *self = PyObject_New(neighbor_object, (PyTypeObject *)core.neighbor_type);
    if (self == NULL) return NULL;
    self->world = NULL;
    self->rows = (lattice_rows){.radius = 0.0};
    self->in_use = false;
    call_settings_begin(&self->settings);
    if (arguments_take(&signature, values, count, names, arguments, &self->settings) &&
        take_arguments(self, arguments, &skin) &&
        call_settings_check(&self->settings, bp_neighbor_world_create(self->rows.radius, skin, &self->rows.lattice,
                                                                      &self->settings.config, &self->world))) {
        return (PyObject *)self;
    }
    Py_DECREF((PyObject *)self);
    return NULL;
}

static void neighbor_dealloc(PyObject *object) {
    neighbor_object *self = (neighbor_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    bp_neighbor_world_destroy(self->world);
    lattice_release(&self->rows);
    PyObject_Free(object);
    Py_DECREF((PyObject *)type);
}

static bool is_free(const neighbor_object *self) {
    if (self->in_use) PyErr_SetString(core.error, "these neighbours are in use: another thread is in an update");
    return !self->in_use;
}

static PyObject *neighbor_update(PyObject *object, PyObject *argument) {
    neighbor_object *self = (neighbor_object *)object;
    rows_in points;
    if (!is_free(self) || !rows_take_points(&points, argument, "points")) return NULL;
    PyObject *arrays = NULL;
    if (lattice_has_kinds_for(&self->rows, points.count) &&
        call_settings_set_dimensions(&self->settings, points.dimensions)) {
        const bp_neighbor_images *found = NULL;
        bp_status status;
        self->in_use = true;
        Py_BEGIN_ALLOW_THREADS status =
            points.wide ? bp_neighbor_world_update_double(self->world, points.data, points.count, &found)
                        : bp_neighbor_world_update(self->world, points.data, points.count, &found);
        Py_END_ALLOW_THREADS if (call_settings_check(&self->settings, status)) arrays = lattice_arrays_copy(found);
        self->in_use = false;
    }
    rows_release(&points);
    return arrays;
}

static PyObject *neighbor_set_cell(PyObject *object, PyObject *argument) {
    neighbor_object *self = (neighbor_object *)object;
    lattice_rows rows = {.radius = 0.0};
    if (!is_free(self) || !lattice_take_cell(&rows, argument)) return NULL;
    if (!call_settings_check(&self->settings,
                             bp_neighbor_world_set_cell(self->world, (const double(*)[3])rows.lattice.cell))) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *neighbor_searches(PyObject *object, void *unused) {
    (void)unused;
    return PyLong_FromUnsignedLongLong(bp_neighbor_world_searches(((neighbor_object *)object)->world));
}

bool neighbor_world_begin(PyObject *module) {
    static PyMethodDef methods[] = {{"update", neighbor_update, METH_O, NULL},
                                    {"set_cell", neighbor_set_cell, METH_O, NULL},
                                    {NULL, NULL, 0, NULL}};
    static PyGetSetDef properties[] = {{"searches", neighbor_searches, NULL, NULL, NULL},
                                       {NULL, NULL, NULL, NULL, NULL}};
    static PyType_Slot slots[] = {
        {Py_tp_dealloc, neighbor_dealloc}, {Py_tp_methods, methods}, {Py_tp_getset, properties}, {0, NULL}};
    static PyType_Spec spec = {"broadphase._NeighborWorld", sizeof(neighbor_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    core.neighbor_type = PyType_FromSpec(&spec);
    return core.neighbor_type != NULL && PyModule_AddObjectRef(module, "_NeighborWorld", core.neighbor_type) == 0;
}
