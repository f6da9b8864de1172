// Contestants in a process of their own: a call that turns out to be quadratic can be ended, and one that crashes or
// takes all memory takes nothing else with it. The child writes a sample after each call; the parent reads until the
// child is gone.
#include "core/entry.h"
#include "suites/worst.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct trial_sample {
    size_t contestant;
    bool begins; // the call is about to begin: nothing else is set
    bp_status status;
    double seconds, build_seconds;
    uint64_t tests, hash;
    size_t pairs, bytes;
    bp_method chosen;
} trial_sample;

double worst_limit(double asked, size_t n) {
    return asked > 0 ? asked : fmax(1, 40e-6 * (double)n);
}

// ---- in the child --------------------------------------------------------------------------------------------------

// A signal that nobody handles, after so much processor time: it ends the process wherever it is.
static void end_after(double seconds) {
    const struct itimerval timer = {
        .it_value = {.tv_sec = (time_t)seconds, .tv_usec = (suseconds_t)(1e6 * (seconds - floor(seconds)))}};
    setitimer(ITIMER_PROF, &timer, NULL);
}

static bp_status call_ours(const worst_contestant *c, bp_stats *stats, bp_pairs *pairs) {
    const hostile_boxes *boxes = c->boxes;
    bp_config config = c->config;
    config.dimensions = boxes->dimensions;
    config.stats = stats;
    return boxes->b ? bp_find_pairs_between(boxes->a, boxes->a_count, boxes->b, boxes->b_count, &config, pairs)
                    : bp_find_pairs(boxes->a, boxes->a_count, &config, pairs);
}

static bp_status call_peer(const bench_peer *peer, const hostile_boxes *boxes, bp_pairs *pairs) {
    void *state = peer->create(boxes->a_count, boxes->a);
    if (!state) return BP_ERROR_MEMORY;
    peer->update(state, boxes->a);
    peer->find(state, pairs);
    peer->destroy(state);
    return BP_OK;
}

static bp_status call_sets_peer(const bench_sets_peer *peer, const hostile_boxes *boxes, bp_pairs *pairs) {
    const bench_sets sets = {boxes->a, boxes->b, boxes->a_count, boxes->b_count};
    void *state = peer->create(&sets);
    if (!state) return BP_ERROR_MEMORY;
    peer->update(state, &sets);
    peer->find(state, pairs);
    peer->destroy(state);
    return BP_OK;
}

static void move_boxes(bp_box *boxes, size_t count, double moves, rng *random) {
    for (size_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3; axis++) {
            const float edge = boxes[i].max[axis] - boxes[i].min[axis];
            const float by = (float)rng_between(random, -moves, moves) * edge;
            if (!isfinite(by)) continue;
            boxes[i].min[axis] += by;
            boxes[i].max[axis] = fmaxf(boxes[i].max[axis] + by, boxes[i].min[axis]);
        }
}

// Some steps, of which the last ones count: their mean, and the pairs of the last one.
static trial_sample call_world(const worst_contestant *c) {
    enum { STEPS = 8, SETTLED = 4 };
    const size_t count = c->boxes->a_count;
    bp_config config = c->config;
    bp_world *world = NULL;
    bp_result result = {0};
    trial_sample sample = {.seconds = 0};
    rng random = rng_seeded(1);
    bp_box *boxes = malloc((count + 1) * sizeof *boxes);
    bp_id *ids = malloc((count + 1) * sizeof *ids);
    if (!boxes || !ids) abort();
    memcpy(boxes, c->boxes->a, count * sizeof *boxes);
    for (size_t i = 0; i < count; i++) ids[i] = (bp_id)i;
    config.dimensions = c->boxes->dimensions;
    sample.status = bp_world_create(&config, &world);
    if (sample.status == BP_OK) sample.status = bp_add_many(world, count, boxes, NULL, ids);
    for (int step = 0; step < STEPS && sample.status == BP_OK; step++) {
        move_boxes(boxes, count, c->moves, &random);
        const double start = thread_seconds();
        sample.status = bp_move_many(world, count, ids, boxes);
        if (sample.status == BP_OK) sample.status = bp_update(world, &result);
        if (step >= SETTLED) sample.seconds += (thread_seconds() - start) / (STEPS - SETTLED);
    }
    bp_stats stats = {0};
    if (sample.status == BP_OK) sample.status = bp_world_stats(world, &stats);
    sample.build_seconds = stats.build_seconds;
    sample.tests = stats.tests;
    sample.bytes = stats.bytes;
    sample.chosen = stats.method;
    sample.pairs = result.pair_count;
    sample.hash = hash_pairs(result.pairs, result.pair_count);
    bp_world_destroy(world);
    free(boxes);
    free(ids);
    return sample;
}

static bp_status call(const worst_contestant *c, bp_stats *stats, bp_pairs *pairs) {
    return c->peer        ? call_peer(c->peer, c->boxes, pairs)
           : c->sets_peer ? call_sets_peer(c->sets_peer, c->boxes, pairs)
                          : call_ours(c, stats, pairs);
}

static trial_sample call_once(const worst_contestant *c) {
    if (c->moves > 0) return call_world(c);
    bp_stats stats = {0};
    bp_pairs pairs = {0};
    const double start = thread_seconds();
    const bp_status status = call(c, &stats, &pairs);
    trial_sample sample = {.status = status, .seconds = thread_seconds() - start};
    sample.build_seconds = stats.build_seconds;
    sample.tests = stats.tests;
    sample.bytes = stats.bytes;
    sample.chosen = stats.method;
    sample.pairs = pairs.count;
    sample.hash = hash_pairs(pairs.data, pairs.count);
    if (c->peer || c->sets_peer)
        free(pairs.data);
    else
        bp_pairs_free(&pairs, NULL);
    return sample;
}

static bool send_sample(int to, const trial_sample *sample) {
    return write(to, sample, sizeof *sample) == (ssize_t)sizeof *sample;
}

static void run_child(const worst_contestant *contestants, size_t count, size_t rounds, double limit, int to) {
    const double start = thread_seconds();
    for (size_t round = 0; round < rounds && (round == 0 || thread_seconds() - start < limit); round++)
        for (size_t i = 0; i < count; i++) {
            if (!send_sample(to, &(trial_sample){.contestant = i, .begins = true})) return;
            end_after(limit);
            trial_sample sample = call_once(&contestants[i]);
            end_after(0);
            sample.contestant = i;
            if (!send_sample(to, &sample)) return;
        }
}

// ---- in the parent -------------------------------------------------------------------------------------------------

static void add_sample(worst_result *r, const trial_sample *sample) {
    r->failed = r->failed || sample->status != BP_OK;
    r->slowest = fmax(r->slowest, sample->seconds);
    if (r->rounds++ && sample->seconds >= r->seconds) return;
    r->seconds = sample->seconds;
    r->build_seconds = sample->build_seconds;
    r->tests = sample->tests;
    r->hash = sample->hash;
    r->pairs = sample->pairs;
    r->bytes = sample->bytes;
    r->chosen = sample->chosen;
}

// The contestant whose call did not come to its end, or `count`.
static size_t read_samples(int from, size_t count, worst_result *results) {
    trial_sample sample;
    size_t running = count;
    while (read(from, &sample, sizeof sample) == (ssize_t)sizeof sample) {
        running = sample.begins ? sample.contestant : count;
        if (!sample.begins) add_sample(&results[sample.contestant], &sample);
    }
    return running;
}

static void note_end(worst_result *r, int status, double limit) {
    const bool by_limit = WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF;
    r->over_limit = by_limit;
    r->failed = r->failed || !by_limit;
    if (!r->rounds) r->seconds = r->slowest = limit;
}

void worst_measure(const worst_contestant *contestants, size_t count, size_t rounds, double limit,
                   worst_result *results) {
    int ends[2];
    memset(results, 0, count * sizeof *results);
    fflush(NULL); // what is not yet written would be written twice
    if (pipe(ends) != 0) abort();
    const pid_t child = fork();
    if (child < 0) abort();
    if (child == 0) {
        close(ends[0]);
        signal(SIGINT, SIG_DFL);
        run_child(contestants, count, rounds, limit, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    const size_t running = read_samples(ends[0], count, results);
    if (bench_interrupted) kill(child, SIGKILL);
    close(ends[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0) continue;
    if (running < count && !bench_interrupted) note_end(&results[running], status, limit);
}

// ---- right pairs ---------------------------------------------------------------------------------------------------

static bool agree(const hostile_boxes *boxes, double moves) {
    const bp_config all_config = {.method = BP_METHOD_BRUTE_FORCE};
    const trial_sample chosen = call_once(&(worst_contestant){.boxes = boxes, .moves = moves});
    const trial_sample all = call_once(&(worst_contestant){.config = all_config, .boxes = boxes, .moves = moves});
    return chosen.status == BP_OK && all.status == BP_OK && chosen.pairs == all.pairs && chosen.hash == all.hash;
}

bool worst_agrees(const hostile_scene *hostile, uint64_t seed) {
    enum { SMALL = 1500 };
    hostile_boxes boxes;
    if (!hostile_build(hostile, SMALL, seed, &boxes)) abort();
    const bool agrees = agree(&boxes, 0);
    hostile_free(&boxes);
    return agrees;
}

bool worst_finds_all(const hostile_boxes *boxes) {
    return agree(boxes, 0) && agree(boxes, 0.5);
}

// ---- boxes ---------------------------------------------------------------------------------------------------------

static bp_box *copy_boxes(const bp_box *from, size_t count) {
    bp_box *to = malloc((count + 1) * sizeof *to);
    if (!to) abort();
    memcpy(to, from, count * sizeof *to);
    return to;
}

hostile_boxes worst_scene_boxes(const char *name, size_t n, bool between) {
    const char *error = NULL;
    scene *s = scene_create(name, &(scene_options){.count = n, .motion = -1}, &error);
    if (!s) abort();
    const size_t all = scene_box_count(s), first = between ? scene_first_count(s) : all;
    hostile_boxes boxes = {.a_count = first, .b_count = all - first, .dimensions = scene_dimensions(s)};
    boxes.a = copy_boxes(scene_boxes(s), first);
    if (between) boxes.b = copy_boxes(scene_boxes(s) + first, all - first);
    scene_destroy(s);
    return boxes;
}

hostile_boxes worst_uniform_boxes(size_t n) {
    return worst_scene_boxes("uniform", n, false);
}
