// sweep-and-prune: what is special to it. That it finds all pairs is also the business of test_oracle and its companions.
#include "support.h"

#include "scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COUNT = 2000, STEPS = 40 };

static const bp_config VARIANTS[] = {
    {0},
    {.sweep_axes = 1},
    {.sweep_axes = 3},
    {.sweep_axes = 1, .simd = BP_SIMD_SCALAR},
    {.update = BP_UPDATE_INDIVIDUAL},
};

static bp_config method(bp_config config) {
    config.method = BP_METHOD_SWEEP_AND_PRUNE;
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
    rng random = rng_seeded(13);
    bp_box boxes[300];
    for (size_t round = 0; round < (quick() ? 10u : 60u); ++round) {
        const size_t count = rng_below(&random, COUNT_OF(boxes));
        for (size_t i = 0; i < count; ++i) {
            boxes[i] = random_wild_box(&random, boxes, i);
        }
        compare_variants(boxes, count, 2 + (uint32_t)round % 2, "wild");
    }
}

static void follow_scene(const char *name, bp_config config, size_t count, double motion) {
    char text[CONFIG_TEXT];
    const scene_options options = {.count = count, .seed = 6, .motion = motion};
    const char *error = NULL;
    scene *s = scene_create(name, &options, &error);
    assert_non_null(s);
    const size_t boxes = scene_box_count(s);
    bp_world *world = NULL;
    config.dimensions = scene_dimensions(s);
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, boxes, scene_boxes(s), NULL, NULL), BP_OK);
    for (size_t step = 0; step < 5; ++step) {
        bp_result result;
        assert_int_equal(bp_update(world, &result), BP_OK);
        assert_int_equal(bp_world_validate(world), BP_OK);
        pair_list expected = naive_pairs(scene_boxes(s), boxes, config.dimensions);
        expect_pairs(result.pairs, result.pair_count, &expected, "%s step %zu motion %g %s", name, step, motion,
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
    const double motions[] = {0.0, 0.001, 0.01};
    for (size_t i = 0; i < scene_count(); ++i) {
        for (size_t k = 0; k < COUNT_OF(VARIANTS) * COUNT_OF(motions); ++k) {
            follow_scene(scene_name(i), method(VARIANTS[k % COUNT_OF(VARIANTS)]), COUNT / 4,
                         motions[k / COUNT_OF(VARIANTS)]);
        }
    }
}

// ---- changes --------------------------------------------------------------------------------------------------------

enum { CHANGING = 400 };

// Coordinates on a coarse lattice, so that many ends meet in one place and touching is common.
static bp_box lattice_cube(rng *random) {
    return cube_of((float)rng_below(random, 12), (float)rng_below(random, 12), (float)rng_below(random, 12), 1.0f);
}

static void change_at_random(bp_world *world, rng *random, bp_box *boxes) {
    const bp_id id = (bp_id)rng_below(random, CHANGING);
    const bool alive = !isnan(boxes[id].min[0]);
    if (alive && rng_below(random, 4) == 0) {
        assert_int_equal(bp_remove(world, id), BP_OK);
        boxes[id] = (bp_box){{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    } else if (alive) {
        bp_box moved = boxes[id];
        moved.min[id % 3] -= 0.25f;
        moved.max[id % 3] -= 0.25f;
        const uint32_t kind = (uint32_t)rng_below(random, 16);
        boxes[id] = kind == 0 ? random_wild_box(random, NULL, 0) : kind < 4 ? lattice_cube(random) : moved;
        assert_int_equal(bp_move(world, id, &boxes[id]), BP_OK);
    } else {
        bp_id given = 0;
        const bp_box box = lattice_cube(random);
        assert_int_equal(bp_add(world, &box, NULL, &given), BP_OK);
        boxes[given] = box;
    }
}

static void stays_right_while_objects_come_and_go(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(VARIANTS); ++i) {
        bp_config config = method(VARIANTS[i]);
        rng random = rng_seeded(200 + i);
        bp_box boxes[CHANGING];
        bp_world *world = NULL;
        config.dimensions = 2 + (uint32_t)i % 2;
        assert_int_equal(bp_world_create(&config, &world), BP_OK);
        for (size_t k = 0; k < CHANGING; ++k) {
            boxes[k] = lattice_cube(&random);
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
            pair_list expected = naive_pairs(boxes, CHANGING, config.dimensions);
            expect_pairs(result.pairs, result.pair_count, &expected, "variant %zu round %zu", i, round);
            pair_list_free(&expected);
        }
        bp_world_destroy(world);
    }
}

// ---- work -----------------------------------------------------------------------------------------------------------

typedef struct effort {
    double tests;   // per step
    double seconds; // the least of all steps, of processor time
    size_t afresh;  // steps that sorted afresh
    size_t levels;  // axes in use at the end
} effort;

static effort effort_of(const char *name, size_t count, uint32_t axes, size_t steps) {
    const bp_config config = method((bp_config){.sweep_axes = axes});
    scene *s = scene_for(name, count);
    bp_world *world = NULL;
    bp_result result;
    effort e = {.seconds = INFINITY};
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, count, scene_boxes(s), NULL, NULL), BP_OK);
    for (size_t step = 0; step < steps + 2; ++step) {
        const clock_t start = clock();
        assert_int_equal(bp_update(world, &result), BP_OK);
        const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        if (step >= 2) { // the first two find out how objects move
            e.tests += (double)result.stats.tests / (double)steps;
            e.seconds = seconds < e.seconds ? seconds : e.seconds;
            e.afresh += result.stats.update == BP_UPDATE_REBUILD;
        }
        scene_step(s);
        assert_int_equal(bp_move_many(world, count, NULL, scene_boxes(s)), BP_OK);
    }
    e.levels = result.stats.levels;
    bp_world_destroy(world);
    scene_destroy(s);
    return e;
}

static void keeps_pairs_while_objects_move_little(void **state) {
    (void)state;
    const size_t count = quick() ? 20000 : 100000;
    for (uint32_t axes = 0; axes <= 3; axes += 3) {
        const effort calm = effort_of("low-motion", count, axes, 4), wild = effort_of("uniform", count, axes, 4);
        print_message("axes %u: 1 %% motion %.1f ms and %.3g tests, 20 %% motion %.1f ms and %.3g tests\n", axes,
                      calm.seconds * 1e3, calm.tests, wild.seconds * 1e3, wild.tests);
        assert_int_equal(calm.afresh, 0);
        assert_int_equal(calm.levels, 3);
        assert_true(calm.tests < wild.tests / 4.0);
        assert_true(quick() || calm.seconds < 0.7 * wild.seconds);
    }
}

static void sweeps_afresh_while_objects_move_much(void **state) {
    (void)state;
    const effort e = effort_of("uniform", 20000, 0, 4);
    assert_int_equal(e.afresh, 4);
    assert_int_equal(e.levels, 1);
}

// A thousand objects join at once: they are sorted in, not sifted past each other.
static void takes_in_many_objects_in_less_than_quadratic_time(void **state) {
    (void)state;
    enum { MANY = 20000 };
    const bp_config config = method((bp_config){.sweep_axes = 3});
    scene *s = scene_for("uniform", MANY);
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

static void sweeps_along_the_axis_of_largest_variance(void **state) {
    (void)state;
    const bp_config config = method((bp_config){.sweep_axes = 1});
    bp_box boxes[500];
    for (int axis = 0; axis < 3; ++axis) {
        bp_stats stats = {0};
        bp_config counting = config;
        bp_pairs pairs = {0};
        counting.stats = &stats;
        for (size_t i = 0; i < COUNT_OF(boxes); ++i) { // a row: every other axis would test all pairs
            float corner[3] = {0.0f, 0.0f, 0.0f};
            corner[axis] = 3.0f * (float)i;
            boxes[i] = cube_of(corner[0], corner[1], corner[2], 1.0f);
        }
        assert_int_equal(bp_find_pairs(boxes, COUNT_OF(boxes), &counting, &pairs), BP_OK);
        assert_int_equal(stats.tests, 0);
        bp_pairs_free(&pairs, &config);
    }
}

// ---- the rest -------------------------------------------------------------------------------------------------------

static void refuses_other_numbers_of_axes(void **state) {
    (void)state;
    const uint32_t wrong[] = {2, 4, UINT32_MAX};
    for (size_t i = 0; i < COUNT_OF(wrong); ++i) {
        test_log log = {0};
        bp_config config = method((bp_config){.sweep_axes = wrong[i]});
        bp_pairs pairs = {0};
        config.log = test_log_hook(&log);
        assert_int_equal(bp_find_pairs(NULL, 0, &config, &pairs), BP_ERROR_ARGUMENT);
        assert_non_null(strstr(log.text, "sweep_axes"));
    }
}

static void allocates_nothing_in_a_steady_step(void **state) {
    (void)state;
    const char *const scenes[] = {"uniform", "low-motion"};
    for (size_t i = 0; i < 2 * COUNT_OF(VARIANTS); ++i) {
        test_allocator allocator;
        test_allocator_init(&allocator);
        bp_config config = method(VARIANTS[i / 2]);
        config.allocator = test_allocator_hook(&allocator);
        scene *s = scene_for(scenes[i % 2], COUNT);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_all_pairs_of_every_scene_with_every_option),
        cmocka_unit_test(finds_all_pairs_of_hostile_boxes),
        cmocka_unit_test(follows_every_scene_through_time),
        cmocka_unit_test(stays_right_while_objects_come_and_go),
        cmocka_unit_test(keeps_pairs_while_objects_move_little),
        cmocka_unit_test(sweeps_afresh_while_objects_move_much),
        cmocka_unit_test(takes_in_many_objects_in_less_than_quadratic_time),
        cmocka_unit_test(sweeps_along_the_axis_of_largest_variance),
        cmocka_unit_test(refuses_other_numbers_of_axes),
        cmocka_unit_test(allocates_nothing_in_a_steady_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
