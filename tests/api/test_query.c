// Queries against plain loops: every method, random and adversarial scenes, before and after updates.
//
// A failure prints the seed. BP_TEST_SEED=n runs one more seed. At the end a table shows what was compared.
#include "support/naive_query.h"
#include "support/query_scenes.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 6000, QUESTIONS = 12, GUARD_BYTE = 0x5a };

static const uint64_t SEEDS[] = {3, 20110526};

// A world, its naive twin, and what is needed to repeat a failure.
typedef struct bout {
    bp_config config;
    const char *scene;
    bp_box (*draw)(rng *random, const bp_box *others, size_t count);
    uint64_t seed;
    int step;
    rng random;
    bp_world *world;
    naive_world naive;
    bp_box boxes[MOST]; // as they were given, or nearly
    bool wide;          // in 64 bits
    bp_object as;       // the asking object, if `is_filtered`
    bool is_filtered;
} bout;

// ---- what was compared ----------------------------------------------------------------------------------------------

typedef enum question_kind { ASK_BOX, ASK_RAY, ASK_FIRST, ASK_NEAREST, QUESTION_KINDS } question_kind;

typedef struct tally {
    size_t worlds, calls[QUESTION_KINDS], results[QUESTION_KINDS];
} tally;

static tally TALLIES[32]; // by method

static void note(const bout *b, question_kind kind, size_t results) {
    ++TALLIES[b->config.method].calls[kind];
    TALLIES[b->config.method].results[kind] += results;
}

static void print_table(void) {
    printf("\n%-18s %7s | %9s %9s | %9s %9s | %9s %9s | %9s %9s\n", "method", "worlds", "box calls", "ids", "ray calls",
           "hits", "1st calls", "hits", "near calls", "objects");
    for (size_t method = 0; method < bp_method_count(); ++method) {
        const tally *t = &TALLIES[method];
        if (t->worlds > 0) {
            printf("%-18s %7zu", bp_method_name(method), t->worlds);
            for (int kind = 0; kind < QUESTION_KINDS; ++kind) {
                printf(" | %9zu %9zu", t->calls[kind], t->results[kind]);
            }
            printf("\n");
        }
    }
}

// ---- questions ------------------------------------------------------------------------------------------------------

// The box of some object that is alive, or any.
static bp_box some_box(bout *b) {
    const bp_id id = b->naive.count > 0 ? rng_below(&b->random, (uint32_t)b->naive.count) : 0;
    return naive_world_is_alive(&b->naive, id) ? b->boxes[id] : b->draw(&b->random, NULL, 0);
}

static bool is_periodic(const bout *b) {
    return b->config.period[0] > 0.0f || b->config.period[1] > 0.0f || b->config.period[2] > 0.0f;
}

// A point in or near the scene: in a box, on its corner, near it, on the lattice, or far away.
static void draw_point(bout *b, float point[3]) {
    const bp_box box = some_box(b);
    const uint32_t kind = rng_below(&b->random, 12);
    for (int axis = 0; axis < 3; ++axis) {
        const double low = fmax((double)box.min[axis], -1e7), high = fmin((double)box.max[axis], 1e7);
        float value = random_between(&b->random, low, high < low ? low : high);
        if (kind < 3) {
            value = isfinite(box.min[axis]) ? box.min[axis] : 1.0f;
        } else if (kind < 6) {
            value += random_between(&b->random, -3.0, 3.0);
        } else if (kind < 8) {
            value = (float)rng_below(&b->random, 13) - 6.0f;
        } else if (kind == 8) {
            value *= random_magnitude(&b->random, 1.0, 1e6);
        } else if (kind == 9 && rng_below(&b->random, 4) == 0) {
            value = random_magnitude(&b->random, 1.0, 3e38) * (float)rng_sign(&b->random);
        }
        value = isfinite(value) ? value : 3.0f;
        point[axis] = is_periodic(b) ? fmodf(value, 1000.0f) : value; // naive loops are exact near the origin only
    }
}

static bp_box draw_question_box(bout *b) {
    const uint32_t kind = rng_below(&b->random, 10);
    bp_box box = some_box(b);
    if (kind < 2) {
        return box;
    }
    float point[3];
    draw_point(b, point);
    const float size = kind < 8 ? random_magnitude(&b->random, 1e-2, 10.0) : kind == 8 ? 0.0f : 1e4f;
    for (int axis = 0; axis < 3; ++axis) {
        box.min[axis] = point[axis] - size;
        box.max[axis] = point[axis] + size;
        if (kind == 7) {
            box.min[axis] = rng_below(&b->random, 2) == 0 ? -INFINITY : box.min[axis];
            box.max[axis] = rng_below(&b->random, 2) == 0 ? INFINITY : box.max[axis];
        }
    }
    return box;
}

static void draw_direction(bout *b, const float from[3], float direction[3]) {
    const uint32_t kind = rng_below(&b->random, 10);
    float target[3];
    draw_point(b, target);
    for (int axis = 0; axis < 3; ++axis) {
        direction[axis] = kind < 4 ? target[axis] - from[axis] : random_between(&b->random, -1.0, 1.0);
        if (kind == 4 || kind == 5) { // along faces and edges, through corners
            direction[axis] = (float)rng_below(&b->random, 5) - 2.0f;
        }
        direction[axis] = isfinite(direction[axis]) ? direction[axis] : 1.0f;
    }
    if (kind == 6 || kind == 7) { // parallel to an axis
        direction[rng_below(&b->random, 2)] = 0.0f;
        direction[2] = 0.0f;
    }
    const float scale = kind == 8 ? 1e-30f : kind == 9 ? 1e20f : 1.0f;
    for (int axis = 0; axis < 3; ++axis) {
        direction[axis] *= scale;
    }
}

static bp_ray draw_ray(bout *b) {
    static const float ends[] = {0.0f, 0.25f, 1.0f, 3.0f, INFINITY, INFINITY, FLT_MAX};
    bp_ray ray = {.max_t = ends[rng_below(&b->random, COUNT_OF(ends))]};
    draw_point(b, ray.origin);
    draw_direction(b, ray.origin, ray.direction);
    if (ray.direction[0] == 0.0f && ray.direction[1] == 0.0f) {
        ray.direction[rng_below(&b->random, 2)] = rng_below(&b->random, 2) == 0 ? 1.0f : -2.5f;
    }
    if (is_periodic(b)) { // a few periods: naive loops go through all images
        double length = 0.0;
        for (int axis = 0; axis < 3; ++axis) {
            length = fmax(length, fabs((double)ray.direction[axis]));
        }
        ray.max_t = (float)(rng_between(&b->random, 0.0, 25.0) / length);
        ray.max_t = isfinite(ray.max_t) ? ray.max_t : 0.0f;
    }
    return ray;
}

// ---- comparing ------------------------------------------------------------------------------------------------------

static const char *where(const bout *b, char text[512]) {
    char config[CONFIG_TEXT];
    (void)snprintf(text, 512, "scene=%s objects=%zu seed=%llu step=%d filtered=%d wide=%d margin=%g period=%g %g %g %s",
                   b->scene, b->naive.count, (unsigned long long)b->seed, b->step, b->is_filtered, b->wide,
                   (double)b->config.margin, (double)b->config.period[0], (double)b->config.period[1],
                   (double)b->config.period[2], config_text(&b->config, config));
    return text;
}

static void expect_status(const bout *b, const char *what, bp_status status, bp_status expected) {
    char text[512];
    if (status != expected) {
        fail_msg("%s: \"%s\" instead of \"%s\": %s", what, bp_status_text(status), bp_status_text(expected),
                 where(b, text));
    }
}

// Items of `size` bytes that begin with an id.
static void expect_items(const bout *b, const char *what, const void *found, size_t found_count, const void *expected,
                         size_t expected_count, size_t size) {
    char text[512];
    size_t same = 0;
    while (same < found_count && same < expected_count &&
           memcmp((const char *)found + same * size, (const char *)expected + same * size, size) == 0) {
        ++same;
    }
    if (same < found_count || same < expected_count) {
        bp_ray_hit got = {0}, wanted = {0};
        memcpy(&got, (const char *)found + same * size, same < found_count ? size : 0);
        memcpy(&wanted, (const char *)expected + same * size, same < expected_count ? size : 0);
        fail_msg("%s: %zu found, %zu expected; at %zu: id %u (%.9g) instead of id %u (%.9g): %s", what, found_count,
                 expected_count, same, got.id, (double)got.t, wanted.id, (double)wanted.t, where(b, text));
    }
}

static unsigned char FOUND[(MOST + 1) * sizeof(bp_ray_hit)];
static unsigned char EXPECTED[(MOST + 1) * sizeof(bp_ray_hit)];

// A buffer of `capacity` items, with one more after it that must not be touched.
static void *buffer_for(size_t capacity, size_t size) {
    memset(FOUND, GUARD_BYTE, (capacity + 1) * size);
    return FOUND;
}

static void expect_guard(const bout *b, size_t capacity, size_t size) {
    char text[512];
    for (size_t i = 0; i < size; ++i) {
        if (FOUND[capacity * size + i] != GUARD_BYTE) {
            fail_msg("written beyond the buffer of %zu: %s", capacity, where(b, text));
        }
    }
}

// Without a count, the end is marked.
static size_t count_to_mark(const unsigned char *items, size_t capacity, size_t size) {
    bp_id id = 0;
    size_t index = 0;
    for (; index < capacity; ++index) {
        memcpy(&id, items + index * size, sizeof id);
        if (id == BP_NO_ID) {
            break;
        }
    }
    return index;
}

// One call of a query, with a buffer of so many; `found` is NULL if the count is not wanted.
typedef bp_status (*caller)(const bout *b, const void *question, void *items, size_t capacity, size_t *found);

static void compare(const bout *b, const char *what, caller call, const void *question, size_t size, size_t expected,
                    size_t capacity, question_kind kind) {
    size_t found = 0;
    const size_t kept = expected < capacity ? expected : capacity;
    void *items = buffer_for(capacity, size);
    expect_status(b, what, call(b, question, items, capacity, &found), expected > capacity ? BP_ERROR_CAPACITY : BP_OK);
    if (found != expected) {
        expect_items(b, what, items, found < capacity ? found : capacity, EXPECTED, expected, size);
        fail_msg("%s: count %zu instead of %zu", what, found, expected);
    }
    expect_items(b, what, items, kept, EXPECTED, kept, size);
    expect_guard(b, capacity, size);
    note(b, kind, kept);
}

static void compare_first(const bout *b, const char *what, caller call, const void *question, size_t size,
                          size_t expected, size_t capacity, question_kind kind) {
    const size_t kept = expected < capacity ? expected : capacity;
    void *items = buffer_for(capacity, size);
    expect_status(b, what, call(b, question, items, capacity, NULL), BP_OK);
    expect_items(b, what, items, count_to_mark(items, capacity, size), EXPECTED, kept, size);
    expect_guard(b, capacity, size);
    note(b, kind, kept);
}

static const bp_object *asker(const bout *b) {
    return b->is_filtered ? &b->as : NULL;
}

static bp_status call_box(const bout *b, const void *question, void *items, size_t capacity, size_t *found) {
    return bp_query_box(b->world, question, asker(b), items, capacity, found);
}

static bp_status call_ray(const bout *b, const void *question, void *items, size_t capacity, size_t *found) {
    return bp_query_ray(b->world, question, asker(b), items, capacity, found);
}

static bp_status call_nearest(const bout *b, const void *question, void *items, size_t capacity, size_t *found) {
    return bp_query_nearest(b->world, question, capacity, asker(b), items, found);
}

static void ask_box(bout *b) {
    const bp_box box = draw_question_box(b);
    const size_t expected = naive_query_box(&b->naive, &box, asker(b), (bp_id *)(void *)EXPECTED);
    compare(b, "box", call_box, &box, sizeof(bp_id), expected, MOST, ASK_BOX);
    compare(b, "box, short", call_box, &box, sizeof(bp_id), expected, rng_below(&b->random, 9), ASK_BOX);
    compare_first(b, "box, no count", call_box, &box, sizeof(bp_id), expected, rng_below(&b->random, 5), ASK_BOX);
}

static void ask_ray(bout *b) {
    const bp_ray ray = draw_ray(b);
    const size_t expected = naive_query_ray(&b->naive, &ray, asker(b), (bp_ray_hit *)(void *)EXPECTED);
    compare(b, "ray", call_ray, &ray, sizeof(bp_ray_hit), expected, MOST, ASK_RAY);
    compare(b, "ray, short", call_ray, &ray, sizeof(bp_ray_hit), expected, rng_below(&b->random, 4), ASK_RAY);
    compare_first(b, "ray, first hit", call_ray, &ray, sizeof(bp_ray_hit), expected, 1, ASK_FIRST);
    compare_first(b, "ray, first hits", call_ray, &ray, sizeof(bp_ray_hit), expected, 2 + rng_below(&b->random, 20),
                  ASK_FIRST);
}

static void ask_nearest(bout *b) {
    static const size_t numbers[] = {1, 1, 2, 7, 40, 300, MOST};
    float point[3];
    draw_point(b, point);
    const size_t all = naive_query_nearest(&b->naive, point, asker(b), (bp_near *)(void *)EXPECTED);
    const size_t k = numbers[rng_below(&b->random, COUNT_OF(numbers))], expected = all < k ? all : k;
    compare(b, "nearest", call_nearest, point, sizeof(bp_near), expected, k, ASK_NEAREST);
    compare_first(b, "nearest, no count", call_nearest, point, sizeof(bp_near), expected, k, ASK_NEAREST);
}

static void ask(bout *b, int questions) {
    for (int i = 0; i < questions; ++i) {
        b->is_filtered = rng_below(&b->random, 4) == 0;
        b->as = (bp_object){.group = (uint64_t)rng_below(&b->random, 4) << 31,
                            .mask = (uint64_t)rng_below(&b->random, 4) << 31,
                            .flags = rng_below(&b->random, 2),
                            .island = rng_below(&b->random, 2)};
        ask_box(b);
        ask_ray(b);
        ask_nearest(b);
    }
}

// ---- worlds ---------------------------------------------------------------------------------------------------------

// In a periodic world, no longer than the period.
static bp_box draw_fitting(bout *b) {
    bp_box box = b->draw(&b->random, b->boxes, b->naive.count);
    for (int axis = 0; axis < 3; ++axis) {
        if (b->config.period[axis] > 0.0f && isfinite(box.min[axis]) && isfinite(box.max[axis])) {
            box.min[axis] = fmodf(box.min[axis], 50.0f);
            box.max[axis] = box.min[axis] + fminf(box.max[axis] - box.min[axis], 0.999f * b->config.period[axis]);
            box.max[axis] = fmaxf(box.min[axis], fminf(box.max[axis], box.min[axis] + 0.999f * b->config.period[axis]));
        }
    }
    return box;
}

static bp_object draw_object(bout *b) {
    if (rng_below(&b->random, 2) == 0) {
        return (bp_object){0};
    }
    return (bp_object){.group = (uint64_t)rng_below(&b->random, 4) << 31,
                       .mask = (uint64_t)rng_below(&b->random, 4) << 31,
                       .flags = rng_below(&b->random, 3) == 0 ? BP_STATIC : 0,
                       .island = rng_below(&b->random, 5) == 0};
}

// A little off, by less than floats can tell.
static bp_box_double blur(bout *b, const bp_box *box) {
    bp_box_double wide;
    for (int axis = 0; axis < 3; ++axis) {
        const double extent = (double)box->max[axis] - (double)box->min[axis];
        const double shift = rng_between(&b->random, -1e-8, 1e-8) * fabs((double)box->min[axis]);
        const bool finite = isfinite(box->min[axis]) && isfinite(box->max[axis]);
        wide.min[axis] = (double)box->min[axis] + (finite ? shift : 0.0);
        wide.max[axis] = finite ? wide.min[axis] + extent : (double)box->max[axis];
    }
    return wide;
}

static void add(bout *b, const bp_box *box, const bp_object *object) {
    const bp_box_double wide = blur(b, box);
    bp_id id = 0;
    const bp_status status = b->wide ? bp_add_double(b->world, &wide, object, &id) : bp_add(b->world, box, object, &id);
    expect_status(b, "add", status, BP_OK);
    b->boxes[id] = *box;
    naive_world_put(&b->naive, id, box, object);
    if (b->wide) {
        naive_world_put_double(&b->naive, id, &wide, object);
    }
}

static void move(bout *b, bp_id id, const bp_box *box) {
    const bp_box_double wide = blur(b, box);
    const bp_object object = b->naive.objects[id];
    expect_status(b, "move", b->wide ? bp_move_double(b->world, id, &wide) : bp_move(b->world, id, box), BP_OK);
    b->boxes[id] = *box;
    naive_world_put(&b->naive, id, box, &object);
    if (b->wide) {
        naive_world_put_double(&b->naive, id, &wide, &object);
    }
}

static void add_some(bout *b, size_t more) {
    for (size_t i = 0; i < more; ++i) {
        const bp_box box = draw_fitting(b);
        const bp_object object = draw_object(b);
        add(b, &box, &object);
    }
}

static bool pick(bout *b, bp_id *id) {
    *id = rng_below(&b->random, (uint32_t)b->naive.count);
    return naive_world_is_alive(&b->naive, *id);
}

// A step on, or somewhere else.
static void move_some(bout *b, size_t some, double step) {
    for (size_t i = 0; i < some; ++i) {
        bp_id id;
        if (!pick(b, &id)) {
            continue;
        }
        bp_box box = b->boxes[id];
        if (rng_below(&b->random, 8) == 0) {
            box = draw_fitting(b);
        }
        for (int axis = 0; axis < 3; ++axis) {
            const float extent = box.max[axis] - box.min[axis];
            box.min[axis] += random_between(&b->random, -step, step);
            box.max[axis] = isfinite(extent) ? box.min[axis] + extent : box.max[axis];
        }
        move(b, id, &box);
    }
}

static void remove_some(bout *b, size_t some) {
    for (size_t i = 0; i < some; ++i) {
        bp_id id;
        if (pick(b, &id)) {
            expect_status(b, "remove", bp_remove(b->world, id), BP_OK);
            naive_world_remove(&b->naive, id);
        }
    }
}

static void restate_some(bout *b, size_t some) {
    for (size_t i = 0; i < some; ++i) {
        const bp_object object = draw_object(b);
        bp_id id;
        if (pick(b, &id)) {
            expect_status(b, "set_object", bp_set_object(b->world, id, &object), BP_OK);
            b->naive.objects[id] = object;
        }
    }
}

static void update(bout *b) {
    expect_status(b, "update", bp_update(b->world, NULL), BP_OK);
}

static bout *begin(const bp_config *config, const query_scene *scene, bool wide, uint64_t seed) {
    bout *b = obtain(1, sizeof *b);
    b->config = *config;
    b->scene = scene->name;
    b->draw = scene->draw;
    b->wide = wide;
    b->seed = seed;
    b->random = rng_seeded(seed);
    expect_status(b, "create", bp_world_create(config, &b->world), BP_OK);
    naive_world_create(&b->naive, config, MOST);
    ++TALLIES[config->method].worlds;
    return b;
}

static void end(bout *b) {
    bp_world_destroy(b->world);
    naive_world_destroy(&b->naive);
    free(b);
}

// ---- sequences ------------------------------------------------------------------------------------------------------

static void run_sequence(const bp_config *config, const query_scene *scene, bool wide, size_t objects, uint64_t seed) {
    bout *b = begin(config, scene, wide, seed);
    ask(b, 1); // an empty world
    add_some(b, objects);
    ask(b, 2); // before the first update
    for (b->step = 1; b->step <= 4; ++b->step) {
        update(b);
        ask(b, QUESTIONS);
        move_some(b, rng_below(&b->random, 2) == 0 ? 5 : objects / 4, 0.2);
        remove_some(b, 3);
        restate_some(b, 3);
        add_some(b, rng_below(&b->random, 6));
        ask(b, QUESTIONS); // changed since
    }
    end(b);
}

static void run_seeds(const bp_config *config, const query_scene *scene, bool wide, size_t objects) {
    for (size_t i = 0; i < (quick() ? 1 : COUNT_OF(SEEDS)) && in_short_turn(3); ++i) {
        run_sequence(config, scene, wide, objects, SEEDS[i]);
    }
    const uint64_t free_seed = environment_number("BP_TEST_SEED", 0);
    if (free_seed != 0) {
        run_sequence(config, scene, wide, objects, free_seed);
    }
}

static void every_method_agrees_with_loops(void **state) {
    (void)state;
    for (size_t method = 1; method < bp_method_count(); ++method) {
        for (uint32_t dimensions = 2; dimensions <= 3; ++dimensions) {
            const bp_config config = {
                .method = (bp_method)method, .dimensions = dimensions, SETTINGS(.brute_force_below = 1)};
            for (size_t scene = 0; scene < QUERY_SCENES; ++scene) {
                run_seeds(&config, &query_scenes[scene], false, 300);
            }
        }
    }
}

// Few cells, many levels, other strategies, instruction sets and margins.
static void every_form_of_the_grid_agrees_with_loops(void **state) {
    const bp_config options[] = {
        {SETTINGS(.brute_force_below = 0)},
        {SETTINGS(.brute_force_below = 1, .hierarchy_factor = 2.0f, .grid_size = {4, 4, 4}, .grid_load = 1e6f)},
        {SETTINGS(.brute_force_below = 1, .hierarchy_factor = 1.3f, .cell_size = 0.5f)},
        {.update = BP_UPDATE_INDIVIDUAL, SETTINGS(.brute_force_below = 1)},
        {.update = BP_UPDATE_REBUILD, SETTINGS(.brute_force_below = 1)},
        {.margin = 0.1f, SETTINGS(.brute_force_below = 1)},
        {SETTINGS(.brute_force_below = 1, .simd = BP_SIMD_SCALAR)},
        {SETTINGS(.brute_force_below = 1, .simd = BP_SIMD_AVX2)},
        {SETTINGS(.brute_force_below = 1, .simd = BP_SIMD_NEON)},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(options); ++i) {
        bp_config config = options[i];
        config.method = BP_METHOD_HIERARCHICAL_GRID;
        const bool runs = has_simd(config.settings->simd);
        for (size_t scene = 0; scene < QUERY_SCENES && runs; ++scene) {
            run_seeds(&config, &query_scenes[scene], false, 500);
        }
    }
}

// Many small updates, so that the grid is patched, and objects leave it.
static void a_patched_grid_agrees_with_loops(void **state) {
    const bp_config config = {.method = BP_METHOD_HIERARCHICAL_GRID};
    (void)state;
    for (size_t scene = 0; scene < QUERY_SCENES; ++scene) {
        bout *b = begin(&config, &query_scenes[scene], false, 77 + scene);
        add_some(b, quick() ? 1500 : 5000);
        for (b->step = 1; b->step <= 40; ++b->step) {
            move_some(b, 40, 0.3);
            add_some(b, rng_below(&b->random, 3));
            remove_some(b, rng_below(&b->random, 3));
            update(b);
            if (b->step % 8 == 0) {
                ask(b, QUESTIONS);
                move_some(b, 10, 0.3);
                ask(b, QUESTIONS);
            }
        }
        end(b);
    }
}

// With settings under which methods work on other boxes than the caller's.
static void worlds_in_64_bits_agree_with_loops(void **state) {
    static const bp_config options[] = {
        {.dimensions = 3},           {.dimensions = 2},
        {.margin = 0.05f},           {.update = BP_UPDATE_INDIVIDUAL},
        {.period = {9, 0, 7}},       {.period = {9, 9, 9}, .margin = 0.01f},
        {.shape = BP_SHAPE_SPHERES},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(options); ++i) {
        bp_config config = options[i];
        config.method = BP_METHOD_HIERARCHICAL_GRID;
        config.settings = &ALWAYS_A_GRID;
        for (size_t scene = 0; scene < QUERY_SCENES; ++scene) {
            run_seeds(&config, &query_scenes[scene], true, quick() ? 60 : 100);
            if (config.shape == BP_SHAPE_SPHERES) {
                run_seeds(&config, &query_scenes[scene], false, quick() ? 60 : 100);
            }
        }
    }
}

// All boxes are wrapped, also by the naive loops.
static void periodic_worlds_agree_with_loops(void **state) {
    static const bp_method methods[] = {BP_METHOD_HIERARCHICAL_GRID, BP_METHOD_BRUTE_FORCE};
    static const float periods[][3] = {{10, 10, 10}, {7, 0, 0}, {0, 13.5f, 0}, {3, 40, 11}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(methods) * COUNT_OF(periods); ++i) {
        bp_config config = {.method = methods[i % 2], .dimensions = i == 4 ? 2 : 3, SETTINGS(.brute_force_below = 1)};
        memcpy(config.period, periods[i / 2], sizeof config.period);
        for (size_t scene = 0; scene < QUERY_SCENES; ++scene) {
            run_seeds(&config, &query_scenes[scene], false, quick() ? 50 : 80);
        }
    }
}

// ---- chosen cases ---------------------------------------------------------------------------------------------------

// Unit cubes side by side, from 0 to 4 along each axis, and one ray.
static void expect_ray(bp_ray ray, const bp_ray_hit *expected, size_t count) {
    const bp_config config = {SETTINGS(.brute_force_below = 1)};
    bp_ray_hit hits[64];
    bp_world *world;
    size_t found = 0;
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    for (int i = 0; i < 64; ++i) {
        const bp_box box = cube_of((float)(i % 4), (float)(i / 4 % 4), (float)(i / 16), 1);
        assert_int_equal(bp_add(world, &box, NULL, NULL), BP_OK);
    }
    assert_int_equal(bp_update(world, NULL), BP_OK);
    assert_int_equal(bp_query_ray(world, &ray, NULL, hits, 64, &found), BP_OK);
    assert_int_equal(found, count);
    assert_memory_equal(hits, expected, count * sizeof *hits);
    bp_world_destroy(world);
}

static void rays_meet_faces_edges_and_corners(void **state) {
    (void)state;
    // in the middle of a row, along it and back
    expect_ray((bp_ray){{-1, 0.5f, 0.5f}, {1, 0, 0}, INFINITY}, (bp_ray_hit[]){{0, 1}, {1, 2}, {2, 3}, {3, 4}}, 4);
    expect_ray((bp_ray){{5, 0.5f, 0.5f}, {-2, 0, 0}, INFINITY}, (bp_ray_hit[]){{3, 0.5f}, {2, 1}, {1, 1.5f}, {0, 2}},
               4);
    // in the face between two rows
    expect_ray((bp_ray){{-1, 1, 0.5f}, {2, 0, 0}, 1}, (bp_ray_hit[]){{0, 0.5f}, {4, 0.5f}, {1, 1}, {5, 1}}, 4);
    // along the edge of four, as far as their first faces
    expect_ray((bp_ray){{-1, 1, 1}, {1, 0, 0}, 1}, (bp_ray_hit[]){{0, 1}, {4, 1}, {16, 1}, {20, 1}}, 4);
    // along an outer edge, and past it
    expect_ray((bp_ray){{0, 0, -3}, {0, 0, 1}, 3}, (bp_ray_hit[]){{0, 3}}, 1);
    expect_ray((bp_ray){{-0.001f, 0, -3}, {0, 0, 1}, INFINITY}, NULL, 0);
    // through a corner, from outside
    expect_ray((bp_ray){{-1, -1, -1}, {0.5f, 0.5f, 0.5f}, 2}, (bp_ray_hit[]){{0, 2}}, 1);
    expect_ray((bp_ray){{-1, 1, 0}, {1, -1, 0}, INFINITY}, (bp_ray_hit[]){{0, 1}}, 1);
    // begins inside, leaves, and does not get any further
    expect_ray((bp_ray){{0.5f, 0.5f, 0.5f}, {0, 4, 0}, 0.25f}, (bp_ray_hit[]){{0, 0}, {4, 0.125f}}, 2);
    // a point
    expect_ray((bp_ray){{0.5f, 0.5f, 0.5f}, {1, 1, 1}, 0}, (bp_ray_hit[]){{0, 0}}, 1);
    // away from everything
    expect_ray((bp_ray){{-1, 0.5f, 0.5f}, {-1, 0, 0}, INFINITY}, NULL, 0);
    // lengths of all kinds
    expect_ray((bp_ray){{-1, 0.5f, 0.5f}, {1e-45f, 0, 0}, FLT_MAX}, NULL, 0);
    expect_ray((bp_ray){{-1, 0.5f, 0.5f}, {0x1p127f, 0, 0}, 0x1p-127f}, (bp_ray_hit[]){{0, 0x1p-127f}}, 1);
}

static void infinite_boxes_are_met(void **state) {
    static const bp_box boxes[] = {
        {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, 0}}, // the ground
        {{5, -INFINITY, -INFINITY}, {5, INFINITY, INFINITY}},         // a plane
        {{INFINITY, INFINITY, INFINITY}, {INFINITY, INFINITY, INFINITY}},
    };
    const bp_ray down = {{0, 0, 10}, {1, 0, -1}, INFINITY};
    const float point[3] = {2, 0, 1};
    bp_ray_hit hits[4];
    bp_near near[4];
    bp_world *world;
    size_t found;
    (void)state;
    assert_int_equal(bp_world_create(NULL, &world), BP_OK);
    assert_int_equal(bp_add_many(world, 3, boxes, NULL, NULL), BP_OK);
    assert_int_equal(bp_query_ray(world, &down, NULL, hits, 4, &found), BP_OK);
    assert_int_equal(found, 2);
    assert_memory_equal(hits, ((bp_ray_hit[]){{1, 5}, {0, 10}}), 2 * sizeof *hits);
    assert_int_equal(bp_query_nearest(world, point, 4, NULL, near, &found), BP_OK);
    assert_int_equal(found, 3);
    assert_memory_equal(near, ((bp_near[]){{0, 1}, {1, 3}, {2, INFINITY}}), 3 * sizeof *near);
    bp_world_destroy(world);
}

// Four cells per axis, each of edge 1, and objects that go so far that it is the same cell again.
static void objects_may_go_far_in_a_folded_grid(void **state) {
    const bp_config config = {.method = BP_METHOD_HIERARCHICAL_GRID,
                              SETTINGS(.brute_force_below = 1, .hierarchy_factor = 2.0f, .cell_size = 1.0f,
                                       .grid_size = {4, 4, 4}, .grid_load = 1e6f)};
    bp_world *world;
    (void)state;
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    for (int i = 0; i < 256; ++i) {
        const bp_box box = cube_of((float)(i % 4) + 0.1f, (float)(i / 4 % 4) + 0.1f, (float)(i / 16 % 4) + 0.1f, 0.7f);
        assert_int_equal(bp_add(world, &box, NULL, NULL), BP_OK);
    }
    for (bp_id id = 0; id < 12; ++id) { // few change, again and again: the grid is patched
        const bp_box box = cube_of(0.1f + 400.0f * (float)(id + 1), 0.1f, 0.1f, 0.7f);
        const bp_ray ray = {{box.min[0] - 8.0f, 0.5f, 0.5f}, {1, 0, 0}, 20};
        const float point[3] = {box.min[0] + 2.0f, 0.5f, 0.5f};
        bp_ray_hit hit;
        bp_near near;
        assert_int_equal(bp_move(world, id, &box), BP_OK);
        assert_int_equal(bp_update(world, NULL), BP_OK);
        assert_int_equal(bp_query_ray(world, &ray, NULL, &hit, 1, NULL), BP_OK);
        assert_int_equal(hit.id, id);
        assert_int_equal(bp_query_nearest(world, point, 1, NULL, &near, NULL), BP_OK);
        assert_int_equal(near.id, id);
    }
    bp_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_meet_faces_edges_and_corners),
        cmocka_unit_test(infinite_boxes_are_met),
        cmocka_unit_test(objects_may_go_far_in_a_folded_grid),
        cmocka_unit_test(every_method_agrees_with_loops),
        cmocka_unit_test(every_form_of_the_grid_agrees_with_loops),
        cmocka_unit_test(a_patched_grid_agrees_with_loops),
        cmocka_unit_test(periodic_worlds_agree_with_loops),
        cmocka_unit_test(worlds_in_64_bits_agree_with_loops),
    };
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    print_table();
    return failures;
}
