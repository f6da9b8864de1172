#include "plan/costs.h"

static const double TEST = 0.28; // nanoseconds of a test, where there are more than the formula has seen

typedef struct formula {
    struct {
        double mean, scale; // of what was measured: its mean, and 1 / its standard deviation
    } facts[BP_COST_FACTS], tests;
    double costs[BP_METHOD_STRIPS + 1][BP_COST_TERMS]; // by search: log2 of nanoseconds a box
    double sorted[BP_SORTED_TERMS];                    // of sorted strips; the tests are one fact more
} formula;

static const formula formulas[BP_USE_COUNT] = {
#include "plan/costs.inc"
};

static double power(double logarithm) {
    const double whole = floor(logarithm);
    return ldexp(1.0 + logarithm - whole, (int)whole);
}

static double sum_up(const double *coefficients, const double *terms, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        sum += coefficients[i] * terms[i];
    }
    return power(sum);
}

bp_cost_terms bp_cost_terms_of(bp_use use, const bp_choice *facts, size_t count) {
    bp_cost_terms of = {.use = use};
    bp_cost_facts(facts, (double)count, of.facts);
    for (int i = 0; i < BP_COST_FACTS; ++i) {
        of.facts[i] = bp_cost_standard(of.facts[i], formulas[use].facts[i].mean, formulas[use].facts[i].scale);
    }
    (void)bp_cost_multiply(of.facts, BP_COST_FACTS, of.terms);
    return of;
}

double bp_cost(const bp_cost_terms *of, bp_method search) {
    return sum_up(formulas[of->use].costs[search], of->terms, BP_COST_TERMS);
}

double bp_cost_of_sorted(const bp_cost_terms *of, double tests) {
    const formula *f = &formulas[of->use];
    bp_cost_terms with_tests = *of;
    double terms[BP_SORTED_TERMS];
    with_tests.facts[BP_COST_FACTS] = bp_cost_standard(bp_cost_tests_fact(tests), f->tests.mean, f->tests.scale);
    (void)bp_cost_multiply(with_tests.facts, BP_COST_FACTS + 1, terms);
    return fmax(sum_up(f->sorted, terms, BP_SORTED_TERMS), TEST * tests);
}
