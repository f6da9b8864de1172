// Nearness: points, the cubes that methods get for them, and the test of the distance.
//
//     radius r     +-------+            points closer than r along every axis have cubes, with an edge of r, that
//                  |   .   |            touch: so methods find them, and some that are farther apart diagonally. The
//               +--+----+  |            distance of each pair that they find is computed here
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
    bool is_double; // which of the two arrays is set; the other is NULL
} bp_points;

// Checks that there is an array and that its count is in range; logs the error.
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

struct bp_point_images; // point_images.h

// The definition of a near pair of points.
typedef struct bp_nearness {
    const bp_overlap_rule *rule; // only its dimensions and period matter
    bp_radius_rule radius_rule;  // for different radii
    bp_points first, second;     // the same inside one set
    bp_radii radii;
    const struct bp_point_images *images; // if not NULL: a pair is (point, image id)
    bool by_larger; // a pair is (point in the cube, point of the cube), maybe found twice: the larger cube reports it
} bp_nearness;

// Moves the near pairs to the front and returns their number.
size_t bp_nearness_keep(const bp_nearness *nearness, bp_pair *pairs, size_t count);

// The cubes of a set. All zero is empty.
typedef struct bp_cubes {
    bp_input input;
    bp_buffer buffer; // memory of the cubes
} bp_cubes;

// Makes a cube around each point, which must be finite. It reaches `share` times the radius to each side, and as much
// further as rounding may need. Cubes of near points touch if the shares are 1/2 and 1/2 (for the same or the smaller
// radius), 1 and 1 (for the sum), or 0 and 1 (points in cubes: for the larger radius, which is that of the cube).
bp_status bp_cubes_make(bp_cubes *cubes, const bp_overlap_rule *rule, const bp_runtime *runtime, bp_points points,
                        const bp_radii *radii, double share);

// The rule for a view of such cubes: boxes as they are, and no period along an axis where the radius is so long that
// all points are within it. Cubes are flat along such an axis, which is cheaper than having images of them all.
bp_overlap_rule bp_cubes_rule(const bp_overlap_rule *rule, const bp_radii *radii);

#endif
