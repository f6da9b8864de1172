// What is found depends on the input alone: not on who runs the tasks of a call, in which order, or how long each takes.
// Every call is made with one thread, and again with executors that no program would use; the bytes are the same.
#include "support/support.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BOXES = 17000, BOXES_QUICK = 9000, SEED = 29 };

// ---- executors --------------------------------------------------------------------------------------------------------

static void run_backwards(void *context, bp_task task, void *task_context, size_t count) {
    (void)context;
    for (size_t i = count; i > 0; --i) {
        task(task_context, i - 1);
    }
}

// First every third task, then those after them, then the rest.
static void run_by_thirds(void *context, bp_task task, void *task_context, size_t count) {
    (void)context;
    for (size_t third = 0; third < 3; ++third) {
        for (size_t i = (third + 2) % 3; i < count; i += 3) {
            task(task_context, i);
        }
    }
}

typedef struct errand {
    bp_task task;
    void *context;
    size_t begin, end;
} errand;

// A thread that comes late, or is ten times as slow as the other.
static void *run_errand(void *context) {
    const errand *e = context;
    for (size_t i = e->end; i > e->begin; --i) {
        for (volatile int idle = 0; idle < (e->begin == 0 ? 0 : 20000); ++idle) {
        }
        e->task(e->context, i - 1);
    }
    return NULL;
}

static void run_unevenly(void *context, bp_task task, void *task_context, size_t count) {
    (void)context;
    errand fast = {.task = task, .context = task_context, .end = count / 2}, slow = fast;
    slow.begin = fast.end;
    slow.end = count;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_errand, &slow), 0);
    (void)run_errand(&fast);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static const bp_executor executors[] = {{.run = run_backwards, .workers = 5},
                                        {.run = run_by_thirds, .workers = 16},
                                        {.run = run_backwards, .workers = 64},
                                        {.run = run_unevenly, .workers = 4}};

// ---- scenes -----------------------------------------------------------------------------------------------------------

static size_t box_count(void) {
    return quick() ? BOXES_QUICK : BOXES;
}

// Cubes, of nearly the same size or of very different ones.
static bp_box *make_boxes(size_t count, double ratio, uint64_t seed) {
    rng random = rng_seeded(seed);
    const double side = cbrt(4.0 * (double)count);
    bp_box *boxes = obtain(count, sizeof *boxes);
    for (size_t i = 0; i < count; ++i) {
        boxes[i] = random_cube(&random, side, i % 50 == 0 ? ratio : 1.0);
    }
    return boxes;
}

// ---- one call ---------------------------------------------------------------------------------------------------------

typedef struct call_case {
    bp_method method;
    bp_pair_order order;
    bool between;
} call_case;

static void call_pairs(const call_case *c, const bp_executor *executor, const bp_box *boxes, size_t count,
                       bp_pairs *pairs) {
    const bp_config config = {.method = c->method, .pair_order = c->order, .executor = *executor};
    const size_t half = count / 2;
    assert_int_equal(c->between ? bp_find_pairs_between(boxes, half, boxes + half, count - half, &config, pairs)
                                : bp_find_pairs(boxes, count, &config, pairs),
                     BP_OK);
}

static void check_call(const call_case *c, const bp_box *boxes, size_t count) {
    static const bp_executor none = {0};
    bp_pairs expected = {0};
    call_pairs(c, &none, boxes, count, &expected);
    assert_true(expected.count > count / 8);
    for (size_t i = 0; i < COUNT_OF(executors); ++i) {
        bp_pairs pairs = {0};
        call_pairs(c, &executors[i], boxes, count, &pairs);
        expect_same_bytes(pairs.data, pairs.count, expected.data, expected.count, "%s%s, executor %zu",
                          bp_method_name(c->method), c->between ? " between" : "", i);
        bp_pairs_free(&pairs, NULL);
    }
    bp_pairs_free(&expected, NULL);
}

static void calls_find_the_same(void **state) {
    (void)state;
    const size_t count = box_count();
    for (size_t scene = 0; scene < 2; ++scene) {
        bp_box *boxes = make_boxes(count, scene == 0 ? 1.2 : 9.0, SEED + scene);
        for (size_t method = 0; method < bp_method_count(); ++method) {
            if (method != BP_METHOD_BRUTE_FORCE) {
                check_call(&(call_case){.method = (bp_method)method}, boxes, count);
                check_call(&(call_case){.method = (bp_method)method, .between = true}, boxes, count);
            }
        }
        check_call(&(call_case){.order = BP_ORDER_SORTED}, boxes, count);
        free(boxes);
    }
}

static void neighbors_are_the_same(void **state) {
    (void)state;
    const size_t count = box_count();
    rng random = rng_seeded(SEED);
    float *points = obtain(3 * count, sizeof *points);
    for (size_t i = 0; i < 3 * count; ++i) {
        points[i] = (float)(rng_unit(&random) * cbrt((double)count));
    }
    bp_neighbors expected = {0};
    assert_int_equal(bp_find_neighbors(points, count, 1.5f, NULL, &expected), BP_OK);
    for (size_t i = 0; i < COUNT_OF(executors); ++i) {
        const bp_config config = {.executor = executors[i]};
        bp_neighbors rows = {0};
        assert_int_equal(bp_find_neighbors(points, count, 1.5f, &config, &rows), BP_OK);
        assert_memory_equal(rows.offsets, expected.offsets, (count + 1) * sizeof *rows.offsets);
        assert_memory_equal(rows.indices, expected.indices, (size_t)expected.offsets[count] * sizeof *rows.indices);
        bp_neighbors_free(&rows, NULL);
    }
    bp_neighbors_free(&expected, NULL);
    free(points);
}

// ---- worlds -----------------------------------------------------------------------------------------------------------

// Two worlds that live the same life, one with one thread.
typedef struct twins {
    bp_world *alone, *shared;
    size_t executor;
} twins;

static void expect_same_update(const twins *t, const char *what) {
    bp_result a, b;
    assert_int_equal(bp_update(t->alone, &a), BP_OK);
    assert_int_equal(bp_update(t->shared, &b), BP_OK);
    expect_same_bytes(b.pairs, b.pair_count, a.pairs, a.pair_count, "%s, executor %zu", what, t->executor);
    expect_same_bytes(b.begun, b.begun_count, a.begun, a.begun_count, "%s, begun, executor %zu", what, t->executor);
    expect_same_bytes(b.ended, b.ended_count, a.ended, a.ended_count, "%s, ended, executor %zu", what, t->executor);
    assert_int_equal(bp_world_validate(t->shared), BP_OK);
}

static void move_both(const twins *t, size_t count, const bp_id *ids, const bp_box *boxes) {
    assert_int_equal(bp_move_many(t->alone, count, ids, boxes), BP_OK);
    assert_int_equal(bp_move_many(t->shared, count, ids, boxes), BP_OK);
}

// All objects move, all by their ids, some of them twice in one call (the last move counts), and a few.
static void live(const twins *t, size_t count) {
    rng random = rng_seeded(SEED);
    bp_box *there = make_boxes(count, 2.0, SEED + 5);
    bp_id *ids = obtain(count, sizeof *ids);
    move_both(t, count, NULL, there);
    expect_same_update(t, "all");
    for (size_t i = 0; i < count; ++i) {
        ids[i] = (bp_id)(count - 1 - i);
    }
    move_both(t, count, ids, there);
    expect_same_update(t, "all by ids");
    for (size_t i = 0; i < count; ++i) {
        ids[i] = (bp_id)rng_below(&random, (uint32_t)count);
    }
    move_both(t, count, ids, there);
    expect_same_update(t, "some twice");
    for (int step = 0; step < 3; ++step) {
        move_both(t, count / 10, ids + (size_t)step * 7, there + (size_t)step * 11);
        expect_same_update(t, "a few");
    }
    free(ids);
    free(there);
}

static void worlds_live_the_same(void **state) {
    (void)state;
    const size_t count = box_count();
    bp_box *boxes = make_boxes(count, 2.0, SEED);
    for (size_t i = 0; i < COUNT_OF(executors); ++i) {
        const bp_config alone = {.flags = BP_EVENTS, .pair_order = i % 2 == 0 ? BP_ORDER_FOUND : BP_ORDER_SORTED};
        bp_config shared = alone;
        shared.executor = executors[i];
        twins t = {.executor = i};
        assert_int_equal(bp_world_create(&alone, &t.alone), BP_OK);
        assert_int_equal(bp_world_create(&shared, &t.shared), BP_OK);
        assert_int_equal(bp_add_many(t.alone, count, boxes, NULL, NULL), BP_OK);
        assert_int_equal(bp_add_many(t.shared, count, boxes, NULL, NULL), BP_OK);
        expect_same_update(&t, "first");
        live(&t, count);
        bp_world_destroy(t.alone);
        bp_world_destroy(t.shared);
    }
    free(boxes);
}

// ---- questions --------------------------------------------------------------------------------------------------------

static void expect_same_answers(const bp_answers *found, const bp_answers *expected, bool has_values) {
    const size_t count = expected->count, items = expected->offsets[count];
    assert_int_equal(found->count, count);
    assert_memory_equal(found->offsets, expected->offsets, (count + 1) * sizeof *found->offsets);
    assert_memory_equal(found->ids, expected->ids, items * sizeof *found->ids);
    if (has_values) {
        assert_memory_equal(found->values, expected->values, items * sizeof *found->values);
    }
}

static void ask(const bp_world *world, const bp_box *boxes, size_t count, bp_answers answers[3]) {
    bp_ray *rays = obtain(count, sizeof *rays);
    float *points = obtain(3 * count, sizeof *points);
    for (size_t i = 0; i < count; ++i) {
        rays[i] = (bp_ray){.direction = {1.0f, 0.5f, -0.25f}, .max_t = 10.0f};
        memcpy(rays[i].origin, boxes[i].min, sizeof rays[i].origin);
        memcpy(points + 3 * i, boxes[i].max, sizeof boxes[i].max);
    }
    assert_int_equal(bp_query_boxes(world, count, boxes, NULL, &answers[0]), BP_OK);
    assert_int_equal(bp_query_rays(world, count, rays, 0, NULL, &answers[1]), BP_OK);
    assert_int_equal(bp_query_nearest_many(world, count, points, 3, NULL, &answers[2]), BP_OK);
    free(points);
    free(rays);
}

static bp_world *make_world(const bp_config *config, const bp_box *boxes, size_t count) {
    bp_world *world = NULL;
    assert_int_equal(bp_world_create(config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, count, boxes, NULL, NULL), BP_OK);
    assert_int_equal(bp_update(world, NULL), BP_OK);
    return world;
}

static void questions_have_the_same_answers(void **state) {
    (void)state;
    const size_t count = box_count();
    bp_box *boxes = make_boxes(count, 4.0, SEED);
    bp_answers expected[3] = {0};
    bp_world *alone = make_world(NULL, boxes, count);
    ask(alone, boxes, count, expected);
    assert_true(expected[0].offsets[count] > 2 * count);
    for (size_t i = 0; i < COUNT_OF(executors); ++i) {
        const bp_config config = {.executor = executors[i]};
        bp_answers answers[3] = {0};
        bp_world *world = make_world(&config, boxes, count);
        ask(world, boxes, count, answers);
        for (size_t k = 0; k < 3; ++k) {
            expect_same_answers(&answers[k], &expected[k], k > 0);
            bp_answers_free(&answers[k], NULL);
        }
        bp_world_destroy(world);
    }
    for (size_t k = 0; k < 3; ++k) {
        bp_answers_free(&expected[k], NULL);
    }
    bp_world_destroy(alone);
    free(boxes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_find_the_same),
        cmocka_unit_test(neighbors_are_the_same),
        cmocka_unit_test(worlds_live_the_same),
        cmocka_unit_test(questions_have_the_same_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
