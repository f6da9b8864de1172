#include "engine/split/split_plane.h"

static uint32_t hash_of(uint32_t value) {
    value = (value ^ value >> 16) * 0x85ebca6bu;
    value = (value ^ value >> 13) * 0xc2b2ae35u;
    return value ^ value >> 16;
}

void bp_split_sample_take(split_sample *sample, const bp_record_set *set, size_t most, uint32_t seed) {
    const bool all = set->count <= most;
    sample->count = all ? set->count : most;
    for (size_t i = 0; i < sample->count; ++i) {
        const uint64_t jitter = (uint64_t)(hash_of(seed + (uint32_t)i) >> 8) * set->count >> 24; // below set->count
        const bp_record *record = &set->data[all ? i : (size_t)((i * (uint64_t)set->count + jitter) / most)];
        for (int axis = 0; axis < 3; ++axis) {
            sample->min[axis][i] = record->min[axis];
            sample->negated_max[axis][i] = record->negated_max[axis];
        }
    }
    for (size_t i = sample->count; i < sample->count + BP_COLUMN_PADDING; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            sample->min[axis][i] = NAN;
            sample->negated_max[axis][i] = NAN;
        }
    }
}

// How many boxes of a sample lie before and behind each of some planes.
typedef struct side_counts {
    uint32_t before[SPLIT_SAMPLE_MAX], behind[SPLIT_SAMPLE_MAX];
} side_counts;

static void count_sides(const bp_kernels *kernels, const split_sample *sample, uint32_t axis, const float *planes,
                        size_t count, side_counts *sides) {
    kernels->count_sides(sample->min[axis], sample->negated_max[axis], sample->count, planes, count, sides->before,
                         sides->behind);
}

// Notes the axis along which a sweep tests the fewest pairs.
static void note_axis(split_plane *plane, uint32_t axis, uint64_t separate, double all) {
    const double overlapping = 1.0 - (double)separate / all;
    if (axis == 0 || overlapping < plane->overlap_share) {
        plane->sweep_axis = (int)axis;
        plane->overlap_share = overlapping;
    }
}

static void note_plane(split_plane *plane, uint32_t axis, float at, uint32_t eliminated, uint32_t *most) {
    if (eliminated > *most) {
        *most = eliminated;
        plane->axis = (int)axis;
        plane->at = at;
    }
}

split_plane bp_split_plane_inside(const bp_kernels *kernels, uint32_t dimensions, const split_sample *sample) {
    const double all = 0.5 * (double)sample->count * (double)(sample->count - 1);
    split_plane plane = {.axis = -1};
    uint32_t most = 0;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        side_counts sides;
        uint64_t separate = 0;
        count_sides(kernels, sample, axis, sample->min[axis], sample->count, &sides);
        for (size_t i = 0; i < sample->count; ++i) {
            note_plane(&plane, axis, sample->min[axis][i], sides.before[i] * sides.behind[i], &most);
            separate += sides.before[i];
        }
        note_axis(&plane, axis, separate, all);
    }
    plane.share = (double)most / all;
    return plane;
}

split_plane bp_split_plane_between(const bp_kernels *kernels, uint32_t dimensions, const split_sample *a,
                                   const split_sample *b) {
    const double all = (double)a->count * (double)b->count;
    split_plane plane = {.axis = -1};
    uint32_t most = 0;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        uint64_t separate = 0;
        for (int of_b = 0; of_b < 2; ++of_b) {
            const split_sample *source = of_b ? b : a;
            side_counts a_sides, b_sides;
            count_sides(kernels, a, axis, source->min[axis], source->count, &a_sides);
            count_sides(kernels, b, axis, source->min[axis], source->count, &b_sides);
            for (size_t i = 0; i < source->count; ++i) {
                note_plane(&plane, axis, source->min[axis][i],
                           a_sides.before[i] * b_sides.behind[i] + a_sides.behind[i] * b_sides.before[i], &most);
                separate += of_b ? a_sides.before[i] : b_sides.before[i];
            }
        }
        note_axis(&plane, axis, separate, all);
    }
    plane.share = (double)most / all;
    return plane;
}

double bp_split_axis_share(const bp_kernels *kernels, const split_sample *a, const split_sample *b, int axis) {
    side_counts a_sides, b_sides;
    size_t separate = 0;
    count_sides(kernels, a, (uint32_t)axis, b->min[axis], b->count, &a_sides);
    count_sides(kernels, b, (uint32_t)axis, a->min[axis], a->count, &b_sides);
    for (size_t i = 0; i < b->count; ++i) {
        separate += a_sides.before[i];
    }
    for (size_t i = 0; i < a->count; ++i) {
        separate += b_sides.before[i];
    }
    return 1.0 - (double)separate / ((double)a->count * (double)b->count);
}

double bp_split_overlap_share(const split_sample *a, const split_sample *b) {
    size_t overlapping = 0;
    for (size_t i = 0; i < a->count; ++i) {
        for (size_t j = 0; j < b->count; ++j) {
            bool overlap = true;
            for (int axis = 0; axis < 3; ++axis) {
                overlap &= a->min[axis][i] <= -b->negated_max[axis][j];
                overlap &= b->min[axis][j] <= -a->negated_max[axis][i];
            }
            overlapping += overlap;
        }
    }
    return (double)overlapping / ((double)a->count * (double)b->count);
}
