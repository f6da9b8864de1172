// method = auto: which search for which scene, and that a world that changes its search loses no pair and no event.
#include "support/support.h"

#include <broadphase/broadphase_tune.h>

#include <math.h>
#include <scenes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHANGES_MOST = 6 };

// ---- one call -------------------------------------------------------------------------------------------------------

static bp_stats stats_of_scene(const char *name, size_t count, bp_method method) {
    const scene_options options = {.count = count};
    const char *error = NULL;
    scene *source = scene_create(name, &options, &error);
    assert_non_null(source);
    bp_stats stats = {0};
    bp_pairs pairs = {0};
    const bp_config config = {.method = method, .dimensions = scene_dimensions(source), .stats = &stats};
    assert_int_equal(bp_find_pairs(scene_boxes(source), scene_box_count(source), &config, &pairs), BP_OK);
    bp_pairs_free(&pairs, &config);
    scene_destroy(source);
    return stats;
}

static void test_rule_for_each_scene(void **state) {
    (void)state;
    static const struct {
        const char *scene;
        size_t count;
        bp_rule rule;
        bp_method method;
    } cases[] = {
        {"uniform", 50, BP_RULE_FEW, BP_METHOD_BRUTE_FORCE},
        {"uniform", 100, BP_RULE_ALIKE, BP_METHOD_STRIPS},
        {"uniform", 5000, BP_RULE_ALIKE, BP_METHOD_STRIPS},
        {"uniform", 800000, BP_RULE_ALIKE, BP_METHOD_HIERARCHICAL_GRID},
        {"mixed", 5000, BP_RULE_ALIKE, BP_METHOD_STRIPS},
        {"very-polydisperse", 50000, BP_RULE_MIXED, BP_METHOD_AUTO}, // tree or split: they take the same time
        {"far", 5000, BP_RULE_SCALES, BP_METHOD_SPLIT},
        {"sparse", 1000, BP_RULE_ALIKE, BP_METHOD_STRIPS},
        {"tiny-and-huge", 20000, BP_RULE_SCALES, BP_METHOD_SPLIT},
        {"scan", 5000, BP_RULE_ORDERED, BP_METHOD_TREE},
    };
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        const bp_stats stats = stats_of_scene(cases[i].scene, cases[i].count, BP_METHOD_AUTO);
        const bp_rule rule = bp_stats_details(&stats).choice.rule;
        const bool is_wanted = cases[i].method == BP_METHOD_AUTO
                                   ? stats.method == BP_METHOD_TREE || stats.method == BP_METHOD_SPLIT
                                   : stats.method == cases[i].method;
        if (rule != cases[i].rule || !is_wanted) {
            fail_msg("%s, %zu objects: rule %d, method %s", cases[i].scene, cases[i].count, (int)rule,
                     bp_method_name((size_t)stats.method));
        }
    }
}

// Sizes over a few octaves, each of them spread in proportion to its size.
static void test_nested_sizes(void **state) {
    (void)state;
    enum { COUNT = 20000, OCTAVES = 8 };
    rng random = rng_seeded(7);
    bp_box *boxes = obtain(COUNT, sizeof *boxes);
    for (size_t i = 0; i < COUNT; ++i) {
        const double size = ldexp(1.0, (int)(i % OCTAVES));
        boxes[i] = random_cube(&random, 20.0 * size, size);
    }
    bp_stats stats = {0};
    bp_pairs pairs = {0};
    bp_config config = {.stats = &stats};
    assert_int_equal(bp_find_pairs(boxes, COUNT, &config, &pairs), BP_OK);
    assert_int_equal(bp_stats_details(&stats).choice.rule, BP_RULE_MIXED);
    assert_true(stats.method == BP_METHOD_TREE || stats.method == BP_METHOD_SPLIT);
    pair_list expected = naive_pairs(boxes, COUNT, 3);
    expect_pairs(pairs.data, pairs.count, &expected, "nested");
    config.settings = &(const bp_method_settings){.hierarchy_factor = 2.0f}; // a parameter of the grid
    assert_int_equal(bp_find_pairs(boxes, COUNT, &config, &pairs), BP_OK);
    assert_int_equal(bp_stats_details(&stats).choice.rule, BP_RULE_GIVEN);
    assert_int_equal(stats.method, BP_METHOD_HIERARCHICAL_GRID);
    config.method = BP_METHOD_LINKED_CELLS;
    assert_int_equal(bp_find_pairs(boxes, COUNT, &config, &pairs), BP_OK);
    assert_int_equal(bp_stats_details(&stats).choice.rule, BP_RULE_ASKED);
    pair_list_free(&expected);
    bp_pairs_free(&pairs, &config);
    free(boxes);
}

static bp_stats stats_of_call(const bp_box *boxes, size_t count) {
    bp_stats stats = {0};
    bp_pairs pairs = {0};
    const bp_config config = {.stats = &stats};
    assert_int_equal(bp_find_pairs(boxes, count, &config, &pairs), BP_OK);
    pair_list expected = naive_pairs(boxes, count, 3);
    expect_pairs(pairs.data, pairs.count, &expected, "a call of %zu boxes", count);
    pair_list_free(&expected);
    bp_pairs_free(&pairs, &config);
    return stats;
}

static void expect_text(const bp_stats *stats, const char *wanted) {
    char text[4096];
    const size_t length = bp_explain(stats, text, sizeof text);
    assert_int_equal(length, strlen(text));
    if (strstr(text, wanted) == NULL) {
        fail_msg("no '%s' in: %s", wanted, text);
    }
}

// Boxes that are not alike are for the tree; a world keeps it.
static void test_mixed_sizes(void **state) {
    (void)state;
    enum { COUNT = 6000 };
    rng random = rng_seeded(9);
    bp_box *boxes = obtain(COUNT, sizeof *boxes);
    for (size_t i = 0; i < COUNT; ++i) {
        boxes[i] = random_cube(&random, 30.0, random_between(&random, 0.0, 1.0) < 0.2f ? 3.0 : 0.3);
    }
    const bp_stats stats = stats_of_call(boxes, COUNT);
    assert_int_equal(bp_stats_details(&stats).choice.rule, BP_RULE_MIXED);
    assert_int_equal(stats.method, BP_METHOD_TREE);
    expect_text(&stats, "tree: ");
    bp_world *world = NULL;
    bp_result result;
    assert_int_equal(bp_world_create(NULL, &world), BP_OK);
    assert_int_equal(bp_add_many(world, COUNT, boxes, NULL, NULL), BP_OK);
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(bp_update(world, &result), BP_OK);
        assert_int_equal(result.stats.method, BP_METHOD_TREE);
        assert_int_equal(bp_move(world, 0, &boxes[1]), BP_OK);
    }
    assert_int_equal(bp_stats_details(&result.stats).choice.rule, BP_RULE_KEPT);
    bp_world_destroy(world);
    free(boxes);
}

// ---- the text -------------------------------------------------------------------------------------------------------

static void test_explanations(void **state) {
    (void)state;
    bp_stats stats = stats_of_scene("tiny-and-huge", 5000, BP_METHOD_AUTO);
    expect_text(&stats, "split: positions span many scales: ");
    expect_text(&stats, "far from the origin");
    stats = stats_of_scene("identical", 1000, BP_METHOD_AUTO);
    expect_text(&stats, "overlaps hundreds of others");
    stats = stats_of_scene("very-polydisperse", 20000, BP_METHOD_AUTO);
    expect_text(&stats, "much larger than the others");
    stats = stats_of_scene("uniform", 20000, BP_METHOD_AUTO);
    char text[4096], cut[16];
    const size_t length = bp_explain(&stats, text, sizeof text);
    assert_null(strstr(text, "warning"));
    assert_int_equal(bp_explain(&stats, cut, sizeof cut), length);
    assert_int_equal(strlen(cut), sizeof cut - 1);
    assert_memory_equal(cut, text, sizeof cut - 1);
    assert_int_equal(bp_explain(&stats, NULL, 0), length);
    assert_int_equal(bp_explain(NULL, text, sizeof text), 0);
}

static void test_details_of_nothing(void **state) {
    (void)state;
    const bp_stats empty = {0};
    const bp_stats *both[] = {NULL, &empty};
    for (size_t i = 0; i < COUNT_OF(both); ++i) {
        const bp_details details = bp_stats_details(both[i]);
        assert_int_equal(details.choice.rule, BP_RULE_ASKED);
        assert_true(details.choice.sampled == 0 && details.choice.octaves == 0 && details.choice.changes == 0);
        assert_true(details.choice.size == 0.0 && details.choice.extent[2] == 0.0);
        assert_true(details.sort == BP_SORT_AUTOMATIC && details.changed_share == 0.0);
    }
}

static void test_warning_is_logged_once(void **state) {
    (void)state;
    enum { COUNT = 1200 };
    bp_box *boxes = obtain(COUNT, sizeof *boxes);
    for (size_t i = 0; i < COUNT; ++i) {
        boxes[i] = cube_of(0.0f, 0.0f, 0.0f, 1.0f);
    }
    test_log log = {0};
    const bp_config config = {.log = test_log_hook(&log)};
    bp_world *world = NULL;
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, COUNT, boxes, NULL, NULL), BP_OK);
    assert_int_equal(bp_update(world, NULL), BP_OK);
    const size_t said = log.count;
    assert_int_not_equal(said, 0);
    assert_non_null(strstr(log.text, "warning: "));
    boxes[0] = cube_of(0.5f, 0.0f, 0.0f, 1.0f);
    assert_int_equal(bp_move(world, 0, &boxes[0]), BP_OK);
    assert_int_equal(bp_update(world, NULL), BP_OK);
    assert_int_equal(log.count, said);
    bp_stats stats = {0};
    assert_int_equal(bp_world_stats(world, &stats), BP_OK);
    expect_text(&stats, "tree: ");
    expect_text(&stats, "overlaps hundreds of others");
    bp_world_destroy(world);
    free(boxes);
}

enum { CROWD = 700 };

// Thin boxes in all directions: each meets the bounds of most others in a tree.
static void make_needles(rng *random, bp_box *boxes) {
    for (size_t i = 0; i < CROWD; ++i) {
        boxes[i] = random_cube(random, 12.0, 0.05);
        boxes[i].max[i % 3] += random_between(random, 1.0, 30.0);
    }
}

// One call over needles is for split; a world of which little moves keeps the tree.
static void test_calm_world_keeps_the_tree(void **state) {
    (void)state;
    enum { UPDATES = 5 };
    rng random = rng_seeded(17);
    bp_box *boxes = obtain(CROWD, sizeof *boxes);
    make_needles(&random, boxes);
    bp_world *world = NULL;
    bp_result result = {0};
    assert_int_equal(bp_world_create(NULL, &world), BP_OK);
    assert_int_equal(bp_add_many(world, CROWD, boxes, NULL, NULL), BP_OK);
    for (size_t i = 0; i < UPDATES; ++i) {
        assert_int_equal(bp_update(world, &result), BP_OK);
        assert_int_equal(result.stats.method, i == 0 ? BP_METHOD_SPLIT : BP_METHOD_TREE);
        assert_int_equal(bp_move(world, (bp_id)i, &boxes[i + 1]), BP_OK);
    }
    assert_int_equal(bp_stats_details(&result.stats).choice.rule, BP_RULE_KEPT);
    bp_world_destroy(world);
    free(boxes);
}

// ---- a scene that changes its nature -------------------------------------------------------------------------------

// A world with events, and the pairs that it had.
typedef struct follower {
    bp_world *world;
    pair_list last;
    size_t changes;
    bp_method method;
} follower;

static void expect_events(const follower *f, const bp_result *result, const pair_list *now, size_t step) {
    pair_list after = {0}; // last - ended + begun
    size_t ended = 0;
    for (size_t i = 0; i < f->last.count; ++i) {
        const bp_pair pair = f->last.data[i];
        const bool ends =
            ended < result->ended_count && result->ended[ended].a == pair.a && result->ended[ended].b == pair.b;
        ended += ends;
        if (!ends) {
            pair_list_push(&after, pair.a, pair.b);
        }
    }
    assert_int_equal(ended, result->ended_count);
    for (size_t i = 0; i < result->begun_count; ++i) {
        pair_list_push(&after, result->begun[i].a, result->begun[i].b);
    }
    expect_pairs(after.data, after.count, now, "events, step %zu", step);
    pair_list_free(&after);
}

static void follow(follower *f, const bp_box *boxes, size_t count, size_t step) {
    bp_result result = {0};
    assert_int_equal(bp_move_many(f->world, count, NULL, boxes), BP_OK);
    assert_int_equal(bp_update(f->world, &result), BP_OK);
    pair_list now = naive_pairs(boxes, count, 3);
    expect_pairs(result.pairs, result.pair_count, &now, "step %zu, method %s", step,
                 bp_method_name((size_t)result.stats.method));
    expect_events(f, &result, &now, step);
    // That the tree hands over a search is no change.
    const bool handed_over = bp_stats_details(&result.stats).handed_over != 0;
    const bp_method method = handed_over ? BP_METHOD_TREE : result.stats.method;
    f->changes += f->method != method && step > 0;
    f->method = method;
    assert_int_equal(bp_stats_details(&result.stats).choice.changes >= f->changes, 1);
    pair_list_free(&f->last);
    f->last = now;
}

// Moves box by box towards where a phase wants them.
static void approach(bp_box *boxes, const bp_box *targets, size_t count, double part) {
    for (size_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            boxes[i].min[axis] += (float)part * (targets[i].min[axis] - boxes[i].min[axis]);
            boxes[i].max[axis] += (float)part * (targets[i].max[axis] - boxes[i].max[axis]);
        }
    }
}

static void run_phases(uint32_t dimensions, bp_box *const targets[], size_t phases, size_t count, bool expect_change) {
    const size_t steps = quick() ? 150 : 600;
    bp_box *boxes = obtain(count, sizeof *boxes);
    follower f = {0};
    memcpy(boxes, targets[0], count * sizeof *boxes);
    const bp_config config = {.flags = BP_EVENTS, .dimensions = dimensions};
    assert_int_equal(bp_world_create(&config, &f.world), BP_OK);
    assert_int_equal(bp_add_many(f.world, count, boxes, NULL, NULL), BP_OK);
    for (size_t step = 0; step < steps; ++step) {
        approach(boxes, targets[step * phases / steps], count, 0.1);
        follow(&f, boxes, count, step);
        assert_int_equal(bp_world_validate(f.world), BP_OK);
    }
    if (f.changes > CHANGES_MOST || (expect_change && f.changes == 0)) {
        fail_msg("%zu changes of method in %zu steps", f.changes, steps);
    }
    pair_list_free(&f.last);
    bp_world_destroy(f.world);
    free(boxes);
}

static void make_gas(rng *random, bp_box *boxes, double extent, double size) {
    for (size_t i = 0; i < CROWD; ++i) {
        boxes[i] = random_cube(random, extent, size);
    }
}

static void test_gas_pile_explosion(void **state) {
    (void)state;
    bp_box *gas = obtain(CROWD, sizeof *gas), *pile = obtain(CROWD, sizeof *pile), *far = obtain(CROWD, sizeof *far);
    rng random = rng_seeded(11);
    make_gas(&random, gas, 20.0, 1.0);
    make_gas(&random, pile, 2.0, 1.0);
    make_gas(&random, far, 2000.0, 1.0);
    bp_box *const targets[] = {gas, pile, far};
    run_phases(3, targets, COUNT_OF(targets), CROWD, false);
    free(gas);
    free(pile);
    free(far);
}

static void test_giant_enters(void **state) {
    (void)state;
    bp_box *gas = obtain(CROWD, sizeof *gas), *with_giant = obtain(CROWD, sizeof *with_giant);
    rng random = rng_seeded(12);
    make_gas(&random, gas, 20.0, 1.0);
    memcpy(with_giant, gas, CROWD * sizeof *gas);
    with_giant[0] = cube_of(0.0f, 0.0f, 0.0f, 15.0f);
    bp_box *const targets[] = {gas, with_giant};
    run_phases(3, targets, COUNT_OF(targets), CROWD, false);
    free(gas);
    free(with_giant);
}

static void test_search_changes_and_comes_back(void **state) {
    (void)state;
    bp_box *gas = obtain(CROWD, sizeof *gas), *needles = obtain(CROWD, sizeof *needles);
    rng random = rng_seeded(13);
    make_gas(&random, gas, 20.0, 1.0);
    make_needles(&random, needles);
    bp_box *const targets[] = {needles, gas};
    run_phases(3, targets, COUNT_OF(targets), CROWD, true);
    free(gas);
    free(needles);
}

static void shift(bp_box *boxes, float by) {
    for (size_t i = 0; i < CROWD; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            boxes[i].min[axis] += by;
            boxes[i].max[axis] += by;
        }
    }
}

// Spheres in a box that repeats: methods see them through a view. Beside a world whose method is given.
static void test_change_through_a_view(void **state) {
    (void)state;
    enum { STEPS = 120 };
    const bp_config config = {.shape = BP_SHAPE_SPHERES, .period = {512, 512, 512}, .pair_order = BP_ORDER_SORTED};
    bp_config fixed = config;
    fixed.method = BP_METHOD_OCTREE;
    bp_box *boxes = obtain(CROWD, sizeof *boxes), *needles = obtain(CROWD, sizeof *needles);
    bp_world *worlds[2] = {NULL, NULL};
    bp_result results[2] = {{0}, {0}};
    rng random = rng_seeded(16);
    make_gas(&random, boxes, 20.0, 1.0);
    make_needles(&random, needles);
    shift(boxes, 256.0f); // into the middle: at the edge of the period they would lie on both sides of it
    shift(needles, 256.0f);
    assert_int_equal(bp_world_create(&config, &worlds[0]), BP_OK);
    assert_int_equal(bp_world_create(&fixed, &worlds[1]), BP_OK);
    for (size_t step = 0; step < STEPS; ++step) {
        approach(boxes, needles, CROWD, step < STEPS / 2 ? 0.1 : 0.0);
        for (size_t i = 0; i < 2; ++i) {
            const bp_status status = step == 0 ? bp_add_many(worlds[i], CROWD, boxes, NULL, NULL)
                                               : bp_move_many(worlds[i], CROWD, NULL, boxes);
            assert_int_equal(status, BP_OK);
            assert_int_equal(bp_update(worlds[i], &results[i]), BP_OK);
        }
        expect_same_bytes(results[0].pairs, results[0].pair_count, results[1].pairs, results[1].pair_count,
                          "through a view, step %zu", step);
    }
    assert_int_equal(results[0].stats.method, BP_METHOD_SPLIT);
    bp_world_destroy(worlds[0]);
    bp_world_destroy(worlds[1]);
    free(boxes);
    free(needles);
}

// All change a little: a world looks at its boxes again only when many have changed.
static void stir(bp_box *boxes) {
    for (size_t i = 0; i < CROWD; ++i) {
        boxes[i].max[0] = nextafterf(boxes[i].max[0], INFINITY);
    }
}

// Two scenes in turns, each for one check of the chooser: without memory it would switch every time.
static void test_never_oscillates(void **state) {
    (void)state;
    enum { PERIOD = 24, STEPS = 1600 };
    bp_box *gas = obtain(CROWD, sizeof *gas), *needles = obtain(CROWD, sizeof *needles);
    rng random = rng_seeded(14);
    make_gas(&random, gas, 20.0, 1.0);
    make_needles(&random, needles);
    bp_world *world = NULL;
    bp_stats stats = {0};
    assert_int_equal(bp_world_create(NULL, &world), BP_OK);
    assert_int_equal(bp_add_many(world, CROWD, gas, NULL, NULL), BP_OK);
    for (size_t step = 0; step < STEPS; ++step) {
        bp_box *boxes = step / PERIOD % 2 == 0 ? gas : needles;
        stir(boxes);
        assert_int_equal(bp_move_many(world, CROWD, NULL, boxes), BP_OK);
        assert_int_equal(bp_update(world, NULL), BP_OK);
    }
    assert_int_equal(bp_world_stats(world, &stats), BP_OK);
    const uint32_t changes = bp_stats_details(&stats).choice.changes;
    if (changes > CHANGES_MOST) {
        fail_msg("%u changes", (unsigned)changes);
    }
    bp_world_destroy(world);
    free(gas);
    free(needles);
}

// ---- memory ---------------------------------------------------------------------------------------------------------

// Runs into a change of the search, and lets allocation `fail_at` of an update fail. False if none has so many. Some allocations only
// make room in advance: without them, an update succeeds.
static bool fail_in_change(size_t fail_at, const bp_box *gas, const bp_box *needles, size_t *failures) {
    test_allocator allocator;
    test_allocator_init(&allocator);
    const bp_config config = {.allocator = test_allocator_hook(&allocator)};
    bp_world *world = NULL;
    bp_result result = {0};
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, CROWD, gas, NULL, NULL), BP_OK);
    assert_int_equal(bp_update(world, &result), BP_OK);
    bp_box *boxes = obtain(CROWD, sizeof *boxes);
    memcpy(boxes, needles, CROWD * sizeof *boxes);
    bool refused = false;
    for (size_t step = 0; step < 64 && !refused; ++step) {
        stir(boxes);
        assert_int_equal(bp_move_many(world, CROWD, NULL, boxes), BP_OK);
        test_allocator_fail(&allocator, fail_at, false);
        const bp_status status = bp_update(world, &result);
        refused = allocator.refused > 0;
        test_allocator_fail(&allocator, 0, false);
        assert_true(status == BP_OK || (refused && status == BP_ERROR_MEMORY));
        if (status != BP_OK) {
            assert_int_equal(bp_update(world, &result), BP_OK);
            ++*failures;
        }
        pair_list expected = naive_pairs(boxes, CROWD, 3);
        expect_pairs(result.pairs, result.pair_count, &expected, "allocation %zu fails, step %zu", fail_at, step);
        pair_list_free(&expected);
    }
    bp_world_destroy(world);
    test_allocator_finish(&allocator);
    free(boxes);
    return refused;
}

static void test_refused_memory_in_a_change(void **state) {
    (void)state;
    bp_box *gas = obtain(CROWD, sizeof *gas), *needles = obtain(CROWD, sizeof *needles);
    rng random = rng_seeded(15);
    make_gas(&random, gas, 20.0, 1.0);
    make_needles(&random, needles);
    size_t fail_at = 1, failures = 0;
    while (fail_in_change(fail_at, gas, needles, &failures)) {
        ++fail_at;
    }
    assert_true(failures > 1);
    free(gas);
    free(needles);
}

// Boxes without extent whose ends are both infinite: they say nothing about sizes and places, and must not be asked.
static void test_points_at_infinity(void **state) {
    (void)state;
    enum { POINTS = 3000 };
    static bp_box boxes[POINTS];
    rng random = rng_seeded(2);
    for (size_t i = 0; i < POINTS; ++i) {
        boxes[i] = random_cube(&random, 20, 1);
        const float end = i % 2 == 0 ? INFINITY : -INFINITY;
        if (i % 100 < 2) {
            boxes[i].min[i % 3] = boxes[i].max[i % 3] = end;
        }
    }
    bp_stats stats = {0};
    bp_pairs pairs = {0};
    const bp_config config = {.stats = &stats};
    pair_list expected = naive_pairs(boxes, POINTS, 3);
    assert_int_equal(bp_find_pairs(boxes, POINTS, &config, &pairs), BP_OK);
    expect_pairs(pairs.data, pairs.count, &expected, "points at infinity");
    assert_int_equal(bp_stats_details(&stats).choice.rule, BP_RULE_MIXED);
    pair_list_free(&expected);
    bp_pairs_free(&pairs, &config);
}

// Where the caller says below how many boxes all pairs are tested, nothing else decides: not the shapes, nor that others have just
// been split, nor what is static.
static void test_all_pairs_where_the_caller_says_so(void **state) {
    (void)state;
    enum { NEEDLES = 2500 };
    static bp_box boxes[NEEDLES];
    static bp_object objects[NEEDLES];
    rng random = rng_seeded(4);
    bp_stats stats = {0};
    bp_pairs pairs = {0};
    bp_config config = {.stats = &stats};
    bp_result result;
    for (size_t i = 0; i < NEEDLES; ++i) {
        boxes[i] = random_cube(&random, 30.0, 0.1);
        boxes[i].max[i % 3] = boxes[i].min[i % 3] + 60.0f;
        objects[i].flags = i % 2 == 0 ? BP_STATIC : 0;
    }
    for (uint32_t below = 1; below <= NEEDLES + 1; below += NEEDLES) { // never, or for all of these
        const bool all = below > NEEDLES;
        config.settings = &(const bp_method_settings){.brute_force_below = below};
        assert_int_equal(bp_find_pairs(boxes, NEEDLES, &config, &pairs), BP_OK);
        assert_true((stats.method == BP_METHOD_BRUTE_FORCE) == all);
        for (size_t few = 1; few < NEEDLES; few += NEEDLES / 3) {
            assert_int_equal(bp_find_pairs_between(boxes, few, boxes + few, NEEDLES - few, &config, &pairs), BP_OK);
            assert_true((stats.method == BP_METHOD_BRUTE_FORCE) == all);
        }
        for (int has_static = 0; has_static < 2; ++has_static) {
            bp_world *world;
            config.stats = NULL;
            assert_int_equal(bp_world_create(&config, &world), BP_OK);
            assert_int_equal(bp_add_many(world, NEEDLES, boxes, has_static ? objects : NULL, NULL), BP_OK);
            for (int step = 0; step < 4; ++step) {
                for (size_t i = 0; i < NEEDLES; ++i) boxes[i].max[0] = nextafterf(boxes[i].max[0], INFINITY);
                assert_int_equal(bp_move_many(world, NEEDLES, NULL, boxes), BP_OK);
                assert_int_equal(bp_update(world, &result), BP_OK);
                assert_true((result.stats.method == BP_METHOD_BRUTE_FORCE) == all);
                pair_list expected = naive_pairs(boxes, NEEDLES, 3);
                if (has_static) {
                    naive_filter(&expected, objects);
                }
                expect_pairs(result.pairs, result.pair_count, &expected, "all pairs below %u", (unsigned)below);
                pair_list_free(&expected);
            }
            bp_world_destroy(world);
            config.stats = &stats;
        }
    }
    bp_pairs_free(&pairs, &config);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rule_for_each_scene),
        cmocka_unit_test(test_nested_sizes),
        cmocka_unit_test(test_mixed_sizes),
        cmocka_unit_test(test_points_at_infinity),
        cmocka_unit_test(test_all_pairs_where_the_caller_says_so),
        cmocka_unit_test(test_explanations),
        cmocka_unit_test(test_details_of_nothing),
        cmocka_unit_test(test_warning_is_logged_once),
        cmocka_unit_test(test_calm_world_keeps_the_tree),
        cmocka_unit_test(test_gas_pile_explosion),
        cmocka_unit_test(test_giant_enters),
        cmocka_unit_test(test_search_changes_and_comes_back),
        cmocka_unit_test(test_never_oscillates),
        cmocka_unit_test(test_change_through_a_view),
        cmocka_unit_test(test_refused_memory_in_a_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
