// One hash for each scene, in tests/promises/golden/scenes.txt: the same for every method, number of tasks, instruction
// set, compiler and optimisation. It is over the sorted pairs, and those that have begun and ended, of some steps.
//
//     test_golden            compares with the file
//     test_golden --write    prints what the file should hold
//     test_golden --found    prints a hash for each scene and method, over the pairs in the order found:
//                            tests/promises/golden.sh compares these between compilers
#include "support/support.h"

#include "scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OBJECTS = 1500, OBJECTS_OF_IDENTICAL = 150, STEPS = 3, SEED = 11, SCENES_MOST = 64 };

// ---- hashes --------------------------------------------------------------------------------------------------------

// FNV-1a, a word at a time: https://datatracker.ietf.org/doc/html/draft-eastlake-fnv
static uint64_t hash_word(uint64_t hash, uint64_t word) {
    for (int i = 0; i < 8; ++i) {
        hash = (hash ^ (word >> 8 * i & 255)) * 0x100000001b3u;
    }
    return hash;
}

static uint64_t hash_pairs(uint64_t hash, const bp_pair *pairs, size_t count) {
    hash = hash_word(hash, count);
    for (size_t i = 0; i < count; ++i) {
        hash = hash_word(hash, (uint64_t)pairs[i].a << 32 | pairs[i].b);
    }
    return hash;
}

static scene *open_scene(const char *name) {
    const scene_options options = {.count = strcmp(name, "identical") == 0 ? OBJECTS_OF_IDENTICAL : OBJECTS,
                                   .seed = SEED};
    const char *error = NULL;
    scene *opened = scene_create(name, &options, &error);
    if (opened == NULL) {
        fail_msg("scene %s: %s", name, error);
    }
    return opened;
}

// All objects move, then one in twenty.
static uint64_t hash_scene(const char *name, bp_config config) {
    uint64_t hash = 0xcbf29ce484222325u;
    scene *subject = open_scene(name);
    bp_world *world = NULL;
    bp_result result;
    config.flags = BP_EVENTS;
    config.dimensions = scene_dimensions(subject);
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, scene_box_count(subject), scene_boxes(subject), NULL, NULL), BP_OK);
    for (size_t step = 0; step < STEPS; ++step) {
        const size_t moved = scene_box_count(subject) / (step == 0 ? 1 : 20);
        assert_int_equal(bp_update(world, &result), BP_OK);
        hash = hash_pairs(hash, result.pairs, result.pair_count);
        hash = hash_pairs(hash, result.begun, result.begun_count);
        hash = hash_pairs(hash, result.ended, result.ended_count);
        scene_step(subject);
        assert_int_equal(bp_move_many(world, moved, NULL, scene_boxes(subject)), BP_OK);
    }
    bp_world_destroy(world);
    scene_destroy(subject);
    return hash;
}

// ---- the file ------------------------------------------------------------------------------------------------------

typedef struct golden {
    char name[64];
    unsigned long long hash;
} golden;

static size_t read_golden(golden list[SCENES_MOST]) {
    FILE *file = fopen(BROADPHASE_GOLDEN "/scenes.txt", "r");
    size_t count = 0;
    assert_non_null(file);
    while (count < SCENES_MOST && fscanf(file, "%63s %llx", list[count].name, &list[count].hash) == 2) {
        ++count;
    }
    (void)fclose(file);
    return count;
}

static unsigned long long golden_of(const char *name) {
    golden list[SCENES_MOST];
    const size_t count = read_golden(list);
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(list[i].name, name) == 0) {
            return list[i].hash;
        }
    }
    fail_msg("tests/promises/golden/scenes.txt has no scene %s; test_golden --write prints what it should hold", name);
    return 0;
}

// ---- the ways ------------------------------------------------------------------------------------------------------

typedef struct way {
    bp_simd simd;
    uint32_t tasks;
    bool reversed; // the last first, one after the other; else in threads
    bp_grid_entries entries;
} way;

static const way WAYS[] = {
    {BP_SIMD_SCALAR, 1, false, 0}, {BP_SIMD_SCALAR, 2, false, 0}, {BP_SIMD_SCALAR, 3, true, BP_ENTRIES_FOOTPRINT},
    {BP_SIMD_AVX2, 1, true, 0},    {BP_SIMD_AVX2, 8, true, 0},    {BP_SIMD_AVX512, 1, true, 0},
    {BP_SIMD_AVX512, 3, false, 0}, {BP_SIMD_NEON, 2, true, 0},    {BP_SIMD_AUTO, 8, false, BP_ENTRIES_FOOTPRINT},
    {BP_SIMD_AUTO, 64, true, 0},
};

// The config points to `settings`, which gets those of the way.
static bp_config config_of(size_t method, const way *w, bp_method_settings *settings) {
    *settings = (bp_method_settings){.simd = w->simd, .grid_entries = w->entries};
    return (bp_config){.method = (bp_method)method,
                       .executor = w->reversed ? reverse_executor(w->tasks) : thread_executor(w->tasks),
                       .settings = settings};
}

static void check_scene(const char *name) {
    const unsigned long long expected = golden_of(name);
    for (size_t method = 1; method < bp_method_count(); ++method) {
        for (size_t i = 0; i < COUNT_OF(WAYS); ++i) {
            bp_method_settings settings;
            bp_config config = config_of(method, &WAYS[i], &settings);
            char text[CONFIG_TEXT];
            config.pair_order = BP_ORDER_SORTED;
            const unsigned long long hash = has_simd(settings.simd) ? hash_scene(name, config) : expected;
            if (hash != expected) {
                fail_msg("scene=%s n=%d seed=%d: %016llx instead of %016llx: %s", name, OBJECTS, SEED, hash, expected,
                         config_text(&config, text));
            }
        }
    }
}

static void every_scene_has_its_hash(void **state) {
    (void)state;
    for (size_t i = 0; i < scene_count(); i += shortest() ? 13 : quick() ? 5 : 1) {
        check_scene(scene_name(i));
    }
    report("thread counts compared", "1, 2, 3, 8, 64");
}

static void print_golden(void) {
    for (size_t i = 0; i < scene_count(); ++i) {
        const bp_config plain = {
            .method = BP_METHOD_BRUTE_FORCE, .pair_order = BP_ORDER_SORTED, SETTINGS(.simd = BP_SIMD_SCALAR)};
        (void)printf("%s %016llx\n", scene_name(i), (unsigned long long)hash_scene(scene_name(i), plain));
    }
}

static void print_found(void) {
    for (size_t i = 0; i < scene_count(); ++i) {
        for (size_t method = 1; method < bp_method_count(); ++method) {
            (void)printf("%s %s %016llx\n", scene_name(i), bp_method_name(method),
                         (unsigned long long)hash_scene(scene_name(i), (bp_config){.method = (bp_method)method}));
        }
    }
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_scene_has_its_hash)};
    if (count > 1) {
        strcmp(arguments[1], "--write") == 0 ? print_golden() : print_found();
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
