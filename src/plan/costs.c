#include "plan/costs.h"

#include <math.h>

static const double WITHIN = 3.0; // standard deviations: beyond that, facts count as being there
static const double TEST = 0.28;  // nanoseconds of a test, where there are more than the formula has seen

typedef struct formula {
    struct {
        double mean, scale; // of the facts that were measured: their mean, and 1 / their standard deviation
    } facts[BP_COST_FACTS];
    double costs[BP_METHOD_STRIPS + 1][BP_COST_TERMS]; // by search: log2 of nanoseconds a box
    struct {
        double mean, scale;
    } sorted_facts[BP_SORTED_FACTS];
    double sorted[BP_SORTED_TERMS];
} formula;

static const formula formulas[BP_USE_COUNT] = {
#include "plan/costs.inc"
};

// The binary logarithm, along lines between powers of two: at most 0.09 too small.
static double logarithm(double x) {
    int exponent;
    const double part = frexp(x, &exponent);
    return (double)(exponent - 2) + 2.0 * part;
}

static double power(double logarithm) {
    const double whole = floor(logarithm);
    return ldexp(1.0 + logarithm - whole, (int)whole);
}

static double standard(double fact, double mean, double scale) {
    return fmin(fmax((fact - mean) * scale, -WITHIN), WITHIN);
}

// 1, each fact, and each product of two.
static void multiply(const double *facts, int count, double *terms) {
    int used = count + 1;
    terms[0] = 1.0;
    for (int i = 0; i < count; ++i) {
        terms[i + 1] = facts[i];
        for (int k = i; k < count; ++k) {
            terms[used++] = facts[i] * facts[k];
        }
    }
}

static double sum_up(const double *coefficients, const double *terms, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        sum += coefficients[i] * terms[i];
    }
    return power(sum);
}

bp_cost_terms bp_cost_terms_of(bp_use use, const bp_choice *facts, size_t count) {
    double all[BP_COST_FACTS] = {logarithm((double)count),
                                 logarithm(facts->met + 0.25),
                                 logarithm(fmax(facts->slenderness, 1.0)),
                                 facts->together,
                                 logarithm(fmin(fmax(facts->unevenness, 1.0), 256.0)),
                                 logarithm(facts->clumping + 0.125),
                                 facts->infinite};
    bp_cost_terms of = {.use = use};
    for (int i = 0; i < BP_COST_FACTS; ++i) {
        all[i] = standard(all[i], formulas[use].facts[i].mean, formulas[use].facts[i].scale);
    }
    multiply(all, BP_COST_FACTS, of.terms);
    return of;
}

double bp_cost(const bp_cost_terms *of, bp_method search) {
    return sum_up(formulas[of->use].costs[search], of->terms, BP_COST_TERMS);
}

double bp_cost_of_sorted(bp_use use, double met, double tests, size_t count) {
    double all[BP_SORTED_FACTS] = {logarithm((double)count), logarithm(met + 0.25), logarithm(tests + 1.0)};
    double terms[BP_SORTED_TERMS];
    for (int i = 0; i < BP_SORTED_FACTS; ++i) {
        all[i] = standard(all[i], formulas[use].sorted_facts[i].mean, formulas[use].sorted_facts[i].scale);
    }
    multiply(all, BP_SORTED_FACTS, terms);
    return fmax(sum_up(formulas[use].sorted, terms, BP_SORTED_TERMS), TEST * tests);
}
