// Loading damaged streams: cut, altered, forged, for another config; and failing reads or allocations.
#include "support/world_streams.h"

#include "world/save/save_format.h"
#include "world/save/section_stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- damage ---------------------------------------------------------------------------------------------------------

// Streams with all kinds of sections, to be damaged.
static const struct {
    bp_config config;
    bool wide;
} SMALL[] = {
    {{0}, false},
    {{.method = BP_METHOD_TREE, .margin = 0.25f, .flags = BP_EVENTS}, false},
    {{.margin = 0.25f, .flags = BP_EVENTS, .dimensions = 2}, true},
};

static stream small_stream(size_t kind) {
    bp_world *world = small_world(&SMALL[kind].config, SMALL[kind].wide);
    stream s = save(world);
    bp_world_destroy(world);
    return s;
}

// Loads a stream that must be refused: checks the status, the log, and that nothing leaks.
static void expect_refused(bp_config config, stream *s, const char *word, const char *what, size_t where) {
    test_allocator allocator;
    test_log log = {.count = 0};
    bp_world *world = NULL;
    test_allocator_init(&allocator);
    config.allocator = test_allocator_hook(&allocator);
    config.log = test_log_hook(&log);
    const bp_status status = try_load(&config, s, &world);
    if (status != BP_ERROR_ARGUMENT || world != NULL || strstr(log.text, word) == NULL) {
        fail_msg("%s %zu: \"%s\", world %p, log \"%s\" without \"%s\"", what, where, bp_status_text(status),
                 (void *)world, log.text, word);
    }
    test_allocator_finish(&allocator);
}

static void every_cut_is_found(void **state) {
    (void)state;
    for (size_t kind = 0; kind < COUNT_OF(SMALL); ++kind) {
        stream s = small_stream(kind);
        const size_t size = s.size;
        for (s.size = 0; s.size < size; ++s.size) {
            expect_refused(SMALL[kind].config, &s, "truncated", "cut at", s.size);
        }
        stream_free(&s);
    }
}

static void every_altered_byte_is_found(void **state) {
    (void)state;
    for (size_t kind = 0; kind < COUNT_OF(SMALL); ++kind) {
        stream s = small_stream(kind);
        for (size_t i = 0; i < s.size; ++i) {
            for (unsigned change_by = 1; change_by < 256; change_by += quick() ? 37 : 1) {
                s.bytes[i] ^= (unsigned char)change_by;
                expect_refused(SMALL[kind].config, &s, i < 8 ? "begin" : "damaged", "altered byte", i);
                s.bytes[i] ^= (unsigned char)change_by;
            }
        }
        stream_free(&s);
    }
}

static void exchange(unsigned char *a, unsigned char *b) {
    for (int i = 0; i < 8; ++i) {
        const unsigned char byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

static void exchanged_words_are_found(void **state) {
    (void)state;
    for (size_t kind = 0; kind < COUNT_OF(SMALL); ++kind) {
        stream s = small_stream(kind);
        for (size_t i = 8; i + 16 <= s.size; i += 4) {
            if (memcmp(s.bytes + i, s.bytes + i + 8, 8) != 0) {
                exchange(s.bytes + i, s.bytes + i + 8);
                expect_refused(SMALL[kind].config, &s, "damaged", "exchanged words at", i);
                exchange(s.bytes + i, s.bytes + i + 8);
            }
        }
        bp_world *world = load(&SMALL[kind].config, &s); // all is back in its place
        bp_world_destroy(world);
        stream_free(&s);
    }
}

static void another_config_is_refused_by_name(void **state) {
    (void)state;
    static const struct {
        bp_config config;
        const char *field;
    } cases[] = {
        {{.dimensions = 2}, "config.dimensions"},      {{.margin = 0.5f}, "config.margin"},
        {{.shape = BP_SHAPE_SPHERES}, "config.shape"}, {{.period = {8.0f, 0, 0}}, "config.period"},
        {{.period = {0, 0, 8.0f}}, "config.period"},   {{.threads = -2}, "config.threads"},
    };
    stream s = small_stream(0);
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        expect_refused(cases[i].config, &s, cases[i].field, "config", i);
    }
    stream_free(&s);
}

// ---- forgeries: sound checksums, wrong contents ---------------------------------------------------------------------

typedef struct forgery {
    uint32_t version, content;
    uint64_t ids, holes, gone, changed, pairs; // what the header promises
    bp_id hole[4], gone_id[4], changed_id[4];  // what is really there
    size_t hole_count, gone_count, changed_count;
    float margin;
    bp_shape shape;
    bp_box box[4], grown[4];
    size_t box_count, grown_count;
    uint32_t object_flags;
    bp_pair pair[4];
    size_t pair_count;
} forgery;

static void put_header(bp_section_writer *w, const forgery *f) {
    const uint64_t counts[] = {f->ids, f->holes, f->gone, f->changed, f->pairs};
    unsigned char *record = bp_section_put(w, BP_PREAMBLE_BYTES);
    memset(record, 0, BP_PREAMBLE_BYTES);
    memcpy(record, BP_SAVE_MAGIC, BP_MAGIC_BYTES);
    bp_store_u32(record + 8, f->version);
    assert_true(bp_section_end(w));
    record = bp_section_put(w, BP_HEADER_BYTES);
    memset(record, 0, BP_HEADER_BYTES);
    bp_store_u32(record, f->content);
    bp_store_u32(record + 4, 3);
    bp_store_u32(record + 8, f->shape);
    bp_store_float(record + 12, f->margin);
    for (size_t i = 0; i < COUNT_OF(counts); ++i) {
        bp_store_u64(record + 32 + 8 * i, counts[i]);
    }
    assert_true(bp_section_end(w));
}

static void put_ids(bp_section_writer *w, const bp_id *ids, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        bp_store_u32(bp_section_put(w, BP_ID_BYTES), ids[i]);
    }
    assert_true(bp_section_end(w));
}

static void put_box(bp_section_writer *w, const bp_box *box) {
    unsigned char *record = bp_section_put(w, BP_BOX_BYTES);
    for (size_t axis = 0; axis < 3; ++axis) {
        bp_store_float(record + 4 * axis, box->min[axis]);
        bp_store_float(record + 12 + 4 * axis, box->max[axis]);
    }
}

static void put_boxes(bp_section_writer *w, const bp_box *boxes, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        put_box(w, &boxes[i]);
    }
    assert_true(bp_section_end(w));
}

static void put_objects(bp_section_writer *w, const forgery *f) {
    for (size_t i = 0; i < f->box_count && (f->content & BP_SAVED_OBJECTS) != 0; ++i) {
        unsigned char *record = bp_section_put(w, BP_OBJECT_BYTES);
        memset(record, 0, BP_OBJECT_BYTES);
        bp_store_u32(record + 16, f->object_flags);
    }
    assert_true(bp_section_end(w));
}

static void put_pair(bp_section_writer *w, bp_pair pair) {
    unsigned char *record = bp_section_put(w, BP_PAIR_BYTES);
    bp_store_u32(record, pair.a);
    bp_store_u32(record + 4, pair.b);
}

static void put_pairs(bp_section_writer *w, const forgery *f) {
    for (size_t i = 0; i < f->pair_count; ++i) {
        put_pair(w, f->pair[i]);
    }
    assert_true(bp_section_end(w));
}

static stream forge(const forgery *f) {
    stream s = {0};
    bp_section_writer w = {.write = stream_write, .context = &s};
    put_header(&w, f);
    put_ids(&w, f->hole, f->hole_count);
    put_boxes(&w, f->box, f->box_count);
    put_boxes(&w, f->grown, f->grown_count);
    put_objects(&w, f);
    put_ids(&w, f->gone_id, f->gone_count);
    put_ids(&w, f->changed_id, f->changed_count);
    put_pairs(&w, f);
    return s;
}

// Boxes are points at the origin where nothing else is said.
static const forgery HONEST = {.version = BP_SAVE_VERSION,
                               .content = BP_SAVED_OBJECTS,
                               .ids = 4,
                               .holes = 1,
                               .gone = 1,
                               .pairs = 2,
                               .hole = {1},
                               .hole_count = 1,
                               .gone_id = {1},
                               .gone_count = 1,
                               .box_count = 3,
                               .pair = {{0, 1}, {0, 2}},
                               .pair_count = 2};

static void expect_forgery(forgery f, const char *word, const char *what) {
    stream s = forge(&f);
    expect_refused((bp_config){.margin = f.margin}, &s, word, what, 0);
    stream_free(&s);
}

static void forged_contents_are_refused(void **state) {
    (void)state;
    forgery f = HONEST;
    stream honest = forge(&f);
    bp_world *world = load(NULL, &honest); // so that the others fail for the intended reason
    assert_int_equal(bp_world_count(world), 3);
    bp_world_destroy(world);
    stream_free(&honest);

    f.version = BP_SAVE_VERSION + 1;
    expect_forgery(f, "version 3", "a later version");
    f.version = 0;
    expect_forgery(f, "version 0", "no version");
    f = HONEST, f.content = 1u << 31;
    expect_forgery(f, "contents", "unknown contents");
    f = HONEST, f.ids = (uint64_t)BP_MAX_COUNT + 1;
    expect_forgery(f, "ids", "too many ids");
    f = HONEST, f.holes = 5;
    expect_forgery(f, "ids", "more holes than ids");
    f = HONEST, f.gone = 5;
    expect_forgery(f, "ids", "more gone than ids");
    f = HONEST, f.changed = 5;
    expect_forgery(f, "ids", "more changed than ids");
    f = HONEST, f.hole[0] = 4;
    expect_forgery(f, "list of ids", "a hole that is no id");
    f = HONEST, f.holes = f.hole_count = 2, f.box_count = 2, f.hole[1] = 1;
    expect_forgery(f, "list of ids", "a hole twice");
    f = HONEST, f.gone_id[0] = 4;
    expect_forgery(f, "list of ids", "one gone that is no id");
    f = HONEST, f.changed = f.changed_count = 2, f.changed_id[0] = 3, f.changed_id[1] = 2;
    expect_forgery(f, "list of ids", "changed ids that descend");
    f = HONEST, f.margin = 1.0f, f.grown_count = 3, f.box[0].max[0] = 1.0f;
    expect_forgery(f, "left", "a box outside its grown one");
    f = HONEST, f.box[1].min[0] = NAN;
    expect_forgery(f, "box", "a box with a NaN");
    f = HONEST, f.box[2].min[1] = 2.0f;
    expect_forgery(f, "box", "a box inside out");
    f = HONEST, f.object_flags = 1u << 7;
    expect_forgery(f, "flag", "an object with an unknown flag");
    f = HONEST, f.pair[0] = (bp_pair){1, 1};
    expect_forgery(f, "pairs", "a pair of one");
    f = HONEST, f.pair[1] = (bp_pair){0, 4};
    expect_forgery(f, "pairs", "a pair with no id");
    f = HONEST, f.pair[1] = (bp_pair){0, 1};
    expect_forgery(f, "pairs", "a pair twice");
}

// Two spheres with one centre, far out along x, and the grown boxes of version 0.1 around them: these have other centres.
static void grown_boxes_that_do_not_hold_their_spheres_are_replaced(void **state) {
    (void)state;
    const bp_config config = {.shape = BP_SHAPE_SPHERES, .margin = 0.1f};
    const float middle = 0x1.cp30f, half[] = {0x1p28f + 256.0f, 128.0f};
    forgery f = {.version = BP_SAVE_VERSION,
                 .ids = 2,
                 .margin = config.margin,
                 .shape = config.shape,
                 .box_count = 2,
                 .grown_count = 2};
    for (int i = 0; i < 2; ++i) {
        f.box[i] = (bp_box){{middle - half[i], 0, 0}, {middle + half[i], 1, 1}};
        f.grown[i].min[0] = nextafterf(f.box[i].min[0], -INFINITY);
        f.grown[i].max[0] = nextafterf(f.box[i].max[0], INFINITY);
        for (int axis = 1; axis < 3; ++axis) {
            f.grown[i].min[axis] = -0.1f;
            f.grown[i].max[axis] = 1.1f;
        }
    }
    stream s = forge(&f);
    bp_world *world = load(&config, &s);
    bp_result result;
    assert_int_equal(bp_update(world, &result), BP_OK);
    assert_int_equal(result.pair_count, 1);
    bp_world_destroy(world);
    stream_free(&s);
}

// An allocator that keeps count of the most that was held.
typedef struct meter {
    size_t held, most;
} meter;

static void *meter_allocate(void *context, size_t size) {
    meter *m = context;
    void *memory = allocate_aligned(64, size);
    assert_non_null(memory);
    m->held += size;
    m->most = m->held > m->most ? m->held : m->most;
    return memory;
}

static void meter_release(void *context, void *memory, size_t size) {
    ((meter *)context)->held -= size;
    release_aligned(memory);
}

// The stream ends before its promise is kept.
static void expect_cheap(stream s, const char *what) {
    enum { MOST = 4 << 20 };
    meter m = {0};
    const bp_config config = {.allocator = {meter_allocate, meter_release, &m}};
    bp_world *world = NULL;
    assert_int_equal(try_load(&config, &s, &world), BP_ERROR_ARGUMENT);
    assert_null(world);
    if (m.most > MOST || m.held != 0) {
        fail_msg("%s: %zu bytes were asked for, %zu kept", what, m.most, m.held);
    }
    stream_free(&s);
}

// The header and some holes, boxes and pairs: enough for a few frames, not for the promise.
static stream begin_promise(forgery f, bp_id hole_count, size_t box_count, bp_id pair_count) {
    stream s = {0};
    bp_section_writer w = {.write = stream_write, .context = &s};
    const bp_box box = {.min = {0}};
    f.content = 0;
    put_header(&w, &f);
    for (bp_id id = 0; id < hole_count; ++id) {
        bp_store_u32(bp_section_put(&w, BP_ID_BYTES), id);
    }
    assert_true(bp_section_end(&w));
    for (size_t i = 0; i < box_count; ++i) {
        put_box(&w, &box);
    }
    assert_true(bp_section_end(&w));
    for (bp_id i = 0; i < pair_count; ++i) {
        put_pair(&w, (bp_pair){0, i + 1});
    }
    assert_true(bp_section_end(&w));
    return s;
}

static void a_promise_costs_nothing(void **state) {
    (void)state;
    forgery f = {.version = BP_SAVE_VERSION, .ids = BP_MAX_COUNT, .holes = BP_MAX_COUNT};
    expect_cheap(begin_promise(f, 0, 0, 0), "2^32 - 2 holes");
    expect_cheap(begin_promise(f, 9000, 0, 0), "2^32 - 2 holes, after some");
    f.holes = 0;
    expect_cheap(begin_promise(f, 0, 0, 0), "2^32 - 2 boxes");
    expect_cheap(begin_promise(f, 0, 1500, 0), "2^32 - 2 boxes, after some");
    f.ids = 6000;
    f.pairs = 1000000000000;
    expect_cheap(begin_promise(f, 0, 6000, 0), "10^12 pairs");
    expect_cheap(begin_promise(f, 0, 6000, 5000), "10^12 pairs, after some");
    f.pairs = UINT64_MAX;
    expect_cheap(begin_promise(f, 0, 6000, 5000), "2^64 - 1 pairs, after some");
}

// ---- refusals -------------------------------------------------------------------------------------------------------

static void every_refused_write_is_told(void **state) {
    (void)state;
    test_log log = {.count = 0};
    const bp_config config = {.log = test_log_hook(&log)};
    bp_world *world = large_world(&config);
    stream expected = save(world);
    const size_t calls = expected.calls;
    assert_true(calls > 10);
    for (size_t k = 1; k <= calls; ++k) {
        stream s = {.fail_at = k};
        log.text[0] = '\0';
        assert_int_equal(bp_world_save(world, stream_write, &s), BP_ERROR_ARGUMENT);
        assert_non_null(strstr(log.text, "write"));
        assert_int_equal(s.calls, k); // not called again
        assert_int_equal(memcmp(s.bytes != NULL ? s.bytes : expected.bytes, expected.bytes, s.size), 0);
        stream_free(&s);
    }
    expect_bytes(world, &expected);
    assert_int_equal(bp_world_validate(world), BP_OK);
    bp_world_destroy(world);
    stream_free(&expected);
}

static void every_refused_read_is_told(void **state) {
    (void)state;
    bp_world *world = large_world(NULL);
    stream s = save(world);
    const size_t calls = s.calls;
    for (s.fail_at = 1; s.fail_at <= calls; ++s.fail_at) {
        expect_refused((bp_config){0}, &s, "truncated", "refused read", s.fail_at);
        assert_int_equal(s.calls, s.fail_at);
    }
    bp_world_destroy(world);
    stream_free(&s);
}

static void every_refused_allocation_is_told_by_saving(void **state) {
    (void)state;
    test_allocator allocator;
    test_allocator_init(&allocator);
    const bp_config config = {.allocator = test_allocator_hook(&allocator)};
    bp_world *world = large_world(&config);
    stream expected = save(world);
    bool refused = true;
    for (size_t k = 1; refused; ++k) {
        stream s = {0};
        test_allocator_fail(&allocator, k, k % 2 == 0);
        const bp_status status = bp_world_save(world, stream_write, &s);
        refused = allocator.refused > 0;
        assert_true(status == BP_OK || (status == BP_ERROR_MEMORY && refused)); // it may do with less
        assert_int_equal(s.size, status == BP_OK ? expected.size : 0);
        stream_free(&s);
    }
    test_allocator_fail(&allocator, 0, false);
    expect_bytes(world, &expected);
    bp_world_destroy(world);
    test_allocator_finish(&allocator);
    stream_free(&expected);
}

static void every_refused_allocation_is_told_by_loading(void **state) {
    (void)state;
    test_allocator allocator;
    test_allocator_init(&allocator);
    bp_config config = {.allocator = test_allocator_hook(&allocator), .flags = BP_EVENTS};
    bp_world *world = large_world(&config);
    stream s = save(world);
    bp_world_destroy(world);
    for (int fail_from = 0; fail_from < 2; ++fail_from) {
        bool refused = true;
        for (size_t k = 1; refused; ++k) {
            test_allocator_fail(&allocator, k, fail_from != 0);
            const bp_status status = try_load(&config, &s, &world);
            refused = allocator.refused > 0;
            assert_true(status == BP_OK || (status == BP_ERROR_MEMORY && refused && world == NULL));
            test_allocator_fail(&allocator, 0, false);
            if (status == BP_OK) { // it could do with less
                expect_bytes(world, &s);
                bp_world_destroy(world);
            }
            assert_int_equal(allocator.live_blocks, 0);
            assert_true(k < 1000);
        }
    }
    test_allocator_finish(&allocator);
    stream_free(&s);
}

// With events the last list is kept until there is a new one.
static void a_failed_update_changes_nothing_that_is_saved(void **state) {
    (void)state;
    test_allocator allocator;
    test_allocator_init(&allocator);
    const bp_config config = {.allocator = test_allocator_hook(&allocator), .flags = BP_EVENTS};
    bp_world *world = large_world(&config);
    const bp_box far = cube_of(1000, 0, 0, 1);
    for (bp_id id = 701; id < 2000; ++id) {
        assert_int_equal(bp_move(world, id, &far), BP_OK);
    }
    stream expected = save(world);
    size_t failures = 0;
    for (size_t k = 1; k < 20; ++k) {
        test_allocator_fail(&allocator, k, true);
        if (bp_update(world, NULL) != BP_ERROR_MEMORY) {
            break;
        }
        test_allocator_fail(&allocator, 0, false);
        expect_bytes(world, &expected);
        ++failures;
    }
    assert_true(failures > 0);
    test_allocator_fail(&allocator, 0, false);
    bp_world_destroy(world);
    test_allocator_finish(&allocator);
    stream_free(&expected);
}

// Streams of this version must always be loadable: a change of these bytes needs another version.
static void the_format_is_what_it_was(void **state) {
    (void)state;
    static const struct {
        size_t size;
        uint64_t sum;
    } known[COUNT_OF(SMALL)] = {{724, 0x13a09c834b29ee9d}, {972, 0x5cadfaead9f1f1b2}, {1380, 0x3ebc1f814344e851}};
    for (size_t kind = 0; kind < COUNT_OF(SMALL); ++kind) {
        stream s = small_stream(kind);
        const uint64_t sum = bp_load_u64(s.bytes + s.size - BP_SUM_BYTES);
        if (s.size != known[kind].size || sum != known[kind].sum) {
            fail_msg("stream %zu: {%zu, 0x%016llx}", kind, s.size, (unsigned long long)sum);
        }
        stream_free(&s);
    }
}

// Files that version 0.2 of the library wrote before groups and masks had 64 bits: worlds as those of small_stream.
static void streams_of_version_1_are_loaded(void **state) {
    (void)state;
    for (size_t kind = 0; kind < COUNT_OF(SMALL); ++kind) {
        char name[1024];
        unsigned char bytes[2048];
        (void)snprintf(name, sizeof name, "%s/world_1_%zu.bpw", BROADPHASE_STREAMS, kind);
        FILE *file = fopen(name, "rb");
        assert_non_null(file);
        stream old = {.bytes = bytes, .size = fread(bytes, 1, sizeof bytes, file)};
        assert_int_equal(fclose(file), 0);
        assert_int_equal(bp_load_u32(bytes + BP_MAGIC_BYTES), 1);
        stream expected = small_stream(kind);
        bp_world *world = load(&SMALL[kind].config, &old);
        expect_bytes(world, &expected);
        bp_world_destroy(world);
        stream_free(&expected);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_of_version_1_are_loaded),
        cmocka_unit_test(every_cut_is_found),
        cmocka_unit_test(every_altered_byte_is_found),
        cmocka_unit_test(exchanged_words_are_found),
        cmocka_unit_test(another_config_is_refused_by_name),
        cmocka_unit_test(a_failed_update_changes_nothing_that_is_saved),
        cmocka_unit_test(the_format_is_what_it_was),
        cmocka_unit_test(forged_contents_are_refused),
        cmocka_unit_test(grown_boxes_that_do_not_hold_their_spheres_are_replaced),
        cmocka_unit_test(a_promise_costs_nothing),
        cmocka_unit_test(every_refused_write_is_told),
        cmocka_unit_test(every_refused_read_is_told),
        cmocka_unit_test(every_refused_allocation_is_told_by_saving),
        cmocka_unit_test(every_refused_allocation_is_told_by_loading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
