// Traces: the boxes of objects, step after step. Either NumPy's format, steps x objects x 6, float32, or a recording of
// bp_world_record. An object that is not there in a step is a row of NaNs.
#ifndef TOOL_TRACE_FILE_H
#define TOOL_TRACE_FILE_H

#include "failure.h"
#include "stream.h"

#include <broadphase/broadphase.h>

typedef struct trace_file {
    input_file input;
    bool is_recording;
    uint64_t steps; // of .npy, all of them; of a recording, those that were read
    uint64_t done;
    bp_box *boxes; // of the step that was read last, by object
    size_t count, capacity;
} trace_file;

// Whether a file that was named can only be a trace: a recording, or an array with three axes.
bool trace_file_is_one(const char *path, bool *is_one, failure *why);

bool trace_file_open(trace_file *trace, const char *path, failure *why);
// Reads the next step. *more is false if there is none.
bool trace_file_next(trace_file *trace, bool *more, failure *why);
void trace_file_close(trace_file *trace);

#endif
