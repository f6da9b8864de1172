// Objects that live: ids, boxes, objects, and what changed since the last update. See world.h.
#include "world.h"

#include "config.h"

#include <string.h>

enum {
    TRACKED_SHARE = 8, // if more than one object in so many has changed, what changed is not tracked
    TRACKED_LEAST = 64
};

// ---- life -----------------------------------------------------------------------------------------------------------

bp_status bp_world_refuse(const bp_world *world, bp_status status, const char *what) {
    bp_log_write(&world->config, "%s", what);
    return status;
}

static bp_status check_config(const bp_config *config, const bp_method_ops *ops) {
    if ((config->flags & BP_PAIRS_FIXED) != 0) {
        bp_log_write(config, "config.flags: BP_PAIRS_FIXED is for the one-call functions; a world owns its pairs");
        return BP_ERROR_ARGUMENT;
    }
    if (config->update == BP_UPDATE_INDIVIDUAL && ops->update == NULL) {
        bp_log_write(config, "config.update: method %s is always built anew", ops->name);
        return BP_ERROR_UNSUPPORTED;
    }
    if (config->dimensions == 2 && (ops->supports & BP_SUPPORTS_2D) == 0) {
        bp_log_write(config, "config.dimensions: method %s knows only 3", ops->name);
        return BP_ERROR_UNSUPPORTED;
    }
    return BP_OK;
}

bp_status bp_world_create(const bp_config *config, bp_world **world) {
    if (world == NULL) {
        return BP_ERROR_ARGUMENT;
    }
    *world = NULL;
    bp_config complete;
    bp_status status = bp_config_complete(config, &complete);
    if (status != BP_OK) {
        return status;
    }
    const bp_method method = bp_method_choose(&complete);
    const bp_method_ops *ops = bp_method_get(method);
    status = check_config(&complete, ops);
    if (status != BP_OK) {
        return status;
    }
    bp_world *w = complete.allocator.allocate(complete.allocator.context, sizeof *w);
    if (w == NULL) {
        return BP_ERROR_MEMORY;
    }
    *w = (bp_world){.config = complete, .method = method, .ops = ops, .all_changed = true, .dirty = true};
    w->tracks = ops->update != NULL && complete.update != BP_UPDATE_REBUILD;
    status = ops->create(&w->config, &w->state);
    if (status != BP_OK) {
        complete.allocator.release(complete.allocator.context, w, sizeof *w);
        return status;
    }
    *world = w;
    return BP_OK;
}

void bp_world_destroy(bp_world *world) {
    if (world == NULL) {
        return;
    }
    world->ops->destroy(world->state);
    bp_pairs_free(&world->pairs, &world->config);
    bp_buffer *buffers[] = {&world->boxes,   &world->free,  &world->objects,
                            &world->changed, &world->marks, &world->sort_scratch};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i) {
        bp_buffer_free(buffers[i], &world->config.allocator);
    }
    const bp_allocator allocator = world->config.allocator;
    allocator.release(allocator.context, world, sizeof *world);
}

// ---- ids ------------------------------------------------------------------------------------------------------------

static void heap_push(bp_world *world, bp_id id) {
    bp_id *heap = world->free.data;
    size_t at = world->free_count++;
    for (; at > 0 && heap[(at - 1) / 2] > id; at = (at - 1) / 2) {
        heap[at] = heap[(at - 1) / 2];
    }
    heap[at] = id;
}

static bp_id heap_pop(bp_world *world) {
    bp_id *heap = world->free.data;
    const bp_id smallest = heap[0], last = heap[--world->free_count];
    size_t at = 0;
    for (size_t child = 1; child < world->free_count; child = 2 * at + 1) {
        child += child + 1 < world->free_count && heap[child + 1] < heap[child];
        if (heap[child] >= last) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return smallest;
}

static bp_status refuse_id(const bp_world *world, bp_id id) {
    bp_log_write(&world->config, "id %lu is not alive in this world", (unsigned long)id);
    return BP_ERROR_ID;
}

void bp_world_forget_changes(bp_world *world) {
    const bp_id *changed = world->changed.data;
    for (size_t i = 0; i < world->changed_count; ++i) {
        bp_world_marks(world)[changed[i]] = 0;
    }
    world->changed_count = 0;
}

static void mark_all_changed(bp_world *world) {
    bp_world_forget_changes(world);
    world->dirty = true;
    world->all_changed = true;
}

static void mark_changed(bp_world *world, bp_id id) {
    world->dirty = true;
    if (!world->tracks || world->all_changed || bp_world_marks(world)[id] != 0) {
        return;
    }
    if (world->changed_count == world->changed.bytes / sizeof(bp_id)) {
        mark_all_changed(world);
        return;
    }
    bp_world_marks(world)[id] = 1;
    ((bp_id *)world->changed.data)[world->changed_count++] = id;
}

// ---- adding ---------------------------------------------------------------------------------------------------------

static bool is_default(const bp_object *object) {
    return object == NULL ||
           (object->group == 0 && object->mask == 0 && object->flags == 0 && object->island == 0 && object->user == 0);
}

static bool any_differs(const bp_object *objects, size_t count) {
    for (size_t i = 0; objects != NULL && i < count; ++i) {
        if (!is_default(&objects[i])) {
            return true;
        }
    }
    return false;
}

static bp_status check_object(const bp_world *world, const bp_object *objects, size_t count) {
    for (size_t i = 0; objects != NULL && i < count; ++i) {
        if ((objects[i].flags & ~(uint32_t)BP_STATIC) != 0) {
            return bp_world_refuse(world, BP_ERROR_ARGUMENT, "object.flags: holds a bit that is no flag");
        }
    }
    return BP_OK;
}

// From now on every id has an object of its own.
static bool reserve_objects(bp_world *world, size_t id_count) {
    const bool first = world->objects.bytes == 0;
    const size_t kept = first ? 0 : world->id_count * sizeof(bp_object);
    if (!bp_buffer_reserve_slack(&world->objects, &world->config.allocator, kept, id_count, sizeof(bp_object))) {
        return false;
    }
    if (first) {
        memset(world->objects.data, 0, world->objects.bytes);
    }
    return true;
}

// The method still looks at the old boxes when they move in memory: it must be brought up to date before it is used.
static bool reserve_boxes(bp_world *world, size_t id_count) {
    const void *before = world->boxes.data;
    const bool granted = bp_buffer_reserve_slack(&world->boxes, &world->config.allocator,
                                                 world->id_count * sizeof(bp_box), id_count, sizeof(bp_box));
    world->dirty |= world->boxes.data != before;
    return granted;
}

// Everything that `id_count` ids will need, so that nothing fails later. What has grown stays grown.
static bool reserve_ids(bp_world *world, size_t id_count, bool with_objects) {
    const bp_allocator *allocator = &world->config.allocator;
    const size_t used = world->id_count;
    return reserve_boxes(world, id_count) &&
           (!world->tracks || (bp_buffer_reserve_slack(&world->marks, allocator, used, id_count, 1) &&
                               bp_buffer_reserve_slack(&world->changed, allocator, world->changed_count * sizeof(bp_id),
                                                       id_count / TRACKED_SHARE + TRACKED_LEAST, sizeof(bp_id)))) &&
           ((!with_objects && world->objects.bytes == 0) || reserve_objects(world, id_count));
}

static bp_id take_id(bp_world *world) {
    if (world->free_count > 0) {
        return heap_pop(world);
    }
    const bp_id id = (bp_id)world->id_count++;
    if (world->tracks) {
        bp_world_marks(world)[id] = 0;
    }
    return id;
}

bp_status bp_add_many(bp_world *world, size_t count, const bp_box *boxes, const bp_object *objects, bp_id *ids) {
    if (world == NULL) {
        return BP_ERROR_ARGUMENT;
    }
    bp_status status = bp_boxes_check(boxes, count, &world->config);
    if (status == BP_OK) {
        status = check_object(world, objects, count);
    }
    if (status != BP_OK) {
        return status;
    }
    const size_t fresh = count > world->free_count ? count - world->free_count : 0;
    if (fresh > BP_MAX_COUNT - world->id_count) {
        return bp_world_refuse(world, BP_ERROR_ARGUMENT, "the world is full: it has 2^32 - 2 ids");
    }
    if (!reserve_ids(world, world->id_count + fresh, any_differs(objects, count))) {
        return BP_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        const bp_id id = take_id(world);
        bp_world_boxes(world)[id] = boxes[i];
        if (bp_world_objects(world) != NULL) {
            bp_world_objects(world)[id] = objects != NULL ? objects[i] : (bp_object){0};
        }
        mark_changed(world, id);
        if (ids != NULL) {
            ids[i] = id;
        }
    }
    return BP_OK;
}

bp_status bp_add(bp_world *world, const bp_box *box, const bp_object *object, bp_id *id) {
    return bp_add_many(world, 1, box, object, id);
}

// ---- changing -------------------------------------------------------------------------------------------------------

static bp_status check_ids(const bp_world *world, size_t count, const bp_id *ids) {
    if (ids == NULL && world->free_count == 0 && count <= world->id_count) {
        return BP_OK;
    }
    for (size_t i = 0; i < count; ++i) {
        const size_t id = ids != NULL ? ids[i] : i;
        if (!bp_world_is_alive(world, (bp_id)id)) {
            return refuse_id(world, (bp_id)id);
        }
    }
    return BP_OK;
}

bp_status bp_move_many(bp_world *world, size_t count, const bp_id *ids, const bp_box *boxes) {
    if (world == NULL) {
        return BP_ERROR_ARGUMENT;
    }
    bp_status status = bp_boxes_check(boxes, count, &world->config);
    if (status == BP_OK) {
        status = check_ids(world, count, ids);
    }
    if (status != BP_OK || count == 0) {
        return status;
    }
    if (ids == NULL && count == world->id_count) {
        mark_all_changed(world);
        bp_boxes_copy(bp_world_boxes(world), boxes, count, &world->config.executor);
        return BP_OK;
    }
    for (size_t i = 0; i < count; ++i) {
        const bp_id id = ids != NULL ? ids[i] : (bp_id)i;
        bp_world_boxes(world)[id] = boxes[i];
        mark_changed(world, id);
    }
    return BP_OK;
}

bp_status bp_move(bp_world *world, bp_id id, const bp_box *box) {
    return bp_move_many(world, 1, &id, box);
}

bp_status bp_remove(bp_world *world, bp_id id) {
    if (world == NULL) {
        return BP_ERROR_ARGUMENT;
    }
    if (!bp_world_is_alive(world, id)) {
        return refuse_id(world, id);
    }
    if (!bp_buffer_reserve_slack(&world->free, &world->config.allocator, world->free_count * sizeof(bp_id),
                                 world->free_count + 1, sizeof(bp_id))) {
        return BP_ERROR_MEMORY;
    }
    bp_world_boxes(world)[id] = bp_box_hole();
    heap_push(world, id);
    mark_changed(world, id);
    return BP_OK;
}

bp_status bp_set_object(bp_world *world, bp_id id, const bp_object *object) {
    if (world == NULL) {
        return BP_ERROR_ARGUMENT;
    }
    if (!bp_world_is_alive(world, id)) {
        return refuse_id(world, id);
    }
    const bp_status status = check_object(world, object, 1);
    if (status != BP_OK) {
        return status;
    }
    if (!is_default(object) && !reserve_objects(world, world->id_count)) {
        return BP_ERROR_MEMORY;
    }
    if (bp_world_objects(world) != NULL) {
        bp_world_objects(world)[id] = object != NULL ? *object : (bp_object){0};
        mark_changed(world, id);
    }
    return BP_OK;
}

bp_status bp_get_object(const bp_world *world, bp_id id, bp_box *box, bp_object *object) {
    if (world == NULL) {
        return BP_ERROR_ARGUMENT;
    }
    if (!bp_world_is_alive(world, id)) {
        return refuse_id(world, id);
    }
    if (box != NULL) {
        *box = bp_world_boxes(world)[id];
    }
    if (object != NULL) {
        *object = bp_world_objects(world) != NULL ? bp_world_objects(world)[id] : (bp_object){0};
    }
    return BP_OK;
}

// ---- looking --------------------------------------------------------------------------------------------------------

size_t bp_world_count(const bp_world *world) {
    return world != NULL ? world->id_count - world->free_count : 0;
}

bp_status bp_world_stats(const bp_world *world, bp_stats *stats) {
    if (world == NULL || stats == NULL) {
        return BP_ERROR_ARGUMENT;
    }
    *stats = world->stats;
    return BP_OK;
}

static bool ids_are_sound(const bp_world *world) {
    const bp_id *heap = world->free.data;
    size_t holes = 0;
    for (size_t id = 0; id < world->id_count; ++id) {
        holes += !bp_world_is_alive(world, (bp_id)id);
    }
    bool sound = holes == world->free_count;
    for (size_t i = 0; sound && i < world->free_count; ++i) {
        sound =
            heap[i] < world->id_count && !bp_world_is_alive(world, heap[i]) && (i == 0 || heap[(i - 1) / 2] < heap[i]);
    }
    return sound;
}

static bool changes_are_sound(const bp_world *world) {
    const bp_id *changed = world->changed.data;
    size_t marked = 0;
    for (size_t id = 0; world->tracks && id < world->id_count; ++id) {
        marked += bp_world_marks(world)[id];
    }
    bool sound = marked == world->changed_count;
    for (size_t i = 0; sound && i < world->changed_count; ++i) {
        sound = changed[i] < world->id_count && bp_world_marks(world)[changed[i]] == 1;
    }
    return sound;
}

bp_status bp_world_validate(const bp_world *world) {
    if (world == NULL) {
        return BP_ERROR_ARGUMENT;
    }
    if (!ids_are_sound(world)) {
        return bp_world_refuse(world, BP_ERROR_INTERNAL, "world: the free ids do not agree with the holes");
    }
    if (!changes_are_sound(world)) {
        return bp_world_refuse(world, BP_ERROR_INTERNAL, "world: the changed ids do not agree with their marks");
    }
    return world->dirty ? BP_OK : world->ops->validate(world->state); // a structure that is behind is not wrong
}
