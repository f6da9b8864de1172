// loose-octree: what is special to it. That it finds all pairs is also the business of test_oracle and its companions.
#include "support.h"

#include "scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 2000 };

static const bp_config VARIANTS[] = {
    {0},
    {.looseness = 1.0f},
    {.looseness = 1.0f, .octree_max_objects = 1, .simd = BP_SIMD_SCALAR},
    {.looseness = 1.3f},
    {.looseness = 2.0f, .octree_max_objects = 1},
    {.looseness = 8.0f},
    {.octree_max_depth = 2},
    {.domain = {{0, 0, 0}, {5, 6, 7}}},
    {.domain = {{3, 3, 3}, {3, 3, 3}}, .looseness = 1.0f},
};

static scene *scene_for(const char *name, size_t count) {
    const scene_options options = {.count = count, .seed = 5};
    const char *error = NULL;
    scene *made = scene_create(name, &options, &error);
    if (made == NULL) {
        fail_msg("scene %s: %s", name, error);
    }
    return made;
}

static void compare_variants(const bp_box *boxes, size_t count, uint32_t dimensions, const char *what) {
    pair_list expected = naive_pairs(boxes, count, dimensions);
    for (size_t i = 0; i < COUNT_OF(VARIANTS); ++i) {
        bp_config config = VARIANTS[i];
        bp_pairs pairs = {0};
        config.method = BP_METHOD_LOOSE_OCTREE;
        config.dimensions = dimensions;
        config.threads = i % 2 == 0 ? 1 : 3;
        assert_int_equal(bp_find_pairs(boxes, count, &config, &pairs), BP_OK);
        expect_pairs(pairs.data, pairs.count, &expected, "%s n=%zu dimensions=%u variant %zu", what, count, dimensions,
                     i);
        bp_pairs_free(&pairs, &config);
    }
    pair_list_free(&expected);
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
        compare_variants(boxes, count, 3, "wild");
        compare_variants(boxes, count, 2, "wild");
    }
}

static void refuses_a_looseness_that_is_none(void **state) {
    (void)state;
    static const float wrong[] = {0.5f, -1.0f, 9.0f, INFINITY, NAN};
    for (size_t i = 0; i < COUNT_OF(wrong); ++i) {
        test_log log = {0};
        bp_pairs pairs = {0};
        const bp_config config = {.method = BP_METHOD_LOOSE_OCTREE, .looseness = wrong[i], .log = test_log_hook(&log)};
        assert_int_equal(bp_find_pairs(NULL, 0, &config, &pairs), BP_ERROR_ARGUMENT);
        assert_non_null(strstr(log.text, "looseness"));
    }
}

static void a_steady_step_allocates_nothing(void **state) {
    (void)state;
    enum { WARM_UP = 10, STEPS = 20 };
    static const char *const names[] = {"uniform", "mixed"};
    for (size_t i = 0; i < COUNT_OF(names); ++i) {
        test_allocator allocator;
        scene *moving = scene_for(names[i], 20000);
        bp_world *world = NULL;
        test_allocator_init(&allocator);
        const bp_config config = {.method = BP_METHOD_LOOSE_OCTREE, .allocator = test_allocator_hook(&allocator)};
        assert_int_equal(bp_world_create(&config, &world), BP_OK);
        assert_int_equal(bp_add_many(world, scene_box_count(moving), scene_boxes(moving), NULL, NULL), BP_OK);
        for (int step = 0; step < WARM_UP + STEPS; ++step) {
            scene_step(moving);
            test_allocator_fail(&allocator, 0, false);
            assert_int_equal(bp_move_many(world, scene_box_count(moving), NULL, scene_boxes(moving)), BP_OK);
            assert_int_equal(bp_update(world, NULL), BP_OK);
            assert_true(step < WARM_UP || allocator.calls == 0);
            assert_int_equal(bp_world_validate(world), BP_OK);
        }
        bp_world_destroy(world);
        scene_destroy(moving);
        test_allocator_finish(&allocator);
    }
}

static bp_stats stats_of(const char *name, size_t count, float looseness) {
    bp_stats stats = {0};
    bp_pairs pairs = {0};
    scene *s = scene_for(name, count);
    const bp_config config = {.method = BP_METHOD_LOOSE_OCTREE, .looseness = looseness, .stats = &stats};
    assert_int_equal(bp_find_pairs(scene_boxes(s), scene_box_count(s), &config, &pairs), BP_OK);
    bp_pairs_free(&pairs, &config);
    scene_destroy(s);
    return stats;
}

// The straddling problem that the source found, and its cure.
static void looseness_cures_straddling(void **state) {
    (void)state;
    const bp_stats plain = stats_of("uniform", 20000, 1.0f), loose = stats_of("uniform", 20000, 2.0f);
    print_message("candidates per object: looseness 1 %.1f, looseness 2 %.1f; in the fullest node %zu and %zu\n",
                  (double)plain.tests / 20000, (double)loose.tests / 20000, plain.objects_per_cell_max,
                  loose.objects_per_cell_max);
    assert_true(plain.tests > 10 * loose.tests);
    assert_true(plain.objects_per_cell_max > 20 * loose.objects_per_cell_max);
}

static void tests_grow_hardly_faster_than_objects(void **state) {
    (void)state;
    static const char *const names[] = {"uniform", "mixed", "polydisperse"};
    for (size_t i = 0; i < COUNT_OF(names); ++i) {
        const double few = (double)stats_of(names[i], 5000, 0.0f).tests,
                     many = (double)stats_of(names[i], 50000, 0.0f).tests;
        print_message("exponent of candidates in n on %s: %.3f\n", names[i], log10(many / few));
        assert_true(log10(many / few) <= 1.2);
    }
}

// A few objects that have fallen out of the scene do not coarsen the rest.
static void stragglers_cost_little(void **state) {
    (void)state;
    enum { OBJECTS = 20000, FAR = 3 };
    rng random = rng_seeded(4);
    bp_box *boxes = obtain(OBJECTS, sizeof *boxes);
    bp_stats stats = {0};
    bp_pairs pairs = {0};
    const bp_config config = {.method = BP_METHOD_LOOSE_OCTREE, .stats = &stats};
    for (size_t i = 0; i < OBJECTS; ++i) {
        boxes[i] = i < FAR ? cube_of((float)i * 1e9f, -1e12f, 7.0f, 1.0f) : random_cube(&random, 60.0, 1.0);
    }
    assert_int_equal(bp_find_pairs(boxes, OBJECTS, &config, &pairs), BP_OK);
    assert_true(stats.tests < 100 * OBJECTS);
    bp_pairs_free(&pairs, &config);
    free(boxes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_all_pairs_of_every_scene_with_every_option),
        cmocka_unit_test(finds_all_pairs_of_hostile_boxes),
        cmocka_unit_test(refuses_a_looseness_that_is_none),
        cmocka_unit_test(a_steady_step_allocates_nothing),
        cmocka_unit_test(looseness_cures_straddling),
        cmocka_unit_test(tests_grow_hardly_faster_than_objects),
        cmocka_unit_test(stragglers_cost_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
