#include "support/view_scenes.h"

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

static double period_or(const float period[3], int axis) {
    return period[axis] > 0.0f ? (double)period[axis] : 8.0;
}

static double whole_below(rng *random, uint32_t bound) {
    return (double)rng_below(random, bound);
}

// ---- scenes ---------------------------------------------------------------------------------------------------------

static void make_uniform(rng *random, const float period[3], bp_box_double *boxes, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const double size = rng_between(random, 0.02, 0.2);
        for (int axis = 0; axis < 3; ++axis) {
            const double p = period_or(period, axis);
            boxes[i].min[axis] = rng_between(random, -0.5 * p, 1.5 * p);
            boxes[i].max[axis] = boxes[i].min[axis] + size * p;
        }
    }
}

// Corners on an eighth of the period, some periods away: everything touches, exactly.
static void make_lattice(rng *random, const float period[3], bp_box_double *boxes, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            const double step = period_or(period, axis) / 8;
            boxes[i].min[axis] = (whole_below(random, 56) - 24) * step;
            boxes[i].max[axis] = boxes[i].min[axis] + whole_below(random, 4) * step;
        }
    }
}

// As long as the period, or nearly, or not at all.
static void make_full(rng *random, const float period[3], bp_box_double *boxes, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            const double p = period_or(period, axis);
            const double lengths[] = {p, p * 7 / 8, p / 16, 0.0};
            boxes[i].min[axis] = (whole_below(random, 48) - 16) * p / 16;
            boxes[i].max[axis] = boxes[i].min[axis] + lengths[rng_below(random, 4)];
        }
    }
}

// Boxes that begin or end where the period does, give or take the last bit of a float.
static void make_border(rng *random, const float period[3], bp_box_double *boxes, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            const float p = (float)period_or(period, axis);
            const float near[] = {p, p, nextafterf(p, 0.0f), nextafterf(p, INFINITY)};
            const double border = (double)near[rng_below(random, 4)] - (double)p * whole_below(random, 2);
            const double length = rng_between(random, 0.0, 0.3) * (double)p;
            const bool ends = rng_below(random, 2) == 0;
            boxes[i].min[axis] = (double)(float)(ends ? border - length : border);
            boxes[i].max[axis] = (double)(float)(ends ? border : border + length);
        }
    }
}

// Half a period and more: most pairs overlap in several places.
static void make_long(rng *random, const float period[3], bp_box_double *boxes, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const int short_axis = (int)rng_below(random, 3);
        for (int axis = 0; axis < 3; ++axis) {
            const double p = period_or(period, axis);
            const double length = axis == short_axis ? 0.02 : rng_between(random, 0.5, 0.999);
            boxes[i].min[axis] = rng_between(random, -p, p);
            boxes[i].max[axis] = boxes[i].min[axis] + length * p;
        }
    }
}

// A million periods away, and some at home.
static void make_far(rng *random, const float period[3], bp_box_double *boxes, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            const double p = period_or(period, axis);
            const double away = rng_below(random, 3) == 0 ? 0.0 : rng_sign(random) * (1e6 + whole_below(random, 3)) * p;
            boxes[i].min[axis] = away + whole_below(random, 64) * p / 64;
            boxes[i].max[axis] = boxes[i].min[axis] + whole_below(random, 9) * p / 64;
        }
    }
}

// Anything at all, but no longer than the period.
static void make_wild(rng *random, const float period[3], bp_box_double *boxes, size_t count) {
    bp_box *wild = obtain(count, sizeof *wild);
    for (size_t i = 0; i < count; ++i) {
        wild[i] = random_wild_box(random, wild, i);
        for (int axis = 0; axis < 3; ++axis) {
            const double p = period_or(period, axis), min = (double)wild[i].min[axis], max = (double)wild[i].max[axis];
            const bool longer = isfinite(min) && isfinite(max) && (double)(float)max - (double)(float)min > p;
            boxes[i].min[axis] = min;
            boxes[i].max[axis] = longer ? min : max;
        }
    }
    free(wild);
}

// Planes, half-spaces and beams among boxes.
static void make_walls(rng *random, const float period[3], bp_box_double *boxes, size_t count) {
    make_uniform(random, period, boxes, count);
    for (size_t i = 0; i < count; i += 5) {
        for (int axis = 0; axis < 3; ++axis) {
            const uint32_t kind = rng_below(random, 6);
            boxes[i].min[axis] = kind == 0 || kind == 2 ? -INFINITY : boxes[i].min[axis];
            boxes[i].max[axis] = kind == 1 || kind == 2 ? INFINITY : boxes[i].max[axis];
        }
    }
}

// Next to nothing, on both sides of nothing and of the period.
static void make_tiny(rng *random, const float period[3], bp_box_double *boxes, size_t count) {
    static const double little[] = {0.0, -0.0, 1e-45, -1e-45, 1e-38, -1e-38, 1e-30, -1e-30, 1e-17, -1e-17};
    for (size_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            const double p = period_or(period, axis), base = whole_below(random, 3) * p - p;
            double a = little[rng_below(random, 10)], b = little[rng_below(random, 10)];
            a = base == 0.0 ? a : base + a; // keeps the sign of a zero
            b = base == 0.0 ? b : base + b;
            const double length = rng_below(random, 3) == 0 ? 0.5 * p : 0.0;
            boxes[i].min[axis] = a < b ? a : b;
            boxes[i].max[axis] = length > 0.0 ? (a < b ? b : a) + length : (a < b ? b : a);
        }
    }
}

// Ends that differ in the last bit of a double, or do not differ.
static void make_last_bit(rng *random, const float period[3], bp_box_double *boxes, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            const double p = period_or(period, axis), size = 0.1 * p;
            double min = whole_below(random, 12) * size;
            double max = min + size;
            min = rng_below(random, 2) == 0 ? nextafter(min, rng_sign(random) * INFINITY) : min;
            max = rng_below(random, 2) == 0 ? nextafter(max, rng_sign(random) * INFINITY) : max;
            boxes[i].min[axis] = min;
            boxes[i].max[axis] = max;
        }
    }
}

// Clumps of boxes that touch, much smaller than the last bit of a float where they are.
static void make_clumps(rng *random, const float period[3], bp_box_double *boxes, size_t count) {
    enum { CLUMP = 32 };
    double place[3] = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            const double p = period_or(period, axis), size = 1e-15 * p;
            place[axis] = i % CLUMP == 0 ? rng_unit(random) * p : place[axis];
            boxes[i].min[axis] = place[axis] + whole_below(random, 4) * size;
            boxes[i].max[axis] = boxes[i].min[axis] + size;
        }
    }
}

// Cubes on a lattice of 3 : 4 : 5, whose spheres touch exactly.
static void make_kissing(rng *random, const float period[3], bp_box_double *boxes, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const double radius = rng_below(random, 4) == 0 ? 0.0 : 0.3125;
        const double unit = period_or(period, 0) / 64;
        const double steps[3] = {3 * whole_below(random, 40), 4 * whole_below(random, 30), 12 * whole_below(random, 8)};
        for (int axis = 0; axis < 3; ++axis) {
            boxes[i].min[axis] = (steps[axis] - 8 * radius) * unit;
            boxes[i].max[axis] = (steps[axis] + 8 * radius) * unit;
        }
    }
}

// Longer along one axis than along the others: the sphere is as large as the shortest allows.
static void make_uneven(rng *random, const float period[3], bp_box_double *boxes, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            const double p = period_or(period, axis);
            boxes[i].min[axis] = rng_between(random, -p, p);
            boxes[i].max[axis] = boxes[i].min[axis] + rng_between(random, 0.1, 0.9) * p;
        }
    }
}

// All magnitudes that a double has; beyond those of a float, floats are infinite.
static void make_extreme(rng *random, const float period[3], bp_box_double *boxes, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            const double magnitude = pow(10.0, rng_between(random, -320.0, 307.0));
            const double min = rng_sign(random) * (rng_below(random, 4) == 0 ? rng_unit(random) : magnitude);
            const double size = pow(10.0, rng_between(random, -320.0, 307.0));
            const double max = rng_below(random, 4) == 0 ? -min : min + size;
            const bool wrong = !(max >= min) || (period[axis] > 0.0f && max - min > (double)period[axis]) ||
                               (period[axis] > 0.0f && (double)(float)max - (double)(float)min > (double)period[axis]);
            boxes[i].min[axis] = min;
            boxes[i].max[axis] = wrong ? min : max;
        }
    }
}

// So far out along one axis that the last bit of a float or a double is as long as the objects, which along the others
// are of the usual size: their spheres, too. The magnitudes are around powers of two, where the last bit changes.
static void make_coarse(rng *random, const float period[3], bp_box_double *boxes, size_t count) {
    enum { CLUMP = 16 };
    int far_axis = 0;
    double place = 0.0, last_bit = 0.0;
    for (size_t i = 0; i < count; ++i) {
        if (i % CLUMP == 0) {
            const int exponent = 20 + (int)rng_below(random, 40);
            far_axis = (int)rng_below(random, 3);
            place = rng_sign(random) * ldexp(1.0, exponent);
            last_bit = fmax(0.0625, ldexp(1.0, exponent - (exponent < 40 ? 23 : 52)));
        }
        for (int axis = 0; axis < 3; ++axis) {
            const double size = 0.2 * period_or(period, axis), longest = period[axis] > 0.0f ? 4.0 * size : INFINITY;
            const bool far = axis == far_axis;
            const double min = far ? place + (whole_below(random, 16) - 8) * last_bit : size * rng_unit(random);
            const double length = far ? whole_below(random, 12) * last_bit : size * (0.1 + rng_unit(random));
            boxes[i].min[axis] = min;
            boxes[i].max[axis] = min + fmin(length, longest);
        }
    }
}

const view_scene VIEW_SCENES[] = {
    {"uniform", make_uniform}, {"lattice", make_lattice},   {"full period", make_full}, {"border", make_border},
    {"long boxes", make_long}, {"far away", make_far},      {"wild", make_wild},        {"walls", make_walls},
    {"tiny", make_tiny},       {"last bit", make_last_bit}, {"clumps", make_clumps},    {"kissing", make_kissing},
    {"uneven", make_uneven},   {"extreme", make_extreme},   {"coarse", make_coarse},
};
const size_t VIEW_SCENE_COUNT = COUNT_OF(VIEW_SCENES);

// Rounding may have made a box longer than the period.
static double shortened(double min, double max, double period, bool wide) {
    while (isfinite(min) && isfinite(max) && period > 0.0 && max - min > period) {
        max = wide ? nextafter(max, -INFINITY) : (double)nextafterf((float)max, -INFINITY);
    }
    return max;
}

bp_box_double *view_boxes(const view_scene *scene, uint64_t seed, const float period[3], size_t count, bool wide) {
    rng random = rng_seeded(seed);
    bp_box_double *boxes = obtain(count, sizeof *boxes);
    scene->make(&random, period, boxes, count);
    for (size_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            double *min = &boxes[i].min[axis], *max = &boxes[i].max[axis];
            *min = wide ? *min : (double)(float)*min;
            *max = shortened(*min, wide ? *max : (double)(float)*max, (double)period[axis], wide);
        }
    }
    return boxes;
}

bp_box *view_floats(const bp_box_double *boxes, size_t count) {
    bp_box *floats = obtain(count, sizeof *floats);
    for (size_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            floats[i].min[axis] = (float)boxes[i].min[axis];
            floats[i].max[axis] = (float)boxes[i].max[axis];
        }
    }
    return floats;
}

// ---- the definition -------------------------------------------------------------------------------------------------

// The processor itself rounds downwards.
static double minus_rounded_down(double value, double margin, bool wide) {
    const int before = fegetround();
    (void)fesetround(FE_DOWNWARD);
    volatile double wide_value = value, wide_margin = margin;
    volatile float narrow_value = (float)value, narrow_margin = (float)margin;
    volatile double wide_result = wide_value - wide_margin;
    volatile float narrow_result = narrow_value - narrow_margin;
    (void)fesetround(before);
    return wide ? wide_result : (double)narrow_result;
}

static bp_box_double grown(const bp_box_double *box, const bp_config *config, bool wide) {
    bp_box_double result = *box;
    for (int axis = 0; axis < 3 && config->margin > 0.0f; ++axis) {
        result.min[axis] = minus_rounded_down(box->min[axis], (double)config->margin, wide);
        result.max[axis] = -minus_rounded_down(-box->max[axis], (double)config->margin, wide);
    }
    return result;
}

// Whether a multiple of the period lies in low .. high. If none of the ends is one, and both have the same sign, and
// they are less than a period apart, one lies between them if the rest of the higher end is the smaller one.
static bool has_multiple(double low, double high, double period) {
    if (low <= 0.0 && high >= 0.0) {
        return true;
    }
    const double low_rest = fmod(low, period), high_rest = fmod(high, period);
    return low_rest == 0.0 || high_rest == 0.0 || (long double)high - (long double)low >= (long double)period ||
           high_rest < low_rest;
}

static bool is_infinite(double value) {
    return !isfinite(value);
}

static bool intervals_meet(double a_min, double a_max, double b_min, double b_max, double period) {
    if (period == 0.0) {
        return !(a_max < b_min || b_max < a_min);
    }
    if (is_infinite(a_min) || is_infinite(a_max) || is_infinite(b_min) || is_infinite(b_max)) {
        return true;
    }
    return has_multiple(b_min - a_max, b_max - a_min, period);
}

static double smaller(double a, double b) {
    return a < b ? a : b;
}

// A margin grows the radii.
static bool spheres_meet(const bp_box_double *a, const bp_box_double *b, const bp_config *config, int dimensions) {
    const double margin = (double)config->margin;
    double d[3] = {0.0, 0.0, 0.0}, a_extent = INFINITY, b_extent = INFINITY;
    for (int axis = 0; axis < dimensions; ++axis) {
        d[axis] = fabs((a->min[axis] + a->max[axis]) / 2 - (b->min[axis] + b->max[axis]) / 2);
        const double period = (double)config->period[axis];
        if (period > 0.0) {
            d[axis] = fmod(d[axis], period);
            d[axis] = smaller(d[axis], period - d[axis]);
        }
        a_extent = smaller(a_extent, a->max[axis] - a->min[axis]);
        b_extent = smaller(b_extent, b->max[axis] - b->min[axis]);
    }
    const double r = (a_extent / 2 + margin) + (b_extent / 2 + margin);
    return (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2] <= r * r;
}

static bool has_infinity(const bp_box_double *box, int dimensions) {
    bool infinite = false;
    for (int axis = 0; axis < dimensions; ++axis) {
        infinite |= is_infinite(box->min[axis]) || is_infinite(box->max[axis]);
    }
    return infinite;
}

// Boxes, and the same grown by the margin.
typedef struct box_set {
    const bp_box_double *boxes;
    bp_box_double *grown;
} box_set;

static box_set set_of(const bp_box_double *boxes, size_t count, bool wide, const bp_config *config) {
    const box_set set = {.boxes = boxes, .grown = obtain(count, sizeof *set.grown)};
    for (size_t i = 0; i < count; ++i) {
        set.grown[i] = grown(&boxes[i], config, wide);
    }
    return set;
}

static bool naive_meet(const box_set *first, size_t i, const box_set *second, size_t k, const bp_config *config) {
    const int dimensions = config->dimensions == 2 ? 2 : 3;
    const bp_box_double *a = &first->boxes[i], *b = &second->boxes[k];
    if (config->shape == BP_SHAPE_SPHERES && !has_infinity(a, dimensions) && !has_infinity(b, dimensions)) {
        return spheres_meet(a, b, config, dimensions);
    }
    bool meet = true;
    a = &first->grown[i];
    b = &second->grown[k];
    for (int axis = 0; axis < dimensions && meet; ++axis) {
        meet = intervals_meet(a->min[axis], a->max[axis], b->min[axis], b->max[axis], (double)config->period[axis]);
    }
    return meet;
}

pair_list naive_view_pairs(const bp_box_double *boxes, size_t count, bool wide, const bp_config *config) {
    const box_set set = set_of(boxes, count, wide, config);
    pair_list pairs = {0};
    for (uint32_t a = 0; a < count; ++a) {
        for (uint32_t b = a + 1; b < count; ++b) {
            if (naive_meet(&set, a, &set, b, config)) {
                pair_list_push(&pairs, a, b);
            }
        }
    }
    free(set.grown);
    return pairs;
}

pair_list naive_view_pairs_between(const bp_box_double *a, size_t a_count, const bp_box_double *b, size_t b_count,
                                   bool wide, const bp_config *config) {
    const box_set first = set_of(a, a_count, wide, config), second = set_of(b, b_count, wide, config);
    pair_list pairs = {0};
    for (uint32_t i = 0; i < a_count; ++i) {
        for (uint32_t k = 0; k < b_count; ++k) {
            if (naive_meet(&first, i, &second, k, config)) {
                pair_list_push(&pairs, i, k);
            }
        }
    }
    free(first.grown);
    free(second.grown);
    return pairs;
}
