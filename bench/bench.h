// What the parts of the bench share: cases in, rows out.
//
//     suite.c    options -> cases           (which scenes, how many objects, how often)
//     group.c    a case -> rows             (all contestants, interleaved, on the same boxes)
//     table.c    rows -> tables             csv.c  rows -> a file
#ifndef BENCH_H
#define BENCH_H

#include "peer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { MAX_LIST = 32, MAX_RUNS = 64, NAME_SIZE = 40 };

// What the command line asked for. Zero means the suite's own choice.
typedef struct bench_options {
    const char *suite;
    const char *scenes[MAX_LIST];
    size_t scene_count;
    size_t counts[MAX_LIST];
    size_t count_count;
    int threads[MAX_LIST];
    size_t thread_count;
    size_t repeats;
    size_t warmups;
    const char *peers[MAX_LIST]; // names of libraries, "library-method" or "library/method"; none: all
    size_t peer_count;
    bool no_peers;
    const char *csv;
    double budget; // seconds
    bool list;
    bool help;
} bench_options;

// One scene with one number of objects: all its contestants are measured together.
typedef struct bench_case {
    const char *scene;
    size_t n;
    double motion; // scene_options.motion
    size_t warmups;
    size_t settle; // more warm-ups, for peers that keep their structure between steps
    size_t repeats;
    size_t fastest_peers; // 0: all; else only so many, the fastest ones at the last smaller n of this scene
    bool limited_peers;   // also those that cannot go much beyond 10^4 objects
    bool brute_force, scalar, two_threads, all_methods; // extra rows of ours
    bool neighbors;                                     // of the centres of the finite boxes, instead of pairs of boxes
    double weight;                                      // share of the time budget
} bench_case;

// One contestant in one case. Times are medians over the runs.
typedef struct bench_row {
    char scene[NAME_SIZE];
    char who[NAME_SIZE];
    char method[NAME_SIZE];
    size_t n;
    int threads;
    size_t runs;         // 0: not measured, `why` says why
    char why[NAME_SIZE]; // short
    double update_ms;
    double find_ms;
    double total_ms;
    double best_ms;
    double spread; // (90th - 10th percentile) / median of the total
    size_t pairs;  // of the last step, like the hash
    uint64_t hash;
    double bytes_per_object; // 0: unknown
    uint64_t tests;          // 0: unknown
} bench_row;

typedef struct bench_rows {
    bench_row *data;
    size_t count, capacity;
} bench_rows;

#define OURS "broadphase"
#define MAIN_METHOD "hierarchical-grid"

bool row_is_ours(const bench_row *row);
bool row_is_peer(const bench_row *row);
void rows_add(bench_rows *rows, const bench_row *row);
void rows_free(bench_rows *rows);
// The measured row of a contestant, or NULL.
const bench_row *rows_find(const bench_rows *rows, const char *scene, size_t n, const char *who, const char *method,
                           int threads);
const bench_row *rows_main(const bench_rows *rows, const char *scene, size_t n);
const bench_row *rows_fastest_peer(const bench_rows *rows, const char *scene, size_t n);

// Set by the first interrupt; the second one ends the program.
extern volatile int bench_interrupted;

double now_seconds(void);
double median(double *values, size_t count); // sorts them
double spread_of(double *values, size_t count);

// options.c: false: the call was wrong, and the reason is on stderr.
bool options_parse(int argc, char **argv, bench_options *options);
void options_help(FILE *file);

// A suite that is no list of cases: measures, shows and writes all by itself. Returns the number of failures.
typedef size_t bench_run(const bench_options *options, FILE *csv);
bench_run living_run, queries_run;

// suite.c
bench_run *suite_own_run(const bench_options *options); // NULL: a suite of cases
size_t suite_cases(const bench_options *options, bench_case *cases, size_t capacity);
void suite_list(FILE *file);
double suite_budget(const bench_options *options);
bool suite_has_peer(const bench_options *options, const bench_peer *peer);

// group.c: measures a case within `allowance` seconds where that is possible and appends its rows; returns the number
// of failures (already reported on stderr).
size_t group_run(const bench_options *options, const bench_case *bench_case, double allowance, bench_rows *rows);

// limits.c: what this machine can do, as rows of who "limit". Copy: n is in bytes.
void limits_measure(const bench_case *cases, size_t count, bench_rows *rows);

// table.c
void table_group(FILE *file, const bench_rows *rows, size_t first);
void table_summary(FILE *file, const bench_rows *rows);
// ratios.c: the figures that the library promises, from the rows that were measured.
void table_ratios(FILE *file, const bench_rows *rows);

// csv.c
FILE *csv_open(const char *path);
void csv_rows(FILE *file, const char *suite, const bench_rows *rows, size_t first);

// about.c: the build and the machine, a line each with this prefix.
void about_print(FILE *file, const char *prefix);

// progress.c: one line on stderr; weights sum up to the total.
void progress_begin(double total_weight);
void progress_show(const char *what);
void progress_done(double weight);
void progress_end(void);

#endif
