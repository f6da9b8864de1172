// Where the boxes of a case come from: a scene, or a recording.
#ifndef BENCH_SOURCE_H
#define BENCH_SOURCE_H

#include "core/bench.h"

#include "formats/recording.h"

typedef struct box_source {
    scene *scene; // NULL: a recording
    recording recording;
    failure why;
} box_source;

// Opens at the first step. Both return NULL, or the reason of the failure.
const char *source_open(box_source *self, const bench_case *c);
const char *source_step(box_source *self);
void source_close(box_source *self);

const bp_box *source_boxes(const box_source *self); // the array stays where it is
size_t source_count(const box_source *self);
size_t source_finite_count(const box_source *self);
uint32_t source_dimensions(const box_source *self);
bool source_has_absent(const box_source *self);

#endif
