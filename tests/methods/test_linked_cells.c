// linked-cells: what is special to it. That it finds all pairs is also tested by test_oracle and others.
#include "support/method_checks.h"

#include <math.h>
#include <string.h>

enum { COUNT = 2000 };

#define WITH(...) VARIANT_OF(BP_METHOD_LINKED_CELLS, __VA_ARGS__)

static const variant CONFIGS[] = {
    WITH(),
    WITH(SETTINGS(.cell_size = 1.3f, .memory_limit = (size_t)1 << 28)),
    WITH(SETTINGS(.cell_size = 1000.0f, .memory_limit = (size_t)1 << 28)),
    WITH(SETTINGS(.domain = {{0, 0, 0}, {5, 6, 7}})),
    WITH(SETTINGS(.domain = {{0, 0, 0}, {5, 6, 7}}, .cell_size = 0.3f)),
    WITH(SETTINGS(.domain = {{3, 3, 3}, {3, 3, 3}}, .cell_size = 0.5f)),
    WITH(SETTINGS(.memory_limit = 4096 * 64)),
    WITH(SETTINGS(.simd = BP_SIMD_SCALAR)),
};
static const variant_list VARIANTS = ALL_OF(CONFIGS);
static const steady_scene STEADY = {
    .variants = {CONFIGS, 1}, .name = "uniform", .count = COUNT, .warm_up = 10, .steps = 20};

static const refusal REFUSED[] = {
    {WITH(SETTINGS(.domain = {{1, 0, 0}, {0, 1, 1}})), BP_ERROR_ARGUMENT, "domain"},
    {WITH(SETTINGS(.domain = {{0, 0, -INFINITY}, {1, 1, 1}})), BP_ERROR_ARGUMENT, "domain"},
    {WITH(SETTINGS(.domain = {{0, NAN, 0}, {1, 1, 1}})), BP_ERROR_ARGUMENT, "domain"},
};
static const refusal_list REFUSALS = ALL_OF(REFUSED);

static bp_config method(bp_config config) {
    config.method = BP_METHOD_LINKED_CELLS;
    return config;
}

// ---- the domain -----------------------------------------------------------------------------------------------------

static void finds_objects_outside_the_domain(void **state) {
    (void)state;
    const bp_box boxes[] = {cube_of(-50, -50, -50, 1), cube_of(-49.5f, -50, -50, 1), cube_of(0, 0, 0, 1),
                            cube_of(900, 900, 900, 1), cube_of(901, 901, 901, 1),    cube_of(0.5f, 0.5f, 0.5f, 0)};
    const bp_config config = method((bp_config){SETTINGS(.domain = {{0, 0, 0}, {10, 10, 10}}, .cell_size = 1.0f)});
    bp_pairs pairs = {0};
    assert_int_equal(bp_find_pairs(boxes, COUNT_OF(boxes), &config, &pairs), BP_OK);
    pair_list expected = naive_pairs(boxes, COUNT_OF(boxes), 3);
    assert_int_equal(expected.count, 3);
    expect_pairs(pairs.data, pairs.count, &expected, "outside the domain");
    pair_list_free(&expected);
    bp_pairs_free(&pairs, &config);
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static void refuses_a_grid_beyond_the_memory_limit_and_says_what_to_do(void **state) {
    (void)state;
    const bp_box boxes[] = {cube_of(0, 0, 0, 1), cube_of(1000, 1000, 1000, 1)};
    test_log log = {0};
    bp_stats stats = {0};
    bp_method_settings settings = {.cell_size = 1.0f, .memory_limit = 1 << 20};
    bp_config config = method((bp_config){.settings = &settings});
    bp_pairs pairs = {0};
    config.log = test_log_hook(&log);
    config.stats = &stats;
    assert_int_equal(bp_find_pairs(boxes, COUNT_OF(boxes), &config, &pairs), BP_ERROR_MEMORY);
    assert_non_null(strstr(log.text, "cell_size"));
    assert_non_null(strstr(log.text, "memory_limit"));
    settings.cell_size = 0.0f; // chosen to fit
    assert_int_equal(bp_find_pairs(boxes, COUNT_OF(boxes), &config, &pairs), BP_OK);
    assert_true(stats.cells * sizeof(uint32_t) <= settings.memory_limit);
    settings.cell_size = 1e-30f; // more cells than there are numbers, with any limit
    settings.domain = (bp_box){{0, 0, 0}, {1000, 1000, 1000}};
    settings.memory_limit = 0;
    assert_int_equal(bp_find_pairs(boxes, COUNT_OF(boxes), &config, &pairs), BP_ERROR_MEMORY);
    bp_pairs_free(&pairs, &config);
}

static void chooses_larger_cells_for_less_memory(void **state) {
    (void)state;
    size_t cells = SIZE_MAX;
    for (size_t limit = 1 << 20; limit >= 1 << 17; limit /= 2) {
        const bp_stats stats = stats_of_scene("uniform", COUNT, method((bp_config){SETTINGS(.memory_limit = limit)}));
        assert_true(stats.cells <= cells && stats.cells * sizeof(uint32_t) <= limit);
        cells = stats.cells;
    }
}

// ---- cells as large as the largest objects --------------------------------------------------------------------------

// Rounding makes some of them larger than the cells. They are not worth keeping apart.
static void objects_as_large_as_the_cells_live_in_them(void **state) {
    (void)state;
    const bp_stats exact = stats_of_scene("polydisperse", 20000, method((bp_config){SETTINGS(.cell_size = 4.0f)}));
    const bp_stats roomy = stats_of_scene("polydisperse", 20000, method((bp_config){SETTINGS(.cell_size = 4.01f)}));
    print_message("cells of 4: %.0f tests, of 4.01: %.0f\n", (double)exact.tests, (double)roomy.tests);
    assert_true((double)exact.tests <= 1.1 * (double)roomy.tests);
}

// ---- the literature's figures ---------------------------------------------------------------------------------------

typedef struct benchmark {
    const char *scene;
    size_t count;
    float cell_size;
    double tests; // per step, Koch 2020, section 4.1
} benchmark;

static const benchmark BENCHMARKS[] = {
    {"reference", 100000, 1.3f, 8.75e5},
    {"polydisperse", 50000, 4.0f, 5.60e5},
    {"very-polydisperse", 40000, 360.0f, 8.00e8},
    {"very-inhomogeneous", 80000, 7.0f, 2.53e7},
};

static void tests_no_more_candidates_than_the_literature(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(BENCHMARKS) && !quick(); ++i) {
        const benchmark *b = &BENCHMARKS[i];
        const bp_config config = method((bp_config){SETTINGS(.cell_size = b->cell_size)});
        const bp_stats stats = stats_of_scene(b->scene, b->count, config);
        print_message("%s: %.3g tests, %.3g in the literature\n", b->scene, (double)stats.tests, b->tests);
        assert_true((double)stats.tests <= 1.05 * b->tests);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_WITH(finds_all_pairs_of_every_scene, VARIANTS),
        TEST_WITH(finds_all_pairs_of_wild_boxes, VARIANTS),
        cmocka_unit_test(finds_objects_outside_the_domain),
        TEST_WITH(refuses_what_makes_no_sense, REFUSALS),
        cmocka_unit_test(refuses_a_grid_beyond_the_memory_limit_and_says_what_to_do),
        cmocka_unit_test(chooses_larger_cells_for_less_memory),
        TEST_WITH(allocates_nothing_in_a_steady_step, STEADY),
        cmocka_unit_test(objects_as_large_as_the_cells_live_in_them),
        cmocka_unit_test(tests_no_more_candidates_than_the_literature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
