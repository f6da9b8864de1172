// The suites that are products of scenes and numbers of objects: quick, methods and neighbors.
#include "core/bench.h"

#include <string.h>

static const char *const quick_scenes[] = {
    "uniform", "mixed", "low-motion", "long", "reference", "very-inhomogeneous", "very-polydisperse", NULL,
};
static const char *const million_scenes[] = {"uniform", "mixed", "long", NULL};
static const char *const limited_scenes[] = {"uniform", "low-motion", NULL};
static const char *const method_scenes[] = {"uniform", "low-motion", NULL};
static const char *const neighbor_scenes[] = {"reference", NULL};
static const size_t usual_counts[] = {10000, 100000, 1000000, 0};
static const size_t small_counts[] = {100, 300, 1000, 3000, 0}; // of uniform

static bool contains(const char *const *names, const char *name) {
    for (; *names; names++)
        if (strcmp(*names, name) == 0) return true;
    return false;
}

// The measured cost of a case relative to the smallest, roughly.
static double weight_of(const bench_case *c) {
    const double own = c->n > 300000 ? 3 : c->n > 30000 ? 1.5 : 1;
    const bool small = c->n <= 20000;
    return own + (c->limited_peers && small ? 1.5 : 0) + (c->settle && !small ? 1 : 0);
}

// At low motion, structures with margins are fast in the first steps only, so they get time to settle.
static size_t settle_steps(const char *name, size_t n) {
    return strcmp(name, "low-motion") != 0 ? 0 : n <= 20000 ? 60 : 20;
}

static bench_case make_case(const bench_options *options, const char *name, size_t n) {
    bench_case c = {.scene = name, .n = n};
    c.options.motion = strcmp(name, "low-motion") == 0 ? 0 : 0.2;
    c.warmups = options->warmups ? options->warmups : 2;
    c.repeats = options->repeats ? options->repeats : n < 10000 ? 101 : n <= 20000 ? 11 : 5;
    c.settle = settle_steps(name, n);
    c.fastest_peers = n > 300000 ? 2 : 0;
    c.limited_peers = contains(limited_scenes, name);
    c.brute_force = n <= 20000;
    c.scalar = n > 30000 && n <= 300000;
    c.two_threads = n > 300000 && strcmp(name, "uniform") == 0;
    c.yardsticks = n <= 300000 || strcmp(name, "uniform") == 0;
    c.weight = weight_of(&c);
    return c;
}

static size_t make_cases(const bench_options *options, const char *const *usual_scenes, const char *const *large_scenes,
                         bench_case *cases, size_t capacity) {
    const char *const *scenes = options->scene_count ? options->scenes : usual_scenes;
    const size_t *counts = options->count_count ? options->counts : usual_counts;
    const bool chosen = options->scene_count || options->count_count;
    size_t count = 0;
    for (; *scenes; scenes++)
        for (const size_t *n = counts; *n && count < capacity; n++)
            if (*n < 1000000 || chosen || contains(large_scenes, *scenes))
                cases[count++] = make_case(options, *scenes, *n);
    return count;
}

size_t quick_cases(const bench_options *options, bench_case *cases, size_t capacity) {
    size_t count = 0;
    for (const size_t *n = small_counts; *n && !options->scene_count && !options->count_count; n++)
        cases[count++] = make_case(options, "uniform", *n);
    return count + make_cases(options, quick_scenes, million_scenes, cases + count, capacity - count);
}

size_t methods_cases(const bench_options *options, bench_case *cases, size_t capacity) {
    const size_t count = make_cases(options, method_scenes, million_scenes, cases, capacity);
    for (size_t i = 0; i < count; i++) cases[i].all_methods = true;
    return count;
}

size_t neighbors_cases(const bench_options *options, bench_case *cases, size_t capacity) {
    const size_t count = make_cases(options, neighbor_scenes, neighbor_scenes, cases, capacity);
    for (size_t i = 0; i < count; i++) {
        cases[i].neighbors = true;
        cases[i].brute_force = false;
    }
    return count;
}

void quick_summary(const bench_options *options, bench_session *session) {
    (void)options;
    table_summary(stdout, session_rows(session));
    table_ratios(stdout, session_rows(session));
}
