// The suite `everyday`: levels, crowds, bullets, debris and vehicles of 250 to 50,000 objects, as most users have them.
//
// A step is what a frame of a game asks of a broad phase: some objects vanish and others appear, some move, all pairs are
// found, and rays are cast. Each contestant has a world of its own; all take turns, a step at a time. The figures that
// matter are the median and the worst of the steps.
#include "suites/living.h"
#include "suites/places.h"

#include <string.h>

enum { WARMUPS = 30, STEPS = 120, FEW = 300, MAX_COUNTS = 4 };

typedef struct everyday {
    const char *name;
    place kind;
    size_t counts[MAX_COUNTS + 1]; // up to the first 0
} everyday;

// Motion, churn and rays of all objects, in a step.
#define INDOOR .layout = BUILDING, .motion = WALKING, .storeys = 4, .density = 0.0625, .static_share = 0.8
#define OUTDOOR .layout = LAND, .motion = WALKING, .storeys = 1, .density = 0.05, .static_share = 0.8
#define IN_TOWER .layout = BUILDING, .motion = WALKING, .density = 0.0625, .static_share = 0.8
#define CROWD .layout = LAND, .motion = WALKING, .storeys = 1, .density = 0.2, .static_share = 0.1
#define BULLETS .layout = BUILDING, .motion = FLYING, .storeys = 4, .density = 0.0625, .static_share = 0.7
#define DEBRIS .layout = LAND, .motion = FALLING, .storeys = 1, .density = 0.4, .static_share = 0.3
#define VEHICLES .layout = LAND, .motion = DRIVING, .storeys = 1, .density = 0.02, .static_share = 0.8

static const everyday scenes[] = {
    {"indoor", {INDOOR, .moving = 0.2}, {250, 2500, 10000}},
    {"indoor", {INDOOR, .moving = 0.05, .rays = 100}, {250, 2500, 10000}},
    {"indoor", {INDOOR, .moving = 0.05, .rays = 10000}, {2500}},
    {"outdoor", {OUTDOOR, .moving = 0.01, .rays = 100}, {10000, 50000}},
    {"outdoor", {OUTDOOR, .moving = 0.05}, {1000, 10000, 50000}},
    {"outdoor", {OUTDOOR, .moving = 0.2}, {1000, 10000, 50000}},
    {"outdoor", {OUTDOOR, .moving = 0.05, .rays = 10000}, {50000}},
    {"tower", {IN_TOWER, .moving = 0.05, .rays = 100}, {1000, 20000}},
    {"tower", {IN_TOWER, .moving = 0.2}, {1000, 20000}},
    {"streaming", {OUTDOOR, .moving = 0.05, .streaming = 0.005, .rays = 100}, {10000, 50000}},
    {"crowds", {CROWD, .moving = 0.2}, {250, 2500, 20000}},
    {"crowds", {CROWD, .moving = 0.2, .churn = 0.01, .rays = 100}, {2500}},
    {"bullets", {BULLETS, .moving = 0.05, .churn = 0.01}, {1000, 10000}},
    {"debris", {DEBRIS, .moving = 0.2}, {1000, 10000}},
    {"debris", {DEBRIS, .moving = 0.05, .churn = 0.01, .rays = 100}, {10000}},
    {"vehicles", {VEHICLES, .moving = 0.01}, {10000}},
    {"vehicles", {VEHICLES, .moving = 0.05, .rays = 100}, {1000, 10000, 50000}},
};
enum { SCENE_COUNT = sizeof scenes / sizeof *scenes };

const char *const everyday_parts[] = {"indoor",  "outdoor", "tower",    "streaming", "crowds",
                                      "bullets", "debris",  "vehicles", NULL};

// ---- contestants ---------------------------------------------------------------------------------------------------

static bool fits(const bench_world_peer *peer, const crowd *c) {
    const place *kind = c->place;
    const size_t most = strcmp(peer->method, "brute-force") == 0 ? FEW : peer->max_count;
    return (!most || crowd_count(c) <= most) && (!kind->rays || peer->rays) &&
           (kind->streaming <= 0 || !peer->keeps_statics);
}

static bool prepare(living_part *part, const place *kind) {
    living_group *group = part_add(part, crowd_of_place(kind, part->n), WARMUPS, STEPS);
    if (!group) return false;
    group_add(group, runner_world("world", (bp_config){0}));
    if (part->n <= FEW && !kind->rays)
        group_add(group, runner_world("world", (bp_config){.method = BP_METHOD_BRUTE_FORCE}));
    group_add_peers(group, "", part->options, fits);
    return true;
}

// ---- promises ------------------------------------------------------------------------------------------------------

static const runner *yardstick_of(const living_group *group) {
    for (size_t i = 0; i < group->runner_count; i++)
        if (strcmp(runner_method(&group->runners[i]), "level-cells") == 0) return &group->runners[i];
    return NULL;
}

static void print_promises(const living_part *part) {
    const living_group *group = &part->groups[0];
    const runner *ours = &group->runners[0], *yardstick = yardstick_of(group), *peer = group_fastest_peer(group);
    bench_row row;
    runner_row(ours, part->name, part->n, &row);
    if (peer) printf("  fastest peer / ours: %.2f\n", runner_figures(peer, FIGURE_TOTAL).median / row.total_ms);
    if (yardstick)
        (void)promise_at_most(stdout, "ours / level-cells",
                              row.total_ms / runner_figures(yardstick, FIGURE_TOTAL).median, 1);
    if (row.p99_ms > 0) (void)promise_at_most(stdout, "p99 / median, ours", row.p99_ms / row.total_ms, 2);
}

// Our default world is the first row of a scene; rows of rays alone end with "/rays".
static bool is_summed_up(const bench_rows *rows, size_t i) {
    const bench_row *row = &rows->data[i];
    const bool follows = i > 0 && row[-1].n == row->n && strcmp(row[-1].scene, row->scene) == 0;
    return row_is_ours(row) && !follows && !strstr(row->scene, "/rays");
}

static void print_summary(const bench_rows *rows) {
    printf("\nSummary: the whole frame, µs\n  %-36s %9s %10s %10s %10s   %-24s %10s %8s\n", "scene", "objects", "ours",
           "p99", "worst", "fastest peer", "its", "ratio");
    for (size_t i = 0; i < rows->count; i++) {
        char tail[TAIL_TEXT], name[2 * NAME_SIZE + 2];
        const bench_row *row = &rows->data[i], *peer = rows_fastest_peer(rows, row->scene, row->n);
        if (!is_summed_up(rows, i)) continue;
        printf("  %-36s %9zu %10.1f %s", row->scene, row->n, 1e3 * row->total_ms, table_tail(row, true, tail));
        if (peer) snprintf(name, sizeof name, "%s %s", peer->who, peer->method);
        if (peer) printf("   %-24s %10.1f %8.2f", name, 1e3 * peer->total_ms, peer->total_ms / row->total_ms);
        putchar('\n');
    }
}

// ---- all together --------------------------------------------------------------------------------------------------

// "indoor moving=5% rays=100"
static void label_of(const everyday *frame, char label[NAME_SIZE]) {
    const place *kind = &frame->kind;
    char rays[32] = "", churn[32] = "";
    if (kind->rays) snprintf(rays, sizeof rays, " rays=%zu", kind->rays);
    if (kind->churn > 0) snprintf(churn, sizeof churn, " churn=%g%%", 100 * kind->churn);
    snprintf(label, NAME_SIZE, "%s moving=%g%%%s%s", frame->name, 100 * kind->moving, churn, rays);
}

// Roughly proportional to the time that it takes.
static double weight_of(const everyday *frame, size_t n) {
    return 100 + (double)n * (0.3 + 4 * frame->kind.moving) + 2 * (double)frame->kind.rays;
}

static void run_scene(const bench_options *options, const everyday *frame, const char *label, size_t n,
                      bench_session *session) {
    living_part part = {.name = label, .n = n, .options = options};
    const bool fine = prepare(&part, &frame->kind) && part_run(&part);
    if (!fine) session_fail(session, "everyday: %s, %zu objects", label, n);
    if (fine && !bench_interrupted) {
        part_table(stdout, &part, true);
        print_promises(&part);
        part_rows(&part, session_rows(session));
    }
    session_keep(session);
    part_end(&part);
}

static void run_counts(const bench_options *options, const everyday *frame, bool only_expects, bench_session *session) {
    char label[NAME_SIZE];
    const size_t *counts = options->count_count ? options->counts : frame->counts;
    label_of(frame, label);
    for (size_t k = 0; counts[k] && options_ask_for(options, frame->name); k++) {
        const double weight = weight_of(frame, counts[k]);
        if (only_expects)
            session_expect(session, weight);
        else if (session_wants(session, label, counts[k], weight))
            run_scene(options, frame, label, counts[k], session);
    }
}

void everyday_run(const bench_options *options, bench_session *session) {
    keep_memory();
    for (size_t i = 0; i < SCENE_COUNT; i++) run_counts(options, &scenes[i], true, session);
    for (size_t i = 0; i < SCENE_COUNT; i++) run_counts(options, &scenes[i], false, session);
    print_summary(session_rows(session));
}
