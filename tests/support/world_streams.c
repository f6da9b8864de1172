#include "support/world_streams.h"

#include <stdlib.h>
#include <string.h>

int stream_write(void *context, const void *bytes, size_t size) {
    stream *s = context;
    assert_in_range(size, 1, STREAM_PIECE);
    if (++s->calls == s->fail_at) {
        return 0;
    }
    if (s->size + size > s->capacity) {
        s->capacity = 2 * (s->size + size);
        s->bytes = realloc(s->bytes, s->capacity);
        assert_non_null(s->bytes);
    }
    memcpy(s->bytes + s->size, bytes, size);
    s->size += size;
    return 1;
}

int stream_read(void *context, void *bytes, size_t size) {
    stream *s = context;
    assert_in_range(size, 1, STREAM_PIECE);
    if (++s->calls == s->fail_at || size > s->size - s->position) {
        return 0;
    }
    memcpy(bytes, s->bytes + s->position, size);
    s->position += size;
    return 1;
}

void stream_free(stream *s) {
    free(s->bytes);
    *s = (stream){0};
}

stream save(const bp_world *world) {
    stream s = {0};
    assert_int_equal(bp_world_save(world, stream_write, &s), BP_OK);
    return s;
}

bp_status try_load(const bp_config *config, stream *s, bp_world **world) {
    s->position = 0;
    s->calls = 0;
    *world = (bp_world *)(uintptr_t)1; // a failure must take this away
    return bp_world_load(config, stream_read, s, world);
}

bp_world *load(const bp_config *config, stream *s) {
    bp_world *world = NULL;
    char text[CONFIG_TEXT];
    if (try_load(config, s, &world) != BP_OK) {
        fail_msg("a saved world is refused: %s", config_text(config, text));
    }
    assert_int_equal(s->position, s->size); // not a byte more than there is, nor less
    return world;
}

bool same_bytes(const stream *a, const stream *b) {
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

void expect_bytes(const bp_world *world, const stream *expected) {
    stream s = save(world);
    assert_true(same_bytes(&s, expected));
    stream_free(&s);
}

void make_boxes(bp_box *boxes, size_t count) {
    rng random = rng_seeded(17);
    for (size_t i = 0; i < count; ++i) {
        boxes[i] = random_cube(&random, 6.0, 0.8);
    }
}

bp_world *make_world(const bp_config *config, const bp_box *boxes, size_t count) {
    bp_world *world = NULL;
    assert_int_equal(bp_world_create(config, &world), BP_OK);
    assert_int_equal(bp_add_many(world, count, boxes, NULL, NULL), BP_OK);
    return world;
}

void remove_all(bp_world *world, const bp_id *ids, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        assert_int_equal(bp_remove(world, ids[i]), BP_OK);
    }
}

bp_world *small_world(const bp_config *config, bool wide) {
    const bp_object special = {.group = 1, .mask = 3, .flags = BP_STATIC, .island = 0, .user = 0x0123456789abcdef};
    bp_box boxes[12];
    for (int i = 0; i < 12; ++i) {
        boxes[i] = cube_of((float)i, 0, 0, 1.0f);
    }
    bp_world *world = make_world(config, boxes, 12);
    const bp_id holes[] = {4, 7};
    remove_all(world, holes, 2);
    assert_int_equal(bp_set_object(world, 2, &special), BP_OK);
    assert_int_equal(bp_update(world, NULL), BP_OK);
    remove_all(world, (const bp_id[]){9, 10}, 2);
    assert_int_equal(bp_add(world, &boxes[9], NULL, NULL), BP_OK); // fills hole 4
    assert_int_equal(bp_move(world, 1, &boxes[11]), BP_OK);
    const bp_box_double fine = {{0.1, 0, 0}, {0.2, 1, 1}};
    if (wide) {
        assert_int_equal(bp_move_double(world, 3, &fine), BP_OK);
    }
    return world;
}

bp_world *large_world(const bp_config *config) {
    enum { COUNT = 3000 };
    const bp_object special = {.group = 3};
    bp_box *boxes = obtain(COUNT, sizeof *boxes);
    make_boxes(boxes, COUNT);
    bp_world *world = make_world(config, boxes, COUNT);
    for (bp_id id = 0; id < 100; ++id) {
        assert_int_equal(bp_remove(world, 7 * id), BP_OK);
    }
    assert_int_equal(bp_set_object(world, 1, &special), BP_OK);
    assert_int_equal(bp_update(world, NULL), BP_OK);
    free(boxes);
    return world;
}
