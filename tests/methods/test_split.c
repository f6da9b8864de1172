// split: the shapes that defeat grids and trees, its parts, and the grid that hands over to it.
#include "support/method_checks.h"

#include "base/records.h"
#include "engine/split/split_bins.h"

#include <broadphase/broadphase_tune.h>
#include <math.h>
#include <stdlib.h>

#define WITH(...) VARIANT_OF(BP_METHOD_SPLIT, __VA_ARGS__)

static const variant CONFIGS[] = {
    WITH(),
    WITH(SETTINGS(.simd = BP_SIMD_SCALAR)),
};

static const variant_list VARIANTS = ALL_OF(CONFIGS);
static const variant_list DEFAULTS = {CONFIGS, 1};
static const steady_scene STEADY = {
    .variants = {CONFIGS, 1}, .name = "uniform", .count = 5000, .warm_up = 11, .steps = 24};

// ---- hostile shapes -------------------------------------------------------------------------------------------------

typedef void (*shape)(rng *random, size_t index, size_t count, bp_box *box);

static float within(rng *random, double length) {
    return (float)(rng_unit(random) * length);
}

static void set_edge(bp_box *box, int axis, float min, float length) {
    box->min[axis] = min;
    box->max[axis] = min + length;
}

static void needle(rng *random, size_t index, size_t count, bp_box *box) {
    (void)count;
    for (int axis = 0; axis < 3; ++axis) {
        const bool along = axis == (int)(index % 3);
        set_edge(box, axis, along ? 0.0f : within(random, 1000.0), along ? 1000.0f : 0.01f);
    }
}

static void plate(rng *random, size_t index, size_t count, bp_box *box) {
    for (int axis = 0; axis < 3; ++axis) {
        const bool across = axis == (int)(index % 3);
        set_edge(box, axis, across ? within(random, (double)count) : within(random, 10.0), across ? 1e-4f : 90.0f);
    }
}

static void pillar(rng *random, size_t index, size_t count, bp_box *box) {
    (void)index;
    set_edge(box, 0, within(random, sqrt((double)count) * 2.0), 1.0f);
    set_edge(box, 1, within(random, sqrt((double)count) * 2.0), 1.0f);
    box->min[2] = -INFINITY;
    box->max[2] = INFINITY;
}

static void half_line(rng *random, size_t index, size_t count, bp_box *box) {
    (void)count;
    for (int axis = 0; axis < 3; ++axis) {
        set_edge(box, axis, within(random, 1000.0), 1.0f);
    }
    box->min[index % 3] = index % 2 == 0 ? -INFINITY : box->min[index % 3];
    box->max[index % 3] = index % 2 == 0 ? box->max[index % 3] : INFINITY;
}

static void slab(rng *random, size_t index, size_t count, bp_box *box) {
    (void)random;
    (void)count;
    *box = (bp_box){{-INFINITY, -INFINITY, 0.0f}, {INFINITY, INFINITY, 0.0f}};
    set_edge(box, 2, 2.0f * (float)index, 1.0f);
}

static void onion(rng *random, size_t index, size_t count, bp_box *box) {
    (void)random;
    const float radius = 1.0f + 100.0f * (float)(index / 6) / (float)count;
    for (int axis = 0; axis < 3; ++axis) {
        set_edge(box, axis, -0.999f * radius, 1.998f * radius);
    }
    const int across = (int)(index % 6) / 2;
    set_edge(box, across, index % 2 == 0 ? -radius : radius, 0.0f);
}

static void stair(rng *random, size_t index, size_t count, bp_box *box) {
    (void)random;
    const float size = (float)exp2(30.0 * (double)index / (double)count);
    for (int axis = 0; axis < 3; ++axis) {
        set_edge(box, axis, size, size * 1e-4f);
    }
}

static void log_point(rng *random, size_t index, size_t count, bp_box *box) {
    (void)index;
    (void)count;
    for (int axis = 0; axis < 3; ++axis) {
        set_edge(box, axis, (float)exp(rng_unit(random) * 40.0 - 20.0), 0.0f);
    }
}

static void same(rng *random, size_t index, size_t count, bp_box *box) {
    (void)random;
    (void)count;
    *box = (bp_box){{1, 1, 1}, {2, 2, 2}};
    box->max[0] += index % 7 == 0 ? INFINITY : 0.0f;
}

static void beside_zero(rng *random, size_t index, size_t count, bp_box *box) {
    (void)count;
    for (int axis = 0; axis < 3; ++axis) {
        const float size = (float)exp2((double)(index % 60) - 30.0);
        set_edge(box, axis, index % 5 == 0 ? -0.0f : within(random, 2.0) * size - size, index % 3 == 0 ? 0.0f : size);
    }
}

// Up to some dimensions a good part of all pairs of a shape overlap: then the pairs alone would take all the time, and
// few boxes are enough, but with BP_TEST_LONG=1.
static const struct {
    const char *name;
    shape shape;
    uint32_t dense_dimensions;
} SHAPES[] = {
    {"needles", needle, 2}, {"plates", plate, 2},         {"pillars", pillar, 0}, {"half-lines", half_line, 2},
    {"slabs", slab, 2},     {"onion", onion, 2},          {"stairs", stair, 0},   {"log-uniform points", log_point, 0},
    {"identical", same, 3}, {"beside 0", beside_zero, 3},
};

static bp_box *boxes_of_shape(size_t which, size_t count) {
    bp_box *boxes = malloc(count * sizeof *boxes);
    rng random = rng_seeded(which + 1);
    for (size_t i = 0; i < count; ++i) {
        SHAPES[which].shape(&random, i, count, &boxes[i]);
    }
    return boxes;
}

// A mixture: each box of one of the shapes.
static bp_box *boxes_of_all_shapes(size_t count) {
    bp_box *boxes = malloc(count * sizeof *boxes);
    rng random = rng_seeded(99);
    for (size_t i = 0; i < count; ++i) {
        SHAPES[rng_below(&random, (uint32_t)COUNT_OF(SHAPES) - 2)].shape(&random, i, count, &boxes[i]);
    }
    return boxes;
}

static bp_pairs sorted_pairs(const bp_box *boxes, size_t count, size_t between, bp_config config, bp_stats *stats) {
    bp_pairs pairs = {0};
    config.pair_order = BP_ORDER_SORTED;
    config.stats = stats;
    assert_int_equal(between > 0
                         ? bp_find_pairs_between(boxes, between, boxes + between, count - between, &config, &pairs)
                         : bp_find_pairs(boxes, count, &config, &pairs),
                     BP_OK);
    return pairs;
}

// Brute force is the long part, so it is asked once for both methods.
static void check_against_brute_force(const char *name, const bp_box *boxes, size_t count, uint32_t dimensions) {
    static const bp_method methods[] = {BP_METHOD_SPLIT, BP_METHOD_AUTO};
    for (size_t between = 0; between < count; between += count / 3 + 1) {
        const bp_config all = {.method = BP_METHOD_BRUTE_FORCE, .dimensions = dimensions};
        bp_pairs expected = sorted_pairs(boxes, count, between, all, NULL);
        for (size_t i = 0; i < COUNT_OF(methods); ++i) {
            const bp_config config = {.method = methods[i], .dimensions = dimensions};
            bp_pairs found = sorted_pairs(boxes, count, between, config, NULL);
            if (found.count != expected.count ||
                (found.count > 0 && memcmp(found.data, expected.data, found.count * sizeof *found.data) != 0)) {
                fail_msg("%s of %zu %s, %u-D, %zu of them against the rest: %zu pairs, expected %zu",
                         bp_method_name((size_t)methods[i]), count, name, dimensions, between, found.count,
                         expected.count);
            }
            bp_pairs_free(&found, &config);
        }
        bp_pairs_free(&expected, &all);
    }
}

static void finds_all_pairs_of_hostile_shapes(void **state) {
    (void)state;
    skip_where_threads_are_sanitized();
    enum { DENSE = 3000 };
    const size_t counts[] = {2, 90, 700, quick() ? 2500 : 20000};
    for (size_t c = 0; c < COUNT_OF(counts); ++c) {
        for (size_t which = 0; which < COUNT_OF(SHAPES); ++which) {
            for (uint32_t dimensions = 2; dimensions <= 3; ++dimensions) {
                const bool dense =
                    SHAPES[which].shape == same || (dimensions <= SHAPES[which].dense_dimensions && !longest());
                const size_t count = dense && counts[c] > DENSE ? DENSE : counts[c];
                bp_box *boxes = boxes_of_shape(which, count);
                check_against_brute_force(SHAPES[which].name, boxes, count, dimensions);
                free(boxes);
            }
        }
        bp_box *mixed = boxes_of_all_shapes(counts[c]);
        check_against_brute_force("mixed shapes", mixed, counts[c], 3);
        free(mixed);
    }
}

// Slabs and rounds need many boxes, too many for brute force: the grid is the witness.
static void finds_the_pairs_of_the_grid_where_there_are_many_boxes(void **state) {
    (void)state;
    skip_where_threads_are_sanitized();
    static const char *const names[] = {"uniform", "mixed", "long", "very-inhomogeneous", "planes", "uniform-2d"};
    const size_t count = quick() ? 40000 : 300000;
    for (size_t i = 0; i < COUNT_OF(names); ++i) {
        scene *subject = open_scene(names[i], count);
        const bp_box *boxes = scene_boxes(subject);
        const size_t total = scene_box_count(subject);
        for (size_t between = 0; between <= total / 3; between += total / 3) {
            bp_pairs found = sorted_pairs(boxes, total, between, (bp_config){.method = BP_METHOD_SPLIT}, NULL);
            bp_pairs expected =
                sorted_pairs(boxes, total, between, (bp_config){.method = BP_METHOD_HIERARCHICAL_GRID}, NULL);
            assert_int_equal(found.count, expected.count);
            assert_memory_equal(found.data, expected.data, found.count * sizeof *found.data);
            bp_pairs_free(&found, NULL);
            bp_pairs_free(&expected, NULL);
        }
        scene_destroy(subject);
    }
}

// ---- no input is quadratic ------------------------------------------------------------------------------------------

// With the default config, and with any number of threads: far fewer tests than pairs of boxes, and the same bytes.
static void hostile_shapes_take_few_tests(void **state) {
    (void)state;
    enum { MOST = 100 }; // tests of a box or pair; half of count if all pairs are tested
    const size_t count = shortest() ? 6000 : 20000;
    for (size_t which = 0; which < COUNT_OF(SHAPES); ++which) {
        bp_box *boxes = boxes_of_shape(which, count);
        for (size_t between = 0; between <= count / 2 && SHAPES[which].shape != same; between += count / 2) {
            bp_pairs pairs[2];
            for (int i = 0; i < 2; ++i) {
                bp_config config = {.threads = i == 0 ? 1 : 3};
                bp_stats stats = {0};
                config.stats = &stats;
                pairs[i] = (bp_pairs){0};
                assert_int_equal(between > 0 ? bp_find_pairs_between(boxes, between, boxes + between, count - between,
                                                                     &config, &pairs[i])
                                             : bp_find_pairs(boxes, count, &config, &pairs[i]),
                                 BP_OK);
                if (stats.tests > (count + stats.pairs) * (uint64_t)MOST) {
                    fail_msg("%s, %zu against the rest: %llu tests for %zu pairs", SHAPES[which].name, between,
                             (unsigned long long)stats.tests, stats.pairs);
                }
            }
            assert_int_equal(pairs[0].count, pairs[1].count);
            assert_true(pairs[0].count == 0 ||
                        memcmp(pairs[0].data, pairs[1].data, pairs[0].count * sizeof *pairs[0].data) == 0);
            bp_pairs_free(&pairs[0], NULL);
            bp_pairs_free(&pairs[1], NULL);
        }
        free(boxes);
    }
}

static uint64_t tests_of_update(bp_world *world) {
    bp_result result;
    assert_int_equal(bp_update(world, &result), BP_OK);
    return result.stats.tests;
}

static void expect_all_pairs(const bp_result *result, const bp_box *boxes, size_t count) {
    bp_pairs expected = sorted_pairs(boxes, count, 0, (bp_config){.method = BP_METHOD_BRUTE_FORCE}, NULL);
    assert_int_equal(result->pair_count, expected.count);
    assert_true(expected.count == 0 ||
                memcmp(result->pairs, expected.data, expected.count * sizeof *expected.data) == 0);
    bp_pairs_free(&expected, NULL);
}

// A world whose boxes become hostile, all at once and a few at a time, and ordinary again; its pairs against those of a
// call.
static void a_world_survives_hostile_boxes(void **state) {
    (void)state;
    skip_where_threads_are_sanitized();
    enum { DENSE = 2000, MOST = 150 };
    const size_t most = shortest() ? 3000 : 6000;
    bp_box *ordinary = malloc(most * sizeof *ordinary);
    rng random = rng_seeded(5);
    for (size_t i = 0; i < most; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            set_edge(&ordinary[i], axis, within(&random, 22.0), 1.0f);
        }
    }
    for (size_t which = 0; which < COUNT_OF(SHAPES); ++which) {
        const size_t count = SHAPES[which].shape == same && !longest() ? DENSE : most;
        bp_box *hostile = boxes_of_shape(which, count), *now = malloc(count * sizeof *now);
        memcpy(now, ordinary, count * sizeof *now);
        bp_world *world = NULL;
        const bp_config config = {.pair_order = BP_ORDER_SORTED, .flags = BP_EVENTS};
        assert_int_equal(bp_world_create(&config, &world), BP_OK);
        assert_int_equal(bp_add_many(world, count, now, NULL, NULL), BP_OK);
        for (size_t step = 0; step < 24; ++step) {
            const size_t begin = step < 12 ? step * count / 20 : 0, end = step < 12 ? begin + count / 20 : count;
            for (size_t i = begin; i < end; ++i) {
                now[i] = step < 18 ? hostile[i] : ordinary[i];
            }
            assert_int_equal(bp_move_many(world, count, NULL, now), BP_OK);
            const uint64_t tests = tests_of_update(world);
            bp_result result;
            assert_int_equal(bp_update(world, &result), BP_OK);
            if (!quick() || step % 4 == 0) {
                expect_all_pairs(&result, now, count);
            }
            if (SHAPES[which].shape != same && tests > (count + result.pair_count) * (uint64_t)MOST) {
                fail_msg("%s, step %zu: %llu tests", SHAPES[which].name, step, (unsigned long long)tests);
            }
            assert_int_equal(bp_world_validate(world), BP_OK);
        }
        bp_world_destroy(world);
        free(hostile);
        free(now);
    }
    free(ordinary);
}

// The grid is kept when it hands over, and split when the grid takes over again: both count as memory.
static void what_is_kept_counts_as_memory(void **state) {
    (void)state;
    skip_where_threads_are_sanitized();
    enum { COUNT = 6000 };
    bp_box *hostile = boxes_of_shape(0, COUNT), *ordinary = malloc(COUNT * sizeof *ordinary);
    bp_world *world = NULL;
    const bp_config config = {.update = BP_UPDATE_REBUILD};
    size_t bytes = 0;
    bool was_split = false;
    for (size_t i = 0; i < COUNT; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            set_edge(&ordinary[i], axis, 3.0f * (float)((axis == 0 ? i : axis == 1 ? i / 20 : i / 400) % 20), 1.0f);
        }
    }
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, COUNT, ordinary, NULL, NULL), BP_OK);
    for (int step = 0; step < 80; ++step) {
        bp_result result;
        for (size_t i = 0; i < COUNT; ++i) {
            set_edge(&ordinary[i], 0, ordinary[i].min[0] + (step % 2 == 0 ? 0.25f : -0.25f), 1.0f);
        }
        assert_int_equal(bp_move_many(world, COUNT, NULL, step == 1 ? hostile : ordinary), BP_OK);
        assert_int_equal(bp_update(world, &result), BP_OK);
        assert_true(result.stats.bytes >= bytes);
        bytes = result.stats.bytes;
        was_split |= result.stats.method == BP_METHOD_SPLIT;
    }
    assert_true(was_split);
    bp_world_destroy(world);
    free(hostile);
    free(ordinary);
}

// Half of the ids of a world may be free: that makes ordinary boxes neither infinite nor costly.
static void holes_are_no_reason(void **state) {
    (void)state;
    enum { COUNT = 6000 };
    bp_world *world = NULL;
    bp_result result;
    const bp_config config = {.update = BP_UPDATE_REBUILD};
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    for (size_t i = 0; i < COUNT; ++i) {
        bp_box box;
        for (int axis = 0; axis < 3; ++axis) {
            set_edge(&box, axis, 1.5f * (float)((axis == 0 ? i : axis == 1 ? i / 20 : i / 400) % 20), 1.0f);
        }
        assert_int_equal(bp_add(world, &box, NULL, NULL), BP_OK);
    }
    for (bp_id id = 0; id < COUNT; id += 2) {
        assert_int_equal(bp_remove(world, id), BP_OK);
    }
    assert_int_equal(bp_update(world, &result), BP_OK);
    assert_int_not_equal(result.stats.method, BP_METHOD_SPLIT);
    bp_world_destroy(world);
}

// Where others give up, the figures name the method that ran, and the explanation names what hurts.
static void the_explanation_names_what_hurts(void **state) {
    (void)state;
    skip_where_threads_are_sanitized();
    static const struct {
        size_t which;
        const char *words;
    } cases[] = {{0, "as long as wide"}};
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        enum { COUNT = 10000 };
        bp_box *boxes = boxes_of_shape(cases[i].which, COUNT);
        const bp_stats stats = stats_of(boxes, COUNT, (bp_config){0});
        char text[2000];
        assert_int_equal(stats.method, BP_METHOD_SPLIT);
        bp_explain(&stats, text, sizeof text);
        if (strstr(text, cases[i].words) == NULL || strstr(text, "a few objects are much larger") != NULL) {
            fail_msg("%s: %s", SHAPES[cases[i].which].name, text);
        }
        free(boxes);
    }
}

// Of usual scenes, in whatever order, a plan is right at once: no search is given up, which would cost its time for nothing.
static void few_are_handed_over(void **state) {
    (void)state;
    skip_where_threads_are_sanitized();
    enum { COUNT = 40000 };
    static const char *const names[] = {"scan",  "cloth", "cloth-on-body", "terrain",           "uniform",
                                        "mixed", "long",  "touching",      "very-inhomogeneous"};
    for (size_t i = 0; i < COUNT_OF(names); ++i) {
        scene *subject = open_scene_with(names[i], (scene_options){.count = COUNT, .seed = 1});
        const size_t count = scene_box_count(subject);
        bp_box *boxes = obtain(count, sizeof *boxes);
        memcpy(boxes, scene_boxes(subject), count * sizeof *boxes);
        shuffle_boxes(boxes, count);
        const bp_stats stats = stats_of(boxes, count, (bp_config){0});
        if (bp_stats_details(&stats).handed_over != 0 || stats.tests > (COUNT + stats.pairs) * 64) {
            fail_msg("%s: %s, %llu tests", names[i], bp_method_name((size_t)stats.method),
                     (unsigned long long)stats.tests);
        }
        free(boxes);
        scene_destroy(subject);
    }
    bp_box *dense = malloc(COUNT * sizeof *dense);
    rng random = rng_seeded(8);
    for (size_t i = 0; i < COUNT; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            set_edge(&dense[i], axis, within(&random, 40.0), 3.0f);
        }
    }
    assert_int_not_equal(stats_of(dense, COUNT, (bp_config){0}).method, BP_METHOD_SPLIT);
    free(dense);
}

// Levels that the config asks for are searched as they are.
static void levels_of_the_config_are_kept(void **state) {
    (void)state;
    skip_where_threads_are_sanitized();
    enum { COUNT = 2000 };
    bp_box *boxes = boxes_of_shape(0, COUNT);
    const bp_stats stats =
        stats_of(boxes, COUNT, (bp_config){.method = BP_METHOD_HIERARCHICAL_GRID, SETTINGS(.hierarchy_factor = 2.0f)});
    assert_int_equal(stats.method, BP_METHOD_HIERARCHICAL_GRID);
    assert_int_equal(bp_stats_details(&stats).handed_over, 0);
    free(boxes);
}

// ---- parts ----------------------------------------------------------------------------------------------------------

// Whatever the bounds: a larger coordinate never has a smaller bin.
static void bins_have_the_order_of_coordinates(void **state) {
    (void)state;
    skip_where_threads_are_sanitized();
    static const float bounds[][2] = {{0, 1},         {-5, 7},       {1e-40f, 1e38f},
                                      {-INFINITY, 3}, {0, INFINITY}, {-FLT_MAX, FLT_MAX},
                                      {2, 2},         {-0.0f, 0.0f}, {1e30f, 1e30f}};
    rng random = rng_seeded(3);
    for (size_t b = 0; b < COUNT_OF(bounds); ++b) {
        split_bins bins[3];
        uint16_t counts[SPLIT_COARSE_BINS] = {0};
        for (size_t k = 0; k < COUNT_OF(bins); ++k) { // of equal width, where that is possible; of floats; crowded ones
            if (k > 0 || !split_bins_between(&bins[k], bounds[b][0], bounds[b][1], SPLIT_BINS)) {
                split_bins_of_floats(&bins[k], bounds[b][0], bounds[b][1]);
                for (int i = 0; i < 700; ++i) {
                    ++counts[rng_below(&random, (bins[k].span >> bins[k].shift) + 1) /
                             (k > 1 ? (uint32_t)i % 7 + 1 : 1)];
                }
                split_bins_refine(&bins[k], counts);
            }
            assert_true(bins[k].count <= SPLIT_BINS);
        }
        for (int i = 0; i < 20000; ++i) {
            float pair[2];
            for (int k = 0; k < 2; ++k) {
                const float near = (float)(rng_unit(&random) * 12.0 - 5.0);
                pair[k] = i % 3 == 0 ? near : (float)copysign(exp(rng_unit(&random) * 170.0 - 85.0), near);
                pair[k] = i % 97 == 0 ? bounds[b][k] : i % 101 == 0 ? copysignf(INFINITY, near) : pair[k];
            }
            const float low = fminf(pair[0], pair[1]), high = fmaxf(pair[0], pair[1]);
            for (size_t k = 0; k < COUNT_OF(bins); ++k) {
                assert_true(split_bin_of(&bins[k], low) <= split_bin_of(&bins[k], high));
                assert_true(split_bin_of(&bins[k], high) < bins[k].count);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_WITH(finds_all_pairs_of_every_scene, VARIANTS),
        TEST_WITH(finds_all_pairs_of_wild_boxes, VARIANTS),
        TEST_WITH(stays_right_while_objects_come_and_go, DEFAULTS),
        TEST_WITH(finds_all_pairs_between_sets, DEFAULTS),
        TEST_WITH(finds_the_same_bytes_with_any_number_of_threads, DEFAULTS),
        TEST_WITH(allocates_nothing_in_a_steady_step, STEADY),
        TEST_WITH(survives_failing_memory, DEFAULTS),
        cmocka_unit_test(finds_all_pairs_of_hostile_shapes),
        cmocka_unit_test(finds_the_pairs_of_the_grid_where_there_are_many_boxes),
        cmocka_unit_test(hostile_shapes_take_few_tests),
        cmocka_unit_test(a_world_survives_hostile_boxes),
        cmocka_unit_test(what_is_kept_counts_as_memory),
        cmocka_unit_test(the_explanation_names_what_hurts),
        cmocka_unit_test(few_are_handed_over),
        cmocka_unit_test(holes_are_no_reason),
        cmocka_unit_test(levels_of_the_config_are_kept),
        cmocka_unit_test(bins_have_the_order_of_coordinates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
