// Ids and handles; calls for many objects at once.
#include "support/support.h"

#include <math.h>
#include <stdlib.h>

enum { COUNT = 20000, LIVES = 60000 };

static bp_world *world_of(size_t count, bp_config config) {
    bp_world *world;
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    for (size_t i = 0; i < count; ++i) {
        const bp_box box = cube_of((float)i, 0, 0, 1.0f);
        assert_int_equal(bp_add(world, &box, NULL, NULL), BP_OK);
    }
    return world;
}

static size_t pairs_after_update(bp_world *world) {
    bp_result result;
    assert_int_equal(bp_update(world, &result), BP_OK);
    assert_int_equal(bp_world_validate(world), BP_OK);
    return result.pair_count;
}

// ---- ids ------------------------------------------------------------------------------------------------------------

static void the_smallest_free_id_is_used_first(void **state) {
    bool *is_alive = obtain(COUNT, sizeof *is_alive);
    bp_world *world = world_of(0, (bp_config){0});
    rng random = rng_seeded(1);
    size_t smallest = 0, living = 0;
    (void)state;
    for (int round = 0; round < 40; ++round) {
        for (uint32_t left = rng_below(&random, COUNT); left > 0 && living < COUNT; --left, ++living) {
            const bp_box box = random_cube(&random, 100.0, 1.0);
            bp_id id;
            for (; is_alive[smallest]; ++smallest) {
            }
            assert_int_equal(bp_add(world, &box, NULL, &id), BP_OK);
            assert_int_equal(id, smallest);
            is_alive[id] = true;
        }
        for (uint32_t left = rng_below(&random, COUNT); left > 0; --left) {
            const bp_id id = rng_below(&random, COUNT);
            assert_int_equal(bp_remove(world, id), is_alive[id] ? BP_OK : BP_ERROR_ID);
            living -= is_alive[id];
            is_alive[id] = false;
            smallest = id < smallest ? id : smallest;
        }
        size_t walked = 0;
        for (bp_id id = bp_next_id(world, BP_NO_ID); id != BP_NO_ID; id = bp_next_id(world, id), ++walked) {
            assert_true(is_alive[id]);
        }
        assert_int_equal(walked, living);
        assert_int_equal(bp_world_count(world), living);
        assert_int_equal(bp_world_validate(world), BP_OK);
    }
    bp_world_destroy(world);
    free(is_alive);
}

// ---- handles --------------------------------------------------------------------------------------------------------

static int compare_handles(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void no_handle_is_used_again(void **state) {
    uint64_t *handles = obtain(LIVES, sizeof *handles);
    bp_world *world = world_of(0, (bp_config){0});
    const bp_box box = cube_of(0, 0, 0, 1);
    bp_id id = 0;
    (void)state;
    for (size_t i = 0; i < LIVES; ++i) {
        assert_int_equal(bp_add(world, &box, NULL, &id), BP_OK);
        handles[i] = bp_handle_of(world, id);
        assert_true(handles[i] != 0);
        if (i % 1000 == 999) {
            assert_int_equal(bp_world_clear(world), BP_OK);
        } else if (i % 3 != 0) {
            bp_id named = BP_NO_ID;
            assert_int_equal(bp_id_of(world, handles[i], &named), BP_OK);
            assert_int_equal(named, id);
            assert_int_equal(bp_remove(world, id), BP_OK);
            assert_int_equal(bp_handle_of(world, id), 0);
            named = 77;
            assert_int_equal(bp_id_of(world, handles[i], &named), BP_ERROR_ID);
            assert_int_equal(named, 77);
        }
    }
    qsort(handles, LIVES, sizeof *handles, compare_handles);
    for (size_t i = 1; i < LIVES; ++i) {
        assert_true(handles[i - 1] != handles[i]);
    }
    assert_int_equal(bp_id_of(world, 0, &id), BP_ERROR_ID);
    assert_int_equal(bp_id_of(world, UINT64_MAX, &id), BP_ERROR_ID);
    assert_int_equal(bp_id_of(world, 1, NULL), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_id_of(NULL, 1, &id), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_handle_of(NULL, 0), 0);
    assert_int_equal(bp_handle_of(world, BP_NO_ID), 0);
    bp_world_destroy(world);
    free(handles);
}

// A handle stays with its object through moves, updates and what becomes of others.
static void a_handle_stays_with_its_object(void **state) {
    uint64_t handles[200];
    bp_world *world = world_of(200, (bp_config){.flags = BP_EVENTS});
    (void)state;
    for (bp_id id = 0; id < 200; ++id) handles[id] = bp_handle_of(world, id);
    for (bp_id id = 0; id < 200; id += 2) assert_int_equal(bp_remove(world, id), BP_OK);
    (void)pairs_after_update(world);
    for (bp_id id = 0; id < 50; ++id) {
        const bp_box box = cube_of(5, 5, 5, 1);
        assert_int_equal(bp_add(world, &box, NULL, NULL), BP_OK);
    }
    (void)pairs_after_update(world);
    for (bp_id id = 0; id < 200; ++id) {
        bp_id named = BP_NO_ID;
        assert_int_equal(bp_id_of(world, handles[id], &named), id % 2 == 0 ? BP_ERROR_ID : BP_OK);
        assert_int_equal(named, id % 2 == 0 ? BP_NO_ID : id);
    }
    bp_world_destroy(world);
}

// ---- many at once ---------------------------------------------------------------------------------------------------

static void many_are_removed_or_none(void **state) {
    const bp_id ids[] = {3, 7, 3, 9}, wrong[] = {1, 2, 50};
    bp_result result;
    bp_world *world = world_of(50, (bp_config){.flags = BP_EVENTS});
    (void)state;
    assert_int_equal(pairs_after_update(world), 49);
    assert_int_equal(bp_remove_many(world, 3, wrong), BP_ERROR_ID);
    assert_int_equal(bp_world_count(world), 50);
    assert_int_equal(bp_remove_many(world, 51, NULL), BP_ERROR_ID);
    assert_int_equal(bp_remove_many(world, 4, ids), BP_OK);
    assert_int_equal(bp_world_count(world), 47);
    assert_int_equal(bp_remove_many(world, 4, ids), BP_ERROR_ID);
    assert_int_equal(bp_remove_many(world, 3, NULL), BP_OK);
    assert_int_equal(bp_remove_many(world, 0, NULL), BP_OK);
    assert_int_equal(bp_remove_many(NULL, 0, NULL), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_update(world, &result), BP_OK);
    assert_int_equal(bp_world_validate(world), BP_OK);
    assert_int_equal(result.pair_count, 49 - 4 - 2 - 2);
    assert_int_equal(result.ended_count, 4 + 2 + 2);
    bp_world_destroy(world);
}

static void many_objects_are_set_or_none(void **state) {
    const bp_object still[3] = {{.flags = BP_STATIC}, {.flags = BP_STATIC, .user = 5}, {.flags = BP_STATIC}};
    const bp_object wrong[2] = {{.user = 1}, {.flags = 8}};
    const bp_id ids[] = {3, 4, 5}, twice[] = {8, 8, 8}, dead[] = {8, 99};
    bp_world *world = world_of(50, (bp_config){0});
    bp_object read;
    (void)state;
    assert_int_equal(pairs_after_update(world), 49);
    assert_int_equal(bp_set_objects(world, 3, ids, still), BP_OK);
    assert_int_equal(pairs_after_update(world), 47);
    assert_int_equal(bp_set_objects(world, 2, NULL, wrong), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_set_objects(world, 2, dead, still), BP_ERROR_ID);
    assert_int_equal(bp_get_object(world, 0, NULL, &read), BP_OK);
    assert_int_equal(read.user, 0);
    assert_int_equal(bp_get_object(world, 4, NULL, &read), BP_OK);
    assert_int_equal(read.user, 5);
    assert_int_equal(bp_set_objects(world, 2, twice, still), BP_OK);
    assert_int_equal(bp_get_object(world, 8, NULL, &read), BP_OK);
    assert_int_equal(read.user, 5);
    assert_int_equal(bp_set_objects(world, 50, NULL, NULL), BP_OK);
    assert_int_equal(pairs_after_update(world), 49);
    assert_int_equal(bp_set_objects(NULL, 0, NULL, NULL), BP_ERROR_ARGUMENT);
    bp_world_destroy(world);
}

static void a_world_is_cleared(void **state) {
    bp_result result;
    (void)state;
    for (size_t method = 0; method < bp_method_count(); ++method) {
        bp_world *world = world_of(300, (bp_config){.method = (bp_method)method, .flags = BP_EVENTS});
        bp_id id = BP_NO_ID;
        const bp_box box = cube_of(0, 0, 0, 1);
        assert_int_equal(pairs_after_update(world), 299);
        assert_int_equal(bp_world_clear(world), BP_OK);
        assert_int_equal(bp_world_count(world), 0);
        assert_int_equal(bp_next_id(world, BP_NO_ID), BP_NO_ID);
        assert_int_equal(bp_add(world, &box, NULL, &id), BP_OK);
        assert_int_equal(id, 0);
        assert_int_equal(bp_update(world, &result), BP_OK);
        assert_int_equal(result.pair_count, 0);
        assert_int_equal(result.ended_count, 299);
        assert_int_equal(bp_world_validate(world), BP_OK);
        bp_world_destroy(world);
    }
    assert_int_equal(bp_world_clear(NULL), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_next_id(NULL, BP_NO_ID), BP_NO_ID);
}

// ---- nearest --------------------------------------------------------------------------------------------------------

static void nearest_in_64_bits_is_not_rounded(void **state) {
    const bp_box_double box = {{0.1, 0, 0}, {0.2, 1, 1}}, same = {{0.1 + 1e-12, 0, 0}, {0.2, 1, 1}};
    const double point[3] = {-0.3, 0.5, 0.5}, wrong[3] = {0, NAN, 0};
    bp_near_double near[3];
    size_t found = 0;
    bp_world *world = world_of(0, (bp_config){0});
    (void)state;
    assert_int_equal(bp_add_double(world, &same, NULL, NULL), BP_OK);
    assert_int_equal(bp_add_double(world, &box, NULL, NULL), BP_OK);
    assert_int_equal(bp_query_nearest_double(world, point, 3, NULL, near, &found), BP_OK);
    assert_int_equal(found, 2);
    assert_true(near[0].id == 1 && near[0].distance == 0.1 + 0.3 && near[1].id == 0);
    assert_true(near[1].distance == 0.1 + 1e-12 + 0.3);
    assert_int_equal(bp_query_nearest_double(world, point, 1, NULL, near, NULL), BP_OK);
    assert_int_equal(near[0].id, 1);
    assert_int_equal(bp_query_nearest_double(world, wrong, 1, NULL, near, &found), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_query_nearest_double(world, NULL, 1, NULL, near, &found), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_query_nearest_double(world, point, 1, NULL, NULL, &found), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_query_nearest_double(world, point, 0, NULL, near, &found), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_query_nearest_double(NULL, point, 1, NULL, near, &found), BP_ERROR_ARGUMENT);
    bp_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_smallest_free_id_is_used_first), cmocka_unit_test(no_handle_is_used_again),
        cmocka_unit_test(a_handle_stays_with_its_object),     cmocka_unit_test(many_are_removed_or_none),
        cmocka_unit_test(many_objects_are_set_or_none),       cmocka_unit_test(a_world_is_cleared),
        cmocka_unit_test(nearest_in_64_bits_is_not_rounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
