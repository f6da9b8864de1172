// Rows of results, and medians and quantiles of samples.
#include "core/bench.h"

#include <limits.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool row_is_ours(const bench_row *row) {
    return strcmp(row->who, OURS) == 0;
}

bool row_is_measured(const bench_row *row) {
    return strcmp(row->who, PAPER) != 0 && strcmp(row->who, RULES) != 0;
}

bool row_is_peer(const bench_row *row) {
    return !row_is_ours(row) && strcmp(row->who, LIMIT) != 0 && row_is_measured(row);
}

void rows_add(bench_rows *rows, const bench_row *row) {
    if (rows->count == rows->capacity) {
        rows->capacity = rows->capacity ? 2 * rows->capacity : 64;
        rows->data = realloc(rows->data, rows->capacity * sizeof *rows->data);
        if (!rows->data) abort();
    }
    rows->data[rows->count++] = *row;
}

void rows_free(bench_rows *rows) {
    free(rows->data);
    *rows = (bench_rows){0};
}

int rows_by_time(const void *a, const void *b) {
    const bench_row *x = *(const bench_row *const *)a, *y = *(const bench_row *const *)b;
    if (!x->runs || !y->runs) return (y->runs > 0) - (x->runs > 0);
    return (x->total_ms > y->total_ms) - (x->total_ms < y->total_ms);
}

const bench_row *rows_find(const bench_rows *rows, const char *label, size_t n, const char *who, const char *method,
                           int threads) {
    for (size_t i = 0; i < rows->count; i++) {
        const bench_row *row = &rows->data[i];
        if (row->runs && row->n == n && row->threads == threads && strcmp(row->scene, label) == 0 &&
            strcmp(row->who, who) == 0 && strcmp(row->method, method) == 0)
            return row;
    }
    return NULL;
}

const bench_row *rows_main(const bench_rows *rows, const char *label, size_t n) {
    return rows_find(rows, label, n, OURS, MAIN_METHOD, 1);
}

const bench_row *rows_fastest_peer(const bench_rows *rows, const char *label, size_t n) {
    const bench_row *best = NULL;
    for (size_t i = 0; i < rows->count; i++) {
        const bench_row *row = &rows->data[i];
        if (row->runs && row_is_peer(row) && row->n == n && strcmp(row->scene, label) == 0 &&
            (!best || row->total_ms < best->total_ms))
            best = row;
    }
    return best;
}

void keep_memory(void) {
#ifdef __GLIBC__
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    mallopt(M_MMAP_THRESHOLD, INT_MAX);
#endif
}

size_t heap_bytes(void) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    const struct mallinfo2 heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
#else
    return 0;
#endif
}

double thread_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare_doubles(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Interpolates linearly between sorted values.
static double quantile(const double *sorted, size_t count, double share) {
    const double at = share * (double)(count - 1);
    const size_t i = (size_t)at;
    const double above = i + 1 < count ? sorted[i + 1] : sorted[i];
    return sorted[i] + (at - (double)i) * (above - sorted[i]);
}

double median(double *values, size_t count) {
    qsort(values, count, sizeof *values, compare_doubles);
    return quantile(values, count, 0.5);
}

double spread_of(double *values, size_t count) {
    const double middle = median(values, count);
    return middle > 0 ? (quantile(values, count, 0.9) - quantile(values, count, 0.1)) / middle : 0;
}

enum { TAIL_RUNS = 100 }; // of fewer, the 99th percentile is the worst

void row_set_totals(bench_row *row, double *values, size_t count, double to_ms) {
    if (!count) return;
    row->spread = spread_of(values, count); // which sorts them
    row->total_ms = to_ms * median(values, count);
    row->best_ms = to_ms * values[0];
    row->p99_ms = count < TAIL_RUNS ? 0 : to_ms * quantile(values, count, 0.99);
    row->worst_ms = to_ms * values[count - 1];
}
