// The suite `zych`.
//
//     suite_zych.c     the experiments and their points; broad phases and narrow phase
//     zych_tables.c    what was found, beside what Zych 2016 found
//     narrow.c         the narrow phase, by libccd
//     shapes.c         the shapes of objects
#ifndef BENCH_ZYCH_H
#define BENCH_ZYCH_H

#include "core/bench.h"

// The method column of the narrow phase's row: its pairs are the actual collisions, its tests the possible ones.
#define NARROW_PHASE "narrow-phase"

// The six quantities of Zych 2016 for the rows from `first` on, which are those of one point.
void zych_table(FILE *file, const bench_rows *rows, size_t first);

// All points of each experiment side by side, and what Zych 2016 found.
void zych_summary(FILE *file, bench_session *session);

#endif
