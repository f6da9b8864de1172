// Rows as tables.
#include "core/bench.h"

#include <stdlib.h>
#include <string.h>

// Papers measured on other machines.
const char *table_ratio(const bench_row *row, const bench_row *own, char text[RATIO_TEXT]) {
    char cell[RATIO_TEXT - 8];
    const double ratio = own ? row->total_ms / own->total_ms : 0;
    if (!row_is_measured(row))
        snprintf(cell, sizeof cell, "(%s)", strcmp(row->who, PAPER) == 0 ? "elsewhere" : "counted");
    else if (!own || row == own)
        snprintf(cell, sizeof cell, "%s", own ? "1" : "");
    else if (ratio >= 1)
        snprintf(cell, sizeof cell, "\xc3\x97%.1f slower", ratio);
    else
        snprintf(cell, sizeof cell, "\xc3\x97%.2f faster", 1 / ratio);
    const int pad = cell[0] == '\xc3' ? 15 : 14; // one character of two bytes
    snprintf(text, RATIO_TEXT, "%-*s", pad, cell);
    return text;
}

const char *table_tail(const bench_row *row, bool micro, char text[TAIL_TEXT]) {
    char p99[16] = "", worst[16] = "";
    const int digits = micro ? 1 : 3;
    const double unit = micro ? 1e3 : 1;
    if (row->p99_ms > 0) snprintf(p99, sizeof p99, "%.*f", digits, unit * row->p99_ms);
    if (row->worst_ms > 0) snprintf(worst, sizeof worst, "%.*f", digits, unit * row->worst_ms);
    snprintf(text, TAIL_TEXT, "%10.10s %10.10s", p99, worst);
    return text;
}

static void print_row(FILE *file, const bench_row *row, const bench_row *own, int width) {
    char tail[TAIL_TEXT], ratio[RATIO_TEXT], tests[24] = "", bytes[16] = "", few[16] = "", spread[16] = "-";
    if (row->tests) snprintf(tests, sizeof tests, "%llu", (unsigned long long)row->tests);
    if (row->bytes_per_object > 0) snprintf(bytes, sizeof bytes, "%.0f", row->bytes_per_object);
    if (row->runs > 1) snprintf(spread, sizeof spread, "%.0f %%", 100 * row->spread);
    if (row->runs < 5 && row_is_measured(row))
        snprintf(few, sizeof few, "  (%zu run%s)", row->runs, row->runs == 1 ? "" : "s");
    fprintf(file, "  %-10s  %-*s %3d %10.3f %10.3f %10.3f %s %7s  %s %9zu  %016llx %11s %6s%s\n", row->who, width,
            row->method, row->threads, row->update_ms, row->find_ms, row->total_ms, table_tail(row, false, tail),
            spread, table_ratio(row, own, ratio), row->pairs, (unsigned long long)row->hash, tests, bytes, few);
}

static int longest_method(const bench_row *const *sorted, size_t count) {
    size_t longest = 24;
    for (size_t i = 0; i < count; i++)
        longest = strlen(sorted[i]->method) > longest ? strlen(sorted[i]->method) : longest;
    return (int)longest;
}

static bool said_before(const bench_row *const *sorted, size_t i) {
    for (size_t j = 0; j < i; j++)
        if (!sorted[j]->runs && strcmp(sorted[j]->why, sorted[i]->why) == 0) return true;
    return false;
}

// A line per reason.
static void print_left_out(FILE *file, const bench_row *const *sorted, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (sorted[i]->runs || said_before(sorted, i)) continue;
        fprintf(file, "  not run (%s):", sorted[i]->why);
        for (size_t j = i; j < count; j++)
            if (!sorted[j]->runs && strcmp(sorted[j]->why, sorted[i]->why) == 0)
                fprintf(file, " %s-%s", sorted[j]->who, sorted[j]->method);
        fputc('\n', file);
    }
}

void table_group(FILE *file, const bench_rows *rows, size_t first) {
    const size_t count = rows->count - first;
    const bench_row **sorted = malloc((count + 1) * sizeof *sorted);
    if (!count || !sorted) {
        free(sorted);
        return;
    }
    for (size_t i = 0; i < count; i++) sorted[i] = &rows->data[first + i];
    const bench_row *own = rows_main(rows, sorted[0]->scene, sorted[0]->n);
    const int width = longest_method(sorted, count);
    fprintf(file, "\n%s, %zu objects\n", sorted[0]->scene, sorted[0]->n);
    fprintf(file, "  %-10s  %-*s %3s %10s %10s %10s %10s %10s %7s  %-14s %9s  %-16s %11s %6s\n", "who", width, "method",
            "thr", "update ms", "find ms", "total ms", "p99 ms", "worst ms", "spread", "beside ours", "pairs", "hash",
            "tests", "B/obj");
    qsort(sorted, count, sizeof *sorted, rows_by_time);
    for (size_t i = 0; i < count && sorted[i]->runs; i++) print_row(file, sorted[i], own, width);
    print_left_out(file, sorted, count);
    fflush(file);
    free(sorted);
}

void table_summary(FILE *file, const bench_rows *rows) {
    fprintf(file, "\nSummary: one thread, the whole step\n");
    fprintf(file, "  %-20s %9s %11s   %-22s %11s %8s\n", "scene", "objects", "ours ms", "fastest packaged peer",
            "its ms", "ratio");
    for (size_t i = 0; i < rows->count; i++) {
        const bench_row *own = &rows->data[i];
        if (own != rows_main(rows, own->scene, own->n)) continue;
        const bench_row *peer = rows_fastest_peer(rows, own->scene, own->n);
        char name[2 * NAME_SIZE + 2] = "-";
        if (peer) snprintf(name, sizeof name, "%s %s", peer->who, peer->method);
        fprintf(file, "  %-20s %9zu %11.3f   %-22s", own->scene, own->n, own->total_ms, name);
        if (peer) fprintf(file, " %11.3f %8.1f", peer->total_ms, peer->total_ms / own->total_ms);
        fputc('\n', file);
    }
}
