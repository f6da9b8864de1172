// Numbers that do not fit: more than 2^31 and 2^32 pairs, counts that begin just below these, more cells than 2^64, and
// sizes that no machine has.
//
// BP_TEST_ALL=1 counts the pairs of every method beyond 2^32 (brute force takes half a minute for that).
#include "support/support.h"

#include "api/config.h"
#include "base/pair_sink.h"
#include "base/parallel.h"
#include "engine/method.h"
#include "kernels/range_tester.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- an allocator with a limit -------------------------------------------------------------------------------------

typedef struct purse {
    size_t limit; // of one block
    size_t held, most;
} purse;

static void *take(void *context, size_t size) {
    purse *p = context;
    if (size > p->limit) {
        return NULL;
    }
    p->held += size;
    p->most = p->held > p->most ? p->held : p->most;
    return allocate_aligned(64, size);
}

static void give_back(void *context, void *memory, size_t size) {
    ((purse *)context)->held -= size;
    release_aligned(memory);
}

// ---- many pairs ----------------------------------------------------------------------------------------------------

enum { MEGABYTE = 1 << 20 };

// Counted into no buffer at all: nothing but the count may grow. It stays at SIZE_MAX if there are more.
static void check_count(size_t method, size_t count, uint32_t workers) {
    const uint64_t all = (uint64_t)count * (count - 1) / 2;
    const size_t expected = all < SIZE_MAX ? (size_t)all : SIZE_MAX;
    bp_box *boxes = obtain(count, sizeof *boxes);
    for (size_t i = 0; i < count; ++i) {
        boxes[i] = cube_of(0, 0, 0, 1);
    }
    purse p = {.limit = SIZE_MAX};
    bp_stats stats;
    const bp_config config = {.method = (bp_method)method,
                              .flags = BP_PAIRS_FIXED,
                              .executor = reverse_executor(workers),
                              .allocator = {take, give_back, &p},
                              .stats = &stats};
    bp_pairs pairs = {0};
    assert_int_equal(bp_find_pairs(boxes, count, &config, &pairs), BP_ERROR_CAPACITY);
    if (pairs.count != expected || stats.pairs != expected || stats.tests < all || p.most > 64 * MEGABYTE) {
        fail_msg("%s, %zu identical boxes, %u tasks: %zu pairs, %zu in the figures, %zu expected; %zu bytes",
                 bp_method_name(method), count, workers, pairs.count, stats.pairs, expected, p.most);
    }
    assert_int_equal(p.held, 0);
    free(boxes);
}

static void counts_beyond_2_31_and_2_32_are_right(void **state) {
    (void)state;
    if (quick()) {
        check_count(BP_METHOD_HIERARCHICAL_GRID, 20000, 3);
        return;
    }
    check_count(BP_METHOD_HIERARCHICAL_GRID, 65536, 1); // the last below 2^31
    check_count(BP_METHOD_HIERARCHICAL_GRID, 65537, 3);
    check_count(BP_METHOD_COMPACT_GRID, 92682, 1); // the last below 2^32
    check_count(BP_METHOD_HIERARCHICAL_GRID, 92683, 3);
    for (size_t method = 1; method < bp_method_count() && environment_number("BP_TEST_ALL", 0) != 0; ++method) {
        check_count(method, 92683, 1);
    }
}

// ---- counts that begin high ----------------------------------------------------------------------------------------

enum { IDENTICAL = 300 };

// As if so many pairs had been found before, and half as many tested. A count that ends higher than a size_t can say
// stays at its largest number.
static void check_base(size_t method, uint32_t workers, size_t base) {
    const bp_config given = {
        .method = (bp_method)method, .executor = reverse_executor(workers), SETTINGS(.brute_force_below = 1)};
    const size_t found = IDENTICAL * (IDENTICAL - 1) / 2, expected = base > SIZE_MAX - found ? SIZE_MAX : base + found;
    const uint64_t tests = base / 2;
    bp_box boxes[IDENTICAL];
    bp_setup setup;
    for (size_t i = 0; i < IDENTICAL; ++i) {
        boxes[i] = cube_of(0, 0, 0, 1);
    }
    assert_int_equal(bp_setup_complete(&given, &setup), BP_OK);
    const bp_method_ops *ops = bp_method_get((bp_method)method, &setup.methods);
    void *method_state = bp_method_create(ops, &setup.methods);
    assert_non_null(method_state);
    assert_int_equal(ops->build(method_state, boxes, IDENTICAL), BP_OK);
    bp_sink sink = {.allocator = &setup.methods.runtime.allocator, .count = base, .tests = tests};
    assert_int_equal(ops->find(method_state, &sink), BP_OK);
    if (sink.count != expected || sink.tests < tests + found) {
        fail_msg("%s, %u tasks: %zu pairs instead of %zu; %llu tests after %llu, instead of %zu more", ops->name,
                 workers, sink.count, expected, (unsigned long long)sink.tests, (unsigned long long)tests, found);
    }
    bp_sink_free(&sink);
    bp_method_destroy(ops, &setup.methods.runtime.allocator, method_state);
}

static void a_count_that_begins_high_is_right(void **state) {
    (void)state;
    static const size_t bases[] = {0, INT32_MAX - 5, UINT32_MAX - 5, SIZE_MAX / 2, SIZE_MAX - 5, SIZE_MAX};
    for (size_t method = 1; method < bp_method_count(); ++method) {
        for (size_t i = 0; i < COUNT_OF(bases); ++i) {
            check_base(method, 1, bases[i]);
            check_base(method, 8, bases[i]);
        }
    }
}

// ---- many cells ----------------------------------------------------------------------------------------------------

static void check_cells(const bp_box *boxes, size_t count, const pair_list *expected, bp_config config) {
    purse p = {.limit = 64 * MEGABYTE};
    char text[CONFIG_TEXT];
    bp_pairs pairs = {0};
    config.allocator = (bp_allocator){take, give_back, &p};
    const bp_status status = bp_find_pairs(boxes, count, &config, &pairs);
    if (status != BP_OK && status != BP_ERROR_MEMORY) {
        fail_msg("\"%s\": domain to %g: %s", bp_status_text(status), (double)config.settings->domain.max[0],
                 config_text(&config, text));
    }
    if (status == BP_OK) {
        expect_pairs(pairs.data, pairs.count, expected, "domain to %g: %s", (double)config.settings->domain.max[0],
                     config_text(&config, text));
    }
    bp_pairs_free(&pairs, &config);
    assert_int_equal(p.held, 0);
}

// In all of these the product of the cells along the axes, or its bytes, is more than 64 bits hold; in some, what is
// left of it there is a small number, or none.
static const float EDGES[][3] = {
    {0x1p16f, 0x1p16f, 0x1p16f}, {0x1p21f, 0x1p21f, 0x1p21f}, {0x1p22f, 0x1p21f, 0x1p21f}, {0x1p22f, 0x1p22f, 0x1p22f},
    {0x1p32f, 0x1p32f, 1.0f},    {0x1p32f, 1.0f, 0x1p32f},    {0x1p31f, 0x1p33f, 2.0f},    {0x1p63f, 2.0f, 1.0f},
    {0x1p64f, 1.0f, 1.0f},       {1e38f, 1e38f, 1e38f},
};

static void more_cells_than_can_be_counted_are_survived(void **state) {
    (void)state;
    enum { BOXES = 200 };
    rng random = rng_seeded(5);
    bp_box boxes[BOXES];
    for (size_t i = 0; i < BOXES; ++i) {
        boxes[i] = random_cube(&random, 8.0, 0.9);
    }
    pair_list expected = naive_pairs(boxes, BOXES, 3);
    for (size_t method = 1; method < bp_method_count(); ++method) {
        for (size_t i = 0; i < COUNT_OF(EDGES); ++i) {
            bp_method_settings settings = {.brute_force_below = 1};
            const bp_config config = {.method = (bp_method)method, .settings = &settings};
            memcpy(settings.domain.max, EDGES[i], sizeof EDGES[i]);
            check_cells(boxes, BOXES, &expected, config);
            settings.cell_size = 1.0f;
            check_cells(boxes, BOXES, &expected, config);
            settings.pivot_layout = BP_PIVOTS_DENSE;
            settings.compact_keys = BP_KEYS_Z_CURVE;
            check_cells(boxes, BOXES, &expected, config);
            settings.cell_size = 1e-30f;
            check_cells(boxes, BOXES, &expected, config);
            settings.grid_entries = BP_ENTRIES_FOOTPRINT;
            check_cells(boxes, BOXES, &expected, config);
            settings.cell_size = 1.0f;
            check_cells(boxes, BOXES, &expected, config);
        }
    }
    pair_list_free(&expected);
}

// Cells of a hierarchical grid that no table can hold, asked for directly or by objects per cell.
static void more_cells_in_a_level_than_can_be_counted_are_refused(void **state) {
    (void)state;
    static const bp_method_settings settings[] = {
        {.grid_size = {1 << 20, 1 << 20, 1 << 20}},
        {.grid_size = {1 << 20, 1 << 16, 1 << 16}}, // 52 bits, and ...
        {.grid_size = {1 << 12, 1 << 10, 1 << 10}}, // ... 32: a 32-bit number of them would be 0
        {.grid_load = 1e-30f},
        {.grid_load = 1e-9f},
    };
    static const bp_update_strategy strategies[] = {BP_UPDATE_REBUILD, BP_UPDATE_INDIVIDUAL};
    const bp_box box = cube_of(0, 0, 0, 1);
    for (size_t i = 0; i < COUNT_OF(settings) * COUNT_OF(strategies); ++i) {
        purse p = {.limit = 64 * MEGABYTE};
        bp_method_settings chosen = settings[i / COUNT_OF(strategies)];
        chosen.hierarchy_factor = 2.0f;
        chosen.brute_force_below = 1;
        const bp_config config = {.method = BP_METHOD_HIERARCHICAL_GRID,
                                  .update = strategies[i % COUNT_OF(strategies)],
                                  .allocator = {take, give_back, &p},
                                  .settings = &chosen};
        bp_world *world = NULL;
        assert_int_equal(bp_world_create(&config, &world), BP_OK);
        assert_int_equal(bp_add(world, &box, NULL, NULL), BP_OK);
        assert_int_equal(bp_update(world, NULL), BP_ERROR_MEMORY);
        bp_world_destroy(world);
        assert_int_equal(p.held, 0);
    }
}

// ---- sizes ---------------------------------------------------------------------------------------------------------

static void sizes_are_multiplied_with_care(void **state) {
    (void)state;
    assert_true(bp_size_multiply(0, SIZE_MAX) == 0 && bp_size_multiply(SIZE_MAX, 0) == 0);
    assert_true(bp_size_multiply(SIZE_MAX / 8, 8) == SIZE_MAX / 8 * 8);
    assert_true(bp_size_multiply(SIZE_MAX / 8 + 1, 8) == SIZE_MAX);
    const size_t root = (size_t)1 << (4 * sizeof(size_t)); // its square is one more than SIZE_MAX
    assert_true(bp_size_multiply(root, root) == SIZE_MAX);
    assert_true(bp_size_multiply(SIZE_MAX, SIZE_MAX) == SIZE_MAX);
    assert_true(bp_size_add(SIZE_MAX - 5, 4) == SIZE_MAX - 1 && bp_size_add(SIZE_MAX - 5, 6) == SIZE_MAX);
    assert_true(bp_size_add(SIZE_MAX, SIZE_MAX) == SIZE_MAX && bp_size_add(0, SIZE_MAX) == SIZE_MAX);
}

static void no_unit(const void *context, bp_range_tester *tester, size_t index) {
    (void)context;
    (void)tester;
    fail_msg("unit %zu of a search that is to be refused", index);
}

static void units_that_cannot_be_counted_are_refused(void **state) {
    (void)state;
    const bp_config config = {0};
    bp_setup setup;
    assert_int_equal(bp_setup_complete(&config, &setup), BP_OK);
    const bp_range_search search = {.runtime = &setup.methods.runtime, .unit_count = SIZE_MAX, .unit = no_unit};
    bp_block_sinks sinks = {0};
    bp_sink sink = {.allocator = &setup.methods.runtime.allocator};
    assert_int_equal(bp_range_search_run(&search, &sinks, &sink), BP_ERROR_MEMORY);
}

static void however_many_workers_there_is_a_block(void **state) {
    (void)state;
    static const uint32_t workers[] = {1, 2, 1u << 30, 1u << 31, UINT32_MAX};
    for (size_t i = 0; i < COUNT_OF(workers); ++i) {
        const bp_executor executor = {.workers = workers[i]};
        assert_int_equal(bp_blocks_cut(&executor, 1000, 1, 512).count, workers[i] == 1 ? 1 : workers[i] == 2 ? 8 : 512);
    }
}

// Each asks for more than there is, and must neither get less nor lose what it had.
static void buffers_do_not_become_small_by_being_too_large(void **state) {
    (void)state;
    static const size_t counts[] = {
        SIZE_MAX, SIZE_MAX / 2 + 1, SIZE_MAX / 8 + 1, SIZE_MAX / 8, SIZE_MAX / 10 * 8 + 8, SIZE_MAX / 5 * 4 + 4,
    };
    purse p = {.limit = MEGABYTE};
    const bp_allocator allocator = {take, give_back, &p};
    bp_buffer buffer = {0};
    bp_pairs pairs = {0};
    assert_true(bp_buffer_reserve(&buffer, &allocator, 0, 100, 8) && bp_pairs_reserve(&pairs, &allocator, 100));
    for (size_t i = 0; i < COUNT_OF(counts); ++i) {
        assert_false(bp_buffer_reserve(&buffer, &allocator, 800, counts[i], 8));
        assert_false(bp_buffer_reserve_slack(&buffer, &allocator, 800, counts[i], 8));
        if (bp_pairs_reserve(&pairs, &allocator, counts[i])) {
            fail_msg("room for %zu pairs was granted: %zu", counts[i], pairs.capacity);
        }
        assert_true(buffer.bytes == 800 && pairs.capacity >= 100 && pairs.capacity < 1000);
    }
    bp_buffer_free(&buffer, &allocator);
    bp_pairs_free(&pairs, &(bp_config){.allocator = allocator});
    assert_int_equal(p.held, 0);
}

static void a_sink_does_not_become_small_by_being_too_large(void **state) {
    (void)state;
    static const size_t counts[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 8, SIZE_MAX / 8 - 3};
    purse p = {.limit = MEGABYTE};
    const bp_allocator allocator = {take, give_back, &p};
    for (size_t i = 0; i < COUNT_OF(counts); ++i) {
        const bp_pairs empty = {0};
        size_t room = 0;
        bp_sink sink = bp_sink_open(&empty, &allocator, (bp_sink_rules){.limit = BP_SINK_UNLIMITED});
        bp_sink_expect(&sink, counts[i]); // if it is refused, the list will grow as it must
        assert_null(bp_sink_room(&sink, counts[i], &room));
        assert_true(sink.data == NULL && sink.capacity == 0);
        assert_true(bp_sink_push(&sink, 1, 2) && sink.count == 1);
        bp_sink_free(&sink);
    }
    assert_int_equal(p.held, 0);
}

static void a_world_cannot_be_promised_too_much(void **state) {
    (void)state;
    static const size_t counts[] = {1000000000, BP_MAX_COUNT / 2, BP_MAX_COUNT - 1};
    purse p = {.limit = MEGABYTE};
    const bp_config config = {.allocator = {take, give_back, &p}, .flags = BP_EVENTS, .margin = 1.0f};
    const bp_box box = cube_of(0, 0, 0, 1);
    bp_world *world = NULL;
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    assert_int_equal(bp_add(world, &box, NULL, NULL), BP_OK);
    for (size_t i = 0; i < COUNT_OF(counts); ++i) {
        assert_int_equal(bp_world_reserve(world, counts[i]), BP_ERROR_MEMORY);
        assert_int_equal(bp_world_validate(world), BP_OK);
    }
    assert_int_equal(bp_add(world, &box, NULL, NULL), BP_OK);
    assert_int_equal(bp_update(world, NULL), BP_OK);
    bp_world_destroy(world);
    assert_int_equal(p.held, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_beyond_2_31_and_2_32_are_right),
        cmocka_unit_test(a_count_that_begins_high_is_right),
        cmocka_unit_test(more_cells_than_can_be_counted_are_survived),
        cmocka_unit_test(more_cells_in_a_level_than_can_be_counted_are_refused),
        cmocka_unit_test(sizes_are_multiplied_with_care),
        cmocka_unit_test(units_that_cannot_be_counted_are_refused),
        cmocka_unit_test(however_many_workers_there_is_a_block),
        cmocka_unit_test(buffers_do_not_become_small_by_being_too_large),
        cmocka_unit_test(a_sink_does_not_become_small_by_being_too_large),
        cmocka_unit_test(a_world_cannot_be_promised_too_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
