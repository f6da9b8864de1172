#include "plan/costs.h"

#include <math.h>

enum {
    COLUMNS = 8,
    FIRST_POWER = 5, // the first column is for 2^5 boxes,
    STEP = 2         // each further one for 2^2 times as many
};

// Of the median box: the longest edge by the second longest.
static const double LONG = 4.0, THIN = 16.0;

// The share of the boxes that are together in tiny cells; how much more often than in even places two boxes are near
// each other.
static const double SCALES = 0.25, CLUMPS = 4.0;

// The longest edge along an axis by the mean one: as strips have it (strips.c).
static const double UNEVEN = 3.0;

#define NEVER 0.0
static const double costs[BP_USE_COUNT][BP_KIND_COUNT][BP_METHOD_STRIPS + 1][COLUMNS] = {
#include "plan/costs.inc"
};

bp_kind bp_kind_of(const bp_choice *facts, bool are_unlike) {
    return facts->infinite >= 0.5       ? BP_KIND_SIZES
           : facts->slenderness >= THIN ? BP_KIND_THIN
           : facts->together > SCALES   ? BP_KIND_SCALES
           : facts->slenderness >= LONG ? BP_KIND_LONG
           : facts->unevenness > UNEVEN ? BP_KIND_SIZES
           : facts->clumping > CLUMPS   ? BP_KIND_CLUMPS
           : are_unlike                 ? BP_KIND_SIZES
                                        : BP_KIND_ALIKE;
}

double bp_cost(bp_use use, bp_kind kind, bp_method search, size_t count) {
    const double *row = costs[use][kind][search];
    int power = 0;
    for (; count >> power > 1; ++power) {
    }
    const double fraction = (double)count / (double)((size_t)1 << power) - 1.0; // nearly that of the logarithm
    const double at = ((double)power + fraction - FIRST_POWER) / STEP;
    const int column = at < 0.0 ? 0 : at < COLUMNS - 2 ? (int)at : COLUMNS - 2;
    if (row[column] == NEVER || row[column + 1] == NEVER) {
        return INFINITY;
    }
    const double slope = row[column + 1] - row[column];
    return fmax(row[column] + (at - column) * slope, 0.125 * row[column]);
}
