// Cubes around points, and the test of the distance.
//
// No pair may be lost between points and cubes. Along an axis, points at p <= q are near only if
//
//     fl((q - p)^2) <= fl(r^2)      and so      q - p <= r * (1 + 2^-50) + 2^-536,
//
// where fl rounds to 64 bits and the last term covers squares that vanish. Let each cube reach half of that, h, to both
// sides. Then q - h <= p + h, and rounding keeps this order: round(q - h) <= round(p + h), in 32 bits as well as in 64.
// Hence no rounding direction has to be set, and cubes are as small as possible. Only in a periodic space, cubes are
// shifted after rounding: there they reach a little further, by 2^-48 of the sum of all terms.
#include "neighbors/nearness.h"

#include "base/boxes.h"
#include "base/log.h"
#include "base/parallel.h"
#include "neighbors/point_images.h"

#include <float.h>
#include <math.h>

// ---- points ---------------------------------------------------------------------------------------------------------

static double coordinate(const bp_points *points, size_t point, uint32_t axis) {
    return points->is_double ? points->doubles[3 * point + axis] : (double)points->floats[3 * point + axis];
}

bp_status bp_points_check(const bp_points *points, const bp_log *log) {
    if (points->floats == NULL && points->doubles == NULL && points->count > 0) {
        bp_log_write(log, "points: NULL, but the count is %zu", points->count);
        return BP_ERROR_ARGUMENT;
    }
    if (points->count > BP_MAX_COUNT) {
        bp_log_write(log, "points: %zu are more than the %zu that fit; split the set", points->count, BP_MAX_COUNT);
        return BP_ERROR_ARGUMENT;
    }
    return BP_OK;
}

// ---- distance -------------------------------------------------------------------------------------------------------

enum {
    BATCH = 128, // pairs that are measured together
    AHEAD = 24   // pairs after the present one whose points are prefetched
};

// The shortest difference between images: remainder(difference, period), and like it exact.
static double to_nearest_image(double difference, double period) {
    const double size = fabs(difference);
    if (size <= 0.5 * period) {
        return difference;
    }
    return size <= 1.5 * period ? size - period : remainder(difference, period);
}

static double square_distance(const bp_nearness *n, bp_pair pair) {
    if (n->images != NULL) {
        return bp_image_square(n->images, pair.a, pair.b);
    }
    double square = 0.0;
    for (uint32_t axis = 0; axis < n->rule->dimensions; ++axis) {
        const double period = (double)n->rule->period[axis];
        double difference = coordinate(&n->first, pair.a, axis) - coordinate(&n->second, pair.b, axis);
        if (period > 0.0) {
            difference = to_nearest_image(difference, period);
        }
        square += difference * difference;
    }
    return square;
}

BP_PREFETCHER prefetch_points(const float *first, const float *second, bp_pair pair) {
    bp_prefetch(first + (size_t)3 * pair.a);
    bp_prefetch(second + (size_t)3 * pair.b);
}

// The same for the usual points: 32-bit, in open space of three dimensions. `left` pairs can be read; the first `count`
// are measured.
static void measure_usual(const bp_nearness *n, const bp_pair *pairs, size_t count, size_t left, double *squares) {
    const float *first = n->first.floats, *second = n->second.floats;
    for (size_t i = 0; i < count; ++i) {
        const float *a = first + (size_t)3 * pairs[i].a, *b = second + (size_t)3 * pairs[i].b;
        prefetch_points(first, second, pairs[i + AHEAD < left ? i + AHEAD : left - 1]);
        const double x = (double)a[0] - (double)b[0];
        const double y = (double)a[1] - (double)b[1];
        const double z = (double)a[2] - (double)b[2];
        squares[i] = (x * x + y * y) + z * z;
    }
}

static bool in_open_space(const bp_overlap_rule *rule) {
    return rule->period[0] == 0.0f && rule->period[1] == 0.0f && rule->period[2] == 0.0f;
}

static void measure_batch(const bp_nearness *n, const bp_pair *pairs, size_t count, size_t left, double *squares) {
    if (!n->first.is_double && n->rule->dimensions == 3 && in_open_space(n->rule)) {
        measure_usual(n, pairs, count, left, squares);
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        squares[i] = square_distance(n, pairs[i]);
    }
}

// ---- which pairs are near -------------------------------------------------------------------------------------------

static size_t keep_within(double limit, const double *squares, const bp_pair *pairs, size_t count, bp_pair *kept) {
    size_t kept_count = 0;
    for (size_t i = 0; i < count; ++i) {
        kept[kept_count] = pairs[i];
        kept_count += squares[i] <= limit;
    }
    return kept_count;
}

static double combine(bp_radius_rule rule, double r, double s) {
    return rule == BP_RADIUS_SUM ? r + s : (rule == BP_RADIUS_MAX) == (r > s) ? r : s;
}

// If each point of a pair is in the cube of the other, the larger cube reports the pair; of two equal cubes, that of
// the smaller index. This also excludes a point in its own cube.
static bool reports(bp_pair pair, double inside, double of_cube) {
    return of_cube > inside || (of_cube == inside && pair.b < pair.a);
}

static size_t keep_by_radii(const bp_nearness *n, const double *squares, const bp_pair *pairs, size_t count,
                            bp_pair *kept) {
    size_t kept_count = 0;
    for (size_t i = 0; i < count; ++i) {
        const bp_pair pair = pairs[i];
        const double r = bp_radius_of(&n->radii, pair.a), s = bp_radius_of(&n->radii, pair.b);
        const double limit = combine(n->radius_rule, r, s);
        kept[kept_count] = pair;
        kept_count += squares[i] <= limit * limit && (!n->by_larger || reports(pair, r, s));
    }
    return kept_count;
}

static bool radii_are_same(const bp_radii *radii) {
    return radii->floats == NULL && radii->doubles == NULL;
}

size_t bp_nearness_keep(const bp_nearness *n, bp_pair *pairs, size_t count) {
    const bool same = radii_are_same(&n->radii);
    double squares[BATCH];
    size_t kept = 0;
    for (size_t begin = 0; begin < count; begin += BATCH) {
        const bp_pair *batch = pairs + begin;
        const size_t left = count - begin, some = left < BATCH ? left : BATCH;
        measure_batch(n, batch, some, left, squares);
        kept += same ? keep_within(n->radii.same * n->radii.same, squares, batch, some, pairs + kept)
                     : keep_by_radii(n, squares, batch, some, pairs + kept);
    }
    return kept;
}

// ---- cubes ----------------------------------------------------------------------------------------------------------

enum { TOGETHER = 64, BLOCK_LEAST = 4096, BLOCKS_MAX = 64 };

typedef struct cube_maker {
    const bp_overlap_rule *rule;
    bp_points points;
    const bp_radii *radii;
    double share;
    bool flat[3];   // axes along which all points are near
    bp_box *floats; // one of these is not NULL
    bp_box_double *doubles;
    bp_blocks blocks;
    size_t invalid[BLOCKS_MAX]; // per block: the first point that is not finite, or the block's end
} cube_maker;

// How far apart along an axis points within a radius may be. Squares of the largest radii are infinite: then everything
// is within them.
static double rounded_up(double radius) {
    return radius < 0x1p511 ? radius * (1.0 + 0x1p-50) + 0x1p-536 : (double)INFINITY;
}

static double reach_of(const cube_maker *m, size_t point) {
    return m->share == 0.0 ? 0.0 : m->share * rounded_up(bp_radius_of(m->radii, point));
}

typedef struct span {
    double min, max;
} span;

// In a periodic space, a cube as long as the period is the whole period.
static span span_of_cube(const cube_maker *m, size_t point, uint32_t axis) {
    if (m->flat[axis]) {
        return (span){0.0, 0.0};
    }
    const double x = coordinate(&m->points, point, axis), reach = reach_of(m, point);
    const double period = (double)m->rule->period[axis];
    if (period == 0.0) {
        return (span){x - reach, x + reach};
    }
    const double rounding = 0x1p-48 * (fabs(x) + period), more = reach + rounding;
    return 2.0 * (more + rounding) < period ? (span){x - more, x + more} : (span){0.0, period};
}

static void fill_doubles(const cube_maker *m, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
        for (uint32_t axis = 0; axis < 3; ++axis) {
            const span s = span_of_cube(m, i, axis);
            m->doubles[i].min[axis] = s.min;
            m->doubles[i].max[axis] = s.max;
        }
    }
}

// The same in open space.
static void fill_floats(const cube_maker *m, size_t begin, size_t end) {
    const float *points = m->points.floats;
    const bool same = radii_are_same(m->radii);
    const float first_reach = begin < end ? bp_round_up(reach_of(m, begin)) : 0.0f;
    for (size_t i = begin; i < end; ++i) {
        const float reach = same ? first_reach : bp_round_up(reach_of(m, i));
        for (size_t axis = 0; axis < 3; ++axis) {
            m->floats[i].min[axis] = points[3 * i + axis] - reach;
            m->floats[i].max[axis] = points[3 * i + axis] + reach;
        }
    }
    for (size_t axis = 0; axis < 3; ++axis) {
        for (size_t i = begin; i < end && m->flat[axis]; ++i) {
            m->floats[i].min[axis] = 0.0f;
            m->floats[i].max[axis] = 0.0f;
        }
    }
}

static bool is_finite(const cube_maker *m, size_t point) {
    bool finite = true;
    for (uint32_t axis = 0; axis < m->rule->dimensions; ++axis) {
        finite &= fabs(coordinate(&m->points, point, axis)) <= DBL_MAX;
    }
    return finite;
}

// Without a branch per coordinate, so that the compiler may use vectors.
static bool are_finite(const float *coordinates, size_t count) {
    uint32_t others = 0;
    for (size_t i = 0; i < count; ++i) {
        others += fabsf(coordinates[i]) <= FLT_MAX ? 0 : 1;
    }
    return others == 0;
}

static size_t first_invalid(const cube_maker *m, size_t begin, size_t end) {
    if (m->floats != NULL && are_finite(m->points.floats + 3 * begin, 3 * (end - begin))) {
        return end;
    }
    size_t point = begin;
    while (point < end && is_finite(m, point)) {
        ++point;
    }
    return point;
}

static void task_make_cubes(void *context, size_t block) {
    cube_maker *m = context;
    const size_t end = bp_block_begin(m->blocks, block + 1);
    size_t begin = bp_block_begin(m->blocks, block);
    while (begin < end) {
        const size_t stop = end - begin < TOGETHER ? end : begin + TOGETHER, valid = first_invalid(m, begin, stop);
        if (m->floats != NULL) {
            fill_floats(m, begin, valid);
        } else {
            fill_doubles(m, begin, valid);
        }
        begin = valid;
        if (valid < stop) {
            break;
        }
    }
    m->invalid[block] = begin;
}

static bp_status make_all_cubes(cube_maker *m, const bp_runtime *runtime) {
    m->blocks = bp_blocks_cut(&runtime->executor, m->points.count, BLOCK_LEAST, BLOCKS_MAX);
    bp_parallel_for(&runtime->executor, m->blocks.count, task_make_cubes, m);
    for (size_t block = 0; block < m->blocks.count; ++block) {
        const size_t point = m->invalid[block];
        if (point < bp_block_begin(m->blocks, block + 1)) {
            bp_log_write(&runtime->log, "point %zu is not finite: (%g, %g, %g)", point,
                         coordinate(&m->points, point, 0), coordinate(&m->points, point, 1),
                         coordinate(&m->points, point, 2));
            return BP_ERROR_BOX;
        }
    }
    return BP_OK;
}

// Whether any two points are within the radius along an axis, because no two are farther apart than half of the period.
static bool radii_cover_period(const bp_radii *radii, double period) {
    return period > 0.0 && radii_are_same(radii) && rounded_up(radii->same) >= 0.5 * period;
}

bp_overlap_rule bp_cubes_rule(const bp_overlap_rule *rule, const bp_radii *radii) {
    bp_overlap_rule cubes = {.dimensions = rule->dimensions, .shape = BP_SHAPE_BOXES};
    for (size_t axis = 0; axis < 3; ++axis) {
        cubes.period[axis] = radii_cover_period(radii, (double)rule->period[axis]) ? 0.0f : rule->period[axis];
    }
    return cubes;
}

static bool has_images(const cube_maker *m) {
    bool any = false;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        any |= m->rule->period[axis] > 0.0f && !m->flat[axis];
    }
    return any;
}

static bool reserve_cubes(cube_maker *m, bp_buffer *buffer, const bp_allocator *allocator) {
    const bool floats = !m->points.is_double && !has_images(m);
    const size_t size = floats ? sizeof(bp_box) : sizeof(bp_box_double), count = m->points.count;
    if (!bp_buffer_reserve(buffer, allocator, 0, count + 1, size)) { // not empty, so that there always is an array
        return false;
    }
    m->floats = floats ? buffer->data : NULL;
    m->doubles = floats ? NULL : buffer->data;
    return true;
}

bp_status bp_cubes_make(bp_cubes *cubes, const bp_overlap_rule *rule, const bp_runtime *runtime, bp_points points,
                        const bp_radii *radii, double share) {
    cube_maker m = {.rule = rule, .points = points, .radii = radii, .share = share};
    for (uint32_t axis = 0; axis < 3; ++axis) {
        m.flat[axis] = axis >= rule->dimensions || radii_cover_period(radii, (double)rule->period[axis]);
    }
    if (!reserve_cubes(&m, &cubes->buffer, &runtime->allocator)) {
        return BP_ERROR_MEMORY;
    }
    cubes->input = (bp_input){.floats = m.floats, .doubles = m.doubles, .count = points.count};
    return make_all_cubes(&m, runtime);
}
