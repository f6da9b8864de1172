// How much there is to find is known only when it has been found. The first call with some settings counts, and then finds into
// memory of the right size; later calls expect as much for each row as the last one found, and an eighth more. Where that was
// too little, or more than twice too much, they find once more.
#include "find_on_gpu.h"

#include "cuda_library.h"
#include "gpu_array.h"
#include "gpu_rows_in.h"

#include <stdio.h>

enum { SPARE = 1 << 16 }; // too much by less than this is never too much

typedef struct gpu_search {
    gpu_rows_in a, b, radii;
    gpu_memory *wide[2]; // rows of two dimensions, as the library takes them
    gpu_caller caller;
    bool are_two;
    bool is_of_points;
    bool have_radii;
    double radius; // where there is one for all
    // What is found.
    gpu_memory *offsets; // of points
    gpu_memory *memory;  // pairs, or indices
    uint64_t found;
} gpu_search;

bool gpu_has_any(PyObject *a, PyObject *b) {
    const array_place first = array_place_of(a);
    const array_place second = first != PLACE_HOST || b == NULL ? PLACE_HOST : array_place_of(b);
    const bool has_any = first == PLACE_GPU || second == PLACE_GPU;
    if (!has_any) PyErr_Clear();
    return has_any;
}

// ---------------------------------------------------------------------------------------------------------------------
// The search, without the interpreter's lock, while the arrays' device is the current one

static size_t size_of_found(const gpu_search *self) {
    return self->is_of_points ? sizeof(uint32_t) : sizeof(bp_pair);
}

// In 64 bits.
static bp_status find_double_into(gpu_search *self, const cuda_slot *slot, void *data, uint64_t capacity) {
    const cuda_library *library = cuda_library_get();
    bp_cuda_stream stream = (bp_cuda_stream)self->caller.stream;
    if (self->is_of_points) {
        return library->find_neighbors_double(slot->context, self->a.data, self->a.count, self->radius, stream,
                                              gpu_memory_data(self->offsets), data, capacity, &self->found);
    }
    if (self->are_two) {
        return library->find_pairs_between_double(slot->context, self->a.data, self->a.count, self->b.data,
                                                  self->b.count, stream, data, capacity, &self->found);
    }
    return library->find_pairs_double(slot->context, self->a.data, self->a.count, stream, data, capacity, &self->found);
}

// What fits into `memory`, which has room for `capacity`; NULL counts.
static bp_status find_into(gpu_search *self, const cuda_slot *slot, gpu_memory *memory, uint64_t capacity) {
    const cuda_library *library = cuda_library_get();
    bp_cuda_stream stream = (bp_cuda_stream)self->caller.stream;
    void *data = gpu_memory_data(memory);
    if (self->a.is_double) return find_double_into(self, slot, data, capacity);
    if (self->have_radii) {
        return library->find_neighbors_variable(slot->context, self->a.data, self->a.count, self->radii.data, stream,
                                                gpu_memory_data(self->offsets), data, capacity, &self->found);
    }
    if (self->is_of_points && self->are_two) {
        return library->find_neighbors_between(slot->context, self->a.data, self->a.count, self->b.data, self->b.count,
                                               (float)self->radius, stream, gpu_memory_data(self->offsets), data,
                                               capacity, &self->found);
    }
    if (self->is_of_points) {
        return library->find_neighbors(slot->context, self->a.data, self->a.count, (float)self->radius, stream,
                                       gpu_memory_data(self->offsets), data, capacity, &self->found);
    }
    if (self->are_two) {
        return library->find_pairs_between(slot->context, self->a.data, self->a.count, self->b.data, self->b.count,
                                           stream, data, capacity, &self->found);
    }
    return library->find_pairs(slot->context, self->a.data, self->a.count, stream, data, capacity, &self->found);
}

static bp_status allocate(cuda_slot *slot, uint64_t count, size_t size, gpu_memory **memory) {
    const bp_status status = gpu_memory_allocate(slot->device, (size_t)(count + 1) * size, memory);
    if (status == BP_ERROR_MEMORY) {
        snprintf(slot->sentence, sizeof slot->sentence, "not enough GPU memory: %zu bytes are needed for results",
                 (size_t)count * size);
    }
    return status;
}

static bp_status find_with_room(gpu_search *self, cuda_slot *slot, uint64_t capacity) {
    const bp_status status = allocate(slot, capacity, size_of_found(self), &self->memory);
    return status != BP_OK ? status : find_into(self, slot, self->memory, capacity);
}

static uint64_t expected(const gpu_search *self, const cuda_slot *slot) {
    return (uint64_t)(1.125 * slot->found_per_row[self->is_of_points] * (double)self->a.count);
}

static bp_status find_fitting(gpu_search *self, cuda_slot *slot) {
    const uint64_t capacity = expected(self, slot);
    bp_status status = capacity > 0 ? find_with_room(self, slot, capacity) : find_into(self, slot, NULL, 0);
    const bool is_short = status == BP_ERROR_CAPACITY || (status == BP_OK && capacity == 0);
    const bool is_long = status == BP_OK && capacity / 2 > self->found + SPARE;
    if (is_short || is_long) {
        gpu_memory_release(self->memory);
        self->memory = NULL;
        slot->sentence[0] = '\0';
        status = self->found > 0 ? find_with_room(self, slot, self->found)
                                 : allocate(slot, 0, size_of_found(self), &self->memory);
    }
    if (status == BP_OK && self->a.count > 0) {
        slot->found_per_row[self->is_of_points] = (double)self->found / (double)self->a.count;
    }
    return status;
}

// Rows of two dimensions become rows of three.
static bp_status widen(gpu_search *self, gpu_rows_in *rows, gpu_memory **wide, cuda_slot *slot) {
    if (rows->dimensions == 3 || rows->count == 0) return BP_OK;
    const size_t corners = (self->is_of_points ? 1 : 2) * rows->count;
    const bp_status status = allocate(slot, corners, 3 * (rows->is_double ? sizeof(double) : sizeof(float)), wide);
    if (status != BP_OK) return status;
    const cuda_library *library = cuda_library_get();
    bp_cuda_stream stream = (bp_cuda_stream)self->caller.stream;
    const void *flat = rows->data;
    rows->data = gpu_memory_data(*wide);
    return rows->is_double ? library->widen_double(flat, corners, stream, gpu_memory_data(*wide))
                           : library->widen(flat, corners, stream, gpu_memory_data(*wide));
}

static bp_status find_on_device(gpu_search *self, cuda_slot *slot) {
    bp_status status = cuda_slot_make(slot);
    if (status == BP_OK) status = widen(self, &self->a, &self->wide[0], slot);
    if (status == BP_OK && self->are_two) status = widen(self, &self->b, &self->wide[1], slot);
    if (status == BP_OK && self->is_of_points) {
        status = allocate(slot, self->a.count, sizeof(uint64_t), &self->offsets);
    }
    return status == BP_OK ? find_fitting(self, slot) : status;
}

static bp_status find_there(gpu_search *self, cuda_slot *slot) {
    const cuda_library *library = cuda_library_get();
    int before = slot->device;
    bp_status status = library->use_device(slot->device, &before);
    if (status == BP_ERROR_UNSUPPORTED) snprintf(slot->sentence, sizeof slot->sentence, "no CUDA device");
    if (status == BP_ERROR_ARGUMENT)
        snprintf(slot->sentence, sizeof slot->sentence, "there is no GPU %d", slot->device);
    if (status == BP_OK) status = find_on_device(self, slot);
    (void)library->use_device(before, NULL);
    return status;
}

// ---------------------------------------------------------------------------------------------------------------------
// Around it

static void release(gpu_search *self) {
    gpu_rows_release(&self->a);
    gpu_rows_release(&self->b);
    gpu_rows_release(&self->radii);
    gpu_caller_release(&self->caller);
    gpu_memory_release(self->wide[0]);
    gpu_memory_release(self->wide[1]);
    gpu_memory_release(self->offsets);
    gpu_memory_release(self->memory);
}

// True: found. False: an exception is set.
static bool find(gpu_search *self, call_settings *settings) {
    cuda_slot *slot = cuda_slot_take(self->a.device, &settings->config);
    if (slot == NULL) return false;
    bp_status status;
    Py_BEGIN_ALLOW_THREADS status = find_there(self, slot);
    Py_END_ALLOW_THREADS snprintf(settings->sentence, sizeof settings->sentence, "%s", slot->sentence);
    const bool is_sound = slot->context != NULL && status != BP_ERROR_INTERNAL;
    (is_sound ? cuda_slot_give : cuda_slot_drop)(slot);
    return call_settings_check(settings, status);
}

static bool check_signed(const gpu_search *self) {
    const size_t most = self->a.count > self->b.count ? self->a.count : self->b.count;
    if (!self->caller.is_signed || most <= INT32_MAX) return true;
    PyErr_SetString(core.unsupported_error, "PyTorch gets numbers as int32, which holds no more than 2147483647 rows");
    return false;
}

static bool take(gpu_search *self, PyObject *array, PyObject *other, const char *name, int columns,
                 call_settings *settings) {
    if (cuda_library_load() == NULL ||
        !gpu_caller_of(&self->caller, array_place_of(array) == PLACE_GPU ? array : other) ||
        !gpu_rows_take(&self->a, array, name, columns, &self->caller) ||
        (other != NULL && !gpu_rows_take(&self->b, other, "other", columns, &self->caller))) {
        return false;
    }
    if (self->are_two && self->a.device != self->b.device) {
        PyErr_Format(core.argument_error, "%s is on GPU %d, and other on GPU %d; bring both to the same", name,
                     self->a.device, self->b.device);
        return false;
    }
    if (self->are_two && self->a.is_double != self->b.is_double) {
        PyErr_Format(core.argument_error, "%s: these are %s, and those of other %s; on a GPU both must be the same",
                     name, self->a.is_double ? "float64" : "float32", self->b.is_double ? "float64" : "float32");
        return false;
    }
    if (self->are_two && self->a.dimensions != self->b.dimensions && self->a.count > 0 && self->b.count > 0) {
        PyErr_Format(core.argument_error, "%s and other: one has two dimensions and the other has three", name);
        return false;
    }
    return check_signed(self) && call_settings_set_dimensions(settings, self->a.dimensions);
}

// What was found, as an array of the caller's library.
static PyObject *taken(gpu_search *self, gpu_memory **memory, size_t rows, size_t columns, int bits, size_t most) {
    gpu_memory *given = *memory;
    *memory = NULL;
    const bool is_signed = bits == 64 || self->caller.is_signed;
    return gpu_caller_convert(&self->caller, gpu_array_take(given, rows, columns, bits, is_signed), most);
}

PyObject *gpu_pairs(PyObject *boxes, PyObject *other, call_settings *settings) {
    gpu_search search = {.are_two = other != NULL};
    PyObject *pairs = NULL;
    if (take(&search, boxes, other, "boxes", 6, settings) && find(&search, settings)) {
        pairs = taken(&search, &search.memory, search.found, 2, 32, search.a.count);
    }
    release(&search);
    return pairs;
}

static bool fail_double(const char *what) {
    PyErr_Format(core.unsupported_error,
                 "neighbors %s: on a GPU numbers must be float32, not float64; convert them, or copy them to the host",
                 what);
    return false;
}

static bool take_radii(gpu_search *self, PyObject *radii) {
    if (self->are_two) {
        PyErr_SetString(core.unsupported_error, "radius: between two sets of points it must be one number for all");
        return false;
    }
    if (!gpu_rows_take(&self->radii, radii, "radius", 1, &self->caller)) return false;
    self->have_radii = true;
    if (self->a.is_double || self->radii.is_double) return fail_double("with a radius for each point");
    if (self->radii.count == self->a.count && (self->a.count == 0 || self->radii.device == self->a.device)) return true;
    PyErr_Format(core.argument_error, "radius: %zu on GPU %d, for %zu points on GPU %d", self->radii.count,
                 self->radii.device, self->a.count, self->a.device);
    return false;
}

// After the points.
static bool take_radius(gpu_search *self, PyObject *radius) {
    const bool is_number = PyFloat_Check(radius) || PyLong_Check(radius);
    if (!is_number && (PySequence_Check(radius) || array_place_of(radius) == PLACE_GPU))
        return take_radii(self, radius);
    if (self->a.is_double && self->are_two) return fail_double("between two sets");
    self->radius = PyFloat_AsDouble(radius);
    return !PyErr_Occurred();
}

static PyObject *found_rows(gpu_search *self) {
    PyObject *offsets = taken(self, &self->offsets, self->a.count + 1, 1, 64, self->found);
    const size_t most = self->are_two ? self->b.count : self->a.count;
    PyObject *indices = offsets == NULL ? NULL : taken(self, &self->memory, self->found, 1, 32, most);
    return indices == NULL ? (Py_XDECREF(offsets), NULL) : Py_BuildValue("(NN)", offsets, indices);
}

PyObject *gpu_neighbors(PyObject *points, PyObject *radius, PyObject *other, call_settings *settings) {
    gpu_search search = {.is_of_points = true, .are_two = other != NULL};
    PyObject *rows = NULL;
    if (take(&search, points, other, "points", 3, settings) && take_radius(&search, radius) &&
        find(&search, settings)) {
        rows = found_rows(&search);
    }
    release(&search);
    return rows;
}
