#include "literature/octrees/tree_space.h"

#include "base/boxes.h"

enum {
    SAMPLE = 255,   // boxes that are sampled
    OUTER = 5,      // of these, at either end, that may be far away from the others,
    FAR_WIDTHS = 64 // by this many times the width of the others
};

bp_tree_space bp_tree_space_around(const double min[3], const double max[3], uint32_t dimensions) {
    bp_tree_space space = {.edge = (double)FLT_MIN, .dimensions = dimensions};
    for (uint32_t axis = 0; axis < 3 && axis < dimensions; ++axis) {
        space.origin[axis] = min[axis] <= max[axis] ? min[axis] : 0.0;
        space.edge = fmax(space.edge, max[axis] - min[axis]);
    }
    return space;
}

bp_tree_space bp_tree_space_of_domain(const bp_box *domain, uint32_t dimensions) {
    double min[3], max[3];
    for (int axis = 0; axis < 3; ++axis) {
        min[axis] = (double)domain->min[axis];
        max[axis] = (double)domain->max[axis];
    }
    return bp_tree_space_around(min, max, dimensions);
}

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

void bp_tree_trim(const bp_box *boxes, size_t count, uint32_t dimensions, double min[3], double max[3]) {
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        float sample[SAMPLE];
        const size_t used = sample_axis(boxes, count, dimensions, axis, sample);
        if (used <= (size_t)4 * OUTER) {
            continue;
        }
        const double low = (double)sample[OUTER], high = (double)sample[used - 1 - OUTER], width = high - low;
        if (width > 0.0 && max[axis] - min[axis] > FAR_WIDTHS * width) {
            min[axis] = fmax(min[axis], low - width);
            max[axis] = fmin(max[axis], high + width);
        }
    }
}
