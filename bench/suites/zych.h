// The suite `zych`.
//
//     suite_zych.c     the experiments and their points
//     zych_point.c     one point: all contestants in Bullet, in turns; the length of an octree's lists
//     zych_tables.c    what was found, beside what Zych 2016 found
//     engine/zych_world.h    the world inside Bullet
#ifndef BENCH_ZYCH_H
#define BENCH_ZYCH_H

#include "core/bench.h"
#include "engine/zych_world.h"

// A contestant NAME has three rows: NAME, update and broad phase (its pairs are the possible collisions); NAME/narrow-phase
// (its pairs are the actual ones, its tests the possible ones); and NAME/detection, all of that.
#define NARROW_PHASE "/narrow-phase"
#define DETECTION "/detection"

// One value of one factor; all other factors have their standard value.
typedef struct zych_point {
    char label[NAME_SIZE - 16];
    zych_factors factors;
    const char *only; // these contestants, separated by spaces; NULL: all
    size_t warmups, repeats;
    double weight;
} zych_point;

// Adds the rows of a point. False: it failed, and that is counted.
bool zych_point_run(const bench_options *options, const zych_point *p, bench_session *session);

// How many objects, and in how many nodes, each level of a plain octree holds: a row each, the former as pairs and the
// latter as tests.
void zych_levels_run(const zych_point *p, bench_session *session);

// The six quantities of Zych 2016 for the rows from `first` on, which are those of one point.
void zych_table(FILE *file, const bench_rows *rows, size_t first);

// All points of each experiment side by side, and what Zych 2016 found.
void zych_summary(FILE *file, bench_session *session);

#endif
