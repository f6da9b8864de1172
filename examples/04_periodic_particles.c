// Particles in a periodic box: soft spheres push each other apart, and energy must stay constant.
//
// The neighbours of each particle are all within a distance of 1, also through the walls: the box has no border.
#include <broadphase/broadphase.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { EDGE = 10, COUNT = EDGE * EDGE * EDGE, STEPS = 100 };

static const double time_step = 0.01, stiffness = 20.0;

typedef struct particles {
    float place[COUNT][3]; // anywhere: coordinates need not be wrapped
    double speed[COUNT][3], force[COUNT][3];
    double potential;
    size_t contacts;
} particles;

// On a lattice of spheres that just touch, with random speeds.
static void begin(particles *p) {
    uint32_t random = 1;
    memset(p, 0, sizeof *p);
    for (int i = 0; i < COUNT; ++i) {
        const int cell[3] = {i % EDGE, i / EDGE % EDGE, i / EDGE / EDGE};
        for (int axis = 0; axis < 3; ++axis) {
            random = random * 1664525u + 1013904223u;
            p->place[i][axis] = (float)cell[axis];
            p->speed[i][axis] = random / 4294967296.0 - 0.5;
        }
    }
}

// Two particles at a distance d < 1 have the energy stiffness/2 * (1 - d)^2.
static void push_apart(particles *p, uint32_t a, uint32_t b) {
    double d[3], square = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        d[axis] = remainder((double)p->place[a][axis] - (double)p->place[b][axis], EDGE); // the nearest image
        square += d[axis] * d[axis];
    }
    const double distance = sqrt(square), depth = 1.0 - distance;
    p->potential += 0.5 * stiffness * depth * depth;
    for (int axis = 0; axis < 3 && distance > 0.0; ++axis) {
        const double push = stiffness * depth * d[axis] / distance;
        p->force[a][axis] += push;
        p->force[b][axis] -= push;
    }
}

static bp_status find_forces(particles *p, const bp_config *config, bp_neighbors *neighbors) {
    const bp_status status = bp_find_neighbors(p->place[0], COUNT, 1.0f, config, neighbors);
    if (status != BP_OK) return status;
    memset(p->force, 0, sizeof p->force);
    p->potential = 0.0;
    p->contacts = neighbors->offsets[COUNT];
    for (uint32_t i = 0; i < COUNT; ++i) {
        for (size_t k = neighbors->offsets[i]; k < neighbors->offsets[i + 1]; ++k) {
            push_apart(p, i, neighbors->indices[k]);
        }
    }
    return BP_OK;
}

static void kick(particles *p) { // half a step
    for (int i = 0; i < 3 * COUNT; ++i) p->speed[i / 3][i % 3] += 0.5 * time_step * p->force[i / 3][i % 3];
}

static void drift(particles *p) {
    for (int i = 0; i < 3 * COUNT; ++i) p->place[i / 3][i % 3] += (float)(time_step * p->speed[i / 3][i % 3]);
}

static double energy(const particles *p) {
    double kinetic = 0.0;
    for (int i = 0; i < 3 * COUNT; ++i) kinetic += 0.5 * p->speed[i / 3][i % 3] * p->speed[i / 3][i % 3];
    return kinetic + p->potential;
}

int main(void) {
    static particles p;
    const bp_config config = {.flags = BP_NEIGHBORS_HALF, .period = {EDGE, EDGE, EDGE}};
    bp_neighbors neighbors = {0};
    begin(&p);
    bp_status status = find_forces(&p, &config, &neighbors);
    const double at_first = energy(&p);
    const int all_touch = p.contacts == 3 * COUNT; // each has six neighbours, also at the walls
    for (int step = 0; step < STEPS && status == BP_OK; ++step) {
        kick(&p);
        drift(&p);
        status = find_forces(&p, &config, &neighbors);
        kick(&p);
    }
    printf("%d particles, %zu contacts, energy %.3f (%.3f at first)\n", COUNT, p.contacts, energy(&p), at_first);
    bp_neighbors_free(&neighbors, &config);
    return status == BP_OK && all_touch && fabs(energy(&p) / at_first - 1.0) < 0.001 ? 0 : 1;
}
