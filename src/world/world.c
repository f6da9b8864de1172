// Objects that live: ids, boxes, objects, and what changed since the last update. See world.h.
#include "world/world.h"

#include "api/config.h"
#include "world/query/query.h"
#include "world/world_boxes.h"

#include <string.h>

enum {
    TRACKED_SHARE = 8, // if more than one object in so many has changed, what changed is not tracked
    TRACKED_LEAST = 64,
    USUAL_PAIRS = 2, // per object
    PREFETCHED = 16, // objects that are asked for ahead of time
    MOVE_SAMPLE = 64 // boxes that are looked at before all are moved
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
    const bp_method method = bp_choose_first(&complete);
    const bp_method_ops *ops = bp_method_get(method);
    status = check_config(&complete, ops);
    if (status != BP_OK) {
        return status;
    }
    bp_world *w = complete.allocator.allocate(complete.allocator.context, sizeof *w);
    if (w == NULL) {
        return BP_ERROR_MEMORY;
    }
    *w = (bp_world){.config = complete, .method = method, .ops = ops, .all_changed = true, .dirty = true, .version = 1};
    w->chooser = bp_chooser_begin(&complete);
    w->seen = complete;
    w->seen.margin = 0.0f;
    bp_view_init(&w->view, &w->seen);
    w->tracks = ops->update != NULL && complete.update != BP_UPDATE_REBUILD && !bp_world_is_viewed(w);
    status = ops->create(&w->config, &w->state);
    w->queries = status == BP_OK ? bp_query_cache_create(&w->config) : NULL;
    if (w->queries == NULL) {
        if (status == BP_OK) {
            ops->destroy(w->state);
        }
        complete.allocator.release(complete.allocator.context, w, sizeof *w);
        return status == BP_OK ? BP_ERROR_MEMORY : status;
    }
    *world = w;
    return BP_OK;
}

void bp_world_destroy(bp_world *world) {
    if (world == NULL) {
        return;
    }
    world->ops->destroy(world->state);
    bp_query_cache_destroy(world->queries);
    bp_view_free(&world->view);
    bp_statics_free(&world->statics, world->ops, &world->config.allocator);
    bp_pairs *lists[] = {&world->pairs, &world->begun,   &world->ended,
                         &world->spare, &world->ordered, &world->ordered_next};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; ++i) {
        bp_pairs_free(lists[i], &world->config);
    }
    bp_buffer *buffers[] = {&world->boxes,       &world->wide_boxes,  &world->given,     &world->free,
                            &world->objects,     &world->changed,     &world->old_boxes, &world->marks,
                            &world->index.slots, &world->sort_scratch};
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

// A call from inside a callback would find the world half way through its work.
static bool refuse_callback(const bp_world *world, bool busy) {
    if (busy) {
        bp_log_write(&world->config, "a callback may not call into the world that calls it");
    }
    return busy;
}

bool bp_world_is_updating(const bp_world *world) {
    return refuse_callback(world, world->busy);
}

bool bp_world_is_busy(const bp_world *world) {
    return refuse_callback(world, world->busy || atomic_load(&world->saving) > 0);
}

void bp_world_forget_changes(bp_world *world) {
    const bp_id *changed = world->changed.data;
    if (bp_world_has_marks(world) && (world->all_changed || !world->tracks)) {
        if (world->id_count > 0) {
            memset(world->marks.data, 0, world->id_count);
        }
    }
    for (size_t i = 0; i < world->changed_count; ++i) {
        bp_world_marks(world)[changed[i]] = 0;
    }
    world->changed_count = 0;
}

static void mark_all_changed(bp_world *world) {
    ++world->version;
    world->changed_count = 0;
    world->dirty = true;
    world->all_changed = true;
}

static void list_changed(bp_world *world, bp_id id) {
    if (world->changed_count == world->changed.bytes / sizeof(bp_id)) {
        mark_all_changed(world);
        return;
    }
    ((bp_id *)world->changed.data)[world->changed_count] = id;
    ((bp_box *)world->old_boxes.data)[world->changed_count++] = bp_world_boxes(world)[id];
}

void bp_world_mark_changed(bp_world *world, bp_id id, uint8_t how) {
    ++world->version;
    world->dirty = true;
    world->all_changed |= !world->tracks;
    if (!bp_world_has_marks(world)) {
        return;
    }
    uint8_t *mark = &bp_world_marks(world)[id];
    if (world->tracks && !world->all_changed && *mark == 0) {
        list_changed(world, id);
    }
    *mark |= how | BP_MARK_CHANGED;
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

static bool reserve_objects(bp_world *world, size_t id_count) {
    const size_t kept = world->has_objects ? world->id_count * sizeof(bp_object) : 0;
    return bp_buffer_reserve_slack(&world->objects, &world->config.allocator, kept, id_count, sizeof(bp_object));
}

// From now on every id has an object of its own.
static bool begin_objects(bp_world *world, size_t id_count) {
    if (!reserve_objects(world, id_count)) {
        return false;
    }
    if (!world->has_objects && id_count > 0) {
        memset(world->objects.data, 0, world->objects.bytes);
        world->has_objects = true;
    }
    return true;
}

// As many changes as are tracked.
static size_t most_tracked(size_t id_count) {
    return id_count / TRACKED_SHARE + TRACKED_LEAST;
}

// `old_boxes` first: the room in `changed` is what counts.
static bool reserve_changes(bp_world *world, size_t id_count) {
    const bp_allocator *allocator = &world->config.allocator;
    const size_t listed = world->changed_count, most = most_tracked(id_count);
    if (most <= world->changed.bytes / sizeof(bp_id)) {
        return true;
    }
    const size_t count = most + most / 4;
    return bp_buffer_reserve(&world->old_boxes, allocator, listed * sizeof(bp_box), count, sizeof(bp_box)) &&
           bp_buffer_reserve(&world->changed, allocator, listed * sizeof(bp_id), count, sizeof(bp_id));
}

// Everything that `id_count` ids will need, so that nothing fails later. What has grown stays grown.
static bool reserve_ids(bp_world *world, size_t id_count, bool with_objects) {
    const bp_allocator *allocator = &world->config.allocator;
    const size_t used = world->id_count;
    return bp_world_reserve_boxes(world, id_count) &&
           (!bp_world_has_marks(world) || bp_buffer_reserve_slack(&world->marks, allocator, used, id_count, 1)) &&
           (!world->tracks || reserve_changes(world, id_count)) &&
           ((!with_objects && !world->has_objects) || begin_objects(world, id_count));
}

static bp_id take_id(bp_world *world) {
    if (world->free_count > 0) {
        return heap_pop(world);
    }
    const bp_id id = (bp_id)world->id_count++;
    if (bp_world_has_marks(world)) {
        bp_world_marks(world)[id] = 0;
    }
    bp_world_clear_box(world, id);
    return id;
}

// An id that was there at the last update, went and comes again is another object.
static void mark_added(bp_world *world, bp_id id) {
    const bool again = bp_world_has_marks(world) && (bp_world_marks(world)[id] & BP_MARK_REMOVED) != 0;
    bp_world_mark_changed(world, id, again ? BP_MARK_RESTATED | BP_MARK_REBORN : BP_MARK_BORN);
}

static void mark_removed(bp_world *world, bp_id id) {
    const bool born = bp_world_has_marks(world) && (bp_world_marks(world)[id] & BP_MARK_BORN) != 0;
    bp_world_mark_changed(world, id, born ? 0 : BP_MARK_REMOVED);
}

// How many ids there will be with `count` more objects.
static bp_status count_ids(const bp_world *world, size_t count, size_t *id_count) {
    const size_t fresh = count > world->free_count ? count - world->free_count : 0;
    *id_count = world->id_count + fresh;
    const bool full = fresh > BP_MAX_COUNT - world->id_count;
    return full ? bp_world_refuse(world, BP_ERROR_ARGUMENT, "the world is full: it has 2^32 - 2 ids") : BP_OK;
}

static bp_status check_addition(const bp_world *world, bp_given given, bool wide, const bp_object *objects,
                                size_t *id_count) {
    bp_status status = bp_given_check(given, wide, &world->config);
    if (status == BP_OK) {
        status = check_object(world, objects, given.count);
    }
    return status == BP_OK ? count_ids(world, given.count, id_count) : status;
}

static bp_status add(bp_world *world, bp_given given, bool wide, const bp_object *objects, bp_id *ids) {
    if (world == NULL || bp_world_is_busy(world)) {
        return BP_ERROR_ARGUMENT;
    }
    size_t id_count = 0;
    const bp_status status = check_addition(world, given, wide, objects, &id_count);
    if (status != BP_OK) {
        return status;
    }
    // Widening comes last, because it cannot be taken back; it keeps the room that there is.
    if (!reserve_ids(world, id_count, any_differs(objects, given.count)) || (wide && !bp_world_widen(world))) {
        return BP_ERROR_MEMORY;
    }
    for (size_t i = 0; i < given.count; ++i) {
        const bp_id id = take_id(world);
        mark_added(world, id);
        bp_world_put_box(world, id, &given, i);
        if (bp_world_objects(world) != NULL) {
            bp_world_objects(world)[id] = objects != NULL ? objects[i] : (bp_object){0};
        }
        if (ids != NULL) {
            ids[i] = id;
        }
    }
    return BP_OK;
}

bp_status bp_add_many(bp_world *world, size_t count, const bp_box *boxes, const bp_object *objects, bp_id *ids) {
    return add(world, bp_given_floats(boxes, count), false, objects, ids);
}

bp_status bp_add(bp_world *world, const bp_box *box, const bp_object *object, bp_id *id) {
    return bp_add_many(world, 1, box, object, id);
}

bp_status bp_add_many_double(bp_world *world, size_t count, const bp_box_double *boxes, const bp_object *objects,
                             bp_id *ids) {
    return add(world, bp_given_doubles(boxes, count), true, objects, ids);
}

bp_status bp_add_double(bp_world *world, const bp_box_double *box, const bp_object *object, bp_id *id) {
    return bp_add_many_double(world, 1, box, object, id);
}

bp_status bp_world_reserve(bp_world *world, size_t count) {
    if (world == NULL || bp_world_is_busy(world)) {
        return BP_ERROR_ARGUMENT;
    }
    size_t id_count = 0;
    const bp_status status = count_ids(world, count, &id_count);
    if (status != BP_OK) {
        return status;
    }
    const bool granted = reserve_ids(world, id_count, false) && reserve_objects(world, id_count) &&
                         bp_pairs_reserve(&world->pairs, &world->config.allocator, id_count * USUAL_PAIRS);
    return granted ? BP_OK : BP_ERROR_MEMORY;
}

// ---- changing -------------------------------------------------------------------------------------------------------

// How many ids there must be for all of these to be among them.
static size_t ids_needed(size_t count, const bp_id *ids) {
    bp_id largest = 0;
    for (size_t i = 0; ids != NULL && i < count; ++i) largest = ids[i] > largest ? ids[i] : largest;
    return ids != NULL && count > 0 ? (size_t)largest + 1 : count;
}

static bp_status check_ids(const bp_world *world, size_t count, const bp_id *ids) {
    if (world->free_count == 0 && ids_needed(count, ids) <= world->id_count) {
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

// Whether so many boxes of a sample have moved that what changed would not be tracked: then it is better not to look at
// each. A margin is looked at for each, or set anew for all.
static bool most_move(const bp_world *world, const bp_given *given, const bp_id *ids) {
    const bool all = ids == NULL && given->count == world->id_count;
    if (world->wide || (!all && (world->config.margin > 0.0f || given->count <= most_tracked(world->id_count)))) {
        return false;
    }
    const size_t step = given->count / MOVE_SAMPLE + 1;
    size_t looked = 0, moved = 0;
    for (size_t i = 0; i < given->count; i += step, ++looked) {
        moved += !bp_world_is_idle_move(world, ids != NULL ? ids[i] : (bp_id)i, given, i);
    }
    const double share = (double)moved / (double)looked;
    return share * (double)given->count * TRACKED_SHARE > (double)world->id_count;
}

BP_PREFETCHER prefetch_object(const bp_world *world, bp_id id) {
    bp_prefetch(&bp_world_boxes(world)[id]);
    bp_prefetch(bp_world_has_marks(world) ? &bp_world_marks(world)[id] : world->marks.data);
}

static void move_each(bp_world *world, const bp_given *given, const bp_id *ids) {
    for (size_t i = 0; i < given->count; ++i) {
        const bp_id id = ids != NULL ? ids[i] : (bp_id)i;
        if (ids != NULL && i + PREFETCHED < given->count) {
            prefetch_object(world, ids[i + PREFETCHED]);
        }
        if (bp_world_is_idle_move(world, id, given, i)) {
            bp_world_note_idle_move(world, id, given, i);
        } else {
            bp_world_mark_changed(world, id, 0);
            bp_world_put_box(world, id, given, i);
        }
    }
}

static bp_status move(bp_world *world, bp_given given, bool wide, const bp_id *ids) {
    if (world == NULL || bp_world_is_busy(world)) {
        return BP_ERROR_ARGUMENT;
    }
    bp_status status = bp_given_check(given, wide, &world->config);
    if (status == BP_OK) {
        status = check_ids(world, given.count, ids);
    }
    if (status != BP_OK || given.count == 0) {
        return status;
    }
    if (wide && !bp_world_widen(world)) {
        return BP_ERROR_MEMORY;
    }
    if (most_move(world, &given, ids)) {
        mark_all_changed(world);
        bp_world_put_many(world, &given, ids);
    } else {
        move_each(world, &given, ids);
    }
    return BP_OK;
}

bp_status bp_move_many(bp_world *world, size_t count, const bp_id *ids, const bp_box *boxes) {
    return move(world, bp_given_floats(boxes, count), false, ids);
}

bp_status bp_move(bp_world *world, bp_id id, const bp_box *box) {
    return bp_move_many(world, 1, &id, box);
}

bp_status bp_move_many_double(bp_world *world, size_t count, const bp_id *ids, const bp_box_double *boxes) {
    return move(world, bp_given_doubles(boxes, count), true, ids);
}

bp_status bp_move_double(bp_world *world, bp_id id, const bp_box_double *box) {
    return bp_move_many_double(world, 1, &id, box);
}

bp_status bp_remove(bp_world *world, bp_id id) {
    if (world == NULL || bp_world_is_busy(world)) {
        return BP_ERROR_ARGUMENT;
    }
    if (!bp_world_is_alive(world, id)) {
        return refuse_id(world, id);
    }
    if (!bp_buffer_reserve_slack(&world->free, &world->config.allocator, world->free_count * sizeof(bp_id),
                                 world->free_count + 1, sizeof(bp_id))) {
        return BP_ERROR_MEMORY;
    }
    mark_removed(world, id);
    bp_world_clear_box(world, id);
    heap_push(world, id);
    return BP_OK;
}

// Whether two objects pair with the same others. (Whether a callback lets them is for it to say.)
static bool pair_alike(const bp_world *world, const bp_object *a, const bp_object *b) {
    return a->group == b->group && a->mask == b->mask && a->flags == b->flags && a->island == b->island &&
           world->config.filter.pass == NULL;
}

bp_status bp_set_object(bp_world *world, bp_id id, const bp_object *object) {
    if (world == NULL || bp_world_is_busy(world)) {
        return BP_ERROR_ARGUMENT;
    }
    if (!bp_world_is_alive(world, id)) {
        return refuse_id(world, id);
    }
    const bp_status status = check_object(world, object, 1);
    if (status != BP_OK) {
        return status;
    }
    if (!is_default(object) && !begin_objects(world, world->id_count)) {
        return BP_ERROR_MEMORY;
    }
    const bp_object next = object != NULL ? *object : (bp_object){0};
    if (bp_world_objects(world) != NULL) {
        if (!pair_alike(world, &bp_world_objects(world)[id], &next)) {
            bp_world_mark_changed(world, id, BP_MARK_RESTATED);
        }
        bp_world_objects(world)[id] = next;
    } else if (world->config.filter.pass != NULL) {
        bp_world_mark_changed(world, id, BP_MARK_RESTATED);
    }
    return BP_OK;
}

bp_status bp_get_object_double(const bp_world *world, bp_id id, bp_box_double *box, bp_object *object) {
    if (world == NULL) {
        return BP_ERROR_ARGUMENT;
    }
    if (!bp_world_is_alive(world, id)) {
        return refuse_id(world, id);
    }
    if (box != NULL) {
        *box = bp_world_given_box(world, id);
    }
    if (object != NULL) {
        *object = bp_world_objects(world) != NULL ? bp_world_objects(world)[id] : (bp_object){0};
    }
    return BP_OK;
}

bp_status bp_get_object(const bp_world *world, bp_id id, bp_box *box, bp_object *object) {
    bp_box_double wide;
    const bp_status status = bp_get_object_double(world, id, &wide, object);
    for (int axis = 0; status == BP_OK && box != NULL && axis < 3; ++axis) {
        box->min[axis] = bp_round_down(wide.min[axis]);
        box->max[axis] = bp_round_up(wide.max[axis]);
    }
    return status;
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
    if (!world->tracks || world->all_changed) {
        return world->changed_count == 0;
    }
    size_t marked = 0;
    for (size_t id = 0; id < world->id_count; ++id) {
        marked += bp_world_marks(world)[id] != 0;
    }
    bool sound = marked == world->changed_count;
    for (size_t i = 0; sound && i < world->changed_count; ++i) {
        sound = changed[i] < world->id_count && (bp_world_marks(world)[changed[i]] & BP_MARK_CHANGED) != 0;
    }
    return sound;
}

static bool pairs_are_sound(const bp_world *world) {
    bool sound = true;
    for (size_t i = 0; sound && i < world->pairs.count; ++i) {
        const bp_pair pair = world->pairs.data[i];
        sound = pair.a < pair.b && bp_world_is_alive(world, pair.a) && bp_world_is_alive(world, pair.b);
    }
    return sound && (!world->indexed || bp_pair_index_is_sound(&world->index, &world->pairs));
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
    if (world->dirty) { // a structure that is behind is not wrong
        return BP_OK;
    }
    if (!pairs_are_sound(world)) {
        return bp_world_refuse(world, BP_ERROR_INTERNAL,
                               "world: the pairs do not agree with the objects or with their index");
    }
    const bp_status status = world->ops->validate(world->state);
    return status == BP_OK && world->statics.apart ? world->ops->validate(world->statics.state) : status;
}
