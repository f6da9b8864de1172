#include "plan/costs.h"

#include <math.h>

enum {
    ROWS = 3,
    COLUMNS = 8,
    FIRST = 32, // boxes of the first column,
    STEP = 4    // and each further one is for so many times as many
};

// The longest edge by the second longest: of the median box, or of one in eight.
static const double LONG = 4.0, THIN = 16.0;

// The share of the boxes that are together in tiny cells; how much more often than in even places two boxes are near
// each other.
static const double SCALES = 0.25, CLUMPS = 4.0;

// The longest edge along an axis by the mean one: as strips have it (strips.c).
static const double UNEVEN = 3.0;

// Others that a box meets in each row; and up to how many the line through the last two is followed.
static const double rows_met[ROWS] = {1.0, 4.0, 16.0}, MET_MOST = 64.0;

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

// What a row says for a number between its columns, or beyond them: the time of a whole search lies on a line there.
static double read_row(const double *row, double count) {
    int column = 0;
    double first = FIRST;
    for (; column < COLUMNS - 2 && count >= STEP * first; ++column) {
        first *= STEP;
    }
    if (row[column] == NEVER || row[column + 1] == NEVER) {
        return INFINITY;
    }
    const double begin = row[column] * first, end = row[column + 1] * STEP * first;
    const double whole = begin + (count - first) / (STEP * first - first) * (end - begin);
    return fmax(whole / count, 0.125 * row[column]);
}

double bp_cost(bp_use use, bp_kind kind, bp_method search, size_t count, double met) {
    const double wanted = kind == BP_KIND_SCALES ? rows_met[1] : fmin(fmax(met, rows_met[0]), MET_MOST);
    const size_t row = wanted < rows_met[1] ? 0 : 1;
    const double share = (wanted - rows_met[row]) / (rows_met[row + 1] - rows_met[row]);
    const double fewer = read_row(costs[use][kind][search][row], (double)count);
    const double more = read_row(costs[use][kind][search][row + 1], (double)count);
    if (isinf(fewer) || isinf(more)) {
        return share < 0.5 ? fewer : more;
    }
    return fmax(fewer + share * (more - fewer), 0.5 * fewer);
}
