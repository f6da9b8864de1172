// The suite `auto`: is the method that the library chooses the best one? Every scene, 10^3 to 10^6 objects, of which 20
// %, 1 % or 0.1 % move in a step; and three scenes that change their nature (nature.c).
#include "suites/contest.h"
#include "suites/crowd.h"
#include "suites/nature.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double shares[] = {0.2, 0.01, 0.001};
static const size_t counts[] = {1000, 10000, 100000, 1000000};
enum { SHARE_COUNT = sizeof shares / sizeof *shares, COUNT_COUNT = sizeof counts / sizeof *counts };

// A method that took so many times as long as the best, at a smaller n or in a warm-up, is dropped.
static const double HOPELESS = 8, HOPELESS_LARGE = 3;
static const double MEAN_PROMISED = 1.15, MOST_PROMISED = 1.5;

typedef struct point {
    const char *scene;
    char label[NAME_SIZE];
    size_t n;
    double share;
} point;

static point point_of(const char *name, size_t n, double share) {
    point p = {.scene = name, .n = n, .share = share};
    snprintf(p.label, sizeof p.label, "auto/%s moving=%g", name, share);
    return p;
}

// In `identical` every pair overlaps: writing 5 * 10^7 of them says nothing about methods. The objects of `points` have
// size 0, so they do not move.
static bool is_sensible(const bench_options *options, const char *name, size_t n) {
    if (!options_ask_for(options, name) || strcmp(name, "points") == 0) return false;
    return strcmp(name, "identical") != 0 || n <= 1000;
}

static double weight_of(const point *p) {
    return p->n > 300000 ? 12 : p->n > 30000 ? 2 : 0.4;
}

// ---- one point -----------------------------------------------------------------------------------------------------

static const bench_row *smaller_row(const bench_rows *rows, const point *p, const char *method) {
    const bench_row *found = NULL;
    for (size_t i = 0; i < rows->count; i++) {
        const bench_row *row = &rows->data[i];
        if (row->n < p->n && strcmp(row->scene, p->label) == 0 && strcmp(row->method, method) == 0 &&
            (!found || row->n > found->n))
            found = row;
    }
    return found;
}

static double best_of_case(const bench_rows *rows, const char *label, size_t n, bool with_auto) {
    double best = INFINITY;
    for (size_t i = 0; i < rows->count; i++) {
        const bench_row *row = &rows->data[i];
        if (row->n == n && strcmp(row->scene, label) == 0 && (with_auto || strcmp(row->method, "auto") != 0))
            best = fmin(best, row->total_ms);
    }
    return best;
}

// Whether a method did well enough at the largest smaller n, if there was one.
static bool is_worth_it(const bench_rows *rows, const point *p, const char *method) {
    const bench_row *own = smaller_row(rows, p, method), *reference = smaller_row(rows, p, "auto");
    if (!reference || strcmp(method, "auto") == 0) return p->n <= 20000 || strcmp(method, "brute-force") != 0;
    const double limit = p->n > 300000 ? HOPELESS_LARGE : HOPELESS;
    return own && own->n == reference->n && own->total_ms <= limit * best_of_case(rows, p->label, own->n, true);
}

// The crowd's boxes, and behind them the walls of the scene.
static bp_box *boxes_with_walls(const crowd *c, const scene *s, size_t *count) {
    const size_t walls = scene_box_count(s) - scene_finite_count(s);
    bp_box *boxes = malloc((crowd_count(c) + walls + 1) * sizeof *boxes);
    if (!boxes) abort();
    memcpy(boxes, crowd_boxes(c), crowd_count(c) * sizeof *boxes);
    memcpy(boxes + crowd_count(c), scene_boxes(s) + scene_finite_count(s), walls * sizeof *boxes);
    *count = crowd_count(c) + walls;
    return boxes;
}

static bool add_methods(contest *c, const point *p, const bench_rows *rows, const crowd *bodies, const scene *s) {
    size_t count;
    bp_box *boxes = boxes_with_walls(bodies, s, &count);
    bool fine = true;
    for (size_t method = 0; method < bp_method_count() && fine; method++) {
        const bp_config config = {.method = (bp_method)method, .dimensions = scene_dimensions(s)};
        if (is_worth_it(rows, p, bp_method_name(method)))
            fine = contest_add(c, bp_method_name(method), &config, boxes, count, 0);
    }
    free(boxes);
    return fine;
}

static size_t warmups_for(const point *p) {
    return p->share > 0.1 ? 2 : p->n > 30000 ? 6 : 12;
}

static size_t steps_for(const bench_options *options, const point *p) {
    if (options->repeats) return options->repeats;
    const size_t few = p->n > 300000 ? 3 : p->n > 30000 ? 6 : p->n > 3000 ? 15 : 45;
    return p->share > 0.1 ? few : p->n > 300000 ? 6 : p->n > 3000 ? 4 * few : 20 * few; // steps of microseconds
}

static bool run_steps(contest *c, crowd *bodies, size_t warmups, size_t steps) {
    bool fine = true;
    for (size_t step = 0; step < warmups + steps && fine && !bench_interrupted; step++) {
        const crowd_changes moves = crowd_step(bodies);
        fine = contest_step(c, moves.ids, moves.boxes, moves.count, step >= warmups);
        if (step + 1 == warmups) contest_drop_slow(c, HOPELESS);
    }
    return fine && contest_agrees(c);
}

static void run_point(const bench_options *options, const point *p, bench_session *session) {
    const char *error = NULL;
    scene *s = scene_create(p->scene, &(scene_options){.count = p->n, .motion = -1}, &error);
    crowd *bodies = crowd_of_scene(p->scene, p->n, (crowd_motion){.speed = 0.2, .share = p->share});
    contest c;
    contest_begin(&c);
    if (!s || !bodies || !add_methods(&c, p, session_rows(session), bodies, s) ||
        !run_steps(&c, bodies, warmups_for(p), steps_for(options, p)))
        session_fail(session, "auto: %s, %zu objects%s%s", p->label, p->n, error ? ": " : "", error ? error : "");
    for (size_t i = 0; i < c.count; i++) {
        bench_row row;
        if (!c.list[i].world || !c.list[i].step_count) continue;
        contest_row(&c.list[i], p->label, p->n, &row);
        rows_add(session_rows(session), &row);
    }
    contest_end(&c);
    crowd_destroy(bodies);
    scene_destroy(s);
    session_keep(session);
}

// ---- the summary ---------------------------------------------------------------------------------------------------

static const char *best_method(const bench_rows *rows, const char *label, size_t n) {
    const double best = best_of_case(rows, label, n, false);
    for (size_t i = 0; i < rows->count; i++)
        if (rows->data[i].n == n && strcmp(rows->data[i].scene, label) == 0 && rows->data[i].total_ms == best &&
            strcmp(rows->data[i].method, "auto") != 0)
            return rows->data[i].method;
    return "-";
}

typedef struct tally {
    double logs, most;
    size_t count;
    char where[2 * NAME_SIZE];
} tally;

// auto / best for one point; 0: it was not measured.
static double count_point(const bench_rows *rows, const point *p, tally *t) {
    const bench_row *own = rows_find(rows, p->label, p->n, OURS, "auto", 1);
    const double best = best_of_case(rows, p->label, p->n, false);
    if (!own || isinf(best)) return 0;
    const double ratio = own->total_ms / best;
    t->logs += log(ratio);
    t->count++;
    if (ratio > t->most) {
        t->most = ratio;
        snprintf(t->where, sizeof t->where, "%s, %zu objects", p->label, p->n);
    }
    return ratio;
}

// A line per scene and number of objects: for each share, auto / best and the best method.
static void print_line(const bench_rows *rows, const char *name, size_t n, tally *t) {
    char line[256] = "";
    bool any = false;
    for (size_t i = 0; i < SHARE_COUNT; i++) {
        const point p = point_of(name, n, shares[i]);
        const double ratio = count_point(rows, &p, t);
        const size_t used = strlen(line);
        any = any || ratio > 0;
        if (ratio > 0)
            snprintf(line + used, sizeof line - used, "  %5.2f %-18s", ratio, best_method(rows, p.label, n));
        else
            snprintf(line + used, sizeof line - used, "  %5s %-18s", "-", "");
    }
    if (any) printf("%-20s %8zu%s\n", name, n, line);
}

static void print_table(const bench_options *options, const bench_rows *rows) {
    tally t = {0};
    printf("\nauto / the best method, and which that is; moving: 20 %%, 1 %%, 0.1 %%\n");
    for (size_t s = 0; s < scene_count(); s++)
        for (size_t k = 0; k < (options->count_count ? options->count_count : COUNT_COUNT); k++)
            print_line(rows, scene_name(s), options->count_count ? options->counts[k] : counts[k], &t);
    if (!t.count) return;
    printf("\nPromises, over %zu points\n", t.count);
    promise_at_most(stdout, "auto / best, geometric mean", exp(t.logs / (double)t.count), MEAN_PROMISED);
    promise_at_most(stdout, "auto / best, at most", t.most, MOST_PROMISED);
    printf("  most at %s\n", t.where);
}

// Smaller n first: they show which methods are worth trying.
static void for_all_points(const bench_options *options, bench_session *session, bool announce) {
    const size_t *wanted = options->count_count ? options->counts : counts;
    const size_t wanted_count = options->count_count ? options->count_count : COUNT_COUNT;
    for (size_t k = 0; k < wanted_count; k++)
        for (size_t s = 0; s < scene_count(); s++)
            for (size_t i = 0; i < SHARE_COUNT && is_sensible(options, scene_name(s), wanted[k]); i++) {
                const point p = point_of(scene_name(s), wanted[k], shares[i]);
                if (announce)
                    session_expect(session, weight_of(&p));
                else if (session_wants(session, p.label, p.n, weight_of(&p)))
                    run_point(options, &p, session);
            }
}

void auto_run(const bench_options *options, bench_session *session) {
    for_all_points(options, session, true);
    nature_expect(options, session);
    for_all_points(options, session, false);
    nature_run(options, session);
    print_table(options, session_rows(session));
    nature_summary(options, session);
}
