// The suite `tune`: bp_tune by halving, beside trying every candidate to the end, on three scenes of its own.
//
//     game-level   static floors, walls and blocks, and things that move among them
//     galaxy       a thin disc that turns, dense in the middle
//     city         houses of very different heights on a plane, of which a few move
#include "suites/contest.h"
#include "suites/crowd.h"

#include <broadphase/broadphase_tune.h>
#include <math.h>
#include <random.h>
#include <stdlib.h>
#include <string.h>

enum { N = 10000, STEPS = 24, RANKED = 64 };
static const double BUDGET = 12, PROMISED = 1.1;

static const char *const names[] = {"game-level", "galaxy", "city"};
enum { SCENE_COUNT = sizeof names / sizeof *names };

// All steps of a scene, in memory, to be replayed for each candidate.
typedef struct story {
    size_t fixed; // the first ones never move
    bp_box *boxes[STEPS];
} story;

static bp_box box_at(const double center[3], const double edges[3]) {
    bp_box box;
    for (int axis = 0; axis < 3; axis++) {
        box.min[axis] = (float)(center[axis] - 0.5 * edges[axis]);
        box.max[axis] = (float)(center[axis] + 0.5 * edges[axis]);
    }
    return box;
}

static void make_galaxy(bp_box *boxes, size_t step) {
    rng random = rng_seeded(21);
    for (size_t i = 0; i < N; i++) {
        const double radius = 120 * pow(rng_unit(&random), 1.5) + 2, angle = 6.2831853 * rng_unit(&random);
        const double turned = angle + 0.5 * (double)step / radius;
        boxes[i] = box_at((double[3]){radius * cos(turned), radius * sin(turned), 2 * rng_unit(&random)},
                          (double[3]){1, 1, 1});
    }
}

static void make_city(bp_box *boxes, size_t step) {
    rng random = rng_seeded(22);
    for (size_t i = 0; i < N; i++) {
        const double height = 1 + 60 * pow(rng_unit(&random), 6), x = 700 * rng_unit(&random);
        const double moved = i % 20 == 0 ? 0.3 * (double)step : 0;
        boxes[i] = box_at((double[3]){x + moved, 700 * rng_unit(&random), 0.5 * height},
                          (double[3]){4 + 6 * rng_unit(&random), 4 + 6 * rng_unit(&random), height});
    }
}

static void make_story(story *s, size_t which) {
    crowd *level = which == 0 ? crowd_of_level(N, (crowd_motion){0.2, 1, true}) : NULL;
    s->fixed = level ? crowd_static_count(level) : 0;
    for (size_t step = 0; step < STEPS; step++) {
        s->boxes[step] = calloc(N, sizeof *s->boxes[step]);
        if (!s->boxes[step]) abort();
        if (level) memcpy(s->boxes[step], crowd_boxes(level), N * sizeof *s->boxes[step]);
        if (level) (void)crowd_step(level);
        if (which == 1) make_galaxy(s->boxes[step], step);
        if (which == 2) make_city(s->boxes[step], step);
    }
    crowd_destroy(level);
}

static bp_status replay_step(void *context, bp_world *world, size_t step) {
    const story *s = context;
    return step == 0 ? bp_add_many(world, N, s->boxes[0], NULL, NULL) : bp_move_many(world, N, NULL, s->boxes[step]);
}

// Runs every candidate through all steps, in turns; drops those that take more than 8 times as long as the best.
static bool try_all(const bp_tuned *ranked, size_t count, const story *s, contest *c) {
    bool fine = true;
    for (size_t i = 0; i < count && i < MAX_CONTESTANTS && fine; i++) {
        char name[NAME_SIZE];
        snprintf(name, sizeof name, "%s rank=%zu", bp_method_name((size_t)ranked[i].config.method), i + 1);
        fine = contest_add(c, name, &ranked[i].config, s->boxes[0], N, 0);
    }
    for (size_t round = 0; round < 3; round++)
        for (size_t step = 1; step < STEPS && fine; step++) {
            fine = contest_step(c, NULL, s->boxes[step], N, round > 0);
            if (step == 4) contest_drop_slow(c, 8);
        }
    return fine && contest_agrees(c);
}

static void report(const contest *c, const char *label, bench_session *session) {
    double best = INFINITY;
    const contestant *winner = NULL;
    for (size_t i = 0; i < c->count; i++) {
        bench_row row;
        if (!c->list[i].world) continue;
        contest_row(&c->list[i], label, N, &row);
        rows_add(session_rows(session), &row);
        if (row.total_ms >= best) continue;
        best = row.total_ms;
        winner = &c->list[i];
    }
    if (!winner || !c->list[0].world) {
        session_fail(session, "%s: the one that tuning chose is hopeless", label);
        return;
    }
    char what[2 * NAME_SIZE];
    snprintf(what, sizeof what, "%s: chosen / best of all", label);
    printf("\n  %s: chosen %s, best %s\n", label, c->list[0].name, winner->name);
    promise_at_most(stdout, what, 1e3 * contest_seconds(&c->list[0]) / best, PROMISED);
}

static void run_scene(size_t which, const char *label, bench_session *session) {
    bp_tuned ranked[RANKED];
    size_t count = 0;
    story s = {0};
    contest c;
    contest_begin(&c);
    make_story(&s, which);
    const bp_scenario scenario = {.step = replay_step, .context = &s, .steps = STEPS};
    const bp_status status = bp_tune(NULL, &scenario, BUDGET, ranked, RANKED, &count);
    if (status != BP_OK || !try_all(ranked, count, &s, &c))
        session_fail(session, "%s: %s", label, bp_status_text(status));
    else
        report(&c, label, session);
    contest_end(&c);
    for (size_t step = 0; step < STEPS; step++) free(s.boxes[step]);
}

const char *const tune_parts[] = {"game-level", "galaxy", "city", NULL};

void tune_run(const bench_options *options, bench_session *session) {
    for (size_t i = 0; i < SCENE_COUNT; i++)
        if (options_ask_for(options, names[i])) session_expect(session, 1);
    for (size_t i = 0; i < SCENE_COUNT; i++) {
        char label[NAME_SIZE];
        snprintf(label, sizeof label, "tune/%s", names[i]);
        if (!options_ask_for(options, names[i]) || !session_wants(session, label, N, 1)) continue;
        run_scene(i, label, session);
        session_keep(session);
    }
}
