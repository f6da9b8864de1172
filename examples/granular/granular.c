// Grains of several sizes, poured out: a column of 20,000 of them stands at one end of a channel, falls, and runs out over
// its floor.
// usage: granular [GRAINS [STEPS [NAME]]]      NAME-0.svg, NAME-1.svg ... are pictures; default: 20000 10000, no pictures
//
// Each step needs the contacts of each grain. They are found by bp_find_pairs for boxes that are a margin too large, so that
// they last for some steps; walls are boxes without an end.
#include "contacts.h"
#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PICTURES = 6 };

static const double least_radius = 0.8, most_radius = 1.2, margin = 0.15;

static double random_unit(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state / 4294967296.0;
}

// A column of layers, as high as wide, each grain a little off its place; a color for each eighth of the height.
static void pile_up(granular_system *s, unsigned char *colors) {
    const size_t side = (size_t)ceil(cbrt((double)s->grain_count)), layers = s->grain_count / (side * side) + 1;
    const double spacing = 2.05 * most_radius;
    uint32_t random = 7;
    for (size_t i = 0; i < s->grain_count; ++i) {
        const size_t cell[3] = {i % side, i / side % side, i / (side * side)};
        granular_grain *g = &s->grains[i];
        *g = (granular_grain){.radius = least_radius + (most_radius - least_radius) * random_unit(&random)};
        g->mass = granular_mass_of(g->radius);
        for (int axis = 0; axis < 3; ++axis) {
            const double off = (spacing - 2.0 * g->radius) * (random_unit(&random) - 0.5);
            g->place[axis] = spacing * ((double)cell[axis] + 0.5) + off;
        }
        colors[i] = (unsigned char)(8 * cell[2] / layers);
    }
}

static granular_material material_of(double height) {
    // So stiff that what lies at the bottom of the column gives way by a twentieth of a radius.
    const double stiffness = 20.0 * granular_mass_of(1.0) * 0.5 * height;
    const double damping = granular_damping(stiffness, granular_mass_of(1.0), 0.2);
    return (granular_material){.stiffness = stiffness,
                               .tangential_stiffness = 2.0 / 7.0 * stiffness,
                               .damping = damping,
                               .tangential_damping = 0.5 * damping,
                               .friction = 0.7};
}

static double processor_seconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static int draw(const granular_system *s, const unsigned char *colors, const double size[3], const char *name,
                size_t number) {
    char path[512];
    const double origin[3] = {0, 0, 0};
    if (name == NULL) return 1;
    (void)snprintf(path, sizeof path, "%s-%zu.svg", name, number);
    return granular_draw(s, colors, origin, size, path);
}

static bp_status run(granular_system *s, granular_contacts *c, const unsigned char *colors, size_t steps,
                     const double size[3], const char *name) {
    const double start = processor_seconds();
    bp_status status = granular_contacts_renew(c, s);
    granular_find_forces(s);
    for (size_t step = 0; step <= steps && status == BP_OK; ++step) {
        if (step * (PICTURES - 1) % steps < PICTURES - 1) {
            fprintf(stderr, "step %zu: %zu contacts, energy %.4g\n", step, s->touching, granular_energy(s));
            if (!draw(s, colors, size, name, step * (PICTURES - 1) / steps)) return BP_ERROR_ARGUMENT;
        }
        if (step < steps) status = granular_step(c, s);
    }
    const double total = processor_seconds() - start;
    printf("%zu grains, %zu steps: %.3f ms a step; %zu searches for pairs, %.1f %% of the time\n", s->grain_count,
           steps, 1e3 * total / (double)steps, c->searches, 100.0 * c->search_time / total);
    return status;
}

// What falls must lose energy: returns whether it did, and everything went well.
static int pour(granular_system *s, unsigned char *colors, size_t steps, const char *name) {
    const double height = 2.05 * most_radius * ceil(cbrt((double)s->grain_count));
    const double size[3] = {3.0 * height, height, height};
    const granular_wall walls[] = {{2, 0, 1}, {0, 0, 1}, {0, size[0], -1}, {1, 0, 1}, {1, size[1], -1}};
    s->walls = walls;
    s->wall_count = sizeof walls / sizeof *walls;
    s->material = material_of(height);
    pile_up(s, colors);
    s->time_step = granular_time_step(s);
    granular_contacts contacts;
    granular_contacts_begin(&contacts, NULL, margin);
    const double before = granular_energy(s);
    const bp_status status = run(s, &contacts, colors, steps, size, name);
    if (status != BP_OK) fprintf(stderr, "%s\n", bp_status_text(status));
    granular_contacts_end(&contacts);
    return status == BP_OK && granular_energy(s) <= before;
}

int main(int argc, char **argv) {
    const size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 20000;
    const size_t steps = argc > 2 ? strtoul(argv[2], NULL, 10) : 10000;
    if (count == 0 || steps == 0) {
        fprintf(stderr, "usage: granular [GRAINS [STEPS [NAME]]]\n");
        return 2;
    }
    granular_system s = {.grain_count = count, .gravity = {0, 0, -1}};
    unsigned char *colors = calloc(count, 1);
    s.grains = calloc(count, sizeof *s.grains);
    const int is_good = colors != NULL && s.grains != NULL && pour(&s, colors, steps, argc > 3 ? argv[3] : NULL);
    free(s.grains);
    free(colors);
    return is_good ? 0 : 1;
}
