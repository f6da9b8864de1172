// neighbor_images: neighbours with distances, vectors and shifts, in cells of any shape.
#include "arguments.h"
#include "rows_in.h"
#include "rows_out.h"

#include <string.h>

const char neighbor_images_doc[] =
    "neighbor_images(points, radius, *, cell=None, periodic=True, kinds=None, distances=False, vectors=False,\n"
    "                shifts=False, half=False, filter=None, **settings)\n\n"
    "Every image of every point within a radius: (offsets, indices, distances, vectors, shifts), the first two as of\n"
    "`neighbors`, and of the others those that are asked for; else None.\n\n"
    "`cell` has the edges of a cell that repeats, as three rows x, y, z, or as three lengths along the axes; "
    "`periodic` says\n"
    "along which of them. Points may lie anywhere, and the cell may be smaller than the radius: a neighbour is listed "
    "once\n"
    "for each image that is near enough, and a point may be its own neighbour, some cells away. Rows ascend by (index, "
    "shift).\n"
    "A vector leads from the point to the image: points[j] - points[i] + shift @ cell. With `kinds`, a number for each "
    "point,\n"
    "the radius is a table: radius[a][b] is how far points of the kinds a and b may be apart. All is computed in 64 "
    "bits.\n\n"
    ">>> import broadphase\n"
    ">>> points = [[0.1, 0.5, 0.5], [0.9, 0.5, 0.5]]\n"
    ">>> found = broadphase.neighbor_images(points, 0.3, cell=(1, 1, 1), distances=True, shifts=True)\n"
    ">>> found[1], found[2].round(6), found[4].tolist()\n"
    "(array([1, 0], dtype=uint32), array([0.2, 0.2]), [[-1, 0, 0], [1, 0, 0]])\n";

enum { POINTS, RADIUS, CELL, PERIODIC, KINDS, DISTANCES, VECTORS, SHIFTS, HALF, FILTER };

typedef struct lattice_rows {
    rows_in points, kinds, table;
    bp_lattice lattice;
    double radius;
} lattice_rows;

static void release_lattice(lattice_rows *rows) {
    rows_release(&rows->points);
    rows_release(&rows->kinds);
    rows_release(&rows->table);
}

// Three lengths, or three edges.
static bool take_cell(lattice_rows *rows, PyObject *cell) {
    rows_in numbers;
    if (cell == NULL) return true;
    if (rows_take_table(&numbers, cell, "cell") && numbers.count == 3) {
        memcpy(rows->lattice.cell, numbers.data, sizeof rows->lattice.cell);
        rows_release(&numbers);
        return true;
    }
    if (!PyErr_Occurred()) rows_release(&numbers);
    PyErr_Clear();
    if (!rows_take_reals(&numbers, cell, "cell", 3, true)) {
        PyErr_SetString(core.argument_error, "cell: expected three lengths, or three edges: (3,) or (3, 3)");
        return false;
    }
    for (int axis = 0; axis < 3; axis++) rows->lattice.cell[axis][axis] = ((const double *)numbers.data)[axis];
    rows_release(&numbers);
    return true;
}

// One truth value, or one for each edge.
static bool take_periodic(lattice_rows *rows, PyObject *periodic, bool has_cell) {
    rows_in numbers;
    for (int edge = 0; edge < 3; edge++) rows->lattice.periodic[edge] = has_cell;
    if (periodic == NULL) return true;
    if (!rows_take_wholes(&numbers, periodic, "periodic", 1)) return false;
    const bool good = (numbers.count == 1 || numbers.count == 3);
    if (!good) PyErr_SetString(core.argument_error, "periodic: expected one truth value, or three");
    for (size_t edge = 0; good && edge < 3; edge++) {
        rows->lattice.periodic[edge] = ((const int64_t *)numbers.data)[numbers.count == 1 ? 0 : edge] != 0;
    }
    rows_release(&numbers);
    return good;
}

static bool take_kinds(lattice_rows *rows, PyObject *kinds, PyObject *radius) {
    if (kinds == NULL) {
        rows->radius = PyFloat_AsDouble(radius);
        return !PyErr_Occurred();
    }
    if (!rows_take_ids(&rows->kinds, kinds, "kinds") || !rows_take_table(&rows->table, radius, "radius")) return false;
    if (rows->kinds.count != rows->points.count) {
        PyErr_Format(core.argument_error, "kinds: expected one for each of the %zu points", rows->points.count);
        return false;
    }
    rows->lattice.kinds = rows->kinds.data;
    rows->lattice.cutoffs = rows->table.data;
    rows->lattice.kind_count = rows->table.count;
    return true;
}

static bool take_flags(PyObject *const *arguments, uint32_t *flags) {
    static const struct {
        int argument;
        uint32_t flag;
    } known[] = {{DISTANCES, BP_NEIGHBORS_DISTANCES},
                 {VECTORS, BP_NEIGHBORS_VECTORS},
                 {SHIFTS, BP_NEIGHBORS_SHIFTS},
                 {HALF, BP_NEIGHBORS_HALF}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const int wanted = argument_truth(arguments[known[i].argument], false);
        if (wanted < 0) return false;
        if (wanted) *flags |= known[i].flag;
    }
    return true;
}

static bool take_lattice(lattice_rows *rows, PyObject *const *arguments, call_settings *settings) {
    return take_flags(arguments, &settings->config.flags) && call_settings_set_filter(settings, arguments[FILTER]) &&
           rows_take_points(&rows->points, arguments[POINTS], "points") && take_cell(rows, arguments[CELL]) &&
           take_periodic(rows, arguments[PERIODIC], arguments[CELL] != NULL) &&
           take_kinds(rows, arguments[KINDS], arguments[RADIUS]) &&
           call_settings_set_dimensions(settings, rows->points.dimensions);
}

// An array, or None where there is none.
static PyObject *array_or_none(void *data, size_t capacity, size_t count, size_t columns, size_t size,
                               PyObject *dtype) {
    return data == NULL ? Py_NewRef(Py_None) : rows_out_take(data, capacity, count, columns, size, dtype);
}

static PyObject *image_arrays(bp_neighbor_images *found) {
    bp_neighbors *rows = &found->rows;
    const size_t count = rows->offsets[rows->count];
    PyObject *arrays[5] = {
        rows_out_take(rows->offsets, rows->offset_capacity, rows->count + 1, 1, sizeof(size_t), core.int64),
        rows_out_take(rows->indices, rows->index_capacity, count, 1, sizeof(uint32_t), core.uint32),
        array_or_none(found->distances, found->distance_capacity, count, 1, sizeof(double), core.float64),
        array_or_none(found->vectors, found->vector_capacity, count, 3, sizeof(double), core.float64),
        array_or_none(found->shifts, found->shift_capacity, count, 3, sizeof(int32_t), core.int32)};
    PyObject *all = NULL;
    if (!PyErr_Occurred()) all = PyTuple_Pack(5, arrays[0], arrays[1], arrays[2], arrays[3], arrays[4]);
    for (int i = 0; i < 5; i++) Py_XDECREF(arrays[i]);
    return all;
}

static PyObject *find(const lattice_rows *rows, call_settings *settings) {
    const rows_in *points = &rows->points;
    bp_neighbor_images found = {0};
    bp_status status;
    Py_BEGIN_ALLOW_THREADS status = points->wide
                                        ? bp_find_neighbor_images_double(points->data, points->count, rows->radius,
                                                                         &rows->lattice, &settings->config, &found)
                                        : bp_find_neighbor_images(points->data, points->count, (float)rows->radius,
                                                                  &rows->lattice, &settings->config, &found);
    Py_END_ALLOW_THREADS if (call_settings_check(settings, status)) return image_arrays(&found);
    bp_neighbor_images_free(&found, NULL);
    return NULL;
}

PyObject *core_neighbor_images(PyObject *module, PyObject *const *values, Py_ssize_t count, PyObject *names) {
    static const call_signature signature = {
        "neighbor_images",
        {"points", "radius", "cell", "periodic", "kinds", "distances", "vectors", "shifts", "half", "filter"},
        2,
        2};
    (void)module;
    PyObject *arguments[ARGUMENTS_MAX];
    call_settings settings;
    lattice_rows rows = {.radius = 0.0};
    call_settings_begin(&settings);
    if (!arguments_take(&signature, values, count, names, arguments, &settings)) return NULL;
    PyObject *found = take_lattice(&rows, arguments, &settings) ? find(&rows, &settings) : NULL;
    release_lattice(&rows);
    return found;
}
