// config.settings: NULL means the defaults, and the library keeps no pointer to them.
#include "support/support.h"

#include "support/world_streams.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 600, STEPS = 4, SEED = 11 };

// Something else than the default for every method.
static const bp_method_settings UNUSUAL = {
    .simd = BP_SIMD_SCALAR,
    .brute_force_below = 1,
    .cell_size = 1.5f,
    .hierarchy_factor = 3.0f,
    .grid_form = BP_GRID_LINKED,
    .memory_limit = 1 << 24,
    .hash_table = BP_HASH_OPEN,
    .pivot_layout = BP_PIVOTS_DENSE,
    .grid_entries = BP_ENTRIES_FOOTPRINT,
    .compact_keys = BP_KEYS_Z_CURVE,
    .compact_sort = BP_SORT_RADIX,
    .octree_max_objects = 3,
    .looseness = 1.5f,
    .bvh_build = BP_BVH_BOTTOM_UP,
    .sweep_axes = 1,
};

static void fill(bp_box *boxes) {
    rng random = rng_seeded(SEED);
    for (size_t i = 0; i < COUNT; ++i) {
        boxes[i] = random_cube(&random, 8.0, i % 20 == 0 ? 2.0 : 0.6);
    }
}

static void drift(bp_box *boxes) {
    for (size_t i = 0; i < COUNT; ++i) {
        boxes[i].min[i % 3] += 0.1f;
        boxes[i].max[i % 3] += 0.1f;
    }
}

// The same pairs, found in the same way.
static void expect_same(const bp_result *a, const bp_result *b, size_t method, int step) {
    expect_same_bytes(a->pairs, a->pair_count, b->pairs, b->pair_count, "%s, step %d", bp_method_name(method), step);
    assert_int_equal(a->stats.method, b->stats.method);
    assert_int_equal(a->stats.tests, b->stats.tests);
    assert_int_equal(a->stats.levels, b->stats.levels);
    assert_int_equal(a->stats.cells, b->stats.cells);
}

// Takes both worlds with it.
static void live_side_by_side(bp_world *a, bp_world *b, size_t method) {
    bp_world *worlds[] = {a, b};
    bp_box boxes[COUNT];
    fill(boxes);
    for (int step = 0; step < STEPS; ++step) {
        bp_result results[COUNT_OF(worlds)];
        for (size_t i = 0; i < COUNT_OF(worlds); ++i) {
            const bp_status status = step == 0 ? bp_add_many(worlds[i], COUNT, boxes, NULL, NULL)
                                               : bp_move_many(worlds[i], COUNT, NULL, boxes);
            assert_int_equal(status, BP_OK);
            assert_int_equal(bp_update(worlds[i], &results[i]), BP_OK);
        }
        expect_same(&results[0], &results[1], method, step);
        pair_list expected = naive_pairs(boxes, COUNT, 3);
        expect_pairs(results[0].pairs, results[0].pair_count, &expected, "%s, step %d", bp_method_name(method), step);
        pair_list_free(&expected);
        drift(boxes);
    }
    bp_world_destroy(a);
    bp_world_destroy(b);
}

static bp_world *world_with(size_t method, const bp_method_settings *settings) {
    const bp_config config = {.method = (bp_method)method, .settings = settings};
    bp_world *world = NULL;
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    return world;
}

// ---- tests ----------------------------------------------------------------------------------------------------------

static void none_are_the_defaults(void **state) {
    (void)state;
    const bp_method_settings zero = {0};
    for (size_t method = 0; method < bp_method_count(); ++method) {
        live_side_by_side(world_with(method, NULL), world_with(method, &zero), method);
    }
}

// Memory that is overwritten and given back: what still points there reads nonsense, and ASan says so.
static void a_world_outlives_its_settings(void **state) {
    (void)state;
    for (size_t method = 0; method < bp_method_count(); ++method) {
        bp_method_settings *settings = obtain(1, sizeof *settings);
        *settings = UNUSUAL;
        bp_world *world = world_with(method, settings);
        memset(settings, 0xff, sizeof *settings);
        free(settings);
        live_side_by_side(world, world_with(method, &UNUSUAL), method);
    }
}

static bp_world *load_with(stream *from, size_t method, const bp_method_settings *settings) {
    const bp_config config = {.method = (bp_method)method, .settings = settings};
    return load(&config, from);
}

static void a_loaded_world_outlives_its_settings(void **state) {
    (void)state;
    for (size_t method = 0; method < bp_method_count(); ++method) {
        bp_world *world = world_with(method, NULL);
        stream saved = save(world);
        bp_world_destroy(world);
        bp_method_settings settings = UNUSUAL;
        world = load_with(&saved, method, &settings);
        memset(&settings, 0xff, sizeof settings);
        live_side_by_side(world, load_with(&saved, method, &UNUSUAL), method);
        stream_free(&saved);
    }
}

static void the_log_says_where_a_bad_field_is(void **state) {
    (void)state;
    test_log log = {.count = 0};
    bp_config config = {.log = test_log_hook(&log), SETTINGS(.cell_size = -1.0f)};
    bp_world *world = NULL;
    assert_int_equal(bp_world_create(&config, &world), BP_ERROR_ARGUMENT);
    assert_non_null(strstr(log.text, "settings.cell_size"));
    config = (bp_config){.log = test_log_hook(&log), .dimensions = 4};
    assert_int_equal(bp_world_create(&config, &world), BP_ERROR_ARGUMENT);
    assert_non_null(strstr(log.text, "config.dimensions"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none_are_the_defaults),
        cmocka_unit_test(a_world_outlives_its_settings),
        cmocka_unit_test(a_loaded_world_outlives_its_settings),
        cmocka_unit_test(the_log_says_where_a_bad_field_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
