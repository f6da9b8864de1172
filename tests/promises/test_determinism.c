// The same bytes for every number of tasks, every executor and every instruction set.
//
// BP_TEST_QUICK=1: a thirteenth of the scenes, and fewer objects. Of all scenes, a world is tried in a third of the ways,
// another third for the next scene, method and strategy; BP_TEST_LONG=1: in all of them.
#include "support/support.h"

#include "scenes.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 5000, SMALL_QUICK = 800, LARGE = 100000, LARGE_QUICK = 5000, STEPS = 7, SEED = 7 };

typedef bp_executor (*executor_maker)(uint32_t workers);

static bp_executor default_executor(uint32_t workers) {
    (void)workers;
    return (bp_executor){0};
}

// The reference is one thread, scalar; everything else must give its bytes.
typedef struct way {
    const char *name;
    executor_maker executor;
    uint32_t workers;
    bp_simd simd;
} way;

static const way WAYS[] = {
    {"default executor", default_executor, 1, BP_SIMD_SCALAR},
    {"default executor", default_executor, 2, BP_SIMD_SCALAR},
    {"default executor", default_executor, 3, BP_SIMD_AVX2},
    {"default executor", default_executor, 8, BP_SIMD_AVX512},
    {"default executor", default_executor, 1, BP_SIMD_AVX2},
    {"default executor", default_executor, 1, BP_SIMD_AVX512},
    {"default executor", default_executor, 3, BP_SIMD_NEON},
    {"threads", thread_executor, 1, BP_SIMD_AUTO},
    {"threads", thread_executor, 2, BP_SIMD_AUTO},
    {"threads", thread_executor, 3, BP_SIMD_SCALAR},
    {"threads", thread_executor, 8, BP_SIMD_AUTO},
    {"reverse order", reverse_executor, 2, BP_SIMD_AUTO},
    {"reverse order", reverse_executor, 3, BP_SIMD_AVX2},
    {"reverse order", reverse_executor, 8, BP_SIMD_SCALAR},
    {"reverse order", reverse_executor, 64, BP_SIMD_AUTO},
};

// Options that lead to different structures.
static const bp_config OPTIONS[] = {
    {0},
    {SETTINGS(.hierarchy_factor = 2.0f)},
    {SETTINGS(.brute_force_below = 1000000)},
};

// Methods that work in several tasks. What others do depends on nothing but the input.
static bool has_tasks(size_t method) {
    return method != BP_METHOD_AUTO && (bp_method_supports(method) & BP_SUPPORTS_THREADS) != 0;
}

// The config points to `settings`, which gets those of the options, and the way's instruction set.
static bp_config config_for(size_t method, const bp_config *options, const way *w, bp_method_settings *settings) {
    bp_config config = *options;
    config.method = (bp_method)method;
    config.threads = (int32_t)w->workers;
    config.executor = w->executor(w->workers);
    *settings = settings_of(options);
    settings->simd = w->simd;
    config.settings = settings;
    return config;
}

static scene *open_scene(const char *name, size_t count) {
    const scene_options options = {.count = count, .seed = SEED};
    const char *error = NULL;
    scene *opened = scene_create(name, &options, &error);
    if (opened == NULL) {
        fail_msg("scene %s: %s", name, error);
    }
    return opened;
}

// Scenes whose pairs grow with the square of the objects get fewer objects.
static size_t size_for(const char *name) {
    return strcmp(name, "identical") == 0 ? 400 : quick() ? SMALL_QUICK : SMALL;
}

static void report_skipped(void) {
    for (size_t i = 0; i < COUNT_OF(WAYS); ++i) {
        if (!has_simd(WAYS[i].simd)) {
            print_message("skipped: %s, %u tasks: no %s here\n", WAYS[i].name, WAYS[i].workers,
                          simd_text(WAYS[i].simd));
        }
    }
}

// ---- one call -------------------------------------------------------------------------------------------------------

static void check_method_calls(size_t method, const char *name, const scene *subject, const bp_config *options) {
    bp_pairs reference = {0};
    for (size_t i = 0; i < COUNT_OF(WAYS); ++i) {
        if (!has_simd(WAYS[i].simd)) {
            continue;
        }
        bp_method_settings settings;
        const bp_config config = config_for(method, options, &WAYS[i], &settings);
        bp_pairs pairs = {0};
        char text[CONFIG_TEXT];
        assert_int_equal(bp_find_pairs(scene_boxes(subject), scene_box_count(subject), &config, &pairs), BP_OK);
        if (i == 0) {
            reference = pairs;
            continue;
        }
        expect_same_bytes(pairs.data, pairs.count, reference.data, reference.count, "scene=%s n=%zu seed=%d %s: %s",
                          name, scene_box_count(subject), SEED, WAYS[i].name, config_text(&config, text));
        bp_pairs_free(&pairs, &config);
    }
    bp_pairs_free(&reference, NULL);
}

static void check_calls(const char *name, const scene *subject, size_t option_count) {
    for (size_t method = 0; method < bp_method_count(); ++method) {
        const size_t options = method == BP_METHOD_HIERARCHICAL_GRID ? option_count : 1;
        for (size_t option = 0; option < options && has_tasks(method); ++option) {
            check_method_calls(method, name, subject, &OPTIONS[option]);
        }
    }
}

static void a_call_gives_the_same_bytes_on_every_scene(void **state) {
    (void)state;
    report_skipped();
    for (size_t i = 0; i < scene_count(); i += quick() ? 13 : 1) {
        scene *subject = open_scene(scene_name(i), size_for(scene_name(i)));
        check_calls(scene_name(i), subject, COUNT_OF(OPTIONS));
        scene_destroy(subject);
    }
}

static void a_call_gives_the_same_bytes_for_many_objects(void **state) {
    (void)state;
    static const char *const names[] = {"uniform", "very-polydisperse"};
    for (size_t i = 0; i < COUNT_OF(names); ++i) {
        scene *subject = open_scene(names[i], quick() ? LARGE_QUICK : LARGE);
        check_calls(names[i], subject, 2);
        scene_destroy(subject);
    }
}

static void check_between(size_t method, const scene *subject) {
    const size_t half = scene_box_count(subject) / 2;
    bp_pairs reference = {0};
    for (size_t i = 0; i < COUNT_OF(WAYS); ++i) {
        if (!has_simd(WAYS[i].simd)) {
            continue;
        }
        bp_method_settings settings;
        const bp_config config = config_for(method, &OPTIONS[0], &WAYS[i], &settings);
        const bp_box *a = scene_boxes(subject), *b = a + half;
        bp_pairs pairs = {0};
        char text[CONFIG_TEXT];
        assert_int_equal(bp_find_pairs_between(a, half, b, half, &config, i == 0 ? &reference : &pairs), BP_OK);
        if (i > 0) {
            expect_same_bytes(pairs.data, pairs.count, reference.data, reference.count, "between, %s: %s", WAYS[i].name,
                              config_text(&config, text));
        }
        bp_pairs_free(&pairs, &config);
    }
    bp_pairs_free(&reference, NULL);
}

static void a_call_between_sets_gives_the_same_bytes(void **state) {
    (void)state;
    scene *subject = open_scene("mixed", quick() ? LARGE_QUICK : LARGE);
    for (size_t method = 0; method < bp_method_count(); ++method) {
        if (has_tasks(method) && (bp_method_supports(method) & BP_SUPPORTS_BETWEEN) != 0) {
            check_between(method, subject);
        }
    }
    scene_destroy(subject);
}

// ---- worlds ---------------------------------------------------------------------------------------------------------

// A scene and its boxes at every step, computed once: worlds of all methods and ways follow them.
typedef struct film {
    const char *name;
    size_t number;  // of the scene
    bool every_way; // that a world can be tried in
    size_t count;   // boxes of a step
    bp_box *boxes;
} film;

static film film_of(const char *name, size_t count) {
    scene *subject = open_scene(name, count);
    film f = {.name = name, .count = scene_box_count(subject)};
    f.boxes = obtain(f.count * (STEPS + 1), sizeof *f.boxes);
    for (size_t step = 0; step <= STEPS; ++step) {
        memcpy(f.boxes + step * f.count, scene_boxes(subject), f.count * sizeof *f.boxes);
        scene_step(subject);
    }
    scene_destroy(subject);
    return f;
}

// The pairs and events of all steps, one after the other. At first all objects move, then few, so that the world
// changes its ways.
static pair_list record(const film *f, const bp_config *config) {
    pair_list all = {0};
    bp_world *world = NULL;
    bp_result result;
    assert_int_equal(bp_world_create(config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, f->count, f->boxes, NULL, NULL), BP_OK);
    for (size_t step = 0; step < STEPS; ++step) {
        const size_t moved = step == 0 ? f->count : f->count / 20;
        assert_int_equal(bp_update(world, &result), BP_OK);
        pair_list_append(&all, result.pairs, result.pair_count);
        pair_list_append(&all, result.begun, result.begun_count);
        pair_list_append(&all, result.ended, result.ended_count);
        assert_int_equal(bp_move_many(world, moved, NULL, f->boxes + (step + 1) * f->count), BP_OK);
    }
    bp_world_destroy(world);
    return all;
}

// Whether a world is tried in that way: all of them, or every third, which is another one for the next scene, method and
// strategy. The reference always is.
static bool is_due(size_t way_index, const film *f, size_t method, bp_update_strategy strategy) {
    return way_index == 0 || f->every_way || (way_index + f->number + method + (size_t)strategy) % 3 == 0;
}

static void check_method_worlds(size_t method, const film *f, bp_update_strategy strategy) {
    pair_list reference = {0};
    for (size_t i = 0; i < COUNT_OF(WAYS); ++i) {
        if (!has_simd(WAYS[i].simd) || !is_due(i, f, method, strategy)) {
            continue;
        }
        bp_method_settings settings;
        bp_config config = config_for(method, &OPTIONS[0], &WAYS[i], &settings);
        config.update = strategy;
        config.flags = BP_EVENTS;
        pair_list pairs = record(f, &config);
        char text[CONFIG_TEXT];
        if (i == 0) {
            reference = pairs;
            continue;
        }
        expect_same_bytes(pairs.data, pairs.count, reference.data, reference.count,
                          "world, %d steps: scene=%s n=%zu seed=%d %s: %s", STEPS, f->name, f->count, SEED,
                          WAYS[i].name, config_text(&config, text));
        pair_list_free(&pairs);
    }
    pair_list_free(&reference);
}

static void check_worlds(const film *f, bp_update_strategy strategy) {
    for (size_t method = 0; method < bp_method_count(); ++method) {
        if (has_tasks(method) && (strategy != BP_UPDATE_INDIVIDUAL || is_incremental(method))) {
            check_method_worlds(method, f, strategy);
        }
    }
}

static void a_world_gives_the_same_bytes_at_every_step(void **state) {
    (void)state;
    for (size_t i = 0; i < scene_count(); i += quick() ? 13 : 1) {
        film f = film_of(scene_name(i), size_for(scene_name(i)));
        f.number = i;
        f.every_way = (quick() && !shortest()) || longest();
        for (int strategy = BP_UPDATE_AUTOMATIC; strategy <= (quick() ? BP_UPDATE_INDIVIDUAL : BP_UPDATE_REBUILD);
             ++strategy) {
            check_worlds(&f, (bp_update_strategy)strategy);
        }
        free(f.boxes);
    }
}

static void a_world_gives_the_same_bytes_for_many_objects(void **state) {
    (void)state;
    film f = film_of("mixed", quick() ? LARGE_QUICK : LARGE);
    f.every_way = !shortest();
    check_worlds(&f, BP_UPDATE_AUTOMATIC);
    free(f.boxes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_gives_the_same_bytes_on_every_scene),
        cmocka_unit_test(a_call_gives_the_same_bytes_for_many_objects),
        cmocka_unit_test(a_call_between_sets_gives_the_same_bytes),
        cmocka_unit_test(a_world_gives_the_same_bytes_at_every_step),
        cmocka_unit_test(a_world_gives_the_same_bytes_for_many_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
