// Worlds: objects, updates, and saving.
#include "web.h"

#include <stdlib.h>
#include <string.h>

// JavaScript writes objects as bytes.
_Static_assert(sizeof(bp_object) == 40 && offsetof(bp_object, user) == 24, "package/objects.js knows this layout");

bp_status WEB_EXPORT(web_world_create)(const web_call *call) {
    bp_world *world = NULL;
    web_forget_sentence();
    const bp_status status = bp_world_create(&call->config, &world);
    web_results[0] = web_address(world);
    return status;
}

void WEB_EXPORT(web_world_destroy)(bp_world *world) {
    bp_world_destroy(world);
}

bp_status WEB_EXPORT(web_add)(const web_call *call, bp_world *world, size_t count, void *boxes, bool is_double,
                              const bp_object *objects, bp_id *ids) {
    web_forget_sentence();
    web_spread_boxes(call, boxes, count, is_double);
    return is_double ? bp_add_many_double(world, count, boxes, objects, ids)
                     : bp_add_many(world, count, boxes, objects, ids);
}

bp_status WEB_EXPORT(web_move)(const web_call *call, bp_world *world, size_t count, const bp_id *ids, void *boxes,
                               bool is_double) {
    web_forget_sentence();
    web_spread_boxes(call, boxes, count, is_double);
    return is_double ? bp_move_many_double(world, count, ids, boxes) : bp_move_many(world, count, ids, boxes);
}

// Are all of them alive?
static bp_status check_ids(const bp_world *world, size_t count, const bp_id *ids) {
    bp_status status = BP_OK;
    web_forget_sentence();
    for (size_t i = 0; i < count && status == BP_OK; ++i) status = bp_get_object(world, ids[i], NULL, NULL);
    return status;
}

// The ids are ascending, so that one that is there twice is seen.
bp_status WEB_EXPORT(web_remove)(bp_world *world, size_t count, const bp_id *ids) {
    bp_status status = check_ids(world, count, ids);
    for (size_t i = 1; i < count && status == BP_OK; ++i) {
        if (ids[i] == ids[i - 1]) status = BP_ERROR_ID;
    }
    for (size_t i = 0; i < count && status == BP_OK; ++i) status = bp_remove(world, ids[i]);
    return status;
}

bp_status WEB_EXPORT(web_set_object)(bp_world *world, size_t count, const bp_id *ids, const bp_object *objects) {
    bp_status status = check_ids(world, count, ids);
    for (size_t i = 0; i < count && status == BP_OK; ++i) {
        status = bp_set_object(world, ids[i], objects == NULL ? NULL : &objects[i]);
    }
    return status;
}

bp_status WEB_EXPORT(web_get_object)(const bp_world *world, bp_id id) {
    static bp_box_double box;
    static bp_object object;
    web_forget_sentence();
    web_results[0] = web_address(&box);
    web_results[1] = web_address(&object);
    return bp_get_object_double(world, id, &box, &object);
}

bp_status WEB_EXPORT(web_update)(bp_world *world) {
    bp_result result = {0};
    web_forget_sentence();
    const bp_status status = bp_update(world, &result);
    const uint32_t lists[] = {web_address(result.pairs),    (uint32_t)result.pair_count, web_address(result.begun),
                              (uint32_t)result.begun_count, web_address(result.ended),   (uint32_t)result.ended_count};
    memcpy(web_results, lists, sizeof lists);
    return status;
}

// The figures of the last update, until the next call.
const bp_stats *WEB_EXPORT(web_world_stats)(const bp_world *world) {
    static bp_stats stats;
    (void)bp_world_stats(world, &stats);
    return &stats;
}

size_t WEB_EXPORT(web_world_count)(const bp_world *world) {
    return bp_world_count(world);
}

bp_status WEB_EXPORT(web_world_reserve)(bp_world *world, size_t count) {
    web_forget_sentence();
    return bp_world_reserve(world, count);
}

bp_status WEB_EXPORT(web_world_validate)(const bp_world *world) {
    web_forget_sentence();
    return bp_world_validate(world);
}

// ---------------------------------------------------------------------------------------------------------------------
// Saving and loading

typedef struct byte_stream {
    char *bytes;
    size_t count, capacity;
} byte_stream;

static int append_bytes(void *context, const void *bytes, size_t size) {
    byte_stream *stream = context;
    if (stream->capacity - stream->count < size) {
        const size_t capacity = 2 * stream->capacity + size;
        char *longer = realloc(stream->bytes, capacity);
        if (longer == NULL) return 0;
        stream->bytes = longer;
        stream->capacity = capacity;
    }
    memcpy(stream->bytes + stream->count, bytes, size);
    stream->count += size;
    return 1;
}

static int take_bytes(void *context, void *bytes, size_t size) {
    byte_stream *stream = context;
    if (stream->capacity - stream->count < size) return 0;
    memcpy(bytes, stream->bytes + stream->count, size);
    stream->count += size;
    return 1;
}

// The bytes are for the caller to release. All that can fail here is memory.
bp_status WEB_EXPORT(web_world_save)(const bp_world *world) {
    byte_stream stream = {0};
    const bp_status status = bp_world_save(world, append_bytes, &stream);
    web_forget_sentence();
    if (status != BP_OK) {
        free(stream.bytes);
        return BP_ERROR_MEMORY;
    }
    web_results[0] = web_address(stream.bytes);
    web_results[1] = (uint32_t)stream.count;
    return BP_OK;
}

bp_status WEB_EXPORT(web_world_load)(const web_call *call, void *bytes, size_t size) {
    byte_stream stream = {.bytes = bytes, .capacity = size};
    bp_world *world = NULL;
    web_forget_sentence();
    const bp_status status = bp_world_load(&call->config, take_bytes, &stream, &world);
    web_results[0] = web_address(world);
    return status;
}
