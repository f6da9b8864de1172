// auto between two sets: bundles, cuts, all pairs, strips of both, trees, and split where shapes are hostile. Against the naive
// oracle, and where that is too slow against split.
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 23 };

// ---- kinds of boxes -------------------------------------------------------------------------------------------------

typedef struct kind {
    const char *name;
    bp_box (*make)(rng *random, size_t index);
} kind;

static bp_box unit_cube(rng *random, size_t index) {
    (void)index;
    return random_cube(random, 12.0, 1.0);
}

static bp_box point(rng *random, size_t index) {
    (void)index;
    return random_cube(random, 12.0, 0.0);
}

// Corners at whole numbers: many faces touch, and lie on the edges of cells.
static bp_box brick(rng *random, size_t index) {
    (void)index;
    return box_of((float)rng_below(random, 12), (float)rng_below(random, 12), (float)rng_below(random, 12),
                  (float)rng_below(random, 3), (float)rng_below(random, 3), (float)rng_below(random, 3));
}

// Flat boxes on a folded surface.
static bp_box scale(rng *random, size_t index) {
    const float x = (float)(index % 64) * 0.2f, y = (float)(index / 64 % 64) * 0.2f;
    const float z = 2.0f * sinf(x) * cosf(1.3f * y) + random_between(random, -0.05, 0.05);
    return box_of(x, y, z, 0.25f, 0.25f, 0.1f);
}

static bp_box needle(rng *random, size_t index) {
    float size[3] = {0.05f, 0.05f, 0.05f};
    size[index % 3] = random_between(random, 1.0, 12.0);
    return box_of(random_between(random, -6, 6), random_between(random, -6, 6), random_between(random, -6, 6), size[0],
                  size[1], size[2]);
}

// Sizes over four orders of magnitude.
static bp_box any_size(rng *random, size_t index) {
    (void)index;
    return random_cube(random, 12.0, (double)random_magnitude(random, 1e-3, 12.0));
}

static bp_box mostly_small(rng *random, size_t index) {
    return random_cube(random, 12.0, index % 40 == 7 ? 9.0 : 0.3);
}

static bp_box wild(rng *random, size_t index) {
    (void)index;
    return random_wild_box(random, NULL, 0);
}

static bp_box far_out(rng *random, size_t index) {
    bp_box box = unit_cube(random, index);
    for (int axis = 0; axis < 3; ++axis) {
        box.min[axis] += 1e7f;
        box.max[axis] += 1e7f;
    }
    return box;
}

static bp_box beside(rng *random, size_t index) {
    bp_box box = unit_cube(random, index);
    box.min[0] += 11.5f;
    box.max[0] += 11.5f;
    return box;
}

static bp_box wall(rng *random, size_t index) {
    bp_box box = {.min = {-INFINITY, -INFINITY, -INFINITY}, .max = {INFINITY, INFINITY, INFINITY}};
    box.min[index % 3] = random_between(random, -6, 6);
    box.max[index % 3] = box.min[index % 3] + 0.1f;
    return box;
}

static bp_box same(rng *random, size_t index) {
    (void)random;
    (void)index;
    return cube_of(1.0f, 2.0f, 3.0f, 0.5f);
}

// Boxes that touch their neighbors, as triangles of a surface do, row after row.
static bp_box tile(rng *random, size_t index) {
    bp_box box = scale(random, index);
    box.min[2] -= 0.3f;
    box.max[2] += 0.3f;
    return box;
}

// The same in no order.
static bp_box scattered(rng *random, size_t index) {
    return tile(random, (size_t)((uint32_t)index * 0x9e3779b1u >> 20));
}

// Boxes that touch one after the other, with gaps now and then, and a wall.
static bp_box bead(rng *random, size_t index) {
    const float along = 0.02f * (float)index + (float)(index / 37 % 5);
    if (index % 701 == 700) {
        return wall(random, index);
    }
    return box_of(5.0f * sinf(along), 5.0f * sinf(1.7f * along), 5.0f * cosf(0.9f * along), 0.3f, 0.3f, 0.3f);
}

// Boxes of similar sizes, of which every hundredth is far longer than the others together, along each axis in turn.
static bp_box beam(rng *random, size_t index) {
    bp_box box = random_cube(random, 40.0, 0.3);
    box.max[index % 3] += index % 100 == 5 ? 30.0f : 0.0f;
    return box;
}

// A few floors and walls among cubes.
static bp_box room(rng *random, size_t index) {
    bp_box box = unit_cube(random, index);
    if (index == 0 || index == 77 || index == 78) {
        box = cube_of(-8.0f, -8.0f, -8.0f, 16.0f);
        box.max[index % 3] = box.min[index % 3] + 7.0f;
    }
    return box;
}

// In eight corners of space; the sets that begin with another index are in other ones.
static bp_box in_corners(rng *random, size_t index) {
    bp_box box = random_cube(random, 6.0, 0.3);
    for (int axis = 0; axis < 3; ++axis) {
        const float distance = (index >> axis & 1) != 0 ? 30.0f : 0.0f;
        box.min[axis] += distance;
        box.max[axis] += distance;
    }
    return box;
}

static bp_box between_corners(rng *random, size_t index) {
    bp_box box = in_corners(random, index);
    for (int axis = 0; axis < 3; ++axis) {
        box.min[axis] += 4.0f + (float)(index % 50 == 0);
        box.max[axis] += 4.0f + (float)(index % 50 == 0);
    }
    return box;
}

static const kind KINDS[] = {
    {"cubes", unit_cube},
    {"points", point},
    {"bricks", brick},
    {"scales", scale},
    {"needles", needle},
    {"any size", any_size},
    {"wild", wild},
    {"mostly small", mostly_small},
    {"far out", far_out},
    {"beside", beside},
    {"walls", wall},
    {"the same", same},
    {"tiles", tile},
    {"scattered tiles", scattered},
    {"beads", bead},
    {"beams", beam},
    {"rooms", room},
    {"in corners", in_corners},
    {"between corners", between_corners},
};

static bp_box *make_boxes(const kind *k, size_t count, uint64_t seed) {
    rng random = rng_seeded(seed);
    bp_box *boxes = obtain(count, sizeof *boxes);
    for (size_t i = 0; i < count; ++i) {
        boxes[i] = k->make(&random, i);
    }
    return boxes;
}

// ---- against the oracle ---------------------------------------------------------------------------------------------

static const bp_config CONFIGS[] = {
    {.method = BP_METHOD_AUTO},
    {.method = BP_METHOD_AUTO, SETTINGS(.simd = BP_SIMD_SCALAR)},
    {.method = BP_METHOD_AUTO, .threads = 3, SETTINGS(.simd = BP_SIMD_AVX2)},
    {.method = BP_METHOD_AUTO, .threads = 8},
};

static void check_sets(const kind *first, const kind *second, size_t a_count, size_t b_count, uint32_t dimensions) {
    bp_box *a = make_boxes(first, a_count, SEED), *b = make_boxes(second, b_count, SEED + 1);
    pair_list expected = naive_pairs_between(a, a_count, b, b_count, dimensions);
    for (size_t i = 0; i < COUNT_OF(CONFIGS); ++i) {
        bp_config config = CONFIGS[i];
        config.dimensions = dimensions;
        if (!has_simd(settings_of(&config).simd)) {
            continue;
        }
        bp_pairs pairs = {0};
        assert_int_equal(bp_find_pairs_between(a, a_count, b, b_count, &config, &pairs), BP_OK);
        expect_pairs(pairs.data, pairs.count, &expected, "%zu %s and %zu %s in %u dimensions, config %zu, seed %d",
                     a_count, first->name, b_count, second->name, (unsigned)dimensions, i, SEED);
        bp_pairs_free(&pairs, &config);
    }
    pair_list_free(&expected);
    free(a);
    free(b);
}

static void finds_the_pairs_of_all_kinds(void **state) {
    (void)state;
    const size_t a_count = quick() ? 600 : 1500, b_count = quick() ? 900 : 2200;
    for (size_t i = 0; i < COUNT_OF(KINDS); ++i) {
        for (size_t j = 0; j < COUNT_OF(KINDS); ++j) {
            for (uint32_t dimensions = 2; dimensions <= 3 && in_turn(); ++dimensions) {
                check_sets(&KINDS[i], &KINDS[j], a_count, b_count, dimensions);
            }
        }
    }
}

static void finds_the_pairs_of_any_number(void **state) {
    static const size_t counts[] = {0, 1, 7, 8, 9, 16, 17, 63, 65, 255, 256, 257, 3000};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(counts); ++i) {
        for (size_t j = 0; j < COUNT_OF(counts) && in_turn(); ++j) {
            check_sets(&KINDS[(i + j) % 8], &KINDS[i % 8], counts[i], counts[j], 3);
        }
    }
}

// More boxes in one place than are searched at once.
static void a_crowded_place_is_searched_in_pieces(void **state) {
    (void)state;
    check_sets(&KINDS[11], &KINDS[11], 1500, 1100, 3);
    check_sets(&KINDS[11], &KINDS[0], 2500, 3000, 3);
}

// ---- against split --------------------------------------------------------------------------------------------------

typedef struct large_sets {
    const char *name;
    const kind *first, *second;
    size_t a_count, b_count;
} large_sets;

static const large_sets LARGE[] = {
    {"a surface and another", &KINDS[3], &KINDS[3], 4096, 4096},
    {"tiles and others", &KINDS[12], &KINDS[12], 4096, 4096},
    {"both in no order", &KINDS[13], &KINDS[13], 4096, 4096},
    {"one in no order", &KINDS[12], &KINDS[13], 3000, 4096},
    {"beads", &KINDS[14], &KINDS[14], 20000, 9000},
    {"beads and tiles", &KINDS[14], &KINDS[12], 130, 4096},
    {"bundles that all meet", &KINDS[11], &KINDS[14], 2000, 9000},
    {"cubes that fill space", &KINDS[0], &KINDS[0], 33000, 31000},
    {"needles", &KINDS[4], &KINDS[4], 6000, 7000},
    {"any size", &KINDS[5], &KINDS[5], 9000, 5000},
    {"few and many", &KINDS[0], &KINDS[7], 150, 30000},
    {"one beside the other", &KINDS[9], &KINDS[0], 20000, 20000},
    {"beams", &KINDS[15], &KINDS[15], 9000, 11000},
    {"few beams", &KINDS[15], &KINDS[0], 300, 20000},
    {"rooms", &KINDS[16], &KINDS[16], 9000, 5000},
    {"in corners and between them", &KINDS[17], &KINDS[18], 20000, 30000},
    {"few in corners", &KINDS[18], &KINDS[17], 900, 30000},
    {"long sets that are alike", &KINDS[0], &KINDS[0], 200, 70000},
};

static bp_pairs find(const large_sets *l, const bp_box *a, const bp_box *b, const bp_config *config) {
    bp_pairs pairs = {0};
    assert_int_equal(bp_find_pairs_between(a, l->a_count, b, l->b_count, config, &pairs), BP_OK);
    return pairs;
}

static void check_large(const large_sets *l) {
    static const bp_simd simds[] = {BP_SIMD_SCALAR, BP_SIMD_AVX2, BP_SIMD_AVX512, BP_SIMD_NEON};
    static const int32_t threads[] = {2, 3, 8};
    bp_box *a = make_boxes(l->first, l->a_count, SEED), *b = make_boxes(l->second, l->b_count, SEED + 1);
    bp_config config = {.method = BP_METHOD_SPLIT, .pair_order = BP_ORDER_SORTED};
    bp_pairs expected = find(l, a, b, &config);
    config = (bp_config){.method = BP_METHOD_AUTO};
    bp_pairs reference = find(l, a, b, &config);
    const pair_list list = {.data = expected.data, .count = expected.count};
    bp_pair *copy = obtain(reference.count, sizeof *copy);
    memcpy(copy, reference.data, reference.count * sizeof *copy);
    expect_pairs(copy, reference.count, &list, "%s", l->name);
    for (size_t i = 0; i < COUNT_OF(threads) + COUNT_OF(simds); ++i) {
        const bool is_threads = i < COUNT_OF(threads);
        const bp_simd simd = is_threads ? BP_SIMD_AUTO : simds[i - COUNT_OF(threads)];
        const bp_config other = {
            .method = BP_METHOD_AUTO, .threads = is_threads ? threads[i] : 1, SETTINGS(.simd = simd)};
        if (has_simd(simd)) {
            bp_pairs pairs = find(l, a, b, &other);
            expect_same_bytes(pairs.data, pairs.count, reference.data, reference.count, "%s, %d threads, %s", l->name,
                              (int)other.threads, simd_text(simd));
            bp_pairs_free(&pairs, &other);
        }
    }
    free(copy);
    bp_pairs_free(&expected, &config);
    bp_pairs_free(&reference, &config);
    free(a);
    free(b);
}

static void finds_the_same_bytes_in_every_way(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(LARGE); ++i) {
        check_large(&LARGE[i]);
    }
}

// ---- sets as flags of strips ----------------------------------------------------------------------------------------

static bp_stats check_flags(const bp_box *a, size_t a_count, const bp_box *b, size_t b_count, const char *what) {
    bp_stats stats;
    const bp_config config = {.method = BP_METHOD_STRIPS, .stats = &stats};
    bp_pairs pairs = {0};
    pair_list expected = naive_pairs_between(a, a_count, b, b_count, 3);
    assert_int_equal(bp_find_pairs_between(a, a_count, b, b_count, &config, &pairs), BP_OK);
    expect_pairs(pairs.data, pairs.count, &expected, "%s", what);
    bp_pairs_free(&pairs, &config);
    pair_list_free(&expected);
    return stats;
}

// The same boxes in both sets, with the same ids: each meets itself, and none meets a box of its own set.
static void a_set_meets_its_copy(void **state) {
    enum { COUNT = 1500 };
    (void)state;
    bp_box *a = make_boxes(&KINDS[0], COUNT, SEED), *b = make_boxes(&KINDS[0], COUNT, SEED);
    assert_int_equal(check_flags(a, COUNT, b, COUNT, "a copy").method, BP_METHOD_STRIPS);
    for (size_t i = 0; i < COUNT; ++i) {
        b[i] = a[COUNT - 1 - i];
    }
    assert_int_equal(check_flags(a, COUNT, b, COUNT, "a copy the other way round").method, BP_METHOD_STRIPS);
    assert_int_equal(check_flags(a, 0, b, COUNT, "an empty set").pairs, 0);
    assert_int_equal(check_flags(a, COUNT, b, 0, "another empty set").pairs, 0);
    free(a);
    free(b);
}

// Boxes of the second set are near the far ends of long boxes of the first one, more than 64 cells from where these begin, and
// near nothing else.
static void far_ends_are_not_sieved(void **state) {
    enum { COUNT = 3000 };
    rng random = rng_seeded(SEED);
    bp_box a[COUNT], b[COUNT];
    (void)state;
    for (size_t i = 0; i < COUNT; ++i) {
        a[i] = random_cube(&random, 10.0, 0.5);
        b[i] = random_cube(&random, 10.0, 0.5);
        a[i].min[0] = random_between(&random, 0.0, 5.0);
        a[i].max[0] = a[i].min[0] + (i % 100 == 5 ? 30.0f : 0.5f);
        b[i].min[0] = i > 0 ? random_between(&random, 28.0, 33.0) : 0.0f; // its bounds reach all of the first set
        b[i].max[0] = b[i].min[0] + 0.5f;
    }
    const bp_stats stats = check_flags(a, COUNT, b, COUNT, "far ends");
    assert_int_equal(stats.method, BP_METHOD_STRIPS);
    assert_true(stats.pairs > 10);
    assert_int_equal(check_flags(b, COUNT, a, COUNT, "far ends of the second set").method, BP_METHOD_STRIPS);
}

// ---- work -----------------------------------------------------------------------------------------------------------

static bp_stats stats_of(const kind *first, const kind *second, size_t count, bp_method method) {
    bp_box *a = make_boxes(first, count, SEED), *b = make_boxes(second, count, SEED + 1);
    bp_stats stats;
    const bp_config config = {.method = method, .stats = &stats};
    bp_pairs pairs = {0};
    assert_int_equal(bp_find_pairs_between(a, count, b, count, &config, &pairs), BP_OK);
    bp_pairs_free(&pairs, &config);
    free(a);
    free(b);
    return stats;
}

static void check_tests(const kind *k, bool is_ordered) {
    const bp_stats own = stats_of(k, k, 4096, BP_METHOD_AUTO);
    const bp_stats tree = stats_of(k, k, 4096, BP_METHOD_BVH);
    assert_true(own.tests <= (is_ordered ? 2 : 20) * tree.tests);
    assert_true(own.cells > 0 && own.occupied > 0 && own.bytes > 0);
    assert_true(is_ordered ? own.levels > 2 : own.levels == 1);
}

// In order, a tree has many levels; in no order, there are strips.
static void surfaces_take_few_tests(void **state) {
    (void)state;
    check_tests(&KINDS[12], true);
    check_tests(&KINDS[13], false);
}

static void sets_apart_take_hardly_any_test(void **state) {
    (void)state;
    const bp_stats stats = stats_of(&KINDS[0], &KINDS[8], 5000, BP_METHOD_AUTO);
    assert_int_equal(stats.pairs, 0);
    assert_true(stats.tests < 100);
}

static void no_kind_is_quadratic(void **state) {
    (void)state;
    const size_t count = 8000;
    for (size_t i = 0; i < COUNT_OF(KINDS); ++i) {
        for (size_t j = 0; j < COUNT_OF(KINDS) && KINDS[i].make != same; ++j) {
            if (in_turn()) {
                const bp_stats stats = stats_of(&KINDS[i], &KINDS[j], count, BP_METHOD_AUTO);
                const double paid = 200.0 * (double)(stats.objects + stats.pairs);
                if ((double)stats.tests > paid) {
                    fail_msg("%s and %s: %llu tests for %zu pairs", KINDS[i].name, KINDS[j].name,
                             (unsigned long long)stats.tests, stats.pairs);
                }
            }
        }
    }
}

// ---- memory ---------------------------------------------------------------------------------------------------------

// Every allocation fails once: an error, nothing lost, and then all pairs.
static void check_failures(const large_sets *l) {
    bp_box *a = make_boxes(l->first, l->a_count, SEED), *b = make_boxes(l->second, l->b_count, SEED + 1);
    test_allocator allocator;
    test_allocator_init(&allocator);
    const bp_allocator hook = test_allocator_hook(&allocator);
    const bp_config config = {.method = BP_METHOD_AUTO, .threads = 2, .allocator = hook};
    bp_status status = BP_ERROR_MEMORY;
    size_t count = 0;
    for (size_t k = 1; status != BP_OK; ++k) {
        bp_pairs pairs = {0};
        test_allocator_fail(&allocator, k, false);
        status = bp_find_pairs_between(a, l->a_count, b, l->b_count, &config, &pairs);
        assert_true(status == BP_OK || status == BP_ERROR_MEMORY);
        count = pairs.count;
        if (allocator.refused > 0 && status == BP_OK) { // one that it can do without
            status = BP_ERROR_MEMORY;
        }
        bp_pairs_free(&pairs, &config);
    }
    bp_config plain = {.method = BP_METHOD_SPLIT};
    bp_pairs expected = find(l, a, b, &plain);
    assert_int_equal(count, expected.count);
    bp_pairs_free(&expected, &plain);
    test_allocator_finish(&allocator);
    free(a);
    free(b);
}

static void an_allocation_that_fails_loses_nothing(void **state) {
    (void)state;
    static const large_sets few[] = {
        {"surfaces", &KINDS[3], &KINDS[3], 2000, 2000},
        {"tiles", &KINDS[12], &KINDS[12], 2000, 2000},
        {"bundles that all meet", &KINDS[11], &KINDS[14], 500, 900},
        {"any size", &KINDS[5], &KINDS[7], 900, 1200},
        {"needles", &KINDS[4], &KINDS[4], 3000, 3000},
        {"one beside the other", &KINDS[0], &KINDS[9], 6000, 9000},
        {"few and many", &KINDS[0], &KINDS[0], 12, 3000},
    };
    for (size_t i = 0; i < COUNT_OF(few); ++i) {
        check_failures(&few[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_pairs_of_all_kinds),
        cmocka_unit_test(finds_the_pairs_of_any_number),
        cmocka_unit_test(a_crowded_place_is_searched_in_pieces),
        cmocka_unit_test(finds_the_same_bytes_in_every_way),
        cmocka_unit_test(a_set_meets_its_copy),
        cmocka_unit_test(far_ends_are_not_sieved),
        cmocka_unit_test(surfaces_take_few_tests),
        cmocka_unit_test(sets_apart_take_hardly_any_test),
        cmocka_unit_test(no_kind_is_quadratic),
        cmocka_unit_test(an_allocation_that_fails_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
