#include "suites/matcher.h"

#include "core/entry.h"

#include <math.h>
#include <string.h>

matcher matcher_ours(matcher_kind kind, const char *method, bp_config config) {
    matcher made = {.kind = kind, .who = OURS, .config = config};
    snprintf(made.method, sizeof made.method, "%s", method);
    return made;
}

matcher matcher_peer(const bench_peer *peer) {
    matcher made = {.kind = MATCH_PEER, .who = peer->who, .peer = peer};
    snprintf(made.method, sizeof made.method, "%s", peer->method);
    return made;
}

matcher matcher_sets_peer(const bench_sets_peer *peer) {
    matcher made = {.kind = MATCH_SETS_PEER, .who = peer->who, .sets_peer = peer};
    snprintf(made.method, sizeof made.method, "%s", peer->method);
    return made;
}

bool matcher_is_peer(const matcher *self) {
    return self->kind == MATCH_PEER || self->kind == MATCH_SETS_PEER;
}

bool matcher_keeps(const matcher *self) {
    return self->kind == MATCH_PEER        ? self->peer->keeps
           : self->kind == MATCH_SETS_PEER ? self->sets_peer->keeps
                                           : false;
}

// ---- ours ----------------------------------------------------------------------------------------------------------

static bp_status call_once(matcher *self, const bench_sets *sets) {
    self->config.stats = &self->stats;
    return sets->b_count
               ? bp_find_pairs_between(sets->a, sets->a_count, sets->b, sets->b_count, &self->config, &self->list)
               : bp_find_pairs(sets->a, sets->a_count, &self->config, &self->list);
}

// Both sets in one world, the first one with the first ids.
static bp_status add_sets(matcher *self, const bench_sets *sets) {
    const size_t count = sets->a_count + sets->b_count;
    const uint32_t flags = self->kind == MATCH_WORLD_STATICS ? BP_STATIC : 0;
    bp_object *objects = calloc(count, sizeof *objects);
    if (!objects) abort();
    for (size_t i = 0; i < count && sets->b_count; i++)
        objects[i] =
            i < sets->a_count ? (bp_object){.group = 1, .mask = 2, .flags = flags} : (bp_object){.group = 2, .mask = 1};
    const bp_status status = bp_add_many(self->world, count, sets->a, objects, NULL);
    free(objects);
    return status;
}

static bp_status create_world(matcher *self, const bench_sets *sets) {
    bp_status status = bp_world_create(&self->config, &self->world);
    if (status == BP_OK) status = add_sets(self, sets);
    return status == BP_OK ? bp_update(self->world, NULL) : status;
}

// The sets follow each other in memory, as their ids do.
static bp_status step_world(matcher *self, const bench_sets *sets, bp_result *result) {
    const bp_status status = bp_move_many(self->world, sets->a_count + sets->b_count, NULL, sets->a);
    return status == BP_OK ? bp_update(self->world, result) : status;
}

// ---- a step --------------------------------------------------------------------------------------------------------

static bool fail(matcher *self, const char *why) {
    self->failure = why;
    return false;
}

static bool create(matcher *self, const bench_sets *sets) {
    if (self->kind == MATCH_CALL || self->world || self->state) return true;
    if (self->kind == MATCH_PEER) {
        self->state = self->peer->create(sets->a_count, sets->a);
    } else if (self->kind == MATCH_SETS_PEER) {
        self->state = self->sets_peer->create(sets);
    } else {
        const bp_status status = create_world(self, sets);
        return status == BP_OK || fail(self, bp_status_text(status));
    }
    return self->state || fail(self, "could not be created");
}

static void take_pairs(matcher *self, const bp_pair *pairs, size_t count) {
    self->pair_count = count;
    self->hash = hash_pairs(pairs, count);
}

static bool step_call(matcher *self, const bench_sets *sets) {
    const double start = thread_seconds();
    const bp_status status = call_once(self, sets);
    self->seconds = thread_seconds() - start;
    if (status != BP_OK) return fail(self, bp_status_text(status));
    self->update_seconds = fmin(self->stats.build_seconds, self->seconds); // this one is not processor time
    take_pairs(self, self->list.data, self->list.count);
    return true;
}

static bool step_in_world(matcher *self, const bench_sets *sets) {
    bp_result result = {0};
    const double start = thread_seconds();
    const bp_status status = step_world(self, sets, &result);
    self->seconds = thread_seconds() - start;
    if (status != BP_OK) return fail(self, bp_status_text(status));
    self->stats = result.stats;
    self->update_seconds = fmin(result.stats.build_seconds, self->seconds);
    self->list.count = 0;
    for (size_t i = 0; i < result.pair_count; i++) // not part of the time
        bench_push_between(&self->list, result.pairs[i].a,
                           result.pairs[i].b - (sets->b_count ? (uint32_t)sets->a_count : 0));
    take_pairs(self, self->list.data, self->list.count);
    return true;
}

static bool step_peer(matcher *self, const bench_sets *sets) {
    const bool is_alone = self->kind == MATCH_PEER;
    self->list.count = 0;
    const double start = thread_seconds();
    if (is_alone)
        self->peer->update(self->state, sets->a);
    else
        self->sets_peer->update(self->state, sets);
    self->update_seconds = thread_seconds() - start;
    (is_alone ? self->peer->find : self->sets_peer->find)(self->state, &self->list);
    self->seconds = thread_seconds() - start;
    take_pairs(self, self->list.data, self->list.count);
    return true;
}

bool matcher_step(matcher *self, const bench_sets *sets, bool counts) {
    if (!create(self, sets)) return false;
    const bool fine = matcher_is_peer(self)      ? step_peer(self, sets)
                      : self->kind == MATCH_CALL ? step_call(self, sets)
                                                 : step_in_world(self, sets);
    if (fine && counts && self->runs < MAX_RUNS) {
        self->total_ms[self->runs] = 1e3 * self->seconds;
        self->update_ms[self->runs++] = 1e3 * self->update_seconds;
    }
    return fine;
}

void matcher_destroy(matcher *self) {
    bp_world_destroy(self->world);
    if (self->kind == MATCH_PEER && self->state) self->peer->destroy(self->state);
    if (self->kind == MATCH_SETS_PEER && self->state) self->sets_peer->destroy(self->state);
    if (self->kind == MATCH_CALL)
        bp_pairs_free(&self->list, NULL);
    else
        free(self->list.data);
    self->world = NULL;
    self->state = NULL;
    self->list = (bp_pairs){0};
}

void matcher_row(const matcher *self, const char *label, size_t n, bench_row *row) {
    double total[MAX_RUNS], update[MAX_RUNS];
    *row = (bench_row){.n = n, .threads = 1, .runs = self->runs, .pairs = self->pair_count, .hash = self->hash};
    snprintf(row->scene, sizeof row->scene, "%s", label);
    snprintf(row->who, sizeof row->who, "%s", self->who);
    snprintf(row->method, sizeof row->method, "%s", self->method);
    if (!self->runs) snprintf(row->why, sizeof row->why, "%s", self->failure ? self->failure : "no time");
    if (!self->runs) return;
    memcpy(total, self->total_ms, sizeof total);
    memcpy(update, self->update_ms, sizeof update);
    row_set_totals(row, total, self->runs, 1);
    row->update_ms = median(update, self->runs);
    row->find_ms = row->total_ms - row->update_ms;
    row->bytes_per_object = (double)self->stats.bytes / (double)n;
    row->tests = self->stats.tests;
}
