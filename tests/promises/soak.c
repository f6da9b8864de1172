// Long runs: objects come, go, spread and clump, for minutes, in a world of each method.
//
// A cycle is always the same length: the population grows and shrinks, and most of it is drawn to a few points and let
// go again. So all cycles are alike, and what does not stay the same is a defect:
//   - memory: no cycle may need more than the first two did, but for a little;
//   - time:   the median step of a cycle may not take longer than in the first two (processor time, plus noise);
//   - pairs:  at sampled steps those of brute force; in every step, the last pairs + begun - ended, by a hash.
//
// usage: soak [--seconds S] [--seed N] [--method NAME]     (make soak: ten minutes)
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LARGEST = 6000, CYCLE_STEPS = 120, SAMPLE = 20, CLUMPS = 5, MAX_CYCLES = 100000 };
static const double EXTENT = 60, MEMORY_SLACK = 1.25, TIME_SLACK = 2.5;

typedef struct soak {
    const char *method;
    uint64_t seed;
    rng random;
    test_allocator memory;
    bp_world *world;
    bp_id ids[LARGEST]; // alive
    size_t count;
    bp_box boxes[2 * LARGEST]; // by id; NaN: not alive
    uint64_t hash;             // of all pairs, from events alone
    size_t steps, samples, pairs;
    double step_seconds[CYCLE_STEPS];
    size_t cycle_bytes;
} soak;

static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void require(const soak *s, bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "soak: %s, seed %llu, step %zu: %s\n", s->method, (unsigned long long)s->seed, s->steps, what);
    exit(1);
}

static void require_ok(const soak *s, bp_status status) {
    require(s, status == BP_OK, bp_status_text(status));
}

// ---- what happens in a step -----------------------------------------------------------------------------------------

// One object in twenty is a hundred times as large as the smallest.
static bp_box new_box(soak *s) {
    const double size = rng_below(&s->random, 20) == 0 ? 8 : random_magnitude(&s->random, 0.08, 1);
    return random_cube(&s->random, EXTENT, size);
}

static void add_one(soak *s) {
    const bp_box box = new_box(s);
    const bp_object object = {.flags = rng_below(&s->random, 10) == 0 ? BP_STATIC : 0u};
    bp_id id;
    require_ok(s, bp_add(s->world, &box, &object, &id));
    require(s, id < 2 * LARGEST, "ids are not the smallest that are free");
    s->boxes[id] = box;
    s->ids[s->count++] = id;
}

static void remove_one(soak *s) {
    const size_t index = rng_below(&s->random, (uint32_t)s->count);
    const bp_id id = s->ids[index];
    require_ok(s, bp_remove(s->world, id));
    s->boxes[id] = (bp_box){.min = {NAN, NAN, NAN}, .max = {NAN, NAN, NAN}};
    s->ids[index] = s->ids[--s->count];
}

// The population grows and shrinks; a few objects are replaced in every step.
static void come_and_go(soak *s, double phase) {
    const size_t wanted = (size_t)(LARGEST * (0.55 - 0.4 * cos(6.283185307 * phase)));
    for (size_t i = 0; i < 8 && s->count > 8; i++) remove_one(s);
    while (s->count > wanted) remove_one(s);
    while (s->count < wanted) add_one(s);
}

// In the middle third of a cycle objects are drawn to points that are always the same; later they fly apart.
static void drift(soak *s, bp_box *box, double phase) {
    const bool gathers = phase > 0.33 && phase < 0.66;
    const size_t clump = rng_below(&s->random, CLUMPS);
    for (int axis = 0; axis < 3; axis++) {
        const float size = box->max[axis] - box->min[axis];
        const float aim = (float)((double)((clump * 7 + (size_t)axis * 3) % 11) / 11.0 * EXTENT - 0.5 * EXTENT);
        const float pull = gathers ? 0.2f * (aim - box->min[axis]) : 0.0f;
        const float spread = phase > 0.66 ? 2.0f : 0.1f;
        const float limit = (float)(0.6 * EXTENT);
        const float moved = box->min[axis] + pull + random_between(&s->random, -(double)spread, (double)spread);
        box->min[axis] = moved < -limit ? -limit : moved > limit ? limit : moved;
        box->max[axis] = box->min[axis] + size;
    }
}

// Sometimes all move, sometimes a few, sometimes none.
static void move_some(soak *s, double phase) {
    const size_t share = rng_below(&s->random, 4); // 0: none, 1: one in a hundred, 2 and 3: all
    const size_t stride = share == 0 ? s->count + 1 : share == 1 ? 100 : 1;
    for (size_t i = share == 0 ? s->count : rng_below(&s->random, (uint32_t)stride); i < s->count; i += stride) {
        const bp_id id = s->ids[i];
        drift(s, &s->boxes[id], phase);
        require_ok(s, bp_move(s->world, id, &s->boxes[id]));
    }
}

// ---- what must hold -------------------------------------------------------------------------------------------------

static uint64_t hash_of(const bp_pair *pairs, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t x = ((uint64_t)pairs[i].a << 32 | pairs[i].b) * 0x9e3779b97f4a7c15u;
        sum += (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    }
    return sum;
}

// Two static objects never pair; which are static, the world knows.
static uint64_t naive_hash(soak *s, size_t *count) {
    pair_list naive = naive_pairs(s->boxes, 2 * LARGEST, 3);
    bp_object *objects = obtain(2 * LARGEST, sizeof *objects);
    for (size_t i = 0; i < s->count; i++) require_ok(s, bp_get_object(s->world, s->ids[i], NULL, &objects[s->ids[i]]));
    naive_filter(&naive, objects);
    const uint64_t hash = hash_of(naive.data, naive.count);
    *count = naive.count;
    free(objects);
    pair_list_free(&naive);
    return hash;
}

static void check_step(soak *s, const bp_result *result) {
    s->hash += hash_of(result->begun, result->begun_count) - hash_of(result->ended, result->ended_count);
    const uint64_t found = hash_of(result->pairs, result->pair_count);
    require(s, found == s->hash, "events do not lead from the last pairs to these");
    s->pairs += result->pair_count;
    if (s->steps % SAMPLE != SAMPLE - 1) return;
    size_t count;
    const uint64_t naive = naive_hash(s, &count);
    require(s, naive == found && count == result->pair_count, "not the pairs of brute force");
    require_ok(s, bp_world_validate(s->world));
    s->samples++;
}

static void step(soak *s) {
    const size_t in_cycle = s->steps % CYCLE_STEPS;
    const double phase = (double)in_cycle / CYCLE_STEPS;
    bp_result result;
    come_and_go(s, phase);
    move_some(s, phase);
    const double start = processor_seconds();
    require_ok(s, bp_update(s->world, &result));
    s->step_seconds[in_cycle] = processor_seconds() - start;
    if (s->memory.live_bytes > s->cycle_bytes) s->cycle_bytes = s->memory.live_bytes;
    check_step(s, &result);
    s->steps++;
}

static int compare_doubles(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// ---- cycles ---------------------------------------------------------------------------------------------------------

typedef struct bounds {
    size_t bytes;
    double seconds; // of the median step
} bounds;

static bounds cycle(soak *s) {
    s->cycle_bytes = 0;
    do step(s);
    while (s->steps % CYCLE_STEPS != 0);
    qsort(s->step_seconds, CYCLE_STEPS, sizeof *s->step_seconds, compare_doubles);
    return (bounds){.bytes = s->cycle_bytes, .seconds = s->step_seconds[CYCLE_STEPS / 2]};
}

static void live(soak *s, double until) {
    bounds first = {0}, last = {0};
    size_t cycles = 0;
    for (; cycles < 3 || (processor_seconds() < until && cycles < MAX_CYCLES); cycles++) {
        last = cycle(s);
        if (cycles >= 2) {
            require(s, (double)last.bytes <= MEMORY_SLACK * (double)first.bytes, "memory grows from cycle to cycle");
            require(s, last.seconds <= TIME_SLACK * first.seconds, "steps take longer from cycle to cycle");
            continue;
        }
        if (last.bytes > first.bytes) first.bytes = last.bytes;
        if (last.seconds > first.seconds) first.seconds = last.seconds;
    }
    printf("%-18s %7zu %7zu %10zu %8.2f %8.2f %9.3f %9.3f\n", s->method, cycles, s->steps, s->samples,
           (double)first.bytes / 1048576.0, (double)last.bytes / 1048576.0, 1e3 * first.seconds, 1e3 * last.seconds);
    fflush(stdout);
}

static void run(bp_method method, uint64_t seed, double seconds) {
    soak *s = obtain(1, sizeof *s);
    s->method = bp_method_name((size_t)method);
    s->seed = seed;
    s->random = rng_seeded(seed);
    for (size_t i = 0; i < 2 * LARGEST; i++) s->boxes[i] = (bp_box){.min = {NAN, NAN, NAN}, .max = {NAN, NAN, NAN}};
    test_allocator_init(&s->memory);
    const bp_config config = {.method = method, .flags = BP_EVENTS, .allocator = test_allocator_hook(&s->memory)};
    require_ok(s, bp_world_create(&config, &s->world));
    live(s, processor_seconds() + seconds);
    bp_world_destroy(s->world);
    test_allocator_finish(&s->memory);
    free(s);
}

static double number_after(int argc, char **argv, const char *name, double otherwise) {
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], name) == 0) return atof(argv[i + 1]);
    return otherwise;
}

static const char *word_after(int argc, char **argv, const char *name) {
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], name) == 0) return argv[i + 1];
    return NULL;
}

int main(int argc, char **argv) {
    const double seconds = number_after(argc, argv, "--seconds", 600);
    const uint64_t seed = (uint64_t)number_after(argc, argv, "--seed", 1);
    const char *only = word_after(argc, argv, "--method");
    const size_t methods = only != NULL ? 1 : bp_method_count();
    printf("%-18s %7s %7s %10s %8s %8s %9s %9s\n", "method", "cycles", "steps", "vs brute", "MiB", "last", "ms",
           "last");
    for (size_t i = 0; i < bp_method_count(); i++)
        if (only == NULL || strcmp(only, bp_method_name(i)) == 0) run((bp_method)i, seed, seconds / (double)methods);
    return 0;
}
