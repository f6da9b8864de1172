#include "methods/octrees/tree_space.h"

enum {
    SAMPLE = 255,  // boxes that are looked at
    OUTER = 5,     // of them at either end that may be stragglers
    STRAGGLE = 64, // if they are farther away than so many times the width of the others
};

// The min coordinates of finite boxes at regular distances, in order. Returns how many there are.
static size_t sample_axis(const bp_box *boxes, size_t count, uint32_t dimensions, uint32_t axis, float sample[SAMPLE]) {
    size_t used = 0;
    for (size_t i = 0; i < count && used < SAMPLE; i += count / SAMPLE + 1) {
        if (!bp_tree_is_finite(&boxes[i], dimensions)) {
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
        if (width > 0.0 && max[axis] - min[axis] > STRAGGLE * width) {
            min[axis] = fmax(min[axis], low - width);
            max[axis] = fmin(max[axis], high + width);
        }
    }
}
