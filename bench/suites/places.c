#include "suites/places.h"

#include <arithmetic.h>

#include <math.h>
#include <stdlib.h>

enum { SHAPES = 4, TURNS = 32, SWAPS = 64, BURST_STEPS = 50 };
static const double STOREY = 4, TOWER = 40, GRAVITY = 9.81 / 3600, VIEW = 40;

typedef struct edges {
    double low[3], high[3];
} edges;

static const edges static_shapes[][SHAPES] = {
    [BUILDING] = {{{4, 0.5, 4}, {20, 1, 20}},    // floors
                  {{0.3, 3, 4}, {0.6, 6, 15}},   // walls
                  {{4, 3, 0.3}, {15, 6, 0.6}},   //
                  {{0.5, 0.5, 0.5}, {3, 3, 3}}}, // things
    [LAND] = {{{8, 0.5, 8}, {30, 3, 30}},        // ground
              {{0.4, 4, 0.4}, {1, 12, 1}},       // trees
              {{0.5, 0.5, 0.5}, {4, 3, 4}},      // rocks
              {{6, 4, 6}, {20, 10, 20}}},        // houses
};

static const struct {
    edges shape;
    double speed; // metres in a step
} movers[] = {
    [WALKING] = {{{0.4, 0.8, 0.4}, {1.2, 2, 1.2}}, 0.1},
    [DRIVING] = {{{1.5, 1.2, 3}, {2.5, 2, 6}}, 0.4},
    [FLYING] = {{{0.05, 0.05, 0.05}, {0.1, 0.1, 0.1}}, 5},
    [FALLING] = {{{0.1, 0.1, 0.1}, {0.6, 0.6, 0.6}}, 0.06},
};

// ---- where things are ----------------------------------------------------------------------------------------------

// Hills.
static double height_of_land(double x, double z) {
    return 3 * (sine_of_turns(x / 400) + sine_of_turns(z / 300));
}

static void shape(crowd *self, body *b, const edges *of) {
    double edge[3];
    for (int axis = 0; axis < 3; axis++) edge[axis] = rng_between(&self->random, of->low[axis], of->high[axis]);
    crowd_set_edges(b, edge[0], edge[1], edge[2]);
}

static void stand(const crowd *self, body *b, double above) {
    const double storey = STOREY * floor(b->center[1] / STOREY);
    const double ground = self->place->layout == LAND ? height_of_land(b->center[0], b->center[2]) : storey;
    b->center[1] = ground + above + (double)b->half[1];
}

// Somewhere in the place, on the ground or up to a metre above it.
static void settle(crowd *self, body *b) {
    for (int axis = 0; axis < 3; axis++)
        b->center[axis] = rng_between(&self->random, self->low[axis], self->high[axis] * 0.999999);
    stand(self, b, b < self->bodies + self->static_count ? 0 : rng_unit(&self->random));
}

static void set_course(crowd *self, body *b) {
    double direction[3];
    rng_direction(&self->random, 3, direction);
    const place_motion motion = self->place->motion;
    const double rise = motion == FALLING ? fabs(direction[1]) : motion == FLYING ? 0.2 * direction[1] : 0;
    const double speed = movers[motion].speed * rng_between(&self->random, 0.5, 1);
    for (int axis = 0; axis < 3; axis++) b->velocity[axis] = (float)(speed * (axis == 1 ? rise : direction[axis]));
}

static void set_bounds(crowd *self) {
    const place *kind = self->place;
    const double area = (double)self->count / kind->density;
    const double storeys = kind->storeys ? (double)kind->storeys : ceil(area / (TOWER * TOWER));
    const double side = kind->storeys ? sqrt(area / storeys) : TOWER;
    for (int axis = 0; axis < 3; axis++) self->high[axis] = axis == 1 ? STOREY * storeys : side;
}

static void *obtain(size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    if (!memory) abort();
    return memory;
}

crowd *crowd_of_place(const place *kind, size_t count) {
    crowd *self = crowd_allocate(count, (size_t)(kind->static_share * (double)count));
    const size_t others = count - self->static_count;
    self->place = kind;
    self->moved = obtain(others, sizeof *self->moved);
    self->replaced = obtain(count, sizeof *self->replaced);
    self->replaced_boxes = obtain(count, sizeof *self->replaced_boxes);
    self->replaced_objects = obtain(count, sizeof *self->replaced_objects);
    self->rays = obtain(kind->rays, sizeof *self->rays);
    self->mover_count = (size_t)fmin(ceil(kind->moving * (double)count), (double)others);
    set_bounds(self);
    for (size_t i = 0; i < self->static_count; i++)
        shape(self, &self->bodies[i], &static_shapes[kind->layout][rng_below(&self->random, SHAPES)]);
    if (kind->motion != FALLING) crowd_draw_movers(self); // what is thrown is thrown together
    for (size_t i = 0; i < others; i++) {
        body *b = &self->bodies[self->order[i]];
        const bool stays = kind->motion == FLYING && i >= self->mover_count; // people among bullets
        shape(self, b, &movers[stays ? WALKING : kind->motion].shape);
        if (kind->motion != FALLING) set_course(self, b);
    }
    for (size_t i = 0; i < count; i++) {
        settle(self, &self->bodies[i]);
        self->boxes[i] = crowd_box_of(&self->bodies[i]);
    }
    return self;
}

// ---- a step --------------------------------------------------------------------------------------------------------

// Who leaves the window behind it appears in front of it.
static void stream(crowd *self) {
    const double length = self->high[0] - self->low[0];
    self->low[0] += self->place->streaming * length;
    self->high[0] += self->place->streaming * length;
    for (size_t i = 0; i < self->count; i++) {
        body *b = &self->bodies[i];
        if (b->center[0] >= self->low[0]) continue;
        b->center[0] += length;
        b->replaced_in = self->step;
    }
}

// Of bullets, those that fly.
static void churn(crowd *self) {
    const size_t others = self->count - self->static_count;
    const size_t from = self->place->motion == FLYING ? self->mover_count : others;
    const size_t wanted = (size_t)(self->place->churn * (double)self->count);
    for (size_t i = 0; i < wanted && from; i++) {
        body *b = &self->bodies[self->order[rng_below(&self->random, (uint32_t)from)]];
        settle(self, b);
        set_course(self, b);
        b->replaced_in = self->step;
    }
}

static size_t list_replaced(crowd *self) {
    size_t count = 0;
    for (size_t i = 0; i < self->count; i++) {
        if (self->bodies[i].replaced_in != self->step) continue;
        self->boxes[i] = self->replaced_boxes[count] = crowd_box_of(&self->bodies[i]);
        self->replaced_objects[count] = (bp_object){.flags = i < self->static_count ? BP_STATIC : 0u};
        self->replaced[count++] = (bp_id)i;
    }
    return count;
}

static void throw_some(crowd *self) {
    const size_t others = self->count - self->static_count, first = self->step / BURST_STEPS * self->mover_count;
    for (size_t i = 0; i < self->mover_count; i++) set_course(self, &self->bodies[self->order[(first + i) % others]]);
}

// Of those that walk or drive, one in 64 stops, and another begins.
static void take_turns(crowd *self) {
    const size_t others = self->count - self->static_count;
    for (size_t i = 0; i < self->mover_count && self->mover_count < others; i++) {
        if (rng_below(&self->random, SWAPS)) continue;
        const size_t j = self->mover_count + rng_below(&self->random, (uint32_t)(others - self->mover_count));
        const bp_id id = self->order[i];
        self->order[i] = self->order[j];
        self->order[j] = id;
    }
}

// Turns back at the edge, in the air also at the top and the bottom.
static void advance(crowd *self, body *b) {
    const place_motion motion = self->place->motion;
    for (int axis = 0; axis < 3; axis++) {
        const double to = b->center[axis] + (double)b->velocity[axis];
        const bool is_inside = to >= self->low[axis] && to < self->high[axis];
        if (is_inside || (axis == 1 && motion != FLYING))
            b->center[axis] = to;
        else
            b->velocity[axis] = -b->velocity[axis];
    }
    if (motion == FLYING) return;
    if (motion == FALLING) {
        b->velocity[1] -= (float)GRAVITY;
        if (b->center[1] - (double)b->half[1] > height_of_land(b->center[0], b->center[2])) return;
        b->velocity[0] = b->velocity[1] = b->velocity[2] = 0;
    } else if (rng_below(&self->random, TURNS) == 0) {
        set_course(self, b);
    }
    if (self->place->layout == LAND) stand(self, b, 0);
}

static bool is_at_rest(const body *b) {
    return b->velocity[0] == 0 && b->velocity[1] == 0 && b->velocity[2] == 0;
}

static size_t move_some(crowd *self) {
    const bool falls = self->place->motion == FALLING;
    const size_t most = falls ? self->count - self->static_count : self->mover_count;
    size_t count = 0;
    for (size_t i = 0; i < most; i++) {
        const bp_id id = self->order[i];
        body *b = &self->bodies[id];
        if (b->replaced_in == self->step || (falls && is_at_rest(b))) continue;
        advance(self, b);
        self->boxes[id] = self->moved_boxes[count] = crowd_box_of(b);
        self->moved[count++] = id;
    }
    return count;
}

// From just above the head of somebody, ahead more than up or down.
static void draw_rays(crowd *self) {
    const size_t others = self->count - self->static_count;
    for (size_t i = 0; i < self->place->rays; i++) {
        const body *b = &self->bodies[self->static_count + rng_below(&self->random, (uint32_t)others)];
        double direction[3];
        rng_direction(&self->random, 3, direction);
        self->rays[i].max_t = (float)VIEW;
        for (int axis = 0; axis < 3; axis++) {
            self->rays[i].origin[axis] = (float)(b->center[axis] + (axis == 1 ? (double)b->half[1] + 0.1 : 0));
            self->rays[i].direction[axis] = (float)(direction[axis] * (axis == 1 ? 0.3 : 1));
        }
    }
}

crowd_changes place_step(crowd *self) {
    const place_motion motion = self->place->motion;
    if (self->place->streaming > 0) stream(self);
    churn(self);
    if (motion == FALLING && self->step % BURST_STEPS == 1) throw_some(self);
    if (motion == WALKING || motion == DRIVING) take_turns(self);
    const size_t replaced_count = list_replaced(self), moved_count = move_some(self);
    draw_rays(self);
    return (crowd_changes){.replaced = self->replaced,
                           .replaced_boxes = self->replaced_boxes,
                           .replaced_objects = self->replaced_objects,
                           .replaced_count = replaced_count,
                           .ids = self->moved,
                           .boxes = self->moved_boxes,
                           .count = moved_count,
                           .rays = self->rays,
                           .ray_count = self->place->rays};
}
