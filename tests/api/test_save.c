// Saving and continuing: the same world, the same bytes, the same pairs and events.
//
// A failure prints the seed. BP_TEST_SEED=n adds one more.
#include "support/world_streams.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t SEEDS[] = {1, 20100315, 0xfeedface};

// ---- a life: random changes, done to one world or to two ------------------------------------------------------------

enum { OBJECTS_MOST = 300 };

typedef struct life {
    bp_world *worlds[2];
    size_t world_count;
    bp_config config;
    bool wide; // boxes are given in 64 bits
    uint64_t seed;
    rng random;
    int step;
    bool alive[OBJECTS_MOST];
    bp_box boxes[OBJECTS_MOST];
    uint32_t id_count;
} life;

// Where space repeats, boxes may not be longer than that.
static bp_box draw_box(life *l) {
    return l->config.period[0] > 0.0f ? random_cube(&l->random, 20.0, rng_between(&l->random, 0.0, 1.5))
                                      : random_wild_box(&l->random, l->boxes, l->id_count);
}

// Coordinates that no float has.
static bp_box_double widen(const bp_box *box) {
    bp_box_double wide;
    for (int axis = 0; axis < 3; ++axis) {
        wide.min[axis] = (double)box->min[axis] * (1.0 + 1e-12);
        wide.max[axis] = (double)box->max[axis] * (1.0 + 1e-12);
    }
    return wide;
}

static bp_status add_box(const life *l, bp_world *world, const bp_box *box, const bp_object *object, bp_id *id) {
    const bp_box_double wide = widen(box);
    return l->wide ? bp_add_double(world, &wide, object, id) : bp_add(world, box, object, id);
}

static bp_status move_box(const life *l, bp_world *world, bp_id id, const bp_box *box) {
    const bp_box_double wide = widen(box);
    return l->wide ? bp_move_double(world, id, &wide) : bp_move(world, id, box);
}

static bp_object draw_object(life *l) {
    return (bp_object){.group = (uint64_t)rng_below(&l->random, 4) << 31,
                       .mask = (uint64_t)rng_below(&l->random, 4) << 31,
                       .flags = rng_below(&l->random, 4) == 0 ? BP_STATIC : 0,
                       .island = rng_below(&l->random, 8) == 0,
                       .user = rng_next(&l->random)};
}

static bool pick(life *l, bp_id *id) {
    for (int tries = 0; tries < 1000 && l->id_count > 0; ++tries) {
        *id = rng_below(&l->random, l->id_count);
        if (l->alive[*id]) {
            return true;
        }
    }
    return false;
}

static void do_add(life *l) {
    const bp_box box = draw_box(l);
    const bp_object object = rng_below(&l->random, 2) == 0 ? draw_object(l) : (bp_object){0};
    bp_id ids[2] = {0, 0};
    for (size_t i = 0; i < l->world_count; ++i) {
        assert_int_equal(add_box(l, l->worlds[i], &box, &object, &ids[i]), BP_OK);
        assert_int_equal(ids[i], ids[0]);
    }
    l->alive[ids[0]] = true;
    l->boxes[ids[0]] = box;
    l->id_count = ids[0] >= l->id_count ? ids[0] + 1 : l->id_count;
}

static void do_move(life *l, bp_id id) {
    bp_box box = draw_box(l);
    if (rng_below(&l->random, 4) != 0) { // usually not far
        box = l->boxes[id];
        for (int axis = 0; axis < 3; ++axis) {
            const float shift = random_between(&l->random, -0.2, 0.2);
            box.min[axis] += shift;
            box.max[axis] += shift;
        }
    }
    l->boxes[id] = box;
    for (size_t i = 0; i < l->world_count; ++i) {
        assert_int_equal(move_box(l, l->worlds[i], id, &box), BP_OK);
    }
}

// By less than a margin: then that is no change.
static void nudge(life *l) {
    for (bp_id id = 0; id < l->id_count; ++id) {
        for (int axis = 0; axis < 3; ++axis) {
            const float shift = random_between(&l->random, -0.08, 0.08);
            l->boxes[id].min[axis] += shift;
            l->boxes[id].max[axis] += shift;
        }
        for (size_t i = 0; l->alive[id] && i < l->world_count; ++i) {
            assert_int_equal(move_box(l, l->worlds[i], id, &l->boxes[id]), BP_OK);
        }
    }
}

static void do_remove(life *l, bp_id id) {
    l->alive[id] = false;
    for (size_t i = 0; i < l->world_count; ++i) {
        assert_int_equal(bp_remove(l->worlds[i], id), BP_OK);
    }
}

static void do_set_object(life *l, bp_id id) {
    const bp_object object = draw_object(l);
    for (size_t i = 0; i < l->world_count; ++i) {
        assert_int_equal(bp_set_object(l->worlds[i], id, &object), BP_OK);
    }
}

static void change(life *l) {
    bp_id id;
    const uint32_t kind = rng_below(&l->random, 10);
    if (kind < 3 && l->id_count < OBJECTS_MOST) {
        do_add(l);
    } else if (pick(l, &id)) {
        if (kind < 7) {
            do_move(l, id);
        } else if (kind < 9) {
            do_remove(l, id);
        } else {
            do_set_object(l, id);
        }
    }
}

static void expect_same_list(const life *l, const char *what, const bp_pair *loaded, size_t loaded_count,
                             const bp_pair *original, size_t original_count) {
    char text[CONFIG_TEXT];
    expect_same_bytes(loaded, loaded_count, original, original_count, "%s of the loaded world: seed=%llu step=%d %s",
                      what, (unsigned long long)l->seed, l->step, config_text(&l->config, text));
}

static void update(life *l) {
    bp_result r[2];
    for (size_t i = 0; i < l->world_count; ++i) {
        assert_int_equal(bp_update(l->worlds[i], &r[i]), BP_OK);
    }
    if (l->world_count == 2) {
        expect_same_list(l, "begun", r[1].begun, r[1].begun_count, r[0].begun, r[0].begun_count);
        expect_same_list(l, "ended", r[1].ended, r[1].ended_count, r[0].ended, r[0].ended_count);
        expect_same_list(l, "pairs", r[1].pairs, r[1].pair_count, r[0].pairs, r[0].pair_count);
    }
}

// `steps` steps, each a few changes and an update; then some changes that no update has seen.
static void live(life *l, int steps, uint32_t pending) {
    for (l->step = 0; l->step < steps; ++l->step) {
        for (uint32_t i = rng_below(&l->random, 20); i > 0; --i) {
            change(l);
        }
        update(l);
    }
    for (uint32_t i = 0; i < pending; ++i) {
        change(l);
    }
}

static life *life_begin(bp_config config, bool wide, uint64_t seed) {
    life *l = obtain(1, sizeof *l);
    l->config = config;
    l->config.pair_order = BP_ORDER_SORTED;
    l->config.flags |= BP_EVENTS;
    l->wide = wide;
    l->seed = seed;
    l->random = rng_seeded(seed);
    l->world_count = 1;
    assert_int_equal(bp_world_create(&l->config, &l->worlds[0]), BP_OK);
    for (int i = 0; i < 150; ++i) {
        do_add(l);
    }
    return l;
}

static void life_end(life *l) {
    for (size_t i = 0; i < l->world_count; ++i) {
        assert_int_equal(bp_world_validate(l->worlds[i]), BP_OK);
        bp_world_destroy(l->worlds[i]);
    }
    free(l);
}

static void expect_same_objects(const life *l) {
    assert_int_equal(bp_world_count(l->worlds[0]), bp_world_count(l->worlds[1]));
    for (bp_id id = 0; id <= OBJECTS_MOST; ++id) {
        bp_box_double box[2];
        bp_object object[2];
        const bp_status status = bp_get_object_double(l->worlds[0], id, &box[0], &object[0]);
        assert_int_equal(bp_get_object_double(l->worlds[1], id, &box[1], &object[1]), status);
        if (status == BP_OK) {
            assert_memory_equal(&box[0], &box[1], sizeof box[0]);
            assert_memory_equal(&object[0], &object[1], sizeof object[0]);
        }
    }
}

// ---- round trips ----------------------------------------------------------------------------------------------------

// Saves, loads, and continues both worlds in parallel.
static void check_replay(bp_config config, bool wide, uint64_t seed, int steps_before, uint32_t pending) {
    if (!in_short_turn(3)) {
        return;
    }
    life *l = life_begin(config, wide, seed);
    live(l, steps_before, pending);
    if (config.margin > 0.0f) {
        nudge(l);
    }
    stream first = save(l->worlds[0]);
    l->worlds[1] = load(&l->config, &first);
    l->world_count = 2;
    assert_int_equal(bp_world_validate(l->worlds[1]), BP_OK);
    expect_same_objects(l);
    stream second = save(l->worlds[1]);
    assert_true(same_bytes(&first, &second));
    if (pending % 2 == 0) { // as it is, or after more has changed
        update(l);
    }
    live(l, quick() ? 10 : 50, 3);
    stream third = save(l->worlds[0]), fourth = save(l->worlds[1]);
    assert_true(same_bytes(&third, &fourth));
    stream *streams[] = {&first, &second, &third, &fourth};
    for (size_t i = 0; i < COUNT_OF(streams); ++i) {
        stream_free(streams[i]);
    }
    life_end(l);
}

static void check_replays(bp_config config, bool wide) {
    for (size_t i = 0; i < COUNT_OF(SEEDS); ++i) {
        check_replay(config, wide, SEEDS[i], 0, 0); // never updated
        check_replay(config, wide, SEEDS[i], 1, 0);
        check_replay(config, wide, SEEDS[i], 10, 40);
        check_replay(config, wide, SEEDS[i], quick() ? 20 : 100, 7);
    }
    const uint64_t free_seed = environment_number("BP_TEST_SEED", 0);
    if (free_seed != 0) {
        check_replay(config, wide, free_seed, 30, 10);
    }
}

static void every_method_goes_on_where_it_was(void **state) {
    (void)state;
    for (size_t method = 0; method < bp_method_count(); ++method) {
        for (uint32_t dimensions = 2; dimensions <= 3; ++dimensions) {
            if (dimensions == 2 && (bp_method_supports(method) & BP_SUPPORTS_2D) == 0) {
                continue;
            }
            bp_config config = {.method = (bp_method)method, .dimensions = dimensions};
            check_replays(config, false);
            config.settings = &ALWAYS_A_GRID;
            config.threads = 3;
            check_replays(config, false);
            config.margin = 0.1f;
            check_replays(config, false);
        }
    }
}

static void every_kind_of_world_goes_on_where_it_was(void **state) {
    (void)state;
    static const bp_config kinds[] = {
        {0},
        {.shape = BP_SHAPE_SPHERES},
        {.period = {8.0f, 8.0f, 8.0f}},
        {.period = {8.0f, 0, 9.0f}, .shape = BP_SHAPE_SPHERES},
    };
    for (size_t i = 0; i < COUNT_OF(kinds); ++i) {
        for (int variant = 0; variant < 8; ++variant) {
            bp_config config = kinds[i];
            config.dimensions = (variant & 1) != 0 ? 2 : 3;
            config.margin = (variant & 2) != 0 ? 0.1f : 0.0f;
            check_replays(config, (variant & 4) != 0);
        }
    }
}

// Saved by one method, loaded by another: it is the same world.
static void a_world_moves_from_method_to_method(void **state) {
    (void)state;
    const bp_config config = {0};
    life *l = life_begin(config, false, 5);
    live(l, 5, 10);
    stream saved = save(l->worlds[0]);
    for (size_t method = 0; method < bp_method_count(); ++method) {
        bp_config other = l->config;
        other.method = (bp_method)method;
        bp_world *loaded = load(&other, &saved);
        stream again = save(loaded);
        assert_true(same_bytes(&saved, &again));
        assert_int_equal(bp_update(loaded, NULL), BP_OK);
        stream_free(&again);
        bp_world_destroy(loaded);
    }
    stream_free(&saved);
    life_end(l);
}

// Saved by a world without events, loaded by one with events: it reports those that it can know.
static void events_can_begin_with_loading(void **state) {
    (void)state;
    const bp_box boxes[] = {cube_of(0, 0, 0, 1), cube_of(0.5f, 0, 0, 1), cube_of(0, 0.5f, 0, 1)};
    const bp_config events = {.flags = BP_EVENTS};
    bp_world *world = make_world(NULL, boxes, 3);
    assert_int_equal(bp_update(world, NULL), BP_OK);
    remove_all(world, &(bp_id){1}, 1);
    stream saved = save(world);
    bp_world *loaded = load(&events, &saved);
    bp_id id = 9;
    bp_result result;
    assert_int_equal(bp_add(loaded, &boxes[1], NULL, &id),
                     BP_OK); // another object, with the id and the place of the first
    assert_int_equal(id, 1);
    assert_int_equal(bp_update(loaded, &result), BP_OK);
    assert_int_equal(result.pair_count, 3);
    assert_int_equal(result.ended_count, 2);
    assert_int_equal(result.begun_count, 2);
    bp_world_destroy(loaded);
    bp_world_destroy(world);
    stream_free(&saved);
}

static void an_empty_world_is_saved_too(void **state) {
    (void)state;
    for (int wide = 0; wide < 2; ++wide) {
        bp_world *world = make_world(NULL, NULL, 0);
        if (wide != 0) {
            assert_int_equal(bp_add_many_double(world, 0, NULL, NULL, NULL), BP_OK);
        }
        stream saved = save(world);
        bp_world *loaded = load(NULL, &saved);
        assert_int_equal(bp_world_count(loaded), 0);
        expect_bytes(loaded, &saved);
        assert_int_equal(bp_update(loaded, NULL), BP_OK);
        expect_bytes(loaded, &saved);
        bp_world_destroy(loaded);
        bp_world_destroy(world);
        stream_free(&saved);
    }
}

// ---- the same bytes for the same state ------------------------------------------------------------------------------

static void bytes_do_not_depend_on_how_pairs_are_found(void **state) {
    (void)state;
    enum { COUNT = 2000 };
    bp_box *boxes = obtain(COUNT, sizeof *boxes);
    make_boxes(boxes, COUNT);
    bp_world *first = make_world(NULL, boxes, COUNT);
    assert_int_equal(bp_update(first, NULL), BP_OK);
    stream expected = save(first);
    expect_bytes(first, &expected);
    for (size_t method = 0; method < bp_method_count(); ++method) {
        for (int variant = 0; variant < 4; ++variant) {
            const bp_config config = {.method = (bp_method)method,
                                      .threads = 1 + 2 * (variant & 1),
                                      .pair_order = (bp_pair_order)(variant >> 1),
                                      .flags = variant == 3 ? BP_EVENTS : 0};
            bp_world *world = make_world(&config, boxes, COUNT);
            assert_int_equal(bp_update(world, NULL), BP_OK);
            expect_bytes(world, &expected);
            bp_world_destroy(world);
        }
    }
    bp_world_destroy(first);
    stream_free(&expected);
    free(boxes);
}

// Holes made in another order, ids at the end that came and went, an object that was special for a while.
static void bytes_do_not_depend_on_history(void **state) {
    (void)state;
    enum { COUNT = 40 };
    static const bp_id up[] = {3, 9, 17, 30}, down[] = {30, 17, 9, 3};
    const bp_object special = {.island = 7, .user = 1};
    bp_box boxes[COUNT + 5];
    make_boxes(boxes, COUNT + 5);
    bp_world *plain = make_world(NULL, boxes, COUNT), *busy = make_world(NULL, boxes, COUNT + 5);
    remove_all(plain, up, COUNT_OF(up));
    assert_int_equal(bp_set_object(busy, 5, &special), BP_OK);
    assert_int_equal(bp_set_object(busy, 5, NULL), BP_OK);
    assert_int_equal(bp_set_object(busy, 17, &special), BP_OK);
    assert_int_equal(bp_update(busy, NULL), BP_OK);
    remove_all(busy, down, COUNT_OF(down));
    for (bp_id id = COUNT; id < COUNT + 5; ++id) {
        assert_int_equal(bp_remove(busy, id), BP_OK);
    }
    for (int round = 0; round < 2; ++round) { // the second time nothing has changed since the last update
        assert_int_equal(bp_update(busy, NULL), BP_OK);
        assert_int_equal(bp_update(plain, NULL), BP_OK);
        stream expected = save(plain);
        expect_bytes(busy, &expected);
        stream_free(&expected);
    }
    bp_world_destroy(plain);
    bp_world_destroy(busy);
}

// ---- callbacks ------------------------------------------------------------------------------------------------------

typedef struct meddler {
    bp_world *world;
    stream stream;
    size_t refusals, others;
} meddler;

static int meddle(void *context, const void *bytes, size_t size) {
    meddler *m = context;
    const bp_box box = cube_of(0, 0, 0, 1);
    const bp_id id = 0;
    const bp_status refused[] = {
        bp_add(m->world, &box, NULL, NULL), bp_move(m->world, id, &box),       bp_remove(m->world, id),
        bp_set_object(m->world, id, NULL),  bp_world_reserve(m->world, 10000), bp_update(m->world, NULL)};
    for (size_t i = 0; i < COUNT_OF(refused); ++i) {
        m->refusals += refused[i] == BP_ERROR_ARGUMENT;
        m->others += refused[i] != BP_ERROR_ARGUMENT;
    }
    return stream_write(&m->stream, bytes, size);
}

static void a_callback_cannot_change_what_is_saved(void **state) {
    (void)state;
    bp_world *world = large_world(NULL);
    stream expected = save(world);
    meddler m = {.world = world};
    assert_int_equal(bp_world_save(world, meddle, &m), BP_OK);
    assert_true(m.refusals > 0);
    assert_int_equal(m.others, 0);
    assert_true(same_bytes(&m.stream, &expected));
    assert_int_equal(bp_remove(world, 1), BP_OK); // afterwards all is allowed again
    stream failing = {.fail_at = 2};
    assert_int_equal(bp_world_save(world, stream_write, &failing), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_remove(world, 2), BP_OK);
    bp_world_destroy(world);
    stream_free(&expected);
    stream_free(&failing);
    stream_free(&m.stream);
}

static int save_from_the_filter(void *context, uint32_t a, uint32_t b) {
    meddler *m = context;
    (void)a;
    (void)b;
    const bool refused = bp_world_save(m->world, stream_write, &m->stream) == BP_ERROR_ARGUMENT;
    m->refusals += refused;
    m->others += !refused;
    return 1;
}

static void a_filter_cannot_save(void **state) {
    (void)state;
    meddler m = {0};
    const bp_config config = {.filter = {.pass = save_from_the_filter, .context = &m}};
    const bp_box boxes[] = {cube_of(0, 0, 0, 1), cube_of(0, 0, 0, 1)};
    m.world = make_world(&config, boxes, 2);
    assert_int_equal(bp_update(m.world, NULL), BP_OK);
    assert_true(m.refusals > 0);
    assert_int_equal(m.others, 0);
    assert_int_equal(m.stream.size, 0);
    bp_world_destroy(m.world);
}

typedef struct savers {
    const bp_world *world;
    stream streams[6];
} savers;

static void save_one(void *context, size_t index) {
    savers *s = context;
    (void)bp_world_save(s->world, stream_write, &s->streams[index]);
}

static void several_threads_may_save_at_once(void **state) {
    (void)state;
    bp_world *world = large_world(NULL);
    savers s = {.world = world};
    const bp_executor executor = thread_executor(3);
    executor.run(executor.context, save_one, &s, COUNT_OF(s.streams));
    for (size_t i = 0; i < COUNT_OF(s.streams); ++i) {
        assert_true(s.streams[i].size > 0 && same_bytes(&s.streams[i], &s.streams[0]));
    }
    for (size_t i = 0; i < COUNT_OF(s.streams); ++i) {
        stream_free(&s.streams[i]);
    }
    bp_world_destroy(world);
}

static void null_is_refused(void **state) {
    (void)state;
    stream s = {0};
    bp_world *world = NULL;
    assert_int_equal(bp_world_save(NULL, stream_write, &s), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_world_load(NULL, stream_read, &s, NULL), BP_ERROR_ARGUMENT);
    world = (bp_world *)(uintptr_t)1;
    assert_int_equal(bp_world_load(NULL, NULL, &s, &world), BP_ERROR_ARGUMENT);
    assert_null(world);
    world = make_world(NULL, NULL, 0);
    assert_int_equal(bp_world_save(world, NULL, NULL), BP_ERROR_ARGUMENT);
    bp_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_goes_on_where_it_was),
        cmocka_unit_test(every_kind_of_world_goes_on_where_it_was),
        cmocka_unit_test(a_world_moves_from_method_to_method),
        cmocka_unit_test(events_can_begin_with_loading),
        cmocka_unit_test(an_empty_world_is_saved_too),
        cmocka_unit_test(bytes_do_not_depend_on_how_pairs_are_found),
        cmocka_unit_test(bytes_do_not_depend_on_history),
        cmocka_unit_test(a_callback_cannot_change_what_is_saved),
        cmocka_unit_test(a_filter_cannot_save),
        cmocka_unit_test(several_threads_may_save_at_once),
        cmocka_unit_test(null_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
