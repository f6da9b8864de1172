#include "suites/runner.h"

#include "core/entry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

runner runner_world(const char *what, bp_config config) {
    return (runner){.who = OURS, .what = what, .config = config};
}

runner runner_one_call(const char *what) {
    return (runner){.who = OURS, .what = what, .one_call = true};
}

runner runner_peer(const char *what, const bench_world_peer *peer) {
    return (runner){.who = peer->who, .what = what, .peer = peer};
}

const char *runner_method(const runner *r) {
    return r->peer ? r->peer->method : bp_method_name((size_t)r->stats.method);
}

static bool complain(const runner *r, const char *what) {
    fprintf(stderr, "\nbench: FAILED: %s %s, %s: %s\n", r->who, runner_method(r), r->what, what);
    return false;
}

static bool succeeded(const runner *r, bp_status status) {
    return status == BP_OK || complain(r, bp_status_text(status));
}

static bp_status add_all(bp_world *world, const crowd *c) {
    const size_t fixed = crowd_static_count(c), count = crowd_count(c);
    bp_object *objects = calloc(fixed + 1, sizeof *objects);
    if (!objects) return BP_ERROR_MEMORY;
    for (size_t i = 0; i < fixed; i++) objects[i].flags = BP_STATIC;
    bp_status status = bp_add_many(world, fixed, crowd_boxes(c), objects, NULL);
    free(objects);
    if (status == BP_OK) status = bp_add_many(world, count - fixed, crowd_boxes(c) + fixed, NULL, NULL);
    return status;
}

static bool create(runner *r, const crowd *c) {
    if (r->one_call) return true;
    if (r->peer) {
        r->state = r->peer->create(crowd_boxes(c), crowd_count(c), crowd_static_count(c));
        return r->state || complain(r, "could not be created");
    }
    const bp_status status = bp_world_create(&r->config, &r->world);
    return succeeded(r, status == BP_OK ? add_all(r->world, c) : status);
}

bool runner_create(runner *r, const crowd *c) {
    const size_t before = heap_bytes();
    const bool fine = create(r, c);
    r->heap = heap_bytes() - before;
    return fine;
}

void runner_destroy(runner *r) {
    bp_answers_free(&r->answers, NULL);
    free(r->new_ids);
    free(r->hits);
    bp_world_destroy(r->world);
    if (r->state) r->peer->destroy(r->state);
    if (r->one_call)
        bp_pairs_free(&r->pairs, NULL);
    else
        free(r->pairs.data);
    free(r->stale.data);
    free(r->samples);
    *r = (runner){0};
}

// ---- steps ---------------------------------------------------------------------------------------------------------

// The ids that were given up are given again, in the same order.
static bp_status replace(runner *r, const crowd_changes *changes) {
    const size_t count = changes->replaced_count;
    bp_status status = bp_remove_many(r->world, count, changes->replaced);
    if (status != BP_OK) return status;
    status = bp_add_many(r->world, count, changes->replaced_boxes, changes->replaced_objects, r->new_ids);
    const bool same = status != BP_OK || memcmp(r->new_ids, changes->replaced, count * sizeof *r->new_ids) == 0;
    return same ? status : BP_ERROR_INTERNAL;
}

static bp_status move(runner *r, const crowd_changes *changes) {
    bp_status status = BP_OK;
    if (r->world) {
        if (changes->replaced_count) status = replace(r, changes);
        return status == BP_OK ? bp_move_many(r->world, changes->count, changes->ids, changes->boxes) : status;
    }
    if (!r->peer) return BP_OK;
    if (changes->replaced_count)
        r->peer->replace(r->state, changes->replaced, changes->replaced_boxes, changes->replaced_count);
    r->peer->move(r->state, changes->ids, changes->boxes, changes->count);
    return BP_OK;
}

static bp_status ask_rays(runner *r, const crowd_changes *changes) {
    if (r->world) return bp_query_rays(r->world, changes->ray_count, changes->rays, 1, NULL, &r->answers);
    r->peer->rays(r->state, changes->rays, changes->ray_count, r->hits);
    return BP_OK;
}

static bp_status update(runner *r, const crowd *c) {
    if (r->world) return bp_update(r->world, &r->result);
    if (r->one_call) return bp_find_pairs(crowd_boxes(c), crowd_count(c), &r->config, &r->pairs);
    r->peer->update(r->state);
    return BP_OK;
}

// Less the time that it takes to read the clock, a tenth of the steps of a few hundred objects.
static double between(double start, double end) {
    enum { READINGS = 101 };
    static double cost = -1;
    double seconds[READINGS];
    for (size_t i = 0; i < READINGS && cost < 0; i++) {
        const double before = thread_seconds();
        seconds[i] = thread_seconds() - before;
    }
    if (cost < 0) cost = median(seconds, READINGS);
    return fmax(end - start - cost, 0);
}

// All contestants work in the calling thread, so its processor time is their cost, however busy the machine is.
static bp_status step_once(runner *r, const crowd *c, const crowd_changes *changes, step_sample *sample) {
    r->config.stats = r->one_call ? &r->stats : NULL;
    const double start = thread_seconds();
    bp_status status = move(r, changes);
    const double moved = thread_seconds();
    if (status == BP_OK) status = update(r, c);
    const double updated = thread_seconds();
    if (r->world) r->stats = r->result.stats;
    *sample = (step_sample){
        .move = between(start, moved), .build = r->stats.build_seconds, .update = between(moved, updated)};
    if (status == BP_OK && changes->ray_count) {
        status = ask_rays(r, changes);
        sample->rays = between(updated, thread_seconds());
    }
    return status;
}

// For steps too short to measure one by one; moving counts as update here.
static bp_status step_batch(runner *r, const crowd *c, const crowd_changes *changes, size_t batch,
                            step_sample *sample) {
    bp_status status = BP_OK;
    const double start = thread_seconds();
    for (size_t i = 0; i < batch && status == BP_OK; i++) {
        status = move(r, changes);
        if (status == BP_OK) status = update(r, c);
    }
    sample->update = (thread_seconds() - start) / (double)batch;
    if (r->world) r->stats = r->result.stats;
    return status;
}

static void add_sample(runner *r, const step_sample *seconds) {
    if (r->sample_count == r->sample_capacity) {
        r->sample_capacity = 2 * r->sample_capacity + 64;
        r->samples = realloc(r->samples, r->sample_capacity * sizeof *r->samples);
        if (!r->samples) abort();
    }
    r->samples[r->sample_count++] =
        (step_sample){1e3 * seconds->move, 1e3 * seconds->build, 1e3 * seconds->update, 1e3 * seconds->rays};
}

// Room for what a step gives back. Not timed.
static void make_room(runner *r, const crowd_changes *changes) {
    r->new_ids = realloc(r->new_ids, (changes->replaced_count + 1) * sizeof *r->new_ids);
    r->hits = realloc(r->hits, (changes->ray_count + 1) * sizeof *r->hits);
    if (!r->new_ids || !r->hits) abort();
}

bool runner_step(runner *r, const crowd *c, const crowd_changes *changes, size_t batch, bool counts) {
    step_sample sample = {0};
    make_room(r, changes);
    const size_t before = heap_bytes();
    const bp_status status = batch > 1 ? step_batch(r, c, changes, batch, &sample) : step_once(r, c, changes, &sample);
    r->heap += heap_bytes() - before;
    if (counts) add_sample(r, &sample);
    return succeeded(r, status);
}

// ---- pairs ---------------------------------------------------------------------------------------------------------

static void copy_pairs(const bp_pair *from, size_t count, bp_pairs *to) {
    to->count = 0;
    for (size_t i = 0; i < count; i++) bench_push(to, from[i].a, from[i].b);
}

// Reads the pairs of the last step into `pairs` and `stale`.
static void read_pairs(runner *r) {
    r->stale.count = 0;
    if (r->peer) {
        r->pairs.count = 0;
        r->peer->pairs(r->state, &r->pairs, &r->stale);
    } else if (!r->one_call) {
        copy_pairs(r->result.pairs, r->result.pair_count, &r->pairs);
    }
}

// A pair of grown boxes that each may have moved inside: see bp_config.margin.
static float reach_of(const runner *r) {
    return r->peer ? r->peer->reach : 4.001f * r->config.margin;
}

static void read_hits(runner *r, const crowd_changes *changes) {
    for (size_t i = 0; i < changes->ray_count && r->world; i++) {
        const size_t at = r->answers.offsets[i];
        const bool hits = r->answers.offsets[i + 1] > at;
        r->hits[i] = hits ? (bp_ray_hit){r->answers.ids[at], r->answers.values[at]} : (bp_ray_hit){.id = BP_NO_ID};
    }
}

static bool hits_agree(runner *r, const crowd *c, const crowd_changes *changes, const exact_answers *exact) {
    size_t wrong = 0;
    read_hits(r, changes);
    for (size_t i = 0; i < exact->ray_count; i++)
        wrong += !hit_agrees(c, &changes->rays[i * exact->stride], &r->hits[i * exact->stride], exact->first_hits[i]);
    if (wrong == 0 || (r->peer && wrong <= 1 + exact->ray_count / 1000)) return true;
    fprintf(stderr, "\nbench: WRONG HITS: %s %s, %s, %zu objects: of %zu rays %zu\n", r->who, runner_method(r), r->what,
            crowd_count(c), exact->ray_count, wrong);
    return false;
}

static bool pairs_agree(runner *r, const crowd *c, const bp_pairs *exact) {
    read_pairs(r);
    const margin_difference d = pairs_compare(crowd_boxes(c), exact, &r->pairs, reach_of(r));
    r->near = d.near;
    if (d.missing == 0 && d.twice == 0 && d.far == 0 && (d.near == 0 || reach_of(r) > 0)) return true;
    fprintf(stderr,
            "\nbench: WRONG PAIRS: %s %s, %s, %zu objects: of %zu pairs %zu missing, %zu twice, %zu too far apart\n",
            r->who, runner_method(r), r->what, crowd_count(c), exact->count, d.missing, d.twice,
            d.far + (reach_of(r) > 0 ? 0 : d.near));
    return false;
}

bool runner_agrees(runner *r, const crowd *c, const crowd_changes *changes, const exact_answers *exact) {
    const bool pairs = pairs_agree(r, c, &exact->pairs), hits = hits_agree(r, c, changes, exact);
    return pairs && hits;
}

// ---- figures -------------------------------------------------------------------------------------------------------

static double figure_of(const step_sample *sample, step_figure figure) {
    switch (figure) {
    case FIGURE_MOVE: return sample->move;
    case FIGURE_UPDATE: return sample->update;
    case FIGURE_RAYS: return sample->rays;
    case FIGURE_BUILT: return sample->move + sample->build;
    case FIGURE_TOTAL:
    default: return sample->move + sample->update + sample->rays;
    }
}

figures runner_figures(const runner *r, step_figure figure) {
    figures f = {0};
    double *values = malloc((r->sample_count + 1) * sizeof *values), sum = 0;
    if (!values) abort();
    for (size_t i = 0; i < r->sample_count; i++) sum += values[i] = figure_of(&r->samples[i], figure);
    if (r->sample_count) {
        f.spread = spread_of(values, r->sample_count);
        f.median = median(values, r->sample_count);
        f.best = values[0];
        f.mean = sum / (double)r->sample_count;
    }
    free(values);
    return f;
}

static void begin_row(const runner *r, const char *label, const char *suffix, size_t n, step_figure figure,
                      bench_row *row) {
    double *values = malloc((r->sample_count + 1) * sizeof *values);
    if (!values) abort();
    for (size_t i = 0; i < r->sample_count; i++) values[i] = figure_of(&r->samples[i], figure);
    *row = (bench_row){.n = n, .threads = 1, .runs = r->sample_count};
    snprintf(row->scene, sizeof row->scene, "%s%s", label, suffix);
    snprintf(row->who, sizeof row->who, "%s", r->who);
    snprintf(row->method, sizeof row->method, "%s%s%s", runner_method(r), *r->what ? "/" : "", r->what);
    row_set_totals(row, values, r->sample_count, 1);
    free(values);
}

// The same columns as in other suites: update is moving and building, find is everything else but rays.
void runner_row(const runner *r, const char *label, size_t n, bench_row *row) {
    begin_row(r, label, "", n, FIGURE_TOTAL, row);
    row->update_ms = runner_figures(r, r->peer ? FIGURE_MOVE : FIGURE_BUILT).median;
    row->find_ms = fmax(row->total_ms - row->update_ms - runner_figures(r, FIGURE_RAYS).median, 0);
    row->pairs = r->pairs.count;
    row->hash = hash_pairs(r->pairs.data, r->pairs.count);
    row->bytes_per_object = (double)(r->heap ? r->heap : r->stats.bytes) / (double)n;
    row->tests = r->stats.tests;
}

void runner_ray_row(const runner *r, const char *label, size_t n, bench_row *row) {
    begin_row(r, label, "/rays", n, FIGURE_RAYS, row);
}
