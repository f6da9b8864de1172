#include "view/overlap.h"

#include <string.h>

static const double TOLERANCE = 0x1p-46;
static const double TOLERANCE_MIN = 0x1p-530;

// ---- arithmetic -----------------------------------------------------------------------------------------------------

// The rounding error of `difference` = a - b (Knuth's TwoSum): exact, unless a number is infinite.
static double difference_error(double a, double b, double difference) {
    const double b_part = a - difference, a_part = difference + b_part;
    return (a - a_part) + (b_part - b);
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

// ---- boxes ----------------------------------------------------------------------------------------------------------

// Whether an interval holds a multiple of the period; exact for any finite low <= high.
static bool holds_multiple(double low, double high, double period) {
    if ((low <= 0.0 && high >= 0.0) || (low <= period && high >= period) || (low <= -period && high >= -period)) {
        return true; // nearly always, if at all
    }
    const double near = low > 0.0 ? low : -high, far = low > 0.0 ? high : -low;
    if (far < 2.0 * period || isinf(far)) {
        return isinf(far);
    }
    // The largest multiple that is not beyond `far` is far - fmod(far, period), and fmod is exact. Here `near` is
    // larger than the period, so far - near is exact, too, unless it is longer than the period anyway.
    return far - near >= fmod(far, period);
}

bool bp_boxes_overlap_by_rule(const bp_box_double *a, const bp_box_double *b, const bp_overlap_rule *rule) {
    bool overlap = true;
    for (uint32_t axis = 0; axis < rule->dimensions && overlap; ++axis) {
        const double period = bp_period_of(rule, axis);
        if (period == 0.0) {
            overlap = a->min[axis] <= b->max[axis] && b->min[axis] <= a->max[axis];
        } else if (!isinf(a->min[axis]) && !isinf(a->max[axis]) && !isinf(b->min[axis]) && !isinf(b->max[axis])) {
            overlap = holds_multiple(b->min[axis] - a->max[axis], b->max[axis] - a->min[axis], period);
        }
    }
    return overlap;
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
static double centre_of_double(const bp_box_double *box, uint32_t axis) {
    return 0.5 * box->min[axis] + 0.5 * box->max[axis];
}

// An infinite coordinate makes the sum infinite or NaN; so does one that is only very large.
bool bp_spheres_overlap_by_rule(const bp_box_double *a, const bp_box_double *b, const bp_overlap_rule *rule,
                                bool *as_boxes) {
    const uint32_t dimensions = rule->dimensions;
    const double margin = (double)rule->margin;
    double reach = (radius_of(a, dimensions) + margin) + (radius_of(b, dimensions) + margin);
    double sum = 0.0, unreduced = 0.0;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        const double period = bp_period_of(rule, axis), apart = centre_of_double(a, axis) - centre_of_double(b, axis);
        double distance = apart;
        if (period > 0.0 &&
            fabs(apart) > 0.5 * period) { // the shortest difference modulo the period, exact: remainder() is slow
            distance = fabs(apart) <= 1.5 * period ? fabs(apart) - period : remainder(apart, period);
        }
        unreduced += period > 0.0 ? fabs(apart) : 0.0;
        sum += distance * distance;
    }
    *as_boxes =
        !isfinite(sum) && (bp_box_double_is_infinite(a, dimensions) || bp_box_double_is_infinite(b, dimensions));
    // A little more than the reach. The distance is off by a few units in the last place of itself and, before it is reduced
    // to less than a period, of `unreduced`; squares of less than TOLERANCE_MIN vanish.
    reach += rule->tolerant ? TOLERANCE * (reach + unreduced) + TOLERANCE_MIN : 0.0;
    return sum <= reach * reach || (rule->tolerant && isnan(sum));
}

bool bp_sphere_holds(const bp_box_double *outer, const bp_box_double *inner, uint32_t dimensions) {
    double sum = 0.0;
    if (bp_box_double_is_infinite(outer, dimensions)) {
        return bp_box_double_is_infinite(inner, dimensions);
    }
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        const double distance = centre_of_double(outer, axis) - centre_of_double(inner, axis);
        sum += distance * distance;
    }
    return sqrt(sum) + radius_of(inner, dimensions) <= radius_of(outer, dimensions);
}
