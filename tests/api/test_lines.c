// Lines through worlds with a few large objects, as a floor and walls, in 64 bits, of any length and speed. The first line into
// a fresh world is answered without a tree: the others must agree.
#include "support/support.h"

#include <math.h>

enum { OBJECTS = 60, LARGE_MOST = 12, LINES = 160, WORLDS = 24, HITS = OBJECTS + LARGE_MOST + 8 };

typedef struct line_world {
    rng random;
    bp_config config;
    bool is_double;
    bp_box_double boxes[OBJECTS + LARGE_MOST];
    size_t count;
    bp_world *world;
} line_world;

static double draw(line_world *o, double low, double high) {
    return (double)(float)rng_between(&o->random, low, high);
}

static bp_box_double draw_box(line_world *o, double place, double edge) {
    bp_box_double box;
    for (int axis = 0; axis < 3; ++axis) {
        box.min[axis] = draw(o, -place, place);
        box.max[axis] = box.min[axis] + draw(o, 0.0, edge);
    }
    return box;
}

// A floor or a wall: thin along one axis, long along the others, at times without an end.
static bp_box_double draw_large(line_world *o) {
    bp_box_double box = {.min = {-40, -40, -40}, .max = {40, 40, 40}};
    const uint32_t axis = rng_below(&o->random, o->config.dimensions == 2 ? 2 : 3);
    const bool is_endless = rng_below(&o->random, 3) == 0;
    box.min[axis] = draw(o, -12.0, 12.0);
    box.max[axis] = box.min[axis] + draw(o, 0.0, 1.0);
    for (uint32_t other = 0; other < 3 && is_endless; ++other) {
        box.min[other] = other != axis ? -INFINITY : box.min[other];
        box.max[other] = other != axis ? INFINITY : box.max[other];
    }
    return box;
}

static void add_to(const line_world *o, bp_world *world) {
    for (size_t i = 0; i < o->count; ++i) {
        const bp_box_double *box = &o->boxes[i];
        bp_box narrow;
        for (int axis = 0; axis < 3; ++axis) {
            narrow.min[axis] = (float)box->min[axis];
            narrow.max[axis] = (float)box->max[axis];
        }
        assert_int_equal(o->is_double ? bp_add_double(world, box, NULL, NULL) : bp_add(world, &narrow, NULL, NULL),
                         BP_OK);
    }
}

// The boxes are numbers that floats can hold, so both kinds of worlds hold the same.
static void begin_world(line_world *o) {
    const size_t large_count = rng_below(&o->random, LARGE_MOST + 1);
    o->count = 0;
    for (int i = 0; i < OBJECTS; ++i) {
        o->boxes[o->count++] = draw_box(o, 5.0, 2.0);
    }
    for (size_t i = 0; i < large_count; ++i) {
        o->boxes[o->count++] = draw_large(o);
    }
    for (size_t i = 0; i < o->count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            o->boxes[i].max[axis] = (double)(float)o->boxes[i].max[axis];
        }
    }
    assert_int_equal(bp_world_create(&o->config, &o->world), BP_OK);
    add_to(o, o->world);
    assert_int_equal(bp_update(o->world, NULL), BP_OK);
}

// To or from a face of a box, exactly or nearly, or past everything; of any length.
static bp_cast_double draw_cast(line_world *o) {
    static const double scales[] = {1.0, 1.0, 1.0, 0x1p-40, 0x1p40, 0x1p-1000, 0x1p1000};
    const bp_box_double *box = &o->boxes[rng_below(&o->random, (uint32_t)o->count)];
    const double scale = scales[rng_below(&o->random, 7)];
    const bool is_ray = rng_below(&o->random, 2) == 0, turns = rng_below(&o->random, 2) == 0;
    bp_cast_double cast = {.max_t = 1.0 / scale};
    for (int axis = 0; axis < 3; ++axis) {
        const double face = rng_below(&o->random, 2) == 0 ? box->min[axis] : box->max[axis];
        const double to = isfinite(face) ? face : draw(o, -9.0, 9.0), from = draw(o, -15.0, 15.0);
        cast.box.min[axis] = turns ? to : from;
        cast.box.max[axis] = cast.box.min[axis] + (is_ray ? 0.0 : draw(o, 0.0, 1.0));
        cast.direction[axis] = rng_below(&o->random, 8) == 0 ? 0.0 : (turns ? from - to : to - from) * scale;
    }
    cast.direction[0] = cast.direction[0] == 0.0 ? scale : cast.direction[0];
    cast.max_t = rng_below(&o->random, 6) == 0 ? (double)INFINITY : rng_below(&o->random, 6) == 0 ? 0.0 : cast.max_t;
    return cast;
}

static void expect_the_same(const line_world *o, const bp_cast_double *cast) {
    bp_ray_hit_double hits[HITS], expected[HITS];
    size_t found, expected_count;
    bp_world *fresh;
    assert_int_equal(bp_world_create(&o->config, &fresh), BP_OK);
    add_to(o, fresh);
    assert_int_equal(bp_query_cast_double(fresh, cast, NULL, expected, HITS, &expected_count), BP_OK);
    bp_world_destroy(fresh);
    assert_int_equal(bp_query_cast_double(o->world, cast, NULL, hits, HITS, &found), BP_OK);
    assert_int_equal(found, expected_count);
    for (size_t i = 0; i < found; ++i) {
        assert_int_equal(hits[i].id, expected[i].id);
        assert_true(hits[i].t == expected[i].t);
    }
}

// An object moves out of the bounds: a line finds it before the next update, and after it.
static void move_one(line_world *o) {
    const uint32_t id = rng_below(&o->random, OBJECTS);
    bp_box_double *box = &o->boxes[id];
    const double by = draw(o, -6.0, 6.0);
    for (int axis = 0; axis < 3; ++axis) {
        box->min[axis] = (double)(float)(box->min[axis] + by);
        box->max[axis] = (double)(float)(box->max[axis] + by);
    }
    const bp_box_double moved = *box;
    assert_int_equal(bp_move_double(o->world, id, &moved), BP_OK);
}

static void run_world(const bp_config *config, bool is_double, uint64_t seed) {
    line_world o = {.random = rng_seeded(seed), .config = *config, .is_double = is_double};
    begin_world(&o);
    for (int i = 0; i < LINES; ++i) {
        const bp_cast_double cast = draw_cast(&o);
        expect_the_same(&o, &cast);
        if (i % 40 == 39 && is_double) {
            move_one(&o);
        }
        if (i % 80 == 79) {
            assert_int_equal(bp_update(o.world, NULL), BP_OK);
        }
    }
    bp_world_destroy(o.world);
}

static void lines_find_the_same_in_a_tree(void **state) {
    const bp_config configs[] = {
        {0}, {.dimensions = 2}, {.margin = 0.25f}, {.method = BP_METHOD_BVH}, {.method = BP_METHOD_TREE}};
    (void)state;
    for (uint64_t seed = 1; seed <= WORLDS; ++seed) {
        for (size_t i = 0; i < COUNT_OF(configs); ++i) {
            run_world(&configs[i], false, seed);
            run_world(&configs[i], true, seed);
        }
    }
}

// A ray so fast that the time to a box in front of it is rounded to 0: it hits, even if it ends at 0.
static void rays_that_are_rounded_to_nothing_find_the_same(void **state) {
    static const double speeds[] = {0x1p1000, 0x1p300, 1.0}, ends[] = {0.0, 0x1p-1074, 1.0};
    line_world o = {
        .config = {.method = BP_METHOD_TREE}, .is_double = true, .boxes = {{{0, -1, -1}, {1, 1, 1}}}, .count = 1};
    (void)state;
    assert_int_equal(bp_world_create(&o.config, &o.world), BP_OK);
    add_to(&o, o.world);
    assert_int_equal(bp_update(o.world, NULL), BP_OK);
    for (int i = 0; i < 90; ++i) {
        bp_cast_double cast = {.direction = {speeds[i % 3], 0.0, 0.0}, .max_t = ends[i / 3 % 3]};
        cast.box.min[0] = cast.box.max[0] = -0x1p-80;
        expect_the_same(&o, &cast);
    }
    bp_world_destroy(o.world);
}

// A ray that ends when it passes a face hits it, even if the place where it ends is rounded to one before the face.
static void rays_that_end_at_a_face_find_the_same(void **state) {
    line_world o = {.config = {.method = BP_METHOD_TREE},
                    .random = rng_seeded(1),
                    .boxes = {{{0.1f, -1, -1}, {0.3f, 1, 1}}},
                    .count = 1};
    size_t short_count = 0;
    (void)state;
    assert_int_equal(bp_world_create(&o.config, &o.world), BP_OK);
    add_to(&o, o.world);
    assert_int_equal(bp_update(o.world, NULL), BP_OK);
    for (int i = 0; i < 4000; ++i) {
        const bool forwards = i % 2 == 0;
        const double face = forwards ? o.boxes[0].min[0] : o.boxes[0].max[0];
        const double from = face + (forwards ? -1.0 : 1.0) * rng_unit(&o.random);
        const double speed = (forwards ? 1.0 : -1.0) * (0.1 + rng_unit(&o.random));
        bp_cast_double cast = {.direction = {speed}, .max_t = (face - from) / speed};
        cast.box.min[0] = cast.box.max[0] = from;
        short_count += forwards ? from + cast.max_t * speed < face : from + cast.max_t * speed > face;
        expect_the_same(&o, &cast);
    }
    assert_true(short_count > 100);
    bp_world_destroy(o.world);
}

// In a world of tiles nearly everything touches exactly, and -0 is what a rotation gives.
static void a_negative_zero_is_a_zero(void **state) {
    static const bp_method methods[] = {BP_METHOD_AUTO, BP_METHOD_TREE};
    rng random = rng_seeded(3);
    (void)state;
    for (size_t w = 0; w < 2 * COUNT_OF(methods); ++w) {
        bp_world *world;
        assert_int_equal(bp_world_create(&(bp_config){.method = methods[w / 2]}, &world), BP_OK);
        for (int i = 0; i < 800; ++i) {
            const bp_box box =
                box_of((float)rng_below(&random, 12), (float)rng_below(&random, 12), (float)rng_below(&random, 12),
                       (float)rng_below(&random, 3), (float)rng_below(&random, 3), (float)rng_below(&random, 3));
            assert_int_equal(bp_add(world, &box, NULL, NULL), BP_OK);
        }
        assert_int_equal(w % 2 == 0 ? bp_update(world, NULL) : BP_OK, BP_OK);
        for (int i = 0; i < 400; ++i) {
            static bp_ray_hit hits[800], expected[800];
            bp_cast cast = {.max_t = 1000.0f};
            size_t found, expected_count;
            for (int axis = 0; axis < 3; ++axis) {
                cast.box.min[axis] = (float)rng_below(&random, 13);
                cast.box.max[axis] = cast.box.min[axis] + (float)(i % 2);
                cast.direction[axis] = rng_below(&random, 2) == 0 ? 0.0f : (float)rng_below(&random, 5) - 2.0f;
            }
            cast.direction[i % 3] = 1.0f;
            assert_int_equal(bp_query_cast(world, &cast, NULL, expected, 800, &expected_count), BP_OK);
            for (int axis = 0; axis < 3; ++axis) {
                cast.direction[axis] = cast.direction[axis] == 0.0f ? -0.0f : cast.direction[axis];
            }
            assert_int_equal(bp_query_cast(world, &cast, NULL, hits, 800, &found), BP_OK);
            assert_int_equal(found, expected_count);
            assert_memory_equal(hits, expected, found * sizeof *hits);
        }
        bp_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_find_the_same_in_a_tree),
        cmocka_unit_test(rays_that_are_rounded_to_nothing_find_the_same),
        cmocka_unit_test(rays_that_end_at_a_face_find_the_same),
        cmocka_unit_test(a_negative_zero_is_a_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
