// Nearness: points, the cubes that methods see of them, and the distance that decides.
//
//     radius r     +-------+            points closer than r along every axis have cubes, with an edge of r, that
//                  |   .   |            touch: so methods find them, and some that are farther apart across; of each
//               +--+----+  |            pair that they find the distance is computed, here
//               |  | .  |  |
//               |  +----+--+
//               +-------+
#ifndef BP_NEARNESS_H
#define BP_NEARNESS_H

#include "base/memory.h"
#include "view/input.h"

// x, y, z one after the other.
typedef struct bp_points {
    const float *floats;
    const double *doubles;
    size_t count;
    bool is_double; // which of the two arrays was given; the other is NULL
} bp_points;

// Whether the array is there and its count in range; logs what is wrong.
bp_status bp_points_check(const bp_points *points, const bp_log *log);

// One for each point, or, if both are NULL, the same for all.
typedef struct bp_radii {
    const float *floats;
    const double *doubles;
    double same;
} bp_radii;

static inline double bp_radius_of(const bp_radii *radii, size_t point) {
    return radii->floats != NULL    ? (double)radii->floats[point]
           : radii->doubles != NULL ? radii->doubles[point]
                                    : radii->same;
}

// Which pairs of points are near each other.
typedef struct bp_nearness {
    const bp_overlap_rule *rule; // dimensions and period count
    bp_radius_rule radius_rule;  // where radii differ
    bp_points first, second;     // the same inside one set
    bp_radii radii;
    bool by_larger; // a pair comes as (point in the cube, point of the cube), maybe twice: the larger cube counts
} bp_nearness;

// Moves the pairs that are near to the front and returns how many they are.
size_t bp_nearness_keep(const bp_nearness *nearness, bp_pair *pairs, size_t count);

// The cubes of a set. All zero is empty.
typedef struct bp_cubes {
    bp_input input;
    bp_buffer buffer; // where they are
} bp_cubes;

// Makes a cube around each point, which must be finite. It reaches `share` times the radius to each side, and as much
// further as rounding may need. Cubes of near points touch if the shares are 1/2 and 1/2 (for the same or the smaller
// radius), 1 and 1 (for the sum), or 0 and 1 (points in cubes: for the larger radius, which is that of the cube).
bp_status bp_cubes_make(bp_cubes *cubes, const bp_overlap_rule *rule, const bp_runtime *runtime, bp_points points,
                        const bp_radii *radii, double share);

// The rule for a view of such cubes: boxes as they are, and no period along an axis where the radius is so long that all
// points are within it. Cubes lie flat along such an axis, which is cheaper than images of them all.
bp_overlap_rule bp_cubes_rule(const bp_overlap_rule *rule, const bp_radii *radii);

#endif
