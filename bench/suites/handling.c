#include "suites/handling.h"

#include "core/entry.h"

#include <stdlib.h>
#include <string.h>

const char *const handling_tests[HANDLE_TESTS] = {"points", "edges"};

static const struct {
    tissue_part asked, entered;
} kinds[HANDLE_TESTS] = {{TISSUE_TETRAHEDRA, TISSUE_POINTS}, {TISSUE_TRIANGLES, TISSUE_EDGES}};

bp_status handler_open(handler *self) {
    self->config.settings = &self->settings;
    self->config.threads = self->threads;
    if (self->threads == 1) return BP_OK;
    const bp_status status = bp_workers_create(&self->config, &self->workers);
    self->config.executor = self->workers;
    return status;
}

void handler_close(handler *self) {
    for (int test = 0; test < HANDLE_TESTS; test++) {
        bp_world_destroy(self->worlds[test]);
        self->worlds[test] = NULL;
    }
    bp_workers_destroy(&self->workers);
    self->config.executor = (bp_executor){0};
    if (self->kept)
        free(self->pairs.data);
    else
        bp_pairs_free(&self->pairs, NULL);
    self->pairs = (bp_pairs){0};
    collisions_free(&self->found);
    free(self->both);
    self->both = NULL;
    self->both_capacity = 0;
}

// ---- pairs of boxes -------------------------------------------------------------------------------------------------

static bp_status create_world(handler *self, handling_test test, size_t asked, size_t entered) {
    bp_object *objects = calloc(asked + entered, sizeof *objects);
    if (!objects) abort();
    for (size_t i = 0; i < asked + entered; i++)
        objects[i] = i < asked ? (bp_object){.group = 1, .mask = 2} : (bp_object){.group = 2, .mask = 1};
    bp_status status = bp_world_create(&self->config, &self->worlds[test]);
    if (status == BP_OK) status = bp_add_many(self->worlds[test], asked + entered, self->both, objects, NULL);
    free(objects);
    return status;
}

static void copy_both(handler *self, const tissue *t, handling_test test) {
    const size_t asked = tissue_count(t, kinds[test].asked), entered = tissue_count(t, kinds[test].entered);
    if (asked + entered > self->both_capacity) {
        self->both_capacity = asked + entered;
        self->both = realloc(self->both, self->both_capacity * sizeof *self->both);
        if (!self->both) abort();
    }
    memcpy(self->both, tissue_boxes(t, kinds[test].asked), asked * sizeof *self->both);
    memcpy(self->both + asked, tissue_boxes(t, kinds[test].entered), entered * sizeof *self->both);
}

// The list belongs to the world, which names those entered after those searched for.
static bp_status find_in_world(handler *self, const tissue *t, handling_test test, bp_stats *stats) {
    const size_t asked = tissue_count(t, kinds[test].asked), entered = tissue_count(t, kinds[test].entered);
    bp_result result = {0};
    bp_status status = self->worlds[test] ? bp_move_many(self->worlds[test], asked + entered, NULL, self->both)
                                          : create_world(self, test, asked, entered);
    if (status == BP_OK) status = bp_update(self->worlds[test], &result);
    *stats = result.stats;
    self->pairs.count = 0;
    for (size_t i = 0; i < result.pair_count; i++)
        bench_push_between(&self->pairs, result.pairs[i].a, result.pairs[i].b - (uint32_t)asked);
    return status;
}

static bp_status find_in_call(handler *self, const tissue *t, handling_test test, bp_stats *stats) {
    self->config.stats = stats;
    const bp_status status = bp_find_pairs_between(
        tissue_boxes(t, kinds[test].asked), tissue_count(t, kinds[test].asked), tissue_boxes(t, kinds[test].entered),
        tissue_count(t, kinds[test].entered), &self->config, &self->pairs);
    self->config.stats = NULL;
    return status;
}

// ---- a frame --------------------------------------------------------------------------------------------------------

static double clock_of(const handler *self) {
    return self->threads == 1 ? thread_seconds() : seconds_now();
}

// The library's time to build is not processor time: it is taken as a share.
bp_status handler_frame(handler *self, const tissue *t, handling_test test, handling_times *times) {
    const collision_question question = {t, kinds[test].asked, kinds[test].entered};
    bp_stats stats = {0};
    if (self->kept) copy_both(self, t, test);
    const double start = clock_of(self), wall = seconds_now();
    const bp_status status = self->kept ? find_in_world(self, t, test, &stats) : find_in_call(self, t, test, &stats);
    const double searched = clock_of(self), share = stats.build_seconds / (seconds_now() - wall);
    if (status != BP_OK) return status;
    collisions_find(&question, self->pairs.data, self->pairs.count, &self->workers, &self->found);
    const double end = clock_of(self);
    times->update_ms = 1e3 * (searched - start) * (share < 1 ? share : 1);
    times->find_ms = 1e3 * (end - start) - times->update_ms;
    times->exact_ms = 1e3 * (end - searched);
    self->pair_count = self->pairs.count;
    self->hash = hash_pairs(self->pairs.data, self->pairs.count);
    return BP_OK;
}
