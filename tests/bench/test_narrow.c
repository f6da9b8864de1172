// The narrow phase of the bench: shapes against their equations, pairs of shapes against points and planes that prove
// that they meet or do not.
#include "support/support.h"

#include <math.h>
#include <string.h>

#include "suites/narrow.h"
#include <scenes.h>

static const double SLACK = 1e-9;

static void setup_axes(double axes[3][3]) {
    memset(axes, 0, 9 * sizeof(double));
    for (int k = 0; k < 3; k++) axes[k][k] = 1;
}

static convex shape_of(shape_kind kind, double x, double y, double z) {
    convex shape = {.kind = kind, .half = {x, y, z}};
    setup_axes(shape.axes);
    return shape;
}

static convex random_convex(shape_kind kind, rng *random) {
    beta_distribution sizes;
    convex parts[MAX_PARTS];
    beta_prepare(&sizes, 2, 2);
    assert_int_equal(shape_draw(kind, &sizes, random, parts), 1);
    for (int k = 0; k < 3; k++) parts[0].center[k] = rng_between(random, -0.9, 0.9);
    return parts[0];
}

// The equations; `grown` by a little, or shrunk.
static bool contains(const convex *shape, const double point[3], double grown) {
    double p[3];
    for (int k = 0; k < 3; k++) {
        p[k] = 0;
        for (int axis = 0; axis < 3; axis++) p[k] += (point[axis] - shape->center[axis]) * shape->axes[k][axis];
    }
    const double *half = shape->half, across = hypot(p[0], p[1]);
    const bool level = fabs(p[2]) <= half[2] + grown;
    switch (shape->kind) {
    case SHAPE_BOX: return fabs(p[0]) <= half[0] + grown && fabs(p[1]) <= half[1] + grown && level;
    case SHAPE_CYLINDER: return across <= half[0] + grown && level;
    case SHAPE_CONE: return across <= half[0] * (half[2] - p[2]) / (2 * half[2]) + grown && level;
    case SHAPE_CAPSULE: return hypot(across, fmax(0, fabs(p[2]) - half[2])) <= half[0] + grown;
    default: return hypot(across, p[2]) <= half[0] + grown;
    }
}

static double along(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void random_point_near(const convex *shape, rng *random, double point[3]) {
    const double reach = convex_reach(shape);
    for (int k = 0; k < 3; k++) point[k] = shape->center[k] + rng_between(random, -reach, reach);
}

// ---- shapes --------------------------------------------------------------------------------------------------------

static void supports_are_points_of_the_shape_and_none_is_farther(void **state) {
    (void)state;
    rng random = rng_seeded(1);
    for (int trial = 0; trial < 200; trial++) {
        const convex shape = random_convex((shape_kind)(trial % SHAPE_CONVEX_KINDS), &random);
        double direction[3], farthest[3], point[3];
        rng_direction(&random, 3, direction);
        convex_support(&shape, direction, farthest);
        assert_true(contains(&shape, farthest, SLACK));
        for (int i = 0; i < 500; i++) {
            random_point_near(&shape, &random, point);
            if (contains(&shape, point, 0) && along(point, direction) > along(farthest, direction) + SLACK)
                fail_msg("trial %d: %s: a point is farther than its support", trial, shape_name(shape.kind));
        }
    }
}

// Beside random directions: along the axes, where a cone's base and a cylinder's rim have no one farthest point.
static void supports_along_the_own_axes_are_known(void **state) {
    (void)state;
    static const double expected[SHAPE_CONVEX_KINDS][2] = {{0.3, 0.5}, {0.3, 0.3}, {0.3, 0.5}, {0.3, 0.5}, {0.3, 0.8}};
    for (int kind = 0; kind < SHAPE_CONVEX_KINDS; kind++) {
        const convex shape = shape_of((shape_kind)kind, 0.3, 0.4, 0.5);
        for (int sign = -1; sign <= 1; sign += 2) {
            double point[3];
            convex_support(&shape, (double[3]){sign, 0, 0}, point);
            assert_true(fabs(point[0] * sign - expected[kind][0]) < SLACK);
            convex_support(&shape, (double[3]){0, 0, sign}, point);
            assert_true(fabs(point[2] * sign - expected[kind][1]) < SLACK);
        }
    }
}

static void no_point_is_beyond_the_reach(void **state) {
    (void)state;
    rng random = rng_seeded(2);
    for (int trial = 0; trial < 500; trial++) {
        const convex shape = random_convex((shape_kind)(trial % SHAPE_CONVEX_KINDS), &random);
        double direction[3], point[3], square = 0;
        rng_direction(&random, 3, direction);
        convex_support(&shape, direction, point);
        for (int k = 0; k < 3; k++) square += (point[k] - shape.center[k]) * (point[k] - shape.center[k]);
        assert_true(sqrt(square) <= convex_reach(&shape) + SLACK);
    }
}

// ---- pairs of shapes -----------------------------------------------------------------------------------------------

// One on top of the other along a common third axis, which is turned any way: the tops are known.
static void shapes_meet_when_stacked_without_a_gap(void **state) {
    (void)state;
    if (!narrow_is_built()) skip();
    rng random = rng_seeded(3);
    for (int trial = 0; trial < 20 * SHAPE_CONVEX_KINDS * SHAPE_CONVEX_KINDS; trial++) {
        convex a = shape_of((shape_kind)(trial % SHAPE_CONVEX_KINDS), 0.3, 0.3, 0.4);
        convex b = shape_of((shape_kind)(trial / SHAPE_CONVEX_KINDS % SHAPE_CONVEX_KINDS), 0.2, 0.2, 0.5);
        const double top = a.kind == SHAPE_SPHERE ? 0.3 : a.kind == SHAPE_CAPSULE ? 0.7 : 0.4;
        const double bottom = b.kind == SHAPE_SPHERE ? 0.2 : b.kind == SHAPE_CAPSULE ? 0.7 : 0.5;
        const convex turned = random_convex(SHAPE_BOX, &random);
        memcpy(a.axes, turned.axes, sizeof a.axes);
        memcpy(b.axes, turned.axes, sizeof b.axes);
        for (int apart = 0; apart < 2; apart++) {
            const double distance = top + bottom + (apart ? 1e-3 : -1e-3);
            for (int k = 0; k < 3; k++) b.center[k] = a.center[k] + distance * a.axes[2][k];
            if (convex_meet(&a, &b) == apart || convex_meet(&b, &a) == apart)
                fail_msg("trial %d: %s under %s: %s by 0.001", trial, shape_name(a.kind), shape_name(b.kind),
                         apart ? "apart" : "together");
        }
    }
}

static bool has_common_point(const convex *a, const convex *b, rng *random) {
    for (int i = 0; i < 4000; i++) {
        double point[3];
        random_point_near(convex_reach(a) < convex_reach(b) ? a : b, random, point);
        if (contains(a, point, -1e-6) && contains(b, point, -1e-6)) return true;
    }
    return false;
}

static bool is_separated_along(const convex *a, const convex *b, const double direction[3]) {
    const double back[3] = {-direction[0], -direction[1], -direction[2]};
    double low[3], high[3];
    convex_support(a, direction, high);
    convex_support(b, back, low);
    return along(high, direction) < along(low, direction) - 1e-6;
}

static bool has_separating_plane(const convex *a, const convex *b, rng *random) {
    for (int i = 0; i < 4000; i++) {
        double direction[3];
        rng_direction(random, 3, direction);
        if (is_separated_along(a, b, direction)) return true;
    }
    return false;
}

// For shapes that just touch neither a point nor a plane may be found; these are few, and anything goes.
static void shapes_meet_where_a_point_proves_it_and_do_not_where_a_plane_does(void **state) {
    (void)state;
    if (!narrow_is_built()) skip();
    enum { TRIALS = 60 * SHAPE_CONVEX_KINDS * SHAPE_CONVEX_KINDS };
    rng random = rng_seeded(4);
    int met = 0, apart = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        const convex a = random_convex((shape_kind)(trial % SHAPE_CONVEX_KINDS), &random);
        const convex b = random_convex((shape_kind)(trial / SHAPE_CONVEX_KINDS % SHAPE_CONVEX_KINDS), &random);
        const bool point = has_common_point(&a, &b, &random);
        const bool plane = !point && has_separating_plane(&a, &b, &random);
        met += point;
        apart += plane;
        if ((point && !convex_meet(&a, &b)) || (plane && convex_meet(&a, &b)))
            fail_msg("trial %d: %s and %s: %s", trial, shape_name(a.kind), shape_name(b.kind),
                     point ? "a common point is missed" : "a separating plane is missed");
    }
    assert_true(met > TRIALS / 4);
    assert_true(apart > TRIALS / 4);
    assert_true(met + apart > TRIALS * 95 / 100);
}

// ---- objects -------------------------------------------------------------------------------------------------------

enum { COUNT = 400 };

static scene *crowded_scene(void) {
    const char *error = NULL;
    const scene_options options = {.count = COUNT, .density = 1, .alpha = 2, .beta = 2};
    scene *made = scene_create("zych", &options, &error);
    assert_non_null(made);
    return made;
}

static void assert_inside(const narrow *shapes, uint32_t object, const bp_box *box, shape_kind kind) {
    size_t count;
    const convex *parts = narrow_parts(shapes, object, &count);
    double free_space = INFINITY;
    for (int axis = 0; axis < 3; axis++) {
        double low = INFINITY, high = -INFINITY, direction[3] = {0}, point[3];
        for (size_t i = 0; i < count; i++) {
            direction[axis] = 1;
            convex_support(&parts[i], direction, point);
            high = fmax(high, point[axis]);
            direction[axis] = -1;
            convex_support(&parts[i], direction, point);
            low = fmin(low, point[axis]);
        }
        if (low < (double)box->min[axis] || high > (double)box->max[axis])
            fail_msg("%s %u is not inside its box", shape_name(kind), object);
        free_space = fmin(free_space, 1 - (high - low) / (double)(box->max[axis] - box->min[axis]));
    }
    assert_true(free_space < 1e-3);
}

static void shapes_fill_their_boxes_and_stay_in_them(void **state) {
    (void)state;
    for (int kind = 0; kind < SHAPE_KINDS; kind++) {
        scene *moving = crowded_scene();
        narrow *shapes = narrow_create((shape_kind)kind, 0.5, 0.5, scene_boxes(moving), COUNT);
        for (int step = 0; step < 30; step++) {
            for (uint32_t i = 0; i < COUNT; i++) assert_inside(shapes, i, &scene_boxes(moving)[i], (shape_kind)kind);
            scene_step(moving);
            narrow_move(shapes, scene_boxes(moving));
        }
        narrow_destroy(shapes);
        scene_destroy(moving);
    }
}

static bool any_parts_meet(const narrow *shapes, bp_pair pair) {
    size_t a_count, b_count;
    const convex *a = narrow_parts(shapes, pair.a, &a_count), *b = narrow_parts(shapes, pair.b, &b_count);
    for (size_t i = 0; i < a_count; i++)
        for (size_t j = 0; j < b_count; j++)
            if (convex_meet(&a[i], &b[j])) return true;
    return false;
}

static void objects_meet_when_any_of_their_parts_do(void **state) {
    (void)state;
    if (!narrow_is_built()) skip();
    scene *resting = crowded_scene();
    bp_pairs pairs = {0}, met = {0};
    assert_int_equal(bp_find_pairs(scene_boxes(resting), COUNT, NULL, &pairs), BP_OK);
    for (int kind = 0; kind < SHAPE_KINDS; kind++) {
        narrow *shapes = narrow_create((shape_kind)kind, 100, 100, scene_boxes(resting), COUNT);
        size_t expected = 0;
        narrow_find(shapes, &pairs, &met);
        for (size_t i = 0; i < pairs.count; i++) {
            if (!any_parts_meet(shapes, pairs.data[i])) continue;
            assert_true(expected < met.count);
            assert_memory_equal(&met.data[expected], &pairs.data[i], sizeof(bp_pair));
            expected++;
        }
        assert_int_equal(met.count, expected);
        assert_in_range(expected, 1, pairs.count - 1);
        narrow_destroy(shapes);
    }
    free(met.data);
    bp_pairs_free(&pairs, NULL);
    scene_destroy(resting);
}

// The spheres in the boxes, but for a little that shape_fit takes off: the library counts them too.
static void spheres_meet_as_often_as_the_library_says(void **state) {
    (void)state;
    if (!narrow_is_built()) skip();
    scene *resting = crowded_scene();
    const bp_config spheres = {.shape = BP_SHAPE_SPHERES};
    bp_pairs boxes = {0}, expected = {0}, met = {0};
    assert_int_equal(bp_find_pairs(scene_boxes(resting), COUNT, NULL, &boxes), BP_OK);
    assert_int_equal(bp_find_pairs(scene_boxes(resting), COUNT, &spheres, &expected), BP_OK);
    narrow *shapes = narrow_create(SHAPE_SPHERE, 100, 100, scene_boxes(resting), COUNT);
    narrow_find(shapes, &boxes, &met);
    assert_in_range(met.count, expected.count * 998 / 1000, expected.count);
    narrow_destroy(shapes);
    free(met.data);
    bp_pairs_free(&boxes, NULL);
    bp_pairs_free(&expected, NULL);
    scene_destroy(resting);
}

static void a_compound_has_nine_parts_and_gaps_between_them(void **state) {
    (void)state;
    if (!narrow_is_built()) skip();
    const bp_box box = cube_of(0, 0, 0, 1);
    narrow *shapes = narrow_create(SHAPE_COMPOUND, 100, 100, &box, 1);
    size_t count;
    const convex *parts = narrow_parts(shapes, 0, &count);
    assert_int_equal(count, COMPOUND_PARTS);
    convex seed = shape_of(SHAPE_SPHERE, 0.01, 0.01, 0.01);
    for (int k = 0; k < 3; k++) seed.center[k] = 0.5; // the middle is empty
    for (size_t i = 0; i < count; i++) assert_false(convex_meet(&parts[i], &seed));
    for (size_t i = 0; i < count; i++) {
        memcpy(seed.center, parts[i].center, sizeof seed.center);
        assert_true(convex_meet(&parts[i], &seed));
    }
    narrow_destroy(shapes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(supports_are_points_of_the_shape_and_none_is_farther),
        cmocka_unit_test(supports_along_the_own_axes_are_known),
        cmocka_unit_test(no_point_is_beyond_the_reach),
        cmocka_unit_test(shapes_meet_when_stacked_without_a_gap),
        cmocka_unit_test(shapes_meet_where_a_point_proves_it_and_do_not_where_a_plane_does),
        cmocka_unit_test(shapes_fill_their_boxes_and_stay_in_them),
        cmocka_unit_test(objects_meet_when_any_of_their_parts_do),
        cmocka_unit_test(spheres_meet_as_often_as_the_library_says),
        cmocka_unit_test(a_compound_has_nine_parts_and_gaps_between_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
