// compact-grid: its keys, its sorts and the choice between them.
#include "uniform_grid_checks.h"

#include "clock.h"
#include "config.h"
#include "key_sort.h"
#include "scenes.h"

#include <stdlib.h>
#include <string.h>

#define METHOD .method = BP_METHOD_COMPACT_GRID

static const bp_config CONFIGS[] = {
    {METHOD},
    {METHOD, .compact_keys = BP_KEYS_Z_CURVE},
    {METHOD, .compact_sort = BP_SORT_RADIX},
    {METHOD, .compact_sort = BP_SORT_ADAPTIVE},
    {METHOD, .compact_sort = BP_SORT_ADAPTIVE, .compact_keys = BP_KEYS_Z_CURVE},
    {METHOD, .cell_size = 0.7f, .memory_limit = 1 << 24},
    {METHOD, .cell_size = 0.7f, .memory_limit = 1 << 24, .compact_keys = BP_KEYS_Z_CURVE},
    {METHOD, .cell_size = 3.0f, .domain = {{0, 0, 0}, {5, 6, 7}}},
    {METHOD, .memory_limit = 4096},
};

static const variant_list VARIANTS = {CONFIGS, COUNT_OF(CONFIGS)};
static const variant_list KEYS = {CONFIGS, 2};

static void finds_all_pairs_of_every_scene(void **state) {
    (void)state;
    check_scenes(VARIANTS);
}

static void keeps_up_with_a_world(void **state) {
    (void)state;
    check_world((variant_list){CONFIGS, 5});
}

static void finds_pairs_between_sets(void **state) {
    (void)state;
    check_between(KEYS);
}

static void threads_do_not_show(void **state) {
    (void)state;
    check_threads((variant_list){CONFIGS, 5});
}

static void a_steady_step_allocates_nothing(void **state) {
    (void)state;
    check_steady_step((variant_list){CONFIGS, 5});
}

static void failing_memory_is_an_error(void **state) {
    (void)state;
    check_failing_memory(VARIANTS);
}

// The sort and the last order leave no trace in the pairs, if cells are the same.
static void sorts_give_the_same_bytes(void **state) {
    (void)state;
    bp_pair *expected = NULL;
    size_t expected_count = 0;
    for (int sort = BP_SORT_AUTOMATIC; sort <= BP_SORT_ADAPTIVE; ++sort) {
        const scene_options options = {.count = 20000, .seed = 3};
        const char *error = NULL;
        scene *subject = scene_create("low-motion", &options, &error);
        const bp_config config = {METHOD, .compact_sort = (bp_compact_sort)sort};
        bp_world *world = NULL;
        bp_result result;
        assert_int_equal(bp_world_create(&config, &world), BP_OK);
        assert_int_equal(bp_add_many(world, scene_box_count(subject), scene_boxes(subject), NULL, NULL), BP_OK);
        for (int step = 0; step < 5; ++step) {
            assert_int_equal(bp_update(world, &result), BP_OK);
            assert_int_equal(result.stats.sort, step == 0 || sort == BP_SORT_RADIX ? BP_SORT_RADIX : BP_SORT_ADAPTIVE);
            assert_true(step == 0 ? result.stats.changed_share == 1.0 : result.stats.changed_share < 0.05);
            scene_step(subject);
            assert_int_equal(bp_move_many(world, scene_box_count(subject), NULL, scene_boxes(subject)), BP_OK);
        }
        if (expected == NULL) {
            expected = obtain(result.pair_count, sizeof *expected);
            expected_count = result.pair_count;
            memcpy(expected, result.pairs, expected_count * sizeof *expected);
        }
        expect_same_bytes(result.pairs, result.pair_count, expected, expected_count, "sort %d", sort);
        bp_world_destroy(world);
        scene_destroy(subject);
    }
    free(expected);
}

// ---- the sorts by themselves ----------------------------------------------------------------------------------------

enum { ENTRIES = 128000, ROUNDS = 30, SORTS = 3 };

// Best times over the rounds, for one share of keys that change.
static void time_sorts(double share, double best[SORTS]) {
    rng random = rng_seeded(1);
    uint32_t *keys = obtain(ENTRIES, sizeof *keys);
    bp_key_sort sorts[SORTS] = {{.count = 0}};
    bp_config configs[SORTS];
    for (int sort = 0; sort < SORTS; ++sort) {
        assert_int_equal(bp_config_complete(&(bp_config){.compact_sort = (bp_compact_sort)sort}, &configs[sort]),
                         BP_OK);
        best[sort] = 1e9;
    }
    for (int round = 0; round < ROUNDS; ++round) {
        for (size_t i = 0; i < ENTRIES; ++i) {
            keys[i] = round == 0 || rng_unit(&random) < share ? rng_below(&random, ENTRIES) : keys[i];
        }
        for (int sort = 0; sort < SORTS; ++sort) {
            memcpy(bp_key_sort_begin(&sorts[sort], &configs[sort].allocator, ENTRIES), keys, ENTRIES * sizeof *keys);
            const double start = bp_clock_seconds();
            assert_true(bp_key_sort_run(&sorts[sort], &configs[sort], 17));
            const double seconds = bp_clock_seconds() - start;
            best[sort] = round > 1 && seconds < best[sort] ? seconds : best[sort];
            assert_memory_equal(bp_key_sort_entries(&sorts[sort]), bp_key_sort_entries(&sorts[0]),
                                ENTRIES * sizeof(uint64_t));
        }
    }
    for (int sort = 0; sort < SORTS; ++sort) {
        bp_key_sort_free(&sorts[sort], &configs[sort].allocator);
    }
    free(keys);
}

static bool is_as_fast(const double best[SORTS], double share) {
    const double better = best[BP_SORT_RADIX] < best[BP_SORT_ADAPTIVE] ? best[BP_SORT_RADIX] : best[BP_SORT_ADAPTIVE];
    print_message("%9.0f %% %11.2f %11.2f\n", 100.0 * share, best[BP_SORT_ADAPTIVE] / best[BP_SORT_RADIX],
                  best[BP_SORT_AUTOMATIC] / better);
    const bool adaptive_wins = share > 0.02 || best[BP_SORT_ADAPTIVE] < best[BP_SORT_RADIX];
    return adaptive_wins && best[BP_SORT_AUTOMATIC] <= 1.15 * better;
}

// Ratios in one run; a machine that is busy with something else gets three tries.
static void the_automatic_sort_is_as_fast_as_the_better_one(void **state) {
    (void)state;
    static const double shares[] = {0.0, 0.02, 0.10, 0.50, 1.0};
    print_message("%d entries\n    changed adaptive/radix automatic/better\n", ENTRIES);
    for (size_t i = 0; i < COUNT_OF(shares); ++i) {
        bool good = quick();
        for (int attempt = 0; attempt < 3 && !good; ++attempt) {
            double best[SORTS];
            time_sorts(shares[i], best);
            good = is_as_fast(best, shares[i]);
        }
        assert_true(good);
    }
}

static void keys_are_sorted_with_threads_too(void **state) {
    (void)state;
    rng random = rng_seeded(2);
    bp_key_sort sort = {.count = 0};
    bp_config config;
    assert_int_equal(bp_config_complete(&(bp_config){.executor = thread_executor(3)}, &config), BP_OK);
    uint32_t *kept = obtain(ENTRIES, sizeof *kept);
    for (int round = 0; round < 6; ++round) {
        const size_t count = round < 4 ? ENTRIES : 77;
        for (size_t i = 0; i < count; ++i) {
            kept[i] = round % 2 == 0 || rng_below(&random, 20) == 0 ? rng_below(&random, 1000) : kept[i];
        }
        memcpy(bp_key_sort_begin(&sort, &config.allocator, count), kept, count * sizeof *kept);
        assert_true(bp_key_sort_run(&sort, &config, 10));
        assert_int_equal(sort.ran, round % 2 == 0 ? BP_SORT_RADIX : BP_SORT_ADAPTIVE);
        const uint64_t *entries = bp_key_sort_entries(&sort);
        for (size_t i = 0; i < count; ++i) {
            assert_true(i == 0 || entries[i - 1] < entries[i]);
            assert_int_equal(entries[i] >> 32, kept[(uint32_t)entries[i]]);
        }
    }
    free(kept);
    bp_key_sort_free(&sort, &config.allocator);
}

static void refuses(bp_config config, bp_status expected, const char *word) {
    const bp_box boxes[] = {cube_of(0, 0, 0, 1), cube_of(1000, 1000, 1000, 1)};
    test_log log = {0};
    bp_pairs pairs = {0};
    config.method = BP_METHOD_COMPACT_GRID;
    config.log = test_log_hook(&log);
    assert_int_equal(bp_find_pairs(boxes, COUNT_OF(boxes), &config, &pairs), expected);
    assert_non_null(strstr(log.text, word));
    bp_pairs_free(&pairs, NULL);
}

static void refuses_what_makes_no_sense(void **state) {
    (void)state;
    refuses((bp_config){.compact_keys = (bp_compact_keys)2}, BP_ERROR_ARGUMENT, "compact_keys");
    refuses((bp_config){.compact_sort = (bp_compact_sort)3}, BP_ERROR_ARGUMENT, "compact_sort");
    refuses((bp_config){.cell_size = 1.0f, .memory_limit = 1 << 20}, BP_ERROR_MEMORY, "memory_limit");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_all_pairs_of_every_scene),
        cmocka_unit_test(keeps_up_with_a_world),
        cmocka_unit_test(finds_pairs_between_sets),
        cmocka_unit_test(threads_do_not_show),
        cmocka_unit_test(a_steady_step_allocates_nothing),
        cmocka_unit_test(failing_memory_is_an_error),
        cmocka_unit_test(sorts_give_the_same_bytes),
        cmocka_unit_test(the_automatic_sort_is_as_fast_as_the_better_one),
        cmocka_unit_test(keys_are_sorted_with_threads_too),
        cmocka_unit_test(refuses_what_makes_no_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
