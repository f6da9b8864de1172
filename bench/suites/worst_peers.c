// Beside CGAL: its streamed segment trees are the one packaged broad phase that promises not to be quadratic, alone and
// between two sets.
#include "suites/worst.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Ours, beside the default: the method that is made for hostile shapes.
static const bp_method OURS_FOR_SHAPES = BP_METHOD_SPLIT;

const char *const worst_parts[] = {WORST_PEERS, NULL};

enum { ROUNDS = 3 };
static const size_t usual_counts[] = {100000, 1000000};
static const double LIMIT_SECONDS = 20;

typedef struct peer_case {
    const char *label;
    const char *scene;   // of scenes.h, or NULL
    const char *hostile; // of hostile.h
    bool between;
} peer_case;

static const peer_case cases[] = {
    {"peers/uniform", "uniform", NULL, false},
    {"peers/mixed", "mixed", NULL, false},
    {"peers/long", "long", NULL, false},
    {"peers/needles", NULL, "needles", false},
    {"peers/plates", NULL, "plates", false},
    {"peers/between-uniform", "uniform", NULL, true},
    {"peers/between-mixed", "mixed", NULL, true},
    {"peers/between-long", "long", NULL, true},
    {"peers/between-needles", NULL, "between-needles", true},
    {"peers/between-plates", NULL, "between-plates", true},
};
enum { CASE_COUNT = sizeof cases / sizeof *cases };

static hostile_boxes boxes_of(const peer_case *c, size_t n) {
    char why[HOSTILE_WHY];
    hostile_scene hostile;
    hostile_boxes boxes;
    if (c->scene) return worst_scene_boxes(c->scene, n, c->between);
    if (!hostile_parse(hostile_find(c->hostile), &hostile, why) || !hostile_build(&hostile, n, 1, &boxes)) abort();
    return boxes;
}

static const bench_library *library_named(const char *name) {
    for (size_t i = 0; i < bench_library_count; i++)
        if (strcmp(bench_libraries[i].name, name) == 0) return &bench_libraries[i];
    abort();
}

static size_t list_contestants(const bench_options *options, const hostile_boxes *boxes, worst_contestant *list) {
    const char *name = bp_method_name((size_t)OURS_FOR_SHAPES);
    size_t count = 0;
    list[count++] = (worst_contestant){.who = OURS, .method = "auto", .boxes = boxes};
    list[count++] =
        (worst_contestant){.who = OURS, .method = name, .config = {.method = OURS_FOR_SHAPES}, .boxes = boxes};
    const bench_library *cgal = library_named("cgal");
    const bench_peer *p = boxes->b ? NULL : cgal->peers;
    const bench_sets_peer *s = boxes->b ? cgal->sets : NULL;
    if (p && options_have_peer(options, p->who, p->method))
        list[count++] = (worst_contestant){.who = p->who, .method = p->method, .peer = p, .boxes = boxes};
    if (s && options_have_peer(options, s->who, s->method))
        list[count++] = (worst_contestant){.who = s->who, .method = s->method, .sets_peer = s, .boxes = boxes};
    return count;
}

// The first contestant that came to an end decides what is right: the others must agree.
static void check_pairs(const worst_contestant *list, const worst_result *results, size_t count, const char *label,
                        size_t n, bench_session *session) {
    const worst_result *first = NULL;
    for (size_t i = 0; i < count; i++) {
        const worst_result *r = &results[i];
        if (r->failed) session_fail(session, "%s, %zu objects: %s %s failed", label, n, list[i].who, list[i].method);
        if (!r->rounds) continue;
        first = first ? first : r;
        if (r->pairs != first->pairs || r->hash != first->hash)
            session_fail(session, "WRONG PAIRS: %s, %zu objects: %s %s: %zu pairs, others %zu", label, n, list[i].who,
                         list[i].method, r->pairs, first->pairs);
    }
}

// Each alone, so that one that is ended takes no turns from the others.
static void run_case(const bench_options *options, const peer_case *c, size_t n, bench_session *session) {
    worst_contestant list[WORST_CONTESTANTS];
    worst_result results[WORST_CONTESTANTS];
    hostile_boxes boxes = boxes_of(c, n);
    const size_t count = list_contestants(options, &boxes, list);
    const double limit = options->limit > 0 ? options->limit : LIMIT_SECONDS;
    for (size_t i = 0; i < count && !bench_interrupted; i++) {
        meter_show(c->label);
        worst_measure(&list[i], 1, options->repeats ? options->repeats : ROUNDS, limit, &results[i]);
    }
    for (size_t i = 0; i < count && !bench_interrupted; i++) {
        bench_row row;
        worst_row(&list[i], &results[i], c->label, n, &row);
        if (results[i].rounds || results[i].over_limit) rows_add(session_rows(session), &row);
    }
    if (!bench_interrupted) check_pairs(list, results, count, c->label, n, session);
    hostile_free(&boxes);
}

static void for_all_cases(const bench_options *options, bench_session *session, bool announce) {
    const size_t *counts = options->count_count ? options->counts : usual_counts;
    const size_t count = options->count_count ? options->count_count : sizeof usual_counts / sizeof *usual_counts;
    if (options->scene || options->no_peers || !options_ask_for(options, WORST_PEERS)) return;
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < CASE_COUNT; i++) {
            const double weight = (double)counts[k] * 2e-5;
            if (announce) {
                session_expect(session, weight);
            } else if (session_wants(session, cases[i].label, counts[k], weight)) {
                run_case(options, &cases[i], counts[k], session);
                session_done(session);
            }
        }
}

void worst_peers_expect(const bench_options *options, bench_session *session) {
    for_all_cases(options, session, true);
}

void worst_peers_run(const bench_options *options, bench_session *session) {
    for_all_cases(options, session, false);
}
