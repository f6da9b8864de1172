// Neighbours by the grid of points, against the definition in 64 bits: where it is used, where rounding decides, at the
// ends of periods, with every instruction set and any number of threads; and where points lie so that a grid would be too
// large or too full. (Other methods, radii and bad input: test_neighbors.c, test_neighbor_calls.c.)
#include "support/support.h"

#include <broadphase/broadphase_tune.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- points ---------------------------------------------------------------------------------------------------------

// The radius is 1 everywhere, before points are scaled; `extent` is for the density that is asked for.
typedef void (*place_point)(rng *random, const double *before, size_t index, double extent, double point[3]);

static void place_uniform(rng *random, const double *before, size_t index, double extent, double point[3]) {
    (void)before, (void)index;
    for (int axis = 0; axis < 3; ++axis) {
        point[axis] = rng_between(random, 0, extent);
    }
}

// A direction, and a distance that no float can tell from 1, from the point before.
static void place_on_sphere(rng *random, const double *before, size_t index, double extent, double point[3]) {
    static const double off[] = {0.0, 1e-16, -1e-16, 1e-13, -1e-13, 1e-9, -1e-9, 1e-7, -1e-7, 1e-5, -1e-5};
    double d[3], length = 0.0;
    place_uniform(random, before, index, extent, point);
    if (index % 2 == 0) {
        return;
    }
    for (int axis = 0; axis < 3; ++axis) {
        d[axis] = rng_between(random, -1, 1);
        length += d[axis] * d[axis];
    }
    const double distance = 1.0 + off[rng_below(random, COUNT_OF(off))];
    for (size_t axis = 0; axis < 3; ++axis) {
        point[axis] = before[3 * (index - 1) + axis] + d[axis] / sqrt(length) * distance;
    }
}

static void place_on_lattice(rng *random, const double *before, size_t index, double extent, double point[3]) {
    (void)random, (void)before, (void)extent;
    for (int axis = 0; axis < 3; ++axis) {
        point[axis] = 0.5 * (double)(index % 9);
        index /= 9;
    }
}

static void place_in_clumps(rng *random, const double *before, size_t index, double extent, double point[3]) {
    place_uniform(random, before, index, index % 3 == 0 ? extent : 0.5, point);
}

static void place_on_line(rng *random, const double *before, size_t index, double extent, double point[3]) {
    place_uniform(random, before, index, extent * extent, point);
    point[1] = 0.0;
    point[2] = -0.0;
}

static void place_in_one(rng *random, const double *before, size_t index, double extent, double point[3]) {
    (void)random, (void)before, (void)extent;
    point[0] = point[1] = index % 5 == 0 ? 1.0 : 0.0;
    point[2] = 0.0;
}

typedef struct kind {
    const char *name;
    place_point place;
} kind;

static const kind KINDS[] = {
    {"uniform", place_uniform},  {"sphere", place_on_sphere}, {"lattice", place_on_lattice},
    {"clumps", place_in_clumps}, {"line", place_on_line},     {"one", place_in_one},
};

typedef struct scene {
    char name[128];
    size_t count, second; // points; of the second set, or 0
    double *wide;
    float *narrow;
    double radius;
    bool in_64_bits;
} scene;

static double *second_wide(const scene *s) {
    return s->second > 0 ? s->wide + 3 * s->count : s->wide;
}

// Points with about `near` neighbours each, moved and scaled.
static scene make_scene(const kind *of, size_t count, size_t second, double near, double scale, double offset,
                        bool in_64_bits) {
    rng random = rng_seeded(count + (uint64_t)(1000 * near));
    const size_t all = count + second;
    const double extent = cbrt((double)all * 4.19 / near);
    scene s = {.count = count, .second = second, .in_64_bits = in_64_bits};
    snprintf(s.name, sizeof s.name, "%s n=%zu+%zu near=%g scale=%g offset=%g %d bits", of->name, count, second, near,
             scale, offset, in_64_bits ? 64 : 32);
    s.wide = obtain(3 * all, sizeof *s.wide);
    s.narrow = obtain(3 * all, sizeof *s.narrow);
    s.radius = in_64_bits ? scale : (double)(float)scale;
    for (size_t i = 0; i < all; ++i) {
        of->place(&random, s.wide, i, extent, s.wide + 3 * i);
    }
    for (size_t i = 0; i < 3 * all; ++i) {
        const double value = (s.wide[i] + offset) * scale;
        s.narrow[i] = (float)value;
        s.wide[i] = in_64_bits ? value : (double)s.narrow[i];
    }
    return s;
}

static void free_scene(scene *s) {
    free(s->wide);
    free(s->narrow);
}

static bp_status search(const scene *s, const bp_config *config, bp_neighbors *rows) {
    const float radius = (float)s->radius;
    if (s->second > 0) {
        return s->in_64_bits ? bp_find_neighbors_between_double(s->wide, s->count, second_wide(s), s->second, s->radius,
                                                                config, rows)
                             : bp_find_neighbors_between(s->narrow, s->count, s->narrow + 3 * s->count, s->second,
                                                         radius, config, rows);
    }
    return s->in_64_bits ? bp_find_neighbors_double(s->wide, s->count, s->radius, config, rows)
                         : bp_find_neighbors(s->narrow, s->count, radius, config, rows);
}

// ---- the definition -------------------------------------------------------------------------------------------------

static bool are_near(const scene *s, const bp_config *c, size_t i, size_t j) {
    double d[3] = {0};
    for (uint32_t axis = 0; axis < (c->dimensions == 2 ? 2 : 3); ++axis) {
        const double period = (double)c->period[axis];
        d[axis] = s->wide[3 * i + axis] - second_wide(s)[3 * j + axis];
        d[axis] = period > 0 ? remainder(d[axis], period) : d[axis];
    }
    return (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2] <= s->radius * s->radius;
}

static bool passes_filter(const bp_config *c, size_t i, size_t j, bool turned) {
    return c->filter.pass == NULL ||
           c->filter.pass(c->filter.context, (uint32_t)(turned ? j : i), (uint32_t)(turned ? i : j)) != 0;
}

static void expect_definition(const scene *s, const bp_config *c, const bp_neighbors *rows) {
    const bool half = (c->flags & BP_NEIGHBORS_HALF) != 0, between = s->second > 0;
    const size_t others = between ? s->second : s->count;
    size_t at = 0;
    char text[CONFIG_TEXT];
    assert_int_equal(rows->count, s->count);
    for (size_t i = 0; i < s->count; ++i) {
        assert_int_equal(rows->offsets[i], at);
        for (size_t j = !between && half ? i + 1 : 0; j < others; ++j) {
            if ((between || i != j) && are_near(s, c, i, j) && passes_filter(c, i, j, !between && j < i)) {
                if (at == rows->offsets[s->count] || rows->indices[at] != j) {
                    fail_msg("%s: %zu is a neighbour of %zu: %s", s->name, j, i, config_text(c, text));
                }
                ++at;
            }
        }
    }
    if (rows->offsets[s->count] != at) {
        fail_msg("%s: %zu neighbours instead of %zu: %s", s->name, rows->offsets[s->count], at, config_text(c, text));
    }
}

static const bp_method_settings SETS[] = {
    {.simd = BP_SIMD_AUTO},   {.simd = BP_SIMD_SCALAR}, {.simd = BP_SIMD_AVX2},
    {.simd = BP_SIMD_AVX512}, {.simd = BP_SIMD_NEON},
};

static bool used_grid(const bp_stats *stats) {
    return stats->method == BP_METHOD_LINKED_CELLS;
}

// With every instruction set. Returns whether the grid was used.
static bool check(const scene *s, bp_config config) {
    bp_neighbors rows = {0};
    bp_stats stats = {0};
    config.stats = &stats;
    for (size_t i = 0; i < COUNT_OF(SETS); ++i) {
        if (!has_simd(SETS[i].simd)) {
            continue;
        }
        config.settings = &SETS[i];
        assert_int_equal(search(s, &config, &rows), BP_OK);
        expect_definition(s, &config, &rows);
        const size_t count = rows.offsets[rows.count];
        assert_int_equal(stats.pairs, s->second > 0 || (config.flags & BP_NEIGHBORS_HALF) != 0 ? count : count / 2);
    }
    bp_neighbors_free(&rows, NULL);
    return used_grid(&stats);
}

// ---- the definition holds -------------------------------------------------------------------------------------------

static void rows_are_those_of_the_definition(void **state) {
    (void)state;
    static const double nears[] = {0.3, 3, 30, 150};
    static const double scales[] = {1.0, 1e-3, 3e4};
    for (size_t k = 0; k < COUNT_OF(KINDS); ++k) {
        for (size_t i = 0; i < COUNT_OF(nears); ++i) {
            for (size_t variant = 0; variant < 12; ++variant) {
                const size_t second = variant % 3 == 2 ? 130 : 0;
                const double offset = variant % 4 == 3 ? 1000.0 : -2.5;
                scene s = make_scene(&KINDS[k], quick() ? 200 : 500, second, nears[i], scales[variant % 3], offset,
                                     variant >= 6);
                check(&s, (bp_config){.dimensions = variant % 5 == 4 ? 2 : 3,
                                      .flags = variant % 2 == 0 ? BP_NEIGHBORS_HALF : 0});
                free_scene(&s);
            }
        }
    }
}

static void the_shortest_way_through_a_period(void **state) {
    (void)state;
    static const double periods[] = {3.0002, 3.0, 3.7, 4.0, 6.5, 9.0};
    size_t grids = 0;
    for (size_t k = 0; k < COUNT_OF(KINDS); ++k) {
        for (size_t i = 0; i < COUNT_OF(periods); ++i) {
            for (uint32_t axes = 1; axes < 8; ++axes) {
                const size_t second = axes == 5 ? 150 : 0;
                scene s = make_scene(&KINDS[k], quick() ? 150 : 350, second, i % 2 == 0 ? 20 : 3, 1.0,
                                     axes == 3 ? -700.0 : 0.0, (k + i + axes) % 2 == 0);
                bp_config c = {.flags = axes == 6 ? BP_NEIGHBORS_HALF : 0, .dimensions = axes == 2 ? 2 : 3};
                for (uint32_t axis = 0; axis < 3; ++axis) {
                    c.period[axis] = (axes >> axis & 1) != 0 ? (float)(periods[i] * (1.0 + axis / 4.0)) : 0.0f;
                }
                grids += check(&s, c);
                free_scene(&s);
            }
        }
    }
    assert_true(grids > 100);
}

static int passes(void *context, uint32_t a, uint32_t b) {
    return (a * 7 + b * 3 + *(const uint32_t *)context) % 5 != 0;
}

static void the_filter_is_asked(void **state) {
    (void)state;
    uint32_t offset = 1;
    for (size_t variant = 0; variant < 8; ++variant) {
        scene s = make_scene(&KINDS[variant % 2], 300, variant >= 6 ? 100 : 0, 20, 1.0, 0.0, variant % 4 < 2);
        assert_true(check(&s, (bp_config){.filter = {.pass = passes, .context = &offset},
                                          .flags = variant % 3 == 0 ? BP_NEIGHBORS_HALF : 0,
                                          .period = {variant == 5 ? 5.0f : 0.0f}}));
        free_scene(&s);
    }
}

// Rows of more ids than are sorted together, with and without doubtful ones.
static void long_rows_are_sorted(void **state) {
    (void)state;
    static const size_t counts[] = {1, 2, 63, 64, 65, 66, 130, 500};
    for (size_t c = 0; c < COUNT_OF(counts); ++c) {
        for (size_t k = 0; k < 2; ++k) {
            scene s = make_scene(&KINDS[k], counts[c], 0, 400, 1.0, k == 0 ? 0.0 : 20000.0, true);
            s.wide[0] = s.wide[0] - (k == 0 ? 0.0 : 30000.0); // so far away that floats leave much open
            check(&s, (bp_config){.flags = c % 2 == 0 ? BP_NEIGHBORS_HALF : 0});
            free_scene(&s);
        }
    }
}

// ---- where the grid is used -----------------------------------------------------------------------------------------

static void usual_points_are_searched_in_a_grid(void **state) {
    (void)state;
    for (int variant = 0; variant < 16; ++variant) {
        scene s = make_scene(&KINDS[0], 400, variant / 8 != 0 ? 300 : 0, variant % 2 == 0 ? 30 : 8,
                             variant % 3 == 0 ? 1e-4 : 50.0, 0.0, variant / 4 % 2 == 1);
        assert_true(check(&s, (bp_config){.dimensions = variant % 4 < 2 ? 3 : 2}));
        bp_stats stats;
        bp_neighbors rows = {0};
        assert_int_equal(search(&s, &(bp_config){.method = BP_METHOD_BVH, .stats = &stats}, &rows), BP_OK);
        assert_int_equal(stats.method, BP_METHOD_BVH); // a method that is asked for is used
        bp_neighbors_free(&rows, NULL);
        free_scene(&s);
    }
}

static void figures_describe_the_grid(void **state) {
    (void)state;
    bp_stats stats;
    bp_neighbors rows = {0};
    scene s = make_scene(&KINDS[0], 5000, 0, 30, 1.0, 0.0, false);
    assert_int_equal(search(&s, &(bp_config){.stats = &stats}, &rows), BP_OK);
    assert_true(used_grid(&stats) && stats.update == BP_UPDATE_REBUILD && stats.levels == 1);
    assert_int_equal(stats.objects, 5000);
    assert_int_equal(stats.pairs, rows.offsets[5000] / 2);
    assert_true(stats.tests >= 2 * stats.pairs && stats.tests < 20 * stats.pairs);
    assert_true(stats.occupied <= stats.cells && stats.occupied > 0 && stats.bytes > (size_t)5000 * 16);
    char text[1000];
    bp_explain(&stats, text, sizeof text);
    assert_non_null(strstr(text, "linked-cells: points"));
    assert_true(stats.objects_per_cell_max >= (size_t)stats.objects_per_cell && stats.objects_per_cell >= 1.0);
    bp_neighbors_free(&rows, NULL);
    free_scene(&s);
}

// ---- hostile places -------------------------------------------------------------------------------------------------

static void place_with_outlier(rng *random, const double *before, size_t index, double extent, double point[3]) {
    place_uniform(random, before, index, extent, point);
    point[0] += index == 77 ? 1e7 : 0.0;
    point[1] -= index == 78 ? 3e4 : 0.0;
    point[2] += index == 79 ? 3e3 : 0.0;
}

static void place_over_orders(rng *random, const double *before, size_t index, double extent, double point[3]) {
    (void)before, (void)index, (void)extent;
    for (int axis = 0; axis < 3; ++axis) {
        point[axis] = rng_sign(random) * exp(rng_between(random, log(1e-2), log(1e4)));
    }
}

// Multiples of a power of two: what a folded grid would put into one cell.
static void place_on_wide_lattice(rng *random, const double *before, size_t index, double extent, double point[3]) {
    (void)random, (void)before, (void)extent;
    for (int axis = 0; axis < 3; ++axis) {
        point[axis] = 64.0 * (double)(index % 32);
        index /= 32;
    }
}

static void place_in_few_clumps(rng *random, const double *before, size_t index, double extent, double point[3]) {
    place_uniform(random, before, index, 0.4 * extent, point);
    point[index % 3] += (double)(index % 7) * 300.0;
}

static void place_on_diagonal(rng *random, const double *before, size_t index, double extent, double point[3]) {
    (void)before, (void)index, (void)extent;
    point[0] = point[1] = point[2] = rng_between(random, 0, 3000);
}

static void place_in_empty_space(rng *random, const double *before, size_t index, double extent, double point[3]) {
    place_uniform(random, before, index, index % 16 == 0 ? 100 * extent : extent, point);
}

static const kind HOSTILE[] = {
    {"outlier", place_with_outlier}, {"orders", place_over_orders},   {"wide lattice", place_on_wide_lattice},
    {"clumps", place_in_few_clumps}, {"diagonal", place_on_diagonal}, {"empty space", place_in_empty_space},
    {"sphere", place_on_sphere},     {"line", place_on_line},
};

static void tests_and_memory_follow_points_and_neighbours(void **state) {
    (void)state;
    skip_where_emulated("too long");
    for (size_t k = 0; k < COUNT_OF(HOSTILE); ++k) {
        for (int wide = 0; wide < 2; ++wide) {
            const size_t count = quick() ? 8000 : 30000;
            scene s = make_scene(&HOSTILE[k], count, 0, 30, 1.0, 0.0, wide != 0);
            bp_stats stats;
            bp_neighbors rows = {0}, expected = {0};
            assert_int_equal(search(&s, &(bp_config){.stats = &stats}, &rows), BP_OK);
            assert_int_equal(search(&s, &(bp_config){.method = BP_METHOD_BVH}, &expected), BP_OK);
            assert_memory_equal(rows.offsets, expected.offsets, (count + 1) * sizeof *rows.offsets);
            assert_memory_equal(rows.indices, expected.indices, rows.offsets[count] * sizeof *rows.indices);
            const double work = (double)count + (double)stats.pairs;
            if ((double)stats.tests > 400.0 * work || (double)stats.bytes > 400.0 * (double)count + 40.0 * work) {
                fail_msg("%s: %llu tests, %zu bytes, %zu pairs", s.name, (unsigned long long)stats.tests, stats.bytes,
                         stats.pairs);
            }
            bp_neighbors_free(&rows, NULL);
            bp_neighbors_free(&expected, NULL);
            free_scene(&s);
        }
    }
}

// ---- threads --------------------------------------------------------------------------------------------------------

static void the_same_bytes_for_any_number_of_threads(void **state) {
    (void)state;
    for (size_t variant = 0; variant < 6; ++variant) {
        static const int32_t threads[] = {2, 3, 8};
        const size_t count = quick() ? 20000 : 60000;
        scene s = make_scene(&KINDS[variant % 2], count, variant >= 4 ? count / 2 : 0, 12, 1.0, 0.0, variant % 3 == 0);
        bp_config c = {.flags = variant % 2 == 0 ? BP_NEIGHBORS_HALF : 0, .period = {variant == 3 ? 20.0f : 0.0f}};
        bp_neighbors first = {0}, rows = {0};
        assert_int_equal(search(&s, &c, &first), BP_OK);
        for (size_t t = 0; t < COUNT_OF(threads); ++t) {
            c.threads = threads[t];
            assert_int_equal(search(&s, &c, &rows), BP_OK);
            assert_memory_equal(rows.offsets, first.offsets, (count + 1) * sizeof *rows.offsets);
            assert_memory_equal(rows.indices, first.indices, first.offsets[count] * sizeof *rows.indices);
        }
        bp_neighbors_free(&first, NULL);
        bp_neighbors_free(&rows, NULL);
        free_scene(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_those_of_the_definition),
        cmocka_unit_test(the_shortest_way_through_a_period),
        cmocka_unit_test(the_filter_is_asked),
        cmocka_unit_test(long_rows_are_sorted),
        cmocka_unit_test(usual_points_are_searched_in_a_grid),
        cmocka_unit_test(figures_describe_the_grid),
        cmocka_unit_test(tests_and_memory_follow_points_and_neighbours),
        cmocka_unit_test(the_same_bytes_for_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
