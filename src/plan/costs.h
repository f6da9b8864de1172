// The table of costs: what each search takes for boxes of each kind, in nanoseconds a box. The plan compares these figures, and no
// others. `broadphase bench --suite calibrate` measures them, on boxes that it draws itself.
//
//     use       one call, an update of a world in which all have moved, or a search between two sets
//     kind      what the boxes are like, by the facts of a survey (survey.h)
//     count     from 32 to 2^19, in steps of four times; in between, and beyond, the time of a whole search lies on a line
//     met       how many others a box meets: of each search there are rows for 1, 4 and 16, and lines between them
//
// One table for all instruction sets, measured with AVX-512: the search decides in which order pairs are found, and the same boxes
// must give the same list on every machine.
#ifndef BP_COSTS_H
#define BP_COSTS_H

#include <broadphase/broadphase_tune.h>

#include <stdbool.h>

typedef enum bp_use { BP_USE_CALL, BP_USE_WORLD, BP_USE_BETWEEN, BP_USE_COUNT } bp_use;

typedef enum bp_kind {
    BP_KIND_ALIKE,  // of similar sizes, spread evenly
    BP_KIND_LONG,   // several times as long as wide
    BP_KIND_THIN,   // and many times: they overlap each other in any order of places
    BP_KIND_SIZES,  // over several octaves, or infinite
    BP_KIND_SHAPES, // and some of them are several times as long as wide
    BP_KIND_CLUMPS, // alike, and crowded in parts of the space
    BP_KIND_SCALES, // places over many scales: many boxes are in one cell of a curve
    BP_KIND_COUNT
} bp_kind;

// `are_unlike`: strips have looked at all of them, and found sizes that a sample did not.
bp_kind bp_kind_of(const bp_choice *facts, bool are_unlike);

// Infinite: the search is out of the question.
double bp_cost(bp_use use, bp_kind kind, bp_method search, size_t count, double met);

#endif
