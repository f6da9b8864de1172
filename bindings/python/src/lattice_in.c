#include "lattice_in.h"

#include "arguments.h"
#include "rows_out.h"

#include <math.h>
#include <string.h>

void lattice_release(lattice_rows *rows) {
    rows_release(&rows->points);
    rows_release(&rows->kinds);
    rows_release(&rows->table);
}

static double cosine(double degrees) {
    return fabs(degrees) == 90.0 ? 0.0 : cos(degrees * (3.14159265358979323846 / 180.0));
}

// Three lengths and the angles between edges 1 and 2, 0 and 2, 0 and 1, in degrees: the first edge along x, the second in
// the plane of x and y, as ASE and MDAnalysis have them.
static bool take_angles(const double *numbers, double cell[3][3]) {
    const double cos_alpha = cosine(numbers[3]), cos_beta = cosine(numbers[4]), cos_gamma = cosine(numbers[5]);
    const double sin_gamma = fabs(numbers[5]) == 90.0 ? 1.0 : sin(numbers[5] * (3.14159265358979323846 / 180.0));
    const double y = (cos_alpha - cos_beta * cos_gamma) / sin_gamma, z_squared = 1.0 - cos_beta * cos_beta - y * y;
    if (!(z_squared > 0.0 && sin_gamma > 0.0)) {
        PyErr_SetString(core.argument_error, "cell: no cell has these angles (in degrees)");
        return false;
    }
    cell[0][0] = numbers[0];
    cell[1][0] = numbers[1] * cos_gamma;
    cell[1][1] = numbers[1] * sin_gamma;
    cell[2][0] = numbers[2] * cos_beta;
    cell[2][1] = numbers[2] * y;
    cell[2][2] = numbers[2] * sqrt(z_squared);
    return true;
}

// What was wrong with the cell is said in other words, unless memory has run out.
static bool try_reals(rows_in *numbers, PyObject *cell, size_t count) {
    if (rows_take_reals(numbers, cell, "cell", count, true)) return true;
    if (PyErr_ExceptionMatches(PyExc_ValueError) || PyErr_ExceptionMatches(PyExc_TypeError)) PyErr_Clear();
    return false;
}

// Three lengths, three edges, or three lengths and three angles.
bool lattice_take_cell(lattice_rows *rows, PyObject *cell) {
    rows_in numbers;
    if (cell == NULL) return true;
    if (rows_take_table(&numbers, cell, "cell") && numbers.count == 3) {
        memcpy(rows->lattice.cell, numbers.data, sizeof rows->lattice.cell);
        rows_release(&numbers);
        return true;
    }
    if (!PyErr_Occurred()) rows_release(&numbers);
    PyErr_Clear();
    bool good = false;
    if (try_reals(&numbers, cell, 3)) {
        for (int axis = 0; axis < 3; axis++) rows->lattice.cell[axis][axis] = ((const double *)numbers.data)[axis];
        good = true;
    } else if (!PyErr_Occurred() && try_reals(&numbers, cell, 6)) {
        good = take_angles(numbers.data, rows->lattice.cell);
    } else if (!PyErr_Occurred()) {
        PyErr_SetString(core.argument_error,
                        "cell: expected three lengths, three edges, or three lengths and three angles: "
                        "(3,), (3, 3) or (6,)");
    }
    rows_release(&numbers);
    return good;
}

// One truth value, or one for each edge.
bool lattice_take_periodic(lattice_rows *rows, PyObject *periodic, bool has_cell) {
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

bool lattice_take_kinds(lattice_rows *rows, PyObject *kinds, PyObject *radius) {
    if (kinds == NULL) return argument_real(radius, "radius (without kinds)", &rows->radius);
    if (!rows_take_ids(&rows->kinds, kinds, "kinds") || !rows_take_table(&rows->table, radius, "radius")) return false;
    rows->lattice.kinds = rows->kinds.data;
    rows->lattice.cutoffs = rows->table.data;
    rows->lattice.kind_count = rows->table.count;
    return true;
}

bool lattice_has_kinds_for(const lattice_rows *rows, size_t count) {
    if (rows->lattice.kinds == NULL || rows->kinds.count == count) return true;
    PyErr_Format(core.argument_error, "kinds: expected one for each of the %zu points", count);
    return false;
}

bool lattice_take_flags(PyObject *const *truths, uint32_t *flags) {
    static const uint32_t known[] = {BP_NEIGHBORS_DISTANCES, BP_NEIGHBORS_VECTORS, BP_NEIGHBORS_SHIFTS,
                                     BP_NEIGHBORS_HALF};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const int wanted = argument_truth(truths[i], false);
        if (wanted < 0) return false;
        if (wanted) *flags |= known[i];
    }
    return true;
}

// A tuple of arrays, which it takes over; NULL if one of them failed.
static PyObject *pack(PyObject *arrays[5]) {
    PyObject *all = NULL;
    if (!PyErr_Occurred()) all = PyTuple_Pack(5, arrays[0], arrays[1], arrays[2], arrays[3], arrays[4]);
    for (int i = 0; i < 5; i++) Py_XDECREF(arrays[i]);
    return all;
}

// An array, or None where there is none.
static PyObject *array_or_none(void *data, size_t capacity, size_t count, size_t columns, size_t size,
                               PyObject *dtype) {
    return data == NULL ? Py_NewRef(Py_None) : rows_out_take(data, capacity, count, columns, size, dtype);
}

PyObject *lattice_arrays_take(bp_neighbor_images *found) {
    bp_neighbors *rows = &found->rows;
    const size_t count = rows->offsets[rows->count];
    PyObject *arrays[5] = {
        rows_out_take(rows->offsets, rows->offset_capacity, rows->count + 1, 1, sizeof(size_t), core.int64),
        rows_out_take(rows->indices, rows->index_capacity, count, 1, sizeof(uint32_t), core.uint32),
        array_or_none(found->distances, found->distance_capacity, count, 1, sizeof(double), core.float64),
        array_or_none(found->vectors, found->vector_capacity, count, 3, sizeof(double), core.float64),
        array_or_none(found->shifts, found->shift_capacity, count, 3, sizeof(int32_t), core.int32)};
    return pack(arrays);
}
