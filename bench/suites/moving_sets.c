#include "suites/moving_sets.h"

#include <math.h>
#include <string.h>

static double factor(double value) {
    return value > 0 ? value : 1;
}

static void measure_first(moving_sets *self) {
    const bp_box *boxes = scene_boxes(self->scene);
    for (size_t axis = 0; axis < 3; axis++) {
        float low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < self->first_count; i++) {
            low = fminf(low, boxes[i].min[axis]);
            high = fmaxf(high, boxes[i].max[axis]);
        }
        self->middle[axis] = ((double)low + (double)high) / 2;
        if (axis == 0) self->length = (double)high - (double)low;
    }
}

static bp_box arrange(const moving_sets *self, bp_box box) {
    const double scale = factor(self->c->scale), growth = factor(self->c->growth);
    for (size_t axis = 0; axis < 3; axis++) {
        const double low = (double)box.min[axis], high = (double)box.max[axis], middle = self->middle[axis];
        const double center = middle + scale * ((low + high) / 2 - middle);
        const double shift = axis == 0 ? self->c->shift * self->length : 0;
        const double half = scale * growth * (high - low) / 2;
        box.min[axis] = (float)(center + shift - half);
        box.max[axis] = (float)(center + shift + half);
    }
    return box;
}

static bool is_arranged(const sets_case *c) {
    return c->growth > 0 || c->scale > 0 || c->shift != 0;
}

static void take_boxes(moving_sets *self) {
    const bp_box *boxes = scene_boxes(self->scene);
    memcpy(self->boxes, boxes, self->count * sizeof *boxes);
    for (size_t i = self->first_count; i < self->count && is_arranged(self->c); i++)
        self->boxes[i] = arrange(self, boxes[i]);
}

static size_t first_count_of(const sets_case *c, const scene *s) {
    const size_t all = scene_box_count(s);
    if (c->is_alone) return all;
    return c->second_share > 0 ? all - (size_t)(c->second_share * (double)all) : scene_first_count(s);
}

const char *moving_sets_open(moving_sets *self, const sets_case *c, size_t count) {
    const char *error = NULL;
    *self = (moving_sets){.c = c, .scene = scene_create(c->scene, &(scene_options){.count = count}, &error)};
    if (!self->scene) return error;
    self->count = scene_box_count(self->scene);
    self->first_count = first_count_of(c, self->scene);
    self->boxes = malloc(self->count * sizeof *self->boxes);
    if (!self->boxes) abort();
    measure_first(self);
    take_boxes(self);
    return NULL;
}

void moving_sets_step(moving_sets *self) {
    scene_step(self->scene);
    take_boxes(self);
}

void moving_sets_close(moving_sets *self) {
    scene_destroy(self->scene);
    free(self->boxes);
}

bench_sets moving_sets_now(const moving_sets *self) {
    return (bench_sets){self->boxes, self->boxes + self->first_count, self->first_count,
                        self->count - self->first_count};
}
