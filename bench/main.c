// broadphase-bench: this library beside others, on the same boxes, in one run.
#include "bench.h"

#include <scenes.h>

#include <signal.h>
#include <string.h>

enum { MAX_CASES = 256 };

volatile int bench_interrupted;

static void interrupt(int number) {
    (void)number;
    bench_interrupted = 1;
}

static void catch_interrupt(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = interrupt;
    action.sa_flags = (int)SA_RESETHAND;
    sigaction(SIGINT, &action, NULL);
}

static bool scene_exists(const char *name) {
    for (size_t i = 0; i < scene_count(); i++)
        if (strcmp(scene_name(i), name) == 0) return true;
    fprintf(stderr, "broadphase-bench: no such scene: '%s'\n", name);
    return false;
}

static double weight_of(const bench_case *cases, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += cases[i].weight;
    return sum;
}

static void print_head(const bench_options *options) {
    about_print(stdout, "");
    for (size_t i = 0; i < bench_library_count && !options->no_peers; i++)
        if (!bench_libraries[i].peers)
            printf("not built: %s (Debian: %s)\n", bench_libraries[i].name, bench_libraries[i].package);
    fflush(stdout);
}

// A case that is short of time is measured with the two fastest peers only.
static bench_case hurried(const bench_case *c, double allowance) {
    bench_case copy = *c;
    if (allowance < c->weight) {
        copy.fastest_peers = 2;
        copy.limited_peers = copy.brute_force = false;
        copy.settle = 0;
    }
    return copy;
}

// Each case gets its share of the time that is left. Once there is none, the rest is hurried, or, where the caller has
// set the budget, left out, and said so.
static size_t run_cases(const bench_options *options, const bench_case *cases, size_t count, FILE *csv,
                        bench_rows *rows) {
    const double end = now_seconds() + suite_budget(options);
    size_t failures = 0;
    for (size_t i = 0; i < count && !bench_interrupted; i++) {
        const double left = end - now_seconds();
        if (left <= 0 && options->budget > 0) {
            printf("\nleft out: %s, %zu objects: the budget is spent\n", cases[i].scene, cases[i].n);
            continue;
        }
        const size_t first = rows->count;
        const double allowance = left * cases[i].weight / weight_of(cases + i, count - i);
        const bench_case c = hurried(&cases[i], allowance);
        failures += group_run(options, &c, allowance, rows);
        csv_rows(csv, options->suite, rows, first);
        progress_done(cases[i].weight);
        table_group(stdout, rows, first);
    }
    return failures;
}

static int verdict(size_t failures) {
    if (bench_interrupted) fprintf(stderr, "broadphase-bench: interrupted; the rows so far are complete\n");
    if (failures) fprintf(stderr, "broadphase-bench: %zu failures\n", failures);
    return failures || bench_interrupted ? 1 : 0;
}

static int run(const bench_options *options, const bench_case *cases, size_t count, FILE *csv) {
    bench_rows rows = {0};
    print_head(options);
    progress_begin(weight_of(cases, count));
    progress_show("the limits of this machine");
    limits_measure(cases, count, &rows);
    csv_rows(csv, options->suite, &rows, 0);
    const size_t failures = run_cases(options, cases, count, csv, &rows);
    progress_end();
    table_summary(stdout, &rows);
    table_ratios(stdout, &rows);
    rows_free(&rows);
    return verdict(failures);
}

static int run_own(bench_run *own, const bench_options *options, FILE *csv) {
    print_head(options);
    return verdict(own(options, csv));
}

int main(int argc, char **argv) {
    bench_options options;
    bench_case cases[MAX_CASES];
    if (!options_parse(argc, argv, &options)) return 2;
    if (options.help || options.list) {
        (options.help ? options_help : suite_list)(stdout);
        return 0;
    }
    bench_run *const own = suite_own_run(&options);
    const size_t count = own ? 0 : suite_cases(&options, cases, MAX_CASES);
    if (!own && !count) {
        fprintf(stderr, "broadphase-bench: no such suite: '%s'\n", options.suite);
        return 2;
    }
    for (size_t i = 0; i < count; i++)
        if (!scene_exists(cases[i].scene)) return 2;
    FILE *csv = options.csv ? csv_open(options.csv) : NULL;
    if (options.csv && !csv) {
        perror(options.csv);
        return 2;
    }
    catch_interrupt();
    const int status = own ? run_own(own, &options, csv) : run(&options, cases, count, csv);
    if (csv) fclose(csv);
    return status;
}
