// The suite `engine`: whole physics worlds of Bullet, stepped with our broad phase and with Bullet's own.
//
// Each contestant has a world of its own, in memory of its own, and all take turns, a step at a time. After each step all
// worlds get the state of the first, so that all do the same. Times are processor times of the thread, as means over a
// third of the steps: at the beginning of a scene all is in motion, at the end most is at rest. The pairs are verified
// after each step.
#include "core/bench.h"
#include "engine/engine.h"

#include <random.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CONTESTANTS = 8, PHASES = 3, MANY = 3000 };

static const double SAME = 0.98; // repeated measurements differ by so much

static const char *const phase_names[PHASES] = {"begin", "middle", "end"};

typedef struct rider {
    const engine_contestant *contestant;
    engine *engine;
    engine_times *times; // of each step
    engine_sight sight;  // after the last step of a phase
    bool was_wrong;      // which is said once
} rider;

typedef struct race {
    bench_session *session;
    const engine_scene *scene;
    size_t objects, steps;
    rider riders[MAX_CONTESTANTS];
    size_t rider_count;
    rng random;
} race;

// ---- running --------------------------------------------------------------------------------------------------------

static void add_rider(race *r, size_t scene_index, size_t contestant) {
    rider *added = &r->riders[r->rider_count];
    added->contestant = &engine_contestants[contestant];
    added->engine = engine_create(scene_index, r->objects, contestant);
    added->times = calloc(r->steps, sizeof *added->times);
    if (added->engine && added->times) {
        r->rider_count++;
        return;
    }
    session_fail(r->session, "%s, %s: no memory", r->scene->name, added->contestant->method);
    if (added->engine) engine_destroy(added->engine);
    free(added->times);
}

static bool takes_part(const bench_options *options, const engine_contestant *contestant, size_t objects) {
    return (contestant->max_objects == 0 || objects <= contestant->max_objects) &&
           (strcmp(contestant->who, OURS) == 0 || options_have_peer(options, contestant->who, contestant->method));
}

static void add_riders(race *r, const bench_options *options, size_t scene_index) {
    for (size_t i = 0; engine_contestants[i].who; i++)
        if (takes_part(options, &engine_contestants[i], r->objects)) add_rider(r, scene_index, i);
}

static void look(race *r, rider *of, size_t step) {
    of->sight = engine_look(of->engine);
    if (of->sight.wrong == 0 || of->was_wrong) return;
    of->was_wrong = true;
    session_fail(r->session, "WRONG PAIRS: %s, %zu objects, step %zu: %s %s: %zu of %zu", r->scene->name, r->objects,
                 step, of->contestant->who, of->contestant->method, of->sight.wrong, of->sight.pairs);
}

static void follow_first(race *r, size_t step) {
    for (size_t i = 0; i < r->rider_count; i++) {
        rider *of = &r->riders[i];
        if (of->sight.hash != r->riders[0].sight.hash && !of->was_wrong) {
            of->was_wrong = true;
            session_fail(r->session, "OTHER BOXES: %s, %zu objects, step %zu: %s %s", r->scene->name, r->objects, step,
                         of->contestant->who, of->contestant->method);
        }
        engine_follow(of->engine, r->riders[0].engine); // even the first, so that the same memory is touched
    }
}

// In another order in each step, because whoever comes after a slow contestant finds the cache emptied.
static void shuffle(size_t *order, size_t count, rng *random) {
    for (size_t i = 0; i < count; i++) {
        const size_t j = rng_below(random, (uint32_t)i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}

static void run_steps(race *r, size_t first, size_t end) {
    for (size_t step = first; step < end && !bench_interrupted; step++) {
        size_t order[MAX_CONTESTANTS];
        shuffle(order, r->rider_count, &r->random);
        for (size_t i = 0; i < r->rider_count; i++) {
            rider *next = &r->riders[order[i]];
            engine_step(next->engine, &next->times[step]);
            look(r, next, step);
        }
        follow_first(r, step);
    }
}

// ---- rows -----------------------------------------------------------------------------------------------------------

typedef enum quantity { BROAD_PHASE, WHOLE_STEP, RAYS } quantity;

static double seconds_of(const engine_times *times, quantity what) {
    return what == BROAD_PHASE ? times->set + times->find : what == RAYS ? times->rays : times->step;
}

static const char *quantity_suffix(quantity what) {
    return what == BROAD_PHASE ? "" : what == RAYS ? "/rays" : "/whole-step";
}

static void set_totals(bench_row *row, const rider *of, size_t first, size_t end, quantity what) {
    double *values = malloc((end - first) * sizeof *values);
    if (!values) abort();
    for (size_t i = first; i < end; i++) values[i - first] = seconds_of(&of->times[i], what);
    row_set_totals(row, values, end - first, 1e3);
    free(values);
}

static bench_row row_of(const race *r, const rider *of, size_t phase, quantity what) {
    const size_t first = phase * r->steps / PHASES, end = (phase + 1) * r->steps / PHASES;
    bench_row row = {.n = r->objects, .threads = 1, .runs = end - first, .pairs = of->sight.pairs};
    const double to_ms = 1e3 / (double)(end - first);
    row.hash = of->sight.hash;
    row.tests = of->sight.given;
    set_totals(&row, of, first, end, what);
    row.total_ms = 0; // a mean, not the median
    for (size_t i = first; i < end; i++) {
        row.total_ms += to_ms * seconds_of(&of->times[i], what);
        row.update_ms += what == BROAD_PHASE ? to_ms * of->times[i].set : 0;
        row.find_ms += what == BROAD_PHASE ? to_ms * of->times[i].find : 0;
    }
    snprintf(row.scene, sizeof row.scene, "%s/%s%s", r->scene->name, phase_names[phase], quantity_suffix(what));
    snprintf(row.who, sizeof row.who, "%s", of->contestant->who);
    snprintf(row.method, sizeof row.method, "%s", of->contestant->method);
    return row;
}

static void print_phase(const race *r, size_t phase) {
    const bench_row ours = row_of(r, &r->riders[0], phase, BROAD_PHASE);
    const bench_row ours_whole = row_of(r, &r->riders[0], phase, WHOLE_STEP);
    for (size_t i = 0; i < r->rider_count; i++) {
        const bench_row broad = row_of(r, &r->riders[i], phase, BROAD_PHASE);
        const bench_row whole = row_of(r, &r->riders[i], phase, WHOLE_STEP);
        char tail[TAIL_TEXT];
        printf("  %-7s %-11s %-24s %9.1f %9.1f %9.1f %s  ×%-6.2f %10.1f  ×%-6.2f %8zu %8llu",
               i ? "" : phase_names[phase], broad.who, broad.method, 1e3 * broad.update_ms, 1e3 * broad.find_ms,
               1e3 * broad.total_ms, table_tail(&broad, true, tail), broad.total_ms / ours.total_ms,
               1e3 * whole.total_ms, whole.total_ms / ours_whole.total_ms, broad.pairs,
               (unsigned long long)broad.tests);
        if (r->scene->has_rays) printf(" %9.1f", 1e3 * row_of(r, &r->riders[i], phase, RAYS).total_ms);
        putchar('\n');
    }
}

static void keep_phase(const race *r, size_t phase) {
    for (size_t i = 0; i < r->rider_count; i++)
        for (quantity what = BROAD_PHASE; what <= (r->scene->has_rays ? RAYS : WHOLE_STEP); what++) {
            const bench_row row = row_of(r, &r->riders[i], phase, what);
            rows_add(session_rows(r->session), &row);
        }
    print_phase(r, phase);
    fflush(stdout);
}

static void run_scene(const bench_options *options, bench_session *session, size_t scene_index, size_t objects) {
    race r = {.session = session, .scene = &engine_scenes[scene_index], .objects = objects, .random = rng_seeded(1)};
    r.steps = options->repeats ? options->repeats : r.scene->steps;
    r.steps = r.steps < PHASES ? PHASES : r.steps;
    meter_show(r.scene->name);
    add_riders(&r, options, scene_index);
    printf(
        "%s, %zu objects, %zu steps; µs a step\n  %-7s %-11s %-24s %9s %9s %9s %10s %10s  %-7s %10s  %-7s %8s %8s%s\n",
        r.scene->name, objects, r.steps, "", "who", "broad phase", "set", "find", "both", "p99", "worst", "/ours",
        "whole step", "/ours", "pairs", "given", r.scene->has_rays ? "      rays" : "");
    for (size_t phase = 0; phase < PHASES && r.rider_count > 0; phase++) {
        run_steps(&r, phase * r.steps / PHASES, (phase + 1) * r.steps / PHASES);
        if (!bench_interrupted) keep_phase(&r, phase);
    }
    for (size_t i = 0; i < r.rider_count; i++) {
        engine_destroy(r.riders[i].engine);
        free(r.riders[i].times);
    }
}

// ---- promises -------------------------------------------------------------------------------------------------------

// The fastest of Bullet's whose names begin like this, divided by ours. 0: there is none.
static double ratio_of(const bench_rows *rows, const bench_row *ours, const char *name) {
    double best = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const bench_row *row = &rows->data[i];
        if (strcmp(row->scene, ours->scene) != 0 || row->n != ours->n || !row_is_peer(row) ||
            strncmp(row->method, name, strlen(name)) != 0)
            continue;
        best = best == 0 || row->total_ms < best ? row->total_ms : best;
    }
    return best / ours->total_ms;
}

static void print_promise(const bench_rows *rows, const bench_row *ours, const char *name, double limit) {
    char what[2 * NAME_SIZE];
    const double ratio = ratio_of(rows, ours, name);
    if (ratio == 0) return;
    snprintf(what, sizeof what, "%s, %zu: the fastest %s / ours", ours->scene, ours->n, *name ? name : "of Bullet's");
    (void)promise_at_least(stdout, what, ratio, limit);
}

static void print_promises(const bench_rows *rows) {
    printf("\nThe broad phase, rays: never slower; the broad phase from %d objects on 3 times as fast. The whole step: "
           "never "
           "slower than with btDbvtBroadphase, and as fast as with any.\n",
           MANY);
    for (size_t i = 0; i < rows->count; i++) {
        const bench_row *ours = &rows->data[i];
        if (strcmp(ours->method, "bullet_broadphase") != 0) continue;
        if (strstr(ours->scene, "/whole-step")) {
            print_promise(rows, ours, "dbvt", 1.0);
            print_promise(rows, ours, "", SAME);
        } else {
            print_promise(rows, ours, "", ours->n >= MANY && !strstr(ours->scene, "/rays") ? 3.0 : 1.0);
        }
    }
}

// ---- all together ---------------------------------------------------------------------------------------------------

static size_t objects_of(const bench_options *options, const engine_scene *asked) {
    return options->count_count && options->counts[0] < asked->objects ? options->counts[0] : asked->objects;
}

const char *const engine_parts[] = {"falling-100", "falling-1000", "falling",      "stack",      "wall", "ragdolls",
                                    "convexes",    "rays",         "resting",      "bowl-10000", "rain", "bowl-50000",
                                    "asleep-500",  "asleep-5000",  "asleep-50000", NULL};

void engine_run(const bench_options *options, bench_session *session) {
    if (!engine_scenes) {
        printf("The suite engine is not built: it needs Bullet (Debian: libbullet-dev).\n");
        return;
    }
    for (size_t i = 0; engine_scenes[i].name; i++)
        if (options_ask_for(options, engine_scenes[i].name))
            session_expect(session, (double)(engine_scenes[i].objects * engine_scenes[i].steps));
    for (size_t i = 0; engine_scenes[i].name; i++) {
        const engine_scene *next = &engine_scenes[i];
        const size_t objects = objects_of(options, next);
        char label[NAME_SIZE];
        snprintf(label, sizeof label, "%s/%s", next->name, phase_names[0]);
        if (!options_ask_for(options, next->name) ||
            !session_wants(session, label, objects, (double)(next->objects * next->steps)))
            continue;
        run_scene(options, session, i, objects);
        session_keep(session);
    }
    print_promises(session_rows(session));
}
