// The suites: which scenes, with how many objects, how often. A new suite is one row in the table below and, where its
// cases differ from a plain product of scenes and counts, one function.
#include "bench.h"

#include <string.h>

typedef struct bench_suite {
    const char *name;
    const char *summary;
    double budget; // seconds
    const char *const *scenes;
    const size_t *counts;
} bench_suite;

static const char *const quick_scenes[] = {
    "uniform", "mixed", "low-motion", "long", "reference", "very-inhomogeneous", "very-polydisperse", NULL,
};
static const size_t quick_counts[] = {10000, 100000, 1000000, 0};
static const char *const million_scenes[] = {"uniform", "mixed", "long", NULL};
static const char *const limited_scenes[] = {"uniform", "low-motion", NULL};

static const char *const method_scenes[] = {"uniform", "low-motion", NULL};
static const char *const neighbor_scenes[] = {"reference", NULL};
static const size_t neighbor_counts[] = {10000, 100000, 1000000, 0};

static const bench_suite suites[] = {
    {"quick", "seven scenes, 10^4 to 10^6 objects, all packaged peers; under two minutes", 105, quick_scenes,
     quick_counts},
    {"methods", "every method of ours beside the packaged ones of its kind, 10^4 to 10^6 objects", 600, method_scenes,
     quick_counts},
    {"neighbors", "all points within a radius of 1, 10^4 to 10^6 points, beside k-d trees", 60, neighbor_scenes,
     neighbor_counts},
};
enum { SUITE_COUNT = sizeof suites / sizeof *suites };

// Suites that are no list of cases.
static const struct {
    const char *name, *summary;
    bench_run *run;
} own_suites[] = {
    {"living", "worlds in which all, some or none move, up to 10^6 objects, beside Bullet's", living_run},
    {"queries", "boxes and rays asked of a world, 10^5 and 10^6 objects, beside Bullet's tree", queries_run},
};
enum { OWN_SUITE_COUNT = sizeof own_suites / sizeof *own_suites };

bench_run *suite_own_run(const bench_options *options) {
    for (size_t i = 0; i < OWN_SUITE_COUNT; i++)
        if (strcmp(own_suites[i].name, options->suite) == 0) return own_suites[i].run;
    return NULL;
}

static const bench_suite *find_suite(const char *name) {
    for (size_t i = 0; i < SUITE_COUNT; i++)
        if (strcmp(suites[i].name, name) == 0) return &suites[i];
    return NULL;
}

static bool contains(const char *const *names, const char *name) {
    for (; *names; names++)
        if (strcmp(*names, name) == 0) return true;
    return false;
}

// Measured, roughly: what a case costs beside the smallest.
static double weight_of(const bench_case *c) {
    const double own = c->n > 300000 ? 3 : c->n > 30000 ? 1.5 : 1;
    const bool small = c->n <= 20000;
    return own + (c->limited_peers && small ? 1.5 : 0) + (c->settle && !small ? 1 : 0);
}

// At low motion caches with margins look good for the first steps only: they get time to settle.
static size_t settle_steps(const char *scene, size_t n) {
    return strcmp(scene, "low-motion") != 0 ? 0 : n <= 20000 ? 60 : 20;
}

static bool is_neighbors(const bench_options *options) {
    return strcmp(options->suite, "neighbors") == 0;
}

static bench_case make_case(const bench_options *options, const char *scene, size_t n) {
    const bool low_motion = strcmp(scene, "low-motion") == 0;
    bench_case c = {.scene = scene, .n = n, .motion = low_motion ? 0 : 0.2};
    c.warmups = options->warmups ? options->warmups : 2;
    c.repeats = options->repeats ? options->repeats : n <= 20000 ? 11 : 5;
    c.settle = settle_steps(scene, n);
    c.fastest_peers = n > 300000 ? 2 : 0;
    c.limited_peers = contains(limited_scenes, scene);
    c.brute_force = n <= 20000;
    c.scalar = n > 30000 && n <= 300000;
    c.two_threads = n > 300000 && strcmp(scene, "uniform") == 0;
    c.all_methods = strcmp(options->suite, "methods") == 0;
    if (is_neighbors(options)) {
        c.neighbors = true;
        c.brute_force = false;
    }
    c.weight = weight_of(&c);
    return c;
}

size_t suite_cases(const bench_options *options, bench_case *cases, size_t capacity) {
    const bench_suite *suite = find_suite(options->suite);
    size_t count = 0;
    const char *const *scenes = options->scene_count ? options->scenes : suite ? suite->scenes : NULL;
    const size_t *counts = options->count_count ? options->counts : suite ? suite->counts : NULL;
    for (; suite && *scenes; scenes++)
        for (const size_t *n = counts; *n; n++) {
            const bool chosen = options->scene_count || options->count_count || is_neighbors(options);
            const bool large = *n >= 1000000 && !chosen;
            if ((!large || contains(million_scenes, *scenes)) && count < capacity)
                cases[count++] = make_case(options, *scenes, *n);
        }
    return count;
}

double suite_budget(const bench_options *options) {
    const bench_suite *suite = find_suite(options->suite);
    const bool own_cases = options->scene_count || options->count_count;
    return options->budget > 0 ? options->budget : own_cases || !suite ? 1e9 : suite->budget;
}

static bool names_peer(const char *name, const bench_peer *peer) {
    const size_t length = strlen(peer->who);
    if (strncmp(name, peer->who, length) != 0) return false;
    return !name[length] || ((name[length] == '-' || name[length] == '/') && !strcmp(name + length + 1, peer->method));
}

bool suite_has_peer(const bench_options *options, const bench_peer *peer) {
    bool named = options->peer_count == 0;
    for (size_t i = 0; i < options->peer_count; i++) named = named || names_peer(options->peers[i], peer);
    return named && !options->no_peers;
}

static void list_library(FILE *file, const bench_library *library) {
    if (!library->peers) fprintf(file, "  %-9s %-16s not built (Debian: %s)\n", library->name, "-", library->package);
    for (const bench_peer *peer = library->peers; peer && peer->who; peer++)
        fprintf(file, "  %-9s %-16s %s\n", peer->who, peer->method, peer->note);
}

void suite_list(FILE *file) {
    fprintf(file, "Suites:\n");
    for (size_t i = 0; i < SUITE_COUNT; i++) fprintf(file, "  %-9s %s\n", suites[i].name, suites[i].summary);
    for (size_t i = 0; i < OWN_SUITE_COUNT; i++)
        fprintf(file, "  %-9s %s\n", own_suites[i].name, own_suites[i].summary);
    fprintf(file, "Peers:\n");
    for (size_t i = 0; i < bench_library_count; i++) list_library(file, &bench_libraries[i]);
}
