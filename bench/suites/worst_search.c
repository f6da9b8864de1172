// The suite `worst-search`: draws hostile scenes at random and climbs from the worst ones, for as long as it may. What
// it prints can be measured again: broadphase-bench --suite worst --scene "TEXT". Several may run at once, with
// different seeds.
//
// The ten slots of the board begin with named scenes. A changed scene competes with the one it came from, a new one
// with the best behaved of the board: so the board does not fill up with ten copies of one finding.
#include "suites/worst.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 10, SEARCHED = 50000, CONFIRMED = 100000, ROUNDS = 3, VERIFY_EACH = 8 };
// Per object. Scenes with more say little: their output pays for them.
static const double MOST_PAIRS = 20;
static const double USUAL_SECONDS = 60;

typedef struct finding {
    hostile_scene hostile;
    worst_figures figures; // time: 0: an empty slot
    double pairs;          // per object
    size_t n;
} finding;

typedef struct searcher {
    rng random;
    uint64_t seed;
    size_t n;
    double limit;          // seconds a call may take; 0: as usual
    hostile_boxes uniform; // n of them
    finding board[SLOTS];
    double worst; // confirmed
    size_t tried, left_out;
    double end; // when the time is spent
    bench_session *session;
} searcher;

// ---- one scene -----------------------------------------------------------------------------------------------------

// Times in turns with uniform boxes. False: it has too many pairs, or failed.
static bool measure(searcher *s, const hostile_scene *hostile, const hostile_boxes *uniform, size_t rounds,
                    const char *label, finding *found, bench_row rows[2]) {
    const size_t n = uniform->a_count;
    hostile_boxes boxes;
    worst_result results[2];
    if (!hostile_build(hostile, n, s->seed, &boxes)) abort();
    const worst_contestant list[] = {{.who = OURS, .method = WORST_REFERENCE, .boxes = uniform},
                                     {.who = OURS, .method = "auto", .boxes = &boxes}};
    const bool sensible = boxes.pairs <= MOST_PAIRS * (double)n;
    if (sensible) worst_measure(list, 2, rounds, worst_limit(s->limit, n), results);
    const bool measured = sensible && results[0].rounds && !bench_interrupted;
    for (size_t i = 0; i < 2 && measured; i++) worst_row(&list[i], &results[i], label, n, &rows[i]);
    hostile_free(&boxes);
    if (!measured) return false;
    *found = (finding){*hostile, worst_compare(&rows[1], &rows[0]), (double)rows[1].pairs / (double)n, n};
    if (!results[1].failed) return true;
    char text[HOSTILE_TEXT];
    hostile_print(hostile, text);
    session_fail(s->session, "worst-search: the call failed: --scene \"%s\" -n %zu --seed %llu", text, n,
                 (unsigned long long)s->seed);
    return false;
}

static void verify(searcher *s, const hostile_scene *hostile) {
    char text[HOSTILE_TEXT];
    if (worst_agrees(hostile, s->seed)) return;
    hostile_print(hostile, text);
    session_fail(s->session, "WRONG PAIRS: auto and brute-force differ: --scene \"%s\" --seed %llu", text,
                 (unsigned long long)s->seed);
}

static void print_finding(const finding *f) {
    char text[HOSTILE_TEXT];
    hostile_print(&f->hostile, text);
    printf("  %s%8.2f %9.2f %8.2f %8zu  %s\n", f->figures.more ? ">" : " ", f->figures.time, f->figures.tests, f->pairs,
           f->n, text);
    fflush(stdout);
}

// ---- the board -----------------------------------------------------------------------------------------------------

static size_t mildest(const searcher *s) {
    size_t slot = 0;
    for (size_t i = 1; i < SLOTS; i++)
        if (s->board[i].figures.time < s->board[slot].figures.time) slot = i;
    return slot;
}

static bool is_on_board(const searcher *s, const hostile_scene *hostile) {
    char text[HOSTILE_TEXT], other[HOSTILE_TEXT];
    hostile_print(hostile, text);
    for (size_t i = 0; i < SLOTS; i++) {
        if (s->board[i].figures.time <= 0) continue;
        hostile_print(&s->board[i].hostile, other);
        if (strcmp(text, other) == 0) return true;
    }
    return false;
}

// One measurement may have been disturbed: a scene takes a slot only with the best of several.
static void try_scene(searcher *s, const hostile_scene *hostile, size_t slot) {
    finding found;
    bench_row rows[2];
    s->tried++;
    if (is_on_board(s, hostile) || !measure(s, hostile, &s->uniform, 1, "search/tried", &found, rows)) {
        s->left_out++;
        return;
    }
    if (s->tried % VERIFY_EACH == 0) verify(s, hostile);
    if (found.figures.time <= s->board[slot].figures.time ||
        !measure(s, hostile, &s->uniform, ROUNDS, "search/tried", &found, rows) ||
        found.figures.time <= s->board[slot].figures.time)
        return;
    s->board[slot] = found;
    if (found.figures.time <= s->worst) return;
    s->worst = found.figures.time;
    verify(s, hostile);
    print_finding(&found);
}

static bool has_time(const searcher *s) {
    return seconds_now() < s->end && !bench_interrupted;
}

static void try_names(searcher *s) {
    for (size_t i = 0; i < hostile_count() && has_time(s); i++) {
        char why[HOSTILE_WHY];
        hostile_scene hostile;
        if (!hostile_parse(hostile_text(i), &hostile, why)) abort();
        try_scene(s, &hostile, mildest(s));
    }
}

static void try_another(searcher *s) {
    const size_t slot = rng_below(&s->random, SLOTS);
    hostile_scene hostile = s->board[slot].hostile;
    if (s->board[slot].figures.time > 0 && rng_below(&s->random, 3) > 0) {
        hostile_mutate(&hostile, &s->random);
        try_scene(s, &hostile, slot);
    } else {
        hostile = hostile_random(&s->random);
        try_scene(s, &hostile, mildest(s));
    }
}

// ---- the end -------------------------------------------------------------------------------------------------------

static int by_time(const void *a, const void *b) {
    const finding *x = a, *y = b;
    return (x->figures.time < y->figures.time) - (x->figures.time > y->figures.time);
}

// Measures a finding again, with more objects, and keeps its rows. Where it has too many pairs then, it stays as it is.
static void confirm(searcher *s, size_t place, const hostile_boxes *uniform) {
    finding *f = &s->board[place];
    char label[NAME_SIZE], text[HOSTILE_TEXT];
    bench_row rows[2];
    if (f->figures.time <= 0) return;
    snprintf(label, sizeof label, "search/found-%llu-%zu", (unsigned long long)s->seed, place + 1);
    if (!measure(s, &f->hostile, uniform, ROUNDS, label, f, rows)) return;
    hostile_print(&f->hostile, text);
    session_remark(s->session, "%s: --scene \"%s\" --seed %llu", label, text, (unsigned long long)s->seed);
    rows_add(session_rows(s->session), &rows[0]);
    rows_add(session_rows(s->session), &rows[1]);
}

// A call that was ended keeps no promise.
static double worst_of_board(const searcher *s) {
    for (size_t i = 0; i < SLOTS; i++)
        if (s->board[i].figures.more) return INFINITY;
    return s->board[0].figures.time;
}

static void finish(searcher *s, size_t n) {
    hostile_boxes uniform = worst_uniform_boxes(n);
    qsort(s->board, SLOTS, sizeof *s->board, by_time);
    for (size_t i = 0; i < SLOTS; i++) confirm(s, i, &uniform);
    session_keep(s->session);
    qsort(s->board, SLOTS, sizeof *s->board, by_time);
    printf("\nTried %zu scenes (%zu left out: too many pairs, or tried before). The worst, best of %d:\n", s->tried,
           s->left_out, ROUNDS);
    printf("   %8s %9s %8s %8s  %s\n", "time", "tests", "pairs", "objects", "scene");
    for (size_t i = 0; i < SLOTS; i++)
        if (s->board[i].figures.time > 0) print_finding(&s->board[i]);
    printf("\nPromises\n");
    if (s->board[0].figures.time > 0)
        promise_at_most(stdout, "the worst finding: time / uniform's", worst_of_board(s), WORST_FOUND);
    hostile_free(&uniform);
}

void worst_search_run(const bench_options *options, bench_session *session) {
    searcher *s = calloc(1, sizeof *s);
    if (!s) abort();
    s->session = session;
    s->limit = options->limit;
    s->end = seconds_now() + (options->budget > 0 ? options->budget : USUAL_SECONDS);
    s->seed = options->seed ? options->seed : 1;
    s->random = rng_seeded(s->seed);
    s->n = options->count_count ? options->counts[0] : SEARCHED;
    s->uniform = worst_uniform_boxes(s->n);
    printf("\nEach new worst: time and tests for each object and pair, beside those of uniform boxes\n");
    printf("   %8s %9s %8s %8s  %s\n", "time", "tests", "pairs", "objects", "scene");
    try_names(s);
    while (has_time(s)) {
        meter_show("searching");
        try_another(s);
    }
    finish(s, options->count_count ? s->n : CONFIRMED);
    hostile_free(&s->uniform);
    free(s);
}
