#include "suites/crowd.h"
#include "suites/places.h"

#include <arithmetic.h>
#include <random.h>
#include <scenes.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static double longest_edge(const body *b) {
    return 2 * (double)fmaxf(b->half[0], fmaxf(b->half[1], b->half[2]));
}

bp_box crowd_box_of(const body *b) {
    bp_box box;
    for (int axis = 0; axis < 3; axis++) {
        box.min[axis] = (float)(b->center[axis] - (double)b->half[axis]);
        box.max[axis] = (float)(b->center[axis] + (double)b->half[axis]);
    }
    return box;
}

// ---- making --------------------------------------------------------------------------------------------------------

crowd *crowd_allocate(size_t count, size_t static_count) {
    crowd *self = calloc(1, sizeof *self);
    if (!self) abort();
    const size_t others = count - static_count;
    *self = (crowd){.count = count, .static_count = static_count, .random = rng_seeded(1)};
    self->bodies = calloc(count + 1, sizeof *self->bodies);
    self->boxes = calloc(count + 1, sizeof *self->boxes);
    self->order = calloc(others + 1, sizeof *self->order);
    self->moved_boxes = calloc(others + 1, sizeof *self->moved_boxes);
    if (!self->bodies || !self->boxes || !self->order || !self->moved_boxes) abort();
    for (size_t i = 0; i < others; i++) self->order[i] = (bp_id)(static_count + i);
    return self;
}

static void take_box(body *b, const bp_box *box) {
    for (int axis = 0; axis < 3; axis++) {
        b->center[axis] = 0.5 * ((double)box->min[axis] + (double)box->max[axis]);
        b->half[axis] = 0.5f * (box->max[axis] - box->min[axis]);
    }
}

static void find_edges(crowd *self) {
    for (int axis = 0; axis < 3; axis++) {
        self->low[axis] = self->high[axis] = self->bodies[0].center[axis];
        for (size_t i = 1; i < self->count; i++) {
            self->low[axis] = fmin(self->low[axis], self->bodies[i].center[axis]);
            self->high[axis] = fmax(self->high[axis], self->bodies[i].center[axis]);
        }
    }
}

// Any direction, a speed up to the largest.
static void set_velocity(crowd *self, body *b) {
    double direction[3];
    rng_direction(&self->random, 3, direction);
    const double speed = self->motion.speed * longest_edge(b) * rng_unit(&self->random);
    for (int axis = 0; axis < 3; axis++) b->velocity[axis] = (float)(speed * direction[axis]);
}

void crowd_draw_movers(crowd *self) {
    const size_t others = self->count - self->static_count;
    for (size_t i = 0; i < self->mover_count; i++) {
        const size_t j = i + rng_below(&self->random, (uint32_t)(others - i));
        const bp_id id = self->order[i];
        self->order[i] = self->order[j];
        self->order[j] = id;
    }
}

// Fills in what follows from the bodies: boxes, edges, velocities and the first movers.
static crowd *finish(crowd *self, crowd_motion motion) {
    const size_t others = self->count - self->static_count;
    self->motion = motion;
    self->mover_count = (size_t)(motion.share * (double)others + 0.5);
    for (size_t i = 0; i < self->count; i++) {
        self->boxes[i] = crowd_box_of(&self->bodies[i]);
        if (i >= self->static_count) set_velocity(self, &self->bodies[i]);
    }
    find_edges(self);
    if (self->mover_count < others) crowd_draw_movers(self);
    return self;
}

crowd *crowd_with_static(const char *name, size_t count, double static_share, crowd_motion motion) {
    const scene_options options = {.count = count, .motion = -1};
    const char *error = NULL;
    scene *source = scene_create(name, &options, &error);
    if (!source) {
        fprintf(stderr, "broadphase-bench: scene %s: %s\n", name, error);
        return NULL;
    }
    crowd *self =
        crowd_allocate(scene_finite_count(source), (size_t)(static_share * (double)scene_finite_count(source)));
    for (size_t i = 0; i < self->count; i++) take_box(&self->bodies[i], &scene_boxes(source)[i]);
    scene_destroy(source);
    return finish(self, motion);
}

crowd *crowd_of_scene(const char *name, size_t count, crowd_motion motion) {
    return crowd_with_static(name, count, 0, motion);
}

// ---- the level -----------------------------------------------------------------------------------------------------

enum { LEVEL_FLATNESS = 8 }; // how much wider than high it is

// Uniform in the exponent: as many sizes between 1 and 2 as between 10 and 20.
static double size_between(rng *random, double low, double high) {
    return low * real_power(high / low, rng_unit(random));
}

void crowd_set_edges(body *b, double x, double y, double z) {
    b->half[0] = (float)(0.5 * x);
    b->half[1] = (float)(0.5 * y);
    b->half[2] = (float)(0.5 * z);
}

// One of a floor, a wall along x, one along y, and a block.
static void shape_static(rng *random, body *b) {
    const double size = size_between(random, 0.5, 50), part = size * rng_between(random, 0.4, 1);
    switch (rng_below(random, 4)) {
    case 0: crowd_set_edges(b, size, part, 0.5); break;
    case 1: crowd_set_edges(b, size, 0.5, part); break;
    case 2: crowd_set_edges(b, 0.5, size, part); break;
    default: crowd_set_edges(b, size, part, part); break;
    }
}

static void shape_mover(rng *random, body *b) {
    const double size = size_between(random, 0.2, 5);
    crowd_set_edges(b, size, size * rng_between(random, 0.4, 1), size * rng_between(random, 0.4, 1));
}

// The volume grows with the objects: about 500 for each static one, which gives a moving one a few pairs.
static void put_somewhere(crowd *self, body *b) {
    const double width = cube_root(500.0 * LEVEL_FLATNESS * (double)(self->static_count + 1));
    b->center[0] = width * rng_unit(&self->random);
    b->center[1] = width * rng_unit(&self->random);
    b->center[2] = width / LEVEL_FLATNESS * rng_unit(&self->random);
}

crowd *crowd_of_level(size_t count, crowd_motion motion) {
    crowd *self = crowd_allocate(count, count - count / 3);
    for (size_t i = 0; i < count; i++) {
        (i < self->static_count ? shape_static : shape_mover)(&self->random, &self->bodies[i]);
        put_somewhere(self, &self->bodies[i]);
    }
    return finish(self, motion);
}

void crowd_destroy(crowd *self) {
    if (!self) return;
    free(self->bodies);
    free(self->boxes);
    free(self->order);
    free(self->moved_boxes);
    free(self->moved);
    free(self->replaced);
    free(self->replaced_boxes);
    free(self->replaced_objects);
    free(self->rays);
    free(self);
}

// ---- moving --------------------------------------------------------------------------------------------------------

size_t crowd_count(const crowd *self) {
    return self->count;
}
size_t crowd_static_count(const crowd *self) {
    return self->static_count;
}
const bp_box *crowd_boxes(const crowd *self) {
    return self->boxes;
}

static void move(crowd *self, bp_id id) {
    body *b = &self->bodies[id];
    for (int axis = 0; axis < 3; axis++) {
        const double extent = self->high[axis] - self->low[axis];
        double to = b->center[axis] + (double)b->velocity[axis];
        if (to < self->low[axis]) to += extent;
        if (to > self->high[axis]) to -= extent;
        b->center[axis] = to;
    }
    self->boxes[id] = crowd_box_of(b);
}

static crowd_changes move_all(crowd *self) {
    for (size_t id = self->static_count; id < self->count; id++) move(self, (bp_id)id);
    return (crowd_changes){.ids = self->static_count ? self->order : NULL,
                           .boxes = self->boxes + self->static_count,
                           .count = self->mover_count};
}

crowd_changes crowd_step(crowd *self) {
    self->step++;
    if (self->place) return place_step(self);
    if (self->mover_count == self->count - self->static_count) return move_all(self);
    if (!self->motion.same_ones) crowd_draw_movers(self);
    for (size_t i = 0; i < self->mover_count; i++) {
        move(self, self->order[i]);
        self->moved_boxes[i] = self->boxes[self->order[i]];
    }
    return (crowd_changes){.ids = self->order, .boxes = self->moved_boxes, .count = self->mover_count};
}
