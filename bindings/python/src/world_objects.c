// Objects of a world: added, moved, removed, read and changed.
#include "arguments.h"
#include "rows_in.h"
#include "rows_out.h"
#include "world.h"

#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------------------------
// What objects are, as columns: one number for all, or one for each

enum { GROUP, MASK, STATIC, ISLAND, USER, COLUMNS };
static const char *const column_names[COLUMNS] = {"group", "mask", "static", "island", "user"};

typedef struct object_columns {
    rows_in numbers[COLUMNS];
    bool is_given[COLUMNS];
    bool are_any;
} object_columns;

static void put_column(bp_object *object, int column, uint64_t value) {
    switch (column) {
    case GROUP: object->group = value; break;
    case MASK: object->mask = value; break;
    case STATIC: object->flags = value != 0 ? BP_STATIC : 0; break;
    case ISLAND: object->island = (uint32_t)value; break;
    default: object->user = value; break;
    }
}

static void release_columns(object_columns *columns) {
    for (int column = 0; column < COLUMNS; column++) rows_release(&columns->numbers[column]);
}

static bool take_column(rows_in *numbers, PyObject *argument, const char *name, size_t count, uint64_t limit) {
    if (!rows_take_words(numbers, argument, name)) return false;
    if (numbers->count != count && numbers->count != 1) {
        PyErr_Format(core.argument_error, "%s: expected one number, or one for each of the %zu objects", name, count);
        return false;
    }
    const uint64_t *values = numbers->data;
    for (size_t i = 0; i < numbers->count; i++) {
        if (values[i] <= limit) continue;
        PyErr_Format(core.argument_error, "%s: %llu is out of range", name, (unsigned long long)values[i]);
        return false;
    }
    return true;
}

// False: an exception is set, and there is nothing to release.
static bool take_columns(object_columns *columns, PyObject *const *arguments, size_t count) {
    *columns = (object_columns){.are_any = false};
    for (int column = 0; column < COLUMNS; column++) {
        if (arguments[column] == NULL) continue;
        columns->are_any = columns->is_given[column] = true;
        const uint64_t limit = column == ISLAND ? UINT32_MAX : UINT64_MAX;
        if (take_column(&columns->numbers[column], arguments[column], column_names[column], count, limit)) continue;
        release_columns(columns);
        return false;
    }
    return true;
}

// What is not given stays as it is.
static void put_columns(const object_columns *columns, bp_object *objects, size_t count) {
    for (int column = 0; column < COLUMNS; column++) {
        const rows_in *numbers = &columns->numbers[column];
        const uint64_t *values = numbers->data;
        for (size_t i = 0; i < count && columns->is_given[column]; i++) {
            put_column(&objects[i], column, values[numbers->count == 1 ? 0 : i]);
        }
    }
}

// NULL: an exception is set.
static bp_object *allocate_objects(size_t count) {
    bp_object *objects = calloc(count + 1, sizeof *objects);
    if (objects == NULL) PyErr_NoMemory();
    return objects;
}

// ---------------------------------------------------------------------------------------------------------------------
// Added and moved

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

const char world_add_doc[] =
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

PyObject *world_add(PyObject *object, PyObject *const *values, Py_ssize_t count, PyObject *names) {
    static const call_signature signature = {"add", {"boxes", "group", "mask", "static", "island", "user"}, 1, 1};
    world_object *self = (world_object *)object;
    PyObject *arguments[ARGUMENTS_MAX];
    rows_in boxes = {0};
    object_columns columns;
    bp_object *objects = NULL;
    PyObject *ids = NULL;
    if (!arguments_take(&signature, values, count, names, arguments, NULL)) return NULL;
    if (!rows_take_boxes(&boxes, arguments[0], "boxes")) return NULL;
    bool good = take_columns(&columns, arguments + 1, boxes.count);
    if (good && columns.are_any) {
        objects = allocate_objects(boxes.count);
        good = objects != NULL;
        if (good) put_columns(&columns, objects, boxes.count);
        release_columns(&columns);
    }
    if (good && world_begin_change(self)) {
        ids = boxes.count == 0 ? add_boxes(self, &boxes, objects) : add_of_dimensions(self, &boxes, objects);
        self->is_changing = false;
    }
    free(objects);
    rows_release(&boxes);
    return ids;
}

const char world_move_doc[] =
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

PyObject *world_move(PyObject *object, PyObject *const *values, Py_ssize_t count) {
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
// Removed and changed

static int compare_ids(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// To remove an object twice is a mistake in Python.
static bool is_each_once(const rows_in *ids) {
    uint32_t *sorted = rows_out_allocate(ids->count, sizeof *sorted);
    if (sorted == NULL) return false;
    if (ids->count > 0) memcpy(sorted, ids->data, ids->count * sizeof *sorted);
    qsort(sorted, ids->count, sizeof *sorted, compare_ids);
    size_t i = 1;
    while (i < ids->count && sorted[i] != sorted[i - 1]) i++;
    const bool good = i >= ids->count;
    if (!good) PyErr_Format(core.id_error, "ids: %u occurs twice", (unsigned)sorted[i]);
    rows_out_release(sorted, ids->count + 1, sizeof *sorted);
    return good;
}

const char world_remove_doc[] = "remove($self, ids, /)\n--\n\n"
                                "Removes one object or several, all or none. Their ids will be reused.\n\n"
                                ">>> import broadphase\n"
                                ">>> world = broadphase.World()\n"
                                ">>> world.remove(world.add([[0, 0, 1, 1], [5, 5, 6, 6]]))\n"
                                ">>> len(world)\n"
                                "0\n";

PyObject *world_remove(PyObject *object, PyObject *argument) {
    world_object *self = (world_object *)object;
    rows_in ids;
    if (!rows_take_ids(&ids, argument, "ids")) return NULL;
    const bool good = is_each_once(&ids) && world_begin_change(self) &&
                      world_end_change(self, bp_remove_many(self->world, ids.count, ids.data));
    rows_release(&ids);
    return good ? Py_NewRef(Py_None) : NULL;
}

const char world_clear_doc[] = "clear($self)\n--\n\nRemoves all objects; their pairs end with the next update.";

PyObject *world_clear(PyObject *object, PyObject *unused) {
    world_object *self = (world_object *)object;
    (void)unused;
    if (!world_begin_change(self) || !world_end_change(self, bp_world_clear(self->world))) return NULL;
    Py_RETURN_NONE;
}

const char world_set_object_doc[] =
    "set_object($self, ids, *, group=None, mask=None, static=None, island=None, user=None)\n--\n\n"
    "Changes which others these objects pair with, from the next update on. Arguments that are omitted stay "
    "unchanged.\n\n"
    ">>> import broadphase\n"
    ">>> world = broadphase.World()\n"
    ">>> ids = world.add([[0, 0, 1, 1], [1, 1, 2, 2]])\n"
    ">>> world.set_object(ids, static=True)\n"
    ">>> world.set_object(ids, user=[7, 2**63])\n"
    ">>> len(world.update().pairs)\n"
    "0\n";

// The objects of the ids as they are, but for the columns that are given.
static bp_status change_objects(world_object *self, const rows_in *ids, const object_columns *columns,
                                bp_object *objects) {
    const uint32_t *data = ids->data;
    bp_status status = BP_OK;
    for (size_t i = 0; i < ids->count && status == BP_OK; i++) {
        status = bp_get_object_double(self->world, data[i], NULL, &objects[i]);
    }
    if (status != BP_OK) return status;
    put_columns(columns, objects, ids->count);
    return bp_set_objects(self->world, ids->count, data, objects);
}

PyObject *world_set_object(PyObject *object, PyObject *const *values, Py_ssize_t count, PyObject *names) {
    static const call_signature signature = {"set_object", {"ids", "group", "mask", "static", "island", "user"}, 1, 1};
    world_object *self = (world_object *)object;
    PyObject *arguments[ARGUMENTS_MAX];
    rows_in ids;
    object_columns columns;
    if (!arguments_take(&signature, values, count, names, arguments, NULL)) return NULL;
    if (!rows_take_ids(&ids, arguments[0], "ids")) return NULL;
    bool good = take_columns(&columns, arguments + 1, ids.count);
    bp_object *objects = good ? allocate_objects(ids.count) : NULL;
    good = objects != NULL && world_begin_change(self) &&
           world_end_change(self, change_objects(self, &ids, &columns, objects));
    free(objects);
    release_columns(&columns);
    rows_release(&ids);
    return good ? Py_NewRef(Py_None) : NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// Memory

const char world_reserve_doc[] = "reserve($self, count, /)\n--\n\nReserves memory for this many more objects, and for "
                                 "the pairs that they usually have.";
const char world_trim_doc[] = "trim($self)\n--\n\nReleases memory that the world does not need at present.";

PyObject *world_reserve(PyObject *object, PyObject *argument) {
    world_object *self = (world_object *)object;
    const Py_ssize_t count = PyNumber_AsSsize_t(argument, PyExc_OverflowError);
    if (count < 0) {
        if (!PyErr_Occurred()) PyErr_SetString(core.argument_error, "count: expected 0 or more");
        return NULL;
    }
    if (!world_begin_change(self) || !world_end_change(self, bp_world_reserve(self->world, (size_t)count))) return NULL;
    Py_RETURN_NONE;
}

PyObject *world_trim(PyObject *object, PyObject *unused) {
    world_object *self = (world_object *)object;
    (void)unused;
    if (!world_begin_change(self) || !world_end_change(self, bp_world_trim(self->world))) return NULL;
    Py_RETURN_NONE;
}

// ---------------------------------------------------------------------------------------------------------------------
// Read

const char world_get_object_doc[] =
    "get_object($self, ids, /)\n--\n\n"
    "The properties of objects, named as in `add`: a dict of group, mask, static, island and user, each a number for "
    "one "
    "id, "
    "or an\n"
    "array for several. `boxes` has their boxes.\n\n"
    ">>> import broadphase\n"
    ">>> world = broadphase.World()\n"
    ">>> ids = world.add([[0, 0, 1, 1], [1, 1, 2, 2]], group=1, user=[7, 2**63])\n"
    ">>> world.get_object(1)\n"
    "{'group': 1, 'mask': 0, 'static': False, 'island': 0, 'user': 9223372036854775808}\n"
    ">>> world.get_object(ids)[\"user\"]\n"
    "array([                  7, 9223372036854775808], dtype=uint64)\n"
    ">>> copy = broadphase.World()\n"
    ">>> copy.add(world.boxes(ids), **world.get_object(ids))\n"
    "array([0, 1], dtype=uint32)\n";

static PyObject *dict_of_object(const bp_object *object) {
    return Py_BuildValue("{s:K,s:K,s:O,s:K,s:K}", "group", (unsigned long long)object->group, "mask",
                         (unsigned long long)object->mask, "static",
                         (object->flags & BP_STATIC) != 0 ? Py_True : Py_False, "island",
                         (unsigned long long)object->island, "user", (unsigned long long)object->user);
}

static PyObject *array_of_islands(const bp_object *objects, size_t count) {
    uint32_t *islands = rows_out_allocate(count, sizeof *islands);
    for (size_t i = 0; i < count && islands != NULL; i++) islands[i] = objects[i].island;
    return islands == NULL ? NULL : rows_out_take(islands, count + 1, count, 1, sizeof *islands, core.uint32);
}

static PyObject *array_of_statics(const bp_object *objects, size_t count) {
    bool *truths = rows_out_allocate(count, sizeof *truths);
    for (size_t i = 0; i < count && truths != NULL; i++) truths[i] = (objects[i].flags & BP_STATIC) != 0;
    return truths == NULL ? NULL : rows_out_take(truths, count + 1, count, 1, sizeof *truths, core.truth);
}

static PyObject *array_of_words(const bp_object *objects, size_t count, int column) {
    uint64_t *words = rows_out_allocate(count, sizeof *words);
    for (size_t i = 0; i < count && words != NULL; i++) {
        words[i] = column == GROUP ? objects[i].group : column == MASK ? objects[i].mask : objects[i].user;
    }
    return words == NULL ? NULL : rows_out_take(words, count + 1, count, 1, sizeof *words, core.uint64);
}

static PyObject *dict_of_objects(const bp_object *objects, size_t count) {
    PyObject *columns = PyDict_New();
    for (int column = 0; columns != NULL && column < COLUMNS; column++) {
        PyObject *array = column == STATIC   ? array_of_statics(objects, count)
                          : column == ISLAND ? array_of_islands(objects, count)
                                             : array_of_words(objects, count, column);
        if (array == NULL || PyDict_SetItemString(columns, column_names[column], array) != 0) Py_CLEAR(columns);
        Py_XDECREF(array);
    }
    return columns;
}

PyObject *world_get_object(PyObject *object, PyObject *argument) {
    world_object *self = (world_object *)object;
    rows_in ids;
    if (!rows_take_ids(&ids, argument, "ids")) return NULL;
    PyObject *found = NULL;
    bp_object *objects = allocate_objects(ids.count);
    if (objects != NULL && world_begin_ask(self)) {
        const uint32_t *data = ids.data;
        bp_status status = BP_OK;
        for (size_t i = 0; i < ids.count && status == BP_OK; i++) {
            status = bp_get_object_double(self->world, data[i], NULL, &objects[i]);
        }
        if (world_end_ask(self, status)) {
            found = ids.is_one ? dict_of_object(objects) : dict_of_objects(objects, ids.count);
        }
    }
    free(objects);
    rows_release(&ids);
    return found;
}

PyObject *world_ids(PyObject *object, void *unused) {
    world_object *self = (world_object *)object;
    (void)unused;
    if (!world_begin_ask(self)) return NULL;
    const size_t count = bp_world_count(self->world);
    uint32_t *ids = rows_out_allocate(count, sizeof *ids);
    size_t found = 0;
    for (bp_id id = BP_NO_ID; ids != NULL && found < count; found++) ids[found] = id = bp_next_id(self->world, id);
    const bool good = world_end_ask(self, BP_OK);
    if (good && ids != NULL) return rows_out_take(ids, count + 1, count, 1, sizeof *ids, core.uint32);
    rows_out_release(ids, count + 1, sizeof *ids);
    return NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// Handles

const char world_handle_of_doc[] =
    "handle_of($self, ids, /)\n--\n\n"
    "The handle of an object, or of several (uint64): the id of a removed object is given to another, its handle "
    "never.\n\n"
    ">>> import broadphase\n"
    ">>> world = broadphase.World()\n"
    ">>> ids = world.add([[0, 0, 1, 1]])\n"
    ">>> handle = world.handle_of(0)\n"
    ">>> world.id_of(handle)\n"
    "0\n"
    ">>> world.remove(0)\n"
    ">>> world.add([[5, 5, 6, 6]])\n"
    "array([0], dtype=uint32)\n"
    ">>> world.id_of(handle)\n"
    "Traceback (most recent call last):\n"
    "broadphase.IdError: the object of this handle was removed, or never existed\n";

const char world_id_of_doc[] = "id_of($self, handles, /)\n--\n\n"
                               "The id of a handle's object, or of several; IdError if one of them was removed.";

static bool fail_dead(const char *sentence) {
    PyErr_SetString(core.id_error, sentence);
    return false;
}

static bool find_handles(const bp_world *world, const rows_in *ids, uint64_t *handles) {
    const uint32_t *data = ids->data;
    for (size_t i = 0; i < ids->count; i++) {
        handles[i] = bp_handle_of(world, data[i]);
        if (handles[i] == 0) return fail_dead("there is no object with this id, or it has been used too often");
    }
    return true;
}

PyObject *world_handle_of(PyObject *object, PyObject *argument) {
    world_object *self = (world_object *)object;
    rows_in ids;
    if (!rows_take_ids(&ids, argument, "ids")) return NULL;
    const size_t count = ids.count;
    const bool is_one = ids.is_one;
    uint64_t *handles = rows_out_allocate(count, sizeof *handles);
    bool good = handles != NULL && world_begin_ask(self);
    if (good) {
        const bool alive = find_handles(self->world, &ids, handles);
        good = alive ? world_end_ask(self, BP_OK) : (self->askers--, false);
    }
    rows_release(&ids);
    PyObject *found = good && is_one ? PyLong_FromUnsignedLongLong(handles[0]) : NULL;
    if (good && !is_one) return rows_out_take(handles, count + 1, count, 1, sizeof *handles, core.uint64);
    rows_out_release(handles, count + 1, sizeof *handles);
    return found;
}

static bool find_ids(const bp_world *world, const rows_in *handles, uint32_t *ids) {
    const uint64_t *data = handles->data;
    for (size_t i = 0; i < handles->count; i++) {
        if (bp_id_of(world, data[i], &ids[i]) == BP_OK) continue;
        return fail_dead("the object of this handle was removed, or never existed");
    }
    return true;
}

PyObject *world_id_of(PyObject *object, PyObject *argument) {
    world_object *self = (world_object *)object;
    rows_in handles;
    if (!rows_take_words(&handles, argument, "handles")) return NULL;
    const size_t count = handles.count;
    const bool is_one = handles.is_one;
    uint32_t *ids = rows_out_allocate(count, sizeof *ids);
    bool good = ids != NULL && world_begin_ask(self);
    if (good) {
        const bool alive = find_ids(self->world, &handles, ids);
        good = alive ? world_end_ask(self, BP_OK) : (self->askers--, false);
    }
    rows_release(&handles);
    PyObject *found = good && is_one ? PyLong_FromUnsignedLong(ids[0]) : NULL;
    if (good && !is_one) return rows_out_take(ids, count + 1, count, 1, sizeof *ids, core.uint32);
    rows_out_release(ids, count + 1, sizeof *ids);
    return found;
}

// ---------------------------------------------------------------------------------------------------------------------
// Boxes

const char world_boxes_doc[] = "boxes($self, ids, /)\n--\n\n"
                               "The boxes of objects, as they were given: (N, 6), float64.\n\n"
                               ">>> import broadphase\n"
                               ">>> world = broadphase.World()\n"
                               ">>> world.boxes(world.add([[0, 0, 0, 1, 1, 1]]))\n"
                               "array([[0., 0., 0., 1., 1., 1.]])\n";

PyObject *world_boxes(PyObject *object, PyObject *argument) {
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
