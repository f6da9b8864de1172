// Every public call with every method, each allocation of it refused once, and once with all that follow: the call says
// BP_ERROR_MEMORY (or does with less), everything is as it was before, the next try succeeds, and nothing leaks.
//
// Whether a world is unchanged is checked by its saved bytes, which hold its whole state.
#include "support/world_streams.h"

#include <stdlib.h>
#include <string.h>

enum { OBJECTS = 40, MORE = 24, POINTS = 60, ASKED = 12, ATTEMPTS_MOST = 1000 };

static const char *what; // the call, for messages
static bp_config tried;  // its config

static void expect(bool right, const char *text, size_t k) {
    if (!right) {
        char config[CONFIG_TEXT];
        fail_msg("%s: %s, after allocation %zu was refused: %s", what, text, k, config_text(&tried, config));
    }
}

// A refusal is an error, unless the library can do with less.
static bool is_refusal(const test_allocator *allocator, bp_status status, size_t k) {
    expect(status == BP_OK || (status == BP_ERROR_MEMORY && allocator->refused > 0), bp_status_text(status), k);
    return status == BP_ERROR_MEMORY;
}

// ---- data ----------------------------------------------------------------------------------------------------------

typedef struct data {
    bp_box boxes[OBJECTS + MORE];
    bp_box_double doubles[OBJECTS + MORE]; // the same
    bp_object objects[OBJECTS + MORE];
    float points[3 * POINTS], radii[POINTS];
    double wide_points[3 * POINTS], wide_radii[POINTS];
} data;

static void make_objects(data *d, rng *random) {
    for (size_t i = 0; i < OBJECTS + MORE; ++i) {
        d->boxes[i] = random_cube(random, 6.0, i % 9 == 0 ? 2.0 : 0.9);
        for (int axis = 0; axis < 3; ++axis) {
            d->doubles[i].min[axis] = (double)d->boxes[i].min[axis];
            d->doubles[i].max[axis] = (double)d->boxes[i].max[axis];
        }
        d->objects[i] = (bp_object){.flags = i % 3 == 0 ? BP_STATIC : 0, .group = (uint64_t)(i % 4) << 31};
    }
}

static data *make_data(void) {
    rng random = rng_seeded(31);
    data *d = obtain(1, sizeof *d);
    make_objects(d, &random);
    for (size_t i = 0; i < 3 * POINTS; ++i) {
        d->points[i] = random_between(&random, -3, 3);
        d->wide_points[i] = (double)d->points[i];
    }
    for (size_t i = 0; i < POINTS; ++i) {
        d->radii[i] = i % 10 == 0 ? 1.5f : 0.4f;
        d->wide_radii[i] = (double)d->radii[i];
    }
    return d;
}

// ---- the calls of a world ------------------------------------------------------------------------------------------

typedef bp_status (*world_call)(bp_world *world, const data *d);

static bp_status call_add(bp_world *w, const data *d) {
    return bp_add(w, &d->boxes[OBJECTS], &d->objects[OBJECTS], NULL);
}

static bp_status call_add_many(bp_world *w, const data *d) {
    return bp_add_many(w, MORE, d->boxes + OBJECTS, d->objects + OBJECTS, NULL);
}

static bp_status call_move(bp_world *w, const data *d) {
    return bp_move(w, 5, &d->boxes[OBJECTS + 1]);
}

static bp_status call_move_many(bp_world *w, const data *d) {
    return bp_move_many(w, 7, NULL, d->boxes + OBJECTS); // 7 is a hole
}

static bp_status call_remove(bp_world *w, const data *d) {
    (void)d;
    return bp_remove(w, 12);
}

static bp_status call_set_object(bp_world *w, const data *d) {
    (void)d;
    return bp_set_object(w, 9, &(bp_object){.island = 3});
}

static bp_status call_get_object(bp_world *w, const data *d) {
    bp_box box;
    bp_object object;
    (void)d;
    return bp_get_object(w, 9, &box, &object);
}

static bp_status call_add_double(bp_world *w, const data *d) {
    return bp_add_double(w, &d->doubles[OBJECTS], NULL, NULL);
}

static bp_status call_add_many_double(bp_world *w, const data *d) {
    return bp_add_many_double(w, MORE, d->doubles + OBJECTS, d->objects + OBJECTS, NULL);
}

static bp_status call_move_double(bp_world *w, const data *d) {
    return bp_move_double(w, 5, &d->doubles[OBJECTS + 1]);
}

static bp_status call_move_many_double(bp_world *w, const data *d) {
    return bp_move_many_double(w, 7, NULL, d->doubles + OBJECTS);
}

static bp_status call_get_object_double(bp_world *w, const data *d) {
    bp_box_double box;
    (void)d;
    return bp_get_object_double(w, 9, &box, NULL);
}

static bp_status call_reserve(bp_world *w, const data *d) {
    (void)d;
    return bp_world_reserve(w, 500);
}

static bp_status call_update(bp_world *w, const data *d) {
    bp_result result;
    (void)d;
    return bp_update(w, &result);
}

static bp_status call_stats(bp_world *w, const data *d) {
    bp_stats stats;
    (void)d;
    return bp_world_stats(w, &stats);
}

static bp_status call_validate(bp_world *w, const data *d) {
    (void)d;
    return bp_world_validate(w);
}

static bp_status call_save(bp_world *w, const data *d) {
    stream s = {0};
    const bp_status status = bp_world_save(w, stream_write, &s);
    (void)d;
    stream_free(&s);
    return status;
}

// Questions are asked so often that a world makes a grid for them, if it gets the memory.
static bp_status call_query_box(bp_world *w, const data *d) {
    bp_id ids[2 * OBJECTS];
    size_t found;
    bp_status status = BP_OK;
    for (size_t i = 0; i < ASKED && status == BP_OK; ++i) {
        status = bp_query_box(w, &d->boxes[i], i % 2 == 0 ? NULL : &d->objects[i], ids, 2 * OBJECTS, &found);
    }
    return status;
}

static bp_status call_query_ray(bp_world *w, const data *d) {
    bp_ray_hit hits[2 * OBJECTS];
    size_t found;
    bp_status status = BP_OK;
    for (size_t i = 0; i < ASKED && status == BP_OK; ++i) {
        bp_ray ray = {.direction = {1.0f, 0.5f, -0.25f}, .max_t = 4.0f};
        memcpy(ray.origin, &d->points[3 * i], sizeof ray.origin);
        status = bp_query_ray(w, &ray, i % 2 == 0 ? NULL : &d->objects[i], hits, 2 * OBJECTS, &found);
    }
    return status;
}

static bp_status call_query_nearest(bp_world *w, const data *d) {
    bp_near near[5];
    size_t found;
    bp_status status = BP_OK;
    for (size_t i = 0; i < ASKED && status == BP_OK; ++i) {
        status = bp_query_nearest(w, &d->points[3 * i], 5, i % 2 == 0 ? NULL : &d->objects[i], near, &found);
    }
    return status;
}

static const struct {
    const char *name;
    world_call call;
} WORLD_CALLS[] = {
    {"bp_add", call_add},
    {"bp_add_many", call_add_many},
    {"bp_move", call_move},
    {"bp_move_many", call_move_many},
    {"bp_remove", call_remove},
    {"bp_set_object", call_set_object},
    {"bp_get_object", call_get_object},
    {"bp_add_double", call_add_double},
    {"bp_add_many_double", call_add_many_double},
    {"bp_move_double", call_move_double},
    {"bp_move_many_double", call_move_many_double},
    {"bp_get_object_double", call_get_object_double},
    {"bp_world_reserve", call_reserve},
    {"bp_update", call_update},
    {"bp_world_stats", call_stats},
    {"bp_world_validate", call_validate},
    {"bp_world_save", call_save},
    {"bp_query_box, bp_query_box_as", call_query_box},
    {"bp_query_ray, bp_query_ray_as", call_query_ray},
    {"bp_query_nearest, bp_query_nearest_as", call_query_nearest},
};

// ---- worlds --------------------------------------------------------------------------------------------------------

// A world that has seen two updates, and changes since.
static bp_world *prepare(const bp_config *config, const data *d) {
    bp_world *world = NULL;
    assert_int_equal(bp_world_create(config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, OBJECTS, d->boxes, d->objects, NULL), BP_OK);
    assert_int_equal(bp_update(world, NULL), BP_OK);
    assert_int_equal(bp_move(world, 4, &d->boxes[OBJECTS + 3]), BP_OK);
    assert_int_equal(bp_update(world, NULL), BP_OK);
    assert_int_equal(bp_move(world, 3, &d->boxes[OBJECTS + 2]), BP_OK);
    assert_int_equal(bp_remove(world, 7), BP_OK);
    assert_int_equal(bp_remove(world, 8), BP_OK);
    assert_int_equal(bp_add(world, &d->boxes[OBJECTS + 4], NULL, NULL), BP_OK);
    assert_int_equal(bp_remove(world, 7), BP_OK);
    return world;
}

// The state of a world: its saved bytes, and those after an update.
typedef struct account {
    stream now, updated;
} account;

static account account_of(bp_world *world) {
    account a = {.now = save(world)};
    assert_int_equal(bp_update(world, NULL), BP_OK);
    assert_int_equal(bp_world_validate(world), BP_OK);
    a.updated = save(world);
    return a;
}

static void account_free(account *a) {
    stream_free(&a->now);
    stream_free(&a->updated);
}

static void expect_account(bp_world *world, const account *expected, const char *text, size_t k) {
    account a = account_of(world);
    expect(same_bytes(&a.now, &expected->now), text, k);
    expect(same_bytes(&a.updated, &expected->updated), text, k);
    account_free(&a);
}

// An update may have given objects new margins before it failed: no pair and no event depends on when that happens.
static bool may_refit(world_call call) {
    return call == call_update && tried.margin > 0.0f;
}

// One call whose k-th allocation fails. True if it got so far.
static bool fails_at(world_call call, const data *d, const stream *before, const account *after, size_t k, bool all) {
    test_allocator allocator;
    bp_config config = tried;
    test_allocator_init(&allocator);
    config.allocator = test_allocator_hook(&allocator);
    bp_world *world = prepare(&config, d);
    test_allocator_fail(&allocator, k, all);
    const bool failed = is_refusal(&allocator, call(world, d), k);
    const bool refused = allocator.refused > 0;
    test_allocator_fail(&allocator, 0, false);
    if (failed) {
        stream s = save(world);
        expect(may_refit(call) || same_bytes(&s, before), "the world is not as it was", k);
        expect(bp_world_validate(world) == BP_OK, "the world is not sound", k);
        expect(call(world, d) == BP_OK, "the next try fails, too", k);
        stream_free(&s);
    }
    expect_account(world, after, "the world is not as it should be", k);
    bp_world_destroy(world);
    test_allocator_finish(&allocator);
    return refused;
}

static void check_world_call(world_call call, const data *d) {
    bp_world *world = prepare(&tried, d);
    stream before = save(world);
    expect(call(world, d) == BP_OK, "it fails by itself", 0);
    account after = account_of(world);
    bp_world_destroy(world);
    for (int all = 0; all < 2; ++all) {
        for (size_t k = 1; fails_at(call, d, &before, &after, k, all != 0); ++k) {
            assert_true(k < ATTEMPTS_MOST);
        }
    }
    stream_free(&before);
    account_free(&after);
}

// ---- making and loading worlds -------------------------------------------------------------------------------------

static bool creation_fails_at(size_t k, bool all) {
    test_allocator allocator;
    bp_config config = tried;
    bp_world *world = NULL;
    test_allocator_init(&allocator);
    config.allocator = test_allocator_hook(&allocator);
    test_allocator_fail(&allocator, k, all);
    const bool failed = is_refusal(&allocator, bp_world_create(&config, &world), k);
    const bool refused = allocator.refused > 0;
    expect(failed == (world == NULL), "a world and a failure, or neither", k);
    bp_world_destroy(world);
    test_allocator_finish(&allocator);
    return refused;
}

static bool loading_fails_at(stream *saved, const account *expected, size_t k, bool all) {
    test_allocator allocator;
    bp_config config = tried;
    bp_world *world = NULL;
    test_allocator_init(&allocator);
    config.allocator = test_allocator_hook(&allocator);
    test_allocator_fail(&allocator, k, all);
    const bool failed = is_refusal(&allocator, try_load(&config, saved, &world), k);
    const bool refused = allocator.refused > 0;
    expect(failed == (world == NULL), "a world and a failure, or neither", k);
    test_allocator_fail(&allocator, 0, false);
    if (failed) {
        expect(allocator.live_blocks == 0, "something is left of a world that was not loaded", k);
        world = load(&config, saved);
    }
    expect_account(world, expected, "the loaded world is not as it should be", k);
    bp_world_destroy(world);
    test_allocator_finish(&allocator);
    return refused;
}

static void check_making(const data *d) {
    bp_world *world = prepare(&tried, d);
    stream saved = save(world);
    bp_world_destroy(world);
    world = load(&tried, &saved);
    account expected = account_of(world);
    bp_world_destroy(world);
    for (int all = 0; all < 2; ++all) {
        what = "bp_world_create";
        for (size_t k = 1; creation_fails_at(k, all != 0); ++k) {
            assert_true(k < ATTEMPTS_MOST);
        }
        what = "bp_world_load";
        for (size_t k = 1; loading_fails_at(&saved, &expected, k, all != 0); ++k) {
            assert_true(k < ATTEMPTS_MOST);
        }
    }
    stream_free(&saved);
    account_free(&expected);
}

// Each with every method that can.
static const bp_config WORLDS[] = {
    {.flags = BP_EVENTS, SETTINGS(.brute_force_below = 1)},
    {.flags = BP_EVENTS, .update = BP_UPDATE_INDIVIDUAL, SETTINGS(.brute_force_below = 1, .hierarchy_factor = 2.0f)},
    {.pair_order = BP_ORDER_SORTED, SETTINGS(.brute_force_below = 1)},
    {.flags = BP_EVENTS, .margin = 0.2f, .pair_order = BP_ORDER_SORTED},
    {.flags = BP_EVENTS, .period = {8.0f, 8.0f, 8.0f}, .shape = BP_SHAPE_SPHERES},
    {.flags = BP_EVENTS, .dimensions = 2, SETTINGS(.brute_force_below = 1)},
};

static void every_call_of_a_world_survives_every_refusal(void **state) {
    (void)state;
    data *d = make_data();
    for (size_t method = 0; method < bp_method_count(); ++method) {
        for (size_t i = 0; i < COUNT_OF(WORLDS); ++i) {
            tried = WORLDS[i];
            tried.method = (bp_method)method;
            if ((tried.update == BP_UPDATE_INDIVIDUAL && !is_incremental(method)) ||
                (quick() && (method + i) % 4 != 0)) {
                continue;
            }
            check_making(d);
            for (size_t k = 0; k < COUNT_OF(WORLD_CALLS); ++k) {
                what = WORLD_CALLS[k].name;
                check_world_call(WORLD_CALLS[k].call, d);
            }
        }
    }
    free(d);
}

// ---- one call ------------------------------------------------------------------------------------------------------

// A result of either kind.
typedef struct answer {
    bp_pairs pairs;
    bp_neighbors rows;
} answer;

typedef bp_status (*one_call)(const data *d, const bp_config *config, answer *a);

static bp_status find_pairs(const data *d, const bp_config *config, answer *a) {
    return bp_find_pairs(d->boxes, OBJECTS + MORE, config, &a->pairs);
}

static bp_status find_between(const data *d, const bp_config *config, answer *a) {
    return bp_find_pairs_between(d->boxes, MORE, d->boxes + MORE, OBJECTS, config, &a->pairs);
}

static bp_status find_pairs_double(const data *d, const bp_config *config, answer *a) {
    return bp_find_pairs_double(d->doubles, OBJECTS + MORE, config, &a->pairs);
}

static bp_status find_between_double(const data *d, const bp_config *config, answer *a) {
    return bp_find_pairs_between_double(d->doubles, MORE, d->doubles + MORE, OBJECTS, config, &a->pairs);
}

static bp_status find_neighbors(const data *d, const bp_config *config, answer *a) {
    return bp_find_neighbors(d->points, POINTS, 0.8f, config, &a->rows);
}

static bp_status find_variable(const data *d, const bp_config *config, answer *a) {
    return bp_find_neighbors_variable(d->points, POINTS, d->radii, config, &a->rows);
}

static bp_status find_neighbors_between(const data *d, const bp_config *config, answer *a) {
    return bp_find_neighbors_between(d->points, 20, d->points + 60, POINTS - 20, 0.8f, config, &a->rows);
}

static bp_status find_neighbors_double(const data *d, const bp_config *config, answer *a) {
    return bp_find_neighbors_double(d->wide_points, POINTS, 0.8, config, &a->rows);
}

static bp_status find_variable_double(const data *d, const bp_config *config, answer *a) {
    return bp_find_neighbors_variable_double(d->wide_points, POINTS, d->wide_radii, config, &a->rows);
}

static bp_status find_neighbors_between_double(const data *d, const bp_config *config, answer *a) {
    return bp_find_neighbors_between_double(d->wide_points, 20, d->wide_points + 60, POINTS - 20, 0.8, config,
                                            &a->rows);
}

static const struct {
    const char *name;
    one_call call;
    bool between;
} ONE_CALLS[] = {
    {"bp_find_pairs", find_pairs, false},
    {"bp_find_pairs_between", find_between, true},
    {"bp_find_pairs_double", find_pairs_double, false},
    {"bp_find_pairs_between_double", find_between_double, true},
    {"bp_find_neighbors", find_neighbors, false},
    {"bp_find_neighbors_variable", find_variable, false},
    {"bp_find_neighbors_between", find_neighbors_between, true},
    {"bp_find_neighbors_double", find_neighbors_double, false},
    {"bp_find_neighbors_variable_double", find_variable_double, false},
    {"bp_find_neighbors_between_double", find_neighbors_between_double, true},
};

static bool same_answer(const answer *a, const answer *b) {
    const size_t indices = a->rows.count > 0 ? a->rows.offsets[a->rows.count] : 0;
    return a->pairs.count == b->pairs.count && a->rows.count == b->rows.count &&
           (a->pairs.count == 0 || memcmp(a->pairs.data, b->pairs.data, a->pairs.count * sizeof(bp_pair)) == 0) &&
           (a->rows.count == 0 ||
            memcmp(a->rows.offsets, b->rows.offsets, (a->rows.count + 1) * sizeof *a->rows.offsets) == 0) &&
           (indices == 0 || memcmp(a->rows.indices, b->rows.indices, indices * sizeof *a->rows.indices) == 0);
}

static void free_answer(answer *a, const bp_config *config) {
    bp_pairs_free(&a->pairs, config);
    bp_neighbors_free(&a->rows, config);
}

static bool call_fails_at(one_call call, const data *d, const answer *expected, size_t k, bool all) {
    test_allocator allocator;
    bp_config config = tried;
    answer a = {.rows = {0}};
    test_allocator_init(&allocator);
    config.allocator = test_allocator_hook(&allocator);
    test_allocator_fail(&allocator, k, all);
    const bool failed = is_refusal(&allocator, call(d, &config, &a), k);
    const bool refused = allocator.refused > 0;
    test_allocator_fail(&allocator, 0, false);
    expect(!failed || call(d, &config, &a) == BP_OK, "the next try fails, too", k);
    expect(same_answer(&a, expected), "the answer is another", k);
    free_answer(&a, &config);
    test_allocator_finish(&allocator);
    return refused;
}

static void check_one_call(one_call call, const data *d) {
    answer expected = {.rows = {0}};
    expect(call(d, &tried, &expected) == BP_OK, "it fails by itself", 0);
    for (int all = 0; all < 2; ++all) {
        for (size_t k = 1; call_fails_at(call, d, &expected, k, all != 0); ++k) {
            assert_true(k < ATTEMPTS_MOST);
        }
    }
    free_answer(&expected, &tried);
}

static const bp_config CALLS[] = {
    {.pair_order = BP_ORDER_SORTED, SETTINGS(.brute_force_below = 1)},
    {.period = {8.0f, 8.0f, 8.0f}, .pair_order = BP_ORDER_SORTED},
    {.dimensions = 2, .margin = 0.1f, .shape = BP_SHAPE_SPHERES, SETTINGS(.brute_force_below = 1)},
};

static void every_one_call_function_survives_every_refusal(void **state) {
    (void)state;
    data *d = make_data();
    for (size_t method = 0; method < bp_method_count(); ++method) {
        for (size_t i = 0; i < COUNT_OF(CALLS); ++i) {
            for (size_t k = 0; k < COUNT_OF(ONE_CALLS); ++k) {
                tried = CALLS[i];
                tried.method = (bp_method)method;
                tried.executor = reverse_executor(k % 2 == 0 ? 1 : 3);
                what = ONE_CALLS[k].name;
                if (!ONE_CALLS[k].between || (bp_method_supports(method) & BP_SUPPORTS_BETWEEN) != 0) {
                    check_one_call(ONE_CALLS[k].call, d);
                }
            }
        }
    }
    free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_of_a_world_survives_every_refusal),
        cmocka_unit_test(every_one_call_function_survives_every_refusal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
