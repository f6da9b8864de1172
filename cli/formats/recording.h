// A recording of boxes that move: an NPY file of T x N x 6 (or N x 6: one step), float32 or float64, read step by step.
//
// Box i of a step is object i. Six NaNs mean that the object is absent in that step.
#ifndef TOOL_RECORDING_H
#define TOOL_RECORDING_H

#include "formats/failure.h"
#include "formats/stream.h"

#include <broadphase/broadphase.h>

typedef struct recording {
    size_t step_count, count;
    bool has_absent; // in some step
    bp_box *boxes;   // of the current step; 64-bit boxes are rounded to the nearest floats

    input_file input;
    unsigned char *bytes; // of a step, as they are in the file
    bool is_double;       // float64
    size_t step;          // the number of steps read
} recording;

// Reads the whole file once and refuses it if any box is invalid; the next step is then the first.
bool recording_open(recording *self, const char *path, failure *why);
// Fills `boxes` with those of the next step. There must be one.
bool recording_next(recording *self, failure *why);
// May be called after a failure, and more than once.
void recording_close(recording *self);

bool recording_is_absent(const bp_box *box);
// Whether min <= max along every axis.
bool recording_box_is_valid(const bp_box *box);

#endif
