// query_box, query_ray, query_nearest.
#include "arguments.h"
#include "rows_in.h"
#include "rows_out.h"
#include "world.h"

#include <math.h>
#include <stdlib.h>

#define AS_DOC                                                                                                         \
    "With group, mask or island, only what an object of these would pair with. Coordinates are rounded to "            \
    "float32.\n\n"
#define WORLD_DOC                                                                                                      \
    ">>> import broadphase\n"                                                                                          \
    ">>> world = broadphase.World()\n"                                                                                 \
    ">>> ids = world.add([[0, 0, 0, 1, 1, 1], [2, 0, 0, 3, 1, 1]])\n"

const char world_query_box_doc[] = "query_box($self, box, *, group=None, mask=None, island=None)\n--\n\n"
                                   "The ids of the objects that overlap a box, ascending.\n\n" AS_DOC WORLD_DOC
                                   ">>> world.query_box([0, 0, 0, 9, 9, 9])\n"
                                   "array([0, 1], dtype=uint32)\n";

const char world_query_ray_doc[] =
    "query_ray($self, origin, direction, max_t=inf, *, most=None, group=None, mask=None, island=None)\n--\n\n"
    "The objects that a ray hits, and where, in units of its direction: (ids, t), ascending by t; the first `most`, "
    "or\n"
    "all.\n\n" AS_DOC WORLD_DOC ">>> world.query_ray([-1, 0.5, 0.5], [1, 0, 0])\n"
    "(array([0, 1], dtype=uint32), array([1., 3.], dtype=float32))\n";

const char world_query_nearest_doc[] =
    "query_nearest($self, point, k=1, *, group=None, mask=None, island=None)\n--\n\n"
    "The k objects nearest to a point, and how far they are: (ids, distances), ascending; fewer if there are "
    "fewer.\n\n" AS_DOC WORLD_DOC ">>> world.query_nearest([1.75, 0, 0])\n"
    "(array([1], dtype=uint32), array([0.25], dtype=float32))\n";

// ---------------------------------------------------------------------------------------------------------------------
// Questions

// Numbers of one row, as floats.
static bool take_row(PyObject *object, const char *name, bool is_box, float *row) {
    rows_in rows;
    if (is_box ? !rows_take_boxes(&rows, object, name) : !rows_take_points(&rows, object, name)) return false;
    const bool good = rows.count == 1;
    for (size_t i = 0; good && i < (is_box ? 6 : 3); i++) {
        row[i] = rows.wide ? (float)((const double *)rows.data)[i] : ((const float *)rows.data)[i];
    }
    if (!good) PyErr_Format(core.argument_error, "%s: expected one, found %zu", name, rows.count);
    rows_release(&rows);
    return good;
}

// What to see the world as: false in *is_asked where no argument is given.
static bool take_object(PyObject *const *arguments, bp_object *object, bool *is_asked) {
    uint32_t *const fields[] = {&object->group, &object->mask, &object->island};
    *object = (bp_object){0};
    *is_asked = false;
    for (int i = 0; i < 3; i++) {
        if (arguments[i] == NULL) continue;
        const unsigned long value = PyLong_AsUnsignedLong(arguments[i]);
        if (PyErr_Occurred()) return false;
        if (value > UINT32_MAX) {
            PyErr_SetString(core.argument_error, "group, mask and island are numbers of 32 bits");
            return false;
        }
        *fields[i] = (uint32_t)value;
        *is_asked = true;
    }
    return true;
}

static bool take_count(PyObject *argument, const char *name, size_t *count) {
    if (argument == NULL) return true;
    const Py_ssize_t value = PyNumber_AsSsize_t(argument, PyExc_OverflowError);
    if (value < 1 && !PyErr_Occurred()) PyErr_Format(core.argument_error, "%s: expected at least 1", name);
    *count = (size_t)value;
    return !PyErr_Occurred();
}

// ---------------------------------------------------------------------------------------------------------------------
// Answers

typedef struct world_question {
    const bp_object *as;
    bp_box box;
    bp_ray ray;
    float point[3];
    size_t limit; // of answers; SIZE_MAX: all
} world_question;

// What a query finds: the ids, and t or distances.
typedef struct answers {
    uint32_t *ids;
    float *values;
    size_t capacity, count;
} answers;

// Asks with the room there is; *needed is how many answers there are.
typedef bp_status (*ask_function)(const bp_world *world, const world_question *question, const answers *room,
                                  size_t *needed);

static bp_status ask_box(const bp_world *world, const world_question *question, const answers *room, size_t *needed) {
    return bp_query_box_as(world, &question->box, question->as, room->ids, room->capacity, needed);
}

static bp_status ask_ray(const bp_world *world, const world_question *question, const answers *room, size_t *needed) {
    bp_ray_hit *hits = malloc((room->capacity + 1) * sizeof *hits);
    if (hits == NULL) return BP_ERROR_MEMORY;
    const bool all = question->limit == SIZE_MAX;
    bp_status status = bp_query_ray_as(world, &question->ray, question->as, hits, room->capacity, all ? needed : NULL);
    if (!all && status == BP_OK) {
        for (*needed = 0; *needed < room->capacity && hits[*needed].id != BP_NO_ID;) ++*needed;
    }
    for (size_t i = 0; status == BP_OK && i < *needed; i++) {
        room->ids[i] = hits[i].id;
        room->values[i] = hits[i].t;
    }
    free(hits);
    return status;
}

static bp_status ask_nearest(const bp_world *world, const world_question *question, const answers *room,
                             size_t *needed) {
    const size_t k = room->capacity > 0 ? room->capacity : 1; // none is refused; there is room for one more
    bp_near *near = malloc((room->capacity + 1) * sizeof *near);
    if (near == NULL) return BP_ERROR_MEMORY;
    bp_status status = bp_query_nearest_as(world, question->point, k, question->as, near, needed);
    for (size_t i = 0; status == BP_OK && i < *needed; i++) {
        room->ids[i] = near[i].id;
        room->values[i] = near[i].distance;
    }
    free(near);
    return status;
}

static void release_answers(answers *self) {
    rows_out_release(self->ids, self->capacity + 1, sizeof *self->ids);
    rows_out_release(self->values, self->capacity + 1, sizeof *self->values);
    *self = (answers){0};
}

static bool make_room(answers *self, size_t capacity) {
    self->capacity = capacity;
    self->ids = rows_out_allocate(capacity, sizeof *self->ids);
    self->values = self->ids == NULL ? NULL : rows_out_allocate(capacity, sizeof *self->values);
    if (self->values == NULL) release_answers(self);
    return self->ids != NULL;
}

// Few answers first; if there are more, all of them. The interpreter's lock is kept: a query takes microseconds.
static bool find_answers(world_object *self, ask_function ask, const world_question *question, answers *found) {
    const size_t alive = bp_world_count(self->world);
    size_t needed = question->limit == SIZE_MAX ? 64 : question->limit < alive ? question->limit : alive;
    bp_status status = BP_ERROR_CAPACITY;
    while (status == BP_ERROR_CAPACITY) {
        release_answers(found);
        if (!make_room(found, needed)) break;
        status = ask(self->world, question, found, &needed);
    }
    found->count = needed;
    return found->ids != NULL ? world_end_ask(self, status) : (world_end_ask(self, BP_OK), false);
}

static PyObject *answer_arrays(answers *found, bool with_values) {
    PyObject *ids = rows_out_take(found->ids, found->capacity + 1, found->count, 1, sizeof(uint32_t), core.uint32);
    if (!with_values || ids == NULL) {
        rows_out_release(found->values, found->capacity + 1, sizeof *found->values);
        return ids;
    }
    PyObject *values = rows_out_take(found->values, found->capacity + 1, found->count, 1, sizeof(float), core.float32);
    return values == NULL ? (Py_DECREF(ids), NULL) : Py_BuildValue("(NN)", ids, values);
}

static PyObject *answer_question(PyObject *object, ask_function ask, const world_question *question, bool with_values) {
    world_object *self = (world_object *)object;
    answers found = {0};
    if (!world_begin_ask(self)) return NULL;
    if (find_answers(self, ask, question, &found)) return answer_arrays(&found, with_values);
    release_answers(&found);
    return NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// Methods

PyObject *world_query_box(PyObject *object, PyObject *const *values, Py_ssize_t count, PyObject *names) {
    static const call_signature signature = {"query_box", {"box", "group", "mask", "island"}, 1, 1};
    PyObject *arguments[ARGUMENTS_MAX];
    world_question question = {.limit = SIZE_MAX};
    float row[6];
    bp_object as;
    bool is_asked;
    if (!arguments_take(&signature, values, count, names, arguments, NULL) ||
        !take_object(arguments + 1, &as, &is_asked) || !take_row(arguments[0], "box", true, row)) {
        return NULL;
    }
    question.box = (bp_box){{row[0], row[1], row[2]}, {row[3], row[4], row[5]}};
    question.as = is_asked ? &as : NULL;
    return answer_question(object, ask_box, &question, false);
}

PyObject *world_query_ray(PyObject *object, PyObject *const *values, Py_ssize_t count, PyObject *names) {
    static const call_signature signature = {
        "query_ray", {"origin", "direction", "max_t", "most", "group", "mask", "island"}, 2, 3};
    PyObject *arguments[ARGUMENTS_MAX];
    world_question question = {.limit = SIZE_MAX, .ray.max_t = INFINITY};
    bp_object as;
    bool is_asked;
    if (!arguments_take(&signature, values, count, names, arguments, NULL) ||
        !take_object(arguments + 4, &as, &is_asked) || !take_count(arguments[3], "most", &question.limit) ||
        !take_row(arguments[0], "origin", false, question.ray.origin) ||
        !take_row(arguments[1], "direction", false, question.ray.direction)) {
        return NULL;
    }
    if (arguments[2] != NULL) question.ray.max_t = (float)PyFloat_AsDouble(arguments[2]);
    if (PyErr_Occurred()) return NULL;
    question.as = is_asked ? &as : NULL;
    return answer_question(object, ask_ray, &question, true);
}

PyObject *world_query_nearest(PyObject *object, PyObject *const *values, Py_ssize_t count, PyObject *names) {
    static const call_signature signature = {"query_nearest", {"point", "k", "group", "mask", "island"}, 1, 2};
    PyObject *arguments[ARGUMENTS_MAX];
    world_question question = {.limit = 1};
    bp_object as;
    bool is_asked;
    if (!arguments_take(&signature, values, count, names, arguments, NULL) ||
        !take_object(arguments + 2, &as, &is_asked) || !take_count(arguments[1], "k", &question.limit) ||
        !take_row(arguments[0], "point", false, question.point)) {
        return NULL;
    }
    question.as = is_asked ? &as : NULL;
    return answer_question(object, ask_nearest, &question, true);
}
