#include "suites/contest.h"

#include "core/entry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void contest_begin(contest *c) {
    *c = (contest){.list = calloc(MAX_CONTESTANTS, sizeof *c->list), .random = rng_seeded(1)};
    if (!c->list) abort();
}

static bool complain(const contestant *one, bp_status status) {
    if (status != BP_OK) fprintf(stderr, "\nbench: FAILED: %s: %s\n", one->name, bp_status_text(status));
    return status == BP_OK;
}

static bp_status add_static(bp_world *world, const bp_box *boxes, size_t count) {
    bp_object *objects = calloc(count + 1, sizeof *objects);
    if (!objects) return BP_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++) objects[i].flags = BP_STATIC;
    const bp_status status = bp_add_many(world, count, boxes, objects, NULL);
    free(objects);
    return status;
}

bool contest_add(contest *c, const char *name, const bp_config *config, const bp_box *boxes, size_t count,
                 size_t fixed) {
    contestant *one = &c->list[c->count++];
    snprintf(one->name, sizeof one->name, "%s", name);
    bp_status status = bp_world_create(config, &one->world);
    if (status == BP_OK && fixed) status = add_static(one->world, boxes, fixed);
    if (status == BP_OK) status = bp_add_many(one->world, count - fixed, boxes + fixed, NULL, NULL);
    return complain(one, status);
}

static bool step_one(contestant *one, const bp_id *ids, const bp_box *boxes, size_t count, bool counts) {
    const double start = thread_seconds();
    bp_status status = bp_move_many(one->world, count, ids, boxes);
    if (status == BP_OK) status = bp_update(one->world, &one->result);
    one->last = thread_seconds() - start;
    if (counts && one->step_count < MAX_STEPS) one->seconds[one->step_count++] = one->last;
    return complain(one, status);
}

bool contest_step(contest *c, const bp_id *ids, const bp_box *boxes, size_t count, bool counts) {
    bool fine = true;
    size_t order[MAX_CONTESTANTS] = {0};
    rng_order(&c->random, order, c->count);
    for (size_t i = 0; i < c->count; i++) {
        contestant *one = &c->list[order[i]];
        if (one->world) fine = step_one(one, ids, boxes, count, counts) && fine;
    }
    return fine;
}

static void leave(contestant *one) {
    bp_world_destroy(one->world);
    one->world = NULL;
}

void contest_drop_slow(contest *c, double factor) {
    double best = INFINITY;
    for (size_t i = 0; i < c->count; i++)
        if (c->list[i].world) best = fmin(best, c->list[i].last);
    for (size_t i = 0; i < c->count; i++)
        if (c->list[i].world && c->list[i].last > factor * best) leave(&c->list[i]);
}

bool contest_agrees(contest *c) {
    const contestant *first = NULL;
    bool agrees = true;
    for (size_t i = 0; i < c->count; i++) {
        contestant *one = &c->list[i];
        if (!one->world) continue;
        one->pairs = one->result.pair_count;
        one->hash = hash_pairs(one->result.pairs, one->result.pair_count);
        if (!first) first = one;
        if (one->pairs == first->pairs && one->hash == first->hash) continue;
        fprintf(stderr, "\nbench: WRONG PAIRS: %s has %zu, %s %zu, or others\n", one->name, one->pairs, first->name,
                first->pairs);
        agrees = false;
    }
    return agrees;
}

double contest_seconds(const contestant *one) {
    double means[3] = {0};
    for (size_t third = 0; third < 3; third++) {
        const size_t begin = one->step_count * third / 3, end = one->step_count * (third + 1) / 3;
        for (size_t i = begin; i < end; i++) means[third] += one->seconds[i] / (double)(end - begin);
    }
    return median(means, 3);
}

void contest_row(const contestant *one, const char *label, size_t n, bench_row *row) {
    double values[MAX_STEPS];
    *row = (bench_row){.n = n, .threads = 1, .runs = one->step_count, .pairs = one->pairs, .hash = one->hash};
    snprintf(row->scene, sizeof row->scene, "%s", label);
    snprintf(row->who, sizeof row->who, "%s", OURS);
    snprintf(row->method, sizeof row->method, "%s", one->name);
    memcpy(values, one->seconds, one->step_count * sizeof *values);
    row_set_totals(row, values, one->step_count, 1e3);
    row->total_ms = 1e3 * contest_seconds(one);                                  // not the median
    row->update_ms = fmin(1e3 * one->result.stats.build_seconds, row->total_ms); // of the last step
    row->find_ms = row->total_ms - row->update_ms;
    row->bytes_per_object = (double)one->result.stats.bytes / (double)n;
    row->tests = one->result.stats.tests;
}

void contest_end(contest *c) {
    for (size_t i = 0; i < c->count; i++) leave(&c->list[i]);
    free(c->list);
    *c = (contest){0};
}
