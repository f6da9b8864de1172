// Spheres with a margin at every magnitude: no pair that overlaps may be lost, in a call or in a world, however coarse the
// coordinates are compared with the objects and with the margin.
//
// Along one axis objects lie so far out that a move by one unit in the last place is as long as they are, or much longer;
// along the others they have a usual size. Each life adds, moves, saves and loads, and is compared with the definition
// at every step. A failure prints what is needed to repeat it. BP_TEST_SEED=n is for other random numbers.
#include "support/view_scenes.h"
#include "support/world_streams.h"

#include "view/overlap.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { OBJECTS = 40, STEPS = 8 };

// Where a life takes place.
typedef struct place {
    int exponent; // of the far coordinates
    int scale;    // of all lengths: a power of two
    float margin; // before it is scaled; 0: a little more than the last place of the far coordinates
    bool periodic, wide;
    uint32_t dimensions;
    bp_method method;
} place;

typedef struct life {
    place at;
    bp_config config;
    double base, unit; // along the far axis, before they are scaled
    int step;
    rng random;
    bp_world *world;
    bp_box_double boxes[OBJECTS];
} life;

static size_t updates, pairs_found;

static const char *where(const life *l, char text[CONFIG_TEXT + 128]) {
    char config[CONFIG_TEXT];
    (void)snprintf(text, CONFIG_TEXT + 128, "exponent %d, scale %d, base %g, wide %d, step %d: %s", l->at.exponent,
                   l->at.scale, l->base, l->at.wide, l->step, config_text(&l->config, config));
    return text;
}

// ---- boxes ----------------------------------------------------------------------------------------------------------

static double last_place(const life *l, double value) {
    return l->at.wide ? nextafter(fabs(value), INFINITY) - fabs(value)
                      : (double)nextafterf(fabsf((float)value), INFINITY) - fabs((double)(float)value);
}

// As the world keeps it: scaled, and rounded to floats unless it is wide.
static double kept(const life *l, double value) {
    const double scaled = ldexp(value, l->at.scale);
    return l->at.wide ? scaled : (double)(float)scaled;
}

// Some units long, around the base; or, without a period, as long as the base is far away, and so with ends that have
// different last places.
static bp_box_double draw(life *l) {
    bp_box_double box;
    for (int axis = 1; axis < 3; ++axis) {
        const double min = rng_between(&l->random, -2.0, 2.0);
        box.min[axis] = kept(l, min);
        box.max[axis] = kept(l, min + rng_between(&l->random, 0.2, 2.2));
    }
    const double middle = l->base + (rng_below(&l->random, 48) - 24.0) * l->unit;
    const double half = (rng_below(&l->random, 24) + 1) * l->unit / 2;
    const bool is_long = !l->at.periodic && rng_below(&l->random, 4) == 0;
    box.min[0] = kept(l, middle - half - (is_long ? fabs(l->base) / 7 : 0.0));
    box.max[0] = kept(l, middle + half + (is_long ? fabs(l->base) / 7 : 0.0));
    return box;
}

static bp_box_double moved(life *l, const bp_box_double *box) {
    bp_box_double result = *box;
    for (int axis = 0; axis < 3; ++axis) {
        const double way =
            axis == 0 ? (rng_below(&l->random, 5) - 2.0) * l->unit : rng_between(&l->random, -0.05, 0.05);
        const double min = box->min[axis] + ldexp(way, l->at.scale), max = box->max[axis] + ldexp(way, l->at.scale);
        const double period = (double)l->config.period[axis];
        result.min[axis] = l->at.wide ? min : (double)(float)min;
        result.max[axis] = l->at.wide ? max : (double)(float)max;
        if (period > 0.0 && result.max[axis] - result.min[axis] > period) {
            result.max[axis] = result.min[axis];
        }
    }
    return result;
}

// ---- the world ------------------------------------------------------------------------------------------------------

static void put(life *l, bp_id id, bool is_new) {
    bp_box *floats = view_floats(&l->boxes[id], 1);
    bp_status status;
    if (is_new) {
        status = l->at.wide ? bp_add_double(l->world, &l->boxes[id], NULL, NULL) : bp_add(l->world, floats, NULL, NULL);
    } else {
        status = l->at.wide ? bp_move_double(l->world, id, &l->boxes[id]) : bp_move(l->world, id, floats);
    }
    assert_int_equal(status, BP_OK);
    free(floats);
}

// Boxes that may be reported with each other: each reaches two margins further, and some last places.
static pair_list pairs_that_may_be(const life *l) {
    const bp_config config = {.dimensions = l->config.dimensions,
                              .period = {l->config.period[0], l->config.period[1], l->config.period[2]}};
    bp_box_double boxes[OBJECTS];
    for (size_t i = 0; i < OBJECTS; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            const double low = l->boxes[i].min[axis], high = l->boxes[i].max[axis];
            const double more = 2.0001 * (double)l->config.margin + 4.0 * last_place(l, fmax(fabs(low), fabs(high)));
            boxes[i].min[axis] = low - more;
            boxes[i].max[axis] = high + more;
        }
    }
    return naive_view_pairs(boxes, OBJECTS, true, &config);
}

static void expect_all_in(const life *l, const bp_pair *these, size_t count, const bp_pair *those, size_t those_count,
                          const char *what) {
    char text[CONFIG_TEXT + 128];
    pair_list sorted = {0};
    pair_list_append(&sorted, those, those_count);
    sort_pairs(sorted.data, sorted.count);
    for (size_t i = 0; i < count; ++i) {
        if (!pairs_contain(sorted.data, sorted.count, these[i])) {
            fail_msg("(%u, %u) is %s: %s", these[i].a, these[i].b, what, where(l, text));
        }
    }
    pair_list_free(&sorted);
}

static void check_update(life *l) {
    bp_result result;
    bp_config exact = l->config;
    exact.margin = 0.0f;
    assert_int_equal(bp_update(l->world, &result), BP_OK);
    pair_list least = naive_view_pairs(l->boxes, OBJECTS, l->at.wide, &exact), most = pairs_that_may_be(l);
    expect_all_in(l, least.data, least.count, result.pairs, result.pair_count, "lost");
    expect_all_in(l, result.pairs, result.pair_count, most.data, most.count, "too far apart");
    ++updates;
    pairs_found += least.count;
    pair_list_free(&least);
    pair_list_free(&most);
}

// A move to the same place is no change, wherever that is.
static void check_rest(life *l) {
    bp_result result;
    char text[CONFIG_TEXT + 128];
    for (bp_id id = 0; id < OBJECTS; ++id) {
        put(l, id, false);
    }
    assert_int_equal(bp_update(l->world, &result), BP_OK);
    if (result.stats.tests != 0) {
        fail_msg("objects at rest are searched again: %s", where(l, text));
    }
}

static void check_call(const life *l) {
    char text[CONFIG_TEXT + 128];
    bp_pairs pairs = {0};
    bp_box *floats = view_floats(l->boxes, OBJECTS);
    assert_int_equal(l->at.wide ? bp_find_pairs_double(l->boxes, OBJECTS, &l->config, &pairs)
                                : bp_find_pairs(floats, OBJECTS, &l->config, &pairs),
                     BP_OK);
    pair_list expected = naive_view_pairs(l->boxes, OBJECTS, l->at.wide, &l->config);
    expect_pairs(pairs.data, pairs.count, &expected, "one call: %s", where(l, text));
    pair_list_free(&expected);
    bp_pairs_free(&pairs, NULL);
    free(floats);
}

// So far out that margins are less than the last place, objects have them all the same: what is nearly two margins apart
// is found at first.
static void check_margin(life *l) {
    bp_result result;
    bp_config nearly = l->config;
    nearly.margin *= 0.99f;
    assert_int_equal(bp_update(l->world, &result), BP_OK);
    if (4.0 * (double)l->config.margin < last_place(l, l->boxes[0].min[0])) {
        pair_list near = naive_view_pairs(l->boxes, OBJECTS, l->at.wide, &nearly);
        expect_all_in(l, near.data, near.count, result.pairs, result.pair_count, "not found before it touches");
        pair_list_free(&near);
    }
}

static void save_and_load(life *l) {
    stream s = save(l->world);
    bp_world_destroy(l->world);
    l->world = load(&l->config, &s);
    expect_bytes(l->world, &s);
    stream_free(&s);
}

// ---- lives ----------------------------------------------------------------------------------------------------------

// The unit is a power of two, so that a period of 64 units is exact.
static void begin(life *l, const place *at, double factor) {
    const double last_bit = ldexp(1.0, at->exponent - (at->wide ? 52 : 23));
    const double margin = at->margin > 0.0f ? (double)at->margin : 1.25 * last_bit;
    *l = (life){.at = *at, .base = ldexp(factor, at->exponent), .unit = fmax(0.0625, last_bit)};
    l->random = rng_seeded(environment_number("BP_TEST_SEED", 7));
    l->config = (bp_config){.method = at->method,
                            .dimensions = at->dimensions,
                            .shape = BP_SHAPE_SPHERES,
                            .margin = (float)fmin(fmax(ldexp(margin, at->scale), FLT_MIN), FLT_MAX),
                            .settings = &ALWAYS_A_GRID};
    if (at->periodic && abs(at->scale) < 100) { // which a float can be
        l->config.period[0] = (float)ldexp(64.0 * l->unit, at->scale);
        l->config.period[1] = (float)ldexp(8.0, at->scale);
    }
    assert_int_equal(bp_world_create(&l->config, &l->world), BP_OK);
}

static void live(const place *at, double factor) {
    life l;
    begin(&l, at, factor);
    for (bp_id id = 0; id < OBJECTS; ++id) {
        l.boxes[id] = draw(&l);
        put(&l, id, true);
    }
    check_call(&l);
    check_margin(&l);
    for (l.step = 0; l.step < STEPS; ++l.step) {
        check_update(&l);
        check_rest(&l);
        const uint32_t some = l.step % 3 == 2 ? OBJECTS : 3;
        for (uint32_t i = 0; i < some; ++i) {
            const bp_id id = some == OBJECTS ? i : rng_below(&l.random, OBJECTS);
            l.boxes[id] = rng_below(&l.random, 8) == 0 ? draw(&l) : moved(&l, &l.boxes[id]);
            put(&l, id, false);
        }
        if (l.step % 2 == 1) {
            save_and_load(&l);
        }
    }
    bp_world_destroy(l.world);
}

static void live_at(int exponent, int scale, bool wide) {
    static const float margins[] = {0.1f, 0.001f, 0.0f};
    static size_t lives;
    for (size_t i = 0; i < 2 * COUNT_OF(margins); ++i, ++lives) {
        const place at = {.exponent = exponent,
                          .scale = scale,
                          .margin = margins[i / 2],
                          .periodic = i % 2 == 1,
                          .wide = wide,
                          .dimensions = lives % 4 == 3 ? 2 : 3,
                          .method = (bp_method)(1 + lives % (bp_method_count() - 1))};
        live(&at, 1.0);
        live(&at, 1.75);
        live(&at, -1.75);
    }
}

static void no_pair_of_spheres_is_lost_at_any_magnitude(void **state) {
    (void)state;
    static const int exponents[] = {0, 12, 19, 21, 22, 23, 24, 25, 27, 30, 40, 60}, scales[] = {0, -60, 50};
    for (size_t i = 0; i < COUNT_OF(exponents); ++i) {
        for (size_t k = 0; k < COUNT_OF(scales); ++k) {
            live_at(exponents[i], scales[k], false);
            live_at(exponents[i] + 29, scales[k], true);
        }
    }
    live_at(30, 480, true);  // squares become infinite
    live_at(53, -560, true); // or zero
    live_at(67, 60, false);  // and coordinates nearly so
    print_message("%zu updates compared, with %zu pairs that overlap\n", updates, pairs_found);
    assert_true(pairs_found > updates);
}

// ---- the last numbers -----------------------------------------------------------------------------------------------

static void expect_count(const bp_box_double boxes[2], bool wide, size_t count) {
    const bp_config config = {.shape = BP_SHAPE_SPHERES, .margin = 1.0f};
    bp_box *floats = view_floats(boxes, 2);
    bp_pairs pairs = {0};
    bp_world *world = NULL;
    bp_result result;
    assert_int_equal(wide ? bp_find_pairs_double(boxes, 2, &config, &pairs) : bp_find_pairs(floats, 2, &config, &pairs),
                     BP_OK);
    assert_int_equal(pairs.count, count);
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    assert_int_equal(wide ? bp_add_many_double(world, 2, boxes, NULL, NULL) : bp_add_many(world, 2, floats, NULL, NULL),
                     BP_OK);
    assert_int_equal(bp_update(world, &result), BP_OK);
    assert_int_equal(result.pair_count, count);
    bp_world_destroy(world);
    bp_pairs_free(&pairs, NULL);
    free(floats);
}

// A finite box stays a sphere, even if its grown box would be infinite.
static void spheres_stay_spheres_at_the_last_numbers(void **state) {
    (void)state;
    const double f = (double)FLT_MAX, d = DBL_MAX;
    // the ball in a cube, and a point in the corner of that cube
    expect_count((bp_box_double[]){{{0, 0, 0}, {f, f, f}}, {{1, 1, 1}, {1, 1, 1}}}, false, 0);
    expect_count((bp_box_double[]){{{0, 0, 0}, {f, f, f}}, {{f / 2, 0, f / 2}, {f / 2, 0, f / 2}}}, false, 1);
    expect_count((bp_box_double[]){{{0, 0, 0}, {d, d, d}}, {{1, 1, 1}, {1, 1, 1}}}, true, 1); // infinite <= infinite
    expect_count((bp_box_double[]){{{d / 2, -d / 4, -d / 4}, {d, d / 4, d / 4}}, {{-d, 0, 0}, {-d / 2, d / 2, d / 2}}},
                 true, 1);
}

// ---- one sphere in another ------------------------------------------------------------------------------------------

// A cube in the direction of another, whose spheres touch or nearly do.
static bp_box_double cube_around(const double centre[3], const double direction[3], double way, double radius) {
    bp_box_double cube;
    for (int axis = 0; axis < 3; ++axis) {
        cube.min[axis] = centre[axis] + way * direction[axis] - radius;
        cube.max[axis] = centre[axis] + way * direction[axis] + radius;
    }
    return cube;
}

static double random_power(rng *random, int least, int most) {
    const double exponent = least + (double)rng_below(random, (uint32_t)(most - least));
    return ldexp(rng_between(random, 1.0, 2.0), (int)exponent);
}

// An inner sphere, an outer one that just holds it on the far side, and another that touches the inner one. Returns
// whether the outer one overlaps the other only because the rule is tolerant.
static bool try_spheres(rng *random, size_t *tried) {
    bp_overlap_rule strict = {.dimensions = 2 + rng_below(random, 2), .shape = BP_SHAPE_SPHERES};
    double direction[3], centre[3];
    rng_direction(random, strict.dimensions, direction);
    const double inner_radius = random_power(random, -30, 30), other_radius = random_power(random, -30, 30);
    const double shift = random_power(random, -50, 10) * inner_radius;
    for (int axis = 0; axis < 3; ++axis) {
        centre[axis] = rng_sign(random) * random_power(random, -30, 40);
        strict.period[axis] = rng_below(random, 4) == 0 ? (float)(8.0 * (inner_radius + shift + other_radius)) : 0.0f;
    }
    const bp_box_double inner = cube_around(centre, direction, 0.0, inner_radius);
    const bp_box_double outer = cube_around(centre, direction, -shift, inner_radius + shift);
    bp_box_double other = cube_around(centre, direction, inner_radius + other_radius, other_radius);
    for (int axis = 0; axis < 3; ++axis) {
        const double away = (double)rng_below(random, 1u << 20) * (double)strict.period[axis];
        other.min[axis] += away;
        other.max[axis] += away;
    }
    bp_overlap_rule tolerant = strict;
    tolerant.tolerant = true;
    bool as_boxes = false;
    if (!bp_sphere_holds(&outer, &inner, strict.dimensions) ||
        !bp_spheres_overlap_by_rule(&inner, &other, &strict, &as_boxes)) {
        return false;
    }
    ++*tried;
    if (!bp_spheres_overlap_by_rule(&outer, &other, &tolerant, &as_boxes)) {
        fail_msg("lost: try %zu, radii %a %a, shift %a", *tried, inner_radius, other_radius, shift);
    }
    return !bp_spheres_overlap_by_rule(&outer, &other, &strict, &as_boxes);
}

static void what_overlaps_a_sphere_overlaps_one_that_holds_it(void **state) {
    (void)state;
    rng random = rng_seeded(environment_number("BP_TEST_SEED", 7));
    size_t tried = 0, saved = 0;
    for (int i = 0; i < 200000; ++i) {
        saved += try_spheres(&random, &tried);
    }
    print_message("%zu pairs of spheres that touch, %zu of them lost by a rule that is not tolerant\n", tried, saved);
    assert_true(saved > 100 && saved < tried);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres_stay_spheres_at_the_last_numbers),
        cmocka_unit_test(what_overlaps_a_sphere_overlaps_one_that_holds_it),
        cmocka_unit_test(no_pair_of_spheres_is_lost_at_any_magnitude),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
