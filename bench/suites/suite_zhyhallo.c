// The suite `zhyhallo`: the experiments of Zhyhallo and Wozna-Szczesniak, "Better Spacial Hashing with Linear Memory
// Usage and Parallelism", section 3: objects in scenes of 2,048^2 to 14,336^2 cells, spread evenly (its worst
// case) or crowded in some places (its real case), on one thread and on all.
//
//     pozzer     the table that the paper starts from (peers/pozzer.c): serial, three numbers for each cell
//     dense      two numbers for each cell, on several threads: the paper's section 2.1
//     chunk=C    pivots in chunks of C x C cells, made where objects are: the paper's section 2.2. It leaves the best
//                size open; 32 is our default, and 8 suits cells that are mostly empty
//     std        the standard library's hash map, the paper's other baseline (peers/standard.cpp)
//
// Cells are as large as the objects. What is measured is `update`, which makes the table; the paper searches nothing.
// All sizes of the scene with all numbers of objects are the surface of its Fig. 4a. The paper prints results as charts
// only, so there are no rows of who "paper": the summary quotes its text.
#include "core/bench.h"

#include <string.h>

#define PIVOTS(...) .method = BP_METHOD_PIVOT_GRID, SETTINGS(.cell_size = 1, __VA_ARGS__)
#define DENSE "pivot-grid dense"
#define FINE "pivot-grid chunk=8"
#define COARSE "pivot-grid chunk=32"

enum { ONE_THREAD, ALL_THREADS, LAYOUTS = 3 };

// One thread and all of them one after the other: all dense tables at once would not fit into a small machine.
static const bench_entrant entrants[][LAYOUTS] = {
    [ONE_THREAD] = {{.label = DENSE, .config = {PIVOTS(.pivot_layout = BP_PIVOTS_DENSE)}},
                    {.label = FINE, .config = {PIVOTS(.chunk_size = 8)}},
                    {.label = COARSE, .config = {PIVOTS(.chunk_size = 32)}}},
    [ALL_THREADS] = {{.label = DENSE, .config = {PIVOTS(.pivot_layout = BP_PIVOTS_DENSE), .threads = -1}},
                     {.label = FINE, .config = {PIVOTS(.chunk_size = 8), .threads = -1}},
                     {.label = COARSE, .config = {PIVOTS(.chunk_size = 32), .threads = -1}}},
};
static const char *const layouts[LAYOUTS] = {DENSE, FINE, COARSE};

enum { CELLS_STEP = 2048, CELLS_FEW = 4096, CELLS_MOST = 14336, USUAL_LEAST = 10000 };
static const size_t usual_counts[] = {USUAL_LEAST, 100000, 300000, 0}; // the first is that of Fig. 6
static const char *const baselines[] = {"pozzer", "std", NULL}, *const no_peers[] = {NULL};

const char *const zhyhallo_parts[] = {"uniform-2d", "clustered-2d", NULL};

// ---- measuring -----------------------------------------------------------------------------------------------------

static void make_label(char label[NAME_SIZE], const char *name, size_t cells) {
    snprintf(label, NAME_SIZE, "pivots/%s cells=%zu", name, cells);
}

// A quick trial with a few objects does not need a table of gigabytes.
static size_t most_cells(size_t n) {
    return n < USUAL_LEAST ? CELLS_STEP : CELLS_MOST;
}

// Objects in a scene, of all sizes.
typedef struct subject {
    const char *name; // of the scene
    size_t n;
} subject;

static bool subject_at(const bench_options *options, size_t index, subject *s) {
    const size_t *counts = options->count_count ? options->counts : usual_counts;
    size_t count = 0;
    while (counts[count]) count++;
    *s = (subject){index < 2 * count ? zhyhallo_parts[index / count] : NULL, counts[index % count]};
    return s->name != NULL;
}

// Fig. 6 has one number of objects and all sizes of the scene; of the surface of Fig. 4a every second size will do.
static size_t cells_step(size_t n) {
    return n == USUAL_LEAST ? CELLS_STEP : 2 * CELLS_STEP;
}

// Seconds, roughly.
static double weight_of(size_t cells) {
    return 0.1 + 2e-8 * (double)cells * (double)cells;
}

static void run_point(const bench_options *options, bench_session *session, const subject *s, size_t cells) {
    char label[NAME_SIZE];
    bench_case c = {.scene = s->name, .label = label, .n = s->n, .entrant_count = LAYOUTS};
    make_label(label, s->name, cells);
    c.options.extent = (double)cells;
    c.warmups = options->warmups ? options->warmups : 1;
    c.repeats = options->repeats ? options->repeats : cells <= CELLS_FEW ? 7 : 3;
    c.weight = weight_of(cells);
    if (!session_wants(session, label, s->n, c.weight)) return;
    for (size_t threads = ONE_THREAD; threads <= ALL_THREADS; threads++) {
        c.entrants = entrants[threads];
        c.peers = threads == ONE_THREAD ? baselines : no_peers;
        group_run(options, &c, session_allowance(session, c.weight), session);
    }
    session_done(session);
}

// ---- what is promised ----------------------------------------------------------------------------------------------

static const bench_row *row_of(const bench_rows *rows, const subject *s, size_t cells, const char *method,
                               bool all_threads) {
    char label[NAME_SIZE];
    make_label(label, s->name, cells);
    for (size_t i = 0; i < rows->count; i++) {
        const bench_row *row = &rows->data[i];
        if (row->runs && row->n == s->n && (row->threads > 1) == all_threads && strcmp(row->scene, label) == 0 &&
            strcmp(row->method, method) == 0)
            return row;
    }
    return NULL;
}

// The rows of a layout in the smallest and the largest scene.
typedef struct ends {
    const bench_row *small, *large;
} ends;

static ends ends_of(const bench_rows *rows, const subject *s, const char *method, bool all_threads) {
    return (ends){row_of(rows, s, CELLS_STEP, method, all_threads), row_of(rows, s, CELLS_MOST, method, all_threads)};
}

// Where objects are crowded, memory follows their number. Spread evenly, memory grows with the scene until each object
// has a chunk to itself, which small chunks reach sooner.
static bool follows_objects(const subject *s, const char *method) {
    return strcmp(s->name, "clustered-2d") == 0 &&
           (strcmp(method, FINE) == 0 || (strcmp(method, COARSE) == 0 && s->n == USUAL_LEAST));
}

// What the scene's growth adds for each cell that it adds: of a dense table two numbers, 8 bytes, however many objects
// there are; a little less where these then share fewer cells.
static double bytes_of_a_cell(const subject *s, const ends *e) {
    const double cells = (double)CELLS_MOST * CELLS_MOST - (double)CELLS_STEP * CELLS_STEP;
    return (e->large->bytes_per_object - e->small->bytes_per_object) * (double)s->n / cells;
}

static void print_growth(bench_session *session, const subject *s, const char *method) {
    const ends e = ends_of(session_rows(session), s, method, false);
    char what[2 * NAME_SIZE];
    bool kept = true;
    if (!e.small || !e.large) return;
    const double growth = e.large->bytes_per_object / e.small->bytes_per_object;
    snprintf(what, sizeof what, "%s, %zu objects, %s", s->name, s->n, method);
    if (follows_objects(s, method))
        kept = promise_at_most(stdout, what, growth, 1.1);
    else
        printf("  %-66s %9.3g\n", what, growth);
    if (strcmp(method, DENSE) == 0) {
        snprintf(what, sizeof what, "%s, %zu objects, %s: bytes for each cell more", s->name, s->n, method);
        kept = promise_at_least(stdout, what, bytes_of_a_cell(s, &e), 7);
    }
    if (!kept) session_fail(session, "%s: memory grows %.3g times", what, growth);
}

static void print_shares(const bench_rows *rows, const subject *s, const char *method) {
    const bench_row *dense = row_of(rows, s, CELLS_MOST, DENSE, false);
    const bench_row *chunked = row_of(rows, s, CELLS_MOST, method, false);
    if (dense && chunked && dense != chunked)
        printf("  %-14s %8zu objects  %-20s bytes 1/%.0f, time 1/%.1f\n", s->name, s->n, method,
               dense->bytes_per_object / chunked->bytes_per_object, dense->update_ms / chunked->update_ms);
}

static void print_baseline(const bench_rows *rows, const subject *s, const char *layout, const char *baseline) {
    double least = 1e30, most = 0;
    for (size_t cells = CELLS_STEP; cells <= CELLS_MOST; cells += CELLS_STEP) {
        const bench_row *own = row_of(rows, s, cells, layout, true), *other = row_of(rows, s, cells, baseline, false);
        if (!own) own = row_of(rows, s, cells, layout, false);
        if (!own || !other) continue;
        const double ratio = other->update_ms / own->update_ms;
        least = ratio < least ? ratio : least;
        most = ratio > most ? ratio : most;
    }
    if (most > 0)
        printf("  %-14s %8zu objects  %-20s %-14s %8.2f %8.2f\n", s->name, s->n, layout, baseline, least, most);
}

static void print_baselines(const bench_rows *rows, const subject *s, const char *layout) {
    print_baseline(rows, s, layout, "table");
    print_baseline(rows, s, layout, "unordered-map");
}

static void print_times(const bench_rows *rows, const subject *s, const char *method) {
    const ends one = ends_of(rows, s, method, false), all = ends_of(rows, s, method, true);
    if (one.small && one.large && all.small && all.large)
        printf("  %-14s %8zu objects  %-20s %8.2f %8.2f %12.1f\n", s->name, s->n, method,
               one.small->update_ms / all.small->update_ms, one.large->update_ms / all.large->update_ms,
               one.large->update_ms / one.small->update_ms);
}

static void print_summary(const bench_options *options, bench_session *session) {
    const bench_rows *rows = session_rows(session);
    subject s;
    printf("\nBytes at %d^2 / bytes at %d^2 cells, which are 49 times as many\n", CELLS_MOST, CELLS_STEP);
    puts("Zhyhallo and Woźna-Szcześniak: crowded, they depend on the number of objects alone (Fig. 5b); spread evenly, "
         "they "
         "grow (Fig. 5a)");
    for (size_t i = 0; subject_at(options, i, &s); i++)
        for (size_t k = 0; k < LAYOUTS; k++) print_growth(session, &s, layouts[k]);
    printf("\nChunks beside the dense table, %d^2 cells, one thread\n", CELLS_MOST);
    for (size_t i = 0; subject_at(options, i, &s); i++)
        for (size_t k = 0; k < LAYOUTS; k++) print_shares(rows, &s, layouts[k]);
    printf("\nTime of Pozzer's table and of a standard hash map / time of ours, least and most over all sizes\n");
    puts("Zhyhallo and Woźna-Szcześniak: Pozzer's table takes 2 to 4 times as long as the parallel one, on 16 threads "
         "(Fig. 4a)");
    for (size_t i = 0; subject_at(options, i, &s); i++)
        for (size_t k = 0; k < LAYOUTS; k++) print_baselines(rows, &s, layouts[k]);
    printf("\nTime on one thread / on all, at %d^2 and %d^2 cells; and time on one thread, the latter / the former\n",
           CELLS_STEP, CELLS_MOST);
    puts("Zhyhallo and Woźna-Szcześniak: 2 to 4 on 16 threads, bound by memory (Fig. 4a); crowded, chunks do not "
         "depend on "
         "the scene (Fig. 6a)");
    for (size_t i = 0; subject_at(options, i, &s); i++)
        for (size_t k = 0; k < LAYOUTS; k++) print_times(rows, &s, layouts[k]);
}

void zhyhallo_run(const bench_options *options, bench_session *session) {
    subject s;
    for (size_t i = 0; subject_at(options, i, &s); i++)
        for (size_t cells = CELLS_STEP; cells <= most_cells(s.n); cells += cells_step(s.n))
            if (options_ask_for(options, s.name)) session_expect(session, weight_of(cells));
    for (size_t i = 0; subject_at(options, i, &s); i++)
        for (size_t cells = CELLS_STEP; cells <= most_cells(s.n); cells += cells_step(s.n))
            if (options_ask_for(options, s.name)) run_point(options, session, &s, cells);
    print_summary(options, session);
}
