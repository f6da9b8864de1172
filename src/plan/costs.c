#include "plan/costs.h"

#include <math.h>

enum {
    ROWS = 2, // few others are met, or many
    COLUMNS = 8,
    FIRST_POWER = 5, // the first column is for 2^5 boxes,
    STEP = 2         // each further one for 2^2 times as many
};

// The longest edge by the second longest: of the median box, or of one in eight.
static const double LONG = 4.0, THIN = 16.0;

// The share of the boxes that are together in tiny cells; how much more often than in even places two boxes are near
// each other.
static const double SCALES = 0.25, CLUMPS = 4.0;

// The longest edge along an axis by the mean one: as strips have it (strips.c).
static const double UNEVEN = 3.0;

// Others that a box meets in the two rows; and up to how many times their difference the line between them is followed.
static const double FEW_MET = 1.0, MANY_MET = 16.0, FARTHEST = 4.0;

#define NEVER 0.0
static const double costs[BP_USE_COUNT][BP_KIND_COUNT][BP_METHOD_STRIPS + 1][ROWS][COLUMNS] = {
#include "plan/costs.inc"
};

bp_kind bp_kind_of(const bp_choice *facts, bool are_unlike) {
    return facts->infinite >= 0.5       ? BP_KIND_SIZES
           : facts->slenderness >= THIN ? BP_KIND_THIN
           : facts->together > SCALES   ? BP_KIND_SCALES
           : facts->slenderness >= LONG ? BP_KIND_LONG
           : facts->unevenness > UNEVEN ? (facts->slenderness_most >= LONG ? BP_KIND_SHAPES : BP_KIND_SIZES)
           : facts->clumping > CLUMPS   ? BP_KIND_CLUMPS
           : are_unlike                 ? BP_KIND_SIZES
                                        : BP_KIND_ALIKE;
}

// What a row says at a place between its columns, or beyond them.
static double read_row(const double *row, double at) {
    const int column = at < 0.0 ? 0 : at < COLUMNS - 2 ? (int)at : COLUMNS - 2;
    if (row[column] == NEVER || row[column + 1] == NEVER) {
        return INFINITY;
    }
    return fmax(row[column] + (at - column) * (row[column + 1] - row[column]), 0.125 * row[column]);
}

double bp_cost(bp_use use, bp_kind kind, bp_method search, size_t count, double met) {
    int power = 0;
    for (; count >> power > 1; ++power) {
    }
    const double fraction = (double)count / (double)((size_t)1 << power) - 1.0; // nearly that of the logarithm
    const double at = ((double)power + fraction - FIRST_POWER) / STEP;
    const double few = read_row(costs[use][kind][search][0], at), many = read_row(costs[use][kind][search][1], at);
    const double share =
        kind == BP_KIND_SCALES ? 0.5 : fmin(fmax((met - FEW_MET) / (MANY_MET - FEW_MET), 0.0), FARTHEST);
    if (isinf(few) || isinf(many)) {
        return share < 0.5 ? few : many;
    }
    return fmax(few + share * (many - few), 0.5 * few);
}
