#include "world/query/query.h"

#include "engine/grid/hierarchical_grid.h"
#include "view/pair_filter.h"
#include "world/query/query_cache.h"
#include "world/query/query_line.h"

// ---- where to search ------------------------------------------------------------------------------------------------

// Whether the method's structure is up to date, except for the objects that are listed as changed.
static bool is_current(const bp_world *world) {
    return world->is_built && !bp_world_is_viewed(world) &&
           (!world->changes.needs_update || bp_change_list_is_complete(&world->changes));
}

const bp_sorted_grid *bp_query_grid_of_pairs(const bp_world *world, const bp_id **strays, size_t *stray_count) {
    const bool is_whole = !world->statics.apart && !world->sides.apart; // all objects are in it
    return is_whole && world->method.ops == &bp_hierarchical_grid_ops
               ? bp_hierarchical_grid_sorted(world->method.state, strays, stray_count)
               : NULL;
}

// The grid of the method; NULL if there is none at the moment.
static const bp_sorted_grid *find_method_grid(const bp_world *world, const bp_id **strays, size_t *stray_count) {
    if (!is_current(world) || world->method.ops != &bp_hierarchical_grid_ops) {
        return NULL;
    }
    const bp_sorted_grid *queried = bp_hierarchical_grid_queried(world->method.state);
    return queried != NULL ? queried : bp_query_grid_of_pairs(world, strays, stray_count);
}

static void add_method_grid(bp_query *query) {
    const bp_world *world = query->world;
    bp_unindexed *unindexed = &query->unindexed;
    const bp_sorted_grid *grid = find_method_grid(world, &unindexed->strays, &unindexed->stray_count);
    if (grid == NULL) {
        *unindexed = (bp_unindexed){.all_count = world->ids.count};
        return;
    }
    const bp_changes changes = bp_change_list_changes(&world->changes);
    unindexed->changed = changes.ids;
    unindexed->changed_count = changes.count;
    unindexed->stale = changes.count > 0 ? changes.marks : NULL;
    query->sources[query->source_count++] =
        (bp_query_source){.grid = grid, .stale = unindexed->stale, .exact = !bp_world_boxes_have_margin(&world->boxes)};
}

static void add_cached_grid(bp_query *query, size_t count) {
    if (bp_query_cache_take(query->world, &query->unindexed, count, &query->sources[query->source_count])) {
        ++query->source_count;
        query->unindexed = (bp_unindexed){0};
    }
}

bp_status bp_query_check(const bp_world *world, const bp_object *object) {
    if (world == NULL || bp_world_is_updating(world)) {
        return BP_ERROR_ARGUMENT;
    }
    if (!bp_object_is_valid(object)) {
        return bp_world_refuse(world, BP_ERROR_ARGUMENT, "object.flags: holds a bit that is no flag");
    }
    return BP_OK;
}

bp_query bp_query_begin(const bp_world *world, const bp_object *object, size_t count) {
    bp_query query = {.world = world, .object = object};
    bp_query_cache_note(world->queries);
    add_method_grid(&query);
    add_cached_grid(&query, count);
    return query;
}

// A line that misses bounds misses every box inside: what decides it, (face - origin) / direction, is monotone, even
// rounded.
static bool hits_large_only(const bp_outline *outline, const bp_line *line) {
    double t;
    return outline != NULL && !bp_line_hits_box(line, &outline->boxes[0], &t);
}

bp_query bp_query_begin_line(const bp_world *world, const bp_object *object, const bp_outline *outline,
                             const bp_line *line) {
    if (hits_large_only(outline, line)) {
        const bp_unindexed large = {.strays = outline->large_ids, .stray_count = outline->large_count};
        return (bp_query){.world = world, .object = object, .unindexed = large};
    }
    const bp_box_pack *pack = bp_query_cache_pack(world);
    if (pack == NULL) {
        return bp_query_begin(world, object, 1);
    }
    bp_query_cache_note(world->queries);
    return (bp_query){.world = world, .object = object, .pack = pack, .unindexed = {.all_count = world->ids.count}};
}

bp_query bp_query_begin_plain(const bp_world *world, const bp_object *object) {
    return (bp_query){.world = world, .object = object, .unindexed = {.all_count = world->ids.count}};
}

bp_id bp_unindexed_at(const bp_unindexed *unindexed, const bp_world *world, size_t index) {
    bp_id id = (bp_id)index;
    if (unindexed->all_count == 0) {
        const bool is_stray = index < unindexed->stray_count;
        id = is_stray ? unindexed->strays[index] : unindexed->changed[index - unindexed->stray_count];
        if (is_stray && unindexed->stale != NULL && unindexed->stale[id] != 0) {
            return BP_NO_ID;
        }
    }
    return bp_world_is_alive(world, id) ? id : BP_NO_ID;
}

// ---- boxes ----------------------------------------------------------------------------------------------------------

static bp_box_double box_in_columns(const bp_found *found) {
    const bp_box box = bp_columns_box(found->columns, found->position);
    return bp_box_to_double(&box);
}

bp_box_double bp_query_input_box(const bp_query *query, const bp_found *found) {
    if (found->columns != NULL) {
        return box_in_columns(found);
    }
    bp_box_double box = bp_world_boxes_input(&query->world->boxes, found->id);
    if (query->world->setup.overlap.dimensions == 2) {
        box.min[2] = 0.0;
        box.max[2] = 0.0;
    }
    return box;
}

double bp_query_wrap(double coordinate, double period) {
    if (coordinate >= 0.0 && coordinate < period) {
        return coordinate;
    }
    const double remainder = fmod(coordinate, period);
    return remainder < 0.0 ? remainder + period : remainder;
}

bp_box_double bp_query_wrapped_box(const bp_query *query, const bp_found *found) {
    const bp_overlap_rule *rule = &query->world->setup.overlap;
    bp_box_double box = bp_query_input_box(query, found);
    for (uint32_t axis = 0; axis < rule->dimensions; ++axis) {
        const double period = bp_period_of(rule, axis), extent = box.max[axis] - box.min[axis];
        if (period > 0.0 && isfinite(extent)) {
            box.min[axis] = bp_query_wrap(box.min[axis], period);
            box.max[axis] = box.min[axis] + extent;
        } else if (period > 0.0) {
            box.min[axis] = -INFINITY;
            box.max[axis] = INFINITY;
        }
    }
    return box;
}

// ---- searching ------------------------------------------------------------------------------------------------------

bool bp_query_sees(const bp_query *query, bp_id id) {
    static const bp_object usual = {0};
    const bp_object *objects = bp_object_table_data(&query->world->objects);
    return query->object == NULL || bp_objects_pass(query->object, objects != NULL ? &objects[id] : &usual);
}

void bp_source_search_receive(void *context, const bp_columns *columns, const bp_pair *hits, size_t count) {
    const bp_source_search *search = context;
    const bp_query_source *source = search->source;
    for (size_t i = 0; i < count; ++i) {
        const bp_id id = source->ids != NULL ? source->ids[hits[i].b] : hits[i].b;
        const bool is_stale = source->stale != NULL && source->stale[id] != 0;
        if (!is_stale && bp_query_sees(search->query, id)) {
            const bp_found found = {.id = id, .columns = source->exact ? columns : NULL, .position = hits[i].a};
            search->receiver->receive(search->receiver->context, &found);
        }
    }
}

void bp_query_find_unindexed(const bp_query *query, const bp_found_receiver *receiver) {
    const size_t count = bp_unindexed_count(&query->unindexed);
    for (size_t i = 0; i < count; ++i) {
        const bp_found found = {.id = bp_unindexed_at(&query->unindexed, query->world, i)};
        if (found.id != BP_NO_ID && bp_query_sees(query, found.id)) {
            receiver->receive(receiver->context, &found);
        }
    }
}

void bp_query_find_outside_levels(const bp_query *query, const bp_line *line, const bp_found_receiver *receiver) {
    for (size_t i = 0; i < query->source_count; ++i) {
        bp_source_search search = {.query = query, .source = &query->sources[i], .receiver = receiver};
        const bp_hit_receiver hits = {.receive = bp_source_search_receive, .context = &search};
        if (line != NULL) {
            bp_sorted_grid_query_scanned_line(search.source->grid, line, &hits);
        } else {
            bp_sorted_grid_query_scanned(search.source->grid, NULL, &hits);
        }
    }
    bp_query_find_unindexed(query, receiver);
}

void bp_query_find_on_line(const bp_query *query, const bp_line *line, const bp_found_receiver *receiver) {
    for (size_t i = 0; i < query->source_count; ++i) {
        bp_source_search search = {.query = query, .source = &query->sources[i], .receiver = receiver};
        const bp_hit_receiver hits = {.receive = bp_source_search_receive, .context = &search};
        bp_sorted_grid_query_line(search.source->grid, line, &hits);
    }
}

void bp_query_find_packed(const bp_query *query, const bp_line *line, const bp_found_receiver *receiver) {
    const bp_world_boxes *boxes = &query->world->boxes;
    const bp_query_source source = {.exact = !boxes->is_double && !bp_world_boxes_have_margin(boxes)};
    bp_source_search search = {.query = query, .source = &source, .receiver = receiver};
    const bp_hit_receiver hits = {.receive = bp_source_search_receive, .context = &search};
    if (!bp_box_pack_query_line(query->pack, query->world->setup.methods.kernels, line, &hits)) {
        bp_query_find_unindexed(query, receiver);
    }
}
