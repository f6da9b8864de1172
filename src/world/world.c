// The objects of a world: adding, moving, changing, removing and reading them. See world.h.
#include "world/world.h"

#include "base/log.h"
#include "base/workers.h"
#include "world/query/query_tree.h"

enum {
    USUAL_PAIRS = 2,      // per object
    PREFETCHED = 16,      // objects that are prefetched
    MOVE_SAMPLE = 64,     // boxes that are compared with the old ones before all are moved,
    MOVES_LOOKED_OVER = 4 // and of fewer, one in so many
};

// ---- life -----------------------------------------------------------------------------------------------------------

static bp_status check_setup(const bp_setup *setup, const bp_method_ops *ops) {
    const bp_log *log = &setup->methods.runtime.log;
    if ((setup->flags & BP_PAIRS_FIXED) != 0) {
        bp_log_write(log, "config.flags: BP_PAIRS_FIXED is for the one-call functions; a world owns its pairs");
        return BP_ERROR_ARGUMENT;
    }
    if (setup->methods.update == BP_UPDATE_INDIVIDUAL && ops->update == NULL) {
        bp_log_write(log, "config.update: method %s is always rebuilt; leave this field 0 or set BP_UPDATE_REBUILD",
                     ops->name);
        return BP_ERROR_UNSUPPORTED;
    }
    if (setup->methods.dimensions == 2 && (ops->supports & BP_SUPPORTS_2D) == 0) {
        bp_log_write(log, "config.dimensions: method %s supports only 3", ops->name);
        return BP_ERROR_UNSUPPORTED;
    }
    return BP_OK;
}

// An empty world with a method, before any allocation.
static void begin_world(bp_world *world, const bp_setup *setup, const bp_world_method *method) {
    *world = (bp_world){.setup = *setup, .method = *method, .pair_version = 1};
    world->setup.methods.is_explained = true; // bp_world_stats may be asked for
    world->setup.methods.is_kept = world->setup.methods.update != BP_UPDATE_REBUILD;
    world->setup.methods.has_events = (setup->flags & BP_EVENTS) != 0;
    world->view_rule = setup->overlap;
    world->view_rule.margin = 0.0f;
    world->view_rule.tolerant = setup->overlap.margin > 0.0f;
    world->boxes = bp_world_boxes_begin(&world->setup.overlap);
    bp_view_init(&world->view, &world->view_rule, &world->setup.methods.runtime);
    world->view.keeps_origin = bp_domain_is_set(&world->setup.methods.settings.domain);
    const bool tracks = method->ops->update != NULL && setup->methods.update != BP_UPDATE_REBUILD;
    const bool has_events = bp_world_has_events(world);
    world->changes = bp_change_list_begin(tracks && !bp_world_is_viewed(world), has_events);
    world->lists =
        bp_pair_lists_begin(&world->setup.methods.runtime, setup->methods.kernels, setup->pair_order, has_events);
}

static bp_world *allocate_world(const bp_setup *setup, const bp_world_method *method) {
    const bp_allocator *allocator = &setup->methods.runtime.allocator;
    bp_world *world = allocator->allocate(allocator->context, sizeof *world);
    if (world == NULL) {
        return NULL;
    }
    begin_world(world, setup, method);
    if (bp_workers_open(&world->setup.methods.runtime)) {
        world->method.state = bp_method_create(world->method.ops, &world->setup.methods);
    }
    if (world->method.state != NULL) {
        world->queries = bp_query_trees_create(&world->setup.methods);
        world->lists.rows = bp_pair_rows_create(bp_world_allocator(world));
    }
    if (world->queries == NULL || world->lists.rows == NULL) {
        bp_world_destroy(world);
        return NULL;
    }
    return world;
}

bp_status bp_world_create(const bp_config *config, bp_world **world) {
    if (world == NULL) {
        return BP_ERROR_ARGUMENT;
    }
    *world = NULL;
    bp_setup setup;
    bp_status status = bp_setup_complete(config, &setup);
    if (status != BP_OK) {
        return status;
    }
    const bp_world_method method = {.method = setup.method, .ops = bp_method_get(setup.method, &setup.methods)};
    status = check_setup(&setup, method.ops);
    if (status != BP_OK) {
        return status;
    }
    *world = allocate_world(&setup, &method);
    return *world != NULL ? BP_OK : BP_ERROR_MEMORY;
}

void bp_world_destroy(bp_world *world) {
    if (world == NULL) {
        return;
    }
    const bp_allocator allocator = *bp_world_allocator(world);
    bp_method_destroy(world->method.ops, &allocator, world->method.state);
    bp_buffer_free(&world->parts.buffer, &allocator);
    bp_query_trees_destroy(world->queries);
    bp_pair_rows_destroy(world->lists.rows, &allocator);
    bp_view_free(&world->view);
    bp_islands_free(&world->islands, &allocator);
    bp_pair_lists_free(&world->lists);
    bp_change_list_free(&world->changes, &allocator);
    bp_buffer_free(&world->objects.objects, &allocator);
    bp_world_boxes_free(&world->boxes, &allocator);
    bp_id_pool_free(&world->ids, &allocator);
    bp_workers_close(&world->setup.methods.runtime);
    allocator.release(allocator.context, world, sizeof *world);
}

// ---- refusals -------------------------------------------------------------------------------------------------------

bp_status bp_world_refuse(const bp_world *world, bp_status status, const char *text) {
    bp_log_write(bp_world_log(world), "%s", text);
    return status;
}

static bp_status refuse_id(const bp_world *world, bp_id id) {
    bp_log_write(bp_world_log(world), "id %lu is not alive in this world", (unsigned long)id);
    return BP_ERROR_ID;
}

// A call from inside a callback would find the world in the middle of its work.
static bool refuse_callback(const bp_world *world, bool is_busy) {
    if (is_busy) {
        bp_log_write(bp_world_log(world), "a callback may not call into the world that calls it");
    }
    return is_busy;
}

bool bp_world_is_updating(const bp_world *world) {
    return refuse_callback(world, world->is_busy);
}

bool bp_world_is_busy(const bp_world *world) {
    return refuse_callback(world, world->is_busy || atomic_load(&world->reading) > 0);
}

static bp_status check_objects(const bp_world *world, const bp_object *objects, size_t count) {
    for (size_t i = 0; objects != NULL && i < count; ++i) {
        if (!bp_object_is_valid(&objects[i])) {
            return bp_world_refuse(world, BP_ERROR_ARGUMENT, BP_OBJECT_RULE);
        }
    }
    return BP_OK;
}

static bp_status check_input(const bp_world *world, bp_input input, bool is_double) {
    return bp_input_check(input, is_double, &world->setup.overlap, &world->setup.methods.runtime);
}

// ---- adding ---------------------------------------------------------------------------------------------------------

static bool any_differs(const bp_object *objects, size_t count) {
    for (size_t i = 0; objects != NULL && i < count; ++i) {
        if (!bp_object_is_default(&objects[i])) {
            return true;
        }
    }
    return false;
}

// When the boxes move in memory, the method still refers to the old ones: it must be updated before it is used.
static bool reserve_world_boxes(bp_world *world, size_t id_count) {
    const bp_box *before = bp_world_boxes_floats(&world->boxes);
    const bool granted = bp_world_boxes_reserve(&world->boxes, bp_world_allocator(world), world->ids.count, id_count);
    if (bp_world_boxes_floats(&world->boxes) != before) {
        bp_change_list_require_update(&world->changes);
    }
    return granted;
}

// Reserves everything that `id_count` ids will need, so that nothing fails later. Parts that have grown stay grown.
static bool reserve_ids(bp_world *world, size_t id_count, bool with_objects) {
    const bp_allocator *allocator = bp_world_allocator(world);
    const size_t used = world->ids.count;
    return bp_id_pool_reserve(&world->ids, allocator, id_count) && reserve_world_boxes(world, id_count) &&
           bp_change_list_reserve(&world->changes, allocator, used, id_count) &&
           ((!with_objects && bp_object_table_data(&world->objects) == NULL) ||
            bp_object_table_store(&world->objects, allocator, used, id_count));
}

bool bp_world_make_double(bp_world *world) {
    if (world->boxes.is_double) {
        return true;
    }
    if (!bp_world_boxes_make_double(&world->boxes, bp_world_allocator(world), world->ids.count)) {
        return false;
    }
    bp_change_list_stop_tracking(&world->changes); // such boxes need a view, in which all boxes may have changed
    return true;
}

static bp_status count_ids(const bp_world *world, size_t added, size_t *id_count) {
    return bp_id_pool_count_with(&world->ids, added, id_count)
               ? BP_OK
               : bp_world_refuse(world, BP_ERROR_ARGUMENT, "the world is full: it has 2^32 - 2 ids");
}

void bp_world_mark(bp_world *world, bp_id id, uint8_t marks) {
    bp_change_list_mark(&world->changes, id, &bp_world_boxes_floats(&world->boxes)[id], marks);
}

static bp_id add_one(bp_world *world, const bp_input *input, size_t index, const bp_object *object) {
    const size_t id_count = world->ids.count;
    const bp_id id = bp_id_pool_take(&world->ids);
    if (id == id_count) { // a new one
        bp_change_list_add_id(&world->changes, id);
        bp_world_boxes_clear(&world->boxes, id);
    }
    bp_change_list_mark_added(&world->changes, id, &bp_world_boxes_floats(&world->boxes)[id]);
    bp_world_boxes_put(&world->boxes, id, input, index);
    bp_object_table_set(&world->objects, id, object);
    return id;
}

static bp_status add_objects(bp_world *world, bp_input input, bool is_double, const bp_object *objects, bp_id *ids) {
    if (world == NULL || bp_world_is_busy(world)) {
        return BP_ERROR_ARGUMENT;
    }
    size_t id_count = 0;
    bp_status status = check_input(world, input, is_double);
    status = status == BP_OK ? check_objects(world, objects, input.count) : status;
    status = status == BP_OK ? count_ids(world, input.count, &id_count) : status;
    if (status != BP_OK) {
        return status;
    }
    // Switching to 64 bits comes last, because it cannot be undone; it keeps the reserved room.
    if (!reserve_ids(world, id_count, any_differs(objects, input.count)) ||
        (is_double && !bp_world_make_double(world))) {
        return BP_ERROR_MEMORY;
    }
    for (size_t i = 0; i < input.count; ++i) {
        const bp_id id = add_one(world, &input, i, objects != NULL ? &objects[i] : NULL);
        if (ids != NULL) {
            ids[i] = id;
        }
    }
    return BP_OK;
}

bp_status bp_add_many(bp_world *world, size_t count, const bp_box *boxes, const bp_object *objects, bp_id *ids) {
    return add_objects(world, bp_input_floats(boxes, count), false, objects, ids);
}

bp_status bp_add(bp_world *world, const bp_box *box, const bp_object *object, bp_id *id) {
    return bp_add_many(world, 1, box, object, id);
}

bp_status bp_add_many_double(bp_world *world, size_t count, const bp_box_double *boxes, const bp_object *objects,
                             bp_id *ids) {
    return add_objects(world, bp_input_doubles(boxes, count), true, objects, ids);
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
    const bool granted =
        reserve_ids(world, id_count, false) &&
        bp_object_table_reserve(&world->objects, bp_world_allocator(world), world->ids.count, id_count) &&
        bp_pair_lists_reserve(&world->lists, id_count * USUAL_PAIRS);
    return granted ? BP_OK : BP_ERROR_MEMORY;
}

void bp_world_give_back(bp_world *world) {
    const bp_method_ops *ops = world->method.ops;
    if (ops->empty != NULL) {
        ops->empty(world->method.state);
    } else {
        ops->free(world->method.state);
        ops->init(world->method.state, &world->setup.methods);
    }
    world->is_built = false;
    bp_query_trees_trim(world->queries);
    bp_pair_lists_trim(&world->lists, world->ids.count * USUAL_PAIRS);
}

bp_status bp_world_trim(bp_world *world) {
    if (world == NULL || bp_world_is_busy(world)) {
        return BP_ERROR_ARGUMENT;
    }
    const bp_allocator *allocator = bp_world_allocator(world);
    bp_object_table *objects = &world->objects;
    if (!world->changes.needs_update) { // else removed ids may still have pairs that end
        bp_id_pool_trim(&world->ids);
    }
    const size_t id_count = world->ids.count;
    bp_world_give_back(world);
    bp_pairs_shrink(&world->lists.pairs, allocator, world->lists.pairs.count);
    bp_view_free(&world->view);
    bp_islands_free(&world->islands, allocator);
    bp_buffer_free(&world->parts.buffer, allocator);
    world->islands = (bp_islands){0};
    world->parts = (bp_world_parts){.parts = BP_PARTS_NONE};
    objects->are_others = true;
    objects->is_stored &= id_count > 0; // its memory may be given back
    bp_buffer_shrink(&objects->objects, allocator, objects->is_stored ? id_count * sizeof(bp_object) : 0);
    bp_world_boxes_trim(&world->boxes, allocator, id_count);
    bp_change_list_trim(&world->changes, allocator, id_count);
    return BP_OK;
}

// ---- moving ---------------------------------------------------------------------------------------------------------

static bp_status check_ids(const bp_world *world, size_t count, const bp_id *ids) {
    bp_id largest = 0;
    for (size_t i = 0; ids != NULL && i < count; ++i) largest = ids[i] > largest ? ids[i] : largest;
    const size_t needed = ids != NULL && count > 0 ? (size_t)largest + 1 : count;
    for (size_t i = 0; i < count && (world->ids.free_count > 0 || needed > world->ids.count); ++i) {
        const size_t id = ids != NULL ? ids[i] : i;
        if (!bp_world_is_alive(world, (bp_id)id)) {
            return refuse_id(world, (bp_id)id);
        }
    }
    return BP_OK;
}

static bp_status check_change(const bp_world *world, size_t count, const bp_id *ids) {
    return world == NULL || bp_world_is_busy(world) ? BP_ERROR_ARGUMENT : check_ids(world, count, ids);
}

// Whether so many boxes of a sample have moved that changes would not be listed: then comparing each box with the old
// one is not worth it. With a margin all boxes are compared, or all get new margins.
static bool most_move(const bp_world *world, const bp_input *input, const bp_id *ids) {
    const size_t id_count = world->ids.count;
    const bool all = ids == NULL && input->count == id_count;
    if (world->boxes.is_double ||
        (!all && (bp_world_boxes_have_margin(&world->boxes) || input->count <= bp_change_list_most(id_count)))) {
        return false;
    }
    const size_t step = input->count / MOVE_SAMPLE + MOVES_LOOKED_OVER;
    size_t sampled = 0, moved = 0;
    for (size_t i = 0; i < input->count; i += step, ++sampled) {
        moved += !bp_world_boxes_is_idle_move(&world->boxes, ids != NULL ? ids[i] : (bp_id)i, input, i);
    }
    const double share = (double)moved / (double)sampled;
    return bp_change_list_expects_too_many(share * (double)input->count, id_count);
}

// Whether all of these were in part 0 at the last update (engine/parts.h), and are therefore none of part 1.
static bool are_of_part_0(const bp_world *world, size_t count, const bp_id *ids) {
    const uint8_t *of = world->parts.parts.of;
    bool are = of != NULL && ids != NULL && world->is_built && !world->was_viewed;
    for (size_t i = 0; i < count && are; ++i) {
        are = ids[i] < world->parts.id_count && of[ids[i]] == 0;
    }
    return are;
}

// A move inside the margin matters to queries, but not to updates.
static void move_each(bp_world *world, const bp_input *input, const bp_id *ids) {
    const bool has_margin = bp_world_boxes_have_margin(&world->boxes);
    for (size_t i = 0; i < input->count; ++i) {
        const bp_id id = ids != NULL ? ids[i] : (bp_id)i;
        if (ids != NULL && i + PREFETCHED < input->count) {
            bp_prefetch(&bp_world_boxes_floats(&world->boxes)[ids[i + PREFETCHED]]);
            bp_change_list_prefetch(&world->changes, ids[i + PREFETCHED]);
        }
        if (!bp_world_boxes_is_idle_move(&world->boxes, id, input, i)) {
            bp_world_mark(world, id, 0);
            bp_world_boxes_put(&world->boxes, id, input, i);
        } else if (has_margin) {
            bp_change_list_mark_for_queries(&world->changes);
            bp_world_boxes_note_idle_move(&world->boxes, id, input, i);
        }
    }
}

static bp_status move_objects(bp_world *world, bp_input input, bool is_double, const bp_id *ids) {
    if (world == NULL || bp_world_is_busy(world)) {
        return BP_ERROR_ARGUMENT;
    }
    bp_status status = check_input(world, input, is_double);
    status = status == BP_OK ? check_ids(world, input.count, ids) : status;
    if (status != BP_OK || input.count == 0) {
        return status;
    }
    if (is_double && !bp_world_make_double(world)) {
        return BP_ERROR_MEMORY;
    }
    if (most_move(world, &input, ids)) {
        if (are_of_part_0(world, input.count, ids)) {
            bp_change_list_mark_part_0(&world->changes);
        } else {
            bp_change_list_mark_all(&world->changes);
        }
        bp_world_boxes_put_many(&world->boxes, &input, ids, world->ids.count, &world->setup.methods.runtime);
    } else {
        move_each(world, &input, ids);
    }
    return BP_OK;
}

bp_status bp_move_many(bp_world *world, size_t count, const bp_id *ids, const bp_box *boxes) {
    return move_objects(world, bp_input_floats(boxes, count), false, ids);
}

bp_status bp_move(bp_world *world, bp_id id, const bp_box *box) {
    return bp_move_many(world, 1, &id, box);
}

bp_status bp_move_many_double(bp_world *world, size_t count, const bp_id *ids, const bp_box_double *boxes) {
    return move_objects(world, bp_input_doubles(boxes, count), true, ids);
}

bp_status bp_move_double(bp_world *world, bp_id id, const bp_box_double *box) {
    return bp_move_many_double(world, 1, &id, box);
}

// ---- removing and changing ------------------------------------------------------------------------------------------

static void remove_one(bp_world *world, bp_id id) {
    bp_change_list_mark_removed(&world->changes, id, &bp_world_boxes_floats(&world->boxes)[id]);
    bp_world_boxes_clear(&world->boxes, id);
    bp_object_table_set(&world->objects, id, NULL);
    bp_id_pool_give_back(&world->ids, id);
}

bp_status bp_remove_many(bp_world *world, size_t count, const bp_id *ids) {
    const bp_status status = check_change(world, count, ids);
    for (size_t i = 0; i < count && status == BP_OK; ++i) {
        const bp_id id = ids != NULL ? ids[i] : (bp_id)i;
        if (bp_world_is_alive(world, id)) { // else it occurs twice
            remove_one(world, id);
        }
    }
    return status;
}

bp_status bp_remove(bp_world *world, bp_id id) {
    return bp_remove_many(world, 1, &id);
}

bp_status bp_world_clear(bp_world *world) {
    if (world == NULL || bp_world_is_busy(world)) {
        return BP_ERROR_ARGUMENT;
    }
    for (bp_id id = bp_next_id(world, BP_NO_ID); id != BP_NO_ID; id = bp_next_id(world, id)) {
        remove_one(world, id);
    }
    return BP_OK;
}

bp_status bp_set_objects(bp_world *world, size_t count, const bp_id *ids, const bp_object *objects) {
    bp_status status = check_change(world, count, ids);
    status = status == BP_OK ? check_objects(world, objects, count) : status;
    if (status != BP_OK) {
        return status;
    }
    const size_t id_count = world->ids.count;
    if (any_differs(objects, count) &&
        !bp_object_table_store(&world->objects, bp_world_allocator(world), id_count, id_count)) {
        return BP_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        const bp_id id = ids != NULL ? ids[i] : (bp_id)i;
        const bp_object next = objects != NULL ? objects[i] : (bp_object){0};
        const bp_object before = bp_object_table_get(&world->objects, id);
        if (before.group != next.group || before.mask != next.mask || before.flags != next.flags ||
            before.island != next.island || world->setup.filter.pass != NULL) { // what a filter says of it is unknown
            bp_world_mark(world, id, BP_MARK_RESTATED);
        }
        bp_object_table_set(&world->objects, id, &next);
    }
    return BP_OK;
}

bp_status bp_set_object(bp_world *world, bp_id id, const bp_object *object) {
    return bp_set_objects(world, 1, &id, object);
}

// ---- reading --------------------------------------------------------------------------------------------------------

bp_status bp_get_object_double(const bp_world *world, bp_id id, bp_box_double *box, bp_object *object) {
    if (world == NULL) {
        return BP_ERROR_ARGUMENT;
    }
    if (!bp_world_is_alive(world, id)) {
        return refuse_id(world, id);
    }
    if (box != NULL) {
        *box = bp_world_boxes_input(&world->boxes, id);
    }
    if (object != NULL) {
        *object = bp_object_table_get(&world->objects, id);
    }
    return BP_OK;
}

bp_status bp_get_object(const bp_world *world, bp_id id, bp_box *box, bp_object *object) {
    bp_box_double exact;
    const bp_status status = bp_get_object_double(world, id, &exact, object);
    if (status == BP_OK && box != NULL) {
        *box = bp_box_round_outwards(&exact);
    }
    return status;
}

bp_id bp_next_id(const bp_world *world, bp_id id) {
    const size_t count = world != NULL ? world->ids.count : 0;
    for (size_t next = id == BP_NO_ID ? 0 : (size_t)id + 1; next < count; ++next) {
        if (bp_world_is_alive(world, (bp_id)next)) {
            return (bp_id)next;
        }
    }
    return BP_NO_ID;
}

uint64_t bp_handle_of(const bp_world *world, bp_id id) {
    return world != NULL && bp_world_is_alive(world, id) ? bp_id_pool_handle(&world->ids, id) : 0;
}

bp_status bp_id_of(const bp_world *world, uint64_t handle, bp_id *id) {
    const bp_id named = (bp_id)handle;
    if (world == NULL || id == NULL) {
        return BP_ERROR_ARGUMENT;
    }
    if (handle == 0 || bp_handle_of(world, named) != handle) {
        return BP_ERROR_ID; // which callers expect: it is not logged
    }
    *id = named;
    return BP_OK;
}

size_t bp_world_count(const bp_world *world) {
    return world != NULL ? bp_id_pool_living(&world->ids) : 0;
}

bp_status bp_world_stats(const bp_world *world, bp_stats *stats) {
    if (world == NULL || stats == NULL) {
        return BP_ERROR_ARGUMENT;
    }
    *stats = world->stats;
    return BP_OK;
}

// ---- checking -------------------------------------------------------------------------------------------------------

bp_status bp_world_validate(const bp_world *world) {
    if (world == NULL) {
        return BP_ERROR_ARGUMENT;
    }
    if (!bp_id_pool_is_sound(&world->ids, bp_world_boxes_floats(&world->boxes))) {
        return bp_world_refuse(world, BP_ERROR_INTERNAL, "world: the free ids do not agree with the holes");
    }
    if (!bp_change_list_is_sound(&world->changes, world->ids.count)) {
        return bp_world_refuse(world, BP_ERROR_INTERNAL, "world: the changed ids do not agree with their marks");
    }
    if (world->changes.needs_update || !world->is_built) { // an outdated structure is not wrong
        return BP_OK;
    }
    for (size_t i = 0; i < world->lists.pairs.count; ++i) {
        const bp_pair pair = world->lists.pairs.data[i];
        if (pair.a >= pair.b || !bp_world_is_alive(world, pair.a) || !bp_world_is_alive(world, pair.b)) {
            return bp_world_refuse(world, BP_ERROR_INTERNAL, "world: the pairs do not agree with the objects");
        }
    }
    return world->method.ops->validate(world->method.state);
}
