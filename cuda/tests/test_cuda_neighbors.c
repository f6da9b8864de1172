// Neighbours on the device against all pairs of points on the host, and against the CPU library.
#include "checks.h"

#include <math.h>

#if defined(BP_CUDA_ON_HOST)
enum { COUNT = 900 }; // kernels run on the host
#else
enum { COUNT = 3000 };
#endif

static double difference(const float *a, const float *b, int axis, const bp_config *config) {
    const double direct = (double)a[axis] - (double)b[axis], period = (double)config->period[axis];
    return period > 0.0 ? remainder(direct, period) : direct;
}

static bool is_near(const float *a, const float *b, double radius, const bp_config *config) {
    const double dx = difference(a, b, 0, config), dy = difference(a, b, 1, config);
    const double dz = config->dimensions == 2 ? 0.0 : difference(a, b, 2, config);
    return (dx * dx + dy * dy) + dz * dz <= radius * radius;
}

static void check_points(const float *points, size_t count, float radius, bp_config config, const char *what) {
    uint64_t *offsets = malloc((count + 1) * sizeof *offsets), found = 0, counted = 0;
    uint32_t *indices = malloc(count * count * sizeof *indices);
    bp_cuda_context *context = NULL;
    CHECK(bp_cuda_create(&config, &context) == BP_OK, "%s", what);
    bp_status status =
        bp_cuda_find_neighbors_host(context, points, count, radius, offsets, indices, count * count, &found);
    CHECK(status == BP_OK, "%s: %s", what, bp_status_text(status));
    status = bp_cuda_find_neighbors_host(context, points, count, radius, offsets, NULL, 0, &counted);
    CHECK(status == BP_OK && counted == found, "%s: counted %llu", what, (unsigned long long)counted);
    const bool half = (config.flags & BP_NEIGHBORS_HALF) != 0;
    uint64_t expected = 0;
    for (size_t i = 0; i < count; ++i) {
        CHECK(offsets[i] == expected, "%s: row %zu begins at %llu", what, i, (unsigned long long)offsets[i]);
        for (size_t k = half ? i + 1 : 0; k < count; ++k) {
            if (k != i && is_near(points + 3 * i, points + 3 * k, (double)radius, &config)) {
                CHECK(expected < found && indices[expected] == k, "%s: point %zu, neighbour %zu", what, i, k);
                ++expected;
            }
        }
    }
    CHECK(expected == found && offsets[count] == found, "%s: %llu neighbours, not %llu", what,
          (unsigned long long)found, (unsigned long long)expected);
    bp_neighbors host = {0};
    CHECK(bp_find_neighbors(points, count, radius, &config, &host) == BP_OK && host.offsets[count] == found &&
              (found == 0 || memcmp(host.indices, indices, found * sizeof *indices) == 0),
          "%s, radius %g: the CPU finds others", what, (double)radius);
    bp_neighbors_free(&host, &config);
    if (found > 0) { // on the device, where arrays end with the last number
        void *there = bp_cuda_test_copy(points, 3 * count * sizeof *points);
        void *rows = bp_cuda_test_copy(offsets, (count + 1) * sizeof *offsets);
        void *room = bp_cuda_test_copy(indices, (found - 1) * sizeof *indices + 1);
        status = bp_cuda_find_neighbors(context, there, count, radius, NULL, rows, room, found - 1, &counted);
        CHECK(status == BP_ERROR_CAPACITY && counted == found, "%s: a short buffer", what);
        bp_cuda_test_free(there);
        bp_cuda_test_free(rows);
        bp_cuda_test_free(room);
    }
    bp_cuda_destroy(context);
    free(offsets);
    free(indices);
}

// Between two sets: all pairs on the host, and the CPU library. The second begins anywhere, so that few points are in both.
static void check_between(const float *a, size_t a_count, const float *b, size_t b_count, float radius,
                          const bp_config *config, const char *what) {
    uint64_t *offsets = malloc((a_count + 1) * sizeof *offsets), found = 0, counted = 0, expected = 0;
    uint32_t *indices = malloc((a_count * b_count + 1) * sizeof *indices);
    bp_cuda_context *context = NULL;
    bp_neighbors host = {0};
    CHECK(bp_cuda_create(config, &context) == BP_OK, "%s", what);
    const bp_status status = bp_cuda_find_neighbors_between_host(context, a, a_count, b, b_count, radius, offsets,
                                                                 indices, a_count * b_count, &found);
    CHECK(status == BP_OK, "%s: %s", what, bp_status_text(status));
    for (size_t i = 0; i < a_count; ++i) {
        CHECK(offsets[i] == expected, "%s: row %zu begins at %llu", what, i, (unsigned long long)offsets[i]);
        for (size_t k = 0; k < b_count; ++k) {
            if (is_near(a + 3 * i, b + 3 * k, (double)radius, config)) {
                CHECK(expected < found && indices[expected] == k, "%s: point %zu, neighbour %zu", what, i, k);
                ++expected;
            }
        }
    }
    CHECK(expected == found && offsets[a_count] == found, "%s: %llu neighbours, not %llu", what,
          (unsigned long long)found, (unsigned long long)expected);
    CHECK(bp_find_neighbors_between(a, a_count, b, b_count, radius, config, &host) == BP_OK &&
              host.offsets[a_count] == found &&
              (found == 0 || memcmp(host.indices, indices, found * sizeof *indices) == 0),
          "%s, radius %g: the CPU finds others", what, (double)radius);
    CHECK(bp_cuda_find_neighbors_between_host(context, a, a_count, b, b_count, radius, offsets, NULL, 0, &counted) ==
                  BP_OK &&
              counted == found,
          "%s: counted %llu", what, (unsigned long long)counted);
    if (found > 0) {
        CHECK(bp_cuda_find_neighbors_between_host(context, a, a_count, b, b_count, radius, offsets, indices, found - 1,
                                                  &counted) == BP_ERROR_CAPACITY &&
                  counted == found,
              "%s: a short buffer", what);
    }
    bp_neighbors_free(&host, config);
    bp_cuda_destroy(context);
    free(offsets);
    free(indices);
}

static void check_two_sets(void) {
    enum { FEW = COUNT / 3 };
    static float a[3 * COUNT], b[3 * COUNT];
    const bp_config table[] = {{.dimensions = 3},
                               {.dimensions = 2},
                               {.dimensions = 3, .flags = BP_NEIGHBORS_HALF},
                               {.dimensions = 3, .period = {20, 20, 20}},
                               {.dimensions = 2, .period = {0, 9, 0}}};
    const float radii[] = {0.0f, 1.0f, 3.0f, 50.0f};
    uint64_t state = 3;
    for (size_t i = 0; i < 3 * (size_t)COUNT; ++i) {
        a[i] = random_between(&state, -14.0f, 14.0f);
        b[i] = random_between(&state, -6.0f, 10.0f);
    }
    memcpy(b + 60, a, 30 * sizeof *a); // ten points are in both
    a[0] = 1e9f;                       // far outside the other set
    a[200] = 12345.0f;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
        for (size_t r = 0; r < sizeof radii / sizeof radii[0]; ++r) {
            check_between(a, FEW, b, COUNT, radii[r], &table[i], "few against many");
            check_between(b, COUNT, a, FEW, radii[r], &table[i], "many against few");
        }
    }
    check_between(a, COUNT, a, COUNT, 1.0f, &table[0], "a set against itself");
    check_between(a, COUNT, b, 0, 1.0f, &table[0], "against none");
    check_between(a, 0, b, COUNT, 1.0f, &table[0], "of none");
    check_between(a, 1, b, 1, 100.0f, &table[3], "one against one");
}

// A radius per point, against the CPU library, and all pairs on the host.
static void check_radii(const float *points, const float *radii, size_t count, const bp_config *config) {
    static const char *const rules[] = {"max", "min", "sum"};
    const char *what = rules[config->radius_rule];
    uint64_t *offsets = malloc((count + 1) * sizeof *offsets), found = 0, counted = 0, expected = 0;
    uint32_t *indices = malloc((count * count + 1) * sizeof *indices);
    bp_cuda_context *context = NULL;
    bp_neighbors host = {0};
    CHECK(bp_cuda_create(config, &context) == BP_OK, "%s", what);
    const bp_status status =
        bp_cuda_find_neighbors_variable_host(context, points, count, radii, offsets, indices, count * count, &found);
    CHECK(status == BP_OK, "%s: %s", what, bp_status_text(status));
    const bool half = (config->flags & BP_NEIGHBORS_HALF) != 0;
    for (size_t i = 0; i < count; ++i) {
        CHECK(offsets[i] == expected, "%s: row %zu begins at %llu", what, i, (unsigned long long)offsets[i]);
        for (size_t k = half ? i + 1 : 0; k < count; ++k) {
            const double r = (double)radii[i], s = (double)radii[k];
            const double limit = config->radius_rule == BP_RADIUS_SUM   ? r + s
                                 : config->radius_rule == BP_RADIUS_MAX ? fmax(r, s)
                                                                        : fmin(r, s);
            if (k != i && is_near(points + 3 * i, points + 3 * k, limit, config)) {
                CHECK(expected < found && indices[expected] == k, "%s: point %zu, neighbour %zu", what, i, k);
                ++expected;
            }
        }
    }
    CHECK(expected == found && offsets[count] == found, "%s: %llu neighbours, not %llu", what,
          (unsigned long long)found, (unsigned long long)expected);
    CHECK(bp_find_neighbors_variable(points, count, radii, config, &host) == BP_OK && host.offsets[count] == found &&
              (found == 0 || memcmp(host.indices, indices, found * sizeof *indices) == 0),
          "%s: the CPU finds others", what);
    CHECK(bp_cuda_find_neighbors_variable_host(context, points, count, radii, offsets, NULL, 0, &counted) == BP_OK &&
              counted == found,
          "%s: counted %llu", what, (unsigned long long)counted);
    bp_neighbors_free(&host, config);
    bp_cuda_destroy(context);
    free(offsets);
    free(indices);
}

static void check_variable(void) {
    static float points[3 * COUNT], radii[COUNT];
    uint64_t state = 17;
    for (size_t i = 0; i < COUNT; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            points[3 * i + (size_t)axis] = random_between(&state, -10.0f, 10.0f);
        }
        radii[i] = random_between(&state, 0.0f, 1.0f);
        radii[i] = i % 50 == 0 ? 0.0f : i % 51 == 0 ? 5.0f : radii[i];
    }
    for (int rule = 0; rule < 3; ++rule) {
        const bp_config table[] = {{.dimensions = 3},
                                   {.dimensions = 2, .flags = BP_NEIGHBORS_HALF},
                                   {.dimensions = 3, .period = {20, 20, 0}},
                                   {.dimensions = 3, .period = {7, 20, 3}, .flags = BP_NEIGHBORS_HALF}};
        for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
            bp_config config = table[i];
            config.radius_rule = (bp_radius_rule)rule;
            check_radii(points, radii, COUNT, &config);
            check_radii(points, radii, i, &config); // none, one, few
        }
    }
    for (size_t i = 0; i < COUNT; ++i) { // a lattice whose distances are exactly the radius, or the sum of two
        points[3 * i] = (float)(i % 10);
        points[3 * i + 1] = (float)(i / 10 % 10);
        points[3 * i + 2] = (float)(i / 100);
        radii[i] = (float)(1 + i % 2);
    }
    for (int rule = 0; rule < 3; ++rule) {
        check_radii(points, radii, COUNT, &(bp_config){.dimensions = 3, .radius_rule = (bp_radius_rule)rule});
    }
}

// Random points in and around the first period, and some that are many periods away.
static void fill_periodic(float *points, uint64_t state) {
    for (size_t i = 0; i < 3 * (size_t)COUNT; ++i) {
        points[i] = random_between(&state, -30.0f, 30.0f);
    }
    for (size_t i = 0; i < 3 * (size_t)COUNT; i += 101) {
        points[i] += 12345.0f;
    }
}

static void check_periods(float *points) {
    const bp_config table[] = {{.dimensions = 3, .period = {20, 20, 20}},
                               {.dimensions = 3, .period = {20, 0, 7}},
                               {.dimensions = 3, .period = {0, 0, 30}, .flags = BP_NEIGHBORS_HALF},
                               {.dimensions = 2, .period = {11, 13, 5}},
                               {.dimensions = 3, .period = {1, 64, 0.25f}}};
    const float radii[] = {0.0f, 0.3f, 1.0f, 3.4f, 12.0f};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
        for (size_t r = 0; r < sizeof radii / sizeof radii[0]; ++r) {
            fill_periodic(points, 10 * i + r);
            check_points(points, COUNT, radii[r], table[i], "periodic");
        }
    }
    for (size_t i = 0; i < COUNT; ++i) { // a lattice that fills the period; distances are exactly the radius
        points[3 * i] = (float)(i % 15) - 15.0f * (float)(i % 7);
        points[3 * i + 1] = (float)(i / 15 % 15);
        points[3 * i + 2] = (float)(i / 225);
    }
    check_points(points, COUNT, 1.0f, (bp_config){.dimensions = 3, .period = {15, 15, 15}}, "periodic lattice");
    for (size_t i = 0; i < COUNT; i += 3) { // so far out that their place within the period is lost to rounding
        points[3 * i] = ldexpf(1.0f + (float)i, 50 + (int)(i % 40));
    }
    check_points(points, COUNT, 1.0f, (bp_config){.dimensions = 3, .period = {15, 15, 15}}, "periodic, far");
}

static void check_mistakes(void) {
    const float points[6] = {0, 0, 0, NAN, 0, 0};
    uint64_t offsets[3], found = 0;
    uint32_t indices[4];
    bp_cuda_context *context = NULL;
    CHECK(bp_cuda_create(NULL, &context) == BP_OK, "mistakes");
    CHECK(bp_cuda_find_neighbors_host(context, points, 2, 1.0f, offsets, indices, 4, &found) == BP_ERROR_BOX, "NaN");
    CHECK(bp_cuda_find_neighbors_host(context, points, 1, -1.0f, offsets, indices, 4, &found) == BP_ERROR_ARGUMENT,
          "radius");
    CHECK(bp_cuda_find_neighbors_host(context, points, 1, 1.0f, offsets, indices, 4, &found) == BP_OK && found == 0,
          "one point");
    CHECK(bp_cuda_find_neighbors_between_host(context, points, 1, points, 2, 1.0f, offsets, indices, 4, &found) ==
              BP_ERROR_BOX,
          "NaN in the second set");
    CHECK(bp_cuda_find_neighbors_between_host(context, points, 2, points, 1, 1.0f, offsets, indices, 4, &found) ==
              BP_ERROR_BOX,
          "NaN in the first set");
    CHECK(bp_cuda_find_neighbors_between_host(context, points, 2, NULL, 0, 1.0f, offsets, indices, 4, &found) ==
              BP_ERROR_BOX,
          "NaN in the first set, the second is empty");
    CHECK(bp_cuda_find_neighbors_between_host(context, NULL, 0, points, 2, 1.0f, offsets, indices, 4, &found) ==
              BP_ERROR_BOX,
          "NaN in the second set, the first is empty");
    CHECK(bp_cuda_find_neighbors_between_host(context, points, 1, NULL, 0, 1.0f, offsets, indices, 4, &found) ==
                  BP_OK &&
              found == 0 && offsets[1] == 0,
          "the second set is empty");
    CHECK(bp_cuda_find_neighbors_between_host(context, points, 1, NULL, 1, 1.0f, offsets, indices, 4, &found) ==
              BP_ERROR_ARGUMENT,
          "no second set");
    const float wrong[] = {-1.0f, NAN, INFINITY};
    for (int i = 0; i < 3; ++i) {
        const float both[2] = {1.0f, wrong[i]}, places[6] = {0};
        CHECK(bp_cuda_find_neighbors_variable_host(context, places, 2, both, offsets, indices, 4, &found) ==
                  BP_ERROR_ARGUMENT,
              "the radius %g", (double)wrong[i]);
    }
    const float zeros[2] = {0.0f, -0.0f}, places[6] = {0};
    CHECK(bp_cuda_find_neighbors_variable_host(context, places, 2, zeros, offsets, indices, 4, &found) == BP_OK &&
              found == 2,
          "radii of 0");
    CHECK(bp_cuda_find_neighbors_variable_host(context, places, 2, NULL, offsets, indices, 4, &found) ==
              BP_ERROR_ARGUMENT,
          "no radii");
    bp_cuda_destroy(context);
    const bp_config periodic = {.dimensions = 3, .period = {2, 2, 2}};
    CHECK(bp_cuda_create(&periodic, &context) == BP_OK, "mistakes with a period");
    CHECK(bp_cuda_find_neighbors_host(context, points, 2, 1.0f, offsets, indices, 4, &found) == BP_ERROR_BOX,
          "NaN with a period");
    bp_cuda_destroy(context);
}

int main(void) {
    if (no_device()) {
        return SKIPPED;
    }
    static float points[3 * COUNT];
    const float radii[] = {0.0f, 0.3f, 1.0f, 4.0f, 100.0f};
    for (size_t r = 0; r < sizeof radii / sizeof radii[0]; ++r) {
        uint64_t state = r + 1;
        for (size_t i = 0; i < 3 * (size_t)COUNT; ++i) {
            points[i] = random_between(&state, -12.0f, 12.0f);
        }
        memcpy(points + 30, points, 3 * sizeof *points); // two points coincide
        check_points(points, COUNT, radii[r], (bp_config){.dimensions = 3}, "three dimensions");
        check_points(points, COUNT, radii[r], (bp_config){.dimensions = 2}, "two dimensions");
        check_points(points, COUNT, radii[r], (bp_config){.dimensions = 3, .flags = BP_NEIGHBORS_HALF}, "half");
    }
    for (size_t i = 0; i < COUNT; ++i) { // a lattice whose distances are exactly the radius, far out
        points[3 * i] = 1e6f + (float)(i % 15);
        points[3 * i + 1] = (float)(i / 15 % 15);
        points[3 * i + 2] = (float)(i / 225);
    }
    check_points(points, COUNT, 1.0f, (bp_config){.dimensions = 3}, "lattice");
    check_periods(points);
    check_two_sets();
    check_variable();
    check_mistakes();
    return failures > 0;
}
