// Neighbours against the definition, computed in 64 bits for all pairs of points: every method, clouds of all kinds,
// one radius and many, two sets, periods, 32 and 64 bits, threads. (What the calls do with bad input and refused memory
// is in test_neighbor_calls.c.)
//
// A failure prints the case and its seed. At the end a table tells how many cases were compared, and how many pairs.
#include "support/support.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- a query, and its result by the definition -------------------------------------------------------------------

// Coordinates are held in 64 bits; where the question is in 32 bits they all are floats.
typedef struct cloud {
    double *xyz;
    float *narrow; // the same, if they are floats
    size_t count;
} cloud;

typedef struct question {
    const char *what;
    uint64_t seed;
    bool wide; // 64 bits
    cloud a, b;
    bool between;
    double radius;
    double *radii; // NULL: one for all
    float *narrow_radii;
    bp_config config;
} question;

typedef struct answer {
    size_t *offsets;
    uint32_t *indices;
    size_t capacity;
} answer;

// For the table.
typedef struct tally {
    const char *group;
    size_t cases, pairs, neighbors;
} tally;

static tally tallies[16];
static size_t tally_count;

static bp_neighbors used_rows; // by one question after the other

static void begin_group(const char *group) {
    assert_true(tally_count < COUNT_OF(tallies));
    tallies[tally_count++] = (tally){.group = group};
}

static double limit_of(const question *q, size_t i, size_t j) {
    if (q->radii == NULL) {
        return q->radius;
    }
    const double r = q->radii[i], s = q->radii[j];
    switch (q->config.radius_rule) {
    case BP_RADIUS_MAX: return r > s ? r : s;
    case BP_RADIUS_MIN: return r < s ? r : s;
    case BP_RADIUS_SUM: return r + s;
    }
    return 0;
}

static bool are_near(const question *q, size_t i, size_t j) {
    const cloud *b = q->between ? &q->b : &q->a;
    double d[3] = {0};
    for (uint32_t axis = 0; axis < (q->config.dimensions == 2 ? 2 : 3); ++axis) {
        const double period = (double)q->config.period[axis];
        d[axis] = q->a.xyz[3 * i + axis] - b->xyz[3 * j + axis];
        d[axis] = period > 0 ? remainder(d[axis], period) : d[axis];
    }
    const double limit = limit_of(q, i, j);
    return (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2] <= limit * limit;
}

static bool is_wanted(const question *q, size_t i, size_t j) {
    const bp_filter *filter = &q->config.filter;
    if (!q->between && (i == j || ((q->config.flags & BP_NEIGHBORS_HALF) != 0 && j < i))) {
        return false;
    }
    if (!are_near(q, i, j)) {
        return false;
    }
    const bool turned = !q->between && j < i;
    return filter->pass == NULL ||
           filter->pass(filter->context, (uint32_t)(turned ? j : i), (uint32_t)(turned ? i : j));
}

static void push_index(answer *rows, size_t at, uint32_t index) {
    if (at == rows->capacity) {
        rows->capacity = 2 * rows->capacity + 64;
        rows->indices = realloc(rows->indices, rows->capacity * sizeof *rows->indices);
        assert_non_null(rows->indices);
    }
    rows->indices[at] = index;
}

static answer naive_answer(const question *q) {
    const size_t others = q->between ? q->b.count : q->a.count;
    answer rows = {.offsets = obtain(q->a.count + 1, sizeof(size_t))};
    for (size_t i = 0; i < q->a.count; ++i) {
        size_t end = rows.offsets[i];
        for (size_t j = 0; j < others; ++j) {
            if (is_wanted(q, i, j)) {
                push_index(&rows, end++, (uint32_t)j);
            }
        }
        rows.offsets[i + 1] = end;
    }
    return rows;
}

static void free_answer(answer *rows) {
    free(rows->offsets);
    free(rows->indices);
}

// ---- asking ---------------------------------------------------------------------------------------------------------

static bp_status ask_narrow(const question *q, const bp_config *config, bp_neighbors *rows) {
    if (q->between) {
        return bp_find_neighbors_between(q->a.narrow, q->a.count, q->b.narrow, q->b.count, (float)q->radius, config,
                                         rows);
    }
    return q->radii != NULL ? bp_find_neighbors_variable(q->a.narrow, q->a.count, q->narrow_radii, config, rows)
                            : bp_find_neighbors(q->a.narrow, q->a.count, (float)q->radius, config, rows);
}

static bp_status ask_wide(const question *q, const bp_config *config, bp_neighbors *rows) {
    if (q->between) {
        return bp_find_neighbors_between_double(q->a.xyz, q->a.count, q->b.xyz, q->b.count, q->radius, config, rows);
    }
    return q->radii != NULL ? bp_find_neighbors_variable_double(q->a.xyz, q->a.count, q->radii, config, rows)
                            : bp_find_neighbors_double(q->a.xyz, q->a.count, q->radius, config, rows);
}

static bp_status ask(const question *q, const bp_config *config, bp_neighbors *rows) {
    return q->wide ? ask_wide(q, config, rows) : ask_narrow(q, config, rows);
}

static void describe(const question *q, char *text, size_t size) {
    char config[CONFIG_TEXT];
    snprintf(text, size, "%s: seed=%llu %s n=%zu%s radius=%.17g%s rule=%d %s", q->what, (unsigned long long)q->seed,
             q->wide ? "64 bits" : "32 bits", q->a.count, q->between ? " between" : "", q->radius,
             q->radii != NULL ? " (per point)" : "", (int)q->config.radius_rule, config_text(&q->config, config));
}

// Fails at the first row that differs.
static void expect_rows(const question *q, const bp_neighbors *found, const answer *expected) {
    char text[2 * CONFIG_TEXT];
    describe(q, text, sizeof text);
    if (found->count != q->a.count) {
        fail_msg("%zu rows: %s", found->count, text);
    }
    for (size_t i = 0; i < q->a.count; ++i) {
        const size_t begin = expected->offsets[i], count = expected->offsets[i + 1] - begin;
        const size_t found_count = found->offsets[i + 1] - found->offsets[i];
        const uint32_t *row = found->indices + found->offsets[i];
        for (size_t k = 0; k < count && k < found_count; ++k) {
            if (row[k] != expected->indices[begin + k]) {
                fail_msg("row %zu, place %zu: %u instead of %u: %s", i, k, row[k], expected->indices[begin + k], text);
            }
        }
        if (found_count != count || found->offsets[i] != begin) {
            fail_msg("row %zu: %zu neighbours instead of %zu: %s", i, found_count, count, text);
        }
    }
}

// Asks with a list that earlier questions have used, and compares.
static void check(const question *q, const answer *expected) {
    char text[2 * CONFIG_TEXT];
    tally *t = &tallies[tally_count - 1];
    const bp_status status = ask(q, &q->config, &used_rows);
    if (status != BP_OK) {
        describe(q, text, sizeof text);
        fail_msg("\"%s\": %s", bp_status_text(status), text);
    }
    expect_rows(q, &used_rows, expected);
    t->cases += 1;
    t->pairs += q->a.count * (q->between ? q->b.count : q->a.count);
    t->neighbors += used_rows.offsets[used_rows.count];
}

static void check_naive(const question *q) {
    answer expected = naive_answer(q);
    check(q, &expected);
    free_answer(&expected);
}

// With every method, whole and half, with one and with three threads.
static void check_all_ways(question *q) {
    for (int half = 0; half < 2; ++half) {
        q->config.flags = half != 0 ? BP_NEIGHBORS_HALF : 0;
        answer expected = naive_answer(q);
        for (size_t method = 0; method < bp_method_count(); ++method) {
            q->config.method = (bp_method)method;
            q->config.settings = method % 2 == 0 ? NULL : &ALWAYS_A_GRID;
            q->config.threads = (int32_t)(method % 3 == 0 ? 3 : 1);
            check(q, &expected);
        }
        free_answer(&expected);
    }
    q->config = (bp_config){.dimensions = q->config.dimensions, .radius_rule = q->config.radius_rule};
}

// ---- clouds ---------------------------------------------------------------------------------------------------------

typedef void (*place_point)(rng *random, const cloud *others, size_t index, double radius, double point[3]);

static void place_uniform(rng *random, const cloud *others, size_t index, double radius, double point[3]) {
    const double extent = radius * cbrt((double)others->count / 2); // a few neighbours each
    (void)index;
    for (int axis = 0; axis < 3; ++axis) {
        point[axis] = rng_between(random, -0.3 * extent, 0.7 * extent);
    }
}

// Distances that are the radius exactly, as far as rounding lets them, and just beyond.
static void place_on_lattice(rng *random, const cloud *others, size_t index, double radius, double point[3]) {
    (void)others;
    for (int axis = 0; axis < 3; ++axis) {
        point[axis] = (double)((int)(index % 7) - 3) * radius;
        index /= 7;
    }
    if (rng_below(random, 5) == 0) {
        const uint32_t axis = rng_below(random, 3);
        point[axis] = nextafter(point[axis], rng_sign(random) * 10 * radius);
    }
}

// The same where floats, and doubles after the comma, have few digits left.
static void place_on_far_lattice(rng *random, const cloud *others, size_t index, double radius, double point[3]) {
    static const double far[3] = {1e4, -3e5, 7e9};
    place_on_lattice(random, others, index, radius, point);
    for (int axis = 0; axis < 3; ++axis) {
        point[axis] += (index % 2 == 0 ? far[axis] : -far[axis]) * radius;
    }
}

static void place_in_clumps(rng *random, const cloud *others, size_t index, double radius, double point[3]) {
    (void)others;
    const double place = (double)(index % 5) * 300 * radius;
    for (int axis = 0; axis < 3; ++axis) {
        point[axis] = place + rng_between(random, -1, 1) * radius;
    }
}

// Copies of others, and of zero with either sign.
static void place_doubled(rng *random, const cloud *others, size_t index, double radius, double point[3]) {
    if (index > 0 && rng_below(random, 2) == 0) {
        memcpy(point, others->xyz + (size_t)3 * rng_below(random, (uint32_t)index), 3 * sizeof *point);
        return;
    }
    for (int axis = 0; axis < 3; ++axis) {
        point[axis] = rng_below(random, 4) == 0 ? rng_sign(random) * 0.0 : rng_between(random, 0, 6 * radius);
    }
}

static void place_far(rng *random, const cloud *others, size_t index, double radius, double point[3]) {
    (void)others;
    const double far[3] = {1e5 * radius, -3e6 * radius, index % 2 == 0 ? 2e7 * radius : 0};
    for (int axis = 0; axis < 3; ++axis) {
        point[axis] = far[axis] + rng_between(random, -4, 4) * radius;
    }
}

static void place_wildly(rng *random, const cloud *others, size_t index, double radius, double point[3]) {
    (void)radius;
    if (index > 0 && rng_below(random, 3) == 0) {
        memcpy(point, others->xyz + (size_t)3 * rng_below(random, (uint32_t)index), 3 * sizeof *point);
        return;
    }
    for (int axis = 0; axis < 3; ++axis) {
        point[axis] = rng_sign(random) * exp(rng_between(random, log(1e-30), log(1e30)));
    }
}

typedef struct kind {
    const char *name;
    place_point place;
} kind;

static const kind KINDS[] = {
    {"uniform", place_uniform},
    {"lattice", place_on_lattice},
    {"clumps", place_in_clumps},
    {"doubled", place_doubled},
    {"far", place_far},
    {"wild", place_wildly},
    {"far lattice", place_on_far_lattice},
};

static cloud make_cloud(rng *random, const kind *of, size_t count, double radius, bool wide) {
    cloud made = {.xyz = obtain(3 * count, sizeof(double)), .narrow = obtain(3 * count, sizeof(float)), .count = count};
    for (size_t i = 0; i < count; ++i) {
        double point[3];
        of->place(random, &made, i, radius, point);
        for (size_t axis = 0; axis < 3; ++axis) {
            made.narrow[3 * i + axis] = wide ? 0 : (float)point[axis];
            made.xyz[3 * i + axis] = wide ? point[axis] : (double)made.narrow[3 * i + axis];
        }
    }
    return made;
}

static void free_question(question *q) {
    free(q->a.xyz);
    free(q->a.narrow);
    free(q->b.xyz);
    free(q->b.narrow);
    free(q->radii);
    free(q->narrow_radii);
}

static question make_question(const kind *of, uint64_t seed, size_t count, double radius, bool wide) {
    rng random = rng_seeded(seed);
    const double kept = wide ? radius : (double)(float)radius;
    question q = {.what = of->name, .seed = seed, .wide = wide, .radius = kept};
    q.a = make_cloud(&random, of, count, kept, wide);
    return q;
}

static size_t usual_count(void) {
    return quick() ? 150 : 400;
}

// ---- one radius -----------------------------------------------------------------------------------------------------

static const double RADII[] = {1.0, 0.1, 1e-3, 0.0, 7e5};

static void check_kinds(bool wide) {
    for (size_t k = 0; k < COUNT_OF(KINDS); ++k) {
        for (size_t r = 0; r < COUNT_OF(RADII); ++r) {
            question q = make_question(&KINDS[k], 100 * k + r + 1, usual_count(), RADII[r], wide);
            q.config.dimensions = (uint32_t)(r % 2 == 0 ? 3 : 2);
            check_all_ways(&q);
            free_question(&q);
        }
    }
}

static void rows_are_those_of_the_definition(void **state) {
    (void)state;
    skip_where_threads_are_sanitized();
    begin_group("one radius, 32 bits");
    check_kinds(false);
}

static void rows_are_those_of_the_definition_in_64_bits(void **state) {
    (void)state;
    skip_where_threads_are_sanitized();
    begin_group("one radius, 64 bits");
    check_kinds(true);
}

// Clumps of points that floats cannot tell apart, and magnitudes whose squares vanish or overflow.
static void sixty_four_bits_count_to_the_last(void **state) {
    (void)state;
    static const double radii[] = {1.5e-15, 2e-4, 1e-200, 1e-162, 1e-310, 1e150, 1e160, 1e297};
    begin_group("64 bits, extremes");
    for (size_t r = 0; r < COUNT_OF(radii); ++r) {
        for (size_t k = 0; k < COUNT_OF(KINDS); ++k) {
            question q = make_question(&KINDS[k], 7000 + 10 * r + k, usual_count(), radii[r], true);
            for (size_t i = 0; i < 3 * q.a.count && k < 4; ++i) {
                q.a.xyz[i] += radii[r] < 1 && radii[r] > 1e-20 ? (i % 3 == 0 ? 3.0 : -2000.0) : 0.0;
            }
            check_naive(&q);
            q.config.threads = 3;
            q.config.method = BP_METHOD_BVH;
            check_naive(&q);
            free_question(&q);
        }
    }
}

// ---- a radius per point ---------------------------------------------------------------------------------------------

// 0: all the same, 1: similar, 2: over orders of magnitude, 3: some zero, some large.
static void draw_radii(question *q, int variety) {
    rng random = rng_seeded(q->seed + 99);
    q->radii = obtain(q->a.count, sizeof *q->radii);
    q->narrow_radii = obtain(q->a.count, sizeof *q->narrow_radii);
    for (size_t i = 0; i < q->a.count; ++i) {
        const double factors[] = {1.0, rng_between(&random, 0.8, 1.2), exp(rng_between(&random, log(1e-4), log(5.0))),
                                  (double)(rng_below(&random, 10) == 0) * rng_between(&random, 1.0, 30.0)};
        const double radius = q->radius * factors[variety];
        q->narrow_radii[i] = (float)radius;
        q->radii[i] = q->wide ? radius : (double)q->narrow_radii[i];
    }
}

static void check_rules(question *q) {
    for (int rule = BP_RADIUS_MAX; rule <= BP_RADIUS_SUM; ++rule) {
        q->config.radius_rule = (bp_radius_rule)rule;
        check_all_ways(q);
    }
}

static void every_rule_for_two_radii(void **state) {
    (void)state;
    skip_where_threads_are_sanitized();
    begin_group("a radius per point");
    for (size_t k = 0; k < COUNT_OF(KINDS); ++k) {
        for (int variety = 0; variety < 4; ++variety) {
            question q = make_question(&KINDS[k], 2000 + 10 * k + (size_t)variety, usual_count() / 2, 0.7, k % 2 == 1);
            q.config.dimensions = variety % 2 == 0 ? 3 : 2;
            draw_radii(&q, variety);
            check_rules(&q);
            free_question(&q);
        }
    }
}

// ---- two sets -------------------------------------------------------------------------------------------------------

static void check_between(const kind *of, uint64_t seed, size_t a_count, size_t b_count, bool wide) {
    question q = make_question(of, seed, a_count, 0.9, wide);
    rng random = rng_seeded(seed + 1);
    q.between = true;
    q.b = make_cloud(&random, of, b_count, q.radius, wide);
    if (a_count > 3 && b_count > 3) { // points that both have
        memcpy(q.b.xyz, q.a.xyz, 9 * sizeof *q.b.xyz);
        memcpy(q.b.narrow, q.a.narrow, 9 * sizeof *q.b.narrow);
    }
    q.config.dimensions = seed % 2 == 0 ? 3 : 2;
    check_all_ways(&q); // half has no meaning here
    free_question(&q);
}

static void a_set_against_itself(bool wide) {
    question q = make_question(&KINDS[0], 3, usual_count(), 1.0, wide);
    q.between = true;
    q.b = q.a;
    check_all_ways(&q);
    q.b = (cloud){0};
    free_question(&q);
}

static void neighbours_between_two_sets(void **state) {
    (void)state;
    skip_where_threads_are_sanitized();
    static const size_t counts[][2] = {{200, 150}, {1, 400}, {400, 1}, {3, 350}, {0, 20}, {20, 0}, {1, 1}};
    begin_group("between two sets");
    for (size_t k = 0; k < COUNT_OF(KINDS); ++k) {
        for (size_t c = 0; c < COUNT_OF(counts); ++c) {
            check_between(&KINDS[k], 4000 + 10 * k + c, counts[c][0], counts[c][1], (k + c) % 2 == 1);
        }
    }
    a_set_against_itself(false);
    a_set_against_itself(true);
}

// ---- periods --------------------------------------------------------------------------------------------------------

// Along one to three axes; the radius from a small part of the period to more than all of it.
static void check_periods(question *q, float period) {
    static const bp_method methods[] = {BP_METHOD_AUTO, BP_METHOD_BRUTE_FORCE, BP_METHOD_LINKED_CELLS, BP_METHOD_BVH,
                                        BP_METHOD_SWEEP_AND_PRUNE};
    for (uint32_t axes = 1; axes < 8; ++axes) {
        q->config = (bp_config){.radius_rule = q->config.radius_rule};
        for (uint32_t axis = 0; axis < 3; ++axis) {
            q->config.period[axis] = (axes >> axis & 1) != 0 ? period * (1.0f + (float)axis / 3) : 0.0f;
        }
        q->config.dimensions = axes == 3 ? 2 : 3;
        q->config.flags = axes % 2 == 0 ? BP_NEIGHBORS_HALF : 0;
        answer expected = naive_answer(q);
        for (size_t m = 0; m < COUNT_OF(methods); ++m) {
            q->config.method = methods[m];
            q->config.settings = m == 0 ? &ALWAYS_A_GRID : NULL;
            q->config.threads = axes % 3 == 0 ? 3 : 1;
            check(q, &expected);
        }
        free_answer(&expected);
    }
}

static const float PERIODS[] = {8.0f, 3.1f, 2.0f, 1.9999f, 1.3f, 1.0f, 0.37f};

static void the_shortest_way_through_a_period(void **state) {
    (void)state;
    skip_where_threads_are_sanitized();
    begin_group("periodic, one radius");
    for (size_t k = 0; k < COUNT_OF(KINDS); ++k) {
        for (size_t p = 0; p < COUNT_OF(PERIODS); ++p) {
            question q = make_question(&KINDS[k], 5000 + 10 * k + p, usual_count() / 2, 1.0, (k + p) % 2 == 1);
            check_periods(&q, PERIODS[p]);
            free_question(&q);
        }
    }
}

// Neighbours through the end are those that the lattice of images has: one period is seven spacings.
static void a_periodic_lattice_has_no_end(void **state) {
    (void)state;
    skip_where_threads_are_sanitized();
    begin_group("periodic lattice");
    for (int wide = 0; wide < 2; ++wide) {
        question q = make_question(&KINDS[1], 1, 343, 0.25, wide != 0);
        for (size_t i = 0; i < 343; ++i) {
            size_t place = i;
            for (size_t axis = 0; axis < 3; ++axis) {
                q.a.xyz[3 * i + axis] = 0.25 * (double)(place % 7);
                q.a.narrow[3 * i + axis] = 0.25f * (float)(place % 7);
                place /= 7;
            }
        }
        q.config = (bp_config){.period = {1.75f, 1.75f, 1.75f}};
        check_naive(&q);
        assert_int_equal(tallies[tally_count - 1].neighbors, (wide + 1) * 343 * 6);
        free_question(&q);
    }
}

static void periods_with_a_radius_per_point_and_two_sets(void **state) {
    (void)state;
    skip_where_threads_are_sanitized();
    begin_group("periodic, others");
    for (size_t k = 0; k < COUNT_OF(KINDS); ++k) {
        for (int variety = 0; variety < 4; ++variety) {
            question q =
                make_question(&KINDS[k], 6000 + 10 * k + (size_t)variety, usual_count() / 3, 0.5, variety == 1);
            draw_radii(&q, variety);
            q.config.radius_rule = (bp_radius_rule)((k + (size_t)variety) % 3);
            check_periods(&q, PERIODS[k]);
            free_question(&q);
        }
        question q = make_question(&KINDS[k], 6500 + k, 30, 0.5, k % 2 == 0);
        rng random = rng_seeded(k);
        q.between = true;
        q.b = make_cloud(&random, &KINDS[k], usual_count(), q.radius, q.wide);
        check_periods(&q, PERIODS[k]);
        free_question(&q);
    }
}

// ---- filter, threads ------------------------------------------------------------------------------------------------

// Not the same for (a, b) and (b, a): pairs are asked about as (smaller, larger).
static int passes(void *context, uint32_t a, uint32_t b) {
    return (a * 7 + b * 3 + *(const uint32_t *)context) % 5 != 0;
}

static void the_filter_is_asked(void **state) {
    (void)state;
    skip_where_threads_are_sanitized();
    uint32_t offset = 2;
    begin_group("filter");
    for (int variant = 0; variant < 6; ++variant) {
        question q = make_question(&KINDS[0], 40 + (uint64_t)variant, usual_count(), 1.0, variant % 2 == 1);
        if (variant / 2 == 1) {
            draw_radii(&q, 2);
        } else if (variant / 2 == 2) {
            rng random = rng_seeded(8);
            q.between = true;
            q.b = make_cloud(&random, &KINDS[0], 100, 1.0, q.wide);
        }
        for (size_t method = 0; method < bp_method_count(); ++method) {
            q.config = (bp_config){.method = (bp_method)method, .filter = {.pass = passes, .context = &offset}};
            q.config.settings = &ALWAYS_A_GRID;
            check_naive(&q);
            q.config.period[1] = 4.0f;
            check_naive(&q);
        }
        free_question(&q);
    }
}

static void expect_same_rows(const question *q, const bp_neighbors *rows, const bp_neighbors *first) {
    char text[2 * CONFIG_TEXT];
    const size_t index_count = first->offsets[first->count];
    if (rows->count != first->count ||
        memcmp(rows->offsets, first->offsets, (first->count + 1) * sizeof(size_t)) != 0 ||
        memcmp(rows->indices, first->indices, index_count * sizeof(uint32_t)) != 0) {
        describe(q, text, sizeof text);
        fail_msg("other rows than with one thread: %s", text);
    }
}

// So many pairs that counting, placing and sorting are cut into tasks too.
static void check_threads(question *q) {
    static const int32_t threads[] = {2, 3, 8};
    bp_neighbors first = {0}, rows = {0};
    q->config.threads = 1;
    q->config.executor = (bp_executor){0};
    assert_int_equal(ask(q, &q->config, &first), BP_OK);
    const bp_executor executors[] = {{0}, {0}, {0}, thread_executor(3), reverse_executor(5)};
    for (size_t t = 0; t < COUNT_OF(executors); ++t) {
        q->config.threads = t < COUNT_OF(threads) ? threads[t] : 1;
        q->config.executor = executors[t];
        assert_int_equal(ask(q, &q->config, &rows), BP_OK);
        expect_same_rows(q, &rows, &first);
        tallies[tally_count - 1].cases += 1;
        tallies[tally_count - 1].neighbors += rows.offsets[rows.count];
    }
    bp_neighbors_free(&first, NULL);
    bp_neighbors_free(&rows, NULL);
}

static void the_same_bytes_for_any_number_of_threads(void **state) {
    (void)state;
    begin_group("threads");
    for (int variant = 0; variant < 8; ++variant) {
        const size_t count = quick() ? 5000 : 20000;
        question q =
            make_question(&KINDS[variant % 2 == 0 ? 0 : 3], 70 + (uint64_t)variant, count, 1.0, variant % 4 == 2);
        q.radius = variant % 2 == 0 ? 2.5 : 0.5;
        if (variant >= 4) {
            draw_radii(&q, 2);
            q.config.radius_rule = (bp_radius_rule)(variant % 3);
        }
        q.config.flags = variant % 3 == 0 ? BP_NEIGHBORS_HALF : 0;
        q.config.period[0] = variant == 6 ? 20.0f : 0.0f;
        check_threads(&q);
        free_question(&q);
    }
}

// Long rows: everything is near everything.
static void long_rows_are_sorted(void **state) {
    (void)state;
    begin_group("long rows");
    static const size_t counts[] = {2, 5, 17, 33, 64, 65, 66, 129, 1000};
    for (size_t c = 0; c < COUNT_OF(counts); ++c) {
        question q = make_question(&KINDS[0], 90 + c, counts[c], 1.0, false);
        q.radius = 1000.0;
        check_all_ways(&q);
        free_question(&q);
    }
}

static int print_table(void **state) {
    (void)state;
    bp_neighbors_free(&used_rows, NULL);
    print_message("%-24s %8s %14s %14s\n", "neighbours", "cases", "comparisons", "neighbours");
    for (size_t i = 0; i < tally_count; ++i) {
        const tally *t = &tallies[i];
        print_message("%-24s %8zu %14zu %14zu\n", t->group, t->cases, t->pairs, t->neighbors);
    }
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_those_of_the_definition),
        cmocka_unit_test(rows_are_those_of_the_definition_in_64_bits),
        cmocka_unit_test(sixty_four_bits_count_to_the_last),
        cmocka_unit_test(every_rule_for_two_radii),
        cmocka_unit_test(neighbours_between_two_sets),
        cmocka_unit_test(the_shortest_way_through_a_period),
        cmocka_unit_test(a_periodic_lattice_has_no_end),
        cmocka_unit_test(periods_with_a_radius_per_point_and_two_sets),
        cmocka_unit_test(the_filter_is_asked),
        cmocka_unit_test(the_same_bytes_for_any_number_of_threads),
        cmocka_unit_test(long_rows_are_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, print_table);
}
