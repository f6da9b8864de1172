// spatial-hash: what is special to it. That it finds all pairs is also tested by test_oracle and others.
#include "support/method_checks.h"

#include <string.h>

enum { COUNT = 2000 };

#define WITH(...) VARIANT_OF(BP_METHOD_SPATIAL_HASH, __VA_ARGS__)

static const variant CONFIGS[] = {
    WITH(),
    WITH(SETTINGS(.hash_table = BP_HASH_OPEN)),
    WITH(SETTINGS(.cell_size = 1.3f)),
    WITH(SETTINGS(.cell_size = 0.2f, .hash_table = BP_HASH_OPEN, .hash_cell_limit = 1000)),
    WITH(SETTINGS(.cell_size = 50.0f, .hash_table = BP_HASH_OPEN)),
    WITH(SETTINGS(.cell_size = 1e-3f, .hash_cell_limit = 8)), // nearly all are large
    WITH(SETTINGS(.hash_cell_limit = 1)),                     // only what lies in one cell is not large
    WITH(SETTINGS(.hash_table = BP_HASH_OPEN, .simd = BP_SIMD_SCALAR)),
};
static const variant_list VARIANTS = ALL_OF(CONFIGS), TABLES = {CONFIGS, 2};
static const steady_scene STEADY = {
    .variants = {CONFIGS, 2}, .name = "uniform", .count = COUNT, .warm_up = 10, .steps = 20};

static const refusal REFUSED[] = {
    {WITH(SETTINGS(.hash_table = (bp_hash_table)2)), BP_ERROR_ARGUMENT, "hash_table"},
};
static const refusal_list REFUSALS = ALL_OF(REFUSED);

static bp_config method(bp_config config) {
    config.method = BP_METHOD_SPATIAL_HASH;
    return config;
}

// Two boxes for each way in which they can lie to a cell corner: the shared cells are 1, 2, 4 or 8, the pair is one.
static void reports_a_pair_that_shares_several_cells_once(void **state) {
    (void)state;
    const float lows[] = {-0.6f, -0.1f, 0.0f, 0.4f};
    const bp_config config = method((bp_config){SETTINGS(.cell_size = 1.0f)});
    for (size_t i = 0; i < 4 * 4 * 4; ++i) {
        for (size_t j = 0; j < 4 * 4 * 4; ++j) {
            const bp_box boxes[] = {box_of(lows[i & 3], lows[i >> 2 & 3], lows[i >> 4], 0.9f, 0.9f, 0.9f),
                                    box_of(lows[j & 3], lows[j >> 2 & 3], lows[j >> 4], 1.5f, 0.8f, 1.9f)};
            bp_pairs pairs = {0};
            assert_int_equal(bp_find_pairs(boxes, 2, &config, &pairs), BP_OK);
            pair_list expected = naive_pairs(boxes, 2, 3);
            expect_pairs(pairs.data, pairs.count, &expected, "corner %zu %zu", i, j);
            pair_list_free(&expected);
            bp_pairs_free(&pairs, &config);
        }
    }
}

static void keeps_the_load_of_the_tables(void **state) {
    (void)state;
    const char *const names[] = {"uniform", "sparse", "very-inhomogeneous", "points", "far"};
    for (size_t i = 0; i < COUNT_OF(names); ++i) {
        scene *s = open_scene(names[i], COUNT);
        const bp_stats chained = stats_of(scene_boxes(s), COUNT, method((bp_config){0}));
        const bp_stats open =
            stats_of(scene_boxes(s), COUNT, method((bp_config){SETTINGS(.hash_table = BP_HASH_OPEN)}));
        assert_true(chained.occupied <= chained.cells);
        assert_true(2 * open.occupied <= open.cells);
        assert_int_equal(chained.occupied, open.occupied);
        assert_int_equal(chained.tests, open.tests);
        scene_destroy(s);
    }
}

static void keeps_memory_where_the_space_grows(void **state) {
    (void)state;
    bp_box boxes[1000];
    size_t bytes[2];
    for (size_t k = 0; k < 2; ++k) {
        rng random = rng_seeded(3);
        for (size_t i = 0; i < COUNT_OF(boxes); ++i) {
            boxes[i] = random_cube(&random, k == 0 ? 1e3 : 1e5, 1.0);
        }
        bytes[k] = stats_of(boxes, COUNT_OF(boxes), method((bp_config){SETTINGS(.cell_size = 1.5f)})).bytes;
    }
    assert_true(bytes[1] < bytes[0] * 11 / 10);
}

// Objects that are a power of two of cells apart: their hashes must not agree.
static void spreads_a_lattice_over_the_table(void **state) {
    (void)state;
    enum { EDGE = 12 };
    bp_box boxes[EDGE * EDGE * EDGE];
    for (uint32_t shift = 0; shift <= 20; shift += 4) {
        const float apart = (float)(1u << shift);
        for (size_t i = 0; i < COUNT_OF(boxes); ++i) {
            const float x = (float)(i % EDGE), y = (float)(i / EDGE % EDGE), z = (float)(i / EDGE / EDGE);
            boxes[i] = cube_of(apart * x + 0.25f, apart * y + 0.25f, apart * z + 0.25f, 0.5f);
        }
        for (int table = BP_HASH_CHAINED; table <= BP_HASH_OPEN; ++table) {
            const bp_config config =
                method((bp_config){SETTINGS(.cell_size = 1.0f, .hash_table = (bp_hash_table)table)});
            const bp_stats stats = stats_of(boxes, COUNT_OF(boxes), config);
            assert_true(stats.occupied >= COUNT_OF(boxes));
            assert_true(stats.cells <= 16 * stats.occupied);
        }
    }
}

static void refuses_more_entries_than_can_be_counted(void **state) {
    (void)state;
    const bp_box boxes[] = {cube_of(0, 0, 0, 1300), cube_of(0, 0, 0, 1300), cube_of(0, 0, 0, 1300)};
    test_log log = {0};
    bp_config config = method((bp_config){SETTINGS(.cell_size = 1.0f, .hash_cell_limit = UINT32_MAX)});
    bp_pairs pairs = {0};
    config.log = test_log_hook(&log);
    if (!quick()) {
        assert_int_equal(bp_find_pairs(boxes, COUNT_OF(boxes), &config, &pairs), BP_ERROR_MEMORY);
        assert_non_null(strstr(log.text, "hash_cell_limit"));
    }
    bp_pairs_free(&pairs, &config);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_WITH(finds_all_pairs_of_every_scene, VARIANTS),
        TEST_WITH(finds_all_pairs_of_wild_boxes, VARIANTS),
        TEST_WITH(finds_all_pairs_between_sets, TABLES),
        cmocka_unit_test(reports_a_pair_that_shares_several_cells_once),
        cmocka_unit_test(keeps_the_load_of_the_tables),
        cmocka_unit_test(keeps_memory_where_the_space_grows),
        cmocka_unit_test(spreads_a_lattice_over_the_table),
        TEST_WITH(refuses_what_makes_no_sense, REFUSALS),
        cmocka_unit_test(refuses_more_entries_than_can_be_counted),
        TEST_WITH(allocates_nothing_in_a_steady_step, STEADY),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
