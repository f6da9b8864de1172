#include "scene_parts.h"

const scene_zone *zone_of(const scene *self, size_t index) {
    return &self->zones[self->zone_count == 1 ? 0 : index % self->zone_count];
}

void set_zone(scene *self, const double *origin, double edge, const double *aspect) {
    scene_zone *zone = &self->zones[0];
    for (size_t axis = 0; axis < 3; ++axis) {
        zone->min[axis] = origin ? origin[axis] : 0;
        zone->max[axis] = zone->min[axis] + (aspect ? edge * aspect[axis] : edge);
    }
    self->zone_count = 1;
}

void set_size(scene_body *body, double x, double y, double z) {
    body->half[0] = (float)(x / 2);
    body->half[1] = (float)(y / 2);
    body->half[2] = (float)(z / 2);
}

void set_cubes(scene *self, double smallest, double largest) {
    for (size_t i = 0; i < self->finite_count; ++i) {
        const double size = rng_between(&self->random, smallest, largest);
        set_size(&self->bodies[i], size, size, size);
    }
}

void scale_sizes(scene *self, double factor) {
    for (size_t i = 0; i < self->finite_count; ++i) {
        scene_body *body = &self->bodies[i];
        for (size_t axis = 0; axis < 3; ++axis) {
            body->half[axis] = (float)(body->half[axis] * factor);
        }
    }
}

double body_size(const scene_body *body) {
    const float *half = body->half;
    const float longest = half[0] > half[1] ? half[0] : half[1];
    return 2.0 * (longest > half[2] ? longest : half[2]);
}

void place_uniformly(scene *self) {
    for (size_t i = 0; i < self->finite_count; ++i) {
        const scene_zone *zone = zone_of(self, i);
        scene_body *body = &self->bodies[i];
        for (size_t axis = 0; axis < 3; ++axis) {
            const double inset = self->reflects ? (double)body->half[axis] : 0;
            body->center[axis] = rng_between(&self->random, zone->min[axis] + inset, zone->max[axis] - inset);
        }
    }
}

void set_velocity(scene *self, scene_body *body, double speed) {
    double direction[3];
    rng_direction(&self->random, self->dimensions, direction);
    for (size_t axis = 0; axis < 3; ++axis) {
        body->velocity[axis] = (float)(speed * direction[axis]);
    }
}

void set_velocities(scene *self, double motion) {
    for (size_t i = 0; i < self->finite_count; ++i) {
        scene_body *body = &self->bodies[i];
        set_velocity(self, body, rng_unit(&self->random) * motion * body_size(body));
    }
}

bp_box box_of_body(const scene_body *body) {
    bp_box box;
    for (size_t axis = 0; axis < 3; ++axis) {
        box.min[axis] = (float)(body->center[axis] - body->half[axis]);
        box.max[axis] = (float)(body->center[axis] + body->half[axis]);
    }
    return box;
}
