// Saving a world to a stream. save_format.h describes the format.
//
// Cost: O(n + pairs), and memory for a byte per id and, if the pairs are not sorted, two copies of them.
#include "world/save/save_format.h"

#include "base/log.h"
#include "base/pair_sort.h"
#include "world/save/section_stream.h"
#include "world/world.h"

#include <inttypes.h>
#include <string.h>

typedef struct saver {
    const bp_world *world;
    bp_save_header header;
    bp_buffer gone;   // of uint8_t, by id: 1 if it is in the section `gone`
    bp_buffer sorted; // of bp_pair; empty if the world's pairs are sorted
    const bp_pair *pairs;
    bp_section_writer writer;
} saver;

static bool is_saved(const saver *s, size_t id) {
    return bp_world_is_alive(s->world, (bp_id)id);
}

static bool has_margin(const saver *s) {
    return bp_world_boxes_have_margin(&s->world->boxes);
}

// ---- what there is to save ------------------------------------------------------------------------------------------

// Holes at the end can be omitted, unless a pair of the last update names them, or there is a margin: then the number
// of ids decides when all boxes get new margins.
static size_t count_saved_ids(const saver *s) {
    const bp_pairs *pairs = &s->world->lists.pairs;
    size_t count = s->world->ids.count;
    while (count > 0 && !has_margin(s) && !is_saved(s, count - 1)) {
        --count;
    }
    for (size_t i = 0; i < pairs->count; ++i) {
        count = pairs->data[i].b >= count ? (size_t)pairs->data[i].b + 1 : count;
    }
    return count;
}

// Whether an id was removed since the last update. (If it has been reused, only a world with events knows.)
static bool was_removed(const saver *s, bp_id id) {
    const bool knows = bp_world_has_events(s->world);
    return !is_saved(s, id) || (knows && (bp_change_list_marks(&s->world->changes)[id] & BP_MARK_REMOVED) != 0);
}

// Lists the removed ids that pairs name. Others are not needed: no pair can end with them.
static bool find_gone(saver *s) {
    const bp_pairs *pairs = &s->world->lists.pairs;
    if (!bp_buffer_reserve(&s->gone, bp_world_allocator(s->world), 0, s->world->ids.count, 1)) {
        return false;
    }
    uint8_t *gone = s->gone.data;
    for (size_t id = 0; id < s->world->ids.count; ++id) gone[id] = 0;
    for (size_t i = 0; i < pairs->count; ++i) {
        gone[pairs->data[i].a] = was_removed(s, pairs->data[i].a);
        gone[pairs->data[i].b] = was_removed(s, pairs->data[i].b);
    }
    for (size_t id = 0; id < s->world->ids.count; ++id) s->header.gone += gone[id];
    return true;
}

// With a margin the number of changed objects matters: if many have changed, all boxes get new margins.
static bool is_listed_as_changed(const saver *s, size_t id) {
    const bp_change_list *changes = &s->world->changes;
    return has_margin(s) && bp_change_list_is_complete(changes) && bp_change_list_marks(changes)[id] != 0;
}

static void fill_header(saver *s) {
    const bp_world *world = s->world;
    s->header = bp_save_describe(&world->setup.overlap);
    s->header.content |= world->boxes.is_double ? BP_SAVED_DOUBLE : 0;
    s->header.content |= has_margin(s) && world->changes.all ? BP_SAVED_ALL_CHANGED : 0;
    s->header.ids = count_saved_ids(s);
    s->header.holes = s->header.ids - bp_world_count(world);
    s->header.pairs = world->lists.pairs.count;
    const bp_object *objects = bp_object_table_data(&world->objects);
    for (size_t id = 0; id < world->ids.count; ++id) {
        const bool differs = objects != NULL && is_saved(s, id) && !bp_object_is_default(&objects[id]);
        s->header.content |= differs ? BP_SAVED_OBJECTS : 0;
        s->header.changed += is_listed_as_changed(s, id);
    }
}

static bool sort_saved_pairs(saver *s) {
    const bp_pairs *pairs = &s->world->lists.pairs;
    const bp_allocator *allocator = bp_world_allocator(s->world);
    size_t sorted = 1;
    for (; sorted < pairs->count && bp_pair_is_before(pairs->data[sorted - 1], pairs->data[sorted]); ++sorted) {
    }
    s->pairs = pairs->data;
    if (sorted >= pairs->count) {
        return true;
    }
    if (!bp_buffer_reserve(&s->sorted, allocator, 0, pairs->count, sizeof(bp_pair))) {
        return false;
    }
    bp_buffer scratch = {0};
    const bool granted = bp_sort_pairs(pairs->data, s->sorted.data, pairs->count, s->world->ids.count, &scratch,
                                       &s->world->setup.methods.runtime);
    bp_buffer_free(&scratch, allocator);
    s->pairs = s->sorted.data;
    return granted;
}

// ---- writing --------------------------------------------------------------------------------------------------------

static bool write_preamble(saver *s) {
    unsigned char *item = bp_section_put(&s->writer, BP_PREAMBLE_BYTES);
    memcpy(item, BP_SAVE_MAGIC, BP_MAGIC_BYTES);
    bp_store_u32(item + 8, BP_SAVE_VERSION);
    bp_store_u32(item + 12, 0);
    return bp_section_end(&s->writer);
}

static bool write_header(saver *s) {
    const bp_save_header *h = &s->header;
    const uint64_t counts[] = {h->ids, h->holes, h->gone, h->changed, h->pairs};
    unsigned char *item = bp_section_put(&s->writer, BP_HEADER_BYTES);
    bp_store_u32(item, h->content);
    bp_store_u32(item + 4, h->dimensions);
    bp_store_u32(item + 8, h->shape);
    bp_store_float(item + 12, h->margin);
    for (size_t axis = 0; axis < 3; ++axis) {
        bp_store_float(item + 16 + 4 * axis, h->period[axis]);
    }
    bp_store_u32(item + 28, 0);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        bp_store_u64(item + 32 + 8 * i, counts[i]);
    }
    return bp_section_end(&s->writer);
}

// The ids of a section.
static bool write_ids(saver *s, size_t count, bool (*has)(const saver *s, size_t id)) {
    for (size_t id = 0; id < count; ++id) {
        if (has(s, id)) {
            bp_store_u32(bp_section_put(&s->writer, BP_ID_BYTES), (uint32_t)id);
        }
    }
    return bp_section_end(&s->writer);
}

static bool is_hole(const saver *s, size_t id) {
    return !is_saved(s, id);
}

static bool is_gone(const saver *s, size_t id) {
    return ((const uint8_t *)s->gone.data)[id] != 0;
}

// In 64 bits if the world keeps them. Otherwise the coordinates are floats.
static void put_box(saver *s, bp_box_double box) {
    const bool is_double = s->world->boxes.is_double;
    unsigned char *item = bp_section_put(&s->writer, is_double ? BP_DOUBLE_BOX_BYTES : BP_BOX_BYTES);
    for (size_t axis = 0; axis < 3; ++axis) {
        if (is_double) {
            bp_store_double(item + 8 * axis, box.min[axis]);
            bp_store_double(item + 24 + 8 * axis, box.max[axis]);
        } else {
            bp_store_float(item + 4 * axis, (float)box.min[axis]);
            bp_store_float(item + 12 + 4 * axis, (float)box.max[axis]);
        }
    }
}

static bool write_boxes(saver *s, bool any, bp_box_double (*box_of)(const bp_world_boxes *boxes, bp_id id)) {
    for (size_t id = 0; any && id < s->world->ids.count; ++id) {
        if (is_saved(s, id)) {
            put_box(s, box_of(&s->world->boxes, (bp_id)id));
        }
    }
    return bp_section_end(&s->writer);
}

static bool write_objects(saver *s) {
    const bool any = (s->header.content & BP_SAVED_OBJECTS) != 0;
    for (size_t id = 0; any && id < s->world->ids.count; ++id) {
        const bp_object *object = &bp_object_table_data(&s->world->objects)[id];
        if (is_saved(s, id)) {
            unsigned char *item = bp_section_put(&s->writer, BP_OBJECT_BYTES);
            bp_store_u64(item, object->group);
            bp_store_u64(item + 8, object->mask);
            bp_store_u32(item + 16, object->flags);
            bp_store_u32(item + 20, object->island);
            bp_store_u64(item + 24, object->user);
        }
    }
    return bp_section_end(&s->writer);
}

static bool write_pairs(saver *s) {
    for (size_t i = 0; i < s->header.pairs; ++i) {
        unsigned char *item = bp_section_put(&s->writer, BP_PAIR_BYTES);
        bp_store_u32(item, s->pairs[i].a);
        bp_store_u32(item + 4, s->pairs[i].b);
    }
    return bp_section_end(&s->writer);
}

static bool write_all(saver *s) {
    const size_t count = s->world->ids.count;
    return write_preamble(s) && write_header(s) && write_ids(s, s->header.ids, is_hole) &&
           write_boxes(s, true, bp_world_boxes_input) && write_boxes(s, has_margin(s), bp_world_boxes_grown) &&
           write_objects(s) && write_ids(s, count, is_gone) && write_ids(s, count, is_listed_as_changed) &&
           write_pairs(s);
}

static bp_status save_world(saver *s) {
    fill_header(s);
    if (!find_gone(s) || !sort_saved_pairs(s)) {
        return BP_ERROR_MEMORY;
    }
    if (!write_all(s)) {
        bp_log_write(bp_world_log(s->world), "write: failed after %" PRIu64 " bytes; the stream is incomplete",
                     s->writer.written);
        return BP_ERROR_ARGUMENT;
    }
    return BP_OK;
}

bp_status bp_world_save(const bp_world *world, bp_write write, void *context) {
    if (world == NULL || bp_world_is_updating(world)) {
        return BP_ERROR_ARGUMENT;
    }
    if (write == NULL) {
        return bp_world_refuse(world, BP_ERROR_ARGUMENT, "write: NULL; a function that takes the bytes is needed");
    }
    saver s = {.world = world, .writer = {.write = write, .context = context}};
    atomic_uint *reading = &((bp_world *)world)->reading; // nothing else of the world changes
    atomic_fetch_add(reading, 1);
    const bp_status status = save_world(&s);
    atomic_fetch_sub(reading, 1);
    bp_buffer_free(&s.gone, bp_world_allocator(world));
    bp_buffer_free(&s.sorted, bp_world_allocator(world));
    return status;
}
