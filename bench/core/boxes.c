#include "core/boxes.h"

#include <math.h>
#include <stdbool.h>

static void include_point(const float *point, bp_box *bounds) {
    for (int k = 0; k < 3; k++) {
        if (!isfinite(point[k])) continue;
        bounds->min[k] = fminf(bounds->min[k], point[k]);
        bounds->max[k] = fmaxf(bounds->max[k], point[k]);
    }
}

// The finite coordinates' bounds, grown by a tenth of their extent, so that nothing finite touches them.
static bp_box beyond_all(const bp_box *boxes, size_t count) {
    bp_box bounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < count; i++) {
        include_point(boxes[i].min, &bounds);
        include_point(boxes[i].max, &bounds);
    }
    for (int k = 0; k < 3; k++) {
        const float slack = 1 + 0.1f * (bounds.max[k] - bounds.min[k]);
        bounds.min[k] -= slack;
        bounds.max[k] += slack;
    }
    return bounds;
}

void boxes_make_finite(const bp_box *from, size_t count, uint32_t dimensions, bp_box *to) {
    const bp_box bounds = beyond_all(from, count);
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < 3; k++) {
            const bool flat = k >= dimensions;
            to[i].min[k] = flat ? 0 : fmaxf(from[i].min[k], bounds.min[k]);
            to[i].max[k] = flat ? 1 : fminf(from[i].max[k], bounds.max[k]);
        }
}
