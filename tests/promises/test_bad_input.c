// Wrong calls: the right status, a helpful message, and no change.
#include "support/support.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BOXES = 500, SEED = 5 };

static bp_box *make_boxes(size_t count) {
    rng random = rng_seeded(SEED);
    bp_box *boxes = obtain(count, sizeof *boxes);
    for (size_t i = 0; i < count; ++i) {
        boxes[i] = random_cube(&random, 6.0, 0.7);
    }
    return boxes;
}

static void expect_log(const test_log *log, const char *part) {
    if (log->count == 0 || strstr(log->text, part) == NULL) {
        fail_msg("the log should name \"%s\"; it says: \"%s\"", part, log->count == 0 ? "" : log->text);
    }
}

// ---- config ---------------------------------------------------------------------------------------------------------

static void *some_allocate(void *context, size_t size) {
    (void)context;
    (void)size;
    return NULL;
}

static void some_release(void *context, void *memory, size_t size) {
    (void)context;
    (void)memory;
    (void)size;
}

static void some_run(void *context, bp_task task, void *task_context, size_t count) {
    (void)context;
    for (size_t i = 0; i < count; ++i) {
        task(task_context, i);
    }
}

typedef struct bad_config {
    const char *field;
    bp_config config;
} bad_config;

static const bad_config BAD_CONFIGS[] = {
    {"method", {.method = (bp_method)99}},
    {"method", {.method = (bp_method)-1}},
    {"dimensions", {.dimensions = 1}},
    {"dimensions", {.dimensions = 4}},
    {"dimensions", {.dimensions = UINT32_MAX}},
    {"threads", {.threads = -2}},
    {"threads", {.threads = 1025}},
    {"threads", {.threads = INT32_MIN}},
    {"threads", {.threads = INT32_MAX}},
    {"update: must be 0 to 2, a bp_update_strategy", {.update = (bp_update_strategy)3}},
    {"update", {.update = (bp_update_strategy)-1}},
    {"pair_order", {.pair_order = (bp_pair_order)2}},
    {"pair_order", {.pair_order = (bp_pair_order)-1}},
    {"simd", {SETTINGS(.simd = (bp_simd)6)}},
    {"simd", {SETTINGS(.simd = (bp_simd)-1)}},
    {"flags: must be a combination of BP_PAIRS_FIXED (1), BP_EVENTS (2)", {.flags = 1u << 6}},
    {"flags", {.flags = UINT32_MAX}},
    {"shape", {.shape = (bp_shape)2}},
    {"shape", {.shape = (bp_shape)-1}},
    {"radius_rule", {.radius_rule = (bp_radius_rule)3}},
    {"radius_rule", {.radius_rule = (bp_radius_rule)-1}},
    {"margin", {.margin = -1e-30f}},
    {"margin: must be 0 to 3.40282347e38", {.margin = NAN}},
    {"margin", {.margin = INFINITY}},
    {"period", {.period = {-1, 0, 0}}},
    {"period", {.period = {0, NAN, 0}}},
    {"period", {.period = {0, 0, INFINITY}}},
    {"period", {.dimensions = 2, .period = {0, 0, -1}}},
    {"hierarchy_factor", {SETTINGS(.hierarchy_factor = 1.0f)}},
    {"hierarchy_factor", {SETTINGS(.hierarchy_factor = 0.5f)}},
    {"hierarchy_factor", {SETTINGS(.hierarchy_factor = -2.0f)}},
    {"hierarchy_factor", {SETTINGS(.hierarchy_factor = NAN)}},
    {"hierarchy_factor", {SETTINGS(.hierarchy_factor = INFINITY)}},
    {"cell_size", {SETTINGS(.cell_size = -1.0f)}},
    {"cell_size: must be positive and at most 3.40282347e38, or 0", {SETTINGS(.cell_size = NAN)}},
    {"cell_size", {SETTINGS(.cell_size = INFINITY)}},
    {"grid_size", {SETTINGS(.grid_size = {2, 16, 16})}},
    {"grid_size", {SETTINGS(.grid_size = {16, 3, 16})}},
    {"grid_size", {SETTINGS(.grid_size = {16, 16, 100})}},
    {"grid_size", {SETTINGS(.grid_size = {0, 0, 1u << 21})}},
    {"grid_size", {SETTINGS(.grid_size = {1u << 31, 4, 4})}},
    {"grid_load", {SETTINGS(.grid_load = -1.0f)}},
    {"grid_load", {SETTINGS(.grid_load = NAN)}},
    {"grid_load", {SETTINGS(.grid_load = INFINITY)}},
    {"allocator", {.allocator = {.allocate = some_allocate}}},
    {"allocator", {.allocator = {.release = some_release}}},
    {"executor", {.executor = {.run = some_run}}},
    {"config.reserved: must be 0", {.reserved = {1}}},
    {"config.reserved", {.reserved = {0, 0, 0, 0, 0, 0, 0, UINT64_C(1) << 63}}},
    {"settings.reserved: must be 0", {SETTINGS(.reserved = {0, 0, 1})}},
};

static void expect_config_refused(const bad_config *bad) {
    const bp_box boxes[] = {cube_of(0, 0, 0, 1), cube_of(0, 0, 0, 1)};
    test_log log = {.count = 0};
    bp_config config = bad->config;
    config.log = test_log_hook(&log);
    bp_pair buffer[4];
    bp_pairs pairs = {.data = buffer, .count = 3, .capacity = 4};
    assert_int_equal(bp_find_pairs(boxes, 2, &config, &pairs), BP_ERROR_ARGUMENT);
    expect_log(&log, bad->field);
    log.count = 0;
    assert_int_equal(bp_find_pairs_between(boxes, 1, boxes, 2, &config, &pairs), BP_ERROR_ARGUMENT);
    expect_log(&log, bad->field);
    assert_true(pairs.data == buffer && pairs.count == 3 && pairs.capacity == 4);
    log.count = 0;
    bp_world *world = (bp_world *)(void *)buffer;
    assert_int_equal(bp_world_create(&config, &world), BP_ERROR_ARGUMENT);
    assert_null(world);
    expect_log(&log, bad->field);
    config.log = (bp_log){0}; // no log is fine, too
    assert_int_equal(bp_world_create(&config, &world), BP_ERROR_ARGUMENT);
}

static void refuses_nonsense_in_the_config(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(BAD_CONFIGS); ++i) {
        expect_config_refused(&BAD_CONFIGS[i]);
    }
}

static void accepts_the_ends_of_every_range(void **state) {
    (void)state;
    const bp_config good[] = {
        {.dimensions = 2},
        {.dimensions = 3},
        {.threads = -1},
        {.threads = 1024},
        {SETTINGS(.hierarchy_factor = 1.0001f)},
        {SETTINGS(.cell_size = FLT_TRUE_MIN)},
        {SETTINGS(.cell_size = FLT_MAX)},
        {SETTINGS(.grid_size = {4, 0, 1024})},
        {SETTINGS(.grid_load = 1e-6f)},
        {SETTINGS(.grid_load = 1e30f)},
        {SETTINGS(.brute_force_below = UINT32_MAX)},
    };
    bp_box *boxes = make_boxes(BOXES);
    for (size_t i = 0; i < COUNT_OF(good); ++i) {
        bp_pairs pairs = {0};
        pair_list expected = naive_pairs(boxes, BOXES, good[i].dimensions == 2 ? 2 : 3);
        char text[CONFIG_TEXT];
        assert_int_equal(bp_find_pairs(boxes, BOXES, &good[i], &pairs), BP_OK);
        expect_pairs(pairs.data, pairs.count, &expected, "%s", config_text(&good[i], text));
        bp_pairs_free(&pairs, &good[i]);
        pair_list_free(&expected);
    }
    free(boxes);
}

static void a_world_takes_no_fixed_buffer(void **state) {
    (void)state;
    test_log log = {.count = 0};
    const bp_config config = {.flags = BP_PAIRS_FIXED, .log = test_log_hook(&log)};
    bp_world *world = NULL;
    assert_int_equal(bp_world_create(&config, &world), BP_ERROR_ARGUMENT);
    assert_null(world);
    expect_log(&log, "flags");
}

static void refuses_what_a_method_does_not_support(void **state) {
    (void)state;
    const bp_box box = cube_of(0, 0, 0, 1);
    for (size_t method = 0; method < bp_method_count(); ++method) {
        const uint32_t supports = bp_method_supports(method);
        bp_config config = {.method = (bp_method)method, .update = BP_UPDATE_INDIVIDUAL};
        bp_world *world = NULL;
        const bool incremental = (supports & BP_SUPPORTS_INCREMENTAL) != 0;
        assert_int_equal(bp_world_create(&config, &world), incremental ? BP_OK : BP_ERROR_UNSUPPORTED);
        bp_world_destroy(world);
        bp_pairs pairs = {0};
        config = (bp_config){.method = (bp_method)method, .dimensions = 2};
        assert_int_equal(bp_find_pairs(&box, 1, &config, &pairs),
                         (supports & BP_SUPPORTS_2D) != 0 ? BP_OK : BP_ERROR_UNSUPPORTED);
        config.dimensions = 3;
        assert_int_equal(bp_find_pairs_between(&box, 1, &box, 1, &config, &pairs),
                         (supports & BP_SUPPORTS_BETWEEN) != 0 ? BP_OK : BP_ERROR_UNSUPPORTED);
        bp_pairs_free(&pairs, &config);
    }
}

static void the_environment_can_name_the_instruction_set(void **state) {
    (void)state;
    test_log log = {.count = 0};
    const bp_config config = {.log = test_log_hook(&log)}, explicit = {SETTINGS(.simd = BP_SIMD_SCALAR)};
    bp_pairs pairs = {0};
    const char *before = getenv("BP_SIMD");
    char kept[64] = "";
    (void)strncpy(kept, before != NULL ? before : "", sizeof kept - 1);
    assert_int_equal(setenv("BP_SIMD", "abacus", 1), 0);
    assert_int_equal(bp_find_pairs(NULL, 0, &config, &pairs), BP_ERROR_ARGUMENT);
    expect_log(&log, "abacus");
    assert_int_equal(bp_find_pairs(NULL, 0, &explicit, &pairs), BP_OK); // what the config says goes first
    for (int simd = BP_SIMD_SCALAR; simd <= BP_SIMD_WASM; ++simd) {
        assert_int_equal(setenv("BP_SIMD", simd_text((bp_simd)simd), 1), 0);
        const bp_status status = bp_find_pairs(NULL, 0, &config, &pairs);
        assert_int_equal(status, has_simd((bp_simd)simd) ? BP_OK : BP_ERROR_UNSUPPORTED);
    }
    assert_int_equal(setenv("BP_SIMD", "", 1), 0);
    assert_int_equal(bp_find_pairs(NULL, 0, &config, &pairs), BP_OK);
    (void)(before != NULL ? setenv("BP_SIMD", kept, 1) : unsetenv("BP_SIMD"));
}

// ---- pointers and counts --------------------------------------------------------------------------------------------

static void refuses_null_pointers(void **state) {
    (void)state;
    const bp_box box = cube_of(0, 0, 0, 1);
    bp_pairs pairs = {0}, without_data = {.capacity = 4};
    bp_world *world = NULL;
    bp_id id = 0;
    bp_stats stats;
    assert_int_equal(bp_find_pairs(NULL, 1, NULL, &pairs), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_find_pairs(&box, 1, NULL, NULL), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_find_pairs(&box, 1, NULL, &without_data), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_find_pairs_between(NULL, 1, &box, 1, NULL, &pairs), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_find_pairs_between(&box, 1, NULL, 1, NULL, &pairs), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_find_pairs_between(&box, 1, &box, 1, NULL, NULL), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_world_create(NULL, NULL), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_add(NULL, &box, NULL, &id), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_add_many(NULL, 1, &box, NULL, &id), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_move(NULL, 0, &box), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_move_many(NULL, 1, &id, &box), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_remove(NULL, 0), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_set_object(NULL, 0, NULL), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_get_object(NULL, 0, NULL, NULL), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_update(NULL, NULL), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_world_stats(NULL, &stats), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_world_validate(NULL), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_world_count(NULL), 0);
    bp_world_destroy(NULL);
    bp_pairs_free(NULL, NULL);
    assert_int_equal(bp_world_create(NULL, &world), BP_OK);
    assert_int_equal(bp_add(world, NULL, NULL, &id), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_add_many(world, 1, NULL, NULL, NULL), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_world_count(world), 0);
    assert_int_equal(bp_add(world, &box, NULL, &id), BP_OK);
    assert_int_equal(bp_move(world, id, NULL), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_move_many(world, 1, NULL, NULL), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_world_stats(world, NULL), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_get_object(world, id, NULL, NULL), BP_OK);
    bp_world_destroy(world);
}

// Every allocation fails in turn; whichever it is, the log says what to do.
static void *allocate_some(void *context, size_t size) {
    size_t *left = context;
    return (*left)-- == 0 ? NULL : bp_allocator_default().allocate(NULL, size);
}

static void release_some(void *context, void *memory, size_t size) {
    (void)context;
    bp_allocator_default().release(NULL, memory, size);
}

static void refused_memory_comes_with_advice(void **state) {
    (void)state;
    bp_box *boxes = make_boxes(BOXES);
    bp_status status = BP_ERROR_MEMORY;
    for (size_t refused = 0; status != BP_OK; ++refused) {
        size_t left = refused;
        test_log log = {0};
        bp_config config = {.pair_order = BP_ORDER_SORTED, .log = test_log_hook(&log)};
        config.allocator = (bp_allocator){.allocate = allocate_some, .release = release_some, .context = &left};
        bp_pairs pairs = {0};
        status = bp_find_pairs(boxes, BOXES, &config, &pairs);
        if (status != BP_OK) {
            assert_int_equal(status, BP_ERROR_MEMORY);
            expect_log(&log, "500 boxes and their pairs");
            expect_log(&log, "another config.method");
        }
        left = SIZE_MAX;
        bp_pairs_free(&pairs, &config);
    }
    free(boxes);
}

static void refuses_counts_beyond_the_ids(void **state) {
    (void)state;
    static const size_t counts[] = {
        BP_MAX_COUNT + 1,
        SIZE_MAX,
#if SIZE_MAX > UINT32_MAX
        BP_MAX_COUNT + 2,
        SIZE_MAX / sizeof(bp_box),
#endif
    };
    const bp_box box = cube_of(0, 0, 0, 1);
    bp_pairs pairs = {0};
    bp_world *world = NULL;
    assert_int_equal(bp_world_create(NULL, &world), BP_OK);
    assert_int_equal(bp_add(world, &box, NULL, NULL), BP_OK);
    for (size_t i = 0; i < COUNT_OF(counts); ++i) {
        assert_int_equal(bp_find_pairs(&box, counts[i], NULL, &pairs), BP_ERROR_ARGUMENT);
        assert_int_equal(bp_find_pairs_between(&box, counts[i], &box, 1, NULL, &pairs), BP_ERROR_ARGUMENT);
        assert_int_equal(bp_find_pairs_between(&box, 1, &box, counts[i], NULL, &pairs), BP_ERROR_ARGUMENT);
        assert_int_equal(bp_add_many(world, counts[i], &box, NULL, NULL), BP_ERROR_ARGUMENT);
        assert_int_equal(bp_move_many(world, counts[i], NULL, &box), BP_ERROR_ARGUMENT);
    }
    assert_int_equal(bp_world_count(world), 1);
    bp_world_destroy(world);
}

static void numbers_that_mean_nothing_have_answers(void **state) {
    (void)state;
    assert_non_null(bp_status_text((bp_status)-1));
    assert_non_null(bp_status_text((bp_status)1000));
    for (int status = BP_OK; status <= BP_ERROR_INTERNAL; ++status) {
        assert_true(strlen(bp_status_text((bp_status)status)) > 0);
    }
    assert_null(bp_method_name(bp_method_count()));
    assert_null(bp_method_name(SIZE_MAX));
    assert_null(bp_method_summary(bp_method_count()));
    assert_int_equal(bp_method_supports(bp_method_count()), 0);
    assert_int_equal(bp_method_supports(SIZE_MAX), 0);
    for (size_t method = 0; method < bp_method_count(); ++method) {
        assert_non_null(bp_method_name(method));
        assert_non_null(bp_method_summary(method));
    }
}

// ---- periods and 64-bit boxes --------------------------------------------------------------------------------------

typedef struct long_box {
    bp_box_double box;
    bp_status status, status_double;
} long_box;

// In a period of 4 along x and 2 along z; no float lies between the double above 4 and 4 itself.
static const long_box LONG_BOXES[] = {
    {{{0, 0, 0}, {4, 9, 2}}, BP_OK, BP_OK},
    {{{-1, 0, 0}, {3, 9, 2}}, BP_OK, BP_OK},
    {{{0, 0, 0}, {4.25, 1, 1}}, BP_ERROR_BOX, BP_ERROR_BOX},
    {{{0, 0, 0}, {1, 1, 2.5}}, BP_ERROR_BOX, BP_ERROR_BOX},
    {{{0, 0, 0}, {4.000000000000001, 1, 1}}, BP_OK, BP_ERROR_BOX},
    {{{-3e38, 0, 0}, {3e38, 1, 1}}, BP_ERROR_BOX, BP_ERROR_BOX},
    {{{-INFINITY, 0, 0}, {1, 1, 1}}, BP_OK, BP_OK},
    {{{0, 0, -INFINITY}, {1, 1, INFINITY}}, BP_OK, BP_OK},
};

static void expect_long_box(const long_box *l, size_t at, uint32_t dimensions, int32_t threads) {
    bp_box_double boxes[] = {l->box, l->box, l->box};
    bp_box floats[3];
    test_log log = {.count = 0};
    const bp_config config = {
        .dimensions = dimensions, .threads = threads, .period = {4, 0, 2}, .log = test_log_hook(&log)};
    bp_pairs pairs = {0};
    char index[32];
    (void)snprintf(index, sizeof index, "box %zu ", at);
    for (size_t i = 0; i < 3; ++i) {
        boxes[i] = i == at ? l->box : (bp_box_double){.max = {1, 1, 1}};
        for (int axis = 0; axis < 3; ++axis) {
            floats[i].min[axis] = (float)boxes[i].min[axis];
            floats[i].max[axis] = (float)boxes[i].max[axis];
        }
    }
    const bool flat = dimensions == 2 && l->box.max[2] == 2.5; // z does not count
    const bp_status status = flat ? BP_OK : l->status, status_double = flat ? BP_OK : l->status_double;
    assert_int_equal(bp_find_pairs(floats, 3, &config, &pairs), status);
    assert_int_equal(bp_find_pairs_between(floats, 1, floats, 3, &config, &pairs), status);
    assert_int_equal(bp_find_pairs_double(boxes, 3, &config, &pairs), status_double);
    assert_int_equal(bp_find_pairs_between_double(boxes, 1, boxes, 3, &config, &pairs), status_double);
    if (status_double != BP_OK) {
        expect_log(&log, at > 0 ? index : "period");
    }
    bp_pairs_free(&pairs, NULL);
}

static void refuses_boxes_longer_than_the_period(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(LONG_BOXES); ++i) {
        for (size_t at = 0; at < 3; ++at) {
            expect_long_box(&LONG_BOXES[i], at, 3, 1);
            expect_long_box(&LONG_BOXES[i], at, 2, 3);
        }
    }
}

// What a margin adds to a box may be longer than the period: then it covers it.
static void a_margin_may_be_longer_than_the_period(void **state) {
    (void)state;
    const bp_box boxes[] = {cube_of(0, 0, 0, 1), cube_of(50, 0, 0, 1), cube_of(98, 0, 0, 1)};
    bp_config config = {.margin = 60.0f, .period = {100, 0, 0}};
    bp_pairs pairs = {0};
    assert_int_equal(bp_find_pairs(boxes, 3, &config, &pairs), BP_OK);
    assert_int_equal(pairs.count, 3);
    config.margin = FLT_MAX;
    assert_int_equal(bp_find_pairs(boxes, 3, &config, &pairs), BP_OK);
    assert_int_equal(pairs.count, 3);
    config.margin = 1.0f;
    assert_int_equal(bp_find_pairs(boxes, 3, &config, &pairs), BP_OK);
    assert_int_equal(pairs.count, 1);
    bp_pairs_free(&pairs, NULL);
}

static void refuses_64_bit_nonsense(void **state) {
    (void)state;
    static const bp_box_double wrong[] = {
        {{NAN, 0, 0}, {1, 1, 1}}, {{0, 0, 0}, {1, NAN, 1}}, {{0, 0, 1.0000000000000002}, {1, 1, 1}}};
    const bp_box_double right = {{0, 0, 0}, {1, 1, 1}};
    test_log log = {.count = 0};
    const bp_config config = {.log = test_log_hook(&log)};
    bp_pairs pairs = {0}, without_data = {.capacity = 4};
    for (size_t i = 0; i < COUNT_OF(wrong); ++i) {
        const bp_box_double boxes[] = {right, right, wrong[i]};
        assert_int_equal(bp_find_pairs_double(boxes, 3, &config, &pairs), BP_ERROR_BOX);
        expect_log(&log, "box 2 ");
        assert_int_equal(bp_find_pairs_between_double(&right, 1, boxes, 3, &config, &pairs), BP_ERROR_BOX);
        assert_int_equal(bp_find_pairs_between_double(boxes, 3, &right, 1, &config, &pairs), BP_ERROR_BOX);
    }
    assert_int_equal(bp_find_pairs_double(NULL, 1, &config, &pairs), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_find_pairs_double(&right, BP_MAX_COUNT + 1, &config, &pairs), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_find_pairs_double(&right, 1, &config, NULL), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_find_pairs_double(&right, 1, &config, &without_data), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_find_pairs_between_double(&right, 1, NULL, 1, &config, &pairs), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_find_pairs_between_double(NULL, 1, &right, 1, &config, &pairs), BP_ERROR_ARGUMENT);
    assert_int_equal(bp_find_pairs_double(NULL, 0, &config, &pairs), BP_OK);
    assert_int_equal(bp_find_pairs_between_double(NULL, 0, &right, 1, &config, &pairs), BP_OK);
    bp_pairs_free(&pairs, NULL);
}

// ---- boxes ----------------------------------------------------------------------------------------------------------

typedef struct bad_box {
    const char *what;
    bp_box box;
} bad_box;

static const bad_box BAD_BOXES[] = {
    {"NaN in min x", {{NAN, 0, 0}, {1, 1, 1}}},
    {"NaN in min z", {{0, 0, NAN}, {1, 1, 1}}},
    {"NaN in max y", {{0, 0, 0}, {1, NAN, 1}}},
    {"all NaN", {{NAN, NAN, NAN}, {NAN, NAN, NAN}}},
    {"inverted in x", {{2, 0, 0}, {1, 1, 1}}},
    {"inverted in y", {{0, 2, 0}, {1, 1, 1}}},
    {"inverted in z", {{0, 0, 2}, {1, 1, 1}}},
    {"inverted by infinity", {{INFINITY, 0, 0}, {-INFINITY, 1, 1}}},
    {"inverted by one step", {{1.00000012f, 0, 0}, {1, 1, 1}}},
};

static void expect_world_unchanged(bp_world *world, const pair_list *expected, const char *what) {
    bp_result result;
    const bp_box same = cube_of(1, 1, 1, 0.5f);
    assert_int_equal(bp_world_count(world), BOXES);
    assert_int_equal(bp_world_validate(world), BP_OK);
    assert_int_equal(bp_update(world, &result), BP_OK);
    expect_pairs(result.pairs, result.pair_count, expected, "after: %s", what);
    bp_box kept;
    assert_int_equal(bp_get_object(world, 7, &kept, NULL), BP_OK);
    assert_int_equal(bp_move(world, 7, &same), BP_OK);
    assert_int_equal(bp_move(world, 7, &kept), BP_OK);
    assert_int_equal(bp_update(world, &result), BP_OK);
    expect_pairs(result.pairs, result.pair_count, expected, "anew, after: %s", what);
}

static void expect_box_refused(bp_world *world, test_log *log, const bad_box *bad, size_t at, const bp_box *good) {
    bp_box *boxes = obtain(BOXES, sizeof *boxes);
    bp_id ids[BOXES];
    char index[32];
    bp_pairs pairs = {0};
    const bp_config config = {.log = test_log_hook(log), .threads = 3};
    memcpy(boxes, good, BOXES * sizeof *boxes);
    boxes[at] = bad->box;
    (void)snprintf(index, sizeof index, "box %zu ", at);
    for (size_t i = 0; i < BOXES; ++i) {
        ids[i] = (bp_id)i;
    }
    assert_int_equal(bp_find_pairs(boxes, BOXES, &config, &pairs), BP_ERROR_BOX);
    expect_log(log, index);
    log->count = 0;
    assert_int_equal(bp_find_pairs_between(good, BOXES, boxes, BOXES, &config, &pairs), BP_ERROR_BOX);
    expect_log(log, index);
    log->count = 0;
    assert_int_equal(bp_add_many(world, BOXES, boxes, NULL, ids), BP_ERROR_BOX);
    expect_log(log, index);
    log->count = 0;
    assert_int_equal(bp_move_many(world, BOXES, NULL, boxes), BP_ERROR_BOX);
    expect_log(log, index);
    assert_int_equal(bp_move_many(world, BOXES, ids, boxes), BP_ERROR_BOX);
    assert_int_equal(bp_move(world, 3, &bad->box), BP_ERROR_BOX);
    assert_int_equal(bp_add(world, &bad->box, NULL, &ids[0]), BP_ERROR_BOX);
    bp_pairs_free(&pairs, &config);
    free(boxes);
}

static void refuses_invalid_boxes_and_names_them(void **state) {
    (void)state;
    static const size_t places[] = {0, 63, 64, 130, BOXES - 1};
    bp_box *boxes = make_boxes(BOXES);
    pair_list expected = naive_pairs(boxes, BOXES, 3);
    test_log log = {.count = 0};
    const bp_config config = {.log = test_log_hook(&log)};
    bp_world *world = NULL;
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, BOXES, boxes, NULL, NULL), BP_OK);
    for (size_t i = 0; i < COUNT_OF(BAD_BOXES); ++i) {
        for (size_t place = 0; place < COUNT_OF(places); ++place) {
            expect_box_refused(world, &log, &BAD_BOXES[i], places[place], boxes);
        }
        expect_world_unchanged(world, &expected, BAD_BOXES[i].what);
    }
    bp_world_destroy(world);
    pair_list_free(&expected);
    free(boxes);
}

// The check itself runs in several tasks when there are many boxes.
static void names_the_first_of_several_invalid_boxes(void **state) {
    (void)state;
    enum { MANY = 200000 };
    bp_box *boxes = make_boxes(MANY);
    test_log log = {.count = 0};
    const bp_config config = {.log = test_log_hook(&log), .executor = thread_executor(3)};
    bp_pairs pairs = {0};
    boxes[150000].min[1] = NAN;
    boxes[70000].max[2] = -INFINITY;
    boxes[199999].min[0] = NAN;
    assert_int_equal(bp_find_pairs(boxes, MANY, &config, &pairs), BP_ERROR_BOX);
    expect_log(&log, "box 70000 ");
    free(boxes);
}

// ---- ids and objects ------------------------------------------------------------------------------------------------

static void refuses_ids_that_are_not_alive(void **state) {
    (void)state;
    bp_box *boxes = make_boxes(BOXES + 1);
    test_log log = {.count = 0};
    const bp_config config = {.log = test_log_hook(&log)};
    bp_world *world = NULL;
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, BOXES + 1, boxes, NULL, NULL), BP_OK);
    assert_int_equal(bp_remove(world, BOXES), BP_OK);
    pair_list expected = naive_pairs(boxes, BOXES, 3);
    static const bp_id dead[] = {BOXES, BOXES + 1, 1u << 31, UINT32_MAX - 1, UINT32_MAX};
    for (size_t i = 0; i < COUNT_OF(dead); ++i) {
        const bp_id ids[] = {0, 1, dead[i]};
        char text[32];
        (void)snprintf(text, sizeof text, "id %u ", dead[i]);
        log.count = 0;
        assert_int_equal(bp_remove(world, dead[i]), BP_ERROR_ID);
        expect_log(&log, text);
        assert_int_equal(bp_move(world, dead[i], boxes), BP_ERROR_ID);
        assert_int_equal(bp_move_many(world, 3, ids, boxes + 10), BP_ERROR_ID);
        assert_int_equal(bp_set_object(world, dead[i], NULL), BP_ERROR_ID);
        assert_int_equal(bp_get_object(world, dead[i], &boxes[BOXES], NULL), BP_ERROR_ID);
        expect_world_unchanged(world, &expected, text);
    }
    assert_int_equal(bp_move_many(world, BOXES + 1, NULL, boxes), BP_ERROR_ID);
    expect_world_unchanged(world, &expected, "more boxes than ids");
    bp_world_destroy(world);
    pair_list_free(&expected);
    free(boxes);
}

static void refuses_unknown_words_of_objects(bp_object unknown) {
    bp_box *boxes = make_boxes(BOXES);
    bp_object objects[3] = {{0}, {.flags = BP_STATIC}, unknown};
    pair_list expected = naive_pairs(boxes, BOXES, 3);
    test_log log = {.count = 0};
    const bp_config config = {.log = test_log_hook(&log)};
    bp_world *world = NULL;
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, BOXES, boxes, NULL, NULL), BP_OK);
    assert_int_equal(bp_add_many(world, 3, boxes, objects, NULL), BP_ERROR_ARGUMENT);
    expect_log(&log, "flags");
    assert_int_equal(bp_set_object(world, 0, &objects[2]), BP_ERROR_ARGUMENT);
    expect_world_unchanged(world, &expected, "unknown words");
    bp_world_destroy(world);
    pair_list_free(&expected);
    free(boxes);
}

static void refuses_unknown_flags_of_objects(void **state) {
    (void)state;
    refuses_unknown_words_of_objects((bp_object){.flags = 2});
    refuses_unknown_words_of_objects((bp_object){.reserved = 1});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_boxes_longer_than_the_period),
        cmocka_unit_test(a_margin_may_be_longer_than_the_period),
        cmocka_unit_test(refuses_64_bit_nonsense),
        cmocka_unit_test(refuses_nonsense_in_the_config),
        cmocka_unit_test(accepts_the_ends_of_every_range),
        cmocka_unit_test(a_world_takes_no_fixed_buffer),
        cmocka_unit_test(refuses_what_a_method_does_not_support),
        cmocka_unit_test(the_environment_can_name_the_instruction_set),
        cmocka_unit_test(refuses_null_pointers),
        cmocka_unit_test(refused_memory_comes_with_advice),
        cmocka_unit_test(refuses_counts_beyond_the_ids),
        cmocka_unit_test(numbers_that_mean_nothing_have_answers),
        cmocka_unit_test(refuses_invalid_boxes_and_names_them),
        cmocka_unit_test(names_the_first_of_several_invalid_boxes),
        cmocka_unit_test(refuses_ids_that_are_not_alive),
        cmocka_unit_test(refuses_unknown_flags_of_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
