// Verdicts are computed: predicates over figures, and what the committed results say of the literature.
#include "report/report_claims.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// ---------------------------------------------------------------------------------------------------------------------
// Points made here

static void add_series(chart_data *points, const char *label, size_t count, const chart_point *values) {
    chart_series *series = &points->series[points->series_count++];
    snprintf(series->label, sizeof series->label, "%s", label);
    memcpy(series->points, values, count * sizeof *values);
    series->count = count;
}

// Two selections: lines over n, and a row of categories.
static figure_source make_points(void) {
    static chart_data lines, dots;
    static const chart_data *const selections[] = {&lines, &dots};
    lines.series_count = dots.series_count = 0;
    add_series(&lines, "grid", 4, (chart_point[]){{10, 20}, {100, 200}, {1000, 2000}, {10000, 40000}});
    add_series(&lines, "all pairs", 3, (chart_point[]){{10, 1}, {100, 100}, {1000, 10000}});
    add_series(&lines, "bumpy", 4, (chart_point[]){{1, 4}, {2, 2}, {3, 3}, {4, 1}});
    dots.category_count = 2;
    snprintf(dots.categories[0], sizeof dots.categories[0], "octree depth=8");
    snprintf(dots.categories[1], sizeof dots.categories[1], "sweep");
    add_series(&dots, "cubes", 2, (chart_point[]){{0, 3}, {1, 12}});
    return (figure_source){selections, 2};
}

static void expect(const char *predicate, bool expected) {
    const figure_source source = make_points();
    bool holds, measured;
    failure why;
    if (!claim_holds(&source, predicate, &holds, &measured, &why)) fail_msg("'%s': %s", predicate, why.text);
    if (!measured) fail_msg("'%s' has figures that are not measured", predicate);
    if (holds != expected) fail_msg("'%s' %s", predicate, holds ? "holds" : "does not hold");
}

static void test_figures_in_predicates(void **state) {
    (void)state;
    expect("{exponent|grid|10|1000} ~1% 1", true);
    expect("{exponent|all pairs} ~1% 2", true);
    expect("{exponent|grid} < {exponent|all pairs}", true);
    expect("{ratio|all pairs|grid} >= 0.05; {ratio|all pairs|grid} <= 5", true);
    expect("{ratio|all pairs|grid} > 1", false); // not at every x
    expect("{ratio|all pairs|grid|1000} ~0% 5", true);
    expect("{last-ratio|all pairs|grid} >= 5", true);
    expect("{mean-ratio|all pairs|grid} ~1% 0.5", true);
    expect("{at|grid|100} >= 200; {at|grid|100} <= 200", true);
    expect("{first|grid} < {last|grid}; {growth|grid} >= 2000", true);
    expect("{times|grid|10} >= 10; {times|grid|10} <= 20; {times|grid|1000} ~0% 2000", true);
    expect("{times|grid|100} ~0% 100", false); // from 10 on, but not from 100 on
    expect("{high|bumpy} ~0% 4; {low|bumpy} ~0% 1; {spread|bumpy} ~0% 4", true);
    expect("{high-at|bumpy} ~0% 1; {low-at|bumpy} ~0% 4", true);
    expect("{falls|bumpy} ~1% 0.6667; {rises|bumpy} ~1% 0.3333", true);
    expect("{rises|grid} >= 1; {falls|grid} <= 0", true);
    expect("{place|grid|1000} <= 1; {place|all pairs} >= 2", true);
    expect("{cross|all pairs|grid} ~0% 1000", true);
    expect("{range|bumpy} >= 1", true);
    expect("{range|bumpy} > 1", false);
    expect("{count} >= 11", true);
}

static void test_categories_and_selections(void **state) {
    (void)state;
    expect("{2:at|cubes|sweep} ~0% 12", true);
    expect("{2:at|cubes|octree*} ~0% 3; {2:margin|octree*} >= 4; {2:beside|sweep} >= 4", true);
    expect("{2:at|cubes|sweep} > {1:at|grid|10}", false);
}

static void test_tolerance(void **state) {
    (void)state;
    expect("105 ~10% 100; 95 ~10% 100", true);
    expect("111 ~10% 100", false);
    expect("89 ~10% 100", false);
    expect("-1 < 0; 1e3 <= 1000; 1e3 >= 1000", true);
    expect("1 < 1", false);
    expect("1 > 1", false);
    expect("", true);
}

static void test_a_missing_figure_is_no_verdict(void **state) {
    (void)state;
    static const char *const MISSING[] = {"{exponent|nobody} < 2", "1 < 2; {at|grid|11} > 0", "{cross|grid|bumpy} > 0",
                                          "{growth|nobody} >= 0"};
    for (size_t i = 0; i < sizeof MISSING / sizeof *MISSING; i++) {
        const figure_source source = make_points();
        bool holds, measured;
        failure why;
        assert_true(claim_holds(&source, MISSING[i], &holds, &measured, &why));
        assert_false(measured);
        assert_false(holds);
    }
}

static void test_a_predicate_that_cannot_be_read(void **state) {
    (void)state;
    static const struct {
        const char *predicate, *message;
    } WRONG[] = {
        {"{exponnent|grid} < 2", "expected a figure of report_figures.c"},
        {"{3:exponent|grid} < 2", "one of the claim's selections"},
        {"{exponent|grid < 2", "expected a '}'"},
        {"{exponent|grid} = 2", "expected <, <=, >, >= or ~10%, found '= 2'"},
        {"{exponent|grid} ~ 2", "expected <, <=, >, >= or ~10%"},
        {"{exponent|grid} < two", "expected a number or a figure in braces, found 'two'"},
        {"1 < 2 and 2 < 3", "expected a ';' or the end, found 'and 2 < 3'"},
    };
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        const figure_source source = make_points();
        bool holds, measured;
        failure why;
        assert_false(claim_holds(&source, WRONG[i].predicate, &holds, &measured, &why));
        if (strstr(why.text, WRONG[i].message) == NULL) fail_msg("'%s': %s", WRONG[i].predicate, why.text);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Verdicts over rows

static char *folders[] = {(char[]){BENCH_RESULTS "/zen4-2-cores"}, (char[]){BENCH_RESULTS "/xeon-2-cores"},
                          (char[]){BENCH_RESULTS "/xeon-16-cores"}, (char[]){BENCH_RESULTS "/h200"}};
enum { FOLDER_COUNT = sizeof folders / sizeof *folders };

static const report_work TEST_WORK = {.name = "a test"};

static claim_result judge(const report_data *data, const report_claim *claim) {
    claim_result result;
    failure why;
    if (!claim_judge(&TEST_WORK, claim, data, folders, FOLDER_COUNT, &result, &why)) fail_msg("%s", why.text);
    return result;
}

static report_data read_results(void) {
    report_data data = {0};
    failure why;
    if (!report_data_read(&data, folders, FOLDER_COUNT, &why)) fail_msg("%s", why.text);
    return data;
}

static void test_verdicts(void **state) {
    (void)state;
    report_data data = read_results();
    report_claim claim = {
        .figures = "Fig. 1",
        .chart = "schornbaum-scaling",
        .rows = {{.suite = "schornbaum",
                  .experiment = "scaling",
                  .where = "scene=uniform",
                  .x = "n",
                  .y = "tests",
                  .series = "name"}},
        .agrees = "{exponent|brute-force uniform} ~10% 2; {2:at|brute-force|1000} ~0% 499500",
        .ours = "All pairs grow as n to the power of {exponent|brute-force uniform}.",
        .reason = "It is {exponent|brute-force uniform}.",
    };
    claim_result result = judge(&data, &claim);
    assert_int_equal(result.verdict, VERDICT_AGREES);
    assert_string_equal(result.reason, "");
    assert_ptr_equal(strstr(result.ours, "All pairs grow as n to the power of "), result.ours);
    assert_string_equal(result.folder, folders[1]); // the first that has such rows

    claim.agrees = "{exponent|brute-force uniform} < 1";
    claim.direction = "{exponent|brute-force uniform} < 3";
    assert_int_equal(judge(&data, &claim).verdict, VERDICT_DIRECTION);

    claim.direction = NULL;
    result = judge(&data, &claim);
    assert_int_equal(result.verdict, VERDICT_DIFFERS);
    assert_int_equal(result.in_reason.all, 1);
    assert_int_equal(result.in_reason.missing, 0);

    claim.ours = "{exponent|nobody}";
    result = judge(&data, &claim);
    assert_int_equal(result.verdict, VERDICT_NOT_MEASURED);
    assert_null(result.folder);
    report_data_free(&data);
}

static bool lists(const char *figures, const char *wanted) {
    char figure[REPORT_TEXT];
    for (const char *place = figures; claim_next_figure(&place, figure);) {
        if (strcmp(figure, wanted) == 0) return true;
    }
    return false;
}

static void check_claim(const report_work *work, const report_claim *claim, const report_data *data) {
    claim_result result;
    failure why;
    if (!claim_judge(work, claim, data, folders, FOLDER_COUNT, &result, &why)) fail_msg("%s", why.text);
    if (result.verdict == VERDICT_NOT_MEASURED) fail_msg("%s, %s: not measured", work->name, claim->figures);
    if (result.verdict == VERDICT_DIFFERS && (result.in_reason.all == 0 || result.in_reason.missing > 0)) {
        fail_msg("%s, %s differs, and no reason with figures is given: '%s'", work->name, claim->figures,
                 result.reason);
    }
    char figure[REPORT_TEXT];
    for (const char *place = claim->figures; claim_next_figure(&place, figure);) {
        if (!lists(work->figures, figure)) fail_msg("%s: %s is in no list", work->name, figure);
    }
}

static void test_claims_of_the_committed_results(void **state) {
    (void)state;
    report_data data = read_results();
    for (size_t i = 0; i < REPORT_WORK_COUNT; i++) {
        const report_work *work = REPORT_WORKS[i];
        for (size_t k = 0; k < work->claim_count; k++) check_claim(work, &work->claims[k], &data);
    }
    report_data_free(&data);
}

static void test_every_figure_has_a_verdict(void **state) {
    (void)state;
    for (size_t i = 0; i < REPORT_WORK_COUNT; i++) {
        char figure[REPORT_TEXT];
        for (const char *place = REPORT_WORKS[i]->figures; claim_next_figure(&place, figure);) {
            if (claim_about(REPORT_WORKS[i], figure) == NULL)
                fail_msg("%s: no claim about %s", REPORT_WORKS[i]->name, figure);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures_in_predicates),
        cmocka_unit_test(test_categories_and_selections),
        cmocka_unit_test(test_tolerance),
        cmocka_unit_test(test_a_missing_figure_is_no_verdict),
        cmocka_unit_test(test_a_predicate_that_cannot_be_read),
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_claims_of_the_committed_results),
        cmocka_unit_test(test_every_figure_has_a_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
