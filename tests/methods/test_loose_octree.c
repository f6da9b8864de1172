// loose-octree: what is special to it. That it finds all pairs is also tested by test_oracle and others.
#include "support/method_checks.h"

#include <math.h>

#define WITH(...) VARIANT_OF(BP_METHOD_LOOSE_OCTREE, __VA_ARGS__)

static const variant CONFIGS[] = {
    WITH(),
    WITH(SETTINGS(.looseness = 1.0f)),
    WITH(SETTINGS(.looseness = 1.0f, .octree_max_objects = 1, .simd = BP_SIMD_SCALAR)),
    WITH(SETTINGS(.looseness = 1.3f)),
    WITH(SETTINGS(.looseness = 2.0f, .octree_max_objects = 1)),
    WITH(SETTINGS(.looseness = 8.0f)),
    WITH(SETTINGS(.octree_max_depth = 2)),
    WITH(SETTINGS(.domain = {{0, 0, 0}, {5, 6, 7}})),
    WITH(SETTINGS(.domain = {{3, 3, 3}, {3, 3, 3}}, .looseness = 1.0f)),
    WITH(.update = BP_UPDATE_INDIVIDUAL),
    WITH(.update = BP_UPDATE_INDIVIDUAL, SETTINGS(.looseness = 1.0f, .octree_max_objects = 1)),
    WITH(.update = BP_UPDATE_INDIVIDUAL, SETTINGS(.looseness = 1.3f, .octree_max_depth = 4)),
    WITH(.update = BP_UPDATE_INDIVIDUAL, SETTINGS(.domain = {{3, 3, 3}, {3, 3, 3}}, .looseness = 8.0f)),
};
static const variant_list VARIANTS = ALL_OF(CONFIGS);
static const variant_list DEFAULTS = {CONFIGS, 1};
static const steady_scene UNIFORM = {
    .variants = {CONFIGS, 1}, .name = "uniform", .count = 20000, .warm_up = 10, .steps = 20};
static const steady_scene MIXED = {
    .variants = {CONFIGS, 1}, .name = "mixed", .count = 20000, .warm_up = 10, .steps = 20};

static const variant INDIVIDUAL = WITH(.update = BP_UPDATE_INDIVIDUAL);
static const steady_scene UNIFORM_INDIVIDUAL = {
    .variants = {&INDIVIDUAL, 1}, .name = "uniform", .count = 20000, .warm_up = 40, .steps = 20};

static const refusal REFUSED[] = {
    {WITH(SETTINGS(.looseness = 0.5f)), BP_ERROR_ARGUMENT, "looseness"},
    {WITH(SETTINGS(.looseness = -1.0f)), BP_ERROR_ARGUMENT, "looseness"},
    {WITH(SETTINGS(.looseness = 9.0f)), BP_ERROR_ARGUMENT, "looseness"},
    {WITH(SETTINGS(.looseness = INFINITY)), BP_ERROR_ARGUMENT, "looseness"},
    {WITH(SETTINGS(.looseness = NAN)), BP_ERROR_ARGUMENT, "looseness"},
};
static const refusal_list REFUSALS = ALL_OF(REFUSED);

static bp_stats stats_with(const char *name, size_t count, float looseness) {
    return stats_of_scene(name, count, (bp_config){.method = BP_METHOD_LOOSE_OCTREE, SETTINGS(.looseness = looseness)});
}

// The straddling problem that Zych 2016 found, and its cure.
static void looseness_cures_straddling(void **state) {
    (void)state;
    const bp_stats plain = stats_with("uniform", 20000, 1.0f), loose = stats_with("uniform", 20000, 2.0f);
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
        const double few = (double)stats_with(names[i], 5000, 0.0f).tests,
                     many = (double)stats_with(names[i], 50000, 0.0f).tests;
        print_message("exponent of candidates in n on %s: %.3f\n", names[i], log10(many / few));
        assert_true(log10(many / few) <= 1.2);
    }
}

// Cubes of edge 1, one apart, in a block that begins at `corner`.
static void place_block(bp_box *boxes, size_t count, float corner) {
    for (size_t i = 0; i < count; ++i) {
        const float at[3] = {(float)(i % 16), (float)(i / 16 % 16), (float)(i / 256)};
        for (int axis = 0; axis < 3; ++axis) {
            boxes[i].min[axis] = corner + 2.5f * at[axis];
            boxes[i].max[axis] = boxes[i].min[axis] + 1.0f;
        }
    }
}

// A tree that is kept follows objects that leave the cube it was built around.
static void a_kept_tree_follows_its_objects(void **state) {
    (void)state;
    enum { COUNT = 4096 };
    static bp_box boxes[COUNT];
    bp_world *world = NULL;
    bp_result result;
    const bp_config config = {.method = BP_METHOD_LOOSE_OCTREE, .update = BP_UPDATE_INDIVIDUAL};
    place_block(boxes, COUNT, 0.0f);
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, COUNT, boxes, NULL, NULL), BP_OK);
    assert_int_equal(bp_update(world, &result), BP_OK);
    const size_t fullest = result.stats.objects_per_cell_max;
    for (int step = 1; step <= 100; ++step) {
        place_block(boxes, COUNT, 10.0f * (float)step);
        assert_int_equal(bp_move_many(world, COUNT, NULL, boxes), BP_OK);
        assert_int_equal(bp_update(world, &result), BP_OK);
        assert_int_equal(result.pair_count, 0);
        assert_int_equal(result.stats.update, BP_UPDATE_INDIVIDUAL);
        assert_int_equal(bp_world_validate(world), BP_OK);
    }
    print_message("in the fullest node: %zu at first, %zu in the end\n", fullest, result.stats.objects_per_cell_max);
    assert_true(result.stats.objects_per_cell_max < COUNT / 4);
    bp_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_WITH(finds_all_pairs_of_every_scene, VARIANTS),
        TEST_WITH(finds_all_pairs_of_wild_boxes, VARIANTS),
        TEST_WITH(refuses_what_makes_no_sense, REFUSALS),
        TEST_WITH(allocates_nothing_in_a_steady_step, UNIFORM),
        TEST_WITH(allocates_nothing_in_a_steady_step, MIXED),
        cmocka_unit_test(looseness_cures_straddling),
        cmocka_unit_test(tests_grow_hardly_faster_than_objects),
        TEST_WITH(stragglers_cost_little, DEFAULTS),
        TEST_WITH(allocates_nothing_in_a_steady_step, UNIFORM_INDIVIDUAL),
        cmocka_unit_test(a_kept_tree_follows_its_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
