// The state that every suite shares: time left, progress, rows so far, and the CSV file.
//
//     | rows of an earlier run (--resume) | rows of this run, in the file | rows of the point at hand |
//     0                             resumed                           first                         count
#include "core/bench.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct bench_session {
    const bench_options *options;
    FILE *csv; // NULL: none
    bench_rows rows;
    size_t resumed, first;
    double weight; // of the point at hand
    double end;    // when the time is spent
    size_t failures;
};

static double budget_of(const bench_options *options) {
    const bool own_choice = options->scene_count || options->count_count;
    const double usual = own_choice ? 0 : suite_find(options->suite)->budget;
    return options->budget > 0 ? options->budget : usual > 0 ? usual : 1e9;
}

static bool open_file(bench_session *session) {
    const bench_options *options = session->options;
    if (!options->csv) return true;
    session->csv = options->resume ? csv_resume(options->csv, options, &session->rows, &session->failures)
                                   : csv_create(options->csv, options);
    session->resumed = session->first = session->rows.count;
    return session->csv != NULL;
}

bench_session *session_begin(const bench_options *options) {
    bench_session *session = calloc(1, sizeof *session);
    if (!session) abort();
    *session = (bench_session){.options = options, .end = seconds_now() + budget_of(options)};
    if (open_file(session)) {
        meter_begin();
        return session;
    }
    free(session);
    return NULL;
}

int session_end(bench_session *session) {
    meter_end();
    const bool broken = session->csv && ferror(session->csv);
    const bool unclosed = session->csv && fclose(session->csv) != 0;
    session->csv = NULL;
    if (broken || unclosed) session_fail(session, "%s: not all rows could be written", session->options->csv);
    const size_t failures = session->failures;
    if (bench_interrupted) fprintf(stderr, "broadphase-bench: interrupted; the rows so far are complete\n");
    if (failures) fprintf(stderr, "broadphase-bench: %zu failures\n", failures);
    rows_free(&session->rows);
    free(session);
    return failures || bench_interrupted ? 1 : 0;
}

void session_expect(bench_session *session, double weight) {
    (void)session;
    meter_expect(weight);
}

static bool is_there(const bench_session *session, const char *label, size_t n) {
    for (size_t i = 0; i < session->resumed; i++) {
        const bench_row *row = &session->rows.data[i];
        if (row->n == n && strcmp(row->scene, label) == 0 && strcmp(row->who, LIMIT) != 0) return true;
    }
    return false;
}

// A point that would take much longer than the remaining budget is not started.
static bool is_spent(const bench_session *session, double weight) {
    const double left = session_seconds_left(session);
    return session->options->budget > 0 && (left <= 0 || meter_seconds_for(weight) > 1.5 * left);
}

bool session_wants(bench_session *session, const char *label, size_t n, double weight) {
    const bool there = is_there(session, label, n);
    const bool spent = is_spent(session, weight);
    session->weight = weight;
    if (!there && !spent && !bench_interrupted) return true;
    meter_skip(weight);
    if (there)
        printf("\n%s, %zu objects: measured before\n", label, n);
    else if (spent)
        printf("\nleft out: %s, %zu objects: the budget is spent, or too small for it\n", label, n);
    return false;
}

void session_keep(bench_session *session) {
    csv_rows(session->csv, session->options->suite, &session->rows, session->first);
    session->first = session->rows.count;
    meter_done(session->weight);
    session->weight = 0;
}

void session_done(bench_session *session) {
    const size_t first = session->first;
    session_keep(session);
    table_group(stdout, &session->rows, first);
}

bench_rows *session_rows(bench_session *session) {
    return &session->rows;
}

void session_remark(bench_session *session, const char *format, ...) {
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    csv_remark(session->csv, text);
}

void session_fail(bench_session *session, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\nbench: FAILED: %s\n", text);
    csv_failure(session->csv, text);
    session->failures++;
}

double session_seconds_left(const bench_session *session) {
    return session->end - seconds_now();
}

double session_allowance(const bench_session *session, double weight) {
    const double left = meter_weight_left();
    return session_seconds_left(session) * (left > weight ? weight / left : 1);
}
