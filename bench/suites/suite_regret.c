// The suite `regret`: how many times as long as the best named search does `auto` take? In one call, in worlds of which all or a few
// objects move, and between two sets: on every scene, and on mixtures of shapes, sizes, places and motions that a seed draws. No
// figure of the plan is fitted to these boxes.
//
// All contestants take turns on the same boxes. Times are processor times of one thread, medians.
#include "core/bench.h"

#include <random.h>
#include <scenes.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MIXTURES = 60, FAMILIES = 3, CONTESTANTS = 24, ROUNDS_MAX = 61, WARMUPS = 3 };

static const size_t counts[] = {100, 1000, 10000, 100000, 1000000};
static const double HOPELESS = 4; // times the best, with fewer boxes or in the first round: such a method is left out
static const double SECONDS_A_CASE = 0.04;
static const double MEAN_PROMISED = 1.05, MOST_PROMISED = 1.3;

const char *const regret_parts[] = {"call", "world", "between", NULL};
enum { CALL, WORLD, BETWEEN, USES };

typedef struct body {
    char name[NAME_SIZE];
    bp_box *boxes;
    size_t count;
    uint32_t dimensions;
    double moving, speed; // the share of the objects that move in a step, and how far, in edges
    rng random;
} body;

// ---- boxes ----------------------------------------------------------------------------------------------------------

typedef struct family {
    double edges[3], octaves, extent[3], spread; // spread: of places, 1 evenly, more: crowded at a corner
    size_t clusters;
} family;

static family draw_family(rng *random) {
    family f = {.octaves = rng_below(random, 2) ? 0 : rng_between(random, 0, 10), .spread = 1};
    for (int axis = 0; axis < 3; axis++) {
        f.edges[axis] = rng_below(random, 2) ? 1 : exp2(rng_between(random, -4, 4));
        f.extent[axis] = rng_below(random, 4) ? 1 : exp2(-rng_between(random, 0, 8));
    }
    f.clusters = rng_below(random, 3) ? 0 : 1 + rng_below(random, 64);
    f.spread = rng_below(random, 4) ? 1 : rng_between(random, 1, 6);
    return f;
}

static void draw_box(const family *f, double size, uint64_t places, rng *random, bp_box *box) {
    const double own = size * exp2(-f->octaves * rng_unit(random));
    rng middle = rng_seeded(places + (f->clusters ? rng_below(random, (uint32_t)f->clusters) : 0));
    const uint32_t turn = rng_below(random, 3);
    for (uint32_t axis = 0; axis < 3; axis++) {
        const double place = pow(rng_unit(random), f->spread), edge = own * f->edges[(axis + turn) % 3];
        const double at = f->clusters ? rng_unit(&middle) + 0.05 * (place - 0.5) : place;
        box->min[axis] = (float)(f->extent[axis] * at - 0.5 * edge);
        box->max[axis] = (float)(f->extent[axis] * at + 0.5 * edge);
    }
}

// The size of all boxes is such that a sample of them has one to four pairs a box.
static double size_for(const family *families, const size_t *of, size_t count, uint64_t seed, double wanted) {
    enum { SAMPLE = 1000 };
    static bp_box sample[SAMPLE];
    double low = 1e-6, high = 1;
    for (int round = 0; round < 24; round++) {
        const double size = sqrt(low * high);
        size_t pairs = 0;
        rng random = rng_seeded(seed);
        for (size_t i = 0; i < SAMPLE; i++) draw_box(&families[of[i % count]], size, seed, &random, &sample[i]);
        for (size_t i = 0; i < SAMPLE; i++)
            for (size_t k = 0; k < i; k++) {
                bool meets = true;
                for (int axis = 0; axis < 3; axis++)
                    meets = meets && sample[i].min[axis] <= sample[k].max[axis] &&
                            sample[k].min[axis] <= sample[i].max[axis];
                pairs += meets;
            }
        const double all = (double)pairs * (double)count / SAMPLE * (double)count / SAMPLE;
        *(all > wanted * (double)count ? &high : &low) = size;
    }
    return low;
}

static body body_of_mixture(size_t index, uint64_t seed, size_t count) {
    body b = {.count = count, .dimensions = 3, .random = rng_seeded(1000003 * (seed + 1) + index)};
    family families[FAMILIES];
    const size_t used = 1 + rng_below(&b.random, FAMILIES);
    const double moving[] = {1, 1, 0.3, 0.03, 0.01, 0.001};
    for (size_t i = 0; i < used; i++) families[i] = draw_family(&b.random);
    const double wanted = rng_between(&b.random, 0.5, 4), shares[2] = {rng_unit(&b.random), rng_unit(&b.random)};
    b.moving = moving[rng_below(&b.random, 6)];
    b.speed = exp2(rng_between(&b.random, -5, 0));
    const uint64_t places = rng_next(&b.random);
    b.boxes = malloc(count * sizeof *b.boxes);
    size_t *of = malloc(count * sizeof *of);
    if (!b.boxes || !of) abort();
    for (size_t i = 0; i < count; i++) {
        const double at = rng_unit(&b.random);
        of[i] = (size_t)(at < shares[0]) % used + (size_t)(at < shares[0] * shares[1]) % used;
        of[i] = of[i] < used ? of[i] : used - 1;
    }
    const double size = size_for(families, of, count, places, wanted);
    for (size_t i = 0; i < count; i++) draw_box(&families[of[i]], size, places, &b.random, &b.boxes[i]);
    free(of);
    snprintf(b.name, sizeof b.name, "mixture-%zu", index + 1);
    return b;
}

static body body_of_scene(const char *name, size_t count) {
    const char *error = NULL;
    body b = {.moving = 1, .speed = 0.1, .random = rng_seeded(1)};
    scene *s = scene_create(name, &(scene_options){.count = count}, &error);
    if (!s) return b;
    b.count = scene_box_count(s);
    b.dimensions = scene_dimensions(s);
    b.boxes = malloc(b.count * sizeof *b.boxes);
    if (!b.boxes) abort();
    memcpy(b.boxes, scene_boxes(s), b.count * sizeof *b.boxes);
    scene_destroy(s);
    snprintf(b.name, sizeof b.name, "%s", name);
    return b;
}

// Moves some of them; returns how many, with their ids.
static size_t move_some(body *b, bp_id *ids, bp_box *moved) {
    size_t count = 0;
    for (size_t i = 0; i < b->count; i++) {
        if (b->moving < 1 && rng_unit(&b->random) >= b->moving) continue;
        bp_box *box = &b->boxes[i];
        for (int axis = 0; axis < 3; axis++) {
            const float edge = box->max[axis] - box->min[axis];
            const float by = (float)rng_between(&b->random, -b->speed, b->speed) * edge;
            if (!isfinite(by)) continue;
            box->min[axis] += by;
            box->max[axis] = fmaxf(box->max[axis] + by, box->min[axis]);
        }
        ids[count] = (bp_id)i;
        moved[count++] = *box;
    }
    return count;
}

// ---- turns ----------------------------------------------------------------------------------------------------------

typedef struct contestant {
    const char *name; // NULL: left out
    bp_config config;
    bp_world *world;
    bp_pairs pairs;
    size_t found;
    double seconds[ROUNDS_MAX];
} contestant;

typedef struct turns {
    size_t use;
    body *b;
    bp_id *ids;
    bp_box *moved;
    contestant list[CONTESTANTS];
} turns;

static bool take_turn(turns *t, contestant *one, size_t moved, double *seconds) {
    const body *b = t->b;
    const size_t half = b->count / 2;
    bp_result result = {0};
    bp_status status = BP_OK;
    const double start = thread_seconds();
    if (t->use == CALL)
        status = bp_find_pairs(b->boxes, b->count, &one->config, &one->pairs);
    else if (t->use == BETWEEN)
        status = bp_find_pairs_between(b->boxes, half, b->boxes + half, b->count - half, &one->config, &one->pairs);
    else if ((status = bp_move_many(one->world, moved, t->ids, t->moved)) == BP_OK)
        status = bp_update(one->world, &result);
    *seconds = thread_seconds() - start;
    one->found = t->use == WORLD ? result.pair_count : one->pairs.count;
    return status == BP_OK;
}

static bool begin_turns(turns *t, const bench_rows *rows, const char *label) {
    bool is_fine = true;
    for (size_t i = 0; i < bp_method_count(); i++) {
        contestant *one = &t->list[i];
        double best = INFINITY, own = 0;
        size_t n = 0;
        for (size_t k = 0; k < rows->count; k++) { // at the largest smaller n
            const bench_row *row = &rows->data[k];
            if (strcmp(row->scene, label) != 0) continue;
            if (row->n != n) best = INFINITY, own = INFINITY;
            n = row->n;
            best = fmin(best, row->total_ms);
            own = strcmp(row->method, bp_method_name(i)) == 0 ? row->total_ms : own;
        }
        if (i != BP_METHOD_AUTO && own > HOPELESS * best) continue;
        one->name = bp_method_name(i);
        one->config = (bp_config){.method = (bp_method)i, .dimensions = t->b->dimensions};
        if (t->use == WORLD)
            is_fine = is_fine && bp_world_create(&one->config, &one->world) == BP_OK &&
                      bp_add_many(one->world, t->b->count, t->b->boxes, NULL, NULL) == BP_OK;
    }
    return is_fine;
}

static void leave_out(contestant *one) {
    one->name = NULL;
    bp_world_destroy(one->world);
    one->world = NULL;
    bp_pairs_free(&one->pairs, &one->config);
}

// Which search `auto` has run, in a turn of its own.
static const char *name_of_search(turns *t) {
    contestant *one = &t->list[BP_METHOD_AUTO];
    bp_stats stats = {.method = BP_METHOD_AUTO};
    double seconds;
    one->config.stats = &stats;
    if (t->use == WORLD)
        bp_world_stats(one->world, &stats);
    else
        (void)take_turn(t, one, 0, &seconds);
    one->config.stats = NULL;
    return bp_method_name((size_t)stats.method);
}

// One case: rounds of all contestants, of which the slow ones are left out after the first.
static void run_case(body *b, size_t use, bench_session *session) {
    char label[NAME_SIZE];
    double spent = 0, first[CONTESTANTS];
    size_t rounds = 0;
    turns t = {
        .use = use, .b = b, .ids = malloc(b->count * sizeof *t.ids), .moved = malloc(b->count * sizeof *t.moved)};
    snprintf(label, sizeof label, "regret/%s/%.40s", regret_parts[use], b->name);
    bool is_fine = t.ids && t.moved && begin_turns(&t, session_rows(session), label);
    const size_t warmups = use != WORLD ? 1 : b->moving < 1 ? 4 * WARMUPS : WARMUPS;
    for (size_t turn = 0; is_fine && rounds < ROUNDS_MAX && (rounds < 3 || spent < SECONDS_A_CASE); turn++) {
        const size_t moved = move_some(b, t.ids, t.moved);
        double best = INFINITY, seconds;
        for (size_t i = 0; i < CONTESTANTS && is_fine && !bench_interrupted; i++) {
            contestant *one = &t.list[(i + turn) % CONTESTANTS];
            if (!one->name) continue;
            is_fine = take_turn(&t, one, moved, &seconds);
            first[(i + turn) % CONTESTANTS] = one->seconds[rounds] = seconds;
            best = fmin(best, seconds);
            spent += one == t.list && turn >= warmups ? seconds : 0;
        }
        for (size_t i = 1; i < CONTESTANTS && turn + 1 == warmups; i++)
            if (t.list[i].name && first[i] > HOPELESS * best) leave_out(&t.list[i]);
        rounds += turn >= warmups;
    }
    for (size_t i = 0; i < CONTESTANTS; i++) {
        contestant *one = &t.list[i];
        if (!one->name) continue;
        bench_row row = {.n = b->count, .threads = 1, .runs = rounds, .pairs = one->found};
        is_fine = is_fine && one->found == t.list[BP_METHOD_AUTO].found;
        if (i == BP_METHOD_AUTO) snprintf(row.why, sizeof row.why, "%s", name_of_search(&t));
        snprintf(row.scene, sizeof row.scene, "%s", label);
        snprintf(row.who, sizeof row.who, "%s", OURS);
        snprintf(row.method, sizeof row.method, "%s", one->name);
        row_set_totals(&row, one->seconds, rounds, 1e3);
        row.find_ms = row.total_ms;
        rows_add(session_rows(session), &row);
        leave_out(one);
    }
    if (!is_fine && !bench_interrupted)
        session_fail(session, "%s, %zu boxes: a method failed, or has other pairs", label, b->count);
    free(t.ids);
    free(t.moved);
    session_keep(session);
}

// ---- the summary ----------------------------------------------------------------------------------------------------

static void print_summary(const bench_rows *rows) {
    printf("\n%-34s %9s %-18s %12s   %-18s %12s %8s\n", "case", "objects", "auto ran", "its ms", "the best", "its ms",
           "regret");
    for (size_t use = 0; use < USES; use++) {
        double logs = 0, most = 0;
        size_t cases = 0;
        for (size_t i = 0; i < rows->count; i++) {
            const bench_row *own = &rows->data[i], *best = NULL;
            if (strcmp(own->method, "auto") != 0 ||
                strncmp(own->scene + 7, regret_parts[use], strlen(regret_parts[use])) != 0)
                continue;
            for (size_t k = 0; k < rows->count; k++) {
                const bench_row *row = &rows->data[k];
                if (k != i && row->n == own->n && strcmp(row->scene, own->scene) == 0 &&
                    (!best || row->total_ms < best->total_ms))
                    best = row;
            }
            if (!best) continue;
            const double regret = own->total_ms / best->total_ms;
            if (regret > 1.1)
                printf("%-34s %9zu %-18s %12.4f   %-18s %12.4f %8.2f\n", own->scene + 7, own->n, own->why,
                       own->total_ms, best->method, best->total_ms, regret);
            logs += log(regret);
            most = fmax(most, regret);
            cases++;
        }
        if (!cases) continue;
        printf("%s: %zu cases\n", regret_parts[use], cases);
        promise_at_most(stdout, "regret, geometric mean", exp(logs / (double)cases), MEAN_PROMISED);
        promise_at_most(stdout, "regret, at most", most, MOST_PROMISED);
    }
}

void regret_run(const bench_options *options, bench_session *session) {
    keep_memory();
    const size_t count_count = options->count_count ? options->count_count : sizeof counts / sizeof *counts;
    for (size_t use = 0; use < USES; use++)
        for (size_t k = 0; k < count_count; k++)
            for (size_t i = 0; i < scene_count() + MIXTURES && !bench_interrupted; i++) {
                const size_t n = options->count_count ? options->counts[k] : counts[k];
                const char *name = i < scene_count() ? scene_name(i) : "";
                if (!options_ask_for(options, regret_parts[use]) || (strcmp(name, "identical") == 0 && n > 1000))
                    continue;
                body b =
                    i < scene_count() ? body_of_scene(name, n) : body_of_mixture(i - scene_count(), options->seed, n);
                if (b.boxes) run_case(&b, use, session);
                free(b.boxes);
            }
    print_summary(session_rows(session));
}
