// Worlds with periods, spheres, 64-bit boxes, margins or a filter, one of every method. All go through the same random
// steps, and are compared with the naive result, events included.
#include "support/support.h"

#include "support/view_scenes.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { OBJECTS = 100, STEPS = 25, WORLDS_MOST = 32 };

static const uint64_t SEEDS[] = {3, 20201, 0xabcdef};

typedef struct living {
    size_t world_count;
    bp_world *worlds[WORLDS_MOST];
    bp_config configs[WORLDS_MOST];
    pair_list last[WORLDS_MOST];
    bool wide;
    bool mixed; // some boxes are infinite, and half of the objects static
    uint64_t seed;
    int step;
    rng random;
    bp_box_double boxes[OBJECTS];
    bool alive[OBJECTS], existed[OBJECTS], reborn[OBJECTS];
} living;

static size_t comparisons;

// ---- changes --------------------------------------------------------------------------------------------------------

static bp_box narrow(const bp_box_double *box) {
    bp_box floats;
    for (int axis = 0; axis < 3; ++axis) {
        floats.min[axis] = (float)box->min[axis];
        floats.max[axis] = (float)box->max[axis];
    }
    return floats;
}

// Somewhere in a few periods of 8, of 0.2 to 2.2 in size; as floats unless the world has 64-bit boxes.
static bp_box_double draw(living *l) {
    bp_box_double box;
    for (int axis = 0; axis < 3; ++axis) {
        const float min = random_between(&l->random, -12.0, 12.0);
        box.min[axis] = (double)min + (l->wide ? 1e-10 * rng_unit(&l->random) : 0.0);
        box.max[axis] = (double)(min + random_between(&l->random, 0.2, 2.2));
    }
    const uint32_t wall = l->mixed ? rng_below(&l->random, 24) : UINT32_MAX;
    if (wall < 3) {
        box.max[wall] = INFINITY;
        box.min[(wall + 1) % 3] = -INFINITY;
    }
    return box;
}

static bool is_static(const living *l, bp_id id) {
    return l->mixed && id % 2 == 0;
}

static bp_box_double shifted(living *l, const bp_box_double *box) {
    bp_box_double moved;
    for (int axis = 0; axis < 3; ++axis) {
        const double way = (double)random_between(&l->random, -0.05, 0.05);
        moved.min[axis] = l->wide ? box->min[axis] + way : (double)(float)(box->min[axis] + way);
        moved.max[axis] = l->wide ? box->max[axis] + way : (double)(float)(box->max[axis] + way);
    }
    return moved;
}

static void add(living *l, bp_id expected) {
    const bp_box_double box = draw(l);
    const bp_box floats = narrow(&box);
    const bp_object object = {.flags = is_static(l, expected) ? BP_STATIC : 0};
    for (size_t i = 0; i < l->world_count; ++i) {
        bp_id id = 0;
        const bp_status status =
            l->wide ? bp_add_double(l->worlds[i], &box, &object, &id) : bp_add(l->worlds[i], &floats, &object, &id);
        assert_int_equal(status, BP_OK);
        assert_int_equal(id, expected);
    }
    l->boxes[expected] = box;
    l->alive[expected] = true;
    l->reborn[expected] = l->existed[expected];
}

static void move(living *l, bp_id id, const bp_box_double *box) {
    const bp_box floats = narrow(box);
    l->boxes[id] = *box;
    for (size_t i = 0; i < l->world_count; ++i) {
        assert_int_equal(l->wide ? bp_move_double(l->worlds[i], id, box) : bp_move(l->worlds[i], id, &floats), BP_OK);
    }
}

static void change_one(living *l, bp_id id) {
    const uint32_t what = rng_below(&l->random, 8);
    if (!l->alive[id]) {
        bp_id smallest = 0;
        while (l->alive[smallest]) {
            ++smallest;
        }
        add(l, smallest);
    } else if (what == 0) {
        l->alive[id] = false;
        for (size_t i = 0; i < l->world_count; ++i) {
            assert_int_equal(bp_remove(l->worlds[i], id), BP_OK);
        }
    } else {
        const bp_box_double box = what == 1 ? draw(l) : shifted(l, &l->boxes[id]);
        move(l, id, &box);
    }
}

// In one call, in any order; at times one comes twice.
static void move_many(living *l) {
    bp_box_double wide[OBJECTS];
    bp_box floats[OBJECTS];
    bp_id ids[OBJECTS];
    size_t count = 0;
    for (size_t i = 0; i < OBJECTS; ++i) {
        const bp_id id = (bp_id)(rng_below(&l->random, 16) == 0 ? rng_below(&l->random, OBJECTS) : i * 7 % OBJECTS);
        if (l->alive[id]) {
            l->boxes[id] = shifted(l, &l->boxes[id]);
            wide[count] = l->boxes[id];
            floats[count] = narrow(&l->boxes[id]);
            ids[count++] = id;
        }
    }
    for (size_t i = 0; i < l->world_count; ++i) {
        assert_int_equal(l->wide ? bp_move_many_double(l->worlds[i], count, ids, wide)
                                 : bp_move_many(l->worlds[i], count, ids, floats),
                         BP_OK);
    }
}

// Mostly a few, at times all.
static void change_some(living *l) {
    if (rng_below(&l->random, 10) == 0) {
        move_many(l);
    }
    const uint32_t count = rng_below(&l->random, 10) == 0 ? OBJECTS : rng_below(&l->random, 6);
    for (uint32_t i = 0; i < count; ++i) {
        change_one(l, count == OBJECTS ? i : rng_below(&l->random, OBJECTS));
    }
}

// ---- the naive result -----------------------------------------------------------------------------------------------

// The context counts the pairs that are not (smaller, larger); it may be NULL.
static int passes(void *context, uint32_t a, uint32_t b) {
    atomic_size_t *reversed = context;
    if (reversed != NULL && a >= b) {
        atomic_fetch_add(reversed, 1);
    }
    return (a * 7 + b * 2) % 3 != 0;
}

static pair_list expected_pairs(const living *l, const bp_config *config) {
    bp_box_double boxes[OBJECTS];
    bp_id ids[OBJECTS];
    size_t count = 0;
    for (bp_id id = 0; id < OBJECTS; ++id) {
        if (l->alive[id]) {
            boxes[count] = l->boxes[id];
            ids[count++] = id;
        }
    }
    pair_list found = naive_view_pairs(boxes, count, l->wide, config), named = {0};
    for (size_t i = 0; i < found.count; ++i) {
        const bp_pair pair = {.a = ids[found.data[i].a], .b = ids[found.data[i].b]};
        const bool fixed = is_static(l, pair.a) && is_static(l, pair.b);
        if (!fixed && (config->filter.pass == NULL || passes(NULL, pair.a, pair.b))) {
            pair_list_push(&named, pair.a, pair.b);
        }
    }
    pair_list_free(&found);
    return named;
}

static pair_list missing(const living *l, const pair_list *of, const pair_list *in) {
    pair_list result = {0};
    for (size_t i = 0; i < of->count; ++i) {
        const bp_pair pair = of->data[i];
        if (!pairs_contain(in->data, in->count, pair) || l->reborn[pair.a] || l->reborn[pair.b]) {
            pair_list_push(&result, pair.a, pair.b);
        }
    }
    return result;
}

// What a world reports as begun and ended leads from the pairs of its last update to these, which it gets to keep.
static void expect_events(living *l, size_t world, const bp_result *result, pair_list pairs, const char *text) {
    pair_list begun = missing(l, &pairs, &l->last[world]), ended = missing(l, &l->last[world], &pairs);
    expect_same_bytes(result->begun, result->begun_count, begun.data, begun.count, "begun: seed=%llu step=%d %s",
                      (unsigned long long)l->seed, l->step, text);
    expect_same_bytes(result->ended, result->ended_count, ended.data, ended.count, "ended: seed=%llu step=%d %s",
                      (unsigned long long)l->seed, l->step, text);
    pair_list_free(&begun);
    pair_list_free(&ended);
    pair_list_free(&l->last[world]);
    l->last[world] = pairs;
    ++comparisons;
}

static void remember_who_existed(living *l) {
    memcpy(l->existed, l->alive, sizeof l->existed);
    memset(l->reborn, 0, sizeof l->reborn);
}

static pair_list copy_of(const bp_pair *pairs, size_t count) {
    pair_list copy = {0};
    pair_list_append(&copy, pairs, count);
    sort_pairs(copy.data, copy.count);
    return copy;
}

// ---- exact worlds ---------------------------------------------------------------------------------------------------

static void check_exact(living *l) {
    pair_list expected = expected_pairs(l, &l->configs[0]);
    for (size_t i = 0; i < l->world_count; ++i) {
        bp_result result;
        char text[CONFIG_TEXT];
        (void)config_text(&l->configs[i], text);
        assert_int_equal(bp_update(l->worlds[i], &result), BP_OK);
        expect_pairs(result.pairs, result.pair_count, &expected, "seed=%llu step=%d wide=%d %s",
                     (unsigned long long)l->seed, l->step, l->wide, text);
        expect_events(l, i, &result, copy_of(expected.data, expected.count), text);
        assert_int_equal(bp_world_validate(l->worlds[i]), BP_OK);
    }
    pair_list_free(&expected);
    remember_who_existed(l);
}

// ---- worlds with a margin ------------------------------------------------------------------------------------------

static void expect_all_in(const living *l, const pair_list *these, const pair_list *those, const char *what,
                          const char *text) {
    for (size_t i = 0; i < these->count; ++i) {
        if (!pairs_contain(those->data, those->count, these->data[i])) {
            fail_msg("%s (%u, %u): seed=%llu step=%d %s", what, these->data[i].a, these->data[i].b,
                     (unsigned long long)l->seed, l->step, text);
        }
    }
}

// All that overlap are there, none that is more than four margins apart; and events lead from one list to the next.
static void check_margin(living *l) {
    bp_config least = l->configs[0], most = l->configs[0];
    least.margin = 0.0f;
    most.margin = 2.0001f * l->configs[0].margin;
    pair_list inner = expected_pairs(l, &least), outer = expected_pairs(l, &most);
    for (size_t i = 0; i < l->world_count; ++i) {
        bp_result result;
        char text[CONFIG_TEXT];
        (void)config_text(&l->configs[i], text);
        assert_int_equal(bp_update(l->worlds[i], &result), BP_OK);
        pair_list list = copy_of(result.pairs, result.pair_count);
        expect_all_in(l, &inner, &list, "lost", text);
        expect_all_in(l, &list, &outer, "too far apart", text);
        expect_events(l, i, &result, list, text);
    }
    pair_list_free(&inner);
    pair_list_free(&outer);
    remember_who_existed(l);
}

// ---- sequences ------------------------------------------------------------------------------------------------------

static bool can_do(size_t method, const bp_config *config) {
    return (config->dimensions != 2 || (bp_method_supports(method) & BP_SUPPORTS_2D) != 0) &&
           (config->update != BP_UPDATE_INDIVIDUAL || is_incremental(method));
}

static void live(const bp_config *config, bool wide, uint64_t seed, void (*check)(living *l)) {
    living *l = obtain(1, sizeof *l);
    *l = (living){.wide = wide, .mixed = config->filter.pass != NULL, .seed = seed, .random = rng_seeded(seed)};
    for (size_t method = 1; method < bp_method_count(); ++method) {
        if (can_do(method, config)) {
            assert_true(l->world_count < WORLDS_MOST);
            l->configs[l->world_count] = *config;
            l->configs[l->world_count].method = (bp_method)method;
            assert_int_equal(bp_world_create(&l->configs[l->world_count], &l->worlds[l->world_count]), BP_OK);
            ++l->world_count;
        }
    }
    for (bp_id id = 0; id < OBJECTS; ++id) {
        add(l, id);
    }
    for (l->step = 0; l->step < (quick() ? STEPS / 2 : STEPS); ++l->step) {
        check(l);
        change_some(l);
    }
    for (size_t i = 0; i < l->world_count; ++i) {
        bp_world_destroy(l->worlds[i]);
        pair_list_free(&l->last[i]);
    }
    free(l);
}

static void live_with_all(bp_config config, void (*check)(living *l), const char *what) {
    comparisons = 0;
    config.flags = BP_EVENTS;
    config.settings = &ALWAYS_A_GRID;
    for (size_t i = 0; i < COUNT_OF(SEEDS); ++i) {
        live(&config, false, SEEDS[i], check);
        live(&config, true, SEEDS[i], check);
    }
    print_message("%-28s %6zu updates compared, in 32 and 64 bits\n", what, comparisons);
}

static void open_space(void **state) {
    (void)state;
    live_with_all((bp_config){0}, check_exact, "open space");
}

static void periods(void **state) {
    (void)state;
    live_with_all((bp_config){.period = {8.0f, 8.0f, 8.0f}}, check_exact, "periods");
    live_with_all((bp_config){.period = {0.0f, 5.5f, 0.0f}}, check_exact, "one period");
    live_with_all((bp_config){.period = {8.0f, 8.0f, 0.0f}, .dimensions = 2}, check_exact, "periods in 2-D");
}

static void spheres(void **state) {
    (void)state;
    live_with_all((bp_config){.shape = BP_SHAPE_SPHERES}, check_exact, "spheres");
    live_with_all((bp_config){.shape = BP_SHAPE_SPHERES, .period = {8.0f, 0.0f, 8.0f}}, check_exact,
                  "spheres with periods");
}

static void margins(void **state) {
    (void)state;
    live_with_all((bp_config){.margin = 0.1f}, check_margin, "margin");
    live_with_all((bp_config){.margin = 0.1f, .pair_order = BP_ORDER_SORTED}, check_margin, "margin, sorted");
    live_with_all((bp_config){.margin = 0.1f, .period = {8.0f, 8.0f, 8.0f}}, check_margin, "margin and periods");
    live_with_all((bp_config){.margin = 0.1f, .shape = BP_SHAPE_SPHERES}, check_margin, "margin and spheres");
}

static void a_filter_of_the_callers(void **state) {
    (void)state;
    atomic_size_t reversed = 0;
    bp_config config = {.filter = {.pass = passes, .context = &reversed}};
    live_with_all(config, check_exact, "filter");
    config.update = BP_UPDATE_INDIVIDUAL;
    live_with_all(config, check_exact, "filter, individual");
    config.update = BP_UPDATE_REBUILD;
    config.pair_order = BP_ORDER_SORTED;
    live_with_all(config, check_exact, "filter, sorted");
    config.executor = thread_executor(3);
    config.shape = BP_SHAPE_SPHERES;
    live_with_all(config, check_exact, "filter, spheres, threads");
    config.period[0] = config.period[1] = 8.0f;
    live_with_all(config, check_exact, "filter, periods, threads");
    config.margin = 0.1f;
    config.update = BP_UPDATE_AUTOMATIC;
    live_with_all(config, check_margin, "filter, margin, threads");
    assert_int_equal(reversed, 0);
}

// ---- what a margin is for ------------------------------------------------------------------------------------------

static void small_moves_cost_nothing(void **state) {
    (void)state;
    const bp_config config = {.margin = 0.1f, .flags = BP_EVENTS};
    bp_world *world = NULL;
    bp_result result;
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    const bp_box a = cube_of(0, 0, 0, 1), b = cube_of(1.15f, 0, 0, 1), near = cube_of(0.05f, 0.05f, 0, 1);
    assert_int_equal(bp_add(world, &a, NULL, NULL), BP_OK);
    assert_int_equal(bp_add(world, &b, NULL, NULL), BP_OK);
    assert_int_equal(bp_update(world, &result), BP_OK);
    assert_int_equal(result.pair_count, 1); // 0.15 apart, less than two margins
    assert_int_equal(bp_move(world, 0, &near), BP_OK);
    assert_int_equal(bp_update(world, &result), BP_OK);
    assert_int_equal(result.stats.tests, 0);
    assert_int_equal(result.pair_count, 1);
    assert_int_equal(result.begun_count + result.ended_count, 0);
    bp_box box;
    assert_int_equal(bp_get_object(world, 0, &box, NULL), BP_OK);
    assert_memory_equal(&box, &near, sizeof box); // as it was given, not as it was grown
    bp_world_destroy(world);
}

static size_t count_pairs(bp_world *world) {
    bp_result result;
    assert_int_equal(bp_update(world, &result), BP_OK);
    return result.pair_count;
}

// Along a diagonal, centres get further than the margin while the boxes stay inside it.
static void spheres_that_meet_along_a_diagonal_are_found(void **state) {
    (void)state;
    const bp_config config = {.margin = 0.25f, .shape = BP_SHAPE_SPHERES};
    const bp_box apart[] = {cube_of(-0.74f, -0.74f, -0.74f, 1), cube_of(0.31f, 0.31f, 0.31f, 1)};
    const bp_box near[] = {cube_of(-0.5f, -0.5f, -0.5f, 1), cube_of(0.07f, 0.07f, 0.07f, 1)};
    bp_world *world = NULL;
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, 2, apart, NULL, NULL), BP_OK);
    assert_int_equal(count_pairs(world), 0);
    assert_int_equal(bp_move_many(world, 2, NULL, near), BP_OK);
    assert_int_equal(count_pairs(world), 1);
    bp_world_destroy(world);
}

// The box that it moved in would reach much further than a margin beyond it.
static void an_object_that_shrinks_gets_a_new_margin(void **state) {
    (void)state;
    const bp_config config = {.margin = 0.1f};
    const bp_box long_one = box_of(0, 0, 0, 10, 1, 1), other = cube_of(10.05f, 0, 0, 1), small = cube_of(0, 0, 0, 1);
    bp_world *world = NULL;
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    assert_int_equal(bp_add(world, &long_one, NULL, NULL), BP_OK);
    assert_int_equal(bp_add(world, &other, NULL, NULL), BP_OK);
    assert_int_equal(count_pairs(world), 1);
    assert_int_equal(bp_move(world, 0, &small), BP_OK);
    assert_int_equal(count_pairs(world), 0);
    bp_world_destroy(world);
}

static void objects_that_stay_where_they_are_have_not_changed(void **state) {
    (void)state;
    bp_box boxes[400];
    rng random = rng_seeded(1);
    bp_world *world = NULL;
    bp_result result;
    for (size_t i = 0; i < COUNT_OF(boxes); ++i) {
        boxes[i] = random_cube(&random, 10, 1);
    }
    assert_int_equal(bp_world_create(NULL, &world), BP_OK);
    assert_int_equal(bp_add_many(world, COUNT_OF(boxes), boxes, NULL, NULL), BP_OK);
    assert_int_equal(bp_update(world, &result), BP_OK);
    const size_t pairs = result.pair_count;
    assert_true(result.stats.tests > 0);
    assert_int_equal(bp_move_many(world, COUNT_OF(boxes), NULL, boxes), BP_OK);
    assert_int_equal(bp_update(world, &result), BP_OK);
    assert_int_equal(result.stats.tests, 0);
    assert_int_equal(result.pair_count, pairs);
    bp_world_destroy(world);
}

// Static objects may have been kept apart until then.
static void the_first_64_bit_box_changes_no_pair(void **state) {
    (void)state;
    for (size_t method = 1; method < bp_method_count(); ++method) {
        const bp_config config = {.method = (bp_method)method};
        const bp_object fixed = {.flags = BP_STATIC};
        const bp_box box = cube_of(0, 0, 0, 1);
        const bp_box_double wide = {.min = {5, 0, 0}, .max = {6, 1, 1}};
        bp_world *world = NULL;
        bp_result result;
        assert_int_equal(bp_world_create(&config, &world), BP_OK);
        assert_int_equal(bp_add(world, &box, &fixed, NULL), BP_OK);
        assert_int_equal(bp_add(world, &box, NULL, NULL), BP_OK);
        assert_int_equal(bp_update(world, &result), BP_OK);
        assert_int_equal(result.pair_count, 1);
        assert_int_equal(bp_add_double(world, &wide, NULL, NULL), BP_OK);
        assert_int_equal(bp_update(world, &result), BP_OK);
        assert_int_equal(result.pair_count, 1);
        bp_world_destroy(world);
    }
}

// ---- callbacks ------------------------------------------------------------------------------------------------------

typedef struct intruder {
    bp_world *world;
    size_t calls, refused;
} intruder;

// Tries everything that it must not.
static int intrude(void *context, uint32_t a, uint32_t b) {
    (void)a, (void)b;
    intruder *i = context;
    const bp_box box = cube_of(0, 0, 0, 1);
    const bp_object object = {.group = 1};
    const bp_ray ray = {.direction = {1, 0, 0}, .max_t = 1};
    const float point[3] = {0, 0, 0};
    bp_id id;
    bp_ray_hit hit;
    bp_near near;
    size_t found;
    const bp_status statuses[] = {bp_add(i->world, &box, NULL, &id),
                                  bp_move(i->world, 0, &box),
                                  bp_remove(i->world, 0),
                                  bp_set_object(i->world, 0, &object),
                                  bp_world_reserve(i->world, 10),
                                  bp_update(i->world, NULL),
                                  bp_query_box(i->world, &box, NULL, &id, 1, &found),
                                  bp_query_ray(i->world, &ray, NULL, &hit, 1, &found),
                                  bp_query_nearest(i->world, point, 1, NULL, &near, &found)};
    for (size_t k = 0; k < COUNT_OF(statuses); ++k) {
        ++i->calls;
        i->refused += statuses[k] == BP_ERROR_ARGUMENT;
    }
    return 1;
}

static void callbacks_may_not_call_into_their_world(void **state) {
    (void)state;
    intruder who = {0};
    test_log log = {.count = 0};
    const bp_config config = {.filter = {.pass = intrude, .context = &who}, .log = test_log_hook(&log)};
    assert_int_equal(bp_world_create(&config, &who.world), BP_OK);
    for (int i = 0; i < 4; ++i) {
        const bp_box box = cube_of((float)i * 0.1f, 0, 0, 1);
        assert_int_equal(bp_add(who.world, &box, NULL, NULL), BP_OK);
    }
    bp_result result;
    assert_int_equal(bp_update(who.world, &result), BP_OK);
    assert_int_equal(result.pair_count, 6);
    assert_true(who.calls > 0);
    assert_int_equal(who.refused, who.calls);
    assert_non_null(strstr(log.text, "callback"));
    assert_int_equal(bp_world_count(who.world), 4);
    assert_int_equal(bp_world_validate(who.world), BP_OK);
    bp_world_destroy(who.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_space),
        cmocka_unit_test(periods),
        cmocka_unit_test(spheres),
        cmocka_unit_test(margins),
        cmocka_unit_test(a_filter_of_the_callers),
        cmocka_unit_test(small_moves_cost_nothing),
        cmocka_unit_test(spheres_that_meet_along_a_diagonal_are_found),
        cmocka_unit_test(an_object_that_shrinks_gets_a_new_margin),
        cmocka_unit_test(objects_that_stay_where_they_are_have_not_changed),
        cmocka_unit_test(the_first_64_bit_box_changes_no_pair),
        cmocka_unit_test(callbacks_may_not_call_into_their_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
