// Charts of the report: which series are drawn, how they look, and what their words say of the committed results.
#include "report/report_figures.h"
#include "report/report_styles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static chart_data all, picked;

static void add_series(const char *label, double last) {
    chart_series *series = &all.series[all.series_count++];
    snprintf(series->label, sizeof series->label, "%s", label);
    series->points[0] = (chart_point){1.0, 1.0};
    series->points[1] = (chart_point){2.0, last};
    series->count = 2;
}

static bool is_picked(const char *label) {
    for (size_t i = 0; i < picked.series_count; i++) {
        if (strcmp(picked.series[i].label, label) == 0) return true;
    }
    return false;
}

static void test_seven_series_at_most(void **state) {
    (void)state;
    all = (chart_data){0};
    for (int i = 0; i < 10; i++) {
        char label[16];
        snprintf(label, sizeof label, "peer %d", i);
        add_series(label, 10.0 - i);
    }
    report_chart chart = {.kind = CHART_LINES};
    add_series("hierarchical-grid", 100.0);
    chart_pick(&chart, &all, &picked);
    assert_int_equal(picked.series_count, CHART_SHOWN_MAX);
    assert_true(is_picked("hierarchical-grid")); // whatever it takes
    assert_true(is_picked("peer 9") && is_picked("peer 4"));
    assert_false(is_picked("peer 0"));

    chart.shown = "peer 0|hier*";
    chart_pick(&chart, &all, &picked);
    assert_int_equal(picked.series_count, 2);
    assert_true(is_picked("peer 0") && is_picked("hierarchical-grid"));

    all.series_count = CHART_SHOWN_MAX;
    chart_pick(&chart, &all, &picked);
    assert_int_equal(picked.series_count, CHART_SHOWN_MAX); // few: all of them
}

static void test_the_worst_categories(void **state) {
    (void)state;
    all = (chart_data){.series_count = 1, .category_count = 40};
    for (size_t i = 0; i < 40; i++) all.series[0].points[all.series[0].count++] = (chart_point){(double)i, 50.0};
    const report_chart chart = {.kind = CHART_DOTS, .flags = CHART_WORST};
    chart_pick(&chart, &all, &picked);
    assert_int_equal(picked.category_count, CHART_WORST_MAX);
    assert_int_equal(picked.series[0].count, CHART_WORST_MAX);
}

static series_style style_of(const char *label) {
    series_style styles[CHART_SERIES_MAX];
    chart_style(&all, styles);
    for (size_t i = 0; i < all.series_count; i++) {
        if (strcmp(all.series[i].label, label) == 0) return styles[i];
    }
    fail_msg("no series %s", label);
    return styles[0];
}

static void test_one_colour_for_an_entrant(void **state) {
    (void)state;
    all = (chart_data){0};
    add_series("octree", 1.0);
    const series_style alone = style_of("octree");
    all.series_count = 0;
    add_series("embree collide", 1.0);
    add_series("hierarchical-grid", 1.0);
    add_series("ours octree depth=8", 1.0);
    add_series("published octree depth=8", 1.0);
    add_series("hierarchical-grid form=linked factor=2", 1.0);
    add_series("hierarchical-grid factor=2", 1.0);
    const series_style ours = style_of("ours octree depth=8"), theirs = style_of("published octree depth=8");
    assert_string_equal(ours.colour, alone.colour);
    assert_string_equal(theirs.colour, alone.colour);
    assert_int_not_equal(ours.point, theirs.point);
    assert_true(style_of("hierarchical-grid").main);
    assert_false(style_of("hierarchical-grid factor=2").main);
    assert_string_equal(style_of("hierarchical-grid factor=2").colour, style_of("hierarchical-grid").colour);
    assert_string_not_equal(style_of("hierarchical-grid form=linked factor=2").colour,
                            style_of("hierarchical-grid").colour);
}

static void test_no_two_series_look_the_same(void **state) {
    (void)state;
    all = (chart_data){0};
    static const char *const LABELS[] = {
        "a", "b", "c", "d", "uniform pairs = 1", "uniform pairs = 2", "uniform pairs = 4"};
    for (size_t i = 0; i < sizeof LABELS / sizeof *LABELS; i++) add_series(LABELS[i], 1.0);
    for (size_t i = 0; i < all.series_count; i++) {
        for (size_t k = 0; k < i; k++) {
            const series_style a = style_of(LABELS[i]), b = style_of(LABELS[k]);
            if (a.point == b.point && strcmp(a.colour, b.colour) == 0) fail_msg("%s and %s", LABELS[i], LABELS[k]);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// The charts of the page

static char *folders[] = {(char[]){BENCH_RESULTS "/zen4-2-cores"}, (char[]){BENCH_RESULTS "/xeon-2-cores"},
                          (char[]){BENCH_RESULTS "/xeon-16-cores"}, (char[]){BENCH_RESULTS "/h200"}};
enum { FOLDER_COUNT = sizeof folders / sizeof *folders };

typedef void (*chart_check)(const report_chart *chart);

static void for_all_charts(chart_check check) {
    for (size_t i = 0; i < REPORT_SECTION_COUNT; i++) {
        for (size_t k = 0; k < REPORT_SECTIONS[i]->chart_count; k++) check(&REPORT_SECTIONS[i]->charts[k]);
    }
}

static const report_chart *checked; // the chart that others are compared with

static bool is_same_text(const char *a, const char *b) {
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

static void check_words(const report_chart *chart) {
    if (chart == checked) return;
    if (is_same_text(chart->id, checked->id) || is_same_text(chart->title, checked->title) ||
        is_same_text(chart->paper, checked->paper)) {
        fail_msg("%s and %s have the same words", chart->id, checked->id);
    }
}

static void check_words_of(const report_chart *chart) {
    checked = chart;
    for_all_charts(check_words);
}

static void test_every_chart_has_its_own_words(void **state) {
    (void)state;
    for_all_charts(check_words_of);
}

// "0.0001 to 1,000 times as long" tells nobody anything: it must be said of a part of it.
static void check_ratios(const report_chart *chart, const figure_source *source) {
    for (const char *brace = strchr(chart->shows, '{'); brace != NULL; brace = strchr(brace + 1, '{')) {
        figure_range range;
        const size_t length = strcspn(brace, "}");
        if (!figure_measure(source, brace + 1, length - 1, &range)) {
            fail_msg("%s: no figure '%.*s'", chart->id, (int)length, brace);
        }
        if (strncmp(brace, "{ratio|", 7) == 0 && range.count > 0 && range.high > 100.0 * range.low) {
            fail_msg("%s: %.*s} is %g to %g", chart->id, (int)length, brace, range.low, range.high);
        }
    }
}

static void test_sentences_say_something(void **state) {
    (void)state;
    report_data data = {0};
    failure why;
    if (!report_data_read(&data, folders, FOLDER_COUNT, &why)) fail_msg("%s", why.text);
    for (size_t i = 0; i < REPORT_SECTION_COUNT; i++) {
        for (size_t k = 0; k < REPORT_SECTIONS[i]->chart_count; k++) {
            for (size_t f = 0; f < FOLDER_COUNT; f++) {
                const report_chart *chart = &REPORT_SECTIONS[i]->charts[k];
                if (!chart_select(chart, &data, folders[f], &all, &why)) fail_msg("%s", why.text);
                const chart_data *const selections[] = {&all};
                check_ratios(chart, &(figure_source){selections, 1});
                if (all.series_count == 0) continue;
                chart_pick(chart, &all, &picked);
                if (picked.series_count == 0) fail_msg("%s draws nothing: '%s'", chart->id, chart->shown);
                if (picked.series_count > CHART_SHOWN_MAX && chart->kind != CHART_STACKS) {
                    fail_msg("%s draws %zu series", chart->id, picked.series_count);
                }
            }
        }
    }
    report_data_free(&data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seven_series_at_most),          cmocka_unit_test(test_the_worst_categories),
        cmocka_unit_test(test_one_colour_for_an_entrant),     cmocka_unit_test(test_no_two_series_look_the_same),
        cmocka_unit_test(test_every_chart_has_its_own_words), cmocka_unit_test(test_sentences_say_something),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
