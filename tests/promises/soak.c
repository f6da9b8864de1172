// Long runs: objects come, go, spread and clump, for minutes, in a world of each method; and everyday worlds of 50 to 3,000
// objects, by default a million updates.
//
// A cycle is always the same length. In the one life the population grows and shrinks, and most of it is drawn to a few
// points and let go again; in the other a level is loaded, lived in in all the ways of `phases`, and unloaded. So all cycles
// are alike, and what does not stay the same is a defect:
//   - memory: no cycle may need much more than the first two did, nor, each time that a life has become twice as long, its
//             second half a tenth more than the first: the world, its own account of it, the heap beside it and the process;
//             and an empty world that was trimmed holds no more than it held the first time;
//   - time:   the median step of a cycle may not take longer than in the first two (processor time, plus noise);
//   - pairs:  at sampled steps those of brute force; in every step, the last pairs + begun - ended, by a hash;
//   - rays:   asked before and after updates, at sampled steps compared with plain loops.
//
// usage: soak [--seconds S] [--seed N] [--method NAME]     a world of each method (default: ten minutes)
//        soak --updates U [--seed N]                        everyday worlds                    (make soak: both)
#include "support/naive_query.h"

#include <math.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LARGEST = 6000, MOST_STEPS = 1000, CLUMPS = 5, MAX_CYCLES = 100000 };
static const double EXTENT = 60, DOUBLING_SLACK = 1.1, TIME_SLACK = 2.5;
static const size_t PROCESS_SLACK = 4 << 20;

typedef struct soak soak;

typedef struct life {
    size_t cycle_steps, sample; // pairs are compared at every so many steps
    size_t patience;            // so many slow cycles in a row are a defect
    double memory_slack;        // of a cycle, beside the first two
    bool has_rays, ends_empty;
    void (*change)(soak *s, size_t step_of_cycle);
} life;

struct soak {
    char name[32];
    const life *life;
    uint64_t seed;
    rng random;
    test_allocator memory;
    bp_world *world;
    size_t size;        // of an everyday world
    bp_id ids[LARGEST]; // alive
    size_t count;
    bp_box boxes[2 * LARGEST]; // by id; NaN: not alive
    naive_world naive;         // the same
    bp_id some[LARGEST];       // arguments of a call
    bp_box some_boxes[LARGEST];
    bp_object some_objects[LARGEST];
    bp_ray_hit hits[LARGEST], expected[LARGEST];
    uint64_t hash; // of all pairs, from events alone
    size_t steps, samples, rays, pairs;
    double step_seconds[MOST_STEPS];
    size_t cycle_bytes, world_bytes; // the most in this cycle, by the allocator and by the world's own account
    size_t trimmed_bytes;
};

static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void require(const soak *s, bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "soak: %s, seed %llu, step %zu: %s\n", s->name, (unsigned long long)s->seed, s->steps, what);
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

static void put(soak *s, bp_id id, const bp_box *box, const bp_object *object) {
    require(s, id < 2 * LARGEST, "ids are not the smallest that are free");
    s->boxes[id] = *box;
    naive_world_put(&s->naive, id, box, object);
}

static void add_object(soak *s, const bp_box *box, const bp_object *object) {
    bp_id id;
    require_ok(s, bp_add(s->world, box, object, &id));
    put(s, id, box, object);
    s->ids[s->count++] = id;
}

static void add_one(soak *s) {
    const bp_box box = new_box(s);
    const bp_object object = {.flags = rng_below(&s->random, 10) == 0 ? BP_STATIC : 0u};
    add_object(s, &box, &object);
}

static bp_id forget_one(soak *s) {
    const size_t index = rng_below(&s->random, (uint32_t)s->count);
    const bp_id id = s->ids[index];
    s->boxes[id] = (bp_box){.min = {NAN, NAN, NAN}, .max = {NAN, NAN, NAN}};
    naive_world_remove(&s->naive, id);
    s->ids[index] = s->ids[--s->count];
    return id;
}

static void remove_one(soak *s) {
    require_ok(s, bp_remove(s->world, forget_one(s)));
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
        bp_box box = s->boxes[id];
        drift(s, &box, phase);
        put(s, id, &box, &s->naive.objects[id]);
        require_ok(s, bp_move(s->world, id, &box));
    }
}

static void clump(soak *s, size_t step_of_cycle) {
    const double phase = (double)step_of_cycle / (double)s->life->cycle_steps;
    come_and_go(s, phase);
    move_some(s, phase);
}

static const life clumping = {.cycle_steps = 120, .sample = 20, .patience = 1, .memory_slack = 1.25, .change = clump};

// ---- an everyday world ----------------------------------------------------------------------------------------------

enum { PHASE_STEPS = 125, PHASES = 8, NAP = 25, AWAKE = 5 };

// Four storeys that become larger with the level; four fifths of the objects are static.
static bp_box level_box(soak *s, bool is_static) {
    const double side = 100 * sqrt((double)s->size / 2500);
    float low[3], high[3];
    for (int axis = 0; axis < 3; axis++) {
        const double edge = (double)random_magnitude(&s->random, 0.3, !is_static ? 2 : axis == 1 ? 6 : 20);
        low[axis] = axis == 1 ? 4.0f * (float)rng_below(&s->random, 4) : random_between(&s->random, 0, side);
        high[axis] = low[axis] + (float)edge;
    }
    return box_between(low, high);
}

static bp_object level_object(soak *s) {
    return (bp_object){.flags = rng_below(&s->random, 5) ? BP_STATIC : 0u};
}

static void load(soak *s) {
    for (size_t i = 0; i <= s->size / PHASE_STEPS && s->count < s->size; i++) {
        const bp_object object = level_object(s);
        const bp_box box = level_box(s, object.flags != 0);
        add_object(s, &box, &object);
    }
}

static void unload(soak *s) {
    for (size_t i = 0; i <= s->size / PHASE_STEPS && s->count > 0; i++) remove_one(s);
}

// Each object, or each that is not static, with a probability of one in so many.
static void move_level(soak *s, uint32_t one_in, bool with_static, bp_box (*moved)(soak *s, const bp_box *box)) {
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++) {
        const bp_id id = s->ids[i];
        if ((!with_static && s->naive.objects[id].flags != 0) || rng_below(&s->random, one_in)) continue;
        s->some[count] = id;
        s->some_boxes[count] = moved(s, &s->boxes[id]);
        put(s, id, &s->some_boxes[count++], &s->naive.objects[id]);
    }
    require_ok(s, bp_move_many(s->world, count, s->some, s->some_boxes));
}

static bp_box a_step_away(soak *s, const bp_box *box) {
    bp_box moved = *box;
    for (int axis = 0; axis < 3; axis += 2) {
        const float by = random_between(&s->random, -0.1, 0.1);
        moved.min[axis] += by;
        moved.max[axis] += by;
    }
    return moved;
}

// Somewhere in the level, or, one in ten, far outside.
static bp_box far_away(soak *s, const bp_box *box) {
    bp_box moved = *box;
    const bp_box there = level_box(s, false);
    const float scale = rng_below(&s->random, 10) ? 1.0f : 1000.0f;
    for (int axis = 0; axis < 3; axis++) {
        moved.min[axis] = scale * there.min[axis];
        moved.max[axis] = moved.min[axis] + (box->max[axis] - box->min[axis]);
    }
    return moved;
}

static void walk(soak *s) {
    move_level(s, 1, false, a_step_away);
}

static void move_little(soak *s) {
    move_level(s, 100, false, a_step_away);
}

static void jump(soak *s) {
    move_level(s, 20, false, far_away);
}

static void sleep_and_wake(soak *s) {
    if (s->steps % NAP < AWAKE) walk(s);
}

static void teleport(soak *s) {
    if (s->steps % NAP)
        move_level(s, 5, false, a_step_away);
    else
        move_level(s, 1, true, far_away);
}

// One in a hundred goes, another comes; and something static begins to move, or the other way round.
static void churn(soak *s) {
    const size_t count = s->count / 100 + 1;
    for (size_t i = 0; i < count; i++) s->some[i] = forget_one(s);
    require_ok(s, bp_remove_many(s->world, count, s->some));
    for (size_t i = 0; i < count; i++) {
        s->some_objects[i] = level_object(s);
        s->some_boxes[i] = level_box(s, s->some_objects[i].flags != 0);
    }
    require_ok(s, bp_add_many(s->world, count, s->some_boxes, s->some_objects, s->some));
    for (size_t i = 0; i < count; i++) {
        put(s, s->some[i], &s->some_boxes[i], &s->some_objects[i]);
        s->ids[s->count++] = s->some[i];
    }
    const bp_id id = s->ids[rng_below(&s->random, (uint32_t)s->count)];
    const bp_object other = {.flags = s->naive.objects[id].flags ^ BP_STATIC};
    require_ok(s, bp_set_object(s->world, id, &other));
    put(s, id, &s->boxes[id], &other);
}

static void (*const phases[PHASES])(soak *s) = {load, walk, move_little, jump, sleep_and_wake, churn, teleport, unload};

static void live_in_level(soak *s, size_t step_of_cycle) {
    phases[step_of_cycle / PHASE_STEPS](s);
}

static const life everyday = {.cycle_steps = PHASES * PHASE_STEPS,
                              .sample = 97,
                              .patience = 3,
                              .memory_slack = 1.6, // now and then it keeps another structure
                              .has_rays = true,
                              .ends_empty = true,
                              .change = live_in_level};

// ---- what must hold -------------------------------------------------------------------------------------------------

static uint64_t hash_of(const bp_pair *pairs, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t x = ((uint64_t)pairs[i].a << 32 | pairs[i].b) * 0x9e3779b97f4a7c15u;
        sum += (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    }
    return sum;
}

static uint64_t naive_hash(soak *s, size_t *count) {
    pair_list naive = naive_pairs(s->boxes, s->naive.count, 3);
    naive_filter(&naive, s->naive.objects);
    const uint64_t hash = hash_of(naive.data, naive.count);
    *count = naive.count;
    pair_list_free(&naive);
    return hash;
}

static bool is_sampled(const soak *s) {
    return s->steps % s->life->sample == s->life->sample - 1;
}

// From somewhere in the level; mostly the first hit, and all of them at sampled steps, with those of a plain loop.
static void ask_ray(soak *s) {
    const bp_box from = level_box(s, false);
    bp_ray ray = {.max_t = 50};
    double direction[3];
    size_t found = 0;
    const bool all = is_sampled(s);
    rng_direction(&s->random, 3, direction);
    for (int axis = 0; axis < 3; axis++) {
        ray.origin[axis] = from.min[axis];
        ray.direction[axis] = rng_below(&s->random, 10) ? (float)direction[axis] : 0.0f;
    }
    if (ray.direction[0] == 0 && ray.direction[1] == 0 && ray.direction[2] == 0) ray.direction[1] = 1;
    require_ok(s, bp_query_ray(s->world, &ray, NULL, s->hits, all ? LARGEST : 1, all ? &found : NULL));
    s->rays++;
    if (!all) return;
    const size_t expected = naive_query_ray(&s->naive, &ray, NULL, s->expected);
    bool same = found == expected;
    for (size_t i = 0; i < expected && same; i++)
        same = s->hits[i].id == s->expected[i].id && s->hits[i].t == s->expected[i].t;
    require(s, same, "not the hits of a plain loop");
}

static void check_step(soak *s, const bp_result *result) {
    s->hash += hash_of(result->begun, result->begun_count) - hash_of(result->ended, result->ended_count);
    const uint64_t found = hash_of(result->pairs, result->pair_count);
    require(s, found == s->hash, "events do not lead from the last pairs to these");
    s->pairs += result->pair_count;
    if (!is_sampled(s)) return;
    size_t count;
    const uint64_t naive = naive_hash(s, &count);
    require(s, naive == found && count == result->pair_count, "not the pairs of brute force");
    require_ok(s, bp_world_validate(s->world));
    s->samples++;
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

static void step(soak *s) {
    const size_t in_cycle = s->steps % s->life->cycle_steps;
    bp_result result;
    s->life->change(s, in_cycle);
    if (s->life->has_rays) ask_ray(s);
    const double start = processor_seconds();
    require_ok(s, bp_update(s->world, &result));
    s->step_seconds[in_cycle] = processor_seconds() - start;
    s->cycle_bytes = larger(s->cycle_bytes, s->memory.live_bytes);
    s->world_bytes = larger(s->world_bytes, result.stats.bytes);
    check_step(s, &result);
    if (s->life->has_rays) ask_ray(s);
    s->steps++;
}

static int compare_doubles(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// ---- cycles ---------------------------------------------------------------------------------------------------------

// What the process holds on the heap beside the world. 0: unknown, as with sanitizers and valgrind, which have heaps of their own.
static size_t heap_beside(const soak *s) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    const struct mallinfo2 heap = mallinfo2();
    const size_t all = heap.uordblks + heap.hblkhd;
    return all > s->memory.live_bytes ? all - s->memory.live_bytes : 0;
#else
    (void)s;
    return 0;
#endif
}

// The pages of the process.
static size_t resident_bytes(void) {
    size_t all = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    if (fscanf(file, "%zu %zu", &all, &resident) != 2) resident = 0;
    fclose(file);
    return resident * 4096;
}

typedef struct bounds {
    size_t bytes, world_bytes, heap, resident;
    double seconds; // of the median step
} bounds;

static bounds cycle(soak *s) {
    s->cycle_bytes = s->world_bytes = 0;
    do step(s);
    while (s->steps % s->life->cycle_steps != 0);
    qsort(s->step_seconds, s->life->cycle_steps, sizeof *s->step_seconds, compare_doubles);
    const size_t heap = heap_beside(s);
    return (bounds){.bytes = s->cycle_bytes,
                    .world_bytes = s->world_bytes,
                    .heap = heap,
                    .resident = heap ? resident_bytes() : 0,
                    .seconds = s->step_seconds[s->life->cycle_steps / 2]};
}

static void widen(bounds *to, const bounds *by) {
    to->bytes = larger(to->bytes, by->bytes);
    to->world_bytes = larger(to->world_bytes, by->world_bytes);
    to->heap = larger(to->heap, by->heap);
    to->resident = larger(to->resident, by->resident);
    to->seconds = fmax(to->seconds, by->seconds);
}

static void check_cycle(const soak *s, const bounds *first, const bounds *last, size_t *slow) {
    *slow = last->seconds <= TIME_SLACK * first->seconds ? 0 : *slow + 1;
    require(s, (double)last->bytes <= s->life->memory_slack * (double)first->bytes, "memory grows from cycle to cycle");
    require(s, last->heap <= first->heap + PROCESS_SLACK, "the heap grows, beside what the world has allocated");
    require(s, last->resident <= first->resident + first->resident / 4 + PROCESS_SLACK, "the process grows");
    require(s, *slow < s->life->patience, "steps take longer from cycle to cycle");
}

// An empty world.
static void trim(soak *s) {
    require(s, s->count == 0 && bp_world_count(s->world) == 0, "the world is not empty");
    require_ok(s, bp_world_trim(s->world));
    if (!s->trimmed_bytes) s->trimmed_bytes = s->memory.live_bytes;
    require(s, s->memory.live_bytes <= s->trimmed_bytes, "an empty world holds more than it did");
}

static bool is_power_of_two(size_t n) {
    return (n & (n - 1)) == 0;
}

// The life has become twice as long; of short ones nothing can be said.
static void end_half(soak *s, size_t cycles, bounds *first, bounds *second) {
    enum { FEWEST = 32 };
    const bool same = (double)second->bytes <= DOUBLING_SLACK * (double)first->bytes &&
                      (double)second->world_bytes <= DOUBLING_SLACK * (double)first->world_bytes &&
                      second->heap <= first->heap + PROCESS_SLACK / 16;
    require(s, same || cycles < FEWEST, "memory has grown while the life has become twice as long");
    widen(first, second);
    *second = (bounds){0};
    if (s->life->ends_empty) trim(s);
}

// At least three cycles, until the time is up and so many steps are done.
static void live(soak *s, double until, size_t steps) {
    bounds first = {0}, last = {0}, first_half = {0}, second_half = {0};
    size_t cycles = 0, slow = 0;
    while (cycles < 3 || s->steps < steps || (processor_seconds() < until && cycles < MAX_CYCLES)) {
        last = cycle(s);
        if (cycles++ < 2)
            widen(&first, &last);
        else
            check_cycle(s, &first, &last, &slow);
        widen(&second_half, &last);
        if (is_power_of_two(cycles)) end_half(s, cycles, &first_half, &second_half);
    }
    const double mebibyte = 1048576;
    printf("%-18s %7zu %7zu %10zu %8zu %8.2f %8.2f %8.1f %8.1f %9.3f %9.3f\n", s->name, cycles, s->steps, s->samples,
           s->rays, (double)first.bytes / mebibyte, (double)last.bytes / mebibyte, (double)first.resident / mebibyte,
           (double)last.resident / mebibyte, 1e3 * first.seconds, 1e3 * last.seconds);
    fflush(stdout);
}

static soak *begin(const life *kind, bp_method method, uint64_t seed) {
    soak *s = obtain(1, sizeof *s);
    s->life = kind;
    s->seed = seed;
    s->random = rng_seeded(seed);
    for (size_t i = 0; i < 2 * LARGEST; i++) s->boxes[i] = (bp_box){.min = {NAN, NAN, NAN}, .max = {NAN, NAN, NAN}};
    test_allocator_init(&s->memory);
    const bp_config config = {.method = method, .flags = BP_EVENTS, .allocator = test_allocator_hook(&s->memory)};
    naive_world_create(&s->naive, &config, 2 * LARGEST);
    require_ok(s, bp_world_create(&config, &s->world));
    return s;
}

static void end(soak *s) {
    bp_world_destroy(s->world);
    naive_world_destroy(&s->naive);
    test_allocator_finish(&s->memory);
    free(s);
}

static void run_method(bp_method method, uint64_t seed, double seconds) {
    soak *s = begin(&clumping, method, seed);
    snprintf(s->name, sizeof s->name, "%s", bp_method_name((size_t)method));
    live(s, processor_seconds() + seconds, 0);
    end(s);
}

static void run_everyday(uint64_t seed, size_t updates) {
    static const size_t sizes[] = {50, 300, 1000, 3000};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        soak *s = begin(&everyday, BP_METHOD_AUTO, seed);
        s->size = sizes[i];
        snprintf(s->name, sizeof s->name, "everyday, %zu", s->size);
        live(s, 0, updates / COUNT_OF(sizes));
        end(s);
    }
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
    const size_t methods = only != NULL ? 1 : bp_method_count(),
                 updates = (size_t)number_after(argc, argv, "--updates", 0);
    printf("%-18s %7s %7s %10s %8s %8s %8s %8s %8s %9s %9s\n", "world", "cycles", "steps", "vs brute", "rays", "MiB",
           "last", "process", "last", "ms", "last");
    if (updates) run_everyday(seed, updates);
    for (size_t i = 0; i < bp_method_count() && !updates; i++)
        if (only == NULL || strcmp(only, bp_method_name(i)) == 0)
            run_method((bp_method)i, seed, seconds / (double)methods);
    return 0;
}
