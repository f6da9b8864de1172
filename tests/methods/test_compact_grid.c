// compact-grid: its keys, its sorts and the choice between them.
#include "support/method_checks.h"

#include <broadphase/broadphase_tune.h>

#include "api/config.h"
#include "base/clock.h"
#include "literature/uniform_grids/incremental_sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WITH(...) VARIANT_OF(BP_METHOD_COMPACT_GRID, __VA_ARGS__)

static const variant CONFIGS[] = {
    WITH(),
    WITH(SETTINGS(.compact_keys = BP_KEYS_Z_CURVE)),
    WITH(SETTINGS(.grid_entries = BP_ENTRIES_FOOTPRINT)),
    WITH(SETTINGS(.compact_sort = BP_SORT_RADIX)),
    WITH(SETTINGS(.compact_sort = BP_SORT_ADAPTIVE)),
    WITH(SETTINGS(.compact_sort = BP_SORT_ADAPTIVE, .compact_keys = BP_KEYS_Z_CURVE)),
    WITH(SETTINGS(.cell_size = 0.7f, .memory_limit = 1 << 24)),
    WITH(SETTINGS(.cell_size = 0.7f, .memory_limit = 1 << 24, .compact_keys = BP_KEYS_Z_CURVE)),
    WITH(SETTINGS(.cell_size = 3.0f, .domain = {{0, 0, 0}, {5, 6, 7}})),
    WITH(SETTINGS(.memory_limit = 4096)),
    WITH(SETTINGS(.grid_entries = BP_ENTRIES_FOOTPRINT, .compact_keys = BP_KEYS_Z_CURVE)),
    WITH(SETTINGS(.grid_entries = BP_ENTRIES_FOOTPRINT, .compact_sort = BP_SORT_ADAPTIVE)),
    WITH(SETTINGS(.grid_entries = BP_ENTRIES_FOOTPRINT, .cell_size = 0.7f, .memory_limit = 1 << 26)),
    WITH(SETTINGS(.grid_entries = BP_ENTRIES_FOOTPRINT, .cell_size = 0.7f, .memory_limit = 1 << 26,
                  .hash_cell_limit = 3)),
    WITH(SETTINGS(.grid_entries = BP_ENTRIES_FOOTPRINT, .cell_size = 3.0f, .domain = {{0, 0, 0}, {5, 6, 7}})),
};

static const variant_list VARIANTS = ALL_OF(CONFIGS);
static const variant_list KEYS = {CONFIGS, 3}, KEYS_AND_SORTS = {CONFIGS, 6};
static const steady_scene STEADY = {
    .variants = {CONFIGS, 6}, .name = "uniform", .count = 5000, .warm_up = 11, .steps = 24};

static const refusal REFUSED[] = {
    {WITH(SETTINGS(.grid_entries = (bp_grid_entries)2)), BP_ERROR_ARGUMENT, "grid_entries"},
    {WITH(SETTINGS(.compact_keys = (bp_compact_keys)2)), BP_ERROR_ARGUMENT, "compact_keys"},
    {WITH(SETTINGS(.compact_sort = (bp_compact_sort)3)), BP_ERROR_ARGUMENT, "compact_sort"},
    {WITH(SETTINGS(.cell_size = 1.0f, .memory_limit = 1 << 20)), BP_ERROR_MEMORY, "memory_limit"},
};
static const refusal_list REFUSALS = ALL_OF(REFUSED);

// The sort and the last order leave no trace in the pairs, if cells are the same.
static void sorts_give_the_same_bytes(void **state) {
    (void)state;
    skip_where_threads_are_sanitized();
    bp_pair *expected = NULL;
    size_t expected_count = 0;
    for (int sort = BP_SORT_AUTOMATIC; sort <= BP_SORT_ADAPTIVE; ++sort) {
        scene *subject = open_scene_with("low-motion", (scene_options){.count = 20000, .seed = 3});
        const bp_config config = {.method = BP_METHOD_COMPACT_GRID, SETTINGS(.compact_sort = (bp_compact_sort)sort)};
        bp_world *world = world_of(&config, subject);
        bp_result result;
        for (int step = 0; step < 5; ++step) {
            assert_int_equal(bp_update(world, &result), BP_OK);
            const bp_details details = bp_stats_details(&result.stats);
            assert_int_equal(details.sort, step == 0 || sort == BP_SORT_RADIX ? BP_SORT_RADIX : BP_SORT_ADAPTIVE);
            assert_true(step == 0 ? details.changed_share == 1.0 : details.changed_share < 0.05);
            move_with(world, subject);
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

// Best times over the rounds, for one share of keys that change. Returns what the automatic sort chose in the end.
static bp_compact_sort time_sorts(double share, double best[SORTS]) {
    rng random = rng_seeded(1);
    uint32_t *keys = obtain(ENTRIES, sizeof *keys);
    bp_incremental_sort sorts[SORTS] = {{.count = 0}};
    bp_setup setups[SORTS];
    for (int sort = 0; sort < SORTS; ++sort) {
        assert_int_equal(
            bp_setup_complete(&(bp_config){SETTINGS(.compact_sort = (bp_compact_sort)sort)}, &setups[sort]), BP_OK);
        best[sort] = 1e9;
    }
    for (int round = 0; round < (quick() ? 4 : ROUNDS); ++round) {
        for (size_t i = 0; i < ENTRIES; ++i) {
            keys[i] = round == 0 || rng_unit(&random) < share ? rng_below(&random, ENTRIES) : keys[i];
        }
        for (int sort = 0; sort < SORTS; ++sort) {
            const double start = bp_clock_seconds();
            assert_true(bp_incremental_sort_run(&sorts[sort], keys, ENTRIES, (bp_compact_sort)sort, 17,
                                                &setups[sort].methods.runtime.allocator,
                                                &setups[sort].methods.runtime.executor));
            const double seconds = bp_clock_seconds() - start;
            best[sort] = round > 1 && seconds < best[sort] ? seconds : best[sort];
            assert_memory_equal(bp_incremental_sort_sorted(&sorts[sort]), bp_incremental_sort_sorted(&sorts[0]),
                                ENTRIES * sizeof(uint64_t));
        }
    }
    const bp_compact_sort chosen = sorts[BP_SORT_AUTOMATIC].ran;
    for (int sort = 0; sort < SORTS; ++sort) {
        bp_incremental_sort_free(&sorts[sort], &setups[sort].methods.runtime.allocator);
    }
    free(keys);
    return chosen;
}

// The times are printed, not judged: they mean something only on a machine that is otherwise idle.
static void the_automatic_sort_follows_the_share_that_changed(void **state) {
    (void)state;
    skip_where_threads_are_sanitized();
    static const double shares[] = {0.0, 0.02, 0.10, 0.50, 1.0};
    print_message("%d entries\n    changed adaptive/radix automatic/better\n", ENTRIES);
    for (size_t i = 0; i < COUNT_OF(shares); ++i) {
        double best[SORTS];
        assert_int_equal(time_sorts(shares[i], best), shares[i] < 0.2 ? BP_SORT_ADAPTIVE : BP_SORT_RADIX);
        print_message("%9.0f %% %11.2f %11.2f\n", 100.0 * shares[i], best[BP_SORT_ADAPTIVE] / best[BP_SORT_RADIX],
                      best[BP_SORT_AUTOMATIC] / fmin(best[BP_SORT_RADIX], best[BP_SORT_ADAPTIVE]));
    }
}

static void keys_are_sorted_with_threads_too(void **state) {
    (void)state;
    rng random = rng_seeded(2);
    bp_incremental_sort sort = {.count = 0};
    bp_setup setup;
    assert_int_equal(bp_setup_complete(&(bp_config){.executor = thread_executor(3)}, &setup), BP_OK);
    uint32_t *kept = obtain(ENTRIES, sizeof *kept);
    for (int round = 0; round < 6; ++round) {
        const size_t count = round < 4 ? ENTRIES : 77;
        for (size_t i = 0; i < count; ++i) {
            kept[i] = round % 2 == 0 || rng_below(&random, 20) == 0 ? rng_below(&random, 1000) : kept[i];
        }
        assert_true(bp_incremental_sort_run(&sort, kept, count, BP_SORT_AUTOMATIC, 10, &setup.methods.runtime.allocator,
                                            &setup.methods.runtime.executor));
        assert_int_equal(sort.ran, round % 2 == 0 ? BP_SORT_RADIX : BP_SORT_ADAPTIVE);
        const uint64_t *entries = bp_incremental_sort_sorted(&sort);
        for (size_t i = 0; i < count; ++i) {
            assert_true(i == 0 || entries[i - 1] < entries[i]);
            assert_int_equal(entries[i] >> 32, kept[(uint32_t)entries[i]]);
        }
    }
    free(kept);
    bp_incremental_sort_free(&sort, &setup.methods.runtime.allocator);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_WITH(finds_all_pairs_of_every_scene, VARIANTS),
        TEST_WITH(finds_all_pairs_of_wild_boxes, VARIANTS),
        TEST_WITH(stays_right_while_objects_come_and_go, KEYS_AND_SORTS),
        TEST_WITH(finds_all_pairs_between_sets, KEYS),
        TEST_WITH(finds_the_same_bytes_with_any_number_of_threads, KEYS_AND_SORTS),
        TEST_WITH(allocates_nothing_in_a_steady_step, STEADY),
        TEST_WITH(survives_failing_memory, VARIANTS),
        cmocka_unit_test(sorts_give_the_same_bytes),
        cmocka_unit_test(the_automatic_sort_follows_the_share_that_changed),
        cmocka_unit_test(keys_are_sorted_with_threads_too),
        TEST_WITH(refuses_what_makes_no_sense, REFUSALS),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
