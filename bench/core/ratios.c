// The ratios that the library promises, from the rows of this run. Those that were not measured are left out.
#include "core/bench.h"

#include <string.h>

static void print_limits(FILE *file, const bench_rows *rows) {
    for (size_t i = 0; i < rows->count; i++) {
        const bench_row *row = &rows->data[i];
        if (strcmp(row->who, LIMIT) != 0) continue;
        if (strcmp(row->method, "copy") == 0)
            fprintf(file, "  copy: %.1f GB/s (read + write)\n", 2e-6 * (double)row->n / row->total_ms);
        else
            fprintf(file, "  radix sort of %zu (key, index) pairs: %.3f ms\n", row->n, row->total_ms);
    }
}

static void print_ratio(FILE *file, const char *what, size_t n, double numerator, double denominator) {
    fprintf(file, "  %-44s %9zu %8.2f\n", what, n, numerator / denominator);
}

static void print_scene_ratio(FILE *file, const bench_rows *rows, const bench_row *uniform, const char *label) {
    char what[64];
    const bench_row *other = rows_main(rows, label, uniform->n);
    snprintf(what, sizeof what, "%s / uniform", label);
    if (other) print_ratio(file, what, uniform->n, other->total_ms, uniform->total_ms);
}

// The sweep along one axis, which many engines have, beside our world and our call.
static void print_yardstick(FILE *file, const bench_rows *rows, const bench_row *own) {
    const bench_row *sweep = rows_find(rows, own->scene, own->n, OURS, YARDSTICK_METHOD, 1);
    const bench_row *call = rows_find(rows, own->scene, own->n, OURS, CALL_METHOD, 1);
    if (sweep) print_ratio(file, "uniform: sweep along one axis / world", own->n, sweep->total_ms, own->total_ms);
    if (sweep && call)
        print_ratio(file, "uniform: sweep along one axis / call", own->n, sweep->total_ms, call->total_ms);
}

// For one number of objects, all on `uniform`.
static void print_uniform(FILE *file, const bench_rows *rows, const bench_row *own) {
    const bench_row *sort = rows_find(rows, "", own->n, LIMIT, "radix-sort", 1);
    const bench_row *two = rows_find(rows, own->scene, own->n, OURS, MAIN_METHOD, 2);
    const bench_row *scalar = rows_find(rows, own->scene, own->n, OURS, MAIN_METHOD "/scalar", 1);
    const bench_row *peer = rows_fastest_peer(rows, own->scene, own->n);
    if (sort) print_ratio(file, "uniform: step / radix sort", own->n, own->total_ms, sort->total_ms);
    if (two) {
        print_ratio(file, "uniform: one thread / two threads", own->n, own->total_ms, two->total_ms);
        print_ratio(file, "uniform: one thread / two threads, best runs", own->n, own->best_ms, two->best_ms);
    }
    if (scalar) print_ratio(file, "uniform: scalar / best kernels", own->n, scalar->total_ms, own->total_ms);
    if (scalar && peer) print_ratio(file, "uniform: fastest peer / scalar", own->n, peer->total_ms, scalar->total_ms);
    print_yardstick(file, rows, own);
    print_scene_ratio(file, rows, own, "mixed");
    print_scene_ratio(file, rows, own, "long");
    print_ratio(file, "uniform: bytes per object", own->n, own->bytes_per_object, 1);
}

void table_ratios(FILE *file, const bench_rows *rows) {
    fprintf(file, "\nLimits of this machine\n");
    print_limits(file, rows);
    fprintf(file, "\nRatios\n");
    for (size_t i = 0; i < rows->count; i++)
        if (&rows->data[i] == rows_main(rows, "uniform", rows->data[i].n)) print_uniform(file, rows, &rows->data[i]);
}

static bool print_promise(FILE *file, const char *what, double value, const char *bound, double limit, bool kept) {
    fprintf(file, "  %-66s %9.3g  %s %.3g  %s\n", what, value, bound, limit, kept ? "kept" : "MISSED");
    return kept;
}

bool promise_at_most(FILE *file, const char *what, double value, double limit) {
    return print_promise(file, what, value, "at most", limit, value <= limit);
}

bool promise_at_least(FILE *file, const char *what, double value, double limit) {
    return print_promise(file, what, value, "at least", limit, value >= limit);
}
