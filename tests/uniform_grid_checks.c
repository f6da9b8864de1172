#include "uniform_grid_checks.h"

#include "scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 2000, WILD = 1500, STEPS = 12, SEED = 5 };

static scene *open_scene(const char *name, size_t count) {
    const scene_options options = {.count = count, .seed = SEED};
    const char *error = NULL;
    scene *opened = scene_create(name, &options, &error);
    if (opened == NULL) {
        fail_msg("scene %s: %s", name, error);
    }
    return opened;
}

// ---- against the naive answer ---------------------------------------------------------------------------------------

static void compare(const bp_box *boxes, size_t count, const bp_config *config, const pair_list *expected,
                    const char *what) {
    char text[CONFIG_TEXT];
    bp_pairs pairs = {0};
    const bp_status status = bp_find_pairs(boxes, count, config, &pairs);
    if (status != BP_ERROR_MEMORY || config->cell_size == 0.0f) { // a configured cell may need more than there is
        assert_int_equal(status, BP_OK);
        expect_pairs(pairs.data, pairs.count, expected, "%s n=%zu layout=%d keys=%d sort=%d %s", what, count,
                     (int)config->pivot_layout, (int)config->compact_keys, (int)config->compact_sort,
                     config_text(config, text));
    }
    bp_pairs_free(&pairs, config);
}

static void compare_all(const bp_box *boxes, size_t count, uint32_t dimensions, variant_list variants,
                        const char *what) {
    pair_list expected = naive_pairs(boxes, count, dimensions);
    for (size_t i = 0; i < variants.count; ++i) {
        bp_config config = variants.configs[i];
        config.dimensions = dimensions;
        config.threads = i % 2 == 0 ? 1 : 3;
        compare(boxes, count, &config, &expected, what);
    }
    pair_list_free(&expected);
}

void check_scenes(variant_list variants) {
    for (size_t i = 0; i < scene_count(); ++i) {
        scene *subject = open_scene(scene_name(i), strcmp(scene_name(i), "identical") == 0 ? 300
                                                   : quick()                               ? COUNT / 4
                                                                                           : COUNT);
        for (uint32_t dimensions = 2; dimensions <= 3; ++dimensions) {
            compare_all(scene_boxes(subject), scene_box_count(subject), dimensions, variants, scene_name(i));
        }
        scene_destroy(subject);
    }
    rng random = rng_seeded(SEED);
    bp_box *wild = obtain(WILD, sizeof *wild);
    for (size_t i = 0; i < WILD; ++i) {
        wild[i] = random_wild_box(&random, wild, i);
    }
    for (size_t count = 0; count < 5; ++count) {
        compare_all(wild, count, 3, variants, "wild");
    }
    compare_all(wild, WILD, 2, variants, "wild");
    compare_all(wild, WILD, 3, variants, "wild");
    free(wild);
}

void check_between(variant_list variants) {
    rng random = rng_seeded(SEED + 1);
    scene *small = open_scene("mixed", COUNT), *other = open_scene("uniform", COUNT);
    bp_box *wild = obtain(WILD, sizeof *wild);
    for (size_t i = 0; i < WILD; ++i) {
        wild[i] = random_wild_box(&random, wild, i);
    }
    const struct {
        const bp_box *boxes;
        size_t count;
    } sets[] = {{scene_boxes(small), COUNT}, {scene_boxes(other), COUNT}, {wild, WILD}, {wild, 0}};
    for (size_t a = 0; a < COUNT_OF(sets); ++a) {
        for (size_t b = 0; b < COUNT_OF(sets); ++b) {
            pair_list expected = naive_pairs_between(sets[a].boxes, sets[a].count, sets[b].boxes, sets[b].count, 3);
            for (size_t i = 0; i < variants.count; ++i) {
                bp_pairs pairs = {0};
                assert_int_equal(bp_find_pairs_between(sets[a].boxes, sets[a].count, sets[b].boxes, sets[b].count,
                                                       &variants.configs[i], &pairs),
                                 BP_OK);
                expect_pairs(pairs.data, pairs.count, &expected, "between %zu and %zu, variant %zu", a, b, i);
                bp_pairs_free(&pairs, NULL);
            }
            pair_list_free(&expected);
        }
    }
    free(wild);
    scene_destroy(small);
    scene_destroy(other);
}

// ---- worlds ---------------------------------------------------------------------------------------------------------

typedef struct model {
    bp_world *world;
    bp_box boxes[COUNT]; // holes are NaN
    size_t count;
    rng random;
} model;

static void add_some(model *m, size_t count, double extent, double size) {
    for (size_t i = 0; i < count && m->count < COUNT; ++i) {
        bp_id id = 0;
        const bp_box box = random_cube(&m->random, extent, size);
        assert_int_equal(bp_add(m->world, &box, NULL, &id), BP_OK);
        m->boxes[id] = box;
        m->count = id + 1 > m->count ? id + 1 : m->count;
    }
}

static void remove_some(model *m, uint32_t one_in) {
    for (bp_id id = 0; id < m->count; ++id) {
        if (!isnan(m->boxes[id].min[0]) && rng_below(&m->random, one_in) == 0) {
            assert_int_equal(bp_remove(m->world, id), BP_OK);
            m->boxes[id].min[0] = m->boxes[id].max[0] = NAN;
        }
    }
}

static void move_some(model *m, uint32_t one_in, double extent, double size) {
    for (bp_id id = 0; id < m->count; ++id) {
        if (!isnan(m->boxes[id].min[0]) && rng_below(&m->random, one_in) == 0) {
            m->boxes[id] = random_cube(&m->random, extent, size);
            assert_int_equal(bp_move(m->world, id, &m->boxes[id]), BP_OK);
        }
    }
}

static void expect_world(model *m, size_t variant, int step) {
    bp_result result;
    assert_int_equal(bp_update(m->world, &result), BP_OK);
    assert_int_equal(bp_world_validate(m->world), BP_OK);
    pair_list expected = naive_pairs(m->boxes, m->count, 3);
    expect_pairs(result.pairs, result.pair_count, &expected, "world, variant %zu, step %d", variant, step);
    pair_list_free(&expected);
}

static void live(model *m, size_t variant) {
    int step = 0;
    add_some(m, 10, 10, 1);
    expect_world(m, variant, step++);
    add_some(m, 900, 20, 1);
    expect_world(m, variant, step++);
    for (int i = 0; i < 4; ++i) {
        move_some(m, 40, 20, 1);
        expect_world(m, variant, step++);
    }
    move_some(m, 1, 3, 0.5); // gather
    expect_world(m, variant, step++);
    expect_world(m, variant, step++);
    move_some(m, 2, 5000, 4); // scatter and grow
    expect_world(m, variant, step++);
    remove_some(m, 2);
    expect_world(m, variant, step++);
    add_some(m, 300, 100, 2);
    move_some(m, 10, 1e6, 1);
    expect_world(m, variant, step++);
    remove_some(m, 1);
    expect_world(m, variant, step++);
}

void check_world(variant_list variants) {
    model *m = obtain(1, sizeof *m);
    for (size_t i = 0; i < variants.count; ++i) {
        m->count = 0;
        m->random = rng_seeded(SEED + 2);
        assert_int_equal(bp_world_create(&variants.configs[i], &m->world), BP_OK);
        live(m, i);
        bp_world_destroy(m->world);
    }
    free(m);
}

// ---- threads --------------------------------------------------------------------------------------------------------

// The pairs of some steps, one after the other.
static pair_list record(const bp_config *config, const char *name, size_t count) {
    pair_list all = {0};
    scene *subject = open_scene(name, count);
    bp_world *world = NULL;
    bp_result result;
    assert_int_equal(bp_world_create(config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, scene_box_count(subject), scene_boxes(subject), NULL, NULL), BP_OK);
    for (int step = 0; step < 3; ++step) {
        assert_int_equal(bp_update(world, &result), BP_OK);
        for (size_t i = 0; i < result.pair_count; ++i) {
            pair_list_push(&all, result.pairs[i].a, result.pairs[i].b);
        }
        scene_step(subject);
        assert_int_equal(bp_move_many(world, scene_box_count(subject), NULL, scene_boxes(subject)), BP_OK);
    }
    bp_world_destroy(world);
    scene_destroy(subject);
    return all;
}

void check_threads(variant_list variants) {
    static const char *const names[] = {"uniform", "very-inhomogeneous", "sparse", "one-cell"};
    const size_t scenes = quick() ? 1 : COUNT_OF(names), count = quick() ? 20000 : 60000;
    for (size_t i = 0; i < variants.count * scenes; ++i) {
        bp_config config = variants.configs[i / scenes];
        const char *name = names[i % scenes];
        pair_list expected = record(&config, name, count);
        for (uint32_t workers = 2; workers <= (quick() ? 2 : 8); workers += 3) {
            config.executor = thread_executor(workers);
            pair_list found = record(&config, name, count);
            expect_same_bytes(found.data, found.count, expected.data, expected.count, "%s, variant %zu, %u threads",
                              name, i / scenes, workers);
            pair_list_free(&found);
        }
        config.executor = reverse_executor(3);
        pair_list reversed = record(&config, name, count);
        expect_same_bytes(reversed.data, reversed.count, expected.data, expected.count, "%s, variant %zu, reversed",
                          name, i / scenes);
        pair_list_free(&reversed);
        pair_list_free(&expected);
    }
}

// ---- memory ---------------------------------------------------------------------------------------------------------

void check_steady_step(variant_list variants) {
    for (size_t i = 0; i < variants.count; ++i) {
        test_allocator allocator;
        test_allocator_init(&allocator);
        bp_config config = variants.configs[i];
        config.allocator = test_allocator_hook(&allocator);
        scene *subject = open_scene("uniform", 5000);
        bp_world *world = NULL;
        assert_int_equal(bp_world_create(&config, &world), BP_OK);
        assert_int_equal(bp_add_many(world, scene_box_count(subject), scene_boxes(subject), NULL, NULL), BP_OK);
        for (int step = 0; step < 3 * STEPS; ++step) {
            if (step == STEPS) {
                test_allocator_fail(&allocator, 0, false);
            }
            assert_int_equal(bp_update(world, NULL), BP_OK);
            scene_step(subject);
            assert_int_equal(bp_move_many(world, scene_box_count(subject), NULL, scene_boxes(subject)), BP_OK);
        }
        assert_int_equal(allocator.calls, 0);
        bp_world_destroy(world);
        scene_destroy(subject);
        test_allocator_finish(&allocator);
    }
}

// One world that gets no memory from call number `fail_at` on; true if it asked that often.
static bool fails_once(bp_config config, const scene *subject, const pair_list *expected, size_t fail_at) {
    test_allocator allocator;
    test_allocator_init(&allocator);
    config.allocator = test_allocator_hook(&allocator);
    bp_world *world = NULL;
    bp_result result;
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, scene_box_count(subject), scene_boxes(subject), NULL, NULL), BP_OK);
    test_allocator_fail(&allocator, fail_at, true);
    const bp_status status = bp_update(world, &result);
    const bool refused = allocator.refused > 0;
    assert_int_equal(status, refused ? BP_ERROR_MEMORY : BP_OK);
    test_allocator_fail(&allocator, 0, false);
    assert_int_equal(bp_update(world, &result), BP_OK);
    assert_int_equal(bp_world_validate(world), BP_OK);
    expect_pairs(result.pairs, result.pair_count, expected, "after failure %zu", fail_at);
    bp_world_destroy(world);
    test_allocator_finish(&allocator);
    return refused;
}

void check_failing_memory(variant_list variants) {
    scene *subject = open_scene("uniform", 1000);
    pair_list expected = naive_pairs(scene_boxes(subject), scene_box_count(subject), 3);
    for (size_t i = 0; i < variants.count; ++i) {
        bp_config config = variants.configs[i];
        for (size_t fail_at = 1; fails_once(config, subject, &expected, fail_at); ++fail_at) {
        }
        config.executor = thread_executor(3);
        for (size_t fail_at = 1; fails_once(config, subject, &expected, fail_at); ++fail_at) {
        }
    }
    pair_list_free(&expected);
    scene_destroy(subject);
}
