// bvh: what is special to it. That it finds all pairs is also the business of test_oracle and its companions.
#include "support.h"

#include "scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COUNT = 2000, STEPS = 60 };

static const bp_config VARIANTS[] = {
    {0},
    {.bvh_split = BP_BVH_OBJECT_MEAN, .bvh_axis = BP_BVH_LARGEST_VARIANCE, .bvh_descent = BP_BVH_LARGER_VOLUME},
    {.bvh_split = BP_BVH_SPATIAL_MEDIAN, .bvh_descent = BP_BVH_ONE_BEFORE_OTHER},
    {.bvh_axis = BP_BVH_LARGEST_VARIANCE, .simd = BP_SIMD_SCALAR},
    {.bvh_build = BP_BVH_BOTTOM_UP, .bvh_descent = BP_BVH_LARGER_VOLUME},
    {.bvh_build = BP_BVH_BOTTOM_UP, .bvh_descent = BP_BVH_ONE_BEFORE_OTHER, .simd = BP_SIMD_SCALAR},
    {.bvh_build = BP_BVH_INSERTION},
    {.bvh_build = BP_BVH_INSERTION, .bvh_descent = BP_BVH_LARGER_VOLUME},
};

static const bp_update_strategy STRATEGIES[] = {BP_UPDATE_AUTOMATIC, BP_UPDATE_INDIVIDUAL, BP_UPDATE_REBUILD};

static bp_config method(bp_config config) {
    config.method = BP_METHOD_BVH;
    return config;
}

static scene *scene_for(const char *name, size_t count) {
    const scene_options options = {.count = count, .seed = 5};
    const char *error = NULL;
    scene *made = scene_create(name, &options, &error);
    if (made == NULL) {
        fail_msg("scene %s: %s", name, error);
    }
    return made;
}

// ---- against the naive answer ---------------------------------------------------------------------------------------

static void compare_variants(const bp_box *boxes, size_t count, uint32_t dimensions, const char *what) {
    char text[CONFIG_TEXT];
    const size_t half = count / 2;
    pair_list inside = naive_pairs(boxes, count, dimensions);
    pair_list between = naive_pairs_between(boxes, half, boxes + half, count - half, dimensions);
    for (size_t i = 0; i < COUNT_OF(VARIANTS); ++i) {
        bp_config config = method(VARIANTS[i]);
        bp_pairs pairs = {0};
        config.dimensions = dimensions;
        config.threads = i % 2 == 0 ? 1 : 3;
        assert_int_equal(bp_find_pairs(boxes, count, &config, &pairs), BP_OK);
        expect_pairs(pairs.data, pairs.count, &inside, "%s variant %zu %s", what, i, config_text(&config, text));
        assert_int_equal(bp_find_pairs_between(boxes, half, boxes + half, count - half, &config, &pairs), BP_OK);
        expect_pairs(pairs.data, pairs.count, &between, "%s between, variant %zu %s", what, i,
                     config_text(&config, text));
        bp_pairs_free(&pairs, &config);
    }
    pair_list_free(&inside);
    pair_list_free(&between);
}

static void finds_all_pairs_of_every_scene_with_every_option(void **state) {
    (void)state;
    for (size_t i = 0; i < scene_count(); ++i) {
        scene *s = scene_for(scene_name(i), quick() ? COUNT / 4 : COUNT);
        compare_variants(scene_boxes(s), scene_box_count(s), 3, scene_name(i));
        compare_variants(scene_boxes(s), scene_box_count(s), 2, scene_name(i));
        scene_destroy(s);
    }
}

static void finds_all_pairs_of_hostile_boxes(void **state) {
    (void)state;
    rng random = rng_seeded(12);
    bp_box boxes[300];
    for (size_t round = 0; round < (quick() ? 10u : 60u); ++round) {
        const size_t count = rng_below(&random, COUNT_OF(boxes));
        for (size_t i = 0; i < count; ++i) {
            boxes[i] = random_wild_box(&random, boxes, i);
        }
        compare_variants(boxes, count, 2 + (uint32_t)round % 2, "wild");
    }
}

static void follow_scene(const char *name, bp_config config, size_t count) {
    char text[CONFIG_TEXT];
    scene *s = scene_for(name, count);
    const size_t boxes = scene_box_count(s);
    bp_world *world = NULL;
    config.dimensions = scene_dimensions(s);
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, boxes, scene_boxes(s), NULL, NULL), BP_OK);
    for (size_t step = 0; step < 4; ++step) {
        bp_result result;
        assert_int_equal(bp_update(world, &result), BP_OK);
        assert_int_equal(bp_world_validate(world), BP_OK);
        pair_list expected = naive_pairs(scene_boxes(s), boxes, config.dimensions);
        expect_pairs(result.pairs, result.pair_count, &expected, "%s step %zu %s", name, step,
                     config_text(&config, text));
        pair_list_free(&expected);
        scene_step(s);
        assert_int_equal(bp_move_many(world, boxes, NULL, scene_boxes(s)), BP_OK);
    }
    bp_world_destroy(world);
    scene_destroy(s);
}

static void follows_every_scene_through_time(void **state) {
    (void)state;
    for (size_t i = 0; i < scene_count(); ++i) {
        bp_config config = method(VARIANTS[i % COUNT_OF(VARIANTS)]);
        for (size_t k = 0; k < COUNT_OF(STRATEGIES); ++k) {
            config.update = STRATEGIES[k];
            follow_scene(scene_name(i), config, COUNT / 4);
        }
    }
}

// ---- changes --------------------------------------------------------------------------------------------------------

enum { CHANGING = 400 };

static void change_at_random(bp_world *world, rng *random, bp_box *boxes) {
    const bp_id id = (bp_id)rng_below(random, CHANGING);
    const bool alive = !isnan(boxes[id].min[0]);
    if (alive && rng_below(random, 3) == 0) {
        assert_int_equal(bp_remove(world, id), BP_OK);
        boxes[id] = (bp_box){{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    } else if (alive) {
        const bool wild = rng_below(random, 8) == 0;
        boxes[id] = wild ? random_wild_box(random, NULL, 0) : random_cube(random, 12.0, 1.0);
        assert_int_equal(bp_move(world, id, &boxes[id]), BP_OK);
    } else {
        bp_id given = 0;
        const bp_box box = random_cube(random, 12.0, 1.5);
        assert_int_equal(bp_add(world, &box, NULL, &given), BP_OK);
        boxes[given] = box;
    }
}

// Few changes between updates, and sometimes many: so that boxes move one by one, the tree is refitted, and built anew.
static void stays_right_while_objects_come_and_go(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(VARIANTS); ++i) {
        bp_config config = method(VARIANTS[i]);
        rng random = rng_seeded(100 + i);
        bp_box boxes[CHANGING];
        bp_world *world = NULL;
        config.update = i % 2 == 0 ? BP_UPDATE_AUTOMATIC : BP_UPDATE_INDIVIDUAL;
        assert_int_equal(bp_world_create(&config, &world), BP_OK);
        for (size_t k = 0; k < CHANGING; ++k) {
            boxes[k] = random_cube(&random, 12.0, 1.0);
        }
        assert_int_equal(bp_add_many(world, CHANGING, boxes, NULL, NULL), BP_OK);
        for (size_t round = 0; round < (quick() ? 60u : 300u); ++round) {
            const size_t changes = round % 10 == 9 ? CHANGING : 1 + rng_below(&random, 12);
            for (size_t k = 0; k < changes; ++k) {
                change_at_random(world, &random, boxes);
            }
            bp_result result;
            assert_int_equal(bp_update(world, &result), BP_OK);
            assert_int_equal(bp_world_validate(world), BP_OK);
            pair_list expected = naive_pairs(boxes, CHANGING, 3);
            expect_pairs(result.pairs, result.pair_count, &expected, "variant %zu round %zu", i, round);
            pair_list_free(&expected);
        }
        bp_world_destroy(world);
    }
}

static void empties_and_fills_again(void **state) {
    (void)state;
    const bp_config config = method((bp_config){.update = BP_UPDATE_INDIVIDUAL, .bvh_build = BP_BVH_INSERTION});
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

static bp_stats stats_of(const bp_box *boxes, size_t count, bp_config config) {
    bp_stats stats = {0};
    bp_pairs pairs = {0};
    config.stats = &stats;
    assert_int_equal(bp_find_pairs(boxes, count, &config, &pairs), BP_OK);
    bp_pairs_free(&pairs, &config);
    return stats;
}

// In sorted order, all in one place, and each twice as far as the last: what makes a list of a naive tree.
static void stays_shallow(void **state) {
    (void)state;
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
            const bp_config config = method((bp_config){.bvh_build = (bp_bvh_build)build});
            const bp_stats stats = stats_of(rows[row], MANY, config);
            assert_true(stats.levels <= (build == BP_BVH_BOTTOM_UP ? 40 : 16));
            assert_true(stats.objects_per_cell_max >= 5 && stats.objects_per_cell_max <= 8);
        }
    }
}

static void tells_what_it_holds(void **state) {
    (void)state;
    scene *s = scene_for("uniform", COUNT);
    const bp_stats stats = stats_of(scene_boxes(s), COUNT, method((bp_config){0}));
    assert_int_equal(stats.occupied, COUNT / 8);
    assert_true(stats.objects_per_cell == 8.0);
    assert_true(stats.levels == 9 && stats.bytes > 0 && stats.tests > 0);
    scene_destroy(s);
}

// ---- refit ----------------------------------------------------------------------------------------------------------

// Hardly any motion: the tree is kept. A lot: it is built anew before searching costs twice as much.
static void refits_until_a_new_tree_pays(void **state) {
    (void)state;
    const char *const scenes[] = {"low-motion", "uniform"};
    for (size_t i = 0; i < COUNT_OF(scenes); ++i) {
        const bp_config config = method((bp_config){0});
        scene *s = scene_for(scenes[i], COUNT);
        bp_world *world = NULL;
        bp_result result;
        size_t rebuilt = 0;
        assert_int_equal(bp_world_create(&config, &world), BP_OK);
        assert_int_equal(bp_add_many(world, COUNT, scene_boxes(s), NULL, NULL), BP_OK);
        assert_int_equal(bp_update(world, &result), BP_OK);
        const uint64_t tests = result.stats.tests;
        for (size_t step = 0; step < STEPS; ++step) {
            scene_step(s);
            assert_int_equal(bp_move_many(world, COUNT, NULL, scene_boxes(s)), BP_OK);
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

// ---- the rest -------------------------------------------------------------------------------------------------------

static void refuses_what_is_no_choice(void **state) {
    (void)state;
    const bp_config wrong[] = {{.bvh_build = (bp_bvh_build)3},
                               {.bvh_split = (bp_bvh_split)3},
                               {.bvh_axis = (bp_bvh_axis)2},
                               {.bvh_descent = (bp_bvh_descent)3}};
    const char *const names[] = {"bvh_build", "bvh_split", "bvh_axis", "bvh_descent"};
    for (size_t i = 0; i < COUNT_OF(wrong); ++i) {
        test_log log = {0};
        bp_config config = method(wrong[i]);
        bp_pairs pairs = {0};
        config.log = test_log_hook(&log);
        assert_int_equal(bp_find_pairs(NULL, 0, &config, &pairs), BP_ERROR_ARGUMENT);
        assert_non_null(strstr(log.text, names[i]));
    }
}

static void finds_the_same_bytes_with_any_number_of_threads(void **state) {
    (void)state;
    scene *s = scene_for("mixed", 20000);
    for (size_t i = 0; i < COUNT_OF(VARIANTS); ++i) {
        bp_config config = method(VARIANTS[i]);
        bp_pairs first = {0}, pairs = {0};
        config.executor = thread_executor(1);
        assert_int_equal(bp_find_pairs(scene_boxes(s), scene_box_count(s), &config, &first), BP_OK);
        for (uint32_t workers = 2; workers <= 8; workers *= 2) {
            config.executor = workers == 4 ? reverse_executor(workers) : thread_executor(workers);
            assert_int_equal(bp_find_pairs(scene_boxes(s), scene_box_count(s), &config, &pairs), BP_OK);
            expect_same_bytes(pairs.data, pairs.count, first.data, first.count, "variant %zu, %u workers", i, workers);
        }
        bp_pairs_free(&first, &config);
        bp_pairs_free(&pairs, &config);
    }
    scene_destroy(s);
}

static void allocates_nothing_in_a_steady_step(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(VARIANTS); ++i) {
        test_allocator allocator;
        test_allocator_init(&allocator);
        bp_config config = method(VARIANTS[i]);
        config.allocator = test_allocator_hook(&allocator);
        scene *s = scene_for("uniform", COUNT);
        bp_world *world = NULL;
        assert_int_equal(bp_world_create(&config, &world), BP_OK);
        assert_int_equal(bp_add_many(world, COUNT, scene_boxes(s), NULL, NULL), BP_OK);
        for (size_t step = 0; step < STEPS; ++step) {
            scene_step(s);
            if (step == STEPS / 2) {
                test_allocator_fail(&allocator, 0, false);
            }
            assert_int_equal(bp_move_many(world, COUNT, NULL, scene_boxes(s)), BP_OK);
            assert_int_equal(bp_update(world, NULL), BP_OK);
        }
        assert_int_equal(allocator.calls, 0);
        bp_world_destroy(world);
        scene_destroy(s);
        test_allocator_finish(&allocator);
    }
}

// ---- growth ---------------------------------------------------------------------------------------------------------

// The least processor time of some runs, in seconds.
static double time_of(size_t count, size_t runs) {
    scene *s = scene_for("uniform", count);
    const bp_config config = method((bp_config){0});
    bp_pairs pairs = {0};
    double least = INFINITY;
    for (size_t i = 0; i < runs; ++i) {
        const clock_t start = clock();
        assert_int_equal(bp_find_pairs(scene_boxes(s), count, &config, &pairs), BP_OK);
        const double time = (double)(clock() - start) / CLOCKS_PER_SEC;
        least = time < least ? time : least;
    }
    bp_pairs_free(&pairs, &config);
    scene_destroy(s);
    return least;
}

static void takes_hardly_more_than_linear_time(void **state) {
    (void)state;
    if (quick()) {
        skip();
    }
    const double small = time_of(10000, 20), large = time_of(1000000, 3);
    const double exponent = log10(large / small) / 2.0;
    print_message("10^4: %.2f ms, 10^6: %.1f ms, exponent %.2f\n", small * 1e3, large * 1e3, exponent);
    assert_true(exponent <= 1.2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_all_pairs_of_every_scene_with_every_option),
        cmocka_unit_test(finds_all_pairs_of_hostile_boxes),
        cmocka_unit_test(follows_every_scene_through_time),
        cmocka_unit_test(stays_right_while_objects_come_and_go),
        cmocka_unit_test(empties_and_fills_again),
        cmocka_unit_test(stays_shallow),
        cmocka_unit_test(tells_what_it_holds),
        cmocka_unit_test(refits_until_a_new_tree_pays),
        cmocka_unit_test(refuses_what_is_no_choice),
        cmocka_unit_test(finds_the_same_bytes_with_any_number_of_threads),
        cmocka_unit_test(allocates_nothing_in_a_steady_step),
        cmocka_unit_test(takes_hardly_more_than_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
