// Neighbours on the device against all pairs of points on the host.
#include "checks.h"

#include <math.h>

enum { COUNT = 3000 };

static bool is_near(const float *a, const float *b, double radius, uint32_t dimensions) {
    const double dx = (double)a[0] - (double)b[0], dy = (double)a[1] - (double)b[1];
    const double dz = dimensions == 2 ? 0.0 : (double)a[2] - (double)b[2];
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
            if (k != i && is_near(points + 3 * i, points + 3 * k, (double)radius, config.dimensions)) {
                CHECK(expected < found && indices[expected] == k, "%s: point %zu, neighbour %zu", what, i, k);
                ++expected;
            }
        }
    }
    CHECK(expected == found && offsets[count] == found, "%s: %llu neighbours, not %llu", what,
          (unsigned long long)found, (unsigned long long)expected);
    if (found > 0) {
        status = bp_cuda_find_neighbors_host(context, points, count, radius, offsets, indices, found - 1, &counted);
        CHECK(status == BP_ERROR_CAPACITY && counted == found, "%s: a short buffer", what);
    }
    bp_cuda_destroy(context);
    free(offsets);
    free(indices);
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
        memcpy(points + 30, points, 3 * sizeof *points); // two in the same place
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
    check_mistakes();
    return failures > 0;
}
