// Every method, on every scene, with every option it supports, against the naive oracle.
//
// At the small size all options meet all ways of running; at the large size each option meets one of them in turn.
// Every scene is also taken in the dimensions that are not its own, with fewer objects.
// BP_TEST_QUICK=1 makes the large size smaller; BP_TEST_SEED=n chooses other scenes.
#include "support/support.h"

#include "scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALL = 2000,
    LARGE = 20000,
    LARGE_FOREIGN = 6000,
    LARGE_QUICK = 4000,
    PAIRS_LEAST = 20000,
    PAIRS_MOST = 400000
};

// What only the grid understands.
static const bp_config GRID_OPTIONS[] = {
    {0},
    {SETTINGS(.hierarchy_factor = 1.25f)},
    {SETTINGS(.hierarchy_factor = 2.0f)},
    {SETTINGS(.hierarchy_factor = 4.0f)},
    {SETTINGS(.cell_size = 1.5f)},
    {SETTINGS(.cell_size = 0.3f, .hierarchy_factor = 3.0f)},
    {SETTINGS(.grid_size = {4, 16, 8})},
    {SETTINGS(.grid_size = {4, 16, 8}, .hierarchy_factor = 2.0f)},
    {SETTINGS(.grid_load = 8.0f, .grid_size = {4, 4, 4})},
    {SETTINGS(.grid_load = 0.05f)},
    {SETTINGS(.grid_load = 100.0f, .hierarchy_factor = 2.0f)},
    {SETTINGS(.brute_force_below = 1)},
    {SETTINGS(.brute_force_below = LARGE / 2)}, // all pairs at the small size only
};

// Those of the grids that may enter an object in several cells.
static const bp_config ENTRY_OPTIONS[] = {{0}, {SETTINGS(.grid_entries = BP_ENTRIES_FOOTPRINT)}};

// How it is run.
static const bp_config RUNS[] = {
    {.threads = 1},
    {.threads = 1, SETTINGS(.simd = BP_SIMD_SCALAR)},
    {.threads = 3, SETTINGS(.simd = BP_SIMD_AVX2)},
    {.threads = 2, .pair_order = BP_ORDER_SORTED, SETTINGS(.simd = BP_SIMD_AVX512)},
    {.threads = 8, .pair_order = BP_ORDER_SORTED},
    {.threads = 3, .pair_order = BP_ORDER_SORTED, SETTINGS(.simd = BP_SIMD_SCALAR)},
    {.threads = 1, SETTINGS(.simd = BP_SIMD_AVX512)},
    {.threads = 1, SETTINGS(.simd = BP_SIMD_NEON)},
    {.threads = 1, .pair_order = BP_ORDER_SORTED, SETTINGS(.simd = BP_SIMD_AVX2)},
};

static const bp_update_strategy STRATEGIES[] = {BP_UPDATE_AUTOMATIC, BP_UPDATE_INDIVIDUAL, BP_UPDATE_REBUILD};

// One scene at one size: its boxes, the same a step earlier, and the right answer.
typedef struct subject {
    const char *scene;
    uint64_t seed;
    uint32_t dimensions;
    bool foreign; // not the dimensions that the scene is made for
    size_t count;
    bp_box *before, *boxes;
    pair_list expected;
} subject;

typedef struct tally {
    size_t combinations, pairs, skipped;
} tally;

static tally total;

static bp_box *copy_boxes(const scene *source) {
    bp_box *boxes = obtain(scene_box_count(source), sizeof *boxes);
    memcpy(boxes, scene_boxes(source), scene_box_count(source) * sizeof *boxes);
    return boxes;
}

static subject prepare(const char *name, size_t count, uint32_t dimensions) {
    subject s = {.scene = name, .seed = environment_number("BP_TEST_SEED", 7), .dimensions = dimensions};
    const scene_options options = {.count = count, .seed = s.seed};
    const char *error = NULL;
    scene *source = scene_create(name, &options, &error);
    if (source == NULL) {
        fail_msg("scene %s: %s", name, error);
    }
    s.count = scene_box_count(source);
    s.foreign = dimensions != scene_dimensions(source);
    s.before = copy_boxes(source);
    scene_step(source);
    s.boxes = copy_boxes(source);
    scene_destroy(source);
    s.expected = naive_pairs(s.boxes, s.count, dimensions);
    return s;
}

static void release(subject *s) {
    free(s->before);
    free(s->boxes);
    pair_list_free(&s->expected);
}

// The config points to `settings`, which gets those of the grid, and the run's instruction set.
static bp_config combine(const subject *s, size_t method, const bp_config *grid, const bp_config *run,
                         bp_method_settings *settings) {
    bp_config config = *grid;
    config.method = (bp_method)method;
    config.dimensions = s->dimensions;
    config.threads = run->threads;
    *settings = settings_of(grid);
    settings->simd = settings_of(run).simd;
    config.settings = settings;
    config.pair_order = run->pair_order;
    return config;
}

static void compare(const subject *s, const bp_config *config, const char *how, const bp_pair *pairs, size_t count) {
    char text[CONFIG_TEXT];
    if (config->pair_order == BP_ORDER_SORTED) {
        expect_same_bytes(pairs, count, s->expected.data, s->expected.count, "%s: scene=%s n=%zu seed=%llu %s", how,
                          s->scene, s->count, (unsigned long long)s->seed, config_text(config, text));
    } else {
        expect_pairs(pairs, count, &s->expected, "%s: scene=%s n=%zu seed=%llu %s", how, s->scene, s->count,
                     (unsigned long long)s->seed, config_text(config, text));
    }
    ++total.combinations;
    total.pairs += count;
}

static bool is_skipped(const bp_config *config) {
    const bool skipped = !has_simd(settings_of(config).simd);
    total.skipped += skipped ? 1 : 0;
    return skipped;
}

static void check_call(const subject *s, const bp_config *config) {
    if (!in_turn() || is_skipped(config)) {
        return;
    }
    bp_pairs pairs = {0};
    assert_int_equal(bp_find_pairs(s->boxes, s->count, config, &pairs), BP_OK);
    compare(s, config, "bp_find_pairs", pairs.data, pairs.count);
    bp_pairs_free(&pairs, config);
}

static void move_some(const subject *s, bp_world *world, bool every_twentieth) {
    for (bp_id id = 0; id < s->count; ++id) {
        if ((id % 20 == 0) == every_twentieth && memcmp(&s->before[id], &s->boxes[id], sizeof(bp_box)) != 0) {
            assert_int_equal(bp_move(world, id, &s->boxes[id]), BP_OK);
        }
    }
}

// The world sees the boxes of a step earlier first; then most move on, then the few that are left.
static void check_world(const subject *s, bp_config config, bp_update_strategy strategy) {
    config.update = strategy;
    bp_world *world = NULL;
    bp_result result;
    if (!in_turn() || is_skipped(&config)) {
        return;
    }
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, s->count, s->before, NULL, NULL), BP_OK);
    assert_int_equal(bp_update(world, NULL), BP_OK);
    move_some(s, world, false);
    assert_int_equal(bp_update(world, NULL), BP_OK);
    move_some(s, world, true);
    assert_int_equal(bp_update(world, &result), BP_OK);
    compare(s, &config, "world", result.pairs, result.pair_count);
    assert_int_equal(bp_world_validate(world), BP_OK);
    bp_world_destroy(world);
}

static void check_strategies(const subject *s, size_t method, const bp_config *config) {
    for (size_t i = 0; i < COUNT_OF(STRATEGIES); ++i) {
        if (STRATEGIES[i] != BP_UPDATE_INDIVIDUAL || is_incremental(method)) {
            check_world(s, *config, STRATEGIES[i]);
        }
    }
}

// Where a method's options are, and how many; the first one is the default.
static const bp_config *options_of(size_t method, size_t *count) {
    const bool grid = method == BP_METHOD_HIERARCHICAL_GRID;
    const bool entries = method == BP_METHOD_COMPACT_GRID || method == BP_METHOD_CUCKOO_GRID;
    *count = grid ? COUNT_OF(GRID_OPTIONS) : entries ? COUNT_OF(ENTRY_OPTIONS) : 1;
    return grid ? GRID_OPTIONS : ENTRY_OPTIONS;
}

// Every option in every way; what takes no options and no threads, in fewer.
static void check_all(const subject *s, size_t method) {
    const size_t runs = (bp_method_supports(method) & BP_SUPPORTS_THREADS) != 0 ? COUNT_OF(RUNS) : 4;
    size_t count;
    const bp_config *options = options_of(method, &count);
    for (size_t i = 0; i < count; ++i) {
        bp_method_settings settings;
        for (size_t run = 0; run < runs; ++run) {
            const bp_config config = combine(s, method, &options[i], &RUNS[run], &settings);
            check_call(s, &config);
        }
        const bp_config config = combine(s, method, &options[i], &RUNS[i % COUNT_OF(RUNS)], &settings);
        check_strategies(s, method, &config);
    }
}

// Every option in some way, and every way at least once. What takes no options runs once,
// where there are fewer objects: it may be quadratic.
static void check_some(const subject *s, size_t method) {
    const bool grid = method == BP_METHOD_HIERARCHICAL_GRID;
    size_t count;
    const bp_config *options = options_of(method, &count);
    bp_method_settings settings;
    for (size_t i = 0; i < count && (grid || s->foreign); ++i) {
        const bp_config config = combine(s, method, &options[i], &RUNS[i % COUNT_OF(RUNS)], &settings);
        check_call(s, &config);
        if (is_incremental(method)) {
            check_world(s, config, BP_UPDATE_INDIVIDUAL);
        }
    }
    for (size_t run = 0; grid && run < COUNT_OF(RUNS); ++run) {
        const bp_config config = combine(s, method, &GRID_OPTIONS[0], &RUNS[run], &settings);
        check_call(s, &config);
    }
}

static bool supports(size_t method, uint32_t dimensions) {
    return dimensions == 3 || (bp_method_supports(method) & BP_SUPPORTS_2D) != 0;
}

static void check_subject(const subject *s, bool all) {
    for (size_t method = 0; method < bp_method_count(); ++method) {
        if (supports(method, s->dimensions) && all) {
            check_all(s, method);
        } else if (supports(method, s->dimensions)) {
            check_some(s, method);
        }
    }
}

// As many objects as do not give too many pairs, where these grow with the square of the objects.
static size_t affordable(const subject *probe, size_t wanted, size_t pairs_most) {
    const double quadratic = (double)probe->count * sqrt((double)pairs_most / ((double)probe->expected.count + 1.0));
    return quadratic < (double)wanted ? (size_t)quadratic : wanted;
}

static void check_scene(const char *name, uint32_t dimensions) {
    subject s = prepare(name, SMALL, dimensions);
    const size_t small = affordable(&s, SMALL, PAIRS_LEAST);
    const size_t large = affordable(&s, quick() ? LARGE_QUICK : s.foreign ? LARGE_FOREIGN : LARGE, PAIRS_MOST);
    if (small < SMALL) {
        release(&s);
        s = prepare(name, small, dimensions);
    }
    check_subject(&s, true);
    release(&s);
    s = prepare(name, large, dimensions);
    check_subject(&s, false);
    release(&s);
}

static void check_dimensions(uint32_t dimensions) {
    total = (tally){0};
    for (size_t i = 0; i < scene_count(); ++i) {
        check_scene(scene_name(i), dimensions);
    }
    print_message(
        "%u-D: %zu scenes, %zu combinations, %zu pairs compared, %zu skipped for want of an instruction set\n",
        dimensions, scene_count(), total.combinations, total.pairs, total.skipped);
}

static void finds_what_the_oracle_finds_in_3d(void **state) {
    (void)state;
    check_dimensions(3);
}

static void finds_what_the_oracle_finds_in_2d(void **state) {
    (void)state;
    check_dimensions(2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_the_oracle_finds_in_3d),
        cmocka_unit_test(finds_what_the_oracle_finds_in_2d),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
