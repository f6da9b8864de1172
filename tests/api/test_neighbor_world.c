// Neighbours with a skin: at every step of a walk, each update gives what brute force gives for the points as they are now,
// byte by byte; with threads, instruction sets, kinds, filters, 32 and 64 bits, two dimensions, cells of all shapes. Then
// when it searches anew, what it refuses, and that refused memory loses nothing.
#include "support/support.h"

#include <broadphase/broadphase_neighbors.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 160, KINDS = 2, ALL_FLAGS = BP_NEIGHBORS_DISTANCES | BP_NEIGHBORS_VECTORS | BP_NEIGHBORS_SHIFTS };

static const double CUTOFFS[KINDS * KINDS] = {0.2, 0.1, 0.1, 0.25};

typedef struct walk {
    const char *what;
    double cell[3][3];
    uint32_t periodic[3];
    double radius, skin, step, spread;
    uint32_t dimensions;
    bool kinds, half, filter;
} walk;

static const walk WALKS[] = {
    {"open space", {{0}}, {0, 0, 0}, 0.2, 0.06, 0.005, 1.0, 3, false, false, false},
    {"a cube", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 1, 1}, 0.2, 0.06, 0.005, 1.0, 3, false, false, false},
    {"far out", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 1, 1}, 0.2, 0.06, 0.005, 4.0, 3, false, true, false},
    {"a skewed cell",
     {{1, 0.1, 0}, {0.45, 1.1, 0.2}, {-0.3, 0.4, 0.9}},
     {1, 1, 1},
     0.25,
     0.05,
     0.004,
     1.0,
     3,
     false,
     false,
     true},
    {"a slab, kinds", {{1, 0, 0}, {0, 1, 0}, {0, 0, 0}}, {1, 1, 0}, 0.0, 0.05, 0.004, 1.0, 3, true, false, false},
    {"a small cell",
     {{0.3, 0, 0}, {0, 0.3, 0.1}, {0, 0, 0.3}},
     {1, 1, 1},
     0.35,
     0.04,
     0.004,
     0.3,
     3,
     false,
     true,
     false},
    {"two dimensions", {{1, 0.1, 0}, {0.4, 0.9, 0}, {0, 0, 0}}, {1, 1, 0}, 0.15, 0.04, 0.003, 1.0, 2, true, true, true},
    {"no skin", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 1, 1}, 0.2, 0.0, 0.001, 1.0, 3, false, false, false},
    {"leaps", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 1, 1}, 0.2, 0.1, 0.2, 1.0, 3, false, false, false},
};

static int is_odd_pair(void *context, uint32_t a, uint32_t b) {
    (void)context;
    return (a + b) % 2 == 1;
}

typedef struct cast {
    double points[3 * COUNT];
    float narrow[3 * COUNT]; // the same
    uint32_t kinds[COUNT];
    bp_lattice lattice;
} cast;

static void begin_walk(const walk *w, cast *c, rng *random) {
    *c = (cast){.lattice = {.cell = {{0}}}};
    for (size_t i = 0; i < 3 * COUNT; ++i) {
        c->narrow[i] = (float)rng_between(random, -0.5 * w->spread, w->spread);
        c->points[i] = (double)c->narrow[i];
    }
    for (size_t i = 0; i < COUNT; ++i) {
        c->kinds[i] = rng_below(random, KINDS);
    }
    memcpy(c->lattice.cell, w->cell, sizeof w->cell);
    memcpy(c->lattice.periodic, w->periodic, sizeof w->periodic);
    if (w->kinds) {
        c->lattice.kinds = c->kinds;
        c->lattice.cutoffs = CUTOFFS;
        c->lattice.kind_count = KINDS;
    }
}

static void make_step(const walk *w, cast *c, rng *random) {
    for (size_t i = 0; i < 3 * COUNT; ++i) {
        c->narrow[i] += (float)rng_between(random, -w->step, w->step);
        c->points[i] = (double)c->narrow[i];
    }
}

static bp_config config_of(const walk *w, bp_config config) {
    config.flags = ALL_FLAGS | (w->half ? (uint32_t)BP_NEIGHBORS_HALF : 0);
    config.dimensions = w->dimensions;
    config.filter.pass = w->filter ? is_odd_pair : NULL;
    return config;
}

static bool are_same(const bp_neighbor_images *a, const bp_neighbor_images *b) {
    if (a->rows.count != b->rows.count ||
        memcmp(a->rows.offsets, b->rows.offsets, (a->rows.count + 1) * sizeof(size_t)) != 0) {
        return false;
    }
    const size_t count = a->rows.offsets[a->rows.count];
    return count == 0 || (memcmp(a->rows.indices, b->rows.indices, count * sizeof(uint32_t)) == 0 &&
                          memcmp(a->distances, b->distances, count * sizeof(double)) == 0 &&
                          memcmp(a->vectors, b->vectors, 3 * count * sizeof(double)) == 0 &&
                          memcmp(a->shifts, b->shifts, 3 * count * sizeof(int32_t)) == 0);
}

static void expect(const walk *w, const cast *c, size_t count, const char *how, int step,
                   const bp_neighbor_images *found) {
    const bp_config plain = config_of(w, (bp_config){.method = BP_METHOD_BRUTE_FORCE});
    bp_neighbor_images expected = {0};
    assert_int_equal(bp_find_neighbor_images_double(c->points, count, w->radius, &c->lattice, &plain, &expected),
                     BP_OK);
    if (!are_same(found, &expected)) {
        fail_msg("%s, %s, step %d: %zu neighbours, expected %zu, or others", w->what, how, step,
                 found->rows.offsets[found->rows.count], expected.rows.offsets[expected.rows.count]);
    }
    bp_neighbor_images_free(&expected, NULL);
}

typedef struct way {
    const char *how;
    bp_config config;
    bool narrow;
} way;

static void walk_along(const walk *w, const way *by, int steps) {
    static cast c;
    rng random = rng_seeded(11);
    begin_walk(w, &c, &random);
    const bp_config config = config_of(w, by->config);
    bp_neighbor_world *world;
    assert_int_equal(bp_neighbor_world_create(w->radius, w->skin, &c.lattice, &config, &world), BP_OK);
    for (int step = 0; step < steps; ++step) {
        const bp_neighbor_images *found = NULL;
        // Fewer points for a while, then all again.
        const size_t count = step == steps / 2 ? COUNT - 7 : COUNT;
        assert_int_equal(by->narrow ? bp_neighbor_world_update(world, c.narrow, count, &found)
                                    : bp_neighbor_world_update_double(world, c.points, count, &found),
                         BP_OK);
        expect(w, &c, count, by->how, step, found);
        make_step(w, &c, &random);
    }
    const uint64_t searches = bp_neighbor_world_searches(world);
    assert_true(searches >= 3 && searches <= (uint64_t)steps);
    assert_true(w->skin == 0.0 || w->step > w->skin ? searches == (uint64_t)steps : searches < (uint64_t)steps);
    bp_neighbor_world_destroy(world);
}

static void every_update_gives_what_brute_force_gives(void **state) {
    (void)state;
    const way ways[] = {{"one thread", {0}, false},
                        {"32 bits", {0}, true},
                        {"two threads", {.threads = 2}, false},
                        {"three threads", {.threads = 3}, true},
                        {"eight workers", {.executor = thread_executor(8)}, false},
                        {"boxes", {.method = BP_METHOD_BVH}, false},
                        {"plain C", {SETTINGS(.simd = BP_SIMD_SCALAR)}, false},
                        {"AVX2", {SETTINGS(.simd = BP_SIMD_AVX2)}, false}};
    for (size_t i = 0; i < COUNT_OF(WALKS); ++i) {
        for (size_t k = 0; k < COUNT_OF(ways); ++k) {
            if (ways[k].config.settings == NULL || has_simd(ways[k].config.settings->simd)) {
                walk_along(&WALKS[i], &ways[k], shortest() ? 6 : quick() ? 8 : 40);
            }
        }
    }
}

static void many_points_are_those_of_a_fresh_call(void **state) {
    (void)state;
    const size_t count = shortest() ? 3000 : 20000;
    rng random = rng_seeded(3);
    double *points = obtain(3 * count, sizeof *points);
    for (size_t i = 0; i < 3 * count; ++i) {
        points[i] = rng_unit(&random);
    }
    const bp_lattice cube = {.cell = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .periodic = {1, 1, 1}};
    const bp_config config = {.threads = 3, .flags = ALL_FLAGS}, alone = {.flags = ALL_FLAGS};
    const double radius = shortest() ? 0.12 : 0.07;
    bp_neighbor_world *world;
    bp_neighbor_images fresh = {0};
    assert_int_equal(bp_neighbor_world_create(radius, 0.2 * radius, &cube, &config, &world), BP_OK);
    for (int step = 0; step < 6; ++step) {
        const bp_neighbor_images *found = NULL;
        assert_int_equal(bp_neighbor_world_update_double(world, points, count, &found), BP_OK);
        assert_int_equal(bp_find_neighbor_images_double(points, count, radius, &cube, &alone, &fresh), BP_OK);
        assert_true(are_same(found, &fresh));
        for (size_t i = 0; i < 3 * count; ++i) {
            points[i] += rng_between(&random, -0.02, 0.02) * radius;
        }
    }
    assert_true(bp_neighbor_world_searches(world) < 4);
    bp_neighbor_images_free(&fresh, NULL);
    bp_neighbor_world_destroy(world);
    free(points);
}

// ---- when it searches -------------------------------------------------------------------------------------------------

static void it_searches_when_a_point_has_moved_half_of_the_skin(void **state) {
    (void)state;
    double points[] = {0, 0, 0, 1.15, 0, 0, 5, 5, 5};
    const bp_neighbor_images *found = NULL;
    bp_neighbor_world *world;
    assert_int_equal(bp_neighbor_world_create(1.0, 0.2, NULL, NULL, &world), BP_OK);
    assert_int_equal(bp_neighbor_world_searches(world), 0);
    assert_int_equal(bp_neighbor_world_update_double(world, points, 3, &found), BP_OK);
    assert_int_equal(found->rows.offsets[3], 0);
    points[0] = 0.09;
    points[3] = 1.07; // they have come within the radius, each by less than half of the skin
    assert_int_equal(bp_neighbor_world_update_double(world, points, 3, &found), BP_OK);
    assert_int_equal(found->rows.offsets[3], 2);
    assert_int_equal(bp_neighbor_world_searches(world), 1);
    points[8] = 5.11;
    assert_int_equal(bp_neighbor_world_update_double(world, points, 3, &found), BP_OK);
    assert_int_equal(bp_neighbor_world_searches(world), 2);
    assert_null(found->distances);
    bp_neighbor_world_destroy(world);
}

static void another_cell_is_searched_anew(void **state) {
    (void)state;
    const bp_lattice cube = {.cell = {{4, 0, 0}, {0, 4, 0}, {0, 0, 4}}, .periodic = {1, 1, 1}};
    const double smaller[3][3] = {{3, 0, 0}, {0, 3, 0}, {0, 0, 3}}, flat[3][3] = {{0}};
    const double points[] = {0.5, 1, 1, 3.2, 1, 1};
    const bp_neighbor_images *found = NULL;
    bp_neighbor_world *world;
    assert_int_equal(bp_neighbor_world_create(0.5, 0.2, &cube, NULL, &world), BP_OK);
    assert_int_equal(bp_neighbor_world_update_double(world, points, 2, &found), BP_OK);
    assert_int_equal(found->rows.offsets[2], 0);
    assert_int_equal(bp_neighbor_world_set_cell(world, smaller), BP_OK);
    assert_int_equal(bp_neighbor_world_update_double(world, points, 2, &found), BP_OK);
    assert_int_equal(found->rows.offsets[2], 2);
    assert_int_equal(bp_neighbor_world_set_cell(world, flat), BP_OK);
    assert_int_equal(bp_neighbor_world_update_double(world, points, 2, &found), BP_ERROR_ARGUMENT);
    assert_int_equal(found->rows.offsets[2], 2); // as it was
    assert_int_equal(bp_neighbor_world_set_cell(world, cube.cell), BP_OK);
    assert_int_equal(bp_neighbor_world_update_double(world, points, 2, &found), BP_OK);
    assert_int_equal(found->rows.offsets[2], 0);
    assert_int_equal(bp_neighbor_world_searches(world), 3);
    bp_neighbor_world_destroy(world);
}

// Where 64 bits cannot tell moves from rounding, no skin is trusted.
static void far_from_the_origin_it_is_exact(void **state) {
    (void)state;
    double points[] = {1e15, 0, 0, 1e15 + 1.25, 0, 0};
    const bp_neighbor_images *found = NULL;
    bp_neighbor_world *world;
    assert_int_equal(bp_neighbor_world_create(1.0, 0.5, NULL, NULL, &world), BP_OK);
    for (int step = 0; step < 3; ++step) {
        assert_int_equal(bp_neighbor_world_update_double(world, points, 2, &found), BP_OK);
        assert_int_equal(found->rows.offsets[2], step == 0 ? 0 : 2);
        points[3] = 1e15 + 1.0;
    }
    assert_int_equal(bp_neighbor_world_searches(world), 3);
    bp_neighbor_world_destroy(world);
}

// ---- what is refused ----------------------------------------------------------------------------------------------------

static void wrong_requests_are_refused(void **state) {
    (void)state;
    static const double points[] = {0, 0, 0, 0.5, 0.5, 0.5}, broken[] = {0, 0, 0, NAN, 0, 0};
    static const uint32_t kinds[] = {0, 1};
    const bp_config fixed = {.flags = BP_PAIRS_FIXED}, period = {.period = {1, 1, 1}};
    const bp_lattice no_cutoffs = {.kinds = kinds, .kind_count = 2};
    const bp_neighbor_images *found = NULL;
    bp_neighbor_world *world;
    assert_int_equal(bp_neighbor_world_create(1.0, 0.1, NULL, NULL, NULL), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_neighbor_world_create(-1.0, 0.1, NULL, NULL, &world), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_neighbor_world_create(1.0, -0.1, NULL, NULL, &world), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_neighbor_world_create(1.0, NAN, NULL, NULL, &world), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_neighbor_world_create(1e308, 1e308, NULL, NULL, &world), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_neighbor_world_create(1.0, 0.1, NULL, &fixed, &world), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_neighbor_world_create(1.0, 0.1, NULL, &period, &world), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_neighbor_world_create(1.0, 0.1, &no_cutoffs, NULL, &world), BP_ERROR_ARGUMENT);
    assert_null(world);
    assert_int_equal(bp_neighbor_world_update_double(NULL, points, 2, &found), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_neighbor_world_searches(NULL), 0);
    assert_int_equal(bp_neighbor_world_set_cell(NULL, NULL), BP_ERROR_ARGUMENT);
    bp_neighbor_world_destroy(NULL);
    assert_int_equal(bp_neighbor_world_create(1.0, 0.1, NULL, NULL, &world), BP_OK);
    assert_int_equal(bp_neighbor_world_update_double(world, points, 2, NULL), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_neighbor_world_update_double(world, NULL, 2, &found), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_neighbor_world_update_double(world, points, 2, &found), BP_OK);
    assert_int_equal(bp_neighbor_world_update_double(world, broken, 2, &found), BP_ERROR_BOX);
    assert_int_equal(found->rows.offsets[2], 2);
    assert_int_equal(bp_neighbor_world_update_double(world, NULL, 0, &found), BP_OK);
    assert_int_equal(found->rows.count, 0);
    bp_neighbor_world_destroy(world);
}

static void refused_memory_loses_nothing(void **state) {
    (void)state;
    static cast c;
    for (size_t i = 0; i < COUNT_OF(WALKS); i += 2) {
        const walk *w = &WALKS[i];
        bool refused = true;
        for (size_t k = 1; refused; ++k) {
            rng random = rng_seeded(5);
            test_allocator allocator;
            test_allocator_init(&allocator);
            begin_walk(w, &c, &random);
            const bp_config config = config_of(w, (bp_config){.allocator = test_allocator_hook(&allocator)});
            bp_neighbor_world *world;
            test_allocator_fail(&allocator, k, false);
            const bp_status created = bp_neighbor_world_create(w->radius, w->skin, &c.lattice, &config, &world);
            assert_true(created == BP_OK || (created == BP_ERROR_MEMORY && world == NULL));
            for (int step = 0; step < 3 && created == BP_OK; ++step) {
                const bp_neighbor_images *found = NULL;
                bp_status status = bp_neighbor_world_update(world, c.narrow, COUNT, &found);
                if (status == BP_ERROR_MEMORY) { // it can be repeated
                    status = bp_neighbor_world_update(world, c.narrow, COUNT, &found);
                }
                assert_int_equal(status, BP_OK);
                expect(w, &c, COUNT, "refused memory", step, found);
                make_step(w, &c, &random);
            }
            refused = allocator.refused > 0;
            test_allocator_fail(&allocator, 0, false);
            bp_neighbor_world_destroy(world);
            test_allocator_finish(&allocator);
            assert_true(k < 1000);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_update_gives_what_brute_force_gives),
        cmocka_unit_test(many_points_are_those_of_a_fresh_call),
        cmocka_unit_test(it_searches_when_a_point_has_moved_half_of_the_skin),
        cmocka_unit_test(another_cell_is_searched_anew),
        cmocka_unit_test(far_from_the_origin_it_is_exact),
        cmocka_unit_test(wrong_requests_are_refused),
        cmocka_unit_test(refused_memory_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
