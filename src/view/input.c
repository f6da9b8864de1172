#include "view/input.h"

#include "api/config.h"
#include "base/boxes.h"
#include "base/parallel.h"

// ---- arithmetic -----------------------------------------------------------------------------------------------------

// What a - b has lost by rounding to `difference` (Knuth's TwoSum): exact, unless a number is infinite.
static double difference_error(double a, double b, double difference) {
    const double b_seen = a - difference, a_seen = difference + b_seen;
    return (a - a_seen) + (b_seen - b);
}

// The largest double that is not above value - margin.
static double double_below(double value, double margin) {
    const double difference = value - margin;
    return difference_error(value, margin, difference) < 0.0 ? nextafter(difference, -INFINITY) : difference;
}

// ---- growing --------------------------------------------------------------------------------------------------------

bp_box_double bp_box_double_grown(const bp_box_double *box, float margin) {
    if (margin == 0.0f) {
        return *box;
    }
    bp_box_double grown;
    for (int axis = 0; axis < 3; ++axis) {
        grown.min[axis] = double_below(box->min[axis], (double)margin);
        grown.max[axis] = -double_below(-box->max[axis], (double)margin);
    }
    return grown;
}

// The largest float that is not above value - margin.
static float float_below(float value, float margin) {
    const double difference = (double)value - (double)margin;
    float near = (float)difference;
    uint32_t bits;
    memcpy(&bits, &near, sizeof bits);
    const bool lost = difference_error((double)value, (double)margin, difference) < 0.0;
    const uint32_t step = ((double)near > difference) | (((double)near == difference) & lost);
    bits += bits >> 31 != 0 ? step : 0 - step;
    memcpy(&near, &bits, sizeof bits);
    return near;
}

bp_box bp_box_grown(const bp_box *box, float margin) {
    if (margin == 0.0f) {
        return *box;
    }
    bp_box grown;
    for (int axis = 0; axis < 3; ++axis) {
        grown.min[axis] = float_below(box->min[axis], margin);
        grown.max[axis] = -float_below(-box->max[axis], margin);
    }
    return grown;
}

bp_box_double bp_given_box(const bp_given *given, const bp_config *config, size_t index) {
    if (given->doubles != NULL) {
        return bp_box_double_grown(&given->doubles[index], config->margin);
    }
    const bp_box box = bp_box_grown(&given->floats[index], config->margin);
    return bp_box_widen(&box);
}

// ---- boxes ----------------------------------------------------------------------------------------------------------

bool bp_holds_multiple(double low, double high, double period) {
    if ((low <= 0.0 && high >= 0.0) || (low <= period && high >= period) || (low <= -period && high >= -period)) {
        return true; // nearly always, if at all
    }
    const double near = low > 0.0 ? low : -high, far = low > 0.0 ? high : -low;
    if (far < 2.0 * period || isinf(far)) {
        return isinf(far);
    }
    // The largest multiple that is not beyond `far` is far - fmod(far, period), and fmod is exact. Here `near` is larger
    // than the period, so far - near is exact, too, unless it is longer than the period anyway.
    return far - near >= fmod(far, period);
}

static inline bool axis_meets(const bp_box_double *a, const bp_box_double *b, uint32_t axis, double period) {
    if (period == 0.0) {
        return a->min[axis] <= b->max[axis] && b->min[axis] <= a->max[axis];
    }
    if (isinf(a->min[axis]) || isinf(a->max[axis]) || isinf(b->min[axis]) || isinf(b->max[axis])) {
        return true;
    }
    return bp_holds_multiple(b->min[axis] - a->max[axis], b->max[axis] - a->min[axis], period);
}

static bool boxes_meet(const bp_box_double *a, const bp_box_double *b, const bp_config *config) {
    bool meet = true;
    for (uint32_t axis = 0; axis < config->dimensions && meet; ++axis) {
        meet = axis_meets(a, b, axis, bp_period_of(config, axis));
    }
    return meet;
}

// ---- spheres --------------------------------------------------------------------------------------------------------

static double radius_of(const bp_box_double *box, uint32_t dimensions) {
    double least = box->max[0] - box->min[0];
    for (uint32_t axis = 1; axis < dimensions; ++axis) {
        const double extent = box->max[axis] - box->min[axis];
        least = extent < least ? extent : least;
    }
    return 0.5 * least;
}

// Halves first: the sum of two large coordinates could be infinite.
static double centre_of(const bp_box_double *box, uint32_t axis) {
    return 0.5 * box->min[axis] + 0.5 * box->max[axis];
}

// The shortest difference modulo the period, exactly: as remainder(), which takes its time.
static double shortest(double apart, double period) {
    if (fabs(apart) <= 0.5 * period) {
        return apart;
    }
    return fabs(apart) <= 1.5 * period ? fabs(apart) - period : remainder(apart, period);
}

// A coordinate that is infinite makes the sum infinite, or NaN; so does one that is only very large.
static bool spheres_meet(const bp_box_double *a, const bp_box_double *b, const bp_config *config) {
    const uint32_t dimensions = config->dimensions;
    const double reach = radius_of(a, dimensions) + radius_of(b, dimensions);
    double sum = 0.0;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        const double period = bp_period_of(config, axis), apart = centre_of(a, axis) - centre_of(b, axis);
        const double way = period > 0.0 ? shortest(apart, period) : apart;
        sum += way * way;
    }
    const bool boxes =
        !isfinite(sum) && (bp_box_double_is_infinite(a, dimensions) || bp_box_double_is_infinite(b, dimensions));
    return boxes ? boxes_meet(a, b, config) : sum <= reach * reach;
}

bool bp_sphere_holds(const bp_box_double *outer, const bp_box_double *inner, uint32_t dimensions) {
    const double radius = radius_of(outer, dimensions);
    double sum = 0.0, far = radius;
    if (bp_box_double_is_infinite(outer, dimensions)) {
        return true;
    }
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        const double way = centre_of(outer, axis) - centre_of(inner, axis);
        sum += way * way;
        far += fabs(centre_of(outer, axis));
    }
    return sqrt(sum) + radius_of(inner, dimensions) + 0x1p-48 * far <= radius;
}

bool bp_boxes_meet(const bp_box_double *a, const bp_box_double *b, const bp_config *config) {
    return config->shape == BP_SHAPE_SPHERES ? spheres_meet(a, b, config) : boxes_meet(a, b, config);
}

// ---- checking -------------------------------------------------------------------------------------------------------

enum { BLOCK_LEAST = 16384, BLOCKS_MAX = 256 };

// An array of boxes, looked through in blocks.
typedef struct inspection {
    const bp_given *given;
    const bp_config *config;
    size_t block_count;
    size_t wrong[BLOCKS_MAX]; // per block: the first box that is wrong, or the number of boxes
} inspection;

static bool is_valid(const bp_box_double *box, uint32_t dimensions) {
    const bool xy = box->min[0] <= box->max[0] && box->min[1] <= box->max[1];
    return xy && (dimensions == 2 || box->min[2] <= box->max[2]);
}

static bool fits_period(const bp_box_double *box, const bp_config *config) {
    bool fits = true;
    for (uint32_t axis = 0; axis < config->dimensions; ++axis) {
        const double period = (double)config->period[axis], extent = box->max[axis] - box->min[axis];
        fits &= !(period > 0.0 && extent > period) || isinf(box->min[axis]) || isinf(box->max[axis]);
    }
    return fits;
}

static bp_box_double load(const bp_given *given, size_t index) {
    return given->doubles != NULL ? given->doubles[index] : bp_box_widen(&given->floats[index]);
}

static void task_inspect(void *context, size_t block) {
    inspection *i = context;
    const size_t count = i->given->count;
    const size_t end = (size_t)((unsigned long long)count * (block + 1) / i->block_count);
    i->wrong[block] = count;
    for (size_t k = (size_t)((unsigned long long)count * block / i->block_count); k < end; ++k) {
        const bp_box_double box = load(i->given, k);
        if (!is_valid(&box, i->config->dimensions) || !fits_period(&box, i->config)) {
            i->wrong[block] = k;
            return;
        }
    }
}

// The first box that is wrong, or the number of boxes.
static size_t find_wrong(const bp_given *given, const bp_config *config) {
    inspection i = {.given = given, .config = config};
    i.block_count = bp_parallel_blocks(&config->executor, given->count, BLOCK_LEAST);
    i.block_count = i.block_count < BLOCKS_MAX ? i.block_count : BLOCKS_MAX;
    bp_parallel_for(&config->executor, i.block_count, task_inspect, &i);
    for (size_t block = 0; block < i.block_count; ++block) {
        if (i.wrong[block] < given->count) {
            return i.wrong[block];
        }
    }
    return given->count;
}

static bp_status refuse_box(const bp_given *given, const bp_config *config, size_t index) {
    const bp_box_double box = load(given, index);
    const char *what = is_valid(&box, config->dimensions)
                           ? "is longer than config.period; shorten it, or give an infinite one to cover all"
                           : "is invalid (NaN, or min > max)";
    bp_log_write(config, "box %zu %s: min (%.17g, %.17g, %.17g), max (%.17g, %.17g, %.17g)", index, what, box.min[0],
                 box.min[1], box.min[2], box.max[0], box.max[1], box.max[2]);
    return BP_ERROR_BOX;
}

static bool repeats(const bp_config *config) {
    return bp_period_of(config, 0) > 0.0 || bp_period_of(config, 1) > 0.0 || bp_period_of(config, 2) > 0.0;
}

bp_status bp_given_check(bp_given given, bool wide, const bp_config *config) {
    bp_status status = BP_OK;
    if (!wide) {
        status = bp_boxes_check(given.floats, given.count, config);
    } else if (given.count > BP_MAX_COUNT || (given.doubles == NULL && given.count > 0)) {
        status = bp_boxes_check(NULL, given.count, config);
    }
    if (status != BP_OK || given.count == 0 || !(wide || repeats(config))) {
        return status;
    }
    const size_t wrong = find_wrong(&given, config);
    return wrong < given.count ? refuse_box(&given, config, wrong) : BP_OK;
}
