// neighbor_images: neighbours with distances, vectors and shifts, in cells of any shape.
#include "arguments.h"
#include "lattice_in.h"

const char neighbor_images_doc[] =
    "neighbor_images(points, radius, *, cell=None, periodic=True, kinds=None, distances=False, vectors=False,\n"
    "                shifts=False, half=False, filter=None, " SETTING_NAMES ")\n--\n\n"
    "Every periodic image of every point within a radius: (offsets, indices, distances, vectors, shifts). The first "
    "two\n"
    "are as in `neighbors`; the others are None unless requested.\n\n"
    "`cell` has the edges of the periodic cell, as three rows x, y, z, or as three lengths along the axes, or\n"
    "as three lengths and three angles in degrees (a, b, c, alpha, beta, gamma); `periodic` says along which of them. "
    "Points may lie anywhere, and the cell may be smaller than the radius: a neighbour is listed "
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

static bool take_lattice(lattice_rows *rows, PyObject *const *arguments, call_settings *settings) {
    return lattice_take_flags(&arguments[DISTANCES], &settings->config.flags) &&
           call_settings_set_filter(settings, arguments[FILTER]) &&
           rows_take_points(&rows->points, arguments[POINTS], "points") && lattice_take_cell(rows, arguments[CELL]) &&
           lattice_take_periodic(rows, arguments[PERIODIC], arguments[CELL] != NULL) &&
           lattice_take_kinds(rows, arguments[KINDS], arguments[RADIUS]) &&
           lattice_has_kinds_for(rows, rows->points.count) &&
           call_settings_set_dimensions(settings, rows->points.dimensions);
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
    Py_END_ALLOW_THREADS if (call_settings_check(settings, status)) return lattice_arrays_take(&found);
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
    lattice_release(&rows);
    return found;
}
