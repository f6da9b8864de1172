// The suites `surfaces` and `between`: the boxes of triangles alone, and two sets against each other, beside other libraries.
//
// All contestants take steps in turns, on the same boxes, and must find the same pairs. Times are processor times of
// the thread, medians.
#include "suites/matcher.h"

#include <math.h>
#include <string.h>

static const sets_case surface_cases[] = {
    {.name = "scan", .scene = "scan", .is_alone = true, .is_surface = true},
    {.name = "cloth", .scene = "cloth", .is_alone = true, .is_surface = true},
    {.name = "terrain", .scene = "terrain", .is_alone = true, .is_surface = true},
    {.name = "cloth-on-body", .scene = "cloth-on-body", .is_alone = true, .is_surface = true},
    {.name = "scan-pair", .scene = "scan-pair", .is_alone = true, .is_surface = true},
    {0},
};

static const sets_case between_cases[] = {
    {.name = "scan-pair", .scene = "scan-pair", .is_surface = true},
    {.name = "cloth-on-body", .scene = "cloth-on-body", .is_surface = true},
    {.name = "terrain", .scene = "terrain", .is_surface = true},
    {.name = "uniform", .scene = "uniform"},
    {.name = "mixed", .scene = "mixed"},
    {.name = "long", .scene = "long"},
    {.name = "small-large", .scene = "uniform", .second_share = 0.01, .growth = 8},
    {.name = "inside", .scene = "uniform", .scale = 0.1},
    {.name = "beside", .scene = "uniform", .shift = 0.95},
    {.name = "apart", .scene = "uniform", .shift = 1.5},
    {0},
};

const char *const surfaces_parts[] = {"scan", "cloth", "terrain", "cloth-on-body", "scan-pair", NULL};
const char *const between_parts[] = {"scan-pair",   "cloth-on-body", "terrain", "uniform", "mixed", "long",
                                     "small-large", "inside",        "beside",  "apart",   NULL};

// Those of all peers that are good at one set of this kind. (Bullet's margins are larger than most triangles.)
static const char *const peers_alone[] = {"boost", "embree", "cgal", "fcl-tree", NULL};

// What is promised: the fastest peer's time / ours, from MANY objects on; and tests beside those of our bvh.
enum { MANY = 10000 };
static const double PROMISED_SURFACES = 6, PROMISED_OTHERS = 5, PROMISED_TESTS = 20;

#define CALL "one-call"
#define WORLD "world"
#define WORLD_STATICS "world/static-first"
#define CALL_BVH "one-call/bvh"

enum { MAX_MATCHERS = 24 };
static const double slow_ratio = 8, slow_seconds = 0.2; // such a contestant takes one step only

typedef struct match {
    const sets_case *c;
    char label[NAME_SIZE];
    size_t n;
    moving_sets sets;
    matcher *list;
    size_t count;
    size_t step, settle, warmups, repeats;
    bench_session *session;
} match;

// ---- who takes part ------------------------------------------------------------------------------------------------

static void add_ours(match *m, matcher_kind kind, const char *name, bp_method method) {
    if (m->count < MAX_MATCHERS) m->list[m->count++] = matcher_ours(kind, name, (bp_config){.method = method});
}

static void add_peers_alone(match *m, const bench_options *options, const bench_library *library) {
    for (const bench_peer *peer = library->peers; peer && peer->who; peer++)
        for (const char *const *name = peers_alone; *name; name++)
            if (peer_has_name(peer->who, peer->method, *name) && options_have_peer(options, peer->who, peer->method) &&
                m->count < MAX_MATCHERS)
                m->list[m->count++] = matcher_peer(peer);
}

static void add_peers_between(match *m, const bench_options *options, const bench_library *library) {
    for (const bench_sets_peer *peer = library->sets; peer && peer->who; peer++)
        if (options_have_peer(options, peer->who, peer->method) && m->count < MAX_MATCHERS)
            m->list[m->count++] = matcher_sets_peer(peer);
}

static void choose_beside_peers(match *m, const bench_options *options) {
    char name[NAME_SIZE];
    add_ours(m, MATCH_CALL, CALL, BP_METHOD_AUTO);
    add_ours(m, MATCH_WORLD, WORLD, BP_METHOD_AUTO);
    if (!m->c->is_alone) add_ours(m, MATCH_WORLD_STATICS, WORLD_STATICS, BP_METHOD_AUTO);
    if (m->c->is_surface) add_ours(m, MATCH_CALL, CALL_BVH, BP_METHOD_BVH);
    snprintf(name, sizeof name, CALL "/%s", bp_method_name((size_t)options->method));
    if (options->has_method) add_ours(m, MATCH_CALL, name, options->method);
    for (size_t i = 0; i < bench_library_count; i++)
        (m->c->is_alone ? add_peers_alone : add_peers_between)(m, options, &bench_libraries[i]);
}

// ---- steps ---------------------------------------------------------------------------------------------------------

static bool is_counted(const match *m) {
    return m->step >= m->settle + m->warmups;
}

// Before the last few steps only those that keep a structure take steps. One that is slow has taken its only one.
static bool takes_part(const match *m, const matcher *one, double fastest) {
    const bool is_slow = one->seconds > slow_seconds && one->seconds > slow_ratio * fastest;
    return !one->failure && !is_slow && (m->step >= m->settle || matcher_keeps(one));
}

static double fastest_seconds(const match *m) {
    double fastest = INFINITY;
    for (size_t i = 0; i < m->count; i++)
        if (m->list[i].seconds > 0) fastest = fmin(fastest, m->list[i].seconds);
    return fastest;
}

static void compare(const match *m, const matcher *one, const matcher *other) {
    if (one->pair_count == other->pair_count && one->hash == other->hash) return;
    session_fail(m->session, "WRONG PAIRS: %s, %zu objects, step %zu: %s %s: %zu pairs, %s %s: %zu", m->label, m->n,
                 m->step, one->who, one->method, one->pair_count, other->who, other->method, other->pair_count);
}

// The order rotates, so that no contestant always runs after the same other one.
static void take_step(match *m) {
    const bench_sets sets = moving_sets_now(&m->sets);
    const double fastest = fastest_seconds(m);
    const matcher *before = NULL;
    for (size_t i = 0; i < m->count && !bench_interrupted; i++) {
        matcher *one = &m->list[(i + m->step) % m->count];
        if (!takes_part(m, one, fastest)) continue;
        meter_show(m->label);
        if (!matcher_step(one, &sets, is_counted(m) || one->seconds > slow_seconds)) {
            session_fail(m->session, "%s, %zu objects: %s %s: %s", m->label, m->n, one->who, one->method, one->failure);
            continue;
        }
        if (before) compare(m, one, before);
        before = one;
    }
}

// A slow one that never had a step that counts has its first one as its row.
static void keep_slow(matcher *one) {
    if (one->runs || one->failure || !(one->seconds > 0)) return;
    one->total_ms[0] = 1e3 * one->seconds;
    one->update_ms[0] = 1e3 * one->update_seconds;
    one->runs = 1;
}

static void finish(match *m) {
    for (size_t i = 0; i < m->count; i++) {
        bench_row row;
        keep_slow(&m->list[i]);
        matcher_row(&m->list[i], m->label, m->n, &row);
        if (!bench_interrupted) rows_add(session_rows(m->session), &row);
        matcher_destroy(&m->list[i]);
    }
    moving_sets_close(&m->sets);
}

static size_t usual_repeats(size_t n) {
    return n <= 1000 ? 101 : n <= 5000 ? 31 : n <= 20000 ? 11 : 5;
}

typedef void choose_matchers(match *m, const bench_options *options);

static void run_case(const bench_options *options, const sets_case *c, size_t n, choose_matchers *choose,
                     bench_session *session) {
    match m = {.c = c, .n = n, .session = session, .list = calloc(MAX_MATCHERS, sizeof *m.list)};
    if (!m.list) abort();
    snprintf(m.label, sizeof m.label, "%s/%s", options->suite, c->name);
    m.warmups = options->warmups ? options->warmups : 2;
    m.repeats = options->repeats ? options->repeats : usual_repeats(n);
    m.settle = options->warmups ? 0 : n <= 300000 ? 30 : 10;
    const char *error = moving_sets_open(&m.sets, c, n);
    if (error) {
        session_fail(session, "%s, %zu objects: %s", m.label, n, error);
    } else {
        choose(&m, options);
        for (; m.step < m.settle + m.warmups + m.repeats && !bench_interrupted; m.step++) {
            moving_sets_step(&m.sets);
            take_step(&m);
        }
        finish(&m);
    }
    free(m.list);
}

// ---- all cases -----------------------------------------------------------------------------------------------------

static const size_t usual_counts[] = {1000, 10000, 100000};

static double weight_of(size_t n) {
    return 0.2 + 1e-5 * (double)n;
}

static size_t counts_of(const bench_options *options, const size_t **counts) {
    *counts = options->count_count ? options->counts : usual_counts;
    return options->count_count ? options->count_count : sizeof usual_counts / sizeof *usual_counts;
}

static void run_cases(const bench_options *options, const sets_case *cases, choose_matchers *choose,
                      bench_session *session) {
    char label[NAME_SIZE];
    const size_t *counts;
    const size_t count = counts_of(options, &counts);
    for (size_t k = 0; k < count; k++)
        for (const sets_case *c = cases; c->name; c++)
            if (options_ask_for(options, c->name)) session_expect(session, weight_of(counts[k]));
    for (size_t k = 0; k < count; k++)
        for (const sets_case *c = cases; c->name; c++) {
            snprintf(label, sizeof label, "%s/%s", options->suite, c->name);
            if (!options_ask_for(options, c->name)) continue;
            if (!session_wants(session, label, counts[k], weight_of(counts[k]))) continue;
            run_case(options, c, counts[k], choose, session);
            session_done(session);
        }
}

// ---- summaries -----------------------------------------------------------------------------------------------------

typedef struct summary_line {
    const sets_case *c;
    size_t n;
    const bench_row *call, *world, *bvh, *peer;
} summary_line;

static const bench_row *faster(const bench_row *a, const bench_row *b) {
    return !a || (b && b->total_ms < a->total_ms) ? b : a;
}

static summary_line line_of(const bench_options *options, const bench_rows *rows, const sets_case *c, size_t n) {
    char label[NAME_SIZE];
    snprintf(label, sizeof label, "%s/%s", options->suite, c->name);
    return (summary_line){
        .c = c,
        .n = n,
        .call = rows_find(rows, label, n, OURS, CALL, 1),
        .world = faster(rows_find(rows, label, n, OURS, WORLD, 1), rows_find(rows, label, n, OURS, WORLD_STATICS, 1)),
        .bvh = rows_find(rows, label, n, OURS, CALL_BVH, 1),
        .peer = rows_fastest_peer(rows, label, n)};
}

static void print_line(const summary_line *line) {
    char name[2 * NAME_SIZE + 2];
    const double call = line->call->total_ms, world = line->world->total_ms;
    printf("  %-16s %9zu %10.3f %10.3f", line->c->name, line->n, call, world);
    if (line->peer) {
        snprintf(name, sizeof name, "%s %s", line->peer->who, line->peer->method);
        printf("   %-20s %10.3f %8.1f %8.1f", name, line->peer->total_ms, line->peer->total_ms / call,
               line->peer->total_ms / world);
    }
    putchar('\n');
}

static void promise_line(const summary_line *line) {
    char what[2 * NAME_SIZE];
    const double least = line->c->is_surface ? PROMISED_SURFACES : PROMISED_OTHERS;
    const bench_row *ours = faster(line->call, line->world);
    snprintf(what, sizeof what, "%s, %zu: fastest peer / ours, %s", line->c->name, line->n, ours->method);
    if (line->peer) promise_at_least(stdout, what, line->peer->total_ms / ours->total_ms, least);
    snprintf(what, sizeof what, "%s, %zu: tests / bvh's", line->c->name, line->n);
    if (line->bvh && line->bvh->tests && !line->c->is_alone)
        promise_at_most(stdout, what, (double)line->call->tests / (double)line->bvh->tests, PROMISED_TESTS);
}

typedef void take_line(const summary_line *line);

static void for_each_line(const bench_options *options, const bench_rows *rows, const sets_case *cases, size_t least,
                          take_line *take) {
    const size_t *counts;
    const size_t count = counts_of(options, &counts);
    for (const sets_case *c = cases; c->name; c++)
        for (size_t k = 0; k < count; k++) {
            const summary_line line = line_of(options, rows, c, counts[k]);
            if (line.call && line.world && line.n >= least) take(&line);
        }
}

static void print_summary(const bench_options *options, const bench_rows *rows, const sets_case *cases) {
    printf("\nSummary: one thread, the whole step\n  %-16s %9s %10s %10s   %-20s %10s %8s %8s\n", "scene", "objects",
           "call ms", "world ms", "fastest peer", "its ms", "/ call", "/ world");
    for_each_line(options, rows, cases, 0, print_line);
    printf("\nPromises\n");
    for_each_line(options, rows, cases, MANY, promise_line);
}

void surfaces_run(const bench_options *options, bench_session *session) {
    run_cases(options, surface_cases, choose_beside_peers, session);
    print_summary(options, session_rows(session), surface_cases);
}

void between_run(const bench_options *options, bench_session *session) {
    run_cases(options, between_cases, choose_beside_peers, session);
    print_summary(options, session_rows(session), between_cases);
}
