#include "literature/octrees/tree_space.h"

#include "base/boxes.h"
#include "engine/setup.h"

enum {
    SAMPLE = 255,   // boxes that are sampled
    OUTER = 5,      // of these, at either end, that may be far away from the others,
    FAR_WIDTHS = 64 // by this many times the width of the others
};

void bp_tree_space_divide(bp_tree_space *space, uint32_t depth) {
    space->depth = depth;
    space->inverse = ldexp(1.0, (int)depth) / space->edge;
}

// The min coordinates of finite boxes at regular distances in the list, sorted. Returns their number.
static size_t sample_axis(const bp_box *boxes, size_t count, uint32_t dimensions, uint32_t axis, float sample[SAMPLE]) {
    size_t used = 0;
    for (size_t i = 0; i < count && used < SAMPLE; i += count / SAMPLE + 1) {
        if (!bp_box_is_finite(&boxes[i], dimensions)) {
            continue;
        }
        size_t at = used++;
        for (; at > 0 && sample[at - 1] > boxes[i].min[axis]; --at) {
            sample[at] = sample[at - 1];
        }
        sample[at] = boxes[i].min[axis];
    }
    return used;
}

bp_tree_space bp_tree_space_choose(const bp_box *domain, const bp_box *boxes, size_t count, uint32_t dimensions,
                                   double width[3]) {
    bp_tree_space space = {.edge = (double)FLT_MIN, .dimensions = dimensions};
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        double low = INFINITY, high = -INFINITY;
        float sample[SAMPLE];
        for (size_t i = 0; i < count; ++i) {
            const double at = bp_tree_centre(&boxes[i], axis);
            const bool counts = bp_box_is_finite(&boxes[i], dimensions);
            low = counts && at < low ? at : low;
            high = counts && at > high ? at : high;
        }
        const size_t used = sample_axis(boxes, count, dimensions, axis, sample);
        if (used > (size_t)4 * OUTER) {
            const double first = (double)sample[OUTER], last = (double)sample[used - 1 - OUTER], most = last - first;
            const bool is_wide = most > 0.0 && high - low > FAR_WIDTHS * most;
            low = is_wide ? fmax(low, first - most) : low;
            high = is_wide ? fmin(high, last + most) : high;
        }
        width[axis] = high - low;
        if (bp_domain_is_set(domain)) {
            low = (double)domain->min[axis];
            high = (double)domain->max[axis];
        }
        space.origin[axis] = low <= high ? low : 0.0;
        space.edge = fmax(space.edge, high - low);
    }
    return space;
}
