// Geometry that breaks grids: infinities, overflow, denormals, far places, every size at once.
#include "support/support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BOXES = 600, SEED = 23 };

// ---- the geometries -------------------------------------------------------------------------------------------------

typedef void (*box_filler)(bp_box *boxes, size_t count, rng *random);

static float draw_from(rng *random, const float *values, size_t count) {
    return values[rng_below(random, (uint32_t)count)];
}

// Boxes whose edges come from a short list of values, so that every combination meets every other.
static void fill_from(bp_box *boxes, size_t count, rng *random, const float *values, size_t value_count) {
    for (size_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            const float one = draw_from(random, values, value_count), other = draw_from(random, values, value_count);
            boxes[i].min[axis] = one < other ? one : other;
            boxes[i].max[axis] = one < other ? other : one;
        }
    }
}

static void infinities(bp_box *boxes, size_t count, rng *random) {
    static const float values[] = {-INFINITY, -FLT_MAX, -1.0f, -0.0f, 0.0f, 1.0f, FLT_MAX, INFINITY};
    fill_from(boxes, count, random, values, COUNT_OF(values));
}

static void mostly_finite(bp_box *boxes, size_t count, rng *random) {
    infinities(boxes, count, random);
    for (size_t i = 0; i < count; ++i) {
        if (i % 10 != 0) {
            boxes[i] = random_cube(random, 8.0, 1.0);
        }
    }
}

static void slabs_and_half_spaces(bp_box *boxes, size_t count, rng *random) {
    for (size_t i = 0; i < count; ++i) {
        boxes[i] = random_cube(random, 10.0, 0.5);
        for (int axis = 0; axis < 3; ++axis) {
            boxes[i].min[axis] = rng_below(random, 4) == 0 ? -INFINITY : boxes[i].min[axis];
            boxes[i].max[axis] = rng_below(random, 4) == 0 ? INFINITY : boxes[i].max[axis];
        }
    }
}

static void overflowing_extents(bp_box *boxes, size_t count, rng *random) {
    static const float values[] = {-FLT_MAX, -3e38f, -2e38f, -1e38f, -1.0f, 1.0f, 1e38f, 2e38f, 3e38f, FLT_MAX};
    fill_from(boxes, count, random, values, COUNT_OF(values));
}

static void denormals(bp_box *boxes, size_t count, rng *random) {
    for (size_t i = 0; i < count; ++i) {
        const float step = FLT_TRUE_MIN;
        for (int axis = 0; axis < 3; ++axis) {
            boxes[i].min[axis] = (float)((int)rng_below(random, 40) - 20) * step;
            boxes[i].max[axis] = boxes[i].min[axis] + (float)rng_below(random, 8) * step;
        }
    }
}

static void denormals_and_ordinary(bp_box *boxes, size_t count, rng *random) {
    denormals(boxes, count, random);
    for (size_t i = 0; i < count; i += 2) {
        boxes[i] = random_cube(random, 3.0, i % 4 == 0 ? 0.4 : 0.0);
    }
}

static void points_on_few_places(bp_box *boxes, size_t count, rng *random) {
    for (size_t i = 0; i < count; ++i) {
        boxes[i] = cube_of((float)rng_below(random, 5), (float)rng_below(random, 5), (float)rng_below(random, 5), 0.0f);
    }
}

static void identical(bp_box *boxes, size_t count, rng *random) {
    for (size_t i = 0; i < count; ++i) {
        boxes[i] = cube_of(0.1f, 0.2f, 0.3f, 0.7f);
    }
    (void)random;
}

static void all_sizes(bp_box *boxes, size_t count, rng *random) {
    for (size_t i = 0; i < count; ++i) {
        const float size = random_magnitude(random, 1e-30, 1e30), where = random_magnitude(random, 1e-30, 1e30);
        boxes[i] = cube_of(where * (float)rng_sign(random), random_between(random, -1, 1) * size, -size / 3, size);
    }
}

static void all_places(bp_box *boxes, size_t count, rng *random) {
    for (size_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            const float edge = random_magnitude(random, 1e-38, 3e38) * (float)rng_sign(random);
            boxes[i].min[axis] = edge;
            boxes[i].max[axis] = edge + fabsf(edge) * random_between(random, 0, 0.5);
        }
    }
}

// Pairs of boxes that touch exactly, or miss by one step of the float, around a place far out.
static void fill_ulp_neighbours(bp_box *boxes, size_t count, rng *random, float far) {
    for (size_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            float low = axis == 2 ? -far : far;
            for (uint32_t steps = rng_below(random, 12); steps > 0; --steps) {
                low = nextafterf(low, INFINITY);
            }
            float high = low;
            for (uint32_t steps = rng_below(random, 4); steps > 0; --steps) {
                high = nextafterf(high, INFINITY);
            }
            boxes[i].min[axis] = low;
            boxes[i].max[axis] = high;
        }
    }
}

static void neighbours_at_2_24(bp_box *boxes, size_t count, rng *random) {
    fill_ulp_neighbours(boxes, count, random, 0x1p24f);
}

static void neighbours_at_1e30(bp_box *boxes, size_t count, rng *random) {
    fill_ulp_neighbours(boxes, count, random, 1e30f);
}

static void neighbours_at_one_third(bp_box *boxes, size_t count, rng *random) {
    fill_ulp_neighbours(boxes, count, random, 1.0f / 3.0f);
}

// Unit cubes near the origin fix the cells; clusters lie 2^24, 2^31 and 2^53 of those away, at the floats' resolution.
static void many_cells_away(bp_box *boxes, size_t count, rng *random) {
    static const float places[] = {0.0f, 0x1p24f, -0x1p24f, 0x1p25f, 0x1p31f, -0x1p31f, 0x1p32f, 0x1p53f, -0x1p63f};
    for (size_t i = 0; i < count; ++i) {
        const float place = places[i % COUNT_OF(places)];
        const float unit = fmaxf(1.0f, fabsf(place) * FLT_EPSILON);
        for (int axis = 0; axis < 3; ++axis) {
            boxes[i].min[axis] = (axis == 1 ? -place : place) + (float)rng_below(random, 8) * unit;
            boxes[i].max[axis] = boxes[i].min[axis] + (float)rng_below(random, 3) * unit;
        }
    }
}

static void thin_sheets(bp_box *boxes, size_t count, rng *random) {
    for (size_t i = 0; i < count; ++i) {
        float size[3] = {1e6f, 1e6f, 1e6f};
        size[rng_below(random, 3)] = 1e-6f;
        const bp_box at = random_cube(random, 4e6, 0.0);
        boxes[i] = box_of(at.min[0], at.min[1], at.min[2], size[0], size[1], size[2]);
    }
}

static void needles(bp_box *boxes, size_t count, rng *random) {
    for (size_t i = 0; i < count; ++i) {
        float size[3] = {0.0f, 0.0f, 0.0f};
        size[rng_below(random, 3)] = 1e6f;
        boxes[i] = box_of((float)rng_below(random, 6), (float)rng_below(random, 6), (float)rng_below(random, 6),
                          size[0], size[1], size[2]);
    }
}

static void on_a_plane(bp_box *boxes, size_t count, rng *random) {
    for (size_t i = 0; i < count; ++i) {
        boxes[i] = random_cube(random, 20.0, 1.0);
        boxes[i].min[1] = 5.0f;
        boxes[i].max[1] = 5.0f;
    }
}

static void on_a_line(bp_box *boxes, size_t count, rng *random) {
    for (size_t i = 0; i < count; ++i) {
        boxes[i] = box_of(-1e7f, 3.0f, random_between(random, -300, 300), 0.0f, 0.0f, 1.0f);
    }
}

static void two_clusters(bp_box *boxes, size_t count, rng *random) {
    for (size_t i = 0; i < count; ++i) {
        const float side = i % 2 == 0 ? 1e30f : -1e30f;
        boxes[i] = cube_of(side, side * random_between(random, 0.99, 1.01), side, random_magnitude(random, 1e22, 1e29));
    }
}

static void one_giant(bp_box *boxes, size_t count, rng *random) {
    for (size_t i = 0; i < count; ++i) {
        boxes[i] = random_cube(random, 12.0, 1.0);
    }
    boxes[count / 2] = cube_of(-1e20f, -1e20f, -1e20f, 2e20f);
    boxes[count / 3] = cube_of(-40.0f, -40.0f, -40.0f, 50.0f);
}

// Every box begins exactly where the one before ends, at values that do not round well.
static void fill_chain(bp_box *boxes, size_t count, float step, float offset) {
    for (size_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            const float at = axis == 0 ? (float)i : (float)(i / 40);
            boxes[i].min[axis] = offset + at * step;
            boxes[i].max[axis] = offset + (at + 1.0f) * step;
        }
    }
}

static void chain_of_thirds(bp_box *boxes, size_t count, rng *random) {
    (void)random;
    fill_chain(boxes, count, 1.0f / 3.0f, -100.0f);
}

static void chain_of_tenths(bp_box *boxes, size_t count, rng *random) {
    (void)random;
    fill_chain(boxes, count, 0.1f, -30.0f);
}

static void chain_far_out(bp_box *boxes, size_t count, rng *random) {
    (void)random;
    fill_chain(boxes, count, 1.0f / 3.0f, 1e6f);
}

// Cubes of a lattice: each shares faces, edges or corners with 26 others, and no coordinate is off by a bit.
static void fill_lattice(bp_box *boxes, size_t count, const float *planes) {
    for (size_t i = 0; i < count; ++i) {
        const size_t at[3] = {i % 9, i / 9 % 9, i / 81};
        for (int axis = 0; axis < 3; ++axis) {
            boxes[i].min[axis] = planes[at[axis]];
            boxes[i].max[axis] = planes[at[axis] + 1];
        }
    }
}

enum { PLANES = BOXES / 81 + 10 };

static void lattice_of_units(bp_box *boxes, size_t count, rng *random) {
    float planes[PLANES];
    for (int i = 0; i < PLANES; ++i) {
        planes[i] = (float)i - 4.0f;
    }
    fill_lattice(boxes, count, planes);
    (void)random;
}

static void lattice_of_sevenths(bp_box *boxes, size_t count, rng *random) {
    float planes[PLANES];
    for (int i = 0; i < PLANES; ++i) {
        planes[i] = 1e5f + (float)i / 7.0f;
    }
    fill_lattice(boxes, count, planes);
    (void)random;
}

// Two far away make everything else lie in one cell of any grid over all of them.
static void all_in_one_cell(bp_box *boxes, size_t count, rng *random) {
    for (size_t i = 0; i < count; ++i) {
        boxes[i] = random_cube(random, 0.01, 1e-3);
    }
    boxes[0] = cube_of(-1e6f, -1e6f, -1e6f, 1.0f);
    boxes[count - 1] = cube_of(1e6f, 1e6f, 1e6f, 1.0f);
}

static void negative_zero(bp_box *boxes, size_t count, rng *random) {
    static const float values[] = {-1.0f, -FLT_TRUE_MIN, -0.0f, 0.0f, FLT_TRUE_MIN, 1.0f};
    fill_from(boxes, count, random, values, COUNT_OF(values));
}

static void all_kinds(bp_box *boxes, size_t count, rng *random) {
    fill_wild_boxes(random, boxes, count);
}

typedef struct geometry {
    const char *name;
    box_filler fill;
} geometry;

#define GEOMETRY(function)                                                                                             \
    { #function, function }

static const geometry GEOMETRIES[] = {
    GEOMETRY(infinities),
    GEOMETRY(mostly_finite),
    GEOMETRY(slabs_and_half_spaces),
    GEOMETRY(overflowing_extents),
    GEOMETRY(denormals),
    GEOMETRY(denormals_and_ordinary),
    GEOMETRY(points_on_few_places),
    GEOMETRY(identical),
    GEOMETRY(all_sizes),
    GEOMETRY(all_places),
    GEOMETRY(neighbours_at_2_24),
    GEOMETRY(neighbours_at_1e30),
    GEOMETRY(neighbours_at_one_third),
    GEOMETRY(many_cells_away),
    GEOMETRY(thin_sheets),
    GEOMETRY(needles),
    GEOMETRY(on_a_plane),
    GEOMETRY(on_a_line),
    GEOMETRY(two_clusters),
    GEOMETRY(one_giant),
    GEOMETRY(chain_of_thirds),
    GEOMETRY(chain_of_tenths),
    GEOMETRY(chain_far_out),
    GEOMETRY(lattice_of_units),
    GEOMETRY(lattice_of_sevenths),
    GEOMETRY(all_in_one_cell),
    GEOMETRY(negative_zero),
    GEOMETRY(all_kinds),
};

// ---- the checks -----------------------------------------------------------------------------------------------------

static const bp_config OPTIONS[] = {
    {0},
    {SETTINGS(.brute_force_below = 1)},
    {.threads = 2, SETTINGS(.brute_force_below = 1)},
    {.threads = 3, SETTINGS(.brute_force_below = 1, .simd = BP_SIMD_SCALAR)},
    {SETTINGS(.brute_force_below = 1, .hierarchy_factor = 2.0f)},
    {SETTINGS(.brute_force_below = 1, .hierarchy_factor = 1.25f, .grid_size = {4, 16, 8})},
    {SETTINGS(.brute_force_below = 1, .cell_size = 1.0f)},
    {SETTINGS(.brute_force_below = 1, .cell_size = 1e-38f)},
    {SETTINGS(.brute_force_below = 1, .cell_size = 1e-44f)},
    {SETTINGS(.brute_force_below = 1, .cell_size = 3e38f, .hierarchy_factor = 1000.0f)},
};

typedef struct subject {
    const char *name;
    bp_box boxes[BOXES];
    pair_list expected;
} subject;

static void check_call(const subject *s, const bp_config *config) {
    char text[CONFIG_TEXT];
    bp_pairs pairs = {0};
    assert_int_equal(bp_find_pairs(s->boxes, BOXES, config, &pairs), BP_OK);
    expect_pairs(pairs.data, pairs.count, &s->expected, "%s: %d boxes, seed=%d %s", s->name, BOXES, SEED,
                 config_text(config, text));
    bp_pairs_free(&pairs, config);
}

// A few objects go to where others are and come back, so that methods which can do so mend what they have.
static void move_there_and_back(const subject *s, bp_world *world) {
    static const bp_id few[] = {0, BOXES / 3, BOXES / 2, BOXES - 1};
    for (int round = 0; round < 6; ++round) {
        for (size_t i = 0; i < COUNT_OF(few); ++i) {
            const size_t other = round % 2 == 0 ? (few[i] + 7) % BOXES : few[i];
            assert_int_equal(bp_move(world, few[i], &s->boxes[other]), BP_OK);
        }
        assert_int_equal(bp_update(world, NULL), BP_OK);
    }
}

// The objects come in two parts, and one by one move from where the next one is to their own place.
static void check_world(const subject *s, bp_config config, bp_update_strategy strategy) {
    char text[CONFIG_TEXT];
    config.update = strategy;
    bp_world *world = NULL;
    bp_result result;
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, BOXES / 2, s->boxes + 1, NULL, NULL), BP_OK);
    assert_int_equal(bp_update(world, NULL), BP_OK);
    assert_int_equal(bp_add_many(world, BOXES / 2, s->boxes + BOXES / 2, NULL, NULL), BP_OK);
    for (bp_id id = 0; id < BOXES / 2; ++id) {
        assert_int_equal(bp_move(world, id, &s->boxes[id]), BP_OK);
    }
    if (is_incremental((size_t)config.method) && strategy != BP_UPDATE_REBUILD) {
        move_there_and_back(s, world);
    }
    assert_int_equal(bp_update(world, &result), BP_OK);
    expect_pairs(result.pairs, result.pair_count, &s->expected, "world, %s: %d boxes, seed=%d %s", s->name, BOXES, SEED,
                 config_text(&config, text));
    assert_int_equal(bp_world_validate(world), BP_OK);
    bp_world_destroy(world);
}

static void check_method(const subject *s, size_t method, uint32_t dimensions) {
    const size_t options = method == BP_METHOD_BRUTE_FORCE ? 1 : COUNT_OF(OPTIONS);
    for (size_t i = 0; i < options; ++i) {
        if (!in_turn()) {
            continue;
        }
        bp_config config = OPTIONS[i];
        config.method = (bp_method)method;
        config.dimensions = dimensions;
        check_call(s, &config);
        check_world(s, config, BP_UPDATE_AUTOMATIC);
        check_world(s, config, BP_UPDATE_REBUILD);
        if (is_incremental(method)) {
            check_world(s, config, BP_UPDATE_INDIVIDUAL);
        }
    }
}

static void check_geometry(const geometry *g, uint32_t dimensions) {
    rng random = rng_seeded(SEED);
    subject *s = obtain(1, sizeof *s);
    s->name = g->name;
    g->fill(s->boxes, BOXES, &random);
    s->expected = naive_pairs(s->boxes, BOXES, dimensions);
    for (size_t method = 0; method < bp_method_count(); ++method) {
        if (dimensions == 3 || (bp_method_supports(method) & BP_SUPPORTS_2D) != 0) {
            check_method(s, method, dimensions);
        }
    }
    pair_list_free(&s->expected);
    free(s);
}

static void loses_no_pair_in_3d(void **state) {
    (void)state;
    report("hostile scenes x methods", "%zu x %zu", COUNT_OF(GEOMETRIES), bp_method_count());
    for (size_t i = 0; i < COUNT_OF(GEOMETRIES); ++i) {
        check_geometry(&GEOMETRIES[i], 3);
    }
}

static void loses_no_pair_in_2d(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(GEOMETRIES); ++i) {
        check_geometry(&GEOMETRIES[i], 2);
    }
}

// In two dimensions z may be anything, even invalid.
static void ignores_z_in_2d(void **state) {
    (void)state;
    rng random = rng_seeded(SEED);
    subject *s = obtain(1, sizeof *s);
    s->name = "z is nonsense";
    for (size_t i = 0; i < BOXES; ++i) {
        s->boxes[i] = random_cube(&random, 15.0, 0.7);
        s->boxes[i].min[2] = i % 3 == 0 ? NAN : 5.0f;
        s->boxes[i].max[2] = i % 3 == 1 ? -INFINITY : 1.0f;
    }
    s->expected = naive_pairs(s->boxes, BOXES, 2);
    for (size_t method = 0; method < bp_method_count(); ++method) {
        if ((bp_method_supports(method) & BP_SUPPORTS_2D) != 0) {
            check_method(s, method, 2);
        }
    }
    pair_list_free(&s->expected);
    free(s);
}

// ---- invalid boxes -------------------------------------------------------------------------------------------------

// A minimum and a maximum that make no interval.
static const float BAD[][2] = {
    {NAN, 1},
    {0, NAN},
    {NAN, NAN},
    {1, -1},
    {INFINITY, 0},
    {0, -INFINITY},
    {INFINITY, -INFINITY},
    {FLT_TRUE_MIN, -0.0f},
    {FLT_MAX, FLT_MIN},
};

// Everywhere among good ones, in a call and in a world; which stays as it was.
static void check_refusal(subject *s, const bp_config *config, size_t at, uint32_t axis, const float bad[2]) {
    const bp_box good = s->boxes[at];
    bp_pairs pairs = {0};
    bp_world *world = NULL;
    s->boxes[at].min[axis] = bad[0];
    s->boxes[at].max[axis] = bad[1];
    assert_int_equal(bp_find_pairs(s->boxes, BOXES, config, &pairs), BP_ERROR_BOX);
    assert_int_equal(bp_world_create(config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, BOXES, s->boxes, NULL, NULL), BP_ERROR_BOX);
    assert_int_equal(bp_world_count(world), 0);
    const bp_box wrong = s->boxes[at];
    s->boxes[at] = good;
    assert_int_equal(bp_add(world, &good, NULL, NULL), BP_OK);
    assert_int_equal(bp_move(world, 0, &wrong), BP_ERROR_BOX);
    assert_int_equal(bp_update(world, NULL), BP_OK);
    bp_world_destroy(world);
    bp_pairs_free(&pairs, config);
}

static void refuses_what_is_no_box(void **state) {
    (void)state;
    rng random = rng_seeded(SEED);
    subject *s = obtain(1, sizeof *s);
    all_kinds(s->boxes, BOXES, &random);
    for (size_t method = 0; method < bp_method_count(); ++method) {
        for (size_t i = 0; i < COUNT_OF(BAD); ++i) {
            const bp_config config = {.method = (bp_method)method, .threads = i % 2 == 0 ? 1 : 2};
            check_refusal(s, &config, i * (BOXES - 1) / (COUNT_OF(BAD) - 1), (uint32_t)(i % 3), BAD[i]);
        }
    }
    free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loses_no_pair_in_3d),
        cmocka_unit_test(loses_no_pair_in_2d),
        cmocka_unit_test(ignores_z_in_2d),
        cmocka_unit_test(refuses_what_is_no_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
