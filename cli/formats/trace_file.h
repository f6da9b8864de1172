// Traces: the boxes of objects, step after step. Either an array (recording.h: .npy, T x N x 6), or a stream of
// bp_world_record, with any other name. An object that is absent in a step is a box of NaNs.
#ifndef TOOL_TRACE_FILE_H
#define TOOL_TRACE_FILE_H

#include "formats/recording.h"

typedef struct trace_file {
    bool is_stream;
    recording array;  // if not
    input_file input; // if so
    uint64_t done;    // steps that were read
    bp_box *boxes;    // of the last of them, by object
    size_t count, capacity;
} trace_file;

// Whether a file is a trace rather than a file of boxes: a stream, or an array with three axes.
bool trace_file_is_one(const char *path, bool *is_one, failure *why);

bool trace_file_open(trace_file *trace, const char *path, failure *why);
// Reads the next step. *more is false if there is none.
bool trace_file_next(trace_file *trace, bool *more, failure *why);
void trace_file_close(trace_file *trace);

#endif
