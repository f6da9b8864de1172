// The facts by which costs are foreseen (costs.h), and their products. The benchmark's suite `calibrate`, which fits the formulas,
// includes this file, too: so both mean the same.
#ifndef BP_COST_FACTS_H
#define BP_COST_FACTS_H

#include <broadphase/broadphase_tune.h>

#include <math.h>

enum { BP_COST_FACTS = 8, BP_COST_TERMS = 45, BP_SORTED_TERMS = 55 };

// The binary logarithm, along lines between powers of two: at most 0.09 too small, and the same on every machine.
static inline double bp_cost_logarithm(double x) {
    int exponent;
    const double part = frexp(x, &exponent);
    return (double)(exponent - 2) + 2.0 * part;
}

static inline void bp_cost_facts(const bp_choice *choice, double count, double facts[BP_COST_FACTS]) {
    facts[0] = bp_cost_logarithm(count);
    facts[1] = bp_cost_logarithm(choice->met + 0.25);
    facts[2] = bp_cost_logarithm(fmax(choice->slenderness, 1.0));
    facts[3] = choice->flatness;
    facts[4] = choice->together;
    facts[5] = bp_cost_logarithm(fmin(fmax(choice->unevenness, 1.0), 256.0));
    facts[6] = bp_cost_logarithm(choice->clumping + 0.125);
    facts[7] = choice->infinite;
}

// Of sorted strips: one fact more.
static inline double bp_cost_tests_fact(double tests) {
    return bp_cost_logarithm(tests + 1.0);
}

// In standard deviations; those beyond three count as three. `scale`: 1 / the standard deviation.
static inline double bp_cost_standard(double fact, double mean, double scale) {
    return fmin(fmax((fact - mean) * scale, -3.0), 3.0);
}

// 1, each fact, and each product of two. Returns how many there are.
static inline int bp_cost_multiply(const double *facts, int count, double *terms) {
    int used = count + 1;
    terms[0] = 1.0;
    for (int i = 0; i < count; ++i) {
        terms[i + 1] = facts[i];
        for (int k = i; k < count; ++k) {
            terms[used++] = facts[i] * facts[k];
        }
    }
    return used;
}

#endif
