// The suite `scaling`: unit cubes from a thousand to ten million, on one thread and on all, beside the limits of the
// machine.
#include "core/bench.h"

#include <string.h>

static const bench_entrant entrants[] = {
    {MAIN_METHOD, .config = {.method = BP_METHOD_HIERARCHICAL_GRID, .threads = 1}},
    {MAIN_METHOD, .config = {.method = BP_METHOD_HIERARCHICAL_GRID, .threads = -1}},
};
enum { ENTRANT_COUNT = sizeof entrants / sizeof *entrants };

static const size_t usual_counts[] = {1000, 3000, 10000, 30000, 100000, 300000, 1000000, 3000000, 10000000, 0};
static const char *const usual_scenes[] = {"uniform", NULL};
static const char *const no_peers[] = {NULL};
static const char *const fastest_peer[] = {"embree", NULL};
enum { PEER_MAX = 1000000 }; // a peer takes a quarter of a minute for a step of ten million

static bench_case make_case(const bench_options *options, const char *name, size_t n) {
    bench_case c = {.scene = name, .n = n, .options.motion = 0.2};
    c.entrants = entrants;
    c.entrant_count = options->thread_count ? 0 : ENTRANT_COUNT; // else the usual rows, which go by --threads
    c.peers = n <= PEER_MAX ? fastest_peer : no_peers;
    c.warmups = options->warmups ? options->warmups : 2;
    c.repeats = options->repeats ? options->repeats : n <= 100000 ? 11 : 5;
    c.weight = 0.1 + 5e-6 * (double)n * (n <= PEER_MAX ? 2 : 1);
    return c;
}

size_t scaling_cases(const bench_options *options, bench_case *cases, size_t capacity) {
    const char *const *scenes = options->scene_count ? options->scenes : usual_scenes;
    const size_t *counts = options->count_count ? options->counts : usual_counts;
    size_t count = 0;
    for (; *scenes; scenes++)
        for (const size_t *n = counts; *n && count < capacity; n++) cases[count++] = make_case(options, *scenes, *n);
    return count;
}

// ---- summary -------------------------------------------------------------------------------------------------------

// Bytes per millisecond, read and written.
static double copy_speed(const bench_rows *rows) {
    for (size_t i = 0; i < rows->count; i++) {
        const bench_row *row = &rows->data[i];
        if (strcmp(row->who, LIMIT) == 0 && strcmp(row->method, "copy") == 0) return 2 * (double)row->n / row->total_ms;
    }
    return 0;
}

// No method can do with less than reading all boxes once and writing all pairs once.
static double least_ms(const bench_rows *rows, const bench_row *row) {
    const double bytes = (double)row->n * sizeof(bp_box) + (double)row->pairs * sizeof(bp_pair);
    return bytes / copy_speed(rows);
}

// The row with most threads.
static const bench_row *row_with_most_threads(const bench_rows *rows, const bench_row *own) {
    const bench_row *best = own;
    for (size_t i = 0; i < rows->count; i++) {
        const bench_row *row = &rows->data[i];
        const bool same = row->runs && row->n == own->n && row_is_ours(row) && strcmp(row->scene, own->scene) == 0;
        if (same && strcmp(row->method, MAIN_METHOD) == 0 && row->threads > best->threads) best = row;
    }
    return best;
}

static void print_line(const bench_rows *rows, const bench_row *own) {
    const bench_row *parallel = row_with_most_threads(rows, own);
    const bench_row *sort = rows_find(rows, "", own->n, LIMIT, "radix-sort", 1);
    printf("  %-12s %9zu %12.1f %5d %12.1f %9.2f %9.0f", own->scene, own->n, 1e6 * own->total_ms / (double)own->n,
           parallel->threads, 1e6 * parallel->total_ms / (double)own->n, own->total_ms / parallel->total_ms,
           own->bytes_per_object);
    printf(" %9.2f %9.1f %%\n", sort ? own->total_ms / sort->total_ms : 0, 100 * least_ms(rows, own) / own->total_ms);
}

void scaling_summary(const bench_options *options, bench_session *session) {
    const bench_rows *rows = session_rows(session);
    quick_summary(options, session);
    puts("\nScaling: time per object, and beside the limits of the machine: how many radix sorts of as many keys a "
         "step\n"
         "takes, and the share of it in which boxes could be read and pairs written at the speed of a copy");
    printf("  %-12s %9s %12s %5s %12s %9s %9s %9s %11s\n", "scene", "objects", "ns, 1 thread", "thr", "ns, all",
           "speed-up", "B/obj", "sorts", "of copying");
    for (size_t i = 0; i < rows->count; i++)
        if (&rows->data[i] == rows_main(rows, rows->data[i].scene, rows->data[i].n)) print_line(rows, &rows->data[i]);
}
