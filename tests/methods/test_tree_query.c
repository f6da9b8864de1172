// Questions to a world that keeps a tree, beside plain loops over all objects: of few objects and many, with holes, infinite
// boxes, points and plates, on a lattice where nearly everything touches; lines with zeros of either sign in their directions, of
// which many miss an edge by one rounding.
#include "support/naive_query.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { MOST = 400, QUESTIONS = 60 };

typedef struct exam {
    rng random;
    bp_config config;
    bp_world *world;
    naive_world naive;
    atomic_size_t wrong;
    bp_box boxes[QUESTIONS];
    bp_cast casts[QUESTIONS];
    bp_ray rays[QUESTIONS];
    float points[3 * QUESTIONS];
} exam;

static float lattice(exam *e, uint32_t cells) {
    return (float)rng_below(&e->random, cells);
}

static bp_box draw_box(exam *e) {
    bp_box box;
    for (int axis = 0; axis < 3; ++axis) {
        box.min[axis] = lattice(e, 10);
        box.max[axis] = box.min[axis] + lattice(e, 3);
        const uint32_t kind = rng_below(&e->random, 40);
        box.min[axis] = kind < 2 ? -INFINITY : box.min[axis];
        box.max[axis] = kind > 0 && kind < 3 ? INFINITY : box.max[axis];
    }
    return box;
}

static void draw_questions(exam *e) {
    static const float components[] = {0.0f, -0.0f, 0.0f, -0.0f, 1.0f, -1.0f, 0.5f, -3.0f, 1e-30f, -1e30f};
    for (size_t i = 0; i < QUESTIONS; ++i) {
        bp_cast *cast = &e->casts[i];
        e->rays[i].max_t = cast->max_t = rng_below(&e->random, 4) == 0 ? INFINITY : lattice(e, 20);
        for (int axis = 0; axis < 3; ++axis) {
            e->boxes[i].min[axis] = cast->box.min[axis] = e->rays[i].origin[axis] = lattice(e, 12);
            cast->box.max[axis] = e->boxes[i].max[axis] = cast->box.min[axis] + lattice(e, 3);
            cast->direction[axis] = components[rng_below(&e->random, COUNT_OF(components))];
            e->points[3 * i + (size_t)axis] = lattice(e, 24) / 2;
        }
        const uint32_t moving = rng_below(&e->random, e->config.dimensions == 2 ? 2 : 3);
        cast->direction[moving] = cast->direction[moving] == 0.0f ? 1.0f : cast->direction[moving];
        memcpy(e->rays[i].direction, cast->direction, sizeof cast->direction);
        float *nudged = &e->rays[i].origin[rng_below(&e->random, 3)];
        *nudged = i % 2 == 0 ? *nudged : nextafterf(*nudged, i % 4 == 1 ? INFINITY : -INFINITY);
    }
}

static void begin_exam(exam *e, bp_config config, size_t count, uint64_t seed) {
    *e = (exam){.random = rng_seeded(seed), .config = config};
    assert_int_equal(bp_world_create(&config, &e->world), BP_OK);
    naive_world_create(&e->naive, &config, MOST);
    for (bp_id id = 0; id < count; ++id) {
        const bp_box box = draw_box(e);
        assert_int_equal(bp_add(e->world, &box, NULL, &(bp_id){0}), BP_OK);
        naive_world_put(&e->naive, id, &box, &(bp_object){0});
    }
    for (bp_id id = 0; id < count; id += 7) {
        assert_int_equal(bp_remove(e->world, id), BP_OK);
        naive_world_remove(&e->naive, id);
    }
    draw_questions(e);
}

static void move_some(exam *e, size_t count) {
    for (bp_id id = 1; id < count; id += 1 + rng_below(&e->random, 9)) {
        if (naive_world_is_alive(&e->naive, id)) {
            const bp_box box = draw_box(e);
            assert_int_equal(bp_move(e->world, id, &box), BP_OK);
            naive_world_put(&e->naive, id, &box, &(bp_object){0});
        }
    }
}

static bool are_same(const void *found, const void *expected, size_t found_count, size_t count, size_t size) {
    return found_count == count && memcmp(found, expected, count * size) == 0;
}

// Asks all kinds of question `i`. May run on any thread.
static void ask_one(void *context, size_t i) {
    exam *e = context;
    bp_id ids[MOST], expected_ids[MOST];
    bp_ray_hit hits[MOST], expected[MOST];
    bp_near near[MOST], expected_near[MOST];
    size_t found = 0, count = naive_query_box(&e->naive, &e->boxes[i], NULL, expected_ids);
    bool is_right = bp_query_box(e->world, &e->boxes[i], NULL, ids, MOST, &found) == BP_OK;
    is_right &= are_same(ids, expected_ids, found, count, sizeof *ids);
    count = naive_query_ray(&e->naive, &e->rays[i], NULL, expected);
    is_right &= bp_query_ray(e->world, &e->rays[i], NULL, hits, MOST, &found) == BP_OK;
    is_right &= are_same(hits, expected, found, count, sizeof *hits);
    const size_t most = 1 + i % 2, first = count < most ? count : most;
    is_right &= bp_query_ray(e->world, &e->rays[i], NULL, hits, most, NULL) == BP_OK;
    is_right &= are_same(hits, expected, first, first, sizeof *hits) && (count >= most || hits[count].id == BP_NO_ID);
    count = naive_query_cast(&e->naive, &e->casts[i], NULL, expected);
    is_right &= bp_query_cast(e->world, &e->casts[i], NULL, hits, MOST, &found) == BP_OK;
    is_right &= are_same(hits, expected, found, count, sizeof *hits);
    count = naive_query_nearest(&e->naive, e->points + 3 * i, NULL, expected_near);
    count = count < 1 + i % 9 ? count : 1 + i % 9;
    is_right &= bp_query_nearest(e->world, e->points + 3 * i, 1 + i % 9, NULL, near, &found) == BP_OK;
    is_right &= are_same(near, expected_near, found, count, sizeof *near);
    if (!is_right) {
        (void)atomic_fetch_add(&e->wrong, 1);
    }
}

static void expect_row(const bp_answers *answers, size_t row, const bp_ray_hit *expected, size_t count) {
    const size_t begin = answers->offsets[row];
    assert_int_equal(answers->offsets[row + 1] - begin, count);
    for (size_t k = 0; k < count; ++k) {
        assert_int_equal(answers->ids[begin + k], expected[k].id);
        assert_true(answers->values[begin + k] == expected[k].t);
    }
}

static void ask_together(exam *e) {
    bp_answers rays = {0}, casts = {0}, near = {0};
    bp_ray_hit expected[MOST];
    for (size_t most = 0; most < 4; ++most) {
        assert_int_equal(bp_query_rays(e->world, QUESTIONS, e->rays, most, NULL, &rays), BP_OK);
        assert_int_equal(bp_query_casts(e->world, QUESTIONS, e->casts, most, NULL, &casts), BP_OK);
        for (size_t i = 0; i < QUESTIONS; ++i) {
            size_t count = naive_query_ray(&e->naive, &e->rays[i], NULL, expected);
            expect_row(&rays, i, expected, most > 0 && most < count ? most : count);
            count = naive_query_cast(&e->naive, &e->casts[i], NULL, expected);
            expect_row(&casts, i, expected, most > 0 && most < count ? most : count);
        }
    }
    for (size_t asked = 1; asked < 20; ++asked) { // more than there are in turn, and fewer
        assert_int_equal(bp_query_rays(e->world, asked, e->rays + asked, 1, NULL, &rays), BP_OK);
        for (size_t i = 0; i < asked; ++i) {
            const size_t count = naive_query_ray(&e->naive, &e->rays[asked + i], NULL, expected);
            expect_row(&rays, i, expected, count > 0);
        }
    }
    assert_int_equal(bp_query_nearest_many(e->world, QUESTIONS, e->points, 5, NULL, &near), BP_OK);
    for (size_t i = 0; i < QUESTIONS; ++i) {
        bp_near nearest[MOST];
        size_t count = naive_query_nearest(&e->naive, e->points + 3 * i, NULL, nearest);
        count = count < 5 ? count : 5;
        memcpy(expected, nearest, count * sizeof *expected); // an id and a float each
        expect_row(&near, i, expected, count);
    }
    bp_answers_free(&rays, NULL);
    bp_answers_free(&casts, NULL);
    bp_answers_free(&near, NULL);
}

static void run_exam(bp_config config, size_t count, uint64_t seed) {
    static exam e;
    const bp_executor threads = thread_executor(3);
    begin_exam(&e, config, count, seed);
    for (int step = 0; step < 3; ++step) {
        if (step != 1) {
            assert_int_equal(bp_update(e.world, NULL), BP_OK);
        }
        threads.run(threads.context, ask_one, &e, QUESTIONS);
        assert_int_equal(atomic_load(&e.wrong), 0);
        ask_together(&e);
        move_some(&e, count);
    }
    bp_world_destroy(e.world);
    naive_world_destroy(&e.naive);
}

static const bp_simd forms[] = {BP_SIMD_AUTO, BP_SIMD_SCALAR, BP_SIMD_AVX2};

static void few_objects_answer(void **state) {
    (void)state;
    for (size_t count = 1; count <= 20; ++count) {
        for (uint32_t dimensions = 2; dimensions <= 3; ++dimensions) {
            run_exam((bp_config){.method = BP_METHOD_TREE, .dimensions = dimensions}, count, count);
        }
    }
}

static void many_objects_answer(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= (quick() ? 2 : 6); ++seed) {
        for (size_t form = 0; form < COUNT_OF(forms); ++form) {
            for (uint32_t dimensions = 2; dimensions <= 3 && has_simd(forms[form]); ++dimensions) {
                bp_config config = {.method = BP_METHOD_TREE, .dimensions = dimensions, SETTINGS(.simd = forms[form])};
                run_exam(config, MOST, seed);
                config.method = BP_METHOD_HIERARCHICAL_GRID;
                run_exam(config, MOST, seed);
            }
        }
    }
}

// Both boxes are hit at a t that is infinite as a float, so the smaller id comes first.
static void a_ray_too_slow_for_floats_finds_the_smaller_id(void **state) {
    (void)state;
    const bp_config config = {.method = BP_METHOD_TREE};
    const bp_box boxes[] = {box_of(100, 0, 0, 1, 1, 1), box_of(10, 0, 0, 1, 1, 1)};
    const bp_ray ray = {.origin = {0.0f, 0.5f, 0.5f}, .direction = {0x1p-140f, 0.0f, 0.0f}, .max_t = INFINITY};
    bp_world *world = NULL;
    bp_ray_hit hit = {.id = BP_NO_ID};
    bp_answers answers = {0};
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, COUNT_OF(boxes), boxes, NULL, NULL), BP_OK);
    assert_int_equal(bp_update(world, NULL), BP_OK);
    assert_int_equal(bp_query_ray(world, &ray, NULL, &hit, 1, NULL), BP_OK);
    assert_int_equal(hit.id, 0);
    assert_int_equal(bp_query_rays(world, 1, &ray, 1, NULL, &answers), BP_OK);
    assert_int_equal(answers.ids[0], 0);
    bp_answers_free(&answers, NULL);
    bp_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_objects_answer),
        cmocka_unit_test(many_objects_answer),
        cmocka_unit_test(a_ray_too_slow_for_floats_finds_the_smaller_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
