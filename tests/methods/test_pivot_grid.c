// pivot-grid: both layouts, and that the memory of the chunked one follows the objects and not the scene.
#include "support/method_checks.h"

#define WITH(...) VARIANT_OF(BP_METHOD_PIVOT_GRID, __VA_ARGS__)
#define LIMIT .memory_limit = (size_t)1 << 26

static const variant CONFIGS[] = {
    WITH(),
    WITH(SETTINGS(.pivot_layout = BP_PIVOTS_DENSE)),
    WITH(SETTINGS(.chunk_size = 1)),
    WITH(SETTINGS(.chunk_size = 2, .cell_size = 0.7f)),
    WITH(SETTINGS(.chunk_size = 64)),
    WITH(SETTINGS(.cell_size = 3.0f, .domain = {{0, 0, 0}, {5, 6, 7}})),
    WITH(SETTINGS(.pivot_layout = BP_PIVOTS_DENSE, .cell_size = 3.0f, .domain = {{-2, 0, 0}, {5, 6, 7}}, LIMIT)),
    WITH(SETTINGS(.pivot_layout = BP_PIVOTS_DENSE, .cell_size = 0.4f, LIMIT)),
    WITH(SETTINGS(.pivot_layout = BP_PIVOTS_DENSE, .memory_limit = 4096)),
};

static const variant_list VARIANTS = ALL_OF(CONFIGS);
static const variant_list LAYOUTS = {CONFIGS, 2}, WORLDS = {CONFIGS, 6};
static const steady_scene STEADY = {
    .variants = {CONFIGS, 4}, .name = "uniform", .count = 5000, .warm_up = 11, .steps = 24};

static const refusal REFUSED[] = {
    {WITH(SETTINGS(.pivot_layout = (bp_pivot_layout)2)), BP_ERROR_ARGUMENT, "pivot_layout"},
    {WITH(SETTINGS(.chunk_size = 12)), BP_ERROR_ARGUMENT, "chunk_size"},
    {WITH(SETTINGS(.chunk_size = 128)), BP_ERROR_ARGUMENT, "chunk_size"},
    {WITH(.dimensions = 2, SETTINGS(.chunk_size = 2048)), BP_ERROR_ARGUMENT, "chunk_size"},
    {WITH(SETTINGS(.pivot_layout = BP_PIVOTS_DENSE, .cell_size = 1.0f, .memory_limit = 1 << 20)), BP_ERROR_MEMORY,
     "memory_limit"},
};
static const refusal_list REFUSALS = ALL_OF(REFUSED);

static bp_stats stats_of_clusters(double extent, bp_pivot_layout layout) {
    scene *subject = open_scene_with("clustered-2d", (scene_options){.count = 10000, .seed = 1, .extent = extent});
    const bp_config config = {
        .method = BP_METHOD_PIVOT_GRID, .dimensions = 2, SETTINGS(.cell_size = 1.0f, .pivot_layout = layout)};
    const bp_stats stats = stats_of(scene_boxes(subject), scene_box_count(subject), config);
    scene_destroy(subject);
    return stats;
}

// 49 times as many cells. The dense table of the larger scene has 1.6 GB: only the smaller ones are built here.
static void memory_follows_the_objects_and_not_the_scene(void **state) {
    (void)state;
    skip_where_threads_are_sanitized();
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
    skip_where_threads_are_sanitized();
    static const char *const names[] = {"sparse", "tiny-and-huge", "points"};
    for (size_t i = 0; i < COUNT_OF(names); ++i) {
        scene *subject = open_scene_with(names[i], (scene_options){.count = 20000, .seed = 1});
        const size_t count = scene_box_count(subject);
        const bp_stats stats = stats_of(scene_boxes(subject), count, CONFIGS[0].config);
        assert_true(stats.bytes < 2048 * count);
        scene_destroy(subject);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_WITH(finds_all_pairs_of_every_scene, VARIANTS),
        TEST_WITH(finds_all_pairs_of_wild_boxes, VARIANTS),
        TEST_WITH(stays_right_while_objects_come_and_go, WORLDS),
        TEST_WITH(finds_all_pairs_between_sets, LAYOUTS),
        TEST_WITH(finds_the_same_bytes_with_any_number_of_threads, LAYOUTS),
        TEST_WITH(allocates_nothing_in_a_steady_step, STEADY),
        TEST_WITH(survives_failing_memory, LAYOUTS),
        cmocka_unit_test(memory_follows_the_objects_and_not_the_scene),
        cmocka_unit_test(sparse_objects_get_no_chunk_each),
        TEST_WITH(refuses_what_makes_no_sense, REFUSALS),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
