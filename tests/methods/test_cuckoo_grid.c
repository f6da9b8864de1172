// cuckoo-grid: how full its tables are, for any domain and distribution.
#include "support/method_checks.h"

#include "literature/uniform_grids/cuckoo_grid.c" // for the tables of a single bucket

#define WITH(...) VARIANT_OF(BP_METHOD_CUCKOO_GRID, __VA_ARGS__)

static const variant CONFIGS[] = {
    WITH(),
    WITH(SETTINGS(.cell_size = 0.7f)),
    WITH(SETTINGS(.cell_size = 1e-3f)),
    WITH(SETTINGS(.cell_size = 3.0f, .domain = {{0, 0, 0}, {5, 6, 7}})),
    WITH(SETTINGS(.grid_entries = BP_ENTRIES_FOOTPRINT)),
    WITH(SETTINGS(.grid_entries = BP_ENTRIES_FOOTPRINT, .cell_size = 0.7f)),
    WITH(SETTINGS(.grid_entries = BP_ENTRIES_FOOTPRINT, .cell_size = 0.5f, .hash_cell_limit = 64)),
    WITH(SETTINGS(.grid_entries = BP_ENTRIES_FOOTPRINT, .cell_size = 0.7f, .hash_cell_limit = 3)), // many are scanned
    WITH(SETTINGS(.grid_entries = BP_ENTRIES_FOOTPRINT, .cell_size = 3.0f, .domain = {{0, 0, 0}, {5, 6, 7}})),
};

static const variant_list VARIANTS = ALL_OF(CONFIGS);
static const variant ENTRIES[] = {
    WITH(),
    WITH(SETTINGS(.grid_entries = BP_ENTRIES_FOOTPRINT)),
    WITH(SETTINGS(.grid_entries = BP_ENTRIES_FOOTPRINT, .cell_size = 0.7f, .hash_cell_limit = 9)),
};
static const variant_list DEFAULTS = {ENTRIES, 3}, PLAIN = {ENTRIES, 1};
static const steady_scene STEADY = {
    .variants = {ENTRIES, 2}, .name = "uniform", .count = 5000, .warm_up = 11, .steps = 24};

// On scenes that are not in one place: there, each pair is tested in every cell that both are in.
static void footprints_are_the_same_with_any_number_of_threads(void **state) {
    static const char *const names[] = {"uniform", "mixed", "long"};
    static const uint32_t workers[] = {1, 2, 3, 8};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); ++i) {
        scene *subject = open_scene(names[i], shortest() ? 2000 : 20000);
        bp_pairs first = {0};
        for (size_t k = 0; k < COUNT_OF(workers); ++k) {
            bp_pairs pairs = {0};
            const bp_config config = {.method = BP_METHOD_CUCKOO_GRID,
                                      .executor = reverse_executor(workers[k]),
                                      SETTINGS(.grid_entries = BP_ENTRIES_FOOTPRINT)};
            assert_int_equal(bp_find_pairs(scene_boxes(subject), scene_box_count(subject), &config, &pairs), BP_OK);
            if (k == 0) {
                first = pairs;
                continue;
            }
            expect_same_bytes(pairs.data, pairs.count, first.data, first.count, "%s, %u workers", names[i],
                              (unsigned)workers[k]);
            bp_pairs_free(&pairs, NULL);
        }
        assert_true(first.count > 0);
        bp_pairs_free(&first, NULL);
        scene_destroy(subject);
    }
}

// Cells of the objects' size: many of them, each with about one object.
static void tables_are_filled_to_seventy_percent(void **state) {
    (void)state;
    skip_where_threads_are_sanitized();
    static const char *const names[] = {"uniform", "sparse", "very-inhomogeneous", "stretched"};
    for (size_t i = 0; i < COUNT_OF(names); ++i) {
        scene *subject = open_scene_with(names[i], (scene_options){.count = 50000, .seed = 3});
        for (int fine = 0; fine < 2; ++fine) {
            const bp_config config = {.method = BP_METHOD_CUCKOO_GRID, SETTINGS(.cell_size = fine != 0 ? 1.0f : 0.0f)};
            const bp_stats stats = stats_of(scene_boxes(subject), scene_box_count(subject), config);
            const double share = (double)stats.occupied / (double)stats.cells;
            print_message("%s: %zu of %zu slots, %.1f %%\n", names[i], stats.occupied, stats.cells, 100.0 * share);
            assert_true(share > 0.65 && share < 0.8);
        }
        scene_destroy(subject);
    }
}

enum { CELLS = 400 };

static void fill_found(uint64_t found[CELLS]) {
    rng random = rng_seeded(9);
    for (uint32_t i = 0; i < CELLS; ++i) {
        found[i] = (uint64_t)i << 40 | rng_below(&random, 1u << 30);
    }
}

// With every hash that may be tried, and with linear probing, which comes last.
static void a_bucket_finds_its_cells_with_every_hash(void **state) {
    (void)state;
    skip_where_threads_are_sanitized();
    uint64_t found[CELLS];
    cuckoo_slot slots[3 * CELLS];
    cuckoo_grid grid = {.slots = {.data = slots}};
    fill_found(found);
    size_t filled = 0;
    for (uint32_t hash = 0; hash <= HASHES_MAX; ++hash) {
        const bucket b = {.table_size = (uint32_t)(CELLS / OCCUPANCY / TABLES) + 1, .cell_count = CELLS, .hash = hash};
        const bool good = fill_tables(slots, &b, found);
        filled += good;
        assert_true(good || hash < HASHES_MAX);
        for (uint32_t i = 0; i < CELLS && good; ++i) {
            assert_int_equal(find_cell_slot(&grid, &b, found[i])->number, i);
            assert_true(find_cell_slot(&grid, &b, found[i] + 1)->cell != found[i] + 1);
        }
    }
    assert_true(filled > HASHES_MAX / 2);
}

// More cells than slots: no sequence of evictions can succeed, and it must still end.
static void an_insertion_that_cycles_ends(void **state) {
    (void)state;
    skip_where_threads_are_sanitized();
    uint64_t found[CELLS];
    cuckoo_slot slots[3 * CELLS];
    fill_found(found);
    for (uint32_t hash = 0; hash < HASHES_MAX; ++hash) {
        const bucket b = {.table_size = CELLS / TABLES, .cell_count = CELLS, .hash = hash};
        assert_false(fill_tables(slots, &b, found));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_WITH(finds_all_pairs_of_every_scene, VARIANTS),
        TEST_WITH(finds_all_pairs_of_wild_boxes, VARIANTS),
        TEST_WITH(stays_right_while_objects_come_and_go, VARIANTS),
        TEST_WITH(finds_all_pairs_between_sets, DEFAULTS),
        TEST_WITH(finds_the_same_bytes_with_any_number_of_threads, PLAIN),
        cmocka_unit_test(footprints_are_the_same_with_any_number_of_threads),
        TEST_WITH(allocates_nothing_in_a_steady_step, STEADY),
        TEST_WITH(survives_failing_memory, DEFAULTS),
        cmocka_unit_test(tables_are_filled_to_seventy_percent),
        cmocka_unit_test(an_insertion_that_cycles_ends),
        cmocka_unit_test(a_bucket_finds_its_cells_with_every_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
