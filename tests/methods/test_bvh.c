// bvh: what is special to it. That it finds all pairs is also tested by test_oracle and others.
#include "support/method_checks.h"

#include <math.h>
#include <stdlib.h>

enum { COUNT = 2000, STEPS = 60 };

#define WITH(...) VARIANT_OF(BP_METHOD_BVH, __VA_ARGS__)

static const variant CONFIGS[] = {
    WITH(),
    WITH(SETTINGS(.bvh_split = BP_BVH_OBJECT_MEAN, .bvh_axis = BP_BVH_LARGEST_VARIANCE,
                  .bvh_descent = BP_BVH_LARGER_VOLUME)),
    WITH(SETTINGS(.bvh_split = BP_BVH_SPATIAL_MEDIAN, .bvh_descent = BP_BVH_ONE_BEFORE_OTHER)),
    WITH(SETTINGS(.bvh_axis = BP_BVH_LARGEST_VARIANCE, .simd = BP_SIMD_SCALAR)),
    WITH(SETTINGS(.bvh_build = BP_BVH_BOTTOM_UP, .bvh_descent = BP_BVH_LARGER_VOLUME)),
    WITH(SETTINGS(.bvh_build = BP_BVH_BOTTOM_UP, .bvh_descent = BP_BVH_ONE_BEFORE_OTHER, .simd = BP_SIMD_SCALAR)),
    WITH(SETTINGS(.bvh_build = BP_BVH_INSERTION)),
    WITH(SETTINGS(.bvh_build = BP_BVH_INSERTION, .bvh_descent = BP_BVH_LARGER_VOLUME)),
};
static const variant_list VARIANTS = ALL_OF(CONFIGS);
static const steady_scene STEADY = {
    .variants = ALL_OF(CONFIGS), .name = "uniform", .count = COUNT, .warm_up = STEPS / 2, .steps = STEPS / 2};

static const refusal REFUSED[] = {
    {WITH(SETTINGS(.bvh_build = (bp_bvh_build)3)), BP_ERROR_ARGUMENT, "bvh_build"},
    {WITH(SETTINGS(.bvh_split = (bp_bvh_split)3)), BP_ERROR_ARGUMENT, "bvh_split"},
    {WITH(SETTINGS(.bvh_axis = (bp_bvh_axis)2)), BP_ERROR_ARGUMENT, "bvh_axis"},
    {WITH(SETTINGS(.bvh_descent = (bp_bvh_descent)3)), BP_ERROR_ARGUMENT, "bvh_descent"},
};
static const refusal_list REFUSALS = ALL_OF(REFUSED);

static const bp_update_strategy STRATEGIES[] = {BP_UPDATE_AUTOMATIC, BP_UPDATE_INDIVIDUAL, BP_UPDATE_REBUILD};

static bp_config method(bp_config config) {
    config.method = BP_METHOD_BVH;
    return config;
}

static void follows_every_scene_through_time(void **state) {
    (void)state;
    skip_where_threads_are_sanitized();
    for (size_t i = 0; i < scene_count(); ++i) {
        variant tried = CONFIGS[i % COUNT_OF(CONFIGS)];
        for (size_t k = 0; k < COUNT_OF(STRATEGIES); ++k) {
            tried.config.update = STRATEGIES[k];
            check_follows(&tried, scene_name(i), (scene_options){.count = COUNT / 4, .seed = SCENE_SEED});
        }
    }
}

static void empties_and_fills_again(void **state) {
    (void)state;
    skip_where_threads_are_sanitized();
    const bp_config config =
        method((bp_config){.update = BP_UPDATE_INDIVIDUAL, SETTINGS(.bvh_build = BP_BVH_INSERTION)});
    bp_world *world = NULL;
    bp_result result;
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    for (size_t round = 0; round < 3; ++round) {
        for (size_t i = 0; i < 40; ++i) {
            const bp_box box = cube_of((float)i * 0.75f, 0, 0, 1);
            bp_id id = 0;
            assert_int_equal(bp_add(world, &box, NULL, &id), BP_OK);
        }
        assert_int_equal(bp_update(world, &result), BP_OK);
        assert_int_equal(result.pair_count, 39);
        for (bp_id id = 0; id < 40; ++id) {
            assert_int_equal(bp_remove(world, id), BP_OK);
            assert_int_equal(bp_update(world, &result), BP_OK);
            assert_int_equal(bp_world_validate(world), BP_OK);
        }
        assert_int_equal(result.pair_count, 0);
    }
    bp_world_destroy(world);
}

// ---- shape ----------------------------------------------------------------------------------------------------------

// In sorted order, all in one place, and each twice as far as the last: what makes a list of a naive tree.
static void stays_shallow(void **state) {
    (void)state;
    skip_where_threads_are_sanitized();
    enum { MANY = 1000 };
    bp_box rows[3][MANY];
    for (size_t i = 0; i < MANY; ++i) {
        rows[0][i] = cube_of((float)i * 2.0f, 0, 0, 1);
        rows[1][i] = cube_of(7, 7, 7, 1);
        const float at = ldexpf(1.0f, (int)(i % 240) - 120);
        rows[2][i] = cube_of(at, at, at, at / 8);
    }
    for (size_t row = 0; row < COUNT_OF(rows); ++row) {
        for (int build = BP_BVH_TOP_DOWN; build <= BP_BVH_INSERTION; ++build) {
            const bp_config config = method((bp_config){SETTINGS(.bvh_build = (bp_bvh_build)build)});
            const bp_stats stats = stats_of(rows[row], MANY, config);
            assert_true(stats.levels <= (build == BP_BVH_BOTTOM_UP ? 40 : 16));
            assert_true(stats.objects_per_cell_max >= 5 && stats.objects_per_cell_max <= 8);
        }
    }
}

static void tells_what_it_holds(void **state) {
    (void)state;
    skip_where_threads_are_sanitized();
    const bp_stats stats = stats_of_scene("uniform", COUNT, method((bp_config){0}));
    assert_int_equal(stats.occupied, COUNT / 8);
    assert_true(stats.objects_per_cell == 8.0);
    assert_true(stats.levels == 9 && stats.bytes > 0 && stats.tests > 0);
}

// ---- refit ----------------------------------------------------------------------------------------------------------

// Hardly any motion: the tree is kept. A lot: it is built anew before searching costs twice as much.
static void refits_until_a_new_tree_pays(void **state) {
    (void)state;
    skip_where_threads_are_sanitized();
    const char *const scenes[] = {"low-motion", "uniform"};
    for (size_t i = 0; i < COUNT_OF(scenes); ++i) {
        const bp_config config = method((bp_config){0});
        scene *s = open_scene(scenes[i], COUNT);
        bp_world *world = world_of(&config, s);
        bp_result result;
        size_t rebuilt = 0;
        assert_int_equal(bp_update(world, &result), BP_OK);
        const uint64_t tests = result.stats.tests;
        for (size_t step = 0; step < STEPS; ++step) {
            move_with(world, s);
            assert_int_equal(bp_update(world, &result), BP_OK);
            rebuilt += result.stats.update == BP_UPDATE_REBUILD;
            assert_true(result.stats.tests < 3 * tests);
        }
        print_message("%s: built anew in %zu of %d steps\n", scenes[i], rebuilt, STEPS);
        assert_true(i == 0 ? rebuilt <= STEPS / 10 : rebuilt > 0 && rebuilt <= STEPS / 2);
        bp_world_destroy(world);
        scene_destroy(s);
    }
}

// ---- infinite boxes -------------------------------------------------------------------------------------------------

// So many boxes that an infinite one is tested against them in several pieces of work; when it changes, too.
static void tests_infinite_boxes_against_very_many(void **state) {
    (void)state;
    skip_where_threads_are_sanitized();
    enum { MANY = 70000 };
    const bp_config config = method((bp_config){.update = BP_UPDATE_INDIVIDUAL});
    bp_box *boxes = obtain(MANY, sizeof *boxes);
    for (size_t i = 0; i < MANY; ++i) {
        boxes[i] = cube_of(3.0f * (float)i, 0, 0, 1);
    }
    const bp_box wall = {{-INFINITY, 0, 0}, {3.0f * 69000, 1, 1}};
    boxes[MANY / 2] = wall;
    bp_world *world = NULL;
    bp_result result;
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, MANY, boxes, NULL, NULL), BP_OK);
    for (size_t step = 0; step < 3; ++step) {
        assert_int_equal(bp_update(world, &result), BP_OK);
        assert_int_equal(result.pair_count, 69000 + step);
        const bp_box longer = {{-INFINITY, 0, 0}, {3.0f * (float)(69001 + step), 1, 1}};
        assert_int_equal(bp_move(world, MANY / 2, &longer), BP_OK);
    }
    bp_world_destroy(world);
    free(boxes);
}

// ---- growth ---------------------------------------------------------------------------------------------------------

static void tests_hardly_more_than_linearly_many_candidates(void **state) {
    (void)state;
    skip_where_threads_are_sanitized();
    const size_t many = quick() ? 20000 : 1000000;
    const double small = (double)stats_of_scene("uniform", many / 100, method((bp_config){0})).tests;
    const double large = (double)stats_of_scene("uniform", many, method((bp_config){0})).tests;
    const double exponent = log10(large / small) / 2.0;
    print_message("%zu boxes: %.3g tests, %zu: %.3g, exponent %.2f\n", many / 100, small, many, large, exponent);
    assert_true(exponent <= 1.1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_WITH(finds_all_pairs_of_every_scene, VARIANTS),
        TEST_WITH(finds_all_pairs_of_wild_boxes, VARIANTS),
        cmocka_unit_test(follows_every_scene_through_time),
        TEST_WITH(stays_right_while_objects_come_and_go, VARIANTS),
        cmocka_unit_test(empties_and_fills_again),
        cmocka_unit_test(stays_shallow),
        cmocka_unit_test(tells_what_it_holds),
        cmocka_unit_test(refits_until_a_new_tree_pays),
        cmocka_unit_test(tests_infinite_boxes_against_very_many),
        TEST_WITH(refuses_what_makes_no_sense, REFUSALS),
        TEST_WITH(finds_the_same_bytes_with_any_number_of_threads, VARIANTS),
        TEST_WITH(allocates_nothing_in_a_steady_step, STEADY),
        cmocka_unit_test(tests_hardly_more_than_linearly_many_candidates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
