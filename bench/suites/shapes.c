#include "suites/shapes.h"

#include <math.h>
#include <stdbool.h>

static const char *const names[SHAPE_KINDS] = {"box", "sphere", "cylinder", "cone", "capsule", "compound", "any"};

const char *shape_name(shape_kind kind) {
    return names[kind];
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// ---- support -------------------------------------------------------------------------------------------------------

// Adds the vector of this length along d, or along its first two axes only. None if d has no direction.
static void add_along(const double d[3], int axis_count, double length, double point[3]) {
    double square = 0;
    for (int k = 0; k < axis_count; k++) square += d[k] * d[k];
    if (square == 0) return;
    for (int k = 0; k < axis_count; k++) point[k] += length * d[k] / sqrt(square);
}

// In the shape's own axes.
static void support_own(const convex *shape, const double d[3], double point[3]) {
    const double *half = shape->half;
    const double across = sqrt(d[0] * d[0] + d[1] * d[1]);
    point[0] = point[1] = point[2] = 0;
    switch (shape->kind) {
    case SHAPE_BOX:
        for (int k = 0; k < 3; k++) point[k] = copysign(half[k], d[k]);
        break;
    case SHAPE_CYLINDER:
        add_along(d, 2, half[0], point);
        point[2] = copysign(half[2], d[2]);
        break;
    case SHAPE_CONE: {
        const bool tip = half[2] * d[2] >= half[0] * across - half[2] * d[2];
        if (!tip) add_along(d, 2, half[0], point);
        point[2] = tip ? half[2] : -half[2];
        break;
    }
    case SHAPE_CAPSULE:
        add_along(d, 3, half[0], point);
        point[2] += copysign(half[2], d[2]);
        break;
    case SHAPE_SPHERE:
    default: add_along(d, 3, half[0], point); break;
    }
}

void convex_support(const convex *shape, const double direction[3], double point[3]) {
    double own_direction[3], own_point[3];
    for (int k = 0; k < 3; k++) own_direction[k] = dot(shape->axes[k], direction);
    support_own(shape, own_direction, own_point);
    for (int k = 0; k < 3; k++) {
        point[k] = shape->center[k];
        for (int axis = 0; axis < 3; axis++) point[k] += own_point[axis] * shape->axes[axis][k];
    }
}

double convex_reach(const convex *shape) {
    const double *half = shape->half;
    switch (shape->kind) {
    case SHAPE_BOX: return sqrt(dot(half, half));
    case SHAPE_CYLINDER:
    case SHAPE_CONE: return sqrt(half[0] * half[0] + half[2] * half[2]);
    case SHAPE_CAPSULE: return half[0] + half[2];
    case SHAPE_SPHERE:
    default: return half[0];
    }
}

// ---- drawing -------------------------------------------------------------------------------------------------------

// Right angles from any two directions that are not nearly the same.
static void draw_axes(rng *random, double axes[3][3]) {
    double *const x = axes[0], *const y = axes[1], *const z = axes[2];
    double along;
    rng_direction(random, 3, z);
    do {
        rng_direction(random, 3, x);
        along = dot(x, z);
    } while (fabs(along) > 0.9);
    const double length = sqrt(1 - along * along);
    for (int k = 0; k < 3; k++) x[k] = (x[k] - along * z[k]) / length;
    for (int k = 0; k < 3; k++) y[k] = z[(k + 1) % 3] * x[(k + 2) % 3] - z[(k + 2) % 3] * x[(k + 1) % 3];
}

// Half of an extent whose mean is 1. At least a little: a narrow phase needs some thickness.
static double draw_half(const beta_distribution *sizes, rng *random) {
    const double mean = sizes->alpha / (sizes->alpha + sizes->beta);
    return 0.5 * fmax(beta_draw(sizes, random) / mean, 0.02);
}

// All kinds are as long as wide on average, 1, except for capsules: 2/3 wide, and 1 long (Zych 2016, section 4.2, on
// Fig. 4.33).
static void draw_convex(shape_kind kind, const beta_distribution *sizes, rng *random, convex *shape) {
    *shape = (convex){.kind = kind};
    draw_axes(random, shape->axes);
    for (int k = 0; k < 3; k++) shape->half[k] = draw_half(sizes, random);
    if (kind == SHAPE_CAPSULE) {
        shape->half[0] *= 2.0 / 3;
        shape->half[2] *= 1.0 / 3;
    }
}

static void scale(convex *parts, size_t count, double factor) {
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            parts[i].half[k] *= factor;
            parts[i].center[k] *= factor;
        }
}

#define RING 0.70710678118654752
#define HALF_ROOT_3 0.86602540378443865

// Nine directions, as evenly as nine can be: three around the equator, and two triangles between these.
static const double nine_directions[COMPOUND_PARTS][3] = {
    {0, -1, 0},
    {HALF_ROOT_3, 0.5, 0},
    {-HALF_ROOT_3, 0.5, 0},
    {0, RING, RING},
    {-RING * HALF_ROOT_3, -RING / 2, RING},
    {RING * HALF_ROOT_3, -RING / 2, RING},
    {0, RING, -RING},
    {-RING * HALF_ROOT_3, -RING / 2, -RING},
    {RING * HALF_ROOT_3, -RING / 2, -RING},
};

// As in Zych 2016, section 4.2: nine shapes of a quarter of the size, on a sphere of radius 0.25, moved outwards by 0.5
// on average. (There by a normal distribution whose width is not given; here by 0.25 to 0.75.)
static void draw_compound(const beta_distribution *sizes, rng *random, convex parts[MAX_PARTS]) {
    for (size_t i = 0; i < COMPOUND_PARTS; i++) {
        draw_convex((shape_kind)rng_below(random, SHAPE_CONVEX_KINDS), sizes, random, &parts[i]);
        const double distance = 0.25 + rng_between(random, 0.25, 0.75);
        for (int k = 0; k < 3; k++) {
            parts[i].half[k] *= 0.25;
            parts[i].center[k] = distance * nine_directions[i][k];
        }
    }
}

size_t shape_draw(shape_kind kind, const beta_distribution *sizes, rng *random, convex parts[MAX_PARTS]) {
    if (kind == SHAPE_COMPOUND) {
        draw_compound(sizes, random, parts);
        return COMPOUND_PARTS;
    }
    draw_convex(kind == SHAPE_ANY ? (shape_kind)rng_below(random, SHAPE_CONVEX_KINDS) : kind, sizes, random, parts);
    return 1;
}

// ---- fitting -------------------------------------------------------------------------------------------------------

static void find_bounds(const convex *parts, size_t count, double low[3], double high[3]) {
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = INFINITY;
        high[axis] = -INFINITY;
        for (size_t i = 0; i < count; i++) {
            double direction[3] = {0}, point[3];
            direction[axis] = 1;
            convex_support(&parts[i], direction, point);
            high[axis] = fmax(high[axis], point[axis]);
            direction[axis] = -1;
            convex_support(&parts[i], direction, point);
            low[axis] = fmin(low[axis], point[axis]);
        }
    }
}

void shape_fit(convex *parts, size_t count, const bp_box *box) {
    double low[3], high[3], factor = INFINITY;
    find_bounds(parts, count, low, high);
    for (int k = 0; k < 3; k++) factor = fmin(factor, ((double)box->max[k] - (double)box->min[k]) / (high[k] - low[k]));
    factor *= 1 - 1e-4;
    scale(parts, count, factor);
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            parts[i].center[k] += 0.5 * ((double)box->min[k] + (double)box->max[k] - factor * (low[k] + high[k]));
}
