// Pairs between two sets, against the naive oracle.
#include "support/support.h"

#include "scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 11 };

typedef bp_box (*box_maker)(rng *random);

static bp_box small_cube(rng *random) {
    return random_cube(random, 10.0, 0.3);
}

static bp_box tiny_cube(rng *random) {
    return random_cube(random, 10.0, rng_between(random, 0.0, 1e-3));
}

static bp_box huge_cube(rng *random) {
    return random_cube(random, 20.0, rng_between(random, 5.0, 50.0));
}

static bp_box wild(rng *random) {
    return random_wild_box(random, NULL, 0);
}

static bp_box far_cube(rng *random) {
    bp_box box = random_cube(random, 10.0, 1.0);
    for (int axis = 0; axis < 3; ++axis) {
        box.min[axis] += 1e7f;
        box.max[axis] += 1e7f;
    }
    return box;
}

static bp_box half_space(rng *random) {
    bp_box box = {.min = {-INFINITY, -INFINITY, -INFINITY}, .max = {INFINITY, INFINITY, INFINITY}};
    box.min[rng_below(random, 3)] = random_between(random, -5, 5);
    return box;
}

typedef struct sets {
    const char *what;
    box_maker make_a, make_b;
    size_t a_count, b_count;
} sets;

static const sets CASES[] = {
    {"both empty", small_cube, small_cube, 0, 0},
    {"the first empty", small_cube, small_cube, 0, 500},
    {"the second empty", small_cube, small_cube, 500, 0},
    {"one against one", huge_cube, huge_cube, 1, 1},
    {"one against many", huge_cube, small_cube, 1, 3000},
    {"many against one", small_cube, huge_cube, 3000, 1},
    {"a few against many", small_cube, small_cube, 7, 3000},
    {"many against a few", small_cube, small_cube, 3000, 7},
    {"equal numbers", small_cube, small_cube, 2000, 2000},
    {"tiny against huge", tiny_cube, huge_cube, 2000, 200},
    {"huge against tiny", huge_cube, tiny_cube, 200, 2000},
    {"all kinds", wild, wild, 1500, 1200},
    {"cubes against half-spaces", small_cube, half_space, 2000, 5},
    {"half-spaces against cubes", half_space, small_cube, 5, 2000},
    {"half-spaces against half-spaces", half_space, half_space, 30, 40},
    {"far apart", far_cube, small_cube, 1000, 1000},
    {"far out", far_cube, far_cube, 1000, 1000},
};

static const bp_config OPTIONS[] = {
    {0},
    {SETTINGS(.simd = BP_SIMD_SCALAR)},
    {.threads = 3, SETTINGS(.simd = BP_SIMD_AVX2)},
    {.threads = 2, .pair_order = BP_ORDER_SORTED, SETTINGS(.simd = BP_SIMD_AVX512)},
    {.threads = 8, SETTINGS(.brute_force_below = 1)},
    {SETTINGS(.hierarchy_factor = 2.0f)},
    {.pair_order = BP_ORDER_SORTED, SETTINGS(.hierarchy_factor = 1.25f, .brute_force_below = 1)},
    {SETTINGS(.cell_size = 0.1f, .brute_force_below = 1, .grid_size = {4, 16, 8})},
    {SETTINGS(.brute_force_below = 1)},
    {SETTINGS(.brute_force_below = 1000000)},
    {.update = BP_UPDATE_INDIVIDUAL, SETTINGS(.brute_force_below = 1)},
};

typedef struct subject {
    const char *what;
    const bp_box *a, *b;
    size_t a_count, b_count;
    pair_list expected;
} subject;

// Too little room: an error, the number needed, and nothing beside the buffer is touched.
static void check_fixed(const subject *s, bp_config config) {
    const size_t needed = s->expected.count;
    bp_pair *buffer = obtain(needed + 1, sizeof *buffer);
    config.flags = BP_PAIRS_FIXED;
    for (size_t capacity = needed < 2 ? 0 : needed - 2; capacity <= needed; ++capacity) {
        bp_pairs pairs = {.data = capacity == 0 ? NULL : buffer, .capacity = capacity};
        buffer[capacity] = (bp_pair){12345, 54321};
        const bp_status status = bp_find_pairs_between(s->a, s->a_count, s->b, s->b_count, &config, &pairs);
        assert_int_equal(status, capacity < needed ? BP_ERROR_CAPACITY : BP_OK);
        assert_int_equal(pairs.count, needed);
        assert_true(buffer[capacity].a == 12345 && buffer[capacity].b == 54321);
        if (status == BP_OK) {
            expect_pairs(buffer, needed, &s->expected, "fixed buffer: %s", s->what);
        }
    }
    free(buffer);
}

static void check_config(const subject *s, const bp_config *config) {
    char text[CONFIG_TEXT];
    bp_pairs pairs = {0};
    assert_int_equal(bp_find_pairs_between(s->a, s->a_count, s->b, s->b_count, config, &pairs), BP_OK);
    expect_pairs(pairs.data, pairs.count, &s->expected, "between, %s: %zu and %zu boxes, seed=%d %s", s->what,
                 s->a_count, s->b_count, SEED, config_text(config, text));
    if (config->pair_order == BP_ORDER_SORTED) {
        expect_same_bytes(pairs.data, pairs.count, s->expected.data, s->expected.count, "between, %s, order: %s",
                          s->what, config_text(config, text));
    }
    bp_pairs_free(&pairs, config);
    check_fixed(s, *config);
}

static void check_method(const subject *s, size_t method, uint32_t dimensions) {
    const size_t options = method == BP_METHOD_BRUTE_FORCE ? 1 : COUNT_OF(OPTIONS);
    for (size_t i = 0; i < options; ++i) {
        bp_config config = OPTIONS[i];
        config.method = (bp_method)method;
        config.dimensions = dimensions;
        if (in_turn() && has_simd(settings_of(&config).simd)) {
            check_config(s, &config);
        }
    }
}

static void check_subject(subject *s) {
    for (uint32_t dimensions = 2; dimensions <= 3; ++dimensions) {
        const uint32_t needed = BP_SUPPORTS_BETWEEN | (dimensions == 2 ? BP_SUPPORTS_2D : 0);
        s->expected = naive_pairs_between(s->a, s->a_count, s->b, s->b_count, dimensions);
        for (size_t method = 0; method < bp_method_count(); ++method) {
            if ((bp_method_supports(method) & needed) == needed) {
                check_method(s, method, dimensions);
            }
        }
        pair_list_free(&s->expected);
    }
}

static bp_box *make_boxes(box_maker make, size_t count, uint64_t seed) {
    rng random = rng_seeded(seed);
    bp_box *boxes = obtain(count, sizeof *boxes);
    for (size_t i = 0; i < count; ++i) {
        boxes[i] = make(&random);
    }
    return boxes;
}

static void finds_all_pairs_between_two_sets(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(CASES); ++i) {
        const sets *c = &CASES[i];
        bp_box *a = make_boxes(c->make_a, c->a_count, SEED), *b = make_boxes(c->make_b, c->b_count, SEED + 1);
        subject s = {.what = c->what, .a = a, .b = b, .a_count = c->a_count, .b_count = c->b_count};
        check_subject(&s);
        free(a);
        free(b);
    }
}

static void a_set_against_itself_includes_each_box(void **state) {
    (void)state;
    bp_box *boxes = make_boxes(wild, 900, SEED);
    subject s = {.what = "the same array", .a = boxes, .b = boxes, .a_count = 900, .b_count = 900};
    check_subject(&s);
    free(boxes);
}

static void an_empty_set_may_be_null(void **state) {
    (void)state;
    const bp_box box = cube_of(0, 0, 0, 1);
    bp_pairs pairs = {0};
    assert_int_equal(bp_find_pairs_between(NULL, 0, &box, 1, NULL, &pairs), BP_OK);
    assert_int_equal(bp_find_pairs_between(&box, 1, NULL, 0, NULL, &pairs), BP_OK);
    assert_int_equal(bp_find_pairs_between(NULL, 0, NULL, 0, NULL, &pairs), BP_OK);
    assert_int_equal(pairs.count, 0);
    bp_pairs_free(&pairs, NULL);
}

static void each_set_counts_from_zero(void **state) {
    (void)state;
    const bp_box a[] = {cube_of(9, 9, 9, 1), cube_of(0, 0, 0, 1)}, b[] = {cube_of(0.5f, 0, 0, 1)};
    bp_pairs pairs = {0};
    bp_stats stats;
    const bp_config config = {.stats = &stats};
    assert_int_equal(bp_find_pairs_between(a, 2, b, 1, &config, &pairs), BP_OK);
    assert_int_equal(pairs.count, 1);
    assert_int_equal(pairs.data[0].a, 1); // from the first set, although the other number is smaller
    assert_int_equal(pairs.data[0].b, 0);
    assert_int_equal(stats.objects, 3);
    assert_int_equal(stats.pairs, 1);
    bp_pairs_free(&pairs, &config);
}

// A box that spans more cells of another set's grid than a 32-bit number counts.
static void sizes_that_have_nothing_in_common_are_found(void **state) {
    (void)state;
    const size_t count = quick() ? 2000 : 5000, half = count / 2;
    const scene_options options = {.count = count, .seed = 7};
    const char *error = NULL;
    scene *wide = scene_create("tiny-and-huge", &options, &error);
    assert_non_null(wide);
    const bp_box *boxes = scene_boxes(wide);
    pair_list expected = naive_pairs_between(boxes, half, boxes + half, count - half, 3);
    for (size_t method = 0; method < bp_method_count(); ++method) {
        const bp_config config = {.method = (bp_method)method};
        bp_pairs pairs = {0};
        assert_int_equal(bp_find_pairs_between(boxes, half, boxes + half, count - half, &config, &pairs), BP_OK);
        expect_pairs(pairs.data, pairs.count, &expected, "tiny-and-huge, %s", bp_method_name(method));
        bp_pairs_free(&pairs, &config);
    }
    pair_list_free(&expected);
    scene_destroy(wide);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_have_nothing_in_common_are_found),
        cmocka_unit_test(finds_all_pairs_between_two_sets),
        cmocka_unit_test(a_set_against_itself_includes_each_box),
        cmocka_unit_test(an_empty_set_may_be_null),
        cmocka_unit_test(each_set_counts_from_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
