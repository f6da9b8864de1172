#include "suites/runner.h"

#include "core/entry.h"

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

bool runner_create(runner *r, const crowd *c) {
    if (r->one_call) return true;
    if (r->peer) {
        r->state = r->peer->create(crowd_boxes(c), crowd_count(c), crowd_static_count(c));
        return r->state || complain(r, "could not be created");
    }
    const bp_status status = bp_world_create(&r->config, &r->world);
    return succeeded(r, status == BP_OK ? add_all(r->world, c) : status);
}

void runner_destroy(runner *r) {
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

static bp_status move(runner *r, const crowd_moves *moves) {
    if (r->world) return bp_move_many(r->world, moves->count, moves->ids, moves->boxes);
    if (r->peer) r->peer->move(r->state, moves->ids, moves->boxes, moves->count);
    return BP_OK;
}

static bp_status update(runner *r, const crowd *c) {
    if (r->world) return bp_update(r->world, &r->result);
    if (r->one_call) return bp_find_pairs(crowd_boxes(c), crowd_count(c), &r->config, &r->pairs);
    r->peer->update(r->state);
    return BP_OK;
}

// All contestants work in the calling thread, so its processor time is their cost, however busy the machine is.
static bp_status step_once(runner *r, const crowd *c, const crowd_moves *moves, step_sample *sample) {
    r->config.stats = r->one_call ? &r->stats : NULL;
    const double start = thread_seconds();
    bp_status status = move(r, moves);
    const double moved = thread_seconds();
    if (status == BP_OK) status = update(r, c);
    const double end = thread_seconds();
    if (r->world) r->stats = r->result.stats;
    *sample = (step_sample){.move = moved - start, .build = r->stats.build_seconds, .update = end - moved};
    return status;
}

// For steps too short to measure one by one; moving counts as update here.
static bp_status step_batch(runner *r, const crowd *c, const crowd_moves *moves, size_t batch, step_sample *sample) {
    bp_status status = BP_OK;
    const double start = thread_seconds();
    for (size_t i = 0; i < batch && status == BP_OK; i++) {
        status = move(r, moves);
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
    r->samples[r->sample_count++] = (step_sample){1e3 * seconds->move, 1e3 * seconds->build, 1e3 * seconds->update};
}

bool runner_step(runner *r, const crowd *c, const crowd_moves *moves, size_t batch, bool counts) {
    step_sample sample = {0};
    const bp_status status = batch > 1 ? step_batch(r, c, moves, batch, &sample) : step_once(r, c, moves, &sample);
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

bool runner_agrees(runner *r, const crowd *c, const bp_pairs *exact) {
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

// ---- figures -------------------------------------------------------------------------------------------------------

static double figure_of(const step_sample *sample, step_figure figure) {
    switch (figure) {
    case FIGURE_MOVE: return sample->move;
    case FIGURE_UPDATE: return sample->update;
    case FIGURE_BUILT: return sample->move + sample->build;
    case FIGURE_TOTAL:
    default: return sample->move + sample->update;
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

// The same columns as in other suites: update is moving and building, find is everything else.
void runner_row(const runner *r, const char *label, size_t n, bench_row *row) {
    const figures total = runner_figures(r, FIGURE_TOTAL);
    *row = (bench_row){.n = n, .threads = 1, .runs = r->sample_count};
    snprintf(row->scene, sizeof row->scene, "%s", label);
    snprintf(row->who, sizeof row->who, "%s", r->who);
    snprintf(row->method, sizeof row->method, "%s/%s", runner_method(r), r->what);
    row->update_ms = runner_figures(r, r->peer ? FIGURE_MOVE : FIGURE_BUILT).median;
    row->find_ms = total.median - row->update_ms;
    row->total_ms = total.median;
    row->best_ms = total.best;
    row->spread = total.spread;
    row->pairs = r->pairs.count;
    row->hash = hash_pairs(r->pairs.data, r->pairs.count);
    row->bytes_per_object = (double)r->stats.bytes / (double)n;
    row->tests = r->stats.tests;
}
