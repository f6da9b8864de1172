// The distributed world against a plain one: all scenes, small worlds, periods.
#include "scenes.h"
#include "together.h"

#include <broadphase/broadphase_methods.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t objects_of(const char *name) {
    if (strcmp(name, "identical") == 0) return 300; // all pairs overlap
    return is_quick() ? 2000 : 20000;
}

static scene *open_scene(const char *name, size_t count, uint64_t seed) {
    const char *error = NULL;
    const scene_options options = {.count = count, .seed = seed};
    scene *self = scene_create(name, &options, &error);
    if (self == NULL) fprintf(stderr, "%s: %s\n", name, error);
    CHECK(self != NULL);
    return self;
}

static bp_mpi_world *open_world(const bp_mpi_config *config) {
    bp_mpi_world *world;
    bp_mpi_config logged = *config;
    logged.local.log = test_log();
    CHECK(bp_mpi_world_create(MPI_COMM_WORLD, &logged, &world) == BP_OK);
    return world;
}

// ---- scenes --------------------------------------------------------------------------------------------------------

static void check_scene(const scene *given, const bp_mpi_config *config, sharing how) {
    const bp_box *boxes = scene_boxes(given);
    const size_t count = scene_box_count(given);
    bp_mpi_world *world = open_world(config);
    add_share(world, boxes, count, how);
    CHECK(bp_mpi_world_count(world) == count);
    pair_list found = update_and_gather(world), expected = expected_pairs(boxes, count, &config->local);
    check_same(&found, &expected, "pairs");
    CHECK(bp_mpi_world_validate(world) == BP_OK);
    pair_list_free(&found);
    pair_list_free(&expected);
    bp_mpi_world_destroy(world);
}

static void every_scene_has_the_pairs_of_one_world(void) {
    for (size_t i = 0; i < scene_count(); ++i) {
        const char *name = scene_name(i);
        scene *given = open_scene(name, objects_of(name), 5);
        describe("scene %s, %zu objects", name, scene_box_count(given));
        const bp_mpi_config config = {.local = {.dimensions = scene_dimensions(given)}, .broadcast_above = 3};
        check_scene(given, &config, (sharing)(i % 3));
        scene_destroy(given);
    }
}

static void the_hilbert_curve_has_them_too(void) {
    static const char *const NAMES[] = {"uniform", "very-polydisperse", "planes", "uniform-2d", "far", "points"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; ++i) {
        scene *given = open_scene(NAMES[i], 2000, 6);
        describe("hsfc, scene %s", NAMES[i]);
        const bp_mpi_config config = {.local = {.dimensions = scene_dimensions(given)}, .partition = BP_MPI_HSFC};
        check_scene(given, &config, SHARE_EVENLY);
        scene_destroy(given);
    }
}

static void spheres_and_threads_are_the_local_worlds_business(void) {
    scene *given = open_scene("polydisperse", 3000, 7);
    bp_mpi_config config = {.local = {.shape = BP_SHAPE_SPHERES, .threads = 2, .method = BP_METHOD_BVH}};
    check_scene(given, &config, SHARE_FIRST_RANK);
    config.local.method = BP_METHOD_HIERARCHICAL_GRID;
    config.local.pair_order = BP_ORDER_SORTED;
    check_scene(given, &config, SHARE_EVENLY);
    scene_destroy(given);
}

// ---- small worlds --------------------------------------------------------------------------------------------------

static void more_ranks_than_objects(void) {
    const bp_box boxes[3] = {{{0, 0, 0}, {1, 1, 1}}, {{1, 1, 1}, {2, 2, 2}}, {{5, 5, 5}, {6, 6, 6}}};
    for (size_t count = 0; count <= 3; ++count) {
        const bp_mpi_config config = {0};
        bp_mpi_world *world = open_world(&config);
        pair_list nothing = update_and_gather(world);
        CHECK(nothing.count == 0);
        add_share(world, boxes, count, SHARE_EVENLY);
        pair_list found = update_and_gather(world), expected = expected_pairs(boxes, count, NULL);
        check_same(&found, &expected, "pairs");
        pair_list_free(&nothing);
        pair_list_free(&found);
        pair_list_free(&expected);
        bp_mpi_world_destroy(world);
    }
}

// Local worlds are created in the first update, and again for new regions, when the caller's settings are gone.
static void settings_may_go_out_of_scope(void) {
    scene *given = open_scene("uniform", 2000, 9);
    const bp_box *boxes = scene_boxes(given);
    const size_t count = scene_box_count(given);
    bp_method_settings settings = {.cell_size = 2.0f, .brute_force_below = 1, .hierarchy_factor = 2.0f};
    const bp_mpi_config config = {.local = {.settings = &settings}};
    bp_mpi_world *world = open_world(&config);
    memset(&settings, 0xff, sizeof settings);
    add_share(world, boxes, count, SHARE_FIRST_RANK);
    pair_list found = update_and_gather(world), expected = expected_pairs(boxes, count, NULL);
    check_same(&found, &expected, "pairs");
    pair_list_free(&found);
    pair_list_free(&expected);
    bp_mpi_world_destroy(world);
    scene_destroy(given);
}

static void one_box_as_large_as_the_domain(void) {
    scene *given = open_scene("uniform", 2000, 8);
    const size_t count = scene_box_count(given);
    bp_box *boxes = malloc((count + 2) * sizeof *boxes);
    CHECK(boxes != NULL);
    memcpy(boxes, scene_boxes(given), count * sizeof *boxes);
    boxes[count] = (bp_box){{-1, -1, -1}, {1000, 1000, 1000}};
    boxes[count + 1] = (bp_box){{-INFINITY, 3, -INFINITY}, {INFINITY, 4, INFINITY}};
    for (uint32_t above = 1; above < 64; above *= 8) {
        const bp_mpi_config config = {.broadcast_above = above};
        bp_mpi_world *world = open_world(&config);
        add_share(world, boxes, count + 2, SHARE_FIRST_RANK);
        for (int step = 0; step < 4; ++step) {
            describe("broadcast above %u, step %d", above, step);
            pair_list found = update_and_gather(world), expected = expected_pairs(boxes, count + 2, NULL);
            check_same(&found, &expected, "pairs");
            // What has not changed is not sent again.
            bp_mpi_stats stats;
            CHECK(bp_mpi_world_stats(world, &stats) == BP_OK);
            CHECK(step != 1 || stats.bytes_sent == 0);
            pair_list_free(&found);
            pair_list_free(&expected);
            if (step >= 1) {
                // It shrinks, and then it grows again.
                boxes[count].max[0] = step == 1 ? 0.5f : 1000.0f;
                boxes[count].max[1] = step == 1 ? 0.5f : 1000.0f;
                const uint64_t id = count;
                CHECK(bp_mpi_move_many(world, my_rank == 0, &id, &boxes[count]) == BP_OK);
            }
        }
        bp_mpi_world_destroy(world);
        boxes[count] = (bp_box){{-1, -1, -1}, {1000, 1000, 1000}};
    }
    free(boxes);
    scene_destroy(given);
}

// ---- periods -------------------------------------------------------------------------------------------------------

// Boxes anywhere around a periodic domain, some of them as long as it.
static bp_box throw_box(dice *self, const float period[3], float size) {
    bp_box box;
    for (int axis = 0; axis < 3; ++axis) {
        const double span = period[axis] > 0.0f ? (double)period[axis] : 10.0;
        const double low = (throw_unit(self) * 3.0 - 1.0) * span;
        const double length = throw_below(self, 200) == 0 ? span : throw_unit(self) * (double)size;
        box.min[axis] = (float)low;
        box.max[axis] = (float)(low + length);
        while (period[axis] > 0.0f && (double)box.max[axis] - (double)box.min[axis] > span) {
            box.max[axis] = nextafterf(box.max[axis], box.min[axis]);
        }
    }
    return box;
}

static void periods_in_one_two_and_three_axes(void) {
    enum { COUNT = 1500 };
    static bp_box boxes[COUNT];
    for (unsigned axes = 1; axes < 8; ++axes) {
        bp_mpi_config config = {.broadcast_above = 4, .partition = axes == 5 ? BP_MPI_HSFC : BP_MPI_RCB};
        for (unsigned axis = 0; axis < 3; ++axis) config.local.period[axis] = (axes >> axis & 1) != 0 ? 10.0f : 0.0f;
        config.local.dimensions = axes == 3 ? 2 : 3;
        dice random = {axes};
        for (size_t i = 0; i < COUNT; ++i) boxes[i] = throw_box(&random, config.local.period, 1.0f);
        boxes[7].min[0] = -INFINITY;
        boxes[7].max[0] = INFINITY;
        bp_mpi_world *world = open_world(&config);
        add_share(world, boxes, COUNT, (sharing)(axes % 3));
        for (int step = 0; step < 5; ++step) {
            describe("periodic axes %u, step %d", axes, step);
            pair_list found = update_and_gather(world), expected = expected_pairs(boxes, COUNT, &config.local);
            check_same(&found, &expected, "pairs");
            pair_list_free(&found);
            pair_list_free(&expected);
            for (size_t i = 0; i < COUNT; ++i)
                boxes[i] = i % 3 == 0 ? boxes[i] : throw_box(&random, config.local.period, 1.0f);
            bp_mpi_objects mine;
            CHECK(bp_mpi_owned(world, &mine) == BP_OK);
            bp_box *moved = malloc(mine.count * sizeof *moved + 1);
            for (size_t i = 0; i < mine.count; ++i) moved[i] = boxes[mine.ids[i]];
            CHECK(bp_mpi_move_many(world, mine.count, NULL, moved) == BP_OK);
            free(moved);
        }
        CHECK(bp_mpi_world_validate(world) == BP_OK);
        bp_mpi_world_destroy(world);
    }
}

int main(int argument_count, char **arguments) {
    MPI_Init(&argument_count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &rank_count);
    RUN(more_ranks_than_objects);
    RUN(settings_may_go_out_of_scope);
    RUN(one_box_as_large_as_the_domain);
    RUN(periods_in_one_two_and_three_axes);
    RUN(spheres_and_threads_are_the_local_worlds_business);
    RUN(the_hilbert_curve_has_them_too);
    RUN(every_scene_has_the_pairs_of_one_world);
    MPI_Finalize();
    return 0;
}
