// Box queries, and what all queries share. See query.h.
//
// In a periodic world a box is looked for in up to three places along each axis: objects lie in the grid where they begin
// in 0 .. period, and may end beyond that. An object that is met in several of these places counts in the first.
#include "world/query/query.h"

#include "api/config.h"

// ---- where to look --------------------------------------------------------------------------------------------------

// Whether the method's structure is that of the world, give or take what `changed` lists.
static bool is_current(const bp_world *world) {
    return world->built && !bp_world_is_viewed(world) && (!world->dirty || (world->tracks && !world->all_changed));
}

static void choose_sources(bp_query *query) {
    const bp_world *world = query->world;
    bp_query_rest *rest = &query->rest;
    const bp_sorted_grid *grid = NULL;
    if (is_current(world) && world->ops->grid != NULL && !world->statics.apart) {
        grid = world->ops->grid(world->state, &rest->loose, &rest->loose_count);
    }
    if (grid != NULL) {
        rest->changed = world->changed.data;
        rest->changed_count = world->changed_count;
        rest->stale = world->changed_count > 0 ? bp_world_marks(world) : NULL;
        query->sources[query->source_count++] =
            (bp_query_source){.grid = grid, .stale = rest->stale, .exact = world->config.margin == 0.0f};
    } else {
        *rest = (bp_query_rest){.all_count = world->id_count};
    }
    if (bp_query_cache_take(world, rest, &query->sources[query->source_count])) {
        ++query->source_count;
        query->rest = (bp_query_rest){0};
    }
}

bp_status bp_query_check(const bp_world *world, const bp_object *object) {
    if (world == NULL || bp_world_is_updating(world)) {
        return BP_ERROR_ARGUMENT;
    }
    if (object != NULL && (object->flags & ~(uint32_t)BP_STATIC) != 0) {
        return bp_world_refuse(world, BP_ERROR_ARGUMENT, "object.flags: holds a bit that is no flag");
    }
    return BP_OK;
}

bp_query bp_query_begin(const bp_world *world, const bp_object *object) {
    bp_query query = {.world = world, .object = object};
    choose_sources(&query);
    return query;
}

bp_id bp_query_rest_at(const bp_world *world, const bp_query_rest *rest, size_t index) {
    bp_id id = (bp_id)index;
    if (rest->all_count == 0) {
        const bool loose = index < rest->loose_count;
        id = loose ? rest->loose[index] : rest->changed[index - rest->loose_count];
        if (loose && rest->stale != NULL && rest->stale[id] != 0) {
            return BP_NO_ID;
        }
    }
    return bp_world_is_alive(world, id) ? id : BP_NO_ID;
}

// ---- objects --------------------------------------------------------------------------------------------------------

static bp_box_double box_in(const bp_found *found) {
    bp_box_double box;
    for (int axis = 0; axis < 3; ++axis) {
        box.min[axis] = (double)found->columns->min[axis][found->position];
        box.max[axis] = (double)found->columns->max[axis][found->position];
    }
    return box;
}

bp_box_double bp_query_given_box(const bp_query *query, const bp_found *found) {
    if (found->columns != NULL) {
        return box_in(found);
    }
    bp_box_double box = bp_world_given_box(query->world, found->id);
    if (query->world->config.dimensions == 2) {
        box.min[2] = 0.0;
        box.max[2] = 0.0;
    }
    return box;
}

double bp_query_wrap(double coordinate, double period) {
    if (coordinate >= 0.0 && coordinate < period) {
        return coordinate;
    }
    const double rest = fmod(coordinate, period);
    return rest < 0.0 ? rest + period : rest;
}

bp_box_double bp_query_box_of(const bp_query *query, const bp_found *found) {
    const bp_config *config = &query->world->config;
    bp_box_double box = bp_query_given_box(query, found);
    for (uint32_t axis = 0; axis < config->dimensions; ++axis) {
        const double period = bp_period_of(config, axis), extent = box.max[axis] - box.min[axis];
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

static bool sees(const bp_query *query, bp_id id) {
    static const bp_object usual = {0};
    const bp_object *objects = bp_world_objects(query->world);
    return query->object == NULL || bp_objects_pass(query->object, objects != NULL ? &objects[id] : &usual);
}

// ---- asking the sources ---------------------------------------------------------------------------------------------

// The places of a box along each axis.
typedef struct places {
    size_t count[3];
    float min[3][3], max[3][3];
} places;

typedef struct asking {
    const bp_query *query;
    const bp_query_source *source;
    const bp_finder *finder;
    const places *places; // NULL: one
    size_t place[3];      // which one
} asking;

// Whether a box is met in an earlier place, too.
static bool is_met_before(const asking *a, const bp_columns *columns, size_t position) {
    for (int axis = 0; a->places != NULL && axis < 3; ++axis) {
        for (size_t i = 0; i < a->place[axis]; ++i) {
            if (columns->min[axis][position] <= a->places->max[axis][i] &&
                a->places->min[axis][i] <= columns->max[axis][position]) {
                return true;
            }
        }
    }
    return false;
}

static void take(void *context, const bp_columns *columns, const bp_pair *hits, size_t count) {
    const asking *a = context;
    const bp_query_source *source = a->source;
    for (size_t i = 0; i < count; ++i) {
        const bp_id id = source->ids != NULL ? source->ids[hits[i].b] : hits[i].b;
        const bool stale = source->stale != NULL && source->stale[id] != 0;
        if (!stale && sees(a->query, id) && !is_met_before(a, columns, hits[i].a)) {
            const bp_found found = {.id = id, .columns = source->exact ? columns : NULL, .position = hits[i].a};
            a->finder->find(a->finder->context, &found);
        }
    }
}

static void ask_rest(const bp_query *query, const bp_finder *finder) {
    const size_t count = bp_query_rest_count(&query->rest);
    for (size_t i = 0; i < count; ++i) {
        const bp_found found = {.id = bp_query_rest_at(query->world, &query->rest, i)};
        if (found.id != BP_NO_ID && sees(query, found.id)) {
            finder->find(finder->context, &found);
        }
    }
}

void bp_query_ask_apart(const bp_query *query, const bp_finder *finder) {
    for (size_t i = 0; i < query->source_count; ++i) {
        asking a = {.query = query, .source = &query->sources[i], .finder = finder};
        const bp_taker taker = {.take = take, .context = &a};
        bp_sorted_grid_ask_scanned(a.source->grid, NULL, &taker);
    }
    ask_rest(query, finder);
}

void bp_query_ask_line(const bp_query *query, const bp_line *line, const bp_finder *finder) {
    for (size_t i = 0; i < query->source_count; ++i) {
        asking a = {.query = query, .source = &query->sources[i], .finder = finder};
        const bp_taker taker = {.take = take, .context = &a};
        bp_sorted_grid_ask_line(a.source->grid, line, &taker);
    }
}

// ---- a box ----------------------------------------------------------------------------------------------------------

// Where a box has to be looked for along a periodic axis, if objects lie between low and high.
static void find_places(places *p, int axis, double period, double low, double high) {
    const double min = (double)p->min[axis][0], max = (double)p->max[axis][0];
    const double rounding = 0x1p-50 * (fabs(min) + fabs(max) + period), extent = max - min + 2.0 * rounding;
    if (!(extent < period)) { // all of it, also if it is infinite
        p->min[axis][0] = -INFINITY;
        p->max[axis][0] = INFINITY;
        return;
    }
    const double first = bp_query_wrap(min, period) - period - rounding;
    p->count[axis] = 0;
    for (int i = 0; i < 3; ++i) {
        const double from = first + i * period, to = from + extent;
        if (from <= high && low <= to) {
            p->min[axis][p->count[axis]] = bp_round_down(from);
            p->max[axis][p->count[axis]++] = bp_round_up(to);
        }
    }
}

static void ask_places(asking *a, const places *p) {
    const bp_taker taker = {.take = take, .context = a};
    a->places = p;
    for (size_t x = 0; x < p->count[0]; ++x) {
        for (size_t y = 0; y < p->count[1]; ++y) {
            for (size_t z = 0; z < p->count[2]; ++z) {
                const size_t place[3] = {x, y, z};
                bp_box box;
                for (int axis = 0; axis < 3; ++axis) {
                    a->place[axis] = place[axis];
                    box.min[axis] = p->min[axis][place[axis]];
                    box.max[axis] = p->max[axis][place[axis]];
                }
                bp_sorted_grid_ask_box(a->source->grid, &box, &taker);
            }
        }
    }
    a->places = NULL;
}

// In a periodic world, what is scanned is all looked at once more.
static void ask_wrapped(asking *a, const bp_box *box) {
    const bp_taker taker = {.take = take, .context = a};
    double low[3], high[3];
    bp_sorted_grid_ask_scanned(a->source->grid, NULL, &taker);
    if (!bp_sorted_grid_bounds(a->source->grid, low, high)) {
        return;
    }
    places p;
    for (int axis = 0; axis < 3; ++axis) {
        const double period = bp_period_of(&a->query->world->config, (uint32_t)axis);
        p.count[axis] = 1;
        p.min[axis][0] = box->min[axis];
        p.max[axis][0] = box->max[axis];
        if (period > 0.0) {
            find_places(&p, axis, period, low[axis], high[axis]);
        }
    }
    ask_places(a, &p);
}

void bp_query_ask_box(const bp_query *query, const bp_box *box, const bp_finder *finder) {
    for (size_t i = 0; i < query->source_count; ++i) {
        asking a = {.query = query, .source = &query->sources[i], .finder = finder};
        const bp_taker taker = {.take = take, .context = &a};
        if (bp_query_is_periodic(query->world)) {
            ask_wrapped(&a, box);
        } else {
            bp_sorted_grid_ask_box(a.source->grid, box, &taker);
            bp_sorted_grid_ask_scanned(a.source->grid, box, &taker);
        }
    }
    ask_rest(query, finder);
}

// ---- the question itself --------------------------------------------------------------------------------------------

typedef struct box_search {
    const bp_query *query;
    bp_box_double box;
    bp_shortlist list;
} box_search;

static bool meets(const box_search *s, const bp_box_double *other) {
    const bp_config *config = &s->query->world->config;
    bool meet = true;
    for (uint32_t axis = 0; axis < config->dimensions && meet; ++axis) {
        const double low = other->min[axis] - s->box.max[axis], high = other->max[axis] - s->box.min[axis];
        const double period = bp_period_of(config, axis);
        meet = period > 0.0 && !isinf(low) && !isinf(high)
                   ? bp_holds_multiple(low, high, period)
                   : period > 0.0 || (s->box.min[axis] <= other->max[axis] && other->min[axis] <= s->box.max[axis]);
    }
    return meet;
}

static void find_overlapping(void *context, const bp_found *found) {
    box_search *s = context;
    if (found->columns == NULL) {
        const bp_box_double box = bp_query_given_box(s->query, found);
        if (!meets(s, &box)) {
            return;
        }
    }
    bp_shortlist_offer(&s->list, found->id);
}

static bp_status check_box(const bp_world *world, const bp_box *box, const bp_id *ids, size_t capacity) {
    if (box == NULL) {
        return bp_world_refuse(world, BP_ERROR_ARGUMENT, "box: NULL");
    }
    if (ids == NULL && capacity > 0) {
        return bp_world_refuse(world, BP_ERROR_ARGUMENT, "ids: NULL, but the capacity is not 0");
    }
    if (!bp_box_is_valid(box, world->config.dimensions)) {
        return bp_world_refuse(world, BP_ERROR_BOX, "box: invalid (NaN, or min > max)");
    }
    return BP_OK;
}

bp_status bp_query_box_as(const bp_world *world, const bp_box *box, const bp_object *object, bp_id *ids,
                          size_t capacity, size_t *found) {
    bp_status status = bp_query_check(world, object);
    if (status == BP_OK) {
        status = check_box(world, box, ids, capacity);
    }
    if (status != BP_OK) {
        return status;
    }
    const bp_query query = bp_query_begin(world, object);
    const bp_box flat = bp_box_flatten(*box, world->config.dimensions);
    box_search s = {.query = &query, .box = bp_box_widen(&flat), .list = bp_shortlist_of_ids(ids, capacity)};
    const bp_finder finder = {.find = find_overlapping, .context = &s};
    bp_query_ask_box(&query, &flat, &finder);
    return bp_shortlist_finish(&s.list, found);
}

bp_status bp_query_box(const bp_world *world, const bp_box *box, bp_id *ids, size_t capacity, size_t *found) {
    return bp_query_box_as(world, box, NULL, ids, capacity, found);
}
