// bp_world_record: the stream, and its replay by `broadphase trace`.
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 700, STEPS = 12 };

typedef struct tape {
    unsigned char *bytes;
    size_t used, capacity, limit, calls, largest;
    bp_world *world; // that a write calls into
} tape;

static int write_tape(void *context, const void *bytes, size_t size) {
    tape *t = context;
    ++t->calls;
    t->largest = size > t->largest ? size : t->largest;
    if (t->world != NULL) {
        assert_int_equal(bp_update(t->world, NULL), BP_ERROR_ARGUMENT);
    }
    if (t->used + size > t->limit) {
        return 0;
    }
    if (t->used + size > t->capacity) {
        t->capacity = 2 * (t->used + size);
        t->bytes = realloc(t->bytes, t->capacity);
        assert_non_null(t->bytes);
    }
    memcpy(t->bytes + t->used, bytes, size);
    t->used += size;
    return 1;
}

// The expected boxes of each step: absent objects are NaNs.
typedef struct history {
    bp_box boxes[STEPS][COUNT];
    size_t pairs[STEPS];
} history;

static void run_world(tape *t, history *h, const bp_config *config) {
    rng random = rng_seeded(5);
    bp_world *world = NULL;
    bp_result result = {0};
    bp_box box = random_cube(&random, 8.0, 1.0);
    assert_int_equal(bp_world_create(config, &world), BP_OK);
    assert_int_equal(bp_add(world, &box, NULL, NULL), BP_OK);
    assert_int_equal(bp_update(world, NULL), BP_OK); // before the recording
    assert_int_equal(bp_world_record(world, write_tape, t), BP_OK);
    for (size_t id = 1; id < COUNT; ++id) {
        box = random_cube(&random, 8.0, 1.0);
        assert_int_equal(bp_add(world, &box, NULL, NULL), BP_OK);
    }
    for (size_t step = 0; step < STEPS; ++step) {
        const size_t moves = step == 5 ? 0 : step == 6 ? COUNT : 6;
        for (size_t i = 0; i < moves; ++i) {
            const bp_id id = rng_below(&random, COUNT);
            box = random_cube(&random, 8.0, 1.0);
            const bp_status status = bp_move(world, id, &box);
            assert_true(status == BP_OK || status == BP_ERROR_ID);
        }
        (void)bp_remove(world, (bp_id)(3 * step));
        if (step == 8) {
            assert_int_equal(bp_add(world, &box, NULL, NULL), BP_OK);
        }
        assert_int_equal(bp_update(world, &result), BP_OK);
        h->pairs[step] = result.pair_count;
        for (size_t id = 0; id < COUNT; ++id) {
            if (bp_get_object(world, (bp_id)id, &h->boxes[step][id], NULL) != BP_OK) {
                h->boxes[step][id] = (bp_box){{NAN, NAN, NAN}, {NAN, NAN, NAN}};
            }
        }
    }
    assert_int_equal(bp_world_record(world, NULL, NULL), BP_OK);
    const size_t used = t->used;
    assert_int_equal(bp_update(world, NULL), BP_OK);
    assert_int_equal(t->used, used);
    bp_world_destroy(world);
}

static void put_file(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static size_t get_file(const char *path, unsigned char *bytes, size_t capacity) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, capacity, file);
    assert_int_equal(fclose(file), 0);
    return size;
}

static int tool(const char *arguments) {
    char command[512];
    snprintf(command, sizeof command, "%s %s", BROADPHASE_TOOL, arguments);
    return system(command);
}

static void path_in(char path[128], const char *folder, const char *name) {
    snprintf(path, 128, "%s/%s", folder, name);
}

static void expect_replay(const tape *t, const history *h) {
    char folder[] = "test_record_XXXXXX", trace[128], array[128], lines[128], arguments[400];
    assert_non_null(mkdtemp(folder));
    path_in(trace, folder, "a.trace");
    path_in(array, folder, "a.npy");
    path_in(lines, folder, "a.txt");
    put_file(trace, t->bytes, t->used);
    snprintf(arguments, sizeof arguments, "trace %s -o %s", trace, array);
    assert_int_equal(tool(arguments), 0);
    const size_t header = 128, size = sizeof h->boxes;
    unsigned char *bytes = obtain(header + size + 1, 1);
    assert_int_equal(get_file(array, bytes, header + size + 1), header + size);
    assert_non_null(strstr((const char *)bytes + 10, "'shape': (12, 700, 6)"));
    swap_if_big_endian(bytes + header, size, sizeof(float));
    for (size_t i = 0; i < STEPS * COUNT; ++i) {
        bp_box box;
        memcpy(&box, bytes + header + i * sizeof box, sizeof box);
        const bp_box *expected = &h->boxes[i / COUNT][i % COUNT];
        const bool same = isnan(expected->min[0]) ? isnan(box.min[0]) : memcmp(&box, expected, sizeof box) == 0;
        if (!same) {
            fail_msg("step %zu, object %zu", i / COUNT, i % COUNT);
        }
    }
    for (size_t source = 0; source < 2; ++source) { // the recording itself, and the array
        snprintf(arguments, sizeof arguments, "trace %s --verify --quiet >%s", source == 0 ? trace : array, lines);
        assert_int_equal(tool(arguments), 0);
        FILE *file = fopen(lines, "r");
        char line[256];
        assert_non_null(file);
        assert_non_null(fgets(line, sizeof line, file));
        for (size_t step = 0; step < STEPS; ++step) {
            size_t number = 0, objects = 0, pairs = 0;
            assert_non_null(fgets(line, sizeof line, file));
            assert_int_equal(sscanf(line, "%zu,%zu,%zu,", &number, &objects, &pairs), 3);
            assert_int_equal(number, step);
            assert_int_equal(pairs, h->pairs[step]);
        }
        assert_null(fgets(line, sizeof line, file));
        assert_int_equal(fclose(file), 0);
    }
    // A file that was cut is refused.
    put_file(trace, t->bytes, t->used - 5);
    snprintf(arguments, sizeof arguments, "trace %s >%s 2>&1", trace, lines);
    assert_int_not_equal(tool(arguments), 0);
    free(bytes);
    (void)remove(trace);
    (void)remove(array);
    (void)remove(lines);
    (void)rmdir(folder);
}

static void test_replay(void **state) {
    (void)state;
    static history h;
    const bp_config configs[] = {{0}, {.method = BP_METHOD_LINKED_CELLS}, {.method = BP_METHOD_BVH}};
    for (size_t i = 0; i < COUNT_OF(configs); ++i) {
        tape t = {.limit = SIZE_MAX};
        run_world(&t, &h, &configs[i]);
        assert_true(t.largest <= 16384);
        expect_replay(&t, &h);
        free(t.bytes);
    }
}

// Where changes are known, only those are written.
static void test_size(void **state) {
    (void)state;
    static history h;
    tape t = {.limit = SIZE_MAX};
    run_world(&t, &h, &(bp_config){0});
    assert_true(t.used < 8 + STEPS * 16 + 28 * (3 * COUNT + STEPS * 10));
    free(t.bytes);
}

static void test_failing_write(void **state) {
    (void)state;
    test_log log = {0};
    tape t = {.limit = 100};
    const bp_config config = {.log = test_log_hook(&log)};
    bp_world *world = NULL;
    bp_result result = {0};
    const bp_box boxes[] = {cube_of(0, 0, 0, 1), cube_of(0.5f, 0, 0, 1)};
    assert_int_equal(bp_world_create(&config, &world), BP_OK);
    t.world = world;
    assert_int_equal(bp_add_many(world, 2, boxes, NULL, NULL), BP_OK);
    assert_int_equal(bp_world_record(world, write_tape, &t), BP_OK);
    assert_int_equal(bp_update(world, &result), BP_OK); // 8 + 16 + 2 * 28 bytes
    assert_int_equal(t.used, 80);
    assert_int_equal(bp_move(world, 0, &boxes[1]), BP_OK);
    const size_t said = log.count;
    assert_int_equal(bp_update(world, &result), BP_ERROR_ARGUMENT);
    assert_true(log.count > said && strstr(log.text, "recording") != NULL);
    assert_int_equal(bp_update(world, &result), BP_OK); // without
    assert_int_equal(result.pair_count, 1);
    assert_int_equal(t.used, 80);
    assert_int_equal(bp_world_record(NULL, write_tape, &t), BP_ERROR_ARGUMENT);
    bp_world_destroy(world);
    free(t.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replay),
        cmocka_unit_test(test_size),
        cmocka_unit_test(test_failing_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
