// Box queries.
//
// In a periodic world a box is searched in up to three places along each axis: boxes in the grid begin in 0 .. period,
// and may end beyond that. An object that is found in several of these places is reported in the first.
#include "world/query/query_box.h"

#include "world/query/query_visit.h"
#include "world/query/shortlist.h"

// ---- places ---------------------------------------------------------------------------------------------------------

// The places of a box along each axis.
typedef struct box_places {
    size_t count[3];
    float min[3][3], max[3][3];
} box_places;

// The search in one of these places.
typedef struct place_search {
    bp_source_search *search;
    const box_places *places;
    size_t place[3]; // along each axis: which one
} place_search;

// The places where a box has to be searched along a periodic axis, if objects lie between low and high.
static void find_places(box_places *p, int axis, double period, double low, double high) {
    const double min = (double)p->min[axis][0], max = (double)p->max[axis][0];
    const double rounding = 0x1p-50 * (fabs(min) + fabs(max) + period), extent = max - min + 2.0 * rounding;
    if (!(extent < period)) { // the whole axis, also if the box is infinite
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

// Whether a box is found in an earlier place, too.
static bool is_found_before(const place_search *s, const bp_columns *columns, size_t position) {
    for (int axis = 0; axis < 3; ++axis) {
        for (size_t i = 0; i < s->place[axis]; ++i) {
            if (columns->min[axis][position] <= s->places->max[axis][i] &&
                s->places->min[axis][i] <= columns->max[axis][position]) {
                return true;
            }
        }
    }
    return false;
}

// Passes the hits on, except those that were found before.
static void receive_in_place(void *context, const bp_columns *columns, const bp_pair *hits, size_t count) {
    const place_search *s = context;
    size_t begin = 0;
    for (size_t i = 0; i < count; ++i) {
        if (is_found_before(s, columns, hits[i].a)) {
            bp_source_search_receive(s->search, columns, hits + begin, i - begin);
            begin = i + 1;
        }
    }
    bp_source_search_receive(s->search, columns, hits + begin, count - begin);
}

static void search_place(place_search *s) {
    const bp_hit_receiver hits = {.receive = receive_in_place, .context = s};
    bp_box box;
    for (int axis = 0; axis < 3; ++axis) {
        box.min[axis] = s->places->min[axis][s->place[axis]];
        box.max[axis] = s->places->max[axis][s->place[axis]];
    }
    bp_sorted_grid_query_box(s->search->source->grid, &box, &hits);
}

static void search_places(bp_source_search *search, const box_places *p) {
    place_search s = {.search = search, .places = p};
    for (s.place[0] = 0; s.place[0] < p->count[0]; ++s.place[0]) {
        for (s.place[1] = 0; s.place[1] < p->count[1]; ++s.place[1]) {
            for (s.place[2] = 0; s.place[2] < p->count[2]; ++s.place[2]) {
                search_place(&s);
            }
        }
    }
}

// ---- searching ------------------------------------------------------------------------------------------------------

// In a periodic world, all scanned boxes are checked again.
static void search_wrapped(bp_source_search *search, const bp_box *box) {
    const bp_hit_receiver hits = {.receive = bp_source_search_receive, .context = search};
    double low[3], high[3];
    bp_sorted_grid_query_scanned(search->source->grid, NULL, &hits);
    if (!bp_sorted_grid_bounds(search->source->grid, low, high)) {
        return;
    }
    box_places p;
    for (int axis = 0; axis < 3; ++axis) {
        const double period = bp_period_of(&search->query->world->setup.overlap, (uint32_t)axis);
        p.count[axis] = 1;
        p.min[axis][0] = box->min[axis];
        p.max[axis][0] = box->max[axis];
        if (period > 0.0) {
            find_places(&p, axis, period, low[axis], high[axis]);
        }
    }
    search_places(search, &p);
}

static void search_grid(const bp_sorted_grid *grid, const bp_box *box, const bp_hit_receiver *hits) {
    bp_sorted_grid_query_box(grid, box, hits);
    bp_sorted_grid_query_scanned(grid, box, hits);
}

static void search_unwrapped(bp_source_search *search, const bp_box *box) {
    const bp_hit_receiver hits = {.receive = bp_source_search_receive, .context = search};
    search_grid(search->source->grid, box, &hits);
}

void bp_query_find_in_box(const bp_query *query, const bp_box *box, const bp_found_receiver *receiver) {
    for (size_t i = 0; i < query->source_count; ++i) {
        bp_source_search search = {.query = query, .source = &query->sources[i], .receiver = receiver};
        if (bp_is_periodic(&query->world->setup.overlap)) {
            search_wrapped(&search, box);
        } else {
            search_unwrapped(&search, box);
        }
    }
    bp_query_find_unindexed(query, receiver);
}

// ---- exactly --------------------------------------------------------------------------------------------------------

typedef struct box_search {
    const bp_query *query;
    const bp_box_double *box;
    bool rounded;    // the box that was searched for is larger than this one
    bool has_margin; // boxes in grids are larger than those of the world by more than rounding
    bp_box inner;    // this box, rounded inwards; min may be above max
    const bp_id_sink *sink;
} box_search;

static void receive_overlapping(void *context, const bp_found *found) {
    const box_search *s = context;
    if (found->columns == NULL || s->rounded) {
        const bp_box_double box = bp_query_input_box(s->query, found);
        if (!bp_boxes_overlap_by_rule(s->box, &box, &s->query->world->setup.overlap)) {
            return;
        }
    }
    s->sink->offer(s->sink->context, found->id);
}

// Most queries: nothing has changed, and everybody is looked for. Then what the grid has found is offered at once.
static bool is_plain(const bp_query *query) {
    return query->source_count == 1 && query->object == NULL && query->sources[0].stale == NULL &&
           bp_unindexed_count(&query->unindexed) == 0 && !bp_is_periodic(&query->world->setup.overlap);
}

// A face in the grid lies where the input box has it, or at the next float outside of that. So if it is beyond a face of
// the inner box, the input box is at least as far, and need not be looked at.
static bool is_surely_met(const box_search *s, const bp_columns *columns, size_t position) {
    bool met = !s->has_margin;
    for (uint32_t axis = 0; axis < s->query->world->setup.overlap.dimensions; ++axis) {
        met &= columns->min[axis][position] < s->inner.max[axis];
        met &= columns->max[axis][position] > s->inner.min[axis];
    }
    return met;
}

static bool is_met(const box_search *s, bp_id id) {
    const bp_box_double box = bp_query_input_box(s->query, &(bp_found){.id = id});
    return bp_boxes_overlap_by_rule(s->box, &box, &s->query->world->setup.overlap);
}

static void receive_plain(void *context, const bp_columns *columns, const bp_pair *hits, size_t count) {
    const box_search *s = context;
    const bp_query_source *source = &s->query->sources[0];
    const bool is_certain = source->exact && !s->rounded;
    for (size_t i = 0; i < count; ++i) {
        const bp_id id = source->ids != NULL ? source->ids[hits[i].b] : hits[i].b;
        if (is_certain || is_surely_met(s, columns, hits[i].a) || is_met(s, id)) {
            s->sink->offer(s->sink->context, id);
        }
    }
}

void bp_query_find_overlapping(const bp_query *query, const bp_box_double *box, const bp_id_sink *sink) {
    const bp_box outer = bp_box_flatten(bp_box_round_outwards(box), query->world->setup.overlap.dimensions);
    box_search s = {.query = query, .box = box, .sink = sink};
    s.has_margin = bp_world_boxes_have_margin(&query->world->boxes);
    for (uint32_t axis = 0; axis < query->world->setup.overlap.dimensions; ++axis) {
        s.rounded |= (double)outer.min[axis] != box->min[axis] || (double)outer.max[axis] != box->max[axis];
        s.inner.min[axis] = bp_round_up(box->min[axis]);
        s.inner.max[axis] = bp_round_down(box->max[axis]);
    }
    if (is_plain(query)) {
        const bp_hit_receiver hits = {.receive = receive_plain, .context = &s};
        search_grid(query->sources[0].grid, &outer, &hits);
        return;
    }
    const bp_found_receiver receiver = {.receive = receive_overlapping, .context = &s};
    bp_query_find_in_box(query, &outer, &receiver);
}

// ---- the query itself -----------------------------------------------------------------------------------------------

bool bp_query_box_is_valid(const bp_world *world, const bp_box_double *box) {
    bool valid = true;
    for (uint32_t axis = 0; axis < world->setup.overlap.dimensions; ++axis) {
        valid &= box->min[axis] <= box->max[axis];
    }
    return valid;
}

// Checks what all box queries share. `box` is NULL if the caller's is.
static bp_status check_box(const bp_world *world, const bp_box_double *box, const bp_object *object) {
    const bp_status status = bp_query_check(world, object);
    if (status != BP_OK) {
        return status;
    }
    if (box == NULL) {
        return bp_world_refuse(world, BP_ERROR_ARGUMENT, "box: NULL");
    }
    if (!bp_query_box_is_valid(world, box)) {
        return bp_world_refuse(world, BP_ERROR_BOX, "box: invalid (NaN, or min > max)");
    }
    return BP_OK;
}

static void offer_to_shortlist(void *context, bp_id id) {
    bp_shortlist_offer(context, id);
}

static bp_status list_overlapping(const bp_world *world, const bp_box_double *box, const bp_object *object, bp_id *ids,
                                  size_t capacity, size_t *found) {
    const bp_status status = check_box(world, box, object);
    if (status != BP_OK) {
        return status;
    }
    if (ids == NULL && capacity > 0) {
        return bp_world_refuse(world, BP_ERROR_ARGUMENT, "ids: NULL, but the capacity is not 0");
    }
    const bp_query query = bp_query_begin(world, object, 1);
    bp_shortlist list = bp_shortlist_of_ids(ids, capacity);
    const bp_id_sink sink = {.offer = offer_to_shortlist, .context = &list};
    bp_query_find_overlapping(&query, box, &sink);
    return bp_shortlist_finish(&list, found);
}

// ---- visits ---------------------------------------------------------------------------------------------------------

typedef struct box_visit {
    const bp_query *query;
    const bp_box_double *box;
} box_visit;

static void offer_to_visits(void *context, bp_id id) {
    bp_visits_offer(context, id, 0.0);
}

static void search_for_visits(void *context, bp_visits *visits) {
    const box_visit *v = context;
    const bp_id_sink sink = {.offer = offer_to_visits, .context = visits};
    bp_query_find_overlapping(v->query, v->box, &sink);
}

static bp_status visit_overlapping(const bp_world *world, const bp_box_double *box, const bp_object *object,
                                   bp_visit visit, void *context) {
    const bp_status status = check_box(world, box, object);
    if (status != BP_OK) {
        return status;
    }
    const bp_query query = bp_query_begin(world, object, 1);
    box_visit v = {.query = &query, .box = box};
    bp_visits visits = {.visit = visit, .context = context};
    return bp_visits_run(world, &visits, search_for_visits, &v);
}

// ---- calls ----------------------------------------------------------------------------------------------------------

static const bp_box_double *widen(const bp_box *box, bp_box_double *wide) {
    *wide = box != NULL ? bp_box_to_double(box) : (bp_box_double){0};
    return box != NULL ? wide : NULL;
}

bp_status bp_query_box(const bp_world *world, const bp_box *box, bp_id *ids, size_t capacity, size_t *found) {
    return bp_query_box_as(world, box, NULL, ids, capacity, found);
}

bp_status bp_query_box_as(const bp_world *world, const bp_box *box, const bp_object *object, bp_id *ids,
                          size_t capacity, size_t *found) {
    bp_box_double wide;
    return list_overlapping(world, widen(box, &wide), object, ids, capacity, found);
}

bp_status bp_query_box_double(const bp_world *world, const bp_box_double *box, const bp_object *object, bp_id *ids,
                              size_t capacity, size_t *found) {
    return list_overlapping(world, box, object, ids, capacity, found);
}

bp_status bp_query_box_each(const bp_world *world, const bp_box *box, const bp_object *object, bp_visit visit,
                            void *context) {
    bp_box_double wide;
    return visit_overlapping(world, widen(box, &wide), object, visit, context);
}

bp_status bp_query_box_each_double(const bp_world *world, const bp_box_double *box, const bp_object *object,
                                   bp_visit visit, void *context) {
    return visit_overlapping(world, box, object, visit, context);
}
