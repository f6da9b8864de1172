// hierarchical-grid in bundles: boxes that follow one another are near each other, as the triangles of a mesh are. (Bundles
// of two sets are tested by test_two_sets, their loops by test_bundle_kernels.)
#include "support/method_checks.h"
#include "support/support.h"

#include <broadphase/broadphase_tune.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 3000, MANY = 20000, KINDS = 8, SURELY = 1000 };

static const char *const KIND_NAMES[KINDS] = {"scan",           "cloth",     "terrain",     "lattice that touches",
                                              "slabs in a row", "far slabs", "with giants", "with walls"};

static void copy_surface(bp_box *boxes, size_t count, const char *name) {
    scene *surface = open_scene_with(name, (scene_options){.count = count, .seed = 1});
    assert_true(scene_box_count(surface) >= count);
    memcpy(boxes, scene_boxes(surface), count * sizeof *boxes);
    scene_destroy(surface);
}

// Some of the boxes are something else.
static void scatter(bp_box *boxes, size_t count, bp_box other) {
    for (size_t i = 5; i < count; i += 1 + count / 7) {
        boxes[i] = other;
    }
}

static void fill_kind(bp_box *boxes, size_t count, int kind) {
    if (kind < 3 || kind > 5) {
        copy_surface(boxes, count, KIND_NAMES[kind < 3 ? kind : 0]);
    }
    for (size_t i = 0; i < count && kind >= 3 && kind <= 5; ++i) {
        const float far = kind == 5 ? 1e6f : 0.0f;
        boxes[i] = kind == 3 ? cube_of((float)(i % 64), (float)(i / 64 % 16), (float)(i / 1024), 1.0f)
                             : box_of(far + (float)i, far - (float)(i % 3), 0.0f, 2.0f, 3.0f, 3.0f);
    }
    if (kind == 6) {
        scatter(boxes, count, cube_of(-20.0f, -20.0f, -20.0f, 40.0f));
    }
    if (kind == 7) {
        scatter(boxes, count, (bp_box){.min = {0.0f, -INFINITY, -INFINITY}, .max = {1.0f, INFINITY, INFINITY}});
    }
}

static bool uses_bundles(const bp_stats *stats) {
    return bp_stats_details(stats).bundles != 0;
}

// ---- pairs ----------------------------------------------------------------------------------------------------------

static void expect_kind(const bp_box *boxes, size_t count, int kind, uint32_t dimensions) {
    expect_form(boxes, count, dimensions, dimensions == 3 && count >= SURELY ? uses_bundles : NULL, KIND_NAMES[kind]);
}

static void finds_all_pairs_in_the_same_order(void **state) {
    static const size_t counts[] = {200, 257, SURELY, SURELY + 1, COUNT};
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

// Filters, sorted order, a buffer that is short: what the sink does with pairs.
static void serves_every_sink(void **state) {
    bp_box boxes[COUNT];
    bp_stats stats = {0};
    bp_pairs pairs = {0}, all = {0};
    (void)state;
    fill_kind(boxes, COUNT, 0);
    const bp_config sorted = {.pair_order = BP_ORDER_SORTED, .stats = &stats, .threads = 2};
    assert_int_equal(bp_find_pairs(boxes, COUNT, &sorted, &all), BP_OK);
    assert_true(uses_bundles(&stats));
    for (size_t i = 1; i < all.count; ++i) {
        const bp_pair *p = &all.data[i - 1], *q = &all.data[i];
        assert_true(p->a < q->a || (p->a == q->a && p->b < q->b));
    }
    bp_pair few[100];
    pairs = (bp_pairs){.data = few, .capacity = COUNT_OF(few)};
    const bp_config fixed = {.flags = BP_PAIRS_FIXED};
    assert_int_equal(bp_find_pairs(boxes, COUNT, &fixed, &pairs), BP_ERROR_CAPACITY);
    assert_int_equal(pairs.count, all.count);
    bp_pairs_free(&all, NULL);
}

// ---- what they are not for ------------------------------------------------------------------------------------------

static void expect_other(const char *what, const bp_box *boxes, size_t count, bp_config config) {
    expect_other_form(boxes, count, config, uses_bundles, what);
}

// Long boxes side by side, two layers of them across each other: bundles hold together, and each of one layer meets each of
// the other.
static void fill_mat(bp_box *boxes, size_t count) {
    const size_t half = count / 2;
    const float length = 0.01f * (float)half;
    for (size_t i = 0; i < count; ++i) {
        const float place = 0.01f * (float)(i % half);
        boxes[i] = i < half ? box_of(place, 0.0f, 0.0f, 0.01f, length, 0.01f)
                            : box_of(0.0f, place, 0.015f, length, 0.01f, 0.01f);
    }
}

static void leaves_the_rest_to_others(void **state) {
    bp_box *boxes = obtain(MANY, sizeof *boxes);
    (void)state;
    fill_kind(boxes, COUNT, 0);
    expect_other("a few", boxes, 120, (bp_config){0});
    expect_other("a factor", boxes, COUNT, (bp_config){SETTINGS(.hierarchy_factor = 2.0f)});
    expect_other("update=individual", boxes, COUNT,
                 (bp_config){.method = BP_METHOD_HIERARCHICAL_GRID, .update = BP_UPDATE_INDIVIDUAL});
    expect_other("all pairs", boxes, COUNT, (bp_config){SETTINGS(.brute_force_below = 5000)});
    shuffle_boxes(boxes, COUNT);
    expect_other("no order", boxes, COUNT, (bp_config){0});
    for (size_t i = 0; i < COUNT; ++i) {
        boxes[i] = cube_of(0.001f * (float)i, 0.0f, 0.0f, 9.0f);
    }
    expect_other("one place", boxes, COUNT, (bp_config){0});
    fill_mat(boxes, MANY);
    expect_other("a mat", boxes, MANY, (bp_config){0}); // that is what the budget is for
    free(boxes);
}

// ---- worlds ---------------------------------------------------------------------------------------------------------

static void expect_world(bp_world *world, const bp_box *boxes, size_t count, bool bundles) {
    bp_result result;
    pair_list expected = naive_pairs(boxes, count, 3);
    assert_int_equal(bp_update(world, &result), BP_OK);
    assert_int_equal(uses_bundles(&result.stats), bundles);
    expect_pairs(result.pairs, result.pair_count, &expected, "%zu objects", count);
    assert_int_equal(bp_world_validate(world), BP_OK);
    pair_list_free(&expected);
}

static void move_all(bp_world *world, const bp_box *boxes, size_t count) {
    assert_int_equal(bp_move_many(world, count, NULL, boxes), BP_OK);
}

// Order goes and comes back; queries, and motion of a few, need a grid.
static void a_world_changes_over(void **state) {
    bp_box boxes[COUNT], shuffled[COUNT];
    bp_world *world = NULL;
    bp_id ids[COUNT];
    size_t found = 0;
    (void)state;
    fill_kind(boxes, COUNT, 0);
    memcpy(shuffled, boxes, sizeof boxes);
    shuffle_boxes(shuffled, COUNT);
    assert_int_equal(bp_world_create(NULL, &world), BP_OK);
    assert_int_equal(bp_add_many(world, COUNT, boxes, NULL, NULL), BP_OK);
    expect_world(world, boxes, COUNT, true);
    move_all(world, shuffled, COUNT);
    expect_world(world, shuffled, COUNT, false);
    for (size_t step = 0; step < 40; ++step) {
        for (size_t i = 0; i < COUNT; ++i) {
            boxes[i].max[0] += 0.0001f;
        }
        move_all(world, boxes, COUNT);
        expect_world(world, boxes, COUNT, step >= 32); // after some builds they are tried again
    }
    for (size_t step = 0; step < 5; ++step) {
        boxes[step].max[0] += 0.01f;
        assert_int_equal(bp_move(world, (bp_id)step, &boxes[step]), BP_OK);
        expect_world(world, boxes, COUNT, step < 2); // then the grid is patched
    }
    assert_int_equal(bp_query_box(world, &boxes[0], ids, COUNT, &found), BP_OK);
    assert_true(found > 0);
    move_all(world, boxes, COUNT);
    expect_world(world, boxes, COUNT, false);
    bp_world_destroy(world);
}

// Where a search of the grid would be costly, it is not searched: other forms find all pairs, and once few boxes change, it is
// patched, whether the order of the boxes is good or not.
static void a_calm_surface_is_patched(void **state) {
    (void)state;
    for (int shuffled = 0; shuffled < 2; ++shuffled) {
        bp_box boxes[COUNT];
        bp_world *world = NULL;
        bp_result result;
        fill_kind(boxes, COUNT, 0);
        if (shuffled) {
            shuffle_boxes(boxes, COUNT);
        }
        assert_int_equal(bp_world_create(NULL, &world), BP_OK);
        assert_int_equal(bp_add_many(world, COUNT, boxes, NULL, NULL), BP_OK);
        expect_world(world, boxes, COUNT, !shuffled);
        for (size_t step = 0; step < 8; ++step) {
            const size_t id = 7 * step;
            boxes[id].max[0] += 0.01f;
            assert_int_equal(bp_move(world, (bp_id)id, &boxes[id]), BP_OK);
            expect_world(world, boxes, COUNT, !shuffled && step < 2);
        }
        assert_int_equal(bp_update(world, &result), BP_OK);
        assert_int_equal(result.stats.update, BP_UPDATE_INDIVIDUAL);
        bp_world_destroy(world);
    }
}

// Ids that are not alive are holes in the array.
static void skips_holes(void **state) {
    bp_box boxes[COUNT];
    bp_world *world = NULL;
    (void)state;
    fill_kind(boxes, COUNT, 2);
    assert_int_equal(bp_world_create(NULL, &world), BP_OK);
    assert_int_equal(bp_add_many(world, COUNT, boxes, NULL, NULL), BP_OK);
    for (bp_id id = 3; id < COUNT; id += 90) {
        assert_int_equal(bp_remove(world, id), BP_OK);
        boxes[id] = (bp_box){.min = {NAN, NAN, NAN}, .max = {NAN, NAN, NAN}};
    }
    expect_world(world, boxes, COUNT, true);
    for (bp_id id = 4; id < COUNT; id += 6) {
        assert_int_equal(bp_remove(world, id), isnan(boxes[id].min[0]) ? BP_ERROR_ID : BP_OK);
        boxes[id] = (bp_box){.min = {NAN, NAN, NAN}, .max = {NAN, NAN, NAN}};
    }
    expect_world(world, boxes, COUNT, false);
    bp_world_destroy(world);
}

// ---- memory ---------------------------------------------------------------------------------------------------------

// Whichever allocation fails.
static void survives_refused_memory(void **state) {
    bp_box boxes[COUNT];
    test_allocator allocator;
    bp_status status = BP_ERROR_MEMORY;
    (void)state;
    fill_kind(boxes, COUNT, 1);
    test_allocator_init(&allocator);
    const bp_config config = {.allocator = test_allocator_hook(&allocator)};
    for (size_t fail_at = 1; status != BP_OK; ++fail_at) {
        bp_pairs pairs = {0};
        test_allocator_fail(&allocator, fail_at, false);
        status = bp_find_pairs(boxes, COUNT, &config, &pairs);
        assert_true(status == BP_OK || status == BP_ERROR_MEMORY);
        bp_pairs_free(&pairs, &config);
    }
    test_allocator_finish(&allocator);
}

static const variant CONFIGS[] = {VARIANT_OF(BP_METHOD_HIERARCHICAL_GRID, )};
static const steady_scene STEADY = {
    .variants = ALL_OF(CONFIGS), .name = "cloth", .count = 3000, .warm_up = 12, .steps = 24};

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_all_pairs_in_the_same_order), cmocka_unit_test(serves_every_sink),
        cmocka_unit_test(leaves_the_rest_to_others),         cmocka_unit_test(a_world_changes_over),
        cmocka_unit_test(a_calm_surface_is_patched),         cmocka_unit_test(skips_holes),
        cmocka_unit_test(survives_refused_memory),           TEST_WITH(allocates_nothing_in_a_steady_step, STEADY),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
