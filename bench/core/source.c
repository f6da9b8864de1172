#include "core/source.h"

static const char *next_step(box_source *self) {
    return recording_next(&self->recording, &self->why) ? NULL : self->why.text;
}

const char *source_open(box_source *self, const bench_case *c) {
    scene_options options = c->options;
    const char *error = NULL;
    *self = (box_source){.recording.input.file = -1};
    if (c->recording)
        return recording_open(&self->recording, c->recording, &self->why) ? next_step(self) : self->why.text;
    options.count = c->n;
    self->scene = scene_create(c->scene, &options, &error);
    return self->scene ? NULL : error;
}

// A recording of one step repeats that step.
const char *source_step(box_source *self) {
    if (!self->scene) return self->recording.step_count > 1 ? next_step(self) : NULL;
    scene_step(self->scene);
    return NULL;
}

void source_close(box_source *self) {
    if (self->scene)
        scene_destroy(self->scene);
    else
        recording_close(&self->recording);
}

const bp_box *source_boxes(const box_source *self) {
    return self->scene ? scene_boxes(self->scene) : self->recording.boxes;
}

size_t source_count(const box_source *self) {
    return self->scene ? scene_box_count(self->scene) : self->recording.count;
}

size_t source_finite_count(const box_source *self) {
    return self->scene ? scene_finite_count(self->scene) : self->recording.count;
}

uint32_t source_dimensions(const box_source *self) {
    return self->scene ? scene_dimensions(self->scene) : 3;
}

bool source_has_absent(const box_source *self) {
    return !self->scene && self->recording.has_absent;
}
