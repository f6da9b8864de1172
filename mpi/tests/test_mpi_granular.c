// examples/granular over ranks: after some hundred steps the state of each grain has the same bits as in a run without MPI,
// while grains move to other ranks and contacts lie across them.
#include "contacts.h"
#include "pour.h"
#include "ranks.h"
#include "together.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 5 };

static void check_state(const granular_grain *found, const granular_grain *expected, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const granular_grain *f = &found[i], *e = &expected[i];
        const bool is_same = memcmp(f, e, sizeof *f) == 0;
        if (!is_same) {
            fprintf(stderr, "grain %zu is at %.17g %.17g %.17g instead of %.17g %.17g %.17g\n", i, f->place[0],
                    f->place[1], f->place[2], e->place[0], e->place[1], e->place[2]);
        }
        CHECK(is_same);
    }
}

// Without MPI. The system's grains move.
static void run_alone(granular_system *s, double margin, size_t steps) {
    granular_contacts contacts;
    granular_contacts_begin(&contacts, NULL, margin);
    CHECK(granular_contacts_renew(&contacts, s) == BP_OK);
    granular_find_forces(s);
    for (size_t step = 0; step < steps; ++step) CHECK(granular_step(&contacts, s) == BP_OK);
    CHECK(contacts.searches > 2);
    granular_contacts_end(&contacts);
}

// Returns whether states were sent and grains changed their rank.
static bool run_on_ranks(const granular_system *s, const bp_mpi_config *config, double margin, size_t steps,
                         granular_grain *grains) {
    granular_ranks ranks;
    uint64_t sums[2] = {0}; // sent, migrants
    CHECK(granular_ranks_begin(&ranks, MPI_COMM_WORLD, config, s, margin) == BP_OK);
    for (size_t step = 0; step < steps; ++step) {
        CHECK(granular_ranks_step(&ranks) == BP_OK);
        sums[0] += ranks.sent.count;
    }
    CHECK(bp_mpi_world_validate(ranks.world) == BP_OK);
    sums[1] = ranks.migrants;
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    granular_ranks_gather(&ranks, grains);
    granular_ranks_end(&ranks);
    return sums[0] > 0 && sums[1] > 0;
}

static bool compare_runs(granular_system *s, const bp_mpi_config *config, double margin, size_t steps) {
    granular_grain *grains = calloc(s->grain_count, sizeof *grains);
    CHECK(grains != NULL);
    const bool is_mixed = run_on_ranks(s, config, margin, steps, grains);
    if (my_rank == 0) {
        run_alone(s, margin, steps);
        check_state(grains, s->grains, s->grain_count);
    }
    free(grains);
    return is_mixed;
}

// A column that falls between walls; the regions follow it closely.
static void a_pile_has_the_same_bits(void) {
    const bp_mpi_config config = {.imbalance = 1.02f, .balance_interval = 1, .local = {.log = test_log()}};
    granular_pour pour;
    CHECK(granular_pour_begin(&pour, is_quick() ? 150 : 400));
    CHECK(compare_runs(&pour.system, &config, pour.margin, is_quick() ? 300 : 800) || rank_count == 1);
    granular_pour_end(&pour);
}

// A gas in a box that repeats, with all defaults: grains pass its borders, and spins and friction matter.
static void a_periodic_gas_has_the_same_bits(void) {
    static granular_grain grains[SIDE * SIDE * SIDE];
    dice random = {5};
    for (size_t i = 0; i < SIDE * SIDE * SIDE; ++i) {
        const size_t cell[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        grains[i] = (granular_grain){.radius = 0.7 + 0.3 * throw_unit(&random)};
        grains[i].mass = granular_mass_of(grains[i].radius);
        for (int axis = 0; axis < 3; ++axis) {
            grains[i].place[axis] = 2.0 * (double)cell[axis] + 1.0;
            grains[i].speed[axis] = 4.0 * throw_unit(&random) - 2.0;
            grains[i].spin[axis] = 2.0 * throw_unit(&random) - 1.0;
        }
    }
    granular_system s = {.grains = grains,
                         .grain_count = SIDE * SIDE * SIDE,
                         .material = {1000.0, 285.0, 5.0, 2.0, 0.5},
                         .period = {2.0 * SIDE, 2.0 * SIDE, 2.0 * SIDE}};
    s.time_step = granular_time_step(&s);
    CHECK(compare_runs(&s, NULL, 0.2, is_quick() ? 300 : 800) || rank_count == 1);
}

// Two grains that meet on a floor: most ranks have nothing to do.
static void two_grains_have_the_same_bits(void) {
    const granular_wall ground = {2, 0, 1};
    granular_grain grains[2] = {{.place = {0, 0, 1}, .speed = {1, 0.25, 0}},
                                {.place = {3, 0.5, 1}, .speed = {-1, 0, 0}}};
    for (int i = 0; i < 2; ++i) {
        grains[i].radius = 1.0;
        grains[i].mass = granular_mass_of(1.0);
    }
    granular_system s = {.grains = grains,
                         .grain_count = 2,
                         .walls = &ground,
                         .wall_count = 1,
                         .material = {1000.0, 285.0, 5.0, 2.0, 0.5},
                         .gravity = {0, 0, -1}};
    s.time_step = granular_time_step(&s);
    (void)compare_runs(&s, NULL, 0.1, 300);
}

// What the world refuses comes back on all ranks, and nothing is left: a box that is longer than its period.
static void errors_come_back(void) {
    granular_grain grain = {.radius = 2.0, .mass = granular_mass_of(2.0)};
    const granular_system s = {.grains = &grain, .grain_count = 1, .material = {.stiffness = 1.0}, .period = {3, 0, 0}};
    granular_ranks ranks;
    CHECK(granular_ranks_begin(&ranks, MPI_COMM_WORLD, NULL, &s, 0.1) == BP_ERROR_BOX);
}

int main(int argument_count, char **arguments) {
    MPI_Init(&argument_count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &rank_count);
    RUN(a_pile_has_the_same_bits);
    RUN(a_periodic_gas_has_the_same_bits);
    RUN(two_grains_have_the_same_bits);
    RUN(errors_come_back);
    MPI_Finalize();
    return 0;
}
