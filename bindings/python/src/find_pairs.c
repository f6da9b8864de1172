// pairs, explain, mesh_pairs: one call, no state.
#include "arguments.h"
#include "find_on_gpu.h"
#include "rows_in.h"
#include "rows_out.h"

const char pairs_doc[] =
    "pairs(boxes, other=None, *, filter=None, " SETTING_NAMES ")\n--\n\n"
    "All pairs of overlapping boxes, each once: a (P, 2) array of uint32, with a < b in each row.\n\n"
    "Boxes are rows min x, min y, min z, max x, max y, max z, as float32 or float64; in two dimensions rows of four.\n"
    "They may also be given as (N, 2, 3): the min corner and the max corner.\n"
    "Touching counts as overlapping, and a coordinate may be infinite. With `other`, all pairs of a box of `boxes` and "
    "one\n"
    "of `other`.\n\n"
    "The settings most used are method, threads (-1: all cores), period, margin, shape and pair_order; see "
    "`Settings`.\n"
    "Lengths among them are rounded to float32. `filter(a, b)` is called for each pair and returns false to exclude "
    "it.\n"
    "That is slow, because each call runs Python code.\n\n"
    "Boxes in the memory of a GPU (PyTorch, CuPy, JAX, or whatever has __dlpack__ or __cuda_array_interface__) are "
    "such\n"
    "rows, too, one after the other. The pairs stay there and are an array of the same library; PyTorch gets int32.\n"
    "\n"
    ">>> import broadphase, numpy as np\n"
    ">>> boxes = np.array([[0, 0, 0, 2, 2, 2], [1, 1, 1, 3, 3, 3], [5, 5, 5, 6, 6, 6]], dtype=np.float32)\n"
    ">>> broadphase.pairs(boxes)\n"
    "array([[0, 1]], dtype=uint32)\n"
    ">>> broadphase.pairs(boxes, period=(6, 6, 6), pair_order=\"sorted\").tolist()\n"
    "[[0, 1], [0, 2]]\n"
    ">>> broadphase.pairs(boxes, [[2, 2, 2, 5, 5, 5]], pair_order=\"sorted\").tolist()\n"
    "[[0, 0], [1, 0], [2, 0]]\n";

const char explain_doc[] =
    "explain(boxes, other=None, *, filter=None, " SETTING_NAMES ")\n--\n\n"
    "Finds the pairs as `pairs` does, and explains which method ran and why; each warning names a remedy.\n\n"
    ">>> import broadphase\n"
    ">>> print(broadphase.explain([[0, 0, 0, 1, 1, 1]], method=\"bvh\"))  # doctest: +ELLIPSIS\n"
    "bvh: the config names it...\n";

const char mesh_pairs_doc[] =
    "mesh_pairs(vertices, faces, *, adjacent=True, " SETTING_NAMES ")\n--\n\n"
    "All pairs of triangles of a mesh whose boxes overlap, as `pairs` gives them; the numbers are rows of `faces`.\n\n"
    "`vertices` are (V, 3), `faces` are (F, 3) numbers of vertices. Triangles that share a vertex always overlap;\n"
    "`adjacent=False` excludes their pairs; the remaining ones may be collisions of the mesh with itself.\n\n"
    ">>> import broadphase\n"
    ">>> vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0.2, 0.2, -1], [0.2, 0.2, 1], [0.3, 0.2, 1]]\n"
    ">>> broadphase.mesh_pairs(vertices, [[0, 1, 2], [1, 3, 2], [4, 5, 6]], adjacent=False).tolist()\n"
    "[[0, 2], [1, 2]]\n";

// ---------------------------------------------------------------------------------------------------------------------
// One set of boxes or two

typedef struct box_sets {
    rows_in a, b;
    bool are_two;
} box_sets;

static void release_sets(box_sets *sets) {
    rows_release(&sets->a);
    rows_release(&sets->b);
}

// Both of the same precision, the exact one, and of the same dimensions.
static bool match_sets(box_sets *sets) {
    if (!sets->are_two) return true;
    if (sets->a.dimensions != sets->b.dimensions && sets->a.count > 0 && sets->b.count > 0) {
        PyErr_SetString(core.argument_error, "boxes and other: one has two dimensions and the other has three");
        return false;
    }
    return sets->a.wide == sets->b.wide || rows_widen(sets->a.wide ? &sets->b : &sets->a, 6);
}

static bool take_sets(box_sets *sets, PyObject *boxes, PyObject *other, call_settings *settings) {
    *sets = (box_sets){.are_two = other != NULL};
    const bool good = rows_take_boxes(&sets->a, boxes, "boxes") &&
                      (other == NULL || rows_take_boxes(&sets->b, other, "other")) && match_sets(sets) &&
                      call_settings_set_dimensions(settings, sets->a.dimensions);
    if (!good) release_sets(sets);
    return good;
}

static bp_status find_in_sets(const box_sets *sets, const bp_config *config, bp_pairs *pairs) {
    const rows_in *a = &sets->a, *b = &sets->b;
    if (sets->are_two) {
        return a->wide ? bp_find_pairs_between_double(a->data, a->count, b->data, b->count, config, pairs)
                       : bp_find_pairs_between(a->data, a->count, b->data, b->count, config, pairs);
    }
    return a->wide ? bp_find_pairs_double(a->data, a->count, config, pairs)
                   : bp_find_pairs(a->data, a->count, config, pairs);
}

// The pairs of the sets, which it releases; false: an exception is set.
static bool find(box_sets *sets, call_settings *settings, bp_pairs *pairs) {
    *pairs = (bp_pairs){0};
    bp_status status;
    Py_BEGIN_ALLOW_THREADS status = find_in_sets(sets, &settings->config, pairs);
    Py_END_ALLOW_THREADS release_sets(sets);
    if (call_settings_check(settings, status)) return true;
    bp_pairs_free(pairs, NULL);
    return false;
}

static PyObject *pairs_array(const bp_pairs *pairs) {
    return rows_out_take(pairs->data, 2 * pairs->capacity, pairs->count, 2, sizeof(uint32_t), core.uint32);
}

PyObject *core_pairs(PyObject *module, PyObject *const *values, Py_ssize_t count, PyObject *names) {
    static const call_signature signature = {"pairs", {"boxes", "other", "filter"}, 1, 2};
    (void)module;
    PyObject *arguments[ARGUMENTS_MAX];
    call_settings settings;
    box_sets sets;
    bp_pairs pairs;
    call_settings_begin(&settings);
    if (!arguments_take(&signature, values, count, names, arguments, &settings) ||
        !call_settings_set_filter(&settings, arguments[2])) {
        return NULL;
    }
    if (gpu_has_any(arguments[0], arguments[1])) return gpu_pairs(arguments[0], arguments[1], &settings);
    if (!take_sets(&sets, arguments[0], arguments[1], &settings) || !find(&sets, &settings, &pairs)) return NULL;
    return pairs_array(&pairs);
}

PyObject *core_explain(PyObject *module, PyObject *const *values, Py_ssize_t count, PyObject *names) {
    static const call_signature signature = {"explain", {"boxes", "other", "filter"}, 1, 2};
    (void)module;
    PyObject *arguments[ARGUMENTS_MAX];
    call_settings settings;
    box_sets sets;
    bp_pairs pairs;
    bp_stats stats;
    call_settings_begin(&settings);
    settings.config.stats = &stats;
    if (!arguments_take(&signature, values, count, names, arguments, &settings) ||
        !call_settings_set_filter(&settings, arguments[2]) ||
        !take_sets(&sets, arguments[0], arguments[1], &settings) || !find(&sets, &settings, &pairs)) {
        return NULL;
    }
    bp_pairs_free(&pairs, NULL);
    return stats_text(&stats);
}

// ---------------------------------------------------------------------------------------------------------------------
// Triangles

typedef struct triangle_mesh {
    rows_in vertices;
    rows_in faces;
} triangle_mesh;

static bool check_faces(const triangle_mesh *mesh) {
    const int64_t *corners = mesh->faces.data;
    for (size_t i = 0; i < 3 * mesh->faces.count; i++) {
        if (corners[i] >= 0 && (uint64_t)corners[i] < mesh->vertices.count) continue;
        PyErr_Format(core.argument_error, "faces: row %zu names vertex %lld, but there are %zu", i / 3,
                     (long long)corners[i], mesh->vertices.count);
        return false;
    }
    return true;
}

// A NaN must stay one, so that its box is refused.
static double smaller(double a, double b) {
    return a < b || a != a ? a : b;
}

static double larger(double a, double b) {
    return a > b || a != a ? a : b;
}

static double coordinate(const triangle_mesh *mesh, size_t face, size_t corner, size_t axis) {
    const int64_t *corners = mesh->faces.data;
    const size_t place = 3 * (size_t)corners[3 * face + corner] + axis;
    return mesh->vertices.wide ? ((const double *)mesh->vertices.data)[place]
                               : (double)((const float *)mesh->vertices.data)[place];
}

static void put_bounds(const triangle_mesh *mesh, size_t face, size_t axis, void *boxes) {
    const double a = coordinate(mesh, face, 0, axis), b = coordinate(mesh, face, 1, axis);
    const double c = coordinate(mesh, face, 2, axis);
    const double min = smaller(smaller(a, b), c), max = larger(larger(a, b), c);
    if (mesh->vertices.wide) {
        ((bp_box_double *)boxes)[face].min[axis] = min;
        ((bp_box_double *)boxes)[face].max[axis] = max;
    } else {
        ((bp_box *)boxes)[face].min[axis] = (float)min;
        ((bp_box *)boxes)[face].max[axis] = (float)max;
    }
}

// The boxes of all triangles; NULL: an exception is set.
static void *boxes_of_mesh(const triangle_mesh *mesh) {
    const size_t size = mesh->vertices.wide ? sizeof(bp_box_double) : sizeof(bp_box);
    void *boxes = rows_out_allocate(mesh->faces.count, size);
    if (boxes == NULL) return NULL;
    Py_BEGIN_ALLOW_THREADS for (size_t face = 0; face < mesh->faces.count; face++) {
        for (size_t axis = 0; axis < 3; axis++) put_bounds(mesh, face, axis, boxes);
    }
    Py_END_ALLOW_THREADS return boxes;
}

static int share_no_vertex(void *context, uint32_t a, uint32_t b) {
    const int64_t *corners = ((const triangle_mesh *)context)->faces.data;
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 3; j++) {
            if (corners[3 * (size_t)a + i] == corners[3 * (size_t)b + j]) return 0;
        }
    }
    return 1;
}

static PyObject *find_in_mesh(triangle_mesh *mesh, bool adjacent, call_settings *settings) {
    box_sets sets = {.a = {.count = mesh->faces.count, .wide = mesh->vertices.wide, .dimensions = 3}};
    bp_pairs pairs;
    sets.a.data = sets.a.copy = boxes_of_mesh(mesh);
    sets.a.copied = (mesh->faces.count + 1) * (mesh->vertices.wide ? sizeof(bp_box_double) : sizeof(bp_box));
    if (sets.a.data == NULL) return NULL;
    if (!adjacent) {
        settings->config.filter = (bp_filter){.pass = share_no_vertex, .context = mesh};
    }
    return find(&sets, settings, &pairs) ? pairs_array(&pairs) : NULL;
}

PyObject *core_mesh_pairs(PyObject *module, PyObject *const *values, Py_ssize_t count, PyObject *names) {
    static const call_signature signature = {"mesh_pairs", {"vertices", "faces", "adjacent"}, 2, 2};
    (void)module;
    PyObject *arguments[ARGUMENTS_MAX];
    call_settings settings;
    triangle_mesh mesh = {0};
    call_settings_begin(&settings);
    if (!arguments_take(&signature, values, count, names, arguments, &settings)) return NULL;
    const int adjacent = argument_truth(arguments[2], true);
    PyObject *found = NULL;
    if (adjacent >= 0 && rows_take_points(&mesh.vertices, arguments[0], "vertices") &&
        rows_take_wholes(&mesh.faces, arguments[1], "faces", 3) && check_faces(&mesh) &&
        call_settings_set_dimensions(&settings, mesh.vertices.dimensions)) {
        found = find_in_mesh(&mesh, adjacent, &settings);
    }
    rows_release(&mesh.vertices);
    rows_release(&mesh.faces);
    return found;
}
