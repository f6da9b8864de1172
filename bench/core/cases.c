// Runs the cases of a suite, each in its share of the time that is left.
#include "core/bench.h"

#include <hostile.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CASES = 512 };

typedef struct case_list {
    bench_case *data;
    size_t count;
} case_list;

static case_list list_cases(const bench_suite *suite, const bench_options *options) {
    case_list list = {calloc(MAX_CASES, sizeof *list.data), 0};
    if (!list.data) abort();
    if (suite->cases) list.count = suite->cases(options, list.data, MAX_CASES);
    return list;
}

const char *case_label(const bench_case *c) {
    return c->label ? c->label : c->scene;
}

static bool scene_exists(const char *name) {
    for (size_t i = 0; i < scene_count(); i++)
        if (strcmp(scene_name(i), name) == 0) return true;
    return false;
}

static bool part_exists(const bench_suite *suite, const char *name) {
    if (suite->hostile && hostile_find(name)) return true;
    if (!suite->parts) return scene_exists(name);
    for (const char *const *part = suite->parts; *part; part++)
        if (strcmp(*part, name) == 0) return true;
    return false;
}

static void print_parts(const bench_suite *suite) {
    for (const char *const *part = suite->parts; part && *part; part++) fprintf(stderr, " %s", *part);
    for (size_t i = 0; suite->hostile && i < hostile_count(); i++) fprintf(stderr, " %s", hostile_name(i));
    if (!suite->parts)
        for (size_t i = 0; i < scene_count(); i++) fprintf(stderr, " %s", scene_name(i));
    fputc('\n', stderr);
}

bool cases_check(const bench_suite *suite, const bench_options *options) {
    for (size_t i = 0; i < options->scene_count; i++) {
        if (part_exists(suite, options->scenes[i])) continue;
        fprintf(stderr, "broadphase-bench: suite %s has no scene '%s'; it has:", suite->name, options->scenes[i]);
        print_parts(suite);
        return false;
    }
    return true;
}

// A case that is short of time is measured with the two fastest peers only, unless it lists its entrants explicitly.
static bench_case hurried(const bench_case *c, double allowance) {
    bench_case copy = *c;
    if (allowance < c->weight && !c->entrant_count) {
        copy.fastest_peers = 2;
        copy.limited_peers = copy.brute_force = false;
        copy.settle = 0;
    }
    return copy;
}

static void measure_limits(const case_list *list, bench_session *session) {
    meter_show("the limits of this machine");
    limits_measure_copy(session_rows(session));
    for (size_t i = 0; i < list->count; i++) limits_measure_sort(list->data[i].n, session_rows(session));
    session_keep(session);
}

void cases_run(const bench_suite *suite, const bench_options *options, bench_session *session) {
    const case_list list = list_cases(suite, options);
    for (size_t i = 0; i < list.count; i++) session_expect(session, list.data[i].weight);
    if (suite->limits) measure_limits(&list, session);
    for (size_t i = 0; i < list.count; i++) {
        const bench_case *c = &list.data[i];
        if (!session_wants(session, case_label(c), c->n, c->weight)) continue;
        const double allowance = session_allowance(session, c->weight);
        const bench_case fitting = hurried(c, allowance);
        group_run(options, &fitting, allowance, session);
        session_done(session);
    }
    free(list.data);
}
