// A point of the suite `zych`: the same world inside Bullet for each contestant. They take turns, a step at a time, so that
// all see the same moods of the machine; brute force, which is slow, takes every fourth. Times are processor times of the thread, as medians over the steps; collisions
// are means.
#include "suites/zych.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RIDERS = 8, SLOW_STRIDE = 4 };

typedef struct rider {
    const engine_contestant *contestant;
    zych_world *world;
    size_t stride;      // it takes every so many-th step
    double *seconds[3]; // update, find, narrow: of each timed step
    size_t steps;       // that were timed
    double possible, actual, contacts;
} rider;

typedef struct race {
    const zych_point *point;
    bench_session *session;
    rider riders[MAX_RIDERS];
    size_t rider_count;
} race;

// ---- running --------------------------------------------------------------------------------------------------------

static bool is_listed(const char *names, const char *name) {
    const size_t length = strlen(name);
    for (const char *found = names; (found = strstr(found, name)) != NULL; found += length)
        if ((found == names || found[-1] == ' ') && (found[length] == ' ' || found[length] == '\0')) return true;
    return false;
}

static bool takes_part(const bench_options *options, const zych_point *p, const engine_contestant *contestant) {
    return (contestant->max_objects == 0 || p->factors.objects <= contestant->max_objects) &&
           (!p->only || is_listed(p->only, contestant->method)) &&
           (strcmp(contestant->who, OURS) == 0 || options_have_peer(options, contestant->who, contestant->method));
}

static void add_rider(race *r, size_t contestant) {
    rider *added = &r->riders[r->rider_count++];
    *added = (rider){.contestant = &zych_contestants[contestant],
                     .world = zych_world_create(&r->point->factors, contestant),
                     .stride = 1};
    if (strcmp(added->contestant->method, "brute-force") == 0 && r->point->repeats > 2 * SLOW_STRIDE)
        added->stride = SLOW_STRIDE;
    for (int stage = 0; stage < 3; stage++) {
        added->seconds[stage] = calloc(r->point->repeats, sizeof(double));
        if (!added->seconds[stage]) abort();
    }
}

static void step_rider(rider *of, bool counts) {
    zych_times times;
    zych_world_step(of->world, &times);
    if (!counts) return;
    const zych_sight sight = zych_world_look(of->world);
    of->seconds[0][of->steps] = times.update;
    of->seconds[1][of->steps] = times.find;
    of->seconds[2][of->steps++] = times.narrow;
    of->possible += (double)sight.possible;
    of->actual += (double)sight.actual;
    of->contacts += (double)sight.contacts;
}

static bool verify(const race *r, const rider *of) {
    const engine_sight sight = zych_world_verify(of->world);
    if (sight.wrong == 0) return true;
    session_fail(r->session, "WRONG PAIRS: %s, %zu objects: %s %s: %zu of %zu", r->point->label,
                 r->point->factors.objects, of->contestant->who, of->contestant->method, sight.wrong, sight.pairs);
    return false;
}

static bool run_steps(race *r) {
    const zych_point *p = r->point;
    bool fine = true;
    for (size_t step = 0; step < p->warmups + p->repeats && !bench_interrupted; step++)
        for (size_t i = 0; i < r->rider_count; i++) {
            rider *next = &r->riders[(i + step) % r->rider_count];
            if (step % next->stride == 0) step_rider(next, step >= p->warmups);
        }
    for (size_t i = 0; i < r->rider_count && !bench_interrupted; i++) fine = verify(r, &r->riders[i]) && fine;
    return fine && !bench_interrupted;
}

// ---- rows -----------------------------------------------------------------------------------------------------------

static double median_ms(const double *seconds, size_t count) {
    double *sorted = malloc(count * sizeof *sorted);
    if (!sorted) abort();
    memcpy(sorted, seconds, count * sizeof *sorted);
    const double result = 1e3 * median(sorted, count);
    free(sorted);
    return result;
}

// Stages `first` to `last` as one row.
static void add_row(const race *r, const rider *of, int first, int last, const char *suffix) {
    const size_t steps = of->steps;
    double *sums = calloc(steps, sizeof *sums);
    if (!sums) abort();
    for (int stage = first; stage <= last; stage++)
        for (size_t i = 0; i < steps; i++) sums[i] += of->seconds[stage][i];
    bench_row row = {.n = r->point->factors.objects, .threads = 1, .runs = steps};
    snprintf(row.scene, sizeof row.scene, "%s", r->point->label);
    snprintf(row.who, sizeof row.who, "%s", of->contestant->who);
    snprintf(row.method, sizeof row.method, "%s%s", of->contestant->method, suffix);
    row_set_totals(&row, sums, steps, 1e3);
    row.update_ms = first == 0 ? median_ms(of->seconds[0], steps) : 0;
    row.find_ms = fmax(row.total_ms - row.update_ms, 0);
    row.pairs = (size_t)((first == 0 ? of->possible : of->actual) / (double)steps + 0.5);
    row.tests = (uint64_t)((first == 0 ? 0 : of->possible) / (double)steps + 0.5);
    rows_add(session_rows(r->session), &row);
    free(sums);
}

static void add_rows(const race *r) {
    for (size_t i = 0; i < r->rider_count; i++) {
        add_row(r, &r->riders[i], 0, 1, "");
        add_row(r, &r->riders[i], 2, 2, NARROW_PHASE);
        add_row(r, &r->riders[i], 0, 2, DETECTION);
    }
    const rider *last = &r->riders[r->rider_count - 1];
    if (last->actual > 0) printf("\n%.2f contact points a collision", last->contacts / last->actual);
}

static void end_race(race *r) {
    for (size_t i = 0; i < r->rider_count; i++) {
        if (r->riders[i].world) zych_world_destroy(r->riders[i].world);
        for (int stage = 0; stage < 3; stage++) free(r->riders[i].seconds[stage]);
    }
}

bool zych_point_run(const bench_options *options, const zych_point *p, bench_session *session) {
    race r = {.point = p, .session = session};
    bool fine = true;
    for (size_t i = 0; zych_contestants[i].who && r.rider_count < MAX_RIDERS; i++)
        if (takes_part(options, p, &zych_contestants[i])) add_rider(&r, i);
    for (size_t i = 0; i < r.rider_count; i++) fine = fine && r.riders[i].world;
    if (!fine) session_fail(session, "%s, %zu objects: no memory", p->label, p->factors.objects);
    fine = fine && r.rider_count > 0 && run_steps(&r);
    if (fine) add_rows(&r);
    end_race(&r);
    return fine;
}

// ---- levels ---------------------------------------------------------------------------------------------------------

enum { LEVELS = 10 };

// Where an object is: its level, and the cell of that level.
typedef struct level_cell {
    uint32_t level, cell[3];
} level_cell;

static int by_level_and_cell(const void *a, const void *b) {
    return memcmp(a, b, sizeof(level_cell));
}

typedef struct cube {
    double low[3], edge;
} cube;

static double center_of(const bp_box *box, int axis) {
    return 0.5 * ((double)box->min[axis] + (double)box->max[axis]);
}

static cube cube_around(const bp_box *boxes, size_t count) {
    cube c = {{INFINITY, INFINITY, INFINITY}, 0};
    for (int axis = 0; axis < 3; axis++) {
        double high = -INFINITY;
        for (size_t i = 0; i < count; i++) {
            c.low[axis] = fmin(c.low[axis], center_of(&boxes[i], axis));
            high = fmax(high, center_of(&boxes[i], axis));
        }
        c.edge = fmax(c.edge, high - c.low[axis]);
    }
    return c;
}

// The cell of a level that encloses a box; false: it straddles, or sticks out.
static bool enclose(const cube *c, const bp_box *box, uint32_t level, uint32_t cell[3]) {
    const double scale = (double)(1u << level) / c->edge;
    for (int axis = 0; axis < 3; axis++) {
        const double low = floor(((double)box->min[axis] - c->low[axis]) * scale);
        const double high = floor(((double)box->max[axis] - c->low[axis]) * scale);
        if (low != high || low < 0 || low >= (double)(1u << level)) return false;
        cell[axis] = (uint32_t)low;
    }
    return true;
}

static level_cell place_of(const cube *c, const bp_box *box) {
    level_cell place = {0};
    for (uint32_t level = 1; level < LEVELS; level++) {
        uint32_t cell[3];
        if (!enclose(c, box, level, cell)) break;
        place.level = level;
        memcpy(place.cell, cell, sizeof cell);
    }
    return place;
}

static void add_level_row(const zych_point *p, uint32_t level, size_t objects, size_t nodes, bench_session *session) {
    bench_row row = {.n = p->factors.objects, .threads = 1, .runs = 1, .pairs = objects, .tests = nodes};
    if (objects == 0) return;
    snprintf(row.scene, sizeof row.scene, "%s level=%u", p->label, level);
    snprintf(row.who, sizeof row.who, OURS);
    snprintf(row.method, sizeof row.method, "plain-octree");
    rows_add(session_rows(session), &row);
    printf("  level %u: %zu objects in %zu nodes, %.1f each\n", level, objects, nodes, (double)objects / (double)nodes);
}

static void count_levels(const zych_point *p, const bp_box *boxes, bench_session *session) {
    const size_t n = p->factors.objects;
    const cube c = cube_around(boxes, n);
    level_cell *places = calloc(n, sizeof *places);
    if (!places) abort();
    for (size_t i = 0; i < n; i++) places[i] = place_of(&c, &boxes[i]);
    qsort(places, n, sizeof *places, by_level_and_cell);
    printf("\n%s, %zu objects\n", p->label, n);
    for (uint32_t level = 0; level < LEVELS; level++) {
        size_t objects = 0, nodes = 0;
        for (size_t i = 0; i < n; i++) {
            if (places[i].level != level) continue;
            objects++;
            nodes += i == 0 || by_level_and_cell(&places[i], &places[i - 1]) != 0;
        }
        add_level_row(p, level, objects, nodes, session);
    }
    free(places);
}

void zych_levels_run(const zych_point *p, bench_session *session) {
    size_t contestant = 0;
    while (strcmp(zych_contestants[contestant].method, "auto") != 0) contestant++;
    zych_world *world = zych_world_create(&p->factors, contestant);
    bp_box *boxes = calloc(p->factors.objects, sizeof *boxes);
    if (!world || !boxes) abort();
    for (size_t step = 0; step < p->warmups; step++) {
        zych_times times;
        zych_world_step(world, &times);
    }
    zych_world_boxes(world, boxes);
    count_levels(p, boxes, session);
    free(boxes);
    zych_world_destroy(world);
}
