// octree: what is special to it. That it finds all pairs is also the business of test_oracle and its companions.
#include "support.h"

#include "scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 2000 };

static const bp_config VARIANTS[] = {
    {0},
    {.octree_max_objects = 1},
    {.octree_max_objects = 3, .simd = BP_SIMD_SCALAR},
    {.octree_max_objects = 100},
    {.octree_max_depth = 1},
    {.octree_max_depth = 4, .octree_max_objects = 2},
    {.octree_max_depth = 21},
    {.domain = {{0, 0, 0}, {5, 6, 7}}},
    {.domain = {{3, 3, 3}, {3, 3, 3}}},
    {.domain = {{-1e30f, -1, -1}, {1e30f, 1, 1}}},
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

static bp_config variant(size_t index, uint32_t dimensions) {
    bp_config config = VARIANTS[index];
    config.method = BP_METHOD_OCTREE;
    config.dimensions = dimensions;
    config.threads = index % 2 == 0 ? 1 : 3;
    return config;
}

static void compare_variants(const bp_box *boxes, size_t count, uint32_t dimensions, const char *what) {
    pair_list expected = naive_pairs(boxes, count, dimensions);
    for (size_t i = 0; i < COUNT_OF(VARIANTS); ++i) {
        const bp_config config = variant(i, dimensions);
        bp_pairs pairs = {0};
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
    rng random = rng_seeded(11);
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

static void refuses_a_depth_that_no_key_holds(void **state) {
    (void)state;
    test_log log = {0};
    bp_pairs pairs = {0};
    const bp_config config = {.method = BP_METHOD_OCTREE, .octree_max_depth = 22, .log = test_log_hook(&log)};
    assert_int_equal(bp_find_pairs(NULL, 0, &config, &pairs), BP_ERROR_ARGUMENT);
    assert_non_null(strstr(log.text, "octree_max_depth"));
}

// ---- the tree through time ------------------------------------------------------------------------------------------

// Objects come and go one by one, so that few leaves are split and merged and their slots mended one by one. The deep
// check of the world compares every slot of every node with what should be there.
static void keeps_its_slots_through_splits_and_merges(void **state) {
    (void)state;
    enum { OBJECTS = 6000, ROUNDS = 60, MOVED = 30 };
    for (uint32_t dimensions = 2; dimensions <= 3; ++dimensions) {
        rng random = rng_seeded(3);
        bp_box *boxes = obtain(OBJECTS, sizeof *boxes);
        bp_world *world = NULL;
        const bp_config config = {.method = BP_METHOD_OCTREE, .dimensions = dimensions, .octree_max_objects = 4};
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
    const bp_config config = {.method = BP_METHOD_OCTREE, .octree_max_objects = 3};
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

static void a_steady_step_allocates_nothing(void **state) {
    (void)state;
    enum { WARM_UP = 10, STEPS = 20 };
    test_allocator allocator;
    scene *moving = scene_for("uniform", 20000);
    bp_world *world = NULL;
    test_allocator_init(&allocator);
    const bp_config config = {.method = BP_METHOD_OCTREE, .allocator = test_allocator_hook(&allocator)};
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, scene_box_count(moving), scene_boxes(moving), NULL, NULL), BP_OK);
    for (int step = 0; step < WARM_UP + STEPS; ++step) {
        scene_step(moving);
        test_allocator_fail(&allocator, 0, false);
        assert_int_equal(bp_move_many(world, scene_box_count(moving), NULL, scene_boxes(moving)), BP_OK);
        assert_int_equal(bp_update(world, NULL), BP_OK);
        assert_true(step < WARM_UP || allocator.calls == 0);
    }
    bp_world_destroy(world);
    scene_destroy(moving);
    test_allocator_finish(&allocator);
}

// ---- how much it tests ----------------------------------------------------------------------------------------------

static double tests_of(const char *name, size_t count, uint32_t depth) {
    bp_stats stats = {0};
    bp_pairs pairs = {0};
    scene *s = scene_for(name, count);
    const bp_config config = {
        .method = BP_METHOD_OCTREE, .octree_max_objects = 11, .octree_max_depth = depth, .stats = &stats};
    assert_int_equal(bp_find_pairs(scene_boxes(s), scene_box_count(s), &config, &pairs), BP_OK);
    bp_pairs_free(&pairs, &config);
    scene_destroy(s);
    return (double)stats.tests;
}

// The figures of the source's tables 1 and 3, for one of its 200 steps.
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

// A few objects that have fallen out of the scene do not coarsen the rest.
static void stragglers_cost_little(void **state) {
    (void)state;
    enum { OBJECTS = 20000, FAR = 3 };
    rng random = rng_seeded(4);
    bp_box *boxes = obtain(OBJECTS, sizeof *boxes);
    bp_stats stats = {0};
    bp_pairs pairs = {0};
    const bp_config config = {.method = BP_METHOD_OCTREE, .stats = &stats};
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
        cmocka_unit_test(refuses_a_depth_that_no_key_holds),
        cmocka_unit_test(keeps_its_slots_through_splits_and_merges),
        cmocka_unit_test(cleans_up_where_the_scene_has_moved_on),
        cmocka_unit_test(finds_all_pairs_whatever_happened_before),
        cmocka_unit_test(a_steady_step_allocates_nothing),
        cmocka_unit_test(tests_no_more_than_the_source),
        cmocka_unit_test(tests_grow_hardly_faster_than_objects),
        cmocka_unit_test(stragglers_cost_little),
        cmocka_unit_test(a_giant_among_small_objects_costs_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
