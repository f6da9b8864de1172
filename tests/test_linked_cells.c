// linked-cells: what is special to it. That it finds all pairs is also the business of test_oracle and its companions.
#include "support.h"

#include "scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 2000, STEPS = 30 };

static const bp_config VARIANTS[] = {
    {0},
    {.cell_size = 1.3f, .memory_limit = (size_t)1 << 28},
    {.cell_size = 1000.0f, .memory_limit = (size_t)1 << 28},
    {.domain = {{0, 0, 0}, {5, 6, 7}}},
    {.domain = {{0, 0, 0}, {5, 6, 7}}, .cell_size = 0.3f},
    {.domain = {{3, 3, 3}, {3, 3, 3}}, .cell_size = 0.5f},
    {.memory_limit = 4096 * 64},
    {.simd = BP_SIMD_SCALAR},
};

static bp_config method(bp_config config) {
    config.method = BP_METHOD_LINKED_CELLS;
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

// Compares with the naive answer; a configured cell may also be refused for its memory.
static void compare(const bp_box *boxes, size_t count, bp_config config, const pair_list *expected, const char *what) {
    char text[CONFIG_TEXT];
    bp_pairs pairs = {0};
    const bp_status status = bp_find_pairs(boxes, count, &config, &pairs);
    if (status == BP_ERROR_MEMORY && config.cell_size > 0.0f) {
        bp_pairs_free(&pairs, &config);
        return;
    }
    assert_int_equal(status, BP_OK);
    expect_pairs(pairs.data, pairs.count, expected, "%s n=%zu %s", what, count, config_text(&config, text));
    bp_pairs_free(&pairs, &config);
}

static void compare_variants(const bp_box *boxes, size_t count, uint32_t dimensions, const char *what) {
    pair_list expected = naive_pairs(boxes, count, dimensions);
    for (size_t i = 0; i < COUNT_OF(VARIANTS); ++i) {
        bp_config config = method(VARIANTS[i]);
        config.dimensions = dimensions;
        config.threads = i % 2 == 0 ? 1 : 3;
        compare(boxes, count, config, &expected, what);
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
    rng random = rng_seeded(11);
    bp_box boxes[300];
    for (size_t round = 0; round < (quick() ? 10u : 60u); ++round) {
        const size_t count = rng_below(&random, COUNT_OF(boxes));
        for (size_t i = 0; i < count; ++i) {
            boxes[i] = random_wild_box(&random, boxes, i);
        }
        if (count > 2) { // planes at infinity: max - min is no number
            boxes[1] = (bp_box){{-INFINITY, 0, 0}, {-INFINITY, 1, 1}};
            boxes[2] = (bp_box){{INFINITY, INFINITY, INFINITY}, {INFINITY, INFINITY, INFINITY}};
        }
        compare_variants(boxes, count, 3, "wild");
    }
}

// ---- the domain -----------------------------------------------------------------------------------------------------

static void finds_objects_outside_the_domain(void **state) {
    (void)state;
    const bp_box boxes[] = {cube_of(-50, -50, -50, 1), cube_of(-49.5f, -50, -50, 1), cube_of(0, 0, 0, 1),
                            cube_of(900, 900, 900, 1), cube_of(901, 901, 901, 1),    cube_of(0.5f, 0.5f, 0.5f, 0)};
    const bp_config config = method((bp_config){.domain = {{0, 0, 0}, {10, 10, 10}}, .cell_size = 1.0f});
    bp_pairs pairs = {0};
    assert_int_equal(bp_find_pairs(boxes, COUNT_OF(boxes), &config, &pairs), BP_OK);
    pair_list expected = naive_pairs(boxes, COUNT_OF(boxes), 3);
    assert_int_equal(expected.count, 3);
    expect_pairs(pairs.data, pairs.count, &expected, "outside the domain");
    pair_list_free(&expected);
    bp_pairs_free(&pairs, &config);
}

static void refuses_a_domain_that_is_none(void **state) {
    (void)state;
    const bp_box domains[] = {{{1, 0, 0}, {0, 1, 1}}, {{0, 0, -INFINITY}, {1, 1, 1}}, {{0, NAN, 0}, {1, 1, 1}}};
    for (size_t i = 0; i < COUNT_OF(domains); ++i) {
        test_log log = {0};
        bp_config config = method((bp_config){.domain = domains[i]});
        bp_pairs pairs = {0};
        config.log = test_log_hook(&log);
        assert_int_equal(bp_find_pairs(NULL, 0, &config, &pairs), BP_ERROR_ARGUMENT);
        assert_non_null(strstr(log.text, "domain"));
    }
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static void refuses_a_grid_beyond_the_memory_limit_and_says_what_to_do(void **state) {
    (void)state;
    const bp_box boxes[] = {cube_of(0, 0, 0, 1), cube_of(1000, 1000, 1000, 1)};
    test_log log = {0};
    bp_stats stats = {0};
    bp_config config = method((bp_config){.cell_size = 1.0f, .memory_limit = 1 << 20});
    bp_pairs pairs = {0};
    config.log = test_log_hook(&log);
    config.stats = &stats;
    assert_int_equal(bp_find_pairs(boxes, COUNT_OF(boxes), &config, &pairs), BP_ERROR_MEMORY);
    assert_non_null(strstr(log.text, "cell_size"));
    assert_non_null(strstr(log.text, "memory_limit"));
    config.cell_size = 0.0f; // chosen to fit
    assert_int_equal(bp_find_pairs(boxes, COUNT_OF(boxes), &config, &pairs), BP_OK);
    assert_true(stats.cells * sizeof(uint32_t) <= config.memory_limit);
    config.cell_size = 1e-30f; // more cells than there are numbers, with any limit
    config.domain = (bp_box){{0, 0, 0}, {1000, 1000, 1000}};
    config.memory_limit = 0;
    assert_int_equal(bp_find_pairs(boxes, COUNT_OF(boxes), &config, &pairs), BP_ERROR_MEMORY);
    bp_pairs_free(&pairs, &config);
}

static void chooses_larger_cells_for_less_memory(void **state) {
    (void)state;
    scene *s = scene_for("uniform", COUNT);
    size_t cells = SIZE_MAX;
    for (size_t limit = 1 << 20; limit >= 1 << 17; limit /= 2) {
        bp_stats stats = {0};
        bp_config config = method((bp_config){.memory_limit = limit, .stats = &stats});
        bp_pairs pairs = {0};
        assert_int_equal(bp_find_pairs(scene_boxes(s), COUNT, &config, &pairs), BP_OK);
        assert_true(stats.cells <= cells && stats.cells * sizeof(uint32_t) <= limit);
        cells = stats.cells;
        bp_pairs_free(&pairs, &config);
    }
    scene_destroy(s);
}

static void allocates_nothing_in_a_steady_step(void **state) {
    (void)state;
    test_allocator allocator;
    test_allocator_init(&allocator);
    bp_config config = method((bp_config){.allocator = test_allocator_hook(&allocator)});
    scene *s = scene_for("uniform", COUNT);
    bp_world *world = NULL;
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, COUNT, scene_boxes(s), NULL, NULL), BP_OK);
    for (size_t step = 0; step < STEPS; ++step) {
        scene_step(s);
        if (step == STEPS / 3) {
            test_allocator_fail(&allocator, 0, false);
        }
        assert_int_equal(bp_move_many(world, COUNT, NULL, scene_boxes(s)), BP_OK);
        assert_int_equal(bp_update(world, NULL), BP_OK);
        assert_int_equal(bp_world_validate(world), BP_OK);
    }
    assert_int_equal(allocator.calls, 0);
    bp_world_destroy(world);
    scene_destroy(s);
    test_allocator_finish(&allocator);
}

// ---- the literature's figures ---------------------------------------------------------------------------------------

typedef struct benchmark {
    const char *scene;
    size_t count;
    float cell_size;
    double tests; // per step, by C. Koch, 2020, section 4.1
} benchmark;

static const benchmark BENCHMARKS[] = {
    {"reference", 100000, 1.3f, 8.75e5},
    {"very-polydisperse", 40000, 360.0f, 8.00e8},
    {"very-inhomogeneous", 80000, 7.0f, 2.53e7},
};

static void tests_no_more_candidates_than_the_literature(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(BENCHMARKS) && !quick(); ++i) {
        const benchmark *b = &BENCHMARKS[i];
        scene *s = scene_for(b->scene, b->count);
        bp_stats stats = {0};
        const bp_config config = method((bp_config){.cell_size = b->cell_size, .stats = &stats});
        bp_pairs pairs = {0};
        assert_int_equal(bp_find_pairs(scene_boxes(s), scene_box_count(s), &config, &pairs), BP_OK);
        print_message("%s: %.3g tests, %.3g in the literature\n", b->scene, (double)stats.tests, b->tests);
        assert_true((double)stats.tests <= 1.05 * b->tests);
        bp_pairs_free(&pairs, &config);
        scene_destroy(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_all_pairs_of_every_scene_with_every_option),
        cmocka_unit_test(finds_all_pairs_of_hostile_boxes),
        cmocka_unit_test(finds_objects_outside_the_domain),
        cmocka_unit_test(refuses_a_domain_that_is_none),
        cmocka_unit_test(refuses_a_grid_beyond_the_memory_limit_and_says_what_to_do),
        cmocka_unit_test(chooses_larger_cells_for_less_memory),
        cmocka_unit_test(allocates_nothing_in_a_steady_step),
        cmocka_unit_test(tests_no_more_candidates_than_the_literature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
