// Recording: the boxes of a world, update by update, as a stream that `broadphase trace` reads.
//
//     magic 8 | step | step | ...
//     step = number 8 | objects 8 | (id 4, min 12, max 12) ...       little-endian, floats are their IEEE 754 bits
//
// A step holds the differences to the step before: an object with its box, or, if it was removed, with NaNs. A stream
// that ends early is a shorter recording: the number of objects shows that a step is cut.
#include "world/record.h"

#include "world/save/section_stream.h"
#include "world/world.h"

#include <string.h>

enum { STEP_BYTES = 16, OBJECT_BYTES = 28, BUFFER_OBJECTS = 512 };

static const unsigned char MAGIC[8] = {'b', 'p', 't', 'r', 'a', 'c', 'e', '1'};

// Bytes that are passed to the recorder together.
typedef struct trace_buffer {
    const bp_recorder *recorder;
    size_t used;
    bool failed;
    unsigned char bytes[BUFFER_OBJECTS * OBJECT_BYTES];
} trace_buffer;

static void write_recorded(trace_buffer *buffer) {
    const bp_recorder *to = buffer->recorder;
    buffer->failed = buffer->failed || (buffer->used > 0 && !to->write(to->context, buffer->bytes, buffer->used));
    buffer->used = 0;
}

// Where the next `size` bytes go.
static unsigned char *next_bytes(trace_buffer *buffer, size_t size) {
    if (buffer->used + size > sizeof buffer->bytes) {
        write_recorded(buffer);
    }
    buffer->used += size;
    return buffer->bytes + buffer->used - size;
}

static void write_object(trace_buffer *buffer, const bp_world *world, bp_id id) {
    unsigned char *to = next_bytes(buffer, OBJECT_BYTES);
    bp_box box = bp_box_hole();
    if (bp_world_is_alive(world, id)) {
        (void)bp_get_object(world, id, &box, NULL);
    }
    bp_store_u32(to, id);
    for (size_t axis = 0; axis < 3; ++axis) {
        bp_store_float(to + 4 + 4 * axis, box.min[axis]);
        bp_store_float(to + 16 + 4 * axis, box.max[axis]);
    }
}

// Moves inside a margin are not listed as changes: with a margin all objects are written.
static void write_step(trace_buffer *buffer, const bp_world *world) {
    const bp_changes changes = bp_change_list_changes(&world->changes);
    const bool by_changes = world->recorder.has_begun && !bp_world_boxes_have_margin(&world->boxes);
    const bool none = by_changes && !world->changes.needs_update;
    const bool listed = by_changes && bp_change_list_is_complete(&world->changes);
    const size_t count = none ? 0 : listed ? changes.count : world->ids.count;
    unsigned char *head = next_bytes(buffer, STEP_BYTES);
    bp_store_u64(head, world->recorder.steps);
    bp_store_u64(head + 8, count);
    for (size_t i = 0; i < count; ++i) {
        write_object(buffer, world, listed ? changes.ids[i] : (bp_id)i);
    }
}

bool bp_world_record_step(bp_world *world) {
    bp_recorder *recorder = &world->recorder;
    if (recorder->write == NULL) {
        return true; // before the buffer is set up, which takes longer than an update in which nothing has changed
    }
    trace_buffer buffer = {.recorder = recorder};
    if (!recorder->has_begun) {
        memcpy(next_bytes(&buffer, sizeof MAGIC), MAGIC, sizeof MAGIC);
    }
    world->is_busy = true;
    write_step(&buffer, world);
    write_recorded(&buffer);
    world->is_busy = false;
    recorder->has_begun = true;
    ++recorder->steps;
    if (buffer.failed) {
        *recorder = (bp_recorder){0};
    }
    return !buffer.failed;
}

bp_status bp_world_record(bp_world *world, bp_write write, void *context) {
    if (world == NULL || bp_world_is_busy(world)) {
        return BP_ERROR_ARGUMENT;
    }
    world->recorder = (bp_recorder){.write = write, .context = context};
    return BP_OK;
}
