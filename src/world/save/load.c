// Loading a world from a stream. save_format.h describes the format.
//
// A loaded world is made by the calls that made the saved one (add, remove, set_object), which check their arguments.
// Then it gets the old pairs, so that the next update can report what has begun and ended since. That update builds the
// method's structure and finds all pairs. Nothing is trusted: memory follows the bytes that have been read, not those
// that the header promises, and whatever a checksum cannot guarantee is checked where it is used.
//
// Cost: O(n + pairs), and memory for the holes in addition to the world.
#include "world/save/save_format.h"

#include "base/log.h"
#include "world/save/section_stream.h"
#include "world/world.h"

#include <inttypes.h>
#include <string.h>

typedef struct loader {
    const bp_config *config;
    bp_setup setup; // the config, complete
    bp_section_reader reader;
    uint32_t version;
    bp_save_header header;
    bp_world *world;
    bp_buffer holes; // of bp_id, ascending
} loader;

static const bp_log *log_of(const loader *l) {
    return &l->setup.methods.runtime.log;
}

static const bp_allocator *allocator_of(const loader *l) {
    return &l->setup.methods.runtime.allocator;
}

static bp_status refuse_content(const loader *l, const char *what) {
    bp_log_write(log_of(l), "stream: %s", what);
    return BP_ERROR_ARGUMENT;
}

// Logs why the reader stopped.
static bp_status refuse_stream(const loader *l) {
    const bool cut = l->reader.state == BP_STREAM_CUT;
    bp_log_write(log_of(l), "stream: %s, in the frame after byte %" PRIu64,
                 cut ? "truncated, or read failed" : "damaged: a checksum does not match", l->reader.bytes_read);
    return BP_ERROR_ARGUMENT;
}

static uint64_t count_living(const loader *l) {
    return l->header.ids - l->header.holes;
}

static bool is_double(const loader *l) {
    return (l->header.content & BP_SAVED_DOUBLE) != 0;
}

// ---- what it is -----------------------------------------------------------------------------------------------------

static bp_status read_preamble(loader *l) {
    bp_section_begin(&l->reader, 1, BP_PREAMBLE_BYTES);
    const unsigned char *item = bp_section_take(&l->reader);
    if (l->reader.state != BP_STREAM_CUT && memcmp(l->reader.frame, BP_SAVE_MAGIC, BP_MAGIC_BYTES) != 0) {
        return refuse_content(l, "it does not begin as a saved world does");
    }
    if (item == NULL) {
        return refuse_stream(l);
    }
    l->version = bp_load_u32(item + 8);
    if (l->version < 1 || l->version > BP_SAVE_VERSION) {
        bp_log_write(log_of(l), "stream: it has version %" PRIu32 "; this library reads versions 1 to %d", l->version,
                     BP_SAVE_VERSION);
        return BP_ERROR_ARGUMENT;
    }
    return bp_load_u32(item + 12) == 0 ? BP_OK : refuse_content(l, "the preamble holds what its version does not know");
}

static bp_status check_header(const loader *l) {
    const bp_save_header *h = &l->header;
    if ((h->content & ~(uint32_t)BP_SAVED_EVERYTHING) != 0) {
        return refuse_content(l, "the header names contents that its version does not know");
    }
    if (h->ids > BP_MAX_COUNT || h->holes > h->ids || h->gone > h->ids || h->changed > h->ids) {
        return refuse_content(l, "the header counts more ids than there are");
    }
    return BP_OK;
}

static bp_status read_header(loader *l) {
    bp_save_header *h = &l->header;
    uint64_t *const counts[] = {&h->ids, &h->holes, &h->gone, &h->changed, &h->pairs};
    bp_section_begin(&l->reader, 1, BP_HEADER_BYTES);
    const unsigned char *item = bp_section_take(&l->reader);
    if (item == NULL) {
        return refuse_stream(l);
    }
    h->content = bp_load_u32(item);
    h->dimensions = bp_load_u32(item + 4);
    h->shape = bp_load_u32(item + 8);
    h->margin = bp_load_float(item + 12);
    for (size_t axis = 0; axis < 3; ++axis) {
        h->period[axis] = bp_load_float(item + 16 + 4 * axis);
    }
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        *counts[i] = bp_load_u64(item + 32 + 8 * i);
    }
    return bp_load_u32(item + 28) == 0 ? check_header(l)
                                       : refuse_content(l, "the header holds what its version does not know");
}

static bp_status refuse_config(const loader *l, const char *field, double saved, double wanted) {
    bp_log_write(log_of(l), "config.%s: %.9g, but the world was saved with %.9g", field, wanted, saved);
    return BP_ERROR_ARGUMENT;
}

static bp_status compare_config(loader *l) {
    const bp_save_header *saved = &l->header;
    const bp_save_header wanted = bp_save_describe(&l->setup.overlap);
    if (saved->dimensions != wanted.dimensions) {
        return refuse_config(l, "dimensions", saved->dimensions, wanted.dimensions);
    }
    if (saved->shape != wanted.shape) {
        return refuse_config(l, "shape", saved->shape, wanted.shape);
    }
    if (saved->margin != wanted.margin) {
        return refuse_config(l, "margin", (double)saved->margin, (double)wanted.margin);
    }
    for (int axis = 0; axis < 3; ++axis) {
        if (saved->period[axis] != wanted.period[axis]) {
            return refuse_config(l, "period", (double)saved->period[axis], (double)wanted.period[axis]);
        }
    }
    return BP_OK;
}

static bp_status create_world(loader *l) {
    const bp_status status = bp_world_create(l->config, &l->world);
    return status == BP_OK && is_double(l) && !bp_world_make_double(l->world) ? BP_ERROR_MEMORY : status;
}

// ---- ids and boxes --------------------------------------------------------------------------------------------------

// Memory for one more element, at least doubled.
static bool reserve_next(bp_buffer *buffer, const loader *l, size_t count, size_t size) {
    const size_t bytes = count * size;
    return bytes + size <= buffer->bytes ||
           bp_buffer_reserve(buffer, allocator_of(l), bytes, count < 512 ? 1024 : 2 * count, size);
}

// The next id of an ascending list; `*last` is the one before, or UINT32_MAX.
static bp_status read_id(loader *l, bp_id *last) {
    const unsigned char *item = bp_section_take(&l->reader);
    if (item == NULL) {
        return refuse_stream(l);
    }
    const bp_id id = bp_load_u32(item);
    if (id >= l->header.ids || (*last != UINT32_MAX && id <= *last)) {
        return refuse_content(l, "a list of ids is not ascending, or names an id that there is not");
    }
    *last = id;
    return BP_OK;
}

static bp_status read_holes(loader *l) {
    bp_id id = UINT32_MAX;
    bp_section_begin(&l->reader, l->header.holes, BP_ID_BYTES);
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
    bp_section_begin(&l->reader, count, is_double(l) ? BP_DOUBLE_BOX_BYTES : BP_BOX_BYTES);
}

static bp_status read_box(loader *l, bp_box_double *box) {
    const unsigned char *item = bp_section_take(&l->reader);
    if (item == NULL) {
        return refuse_stream(l);
    }
    for (size_t axis = 0; axis < 3; ++axis) {
        if (is_double(l)) {
            box->min[axis] = bp_load_double(item + 8 * axis);
            box->max[axis] = bp_load_double(item + 24 + 8 * axis);
        } else {
            box->min[axis] = (double)bp_load_float(item + 4 * axis);
            box->max[axis] = (double)bp_load_float(item + 12 + 4 * axis);
        }
    }
    return BP_OK;
}

static bp_status add_box(loader *l, const bp_box_double *box) {
    bp_box floats;
    for (int axis = 0; axis < 3 && !is_double(l); ++axis) { // exactly as they were read
        floats.min[axis] = (float)box->min[axis];
        floats.max[axis] = (float)box->max[axis];
    }
    const bp_status status =
        is_double(l) ? bp_add_double(l->world, box, NULL, NULL) : bp_add(l->world, &floats, NULL, NULL);
    return status == BP_OK || status == BP_ERROR_MEMORY ? status
                                                        : refuse_content(l, "it holds a box that is not valid");
}

// Every id gets an object first, holes with an arbitrary box; then the objects of the holes are removed.
static bp_status read_boxes(loader *l) {
    const bp_id *holes = l->holes.data;
    bp_status status = BP_OK;
    begin_boxes(l, count_living(l));
    for (size_t id = 0, hole = 0; id < l->header.ids && status == BP_OK; ++id) {
        const bool is_hole = hole < l->header.holes && holes[hole] == id;
        bp_box_double box = {.min = {0}};
        hole += is_hole;
        status = is_hole ? BP_OK : read_box(l, &box);
        status = status == BP_OK ? add_box(l, &box) : status;
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
    const bool any = l->setup.overlap.margin > 0.0f;
    begin_boxes(l, any ? count_living(l) : 0);
    for (size_t id = 0; any && id < l->header.ids; ++id) {
        bp_box_double grown;
        if (!bp_world_is_alive(l->world, (bp_id)id)) {
            continue;
        }
        const bp_status status = read_box(l, &grown);
        if (status != BP_OK) {
            return status;
        }
        if (!bp_world_boxes_put_grown(&l->world->boxes, (bp_id)id, &grown)) {
            return refuse_content(l, "a box has left the one that it moves in");
        }
    }
    return BP_OK;
}

static bp_object object_of(const unsigned char *item, uint32_t version) {
    const bool is_wide = version > 1;
    const unsigned char *rest = item + (is_wide ? 16 : 8);
    return (bp_object){.group = is_wide ? bp_load_u64(item) : bp_load_u32(item),
                       .mask = is_wide ? bp_load_u64(item + 8) : bp_load_u32(item + 4),
                       .flags = bp_load_u32(rest),
                       .island = bp_load_u32(rest + 4),
                       .user = bp_load_u64(rest + 8)};
}

static bp_status read_objects(loader *l) {
    const bool any = (l->header.content & BP_SAVED_OBJECTS) != 0;
    bp_status status = BP_OK;
    bp_section_begin(&l->reader, any ? count_living(l) : 0, l->version > 1 ? BP_OBJECT_BYTES : BP_OBJECT_BYTES_1);
    for (size_t id = 0; any && id < l->header.ids && status == BP_OK; ++id) {
        if (!bp_world_is_alive(l->world, (bp_id)id)) {
            continue;
        }
        const unsigned char *item = bp_section_take(&l->reader);
        if (item == NULL) {
            return refuse_stream(l);
        }
        const bp_object object = object_of(item, l->version);
        status = bp_set_object(l->world, (bp_id)id, &object);
    }
    return status;
}

// ---- what has changed since the last update -------------------------------------------------------------------------

// Changes made by loading itself do not count.
static bp_status forget_changes(loader *l) {
    const bool all = l->setup.overlap.margin == 0.0f || (l->header.content & BP_SAVED_ALL_CHANGED) != 0;
    bp_change_list_restart(&l->world->changes, l->world->ids.count, all);
    return BP_OK;
}

// Reads a list of ids and marks each of them: as removed, or just as changed.
static bp_status read_marks(loader *l, uint64_t count, bool are_gone) {
    bp_status status = BP_OK;
    bp_id id = UINT32_MAX;
    bp_section_begin(&l->reader, count, BP_ID_BYTES);
    for (uint64_t i = 0; i < count && status == BP_OK; ++i) {
        status = read_id(l, &id);
        if (status == BP_OK) {
            const uint8_t again = bp_world_is_alive(l->world, (bp_id)id) ? BP_MARK_RESTATED | BP_MARK_REBORN : 0;
            bp_world_mark(l->world, id, are_gone ? BP_MARK_REMOVED | again : 0);
        }
    }
    return status;
}

static bp_status read_gone(loader *l) {
    return read_marks(l, l->header.gone, true);
}

static bp_status read_changed(loader *l) {
    return read_marks(l, l->header.changed, false);
}

static bp_status read_pairs(loader *l) {
    const bp_pairs *pairs = &l->world->lists.pairs;
    bp_section_begin(&l->reader, l->header.pairs, BP_PAIR_BYTES);
    for (uint64_t i = 0; i < l->header.pairs; ++i) {
        const unsigned char *item = bp_section_take(&l->reader);
        if (item == NULL) {
            return refuse_stream(l);
        }
        const bp_pair pair = {.a = bp_load_u32(item), .b = bp_load_u32(item + 4)};
        if (pair.a >= pair.b || pair.b >= l->header.ids ||
            (i > 0 && !bp_pair_is_before(pairs->data[pairs->count - 1], pair))) {
            return refuse_content(l, "the pairs are not ascending pairs of ids");
        }
        if (!bp_pairs_push(&l->world->lists.pairs, allocator_of(l), pair)) {
            return BP_ERROR_MEMORY;
        }
    }
    return BP_OK;
}

// ---- all together ---------------------------------------------------------------------------------------------------

typedef bp_status (*load_step)(loader *l);

static const load_step STEPS[] = {read_preamble, read_header,  compare_config, create_world, read_holes,
                                  read_boxes,    make_holes,   read_grown,     read_objects, forget_changes,
                                  read_gone,     read_changed, read_pairs};

static bp_status load_world(loader *l) {
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
    loader l = {.config = config, .reader = {.read = read, .context = context}};
    bp_status status = bp_setup_complete(config, &l.setup);
    if (status != BP_OK) {
        return status;
    }
    if (read == NULL) {
        bp_log_write(log_of(&l), "read: NULL; pass the function that reads the stream");
        return BP_ERROR_ARGUMENT;
    }
    status = load_world(&l);
    bp_buffer_free(&l.holes, allocator_of(&l));
    if (status != BP_OK) {
        bp_world_destroy(l.world);
        return status;
    }
    *world = l.world;
    return BP_OK;
}
