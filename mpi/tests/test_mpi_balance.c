// Balance: the work of a skewed scene, and how often regions are computed again.
#include "scenes.h"
#include "together.h"

#include <stdlib.h>

static void move_to_scene(bp_mpi_world *world, const scene *moving) {
    bp_mpi_objects mine;
    CHECK(bp_mpi_owned(world, &mine) == BP_OK);
    bp_box *boxes = malloc(mine.count * sizeof *boxes + 1);
    CHECK(boxes != NULL);
    for (size_t i = 0; i < mine.count; ++i) boxes[i] = scene_boxes(moving)[mine.ids[i]];
    CHECK(bp_mpi_move_many(world, mine.count, NULL, boxes) == BP_OK);
    free(boxes);
}

static bp_mpi_stats settle(const char *name, const bp_mpi_config *config, size_t steps, double *last) {
    const char *error;
    const scene_options options = {.count = 20000, .seed = 31};
    scene *moving = scene_create(name, &options, &error);
    CHECK(moving != NULL);
    bp_mpi_world *world;
    bp_mpi_stats stats;
    CHECK(bp_mpi_world_create(MPI_COMM_WORLD, config, &world) == BP_OK);
    add_share(world, scene_boxes(moving), scene_box_count(moving), SHARE_FIRST_RANK);
    for (size_t step = 0; step < steps; ++step) {
        CHECK(bp_mpi_update(world, NULL) == BP_OK);
        scene_step(moving);
        move_to_scene(world, moving);
    }
    CHECK(bp_mpi_world_stats(world, &stats) == BP_OK);
    *last = stats.imbalance;
    bp_mpi_world_destroy(world);
    scene_destroy(moving);
    return stats;
}

static void work_is_spread_evenly(void) {
    static const char *const NAMES[] = {"very-inhomogeneous", "inhomogeneous", "checkerboard", "uniform"};
    const bp_mpi_config config = {0};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; ++i) {
        double imbalance;
        const bp_mpi_stats stats = settle(NAMES[i], &config, 12, &imbalance);
        describe("%s: imbalance %.3f after %llu partitions", NAMES[i], imbalance, (unsigned long long)stats.partitions);
        if (my_rank == 0) printf("  %s\n", test_context);
        CHECK(imbalance <= 1.15);
        CHECK(stats.partitions <= 4);
    }
}

static uint64_t ghosts_of_all(const bp_mpi_stats *stats) {
    uint64_t ghosts = stats->ghosts;
    MPI_Allreduce(MPI_IN_PLACE, &ghosts, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return ghosts;
}

// Slices or pieces of a curve that jumps would balance as well, but they would have more ghosts.
static void the_hilbert_curve_cuts_even_and_compact_pieces(void) {
    const bp_mpi_config curve = {.partition = BP_MPI_HSFC}, bisection = {0};
    double imbalance, other;
    const bp_mpi_stats pieces = settle("uniform", &curve, 12, &imbalance);
    const bp_mpi_stats boxes = settle("uniform", &bisection, 12, &other);
    const uint64_t ghosts = ghosts_of_all(&pieces), fewest = ghosts_of_all(&boxes);
    describe("imbalance %.3f, %llu ghosts (bisection: %llu)", imbalance, (unsigned long long)ghosts,
             (unsigned long long)fewest);
    if (my_rank == 0) printf("  %s\n", test_context);
    CHECK(imbalance <= 1.15);
    CHECK(ghosts <= 2 * fewest);
}

// Without a limit the regions are computed once; with a tight one again and again, but not at every step.
static void regions_are_made_when_it_pays(void) {
    double imbalance;
    const bp_mpi_config never = {.imbalance = 1e30f}, tight = {.imbalance = 1.0f, .balance_interval = 3};
    CHECK(settle("zych", &never, 8, &imbalance).partitions == (rank_count > 1));
    const uint64_t often = settle("zych", &tight, 8, &imbalance).partitions;
    describe("%llu partitions", (unsigned long long)often);
    CHECK(rank_count == 1 || (often > 1 && often <= 4));
}

int main(int argument_count, char **arguments) {
    MPI_Init(&argument_count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &rank_count);
    RUN(work_is_spread_evenly);
    RUN(the_hilbert_curve_cuts_even_and_compact_pieces);
    RUN(regions_are_made_when_it_pays);
    MPI_Finalize();
    return 0;
}
