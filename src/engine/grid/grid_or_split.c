// A grid looks at space, split at boxes. Boxes on a surface (the triangles of a mesh, cloth, a terrain) leave most of
// space empty and crowd the rest, in sizes that vary from place to place: a grid needs many levels, and its boxes look at
// many rows in which there is nothing. Split needs no cells, and few boxes of a surface lie across a plane.
//
// Measured, 10^4 to 10^6 boxes, time of the grid / time of split, and the cost that is foreseen:
//
//     uniform, mixed, long, sparse, inhomogeneous     0.4 to 0.8      4 to 15
//     dense boxes, 15 to 600 pairs each               0.4 to 1.0      12 to 540
//     cloth, cloth on a body, terrain                 1.3 to 3.1      23 to 60
//     scans                                           2.6 to 4.2      27 to 53
//
// So a high cost alone is not enough: dense boxes have it too, because of their pairs. What tells them apart is how many
// pairs there would be if the same boxes were spread evenly over the same space: on a surface, few.
#include "engine/grid/grid_or_split.h"

#include "base/boxes.h"
#include "base/pair_sink.h"
#include "base/sample.h"

#include <math.h>

enum {
    SAMPLE_LEAST = 160,
    SAMPLE_MOST = 512,
    SURFACE_LEAST = 512 // boxes: with fewer, a few that are large make any plan costly
};

// In units of one vector test: what an object may cost, and what a pair of it pays for; whatever the boxes are like, and
// if they are on a surface.
static const double COSTLY = 40.0, PAID = BP_TESTS_PAID / 8.0;
static const double COSTLY_ON_SURFACE = 16.0, PAID_ON_SURFACE = 0.5;

static const double FEW = 3.0; // pairs of an object

// Infinite boxes and holes are left out.
typedef struct box_sample {
    bp_box boxes[SAMPLE_MOST];
    size_t count;
    double scale; // boxes in all for each of the sample
} box_sample;

// Large enough to see one pair for each object.
static size_t sample_size(size_t count) {
    const size_t wanted = (size_t)sqrt(2.0 * (double)count);
    const size_t most = wanted < SAMPLE_LEAST ? SAMPLE_LEAST : wanted > SAMPLE_MOST ? SAMPLE_MOST : wanted;
    return most < count ? most : count;
}

static void take_sample(box_sample *s, const bp_box *boxes, size_t count, uint32_t dimensions) {
    const size_t wanted = sample_size(count);
    s->count = 0;
    s->scale = (double)count / (double)wanted;
    for (size_t i = 0; i < wanted; ++i) {
        const bp_box *box = &boxes[bp_sample_place(count, i, wanted)];
        s->boxes[s->count] = *box;
        s->count += !bp_box_is_hole(box) && bp_box_is_finite(box, dimensions);
    }
}

// How many pairs a box has, about: from all pairs of the sample.
static double pairs_of(const box_sample *s, uint32_t dimensions) {
    size_t pairs = 0;
    for (size_t i = 0; i < s->count; ++i) {
        for (size_t j = 0; j < i; ++j) {
            pairs += bp_boxes_overlap(&s->boxes[i], &s->boxes[j], dimensions);
        }
    }
    return s->count > 0 ? s->scale * (double)pairs / (double)s->count : 0.0;
}

// How many it would have if all were spread evenly.
static double pairs_if_even(const box_sample *s, uint32_t dimensions) {
    double pairs = 0.5 * s->scale * (double)s->count;
    for (uint32_t axis = 0; axis < dimensions && s->count > 0; ++axis) {
        double low = INFINITY, high = -INFINITY, edges = 0.0;
        for (size_t i = 0; i < s->count; ++i) {
            low = fmin(low, (double)s->boxes[i].min[axis]);
            high = fmax(high, (double)s->boxes[i].max[axis]);
            edges += (double)s->boxes[i].max[axis] - (double)s->boxes[i].min[axis];
        }
        const double both = 2.0 * edges / (double)s->count;
        pairs *= both < high - low ? both / (high - low) : 1.0;
    }
    return pairs;
}

bool bp_split_is_better(double cost, const bp_box *boxes, size_t count, uint32_t dimensions) {
    box_sample s;
    if (cost < (count < SURFACE_LEAST ? COSTLY : COSTLY_ON_SURFACE)) {
        return false;
    }
    take_sample(&s, boxes, count, dimensions);
    const double pairs = pairs_of(&s, dimensions);
    return cost > COSTLY + PAID * pairs ||
           (count >= SURFACE_LEAST && cost > COSTLY_ON_SURFACE + PAID_ON_SURFACE * pairs &&
            pairs_if_even(&s, dimensions) < FEW);
}
