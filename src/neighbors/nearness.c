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
        bp_log_write(log, "points: NULL although the count is %zu", points->count);
        return BP_ERROR_ARGUMENT;
    }
    if (points->count > BP_MAX_COUNT) {
        bp_log_write(log, "points: %zu exceed the limit of %zu; split the set", points->count, BP_MAX_COUNT);
        return BP_ERROR_ARGUMENT;
    }
    return BP_OK;
}

// ---- distance -------------------------------------------------------------------------------------------------------

enum {
    PAIRS_PER_BATCH = 128, // pairs that are measured together
    AHEAD = 24             // pairs after the present one whose points are prefetched
};

static double square_distance(const bp_nearness *n, bp_pair pair) {
    if (n->images != NULL) {
        return bp_image_square(n->images, pair.a, pair.b);
    }
    double square = 0.0;
    for (uint32_t axis = 0; axis < n->rule->dimensions; ++axis) {
        const double period = (double)n->rule->period[axis];
        double difference = coordinate(&n->first, pair.a, axis) - coordinate(&n->second, pair.b, axis);
        const double size = fabs(difference);
        if (period > 0.0 && size > 0.5 * period) { // to the nearest image: remainder(), and like it exact
            difference = size <= 1.5 * period ? size - period : remainder(difference, period);
        }
        square += difference * difference;
    }
    return square;
}

// The squares of the distances of the first `count` pairs; `left` pairs can be read. Usual points are 32-bit, in open space
// of three dimensions.
static void measure_batch(const bp_nearness *n, const bp_pair *pairs, size_t count, size_t left, double *squares) {
    const float *first = n->first.floats, *second = n->second.floats, *period = n->rule->period;
    const bool are_usual =
        !n->first.is_double && n->rule->dimensions == 3 && period[0] == 0.0f && period[1] == 0.0f && period[2] == 0.0f;
    for (size_t i = 0; i < count && are_usual; ++i) {
        const float *a = first + (size_t)3 * pairs[i].a, *b = second + (size_t)3 * pairs[i].b;
        const bp_pair ahead = pairs[i + AHEAD < left ? i + AHEAD : left - 1];
        bp_prefetch(first + (size_t)3 * ahead.a);
        bp_prefetch(second + (size_t)3 * ahead.b);
        const double x = (double)a[0] - (double)b[0];
        const double y = (double)a[1] - (double)b[1];
        const double z = (double)a[2] - (double)b[2];
        squares[i] = (x * x + y * y) + z * z;
    }
    for (size_t i = 0; i < count && !are_usual; ++i) {
        squares[i] = square_distance(n, pairs[i]);
    }
}

// ---- which pairs are near -------------------------------------------------------------------------------------------

static size_t keep_by_radii(const bp_nearness *n, const double *squares, const bp_pair *pairs, size_t count,
                            bp_pair *kept) {
    size_t kept_count = 0;
    for (size_t i = 0; i < count; ++i) {
        const bp_pair pair = pairs[i];
        const double r = bp_radius_of(&n->radii, pair.a), s = bp_radius_of(&n->radii, pair.b);
        const double limit = n->radius_rule == BP_RADIUS_SUM                ? r + s
                             : (n->radius_rule == BP_RADIUS_MAX) == (r > s) ? r
                                                                            : s;
        // If each point of a pair is in the cube of the other, the larger cube reports the pair; of two equal cubes, that
        // of the smaller index. This also excludes a point in its own cube.
        const bool reports = !n->by_larger || s > r || (s == r && pair.b < pair.a);
        kept[kept_count] = pair;
        kept_count += squares[i] <= limit * limit && reports;
    }
    return kept_count;
}

static bool radii_are_same(const bp_radii *radii) {
    return radii->floats == NULL && radii->doubles == NULL;
}

size_t bp_nearness_keep(const bp_nearness *n, bp_pair *pairs, size_t count) {
    const bool same = radii_are_same(&n->radii);
    const double limit = n->radii.same * n->radii.same;
    double squares[PAIRS_PER_BATCH];
    size_t kept = 0;
    for (size_t begin = 0; begin < count; begin += PAIRS_PER_BATCH) {
        const bp_pair *batch = pairs + begin;
        const size_t left = count - begin, some = left < PAIRS_PER_BATCH ? left : PAIRS_PER_BATCH;
        measure_batch(n, batch, some, left, squares);
        kept += same ? 0 : keep_by_radii(n, squares, batch, some, pairs + kept);
        for (size_t i = 0; i < some && same; ++i) {
            pairs[kept] = batch[i];
            kept += squares[i] <= limit;
        }
    }
    return kept;
}

// ---- cubes ----------------------------------------------------------------------------------------------------------

enum { POINTS_TOGETHER = 64, BLOCK_MIN = 4096, BLOCKS_MAX = 64 };

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

// In a periodic space, a cube as long as the period is the whole period.
static void fill_doubles(const cube_maker *m, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
        const double reach = reach_of(m, i);
        for (uint32_t axis = 0; axis < 3; ++axis) {
            const double x = m->flat[axis] ? 0.0 : coordinate(&m->points, i, axis);
            const double period = m->flat[axis] ? 0.0 : (double)m->rule->period[axis];
            const double rounding = period > 0.0 ? 0x1p-48 * (fabs(x) + period) : 0.0;
            const double more = m->flat[axis] ? 0.0 : reach + rounding;
            const bool is_whole = period > 0.0 && !(2.0 * (more + rounding) < period);
            m->doubles[i].min[axis] = is_whole ? 0.0 : x - more;
            m->doubles[i].max[axis] = is_whole ? period : x + more;
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

// Floats first without a branch per coordinate, so that the compiler may use vectors.
static size_t first_invalid(const cube_maker *m, size_t begin, size_t end) {
    uint32_t others = m->floats == NULL;
    for (size_t i = 3 * begin; i < 3 * end && m->floats != NULL; ++i) {
        others += fabsf(m->points.floats[i]) <= FLT_MAX ? 0 : 1;
    }
    bool finite = true;
    size_t point = others == 0 ? end : begin;
    while (point < end && finite) {
        for (uint32_t axis = 0; axis < m->rule->dimensions; ++axis) {
            finite &= fabs(coordinate(&m->points, point, axis)) <= DBL_MAX;
        }
        point += finite;
    }
    return point;
}

static void task_make_cubes(void *context, size_t block) {
    cube_maker *m = context;
    const size_t end = bp_block_begin(m->blocks, block + 1);
    size_t begin = bp_block_begin(m->blocks, block);
    while (begin < end) {
        const size_t stop = end - begin < POINTS_TOGETHER ? end : begin + POINTS_TOGETHER,
                     valid = first_invalid(m, begin, stop);
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

bp_status bp_cubes_make(bp_cubes *cubes, const bp_overlap_rule *rule, const bp_runtime *runtime, bp_points points,
                        const bp_radii *radii, double share) {
    cube_maker m = {.rule = rule, .points = points, .radii = radii, .share = share};
    bool are_floats = !points.is_double;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        m.flat[axis] = axis >= rule->dimensions || radii_cover_period(radii, (double)rule->period[axis]);
        are_floats &= rule->period[axis] == 0.0f || m.flat[axis];
    }
    const size_t size = are_floats ? sizeof(bp_box) : sizeof(bp_box_double);
    if (!bp_buffer_reserve(&cubes->buffer, &runtime->allocator, 0, points.count + 1, size)) { // never empty
        return BP_ERROR_MEMORY;
    }
    m.floats = are_floats ? cubes->buffer.data : NULL;
    m.doubles = are_floats ? NULL : cubes->buffer.data;
    cubes->input = (bp_input){.floats = m.floats, .doubles = m.doubles, .count = points.count};
    m.blocks = bp_blocks_cut(&runtime->executor, points.count, BLOCK_MIN, BLOCKS_MAX);
    bp_parallel_for(&runtime->executor, m.blocks.count, task_make_cubes, &m);
    for (size_t block = 0; block < m.blocks.count; ++block) {
        const size_t point = m.invalid[block];
        if (point < bp_block_begin(m.blocks, block + 1)) {
            bp_log_write(&runtime->log, "point %zu is not finite: (%g, %g, %g)", point, coordinate(&points, point, 0),
                         coordinate(&points, point, 1), coordinate(&points, point, 2));
            return BP_ERROR_BOX;
        }
    }
    return BP_OK;
}
