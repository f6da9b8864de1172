// The suite `worst`: the hostile scenes of scenes/hostile.h, one call each (bp_find_pairs, bp_find_pairs_between) with
// the default config, in turns with a call on as many uniform boxes. What counts is the time for each object and pair,
// beside that of uniform boxes, and how it grows with the number of objects.
#include "suites/worst.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const size_t usual_counts[] = {100000, 400000};
enum { USUAL_COUNTS = 2, ROUNDS = 3, SEED = 1 };

typedef struct worst_point {
    const char *name; // of the scene, or "given" (--scene)
    hostile_scene hostile;
    char label[NAME_SIZE];
} worst_point;

static worst_point point_of(const char *name, const char *text) {
    char why[HOSTILE_WHY] = "";
    worst_point p = {.name = name};
    snprintf(p.label, sizeof p.label, "worst/%s", name);
    if (!hostile_parse(text, &p.hostile, why)) abort(); // options.c and the tests have read it before
    return p;
}

static size_t point_count(const bench_options *options) {
    return options->scene ? 1 : hostile_count();
}

static worst_point point_at(const bench_options *options, size_t i) {
    return options->scene ? point_of("given", options->scene) : point_of(hostile_name(i), hostile_text(i));
}

static size_t counts_of(const bench_options *options, const size_t **counts) {
    *counts = options->count_count ? options->counts : usual_counts;
    return options->count_count ? options->count_count : USUAL_COUNTS;
}

static uint64_t seed_of(const bench_options *options) {
    return options->seed ? options->seed : SEED;
}

// ---- one point -----------------------------------------------------------------------------------------------------

static double weight_of(size_t n) {
    return (double)n * 1e-5;
}

// Uniform boxes and the default config, which take turns; then another method, if one was asked for.
static size_t list_contestants(const bench_options *options, const hostile_boxes *boxes, const hostile_boxes *uniform,
                               worst_contestant *list) {
    size_t count = 0;
    list[count++] = (worst_contestant){.who = OURS, .method = WORST_REFERENCE, .boxes = uniform};
    list[count++] = (worst_contestant){.who = OURS, .method = "auto", .boxes = boxes};
    if (options->has_method) {
        const bp_config config = {.method = options->method};
        const char *name = bp_method_name((size_t)options->method);
        list[count++] = (worst_contestant){.who = OURS, .method = name, .config = config, .boxes = boxes};
    }
    return count;
}

// Contestants on the same boxes must find the same pairs.
static void check_results(const worst_contestant *list, const worst_result *results, size_t count, const worst_point *p,
                          size_t n, bench_session *session) {
    for (size_t i = 0; i < count; i++) {
        const worst_result *r = &results[i], *other = &results[1];
        if (r->failed) session_fail(session, "%s, %zu objects: %s: the call failed", p->label, n, list[i].method);
        if (i && r->rounds && other->rounds && (r->pairs != other->pairs || r->hash != other->hash))
            session_fail(session, "WRONG PAIRS: %s, %zu objects: %s: %zu pairs, auto: %zu", p->label, n, list[i].method,
                         r->pairs, other->pairs);
    }
}

static void run_point(const bench_options *options, const worst_point *p, size_t n, const hostile_boxes *uniform,
                      bench_session *session) {
    worst_contestant list[WORST_CONTESTANTS];
    worst_result results[WORST_CONTESTANTS];
    hostile_boxes boxes;
    if (!hostile_build(&p->hostile, n, seed_of(options), &boxes)) abort();
    const size_t count = list_contestants(options, &boxes, uniform, list);
    const size_t rounds = options->repeats ? options->repeats : ROUNDS;
    worst_measure(list, 2, rounds, worst_limit(options->limit, n), results);
    if (count > 2 && !bench_interrupted)
        worst_measure(list + 2, count - 2, rounds, worst_limit(options->limit, n), results + 2);
    for (size_t i = 0; i < count && !bench_interrupted; i++) {
        bench_row row;
        worst_row(&list[i], &results[i], p->label, n, &row);
        if (results[i].rounds || results[i].over_limit) rows_add(session_rows(session), &row);
    }
    if (!bench_interrupted) check_results(list, results, count, p, n, session);
    if (!worst_agrees(&p->hostile, seed_of(options)))
        session_fail(session, "WRONG PAIRS: %s, a few objects: auto and brute-force differ", p->label);
    hostile_free(&boxes);
}

// ---- the table -----------------------------------------------------------------------------------------------------

typedef struct worst_line {
    worst_point p;
    const bench_row *row, *reference; // at the largest n; NULL: not measured
    worst_figures figures;
    double exponent; // 0: unknown
    double reference_exponent;
} worst_line;

// By which power of (objects + pairs) the time grows from the smallest to the largest n.
static double exponent_of(const bench_row *small, const bench_row *large) {
    if (!small || !large || small == large || worst_was_ended(small)) return 0;
    return log(large->total_ms / small->total_ms) /
           log((double)(large->n + large->pairs) / (double)(small->n + small->pairs));
}

static worst_line line_of(const bench_options *options, const bench_rows *rows, const worst_point *p,
                          const char *method, size_t n) {
    const size_t *counts;
    const size_t count = counts_of(options, &counts);
    worst_line line = {.p = *p};
    line.row = worst_find(rows, p->label, n, method);
    line.reference = worst_find(rows, p->label, n, WORST_REFERENCE);
    if (!line.row || !line.reference) return (worst_line){.p = *p};
    line.figures = worst_compare(line.row, line.reference);
    if (n != counts[count - 1]) return line;
    line.exponent = exponent_of(worst_find(rows, p->label, counts[0], method), line.row);
    line.reference_exponent = exponent_of(worst_find(rows, p->label, counts[0], WORST_REFERENCE), line.reference);
    return line;
}

static int by_time(const void *a, const void *b) {
    const worst_line *x = a, *y = b;
    return (x->figures.time < y->figures.time) - (x->figures.time > y->figures.time);
}

static void print_line(const worst_line *line) {
    const char *more = line->figures.more ? ">" : "";
    char time[24], tests[24], exponent[24] = "", pairs[24], all_tests[24];
    snprintf(time, sizeof time, "%s%.2f", more, line->figures.time);
    snprintf(tests, sizeof tests, line->figures.more ? "-" : "%.2f", line->figures.tests);
    snprintf(pairs, sizeof pairs, line->figures.more ? "-" : "%zu", line->row->pairs);
    snprintf(all_tests, sizeof all_tests, line->figures.more ? "-" : "%llu", (unsigned long long)line->row->tests);
    if (line->exponent != 0) snprintf(exponent, sizeof exponent, "%s%.2f", more, line->exponent);
    printf("  %-32s %8zu %s%*.2f %10s %12s %10s %10s %10s\n", line->p.name, line->row->n, more,
           line->figures.more ? 10 : 11, line->row->total_ms, pairs, all_tests, time, tests, exponent);
}

typedef struct worst_tally {
    worst_figures time, tests;
    double exponent, exponent_lengths;
    double reference_sum; // of the exponents of uniform boxes
    size_t reference_count;
    const char *time_at, *tests_at, *exponent_at;
    size_t count;
    bool ended; // at least one call was
} worst_tally;

static bool has_lengths(const char *name) {
    return strstr(name, "lengths") != NULL;
}

static void count_line(const worst_line *line, worst_tally *t) {
    t->count++;
    t->ended = t->ended || line->figures.more;
    t->reference_sum += line->reference_exponent;
    t->reference_count += line->reference_exponent != 0;
    if (line->figures.time > t->time.time) {
        t->time = line->figures;
        t->time_at = line->p.name;
    }
    if (!line->figures.more && line->figures.tests > t->tests.tests) {
        t->tests = line->figures;
        t->tests_at = line->p.name;
    }
    if (has_lengths(line->p.name)) {
        t->exponent_lengths = fmax(t->exponent_lengths, line->exponent);
    } else if (line->exponent > t->exponent) {
        t->exponent = line->exponent;
        t->exponent_at = line->p.name;
    }
}

static void print_lines(const bench_options *options, const bench_rows *rows, const char *method, size_t n,
                        worst_tally *t) {
    const size_t points = point_count(options);
    worst_line *lines = calloc(points + 1, sizeof *lines);
    size_t count = 0;
    if (!lines) abort();
    for (size_t i = 0; i < points; i++) {
        const worst_point p = point_at(options, i);
        const worst_line line = line_of(options, rows, &p, method, n);
        if (line.row) lines[count++] = line;
    }
    qsort(lines, count, sizeof *lines, by_time);
    if (count) {
        printf("\n%s, %zu objects: time and tests for each object and pair, beside those of uniform boxes\n", method,
               n);
        printf("  %-32s %8s %11s %10s %12s %10s %10s %10s\n", "scene", "objects", "ms", "pairs", "tests", "time",
               "tests", "exponent");
    }
    for (size_t i = 0; i < count; i++) {
        print_line(&lines[i]);
        count_line(&lines[i], t);
    }
    free(lines);
}

static void print_promises(const char *method, const worst_tally *t) {
    char what[3 * NAME_SIZE];
    printf("\n%s: promises, over %zu measurements%s\n", method, t->count,
           t->ended ? "; calls that took too long were ended, and keep no promise" : "");
    snprintf(what, sizeof what, "time / uniform's (%s)", t->time_at);
    promise_at_most(stdout, what, t->ended ? INFINITY : t->time.time, WORST_RATIO);
    if (t->tests_at) {
        snprintf(what, sizeof what, "tests / uniform's (%s)", t->tests_at);
        promise_at_most(stdout, what, t->tests.tests, WORST_RATIO);
    }
    if (t->exponent_at) {
        snprintf(what, sizeof what, "growth exponent (%s)", t->exponent_at);
        promise_at_most(stdout, what, t->exponent, WORST_EXPONENT);
    }
    if (t->exponent_lengths > 0)
        promise_at_most(stdout, "growth exponent, needles of random lengths", t->exponent_lengths,
                        WORST_EXPONENT_LENGTHS);
    if (t->reference_count)
        printf("  growth exponent of uniform boxes: %.2f\n", t->reference_sum / (double)t->reference_count);
}

static void print_method(const bench_options *options, const bench_rows *rows, const char *method) {
    const size_t *counts;
    const size_t count = counts_of(options, &counts);
    worst_tally t = {0};
    for (size_t k = 0; k < count; k++) print_lines(options, rows, method, counts[k], &t);
    if (t.count) print_promises(method, &t);
}

// ---- all points ----------------------------------------------------------------------------------------------------

static void run_count(const bench_options *options, size_t n, bench_session *session) {
    hostile_boxes uniform = worst_uniform_boxes(n);
    for (size_t i = 0; i < point_count(options); i++) {
        const worst_point p = point_at(options, i);
        if (!options->scene && !options_ask_for(options, p.name)) continue;
        if (!session_wants(session, p.label, n, weight_of(n))) continue;
        meter_show(p.label);
        run_point(options, &p, n, &uniform, session);
        session_keep(session);
    }
    hostile_free(&uniform);
}

static void expect_count(const bench_options *options, size_t n, bench_session *session) {
    for (size_t i = 0; i < point_count(options); i++)
        if (options->scene || options_ask_for(options, hostile_name(i))) session_expect(session, weight_of(n));
}

void worst_run(const bench_options *options, bench_session *session) {
    const size_t *counts;
    const size_t count = counts_of(options, &counts);
    for (size_t k = 0; k < count; k++) expect_count(options, counts[k], session);
    worst_peers_expect(options, session);
    for (size_t k = 0; k < count; k++) run_count(options, counts[k], session);
    print_method(options, session_rows(session), "auto");
    if (options->has_method) print_method(options, session_rows(session), bp_method_name((size_t)options->method));
    worst_peers_run(options, session);
}
