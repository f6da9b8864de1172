// Legal input that is hard on partitions and ghosts: spheres that meet by rounding alone, few objects on lattices,
// all at one place, very far apart.
#include "together.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static bp_mpi_world *open_world(const bp_mpi_config *config) {
    bp_mpi_world *world;
    bp_mpi_config logged = *config;
    logged.local.log = test_log();
    CHECK(bp_mpi_world_create(MPI_COMM_WORLD, &logged, &world) == BP_OK);
    return world;
}

// ---- nothing on standard error -------------------------------------------------------------------------------------

// Other libraries may write there too: the test looks at the descriptor.
static FILE *hold_errors(int *kept) {
    FILE *file = tmpfile();
    CHECK(file != NULL);
    fflush(stderr);
    *kept = dup(2);
    CHECK(*kept >= 0 && dup2(fileno(file), 2) == 2);
    return file;
}

static void release_errors(FILE *file, int kept) {
    char line[256] = "";
    fflush(stderr);
    CHECK(dup2(kept, 2) == 2);
    close(kept);
    rewind(file);
    const bool spoke = fgets(line, sizeof line, file) != NULL;
    if (spoke) fprintf(stderr, "written to standard error: %s", line);
    CHECK(!spoke);
    fclose(file);
}

static void check_update(bp_mpi_world *world, const bp_box *boxes, size_t count, const bp_config *config) {
    int kept;
    FILE *errors = hold_errors(&kept);
    bp_mpi_result result;
    const bp_status status = bp_mpi_update(world, &result);
    release_errors(errors, kept);
    CHECK(status == BP_OK);
    pair_list found = gather_pairs(result.pairs, result.pair_count), expected = expected_pairs(boxes, count, config);
    check_same(&found, &expected, "pairs");
    pair_list_free(&found);
    pair_list_free(&expected);
}

// ---- partitions ----------------------------------------------------------------------------------------------------

static void move_to(bp_mpi_world *world, const bp_box *boxes) {
    bp_mpi_objects mine;
    CHECK(bp_mpi_owned(world, &mine) == BP_OK);
    bp_box *moved = malloc(mine.count * sizeof *moved + 1);
    CHECK(moved != NULL);
    for (size_t i = 0; i < mine.count; ++i) moved[i] = boxes[mine.ids[i]];
    CHECK(bp_mpi_move_many(world, mine.count, NULL, moved) == BP_OK);
    free(moved);
}

// Unit boxes on a small lattice, which touch; or anything from one point to all of the numbers there are.
static bp_box throw_corner(dice *random, unsigned kind) {
    static const float SCALES[] = {1.0f, 1.0f, 0.0f, 1e-42f, 1e37f, 1e7f};
    bp_box box;
    for (int axis = 0; axis < 3; ++axis) {
        const float scale = axis == 2 && kind == 1 ? 0.0f : SCALES[kind];
        box.min[axis] = (float)throw_below(random, 3 + 6 * (kind / 4)) * scale;
        box.max[axis] = box.min[axis] + (kind == 2 ? 0.0f : scale);
    }
    return box;
}

static void partitions_again_and_again(void) {
    enum { MOST = 40 };
    bp_box boxes[MOST];
    const unsigned rounds = is_quick() ? 12 : 48;
    for (unsigned round = 0; round < rounds; ++round) {
        dice random = {round};
        const unsigned kind = round / 2 % 6;
        const size_t count = 1 + throw_below(&random, round % 5 == 0 ? 5 : MOST);
        const bp_mpi_config config = {.partition = round % 2 == 0 ? BP_MPI_HSFC : BP_MPI_RCB,
                                      .local = {.dimensions = round % 7 == 0 ? 2 : 3},
                                      .imbalance = 1.0001f,
                                      .balance_interval = 1};
        for (size_t i = 0; i < count; ++i) boxes[i] = throw_corner(&random, kind);
        bp_mpi_world *world = open_world(&config);
        add_share(world, boxes, count, (sharing)(round % 3));
        for (int step = 0; step < 6; ++step) {
            describe("round %u, kind %u, %zu objects, step %d", round, kind, count, step);
            check_update(world, boxes, count, &config.local);
            CHECK(bp_mpi_world_validate(world) == BP_OK);
            for (size_t i = 0; step >= 2 && i < count; i += 3) boxes[i] = throw_corner(&random, kind);
            if (step >= 2) move_to(world, boxes);
        }
        bp_mpi_world_destroy(world);
    }
}

// The four boxes with which the Hilbert curve was stuck after two updates.
static void four_boxes_on_a_curve(void) {
    const bp_box boxes[4] = {
        {{0, 1, 1}, {1, 2, 2}}, {{1, 1, 0}, {2, 2, 1}}, {{1, 1, 0}, {2, 2, 1}}, {{1, 0, 0}, {2, 1, 1}}};
    const bp_mpi_config config = {.partition = BP_MPI_HSFC, .imbalance = 1.0001f, .balance_interval = 1};
    bp_mpi_world *world = open_world(&config);
    const size_t first = my_rank == 0 ? 0 : 1, count = my_rank == 0 ? 1 : my_rank == 1 ? 3 : 0;
    CHECK(bp_mpi_add_many(world, count, NULL, boxes + first, NULL, NULL, NULL) == BP_OK);
    const size_t known = rank_count > 1 ? 4 : 1;
    for (int step = 0; step < 6; ++step) check_update(world, boxes, known, NULL);
    bp_mpi_world_destroy(world);
}

// ---- spheres that meet by rounding ---------------------------------------------------------------------------------

static float throw_power(dice *random, int low, int high) {
    const int exponent = low + (int)throw_below(random, (size_t)(high - low));
    return ldexpf(1.0f + (float)throw_unit(random), exponent);
}

static void put_along(bp_box *box, int axis, float from, float to, bool mirrored) {
    box->min[axis] = mirrored ? -to : from;
    box->max[axis] = mirrored ? -from : to;
}

// Along one axis large spheres begin just beyond 0 and tiny ones end before they begin; between them are points, so
// that space is cut there. The large spheres' centres and radii are rounded: to the formula they begin at 0.
static bp_box throw_near_miss(dice *random, size_t large_share, int axis, bool mirrored) {
    bp_box box;
    const size_t kind = throw_below(random, 4 + large_share);
    const float large = throw_power(random, -2, 3), tiny = throw_power(random, -90, -70);
    const float place = throw_power(random, -66, -63), half = kind > 2 ? large : kind == 0 ? 0.0f : tiny;
    for (int other = 0; other < 3; ++other) put_along(&box, other, -half, half, false);
    switch (kind) {
    case 0: put_along(&box, axis, place, place, mirrored); break;
    case 1: put_along(&box, axis, -tiny, 0.0f, mirrored); break;
    case 2: put_along(&box, axis, -tiny, throw_power(random, -100, -90), mirrored); break;
    default: put_along(&box, axis, throw_power(random, -62, -56), large, mirrored);
    }
    return box;
}

static void spheres_that_meet_by_rounding(void) {
    enum { COUNT = 80 };
    bp_box boxes[COUNT];
    const unsigned rounds = is_quick() ? 12 : 30;
    for (unsigned round = 0; round < rounds; ++round) {
        dice random = {round};
        const int axis = (int)(round % 3);
        const bool mirrored = round / 3 % 2 != 0;
        const bp_mpi_config config = {.local = {.shape = BP_SHAPE_SPHERES, .flags = round % 4 == 3 ? BP_EVENTS : 0},
                                      .partition = round % 5 == 4 ? BP_MPI_HSFC : BP_MPI_RCB,
                                      .balance_interval = 1};
        for (size_t i = 0; i < COUNT; ++i) boxes[i] = throw_near_miss(&random, round % 4, axis, mirrored);
        describe("round %u, axis %d", round, axis);
        bp_mpi_world *world = open_world(&config);
        add_share(world, boxes, COUNT, (sharing)(round % 3));
        for (int step = 0; step < 3; ++step) check_update(world, boxes, COUNT, &config.local);
        bp_mpi_world_destroy(world);
    }
}

// Spheres of all sizes that touch their neighbours, near the origin and far from it.
static void spheres_that_touch(void) {
    enum { COUNT = 120 };
    bp_box boxes[COUNT];
    const unsigned rounds = is_quick() ? 6 : 24;
    for (unsigned round = 0; round < rounds; ++round) {
        dice random = {1000 + round};
        const float far = round % 3 == 0 ? 0.0f : throw_power(&random, 0, 100);
        const bp_mpi_config config = {.local = {.shape = BP_SHAPE_SPHERES, .dimensions = round % 4 == 3 ? 2 : 3}};
        for (int axis = 0; axis < 3; ++axis) boxes[0].min[axis] = boxes[0].max[axis] = far;
        for (size_t i = 1; i < COUNT; ++i) { // begins where the last one ends, along one axis; elsewhere around it
            const float size = throw_power(&random, -100, round % 2 == 0 ? 20 : 100);
            const int along = (int)throw_below(&random, 3);
            for (int axis = 0; axis < 3; ++axis) {
                const float start = axis == along ? boxes[i - 1].max[axis] : boxes[i - 1].min[axis];
                boxes[i].min[axis] = throw_below(&random, 4) == 0 ? nextafterf(start, INFINITY) : start;
                boxes[i].max[axis] = boxes[i].min[axis] + size;
            }
        }
        describe("round %u, far %g", round, (double)far);
        bp_mpi_world *world = open_world(&config);
        add_share(world, boxes, COUNT, (sharing)(round % 3));
        check_update(world, boxes, COUNT, &config.local);
        bp_mpi_world_destroy(world);
    }
}

// Objects many periods away, whose places on the circle are rounded far more than those of others.
static void objects_many_periods_away(void) {
    enum { COUNT = 90 };
    bp_box boxes[COUNT];
    const unsigned rounds = is_quick() ? 12 : 30;
    for (unsigned round = 0; round < rounds; ++round) {
        dice random = {round};
        const bool mirrored = round % 2 != 0;
        const int axis = (int)(round % 3);
        bp_mpi_config config = {.local = {.shape = round % 4 < 2 ? BP_SHAPE_SPHERES : BP_SHAPE_BOXES},
                                .partition = round % 5 == 4 ? BP_MPI_HSFC : BP_MPI_RCB};
        config.local.period[axis] = round % 7 == 6 ? 3.0f : 1.0f;
        for (size_t i = 0; i < COUNT; ++i) {
            const float length = (float)(throw_unit(&random) * 0.4), gap = throw_power(&random, -60, -30);
            for (int other = 0; other < 3; ++other) put_along(&boxes[i], other, 0.0f, 0.5f, false);
            const float far = ldexpf(config.local.period[axis], (int)throw_below(&random, 36));
            if (i % 3 == 0) put_along(&boxes[i], axis, far, far, mirrored); // 0 on the circle
            if (i % 3 != 0) put_along(&boxes[i], axis, -length, -gap, mirrored);
        }
        describe("round %u, axis %d", round, axis);
        bp_mpi_world *world = open_world(&config);
        add_share(world, boxes, COUNT, (sharing)(round % 3));
        for (int step = 0; step < 2; ++step) check_update(world, boxes, COUNT, &config.local);
        bp_mpi_world_destroy(world);
    }
}

int main(int argument_count, char **arguments) {
    MPI_Init(&argument_count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &rank_count);
    RUN(four_boxes_on_a_curve);
    RUN(partitions_again_and_again);
    RUN(spheres_that_meet_by_rounding);
    RUN(spheres_that_touch);
    RUN(objects_many_periods_away);
    MPI_Finalize();
    return 0;
}
