// Save a world, load it, and continue both: the same moves give the same pairs and events, to the last byte.
#include <broadphase/broadphase.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OBJECTS = 500, STEPS = 40 };

// A stream in memory. Any place that takes and gives bytes in order will do: a file, a pipe, a socket.
typedef struct stream {
    unsigned char *bytes;
    size_t size, capacity, position;
} stream;

static int write_bytes(void *context, const void *bytes, size_t size) {
    stream *s = context;
    if (size > s->capacity - s->size) {
        const size_t capacity = 2 * (s->size + size);
        unsigned char *larger = realloc(s->bytes, capacity);
        if (larger == NULL) return 0;
        s->bytes = larger;
        s->capacity = capacity;
    }
    memcpy(s->bytes + s->size, bytes, size);
    s->size += size;
    return 1;
}

static int read_bytes(void *context, void *bytes, size_t size) {
    stream *s = context;
    if (size > s->size - s->position) return 0;
    memcpy(bytes, s->bytes + s->position, size);
    s->position += size;
    return 1;
}

static float next_number(uint32_t *random) { // 0 to 1
    *random = *random * 1664525u + 1013904223u;
    return (float)(*random >> 8) / 16777216.0f;
}

static bp_box next_box(uint32_t *random) {
    bp_box box;
    for (int axis = 0; axis < 3; ++axis) {
        box.min[axis] = 10.0f * next_number(random);
        box.max[axis] = box.min[axis] + 1.0f;
    }
    return box;
}

// One step: a few objects move, one leaves, one comes. Counts what happened.
static bp_status take_step(bp_world *world, uint32_t *random, size_t *events) {
    bp_status status = BP_OK;
    for (int i = 0; i < 20 && status == BP_OK; ++i) {
        const bp_box box = next_box(random);
        status = bp_move(world, (bp_id)(next_number(random) * OBJECTS), &box);
    }
    const bp_box box = next_box(random);
    if (status == BP_OK) status = bp_remove(world, (bp_id)(next_number(random) * OBJECTS));
    if (status == BP_OK) status = bp_add(world, &box, NULL, NULL); // it gets the id that is free again
    bp_result result = {0};
    if (status == BP_OK) status = bp_update(world, &result);
    *events += result.begun_count + result.ended_count;
    return status;
}

static bp_status take_steps(bp_world *world, uint32_t random, size_t *events) {
    bp_status status = BP_OK;
    for (int i = 0; i < STEPS && status == BP_OK; ++i) status = take_step(world, &random, events);
    return status;
}

int main(void) {
    const bp_config config = {.flags = BP_EVENTS};
    bp_world *world = NULL, *loaded = NULL;
    stream saved = {0}, end = {0}, replayed_end = {0};
    uint32_t random = 1;
    size_t before = 0, events = 0, replayed = 0;
    bp_status status = bp_world_create(&config, &world);
    for (int i = 0; i < OBJECTS && status == BP_OK; ++i) {
        const bp_box box = next_box(&random);
        status = bp_add(world, &box, NULL, NULL);
    }
    if (status == BP_OK) status = take_steps(world, 2, &before);
    if (status == BP_OK) status = bp_world_save(world, write_bytes, &saved);
    if (status == BP_OK) status = take_steps(world, 3, &events);
    if (status == BP_OK) status = bp_world_load(&config, read_bytes, &saved, &loaded);
    if (status == BP_OK) status = take_steps(loaded, 3, &replayed);
    if (status == BP_OK) status = bp_world_save(world, write_bytes, &end);
    if (status == BP_OK) status = bp_world_save(loaded, write_bytes, &replayed_end);
    const int same = status == BP_OK && events == replayed && end.size == replayed_end.size &&
                     memcmp(end.bytes, replayed_end.bytes, end.size) == 0;
    printf("%d objects in %zu bytes; %zu events after saving, %zu after loading; same end: %s\n", OBJECTS, saved.size,
           events, replayed, same ? "yes" : bp_status_text(status));
    bp_world_destroy(world);
    bp_world_destroy(loaded);
    free(saved.bytes), free(end.bytes), free(replayed_end.bytes);
    return same && events > 0 ? 0 : 1;
}
