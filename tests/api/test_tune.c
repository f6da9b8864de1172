// bp_tune: all candidates are tried, ranked and agree; refusals; a scene with a clear winner.
#include "support/support.h"

#include <broadphase/broadphase_tune.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 3000, RANKED = 64 };

typedef struct story {
    bp_box *boxes;
    size_t calls, steps_seen;
    bp_status status; // what step 1 returns
} story;

// All boxes in step 0; then a tenth of them moves.
static bp_status tell_step(void *context, bp_world *world, size_t step) {
    story *s = context;
    ++s->calls;
    s->steps_seen = step + 1 > s->steps_seen ? step + 1 : s->steps_seen;
    if (step == 0) {
        return bp_add_many(world, COUNT, s->boxes, NULL, NULL);
    }
    if (s->status != BP_OK) {
        return s->status;
    }
    bp_status status = BP_OK;
    for (size_t id = step % 10; id < COUNT && status == BP_OK; id += 10) {
        bp_box box = s->boxes[id];
        box.min[0] += 0.01f * (float)step;
        box.max[0] += 0.01f * (float)step;
        status = bp_move(world, (bp_id)id, &box);
    }
    return status;
}

static story make_story(double extent) {
    rng random = rng_seeded(3);
    story s = {.boxes = obtain(COUNT, sizeof *s.boxes)};
    for (size_t i = 0; i < COUNT; ++i) {
        s.boxes[i] = random_cube(&random, extent, 1.0);
    }
    return s;
}

static bool is_same(const bp_tuned *first, const bp_tuned *second) {
    const bp_method_settings *a = &first->settings, *b = &second->settings;
    return first->config.method == second->config.method && first->config.update == second->config.update &&
           a->hierarchy_factor == b->hierarchy_factor && a->sweep_axes == b->sweep_axes &&
           a->octree_max_objects == b->octree_max_objects && a->bvh_build == b->bvh_build &&
           a->compact_keys == b->compact_keys && a->pivot_layout == b->pivot_layout && a->hash_table == b->hash_table;
}

static void test_ranked(void **state) {
    (void)state;
    story s = make_story(12.0);
    bp_tuned ranked[RANKED];
    size_t found = 0;
    const bp_config config = {.margin = 0.25f, .flags = BP_EVENTS};
    const bp_scenario scenario = {.step = tell_step, .context = &s, .steps = 12};
    assert_int_equal(bp_tune(&config, &scenario, 30.0, ranked, RANKED, &found), BP_OK);
    assert_in_range(found, bp_method_count() - 1, RANKED);
    bool methods[RANKED] = {false};
    for (size_t i = 0; i < found; ++i) {
        assert_true(ranked[i].config.margin == 0.25f && ranked[i].config.flags == BP_EVENTS);
        assert_ptr_equal(ranked[i].config.settings, &ranked[i].settings);
        assert_int_not_equal(ranked[i].config.method, BP_METHOD_AUTO);
        methods[ranked[i].config.method] = true;
        assert_true(ranked[i].runs > 0 && ranked[i].seconds > 0.0 && ranked[i].spread >= 0.0);
        for (size_t k = 0; k < i; ++k) {
            assert_false(is_same(&ranked[i], &ranked[k]));
        }
        if (i > 0 && ranked[i].steps == ranked[i - 1].steps && ranked[i].runs == ranked[i - 1].runs &&
            ranked[i].steps < 12) {
            assert_true(ranked[i].seconds >= ranked[i - 1].seconds);
        }
    }
    for (size_t method = 1; method < bp_method_count(); ++method) {
        assert_true(methods[method]);
    }
    // Halving: the winner has run all steps, the last candidate has not.
    assert_int_equal(ranked[0].steps, 12);
    assert_true(ranked[found - 1].steps < 12);
    assert_int_equal(s.steps_seen, 12);
    free(s.boxes);
}

static void test_short_budget_and_room(void **state) {
    (void)state;
    story s = make_story(12.0);
    bp_tuned ranked[2];
    size_t found = 0;
    const bp_scenario scenario = {.step = tell_step, .context = &s, .steps = 1};
    assert_int_equal(bp_tune(NULL, &scenario, 0.0, ranked, 2, &found), BP_OK);
    assert_true(found > 2);
    assert_int_equal(ranked[0].runs, 1);
    assert_int_equal(ranked[1].runs, 0);
    assert_int_equal(bp_tune(NULL, &scenario, 0.0, NULL, 0, NULL), BP_OK);
    free(s.boxes);
}

static void test_refusals(void **state) {
    (void)state;
    story s = make_story(12.0);
    bp_tuned ranked[2];
    test_log log = {0};
    bp_config config = {.log = test_log_hook(&log)};
    bp_scenario scenario = {.step = tell_step, .context = &s, .steps = 3};
    assert_int_equal(bp_tune(&config, NULL, 1.0, ranked, 2, NULL), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_tune(&config, &scenario, -1.0, ranked, 2, NULL), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_tune(&config, &scenario, 1.0, NULL, 2, NULL), BP_ERROR_ARGUMENT);
    scenario.steps = 0;
    assert_int_equal(bp_tune(&config, &scenario, 1.0, ranked, 2, NULL), BP_ERROR_ARGUMENT);
    scenario.steps = 3;
    scenario.reserved[1] = 1;
    assert_int_equal(bp_tune(&config, &scenario, 1.0, ranked, 2, NULL), BP_ERROR_ARGUMENT);
    assert_int_equal(log.count, 5);
    scenario.reserved[1] = 0;
    s.status = BP_ERROR_ID;
    assert_int_equal(bp_tune(&config, &scenario, 1.0, ranked, 2, NULL), BP_ERROR_ID);
    config.threads = -7;
    assert_int_equal(bp_tune(&config, &scenario, 1.0, ranked, 2, NULL), BP_ERROR_ARGUMENT);
    free(s.boxes);
}

static void test_refused_memory(void **state) {
    (void)state;
    story s = make_story(12.0);
    bp_tuned ranked[RANKED];
    test_allocator allocator;
    const bp_scenario scenario = {.step = tell_step, .context = &s, .steps = 2};
    for (size_t fail_at = 1; fail_at < 40; fail_at += 3) {
        test_allocator_init(&allocator);
        const bp_config config = {.allocator = test_allocator_hook(&allocator)};
        test_allocator_fail(&allocator, fail_at, false);
        const bp_status status = bp_tune(&config, &scenario, 0.0, ranked, RANKED, NULL);
        assert_true(status == BP_OK || status == BP_ERROR_MEMORY);
        test_allocator_finish(&allocator);
    }
    free(s.boxes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranked),
        cmocka_unit_test(test_short_budget_and_room),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_refused_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
