// What the parts of the bench share: cases in, rows out.
//
//     suites/suite.c    the table of suites
//     suites/suite_*.c  options -> cases      (which scenes, how many objects, how often), or a suite of its own kind
//     cases.c           all cases of a suite, each in its share of the time
//     group.c           a case -> rows        (all contestants, interleaved, on the same boxes)
//     session.c         what all suites share: time, progress, rows
//     table.c           rows -> tables
//     csv.c             rows -> a file, and back
#ifndef BENCH_H
#define BENCH_H

#include "formats/progress.h" // seconds_now
#include "peers/peer.h"

#include <broadphase/broadphase_methods.h>
#include <scenes.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__GNUC__)
#define BENCH_FORMAT(text, first) __attribute__((format(printf, text, first)))
#else
#define BENCH_FORMAT(text, first)
#endif

enum { MAX_LIST = 32, MAX_RUNS = 1024, NAME_SIZE = 72, COMMAND_SIZE = 1024 };

// The command line, parsed. Zero means the suite's default.
typedef struct bench_options {
    char command[COMMAND_SIZE]; // the command line as text
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
    bool resume;       // continues a run: keeps the rows that are in the file
    const char *file;  // trace: the recording
    double budget;     // seconds
    const char *scene; // worst: the parameters of a scene (scenes/hostile.h)
    bool has_method;
    bp_method method; // worst, surfaces, between: beside the default
    uint64_t seed;
    double limit; // worst: seconds that a call may take
    bool list;
    bool help;
} bench_options;

// The settings of methods, in a config of a table.
#define SETTINGS(...)                                                                                                  \
    .settings = &(const bp_method_settings) {                                                                          \
        __VA_ARGS__                                                                                                    \
    }

// A configuration of ours that a case lists explicitly.
typedef struct bench_entrant {
    const char *label; // what the method column says: "hierarchical-grid factor=2"
    bp_config config;  // dimensions come from the scene; threads fill the threads column (0 = 1)
    bool one_by_one;   // objects are added one by one with bp_add
} bench_entrant;

// One scene with one number of objects: all its contestants are measured together.
typedef struct bench_case {
    const char *scene;     // of scenes.h
    const char *recording; // a file (cli/formats/recording.h) to replay instead of a scene; it has a label, and n boxes
    const char *label;     // what the scene column says; NULL: the scene's name
    scene_options options; // beside count, which is n
    size_t n;
    const bench_entrant *entrants; // instead of our usual rows
    size_t entrant_count;          // 0: our usual rows
    const char *const *peers;      // these alone ("bullet-dbvt", or "bullet" for all of them); NULL: all; empty: none
    size_t warmups;
    size_t settle; // more warm-ups, for peers that keep their structure between steps
    size_t repeats;
    size_t fastest_peers; // 0: all; else only so many, the fastest ones at the last smaller n of this scene
    bool limited_peers;   // also those that cannot go much beyond 10^4 objects
    bool brute_force, scalar, two_threads, all_methods; // extra rows of ours,
    bool yardsticks;                                    // one call, and the sweep along one axis
    bool neighbors;                                     // of the centres of the finite boxes, instead of pairs of boxes
    bool anew;     // each step starts from an empty world: update is creating and adding
    double weight; // share of the time budget
} bench_case;

const char *case_label(const bench_case *c);

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
    double p99_ms;   // the 99th percentile of the total; 0: fewer than 100 runs, where it is the worst
    double worst_ms; // 0: unknown
    double spread;   // (90th - 10th percentile) / median of the total
    size_t pairs;    // of the last step, like the hash
    uint64_t hash;
    double bytes_per_object; // 0: unknown
    uint64_t tests;          // 0: unknown
} bench_row;

typedef struct bench_rows {
    bench_row *data;
    size_t count, capacity;
} bench_rows;

#define OURS "broadphase"
#define LIMIT "limit" // limits of the machine
#define PAPER "paper" // figures that a paper has published
#define RULES "rules" // candidates of our scenes, counted by the rules of a paper
#define MAIN_METHOD "hierarchical-grid"
#define CALL_METHOD "one call"               // bp_find_pairs with the default config
#define YARDSTICK_METHOD "sweep-and-prune/1" // along one axis

bool row_is_ours(const bench_row *row);
bool row_is_peer(const bench_row *row);
bool row_is_measured(const bench_row *row); // here, and not published or counted
void rows_add(bench_rows *rows, const bench_row *row);
void rows_free(bench_rows *rows);
// For qsort of pointers to rows: the fastest first, those that were not measured last.
int rows_by_time(const void *a, const void *b);
// The measured row of a contestant, or NULL.
const bench_row *rows_find(const bench_rows *rows, const char *label, size_t n, const char *who, const char *method,
                           int threads);
const bench_row *rows_main(const bench_rows *rows, const char *label, size_t n);
const bench_row *rows_fastest_peer(const bench_rows *rows, const char *label, size_t n);

// Set by the first interrupt; a second one ends the program.
extern volatile int bench_interrupted;

double thread_seconds(void); // processor time of the calling thread
// Freed memory stays with the process: a contestant does not pay for pages that the one before it gave back to the system.
void keep_memory(void);
// What the heap holds; 0: unknown.
size_t heap_bytes(void);
double median(double *values, size_t count); // sorts them
double spread_of(double *values, size_t count);
// Sets the median, the best, the 99th percentile, the worst and the spread of the totals. Sorts them; `to_ms` is the unit.
void row_set_totals(bench_row *row, double *values, size_t count, double to_ms);

// options.c: false: the call was wrong, and the reason is on stderr.
bool options_parse(int argc, char **argv, bench_options *options);
void options_help(FILE *file);
// Whether --scenes names this part of a suite; without --scenes all parts are asked for.
bool options_ask_for(const bench_options *options, const char *part);
// Whether --peers leaves this one in.
bool options_have_peer(const bench_options *options, const char *who, const char *method);
// Whether --peers leaves any peer of this library in.
bool options_have_library(const bench_options *options, const char *who);
// "bullet", "bullet-dbvt" or "bullet/dbvt".
bool peer_has_name(const char *who, const char *method, const char *name);

// ---- session.c: what every suite shares: time, progress, rows, the file --------------------------------------------

typedef struct bench_session bench_session;

// NULL: the file cannot be opened, and the reason is on stderr.
bench_session *session_begin(const bench_options *options);
// Returns the exit status.
int session_end(bench_session *session);

// Announces the weight of points to come, so that the remaining time can be estimated. (Cases are announced
// automatically.)
void session_expect(bench_session *session, double weight);
// Whether this point is to be measured: false if its rows are there from an earlier run (--resume), the budget is spent
// (said on stdout) or the run was interrupted. `label` and n are those of the rows.
bool session_wants(bench_session *session, const char *label, size_t n, double weight);
// Finishes a point: writes the rows added to session_rows() since session_wants to the CSV and prints their table.
void session_done(bench_session *session);
// The same without the table, for suites that print their rows differently.
void session_keep(bench_session *session);
bench_rows *session_rows(bench_session *session);
// A line of the file that is no row.
void session_remark(bench_session *session, const char *format, ...) BENCH_FORMAT(2, 3);
void session_fail(bench_session *session, const char *format, ...) BENCH_FORMAT(2, 3); // counted; the run exits 1
double session_seconds_left(const bench_session *session);
// How many of these seconds a point of this weight may take.
double session_allowance(const bench_session *session, double weight);

// ---- suites --------------------------------------------------------------------------------------------------------

// A suite's list of cases; returns how many.
typedef size_t bench_cases(const bench_options *options, bench_case *cases, size_t capacity);
// What a suite does after its cases (its summary), or everything, in a suite without cases.
typedef void bench_run(const bench_options *options, bench_session *session);

typedef struct bench_suite {
    const char *name;
    const char *summary;
    double budget;            // seconds for all cases; beyond them cases are cut short; 0: no limit
    const char *const *parts; // what --scenes may name; NULL: scenes of scenes.h
    bool hostile;             // and those of hostile.h
    bench_cases *cases;       // NULL: none
    bench_run *run;           // NULL: nothing more
    bool limits;              // measures the limits of the machine before the cases
} bench_suite;

bench_cases quick_cases, methods_cases, neighbors_cases, schornbaum_cases, scaling_cases;
bench_run gissler_run, koch_run, zhyhallo_run, zych_run, quick_summary, living_run, queries_run, rays_run,
    schornbaum_summary;
bench_run scaling_summary, trace_run, near_run, calibrate_run, auto_run, tune_run, worst_run, worst_search_run;
bench_run worst_mixtures_run;
bench_run everyday_run, regret_run, surfaces_run, between_run, engine_run, fcl_run, granular_run;
extern const char *const gissler_parts[], *const koch_parts[], *const zhyhallo_parts[], *const zych_parts[];
extern const char *const everyday_parts[], *const regret_parts[], *const worst_parts[], *const surfaces_parts[];
extern const char *const between_parts[], *const rays_parts[], *const living_parts[], *const schornbaum_parts[];
extern const char *const tune_parts[], *const engine_parts[], *const fcl_parts[];

// suite.c
const bench_suite *suite_find(const char *name); // NULL: none
void suite_list(FILE *file);

// cases.c: false: a scene is unknown, and that is on stderr.
bool cases_check(const bench_suite *suite, const bench_options *options);
void cases_run(const bench_suite *suite, const bench_options *options, bench_session *session);

// group.c: measures a case within `allowance` seconds where that is possible and appends its rows.
void group_run(const bench_options *options, const bench_case *bench_case, double allowance, bench_session *session);

// limits.c: the limits of this machine, as rows of who "limit". For the copy, n is in bytes. Existing rows are not
// measured again.
void limits_measure_copy(bench_rows *rows);
void limits_measure_sort(size_t n, bench_rows *rows);

// table.c
// The two columns of the slow steps, "%10s %10s", blank where the row has none. With `micro` in microseconds.
enum { TAIL_TEXT = 24, RATIO_TEXT = 32 };
const char *table_tail(const bench_row *row, bool micro, char text[TAIL_TEXT]);
// "×12.3 slower" than our own row, in a column of 14 characters; blank without one.
const char *table_ratio(const bench_row *row, const bench_row *own, char text[RATIO_TEXT]);
void table_group(FILE *file, const bench_rows *rows, size_t first);
void table_summary(FILE *file, const bench_rows *rows);
// ratios.c: the figures that the library promises, from the rows that were measured.
void table_ratios(FILE *file, const bench_rows *rows);
// Prints one figure and the promised bound. False: the promise is missed.
bool promise_at_most(FILE *file, const char *what, double value, double limit);
bool promise_at_least(FILE *file, const char *what, double value, double limit);

// csv.c
FILE *csv_create(const char *path, const bench_options *options);
// Reads the rows and the number of failures of an earlier run, and opens the file to append. NULL: not possible, and
// the reason is on stderr.
FILE *csv_resume(const char *path, const bench_options *options, bench_rows *rows, size_t *failures);
void csv_remark(FILE *file, const char *text);
void csv_failure(FILE *file, const char *text); // so that a run that resumes the file knows
void csv_rows(FILE *file, const char *suite, const bench_rows *rows, size_t first);

// meter.c: one line on stderr; weights sum up to the total.
void meter_begin(void);
void meter_expect(double weight);
void meter_show(const char *what);
void meter_done(double weight);
void meter_skip(double weight); // announced, but not done
double meter_weight_left(void);
double meter_seconds_for(double weight); // estimated from the work done; 0: none yet
void meter_end(void);

#endif
