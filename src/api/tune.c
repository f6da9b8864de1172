// Tuning by successive halving: all candidates get a short run, the better half of them one that is twice as long, and
// so on. So most of the time goes to candidates whose times are close.
//
//     round 0   24 candidates   RUNS of the first 4 steps
//     round 1   12              RUNS of the first 8 steps
//     round 2    6              ...                          until one is left or time is up
//
// In each round candidates take turns, run by run: a machine that becomes slower for a while slows them all. After its
// first run a candidate is dropped if it took more than HOPELESS times as long as the best. Where the scene has one
// step, a run is that step in a new world.
//
// Source: K. Jamieson, A. Talwalkar, "Non-stochastic Best Arm Identification and Hyperparameter Optimization", 2016.
#include "api/config.h"
#include "base/clock.h"
#include "base/log.h"

#include <broadphase/broadphase_tune.h>

#include <stdlib.h>
#include <string.h>

enum {
    RUNS = 3, // in a round
    RUNS_MAX = 64,
    STEPS_FIRST = 4,
    HOPELESS = 6,
    BRUTE_FORCE_MAX = 4000 // objects: it has never won with more than a few hundred
};

// What differs from the caller's config; 0 is the default.
typedef struct variant {
    bp_method method;
    float hierarchy_factor;
    bp_update_strategy update;
    uint32_t sweep_axes;
    uint32_t octree_max_objects;
    bp_bvh_build bvh_build;
    bp_compact_keys compact_keys;
    bp_pivot_layout pivot_layout;
    bp_hash_table hash_table;
} variant;

// Parameters that were the best in some scene.
static const variant variants[] = {
    {.method = BP_METHOD_HIERARCHICAL_GRID},
    {.method = BP_METHOD_HIERARCHICAL_GRID, .update = BP_UPDATE_REBUILD},
    {.method = BP_METHOD_HIERARCHICAL_GRID, .update = BP_UPDATE_INDIVIDUAL},
    {.method = BP_METHOD_HIERARCHICAL_GRID, .hierarchy_factor = 2.0f},
    {.method = BP_METHOD_HIERARCHICAL_GRID, .hierarchy_factor = 4.0f},
    {.method = BP_METHOD_BVH},
    {.method = BP_METHOD_BVH, .bvh_build = BP_BVH_BOTTOM_UP},
    {.method = BP_METHOD_LINKED_CELLS},
    {.method = BP_METHOD_SWEEP_AND_PRUNE},
    {.method = BP_METHOD_SWEEP_AND_PRUNE, .sweep_axes = 1},
    {.method = BP_METHOD_SWEEP_AND_PRUNE, .sweep_axes = 3},
    {.method = BP_METHOD_SPLIT},
    {.method = BP_METHOD_TREE},
    {.method = BP_METHOD_STRIPS},
    {.method = BP_METHOD_COMPACT_GRID},
    {.method = BP_METHOD_COMPACT_GRID, .compact_keys = BP_KEYS_Z_CURVE},
    {.method = BP_METHOD_PIVOT_GRID},
    {.method = BP_METHOD_PIVOT_GRID, .pivot_layout = BP_PIVOTS_DENSE},
    {.method = BP_METHOD_SPATIAL_HASH},
    {.method = BP_METHOD_SPATIAL_HASH, .hash_table = BP_HASH_OPEN},
    {.method = BP_METHOD_CUCKOO_GRID},
    {.method = BP_METHOD_OCTREE},
    {.method = BP_METHOD_OCTREE, .octree_max_objects = 32},
    {.method = BP_METHOD_LOOSE_OCTREE},
    {.method = BP_METHOD_LOOSE_OCTREE, .octree_max_objects = 32},
    {.method = BP_METHOD_BRUTE_FORCE},
};

enum { VARIANT_COUNT = sizeof variants / sizeof *variants };

typedef struct candidate {
    bp_config config; // without its settings: candidates are sorted, so this pointer is set when one runs
    bp_method_settings settings;
    double seconds[RUNS_MAX]; // per step, for each run of its last round
    uint32_t run_count;
    size_t steps; // in each of these runs
    size_t round; // the last one in which it ran
    bool dropped;
} candidate;

typedef struct tuning {
    const bp_scenario *scenario;
    candidate candidates[VARIANT_COUNT];
    size_t count;
    bool by_thread; // measure the processor time of the one thread
    double end;     // by the clock
    size_t objects; // in the last step that ran
} tuning;

// ---- one run --------------------------------------------------------------------------------------------------------

// The first `steps` steps in a new world: the mean time of a step, and the number of pairs after the last one.
static bp_status replay(tuning *t, const candidate *c, size_t steps, double *seconds, size_t *pairs) {
    double (*const clock)(void) = t->by_thread ? bp_clock_thread_seconds : bp_clock_seconds;
    bp_world *world = NULL;
    bp_config config = c->config;
    config.settings = &c->settings;
    bp_status status = bp_world_create(&config, &world);
    double sum = 0.0;
    for (size_t step = 0; step < steps && status == BP_OK; ++step) {
        bp_result result = {0};
        const double start = clock();
        status = t->scenario->step(t->scenario->context, world, step);
        status = status == BP_OK ? bp_update(world, &result) : status;
        sum += step > 0 || steps == 1 ? clock() - start : 0.0;
        *pairs = result.pair_count;
    }
    t->objects = bp_world_count(world);
    *seconds = steps > 1 ? sum / (double)(steps - 1) : sum;
    bp_world_destroy(world);
    return status;
}

// ---- figures --------------------------------------------------------------------------------------------------------

static int compare_doubles(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(const candidate *c) {
    double sorted[RUNS_MAX];
    memcpy(sorted, c->seconds, c->run_count * sizeof *sorted);
    qsort(sorted, c->run_count, sizeof *sorted, compare_doubles);
    return c->run_count > 0 ? sorted[c->run_count / 2] : 0.0;
}

// Candidates that survived more rounds come first, then the faster ones; those that were not tried come last.
static int compare_candidates(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    if ((x->run_count > 0) != (y->run_count > 0)) {
        return x->run_count > 0 ? -1 : 1;
    }
    if (x->round != y->round) {
        return x->round > y->round ? -1 : 1;
    }
    const double s = median_of(x), t = median_of(y);
    return (s > t) - (s < t);
}

// ---- rounds ---------------------------------------------------------------------------------------------------------

static bool is_over(const tuning *t) {
    return bp_clock_seconds() >= t->end;
}

// Whether another run of this candidate would take far too long.
static bool is_hopeless(const tuning *t, const candidate *c) {
    double best = 0.0;
    for (size_t i = 0; i < t->count; ++i) {
        const candidate *other = &t->candidates[i];
        const double seconds = median_of(other);
        if (other->run_count > 0 && other->round == c->round && (best == 0.0 || seconds < best)) {
            best = seconds;
        }
    }
    const bool brute_force = c->config.method == BP_METHOD_BRUTE_FORCE && t->objects > BRUTE_FORCE_MAX;
    return brute_force || (c->run_count > 0 && median_of(c) > HOPELESS * best);
}

// Runs all candidates that are left RUNS times, in turns. *whole is false if time was up before each of them had run
// once.
static bp_status run_round(tuning *t, size_t round, size_t steps, bool *whole) {
    size_t pairs = SIZE_MAX;
    for (size_t run = 0; run < RUNS; ++run) {
        for (size_t i = 0; i < t->count; ++i) {
            candidate *c = &t->candidates[(i + run) % t->count];
            c->dropped = c->dropped || is_hopeless(t, c);
            *whole = run > 0 || !is_over(t);
            if (is_over(t) && (round > 0 || run > 0 || i > 0)) {
                return BP_OK;
            }
            if (c->dropped) {
                continue;
            }
            double seconds = 0.0;
            size_t found = 0;
            const bp_status status = replay(t, c, steps, &seconds, &found);
            c->dropped = status == BP_ERROR_MEMORY || status == BP_ERROR_UNSUPPORTED; // here; others may run
            if (c->dropped) {
                continue;
            }
            if (status != BP_OK) {
                return status;
            }
            c->run_count = c->round == round && c->steps == steps ? c->run_count : 0;
            c->round = round;
            c->steps = steps;
            c->seconds[c->run_count < RUNS_MAX ? c->run_count++ : RUNS_MAX - 1] = seconds;
            if (pairs != SIZE_MAX && pairs != found) {
                bp_log_write(&c->config.log, "tuning: %s finds %zu pairs after %zu steps, others found %zu",
                             bp_method_name((size_t)c->config.method), found, steps, pairs);
                return BP_ERROR_INTERNAL;
            }
            pairs = found;
        }
    }
    return BP_OK;
}

static bp_status run_rounds(tuning *t) {
    size_t left = t->count, steps = t->scenario->steps < STEPS_FIRST ? t->scenario->steps : STEPS_FIRST;
    double ignored = 0.0;
    size_t pairs = 0;
    bool whole = true;
    bp_status status = replay(t, &t->candidates[0], steps, &ignored, &pairs); // to warm up
    for (size_t round = 0; left > 1 && whole && status == BP_OK && (round == 0 || !is_over(t)); ++round) {
        status = run_round(t, round, steps, &whole);
        if (whole) { // drops the slower half
            size_t ran = 0, kept = 0;
            qsort(t->candidates, t->count, sizeof *t->candidates, compare_candidates);
            for (size_t i = 0; i < t->count; ++i) {
                ran += !t->candidates[i].dropped;
            }
            for (size_t i = 0; i < t->count; ++i) {
                candidate *c = &t->candidates[i];
                c->dropped = c->dropped || kept >= (ran + 1) / 2;
                kept += !c->dropped;
            }
            left = kept;
        }
        steps = 2 * steps < t->scenario->steps ? 2 * steps : t->scenario->steps;
    }
    return status;
}

// ---- the call -------------------------------------------------------------------------------------------------------

static void write_results(tuning *t, bp_tuned *ranked, size_t capacity) {
    size_t last = 0, ran = 0, waiting = 0;
    for (size_t i = 0; i < t->count; ++i) {
        last = t->candidates[i].round > last ? t->candidates[i].round : last;
    }
    for (size_t i = 0; i < t->count; ++i) {
        ran += !t->candidates[i].dropped && t->candidates[i].round == last;
        waiting += !t->candidates[i].dropped && t->candidates[i].round + 1 == last;
    }
    // A round that was cut short is no basis for candidates that it did not reach: all are compared by the round before.
    for (size_t i = 0; i < t->count && ran > 0 && waiting > 0; ++i) {
        t->candidates[i].round -= t->candidates[i].round == last && last > 0;
    }
    qsort(t->candidates, t->count, sizeof *t->candidates, compare_candidates);
    for (size_t i = 0; i < t->count && i < capacity; ++i) {
        const candidate *c = &t->candidates[i];
        const double median = median_of(c);
        double fastest = c->seconds[0], slowest = c->seconds[0];
        for (uint32_t k = 1; k < c->run_count; ++k) {
            fastest = c->seconds[k] < fastest ? c->seconds[k] : fastest;
            slowest = c->seconds[k] > slowest ? c->seconds[k] : slowest;
        }
        ranked[i] = (bp_tuned){.config = c->config,
                               .settings = c->settings,
                               .seconds = median,
                               .spread = c->run_count > 1 && median > 0.0 ? (slowest - fastest) / median : 0.0,
                               .runs = c->run_count,
                               .steps = (uint32_t)c->steps};
        ranked[i].config.settings = &ranked[i].settings;
    }
}

static void add_candidates(tuning *t, const bp_config *config, uint32_t dimensions) {
    for (size_t i = 0; i < VARIANT_COUNT; ++i) {
        const variant *v = &variants[i];
        if (dimensions == 2 && (bp_method_supports((size_t)v->method) & BP_SUPPORTS_2D) == 0) {
            continue;
        }
        candidate *c = &t->candidates[t->count++];
        *c = (candidate){.config = config != NULL ? *config : (bp_config){0}};
        c->settings = c->config.settings != NULL ? *c->config.settings : (bp_method_settings){0};
        c->config.method = v->method;
        c->config.update = v->update;
        c->settings.cell_size = 0.0f;
        c->settings.hierarchy_factor = v->hierarchy_factor;
        c->settings.sweep_axes = v->sweep_axes;
        c->settings.octree_max_objects = v->octree_max_objects;
        c->settings.bvh_build = v->bvh_build;
        c->settings.compact_keys = v->compact_keys;
        c->settings.pivot_layout = v->pivot_layout;
        c->settings.hash_table = v->hash_table;
    }
}

bp_status bp_tune(const bp_config *config, const bp_scenario *scenario, double budget, bp_tuned *ranked,
                  size_t capacity, size_t *found) {
    bp_setup setup;
    bp_status status = bp_setup_complete(config, &setup);
    const bp_runtime *runtime = &setup.methods.runtime;
    if (status != BP_OK) {
        return status;
    }
    if (scenario == NULL || scenario->step == NULL || scenario->steps == 0 || !(budget >= 0.0) ||
        (ranked == NULL && capacity > 0)) {
        bp_log_write(&runtime->log,
                     "bp_tune: needs a scenario of at least one step, a budget of 0 or more, and room for results");
        return BP_ERROR_ARGUMENT;
    }
    if (!bp_reserved_is_zero(&runtime->log, "scenario.reserved", scenario->reserved,
                             sizeof scenario->reserved / sizeof *scenario->reserved)) {
        return BP_ERROR_ARGUMENT;
    }
    tuning *t = runtime->allocator.allocate(runtime->allocator.context, sizeof *t);
    if (t == NULL) {
        return BP_ERROR_MEMORY;
    }
    *t = (tuning){.scenario = scenario,
                  .by_thread = runtime->executor.run == NULL && runtime->executor.workers <= 1,
                  .end = bp_clock_seconds() + budget};
    add_candidates(t, config, setup.overlap.dimensions);
    status = run_rounds(t);
    if (status == BP_OK) {
        write_results(t, ranked, capacity);
        if (found != NULL) {
            *found = t->count;
        }
    }
    runtime->allocator.release(runtime->allocator.context, t, sizeof *t);
    return status;
}
