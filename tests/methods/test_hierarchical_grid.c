// hierarchical-grid: what is special to it. That it finds all pairs is also tested by test_oracle and others.
#include "support/method_checks.h"

#include <math.h>

#define WITH(...) VARIANT_OF(BP_METHOD_HIERARCHICAL_GRID, __VA_ARGS__)

// ---- few large objects among many small ones ------------------------------------------------------------------------

enum { SMALL = 3000, LARGE = 40, WALLS = 6, SLABS = 1, ALL = SMALL + LARGE + WALLS + SLABS };
static const float EDGE = 60.0f, SMALL_SIZE = 1.0f, LARGE_SIZE = 20.0f; // of the domain and of objects

static bp_box wall(size_t index) {
    bp_box box = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    if (index % 2 == 0) {
        box.max[index / 2] = -EDGE / 2;
    } else {
        box.min[index / 2] = EDGE / 2;
    }
    return box;
}

// Large ones first, so that every level has ids below and above those of the others; walls around all, a slab across.
static void make_boxes(bp_box boxes[ALL]) {
    rng random = rng_seeded(7);
    size_t count = 0;
    for (size_t i = 0; i < LARGE; ++i) {
        boxes[count++] = random_cube(&random, EDGE, LARGE_SIZE);
    }
    for (size_t i = 0; i < SMALL; ++i) {
        boxes[count++] = random_cube(&random, EDGE, SMALL_SIZE);
    }
    for (size_t i = 0; i < WALLS; ++i) {
        boxes[count++] = wall(i);
    }
    boxes[count] = (bp_box){{-INFINITY, -INFINITY, 3.0f}, {INFINITY, INFINITY, 3.5f}};
}

static const variant VARIANTS[] = {
    WITH(SETTINGS(.brute_force_below = 1)),
    WITH(SETTINGS(.brute_force_below = 1, .hierarchy_factor = 2.0f)),
    WITH(SETTINGS(.brute_force_below = 1, .hierarchy_factor = 2.0f, .grid_size = {4, 4, 4}, .grid_load = 1e9f)),
    WITH(SETTINGS(.brute_force_below = 1, .hierarchy_factor = 30.0f)),
    WITH(.threads = 3, SETTINGS(.brute_force_below = 1, .hierarchy_factor = 2.0f)),
    WITH(SETTINGS(.brute_force_below = 1, .hierarchy_factor = 2.0f, .simd = BP_SIMD_SCALAR)),
};

static void finds_few_large_objects_among_many_small_ones(void **state) {
    (void)state;
    static bp_box boxes[ALL];
    make_boxes(boxes);
    pair_list expected = naive_pairs(boxes, ALL, 3);
    for (size_t i = 0; i < COUNT_OF(VARIANTS); ++i) {
        bp_pairs pairs = {0};
        assert_int_equal(bp_find_pairs(boxes, ALL, &VARIANTS[i].config, &pairs), BP_OK);
        expect_pairs(pairs.data, pairs.count, &expected, "few large boxes: %s", VARIANTS[i].label);
        bp_pairs_free(&pairs, NULL);
    }
    pair_list_free(&expected);
}

// The few search the cells of the many: otherwise each small one would search the cells of the large ones, which are
// never empty.
static void the_few_look_for_the_many(void **state) {
    (void)state;
    static bp_box boxes[ALL];
    make_boxes(boxes);
    const bp_stats stats = stats_of(boxes, LARGE + SMALL, VARIANTS[1].config);
    print_message("%.0f tests for %.0f pairs\n", (double)stats.tests, (double)stats.pairs);
    assert_int_equal(stats.levels, 2);
    assert_true(stats.tests < SMALL * LARGE / 8);
}

// ---- walls ----------------------------------------------------------------------------------------------------------

// Objects at a wall are tested against it, others hardly ever.
static void walls_cost_little(void **state) {
    (void)state;
    const bp_config config = {.method = BP_METHOD_HIERARCHICAL_GRID};
    scene *subject = open_scene("reference", 40000); // more than strips are for
    const size_t finite = scene_finite_count(subject);
    const bp_stats without = stats_of(scene_boxes(subject), finite, config);
    const bp_stats with = stats_of(scene_boxes(subject), scene_box_count(subject), config);
    print_message("tests with six walls %.0f, without %.0f\n", (double)with.tests, (double)without.tests);
    assert_true(with.tests - without.tests < finite / 4);
    scene_destroy(subject);
}

// ---- the literature's figures ---------------------------------------------------------------------------------------

typedef struct benchmark {
    const char *scene;
    size_t count;
    double tests; // per step, Koch 2020, section 4.1
} benchmark;

static const benchmark BENCHMARKS[] = {
    {"reference", 100000, 9.60e5},   {"inhomogeneous", 100000, 7.95e5},    {"very-inhomogeneous", 80000, 7.10e5},
    {"polydisperse", 50000, 3.27e5}, {"more-polydisperse", 80000, 2.09e6}, {"very-polydisperse", 40000, 3.01e5},
};

// Koch's grids have 128^3 cells and never grow.
static void tests_no_more_candidates_than_the_literature(void **state) {
    (void)state;
    const bp_config config = {.method = BP_METHOD_HIERARCHICAL_GRID,
                              SETTINGS(.hierarchy_factor = 2.0f, .grid_size = {128, 128, 128}, .grid_load = 1e9f)};
    for (size_t i = 0; i < COUNT_OF(BENCHMARKS) && !quick(); ++i) {
        const benchmark *b = &BENCHMARKS[i];
        const bp_stats stats = stats_of_scene(b->scene, b->count, config);
        print_message("%s: %.3g tests, %.3g in the literature\n", b->scene, (double)stats.tests, b->tests);
        assert_true((double)stats.tests <= 1.05 * b->tests);
    }
}

// ---- the patched grid -----------------------------------------------------------------------------------------------

// Boxes that drift out of their cells stay where they are, up to some slack: whatever comes near must look that much
// further, in both directions. A pair that begins or ends there is one that only just touches.
static void finds_pairs_with_boxes_that_have_left_their_cells(void **state) {
    (void)state;
    enum { DRIFTING = 2000, EACH_STEP = 100, STEPS = 60 };
    const bp_config config = {.method = BP_METHOD_TREE};
    static bp_box boxes[DRIFTING];
    rng random = rng_seeded(3);
    bp_world *world = NULL;
    size_t patched = 0;
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    for (size_t i = 0; i < DRIFTING; ++i) {
        boxes[i] = random_cube(&random, 22, 1);
    }
    assert_int_equal(bp_add_many(world, DRIFTING, boxes, NULL, NULL), BP_OK);
    for (size_t step = 0; step < STEPS; ++step) {
        bp_result result;
        assert_int_equal(bp_update(world, &result), BP_OK);
        patched += result.stats.update == BP_UPDATE_INDIVIDUAL;
        pair_list expected = naive_pairs(boxes, DRIFTING, 3);
        expect_pairs(result.pairs, result.pair_count, &expected, "drifting boxes, step %zu", step);
        pair_list_free(&expected);
        for (size_t i = 0; i < EACH_STEP; ++i) {
            const bp_id id = rng_below(&random, DRIFTING);
            for (int axis = 0; axis < 3; ++axis) {
                boxes[id].min[axis] += random_between(&random, -0.2, 0.2);
                boxes[id].max[axis] = boxes[id].min[axis] + 1.0f;
            }
            assert_int_equal(bp_move(world, id, &boxes[id]), BP_OK);
        }
    }
    assert_true(patched > STEPS / 2);
    bp_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_few_large_objects_among_many_small_ones),
        cmocka_unit_test(the_few_look_for_the_many),
        cmocka_unit_test(walls_cost_little),
        cmocka_unit_test(tests_no_more_candidates_than_the_literature),
        cmocka_unit_test(finds_pairs_with_boxes_that_have_left_their_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
