#include "suites/worst.h"

#include <math.h>
#include <string.h>

static const char ended[] = " ended";

// A call that was ended has " ended" behind its method: it took at least so long, and its pairs are estimated.
void worst_row(const worst_contestant *contestant, const worst_result *result, const char *label, size_t n,
               bench_row *row) {
    const bool incomplete = result->over_limit && !result->rounds;
    *row = (bench_row){.n = n, .threads = 1, .runs = result->rounds ? result->rounds : 1};
    snprintf(row->scene, sizeof row->scene, "%s", label);
    snprintf(row->who, sizeof row->who, "%s", contestant->who);
    snprintf(row->method, sizeof row->method, "%s%s", contestant->method, incomplete ? ended : "");
    row->total_ms = row->best_ms = 1e3 * result->seconds;
    row->update_ms = fmin(1e3 * result->build_seconds, row->total_ms); // this one is not processor time
    row->find_ms = row->total_ms - row->update_ms;
    row->spread = result->rounds > 1 ? result->slowest / result->seconds - 1 : 0;
    row->pairs = incomplete ? (size_t)contestant->boxes->pairs : result->pairs;
    row->hash = result->hash;
    snprintf(row->why, sizeof row->why, "%s", bp_method_name((size_t)result->chosen));
    row->bytes_per_object = (double)result->bytes / (double)n;
    row->tests = result->tests;
}

bool worst_was_ended(const bench_row *row) {
    const size_t length = strlen(row->method), tail = strlen(ended);
    return length > tail && strcmp(row->method + length - tail, ended) == 0;
}

const bench_row *worst_find(const bench_rows *rows, const char *label, size_t n, const char *method) {
    char cut[NAME_SIZE];
    snprintf(cut, sizeof cut, "%.*s%s", NAME_SIZE - (int)sizeof ended, method, ended);
    const bench_row *whole = rows_find(rows, label, n, OURS, method, 1);
    return whole ? whole : rows_find(rows, label, n, OURS, cut, 1);
}

static double work(const bench_row *row) {
    return (double)row->n + (double)row->pairs;
}

worst_figures worst_compare(const bench_row *row, const bench_row *reference) {
    const double share = work(reference) / work(row);
    return (worst_figures){.time = row->total_ms / reference->total_ms * share,
                           .tests = (double)row->tests / (double)reference->tests * share,
                           .more = worst_was_ended(row)};
}
