// Scenes that change their nature over time: does a world with method auto switch methods, at little cost?
//
//     gas-pile-explosion   evenly spread cubes; all drawn into one corner; thrown apart
//     giant                evenly spread cubes; then one of them grows until it fills half of the scene
//     shells               evenly spread cubes; then of sizes over ten octaves, in nested shells; and back
//
// A phase is 200 steps, in each of which all objects go a twentieth of the way to where the phase wants them. Promised:
// the time of auto is within 1.25 of the sum of the best single method of each phase, with at most 6 changes of method.
#include "suites/nature.h"

#include "suites/contest.h"

#include <broadphase/broadphase_tune.h>
#include <math.h>
#include <random.h>
#include <stdlib.h>
#include <string.h>

enum { N = 8000, PHASE_STEPS = 200, PHASES_MAX = 3, SCENES = 3, CHANGES_MOST = 6 };
static const double PROMISED = 1.25, WEIGHT = 12, APPROACH = 0.05;

typedef void place(rng *random, bp_box *boxes);

static void set_cube(bp_box *box, rng *random, const double low[3], double extent, double size) {
    for (int axis = 0; axis < 3; axis++) {
        const double center = low[axis] + extent * rng_unit(random);
        box->min[axis] = (float)(center - 0.5 * size);
        box->max[axis] = (float)(center + 0.5 * size);
    }
}

static void spread(rng *random, bp_box *boxes, double low, double extent) {
    for (size_t i = 0; i < N; i++) set_cube(&boxes[i], random, (double[3]){low, low, low}, extent, 1);
}

static void place_gas(rng *random, bp_box *boxes) {
    spread(random, boxes, 0, 32);
}

static void place_pile(rng *random, bp_box *boxes) {
    spread(random, boxes, 0, 12);
}

static void place_apart(rng *random, bp_box *boxes) {
    spread(random, boxes, -500, 1000);
}

static void place_giant(rng *random, bp_box *boxes) {
    place_gas(random, boxes);
    set_cube(&boxes[0], random, (double[3]){16, 16, 16}, 0, 24);
}

static void place_shells(rng *random, bp_box *boxes) {
    for (size_t i = 0; i < N; i++) {
        const double size = ldexp(1.0 / 16, (int)(i % 10));
        set_cube(&boxes[i], random, (double[3]){-7 * size, -7 * size, -7 * size}, 14 * size, size);
    }
}

static const struct {
    const char *name;
    place *phases[PHASES_MAX];
} natures[SCENES] = {
    {"gas-pile-explosion", {place_gas, place_pile, place_apart}},
    {"giant", {place_gas, place_giant}},
    {"shells", {place_gas, place_shells, place_gas}},
};

static const bp_method methods[] = {BP_METHOD_AUTO,           BP_METHOD_HIERARCHICAL_GRID, BP_METHOD_BVH,
                                    BP_METHOD_LINKED_CELLS,   BP_METHOD_COMPACT_GRID,      BP_METHOD_OCTREE,
                                    BP_METHOD_SWEEP_AND_PRUNE};
enum { METHOD_COUNT = sizeof methods / sizeof *methods };

static size_t phase_count(size_t nature) {
    size_t count = 0;
    while (count < PHASES_MAX && natures[nature].phases[count]) count++;
    return count;
}

static void label_of(size_t nature, size_t phase, char *label, size_t size) {
    snprintf(label, size, "nature/%s phase=%zu", natures[nature].name, phase + 1);
}

static bool is_wanted(const bench_options *options) {
    return !options->scene_count && !options->count_count;
}

void nature_expect(const bench_options *options, bench_session *session) {
    for (size_t i = 0; i < SCENES && is_wanted(options); i++) session_expect(session, WEIGHT);
}

// The same places for the same phase.
static bool run_phase(contest *c, size_t nature, size_t phase, bp_box *boxes, bp_box *targets) {
    rng random = rng_seeded(7);
    bool fine = true;
    natures[nature].phases[phase](&random, targets);
    for (size_t step = 0; step < PHASE_STEPS && fine && !bench_interrupted; step++) {
        for (size_t i = 0; i < N; i++)
            for (int axis = 0; axis < 3; axis++) {
                boxes[i].min[axis] += (float)APPROACH * (targets[i].min[axis] - boxes[i].min[axis]);
                boxes[i].max[axis] += (float)APPROACH * (targets[i].max[axis] - boxes[i].max[axis]);
            }
        // Never quite at rest.
        boxes[step].max[0] = nextafterf(boxes[step].max[0], INFINITY);
        fine = contest_step(c, NULL, boxes, N, true);
    }
    return fine && contest_agrees(c);
}

// The mean, because sums over the phases are compared.
static double seconds_in_phase(const contestant *one, size_t phase) {
    double sum = 0;
    for (size_t step = 0; step < PHASE_STEPS; step++) sum += one->seconds[phase * PHASE_STEPS + step];
    return sum / PHASE_STEPS;
}

static void add_rows(const contest *c, size_t nature, bench_session *session) {
    for (size_t phase = 0; phase < phase_count(nature); phase++)
        for (size_t i = 0; i < c->count; i++) {
            bench_row row;
            contest_row(&c->list[i], "", N, &row);
            label_of(nature, phase, row.scene, sizeof row.scene);
            row.total_ms = 1e3 * seconds_in_phase(&c->list[i], phase);
            row.update_ms = fmin(row.update_ms, row.total_ms);
            row.find_ms = row.total_ms - row.update_ms;
            row.runs = PHASE_STEPS;
            rows_add(session_rows(session), &row);
        }
}

static void run_nature(size_t nature, bench_session *session) {
    bp_box *boxes = calloc(N, sizeof *boxes), *targets = calloc(N, sizeof *targets);
    contest c;
    bool fine = boxes && targets;
    rng random = rng_seeded(7);
    contest_begin(&c);
    natures[nature].phases[0](&random, boxes);
    for (size_t i = 0; i < METHOD_COUNT && fine; i++) {
        const bp_config config = {.method = methods[i]};
        fine = contest_add(&c, bp_method_name(methods[i]), &config, boxes, N, 0);
    }
    for (size_t phase = 0; phase < phase_count(nature) && fine; phase++)
        fine = run_phase(&c, nature, phase, boxes, targets);
    const uint32_t changes = bp_stats_details(&c.list[0].result.stats).choice.changes;
    if (!fine) session_fail(session, "auto: nature/%s", natures[nature].name);
    if (changes > CHANGES_MOST)
        session_fail(session, "auto: nature/%s: %u changes of method", natures[nature].name, changes);
    if (fine && !bench_interrupted) add_rows(&c, nature, session);
    contest_end(&c);
    free(boxes);
    free(targets);
}

void nature_run(const bench_options *options, bench_session *session) {
    for (size_t i = 0; i < SCENES && is_wanted(options); i++) {
        char label[NAME_SIZE];
        label_of(i, 0, label, sizeof label);
        if (!session_wants(session, label, N, WEIGHT)) continue;
        run_nature(i, session);
        session_keep(session);
    }
}

static double best_in(const bench_rows *rows, const char *label, const char **method) {
    double best = INFINITY;
    for (size_t i = 1; i < METHOD_COUNT; i++) {
        const bench_row *row = rows_find(rows, label, N, OURS, bp_method_name(methods[i]), 1);
        if (!row || row->total_ms >= best) continue;
        best = row->total_ms;
        *method = row->method;
    }
    return best;
}

static void summarise(const bench_rows *rows, size_t nature) {
    double own = 0, best = 0;
    char what[NAME_SIZE];
    for (size_t phase = 0; phase < phase_count(nature); phase++) {
        char label[NAME_SIZE];
        const char *method = "-";
        label_of(nature, phase, label, sizeof label);
        const bench_row *row = rows_find(rows, label, N, OURS, "auto", 1);
        if (!row) return;
        own += row->total_ms;
        best += best_in(rows, label, &method);
        printf("  %-40s auto %8.4f ms, best %8.4f ms: %s\n", label, row->total_ms, best_in(rows, label, &method),
               method);
    }
    snprintf(what, sizeof what, "%s: auto / best of each phase", natures[nature].name);
    promise_at_most(stdout, what, own / best, PROMISED);
}

void nature_summary(const bench_options *options, bench_session *session) {
    if (is_wanted(options)) printf("\nScenes that change their nature, %d objects\n", N);
    for (size_t i = 0; i < SCENES && is_wanted(options); i++) summarise(session_rows(session), i);
}
