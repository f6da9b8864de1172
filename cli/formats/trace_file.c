#include "formats/trace_file.h"

#include "formats/box_reader.h"
#include "formats/npy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The stream that bp_world_record writes: a magic, then steps, each a number, a count of records, and the records.
static const unsigned char MAGIC[8] = {'b', 'p', 't', 'r', 'a', 'c', 'e', '1'};
enum { STEP_BYTES = 16, RECORD_BYTES = 28 };

static bool is_npy(const char *path) {
    const size_t length = strlen(path);
    return length >= 4 && strcmp(path + length - 4, ".npy") == 0;
}

static bp_box load_box(const unsigned char *bytes) {
    bp_box box;
    for (size_t axis = 0; axis < 3; axis++) {
        box.min[axis] = npy_load_float(bytes + 4 * axis);
        box.max[axis] = npy_load_float(bytes + 12 + 4 * axis);
    }
    return box;
}

static uint64_t load_number(const unsigned char *bytes, size_t size) {
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

// Grows to `count` objects; the new ones are absent.
static bool grow_boxes(trace_file *trace, size_t count, failure *why) {
    if (count > trace->capacity) {
        size_t capacity = count + count / 2;
        bp_box *boxes = capacity > SIZE_MAX / sizeof *boxes ? NULL : realloc(trace->boxes, capacity * sizeof *boxes);
        if (boxes == NULL) return failure_memory(why);
        trace->boxes = boxes;
        trace->capacity = capacity;
    }
    for (; trace->count < count; trace->count++) {
        trace->boxes[trace->count] = (bp_box){{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    }
    return true;
}

static bool put_box(trace_file *trace, size_t object, const unsigned char *bytes, failure *why) {
    const bp_box box = load_box(bytes);
    trace->boxes[object] = box;
    if (isnan(box.min[0]) || recording_box_is_valid(&box)) return true;
    return failure_set(why, STATUS_FAILED, "%s: step %llu, object %zu (from 0): expected min <= max, or NaN for absent",
                       trace->input.name, (unsigned long long)trace->done, object);
}

static bool fail_cut(const trace_file *trace, failure *why) {
    return failure_set(why, STATUS_FAILED, "%s: ends in the middle of step %llu (from 0); it was cut off",
                       trace->input.name, (unsigned long long)trace->done);
}

// ---------------------------------------------------------------------------------------------------------------------
// Streams

static bool read_record(trace_file *trace, failure *why) {
    unsigned char bytes[RECORD_BYTES];
    size_t got;
    if (!input_read(&trace->input, bytes, sizeof bytes, &got, why)) return false;
    if (got < sizeof bytes) return fail_cut(trace, why);
    const size_t id = (size_t)load_number(bytes, 4);
    // Ids are dense, so one far beyond all earlier ones is invalid.
    if (id > trace->count + trace->input.size / RECORD_BYTES || id >= BP_MAX_COUNT) {
        return failure_set(why, STATUS_FAILED, "%s: step %llu: id %zu is out of range; the file is damaged",
                           trace->input.name, (unsigned long long)trace->done, id);
    }
    return (id < trace->count || grow_boxes(trace, id + 1, why)) && put_box(trace, id, bytes + 4, why);
}

static bool next_of_stream(trace_file *trace, bool *more, failure *why) {
    unsigned char head[STEP_BYTES];
    size_t got;
    if (!input_read(&trace->input, head, sizeof head, &got, why)) return false;
    *more = got > 0;
    if (got == 0) return true;
    if (got < sizeof head) return fail_cut(trace, why);
    if (load_number(head, 8) != trace->done) {
        return failure_set(why, STATUS_FAILED, "%s: expected step %llu, found another; the file is damaged",
                           trace->input.name, (unsigned long long)trace->done);
    }
    for (uint64_t left = load_number(head + 8, 8); left > 0; left--) {
        if (!read_record(trace, why)) return false;
    }
    return true;
}

static bool check_magic(trace_file *trace, failure *why) {
    unsigned char magic[sizeof MAGIC];
    size_t got;
    if (!input_read(&trace->input, magic, sizeof magic, &got, why)) return false;
    if (got == sizeof magic && memcmp(magic, MAGIC, sizeof magic) == 0) return true;
    return failure_set(why, STATUS_FAILED, "%s: is neither a .npy file of T x N x 6 nor a stream of bp_world_record",
                       trace->input.name);
}

// ---------------------------------------------------------------------------------------------------------------------
// Both

bool trace_file_is_one(const char *path, bool *is_one, failure *why) {
    input_file input;
    npy_header header;
    file_format format;
    *is_one = !file_format_of_name(path, &format);
    if (!is_npy(path)) return true;
    if (!input_open(&input, path, why)) return false;
    const bool good = npy_read_header(&input, &header, why);
    input_close(&input);
    *is_one = good && header.dimensions == 3;
    return good;
}

bool trace_file_open(trace_file *trace, const char *path, failure *why) {
    *trace = (trace_file){.is_stream = !is_npy(path)};
    if (!trace->is_stream) return recording_open(&trace->array, path, why);
    if (!input_open(&trace->input, path, why)) return false;
    if (check_magic(trace, why)) return true;
    trace_file_close(trace);
    return false;
}

static bool next_of_array(trace_file *trace, bool *more, failure *why) {
    *more = trace->array.step < trace->array.step_count;
    if (*more && !recording_next(&trace->array, why)) return false;
    trace->boxes = trace->array.boxes;
    trace->count = trace->array.count;
    return true;
}

bool trace_file_next(trace_file *trace, bool *more, failure *why) {
    const bool good = trace->is_stream ? next_of_stream(trace, more, why) : next_of_array(trace, more, why);
    trace->done += good && *more;
    return good;
}

void trace_file_close(trace_file *trace) {
    if (trace->is_stream) {
        input_close(&trace->input);
        free(trace->boxes);
    } else {
        recording_close(&trace->array);
    }
    trace->boxes = NULL;
}
