// The machine's own limits, measured in the same run: how fast memory is copied, and how fast (key, index) pairs are
// sorted. A grid that is built by sorting cannot be much faster than the sort.
#include "core/bench.h"

#include <stdlib.h>
#include <string.h>

typedef struct item {
    uint32_t key, index;
} item;

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, PASSES = 4 };

static uint32_t digit_of(uint32_t key, int pass) {
    return key >> (DIGIT_BITS * pass) & (DIGITS - 1);
}

// The histograms of all passes in one read.
static void count_digits(const item *items, size_t count, uint32_t offsets[PASSES][DIGITS]) {
    memset(offsets, 0, PASSES * sizeof *offsets);
    for (size_t i = 0; i < count; i++) {
        const uint32_t key = items[i].key;
        offsets[0][digit_of(key, 0)]++;
        offsets[1][digit_of(key, 1)]++;
        offsets[2][digit_of(key, 2)]++;
        offsets[3][digit_of(key, 3)]++;
    }
    for (int pass = 0; pass < PASSES; pass++) {
        uint32_t sum = 0;
        for (int d = 0; d < DIGITS; d++) {
            const uint32_t own = offsets[pass][d];
            offsets[pass][d] = sum;
            sum += own;
        }
    }
}

// Four passes: the result is back in `items`.
static void radix_sort(item *items, item *scratch, size_t count) {
    uint32_t offsets[PASSES][DIGITS];
    count_digits(items, count, offsets);
    for (int pass = 0; pass < PASSES; pass++) {
        uint32_t *next = offsets[pass];
        for (size_t i = 0; i < count; i++) scratch[next[digit_of(items[i].key, pass)]++] = items[i];
        item *other = items;
        items = scratch;
        scratch = other;
    }
}

static void fill_random(item *items, size_t count) {
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < count; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        items[i] = (item){(uint32_t)(state >> 32), (uint32_t)i};
    }
}

static bool is_sorted(const item *items, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (items[i - 1].key > items[i].key) return false;
    return true;
}

static void finish_row(bench_row *row, double *times, size_t count, bench_rows *rows) {
    snprintf(row->who, sizeof row->who, LIMIT);
    row->threads = 1;
    row->runs = count;
    row_set_totals(row, times, count, 1);
    rows_add(rows, row);
}

enum { LIMIT_RUNS = 9 };

void limits_measure_sort(size_t n, bench_rows *rows) {
    if (rows_find(rows, "", n, LIMIT, "radix-sort", 1)) return;
    double times[LIMIT_RUNS];
    item *items = malloc(n * sizeof *items), *scratch = malloc(n * sizeof *scratch);
    if (!items || !scratch) abort();
    memset(scratch, 0, n * sizeof *scratch);
    for (int run = 0; run < LIMIT_RUNS; run++) {
        fill_random(items, n);
        const double start = seconds_now();
        radix_sort(items, scratch, n);
        times[run] = 1e3 * (seconds_now() - start);
    }
    if (!is_sorted(items, n)) abort();
    bench_row row = {.n = n, .method = "radix-sort"};
    finish_row(&row, times, LIMIT_RUNS, rows);
    free(items);
    free(scratch);
}

void limits_measure_copy(bench_rows *rows) {
    const size_t size = (size_t)1 << 28;
    if (rows_find(rows, "", size, LIMIT, "copy", 1)) return;
    double times[LIMIT_RUNS];
    char *from = malloc(size), *to = malloc(size);
    if (!from || !to) abort();
    memset(from, 1, size);
    memset(to, 2, size);
    for (int run = 0; run < LIMIT_RUNS; run++) {
        const double start = seconds_now();
        memcpy(to, from, size);
        times[run] = 1e3 * (seconds_now() - start);
        from[run] = to[size - 1 - (size_t)run]; // the copy is used
    }
    bench_row row = {.n = size, .method = "copy"};
    finish_row(&row, times, LIMIT_RUNS, rows);
    free(from);
    free(to);
}
