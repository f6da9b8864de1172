// The suite `near`: neighbours as scientists have them, 30 a point, in open space and in a periodic box, with 32 and 64
// bits; the grid of points beside the way of boxes, which is what a method that is asked for takes. Times are processor
// times of the thread; contestants take turns. (SciPy has a script of its own: bench/scipy_neighbors.py.)
#include "core/bench.h"

#include <random.h>

#include <math.h>
#include <string.h>

enum { ROUNDS_MAX = 31 };

static const double NEAR = 30;

typedef struct near_points {
    size_t n;
    double edge; // of the box they are in, in radii
    float *narrow;
    double *wide;
} near_points;

// A way to ask.
static const struct {
    const char *name;
    bool wide, whole; // 64 bits; each pair in both rows
    bp_method method;
} ways[] = {
    {"points/32-bits", false, false, BP_METHOD_AUTO},
    {"points/64-bits", true, false, BP_METHOD_AUTO},
    {"points/32-bits-whole", false, true, BP_METHOD_AUTO},
    {"boxes/32-bits", false, false, BP_METHOD_HIERARCHICAL_GRID},
    {"boxes/64-bits", true, false, BP_METHOD_HIERARCHICAL_GRID},
    {"boxes/32-bits-whole", false, true, BP_METHOD_HIERARCHICAL_GRID},
};
enum { WAY_COUNT = sizeof ways / sizeof *ways };

typedef struct contestant {
    bp_neighbors rows;
    bp_stats stats;
    double seconds[ROUNDS_MAX];
    uint64_t hash;
} contestant;

static uint64_t hash_of_rows(const bp_neighbors *rows) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t row = 0; row < rows->count; row++) hash = (hash ^ rows->offsets[row + 1]) * 0x100000001b3u;
    for (size_t i = 0; i < rows->offsets[rows->count]; i++) hash = (hash ^ rows->indices[i]) * 0x100000001b3u;
    return hash;
}

static bool ask(const near_points *points, bool periodic, size_t way, contestant *c, size_t round) {
    const float edge = periodic ? (float)points->edge : 0.0f;
    const bp_config config = {.method = ways[way].method,
                              .flags = ways[way].whole ? 0 : BP_NEIGHBORS_HALF,
                              .period = {edge, edge, edge},
                              .stats = &c->stats};
    const double start = thread_seconds();
    const bp_status status = ways[way].wide ? bp_find_neighbors_double(points->wide, points->n, 1.0, &config, &c->rows)
                                            : bp_find_neighbors(points->narrow, points->n, 1.0f, &config, &c->rows);
    c->seconds[round] = thread_seconds() - start;
    return status == BP_OK;
}

static void add_row(bench_session *session, const char *label, size_t n, size_t way, contestant *c, size_t rounds) {
    bench_row row = {.n = n, .threads = 1, .runs = rounds, .pairs = c->stats.pairs, .tests = c->stats.tests};
    snprintf(row.scene, sizeof row.scene, "%s", label);
    snprintf(row.who, sizeof row.who, "%s", OURS);
    snprintf(row.method, sizeof row.method, "%s", ways[way].name);
    row_set_totals(&row, c->seconds, rounds, 1e3);
    row.find_ms = row.total_ms; // the call's own times are not processor times
    row.hash = c->hash;
    row.bytes_per_object = (double)c->stats.bytes / (double)n;
    rows_add(session_rows(session), &row);
}

// Both ways must find the same rows; 32 and 64 bits are different points.
static void verify(bench_session *session, const char *label, contestant *list) {
    for (size_t way = 0; way < WAY_COUNT; way++) list[way].hash = hash_of_rows(&list[way].rows);
    for (size_t way = 0; way < WAY_COUNT / 2; way++) {
        const size_t other = way + WAY_COUNT / 2;
        if (list[way].hash == list[other].hash) continue;
        session_fail(session, "%s: %s and %s find different rows", label, ways[way].name, ways[other].name);
    }
}

static void run_space(const bench_options *options, bench_session *session, const near_points *points, bool periodic,
                      const char *label) {
    const size_t usual = points->n > 500000 ? 5 : 11, wanted = options->repeats ? options->repeats : usual;
    const size_t rounds = wanted < ROUNDS_MAX ? wanted : ROUNDS_MAX;
    contestant list[WAY_COUNT] = {0};
    bool good = true;
    for (size_t way = 0; way < WAY_COUNT; way++) good &= ask(points, periodic, way, &list[way], 0); // warms up
    for (size_t round = 0; round < rounds && !bench_interrupted; round++)
        for (size_t way = 0; way < WAY_COUNT; way++) good &= ask(points, periodic, way, &list[way], round);
    if (good && !bench_interrupted) {
        verify(session, label, list);
        for (size_t way = 0; way < WAY_COUNT; way++) add_row(session, label, points->n, way, &list[way], rounds);
    } else if (!good) {
        session_fail(session, "%s, n %zu: a search has failed", label, points->n);
    }
    for (size_t way = 0; way < WAY_COUNT; way++) bp_neighbors_free(&list[way].rows, NULL);
}

static near_points draw_points(size_t n) {
    near_points points = {.n = n, .edge = cbrt((double)n * 4.0 / 3.0 * 3.14159265358979 / NEAR)};
    rng random = rng_seeded(30);
    points.narrow = malloc((3 * n + 1) * sizeof *points.narrow);
    points.wide = malloc((3 * n + 1) * sizeof *points.wide);
    if (!points.narrow || !points.wide) abort();
    for (size_t i = 0; i < 3 * n; i++) {
        points.wide[i] = points.edge * rng_unit(&random);
        points.narrow[i] = (float)points.wide[i];
    }
    return points;
}

static double time_of(bench_session *session, const char *label, size_t n, const char *way) {
    const bench_row *row = rows_find(session_rows(session), label, n, OURS, way, 1);
    return row ? row->total_ms : 0;
}

static void print_ratios_of(bench_session *session, size_t n) {
    for (size_t way = 0; way < WAY_COUNT / 2; way++) {
        const double open = time_of(session, "open", n, ways[way].name);
        const double periodic = time_of(session, "periodic", n, ways[way].name);
        const double boxes = time_of(session, "open", n, ways[way + WAY_COUNT / 2].name);
        char what[2 * NAME_SIZE];
        if (open <= 0 || periodic <= 0) continue;
        snprintf(what, sizeof what, "%zu, %s: periodic / open", n, ways[way].name);
        promise_at_most(stdout, what, periodic / open, 1.25);
        printf("  %zu, %s: boxes / points %.2f\n", n, ways[way].name, boxes / open);
    }
}

void near_run(const bench_options *options, bench_session *session) {
    static const char *const labels[] = {"open", "periodic"};
    static const size_t usual_counts[] = {10000, 100000, 1000000, 0};
    const size_t *const counts = options->count_count ? options->counts : usual_counts;
    for (const size_t *n = counts; *n; n++) session_expect(session, 2 * (double)*n);
    for (const size_t *n = counts; *n; n++) {
        near_points points = draw_points(*n);
        for (int periodic = 0; periodic < 2; periodic++) {
            if (!session_wants(session, labels[periodic], *n, (double)*n)) continue;
            run_space(options, session, &points, periodic != 0, labels[periodic]);
            session_done(session);
        }
        free(points.narrow);
        free(points.wide);
    }
    printf("\nRatios\n");
    for (const size_t *n = counts; *n; n++) print_ratios_of(session, *n);
}
