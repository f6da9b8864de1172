// Where to split: a sample of the boxes picks, over all axes, the plane that eliminates the most pairs.
#ifndef BP_SPLIT_PLANE_H
#define BP_SPLIT_PLANE_H

#include "kernels/kernels.h"

enum { SPLIT_SAMPLE_MAX = 256 };

// Some boxes of a set, in columns.
typedef struct split_sample {
    float min[3][SPLIT_SAMPLE_MAX + BP_COLUMN_PADDING];
    float negated_max[3][SPLIT_SAMPLE_MAX + BP_COLUMN_PADDING];
    size_t count;
} split_sample;

typedef struct split_plane {
    int axis; // -1: no plane eliminates any pair of the sample
    float at;
    double share;         // of the sampled pairs that it eliminates
    int sweep_axis;       // along which the fewest sampled pairs overlap,
    double overlap_share; // and their share
} split_plane;

// At most `most` boxes of a set: one at a random place in each of as many intervals. (Places at equal distances would
// all be alike in a scene that repeats itself.) The same seed gives the same sample.
void bp_split_sample_take(split_sample *sample, const bp_record_set *set, size_t most, uint32_t seed);

// The plane that eliminates the most pairs within a sample, or between two.
split_plane bp_split_plane_inside(const bp_kernels *kernels, uint32_t dimensions, const split_sample *sample);
split_plane bp_split_plane_between(const bp_kernels *kernels, uint32_t dimensions, const split_sample *a,
                                   const split_sample *b);

// The share of the pairs of two samples that overlap.
double bp_split_overlap_share(const split_sample *a, const split_sample *b);

// The share of the pairs of two samples that overlap along an axis.
double bp_split_axis_share(const bp_kernels *kernels, const split_sample *a, const split_sample *b, int axis);

#endif
