// The shapes of objects, for the narrow phase: convex, rotated at random, inside the box of the object.
//
//     kind       half[0]   half[1]   half[2]                  its own axes are the rows of `axes`
//     box        extents along its own axes
//     sphere     radius
//     cylinder   radius              half of its height       around its third axis
//     cone       radius              half of its height       the tip is at +half[2], the base at -half[2]
//     capsule    radius              half of its core         all points within the radius of the core
#ifndef BENCH_SHAPES_H
#define BENCH_SHAPES_H

#include <broadphase/broadphase.h>
#include <random.h>

typedef enum shape_kind {
    SHAPE_BOX,
    SHAPE_SPHERE,
    SHAPE_CYLINDER,
    SHAPE_CONE,
    SHAPE_CAPSULE,
    SHAPE_CONVEX_KINDS,
    SHAPE_COMPOUND = SHAPE_CONVEX_KINDS, // several of the above
    SHAPE_ANY,                           // one of the above except compounds, at random
    SHAPE_KINDS
} shape_kind;

const char *shape_name(shape_kind kind);

typedef struct convex {
    shape_kind kind;
    double half[3];
    double axes[3][3]; // of length 1, at right angles
    double center[3];
} convex;

enum { COMPOUND_PARTS = 9, MAX_PARTS = COMPOUND_PARTS };

// The point of a shape that is farthest in a direction of any length but zero.
void convex_support(const convex *shape, const double direction[3], double point[3]);

// No point of a shape is farther from its centre.
double convex_reach(const convex *shape);

// Makes a shape of any kind, around the origin, from sizes that are drawn for each dimension by itself; returns the
// number of its parts.
size_t shape_draw(shape_kind kind, const beta_distribution *sizes, rng *random, convex parts[MAX_PARTS]);

// Scales and moves a shape: its bounds then have the centre of `box` and, along at least one axis, its extent, less a
// little for the rounding of boxes that move.
void shape_fit(convex *parts, size_t count, const bp_box *box);

#endif
