// query_box, query_ray, query_cast, query_nearest: one question, or rows of them in one call of the library.
#include "arguments.h"
#include "query_double.h"
#include "rows_in.h"
#include "rows_out.h"
#include "world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define AS_DOC                                                                                                         \
    "With group, mask, static or island, only what an object of these would pair with. Rows of questions are "         \
    "answered as "                                                                                                     \
    "compressed\n"                                                                                                     \
    "rows, with the offsets in front, as by `neighbors`. "
#define EXACT_DOC                                                                                                      \
    "Where all is float64, as in lists, it is computed and given in 64 bits,\n"                                        \
    "exactly; questions of float32 are answered by all threads together, and several times as fast where there are "   \
    "many.\n\n"
#define WORLD_DOC                                                                                                      \
    ">>> import broadphase\n"                                                                                          \
    ">>> world = broadphase.World()\n"                                                                                 \
    ">>> ids = world.add([[0, 0, 0, 1, 1, 1], [2, 0, 0, 3, 1, 1]])\n"

const char world_query_box_doc[] =
    "query_box($self, boxes, *, group=None, mask=None, static=None, island=None)\n--\n\n"
    "The ids of the objects that overlap a box, ascending; of rows of boxes, (offsets, ids).\n\n" AS_DOC EXACT_DOC
        WORLD_DOC ">>> world.query_box([0, 0, 0, 9, 9, 9])\n"
    "array([0, 1], dtype=uint32)\n"
    ">>> world.query_box([[0, 0, 0, 9, 9, 9], [2, 0, 0, 3, 3, 3]])\n"
    "(array([0, 2, 3]), array([0, 1, 1], dtype=uint32))\n";

const char world_query_ray_doc[] =
    "query_ray($self, origins, directions, max_t=inf, *, max_hits=None, group=None, mask=None, static=None, "
    "island=None)\n--\n\n"
    "The objects that a ray hits, and where, in units of its direction: (ids, t), ascending by t; the first "
    "`max_hits`, "
    "or\n"
    "all. Of rows of rays, (offsets, ids, t).\n\n" AS_DOC EXACT_DOC WORLD_DOC
    ">>> world.query_ray([-1, 0.5, 0.5], [1, 0, 0])\n"
    "(array([0, 1], dtype=uint32), array([1., 3.]))\n";

const char world_query_cast_doc[] =
    "query_cast($self, boxes, directions, max_t=inf, *, max_hits=None, group=None, mask=None, static=None, "
    "island=None)\n--\n\n"
    "The objects that a box meets which moves along a direction, and when it first touches them, in units of the "
    "direction:\n"
    "(ids, t), ascending by t, 0 where it begins; the first `max_hits`, or all. Of rows of boxes, (offsets, ids, "
    "t).\n\n" AS_DOC EXACT_DOC WORLD_DOC ">>> world.query_cast([-1, 0, 0, -0.5, 1, 1], [1, 0, 0])\n"
    "(array([0, 1], dtype=uint32), array([0.5, 2.5]))\n"
    ">>> world.query_cast([-1, 0, 0, -0.5, 1, 1], [1, 0, 0], 1.0)[0]\n"
    "array([0], dtype=uint32)\n";

const char world_query_nearest_doc[] =
    "query_nearest($self, points, k=1, *, group=None, mask=None, static=None, island=None)\n--\n\n"
    "The k objects nearest to a point, and how far they are: (ids, distances), ascending; fewer if there are fewer. "
    "Of\n"
    "rows of points, (offsets, ids, distances).\n\n" AS_DOC EXACT_DOC WORLD_DOC
    ">>> world.query_nearest([1.75, 0, 0])\n"
    "(array([1], dtype=uint32), array([0.25]))\n";

const char world_pairs_of_doc[] =
    "pairs_of($self, id, /)\n--\n\n"
    "The ids of the objects that an object was paired with at the last update, ascending.\n\n"
    ">>> import broadphase\n"
    ">>> world = broadphase.World()\n"
    ">>> ids = world.add([[0, 0, 2, 2], [1, 1, 3, 3], [2, 2, 4, 4]])\n"
    ">>> found = world.update()\n"
    ">>> world.pairs_of(1)\n"
    "array([0, 2], dtype=uint32)\n";

// ---------------------------------------------------------------------------------------------------------------------
// Questions

// What to see the world as, of the arguments group, mask, static and island: false in *is_asked where none is given.
static bool take_object(PyObject *const *arguments, bp_object *object, bool *is_asked) {
    static const char *const names[] = {"group", "mask", NULL, "island"};
    static const unsigned long long limits[] = {UINT64_MAX, UINT64_MAX, 0, UINT32_MAX};
    unsigned long long values[4] = {0};
    const int is_static = argument_truth(arguments[2], false);
    if (is_static < 0) return false;
    *is_asked = arguments[2] != NULL;
    for (int i = 0; i < 4; i++) {
        if (names[i] == NULL || arguments[i] == NULL) continue;
        PyObject *number = PyNumber_Index(arguments[i]);
        values[i] = number == NULL ? 0 : PyLong_AsUnsignedLongLong(number);
        Py_XDECREF(number);
        if (PyErr_Occurred() || values[i] > limits[i]) {
            PyErr_Clear();
            PyErr_Format(core.argument_error, "%s: expected a whole number from 0 to %llu, found %R", names[i],
                         limits[i], arguments[i]);
            return false;
        }
        *is_asked = true;
    }
    *object = (bp_object){
        .group = values[0], .mask = values[1], .flags = is_static ? BP_STATIC : 0, .island = (uint32_t)values[3]};
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

static bp_status ask(const bp_world *world, const question_rows *q, bp_answers *answers) {
    switch (q->kind) {
    case ASK_BOXES: return bp_query_boxes(world, q->count, q->data, q->as, answers);
    case ASK_RAYS: return bp_query_rays(world, q->count, q->data, q->most, q->as, answers);
    case ASK_CASTS: return bp_query_casts(world, q->count, q->data, q->most, q->as, answers);
    default: return bp_query_nearest_many(world, q->count, q->data, q->most, q->as, answers);
    }
}

// Offsets, ids and values, which it takes over: without offsets of one question, and without values where they have no
// meaning.
static PyObject *pack(PyObject *arrays[3], const question_rows *q) {
    PyObject *result = NULL;
    if (!PyErr_Occurred() && q->kind == ASK_BOXES) {
        result = q->is_one ? Py_NewRef(arrays[1]) : PyTuple_Pack(2, arrays[0], arrays[1]);
    } else if (!PyErr_Occurred()) {
        result = q->is_one ? PyTuple_Pack(2, arrays[1], arrays[2]) : PyTuple_Pack(3, arrays[0], arrays[1], arrays[2]);
    }
    for (int i = 0; i < 3; i++) Py_XDECREF(arrays[i]);
    return result;
}

static PyObject *answer_arrays(const bp_answers *found, const question_rows *q) {
    const size_t count = found->offsets[found->count], values = q->kind == ASK_BOXES ? 0 : count;
    PyObject *arrays[3] = {
        rows_out_take(found->offsets, found->offset_capacity, found->count + 1, 1, sizeof(size_t), core.int64),
        rows_out_take(found->ids, found->id_capacity, count, 1, sizeof(uint32_t), core.uint32),
        rows_out_take(found->values, found->value_capacity, values, 1, sizeof(float), core.float32)};
    return pack(arrays, q);
}

static PyObject *answer_arrays_double(const answers_double *found, const question_rows *q) {
    PyObject *arrays[3] = {
        rows_out_take(found->offsets, found->count + 1, found->count + 1, 1, sizeof(size_t), core.int64),
        rows_out_take(found->ids, found->capacity, found->used, 1, sizeof(uint32_t), core.uint32),
        rows_out_take(found->values, found->capacity, found->used, 1, sizeof(double), core.float64)};
    return pack(arrays, q);
}

static PyObject *answer_in_32_bits(world_object *self, const question_rows *questions) {
    bp_answers found = {0};
    bp_status status;
    Py_BEGIN_ALLOW_THREADS status = ask(self->world, questions, &found);
    Py_END_ALLOW_THREADS if (world_end_ask(self, status)) return answer_arrays(&found, questions);
    bp_answers_free(&found, NULL);
    return NULL;
}

// The library does not know which of many questions it was asked.
static void name_question(call_settings *settings, size_t index) {
    char sentence[SENTENCE_SIZE];
    memcpy(sentence, settings->sentence, SENTENCE_SIZE);
    snprintf(settings->sentence, SENTENCE_SIZE, "question %zu: %.*s", index, SENTENCE_SIZE - 40, sentence);
}

static PyObject *answer_in_64_bits(world_object *self, const question_rows *questions) {
    answers_double found;
    bp_status status;
    Py_BEGIN_ALLOW_THREADS status = query_double(self->world, questions, &found);
    Py_END_ALLOW_THREADS if (status != BP_OK && !questions->is_one) name_question(&self->settings, found.done);
    if (world_end_ask(self, status)) return answer_arrays_double(&found, questions);
    answers_double_free(&found);
    return NULL;
}

static PyObject *answer(PyObject *object, const question_rows *questions) {
    world_object *self = (world_object *)object;
    if (questions->count > 0 && !call_settings_allow_dimensions(&self->settings, questions->dimensions)) return NULL;
    if (!world_begin_ask(self)) return NULL;
    return questions->wide ? answer_in_64_bits(self, questions) : answer_in_32_bits(self, questions);
}

// ---------------------------------------------------------------------------------------------------------------------
// Methods

PyObject *world_query_box(PyObject *object, PyObject *const *values, Py_ssize_t count, PyObject *names) {
    static const call_signature signature = {"query_box", {"boxes", "group", "mask", "static", "island"}, 1, 1};
    PyObject *arguments[ARGUMENTS_MAX];
    rows_in boxes;
    bp_object as;
    bool is_asked;
    if (!arguments_take(&signature, values, count, names, arguments, NULL) ||
        !take_object(arguments + 1, &as, &is_asked) || !rows_take_boxes(&boxes, arguments[0], "boxes")) {
        return NULL;
    }
    const question_rows questions = {.kind = ASK_BOXES,
                                     .as = is_asked ? &as : NULL,
                                     .data = boxes.data,
                                     .count = boxes.count,
                                     .dimensions = boxes.dimensions,
                                     .is_one = boxes.is_one,
                                     .wide = boxes.wide};
    PyObject *found = answer(object, &questions);
    rows_release(&boxes);
    return found;
}

// Origins of rays or boxes of casts, and their directions.
typedef struct line_rows {
    rows_in from, to;
    double max_t;
} line_rows;

static const void *row_of(const rows_in *rows, size_t i, size_t columns) {
    const size_t size = rows->wide ? sizeof(double) : sizeof(float);
    return (const char *)rows->data + (rows->is_one ? 0 : i) * columns * size;
}

// Rays or casts: `from`, `to` and max_t one after the other, which is how the library's structs lie. NULL: an exception is
// set.
static void *make_lines(const line_rows *lines, size_t columns, size_t count, size_t *bytes) {
    const size_t size = lines->from.wide ? sizeof(double) : sizeof(float);
    const size_t length = (columns + 4) * size;
    char *made = rows_out_allocate(count, length);
    const float max_t = (float)lines->max_t;
    *bytes = (count + 1) * length;
    for (size_t i = 0; i < count && made != NULL; i++) {
        char *line = made + i * length;
        memcpy(line, row_of(&lines->from, i, columns), columns * size);
        memcpy(line + columns * size, row_of(&lines->to, i, 3), 3 * size);
        memcpy(line + (columns + 3) * size, lines->from.wide ? (const void *)&lines->max_t : &max_t, size);
    }
    return made;
}

_Static_assert(sizeof(bp_ray) == 7 * sizeof(float) && sizeof(bp_cast) == 10 * sizeof(float) &&
                   sizeof(bp_ray_double) == 7 * sizeof(double) && sizeof(bp_cast_double) == 10 * sizeof(double),
               "rays and casts are rows of numbers");

// As many as the longer of both; one origin or one direction may serve all.
static bool count_lines(const line_rows *lines, const char *from, size_t *count) {
    const rows_in *a = &lines->from, *b = &lines->to;
    *count = a->is_one ? b->count : a->count;
    if ((a->count == *count || a->is_one) && (b->count == *count || b->is_one)) return true;
    PyErr_Format(core.argument_error, "%zu %s, but %zu directions", a->count, from, b->count);
    return false;
}

static PyObject *answer_lines(PyObject *object, const line_rows *lines, const char *from, question_rows questions) {
    const size_t columns = questions.kind == ASK_CASTS ? 6 : 3;
    size_t bytes;
    if (!count_lines(lines, from, &questions.count)) return NULL;
    void *made = make_lines(lines, columns, questions.count, &bytes);
    if (made == NULL) return NULL;
    questions.data = made;
    questions.wide = lines->from.wide;
    questions.dimensions = lines->from.dimensions < lines->to.dimensions ? lines->from.dimensions //
                                                                         : lines->to.dimensions;
    questions.is_one = lines->from.is_one && lines->to.is_one;
    PyObject *found = answer(object, &questions);
    rows_out_release(made, bytes, 1);
    return found;
}

// Both of the same precision, the exact one.
static bool match_lines(line_rows *lines, size_t columns) {
    if (lines->from.wide == lines->to.wide) return true;
    return lines->from.wide ? rows_widen(&lines->to, 3) : rows_widen(&lines->from, columns);
}

static PyObject *query_lines(PyObject *object, const call_signature *signature, question_kind kind,
                             PyObject *const *values, Py_ssize_t count, PyObject *names) {
    PyObject *arguments[ARGUMENTS_MAX];
    line_rows lines = {.max_t = (double)INFINITY};
    question_rows questions = {.kind = kind};
    bp_object as;
    bool is_asked;
    if (!arguments_take(signature, values, count, names, arguments, NULL) ||
        !take_object(arguments + 4, &as, &is_asked) || !take_count(arguments[3], "max_hits", &questions.most)) {
        return NULL;
    }
    PyObject *found = NULL;
    const char *from = signature->names[0];
    questions.as = is_asked ? &as : NULL;
    if ((arguments[2] == NULL || argument_real(arguments[2], "max_t", &lines.max_t)) &&
        (kind == ASK_CASTS ? rows_take_boxes(&lines.from, arguments[0], from)
                           : rows_take_points(&lines.from, arguments[0], from)) &&
        rows_take_points(&lines.to, arguments[1], "directions") && match_lines(&lines, kind == ASK_CASTS ? 6 : 3)) {
        found = answer_lines(object, &lines, from, questions);
    }
    rows_release(&lines.from);
    rows_release(&lines.to);
    return found;
}

PyObject *world_query_ray(PyObject *object, PyObject *const *values, Py_ssize_t count, PyObject *names) {
    static const call_signature signature = {
        "query_ray", {"origins", "directions", "max_t", "max_hits", "group", "mask", "static", "island"}, 2, 3};
    return query_lines(object, &signature, ASK_RAYS, values, count, names);
}

PyObject *world_query_cast(PyObject *object, PyObject *const *values, Py_ssize_t count, PyObject *names) {
    static const call_signature signature = {
        "query_cast", {"boxes", "directions", "max_t", "max_hits", "group", "mask", "static", "island"}, 2, 3};
    return query_lines(object, &signature, ASK_CASTS, values, count, names);
}

PyObject *world_query_nearest(PyObject *object, PyObject *const *values, Py_ssize_t count, PyObject *names) {
    static const call_signature signature = {
        "query_nearest", {"points", "k", "group", "mask", "static", "island"}, 1, 2};
    PyObject *arguments[ARGUMENTS_MAX];
    rows_in points;
    question_rows questions = {.kind = ASK_NEAREST, .most = 1};
    bp_object as;
    bool is_asked;
    if (!arguments_take(&signature, values, count, names, arguments, NULL) ||
        !take_object(arguments + 2, &as, &is_asked) || !take_count(arguments[1], "k", &questions.most) ||
        !rows_take_points(&points, arguments[0], "points")) {
        return NULL;
    }
    questions.as = is_asked ? &as : NULL;
    questions.data = points.data;
    questions.count = points.count;
    questions.dimensions = points.dimensions;
    questions.is_one = points.is_one;
    questions.wide = points.wide;
    PyObject *found = answer(object, &questions);
    rows_release(&points);
    return found;
}

// ---------------------------------------------------------------------------------------------------------------------
// Pairs of an object

// Of one object, with the pairs of the last update.
static bp_status find_pairs_of(const bp_world *world, uint32_t id, uint32_t **others, size_t *capacity, size_t *found) {
    bp_status status = bp_pairs_of(world, id, *others, *capacity, found);
    if (status != BP_ERROR_CAPACITY) return status;
    rows_out_release(*others, *capacity + 1, sizeof **others);
    *capacity = *found;
    *others = rows_out_allocate(*capacity, sizeof **others);
    return *others == NULL ? BP_ERROR_MEMORY : bp_pairs_of(world, id, *others, *capacity, found);
}

PyObject *world_pairs_of(PyObject *object, PyObject *argument) {
    world_object *self = (world_object *)object;
    rows_in ids;
    if (!rows_take_ids(&ids, argument, "id")) return NULL;
    const uint32_t id = ids.count == 1 ? *(const uint32_t *)ids.data : BP_NO_ID;
    const bool is_one = ids.is_one;
    rows_release(&ids);
    if (!is_one) {
        PyErr_SetString(core.argument_error, "id: expected one number");
        return NULL;
    }
    size_t capacity = 30, found = 0; // of most objects that is enough
    uint32_t *others = rows_out_allocate(capacity, sizeof *others);
    if (others == NULL || !world_begin_ask(self)) {
        rows_out_release(others, capacity + 1, sizeof *others);
        return NULL;
    }
    if (world_end_ask(self, find_pairs_of(self->world, id, &others, &capacity, &found))) {
        return rows_out_take(others, capacity + 1, found, 1, sizeof *others, core.uint32);
    }
    rows_out_release(others, capacity + 1, sizeof *others);
    return NULL;
}
