// Recording: the boxes of a world, update by update, as a stream that `broadphase trace` reads.
//
//     magic 8 | step | step | ...
//     step = number 8 | records 8 | (id 4, min 12, max 12) ...       little-endian, floats are their IEEE 754 bits
//
// A step tells what is different from the last one: an object with its box, or, if it has gone, with NaNs. A stream that
// ends early is a shorter recording: a step that is cut is told by its number of records.
#include "world/world.h"

#include <string.h>

enum { STEP_BYTES = 16, RECORD_BYTES = 28, BLOCK_RECORDS = 512 };

static const unsigned char MAGIC[8] = {'b', 'p', 't', 'r', 'a', 'c', 'e', '1'};

typedef struct block {
    bp_recorder *to;
    size_t used;
    bool failed;
    unsigned char bytes[BLOCK_RECORDS * RECORD_BYTES];
} block;

static void flush(block *b) {
    b->failed = b->failed || (b->used > 0 && !b->to->write(b->to->context, b->bytes, b->used));
    b->used = 0;
}

static unsigned char *room(block *b, size_t size) {
    if (b->used + size > sizeof b->bytes) {
        flush(b);
    }
    b->used += size;
    return b->bytes + b->used - size;
}

static void put(unsigned char *to, uint64_t value, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        to[i] = (unsigned char)(value >> (8 * i));
    }
}

static void put_float(unsigned char *to, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(to, bits, sizeof bits);
}

static void put_object(block *b, const bp_world *world, bp_id id) {
    unsigned char *to = room(b, RECORD_BYTES);
    bp_box box = bp_box_hole();
    if (bp_world_is_alive(world, id)) {
        (void)bp_get_object(world, id, &box, NULL);
    }
    put(to, id, 4);
    for (size_t axis = 0; axis < 3; ++axis) {
        put_float(to + 4 + 4 * axis, box.min[axis]);
        put_float(to + 16 + 4 * axis, box.max[axis]);
    }
}

// Moves inside a margin are not listed as changes: then all are written.
static bool lists_changes(const bp_world *world) {
    return world->recorder.begun && !world->all_changed && world->tracks && world->config.margin == 0.0f;
}

static void put_step(block *b, const bp_world *world) {
    const bool listed = lists_changes(world),
               idle = world->recorder.begun && !world->dirty && world->config.margin == 0.0f;
    const bp_id *changed = world->changed.data;
    const size_t count = idle ? 0 : listed ? world->changed_count : world->id_count;
    unsigned char *head = room(b, STEP_BYTES);
    put(head, world->recorder.steps, 8);
    put(head + 8, count, 8);
    for (size_t i = 0; i < count; ++i) {
        put_object(b, world, listed ? changed[i] : (bp_id)i);
    }
}

bool bp_world_record_step(bp_world *world) {
    bp_recorder *recorder = &world->recorder;
    if (recorder->write == NULL) {
        return true; // before there is a block: setting it up takes longer than an update at rest
    }
    block b = {.to = recorder};
    if (!recorder->begun) {
        memcpy(room(&b, sizeof MAGIC), MAGIC, sizeof MAGIC);
    }
    world->busy = true;
    put_step(&b, world);
    flush(&b);
    world->busy = false;
    recorder->begun = true;
    ++recorder->steps;
    if (b.failed) {
        *recorder = (bp_recorder){0};
    }
    return !b.failed;
}

bp_status bp_world_record(bp_world *world, bp_write write, void *context) {
    if (world == NULL || bp_world_is_busy(world)) {
        return BP_ERROR_ARGUMENT;
    }
    world->recorder = (bp_recorder){.write = write, .context = context};
    return BP_OK;
}
