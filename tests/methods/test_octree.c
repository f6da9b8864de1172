// octree: what is special to it. That it finds all pairs is also tested by test_oracle and others.
#include "support/method_checks.h"

#include <math.h>
#include <stdlib.h>

#define WITH(...) VARIANT_OF(BP_METHOD_OCTREE, __VA_ARGS__)

static const variant CONFIGS[] = {
    WITH(),
    WITH(SETTINGS(.octree_max_objects = 1)),
    WITH(SETTINGS(.octree_max_objects = 3, .simd = BP_SIMD_SCALAR)),
    WITH(SETTINGS(.octree_max_objects = 100)),
    WITH(SETTINGS(.octree_max_depth = 1)),
    WITH(SETTINGS(.octree_max_depth = 4, .octree_max_objects = 2)),
    WITH(SETTINGS(.octree_max_depth = 21)),
    WITH(SETTINGS(.domain = {{0, 0, 0}, {5, 6, 7}})),
    WITH(SETTINGS(.domain = {{3, 3, 3}, {3, 3, 3}})),
    WITH(SETTINGS(.domain = {{-1e30f, -1, -1}, {1e30f, 1, 1}})),
};
static const variant_list VARIANTS = ALL_OF(CONFIGS);
static const variant_list DEFAULTS = {CONFIGS, 1};
static const steady_scene STEADY = {.variants = {CONFIGS, 1},
                                    .name = "uniform",
                                    .count = 20000,
                                    .warm_up = 10,
                                    .steps = 20,
                                    .validation_allocates = true};

static const refusal REFUSED[] = {
    {WITH(SETTINGS(.octree_max_depth = 22)), BP_ERROR_ARGUMENT, "octree_max_depth"},
};
static const refusal_list REFUSALS = ALL_OF(REFUSED);

// ---- the tree through time ------------------------------------------------------------------------------------------

// Objects come and go one by one, so that few leaves are split and merged. The deep check of the world compares the neighbours
// that every leaf knows with those that it has.
static void knows_its_neighbours_through_splits_and_merges(void **state) {
    (void)state;
    enum { OBJECTS = 6000, ROUNDS = 60, MOVED = 30 };
    for (uint32_t dimensions = 2; dimensions <= 3; ++dimensions) {
        rng random = rng_seeded(3);
        bp_box *boxes = obtain(OBJECTS, sizeof *boxes);
        bp_world *world = NULL;
        const bp_config config = {
            .method = BP_METHOD_OCTREE, .dimensions = dimensions, SETTINGS(.octree_max_objects = 4)};
        assert_int_equal(bp_world_create(&config, &world), BP_OK);
        for (size_t i = 0; i < OBJECTS; ++i) {
            boxes[i] = random_cube(&random, 40.0, i % 2 == 0 ? 0.5 : 0.1);
        }
        assert_int_equal(bp_add_many(world, OBJECTS, boxes, NULL, NULL), BP_OK);
        for (int round = 0; round < ROUNDS; ++round) {
            const double place = round % 20 < 10 ? 3.0 : 40.0; // into a heap, and out of it
            for (int i = 0; i < MOVED; ++i) {
                const bp_id id = rng_below(&random, OBJECTS);
                boxes[id] = random_cube(&random, place, 0.2);
                assert_int_equal(bp_move(world, id, &boxes[id]), BP_OK);
            }
            assert_int_equal(bp_update(world, NULL), BP_OK);
            assert_int_equal(bp_world_validate(world), BP_OK);
        }
        bp_result result;
        pair_list expected = naive_pairs(boxes, OBJECTS, dimensions);
        assert_int_equal(bp_update(world, &result), BP_OK);
        expect_pairs(result.pairs, result.pair_count, &expected, "after %d rounds, dimensions=%u", ROUNDS, dimensions);
        pair_list_free(&expected);
        bp_world_destroy(world);
        free(boxes);
    }
}

static size_t leaves_with_heap_at(bp_world *world, float x) {
    enum { HEAP = 4000 };
    rng random = rng_seeded(9);
    bp_result result;
    for (bp_id id = 0; id < HEAP; ++id) {
        bp_box box = random_cube(&random, 20.0, 0.1);
        box.min[0] += x;
        box.max[0] += x;
        assert_int_equal(bp_move(world, id, &box), BP_OK);
    }
    assert_int_equal(bp_update(world, &result), BP_OK);
    assert_int_equal(bp_world_validate(world), BP_OK);
    return result.stats.cells;
}

// A heap of objects wanders through a large scene: what it leaves behind is merged again.
static void cleans_up_where_the_scene_has_moved_on(void **state) {
    (void)state;
    bp_box boxes[4200];
    rng random = rng_seeded(8);
    bp_world *world = NULL;
    const bp_config config = {.method = BP_METHOD_OCTREE};
    for (size_t i = 0; i < COUNT_OF(boxes); ++i) {
        boxes[i] = random_cube(&random, 1000.0, 0.1);
    }
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, COUNT_OF(boxes), boxes, NULL, NULL), BP_OK);
    const size_t first = leaves_with_heap_at(world, -400.0f);
    for (float x = -390.0f; x < 400.0f; x += 10.0f) {
        assert_true(leaves_with_heap_at(world, x) < 2 * first);
    }
    bp_world_destroy(world);
}

// A tree that is used step after step finds what a new one finds, however the cube, the sizes and the number change.
static void finds_all_pairs_whatever_happened_before(void **state) {
    (void)state;
    enum { MOST = 700, ROUNDS = 40 };
    rng random = rng_seeded(21);
    bp_world *world = NULL;
    bp_box boxes[MOST];
    const bp_config config = {.method = BP_METHOD_OCTREE, SETTINGS(.octree_max_objects = 3)};
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    for (size_t i = 0; i < MOST; ++i) {
        boxes[i] = random_cube(&random, 10.0, 0.3);
    }
    assert_int_equal(bp_add_many(world, MOST, boxes, NULL, NULL), BP_OK);
    for (int round = 0; round < ROUNDS; ++round) {
        const double extent = (double)random_magnitude(&random, 1e-3, 1e6);
        const double size = extent * (double)random_magnitude(&random, 1e-4, 0.3);
        for (size_t i = 0; i < MOST; ++i) {
            boxes[i] = round % 4 == 3 ? random_wild_box(&random, boxes, i) : random_cube(&random, extent, size);
        }
        bp_result result;
        assert_int_equal(bp_move_many(world, MOST, NULL, boxes), BP_OK);
        assert_int_equal(bp_update(world, &result), BP_OK);
        assert_int_equal(bp_world_validate(world), BP_OK);
        pair_list expected = naive_pairs(boxes, MOST, 3);
        expect_pairs(result.pairs, result.pair_count, &expected, "round %d", round);
        pair_list_free(&expected);
    }
    bp_world_destroy(world);
}

// ---- how much it tests ----------------------------------------------------------------------------------------------

static double tests_of(const char *name, size_t count, uint32_t depth) {
    const bp_config config = {.method = BP_METHOD_OCTREE,
                              SETTINGS(.octree_max_objects = 11, .octree_max_depth = depth)};
    return (double)stats_of_scene(name, count, config).tests;
}

// The figures of Koch 2020, tables 1 and 3, for one of its 200 steps.
static void tests_no_more_than_the_source(void **state) {
    (void)state;
    const double reference = tests_of("reference", 100000, 6), uneven = tests_of("very-inhomogeneous", 80000, 10);
    print_message("candidates: reference %.3g (source 4.52e6), very-inhomogeneous %.3g (source 4.86e6)\n", reference,
                  uneven);
    assert_true(reference <= 1.05 * 4.52e6);
    assert_true(uneven <= 1.05 * 4.86e6);
}

static void tests_grow_hardly_faster_than_objects(void **state) {
    (void)state;
    const double exponent = log10(tests_of("uniform", 100000, 0) / tests_of("uniform", 10000, 0));
    print_message("exponent of candidates in n: %.3f\n", exponent);
    assert_true(exponent <= 1.2);
}

// One giant does not make the tree useless.
static void a_giant_among_small_objects_costs_little(void **state) {
    (void)state;
    assert_true(tests_of("very-polydisperse", 20000, 0) < 100.0 * 20000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_WITH(finds_all_pairs_of_every_scene, VARIANTS),
        TEST_WITH(finds_all_pairs_of_wild_boxes, VARIANTS),
        TEST_WITH(refuses_what_makes_no_sense, REFUSALS),
        cmocka_unit_test(knows_its_neighbours_through_splits_and_merges),
        cmocka_unit_test(cleans_up_where_the_scene_has_moved_on),
        cmocka_unit_test(finds_all_pairs_whatever_happened_before),
        TEST_WITH(allocates_nothing_in_a_steady_step, STEADY),
        cmocka_unit_test(tests_no_more_than_the_source),
        cmocka_unit_test(tests_grow_hardly_faster_than_objects),
        TEST_WITH(stragglers_cost_little, DEFAULTS),
        cmocka_unit_test(a_giant_among_small_objects_costs_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
