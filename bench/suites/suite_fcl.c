// The suite `fcl`: this library as a manager of FCL beside FCL's own dynamic tree, in float and double.
//
//     bodies      `uniform`, 20 % motion: a step is update() and collide() among all
//     resting     the same, nothing moves: a step is collide() alone
//     arm         20 parts that turn among boxes such as an octomap has: update() of the arm, collide() with these
//     arm-first   the same, and the callback ends it at the first pair
//
// All take the same steps, in turns. Times are processor times of the thread: medians.
#include "core/bench.h"
#include "peers/fcl_managers.h"

#include <random.h>

#include <math.h>

enum { MAX_MANAGERS = 4, PARTS = 20, ARM_STEPS = 201, ARM_WARMUPS = 20 };

const char *const fcl_parts[] = {"bodies", "resting", "arm", "arm-first", NULL};

typedef struct contender {
    const bench_fcl_manager *manager;
    void *state, *others;
    double update_ms[MAX_RUNS], find_ms[MAX_RUNS], total_ms[MAX_RUNS];
    bench_fcl_pairs pairs; // of the last step
    size_t runs;
} contender;

typedef struct trial {
    const char *label;
    size_t n;
    contender contenders[MAX_MANAGERS];
    size_t count;
    bench_session *session;
} trial;

static bool begin_trial(trial *t, const bp_box *boxes, size_t count, const bp_box *others, size_t other_count) {
    for (const bench_fcl_manager *m = bench_fcl_managers; m && m->who && t->count < MAX_MANAGERS; m++) {
        contender *c = &t->contenders[t->count++];
        *c = (contender){.manager = m, .state = m->create(boxes, count)};
        c->others = others ? m->create(others, other_count) : NULL;
        if (!c->state || (others && !c->others)) {
            session_fail(t->session, "fcl, %s: no memory", t->label);
            return false;
        }
    }
    return true;
}

static void end_trial(trial *t) {
    for (size_t i = 0; i < t->count; i++) {
        contender *c = &t->contenders[i];
        if (c->state) c->manager->destroy(c->state);
        if (c->others) c->manager->destroy(c->others);
    }
}

// One step of everybody. `boxes` NULL: nothing has moved.
static void take_step(trial *t, const bp_box *boxes, bool first_only, bool is_timed) {
    for (size_t i = 0; i < t->count; i++) {
        contender *c = &t->contenders[i];
        if (boxes) c->manager->place(c->state, boxes);
        const double start = thread_seconds();
        if (boxes) c->manager->update(c->state);
        const double updated = thread_seconds();
        c->pairs =
            c->others ? c->manager->collide_with(c->state, c->others, first_only) : c->manager->collide(c->state);
        const double end = thread_seconds();
        if (!is_timed || c->runs == MAX_RUNS) continue;
        c->update_ms[c->runs] = 1e3 * (updated - start);
        c->find_ms[c->runs] = 1e3 * (end - updated);
        c->total_ms[c->runs++] = 1e3 * (end - start);
    }
}

static void verify(const trial *t, bool first_only) {
    for (size_t i = 1; i < t->count; i++) {
        const bench_fcl_pairs ours = t->contenders[0].pairs, theirs = t->contenders[i].pairs;
        if (ours.count == theirs.count && (first_only || ours.hash == theirs.hash)) continue;
        session_fail(t->session, "WRONG PAIRS: %s, %zu objects: %zu; %s %s: %zu", t->label, t->n, ours.count,
                     t->contenders[i].manager->who, t->contenders[i].manager->method, theirs.count);
    }
}

static void print_trial(trial *t) {
    double ours = 0;
    printf("\n%s, %zu objects\n  %-11s %-20s %11s %11s %11s %10s %10s %9s   beside ours\n", t->label, t->n, "who",
           "method", "update µs", "collide µs", "total µs", "p99 µs", "worst µs", "pairs");
    for (size_t i = 0; i < t->count; i++) {
        char tail[TAIL_TEXT];
        contender *c = &t->contenders[i];
        bench_row row = {.n = t->n, .threads = 1, .runs = c->runs, .pairs = c->pairs.count, .hash = c->pairs.hash};
        row_set_totals(&row, c->total_ms, c->runs, 1);
        row.update_ms = median(c->update_ms, c->runs);
        row.find_ms = median(c->find_ms, c->runs);
        snprintf(row.scene, sizeof row.scene, "%s", t->label);
        snprintf(row.who, sizeof row.who, "%s", c->manager->who);
        snprintf(row.method, sizeof row.method, "%s", c->manager->method);
        rows_add(session_rows(t->session), &row);
        printf("  %-11s %-20s %11.2f %11.2f %11.2f %s %9zu", row.who, row.method, 1e3 * row.update_ms,
               1e3 * row.find_ms, 1e3 * row.total_ms, table_tail(&row, true, tail), row.pairs);
        if (i % 2 == 0) ours = row.total_ms; // the tree of the same scalar follows
        if (i % 2 == 1) printf("   ×%.2f", row.total_ms / ours);
        putchar('\n');
    }
    fflush(stdout);
}

// ---- many bodies ----------------------------------------------------------------------------------------------------

static void run_bodies(const bench_options *options, trial *t, bool is_moving) {
    const char *error = NULL;
    const scene_options wanted = {.count = t->n};
    scene *s = scene_create("uniform", &wanted, &error);
    if (!s) {
        session_fail(t->session, "scene uniform: %s", error);
        return;
    }
    const size_t steps = options->repeats ? options->repeats : t->n > 20000 ? 11 : 31;
    const size_t warmups = options->warmups ? options->warmups : 10;
    if (begin_trial(t, scene_boxes(s), scene_finite_count(s), NULL, 0)) {
        for (size_t i = 0; i < warmups + steps; i++) {
            if (is_moving) scene_step(s);
            take_step(t, is_moving ? scene_boxes(s) : NULL, false, i >= warmups);
        }
        verify(t, false);
        print_trial(t);
    }
    end_trial(t);
    scene_destroy(s);
}

// ---- an arm ---------------------------------------------------------------------------------------------------------

// Cubes of a grid: a floor, walls, and heaps of things on the floor, as a robot's map of a room is.
static size_t draw_map(bp_box *boxes, size_t count, rng *random) {
    const double edge = 0.05;
    const uint32_t side = (uint32_t)ceil(sqrt((double)count / 2.0));
    for (size_t i = 0; i < count; i++) {
        uint32_t cell[3] = {(uint32_t)(i % side), (uint32_t)(i / side), 0}; // half of all: the floor
        if (i >= count / 2) {
            const uint32_t heap = (uint32_t)(i % 12), spread = side / 12 + 1;
            cell[0] = heap * side / 12 + rng_below(random, spread);
            cell[1] = heap * 7 % 12 * side / 12 + rng_below(random, spread);
            cell[2] = 1 + rng_below(random, 2 * spread);
        }
        for (int axis = 0; axis < 3; axis++) {
            boxes[i].min[axis] = (float)(edge * (double)cell[axis]);
            boxes[i].max[axis] = (float)(edge * (double)(cell[axis] + 1));
        }
    }
    return count;
}

// A chain of parts that begins in the middle of the floor, a little above it, and turns a little with each step.
static void bend_arm(bp_box parts[PARTS], double middle, size_t step) {
    double at[3] = {middle, middle, 0.1}, length = 0.12, turn = 0.02 * (double)step;
    for (int i = 0; i < PARTS; i++) {
        const double tilt = 1.2 * cos(turn * 0.7 + 0.3 * i), around = turn + 0.25 * i;
        const double to[3] = {at[0] + length * cos(tilt) * cos(around), at[1] + length * cos(tilt) * sin(around),
                              fmax(0.1, at[2] + length * sin(tilt))};
        for (int axis = 0; axis < 3; axis++) {
            parts[i].min[axis] = (float)(fmin(at[axis], to[axis]) - 0.04);
            parts[i].max[axis] = (float)(fmax(at[axis], to[axis]) + 0.04);
            at[axis] = to[axis];
        }
    }
}

static void run_arm(trial *t, bool first_only) {
    rng random = rng_seeded(5);
    bp_box *map = malloc(t->n * sizeof *map), parts[PARTS];
    if (!map) abort();
    draw_map(map, t->n, &random);
    const double middle = 0.025 * ceil(sqrt((double)t->n / 2.0));
    bend_arm(parts, middle, 0);
    if (begin_trial(t, parts, PARTS, map, t->n)) {
        for (size_t step = 1; step < ARM_WARMUPS + ARM_STEPS; step++) {
            bend_arm(parts, middle, step);
            take_step(t, parts, first_only, step >= ARM_WARMUPS);
        }
        verify(t, first_only);
        print_trial(t);
    }
    end_trial(t);
    free(map);
}

// ---- all together ---------------------------------------------------------------------------------------------------

static void run_part(const bench_options *options, bench_session *session, size_t part, size_t n) {
    trial t = {.label = fcl_parts[part], .n = n, .session = session};
    if (part < 2)
        run_bodies(options, &t, part == 0);
    else
        run_arm(&t, part == 3);
}

void fcl_run(const bench_options *options, bench_session *session) {
    static const size_t usual[][3] = {{10000, 100000, 0}, {10000, 100000, 0}, {10000, 0}, {10000, 0}};
    if (!bench_fcl_managers) {
        printf("The suite fcl is not built: it needs FCL (Debian: libfcl-dev).\n");
        return;
    }
    for (size_t part = 0; fcl_parts[part]; part++) {
        if (!options_ask_for(options, fcl_parts[part])) continue;
        for (const size_t *n = options->count_count ? options->counts : usual[part]; *n; n++) {
            session_expect(session, (double)*n);
            if (!session_wants(session, fcl_parts[part], *n, (double)*n)) continue;
            run_part(options, session, part, *n);
            session_keep(session);
        }
    }
}
