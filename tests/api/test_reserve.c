// bp_world_reserve: what is reserved is added without allocating.
#include "support/world_streams.h"

#include <stdlib.h>
#include <string.h>

static bp_status add_wide(bp_world *world, size_t count, const bp_box *boxes, const bp_object *objects) {
    bp_status status = BP_OK;
    for (size_t i = 0; i < count && status == BP_OK; ++i) {
        bp_box_double box;
        for (int axis = 0; axis < 3; ++axis) {
            box.min[axis] = (double)boxes[i].min[axis];
            box.max[axis] = (double)boxes[i].max[axis];
        }
        status = bp_add_double(world, &box, &objects[i], NULL);
    }
    return status;
}

typedef enum manner { ONE_BY_ONE, ALL_AT_ONCE, IN_64_BITS } manner;

static bp_status add_all(bp_world *world, size_t count, const bp_box *boxes, const bp_object *objects, manner how) {
    bp_status status = BP_OK;
    if (how == ALL_AT_ONCE) {
        return bp_add_many(world, count, boxes, objects, NULL);
    }
    if (how == IN_64_BITS) {
        return add_wide(world, count, boxes, objects);
    }
    for (size_t i = 0; i < count && status == BP_OK; ++i) {
        status = bp_add(world, &boxes[i], &objects[i], NULL);
    }
    return status;
}

static void check_reserve(bp_config config, size_t before, size_t removed, size_t count, manner how) {
    test_allocator allocator;
    char text[CONFIG_TEXT];
    bp_box *boxes = obtain(before + count, sizeof *boxes);
    bp_object *objects = obtain(count, sizeof *objects);
    make_boxes(boxes, before + count);
    objects[count / 2].group = 2;
    test_allocator_init(&allocator);
    config.allocator = test_allocator_hook(&allocator);
    bp_world *world = make_world(&config, boxes, before);
    if (how == IN_64_BITS) { // from now on it keeps such boxes
        assert_int_equal(bp_add_many_double(world, 0, NULL, NULL, NULL), BP_OK);
    }
    assert_int_equal(bp_update(world, NULL), BP_OK);
    for (bp_id id = 0; id < removed; ++id) {
        assert_int_equal(bp_remove(world, 2 * id), BP_OK);
    }
    assert_int_equal(bp_world_reserve(world, count), BP_OK);
    test_allocator_fail(&allocator, 1, true);
    assert_int_equal(add_all(world, count, boxes + before, objects, how), BP_OK);
    if (allocator.calls > 0) {
        fail_msg("%zu allocations after reserving %zu beside %zu less %zu: %s", allocator.calls, count, before, removed,
                 config_text(&config, text));
    }
    test_allocator_fail(&allocator, 0, false);
    assert_int_equal(bp_update(world, NULL), BP_OK);
    assert_int_equal(bp_world_validate(world), BP_OK);
    assert_int_equal(bp_world_count(world), before - removed + count);
    bp_world_destroy(world);
    test_allocator_finish(&allocator);
    free(boxes);
    free(objects);
}

static void what_is_reserved_is_added_without_allocating(void **state) {
    (void)state;
    static const bp_config options[] = {{0},
                                        {.flags = BP_EVENTS},
                                        {.margin = 0.1f},
                                        {.margin = 0.1f, .dimensions = 2},
                                        {.period = {8.0f, 8.0f, 8.0f}, .shape = BP_SHAPE_SPHERES}};
    for (size_t method = 0; method < bp_method_count(); ++method) {
        for (size_t i = 0; i < COUNT_OF(options); ++i) {
            bp_config config = options[i];
            config.method = (bp_method)method;
            if (config.dimensions == 2 && (bp_method_supports(method) & BP_SUPPORTS_2D) == 0) {
                continue;
            }
            for (int how = ONE_BY_ONE; how <= IN_64_BITS; ++how) {
                if (in_short_turn(7)) {
                    check_reserve(config, 0, 0, 3000, (manner)how);
                    check_reserve(config, 500, 100, 1500, (manner)how);
                    check_reserve(config, 500, 100, 80, (manner)how);
                }
            }
        }
    }
}

static void a_reserve_that_is_refused_leaves_the_world(void **state) {
    (void)state;
    test_allocator allocator;
    test_log log = {.count = 0};
    test_allocator_init(&allocator);
    const bp_config config = {.allocator = test_allocator_hook(&allocator), .log = test_log_hook(&log)};
    bp_world *world = large_world(&config);
    stream expected = save(world);
    bool refused = true;
    for (size_t k = 1; refused; ++k) {
        test_allocator_fail(&allocator, k, true);
        const bp_status status = bp_world_reserve(world, 40000);
        refused = allocator.refused > 0;
        assert_true(status == BP_OK || (status == BP_ERROR_MEMORY && refused));
        test_allocator_fail(&allocator, 0, false);
        expect_bytes(world, &expected);
        assert_int_equal(bp_world_validate(world), BP_OK);
    }
    assert_int_equal(bp_world_reserve(world, SIZE_MAX), BP_ERROR_ARGUMENT);
    assert_non_null(strstr(log.text, "full"));
    assert_int_equal(bp_world_reserve(world, BP_MAX_COUNT), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_world_reserve(NULL, 1), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_update(world, NULL), BP_OK);
    expect_bytes(world, &expected);
    bp_world_destroy(world);
    test_allocator_finish(&allocator);
    stream_free(&expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_reserved_is_added_without_allocating),
        cmocka_unit_test(a_reserve_that_is_refused_leaves_the_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
