// spatial-hash: what is special to it. That it finds all pairs is also the business of test_oracle and its companions.
#include "support.h"

#include "scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 2000, STEPS = 30 };

static const bp_config VARIANTS[] = {
    {0},
    {.hash_table = BP_HASH_OPEN},
    {.cell_size = 1.3f},
    {.cell_size = 0.2f, .hash_table = BP_HASH_OPEN, .hash_cell_limit = 1000},
    {.cell_size = 50.0f, .hash_table = BP_HASH_OPEN},
    {.cell_size = 1e-3f, .hash_cell_limit = 8}, // nearly all are large
    {.hash_cell_limit = 1},                     // only what lies in one cell is not large
    {.hash_table = BP_HASH_OPEN, .simd = BP_SIMD_SCALAR},
};

static bp_config method(bp_config config) {
    config.method = BP_METHOD_SPATIAL_HASH;
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

static void compare_variants(const bp_box *boxes, size_t count, uint32_t dimensions, const char *what) {
    pair_list expected = naive_pairs(boxes, count, dimensions);
    for (size_t i = 0; i < COUNT_OF(VARIANTS); ++i) {
        char text[CONFIG_TEXT];
        bp_pairs pairs = {0};
        bp_config config = method(VARIANTS[i]);
        config.dimensions = dimensions;
        config.threads = i % 2 == 0 ? 1 : 3;
        assert_int_equal(bp_find_pairs(boxes, count, &config, &pairs), BP_OK);
        expect_pairs(pairs.data, pairs.count, &expected, "%s n=%zu variant %zu %s", what, count, i,
                     config_text(&config, text));
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
        if (count > 2) { // planes at infinity: max - min is no number
            boxes[1] = (bp_box){{-INFINITY, 0, 0}, {-INFINITY, 1, 1}};
            boxes[2] = (bp_box){{INFINITY, INFINITY, INFINITY}, {INFINITY, INFINITY, INFINITY}};
        }
        compare_variants(boxes, count, 3, "wild");
    }
}

// Queries that look up cells, and queries that cover more cells than there are.
static void finds_pairs_between_sets_of_any_sizes(void **state) {
    (void)state;
    rng random = rng_seeded(13);
    bp_box a[150], b[200];
    for (size_t i = 0; i < COUNT_OF(b); ++i) {
        b[i] = random_wild_box(&random, b, i);
        a[i % COUNT_OF(a)] = random_wild_box(&random, b, i);
    }
    pair_list expected = naive_pairs_between(a, COUNT_OF(a), b, COUNT_OF(b), 3);
    for (size_t i = 0; i < COUNT_OF(VARIANTS); ++i) {
        bp_pairs pairs = {0};
        const bp_config config = method(VARIANTS[i]);
        assert_int_equal(bp_find_pairs_between(a, COUNT_OF(a), b, COUNT_OF(b), &config, &pairs), BP_OK);
        expect_pairs(pairs.data, pairs.count, &expected, "between, variant %zu", i);
        bp_pairs_free(&pairs, &config);
    }
    pair_list_free(&expected);
}

// Two boxes for each way in which they can lie to a cell corner: the shared cells are 1, 2, 4 or 8, the pair is one.
static void reports_a_pair_that_shares_several_cells_once(void **state) {
    (void)state;
    const float lows[] = {-0.6f, -0.1f, 0.0f, 0.4f};
    const bp_config config = method((bp_config){.cell_size = 1.0f});
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

static bp_stats stats_of(const bp_box *boxes, size_t count, bp_config config) {
    bp_stats stats = {0};
    bp_pairs pairs = {0};
    config.stats = &stats;
    assert_int_equal(bp_find_pairs(boxes, count, &config, &pairs), BP_OK);
    bp_pairs_free(&pairs, &config);
    return stats;
}

static void keeps_the_load_of_the_tables(void **state) {
    (void)state;
    const char *const names[] = {"uniform", "sparse", "very-inhomogeneous", "points", "far"};
    for (size_t i = 0; i < COUNT_OF(names); ++i) {
        scene *s = scene_for(names[i], COUNT);
        const bp_stats chained = stats_of(scene_boxes(s), COUNT, method((bp_config){0}));
        const bp_stats open = stats_of(scene_boxes(s), COUNT, method((bp_config){.hash_table = BP_HASH_OPEN}));
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
        bytes[k] = stats_of(boxes, COUNT_OF(boxes), method((bp_config){.cell_size = 1.5f})).bytes;
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
            const bp_config config = method((bp_config){.cell_size = 1.0f, .hash_table = (bp_hash_table)table});
            const bp_stats stats = stats_of(boxes, COUNT_OF(boxes), config);
            assert_true(stats.occupied >= COUNT_OF(boxes));
            assert_true(stats.cells <= 16 * stats.occupied);
        }
    }
}

static void refuses_a_table_that_is_none(void **state) {
    (void)state;
    test_log log = {0};
    bp_config config = method((bp_config){.hash_table = (bp_hash_table)2});
    bp_pairs pairs = {0};
    config.log = test_log_hook(&log);
    assert_int_equal(bp_find_pairs(NULL, 0, &config, &pairs), BP_ERROR_ARGUMENT);
    assert_non_null(strstr(log.text, "hash_table"));
}

static void refuses_more_entries_than_can_be_counted(void **state) {
    (void)state;
    const bp_box boxes[] = {cube_of(0, 0, 0, 1300), cube_of(0, 0, 0, 1300), cube_of(0, 0, 0, 1300)};
    test_log log = {0};
    bp_config config = method((bp_config){.cell_size = 1.0f, .hash_cell_limit = UINT32_MAX});
    bp_pairs pairs = {0};
    config.log = test_log_hook(&log);
    if (!quick()) {
        assert_int_equal(bp_find_pairs(boxes, COUNT_OF(boxes), &config, &pairs), BP_ERROR_MEMORY);
        assert_non_null(strstr(log.text, "hash_cell_limit"));
    }
    bp_pairs_free(&pairs, &config);
}

static void allocates_nothing_in_a_steady_step(void **state) {
    (void)state;
    for (int table = BP_HASH_CHAINED; table <= BP_HASH_OPEN; ++table) {
        test_allocator allocator;
        test_allocator_init(&allocator);
        bp_config config = method((bp_config){.hash_table = (bp_hash_table)table});
        config.allocator = test_allocator_hook(&allocator);
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
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_all_pairs_of_every_scene_with_every_option),
        cmocka_unit_test(finds_all_pairs_of_hostile_boxes),
        cmocka_unit_test(finds_pairs_between_sets_of_any_sizes),
        cmocka_unit_test(reports_a_pair_that_shares_several_cells_once),
        cmocka_unit_test(keeps_the_load_of_the_tables),
        cmocka_unit_test(keeps_memory_where_the_space_grows),
        cmocka_unit_test(spreads_a_lattice_over_the_table),
        cmocka_unit_test(refuses_a_table_that_is_none),
        cmocka_unit_test(refuses_more_entries_than_can_be_counted),
        cmocka_unit_test(allocates_nothing_in_a_steady_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
