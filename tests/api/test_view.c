// Periods, margins, spheres and 64-bit boxes, against the definition in the public header: every scene, every method,
// one thread and three, inside one set and between two.
//
// At the end a table shows how many cases there were and how many pairs of boxes were decided, all compared with the
// naive result. A failure prints the scene, the seed and the config. BP_TEST_SEED=n is for other random numbers.
#include "support/view_scenes.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed(void) {
    return environment_number("BP_TEST_SEED", 5);
}

static size_t usual_count(void) {
    return quick() ? 80 : 130; // enough for ranks
}

// ---- every scene, every setting -------------------------------------------------------------------------------------

typedef struct tally {
    size_t cases, calls;
    uint64_t decided; // pairs of boxes whose overlap was decided
    uint64_t found;
} tally;

// One scene in one setting.
typedef struct trial {
    const view_scene *scene;
    const bp_box_double *boxes;
    const bp_box *floats; // NULL: the boxes are 64-bit ones
    size_t count, first_count;
    pair_list expected, expected_between, expected_twice;
    tally *tally;
} trial;

static bp_status find(const trial *t, const bp_config *config, bp_pairs *pairs) {
    return t->floats != NULL ? bp_find_pairs(t->floats, t->count, config, pairs)
                             : bp_find_pairs_double(t->boxes, t->count, config, pairs);
}

// Between the first ones and all from `start` on.
static bp_status find_between(const trial *t, size_t start, const bp_config *config, bp_pairs *pairs) {
    const size_t rest = t->count - start;
    return t->floats != NULL
               ? bp_find_pairs_between(t->floats, t->first_count, t->floats + start, rest, config, pairs)
               : bp_find_pairs_between_double(t->boxes, t->first_count, t->boxes + start, rest, config, pairs);
}

// What a filter was asked about, by several threads at once.
typedef struct asked_pairs {
    pthread_mutex_t lock;
    pair_list pairs;
} asked_pairs;

static int note_asked(void *context, uint32_t a, uint32_t b) {
    asked_pairs *asked = context;
    (void)pthread_mutex_lock(&asked->lock);
    pair_list_push(&asked->pairs, a, b);
    (void)pthread_mutex_unlock(&asked->lock);
    return 1;
}

// Asked again where the grid hands over to split.
static void drop_repeated(pair_list *sorted) {
    size_t kept = 0;
    for (size_t i = 0; i < sorted->count; ++i) {
        const bp_pair pair = sorted->data[i];
        if (kept == 0 || sorted->data[kept - 1].a != pair.a || sorted->data[kept - 1].b != pair.b) {
            sorted->data[kept++] = pair;
        }
    }
    sorted->count = kept;
}

// A filter is asked about each pair that is reported, about no other, and under the same name.
static void expect_asked(const bp_config *config, const bp_pairs *pairs, const char *what) {
    asked_pairs *asked = config->filter.context;
    char text[CONFIG_TEXT];
    if (config->filter.pass == note_asked) {
        sort_pairs(asked->pairs.data, asked->pairs.count);
        drop_repeated(&asked->pairs);
        expect_pairs(pairs->data, pairs->count, &asked->pairs, "asked: %s: %s", what, config_text(config, text));
        asked->pairs.count = 0;
    }
}

static void expect_answer(const trial *t, const bp_config *config, const char *what, bp_status status,
                          const bp_pairs *pairs, const pair_list *expected, uint64_t decided) {
    char text[CONFIG_TEXT];
    (void)config_text(config, text);
    const char *bits = t->floats != NULL ? "floats" : "doubles";
    if (status != BP_OK) {
        fail_msg("%s: %s, %s, %s, seed %llu: %s", bp_status_text(status), what, t->scene->name, bits,
                 (unsigned long long)seed(), text);
    }
    expect_pairs(pairs->data, pairs->count, expected, "%s, %s, %s, seed %llu: %s", what, t->scene->name, bits,
                 (unsigned long long)seed(), text);
    expect_asked(config, pairs, what);
    ++t->tally->calls;
    t->tally->decided += decided;
    t->tally->found += pairs->count;
}

static void check_method(const trial *t, const bp_config *config, bp_pairs *pairs) {
    const size_t n = t->count, first = t->first_count, rest = n - first;
    bp_status status = find(t, config, pairs);
    expect_answer(t, config, "one set", status, pairs, &t->expected, n * (n - 1) / 2);
    status = find_between(t, first, config, pairs);
    expect_answer(t, config, "two sets", status, pairs, &t->expected_between, first * rest);
    status = find_between(t, 0, config, pairs);
    expect_answer(t, config, "the same array", status, pairs, &t->expected_twice, first * n);
}

static void check_methods(const trial *t, bp_config config) {
    bp_pairs pairs = {0};
    asked_pairs asked = {.lock = PTHREAD_MUTEX_INITIALIZER};
    for (size_t method = 1; method < bp_method_count(); ++method) {
        config.method = (bp_method)method;
        config.threads = 1;
        config.pair_order = BP_ORDER_FOUND;
        config.filter = (bp_filter){0};
        if (in_short_turn(5)) {
            check_method(t, &config, &pairs);
        }
        config.threads = 3;
        config.pair_order = BP_ORDER_SORTED;
        config.filter = (bp_filter){.pass = note_asked, .context = &asked};
        if (in_short_turn(5)) {
            check_method(t, &config, &pairs);
        }
    }
    bp_pairs_free(&pairs, NULL);
    pair_list_free(&asked.pairs);
}

static void run_trial(const view_scene *scene, const bp_config *config, bool wide, tally *sum) {
    trial t = {.scene = scene, .count = usual_count(), .tally = sum};
    bp_box_double *boxes = view_boxes(scene, seed(), config->period, t.count, wide);
    bp_box *floats = wide ? NULL : view_floats(boxes, t.count);
    t.boxes = boxes;
    t.floats = floats;
    t.first_count = t.count / 3;
    const size_t rest = t.count - t.first_count;
    t.expected = naive_view_pairs(boxes, t.count, wide, config);
    t.expected_between = naive_view_pairs_between(boxes, t.first_count, boxes + t.first_count, rest, wide, config);
    t.expected_twice = naive_view_pairs_between(boxes, t.first_count, boxes, t.count, wide, config);
    check_methods(&t, *config);
    ++sum->cases;
    pair_list_free(&t.expected);
    pair_list_free(&t.expected_between);
    pair_list_free(&t.expected_twice);
    free(boxes);
    free(floats);
}

static const float PERIODS[][3] = {{0, 0, 0}, {8, 8, 8}, {0, 6.4f, 0}, {3.7f, 0, 11.3f}, {1e-3f, 1, 1e3f}};
static const float MARGINS[] = {0.0f, 0.21f, 1e-30f};

// Every period with every shape; margins in turn, and none always.
static void run_settings(const view_scene *scene, uint32_t dimensions, bool wide, tally *sum) {
    for (size_t p = 0; p < COUNT_OF(PERIODS); p += quick() && dimensions == 2 ? 3 : 1) {
        for (int shape = BP_SHAPE_BOXES; shape <= BP_SHAPE_SPHERES; ++shape) {
            bp_config config = {
                .dimensions = dimensions, .shape = (bp_shape)shape, .settings = p % 2 == 0 ? &ALWAYS_A_GRID : NULL};
            memcpy(config.period, PERIODS[p], sizeof config.period);
            run_trial(scene, &config, wide, sum);
            if (quick() && p % 2 == 0) {
                continue;
            }
            config.margin = MARGINS[1 + (p + (size_t)shape + dimensions) % 2];
            config.settings = p % 2 == 0 ? NULL : &ALWAYS_A_GRID;
            run_trial(scene, &config, wide, sum);
        }
    }
}

static void every_scene_as_the_header_says(void **state) {
    (void)state;
    skip_where_threads_are_sanitized();
    print_message("%-12s %6s %8s %14s %12s\n", "scene", "cases", "calls", "decided", "pairs found");
    tally all = {0};
    for (size_t i = 0; i < VIEW_SCENE_COUNT; ++i) {
        tally sum = {0};
        for (int wide = 0; wide < 2; ++wide) {
            run_settings(&VIEW_SCENES[i], 3, wide != 0, &sum);
            run_settings(&VIEW_SCENES[i], 2, wide != 0, &sum);
        }
        assert_true(sum.found > 0);
        print_message("%-12s %6zu %8zu %14llu %12llu\n", VIEW_SCENES[i].name, sum.cases, sum.calls,
                      (unsigned long long)sum.decided, (unsigned long long)sum.found);
        all.cases += sum.cases;
        all.calls += sum.calls;
        all.decided += sum.decided;
        all.found += sum.found;
    }
    print_message("%-12s %6zu %8zu %14llu %12llu\n", "all", all.cases, all.calls, (unsigned long long)all.decided,
                  (unsigned long long)all.found);
}

// ---- by hand --------------------------------------------------------------------------------------------------------

// Two intervals along x in a period of 10, and whether they meet.
typedef struct example {
    double a_min, a_max, b_min, b_max;
    bool meet;
} example;

static const example EXAMPLES[] = {
    {1, 2, 2, 3, true},           // touch
    {1, 2, 2.5, 3, false},        // apart
    {9, 10, 0, 1, true},          // touch across the end
    {9, 9.75, 0, 1, false},       // not quite
    {9.5, 10.5, 0.5, 1, true},    // reaches over the end
    {-0.5, 0.5, 9.5, 9.75, true}, // or the beginning
    {0, 10, 3, 4, true},          // the full period
    {0, 10, 12, 13, true},
    {5, 5, 15, 15, true}, // points
    {5, 5, 16, 16, false},
    {-25, -24, 36, 37, true}, // many periods apart
    {-25, -24, 36.5, 37, false},
    {1, 9, 8, 12, true}, // in two places
    {0, 0, 10, 10, true},
    {0, 0, 1e6, 1e6, true},
    {0, 0, 1e6 + 5, 1e6 + 5, false},
    {-INFINITY, INFINITY, 1, 2, true},
    {-INFINITY, 3, 4, 5, true}, // infinite is everywhere
    {1e-10, 1, 9, 10, false},
    {0x1p-149, 1, 9, 10, true}, // 10 - 2^-149 is 10 in 64 bits
    {-0x1p-149, 1, 9, 9.5, false},
    {-0x1p-149, 1, 9, 10, true},
};

static void examples_across_the_period(void **state) {
    (void)state;
    const bp_config config = {.period = {10, 0, 0}};
    for (size_t i = 0; i < COUNT_OF(EXAMPLES); ++i) {
        const example *e = &EXAMPLES[i];
        const bp_box boxes[] = {{{(float)e->a_min, 0, 0}, {(float)e->a_max, 1, 1}},
                                {{(float)e->b_min, 0, 0}, {(float)e->b_max, 1, 1}}};
        const bp_box turned[] = {boxes[1], boxes[0]};
        bp_pairs pairs = {0};
        assert_int_equal(bp_find_pairs(boxes, 2, &config, &pairs), BP_OK);
        if (pairs.count != (e->meet ? 1 : 0)) {
            fail_msg("example %zu: %zu pairs", i, pairs.count);
        }
        assert_int_equal(bp_find_pairs(turned, 2, &config, &pairs), BP_OK);
        assert_int_equal(pairs.count, e->meet ? 1 : 0);
        bp_pairs_free(&pairs, NULL);
    }
}

// Where coordinates become ranks, both zeros must have the same.
static void zero_has_no_sign(void **state) {
    (void)state;
    enum { COUNT = 200 };
    bp_box_double boxes[COUNT];
    for (size_t i = 0; i < COUNT; ++i) {
        const double min = i % 2 == 0 ? -1.0 : 0.0, max = i % 2 == 0 ? -0.0 : 1.0;
        boxes[i] = (bp_box_double){.min = {min, 5, 5}, .max = {max, 5, 5}};
    }
    boxes[0] = (bp_box_double){.min = {0, 1e6, 1e6}, .max = {0, 1e6, 1e6}}; // makes the others small
    const bp_config config = {0};
    pair_list expected = naive_view_pairs(boxes, COUNT, true, &config);
    bp_pairs pairs = {0};
    assert_int_equal(expected.count, (COUNT - 1) * (COUNT - 2) / 2);
    assert_int_equal(bp_find_pairs_double(boxes, COUNT, &config, &pairs), BP_OK);
    expect_pairs(pairs.data, pairs.count, &expected, "zeros");
    pair_list_free(&expected);
    bp_pairs_free(&pairs, NULL);
}

// ---- more than one block --------------------------------------------------------------------------------------------

enum { MANY = 20000 };

// Small boxes, many of them at the borders.
static bp_box *make_many(size_t count, float period) {
    rng random = rng_seeded(seed());
    bp_box *boxes = obtain(count, sizeof *boxes);
    for (size_t i = 0; i < count; ++i) {
        const float size = 0.02f * period;
        const float x = random_between(&random, -0.01, 0.99) * period, y = random_between(&random, -2, 2) * period;
        boxes[i] = cube_of(x, y, random_between(&random, -0.01, 0.99) * period, size);
    }
    return boxes;
}

// The pairs of a periodic scene by other means: all boxes eight times and more, in open space.
static void expect_pairs_of_copies(const bp_box *boxes, size_t count, float period, const bp_pairs *found) {
    bp_box_double *copies = obtain(27 * count, sizeof *copies);
    bp_box_double *home = obtain(count, sizeof *home);
    for (size_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            const double p = (double)period, min = (double)boxes[i].min[axis], away = p * floor(min / p);
            home[i].min[axis] = min - away;
            home[i].max[axis] = (double)boxes[i].max[axis] - away;
            for (size_t k = 0, shift = (size_t)1; k < 27; ++k) {
                shift = axis == 0 ? k % 3 : axis == 1 ? k / 3 % 3 : k / 9;
                copies[i * 27 + k].min[axis] = home[i].min[axis] + p * ((double)shift - 1.0);
                copies[i * 27 + k].max[axis] = home[i].max[axis] + p * ((double)shift - 1.0);
            }
        }
    }
    bp_pairs all = {0};
    pair_list expected = {0};
    assert_int_equal(bp_find_pairs_between_double(home, count, copies, 27 * count, NULL, &all), BP_OK);
    for (size_t i = 0; i < all.count; ++i) {
        const uint32_t other = all.data[i].b / 27;
        if (all.data[i].a < other) {
            pair_list_push(&expected, all.data[i].a, other);
        }
    }
    sort_pairs(expected.data, expected.count); // no pair comes twice: boxes are small
    expect_pairs(found->data, found->count, &expected, "copies");
    pair_list_free(&expected);
    bp_pairs_free(&all, NULL);
    free(copies);
    free(home);
}

static void the_number_of_threads_changes_nothing(void **state) {
    (void)state;
    const float period = 16.0f;
    bp_box *boxes = make_many(MANY, period);
    bp_config config = {.period = {period, period, period}};
    bp_pairs one = {0}, other = {0};
    assert_int_equal(bp_find_pairs(boxes, MANY, &config, &one), BP_OK);
    assert_true(one.count > MANY / 4);
    expect_pairs_of_copies(boxes, MANY, period, &one);
    static const uint32_t workers[] = {2, 3, 8};
    for (size_t i = 0; i < COUNT_OF(workers); ++i) {
        config.executor = i == 1 ? reverse_executor(workers[i]) : thread_executor(workers[i]);
        assert_int_equal(bp_find_pairs(boxes, MANY, &config, &other), BP_OK);
        expect_same_bytes(other.data, other.count, one.data, one.count, "%u workers", workers[i]);
    }
    bp_pairs_free(&one, NULL);
    bp_pairs_free(&other, NULL);
    free(boxes);
}

// ---- no cloud of candidates -----------------------------------------------------------------------------------------

// Clumps of objects that touch: `size` each, `clump` of them in a cube of `across` sizes, anywhere in a cube of
// `space`.
static bp_box_double *make_dust(size_t count, size_t clump, double size, double across, double space) {
    rng random = rng_seeded(seed());
    bp_box_double *boxes = obtain(count, sizeof *boxes);
    double place[3] = {0, 0, 0};
    for (size_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            place[axis] = i % clump == 0 ? rng_unit(&random) * space : place[axis];
            boxes[i].min[axis] = place[axis] + rng_unit(&random) * across * size;
            boxes[i].max[axis] = boxes[i].min[axis] + size;
        }
    }
    return boxes;
}

static void check_dust(const char *name, size_t clump, double size, double space, const bp_config *given) {
    const size_t count = quick() ? 8000 : 40000;
    bp_box_double *boxes = make_dust(count, clump, size, cbrt((double)clump), space);
    bp_stats stats = {.tests = 0};
    bp_config config = *given, naive = *given;
    config.stats = &stats;
    bp_pairs pairs = {0};
    assert_int_equal(bp_find_pairs_double(boxes, count, &config, &pairs), BP_OK);
    const double tests = (double)stats.tests / (double)count;
    print_message("%s, clumps of %zu: %.1f tests and %.1f pairs for each object\n", name, clump, tests,
                  (double)pairs.count / (double)count);
    assert_true(tests < 8.0 * (double)pairs.count / (double)count + 120.0);
    // The first clumps by the definition: what is between clumps does not overlap.
    const size_t few = 2000;
    naive.settings = &ALWAYS_A_GRID;
    assert_int_equal(bp_find_pairs_double(boxes, few, &naive, &pairs), BP_OK);
    pair_list expected = naive_view_pairs(boxes, few, true, given);
    assert_true(expected.count > few / 2);
    expect_pairs(pairs.data, pairs.count, &expected, "%s", name);
    pair_list_free(&expected);
    bp_pairs_free(&pairs, NULL);
    free(boxes);
}

static void small_objects_in_vast_space_are_no_cloud(void **state) {
    (void)state;
    skip_where_threads_are_sanitized();
    const bp_config open = {0}, periodic = {.period = {4096, 4096, 4096}}, spheres = {.shape = BP_SHAPE_SPHERES};
    for (size_t clump = 500; clump <= 4000; clump *= 8) {
        check_dust("0.2 mm in 4 km", clump, 2e-4, 4000.0, &open);
        check_dust("0.2 mm in 4 km, periodic", clump, 2e-4, 4096.0, &periodic);
        check_dust("0.2 mm in 4 km, spheres", clump, 2e-4, 4000.0, &spheres);
        check_dust("1.5e-15 m in 3 m", clump, 1.5e-15, 3.0, &open);
    }
}

// ---- what follows ---------------------------------------------------------------------------------------------------

typedef struct watch {
    size_t asked, strange;
    uint32_t count;
} watch;

static int only_even(void *context, uint32_t a, uint32_t b) {
    watch *w = context;
    ++w->asked;
    w->strange += a >= b || b >= w->count;
    return (a + b) % 2 == 0;
}

static void filters_see_objects_and_each_pair_once(void **state) {
    (void)state;
    enum { COUNT = 400 };
    const float period[3] = {8, 8, 8};
    bp_box_double *boxes = view_boxes(&VIEW_SCENES[4], seed(), period, COUNT, true);
    watch w = {.count = COUNT};
    bp_config config = {.period = {8, 8, 8}};
    pair_list expected = naive_view_pairs(boxes, COUNT, true, &config);
    const size_t all = expected.count;
    size_t even = 0;
    for (size_t i = 0; i < all; ++i) {
        even += (expected.data[i].a + expected.data[i].b) % 2 == 0;
    }
    config.filter = (bp_filter){.pass = only_even, .context = &w};
    bp_pairs pairs = {0};
    assert_int_equal(bp_find_pairs_double(boxes, COUNT, &config, &pairs), BP_OK);
    assert_int_equal(w.asked, all);
    assert_int_equal(w.strange, 0);
    assert_int_equal(pairs.count, even);
    pair_list_free(&expected);
    bp_pairs_free(&pairs, NULL);
    free(boxes);
}

// Only pairs that are confirmed count, and none is written beyond the buffer.
static void a_fixed_buffer_counts_confirmed_pairs(void **state) {
    (void)state;
    enum { COUNT = 700 };
    const float period[3] = {8, 8, 8};
    const bp_pair guard = {1234567, 7654321};
    bp_box_double *boxes = view_boxes(&VIEW_SCENES[0], seed(), period, COUNT, true);
    for (size_t method = 0; method < bp_method_count(); ++method) {
        for (int32_t threads = 1; threads <= 3; threads += 2) {
            bp_config config = {.method = (bp_method)method, .threads = threads, .period = {8, 8, 8}};
            config.shape = BP_SHAPE_SPHERES;
            pair_list expected = naive_view_pairs(boxes, COUNT, true, &config);
            const size_t capacities[] = {0, 1, expected.count / 2, expected.count - 1, expected.count};
            config.flags = BP_PAIRS_FIXED;
            bp_pair *buffer = obtain(expected.count + 1, sizeof *buffer);
            for (size_t i = 0; i < COUNT_OF(capacities); ++i) {
                bp_pairs pairs = {.data = capacities[i] > 0 ? buffer : NULL, .capacity = capacities[i]};
                buffer[capacities[i]] = guard;
                const bp_status status = bp_find_pairs_double(boxes, COUNT, &config, &pairs);
                assert_int_equal(status, capacities[i] < expected.count ? BP_ERROR_CAPACITY : BP_OK);
                assert_int_equal(pairs.count, expected.count);
                assert_memory_equal(&buffer[capacities[i]], &guard, sizeof guard);
            }
            expect_pairs(buffer, expected.count, &expected, "fixed buffer");
            pair_list_free(&expected);
            free(buffer);
        }
    }
    free(boxes);
}

// A domain and a cell size are lengths of the caller's: they may not harm where coordinates have become ranks.
static void lengths_in_the_config_do_no_harm(void **state) {
    (void)state;
    enum { COUNT = 1000 };
    bp_box_double *boxes = make_dust(COUNT, 200, 2e-4, 10.0, 4000.0);
    for (size_t method = 1; method < bp_method_count(); ++method) {
        const bp_config config = {.method = (bp_method)method,
                                  SETTINGS(.cell_size = 1e-3f, .domain = {.min = {0, 0, 0}, .max = {4000, 4000, 4000}},
                                           .memory_limit = 1u << 24)};
        pair_list expected = naive_view_pairs(boxes, COUNT, true, &config);
        bp_pairs pairs = {0};
        assert_int_equal(bp_find_pairs_double(boxes, COUNT, &config, &pairs), BP_OK);
        expect_pairs(pairs.data, pairs.count, &expected, "%s", bp_method_name(method));
        pair_list_free(&expected);
        bp_pairs_free(&pairs, NULL);
    }
    free(boxes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scene_as_the_header_says),
        cmocka_unit_test(examples_across_the_period),
        cmocka_unit_test(zero_has_no_sign),
        cmocka_unit_test(the_number_of_threads_changes_nothing),
        cmocka_unit_test(small_objects_in_vast_space_are_no_cloud),
        cmocka_unit_test(filters_see_objects_and_each_pair_once),
        cmocka_unit_test(a_fixed_buffer_counts_confirmed_pairs),
        cmocka_unit_test(lengths_in_the_config_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
