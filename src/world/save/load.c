// A world from a stream. See save_format.h for what is in it.
//
// A loaded world is made by the calls that made the first one (add, remove, set_object), which check all that they are
// given; then it is handed the old pairs, so that the next update knows what has begun and ended since. That update
// builds the method's structure and finds all pairs. Nothing is believed: memory follows the bytes that have come, not
// those that the header promises, and what a checksum cannot tell is checked where it is used.
//
// Cost: O(n + pairs), and memory for the holes beside that of the world.
#include "world/save/save_format.h"

#include "api/config.h"
#include "world/save/block_stream.h"
#include "world/world_boxes.h"

#include <inttypes.h>
#include <string.h>

typedef struct loader {
    const bp_config *given;
    const bp_config *config; // the same, complete
    bp_record_reader reader;
    bp_save_header header;
    bp_world *world;
    bp_buffer holes; // of bp_id, ascending
} loader;

static bp_status refuse(const loader *l, const char *what) {
    bp_log_write(l->config, "stream: %s", what);
    return BP_ERROR_ARGUMENT;
}

// The reader could not go on.
static bp_status refuse_stream(const loader *l) {
    const bool cut = l->reader.state == BP_STREAM_CUT;
    bp_log_write(l->config, "stream: %s, in the block after byte %" PRIu64,
                 cut ? "it is cut: read failed" : "it has been altered: a checksum is wrong", l->reader.bytes_read);
    return BP_ERROR_ARGUMENT;
}

static uint64_t count_living(const loader *l) {
    return l->header.ids - l->header.holes;
}

static bool is_wide(const loader *l) {
    return (l->header.content & BP_SAVED_WIDE) != 0;
}

static bool is_alive(const loader *l, size_t id) {
    return bp_world_is_alive(l->world, (bp_id)id);
}

// ---- what it is -----------------------------------------------------------------------------------------------------

static bp_status read_preamble(loader *l) {
    bp_records_begin(&l->reader, 1, BP_PREAMBLE_BYTES);
    const unsigned char *record = bp_record_take(&l->reader);
    if (l->reader.state != BP_STREAM_CUT && memcmp(l->reader.block, BP_SAVE_MAGIC, BP_MAGIC_BYTES) != 0) {
        return refuse(l, "it does not begin as a saved world does");
    }
    if (record == NULL) {
        return refuse_stream(l);
    }
    if (bp_load_u32(record + 8) != BP_SAVE_VERSION) {
        bp_log_write(l->config, "stream: it has version %" PRIu32 "; this library reads version %d",
                     bp_load_u32(record + 8), BP_SAVE_VERSION);
        return BP_ERROR_ARGUMENT;
    }
    return bp_load_u32(record + 12) == 0 ? BP_OK : refuse(l, "the preamble holds what version 1 does not know");
}

static bp_status check_header(const loader *l) {
    const bp_save_header *h = &l->header;
    if ((h->content & ~(uint32_t)BP_SAVED_EVERYTHING) != 0) {
        return refuse(l, "the header names contents that version 1 does not know");
    }
    if (h->ids > BP_MAX_COUNT || h->holes > h->ids || h->gone > h->ids || h->changed > h->ids) {
        return refuse(l, "the header counts more ids than there are");
    }
    return BP_OK;
}

static bp_status read_header(loader *l) {
    bp_save_header *h = &l->header;
    uint64_t *const counts[] = {&h->ids, &h->holes, &h->gone, &h->changed, &h->pairs};
    bp_records_begin(&l->reader, 1, BP_HEADER_BYTES);
    const unsigned char *record = bp_record_take(&l->reader);
    if (record == NULL) {
        return refuse_stream(l);
    }
    h->content = bp_load_u32(record);
    h->dimensions = bp_load_u32(record + 4);
    h->shape = bp_load_u32(record + 8);
    h->margin = bp_load_float(record + 12);
    for (size_t axis = 0; axis < 3; ++axis) {
        h->period[axis] = bp_load_float(record + 16 + 4 * axis);
    }
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        *counts[i] = bp_load_u64(record + 32 + 8 * i);
    }
    return bp_load_u32(record + 28) == 0 ? check_header(l) : refuse(l, "the header holds what version 1 does not know");
}

static bp_status refuse_config(const loader *l, const char *field, double saved, double given) {
    bp_log_write(l->config, "config.%s: %.9g, but the world was saved with %.9g", field, given, saved);
    return BP_ERROR_ARGUMENT;
}

static bp_status compare_config(loader *l) {
    const bp_save_header *saved = &l->header;
    const bp_save_header given = bp_save_describe(l->config);
    if (saved->dimensions != given.dimensions) {
        return refuse_config(l, "dimensions", saved->dimensions, given.dimensions);
    }
    if (saved->shape != given.shape) {
        return refuse_config(l, "shape", saved->shape, given.shape);
    }
    if (saved->margin != given.margin) {
        return refuse_config(l, "margin", (double)saved->margin, (double)given.margin);
    }
    for (int axis = 0; axis < 3; ++axis) {
        if (saved->period[axis] != given.period[axis]) {
            return refuse_config(l, "period", (double)saved->period[axis], (double)given.period[axis]);
        }
    }
    return BP_OK;
}

static bp_status create(loader *l) {
    const bp_status status = bp_world_create(l->given, &l->world);
    return status == BP_OK && is_wide(l) && !bp_world_widen(l->world) ? BP_ERROR_MEMORY : status;
}

// ---- ids and boxes --------------------------------------------------------------------------------------------------

// Memory for one more, at least doubled.
static bool reserve_next(bp_buffer *buffer, const loader *l, size_t count, size_t size) {
    const size_t bytes = count * size;
    return bytes + size <= buffer->bytes ||
           bp_buffer_reserve(buffer, &l->config->allocator, bytes, count < 512 ? 1024 : 2 * count, size);
}

// The next id of an ascending list; `*last` is the one before, or UINT32_MAX.
static bp_status read_id(loader *l, bp_id *last) {
    const unsigned char *record = bp_record_take(&l->reader);
    if (record == NULL) {
        return refuse_stream(l);
    }
    const bp_id id = bp_load_u32(record);
    if (id >= l->header.ids || (*last != UINT32_MAX && id <= *last)) {
        return refuse(l, "a list of ids is not ascending, or names an id that there is not");
    }
    *last = id;
    return BP_OK;
}

static bp_status read_holes(loader *l) {
    bp_id id = UINT32_MAX;
    bp_records_begin(&l->reader, l->header.holes, BP_ID_BYTES);
    for (size_t i = 0; i < l->header.holes; ++i) {
        const bp_status status = read_id(l, &id);
        if (status != BP_OK) {
            return status;
        }
        if (!reserve_next(&l->holes, l, i, sizeof(bp_id))) {
            return BP_ERROR_MEMORY;
        }
        ((bp_id *)l->holes.data)[i] = id;
    }
    return BP_OK;
}

static void begin_boxes(loader *l, uint64_t count) {
    bp_records_begin(&l->reader, count, is_wide(l) ? BP_WIDE_BOX_BYTES : BP_BOX_BYTES);
}

static bp_status read_box(loader *l, bp_box_double *box) {
    const unsigned char *record = bp_record_take(&l->reader);
    if (record == NULL) {
        return refuse_stream(l);
    }
    for (size_t axis = 0; axis < 3; ++axis) {
        if (is_wide(l)) {
            box->min[axis] = bp_load_double(record + 8 * axis);
            box->max[axis] = bp_load_double(record + 24 + 8 * axis);
        } else {
            box->min[axis] = (double)bp_load_float(record + 4 * axis);
            box->max[axis] = (double)bp_load_float(record + 12 + 4 * axis);
        }
    }
    return BP_OK;
}

static bp_status add_narrow(loader *l, const bp_box_double *box) {
    bp_box floats;
    for (int axis = 0; axis < 3; ++axis) { // as they were read
        floats.min[axis] = (float)box->min[axis];
        floats.max[axis] = (float)box->max[axis];
    }
    return bp_add(l->world, &floats, NULL, NULL);
}

static bp_status add(loader *l, const bp_box_double *box) {
    const bp_status status = is_wide(l) ? bp_add_double(l->world, box, NULL, NULL) : add_narrow(l, box);
    return status == BP_OK || status == BP_ERROR_MEMORY ? status : refuse(l, "it holds a box that is not valid");
}

// Every id is given out first, those of the holes with a box of no matter; then the holes are made.
static bp_status read_boxes(loader *l) {
    const bp_id *holes = l->holes.data;
    bp_status status = BP_OK;
    begin_boxes(l, count_living(l));
    for (size_t id = 0, hole = 0; id < l->header.ids && status == BP_OK; ++id) {
        const bool is_hole = hole < l->header.holes && holes[hole] == id;
        bp_box_double box = {.min = {0}};
        hole += is_hole;
        status = is_hole ? BP_OK : read_box(l, &box);
        status = status == BP_OK ? add(l, &box) : status;
    }
    return status;
}

static bp_status make_holes(loader *l) {
    const bp_id *holes = l->holes.data;
    bp_status status = BP_OK;
    for (size_t i = 0; i < l->header.holes && status == BP_OK; ++i) {
        status = bp_remove(l->world, holes[i]);
    }
    return status;
}

static bp_status read_grown(loader *l) {
    const bool any = l->config->margin > 0.0f;
    begin_boxes(l, any ? count_living(l) : 0);
    for (size_t id = 0; any && id < l->header.ids; ++id) {
        bp_box_double grown;
        if (!is_alive(l, id)) {
            continue;
        }
        const bp_status status = read_box(l, &grown);
        if (status != BP_OK) {
            return status;
        }
        if (!bp_world_put_grown_box(l->world, (bp_id)id, &grown)) {
            return refuse(l, "a box has left the one that it moves in");
        }
    }
    return BP_OK;
}

static bp_status read_objects(loader *l) {
    const bool any = (l->header.content & BP_SAVED_OBJECTS) != 0;
    bp_status status = BP_OK;
    bp_records_begin(&l->reader, any ? count_living(l) : 0, BP_OBJECT_BYTES);
    for (size_t id = 0; any && id < l->header.ids && status == BP_OK; ++id) {
        if (!is_alive(l, id)) {
            continue;
        }
        const unsigned char *record = bp_record_take(&l->reader);
        if (record == NULL) {
            return refuse_stream(l);
        }
        const bp_object object = {.group = bp_load_u32(record),
                                  .mask = bp_load_u32(record + 4),
                                  .flags = bp_load_u32(record + 8),
                                  .island = bp_load_u32(record + 12),
                                  .user = bp_load_u64(record + 16)};
        status = bp_set_object(l->world, (bp_id)id, &object);
    }
    return status;
}

// ---- what has changed since the last update -------------------------------------------------------------------------

// What loading has changed is no news.
static bp_status forget(loader *l) {
    bp_world_forget_changes(l->world);
    l->world->all_changed = l->config->margin == 0.0f || (l->header.content & BP_SAVED_ALL_CHANGED) != 0;
    return BP_OK;
}

static bp_status read_gone(loader *l) {
    bp_status status = BP_OK;
    bp_id id = UINT32_MAX;
    bp_records_begin(&l->reader, l->header.gone, BP_ID_BYTES);
    for (uint64_t i = 0; i < l->header.gone && status == BP_OK; ++i) {
        status = read_id(l, &id);
        if (status == BP_OK) {
            const uint8_t again = is_alive(l, id) ? BP_MARK_RESTATED | BP_MARK_REBORN : 0;
            bp_world_mark_changed(l->world, id, BP_MARK_REMOVED | again);
        }
    }
    return status;
}

static bp_status read_changed(loader *l) {
    bp_status status = BP_OK;
    bp_id id = UINT32_MAX;
    bp_records_begin(&l->reader, l->header.changed, BP_ID_BYTES);
    for (uint64_t i = 0; i < l->header.changed && status == BP_OK; ++i) {
        status = read_id(l, &id);
        if (status == BP_OK) {
            bp_world_mark_changed(l->world, id, 0);
        }
    }
    return status;
}

static bp_status read_pairs(loader *l) {
    bp_pairs *pairs = &l->world->pairs;
    bp_records_begin(&l->reader, l->header.pairs, BP_PAIR_BYTES);
    for (uint64_t i = 0; i < l->header.pairs; ++i) {
        const unsigned char *record = bp_record_take(&l->reader);
        if (record == NULL) {
            return refuse_stream(l);
        }
        const bp_pair pair = {.a = bp_load_u32(record), .b = bp_load_u32(record + 4)};
        if (pair.a >= pair.b || pair.b >= l->header.ids ||
            (i > 0 && !bp_pair_is_before(pairs->data[pairs->count - 1], pair))) {
            return refuse(l, "the pairs are not ascending pairs of ids");
        }
        if (!bp_pairs_reserve(pairs, &l->config->allocator, pairs->count + 1)) {
            return BP_ERROR_MEMORY;
        }
        pairs->data[pairs->count++] = pair;
    }
    return BP_OK;
}

// ---- all together ---------------------------------------------------------------------------------------------------

typedef bp_status (*step)(loader *l);

static const step STEPS[] = {read_preamble, read_header,  compare_config, create,       read_holes,
                             read_boxes,    make_holes,   read_grown,     read_objects, forget,
                             read_gone,     read_changed, read_pairs};

static bp_status load(loader *l) {
    bp_status status = BP_OK;
    for (size_t i = 0; i < sizeof STEPS / sizeof STEPS[0] && status == BP_OK; ++i) {
        status = STEPS[i](l);
    }
    return status;
}

bp_status bp_world_load(const bp_config *config, bp_read read, void *context, bp_world **world) {
    if (world == NULL) {
        return BP_ERROR_ARGUMENT;
    }
    *world = NULL;
    bp_config complete;
    bp_status status = bp_config_complete(config, &complete);
    if (status != BP_OK) {
        return status;
    }
    if (read == NULL) {
        bp_log_write(&complete, "read: NULL; a function that brings the bytes is needed");
        return BP_ERROR_ARGUMENT;
    }
    loader l = {.given = config, .config = &complete, .reader = {.read = read, .context = context}};
    status = load(&l);
    bp_buffer_free(&l.holes, &complete.allocator);
    if (status != BP_OK) {
        bp_world_destroy(l.world);
        return status;
    }
    *world = l.world;
    return BP_OK;
}
