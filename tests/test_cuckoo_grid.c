// cuckoo-grid: how full its tables are, and that domain and distribution do not matter to it.
#include "uniform_grid_checks.h"

#include "methods/cuckoo_grid.c" // for the tables of a single bucket
#include "scenes.h"

#define METHOD .method = BP_METHOD_CUCKOO_GRID

static const bp_config CONFIGS[] = {
    {METHOD},
    {METHOD, .cell_size = 0.7f},
    {METHOD, .cell_size = 1e-3f},
    {METHOD, .cell_size = 3.0f, .domain = {{0, 0, 0}, {5, 6, 7}}},
};

static const variant_list VARIANTS = {CONFIGS, COUNT_OF(CONFIGS)};
static const variant_list DEFAULTS = {CONFIGS, 1};

static void finds_all_pairs_of_every_scene(void **state) {
    (void)state;
    check_scenes(VARIANTS);
}

static void keeps_up_with_a_world(void **state) {
    (void)state;
    check_world(VARIANTS);
}

static void finds_pairs_between_sets(void **state) {
    (void)state;
    check_between(DEFAULTS);
}

static void threads_do_not_show(void **state) {
    (void)state;
    check_threads(DEFAULTS);
}

static void a_steady_step_allocates_nothing(void **state) {
    (void)state;
    check_steady_step(DEFAULTS);
}

static void failing_memory_is_an_error(void **state) {
    (void)state;
    check_failing_memory(DEFAULTS);
}

// Cells of the objects' size: many of them, each with about one object.
static void tables_are_filled_to_seventy_percent(void **state) {
    (void)state;
    static const char *const names[] = {"uniform", "sparse", "very-inhomogeneous", "stretched"};
    for (size_t i = 0; i < COUNT_OF(names); ++i) {
        const scene_options options = {.count = 50000, .seed = 3};
        const char *error = NULL;
        scene *subject = scene_create(names[i], &options, &error);
        for (int fine = 0; fine < 2; ++fine) {
            bp_stats stats = {0};
            bp_pairs pairs = {0};
            const bp_config config = {METHOD, .cell_size = fine != 0 ? 1.0f : 0.0f, .stats = &stats};
            assert_int_equal(bp_find_pairs(scene_boxes(subject), scene_box_count(subject), &config, &pairs), BP_OK);
            const double share = (double)stats.occupied / (double)stats.cells;
            print_message("%s: %zu of %zu slots, %.1f %%\n", names[i], stats.occupied, stats.cells, 100.0 * share);
            assert_true(share > 0.65 && share < 0.8);
            bp_pairs_free(&pairs, NULL);
        }
        scene_destroy(subject);
    }
}

enum { CELLS = 400 };

static void fill_found(slot found[CELLS]) {
    rng random = rng_seeded(9);
    for (uint32_t i = 0; i < CELLS; ++i) {
        found[i] = (slot){.cell = (uint64_t)i << 40 | rng_below(&random, 1u << 30), .begin = i, .end = i + 1};
    }
}

// With every hash that may be tried, and with linear probing, which comes last.
static void a_bucket_finds_its_cells_with_every_hash(void **state) {
    (void)state;
    slot found[CELLS], slots[3 * CELLS];
    cuckoo_grid grid = {.slots = {.data = slots}};
    fill_found(found);
    size_t filled = 0;
    for (uint32_t hash = 0; hash <= HASHES_MAX; ++hash) {
        const bucket b = {.table_size = (uint32_t)(CELLS / OCCUPANCY / TABLES) + 1, .cell_count = CELLS, .hash = hash};
        const bool good = fill_tables(slots, &b, found);
        filled += good;
        assert_true(good || hash < HASHES_MAX);
        for (uint32_t i = 0; i < CELLS && good; ++i) {
            assert_int_equal(find_slot(&grid, &b, found[i].cell)->begin, i);
            assert_true(find_slot(&grid, &b, found[i].cell + 1)->cell != found[i].cell + 1);
        }
    }
    assert_true(filled > HASHES_MAX / 2);
}

// More cells than slots: no order of throwing others out can succeed, and it ends all the same.
static void an_insertion_that_cycles_ends(void **state) {
    (void)state;
    slot found[CELLS], slots[3 * CELLS];
    fill_found(found);
    for (uint32_t hash = 0; hash < HASHES_MAX; ++hash) {
        const bucket b = {.table_size = CELLS / TABLES, .cell_count = CELLS, .hash = hash};
        assert_false(fill_tables(slots, &b, found));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_all_pairs_of_every_scene),
        cmocka_unit_test(keeps_up_with_a_world),
        cmocka_unit_test(finds_pairs_between_sets),
        cmocka_unit_test(threads_do_not_show),
        cmocka_unit_test(a_steady_step_allocates_nothing),
        cmocka_unit_test(failing_memory_is_an_error),
        cmocka_unit_test(tables_are_filled_to_seventy_percent),
        cmocka_unit_test(an_insertion_that_cycles_ends),
        cmocka_unit_test(a_bucket_finds_its_cells_with_every_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
