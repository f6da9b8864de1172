// Grains of several sizes, poured out: a column of 20,000 of them stands at one end of a channel, falls, and runs out over
// its floor.
// usage: granular [GRAINS [STEPS [NAME]]]      NAME-0.svg, NAME-1.svg ... are pictures; default: 20000 10000, no pictures
//
// Each step needs the contacts of each grain. They are found by bp_find_pairs for boxes that are a margin too large, so that
// they last for some steps; walls are boxes without an end.
#include "contacts.h"
#include "pour.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double processor_seconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static bp_status run(granular_pour *p, granular_contacts *c, size_t steps, const char *name) {
    granular_system *s = &p->system;
    const double start = processor_seconds();
    bp_status status = granular_contacts_renew(c, s);
    granular_find_forces(s);
    for (size_t step = 0; step <= steps && status == BP_OK; ++step) {
        if (granular_pour_is_due(step, steps)) {
            fprintf(stderr, "step %zu: %zu contacts, energy %.4g\n", step, s->touching, granular_energy(s));
            if (name != NULL && !granular_pour_draw(p, step, steps, name)) return BP_ERROR_ARGUMENT;
        }
        if (step < steps) status = granular_step(c, s);
    }
    const double total = processor_seconds() - start;
    printf("%zu grains, %zu steps: %.3f ms a step; %zu searches for pairs, %.1f %% of the time\n", s->grain_count,
           steps, 1e3 * total / (double)steps, c->searches, 100.0 * c->search_time / total);
    return status;
}

// What falls must lose energy: returns whether it did, and everything went well.
static int pour_out(granular_pour *p, size_t steps, const char *name) {
    granular_contacts contacts;
    granular_contacts_begin(&contacts, NULL, p->margin);
    const double before = granular_energy(&p->system);
    const bp_status status = run(p, &contacts, steps, name);
    if (status != BP_OK) fprintf(stderr, "%s\n", bp_status_text(status));
    granular_contacts_end(&contacts);
    return status == BP_OK && granular_energy(&p->system) <= before;
}

int main(int argc, char **argv) {
    const size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 20000;
    const size_t steps = argc > 2 ? strtoul(argv[2], NULL, 10) : 10000;
    if (count == 0 || steps == 0) {
        fprintf(stderr, "usage: granular [GRAINS [STEPS [NAME]]]\n");
        return 2;
    }
    granular_pour pour;
    if (!granular_pour_begin(&pour, count)) return 1;
    const int is_good = pour_out(&pour, steps, argc > 3 ? argv[3] : NULL);
    granular_pour_end(&pour);
    return is_good ? 0 : 1;
}
