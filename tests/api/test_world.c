// The behaviour of a world: ids, changes, filters, results.
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- helpers --------------------------------------------------------------------------------------------------------

typedef void (*world_check)(const bp_config *config);

// Runs a check for every method, update strategy and order.
static void for_every_world(world_check check) {
    for (size_t method = 0; method < bp_method_count(); ++method) {
        for (int update = BP_UPDATE_AUTOMATIC; update <= BP_UPDATE_REBUILD; ++update) {
            if (update == BP_UPDATE_INDIVIDUAL && !is_incremental(method)) {
                continue;
            }
            for (int order = BP_ORDER_FOUND; order <= BP_ORDER_SORTED; ++order) {
                const bp_config config = {.method = (bp_method)method,
                                          .update = (bp_update_strategy)update,
                                          .pair_order = (bp_pair_order)order,
                                          SETTINGS(.brute_force_below = order == BP_ORDER_SORTED ? 1 : 0)};
                check(&config);
            }
        }
    }
}

#define EVERY_WORLD(test, check)                                                                                       \
    static void test(void **state) {                                                                                   \
        (void)state;                                                                                                   \
        for_every_world(check);                                                                                        \
    }

static bp_world *create(const bp_config *config) {
    bp_world *world = NULL;
    assert_int_equal(bp_world_create(config, &world), BP_OK);
    assert_non_null(world);
    return world;
}

static bp_id add(bp_world *world, bp_box box, const bp_object *object) {
    bp_id id = UINT32_MAX;
    assert_int_equal(bp_add(world, &box, object, &id), BP_OK);
    return id;
}

static bp_result update(bp_world *world) {
    bp_result result;
    assert_int_equal(bp_update(world, &result), BP_OK);
    assert_int_equal(bp_world_validate(world), BP_OK);
    assert_int_equal(result.stats.pairs, result.pair_count);
    assert_int_equal(result.stats.objects, bp_world_count(world));
    return result;
}

static void expect_world_pairs(bp_world *world, const bp_pair *expected, size_t count, const bp_config *config,
                               const char *what) {
    char text[CONFIG_TEXT];
    const bp_result result = update(world);
    pair_list list = {0};
    for (size_t i = 0; i < count; ++i) {
        pair_list_push(&list, expected[i].a, expected[i].b);
    }
    expect_pairs(result.pairs, result.pair_count, &list, "%s: %s", what, config_text(config, text));
    pair_list_free(&list);
}

static void expect_world(bp_world *world, const bp_box *boxes, const bp_object *objects, size_t count,
                         const bp_config *config, const char *what) {
    char text[CONFIG_TEXT];
    const bp_result result = update(world);
    pair_list expected = naive_pairs(boxes, count, 3);
    if (objects != NULL) {
        naive_filter(&expected, objects);
    }
    expect_pairs(result.pairs, result.pair_count, &expected, "%s: %s", what, config_text(config, text));
    if (config->pair_order == BP_ORDER_SORTED) {
        expect_same_bytes(result.pairs, result.pair_count, expected.data, expected.count, "%s, order: %s", what,
                          config_text(config, text));
    }
    pair_list_free(&expected);
}

enum { CROWD = 700 };

static void fill_crowd(bp_box boxes[CROWD], uint64_t seed) {
    rng random = rng_seeded(seed);
    for (size_t i = 0; i < CROWD; ++i) {
        boxes[i] = random_cube(&random, 8.0, rng_between(&random, 0.05, 1.0));
    }
}

static const bp_box HOLE = {.min = {NAN, NAN, NAN}, .max = {NAN, NAN, NAN}};

// ---- ids ------------------------------------------------------------------------------------------------------------

static void check_ids(const bp_config *config) {
    bp_world *world = create(config);
    const bp_box box = cube_of(0, 0, 0, 1);
    for (bp_id id = 0; id < 6; ++id) {
        assert_int_equal(add(world, box, NULL), id);
    }
    static const bp_id removed[] = {4, 1, 3, 0};
    for (size_t i = 0; i < COUNT_OF(removed); ++i) {
        assert_int_equal(bp_remove(world, removed[i]), BP_OK);
        assert_int_equal(bp_remove(world, removed[i]), BP_ERROR_ID);
    }
    assert_int_equal(bp_world_count(world), 2);
    const bp_pair left[] = {{2, 5}};
    expect_world_pairs(world, left, 1, config, "two are left");
    assert_int_equal(add(world, box, NULL), 0);
    assert_int_equal(add(world, box, NULL), 1);
    const bp_box three[] = {box, box, box};
    bp_id ids[3];
    assert_int_equal(bp_add_many(world, 3, three, NULL, ids), BP_OK);
    assert_int_equal(ids[0], 3);
    assert_int_equal(ids[1], 4);
    assert_int_equal(ids[2], 6);
    assert_int_equal(bp_world_count(world), 7);
    assert_int_equal(update(world).pair_count, 21);
    bp_world_destroy(world);
}

EVERY_WORLD(gives_the_smallest_free_ids, check_ids)

static void check_emptying(const bp_config *config) {
    bp_world *world = create(config);
    bp_box boxes[CROWD];
    fill_crowd(boxes, 1);
    for (int round = 0; round < 3; ++round) {
        bp_id ids[CROWD];
        assert_int_equal(bp_add_many(world, CROWD, boxes, NULL, ids), BP_OK);
        for (bp_id i = 0; i < CROWD; ++i) {
            assert_int_equal(ids[i], i);
        }
        expect_world(world, boxes, NULL, CROWD, config, "filled");
        for (bp_id i = 0; i < CROWD; ++i) {
            assert_int_equal(bp_remove(world, (i * 311) % CROWD), BP_OK);
        }
        expect_world(world, boxes, NULL, 0, config, "emptied");
    }
    bp_world_destroy(world);
}

EVERY_WORLD(can_be_emptied_and_filled_again, check_emptying)

// ---- few objects ----------------------------------------------------------------------------------------------------

static void check_few(const bp_config *config) {
    bp_world *world = create(config);
    bp_stats stats;
    assert_int_equal(bp_world_count(world), 0);
    assert_int_equal(bp_world_stats(world, &stats), BP_OK);
    assert_int_equal(bp_world_validate(world), BP_OK);
    expect_world_pairs(world, NULL, 0, config, "an empty world");
    assert_int_equal(bp_add_many(world, 0, NULL, NULL, NULL), BP_OK);
    assert_int_equal(bp_move_many(world, 0, NULL, NULL), BP_OK);
    expect_world_pairs(world, NULL, 0, config, "nothing added");
    add(world, cube_of(0, 0, 0, 1), NULL);
    expect_world_pairs(world, NULL, 0, config, "one object");
    add(world, cube_of(1, 1, 1, 1), NULL);
    const bp_pair touching[] = {{0, 1}};
    expect_world_pairs(world, touching, 1, config, "two that touch in a corner");
    assert_int_equal(bp_update(world, NULL), BP_OK);
    bp_world_destroy(world);
}

EVERY_WORLD(works_for_no_one_and_two_objects, check_few)

static void the_default_world_needs_no_config(void **state) {
    (void)state;
    bp_world *world = create(NULL);
    add(world, cube_of(0, 0, 0, 1), NULL);
    add(world, cube_of(0.5f, 0, 0, 1), NULL);
    assert_int_equal(update(world).pair_count, 1);
    bp_world_destroy(world);
    bp_world_destroy(NULL);
}

// ---- changes --------------------------------------------------------------------------------------------------------

static void check_moving(const bp_config *config) {
    bp_world *world = create(config);
    bp_box boxes[CROWD], target[CROWD];
    fill_crowd(boxes, 1);
    fill_crowd(target, 2);
    assert_int_equal(bp_add_many(world, CROWD, boxes, NULL, NULL), BP_OK);
    expect_world(world, boxes, NULL, CROWD, config, "before");
    for (size_t i = 0; i < CROWD; i += 50) {
        boxes[i] = target[i];
        assert_int_equal(bp_move(world, (bp_id)i, &boxes[i]), BP_OK);
    }
    expect_world(world, boxes, NULL, CROWD, config, "some moved");
    memcpy(boxes, target, 100 * sizeof *boxes);
    assert_int_equal(bp_move_many(world, 100, NULL, target), BP_OK);
    expect_world(world, boxes, NULL, CROWD, config, "the first hundred moved");
    const bp_id ids[] = {5, 600, 5, 17, 5};
    assert_int_equal(bp_move_many(world, COUNT_OF(ids), ids, target + 300), BP_OK);
    boxes[600] = target[301];
    boxes[17] = target[303];
    boxes[5] = target[304];
    expect_world(world, boxes, NULL, CROWD, config, "an id that comes twice: the last box counts");
    assert_int_equal(bp_move_many(world, CROWD, NULL, target), BP_OK);
    expect_world(world, target, NULL, CROWD, config, "all moved");
    bp_world_destroy(world);
}

EVERY_WORLD(moves_one_some_and_all, check_moving)

static void check_holes(const bp_config *config) {
    bp_world *world = create(config);
    bp_box boxes[CROWD];
    fill_crowd(boxes, 3);
    assert_int_equal(bp_add_many(world, CROWD, boxes, NULL, NULL), BP_OK);
    update(world);
    for (bp_id id = 0; id < CROWD; id += 3) {
        assert_int_equal(bp_remove(world, id), BP_OK);
        boxes[id] = HOLE;
    }
    expect_world(world, boxes, NULL, CROWD, config, "every third removed");
    assert_int_equal(bp_move_many(world, CROWD, NULL, boxes), BP_ERROR_BOX);
    const bp_box all[2] = {cube_of(0, 0, 0, 1), cube_of(0, 0, 0, 1)};
    assert_int_equal(bp_move_many(world, 2, NULL, all), BP_ERROR_ID);
    expect_world(world, boxes, NULL, CROWD, config, "a refused move");
    boxes[0] = cube_of(0, 0, 0, 3);
    assert_int_equal(add(world, boxes[0], NULL), 0);
    expect_world(world, boxes, NULL, CROWD, config, "one hole filled");
    bp_world_destroy(world);
}

EVERY_WORLD(leaves_holes_out, check_holes)

// An object may come, move and go between two updates.
static void check_brief_life(const bp_config *config) {
    bp_world *world = create(config);
    const bp_box box = cube_of(0, 0, 0, 1), far = cube_of(1e6f, 0, 0, 1);
    add(world, box, NULL);
    update(world);
    const bp_id brief = add(world, box, NULL);
    assert_int_equal(bp_move(world, brief, &far), BP_OK);
    assert_int_equal(bp_remove(world, brief), BP_OK);
    expect_world_pairs(world, NULL, 0, config, "came and went");
    assert_int_equal(add(world, far, NULL), brief);
    assert_int_equal(bp_remove(world, brief), BP_OK);
    assert_int_equal(add(world, box, NULL), brief);
    const bp_pair expected[] = {{0, 1}};
    expect_world_pairs(world, expected, 1, config, "came, went and came back");
    assert_int_equal(bp_remove(world, 0), BP_OK);
    assert_int_equal(bp_remove(world, 1), BP_OK);
    expect_world_pairs(world, NULL, 0, config, "all gone");
    bp_world_destroy(world);
}

EVERY_WORLD(objects_may_live_briefly, check_brief_life)

// ---- results --------------------------------------------------------------------------------------------------------

static void check_unchanged(const bp_config *config) {
    bp_world *world = create(config);
    bp_box boxes[CROWD];
    fill_crowd(boxes, 4);
    assert_int_equal(bp_add_many(world, CROWD, boxes, NULL, NULL), BP_OK);
    const bp_result first = update(world), second = update(world);
    assert_ptr_equal(first.pairs, second.pairs); // a view that is still valid: nothing has changed
    assert_int_equal(first.pair_count, second.pair_count);
    assert_int_equal(second.stats.tests, 0);
    bp_stats stats;
    assert_int_equal(bp_world_stats(world, &stats), BP_OK);
    assert_memory_equal(&stats, &second.stats, sizeof stats);
    expect_world(world, boxes, NULL, CROWD, config, "a third update");
    bp_world_destroy(world);
}

EVERY_WORLD(an_update_without_change_gives_the_same_pairs, check_unchanged)

static void check_stats(const bp_config *config) {
    bp_world *world = create(config);
    bp_box boxes[CROWD];
    fill_crowd(boxes, 5);
    assert_int_equal(bp_add_many(world, CROWD, boxes, NULL, NULL), BP_OK);
    const bp_stats stats = update(world).stats;
    assert_int_not_equal(stats.method, BP_METHOD_AUTO);
    assert_true(config->method == BP_METHOD_AUTO || stats.method == config->method);
    assert_int_not_equal(stats.update, BP_UPDATE_AUTOMATIC);
    assert_true(config->update == BP_UPDATE_AUTOMATIC || stats.update == config->update);
    assert_int_equal(stats.objects, CROWD);
    assert_true(stats.tests >= stats.pairs);
    assert_true(stats.bytes > 0);
    assert_true(stats.occupied <= stats.cells);
    assert_true(stats.objects_per_cell_max <= CROWD);
    assert_true(stats.build_seconds >= 0.0 && stats.find_seconds >= 0.0);
    bp_world_destroy(world);
}

EVERY_WORLD(the_figures_make_sense, check_stats)

// ---- objects --------------------------------------------------------------------------------------------------------

static bp_object random_object(rng *random) {
    return (bp_object){.group = rng_below(random, 2) == 0 ? 0 : UINT64_C(1) << (30 + rng_below(random, 4)),
                       .mask = rng_below(random, 2) == 0 ? 0 : (uint64_t)rng_below(random, 16) << 30,
                       .flags = rng_below(random, 3) == 0 ? BP_STATIC : 0,
                       .island = rng_below(random, 2),
                       .user = rng_next(random)};
}

static void check_filters(const bp_config *config) {
    bp_world *world = create(config);
    bp_box boxes[CROWD];
    bp_object objects[CROWD];
    rng random = rng_seeded(6);
    fill_crowd(boxes, 6);
    memset(objects, 0, sizeof objects);
    assert_int_equal(bp_add_many(world, CROWD / 2, boxes, NULL, NULL), BP_OK);
    for (size_t i = CROWD / 2; i < CROWD; ++i) {
        objects[i] = random_object(&random);
    }
    assert_int_equal(bp_add_many(world, CROWD - CROWD / 2, boxes + CROWD / 2, objects + CROWD / 2, NULL), BP_OK);
    expect_world(world, boxes, objects, CROWD, config, "half of the objects with properties");
    for (size_t i = 0; i < CROWD; ++i) {
        objects[i] = i % 5 == 0 ? (bp_object){0} : random_object(&random);
        assert_int_equal(bp_set_object(world, (bp_id)i, i % 5 == 0 ? NULL : &objects[i]), BP_OK);
    }
    expect_world(world, boxes, objects, CROWD, config, "all changed");
    for (size_t i = 0; i < CROWD; ++i) {
        bp_box box;
        bp_object object;
        assert_int_equal(bp_get_object(world, (bp_id)i, &box, &object), BP_OK);
        assert_memory_equal(&box, &boxes[i], sizeof box);
        assert_memory_equal(&object, &objects[i], sizeof object);
    }
    bp_world_destroy(world);
}

EVERY_WORLD(filters_by_group_mask_static_and_island, check_filters)

// One rule at a time, so that a failure names it.
typedef struct filter_case {
    const char *what;
    bp_object a, b;
    bool passes;
} filter_case;

static const filter_case FILTERS[] = {
    {"all defaults", {0}, {0}, true},
    {"a zero mask counts as all bits", {.group = 4}, {.group = 8}, true},
    {"a zero group counts as all bits", {.mask = 4}, {.mask = 8}, true},
    {"mask without the other's group", {.group = 1, .mask = 2}, {.group = 1}, false},
    {"the same the other way around", {.group = 1}, {.group = 1, .mask = 2}, false},
    {"both masks fit", {.group = 1, .mask = 2}, {.group = 2, .mask = 1}, true},
    {"only one mask fits", {.group = 1, .mask = 2}, {.group = 2, .mask = 4}, false},
    {"the highest bit", {.group = UINT64_C(1) << 63, .mask = 1}, {.group = 1, .mask = UINT64_C(1) << 63}, true},
    {"bits with the same low halves", {.group = UINT64_C(1) << 32}, {.mask = 1}, false},
    {"two static ones", {.flags = BP_STATIC}, {.flags = BP_STATIC}, false},
    {"one static one", {.flags = BP_STATIC}, {0}, true},
    {"different islands", {.island = 1}, {.island = 2}, false},
    {"island 0 is an island", {.island = 1}, {0}, false},
    {"the same island", {.island = 7}, {.island = 7}, true},
    {"user data does not matter", {.user = 1}, {.user = 2}, true},
};

static void check_filter_rules(const bp_config *config) {
    for (size_t i = 0; i < COUNT_OF(FILTERS); ++i) {
        bp_world *world = create(config);
        add(world, cube_of(0, 0, 0, 1), &FILTERS[i].a);
        add(world, cube_of(0, 0, 0, 1), &FILTERS[i].b);
        const bp_pair pair[] = {{0, 1}};
        expect_world_pairs(world, pair, FILTERS[i].passes ? 1 : 0, config, FILTERS[i].what);
        bp_world_destroy(world);
    }
}

EVERY_WORLD(each_filter_rule_holds, check_filter_rules)

static void check_reused_id(const bp_config *config) {
    bp_world *world = create(config);
    const bp_object lonely = {.island = 9, .user = 77};
    add(world, cube_of(0, 0, 0, 1), NULL);
    add(world, cube_of(0, 0, 0, 1), &lonely);
    expect_world_pairs(world, NULL, 0, config, "another island");
    assert_int_equal(bp_remove(world, 1), BP_OK);
    assert_int_equal(add(world, cube_of(0, 0, 0, 1), NULL), 1);
    const bp_pair pair[] = {{0, 1}};
    expect_world_pairs(world, pair, 1, config, "a reused id has no past");
    bp_object object = lonely;
    assert_int_equal(bp_get_object(world, 1, NULL, &object), BP_OK);
    assert_int_equal(object.user, 0);
    bp_world_destroy(world);
}

EVERY_WORLD(a_reused_id_has_the_defaults, check_reused_id)

// ---- geometry -------------------------------------------------------------------------------------------------------

static void check_infinite(const bp_config *config) {
    bp_world *world = create(config);
    bp_box boxes[CROWD];
    fill_crowd(boxes, 8);
    for (size_t i = 0; i < 40; ++i) {
        boxes[i * 17].min[i % 3] = -INFINITY;
        boxes[i * 17].max[(i + i / 7) % 3] = INFINITY;
    }
    assert_int_equal(bp_add_many(world, CROWD, boxes, NULL, NULL), BP_OK);
    expect_world(world, boxes, NULL, CROWD, config, "walls");
    boxes[17] = cube_of(0, 0, 0, 1);
    boxes[18].max[0] = INFINITY;
    assert_int_equal(bp_move(world, 17, &boxes[17]), BP_OK);
    assert_int_equal(bp_move(world, 18, &boxes[18]), BP_OK);
    assert_int_equal(bp_remove(world, 34), BP_OK);
    boxes[34] = HOLE;
    expect_world(world, boxes, NULL, CROWD, config, "a wall becomes finite, a box infinite, a wall goes");
    bp_world_destroy(world);
}

EVERY_WORLD(holds_infinite_boxes, check_infinite)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_smallest_free_ids),
        cmocka_unit_test(can_be_emptied_and_filled_again),
        cmocka_unit_test(works_for_no_one_and_two_objects),
        cmocka_unit_test(the_default_world_needs_no_config),
        cmocka_unit_test(moves_one_some_and_all),
        cmocka_unit_test(leaves_holes_out),
        cmocka_unit_test(objects_may_live_briefly),
        cmocka_unit_test(an_update_without_change_gives_the_same_pairs),
        cmocka_unit_test(the_figures_make_sense),
        cmocka_unit_test(filters_by_group_mask_static_and_island),
        cmocka_unit_test(each_filter_rule_holds),
        cmocka_unit_test(a_reused_id_has_the_defaults),
        cmocka_unit_test(holds_infinite_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
