#include "forces.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void add_scaled(double to[3], double scale, const double v[3]) {
    for (int axis = 0; axis < 3; ++axis) to[axis] += scale * v[axis];
}

static void add_cross(double to[3], double scale, const double a[3], const double b[3]) {
    to[0] += scale * (a[1] * b[2] - a[2] * b[1]);
    to[1] += scale * (a[2] * b[0] - a[0] * b[2]);
    to[2] += scale * (a[0] * b[1] - a[1] * b[0]);
}

static double inertia_of(const granular_grain *g) {
    return 0.4 * g->mass * g->radius * g->radius;
}

double granular_mass_of(double radius) {
    return 4.0 / 3.0 * pi * radius * radius * radius;
}

double granular_time_step(const granular_system *s) {
    double least = INFINITY;
    for (size_t i = 0; i < s->grain_count; ++i) least = fmin(least, s->grains[i].mass);
    return pi * sqrt(0.5 * least / s->material.stiffness) / 15.0;
}

double granular_damping(double stiffness, double mass, double restitution) {
    const double logarithm = log(fmax(restitution, 1e-6));
    return -2.0 * logarithm * sqrt(0.5 * mass * stiffness / (pi * pi + logarithm * logarithm));
}

// ---- one contact ----------------------------------------------------------------------------------------------------

// How two touch: n points from b to a, and the point of contact is a_arm from the center of a, b_arm from that of b.
typedef struct touch {
    double normal[3];
    double depth, a_arm, b_arm;
} touch;

static int find_touch_of_grains(const granular_system *s, const granular_grain *a, const granular_grain *b, touch *t) {
    double square = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        t->normal[axis] = a->place[axis] - b->place[axis];
        const double period = s->period[axis];
        if (period > 0.0) t->normal[axis] -= period * rint(t->normal[axis] / period);
        square += t->normal[axis] * t->normal[axis];
    }
    const double reach = a->radius + b->radius;
    if (square >= reach * reach || square == 0.0) return 0;
    const double distance = sqrt(square);
    for (int axis = 0; axis < 3; ++axis) t->normal[axis] /= distance;
    t->depth = reach - distance;
    t->a_arm = a->radius - 0.5 * t->depth;
    t->b_arm = distance - t->a_arm;
    return 1;
}

static int find_touch_of_wall(const granular_grain *a, const granular_wall *wall, touch *t) {
    t->depth = a->radius - wall->side * (a->place[wall->axis] - wall->at);
    if (t->depth <= 0.0) return 0;
    memset(t->normal, 0, sizeof t->normal);
    t->normal[wall->axis] = wall->side;
    t->a_arm = a->radius - t->depth;
    t->b_arm = 0.0;
    return 1;
}

static int find_touch(const granular_system *s, const granular_contact *contact, touch *t) {
    const granular_grain *a = &s->grains[contact->a];
    return contact->b < s->grain_count ? find_touch_of_grains(s, a, &s->grains[contact->b], t)
                                       : find_touch_of_wall(a, &s->walls[contact->b - s->grain_count], t);
}

int granular_is_touching(const granular_system *s, const granular_contact *contact) {
    touch t;
    return find_touch(s, contact, &t);
}

// The speed of a's surface relative to b's, at the point of contact.
static void slide_of(const granular_grain *a, const granular_grain *b, const touch *t, double slide[3]) {
    memcpy(slide, a->speed, sizeof a->speed);
    add_cross(slide, -t->a_arm, a->spin, t->normal);
    if (b != NULL) {
        add_scaled(slide, -1.0, b->speed);
        add_cross(slide, -t->b_arm, b->spin, t->normal);
    }
}

// The tangential spring: turned into the plane of contact, stretched, and cut off where friction gives way.
static void find_tangential(const granular_system *s, const touch *t, const double slide[3], double push,
                            granular_contact *contact, double force[3]) {
    const granular_material *m = &s->material;
    double *stretch = contact->stretch;
    add_scaled(stretch, -dot(stretch, t->normal), t->normal);
    add_scaled(stretch, s->time_step, slide);
    for (int axis = 0; axis < 3; ++axis) {
        force[axis] = -m->tangential_stiffness * stretch[axis] - m->tangential_damping * slide[axis];
    }
    const double most = m->friction * push, size = sqrt(dot(force, force));
    if (size <= most) return;
    for (int axis = 0; axis < 3; ++axis) {
        force[axis] *= most / size;
        // what the spring must be for this force; 0 without one
        stretch[axis] = m->tangential_stiffness > 0.0
                            ? -(force[axis] + m->tangential_damping * slide[axis]) / m->tangential_stiffness
                            : 0.0;
    }
}

static void push_grain(granular_grain *g, double sign, double arm, const double normal[3], const double force[3]) {
    add_scaled(g->force, sign, force);
    add_cross(g->torque, -arm, normal,
              force); // the lever is -arm * n for a, +arm * n for b, whose force is the opposite
}

static void act(granular_system *s, granular_contact *contact) {
    const granular_material *m = &s->material;
    granular_grain *a = &s->grains[contact->a];
    granular_grain *b = contact->b < s->grain_count ? &s->grains[contact->b] : NULL;
    touch t;
    if (!find_touch(s, contact, &t)) {
        memset(contact->stretch, 0, sizeof contact->stretch);
        return;
    }
    double slide[3], force[3];
    slide_of(a, b, &t, slide);
    const double approach = dot(slide, t.normal);
    const double push = fmax(0.0, m->stiffness * t.depth - m->damping * approach);
    add_scaled(slide, -approach, t.normal);
    find_tangential(s, &t, slide, push, contact, force);
    add_scaled(force, push, t.normal);
    push_grain(a, 1.0, t.a_arm, t.normal, force);
    if (b != NULL) push_grain(b, -1.0, t.b_arm, t.normal, force);
    s->elastic += 0.5 * m->stiffness * t.depth * t.depth +
                  0.5 * m->tangential_stiffness * dot(contact->stretch, contact->stretch);
    ++s->touching;
}

// ---- all of them ----------------------------------------------------------------------------------------------------

void granular_find_forces(granular_system *s) {
    for (size_t i = 0; i < s->grain_count; ++i) {
        granular_grain *g = &s->grains[i];
        for (int axis = 0; axis < 3; ++axis) g->force[axis] = g->mass * s->gravity[axis];
        memset(g->torque, 0, sizeof g->torque);
    }
    s->elastic = 0.0;
    s->touching = 0;
    for (size_t i = 0; i < s->contact_count; ++i) act(s, &s->contacts[i]);
}

void granular_kick(granular_system *s) {
    const double half = 0.5 * s->time_step;
    for (size_t i = 0; i < s->grain_count; ++i) {
        granular_grain *g = &s->grains[i];
        add_scaled(g->speed, half / g->mass, g->force);
        add_scaled(g->spin, half / inertia_of(g), g->torque);
    }
}

void granular_drift(granular_system *s) {
    for (size_t i = 0; i < s->grain_count; ++i) add_scaled(s->grains[i].place, s->time_step, s->grains[i].speed);
}

double granular_energy(const granular_system *s) {
    double energy = s->elastic;
    for (size_t i = 0; i < s->grain_count; ++i) {
        const granular_grain *g = &s->grains[i];
        energy += 0.5 * g->mass * dot(g->speed, g->speed) + 0.5 * inertia_of(g) * dot(g->spin, g->spin);
        energy -= g->mass * dot(s->gravity, g->place);
    }
    return energy;
}

void granular_momentum(const granular_system *s, double momentum[3]) {
    memset(momentum, 0, 3 * sizeof *momentum);
    for (size_t i = 0; i < s->grain_count; ++i) add_scaled(momentum, s->grains[i].mass, s->grains[i].speed);
}

void granular_angular_momentum(const granular_system *s, double momentum[3]) {
    memset(momentum, 0, 3 * sizeof *momentum);
    for (size_t i = 0; i < s->grain_count; ++i) {
        const granular_grain *g = &s->grains[i];
        add_cross(momentum, g->mass, g->place, g->speed);
        add_scaled(momentum, inertia_of(g), g->spin);
    }
}
