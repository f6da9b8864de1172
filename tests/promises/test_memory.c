// Memory: every allocation may be refused, nothing leaks, a steady world allocates nothing, fixed buffers are
// respected.
#include "support/support.h"
#include "support/view_scenes.h"

#include "scenes.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BOXES = 900, MANY = 12000, VIEWED = 120, SEED = 3 };

// ---- one call -------------------------------------------------------------------------------------------------------

typedef struct call {
    const bp_box *boxes;
    const bp_box_double *doubles; // instead, unless NULL
    size_t count, second_count;   // second_count > 0: between the first `count` and those that follow
    pair_list expected;
} call;

static bp_status run_double_call(const call *c, const bp_config *config, bp_pairs *pairs) {
    return c->second_count > 0 ? bp_find_pairs_between_double(c->doubles, c->count, c->doubles + c->count,
                                                              c->second_count, config, pairs)
                               : bp_find_pairs_double(c->doubles, c->count, config, pairs);
}

static bp_status run_call(const call *c, const bp_config *config, bp_pairs *pairs) {
    if (c->doubles != NULL) {
        return run_double_call(c, config, pairs);
    }
    return c->second_count > 0
               ? bp_find_pairs_between(c->boxes, c->count, c->boxes + c->count, c->second_count, config, pairs)
               : bp_find_pairs(c->boxes, c->count, config, pairs);
}

// Lets the first, second, ... allocation fail until the call gets by without it.
static void check_refusals(const call *c, bp_config config, bool fail_from) {
    test_allocator allocator;
    char text[CONFIG_TEXT];
    test_allocator_init(&allocator);
    config.allocator = test_allocator_hook(&allocator);
    bool refused = true;
    for (size_t k = 1; refused; ++k) {
        if (!in_turn()) {
            continue;
        }
        bp_pairs pairs = {0};
        test_allocator_fail(&allocator, k, fail_from);
        bp_status status = run_call(c, &config, &pairs);
        refused = allocator.refused > 0;
        // A refusal is an error, unless the library can do with less.
        assert_true(status == BP_OK || (status == BP_ERROR_MEMORY && refused));
        test_allocator_fail(&allocator, 0, false);
        if (status == BP_ERROR_MEMORY) {
            status = run_call(c, &config, &pairs);
        }
        assert_int_equal(status, BP_OK);
        expect_pairs(pairs.data, pairs.count, &c->expected, "after allocation %zu was refused: %s", k,
                     config_text(&config, text));
        bp_pairs_free(&pairs, &config);
        assert_int_equal(allocator.live_blocks, 0);
        assert_true(k < 1000);
    }
    test_allocator_finish(&allocator);
}

static void check_call(const call *c) {
    const bp_config options[] = {
        {0},
        {.pair_order = BP_ORDER_SORTED, SETTINGS(.brute_force_below = 1)},
        {SETTINGS(.brute_force_below = 1, .hierarchy_factor = 1.5f)},
    };
    for (size_t method = 0; method < bp_method_count(); ++method) {
        for (size_t i = 0; i < COUNT_OF(options); ++i) {
            bp_config config = options[i];
            config.method = (bp_method)method;
            check_refusals(c, config, false);
            check_refusals(c, config, true);
            config.threads = 3;
            check_refusals(c, config, true);
            config.executor = thread_executor(3);
            check_refusals(c, config, false);
        }
    }
}

static bp_box *make_boxes(size_t count, double extent) {
    rng random = rng_seeded(SEED);
    bp_box *boxes = obtain(count, sizeof *boxes);
    for (size_t i = 0; i < count; ++i) {
        boxes[i] = i % 50 == 7 ? random_wild_box(&random, boxes, i) : random_cube(&random, extent, 0.6);
    }
    return boxes;
}

static void a_call_survives_every_refusal(void **state) {
    (void)state;
    bp_box *boxes = make_boxes(BOXES, 6.0);
    call alone = {.boxes = boxes, .count = BOXES, .expected = naive_pairs(boxes, BOXES, 3)};
    check_call(&alone);
    call between = {.boxes = boxes, .count = 300, .second_count = BOXES - 300};
    between.expected = naive_pairs_between(boxes, 300, boxes + 300, BOXES - 300, 3);
    check_call(&between);
    pair_list_free(&alone.expected);
    pair_list_free(&between.expected);
    free(boxes);
}

// Enough boxes that the work is cut into several blocks.
static void a_call_with_several_tasks_survives_every_refusal(void **state) {
    (void)state;
    bp_box *boxes = make_boxes(MANY, 18.0);
    call c = {.boxes = boxes, .count = MANY, .expected = naive_pairs(boxes, MANY, 3)};
    bp_config config = {.method = BP_METHOD_HIERARCHICAL_GRID, .executor = thread_executor(3)};
    check_refusals(&c, config, false);
    check_refusals(&c, config, true);
    config.executor = reverse_executor(8);
    config.pair_order = BP_ORDER_SORTED;
    check_refusals(&c, config, false);
    pair_list_free(&c.expected);
    free(boxes);
}

// Boxes across a period, and 64-bit boxes that become floats or ranks.
static void check_view(const view_scene *viewed, bool wide, const bp_config *config) {
    bp_box_double *boxes = view_boxes(viewed, SEED, config->period, VIEWED, wide);
    bp_box *floats = view_floats(boxes, VIEWED);
    call alone = {.boxes = floats, .doubles = wide ? boxes : NULL, .count = VIEWED};
    alone.expected = naive_view_pairs(boxes, VIEWED, wide, config);
    check_refusals(&alone, *config, false);
    check_refusals(&alone, *config, true);
    const size_t first = VIEWED / 3;
    call between = {.boxes = floats, .doubles = alone.doubles, .count = first, .second_count = VIEWED - first};
    between.expected = naive_view_pairs_between(boxes, first, boxes + first, VIEWED - first, wide, config);
    check_refusals(&between, *config, false);
    pair_list_free(&alone.expected);
    pair_list_free(&between.expected);
    free(floats);
    free(boxes);
}

static void a_call_with_a_view_survives_every_refusal(void **state) {
    (void)state;
    static const bp_config configs[] = {
        {.margin = 0.1f}, {.period = {8, 8, 8}}, {.shape = BP_SHAPE_SPHERES}, {.threads = 3, .period = {8, 8, 8}}, {0}};
    for (size_t k = 0; k < VIEW_SCENE_COUNT; ++k) {
        for (size_t i = 0; i < COUNT_OF(configs); ++i) {
            check_view(&VIEW_SCENES[k], false, &configs[i]);
            check_view(&VIEW_SCENES[k], true, &configs[i]);
        }
    }
}

// ---- worlds ---------------------------------------------------------------------------------------------------------

// A world with its naive twin.
typedef struct twin {
    bp_world *world;
    bp_box boxes[2 * BOXES];
    bp_object objects[2 * BOXES];
    size_t count;
    size_t moves;
    pair_list last; // of the last update that succeeded
} twin;

typedef bp_status (*world_action)(twin *t, const bp_box *boxes);

// Last pairs - ended + begun = pairs, however many attempts the update took.
static void expect_events_lead_on(twin *t, const bp_result *result) {
    pair_list list = {0};
    for (size_t i = 0; i < t->last.count; ++i) {
        if (!pairs_contain(result->ended, result->ended_count, t->last.data[i])) {
            pair_list_push(&list, t->last.data[i].a, t->last.data[i].b);
        }
    }
    for (size_t i = 0; i < result->begun_count; ++i) {
        pair_list_push(&list, result->begun[i].a, result->begun[i].b);
    }
    sort_pairs(list.data, list.count);
    expect_pairs(result->pairs, result->pair_count, &list, "events do not lead on");
    pair_list_free(&t->last);
    t->last = list;
}

static bp_status act_update(twin *t, const bp_box *boxes) {
    bp_result result;
    (void)boxes;
    const bp_status status = bp_update(t->world, &result);
    if (status == BP_OK) {
        expect_events_lead_on(t, &result);
    }
    return status;
}

// The smallest free id, as the world gives it out.
static void place(twin *t, bp_box box, bp_object object) {
    size_t id = 0;
    while (id < t->count && !isnan(t->boxes[id].min[0])) {
        ++id;
    }
    t->boxes[id] = box;
    t->objects[id] = object;
    t->count += id == t->count ? 1 : 0;
}

static bp_status act_add(twin *t, const bp_box *boxes) {
    const bp_status status = bp_add(t->world, &boxes[t->count], NULL, NULL);
    if (status == BP_OK) {
        place(t, boxes[t->count], (bp_object){0});
    }
    return status;
}

static bp_status act_add_many(twin *t, const bp_box *boxes) {
    enum { ADDED = 200 };
    const bp_box *added = &boxes[t->count];
    bp_object objects[ADDED] = {{0}};
    objects[17].island = 4;
    const bp_status status = bp_add_many(t->world, ADDED, added, objects, NULL);
    for (size_t i = 0; i < ADDED && status == BP_OK; ++i) {
        place(t, added[i], objects[i]);
    }
    return status;
}

static bp_status act_remove(twin *t, const bp_box *boxes) {
    const bp_status status = bp_remove(t->world, 5);
    (void)boxes;
    if (status == BP_OK) {
        t->boxes[5] = (bp_box){{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    }
    return status;
}

static bp_status act_remove_30(twin *t, const bp_box *boxes) {
    const bp_status status = bp_remove(t->world, 30);
    (void)boxes;
    if (status == BP_OK) {
        t->boxes[30] = (bp_box){{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    }
    return status;
}

static bp_status act_set_object(twin *t, const bp_box *boxes) {
    const bp_object lonely = {.island = 9};
    const bp_status status = bp_set_object(t->world, 6, &lonely);
    (void)boxes;
    if (status == BP_OK) {
        t->objects[6] = lonely;
    }
    return status;
}

static bp_status act_move_few(twin *t, const bp_box *boxes) {
    static const bp_id ids[] = {1, 2, 30};
    const bp_box *moved = &boxes[100 + 3 * t->moves++];
    const bp_status status = bp_move_many(t->world, 3, ids, moved);
    for (size_t i = 0; i < 3; ++i) {
        t->boxes[ids[i]] = moved[i];
    }
    return status;
}

// Every change is followed by an update, so that both meet the refusals. A while of few changes lets methods patch.
static const world_action ACTIONS[] = {act_add_many, act_update, act_add,        act_update, act_remove,   act_update,
                                       act_move_few, act_update, act_set_object, act_update, act_move_few, act_update,
                                       act_move_few, act_update, act_remove_30,  act_update, act_add_many, act_update};

static void expect_twins_agree(twin *t, const bp_config *config, size_t k) {
    char text[CONFIG_TEXT];
    bp_result result;
    assert_int_equal(bp_world_validate(t->world), BP_OK);
    assert_int_equal(bp_update(t->world, &result), BP_OK);
    expect_events_lead_on(t, &result);
    assert_int_equal(bp_world_validate(t->world), BP_OK);
    pair_list expected = naive_pairs(t->boxes, t->count, 3);
    naive_filter(&expected, t->objects);
    expect_pairs(result.pairs, result.pair_count, &expected, "world, after allocation %zu was refused: %s", k,
                 config_text(config, text));
    pair_list_free(&expected);
}

// Allocation number k fails; the action that meets it is tried again. True if no action got so far.
static bool run_story(const bp_config *given, const bp_box *boxes, size_t k, bool fail_from) {
    test_allocator allocator;
    bp_config config = *given;
    twin *t = obtain(1, sizeof *t);
    test_allocator_init(&allocator);
    config.allocator = test_allocator_hook(&allocator);
    test_allocator_fail(&allocator, k, fail_from);
    bp_status status = bp_world_create(&config, &t->world);
    bool refused = status == BP_ERROR_MEMORY;
    if (refused) {
        assert_null(t->world);
        test_allocator_fail(&allocator, 0, false);
        assert_int_equal(bp_world_create(&config, &t->world), BP_OK);
    }
    for (size_t i = 0; i < COUNT_OF(ACTIONS); ++i) {
        status = ACTIONS[i](t, boxes);
        assert_true(status == BP_OK || (status == BP_ERROR_MEMORY && allocator.refused > 0));
        if (status == BP_ERROR_MEMORY) {
            refused = true;
            test_allocator_fail(&allocator, 0, false);
            expect_twins_agree(t, &config, k);
            assert_int_equal(ACTIONS[i](t, boxes), BP_OK);
        }
    }
    refused = refused || allocator.refused > 0;
    test_allocator_fail(&allocator, 0, false);
    expect_twins_agree(t, &config, k);
    bp_world_destroy(t->world);
    test_allocator_finish(&allocator);
    pair_list_free(&t->last);
    free(t);
    return !refused;
}

static void check_world(const bp_config *config, const bp_box *boxes) {
    for (int fail_from = 0; fail_from < 2; ++fail_from) {
        size_t k = 1;
        while (!in_turn() || !run_story(config, boxes, k, fail_from != 0)) {
            ++k;
            assert_true(k < 2000);
        }
    }
}

static void a_world_survives_every_refusal(void **state) {
    (void)state;
    bp_box *boxes = make_boxes(BOXES, 6.0);
    for (size_t method = 0; method < bp_method_count(); ++method) {
        for (int update = BP_UPDATE_AUTOMATIC; update <= BP_UPDATE_REBUILD; ++update) {
            if (update == BP_UPDATE_INDIVIDUAL && !is_incremental(method)) {
                continue;
            }
            bp_config config = {.method = (bp_method)method, .update = (bp_update_strategy)update};
            config.settings = &ALWAYS_A_GRID;
            config.flags = BP_EVENTS;
            check_world(&config, boxes);
            config.threads = 3;
            config.pair_order = BP_ORDER_SORTED;
            config.settings = &(const bp_method_settings){.brute_force_below = 1, .hierarchy_factor = 2.0f};
            check_world(&config, boxes);
        }
    }
    free(boxes);
}

static void a_failed_update_leaves_the_figures(void **state) {
    (void)state;
    test_allocator allocator;
    bp_box *boxes = make_boxes(BOXES, 6.0);
    test_allocator_init(&allocator);
    const bp_config config = {.allocator = test_allocator_hook(&allocator)};
    bp_world *world = NULL;
    bp_stats before, after;
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, 400, boxes, NULL, NULL), BP_OK);
    assert_int_equal(bp_update(world, NULL), BP_OK);
    assert_int_equal(bp_world_stats(world, &before), BP_OK);
    assert_int_equal(bp_add_many(world, BOXES - 400, boxes + 400, NULL, NULL), BP_OK);
    test_allocator_fail(&allocator, 1, true);
    assert_int_equal(bp_update(world, NULL), BP_ERROR_MEMORY);
    assert_int_equal(bp_world_stats(world, &after), BP_OK);
    assert_memory_equal(&before, &after, sizeof before);
    bp_world_destroy(world);
    test_allocator_finish(&allocator);
    free(boxes);
}

// ---- figures --------------------------------------------------------------------------------------------------------

static void the_figures_of_a_call_count_every_byte(void **state) {
    (void)state;
    bp_box *boxes = make_boxes(MANY, 40.0);
    for (size_t method = 0; method < bp_method_count(); ++method) {
        for (int are_two = 0; are_two < 2; ++are_two) {
            test_allocator allocator;
            bp_stats stats = {0};
            bp_pairs pairs = {0};
            test_allocator_init(&allocator);
            const bp_config config = {
                .method = (bp_method)method, .allocator = test_allocator_hook(&allocator), .stats = &stats};
            const call c = {
                .boxes = boxes, .count = are_two ? MANY / 2 : MANY, .second_count = are_two ? MANY - MANY / 2 : 0};
            assert_int_equal(run_call(&c, &config, &pairs), BP_OK);
            const size_t held = allocator.most_bytes - pairs.capacity * sizeof(bp_pair);
            if (stats.bytes > held || stats.bytes < held - held / 50) {
                fail_msg("%s, %s: %zu of %zu bytes", bp_method_name(method), are_two ? "two sets" : "one set",
                         stats.bytes, held);
            }
            bp_pairs_free(&pairs, &config);
            test_allocator_finish(&allocator);
        }
    }
    free(boxes);
}

static void the_figures_of_a_world_count_every_byte(void **state) {
    (void)state;
    enum { HELD = 3000 };
    const bp_ray ray = {{-20, -20, -20}, {1, 1, 1}, INFINITY};
    bp_box *boxes = make_boxes(HELD, 25.0);
    for (size_t method = 0; method < bp_method_count(); ++method) {
        test_allocator allocator;
        bp_world *world;
        bp_result result;
        test_allocator_init(&allocator);
        const bp_config config = {
            .method = (bp_method)method, .flags = BP_EVENTS, .allocator = test_allocator_hook(&allocator)};
        assert_int_equal(bp_world_create(&config, &world), BP_OK);
        assert_int_equal(bp_add_many(world, HELD - 1000, boxes, NULL, NULL), BP_OK);
        for (bp_id id = 0; id < 40; ++id) {
            assert_int_equal(bp_move(world, id, &boxes[HELD - 1 - id]), BP_OK);
            assert_int_equal(bp_update(world, &result), BP_OK);
            const bp_pair_lists *lists = &world->lists;
            const size_t others = world->boxes.floats.bytes + lists->pairs.capacity * sizeof(bp_pair);
            if (result.stats.bytes + others != allocator.live_bytes) {
                fail_msg("%s, step %u: %zu of %zu bytes", bp_method_name(method), (unsigned)id, result.stats.bytes,
                         allocator.live_bytes - others);
            }
            for (int i = 0; i < 4; ++i) {
                bp_answers answers = {0};
                assert_int_equal(bp_query_rays(world, 1, &ray, 0, NULL, &answers), BP_OK);
                bp_answers_free(&answers, &config);
            }
        }
        bp_world_destroy(world);
        test_allocator_finish(&allocator);
    }
    free(boxes);
}

// ---- giving back ----------------------------------------------------------------------------------------------------

static void make_gas(rng *random, bp_box *boxes, size_t count, double extent) {
    for (size_t i = 0; i < count; ++i) {
        boxes[i] = random_cube(random, extent, 1.0);
    }
}

// One crowded step: its memory is given back after some others, and no step allocates that is like those before.
static void check_crowd(bp_config config) {
    enum { CROWD = 4000, STEPS = 60, CROWDED = 5, CALM = 45 };
    test_allocator allocator;
    char text[CONFIG_TEXT];
    rng random = rng_seeded(SEED);
    bp_box *boxes = obtain(CROWD, sizeof *boxes);
    bp_world *world;
    bp_result result;
    size_t usual = 0, crowded = 0;
    test_allocator_init(&allocator);
    config.allocator = test_allocator_hook(&allocator);
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    for (int step = 0; step < STEPS; ++step) {
        make_gas(&random, boxes, CROWD, step == CROWDED ? 3.0 : 14.0);
        test_allocator_fail(&allocator, 0, false);
        assert_int_equal(
            step == 0 ? bp_add_many(world, CROWD, boxes, NULL, NULL) : bp_move_many(world, CROWD, NULL, boxes), BP_OK);
        assert_int_equal(bp_update(world, &result), BP_OK);
        usual = step == CROWDED - 1 ? allocator.live_bytes : usual;
        crowded = step == CROWDED ? allocator.live_bytes : crowded;
        if (step >= CALM && allocator.calls > 0) {
            fail_msg("step %d: %zu allocations: %s", step, allocator.calls, config_text(&config, text));
        }
    }
    assert_true(crowded > 4 * usual);
    if (allocator.live_bytes > usual + usual / 4) {
        fail_msg("%zu bytes, %zu in the crowd, %zu before: %s", allocator.live_bytes, crowded, usual,
                 config_text(&config, text));
    }
    pair_list expected = naive_pairs(boxes, CROWD, 3);
    expect_pairs(result.pairs, result.pair_count, &expected, "after a crowd: %s", config_text(&config, text));
    pair_list_free(&expected);
    bp_world_destroy(world);
    test_allocator_finish(&allocator);
    free(boxes);
}

static void a_world_gives_back_what_a_crowd_needed(void **state) {
    (void)state;
    const bp_method methods[] = {BP_METHOD_AUTO, BP_METHOD_TREE, BP_METHOD_HIERARCHICAL_GRID, BP_METHOD_SWEEP_AND_PRUNE,
                                 BP_METHOD_STRIPS};
    for (size_t i = 0; i < COUNT_OF(methods); ++i) {
        for (int has_events = 0; has_events < 2; ++has_events) {
            check_crowd((bp_config){.method = methods[i], .flags = has_events ? BP_EVENTS : 0});
        }
    }
}

// After bp_world_trim a world holds about as much as one that was just made, and goes on as if nothing had happened.
static void a_trimmed_world_goes_on(void **state) {
    (void)state;
    enum { CROWD = 5000 };
    static const bp_config configs[] = {{0},
                                        {.flags = BP_EVENTS},
                                        {.flags = BP_EVENTS, .margin = 0.1f},
                                        {.method = BP_METHOD_TREE, .pair_order = BP_ORDER_SORTED},
                                        {.method = BP_METHOD_BVH, .flags = BP_EVENTS},
                                        {.period = {40, 40, 40}, .shape = BP_SHAPE_SPHERES},
                                        {.method = BP_METHOD_HIERARCHICAL_GRID}};
    bp_box *boxes = obtain(CROWD, sizeof *boxes);
    bp_object *objects = obtain(CROWD, sizeof *objects);
    for (size_t i = 0; i < CROWD; ++i) objects[i].island = i % 3 == 0;
    for (size_t k = 0; k < 2 * COUNT_OF(configs); ++k) {
        rng random = rng_seeded(k);
        test_allocator allocator;
        bp_config config = configs[k / 2];
        bp_world *world, *plain;
        bp_result result, expected;
        bp_id id = BP_NO_ID;
        test_allocator_init(&allocator);
        config.allocator = test_allocator_hook(&allocator);
        make_gas(&random, boxes, CROWD, 15.0);
        assert_int_equal(bp_world_create(&config, &world), BP_OK);
        assert_int_equal(bp_world_trim(world), BP_OK);
        assert_int_equal(bp_add_many(world, CROWD, boxes, k % 2 == 0 ? NULL : objects, NULL), BP_OK);
        assert_int_equal(bp_world_trim(world), BP_OK);
        assert_int_equal(bp_update(world, NULL), BP_OK);
        for (bp_id last = CROWD - 1; last >= 200; --last) assert_int_equal(bp_remove(world, last), BP_OK);
        assert_int_equal(bp_world_trim(world), BP_OK);
        assert_int_equal(bp_update(world, NULL), BP_OK);
        const uint64_t handle = bp_handle_of(world, 7);
        assert_int_equal(bp_world_trim(world), BP_OK);
        assert_true(allocator.live_bytes < (size_t)CROWD * 24);
        assert_int_equal(bp_world_validate(world), BP_OK);
        assert_int_equal(bp_update(world, &result), BP_OK); // nothing has changed
        assert_int_equal(bp_id_of(world, handle, &id), BP_OK);
        config.allocator = (bp_allocator){0};
        assert_int_equal(bp_world_create(&config, &plain), BP_OK);
        assert_int_equal(bp_add_many(plain, 200, boxes, k % 2 == 0 ? NULL : objects, NULL), BP_OK);
        assert_int_equal(bp_update(plain, &expected), BP_OK);
        assert_int_equal(result.pair_count, expected.pair_count);
        for (size_t step = 0; step < 3; ++step) {
            const bp_box *more = boxes + 1000 * (step + 1);
            bp_id ids[2];
            assert_int_equal(bp_add(world, more, NULL, &ids[0]), BP_OK);
            assert_int_equal(bp_add(plain, more, NULL, &ids[1]), BP_OK);
            assert_int_equal(ids[0], ids[1]);
            for (bp_id moved = 0; moved < 30; ++moved) {
                assert_int_equal(bp_move(world, moved, &more[moved]), BP_OK);
                assert_int_equal(bp_move(plain, moved, &more[moved]), BP_OK);
            }
            assert_int_equal(bp_world_trim(world), BP_OK);
            assert_int_equal(bp_update(world, &result), BP_OK);
            assert_int_equal(bp_update(plain, &expected), BP_OK);
            assert_int_equal(bp_world_validate(world), BP_OK);
            pair_list pairs = {0};
            pair_list_append(&pairs, expected.pairs, expected.pair_count);
            sort_pairs(pairs.data, pairs.count);
            expect_pairs(result.pairs, result.pair_count, &pairs, "config %zu, step %zu", k / 2, step);
            expect_same_bytes(result.begun, result.begun_count, expected.begun, expected.begun_count, "begun");
            expect_same_bytes(result.ended, result.ended_count, expected.ended, expected.ended_count, "ended");
            pair_list_free(&pairs);
        }
        bp_world_destroy(plain);
        bp_world_destroy(world);
        test_allocator_finish(&allocator);
    }
    assert_int_equal(bp_world_trim(NULL), BP_ERROR_ARGUMENT);
    free(boxes);
    free(objects);
}

// ---- no waste -------------------------------------------------------------------------------------------------------

// Every object moves, or, of `share` that are not 1, others each time.
static void step_world(bp_world *world, scene *moving, size_t share, size_t step) {
    const size_t count = scene_box_count(moving) / share, first = step % share * count;
    bp_id *ids = obtain(count, sizeof *ids);
    for (size_t i = 0; i < count; ++i) {
        ids[i] = (bp_id)(first + i);
    }
    scene_step(moving);
    assert_int_equal(bp_move_many(world, count, share == 1 ? NULL : ids, scene_boxes(moving) + first), BP_OK);
    assert_int_equal(bp_update(world, NULL), BP_OK);
    free(ids);
}

static void check_steady(bp_config config, size_t share) {
    enum { STEPS = 20 };
    const int warm_up = 30;
    test_allocator allocator;
    const scene_options options = {.count = shortest() ? 6000 : 20000, .seed = SEED};
    const char *error = NULL;
    char text[CONFIG_TEXT];
    scene *moving = scene_create("uniform", &options, &error);
    bp_world *world = NULL;
    assert_non_null(moving);
    test_allocator_init(&allocator);
    config.allocator = test_allocator_hook(&allocator);
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, scene_box_count(moving), scene_boxes(moving), NULL, NULL), BP_OK);
    for (int step = 0; step < warm_up; ++step) {
        step_world(world, moving, share, (size_t)step);
    }
    for (int step = 0; step < STEPS; ++step) {
        test_allocator_fail(&allocator, 0, false);
        step_world(world, moving, share, (size_t)step);
        if (allocator.calls > 0) {
            fail_msg("step %d after %d: %zu allocations: %s", step, warm_up, allocator.calls,
                     config_text(&config, text));
        }
    }
    bp_world_destroy(world);
    scene_destroy(moving);
    test_allocator_finish(&allocator);
}

static void a_steady_world_allocates_nothing(void **state) {
    (void)state;
    for (int update = BP_UPDATE_AUTOMATIC; update <= BP_UPDATE_REBUILD; ++update) {
        for (int order = BP_ORDER_FOUND; order <= BP_ORDER_SORTED; ++order) {
            bp_config config = {.update = (bp_update_strategy)update, .pair_order = (bp_pair_order)order};
            check_steady(config, 1);
            config.threads = 3;
            check_steady(config, 1);
            config.flags = BP_EVENTS;
            check_steady(config, 1);
            check_steady(config, 40);
        }
    }
}

// Small blocks, and large ones, which it treats otherwise.
static void the_default_allocator_is_for_callers_too(void **state) {
    (void)state;
    const bp_allocator allocator = bp_allocator_default();
    static const size_t sizes[] = {1, 100, (size_t)9 << 20};
    for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
        char *block = allocator.allocate(allocator.context, sizes[i]);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % 64, 0);
        memset(block, 1, sizes[i]);
        allocator.release(allocator.context, block, sizes[i]);
    }
    assert_null(allocator.allocate(allocator.context, SIZE_MAX));
}

static void a_list_is_used_again(void **state) {
    (void)state;
    test_allocator allocator;
    bp_box *boxes = make_boxes(BOXES, 6.0);
    test_allocator_init(&allocator);
    const bp_config config = {.allocator = test_allocator_hook(&allocator)};
    bp_pairs pairs = {0};
    assert_int_equal(bp_find_pairs(boxes, BOXES, &config, &pairs), BP_OK);
    const bp_pair *data = pairs.data;
    const size_t capacity = pairs.capacity, count = pairs.count;
    assert_int_equal(bp_find_pairs(boxes, BOXES, &config, &pairs), BP_OK);
    assert_true(pairs.data == data && pairs.capacity == capacity && pairs.count == count);
    assert_int_equal(bp_find_pairs(boxes, 2, &config, &pairs), BP_OK);
    assert_true(pairs.data == data && pairs.count <= 1);
    bp_pairs_free(&pairs, &config);
    assert_true(pairs.data == NULL && pairs.count == 0 && pairs.capacity == 0);
    bp_pairs_free(&pairs, &config);
    test_allocator_finish(&allocator);
    free(boxes);
}

// ---- fixed buffers --------------------------------------------------------------------------------------------------

static void check_capacity(const call *c, const bp_config *config, bp_pair *buffer, size_t capacity) {
    const size_t needed = c->expected.count;
    const bp_pair guard = {0xdeadbeef, 0xcafef00d};
    char text[CONFIG_TEXT];
    bp_stats stats = {.pairs = 0};
    bp_config with_stats = *config;
    with_stats.stats = &stats;
    buffer[capacity] = guard;
    bp_pairs pairs = {.data = capacity > 0 ? buffer : NULL, .capacity = capacity};
    const bp_status status = run_call(c, &with_stats, &pairs);
    if (status != (capacity < needed ? BP_ERROR_CAPACITY : BP_OK) || pairs.count != needed) {
        fail_msg("room for %zu of %zu pairs: \"%s\", count %zu: %s", capacity, needed, bp_status_text(status),
                 pairs.count, config_text(config, text));
    }
    assert_memory_equal(&buffer[capacity], &guard, sizeof guard);
    assert_true(pairs.data == (capacity > 0 ? buffer : NULL) && pairs.capacity == capacity);
    assert_int_equal(stats.pairs, needed);
    if (status == BP_OK) {
        expect_pairs(pairs.data, pairs.count, &c->expected, "fixed buffer: %s", config_text(config, text));
    }
}

static void check_fixed(const call *c) {
    const size_t needed = c->expected.count;
    const size_t capacities[] = {0,           1,          15,     16,         17,         needed / 2,
                                 needed - 17, needed - 1, needed, needed + 1, needed + 40};
    bp_pair *buffer = obtain(needed + 41, sizeof *buffer);
    for (size_t method = 0; method < bp_method_count(); ++method) {
        if (c->count == MANY && (bp_method_supports(method) & BP_SUPPORTS_THREADS) == 0) {
            continue; // many boxes are for several tasks
        }
        for (int order = BP_ORDER_FOUND; order <= BP_ORDER_SORTED; ++order) {
            for (size_t i = 0; i < COUNT_OF(capacities); ++i) {
                if (!in_short_turn(5)) {
                    continue;
                }
                bp_config config = {.method = (bp_method)method, .pair_order = (bp_pair_order)order};
                config.flags = BP_PAIRS_FIXED;
                check_capacity(c, &config, buffer, capacities[i]);
                config.executor = thread_executor(3);
                check_capacity(c, &config, buffer, capacities[i]);
            }
        }
    }
    free(buffer);
}

static void a_fixed_buffer_is_kept_to_and_its_need_is_told(void **state) {
    (void)state;
    static const size_t counts[] = {300, BOXES, MANY};
    bp_box *boxes = make_boxes(MANY, 10.0);
    for (size_t i = 0; i < COUNT_OF(counts); ++i) {
        call c = {.boxes = boxes, .count = counts[i], .expected = naive_pairs(boxes, counts[i], 3)};
        assert_true(c.expected.count > 17);
        check_fixed(&c);
        pair_list_free(&c.expected);
    }
    free(boxes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_survives_every_refusal),
        cmocka_unit_test(a_call_with_several_tasks_survives_every_refusal),
        cmocka_unit_test(a_call_with_a_view_survives_every_refusal),
        cmocka_unit_test(a_world_survives_every_refusal),
        cmocka_unit_test(a_failed_update_leaves_the_figures),
        cmocka_unit_test(the_figures_of_a_call_count_every_byte),
        cmocka_unit_test(the_figures_of_a_world_count_every_byte),
        cmocka_unit_test(a_world_gives_back_what_a_crowd_needed),
        cmocka_unit_test(a_trimmed_world_goes_on),
        cmocka_unit_test(a_steady_world_allocates_nothing),
        cmocka_unit_test(the_default_allocator_is_for_callers_too),
        cmocka_unit_test(a_list_is_used_again),
        cmocka_unit_test(a_fixed_buffer_is_kept_to_and_its_need_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
