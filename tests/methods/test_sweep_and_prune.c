// sweep-and-prune: what is special to it. That it finds all pairs is also tested by test_oracle and others.
#include "support/method_checks.h"

enum { COUNT = 2000, STEPS = 40 };

#define WITH(...) VARIANT_OF(BP_METHOD_SWEEP_AND_PRUNE, __VA_ARGS__)

static const variant CONFIGS[] = {
    WITH(),
    WITH(SETTINGS(.sweep_axes = 1)),
    WITH(SETTINGS(.sweep_axes = 3)),
    WITH(SETTINGS(.sweep_axes = 1, .simd = BP_SIMD_SCALAR)),
    WITH(.update = BP_UPDATE_INDIVIDUAL),
};
static const variant_list VARIANTS = ALL_OF(CONFIGS);
static const steady_scene UNIFORM = {
    .variants = ALL_OF(CONFIGS), .name = "uniform", .count = COUNT, .warm_up = STEPS / 2, .steps = STEPS / 2};
static const steady_scene LOW_MOTION = {
    .variants = ALL_OF(CONFIGS), .name = "low-motion", .count = COUNT, .warm_up = STEPS / 2, .steps = STEPS / 2};

static const refusal REFUSED[] = {
    {WITH(SETTINGS(.sweep_axes = 2)), BP_ERROR_ARGUMENT, "sweep_axes"},
    {WITH(SETTINGS(.sweep_axes = 4)), BP_ERROR_ARGUMENT, "sweep_axes"},
    {WITH(SETTINGS(.sweep_axes = UINT32_MAX)), BP_ERROR_ARGUMENT, "sweep_axes"},
};
static const refusal_list REFUSALS = ALL_OF(REFUSED);

static bp_config method(bp_config config) {
    config.method = BP_METHOD_SWEEP_AND_PRUNE;
    return config;
}

static void follows_every_scene_through_time(void **state) {
    (void)state;
    const double motions[] = {0.0, 0.001, 0.01};
    for (size_t i = 0; i < scene_count(); ++i) {
        for (size_t k = 0; k < COUNT_OF(CONFIGS) * COUNT_OF(motions); ++k) {
            const double motion = motions[k / COUNT_OF(CONFIGS)];
            if (!in_short_turn(7)) {
                continue;
            }
            check_follows(&CONFIGS[k % COUNT_OF(CONFIGS)], scene_name(i),
                          (scene_options){.count = COUNT / 4, .seed = 6, .motion = motion});
        }
    }
}

// ---- work -----------------------------------------------------------------------------------------------------------

typedef struct effort {
    double tests;  // per step
    size_t afresh; // steps that sorted afresh
    size_t levels; // axes in use at the end
} effort;

static effort effort_of(double motion, size_t count, uint32_t axes, size_t steps) {
    const bp_config config = method((bp_config){SETTINGS(.sweep_axes = axes)});
    scene *s = open_scene_with("uniform", (scene_options){.count = count, .seed = SCENE_SEED, .motion = motion});
    bp_world *world = world_of(&config, s);
    bp_result result;
    effort e = {0};
    for (size_t step = 0; step < steps + 2; ++step) {
        assert_int_equal(bp_update(world, &result), BP_OK);
        if (step >= 2) { // the first two find out how objects move
            e.tests += (double)result.stats.tests / (double)steps;
            e.afresh += result.stats.update == BP_UPDATE_REBUILD;
        }
        move_with(world, s);
    }
    e.levels = result.stats.levels;
    bp_world_destroy(world);
    scene_destroy(s);
    return e;
}

static void keeps_pairs_while_objects_move_little(void **state) {
    (void)state;
    const size_t count = quick() ? 50000 : 100000; // below some 30,000 a sweep takes no longer than keeping
    for (uint32_t axes = 0; axes <= 3; axes += 3) {
        const effort calm = effort_of(0.0005, count, axes, 4), wild = effort_of(0.2, count, axes, 4);
        print_message("axes %u: little motion %.3g tests, 20 %% motion %.3g tests\n", axes, calm.tests, wild.tests);
        assert_int_equal(calm.afresh, 0);
        assert_int_equal(calm.levels, 3);
        assert_true(calm.tests < wild.tests / 4.0);
    }
}

static void sweeps_afresh_while_objects_move_much(void **state) {
    (void)state;
    const effort e = effort_of(0.2, 20000, 0, 4);
    assert_int_equal(e.afresh, 4);
    assert_int_equal(e.levels, 1);
}

// A thousand objects join at once: they are sorted in, not sifted past each other.
static void takes_in_many_objects_in_less_than_quadratic_time(void **state) {
    (void)state;
    enum { MANY = 20000 };
    const bp_config config = method((bp_config){SETTINGS(.sweep_axes = 3)});
    scene *s = open_scene("uniform", MANY);
    bp_world *world = NULL;
    bp_result result;
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    for (size_t joined = 0; joined < MANY; joined += MANY / 4) {
        assert_int_equal(bp_add_many(world, MANY / 4, scene_boxes(s) + joined, NULL, NULL), BP_OK);
        assert_int_equal(bp_update(world, &result), BP_OK);
        assert_true(result.stats.tests < (uint64_t)MANY * MANY / 20);
    }
    bp_world_destroy(world);
    scene_destroy(s);
}

// One object after the other swells until it overlaps all: the kept set of pairs, made for none, has to grow.
static void keeps_pairs_that_become_many(void **state) {
    (void)state;
    enum { ROW = 200, SWOLLEN = 5 };
    const bp_config config = method((bp_config){SETTINGS(.sweep_axes = 3)});
    bp_box boxes[ROW];
    bp_world *world = NULL;
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    for (size_t i = 0; i < ROW; ++i) {
        boxes[i] = cube_of(3.0f * (float)i, 3.0f * (float)(i % 7), 3.0f * (float)(i % 11), 1.0f);
    }
    assert_int_equal(bp_add_many(world, ROW, boxes, NULL, NULL), BP_OK);
    for (bp_id swollen = 0; swollen <= SWOLLEN; ++swollen) {
        bp_result result;
        assert_int_equal(bp_update(world, &result), BP_OK);
        assert_int_equal(result.stats.update, swollen == 0 ? BP_UPDATE_REBUILD : BP_UPDATE_INDIVIDUAL);
        pair_list expected = naive_pairs(boxes, ROW, 3);
        assert_int_equal(expected.count, swollen * ROW - swollen * (swollen + 1) / 2);
        expect_pairs(result.pairs, result.pair_count, &expected, "%u swollen of %d", (unsigned)swollen, ROW);
        assert_int_equal(bp_world_validate(world), BP_OK);
        pair_list_free(&expected);
        boxes[swollen] = cube_of(0, 0, 0, 1000);
        assert_int_equal(bp_move(world, swollen, &boxes[swollen]), BP_OK);
    }
    bp_world_destroy(world);
}

static void sweeps_along_the_axis_of_largest_variance(void **state) {
    (void)state;
    const bp_config config = method((bp_config){SETTINGS(.sweep_axes = 1)});
    bp_box boxes[500];
    for (int axis = 0; axis < 3; ++axis) {
        for (size_t i = 0; i < COUNT_OF(boxes); ++i) { // a row: every other axis would test all pairs
            float corner[3] = {0.0f, 0.0f, 0.0f};
            corner[axis] = 3.0f * (float)i;
            boxes[i] = cube_of(corner[0], corner[1], corner[2], 1.0f);
        }
        assert_int_equal(stats_of(boxes, COUNT_OF(boxes), config).tests, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_WITH(finds_all_pairs_of_every_scene, VARIANTS),
        TEST_WITH(finds_all_pairs_of_wild_boxes, VARIANTS),
        cmocka_unit_test(follows_every_scene_through_time),
        TEST_WITH(stays_right_while_objects_come_and_go, VARIANTS),
        cmocka_unit_test(keeps_pairs_while_objects_move_little),
        cmocka_unit_test(sweeps_afresh_while_objects_move_much),
        cmocka_unit_test(takes_in_many_objects_in_less_than_quadratic_time),
        cmocka_unit_test(keeps_pairs_that_become_many),
        cmocka_unit_test(sweeps_along_the_axis_of_largest_variance),
        TEST_WITH(refuses_what_makes_no_sense, REFUSALS),
        TEST_WITH(allocates_nothing_in_a_steady_step, UNIFORM),
        TEST_WITH(allocates_nothing_in_a_steady_step, LOW_MOTION),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
