// query_box, query_ray, query_nearest: one question, or rows of them in one call of the library.
#include "arguments.h"
#include "rows_in.h"
#include "rows_out.h"
#include "world.h"

#include <math.h>
#include <stdlib.h>

#define AS_DOC                                                                                                         \
    "With group, mask or island, only what an object of these would pair with. Coordinates are rounded to float32. "   \
    "Rows\n"                                                                                                           \
    "of questions are answered as compressed rows, with the offsets in front, as by `neighbors`, and by all "          \
    "threads.\n\n"
#define WORLD_DOC                                                                                                      \
    ">>> import broadphase\n"                                                                                          \
    ">>> world = broadphase.World()\n"                                                                                 \
    ">>> ids = world.add([[0, 0, 0, 1, 1, 1], [2, 0, 0, 3, 1, 1]])\n"

const char world_query_box_doc[] =
    "query_box($self, boxes, *, group=None, mask=None, island=None)\n--\n\n"
    "The ids of the objects that overlap a box, ascending; of rows of boxes, (offsets, ids).\n\n" AS_DOC WORLD_DOC
    ">>> world.query_box([0, 0, 0, 9, 9, 9])\n"
    "array([0, 1], dtype=uint32)\n"
    ">>> world.query_box([[0, 0, 0, 9, 9, 9], [2, 0, 0, 3, 3, 3]])\n"
    "(array([0, 2, 3]), array([0, 1, 1], dtype=uint32))\n";

const char world_query_ray_doc[] =
    "query_ray($self, origins, directions, max_t=inf, *, most=None, group=None, mask=None, island=None)\n--\n\n"
    "The objects that a ray hits, and where, in units of its direction: (ids, t), ascending by t; the first `most`, "
    "or\n"
    "all. Of rows of rays, (offsets, ids, t).\n\n" AS_DOC WORLD_DOC ">>> world.query_ray([-1, 0.5, 0.5], [1, 0, 0])\n"
    "(array([0, 1], dtype=uint32), array([1., 3.], dtype=float32))\n";

const char world_query_nearest_doc[] =
    "query_nearest($self, points, k=1, *, group=None, mask=None, island=None)\n--\n\n"
    "The k objects nearest to a point, and how far they are: (ids, distances), ascending; fewer if there are fewer. "
    "Of\n"
    "rows of points, (offsets, ids, distances).\n\n" AS_DOC WORLD_DOC ">>> world.query_nearest([1.75, 0, 0])\n"
    "(array([1], dtype=uint32), array([0.25], dtype=float32))\n";

// ---------------------------------------------------------------------------------------------------------------------
// Questions

// Rows as floats, which is what queries take; the columns of a row are 6 for boxes and 3 for points.
static bool take_floats(rows_in *rows, PyObject *object, const char *name, bool are_boxes) {
    const size_t columns = are_boxes ? 6 : 3;
    if (are_boxes ? !rows_take_boxes(rows, object, name) : !rows_take_points(rows, object, name)) return false;
    return rows_narrow(rows, columns) || (rows_release(rows), false);
}

// What to see the world as: false in *is_asked where no argument is given.
static bool take_object(PyObject *const *arguments, bp_object *object, bool *is_asked) {
    static const char *const names[] = {"group", "mask", "island"};
    uint32_t *const fields[] = {&object->group, &object->mask, &object->island};
    *object = (bp_object){0};
    *is_asked = false;
    for (int i = 0; i < 3; i++) {
        if (arguments[i] == NULL) continue;
        const long long value = PyIndex_Check(arguments[i]) ? PyLong_AsLongLong(arguments[i]) : -1;
        if (value < 0 || value > UINT32_MAX) {
            PyErr_Format(core.argument_error, "%s: expected a whole number from 0 to 4294967295, found %R", names[i],
                         arguments[i]);
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

typedef struct question_rows {
    const bp_object *as;
    const void *data; // boxes, rays or points
    size_t count;
    uint32_t dimensions;
    size_t most; // answers to each
    bool is_one, with_values;
} question_rows;

typedef bp_status (*ask_function)(const bp_world *world, const question_rows *questions, bp_answers *answers);

static bp_status ask_boxes(const bp_world *world, const question_rows *q, bp_answers *answers) {
    return bp_query_boxes(world, q->count, q->data, q->as, answers);
}

static bp_status ask_rays(const bp_world *world, const question_rows *q, bp_answers *answers) {
    return bp_query_rays(world, q->count, q->data, q->most, q->as, answers);
}

static bp_status ask_nearest(const bp_world *world, const question_rows *q, bp_answers *answers) {
    return bp_query_nearest_many(world, q->count, q->data, q->most, q->as, answers);
}

// Without offsets of one question, and without values where they have no meaning.
static PyObject *answer_arrays(const bp_answers *found, const question_rows *q) {
    const size_t count = found->offsets[found->count];
    PyObject *arrays[3];
    arrays[0] = rows_out_take(found->offsets, found->offset_capacity, found->count + 1, 1, sizeof(size_t), core.int64);
    arrays[1] = rows_out_take(found->ids, found->id_capacity, count, 1, sizeof(uint32_t), core.uint32);
    arrays[2] =
        rows_out_take(found->values, found->value_capacity, q->with_values ? count : 0, 1, sizeof(float), core.float32);
    PyObject *all = NULL;
    if (!PyErr_Occurred()) {
        all = q->is_one ? PyTuple_Pack(2, arrays[1], arrays[2]) : PyTuple_Pack(3, arrays[0], arrays[1], arrays[2]);
    }
    PyObject *result = q->with_values || all == NULL ? Py_XNewRef(all)
                       : q->is_one                   ? Py_NewRef(arrays[1])
                                                     : PyTuple_Pack(2, arrays[0], arrays[1]);
    for (int i = 0; i < 3; i++) Py_XDECREF(arrays[i]);
    Py_XDECREF(all);
    return result;
}

static PyObject *answer(PyObject *object, ask_function ask, const question_rows *questions) {
    world_object *self = (world_object *)object;
    bp_answers found = {0};
    bp_status status;
    if (questions->count > 0 && !call_settings_allow_dimensions(&self->settings, questions->dimensions)) return NULL;
    if (!world_begin_ask(self)) return NULL;
    Py_BEGIN_ALLOW_THREADS status = ask(self->world, questions, &found);
    Py_END_ALLOW_THREADS if (world_end_ask(self, status)) return answer_arrays(&found, questions);
    bp_answers_free(&found, NULL);
    return NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// Methods

PyObject *world_query_box(PyObject *object, PyObject *const *values, Py_ssize_t count, PyObject *names) {
    static const call_signature signature = {"query_box", {"boxes", "group", "mask", "island"}, 1, 1};
    PyObject *arguments[ARGUMENTS_MAX];
    rows_in boxes;
    bp_object as;
    bool is_asked;
    if (!arguments_take(&signature, values, count, names, arguments, NULL) ||
        !take_object(arguments + 1, &as, &is_asked) || !take_floats(&boxes, arguments[0], "boxes", true)) {
        return NULL;
    }
    const question_rows questions = {.as = is_asked ? &as : NULL,
                                     .data = boxes.data,
                                     .count = boxes.count,
                                     .dimensions = boxes.dimensions,
                                     .is_one = boxes.is_one};
    PyObject *found = answer(object, ask_boxes, &questions);
    rows_release(&boxes);
    return found;
}

// As many as the longer of both; one origin or one direction may serve all.
static bp_ray *make_rays(const rows_in *origins, const rows_in *directions, float max_t, size_t *count) {
    *count = origins->count > directions->count ? origins->count : directions->count;
    if ((origins->count != *count && !origins->is_one) || (directions->count != *count && !directions->is_one)) {
        PyErr_Format(core.argument_error, "%zu origins, but %zu directions", origins->count, directions->count);
        return NULL;
    }
    bp_ray *rays = malloc((*count + 1) * sizeof *rays);
    if (rays == NULL) return PyErr_NoMemory(), NULL;
    for (size_t i = 0; i < *count; i++) {
        const float *from = (const float *)origins->data + 3 * (origins->is_one ? 0 : i);
        const float *to = (const float *)directions->data + 3 * (directions->is_one ? 0 : i);
        rays[i] = (bp_ray){{from[0], from[1], from[2]}, {to[0], to[1], to[2]}, max_t};
    }
    return rays;
}

static PyObject *answer_rays(PyObject *object, const rows_in *origins, const rows_in *directions, float max_t,
                             question_rows questions) {
    bp_ray *rays = make_rays(origins, directions, max_t, &questions.count);
    if (rays == NULL) return NULL;
    questions.data = rays;
    questions.dimensions = origins->dimensions < directions->dimensions ? origins->dimensions : directions->dimensions;
    questions.is_one = origins->is_one && directions->is_one;
    PyObject *found = answer(object, ask_rays, &questions);
    free(rays);
    return found;
}

PyObject *world_query_ray(PyObject *object, PyObject *const *values, Py_ssize_t count, PyObject *names) {
    static const call_signature signature = {
        "query_ray", {"origins", "directions", "max_t", "most", "group", "mask", "island"}, 2, 3};
    PyObject *arguments[ARGUMENTS_MAX];
    rows_in origins = {0}, directions = {0};
    question_rows questions = {.with_values = true};
    bp_object as;
    bool is_asked;
    if (!arguments_take(&signature, values, count, names, arguments, NULL) ||
        !take_object(arguments + 4, &as, &is_asked) || !take_count(arguments[3], "most", &questions.most)) {
        return NULL;
    }
    double max_t = (double)INFINITY;
    PyObject *found = NULL;
    questions.as = is_asked ? &as : NULL;
    if ((arguments[2] == NULL || argument_real(arguments[2], "max_t", &max_t)) &&
        take_floats(&origins, arguments[0], "origins", false) &&
        take_floats(&directions, arguments[1], "directions", false)) {
        found = answer_rays(object, &origins, &directions, (float)max_t, questions);
    }
    rows_release(&origins);
    rows_release(&directions);
    return found;
}

PyObject *world_query_nearest(PyObject *object, PyObject *const *values, Py_ssize_t count, PyObject *names) {
    static const call_signature signature = {"query_nearest", {"points", "k", "group", "mask", "island"}, 1, 2};
    PyObject *arguments[ARGUMENTS_MAX];
    rows_in points;
    question_rows questions = {.most = 1, .with_values = true};
    bp_object as;
    bool is_asked;
    if (!arguments_take(&signature, values, count, names, arguments, NULL) ||
        !take_object(arguments + 2, &as, &is_asked) || !take_count(arguments[1], "k", &questions.most) ||
        !take_floats(&points, arguments[0], "points", false)) {
        return NULL;
    }
    questions.as = is_asked ? &as : NULL;
    questions.data = points.data;
    questions.count = points.count;
    questions.dimensions = points.dimensions;
    questions.is_one = points.is_one;
    PyObject *found = answer(object, ask_nearest, &questions);
    rows_release(&points);
    return found;
}
