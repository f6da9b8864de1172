// neighbors: points within a radius, as compressed rows.
#include "arguments.h"
#include "find_on_gpu.h"
#include "rows_in.h"
#include "rows_out.h"

const char neighbors_doc[] =
    "neighbors(points, radius, other=None, *, half=False, filter=None, " SETTING_NAMES ")\n--\n\n"
    "The neighbor list of all points within a radius, as compressed rows (offsets, indices): those of point i are\n"
    "indices[offsets[i]:offsets[i + 1]], ascending. Offsets are int64, indices uint32.\n\n"
    "Points are rows x, y, z (in two dimensions x, y), float32 or float64. The radius is a number, or one per point: "
    "then\n"
    "radius_rule says which of two counts: \"max\" (the default), \"min\", or their \"sum\". It is rounded to the "
    "dtype of\n"
    "the points, and a period to float32: cells of `neighbor_images` keep 64 bits. With `half` each pair is listed\n"
    "once, in the row of the smaller index. With `other`, all points of `other` within the radius of each point.\n"
    "`filter(a, b)` is called for each pair of neighbours, which is slow.\n\n"
    "Points in the memory of a GPU are taken as `pairs` takes boxes. Radii, if each has its own, are there, too; with "
    "them,\n"
    "and with `other`, points on a GPU must be float32.\n\n"
    ">>> import broadphase, numpy as np\n"
    ">>> points = np.array([[0, 0, 0], [1, 0, 0], [9.5, 0, 0]])\n"
    ">>> offsets, indices = broadphase.neighbors(points, 1.0)\n"
    ">>> offsets, indices\n"
    "(array([0, 1, 2, 2]), array([1, 0], dtype=uint32))\n"
    ">>> broadphase.neighbors(points, 1.0, period=(10, 0, 0))[1]\n"
    "array([1, 2, 0, 0], dtype=uint32)\n";

typedef struct point_sets {
    rows_in a, b, radii;
    bool are_two;
    bool have_radii;
    double radius;
} point_sets;

static void release_sets(point_sets *sets) {
    rows_release(&sets->a);
    rows_release(&sets->b);
    rows_release(&sets->radii);
}

// An array without dimensions is a number.
static bool is_row(PyObject *radius) {
    if (PyFloat_Check(radius) || PyLong_Check(radius) || !PySequence_Check(radius)) return false;
    const bool has_length = PySequence_Size(radius) >= 0;
    PyErr_Clear();
    return has_length;
}

static bool take_radius(point_sets *sets, PyObject *radius) {
    if (!is_row(radius)) return argument_real(radius, "radius", &sets->radius);
    if (sets->are_two) {
        PyErr_SetString(core.unsupported_error, "radius: between two sets of points it must be one number for all");
        return false;
    }
    sets->have_radii = true;
    return rows_take_reals(&sets->radii, radius, "radius", sets->a.count, sets->a.wide);
}

// Both of the same precision, the exact one, and of the same dimensions.
static bool match_sets(point_sets *sets) {
    if (!sets->are_two) return true;
    if (sets->a.dimensions != sets->b.dimensions && sets->a.count > 0 && sets->b.count > 0) {
        PyErr_SetString(core.argument_error, "points and other: one has two dimensions and the other has three");
        return false;
    }
    return sets->a.wide == sets->b.wide || rows_widen(sets->a.wide ? &sets->b : &sets->a, 3);
}

static bool take_sets(point_sets *sets, PyObject *points, PyObject *radius, PyObject *other, call_settings *settings) {
    *sets = (point_sets){.are_two = other != NULL};
    const bool good = rows_take_points(&sets->a, points, "points") &&
                      (other == NULL || rows_take_points(&sets->b, other, "other")) && match_sets(sets) &&
                      take_radius(sets, radius) && call_settings_set_dimensions(settings, sets->a.dimensions);
    if (!good) release_sets(sets);
    return good;
}

static bp_status find_double(const point_sets *sets, const bp_config *config, bp_neighbors *found) {
    const rows_in *a = &sets->a, *b = &sets->b;
    if (sets->have_radii) return bp_find_neighbors_variable_double(a->data, a->count, sets->radii.data, config, found);
    if (!sets->are_two) return bp_find_neighbors_double(a->data, a->count, sets->radius, config, found);
    return bp_find_neighbors_between_double(a->data, a->count, b->data, b->count, sets->radius, config, found);
}

static bp_status find_float(const point_sets *sets, const bp_config *config, bp_neighbors *found) {
    const rows_in *a = &sets->a, *b = &sets->b;
    if (sets->have_radii) return bp_find_neighbors_variable(a->data, a->count, sets->radii.data, config, found);
    if (!sets->are_two) return bp_find_neighbors(a->data, a->count, (float)sets->radius, config, found);
    return bp_find_neighbors_between(a->data, a->count, b->data, b->count, (float)sets->radius, config, found);
}

// The rows as two arrays, which take them over.
static PyObject *neighbor_arrays(bp_neighbors *found) {
    _Static_assert(sizeof(size_t) == 8, "offsets are given as int64");
    const size_t index_count = found->offsets[found->count];
    PyObject *offsets =
        rows_out_take(found->offsets, found->offset_capacity, found->count + 1, 1, sizeof(size_t), core.int64);
    PyObject *indices =
        rows_out_take(found->indices, found->index_capacity, index_count, 1, sizeof(uint32_t), core.uint32);
    PyObject *both = offsets == NULL || indices == NULL ? NULL : PyTuple_Pack(2, offsets, indices);
    Py_XDECREF(offsets);
    Py_XDECREF(indices);
    return both;
}

static PyObject *find(point_sets *sets, call_settings *settings) {
    bp_neighbors found = {0};
    bp_status status;
    Py_BEGIN_ALLOW_THREADS status =
        sets->a.wide ? find_double(sets, &settings->config, &found) : find_float(sets, &settings->config, &found);
    Py_END_ALLOW_THREADS release_sets(sets);
    if (call_settings_check(settings, status)) return neighbor_arrays(&found);
    bp_neighbors_free(&found, NULL);
    return NULL;
}

PyObject *core_neighbors(PyObject *module, PyObject *const *values, Py_ssize_t count, PyObject *names) {
    static const call_signature signature = {"neighbors", {"points", "radius", "other", "half", "filter"}, 2, 3};
    (void)module;
    PyObject *arguments[ARGUMENTS_MAX];
    call_settings settings;
    point_sets sets;
    call_settings_begin(&settings);
    if (!arguments_take(&signature, values, count, names, arguments, &settings)) return NULL;
    const int half = argument_truth(arguments[3], false);
    if (half < 0 || !call_settings_set_filter(&settings, arguments[4])) return NULL;
    if (half) settings.config.flags |= BP_NEIGHBORS_HALF;
    if (gpu_has_any(arguments[0], arguments[2])) {
        return gpu_neighbors(arguments[0], arguments[1], arguments[2], &settings);
    }
    if (!take_sets(&sets, arguments[0], arguments[1], arguments[2], &settings)) return NULL;
    return find(&sets, &settings);
}
