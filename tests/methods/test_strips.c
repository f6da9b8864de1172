// strips: when auto uses them, and that they find the same pairs, in the same order, whatever
// the kernels and threads.
#include "support/method_checks.h"

#include "kernels/kernels.h"

#include <broadphase/broadphase_tune.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1500, KINDS = 10 };

static const char *const KIND_NAMES[KINDS] = {"cubes", "lattice that touches", "points",     "flat",   "copies",
                                              "far",   "slabs in a row",       "one column", "varied", "giants"};

// Box `index` of a kind, all of about the same size.
static bp_box box_of_kind(rng *random, int kind, size_t index, size_t count) {
    const double extent = cbrt(2.0 * (double)count);
    switch (kind) {
    case 1: {
        const size_t layer = index / 144;
        return cube_of((float)(index % 12), (float)(index / 12 % 12), (float)layer, 1.0f);
    }
    case 2: return cube_of((float)(index % 10), (float)(index / 10 % 10), (float)(index % 7), 0.0f);
    case 3: return box_of(random_between(random, 0, 50), random_between(random, 0, 50), -0.0f, 1.0f, 1.0f, 0.0f);
    case 4: {
        rng same = rng_seeded(index / 4);
        return random_cube(&same, extent, 1.0);
    }
    case 5:
        return cube_of(1e6f + random_between(random, 0, extent), -1e6f + random_between(random, 0, extent),
                       random_between(random, 0, extent), 1.0f);
    case 6: return box_of((float)index, random_between(random, 0, 3), 0.0f, 1.0f, 3.0f, 3.0f);
    case 7: return cube_of(0.5f, 0.5f, random_between(random, 0, (double)count), 1.0f);
    case 8: {
        const bp_box corner = random_cube(random, extent, 0.0);
        return box_of(corner.min[0], corner.min[1], corner.min[2], random_between(random, 0.5, 1.5),
                      random_between(random, 0.5, 1.5), random_between(random, 0.5, 1.5));
    }
    case 9: { // floors and blocks, which overlap each other, among cubes
        const bp_box cube = random_cube(random, extent, 1.0);
        const float edge = 6.0f * (float)extent, thickness = index % 2 == 0 ? edge : 0.5f;
        return index % (count / 7) == 3 ? box_of(cube.min[0], -0.5f * edge, cube.min[2], edge, edge, thickness) : cube;
    }
    default: return random_cube(random, extent, 1.0);
    }
}

static void fill_kind(bp_box *boxes, size_t count, int kind) {
    rng random = rng_seeded((uint64_t)(count + (size_t)kind));
    for (size_t i = 0; i < count; ++i) {
        boxes[i] = box_of_kind(&random, kind, i, count);
    }
    shuffle_boxes(boxes, count); // those in order are for bundles
}

static bool uses_strips(const bp_stats *stats) {
    return stats->method == BP_METHOD_STRIPS;
}

// ---- pairs ----------------------------------------------------------------------------------------------------------

static void expect_kind(const bp_box *boxes, size_t count, int kind, uint32_t dimensions) {
    expect_form(boxes, count, dimensions, BP_METHOD_STRIPS, dimensions == 3 ? uses_strips : NULL, KIND_NAMES[kind]);
}

static void finds_all_pairs_in_the_same_order(void **state) {
    static const size_t counts[] = {64, 65, 71, 72, 500, COUNT};
    bp_box boxes[COUNT];
    (void)state;
    for (size_t i = 0; i < KINDS * COUNT_OF(counts); ++i) {
        const int kind = (int)(i % KINDS);
        const size_t count = counts[i / KINDS];
        if (in_turn()) {
            fill_kind(boxes, count, kind);
            expect_kind(boxes, count, kind, 3);
            expect_kind(boxes, count, kind, 2);
        }
    }
}

// In two dimensions z may be anything.
static void sees_no_third_axis(void **state) {
    bp_box boxes[COUNT];
    (void)state;
    fill_kind(boxes, COUNT, 3);
    for (size_t i = 0; i < COUNT; ++i) {
        boxes[i].min[2] = i % 3 == 0 ? NAN : INFINITY;
        boxes[i].max[2] = i % 2 == 0 ? -INFINITY : 1e30f;
    }
    expect_kind(boxes, COUNT, 3, 2);
}

// ---- many boxes -----------------------------------------------------------------------------------------------------

enum { MANY = 33500, LONG_KINDS = 4 };

static const char *const LONG_NAMES[LONG_KINDS] = {"long", "long that touch", "long copies", "long far away"};

// Boxes of 10 x 1 x 1, in all three directions.
static bp_box long_box(rng *random, int kind, size_t index) {
    const double extent = cbrt(80.0 * MANY), far = kind == 3 ? 1e6 : 0.0;
    float edges[3] = {1.0f, 1.0f, 1.0f}, corner[3];
    for (int axis = 0; axis < 3; ++axis) {
        const float place = random_between(random, far, far + extent);
        corner[axis] = kind == 1 ? floorf(place) : place;
    }
    edges[index % 3] = 10.0f;
    return box_of(corner[0], corner[1], corner[2], edges[0], edges[1], edges[2]);
}

static bp_box *many_long_boxes(int kind) {
    bp_box *boxes = obtain(MANY, sizeof *boxes);
    rng random = rng_seeded((uint64_t)kind);
    for (size_t i = 0; i < MANY; ++i) {
        boxes[i] = kind == 2 && i % 2 == 1 ? boxes[i - 1] : long_box(&random, kind, i);
    }
    return boxes;
}

static bp_pairs pairs_by(const bp_box *boxes, size_t count, bp_config config) {
    bp_pairs pairs = {0};
    assert_int_equal(bp_find_pairs(boxes, count, &config, &pairs), BP_OK);
    return pairs;
}

// All instruction sets and numbers of workers give the same pairs as testing all, in the same order. (In the short form
// split is the witness: testing all takes seconds, and minutes on an emulated machine.)
static void expect_many(const bp_box *boxes, const char *what) {
    static const bp_simd sets[] = {BP_SIMD_AUTO, BP_SIMD_SCALAR, BP_SIMD_AVX2, BP_SIMD_AVX512, BP_SIMD_NEON};
    static const uint32_t workers[] = {1, 2, 3, 8};
    bp_config config = {.method = quick() ? BP_METHOD_SPLIT : BP_METHOD_BRUTE_FORCE, .pair_order = BP_ORDER_SORTED};
    bp_pairs expected = pairs_by(boxes, MANY, config), first = {0};
    config.method = BP_METHOD_AUTO;
    bp_pairs sorted = pairs_by(boxes, MANY, config);
    expect_same_bytes(sorted.data, sorted.count, expected.data, expected.count, "%s, sorted", what);
    for (size_t k = 0; k < COUNT_OF(sets) * COUNT_OF(workers); ++k) {
        const bp_simd simd = sets[k / COUNT_OF(workers)];
        const uint32_t worker_count = workers[k % COUNT_OF(workers)];
        bp_stats stats = {0};
        config = (bp_config){.executor = reverse_executor(worker_count), .stats = &stats, SETTINGS(.simd = simd)};
        if (!has_simd(simd) || (k > 0 && !in_turn())) {
            continue;
        }
        bp_pairs pairs = pairs_by(boxes, MANY, config);
        assert_true(uses_strips(&stats));
        if (k == 0) {
            first = pairs;
            continue;
        }
        expect_same_bytes(pairs.data, pairs.count, first.data, first.count, "%s, %s, %u workers", what, simd_text(simd),
                          (unsigned)worker_count);
        bp_pairs_free(&pairs, NULL);
    }
    bp_pairs_free(&first, NULL);
    bp_pairs_free(&sorted, NULL);
    bp_pairs_free(&expected, NULL);
}

static void many_long_boxes_have_the_same_pairs_in_the_same_order(void **state) {
    (void)state;
    for (int kind = 0; kind < LONG_KINDS; ++kind) {
        if (in_turn()) {
            bp_box *boxes = many_long_boxes(kind);
            expect_many(boxes, LONG_NAMES[kind]);
            free(boxes);
        }
    }
}

// A world of many boxes, some of whose ids are not alive.
static void a_world_of_many_is_sound(void **state) {
    enum { GONE = 50 };
    bp_box *boxes = many_long_boxes(0);
    bp_world *world = NULL;
    bp_result result;
    (void)state;
    const bp_config config = {.method = BP_METHOD_STRIPS, .threads = 2};
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, MANY, boxes, NULL, NULL), BP_OK);
    for (bp_id id = 0; id < MANY; id += GONE) {
        assert_int_equal(bp_remove(world, id), BP_OK);
    }
    assert_int_equal(bp_update(world, &result), BP_OK);
    assert_true(uses_strips(&result.stats));
    assert_true(result.stats.occupied > 0 && result.stats.objects_per_cell_max > 0);
    assert_int_equal(bp_world_validate(world), BP_OK);
    for (size_t i = 0; i < result.pair_count; ++i) {
        assert_true(result.pairs[i].a % GONE != 0 && result.pairs[i].b % GONE != 0);
    }
    bp_world_destroy(world);
    free(boxes);
}

// ---- worlds ---------------------------------------------------------------------------------------------------------

// Ids that are not alive are no boxes; where many are not, all pairs are tested.
static void skips_holes(void **state) {
    bp_box boxes[COUNT];
    bp_world *world = NULL;
    bp_result result;
    (void)state;
    assert_int_equal(bp_world_create(&(bp_config){.method = BP_METHOD_STRIPS}, &world), BP_OK);
    fill_kind(boxes, COUNT, 0);
    assert_int_equal(bp_add_many(world, COUNT, boxes, NULL, NULL), BP_OK);
    for (size_t share = 20; share > 1; share /= 3) {
        for (bp_id id = 0; id < COUNT; ++id) {
            if (id % share == 1 && !isnan(boxes[id].min[0])) {
                assert_int_equal(bp_remove(world, id), BP_OK);
                boxes[id] = (bp_box){.min = {NAN, NAN, NAN}, .max = {NAN, NAN, NAN}};
            }
        }
        pair_list expected = naive_pairs(boxes, COUNT, 3);
        assert_int_equal(bp_update(world, &result), BP_OK);
        expect_pairs(result.pairs, result.pair_count, &expected, "one of %zu has gone", share);
        assert_int_equal(bp_world_validate(world), BP_OK);
        pair_list_free(&expected);
    }
    bp_world_destroy(world);
}

// ---- what they are not for ------------------------------------------------------------------------------------------

static void expect_other(const char *what, const bp_box *boxes, size_t count, bp_config config) {
    expect_other_form(boxes, count, config, uses_strips, what);
}

static void leaves_the_rest_to_the_grid(void **state) {
    bp_box boxes[COUNT];
    (void)state;
    fill_kind(boxes, COUNT, 0);
    expect_other("a few", boxes, 60, (bp_config){0});
    expect_other("a factor", boxes, COUNT, (bp_config){SETTINGS(.hierarchy_factor = 2.0f)});
    expect_other("a grid size", boxes, COUNT, (bp_config){SETTINGS(.grid_size = {16, 16, 16})});
    expect_other("a load", boxes, COUNT, (bp_config){SETTINGS(.grid_load = 0.5f)});
    expect_other("all pairs", boxes, COUNT, (bp_config){SETTINGS(.brute_force_below = 5000)});
    for (size_t i = 0; i < 9; ++i) {
        boxes[7 * i] = cube_of(0, 0, 0, 10.0f);
    }
    expect_other("too many giants", boxes, COUNT, (bp_config){0});
    boxes[7] = box_of(0, 0, 0, 1, 1, INFINITY);
    expect_other("a wall", boxes, COUNT, (bp_config){0});
    boxes[7] = (bp_box){.min = {INFINITY, 0, 0}, .max = {INFINITY, 1, 1}};
    expect_other("infinitely far", boxes, COUNT, (bp_config){0});
    boxes[7] = cube_of(-3e38f, 0, 0, 1.0f);
    boxes[8] = cube_of(3e38f, 0, 0, 1.0f);
    expect_other("an extent beyond floats", boxes, COUNT, (bp_config){0});
    fill_kind(boxes, COUNT, 0);
    for (size_t i = 0; i < COUNT; ++i) {
        const float place = i % 2 == 0 ? 1000.0f : 0.0f;
        const size_t row = i / 60;
        boxes[i] = cube_of(place, place + 0.2f * (float)(i / 2 % 30), place + 0.2f * (float)row, 0.1f);
    }
    expect_other("two clumps", boxes, COUNT, (bp_config){0});
}

// ---- kernels --------------------------------------------------------------------------------------------------------

// However little room there is at a time, entries with many candidates are found whole.
static void a_short_room_loses_nothing(void **state) {
    enum { ROW = 40 };
    bp_box boxes[ROW];
    bp_columns columns;
    bp_buffer buffer = {0};
    uint32_t ends[ROW];
    const bp_kernels *kernels = NULL;
    const bp_allocator allocator = bp_allocator_default();
    const bp_log log = {0};
    (void)state;
    assert_true(bp_columns_reserve(&columns, &buffer, &allocator, ROW));
    for (size_t i = 0; i < ROW; ++i) {
        boxes[i] = cube_of(0, 0, 0, 1);
        bp_columns_put(&columns, i, &boxes[i], (uint32_t)i);
        ends[i] = ROW;
    }
    assert_int_equal(bp_kernels_choose(BP_SIMD_AUTO, &log, &kernels), BP_OK);
    bp_pair found[ROW * ROW];
    bp_strips_job job = {.columns = columns.min[0],
                         .distance = (size_t)(columns.min[1] - columns.min[0]),
                         .ends = ends,
                         .end = ROW,
                         .out = found,
                         .room = ROW + BP_COLUMN_PADDING};
    while (job.begin < ROW) {
        size_t done = 0;
        job.out += kernels->test_strips(&job, &done);
        assert_true(done > 0);
        job.begin += done;
    }
    pair_list expected = naive_pairs(boxes, ROW, 3);
    expect_pairs(found, (size_t)(job.out - found), &expected, "in pieces");
    pair_list_free(&expected);
    bp_buffer_free(&buffer, &allocator);
}

// Whichever allocation fails.
static void expect_failures(const bp_box *boxes, size_t count) {
    test_allocator allocator;
    test_allocator_init(&allocator);
    const bp_config config = {.allocator = test_allocator_hook(&allocator)};
    bp_status status = BP_ERROR_MEMORY;
    for (size_t fail_at = 1; status != BP_OK; ++fail_at) {
        bp_pairs pairs = {0};
        test_allocator_fail(&allocator, fail_at, false);
        status = bp_find_pairs(boxes, count, &config, &pairs);
        assert_true(status == BP_OK || status == BP_ERROR_MEMORY);
        bp_pairs_free(&pairs, &config);
    }
    test_allocator_finish(&allocator);
}

static void survives_refused_memory(void **state) {
    bp_box *boxes = many_long_boxes(0);
    (void)state;
    expect_failures(boxes, MANY);
    fill_kind(boxes, COUNT, 0);
    expect_failures(boxes, COUNT);
    fill_kind(boxes, COUNT, 9);
    expect_failures(boxes, COUNT);
    free(boxes);
}

static const variant CONFIGS[] = {VARIANT_OF(BP_METHOD_HIERARCHICAL_GRID, )};
static const variant_list VARIANTS = ALL_OF(CONFIGS);
static const steady_scene STEADY = {
    .variants = ALL_OF(CONFIGS), .name = "uniform", .count = 2000, .warm_up = 12, .steps = 24};
static const steady_scene STEADY_MANY = {
    .variants = ALL_OF(CONFIGS), .name = "long", .count = 40000, .warm_up = 6, .steps = 6};

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_all_pairs_in_the_same_order),
        cmocka_unit_test(sees_no_third_axis),
        cmocka_unit_test(many_long_boxes_have_the_same_pairs_in_the_same_order),
        cmocka_unit_test(a_world_of_many_is_sound),
        cmocka_unit_test(skips_holes),
        cmocka_unit_test(leaves_the_rest_to_the_grid),
        cmocka_unit_test(a_short_room_loses_nothing),
        cmocka_unit_test(survives_refused_memory),
        TEST_WITH(finds_the_same_bytes_with_any_number_of_threads, VARIANTS),
        TEST_WITH(allocates_nothing_in_a_steady_step, STEADY),
        TEST_WITH(allocates_nothing_in_a_steady_step, STEADY_MANY),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
