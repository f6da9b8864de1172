// The calls for neighbours: bad input is refused with a reason, refused memory loses nothing, lists are used again, and
// after a failure everything is as before.
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 900, SEED = 11 };

typedef struct call {
    const char *what;
    const float *points; // POINTS of them
    const double *wide;  // the same in 64 bits
    const float *radii;
    const double *wide_radii;
    bool in_64_bits, variable, between;
    bp_config config;
} call;

static bp_status run_call(const call *c, const bp_config *config, bp_neighbors *rows) {
    enum { FIRST = 200 };
    const size_t rest = POINTS - FIRST;
    const float *b = c->points + (size_t)3 * FIRST;
    const double *wide_b = c->wide + (size_t)3 * FIRST;
    if (c->between) {
        return c->in_64_bits ? bp_find_neighbors_between_double(c->wide, FIRST, wide_b, rest, 0.7, config, rows)
                             : bp_find_neighbors_between(c->points, FIRST, b, rest, 0.7f, config, rows);
    }
    if (c->variable) {
        return c->in_64_bits ? bp_find_neighbors_variable_double(c->wide, POINTS, c->wide_radii, config, rows)
                             : bp_find_neighbors_variable(c->points, POINTS, c->radii, config, rows);
    }
    return c->in_64_bits ? bp_find_neighbors_double(c->wide, POINTS, 0.7, config, rows)
                         : bp_find_neighbors(c->points, POINTS, 0.7f, config, rows);
}

typedef struct data {
    float points[3 * POINTS], radii[POINTS];
    double wide[3 * POINTS], wide_radii[POINTS];
} data;

static data *make_data(void) {
    rng random = rng_seeded(SEED);
    data *d = obtain(1, sizeof *d);
    for (size_t i = 0; i < 3 * POINTS; ++i) {
        d->points[i] = random_between(&random, -3, 3);
        d->wide[i] = (double)d->points[i];
    }
    for (size_t i = 0; i < POINTS; ++i) {
        d->radii[i] = i % 10 == 0 ? 1.5f : 0.3f;
        d->wide_radii[i] = (double)d->radii[i];
    }
    return d;
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static bool same_rows(const bp_neighbors *x, const bp_neighbors *y) {
    return x->count == y->count && memcmp(x->offsets, y->offsets, (x->count + 1) * sizeof *x->offsets) == 0 &&
           memcmp(x->indices, y->indices, x->offsets[x->count] * sizeof *x->indices) == 0;
}

// A list with something in it, that a failed call must leave alone. It is too small for what follows.
static void fill_small(const call *c, const bp_config *config, bp_neighbors *rows) {
    assert_int_equal(bp_find_neighbors(c->points, 50, 2.0f, config, rows), BP_OK);
    assert_true(rows->offsets[50] > 50);
}

// Lets the first, second, ... allocation of the call fail until it gets by without it.
static void check_refusals(const call *c, bool fail_from) {
    test_allocator allocator;
    bp_config config = c->config;
    test_allocator_init(&allocator);
    config.allocator = test_allocator_hook(&allocator);
    bp_neighbors expected = {0}, small = {0};
    assert_int_equal(run_call(c, &config, &expected), BP_OK);
    fill_small(c, &config, &small);
    bool refused = true;
    for (size_t k = 1; refused; ++k) {
        bp_neighbors rows = {0};
        fill_small(c, &config, &rows);
        test_allocator_fail(&allocator, k, fail_from);
        bp_status status = run_call(c, &config, &rows);
        refused = allocator.refused > 0;
        assert_true(status == BP_OK || (status == BP_ERROR_MEMORY && refused));
        test_allocator_fail(&allocator, 0, false);
        if (status == BP_ERROR_MEMORY) {
            if (!same_rows(&rows, &small)) {
                fail_msg("%s: refused allocation %zu changed the rows", c->what, k);
            }
            status = run_call(c, &config, &rows);
        }
        assert_int_equal(status, BP_OK);
        if (!same_rows(&rows, &expected)) {
            fail_msg("%s: other rows after allocation %zu was refused", c->what, k);
        }
        bp_neighbors_free(&rows, &config);
        assert_true(k < 1000);
    }
    bp_neighbors_free(&expected, &config);
    bp_neighbors_free(&small, &config);
    test_allocator_finish(&allocator);
}

static const bp_config OPTIONS[] = {
    {0},
    {SETTINGS(.brute_force_below = 1)},
    {.threads = 3, .radius_rule = BP_RADIUS_SUM, SETTINGS(.brute_force_below = 1)},
    {.method = BP_METHOD_BVH, .period = {5.0f, 0.0f, 7.0f}, .threads = 3},
    {.method = BP_METHOD_LINKED_CELLS, .radius_rule = BP_RADIUS_MIN, .dimensions = 2},
};

static void every_refusal_is_survived(void **state) {
    (void)state;
    data *d = make_data();
    for (size_t i = 0; i < COUNT_OF(OPTIONS); ++i) {
        for (unsigned bits = 0; bits < 8; ++bits) {
            call c = {.what = "refusals", .points = d->points, .wide = d->wide, .radii = d->radii};
            c.wide_radii = d->wide_radii;
            c.in_64_bits = (bits & 1) != 0;
            c.variable = (bits & 2) != 0;
            c.between = (bits & 4) != 0;
            c.config = OPTIONS[i];
            check_refusals(&c, false);
            check_refusals(&c, true);
        }
    }
    free(d);
}

static void a_list_is_used_again(void **state) {
    (void)state;
    test_allocator allocator;
    data *d = make_data();
    test_allocator_init(&allocator);
    bp_config config = {.allocator = test_allocator_hook(&allocator)};
    bp_neighbors rows = {0}, copy;
    assert_int_equal(bp_find_neighbors(d->points, POINTS, 1.0f, &config, &rows), BP_OK);
    copy = rows;
    assert_int_equal(bp_find_neighbors(d->points, POINTS, 0.5f, &config, &rows), BP_OK);
    assert_int_equal(bp_find_neighbors_double(d->wide, POINTS / 2, 1.0, &config, &rows), BP_OK);
    assert_int_equal(rows.count, POINTS / 2);
    assert_true(rows.offsets == copy.offsets && rows.indices == copy.indices);
    assert_int_equal(rows.offset_capacity, copy.offset_capacity);
    assert_int_equal(rows.index_capacity, copy.index_capacity);
    assert_int_equal(allocator.live_blocks, 2);
    bp_neighbors_free(&rows, &config);
    assert_true(rows.offsets == NULL && rows.indices == NULL && rows.count == 0);
    bp_neighbors_free(&rows, &config);
    bp_neighbors_free(NULL, NULL);
    test_allocator_finish(&allocator);
    free(d);
}

// ---- bad input ------------------------------------------------------------------------------------------------------

static const float THREE[] = {0, 0, 0, 1, 0, 0, 0, 3, 0};
static const double THREE_WIDE[] = {0, 0, 0, 1, 0, 0, 0, 3, 0};
static const float ONES[] = {1, 1, 1};
static const double ONES_WIDE[] = {1, 1, 1};

// The list that bad calls must leave alone.
typedef struct witness {
    bp_neighbors rows, before;
    test_log log;
    bp_config config;
} witness;

static void witness_begin(witness *w, bp_config config) {
    *w = (witness){.config = config};
    w->config.log = test_log_hook(&w->log);
    assert_int_equal(bp_find_neighbors(THREE, 3, 1.0f, NULL, &w->rows), BP_OK);
    assert_int_equal(w->rows.offsets[3], 2);
    w->before = w->rows;
}

// The call has returned `status`; the log says why, with `word` in it, and the rows are as before.
static void expect_refusal(witness *w, bp_status status, bp_status expected, const char *word) {
    if (status != expected || w->log.count != 1 || strstr(w->log.text, word) == NULL) {
        fail_msg("\"%s\" instead of \"%s\", %zu lines of log, the last: \"%s\" (expected: %s)", bp_status_text(status),
                 bp_status_text(expected), w->log.count, w->log.text, word);
    }
    assert_memory_equal(&w->rows, &w->before, sizeof w->rows);
    assert_int_equal(w->rows.offsets[3], 2);
    assert_true(w->rows.indices[0] == 1 && w->rows.indices[1] == 0);
    w->log = (test_log){.count = 0};
}

static void witness_end(witness *w) {
    bp_neighbors_free(&w->rows, NULL);
}

static void a_radius_is_zero_or_positive_and_finite(void **state) {
    (void)state;
    static const double wrong[] = {-1.0, -1e-30, NAN, INFINITY, -INFINITY};
    witness w;
    witness_begin(&w, (bp_config){0});
    for (size_t i = 0; i < COUNT_OF(wrong); ++i) {
        const float narrow = (float)wrong[i], radii[] = {1, narrow, 1};
        const double radii_wide[] = {1, 1, wrong[i]};
        const bp_config *c = &w.config;
        expect_refusal(&w, bp_find_neighbors(THREE, 3, narrow, c, &w.rows), BP_ERROR_ARGUMENT, "radius 0");
        expect_refusal(&w, bp_find_neighbors_double(THREE_WIDE, 3, wrong[i], c, &w.rows), BP_ERROR_ARGUMENT,
                       "radius 0");
        expect_refusal(&w, bp_find_neighbors_between(THREE, 3, THREE, 3, narrow, c, &w.rows), BP_ERROR_ARGUMENT,
                       "radius 0");
        expect_refusal(&w, bp_find_neighbors_between_double(THREE_WIDE, 3, THREE_WIDE, 3, wrong[i], c, &w.rows),
                       BP_ERROR_ARGUMENT, "radius 0");
        expect_refusal(&w, bp_find_neighbors_variable(THREE, 3, radii, c, &w.rows), BP_ERROR_ARGUMENT, "radius 1");
        expect_refusal(&w, bp_find_neighbors_variable_double(THREE_WIDE, 3, radii_wide, c, &w.rows), BP_ERROR_ARGUMENT,
                       "radius 2");
    }
    witness_end(&w);
}

static void points_are_finite(void **state) {
    (void)state;
    static const double wrong[] = {NAN, INFINITY, -INFINITY};
    data *d = make_data();
    witness w;
    for (size_t i = 0; i < 9; ++i) {
        const size_t point = i == 0 ? 0 : i == 1 ? POINTS - 1 : 97 * i, place = 3 * point + i / 3;
        char word[32];
        snprintf(word, sizeof word, "point %zu ", point);
        d->points[place] = (float)wrong[i % 3];
        d->wide[place] = wrong[i % 3];
        const call kinds[] = {
            {.in_64_bits = false}, {.variable = true}, {.in_64_bits = true}, {.in_64_bits = true, .variable = true}};
        for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
            call c = kinds[k];
            c.points = d->points;
            c.wide = d->wide;
            c.radii = d->radii;
            c.wide_radii = d->wide_radii;
            witness_begin(&w, OPTIONS[k]);
            w.config.dimensions = 3;
            expect_refusal(&w, run_call(&c, &w.config, &w.rows), BP_ERROR_BOX, word);
            witness_end(&w);
        }
        const float *after = d->points + (size_t)3 * (point + 1);
        witness_begin(&w, (bp_config){0});
        expect_refusal(&w, bp_find_neighbors_between(THREE, 3, after - 3, 1, 1.0f, &w.config, &w.rows), BP_ERROR_BOX,
                       "point 0 ");
        witness_end(&w);
        d->points[place] = 0.0f;
        d->wide[place] = 0.0;
    }
    free(d);
}

static void in_two_dimensions_z_may_be_anything(void **state) {
    (void)state;
    float points[] = {0, 0, NAN, 1, 0, INFINITY, 0, 3, -1e30f};
    double wide[] = {0, 0, NAN, 1, 0, INFINITY, 0, 3, -1e300};
    const bp_config config = {.dimensions = 2}, periodic = {.dimensions = 2, .period = {100.0f, 0.0f, 1.0f}};
    bp_neighbors rows = {0};
    for (int variant = 0; variant < 4; ++variant) {
        const bp_config *c = variant % 2 == 0 ? &config : &periodic;
        assert_int_equal(variant < 2 ? bp_find_neighbors(points, 3, 1.0f, c, &rows)
                                     : bp_find_neighbors_double(wide, 3, 1.0, c, &rows),
                         BP_OK);
        assert_true(rows.offsets[1] == 1 && rows.offsets[2] == 2 && rows.offsets[3] == 2);
        assert_true(rows.indices[0] == 1 && rows.indices[1] == 0);
    }
    bp_neighbors_free(&rows, &config);
}

static void arguments_are_checked(void **state) {
    (void)state;
    witness w;
    witness_begin(&w, (bp_config){0});
    const bp_config *c = &w.config;
    const size_t many = BP_MAX_COUNT + 1;
    const bp_status bad = BP_ERROR_ARGUMENT;
    expect_refusal(&w, bp_find_neighbors(NULL, 3, 1.0f, c, &w.rows), bad, "points");
    expect_refusal(&w, bp_find_neighbors_double(NULL, 3, 1.0, c, &w.rows), bad, "points");
    expect_refusal(&w, bp_find_neighbors_variable(NULL, 3, ONES, c, &w.rows), bad, "points");
    expect_refusal(&w, bp_find_neighbors_variable(THREE, 3, NULL, c, &w.rows), bad, "radii");
    expect_refusal(&w, bp_find_neighbors_variable_double(THREE_WIDE, 3, NULL, c, &w.rows), bad, "radii");
    expect_refusal(&w, bp_find_neighbors_variable_double(NULL, 3, ONES_WIDE, c, &w.rows), bad, "points");
    expect_refusal(&w, bp_find_neighbors_between(THREE, 3, NULL, 3, 1.0f, c, &w.rows), bad, "points");
    expect_refusal(&w, bp_find_neighbors_between(NULL, 3, THREE, 3, 1.0f, c, &w.rows), bad, "points");
    expect_refusal(&w, bp_find_neighbors_between_double(THREE_WIDE, 3, NULL, 3, 1.0, c, &w.rows), bad, "points");
    expect_refusal(&w, bp_find_neighbors(THREE, many, 1.0f, c, &w.rows), bad, "split");
    expect_refusal(&w, bp_find_neighbors_variable(THREE, many, ONES, c, &w.rows), bad, "split");
    expect_refusal(&w, bp_find_neighbors_between(THREE, 3, THREE, many, 1.0f, c, &w.rows), bad, "split");
    expect_refusal(&w, bp_find_neighbors(THREE, 3, 1.0f, c, NULL), bad, "neighbors");
    bp_neighbors no_memory = {.offset_capacity = 5};
    expect_refusal(&w, bp_find_neighbors(THREE, 3, 1.0f, c, &no_memory), bad, "neighbors");
    no_memory = (bp_neighbors){.index_capacity = 5};
    expect_refusal(&w, bp_find_neighbors(THREE, 3, 1.0f, c, &no_memory), bad, "neighbors");
    w.config.flags = BP_PAIRS_FIXED;
    expect_refusal(&w, bp_find_neighbors(THREE, 3, 1.0f, c, &w.rows), bad, "BP_PAIRS_FIXED");
    w.config.flags = 0;
    w.config.radius_rule = (bp_radius_rule)3;
    expect_refusal(&w, bp_find_neighbors(THREE, 3, 1.0f, c, &w.rows), bad, "radius_rule");
    w.config.radius_rule = BP_RADIUS_MAX;
    w.config.period[1] = -1.0f;
    expect_refusal(&w, bp_find_neighbors(THREE, 3, 1.0f, c, &w.rows), bad, "period");
    witness_end(&w);
}

// ---- small sets, figures --------------------------------------------------------------------------------------------

static void no_points_have_no_neighbours(void **state) {
    (void)state;
    for (size_t method = 0; method < bp_method_count(); ++method) {
        for (int periodic = 0; periodic < 2; ++periodic) {
            const bp_config config = {.method = (bp_method)method, .period = {periodic != 0 ? 2.0f : 0.0f}};
            bp_neighbors rows = {0};
            assert_int_equal(bp_find_neighbors(NULL, 0, 1.0f, &config, &rows), BP_OK);
            assert_true(rows.count == 0 && rows.offsets != NULL && rows.offsets[0] == 0);
            assert_int_equal(bp_find_neighbors_variable(NULL, 0, NULL, &config, &rows), BP_OK);
            assert_int_equal(bp_find_neighbors_double(NULL, 0, 1.0, &config, &rows), BP_OK);
            assert_int_equal(bp_find_neighbors_variable_double(NULL, 0, NULL, &config, &rows), BP_OK);
            assert_int_equal(bp_find_neighbors_between(NULL, 0, THREE, 3, 1.0f, &config, &rows), BP_OK);
            assert_int_equal(rows.count, 0);
            assert_int_equal(bp_find_neighbors_between(THREE, 3, NULL, 0, 1.0f, &config, &rows), BP_OK);
            assert_true(rows.count == 3 && rows.offsets[3] == 0);
            assert_int_equal(bp_find_neighbors(THREE, 1, 1.0f, &config, &rows), BP_OK);
            assert_true(rows.count == 1 && rows.offsets[1] == 0);
            bp_neighbors_free(&rows, &config);
        }
    }
}

static void figures_are_left(void **state) {
    (void)state;
    bp_stats stats = {.tests = 77};
    const bp_config config = {.stats = &stats};
    bp_neighbors rows = {0};
    assert_int_equal(bp_find_neighbors(THREE, 3, -1.0f, &config, &rows), BP_ERROR_ARGUMENT);
    assert_int_equal(stats.tests, 77);
    assert_int_equal(bp_find_neighbors(THREE, 3, 1.0f, &config, &rows), BP_OK);
    assert_int_equal(stats.objects, 3);
    assert_int_equal(stats.pairs, 1);
    assert_true(stats.method != BP_METHOD_AUTO && stats.update == BP_UPDATE_REBUILD && stats.bytes > 0);
    assert_int_equal(bp_find_neighbors_between(THREE, 2, THREE, 3, 1.0f, &config, &rows), BP_OK);
    assert_int_equal(stats.objects, 5);
    assert_int_equal(stats.pairs, 4);
    bp_neighbors_free(&rows, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_refusal_is_survived),
        cmocka_unit_test(a_list_is_used_again),
        cmocka_unit_test(a_radius_is_zero_or_positive_and_finite),
        cmocka_unit_test(points_are_finite),
        cmocka_unit_test(in_two_dimensions_z_may_be_anything),
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(no_points_have_no_neighbours),
        cmocka_unit_test(figures_are_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
