// pivot-grid: both layouts, and that the memory of the chunked one follows the objects and not the scene.
#include "uniform_grid_checks.h"

#include "scenes.h"

#include <string.h>

#define METHOD .method = BP_METHOD_PIVOT_GRID
#define LIMIT .memory_limit = (size_t)1 << 26

static const bp_config CONFIGS[] = {
    {METHOD},
    {METHOD, .pivot_layout = BP_PIVOTS_DENSE},
    {METHOD, .chunk_size = 1},
    {METHOD, .chunk_size = 2, .cell_size = 0.7f},
    {METHOD, .chunk_size = 64},
    {METHOD, .cell_size = 3.0f, .domain = {{0, 0, 0}, {5, 6, 7}}},
    {METHOD, .pivot_layout = BP_PIVOTS_DENSE, .cell_size = 3.0f, .domain = {{-2, 0, 0}, {5, 6, 7}}, LIMIT},
    {METHOD, .pivot_layout = BP_PIVOTS_DENSE, .cell_size = 0.4f, LIMIT},
    {METHOD, .pivot_layout = BP_PIVOTS_DENSE, .memory_limit = 4096},
};

static const variant_list VARIANTS = {CONFIGS, COUNT_OF(CONFIGS)};
static const variant_list LAYOUTS = {CONFIGS, 2};

static void finds_all_pairs_of_every_scene(void **state) {
    (void)state;
    check_scenes(VARIANTS);
}

static void keeps_up_with_a_world(void **state) {
    (void)state;
    check_world((variant_list){CONFIGS, 6});
}

static void finds_pairs_between_sets(void **state) {
    (void)state;
    check_between(LAYOUTS);
}

static void threads_do_not_show(void **state) {
    (void)state;
    check_threads(LAYOUTS);
}

static void a_steady_step_allocates_nothing(void **state) {
    (void)state;
    check_steady_step((variant_list){CONFIGS, 4});
}

static void failing_memory_is_an_error(void **state) {
    (void)state;
    check_failing_memory(LAYOUTS);
}

static bp_stats stats_of_clusters(double extent, bp_pivot_layout layout) {
    const scene_options options = {.count = 10000, .seed = 1, .extent = extent};
    const char *error = NULL;
    scene *subject = scene_create("clustered-2d", &options, &error);
    bp_stats stats = {0};
    bp_pairs pairs = {0};
    const bp_config config = {METHOD, .dimensions = 2, .cell_size = 1.0f, .pivot_layout = layout, .stats = &stats};
    assert_non_null(subject);
    assert_int_equal(bp_find_pairs(scene_boxes(subject), scene_box_count(subject), &config, &pairs), BP_OK);
    bp_pairs_free(&pairs, NULL);
    scene_destroy(subject);
    return stats;
}

// 49 times as many cells. The dense table of the larger scene has 1.6 GB: only the smaller ones are built here.
static void memory_follows_the_objects_and_not_the_scene(void **state) {
    (void)state;
    const bp_stats small = stats_of_clusters(2048, BP_PIVOTS_CHUNKED),
                   large = stats_of_clusters(14336, BP_PIVOTS_CHUNKED);
    print_message("chunked: %zu bytes at 2048^2 cells, %zu at 14336^2 (x %.3f)\n", small.bytes, large.bytes,
                  (double)large.bytes / (double)small.bytes);
    assert_true((double)large.bytes < 1.1 * (double)small.bytes);
    const bp_stats table = stats_of_clusters(512, BP_PIVOTS_DENSE), larger = stats_of_clusters(2048, BP_PIVOTS_DENSE);
    print_message("dense: %zu bytes at 512^2 cells, %zu at 2048^2 (x %.1f)\n", table.bytes, larger.bytes,
                  (double)larger.bytes / (double)table.bytes);
    assert_true(larger.cells > 15 * table.cells);
    assert_true(larger.bytes > 8 * larger.cells && larger.bytes > 10 * small.bytes / 2);
}

static void sparse_objects_get_no_chunk_each(void **state) {
    (void)state;
    const scene_options options = {.count = 20000, .seed = 1};
    const char *error = NULL;
    static const char *const names[] = {"sparse", "tiny-and-huge", "points"};
    for (size_t i = 0; i < COUNT_OF(names); ++i) {
        scene *subject = scene_create(names[i], &options, &error);
        bp_stats stats = {0};
        bp_pairs pairs = {0};
        const bp_config config = {METHOD, .stats = &stats};
        assert_int_equal(bp_find_pairs(scene_boxes(subject), scene_box_count(subject), &config, &pairs), BP_OK);
        assert_true(stats.bytes < 2048 * scene_box_count(subject));
        bp_pairs_free(&pairs, NULL);
        scene_destroy(subject);
    }
}

static void refuses(bp_config config, bp_status expected, const char *word) {
    const bp_box boxes[] = {cube_of(0, 0, 0, 1), cube_of(1000, 1000, 1000, 1)};
    test_log log = {0};
    bp_pairs pairs = {0};
    config.method = BP_METHOD_PIVOT_GRID;
    config.log = test_log_hook(&log);
    assert_int_equal(bp_find_pairs(boxes, COUNT_OF(boxes), &config, &pairs), expected);
    assert_non_null(strstr(log.text, word));
    bp_pairs_free(&pairs, NULL);
}

static void refuses_what_makes_no_sense(void **state) {
    (void)state;
    refuses((bp_config){.pivot_layout = (bp_pivot_layout)2}, BP_ERROR_ARGUMENT, "pivot_layout");
    refuses((bp_config){.chunk_size = 12}, BP_ERROR_ARGUMENT, "chunk_size");
    refuses((bp_config){.chunk_size = 128}, BP_ERROR_ARGUMENT, "chunk_size");
    refuses((bp_config){.chunk_size = 2048, .dimensions = 2}, BP_ERROR_ARGUMENT, "chunk_size");
    refuses((bp_config){.pivot_layout = BP_PIVOTS_DENSE, .cell_size = 1.0f, .memory_limit = 1 << 20}, BP_ERROR_MEMORY,
            "memory_limit");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_all_pairs_of_every_scene),
        cmocka_unit_test(keeps_up_with_a_world),
        cmocka_unit_test(finds_pairs_between_sets),
        cmocka_unit_test(threads_do_not_show),
        cmocka_unit_test(a_steady_step_allocates_nothing),
        cmocka_unit_test(failing_memory_is_an_error),
        cmocka_unit_test(memory_follows_the_objects_and_not_the_scene),
        cmocka_unit_test(sparse_objects_get_no_chunk_each),
        cmocka_unit_test(refuses_what_makes_no_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
