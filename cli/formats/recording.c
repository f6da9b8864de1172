#include "formats/recording.h"

#include "formats/npy.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 6 };

static bool fail_shape(const recording *self, const char *what, failure *why) {
    return failure_set(why, STATUS_FAILED,
                       "%s: %s; expected T x N x 6 or N x 6, float32 or float64, little-endian, C order: save "
                       "numpy.ascontiguousarray(array, '<f4')",
                       self->input.name, what);
}

static bool take_header(recording *self, const npy_header *header, failure *why) {
    const bool one_step = header->dimensions == 2;
    self->is_double = strcmp(header->type, "<f8") == 0;
    if (!self->is_double && strcmp(header->type, "<f4") != 0)
        return fail_shape(self, "holds numbers of another type", why);
    if (header->fortran_order) return fail_shape(self, "is in Fortran order", why);
    if (!one_step && header->dimensions != 3) return fail_shape(self, "has neither 2 nor 3 dimensions", why);
    if (header->shape[one_step ? 1 : 2] != COLUMNS) return fail_shape(self, "does not have 6 columns", why);
    const uint64_t count = header->shape[one_step ? 0 : 1], steps = one_step ? 1 : header->shape[0];
    if (count > BP_MAX_COUNT || steps > SIZE_MAX) return fail_shape(self, "has too many boxes", why);
    if (count == 0 || steps == 0) return fail_shape(self, "has no boxes", why);
    self->count = (size_t)count;
    self->step_count = (size_t)steps;
    return true;
}

static size_t step_bytes(const recording *self) {
    return self->count * COLUMNS * (self->is_double ? sizeof(double) : sizeof(float));
}

static bool fail_size(const recording *self, failure *why) {
    return failure_set(why, STATUS_FAILED,
                       "%s: the header promises %zu steps of %zu boxes, and the file does not have as many bytes; copy "
                       "or save it again",
                       self->input.name, self->step_count, self->count);
}

// Before anything is allocated.
static bool check_size(const recording *self, failure *why) {
    const uint64_t bytes = self->input.size - self->input.done;
    if (!self->input.size_known) return fail_shape(self, "is no regular file, and a recording is read twice", why);
    const bool fits = bytes / step_bytes(self) == self->step_count && bytes % step_bytes(self) == 0;
    return fits || fail_size(self, why);
}

// From the start of the file to its first number.
static bool open_file(recording *self, const char *path, failure *why) {
    npy_header header;
    self->step = 0;
    if (!input_open(&self->input, path, why)) return false;
    return npy_read_header(&self->input, &header, why) && take_header(self, &header, why) && check_size(self, why);
}

static bool allocate(recording *self, failure *why) {
    self->boxes = malloc(self->count * sizeof *self->boxes);
    self->bytes = malloc(step_bytes(self));
    return (self->boxes && self->bytes) || failure_memory(why);
}

static bp_box load_box(const recording *self, size_t index) {
    float values[COLUMNS];
    for (size_t k = 0; k < COLUMNS; k++) {
        const size_t at = index * COLUMNS + k;
        values[k] =
            self->is_double ? (float)npy_load_double(self->bytes + 8 * at) : npy_load_float(self->bytes + 4 * at);
    }
    return (bp_box){{values[0], values[1], values[2]}, {values[3], values[4], values[5]}};
}

bool recording_next(recording *self, failure *why) {
    size_t got;
    assert(self->step < self->step_count);
    if (!input_read(&self->input, self->bytes, step_bytes(self), &got, why)) return false;
    if (got < step_bytes(self)) return fail_size(self, why);
    for (size_t i = 0; i < self->count; i++) self->boxes[i] = load_box(self, i);
    self->step++;
    return true;
}

bool recording_box_is_valid(const bp_box *box) {
    return box->min[0] <= box->max[0] && box->min[1] <= box->max[1] && box->min[2] <= box->max[2];
}

bool recording_is_absent(const bp_box *box) {
    bool absent = true;
    for (int k = 0; k < 3; k++) absent = absent && isnan(box->min[k]) && isnan(box->max[k]);
    return absent;
}

static bool check_step(recording *self, failure *why) {
    for (size_t i = 0; i < self->count; i++) {
        const bool absent = recording_is_absent(&self->boxes[i]);
        self->has_absent = self->has_absent || absent;
        if (absent || recording_box_is_valid(&self->boxes[i])) continue;
        return failure_set(why, STATUS_FAILED,
                           "%s: step %zu, box %zu (from 0): min must not be above max, and NaN stands for an absent "
                           "object only in all six numbers",
                           self->input.name, self->step - 1, i);
    }
    return true;
}

static bool check_all(recording *self, failure *why) {
    while (self->step < self->step_count)
        if (!recording_next(self, why) || !check_step(self, why)) return false;
    return true;
}

bool recording_open(recording *self, const char *path, failure *why) {
    *self = (recording){.input.file = -1};
    bool good = open_file(self, path, why) && allocate(self, why) && check_all(self, why);
    if (good) {
        input_close(&self->input);
        good = open_file(self, path, why);
    }
    if (!good) recording_close(self);
    return good;
}

void recording_close(recording *self) {
    if (self->input.file >= 0) input_close(&self->input);
    self->input.file = -1;
    free(self->boxes);
    free(self->bytes);
    self->boxes = NULL;
    self->bytes = NULL;
}
