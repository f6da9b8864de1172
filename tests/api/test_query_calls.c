// Queries as calls: wrong arguments, several threads at once, memory that is refused, callbacks.
#include "support/naive_query.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OBJECTS = 2000, QUESTIONS = 64, MOST = OBJECTS };

// ---- a world and the expected results ------------------------------------------------------------------------------

typedef struct answer_key {
    bp_box box;
    bp_ray ray;
    float point[3];
    bp_id ids[MOST];
    bp_ray_hit hits[MOST];
    bp_near near[MOST];
    size_t id_count, hit_count;
} answer_key;

typedef struct exam {
    bp_world *world;
    naive_world naive;
    answer_key *answers; // QUESTIONS of them
    rng random;
    atomic_size_t wrong;
} exam;

static void put(exam *e, bp_id id, bp_box box) {
    naive_world_put(&e->naive, id, &box, &(bp_object){0});
}

static void exam_begin(exam *e, const bp_config *config) {
    *e = (exam){.random = rng_seeded(5)};
    assert_int_equal(bp_world_create(config, &e->world), BP_OK);
    naive_world_create(&e->naive, config, MOST);
    for (bp_id i = 0; i < OBJECTS; ++i) {
        const bp_box box = random_cube(&e->random, 20.0, (double)random_magnitude(&e->random, 0.3, 3.0));
        bp_id id;
        assert_int_equal(bp_add(e->world, &box, NULL, &id), BP_OK);
        put(e, id, box);
    }
    e->answers = obtain(QUESTIONS, sizeof *e->answers);
}

// Objects that have moved since the last update.
static void exam_move(exam *e, bp_id moved) {
    for (bp_id id = 0; id < moved; ++id) {
        const bp_box box = random_cube(&e->random, 20.0, 1.0);
        assert_int_equal(bp_move(e->world, id, &box), BP_OK);
        put(e, id, box);
    }
}

static void exam_prepare(exam *e) {
    for (size_t i = 0; i < QUESTIONS; ++i) {
        answer_key *a = &e->answers[i];
        a->box = random_cube(&e->random, 20.0, 2.0);
        a->ray = (bp_ray){.max_t = 30};
        for (int axis = 0; axis < 3; ++axis) {
            a->ray.origin[axis] = random_between(&e->random, -12, 12);
            a->ray.direction[axis] = random_between(&e->random, -1, 1);
            a->point[axis] = random_between(&e->random, -12, 12);
        }
        a->id_count = naive_query_box(&e->naive, &a->box, NULL, a->ids);
        a->hit_count = naive_query_ray(&e->naive, &a->ray, NULL, a->hits);
        (void)naive_query_nearest(&e->naive, a->point, NULL, a->near);
    }
}

static bool is_same(bp_status status, size_t found, size_t expected_count, const void *items, const void *expected,
                    size_t size) {
    return status == BP_OK && found == expected_count && memcmp(items, expected, found * size) == 0;
}

// Asks question `index`, of those there are, in one of three ways. May run on any thread.
static void ask(void *context, size_t index) {
    enum { NEAR = 20 };
    exam *e = context;
    const answer_key *a = &e->answers[index % QUESTIONS];
    bp_id ids[MOST];
    bp_ray_hit hits[MOST];
    bp_near near[NEAR];
    size_t found = 0;
    bp_status status = bp_query_box(e->world, &a->box, NULL, ids, MOST, &found);
    bool right = is_same(status, found, a->id_count, ids, a->ids, sizeof *ids);
    status = bp_query_ray(e->world, &a->ray, NULL, hits, MOST, &found);
    right &= is_same(status, found, a->hit_count, hits, a->hits, sizeof *hits);
    status = bp_query_nearest(e->world, a->point, NEAR, NULL, near, &found);
    right &= is_same(status, found, NEAR, near, a->near, sizeof *near);
    if (!right) {
        (void)atomic_fetch_add(&e->wrong, 1);
    }
}

static void expect_all_right(exam *e) {
    assert_int_equal(atomic_load(&e->wrong), 0);
}

static void exam_end(exam *e) {
    bp_world_destroy(e->world);
    naive_world_destroy(&e->naive);
    free(e->answers);
}

// ---- threads --------------------------------------------------------------------------------------------------------

static void run_threads(const bp_config *config, bool updated, bp_id moved) {
    const bp_executor threads = thread_executor(4);
    if (!in_short_turn(2)) {
        return;
    }
    exam e;
    exam_begin(&e, config);
    if (updated) {
        assert_int_equal(bp_update(e.world, NULL), BP_OK);
    }
    exam_move(&e, moved);
    exam_prepare(&e);
    threads.run(threads.context, ask, &e, quick() ? QUESTIONS : 4 * QUESTIONS);
    expect_all_right(&e);
    exam_end(&e);
}

static void threads_may_ask_at_once(void **state) {
    (void)state;
    for (size_t method = 1; method < bp_method_count(); ++method) {
        const bp_config config = {.method = (bp_method)method};
        run_threads(&config, true, 0);
        run_threads(&config, true, 100);
        run_threads(&config, false, 0);
    }
    const bp_config periodic = {.period = {20, 20, 20}};
    run_threads(&periodic, false, 0);
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static void expect_no_allocation(bp_method method, bool are_asked_before) {
    test_allocator allocator;
    exam e;
    test_allocator_init(&allocator);
    const bp_config config = {.method = method, .allocator = test_allocator_hook(&allocator)};
    exam_begin(&e, &config);
    assert_int_equal(bp_update(e.world, NULL), BP_OK);
    exam_prepare(&e);
    for (size_t i = 0; are_asked_before && i < QUESTIONS; ++i) {
        ask(&e, i);
    }
    exam_move(&e, 50);
    assert_int_equal(bp_update(e.world, NULL), BP_OK);
    exam_move(&e, 50);
    exam_prepare(&e);
    allocator.calls = 0;
    for (size_t i = 0; i < 2 * QUESTIONS; ++i) {
        ask(&e, i);
    }
    expect_all_right(&e);
    assert_int_equal(allocator.calls, 0);
    exam_end(&e);
    test_allocator_finish(&allocator);
}

static void a_tree_answers_without_memory(void **state) {
    (void)state;
    expect_no_allocation(BP_METHOD_TREE, false);
    expect_no_allocation(BP_METHOD_BVH, true); // the queries' own
}

// Each of the calls by which queries get memory fails once; then it is granted.
static void refused_memory_changes_no_answer(void **state) {
    test_allocator allocator;
    exam e;
    (void)state;
    test_allocator_init(&allocator);
    const bp_config config = {.method = BP_METHOD_BRUTE_FORCE, .allocator = test_allocator_hook(&allocator)};
    exam_begin(&e, &config);
    exam_prepare(&e);
    size_t refused = 0;
    for (size_t fail_at = 1;; ++fail_at) {
        test_allocator_fail(&allocator, fail_at, true);
        for (size_t i = 0; i < QUESTIONS; ++i) {
            ask(&e, i);
        }
        expect_all_right(&e);
        refused += allocator.refused;
        if (allocator.refused == 0) {
            break;
        }
    }
    assert_true(refused > 3);
    test_allocator_fail(&allocator, 0, false);
    exam_end(&e);
    test_allocator_finish(&allocator);
}

// Faces that no float can tell from each other.
static void boxes_in_64_bits_are_told_apart(void **state) {
    (void)state;
    const double tiny = 0x1p-40;
    bp_world *world;
    assert_int_equal(bp_world_create(NULL, &world), BP_OK);
    for (bp_id i = 0; i < OBJECTS; ++i) {
        const bp_box_double box = {{i + tiny, tiny, -tiny}, {i + 0.5 + tiny, 1.0, tiny}};
        assert_int_equal(bp_add_double(world, &box, NULL, &(bp_id){0}), BP_OK);
    }
    for (size_t asked = 0; asked < QUESTIONS; ++asked) { // the first look at all boxes, the others at a tree
        const size_t first = 3 + 20 * asked, last = first + 9;
        for (int side = 0; side < 4; ++side) { // each face: meets, or just does not
            const double from = (double)first + 0.5 + tiny + (side % 2 == 0 ? 0.0 : tiny / 2);
            const double to = (double)last + tiny - (side / 2 == 0 ? 0.0 : tiny / 2);
            const bp_box_double box = {{from, 0.0, 0.0}, {to, 0.5, 0.0}};
            const size_t expected = 10 - (size_t)(side % 2) - (size_t)(side / 2);
            bp_id ids[16];
            size_t found;
            assert_int_equal(bp_query_box_double(world, &box, NULL, ids, COUNT_OF(ids), &found), BP_OK);
            assert_int_equal(found, expected);
            assert_int_equal(ids[0], first + (size_t)(side % 2));
            assert_int_equal(ids[found - 1], last - (size_t)(side / 2));
        }
    }
    bp_world_destroy(world);
}

// What the world keeps for queries is not used after any change, not even after one that is nothing to an update.
static void a_move_inside_the_margin_is_seen(void **state) {
    const bp_config config = {.method = BP_METHOD_BRUTE_FORCE, .margin = 1.0f};
    const bp_box question = cube_of(0.0f, 50.0f, 0.0f, 1.0f);
    bp_id ids[4];
    bp_world *world;
    size_t found = 0;
    (void)state;
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    for (int i = 0; i < 200; ++i) {
        const bp_box box = cube_of(2.0f * (float)i, 0.0f, 0.0f, 1.0f);
        assert_int_equal(bp_add(world, &box, NULL, NULL), BP_OK);
    }
    for (int i = 0; i < 100; ++i) { // up and down again, while most questions come in between
        const bp_box box = cube_of(0.0f, i % 2 == 0 ? 48.75f : 49.25f, 0.0f, 1.0f);
        assert_int_equal(bp_move(world, 0, &box), BP_OK);
        for (int k = 0; k < 30; ++k) {
            assert_int_equal(bp_query_box(world, &question, NULL, ids, 4, &found), BP_OK);
            assert_int_equal(found, i % 2);
        }
    }
    bp_world_destroy(world);
}

// ---- callbacks ------------------------------------------------------------------------------------------------------

typedef struct nosy {
    bp_world *world;
    bp_status box, ray, nearest;
} nosy;

static int ask_in_callback(void *context, uint32_t a, uint32_t b) {
    nosy *n = context;
    const bp_box box = cube_of(0, 0, 0, 1);
    const bp_ray ray = {.direction = {1, 0, 0}, .max_t = 1};
    bp_id id;
    bp_ray_hit hit;
    bp_near near;
    (void)a, (void)b;
    n->box = bp_query_box(n->world, &box, NULL, &id, 1, NULL);
    n->ray = bp_query_ray(n->world, &ray, NULL, &hit, 1, NULL);
    n->nearest = bp_query_nearest(n->world, ray.origin, 1, NULL, &near, NULL);
    return 1;
}

static void a_callback_may_not_ask(void **state) {
    nosy n = {0};
    const bp_config config = {.filter = {.pass = ask_in_callback, .context = &n}};
    const bp_box boxes[2] = {cube_of(0, 0, 0, 1), cube_of(0, 0, 0, 1)};
    (void)state;
    assert_int_equal(bp_world_create(&config, &n.world), BP_OK);
    assert_int_equal(bp_add_many(n.world, 2, boxes, NULL, NULL), BP_OK);
    assert_int_equal(bp_update(n.world, NULL), BP_OK);
    assert_int_equal(n.box, BP_ERROR_ARGUMENT);
    assert_int_equal(n.ray, BP_ERROR_ARGUMENT);
    assert_int_equal(n.nearest, BP_ERROR_ARGUMENT);
    bp_world_destroy(n.world);
}

// ---- wrong arguments ------------------------------------------------------------------------------------------------

typedef struct desk {
    bp_world *world;
    test_log log;
    bp_id ids[4];
    bp_ray_hit hits[4];
    bp_near near[4];
    size_t found;
} desk;

static void desk_open(desk *d, const bp_config *given) {
    bp_config config = *given;
    *d = (desk){.found = 77};
    config.log = test_log_hook(&d->log);
    const bp_box boxes[2] = {cube_of(0, 0, 0, 1), cube_of(3, 0, 0, 1)};
    assert_int_equal(bp_world_create(&config, &d->world), BP_OK);
    assert_int_equal(bp_add_many(d->world, 2, boxes, NULL, NULL), BP_OK);
}

// Checks that the call was refused, the log has the reason, and nothing was written.
static void expect_refused(desk *d, bp_status status, bp_status expected, const char *word) {
    assert_int_equal(status, expected);
    assert_int_equal(d->log.count, 1);
    if (strstr(d->log.text, word) == NULL) {
        fail_msg("the log says \"%s\" and not \"%s\"", d->log.text, word);
    }
    assert_int_equal(d->found, 77);
    d->log.count = 0;
}

static void expect_ray_refused(desk *d, bp_ray ray, const char *word) {
    expect_refused(d, bp_query_ray(d->world, &ray, NULL, d->hits, 4, &d->found), BP_ERROR_ARGUMENT, word);
}

static void wrong_boxes_are_refused(void **state) {
    const bp_box fine = cube_of(0, 0, 0, 1), turned = {{1, 0, 0}, {0, 1, 1}}, nan = {{0, NAN, 0}, {1, 1, 1}};
    const bp_object object = {.flags = 8};
    desk d;
    (void)state;
    desk_open(&d, &(bp_config){0});
    expect_refused(&d, bp_query_box(d.world, &turned, NULL, d.ids, 4, &d.found), BP_ERROR_BOX, "box");
    expect_refused(&d, bp_query_box(d.world, &nan, NULL, d.ids, 4, &d.found), BP_ERROR_BOX, "box");
    expect_refused(&d, bp_query_box(d.world, NULL, NULL, d.ids, 4, &d.found), BP_ERROR_ARGUMENT, "box");
    expect_refused(&d, bp_query_box(d.world, &fine, NULL, NULL, 4, &d.found), BP_ERROR_ARGUMENT, "ids");
    expect_refused(&d, bp_query_box(d.world, &fine, &object, d.ids, 4, &d.found), BP_ERROR_ARGUMENT, "flags");
    assert_int_equal(bp_query_box(NULL, &fine, NULL, d.ids, 4, &d.found), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_query_box(d.world, &fine, NULL, NULL, 0, NULL), BP_OK);
    assert_int_equal(bp_query_box(d.world, &fine, NULL, NULL, 0, &d.found), BP_ERROR_CAPACITY);
    assert_int_equal(d.found, 1);
    bp_world_destroy(d.world);
}

static void wrong_rays_are_refused(void **state) {
    const bp_ray fine = {{-1, 0.5f, 0.5f}, {1, 0, 0}, INFINITY};
    const bp_object object = {.flags = 8};
    desk d;
    (void)state;
    desk_open(&d, &(bp_config){0});
    expect_ray_refused(&d, (bp_ray){{0, 0, 0}, {0, 0, 0}, 1}, "direction");
    expect_ray_refused(&d, (bp_ray){{0, 0, 0}, {0, NAN, 0}, 1}, "finite");
    expect_ray_refused(&d, (bp_ray){{0, 0, 0}, {0, INFINITY, 0}, 1}, "finite");
    expect_ray_refused(&d, (bp_ray){{NAN, 0, 0}, {1, 0, 0}, 1}, "finite");
    expect_ray_refused(&d, (bp_ray){{0, 0, -INFINITY}, {1, 0, 0}, 1}, "finite");
    expect_ray_refused(&d, (bp_ray){{0, 0, 0}, {1, 0, 0}, -1}, "max_t");
    expect_ray_refused(&d, (bp_ray){{0, 0, 0}, {1, 0, 0}, NAN}, "max_t");
    expect_refused(&d, bp_query_ray(d.world, NULL, NULL, d.hits, 4, &d.found), BP_ERROR_ARGUMENT, "ray");
    expect_refused(&d, bp_query_ray(d.world, &fine, NULL, NULL, 4, &d.found), BP_ERROR_ARGUMENT, "hits");
    expect_refused(&d, bp_query_ray(d.world, &fine, &object, d.hits, 4, &d.found), BP_ERROR_ARGUMENT, "flags");
    assert_int_equal(bp_query_ray(NULL, &fine, NULL, d.hits, 4, &d.found), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_query_ray(d.world, &fine, NULL, NULL, 0, &d.found), BP_ERROR_CAPACITY);
    assert_int_equal(d.found, 2);
    bp_world_destroy(d.world);
}

static void an_endless_ray_is_refused_in_a_periodic_world(void **state) {
    const bp_ray far = {{1e30f, 1e30f, -1e30f}, {1e30f, 1, 0}, 4000};
    desk d;
    (void)state;
    desk_open(&d, &(bp_config){.period = {0, 5, 0}});
    expect_ray_refused(&d, (bp_ray){{0, 0, 0}, {1, 0, 0}, INFINITY}, "max_t");
    expect_ray_refused(&d, (bp_ray){{0, 0, 0}, {0, 1, 0}, 3e38f}, "max_t");
    assert_int_equal(bp_query_ray(d.world, &far, NULL, d.hits, 4, &d.found), BP_OK);
    bp_world_destroy(d.world);
}

static void wrong_points_are_refused(void **state) {
    const float fine[3] = {0, 0, 0}, nan[3] = {0, 0, NAN}, infinite[3] = {-INFINITY, 0, 0};
    const bp_object object = {.flags = 8};
    desk d;
    (void)state;
    desk_open(&d, &(bp_config){0});
    expect_refused(&d, bp_query_nearest(d.world, fine, 0, NULL, d.near, &d.found), BP_ERROR_ARGUMENT, "k");
    expect_refused(&d, bp_query_nearest(d.world, nan, 1, NULL, d.near, &d.found), BP_ERROR_ARGUMENT, "finite");
    expect_refused(&d, bp_query_nearest(d.world, infinite, 1, NULL, d.near, &d.found), BP_ERROR_ARGUMENT, "finite");
    expect_refused(&d, bp_query_nearest(d.world, NULL, 1, NULL, d.near, &d.found), BP_ERROR_ARGUMENT, "point");
    expect_refused(&d, bp_query_nearest(d.world, fine, 1, NULL, NULL, &d.found), BP_ERROR_ARGUMENT, "near");
    expect_refused(&d, bp_query_nearest(d.world, fine, 1, &object, d.near, &d.found), BP_ERROR_ARGUMENT, "flags");
    assert_int_equal(bp_query_nearest(NULL, fine, 1, NULL, d.near, &d.found), BP_ERROR_ARGUMENT);
    bp_world_destroy(d.world);
}

// In two dimensions z is ignored.
static void z_does_not_matter_in_two_dimensions(void **state) {
    const bp_box box = {{0, 0, 9}, {1, 1, -9}};
    const bp_ray ray = {{-1, 0.5f, NAN}, {1, 0, INFINITY}, 10}, still = {{0, 0, 0}, {0, 0, 1}, 1};
    const float point[3] = {0.5f, 0.5f, NAN};
    desk d;
    (void)state;
    desk_open(&d, &(bp_config){.dimensions = 2});
    assert_int_equal(bp_query_box(d.world, &box, NULL, d.ids, 4, &d.found), BP_OK);
    assert_int_equal(d.found, 1);
    assert_int_equal(bp_query_ray(d.world, &ray, NULL, d.hits, 4, &d.found), BP_OK);
    assert_int_equal(d.found, 2);
    assert_int_equal(bp_query_nearest(d.world, point, 1, NULL, d.near, &d.found), BP_OK);
    assert_true(d.near[0].id == 0 && d.near[0].distance == 0.0f);
    d.found = 77;
    expect_ray_refused(&d, still, "direction");
    bp_world_destroy(d.world);
}

// ---- wrong arguments of the other forms -----------------------------------------------------------------------------

static void expect_cast_refused(desk *d, bp_cast cast, bp_status expected, const char *word) {
    expect_refused(d, bp_query_cast(d->world, &cast, NULL, d->hits, 4, &d->found), expected, word);
}

static int never(void *context, bp_id id, double t, double *max_t) {
    (void)context, (void)id, (void)t, (void)max_t;
    fail_msg("visited");
    return 0;
}

static void wrong_casts_are_refused(void **state) {
    const bp_cast fine = {{{-3, 0, 0}, {-2, 1, 1}}, {1, 0, 0}, INFINITY};
    const bp_object object = {.flags = 8};
    desk d;
    (void)state;
    desk_open(&d, &(bp_config){0});
    expect_cast_refused(&d, (bp_cast){{{1, 0, 0}, {0, 1, 1}}, {1, 0, 0}, 1}, BP_ERROR_BOX, "cast.box");
    expect_cast_refused(&d, (bp_cast){{{0, NAN, 0}, {1, 1, 1}}, {1, 0, 0}, 1}, BP_ERROR_ARGUMENT, "finite");
    expect_cast_refused(&d, (bp_cast){{{0, 0, 0}, {INFINITY, 1, 1}}, {1, 0, 0}, 1}, BP_ERROR_ARGUMENT, "finite");
    expect_cast_refused(&d, (bp_cast){{{0, 0, 0}, {1, 1, 1}}, {0, 0, 0}, 1}, BP_ERROR_ARGUMENT, "cast.direction");
    expect_cast_refused(&d, (bp_cast){{{0, 0, 0}, {1, 1, 1}}, {0, 1, 0}, -1}, BP_ERROR_ARGUMENT, "cast.max_t");
    expect_refused(&d, bp_query_cast(d.world, NULL, NULL, d.hits, 4, &d.found), BP_ERROR_ARGUMENT, "cast");
    expect_refused(&d, bp_query_cast(d.world, &fine, NULL, NULL, 4, &d.found), BP_ERROR_ARGUMENT, "hits");
    expect_refused(&d, bp_query_cast(d.world, &fine, &object, d.hits, 4, &d.found), BP_ERROR_ARGUMENT, "flags");
    assert_int_equal(bp_query_cast(NULL, &fine, NULL, d.hits, 4, &d.found), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_query_cast(d.world, &fine, NULL, d.hits, 4, &d.found), BP_OK);
    assert_int_equal(d.found, 2);
    assert_true(d.hits[0].id == 0 && d.hits[0].t == 2.0f && d.hits[1].id == 1 && d.hits[1].t == 5.0f);
    bp_world_destroy(d.world);
    desk_open(&d, &(bp_config){.period = {5, 0, 0}});
    expect_cast_refused(&d, fine, BP_ERROR_ARGUMENT, "periodic");
    expect_cast_refused(&d, (bp_cast){{{0, 0, 0}, {6000, 1, 1}}, {1, 0, 0}, 1}, BP_ERROR_ARGUMENT, "1000 periods");
    bp_world_destroy(d.world);
}

static void wrong_visits_and_64_bits_are_refused(void **state) {
    const bp_box box = cube_of(0, 0, 0, 1), turned = {{1, 0, 0}, {0, 1, 1}};
    const bp_ray ray = {{0, 0, 0}, {1, 0, 0}, 1}, still = {{0, 0, 0}, {0, 0, 0}, 1};
    const bp_box_double wide = {{0, 0, 0}, {1, 1, 1}}, nan = {{0, 0, (double)NAN}, {1, 1, 1}};
    const bp_ray_double wide_ray = {{0, 0, 0}, {1, 0, 0}, -1.0};
    const bp_cast_double wide_cast = {{{1, 0, 0}, {0, 0, 0}}, {1, 0, 0}, 1};
    bp_ray_hit_double hits[4];
    desk d;
    (void)state;
    desk_open(&d, &(bp_config){0});
    expect_refused(&d, bp_query_box_each(d.world, &box, NULL, NULL, NULL), BP_ERROR_ARGUMENT, "visit");
    expect_refused(&d, bp_query_box_each(d.world, &turned, NULL, never, NULL), BP_ERROR_BOX, "box");
    expect_refused(&d, bp_query_box_each(d.world, NULL, NULL, never, NULL), BP_ERROR_ARGUMENT, "box");
    expect_refused(&d, bp_query_ray_each(d.world, &ray, NULL, NULL, NULL), BP_ERROR_ARGUMENT, "visit");
    expect_refused(&d, bp_query_ray_each(d.world, &still, NULL, never, NULL), BP_ERROR_ARGUMENT, "direction");
    expect_refused(&d, bp_query_cast_each(d.world, NULL, NULL, never, NULL), BP_ERROR_ARGUMENT, "cast");
    expect_refused(&d, bp_query_box_double(d.world, &nan, NULL, d.ids, 4, &d.found), BP_ERROR_BOX, "box");
    expect_refused(&d, bp_query_box_double(d.world, &wide, NULL, NULL, 4, &d.found), BP_ERROR_ARGUMENT, "ids");
    expect_refused(&d, bp_query_box_each_double(d.world, &nan, NULL, never, NULL), BP_ERROR_BOX, "box");
    expect_refused(&d, bp_query_ray_double(d.world, &wide_ray, NULL, hits, 4, &d.found), BP_ERROR_ARGUMENT, "max_t");
    expect_refused(&d, bp_query_ray_double(d.world, NULL, NULL, hits, 4, &d.found), BP_ERROR_ARGUMENT, "ray");
    expect_refused(&d, bp_query_ray_each_double(d.world, NULL, NULL, never, NULL), BP_ERROR_ARGUMENT, "ray");
    expect_refused(&d, bp_query_cast_double(d.world, &wide_cast, NULL, hits, 4, &d.found), BP_ERROR_BOX, "cast.box");
    expect_refused(&d, bp_query_cast_each_double(d.world, &wide_cast, NULL, never, NULL), BP_ERROR_BOX, "cast.box");
    bp_world_destroy(d.world);
}

static void the_wrong_one_of_many_is_named(void **state) {
    const bp_box boxes[3] = {cube_of(0, 0, 0, 1), cube_of(0, 0, 0, 1), {{1, 0, 0}, {0, 1, 1}}};
    const bp_ray rays[2] = {{{0, 0, 0}, {1, 0, 0}, 1}, {{0, 0, 0}, {1, 0, 0}, NAN}};
    const bp_cast casts[2] = {{{{0, 0, 0}, {1, 1, 1}}, {1, 0, 0}, 1}, {{{0, 0, 0}, {1, 1, 1}}, {0, 0, 0}, 1}};
    const float points[6] = {0, 0, 0, 0, INFINITY, 0};
    const bp_object object = {.flags = 8};
    bp_answers answers = {0};
    desk d;
    (void)state;
    desk_open(&d, &(bp_config){0});
    assert_int_equal(bp_query_boxes(d.world, 0, NULL, NULL, &answers), BP_OK);
    assert_true(answers.count == 0 && answers.offsets[0] == 0);
    assert_int_equal(bp_query_boxes(d.world, 2, boxes, NULL, &answers), BP_OK);
    const bp_answers before = answers;
    expect_refused(&d, bp_query_boxes(d.world, 3, boxes, NULL, &answers), BP_ERROR_BOX, "boxes[2]");
    expect_refused(&d, bp_query_boxes(d.world, 1, NULL, NULL, &answers), BP_ERROR_ARGUMENT, "boxes");
    expect_refused(&d, bp_query_boxes(d.world, 2, boxes, &object, &answers), BP_ERROR_ARGUMENT, "flags");
    expect_refused(&d, bp_query_boxes(d.world, 2, boxes, NULL, NULL), BP_ERROR_ARGUMENT, "answers");
    expect_refused(&d, bp_query_rays(d.world, 2, rays, 0, NULL, &answers), BP_ERROR_ARGUMENT, "rays[1].max_t");
    expect_refused(&d, bp_query_rays(d.world, 2, NULL, 0, NULL, &answers), BP_ERROR_ARGUMENT, "rays");
    expect_refused(&d, bp_query_casts(d.world, 2, casts, 0, NULL, &answers), BP_ERROR_ARGUMENT, "casts[1].direction");
    expect_refused(&d, bp_query_nearest_many(d.world, 2, points, 1, NULL, &answers), BP_ERROR_ARGUMENT, "points[1]");
    expect_refused(&d, bp_query_nearest_many(d.world, 1, points, 0, NULL, &answers), BP_ERROR_ARGUMENT, "k");
#if SIZE_MAX > UINT32_MAX
    expect_refused(&d, bp_query_boxes(d.world, BP_MAX_COUNT + 1, boxes, NULL, &answers), BP_ERROR_ARGUMENT, "count");
#endif
    assert_int_equal(bp_query_boxes(NULL, 2, boxes, NULL, &answers), BP_ERROR_ARGUMENT);
    assert_memory_equal(&answers, &before, sizeof answers);
    assert_int_equal(bp_query_rays(d.world, 0, NULL, 0, NULL, &answers), BP_OK);
    assert_true(answers.count == 0 && answers.offsets[0] == 0);
    bp_answers_free(&answers, NULL);
    bp_answers_free(&answers, NULL);
    bp_answers_free(NULL, NULL);
    bp_world_destroy(d.world);
}

static void pairs_of_nobody_are_refused(void **state) {
    desk d;
    (void)state;
    desk_open(&d, &(bp_config){0});
    expect_refused(&d, bp_pairs_of(d.world, 7, d.ids, 4, &d.found), BP_ERROR_ID, "id 7");
    expect_refused(&d, bp_pairs_of(d.world, 0, NULL, 4, &d.found), BP_ERROR_ARGUMENT, "others");
    assert_int_equal(bp_pairs_of(NULL, 0, d.ids, 4, &d.found), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_pairs_of(d.world, 0, d.ids, 4, &d.found), BP_OK); // before the first update
    assert_int_equal(d.found, 0);
    bp_world_destroy(d.world);
}

// ---- many questions, and memory -------------------------------------------------------------------------------------

static bool are_same_answers(const bp_answers *a, const bp_answers *b, bool with_values) {
    const size_t items = a->count == b->count ? a->offsets[a->count] : 0;
    return a->count == b->count && memcmp(a->offsets, b->offsets, (a->count + 1) * sizeof *a->offsets) == 0 &&
           memcmp(a->ids, b->ids, items * sizeof *a->ids) == 0 &&
           (!with_values || memcmp(a->values, b->values, items * sizeof *a->values) == 0);
}

typedef struct quiz {
    bp_box boxes[QUESTIONS];
    bp_ray rays[QUESTIONS];
    float points[3 * QUESTIONS];
} quiz;

static quiz quiz_of(const exam *e) {
    quiz q;
    for (size_t i = 0; i < QUESTIONS; ++i) {
        q.boxes[i] = e->answers[i].box;
        q.rays[i] = e->answers[i].ray;
        memcpy(q.points + 3 * i, e->answers[i].point, sizeof e->answers[i].point);
    }
    return q;
}

static bp_status ask_many(const exam *e, const quiz *q, int kind, bp_answers *answers) {
    switch (kind) {
    case 0: return bp_query_boxes(e->world, QUESTIONS, q->boxes, NULL, answers);
    case 1: return bp_query_rays(e->world, QUESTIONS, q->rays, 0, NULL, answers);
    case 2: return bp_query_rays(e->world, QUESTIONS, q->rays, 2, NULL, answers);
    default: return bp_query_nearest_many(e->world, QUESTIONS, q->points, 5, NULL, answers);
    }
}

// The same world anew: one that keeps no memory from earlier questions.
static void exam_renew(exam *e, const bp_config *config) {
    bp_world_destroy(e->world);
    assert_int_equal(bp_world_create(config, &e->world), BP_OK);
    for (size_t id = 0; id < e->naive.count; ++id) {
        const bp_box_double *wide = &e->naive.boxes[id];
        bp_box box;
        for (int axis = 0; axis < 3; ++axis) {
            box.min[axis] = (float)wide->min[axis];
            box.max[axis] = (float)wide->max[axis];
        }
        assert_int_equal(bp_add(e->world, &box, NULL, NULL), BP_OK);
    }
    assert_int_equal(bp_update(e->world, NULL), BP_OK);
}

// Every allocation of a batch fails once: the status says so, and the answers are as before.
static void refused_memory_leaves_the_answers_as_they_were(void **state) {
    test_allocator allocator;
    exam e;
    (void)state;
    test_allocator_init(&allocator);
    const bp_config config = {.allocator = test_allocator_hook(&allocator)};
    for (int kind = 0; kind < 4; ++kind) {
        bp_answers whole = {0}, answers = {0}, small = {0};
        const bp_box nowhere = cube_of(1000, 0, 0, 1);
        exam_begin(&e, &config);
        assert_int_equal(bp_update(e.world, NULL), BP_OK);
        exam_prepare(&e);
        const quiz q = quiz_of(&e);
        assert_int_equal(bp_query_boxes(e.world, 1, &nowhere, NULL, &small), BP_OK);
        size_t refused = 0;
        for (size_t fail_at = 1;; ++fail_at) {
            answers = small;
            exam_renew(&e, &config);
            test_allocator_fail(&allocator, fail_at, false);
            const bp_status status = ask_many(&e, &q, kind, &answers);
            refused += allocator.refused;
            const bool whole_way = allocator.refused == 0;
            test_allocator_fail(&allocator, 0, false);
            if (whole_way) {
                assert_int_equal(status, BP_OK);
                break;
            }
            if (status == BP_OK) { // it was only for some slack
                small = answers;
                continue;
            }
            assert_int_equal(status, BP_ERROR_MEMORY);
            assert_memory_equal(&answers, &small, sizeof answers);
        }
        assert_true(refused > 2);
        assert_int_equal(ask_many(&e, &q, kind, &whole), BP_OK);
        assert_true(are_same_answers(&whole, &answers, kind > 0));
        bp_answers_free(&whole, &config);
        bp_answers_free(&answers, &config);
        exam_end(&e);
    }
    test_allocator_finish(&allocator);
}

typedef struct crowd {
    exam exam;
    quiz quiz;
    bp_answers expected[4];
} crowd;

static void ask_in_crowd(void *context, size_t index) {
    crowd *c = context;
    bp_answers answers = {0};
    const int kind = (int)(index % 4);
    if (ask_many(&c->exam, &c->quiz, kind, &answers) != BP_OK ||
        !are_same_answers(&answers, &c->expected[kind], kind > 0)) {
        (void)atomic_fetch_add(&c->exam.wrong, 1);
    }
    bp_answers_free(&answers, NULL);
    ask(&c->exam, index);
}

// Several threads ask many questions of a world with threads of its own; and all get the same as one that has none.
static void threads_may_ask_many_at_once(void **state) {
    const bp_executor threads = thread_executor(4);
    crowd *c = obtain(1, sizeof *c);
    (void)state;
    for (int32_t own = 1; own <= 4; own += 3) {
        const bp_config config = {.threads = own};
        exam_begin(&c->exam, &config);
        assert_int_equal(bp_update(c->exam.world, NULL), BP_OK);
        exam_move(&c->exam, 70);
        exam_prepare(&c->exam);
        c->quiz = quiz_of(&c->exam);
        for (int kind = 0; kind < 4; ++kind) {
            bp_answers answers = {0};
            assert_int_equal(ask_many(&c->exam, &c->quiz, kind, &answers), BP_OK);
            if (own == 1) {
                c->expected[kind] = answers;
            } else {
                assert_true(are_same_answers(&answers, &c->expected[kind], kind > 0));
                bp_answers_free(&answers, NULL);
            }
        }
        threads.run(threads.context, ask_in_crowd, c, 32);
        expect_all_right(&c->exam);
        exam_end(&c->exam);
    }
    for (int kind = 0; kind < 4; ++kind) {
        bp_answers_free(&c->expected[kind], NULL);
    }
    free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_boxes_are_refused),
        cmocka_unit_test(wrong_rays_are_refused),
        cmocka_unit_test(an_endless_ray_is_refused_in_a_periodic_world),
        cmocka_unit_test(wrong_points_are_refused),
        cmocka_unit_test(z_does_not_matter_in_two_dimensions),
        cmocka_unit_test(wrong_casts_are_refused),
        cmocka_unit_test(wrong_visits_and_64_bits_are_refused),
        cmocka_unit_test(the_wrong_one_of_many_is_named),
        cmocka_unit_test(pairs_of_nobody_are_refused),
        cmocka_unit_test(refused_memory_leaves_the_answers_as_they_were),
        cmocka_unit_test(threads_may_ask_many_at_once),
        cmocka_unit_test(a_callback_may_not_ask),
        cmocka_unit_test(a_tree_answers_without_memory),
        cmocka_unit_test(refused_memory_changes_no_answer),
        cmocka_unit_test(boxes_in_64_bits_are_told_apart),
        cmocka_unit_test(a_move_inside_the_margin_is_seen),
        cmocka_unit_test(threads_may_ask_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
