// What each search costs, in nanoseconds a box. The plan compares these figures, and no others.
//
//     use       one call, an update of a world in which all have moved, or a search between two sets
//     facts     how many boxes there are, and what the survey says of them: eight numbers, most of them as logarithms
//     formula   the logarithm of the cost is a square form of the facts: 45 coefficients for each use and search
//
// `broadphase bench --suite calibrate` measures all searches on some twenty thousand sets of boxes that it draws itself, and fits the
// coefficients by least squares (costs.inc). Why formulas and not a table by kinds of boxes: most sets are mixtures, and a table has
// no row for them. With the same facts, choices by the formulas lose half as much time as choices by a table of 2,520 figures did.
//
// The same formulas hold for all instruction sets: the search decides in which order pairs are found, and the same boxes must give the
// same list on every machine. For the same reason logarithms here are made of exact steps, not by the C library.
#ifndef BP_COSTS_H
#define BP_COSTS_H

#include "plan/cost_facts.h"

typedef enum bp_use { BP_USE_CALL, BP_USE_WORLD, BP_USE_BETWEEN, BP_USE_COUNT } bp_use;

// The products of facts, by which coefficients are multiplied.
typedef struct bp_cost_terms {
    bp_use use;
    double facts[BP_COST_FACTS + 1]; // in standard deviations; one more for the tests of strips
    double terms[BP_COST_TERMS];
} bp_cost_terms;

bp_cost_terms bp_cost_terms_of(bp_use use, const bp_choice *facts, size_t count);

// `search`: strips, tree, hierarchical-grid or split.
double bp_cost(const bp_cost_terms *of, bp_method search);

// Of strips, once they are sorted: then it is known how many tests a box takes.
double bp_cost_of_sorted(const bp_cost_terms *of, double tests);

#endif
