// World: objects that move. The object holds the library's world, its settings, and who is using it.
//
// The interpreter's lock is released while the library works, so another thread may call meanwhile. A world has one
// user that changes it, or several that ask; whoever comes in between gets an exception instead of waiting, because the
// one he would wait for may be a filter of this very world.
#ifndef BROADPHASE_PYTHON_WORLD_H
#define BROADPHASE_PYTHON_WORLD_H

#include "call_settings.h"

typedef struct world_object {
    PyObject_HEAD bp_world *world; // NULL: closed
    call_settings settings;
    PyObject *words;      // a dict: the settings as they were given, for pickle; NULL: not begun
    PyObject *references; // weak ones
    uint64_t changes;     // how many there were: a result of an earlier state is not valid any more
    uint32_t askers;      // threads that ask
    bool is_changing;     // a thread changes it
} world_object;

// Around each use; false: an exception is set, and there is nothing to end. An end with a status that is not BP_OK sets
// the exception.
bool world_begin_change(world_object *self);
bool world_end_change(world_object *self, bp_status status);
bool world_begin_ask(world_object *self);
bool world_end_ask(world_object *self, bp_status status);
// Begins an empty world with the settings of a dict; NULL: the defaults. False: an exception is set.
bool world_init_words(world_object *self, PyObject *words);

// Methods of World, by file.
PyObject *world_add(PyObject *object, PyObject *const *values, Py_ssize_t count, PyObject *names);
PyObject *world_move(PyObject *object, PyObject *const *values, Py_ssize_t count);
PyObject *world_remove(PyObject *object, PyObject *argument);
PyObject *world_set_object(PyObject *object, PyObject *const *values, Py_ssize_t count, PyObject *names);
PyObject *world_get_object(PyObject *object, PyObject *argument);
PyObject *world_clear(PyObject *object, PyObject *unused);
PyObject *world_reserve(PyObject *object, PyObject *argument);
PyObject *world_trim(PyObject *object, PyObject *unused);
PyObject *world_validate(PyObject *object, PyObject *unused);
PyObject *world_handle_of(PyObject *object, PyObject *argument);
PyObject *world_id_of(PyObject *object, PyObject *argument);
PyObject *world_ids(PyObject *object, void *unused);
PyObject *world_boxes(PyObject *object, PyObject *argument);
PyObject *world_update(PyObject *object, PyObject *unused);
PyObject *world_stats(PyObject *object, void *unused);
PyObject *world_explain(PyObject *object, PyObject *unused);
PyObject *world_query_box(PyObject *object, PyObject *const *values, Py_ssize_t count, PyObject *names);
PyObject *world_query_ray(PyObject *object, PyObject *const *values, Py_ssize_t count, PyObject *names);
PyObject *world_query_cast(PyObject *object, PyObject *const *values, Py_ssize_t count, PyObject *names);
PyObject *world_query_nearest(PyObject *object, PyObject *const *values, Py_ssize_t count, PyObject *names);
PyObject *world_pairs_of(PyObject *object, PyObject *argument);
PyObject *world_save(PyObject *object, PyObject *file);
PyObject *world_load(PyObject *object, PyObject *file);
PyObject *world_get_state(PyObject *object, PyObject *unused);
PyObject *world_set_state(PyObject *object, PyObject *state);
extern const char world_add_doc[], world_move_doc[], world_remove_doc[], world_set_object_doc[], world_get_object_doc[],
    world_boxes_doc[], world_clear_doc[], world_handle_of_doc[], world_reserve_doc[], world_trim_doc[],
    world_validate_doc[], world_id_of_doc[], world_update_doc[], world_explain_doc[], world_query_box_doc[],
    world_query_ray_doc[], world_query_cast_doc[], world_query_nearest_doc[], world_pairs_of_doc[], world_save_doc[],
    world_load_doc[];

// Make the types, and add them to the module.
bool world_begin(PyObject *module);
bool world_update_begin(PyObject *module);

#endif
