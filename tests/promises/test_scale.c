// Worlds that change scale: everything, or most of it, becomes a thousand times as small or as large from one step to
// the next. A plan that was made for the other scale (cells, a cube, the shape of a tree) must be dropped in the same
// update: no step tests more than 20 times as many pairs as a method that sees the same boxes for the first time.
#include "support/support.h"

#include "literature/sweep_and_prune/sweep_ends.h"

#include <math.h>
#include <stdlib.h>

enum { OBJECTS = 1500, STEPS = 16, BEFORE = 5, MANY_TIMES = 20 };

// ---- methods --------------------------------------------------------------------------------------------------------

#define METHOD(name, ...)                                                                                              \
    { .method = BP_METHOD_##name, __VA_ARGS__ }

// brute-force tests all pairs at any scale.
static const bp_config CONFIGS[] = {
    METHOD(AUTO, .update = BP_UPDATE_AUTOMATIC),
    METHOD(HIERARCHICAL_GRID, .update = BP_UPDATE_AUTOMATIC),
    METHOD(HIERARCHICAL_GRID, .update = BP_UPDATE_INDIVIDUAL),
    METHOD(HIERARCHICAL_GRID, .update = BP_UPDATE_REBUILD),
    METHOD(SPLIT, .update = BP_UPDATE_AUTOMATIC),
    METHOD(LINKED_CELLS, .update = BP_UPDATE_AUTOMATIC),
    METHOD(SPATIAL_HASH, .update = BP_UPDATE_AUTOMATIC),
    METHOD(PIVOT_GRID, .update = BP_UPDATE_AUTOMATIC),
    METHOD(PIVOT_GRID, SETTINGS(.pivot_layout = BP_PIVOTS_DENSE)),
    METHOD(COMPACT_GRID, .update = BP_UPDATE_AUTOMATIC),
    METHOD(COMPACT_GRID, SETTINGS(.compact_keys = BP_KEYS_Z_CURVE)),
    METHOD(COMPACT_GRID, SETTINGS(.grid_entries = BP_ENTRIES_FOOTPRINT)),
    METHOD(CUCKOO_GRID, .update = BP_UPDATE_AUTOMATIC),
    METHOD(CUCKOO_GRID, SETTINGS(.grid_entries = BP_ENTRIES_FOOTPRINT)),
    METHOD(OCTREE, .update = BP_UPDATE_AUTOMATIC),
    METHOD(LOOSE_OCTREE, .update = BP_UPDATE_AUTOMATIC),
    METHOD(LOOSE_OCTREE, .update = BP_UPDATE_INDIVIDUAL),
    METHOD(BVH, .update = BP_UPDATE_AUTOMATIC),
    METHOD(BVH, .update = BP_UPDATE_INDIVIDUAL),
    METHOD(BVH, .update = BP_UPDATE_REBUILD),
    METHOD(BVH, SETTINGS(.bvh_build = BP_BVH_BOTTOM_UP)),
    METHOD(BVH, SETTINGS(.bvh_build = BP_BVH_INSERTION)),
    METHOD(SWEEP_AND_PRUNE, .update = BP_UPDATE_AUTOMATIC),
    METHOD(SWEEP_AND_PRUNE, .update = BP_UPDATE_INDIVIDUAL),
    METHOD(SWEEP_AND_PRUNE, SETTINGS(.sweep_axes = 3)),
};

// ---- scenes ---------------------------------------------------------------------------------------------------------

typedef enum course_kind { ONCE, EVERY_STEP, EVERY_FIVE, SLOWLY } course_kind;
typedef enum motion_kind { ALL_A_LITTLE, FEW_A_LITTLE, ANYWHERE } motion_kind;

static const char *const COURSES[] = {"once", "every step", "every five steps", "slowly"};
static const char *const MOTIONS[] = {"all move a little", "few move a little", "all jump anywhere"};

typedef struct what {
    const char *name;
    double factor; // of the other scale
    double share;  // of the objects that change
    bool in_place; // only their sizes change
} what;

static const what WHATS[] = {
    {"all shrink", 1e-3, 1.0, false},         {"all grow", 1e3, 1.0, false},
    {"half shrink", 1e-3, 0.5, false},        {"half grow", 1e3, 0.5, false},
    {"most shrink", 1e-3, 0.99, false},       {"a tenth shrinks", 1e-3, 0.1, false},
    {"all shrink in place", 1e-3, 1.0, true}, {"all grow in place", 4.0, 1.0, true},
};

typedef struct scene {
    const what *what;
    course_kind course;
    motion_kind motion;
    rng random;
    double edge; // of the domain, in units of an object
    double at[OBJECTS][3];
    bp_box boxes[OBJECTS];
} scene;

static double scale_at(const scene *s, int step) {
    switch (s->course) {
    case ONCE: return step < BEFORE ? 1.0 : s->what->factor;
    case EVERY_STEP: return step % 2 == 0 ? 1.0 : s->what->factor;
    case EVERY_FIVE: return step / 5 % 2 == 0 ? 1.0 : s->what->factor;
    case SLOWLY:
    default: return pow(s->what->factor, fmin(1.0, (double)step / (STEPS - BEFORE)));
    }
}

static void move_objects(scene *s, bool anywhere) {
    const size_t stride = s->motion == FEW_A_LITTLE && !anywhere ? 50 : 1;
    for (size_t i = 0; i < OBJECTS; i += stride) {
        for (int axis = 0; axis < 3; ++axis) {
            s->at[i][axis] = anywhere ? s->edge * rng_unit(&s->random) : s->at[i][axis] + 0.02 * rng_unit(&s->random);
        }
    }
}

static void take_step(scene *s, int step) {
    move_objects(s, step == 0 || s->motion == ANYWHERE);
    const double scale = scale_at(s, step);
    for (size_t i = 0; i < OBJECTS; ++i) {
        const double own = (double)(i % 100) < 100.0 * s->what->share ? scale : 1.0,
                     place = s->what->in_place ? 1.0 : own;
        for (int axis = 0; axis < 3; ++axis) {
            s->boxes[i].min[axis] = (float)(place * s->at[i][axis]);
            s->boxes[i].max[axis] = (float)(place * s->at[i][axis] + own);
        }
    }
}

// ---- the promise ----------------------------------------------------------------------------------------------------

// What a method tests that has no past.
static uint64_t tests_afresh(const scene *s, const bp_config *config) {
    bp_stats stats = {0};
    bp_pairs pairs = {0};
    bp_config once = *config;
    once.update = BP_UPDATE_AUTOMATIC;
    once.stats = &stats;
    assert_int_equal(bp_find_pairs(s->boxes, OBJECTS, &once, &pairs), BP_OK);
    bp_pairs_free(&pairs, &once);
    return stats.tests > OBJECTS ? stats.tests : OBJECTS;
}

static void check_step(const scene *s, int step, const bp_config *config, bp_world *world, const pair_list *expected) {
    bp_result result;
    char text[CONFIG_TEXT];
    (void)config_text(config, text);
    assert_int_equal(step == 0 ? bp_add_many(world, OBJECTS, s->boxes, NULL, NULL)
                               : bp_move_many(world, OBJECTS, NULL, s->boxes),
                     BP_OK);
    assert_int_equal(bp_update(world, &result), BP_OK);
    expect_pairs(result.pairs, result.pair_count, expected, "%s, %s, %s: step %d, %s", s->what->name,
                 COURSES[s->course], MOTIONS[s->motion], step, text);
    const uint64_t afresh = tests_afresh(s, config);
    if (result.stats.tests > MANY_TIMES * afresh) {
        fail_msg("%s, %s, %s: step %d takes %llu tests, %.0f times as many as afresh; %s", s->what->name,
                 COURSES[s->course], MOTIONS[s->motion], step, (unsigned long long)result.stats.tests,
                 (double)result.stats.tests / (double)afresh, text);
    }
}

// All methods side by side, so that the naive result is computed once.
static void run_scene(scene *s) {
    bp_world *worlds[COUNT_OF(CONFIGS)];
    s->random = rng_seeded(17);
    s->edge = 1.5 * cbrt(OBJECTS);
    for (size_t i = 0; i < COUNT_OF(CONFIGS); ++i) {
        assert_int_equal(bp_world_create(&CONFIGS[i], &worlds[i]), BP_OK);
    }
    for (int step = 0; step < (quick() ? 12 : STEPS); ++step) {
        take_step(s, step);
        pair_list expected = naive_pairs(s->boxes, OBJECTS, 3);
        for (size_t i = 0; i < COUNT_OF(CONFIGS); ++i) {
            check_step(s, step, &CONFIGS[i], worlds[i], &expected);
        }
        pair_list_free(&expected);
    }
    for (size_t i = 0; i < COUNT_OF(CONFIGS); ++i) {
        assert_int_equal(bp_world_validate(worlds[i]), BP_OK);
        bp_world_destroy(worlds[i]);
    }
}

static void no_step_takes_many_times_the_work(void **state) {
    const course_kind course = *(const course_kind *)*state;
    scene *s = obtain(1, sizeof *s);
    for (size_t i = 0; i < COUNT_OF(WHATS); ++i) {
        for (int motion = ALL_A_LITTLE; motion <= ANYWHERE; ++motion) {
            if (in_turn()) {
                *s = (scene){.what = &WHATS[i], .course = course, .motion = (motion_kind)motion};
                run_scene(s);
            }
        }
    }
    free(s);
}

// ---- work that is not tests -----------------------------------------------------------------------------------------

// What a sweep would test: so it is known when sweeping is cheaper again than keeping ends in order.
static void overlaps_along_an_axis_are_counted(void **state) {
    (void)state;
    bp_box boxes[200];
    rng random = rng_seeded(3);
    double expected = 0.0;
    for (size_t i = 0; i < COUNT_OF(boxes); ++i) {
        boxes[i] = random_cube(&random, 10, 1);
        for (size_t k = 0; k < i; ++k) {
            expected += boxes[i].min[1] <= boxes[k].max[1] && boxes[k].min[1] <= boxes[i].max[1];
        }
    }
    test_allocator counting;
    test_allocator_init(&counting);
    const bp_runtime runtime = {.allocator = test_allocator_hook(&counting)};
    const bp_pairs none = {0};
    sweep_ends ends;
    bp_sweep_ends_init(&ends, &runtime, 3);
    assert_int_equal(bp_sweep_ends_build(&ends, boxes, COUNT_OF(boxes), &none), BP_OK);
    assert_true(bp_sweep_ends_overlaps(&ends, 1) == expected);
    bp_sweep_ends_free(&ends);
    test_allocator_finish(&counting);
}

// Long boxes shrink so slowly that their ends can be kept in order all the time. When they are short, and move, a sweep
// takes a seventh of the time: it must not be judged by what it cost when they were long.
static void sweeping_is_judged_by_the_boxes_as_they_are(void **state) {
    (void)state;
    enum { COUNT = 10000 };
    const bp_config config = {.method = BP_METHOD_SWEEP_AND_PRUNE};
    bp_box *boxes = obtain(COUNT, sizeof *boxes);
    rng random = rng_seeded(5);
    bp_world *world = NULL;
    bp_result result;
    size_t kept = 0;
    for (size_t i = 0; i < COUNT; ++i) {
        const float x = random_between(&random, 0, 28), y = random_between(&random, 0, 20);
        boxes[i] = box_of(x, y, random_between(&random, 0, 20), 10.0f, 0.1f, 0.1f);
    }
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, COUNT, boxes, NULL, NULL), BP_OK);
    assert_int_equal(bp_update(world, &result), BP_OK);
    for (float length = 10.0f; length > 0.1f; length *= 0.97f) {
        for (size_t i = 0; i < COUNT; ++i) {
            const float way = length < 0.2f ? random_between(&random, -0.05, 0.05) : 0.0f, *min = boxes[i].min;
            boxes[i] = box_of(min[0] + way, min[1] + way, min[2] - way, length, 0.1f, 0.1f);
        }
        assert_int_equal(bp_move_many(world, COUNT, NULL, boxes), BP_OK);
        assert_int_equal(bp_update(world, &result), BP_OK);
        kept += result.stats.levels == 3;
    }
    assert_true(kept > 10);                   // at first
    assert_int_equal(result.stats.levels, 1); // swept, at last
    bp_world_destroy(world);
    free(boxes);
}

int main(void) {
    static course_kind courses[] = {ONCE, EVERY_STEP, EVERY_FIVE, SLOWLY};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(no_step_takes_many_times_the_work, &courses[ONCE]),
        cmocka_unit_test_prestate(no_step_takes_many_times_the_work, &courses[EVERY_STEP]),
        cmocka_unit_test_prestate(no_step_takes_many_times_the_work, &courses[EVERY_FIVE]),
        cmocka_unit_test_prestate(no_step_takes_many_times_the_work, &courses[SLOWLY]),
        cmocka_unit_test(overlaps_along_an_axis_are_counted),
        cmocka_unit_test(sweeping_is_judged_by_the_boxes_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
